#include "report/out.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void ra_out_start(struct ra_out *out, ra_sink *sink, void *arg)
{
    out->sink = sink;
    out->arg = arg;
    out->failed = false;
    out->used = 0;
    out->total = 0;
}

void ra_out_add(struct ra_out *out, const char *bytes, size_t size)
{
    out->total += size;
    while (size > 0) {
        size_t part = RA_OUT_ROOM - out->used;

        part = size < part ? size : part;
        memcpy(out->bytes + out->used, bytes, part);
        out->used += part;
        bytes += part;
        size -= part;
        if (out->used == RA_OUT_ROOM && !ra_out_flush(out))
            return;
    }
}

void ra_out_str(struct ra_out *out, const char *string)
{
    ra_out_add(out, string, strlen(string));
}

void ra_out_fill(struct ra_out *out, char byte, size_t count)
{
    while (count-- > 0)
        ra_out_add(out, &byte, 1);
}

void ra_out_printf(struct ra_out *out, const char *format, ...)
{
    char text[256];
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    assert(size >= 0 && (size_t)size < sizeof(text));
    ra_out_add(out, text, (size_t)size);
}

bool ra_out_flush(struct ra_out *out)
{
    if (out->used > 0 && !out->failed)
        out->failed = !out->sink(out->arg, out->bytes, out->used);
    out->used = 0;
    return !out->failed;
}
