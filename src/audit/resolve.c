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

#include "audit/shelf.h"
#include "base/array.h"
#include "base/text.h"
#include "gfx/target.h"
#include "site/place.h"

#include <stdlib.h>

#define PLACEHOLDER  "@GFXARCH@"
#define TARGETS_MOST 1024

struct resolver {
    struct ra_run *run;
    struct ra_shelf shelf;
    const char **targets; /* all that can stand for @GFXARCH@ */
    size_t target_count, target_room;
    const char *const *direct; /* paths of archives that come before all patterns */
    size_t direct_count;
    bool replaces, disabled; /* the patterns do not count; nothing is found */
};

/* ---- targets ---------------------------------------------------------------- */

/* `target` lasts; NULL: there is no memory. */
static enum ra_status add_target(struct resolver *resolver, const char *target)
{
    if (resolver->target_count == resolver->target_room) {
        const char **targets =
            ra_array_grow(resolver->targets, &resolver->target_room, sizeof(*targets));

        if (!targets)
            return RA_E_NOMEM;
        resolver->targets = targets;
    }
    if (!target)
        return RA_E_NOMEM;
    resolver->targets[resolver->target_count++] = target;
    return RA_OK;
}

/* Every processor in every mode it has, the most specific first. */
static enum ra_status add_known(struct resolver *resolver)
{
    static const char *const modes[][3] = { { ":sramecc+", ":sramecc-", "" },
                                            { ":xnack+", ":xnack-", "" } };
    size_t count;
    const struct ra_processor *processors = ra_processors(&count);
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < count; i++)
        for (size_t a = processors[i].sramecc ? 0 : 2; a < 3; a++)
            for (size_t b = processors[i].xnack ? 0 : 2; status == RA_OK && b < 3; b++)
                status = add_target(resolver, ra_text_format(&resolver->run->arena,
                                                             "%s%s%s", processors[i].name,
                                                             modes[0][a], modes[1][b]));
    return status;
}

static enum ra_status add_new(struct resolver *resolver, const char *target)
{
    for (size_t i = 0; i < resolver->target_count; i++)
        if (strcmp(resolver->targets[i], target) == 0)
            return RA_OK;
    if (resolver->target_count >= TARGETS_MOST)
        return RA_OK;
    return add_target(resolver,
                      ra_arena_text(&resolver->run->arena, target, strlen(target)));
}

/* GPUs of the machine that this build has never heard of ... */
static enum ra_status add_devices(struct resolver *resolver)
{
    const struct ra_devices *devices = &resolver->run->machine.devices;
    char names[RA_TARGET_EXPANSIONS][RA_TARGET_TEXT];
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < devices->count; i++) {
        size_t count = ra_target_expansions(&devices->list[i].id, names);

        for (size_t j = 0; status == RA_OK && j < count; j++)
            status = add_new(resolver, names[j]);
    }
    return status;
}

/* ... and targets that archives tell of: one for such a GPU has a use as well. */
static enum ra_status add_listed(struct resolver *resolver)
{
    enum ra_status status = RA_OK;

    for (const struct ra_shelved *at = resolver->shelf.last; at; at = at->all) {
        const struct ra_kpack *kpack = at->scanned->file.kpack;

        for (size_t i = 0; status == RA_OK && kpack && i < kpack->archives[0].arch_count;
             i++) {
            const char *arch = kpack->archives[0].arches[i];
            struct ra_span span = { (const uint8_t *)arch, strlen(arch), 0 };
            struct ra_target target;

            if (ra_target_parse(span, &target) && !ra_processor_by_name(target.processor))
                status = add_new(resolver, arch);
        }
    }
    return status;
}

static enum ra_status list_targets(struct resolver *resolver)
{
    enum ra_status status = add_known(resolver);

    if (status == RA_OK)
        status = add_devices(resolver);
    return status == RA_OK ? add_listed(resolver) : status;
}

/* ---- one host file ---------------------------------------------------------- */

/* `pattern` with a target in its first placeholder, which is all the loader replaces. */
static bool expand(struct ra_text *text, const char *pattern, const char *target)
{
    const char *at = strstr(pattern, PLACEHOLDER);

    ra_text_add(text, pattern, at ? (size_t)(at - pattern) : strlen(pattern));
    if (!at)
        return false;
    ra_text_str(text, target);
    ra_text_str(text, at + strlen(PLACEHOLDER));
    return true;
}

/* In the tree that a member is installed into. */
static enum ra_status find_member(const struct resolver *resolver,
                                  const struct ra_scanned *host, const char *name,
                                  struct ra_shelved **ret)
{
    const char *place = ra_shelf_place_in(host->place);
    struct ra_text text = { 0 };

    if (place && *name != '/' &&
        ra_place_join(&text, ra_place_folder(ra_span_of(place)), ra_span_of(name),
                      false) &&
        !text.failed)
        *ret =
            ra_shelf_member(&resolver->shelf, host,
                            (struct ra_span){ (const uint8_t *)text.data, text.size, 0 });
    ra_text_free(&text);
    return text.failed ? RA_E_NOMEM : RA_OK;
}

/* The archive of that name, seen from `from`, a path that the host file has. */
static enum ra_status find(struct resolver *resolver, const struct ra_scanned *host,
                           const char *from, const char *name, struct ra_shelved **ret)
{
    struct ra_span folder = ra_place_folder(ra_span_of(from));
    struct ra_text path = { 0 };
    enum ra_status status;

    *ret = NULL;
    if (host->file.is_member)
        return find_member(resolver, host, name, ret);
    if (*name != '/')
        ra_text_add(&path, (const char *)folder.data, folder.size);
    ra_text_str(&path, name);
    status = path.failed ? RA_E_NOMEM : ra_shelf_file(&resolver->shelf, path.data, ret);
    ra_text_free(&path);
    return status;
}

