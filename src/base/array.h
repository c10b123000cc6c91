/* array.h - arrays on the heap that grow. */
#ifndef RA_ARRAY_H
#define RA_ARRAY_H

#include "base/base.h"

/**
 * Room for more elements of `size` bytes: twice as many, or some at first.
 *
 * @param array  from an earlier call, or NULL; the caller's to free()
 * @param room   elements there is room for; the new number
 * @return the array, perhaps elsewhere; NULL if there is no memory: `array` still stands
 */
RA_MUST_CHECK void *ra_array_grow(void *array, size_t *room, size_t size);

#endif
