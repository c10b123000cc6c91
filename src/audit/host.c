/* host.c - a host file: the sections and wrappers that lead to its device code. */
#include "audit/hunt.h"
#include "audit/scan.h"

#include "base/text.h"
#include "elf/property.h"
#include "elf/wrappers.h"
#include "site/names.h"

#define FATBIN     ".hip_fatbin"
#define WRAPPERS   ".hipFatBinSegment"
#define RUNTIME    "libhsa-runtime64"
#define REFERENCE  ".rocm_kpack_ref"
#define FATBINS    1024 /* sections of device code in a file */
#define RDC_PREFIX "__CLANG_OFFLOAD_BUNDLE__"

static enum ra_status told(struct ra_scan *scan, enum ra_diag_code code, uint64_t offset,
                           const char *what)
{
    return ra_fault(&scan->scanned->diags, RA_OK, code, ra_at(offset), "%s", what);
}

/* What a host file has that matters to us. */
struct host {
    struct ra_elf *elf;
    struct ra_elf_section wrappers;
    struct ra_elf_section reference; /* of .kpack archives, for objects not linked yet */
    uint64_t nobits;                 /* a device code section that holds no bytes, or 0 */
    bool has_wrappers, has_reference, has_cuda;
    size_t property;  /* section that may say which CPU it needs; 0: none */
    uint64_t scanned; /* bytes of the sections that were walked for bundles */
    struct ra_elf_section *fatbins; /* sections of device code */
    size_t fatbin_count;
    bool referred; /* to .kpack archives, from `referred_at` */
    uint64_t referred_at;
    enum ra_status reference_status; /* of reading that */
};

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_cuda(const char *name)
{
    return starts(name, ".nv_fatbin") || starts(name, ".nvFatBinSegment") ||
           starts(name, "__nv_relfatbin");
}

/* A section of an object file that is named after an entry ID; SYCL has such for Intel.
 */
static bool is_amd_entry(const char *name)
{
    return starts(name, RDC_PREFIX) && (strstr(name, "amdgcn") || strstr(name, "-amd-"));
}

/* Sections of layouts to come: better undecided than overlooked. */
static bool is_unread(const struct ra_elf_section *section)
{
    return is_amd_entry(section->name) || section->type == RA_ELF_OFFLOADING ||
           starts(section->name, ".llvm.offloading");
}

/* ---- sections --------------------------------------------------------------- */

static bool is_fatbin(const struct ra_elf_section *section)
{
    return starts(section->name, FATBIN) && section->type != RA_ELF_NOBITS;
}

/* Sections that share bytes could make a small file endless work. */
static enum ra_status take_fatbin(struct ra_scan *scan, struct host *host,
                                  const struct ra_elf_section *section)
{
    if (section->content.size > scan->source.size - host->scanned)
        return ra_fault(&scan->scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_at(section->offset),
                        "sections of device code are larger than the file");
    host->scanned += section->content.size;
    if (host->fatbin_count == FATBINS)
        return ra_fault(&scan->scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_at(section->offset), "more than %d sections of device code",
                        FATBINS);
    if (!host->fatbins)
        host->fatbins = ra_new(&scan->scanned->arena, struct ra_elf_section, FATBINS);
    if (!host->fatbins)
        return RA_E_NOMEM;
    host->fatbins[host->fatbin_count++] = *section;
    return RA_OK;
}

/* Only headers are read here, so that what follows can be read in its order. */
static enum ra_status take_section(struct ra_scan *scan, struct host *host,
                                   const struct ra_elf_section *section, size_t index)
{
    if (is_fatbin(section))
        return take_fatbin(scan, host, section);
    if (starts(section->name, FATBIN))
        host->nobits = section->offset;
    else if (is_unread(section))
        return told(scan, RA_DIAG_ELF_UNREAD, section->offset, section->name);
    if (strcmp(section->name, WRAPPERS) == 0) {
        host->wrappers = *section;
        host->has_wrappers = true;
    }
    if (strcmp(section->name, REFERENCE) == 0) {
        host->reference = *section;
        host->has_reference = true;
    }
    if (section->type == RA_ELF_NOTE && strcmp(section->name, RA_PROPERTY_SECTION) == 0)
        host->property = index;
    host->has_cuda = host->has_cuda || is_cuda(section->name);
    return RA_OK;
}

