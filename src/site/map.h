/*
 * map.h - texts and what they stand for.
 *
 * A table half full at most. Its chains are bounded: texts that were made to collide are
 * refused, which is no worse than a record that does not list them.
 */
#ifndef RA_MAP_H
#define RA_MAP_H

#include "base/arena.h"
#include "base/cursor.h"

/** Zero-initialise with an arena, where all of it lives. */
struct ra_map {
    struct ra_arena *arena;
    struct ra_map_slot *slots;
    size_t count, slot_count;
};

struct ra_map_slot {
    struct ra_span key; /**< borrowed: as long as the map */
    uint64_t hash;
    void *value; /**< NULL: free */
};

/** Room for `count` keys, so that no growing is needed; RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_map_reserve(struct ra_map *map, size_t count);

/** The value of `key`, or NULL. */
void *ra_map_find(const struct ra_map *map, struct ra_span key);

/**
 * The slot of `key`, a new one if need be: its value is NULL then, and the caller sets it
 * and replaces the key by one that lasts.
 *
 * @return RA_OK; RA_E_NOMEM; RA_E_LIMIT if too many keys collide, not told
 */
RA_MUST_CHECK enum ra_status ra_map_slot(struct ra_map *map, struct ra_span key,
                                         struct ra_map_slot **ret);

#endif
