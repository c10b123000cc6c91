#include "site/digest.h"
#include "site/rows.h"

#include <criterion/criterion.h>

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

/* Fields joined with '|', rows with '/': '!' behind a row that the text cuts. */
static void check_rows(const char *text, const char *wanted)
{
    struct ra_cursor cur = ra_cursor_over(span_of(text));
    struct ra_text got = { 0 };
    struct ra_row row = { 0 };
    size_t rows = 0;

    ra_text_str(&got, "");
    while (ra_row_next(&cur, &row)) {
        if (rows++ > 0)
            ra_text_str(&got, "/");
        for (size_t i = 0; i < row.count && i < RA_ROW_FIELDS; i++) {
            if (i > 0)
                ra_text_str(&got, "|");
            ra_text_add(&got, (const char *)row.fields[i].data, row.fields[i].size);
        }
        if (row.count > RA_ROW_FIELDS)
            ra_text_printf(&got, "+%zu", row.count - RA_ROW_FIELDS);
        if (row.is_cut)
            ra_text_str(&got, "!");
    }
    cr_assert_str_eq(got.data, wanted, "of <%s>: <%s>", text, got.data);
    ra_row_free(&row);
    ra_text_free(&got);
}

/* What Python's csv.reader() makes of the same text. */
Test(rows, are_read_as_python_reads_them)
{
    check_rows("", "");
    check_rows("a,b,3\n", "a|b|3");
    check_rows("a,b,3", "a|b|3");
    check_rows("a,,\r\nb,,\r\n", "a||/b||");
    check_rows("\n\na,,\n\n", "a||");
    check_rows(",,\n", "||");
    check_rows("a\n", "a");
    check_rows("a,b,c,d,e\n", "a|b|c+2");
    check_rows("\"a,b\",c,1\n", "a,b|c|1");
    check_rows("\"a\"\"b\",c,1\n", "a\"b|c|1");
    check_rows("\"a\nb\",c,1\nd,,\n", "a\nb|c|1/d||");
    check_rows("\"a\r\nb\",c,1\r\n", "a\r\nb|c|1");
    check_rows("a\"b,c\"d,1\n", "a\"b|c\"d|1");
    check_rows("\"a\"b,c,1\n", "ab|c|1");
    check_rows("\"\",\"\",\"\"\n", "||");
    check_rows("a,\"b,c\",\"1\"\n", "a|b,c|1");
    check_rows("\"a\",b,c,\"d\ne\"\nf,,\n", "a|b|c+1/f||");
}

Test(rows, a_quote_that_is_not_closed_takes_the_rest)
{
    check_rows("a,,\n\"b,c\nd,,\n", "a||/b,c\nd,,\n!");
    check_rows("\"", "!");
    check_rows("a,\"", "a|!");
}

Test(rows, tell_where_they_start)
{
    struct ra_cursor cur = ra_cursor_over(
        (struct ra_span){ (const uint8_t *)"a,,\n\n\"b\",,\nc,,\n", 15, 100 });
    struct ra_row row = { 0 };
    const uint64_t offsets[] = { 100, 105, 111 };

    for (size_t i = 0; i < RA_COUNT(offsets); i++) {
        cr_assert(ra_row_next(&cur, &row));
        cr_assert_eq(row.offset, offsets[i], "row %zu at %zu", i, (size_t)row.offset);
    }
    cr_assert_not(ra_row_next(&cur, &row));
    ra_row_free(&row);
}

/* ---- digests ------------------------------------------------------------------------
 */

#define ABC_HEX    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_BASE64 "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"

/* SHA-256 of "abc". */
static const uint8_t abc[RA_SHA256_SIZE] = {
    0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
    0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
    0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
};

Test(site_digest, base64_and_hexadecimal_mean_the_same)
{
    static const char *const texts[] = {
        "sha256=" ABC_BASE64,
        "sha256=" ABC_HEX,
        "SHA256=" ABC_HEX,
        "sha256=" ABC_BASE64 "=",
        "sha256=BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "sha256=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
    };

    for (size_t i = 0; i < RA_COUNT(texts); i++) {
        struct ra_site_digest digest;
        uint8_t other[RA_SHA256_SIZE];

        cr_assert(ra_site_digest_parse(span_of(texts[i]), &digest), "%s", texts[i]);
        cr_assert_eq(digest.kind, RA_SITE_SHA256);
        cr_assert(ra_site_digest_matches(&digest, abc), "%s", texts[i]);
        for (size_t bit = 0; bit < 8 * sizeof(other); bit++) {
            memcpy(other, abc, sizeof(other));
            other[bit / 8] ^= (uint8_t)(1 << bit % 8);
            cr_assert_not(ra_site_digest_matches(&digest, other), "bit %zu", bit);
        }
    }
}

Test(site_digest, other_algorithms_and_none_match_nothing)
{
    struct ra_site_digest digest;

    cr_assert(ra_site_digest_parse(span_of("sha512=x"), &digest));
    cr_assert_eq(digest.kind, RA_SITE_OTHER_DIGEST);
    cr_assert_not(ra_site_digest_matches(&digest, digest.sha256));
    cr_assert(ra_site_digest_parse(span_of(""), &digest));
    cr_assert_eq(digest.kind, RA_SITE_NO_DIGEST);
    cr_assert_not(ra_site_digest_matches(&digest, digest.sha256));
}

Test(site_digest, what_is_too_short_or_long_or_no_digit_is_refused)
{
    static const char *const texts[] = {
        "sha256=",
        "sha256",
        "=" ABC_HEX,
        "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa",
        "sha256=" ABC_BASE64 "A",
        "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa1", /* bits beyond the bytes */
        "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAF:0",
        "sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAF\xff"
        "0",
        "sha256=" ABC_HEX "0",
        "sha256=ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };

    for (size_t i = 0; i < RA_COUNT(texts); i++) {
        struct ra_site_digest digest;

        cr_assert_not(ra_site_digest_parse(span_of(texts[i]), &digest), "%s", texts[i]);
        cr_assert_eq(digest.kind, RA_SITE_NO_DIGEST, "%s", texts[i]);
    }
}
