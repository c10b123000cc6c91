/* deflate.c - RFC 1950 streams, and RFC 1952 ones. The only door to zlib. */
#include "codec/decoder.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP 16 /* added to the window bits: heads and sums of gzip */

static enum ra_status stream_open(struct ra_decoder *decoder, int bits)
{
    z_stream *stream = calloc(1, sizeof(*stream));

    if (!stream || inflateInit2(stream, bits) != Z_OK) {
        free(stream);
        return RA_E_NOMEM;
    }
    decoder->state = stream;
    return RA_OK;
}

static enum ra_status deflate_open(struct ra_decoder *decoder)
{
    return stream_open(decoder, MAX_WBITS);
}

static enum ra_status gzip_open(struct ra_decoder *decoder)
{
    return stream_open(decoder, MAX_WBITS + GZIP);
}

static enum ra_status deflate_step(struct ra_decoder *decoder, struct ra_output *out,
                                   bool *frame_ended)
{
    z_stream *stream = decoder->state;
    size_t room = out->size - out->made;
    int code;

    /* zlib takes a writable pointer but only reads. */
    stream->next_in = (uint8_t *)(uintptr_t)decoder->input.data;
    stream->avail_in = (uInt)decoder->input.size;
    stream->next_out = out->data + out->made;
    stream->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
    code = inflate(stream, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR)
        return RA_E_NOMEM;
    /* Z_BUF_ERROR only says that there was no input. */
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return ra_decoder_damaged(decoder, stream->msg ? stream->msg : "dictionary");
    ra_decoder_consume(decoder, decoder->input.size - stream->avail_in);
    out->made = (size_t)(stream->next_out - out->data);
    *frame_ended = code == Z_STREAM_END;
    if (*frame_ended && inflateReset(stream) != Z_OK)
        return RA_E_NOMEM;
    return RA_OK;
}

static void deflate_close(struct ra_decoder *decoder)
{
    (void)inflateEnd(decoder->state);
    free(decoder->state);
}

const struct ra_decoder_ops ra_decoder_deflate = {
    .open = deflate_open,
    .step = deflate_step,
    .close = deflate_close,
};

const struct ra_decoder_ops ra_decoder_gzip = {
    .open = gzip_open,
    .step = deflate_step,
    .close = deflate_close,
};
