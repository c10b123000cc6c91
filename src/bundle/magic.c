#include "bundle/magic.h"

/* MAGIC(its four bytes, what it is of) */
#define MAGICS(MAGIC)                                                                    \
    MAGIC(0x7f, 'E', 'L', 'F', RA_MAGIC_ELF)                                             \
    MAGIC('_', '_', 'C', 'L', RA_MAGIC_BUNDLE)                                           \
    MAGIC('C', 'C', 'O', 'B', RA_MAGIC_CCOB)                                             \
    MAGIC(0x10, 0xff, 0x10, 0xad, RA_MAGIC_OFFLOAD)                                      \
    MAGIC('F', 'P', 'I', 'H', RA_MAGIC_WRAPPER)                                          \
    MAGIC('H', 'I', 'P', 'K', RA_MAGIC_WRAPPER)

/* Sixteen bytes that are compared at once; the compiler knows how, on any machine. */
typedef uint8_t lane __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { LAST = RA_MAGIC_SIZE - 1 };

static enum ra_magic magic_at(const uint8_t *bytes)
{
#define MAGIC(a, b, c, d, what)                                                          \
    if (bytes[0] == (a) && bytes[1] == (b) && bytes[2] == (c) && bytes[3] == (d))        \
        return what;
    MAGICS(MAGIC)
#undef MAGIC
    return RA_MAGIC_NONE;
}

/* Whether first and last byte of a magic stand at one of the sixteen positions. */
static bool may_start(const uint8_t *bytes)
{
    lane first, last, found = { 0 };
    halves both;

    memcpy(&first, bytes, sizeof(first));
    memcpy(&last, bytes + LAST, sizeof(last));
#define MAGIC(a, b, c, d, what) found |= (lane)(first == (a)) & (lane)(last == (d));
    MAGICS(MAGIC)
#undef MAGIC
    memcpy(&both, &found, sizeof(both));
    return (both[0] | both[1]) != 0;
}

enum ra_magic ra_magic_next(struct ra_span span, size_t *at)
{
    size_t pos = *at;

    while (pos + RA_MAGIC_SIZE <= span.size) {
        enum ra_magic magic;

        if (span.size - pos >= sizeof(lane) + LAST && !may_start(span.data + pos)) {
            pos += sizeof(lane);
            continue;
        }
        /* One position at a time, up to the next sixteen. */
        for (size_t end = pos + sizeof(lane);
             pos < end && pos + RA_MAGIC_SIZE <= span.size; pos++) {
            magic = magic_at(span.data + pos);
            if (magic != RA_MAGIC_NONE) {
                *at = pos;
                return magic;
            }
        }
    }
    *at = pos;
    return RA_MAGIC_NONE;
}
