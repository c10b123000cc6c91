/* listing.h - open an archive for a test, and read its members. */
#ifndef LISTING_H
#define LISTING_H

#include "container/member.h"
#include "gen/archive.h"

#include "told.h"

#include <stdlib.h>

/** A member of a test: its name, and what it has to hold. */
struct listed {
    const char *name;
    const struct fx *content;
};

static inline struct ra_workspaces *listing_workspaces(void)
{
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_MEMBER_TOTAL);

    cr_assert_not_null(workspaces);
    return workspaces;
}

static inline bool listing_is(struct ra_span span, const char *text)
{
    return span.size == strlen(text) &&
           (span.size == 0 || memcmp(span.data, text, span.size) == 0);
}

/** All of a source in odd steps. */
static inline enum ra_status listing_read(const struct ra_source *source,
                                          struct ra_diags *diags, struct fx *ret)
{
    enum ra_status status = RA_OK;

    fx_pad(ret, (size_t)source->size);
    for (size_t at = 0; status == RA_OK && at < ret->size; at += 70001) {
        size_t left = ret->size - at;

        status = ra_source_read(source, at, left < 70001 ? left : 70001, diags,
                                ret->data + at);
    }
    return status;
}

/** The current member, to its end; fx_free() `ret` in any case. */
static inline enum ra_status listing_member(struct ra_archive *archive,
                                            const struct ra_archive_member *member,
                                            struct ra_workspaces *workspaces,
                                            struct ra_diags *diags, struct fx *ret)
{
    struct ra_member *opened;
    struct ra_source source;
    enum ra_status status = ra_member_open(archive, member, workspaces, diags, &opened);

    if (status != RA_OK)
        return status;
    source = ra_member_source(opened);
    status = listing_read(&source, diags, ret);
    if (status == RA_OK)
        status = ra_member_finish(opened);
    ra_member_close(opened);
    return status;
}

/** The next member that is a file. */
static inline enum ra_status listing_next(struct ra_archive *archive,
                                          struct ra_archive_member *ret, bool *more)
{
    enum ra_status status;

    do
        status = ra_archive_next(archive, ret, more);
    while (status == RA_OK && *more && !ret->is_file);
    return status;
}

/** The archive has these files, byte for byte, in this order. */
static inline void assert_lists(const struct ra_source *source,
                                const struct listed *listed, size_t count)
{
    struct told told = TOLD_INIT(told);
    struct ra_workspaces *workspaces = listing_workspaces();
    struct ra_archive *archive;
    struct ra_archive_member member;
    bool more = true;

    cr_assert_eq(ra_archive_open(source, &told.diags, &archive), RA_OK, "%s",
                 told_detail(&told));
    for (size_t i = 0; i <= count; i++) {
        struct fx content = { 0 };
        uint8_t bytes[64];
        struct ra_span head;

        cr_assert_eq(listing_next(archive, &member, &more), RA_OK, "%s",
                     told_detail(&told));
        cr_assert_eq(more, i < count, "member %zu of %zu", i, count);
        if (!more)
            break;
        cr_assert(listing_is(member.name, listed[i].name), "%.*s, not %s",
                  (int)member.name.size, (const char *)member.name.data, listed[i].name);
        cr_assert(member.has_size);
        cr_assert_eq(member.size, listed[i].content->size);
        cr_assert_eq(ra_archive_head(archive, &told.diags, bytes, 1 + i % 64, &head),
                     RA_OK);
        cr_assert(head.size == 0 ||
                  memcmp(head.data, listed[i].content->data, head.size) == 0);
        cr_assert_eq(listing_member(archive, &member, workspaces, &told.diags, &content),
                     RA_OK, "%s: %s", listed[i].name, told_detail(&told));
        cr_assert_eq(content.size, listed[i].content->size);
        cr_assert(content.size == 0 ||
                  memcmp(content.data, listed[i].content->data, content.size) == 0);
        fx_free(&content);
    }
    ra_archive_close(archive);
    ra_workspaces_free(workspaces);
    assert_silent(told);
}

/** What came of an archive that may be damaged. */
enum listing_outcome {
    LISTING_WHOLE, /**< all is there and right, and no error was told */
    LISTING_TOLD,  /**< an error was told */
    LISTING_WRONG, /**< neither */
};

static inline bool listing_has(struct ra_archive *archive, const struct listed *listed,
                               size_t count, struct ra_workspaces *workspaces,
                               struct ra_diags *diags)
{
    struct ra_archive_member member;
    bool more = true, right = true;

    for (size_t i = 0; right; i++) {
        struct fx content = { 0 };

        if (listing_next(archive, &member, &more) != RA_OK || !more)
            return i == count;
        /* Read in any case: what is wrong with a member is told by that. */
        right = listing_member(archive, &member, workspaces, diags, &content) == RA_OK &&
                i < count && listing_is(member.name, listed[i].name) &&
                content.size == listed[i].content->size &&
                (content.size == 0 ||
                 memcmp(content.data, listed[i].content->data, content.size) == 0);
        fx_free(&content);
    }
    return right;
}

/** `warned`, if not NULL: whether anything was told at all. */
static inline enum listing_outcome
listing_outcome(const struct fx *fx, const struct listed *listed, size_t count,
                struct ra_workspaces *workspaces, bool *warned)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = fx_source(fx);
    struct ra_archive *archive;
    bool right = false, errors;

    if (ra_archive_open(&source, &told.diags, &archive) == RA_OK) {
        right = listing_has(archive, listed, count, workspaces, &told.diags);
        ra_archive_close(archive);
    }
    errors = told.diags.errors > 0;
    if (warned)
        *warned = told.diags.count > 0;
    told_end(&told);
    return errors ? LISTING_TOLD : right ? LISTING_WHOLE : LISTING_WRONG;
}

#endif
