/* What compressed data must not get away with: lies, damage, bombs. */
#include "codec/expanded.h"

#include "expand.h"

#include <sys/resource.h>
#include <unistd.h>

#define MIB   ((size_t)1 << 20)
#define LARGE (RA_EXPANDED_WHOLE + 9 * MIB + 12345)

static const enum ra_codec codecs[] = { RA_CODEC_DEFLATE, RA_CODEC_ZSTD };

static void pack(struct fx *fx, enum ra_codec codec, const struct fx *content,
                 unsigned flags)
{
    if (codec == RA_CODEC_ZSTD)
        packed_zstd(fx, content->data, content->size, flags);
    else
        packed_zlib(fx, content->data, content->size);
}

/* All that is done to a payload: open, read from front to end, finish. */
static enum ra_status read_all(struct expand *expand, const struct fx *packed,
                               struct ra_expand how)
{
    static uint8_t window[1 << 16];
    uint64_t used, md5;
    enum ra_status status = expand_open(expand, packed, how);

    for (uint64_t at = 0; status == RA_OK && at < how.size; at += sizeof(window)) {
        uint64_t left = how.size - at;

        status = expand_read(
            expand, at, left < sizeof(window) ? (size_t)left : sizeof(window), window);
    }
    return status == RA_OK ? ra_expanded_finish(expand->expanded, &used, &md5) : status;
}

#define assert_fails(packed, how, status, code)                                          \
    do {                                                                                 \
        struct expand expand_;                                                           \
                                                                                         \
        cr_assert_eq(read_all(&expand_, packed, how), status);                           \
        assert_told(expand_.told, code);                                                 \
        expand_end(&expand_);                                                            \
    } while (0)

/* ---- sizes ------------------------------------------------------------------ */

static void assert_size_lies(enum ra_codec codec, size_t size, unsigned flags)
{
    struct fx content = packed_content(size), packed = { 0 };

    pack(&packed, codec, &content, flags);
    for (unsigned one_frame = 0; one_frame < 2; one_frame++) {
        struct ra_expand how = { .codec = codec, .one_frame = one_frame };

        how.size = size - 1;
        assert_fails(&packed, how, RA_E_FORMAT, CODEC_SIZE);
        how.size = size + 1;
        assert_fails(&packed, how, RA_E_FORMAT, CODEC_SIZE);
        how.size = size / 2;
        assert_fails(&packed, how, RA_E_FORMAT, CODEC_SIZE);
        how.size = 0;
        assert_fails(&packed, how, RA_E_FORMAT, CODEC_SIZE);
        how.size = 3 * RA_EXPANDED_WHOLE;
        assert_fails(&packed, how, RA_E_FORMAT, CODEC_SIZE);
    }
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, another_size_than_announced_is_told_of_small_content)
{
    assert_size_lies(RA_CODEC_DEFLATE, 5000, 0);
    assert_size_lies(RA_CODEC_ZSTD, 5000, 0);
    assert_size_lies(RA_CODEC_ZSTD, 5000, PACKED_NO_SIZE);
}

Test(expanded, another_size_than_announced_is_told_of_large_content)
{
    assert_size_lies(RA_CODEC_DEFLATE, LARGE, 0);
    assert_size_lies(RA_CODEC_ZSTD, LARGE, 0);
    assert_size_lies(RA_CODEC_ZSTD, LARGE, PACKED_NO_SIZE);
}

Test(expanded, a_size_above_the_limit_is_refused_before_any_memory_is_taken)
{
    static const uint64_t sizes[] = { RA_EXPANDED_LIMIT + 1, (uint64_t)1 << 45,
                                      UINT64_MAX - 1, UINT64_MAX };

    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        for (size_t c = 0; c < RA_COUNT(codecs); c++) {
            struct fx content = packed_content(100), packed = { 0 };

            pack(&packed, codecs[c], &content, PACKED_NO_SIZE);
            assert_fails(&packed,
                         ((struct ra_expand){ .codec = codecs[c], .size = sizes[i] }),
                         RA_E_LIMIT, LIMIT);
            fx_free(&packed);
            fx_free(&content);
        }
}

