/*
 * kpackref.h - where a host file says that its device code is.
 *
 * HIPK wrappers point at one msgpack map, { kernel_name: "lib/libfoo.so",
 * kpack_search_paths: [ "../.kpack/foo_@GFXARCH@.kpack", ... ] }. Paths are relative to
 * the folder of the host file. An archive lists the code for wrapper 3 by the name
 * "lib/libfoo.so#3".
 *
 * Spec: ROCm rocm-systems, shared/kpack/runtime/src/loader.cpp.
 */
#ifndef RA_KPACKREF_H
#define RA_KPACKREF_H

#include "io/source.h"

#define RA_KPACK_REF_MAX   ((size_t)64 << 10) /* that the loader looks at */
#define RA_KPACK_MAX_PATHS 256
#define RA_KPACK_MAX_TEXT  4096 /* bytes of a name or path: PATH_MAX */

struct ra_kpack_ref {
    const char *kernel_name;  /**< raw, as the paths: escape it before it is shown */
    const char *const *paths; /**< at least one, in the order the loader tries them */
    size_t path_count;
    size_t size; /**< bytes of the record */
};

/**
 * Read the map at the start of `blob`, which may be longer.
 *
 * @param ret  in `arena`; terminated, with no NUL byte inside
 * @return RA_OK; RA_E_FORMAT or RA_E_LIMIT (told); RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_kpack_ref_read(const struct ra_source *blob,
                                               struct ra_arena *arena,
                                               struct ra_diags *diags,
                                               struct ra_kpack_ref *ret);

#endif
