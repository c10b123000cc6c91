/*
 * shelf.h - the .kpack archives of a run, and how to find one by where it is.
 *
 * A file is known by its inode, a member of an archive by its place in that: wheels that
 * are named together end up in one folder.
 */
#ifndef RA_SHELF_H
#define RA_SHELF_H

#include "audit/merge.h"
#include "audit/run.h"
#include "site/map.h"

struct ra_shelved {
    struct ra_shelved *next; /**< another member with the same place */
    struct ra_shelved *tail; /**< of the first of those, the last */
    struct ra_shelved *all;  /**< the one that was shelved before */
    const struct ra_scanned *scanned;
    struct ra_kpack_index index;
};

struct ra_shelf {
    struct ra_run *run;
    struct ra_shelved *last;      /**< that was shelved */
    struct ra_map inodes, places; /**< to a struct ra_shelved */
};

/** Shelve what was scanned. Ends with ra_shelf_free() in any case. RA_OK, RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_shelf_fill(struct ra_run *run, struct ra_shelf *ret);
void ra_shelf_free(struct ra_shelf *shelf);

/**
 * The archive at a path, which is scanned if it was not yet; NULL if there is none, or
 * something else, which no loader opens. RA_OK or RA_E_NOMEM.
 */
RA_MUST_CHECK enum ra_status ra_shelf_file(struct ra_shelf *shelf, const char *path,
                                           struct ra_shelved **ret);

/**
 * The member at a place of what `host` is installed into, or NULL. Of several, that of
 * its own archive comes first, then that of a wheel of the same version.
 */
struct ra_shelved *ra_shelf_member(const struct ra_shelf *shelf,
                                   const struct ra_scanned *host, struct ra_span place);

/** The place of a member in its archive, or NULL. */
const char *ra_shelf_place_in(const char *place);

#endif
