/* digest.h - MD5, as compressed bundles carry it. The only door to libmd. */
#ifndef RA_DIGEST_H
#define RA_DIGEST_H

#include "base/base.h"

struct ra_md5;

/** NULL if there is no memory. */
struct ra_md5 *ra_md5_new(void);
void ra_md5_add(struct ra_md5 *md5, const uint8_t *bytes, size_t size);

/** The first eight bytes of the digest, read as a little-endian number; frees `md5`. */
uint64_t ra_md5_end(struct ra_md5 *md5);

/** Give it up without a result; NULL is fine. */
void ra_md5_free(struct ra_md5 *md5);

#endif
