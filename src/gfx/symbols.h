/*
 * symbols.h - the dynamic symbols of a code object.
 *
 * Found through PT_DYNAMIC, as section headers may be stripped. How many there are is
 * told by the hash tables only, of which one is enough.
 *
 * Spec: ELF gABI, "Dynamic Section", "Hash Table", "Symbol Table"; the layout of
 * DT_GNU_HASH as GNU ld and lld write it.
 */
#ifndef RA_SYMBOLS_H
#define RA_SYMBOLS_H

#include "gfx/codeobj.h"

enum { RA_STT_OBJECT = 1, RA_STT_FUNC = 2, RA_STT_KERNEL = 10 /* of V2 */ };

struct ra_symbols {
    struct ra_span rows, names; /**< borrow the buffers */
};

struct ra_symbol {
    struct ra_span name; /**< empty if it lies outside the names */
    unsigned type;       /**< STT_... */
    uint64_t address, size;
};

/**
 * Load both tables into the buffers of that name.
 *
 * @return RA_OK; RA_E_FORMAT (told) if a table is missing or no segment holds it;
 *         RA_E_LIMIT (told), RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_symbols_load(const struct ra_image *image,
                                             struct ra_codeobj_buffers *buffers,
                                             struct ra_diags *diags,
                                             struct ra_symbols *ret);

/** The symbol at `cur`, which walks `rows`; false at their end. */
bool ra_symbols_next(const struct ra_symbols *symbols, struct ra_cursor *cur,
                     struct ra_symbol *ret);

#endif
