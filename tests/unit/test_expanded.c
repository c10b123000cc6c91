#include "codec/expanded.h"

#include "expand.h"

#include <md5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

/* Larger than what is expanded at once, and than what is held of it. */
#define LARGE (RA_EXPANDED_WHOLE + 9 * MIB + 12345)

static const enum ra_codec codecs[] = { RA_CODEC_DEFLATE, RA_CODEC_ZSTD };

static void pack(struct fx *fx, enum ra_codec codec, const struct fx *content)
{
    if (codec == RA_CODEC_ZSTD)
        packed_zstd(fx, content->data, content->size, 0);
    else
        packed_zlib(fx, content->data, content->size);
}

/* By libmd at one go. */
static uint64_t digest_of(const struct fx *content)
{
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t start = 0;
    MD5_CTX context;

    MD5Init(&context);
    MD5Update(&context, content->data, content->size);
    MD5Final(digest, &context);
    for (unsigned i = 0; i < 8; i++)
        start |= (uint64_t)digest[i] << 8 * i;
    return start;
}

static void assert_finishes(struct expand *expand, uint64_t used, uint64_t digest)
{
    uint64_t is_used, is_digest;

    cr_assert_eq(ra_expanded_finish(expand->expanded, &is_used, &is_digest), RA_OK, "%s",
                 told_detail(&expand->told));
    cr_assert_eq(is_used, used);
    cr_assert_eq(is_digest, digest);
    cr_assert_eq(expand->told.diags.count, 0);
    expand_end(expand);
}

/* All of the content in steps, then the end. */
static void assert_expands(const struct fx *packed, const struct fx *content,
                           struct ra_expand how, uint64_t used)
{
    const size_t step = content->size / 7 + 1;
    struct expand expand;

    how.size = content->size;
    cr_assert_eq(expand_open(&expand, packed, how), RA_OK, "%s",
                 told_detail(&expand.told));
    cr_assert_eq(ra_expanded_source(expand.expanded).size, content->size);
    for (size_t at = 0; at < content->size; at += step)
        expand_assert_bytes(&expand, content, at,
                            step < content->size - at ? step : content->size - at);
    assert_finishes(&expand, used, how.digest ? digest_of(content) : 0);
}

/* ---- both modes ------------------------------------------------------------- */

