#include "codec/digest.h"

#include <stdlib.h>
#include <sys/types.h>
/* After sys/types.h, whose types it uses without asking. */
#include <md5.h>
#include <sha2.h>

struct ra_md5 {
    MD5_CTX context;
};

struct ra_md5 *ra_md5_new(void)
{
    struct ra_md5 *md5 = malloc(sizeof(*md5));

    if (md5)
        MD5Init(&md5->context);
    return md5;
}

void ra_md5_add(struct ra_md5 *md5, const uint8_t *bytes, size_t size)
{
    MD5Update(&md5->context, bytes, size);
}

uint64_t ra_md5_end(struct ra_md5 *md5)
{
    uint8_t digest[MD5_DIGEST_LENGTH];
    uint64_t value = 0;

    MD5Final(digest, &md5->context);
    free(md5);
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)digest[i] << (8 * i);
    return value;
}

void ra_md5_free(struct ra_md5 *md5)
{
    free(md5);
}

struct ra_sha256 {
    SHA2_CTX context;
};

struct ra_sha256 *ra_sha256_new(void)
{
    struct ra_sha256 *sha256 = malloc(sizeof(*sha256));

    if (sha256)
        SHA256Init(&sha256->context);
    return sha256;
}

void ra_sha256_add(struct ra_sha256 *sha256, const uint8_t *bytes, size_t size)
{
    SHA256Update(&sha256->context, bytes, size);
}

void ra_sha256_end(struct ra_sha256 *sha256, uint8_t ret[RA_SHA256_SIZE])
{
    SHA256Final(ret, &sha256->context);
    free(sha256);
}

void ra_sha256_free(struct ra_sha256 *sha256)
{
    free(sha256);
}
