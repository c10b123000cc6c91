#include "codec/digest.h"

#include <stdlib.h>
#include <sys/types.h>
/* After sys/types.h, whose types it uses without asking. */
#include <md5.h>

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
