/*
 * expanded.h - compressed data as a source of what it expands to.
 *
 * What fits RA_EXPANDED_WHOLE is expanded at once into memory. The rest is decoded
 * forward: a read ahead of the position decodes up to it, a read behind it starts over,
 * which is counted and limited. ra_source_hold() names the part that will be read to
 * and fro; the first RA_EXPANDED_HELD bytes of it stay in memory, so that tables at the
 * front of a code object and the one at its end are had in a single pass. Bytes at both
 * ends of all there is can be kept as well, once they were passed.
 */
#ifndef RA_EXPANDED_H
#define RA_EXPANDED_H

#include "codec/decoder.h"

#define RA_EXPANDED_WHOLE ((uint64_t)32 << 20)
#define RA_EXPANDED_HELD  ((size_t)8 << 20)
#define RA_EXPANDED_LIMIT ((uint64_t)16 << 30) /* bytes one payload may expand to */

struct ra_expanded;

/** How to expand. */
struct ra_expand {
    enum ra_codec codec;
    uint64_t size;  /**< bytes it must expand to */
    bool one_frame; /**< the source may be longer than what is compressed */
    bool digest;    /**< compute ra_expanded_md5() */
    struct ra_workspaces *workspaces;
    uint64_t whole; /**< bytes expanded at once at most; 0 is RA_EXPANDED_WHOLE */
    size_t ends;    /**< bytes kept at the front, and at the end, of larger ones */
    /** Instead of a codec, decode by these, which find `context` in their decoder. */
    const struct ra_decoder_ops *ops;
    void *context;
};

/**
 * Open `packed`.
 *
 * @return RA_OK, then ra_expanded_close() it; RA_E_FORMAT for damage seen at once;
 *         RA_E_LIMIT for a size or window above the limits (all told); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_expanded_open(const struct ra_source *packed,
                                              const struct ra_expand *how,
                                              struct ra_diags *diags,
                                              struct ra_expanded **ret);
void ra_expanded_close(struct ra_expanded *expanded);

/** The expanded data; valid until the close. A forward source, if it is not whole. */
struct ra_source ra_expanded_source(const struct ra_expanded *expanded);

/**
 * Decode what was not decoded yet. RA_E_FORMAT (told) if the data does not end where
 * it was announced to.
 *
 * @param used  bytes of the source that the compressed data takes
 * @param md5   start of the digest, 0 unless asked for
 */
RA_MUST_CHECK enum ra_status ra_expanded_finish(struct ra_expanded *expanded,
                                                uint64_t *used, uint64_t *md5);

#endif
