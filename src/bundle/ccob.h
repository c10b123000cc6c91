/*
 * ccob.h - the header of a compressed offload bundle.
 *
 * Spec: llvm/lib/Object/OffloadBundle.cpp, CompressedOffloadBundle, versions 1 to 3.
 */
#ifndef RA_CCOB_H
#define RA_CCOB_H

#include "codec/decoder.h"

#define RA_CCOB_HEADER_MAX 32

struct ra_ccob {
    unsigned version; /**< 1 to 3 */
    enum ra_codec codec;
    uint64_t header;   /**< bytes before the compressed data: 20, 24 or 32 */
    uint64_t size;     /**< header and data; 0: only the end of the frame tells */
    uint64_t expanded; /**< bytes the data expands to */
    uint64_t md5;      /**< first eight bytes of the digest of the expanded data */
    bool wrapped;      /**< version 2 whose sizes did not fit: see ra_ccob_read() */
};

/** True if `head` starts with the magic and a version and method that exist. */
bool ra_ccob_probe(struct ra_span head);

/** True also for versions and methods to come: small numbers, which no text has there. */
bool ra_ccob_resembles(struct ra_span head);

/**
 * Read the header at the start of `source`.
 *
 * Version 2 has 32 bits for sizes, and its writer does not look whether they fit. Where
 * the frame says that it holds more, and the same modulo 2^32, its word is taken and
 * the total size is not trusted any more.
 *
 * @param source  may be longer than the bundle
 * @return RA_OK; RA_E_FORMAT if damaged or longer than `source`; RA_E_UNSUPPORTED if of
 *         an unknown version or method; all told
 */
RA_MUST_CHECK enum ra_status ra_ccob_read(const struct ra_source *source,
                                          struct ra_diags *diags, struct ra_ccob *ret);

#endif
