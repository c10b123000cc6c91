#include "io/reader.h"

#include <assert.h>
#include <inttypes.h>

void ra_reader_start(const struct ra_source *source, struct ra_diags *diags,
                     enum ra_diag_code ended, struct ra_reader *ret)
{
    /* Not zeroed as a whole: the window is written before it is read. */
    ret->source = *source;
    ret->diags = diags;
    ret->ended = ended;
    ret->status = RA_OK;
    ret->pos = 0;
    ret->start = ret->filled = 0;
}

static enum ra_status refill(struct ra_reader *reader)
{
    size_t kept = reader->filled - reader->start;
    struct ra_span more;

    memmove(reader->window, reader->window + reader->start, kept);
    reader->start = 0;
    reader->filled = kept;
    reader->status =
        ra_source_peek(&reader->source, reader->pos + kept, sizeof(reader->window) - kept,
                       reader->diags, reader->window + kept, &more);
    if (reader->status == RA_OK)
        reader->filled += more.size;
    return reader->status;
}

enum ra_status ra_reader_take(struct ra_reader *reader, size_t count, struct ra_span *ret)
{
    assert(count <= RA_READER_TAKE);
    *ret = (struct ra_span){ 0 };
    if (reader->status == RA_OK && count > reader->source.size - reader->pos)
        reader->status = ra_fault(reader->diags, RA_E_FORMAT, reader->ended,
                                  ra_source_place(&reader->source, reader->pos),
                                  "%" PRIu64 " bytes are left where %zu are needed",
                                  reader->source.size - reader->pos, count);
    if (reader->status == RA_OK && count > reader->filled - reader->start)
        (void)refill(reader);
    if (reader->status != RA_OK)
        return reader->status;
    *ret = (struct ra_span){
        .data = reader->window + reader->start,
        .size = count,
        .base = reader->source.base + reader->pos,
    };
    reader->start += count;
    reader->pos += count;
    return RA_OK;
}
