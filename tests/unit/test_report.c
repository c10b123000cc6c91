#include "base/text.h"
#include "report/emit.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ra_style plain = { 0 };

Test(report, json_checker_refuses_what_is_no_json)
{
    static const char *const bad[] = { "{\"a\": 1,}", "[1 2]",      "{\"a\" 1}",
                                       "\"\n\"",      "\"\\x41\"",  "01",
                                       "nul",         "[\"\xff\"]", "{} {}" };

    for (size_t i = 0; i < RA_COUNT(bad); i++)
        cr_expect_not(json_is_document(bad[i]), "%s", bad[i]);
    cr_expect(
        json_is_document(" {\"a\": [1, null, true, \"\\u001b\\\\\"], \"b\": {}}\n"));
}

/* ---- json ----------------------------------------------------------------------- */

Test(report, json_is_valid_for_every_verb)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 3);
    sample.report.has_kernels = true;
    text = sample_render(sample_report(&sample), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    free(text);
    text = sample_render(sample_listing(&sample), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    free(text);
}

Test(report, json_of_gpu_is_what_the_contract_says)
{
    struct ra_device devices[] = { sample_device(0, "gfx90a:sramecc+:xnack-"),
                                   sample_device(1, "gfx1151") };
    struct ra_report report = {
        .verb = "gpu",
        .runtime = { "7.0", "--runtime", false, "debian", "--compat" },
        .devices = devices,
        .device_count = 2,
        .devices_text = "1 KFD node may not be read",
    };
    char *text;

    devices[0].sramecc_assumed = devices[0].xnack_assumed = true;
    devices[0].product = "Instinct MI210";
    devices[0].arch = "CDNA 2";
    devices[0].is_apu = false;
    devices[0].sramecc_origin = devices[0].xnack_origin = RA_FROM_ASSUMPTION;
    devices[0].origin = devices[1].origin = RA_FROM_USER;
    text = sample_render(&report, "json", plain);
    cr_expect_str_eq(
        text, "{\n"
              "  \"schema\": \"rocaudit.gpu/1\",\n"
              "  \"tool\": {\"name\": \"rocaudit\", \"version\": \"" RA_VERSION "\"},\n"
              "  \"runtime\": {\"version\": \"7.0\", \"source\": \"--runtime\", "
              "\"assumed\": false, \"compat\": \"debian\", "
              "\"compat_source\": \"--compat\"},\n"
              "  \"devices\": [\n"
              "    {\"index\": 0, \"target\": \"gfx90a:sramecc+:xnack-\", "
              "\"source\": \"--gpu\", \"product\": \"Instinct MI210\", "
              "\"arch\": \"CDNA 2\", \"apu\": false, "
              "\"assumed\": [\"sramecc\", \"xnack\"], \"hardware\": null, "
              "\"override\": null, \"origin\": \"user\", "
              "\"sramecc_origin\": \"assumed\", \"xnack_origin\": \"assumed\", "
              "\"why\": null, \"skipped\": null, \"same_as\": 0, \"rocr_index\": 0},\n"
              "    {\"index\": 1, \"target\": \"gfx1151\", \"source\": \"--gpu\", "
              "\"product\": null, \"arch\": \"RDNA 3.5\", \"apu\": true, "
              "\"assumed\": [], \"hardware\": null, \"override\": null, "
              "\"origin\": \"user\", \"sramecc_origin\": \"none\", "
              "\"xnack_origin\": \"none\", \"why\": null, \"skipped\": null, "
              "\"same_as\": 1, \"rocr_index\": 1}\n"
              "  ],\n"
              "  \"note\": \"1 KFD node may not be read\",\n"
              "  \"exit\": 0\n"
              "}\n");
    free(text);
}

Test(report, json_has_every_key_in_its_order)
{
    static const char *const keys[] = {
        "\"schema\": \"rocaudit.audit/1\"",
        "\"tool\"",
        "\"runtime\": {\"version\": null, \"source\": \"assumed\"",
        "\"assumed\": true",
        "\"compat\": \"upstream\"",
        "\"compat_source\": \"default\"}",
        "\"devices\": [",
        "\"files\": [",
        "\"packages\": []",
        "\"findings\": [",
        "\"rule\": \"RA001\"",
        "\"name\": \"missing-target\"",
        "\"severity\": \"error\"",
        "\"consequence\": \"refused\"",
        "\"file\": \"/opt/lib00.so\"",
        "\"package\": null",
        "\"device\": 0",
        "\"message\": \"no bundle has code for the GPU\"",
        "\"predicted_error\": \"HIP error: invalid image (200)\"",
        "\"advice\": \"rebuild for the GPU\"",
        "\"diagnostics\": []",
        "\"totals\": {",
        "\"files\": 4",
        "\"by_kind\": {",
        "\"with_device_code\": 1",
        "\"bundles\": 1",
        "\"code_objects\": 1",
        "\"kernels\": 2",
        "\"archives\": 0",
        "\"incomplete\": 0",
        "\"errors\": 1",
        "\"warnings\": 0",
        "\"targets\": [",
        "{\"target\": \"gfx1030\", \"bytes\": 1720000, \"code_objects\": 1}",
        "\"exit\": 1",
    };
    struct sample sample;
    char *text;
    const char *at;

    sample_make(&sample, 1);
    at = text = sample_render(sample_report(&sample), "json", plain);
    for (size_t i = 0; i < RA_COUNT(keys); i++) {
        at = strstr(at, keys[i]);
        cr_assert_not_null(at, "%s is not behind the one before in\n%s", keys[i], text);
        at += strlen(keys[i]);
    }
    free(text);
}

/* The time is in no byte-stable output. */
Test(report, json_does_not_depend_on_time_or_style)
{
    struct ra_style loud = { .width = 30, .color = true, .verbose = true, .quiet = true };
    struct sample sample;
    char *first, *second;

    sample_make(&sample, 3);
    first = sample_render(sample_report(&sample), "json", plain);
    sample.report.totals.seconds = 12.5;
    second = sample_render(sample_report(&sample), "json", loud);
    cr_expect_str_eq(first, second);
    free(first);
    free(second);
}

Test(report, jsonl_file_is_what_the_contract_says)
{
    struct sample sample;

    sample_make(&sample, 1);
    assert_says(
        sample_report(&sample), "jsonl", plain,
        "{\"type\": \"file\", \"path\": \"/opt/lib00.so\", \"path_base64\": null, "
        "\"paths\": [], \"kind\": \"elf\", \"status\": \"ok\", \"package\": null, "
        "\"bundles\": [{\"index\": 0, \"offset\": 65536, \"size\": 1724096, "
        "\"container\": \"plain\", \"key\": null, \"entries\": ["
        "{\"id\": \"host-x86_64-unknown-linux--\", \"target\": null, "
        "\"elf_target\": null, \"code_object_version\": null, \"offset\": 4096, "
        "\"size\": 0, \"kernels\": 0, \"target_features\": [], \"compiler\": null, "
        "\"archive\": null, \"archive_target\": null}, "
        "{\"id\": \"hipv4-amdgcn-amd-amdhsa--gfx1030\", \"target\": \"gfx1030\", "
        "\"elf_target\": \"gfx1030\", \"code_object_version\": 5, \"offset\": 4096, "
        "\"size\": 1720000, \"kernels\": 2, \"target_features\": [\"");
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"verdicts\": [{\"device\": 0, \"verdict\": \"missing\", "
                "\"severity\": \"error\", \"covered\": 0, \"total\": 1, "
                "\"kernels_missing\": 0, \"on_purpose\": null, \"assumption\": null, "
                "\"doubt\": null, \"blocked_by\": null, \"block\": \"none\", "
                "\"excused\": null}], \"host_isa\": null, \"owners\": 0, "
                "\"member\": false, \"kpack\": null}\n");
}

