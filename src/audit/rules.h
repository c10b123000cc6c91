/*
 * rules.h - from verdicts to findings: what is told of a file, and what mends it.
 */
#ifndef RA_RULES_H
#define RA_RULES_H

#include "audit/judge.h"

/** A file on a device, as the rules see it. */
struct ra_case {
    const struct ra_file *file;
    const struct ra_device *device;
    const struct ra_verdict *verdict;
    bool behind; /**< an APU behind a discrete GPU that the file serves */
};

/** Findings of one file. Zero-initialise with an arena. */
struct ra_findings {
    struct ra_arena *arena;
    struct ra_finding_node {
        struct ra_finding_node *next;
        struct ra_finding finding;
    } *first, *last;
    size_t count;
};

/** Apply all rules to one case. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_rules_apply(const struct ra_case *subject,
                                            struct ra_findings *findings);

#endif
