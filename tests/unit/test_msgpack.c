#include "codec/msgpack.h"

#include "cuts.h"
#include "gen/bytes.h"
#include "gen/pack.h"
#include "told.h"

#include <stdio.h>

/* The formats of msgpack/spec.md, by hand. */
#define BYTES(...)                                                                       \
    ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })

static enum ra_status open_record(const struct fx *fx, bool whole, struct told *told,
                                  struct ra_msgpack **ret)
{
    struct ra_source source = fx_source(fx);

    *ret = NULL;
    return ra_msgpack_open(&source, fx_span(fx), whole, &told->diags, ret);
}

static struct ra_msgpack *opened(const struct fx *fx, struct told *told)
{
    struct ra_msgpack *record;

    cr_assert_eq(open_record(fx, true, told, &record), RA_OK, "%s", told_detail(told));
    return record;
}

static bool says(struct ra_span text, const char *expected)
{
    return text.size == strlen(expected) &&
           (text.size == 0 || memcmp(text.data, expected, text.size) == 0);
}

struct scalar {
    const uint8_t *bytes;
    size_t size;
    enum ra_value_kind kind;
    uint64_t number;
    const char *text;
};

Test(msgpack, each_format_is_read_as_the_specification_has_it)
{
    const struct scalar rows[] = {
        { BYTES(0x00), RA_VALUE_UINT, 0, "" },
        { BYTES(0x7f), RA_VALUE_UINT, 127, "" },
        { BYTES(0xe0), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xff), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xc0), RA_VALUE_NIL, 0, "" },
        { BYTES(0xc2), RA_VALUE_BOOL, 0, "" },
        { BYTES(0xc3), RA_VALUE_BOOL, 1, "" },
        { BYTES(0xcc, 0xff), RA_VALUE_UINT, 255, "" },
        { BYTES(0xcd, 1, 2), RA_VALUE_UINT, 0x102, "" },
        { BYTES(0xce, 1, 2, 3, 4), RA_VALUE_UINT, 0x1020304, "" },
        { BYTES(0xcf, 1, 2, 3, 4, 5, 6, 7, 8), RA_VALUE_UINT, 0x102030405060708, "" },
        { BYTES(0xcf, 255, 255, 255, 255, 255, 255, 255, 255), RA_VALUE_UINT, UINT64_MAX,
          "" },
        { BYTES(0xd0, 5), RA_VALUE_UINT, 5, "" },
        { BYTES(0xd0, 0x80), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xd1, 0x80, 0), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xd2, 0x80, 0, 0, 0), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0), RA_VALUE_NEGATIVE, 0, "" },
        { BYTES(0xd3, 0, 0, 0, 1, 0, 0, 0, 0), RA_VALUE_UINT, (uint64_t)1 << 32, "" },
        { BYTES(0xca, 0, 0, 0, 0), RA_VALUE_FLOAT, 0, "" },
        { BYTES(0xcb, 0, 0, 0, 0, 0, 0, 0, 0), RA_VALUE_FLOAT, 0, "" },
        { BYTES(0xa0), RA_VALUE_STR, 0, "" },
        { BYTES(0xa3, 'a', 'b', 'c'), RA_VALUE_STR, 0, "abc" },
        { BYTES(0xd9, 2, 'a', 'b'), RA_VALUE_STR, 0, "ab" },
        { BYTES(0xda, 0, 2, 'a', 'b'), RA_VALUE_STR, 0, "ab" },
        { BYTES(0xdb, 0, 0, 0, 2, 'a', 'b'), RA_VALUE_STR, 0, "ab" },
        { BYTES(0xd9, 0), RA_VALUE_STR, 0, "" },
        { BYTES(0xc4, 1, 'a'), RA_VALUE_BIN, 0, "a" },
        { BYTES(0xc5, 0, 1, 'a'), RA_VALUE_BIN, 0, "a" },
        { BYTES(0xc6, 0, 0, 0, 1, 'a'), RA_VALUE_BIN, 0, "a" },
        { BYTES(0xc7, 1, 9, 'a'), RA_VALUE_EXT, 0, "" },
        { BYTES(0xc8, 0, 1, 9, 'a'), RA_VALUE_EXT, 0, "" },
        { BYTES(0xc9, 0, 0, 0, 1, 9, 'a'), RA_VALUE_EXT, 0, "" },
        { BYTES(0xd4, 9, 1), RA_VALUE_EXT, 0, "" },
        { BYTES(0xd5, 9, 1, 2), RA_VALUE_EXT, 0, "" },
        { BYTES(0xd6, 9, 1, 2, 3, 4), RA_VALUE_EXT, 0, "" },
        { BYTES(0xd7, 9, 1, 2, 3, 4, 5, 6, 7, 8), RA_VALUE_EXT, 0, "" },
        { BYTES(0xd8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8), RA_VALUE_EXT, 0,
          "" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_msgpack *record;
        struct ra_value root;

        fx_bytes(&fx, rows[i].bytes, rows[i].size);
        record = opened(&fx, &told);
        root = ra_msgpack_root(record);
        cr_assert_eq(root.kind, rows[i].kind, "row %zu", i);
        cr_assert_eq(root.number, rows[i].number, "row %zu", i);
        cr_assert(says(root.text, rows[i].text), "row %zu", i);
        cr_assert_eq(root.count, 0);
        cr_assert_eq(ra_msgpack_size(record), rows[i].size);
        ra_msgpack_close(record);
        assert_silent(told);
        fx_free(&fx);
    }
}

