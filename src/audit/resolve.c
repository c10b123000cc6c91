/*
 * resolve.c - host files and the .kpack archives that hold their code.
 *
 * A host file says where archives are, relative to the folder of the path it was loaded
 * by, with @GFXARCH@ in the place of a target. What the loader would try for any target
 * is tried here; what is found among the audited files, or on disk beside them, puts its
 * entries into the bundles of the host file.
 *
 * Members of archives are files of one tree: wheels that are named together end up in
 * one folder.
 *
 * Spec: ROCm rocm-systems, shared/kpack/runtime/src/loader.cpp.
 */
#include "audit/run.h"

#include "audit/merge.h"
#include "base/array.h"
#include "base/text.h"
#include "gfx/target.h"
#include "site/place.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACEHOLDER "@GFXARCH@"
#define IN_ARCHIVE  "!/" /* what separates an archive from the place of a member */

/* An archive that was scanned. Of a member, the place in its archive; else the inode. */
struct shelved {
    const char *place;
    dev_t device;
    ino_t inode;
    const struct ra_scanned *scanned;
};

struct shelf {
    struct ra_run *run;
    struct shelved *list;
    size_t count, room;
    const char **targets; /* all that can stand for @GFXARCH@ */
    size_t target_count;
    const char *const *prefixes; /* patterns that come first, or that replace others */
    size_t prefix_count;
    bool replaces, disabled;
};

/* ---- targets ---------------------------------------------------------------- */

static enum ra_status add_target(struct shelf *shelf, size_t *room, const char *name,
                                 const char *features)
{
    if (shelf->target_count == *room) {
        const char **targets = ra_array_grow(shelf->targets, room, sizeof(*targets));

        if (!targets)
            return RA_E_NOMEM;
        shelf->targets = targets;
    }
    shelf->targets[shelf->target_count] =
        ra_text_format(&shelf->run->arena, "%s%s", name, features);
    return shelf->targets[shelf->target_count++] ? RA_OK : RA_E_NOMEM;
}

/* Every processor in every mode it has, the most specific first. */
static enum ra_status list_targets(struct shelf *shelf)
{
    static const char *const modes[][3] = { { ":sramecc+", ":sramecc-", "" },
                                            { ":xnack+", ":xnack-", "" } };
    size_t count, room = 0;
    const struct ra_processor *processors = ra_processors(&count);
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < count; i++)
        for (size_t a = processors[i].sramecc ? 0 : 2; a < 3; a++)
            for (size_t b = processors[i].xnack ? 0 : 2; status == RA_OK && b < 3; b++) {
                char features[32] = "";

                strncat(features, modes[0][a], sizeof(features) - 1);
                strncat(features, modes[1][b], sizeof(features) - strlen(features) - 1);
                status = add_target(shelf, &room, processors[i].name, features);
            }
    return status;
}

/* ---- archives that were scanned --------------------------------------------- */

/* The place of a member in its archive, or NULL. */
static const char *place_in(const char *place)
{
    const char *last = NULL;

    for (const char *at = place; (at = strstr(at, IN_ARCHIVE)); at++)
        last = at + strlen(IN_ARCHIVE);
    return last;
}

static enum ra_status shelve(struct shelf *shelf, const struct ra_scanned *scanned)
{
    struct shelved item = { .scanned = scanned };
    struct stat info;

    if (scanned->file.is_member)
        item.place = place_in(scanned->place);
    else if (stat(scanned->file.raw_path, &info) == 0)
        item = (struct shelved){ NULL, info.st_dev, info.st_ino, scanned };
    if (shelf->count == shelf->room) {
        struct shelved *list = ra_array_grow(shelf->list, &shelf->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        shelf->list = list;
    }
    shelf->list[shelf->count++] = item;
    return RA_OK;
}

static enum ra_status shelve_all(struct shelf *shelf)
{
    enum ra_status status = RA_OK;
    size_t slot;

