/*
 * filename.h - the target that a file is named by: Kernels.so-000-gfx90a-xnack-.hsaco.
 *
 * Libraries that load code objects from files put the target into the name. A colon
 * does not suit every file system, so features come behind a hyphen or an underscore.
 */
#ifndef RA_FILENAME_H
#define RA_FILENAME_H

#include "base/cursor.h"

/**
 * Read the last target that the last part of `path` names. A feature it does not state is
 * ANY where the processor has it.
 *
 * @return false if it names none that this build knows
 */
RA_MUST_CHECK bool ra_filename_target(const char *path, struct ra_target *ret);

/**
 * Read the target that a path names first, in a folder or the file itself.
 *
 * @param group  bytes of the path before the part that names it: what files for other
 *               targets have in common with it
 * @return false if no part names one
 */
RA_MUST_CHECK bool ra_filename_group(const char *path, struct ra_target *ret,
                                     size_t *group);

#endif
