/*
 * progress.h - a line on a terminal for those who wait.
 *
 * Shown on stderr only if that is a terminal, after half a second, and gone at the end:
 * it never becomes part of an answer.
 */
#ifndef RA_CLI_PROGRESS_H
#define RA_CLI_PROGRESS_H

#include "base/base.h"

#include <stdatomic.h>

struct progress {
    double started; /**< seconds of the monotonic clock */
    atomic_bool shown;
};

/** Have `options` tell their progress, if somebody can and wants to see it. */
void progress_start(struct progress *progress, bool quiet, struct ra_options *options);

/** Erase what is shown. */
void progress_end(struct progress *progress);

#endif
