/*
 * name.h - names for files, made of what other files say.
 *
 * A name is one part of a path: no '/', no control characters, not '.' or '-' first, at
 * most RA_NAME_MOST bytes. What is plain text else stays as it is.
 */
#ifndef RA_NAME_H
#define RA_NAME_H

#include "base/names.h"

#define RA_NAME_MOST ((size_t)255) /* NAME_MAX of Linux */

/** Names that are taken. Zero-initialise with an arena; ra_taken_free() it. */
struct ra_taken {
    struct ra_names names;
    unsigned *next; /**< the number to try next for each; on the heap */
    size_t room;
};

void ra_taken_free(struct ra_taken *taken);

/** `text` without what is not safe in a name; any length; in `arena`; NULL: no memory. */
const char *ra_name_safe(struct ra_arena *arena, const char *text, bool no_colon);

/** `text` of letters, digits and ".:+-_" only. */
const char *ra_name_word(struct ra_arena *arena, const char *text, bool no_colon);

/** `name`, if it is too long with its middle replaced by a hash of all of it. */
const char *ra_name_cut(struct ra_arena *arena, const char *name);

/**
 * `name`, or if that is taken the first of name~2, name~3 ... that is not; takes it.
 *
 * @param before_suffix  the number stands before the last dot: name~2.co
 */
const char *ra_name_take(struct ra_taken *taken, struct ra_arena *arena, const char *name,
                         bool before_suffix);

#endif
