/* What a report says of packages that are well, in part, not known, or on several GPUs.
 */
#include "report/text.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ra_style plain = { 0 };
static const struct ra_style verbose = { .verbose = true };

/* ---- what is well ------------------------------------------------------------------ */

static void make_well(struct sample *sample, enum ra_verdict_kind kind)
{
    sample_make(sample, 1);
    sample_package(sample, 0, "bitsandbytes", "0.50.2");
    sample_own(sample, 0, 0, 1, kind, RA_NOTE);
    sample->report.finding_count = 0;
    sample->report.exit = 0;
}

Test(report_packages, well_ones_say_why)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample.libraries[0].verdicts[0].covered = sample.libraries[0].verdicts[0].total = 3;
    assert_says(sample_report(&sample), "text", plain,
                "\n\nfits    bitsandbytes 0.50.2   3 of 3 bundles\n\n");
    sample.packages[0].note = "libfoo_rocm70.so is the one it loads";
    assert_says(&sample.report, "text", (struct ra_style){ .width = 100 },
                "\n\nfits    bitsandbytes 0.50.2   libfoo_rocm70.so is the one it loads; "
                "3 of 3 bundles\n\n");
    sample.package_verdicts[0][0].kind = RA_GENERIC;
    sample.package_verdicts[0][0].assumption = "needs ROCm 6.4 or later";
    sample.packages[0].note = NULL;
    assert_says(&sample.report, "text", (struct ra_style){ .width = 100 },
                "fits    bitsandbytes 0.50.2   3 of 3 bundles; generic code; "
                "needs ROCm 6.4 or later\n");
    sample.package_verdicts[0][0].kind = RA_JIT;
    sample.package_verdicts[0][0].assumption = NULL;
    assert_says(&sample.report, "text", plain,
                "JIT     bitsandbytes 0.50.2   3 of 3 bundles; compiled when it is "
                "loaded\n");
}

/* Somebody who fills in no verdict of the package loses none of its files. */
Test(report_packages, without_verdicts_leave_their_files_alone)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample.packages[0].verdict_count = 0;
    assert_says(sample_report(&sample), "text", plain,
                "\n\nfits    gfx1151   code of its own\n"
                "        /opt/lib00.so  1 of 1 bundle\n\n");
}

Test(report_packages, are_named_in_a_verbose_listing)
{
    struct sample sample;

    sample_environment(&sample);
    assert_says(sample_listing(&sample), "text", verbose,
                "/opt/lib00.so:\n"
                "        of torch 2.9.0+rocm7.0\n"
                "BUNDLE ");
    assert_lacks(&sample.report, "text", plain, "of torch");
}

Test(report_packages, names_are_aligned)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample_package(&sample, 1, "triton", "3.5.0");
    sample.packages[1].jit = true;
    assert_says(sample_report(&sample), "text", plain,
                "fits    bitsandbytes 0.50.2   1 of 1 bundle\n"
                "JIT     triton 3.5.0          compiles on this machine; nothing to "
                "check\n");
    sample.packages[1].note = "compiles with the clang of its wheel";
    assert_says(&sample.report, "text", plain,
                "JIT     triton 3.5.0          compiles with the clang of its wheel\n");
}

/* What compiles for itself, and is said to be too old for it. */
Test(report_packages, that_compile_and_warn_are_not_well)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample_package(&sample, 1, "triton", "3.5.0");
    sample.packages[1].jit = true;
    sample.findings[0] = sample_skew(&sample.packages[1], RA_NO_DEVICE);
    sample.report.finding_count = 1;
    assert_lacks(sample_report(&sample), "text", plain, "JIT");
    sample.findings[0].severity = RA_WARNING;
    assert_says(&sample.report, "text", plain, "warns   triton 3.5.0   RA299 made-up\n");
    assert_lacks(&sample.report, "text", plain, "JIT");
    sample.findings[0].severity = RA_NOTE;
    assert_says(&sample.report, "text", plain, "note    triton 3.5.0   RA299 made-up\n");
    assert_says(&sample.report, "text", plain,
                "JIT     triton 3.5.0          compiles on this machine;");
}

/* The code is there, the data it needs is not. */
Test(report_packages, that_fail_by_a_finding_do_not_fit)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample.findings[0] = sample_skew(&sample.packages[0], 0);
    sample.report.finding_count = 1;
    assert_lacks(sample_report(&sample), "text", plain, "\nfits");
    sample.findings[0].severity = RA_WARNING;
    assert_says(&sample.report, "text", plain, "\nfits    bitsandbytes 0.50.2   1 of");
}