    for (const struct ra_result *result = ra_result_first(shelf->run, &slot);
         status == RA_OK && result; result = ra_result_next(shelf->run, &slot, result))
        if (result->scanned.file.kind == RA_KIND_KPACK)
            status = shelve(shelf, &result->scanned);
    return status;
}

/* One that is beside an audited file, but was not itself named. */
static enum ra_status scan_beside(struct shelf *shelf, const char *path,
                                  const struct ra_scanned **ret)
{
    struct ra_walk_file from = { .path = path, .name = path };
    struct ra_result *result = calloc(1, sizeof(*result));

    if (!result)
        return RA_E_NOMEM;
    result->next = shelf->run->extra;
    shelf->run->extra = result;
    ra_scan_file(&shelf->run->context, &from, &result->scanned);
    result->scanned.is_extra = true;
    *ret = &result->scanned;
    return result->scanned.status == RA_OK ? shelve(shelf, *ret) : RA_E_NOMEM;
}

static enum ra_status find_on_disk(struct shelf *shelf, const char *path,
                                   const struct ra_scanned **ret)
{
    struct stat info;

    *ret = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return RA_OK;
    for (size_t i = 0; i < shelf->count; i++)
        if (!shelf->list[i].place && shelf->list[i].inode == info.st_ino &&
            shelf->list[i].device == info.st_dev) {
            *ret = shelf->list[i].scanned;
            return RA_OK;
        }
    return scan_beside(shelf, path, ret);
}

/* Of several archives with such a member, that of the host file itself comes first. */
static const struct ra_scanned *
find_member(const struct shelf *shelf, const struct ra_scanned *host, const char *place)
{
    const char *own = place_in(host->place);
    const struct ra_scanned *found = NULL;

    for (size_t i = 0; i < shelf->count; i++) {
        const struct ra_scanned *scanned = shelf->list[i].scanned;

        if (!shelf->list[i].place || strcmp(shelf->list[i].place, place) != 0)
            continue;
        if (own && strncmp(scanned->place, host->place, (size_t)(own - host->place)) == 0)
            return scanned;
        if (!found)
            found = scanned;
    }
    return found;
}

/* ---- one host file ---------------------------------------------------------- */

/* `pattern` with a target in every placeholder. */
static bool expand(struct ra_text *text, const char *pattern, const char *target)
{
    bool expanded = false;

    for (const char *at = pattern, *next; *at; at = next) {
        next = strstr(at, PLACEHOLDER);
        ra_text_add(text, at, next ? (size_t)(next - at) : strlen(at));
        if (!next)
            break;
        ra_text_str(text, target);
        expanded = true;
        next += strlen(PLACEHOLDER);
    }
    return expanded;
}

/* The archive of that name, seen from `from`, a path that the host file has. */
static enum ra_status find(struct shelf *shelf, const struct ra_scanned *host,
                           const char *from, const char *name,
                           const struct ra_scanned **ret)
{
    struct ra_span path = { (const uint8_t *)name, strlen(name), 0 };
    struct ra_span span = { (const uint8_t *)from, strlen(from), 0 };
    struct ra_span folder = ra_place_folder(span);
    struct ra_text text = { 0 };
    enum ra_status status = RA_OK;

    *ret = NULL;
    if (host->file.is_member) {
        const char *in = place_in(host->place);
        struct ra_span place = { (const uint8_t *)in, strlen(in), 0 };

        if (ra_place_join(&text, ra_place_folder(place), path, false) && !text.failed)
            *ret = find_member(shelf, host, text.data);
    } else {
        if (*name != '/')
            ra_text_add(&text, (const char *)folder.data, folder.size);
        ra_text_str(&text, name);
        if (!text.failed)
            status = find_on_disk(shelf, text.data, ret);
    }
    if (text.failed)
        status = RA_E_NOMEM;
    ra_text_free(&text);
    return status;
}

static enum ra_status try_target(struct shelf *shelf, const struct ra_scanned *host,
                                 const char *from, const char *pattern,
                                 const char *target, struct ra_merge *ret, bool *expanded)
{
    const struct ra_scanned *found = NULL;
    struct ra_text name = { 0 };
    enum ra_status status = RA_OK;

    *expanded = expand(&name, pattern, target);
    if (name.failed)
        status = RA_E_NOMEM;
    else if (name.size > 0)
        status = find(shelf, host, from, name.data, &found);
    ra_text_free(&name);
    if (status == RA_OK && found)
        status = ra_merge_add(ret, found, *expanded ? target : "");
    return status;
}

static enum ra_status try_pattern(struct shelf *shelf, const struct ra_scanned *host,
                                  const char *from, const char *pattern,
                                  struct ra_merge *ret)
{
    enum ra_status status = RA_OK;
    bool expanded = true;

