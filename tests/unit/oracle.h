/*
 * oracle.h - the metadata of code objects as msgpack-c reads them.
 *
 * msgpack-c allocates what a count claims, so it only gets what ra_metadata_read() has
 * found sound; then every key that we read must have the value that it sees.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "gfx/metadata.h"

/** Zero-initialise; sums over all notes it was asked about. */
struct oracle {
    uint64_t notes, kernels;
    double seconds, seconds_counting; /**< ra_metadata_read() with and without a sink */
    double seconds_msgpack;
    char why[256]; /**< what differed in the last note that did */
};

/** False if ra_metadata_read() refuses `note`, or reads it differently. */
RA_MUST_CHECK bool oracle_agrees(struct oracle *oracle, struct ra_span note);

#endif