Test(report_packages, excused_file_counts_for_nothing)
{
    struct sample sample;

    make_well(&sample, RA_NATIVE);
    sample.libraries[1] = sample.libraries[0];
    sample.libraries[1].file.path = sample.libraries[1].file.name = "/opt/lib_rocm60.so";
    sample.libraries[1].file.verdicts = sample.libraries[1].verdicts;
    sample.report.file_count = 2;
    sample_judge(&sample.libraries[1], 0, RA_MISSING, RA_ERROR);
    sample.libraries[1].verdicts[0].excused = "lib00.so serves gfx1151";
    assert_says(sample_report(&sample), "text", plain,
                "\n\nfits    bitsandbytes 0.50.2   1 of 1 bundle\n\n");
    assert_lacks(&sample.report, "text", plain, "FAILS");
    assert_lacks(&sample.report, "text", plain, "_rocm60");
    assert_lacks(&sample.report, "text", plain, "of 2 libraries");
    assert_says(&sample.report, "text", verbose,
                "        /opt/lib00.so       1 of 1 bundle\n"
                "        /opt/lib_rocm60.so  not counted: lib00.so serves gfx1151\n");
}

Test(report_packages, parts_that_fit_are_listed_if_verbose)
{
    struct sample sample;

    sample_environment(&sample);
    sample_judge(&sample.libraries[2], 0, RA_NATIVE, RA_NOTE);
    sample.findings[2] = sample.findings[3];
    sample.report.finding_count = 3;
    assert_lacks(sample_report(&sample), "text", plain, "in part");
    assert_says(&sample.report, "text", verbose,
                "fits    torch 2.9.0+rocm7.0   in part: 1 of 3 libraries\n"
                "        /opt/lib02.so  1 of 1 bundle\n");
}

Test(report_packages, notes_of_files_stand_beside_them_if_verbose)
{
    struct sample sample;

    make_well(&sample, RA_GENERIC);
    sample.findings[0].severity = RA_NOTE;
    sample.findings[0].message = "gfx11-generic serves gfx1151";
    sample.report.finding_count = 1;
    assert_lacks(sample_report(&sample), "text", plain, "serves gfx1151");
    assert_says(&sample.report, "text", verbose,
                "        /opt/lib00.so  1 of 1 bundle; gfx11-generic serves gfx1151\n");
}

Test(report_packages, without_code_are_noted)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample_package(&sample, 0, "amd-torch-device", "1.0");
    sample_package(&sample, 1, "mine", "");
    sample_package(&sample, 2, "silent", "1");
    sample.packages[0].placeholder = true;
    sample.packages[1].editable = "/home/me/src";
    assert_says(sample_report(&sample), "text", plain,
                "\n\nnote    amd-torch-device 1.0   a placeholder that holds nothing but "
                "its name\n"
                "note    mine   an editable install of /home/me/src\n"
                "\n");
    sample.findings[0] = sample_skew(&sample.packages[0], RA_NO_DEVICE);
    sample.report.finding_count = 1;
    assert_says(&sample.report, "text", plain,
                "FAILS   amd-torch-device 1.0   RA299 made-up\n"
                "        7.2 and 7.1 do not go together\n");
    assert_says(&sample.report, "text", verbose,
                "        a placeholder that holds nothing but its name");
    assert_lacks(&sample.report, "text", plain, "note    amd");
}

Test(report_packages, many_are_not_all_listed)
{
    struct sample sample;
    char names[SAMPLE_PACKAGES][16];
    char *text;

    sample_make(&sample, SAMPLE_PACKAGES);
    sample.report.finding_count = 0;
    for (size_t i = 0; i < SAMPLE_PACKAGES; i++) {
        snprintf(names[i], sizeof(names[i]), "package%02zu", i);
        sample_package(&sample, i, names[i], "1");
        sample_own(&sample, i, i, 1, RA_NATIVE, RA_NOTE);
    }
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "\nfits    package"), 12, "%s", text);
    cr_expect_not_null(strstr(text, "        and 8 more packages   (-v lists them)\n"));
    free(text);
    text = sample_render(&sample.report, "text", verbose);
    cr_expect_eq(sample_count(text, "\nfits    package"), SAMPLE_PACKAGES, "%s", text);
    free(text);
}

/* ---- what is not known ---------------------------------------------------------------
 */

Test(report_packages, undecided_file_names_its_package)
{
    struct sample sample;

    make_well(&sample, RA_UNDECIDED);
    sample.libraries[0].file.status = RA_FILE_INCOMPLETE;
    assert_says(sample_report(&sample), "text", plain,
                "?       bitsandbytes 0.50.2   /opt/lib00.so could not be read whole\n");
    assert_lacks(&sample.report, "text", plain, "\nfits");
}

