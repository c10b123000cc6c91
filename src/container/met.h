/*
 * met.h - which names were met before, in eight bytes each.
 *
 * Only hashes are kept. Two names of one hash would be taken for the same, and a table
 * that an enemy fills is given up: what hangs on it is a warning.
 */
#ifndef RA_MET_H
#define RA_MET_H

#include "base/cursor.h"

/** Zero-initialise; ra_met_free() it. */
struct ra_met {
    uint64_t *slots; /**< hashes; the lowest bit: met more than once */
    size_t count, room;
};

/** True the second time a name is added, and at no other. RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_met_add(struct ra_met *met, struct ra_span name,
                                        bool *twice);

/** Whether it was added; true as well where that cannot be told. */
bool ra_met_has(const struct ra_met *met, struct ra_span name);

void ra_met_free(struct ra_met *met);

#endif
