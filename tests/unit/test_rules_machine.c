/* Rules that look at more than a file and a target: the release, other GPUs, the CPU. */
#include "facts.h"
#include "folder.h"

#include "audit/rules.h"
#include "device/device.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define MOST 4

/* What is judged; what a test does not set is healthy. */
struct setup {
    struct ra_file file;
    const char *targets[MOST]; /* of GPUs, in HIP's order */
    unsigned release;          /* 0: the newest */
    unsigned cpu;
    const char *override; /* of the first GPU, which then passes for ... */
    const char *passes_for;
    bool invalid; /* the override is */
};

static struct ra_device devices[MOST];
static struct ra_verdict verdicts[MOST];

static size_t make_devices(const struct setup *setup)
{
    size_t count = 0;

    for (; count < MOST && setup->targets[count]; count++) {
        devices[count] = facts_device(setup->targets[count]);
        devices[count].index = devices[count].same_as = devices[count].rocr_index = count;
    }
    if (setup->override) {
        devices[0].override_text = setup->override;
        devices[0].override_invalid = setup->invalid;
        if (setup->passes_for)
            devices[0].id = facts_target(setup->passes_for);
    }
    return count;
}

/* Findings of file rules for the GPU `at`; of device rules if there is no such file. */
static struct ra_findings findings_of(const struct setup *setup, size_t at, bool of_file)
{
    struct ra_rocm rocm = { setup->release ? setup->release : RA_ROCM_NEWEST,
                            RA_UPSTREAM };
    struct ra_findings findings = { .arena = &facts_arena };
    size_t count = make_devices(setup);
    struct ra_case subject = { .device = &devices[at],
                               .devices = devices,
                               .device_count = count,
                               .one_machine = true,
                               .rocm = &rocm,
                               .cpu = setup->cpu,
                               .first = at == 0 };

    if (of_file) {
        subject.file = &setup->file;
        subject.verdict = &verdicts[at];
        subject.verdicts = verdicts;
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(ra_judge_file(&setup->file, &devices[i], &rocm, &facts_arena,
                                       &verdicts[i]),
                         RA_OK);
        ra_judge_machine(&setup->file, devices, count, &rocm, verdicts);
    }
    cr_assert_eq(ra_rules_apply(&subject, &findings), RA_OK);
    return findings;
}

static const struct ra_finding *told(const struct setup *setup, size_t at,
                                     const char *rule)
{
    struct ra_findings findings = findings_of(setup, at, setup->file.path != NULL);

    for (const struct ra_finding_node *node = findings.first; node; node = node->next)
        if (strcmp(node->finding.rule, rule) == 0)
            return &node->finding;
    return NULL;
}

static void assert_says(const char *text, const char *part)
{
    cr_assert(text && strstr(text, part), "\"%s\" does not say \"%s\"", text ? text : "",
              part);
}

static struct ra_file of(const char *targets)
{
    struct ra_bundle bundle = facts_for(targets);

    return facts_file("libfoo.so", &bundle, 1);
}

/* ---- RA010 ------------------------------------------------------------------------ */

Test(rules_machine, an_uncovered_gpu_first_blocks_the_others, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1100"),
                           .targets = { "gfx1036", "gfx1100" },
                           .release = 700 };
    const struct ra_finding *finding = told(&setup, 1, "RA010");

    cr_assert_not_null(finding);
    cr_assert_eq(finding->severity, RA_ERROR);
    assert_says(finding->message, "GPU 0 (gfx1036)");
    assert_says(finding->predicted_error, "device kernel image is invalid (200)");
    cr_assert_str_eq(finding->advice, "ROCR_VISIBLE_DEVICES=1");
    cr_assert_null(told(&setup, 0, "RA010"));
}