static enum ra_status list_sections(struct ra_scan *scan, struct host *host)
{
    size_t count = ra_elf_section_count(host->elf);
    struct ra_elf_section section;
    enum ra_status status = RA_OK;

    if (count == 0)
        return told(scan, RA_DIAG_ELF_NO_SECTIONS, 0, "they were stripped");
    for (size_t i = 1; status == RA_OK && i < count; i++) {
        status = ra_elf_section(host->elf, i, &section);
        if (status == RA_OK)
            status = take_section(scan, host, &section, i);
    }
    return status;
}

/* Whether what was guessed on the way is all that the sections hold. */
static bool is_right(struct ra_hunt *hunt, const struct host *host)
{
    for (size_t i = 0; i < host->fatbin_count; i++)
        if (!ra_hunt_claim(hunt, host->fatbins[i].offset, host->fatbins[i].content.size))
            return false;
    return ra_hunt_holds(hunt);
}

static enum ra_status scan_fatbins(struct ra_scan *scan, struct host *host,
                                   struct ra_hunt *hunt)
{
    enum ra_status status = RA_OK;

    if (hunt && is_right(hunt, host))
        return ra_hunt_join(hunt, &scan->bundles);
    for (size_t i = 0; status == RA_OK && i < host->fatbin_count; i++)
        status = ra_bundles_scan(&scan->bundles, &host->fatbins[i].content);
    return status;
}

/* A bundle that HIP would find and we did not: the section moved, or tells a lie. */
static enum ra_status follow(struct ra_scan *scan, const struct ra_wrapper *wrapper)
{
    struct ra_source source;

    if (ra_bundles_met(&scan->bundles, wrapper->offset))
        return RA_OK;
    if (!ra_source_sub(&scan->source, wrapper->offset, wrapper->left, &source))
        return told(scan, RA_DIAG_WRAPPER_LOST, wrapper->offset,
                    "its wrapper points outside the file");
    return ra_bundles_scan_one(&scan->bundles, &source);
}

/* ---- code in .kpack archives ------------------------------------------------ */

/* Where the wrapper's reference is: its address is not known before a link. */
static bool find_reference(struct ra_scan *scan, const struct host *host,
                           const struct ra_wrapper *wrapper, struct ra_source *ret)
{
    if (wrapper->resolved)
        return ra_source_sub(&scan->source, wrapper->offset, wrapper->left, ret);
    *ret = host->reference.content;
    return host->has_reference;
}

static enum ra_status keep_reference(struct ra_scan *scan)
{
    const struct ra_kpack_ref *ref = &scan->scanned->ref;
    struct ra_arena *arena = &scan->scanned->arena;
    struct ra_kpack *kpack = ra_new(arena, struct ra_kpack, 1);
    const char **patterns = ra_new(arena, const char *, ref->path_count);

    if (!kpack || !patterns)
        return RA_E_NOMEM;
    kpack->name = ra_text_shown(arena, ref->kernel_name);
    kpack->patterns = patterns;
    kpack->pattern_count = ref->path_count;
    for (size_t i = 0; i < ref->path_count; i++)
        if (!(patterns[i] = ra_text_shown(arena, ref->paths[i])))
            return RA_E_NOMEM;
    scan->scanned->file.kpack = kpack;
    return kpack->name ? RA_OK : RA_E_NOMEM;
}

/* All wrappers of a file share one reference; of another, nothing can be told. */
static enum ra_status read_reference(struct ra_scan *scan, struct host *host,
                                     const struct ra_wrapper *wrapper)
{
    struct ra_source blob;

    if (!find_reference(scan, host, wrapper, &blob))
        return ra_fault(&scan->scanned->diags, RA_E_FORMAT, RA_DIAG_WRAPPER_LOST,
                        ra_at(host->wrappers.offset),
                        "nothing says in which .kpack archives its code is");
    if (host->referred && blob.base != host->referred_at)
        return ra_fault(&scan->scanned->diags, RA_E_UNSUPPORTED, RA_DIAG_ELF_UNREAD,
                        ra_at(blob.base), "a second reference to .kpack archives");
    if (host->referred)
        return host->reference_status;
    host->referred = true;
    host->referred_at = blob.base;
    host->reference_status = ra_kpack_ref_read(
        &blob, &scan->scanned->arena, &scan->scanned->diags, &scan->scanned->ref);
    return host->reference_status == RA_OK ? keep_reference(scan)
                                           : host->reference_status;
}

