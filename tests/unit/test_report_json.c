/* What JSON and jsonl tell of a machine, and of how it bears on verdicts. */
#include "base/text.h"
#include "sample.h"

#include <stdlib.h>

static const struct ra_style plain = { 0 };

Test(report_json, device_tells_what_it_is_and_passes_for)
{
    struct sample sample;
    struct ra_device *device = &sample.devices[0];

    sample_make(&sample, 1);
    device->target = "gfx1030";
    device->source = "kfd node 3";
    device->is_apu = false;
    device->arch = "RDNA 2";
    device->hardware_target = "gfx1031";
    device->override_text = "HSA_OVERRIDE_GFX_VERSION=10.3.0";
    device->origin = RA_FROM_ENVIRONMENT;
    device->xnack_origin = RA_FROM_INFERENCE;
    device->sramecc_origin = RA_FROM_KFD;
    device->why = "gfx_target_version 100301";
    device->rocr_index = 2;
    assert_says(sample_report(&sample), "jsonl", plain,
                "{\"type\": \"device\", \"index\": 0, \"target\": \"gfx1030\", "
                "\"source\": \"kfd node 3\", \"product\": null, \"arch\": \"RDNA 2\", "
                "\"apu\": false, \"assumed\": [], \"hardware\": \"gfx1031\", "
                "\"override\": \"HSA_OVERRIDE_GFX_VERSION=10.3.0\", "
                "\"origin\": \"environment\", \"sramecc_origin\": \"kfd\", "
                "\"xnack_origin\": \"inferred\", \"why\": \"gfx_target_version 100301\", "
                "\"skipped\": null, \"same_as\": 0, \"rocr_index\": 2}\n");
}

/* The library fills it in for every GPU; it says something only of one in disguise. */
Test(report_json, hardware_is_null_without_an_override)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.devices[0].hardware_target = "gfx1151";
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"hardware\": null, \"override\": null, ");
}

Test(report_json, skipped_device_says_why)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.devices[1] = sample_device(1, "gfx942");
    sample.devices[1].skipped = "hidden by ROCR_VISIBLE_DEVICES=\"0\"";
    sample.report.device_count = 2;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"skipped\": \"hidden by ROCR_VISIBLE_DEVICES=\\\"0\\\"\", "
                "\"same_as\": 1, \"rocr_index\": 1}\n");
}

Test(report_json, equal_device_names_the_one_that_is_judged)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.devices[1] = sample_device(1, "gfx1151");
    sample.devices[1].same_as = 0;
    sample.report.device_count = 2;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"skipped\": null, \"same_as\": 0, \"rocr_index\": 1}\n");
}

Test(report_json, verdict_names_the_gpu_that_is_in_the_way)
{
    static const struct {
        enum ra_block block;
        const char *expected;
    } cases[] = {
        { RA_BLOCK_NONE, "\"blocked_by\": null, \"block\": \"none\", " },
        { RA_BLOCK_STOP, "\"blocked_by\": 3, \"block\": \"stop\", " },
        { RA_BLOCK_MODE, "\"blocked_by\": 3, \"block\": \"mode\", " },
        { RA_BLOCK_MAY_ABORT, "\"blocked_by\": 3, \"block\": \"may-abort\", " },
        { RA_BLOCK_ABORT, "\"blocked_by\": 3, \"block\": \"abort\", " },
        { RA_BLOCK_OVERRIDE, "\"blocked_by\": 3, \"block\": \"override\", " },
    };
    struct sample sample;

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        sample_make(&sample, 1);
        sample.libraries[0].verdicts[0].block = cases[i].block;
        sample.libraries[0].verdicts[0].blocked_by = 3;
        assert_says(sample_report(&sample), "json", plain, cases[i].expected);
    }
}

Test(report_json, verdict_tells_its_doubt_behind_its_assumption)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_judge(&sample.libraries[0], 0, RA_UNDECIDED, RA_NOTE);
    sample.libraries[0].verdicts[0].doubt = "not known whether ROCm 6.2 can";
    assert_says(sample_report(&sample), "json", plain,
                "\"assumption\": null, \"doubt\": \"not known whether ROCm 6.2 can\", "
                "\"blocked_by\": null");
}

Test(report_json, file_tells_what_its_host_code_needs)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].file.host_isa = 3;
    assert_says(sample_report(&sample), "jsonl", plain,
                "}], \"host_isa\": \"x86-64-v3\", ");
    sample.libraries[0].file.host_isa = 0;
    assert_says(sample_report(&sample), "jsonl", plain, "}], \"host_isa\": null, ");
}

/* Only code objects were made by a compiler, and not all of them tell by which. */
Test(report_json, entry_names_its_compiler)
{
    struct sample sample;
    struct ra_entry *entry = &sample.libraries[0].entries[1];

    sample_make(&sample, 1);
    entry->code.compiler = "AMD clang 17.0.0 \\x1b[2J";
    assert_says(sample_report(&sample), "jsonl", plain,
                "], \"compiler\": \"AMD clang 17.0.0 \\\\x1b[2J\", ");
    entry->code.compiler = "";
    assert_lacks(sample_report(&sample), "jsonl", plain, "\"compiler\": \"");
    entry->code.compiler = "AMD clang";
    entry->content = RA_CONTENT_BITCODE;
    assert_lacks(sample_report(&sample), "jsonl", plain, "\"compiler\": \"");
}

