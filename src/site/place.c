#include "site/place.h"

#include "site/pieces.h"

struct ra_span ra_place_folder(struct ra_span place)
{
    const uint8_t *slash = place.size > 0 ? memrchr(place.data, '/', place.size) : NULL;

    return ra_piece_head(place, slash ? (size_t)(slash - place.data) + 1 : 0);
}

struct ra_span ra_place_name(struct ra_span place)
{
    return ra_piece_tail(place, ra_place_folder(place).size);
}

/* The folder that a folder is in. */
static struct ra_span parent_of(struct ra_span folder)
{
    return folder.size > 1 ? ra_place_folder(ra_piece_head(folder, folder.size - 1))
                           : folder;
}

/* ---- records --------------------------------------------------------------------- */

/* Whose names the records in a folder take. */
enum unit { UNIT_FOLDER, UNIT_PARENT, UNIT_FILE, UNIT_DPKG };

/* The folder ends with `folder`, at the start of a part if it starts with '/'; the name
 * starts with `start` and ends with `end`. */
static const struct row {
    enum ra_record record;
    const char *folder, *start, *end, *kind;
    enum unit unit;
    bool owns;
} rows[] = {
    { RA_RECORD_WHEEL, ".dist-info/", "RECORD", "", "wheel", UNIT_FOLDER, false },
    { RA_RECORD_METADATA, ".dist-info/", "METADATA", "", "wheel", UNIT_FOLDER, false },
    { RA_RECORD_DIRECT_URL, ".dist-info/", "direct_url.json", "", "wheel", UNIT_FOLDER,
      false },
    { RA_RECORD_METADATA, ".egg-info/", "PKG-INFO", "", "egg", UNIT_FOLDER, false },
    { RA_RECORD_SOURCES, ".egg-info/", "SOURCES.txt", "", "egg", UNIT_FOLDER, false },
    { RA_RECORD_INSTALLED, ".egg-info/", "installed-files.txt", "", "egg", UNIT_FOLDER,
      false },
    { RA_RECORD_METADATA, "/EGG-INFO/", "PKG-INFO", "", "egg", UNIT_PARENT, true },
    { RA_RECORD_METADATA, "", "", ".egg-info", "egg", UNIT_FILE, false },
    { RA_RECORD_EGG_LINK, "", "", ".egg-link", "egg", UNIT_FILE, false },
    { RA_RECORD_PTH, "", "__editable__.", ".pth", "wheel", UNIT_FILE, false },
    { RA_RECORD_CONDA, "/conda-meta/", "", ".json", "conda", UNIT_FILE, false },
    { RA_RECORD_INDEX, "/info/", "index.json", "", "conda", UNIT_PARENT, true },
    { RA_RECORD_PATHS, "/info/", "paths.json", "", "conda", UNIT_PARENT, false },
    { RA_RECORD_LIST, "/info/", "files", "", "conda", UNIT_PARENT, false },
    { RA_RECORD_LIST, "/var/lib/dpkg/info/", "", ".list", "deb", UNIT_DPKG, false },
    { RA_RECORD_STATUS, "/var/lib/dpkg/", "status", "", "deb", UNIT_DPKG, false },
    { RA_RECORD_CONTROL, "/", "control", "", "deb", UNIT_PARENT, true },
};

static bool folder_fits(struct ra_span folder, const char *end)
{
    if (end[0] == '/' && folder.size == strlen(end + 1))
        return ra_piece_equals(folder, end + 1);
    return ra_piece_ends(folder, end);
}

static bool name_fits(struct ra_span name, const struct row *row)
{
    if (row->end[0] == '\0')
        return ra_piece_equals(name, row->start);
    return name.size > strlen(row->start) + strlen(row->end) &&
           ra_piece_ends(name, row->end) && ra_piece_starts(name, row->start);
}

/* control, in the archive of that name within the deb. */
static bool is_of_deb(struct ra_span folder)
{
    return folder.size > 0 &&
           ra_piece_starts(ra_place_name(ra_piece_head(folder, folder.size - 1)),
                           "control.tar");
}

static const struct row *find_row(struct ra_span folder, struct ra_span name)
{
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        if (!name_fits(name, &rows[i]) || !folder_fits(folder, rows[i].folder))
            continue;
        if (rows[i].record != RA_RECORD_CONTROL || is_of_deb(folder))
            return &rows[i];
    }
    return NULL;
}