Test(expanded, gives_the_content_whether_small_or_large)
{
    static const size_t sizes[] = { 1, 1000, 131073, RA_EXPANDED_WHOLE, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        for (size_t c = 0; c < RA_COUNT(codecs); c++) {
            struct fx content = packed_content(sizes[i]), packed = { 0 };
            struct ra_expand how = { .codec = codecs[c], .digest = true };
            size_t used;

            pack(&packed, codecs[c], &content);
            used = packed.size;
            assert_expands(&packed, &content, how, used);
            how.one_frame = true;
            assert_expands(&packed, &content, how, used);
            fx_text(&packed, "what follows is another's");
            assert_expands(&packed, &content, how, used);
            fx_free(&packed);
            fx_free(&content);
        }
}

Test(expanded, several_frames_are_one_content)
{
    static const size_t sizes[] = { 100000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        for (size_t c = 0; c < RA_COUNT(codecs); c++) {
            struct fx content = packed_content(sizes[i]), packed = { 0 };
            struct fx half = { .data = content.data, .size = content.size / 3 };
            struct fx rest = { .data = content.data + half.size,
                               .size = content.size - half.size };

            if (codecs[c] == RA_CODEC_ZSTD)
                packed_skippable(&packed, 1000);
            pack(&packed, codecs[c], &half);
            if (codecs[c] == RA_CODEC_ZSTD)
                packed_skippable(&packed, 0);
            pack(&packed, codecs[c], &rest);
            assert_expands(&packed, &content,
                           (struct ra_expand){ .codec = codecs[c], .digest = true },
                           packed.size);
            fx_free(&packed);
            fx_free(&content);
        }
}

Test(expanded, a_frame_without_content_size_is_read)
{
    static const size_t sizes[] = { 100000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        for (unsigned one_frame = 0; one_frame < 2; one_frame++) {
            struct fx content = packed_content(sizes[i]), packed = { 0 };

            packed_zstd(&packed, content.data, content.size, PACKED_NO_SIZE);
            assert_expands(
                &packed, &content,
                (struct ra_expand){ .codec = RA_CODEC_ZSTD, .one_frame = one_frame },
                packed.size);
            fx_free(&packed);
            fx_free(&content);
        }
}

Test(expanded, many_small_frames_are_read_though_they_are_mostly_headers)
{
    struct fx content = packed_content(3000), packed = { 0 };

    for (size_t i = 0; i < content.size; i++) {
        packed_skippable(&packed, 0);
        packed_stored(&packed, 10, content.data + i, 1);
    }
    assert_expands(&packed, &content, (struct ra_expand){ .codec = RA_CODEC_ZSTD },
                   packed.size);
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, nothing_expands_to_nothing)
{
    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx content = { 0 }, packed = { 0 };

        pack(&packed, codecs[c], &content);
        assert_expands(&packed, &content, (struct ra_expand){ .codec = codecs[c] },
                       packed.size);
        fx_free(&packed);
    }
}

Test(expanded, places_are_told_with_both_offsets)
{
    struct fx file = { 0 };
    struct ra_source source, packed, content;
    struct expand expand;

    fx_pad(&file, 100);
    packed_stored(&file, 17, "0123456789", 10);
    source = fx_source(&file);
    cr_assert(ra_source_sub(&source, 100, file.size - 100, &packed));
    cr_assert_eq(expand_open(&expand, &file, (struct ra_expand){ .size = 10 }),
                 RA_E_FORMAT, "100 zeros are no zlib stream");
    told_end(&expand.told);
    expand.how = (struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                     .size = 10,
                                     .workspaces = expand.workspaces };
    cr_assert_eq(
        ra_expanded_open(&packed, &expand.how, &expand.told.diags, &expand.expanded),
        RA_OK);
    content = ra_expanded_source(expand.expanded);
    cr_assert_eq(ra_source_place(&content, 7).offset, 100);
    cr_assert_eq(ra_source_place(&content, 7).inner, 7);
    expand_end(&expand);
    fx_free(&file);
}

/* ---- forward ---------------------------------------------------------------- */

/* Open on large content. */
static void open_large(struct expand *expand, const struct fx *content, struct fx *packed,
                       enum ra_codec codec)
{
    pack(packed, codec, content);
    cr_assert_eq(expand_open(expand, packed,
                             (struct ra_expand){
                                 .codec = codec, .size = content->size, .digest = true }),
                 RA_OK);
}

Test(expanded, a_held_part_is_read_to_and_fro_without_decoding_again)
{
    struct fx content = packed_content(LARGE);
    uint64_t state = 3;

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx packed = { 0 };
        struct expand expand;
        const uint64_t start = 3 * MIB + 17;

        open_large(&expand, &content, &packed, codecs[c]);
        cr_assert_eq(expand_hold(&expand, start, RA_EXPANDED_HELD), RA_OK);
        /* More often than it may start over. */
        for (unsigned i = 0; i < 2000; i++) {
            size_t size = packed_random(&state) % 5000;
            uint64_t at = start + packed_random(&state) % (RA_EXPANDED_HELD - size + 1);

            expand_assert_bytes(&expand, &content, at, size);
        }
        assert_finishes(&expand, packed.size, digest_of(&content));
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(expanded, parts_held_one_behind_the_other_need_a_single_pass)
{
    struct fx content = packed_content(LARGE), packed = { 0 };
    struct expand expand;

    open_large(&expand, &content, &packed, RA_CODEC_ZSTD);
    for (uint64_t at = 0; at < content.size; at += MIB / 2) {
        size_t size = content.size - at < MIB / 2 ? content.size - at : MIB / 2;

        cr_assert_eq(expand_hold(&expand, at, size), RA_OK);
        expand_assert_bytes(&expand, &content, at + size / 2, size - size / 2);
        expand_assert_bytes(&expand, &content, at, size);
    }
    assert_finishes(&expand, packed.size, digest_of(&content));
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, what_reaches_over_the_edges_of_the_held_part_is_whole)
{
    struct fx content = packed_content(LARGE), packed = { 0 };
    const uint64_t start = 2 * MIB, end = start + RA_EXPANDED_HELD;
    struct expand expand;

    open_large(&expand, &content, &packed, RA_CODEC_ZSTD);
    /* Only the first of it is kept; all of it can be read. */
    cr_assert_eq(expand_hold(&expand, start, 30 * MIB), RA_OK);
    expand_assert_bytes(&expand, &content, end - 100, 200);
    expand_assert_bytes(&expand, &content, end - 1, 1);
    expand_assert_bytes(&expand, &content, end, 1);
    expand_assert_bytes(&expand, &content, start - 100, 200);
    expand_assert_bytes(&expand, &content, start - 1, 1);
    expand_assert_bytes(&expand, &content, start - MIB, 20 * MIB);
    expand_assert_bytes(&expand, &content, 0, content.size);
    expand_assert_bytes(&expand, &content, content.size - 1, 1);
    assert_finishes(&expand, packed.size, digest_of(&content));
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, a_hold_of_what_is_not_there_changes_nothing)
{
    static const struct {
        uint64_t offset, size;
    } rows[] = {
        { LARGE, 1 },      { LARGE + 1, 0 }, { UINT64_MAX, UINT64_MAX },
        { 1, UINT64_MAX }, { 5, LARGE },     { LARGE, 0 },
        { 0, 0 },
    };
    struct fx content = packed_content(LARGE), packed = { 0 };

    pack(&packed, RA_CODEC_ZSTD, &content);
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct expand expand;

        cr_assert_eq(expand_open(&expand, &packed,
                                 (struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                                     .size = content.size }),
                     RA_OK);
        cr_assert_eq(expand_hold(&expand, rows[i].offset, rows[i].size), RA_OK);
        expand_assert_bytes(&expand, &content, 1000, 1000);
        assert_finishes(&expand, packed.size, 0);
    }
    fx_free(&packed);
    fx_free(&content);
}

/* Some restarts are granted; the digest is that of the content all the same. */
Test(expanded, reads_behind_the_position_start_over)
{
    struct fx content = packed_content(LARGE);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx packed = { 0 };
        struct expand expand;

        open_large(&expand, &content, &packed, codecs[c]);
        /* Odd, so that no step of the second pass ends where the first one did. */
        expand_assert_bytes(&expand, &content, 30 * MIB + 4321, 1000);
        expand_assert_bytes(&expand, &content, 1000, 3 * MIB);
        expand_assert_bytes(&expand, &content, content.size - 10, 10);
        expand_assert_bytes(&expand, &content, 0, 1);
        assert_finishes(&expand, packed.size, digest_of(&content));
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(expanded, a_digest_is_taken_at_once_of_what_is_never_read)
{
    static const size_t sizes[] = { 5000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx content = packed_content(sizes[i]), packed = { 0 };
        struct expand expand;

        open_large(&expand, &content, &packed, RA_CODEC_ZSTD);
        assert_finishes(&expand, packed.size, digest_of(&content));
        fx_free(&packed);
        fx_free(&content);
    }
}

/* ---- memory ----------------------------------------------------------------- */

struct second {
    struct expand *first;
    const struct fx *packed;
    atomic_bool open;
};

static void *open_second(void *arg)
{
    struct second *second = arg;
    struct ra_source packed = fx_source(second->packed);
    struct told told = TOLD_INIT(told);
    struct ra_expanded *expanded;

    if (ra_expanded_open(&packed, &second->first->how, &told.diags, &expanded) != RA_OK)
        abort();
    atomic_store(&second->open, true);
    ra_expanded_close(expanded);
    return NULL;
}

/* Whether a second one has to wait while the first one is open. */
static bool waits(const struct fx *packed, struct ra_expand how)
{
    struct expand first;
    struct second second = { .first = &first, .packed = packed };
    pthread_t thread;
    bool waited;

    alarm(60);
    cr_assert_eq(expand_open(&first, packed, how), RA_OK);
    cr_assert_eq(pthread_create(&thread, NULL, open_second, &second), 0);
    for (unsigned i = 0; i < 30 && !atomic_load(&second.open); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    waited = !atomic_load(&second.open);
    ra_expanded_close(first.expanded);
    first.expanded = NULL;
    pthread_join(thread, NULL);
    expand_end(&first);
    return waited;
}

/* Frames of 100 MiB of zeros: two of them side by side would be too much. */
enum { BLOCKS = 800 };

static const struct ra_expand all_zeros = { .codec = RA_CODEC_ZSTD,
                                            .size = (uint64_t)BLOCKS * 131072 };

/* Only the first frame's head is looked at, but every frame has a window. */
Test(expanded, large_windows_take_turns_wherever_they_are_asked_for)
{
    struct fx plain = { 0 }, hidden = { 0 }, second = { 0 };

    packed_bomb(&plain, 27, BLOCKS);
    cr_assert(waits(&plain, all_zeros), "a window of 128 MiB");
    packed_skippable(&hidden, 3);
    packed_bomb(&hidden, 27, BLOCKS);
    cr_assert(waits(&hidden, all_zeros), "behind a frame to be skipped");
    packed_bomb(&second, 17, 1);
    packed_bomb(&second, 27, BLOCKS - 1);
    cr_assert(waits(&second, all_zeros), "in a second frame");
    fx_free(&plain);
    fx_free(&hidden);
    fx_free(&second);
}

/* As compressors write it: the content size in the head, and a window of 1 MiB. */
Test(expanded, small_windows_do_not_take_turns)
{
    struct fx packed = { 0 };

    packed_bomb(&packed, 20, BLOCKS);
    packed.data[4] = 0xc0; /* RFC 8878 3.1.1.1.1: eight bytes of content size follow */
    fx_u64(&packed, 0);
    memmove(packed.data + 14, packed.data + 6, packed.size - 14);
    fx_poke(&packed, 6, 8, all_zeros.size);
    cr_assert_not(waits(&packed, all_zeros));
    fx_free(&packed);
}
