/*
 * magic.h - places in any bytes where device code, or a wrapper of it, may start.
 *
 * For files whose sections do not tell: only the first four bytes are compared, sixteen
 * positions at a time, and what is found has to be looked at.
 */
#ifndef RA_MAGIC_H
#define RA_MAGIC_H

#include "base/cursor.h"

enum ra_magic {
    RA_MAGIC_NONE,
    RA_MAGIC_ELF,
    RA_MAGIC_BUNDLE, /**< __CLANG_OFFLOAD_BUNDLE__ */
    RA_MAGIC_CCOB,
    RA_MAGIC_OFFLOAD, /**< OffloadBinary of LLVM */
    RA_MAGIC_WRAPPER, /**< FPIH or HIPK */
};

#define RA_MAGIC_SIZE 4

/**
 * The first magic that starts in `span` at `*at` or later, and has all of its bytes in
 * it; `*at` is then where, else the first position that was not looked at.
 */
enum ra_magic ra_magic_next(struct ra_span span, size_t *at);

#endif
