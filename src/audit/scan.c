/* scan.c - the pipeline of one file: source, kind, sections, bundles. */
#include "audit/scan.h"

#include "base/text.h"
#include "bundle/fatbin.h"
#include "elf/property.h"
#include "elf/wrappers.h"
#include "gfx/image.h"

#include <stdlib.h>

#define ARENA_LIMIT ((size_t)2 << 30)
#define DIAG_LIMIT  1000
#define HEAD_SIZE   512 /* enough for every magic, that of tar at 257 */

#define FATBIN     ".hip_fatbin"
#define WRAPPERS   ".hipFatBinSegment"
#define RDC_PREFIX "__CLANG_OFFLOAD_BUNDLE__"

struct job {
    const struct ra_scan_context *context;
    const struct ra_walk_file *from;
    struct ra_scanned *scanned;
    struct ra_source source;
    struct ra_bundles bundles;
};

static enum ra_status told(struct job *job, enum ra_diag_code code, uint64_t offset,
                           const char *what)
{
    return ra_fault(&job->scanned->diags, RA_OK, code, ra_at(offset), "%s", what);
}

/* ---- ELF hosts -------------------------------------------------------------- */

/* What a host file has that matters to us. */
struct host {
    struct ra_elf *elf;
    struct ra_elf_section wrappers;
    bool has_wrappers, has_cuda;
    size_t property;  /* section that may say which CPU it needs; 0: none */
    uint64_t scanned; /* bytes of the sections that were walked for bundles */
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

/* Sections that share bytes could make a small file endless work. */
static enum ra_status take_fatbin(struct job *job, struct host *host,
                                  const struct ra_elf_section *section)
{
    if (section->type == RA_ELF_NOBITS)
        return told(job, RA_DIAG_ELF_NOBITS, section->offset,
                    "the device code must be elsewhere, if there is any");
    if (section->content.size > job->source.size - host->scanned)
        return ra_fault(&job->scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_at(section->offset),
                        "sections of device code are larger than the file");
    host->scanned += section->content.size;
    return ra_bundles_scan(&job->bundles, &section->content);
}

static enum ra_status take_section(struct job *job, struct host *host,
                                   const struct ra_elf_section *section)
{
    if (starts(section->name, FATBIN))
        return take_fatbin(job, host, section);
    if (is_unread(section))
        return told(job, RA_DIAG_ELF_UNREAD, section->offset, section->name);
    if (strcmp(section->name, WRAPPERS) == 0) {
        host->wrappers = *section;
        host->has_wrappers = true;
    }
    host->has_cuda = host->has_cuda || is_cuda(section->name);
    return RA_OK;
}

/* A bundle that HIP would find and we did not: the section moved, or tells a lie. */
static enum ra_status follow(struct job *job, const struct ra_wrapper *wrapper)
{
    struct ra_source source;

    if (ra_bundles_met(&job->bundles, wrapper->offset))
        return RA_OK;
    if (!ra_source_sub(&job->source, wrapper->offset, wrapper->left, &source))
        return told(job, RA_DIAG_WRAPPER_LOST, wrapper->offset,
                    "its wrapper points outside the file");
    return ra_bundles_scan_one(&job->bundles, &source);
}

/*
 * Every wrapper must lead to a bundle. Where the address of one cannot be had, the
 * numbers must do: there are no fewer wrappers than bundles, and several wrappers may
 * share a bundle only in what was linked as a whole, where addresses are there.
 */
static enum ra_status check_wrappers(struct job *job, struct host *host)
{
    struct ra_wrapper *list;
    size_t count, lost = 0, packed = 0;
    enum ra_status status =
        ra_wrappers_read(host->elf, &host->wrappers, &job->scanned->arena,
                         &job->scanned->diags, &list, &count);

    for (size_t i = 0; status == RA_OK && i < count; i++) {
        if (list[i].magic == RA_WRAPPER_HIPK) {
            packed++;
            status = ra_bundles_add_kpack(&job->bundles);
        } else if (list[i].magic == RA_WRAPPER_HIPF && list[i].resolved) {
            status = follow(job, &list[i]);
        } else {
            lost++;
        }
    }
    if (status == RA_OK && packed > 0)
        status = told(job, RA_DIAG_NEEDS_KPACK, host->wrappers.offset,
                      "kpack'd fat binary wrappers");
    if (status == RA_OK && lost > 0 && count > job->bundles.count)
        status = told(job, RA_DIAG_WRAPPER_LOST, host->wrappers.offset,
                      "more fat binary wrappers than bundles");
    return status;
}

static bool is_runtime(const char *path)
{
    const char *slash = strrchr(path, '/');

    return starts(slash ? slash + 1 : path, "libhsa-runtime64.so");
}

static enum ra_status scan_sections(struct job *job, struct host *host)
{
    size_t count = ra_elf_section_count(host->elf);
    struct ra_elf_section section;
    enum ra_status status = RA_OK;

