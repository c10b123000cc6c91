/*
 * rules.h - from verdicts to findings: what is told of a file, and what mends it.
 */
#ifndef RA_RULES_H
#define RA_RULES_H

#include "audit/gate.h"
#include "audit/judge.h"

/** A file on a device, as the rules see it. */
struct ra_case {
    const struct ra_file *file;       /**< NULL for the rules of a device */
    const struct ra_verdict *verdict; /**< NULL likewise */
    const struct ra_device *device;
    const struct ra_device *devices;   /**< all of them */
    const struct ra_verdict *verdicts; /**< of the file on all of them, if judged */
    size_t device_count;
    bool one_machine; /**< the devices are in one, rather than a list of targets */
    const struct ra_rocm *rocm;
    unsigned cpu; /**< x86-64-vN to judge host code for; 0: it is not judged */
    const struct ra_gate *gate; /**< what devices are required for; NULL: they are GPUs */
    const struct ra_package *package;      /**< for the rules of packages; else NULL */
    const struct ra_site_package *records; /**< the same, as its records have it */
    const struct ra_packages *packages;    /**< all of them */
    size_t alike; /**< for the rules of folders: files in the folder that are as `file`
                     is; else 0 */
    bool behind;  /**< an APU behind a discrete GPU that the file serves */
    bool first;   /**< the first judged device: what is told once a file is told now */
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

/**
 * Apply all rules of files to one case, or all rules of devices if it has no file.
 *
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_rules_apply(const struct ra_case *subject,
                                            struct ra_findings *findings);

#endif
