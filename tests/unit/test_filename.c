#include "gfx/filename.h"
#include "gfx/target.h"

#include <criterion/criterion.h>

/* The target that a name holds, or "". */
static const char *named(const char *path)
{
    static char text[RA_TARGET_TEXT];
    struct ra_target target;

    text[0] = '\0';
    if (ra_filename_target(path, &target))
        ra_target_spell(&target, text);
    return text;
}

/* Names as rocBLAS, hipBLASLt, MIOpen and aiter give them. */
Test(filename, targets_are_read_however_they_are_spelled)
{
    static const char *const known[][2] = {
        { "library/Kernels.so-000-gfx1010.hsaco", "gfx1010" },
        { "Kernels.so-000-gfx90a-xnack-.hsaco", "gfx90a:xnack-" },
        { "Kernels.so-000-gfx90a-xnack+.hsaco", "gfx90a:xnack+" },
        { "co_gfx90c_xnack-.co", "gfx90c:xnack-" },
        { "a-gfx90a:sramecc+:xnack-.co", "gfx90a:sramecc+:xnack-" },
        { "TensileLibrary_gfx942.co", "gfx942" },
        { "x.gfx9-4-generic.co", "gfx9-4-generic" },
        { "gfx11-generic.co", "gfx11-generic" },
        { "from_gfx1030_for_gfx1100.co", "gfx1100" },
        { "gfx90a-xnack.co", "gfx90a" },
        { "gfx906-sramecc-on-xnack-off.co", "gfx906" },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++)
        cr_assert_str_eq(named(known[i][0]), known[i][1], "%s: %s", known[i][0],
                         named(known[i][0]));
}

Test(filename, what_names_no_processor_names_no_target)
{
    static const char *const none[] = { "",           "gfx",         "gfx9999.co",
                                        "agfx.co",    "gfx1030a.co", "gfx90a/kernels.co",
                                        "gfx1030x.co" };

    for (size_t i = 0; i < RA_COUNT(none); i++)
        cr_assert_str_eq(named(none[i]), "", "%s: %s", none[i], named(none[i]));
}
