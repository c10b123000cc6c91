/*
 * arena.h - memory that dies all at once.
 *
 * One arena per input file: everything we learn from the file lives in it and
 * is released by one ra_arena_free(). Not thread safe; one owner at a time.
 */
#ifndef RA_ARENA_H
#define RA_ARENA_H

#include "base/base.h"

struct ra_arena {
    struct ra_arena_block *blocks; /**< newest first */
    size_t limit;                  /**< bytes this arena may hold; 0 is no limit */
    size_t used;                   /**< bytes handed out */
};

/** `count` zeroed elements of `size` bytes, or NULL (no memory, or limit). */
void *ra_arena_alloc(struct ra_arena *arena, size_t count, size_t size);

/** A terminated copy of `len` bytes that may hold anything, or NULL. */
char *ra_arena_text(struct ra_arena *arena, const void *bytes, size_t len);

/** Hand all memory of `from` to `to`, which then answers for it; `from` is empty. */
void ra_arena_join(struct ra_arena *to, struct ra_arena *from);

void ra_arena_free(struct ra_arena *arena);

#define ra_new(arena, type, count) ((type *)ra_arena_alloc(arena, count, sizeof(type)))

#endif
