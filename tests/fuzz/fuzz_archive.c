/*
 * Any archive: each handle lists the same members; what a member gives as a source is
 * what it gives in order; who fails has told why.
 */
#include "base/names.h"
#include "container/member.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMBERS = 64, LARGEST = 1 << 20 };

struct seen {
    uint64_t hash[MEMBERS];
    size_t count;
    bool whole; /* the list came to its end */
};

/* They last as long as the program: fresh ones would be most of the time. */
static struct ra_workspaces *workspaces;

static uint8_t content[LARGEST], again[LARGEST];

static void check(bool good)
{
    if (!good)
        abort();
}

static void check_told(enum ra_status status, const struct ra_diags *diags, size_t before)
{
    check(status == RA_OK || status == RA_E_NOMEM || diags->count > before);
}

/* All of a member through another handle, in order. */
static size_t read_in_order(struct ra_archive *archive, size_t index,
                            struct ra_diags *diags)
{
    struct ra_archive *other;
    size_t made = 0;

    if (ra_archive_again(archive, index, diags, &other) != RA_OK)
        return 0;
    (void)!ra_archive_read(other, diags, again, LARGEST, &made);
    ra_archive_close(other);
    return made;
}

static void read_member(struct ra_archive *archive,
                        const struct ra_archive_member *listed, struct ra_diags *diags,
                        size_t before)
{
    size_t size = (size_t)listed->size, made;
    struct ra_member *member;
    struct ra_source source;
    enum ra_status status = ra_member_open(archive, listed, workspaces, diags, &member);

    check_told(status, diags, before);
    if (status != RA_OK)
        return;
    source = ra_member_source(member);
    check(source.size == listed->size);
    if (size > LARGEST)
        size = 1000;
    status = ra_source_read(&source, 0, size, diags, content);
    check_told(status, diags, before);
    if (status == RA_OK && listed->size <= LARGEST) {
        status = ra_member_finish(member);
        check_told(status, diags, before);
        made = read_in_order(archive, listed->index, diags);
        check(status != RA_OK || made == size);
        check(memcmp(content, again, made < size ? made : size) == 0);
    }
    ra_member_close(member);
}

static void take(struct ra_archive *archive, const struct ra_archive_member *member,
                 struct ra_diags *diags)
{
    uint8_t bytes[100], twice[100];
    struct ra_span head, same;
    size_t before = diags->count;
    enum ra_status status = ra_archive_head(archive, diags, bytes, sizeof(bytes), &head);

    check_told(status, diags, before);
    check(ra_archive_head(archive, diags, twice, sizeof(twice), &same) == status);
    check(head.size == same.size && memcmp(bytes, twice, head.size) == 0);
    read_member(archive, member, diags, before);
}

static uint64_t hash_of(const struct ra_archive_member *member)
{
    return ra_hash(member->name) ^ member->size << 3 ^ (uint64_t)member->is_file << 1 ^
           (uint64_t)member->is_damaged;
}

static void list(const struct ra_source *source, struct seen *seen, bool first,
                 struct ra_diags *diags)
{
    struct ra_archive *archive;
    struct ra_archive_member member;
    enum ra_status status = ra_archive_open(source, diags, &archive);
    size_t count = 0;
    bool more = true;

    check_told(status, diags, 0);
    if (status != RA_OK)
        return;
    while (status == RA_OK && more && count < MEMBERS) {
        status = ra_archive_next(archive, &member, &more);
        check_told(status, diags, 0);
        if (status != RA_OK || !more)
            break;
        check(member.index == count);
        if (first)
            seen->hash[count] = hash_of(&member);
        else
            check(count < seen->count && seen->hash[count] == hash_of(&member));
        if (!first && member.is_file && count % 2 == 0)
            take(archive, &member, diags);
        count++;
    }
    if (first) {
        seen->count = count;
        seen->whole = status == RA_OK && !more;
    } else if (seen->whole) {
        check(status == RA_OK && count == seen->count);
    }
    ra_archive_close(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_source source =
        ra_source_over((struct ra_span){ .data = data, .size = size });
    struct seen seen = { .count = 0 };

    if (!workspaces)
        workspaces = ra_workspaces_new(RA_MEMBER_TOTAL);
    if (!workspaces)
        return 0;
    for (unsigned i = 0; i < 2; i++) {
        struct ra_arena arena = { .limit = 1 << 24 };
        struct ra_diags diags = { .arena = &arena };

        list(&source, &seen, i == 0, &diags);
        ra_arena_free(&arena);
    }
    return 0;
}
