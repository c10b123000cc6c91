/*
 * beside.h - packages that are installed together, by their names.
 *
 * Those whose records are in one folder belong together, and so do wheels that were named
 * as files: they end up in one folder.
 */
#ifndef RA_BESIDE_H
#define RA_BESIDE_H

#include "audit/run.h"

/** Whether it is in a package file, rather than installed. */
bool ra_package_is_packed(const struct ra_site_package *package);

/**
 * Make packages->by_name and packages->names of the site, and say which packages are in
 * company. RA_OK or RA_E_NOMEM.
 */
RA_MUST_CHECK enum ra_status ra_beside_index(struct ra_packages *packages,
                                             struct ra_arena *arena);

/** Whether a package of that normalised name is anywhere. */
bool ra_package_is_known(const struct ra_packages *packages, const char *name);

/** The package of that normalised name that is installed with `package`, or NULL. */
const struct ra_site_package *ra_beside(const struct ra_packages *packages,
                                        const struct ra_site_package *package,
                                        const char *name);

/**
 * Packages that are installed with `package` and whose names start so, by name:
 * `for (p = ra_beside_first(..., &at); p; p = ra_beside_next(..., &at))`
 */
const struct ra_site_package *ra_beside_first(const struct ra_packages *packages,
                                              const struct ra_site_package *package,
                                              const char *start, size_t *at);
const struct ra_site_package *ra_beside_next(const struct ra_packages *packages,
                                             const struct ra_site_package *package,
                                             const char *start, size_t *at);

#endif