/* Heads of three widths: each of [1, 2], and { "k": 2 }. */
Test(msgpack, arrays_and_maps_are_read_at_each_width)
{
    static const uint8_t arrays[][5] = { { 0x92 }, { 0xdc, 0, 2 }, { 0xdd, 0, 0, 0, 2 } };
    static const uint8_t maps[][5] = { { 0x81 }, { 0xde, 0, 1 }, { 0xdf, 0, 0, 0, 1 } };
    static const size_t widths[] = { 1, 3, 5 };

    for (size_t i = 0; i < RA_COUNT(widths); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_msgpack *record;
        struct ra_value root, list, map, item;

        fx_u8(&fx, 0x92);
        fx_bytes(&fx, arrays[i], widths[i]);
        fx_bytes(&fx, "\1\2", 2);
        fx_bytes(&fx, maps[i], widths[i]);
        fx_bytes(&fx, "\xa1k\2", 3);
        record = opened(&fx, &told);
        root = ra_msgpack_root(record);
        list = ra_value_at(&root, 0);
        map = ra_value_at(&root, 1);
        cr_assert_eq(list.kind, RA_VALUE_ARRAY);
        cr_assert_eq(list.count, 2);
        item = ra_value_at(&list, 1);
        cr_assert_eq(item.number, 2);
        cr_assert_eq(map.kind, RA_VALUE_MAP);
        cr_assert_eq(map.count, 1);
        item = ra_value_find(&map, "k");
        cr_assert_eq(item.kind, RA_VALUE_UINT);
        cr_assert_eq(item.number, 2);
        ra_msgpack_close(record);
        assert_silent(told);
        fx_free(&fx);
    }
}

/* { "a": 1, 7: 2, "bc": [ "x" ] } */
static void put_sample(struct fx *fx)
{
    fx_pack_map(fx, 3);
    fx_pack_uint_of(fx, "a", 1);
    fx_pack_uint(fx, 7);
    fx_pack_uint(fx, 2);
    fx_pack_text(fx, "bc");
    fx_pack_array(fx, 1);
    fx_pack_text(fx, "x");
}

Test(msgpack, pairs_are_found_by_key_and_by_place)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_msgpack *record;
    struct ra_value root, value;

    put_sample(&fx);
    record = opened(&fx, &told);
    root = ra_msgpack_root(record);
    cr_assert_eq(root.count, 3);
    value = ra_value_key(&root, 1);
    cr_assert_eq(value.kind, RA_VALUE_UINT);
    cr_assert_eq(value.number, 7);
    value = ra_value_item(&root, 1);
    cr_assert_eq(value.number, 2);
    value = ra_value_find(&root, "bc");
    cr_assert_eq(value.kind, RA_VALUE_ARRAY);
    value = ra_value_at(&value, 0);
    cr_assert(ra_value_is(&value, "x"));
    cr_assert_not(ra_value_is(&value, "xy"));
    cr_assert_not(ra_value_is(&value, ""));
    ra_msgpack_close(record);
    assert_silent(told);
    fx_free(&fx);
}

