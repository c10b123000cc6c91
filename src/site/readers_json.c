/* The records that are JSON: of conda, and where a wheel was installed from. */
#include "site/json.h"
#include "site/pieces.h"
#include "site/reading.h"

/* What a string means: itself, if it has no escape. Valid until the next is asked for. */
static bool meaning(struct ra_text *text, struct ra_span string, struct ra_span *ret)
{
    *ret = string;
    if (ra_piece_find(string, '\\') == string.size)
        return true;
    text->size = 0;
    ra_json_decode(string, text);
    *ret = (struct ra_span){ (const uint8_t *)text->data, text->size, string.base };
    return !text->failed;
}

static void check_end(struct reading *reading, const struct ra_json *json,
                      enum ra_json_token token)
{
    if (token == RA_JSON_BAD)
        reading_odd(reading, ra_cursor_where(&json->cur), "JSON that is damaged");
}

/* ---- conda ---------------------------------------------------------------------------
 */

/* A file as its object in a list of "paths" tells of it, raw. */
struct path {
    struct ra_span place, sha256, in_prefix, size;
};

static enum ra_status end_path(struct reading *reading, struct draft *draft,
                               const struct ra_record_place *where, struct path *path)
{
    struct ra_span place;
    struct listed listed = { 0 };
    /* A file that holds the prefix is another once it is installed, maybe longer. */
    struct ra_span sha256 = path->in_prefix.size > 0 ? path->in_prefix : path->sha256;
    bool changed = path->in_prefix.size > 0 &&
                   (path->in_prefix.size != path->sha256.size ||
                    memcmp(path->in_prefix.data, path->sha256.data, sha256.size) != 0);

    if (sha256.size > 0 && !ra_site_sha256_parse(sha256, &listed.digest))
        reading_odd(reading, sha256.base, "a digest that is none");
    if (path->size.size > 0 && !changed)
        listed.has_size = ra_piece_number(path->size, &listed.size);
    place = path->place;
    *path = (struct path){ 0 };
    if (place.size == 0)
        return RA_OK;
    if (!meaning(&reading->text, place, &place))
        return RA_E_NOMEM;
    return reading_file(reading, draft, where->root, place, &listed);
}

static void take_of_path(const struct ra_json *json, struct path *path)
{
    size_t level = json->level;

    if (ra_json_key_is(json, level, "_path"))
        path->place = json->value;
    else if (ra_json_key_is(json, level, "sha256"))
        path->sha256 = json->value;
    else if (ra_json_key_is(json, level, "sha256_in_prefix"))
        path->in_prefix = json->value;
    else if (ra_json_key_is(json, level, "size_in_bytes"))
        path->size = json->value;
}

/* The level of the objects that tell of files: of "paths", or of that of "paths_data". */
static size_t level_of_paths(const struct ra_json *json)
{
    if (json->level >= 2 && ra_json_key_is(json, 1, "paths"))
        return 2;
    return json->level >= 3 && ra_json_key_is(json, 1, "paths_data") &&
                   ra_json_key_is(json, 2, "paths")
               ? 3
               : 0;
}

enum ra_status reading_paths(struct reading *reading, struct draft *draft,
                             const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_json json = ra_json_over(bytes);
    struct path path = { 0 };
    enum ra_json_token token = RA_JSON_OPEN;
    enum ra_status status = RA_OK;

    draft->package.has_list = true;
    while (status == RA_OK && (token = ra_json_next(&json)) > RA_JSON_BAD) {
        size_t level = level_of_paths(&json);

        if (level > 0 && json.level == level + 1 && token >= RA_JSON_STRING)
            take_of_path(&json, &path);
        else if (level > 0 && json.level == level && token == RA_JSON_CLOSE)
            status = end_path(reading, draft, where, &path);
    }
    check_end(reading, &json, token);
    return status;
}

/* "name" and "version" of the object that all is in, and the strings of "files". */
static enum ra_status take_of_conda(struct reading *reading, struct draft *draft,
                                    const struct ra_record_place *where,
                                    const struct ra_json *json)
{
    struct ra_span text, none = { 0 };
    const struct listed nothing = { 0 };

    if (!meaning(&reading->text, json->value, &text))
        return RA_E_NOMEM;
    if (json->level == 1 && ra_json_key_is(json, 1, "name"))
        return reading_named(reading, draft, text, none);
    if (json->level == 1 && ra_json_key_is(json, 1, "version"))
        return reading_named(reading, draft, none, text);
    if (json->level != 2 || !ra_json_key_is(json, 1, "files"))
        return RA_OK;
    return reading_file(reading, draft, where->root, text, &nothing);
}

