/*
 * fatbin.h - where the bundles of a `.hip_fatbin` section, or of a file, are.
 *
 * Each translation unit brought one bundle of any kind; linkers put them one after
 * another with zeros between. Where a bundle ends is computed from the bundle itself,
 * never by looking for the next magic: those bytes occur in compressed data.
 */
#ifndef RA_FATBIN_H
#define RA_FATBIN_H

#include "bundle/ccob.h"
#include "bundle/table.h"

/** A bundle, located but not looked into. */
struct ra_piece {
    struct ra_source source; /**< from its first byte; up to its end if that is known */
    const char *container;   /**< plain, ccob1, ccob2, ccob3 */
    bool has_size;           /**< else only expanding it tells: ra_fatbin_pass() */
    enum ra_status status;   /**< not RA_OK: told, and there is nothing to look into */
    struct ra_ccob ccob;     /**< version 0: plain */
    struct ra_table table;   /**< of a plain one */
};

struct ra_fatbin {
    struct ra_source source;
    struct ra_arena *arena;
    struct ra_diags *diags;
    uint64_t next; /**< where the walk goes on */
    bool waiting;  /**< for ra_fatbin_pass() */
};

/** True if `head`, RA_BUNDLE_MAGIC_SIZE bytes or more, starts like a bundle. */
bool ra_fatbin_probe(struct ra_span head);

/** Start a walk over all of `source`. Nothing to close. */
void ra_fatbin_open(const struct ra_source *source, struct ra_arena *arena,
                    struct ra_diags *diags, struct ra_fatbin *ret);

/**
 * The next bundle. Damage on the way is told and stepped over; a bundle that is there
 * but cannot be opened is returned with its status.
 *
 * @return RA_OK, `*more` false at the end; RA_E_IO or RA_E_NOMEM, which end the walk
 */
RA_MUST_CHECK enum ra_status ra_fatbin_next(struct ra_fatbin *fatbin,
                                            struct ra_piece *ret, bool *more);

/**
 * Go on to the next byte that is not zero, and say whether a bundle starts there that
 * ra_fatbin_next() would know. Nothing is told of other bytes.
 */
RA_MUST_CHECK enum ra_status ra_fatbin_ahead(struct ra_fatbin *fatbin, bool *ret);

/** Say how large the bundle without a size was; 0 if that could not be found out. */
RA_MUST_CHECK enum ra_status ra_fatbin_pass(struct ra_fatbin *fatbin, uint64_t size);

#endif
