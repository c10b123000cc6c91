#include "bundle/wrapper.h"

#include <inttypes.h>

#define VERSION       1
#define WRAPPER_LIMIT ((uint64_t)1 << 16)

bool ra_wrapper_probe(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head);
    uint32_t magic = ra_cursor_u32le(&cur), version = ra_cursor_u32le(&cur);

    return ra_cursor_ok(&cur) && version == VERSION &&
           (magic == RA_WRAPPER_HIPF || magic == RA_WRAPPER_HIPK);
}

bool ra_wrapper_is_taken(const struct ra_wrapper *wrapper)
{
    return wrapper->version == VERSION &&
           (wrapper->magic == RA_WRAPPER_HIPF || wrapper->magic == RA_WRAPPER_HIPK);
}

struct ra_wrapper ra_wrapper_read(struct ra_span bytes, uint64_t where)
{
    struct ra_cursor cur = ra_cursor_over(bytes);
    struct ra_wrapper ret = { .where = where, .magic = ra_cursor_u32le(&cur) };

    ret.version = ra_cursor_u32le(&cur);
    ret.address = ra_cursor_u64le(&cur);
    ret.index = ra_cursor_u32le(&cur);
    ret.has_address = ret.address != 0;
    return ret;
}

enum ra_status ra_wrappers_read(const struct ra_source *content, uint64_t address,
                                struct ra_arena *arena, struct ra_diags *diags,
                                struct ra_wrapper **ret, size_t *count)
{
    enum ra_status status = RA_OK;

    if (content->size / RA_WRAPPER_SIZE > WRAPPER_LIMIT)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(content, 0),
                        "%" PRIu64 " bytes of fat binary wrappers", content->size);
    *count = (size_t)(content->size / RA_WRAPPER_SIZE);
    *ret = ra_new(arena, struct ra_wrapper, *count);
    if (!*ret)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < *count; i++) {
        uint64_t at = (uint64_t)i * RA_WRAPPER_SIZE;
        uint8_t bytes[RA_WRAPPER_SIZE];

        status = ra_source_read(content, at, sizeof(bytes), diags, bytes);
        if (status == RA_OK)
            (*ret)[i] = ra_wrapper_read((struct ra_span){ bytes, sizeof(bytes), 0 },
                                        address + at);
    }
    return status;
}
