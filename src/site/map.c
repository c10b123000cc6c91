#include "site/map.h"

#include "base/names.h"

#define SLOTS_FIRST ((size_t)64) /* a power of two */
#define PROBES      256          /* a chain of chance is far shorter */

/* Its slot, or the free one for it; NULL if keys were made to collide. */
static struct ra_map_slot *probe(const struct ra_map *map, struct ra_span key,
                                 uint64_t hash)
{
    size_t at = (size_t)hash & (map->slot_count - 1);

    for (size_t i = 0; i < PROBES; i++, at = (at + 1) & (map->slot_count - 1)) {
        struct ra_map_slot *slot = &map->slots[at];

        if (!slot->value)
            return slot;
        if (slot->hash == hash && slot->key.size == key.size &&
            (key.size == 0 || memcmp(slot->key.data, key.data, key.size) == 0))
            return slot;
    }
    return NULL;
}

/* `count`, a power of two, is more than there are. */
static enum ra_status grow(struct ra_map *map, size_t count)
{
    struct ra_map_slot *slots = ra_new(map->arena, struct ra_map_slot, count);

    if (!slots)
        return RA_E_NOMEM;
    for (size_t i = 0; i < map->slot_count; i++) {
        size_t at = (size_t)map->slots[i].hash & (count - 1);

        if (!map->slots[i].value)
            continue;
        while (slots[at].value)
            at = (at + 1) & (count - 1);
        slots[at] = map->slots[i];
    }
    map->slots = slots;
    map->slot_count = count;
    return RA_OK;
}

enum ra_status ra_map_reserve(struct ra_map *map, size_t count)
{
    size_t slots = SLOTS_FIRST;

    while (slots / 2 < count && slots <= SIZE_MAX / 4)
        slots *= 2;
    return slots > map->slot_count ? grow(map, slots) : RA_OK;
}

void *ra_map_find(const struct ra_map *map, struct ra_span key)
{
    const struct ra_map_slot *slot =
        map->slot_count > 0 ? probe(map, key, ra_hash(key)) : NULL;

    return slot ? slot->value : NULL;
}

enum ra_status ra_map_slot(struct ra_map *map, struct ra_span key,
                           struct ra_map_slot **ret)
{
    uint64_t hash = ra_hash(key);
    struct ra_map_slot *slot;

    if (map->count >= map->slot_count / 2 &&
        ra_map_reserve(map, map->slot_count / 2 + 1) != RA_OK)
        return RA_E_NOMEM;
    slot = probe(map, key, hash);
    if (!slot)
        return RA_E_LIMIT;
    if (!slot->value) {
        slot->key = key;
        slot->hash = hash;
        map->count++;
    }
    *ret = slot;
    return RA_OK;
}
