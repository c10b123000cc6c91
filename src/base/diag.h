/*
 * diag.h - everything worth telling a human, kept in order.
 *
 * A parser that finds damage adds one diag, at the place it was looking at, and returns
 * a status. Callers pass the status on and add nothing, so each fault is told exactly
 * once. Nothing in the library prints.
 */
#ifndef RA_DIAG_H
#define RA_DIAG_H

#include "base/arena.h"

enum ra_diag_code {
#define DIAG(code, number, name, severity, text) RA_DIAG_##code,
#include "base/diag.def"
#undef DIAG
    RA_DIAG_CODES,
};

/** Where a fault is: see `offset` and `inner` of struct ra_diag. */
struct ra_place {
    uint64_t offset, inner;
};

/** Zero-initialise with an arena; the list lives as long as the arena. */
struct ra_diags {
    struct ra_arena *arena;
    struct ra_diag *first, *last;
    size_t count;  /**< told, kept or not */
    size_t errors; /**< of severity error: what they were told of was not read */
    size_t limit;  /**< further diags are counted, not kept; 0 is no limit */
};

/** The name users see, e.g. "bundle-entry-outside"; its number, e.g. "D010". */
const char *ra_diag_name(enum ra_diag_code code);
const char *ra_diag_number(enum ra_diag_code code);

/** A place in the file's own bytes. */
struct ra_place ra_at(uint64_t offset);

/** Record a fault and hand back `status`, so that a parser can return it. */
RA_PRINTF(5, 6)
enum ra_status ra_fault(struct ra_diags *diags, enum ra_status status,
                        enum ra_diag_code code, struct ra_place place, const char *fmt,
                        ...);

/** Move `from` to the end of `to`, up to its limit; the caller joins their arenas. */
void ra_diags_join(struct ra_diags *to, struct ra_diags *from);

/** The same, but for diags that `to` has already: several looked at the same bytes. */
void ra_diags_join_new(struct ra_diags *to, struct ra_diags *from);

/** True if `status` spoils one unit only: its siblings can still be read. */
bool ra_is_damage(enum ra_status status);

#endif
