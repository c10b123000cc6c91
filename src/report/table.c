#include "report/table.h"

/* What an elastic column keeps, however narrow the page. */
#define ELASTIC_LEAST ((size_t)12)
#define GAP           ((size_t)2)
#define COLUMNS_MOST  16

struct ra_row {
    struct ra_row *next;
    const char *above; /* or NULL */
    size_t text;       /* the cell that is running text, or SIZE_MAX */
    const char *cells[];
};

static struct ra_row *add_row(struct ra_table *table, const char *const *cells)
{
    size_t bytes = table->count * sizeof(*cells);
    struct ra_row *row;

    row = ra_arena_alloc(&table->page->arena, 1, sizeof(*row) + bytes);
    if (!row) {
        table->page->failed = true;
        return NULL;
    }
    memcpy(row->cells, cells, bytes);
    row->text = SIZE_MAX;
    if (table->last)
        table->last->next = row;
    else
        table->first = row;
    table->last = row;
    return row;
}

void ra_table_add(struct ra_table *table, const char *above, const char *const *cells)
{
    struct ra_row *row = add_row(table, cells);

    if (row)
        row->above = above;
}

void ra_table_add_text(struct ra_table *table, const char *const *cells)
{
    struct ra_row *row = add_row(table, cells);

    for (size_t i = 0; row && i < table->count; i++)
        if (*cells[i])
            row->text = i;
}

/* Width of a column by its content, 0 if it is empty. */
static size_t column_width(const struct ra_table *table, size_t column)
{
    const char *title = table->columns[column].title;
    size_t width = 0;

    for (const struct ra_row *row = table->first; row; row = row->next) {
        size_t columns = ra_page_columns(row->cells[column]);

        if (row->text == column)
            columns = 0;
        width = columns > width ? columns : width;
    }
    if (width > 0 && title && ra_page_columns(title) > width)
        width = ra_page_columns(title);
    return width;
}

/* Columns that a full row takes. */
static size_t row_width(const struct ra_table *table, const size_t *widths)
{
    size_t all = table->indent, gap = 0;

    for (size_t i = 0; i < table->count; i++) {
        if (!widths[i])
            continue;
        all += gap + widths[i];
        gap = GAP;
    }
    return all;
}

/* Take from the widest elastic column what rows are too wide; false if there is none. */
static bool squeeze(const struct ra_table *table, size_t *widths)
{
    size_t all = row_width(table, widths), width = table->page->style->width, widest = 0;

    for (size_t i = 0; i < table->count; i++)
        if (!table->columns[widest].elastic ||
            (table->columns[i].elastic && widths[i] > widths[widest]))
            widest = i;
    if (all <= width || table->page->style->verbose || !table->columns[widest].elastic ||
        widths[widest] <= ELASTIC_LEAST)
        return false;
    if (widths[widest] - ELASTIC_LEAST > all - width)
        widths[widest] -= all - width;
    else
        widths[widest] = ELASTIC_LEAST;
    return true;
}

/*
 * The cells before `end`; what is pending behind them is put by the next cell alone, for
 * a line never ends in spaces.
 */
static size_t write_cells(const struct ra_table *table, const size_t *widths,
                          const char *const *cells, size_t end)
{
    struct ra_page *page = table->page;
    size_t pending = table->indent;

    for (size_t i = 0; i < end; i++) {
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
    return pending;
}

static void write_row(const struct ra_table *table, const size_t *widths,
                      const char *const *cells)
{
    write_cells(table, widths, cells, table->count);
    ra_out_str(table->page->out, "\n");
}

static void write_text_row(const struct ra_table *table, const size_t *widths,
                           const struct ra_row *row)
{
    size_t start = table->indent;

    for (size_t i = 0; i < row->text; i++)
        start += widths[i] ? widths[i] + GAP : 0;
    ra_out_fill(table->page->out, ' ', write_cells(table, widths, row->cells, row->text));
    ra_page_run(table->page, start, row->cells[row->text]);
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
    while (squeeze(table, widths))
        continue;
    if (table->first && titles[0])
        write_row(table, widths, titles);
    for (const struct ra_row *row = table->first; row; row = row->next) {
        if (row->above)
            write_above(table, row->above);
        if (row->text < table->count)
            write_text_row(table, widths, row);
        else
            write_row(table, widths, row->cells);
    }
    table->first = table->last = NULL;
}
