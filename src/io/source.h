/*
 * source.h - where bytes come from.
 *
 * A source is a size and a way to read any part of it into the caller's window. Files
 * are read with pread() and never mapped: a file that shrinks is an error and not a
 * signal, and its pages do not count as ours. Expanded data is a source too. A part of
 * a source is a source again. Sources are small values; a copy borrows what the first
 * one opened.
 *
 * Some are forward: going back in them costs as much as what is before, and only one
 * thread at a time may read them. They can hold a part at hand.
 */
#ifndef RA_SOURCE_H
#define RA_SOURCE_H

#include "base/cursor.h"
#include "base/diag.h"

struct ra_source {
    uint64_t size;   /**< bytes */
    uint64_t base;   /**< offset of its first byte in the outermost file or expansion */
    uint64_t packed; /**< RA_NOT_EXPANDED, or where in the file its packed form is */
    /** Fill `ret` with `count` bytes at `where`, counted like `base`; failure is told. */
    enum ra_status (*read_at)(const struct ra_source *source, uint64_t where,
                              size_t count, struct ra_diags *diags, uint8_t *ret);
    /** Of forward sources only: see ra_source_hold(); `where` counts like `base`. */
    enum ra_status (*hold)(const struct ra_source *source, uint64_t where, uint64_t size);
    int fd;
    const uint8_t *bytes;
    void *state; /**< of whoever made read_at */
};

/** What tells whether the content of an open file changed. */
struct ra_stamp {
    uint64_t size;
    int64_t seconds, nanoseconds; /**< of the last change of content */
};

/**
 * Open a file and read its first bytes, which is all that most files are asked for.
 *
 * @param window  takes up to `limit` bytes, which `head` then spans
 * @return RA_OK, then ra_source_close() it; it must be measured before more is read.
 *         RA_E_IO (told) if there is no such file
 */
RA_MUST_CHECK enum ra_status ra_source_open(const char *path, size_t limit,
                                            struct ra_diags *diags, uint8_t *window,
                                            struct ra_span *head, struct ra_source *ret);

/** Learn size and stamp of what was opened; RA_E_IO (told) if it is no regular file. */
RA_MUST_CHECK enum ra_status ra_source_measure(struct ra_source *source,
                                               struct ra_diags *diags,
                                               struct ra_stamp *stamp);
void ra_source_close(struct ra_source *source);

/** Whether the open file is still what `stamp` says; RA_E_IO (told) if not. */
RA_MUST_CHECK enum ra_status ra_source_unchanged(const struct ra_source *source,
                                                 const struct ra_stamp *stamp,
                                                 struct ra_diags *diags);

/** Bytes in memory as a source; they must outlive it. Nothing to close. */
struct ra_source ra_source_over(struct ra_span span);

/** The part at [offset, offset + size); false if that is not all inside. */
RA_MUST_CHECK bool ra_source_sub(const struct ra_source *source, uint64_t offset,
                                 uint64_t size, struct ra_source *ret);

/** The part from `offset` to the end; empty if that is outside. */
struct ra_source ra_source_from(const struct ra_source *source, uint64_t offset);

/** Whether going back costs; if so, one thread at a time may read it. */
bool ra_source_is_forward(const struct ra_source *source);

/**
 * The part at [offset, offset + size) will be read to and fro: keep it at hand, or as
 * much of its start as the source is willing to keep. Nothing where going back is free.
 *
 * @return RA_OK; what decoding may return (told to those who opened it)
 */
RA_MUST_CHECK enum ra_status ra_source_hold(const struct ra_source *source,
                                            uint64_t offset, uint64_t size);

/** Where byte `offset` of the source is, for ra_fault(). */
struct ra_place ra_source_place(const struct ra_source *source, uint64_t offset);

/** All `count` bytes at `offset` into `ret`; RA_E_FORMAT if outside, RA_E_IO; told. */
RA_MUST_CHECK enum ra_status ra_source_read(const struct ra_source *source,
                                            uint64_t offset, size_t count,
                                            struct ra_diags *diags, uint8_t *ret);

/** Up to `limit` bytes at `offset` into `window`; fewer at the end, as `ret` says. */
RA_MUST_CHECK enum ra_status ra_source_peek(const struct ra_source *source,
                                            uint64_t offset, size_t limit,
                                            struct ra_diags *diags, uint8_t *window,
                                            struct ra_span *ret);

#endif