Test(report, jsonl_is_one_document_a_line)
{
    static const char *const types[] = { "device", "file", "finding", "diagnostic",
                                         "totals" };
    struct sample sample;
    size_t lines = 0;
    char *text, *rest, *line;

    sample_make(&sample, 1);
    sample.libraries[0].diag =
        (struct ra_diag){ .code = "D001", .name = "io-error", .text = "", .detail = "" };
    sample.libraries[0].file.diags = &sample.libraries[0].diag;
    rest = text = sample_render(sample_report(&sample), "jsonl", plain);
    while ((line = strsep(&rest, "\n")) && *line) {
        char start[48];

        cr_assert_lt(lines, RA_COUNT(types));
        snprintf(start, sizeof(start), "{\"type\": \"%s\", ", types[lines]);
        cr_expect(json_is_document(line), "%s", line);
        cr_expect_eq(strncmp(line, start, strlen(start)), 0, "%s", line);
        lines++;
    }
    cr_expect_eq(lines, RA_COUNT(types));
    free(text);
}

Test(report, json_says_null_where_nothing_is_known)
{
    struct sample sample;
    struct library *library = &sample.libraries[0];

    sample_make(&sample, 1);
    library->bundle.size = 0;
    library->entries[0] = (struct ra_entry){
        .id = "", .target = "", .elf_target = "", .content = RA_CONTENT_UNREAD
    };
    library->bundle.entry_count = 1;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"bundles\": [{\"index\": 0, \"offset\": 65536, \"size\": null, "
                "\"container\": \"plain\", \"key\": null, "
                "\"entries\": [{\"id\": null, \"target\": null, "
                "\"elf_target\": null, \"code_object_version\": null, \"offset\": 0, "
                "\"size\": 0, \"kernels\": null, \"target_features\": [], "
                "\"compiler\": null, \"archive\": null, \"archive_target\": null}]}]");
}

