/*
 * excuse.h - files that need not serve a GPU, as others do it in their place.
 */
#ifndef RA_EXCUSE_H
#define RA_EXCUSE_H

#include "audit/run.h"

/** Take the weight off a verdict; `why` has to last. */
void ra_excuse(struct ra_verdict *verdict, const char *why);

/**
 * Excuse what can be told from all files together: code objects and archives beside
 * others that serve, archives whose users are judged themselves, variants of a library
 * that are not loaded, and what tools left behind.
 *
 * @param files  of the report, in the order of the results that are told
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_excuse_all(struct ra_run *run,
                                           const struct ra_file *files, size_t count);

/** Whether a finding says no more than a verdict that is excused. */
bool ra_is_excused(const struct ra_file *file, const struct ra_finding *finding);

#endif
