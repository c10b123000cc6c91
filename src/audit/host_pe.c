/* host_pe.c - a host file of Windows: sections of a PE image or a COFF object. */
#include "audit/host.h"

#include "pe/pe.h"

/* Linkers cut names to eight bytes: these are what is left of those that ELF has. */
#define FATBIN    ".hip_fat"
#define WRAPPERS  ".hipFatB"
#define REFERENCE ".kpackrf"
#define OFFLOADS  ".llvm.of"

#define EXECUTE 0x20000000 /* of characteristics: IMAGE_SCN_MEM_EXECUTE */

struct pe_host {
    struct ra_host host;
    struct ra_pe *pe;
};

static struct pe_host *of(struct ra_host *host)
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
    return starts(name, ".nv_fatb") || starts(name, ".nvFatBi") ||
           starts(name, "__nv_relf");
}

/* Where code went into an archive, whole pages of it are gone, and what is left moved. */
static bool is_cut(const struct pe_host *pe, const struct ra_pe_section *section)
{
    return pe->host.has_reference && ra_pe_is_image(pe->pe) &&
           section->raw_size < section->virtual_size;
}

/* Clang makes wrappers for hosts of 32 bits, of another layout; no runtime reads these.
 */
static bool has_wrappers(const struct pe_host *pe)
{
    return ra_pe_machine(pe->pe) != RA_PE_I386;
}

static enum ra_status take_section(struct pe_host *pe,
                                   const struct ra_pe_section *section)
{
    struct ra_host *host = &pe->host;
    const char *name = section->name;

    if (starts(name, FATBIN) && is_cut(pe, section))
        host->nobits = section->raw_offset;
    else if (starts(name, FATBIN))
        return ra_host_take(host, &host->fatbins, &section->content, section->address);
    if (starts(name, OFFLOADS))
        return ra_host_take(host, &host->offloads, &section->content, section->address);
    if (ra_host_entry_id(name))
        return ra_host_take_part(host, &section->content, ra_host_entry_id(name));
    if (starts(name, WRAPPERS) && has_wrappers(pe))
        return ra_host_take(host, &host->wrappers, &section->content, section->address);
    host->has_cuda = host->has_cuda || is_cuda(name);
    return RA_OK;
}

static void find_reference(struct pe_host *pe, const struct ra_pe_section *section)
{
    if (!starts(section->name, REFERENCE))
        return;
    pe->host.reference = (struct ra_host_area){ section->content, section->address };
    pe->host.has_reference = true;
}

static enum ra_status list_sections(struct pe_host *pe)
{
    struct ra_pe_section section;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_pe_section_count(pe->pe); i++) {
        status = ra_pe_section(pe->pe, i, &section);
        if (status == RA_OK)
            find_reference(pe, &section);
    }
    for (size_t i = 0; status == RA_OK && i < ra_pe_section_count(pe->pe); i++) {
        status = ra_pe_section(pe->pe, i, &section);
        if (status == RA_OK)
            status = take_section(pe, &section);
    }
    return status;
}

/* ---- what the format knows -------------------------------------------------- */

/* The bytes of an image hold addresses as if it was loaded where it prefers to be. */
static enum ra_status resolve(struct ra_host *host, struct ra_wrapper *list, size_t count)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < count; i++)
        if (list[i].has_address)
            status = ra_pe_offset(of(host)->pe, list[i].address, &list[i].offset,
                                  &list[i].left, &list[i].resolved);
    return status;
}

static bool may_hide_code(const struct ra_pe_section *section)
{
    const char *name = section->name;

    return !(section->characteristics & EXECUTE) && !starts(name, FATBIN) &&
           !starts(name, OFFLOADS) && !starts(name, WRAPPERS) &&
           !starts(name, REFERENCE) && !starts(name, RA_HOST_RDC) &&
           !starts(name, ".debug") && !starts(name, ".reloc");
}

static enum ra_status search_all(struct ra_host *host)
{
    struct ra_pe *pe = of(host)->pe;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_pe_section_count(pe); i++) {
        struct ra_pe_section section;

        status = ra_pe_section(pe, i, &section);
        if (status == RA_OK && may_hide_code(&section))
            status = ra_search(&host->search, &section.content, section.address);
    }
    return status;
}

/* ---- the file --------------------------------------------------------------- */

enum ra_status ra_host_scan_pe(struct ra_scan *scan, struct ra_hunt *hunt)
{
    struct pe_host pe = { .host = { .scan = scan,
                                    .hunt = hunt,
                                    .resolve = resolve,
                                    .search_all = search_all } };
    enum ra_status status = ra_pe_open(&scan->source, &scan->scanned->diags, &pe.pe);

    if (status != RA_OK)
        return status;
    pe.host.file = &pe;
    pe.host.is_64le = true;
    pe.host.linked = ra_pe_is_image(pe.pe);
    status = list_sections(&pe);
    if (status == RA_OK)
        status = ra_host_read(&pe.host);
    ra_pe_close(pe.pe);
    return status;
}
