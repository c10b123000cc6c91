/* totals.h - what was found over all files, added up in their order. */
#ifndef RA_TOTALS_H
#define RA_TOTALS_H

#include "base/names.h"

struct ra_tally {
    struct ra_totals *totals;
    struct ra_names targets;
    struct ra_target_bytes *sums; /**< by number of the target's name; on the heap */
    size_t count, room;
};

/** Whether a bundle of the file has, or could have, an entry for a device. */
bool ra_has_device_code(const struct ra_file *file);

/** Add a file with device code. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_tally_file(struct ra_tally *tally,
                                           const struct ra_file *file);

/** Put the targets, sorted by name, into the totals; frees the tally. */
RA_MUST_CHECK enum ra_status ra_tally_end(struct ra_tally *tally, struct ra_arena *arena,
                                          enum ra_status status);

#endif
