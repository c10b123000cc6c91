/* The records that are lines, fields or rows; those of JSON are in readers_json.c. */
#include "site/fields.h"
#include "site/pieces.h"
#include "site/reading.h"
#include "site/rows.h"

static struct ra_span first_line(struct ra_span value)
{
    return ra_piece_trim(ra_piece_head(value, ra_piece_find(value, '\n')));
}

/* ---- fields ------------------------------------------------------------------------ */

static enum ra_status add_need(struct reading *reading, struct draft *draft,
                               struct ra_span text)
{
    struct ra_requirement found;
    struct needed *needed;
    struct ra_site_need *need;
    const char *normal;

    if (!ra_requirement_parse(text, &found)) {
        reading_odd(reading, text.base, "a requirement without a name");
        return RA_OK;
    }
    needed = ra_new(reading->arena, struct needed, 1);
    normal = ra_package_normal(reading->arena, found.name);
    if (!needed || !normal)
        return RA_E_NOMEM;
    need = &needed->need;
    need->name = normal; /* letters, digits and hyphens */
    need->extras = reading_escape(reading, found.extras);
    need->spec = reading_escape(reading, found.spec);
    need->marker = reading_escape(reading, found.marker);
    need->extra = reading_escape(reading, found.extra);
    if (!need->extras || !need->spec || !need->marker || !need->extra)
        return RA_E_NOMEM;
    needed->older = draft->needs;
    draft->needs = needed;
    draft->package.need_count++;
    return RA_OK;
}

static enum ra_status add_extra(struct reading *reading, struct draft *draft,
                                struct ra_span name)
{
    struct provided *provided = ra_new(reading->arena, struct provided, 1);

    if (!provided)
        return RA_E_NOMEM;
    provided->name = reading_escape(reading, name);
    if (!provided->name)
        return RA_E_NOMEM;
    provided->older = draft->extras;
    draft->extras = provided;
    draft->package.extra_count++;
    return RA_OK;
}

static enum ra_status take_field(struct reading *reading, struct draft *draft,
                                 const struct ra_field *field)
{
    struct ra_span none = { 0 };

    if (ra_piece_is(field->name, "Name"))
        return reading_named(reading, draft, first_line(field->value), none);
    if (ra_piece_is(field->name, "Version"))
        return reading_named(reading, draft, none, first_line(field->value));
    if (ra_piece_is(field->name, "Requires-Dist"))
        return add_need(reading, draft, field->value);
    if (ra_piece_is(field->name, "Provides-Extra"))
        return add_extra(reading, draft, first_line(field->value));
    if (ra_piece_is(field->name, "Summary") && field->value.size >= 11 &&
        ra_piece_is(ra_piece_head(field->value, 11), "placeholder"))
        draft->says_placeholder = true;
    return RA_OK;
}

enum ra_status reading_metadata(struct reading *reading, struct draft *draft,
                                const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_field field;
    enum ra_field_kind kind;
    enum ra_status status = RA_OK;

    (void)where;
    while (status == RA_OK && (kind = ra_field_next(&cur, &field)) != RA_FIELD_END &&
           kind != RA_FIELD_GAP) {
        if (kind == RA_FIELD_ODD)
            reading_odd(reading, field.value.base, "a line that is no field");
        else
            status = take_field(reading, draft, &field);
    }
    if (status == RA_OK && !draft->package.raw_name)
        reading_odd(reading, bytes.base, "no name");
    return status;
}

/* What a stanza says of a package of Debian. */
struct stanza {
    struct ra_span name, version, architecture;
};

/* The next stanza; false at the end. One without a package is odd, and passed over. */
static bool next_stanza(struct reading *reading, struct ra_cursor *cur,
                        struct stanza *ret)
{
    struct ra_field field;
    enum ra_field_kind kind;

