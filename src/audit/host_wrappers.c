/*
 * host_wrappers.c - what a host file registers with HIP: bundles, and .kpack archives.
 */
#include "audit/host.h"

#include "base/text.h"
#include "bundle/fatbin.h"

#include <inttypes.h>
#include <stdlib.h>

static enum ra_status told(struct ra_host *host, enum ra_diag_code code, uint64_t offset,
                           const char *what)
{
    return ra_fault(&host->scan->scanned->diags, RA_OK, code, ra_at(offset), "%s", what);
}

/* ---- code in .kpack archives ------------------------------------------------ */

static uint64_t wrappers_at(const struct ra_host *host)
{
    return host->wrappers.count ? host->wrappers.list[0].content.base : 0;
}

/* Where the wrapper's reference is: its address is not known before a link. */
static bool find_reference(struct ra_host *host, const struct ra_wrapper *wrapper,
                           struct ra_source *ret)
{
    if (wrapper->resolved)
        return ra_source_sub(&host->scan->source, wrapper->offset, wrapper->left, ret);
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
static enum ra_status read_reference(struct ra_host *host,
                                     const struct ra_wrapper *wrapper)
{
    struct ra_scanned *scanned = host->scan->scanned;
    struct ra_source blob;

    if (!find_reference(host, wrapper, &blob))
        return ra_fault(&scanned->diags, RA_E_FORMAT, RA_DIAG_WRAPPER_LOST,
                        ra_at(wrappers_at(host)),
                        "nothing says in which .kpack archives its code is");
    if (host->referred && blob.base != host->referred_at)
        return ra_fault(&scanned->diags, RA_E_UNSUPPORTED, RA_DIAG_ELF_UNREAD,
                        ra_at(blob.base), "a second reference to .kpack archives");
    if (host->referred)
        return host->reference_status;
    host->referred = true;
    host->referred_at = blob.base;
    host->reference_status =
        ra_kpack_ref_read(&blob, &scanned->arena, &scanned->diags, &scanned->ref);
    return host->reference_status == RA_OK ? keep_reference(host->scan)
                                           : host->reference_status;
}

static enum ra_status take_packed(struct ra_host *host, const struct ra_wrapper *wrapper)
{
    struct ra_scanned *scanned = host->scan->scanned;
    enum ra_status status = read_reference(host, wrapper);
    const char *key = NULL;

    if (status == RA_OK) {
        key = ra_text_format(&scanned->arena, "%s#%u", scanned->file.kpack->name,
                             wrapper->index);
        status = key ? RA_OK : RA_E_NOMEM;
    }
    if (status != RA_OK && !ra_is_damage(status))
        return status;
    return ra_bundles_add_kpack(&host->scan->bundles, key);
}

/* ---- wrappers --------------------------------------------------------------- */

struct wrappers {
    struct ra_wrapper *list; /* by their own address */
    size_t count;
};

static int by_where(const void *left, const void *right)
{
    const struct ra_wrapper *a = left, *b = right;

    return (a->where > b->where) - (a->where < b->where);
}

/* Those of sections, and those that were guessed. */
static enum ra_status list_wrappers(struct ra_host *host, struct wrappers *ret)
{
    struct ra_scanned *scanned = host->scan->scanned;
    size_t count = host->search.wrapper_count;
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < host->wrappers.count; i++)
        count += host->wrappers.list[i].content.size / RA_WRAPPER_SIZE;
    ret->count = 0;
    ret->list = reallocarray(NULL, count + 1, sizeof(*ret->list));
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < host->wrappers.count; i++) {
        const struct ra_host_area *area = &host->wrappers.list[i];
        struct ra_wrapper *list;

        status = ra_wrappers_read(&area->content, area->address, &scanned->arena,
                                  &scanned->diags, &list, &count);
        if (status == RA_OK && count > 0)
            memcpy(ret->list + ret->count, list, count * sizeof(*list));
        ret->count += status == RA_OK ? count : 0;
    }
    if (host->search.wrapper_count > 0)
        memcpy(ret->list + ret->count, host->search.wrappers,
               host->search.wrapper_count * sizeof(*ret->list));
    ret->count += host->search.wrapper_count;
    qsort(ret->list, ret->count, sizeof(*ret->list), by_where);
    return status;
}

/* What only looks like a wrapper leads to no code, and holds no pointer to anything. */
static enum ra_status is_wrapper(struct ra_host *host, const struct ra_wrapper *wrapper,
                                 bool *ret)
{
    uint8_t bytes[RA_BUNDLE_MAGIC_SIZE];
    struct ra_source target;
    struct ra_span head;
    enum ra_status status;

    *ret = !wrapper->guessed || wrapper->relocated;
    if (*ret || !wrapper->resolved)
        return RA_OK;
    if (!ra_source_sub(&host->scan->source, wrapper->offset, wrapper->left, &target))
        return RA_OK;
    status = ra_source_peek(&target, 0, sizeof(bytes), &host->scan->scanned->diags, bytes,
                            &head);
    if (status == RA_OK)
        *ret = wrapper->magic == RA_WRAPPER_HIPF
                   ? ra_fatbin_probe(head)
                   : head.size > 0 && (head.data[0] & 0xf0) == 0x80; /* a msgpack map */
    return status;
}

