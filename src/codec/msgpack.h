/*
 * msgpack.h - msgpack records. The only door to msgpack-c.
 *
 * msgpack-c allocates what a count claims, and six bytes can claim gigabytes. So a walk
 * over the bytes comes first, which holds nothing and refuses what is not all there, is
 * nested too deep or would make too many objects; only then are objects made.
 *
 * A map that has a key of text twice is refused as damage: some readers take the first of
 * the two, others the last, so what it says depends on who reads it.
 *
 * Spec: msgpack/spec.md, "Formats".
 */
#ifndef RA_MSGPACK_H
#define RA_MSGPACK_H

#include "io/source.h"

#define RA_MSGPACK_DEPTH   16                  /* arrays and maps in each other */
#define RA_MSGPACK_OBJECTS ((uint64_t)1 << 22) /* 24 bytes each, and half of it spare */

struct ra_msgpack; /* on the heap */

enum ra_value_kind {
    RA_VALUE_ABSENT, /**< there is no such value */
    RA_VALUE_NIL,
    RA_VALUE_BOOL,
    RA_VALUE_UINT,
    RA_VALUE_NEGATIVE,
    RA_VALUE_FLOAT,
    RA_VALUE_STR,
    RA_VALUE_BIN,
    RA_VALUE_ARRAY,
    RA_VALUE_MAP,
    RA_VALUE_EXT,
};

/** A value of a record; valid until that is closed, and `text` while its bytes are. */
struct ra_value {
    enum ra_value_kind kind;
    uint64_t number;     /**< of UINT and BOOL; else 0 */
    struct ra_span text; /**< of STR and BIN, raw, in the bytes that were opened;
                            where an empty one is, is not known */
    size_t count;        /**< items of an ARRAY, pairs of a MAP; else 0 */
    const struct ra_msgpack *record;
    const void *node; /**< msgpack.c only */
};

/**
 * Open the record at the start of `bytes`, which have to outlive it.
 *
 * @param source  starts with `bytes`; only asked where they are, for faults
 * @param whole   whether bytes behind the record are damage
 * @return RA_OK, then ra_msgpack_close() it; RA_E_FORMAT for damage, RA_E_LIMIT for too
 *         much of something (told); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_msgpack_open(const struct ra_source *source,
                                             struct ra_span bytes, bool whole,
                                             struct ra_diags *diags,
                                             struct ra_msgpack **ret);
void ra_msgpack_close(struct ra_msgpack *record);

/** The outermost value. */
struct ra_value ra_msgpack_root(const struct ra_msgpack *record);

/** Bytes of the record. */
size_t ra_msgpack_size(const struct ra_msgpack *record);

/* What is not there, or is asked of another kind of value, is ABSENT. */

/** Item `index` of an array. */
struct ra_value ra_value_at(const struct ra_value *array, size_t index);

/** Key and value of pair `index` of a map, in the order of the record. */
struct ra_value ra_value_key(const struct ra_value *map, size_t index);
struct ra_value ra_value_item(const struct ra_value *map, size_t index);

/** The value of a map under a key of text; looks at all keys. */
struct ra_value ra_value_find(const struct ra_value *map, const char *key);

/** Whether it is STR and says `text`. */
bool ra_value_is(const struct ra_value *value, const char *text);

#endif
