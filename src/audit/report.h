/* report.h - the memory of a report, for a stage that adds to it. */
#ifndef RA_AUDIT_REPORT_H
#define RA_AUDIT_REPORT_H

#include "base/arena.h"

/** Lives until ra_report_free(). */
struct ra_arena *ra_report_arena(struct ra_report *report);

#endif
