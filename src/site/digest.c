#include "site/digest.h"

#include "site/pieces.h"

#define NO_DIGIT 0xff

static uint8_t hex_digit(uint8_t letter)
{
    if (letter >= '0' && letter <= '9')
        return (uint8_t)(letter - '0');
    letter |= 0x20;
    return letter >= 'a' && letter <= 'f' ? (uint8_t)(letter - 'a' + 10) : NO_DIGIT;
}

/* RFC 4648, section 5; the '+' and '/' of section 4 are met as well. From the blank on.
 */
#define NO NO_DIGIT
/* clang-format off */
static const uint8_t base64[] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 62, NO, 62, NO, 63, /* from 0x20 */
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO, /* from 0x30 */
    NO, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, /* from 0x40 */
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, 63, /* from 0x50 */
    NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, /* from 0x60 */
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO, /* from 0x70 */
};
/* clang-format on */
#undef NO

static uint8_t base64_digit(uint8_t letter)
{
    return letter >= ' ' && letter < 0x80 ? base64[letter - ' '] : NO_DIGIT;
}

/* Digits of `bits` each; false if one is none, or they do not end with the bytes. */
static inline bool decode(struct ra_span text, unsigned bits, uint8_t (*digit)(uint8_t),
                          uint8_t ret[RA_SHA256_SIZE])
{
    uint32_t held = 0;
    unsigned held_bits = 0;
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++) {
        uint8_t value = digit(text.data[i]);

        if (value == NO_DIGIT)
            return false;
        held = held << bits | value;
        held_bits += bits;
        if (held_bits >= 8) {
            held_bits -= 8;
            if (count == RA_SHA256_SIZE)
                return false;
            ret[count++] = (uint8_t)(held >> held_bits);
        }
    }
    return count == RA_SHA256_SIZE && (held & ((1u << held_bits) - 1)) == 0;
}

bool ra_site_sha256_parse(struct ra_span text, struct ra_site_digest *ret)
{
    *ret = (struct ra_site_digest){ 0 };
    while (text.size > 0 && text.data[text.size - 1] == '=')
        text.size--; /* padding, which the standard leaves out */
    if (text.size == (size_t)2 * RA_SHA256_SIZE
            ? !decode(text, 4, hex_digit, ret->sha256)
            : !decode(text, 6, base64_digit, ret->sha256))
        return false;
    ret->kind = RA_SITE_SHA256;
    return true;
}

bool ra_site_digest_parse(struct ra_span text, struct ra_site_digest *ret)
{
    size_t name = ra_piece_find(text, '=');

    *ret = (struct ra_site_digest){ 0 };
    if (text.size == 0)
        return true;
    if (name == 0 || name == text.size)
        return false;
    if (ra_piece_is(ra_piece_head(text, name), "sha256"))
        return ra_site_sha256_parse(ra_piece_tail(text, name + 1), ret);
    ret->kind = RA_SITE_OTHER_DIGEST;
    return true;
}

bool ra_site_digest_matches(const struct ra_site_digest *digest,
                            const uint8_t sha256[RA_SHA256_SIZE])
{
    return digest->kind == RA_SITE_SHA256 &&
           memcmp(digest->sha256, sha256, RA_SHA256_SIZE) == 0;
}
