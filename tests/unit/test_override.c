#include "facts.h"

#include "audit/override.h"

#include <criterion/criterion.h>

/* What a variable that makes `hardware` pass for `id` comes to. */
static enum ra_override of(const char *hardware, const char *id, unsigned release)
{
    struct ra_rocm rocm = { release, RA_UPSTREAM };
    struct ra_device device = facts_device(hardware);

    device.override_text = "HSA_OVERRIDE_GFX_VERSION=?";
    (void)strcpy(device.id.processor, id);
    return ra_override_of(&device, &rocm);
}

/* Reports of what people did, and LLVM's tables of instructions. */
Test(override, each_is_what_the_two_processors_make_it, .fini = facts_forget)
{
    static const struct {
        const char *hardware, *id;
        enum ra_override expected;
    } known[] = {
        { "gfx1031", "gfx1030", RA_OVERRIDE_SIBLING },
        { "gfx1036", "gfx1030", RA_OVERRIDE_SIBLING },
        { "gfx1101", "gfx1100", RA_OVERRIDE_SIBLING },
        { "gfx1151", "gfx1100", RA_OVERRIDE_SIBLING },
        { "gfx1152", "gfx1150", RA_OVERRIDE_SIBLING },
        { "gfx1201", "gfx1200", RA_OVERRIDE_SIBLING },
        { "gfx1011:xnack-", "gfx1010", RA_OVERRIDE_SIBLING },
        /* 1024 vector registers where the code may count on 1536 */
        { "gfx1103", "gfx1100", RA_OVERRIDE_RISKY },
        { "gfx1102", "gfx1100", RA_OVERRIDE_RISKY },
        { "gfx1150", "gfx1100", RA_OVERRIDE_RISKY },
        { "gfx1150", "gfx1151", RA_OVERRIDE_RISKY },
        /* scalar float instructions that gfx110x does not have */
        { "gfx1100", "gfx1150", RA_OVERRIDE_RISKY },
        { "gfx90c:xnack-", "gfx900", RA_OVERRIDE_RISKY },
        { "gfx1010:xnack-", "gfx1011", RA_OVERRIDE_RISKY },
        { "gfx90a:sramecc+:xnack-", "gfx1030", RA_OVERRIDE_FOREIGN },
        { "gfx1010:xnack-", "gfx1030", RA_OVERRIDE_FOREIGN },
        { "gfx1201", "gfx1100", RA_OVERRIDE_FOREIGN },
        { "gfx908:sramecc+:xnack-", "gfx90a", RA_OVERRIDE_FOREIGN },
        { "gfx1100", "gfx1030", RA_OVERRIDE_FOREIGN },
        { "gfx1030", "gfx1030", RA_OVERRIDE_NONE },
        { "gfx1150", "gfx1105", RA_OVERRIDE_UNKNOWN },
        { "gfx1150", "gfx1130", RA_OVERRIDE_UNKNOWN },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++)
        cr_assert_eq(of(known[i].hardware, known[i].id, RA_ROCM_NEWEST),
                     known[i].expected, "%s as %s", known[i].hardware, known[i].id);
}

Test(override, a_processor_that_the_release_lacks_vanishes, .fini = facts_forget)
{
    cr_assert_eq(of("gfx1101", "gfx1100", 502), RA_OVERRIDE_UNKNOWN);
    cr_assert_eq(of("gfx1101", "gfx1100", 602), RA_OVERRIDE_SIBLING);
}

Test(override, without_a_variable_there_is_none, .fini = facts_forget)
{
    struct ra_device device = facts_device("gfx1030");

    cr_assert_eq(ra_override_of(&device, &facts_rocm), RA_OVERRIDE_NONE);
    device.override_text = "HSA_OVERRIDE_GFX_VERSION=x";
    device.override_invalid = true;
    cr_assert_eq(ra_override_of(&device, &facts_rocm), RA_OVERRIDE_INVALID);
}
