/*
 * arena.c - linked into the program with --wrap: a piece of an arena counts as an
 * allocation, and is denied like one. Without it only one in hundreds is seen, that for
 * which the arena needs a new block.
 */
#include "base/arena.h"

#include <stdlib.h>

void *__real_ra_arena_alloc(struct ra_arena *arena, size_t count, size_t size);
void *__wrap_ra_arena_alloc(struct ra_arena *arena, size_t count, size_t size);
char *__real_ra_arena_text(struct ra_arena *arena, const void *bytes, size_t len);
char *__wrap_ra_arena_text(struct ra_arena *arena, const void *bytes, size_t len);

/* Asks as the arena would; a compiler must not see that nothing is done with it. */
static bool is_denied(void)
{
    void *volatile memory = malloc(1);
    bool denied = !memory;

    free(memory);
    return denied;
}

void *__wrap_ra_arena_alloc(struct ra_arena *arena, size_t count, size_t size)
{
    return is_denied() ? NULL : __real_ra_arena_alloc(arena, count, size);
}

char *__wrap_ra_arena_text(struct ra_arena *arena, const void *bytes, size_t len)
{
    return is_denied() ? NULL : __real_ra_arena_text(arena, bytes, len);
}