Test(report, json_tells_kernels_only_if_they_were_asked_for)
{
    struct sample sample;

    sample_make(&sample, 1);
    assert_lacks(sample_report(&sample), "jsonl", plain, "kernels_detail");
    sample.report.has_kernels = true;
    assert_says(
        sample_report(&sample), "jsonl", plain,
        "\"kernels_detail\": ["
        "{\"name\": \"second\", \"wave_size\": 64, \"vgprs\": 24, \"agprs\": 8, "
        "\"sgprs\": 32, \"vgpr_spills\": 2, \"sgpr_spills\": 0, \"lds\": 1024, "
        "\"scratch\": 16, \"kernarg\": 56, \"max_workgroup\": 256, "
        "\"required_workgroup\": null, \"code_size\": 512, \"dynamic_stack\": false, "
        "\"tg_split\": false, \"wgp_mode\": false, \"stub\": false, "
        "\"has_descriptor\": true}, "
        "{\"name\": \"first\", \"wave_size\": 32, \"vgprs\": 7, \"agprs\": 0, "
        "\"sgprs\": 9, \"vgpr_spills\": 0, \"sgpr_spills\": 0, \"lds\": 0, "
        "\"scratch\": 0, \"kernarg\": 8, \"max_workgroup\": 1024, "
        "\"required_workgroup\": [8, 4, 1], \"code_size\": null, "
        "\"dynamic_stack\": true, \"tg_split\": null, \"wgp_mode\": null, "
        "\"stub\": null, \"has_descriptor\": false}]");
}

Test(report, json_diagnostic_says_where_in_expanded_bytes)
{
    struct sample sample;
    struct ra_diag inner = { .code = "D010",
                             .name = "payload-damaged",
                             .severity = RA_ERROR,
                             .text = "damaged",
                             .detail = "checksum",
                             .offset = 26,
                             .inner = 32 };
    struct ra_diag outer = inner;

    sample_make(&sample, 1);
    outer.next = &inner;
    outer.inner = RA_NOT_EXPANDED;
    sample.libraries[0].file.diags = &outer;
    sample.libraries[0].file.status = RA_FILE_INCOMPLETE;
    assert_says(
        sample_report(&sample), "jsonl", plain,
        "{\"type\": \"diagnostic\", \"code\": \"D010\", \"name\": \"payload-damaged\", "
        "\"severity\": \"error\", \"file\": \"/opt/lib00.so\", \"offset\": 26, "
        "\"inner_offset\": null, \"detail\": \"checksum\"}\n"
        "{\"type\": \"diagnostic\", \"code\": \"D010\", \"name\": \"payload-damaged\", "
        "\"severity\": \"error\", \"file\": \"/opt/lib00.so\", \"offset\": 26, "
        "\"inner_offset\": 32, \"detail\": \"checksum\"}\n");
    assert_says(sample_report(&sample), "jsonl", plain, "\"status\": \"incomplete\"");
}