static enum ra_status take_packed(struct ra_scan *scan, struct host *host,
                                  const struct ra_wrapper *wrapper)
{
    enum ra_status status = read_reference(scan, host, wrapper);
    const char *key = NULL;

    if (status == RA_OK) {
        key = ra_text_format(&scan->scanned->arena, "%s#%u",
                             scan->scanned->file.kpack->name, wrapper->index);
        status = key ? RA_OK : RA_E_NOMEM;
    }
    if (status != RA_OK && !ra_is_damage(status))
        return status;
    return ra_bundles_add_kpack(&scan->bundles, key);
}

/* ---- wrappers --------------------------------------------------------------- */

/*
 * Every wrapper must lead to a bundle. Where the address of one cannot be had, the
 * numbers must do: there are no fewer wrappers than bundles, and several wrappers may
 * share a bundle only in what was linked as a whole, where addresses are there.
 */
static enum ra_status check_wrappers(struct ra_scan *scan, struct host *host)
{
    struct ra_wrapper *list;
    size_t count, lost = 0;
    enum ra_status status =
        ra_wrappers_read(host->elf, &host->wrappers, &scan->scanned->arena,
                         &scan->scanned->diags, &list, &count);

    for (size_t i = 0; status == RA_OK && i < count; i++) {
        if (list[i].magic == RA_WRAPPER_HIPK)
            status = take_packed(scan, host, &list[i]);
        else if (list[i].magic == RA_WRAPPER_HIPF && list[i].resolved)
            status = follow(scan, &list[i]);
        else
            lost++;
    }
    if (status == RA_OK && lost > 0 && count > scan->bundles.count)
        status = told(scan, RA_DIAG_WRAPPER_LOST, host->wrappers.offset,
                      "more fat binary wrappers than bundles");
    return status;
}

/* auditwheel puts a digest into names, as in libhsa-runtime64-b8cdfe93.so.1. */
static bool is_runtime(const char *path)
{
    const char *name = ra_text_base(path);
    size_t digest;

    if (!ra_library_digest(name, &digest))
        return starts(name, RUNTIME ".so");
    return digest == strlen(RUNTIME) && starts(name, RUNTIME);
}

/* ---- the file --------------------------------------------------------------- */

static enum ra_status scan_sections(struct ra_scan *scan, struct host *host,
                                    struct ra_hunt *hunt)
{
    enum ra_status status = list_sections(scan, host);

    if (status == RA_OK)
        status = scan_fatbins(scan, host, hunt);
    if (status == RA_OK && host->has_wrappers)
        status = check_wrappers(scan, host);
    if (status == RA_OK && host->nobits && !host->referred)
        status = told(scan, RA_DIAG_ELF_NOBITS, host->nobits,
                      "the device code must be elsewhere, if there is any");
    if (status == RA_OK && host->property > 0 && scan->bundles.count > 0)
        status = ra_property_level(host->elf, host->property, &scan->scanned->diags,
                                   &scan->scanned->file.host_isa);
    return status;
}

static enum ra_status scan_host(struct ra_scan *scan, struct ra_hunt *hunt)
{
    struct ra_file *file = &scan->scanned->file;
    struct host host = { 0 };
    enum ra_status status = ra_elf_open(&scan->source, &scan->scanned->diags, &host.elf);

    if (status != RA_OK)
        return status;
    status = scan_sections(scan, &host, hunt);
    ra_elf_close(host.elf);
    if (scan->bundles.count == 0 && host.has_cuda)
        file->kind = RA_KIND_CUDA;
    else if (scan->bundles.count == 0 && is_runtime(scan->subject->place))
        file->kind = RA_KIND_RUNTIME;
    return status;
}

enum ra_status ra_host_scan(struct ra_scan *scan)
{
    struct ra_hunt hunt;
    enum ra_status status;

    if (!ra_source_is_forward(&scan->source))
        return scan_host(scan, NULL);
    status = ra_hunt(scan->context, &scan->source, &hunt);
    if (status == RA_OK)
        status = scan_host(scan, &hunt);
    ra_hunt_free(&hunt);
    return status;
}
