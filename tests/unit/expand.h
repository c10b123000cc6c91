/* expand.h - open compressed data for a test, with what it was told. */
#ifndef EXPAND_H
#define EXPAND_H

#include "codec/expanded.h"

#include "packed.h"
#include "told.h"

struct expand {
    struct told told;
    struct ra_workspaces *workspaces;
    struct ra_expand how;
    struct ra_source packed;
    struct ra_expanded *expanded;
};

/** `packed` has to live as long; expand_end() it also where the open failed. */
static inline enum ra_status expand_open(struct expand *ret, const struct fx *packed,
                                         struct ra_expand how)
{
    *ret = (struct expand){ .workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                            .how = how };
    ret->told.diags.arena = &ret->told.arena;
    ret->packed = fx_source(packed);
    ret->how.workspaces = ret->workspaces;
    return ra_expanded_open(&ret->packed, &ret->how, &ret->told.diags, &ret->expanded);
}

static inline void expand_end(struct expand *expand)
{
    ra_expanded_close(expand->expanded);
    ra_workspaces_free(expand->workspaces);
    told_end(&expand->told);
}

static inline enum ra_status expand_read(struct expand *expand, uint64_t offset,
                                         size_t size, uint8_t *ret)
{
    struct ra_source source = ra_expanded_source(expand->expanded);

    return ra_source_read(&source, offset, size, &expand->told.diags, ret);
}

static inline enum ra_status expand_hold(struct expand *expand, uint64_t offset,
                                         uint64_t size)
{
    struct ra_source source = ra_expanded_source(expand->expanded);

    return ra_source_hold(&source, offset, size);
}

/** The bytes at `offset` are those of `content`. */
static inline void expand_assert_bytes(struct expand *expand, const struct fx *content,
                                       uint64_t offset, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);

    cr_assert_eq(expand_read(expand, offset, size, bytes), RA_OK, "%zu at %zu: %s", size,
                 (size_t)offset, told_detail(&expand->told));
    cr_assert_eq(memcmp(bytes, content->data + offset, size), 0, "%zu at %zu", size,
                 (size_t)offset);
    free(bytes);
}

#endif
