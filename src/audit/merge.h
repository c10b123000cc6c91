/*
 * merge.h - the code that archives hold for a host file, as entries of its bundles.
 */
#ifndef RA_MERGE_H
#define RA_MERGE_H

#include "audit/scan.h"

#define RA_MERGE_MOST 1024 /* archives of a host file */

/** Bundles of an archive by key, made when first used. Zero-initialise. */
struct ra_kpack_index {
    const struct ra_bundle **list;
    size_t count;
    size_t binaries; /**< host files that they are of */
};

void ra_kpack_index_free(struct ra_kpack_index *index);

/** Archives in the order the loader tries them. Zero-initialise; ra_merge_free() it. */
struct ra_merge {
    struct ra_merged {
        const struct ra_scanned *archive;
        struct ra_kpack_index *index;
        const char *target; /**< that its name is for; "" if for all; borrowed */
        size_t first;       /**< the first that is the same archive by another name */
    } *list;
    size_t count, room;
    bool full; /**< there were more than RA_MERGE_MOST */
};

/**
 * Add an archive, unless it is among them for the same target. RA_OK or RA_E_NOMEM.
 *
 * @param index  of the archive; lasts as long as the merge
 */
RA_MUST_CHECK enum ra_status ra_merge_add(struct ra_merge *merge,
                                          const struct ra_scanned *archive,
                                          struct ra_kpack_index *index,
                                          const char *target);

/**
 * Put what the archives hold for `host` into its bundles, and into its `kpack` what they
 * are. One that could not be read whole leaves the host file incomplete, which is told,
 * as is what would be more than a file may have.
 */
RA_MUST_CHECK enum ra_status ra_merge_into(const struct ra_merge *merge,
                                           struct ra_scanned *host);
void ra_merge_free(struct ra_merge *merge);

#endif
