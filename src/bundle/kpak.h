/*
 * kpak.h - .kpack archives: the code objects of many host files, and a table of them.
 *
 * "KPAK", a version and the offset of the table; code objects; then the table, one
 * msgpack map, which goes on to the end of the file:
 *
 *     format_version      1
 *     group_name          "torch"
 *     gfx_arch_family     "gfx94x"
 *     gfx_arches          [ "gfx942", ... ]: what the loader looks at to open an archive
 *     compression_scheme  "none" or "zstd-per-kernel"
 *     blobs               of "none": [ { offset, size }, ... ], by ordinal
 *     zstd_offset, zstd_size  of the other: where there are a count and, by ordinal, a
 *                         size and a zstd frame for each code object
 *     toc                 { "lib/libfoo.so#0": { "gfx942": { type, ordinal,
 *                         original_size }}}: the number is that of the wrapper
 *
 * Spec: ROCm rocm-systems, shared/kpack/runtime/src/toc_parser.cpp.
 */
#ifndef RA_KPAK_H
#define RA_KPAK_H

#include "io/source.h"

#define RA_KPAK_HEAD        4 /* bytes that ra_kpak_probe() wants */
#define RA_KPAK_MAX_TABLE   ((uint64_t)64 << 20)
#define RA_KPAK_MAX_AREA    ((uint64_t)4 << 30) /* as in the runtime, as the next */
#define RA_KPAK_MAX_OBJECTS ((uint64_t)1 << 20)
#define RA_KPAK_MAX_ARCHES  256

/** The code for one wrapper of a host file, for one target. */
struct ra_kpak_entry {
    struct ra_span binary, arch; /**< keys of the table, raw, in the arena, terminated */
    uint32_t ordinal;
    uint64_t offset, size; /**< in the source, packed or not; 0 0: not known */
    uint64_t original_size;
    size_t first; /**< the first entry with the same code object; itself, if there is no
                     other. Nobody writes such archives, but a loader would not mind. */
    bool is_code; /**< of type "hsaco", or none is told */
    bool listed;  /**< `arch` is among those of the archive: else no loader looks here */
    bool damaged; /**< told: its bytes cannot be trusted, or are not there */
};

struct ra_kpak {
    struct ra_span group, family; /**< raw, in the arena, terminated; may be empty */
    struct ra_span *arches;       /**< the same, in the order of the archive */
    size_t arch_count;
    bool compressed;               /**< each code object is a zstd frame */
    struct ra_kpak_entry *entries; /**< by binary, then as in the table */
    size_t count;
    bool complete; /**< no entry is damaged */
};

/** True if `head` starts with the magic. */
bool ra_kpak_probe(struct ra_span head);

/**
 * Read header and table of an archive, and the sizes of its code objects.
 *
 * Reads the table first, which is at the end, and then, of a compressed archive, what
 * stands before each frame, forward.
 *
 * @return RA_OK, even if entries are damaged, which are told one by one; RA_E_FORMAT or
 *         RA_E_LIMIT for a header or table that cannot be used, RA_E_UNSUPPORTED for
 *         another version or scheme of compression (told); RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_kpak_read(const struct ra_source *source,
                                          struct ra_arena *arena, struct ra_diags *diags,
                                          struct ra_kpak *ret);

#endif
