/*
 * descriptor.h - the 64 bytes that the hardware starts a kernel by.
 *
 * Spec: AMDGPUUsage, "Kernel Descriptor" and the compute_pgm_rsrc tables below it.
 */
#ifndef RA_DESCRIPTOR_H
#define RA_DESCRIPTOR_H

#include "base/cursor.h"

#define RA_DESCRIPTOR_SIZE 64

struct ra_descriptor {
    uint32_t lds, scratch, kernarg; /**< bytes */
    int64_t entry;                  /**< of the code, from the descriptor */
    uint32_t rsrc1, rsrc2, rsrc3;   /**< COMPUTE_PGM_RSRC registers */
    unsigned properties;            /**< kernel_code_properties */
};

/** Read one; `span` has RA_DESCRIPTOR_SIZE bytes. */
struct ra_descriptor ra_descriptor_read(struct ra_span span);

/** 32 or 64 work-items. */
unsigned ra_descriptor_wave_size(const struct ra_descriptor *descriptor);

bool ra_descriptor_dynamic_stack(const struct ra_descriptor *descriptor);

/** Work-group processor mode; false where the processor has none. */
bool ra_descriptor_wgp_mode(const struct ra_descriptor *descriptor,
                            const char *processor);

bool ra_descriptor_tg_split(const struct ra_descriptor *descriptor,
                            const char *processor);

/**
 * Whether it sets bits that `processor` does not have: a sign that the code was built
 * for another one than e_flags say.
 */
bool ra_descriptor_is_odd(const struct ra_descriptor *descriptor, const char *processor);

/**
 * Whether code that is `size` bytes long ends, or traps, before it did anything: what
 * is left of a kernel whose body an architecture guard took away.
 *
 * @param code  the first bytes of it
 */
bool ra_code_is_stub(struct ra_span code, uint64_t size, const char *processor);

/** The longest code that can be such a stub, bytes. */
#define RA_STUB_SIZE 16

/** Generation of a processor: 9 for gfx90a and gfx9-generic, 10 for gfx1030; 0: none. */
unsigned ra_generation(const char *processor);

#endif