static enum ra_status add(struct ra_merge *merge, struct ra_shelved *found,
                          const char *target)
{
    return found ? ra_merge_add(merge, found->scanned, &found->index, target) : RA_OK;
}

static enum ra_status try_target(struct resolver *resolver, const struct ra_scanned *host,
                                 const char *from, const char *pattern,
                                 const char *target, struct ra_merge *ret, bool *expanded)
{
    struct ra_shelved *found = NULL;
    struct ra_text name = { 0 };
    enum ra_status status = RA_OK;

    *expanded = expand(&name, pattern, target);
    if (name.failed)
        status = RA_E_NOMEM;
    else if (name.size > 0)
        status = find(resolver, host, from, name.data, &found);
    ra_text_free(&name);
    return status == RA_OK ? add(ret, found, *expanded ? target : "") : status;
}

static enum ra_status try_pattern(struct resolver *resolver,
                                  const struct ra_scanned *host, const char *from,
                                  const char *pattern, struct ra_merge *ret)
{
    enum ra_status status = RA_OK;
    bool expanded = true;

    for (size_t i = 0; status == RA_OK && expanded && i < resolver->target_count; i++)
        status = try_target(resolver, host, from, pattern, resolver->targets[i], ret,
                            &expanded);
    return status;
}

static enum ra_status try_direct(struct resolver *resolver, struct ra_merge *ret)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < resolver->direct_count; i++) {
        struct ra_shelved *found;

        status = ra_shelf_file(&resolver->shelf, resolver->direct[i], &found);
        if (status == RA_OK)
            status = add(ret, found, "");
    }
    return status;
}

/* All archives that the loader could open for a host file loaded by the path `from`. */
static enum ra_status look_from(struct resolver *resolver, const struct ra_scanned *host,
                                const char *from, struct ra_merge *ret)
{
    bool here = !host->file.is_member;
    enum ra_status status = RA_OK;

    if (here && resolver->disabled)
        return RA_OK;
    if (here)
        status = try_direct(resolver, ret);
    if (here && resolver->replaces)
        return status;
    for (size_t i = 0; status == RA_OK && i < host->ref.path_count; i++)
        status = try_pattern(resolver, host, from, host->ref.paths[i], ret);
    return status;
}

/* ---- its paths -------------------------------------------------------------- */

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
        lost[kpack->lost_count] = ra_text_shown(&host->arena, views[i].path);
        if (!lost[kpack->lost_count++])
            return RA_E_NOMEM;
    }
    return ra_merge_into(&views[best].merge, host);
}

static enum ra_status resolve_host(struct resolver *resolver, struct ra_scanned *host,
                                   const struct ra_walk_file *from)
{
    struct ra_kpack *kpack = (struct ra_kpack *)(uintptr_t)host->file.kpack;
    size_t count = 1, at = 0;
    struct view *views = calloc(from->link_count + 1, sizeof(*views));
    enum ra_status status = views ? RA_OK : RA_E_NOMEM;

    if (!views)
        return status;
    kpack->moved = resolver->replaces && !host->file.is_member;
    kpack->disabled = resolver->disabled && !host->file.is_member;
    views[0].path = host->file.raw_path;
    for (const struct ra_walk_link *link = from->links; link; link = link->next)
        if (!host->file.is_member)
            views[count++].path = link->path;
    for (; status == RA_OK && at < count; at++)
        status = look_from(resolver, host, views[at].path, &views[at].merge);
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
            return *at + size + 1;
    return "";
}

/* Paths apart at ':', each that of an archive: nothing in them is replaced. */
static enum ra_status split(struct resolver *resolver, const char *text)
{
    struct ra_arena *arena = &resolver->run->arena;
    size_t room = 1;
    const char **list;

    for (const char *at = text; *at; at++)
        room += *at == ':';
    list = ra_new(arena, const char *, room);
    if (!list)
        return RA_E_NOMEM;
    resolver->direct = list;
    for (const char *at = text; *at; at += *at == ':') {
        size_t size = strcspn(at, ":");

        if (size > 0 &&
            !(list[resolver->direct_count++] = ra_arena_text(arena, at, size)))
            return RA_E_NOMEM;
        at += size;
    }
    return RA_OK;
}

/* A gate answers for other machines: what is set here is of no matter there. */
static enum ra_status heed_environment(struct resolver *resolver)
{
    const struct ra_run *run = resolver->run;
    const char *disable = variable(run, "ROCM_KPACK_DISABLE");
    enum ra_status status;

    if (run->machine.gate)
        return RA_OK;
    resolver->disabled = *disable && *disable != '0';
    status = split(resolver, variable(run, "ROCM_KPACK_PATH"));
    resolver->replaces = resolver->direct_count > 0;
    if (status == RA_OK && !resolver->replaces)
        status = split(resolver, variable(run, "ROCM_KPACK_PATH_PREFIX"));
    return status;
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
    struct resolver resolver = { .run = run };
    enum ra_status status;
    size_t slot;

    if (!has_host(run))
        return RA_OK;
    status = ra_shelf_fill(run, &resolver.shelf);
    if (status == RA_OK)
        status = heed_environment(&resolver);
    if (status == RA_OK)
        status = list_targets(&resolver);
    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result))
        if (result->scanned.ref.kernel_name && result->scanned.file.kpack)
            status = resolve_host(&resolver, &result->scanned, run->walk.files[slot]);
    ra_shelf_free(&resolver.shelf);
    free(resolver.targets);
    return status;
}
