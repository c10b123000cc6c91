#include "site/reading.h"

#include "site/pieces.h"

#define STUB_MAX 256 /* bytes of the __init__.py of a package that has nothing else */

void reading_odd(struct reading *reading, uint64_t offset, const char *what)
{
    if (reading->odd_count++ > 0)
        return;
    reading->odd = what;
    reading->odd_offset = offset;
}

const char *reading_keep(struct reading *reading, struct ra_span text)
{
    return ra_arena_text(reading->arena, text.data, text.size);
}

const char *reading_escape(struct reading *reading, struct ra_span text)
{
    return ra_text_is_plain(text) ? reading_keep(reading, text)
                                  : ra_text_escape(reading->arena, text);
}

/* ---- packages --------------------------------------------------------------------- */

enum ra_status reading_draft(struct reading *reading, struct ra_map *map,
                             struct ra_span key, struct draft **ret)
{
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(map, key, &slot);
    const char *kept;

    if (status != RA_OK)
        return status;
    if (!slot->value) {
        kept = reading_keep(reading, key);
        slot->value = kept ? ra_new(reading->arena, struct draft, 1) : NULL;
        if (!slot->value)
            return RA_E_NOMEM;
        slot->key.data = (const uint8_t *)kept;
    }
    *ret = slot->value;
    return RA_OK;
}

enum ra_status reading_add(struct reading *reading, struct draft *draft, const char *kind,
                           struct ra_span place)
{
    if (draft->package.place)
        return RA_OK;
    draft->package.kind = kind;
    draft->package.place = reading_keep(reading, place);
    if (!draft->package.place)
        return RA_E_NOMEM;
    if (reading->last)
        reading->last->next = draft;
    else
        reading->first = draft;
    reading->last = draft;
    reading->draft_count++;
    return RA_OK;
}

/* `raw` and `shown`, unless they are told or there is nothing to tell. */
static enum ra_status set_text(struct reading *reading, struct ra_span text,
                               const char **raw, const char **shown)
{
    if (*raw || text.size == 0)
        return RA_OK;
    *raw = reading_keep(reading, text);
    *shown = reading_escape(reading, text);
    return *raw && *shown ? RA_OK : RA_E_NOMEM;
}

enum ra_status reading_named(struct reading *reading, struct draft *draft,
                             struct ra_span name, struct ra_span version)
{
    struct ra_site_package *package = &draft->package;

    if (set_text(reading, name, &package->raw_name, &package->name) != RA_OK)
        return RA_E_NOMEM;
    return set_text(reading, version, &package->raw_version, &package->version);
}

/* ---- files ------------------------------------------------------------------------ */

static struct ra_span place_of(const struct reading *reading)
{
    return (struct ra_span){ (const uint8_t *)reading->place.data, reading->place.size,
                             0 };
}

/* Records, bytecode, and one short __init__.py make no package. */
static void note_content(struct draft *draft, struct ra_span place,
                         const struct listed *listed)
{
    struct ra_span folder = ra_place_folder(place), name = ra_place_name(place);

    if (draft->holds_something || ra_piece_ends(folder, "__pycache__/") ||
        memmem(place.data, place.size, ".dist-info/", strlen(".dist-info/")))
        return;
    if ((ra_piece_equals(name, "__init__.py") || ra_piece_equals(name, "_init_.py")) &&
        listed->has_size && listed->size <= STUB_MAX && !draft->has_stub)
        draft->has_stub = true;
    else
        draft->holds_something = true;
}

static void complete(struct ra_site_file *file, const struct listed *listed)
{
    if (file->digest.kind == RA_SITE_NO_DIGEST)
        file->digest = listed->digest;
    if (!file->has_size && listed->has_size) {
        file->size = listed->size;
        file->has_size = true;
    }
}

/* A further file of the package; `first` lists it already, if another does. */
static struct ra_site_file *new_file(struct reading *reading, struct draft *draft,
                                     struct file *first)
{
    struct file *file = ra_new(reading->arena, struct file, 1);

    if (!file)
        return NULL;
    file->file.package = &draft->package;
    if (first) {
        file->file.place = first->file.place;
        first->last->other = &file->file;
        first->last = &file->file;
    } else {
        file->file.place = reading_keep(reading, place_of(reading));
        file->last = &file->file;
    }
    return file->file.place ? &file->file : NULL;
}

static void append(struct draft *draft, struct ra_site_file *file)
{
    if (draft->last)
        draft->last->next = file;
    else
        draft->package.files = file;
    draft->last = file;
    draft->package.file_count++;
}

/* The file at `place`, as the package lists it; NULL and RA_OK: there are too many. */
static enum ra_status find_file(struct reading *reading, struct draft *draft,
                                uint64_t offset, struct ra_site_file **ret, bool *is_new)
{
    struct ra_site *site = reading->site;
    struct ra_map_slot *slot;
    struct file *first;
    enum ra_status status = site->file_count < RA_SITE_FILES_MAX
                                ? ra_map_slot(&site->files, place_of(reading), &slot)
                                : RA_E_LIMIT;

    *ret = NULL;
    *is_new = false;
    if (status == RA_E_LIMIT)
        reading_odd(reading, offset, "more files than this build is willing to hold");
    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    first = slot->value;
    if (first && first->last->package == &draft->package) {
        *ret = first->last;
        return RA_OK;
    }
    *ret = new_file(reading, draft, first);
    if (!*ret)
        return RA_E_NOMEM;
    *is_new = true;
    site->file_count++;
    if (!first) {
        slot->value = *ret;
        slot->key.data = (const uint8_t *)(*ret)->place;
    }
    return RA_OK;
}

/*
 * Where /lib is a link to /usr/lib, packages may list their files by either, and the walk
 * finds them below /usr.
 */
static enum ra_status add_below_usr(struct reading *reading, struct draft *draft,
                                    struct ra_span base, struct ra_span path)
{
    static const char *const folders[] = { "lib/", "lib64/", "lib32/", "bin/", "sbin/" };
    struct ra_site_file *file;
    bool is_new, moved = false;

    for (size_t i = 0; i < RA_COUNT(folders); i++)
        moved = moved || ra_piece_starts(path, folders[i]);
    if (!moved)
        return RA_OK;
    reading->place.size = 0;
    ra_text_add(&reading->place, (const char *)base.data, base.size);
    ra_text_str(&reading->place, "usr/");
    ra_text_add(&reading->place, (const char *)path.data, path.size);
    if (reading->place.failed)
        return RA_E_NOMEM;
    return find_file(reading, draft, path.base, &file, &is_new);
}

static bool is_text(struct ra_span path)
{
    return path.size <= RA_PLACE_MAX && ra_piece_find(path, '\0') == path.size;
}

enum ra_status reading_file(struct reading *reading, struct draft *draft,
                            struct ra_span base, struct ra_span path,
                            const struct listed *listed)
{
    bool is_wheel = strcmp(draft->package.kind, "wheel") == 0, is_new;
    struct ra_site_file *file;
    enum ra_status status;

    if (!is_text(path) || !(is_wheel ? ra_place_join_wheel : ra_place_join)(
                              &reading->place, base, path, false)) {
        if (reading->place.failed)
            return RA_E_NOMEM;
        reading_odd(reading, path.base, "a name that no file has");
        return RA_OK;
    }
    status = find_file(reading, draft, path.base, &file, &is_new);
    if (status != RA_OK || !file)
        return status;
    complete(file, listed);
    if (!is_new)
        return RA_OK;
    append(draft, file);
    note_content(draft, place_of(reading), listed);
    if (reading->is_dpkg)
        return add_below_usr(reading, draft, base, path);
    return RA_OK;
}
