#include "codec/digest.h"

#include <criterion/criterion.h>
#include <md5.h>

/* RFC 1321, A.5; the number is that of the first eight bytes, the first one lowest. */
static const struct {
    const char *text;
    uint64_t start;
} suite[] = {
    { "", 0x04b2008fd98c1dd4 },
    { "a", 0xa8b6f1c0b975c10c },
    { "abc", 0xb04fd23c98500190 },
    { "message digest", 0x8d93b77c7d696bf9 },
    { "abcdefghijklmnopqrstuvwxyz", 0x00e49261d7d3fcc3 },
};

Test(digest, agrees_with_the_suite_of_rfc_1321)
{
    for (size_t i = 0; i < RA_COUNT(suite); i++) {
        struct ra_md5 *md5 = ra_md5_new();

        ra_md5_add(md5, (const uint8_t *)suite[i].text, strlen(suite[i].text));
        cr_assert_eq(ra_md5_end(md5), suite[i].start, "\"%s\"", suite[i].text);
    }
}

Test(digest, pieces_make_the_digest_of_the_whole)
{
    static uint8_t bytes[1000];
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t start = 0;
    MD5_CTX context;

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 31);
    MD5Init(&context);
    MD5Update(&context, bytes, sizeof(bytes));
    MD5Final(digest, &context);
    for (unsigned i = 0; i < 8; i++)
        start |= (uint64_t)digest[i] << 8 * i;
    for (size_t step = 1; step <= sizeof(bytes); step += 37) {
        struct ra_md5 *md5 = ra_md5_new();

        for (size_t at = 0; at < sizeof(bytes); at += step)
            ra_md5_add(md5, bytes + at,
                       step < sizeof(bytes) - at ? step : sizeof(bytes) - at);
        cr_assert_eq(ra_md5_end(md5), start, "in steps of %zu", step);
    }
}

Test(digest, can_be_given_up)
{
    struct ra_md5 *md5 = ra_md5_new();

    ra_md5_add(md5, (const uint8_t *)"a", 1);
    ra_md5_free(md5);
    ra_md5_free(NULL);
}
