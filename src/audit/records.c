#include "audit/records.h"

#include "base/array.h"
#include "base/text.h"
#include "io/source.h"
#include "site/pieces.h"
#include "site/place.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is not asked for must not cost more than what is. */
#define RECORD_LIMIT  ((uint64_t)64 << 20) /* bytes of one */
#define RECORDS_LIMIT ((uint64_t)1 << 30)  /* bytes of all */
#define ENTRIES_LIMIT 100000               /* of a folder */
#define FOLDERS_UP    12

#define DPKG "/var/lib/dpkg/"

/* ---- one record ------------------------------------------------------------- */

static enum ra_status read_opened(struct ra_source *source, struct ra_diags *diags,
                                  struct ra_arena *arena, struct ra_span *ret)
{
    struct ra_stamp stamp;
    uint8_t *bytes;

    if (ra_source_measure(source, diags, &stamp) != RA_OK || source->size > RECORD_LIMIT)
        return RA_OK;
    bytes = ra_new(arena, uint8_t, source->size + 1);
    if (!bytes)
        return RA_E_NOMEM;
    if (ra_source_read(source, 0, (size_t)source->size, diags, bytes) == RA_OK)
        *ret = (struct ra_span){ bytes, (size_t)source->size, 0 };
    return RA_OK;
}

/* Its bytes; empty if it cannot be read. */
static enum ra_status read_whole(const char *path, struct ra_arena *arena,
                                 struct ra_span *ret)
{
    struct ra_arena untold = { 0 };
    struct ra_diags diags = { .arena = &untold };
    enum ra_status status = RA_OK;
    struct ra_source source;
    struct ra_span head;
    uint8_t byte;

    *ret = (struct ra_span){ 0 };
    if (ra_source_open(path, 1, &diags, &byte, &head, &source) == RA_OK) {
        status = read_opened(&source, &diags, arena, ret);
        ra_source_close(&source);
    }
    ra_arena_free(&untold);
    return status;
}

enum ra_status ra_records_add(struct ra_records *records, struct ra_arena *arena,
                              const char *path)
{
    struct ra_span bytes;
    enum ra_status status;

    if (records->bytes > RECORDS_LIMIT)
        return RA_OK;
    status = read_whole(path, arena, &bytes);
    if (status != RA_OK || bytes.size == 0)
        return status;
    if (records->count == records->room) {
        struct ra_site_document *list =
            ra_array_grow(records->list, &records->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        records->list = list;
    }
    records->bytes += bytes.size;
    records->list[records->count++] = (struct ra_site_document){ path, bytes };
    return RA_OK;
}

void ra_records_free(struct ra_records *records)
{
    free(records->list);
    *records = (struct ra_records){ 0 };
}

/* ---- folders of records ----------------------------------------------------- */

const char *ra_absolute_place(struct ra_arena *arena, const char *path)
{
    char *here = *path == '/' ? NULL : getcwd(NULL, 0);
    struct ra_text text = { 0 }, base = { 0 };
    const char *ret = NULL;

    if (here)
        ra_text_printf(&base, "%s/", here);
    if (*path == '/' || here) {
        (void)!ra_place_join(&text, base.data ? ra_span_of(base.data) : ra_span_of(""),
                             ra_span_of(path), false);
        ret = text.failed || base.failed ? NULL
              : text.size > 0            ? ra_text_keep(&text, arena)
              : here                     ? ra_arena_text(arena, here, strlen(here))
                                         : ra_arena_text(arena, "/", 1);
    }
    free(here);
    ra_text_free(&text);
    ra_text_free(&base);
    return ret;
}

const char *ra_other_place(struct ra_arena *arena, const char *place)
{
    return strncmp(place, "/usr/", 5) == 0 ? ra_text_format(arena, "%s", place + 4)
                                           : ra_text_format(arena, "/usr%s", place);
}

bool ra_place_is_below(const char *place, const char *folder)
{
    size_t size = strlen(folder);

    if (size == 1 && *folder == '/')
        return *place == '/';
    return strncmp(place, folder, size) == 0 &&
           (place[size] == '/' || place[size] == '\0');
}

static enum ra_status add_named(struct ra_records *records, struct ra_arena *arena,
                                const char *folder, const char *name)
{
    const char *path = ra_text_format(arena, "%s/%s", folder, name);

    if (!path)
        return RA_E_NOMEM;
    return ra_site_wants(path) ? ra_records_add(records, arena, path) : RA_OK;
}

/* The records in a folder such as foo-1.0.dist-info. */
static enum ra_status add_unit(struct ra_records *records, struct ra_arena *arena,
                               const char *folder)
{
    static const char *const names[] = { "METADATA", "RECORD", "PKG-INFO",
                                         "installed-files.txt", "SOURCES.txt" };
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < RA_COUNT(names); i++)
        status = add_named(records, arena, folder, names[i]);
    return status;
}