Test(msgpack, what_is_not_there_is_absent)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_msgpack *record;
    struct ra_value root, one, list, values[9];

    put_sample(&fx);
    record = opened(&fx, &told);
    root = ra_msgpack_root(record);
    one = ra_value_find(&root, "a");
    list = ra_value_find(&root, "bc");
    values[0] = ra_value_find(&root, "b");
    values[1] = ra_value_find(&root, "bcd");
    values[2] = ra_value_key(&root, 3);
    values[3] = ra_value_item(&root, SIZE_MAX);
    values[4] = ra_value_at(&root, 0);
    values[5] = ra_value_at(&list, 1);
    values[6] = ra_value_key(&list, 0);
    values[7] = ra_value_find(&one, "a");
    values[8] = ra_value_at(&values[7], 0);
    for (size_t i = 0; i < RA_COUNT(values); i++)
        cr_assert_eq(values[i].kind, RA_VALUE_ABSENT, "%zu", i);
    ra_msgpack_close(record);
    assert_silent(told);
    fx_free(&fx);
}

Test(msgpack, texts_lie_in_the_bytes_that_were_opened)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_source source;
    struct ra_span bytes;
    struct ra_msgpack *record;
    struct ra_value root, key;

    put_sample(&fx);
    bytes = fx_span(&fx);
    bytes.base = 1000;
    source = ra_source_over(bytes);
    cr_assert_eq(ra_msgpack_open(&source, bytes, true, &told.diags, &record), RA_OK);
    root = ra_msgpack_root(record);
    key = ra_value_key(&root, 2);
    cr_assert(says(key.text, "bc"));
    cr_assert_eq(key.text.data, fx.data + 9); /* de 00 03, a1 a 01, 07 02, a2 */
    cr_assert_eq(key.text.base, 1009);
    ra_msgpack_close(record);
    assert_silent(told);
    fx_free(&fx);
}

Test(msgpack, bytes_behind_the_record_are_damage_only_if_asked)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_msgpack *record;
    size_t size;

    put_sample(&fx);
    size = fx.size;
    fx_u8(&fx, 0xc1);
    cr_assert_eq(open_record(&fx, false, &told, &record), RA_OK);
    cr_assert_eq(ra_msgpack_size(record), size);
    ra_msgpack_close(record);
    assert_silent(told);
    cr_assert_eq(open_record(&fx, true, &told, &record), RA_E_FORMAT);
    cr_assert_eq(told.diags.first->offset, size);
    assert_told(told, MSGPACK_BAD);
    fx_free(&fx);
}

/* ---- damage ------------------------------------------------------------------------ */

static void assert_damaged(const struct fx *fx, uint64_t offset)
{
    struct told told = TOLD_INIT(told);
    struct ra_msgpack *record;

    cr_assert_eq(open_record(fx, false, &told, &record), RA_E_FORMAT);
    cr_assert_null(record);
    cr_assert_eq(told.diags.first->offset, offset, "at %ju, not %ju",
                 (uintmax_t)told.diags.first->offset, (uintmax_t)offset);
    assert_told(told, MSGPACK_BAD);
}

