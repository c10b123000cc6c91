#include "audit/beside.h"

#include "audit/packages.h"
#include "site/place.h"

#include <stdlib.h>

/* The folder of its records, or of the same in the archive that they are in. */
static struct ra_span tree_of(const struct ra_site_package *package)
{
    const char *start = package->place;

    for (const char *at = start; (at = strstr(at, "!/"));)
        start = at += 2;
    return ra_place_folder((struct ra_span){ (const uint8_t *)start, strlen(start), 0 });
}

bool ra_package_is_packed(const struct ra_site_package *package)
{
    return strstr(package->place, "!/") != NULL;
}

static int compare_trees(const struct ra_site_package *a, const struct ra_site_package *b)
{
    struct ra_span left = tree_of(a), right = tree_of(b);
    size_t size = left.size < right.size ? left.size : right.size;
    int order = ra_package_is_packed(a) - ra_package_is_packed(b);

    if (order == 0 && size > 0)
        order = memcmp(left.data, right.data, size);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

static int by_name(const void *left, const void *right)
{
    const struct ra_site_package *const *a = left, *const *b = right;
    int order = compare_trees(*a, *b);

    if (order == 0)
        order = strcmp((*a)->normal, (*b)->normal);
    return order != 0 ? order : strcmp((*a)->place, (*b)->place);
}

/* What is beside what, once packages of a tree stand together. */
static void note_company(struct ra_packages *packages)
{
    size_t count = packages->site.package_count, end;

    for (size_t i = 0; i < count; i = end) {
        bool company = false;

        for (end = i; end < count; end++) {
            if (compare_trees(packages->by_name[i], packages->by_name[end]) != 0)
                break;
            company = company || !packages->by_name[end]->device.host[0];
        }
        for (size_t j = i; j < end; j++)
            ra_packages_owned(packages, packages->by_name[j])->in_company = company;
    }
}

static enum ra_status note_name(struct ra_packages *packages,
                                const struct ra_site_package *package)
{
    struct ra_span name = { (const uint8_t *)package->normal, strlen(package->normal),
                            0 };
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(&packages->names, name, &slot);

    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (!slot->value) {
        slot->key = name;
        slot->value = (void *)(uintptr_t)package;
    }
    return RA_OK;
}

enum ra_status ra_beside_index(struct ra_packages *packages, struct ra_arena *arena)
{
    const struct ra_site *site = &packages->site;
    enum ra_status status = RA_OK;

    packages->names = (struct ra_map){ .arena = arena };
    packages->by_name =
        ra_new(arena, const struct ra_site_package *, site->package_count);
    if (!packages->by_name)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < site->package_count; i++) {
        packages->by_name[i] = site->packages[i];
        status = note_name(packages, site->packages[i]);
    }
    if (status != RA_OK)
        return status;
    if (site->package_count > 1)
        qsort(packages->by_name, site->package_count,
              sizeof(const struct ra_site_package *), by_name);
    note_company(packages);
    return RA_OK;
}

bool ra_package_is_known(const struct ra_packages *packages, const char *name)
{
    return ra_map_find(&packages->names,
                       (struct ra_span){ (const uint8_t *)name, strlen(name), 0 });
}

/* How many packages stand before the first that is called `name`, or comes after it. */
static size_t lower_bound(const struct ra_packages *packages,
                          const struct ra_site_package *package, const char *name)
{
    size_t low = 0, high = packages->site.package_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_trees(packages->by_name[middle], package);

        if (order == 0)
            order = strcmp(packages->by_name[middle]->normal, name);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct ra_site_package *at_or_null(const struct ra_packages *packages,
                                                const struct ra_site_package *package,
                                                const char *start, size_t at)
{
    const struct ra_site_package *found =
        at < packages->site.package_count ? packages->by_name[at] : NULL;

    return found && compare_trees(found, package) == 0 &&
                   strncmp(found->normal, start, strlen(start)) == 0
               ? found
               : NULL;
}

const struct ra_site_package *ra_beside_first(const struct ra_packages *packages,
                                              const struct ra_site_package *package,
                                              const char *start, size_t *at)
{
    *at = lower_bound(packages, package, start);
    return at_or_null(packages, package, start, *at);
}

const struct ra_site_package *ra_beside_next(const struct ra_packages *packages,
                                             const struct ra_site_package *package,
                                             const char *start, size_t *at)
{
    ++*at;
    return at_or_null(packages, package, start, *at);
}

const struct ra_site_package *ra_beside(const struct ra_packages *packages,
                                        const struct ra_site_package *package,
                                        const char *name)
{
    size_t at;
    const struct ra_site_package *found = ra_beside_first(packages, package, name, &at);

    return found && strcmp(found->normal, name) == 0 ? found : NULL;
}
