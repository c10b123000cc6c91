/* exit.h - what a report comes to as an exit status: 0 fits, 1 mismatch, 2 undecided. */
#ifndef RA_EXIT_H
#define RA_EXIT_H

#include "device/device.h"

int ra_exit_of_audit(const struct ra_report *report, const struct ra_options *options,
                     const struct ra_devices *devices);
int ra_exit_of_list(const struct ra_report *report, const struct ra_options *options);

#endif
