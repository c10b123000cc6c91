#include "site/rows.h"

#include "site/pieces.h"

/* One behind another, for the common row that has no quotes. */
static void read_plain(struct ra_span line, struct ra_row *row)
{
    struct ra_cursor cur = ra_cursor_over(line);
    bool more = true;

    while (more) {
        size_t start = cur.pos;
        struct ra_span field = ra_piece_until(&cur, ',');

        more = cur.pos > start + field.size;
        if (row->count < RA_ROW_FIELDS)
            row->fields[row->count] = field;
        row->count++;
    }
}

/* The bytes up to a comma or a line end, which stay. */
static struct ra_span take_bare(struct ra_cursor *cur)
{
    struct ra_span rest = ra_piece_tail(cur->span, cur->pos);
    size_t end = ra_piece_find(rest, '\n');

    if (end > 0 && end < rest.size && rest.data[end - 1] == '\r')
        end--;
    return ra_cursor_take(cur, ra_piece_find(ra_piece_head(rest, end), ','));
}

/* Behind the first quote of a field; false if the text ends before the field does. */
static bool take_quoted(struct ra_cursor *cur, struct ra_text *text)
{
    struct ra_span piece;

    for (;;) {
        struct ra_span rest = ra_piece_tail(cur->span, cur->pos);
        size_t size = ra_piece_find(rest, '"');

        piece = ra_cursor_take(cur, size);
        ra_text_add(text, (const char *)piece.data, piece.size);
        if (size == rest.size)
            return false;
        ra_cursor_skip(cur, 1);
        if (cur->pos == cur->span.size || cur->span.data[cur->pos] != '"')
            break;
        ra_cursor_skip(cur, 1);
        ra_text_str(text, "\"");
    }
    piece = take_bare(cur); /* as Python does with what follows the quotes */
    ra_text_add(text, (const char *)piece.data, piece.size);
    return true;
}

static void take_field(struct ra_cursor *cur, struct ra_row *row)
{
    size_t at = row->count < RA_ROW_FIELDS ? row->count : RA_ROW_FIELDS - 1;
    struct ra_text *text = &row->texts[at], none = { 0 };
    struct ra_span field;

    if (row->count >= RA_ROW_FIELDS)
        text = &none; /* it is passed over, quotes and all */
    if (cur->pos == cur->span.size || cur->span.data[cur->pos] != '"') {
        field = take_bare(cur);
    } else {
        ra_cursor_skip(cur, 1);
        text->size = 0;
        row->is_cut = !take_quoted(cur, text);
        field = (struct ra_span){ (const uint8_t *)text->data, text->size, row->offset };
    }
    if (row->count < RA_ROW_FIELDS)
        row->fields[row->count] = field;
    row->count++;
    ra_text_free(&none);
}

/* A row in which quotes may hold line ends. */
static void read_quoted(struct ra_cursor *cur, struct ra_row *row)
{
    bool more = true;

    while (more) {
        take_field(cur, row);
        more = !row->is_cut && ra_cursor_match(cur, ",", 1);
    }
    cur->failed = false;
    (void)ra_piece_until(cur, '\n');
}

static bool has_quoted(struct ra_span line)
{
    size_t at = ra_piece_find(line, '"');

    while (at < line.size && at > 0 && line.data[at - 1] != ',')
        at += 1 + ra_piece_find(ra_piece_tail(line, at + 1), '"');
    return at < line.size;
}

bool ra_row_next(struct ra_cursor *cur, struct ra_row *ret)
{
    struct ra_cursor start;
    struct ra_span line;

    do {
        start = *cur;
        if (!ra_piece_line(cur, &line))
            return false;
    } while (line.size == 0);
    ret->count = 0;
    ret->is_cut = false;
    ret->offset = ra_cursor_where(&start);
    memset(ret->fields, 0, sizeof(ret->fields));
    if (!has_quoted(line)) {
        read_plain(line, ret);
        return true;
    }
    *cur = start;
    read_quoted(cur, ret);
    return true;
}

void ra_row_free(struct ra_row *row)
{
    for (size_t i = 0; i < RA_ROW_FIELDS; i++)
        ra_text_free(&row->texts[i]);
}
