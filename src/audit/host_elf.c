/* host_elf.c - a host file of the ELF format: its sections, segments and relocations. */
#include "audit/host.h"

#include "audit/stubs.h"
#include "elf/dynamic.h"
#include "elf/property.h"

#include <stdlib.h>

#define FATBIN    ".hip_fatbin"
#define WRAPPERS  ".hipFatBinSegment"
#define REFERENCE ".rocm_kpack_ref"
#define OFFLOADS  ".llvm.offloading"

/* The file, and what only ELF has. */
struct elf_host {
    struct ra_host host;
    struct ra_elf *elf;
    size_t property; /* section that may say which CPU it needs; 0: none */
};

static struct elf_host *of(struct ra_host *host)
{
    return host->file;
}

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* ---- sections --------------------------------------------------------------- */

static bool is_cuda(const char *name)
{
    return starts(name, ".nv_fatbin") || starts(name, ".nvFatBinSegment") ||
           starts(name, "__nv_relfatbin");
}

static bool is_offload(const struct ra_elf_section *section)
{
    return section->type == RA_ELF_OFFLOADING || starts(section->name, OFFLOADS);
}

static enum ra_status take_section(struct elf_host *elf,
                                   const struct ra_elf_section *section, size_t index)
{
    struct ra_host *host = &elf->host;

    if (starts(section->name, FATBIN) && section->type == RA_ELF_NOBITS)
        host->nobits = section->offset;
    else if (starts(section->name, FATBIN))
        return ra_host_take(host, &host->fatbins, &section->content, section->address);
    if (is_offload(section))
        return ra_host_take(host, &host->offloads, &section->content, section->address);
    if (ra_host_entry_id(section->name))
        return ra_host_take_part(host, &section->content,
                                 ra_host_entry_id(section->name));
    if (strcmp(section->name, WRAPPERS) == 0)
        return ra_host_take(host, &host->wrappers, &section->content, section->address);
    if (strcmp(section->name, REFERENCE) == 0) {
        host->reference = (struct ra_host_area){ section->content, section->address };
        host->has_reference = true;
    }
    if (section->type == RA_ELF_NOTE && strcmp(section->name, RA_PROPERTY_SECTION) == 0)
        elf->property = index;
    host->has_cuda = host->has_cuda || is_cuda(section->name);
    return RA_OK;
}

static enum ra_status list_sections(struct elf_host *elf)
{
    enum ra_status status = RA_OK;

    for (size_t i = 1; status == RA_OK && i < ra_elf_section_count(elf->elf); i++) {
        struct ra_elf_section section;

        status = ra_elf_section(elf->elf, i, &section);
        if (status == RA_OK)
            status = take_section(elf, &section, i);
    }
    return status;
}

/* ---- what the format knows -------------------------------------------------- */

struct wrappers {
    struct ra_wrapper *list;
    size_t count;
};

static int by_where(const void *key, const void *element)
{
    uint64_t where = *(const uint64_t *)key;
    const struct ra_wrapper *wrapper = element;

    return (where > wrapper->where) - (where < wrapper->where);
}

static void point(void *arg, const struct ra_elf_pointer *pointer)
{
    const struct wrappers *wrappers = arg;
    uint64_t where = pointer->where - RA_WRAPPER_POINTER;
    struct ra_wrapper *wrapper =
        bsearch(&where, wrappers->list, wrappers->count, sizeof(*wrapper), by_where);

    if (!wrapper)
        return;
    wrapper->relocated = true;
    wrapper->address = pointer->value;
    wrapper->has_address = pointer->known;
}

enum ra_status ra_host_resolve_elf(struct ra_elf *elf, struct ra_wrapper *list,
                                   size_t count)
{
    struct wrappers wrappers = { list, count };
    struct ra_elf_dynamic dynamic;
    enum ra_status status = ra_elf_dynamic(elf, &dynamic);

    if (status == RA_OK && count > 0)
        status =
            ra_elf_pointers(elf, &dynamic, list[0].where,
                            list[count - 1].where + RA_WRAPPER_SIZE, point, &wrappers);
    for (size_t i = 0; status == RA_OK && i < count; i++)
        if (list[i].has_address)
            status = ra_elf_offset(elf, list[i].address, &list[i].offset, &list[i].left,
                                   &list[i].resolved);
    return status;
}

static enum ra_status resolve(struct ra_host *host, struct ra_wrapper *wrappers,
                              size_t count)
{
    return ra_host_resolve_elf(of(host)->elf, wrappers, count);
}

/* ---- what no section tells of ----------------------------------------------- */

