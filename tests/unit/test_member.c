#include "container/member.h"

#include "listing.h"
#include "packed.h"

#define MIB   ((size_t)1 << 20)
#define LARGE (RA_MEMBER_WHOLE + 9 * MIB + 12345)

/* A member of an archive, opened. */
struct opened {
    struct told told;
    struct ra_workspaces *workspaces;
    struct ra_source source; /* of the archive */
    struct ra_archive *archive;
    struct ra_archive_member listed;
    struct ra_member *member;
    struct ra_source content;
};

/* The file at `index`. */
static enum ra_status open_of(struct opened *ret, const struct ra_source *source,
                              size_t index)
{
    enum ra_status status;
    bool more = true;

    *ret = (struct opened){ .workspaces = listing_workspaces(), .source = *source };
    ret->told.diags.arena = &ret->told.arena;
    cr_assert_eq(ra_archive_open(&ret->source, &ret->told.diags, &ret->archive), RA_OK);
    for (size_t i = 0; i <= index; i++) {
        cr_assert_eq(ra_archive_next(ret->archive, &ret->listed, &more), RA_OK);
        cr_assert(more);
    }
    status = ra_member_open(ret->archive, &ret->listed, ret->workspaces, &ret->told.diags,
                            &ret->member);
    if (status == RA_OK)
        ret->content = ra_member_source(ret->member);
    return status;
}

static void open_good(struct opened *ret, const struct ra_source *source, size_t index)
{
    cr_assert_eq(open_of(ret, source, index), RA_OK, "%s", told_detail(&ret->told));
}

static void end(struct opened *opened)
{
    ra_member_close(opened->member);
    ra_archive_close(opened->archive);
    ra_workspaces_free(opened->workspaces);
}

static void end_good(struct opened *opened)
{
    cr_assert_eq(ra_member_finish(opened->member), RA_OK, "%s",
                 told_detail(&opened->told));
    end(opened);
    assert_silent(opened->told);
}

static void assert_bytes(struct opened *opened, const struct fx *content, uint64_t at,
                         size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);

    cr_assert_eq(ra_source_read(&opened->content, at, size, &opened->told.diags, bytes),
                 RA_OK, "%zu at %zu: %s", size, (size_t)at, told_detail(&opened->told));
    cr_assert_eq(memcmp(bytes, content->data + at, size), 0, "%zu at %zu", size,
                 (size_t)at);
    free(bytes);
}

static void zip_of(struct fx *fx, const struct fx *content, bool deflated)
{
    const struct fx_member members[] = {
        { .name = "first" },
        { .name = "lib.so", .content = content, .deflated = deflated },
        { .name = "last" },
    };

    fx_zip(fx, &(struct fx_zip){ .members = members, .count = RA_COUNT(members) });
}

static void tar_of(struct fx *fx, const struct fx *content)
{
    fx_tar(fx, &(struct fx_tar){ .name = "first" });
    fx_tar(fx, &(struct fx_tar){ .name = "lib.so", .content = content });
    fx_tar(fx, &(struct fx_tar){ .name = "last" });
    fx_tar_end(fx);
}

/* Deflated, or a tar that is. */
static struct fx packed_in(unsigned how, const struct fx *content)
{
    struct fx fx = { 0 }, tar = { 0 };

    if (how == 0) {
        zip_of(&fx, content, true);
        return fx;
    }
    tar_of(&tar, content);
    if (how == 1)
        fx_gzip(&fx, &tar);
    else
        fx_zstd(&fx, &tar);
    fx_free(&tar);
    return fx;
}

enum { WAYS = 3 };

/* ---- small ones, and such as stand there as they are ------------------------ */

Test(member, what_is_stored_is_read_to_and_fro_however_large_it_is)
{
    struct fx content = packed_content(LARGE), fx = { 0 };
    uint64_t state = 5;

    for (unsigned how = 0; how < 2; how++) {
        struct opened opened;
        struct ra_source source;

        if (how == 0)
            zip_of(&fx, &content, false);
        else
            tar_of(&fx, &content);
        source = fx_source(&fx);
        open_good(&opened, &source, 1);
        cr_assert_not(ra_source_is_forward(&opened.content));
        for (unsigned i = 0; i < 300; i++)
            assert_bytes(&opened, &content, packed_random(&state) % (LARGE - 1000), 1000);
        end_good(&opened);
        fx_cut(&fx, 0);
    }
    fx_free(&fx);
    fx_free(&content);
}

