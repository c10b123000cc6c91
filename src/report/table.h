/* table.h - aligned columns on a page. */
#ifndef RA_TABLE_H
#define RA_TABLE_H

#include "report/page.h"

struct ra_column {
    const char *title; /**< in all columns or in none */
    bool right;        /**< aligned so, as numbers are */
    bool elastic;      /**< cut where rows are too wide, the widest first */
};

struct ra_row;

/** Zero-initialise with a page and columns; rows live in the page's arena. */
struct ra_table {
    struct ra_page *page;
    const struct ra_column *columns;
    size_t count; /**< of columns */
    size_t indent;
    struct ra_row *first, *last;
};

/**
 * Add a row of `count` cells, whose texts must live as long as the table.
 *
 * @param above  a line of its own before the row, or NULL
 */
void ra_table_add(struct ra_table *table, const char *above, const char *const *cells);

/**
 * Add a row whose last cell that is not empty is running text. It makes no column wider,
 * and is broken at spaces where the page ends.
 */
void ra_table_add_text(struct ra_table *table, const char *const *cells);

/** Write the rows and forget them. A column that is empty in all rows is left out. */
void ra_table_write(struct ra_table *table);

#endif
