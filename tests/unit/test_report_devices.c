/* The GPUs and the ROCm in text: at the head of an audit, and by themselves. */
#include "base/text.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ra_style plain = { 0 };

/* `count` equal GPUs, of which the first is judged. */
static void make_equal(struct sample *sample, size_t count, const char *target)
{
    static const char *const nodes[] = { "kfd node 2", "kfd node 3", "kfd node 4",
                                         "kfd node 5", "kfd node 6", "kfd node 7",
                                         "kfd node 8", "kfd node 9" };

    for (size_t i = 0; i < count; i++) {
        sample->devices[i] = sample_device(i, target);
        sample->devices[i].source = nodes[i];
        sample->devices[i].product = "Instinct MI300X";
        sample->devices[i].arch = "CDNA 3";
        sample->devices[i].is_apu = false;
        sample->devices[i].same_as = 0;
    }
    sample->report.device_count = count;
}

static void make_override(struct ra_device *device, const char *hardware)
{
    device->override_text = "HSA_OVERRIDE_GFX_VERSION=10.3.0";
    device->hardware_target = hardware;
    (void)snprintf(device->hardware.processor, sizeof(device->hardware.processor), "%s",
                   hardware);
}

/* ---- the ROCm line ------------------------------------------------------------- */

Test(report_devices, rocm_says_where_its_version_is_from)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.runtime.version = "7.0";
    sample.report.runtime.source = "libamdhip64.so.7.0.70000 in torch/lib";
    sample.report.runtime.assumed = false;
    assert_says(sample_report(&sample), "text", plain,
                "GPU 0   gfx1151  RDNA 3.5, APU  --gpu\n"
                "ROCm    7.0      libamdhip64.so.7.0.70000 in torch/lib\n"
                "\n");
    assert_lacks(&sample.report, "text", plain, "assumed");
    assert_lacks(&sample.report, "text", plain, "compat");
}

Test(report_devices, rocm_that_nothing_told_is_assumed)
{
    struct sample sample;

    sample_make(&sample, 1);
    assert_says(sample_report(&sample), "text", plain, "\nROCm    newest (assumed)\n\n");
}

/* What most have need not be said, unless somebody asked for it. */
Test(report_devices, compat_is_told_if_it_is_special)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.runtime.compat = "debian";
    sample.report.runtime.compat_source = "the libamdhip64 is Debian's";
    assert_says(sample_report(&sample), "text", plain,
                "\nROCm    newest (assumed)\n"
                "compat  debian            the libamdhip64 is Debian's\n"
                "\n");
    sample.report.runtime.compat = "upstream";
    assert_lacks(&sample.report, "text", plain, "compat");
    sample.report.runtime.compat_source = "--compat";
    assert_says(&sample.report, "text", plain, "\ncompat  upstream          --compat\n");
}

/* ---- rows of GPUs ---------------------------------------------------------------- */

Test(report_devices, equal_ones_stand_in_one_row)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    make_equal(&sample, 8, "gfx942");
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(strncmp(text,
                         "GPU 0-7   gfx942            8 x Instinct MI300X (CDNA 3)  "
                         "kfd nodes 2-9\n"
                         "ROCm      newest (assumed)\n",
                         strlen("GPU 0-7   gfx942            8 x Instinct MI300X (CDNA "
                                "3)  kfd nodes 2-9\nROCm      newest (assumed)\n")),
                 0, "%s", text);
    cr_expect_eq(sample_count(text, "GPU "), 1, "%s", text);
    free(text);
}

Test(report_devices, equal_ones_need_not_follow_each_other)
{
    struct sample sample;

    sample_make(&sample, 1);
    make_equal(&sample, 4, "gfx942");
    sample.devices[1] = sample_device(1, "gfx1100");
    assert_says(sample_report(&sample), "text", plain,
                "GPU 0 2-3   gfx942            3 x Instinct MI300X (CDNA 3)  "
                "kfd nodes 2 4-5\n"
                "GPU 1       gfx1100           RDNA 3.5, APU                 --gpu\n");
}

