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

/* FIPS 180-2, appendix B.1 and B.2, and the digest of nothing. */
static const struct {
    const char *text;
    uint8_t digest[RA_SHA256_SIZE];
} standard[] = {
    { "", { 0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4,
            0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b,
            0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55 } },
    { "abc", { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
               0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
               0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad } },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      { 0x24, 0x8d, 0x6a, 0x61, 0xd2, 0x06, 0x38, 0xb8, 0xe5, 0xc0, 0x26,
        0x93, 0x0c, 0x3e, 0x60, 0x39, 0xa3, 0x3c, 0xe4, 0x59, 0x64, 0xff,
        0x21, 0x67, 0xf6, 0xec, 0xed, 0xd4, 0x19, 0xdb, 0x06, 0xc1 } },
};

Test(digest, sha256_agrees_with_its_standard_in_pieces_of_any_size)
{
    for (size_t i = 0; i < RA_COUNT(standard); i++)
        for (size_t step = 1; step < 60; step += 7) {
            struct ra_sha256 *sha256 = ra_sha256_new();
            const char *text = standard[i].text;
            uint8_t digest[RA_SHA256_SIZE];

            for (size_t left = strlen(text); left > 0;) {
                size_t size = step < left ? step : left;

                ra_sha256_add(sha256, (const uint8_t *)text, size);
                text += size;
                left -= size;
            }
            ra_sha256_end(sha256, digest);
            cr_assert_arr_eq(digest, standard[i].digest, sizeof(digest), "\"%s\"",
                             standard[i].text);
        }
}

Test(digest, sha256_can_be_given_up)
{
    ra_sha256_free(ra_sha256_new());
    ra_sha256_free(NULL);
}
