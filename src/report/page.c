#include "report/page.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define DOTS "..."

/* Columns below which the name of an archive says nothing. */
#define ARCHIVE_LEAST ((size_t)8)

enum ra_status ra_page_end(struct ra_page *page)
{
    ra_arena_free(&page->arena);
    return page->failed ? RA_E_NOMEM : RA_OK;
}

static const char *kept(struct ra_page *page, const char *text)
{
    page->failed |= !text;
    return text ? text : "";
}

const char *ra_page_format(struct ra_page *page, const char *format, ...)
{
    const char *ret = NULL;
    char *text = NULL;
    va_list args;
    int size;

    va_start(args, format);
    size = vasprintf(&text, format, args);
    va_end(args);
    if (size >= 0) {
        ret = ra_arena_text(&page->arena, text, (size_t)size);
        free(text);
    }
    return kept(page, ret);
}

const char *ra_page_number(struct ra_page *page, uint64_t number)
{
    char digits[24], text[32];
    size_t size, at = 0;

    size = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    return kept(page, ra_arena_text(&page->arena, text, at));
}

const char *ra_page_count(struct ra_page *page, uint64_t number, const char *one,
                          const char *many)
{
    return ra_page_format(page, "%s %s", ra_page_number(page, number),
                          number == 1 ? one : many);
}

const char *ra_page_bytes(struct ra_page *page, uint64_t bytes)
{
    static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
    uint64_t unit = 1000;
    size_t i = 0;
    double value;

    if (bytes < unit)
        return ra_page_format(page, "%" PRIu64 " B", bytes);
    while (i + 1 < RA_COUNT(units) && bytes / unit >= 1000) {
        unit *= 1000;
        i++;
    }
    value = (double)bytes / (double)unit;
    return ra_page_format(page, "%.*f %s",
                          value < 9.995   ? 2
                          : value < 99.95 ? 1
                                          : 0,
                          value, units[i]);
}