/* Verdicts are the same, and still they are not the same card. */
Test(report_devices, different_products_have_their_own_rows)
{
    struct sample sample;

    sample_make(&sample, 1);
    make_equal(&sample, 2, "gfx942");
    sample.devices[1].product = "Instinct MI325X";
    assert_says(sample_report(&sample), "text", plain,
                "GPU 0   gfx942            Instinct MI300X (CDNA 3)  kfd node 2\n"
                "GPU 1   gfx942            Instinct MI325X (CDNA 3)  kfd node 3\n");
    assert_says(&sample.report, "text", plain, "lib00.so fails on gfx942.");
}

Test(report_devices, sources_that_do_not_count_up_are_not_shortened)
{
    struct sample sample;

    sample_make(&sample, 1);
    make_equal(&sample, 3, "gfx942");
    sample.devices[0].source = "pci 0000:03:00.0";
    sample.devices[1].source = "pci 0000:43:00.0";
    sample.devices[2].source = "pci 0000:83:00.0";
    assert_says(sample_report(&sample), "text", plain, "  pci 0000:03:00.0 and 2 more\n");
    sample.devices[0].source = "kfd node 2";
    sample.devices[1].source = "kfd node 7";
    sample.devices[2].source = "kfd node 5";
    assert_says(&sample.report, "text", plain, "  kfd node 2 and 2 more\n");
    sample.devices[1].source = sample.devices[2].source = "kfd node 2";
    assert_says(&sample.report, "text", plain, "  kfd node 2\n");
}

Test(report_devices, skipped_one_says_why_and_is_not_judged)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    sample.devices[1] = sample_device(1, "gfx1036");
    sample.devices[1].skipped = "hidden by ROCR_VISIBLE_DEVICES=0";
    sample.report.device_count = 2;
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_not_null(strstr(text,
                              "GPU 0   gfx1151           RDNA 3.5, APU  --gpu\n"
                              "GPU 1   gfx1036           RDNA 3.5, APU  --gpu\n"
                              "        not judged: hidden by ROCR_VISIBLE_DEVICES=0\n"
                              "ROCm    newest (assumed)\n"),
                       "%s", text);
    /* One kind of GPU is left: no matrix, no numbers, no word of it in the end. */
    cr_expect_not_null(strstr(text, "\nFAILS   gfx1151   RA001 missing-target\n"), "%s",
                       text);
    cr_expect_eq(sample_count(text, "gfx1036"), 1, "%s", text);
    free(text);
}

Test(report_devices, all_skipped_is_no_gpu)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].file.verdict_count = sample.report.finding_count = 0;
    sample.devices[0].skipped = "hidden by HIP_VISIBLE_DEVICES=-1";
    sample.report.devices_text = "HIP sees no GPU: it is hidden";
    sample.report.exit = 2;
    assert_says(sample_report(&sample), "text", plain,
                "no GPU  HIP sees no GPU: it is hidden; --gpu TARGET names one to judge "
                "for\n"
                "GPU 0   gfx1151           RDNA 3.5, APU  --gpu\n"
                "        not judged: hidden by HIP_VISIBLE_DEVICES=-1\n");
    assert_says(&sample.report, "text", plain,
                "\nUndecided: there is no GPU to judge for.   exit 2\n");
}

Test(report_devices, override_shows_what_is_behind_it)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.devices[0] = sample_device(0, "gfx1030");
    make_override(&sample.devices[0], "gfx90a:sramecc+:xnack-");
    assert_says(sample_report(&sample), "text", plain,
                "GPU 0   gfx1030           RDNA 3.5, APU  --gpu\n"
                "        gfx90a:sramecc+:xnack- -> gfx1030  "
                "HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
                "ROCm ");
    sample.devices[0].override_text = NULL;
    assert_lacks(&sample.report, "text", plain, "->");
}

/* Two cards that pass for the same one are two cards. */
Test(report_devices, overrides_of_different_hardware_stand_apart)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    make_equal(&sample, 2, "gfx1030");
    make_override(&sample.devices[0], "gfx1031");
    make_override(&sample.devices[1], "gfx1032");
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "gfx1031 -> gfx1030"), 1, "%s", text);
    cr_expect_eq(sample_count(text, "gfx1032 -> gfx1030"), 1, "%s", text);
    free(text);
    make_override(&sample.devices[1], "gfx1031");
    text = sample_render(&sample.report, "text", plain);
    cr_expect_eq(sample_count(text, "gfx1031 -> gfx1030"), 1, "%s", text);
    free(text);
}

