#include "site/fields.h"

#include "site/pieces.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static bool goes_on(const struct ra_cursor *cur)
{
    struct ra_cursor ahead = *cur;
    uint8_t first = ra_cursor_u8(&ahead);

    return first == ' ' || first == '\t';
}

/* The rest of a line and those that go on with it. */
static struct ra_span folded(struct ra_cursor *cur, struct ra_span value)
{
    struct ra_span line, rest = value;

    while (goes_on(cur) && ra_piece_line(cur, &line)) {
        if (ra_piece_trim(line).size == 0)
            continue; /* some writers leave blanks where there is nothing */
        rest.size = (size_t)(line.data + line.size - rest.data);
    }
    return rest;
}

enum ra_field_kind ra_field_next(struct ra_cursor *cur, struct ra_field *ret)
{
    struct ra_span line;
    size_t colon;

    *ret = (struct ra_field){ 0 };
    if (cur->pos == 0)
        (void)ra_cursor_match(cur, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK));
    cur->failed = false;
    if (!ra_piece_line(cur, &line))
        return RA_FIELD_END;
    if (line.size == 0)
        return RA_FIELD_GAP;
    colon = ra_piece_find(line, ':');
    if (colon == 0 || colon == line.size || line.data[0] == ' ' || line.data[0] == '\t') {
        ret->value = line;
        return RA_FIELD_ODD;
    }
    ret->name = ra_piece_trim(ra_piece_head(line, colon));
    ret->value = ra_piece_trim(folded(cur, ra_piece_tail(line, colon + 1)));
    return RA_FIELD;
}

/* ---- requirements ----------------------------------------------------------------- */

static bool is_of_name(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '.' || byte == '-' || byte == '_';
}

static struct ra_span take_name(struct ra_span *text)
{
    size_t size = 0;
    struct ra_span name;

    while (size < text->size && is_of_name(text->data[size]))
        size++;
    name = ra_piece_head(*text, size);
    *text = ra_piece_trim(ra_piece_tail(*text, size));
    return name;
}

/* What is between `open` and the next `close`, if the text starts with `open`. */
static struct ra_span take_enclosed(struct ra_span *text, const char *open, uint8_t close)
{
    struct ra_span inner = { 0 };
    size_t end;

    if (!ra_piece_starts(*text, open))
        return inner;
    end = ra_piece_find(ra_piece_tail(*text, 1), close);
    if (end + 1 == text->size)
        return inner;
    inner = ra_piece_trim(ra_piece_head(ra_piece_tail(*text, 1), end));
    *text = ra_piece_trim(ra_piece_tail(*text, end + 2));
    return inner;
}

/* Where the marker starts: an address may hold a semicolon, and ends with a blank. */
static size_t find_marker(struct ra_span text)
{
    size_t at = ra_piece_find(text, ';');

    if (!ra_piece_starts(text, "@"))
        return at;
    while (at < text.size && text.data[at - 1] != ' ' && text.data[at - 1] != '\t')
        at += 1 + ra_piece_find(ra_piece_tail(text, at + 1), ';');
    return at < text.size ? at : text.size;
}

/* The word in quotes that `text` starts with. */
static struct ra_span quoted(struct ra_span text)
{
    text = ra_piece_trim(text);
    if (ra_piece_starts(text, "\""))
        return take_enclosed(&text, "\"", '"');
    return take_enclosed(&text, "'", '\'');
}

/*
 * The extra that `extra == "gpu"` asks for. A marker may ask for several; the first says
 * enough of what the requirement is for.
 */
static struct ra_span extra_of(struct ra_span marker)
{
    struct ra_span rest = marker, none = { 0 };

    while (rest.size > 0) {
        const uint8_t *found = memmem(rest.data, rest.size, "extra", 5);
        size_t at;

        if (!found)
            break;
        at = (size_t)(found - rest.data);
        rest = ra_piece_trim(ra_piece_tail(rest, at + 5));
        if (ra_piece_starts(rest, "=="))
            return quoted(ra_piece_tail(rest, 2));
    }
    return none;
}

bool ra_requirement_parse(struct ra_span text, struct ra_requirement *ret)
{
    struct ra_span rest = ra_piece_trim(text);
    size_t marker;

    *ret = (struct ra_requirement){ 0 };
    ret->name = take_name(&rest);
    if (ret->name.size == 0)
        return false;
    ret->extras = take_enclosed(&rest, "[", ']');
    marker = find_marker(rest);
    if (marker < rest.size)
        ret->marker = ra_piece_trim(ra_piece_tail(rest, marker + 1));
    ret->spec = ra_piece_trim(ra_piece_head(rest, marker));
    if (ra_piece_starts(ret->spec, "("))
        ret->spec = take_enclosed(&ret->spec, "(", ')');
    ret->extra = extra_of(ret->marker);
    return true;
}
