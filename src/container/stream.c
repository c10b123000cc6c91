#include "container/stream.h"

#include <inttypes.h>
#include <stdlib.h>

enum ra_status ra_stream_open(const struct ra_source *source,
                              const struct ra_decoder_ops *ops, uint64_t limit,
                              struct ra_diags *diags, struct ra_stream *ret)
{
    enum ra_status status = RA_OK;

    *ret = (struct ra_stream){ .source = *source, .diags = diags, .limit = limit };
    ret->memory = malloc(2 * RA_STREAM_BLOCK);
    if (!ret->memory)
        return RA_E_NOMEM;
    if (ops)
        status = ra_decoder_open_as(ops, &ret->source, &ret->source, &ret->workspace,
                                    diags, &ret->decoder);
    if (status != RA_OK)
        ra_stream_close(ret);
    return status;
}

void ra_stream_close(struct ra_stream *stream)
{
    ra_decoder_close(stream->decoder);
    ra_zstd_context_free(stream->workspace.zstd);
    free(stream->memory);
    *stream = (struct ra_stream){ 0 };
}

static enum ra_status decode(struct ra_stream *stream, uint8_t *data, struct ra_span *ret)
{
    size_t made = 0;
    enum ra_status status;

    stream->decoder->diags = stream->diags;
    status = ra_decoder_read(stream->decoder, data, RA_STREAM_BLOCK, &made);
    *ret = (struct ra_span){ .data = data, .size = made, .base = stream->at };
    if (status == RA_OK && made > stream->limit - stream->at)
        status = ra_fault(
            stream->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(&stream->source, 0),
            "an archive that expands to more than %" PRIu64 " bytes", stream->limit);
    return status;
}

/* What is behind a header that was looked up is mostly in the block it was in. */
static bool find_block(struct ra_stream *stream, struct ra_span *ret)
{
    for (unsigned i = 0; !stream->decoder && i < 2; i++) {
        const struct ra_span *block = &stream->blocks[i];
        uint64_t in = stream->at - block->base;

        if (stream->at < block->base || in >= block->size)
            continue;
        *ret = (struct ra_span){ block->data + in, block->size - (size_t)in, stream->at };
        stream->at += ret->size;
        stream->last = i;
        return true;
    }
    return false;
}

enum ra_status ra_stream_next(struct ra_stream *stream, struct ra_span *ret)
{
    unsigned next;
    uint8_t *data;
    enum ra_status status = stream->failed;

    *ret = (struct ra_span){ 0 };
    if (status != RA_OK || find_block(stream, ret))
        return status;
    next = !stream->last;
    data = stream->memory + next * RA_STREAM_BLOCK;
    if (stream->decoder)
        status = decode(stream, data, ret);
    else
        status = ra_source_peek(&stream->source, stream->at, RA_STREAM_BLOCK,
                                stream->diags, data, ret);
    ret->base = stream->at;
    stream->failed = status;
    if (status != RA_OK)
        return status;
    stream->at += ret->size;
    stream->blocks[next] = *ret;
    stream->last = next;
    return RA_OK;
}

uint64_t ra_stream_skip(struct ra_stream *stream, uint64_t count)
{
    uint64_t left = stream->source.size - stream->at;

    if (stream->decoder)
        return 0;
    if (count > left)
        count = left;
    stream->at += count;
    return count;
}

enum ra_status ra_stream_drain(struct ra_stream *stream, uint64_t most)
{
    uint64_t end = stream->at + most;
    struct ra_span block = { .size = 1 };
    enum ra_status status = stream->failed;

    while (status == RA_OK && stream->decoder && block.size > 0 && stream->at < end)
        status = ra_stream_next(stream, &block);
    return status;
}

/* Up to `size` bytes at `offset`, if a block has the first of them. */
static size_t copy(const struct ra_span *block, uint64_t offset, size_t size,
                   uint8_t *ret)
{
    uint64_t in = offset - block->base;

    if (offset < block->base || in >= block->size)
        return 0;
    if (size > block->size - in)
        size = block->size - (size_t)in;
    memcpy(ret, block->data + in, size);
    return size;
}

enum ra_status ra_stream_peek(struct ra_stream *stream, uint64_t offset, size_t size,
                              uint8_t *ret)
{
    size_t done = copy(&stream->blocks[!stream->last], offset, size, ret);

    done += copy(&stream->blocks[stream->last], offset + done, size - done, ret + done);
    if (done == size)
        return RA_OK;
    return ra_source_read(&stream->source, offset + done, size - done, stream->diags,
                          ret + done);
}
