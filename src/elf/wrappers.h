/*
 * wrappers.h - the fat binaries that a host file registers with HIP.
 *
 * `.hipFatBinSegment` is an array of 24-byte wrappers, one a translation unit: magic,
 * version, a pointer to the bundle, and a word that is reserved, or holds the index of a
 * wrapper whose code is in .kpack archives. The runtime finds code through them and never
 * by section names, so they tell whether all of it was found. In the file the pointer is
 * an address, or zero where a relocation will write it.
 *
 * Spec: clang CGCUDANV.cpp, __CudaFatBinaryWrapper; clr hip_platform.cpp, hip_fatbin.cpp.
 */
#ifndef RA_WRAPPERS_H
#define RA_WRAPPERS_H

#include "elf/elf.h"

enum ra_wrapper_magic {
    RA_WRAPPER_HIPF = 0x48495046, /**< the bundle is here */
    RA_WRAPPER_HIPK = 0x4b504948, /**< it is in a .kpack archive */
};

struct ra_wrapper {
    uint32_t magic;
    uint32_t index;  /**< of HIPK: by which archives list its code; else of no meaning */
    bool resolved;   /**< `offset` is known */
    uint64_t offset; /**< in the file: of the bundle; of HIPK, of what names archives */
    uint64_t left;   /**< bytes of its segment from there */
};

/**
 * Read all wrappers of a section.
 *
 * @param ret  in `arena`
 * @return RA_OK; RA_E_FORMAT or RA_E_LIMIT (told) for damaged tables; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_wrappers_read(struct ra_elf *elf,
                                              const struct ra_elf_section *section,
                                              struct ra_arena *arena,
                                              struct ra_diags *diags,
                                              struct ra_wrapper **ret, size_t *count);

#endif
