/*
 * plan.h - which entries are wanted, and how their files are called.
 *
 * Names depend on the report and the options alone, so that any number of threads, a dry
 * run and a second run give the same.
 */
#ifndef RA_PLAN_H
#define RA_PLAN_H

#include "base/arena.h"

/**
 * All entries with bytes of device code, but for those of targets nobody asked for.
 *
 * @param folder  before each path; escaped
 * @param ret     in `arena`, each RA_PLANNED, in the order of the report
 * @return RA_OK; RA_E_FORMAT if a target is none; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_plan(const struct ra_report *report,
                                     const struct ra_extract_options *how,
                                     const char *folder, struct ra_arena *arena,
                                     struct ra_written **ret, size_t *count);

#endif
