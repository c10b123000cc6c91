#include "facts.h"

#include "device/device.h"

#include <criterion/criterion.h>

#define MOST 4

/* Devices of one machine, in the order of the targets. */
static size_t machine(const char *const *targets, struct ra_device devices[MOST])
{
    size_t count = 0;

    for (; targets[count]; count++) {
        devices[count] = facts_device(targets[count]);
        devices[count].index = devices[count].same_as = count;
    }
    return count;
}

/* The block of each device, a letter each: . stop Mode may Abort. */
static const char *blocks(struct ra_file file, unsigned release,
                          const char *const *targets)
{
    static const char letters[] = { [RA_BLOCK_NONE] = '.',
                                    [RA_BLOCK_STOP] = 's',
                                    [RA_BLOCK_MODE] = 'M',
                                    [RA_BLOCK_MAY_ABORT] = 'm',
                                    [RA_BLOCK_ABORT] = 'A' };
    static char text[MOST + 1];
    struct ra_rocm rocm = { release, RA_UPSTREAM };
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    size_t count = machine(targets, devices);

    for (size_t i = 0; i < count; i++)
        cr_assert_eq(ra_judge_file(&file, &devices[i], &rocm, &facts_arena, &verdicts[i]),
                     RA_OK);
    ra_judge_machine(&file, devices, count, &rocm, verdicts);
    for (size_t i = 0; i < count; i++)
        text[i] = letters[verdicts[i].block];
    text[count] = '\0';
    return text;
}

static struct ra_file of(const char *targets)
{
    struct ra_bundle bundle = facts_for(targets);

    return facts_file("libfoo.so", &bundle, 1);
}

static const char *const apu_first[] = { "gfx1036", "gfx1100", NULL };
static const char *const apu_last[] = { "gfx1100", "gfx1036", NULL };

/* Code for gfx90a in an old version, so that every release can load it. */
static struct ra_file old(const char *target)
{
    struct ra_entry entry = facts_code(target);
    struct ra_bundle bundle;

    entry.code.version = 4;
    bundle = facts_bundle("plain", &entry, 1);
    return facts_file("libfoo.so", &bundle, 1);
}

/* clr hip_fatbin.cpp of 7: the loop over devices ends at the first without a match. */
Test(several, from_7_on_those_after_an_uncovered_gpu_get_nothing, .fini = facts_forget)
{
    cr_assert_str_eq(blocks(of("gfx1100"), 700, apu_first), ".s");
    cr_assert_str_eq(blocks(of("gfx1100"), RA_ROCM_NEWEST, apu_first), ".s");
    cr_assert_str_eq(blocks(of("gfx1100"), 700, apu_last), "..");
}

Test(several, of_6_each_gpu_is_on_its_own, .fini = facts_forget)
{
    cr_assert_str_eq(blocks(of("gfx1100"), 602, apu_first), "..");
    cr_assert_str_eq(blocks(of("gfx1100"), 602, apu_last), "..");
}

/* Measured with 5.2.3 in both orders; 5.6 was seen to go on. */
Test(several, of_5_any_uncovered_gpu_ends_the_process, .fini = facts_forget)
{
    static const char *const last[] = { "gfx90a:sramecc+:xnack-", "gfx1030", NULL };
    static const char *const first[] = { "gfx1030", "gfx90a:sramecc+:xnack-", NULL };

    cr_assert_str_eq(blocks(old("gfx90a"), 502, last), "A.");
    cr_assert_str_eq(blocks(old("gfx90a"), 502, first), ".A");
    cr_assert_str_eq(blocks(old("gfx90a"), 506, first), ".m");
}

Test(several, where_all_are_covered_nobody_is_blocked, .fini = facts_forget)
{
    static const char *const both[] = { "gfx1030", "gfx1100", NULL };
    static const unsigned releases[] = { 602, 700, RA_ROCM_NEWEST };

    for (size_t i = 0; i < RA_COUNT(releases); i++)
        cr_assert_str_eq(blocks(of("gfx1030 gfx1100"), releases[i], both), "..");
}

/* One entry answers one query of comgr; 5.2.3 gave it to both, as measured. */
Test(several, two_modes_of_a_processor_need_two_entries, .fini = facts_forget)
{
    static const char *const modes[] = { "gfx906:sramecc+:xnack-",
                                         "gfx906:sramecc-:xnack-", NULL };

    cr_assert_str_eq(blocks(of("gfx906"), 700, modes), ".M");
    cr_assert_str_eq(blocks(of("gfx906:sramecc+ gfx906:sramecc-"), 700, modes), "..");
    cr_assert_str_eq(blocks(old("gfx906"), 502, modes), "..");
}

