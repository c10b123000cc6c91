#include "container/archive.h"
#include "container/zip.h"

#include "cuts.h"
#include "listing.h"
#include "packed.h"

enum { CONTENTS = 3 };

/* An archive of three small members, each in its own way. */
struct small {
    struct fx contents[CONTENTS];
    struct listed listed[CONTENTS];
    struct ra_workspaces *workspaces;
};

static void small_make(struct small *ret)
{
    static const char *const names[CONTENTS] = { "a.o", "lib.so", "c.o" };
    static const size_t sizes[CONTENTS] = { 3, 200, 40 };

    for (size_t i = 0; i < CONTENTS; i++) {
        ret->contents[i] = packed_content(sizes[i]);
        ret->listed[i] = (struct listed){ names[i], &ret->contents[i] };
    }
    ret->workspaces = listing_workspaces();
}

static void small_end(struct small *small)
{
    for (size_t i = 0; i < CONTENTS; i++)
        fx_free(&small->contents[i]);
    ra_workspaces_free(small->workspaces);
}

static void small_zip(const struct small *small, struct fx *fx)
{
    struct fx_member members[CONTENTS];

    for (size_t i = 0; i < CONTENTS; i++)
        members[i] = (struct fx_member){ .name = small->listed[i].name,
                                         .content = small->listed[i].content,
                                         .deflated = i != 0,
                                         .streamed = i == 2 };
    fx_zip(fx, &(struct fx_zip){ .members = members, .count = CONTENTS });
}

static void small_tar(const struct small *small, struct fx *fx)
{
    for (size_t i = 0; i < CONTENTS; i++)
        fx_tar(fx, &(struct fx_tar){ .name = small->listed[i].name,
                                     .content = small->listed[i].content });
    fx_tar_end(fx);
}

static void small_ar(const struct small *small, struct fx *fx)
{
    struct fx_ar members[CONTENTS];

    for (size_t i = 0; i < CONTENTS; i++)
        members[i] = (struct fx_ar){ small->listed[i].name, small->listed[i].content };
    fx_ar(fx, members, CONTENTS, false);
}

static enum listing_outcome outcome_of(const struct small *small, const struct fx *fx,
                                       bool *warned)
{
    return listing_outcome(fx, small->listed, CONTENTS, small->workspaces, warned);
}

/* ---- cut -------------------------------------------------------------------- */

/* Never in silence: a shorter list, or shorter members. */
static void assert_cuts_are_told(const struct small *small, const struct fx *fx,
                                 size_t from)
{
    bool warned;

    for (size_t size = from; size < fx->size; size = cut_next(size)) {
        struct fx cut = cut_of(fx, size);
        enum listing_outcome outcome = outcome_of(small, &cut, &warned);

        cr_assert(outcome != LISTING_WRONG || warned, "%zu of %zu", size, fx->size);
        fx_free(&cut);
    }
}

Test(archive_bad, a_zip_that_is_cut_is_an_error)
{
    struct small small;
    struct fx fx = { 0 };

    small_make(&small);
    small_zip(&small, &fx);
    for (size_t size = 0; size < fx.size; size++) {
        struct fx cut = cut_of(&fx, size);

        cr_assert_eq(outcome_of(&small, &cut, NULL), LISTING_TOLD, "%zu", size);
        fx_free(&cut);
    }
    fx_free(&fx);
    small_end(&small);
}

Test(archive_bad, a_tar_that_is_cut_is_told_of)
{
    struct small small;
    struct fx tar = { 0 }, fx = { 0 };

    small_make(&small);
    small_tar(&small, &tar);
    assert_cuts_are_told(&small, &tar, 0);
    fx_gzip(&fx, &tar);
    assert_cuts_are_told(&small, &fx, 0);
    fx_cut(&fx, 0);
    fx_zstd(&fx, &tar);
    assert_cuts_are_told(&small, &fx, 0);
    fx_free(&fx);
    fx_free(&tar);
    small_end(&small);
}

/* Between two members it is a shorter library: that format has no end. */
Test(archive_bad, a_library_that_is_cut_inside_a_member_is_told_of)
{
    struct small small;
    struct fx fx = { 0 };

    small_make(&small);
    small_ar(&small, &fx);
    for (size_t size = 0; size < fx.size; size++) {
        struct fx cut = cut_of(&fx, size);
        bool between = size == 8 || size == 8 + 60 + 4 || size == 8 + 2 * 60 + 204;

        /* 3 bytes and one that makes them even: that one is not missed. */
        between = between || size == 8 + 60 + 3;
        if (!between)
            cr_assert_eq(outcome_of(&small, &cut, NULL), LISTING_TOLD, "%zu", size);
        fx_free(&cut);
    }
    fx_free(&fx);
    small_end(&small);
}

