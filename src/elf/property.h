/*
 * property.h - what a host file says of the CPUs it is built for.
 *
 * `.note.gnu.property` may name the level of x86-64 without which the loader of glibc
 * refuses the file. Only gcc (-mneeded) and ld (-z x86-64-v3) write that; a file without
 * it says nothing.
 *
 * Spec: Linux gABI extensions, "Program Property"; x86-64 psABI, "Program Property" and
 * "Micro-Architecture Levels".
 */
#ifndef RA_PROPERTY_H
#define RA_PROPERTY_H

#include "elf/elf.h"

#define RA_PROPERTY_SECTION ".note.gnu.property"

/**
 * The highest level that is marked as needed, 1 to 4 for x86-64-v1 to v4.
 *
 * @param index  of the section of that name
 * @param ret    0 without a mark, of other machines, and of a damaged note: no code is
 *               in it, so it is no cause for a fault
 * @return RA_OK; RA_E_FORMAT or RA_E_IO (told) if the section cannot be read at all
 */
RA_MUST_CHECK enum ra_status ra_property_level(struct ra_elf *elf, size_t index,
                                               struct ra_diags *diags, unsigned *ret);

#endif