    for (size_t i = 0; status == RA_OK && expanded && i < shelf->target_count; i++)
        status =
            try_target(shelf, host, from, pattern, shelf->targets[i], ret, &expanded);
    return status;
}

/* All archives that the loader could open for a host file loaded by the path `from`. */
static enum ra_status look_from(struct shelf *shelf, const struct ra_scanned *host,
                                const char *from, struct ra_merge *ret)
{
    enum ra_status status = RA_OK;
    bool here = !host->file.is_member;

    if (here && shelf->disabled)
        return RA_OK;
    for (size_t i = 0; here && status == RA_OK && i < shelf->prefix_count; i++)
        status = try_pattern(shelf, host, from, shelf->prefixes[i], ret);
    for (size_t i = 0;
         !(here && shelf->replaces) && status == RA_OK && i < host->ref.path_count; i++)
        status = try_pattern(shelf, host, from, host->ref.paths[i], ret);
    return status;
}

/* ---- its paths -------------------------------------------------------------- */

static const char *escaped(struct ra_arena *arena, const char *path)
{
    struct ra_span span = { (const uint8_t *)path, strlen(path), 0 };

    return ra_text_escape(arena, span);
}

struct view {
    const char *path;
    struct ra_merge merge;
};

/* What is found by the path with the most archives counts; other paths are told of. */
static enum ra_status settle_views(struct ra_scanned *host, struct view *views,
                                   size_t count)
{
    struct ra_kpack *kpack = (struct ra_kpack *)(uintptr_t)host->file.kpack;
    const char **lost = ra_new(&host->arena, const char *, count);
    size_t best = 0;

    if (!lost)
        return RA_E_NOMEM;
    for (size_t i = 1; i < count; i++)
        if (views[i].merge.count > views[best].merge.count)
            best = i;
    kpack->lost_paths = lost;
    for (size_t i = 0; i < count; i++) {
        if (views[i].merge.count >= views[best].merge.count)
            continue;
        lost[kpack->lost_count] = escaped(&host->arena, views[i].path);
        if (!lost[kpack->lost_count++])
            return RA_E_NOMEM;
    }
    return ra_merge_into(&views[best].merge, host);
}

static enum ra_status resolve_host(struct shelf *shelf, struct ra_scanned *host,
                                   const struct ra_walk_file *from)
{
    struct ra_kpack *kpack = (struct ra_kpack *)(uintptr_t)host->file.kpack;
    size_t count = 1, at = 0;
    struct view *views = calloc(from->link_count + 1, sizeof(*views));
    enum ra_status status = views ? RA_OK : RA_E_NOMEM;

    if (!views)
        return status;
    kpack->moved = shelf->replaces && !host->file.is_member;
    kpack->disabled = shelf->disabled && !host->file.is_member;
    views[0].path = host->file.raw_path;
    for (const struct ra_walk_link *link = from->links; link; link = link->next)
        if (!host->file.is_member)
            views[count++].path = link->path;
    for (; status == RA_OK && at < count; at++)
        status = look_from(shelf, host, views[at].path, &views[at].merge);
    if (status == RA_OK)
        status = settle_views(host, views, count);
    for (size_t i = 0; i < at; i++)
        ra_merge_free(&views[i].merge);
    free(views);
    return status;
}

/* ---- the environment -------------------------------------------------------- */

static const char *variable(const struct ra_run *run, const char *name)
{
    size_t size = strlen(name);

    for (const char *const *at = run->options.environment; at && *at; at++)
        if (strncmp(*at, name, size) == 0 && (*at)[size] == '=')
            return (*at)[size + 1] ? *at + size + 1 : NULL;
    return NULL;
}

/* Paths apart at ':'. */
static enum ra_status split(struct shelf *shelf, const char *text)
{
    struct ra_arena *arena = &shelf->run->arena;
    size_t room = 1;
    const char **list;

    for (const char *at = text; *at; at++)
        room += *at == ':';
    list = ra_new(arena, const char *, room);
    if (!list)
        return RA_E_NOMEM;
    shelf->prefixes = list;
    for (const char *at = text; *at; at += *at == ':') {
        size_t size = strcspn(at, ":");

        if (size > 0 && !(list[shelf->prefix_count++] = ra_arena_text(arena, at, size)))
            return RA_E_NOMEM;
        at += size;
    }
    return RA_OK;
}

/* A gate answers for other machines: what is set here is of no matter there. */
static enum ra_status heed_environment(struct shelf *shelf)
{
    const char *path = variable(shelf->run, "ROCM_KPACK_PATH");
    const char *prefix = variable(shelf->run, "ROCM_KPACK_PATH_PREFIX");

    if (shelf->run->machine.gate)
        return RA_OK;
    shelf->disabled = variable(shelf->run, "ROCM_KPACK_DISABLE") != NULL;
    shelf->replaces = path != NULL;
    return path || prefix ? split(shelf, path ? path : prefix) : RA_OK;
}

/* ---- all of them ------------------------------------------------------------ */

static bool has_host(const struct ra_run *run)
{
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (result->scanned.ref.kernel_name)
            return true;
    return false;
}

enum ra_status ra_resolve(struct ra_run *run)
{
    struct shelf shelf = { .run = run };
    enum ra_status status;
    size_t slot;

    if (!has_host(run))
        return RA_OK;
    status = heed_environment(&shelf);
    if (status == RA_OK)
        status = list_targets(&shelf);
    if (status == RA_OK)
        status = shelve_all(&shelf);
    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result))
        if (result->scanned.ref.kernel_name && result->scanned.file.kpack)
            status = resolve_host(&shelf, &result->scanned, run->walk.files[slot]);
    free(shelf.list);
    free(shelf.targets);
    return status;
}
