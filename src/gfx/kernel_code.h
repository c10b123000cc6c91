/*
 * kernel_code.h - the 256 bytes that stand before a kernel of code object V2.
 *
 * What a descriptor is to later versions, and more: amd_kernel_code_t says all there is
 * to know to start the kernel. Its symbol has the kernel's name and starts at it.
 *
 * Spec: AMDGPUUsage, "Code Object V2" (".amd_kernel_code_t"); hsa/amd_hsa_kernel_code.h
 * of ROCR-Runtime for the layout.
 */
#ifndef RA_KERNEL_CODE_H
#define RA_KERNEL_CODE_H

#include "gfx/isa.h"

#define RA_KERNEL_CODE_SIZE 256

struct ra_kernel_code {
    struct ra_isa isa;     /**< of the processor; xnack does not show in it */
    int64_t entry;         /**< of the code, from the start of these bytes */
    uint32_t scratch, lds; /**< bytes */
    uint64_t kernarg;      /**< bytes */
    uint32_t sgprs, vgprs; /**< counted */
    unsigned wave_size;    /**< work-items; 0 for a size that cannot be */
    bool dynamic_stack;
};

/** Read one; `span` has RA_KERNEL_CODE_SIZE bytes. */
struct ra_kernel_code ra_kernel_code_read(struct ra_span span);

/**
 * Whether it is for another processor than `target`, or has another wave size than the
 * metadata say (0: they do not): a sign that the notes are not those of the code.
 */
bool ra_kernel_code_is_odd(const struct ra_kernel_code *code,
                           const struct ra_target *target, unsigned wave_size);

#endif
