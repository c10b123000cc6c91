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

/* ---- for bundles that are put together from several places -------------------- */

/**
 * Read what the bytes of an entry are. Damage is told and leaves it incomplete.
 *
 * @param entry  its offset is one in the `source` of the task, and all of it is inside
 * @return RA_OK; RA_E_IO or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_task_read(struct ra_task *task, struct ra_entry *entry);

/** End the task: `bundle` has got its entries, or `status` says why it has not. */
void ra_task_end(struct ra_task *task, enum ra_status status);

#endif
