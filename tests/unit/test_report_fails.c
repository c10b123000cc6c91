/* What comes to FAILS, and that the last line agrees with it. */
#include "base/text.h"
#include "sample.h"

#include <stdlib.h>

static const struct ra_style plain = { 0 };

/* Two GPUs, of which the first has no code and the second has. */
static void make_two(struct sample *sample, enum ra_block block)
{
    struct library *library = &sample->libraries[0];

    sample_make(sample, 1);
    sample->devices[0] = sample_device(0, "gfx1036");
    sample->devices[1] = sample_device(1, "gfx1100");
    sample->report.device_count = 2;
    sample_judge(library, 0, RA_MISSING, RA_ERROR);
    sample_judge(library, 1, RA_NATIVE, RA_NOTE);
    library->verdicts[1].block = block;
    library->verdicts[1].blocked_by = 0;
}

static struct ra_finding blocked(const char *file, enum ra_severity severity)
{
    return (struct ra_finding){ .rule = "RA010",
                                .name = "blocked-by-gpu",
                                .severity = severity,
                                .consequence = "refused",
                                .file = file,
                                .device = 1,
                                .message = "GPU 0 is in its way" };
}

Test(report_fails, gpu_that_another_blocks_fails)
{
    static const enum ra_block blocks[] = { RA_BLOCK_STOP, RA_BLOCK_MODE,
                                            RA_BLOCK_ABORT };
    struct sample sample;

    for (size_t i = 0; i < RA_COUNT(blocks); i++) {
        make_two(&sample, blocks[i]);
        sample.findings[1] = blocked(sample.names[0], RA_ERROR);
        sample.report.finding_count = 2;
        assert_says(sample_report(&sample), "text", plain,
                    "                       0 gfx1036  1 gfx1100\n"
                    "        /opt/lib00.so  FAILS      FAILS\n");
        assert_says(&sample.report, "text", plain,
                    "\nlib00.so fails on gfx1036, lib00.so fails on gfx1100.   exit 1\n");
        assert_says(&sample.report, "text", plain,
                    "FAILS   gfx1100 (GPU 1)   RA010 blocked-by-gpu\n"
                    "        /opt/lib00.so  GPU 0 is in its way\n");
    }
}

Test(report_fails, gpu_that_nothing_blocks_fits)
{
    struct sample sample;

    make_two(&sample, RA_BLOCK_NONE);
    assert_says(sample_report(&sample), "text", plain,
                "        /opt/lib00.so  FAILS      fits\n");
    assert_says(&sample.report, "text", plain, "\nlib00.so fails on gfx1036.   exit 1\n");
}

Test(report_fails, gpu_that_may_be_blocked_warns)
{
    struct sample sample;

    make_two(&sample, RA_BLOCK_MAY_ABORT);
    assert_says(sample_report(&sample), "text", plain,
                "        /opt/lib00.so  FAILS      warns\n");
    assert_says(&sample.report, "text", plain, "\nlib00.so fails on gfx1036.   exit 1\n");
}

/* What is worse by itself stays so. */
Test(report_fails, a_block_makes_nothing_better)
{
    struct sample sample;

    make_two(&sample, RA_BLOCK_MAY_ABORT);
    sample.libraries[0].verdicts[1].kind = RA_PARTIAL;
    sample.libraries[0].verdicts[1].severity = RA_ERROR;
    assert_says(sample_report(&sample), "text", plain, "  FAILS      FAILS\n");
    sample.libraries[0].verdicts[1].kind = RA_UNDECIDED;
    sample.libraries[0].verdicts[1].severity = RA_NOTE;
    assert_says(sample_report(&sample), "text", plain, "  FAILS      ?\n");
    sample.libraries[0].verdicts[1].block = RA_BLOCK_STOP;
    assert_says(sample_report(&sample), "text", plain, "  FAILS      FAILS\n");
}

Test(report_fails, blocked_file_is_not_said_to_fit)
{
    struct sample sample;

    make_two(&sample, RA_BLOCK_ABORT);
    sample.devices[0].skipped = "hidden, for the sake of the argument";
    sample.report.finding_count = 0;
    assert_lacks(sample_report(&sample), "text", plain, "\nfits");
    sample.libraries[0].verdicts[1].block = RA_BLOCK_NONE;
    assert_says(sample_report(&sample), "text", plain, "\nfits    gfx1100   code of its");
}

