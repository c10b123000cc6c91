#include "audit/shelf.h"

#include <stdlib.h>
#include <sys/stat.h>

#define IN_ARCHIVE "!/" /* what separates an archive from the place of a member */

/* What a file is known by. */
struct inode {
    dev_t device;
    ino_t number;
};

/* ---- places ----------------------------------------------------------------- */

const char *ra_shelf_place_in(const char *place)
{
    const char *last = NULL;

    for (const char *at = place; (at = strstr(at, IN_ARCHIVE)); at++)
        last = at + strlen(IN_ARCHIVE);
    return last;
}

/* "2.9.0" of dist/torch-2.9.0-py3-none-any.whl!/torch/x.so; empty: no wheel's name. */
static struct ra_span version_of(const char *place)
{
    const char *in = ra_shelf_place_in(place), *name = place, *dash;
    struct ra_span none = { 0 };
    size_t size = in ? (size_t)(in - place) - strlen(IN_ARCHIVE) : 0;

    if (size < 4 || memcmp(place + size - 4, ".whl", 4) != 0)
        return none;
    for (const char *at = place; at < place + size; at++)
        if (*at == '/')
            name = at + 1;
    dash = memchr(name, '-', size - (size_t)(name - place));
    return dash ? (struct ra_span){ (const uint8_t *)dash + 1, strcspn(dash + 1, "-"), 0 }
                : none;
}

static bool same_span(struct ra_span a, struct ra_span b)
{
    return a.size == b.size && a.size > 0 && memcmp(a.data, b.data, a.size) == 0;
}

/* What could not be opened may be one. */
static bool is_archive(const struct ra_scanned *scanned)
{
    return scanned->file.kind == RA_KIND_KPACK ||
           scanned->file.kind == RA_KIND_UNREADABLE;
}

/* ---- the shelf -------------------------------------------------------------- */

/* Behind those that are known by the same key; what cannot be listed is not found. */
static enum ra_status list(struct ra_map *map, struct ra_span key,
                           struct ra_shelved *shelved)
{
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(map, key, &slot);

    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (slot->value) {
        struct ra_shelved *first = slot->value;

        first->tail->next = shelved;
        first->tail = shelved;
        return RA_OK;
    }
    slot->key = key;
    slot->value = shelved->tail = shelved;
    return RA_OK;
}

static enum ra_status list_inode(struct ra_shelf *shelf, const struct stat *info,
                                 struct ra_shelved *shelved)
{
    struct inode *inode = ra_new(&shelf->run->arena, struct inode, 1);

    if (!inode)
        return RA_E_NOMEM;
    inode->device = info->st_dev;
    inode->number = info->st_ino;
    return list(&shelf->inodes, (struct ra_span){ (uint8_t *)inode, sizeof(*inode), 0 },
                shelved);
}

static enum ra_status shelve(struct ra_shelf *shelf, const struct ra_scanned *scanned,
                             struct ra_shelved **ret)
{
    struct ra_shelved *shelved = ra_new(&shelf->run->arena, struct ra_shelved, 1);
    const char *place =
        scanned->file.is_member ? ra_shelf_place_in(scanned->place) : NULL;
    struct stat info;

    *ret = shelved;
    if (!shelved)
        return RA_E_NOMEM;
    shelved->scanned = scanned;
    shelved->all = shelf->last;
    shelf->last = shelved;
    if (place)
        return list(&shelf->places,
                    (struct ra_span){ (const uint8_t *)place, strlen(place), 0 },
                    shelved);
    /* What is nothing to tell of has no path. */
    if (scanned->file.is_member || !scanned->file.raw_path ||
        stat(scanned->file.raw_path, &info) != 0)
        return RA_OK;
    return list_inode(shelf, &info, shelved);
}

enum ra_status ra_shelf_fill(struct ra_run *run, struct ra_shelf *ret)
{
    struct ra_shelved *shelved;
    enum ra_status status = RA_OK;
    size_t slot;

    *ret = (struct ra_shelf){ .run = run };
    ret->inodes.arena = ret->places.arena = &run->arena;
    for (const struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result))
        if (is_archive(&result->scanned))
            status = shelve(ret, &result->scanned, &shelved);
    return status;
}

void ra_shelf_free(struct ra_shelf *shelf)
{
    for (struct ra_shelved *at = shelf->last; at; at = at->all)
        ra_kpack_index_free(&at->index);
}

/* ---- looking one up --------------------------------------------------------- */

/* One that is beside an audited file, but was not itself named. */
static enum ra_status scan_beside(struct ra_shelf *shelf, const char *path,
                                  struct ra_shelved **ret)
{
    struct ra_walk_file from = { .path = path, .name = path };
    struct ra_result *result = calloc(1, sizeof(*result));

    if (!result)
        return RA_E_NOMEM;
    result->next = shelf->run->extra;
    shelf->run->extra = result;
    ra_scan_file(&shelf->run->context, &from, &result->scanned);
    result->scanned.is_extra = true;
    return result->scanned.status == RA_OK ? shelve(shelf, &result->scanned, ret)
                                           : RA_E_NOMEM;
}

enum ra_status ra_shelf_file(struct ra_shelf *shelf, const char *path,
                             struct ra_shelved **ret)
{
    enum ra_status status = RA_OK;
    struct inode inode;
    struct stat info;

    *ret = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return RA_OK;
    memset(&inode, 0, sizeof(inode));
    inode.device = info.st_dev;
    inode.number = info.st_ino;
    *ret = ra_map_find(&shelf->inodes,
                       (struct ra_span){ (uint8_t *)&inode, sizeof(inode), 0 });
    if (!*ret)
        status = scan_beside(shelf, path, ret);
    if (*ret && !is_archive((*ret)->scanned))
        *ret = NULL;
    return status;
}

struct ra_shelved *ra_shelf_member(const struct ra_shelf *shelf,
                                   const struct ra_scanned *host, struct ra_span place)
{
    const char *own = ra_shelf_place_in(host->place);
    struct ra_span version = version_of(host->place);
    struct ra_shelved *found = ra_map_find(&shelf->places, place), *alike = NULL;

    for (struct ra_shelved *at = found; own && at; at = at->next) {
        const char *other = at->scanned->place;

        if (strncmp(other, host->place, (size_t)(own - host->place)) == 0)
            return at;
        if (!alike && same_span(version_of(other), version))
            alike = at;
    }
    return alike ? alike : found;
}
