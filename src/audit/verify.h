/*
 * verify.h - whether files are what the records of their packages say.
 *
 * Only files on disk are checked, those that a record gives a SHA-256 of: Python's do,
 * and nothing looks at them once a package is installed.
 */
#ifndef RA_VERIFY_H
#define RA_VERIFY_H

#include "audit/run.h"

/** Read every such file, and count those that differ for their packages. */
RA_MUST_CHECK enum ra_status ra_verify(struct ra_run *run);

#endif
