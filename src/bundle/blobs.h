/*
 * blobs.h - where the OffloadBinary blobs of a `.llvm.offloading` section, or of a file,
 * are.
 *
 * They stand one after another, each padded to 8 bytes. A blob says how large it is, so
 * that where it cannot be read further the next is found all the same.
 */
#ifndef RA_BLOBS_H
#define RA_BLOBS_H

#include "bundle/offload.h"

/** A blob, located but not looked into. */
struct ra_blob {
    struct ra_source source; /**< from its first byte to its last */
    enum ra_status status;   /**< not RA_OK: told, and there is nothing to look into */
    struct ra_offload offload;
};

struct ra_blobs {
    struct ra_source source;
    struct ra_diags *diags;
    uint64_t next; /**< where the walk goes on */
};

/** Start a walk over all of `source`. Nothing to close. */
void ra_blobs_open(const struct ra_source *source, struct ra_diags *diags,
                   struct ra_blobs *ret);

/**
 * The next blob. Damage on the way is told and stepped over; a blob that is there but
 * cannot be opened, and bytes that are no blob, are returned with their status.
 *
 * @return RA_OK, `*more` false at the end; RA_E_IO or RA_E_NOMEM, which end the walk
 */
RA_MUST_CHECK enum ra_status ra_blobs_next(struct ra_blobs *blobs, struct ra_blob *ret,
                                           bool *more);

#endif
