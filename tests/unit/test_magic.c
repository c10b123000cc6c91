#include "bundle/magic.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* As files begin: System V ABI, OffloadBundle.cpp, OffloadBinary.h, CGCUDANV.cpp. */
static const struct {
    const char *bytes;
    enum ra_magic what;
} magics[] = {
    { "\177ELF", RA_MAGIC_ELF },  { "__CLANG_OFFLOAD_BUNDLE__", RA_MAGIC_BUNDLE },
    { "CCOB", RA_MAGIC_CCOB },    { "\x10\xff\x10\xad", RA_MAGIC_OFFLOAD },
    { "FPIH", RA_MAGIC_WRAPPER }, { "HIPK", RA_MAGIC_WRAPPER },
};

/* What stands at one place, compared a byte at a time. */
static enum ra_magic naive(const uint8_t *bytes)
{
    for (size_t i = 0; i < RA_COUNT(magics); i++)
        if (memcmp(bytes, magics[i].bytes, RA_MAGIC_SIZE) == 0)
            return magics[i].what;
    return RA_MAGIC_NONE;
}

/* In a block of its own, so that a sanitizer sees what is read outside. */
static uint8_t *filled(size_t size)
{
    uint8_t *bytes = malloc(size + !size);

    cr_assert_not_null(bytes);
    memset(bytes, '_', size);
    return bytes;
}

Test(magic, is_found_at_every_place_and_from_every_start)
{
    for (size_t i = 0; i < RA_COUNT(magics); i++)
        for (size_t place = 0; place <= 60; place++) {
            uint8_t *bytes = filled(64);

            memcpy(bytes + place, magics[i].bytes, RA_MAGIC_SIZE);
            for (size_t start = 0; start <= 60; start++) {
                size_t at = start;
                enum ra_magic found =
                    ra_magic_next((struct ra_span){ bytes, 64, 0 }, &at);

                cr_assert_eq(found, start <= place ? magics[i].what : RA_MAGIC_NONE,
                             "magic %zu at %zu from %zu", i, place, start);
                cr_assert_eq(at, start <= place ? place : 61);
            }
            free(bytes);
        }
}

/* What follows may hold the rest, so the search goes on where the magic begins. */
Test(magic, that_is_cut_at_the_end_is_not_found_and_not_passed_over)
{
    for (size_t i = 0; i < RA_COUNT(magics); i++)
        for (size_t size = 0; size <= 40; size++)
            for (size_t have = 1; have < RA_MAGIC_SIZE && have <= size; have++) {
                uint8_t *bytes = filled(size);
                size_t at = 0;

                memcpy(bytes + size - have, magics[i].bytes, have);
                cr_assert_eq(ra_magic_next((struct ra_span){ bytes, size, 0 }, &at),
                             RA_MAGIC_NONE);
                cr_assert_leq(at, size - have, "%zu of %zu bytes", have, size);
                cr_assert_eq(at, size < RA_MAGIC_SIZE ? 0 : size - RA_MAGIC_SIZE + 1);
                free(bytes);
            }
}

/* Bytes that all are of magics, in no order: many places begin or end like one. */
Test(magic, those_of_any_bytes_are_those_a_comparison_at_each_place_finds)
{
    static const uint8_t letters[] = "\177ELF__CCOB\x10\xff\x10\xad"
                                     "FPIHIPK";
    uint64_t seed = 1;

    for (size_t round = 0; round < 2000; round++) {
        size_t size = round % 200, from = 0, found = 0, expected = 0;
        uint8_t *bytes = filled(size);
        struct ra_span span = { bytes, size, 0 };

        for (size_t i = 0; i < size; i++) {
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            bytes[i] = letters[(seed >> 33) % (sizeof(letters) - 1)];
        }
        for (size_t i = 0; i + RA_MAGIC_SIZE <= size && i + 9 < size; i += 9)
            if ((seed >> (i % 60)) & 1)
                memcpy(bytes + i, magics[i % RA_COUNT(magics)].bytes, RA_MAGIC_SIZE);
        for (enum ra_magic magic; (magic = ra_magic_next(span, &from)); from++) {
            cr_assert_eq(magic, naive(bytes + from), "round %zu at %zu", round, from);
            found++;
        }
        for (size_t i = 0; i + RA_MAGIC_SIZE <= size; i++)
            expected += naive(bytes + i) != RA_MAGIC_NONE;
        cr_assert_eq(found, expected, "round %zu", round);
        free(bytes);
    }
}