/* base64 of the names is that of base64(1). */
Test(report, json_keeps_names_that_are_no_text)
{
    static const struct {
        const char *path, *raw, *expected;
    } cases[] = {
        { "bad\\xffname", "bad\xffname",
          "\"path\": \"bad\\\\xffname\", \"path_base64\": \"YmFk/25hbWU=\", " },
        { "/x/\\xffa",
          "/x/\xff"
          "a",
          "\"path\": \"/x/\\\\xffa\", \"path_base64\": \"L3gv/2E=\", " },
        { "/x/\\xffab",
          "/x/\xff"
          "ab",
          "\"path\": \"/x/\\\\xffab\", \"path_base64\": \"L3gv/2Fi\", " },
        { "a\\x0a\"b\"\\x5c", "a\n\"b\"\\",
          "\"path\": \"a\\\\x0a\\\"b\\\"\\\\x5c\", \"path_base64\": null, " },
        { "\xc3\xa9", "\xc3\xa9", "\"path\": \"\xc3\xa9\", \"path_base64\": null, " },
    };
    struct sample sample;
    char *text;

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        sample_make(&sample, 1);
        sample.libraries[0].file.path = sample.libraries[0].file.name = cases[i].path;
        sample.libraries[0].file.raw_path = cases[i].raw;
        assert_says(sample_report(&sample), "jsonl", plain, cases[i].expected);
        text = sample_render(&sample.report, "json", plain);
        cr_expect(json_is_document(text), "%s", text);
        free(text);
    }
}

/* The library escapes names, but a report may be filled by somebody else. */
Test(report, json_stays_valid_whatever_a_string_holds)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    sample.findings[0].message = "\x01\n\t\"\\\x7f\xff\xc3(\x1b[2J";
    text = sample_render(sample_report(&sample), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    cr_expect_not_null(strstr(text, "\"message\": \"\\u0001\\n\\u0009\\\"\\\\\\u007f"
                                    "\\\\xff\\\\xc3(\\u001b[2J\""));
    free(text);
}

/* ---- text of an audit ------------------------------------------------------------ */

Test(report, text_is_never_wider_than_the_page)
{
    struct ra_diag diag = { .code = "D010",
                            .name = "payload-damaged",
                            .severity = RA_ERROR,
                            .inner = RA_NOT_EXPANDED };
    char name[400] = "/opt/";
    struct sample sample;

    memset(name + 5, 'n', sizeof(name) - 6);
    sample_make(&sample, 3);
    diag.text = diag.detail = name;
    sample.libraries[0].file.path = sample.libraries[0].file.name =
        sample.findings[0].file = name;
    sample.libraries[0].file.diags = &diag;
    sample.libraries[0].file.status = RA_FILE_INCOMPLETE;
    sample.libraries[0].entries[1].target = name;
    sample.findings[0].message = sample.findings[0].predicted_error = name;
    sample.devices[0].product = name;
    sample_judge(&sample.libraries[1], 0, RA_NATIVE, RA_NOTE);
    sample.libraries[1].file.path = sample.libraries[1].file.name = name + 1;
    sample.targets[0].target = "gfx942";
    assert_narrow(sample_report(&sample), 80);
    assert_narrow(sample_report(&sample), 120);
    sample.report.has_kernels = true;
    assert_narrow(sample_listing(&sample), 80);
}

Test(report, long_names_are_whole_if_verbose)
{
    const struct ra_style verbose = { .verbose = true };
    char name[400] = "/opt/";
    struct sample sample;

    memset(name + 5, 'n', sizeof(name) - 6);
    sample_make(&sample, 1);
    sample.libraries[0].file.path = sample.libraries[0].file.name =
        sample.findings[0].file = name;
    assert_says(sample_report(&sample), "text", verbose, name);
    assert_lacks(sample_report(&sample), "text", plain, name);
    assert_says(sample_listing(&sample), "text", verbose, name);
}

Test(report, running_text_is_broken_at_every_width)
{
    struct sample sample;

    sample_make(&sample, 3);
    sample.findings[0].message = "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii "
                                 "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii";
    sample.findings[0].advice = sample.findings[0].message;
    for (unsigned width = 60; width < 130; width++)
        assert_narrow(sample_report(&sample), width);
}

