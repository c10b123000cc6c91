/*
 * digest.h - what a record says of a file's bytes: "sha256=...".
 *
 * Both spellings occur: urlsafe base64 without padding, as the standard has it, and the
 * hexadecimal of split packages.
 */
#ifndef RA_SITE_DIGEST_H
#define RA_SITE_DIGEST_H

#include "base/cursor.h"
#include "codec/digest.h"

enum ra_site_digest_kind {
    RA_SITE_NO_DIGEST, /**< none is given */
    RA_SITE_SHA256,
    RA_SITE_OTHER_DIGEST, /**< of an algorithm that is not checked */
};

struct ra_site_digest {
    enum ra_site_digest_kind kind;
    uint8_t sha256[RA_SHA256_SIZE];
};

/** Read "sha256=...", or "" for none; false, and none, if it is neither. */
RA_MUST_CHECK bool ra_site_digest_parse(struct ra_span text, struct ra_site_digest *ret);

/** Read what stands behind "sha256=". */
RA_MUST_CHECK bool ra_site_sha256_parse(struct ra_span text, struct ra_site_digest *ret);

/** Whether `sha256` of the file's bytes is what was said; only of RA_SITE_SHA256. */
bool ra_site_digest_matches(const struct ra_site_digest *digest,
                            const uint8_t sha256[RA_SHA256_SIZE]);

#endif
