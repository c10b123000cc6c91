/*
 * stream.h - the bytes of an archive in blocks, decoded where they are compressed.
 *
 * Two blocks are kept, so that what was read just now can be looked at once more.
 */
#ifndef RA_STREAM_H
#define RA_STREAM_H

#include "codec/decoder.h"

#define RA_STREAM_BLOCK ((size_t)64 * 1024)

struct ra_stream {
    struct ra_source source;
    struct ra_diags *diags;     /**< may be changed between calls */
    struct ra_decoder *decoder; /**< NULL if the source is as it is read */
    struct ra_workspace workspace;
    uint64_t at;           /**< of the next byte, decoded */
    uint64_t limit;        /**< bytes it may decode */
    enum ra_status failed; /**< sticks, and was told */
    unsigned last;         /**< the newer block */
    struct ra_span blocks[2];
    uint8_t *memory;
};

/**
 * Start at the first byte of `source`.
 *
 * @param ops  to decode it with; NULL reads it as it is
 * @return RA_OK, then ra_stream_close() it; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_stream_open(const struct ra_source *source,
                                            const struct ra_decoder_ops *ops,
                                            uint64_t limit, struct ra_diags *diags,
                                            struct ra_stream *ret);
void ra_stream_close(struct ra_stream *stream);

/** The next block, empty at the end; valid until the next but one. Failure is told. */
RA_MUST_CHECK enum ra_status ra_stream_next(struct ra_stream *stream,
                                            struct ra_span *ret);

/** Pass over up to `count` bytes; how many that was. None where they are decoded. */
uint64_t ra_stream_skip(struct ra_stream *stream, uint64_t count);

/** Decode up to `most` bytes that nobody asked for, to learn whether they are sound. */
RA_MUST_CHECK enum ra_status ra_stream_drain(struct ra_stream *stream, uint64_t most);

/** `size` bytes at `offset` of what is not decoded, from the blocks if they are there. */
RA_MUST_CHECK enum ra_status ra_stream_peek(struct ra_stream *stream, uint64_t offset,
                                            size_t size, uint8_t *ret);

#endif
