/*
 * out.h - bytes on their way into a sink.
 *
 * A small buffer, so that a report of any size costs the same memory. Failure sticks:
 * once the sink refused, nothing more is offered to it, and a writer asks at its end.
 */
#ifndef RA_OUT_H
#define RA_OUT_H

#include "base/base.h"

#define RA_OUT_ROOM ((size_t)16 * 1024)

/** ra_out_start() it; ra_out_flush() at the end. */
struct ra_out {
    ra_sink *sink;
    void *arg;
    bool failed; /**< the sink refused */
    size_t used;
    uint64_t total; /**< bytes that were ever added */
    char bytes[RA_OUT_ROOM];
};

/** Sets all but the buffer, which is large. */
void ra_out_start(struct ra_out *out, ra_sink *sink, void *arg);

void ra_out_add(struct ra_out *out, const char *bytes, size_t size);
void ra_out_str(struct ra_out *out, const char *string);

/** `count` times `byte`. */
void ra_out_fill(struct ra_out *out, char byte, size_t count);

/** For numbers and words; what a file named goes through ra_out_str(), at any length. */
RA_PRINTF(2, 3) void ra_out_printf(struct ra_out *out, const char *format, ...);

/** Hand over what is held; false if anything was ever refused. */
bool ra_out_flush(struct ra_out *out);

#endif
