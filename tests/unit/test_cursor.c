#include "base/cursor.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const uint8_t digits[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static struct ra_cursor over_digits(size_t size)
{
    return ra_cursor_over((struct ra_span){ digits, size, 0x1000 });
}

Test(cursor, numbers_have_their_lowest_byte_first)
{
    struct ra_cursor cur = over_digits(15);

    cr_assert_eq(ra_cursor_u8(&cur), 0x01);
    cr_assert_eq(ra_cursor_u16le(&cur), 0x0302);
    cr_assert_eq(ra_cursor_u32le(&cur), 0x07060504);
    cr_assert_eq(ra_cursor_u64le(&cur), 0x0f0e0d0c0b0a0908);
    cr_assert(ra_cursor_ok(&cur));
    cr_assert_eq(cur.pos, 15);
}

Test(cursor, a_read_that_fits_exactly_is_good)
{
    for (size_t width = 1; width <= 8; width++) {
        struct ra_cursor cur = over_digits(width);

        cr_assert_eq(ra_cursor_take(&cur, width).size, width);
        cr_assert(ra_cursor_ok(&cur));
        cr_assert_eq(ra_cursor_where(&cur), 0x1000 + width);
    }
}

/* One way to read; all of them have to fail alike. */
static uint64_t read_by(struct ra_cursor *cur, unsigned way)
{
    switch (way) {
    case 0:
        return ra_cursor_u8(cur);
    case 1:
        return ra_cursor_u16le(cur);
    case 2:
        return ra_cursor_u32le(cur);
    case 3:
        return ra_cursor_u64le(cur);
    case 4:
        ra_cursor_skip(cur, 1);
        return 0;
    default:
        return ra_cursor_take(cur, 1).size;
    }
}

Test(cursor, a_read_that_does_not_fit_yields_zero_and_moves_nothing)
{
    static const size_t widths[] = { 1, 2, 4, 8, 1, 1 };

    for (unsigned way = 0; way < RA_COUNT(widths); way++) {
        /* Exactly as large as what is there, so that a sanitiser sees a step outside. */
        size_t size = widths[way] - 1;
        uint8_t *bytes = malloc(size ? size : 1);
        struct ra_cursor cur = ra_cursor_over((struct ra_span){ bytes, size, 0 });

        memset(bytes, 0xff, size);
        cr_assert_eq(read_by(&cur, way), 0, "way %u", way);
        cr_assert_not(ra_cursor_ok(&cur), "way %u", way);
        cr_assert_eq(cur.pos, 0, "way %u", way);
        free(bytes);
    }
}

Test(cursor, failure_sticks_although_later_reads_would_fit)
{
    for (unsigned way = 0; way < 6; way++) {
        struct ra_cursor cur = over_digits(16);

        ra_cursor_skip(&cur, 17);
        cr_assert_eq(read_by(&cur, way), 0, "way %u", way);
        cr_assert_not(ra_cursor_ok(&cur));
        cr_assert_not(ra_cursor_match(&cur, digits, 1));
        ra_cursor_seek(&cur, 0);
        cr_assert_not(ra_cursor_ok(&cur), "a seek does not heal");
        cr_assert_eq(cur.pos, 0);
    }
}

Test(cursor, counts_no_memory_could_hold_do_not_wrap)
{
    static const uint64_t counts[] = { UINT64_MAX, UINT64_MAX - 4, UINT64_MAX - 3,
                                       (uint64_t)1 << 45, (uint64_t)SIZE_MAX - 15 };

    for (size_t i = 0; i < RA_COUNT(counts); i++) {
        struct ra_cursor cur = over_digits(16);
        struct ra_span taken;

        ra_cursor_skip(&cur, 4);
        taken = ra_cursor_take(&cur, counts[i]);
        cr_assert_eq(taken.size, 0);
        cr_assert_null(taken.data);
        cr_assert_not(ra_cursor_ok(&cur));
        cr_assert_eq(cur.pos, 4);
        cur = over_digits(16);
        ra_cursor_seek(&cur, counts[i]);
        cr_assert_not(ra_cursor_ok(&cur));
        cr_assert_eq(cur.pos, 0);
    }
}

Test(cursor, seeks_to_every_byte_and_the_end_and_no_further)
{
    for (uint64_t pos = 0; pos <= 16; pos++) {
        struct ra_cursor cur = over_digits(16);

        ra_cursor_seek(&cur, pos);
        cr_assert(ra_cursor_ok(&cur));
        cr_assert_eq(ra_cursor_u8(&cur), pos < 16 ? digits[pos] : 0);
    }
    struct ra_cursor cur = over_digits(16);
    ra_cursor_seek(&cur, 17);
    cr_assert_not(ra_cursor_ok(&cur));
}

Test(cursor, what_is_taken_knows_its_place_in_the_file)
{
    struct ra_cursor cur = over_digits(16);
    struct ra_span taken;

    ra_cursor_skip(&cur, 3);
    taken = ra_cursor_take(&cur, 5);
    cr_assert_eq(taken.base, 0x1003);
    cr_assert_eq(taken.data, digits + 3);
    cr_assert_eq(taken.size, 5);
}

Test(cursor, a_match_is_consumed_and_a_mismatch_is_not)
{
    struct ra_cursor cur = over_digits(4);

    cr_assert_not(ra_cursor_match(&cur, "\1\3", 2));
    cr_assert_eq(cur.pos, 0);
    cr_assert(ra_cursor_ok(&cur), "to look is not to fail");
    cr_assert(ra_cursor_match(&cur, "\1\2", 2));
    cr_assert_eq(cur.pos, 2);
    cr_assert_not(ra_cursor_match(&cur, "\3\4\5", 3), "one byte more than there is");
    cr_assert_eq(cur.pos, 2);
    cr_assert(ra_cursor_match(&cur, "\3\4", 2));
}

Test(cursor, an_empty_span_without_memory_can_be_walked)
{
    struct ra_cursor cur = ra_cursor_over((struct ra_span){ 0 });
    struct ra_span part;

    cr_assert_eq(ra_cursor_take(&cur, 0).size, 0);
    cr_assert(ra_cursor_ok(&cur));
    cr_assert(ra_span_sub((struct ra_span){ 0 }, 0, 0, &part));
    cr_assert_not(ra_span_sub((struct ra_span){ 0 }, 0, 1, &part));
    cr_assert_eq(ra_cursor_u8(&cur), 0);
    cr_assert_not(ra_cursor_ok(&cur));
}

Test(cursor, part_of_a_span_is_inside_it_or_refused)
{
    static const struct {
        uint64_t offset, size;
        bool good;
    } rows[] = {
        { 0, 0, true },
        { 0, 16, true },
        { 16, 0, true },
        { 15, 1, true },
        { 0, 17, false },
        { 16, 1, false },
        { 17, 0, false },
        { UINT64_MAX, 1, false },
        { 1, UINT64_MAX, false },
        { UINT64_MAX, UINT64_MAX, false },
        { 8, UINT64_MAX - 7, false },
    };
    struct ra_span whole = { digits, 16, 0x1000 };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_span part;

        cr_assert_eq(ra_span_sub(whole, rows[i].offset, rows[i].size, &part),
                     rows[i].good, "row %zu", i);
        if (!rows[i].good)
            continue;
        cr_assert_eq(part.size, rows[i].size);
        cr_assert_eq(part.base, 0x1000 + rows[i].offset);
        cr_assert_eq(part.data, digits + rows[i].offset);
    }
}