    do {
        uint64_t start = ra_cursor_where(cur);
        bool empty = true;

        *ret = (struct stanza){ 0 };
        while ((kind = ra_field_next(cur, &field)) == RA_FIELD || kind == RA_FIELD_ODD) {
            empty = false;
            if (kind == RA_FIELD_ODD)
                reading_odd(reading, field.value.base, "a line that is no field");
            else if (ra_piece_is(field.name, "Package"))
                ret->name = first_line(field.value);
            else if (ra_piece_is(field.name, "Version"))
                ret->version = first_line(field.value);
            else if (ra_piece_is(field.name, "Architecture"))
                ret->architecture = first_line(field.value);
        }
        if (!empty && ret->name.size == 0)
            reading_odd(reading, start, "a stanza without a package");
    } while (ret->name.size == 0 && kind != RA_FIELD_END);
    return ret->name.size > 0;
}

enum ra_status reading_control(struct reading *reading, struct draft *draft,
                               const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct stanza stanza;

    (void)where;
    if (next_stanza(reading, &cur, &stanza))
        return reading_named(reading, draft, stanza.name, stanza.version);
    reading_odd(reading, bytes.base, "no name");
    return RA_OK;
}

/* ---- dpkg ---------------------------------------------------------------------------
 */

/* The key of a package of the dpkg at `root`: names hold no line end. */
static bool dpkg_key(struct reading *reading, struct ra_span root, struct ra_span name,
                     struct ra_span architecture, struct ra_span *ret)
{
    struct ra_text *text = &reading->text;

    text->size = 0;
    ra_text_add(text, (const char *)root.data, root.size);
    ra_text_str(text, "\n");
    ra_text_add(text, (const char *)name.data, name.size);
    if (architecture.size > 0) {
        ra_text_str(text, ":");
        ra_text_add(text, (const char *)architecture.data, architecture.size);
    }
    *ret = (struct ra_span){ (const uint8_t *)text->data, text->size, 0 };
    return !text->failed;
}

static enum ra_status name_draft(struct reading *reading, struct ra_span root,
                                 const struct stanza *stanza, struct ra_span architecture)
{
    struct ra_span key;
    struct draft *draft;
    enum ra_status status;

    if (!dpkg_key(reading, root, stanza->name, architecture, &key))
        return RA_E_NOMEM;
    status = reading_draft(reading, &reading->drafts, key, &draft);
    if (status == RA_OK)
        return reading_named(reading, draft, stanza->name, stanza->version);
    return status == RA_E_LIMIT ? RA_OK : status; /* its list is named by its file */
}

/* A list is named for the package, or for package and architecture. */
enum ra_status reading_status(struct reading *reading, struct draft *draft,
                              const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_span none = { 0 };
    struct stanza stanza;
    enum ra_status status = RA_OK;

    (void)draft;
    while (status == RA_OK && next_stanza(reading, &cur, &stanza)) {
        status = name_draft(reading, where->root, &stanza, none);
        if (status == RA_OK && stanza.architecture.size > 0)
            status = name_draft(reading, where->root, &stanza, stanza.architecture);
    }
    return status;
}

/* What lists a folder lists what is in it next. */
static bool is_folder(struct ra_cursor cur, struct ra_span path)
{
    struct ra_span next;

    return ra_piece_line(&cur, &next) && next.size > path.size && path.size > 0 &&
           next.data[path.size] == '/' && memcmp(next.data, path.data, path.size) == 0;
}

enum ra_status reading_dpkg_list(struct reading *reading,
                                 const struct ra_record_place *where,
                                 const struct ra_site_document *document)
{
    struct ra_span place = ra_span_of(document->place), none = { 0 }, key;
    struct ra_span name = ra_place_name(place);
    struct draft *draft;
    enum ra_status status;

    name.size -= strlen(".list");
    if (!dpkg_key(reading, where->root, name, none, &key))
        return RA_E_NOMEM;
    status = reading_draft(reading, &reading->drafts, key, &draft);
    if (status == RA_E_LIMIT)
        reading_odd(reading, 0, "more packages than this build is willing to hold");
    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    name.size = ra_piece_find(name, ':');
    if (reading_named(reading, draft, name, none) != RA_OK ||
        reading_add(reading, draft, where->kind, place) != RA_OK)
        return RA_E_NOMEM;
    return reading_lines(reading, draft, where, document->bytes);
}

