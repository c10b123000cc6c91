/*
 * load.h - what ROCr makes of an entry that HIP has chosen. Pure, and part of the judge.
 *
 * Spec: ROCR-Runtime loader/executable.cpp and core/runtime/isa.cpp; that HIP wants
 * metadata, and names what it loads by comgr, was measured.
 */
#ifndef RA_LOAD_H
#define RA_LOAD_H

#include "audit/judge.h"

/** A bundle, whom it is offered to, and what that release can do. */
struct ra_offer {
    const struct ra_bundle *bundle;
    const struct ra_target *device;
    const struct ra_rocm *rocm;
    bool can[RA_ABILITIES];  /**< what is not known is taken one way or the other */
    enum ra_entry_kind kind; /**< of the entries that its runtime knows */
    size_t seen;             /**< entries of its table that the release looks at */
};

struct ra_choice ra_choice_of(enum ra_verdict_kind kind, const struct ra_entry *entry);
struct ra_choice ra_choice_refused(const struct ra_entry *entry, enum ra_refusal refusal);
struct ra_choice ra_choice_lacking(const struct ra_entry *entry, enum ra_refusal refusal,
                                   enum ra_ability ability);

/** Whether the target was read, which it can be where damage kept us from the rest. */
bool ra_has_target(const struct ra_entry *entry);

/** Whether two targets are one by name. */
bool ra_spelled_alike(const struct ra_target *left, const struct ra_target *right);

/**
 * ROCr's word on the chosen entry.
 *
 * @param processor  what e_flags have to name
 * @param taken      the verdict if it is taken
 */
struct ra_choice ra_load(const struct ra_offer *offer, const struct ra_entry *entry,
                         const char *processor, enum ra_verdict_kind taken);

#endif