Test(rules_machine, gpus_that_are_covered_or_come_later_block_nobody,
     .fini = facts_forget)
{
    struct setup covered = { .file = of("gfx1036 gfx1100"),
                             .targets = { "gfx1036", "gfx1100" },
                             .release = 700 };
    struct setup last = { .file = of("gfx1100"),
                          .targets = { "gfx1100", "gfx1036" },
                          .release = 700 };
    struct setup six = { .file = of("gfx1100"),
                         .targets = { "gfx1036", "gfx1100" },
                         .release = 603 };

    cr_assert_null(told(&covered, 1, "RA010"));
    cr_assert_null(told(&last, 0, "RA010"));
    cr_assert_null(told(&six, 1, "RA010"));
}

Test(rules_machine, a_shared_entry_needs_both_modes, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx906"),
                           .targets = { "gfx906:sramecc+:xnack-",
                                        "gfx906:sramecc-:xnack-" } };

    assert_says(told(&setup, 1, "RA010")->advice,
                "--offload-arch=gfx906:sramecc+:xnack-");
    setup.file = of("gfx906:sramecc+ gfx906:sramecc-");
    cr_assert_null(told(&setup, 1, "RA010"));
}

/* ---- RA011, RA012, RA013 ---------------------------------------------------------- */

Test(rules_machine, an_override_of_another_family_is_a_hazard, .fini = facts_forget)
{
    struct setup setup = { .targets = { "gfx90a:sramecc+:xnack-" },
                           .override = "HSA_OVERRIDE_GFX_VERSION=10.3.0",
                           .passes_for = "gfx1030" };
    const struct ra_finding *finding = told(&setup, 0, "RA011");

    cr_assert_eq(finding->severity, RA_ERROR);
    cr_assert_str_eq(finding->consequence, "illegal-instruction");
    cr_assert_null(finding->file);
    assert_says(finding->message, "HSA_OVERRIDE_GFX_VERSION=10.3.0");
    assert_says(finding->message, "gfx90a:sramecc+:xnack-");
    assert_says(finding->predicted_error, "Memory access fault by GPU node");
    cr_assert_str_eq(finding->advice, "unset HSA_OVERRIDE_GFX_VERSION");
}

Test(rules_machine, fewer_registers_are_a_warning, .fini = facts_forget)
{
    struct setup setup = { .targets = { "gfx1103" },
                           .override = "HSA_OVERRIDE_GFX_VERSION_1=11.0.0",
                           .passes_for = "gfx1100" };
    const struct ra_finding *finding = told(&setup, 0, "RA011");

    cr_assert_eq(finding->severity, RA_WARNING);
    assert_says(finding->message, "1024");
    assert_says(finding->predicted_error, "0x100f");
    cr_assert_str_eq(finding->advice, "unset HSA_OVERRIDE_GFX_VERSION_1");
}

Test(rules_machine, overrides_that_do_no_harm_are_not_told, .fini = facts_forget)
{
    struct setup same = { .targets = { "gfx1030" },
                          .override = "HSA_OVERRIDE_GFX_VERSION=10.3.0",
                          .passes_for = "gfx1030" };
    struct setup sibling = { .targets = { "gfx1032" },
                             .override = "HSA_OVERRIDE_GFX_VERSION=10.3.0",
                             .passes_for = "gfx1030" };
    struct setup none = { .targets = { "gfx1032" } };

    cr_assert_null(findings_of(&same, 0, false).first);
    cr_assert_null(findings_of(&sibling, 0, false).first);
    cr_assert_null(findings_of(&none, 0, false).first);
}

Test(rules_machine, a_gpu_can_vanish, .fini = facts_forget)
{
    struct setup garbage = { .targets = { "gfx1030" },
                             .override = "HSA_OVERRIDE_GFX_VERSION=gfx1030",
                             .invalid = true };
    struct setup unknown = { .targets = { "gfx1150" },
                             .override = "HSA_OVERRIDE_GFX_VERSION=11.0.5",
                             .passes_for = "gfx1105" };

    assert_says(told(&garbage, 0, "RA012")->message, "no MAJOR.MINOR.STEPPING");
    assert_says(told(&unknown, 0, "RA012")->message, "gfx1105");
    assert_says(told(&unknown, 0, "RA012")->predicted_error, "no ROCm-capable device");
    cr_assert_eq(told(&unknown, 0, "RA012")->severity, RA_ERROR);
}

