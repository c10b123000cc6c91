/*
 * host.c - a host file: the sections and wrappers that lead to its device code.
 *
 * Sections are read first, as they say where most of it is. What the runtime goes by are
 * wrappers, so each of them must lead to a bundle, wherever that is. Last comes code that
 * neither tells of, which programs store among their data.
 */
#include "audit/host.h"

#include "base/text.h"
#include "bundle/fatbin.h"
#include "site/names.h"

#include <stdlib.h>

#define BLOB_ALIGN 8
#define RUNTIME    "libhsa-runtime64"

/* ---- sections --------------------------------------------------------------- */

/* Sections that share bytes could make a small file endless work. */
static enum ra_status take_bytes(struct ra_host *host, const struct ra_source *content)
{
    if (content->size > host->scan->source.size - host->taken)
        return ra_fault(&host->scan->scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(content, 0),
                        "sections of device code are larger than the file");
    host->taken += content->size;
    return RA_OK;
}

static enum ra_status too_many(struct ra_host *host, const struct ra_source *content)
{
    return ra_fault(&host->scan->scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                    ra_source_place(content, 0), "more than %d sections of device code",
                    RA_HOST_AREAS);
}

/* Room for one more in a list of `count`, which grows with what is there: most files have
 * one. Full is a list of 0, 1, 2, 4 ... */
static void *make_room(struct ra_host *host, void *list, size_t count, size_t size)
{
    void *larger;

    if (count & (count - 1))
        return list;
    larger = ra_arena_alloc(&host->scan->scanned->arena, count ? 2 * count : 1, size);
    if (larger && count)
        memcpy(larger, list, count * size);
    return larger;
}

enum ra_status ra_host_take(struct ra_host *host, struct ra_host_areas *areas,
                            const struct ra_source *content, uint64_t address)
{
    enum ra_status status = take_bytes(host, content);
    struct ra_host_area *list;

    if (status != RA_OK)
        return status;
    if (areas->count == RA_HOST_AREAS)
        return too_many(host, content);
    list = make_room(host, areas->list, areas->count, sizeof(*list));
    if (!list)
        return RA_E_NOMEM;
    areas->list = list;
    areas->list[areas->count++] = (struct ra_host_area){ *content, address };
    return RA_OK;
}

/* SYCL names sections after IDs for Intel GPUs. */
const char *ra_host_entry_id(const char *section)
{
    const char *id = section + strlen(RA_HOST_RDC);

    if (strncmp(section, RA_HOST_RDC, strlen(RA_HOST_RDC)) != 0)
        return NULL;
    return strstr(id, "amdgcn") || strstr(id, "-amd-") ? id : NULL;
}

enum ra_status ra_host_take_part(struct ra_host *host, const struct ra_source *content,
                                 const char *id)
{
    enum ra_status status = take_bytes(host, content);
    struct ra_part *parts;
    const char *text;

    if (status != RA_OK)
        return status;
    if (host->part_count == RA_HOST_AREAS)
        return too_many(host, content);
    parts = make_room(host, host->parts, host->part_count, sizeof(*parts));
    text = ra_arena_text(&host->scan->scanned->arena, id, strlen(id));
    if (!parts || !text)
        return RA_E_NOMEM;
    host->parts = parts;
    host->parts[host->part_count++] = (struct ra_part){
        .offset = content->base - host->scan->source.base,
        .size = content->size,
        .id = { (const uint8_t *)text, strlen(text), 0 },
    };
    return RA_OK;
}

/* Whether what was guessed on the way is all that the sections hold. */
static bool is_right(struct ra_host *host)
{
    for (size_t i = 0; i < host->fatbins.count; i++) {
        const struct ra_source *content = &host->fatbins.list[i].content;

        if (!ra_hunt_claim(host->hunt, content->base, content->size))
            return false;
    }
    return ra_hunt_holds(host->hunt);
}

static enum ra_status scan_sections(struct ra_host *host)
{
    struct ra_bundles *bundles = &host->scan->bundles;
    enum ra_status status = RA_OK;

    if (host->hunt && is_right(host))
        status = ra_hunt_join(host->hunt, bundles);
    else
        for (size_t i = 0; status == RA_OK && i < host->fatbins.count; i++)
            status = ra_bundles_scan(bundles, &host->fatbins.list[i].content);
    host->in_sections = bundles->count;
    for (size_t i = 0; status == RA_OK && i < host->offloads.count; i++)
        status = ra_bundles_scan_offload(bundles, &host->offloads.list[i].content);
    if (status == RA_OK && host->part_count > 0)
        status = ra_bundles_scan_parts(bundles, &host->scan->source, "rdc", host->parts,
                                       host->part_count);
    return status;
}

