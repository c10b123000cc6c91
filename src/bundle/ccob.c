#include "bundle/ccob.h"

#include <inttypes.h>

#define MAGIC      "CCOB"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)

/* llvm::compression::Format, as stored. */
enum method { METHOD_ZLIB, METHOD_ZSTD };

static bool known(unsigned version, unsigned method)
{
    return version >= 1 && version <= 3 && method <= METHOD_ZSTD;
}

static bool starts(struct ra_span head, unsigned *version, unsigned *method)
{
    struct ra_cursor cur = ra_cursor_over(head);
    bool magic = ra_cursor_match(&cur, MAGIC, MAGIC_SIZE);

    *version = ra_cursor_u16le(&cur);
    *method = ra_cursor_u16le(&cur);
    return magic && ra_cursor_ok(&cur);
}

bool ra_ccob_probe(struct ra_span head)
{
    unsigned version, method;

    return starts(head, &version, &method) && known(version, method);
}

bool ra_ccob_resembles(struct ra_span head)
{
    unsigned version, method;

    return starts(head, &version, &method) && version < 256 && method < 256;
}

/* Sizes grew to 64 bits in version 3; version 1 had no total. */
static void read_sizes(struct ra_cursor *cur, struct ra_ccob *ret)
{
    if (ret->version == 2)
        ret->size = ra_cursor_u32le(cur);
    if (ret->version == 3)
        ret->size = ra_cursor_u64le(cur);
    ret->expanded = ret->version == 3 ? ra_cursor_u64le(cur) : ra_cursor_u32le(cur);
    ret->md5 = ra_cursor_u64le(cur);
    ret->header = cur->pos;
}

static enum ra_status read_header(const struct ra_source *source, struct ra_diags *diags,
                                  struct ra_ccob *ret)
{
    uint8_t bytes[RA_CCOB_HEADER_MAX];
    struct ra_place place = ra_source_place(source, 0);
    struct ra_span head;
    struct ra_cursor cur;
    unsigned method;
    enum ra_status status = ra_source_peek(source, 0, sizeof(bytes), diags, bytes, &head);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(head);
    ra_cursor_skip(&cur, MAGIC_SIZE);
    *ret = (struct ra_ccob){ .version = ra_cursor_u16le(&cur) };
    method = ra_cursor_u16le(&cur);
    ret->codec = method == METHOD_ZSTD ? RA_CODEC_ZSTD : RA_CODEC_DEFLATE;
    if (ra_cursor_ok(&cur) && !known(ret->version, method))
        return ra_fault(diags, RA_E_UNSUPPORTED, RA_DIAG_CCOB_UNKNOWN, place,
                        "version %u, method %u", ret->version, method);
    read_sizes(&cur, ret);
    if (!ra_cursor_ok(&cur))
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CCOB_BAD, place,
                        "%zu bytes hold no header", head.size);
    return RA_OK;
}

/* Only zstd frames say what they hold. */
static enum ra_status unwrap(const struct ra_source *source, struct ra_diags *diags,
                             struct ra_ccob *ccob)
{
    struct ra_source payload = ra_source_from(source, ccob->header);
    struct ra_frame frame;
    enum ra_status status = ra_frame_read(ccob->codec, &payload, diags, &frame);

    if (status == RA_OK && ccob->version == 2 && frame.has_content &&
        frame.content > UINT32_MAX && (uint32_t)frame.content == ccob->expanded) {
        ccob->expanded = frame.content;
        ccob->size = 0;
        ccob->wrapped = true;
    }
    return status;
}

enum ra_status ra_ccob_read(const struct ra_source *source, struct ra_diags *diags,
                            struct ra_ccob *ret)
{
    struct ra_place place = ra_source_place(source, 0);
    enum ra_status status = read_header(source, diags, ret);

    if (status == RA_OK)
        status = unwrap(source, diags, ret);
    if (status != RA_OK || ret->version == 1 || ret->wrapped)
        return status;
    if (ret->size <= ret->header)
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CCOB_BAD, place,
                        "%" PRIu64 " bytes, header and all", ret->size);
    if (ret->size > source->size)
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CCOB_BAD, place,
                        "%" PRIu64 " bytes where %" PRIu64 " are left", ret->size,
                        source->size);
    return RA_OK;
}