/* ---- several GPUs --------------------------------------------------------------------
 */

static void make_two_gpus(struct sample *sample)
{
    sample_environment(sample);
    sample_package(sample, 2, "triton", "3.5.0");
    sample->packages[2].jit = true;
    sample->devices[1] = sample_device(1, "gfx1100");
    sample->report.device_count = 2;
    for (size_t i = 0; i < 6; i++)
        sample_judge(&sample->libraries[i], 1, RA_NATIVE, RA_NOTE);
    sample->package_verdicts[0][1] =
        (struct ra_verdict){ .device = 1, .kind = RA_NATIVE };
    sample->package_verdicts[1][1] =
        (struct ra_verdict){ .device = 1, .kind = RA_NATIVE };
    sample->packages[0].verdict_count = sample->packages[1].verdict_count = 2;
}

Test(report_packages, stand_in_the_rows_of_several_gpus)
{
    struct sample sample;

    make_two_gpus(&sample);
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   torch 2.9.0+rocm7.0   gfx1151 (GPU 0)   RA001 missing-target\n");
    assert_says(&sample.report, "text", plain,
                "                             0 gfx1151  1 gfx1100\n"
                "        torch 2.9.0+rocm7.0  FAILS      fits\n"
                "        /opt/lib05.so        FAILS      fits\n"
                "        triton 3.5.0         JIT        JIT\n"
                "        bitsandbytes 0.50.2  fits       fits\n");
    assert_says(&sample.report, "text", verbose,
                "        torch 2.9.0+rocm7.0  FAILS      fits\n"
                "          /opt/lib00.so      FAILS      fits\n"
                "          /opt/lib01.so      FAILS      fits\n"
                "          /opt/lib02.so      FAILS      fits\n"
                "        /opt/lib05.so        FAILS      fits\n");
}

/* A finding against a package is against it on that GPU alone. */
Test(report_packages, fail_where_a_finding_says_so)
{
    struct sample sample;

    make_two_gpus(&sample);
    sample.findings[4] = sample_skew(&sample.packages[1], 1);
    sample.report.finding_count = 5;
    assert_says(sample_report(&sample), "text", plain,
                "        bitsandbytes 0.50.2  fits       FAILS\n");
    sample.findings[4].device = RA_NO_DEVICE;
    assert_says(&sample.report, "text", plain,
                "        bitsandbytes 0.50.2  FAILS      FAILS\n");
}

Test(report_packages, excused_files_are_named_behind_the_rows)
{
    struct sample sample;

    make_two_gpus(&sample);
    sample.libraries[4].verdicts[1].excused = "lib03.so serves gfx1100";
    sample.libraries[5].verdicts[0].excused = "it is spare";
    sample.report.finding_count = 3;
    assert_says(sample_report(&sample), "text", plain,
                "        /opt/lib05.so        -          fits\n");
    assert_lacks(&sample.report, "text", plain, "not counted");
    assert_says(
        &sample.report, "text", verbose,
        "        /opt/lib04.so   gfx1100 (GPU 1)   not counted: lib03.so serves gfx1100\n"
        "        /opt/lib05.so   gfx1151 (GPU 0)   not counted: it is spare\n");
}

static struct ra_package_tally tally(const struct ra_report *report, size_t device)
{
    struct ra_view view = { .page = { .style = &plain }, .report = report };
    struct ra_package_tally ret;

    cr_assert(ra_view_index(&view));
    ret = ra_view_packages(&view, device);
    cr_assert_eq(ra_page_end(&view.page), RA_OK);
    return ret;
}

Test(report_packages, are_counted)
{
    struct sample sample;
    struct ra_package_tally got;

    make_two_gpus(&sample);
    got = tally(sample_report(&sample), 0);
    cr_expect(got.fails == 1 && got.unknown == 0 && got.all == 3);
    got = tally(&sample.report, 1);
    cr_expect(got.fails == 0 && got.unknown == 0 && got.all == 3);
    sample.package_verdicts[1][1].kind = RA_UNDECIDED;
    got = tally(&sample.report, RA_NO_DEVICE);
    cr_expect(got.fails == 1 && got.unknown == 1 && got.all == 3);
    sample.package_verdicts[0][0].excused = "all of it is";
    got = tally(&sample.report, 0);
    cr_expect(got.fails == 1 && got.all == 3, "findings stay");
    sample.report.finding_count = 0;
    got = tally(&sample.report, 0);
    cr_expect(got.fails == 0 && got.all == 2);
}
