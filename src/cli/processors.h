/* processors.h - `gpu --list` and `--version`: what this build knows. */
#ifndef RA_CLI_PROCESSORS_H
#define RA_CLI_PROCESSORS_H

#include <stdio.h>

/** A table of all processors; as wide as it needs to be. */
void processors_list(FILE *file);

void processors_version(FILE *file);

#endif
