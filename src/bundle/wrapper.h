/*
 * wrapper.h - the fat binaries that a host file registers with HIP.
 *
 * The compiler writes a wrapper of 24 bytes a translation unit, in a section of their
 * own: magic, version, a pointer to the bundle, and a word that is reserved, or holds the
 * index of a wrapper whose code is in .kpack archives. The runtime finds code through
 * them and never by section names, so they tell whether all of it was found. In the file
 * the pointer is an address, or zero where a relocation will write it.
 *
 * Spec: clang CGCUDANV.cpp, __CudaFatBinaryWrapper; clr hip_platform.cpp, hip_fatbin.cpp.
 */
#ifndef RA_WRAPPER_H
#define RA_WRAPPER_H

#include "io/source.h"

#define RA_WRAPPER_SIZE    24
#define RA_WRAPPER_POINTER 8 /* where in it the pointer is */

enum ra_wrapper_magic {
    RA_WRAPPER_HIPF = 0x48495046, /**< the bundle is here */
    RA_WRAPPER_HIPK = 0x4b504948, /**< it is in a .kpack archive */
};

struct ra_wrapper {
    uint64_t where; /**< its own address, if it has one yet */
    uint32_t magic, version;
    uint32_t index;   /**< of HIPK: by which archives list its code; else of no meaning */
    uint64_t address; /**< that it points to, if `has_address` */
    bool has_address;
    bool guessed;    /**< no section says that it is one */
    bool relocated;  /**< the loader writes the pointer */
    bool resolved;   /**< `offset` is known */
    uint64_t offset; /**< in the file: of the bundle; of HIPK, of what names archives */
    uint64_t left;   /**< bytes of its segment from there */
};

/** True if `head`, eight bytes or more, is how a wrapper starts. */
bool ra_wrapper_probe(struct ra_span head);

/** Whether HIP takes it: one of the magics, and version 1. */
bool ra_wrapper_is_taken(const struct ra_wrapper *wrapper);

/** Read the wrapper that `bytes`, RA_WRAPPER_SIZE of them, are. */
struct ra_wrapper ra_wrapper_read(struct ra_span bytes, uint64_t where);

/**
 * Read all wrappers of a section.
 *
 * @param address  of the section; 0 if it has none yet
 * @param ret      in `arena`; nothing is resolved yet
 * @return RA_OK; RA_E_LIMIT (told) for too many; RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_wrappers_read(const struct ra_source *content,
                                              uint64_t address, struct ra_arena *arena,
                                              struct ra_diags *diags,
                                              struct ra_wrapper **ret, size_t *count);

#endif
