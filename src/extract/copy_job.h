/*
 * copy_job.h - a bundle that is open to be copied from; what the files of copy.h share.
 */
#ifndef RA_COPY_JOB_H
#define RA_COPY_JOB_H

#include "extract/copy.h"
#include "io/source.h"

/** One entry on its way. */
struct ra_copy_item {
    const struct ra_entry *entry;
    struct ra_written *written;
    struct ra_part part;
};

struct ra_copy_job {
    struct ra_copy *copy;
    struct ra_copy_item *items; /**< in the order of offsets */
    struct ra_source file, source;
    uint8_t *window;
    const char *reason; /**< why nothing of the bundle is written, if that comes */
};

/** Tell that the file is another than the one that was listed; RA_E_IO. */
enum ra_status ra_copy_changed(struct ra_copy_job *job, const char *how);

/** Where the folder is in trouble, that is the cause, whatever it seems to be. */
void ra_copy_fail(const struct ra_copy_job *job, struct ra_copy_item *item,
                  const char *reason);

/** Copy an entry that is all of `source`, which is the job's then. RA_E_IO also where the
 * folder is to blame. */
RA_MUST_CHECK enum ra_status ra_copy_whole(struct ra_copy_job *job,
                                           struct ra_copy_item *item,
                                           const struct ra_source *source);

/** A bundle of OffloadBinary, of which the `source` of the job has all blobs. */
RA_MUST_CHECK enum ra_status ra_copy_offload(struct ra_copy_job *job);

#endif
