#include "container/archive.h"

#include "listing.h"
#include "packed.h"

#include <archive.h>
#include <archive_entry.h>

enum { CONTENTS = 5 };

static const size_t sizes[CONTENTS] = { 0, 1, 511, 5000, 300000 };

static const char *const names[CONTENTS] = { "a", "lib/b.so", "c.txt", "lib/d.so",
                                             "e.dist-info" };

static void make(struct fx contents[CONTENTS], struct listed listed[CONTENTS])
{
    for (size_t i = 0; i < CONTENTS; i++) {
        contents[i] = packed_content(sizes[i]);
        listed[i] = (struct listed){ names[i], &contents[i] };
    }
}

static void free_all(struct fx contents[CONTENTS])
{
    for (size_t i = 0; i < CONTENTS; i++)
        fx_free(&contents[i]);
}

static void make_tar(struct fx *fx, const struct listed listed[CONTENTS])
{
    for (size_t i = 0; i < CONTENTS; i++)
        fx_tar(fx,
               &(struct fx_tar){ .name = listed[i].name, .content = listed[i].content });
    fx_tar_end(fx);
}

static void make_ar(struct fx *fx, const struct listed listed[CONTENTS])
{
    struct fx_ar members[CONTENTS];

    for (size_t i = 0; i < CONTENTS; i++)
        members[i] = (struct fx_ar){ listed[i].name, listed[i].content };
    fx_ar(fx, members, CONTENTS, false);
}

enum zip_flags { DEFLATED = 1, STREAMED = 2, MEMBERS64 = 4, END64 = 8, COMMENT = 16 };

static void make_zip(struct fx *fx, const struct listed listed[CONTENTS], unsigned flags)
{
    struct fx_member members[CONTENTS];

    for (size_t i = 0; i < CONTENTS; i++)
        members[i] = (struct fx_member){ .name = listed[i].name,
                                         .content = listed[i].content,
                                         .deflated = flags & DEFLATED,
                                         .streamed = flags & STREAMED,
                                         .zip64 = flags & MEMBERS64 };
    fx_zip(fx,
           &(struct fx_zip){ .members = members,
                             .count = CONTENTS,
                             .zip64 = flags & END64,
                             .comment = flags & COMMENT ? "PK\5\6 not the end" : NULL });
}

