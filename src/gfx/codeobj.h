/*
 * codeobj.h - one code object: what it runs on, and its kernels.
 *
 * Spec: AMDGPUUsage, "ELF Code Object", "Note Records", "Code Object Metadata",
 * "Kernel Descriptor".
 */
#ifndef RA_CODEOBJ_H
#define RA_CODEOBJ_H

#include "base/names.h"
#include "gfx/image.h"

/** Buffers that code objects read one after another share. Zero-initialise. */
struct ra_codeobj_buffers {
    struct ra_buffer {
        uint8_t *data;
        size_t room;
    } notes, symbols, strings;
};

void ra_codeobj_buffers_free(struct ra_codeobj_buffers *buffers);

/** Where the kernels go. NULL instead of it: they are only counted, and no more is read.
 */
struct ra_codeobj_sink {
    struct ra_arena *arena; /**< for struct ra_kernel */
    struct ra_names *names; /**< of the bundle */
    struct ra_arena *texts; /**< for the name of the compiler */
};

/**
 * Read the bytes of an entry into `ret`: content, code, complete, kernel_count, kernels.
 *
 * @param source  the entry, all of it
 * @return RA_OK, also for bytes that are no code object, which `ret->content` says;
 *         RA_E_FORMAT or RA_E_LIMIT (told) for one that is damaged: `ret` then has what
 *         was read before, and is not complete; RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_codeobj_read(const struct ra_source *source,
                                             struct ra_codeobj_buffers *buffers,
                                             const struct ra_codeobj_sink *sink,
                                             struct ra_diags *diags,
                                             struct ra_entry *ret);

#endif
