/*
 * machine.h - what files are judged for: GPUs, the release of ROCm, the host's CPU.
 */
#ifndef RA_MACHINE_H
#define RA_MACHINE_H

#include "audit/gate.h"
#include "device/device.h"
#include "runtime/found.h"

/** Zero-initialise. Strings live in the arena of the run. */
struct ra_machine {
    struct ra_devices devices;
    bool is_one; /**< the GPUs are those of one machine, rather than a list of targets */
    struct ra_rocm rocm;
    struct ra_runtime runtime;
    unsigned cpu;               /**< x86-64-vN; 0: host code is not judged */
    const struct ra_gate *gate; /**< the devices are required targets; NULL: GPUs */
};

/**
 * Find the GPUs that the options ask for, or name the targets that a `gate` requires.
 *
 * @return RA_OK, with `devices.text` set if there is none; RA_E_FORMAT if
 *         ra_gpu_refused() one of them, or ra_required_refused(); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_machine_find(const struct ra_options *options,
                                             struct ra_arena *arena,
                                             struct ra_machine *ret);

/**
 * Settle release and CPU, once the files are known: see ra_runtime_settle().
 *
 * @return RA_OK; RA_E_FORMAT if an option names what is not known; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status
ra_machine_settle(const struct ra_options *options, const struct ra_walk *walk,
                  const struct ra_runtime_member *members, size_t member_count,
                  struct ra_arena *arena, struct ra_machine *ret);

#endif