/* What a folder of records holds: units of Python, or records of conda and dpkg. */
static enum ra_status add_folder(struct ra_records *records, struct ra_arena *arena,
                                 const char *path)
{
    DIR *folder = opendir(path);
    enum ra_status status = RA_OK;
    const struct dirent *entry;

    if (!folder)
        return RA_OK;
    for (size_t i = 0; status == RA_OK && i < ENTRIES_LIMIT; i++) {
        const char *unit;

        entry = readdir(folder);
        if (!entry)
            break;
        if (!ra_text_ends(entry->d_name, ".dist-info") &&
            !ra_text_ends(entry->d_name, ".egg-info")) {
            status = add_named(records, arena, path, entry->d_name);
            continue;
        }
        unit = ra_text_format(arena, "%s/%s", path, entry->d_name);
        status = unit ? add_unit(records, arena, unit) : RA_E_NOMEM;
    }
    closedir(folder);
    return status;
}

/* ---- above the files -------------------------------------------------------- */

struct climb {
    struct ra_run *run;
    struct ra_records *records;
    const char **roots; /* what was named, from the root on */
    struct ra_map seen; /* folders that were looked at */
};

static enum ra_status list_roots(struct climb *climb)
{
    const struct ra_options *options = &climb->run->options;

    climb->roots = ra_new(&climb->run->arena, const char *, options->path_count);
    if (!climb->roots)
        return RA_E_NOMEM;
    for (size_t i = 0; i < options->path_count; i++) {
        climb->roots[i] = ra_absolute_place(&climb->run->arena, options->paths[i]);
        if (!climb->roots[i])
            climb->roots[i] = "";
    }
    return RA_OK;
}

/* Whether the folder was walked itself, and all that is in it. */
static bool was_walked(const struct climb *climb, const char *folder)
{
    for (size_t i = 0; i < climb->run->options.path_count; i++)
        if (*climb->roots[i] && ra_place_is_below(folder, climb->roots[i]))
            return true;
    return false;
}

static enum ra_status look_into(struct climb *climb, const char *folder)
{
    struct ra_arena *arena = &climb->run->arena;
    const char *meta = ra_text_format(arena, "%s/conda-meta", folder);
    enum ra_status status = RA_OK;

    if (!meta)
        return RA_E_NOMEM;
    if (was_walked(climb, folder))
        return RA_OK;
    if (ra_text_ends(folder, "/site-packages") || ra_text_ends(folder, "/dist-packages"))
        status = add_folder(climb->records, arena, folder);
    return status == RA_OK ? add_folder(climb->records, arena, meta) : status;
}

/* Every folder above a file, as far up as environments reach; each once. */
static enum ra_status climb_from(struct climb *climb, const char *place)
{
    struct ra_span folder = ra_span_of(place);
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < FOLDERS_UP; i++) {
        struct ra_map_slot *slot;
        const char *kept;

        folder = ra_place_folder(folder);
        if (folder.size < 2)
            break;
        folder.size--;
        status = ra_map_slot(&climb->seen, folder, &slot);
        if (status == RA_E_LIMIT)
            return RA_OK;
        if (status != RA_OK)
            break;
        if (slot->value) /* from a file that stands deeper, perhaps too deep */
            continue;
        kept = ra_arena_text(&climb->run->arena, folder.data, folder.size);
        if (!kept)
            return RA_E_NOMEM;
        slot->key = folder = ra_span_of(kept);
        slot->value = climb;
        status = look_into(climb, kept);
    }
    return status;
}

static bool is_on_disk(const struct ra_result *result)
{
    return ra_scanned_is_worth_telling(&result->scanned) &&
           !result->scanned.file.is_member;
}