/* Compressed by libarchive, which nothing here is read by in turn but the test. */
static void make_filtered(struct fx *fx, const struct fx *content,
                          int (*add_filter)(struct archive *))
{
    size_t room = content->size + 65536, used = 0;
    uint8_t *out = malloc(room);
    struct archive *writer = archive_write_new();
    struct archive_entry *entry = archive_entry_new();

    cr_assert_eq(add_filter(writer), ARCHIVE_OK);
    archive_write_set_format_raw(writer);
    archive_write_set_bytes_in_last_block(writer, 1);
    cr_assert_eq(archive_write_open_memory(writer, out, room, &used), ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    cr_assert_eq(archive_write_header(writer, entry), ARCHIVE_OK);
    cr_assert_eq(archive_write_data(writer, content->data, content->size),
                 (la_ssize_t)content->size);
    cr_assert_eq(archive_write_close(writer), ARCHIVE_OK);
    archive_write_free(writer);
    archive_entry_free(entry);
    fx_bytes(fx, out, used);
    free(out);
}

/* Lists it as it is; frees it. */
static void assert_good(struct fx *fx, const struct listed listed[CONTENTS])
{
    struct ra_source source = fx_source(fx);

    cr_assert(ra_archive_probe((struct ra_span){ fx->data, fx->size, 0 }));
    assert_lists(&source, listed, CONTENTS);
    fx_free(fx);
}

/* ---- what is good ----------------------------------------------------------- */

Test(archive, members_of_a_zip_are_those_that_were_put_in)
{
    struct fx contents[CONTENTS], fx = { 0 };
    struct listed listed[CONTENTS];

    make(contents, listed);
    for (unsigned flags = 0; flags < 32; flags++) {
        make_zip(&fx, listed, flags);
        assert_good(&fx, listed);
    }
    free_all(contents);
}

Test(archive, members_of_an_ar_are_those_that_were_put_in)
{
    struct fx contents[CONTENTS], fx = { 0 };
    struct listed listed[CONTENTS];

    make(contents, listed);
    listed[3].name = "a-name-that-is-too-long-for-the-header.o";
    listed[1].name = "another-name-that-is-too-long.o";
    listed[0].name = "c.o";
    listed[2].name = "c.o"; /* there is nothing odd about two of a name */
    listed[4].name = "e.o";
    make_ar(&fx, listed);
    assert_good(&fx, listed);
    free_all(contents);
}

Test(archive, members_of_a_tar_are_those_that_were_put_in)
{
    struct fx contents[CONTENTS], tar = { 0 }, fx = { 0 };
    struct listed listed[CONTENTS];

    make(contents, listed);
    make_tar(&tar, listed);
    fx_append(&fx, &tar);
    assert_good(&fx, listed);
    fx_gzip(&fx, &tar);
    assert_good(&fx, listed);
    fx_zstd(&fx, &tar);
    assert_good(&fx, listed);
    make_filtered(&fx, &tar, archive_write_add_filter_xz);
    assert_good(&fx, listed);
    make_filtered(&fx, &tar, archive_write_add_filter_bzip2);
    assert_good(&fx, listed);
    fx_free(&tar);
    free_all(contents);
}

Test(archive, long_names_are_whole_in_every_way_they_are_written)
{
    static const enum fx_tar_long ways[] = { FX_TAR_PAX, FX_TAR_GNU };
    struct fx content = packed_content(10);
    char name[301];
    struct listed listed = { name, &content };

    memset(name, 'n', 300);
    name[300] = '\0';
    for (size_t i = 0; i < RA_COUNT(ways); i++) {
        struct fx fx = { 0 };
        struct ra_source source;

        fx_tar(&fx,
               &(struct fx_tar){ .name = name, .content = &content, .how = ways[i] });
        fx_tar_end(&fx);
        source = fx_source(&fx);
        assert_lists(&source, &listed, 1);
        fx_free(&fx);
    }
    fx_free(&content);
}

/* Of names that are no UTF-8: pax wants it, all others take bytes. */
Test(archive, names_are_the_bytes_that_are_stored)
{
    static const char *const odd[] = { "\xff\xfe", "\xc3\xbc.so",
                                       ("a\x80"
                                        "b"),
                                       "\x1b[31m" };
    struct fx content = packed_content(10);

    for (size_t i = 0; i < RA_COUNT(odd); i++)
        for (unsigned utf8 = 0; utf8 < 2; utf8++) {
            struct listed listed = { odd[i], &content };
            struct fx_member member = { odd[i], &content, .utf8 = utf8 };
            struct fx fx = { 0 };
            struct ra_source source;

            fx_zip(&fx, &(struct fx_zip){ .members = &member, .count = 1 });
            source = fx_source(&fx);
            assert_lists(&source, &listed, 1);
            fx_cut(&fx, 0);
            fx_tar(&fx, &(struct fx_tar){ .name = odd[i],
                                          .content = &content,
                                          .how = utf8 ? FX_TAR_GNU : FX_TAR_PLAIN });
            fx_tar_end(&fx);
            source = fx_source(&fx);
            assert_lists(&source, &listed, 1);
            fx_free(&fx);
        }
    fx_free(&content);
}

/* ---- what is no file -------------------------------------------------------- */

struct kind {
    const char *name, *link;
    bool is_file, is_symlink;
};

static void assert_kinds(const struct fx *fx, const struct kind *kinds, size_t count)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = fx_source(fx);
    struct ra_archive *archive;
    struct ra_archive_member member;
    bool more;

    cr_assert_eq(ra_archive_open(&source, &told.diags, &archive), RA_OK);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(ra_archive_next(archive, &member, &more), RA_OK);
        cr_assert(more);
        cr_assert_eq(member.index, i);
        cr_assert(listing_is(member.name, kinds[i].name), "%s", kinds[i].name);
        cr_assert(listing_is(member.link, kinds[i].link), "%s", kinds[i].name);
        cr_assert_eq(member.is_file, kinds[i].is_file, "%s", kinds[i].name);
        cr_assert_eq(member.is_symlink, kinds[i].is_symlink, "%s", kinds[i].name);
    }
    cr_assert_eq(ra_archive_next(archive, &member, &more), RA_OK);
    cr_assert_not(more);
    ra_archive_close(archive);
    assert_silent(told);
}

