/*
 * Any bytes decode or are told, and how much is asked for at a time changes nothing.
 *
 * The first byte: bit 0 the codec, bit 1 whether one frame is wanted, the rest the step.
 */
#include "codec/decoder.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Enough for all that a codec does; a bomb would go on for minutes. */
enum { MOST = 1 << 20, CALLS = 2000, LARGE_STEP = 1 << 16 };

struct result {
    enum ra_status status;
    size_t size;
    uint64_t used;
    bool ended;
    uint8_t bytes[MOST];
};

static struct result one, other;

static void run(uint8_t flags, const struct ra_source *source, size_t step,
                struct result *ret)
{
    struct ra_arena arena = { .limit = 1 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_workspace workspace = { 0 };
    struct ra_decoder *decoder;
    size_t made = step, calls = 0;

    ret->size = 0;
    ret->status = ra_decoder_open(flags & 1 ? RA_CODEC_ZSTD : RA_CODEC_DEFLATE, source,
                                  flags & 2, &workspace, &diags, &decoder);
    if (ret->status != RA_OK)
        abort();
    while (ret->status == RA_OK && made == step && ret->size <= MOST - step &&
           calls++ < CALLS) {
        ret->status = ra_decoder_read(decoder, ret->bytes + ret->size, step, &made);
        if (made > step)
            abort();
        ret->size += made;
    }
    ret->ended = ret->status != RA_OK || made < step;
    ret->used = ra_decoder_used(decoder);
    if (ret->used > source->size || (ret->status == RA_OK) != (diags.count == 0) ||
        diags.count > 1)
        abort();
    /* All of it is used up, unless only one frame was wanted. */
    if (ret->status == RA_OK && ret->ended && !(flags & 2) && ret->used != source->size)
        abort();
    ra_decoder_close(decoder);
    ra_zstd_context_free(workspace.zstd);
    ra_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_source source;

    if (size == 0)
        return 0;
    source = ra_source_over((struct ra_span){ .data = data + 1, .size = size - 1 });
    run(data[0], &source, LARGE_STEP, &one);
    run(data[0], &source, 1 + (size_t)(data[0] >> 2) * 61, &other);
    if (memcmp(one.bytes, other.bytes, one.size < other.size ? one.size : other.size))
        abort();
    if (!one.ended || !other.ended)
        return 0;
    /* A frame that fits the buffer needs no window, so none is too large for it. */
    if (one.status != other.status && one.status != RA_E_LIMIT &&
        other.status != RA_E_LIMIT)
        abort();
    if (one.status == RA_OK && other.status == RA_OK &&
        (one.size != other.size || one.used != other.used))
        abort();
    return 0;
}
