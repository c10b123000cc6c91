/*
 * packed.h - compressed data for tests, by zlib and libzstd themselves or by hand.
 *
 * Spec: RFC 8878 for frames made by hand, which say what no compressor would.
 */
#ifndef PACKED_H
#define PACKED_H

#include "gen/bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

static inline uint64_t packed_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/** Bytes that differ everywhere and still compress: noise at the head of each 1 KiB. */
static inline struct fx packed_content(size_t size)
{
    struct fx fx = { 0 };
    uint64_t state = size;

    fx_pad(&fx, size);
    for (size_t i = 0; i < size; i++)
        fx.data[i] = (uint8_t)(i % 1024 < 16 ? packed_random(&state) : i / 1024);
    return fx;
}

static inline void packed_zlib(struct fx *fx, const void *bytes, size_t size)
{
    uLongf made = compressBound(size);
    uint8_t *out = malloc(made);

    cr_assert_eq(compress2(out, &made, bytes, size, 1), Z_OK);
    fx_bytes(fx, out, made);
    free(out);
}

enum packed_zstd_flags { PACKED_NO_SIZE = 1, PACKED_CHECKSUM = 2 };

static inline void packed_zstd(struct fx *fx, const void *bytes, size_t size,
                               unsigned flags)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(size), made;
    uint8_t *out = malloc(room);

    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, !(flags & PACKED_NO_SIZE));
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, !!(flags & PACKED_CHECKSUM));
    made = ZSTD_compress2(zstd, out, room, bytes, size);
    cr_assert_not(ZSTD_isError(made));
    fx_bytes(fx, out, made);
    free(out);
    ZSTD_freeCCtx(zstd);
}

/** RFC 8878 3.1.2: a frame to be passed over. */
static inline void packed_skippable(struct fx *fx, uint32_t size)
{
    fx_u32(fx, 0x184d2a57);
    fx_u32(fx, size);
    fx_pad(fx, fx->size + size);
}

/** RFC 8878 3.1.1.1: magic, descriptor and window; no content size, no checksum. */
static inline void packed_frame_head(struct fx *fx, unsigned window_log)
{
    fx_u32(fx, 0xfd2fb528);
    fx_u8(fx, 0);
    fx_u8(fx, (uint8_t)((window_log - 10) << 3));
}

/** RFC 8878 3.1.1.2: a head of three bytes; type 0 raw, 1 one byte `size` times. */
static inline void packed_block_head(struct fx *fx, unsigned type, uint32_t size,
                                     bool last)
{
    uint32_t head = size << 3 | type << 1 | last;

    fx_u8(fx, (uint8_t)head);
    fx_u8(fx, (uint8_t)(head >> 8));
    fx_u8(fx, (uint8_t)(head >> 16));
}

/** A frame of `count` blocks of 128 KiB zeros each: four bytes stand for 131072. */
static inline void packed_bomb(struct fx *fx, unsigned window_log, size_t count)
{
    packed_frame_head(fx, window_log);
    for (size_t i = 0; i < count; i++) {
        packed_block_head(fx, 1, 131072, i + 1 == count);
        fx_u8(fx, 0);
    }
}

/** A frame of raw blocks: the bytes stay as they are. */
static inline void packed_stored(struct fx *fx, unsigned window_log, const void *bytes,
                                 size_t size)
{
    const uint8_t *from = bytes;
    size_t block = window_log < 17 ? (size_t)1 << window_log : 131072, part;

    packed_frame_head(fx, window_log);
    do {
        part = size < block ? size : block;
        packed_block_head(fx, 0, (uint32_t)part, part == size);
        fx_bytes(fx, from, part);
        from += part;
        size -= part;
    } while (size > 0);
}

#endif
