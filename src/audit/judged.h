/*
 * judged.h - a file on all GPUs that are judged: verdicts, and what the rules say.
 */
#ifndef RA_JUDGED_H
#define RA_JUDGED_H

#include "audit/machine.h"
#include "audit/rules.h"

struct ra_judging {
    const struct ra_machine *machine;
    bool all_gpus;          /**< an APU behind a discrete GPU counts as well */
    struct ra_file *file;   /**< is given its verdicts */
    struct ra_arena *arena; /**< for them, and for texts */
    struct ra_findings *findings;
    const struct ra_packages *packages; /**< NULL: not known yet */
};

/** RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_judge_all(const struct ra_judging *judging);

/** What holds of the GPUs, whatever the files. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_judge_devices(const struct ra_machine *machine,
                                              bool all_gpus,
                                              struct ra_findings *findings);

#endif