Test(archive_bad, a_tar_without_the_mark_of_its_end_is_a_warning)
{
    struct told told = TOLD_INIT(told);
    struct small small;
    struct fx fx = { 0 };
    struct ra_source source;
    struct ra_archive *archive;
    struct ra_archive_member member;
    bool more = true;

    small_make(&small);
    small_tar(&small, &fx);
    fx_cut(&fx, fx.size - 1024);
    source = fx_source(&fx);
    cr_assert_eq(ra_archive_open(&source, &told.diags, &archive), RA_OK);
    while (more)
        cr_assert_eq(ra_archive_next(archive, &member, &more), RA_OK);
    ra_archive_close(archive);
    cr_assert_eq(told.diags.errors, 0);
    assert_told(told, ARCHIVE_NO_END);
    fx_free(&fx);
    small_end(&small);
}

/* ---- poked ------------------------------------------------------------------ */

/* Bytes that nothing vouches for. */
typedef bool unchecked(const struct fx *fx, size_t at);

/* Each byte with four values: all members as they were, or an error. */
static void assert_pokes_are_told(const struct small *small, struct fx *fx,
                                  unchecked *is_unchecked)
{
    for (size_t at = 0; at < fx->size; at++) {
        const uint8_t was = fx->data[at];
        const uint8_t values[] = { 0, 0xff, was ^ 1, (uint8_t)(was + 1) };

        for (size_t i = 0; i < RA_COUNT(values); i++) {
            enum listing_outcome outcome;
            bool warned;

            fx->data[at] = values[i];
            outcome = outcome_of(small, fx, &warned);
            cr_assert(outcome != LISTING_WRONG || warned || is_unchecked(fx, at),
                      "byte %zu of %zu is %02x, was %02x", at, fx->size, values[i], was);
        }
        fx->data[at] = was;
    }
}

/* Who made it and of what mode: then a member may be no file. */
static bool is_attribute(const struct fx *fx, size_t at)
{
    for (size_t i = at < 42 ? 0 : at - 42; i < at && i + 46 < fx->size; i++)
        if (memcmp(fx->data + i, "PK\1\2", 4) == 0 &&
            ((at - i >= 4 && at - i < 6) || (at - i >= 38 && at - i < 42)))
            return true;
    return false;
}

static bool is_never(const struct fx *fx, size_t at)
{
    (void)fx, (void)at;
    return false;
}

/* Content, which a tar has no sum of. */
static bool is_tar_content(const struct fx *fx, size_t at)
{
    (void)fx;
    return (at / 512) % 2 == 1;
}

static bool is_anything(const struct fx *fx, size_t at)
{
    (void)fx, (void)at;
    return true;
}

Test(archive_bad, a_byte_of_a_zip_that_matters_cannot_change_unseen)
{
    struct small small;
    struct fx fx = { 0 };

    small_make(&small);
    small_zip(&small, &fx);
    assert_pokes_are_told(&small, &fx, is_attribute);
    fx_free(&fx);
    small_end(&small);
}

Test(archive_bad, a_byte_of_a_compressed_tar_cannot_change_unseen)
{
    struct small small;
    struct fx tar = { 0 }, fx = { 0 };

    small_make(&small);
    small_tar(&small, &tar);
    fx_gzip(&fx, &tar);
    assert_pokes_are_told(&small, &fx, is_never);
    fx_cut(&fx, 0);
    fx_zstd(&fx, &tar);
    assert_pokes_are_told(&small, &fx, is_never);
    fx_cut(&fx, 0);
    assert_pokes_are_told(&small, &tar, is_tar_content);
    fx_free(&fx);
    fx_free(&tar);
    small_end(&small);
}

Test(archive_bad, a_library_with_any_byte_changed_is_survived)
{
    struct small small;
    struct fx fx = { 0 };

    small_make(&small);
    small_ar(&small, &fx);
    assert_pokes_are_told(&small, &fx, is_anything);
    fx_free(&fx);
    small_end(&small);
}

/* ---- what is told ----------------------------------------------------------- */