/* ---- code among data -------------------------------------------------------- */

static enum ra_status take_find(struct ra_host *host, const struct ra_find *find)
{
    struct ra_source source = ra_source_from(&host->scan->source, find->offset);

    if (find->size > 0 && find->size < source.size)
        source.size = find->size;
    return ra_bundles_scan_one(&host->scan->bundles, &source);
}

/* Blobs that follow each other have the images for one target each. */
static enum ra_status take_blobs(struct ra_host *host, size_t *at)
{
    const struct ra_search *search = &host->search;
    uint64_t start = search->finds[*at].offset, end = start;
    struct ra_source source;

    for (; *at < search->count; ++*at) {
        const struct ra_find *find = &search->finds[*at];

        if (find->magic != RA_MAGIC_OFFLOAD || find->offset - end >= BLOB_ALIGN)
            break;
        end = find->offset + find->size;
    }
    --*at; /* on the last of them */
    if (!ra_source_sub(&host->scan->source, start, end - start, &source))
        return RA_OK;
    return ra_bundles_scan_offload(&host->scan->bundles, &source);
}

/* Code objects are a set: which of them is used is the affair of the program. */
static enum ra_status take_finds(struct ra_host *host)
{
    struct ra_bundles *bundles = &host->scan->bundles;
    const struct ra_search *search = &host->search;
    struct ra_part *parts = reallocarray(NULL, search->count + 1, sizeof(*parts));
    size_t count = 0;
    enum ra_status status = parts ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < search->count; i++) {
        const struct ra_find *find = &search->finds[i];

        if (find->magic == RA_MAGIC_ELF)
            parts[count++] =
                (struct ra_part){ .offset = find->offset, .size = find->size };
        else if (find->magic == RA_MAGIC_OFFLOAD)
            status = take_blobs(host, &i);
        else if (!ra_bundles_met(bundles, find->offset))
            status = take_find(host, find);
    }
    if (status == RA_OK && count > 0)
        status =
            ra_bundles_scan_parts(bundles, &host->scan->source, "embedded", parts, count);
    free(parts);
    return status;
}

/* ---- the file --------------------------------------------------------------- */

/* auditwheel puts a digest into names, as in libhsa-runtime64-b8cdfe93.so.1. */
static bool is_runtime(const char *path)
{
    const char *name = ra_text_base(path);
    size_t digest;

    if (!ra_library_digest(name, &digest))
        return strncmp(name, RUNTIME ".so", strlen(RUNTIME ".so")) == 0;
    return digest == strlen(RUNTIME) && strncmp(name, RUNTIME, strlen(RUNTIME)) == 0;
}

/* The runtime has code of its own, for every GPU it knows, which nobody else uses. */
static enum ra_status search(struct ra_host *host)
{
    host->search.file = &host->scan->source;
    host->search.diags = &host->scan->scanned->diags;
    if (host->hunt && ra_hunt_holds(host->hunt))
        host->search.known = &host->hunt->search;
    return is_runtime(host->scan->subject->place) ? RA_OK : host->search_all(host);
}

enum ra_status ra_host_read(struct ra_host *host)
{
    struct ra_scan *scan = host->scan;
    enum ra_status status = scan_sections(host);

    if (status == RA_OK)
        status = search(host);
    if (status == RA_OK)
        status = ra_host_check_wrappers(host);
    if (status == RA_OK)
        status = take_finds(host);
    if (status == RA_OK && host->nobits && !host->referred)
        status = ra_fault(&scan->scanned->diags, RA_OK, RA_DIAG_ELF_NOBITS,
                          ra_at(host->nobits),
                          "the device code must be elsewhere, if there is any");
    if (scan->bundles.count == 0 && host->has_cuda)
        scan->scanned->file.kind = RA_KIND_CUDA;
    else if (scan->bundles.count == 0 && is_runtime(scan->subject->place))
        scan->scanned->file.kind = RA_KIND_RUNTIME;
    ra_search_free(&host->search);
    return status;
}

static enum ra_status scan_format(struct ra_scan *scan, struct ra_hunt *hunt)
{
    return scan->scanned->file.kind == RA_KIND_WINDOWS ? ra_host_scan_pe(scan, hunt)
                                                       : ra_host_scan_elf(scan, hunt);
}

enum ra_status ra_host_scan(struct ra_scan *scan)
{
    struct ra_hunt hunt;
    enum ra_status status;

    if (!ra_source_is_forward(&scan->source))
        return scan_format(scan, NULL);
    status = ra_hunt(scan->context, &scan->source, &hunt);
    if (status == RA_OK)
        status = scan_format(scan, &hunt);
    ra_hunt_free(&hunt);
    return status;
}