Test(report_json, finding_of_a_device_is_of_no_file)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.findings[0].file = NULL;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"consequence\": \"refused\", \"file\": null, \"package\": null, "
                "\"device\": 0, ");
}

Test(report_json, totals_carry_the_runtime)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.runtime.version = "6.2.4";
    sample.report.runtime.source = "/opt/rocm/.info/version";
    sample.report.runtime.assumed = false;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"runtime\": {\"version\": \"6.2.4\", "
                "\"source\": \"/opt/rocm/.info/version\", \"assumed\": false, "
                "\"compat\": \"upstream\", \"compat_source\": \"default\"}, \"note\": "
                "null, \"files\"");
}

Test(report_json, gpu_has_no_note_if_nothing_is_to_be_said)
{
    struct sample sample;

    sample_make(&sample, 0);
    sample.report.verb = "gpu";
    assert_says(sample_report(&sample), "json", plain, "\n  \"note\": null,\n");
    sample.report.devices_text = "no KFD topology below /sys";
    sample.report.device_count = 0;
    assert_says(&sample.report, "json", plain,
                "\n  \"devices\": [],\n"
                "  \"note\": \"no KFD topology below /sys\",\n");
}

/* ---- packages and archives ------------------------------------------------------ */

Test(report_json, package_is_what_the_page_says)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_package(&sample, 0, "torch", "2.9.0+rocm7.0");
    sample.packages[0].device_files = 37;
    sample.packages[0].code_objects = 2114;
    sample.package_verdicts[0][0] = (struct ra_verdict){
        .kind = RA_MISSING, .severity = RA_ERROR, .covered = 1, .total = 412
    };
    sample.packages[0].verdict_count = 1;
    assert_says(sample_report(&sample), "jsonl", plain,
                "{\"type\": \"package\", \"name\": \"torch\", "
                "\"version\": \"2.9.0+rocm7.0\", \"kind\": \"wheel\", "
                "\"path\": \"/opt/dist-info/RECORD\", \"jit\": false, "
                "\"placeholder\": false, \"editable\": null, \"device_files\": 37, "
                "\"code_objects\": 2114, \"note\": null, \"verdicts\": ["
                "{\"device\": 0, \"verdict\": \"missing\", \"severity\": \"error\", "
                "\"covered\": 1, \"total\": 412, \"kernels_missing\": 0, "
                "\"on_purpose\": null, \"assumption\": null, \"doubt\": null, "
                "\"blocked_by\": null, \"block\": \"none\", \"excused\": null}]}\n");
    sample.packages[0] = (struct ra_package){ .name = "triton",
                                              .version = "",
                                              .kind = "egg",
                                              .path = "",
                                              .jit = true,
                                              .placeholder = true,
                                              .editable = "/home/me/src",
                                              .note = "compiles on this machine" };
    assert_says(
        &sample.report, "jsonl", plain,
        "{\"type\": \"package\", \"name\": \"triton\", \"version\": null, "
        "\"kind\": \"egg\", \"path\": null, \"jit\": true, \"placeholder\": true, "
        "\"editable\": \"/home/me/src\", \"device_files\": 0, "
        "\"code_objects\": 0, \"note\": \"compiles on this machine\", "
        "\"verdicts\": []}\n");
}

Test(report_json, packages_stand_between_files_and_findings)
{
    struct sample sample;
    const char *file, *package, *finding;
    char *text;

    sample_make(&sample, 1);
    sample_package(&sample, 0, "torch", "2.9.0");
    text = sample_render(sample_report(&sample), "jsonl", plain);
    file = strstr(text, "\"type\": \"file\"");
    package = strstr(text, "\"type\": \"package\"");
    finding = strstr(text, "\"type\": \"finding\"");
    cr_expect(file && package && finding && file < package && package < finding, "%s",
              text);
    free(text);
    assert_says(&sample.report, "json", plain,
                "  ],\n"
                "  \"packages\": [\n"
                "    {\n"
                "      \"name\": \"torch\",\n"
                "      \"version\": \"2.9.0\",\n");
}

Test(report_json, file_and_finding_name_their_package)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample_package(&sample, 0, "torch", "2.9.0");
    sample.libraries[0].file.package = sample.findings[0].package = &sample.packages[0];
    sample.libraries[0].file.owner_count = 2;
    sample.libraries[0].file.is_member = true;
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"status\": \"ok\", \"package\": {\"name\": \"torch\", "
                "\"version\": \"2.9.0\"}, \"bundles\": [");
    assert_says(
        &sample.report, "jsonl", plain,
        "\"host_isa\": null, \"owners\": 2, \"member\": true, \"kpack\": null}\n");
    assert_says(&sample.report, "jsonl", plain,
                "\"file\": \"/opt/lib00.so\", \"package\": {\"name\": \"torch\", "
                "\"version\": \"2.9.0\"}, \"device\": 0, ");
    sample.packages[0].version = "";
    assert_says(&sample.report, "jsonl", plain,
                "\"package\": {\"name\": \"torch\", \"version\": null}, ");
}

