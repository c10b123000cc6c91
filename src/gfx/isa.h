/*
 * isa.h - the three numbers by which code object V2 names a processor.
 *
 * An odd stepping of gfx9 is the even one below it with xnack on. No processor that came
 * after gfx906 has numbers, but gfx90c.
 *
 * Spec: AMDGPUUsage, "Code Object V2 Note Records", NT_AMD_HSA_ISA_VERSION.
 */
#ifndef RA_ISA_H
#define RA_ISA_H

#include "base/cursor.h"

struct ra_isa {
    uint32_t major, minor, stepping;
};

/**
 * What the numbers stand for, every feature OFF or ON.
 *
 * @return false, with an empty `ret`, for numbers that V2 does not have
 */
RA_MUST_CHECK bool ra_isa_target(const struct ra_isa *isa, struct ra_target *ret);

#endif