Test(expanded, a_frame_that_announces_more_than_the_header_is_told_at_once)
{
    /* One segment with eight bytes of content size, which nothing follows. */
    static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0,
                                    0,    0,    0,    0x20, 0,    0 };
    struct fx packed = { 0 };
    struct expand expand;

    fx_bytes(&packed, head, sizeof(head));
    cr_assert_eq(expand_open(&expand, &packed,
                             (struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = 100 }),
                 RA_E_FORMAT);
    assert_told(expand.told, CODEC_SIZE);
    expand_end(&expand);
    fx_free(&packed);
}

Test(expanded, a_window_above_the_limit_is_told_as_such)
{
    static const struct ra_expand ways[] = {
        { .codec = RA_CODEC_ZSTD, .size = LARGE },
        { .codec = RA_CODEC_ZSTD, .size = LARGE, .one_frame = true },
        { .codec = RA_CODEC_ZSTD, .size = 1000, .one_frame = true },
    };

    for (unsigned log = 28; log <= 41; log++)
        for (size_t i = 0; i < RA_COUNT(ways); i++) {
            struct fx packed = { 0 };

            packed_stored(&packed, log, "content", 7);
            assert_fails(&packed, ways[i], RA_E_LIMIT, CODEC_WINDOW);
            fx_free(&packed);
        }
}

Test(expanded, a_window_above_the_limit_in_a_later_frame_is_told_too)
{
    const struct ra_expand how = { .codec = RA_CODEC_ZSTD, .size = LARGE };
    struct fx packed = { 0 };

    packed_skippable(&packed, 3);
    packed_stored(&packed, 17, "content", 7);
    packed_stored(&packed, 28, "content", 7);
    assert_fails(&packed, how, RA_E_LIMIT, CODEC_WINDOW);
    fx_free(&packed);
}

/* ---- damage ----------------------------------------------------------------- */

static void assert_damage_or_size(struct expand *expand)
{
    const char *name = told_name(&expand->told);

    cr_assert(strcmp(name, ra_diag_name(RA_DIAG_CODEC_DAMAGED)) == 0 ||
                  strcmp(name, ra_diag_name(RA_DIAG_CODEC_SIZE)) == 0,
              "told %s", name);
}

Test(expanded, every_truncation_is_told_once)
{
    struct fx content = packed_content(20000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++)
        for (unsigned one_frame = 0; one_frame < 2; one_frame++) {
            const struct ra_expand how = { .codec = codecs[c],
                                           .size = content.size,
                                           .one_frame = one_frame };
            struct fx packed = { 0 };
            size_t whole;

            pack(&packed, codecs[c], &content, PACKED_CHECKSUM);
            whole = packed.size;
            cr_assert_lt(whole, 8192);
            for (size_t size = 0; size < whole; size++) {
                struct fx cut = { .data = packed.data, .size = size };
                struct expand expand;

                cr_assert_eq(read_all(&expand, &cut, how), RA_E_FORMAT, "%zu of %zu",
                             size, whole);
                assert_damage_or_size(&expand);
                expand_end(&expand);
            }
            fx_free(&packed);
        }
    fx_free(&content);
}

