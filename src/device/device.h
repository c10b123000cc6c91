/*
 * device.h - the GPUs to judge for: named by the user, or found on this machine.
 *
 * Spec: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c (node properties in sysfs) and
 * ROCR-Runtime core/runtime/isa.cpp (how an agent's ISA name is put together).
 */
#ifndef RA_DEVICE_H
#define RA_DEVICE_H

#include "base/arena.h"
#include "base/base.h"

/** What was found. All of it lives in the arena it was made with. */
struct ra_devices {
    struct ra_device *list;
    size_t count;
    const char *text; /**< why there is none, or which were left out; "" if neither */
    bool incomplete;  /**< there are GPUs that cannot be told what they are */
};

/**
 * Fill in what follows from `id` and `source`, which the caller has set: the target
 * spelled in full, and what is known of the processor. A feature that `id` leaves open
 * takes its factory default and is marked assumed. What the processor does not have is
 * NONE. Nothing is known of a processor this build has never heard of but its name.
 */
RA_MUST_CHECK enum ra_status ra_device_complete(struct ra_device *device,
                                                struct ra_arena *arena);

/**
 * Devices for the targets a user named, features left out at their factory default.
 *
 * A gfx906 without sramecc is two devices, because both kinds were sold.
 *
 * @return RA_OK; RA_E_FORMAT if ra_gpu_refused() one of them; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_devices_named(const char *const *targets, size_t count,
                                              struct ra_arena *arena,
                                              struct ra_devices *ret);

/**
 * Devices of a KFD topology, nodes in numeric order.
 *
 * The xnack mode is one of the process and not in sysfs: it is assumed to be off. sramecc
 * is a capability bit of the node. A partition of a GPU is a node, and so a device.
 *
 * @param sysfs  a sysfs root, or a topology folder (it has `nodes/`); NULL: /sys
 * @return RA_OK, with `text` set if there is no GPU; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_devices_found(const char *sysfs, struct ra_arena *arena,
                                              struct ra_devices *ret);

/** Whether verdicts are wanted for a device: HIP sees it, and it is the first of its ISA.
 */
bool ra_device_is_judged(const struct ra_device *device);

/** Set `same_as` of all devices, once their targets and `skipped` are settled. */
void ra_devices_pair(struct ra_devices *devices);

#endif