Test(member, what_is_compressed_and_fits_is_read_to_and_fro)
{
    struct fx content = packed_content(3 * MIB);
    uint64_t state = 7;

    for (unsigned how = 0; how < WAYS; how++) {
        struct fx fx = packed_in(how, &content);
        struct ra_source source = fx_source(&fx);
        struct opened opened;

        open_good(&opened, &source, 1);
        cr_assert_not(ra_source_is_forward(&opened.content));
        for (unsigned i = 0; i < 300; i++)
            assert_bytes(&opened, &content, packed_random(&state) % (3 * MIB - 999), 999);
        end_good(&opened);
        fx_free(&fx);
    }
    fx_free(&content);
}

Test(member, places_count_from_its_first_byte)
{
    struct fx content = packed_content(100), fx = { 0 };

    for (unsigned deflated = 0; deflated < 2; deflated++) {
        struct opened opened;
        struct ra_source source;
        struct ra_place place;

        zip_of(&fx, &content, deflated);
        source = fx_source(&fx);
        open_good(&opened, &source, 1);
        place = ra_source_place(&opened.content, 7);
        cr_assert_eq(place.offset, 7);
        cr_assert_eq(place.inner, RA_NOT_EXPANDED);
        end_good(&opened);
        fx_cut(&fx, 0);
    }
    fx_free(&fx);
    fx_free(&content);
}

/* The sum stands in the directory: only all of the bytes tell. */
Test(member, a_stored_one_that_changed_is_told_at_its_end)
{
    struct fx content = packed_content(100000), fx = { 0 };
    struct opened opened;
    struct ra_source source;

    zip_of(&fx, &content, false);
    fx.data[50000] ^= 1;
    source = fx_source(&fx);
    open_good(&opened, &source, 1);
    cr_assert_eq(ra_member_finish(opened.member), RA_E_FORMAT);
    end(&opened);
    assert_told(opened.told, MEMBER_DAMAGED);
    fx_free(&fx);
    fx_free(&content);
}

/* ---- forward ---------------------------------------------------------------- */

Test(member, a_large_one_is_read_forward_and_ends_as_announced)
{
    struct fx content = packed_content(LARGE);

    for (unsigned how = 0; how < WAYS; how++) {
        struct fx fx = packed_in(how, &content);
        struct ra_source source = fx_source(&fx);
        struct opened opened;

        open_good(&opened, &source, 1);
        cr_assert(ra_source_is_forward(&opened.content));
        for (size_t at = 0; at < LARGE; at += 4 * MIB)
            assert_bytes(&opened, &content, at,
                         LARGE - at < 4 * MIB ? LARGE - at : 4 * MIB);
        end_good(&opened);
        fx_free(&fx);
    }
    fx_free(&content);
}

/* As an ELF file is read: more often than it may start over. */
Test(member, both_ends_and_the_held_part_cost_no_restart)
{
    struct fx content = packed_content(LARGE);
    const uint64_t held = RA_MEMBER_ENDS + 5 * MIB;
    uint64_t state = 9;

    for (unsigned how = 0; how < WAYS; how++) {
        struct fx fx = packed_in(how, &content);
        struct ra_source source = fx_source(&fx);
        struct opened opened;

        open_good(&opened, &source, 1);
        assert_bytes(&opened, &content, LARGE - 64, 64);
        cr_assert_eq(ra_source_hold(&opened.content, held, 6 * MIB), RA_OK);
        for (unsigned i = 0; i < 300; i++) {
            uint64_t in = packed_random(&state) % (RA_MEMBER_ENDS - 1000);

            assert_bytes(&opened, &content, in, 1000);
            assert_bytes(&opened, &content, LARGE - 1000 - in, 1000);
            assert_bytes(&opened, &content, held + in, 1000);
            cr_assert_eq(ra_source_hold(&opened.content, held + in, 100), RA_OK);
        }
        end_good(&opened);
        fx_free(&fx);
    }
    fx_free(&content);
}

