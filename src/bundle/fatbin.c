#include "bundle/fatbin.h"

#define WINDOW ((size_t)4096)

bool ra_fatbin_probe(struct ra_span head)
{
    return ra_table_probe(head) || ra_ccob_resembles(head);
}

void ra_fatbin_open(const struct ra_source *source, struct ra_arena *arena,
                    struct ra_diags *diags, struct ra_fatbin *ret)
{
    *ret = (struct ra_fatbin){ .source = *source, .arena = arena, .diags = diags };
}

static enum ra_status skip_zeros(struct ra_fatbin *fatbin)
{
    uint8_t bytes[WINDOW];
    struct ra_span span;
    enum ra_status status = RA_OK;
    bool more = true;

    while (status == RA_OK && more && fatbin->next < fatbin->source.size) {
        size_t zeros = 0;

        status = ra_source_peek(&fatbin->source, fatbin->next, sizeof(bytes),
                                fatbin->diags, bytes, &span);
        if (status != RA_OK)
            break;
        while (zeros < span.size && span.data[zeros] == 0)
            zeros++;
        fatbin->next += zeros;
        more = zeros == span.size;
    }
    return status;
}

/* Offset of a bundle that this build knows in `span`; span.size if there is none. */
static size_t find(struct ra_span span)
{
    for (size_t at = 0; at < span.size; at++) {
        struct ra_span head = { span.data + at, span.size - at, 0 };

        /* Nothing that is only like one: those bytes occur in compressed data. */
        if ((span.data[at] == '_' && ra_table_probe(head)) ||
            (span.data[at] == 'C' && ra_ccob_probe(head)))
            return at;
    }
    return span.size;
}

/* Look for the next bundle byte by byte, from `next` + 1: after damage only. */
static enum ra_status resync(struct ra_fatbin *fatbin)
{
    uint8_t bytes[WINDOW];
    struct ra_span span;
    enum ra_status status = RA_OK;

    fatbin->next++;
    while (status == RA_OK && fatbin->next < fatbin->source.size) {
        size_t at;

        status = ra_source_peek(&fatbin->source, fatbin->next, sizeof(bytes),
                                fatbin->diags, bytes, &span);
        if (status != RA_OK)
            break;
        at = find(span);
        if (at < span.size) {
            fatbin->next += at;
            break;
        }
        /* A magic may lie across the end of the window. */
        fatbin->next += span.size < WINDOW ? span.size : span.size - RA_BUNDLE_MAGIC_SIZE;
    }
    return status;
}

static enum ra_status open_plain(struct ra_fatbin *fatbin, struct ra_piece *ret)
{
    ret->container = "plain";
    ret->status = ra_table_read(&ret->source, fatbin->arena, fatbin->diags, &ret->table);
    if (ret->status != RA_OK)
        return ra_is_damage(ret->status) ? resync(fatbin) : ret->status;
    ret->has_size = true;
    ret->source.size = ret->table.end;
    fatbin->next += ret->table.end;
    return RA_OK;
}

static enum ra_status open_ccob(struct ra_fatbin *fatbin, struct ra_piece *ret)
{
    static const char *const names[] = { "ccob", "ccob1", "ccob2", "ccob3" };

    ret->status = ra_ccob_read(&ret->source, fatbin->diags, &ret->ccob);
    ret->container = names[ret->ccob.version <= 3 ? ret->ccob.version : 0];
    if (ret->status != RA_OK)
        return ra_is_damage(ret->status) ? resync(fatbin) : ret->status;
    ret->has_size = ret->ccob.size != 0;
    fatbin->waiting = !ret->has_size;
    if (ret->has_size) {
        ret->source.size = ret->ccob.size; /* ra_ccob_read() saw that it is inside */
        fatbin->next += ret->ccob.size;
    }
    return RA_OK;
}

enum ra_status ra_fatbin_ahead(struct ra_fatbin *fatbin, bool *ret)
{
    uint8_t bytes[RA_BUNDLE_MAGIC_SIZE];
    struct ra_span head = { 0 };
    enum ra_status status = skip_zeros(fatbin);

    if (status == RA_OK)
        status = ra_source_peek(&fatbin->source, fatbin->next, sizeof(bytes),
                                fatbin->diags, bytes, &head);
    *ret = status == RA_OK && (ra_table_probe(head) || ra_ccob_probe(head));
    return status;
}

enum ra_status ra_fatbin_next(struct ra_fatbin *fatbin, struct ra_piece *ret, bool *more)
{
    uint8_t bytes[RA_BUNDLE_MAGIC_SIZE];
    struct ra_span head;
    enum ra_status status = skip_zeros(fatbin);

    *more = fatbin->next < fatbin->source.size;
    if (status != RA_OK || !*more)
        return status;
    status = ra_source_peek(&fatbin->source, fatbin->next, sizeof(bytes), fatbin->diags,
                            bytes, &head);
    if (status != RA_OK)
        return status;
    *ret = (struct ra_piece){ .source = ra_source_from(&fatbin->source, fatbin->next) };
    if (ra_table_probe(head))
        return open_plain(fatbin, ret);
    if (head.size >= 4 && memcmp(head.data, "CCOB", 4) == 0)
        return open_ccob(fatbin, ret);
    ret->container = "unknown";
    ret->status = ra_fault(fatbin->diags, RA_E_FORMAT, RA_DIAG_FATBIN_UNEXPLAINED,
                           ra_source_place(&ret->source, 0), "no bundle starts here");
    return resync(fatbin);
}

enum ra_status ra_fatbin_pass(struct ra_fatbin *fatbin, uint64_t size)
{
    if (!fatbin->waiting)
        return RA_OK;
    fatbin->waiting = false;
    if (size == 0 || size > fatbin->source.size - fatbin->next)
        return resync(fatbin);
    fatbin->next += size;
    return RA_OK;
}