/* Verdicts are kept of the first of several equal GPUs only. */
Test(report_fails, equal_gpu_shares_the_verdict)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    for (size_t i = 0; i < 3; i++)
        sample.devices[i] = sample_device(i, i == 1 ? "gfx1100" : "gfx942");
    sample.devices[2].same_as = 0;
    sample.report.device_count = 3;
    sample_judge(&sample.libraries[0], 1, RA_NATIVE, RA_NOTE);
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_not_null(strstr(text, "FAILS   gfx942 (GPU 0 2)   RA001 missing-target\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "                       0 gfx942  1 gfx1100\n"
                                    "        /opt/lib00.so  FAILS     fits\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "\nlib00.so fails on gfx942.   exit 1\n"), "%s",
                       text);
    free(text);
}

/* ---- causes without a file -------------------------------------------------------- */

static struct ra_finding hazard(size_t device)
{
    return (struct ra_finding){ .rule = "RA011",
                                .name = "override-hazard",
                                .severity = RA_ERROR,
                                .consequence = "illegal-instruction",
                                .device = device,
                                .message = "gfx90a passes for gfx1030",
                                .predicted_error = "Memory access fault",
                                .advice = "unset HSA_OVERRIDE_GFX_VERSION" };
}

Test(report_fails, cause_of_a_device_comes_first_and_lists_no_file)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.findings[1] = hazard(0);
    sample.findings[2] = hazard(0);
    sample.findings[2].severity = RA_WARNING;
    sample.report.finding_count = 3;
    assert_says(sample_report(&sample), "text", plain,
                "\n\nFAILS   gfx1151   RA011 override-hazard\n"
                "        gfx90a passes for gfx1030\n"
                "        you will see   Memory access fault\n"
                "        mend           unset HSA_OVERRIDE_GFX_VERSION\n"
                "FAILS   gfx1151   RA001 missing-target\n"
                "        /opt/lib00.so  no bundle");
    /* A warning does not come before an error, whatever it is of. */
    assert_says(&sample.report, "text", plain,
                "rebuild for the GPU\n"
                "warns   gfx1151   RA011 override-hazard\n");
}

Test(report_fails, cause_of_several_devices_is_told_once)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    for (size_t i = 0; i < 4; i++) {
        sample.devices[i] = sample_device(i, "gfx1030");
        sample.devices[i].same_as = 0;
        sample.findings[i] = hazard(i);
    }
    sample.report.device_count = sample.report.finding_count = 4;
    sample.findings[3].message = "gfx908 passes for gfx1030";
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_not_null(strstr(text, "FAILS   gfx1030 (GPU 0-2)   RA011 override-hazard\n"
                                    "        gfx90a passes for gfx1030\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "FAILS   gfx1030 (GPU 3)   RA011 override-hazard\n"
                                    "        gfx908 passes for gfx1030\n"),
                       "%s", text);
    cr_expect_eq(sample_count(text, "RA011 override-hazard\n"), 2, "%s", text);
    free(text);
}

/* ---- what mends it
 * ---------------------------------------------------------------------- */

/* A list of targets to build for goes on from what the files have: still one cause. */
Test(report_fails, each_set_of_targets_has_what_mends_it)
{
    struct sample sample;

    sample_make(&sample, 3);
    sample.libraries[2].entries[1].target = "gfx1100";
    sample.findings[0].advice = sample.findings[1].advice = "build for gfx1030;gfx1151";
    sample.findings[2].advice = "build for gfx1100;gfx1151";
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   gfx1151   RA001 missing-target\n"
                "        /opt/lib00.so  no bundle has code for the GPU\n"
                "        /opt/lib01.so  no bundle has code for the GPU\n"
                "        mend           build for gfx1030;gfx1151\n"
                "        /opt/lib02.so  no bundle has code for the GPU\n"
                "        mend           build for gfx1100;gfx1151\n"
                "        you will see   HIP error: invalid image (200)\n"
                "\n");
    sample.findings[2].advice = sample.findings[0].advice;
    assert_says(&sample.report, "text", plain,
                "        /opt/lib01.so  no bundle has code for the GPU\n"
                "        /opt/lib02.so  no bundle has code for the GPU\n"
                "        you will see   HIP error: invalid image (200)\n"
                "        mend           build for gfx1030;gfx1151\n"
                "\n");
}

