/* variants.h - which one of several libraries a package loads, see variants.def. */
#ifndef RA_VARIANTS_H
#define RA_VARIANTS_H

#include "base/base.h"

/** A release, for the newest there is: whatever is the highest variant. */
#define RA_VARIANT_NEWEST 9999

/** Whether the package is one that has variants of a library. */
bool ra_variant_has(const char *package);

/**
 * Whether the file, which may have a path before it, is such a library of that package.
 *
 * @param release  it is made for, as 100 * major + minor: 714 is 7.14; may be NULL
 */
bool ra_variant_is(const char *package, const char *file, unsigned *release);

/**
 * The file that the package loads on a release of ROCm: that of the release; else the
 * highest lower one of the same major number; else the lowest higher one of it. Another
 * major number is never taken, and the package then fails to load.
 *
 * @param files  of the package, in any order; those that are no such library do not count
 * @param release  100 * major + minor, or RA_VARIANT_NEWEST
 * @return false if it loads none of them
 */
RA_MUST_CHECK bool ra_variant_pick(const char *package, const char *const *files,
                                   size_t count, unsigned release, size_t *ret);

#endif