Test(expanded, truncations_of_large_content_are_told_once)
{
    struct fx content = packed_content(LARGE);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        const struct ra_expand how = { .codec = codecs[c], .size = content.size };
        struct fx packed = { 0 };

        pack(&packed, codecs[c], &content, 0);
        for (unsigned part = 0; part < 12; part++) {
            struct fx cut = { .data = packed.data,
                              .size = part < 10 ? packed.size / 10 * part
                                                : packed.size + 9 - part };
            struct expand expand;

            cr_assert_eq(read_all(&expand, &cut, how),
                         cut.size < packed.size ? RA_E_FORMAT : RA_OK);
            if (cut.size < packed.size)
                assert_damage_or_size(&expand);
            expand_end(&expand);
        }
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(expanded, a_flipped_byte_is_told_once_or_changes_nothing)
{
    struct fx content = packed_content(20000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        const struct ra_expand how = { .codec = codecs[c], .size = content.size };
        struct fx packed = { 0 };

        pack(&packed, codecs[c], &content, PACKED_CHECKSUM);
        for (size_t at = 0; at < packed.size; at++) {
            struct expand expand;
            enum ra_status status;

            packed.data[at] ^= 0xff;
            status = read_all(&expand, &packed, how);
            packed.data[at] ^= 0xff;
            cr_assert(status == RA_OK || ra_is_damage(status), "byte %zu", at);
            cr_assert_eq(expand.told.diags.count, status != RA_OK, "byte %zu", at);
            if (status == RA_OK)
                expand_assert_bytes(&expand, &content, 0, content.size);
            expand_end(&expand);
        }
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(expanded, bytes_behind_the_last_frame_are_damage_unless_one_is_wanted)
{
    static const size_t sizes[] = { 5000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        for (size_t c = 0; c < RA_COUNT(codecs); c++) {
            struct ra_expand how = { .codec = codecs[c], .size = sizes[i] };
            struct fx content = packed_content(sizes[i]), packed = { 0 };
            struct expand expand;

            pack(&packed, codecs[c], &content, 0);
            fx_pad(&packed, packed.size + 9);
            assert_fails(&packed, how, RA_E_FORMAT, CODEC_DAMAGED);
            how.one_frame = true;
            cr_assert_eq(read_all(&expand, &packed, how), RA_OK);
            expand_end(&expand);
            fx_free(&packed);
            fx_free(&content);
        }
}

/* Damage in the middle of large content: what is before it can be read. */
Test(expanded, damage_ahead_is_told_once_however_often_it_is_met)
{
    struct fx content = packed_content(LARGE), packed = { 0 };
    struct expand expand;
    uint64_t used, md5;
    uint8_t byte;
    size_t block = packed.size;

    packed_stored(&packed, 17, content.data, 20 * MIB);
    block = packed.size;
    packed_stored(&packed, 17, content.data + 20 * MIB, content.size - 20 * MIB);
    packed.data[block] ^= 1; /* the second frame's magic */
    cr_assert_eq(expand_open(&expand, &packed,
                             (struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                                 .size = content.size,
                                                 .digest = true }),
                 RA_OK);
    expand_assert_bytes(&expand, &content, 10 * MIB, 1000);
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(expand_read(&expand, 30 * MIB, 1, &byte), RA_E_FORMAT);
        cr_assert_eq(expand_hold(&expand, 31 * MIB, 100), RA_E_FORMAT);
        cr_assert_eq(expand_read(&expand, 0, 1, &byte), RA_E_FORMAT);
        cr_assert_eq(ra_expanded_finish(expand.expanded, &used, &md5), RA_E_FORMAT);
        cr_assert_eq(used, 0);
    }
    cr_assert_eq(expand.told.diags.first->offset, block);
    assert_told(expand.told, CODEC_DAMAGED);
    expand_end(&expand);
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, damage_met_at_the_end_sticks_too)
{
    struct fx content = packed_content(LARGE), packed = { 0 };
    struct expand expand;
    uint64_t used, md5;
    uint8_t byte;

    packed_stored(&packed, 17, content.data, 20 * MIB);
    cr_assert_eq(
        expand_open(&expand, &packed,
                    (struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = content.size }),
        RA_OK);
    cr_assert_eq(ra_expanded_finish(expand.expanded, &used, &md5), RA_E_FORMAT);
    cr_assert_eq(ra_expanded_finish(expand.expanded, &used, &md5), RA_E_FORMAT);
    cr_assert_eq(expand_read(&expand, 0, 1, &byte), RA_E_FORMAT);
    assert_told(expand.told, CODEC_SIZE);
    expand_end(&expand);
    fx_free(&packed);
    fx_free(&content);
}

Test(expanded, reading_backwards_without_end_is_a_limit)
{
    struct fx packed = { 0 };
    enum ra_status status = RA_OK;
    struct expand expand;
    unsigned turns = 0;
    uint8_t byte = 1;

    packed_bomb(&packed, 17, 800);
    cr_assert_eq(
        expand_open(&expand, &packed,
                    (struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = 800 * 131072 }),
        RA_OK);
    alarm(120);
    for (; status == RA_OK && turns < 10000; turns++) {
        /* Steps that are too far for what is kept of the last ones. */
        status = expand_read(&expand, turns % 2 ? 0 : 1 * MIB, 1, &byte);
        cr_assert(status != RA_OK || byte == 0);
    }
    cr_assert_eq(status, RA_E_LIMIT);
    cr_assert_gt(turns, 5, "some are granted");
    cr_assert_lt(turns, 200);
    cr_assert_eq(expand_read(&expand, 800 * 131072 - 1, 1, &byte), RA_E_LIMIT);
    assert_told(expand.told, LIMIT);
    expand_end(&expand);
    fx_free(&packed);
}

/* ---- sources that fail ------------------------------------------------------ */

static enum ra_status failing_read(const struct ra_source *source, uint64_t where,
                                   size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct fx *packed = source->state;

    if (where + count > packed->size)
        return ra_fault(diags, RA_E_IO, RA_DIAG_CHANGED, ra_at(where),
                        "it became shorter");
    memcpy(ret, packed->data + where, count);
    return RA_OK;
}

Test(expanded, a_file_that_shrinks_is_told_once_in_either_mode)
{
    static const size_t sizes[] = { 5000, LARGE };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx content = packed_content(sizes[i]), packed = { 0 };
        struct expand expand = { .workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL) };
        uint64_t used, md5;
        enum ra_status status;

        packed_stored(&packed, 17, content.data, content.size);
        expand.packed = fx_source(&packed);
        expand.packed.read_at = failing_read;
        expand.packed.state = &packed;
        packed.size -= 1000;
        expand.told.diags.arena = &expand.told.arena;
        expand.how = (struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                         .size = content.size,
                                         .workspaces = expand.workspaces };
        status = ra_expanded_open(&expand.packed, &expand.how, &expand.told.diags,
                                  &expand.expanded);
        for (unsigned turn = 0; turn < 2 && expand.expanded; turn++)
            status = ra_expanded_finish(expand.expanded, &used, &md5);
        cr_assert_eq(status, RA_E_IO);
        assert_told(expand.told, CHANGED);
        expand_end(&expand);
        fx_free(&packed);
        fx_free(&content);
    }
}

/* ---- bombs ------------------------------------------------------------------ */

/* Bytes that the process has ever had resident. */
static size_t peak(void)
{
    struct rusage usage;

    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss * 1024;
}

Test(expanded, a_bomb_takes_no_memory_beyond_what_was_announced)
{
    struct fx packed = { 0 };
    size_t before;

    alarm(60);
    packed_bomb(&packed, 17, 100000); /* 13 GB */
    before = peak();
    assert_fails(&packed, ((struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = 1000 }),
                 RA_E_FORMAT, CODEC_SIZE);
    assert_fails(
        &packed,
        ((struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = 1000, .one_frame = true }),
        RA_E_FORMAT, CODEC_SIZE);
    assert_fails(&packed, ((struct ra_expand){ .codec = RA_CODEC_ZSTD, .size = LARGE }),
                 RA_E_FORMAT, CODEC_SIZE);
    cr_assert_lt(peak() - before, 100 * MIB);
    fx_free(&packed);
}

Test(expanded, a_gigabyte_of_zeros_is_read_in_little_memory)
{
    const uint64_t blocks = 8192;
    struct fx packed = { 0 };
    struct expand expand;
    uint64_t used, md5;
    size_t before;
    uint8_t byte = 1;

    alarm(120);
    packed_bomb(&packed, 17, blocks);
    before = peak();
    cr_assert_eq(expand_open(&expand, &packed,
                             (struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                                 .size = blocks * 131072 }),
                 RA_OK);
    cr_assert_eq(expand_read(&expand, blocks * 131072 - 1, 1, &byte), RA_OK);
    cr_assert_eq(byte, 0);
    cr_assert_eq(ra_expanded_finish(expand.expanded, &used, &md5), RA_OK);
    cr_assert_eq(used, packed.size);
    cr_assert_lt(peak() - before, 100 * MIB);
    expand_end(&expand);
    fx_free(&packed);
}
