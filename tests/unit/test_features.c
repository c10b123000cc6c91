#include "gfx/target.h"

#include <criterion/criterion.h>

static bool has(const char *processor, const char *feature)
{
    const char *const *list = ra_processor_features(processor);

    for (; list && *list; list++)
        if (strcmp(*list, feature) == 0)
            return true;
    return false;
}

/* Which processors of those below have a feature; the others do not. */
static const struct {
    const char *feature;
    const char *have[12];
} facts[] = {
    { "mfma", { "gfx908", "gfx90a", "gfx942", "gfx950" } },
    { "mfma_f64", { "gfx90a", "gfx942", "gfx950" } },
    { "packed_fp32", { "gfx90a", "gfx942", "gfx950" } },
    { "tgsplit", { "gfx90a", "gfx942", "gfx950" } },
    { "kernarg_preload", { "gfx90a", "gfx942", "gfx950" } },
    { "architected_flat_scratch",
      { "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1200", "gfx1201" } },
    { "mfma_fp8", { "gfx942", "gfx950" } },
    { "mfma_xf32", { "gfx942" } },
};

static const char *const asked[] = {
    "gfx803",  "gfx900",  "gfx906",  "gfx908",  "gfx90a",  "gfx942",  "gfx950",
    "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1200", "gfx1201",
};

/* AMDGPUUsage, "AMDGPU Processors"; CDNA ISA manuals. */
Test(features, known_facts_hold)
{
    for (size_t i = 0; i < RA_COUNT(facts); i++)
        for (size_t j = 0; j < RA_COUNT(asked); j++) {
            bool expected = false;

            for (size_t k = 0; facts[i].have[k]; k++)
                expected = expected || strcmp(facts[i].have[k], asked[j]) == 0;
            cr_assert_eq(has(asked[j], facts[i].feature), expected, "%s of %s",
                         facts[i].feature, asked[j]);
        }
}

/* No row is better than one with holes, which would read as a denial. */
Test(features, processors_that_llvm_cannot_disassemble_have_no_list)
{
    static const char *const unknown[] = { "gfx600", "gfx701",       "gfx802",  "gfx805",
                                           "gfx940", "gfx1310",      "gfx1999", "",
                                           "sm_80",  "gfx90a:xnack+" };

    for (size_t i = 0; i < RA_COUNT(unknown); i++)
        cr_assert_null(ra_processor_features(unknown[i]), "%s", unknown[i]);
}

Test(features, every_list_belongs_to_a_processor_and_names_nothing_twice)
{
    static const char *const named[] = {
#define FEATURES(name, ...) name,
#include "gfx/features.def"
#undef FEATURES
    };

    for (size_t i = 0; i < RA_COUNT(named); i++) {
        const char *const *list = ra_processor_features(named[i]);

        cr_assert_not_null(ra_processor_by_name(named[i]), "%s", named[i]);
        cr_assert_not_null(list, "%s", named[i]);
        for (size_t j = 0; list[j]; j++) {
            cr_assert(*list[j] >= 'a' && *list[j] <= 'z', "%s: %s", named[i], list[j]);
            for (size_t k = 0; k < j; k++)
                cr_assert_str_neq(list[j], list[k], "%s", named[i]);
        }
    }
}
