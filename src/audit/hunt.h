/*
 * hunt.h - bundles of a forward source, found on the way to its end.
 *
 * What an ELF file has where is told by its section headers, which stand at its end: of
 * a member of an archive that is too large for memory they cost a whole pass. Device
 * code sections start at a page with a bundle, and so they can be guessed and read on
 * that first pass, and places noted where code may be that no section tells of. The guess
 * counts only if the headers prove it right in all: else it is forgotten, and the file is
 * read again.
 */
#ifndef RA_HUNT_H
#define RA_HUNT_H

#include "audit/bundles.h"
#include "audit/search.h"

#define RA_HUNT_RUNS 64

/** Bundles and zeros from `start`, a page, up to the first byte that is neither. */
struct ra_hunt_run {
    uint64_t start, end;
    uint64_t last; /**< where the last bundle ends */
    bool claimed;
};

struct ra_hunt {
    struct ra_arena arena, kernels_arena;
    struct ra_diags diags;
    struct ra_bundles bundles;
    struct ra_hunt_run runs[RA_HUNT_RUNS];
    size_t count;
    struct ra_search search; /**< what else may be code, anywhere */
    bool failed;             /**< something was odd: nothing of it counts */
};

/** Read `source` to its end. RA_OK, also if it failed; RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_hunt(const struct ra_scan_context *context,
                                     const struct ra_source *source, struct ra_hunt *ret);

/** Whether all of the section at [offset, offset + size) was read, and is explained. */
bool ra_hunt_claim(struct ra_hunt *hunt, uint64_t offset, uint64_t size);

/** Whether it holds, once all sections were claimed: no bundle was found elsewhere. */
bool ra_hunt_holds(const struct ra_hunt *hunt);

/** Hand what was found to `ret`, which has none yet. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_hunt_join(struct ra_hunt *hunt, struct ra_bundles *ret);
void ra_hunt_free(struct ra_hunt *hunt);

#endif