Test(several, a_bundle_that_lacks_one_gpu_is_enough, .fini = facts_forget)
{
    struct ra_bundle bundles[] = { facts_for("gfx1036 gfx1100"), facts_for("gfx1100") };

    cr_assert_str_eq(blocks(facts_file("libfoo.so", bundles, 2), 700, apu_first), ".s");
    cr_assert_str_eq(blocks(facts_file("libfoo.so", bundles, 1), 700, apu_first), "..");
}

/* A hidden GPU is in nobody's way. */
Test(several, only_gpus_that_hip_sees_count, .fini = facts_forget)
{
    struct ra_file file = of("gfx1100");
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    size_t count = machine(apu_first, devices);

    devices[0].skipped = "hidden";
    ra_judge_machine(&file, devices, count, &facts_rocm, verdicts);
    cr_assert_eq(verdicts[1].block, RA_BLOCK_NONE);
}

/* The third is the first again, and stands behind one that is not covered. */
Test(several, a_twin_behind_an_uncovered_gpu_is_blocked, .fini = facts_forget)
{
    static const char *const targets[] = { "gfx1030", "gfx1151", "gfx1030", NULL };
    struct ra_file file = of("gfx1030");
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    struct ra_rocm rocm = { 700, RA_UPSTREAM };
    size_t count = machine(targets, devices);

    devices[2].same_as = 0;
    ra_judge_machine(&file, devices, count, &rocm, verdicts);
    cr_assert_eq(verdicts[0].block, RA_BLOCK_STOP);
    cr_assert_eq(verdicts[0].blocked_by, 1);
    ra_judge_machine(&file, devices, 2, &rocm, verdicts);
    cr_assert_eq(verdicts[0].block, RA_BLOCK_NONE);
}

/* ROCr passes over a GPU it does not know, so that it is in nobody's way. */
Test(several, gpus_unknown_to_the_release_block_nobody, .fini = facts_forget)
{
    static const char *const targets[] = { "gfx1100", "gfx90a:sramecc+:xnack-", NULL };

    cr_assert_str_eq(blocks(old("gfx90a"), 502, targets), "..");
    cr_assert_str_eq(blocks(old("gfx90a"), 700, targets), ".s");
}

/* Two GPUs of one name are one question to comgr. */
Test(several, one_name_shares_its_entry, .fini = facts_forget)
{
    struct ra_file file = of("gfx1030");
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    static const char *const targets[] = { "gfx1030", "gfx1030", NULL };
    size_t count = machine(targets, devices);

    devices[1].override_text = "HSA_OVERRIDE_GFX_VERSION=10.3.0";
    devices[1].hardware = facts_target("gfx1031");
    ra_judge_machine(&file, devices, count, &facts_rocm, verdicts);
    cr_assert_eq(verdicts[0].block, RA_BLOCK_NONE);
    cr_assert_eq(verdicts[1].block, RA_BLOCK_NONE);
}

/* A bare gfx906 was told: it is one board, and not known which. */
Test(several, an_assumed_mode_is_no_second_gpu, .fini = facts_forget)
{
    struct ra_file file = of("gfx906");
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    static const char *const targets[] = { "gfx906:sramecc+:xnack-",
                                           "gfx906:sramecc-:xnack-", NULL };
    size_t count = machine(targets, devices);

    devices[0].sramecc_assumed = devices[1].sramecc_assumed = true;
    ra_judge_machine(&file, devices, count, &facts_rocm, verdicts);
    cr_assert_eq(verdicts[1].block, RA_BLOCK_NONE);
}

Test(several, a_gpu_that_is_spoiled_fails_by_itself, .fini = facts_forget)
{
    struct ra_file file = of("gfx1030");
    struct ra_device devices[MOST] = { 0 };
    struct ra_verdict verdicts[MOST] = { 0 };
    static const char *const targets[] = { "gfx1030", NULL };
    size_t count = machine(targets, devices);

    devices[0].sramecc_forced = true;
    ra_judge_machine(&file, devices, count, &facts_rocm, verdicts);
    cr_assert_eq(verdicts[0].block, RA_BLOCK_OVERRIDE);
}
