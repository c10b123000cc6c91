/*
 * merge.h - the code that archives hold for a host file, as entries of its bundles.
 */
#ifndef RA_MERGE_H
#define RA_MERGE_H

#include "audit/scan.h"

/** Archives in the order the loader tries them. Zero-initialise; ra_merge_free() it. */
struct ra_merge {
    struct ra_merged {
        const struct ra_scanned *archive;
        const char *target; /**< that its name is for; "" if for all; borrowed */
    } *list;
    size_t count, room;
};

/** Add an archive, unless it is among them. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_merge_add(struct ra_merge *merge,
                                          const struct ra_scanned *archive,
                                          const char *target);

/**
 * Put what the archives hold for `host` into its bundles, and into its `kpack` what they
 * are. One that could not be read whole leaves the host file incomplete, which is told.
 */
RA_MUST_CHECK enum ra_status ra_merge_into(const struct ra_merge *merge,
                                           struct ra_scanned *host);
void ra_merge_free(struct ra_merge *merge);

#endif