/* A map of one of each format, whose last byte is no padding. */
Test(msgpack, fails_cleanly_at_every_truncation)
{
    static const char formats[] = "\x80\x90\xa1z\xc0\xc2\xc4\1z\xc5\0\1z\xc6\0\0\0\1z"
                                  "\xc7\1\1z\xc8\0\1\1z\xc9\0\0\0\1\1z\xca\0\0\0\0"
                                  "\xcb\0\0\0\0\0\0\0\0\xcc\0\xcd\0\0\xce\0\0\0\0"
                                  "\xcf\0\0\0\0\0\0\0\0\xd0\0\xd1\0\0\xd2\0\0\0\0"
                                  "\xd3\0\0\0\0\0\0\0\0\xd4\0\0\xd5\0\0\0\xd6\0\0\0\0\0"
                                  "\xd7\0\0\0\0\0\0\0\0\0"
                                  "\xd8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                  "\xd9\1z\xda\0\1z\xdb\0\0\0\1z\xdc\0\1z\xdd\0\0\0\1z"
                                  "\xde\0\1zz\xdf\0\0\0\1zz";
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_msgpack *record;

    fx_bytes(&fx, "\xdc\0\x21", 3); /* 33 formats that are listed above */
    fx_bytes(&fx, formats, sizeof(formats) - 1);
    ra_msgpack_close(opened(&fx, &told));
    assert_silent(told);
    for (size_t size = 0; size < fx.size; size++) {
        struct fx cut = cut_of(&fx, size);

        cr_assert_eq(open_record(&cut, false, &told, &record), RA_E_FORMAT, "%zu", size);
        assert_told(told, MSGPACK_BAD);
        fx_free(&cut);
    }
    fx_free(&fx);
}

Test(msgpack, a_byte_that_starts_no_value_is_told_where_it_is)
{
    struct fx fx = { 0 };

    fx_bytes(&fx, "\x93\1\2\xc1", 4);
    assert_damaged(&fx, 3);
    fx_free(&fx);
}

/* Six bytes that a reader might make gigabytes of. */
Test(msgpack, a_count_above_the_bytes_left_is_damage)
{
    static const uint8_t bombs[][6] = {
        { 0xdd, 0xff, 0xff, 0xff, 0xff, 0 },
        { 0xdf, 0xff, 0xff, 0xff, 0xff, 0 },
        { 0xdf, 0x80, 0, 0, 0, 0 },
        { 0xdb, 0xff, 0xff, 0xff, 0xff, 0 },
        { 0xc6, 0xff, 0xff, 0xff, 0xff, 0 },
        { 0xc9, 0xff, 0xff, 0xff, 0xff, 0 },
        { 0xdd, 0, 0, 0, 2, 0 },
        { 0xdf, 0, 0, 0, 1, 0 },
        { 0xdb, 0, 0, 0, 2, 0 },
        { 0xdc, 0xff, 0xff, 0, 0, 0 },
    };

    for (size_t i = 0; i < RA_COUNT(bombs); i++) {
        struct fx fx = { 0 };

        fx_bytes(&fx, bombs[i], sizeof(bombs[i]));
        assert_damaged(&fx, 0);
        fx_free(&fx);
    }
}

static void nest(struct fx *fx, uint8_t head, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        fx_u8(fx, head);
        if (head == 0x81)
            fx_u8(fx, 0);
    }
    fx_u8(fx, 0xc0);
}

/* The outermost value is a level, and what is in the innermost is none. */
Test(msgpack, nesting_ends_somewhere)
{
    static const uint8_t heads[] = { 0x91, 0x81 };

    for (size_t i = 0; i < RA_COUNT(heads); i++) {
        static const size_t too_deep[] = { RA_MSGPACK_DEPTH, 100000, 3000000 };
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_msgpack *record;

        nest(&fx, heads[i], RA_MSGPACK_DEPTH - 1);
        ra_msgpack_close(opened(&fx, &told));
        assert_silent(told);
        for (size_t j = 0; j < RA_COUNT(too_deep); j++) {
            fx_cut(&fx, 0);
            nest(&fx, heads[i], too_deep[j]);
            cr_assert_eq(open_record(&fx, false, &told, &record), RA_E_LIMIT);
            assert_told(told, LIMIT);
        }
        fx_free(&fx);
    }
}

