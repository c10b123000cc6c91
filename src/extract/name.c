#include "extract/name.h"

#include <inttypes.h>
#include <stdlib.h>

#define NUMBER_ROOM ((size_t)11) /* "~4294967295" */
#define HASH_ROOM   ((size_t)18) /* "~0123456789abcdef~" */
#define CUT_MOST    (RA_NAME_MOST - NUMBER_ROOM)
#define TAIL        ((size_t)96) /* kept of a long name: bundle, entry and target */

static bool in_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || (letter && strchr(".:+-_", letter));
}

/* The first letter must not hide a file, nor look like an option. */
static void mend_ends(char *name, bool no_colon)
{
    if (*name == '.' || *name == '-')
        *name = '_';
    for (; no_colon && *name; name++)
        if (*name == ':')
            *name = '-';
}

const char *ra_name_safe(struct ra_arena *arena, const char *text, bool no_colon)
{
    char *name = ra_arena_text(arena, text, strlen(text));
    bool plain = ra_text_is_plain(ra_span_of(text));

    if (!name)
        return NULL;
    for (char *at = name; *at; at++)
        if (*at == '/' || (!plain && (*at < ' ' || *at > '~' || *at == '\\')))
            *at = '_';
    mend_ends(name, no_colon);
    return *name ? name : "_";
}

const char *ra_name_word(struct ra_arena *arena, const char *text, bool no_colon)
{
    char *name = ra_arena_text(arena, text, strlen(text));

    for (char *at = name; name && *at; at++)
        if (!in_word(*at))
            *at = '_';
    if (name)
        mend_ends(name, no_colon);
    return name;
}

/* No half of a character on either side of a cut. */
static size_t boundary(const char *name, size_t at)
{
    while (at > 0 && ((unsigned char)name[at] & 0xc0) == 0x80)
        at--;
    return at;
}

const char *ra_name_cut(struct ra_arena *arena, const char *name)
{
    size_t size = strlen(name), head, tail;

    if (size <= CUT_MOST)
        return name;
    head = boundary(name, CUT_MOST - TAIL - HASH_ROOM);
    tail = size - TAIL;
    while (tail < size && ((unsigned char)name[tail] & 0xc0) == 0x80)
        tail++;
    return ra_text_format(arena, "%.*s~%016" PRIx64 "~%s", (int)head, name,
                          ra_hash(ra_span_of(name)), name + tail);
}

static const char *numbered(struct ra_arena *arena, const char *name, unsigned number,
                            bool before_suffix)
{
    const char *dot = before_suffix ? strrchr(name, '.') : NULL;
    size_t head = dot && dot != name ? (size_t)(dot - name) : strlen(name);

    return ra_text_format(arena, "%.*s~%u%s", (int)head, name, number, name + head);
}

/* How often a name was asked for, kept beside the names. */
static bool make_room(struct ra_taken *taken)
{
    size_t room = taken->names.room;
    unsigned *next;

    if (room <= taken->room)
        return true;
    next = reallocarray(taken->next, room, sizeof(*next));
    if (!next)
        return false;
    memset(next + taken->room, 0, (room - taken->room) * sizeof(*next));
    taken->next = next;
    taken->room = room;
    return true;
}

/* Whether `name` was free, and is now taken; `at` is its place in any case. */
static enum ra_status try_name(struct ra_taken *taken, const char *name, uint32_t *at,
                               bool *was_free)
{
    size_t count = taken->names.count;
    enum ra_status status = ra_names_add(&taken->names, ra_span_of(name), at);

    *was_free = taken->names.count > count;
    return status == RA_OK && !make_room(taken) ? RA_E_NOMEM : status;
}

const char *ra_name_take(struct ra_taken *taken, struct ra_arena *arena, const char *name,
                         bool before_suffix)
{
    const char *ret = name;
    uint32_t first, at;
    bool was_free;
    enum ra_status status = try_name(taken, name, &first, &was_free);

    while (status == RA_OK && !was_free) {
        unsigned *next = &taken->next[first];

        *next = *next ? *next + 1 : 2;
        ret = numbered(arena, name, *next, before_suffix);
        status = ret ? try_name(taken, ret, &at, &was_free) : RA_E_NOMEM;
    }
    /* Too many names to know them all: a file that is there is not overwritten. */
    return status == RA_E_NOMEM ? NULL : ret;
}

void ra_taken_free(struct ra_taken *taken)
{
    ra_names_free(&taken->names);
    free(taken->next);
    taken->next = NULL;
    taken->room = 0;
}
