/*
 * override.h - what HSA_OVERRIDE_GFX_VERSION makes of a GPU. Pure.
 *
 * The runtime believes the variable, and checks code against what it says. Whether the
 * hardware can run that code is another matter: within a generic target's family the
 * instructions are the same, and registers may be fewer.
 */
#ifndef RA_OVERRIDE_H
#define RA_OVERRIDE_H

#include "runtime/runtime.h"

enum ra_override {
    RA_OVERRIDE_NONE,    /**< no variable, or it says what the hardware is */
    RA_OVERRIDE_SIBLING, /**< the same instructions under another name */
    RA_OVERRIDE_RISKY,   /**< the same family, with less of something */
    RA_OVERRIDE_FOREIGN, /**< another family */
    RA_OVERRIDE_UNKNOWN, /**< a processor that ROCr does not know: the GPU vanishes */
    RA_OVERRIDE_INVALID, /**< not to be read */
};

enum ra_override ra_override_of(const struct ra_device *device,
                                const struct ra_rocm *rocm);

/** Why an override is RISKY: static text. */
const char *ra_override_risk(const struct ra_device *device);

#endif