/* gfx1030 code runs on a gfx1032 that passes for it; gfx1032 code needs no override. */
Test(rules_machine, code_can_rely_on_an_override, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1030"),
                           .targets = { "gfx1032" },
                           .override = "HSA_OVERRIDE_GFX_VERSION=10.3.0",
                           .passes_for = "gfx1030" };

    cr_assert_eq(told(&setup, 0, "RA013")->severity, RA_WARNING);
    cr_assert_null(told(&setup, 0, "RA001"));
    setup.file = of("gfx1030 gfx1032");
    cr_assert_null(told(&setup, 0, "RA013"));
}

/* 11.5.1 on a gfx1150: the wheel has gfx1150 and no gfx1151. */
Test(rules_machine, an_override_can_hide_the_right_code, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1150"),
                           .targets = { "gfx1150" },
                           .override = "HSA_OVERRIDE_GFX_VERSION=11.5.1",
                           .passes_for = "gfx1151" };
    const struct ra_finding *finding = told(&setup, 0, "RA001");

    assert_says(finding->message, "HSA_OVERRIDE_GFX_VERSION=11.5.1");
    assert_says(finding->advice, "unset HSA_OVERRIDE_GFX_VERSION");
    setup.file = of("gfx1100");
    assert_says(told(&setup, 0, "RA001")->advice, "--offload-arch=gfx1151");
}

/* What ROCr drops is told of once, and blocks nobody. */
Test(rules_machine, a_dropped_gpu_is_one_cause, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1100"),
                           .targets = { "gfx1034", "gfx1100" },
                           .release = 700,
                           .override = "HSA_OVERRIDE_GFX_VERSION_1=11.3.0",
                           .passes_for = "gfx1130" };

    cr_assert_null(told(&setup, 0, "RA001"));
    cr_assert_null(told(&setup, 1, "RA010"));
    setup.override = NULL;
    cr_assert_not_null(told(&setup, 0, "RA001"));
    cr_assert_not_null(told(&setup, 1, "RA010"));
}

Test(rules_machine, a_release_can_lack_the_gpu, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx90a"),
                           .targets = { "gfx1100" },
                           .release = 502 };

    assert_says(told(&setup, 0, "RA001")->predicted_error, "the GPU is not there");
    assert_says(told(&setup, 0, "RA001")->advice, "a release of ROCm that knows gfx1100");
}

Test(rules_machine, sramecc_against_the_hardware_is_told, .fini = facts_forget)
{
    struct setup setup = { .targets = { "gfx906:sramecc-:xnack-" } };
    struct ra_rocm rocm = { RA_ROCM_NEWEST, RA_UPSTREAM };
    struct ra_findings findings = { .arena = &facts_arena };
    struct ra_case subject = {
        .device = devices, .devices = devices, .device_count = 1, .rocm = &rocm
    };

    cr_assert_null(told(&setup, 0, "RA017"));
    devices[0].sramecc_forced = true;
    cr_assert_eq(ra_rules_apply(&subject, &findings), RA_OK);
    cr_assert_str_eq(findings.first->finding.rule, "RA017");
    cr_assert_eq(findings.first->finding.severity, RA_ERROR);
    cr_assert_str_eq(findings.first->finding.consequence, "wrong-results");
}

/* ---- RA014, RA015, RA016 ---------------------------------------------------------- */

Test(rules_machine, entries_can_contradict_each_other, .fini = facts_forget)
{
    static const char *const bad[] = { "gfx90a gfx90a:xnack-", "gfx90a gfx90a",
                                       "gfx90a:xnack+ gfx90a:sramecc+" };
    static const char *const good[] = { "gfx90a:xnack+ gfx90a:xnack-",
                                        "gfx90a gfx908:xnack-", "gfx90a",
                                        "gfx906:sramecc+ gfx906:sramecc-" };
    struct setup setup = { .targets = { "gfx90a:sramecc+:xnack-" } };

    for (size_t i = 0; i < RA_COUNT(bad); i++) {
        setup.file = of(bad[i]);
        cr_assert_not_null(told(&setup, 0, "RA014"), "%s", bad[i]);
        cr_assert_eq(told(&setup, 0, "RA014")->severity, RA_WARNING);
    }
    for (size_t i = 0; i < RA_COUNT(good); i++) {
        setup.file = of(good[i]);
        cr_assert_null(told(&setup, 0, "RA014"), "%s", good[i]);
    }
}

