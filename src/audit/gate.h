/*
 * gate.h - what a build has to serve, and what it must not have: the verb check.
 *
 * A gate needs no GPU. The targets that are required stand in the place of GPUs and are
 * judged as if each were one. A generic target is served by code for itself alone.
 */
#ifndef RA_GATE_H
#define RA_GATE_H

#include "base/arena.h"
#include "runtime/runtime.h"

/** What the options forbid and allow. Texts are those of the options. */
struct ra_gate {
    const struct ra_target *forbidden;
    size_t forbidden_count;
    const char *const *allowed; /**< names of files that may leave targets out */
    size_t allowed_count;
};

/** @return RA_OK; RA_E_FORMAT if ra_target_refused() a forbidden target; RA_E_NOMEM */
RA_MUST_CHECK enum ra_status ra_gate_read(const struct ra_options *options,
                                          struct ra_arena *arena, struct ra_gate *ret);

/** Whether a name that is allowed is that of the file, or fits the path it is shown by.
 */
bool ra_gate_allows(const struct ra_gate *gate, const struct ra_file *file);

/** Whether an entry holds code for the target. One without features is for all modes. */
bool ra_gate_has(const struct ra_entry *entry, const struct ra_target *target);

/**
 * Give a verdict the weight it has at a gate: targets left out are an error, whatever
 * they were left out for, and a note where the file is allowed to. Code for the other
 * mode, or that cannot be loaded, is not left out.
 */
void ra_gate_weigh(const struct ra_gate *gate, const struct ra_file *file,
                   const struct ra_device *device, const struct ra_rocm *rocm,
                   struct ra_verdict *verdict);

#endif
