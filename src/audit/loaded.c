/* loaded.c - of several variants of a library, the one that its package loads. */
#include "audit/packages.h"

#include "audit/judge.h"
#include "base/text.h"
#include "site/variants.h"

#include <stdlib.h>

/* Results that are variants; those of a package are together, in walking order. */
struct variants {
    struct variant {
        struct ra_result *result;
        size_t order;
    } *list;
    const char **files;
    size_t count;
};

static int by_owner(const void *left, const void *right)
{
    const struct variant *a = left, *b = right;
    const struct ra_site_package *first = a->result->owner, *second = b->result->owner;

    if (first != second)
        return first > second ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool is_variant(const struct ra_result *result)
{
    return result->owner && ra_variant_has(result->owner->normal) &&
           ra_variant_is(result->owner->normal, result->scanned.file.raw_path, NULL);
}

static enum ra_status list_variants(struct ra_run *run, struct variants *ret)
{
    size_t slot, room = 0;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        room += is_variant(result);
    ret->list = ra_new(&run->arena, struct variant, room);
    ret->files = ra_new(&run->arena, const char *, room);
    if (!ret->list || !ret->files)
        return RA_E_NOMEM;
    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (is_variant(result)) {
            ret->list[ret->count] = (struct variant){ result, ret->count };
            ret->count++;
        }
    if (ret->count > 1)
        qsort(ret->list, ret->count, sizeof(*ret->list), by_owner);
    for (size_t i = 0; i < ret->count; i++)
        ret->files[i] = ret->list[i].result->scanned.file.raw_path;
    return RA_OK;
}

/* The one that is loaded decides for the package. */
static enum ra_status take(struct ra_run *run, struct ra_owned *owned,
                           const struct variant *list, size_t count, size_t chosen)
{
    const char *name = ra_text_base(list[chosen].result->scanned.file.path);
    char release[RA_ROCM_TEXT];

    ra_rocm_name(run->machine.rocm.release, release);
    owned->package->note =
        ra_text_format(&run->arena, "%s is the one it loads with %s", name, release);
    for (size_t i = 0; i < count; i++) {
        if (i == chosen)
            continue;
        list[i].result->alternative_to =
            ra_text_format(&run->arena, "%s is loaded in its place", name);
        if (!list[i].result->alternative_to)
            return RA_E_NOMEM;
    }
    return owned->package->note ? RA_OK : RA_E_NOMEM;
}

/* What none of them holds matters then: the package ends before it comes to that. */
static enum ra_status take_none(struct ra_run *run, struct ra_owned *owned,
                                const struct variant *list, size_t count)
{
    char release[RA_ROCM_TEXT];
    const char *why;

    ra_rocm_name(run->machine.rocm.release, release);
    why = ra_text_format(&run->arena, "the package does not load it with %s", release);
    if (!why)
        return RA_E_NOMEM;
    owned->unloaded = count;
    for (size_t i = 0; i < count; i++) {
        list[i].result->alternative_to = why;
        list[i].result->unloaded = true;
    }
    return RA_OK;
}

static enum ra_status pick(struct ra_run *run, const struct variants *variants,
                           size_t first, size_t count)
{
    const struct ra_site_package *of = variants->list[first].result->owner;
    struct ra_owned *owned = ra_packages_owned(&run->packages, of);
    unsigned release = run->machine.rocm.release;
    size_t chosen;

    if (release == RA_ROCM_NEWEST)
        release = RA_VARIANT_NEWEST;
    if (!ra_variant_pick(of->normal, variants->files + first, count, release, &chosen))
        return take_none(run, owned, variants->list + first, count);
    return count > 1 ? take(run, owned, variants->list + first, count, chosen) : RA_OK;
}

enum ra_status ra_packages_pick(struct ra_run *run)
{
    struct variants variants = { 0 };
    enum ra_status status = list_variants(run, &variants);
    size_t end;

    for (size_t i = 0; status == RA_OK && i < variants.count; i = end) {
        for (end = i + 1; end < variants.count; end++)
            if (variants.list[end].result->owner != variants.list[i].result->owner)
                break;
        status = pick(run, &variants, i, end - i);
    }
    return status;
}