    if (count == 0)
        return told(job, RA_DIAG_ELF_NO_SECTIONS, 0, "they were stripped");
    for (size_t i = 1; status == RA_OK && i < count; i++) {
        status = ra_elf_section(host->elf, i, &section);
        if (status == RA_OK)
            status = take_section(job, host, &section);
        if (status == RA_OK && section.type == RA_ELF_NOTE &&
            strcmp(section.name, RA_PROPERTY_SECTION) == 0)
            host->property = i;
    }
    if (status == RA_OK && host->has_wrappers)
        status = check_wrappers(job, host);
    return status;
}

static enum ra_status scan_host(struct job *job)
{
    struct ra_file *file = &job->scanned->file;
    struct host host = { 0 };
    enum ra_status status = ra_elf_open(&job->source, &job->scanned->diags, &host.elf);

    if (status != RA_OK)
        return status;
    status = scan_sections(job, &host);
    if (status == RA_OK && host.property > 0 && job->bundles.count > 0)
        status = ra_property_level(host.elf, host.property, &job->scanned->diags,
                                   &file->host_isa);
    ra_elf_close(host.elf);
    if (job->bundles.count == 0 && host.has_cuda)
        file->kind = RA_KIND_CUDA;
    else if (job->bundles.count == 0 && is_runtime(job->from->path))
        file->kind = RA_KIND_RUNTIME;
    return status;
}

/* ---- kinds of files --------------------------------------------------------- */

/* First bytes of what may hold device code and is not opened by this version. */
static bool is_archive(struct ra_span head)
{
    static const struct {
        size_t at;
        const char *magic;
        size_t size;
    } magics[] = {
        { 0, "PK\3\4", 4 },
        { 0, "PK\5\6", 4 },
        { 0, "!<arch>\n", 8 },
        { 0, "!<thin>\n", 8 },
        { 0, "\x1f\x8b", 2 },
        { 0,
          "\xfd"
          "7zXZ",
          5 },
        { 0, "\x28\xb5\x2f\xfd", 4 },
        { 0, "BZh", 3 },
        { 257, "ustar", 5 },
        { 0, "KPAK", 4 },
    };

    for (size_t i = 0; i < RA_COUNT(magics); i++)
        if (head.size >= magics[i].at + magics[i].size &&
            memcmp(head.data + magics[i].at, magics[i].magic, magics[i].size) == 0)
            return true;
    return false;
}

/* What a file is, by its first bytes. */
static enum ra_kind kind_of(struct ra_span head)
{
    if (ra_content_of(head) == RA_CONTENT_CODE_OBJECT)
        return RA_KIND_CODE_OBJECT;
    if (ra_elf_probe(head))
        return RA_KIND_ELF;
    if (ra_fatbin_probe(head))
        return RA_KIND_BUNDLE;
    if (is_archive(head))
        return RA_KIND_ARCHIVE;
    return head.size > 2 && memcmp(head.data, "MZ", 2) == 0 ? RA_KIND_WINDOWS
                                                            : RA_KIND_OTHER;
}

static enum ra_status scan_content(struct job *job)
{
    switch (job->scanned->file.kind) {
    case RA_KIND_CODE_OBJECT:
        return ra_bundles_scan_raw(&job->bundles, &job->source);
    case RA_KIND_ELF:
        return scan_host(job);
    case RA_KIND_BUNDLE:
        return ra_bundles_scan(&job->bundles, &job->source);
    default:
        /* In a tree they are counted: nothing on this system loads code from them. */
        return job->from->named
                   ? told(job, RA_DIAG_NOT_OPENED, 0, "it was named as input")
                   : RA_OK;
    }
}

/* ---- the file --------------------------------------------------------------- */

static const char *escaped(struct ra_arena *arena, const char *path)
{
    struct ra_span span = { (const uint8_t *)path, strlen(path), 0 };

    return ra_text_escape(arena, span);
}

static enum ra_status name_file(struct job *job)
{
    struct ra_file *file = &job->scanned->file;
    struct ra_arena *arena = &job->scanned->arena;
    const char **paths = ra_new(arena, const char *, job->from->link_count);

    file->path = escaped(arena, job->from->path);
    file->name = escaped(arena, job->from->name);
    file->raw_path = ra_arena_text(arena, job->from->path, strlen(job->from->path));
    if (!paths || !file->path || !file->name || !file->raw_path)
        return RA_E_NOMEM;
    for (const struct ra_walk_link *link = job->from->links; link; link = link->next) {
        paths[file->path_count] = escaped(arena, link->path);
        if (!paths[file->path_count++])
            return RA_E_NOMEM;
    }
    file->paths = paths;
    return RA_OK;
}

static enum ra_status keep_bundles(struct job *job)
{
    struct ra_file *file = &job->scanned->file;
    struct ra_bundle *list =
        ra_new(&job->scanned->arena, struct ra_bundle, job->bundles.count);

