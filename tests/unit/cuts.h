/*
 * cuts.h - every truncation of a fixture, each in memory of just its size.
 *
 *     for (size_t size = 0; size < fx.size; size = cut_next(size)) {
 *         struct fx cut = cut_of(&fx, size);
 */
#ifndef CUTS_H
#define CUTS_H

#include "gen/bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/** Each byte below 8 KiB, every 64th from there on. */
static inline size_t cut_next(size_t size)
{
    return size < 8192 ? size + 1 : size + 64;
}

/** The first `size` bytes, so that a sanitiser sees a read beyond them; fx_free() it. */
static inline struct fx cut_of(const struct fx *fx, size_t size)
{
    struct fx cut = { .data = malloc(size), .size = size, .room = size };

    cr_assert(cut.data || size == 0, "no memory");
    if (size > 0)
        memcpy(cut.data, fx->data, size);
    return cut;
}

#endif