/* Most files are no record, and are told by their last two bytes. */
static bool may_be_record(struct ra_span name)
{
    static const char ends[][3] = { "RD", "TA", "on", "FO", "xt", "fo",
                                    "nk", "th", "es", "st", "us", "ol" };

    for (size_t i = 0; name.size > 4 && i < RA_COUNT(ends); i++)
        if (memcmp(name.data + name.size - 2, ends[i], 2) == 0)
            return true;
    return false;
}

static struct ra_span dpkg_root(struct ra_span folder)
{
    struct ra_span root = folder;
    size_t up = ra_piece_ends(folder, "info/") ? 4 : 3;

    while (up-- > 0)
        root = parent_of(root);
    return root;
}

struct ra_record_place ra_record_place(const char *place)
{
    struct ra_span whole = ra_span_of(place);
    struct ra_span name = ra_place_name(whole), folder = ra_place_folder(whole);
    const struct row *row = may_be_record(name) ? find_row(folder, name) : NULL;
    struct ra_record_place ret = { 0 };

    if (!row)
        return ret;
    ret.record = row->record;
    ret.kind = row->kind;
    ret.owns_root = row->owns;
    ret.root = ret.unit = folder;
    switch (row->unit) {
    case UNIT_FOLDER:
        ret.unit.size--; /* as a place */
        if (row->record != RA_RECORD_INSTALLED)
            ret.root = parent_of(folder);
        break;
    case UNIT_PARENT:
        ret.root = ret.unit = parent_of(folder);
        break;
    case UNIT_FILE:
        ret.unit = whole;
        if (row->record == RA_RECORD_CONDA)
            ret.root = parent_of(folder);
        break;
    case UNIT_DPKG:
        ret.root = ret.unit = dpkg_root(folder);
        ret.is_dpkg = true;
        break;
    }
    return ret;
}

/* ---- names that lead to files ---------------------------------------------------- */

static void cut_to(struct ra_text *text, size_t size)
{
    if (size < text->size) {
        text->size = size;
        text->data[size] = '\0';
    }
}

static struct ra_span text_span(const struct ra_text *text)
{
    return (struct ra_span){ (const uint8_t *)text->data, text->size, 0 };
}

/* One folder up from what ends with '/', as far as `floor`. */
static void go_up(struct ra_text *text, size_t floor, bool confined)
{
    struct ra_span here = text_span(text);

    if (confined && here.size <= floor)
        return;
    if (here.size == 0 || ra_piece_equals(here, "../") || ra_piece_ends(here, "/../"))
        ra_text_str(text, "../");
    else
        cut_to(text, ra_piece_equals(here, "/") ? 1 : parent_of(here).size);
}

bool ra_place_join(struct ra_text *ret, struct ra_span base, struct ra_span path,
                   bool confined)
{
    struct ra_cursor cur = ra_cursor_over(path);
    bool is_file = false;

    cut_to(ret, 0);
    if (!confined && ra_piece_starts(path, "/"))
        ra_text_str(ret, "/");
    else
        ra_text_add(ret, (const char *)base.data, base.size);
    while (cur.pos < path.size) {
        struct ra_span part = ra_piece_until(&cur, '/');
        bool last = cur.pos == path.size && path.data[path.size - 1] != '/';

        if (part.size == 0 || ra_piece_equals(part, "."))
            continue;
        is_file = !ra_piece_equals(part, "..");
        if (is_file)
            ra_text_add(ret, (const char *)part.data, part.size + !last);
        else
            go_up(ret, base.size, confined);
    }
    if (is_file && ret->size > 0 && ret->data[ret->size - 1] == '/')
        cut_to(ret, ret->size - 1);
    return is_file && !ret->failed;
}

bool ra_place_join_wheel(struct ra_text *ret, struct ra_span base, struct ra_span path,
                         bool confined)
{
    static const char *const schemes[] = { "purelib/", "platlib/", "data/" };
    size_t first = ra_piece_find(path, '/');
    struct ra_span rest = { 0 };

    if (first < path.size && ra_piece_ends(ra_piece_head(path, first), ".data"))
        rest = ra_piece_tail(path, first + 1);
    for (size_t i = 0; i < RA_COUNT(schemes); i++)
        if (ra_piece_starts(rest, schemes[i]))
            return ra_place_join(ret, base, ra_piece_tail(rest, strlen(schemes[i])),
                                 true);
    return ra_place_join(ret, base, path, confined);
}
