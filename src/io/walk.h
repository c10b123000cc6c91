/*
 * walk.h - every regular file under some paths, sorted, each inode once.
 *
 * Directories are walked in the order of their names, dot-directories too, `.git` not.
 * A link named by the caller is followed; a link to a file met in a walk is a further
 * path of that file; a link to a directory is not entered.
 */
#ifndef RA_WALK_H
#define RA_WALK_H

#include "base/arena.h"

/** One inode. Strings are raw bytes and live in the walk's arena. */
struct ra_walk_file {
    const char *path;
    const char *name; /**< the part below the folder that was named, if one was */
    struct ra_walk_link *links; /**< further paths, in walking order */
    size_t link_count;
    bool named;          /**< the caller named it, rather than a folder above it */
    const char *trouble; /**< why it, a folder perhaps, cannot be read; or NULL */
};

struct ra_walk_link {
    struct ra_walk_link *next;
    const char *path;
};

struct ra_walk {
    struct ra_arena arena;
    struct ra_walk_file **files;
    size_t count, room;
};

/**
 * Collect all files under `paths`; ra_walk_free() it, also after failure.
 *
 * What cannot be read becomes a file with `trouble`; nothing is left out silently.
 *
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_walk(const char *const *paths, size_t count,
                                     struct ra_walk *ret);
void ra_walk_free(struct ra_walk *walk);

#endif
