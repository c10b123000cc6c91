/*
 * metadata_v2.h - the YAML text of an NT_AMD_HSA_METADATA note.
 *
 * Names the kernels of code object V2 and what they need. A kernel's symbol is its name
 * there: HIP looks it up by that (rocclr, Kernel::postLoad), whatever SymbolName says.
 * Values of keys that nobody asked for are walked over.
 *
 * Spec: AMDGPUUsage, "Code Object V2 Metadata".
 */
#ifndef RA_METADATA_V2_H
#define RA_METADATA_V2_H

#include "base/arena.h"
#include "gfx/metadata.h"

/**
 * Read one text. Its "Kernels" may be missing: then it has none.
 *
 * A kernel without "CodeProps" has `wave_size` 0, and no more than its name is known.
 *
 * @param sink   called for each kernel; NULL if only their number is wanted
 * @param arena  for what `name` and `symbol` of the kernels span; unused without a sink
 * @param bad    if RA_E_FORMAT or RA_E_LIMIT: where in `note`
 * @return RA_OK; RA_E_FORMAT, RA_E_LIMIT (not told); RA_E_NOMEM, also from the sink
 */
RA_MUST_CHECK enum ra_status ra_metadata_v2_read(struct ra_span note,
                                                 ra_metadata_sink *sink, void *arg,
                                                 struct ra_arena *arena,
                                                 struct ra_metadata *ret, size_t *bad);

#endif
