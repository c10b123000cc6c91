/* What a report says of packages: before libraries, and with what mends them. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ra_style plain = { 0 };
static const struct ra_style verbose = { .verbose = true };

/* ---- causes ---------------------------------------------------------------------- */

Test(report_packages, stand_before_files_of_none)
{
    struct sample sample;

    sample_environment(&sample);
    assert_says(sample_report(&sample), "text", plain,
                "\n\nFAILS   torch 2.9.0+rocm7.0   gfx1151   RA001 missing-target\n"
                "        lib00.so  no bundle has code for the GPU\n"
                "        lib01.so  no bundle has code for the GPU\n"
                "        and 1 more library   (-v lists it)\n"
                "        you will see   HIP error: invalid image (200)\n"
                "        mend           rebuild for the GPU\n"
                "FAILS   gfx1151   RA001 missing-target\n"
                "        /opt/lib05.so  no bundle has code for the GPU\n"
                "        you will see   HIP error: invalid image (200)\n"
                "        mend           rebuild for the GPU\n"
                "fits    bitsandbytes 0.50.2   2 libraries, 2 of 2 bundles\n"
                "\n");
}

Test(report_packages, files_are_listed_with_their_whole_names_if_verbose)
{
    struct sample sample;

    sample_environment(&sample);
    assert_says(sample_report(&sample), "text", verbose,
                "        /opt/lib00.so  no bundle has code for the GPU\n"
                "        /opt/lib01.so  no bundle has code for the GPU\n"
                "        /opt/lib02.so  no bundle has code for the GPU\n");
    assert_says(&sample.report, "text", verbose,
                "2 libraries, 2\n"
                "                              of 2 bundles\n"
                "        /opt/lib03.so  1 of 1 bundle\n"
                "        /opt/lib04.so  1 of 1 bundle\n");
}

Test(report_packages, of_two_versions_are_two_causes)
{
    struct sample sample;

    sample_make(&sample, 2);
    sample_package(&sample, 0, "torch", "2.9.0");
    sample_package(&sample, 1, "torch", "2.10.0");
    sample_own(&sample, 0, 0, 1, RA_MISSING, RA_ERROR);
    sample_own(&sample, 1, 1, 1, RA_MISSING, RA_ERROR);
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   torch 2.10.0   gfx1151   RA001 missing-target\n"
                "        lib01.so  no bundle has code for the GPU\n");
    assert_says(&sample.report, "text", plain,
                "FAILS   torch 2.9.0   gfx1151   RA001 missing-target\n"
                "        lib00.so  no bundle has code for the GPU\n");
}

/* Two environments below one root: the record tells which is meant. */
Test(report_packages, of_one_version_in_two_places_are_told_apart)
{
    struct sample sample;

    sample_make(&sample, 2);
    sample_package(&sample, 0, "torch", "2.9.0");
    sample_package(&sample, 1, "torch", "2.9.0");
    sample.packages[1].path = "/srv/dist-info/RECORD";
    sample_own(&sample, 0, 0, 1, RA_MISSING, RA_ERROR);
    sample_own(&sample, 1, 1, 1, RA_MISSING, RA_ERROR);
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   torch 2.9.0   gfx1151   RA001 missing-target\n"
                "        recorded in /opt/dist-info/RECORD\n"
                "        lib00.so  no bundle has code for the GPU\n");
    assert_says(&sample.report, "text", plain,
                "FAILS   torch 2.9.0   gfx1151   RA001 missing-target\n"
                "        recorded in /srv/dist-info/RECORD\n"
                "        lib01.so  no bundle has code for the GPU\n");
    sample.packages[1].version = "2.9.1";
    assert_lacks(&sample.report, "text", plain, "recorded in");
}

/* A report may hold what a file's package says, and list another copy of it. */
Test(report_packages, are_known_by_what_they_say_of_themselves)
{
    struct sample sample;
    struct ra_package copy;

    sample_environment(&sample);
    copy = sample.packages[1];
    sample.libraries[3].file.package = sample.libraries[4].file.package = &copy;
    assert_says(sample_report(&sample), "text", plain,
                "fits    bitsandbytes 0.50.2   2 libraries, 2 of 2 bundles\n");
}

Test(report_packages, without_a_version_go_by_their_name)
{
    struct sample sample;

    sample_environment(&sample);
    sample.packages[0].version = "";
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   torch   gfx1151   RA001 missing-target\n");
}

