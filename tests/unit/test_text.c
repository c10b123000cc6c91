#include "base/text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A string literal as a span, with the zeros in it. */
#define SPAN(literal)                                                                    \
    ((struct ra_span){ (const uint8_t *)(literal), sizeof(literal) - 1, 0 })

static void assert_escaped(struct ra_span bytes, const char *expected)
{
    struct ra_arena arena = { 0 };
    const char *text = ra_text_escape(&arena, bytes);

    cr_assert_str_eq(text, expected);
    cr_assert_eq(ra_text_is_plain(bytes), strlen(expected) == bytes.size, "%s", expected);
    ra_arena_free(&arena);
}

/* ---- escaping --------------------------------------------------------------- */

Test(text, what_is_harmless_stays)
{
    assert_escaped(SPAN(""), "");
    assert_escaped(SPAN("/opt/rocm/lib/libfoo.so.1 (gfx90a)"),
                   "/opt/rocm/lib/libfoo.so.1 (gfx90a)");
    /* One of each size: U+00E9, U+20AC, U+1F600; the first and last of each. */
    assert_escaped(SPAN("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                   "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_escaped(SPAN("\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd"),
                   "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd");
    assert_escaped(SPAN("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
                   "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
    assert_escaped(SPAN("\xed\x9f\xbf\xee\x80\x80"), "\xed\x9f\xbf\xee\x80\x80");
}

Test(text, control_characters_become_hex)
{
    assert_escaped(SPAN("\0"), "\\x00");
    assert_escaped(SPAN("a\nb\tc\rd"), "a\\x0ab\\x09c\\x0dd");
    assert_escaped(SPAN("\x1b[2J\x1b]0;title\x07"), "\\x1b[2J\\x1b]0;title\\x07");
    assert_escaped(SPAN("\x7f"), "\\x7f");
    /* C1 in UTF-8: U+0080, U+009B (CSI), U+009F. */
    assert_escaped(SPAN("\xc2\x80\xc2\x9b\xc2\x9f"), "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f");
    assert_escaped(SPAN("\x9b"
                        "31m"),
                   "\\x9b31m");
}

Test(text, a_backslash_is_escaped_so_that_escapes_are_unambiguous)
{
    assert_escaped(SPAN("C:\\new"), "C:\\x5cnew");
    assert_escaped(SPAN("\\x1b"), "\\x5cx1b");
}

/* Unicode, PropList.txt: Bidi_Control; and what hides or breaks a line. */
Test(text, marks_that_reorder_hide_or_break_text_become_hex)
{
    assert_escaped(SPAN("a\xe2\x80\xae"
                        "b"),
                   "a\\xe2\\x80\\xaeb"); /* U+202E */
    assert_escaped(SPAN("\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad"),
                   "\\xe2\\x80\\xaa\\xe2\\x80\\xab\\xe2\\x80\\xac\\xe2\\x80\\xad");
    assert_escaped(SPAN("\xe2\x81\xa6\xe2\x81\xa9"),
                   "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"); /* U+2066, U+2069 */
    assert_escaped(SPAN("\xe2\x80\x8e\xe2\x80\x8f"), "\\xe2\\x80\\x8e\\xe2\\x80\\x8f");
    assert_escaped(SPAN("\xd8\x9c"), "\\xd8\\x9c"); /* U+061C, Arabic letter mark */
    assert_escaped(SPAN("\xe2\x80\xa8\xe2\x80\xa9"), "\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
    assert_escaped(SPAN("\xe2\x80\x8b"), "\\xe2\\x80\\x8b"); /* zero width space */
    assert_escaped(SPAN("\xef\xbb\xbf"), "\\xef\\xbb\\xbf"); /* U+FEFF */
}

/* The Unicode Standard, table 3-7, and RFC 3629 section 10. */
static const struct {
    const char *bytes;
    size_t size;
} malformed[] = {
    { "\x80", 1 }, /* a continuation alone */
    { "\xbf", 1 },
    { "\xc0\x80", 2 }, /* overlong NUL */
    { "\xc0\xaf", 2 }, /* overlong slash */
    { "\xc1\xbf", 2 },
    { "\xe0\x80\xaf", 3 },
    { "\xe0\x9f\xbf", 3 },
    { "\xf0\x80\x80\xaf", 4 },
    { "\xf0\x8f\xbf\xbf", 4 },
    { "\xed\xa0\x80", 3 }, /* surrogates */
    { "\xed\xbf\xbf", 3 },
    { "\xf4\x90\x80\x80", 4 }, /* above U+10FFFF */
    { "\xf5\x80\x80\x80", 4 },
    { "\xf8\x88\x80\x80", 4 },
    { "\xff", 1 },
    { "\xfe", 1 },
    { "\xc3", 1 }, /* cut off */
    { "\xe2\x82", 2 },
    { "\xf0\x9f\x98", 3 },
    { "\xc3\x28", 2 }, /* no continuation */
    { "\xe2\x28\xa1", 3 },
};

Test(text, no_malformed_utf8_passes)
{
    for (size_t i = 0; i < RA_COUNT(malformed); i++) {
        struct ra_arena arena = { 0 };
        /* On the heap, so that a sanitiser sees a look behind the end. */
        uint8_t *copy = malloc(malformed[i].size);
        struct ra_span bytes = { copy, malformed[i].size, 0 };
        const char *text;

        memcpy(copy, malformed[i].bytes, bytes.size);
        text = ra_text_escape(&arena, bytes);
        cr_assert_not(ra_text_is_utf8(bytes), "row %zu", i);
        cr_assert_not(ra_text_is_plain(bytes), "row %zu", i);
        for (; *text; text++)
            cr_assert(*text >= 0x20 && *text < 0x7f, "row %zu", i);
        ra_arena_free(&arena);
        free(copy);
    }
}

Test(text, a_bad_byte_spoils_no_good_neighbour)
{
    assert_escaped(SPAN("caf\xe9.so"), "caf\\xe9.so");
    assert_escaped(SPAN("\xe2\x82\xc3\xa9"), "\\xe2\\x82\xc3\xa9");
    assert_escaped(SPAN("\xf0\x9f\x98z"), "\\xf0\\x9f\\x98z");
}

/* Take the escapes back: our own reading of what text.h promises. */
static size_t unescape(const char *text, uint8_t *ret)
{
    size_t size = 0;

    for (; *text; text++) {
        if (*text == '\\') {
            char hex[3] = { text[2], text[3], '\0' };

            cr_assert_eq(text[1], 'x');
            ret[size++] = (uint8_t)strtoul(hex, NULL, 16);
            text += 3;
        } else {
            ret[size++] = (uint8_t)*text;
        }
    }
    return size;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

Test(text, any_bytes_escape_to_printable_utf8_and_come_back_whole)
{
    uint64_t state = 1;

    for (unsigned round = 0; round < 20000; round++) {
        struct ra_arena arena = { 0 };
        uint8_t bytes[24], back[24];
        struct ra_span span = { bytes, next_random(&state) % sizeof(bytes), 0 };
        const char *text;
        struct ra_span shown;

        for (size_t i = 0; i < span.size; i++)
            bytes[i] = (uint8_t)(next_random(&state) % 3 ? 0x80 | next_random(&state)
                                                         : next_random(&state));
        text = ra_text_escape(&arena, span);
        shown = (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
        cr_assert(ra_text_is_utf8(shown));
        for (size_t i = 0; i < shown.size; i++)
            cr_assert(shown.data[i] >= 0x20 && shown.data[i] != 0x7f);
        cr_assert_eq(unescape(text, back), span.size);
        cr_assert_arr_eq(back, bytes, span.size);
        ra_arena_free(&arena);
    }
}

Test(text, escaping_fails_where_there_is_no_memory)
{
    struct ra_arena arena = { .limit = 16 };

    cr_assert_null(ra_text_escape(&arena, SPAN("\1\2\3\4\5")));
    ra_arena_free(&arena);
}

/* ---- building --------------------------------------------------------------- */

Test(text, pieces_follow_each_other)
{
    struct ra_text text = { 0 };
    char expected[30001] = "";

    ra_text_add(&text, "", 0);
    cr_assert_str_eq(text.data, "");
    for (size_t i = 0; i < 1000; i++) {
        ra_text_str(&text, "ab");
        ra_text_printf(&text, "%027d", 7);
        ra_text_add(&text, "cd", 1);
        memcpy(expected + 30 * i, "ab000000000000000000000000007c", 31);
    }
    cr_assert_eq(text.size, 30000);
    cr_assert_str_eq(text.data, expected);
    cr_assert_not(text.failed);
    ra_text_free(&text);
}

Test(text, a_piece_beyond_the_limit_adds_nothing_and_failure_sticks)
{
    struct ra_text text = { .limit = 10 };
    struct ra_arena arena = { 0 };

    ra_text_str(&text, "0123456789");
    cr_assert_not(text.failed);
    ra_text_printf(&text, "%c", 'x');
    cr_assert(text.failed);
    cr_assert_str_eq(text.data, "0123456789");
    ra_text_add(&text, "", 0);
    cr_assert(text.failed);
    cr_assert_null(ra_text_keep(&text, &arena));
    ra_text_free(&text);
    ra_arena_free(&arena);
}

Test(text, a_size_that_wraps_fails)
{
    struct ra_text text = { 0 };

    ra_text_str(&text, "abc");
    ra_text_add(&text, "abc", SIZE_MAX - 2);
    cr_assert(text.failed);
    cr_assert_str_eq(text.data, "abc");
    ra_text_free(&text);
}

Test(text, a_kept_copy_outlives_the_builder)
{
    struct ra_arena arena = { 0 };
    struct ra_text text = { 0 };
    const char *nothing = ra_text_keep(&text, &arena), *kept;

    ra_text_str(&text, "something");
    kept = ra_text_keep(&text, &arena);
    ra_text_free(&text);
    cr_assert_null(text.data);
    cr_assert_str_eq(nothing, "");
    cr_assert_str_eq(kept, "something");
    ra_arena_free(&arena);
}

Test(text, formats_into_an_arena_of_any_size)
{
    struct ra_arena arena = { 0 }, full = { .limit = 16 };
    const char *text = ra_text_format(&arena, "%s-%05000d", "n", 1);

    cr_assert_eq(strlen(text), 5002);
    cr_assert_str_eq(text + 4998, "0001");
    cr_assert_null(ra_text_format(&full, "%020d", 1));
    ra_arena_free(&arena);
    ra_arena_free(&full);
}
