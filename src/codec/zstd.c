/* zstd.c - RFC 8878 frames. The only door to libzstd. */
#include "codec/decoder.h"

#include <zstd.h>
#include <zstd_errors.h>

#define MAGIC           0xfd2fb528u
#define SKIPPABLE       0x184d2a50u
#define SKIPPABLE_MASK  0xfffffff0u
#define SINGLE_SEGMENT  0x20u /* bit of the frame header descriptor */
#define WINDOW_LOG_BASE 10    /* RFC 8878 3.1.1.1.2 */

/* The frame header: RFC 8878 3.1.1.1. libzstd tells only part of it in its stable API. */
struct ra_frame ra_zstd_frame(struct ra_span head)
{
    static const uint8_t dictionary[] = { 0, 1, 2, 4 };
    struct ra_cursor cur = ra_cursor_over(head);
    struct ra_frame frame = { 0 };
    uint32_t magic = ra_cursor_u32le(&cur);
    unsigned descriptor, window = 0, size;

    frame.known = (magic & SKIPPABLE_MASK) == SKIPPABLE;
    if (magic != MAGIC)
        return frame;
    descriptor = ra_cursor_u8(&cur);
    if (!(descriptor & SINGLE_SEGMENT))
        window = ra_cursor_u8(&cur);
    ra_cursor_skip(&cur, dictionary[descriptor & 3]);
    size = descriptor >> 6;
    frame.has_content = size > 0 || (descriptor & SINGLE_SEGMENT);
    if (size == 0 && frame.has_content)
        frame.content = ra_cursor_u8(&cur);
    else if (size == 1)
        frame.content = 256u + ra_cursor_u16le(&cur);
    else if (size == 2)
        frame.content = ra_cursor_u32le(&cur);
    else if (size == 3)
        frame.content = ra_cursor_u64le(&cur);
    frame.known = ra_cursor_ok(&cur);
    frame.window = (uint64_t)1 << (WINDOW_LOG_BASE + (window >> 3));
    frame.window += (frame.window >> 3) * (window & 7);
    if (descriptor & SINGLE_SEGMENT)
        frame.window = frame.content;
    return frame;
}

/* The workspace's context, fresh for the next frame. */
static ZSTD_DCtx *context(struct ra_workspace *workspace)
{
    if (!workspace->zstd) {
        workspace->zstd = ZSTD_createDCtx();
        if (!workspace->zstd)
            return NULL;
        (void)ZSTD_DCtx_setParameter(workspace->zstd, ZSTD_d_windowLogMax,
                                     RA_DECODER_WINDOW_LOG);
    }
    (void)ZSTD_DCtx_reset(workspace->zstd, ZSTD_reset_session_only);
    return workspace->zstd;
}

void ra_zstd_context_free(void *zstd)
{
    (void)ZSTD_freeDCtx(zstd);
}

enum ra_status ra_zstd_all(struct ra_workspace *workspace, struct ra_span packed,
                           size_t room, struct ra_diags *diags, struct ra_place place,
                           size_t *made)
{
    ZSTD_DCtx *zstd = context(workspace);

    if (!zstd)
        return RA_E_NOMEM;
    *made = ZSTD_decompressDCtx(zstd, workspace->blob, room, packed.data, packed.size);
    if (!ZSTD_isError(*made))
        return RA_OK;
    switch (ZSTD_getErrorCode(*made)) {
    case ZSTD_error_memory_allocation:
        return RA_E_NOMEM;
    case ZSTD_error_dstSize_tooSmall:
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, place,
                        "more than %zu bytes", room);
    default:
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CODEC_DAMAGED, place, "zstd: %s",
                        ZSTD_getErrorName(*made));
    }
}

static enum ra_status zstd_open(struct ra_decoder *decoder)
{
    decoder->state = context(decoder->workspace);
    return decoder->state ? RA_OK : RA_E_NOMEM;
}

static enum ra_status failed(struct ra_decoder *decoder, size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return RA_E_NOMEM;
    case ZSTD_error_frameParameter_windowTooLarge:
        return ra_fault(decoder->diags, RA_E_LIMIT, RA_DIAG_CODEC_WINDOW,
                        ra_source_place(&decoder->source, 0), "more than 2^%d bytes",
                        RA_DECODER_WINDOW_LOG);
    default:
        return ra_decoder_damaged(decoder, ZSTD_getErrorName(code));
    }
}

/* Where a frame starts, note how much it says it holds. */
static enum ra_status start_frame(struct ra_decoder *decoder)
{
    struct ra_source rest = ra_source_from(&decoder->source, ra_decoder_used(decoder));
    struct ra_frame frame = ra_zstd_frame(decoder->input);
    enum ra_status status = RA_OK;

    /* The end of the input may cut its head, or there is no input yet. */
    if (!frame.known)
        status = ra_frame_read(RA_CODEC_ZSTD, &rest, decoder->diags, &frame);
    decoder->in_frame = true;
    decoder->frame_start = decoder->made;
    decoder->frame_size = frame.has_content ? frame.content : UINT64_MAX;
    return status;
}

/* `made` counts the whole frame. A stream of libzstd 1.5.4 does not heed the size of a
 * frame whose last block is empty, while the runtime, which decodes at once, does. */
static enum ra_status check_end(struct ra_decoder *decoder, uint64_t made)
{
    decoder->in_frame = false;
    if (decoder->frame_size == UINT64_MAX ||
        made - decoder->frame_start == decoder->frame_size)
        return RA_OK;
    return ra_decoder_damaged(decoder, "a frame ends before the size it announces");
}

static enum ra_status zstd_step(struct ra_decoder *decoder, struct ra_output *out,
                                bool *frame_ended)
{
    ZSTD_inBuffer from = { .src = decoder->input.data, .size = decoder->input.size };
    ZSTD_outBuffer into = { .dst = out->data, .size = out->size, .pos = out->made };
    enum ra_status status = decoder->in_frame ? RA_OK : start_frame(decoder);
    size_t code, made;

    if (status != RA_OK)
        return status;
    code = ZSTD_decompressStream(decoder->state, &into, &from);
    if (ZSTD_isError(code))
        return failed(decoder, code);
    ra_decoder_consume(decoder, from.pos);
    made = into.pos - out->made;
    out->made = into.pos;
    /* Zero before any input only says that no frame has begun. */
    *frame_ended = code == 0 && (from.pos > 0 || made > 0);
    return *frame_ended ? check_end(decoder, decoder->made + made) : RA_OK;
}

static void zstd_close(struct ra_decoder *decoder)
{
    decoder->state = NULL; /* the workspace keeps the context */
}

const struct ra_decoder_ops ra_decoder_zstd = {
    .open = zstd_open,
    .step = zstd_step,
    .close = zstd_close,
};
