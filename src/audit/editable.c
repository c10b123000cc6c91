#include "audit/editable.h"

#include "audit/beside.h"
#include "audit/packages.h"
#include "audit/records.h"
#include "base/text.h"
#include "site/place.h"

#include <stdlib.h>
#include <sys/stat.h>

#define FOLDERS_MOST 1000 /* that are followed */

/* What was named, and what is followed, by the names the system knows them by. */
struct roots {
    struct ra_arena *arena;
    const char **list; /**< NULL where there is no such folder */
    size_t count;
};

/* The one name of what is at `path`; NULL if there is nothing, or no memory. */
static const char *real_name(struct ra_arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    const char *ret = real ? ra_arena_text(arena, real, strlen(real)) : NULL;

    free(real);
    return ret;
}

static enum ra_status list_roots(const struct ra_run *run, struct ra_arena *arena,
                                 struct roots *ret)
{
    const struct ra_options *options = &run->options;

    *ret = (struct roots){ .arena = arena };
    ret->list = ra_new(arena, const char *, options->path_count + FOLDERS_MOST);
    if (!ret->list)
        return RA_E_NOMEM;
    for (; ret->count < options->path_count; ret->count++)
        ret->list[ret->count] = real_name(arena, options->paths[ret->count]);
    return RA_OK;
}

/* The index of a root that the folder is in, or the count of roots. */
static size_t root_of(const struct roots *roots, const char *folder)
{
    for (size_t i = 0; i < roots->count; i++)
        if (roots->list[i] && ra_place_is_below(folder, roots->list[i]))
            return i;
    return roots->count;
}

static bool holds_root(const struct roots *roots, const char *folder)
{
    for (size_t i = 0; i < roots->count; i++)
        if (roots->list[i] && ra_place_is_below(roots->list[i], folder))
            return true;
    return false;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Where an installed package has its files; NULL if that is told by no record. */
static const char *folder_of(const struct ra_site_package *package)
{
    return package->editable && *package->editable && !ra_package_is_packed(package)
               ? package->editable
               : NULL;
}

/* ---- following -------------------------------------------------------------- */

static enum ra_status read_pointers(struct ra_run *run, struct ra_records *records)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < run->walk.count; i++) {
        enum ra_record record = ra_record_place(run->walk.files[i]->path).record;

        if (record == RA_RECORD_PTH || record == RA_RECORD_EGG_LINK ||
            record == RA_RECORD_DIRECT_URL)
            status = ra_records_add(records, &run->arena, run->walk.files[i]->path);
    }
    return status;
}

/* Whether a folder in none of the roots may be walked as well. */
static bool is_followed(const struct ra_run *run, const struct roots *roots,
                        const char *real)
{
    return run->options.follow_editable && strcmp(real, "/") != 0 && is_folder(real) &&
           !holds_root(roots, real);
}

/* The folder, if it is to be walked, becomes one of the roots. */
static void follow(const struct ra_run *run, struct roots *roots, const char *folder,
                   const char **paths)
{
    const char *real = real_name(roots->arena, folder);

    if (!real || root_of(roots, real) < roots->count || !is_followed(run, roots, real))
        return;
    paths[roots->count] = folder;
    roots->list[roots->count++] = real;
}

static enum ra_status walk_again(struct ra_run *run, const struct ra_site *site)
{
    size_t named = run->options.path_count;
    struct roots roots;
    enum ra_status status = list_roots(run, &run->arena, &roots);
    const char **paths = ra_new(&run->arena, const char *, named + FOLDERS_MOST);
    struct ra_walk walk;

    if (status != RA_OK || !paths)
        return RA_E_NOMEM;
    for (size_t i = 0; i < named; i++)
        paths[i] = run->options.paths[i];
    for (size_t i = 0; i < site->package_count; i++) {
        const char *folder = folder_of(site->packages[i]);

        if (folder && roots.count < named + FOLDERS_MOST)
            follow(run, &roots, folder, paths);
    }
    if (roots.count == named)
        return RA_OK;
    status = ra_walk(paths, roots.count, &walk);
    ra_walk_free(&run->walk);
    run->walk = walk;
    return status;
}

enum ra_status ra_editable_follow(struct ra_run *run)
{
    struct ra_records records = { 0 };
    struct ra_site site = { 0 };
    enum ra_status status = read_pointers(run, &records);

    if (status == RA_OK && records.count > 0)
        status = ra_site_read(records.list, records.count, &run->arena, NULL, &site);
    if (status == RA_OK && records.count > 0)
        status = walk_again(run, &site);
    ra_records_free(&records);
    return status;
}

/* ---- whose the files are ---------------------------------------------------- */

static enum ra_status put(struct ra_map *map, const char *folder,
                          const struct ra_site_package *package)
{
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(map, ra_span_of(folder), &slot);

    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (!slot->value) {
        slot->key = ra_span_of(folder);
        slot->value = (void *)(uintptr_t)package;
    }
    return RA_OK;
}

/* By the record's name of the folder, and by that of a walk from the root it is in. */
static enum ra_status put_both(struct ra_run *run, const struct roots *roots,
                               const struct ra_site_package *package, const char *real,
                               size_t root)
{
    struct ra_arena *arena = &run->arena;
    struct ra_map *map = &run->packages.editable;
    const char *folder = ra_text_format(arena, "%s/", package->editable);
    struct ra_text text = { 0 };
    enum ra_status status = folder ? put(map, folder, package) : RA_E_NOMEM;

    if (status != RA_OK || root >= run->options.path_count)
        return status;
    (void)!ra_place_join(&text, ra_span_of(""), ra_span_of(run->options.paths[root]),
                         false);
    real += strlen(roots->list[root]);
    ra_text_printf(&text, "%s/", real + (text.size == 0 && *real == '/'));
    folder = ra_text_keep(&text, arena);
    ra_text_free(&text);
    return folder ? put(map, folder, package) : RA_E_NOMEM;
}

static enum ra_status index_package(struct ra_run *run, const struct roots *roots,
                                    const struct ra_site_package *package)
{
    const char *folder = folder_of(package), *real;
    size_t root;

    ra_packages_owned(&run->packages, package)->is_elsewhere = true;
    real = folder ? real_name(roots->arena, folder) : NULL;
    if (!real)
        return RA_OK;
    root = root_of(roots, real);
    if (root == roots->count && !is_followed(run, roots, real))
        return RA_OK;
    ra_packages_owned(&run->packages, package)->is_elsewhere = false;
    return put_both(run, roots, package, real, root);
}

enum ra_status ra_editable_index(struct ra_run *run)
{
    const struct ra_site *site = &run->packages.site;
    struct ra_arena arena = { 0 };
    struct roots roots;
    enum ra_status status = list_roots(run, &arena, &roots);

    run->packages.editable = (struct ra_map){ .arena = &run->arena };
    for (size_t i = 0; status == RA_OK && i < site->package_count; i++)
        if (site->packages[i]->editable && !ra_package_is_packed(site->packages[i]))
            status = index_package(run, &roots, site->packages[i]);
    ra_arena_free(&arena);
    return status;
}

const struct ra_site_package *ra_editable_owner(const struct ra_packages *packages,
                                                const char *place)
{
    struct ra_span folder = ra_span_of(place);
    const struct ra_site_package *owner = NULL;

    while (packages->editable.count > 0 && !owner && folder.size > 0) {
        folder = ra_place_folder(folder);
        owner = ra_map_find(&packages->editable, folder);
        folder.size -= folder.size > 0;
    }
    return owner;
}
