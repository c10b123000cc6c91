/*
 * names.h - each name once: text to a small number and back.
 *
 * The targets of a bundle share their kernels' names, which are most of what there is
 * to remember of them. Texts are kept escaped; equality is that of the bytes.
 */
#ifndef RA_NAMES_H
#define RA_NAMES_H

#include "base/text.h"

#define RA_NAMES_MAX ((size_t)1 << 22)

/** Zero-initialise with an arena; ra_names_free() gives back the table, not the texts. */
struct ra_names {
    struct ra_arena *arena;
    bool escaped;      /**< names come escaped, and are kept as they are */
    const char **text; /**< of number i, in the arena; the array is on the heap */
    size_t count, room;
    struct ra_names_slot *slots;
    size_t slot_count;
};

/** The number of `name`, a new one if need be. RA_E_NOMEM; RA_E_LIMIT, not told. */
RA_MUST_CHECK enum ra_status ra_names_add(struct ra_names *names, struct ra_span name,
                                          uint32_t *ret);
void ra_names_free(struct ra_names *names);

/** A hash of bytes, not meant to withstand an enemy: tables using it bound their chains.
 */
uint64_t ra_hash(struct ra_span bytes);

#endif