Test(report_devices, override_that_cannot_be_read_is_said_to_be_so)
{
    struct sample sample;

    sample_make(&sample, 1);
    make_override(&sample.devices[0], "gfx1151");
    sample.devices[0].override_text = "HSA_OVERRIDE_GFX_VERSION=gfx1030";
    sample.devices[0].override_invalid = true;
    assert_says(sample_report(&sample), "text", plain,
                "\n        HSA_OVERRIDE_GFX_VERSION=gfx1030 cannot be read\n");
    assert_lacks(&sample.report, "text", plain, "->");
}

Test(report_devices, what_is_said_of_the_search_stands_below)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.devices_text = "/dev/kfd may not be opened: it belongs to the group "
                                 "render, and HIP finds no GPU until you are in it";
    assert_says(sample_report(&sample), "text", plain,
                "\nROCm    newest (assumed)\n"
                "note    /dev/kfd may not be opened: it belongs to the group render, and "
                "HIP\n"
                "        finds no GPU until you are in it\n"
                "\n");
    sample.report.devices_text = "";
    assert_lacks(&sample.report, "text", plain, "note");
}

/* ---- gpu ------------------------------------------------------------------------ */

Test(report_gpu, tells_all_of_a_gpu)
{
    struct sample sample;
    struct ra_device *device = &sample.devices[0];
    char *text;

    sample_make(&sample, 0);
    sample.report.verb = "gpu";
    *device = sample_device(0, "gfx90a:sramecc+:xnack-");
    device->source = "kfd node 1";
    device->product = "Instinct MI210";
    device->arch = "CDNA 2";
    device->is_apu = false;
    device->why = "gfx_target_version 90010, PCI device 0x740f";
    device->id.sramecc = RA_SETTING_ON;
    device->id.xnack = RA_SETTING_OFF;
    device->sramecc_origin = RA_FROM_KFD;
    device->xnack_origin = RA_FROM_INFERENCE;
    text = sample_render(&sample.report, "text", plain);
    cr_expect_str_eq(text, "GPU 0\n"
                           "        target    gfx90a:sramecc+:xnack-\n"
                           "        product   Instinct MI210\n"
                           "        arch      CDNA 2\n"
                           "        source    kfd node 1\n"
                           "        why       gfx_target_version 90010, PCI device "
                           "0x740f\n"
                           "        features  sramecc on, kfd; xnack off, inferred\n"
                           "\n"
                           "ROCm    newest (assumed)\n");
    free(text);
}

Test(report_gpu, features_are_those_the_processor_has)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample.report.verb = "gpu";
    assert_lacks(&sample.report, "text", plain, "features");
    sample.devices[0].id.xnack = RA_SETTING_ON;
    sample.devices[0].xnack_origin = RA_FROM_ENVIRONMENT;
    assert_says(&sample.report, "text", plain,
                "        features  xnack on, environment\n");
    sample.devices[0].xnack_assumed = true;
    assert_says(&sample.report, "text", plain, "        features  xnack on, assumed\n");
    sample.devices[0].xnack_origin = RA_FROM_INFERENCE;
    assert_says(&sample.report, "text", plain, "        features  xnack on, inferred\n");
}

Test(report_gpu, override_and_skipped_are_told)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample.report.verb = "gpu";
    make_override(&sample.devices[0], "gfx1103");
    sample.devices[1] = sample_device(1, "gfx1100");
    sample.devices[1].skipped = "hidden by ROCR_VISIBLE_DEVICES=0";
    sample.report.device_count = 2;
    sample.report.runtime =
        (struct ra_runtime){ "6.2", "--runtime", false, "debian", "--compat" };
    sample.report.devices_text = "1 of 3 KFD nodes may not be read";
    assert_says(&sample.report, "text", plain,
                "GPU 0\n"
                "        target    gfx1151\n"
                "        override  gfx1103 -> gfx1151  HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
                "        arch      RDNA 3.5, APU\n"
                "        source    --gpu\n"
                "\n"
                "GPU 1\n"
                "        target    gfx1100\n"
                "        arch      RDNA 3.5, APU\n"
                "        source    --gpu\n"
                "        skipped   hidden by ROCR_VISIBLE_DEVICES=0\n"
                "\n"
                "ROCm    6.2     --runtime\n"
                "compat  debian  --compat\n"
                "note    1 of 3 KFD nodes may not be read\n");
}