/* Data that a program is loaded with, and that nothing else explains. */
static bool may_hide_code(const struct ra_elf_section *section)
{
    return section->type == RA_ELF_PROGBITS && (section->flags & RA_ELF_ALLOC) &&
           !(section->flags & RA_ELF_EXECINSTR) && !starts(section->name, FATBIN) &&
           !is_offload(section) && !starts(section->name, ".eh_frame") &&
           !starts(section->name, ".gcc_except_table") &&
           strcmp(section->name, WRAPPERS) != 0 && strcmp(section->name, REFERENCE) != 0;
}

static enum ra_status search_sections(struct ra_host *host)
{
    struct ra_elf *elf = of(host)->elf;
    enum ra_status status = RA_OK;

    for (size_t i = 1; status == RA_OK && i < ra_elf_section_count(elf); i++) {
        struct ra_elf_section section;

        status = ra_elf_section(elf, i, &section);
        if (status == RA_OK && may_hide_code(&section))
            status = ra_search(&host->search, &section.content, section.address);
    }
    return status;
}

static enum ra_status search_segments(struct ra_host *host)
{
    struct ra_elf *elf = of(host)->elf;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_elf_segment_count(elf); i++) {
        struct ra_elf_segment segment;

        status = ra_elf_segment(elf, i, &segment);
        if (status != RA_OK || segment.type != RA_ELF_LOAD)
            continue;
        if (!segment.inside)
            return ra_fault(&host->scan->scanned->diags, RA_E_FORMAT, RA_DIAG_ELF_BAD,
                            ra_at(segment.offset), "a segment lies outside the file");
        status = ra_search(&host->search, &segment.content, segment.address);
    }
    return status;
}

static enum ra_status search_all(struct ra_host *host)
{
    return ra_elf_section_count(of(host)->elf) > 0 ? search_sections(host)
                                                   : search_segments(host);
}

/* ---- the file --------------------------------------------------------------- */

static enum ra_status read_level(struct elf_host *elf)
{
    struct ra_scanned *scanned = elf->host.scan->scanned;

    if (elf->property == 0 || elf->host.scan->bundles.count == 0)
        return RA_OK;
    return ra_property_level(elf->elf, elf->property, &scanned->diags,
                             &scanned->file.host_isa);
}

/* Of the machines that ROCm is for, the smallest; others have larger ones. */
#define PAGE_MASK ((uint64_t)4095)

/*
 * glibc's elf/dl-load.c: address and offset agree below a page. Before 2.35 the alignment
 * had to be one of pages, and they had to agree below that; 0 stands for all bits.
 */
static void check_segment(const struct ra_elf_segment *segment, struct ra_layout *layout)
{
    uint64_t apart = segment->address - segment->offset;
    bool misplaced = (apart & PAGE_MASK) != 0;
    bool misaligned =
        (segment->align & PAGE_MASK) != 0 || (apart & (segment->align - 1)) != 0;

    if (layout->misplaced || (!misplaced && (!misaligned || layout->misaligned)))
        return; /* the first of the worst is told of */
    layout->misplaced = misplaced;
    layout->misaligned = !misplaced;
    layout->segment = segment->address;
}

static enum ra_status check_segments(struct elf_host *elf, struct ra_layout *layout)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_elf_segment_count(elf->elf); i++) {
        struct ra_elf_segment segment;

        status = ra_elf_segment(elf->elf, i, &segment);
        if (status == RA_OK && segment.type == RA_ELF_LOAD)
            check_segment(&segment, layout);
    }
    return status;
}

/* Whether it can be loaded, which matters of what has device code. */
static enum ra_status read_layout(struct elf_host *elf)
{
    struct ra_scanned *scanned = elf->host.scan->scanned;
    enum ra_status status;

    if (!elf->host.linked || elf->host.scan->bundles.count == 0)
        return RA_OK;
    status = check_segments(elf, &scanned->file.layout);
    return status == RA_OK ? ra_stubs_read(elf->elf, scanned) : status;
}

enum ra_status ra_host_scan_elf(struct ra_scan *scan, struct ra_hunt *hunt)
{
    struct elf_host elf = { .host = { .scan = scan,
                                      .hunt = hunt,
                                      .resolve = resolve,
                                      .search_all = search_all } };
    enum ra_status status = ra_elf_open(&scan->source, &scan->scanned->diags, &elf.elf);

    if (status != RA_OK)
        return status;
    elf.host.file = &elf;
    elf.host.is_64le = ra_elf_is_64le(elf.elf);
    elf.host.linked = ra_elf_type(elf.elf) != RA_ELF_REL;
    status = list_sections(&elf);
    if (status == RA_OK)
        status = ra_host_read(&elf.host);
    if (status == RA_OK)
        status = read_layout(&elf);
    if (status == RA_OK)
        status = read_level(&elf);
    ra_elf_close(elf.elf);
    return status;
}
