/*
 * metadata.h - the msgpack map of an NT_AMDGPU_METADATA note.
 *
 * A reader of the fixed keys we need, bounded by the bytes it is given: a count above
 * what is left is damage, nothing is allocated by what a count claims, nesting is only
 * counted. Values of unknown keys are walked over, so that the whole map is validated.
 *
 * Spec: AMDGPUUsage, "Code Object V3 Metadata" to V6; MessagePack specification.
 */
#ifndef RA_METADATA_H
#define RA_METADATA_H

#include "base/cursor.h"

/** A kernel as the metadata has it. Spans borrow the note. */
struct ra_metadata_kernel {
    struct ra_span name, symbol;
    struct ra_kernel kernel; /**< `name` not set */
    bool has_wgp_mode;       /**< V5 and later, gfx10 to gfx12.0 */
};

/** Where a reader puts kernels as it meets them; false ends it with RA_E_NOMEM. */
typedef bool ra_metadata_sink(void *arg, const struct ra_metadata_kernel *kernel);

struct ra_metadata {
    struct ra_span target; /**< amdhsa.target, empty if absent; borrows the note */
    uint64_t kernel_count;
    uint32_t major, minor; /**< amdhsa.version */
    bool has_version;
};

/**
 * Read one map, which must fill `note` to its end.
 *
 * @param sink  called for each kernel; NULL if only their number is wanted
 * @param bad   if RA_E_FORMAT: offset of the damage in `note`
 * @return RA_OK; RA_E_FORMAT (not told); RA_E_NOMEM from the sink
 */
RA_MUST_CHECK enum ra_status ra_metadata_read(struct ra_span note, ra_metadata_sink *sink,
                                              void *arg, struct ra_metadata *ret,
                                              size_t *bad);

#endif
