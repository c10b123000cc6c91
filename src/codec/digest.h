/*
 * digest.h - MD5, as compressed bundles carry it, and SHA-256, as packages list it for
 * their files. The only door to libmd.
 */
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

#define RA_SHA256_SIZE 32

struct ra_sha256;

/** NULL if there is no memory. */
struct ra_sha256 *ra_sha256_new(void);
void ra_sha256_add(struct ra_sha256 *sha256, const uint8_t *bytes, size_t size);

/** Frees `sha256`. */
void ra_sha256_end(struct ra_sha256 *sha256, uint8_t ret[RA_SHA256_SIZE]);

/** Give it up without a result; NULL is fine. */
void ra_sha256_free(struct ra_sha256 *sha256);

#endif
