/*
 * editable.h - editable installs: packages whose files are where they are worked on.
 *
 * A record names the folder. It is a file like any other, so what it names is only walked
 * where that was asked for.
 */
#ifndef RA_EDITABLE_H
#define RA_EDITABLE_H

#include "audit/run.h"

/**
 * Walk again, with the folders that editable installs among the files of the walk have
 * theirs in: each once, none that holds what was to be looked at, or is in it. What is
 * installed there in turn is not followed.
 */
RA_MUST_CHECK enum ra_status ra_editable_follow(struct ra_run *run);

/** Make packages->editable, and say which packages are elsewhere. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_editable_index(struct ra_run *run);

/** The editable package in whose folder the file at `place` is, or NULL. */
const struct ra_site_package *ra_editable_owner(const struct ra_packages *packages,
                                                const char *place);

#endif
