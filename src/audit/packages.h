/*
 * packages.h - whose the files are, and what a package comes to.
 *
 * Records that were scanned become packages (src/site); files are theirs by what the
 * records list; the verdict of a package is the worst of its files.
 */
#ifndef RA_PACKAGES_H
#define RA_PACKAGES_H

#include "audit/run.h"

/**
 * Read all records of a run into run->packages, and set the package of every result.
 *
 * What only belongs together by the kind of package is settled here too: the variant of
 * a library that a package loads.
 */
RA_MUST_CHECK enum ra_status ra_packages_read(struct ra_run *run);

/** Settle which variant of a library each package loads. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_packages_pick(struct ra_run *run);

/** What the run knows of a package of its site; NULL for NULL. */
struct ra_owned *ra_packages_owned(const struct ra_packages *packages,
                                   const struct ra_site_package *site);

/** Add up the files of each package, once all are judged: counts and verdicts. */
RA_MUST_CHECK enum ra_status ra_packages_add_up(struct ra_run *run);

/**
 * Apply the rules of packages, and of files that are told of once a folder; they add to
 * run->findings. RA_OK or RA_E_NOMEM.
 */
RA_MUST_CHECK enum ra_status ra_packages_judge(struct ra_run *run);

/**
 * Those with device code, a finding or a word on them become the packages of the report,
 * and files and findings point there.
 */
RA_MUST_CHECK enum ra_status ra_packages_report(struct ra_run *run);

#endif
