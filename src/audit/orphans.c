/* orphans.c - .kpack archives that no library refers to, and why that may be. */
#include "audit/run.h"

#include "base/text.h"
#include "site/place.h"

/* Files with device code by their place. */
static enum ra_status list_places(struct ra_run *run, struct ra_map *ret)
{
    enum ra_status status = RA_OK;
    size_t slot;

    ret->arena = &run->arena;
    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result)) {
        struct ra_map_slot *place;

        if (result->scanned.file.bundle_count == 0 || !result->scanned.place)
            continue;
        status = ra_map_slot(ret, ra_span_of(result->scanned.place), &place);
        if (status == RA_OK) {
            place->key = ra_span_of(result->scanned.place);
            place->value = result;
        } else if (status == RA_E_LIMIT) {
            status = RA_OK;
        }
    }
    return status;
}

/* The folder that holds the folder of the archive, which names in it are relative to. */
static struct ra_span overlay_of(const struct ra_scanned *archive)
{
    struct ra_span folder = ra_place_folder(ra_span_of(archive->place));

    if (folder.size > 0)
        folder.size--;
    return ra_place_folder(folder);
}

/* A file that the archive lists by `key`, but that does not look for archives. */
static struct ra_result *find_untransformed(const struct ra_map *places,
                                            const struct ra_scanned *archive,
                                            const char *key)
{
    const char *mark = strrchr(key, '#');
    struct ra_span name = { (const uint8_t *)key,
                            mark ? (size_t)(mark - key) : strlen(key), 0 };
    struct ra_text place = { 0 };
    struct ra_result *found = NULL;

    if (ra_place_join(&place, overlay_of(archive), name, false) && !place.failed)
        found = ra_map_find(
            places, (struct ra_span){ (const uint8_t *)place.data, place.size, 0 });
    ra_text_free(&place);
    return found && found->scanned.file.kind == RA_KIND_ELF && !found->scanned.file.kpack
               ? found
               : NULL;
}

static void judge_archive(const struct ra_map *places, struct ra_scanned *archive,
                          bool has_hosts)
{
    struct ra_kpack *kpack = (struct ra_kpack *)(uintptr_t)archive->file.kpack;

    kpack->orphan = has_hosts;
    for (size_t i = 0; i < archive->file.bundle_count; i++) {
        struct ra_result *found =
            find_untransformed(places, archive, archive->file.bundles[i].key);

        if (!found)
            continue;
        found->scanned.file.unused_archive = archive->file.path;
        kpack->orphan = true;
    }
}

enum ra_status ra_find_orphans(struct ra_run *run)
{
    bool has_hosts = false, has_unused = false;
    struct ra_map places = { 0 };
    enum ra_status status;
    size_t slot;

    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        const struct ra_kpack *kpack = result->scanned.file.kpack;

        has_hosts = has_hosts || (result->scanned.file.kind == RA_KIND_ELF &&
                                  result->scanned.file.bundle_count > 0);
        has_unused = has_unused || (result->scanned.file.kind == RA_KIND_KPACK && kpack &&
                                    !kpack->used);
    }
    if (!has_unused)
        return RA_OK;
    status = list_places(run, &places);
    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result)) {
        const struct ra_kpack *kpack = result->scanned.file.kpack;

        if (result->scanned.file.kind == RA_KIND_KPACK && kpack && !kpack->used)
            judge_archive(&places, &result->scanned, has_hosts);
    }
    return status;
}
