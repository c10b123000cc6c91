/*
 * bundles.h - from a bundle to its facts, in parallel.
 *
 * Each bundle is a task of its own with an arena of its own; the facts are joined in
 * the order of the file, so that any number of threads gives the same result.
 */
#ifndef RA_BUNDLES_H
#define RA_BUNDLES_H

#include "audit/context.h"
#include "base/arena.h"
#include "base/diag.h"
#include "bundle/kpak.h"
#include "io/source.h"

/** The facts of a file while it is scanned. Zero-initialise, then set the pointers. */
struct ra_bundles {
    const struct ra_scan_context *context;
    struct ra_arena *arena;         /**< for what the report keeps */
    struct ra_arena *kernels_arena; /**< for kernels and their names */
    struct ra_diags *diags;
    struct ra_bundle *list; /**< on the heap: ra_bundles_free() */
    size_t count, room;
    size_t hint;    /**< where ra_bundles_met() found the last one */
    size_t *places; /**< of bundles by offset, for ra_bundles_met(): index + 1, or 0 */
    size_t place_count, place_room; /**< the first so many are in it; a power of two */
    uint64_t expanded; /**< bytes that compressed bundles announced, for the limit */
    bool damaged;      /**< something that could be a bundle was not read */
};

/** All bundles of `source`, a section or a file. RA_OK, RA_E_IO, RA_E_LIMIT, RA_E_NOMEM.
 */
RA_MUST_CHECK enum ra_status ra_bundles_scan(struct ra_bundles *bundles,
                                             const struct ra_source *source);

/** The first bundle of `source` only. */
RA_MUST_CHECK enum ra_status ra_bundles_scan_one(struct ra_bundles *bundles,
                                                 const struct ra_source *source);

/**
 * Bundle after bundle, with zeros between, as long as there are any.
 *
 * @param last  where the last one ends, from the start of `source`
 * @param end   where the zeros behind it end
 */
RA_MUST_CHECK enum ra_status ra_bundles_scan_run(struct ra_bundles *bundles,
                                                 const struct ra_source *source,
                                                 uint64_t *last, uint64_t *end);

/** Add the bundles of `from`, whose arenas the caller joins. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_bundles_take(struct ra_bundles *to,
                                             struct ra_bundles *from);

/** The code object that is all of `source`. */
RA_MUST_CHECK enum ra_status ra_bundles_scan_raw(struct ra_bundles *bundles,
                                                 const struct ra_source *source);

/** A code object by its place in a file. */
struct ra_part {
    uint64_t offset, size;
    struct ra_span id; /**< its entry ID; empty if it has none */
};

/** Code objects that belong together, as one bundle whose entries they are. */
RA_MUST_CHECK enum ra_status
ra_bundles_scan_parts(struct ra_bundles *bundles, const struct ra_source *file,
                      const char *container, const struct ra_part *parts, size_t count);

/**
 * A bundle whose code is in .kpack archives.
 *
 * @param key  by which they list it, escaped; NULL: that could not be read
 */
RA_MUST_CHECK enum ra_status ra_bundles_add_kpack(struct ra_bundles *bundles,
                                                  const char *key);

/** Each binary that a .kpack archive holds code for, as a bundle of its own. */
RA_MUST_CHECK enum ra_status ra_bundles_scan_kpak(struct ra_bundles *bundles,
                                                  const struct ra_source *source,
                                                  const struct ra_kpak *kpak);

/**
 * All blobs of `source`, a section or a file of OffloadBinary: a bundle for each language
 * that has device code of AMD in them, in the order they are met, of container
 * "offload-binary". What is not known of a blob is not known of any of the bundles: then
 * none has a table, and there is one at least.
 */
RA_MUST_CHECK enum ra_status ra_bundles_scan_offload(struct ra_bundles *bundles,
                                                     const struct ra_source *source);

/** Count bytes that something will be expanded to; RA_E_LIMIT (told at `place`). */
RA_MUST_CHECK enum ra_status ra_bundles_charge(struct ra_bundles *bundles,
                                               uint64_t expanded, struct ra_place place);

/** Whether a bundle was met at `offset` of the file. */
bool ra_bundles_met(struct ra_bundles *bundles, uint64_t offset);

void ra_bundles_free(struct ra_bundles *bundles);

#endif