/* Opened, listed, and each file read to its end: the first failure. */
static enum ra_status read_all(const struct fx *fx, struct told *told)
{
    struct ra_workspaces *workspaces = listing_workspaces();
    struct ra_source source = fx_source(fx);
    struct ra_archive *archive;
    struct ra_archive_member member;
    enum ra_status status = ra_archive_open(&source, &told->diags, &archive), ret;
    bool more = true;

    ret = status;
    while (status == RA_OK && more) {
        struct fx content = { 0 };

        status = ra_archive_next(archive, &member, &more);
        if (status == RA_OK && more && member.is_file && ret == RA_OK)
            ret = listing_member(archive, &member, workspaces, &told->diags, &content);
        fx_free(&content);
        if (status != RA_OK)
            ret = status;
        if (status != RA_OK || !more)
            ra_archive_close(archive);
    }
    ra_workspaces_free(workspaces);
    return ret;
}

static enum ra_status read_one(const struct fx_member *member, struct told *told)
{
    struct fx fx = { 0 };
    enum ra_status status;

    fx_zip(&fx, &(struct fx_zip){ .members = member, .count = 1 });
    status = read_all(&fx, told);
    fx_free(&fx);
    return status;
}

Test(archive_bad, sizes_and_sums_that_lie_are_damage)
{
    struct told told = TOLD_INIT(told);
    struct fx content = packed_content(1000);
    const struct fx_member members[] = {
        { .central_size = 1 }, { .central_size = -1 },     { .central_packed = -1 },
        { .local_size = 1 },   { .local_packed = -1 },     { .central_crc = 1 },
        { .local_name = "b" }, { .local_name = "longer" },
    };

    for (size_t i = 0; i < RA_COUNT(members); i++)
        for (unsigned how = 0; how < 4; how++) {
            struct fx_member member = members[i];

            member.name = "a";
            member.content = &content;
            member.deflated = how & 1;
            member.streamed = how & 2;
            if (member.streamed && (member.local_size || member.local_packed))
                continue; /* they stand behind the data */
            cr_assert_eq(read_one(&member, &told), RA_E_FORMAT, "%zu, %u", i, how);
            cr_assert_eq(told.diags.count, 1, "%zu, %u: %s", i, how, told_detail(&told));
            told_end(&told);
        }
    cr_assert_eq(read_one(&(struct fx_member){ .name = "a", .local_name = "b" }, &told),
                 RA_E_FORMAT);
    assert_told(told, MEMBER_DAMAGED);
    fx_free(&content);
}

Test(archive_bad, encrypted_members_are_not_read)
{
    struct told told = TOLD_INIT(told);
    struct fx content = packed_content(1000);

    cr_assert_eq(
        read_one(
            &(struct fx_member){ .name = "a", .content = &content, .encrypted = true },
            &told),
        RA_E_UNSUPPORTED);
    assert_told(told, MEMBER_ENCRYPTED);
    fx_free(&content);
}

Test(archive_bad, unknown_methods_are_not_read)
{
    static const uint16_t methods[] = { 1, 9, 12, 14, 93, 98, 65535 };
    struct told told = TOLD_INIT(told);

    for (size_t i = 0; i < RA_COUNT(methods); i++) {
        cr_assert_eq(
            read_one(&(struct fx_member){ .name = "a", .method = methods[i] }, &told),
            RA_E_UNSUPPORTED, "%u", methods[i]);
        assert_told(told, ARCHIVE_UNREAD);
    }
}

Test(archive_bad, a_directory_that_contradicts_itself_is_an_error)
{
    struct told told = TOLD_INIT(told);
    const struct fx_member members[] = { { .name = "a" }, { .name = "b" } };
    const struct fx_zip zips[] = {
        { .share = true },
        { .count_more = 1 },
        { .count_more = -1 },
        { .count_more = 65536, .zip64 = true },
    };

    for (size_t i = 0; i < RA_COUNT(zips); i++) {
        struct fx_zip zip = zips[i];
        struct fx fx = { 0 };

        zip.members = members;
        zip.count = 2;
        fx_zip(&fx, &zip);
        cr_assert_eq(read_all(&fx, &told), RA_E_FORMAT, "%zu", i);
        assert_told(told, ARCHIVE_BAD);
        fx_free(&fx);
    }
}

