/*
 * reader.h - a source record by record, forward.
 *
 * For tables whose records have sizes of their own: take a record and put a cursor
 * over it, then take the next. Reads ahead a window at a time. Failure sticks like a
 * cursor's: it is told once and every later call returns it.
 */
#ifndef RA_READER_H
#define RA_READER_H

#include "io/source.h"

#define RA_READER_TAKE ((size_t)4096)

struct ra_reader {
    struct ra_source source;
    struct ra_diags *diags;
    enum ra_diag_code ended; /**< how to tell that the source ends in a record */
    enum ra_status status;
    uint64_t pos;         /**< of the next record */
    size_t start, filled; /**< the part of `window` that was not taken yet */
    uint8_t window[4 * RA_READER_TAKE];
};

void ra_reader_start(const struct ra_source *source, struct ra_diags *diags,
                     enum ra_diag_code ended, struct ra_reader *ret);

/**
 * The next `count` bytes, at most RA_READER_TAKE; valid until the next take.
 *
 * @return RA_OK; RA_E_FORMAT (told) if there are fewer; the status of a failed read
 */
RA_MUST_CHECK enum ra_status ra_reader_take(struct ra_reader *reader, size_t count,
                                            struct ra_span *ret);

#endif
