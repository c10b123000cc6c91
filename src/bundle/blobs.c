#include "bundle/blobs.h"

#define WINDOW ((size_t)4096)

void ra_blobs_open(const struct ra_source *source, struct ra_diags *diags,
                   struct ra_blobs *ret)
{
    *ret = (struct ra_blobs){ .source = *source, .diags = diags };
}

static size_t count_zeros(struct ra_span span)
{
    size_t zeros = 0;

    while (zeros < span.size && span.data[zeros] == 0)
        zeros++;
    return zeros;
}

/* Offset of a blob that this build knows in `span`; span.size if there is none. */
static size_t find_blob(struct ra_span span)
{
    for (size_t at = 0; at < span.size; at++) {
        struct ra_span head = { span.data + at, span.size - at, 0 };

        if (ra_offload_probe(head))
            return at;
    }
    return span.size;
}

/* Go on to where `find` finds something, a window at a time; to the end, if it does not.
 * What it looks for may lie across the end of a window by `overlap` bytes. */
static enum ra_status skip(struct ra_blobs *blobs, size_t (*find)(struct ra_span span),
                           size_t overlap)
{
    uint8_t bytes[WINDOW];
    struct ra_span span;
    enum ra_status status = RA_OK;

    while (status == RA_OK && blobs->next < blobs->source.size) {
        bool found;
        size_t at;

        status = ra_source_peek(&blobs->source, blobs->next, sizeof(bytes), blobs->diags,
                                bytes, &span);
        if (status != RA_OK)
            break;
        at = find(span);
        found = at < span.size;
        if (!found && span.size == WINDOW)
            at -= overlap;
        blobs->next += at;
        if (found)
            break;
    }
    return status;
}

/* Look for the next blob byte by byte, from `next` + 1: after damage only. */
static enum ra_status resync(struct ra_blobs *blobs)
{
    blobs->next++;
    return skip(blobs, find_blob, RA_OFFLOAD_PROBE - 1);
}

enum ra_status ra_blobs_next(struct ra_blobs *blobs, struct ra_blob *ret, bool *more)
{
    uint8_t bytes[RA_OFFLOAD_PROBE];
    struct ra_span head;
    enum ra_status status = skip(blobs, count_zeros, 0);

    *more = blobs->next < blobs->source.size;
    if (status != RA_OK || !*more)
        return status;
    *ret = (struct ra_blob){ .source = ra_source_from(&blobs->source, blobs->next) };
    status = ra_source_peek(&ret->source, 0, sizeof(bytes), blobs->diags, bytes, &head);
    if (status != RA_OK)
        return status;
    if (ra_offload_resembles(head))
        ret->status = ra_offload_read(&ret->source, blobs->diags, &ret->offload);
    else
        ret->status = ra_fault(blobs->diags, RA_E_FORMAT, RA_DIAG_FATBIN_UNEXPLAINED,
                               ra_source_place(&ret->source, 0), "no blob starts here");
    if (ret->status != RA_OK)
        return ra_is_damage(ret->status) ? resync(blobs) : ret->status;
    ret->source.size = ret->offload.size; /* ra_offload_read() saw that it is inside */
    blobs->next += ret->offload.size;
    return RA_OK;
}
