/*
 * kernels.h - ties the kernels of the metadata to their symbols, descriptors and code.
 *
 * A kernel X is a function X in .text and an object X.kd, its descriptor, in .rodata.
 * Both stand in the dynamic symbol table, which is found through PT_DYNAMIC. In code
 * object V2 X is one symbol of a type of its own, and what describes it stands before the
 * code: see kernel_code.h.
 */
#ifndef RA_KERNELS_H
#define RA_KERNELS_H

#include "gfx/codeobj.h"
#include "gfx/metadata.h"

/** The kernels of one code object while it is read. */
struct ra_kernels {
    struct ra_kernel_place {
        struct ra_kernel kernel;
        struct ra_span symbol; /**< X.kd, or X of V2; borrows what the metadata did */
        size_t first;          /**< of those with the same symbol */
        bool has_wgp_mode;     /**< the metadata say it, so the descriptor need not */
        uint64_t descriptor;   /**< address, 0 while not found */
        uint64_t function;     /**< address of a function without size, else 0 */
        bool is_hollow;        /**< another function's code stands there, or none */
    } *list;                   /* on the heap */
    size_t count, room;
};

/** Append one; false if there is no memory. */
bool ra_kernels_add(struct ra_kernels *kernels, const struct ra_metadata_kernel *kernel,
                    uint32_t name);

/**
 * Find and read the descriptors, and the code that is short enough to be a stub.
 *
 * @param code  its `odd_descriptor` is set where one does not fit the processor
 * @return RA_OK; RA_E_FORMAT (told) if one is missing or a table is damaged
 */
RA_MUST_CHECK enum ra_status ra_kernels_resolve(struct ra_kernels *kernels,
                                                const struct ra_image *image,
                                                struct ra_codeobj_buffers *buffers,
                                                struct ra_diags *diags,
                                                struct ra_code *code);

/** Room for `size` bytes in a buffer, or NULL. What was in it is lost. */
uint8_t *ra_buffer_reserve(struct ra_buffer *buffer, uint64_t size);

#endif