    if (!list)
        return RA_E_NOMEM;
    if (job->bundles.count)
        memcpy(list, job->bundles.list, job->bundles.count * sizeof(*list));
    file->bundles = list;
    file->bundle_count = job->bundles.count;
    return RA_OK;
}

static void settle(struct job *job, enum ra_status status)
{
    struct ra_scanned *scanned = job->scanned;
    struct ra_file *file = &scanned->file;

    if (status != RA_OK || scanned->diags.errors > 0 || job->bundles.damaged)
        file->status = RA_FILE_INCOMPLETE;
    for (const struct ra_diag *diag = scanned->diags.first; diag; diag = diag->next)
        if (strcmp(diag->name, ra_diag_name(RA_DIAG_CHANGED)) == 0)
            file->status = RA_FILE_CHANGED;
    file->diags = scanned->diags.first;
}

static enum ra_status unreadable(struct job *job, enum ra_status status)
{
    struct ra_file *file = &job->scanned->file;

    file->kind = RA_KIND_UNREADABLE;
    file->status = RA_FILE_UNREADABLE;
    file->diags = job->scanned->diags.first;
    return status;
}

/* Whether the first bytes say all there is to say. */
static bool is_done(const struct job *job)
{
    enum ra_kind kind = job->scanned->file.kind;

    return kind == RA_KIND_OTHER ||
           ((kind == RA_KIND_ARCHIVE || kind == RA_KIND_WINDOWS) && !job->from->named);
}

static enum ra_status scan_opened(struct job *job)
{
    struct ra_diags *diags = &job->scanned->diags;
    struct ra_stamp stamp;
    enum ra_status status = ra_source_measure(&job->source, diags, &stamp);

    if (status != RA_OK)
        return unreadable(job, status);
    job->scanned->file.size = stamp.size;
    status = scan_content(job);
    if (status != RA_E_NOMEM)
        (void)!ra_source_unchanged(&job->source, &stamp, diags);
    if (status != RA_E_NOMEM && keep_bundles(job) != RA_OK)
        status = RA_E_NOMEM;
    settle(job, status);
    return status;
}

static enum ra_status scan_path(struct job *job)
{
    struct ra_diags *diags = &job->scanned->diags;
    uint8_t bytes[HEAD_SIZE];
    struct ra_span head;
    enum ra_status status;

    if (job->from->trouble)
        return unreadable(job, ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "%s",
                                        job->from->trouble));
    status =
        ra_source_open(job->from->path, sizeof(bytes), diags, bytes, &head, &job->source);
    if (status != RA_OK)
        return unreadable(job, status);
    job->scanned->file.kind = kind_of(head);
    if (!is_done(job))
        status = scan_opened(job);
    ra_source_close(&job->source);
    return status;
}

void ra_scan_file(const struct ra_scan_context *context, const struct ra_walk_file *from,
                  struct ra_scanned *ret)
{
    struct job job = { .context = context, .from = from, .scanned = ret };
    enum ra_status status;

    *ret = (struct ra_scanned){ .arena = { .limit = ARENA_LIMIT },
                                .kernels_arena = { .limit = ARENA_LIMIT } };
    ret->diags = (struct ra_diags){ .arena = &ret->arena, .limit = DIAG_LIMIT };
    job.bundles = (struct ra_bundles){ .context = context,
                                       .arena = &ret->arena,
                                       .kernels_arena = &ret->kernels_arena,
                                       .diags = &ret->diags };
    status = scan_path(&job);
    /* Most files have nothing to tell, and need no name for it. */
    if (status != RA_E_NOMEM && ra_scanned_is_worth_telling(ret))
        status = name_file(&job);
    ret->status = status == RA_E_NOMEM ? RA_E_NOMEM : RA_OK;
    ra_bundles_free(&job.bundles);
}

bool ra_scanned_is_worth_telling(const struct ra_scanned *scanned)
{
    return scanned->file.bundle_count > 0 || scanned->file.status != RA_FILE_OK ||
           scanned->diags.count > 0;
}

/* The bundles stand in our own arena, so they can be told. */
void ra_scanned_drop_kernels(struct ra_scanned *scanned)
{
    struct ra_bundle *bundles = (struct ra_bundle *)(uintptr_t)scanned->file.bundles;

    for (size_t i = 0; i < scanned->file.bundle_count; i++) {
        struct ra_entry *entries = (struct ra_entry *)(uintptr_t)bundles[i].entries;

        bundles[i].kernel_names = NULL;
        for (size_t j = 0; j < bundles[i].entry_count; j++)
            entries[j].kernels = NULL;
    }
    ra_arena_free(&scanned->kernels_arena);
}

void ra_scanned_free(struct ra_scanned *scanned)
{
    ra_arena_free(&scanned->arena);
    ra_arena_free(&scanned->kernels_arena);
}
