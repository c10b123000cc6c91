#include "site/map.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { COUNT = 100000 };

static struct ra_span key_of(char text[24], size_t i)
{
    int size = snprintf(text, 24, "lib/kernel_%zu.co", i);

    return (struct ra_span){ (const uint8_t *)text, (size_t)size, 0 };
}

static void fill(struct ra_map *map)
{
    for (size_t i = 0; i < COUNT; i++) {
        char text[24];
        struct ra_span key = key_of(text, i);
        struct ra_map_slot *slot;

        cr_assert_eq(ra_map_slot(map, key, &slot), RA_OK);
        cr_assert_null(slot->value);
        slot->value = ra_arena_text(map->arena, text, key.size);
        slot->key.data = slot->value;
    }
}

static void check_filled(const struct ra_map *map)
{
    char text[24];

    for (size_t i = 0; i < COUNT; i++) {
        const char *value = ra_map_find(map, key_of(text, i));

        cr_assert(value && strcmp(value, text) == 0, "%s", text);
    }
    cr_assert_null(ra_map_find(map, key_of(text, COUNT)));
    cr_assert_null(ra_map_find(map, (struct ra_span){ 0 }));
    cr_assert_eq(map->count, COUNT);
}

Test(map, a_hundred_thousand_keys_keep_their_values)
{
    struct ra_arena arena = { 0 };
    struct ra_map map = { .arena = &arena };

    cr_assert_null(ra_map_find(&map, (struct ra_span){ (const uint8_t *)"a", 1, 0 }));
    fill(&map);
    check_filled(&map);
    ra_arena_free(&arena);
}

Test(map, room_that_was_asked_for_is_enough)
{
    struct ra_arena arena = { 0 };
    struct ra_map map = { .arena = &arena };
    size_t slots;

    cr_assert_eq(ra_map_reserve(&map, COUNT), RA_OK);
    slots = map.slot_count;
    fill(&map);
    check_filled(&map);
    cr_assert_eq(map.slot_count, slots);
    cr_assert_eq(ra_map_reserve(&map, 1), RA_OK);
    cr_assert_eq(map.slot_count, slots, "it does not shrink");
    ra_arena_free(&arena);
}

Test(map, a_known_key_has_its_slot_again)
{
    struct ra_arena arena = { 0 };
    struct ra_map map = { .arena = &arena };
    struct ra_span key = { (const uint8_t *)"a", 1, 0 }, none = { 0 };
    struct ra_map_slot *slot, *again;
    int values[2];

    cr_assert_eq(ra_map_slot(&map, key, &slot), RA_OK);
    slot->value = &values[0];
    cr_assert_eq(ra_map_slot(&map, key, &again), RA_OK);
    cr_assert_eq(slot, again);
    cr_assert_eq(ra_map_slot(&map, none, &again), RA_OK);
    again->value = &values[1];
    cr_assert_eq(ra_map_find(&map, none), &values[1]);
    cr_assert_eq(ra_map_find(&map, key), &values[0]);
    cr_assert_eq(map.count, 2);
    ra_arena_free(&arena);
}

Test(map, a_full_arena_is_no_memory)
{
    struct ra_arena arena = { .limit = 256 };
    struct ra_map map = { .arena = &arena };
    struct ra_map_slot *slot;

    cr_assert_eq(ra_map_slot(&map, (struct ra_span){ (const uint8_t *)"a", 1, 0 }, &slot),
                 RA_E_NOMEM);
    ra_arena_free(&arena);
}