Test(archive, links_and_folders_are_no_files_and_say_where_they_lead)
{
    static const struct kind kinds[] = {
        { "lib.so.1", "", true, false },
        { "lib.so", "lib.so.1", false, true },
        { "d/lib.so", "lib.so.1", false, false },
        { "d/", "", false, false },
    };
    struct fx content = packed_content(3), target = { 0 }, fx = { 0 };
    const struct fx_member members[] = {
        { .name = "lib.so.1", .content = &content },
        { .name = "lib.so", .content = &target, .mode = 0120777 },
    };

    for (size_t i = 0; i < RA_COUNT(kinds); i++)
        fx_tar(&fx, &(struct fx_tar){ .name = kinds[i].name,
                                      .link = kinds[i].link,
                                      .content = i == 0 ? &content : NULL,
                                      .type = "0215"[i] });
    fx_tar_end(&fx);
    assert_kinds(&fx, kinds, RA_COUNT(kinds));
    fx_cut(&fx, 0);
    fx_text(&target, "lib.so.1");
    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = 2 });
    assert_kinds(&fx, kinds, 2);
    fx_free(&fx);
    fx_free(&target);
    fx_free(&content);
}

Test(archive, an_empty_archive_has_no_members)
{
    struct fx fx = { 0 };

    fx_zip(&fx, &(struct fx_zip){ .count = 0 });
    assert_kinds(&fx, NULL, 0);
    fx_cut(&fx, 0);
    fx_ar(&fx, NULL, 0, false);
    assert_kinds(&fx, NULL, 0);
    fx_free(&fx);
}

Test(archive, a_hundred_thousand_members_are_listed)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_source source;
    struct ra_archive *archive;
    struct ra_archive_member member;
    size_t count = 0;
    bool more = true;

    fx_zip(&fx, &(struct fx_zip){ .empty = 100000 });
    source = fx_source(&fx);
    cr_assert_eq(ra_archive_open(&source, &told.diags, &archive), RA_OK);
    while (ra_archive_next(archive, &member, &more) == RA_OK && more)
        count += member.is_file;
    cr_assert_eq(count, 100000);
    ra_archive_close(archive);
    fx_free(&fx);
    assert_silent(told);
}

/* ---- handles ---------------------------------------------------------------- */

Test(archive, a_hushed_handle_lists_the_same_and_says_nothing_of_it)
{
    const struct fx_member members[] = { { .name = "a" },
                                         { .name = "b" },
                                         { .name = "a" } };
    struct told told = TOLD_INIT(told), other = TOLD_INIT(other);
    struct ra_archive *archive, *hushed;
    struct ra_archive_member one, two;
    struct fx fx = { 0 };
    struct ra_source source;
    bool more;

    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = 3 });
    source = fx_source(&fx);
    cr_assert_eq(ra_archive_open(&source, &told.diags, &archive), RA_OK);
    cr_assert_eq(ra_archive_open(&source, &other.diags, &hushed), RA_OK);
    ra_archive_hush(hushed);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(ra_archive_next(archive, &one, &more), RA_OK);
        cr_assert_eq(ra_archive_next(hushed, &two, &more), RA_OK);
        cr_assert_eq(one.index, two.index);
        cr_assert_eq(one.name.size, two.name.size);
        cr_assert_eq(memcmp(one.name.data, two.name.data, one.name.size), 0);
    }
    ra_archive_close(archive);
    ra_archive_close(hushed);
    fx_free(&fx);
    assert_told(told, MEMBER_TWICE);
    assert_silent(other);
}

Test(archive, only_what_is_not_compressed_around_its_members_is_seekable)
{
    struct told told = TOLD_INIT(told);
    struct fx contents[CONTENTS], tar = { 0 }, fx[4] = { { 0 } };
    struct listed listed[CONTENTS];

    make(contents, listed);
    make_tar(&tar, listed);
    make_zip(&fx[0], listed, DEFLATED);
    fx_append(&fx[1], &tar);
    make_ar(&fx[2], listed);
    fx_gzip(&fx[3], &tar);
    for (size_t i = 0; i < RA_COUNT(fx); i++) {
        struct ra_source source = fx_source(&fx[i]);
        struct ra_archive *archive;

        cr_assert_eq(ra_archive_open(&source, &told.diags, &archive), RA_OK);
        cr_assert_eq(ra_archive_is_seekable(archive), i < 3);
        ra_archive_close(archive);
        fx_free(&fx[i]);
    }
    fx_free(&tar);
    free_all(contents);
    assert_silent(told);
}
