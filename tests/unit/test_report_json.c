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
        { RA_BLOCK_NONE, "\"blocked_by\": null, \"block\": \"none\"}" },
        { RA_BLOCK_STOP, "\"blocked_by\": 3, \"block\": \"stop\"}" },
        { RA_BLOCK_MODE, "\"blocked_by\": 3, \"block\": \"mode\"}" },
        { RA_BLOCK_MAY_ABORT, "\"blocked_by\": 3, \"block\": \"may-abort\"}" },
        { RA_BLOCK_ABORT, "\"blocked_by\": 3, \"block\": \"abort\"}" },
        { RA_BLOCK_OVERRIDE, "\"blocked_by\": 3, \"block\": \"override\"}" },
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
                "}], \"host_isa\": \"x86-64-v3\"}\n");
    sample.libraries[0].file.host_isa = 0;
    assert_says(sample_report(&sample), "jsonl", plain, "}], \"host_isa\": null}\n");
}

/* Only code objects were made by a compiler, and not all of them tell by which. */
Test(report_json, entry_names_its_compiler)
{
    struct sample sample;
    struct ra_entry *entry = &sample.libraries[0].entries[1];

    sample_make(&sample, 1);
    entry->code.compiler = "AMD clang 17.0.0 \\x1b[2J";
    assert_says(sample_report(&sample), "jsonl", plain,
                "], \"compiler\": \"AMD clang 17.0.0 \\\\x1b[2J\"}, ");
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