/* Bytes of a character are never parted by a cut. */
Test(report, cut_names_stay_utf8)
{
    char name[301];
    struct sample sample;
    char *text;

    for (size_t i = 0; i < sizeof(name) - 1; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[sizeof(name) - 1] = '\0';
    for (size_t shift = 0; shift < 4; shift++) {
        sample_make(&sample, 1);
        memset(name, 'a', 2 * shift);
        sample.libraries[0].file.path = sample.libraries[0].file.name =
            sample.findings[0].file = name;
        text = sample_render(sample_report(&sample), "text", plain);
        cr_expect(ra_text_is_utf8(
            (struct ra_span){ .data = (const uint8_t *)text, .size = strlen(text) }));
        cr_expect_not_null(strstr(text, "..."));
        free(text);
    }
}

Test(report, colour_codes_come_only_when_asked_for)
{
    const struct ra_style color = { .color = true };
    struct sample sample;

    sample_make(&sample, 2);
    assert_lacks(sample_report(&sample), "text", plain, "\033");
    assert_says(sample_report(&sample), "text", color, "\033[1;31mFAILS\033[0m");
    assert_lacks(sample_report(&sample), "json", color, "\033");
}

Test(report, colours_change_no_word)
{
    const struct ra_style color = { .color = true };
    struct sample sample;
    char *with, *without, *to;

    sample_make(&sample, 2);
    sample_judge(&sample.libraries[1], 0, RA_NATIVE, RA_NOTE);
    to = with = sample_render(sample_report(&sample), "text", color);
    without = sample_render(&sample.report, "text", plain);
    for (const char *from = with; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    *to = '\0';
    cr_expect_str_eq(with, without);
    free(with);
    free(without);
}

Test(report, quiet_is_the_last_line_alone)
{
    const struct ra_style quiet = { .quiet = true };
    struct sample sample;
    char *all, *last;

    sample_make(&sample, 3);
    sample_judge(&sample.libraries[2], 0, RA_NATIVE, RA_NOTE);
    sample.report.finding_count = 2;
    all = sample_render(sample_report(&sample), "text", plain);
    last = sample_render(&sample.report, "text", quiet);
    cr_expect_str_eq(last, "2 of 3 libraries fail on gfx1151.   exit 1\n");
    cr_expect_str_eq(all + strlen(all) - strlen(last), last);
    free(all);
    free(last);
}

Test(report, one_cause_is_told_once)
{
    const struct ra_style verbose = { .verbose = true };
    struct sample sample;
    char *text;

    sample_make(&sample, SAMPLE_LIBRARIES);
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "FAILS"), 1, "%s", text);
    cr_expect_eq(sample_count(text, "you will see"), 1);
    cr_expect_eq(sample_count(text, "rebuild for the GPU"), 1);
    cr_expect_eq(sample_count(text, "/opt/lib"), 2);
    cr_expect_not_null(strstr(text, "and 18 more libraries   (-v lists them)"), "%s",
                       text);
    free(text);
    text = sample_render(&sample.report, "text", verbose);
    cr_expect_eq(sample_count(text, "/opt/lib"), SAMPLE_LIBRARIES);
    free(text);
}

Test(report, other_targets_are_told_apart_within_a_cause)
{
    struct sample sample;
    char *text;

    sample_make(&sample, SAMPLE_LIBRARIES);
    sample.libraries[0].entries[1].target = "gfx1100";
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "FAILS"), 1, "%s", text);
    cr_expect_not_null(strstr(text,
                              "FAILS   gfx1151   RA001 missing-target\n"
                              "        /opt/lib01.so  no bundle has code for the GPU\n"
                              "        /opt/lib02.so  no bundle has code for the GPU\n"
                              "        and 17 more libraries   (-v lists them)\n"
                              "        /opt/lib00.so  no bundle has code for the GPU\n"
                              "        you will see   HIP error: invalid image (200)\n"
                              "        mend           rebuild for the GPU\n"),
                       "%s", text);
    free(text);
}

Test(report, worst_comes_first)
{
    struct sample sample;
    char *text;
    const char *fails, *warns, *unknown, *fits;

    sample_make(&sample, 4);
    sample.findings[0].severity = RA_WARNING;
    sample.findings[0].rule = "RA000";
    sample_judge(&sample.libraries[0], 0, RA_PARTIAL, RA_WARNING);
    sample_judge(&sample.libraries[2], 0, RA_UNDECIDED, RA_NOTE);
    sample.libraries[2].file.status = RA_FILE_INCOMPLETE;
    sample_judge(&sample.libraries[3], 0, RA_NATIVE, RA_NOTE);
    sample.report.finding_count = 2;
    text = sample_render(sample_report(&sample), "text", plain);
    fails = strstr(text, "\nFAILS");
    warns = strstr(text, "\nwarns");
    unknown = strstr(text, "\n?");
    fits = strstr(text, "\nfits");
    cr_assert(fails && warns && unknown && fits, "%s", text);
    cr_expect(fails < warns && warns < unknown && unknown < fits, "%s", text);
    free(text);
}

