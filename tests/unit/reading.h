/*
 * reading.h - a code object read for a test, and what came of it.
 *
 *     struct reading reading;
 *     read_code(&reading, &fx, true);
 *     assert_told(reading.told, CODE_BAD);
 *     reading_end(&reading);
 */
#ifndef READING_H
#define READING_H

#include "gen/code.h"
#include "gfx/codeobj.h"
#include "told.h"

struct reading {
    struct told told;
    struct ra_arena arena;
    struct ra_names names;
    struct ra_codeobj_buffers buffers;
    struct ra_entry entry;
    enum ra_status status;
};

/** `kernels`: have them all, instead of only counted. reading_end() it. */
static inline void read_source(struct reading *reading, const struct ra_source *source,
                               bool kernels)
{
    struct ra_codeobj_sink sink = { &reading->arena, &reading->names, &reading->arena };

    *reading = (struct reading){ 0 };
    reading->told.diags.arena = &reading->told.arena;
    reading->names.arena = &reading->arena;
    reading->status = ra_codeobj_read(source, &reading->buffers, kernels ? &sink : NULL,
                                      &reading->told.diags, &reading->entry);
}

static inline void read_code(struct reading *reading, const struct fx *fx, bool kernels)
{
    struct ra_source source = fx_source(fx);

    read_source(reading, &source, kernels);
}

static inline void reading_end(struct reading *reading)
{
    told_end(&reading->told);
    ra_names_free(&reading->names);
    ra_codeobj_buffers_free(&reading->buffers);
    ra_arena_free(&reading->arena);
}

static inline const char *kernel_name(const struct reading *reading, size_t i)
{
    return reading->names.text[reading->entry.kernels[i].name];
}

/** Where the first program header of `type` is in a code object that was built. */
static inline size_t header_of(const struct fx *fx, const struct fx_code_at *at,
                               uint32_t type)
{
    size_t where = at->program_headers;

    while (fx_peek(fx, where, 4) != type)
        where += 56;
    return where;
}

#endif
