/*
 * judge.h - what a runtime would do with the facts. Pure: no I/O, clock or globals.
 *
 * The rules are those of HIP (clr hip_fatbin.cpp: which entry of a bundle is chosen) and
 * of ROCr (isa.cpp, executable.cpp: whether the chosen code object is taken), release by
 * release. The unit is the bundle: each holds the kernels of one translation unit, and
 * one that does not serve the device fails at its first launch, whatever the others hold.
 */
#ifndef RA_JUDGE_H
#define RA_JUDGE_H

#include "base/arena.h"
#include "runtime/runtime.h"

/** Why a code object that was chosen is not taken, or should not be. */
enum ra_refusal {
    RA_TAKEN,
    RA_NOT_CODE,       /**< the bytes are no AMDGPU ELF */
    RA_NOT_HSA,        /**< of another operating system ABI */
    RA_NOT_LINKED,     /**< a relocatable, say */
    RA_NO_METADATA,    /**< without the note that names the kernels */
    RA_OTHER_TARGET,   /**< e_flags name another processor than the entry ID */
    RA_OTHER_FEATURE,  /**< e_flags fix xnack or sramecc the other way */
    RA_CONTRADICTION,  /**< e_flags and amdhsa.target differ */
    RA_ODD_DESCRIPTOR, /**< kernel descriptors do not fit the processor */
    RA_NO_GENERIC,     /**< a generic target before V6, or of generic version 0 */
    RA_WRAPPED,        /**< CCOB v2 whose sizes wrapped: it cannot be unpacked */
    RA_NO_SUCH_ISA,    /**< e_flags fix a feature the processor does not have */
    RA_TOO_NEW,        /**< the release lacks an ability that the code object needs */
    RA_CONTAINER,      /**< the release lacks an ability that the bundle needs */
    RA_NOT_KNOWN_ISA,  /**< the release has never heard of the processor */
    RA_EMPTY_CHOSEN,   /**< no bytes, and the release does not pass over that */
    RA_OLD_MODULE,     /**< V2, by itself: it depends on who loads it */
    RA_BARE_CODE,      /**< compressed without a bundle: nobody has seen HIP take that */
    RA_REFUSALS,
};

/** A bundle on a device. */
struct ra_choice {
    enum ra_verdict_kind kind; /**< RA_NONE: it has no device entry, and does not count */
    const struct ra_entry *entry; /**< chosen, or in the way; NULL if there is none */
    enum ra_refusal refusal;      /**< of RA_UNLOADABLE, and what ROCr itself refuses; of
                                     RA_UNDECIDED, what is doubtful, if it is not `ability` */
    enum ra_ability ability; /**< that is lacking; of RA_UNDECIDED, that is not known */
    bool sibling; /**< of RA_GENERIC: code for another processor, as the build allows */
    bool passed; /**< an archive that comes first lists the GPU, and has no code for it */
};

/**
 * The choice of a release. Where it is not known of the release what decides it, the
 * bundle is RA_UNDECIDED, and `ability` says what is not known.
 */
struct ra_choice ra_judge_bundle(const struct ra_bundle *bundle,
                                 const struct ra_target *device,
                                 const struct ra_rocm *rocm);

/** What the user would see of a choice that fails. */
enum ra_fault_kind ra_judge_fault(const struct ra_bundle *bundle,
                                  const struct ra_choice *choice);

/** Whether releases that choose by ID take the entry for what its target says. */
bool ra_judge_is_matched(const struct ra_bundle *bundle, const struct ra_entry *entry);

/** Whether the entry's ID and its e_flags, or e_flags and metadata, name other targets.
 */
bool ra_judge_mislabelled(const struct ra_entry *entry);

/**
 * A file on a device. `verdict.device` is left to the caller.
 *
 * @param arena  for what has to be remembered of the bundles, and texts
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status
ra_judge_file(const struct ra_file *file, const struct ra_device *device,
              const struct ra_rocm *rocm, struct ra_arena *arena, struct ra_verdict *ret);

/**
 * Say in `assumption` which release a file that is served needs, where the release was
 * assumed and an older one would not do. RA_OK or RA_E_NOMEM.
 */
RA_MUST_CHECK enum ra_status ra_judge_needs(const struct ra_file *file,
                                            const struct ra_device *device,
                                            enum ra_compat compat, struct ra_arena *arena,
                                            struct ra_verdict *verdict);

/** Whether all of the file runs on the device, were they alone. */
bool ra_verdict_serves(const struct ra_verdict *verdict);

/** Whether the runtime shows the GPU to a process. */
bool ra_device_is_there(const struct ra_device *device, const struct ra_rocm *rocm);

/**
 * What the GPUs of one machine do to each other in a process that uses the file: sets
 * `block` and `blocked_by` of the verdicts, one a device.
 */
void ra_judge_machine(const struct ra_file *file, const struct ra_device *devices,
                      size_t count, const struct ra_rocm *rocm,
                      struct ra_verdict *verdicts);

/** Kernels of a bundle that a device would get no code for, and how. */
struct ra_absent {
    uint64_t absent; /**< not in the chosen code object, though in another */
    uint64_t stubs;  /**< there, but empty, though not so in another */
    uint64_t meant_absent, meant_stubs; /**< of them, those whose name says so */
    uint32_t first_absent, first_stub;  /**< of the others, if there are any */
};

/**
 * Compare the chosen code object with all others of the bundle.
 *
 * @param scratch  for one byte a name
 */
RA_MUST_CHECK enum ra_status ra_judge_kernels(const struct ra_bundle *bundle,
                                              const struct ra_choice *choice,
                                              struct ra_arena *scratch,
                                              struct ra_absent *ret);

#endif
