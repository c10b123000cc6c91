/*
 * told.h - an arena and faults for a test, and what was told.
 *
 *     struct told told = TOLD_INIT(told);
 *     cr_assert_eq(ra_thing_read(&source, &told.diags, &thing), RA_E_FORMAT);
 *     assert_told(told, THING_BAD);
 */
#ifndef TOLD_H
#define TOLD_H

#include "base/diag.h"

#include <criterion/criterion.h>

struct told {
    struct ra_arena arena;
    struct ra_diags diags;
};

/** In place only: `diags` points into the struct. */
#define TOLD_INIT(told)                                                                  \
    {                                                                                    \
        .diags = {.arena = &(told).arena }                                               \
    }

/** Give back the memory; the struct can be told again. */
static inline void told_end(struct told *told)
{
    ra_arena_free(&told->arena);
    told->diags = (struct ra_diags){ .arena = &told->arena };
}

/** Name of the only fault: "nothing" or "several" if there is not one. */
static inline const char *told_name(const struct told *told)
{
    if (told->diags.count != 1)
        return told->diags.count ? "several" : "nothing";
    return told->diags.first ? told->diags.first->name : "one that was not kept";
}

static inline const char *told_detail(const struct told *told)
{
    return told->diags.first ? told->diags.first->detail : "nothing";
}

/** Exactly one fault was told, and it is RA_DIAG_`code`. Ends `told`. */
#define assert_told(told, code)                                                          \
    do {                                                                                 \
        cr_assert_str_eq(told_name(&(told)), ra_diag_name(RA_DIAG_##code),               \
                         "told %s: %s", told_name(&(told)), told_detail(&(told)));       \
        told_end(&(told));                                                               \
    } while (0)

/** Nothing was told. Ends `told`. */
#define assert_silent(told)                                                              \
    do {                                                                                 \
        cr_assert_eq((told).diags.count, 0, "told %s: %s", told_name(&(told)),           \
                     told_detail(&(told)));                                              \
        told_end(&(told));                                                               \
    } while (0)

#endif
