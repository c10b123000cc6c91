#include "codec/decoder.h"

#include <stdlib.h>

#define FRAME_HEAD 18 /* RFC 8878 3.1.1.1: at most, magic included */

enum ra_status ra_frame_read(enum ra_codec codec, const struct ra_source *source,
                             struct ra_diags *diags, struct ra_frame *ret)
{
    uint8_t bytes[FRAME_HEAD];
    struct ra_span head;
    enum ra_status status = ra_source_peek(source, 0, sizeof(bytes), diags, bytes, &head);

    *ret = (struct ra_frame){ 0 };
    if (status == RA_OK && codec == RA_CODEC_ZSTD)
        *ret = ra_zstd_frame(head);
    return status;
}

static const struct ra_decoder_ops *const ops_of[] = {
    [RA_CODEC_STORED] = &ra_decoder_deflate, /* nobody decodes what is stored */
    [RA_CODEC_DEFLATE] = &ra_decoder_deflate,
    [RA_CODEC_ZSTD] = &ra_decoder_zstd,
    [RA_CODEC_GZIP] = &ra_decoder_gzip,
};

enum ra_status ra_decoder_open_as(const struct ra_decoder_ops *ops, void *context,
                                  const struct ra_source *source,
                                  struct ra_workspace *workspace, struct ra_diags *diags,
                                  struct ra_decoder **ret)
{
    struct ra_decoder *decoder = malloc(sizeof(*decoder));
    enum ra_status status;

    if (!decoder)
        return RA_E_NOMEM;
    /* Not calloc: the window is written before it is read. */
    memset(decoder, 0, offsetof(struct ra_decoder, in));
    decoder->ops = ops;
    decoder->context = context;
    decoder->source = *source;
    decoder->workspace = workspace;
    decoder->diags = diags;
    status = decoder->ops->open(decoder);
    if (status != RA_OK) {
        free(decoder);
        return status;
    }
    *ret = decoder;
    return RA_OK;
}

enum ra_status ra_decoder_open(enum ra_codec codec, const struct ra_source *source,
                               bool one_frame, struct ra_workspace *workspace,
                               struct ra_diags *diags, struct ra_decoder **ret)
{
    enum ra_status status =
        ra_decoder_open_as(ops_of[codec], NULL, source, workspace, diags, ret);

    if (status == RA_OK)
        (*ret)->one_frame = one_frame;
    return status;
}

void ra_decoder_close(struct ra_decoder *decoder)
{
    if (!decoder)
        return;
    decoder->ops->close(decoder);
    free(decoder);
}

static enum ra_status refill(struct ra_decoder *decoder)
{
    enum ra_status status;

    if (decoder->input.size > 0)
        return ra_decoder_damaged(decoder, "it makes no progress");
    status = ra_source_peek(&decoder->source, decoder->read, sizeof(decoder->in),
                            decoder->diags, decoder->in, &decoder->input);

    decoder->read += decoder->input.size;
    if (status == RA_OK && decoder->input.size == 0)
        return ra_decoder_damaged(decoder, "it ends inside a frame");
    return status;
}

/* After a frame: the end, or another one behind it. */
static void end_frame(struct ra_decoder *decoder)
{
    if (decoder->one_frame && decoder->made > 0)
        decoder->ended = true;
    else if (ra_decoder_used(decoder) == decoder->source.size)
        decoder->ended = true;
}

enum ra_status ra_decoder_read(struct ra_decoder *decoder, uint8_t *data, size_t size,
                               size_t *made)
{
    struct ra_output out = { .data = data, .size = size };
    enum ra_status status = RA_OK;

    while (status == RA_OK && out.made < size && !decoder->ended) {
        size_t before = out.made, input = decoder->input.size;
        bool frame_ended = false;

        /* Step first: output may be pending although all input was consumed. */
        status = decoder->ops->step(decoder, &out, &frame_ended);
        decoder->made += out.made - before;
        if (status == RA_OK && frame_ended)
            end_frame(decoder);
        else if (status == RA_OK && out.made == before && decoder->input.size == input)
            status = refill(decoder);
    }
    *made = out.made;
    return status;
}

uint64_t ra_decoder_used(const struct ra_decoder *decoder)
{
    return decoder->read - decoder->input.size;
}

void ra_decoder_consume(struct ra_decoder *decoder, size_t count)
{
    decoder->input.data += count;
    decoder->input.size -= count;
}

enum ra_status ra_decoder_damaged(struct ra_decoder *decoder, const char *why)
{
    return ra_fault(decoder->diags, RA_E_FORMAT, RA_DIAG_CODEC_DAMAGED,
                    ra_source_place(&decoder->source, ra_decoder_used(decoder)),
                    "%s, after %ju bytes of output", why, (uintmax_t)decoder->made);
}