Test(msgpack, more_values_than_memory_is_for_are_a_limit)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_msgpack *record;
    struct ra_value root;

    fx_bytes(&fx, "\xdd\0\x40\0\0", 5); /* 2^22 of them */
    fx_pad(&fx, 5 + (1 << 22));
    record = opened(&fx, &told);
    root = ra_msgpack_root(record);
    cr_assert_eq(root.count, 1 << 22);
    ra_msgpack_close(record);
    fx_poke(&fx, 4, 1, 1);
    fx_u8(&fx, 0);
    cr_assert_eq(open_record(&fx, false, &told, &record), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_free(&fx);
}

/* ---- keys that are there twice --------------------------------------------------- */

/* { "0": nil, ... }, then `last`. */
static size_t put_keys(struct fx *fx, unsigned count, const char *last)
{
    char key[16];

    fx_pack_map(fx, count + 1);
    for (unsigned i = 0; i < count; i++) {
        snprintf(key, sizeof(key), "%u", i);
        fx_pack_text(fx, key);
        fx_u8(fx, 0xc0);
    }
    fx_pack_text(fx, last);
    fx_u8(fx, 0xc0);
    return fx->size - 1 - strlen(last);
}

Test(msgpack, a_key_that_is_there_twice_is_damage_in_a_map_of_any_size)
{
    static const unsigned counts[] = { 1, 2, 7, 8, 9, 100, 5000 };

    for (size_t i = 0; i < RA_COUNT(counts); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_msgpack *record;

        put_keys(&fx, counts[i], "last");
        ra_msgpack_close(opened(&fx, &told));
        fx_cut(&fx, 0);
        put_keys(&fx, counts[i], "0");
        cr_assert_eq(open_record(&fx, true, &told, &record), RA_E_FORMAT, "%u",
                     counts[i]);
        assert_told(told, MSGPACK_BAD);
        fx_free(&fx);
    }
}

Test(msgpack, a_key_that_is_there_twice_is_seen_at_any_depth)
{
    static const char *const before[] = { "", "\x91", "\x81\1", "\x81\xa1k\x92\7",
                                          "\x81" };
    static const char *const behind[] = { "", "", "", "", "\1" };
    static const size_t sizes[] = { 0, 1, 2, 5, 1 };

    for (size_t i = 0; i < RA_COUNT(before); i++) {
        struct fx fx = { 0 };
        size_t at;

        fx_bytes(&fx, before[i], sizes[i]);
        at = put_keys(&fx, 3, "1");
        fx_text(&fx, behind[i]);
        assert_damaged(&fx, at);
        fx_free(&fx);
    }
}

/* Such a key has no place in the bytes. */
Test(msgpack, an_empty_key_that_is_there_twice_is_told_at_the_start)
{
    static const char *const maps[] = { "\x82\xa0\1\xa0\2",
                                        "\x82\xd9\0\1\xdb\0\0\0\0\2" };
    static const size_t sizes[] = { 5, 10 };

    for (size_t i = 0; i < RA_COUNT(maps); i++) {
        struct fx fx = { 0 };

        fx_bytes(&fx, maps[i], sizes[i]);
        assert_damaged(&fx, 0);
        fx_free(&fx);
    }
}

Test(msgpack, keys_that_are_no_text_may_be_there_twice)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };

    fx_bytes(&fx, "\x85\1\1\1\1\xc4\1k\1\xc4\1k\1\xa1k\1", 16);
    ra_msgpack_close(opened(&fx, &told));
    assert_silent(told);
    fx_free(&fx);
}

Test(msgpack, poked_anywhere_it_is_read_or_refused)
{
    struct fx fx = { 0 };

    put_sample(&fx);
    for (size_t at = 0; at < fx.size; at++)
        for (unsigned value = 0; value < 256; value++) {
            struct told told = TOLD_INIT(told);
            struct fx copy = cut_of(&fx, fx.size);
            struct ra_msgpack *record;
            enum ra_status status;

            copy.data[at] = (uint8_t)value;
            status = open_record(&copy, false, &told, &record);
            cr_assert(status == RA_OK || status == RA_E_FORMAT);
            cr_assert_eq(told.diags.count, status != RA_OK);
            ra_msgpack_close(record);
            told_end(&told);
            fx_free(&copy);
        }
    fx_free(&fx);
}
