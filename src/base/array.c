#include "base/array.h"

#include <stdlib.h>

#define ROOM_FIRST 32

void *ra_array_grow(void *array, size_t *room, size_t size)
{
    size_t more = *room ? *room * 2 : ROOM_FIRST;
    void *larger = reallocarray(array, more, size);

    if (larger)
        *room = more;
    return larger;
}