Test(report_json, finding_about_no_device_says_null)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.findings[0].device = RA_NO_DEVICE;
    assert_says(sample_report(&sample), "jsonl", plain, "\"device\": null, \"message\"");
}

Test(report_json, verdict_tells_what_excuses_it)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].verdicts[0].excused = "lib01.so serves gfx1151";
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"block\": \"none\", \"excused\": \"lib01.so serves gfx1151\"}]");
}

Test(report_json, file_tells_the_archives_it_needs)
{
    static const char *const arches[] = { "gfx1030", "gfx1031" };
    static const char *const patterns[] = { "../.kpack/a_@GFXARCH@.kpack" };
    const struct ra_kpack_archive archives[] = {
        { .path = "/opt/.kpack/a_gfx1030.kpack",
          .target = "gfx1030",
          .arches = arches,
          .arch_count = 2,
          .binary_count = 12,
          .has_binary = true,
          .complete = true,
          .kernels = 42 },
        { .path = "/opt/.kpack/b.kpack", .target = "" },
    };
    struct ra_kpack kpack = { .name = "lib/lib00.so",
                              .patterns = patterns,
                              .pattern_count = 1,
                              .archives = archives,
                              .archive_count = 2,
                              .moved = true };
    struct sample sample;
    struct library *library = &sample.libraries[0];

    sample_make(&sample, 1);
    library->file.kpack = &kpack;
    assert_says(
        sample_report(&sample), "jsonl", plain,
        "\"kpack\": {\"name\": \"lib/lib00.so\", "
        "\"patterns\": [\"../.kpack/a_@GFXARCH@.kpack\"], \"archives\": ["
        "{\"path\": \"/opt/.kpack/a_gfx1030.kpack\", \"target\": \"gfx1030\", "
        "\"arches\": [\"gfx1030\", \"gfx1031\"], \"complete\": true, "
        "\"has_binary\": true, \"kernels\": 42, \"binaries\": 12}, "
        "{\"path\": \"/opt/.kpack/b.kpack\", \"target\": null, \"arches\": [], "
        "\"complete\": false, \"has_binary\": false, \"kernels\": 0, \"binaries\": 0}], "
        "\"moved\": true, \"disabled\": false}}\n");
    library->bundle.container = "kpack";
    library->bundle.key = "lib/lib00.so#0";
    library->entries[1].archive = archives[0].path;
    library->entries[1].archive_target = "gfx1030";
    library->entries[2].archive = archives[1].path;
    library->entries[2].archive_target = "";
    assert_says(sample_report(&sample), "jsonl", plain,
                "\"container\": \"kpack\", \"key\": \"lib/lib00.so#0\", \"entries\": [");
    assert_says(&sample.report, "jsonl", plain,
                "\"archive\": \"/opt/.kpack/a_gfx1030.kpack\", "
                "\"archive_target\": \"gfx1030\"}, ");
    assert_says(&sample.report, "jsonl", plain,
                "\"archive\": \"/opt/.kpack/b.kpack\", \"archive_target\": null}]");
}

Test(report_json, gate_has_a_schema_of_its_own)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.report.verb = "check";
    sample.report.totals.archives = 3;
    assert_says(sample_report(&sample), "json", plain,
                "  \"schema\": \"rocaudit.check/1\",\n");
    assert_says(&sample.report, "json", plain, "    \"archives\": 3,\n");
}

Test(report_json, is_valid_with_all_of_it)
{
    static const char *const formats[] = { "json", "jsonl" };
    struct sample sample;

    sample_make(&sample, 1);
    sample.devices[0].why = sample.devices[0].skipped = "a\"b\\c\xff";
    sample.devices[0].override_text = sample.devices[0].hardware_target = "\x1b[1m";
    sample.report.runtime.source = sample.report.runtime.version = "\n\t";
    sample.libraries[0].verdicts[0].doubt = "\"";
    sample.libraries[0].entries[1].code.compiler = "\\";
    sample_package(&sample, 0, "\x1b]0;\"\\", "\xff\n");
    sample.packages[0].note = sample.packages[0].editable = "\x1b[2J";
    sample.libraries[0].file.package = sample.findings[0].package = &sample.packages[0];
    sample.libraries[0].bundle.key = sample.libraries[0].entries[1].archive = "\x1b\"";
    sample.libraries[0].entries[1].archive_target = "\xfe";
    for (size_t i = 0; i < RA_COUNT(formats); i++) {
        char *text = sample_render(sample_report(&sample), formats[i], plain);
        char *rest = text, *line;

        if (i == 0)
            cr_expect(json_is_document(text), "%s", text);
        while (i > 0 && (line = strsep(&rest, "\n")) && *line)
            cr_expect(json_is_document(line), "%s", line);
        cr_expect_null(strchr(text, '\033'));
        free(text);
    }
}
