#include "base/names.h"

#include <stdlib.h>

#define SLOTS_FIRST 64  /* a power of two */
#define PROBES      256 /* a chain of chance is far shorter in a table half full */

struct ra_names_slot {
    uint64_t hash;
    uint32_t number; /* counted from 1; 0 is free */
    uint32_t size;
    const uint8_t *bytes; /* the name as it came */
};

/* Eight bytes a step; the multiplier is the golden ratio's, as for Fibonacci hashing. */
uint64_t ra_hash(struct ra_span bytes)
{
    uint64_t hash = bytes.size * 0x9e3779b97f4a7c15u;
    size_t at = 0;

    for (; bytes.size - at >= 8; at += 8) {
        uint64_t word;

        memcpy(&word, bytes.data + at, sizeof(word));
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; at < bytes.size; at++)
        hash = (hash ^ bytes.data[at]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Its slot, or the free one for it; NULL if names were made to collide. */
static struct ra_names_slot *find(const struct ra_names *names, struct ra_span name,
                                  uint64_t hash)
{
    size_t at = (size_t)hash & (names->slot_count - 1);

    for (size_t i = 0; i < PROBES; i++, at = (at + 1) & (names->slot_count - 1)) {
        struct ra_names_slot *slot = &names->slots[at];

        if (slot->number == 0)
            return slot;
        if (slot->hash == hash && slot->size == name.size &&
            (name.size == 0 || memcmp(slot->bytes, name.data, name.size) == 0))
            return slot;
    }
    return NULL;
}

static bool grow(struct ra_names *names)
{
    size_t count = names->slot_count ? names->slot_count * 2 : SLOTS_FIRST;
    struct ra_names_slot *old = names->slots, *slots = calloc(count, sizeof(*slots));
    const char **text = reallocarray(names->text, count / 2, sizeof(*text));

    if (text)
        names->text = text;
    if (!slots || !text) {
        free(slots);
        return false;
    }
    names->slots = slots;
    for (size_t i = 0; i < names->slot_count; i++) {
        size_t at = (size_t)old[i].hash & (count - 1);

        if (old[i].number == 0)
            continue;
        while (slots[at].number != 0)
            at = (at + 1) & (count - 1);
        slots[at] = old[i];
    }
    names->slot_count = count;
    names->room = count / 2;
    free(old);
    return true;
}

enum ra_status ra_names_add(struct ra_names *names, struct ra_span name, uint32_t *ret)
{
    uint64_t hash = ra_hash(name);
    struct ra_names_slot *slot;
    char *bytes;

    if (names->count == names->room && !grow(names))
        return RA_E_NOMEM;
    slot = find(names, name, hash);
    if (!slot)
        return RA_E_LIMIT;
    if (slot->number == 0) {
        if (names->count == RA_NAMES_MAX || name.size > UINT32_MAX)
            return RA_E_LIMIT;
        bytes = ra_arena_text(names->arena, name.data, name.size);
        if (!bytes)
            return RA_E_NOMEM;
        /* Nearly all names are plain, and are then kept once. */
        names->text[names->count] = names->escaped || ra_text_is_plain(name)
                                        ? bytes
                                        : ra_text_escape(names->arena, name);
        if (!names->text[names->count])
            return RA_E_NOMEM;
        *slot = (struct ra_names_slot){
            .hash = hash,
            .number = (uint32_t)++names->count,
            .size = (uint32_t)name.size,
            .bytes = (const uint8_t *)bytes,
        };
    }
    *ret = slot->number - 1;
    return RA_OK;
}

void ra_names_free(struct ra_names *names)
{
    free(names->slots);
    free(names->text);
    *names = (struct ra_names){ .arena = names->arena, .escaped = names->escaped };
}