Test(rules_machine, host_code_can_need_another_cpu, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1030"), .targets = { "gfx1030" }, .cpu = 2 };

    cr_assert_null(told(&setup, 0, "RA015")); /* no mark, nothing said */
    setup.file.host_isa = 3;
    cr_assert_eq(told(&setup, 0, "RA015")->severity, RA_ERROR);
    assert_says(told(&setup, 0, "RA015")->message, "x86-64-v3");
    assert_says(told(&setup, 0, "RA015")->predicted_error, "SIGILL");
    setup.cpu = 3;
    cr_assert_null(told(&setup, 0, "RA015"));
    setup.cpu = 0;
    cr_assert_null(told(&setup, 0, "RA015"));
}

Test(rules_machine, compilers_can_be_mixed, .fini = facts_forget)
{
    struct ra_entry entries[] = { facts_code("gfx1030"), facts_code("gfx90a") };
    struct setup setup = { .targets = { "gfx1030" } };
    struct ra_bundle bundle;

    entries[0].code.compiler = entries[1].code.compiler = "AMD clang 17.0.0";
    bundle = facts_bundle("plain", entries, 2);
    setup.file = facts_file("libfoo.so", &bundle, 1);
    cr_assert_null(told(&setup, 0, "RA016"));
    entries[1].code.compiler = "Linker: AMD LLD 17.0.0";
    bundle = facts_bundle("plain", entries, 2);
    setup.file = facts_file("libfoo.so", &bundle, 1);
    cr_assert_null(told(&setup, 0, "RA016"));
    entries[1].code.compiler = "AMD clang 19.0.0";
    bundle = facts_bundle("plain", entries, 2);
    setup.file = facts_file("libfoo.so", &bundle, 1);
    cr_assert_eq(told(&setup, 0, "RA016")->severity, RA_NOTE);
    assert_says(told(&setup, 0, "RA016")->message, "AMD clang 19.0.0");
}

/* ---- the release ------------------------------------------------------------------ */

Test(rules_machine, the_error_is_that_of_the_release, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx1030"), .targets = { "gfx1100" } };

    setup.release = 602;
    assert_says(told(&setup, 0, "RA001")->predicted_error,
                "invalid device function (98)");
    setup.release = 700;
    assert_says(told(&setup, 0, "RA001")->predicted_error, "image is invalid (200)");
    setup.release = 502;
    setup.targets[0] = "gfx90a:sramecc+:xnack-";
    assert_says(told(&setup, 0, "RA001")->predicted_error, "abort");
    cr_assert_str_eq(told(&setup, 0, "RA001")->consequence, "abort");
}

Test(rules_machine, what_is_too_new_names_the_release_that_will_do, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx1100");
    struct setup setup = { .targets = { "gfx1100" }, .release = 602 };
    struct ra_bundle bundle;

    entry.code.version = 6;
    bundle = facts_bundle("plain", &entry, 1);
    setup.file = facts_file("libfoo.so", &bundle, 1);
    assert_says(told(&setup, 0, "RA004")->message, "ROCm 6.2 cannot load code object "
                                                   "version 6 (6.3 or later can)");
    assert_says(told(&setup, 0, "RA004")->advice, "use ROCm 6.3 or later");
    assert_says(told(&setup, 0, "RA004")->advice, "-mcode-object-version=5");
    setup.release = 603;
    cr_assert_null(told(&setup, 0, "RA004"));
}

Test(rules_machine, generic_code_that_is_too_new_is_named, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx11-generic"),
                           .targets = { "gfx1103" },
                           .release = 602 };

    assert_says(told(&setup, 0, "RA001")->message, "gfx11-generic would do");
    setup.release = 700;
    cr_assert_null(told(&setup, 0, "RA001"));
}