/* Partitions share what was read of their card; two cards do not. */
Test(report_gpu, partitions_are_grouped)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 0);
    make_equal(&sample, 8, "gfx942");
    sample.report.verb = "gpu";
    text = sample_render(&sample.report, "text", plain);
    cr_expect_not_null(strstr(text, "GPU 0-7   8 alike\n"), "%s", text);
    cr_expect_not_null(strstr(text, "source    kfd nodes 2-9\n"), "%s", text);
    cr_expect_eq(sample_count(text, "GPU "), 1, "%s", text);
    free(text);
    for (size_t i = 4; i < 8; i++)
        sample.devices[i].why = "graphics IP 9.4.3 of card1";
    text = sample_render(&sample.report, "text", plain);
    cr_expect_not_null(strstr(text, "GPU 0-3   4 alike\n"), "%s", text);
    cr_expect_not_null(strstr(text, "GPU 4-7   4 alike\n"), "%s", text);
    free(text);
}

Test(report_gpu, no_gpu_says_why)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample.report.verb = "gpu";
    sample.report.device_count = 0;
    sample.report.devices_text = "no KFD topology below /sys";
    assert_says(&sample.report, "text", plain,
                "no GPU  no KFD topology below /sys\n"
                "ROCm    newest (assumed)\n");
    assert_lacks(&sample.report, "text", plain, "note");
}

/* ---- the page -------------------------------------------------------------------- */

Test(report_devices, all_of_it_fits_every_page)
{
    static const unsigned widths[] = { 40, 60, 72, 80, 200 };
    static char name[300];
    struct sample sample;

    memset(name, 'n', sizeof(name) - 1);
    sample_make(&sample, 2);
    make_equal(&sample, 8, "gfx90a:sramecc+:xnack-");
    make_override(&sample.devices[2], "gfx908:sramecc+:xnack-");
    sample.devices[4].skipped = name;
    sample.devices[5].source = sample.devices[1].product = name;
    sample.devices[6].override_text = sample.devices[6].why = name;
    sample.devices[6].hardware_target = name;
    sample.devices[7].xnack_assumed = sample.devices[7].sramecc_assumed = true;
    sample.report.devices_text = name;
    sample.report.runtime =
        (struct ra_runtime){ name, name, false, "debian", "--compat" };
    for (size_t i = 0; i < RA_COUNT(widths); i++) {
        sample.report.verb = "audit";
        assert_narrow(sample_report(&sample), widths[i]);
        sample.report.verb = "gpu";
        assert_narrow(&sample.report, widths[i]);
    }
}

Test(report_devices, narrow_page_has_what_does_not_fit_below)
{
    const struct ra_style narrow = { .width = 40 };
    struct sample sample;

    sample_make(&sample, 1);
    make_equal(&sample, 2, "gfx942");
    assert_says(sample_report(&sample), "text", narrow,
                "GPU 0-1   gfx942\n"
                "          2 x Instinct MI300X (CDNA 3),\n"
                "          kfd nodes 2-3\n"
                "ROCm      newest (assumed)\n");
}

Test(report_devices, verbose_page_cuts_nothing)
{
    const struct ra_style verbose = { .verbose = true };
    static char name[300];
    struct sample sample;

    memset(name, 'n', sizeof(name) - 1);
    sample_make(&sample, 1);
    sample.report.runtime =
        (struct ra_runtime){ "7.0", name, false, "upstream", "default" };
    assert_says(sample_report(&sample), "text", verbose, name);
    assert_lacks(&sample.report, "text", plain, name);
}

Test(report_devices, colour_is_only_where_it_is_asked_for)
{
    struct sample sample;

    sample_make(&sample, 1);
    make_equal(&sample, 2, "gfx942");
    sample.devices[1].skipped = "hidden";
    assert_lacks(sample_report(&sample), "text", plain, "\033");
    assert_says(&sample.report, "text", (struct ra_style){ .color = true }, "\033[1;31m");
}