enum ra_status ra_records_above(struct ra_run *run, struct ra_records *ret)
{
    struct climb climb = { .run = run, .records = ret, .seen = { .arena = &run->arena } };
    enum ra_status status = list_roots(&climb);
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result)) {
        const char *place;

        if (!is_on_disk(result))
            continue;
        place = ra_absolute_place(&run->arena, result->scanned.file.raw_path);
        if (place)
            status = climb_from(&climb, place);
    }
    return status;
}

/* ---- the system ------------------------------------------------------------- */

/* Whether dpkg could have brought a file, by where it is. */
static bool is_of_system(const char *place)
{
    static const char *const folders[] = { "/usr", "/opt", "/lib", "/lib64" };

    for (size_t i = 0; i < RA_COUNT(folders); i++)
        if (ra_place_is_below(place, folders[i]))
            return !ra_place_is_below(place, "/usr/local");
    return false;
}

static enum ra_status want(struct ra_map *wanted, const char *place)
{
    struct ra_map_slot *slot;
    enum ra_status status;

    if (!place)
        return RA_E_NOMEM;
    status = ra_map_slot(wanted, ra_span_of(place), &slot);
    if (status == RA_OK) {
        slot->key = ra_span_of(place);
        slot->value = wanted;
    }
    return status == RA_E_LIMIT ? RA_OK : status;
}

/* Files that no package owns yet, by the names that dpkg may have for them. */
static enum ra_status list_orphans(struct ra_run *run, struct ra_map *ret)
{
    enum ra_status status = RA_OK;
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result)) {
        const char *place;

        if (!is_on_disk(result) || result->owner)
            continue;
        place = ra_absolute_place(ret->arena, result->scanned.file.raw_path);
        if (!place || !is_of_system(place))
            continue;
        status = want(ret, place);
        if (status == RA_OK)
            status = want(ret, ra_other_place(ret->arena, place));
    }
    return status;
}

static bool lists_any(struct ra_span bytes, const struct ra_map *wanted)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_span line;

    while (ra_piece_line(&cur, &line))
        if (ra_map_find(wanted, line))
            return true;
    return false;
}

/* A list of dpkg is kept if it has any of the files; most have not. */
static enum ra_status add_list(struct ra_records *records, struct ra_arena *arena,
                               const char *name, const struct ra_map *wanted)
{
    struct ra_arena once = { 0 };
    const char *path = ra_text_format(&once, DPKG "info/%s", name);
    struct ra_span bytes;
    enum ra_status status = path ? read_whole(path, &once, &bytes) : RA_E_NOMEM;

    if (status == RA_OK && lists_any(bytes, wanted)) {
        path = ra_arena_text(arena, path, strlen(path));
        status = path ? ra_records_add(records, arena, path) : RA_E_NOMEM;
    }
    ra_arena_free(&once);
    return status;
}

static enum ra_status add_lists(struct ra_records *records, struct ra_arena *arena,
                                const struct ra_map *wanted)
{
    DIR *folder = opendir(DPKG "info");
    enum ra_status status = RA_OK;

    if (!folder)
        return RA_OK;
    for (size_t i = 0; status == RA_OK && i < ENTRIES_LIMIT; i++) {
        const struct dirent *entry = readdir(folder);

        if (!entry)
            break;
        if (ra_text_ends(entry->d_name, ".list"))
            status = add_list(records, arena, entry->d_name, wanted);
    }
    closedir(folder);
    return status;
}

/* Whether the walk came by there already. */
static bool has_dpkg(const struct ra_run *run)
{
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (result->scanned.document.data &&
            strcmp(result->scanned.place, DPKG "status") == 0)
            return true;
    return false;
}

enum ra_status ra_records_of_system(struct ra_run *run, struct ra_records *ret)
{
    struct ra_arena arena = { 0 };
    struct ra_map orphans = { .arena = &arena };
    size_t before = ret->count;
    struct stat info;
    enum ra_status status = RA_OK;

    if (stat(DPKG "status", &info) != 0 || has_dpkg(run))
        return RA_OK;
    status = list_orphans(run, &orphans);
    if (status == RA_OK && orphans.count > 0)
        status = add_lists(ret, &run->arena, &orphans);
    if (status == RA_OK && ret->count > before)
        status = ra_records_add(ret, &run->arena, DPKG "status");
    ra_arena_free(&arena);
    return status;
}
