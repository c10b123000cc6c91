/*
 * rows.h - RECORD of a wheel: rows of path, digest and size.
 *
 * Written by Python's csv module, and read as it reads: a field that starts with a quote
 * ends with the next lone one, and may hold commas and line ends; two quotes are one.
 *
 * Spec: "Recording installed projects" (packaging.python.org).
 */
#ifndef RA_ROWS_H
#define RA_ROWS_H

#include "base/text.h"

#define RA_ROW_FIELDS 3

struct ra_row {
    struct ra_span fields[RA_ROW_FIELDS]; /**< of the text or of a `texts` below; valid
                                             until the next row */
    size_t count;                         /**< of fields; further ones are not kept */
    uint64_t offset;                      /**< of the row */
    bool is_cut; /**< the text ends within quotes; the last field is all there is */
    struct ra_text texts[RA_ROW_FIELDS]; /**< fields that had quotes */
};

/** The next row that is not empty, into a zeroed or earlier `ret`; false at the end. */
RA_MUST_CHECK bool ra_row_next(struct ra_cursor *cur, struct ra_row *ret);

/** Give back the memory. */
void ra_row_free(struct ra_row *row);

#endif