Test(report_packages, head_is_two_lines_on_a_narrow_page)
{
    const struct ra_style narrow = { .width = 50 };
    struct sample sample;

    sample_environment(&sample);
    assert_says(sample_report(&sample), "text", narrow,
                "FAILS   torch 2.9.0+rocm7.0\n"
                "        gfx1151   RA001 missing-target\n"
                "        lib00.so  no bundle has code for the GPU\n");
}

Test(report_packages, cause_without_a_file_stands_under_its_package)
{
    struct sample sample;

    sample_environment(&sample);
    sample.findings[4] = sample_skew(&sample.packages[0], RA_NO_DEVICE);
    sample.report.finding_count = 5;
    assert_says(sample_report(&sample), "text", plain,
                "\n\nFAILS   torch 2.9.0+rocm7.0   RA299 made-up\n"
                "        7.2 and 7.1 do not go together\n"
                "        mend           pip install the other\n"
                "FAILS   torch 2.9.0+rocm7.0   gfx1151   RA001 missing-target\n");
    sample.findings[4].device = 0;
    assert_says(&sample.report, "text", plain,
                "\n\nFAILS   torch 2.9.0+rocm7.0   gfx1151   RA299 made-up\n");
}

Test(report_packages, cause_of_several_devices_is_told_once)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_package(&sample, 0, "torch", "2.9.0");
    for (size_t i = 0; i < 3; i++) {
        sample.devices[i] = sample_device(i, "gfx1030");
        sample.devices[i].same_as = 0;
        sample.findings[i] = sample_skew(&sample.packages[0], i);
    }
    sample.report.device_count = sample.report.finding_count = 3;
    assert_says(sample_report(&sample), "text", plain,
                "FAILS   torch 2.9.0   gfx1030 (GPU 0-2)   RA299 made-up\n"
                "        7.2 and 7.1 do not go together\n");
}

/* What is wrong with the machine is wrong with all that runs on it. */
Test(report_packages, come_after_causes_of_the_machine)
{
    struct sample sample;

    sample_environment(&sample);
    sample.findings[4] = sample_skew(NULL, 0);
    sample.report.finding_count = 5;
    assert_says(sample_report(&sample), "text", plain,
                "\n\nFAILS   gfx1151   RA299 made-up\n"
                "        7.2 and 7.1 do not go together\n"
                "        mend           pip install the other\n"
                "FAILS   torch");
}

Test(report_packages, note_stands_once_over_the_causes)
{
    struct sample sample;
    char *text;

    sample_environment(&sample);
    sample.packages[0].note = "lib00.so is the one it loads";
    sample.findings[4] = sample_skew(&sample.packages[0], 0);
    sample.report.finding_count = 5;
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_not_null(strstr(text, "RA299 made-up\n"
                                    "        lib00.so is the one it loads\n"
                                    "        7.2 and 7.1 do not go together\n"),
                       "%s", text);
    cr_expect_eq(sample_count(text, "is the one it loads"), 1, "%s", text);
    free(text);
}

/* A new GPU and an old installation: each package fails, and one screen has to do. */
Test(report_packages, many_causes_are_told_by_their_titles)
{
    struct sample sample;
    char names[SAMPLE_PACKAGES][16];
    char *text;

    sample_make(&sample, 10);
    for (size_t i = 0; i < 9; i++) {
        snprintf(names[i], sizeof(names[i]), "package%zu", i);
        sample_package(&sample, i, names[i], "1");
        sample_own(&sample, i, i, 1, RA_MISSING, RA_ERROR);
    }
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "you will see"), 7, "%s", text);
    cr_expect_not_null(strstr(text,
                              "FAILS   package5 1   gfx1151   RA001 missing-target\n"
                              "        lib05.so  no bundle"),
                       "%s", text);
    cr_expect_not_null(strstr(text,
                              "FAILS   package6 1   gfx1151   RA001 missing-target\n"
                              "FAILS   package7 1   gfx1151   RA001 missing-target\n"
                              "FAILS   package8 1   gfx1151   RA001 missing-target\n"
                              "        -v tells what mends these\n"
                              "FAILS   gfx1151   RA001 missing-target\n"
                              "        /opt/lib09.so  no bundle"),
                       "%s", text);
    free(text);
    text = sample_render(&sample.report, "text", verbose);
    cr_expect_eq(sample_count(text, "you will see"), 10, "%s", text);
    cr_expect_null(strstr(text, "-v tells"));
    free(text);
}

/* ---- names ----------------------------------------------------------------------- */

