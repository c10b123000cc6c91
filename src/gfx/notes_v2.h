/*
 * notes_v2.h - the notes of code object V2, which are the vendor's "AMD".
 *
 * Which processor it is for stands in a note and not in e_flags. The runtime takes the
 * first of a type, so later ones are passed over.
 *
 * Spec: AMDGPUUsage, "Code Object V2 Note Records"; ROCR-Runtime amd_hsa_code.cpp.
 */
#ifndef RA_NOTES_V2_H
#define RA_NOTES_V2_H

#include "base/cursor.h"

#define RA_NOTES_V2_VENDOR "AMD"

struct ra_notes_v2 {
    bool has_version, has_isa, has_hsail, has_metadata;
    uint32_t major, minor;   /**< code object version: LLVM writes 2.1 */
    struct ra_target isa;    /**< what the numbers stand for; "" if they are none of V2 */
    struct ra_span metadata; /**< YAML; borrows the note */
};

/** Keep what a note of the vendor says. What is too short to say it says nothing. */
void ra_notes_v2_keep(struct ra_notes_v2 *notes, uint32_t type, struct ra_span content);

/**
 * What the code is for; "" if the notes do not say. With a note of the HSAIL finalizer,
 * `flags` decide on xnack.
 */
struct ra_target ra_notes_v2_target(const struct ra_notes_v2 *notes, uint32_t flags);

/**
 * What `flags` say of the target, to be compared: LLVM 13 to 16 put the processor there,
 * as in V3. "" where no processor stands in them; `known` is false for one that is newer
 * than this build.
 */
struct ra_target ra_notes_v2_claim(const struct ra_target *target, uint32_t flags,
                                   bool *known);

#endif
