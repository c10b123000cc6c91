#include "container/met.h"

#include "base/names.h"

#include <stdlib.h>

#define FIRST_ROOM  1024 /* a power of two, as all that follow */
#define CHAIN_LIMIT 256

/* The slot of a hash, or a free one; NULL if the chain is too long to be chance. */
static uint64_t *find(uint64_t *slots, size_t room, uint64_t hash)
{
    for (size_t i = 0; i < CHAIN_LIMIT; i++) {
        uint64_t *slot = &slots[((hash >> 2) + i) & (room - 1)];

        if (*slot == 0 || (*slot | 1) == hash)
            return slot;
    }
    return NULL;
}

static bool grow(struct ra_met *met)
{
    size_t room = met->room ? 2 * met->room : FIRST_ROOM;
    uint64_t *slots = calloc(room, sizeof(*slots));

    if (!slots)
        return false;
    for (size_t i = 0; i < met->room; i++) {
        uint64_t *slot = met->slots[i] ? find(slots, room, met->slots[i] | 1) : NULL;

        if (slot)
            *slot = met->slots[i];
    }
    free(met->slots);
    met->slots = slots;
    met->room = room;
    return true;
}

enum ra_status ra_met_add(struct ra_met *met, struct ra_span name, bool *twice)
{
    uint64_t hash = ra_hash(name) | 3, *slot; /* no slot in use is zero */

    *twice = false;
    if (met->count >= met->room / 2 && !grow(met))
        return RA_E_NOMEM;
    slot = find(met->slots, met->room, hash);
    if (!slot)
        return RA_OK;
    if (*slot == 0) {
        *slot = hash ^ 1; /* met once */
        met->count++;
    } else if (*slot != hash) {
        *slot = hash;
        *twice = true;
    }
    return RA_OK;
}

bool ra_met_has(const struct ra_met *met, struct ra_span name)
{
    const uint64_t *slot =
        met->room ? find(met->slots, met->room, ra_hash(name) | 3) : NULL;

    return met->room > 0 && (!slot || *slot != 0);
}

void ra_met_free(struct ra_met *met)
{
    free(met->slots);
    *met = (struct ra_met){ 0 };
}