enum ra_status reading_conda(struct reading *reading, struct draft *draft,
                             const struct ra_record_place *where, struct ra_span bytes)
{
    struct ra_json json = ra_json_over(bytes);
    enum ra_json_token token;
    enum ra_status status = RA_OK;

    while (status == RA_OK && (token = ra_json_next(&json)) > RA_JSON_BAD)
        if (token == RA_JSON_STRING)
            status = take_of_conda(reading, draft, where, &json);
    if (status == RA_OK && !draft->package.raw_name)
        reading_odd(reading, bytes.base, "no name");
    /* Damage is told by this one, once. */
    return status == RA_OK ? reading_paths(reading, draft, where, bytes) : status;
}

/* ---- direct_url.json ------------------------------------------------------------------
 */

static uint8_t hex_value(uint8_t letter)
{
    uint8_t lower = letter | 0x20;

    if (letter >= '0' && letter <= '9')
        return (uint8_t)(letter - '0');
    return lower >= 'a' && lower <= 'f' ? (uint8_t)(lower - 'a' + 10) : 16;
}

/* The path of a file: address (RFC 8089), with %20 and the like taken back. */
static void add_path(struct ra_text *text, struct ra_span address)
{
    struct ra_cursor cur = ra_cursor_over(address);

    while (cur.pos < address.size) {
        struct ra_cursor ahead = cur;
        char byte = (char)ra_cursor_u8(&cur);
        struct ra_span escape = ra_cursor_take(&ahead, 3);

        if (byte == '%' && escape.size == 3 && hex_value(escape.data[1]) < 16 &&
            hex_value(escape.data[2]) < 16) {
            byte = (char)(hex_value(escape.data[1]) << 4 | hex_value(escape.data[2]));
            cur = ahead;
        }
        ra_text_add(text, &byte, 1);
    }
}

static enum ra_status set_address(struct reading *reading, struct draft *draft,
                                  struct ra_span url)
{
    struct ra_span address, none = { 0 }, path;
    struct ra_text text = { 0 };
    enum ra_status status = RA_E_NOMEM;

    if (!meaning(&reading->text, url, &address))
        return RA_E_NOMEM;
    if (ra_piece_starts(address, "file://")) {
        address = ra_piece_tail(address, strlen("file://"));
        address = ra_piece_tail(address, ra_piece_find(address, '/')); /* the host */
        add_path(&text, address);
    }
    path = (struct ra_span){ (const uint8_t *)text.data, text.size, 0 };
    if (ra_piece_find(path, '\0') < path.size)
        path.size = 0;
    if (!text.failed &&
        !(path.size > 0 && !ra_place_join(&reading->place, none, path, false) &&
          reading->place.failed)) {
        draft->package.editable = ra_arena_text(reading->arena, reading->place.data,
                                                path.size > 0 ? reading->place.size : 0);
        status = draft->package.editable ? RA_OK : RA_E_NOMEM;
    }
    ra_text_free(&text);
    return status;
}

enum ra_status reading_direct_url(struct reading *reading, struct draft *draft,
                                  const struct ra_record_place *where,
                                  struct ra_span bytes)
{
    struct ra_json json = ra_json_over(bytes);
    struct ra_span url = { 0 };
    bool editable = false;
    enum ra_json_token token;

    (void)where;
    while ((token = ra_json_next(&json)) > RA_JSON_BAD) {
        if (token == RA_JSON_STRING && json.level == 1 && ra_json_key_is(&json, 1, "url"))
            url = json.value;
        if (token == RA_JSON_PLAIN && json.level == 2 &&
            ra_json_key_is(&json, 1, "dir_info") && ra_json_key_is(&json, 2, "editable"))
            editable = ra_piece_equals(json.value, "true");
    }
    check_end(reading, &json, token);
    return editable ? set_address(reading, draft, url) : RA_OK;
}