Test(archive_bad, a_name_met_more_than_once_is_told_once)
{
    static const char *const names[] = { "a", "b", "a", "c", "a", "b", "a" };
    struct told told = TOLD_INIT(told);
    struct fx_member members[RA_COUNT(names)];
    struct fx fx = { 0 };

    for (size_t i = 0; i < RA_COUNT(names); i++)
        members[i] = (struct fx_member){ .name = names[i] };
    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = RA_COUNT(names) });
    cr_assert_eq(read_all(&fx, &told), RA_OK);
    cr_assert_eq(told.diags.count, 2);
    cr_assert_str_eq(told.diags.first->detail, "a");
    cr_assert_str_eq(told.diags.last->detail, "b");
    told_end(&told);
    fx_free(&fx);
}

Test(archive_bad, thin_libraries_are_not_read)
{
    struct told told = TOLD_INIT(told);
    struct fx content = packed_content(10), fx = { 0 };

    fx_ar(&fx, &(struct fx_ar){ "a.o", &content }, 1, true);
    cr_assert(ra_archive_probe(fx_span(&fx)));
    cr_assert_eq(read_all(&fx, &told), RA_E_UNSUPPORTED);
    assert_told(told, ARCHIVE_UNREAD);
    fx_free(&fx);
    fx_free(&content);
}

Test(archive_bad, what_is_compressed_and_no_archive_is_but_a_note)
{
    struct told told = TOLD_INIT(told);
    struct fx content = packed_content(100000), fx = { 0 };

    for (unsigned i = 0; i < 2; i++) {
        if (i == 0)
            fx_gzip(&fx, &content);
        else
            fx_zstd(&fx, &content);
        cr_assert_eq(read_all(&fx, &told), RA_E_UNSUPPORTED);
        cr_assert_eq(told.diags.errors, 0);
        assert_told(told, NO_ARCHIVE);
        fx_poke(&fx, fx.size / 2, 4, 0xdeadbeef);
        cr_assert_eq(read_all(&fx, &told), RA_E_FORMAT, "unless it is damaged");
        assert_told(told, CODEC_DAMAGED);
        fx_cut(&fx, 0);
    }
    fx_free(&fx);
    fx_free(&content);
}

/* ---- limits ----------------------------------------------------------------- */

Test(archive_bad, a_member_beyond_the_limit_is_not_decoded_to_reach_the_next)
{
    struct told told = TOLD_INIT(told);
    struct fx tar = { 0 }, fx = { 0 };

    fx_tar(&tar, &(struct fx_tar){ .name = "a", .claim = (uint64_t)1 << 50 });
    fx_pad(&tar, 1 << 20);
    fx_gzip(&fx, &tar);
    cr_assert_eq(read_all(&fx, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_free(&fx);
    fx_free(&tar);
}

Test(archive_bad, names_have_a_limit)
{
    struct told told = TOLD_INIT(told);
    char name[RA_ARCHIVE_NAME + 2];
    const struct fx_tar member = { .name = name, .how = FX_TAR_GNU };
    struct fx fx = { 0 };

    memset(name, 'n', sizeof(name));
    name[RA_ARCHIVE_NAME + 1] = '\0';
    cr_assert_eq(read_one(&(struct fx_member){ .name = name }, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_tar(&fx, &member);
    fx_tar_end(&fx);
    cr_assert_eq(read_all(&fx, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
    name[RA_ARCHIVE_NAME] = '\0';
    fx_cut(&fx, 0);
    fx_tar(&fx, &member);
    fx_tar_end(&fx);
    cr_assert_eq(read_all(&fx, &told), RA_OK);
    assert_silent(told);
    fx_free(&fx);
}

/* The .xz file format 1.1.0, 2.1.1 and 3.1: a stream header, then that of a block. */
Test(archive_bad, xz_that_looks_back_too_far_is_not_decoded)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };

    fx_bytes(&fx,
             "\xfd"
             "7zXZ\0\0\4",
             8);
    fx_u32(&fx, 0); /* sum */
    fx_u8(&fx, 2);  /* bytes of the header / 4 - 1 */
    fx_u8(&fx, 0);  /* one filter */
    fx_u8(&fx, 0x21);
    fx_u8(&fx, 1);
    fx_u8(&fx, 29); /* 96 MiB, the next after 64 */
    fx_pad(&fx, 1000);
    cr_assert_eq(read_all(&fx, &told), RA_E_LIMIT);
    assert_told(told, CODEC_WINDOW);
    fx.data[16] = 28;
    cr_assert_eq(read_all(&fx, &told), RA_E_FORMAT);
    assert_told(told, CODEC_DAMAGED);
    fx_free(&fx);
}