Test(report, undecided_says_what_and_where)
{
    struct ra_diag diag = { .code = "D010",
                            .name = "payload-damaged",
                            .severity = RA_ERROR,
                            .text = "compressed data is damaged",
                            .detail = "zstd",
                            .offset = 0x1a3000,
                            .inner = 0x20 };
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_UNDECIDED, RA_NOTE);
    sample.libraries[0].file.status = RA_FILE_INCOMPLETE;
    sample.libraries[0].file.diags = &diag;
    sample.report.finding_count = 0;
    sample.report.totals.incomplete = 1;
    sample.report.exit = 2;
    assert_says(
        sample_report(&sample), "text", plain,
        "?       /opt/lib00.so could not be read whole\n"
        "          D010 payload-damaged at 0x1a3000, expanded 0x20: compressed data is\n"
        "          damaged: zstd\n");
    assert_says(&sample.report, "text", plain,
                "Undecided: lib00.so on gfx1151.   exit 2\n");
}

Test(report, what_fits_is_said_with_its_assumption)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.finding_count = sample.report.totals.errors = 0;
    sample.report.exit = 0;
    sample_judge(&sample.libraries[0], 0, RA_NATIVE, RA_NOTE);
    sample.libraries[0].verdicts[0].assumption = "fits if xnack is off";
    sample.devices[0].xnack_assumed = true;
    assert_says(sample_report(&sample), "text", plain,
                "fits    gfx1151   code of its own; fits if xnack is off\n"
                "        /opt/lib00.so  1 of 1 bundle\n");
    assert_says(&sample.report, "text", plain,
                "lib00.so runs on gfx1151 (features assumed).   exit 0\n");
}

/* What is noted of a file that runs stands beside it, and is no cause of its own. */
Test(report, notes_stand_beside_what_fits)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.exit = 0;
    sample_judge(&sample.libraries[0], 0, RA_GENERIC, RA_NOTE);
    sample.findings[0].severity = RA_NOTE;
    sample.findings[0].message = "gfx11-generic serves gfx1151";
    assert_says(sample_report(&sample), "text", plain,
                "\n\nfits    gfx1151   generic code\n"
                "        /opt/lib00.so  1 of 1 bundle; gfx11-generic serves gfx1151\n");
    assert_lacks(&sample.report, "text", plain, "\nnote");
}

Test(report, lines_end_in_no_space)
{
    struct sample sample;

    sample_make(&sample, 3);
    sample.devices[0].xnack_assumed = true;
    sample.targets[0].target = "gfx11-generic"; /* has no products */
    assert_lacks(sample_report(&sample), "text", plain, " \n");
    sample.report.has_kernels = true;
    assert_lacks(sample_listing(&sample), "text", plain, " \n");
    assert_lacks(&sample.report, "text", (struct ra_style){ .verbose = true }, " \n");
}

/* Eight equal GPUs are told of once. */
Test(report, equal_devices_share_a_cause)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    for (size_t i = 0; i < 8; i++) {
        sample.devices[i] = sample_device(i, "gfx942");
        sample.devices[i].same_as = 0;
        sample_judge(&sample.libraries[0], i, RA_MISSING, RA_ERROR);
        sample.findings[i] = sample_missing(sample.names[0], i);
    }
    sample.report.device_count = sample.report.finding_count = 8;
    text = sample_render(sample_report(&sample), "text", plain);
    cr_expect_eq(sample_count(text, "FAILS"), 1, "%s", text);
    cr_expect_eq(sample_count(text, "/opt/lib00.so"), 1, "%s", text);
    cr_expect_not_null(strstr(text, "\nlib00.so fails on gfx942.   exit 1\n"), "%s",
                       text);
    free(text);
}