/* A bundle that HIP would find and we did not: the section moved, or tells a lie. */
static enum ra_status follow(struct ra_host *host, const struct ra_wrapper *wrapper)
{
    struct ra_layout *layout = &host->scan->scanned->file.layout;
    struct ra_bundles *bundles = &host->scan->bundles;
    size_t before = bundles->count;
    struct ra_source source;
    enum ra_status status;

    if (ra_bundles_met(bundles, wrapper->offset))
        return RA_OK;
    if (!ra_source_sub(&host->scan->source, wrapper->offset, wrapper->left, &source)) {
        layout->lost++;
        return told(host, RA_DIAG_WRAPPER_LOST, wrapper->offset,
                    "its wrapper points outside the file");
    }
    status = ra_bundles_scan_one(bundles, &source);
    layout->lost += bundles->count == before || !bundles->list[before].has_table;
    return status;
}

/* In a linked file the address is known, or nobody will know it; and it has bytes. */
static enum ra_status lead_nowhere(struct ra_host *host, const struct ra_wrapper *wrapper)
{
    host->scan->scanned->file.layout.lost++;
    if (!wrapper->has_address)
        return told(host, RA_DIAG_WRAPPER_LOST, wrappers_at(host),
                    "nothing says where a wrapper points to");
    return ra_fault(&host->scan->scanned->diags, RA_OK, RA_DIAG_WRAPPER_LOST,
                    ra_at(wrappers_at(host)),
                    "a wrapper points to 0x%" PRIx64 ", which is in no segment",
                    wrapper->address);
}

/* HIP registers nothing of it; zeros are what pads the section. */
static enum ra_status refuse(struct ra_host *host, const struct ra_wrapper *wrapper)
{
    if (wrapper->magic == 0 && wrapper->version == 0 && !wrapper->has_address)
        return RA_OK;
    host->scan->scanned->file.layout.lost++;
    return ra_fault(&host->scan->scanned->diags, RA_OK, RA_DIAG_WRAPPER_LOST,
                    ra_at(wrappers_at(host)),
                    "a wrapper that HIP does not take: magic 0x%" PRIx32
                    ", version %" PRIu32,
                    wrapper->magic, wrapper->version);
}

static enum ra_status take_wrapper(struct ra_host *host, const struct ra_wrapper *wrapper,
                                   size_t *lost)
{
    bool is_one;
    enum ra_status status;

    if (host->is_64le && !ra_wrapper_is_taken(wrapper))
        return refuse(host, wrapper);
    status = is_wrapper(host, wrapper, &is_one);

    if (status != RA_OK || !is_one)
        return status;
    if (wrapper->magic == RA_WRAPPER_HIPK)
        return take_packed(host, wrapper);
    if (wrapper->magic == RA_WRAPPER_HIPF && wrapper->resolved)
        return follow(host, wrapper);
    if (host->linked && host->is_64le)
        return lead_nowhere(host, wrapper);
    ++*lost;
    return RA_OK;
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_wrapper *const *a = left, *const *b = right;

    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* Bundles in sections of their own that no wrapper leads to; 0 where one is not known. */
static size_t count_unregistered(struct ra_host *host, const struct wrappers *wrappers)
{
    const struct ra_wrapper **list =
        reallocarray(NULL, wrappers->count + 1, sizeof(const struct ra_wrapper *));
    size_t count = 0, met = 0;

    for (size_t i = 0; list && i < wrappers->count; i++) {
        const struct ra_wrapper *wrapper = &wrappers->list[i];

        if (wrapper->magic == RA_WRAPPER_HIPF && !wrapper->resolved && !wrapper->guessed)
            met = host->in_sections; /* it may be for any of them */
        else if (wrapper->magic == RA_WRAPPER_HIPF && wrapper->resolved)
            list[count++] = wrapper;
    }
    if (count > 0)
        qsort(list, count, sizeof(const struct ra_wrapper *), by_offset);
    for (size_t i = 0; i < count; i++)
        met += (i == 0 || list[i]->offset != list[i - 1]->offset) &&
               ra_bundles_met(&host->scan->bundles, list[i]->offset);
    free(list);
    return list && met < host->in_sections ? host->in_sections - met : 0;
}

/*
 * Every wrapper must lead to a bundle. Before a link no address can be had, and the
 * numbers must do: there are no fewer wrappers than bundles, and several wrappers share
 * a bundle only in what was linked as a whole.
 */
enum ra_status ra_host_check_wrappers(struct ra_host *host)
{
    struct wrappers wrappers;
    struct ra_layout *layout = &host->scan->scanned->file.layout;
    size_t lost = 0;
    enum ra_status status = list_wrappers(host, &wrappers);

    /* In an object file that is not linked yet, nothing has an address. */
    if (status == RA_OK && host->linked && wrappers.count > 0)
        status = host->resolve(host, wrappers.list, wrappers.count);
    if (status == RA_OK && host->linked)
        layout->unregistered = count_unregistered(host, &wrappers);
    for (size_t i = 0; status == RA_OK && i < wrappers.count; i++)
        status = take_wrapper(host, &wrappers.list[i], &lost);
    layout->wrappers = wrappers.count;
    if (status == RA_OK && lost > 0 && wrappers.count > host->scan->bundles.count) {
        layout->lost += wrappers.count - host->scan->bundles.count;
        status = told(host, RA_DIAG_WRAPPER_LOST, wrappers_at(host),
                      "more fat binary wrappers than bundles");
    }
    free(wrappers.list);
    return status;
}
