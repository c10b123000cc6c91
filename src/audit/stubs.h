/*
 * stubs.h - host stubs of kernels, that one file may want of another.
 *
 * The compiler makes a function __device_stub__NAME for each kernel, which host code
 * calls to launch it. Where the object that has it was left out of the link, the library
 * wants it of others, and cannot be loaded if none has it.
 *
 * Spec: clang CGCUDANV.cpp, emitDeviceStub(); the names are Itanium manglings of it.
 */
#ifndef RA_STUBS_H
#define RA_STUBS_H

#include "audit/run.h"

struct ra_elf;

/**
 * Read the stubs in the dynamic symbols of a linked file into what was scanned: those it
 * wants go to its layout, those it has are remembered.
 *
 * @return RA_OK, also where symbols are damaged, which no code depends on; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_stubs_read(struct ra_elf *elf,
                                           struct ra_scanned *scanned);

/** Forget of all files the stubs that another one has. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_stubs_resolve(struct ra_run *run);

#endif