/* Bytes of the character at `text`, which is UTF-8 or else taken byte by byte. */
static size_t char_size(const char *text)
{
    unsigned char lead = (unsigned char)*text;
    size_t size = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    for (size_t i = 1; i < size; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 1;
    return size;
}

/*
 * Columns of a character. East Asian wide ones start at U+1100 (lead bytes E1 84) and
 * fill most of what is above U+2E80; to take all of those as wide can cut a name too
 * early but never too late. Marks that take no column count as one, for the same reason.
 */
static size_t char_columns(const char *text)
{
    unsigned char lead = (unsigned char)text[0], next = lead ? (unsigned char)text[1] : 0;

    if (lead > 0xe2 || (lead == 0xe2 && next >= 0xba))
        return 2;
    return lead == 0xe1 && (next == 0x84 || next == 0x85) ? 2 : 1;
}

size_t ra_page_columns(const char *text)
{
    size_t columns = 0;

    for (; *text; text += char_size(text))
        columns += char_columns(text);
    return columns;
}

/* Bytes of the longest start of `text` that takes at most `columns`. */
static size_t head_size(const char *text, size_t columns)
{
    size_t size = 0;

    while (text[size] && char_columns(text + size) <= columns) {
        columns -= char_columns(text + size);
        size += char_size(text + size);
    }
    return size;
}

/* `text` is wider than `columns`. */
static const char *cut_middle(struct ra_page *page, const char *text, size_t columns)
{
    size_t all = ra_page_columns(text), dots = sizeof(DOTS) - 1, head, tail;
    const char *rest = text;

    if (columns <= dots)
        return ra_page_format(page, "%.*s", (int)columns, DOTS);
    /* The end of a path says more than its start. */
    head = (columns - dots) / 3;
    tail = columns - dots - head;
    for (size_t left = all; left > tail; rest += char_size(rest))
        left -= char_columns(rest);
    return ra_page_format(page, "%.*s" DOTS "%s", (int)head_size(text, head), text, rest);
}

/*
 * Of ARCHIVE!MEMBER: the library is what is looked for, so the archive gives way first.
 * `member` starts with the mark.
 */
static const char *cut_member(struct ra_page *page, const char *text, const char *member,
                              size_t columns)
{
    size_t behind = ra_page_columns(member), dots = sizeof(DOTS) - 1;
    const char *archive;

    if (behind + ARCHIVE_LEAST <= columns) {
        archive = ra_page_format(page, "%.*s", (int)(member - text), text);
        archive = cut_middle(page, archive, columns - behind);
        return ra_page_format(page, "%s%s", archive, member);
    }
    if (behind + dots <= columns)
        return ra_page_format(page, DOTS "%s", member);
    return ra_page_format(page, DOTS "!%s",
                          cut_middle(page, member + 1, columns - dots - 1));
}

const char *ra_page_cut(struct ra_page *page, const char *text, size_t columns)
{
    const char *mark = strrchr(text, '!');

    if (ra_page_columns(text) <= columns || page->style->verbose)
        return text;
    if (mark && mark > text && mark[1] && columns > ARCHIVE_LEAST)
        return cut_member(page, text, mark, columns);
    return cut_middle(page, text, columns);
}

const char *ra_page_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

void ra_page_word(struct ra_page *page, const char *word)
{
    static const struct {
        const char *word, *color;
    } colors[] = {
        { "FAILS", "\033[1;31m" },
        { "warns", "\033[33m" },
        { "?", "\033[33m" },
        { "fits", "\033[32m" },
    };

    for (size_t i = 0; page->style->color && i < RA_COUNT(colors); i++) {
        if (strcmp(word, colors[i].word) == 0) {
            ra_out_str(page->out, colors[i].color);
            ra_out_str(page->out, word);
            ra_out_str(page->out, "\033[0m");
            return;
        }
    }
    ra_out_str(page->out, word);
}

/* Put a word of running text `gap` columns behind `column`; return the column after it.
 */
static size_t put_token(struct ra_page *page, const char *token, size_t start,
                        size_t column, size_t gap)
{
    size_t width = page->style->width, columns;

    if (!page->whole)
        token = ra_page_cut(page, token, width > start ? width - start : 1);
    columns = ra_page_columns(token);
    if (column > start && column + gap + columns > width) {
        ra_out_str(page->out, "\n");
        column = 0;
        gap = start;
    } else if (column == start) {
        gap = 0;
    }
    ra_out_fill(page->out, ' ', gap);
    ra_out_str(page->out, token);
    return column + gap + columns;
}

void ra_page_run(struct ra_page *page, size_t start, const char *text)
{
    size_t column = start;

    while (*text) {
        size_t gap = strspn(text, " "), size = strcspn(text + gap, " ");
        const char *token = ra_page_format(page, "%.*s", (int)size, text + gap);

        if (size > 0)
            column = put_token(page, token, start, column, gap);
        text += gap + size;
    }
    ra_out_str(page->out, "\n");
}

void ra_page_gap(struct ra_page *page)
{
    if (page->out->total == page->gap_end)
        return;
    ra_out_str(page->out, "\n");
    page->gap_end = page->out->total;
}

void ra_page_text(struct ra_page *page, const char *text)
{
    ra_page_run(page, 0, text);
}

void ra_page_lines(struct ra_page *page, const char *word, const char *lead,
                   size_t indent, const char *text)
{
    size_t columns = ra_page_columns(word);

    ra_page_word(page, word);
    ra_out_fill(page->out, ' ', RA_PAGE_INDENT - columns);
    ra_out_str(page->out, lead);
    columns = ra_page_columns(lead);
    if (!*text)
        indent = columns;
    if (columns > indent) {
        ra_out_str(page->out, "\n");
        ra_out_fill(page->out, ' ', RA_PAGE_INDENT);
        columns = 0;
    }
    ra_out_fill(page->out, ' ', indent - columns);
    ra_page_run(page, RA_PAGE_INDENT + indent, text);
}

void ra_page_more(struct ra_page *page, size_t count, const char *one, const char *many)
{
    const char *text;

    text = ra_page_format(page, "and %s more %s   (-v lists %s)",
                          ra_page_number(page, count), count == 1 ? one : many,
                          count == 1 ? "it" : "them");
    ra_page_lines(page, "", "", 0, text);
}
