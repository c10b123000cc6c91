/*
 * task.h - one bundle, from the walk that found it to the join.
 *
 * A task has an arena of its own, so that any thread may run it.
 */
#ifndef RA_TASK_H
#define RA_TASK_H

#include "audit/bundles.h"
#include "base/names.h"
#include "bundle/fatbin.h"
#include "bundle/kpak.h"
#include "codec/expanded.h"
#include "gfx/codeobj.h"

struct ra_task {
    const struct ra_scan_context *context;
    struct ra_piece piece;
    const struct ra_part *parts; /**< code objects of the piece, which is no bundle */
    size_t part_count;
    const struct ra_kpak_entry *packed; /**< of a .kpack archive: those of one binary */
    size_t packed_count;
    bool frames; /**< they are zstd frames */
    struct ra_arena arena, kernels_arena;
    struct ra_diags diags;
    struct ra_names names;
    struct ra_codeobj_buffers buffers;
    struct ra_expanded *expanded;
    struct ra_source source; /**< of the bundle, expanded */
    struct ra_bundle bundle; /**< the result */
    uint64_t used;           /**< bytes of the file, once it was read */
    enum ra_status status;
};

/** Make a task of a piece; nothing is read yet. */
void ra_task_begin(struct ra_task *task, const struct ra_scan_context *context,
                   const struct ra_piece *piece);

/** Read the bundle. `arg` is the task, so that a pool can run it. */
void ra_task_run(void *arg);

#endif
