/*
 * producer.h - which compiler made a code object, by its `.comment` section.
 *
 * The section holds one terminated string for each tool that had a part in it: the
 * linker, the compiler, and the compiler of device libraries that were linked in. Their
 * order says nothing, since linkers merge them. No loader looks at it, and it goes with
 * the section headers when a file is stripped: there is nothing in it to find fault with.
 */
#ifndef RA_PRODUCER_H
#define RA_PRODUCER_H

#include "base/arena.h"
#include "gfx/image.h"

#define RA_PRODUCER_SIZE 120 /* bytes of the longest text */

/**
 * "AMD clang 17.0.0 roc-6.1.0": vendor, version, and release of ROCm if it says one.
 *
 * Of several versions of clang the newest, as no clang reads libraries of a newer one;
 * where there is none of clang, the first string, better not that of a linker.
 *
 * @param ret  escaped, in `arena`; NULL if nothing is said
 * @return RA_OK; RA_E_IO (told), RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_producer_read(const struct ra_image *image,
                                              struct ra_arena *arena,
                                              struct ra_diags *diags, const char **ret);

#endif