Test(report, several_devices_stand_side_by_side_worst_first)
{
    struct sample sample;

    sample_make(&sample, 2);
    sample.devices[0] = sample_device(0, "gfx1030");
    sample.devices[1] = sample_device(1, "gfx1151");
    sample.report.device_count = 2;
    sample.report.finding_count = 1;
    sample.findings[0] = sample_missing(sample.names[1], 1);
    for (size_t i = 0; i < 2; i++) {
        sample_judge(&sample.libraries[i], 0, RA_NATIVE, RA_NOTE);
        sample_judge(&sample.libraries[i], 1, i ? RA_MISSING : RA_GENERIC,
                     i ? RA_ERROR : RA_NOTE);
    }
    assert_says(sample_report(&sample), "text", plain,
                "                       1 gfx1151  0 gfx1030\n"
                "        /opt/lib01.so  FAILS      fits\n"
                "        /opt/lib00.so  fits       fits\n");
    assert_says(&sample.report, "text", plain,
                "FAILS   gfx1151 (GPU 1)   RA001 missing-target\n");
    assert_says(&sample.report, "text", plain,
                "\n1 of 2 libraries fails on gfx1151.   exit 1\n");
}

Test(report, nothing_to_judge_is_one_sentence)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample.report.exit = 2;
    sample.report.totals.by_kind[RA_KIND_ARCHIVE] = 1;
    sample.report.totals.files = 4;
    assert_says(sample_report(&sample), "text", (struct ra_style){ .width = 200 },
                "\nNo AMD device code in 4 files: 2 ELF files, 1 with code for "
                "NVIDIA GPUs only, 1 archive that was not opened.   exit 2\n");
}

Test(report, no_device_points_to_the_option)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.device_count = sample.report.finding_count = 0;
    sample.libraries[0].file.verdict_count = 0;
    sample.report.devices_text = "/sys/class/kfd is not there";
    sample.report.exit = 2;
    assert_says(
        sample_report(&sample), "text", plain,
        "no GPU  /sys/class/kfd is not there; --gpu TARGET names one to judge for\n");
    assert_says(&sample.report, "text", plain,
                "\nUndecided: there is no GPU to judge for.   exit 2\n");
}

Test(report, time_is_said_only_if_it_is_asked_for)
{
    struct ra_style timed = plain;
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.totals.seconds = 0.92;
    sample.report.totals.files = 41207;
    assert_says(sample_report(&sample), "text", plain,
                "\n41,207 files: 1 with AMD device code,");
    timed.timing = true;
    assert_says(sample_report(&sample), "text", timed, "\n41,207 files, 0.9 s: 1 with");
}

Test(report, an_apu_that_nothing_serves_is_not_said_to_run)
{
    struct sample sample;

    sample_make(&sample, 2);
    for (size_t i = 0; i < 2; i++) {
        sample_judge(&sample.libraries[i], 0, RA_NATIVE, RA_NOTE);
        sample_judge(&sample.libraries[i], 1, RA_MISSING, RA_WARNING);
    }
    sample.devices[0] = sample_device(0, "gfx1100");
    sample.devices[1] = sample_device(1, "gfx1036");
    sample.report.device_count = 2;
    sample.report.finding_count = 0;
    sample.report.exit = 0;
    assert_says(sample_report(&sample), "text", plain,
                "All 2 libraries run on gfx1100, not on the APU beside it (gfx1036).");
}

/* ---- text of a listing ------------------------------------------------------------ */

Test(report, listing_has_a_row_a_code_object)
{
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    text = sample_render(sample_listing(&sample), "text", plain);
    cr_expect_str_eq(text, "BUNDLE  TARGET   COV  KERNELS     SIZE  OFFSET\n"
                           "     0  gfx1030    5        2  1.72 MB  0x11000\n"
                           "     0  gfx906     -        -        -  -        "
                           "not present\n");
    free(text);
}

Test(report, listing_says_when_offsets_are_in_expanded_bytes)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].bundle.container = "ccob2";
    assert_says(sample_listing(&sample), "text", plain, "1.72 MB  0x1000  in ccob2\n");
}

Test(report, listing_shows_a_label_that_lies)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].entries[1].elf_target = "gfx1100";
    assert_says(sample_listing(&sample), "text", plain, "     0  gfx1030 -> gfx1100 ");
}

Test(report, listing_of_several_files_names_them)
{
    struct sample sample;

    sample_make(&sample, 2);
    assert_says(sample_listing(&sample), "text", plain, "/opt/lib00.so:\nBUNDLE ");
    assert_says(&sample.report, "text", plain, "\n\n/opt/lib01.so:\nBUNDLE ");
}

