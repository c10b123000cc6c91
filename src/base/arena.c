#include "base/arena.h"

#include <stdlib.h>

/* Small first and then twice as large: most of many arenas have little to hold. */
#define BLOCK_FIRST ((size_t)512)
#define BLOCK_LARGE ((size_t)64 * 1024)

struct ra_arena_block {
    struct ra_arena_block *older;
    size_t size, used;
    max_align_t space[];
};

static struct ra_arena_block *grow(struct ra_arena *arena, size_t need)
{
    size_t size = arena->blocks ? 2 * arena->blocks->size : BLOCK_FIRST;
    struct ra_arena_block *block;

    size = size > BLOCK_LARGE ? BLOCK_LARGE : size;
    size = need > size ? need : size;
    if (__builtin_add_overflow(size, sizeof(*block), &size))
        return NULL;
    block = calloc(1, size);
    if (!block)
        return NULL;
    block->size = size - sizeof(*block);
    block->older = arena->blocks;
    arena->blocks = block;
    return block;
}

void *ra_arena_alloc(struct ra_arena *arena, size_t count, size_t size)
{
    struct ra_arena_block *block = arena->blocks;
    size_t bytes;
    void *memory;

    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(bytes, _Alignof(max_align_t) - 1, &bytes))
        return NULL;
    bytes &= ~(_Alignof(max_align_t) - 1);
    /* A join may have gone beyond the limit. */
    if (arena->limit &&
        (arena->used > arena->limit || bytes > arena->limit - arena->used))
        return NULL;
    if (!block || bytes > block->size - block->used)
        block = grow(arena, bytes);
    if (!block)
        return NULL;
    memory = (char *)block->space + block->used;
    block->used += bytes;
    arena->used += bytes;
    return memory;
}

char *ra_arena_text(struct ra_arena *arena, const void *bytes, size_t len)
{
    char *text = len < SIZE_MAX ? ra_new(arena, char, len + 1) : NULL;

    if (text && len)
        memcpy(text, bytes, len);
    return text;
}

void ra_arena_join(struct ra_arena *to, struct ra_arena *from)
{
    struct ra_arena_block **end = &from->blocks;

    /* Behind our newest, which is being filled; what is joined is short, we may not be.
     */
    while (*end)
        end = &(*end)->older;
    if (to->blocks) {
        *end = to->blocks->older;
        to->blocks->older = from->blocks;
    } else {
        to->blocks = from->blocks;
    }
    to->used += from->used;
    from->blocks = NULL;
    from->used = 0;
}

void ra_arena_free(struct ra_arena *arena)
{
    while (arena->blocks) {
        struct ra_arena_block *older = arena->blocks->older;

        free(arena->blocks);
        arena->blocks = older;
    }
    arena->used = 0;
}
