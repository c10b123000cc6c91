#include "base/arena.h"

#include <criterion/criterion.h>

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

Test(arena, memory_is_zeroed_aligned_and_nobody_elses)
{
    enum { COUNT = 3000 };
    static uint8_t *pieces[COUNT];
    struct ra_arena arena = { 0 };

    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 97 + 1;

        pieces[i] = ra_arena_alloc(&arena, 1, size);
        cr_assert(is_zero(pieces[i], size));
        cr_assert_eq((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        memset(pieces[i], (int)(i % 251 + 1), size);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i % 97 + 1; k++)
            cr_assert_eq(pieces[i][k], i % 251 + 1, "piece %zu was written over", i);
    ra_arena_free(&arena);
    cr_assert_eq(arena.used, 0);
    cr_assert_null(arena.blocks);
}

Test(arena, a_piece_larger_than_any_block_is_given)
{
    struct ra_arena arena = { 0 };
    const size_t size = (size_t)3 << 20;
    uint8_t *small = ra_new(&arena, uint8_t, 10);
    uint8_t *large = ra_new(&arena, uint8_t, size);

    cr_assert_not_null(small);
    cr_assert_not_null(large);
    memset(large, 0xff, size);
    cr_assert(is_zero(small, 10));
    cr_assert_not_null(ra_new(&arena, uint8_t, 10));
    ra_arena_free(&arena);
}

Test(arena, sizes_that_do_not_fit_a_number_are_refused)
{
    static const struct {
        size_t count, size;
    } rows[] = {
        { SIZE_MAX, 1 },         { SIZE_MAX, SIZE_MAX },
        { SIZE_MAX / 2 + 1, 2 }, { (size_t)1 << 33, (size_t)1 << 33 },
        { SIZE_MAX - 14, 1 },    { SIZE_MAX - 40, 1 },
        { 1, SIZE_MAX - 7 },
    };
    struct ra_arena arena = { 0 };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_null(ra_arena_alloc(&arena, rows[i].count, rows[i].size), "row %zu", i);
    cr_assert_eq(arena.used, 0);
    cr_assert_null(ra_arena_text(&arena, "", SIZE_MAX));
    cr_assert_not_null(ra_new(&arena, int, 1), "a refusal leaves the arena usable");
    ra_arena_free(&arena);
}

Test(arena, gives_all_of_its_limit_and_not_a_byte_more)
{
    struct ra_arena arena = { .limit = 4096 };

    cr_assert_null(ra_arena_alloc(&arena, 1, 4097));
    cr_assert_eq(arena.used, 0, "what was refused does not count");
    cr_assert_not_null(ra_arena_alloc(&arena, 1, 4096));
    cr_assert_null(ra_arena_alloc(&arena, 1, 1));
    cr_assert_leq(arena.used, arena.limit);
    ra_arena_free(&arena);
    cr_assert_not_null(ra_arena_alloc(&arena, 1, 4096), "its memory is there again");
    ra_arena_free(&arena);
}

Test(arena, small_pieces_reach_the_limit_too)
{
    struct ra_arena arena = { .limit = 100000 };
    size_t pieces = 0;

    while (ra_arena_alloc(&arena, 1, 16))
        cr_assert_leq(++pieces, 100000 / 16);
    cr_assert_eq(pieces, 100000 / 16);
    ra_arena_free(&arena);
}

Test(arena, text_is_a_terminated_copy_of_any_bytes)
{
    struct ra_arena arena = { 0 };
    char bytes[] = "a\0b";
    const char *text = ra_arena_text(&arena, bytes, 3);

    bytes[0] = 'x';
    cr_assert_arr_eq(text, "a\0b", 4);
    cr_assert_str_eq(ra_arena_text(&arena, NULL, 0), "");
    ra_arena_free(&arena);
}

Test(arena, joined_memory_lives_on_and_counts)
{
    struct ra_arena one = { 0 }, other = { 0 };
    char *first = ra_arena_text(&one, "first", 5), *second;

    for (size_t i = 0; i < 100; i++)
        (void)ra_new(&other, uint8_t, 1000);
    second = ra_arena_text(&other, "second", 6);
    size_t used = one.used + other.used;
    ra_arena_join(&one, &other);
    cr_assert_eq(one.used, used);
    cr_assert_eq(other.used, 0);
    cr_assert_null(other.blocks);
    ra_arena_free(&other);
    cr_assert_not_null(ra_arena_text(&other, "third", 5), "it can be used again");
    cr_assert_str_eq(first, "first");
    cr_assert_str_eq(second, "second");
    ra_arena_free(&other);
    ra_arena_free(&one);
}

Test(arena, an_empty_one_can_be_joined_either_way)
{
    struct ra_arena one = { 0 }, empty = { 0 };
    const char *text = ra_arena_text(&one, "text", 4);

    ra_arena_join(&one, &empty);
    ra_arena_join(&empty, &one);
    cr_assert_str_eq(text, "text");
    cr_assert_null(one.blocks);
    ra_arena_free(&empty);
}

Test(arena, holds_its_limit_after_a_join_went_beyond_it)
{
    struct ra_arena one = { .limit = 1000 }, other = { 0 };

    cr_assert_not_null(ra_new(&other, uint8_t, 5000));
    ra_arena_join(&one, &other);
    cr_assert_null(ra_new(&one, uint8_t, 1));
    ra_arena_free(&one);
}
