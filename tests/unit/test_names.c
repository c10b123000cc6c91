#include "base/names.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

static uint32_t add(struct ra_names *names, struct ra_span name)
{
    uint32_t number = UINT32_MAX;

    cr_assert_eq(ra_names_add(names, name, &number), RA_OK);
    return number;
}

Test(names, equal_bytes_have_equal_numbers_and_others_do_not)
{
    struct ra_arena arena = { 0 };
    struct ra_names names = { .arena = &arena };
    char copy[] = "k_add";

    cr_assert_eq(add(&names, span_of("k_add")), 0);
    cr_assert_eq(add(&names, span_of("k_mul")), 1);
    cr_assert_eq(add(&names, span_of(copy)), 0);
    cr_assert_eq(add(&names, span_of("k_ad")), 2, "a name that starts like another");
    cr_assert_eq(add(&names, span_of("")), 3);
    cr_assert_eq(add(&names, (struct ra_span){ (const uint8_t *)"a\0b", 3, 0 }), 4);
    cr_assert_eq(add(&names, (struct ra_span){ (const uint8_t *)"a\0c", 3, 0 }), 5);
    cr_assert_eq(names.count, 6);
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, the_empty_name_needs_no_memory)
{
    struct ra_arena arena = { 0 };
    struct ra_names names = { .arena = &arena };

    cr_assert_eq(add(&names, (struct ra_span){ 0 }), 0);
    cr_assert_eq(add(&names, (struct ra_span){ 0 }), 0);
    cr_assert_str_eq(names.text[0], "");
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, texts_are_kept_escaped_while_equality_is_that_of_bytes)
{
    struct ra_arena arena = { 0 };
    struct ra_names names = { .arena = &arena };

    cr_assert_eq(add(&names, span_of("a\x1b")), 0);
    cr_assert_eq(add(&names, span_of("a\\x1b")), 1);
    cr_assert_str_eq(names.text[0], "a\\x1b");
    cr_assert_str_eq(names.text[1], "a\\x5cx1b");
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, a_name_outlives_the_bytes_it_came_from)
{
    struct ra_arena arena = { 0 };
    struct ra_names names = { .arena = &arena };
    char bytes[] = "kernel";

    cr_assert_eq(add(&names, span_of(bytes)), 0);
    memset(bytes, 'x', 6);
    cr_assert_eq(add(&names, span_of("kernel")), 0);
    cr_assert_str_eq(names.text[0], "kernel");
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, a_hundred_thousand_keep_their_numbers)
{
    enum { COUNT = 100000 };
    struct ra_arena arena = { 0 };
    struct ra_names names = { .arena = &arena };
    char name[32];

    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++) {
            snprintf(name, sizeof(name), "_Z7kernel_%uPfS_", i);
            cr_assert_eq(add(&names, span_of(name)), i);
        }
    cr_assert_eq(names.count, COUNT);
    cr_assert_str_eq(names.text[77777], "_Z7kernel_77777PfS_");
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, a_full_arena_is_no_memory_and_leaves_the_table_whole)
{
    struct ra_arena arena = { .limit = 64 };
    struct ra_names names = { .arena = &arena };
    uint32_t number;

    cr_assert_eq(add(&names, span_of("short")), 0);
    cr_assert_eq(ra_names_add(&names,
                              span_of("a name of more bytes than there are left in an "
                                      "arena with a limit as small as that"),
                              &number),
                 RA_E_NOMEM);
    cr_assert_eq(names.count, 1);
    cr_assert_eq(add(&names, span_of("short")), 0);
    ra_names_free(&names);
    ra_arena_free(&arena);
}

Test(names, hash_depends_on_every_byte_and_on_the_size)
{
    uint8_t bytes[41] = { 0 };

    for (size_t size = 0; size < sizeof(bytes); size++) {
        uint64_t hash = ra_hash((struct ra_span){ bytes, size, 0 });

        cr_assert_neq(hash, ra_hash((struct ra_span){ bytes, size + 1, 0 }));
        for (size_t i = 0; i < size; i++) {
            bytes[i] = 1;
            cr_assert_neq(hash, ra_hash((struct ra_span){ bytes, size, 0 }),
                          "byte %zu of %zu", i, size);
            bytes[i] = 0;
        }
    }
}