Test(report, listing_of_kernels_has_aligned_columns)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.has_kernels = true;
    assert_says(sample_listing(&sample), "text", (struct ra_style){ .width = 120 },
                "\nbundle 0, gfx1030: 2 kernels\n"
                "  WAVE  VGPR  AGPR  SGPR  SPILLS   LDS  SCRATCH  KERNARG  GROUP  "
                "FLAGS                        KERNEL\n"
                "    64    24     8    32      2v  1024       16       56    256  "
                "                             second\n"
                "    32     7           9                               8   1024  "
                "no-descriptor,dynamic-stack  first\n");
}

/* Numbers keep their columns, so that on a narrow page a name needs its own line. */
Test(report, listing_of_kernels_fits_a_narrow_page)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.has_kernels = true;
    assert_says(sample_listing(&sample), "text", plain,
                "\n  second\n"
                "    64    24     8    32      2v  1024       16       56    256\n");
}

Test(report, bare_targets_are_unique_and_sorted)
{
    const struct ra_style bare = { .targets_only = true };
    struct sample sample;
    char *text;

    sample_make(&sample, 3);
    sample.libraries[1].entries[1].target = "gfx90a:xnack-";
    sample.libraries[2].entries[1].target = "";
    sample.libraries[2].entries[1].elf_target = "gfx1201";
    text = sample_render(sample_listing(&sample), "text", bare);
    cr_expect_str_eq(text, "gfx1030\ngfx1201\ngfx90a:xnack-\n");
    free(text);
}

/* ---- the sink ---------------------------------------------------------------------- */

struct tap {
    size_t calls, largest, after; /* bytes taken before it refuses */
};

static bool tap_take(void *arg, const char *bytes, size_t size)
{
    struct tap *tap = arg;

    (void)bytes;
    tap->calls++;
    tap->largest = size > tap->largest ? size : tap->largest;
    if (size > tap->after)
        return false;
    tap->after -= size;
    return true;
}

Test(report, refusing_sink_ends_the_writing)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct sample sample;

    sample_make(&sample, SAMPLE_LIBRARIES);
    for (const char *const *format = ra_report_formats(); *format; format++) {
        struct tap tap = { 0 };

        cr_expect_eq(
            ra_report_write(sample_report(&sample), *format, &style, tap_take, &tap),
            RA_E_IO);
        cr_expect_eq(tap.calls, 1, "%s: %zu calls", *format, tap.calls);
    }
}

Test(report, large_json_goes_out_in_pieces)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct tap tap = { .after = SIZE_MAX };
    static struct ra_entry entries[2000];
    struct sample sample;

    sample_make(&sample, 1);
    for (size_t i = 0; i < RA_COUNT(entries); i++)
        entries[i] = sample.libraries[0].entries[1];
    sample.libraries[0].bundle.entries = entries;
    sample.libraries[0].bundle.entry_count = RA_COUNT(entries);
    cr_expect_eq(ra_report_write(sample_report(&sample), "json", &style, tap_take, &tap),
                 RA_OK);
    cr_expect_gt(tap.calls, 10);
    cr_expect_leq(tap.largest, 64 * 1024);
}

Test(report, unknown_format_is_refused)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct tap tap = { .after = SIZE_MAX };
    struct sample sample;

    sample_make(&sample, 1);
    cr_expect_eq(ra_report_write(sample_report(&sample), "yaml", &style, tap_take, &tap),
                 RA_E_UNSUPPORTED);
    cr_expect_eq(tap.calls, 0);
}

Test(report, fields_behind_a_shorter_style_are_not_read)
{
    struct ra_style style = { .sz = offsetof(struct ra_style, color), .color = true };
    struct ra_text text = { 0 };
    struct sample sample;

    sample_make(&sample, 1);
    cr_assert_eq(
        ra_report_write(sample_report(&sample), "text", &style, sample_keep, &text),
        RA_OK);
    cr_expect_null(strchr(text.data, '\033'));
    ra_text_free(&text);
}

Test(report, every_format_gives_the_same_bytes_twice)
{
    struct sample sample;

    sample_make(&sample, SAMPLE_LIBRARIES);
    for (const char *const *format = ra_report_formats(); *format; format++) {
        char *first = sample_render(sample_report(&sample), *format, plain);
        char *second = sample_render(&sample.report, *format, plain);

        cr_expect_str_eq(first, second);
        free(first);
        free(second);
    }
}
