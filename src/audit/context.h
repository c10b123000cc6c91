/*
 * context.h - what all files of a run share while they are scanned.
 */
#ifndef RA_CONTEXT_H
#define RA_CONTEXT_H

#include "base/pool.h"
#include "codec/workspace.h"

struct ra_scan_context {
    struct ra_pool *pool;
    unsigned threads;
    struct ra_workspaces *workspaces;
    struct ra_workspaces
        *members[2]; /**< for members of archives, and of those in them */
    bool kernels;    /**< read kernels, and not only count them */
    bool verify;     /**< check digests */
    bool oddities;   /**< files that hold nothing where code should be are told */
};

#endif
