/*
 * cpu.h - the micro-architecture levels of x86-64, which host code is built for.
 *
 * Spec: x86-64 psABI, "Micro-Architecture Levels".
 */
#ifndef RA_CPU_H
#define RA_CPU_H

#include "base/base.h"

/** N of the x86-64-vN that this CPU and its kernel can run, 1 to 4; 0 elsewhere. */
unsigned ra_cpu_level(void);

/**
 * The level that `name` stands for: "x86-64", "x86-64-v1" to "x86-64-v4", or "native".
 *
 * @param ret  set if true; 0 for "native" on a machine that is not x86-64
 */
RA_MUST_CHECK bool ra_cpu_parse(const char *name, unsigned *ret);

#endif