Test(report_packages, files_of_one_name_keep_their_folders)
{
    struct sample sample;

    sample_environment(&sample);
    sample.libraries[0].file.name = "a/_C.so";
    sample.libraries[1].file.name = "b/_C.so";
    assert_says(sample_report(&sample), "text", plain,
                "        a/_C.so   no bundle has code for the GPU\n"
                "        b/_C.so   no bundle has code for the GPU\n");
    sample.libraries[1].file.name = "b/_D.so";
    assert_says(sample_report(&sample), "text", plain,
                "        _C.so     no bundle has code for the GPU\n"
                "        _D.so     no bundle has code for the GPU\n");
}

Test(report_packages, member_goes_by_its_library)
{
    struct sample sample;

    sample_environment(&sample);
    sample.libraries[0].file.name = "dist/foo-1.whl!_C.so";
    sample.libraries[0].file.is_member = true;
    sample.libraries[1].file.name = "odd!name.so";
    assert_says(sample_report(&sample), "text", plain,
                "        _C.so        no bundle has code for the GPU\n"
                "        odd!name.so  no bundle has code for the GPU\n");
    assert_says(&sample.report, "text", verbose, "        dist/foo-1.whl!_C.so  no");
}

Test(report_packages, cut_member_keeps_its_library)
{
    static const struct {
        unsigned width; /* of which a name gets four tenths */
        const char *expected;
    } cases[] = {
        { 200,
          "        a-long-folder/of-a-long-name/foo-1.0-py3-none-any.whl!lib/_C.so  no" },
        { 100, "        a-long-fo...0-py3-none-any.whl!lib/_C.so  no" },
        { 60, "        a-l...-any.whl!lib/_C.so  no" },
        { 40, "        ...!lib/_C.so     no" },
        { 30, "        ...!l...C.so  no" },
    };
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].file.name =
        "a-long-folder/of-a-long-name/foo-1.0-py3-none-any.whl!lib/_C.so";
    sample.libraries[0].file.is_member = true;
    for (size_t i = 0; i < RA_COUNT(cases); i++)
        assert_says(sample_report(&sample), "text",
                    (struct ra_style){ .width = cases[i].width }, cases[i].expected);
}

Test(report_packages, owners_are_counted_if_verbose)
{
    struct sample sample;

    sample_environment(&sample);
    sample.libraries[0].file.owner_count = 2;
    sample.libraries[3].file.owner_count = 3;
    sample.libraries[4].file.owner_count = 1;
    assert_lacks(sample_report(&sample), "text", plain, "own it");
    assert_says(&sample.report, "text", verbose,
                "        /opt/lib00.so  no bundle has code for the GPU (2 packages say "
                "they own\n"
                "                       it)\n");
    assert_says(&sample.report, "text", verbose,
                "        /opt/lib03.so  1 of 1 bundle (3 packages say they own it)\n"
                "        /opt/lib04.so  1 of 1 bundle\n");
}

Test(report_packages, no_line_is_wider_than_the_page)
{
    char name[400];
    struct sample sample;

    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    sample_environment(&sample);
    sample_package(&sample, 2, "triton", "3.5.0");
    sample.packages[2].jit = true;
    sample.packages[2].note = name;
    for (unsigned width = 40; width <= 200; width++)
        assert_narrow(sample_report(&sample), width);
    sample.packages[0].name = sample.packages[1].version = sample.packages[2].name = name;
    sample.packages[0].note = sample.packages[1].editable = name;
    sample.libraries[4].file.status = RA_FILE_INCOMPLETE;
    for (unsigned width = 40; width <= 200; width++)
        assert_narrow(sample_report(&sample), width);
    sample.devices[1] = sample_device(1, "gfx90a:sramecc+:xnack-");
    sample.report.device_count = 2;
    for (unsigned width = 80; width <= 200; width++)
        assert_narrow(sample_report(&sample), width);
}

/* ---- archives -------------------------------------------------------------------------
 */

Test(report_packages, archives_are_counted)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.totals.archives = 2;
    assert_says(sample_report(&sample), "text", plain,
                "\n4 files in 2 archives: 1 with AMD device code,");
    sample.report.totals.archives = 1;
    sample.report.totals.seconds = 0.92;
    assert_says(&sample.report, "text", (struct ra_style){ .timing = true },
                "\n4 files in 1 archive, 0.9 s: 1 with AMD");
    sample.report.file_count = 0;
    assert_says(sample_listing(&sample), "text", plain,
                "no AMD device code in 4 files in 1 archive: 2 ELF files");
}
