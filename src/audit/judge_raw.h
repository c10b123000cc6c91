/* judge_raw.h - code objects in no bundle, which a program hands to ROCr itself. Pure. */
#ifndef RA_JUDGE_RAW_H
#define RA_JUDGE_RAW_H

#include "audit/load.h"

/** Whether the bundle is a code object by itself, or a set of such among data. */
bool ra_judge_is_raw(const struct ra_bundle *bundle);

/** Whether it is a set among data: which of them is used is the affair of the program. */
bool ra_judge_is_embedded(const struct ra_bundle *bundle);

/** The choice of such a bundle: of a set, the entry that serves the device best. */
struct ra_choice ra_judge_raw(const struct ra_offer *offer);

#endif