/* ---- the last line ------------------------------------------------------------------
 */

/* There is code for the GPU, and it fails all the same. */
Test(report_fails, sentence_names_what_fails_for_another_cause)
{
    struct sample sample;

    sample_make(&sample, 3);
    for (size_t i = 0; i < 3; i++)
        sample_judge(&sample.libraries[i], 0, RA_NATIVE, RA_NOTE);
    sample.findings[0] = hazard(0);
    sample.findings[1].rule = sample.findings[2].rule = "RA015";
    sample.findings[1].name = sample.findings[2].name = "host-cpu";
    assert_says(sample_report(&sample), "text", plain,
                "\nFails by RA011 override-hazard on 1 GPU, RA015 host-cpu in 2 "
                "libraries.   exit 1\n");
    sample.report.exit = 0;
    assert_says(&sample.report, "text", plain, "libraries, allowed.\n");
    sample.report.finding_count = 0;
    assert_says(&sample.report, "text", plain,
                "\nAll 3 libraries run on gfx1151.   exit 0\n");
}

Test(report_fails, sentence_has_both_kinds_of_failures)
{
    struct sample sample;

    sample_make(&sample, 2);
    sample_judge(&sample.libraries[1], 0, RA_NATIVE, RA_NOTE);
    sample.findings[1] = hazard(0);
    assert_says(sample_report(&sample), "text", plain,
                "\n1 of 2 libraries fails on gfx1151; also RA011 override-hazard on 1 "
                "GPU.   exit 1\n");
}

/* The verdicts say so already. */
Test(report_fails, sentence_tells_an_override_once)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_NATIVE, RA_NOTE);
    sample.libraries[0].verdicts[0].block = RA_BLOCK_OVERRIDE;
    sample.findings[0] = hazard(0);
    assert_says(sample_report(&sample), "text", plain,
                "\nlib00.so fails on gfx1151.   exit 1\n");
    assert_lacks(&sample.report, "text", plain, "\nfits");
}

Test(report_fails, sentence_does_not_promise_what_is_not_known)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_NATIVE, RA_NOTE);
    sample.report.finding_count = 0;
    sample.report.devices_text = "kfd node 3 is a GPU, but it is not known which";
    sample.report.exit = 2;
    assert_says(sample_report(&sample), "text", plain,
                "\nUndecided: a GPU is not known; lib00.so runs on gfx1151.   exit 2\n");
}

/* ---- doubts ---------------------------------------------------------------------------
 */

Test(report_fails, doubt_is_why_a_file_cannot_be_decided)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_UNDECIDED, RA_NOTE);
    sample.report.finding_count = 0;
    sample.report.exit = 2;
    assert_says(sample_report(&sample), "text", plain,
                "\n?       /opt/lib00.so cannot be decided\n");
    sample.libraries[0].verdicts[0].doubt = "not known whether ROCm 6.2 can read "
                                            "compressed bundles of version 3";
    assert_says(sample_report(&sample), "text", plain,
                "\n?       /opt/lib00.so cannot be decided: not known whether ROCm 6.2 "
                "can read\n"
                "        compressed bundles of version 3\n");
    assert_says(&sample.report, "text", plain,
                "\nUndecided: lib00.so on gfx1151.   exit 2\n");
    assert_narrow(&sample.report, 40);
}

/* Damage is what to look at first; a doubt comes with what was read. */
Test(report_fails, damage_goes_before_doubt)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_UNDECIDED, RA_NOTE);
    sample.libraries[0].verdicts[0].doubt = "not known";
    sample.libraries[0].file.status = RA_FILE_INCOMPLETE;
    assert_says(sample_report(&sample), "text", plain,
                "\n?       /opt/lib00.so could not be read whole\n");
}
