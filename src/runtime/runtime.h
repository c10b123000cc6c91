/*
 * runtime.h - what a release of ROCm does with device code. Tables, and nothing else.
 *
 * A fact is known of releases up to one and from another on; in between the answer is
 * that it is not known, and nothing should be built upon it. Each table names its
 * sources.
 */
#ifndef RA_RUNTIME_H
#define RA_RUNTIME_H

#include "base/base.h"
#include "base/cursor.h"

/** Releases as 100 * major + minor: 602 is 6.2. NEWEST is after all that are known. */
#define RA_ROCM_NEWEST 9999
#define RA_ROCM_OLDEST 401 /**< target IDs as they are now begin here */
#define RA_ROCM_TEXT   24

/** Which ISAs a build of ROCm takes for others. */
enum ra_compat {
    RA_UPSTREAM, /**< none: the processor, its generic target, SPIR-V */
    RA_DEBIAN, /**< code for gfx1030 on gfx1031 to gfx1036, gfx1010 on gfx1011 to 1013 */
};

/** The ROCm that loads. */
struct ra_rocm {
    unsigned release;
    enum ra_compat compat;
};

enum ra_answer { RA_NO, RA_YES, RA_NOT_KNOWN };

enum ra_ability {
    RA_CAN_NOTHING, /**< no ability is meant */
#define ABILITY(name, lacks, has, what) RA_CAN_##name,
#include "runtime/abilities.def"
#undef ABILITY
    RA_ABILITIES,
};

enum ra_answer ra_rocm_can(const struct ra_rocm *rocm, enum ra_ability ability);

/** "load code object version 6", to stand behind "can" or "cannot". */
const char *ra_ability_text(enum ra_ability ability);

/** The first release known to have the ability; 0 if there is none yet. */
unsigned ra_ability_since(enum ra_ability ability);

/** Whether ROCr is known to have no entry for the processor, and so no such GPU. */
bool ra_rocm_lacks(const struct ra_rocm *rocm, const char *processor);

/** The processor whose code a build of ROCm loads on `processor` as well, or NULL. */
const char *ra_rocm_sibling(const struct ra_rocm *rocm, const char *processor);

/** What went wrong. */
enum ra_fault_kind {
    RA_FAULT_NO_MATCH,      /**< no entry of the bundle serves the GPU */
    RA_FAULT_REFUSED,       /**< an entry was chosen, and ROCr turned it down */
    RA_FAULT_NOT_CODE,      /**< an entry was chosen that is no code object, or empty */
    RA_FAULT_RAW,           /**< a code object by itself was turned down */
    RA_FAULT_NO_KERNEL,     /**< the code object lacks the kernel */
    RA_FAULT_UNREADABLE,    /**< the bundle cannot be read */
    RA_FAULT_KPACK,         /**< the wrapper is for .kpack archives */
    RA_FAULT_KPACK_ARCHIVE, /**< no archive serves the GPU */
    RA_FAULT_KPACK_KERNEL,  /**< one does, but has no code for the wrapper */
    RA_FAULT_NO_GPU,        /**< ROCr shows no GPU */
    RA_FAULTS,
};

enum ra_consequence { RA_CONSEQUENCE_REFUSED, RA_CONSEQUENCE_ABORT };

/** What people get to see. */
struct ra_rocm_error {
    enum ra_consequence consequence;
    unsigned number;  /**< hipError_t, 0 if none is told */
    const char *text; /**< static */
};

/** The error of a fault; every fault has one in every release that can have it. */
const struct ra_rocm_error *ra_rocm_error(const struct ra_rocm *rocm,
                                          enum ra_fault_kind fault);

/**
 * Read a version such as 7.0, 6.2.4, rocm-6.2 or 5.2.21153.
 *
 * @return false if it is none, or older than RA_ROCM_OLDEST
 */
RA_MUST_CHECK bool ra_rocm_parse(struct ra_span text, unsigned *ret);

/** 602 as "6.2". */
void ra_rocm_spell(unsigned release, char ret[RA_ROCM_TEXT]);

/** 602 as "ROCm 6.2"; the newest as "the newest ROCm". */
void ra_rocm_name(unsigned release, char ret[RA_ROCM_TEXT]);

/** The compatibility of that name, "upstream" or "debian"; false if there is none such.
 */
RA_MUST_CHECK bool ra_compat_parse(const char *name, enum ra_compat *ret);
const char *ra_compat_name(enum ra_compat compat);

#endif