/* The list is what PyTorch's build takes: semicolons, and all that was there before. */
Test(rules_machine, the_line_for_pytorch_keeps_what_was_built, .fini = facts_forget)
{
    struct setup setup = { .file = of("gfx90a gfx942"), .targets = { "gfx1151" } };

    assert_says(told(&setup, 0, "RA001")->advice,
                "PYTORCH_ROCM_ARCH=\"gfx90a;gfx942;gfx1151\"");
}

/* Off is the default, so that to unset HSA_XNACK=0 changes nothing. */
Test(rules_machine, hsa_xnack_is_unset_only_where_that_helps, .fini = facts_forget)
{
    static const struct {
        const char *code, *gpu, *advice;
    } rows[] = {
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", "HSA_XNACK=1 selects" },
        { "gfx90a:xnack-", "gfx90a:sramecc+:xnack+", "unset HSA_XNACK" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_file file = of(rows[i].code);
        struct ra_device device = facts_device(rows[i].gpu);
        struct ra_verdict verdict = { 0 };
        struct ra_findings findings = { .arena = &facts_arena };
        struct ra_case subject = { .file = &file,
                                   .verdict = &verdict,
                                   .device = &device,
                                   .devices = &device,
                                   .verdicts = &verdict,
                                   .device_count = 1,
                                   .rocm = &facts_rocm,
                                   .first = true };

        device.xnack_origin = RA_FROM_ENVIRONMENT;
        cr_assert_eq(ra_judge_file(&file, &device, &facts_rocm, &facts_arena, &verdict),
                     RA_OK);
        cr_assert_eq(ra_rules_apply(&subject, &findings), RA_OK);
        assert_says(findings.first->finding.advice, rows[i].advice);
    }
}

/* The hole is one of mode, and so is the mend. */
Test(rules_machine, a_partial_library_can_lack_a_mode, .fini = facts_forget)
{
    struct ra_bundle bundles[] = { facts_for("gfx90a"), facts_for("gfx90a:xnack-") };
    struct setup setup = { .file = facts_file("libhipblaslt.so.0", bundles, 2),
                           .targets = { "gfx90a:sramecc+:xnack+" } };
    const struct ra_finding *finding = told(&setup, 0, "RA003");

    cr_assert_eq(finding->severity, RA_ERROR); /* no library means that */
    assert_says(finding->message, "it has gfx90a:xnack-");
    assert_says(finding->advice, "rebuild without the feature");
}

/* A Radeon that the driver shows takes the choice of xnack away from all. */
Test(rules_machine, hsa_xnack_is_advised_with_its_limits, .fini = facts_forget)
{
    struct setup alone = { .file = of("gfx90a:xnack+"),
                           .targets = { "gfx90a:sramecc+:xnack-" } };
    struct setup mixed = { .file = of("gfx90a:xnack+"),
                           .targets = { "gfx90a:sramecc+:xnack-", "gfx1100" } };

    assert_says(told(&alone, 0, "RA002")->advice, "HSA_XNACK=1 selects this code; or");
    cr_assert_null(strstr(told(&mixed, 0, "RA002")->advice, "HSA_XNACK"));
    assert_says(told(&mixed, 0, "RA002")->advice, "--offload-arch=gfx90a");
}

/* ---- words ------------------------------------------------------------------------ */

Test(rules_machine, every_rule_and_diagnostic_can_be_explained)
{
    size_t count;
    const struct ra_explanation *all = ra_explanations(&count);

    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(ra_explain(all[i].code), &all[i]);
        cr_assert_eq(ra_explain(all[i].name), &all[i]);
        cr_assert_neq(*all[i].text, '\0');
        if (!all[i].is_rule)
            continue;
        cr_assert(*all[i].cause && *all[i].evidence && *all[i].mend && *all[i].example);
    }
    cr_assert_str_eq(ra_explain("ra001")->name, "missing-target");
    cr_assert_str_eq(ra_explain("Payload-Damaged")->code, "D010");
    cr_assert_null(ra_explain("RA999"));
    cr_assert_null(ra_explain(""));
}
