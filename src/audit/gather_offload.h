/*
 * gather_offload.h - the images of OffloadBinary blobs, by the language they are of.
 *
 * A linked library has a blob a target, and the runtime of its language looks at all of
 * them for one that fits: together they are what a bundle is elsewhere.
 */
#ifndef RA_GATHER_OFFLOAD_H
#define RA_GATHER_OFFLOAD_H

#include "audit/bundles.h"
#include "audit/task.h"

#define RA_OFFLOAD_CONTAINER "offload-binary"
#define RA_OFFLOAD_WORDS     5 /* that ra_offload_word() knows */

/**
 * Walk all blobs of `source`, forward, and read their images.
 *
 * @param tasks  room for RA_OFFLOAD_WORDS; each that is returned was run
 * @param lost   something that could hold images could not be read (told)
 * @return RA_OK; RA_E_IO, RA_E_LIMIT or RA_E_NOMEM: the tasks are to be freed all the
 * same
 */
RA_MUST_CHECK enum ra_status ra_offload_gather(struct ra_bundles *bundles,
                                               const struct ra_source *source,
                                               struct ra_task *tasks, size_t *count,
                                               bool *lost);

#endif
