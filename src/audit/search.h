/*
 * search.h - device code, and wrappers of it, that no section tells of.
 *
 * Sections may be stripped, renamed or moved, and programs store code objects and bundles
 * among their data. What only looks like code is passed over without a word: the same
 * bytes are in tools that deal with code. What is found is not read yet.
 */
#ifndef RA_SEARCH_H
#define RA_SEARCH_H

#include "base/diag.h"
#include "bundle/magic.h"
#include "bundle/wrapper.h"

struct ra_find {
    enum ra_magic magic;
    uint64_t offset; /**< in the file */
    uint64_t size;   /**< 0: only expanding it tells */
};

/** Zero-initialise; then set `file` and `diags`. */
struct ra_search {
    const struct ra_source *file;
    struct ra_diags *diags;
    const struct ra_search
        *known;            /**< all finds of the file, if they are known already */
    struct ra_find *finds; /**< by offset, area by area; on the heap, as wrappers */
    size_t count, room;
    struct ra_wrapper *wrappers; /**< guessed */
    size_t wrapper_count, wrapper_room;
    size_t looked;     /**< places that start as code does */
    uint64_t searched; /**< bytes: areas may share some, but not without end */
};

/**
 * Search an area of the file.
 *
 * @param address  of its first byte, where the file is loaded
 * @return RA_OK; RA_E_LIMIT (told); RA_E_IO, RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_search(struct ra_search *search,
                                       const struct ra_source *area, uint64_t address);

/**
 * Whether what is at `in` of a window may start what `magic` promises: most magics are
 * followed by something else, and the window tells without another read.
 *
 * @param last  the window ends where the source does
 */
bool ra_search_may_be(struct ra_span window, size_t in, enum ra_magic magic, bool last);

/** Count a place before it is looked at; RA_E_LIMIT (told) for too many of them. */
RA_MUST_CHECK enum ra_status ra_search_count(struct ra_search *search, uint64_t offset);

/** Whether `rest` starts with what `magic` promises. RA_OK, RA_E_IO, RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_search_look(const struct ra_source *rest,
                                            enum ra_magic magic, struct ra_find *ret,
                                            bool *found);

/** Add to the finds; RA_E_LIMIT (told), RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_search_add(struct ra_search *search,
                                           const struct ra_find *find);

void ra_search_free(struct ra_search *search);

#endif
