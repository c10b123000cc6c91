#include "report/table.h"

/* What an elastic column keeps, however narrow the page. */
#define ELASTIC_LEAST ((size_t)12)
#define GAP           ((size_t)2)
#define COLUMNS_MOST  16

struct ra_row {
    struct ra_row *next;
    const char *above; /* or NULL */
    const char *cells[];
};

void ra_table_add(struct ra_table *table, const char *above, const char *const *cells)
{
    size_t bytes = table->count * sizeof(*cells);
    struct ra_row *row;

    row = ra_arena_alloc(&table->page->arena, 1, sizeof(*row) + bytes);
    if (!row) {
        table->page->failed = true;
        return;
    }
    memcpy(row->cells, cells, bytes);
    row->above = above;
    if (table->last)
        table->last->next = row;
    else
        table->first = row;
    table->last = row;
}

/* Width of a column by its content, 0 if it is empty. */
static size_t column_width(const struct ra_table *table, size_t column)
{
    const char *title = table->columns[column].title;
    size_t width = 0;

    for (const struct ra_row *row = table->first; row; row = row->next) {
        size_t columns = ra_page_columns(row->cells[column]);

        width = columns > width ? columns : width;
    }
    if (width > 0 && title && ra_page_columns(title) > width)
        width = ra_page_columns(title);
    return width;
}

/* Take from the widest elastic column what the row is too wide. */
static void squeeze(const struct ra_table *table, size_t *widths)
{
    size_t all = table->indent, width = table->page->style->width, widest = 0;

    for (size_t i = 0; i < table->count; i++) {
        all += widths[i] ? widths[i] + (all > table->indent ? GAP : 0) : 0;
        if (!table->columns[widest].elastic ||
            (table->columns[i].elastic && widths[i] > widths[widest]))
            widest = i;
    }
    if (all <= width || table->page->style->verbose || !table->columns[widest].elastic ||
        widths[widest] <= ELASTIC_LEAST)
        return;
    if (widths[widest] - ELASTIC_LEAST > all - width)
        widths[widest] -= all - width;
    else
        widths[widest] = ELASTIC_LEAST;
}

/* A line never ends in spaces: `pending` are put only before a cell. */
static void write_row(const struct ra_table *table, const size_t *widths,
                      const char *const *cells)
{
    struct ra_page *page = table->page;
    size_t pending = table->indent;

    for (size_t i = 0; i < table->count; i++) {
        const char *cell;
        size_t room;

        if (!widths[i])
            continue;
        cell = ra_page_cut(page, cells[i], widths[i]);
        room = widths[i] - ra_page_columns(cell);
        if (*cell) {
            ra_out_fill(page->out, ' ', pending + (table->columns[i].right ? room : 0));
            ra_page_word(page, cell);
            pending = GAP + (table->columns[i].right ? 0 : room);
        } else {
            pending += room + GAP;
        }
    }
    ra_out_str(page->out, "\n");
}

static void write_above(const struct ra_table *table, const char *text)
{
    struct ra_page *page = table->page;
    size_t width = page->style->width;

    width = width > table->indent ? width - table->indent : 1;
    ra_out_fill(page->out, ' ', table->indent);
    ra_out_str(page->out, ra_page_cut(page, text, width));
    ra_out_str(page->out, "\n");
}

void ra_table_write(struct ra_table *table)
{
    size_t widths[COLUMNS_MOST] = { 0 };
    const char *titles[COLUMNS_MOST] = { 0 };

    for (size_t i = 0; i < table->count; i++) {
        widths[i] = column_width(table, i);
        titles[i] = table->columns[i].title;
    }
    squeeze(table, widths);
    if (table->first && titles[0])
        write_row(table, widths, titles);
    for (const struct ra_row *row = table->first; row; row = row->next) {
        if (row->above)
            write_above(table, row->above);
        write_row(table, widths, row->cells);
    }
    table->first = table->last = NULL;
}
