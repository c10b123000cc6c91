/*
 * deny.h - allocations of the program that fail.
 */
#ifndef DENY_H
#define DENY_H

#include <stdbool.h>

struct deny {
    unsigned long number; /* of the allocation that fails, from 1; 0: none does */
    bool all;             /* all that follow it fail as well */
    int count; /* a file that takes the number of all, an unsigned long, at the end */
};

/* From now on allocations are counted, and denied. */
void deny_start(const struct deny *deny);

#endif
