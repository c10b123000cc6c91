/*
 * device.h - the GPUs to judge for: named by the user, or found on this machine.
 *
 * Spec: Linux drivers/gpu/drm/amd/amdkfd/kfd_topology.c (node properties in sysfs),
 * kfd_process.c (xnack mode), amdgpu_discovery.c (IP discovery); libhsakmt topology.c
 * (overrides); ROCR-Runtime core/runtime/isa.cpp (how an agent's ISA name is put
 * together) and amd_filter_device.cpp, clr rocdevice.cpp (which GPUs are visible).
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
 * `hardware` is `id`, unless the caller has set that, too.
 */
RA_MUST_CHECK enum ra_status ra_device_complete(struct ra_device *device,
                                                struct ra_arena *arena);

/**
 * The targets that a name can mean: a bare gfx906 is two, for the Radeon VII has no ECC,
 * and the MI50 and MI60 have. Of two, whoever makes devices calls ra_device_guessed().
 *
 * @return how many, 1 or 2
 */
size_t ra_device_meanings(const struct ra_target *id, struct ra_target ret[2]);

/** Mark sramecc as assumed, though the target states it. */
void ra_device_guessed(struct ra_device *device);

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
 * Devices that stand for targets somebody requires, as ra_devices_named() makes them of
 * GPUs; a generic target is one as well.
 *
 * @return RA_OK; RA_E_FORMAT if ra_required_refused() one of them; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_devices_required(const char *const *targets, size_t count,
                                                 struct ra_arena *arena,
                                                 struct ra_devices *ret);

/** Where to look for GPUs. */
struct ra_device_search {
    const char *sysfs; /**< a sysfs root, or a topology folder (it has `nodes/`); NULL:
                            /sys, and /dev is asked too */
    const char *dev;   /**< another /dev to ask; NULL: /dev with /sys, else none */
    const char *const *environment; /**< NAME=VALUE, NULL-terminated; NULL: none */
    bool (*ask_xnack)(int kfd, int32_t *mode); /**< NULL: the ioctl of KFD */
};

/**
 * The GPUs that are there, those that HIP sees first and in its order.
 *
 * KFD is asked first, then IP discovery, then the PCI bus. A GPU that HIP would not see
 * is listed with `skipped`. A partition of a GPU is a node of KFD, and so a device.
 * Nothing outside `sysfs` and `dev` is read but what links in them lead to.
 *
 * @param ret  `text` says what is wrong, and what follows; "" if nothing is
 * @return RA_OK, with `text` set if there is no GPU; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_devices_found(const struct ra_device_search *search,
                                              struct ra_arena *arena,
                                              struct ra_devices *ret);

/** Whether verdicts are wanted for a device: HIP sees it, and it is the first of its ISA.
 */
bool ra_device_is_judged(const struct ra_device *device);

/** Set `same_as` of all devices, once their targets and `skipped` are settled. */
void ra_devices_pair(struct ra_devices *devices);

#endif
