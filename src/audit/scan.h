/*
 * scan.h - one file: what it is, and the facts of all device code in it.
 */
#ifndef RA_SCAN_H
#define RA_SCAN_H

#include "audit/bundles.h"
#include "io/walk.h"

/** The facts of a file, and the memory they are in. */
struct ra_scanned {
    struct ra_file file;
    struct ra_arena arena;         /**< of all that `file` points to, but for kernels */
    struct ra_arena kernels_arena; /**< of kernels and their names */
    struct ra_diags diags;
    enum ra_status status; /**< RA_E_NOMEM: nothing of the rest can be relied upon */
};

/** Read a file; always leaves something for ra_scanned_free(). */
void ra_scan_file(const struct ra_scan_context *context, const struct ra_walk_file *from,
                  struct ra_scanned *ret);

/** Whether there is more to it than its kind; only then `file` has a name. */
bool ra_scanned_is_worth_telling(const struct ra_scanned *scanned);

/** Give back the kernels, once the file was judged, and keep all else. */
void ra_scanned_drop_kernels(struct ra_scanned *scanned);

void ra_scanned_free(struct ra_scanned *scanned);

#endif