/* ---- lists ------------------------------------------------------------------------- */

enum ra_status reading_lines(struct reading *reading, struct draft *draft,
                             const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_span base = where->root, path;
    const struct listed nothing = { 0 };
    enum ra_status status = RA_OK;

    draft->package.has_list = true;
    while (status == RA_OK && ra_piece_line(&cur, &path)) {
        if (where->is_dpkg && ra_piece_starts(path, "/")) {
            if (ra_piece_equals(path, "/.") || is_folder(cur, path))
                continue;
            path = ra_piece_tail(path, 1); /* of the system whose dpkg it is */
        }
        if (path.size > 0)
            status = reading_file(reading, draft, base, path, &nothing);
    }
    return status;
}

static void read_facts(struct reading *reading, const struct ra_row *row,
                       struct listed *listed)
{
    *listed = (struct listed){ 0 };
    if (row->count != RA_ROW_FIELDS || row->is_cut)
        reading_odd(reading, row->offset, "a row that is not of three fields");
    if (!ra_site_digest_parse(row->fields[1], &listed->digest))
        reading_odd(reading, row->offset, "a digest that is none");
    if (row->fields[2].size > 0) {
        listed->has_size = ra_piece_number(row->fields[2], &listed->size);
        if (!listed->has_size)
            reading_odd(reading, row->offset, "a size that is no number");
    }
}

enum ra_status reading_rows(struct reading *reading, struct draft *draft,
                            const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_row row = { 0 };
    enum ra_status status = RA_OK;

    draft->package.has_list = true;
    while (status == RA_OK && ra_row_next(&cur, &row)) {
        struct ra_span path = row.fields[0];
        struct listed listed;

        for (size_t i = 0; i < RA_ROW_FIELDS; i++)
            if (row.texts[i].failed)
                status = RA_E_NOMEM;
        read_facts(reading, &row, &listed);
        path.base = row.offset;
        if (status == RA_OK && (row.count > 1 || !row.is_cut))
            status = reading_file(reading, draft, where->root, path, &listed);
    }
    ra_row_free(&row);
    return status;
}

/* ---- editable installs ---------------------------------------------------------------
 */

static enum ra_status set_editable(struct reading *reading, struct draft *draft,
                                   struct ra_span folder, struct ra_span path)
{
    if (draft->package.editable && draft->package.editable[0])
        return RA_OK;
    if (path.size > 0 && !ra_place_join(&reading->place, folder, path, false)) {
        if (reading->place.failed)
            return RA_E_NOMEM;
        path.size = 0;
    }
    draft->package.editable =
        path.size > 0
            ? ra_arena_text(reading->arena, reading->place.data, reading->place.size)
            : ra_arena_text(reading->arena, "", 0);
    return draft->package.editable ? RA_OK : RA_E_NOMEM;
}

/* The first line that is a path; a line that is code finds the files when it is run. */
enum ra_status reading_pth(struct reading *reading, struct draft *draft,
                           const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_span line, none = { 0 };

    while (ra_piece_line(&cur, &line)) {
        line = ra_piece_trim(line);
        if (line.size > 0 && line.data[0] != '#' && !ra_piece_starts(line, "import "))
            return set_editable(reading, draft, where->root, line);
    }
    return set_editable(reading, draft, where->root, none);
}

enum ra_status reading_egg_link(struct reading *reading, struct draft *draft,
                                const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_span line = { 0 };

    (void)!ra_piece_line(&cur, &line);
    line = ra_piece_trim(line);
    if (line.size == 0)
        reading_odd(reading, bytes.base, "no folder that it links to");
    return set_editable(reading, draft, where->root, line);
}
