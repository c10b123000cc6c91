#include "site/json.h"

#include "site/pieces.h"

struct ra_json ra_json_over(struct ra_span text)
{
    return (struct ra_json){ .cur = ra_cursor_over(text) };
}

static bool is_white(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* The next byte that is not white, not consumed; 0 at the end. */
static uint8_t look(struct ra_json *json)
{
    struct ra_cursor ahead = json->cur;
    uint8_t byte;

    do {
        json->cur = ahead;
        byte = ra_cursor_u8(&ahead);
    } while (ra_cursor_ok(&ahead) && is_white(byte));
    return byte;
}

static bool take(struct ra_json *json, uint8_t wanted)
{
    if (look(json) != wanted)
        return false;
    ra_cursor_skip(&json->cur, 1);
    return true;
}

static bool is_escaped(struct ra_span text, size_t quote)
{
    size_t start = quote;

    while (start > 0 && text.data[start - 1] == '\\')
        start--;
    return (quote - start) % 2 == 1;
}

/* Behind its first quote; false if the text ends before the string does. */
static bool take_string(struct ra_json *json, struct ra_span *ret)
{
    struct ra_span rest = ra_piece_tail(json->cur.span, json->cur.pos);
    size_t size = ra_piece_find(rest, '"');

    while (size < rest.size && is_escaped(rest, size))
        size += 1 + ra_piece_find(ra_piece_tail(rest, size + 1), '"');
    if (size >= rest.size)
        return false;
    *ret = ra_cursor_take(&json->cur, size);
    ra_cursor_skip(&json->cur, 1);
    return true;
}

static bool is_plain(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte == '+' ||
           byte == '-' || byte == '.' || byte == 'E' || byte == 'I' || byte == 'N';
}

/* A number, true, false, null, or what Python writes besides: NaN and Infinity. */
static bool take_plain(struct ra_json *json)
{
    struct ra_span rest = ra_piece_tail(json->cur.span, json->cur.pos);
    size_t size = 0;

    while (size < rest.size && is_plain(rest.data[size]))
        size++;
    json->value = ra_cursor_take(&json->cur, size);
    return size > 0;
}

static bool in_object(const struct ra_json *json)
{
    return json->depth > 0 && (json->objects >> (json->depth - 1) & 1) != 0;
}

static enum ra_json_token open_container(struct ra_json *json, bool object)
{
    uint64_t bit = (uint64_t)1 << json->depth;

    if (json->depth == RA_JSON_DEPTH)
        return RA_JSON_BAD;
    json->objects = object ? json->objects | bit : json->objects & ~bit;
    json->depth++;
    json->in_need_of_comma = false;
    ra_cursor_skip(&json->cur, 1);
    return RA_JSON_OPEN;
}

static enum ra_json_token read_value(struct ra_json *json)
{
    uint8_t first = look(json);

    json->value = (struct ra_span){ 0 };
    json->level = json->depth;
    if (first == '{' || first == '[')
        return open_container(json, first == '{');
    json->in_need_of_comma = true;
    if (first != '"')
        return take_plain(json) ? RA_JSON_PLAIN : RA_JSON_BAD;
    ra_cursor_skip(&json->cur, 1);
    return take_string(json, &json->value) ? RA_JSON_STRING : RA_JSON_BAD;
}

static enum ra_json_token next_in_container(struct ra_json *json)
{
    bool object = in_object(json);
    bool comma;

    if (take(json, object ? '}' : ']')) {
        json->level = --json->depth;
        json->in_need_of_comma = true;
        return RA_JSON_CLOSE;
    }
    comma = json->in_need_of_comma;
    if (comma && !take(json, ','))
        return RA_JSON_BAD;
    json->keys[json->depth] = (struct ra_span){ 0 };
    if (object && (!take(json, '"') || !take_string(json, &json->keys[json->depth]) ||
                   !take(json, ':')))
        return RA_JSON_BAD;
    return read_value(json);
}

enum ra_json_token ra_json_next(struct ra_json *json)
{
    enum ra_json_token token;

    if (json->bad)
        return RA_JSON_BAD;
    if (json->depth > 0)
        token = next_in_container(json);
    else if (json->started)
        return RA_JSON_END;
    else
        token = read_value(json);
    json->started = true;
    json->bad = token == RA_JSON_BAD;
    return token;
}

bool ra_json_key_is(const struct ra_json *json, size_t level, const char *key)
{
    return level <= json->level && ra_piece_equals(json->keys[level], key);
}

/* ---- what strings mean ---------------------------------------------------------- */

#define REPLACEMENT 0xfffd

static void add_code(struct ra_text *text, uint32_t code)
{
    char bytes[4];
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (size == 1) {
        bytes[0] = (char)code;
    } else {
        for (size_t i = size; i-- > 1; code >>= 6)
            bytes[i] = (char)(0x80 | (code & 0x3f));
        bytes[0] = (char)((0xf00u >> size & 0xf0) | code);
    }
    ra_text_add(text, bytes, size);
}

/* Four hexadecimal digits; false if they are not there. */
static bool take_unit(struct ra_cursor *cur, uint32_t *ret)
{
    struct ra_span digits = ra_cursor_take(cur, 4);
    uint32_t value = 0;

    if (digits.size != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        uint8_t letter = digits.data[i];
        uint8_t lower = letter | 0x20;

        if (letter >= '0' && letter <= '9')
            value = value << 4 | (uint32_t)(letter - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value << 4 | (uint32_t)(lower - 'a' + 10);
        else
            return false;
    }
    *ret = value;
    return true;
}

/* Behind \u. */
static uint32_t read_code(struct ra_cursor *cur)
{
    uint32_t high, low;
    struct ra_cursor ahead;

    if (!take_unit(cur, &high))
        return REPLACEMENT;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    ahead = *cur;
    if (high >= 0xdc00 || !ra_cursor_match(&ahead, "\\u", 2) ||
        !take_unit(&ahead, &low) || low < 0xdc00 || low > 0xdfff)
        return REPLACEMENT;
    *cur = ahead;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static void read_escape(struct ra_cursor *cur, struct ra_text *text)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    char letter = (char)ra_cursor_u8(cur);
    const char *found;

    if (!ra_cursor_ok(cur))
        return;
    found = letter ? strchr(letters, letter) : NULL;
    if (letter == 'u')
        add_code(text, read_code(cur));
    else
        ra_text_add(text, found ? &meant[found - letters] : &letter, 1);
}

void ra_json_decode(struct ra_span string, struct ra_text *ret)
{
    struct ra_cursor cur = ra_cursor_over(string);

    while (cur.pos < string.size && ra_cursor_ok(&cur)) {
        struct ra_span rest = ra_piece_tail(string, cur.pos);
        struct ra_span plain = ra_cursor_take(&cur, ra_piece_find(rest, '\\'));

        ra_text_add(ret, (const char *)plain.data, plain.size);
        if (cur.pos < string.size) {
            ra_cursor_skip(&cur, 1);
            read_escape(&cur, ret);
        }
    }
}