Test(member, reads_behind_the_position_start_over_until_that_is_too_often)
{
    struct fx content = packed_content(LARGE), fx = packed_in(0, &content);
    struct ra_source source = fx_source(&fx);
    struct opened opened;
    enum ra_status status = RA_OK;
    uint8_t byte;

    open_good(&opened, &source, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_bytes(&opened, &content, 20 * MIB, 1000);
        assert_bytes(&opened, &content, 10 * MIB, 3 * MIB);
    }
    for (unsigned i = 0; status == RA_OK && i < 100; i++)
        status = ra_source_read(&opened.content, (20 - i % 2 * 10) * MIB, 1,
                                &opened.told.diags, &byte);
    cr_assert_eq(status, RA_E_LIMIT);
    cr_assert_eq(ra_member_finish(opened.member), RA_E_LIMIT, "failure sticks");
    end(&opened);
    assert_told(opened.told, LIMIT);
    fx_free(&fx);
    fx_free(&content);
}

Test(member, a_large_one_with_a_wrong_sum_is_told_at_its_end)
{
    struct fx content = packed_content(LARGE), fx = { 0 };
    const struct fx_member member = {
        .name = "a",
        .content = &content,
        .deflated = true,
        .streamed = true,
        .central_crc = 1,
    };
    struct opened opened;
    struct ra_source source;

    fx_zip(&fx, &(struct fx_zip){ .members = &member, .count = 1 });
    source = fx_source(&fx);
    open_good(&opened, &source, 0);
    assert_bytes(&opened, &content, 20 * MIB, 1000);
    cr_assert_eq(ra_member_finish(opened.member), RA_E_FORMAT);
    end(&opened);
    assert_told(opened.told, MEMBER_DAMAGED);
    fx_free(&fx);
    fx_free(&content);
}

Test(member, the_next_member_is_there_whatever_was_read_of_this_one)
{
    struct fx content = packed_content(LARGE);

    for (unsigned how = 0; how < WAYS; how++)
        for (unsigned i = 0; i < 3; i++) {
            struct fx fx = packed_in(how, &content);
            struct ra_source source = fx_source(&fx);
            struct opened opened;
            bool more;

            open_good(&opened, &source, 1);
            if (i > 0)
                assert_bytes(&opened, &content, 20 * MIB, 1);
            if (i > 1)
                assert_bytes(&opened, &content, 10 * MIB, 1);
            ra_member_close(opened.member);
            opened.member = NULL;
            cr_assert_eq(ra_archive_next(opened.archive, &opened.listed, &more), RA_OK);
            cr_assert(more && listing_is(opened.listed.name, "last"));
            end(&opened);
            assert_silent(opened.told);
            fx_free(&fx);
        }
    fx_free(&content);
}

/* ---- an archive in an archive ----------------------------------------------- */

/* What is inside both, byte for byte, and in order. */
static void assert_nested(struct fx *outer, const struct fx *content, bool forward)
{
    struct ra_source source = fx_source(outer);
    struct opened out, in;

    open_good(&out, &source, 1);
    cr_assert_eq(ra_source_is_forward(&out.content), forward);
    open_good(&in, &out.content, 1);
    for (size_t at = 0; at < content->size; at += 5 * MIB)
        assert_bytes(&in, content, at,
                     content->size - at < 5 * MIB ? content->size - at : 5 * MIB);
    end_good(&in);
    end_good(&out);
    fx_cut(outer, 0);
}

Test(member, an_archive_in_an_archive_has_its_members)
{
    static const size_t sizes[] = { 1000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx content = packed_content(sizes[i]), outer = { 0 }, plain = { 0 };

        for (unsigned how = 0; how < WAYS; how++) {
            struct fx inner = packed_in(how, &content);

            zip_of(&outer, &inner, false); /* as a .conda has it */
            assert_nested(&outer, &content, false);
            tar_of(&outer, &inner);
            assert_nested(&outer, &content, false);
            fx_free(&inner);
        }
        zip_of(&plain, &content, false);
        zip_of(&outer, &plain, true);
        assert_nested(&outer, &content, sizes[i] == LARGE);
        fx_cut(&plain, 0);
        tar_of(&plain, &content);
        zip_of(&outer, &plain, true);
        assert_nested(&outer, &content, sizes[i] == LARGE);
        fx_free(&plain);
        fx_free(&outer);
        fx_free(&content);
    }
}
