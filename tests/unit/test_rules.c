#include "facts.h"
#include "folder.h"

#include "audit/rules.h"
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/files.h"
#include "gen/host.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char *const all_rules[] = { "RA001", "RA002", "RA003", "RA004", "RA005",
                                         "RA006", "RA007", "RA008", "RA009" };

static struct ra_findings apply(const struct ra_file *file, const char *target,
                                bool behind)
{
    struct ra_findings findings = { .arena = &facts_arena };
    struct ra_device device = facts_device(target);
    struct ra_verdict verdict;
    struct ra_case subject = { .file = file,
                               .verdict = &verdict,
                               .device = &device,
                               .devices = &device,
                               .verdicts = &verdict,
                               .device_count = 1,
                               .rocm = &facts_rocm,
                               .behind = behind,
                               .first = true };

    cr_assert_eq(ra_judge_file(file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    cr_assert_eq(ra_rules_apply(&subject, &findings), RA_OK);
    return findings;
}

static const struct ra_finding *find(const struct ra_findings *findings, const char *rule)
{
    for (const struct ra_finding_node *node = findings->first; node; node = node->next)
        if (strcmp(node->finding.rule, rule) == 0)
            return &node->finding;
    return NULL;
}

/* The rules told, "RA003 RA005", or "". */
static const char *told(const struct ra_file *file, const char *target)
{
    struct ra_findings findings = apply(file, target, false);
    static char text[128];
    size_t size = 0;

    text[0] = '\0';
    for (const struct ra_finding_node *node = findings.first; node; node = node->next)
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
                                 size ? " " : "", node->finding.rule);
    return text;
}

static struct ra_file file_of(struct ra_bundle bundle)
{
    return facts_file("libfoo.so", &bundle, 1);
}

static struct ra_bundle of_entry(struct ra_entry entry)
{
    return facts_bundle("plain", &entry, 1);
}

/* gfx1100 has k_a and k_b, gfx1150 what is asked for. */
static struct ra_bundle guarded(size_t count, unsigned stubs)
{
    static const char *const names[] = { "k_a", "k_b" };
    struct ra_entry entries[] = { facts_code("gfx1100"), facts_code("gfx1150") };
    struct ra_bundle bundle;

    facts_kernels(&entries[0], (const uint32_t[]){ 0, 1 }, 2, 0);
    facts_kernels(&entries[1], (const uint32_t[]){ 0, 1 }, count, stubs);
    bundle = facts_bundle("plain", entries, 2);
    bundle.kernel_names = names;
    bundle.kernel_name_count = 2;
    return bundle;
}

/* ---- which rule is told of which case --------------------------------------------- */

Test(rules, healthy_code_is_told_nothing_of, .fini = facts_forget)
{
    struct ra_file file = file_of(facts_for("gfx90a"));

    cr_assert_str_eq(told(&file, "gfx90a:sramecc+:xnack-"), "");
    file = file_of(guarded(2, 0));
    cr_assert_str_eq(told(&file, "gfx1150"), "");
    file = file_of(of_entry(facts_host()));
    cr_assert_str_eq(told(&file, "gfx1150"), "");
}

Test(rules, each_is_told_of_its_case_alone, .fini = facts_forget)
{
    struct ra_file file = file_of(facts_for("gfx1030"));
    struct ra_bundle two[2];
    struct ra_entry spirv = facts_code("gfx1030");

    cr_assert_str_eq(told(&file, "gfx1100"), "RA001");
    file = file_of(facts_for("gfx90a:xnack+"));
    cr_assert_str_eq(told(&file, "gfx90a:sramecc+:xnack-"), "RA002");
    two[0] = facts_for("gfx1030 gfx90a");
    two[1] = facts_for("gfx90a");
    file = facts_file("libfoo.so", two, 2);
    cr_assert_str_eq(told(&file, "gfx1030"), "RA003");
    file = file_of(of_entry(facts_entry("gfx1010", "gfx1030")));
    cr_assert_str_eq(told(&file, "gfx1010:xnack-"), "RA004");
    cr_assert_str_eq(told(&file, "gfx1030"), "RA001 RA007");
    file = file_of(guarded(1, 0));
    cr_assert_str_eq(told(&file, "gfx1150"), "RA005");
    file = file_of(guarded(2, 2));
    cr_assert_str_eq(told(&file, "gfx1150"), "RA006");
    cr_assert_str_eq(told(&file, "gfx1100"), "");
    file = file_of(facts_for("gfx11-generic"));
    cr_assert_str_eq(told(&file, "gfx1100"), "RA008");
    spirv.label = facts_target("amdgcnspirv");
    spirv.content = RA_CONTENT_SPIRV;
    file = file_of(of_entry(spirv));
    cr_assert_str_eq(told(&file, "gfx1100"), "RA009");
}

/* Severity, consequence and name are public. */
Test(rules, numbers_names_and_severities_are_those_documented, .fini = facts_forget)
{
    struct ra_file file = file_of(facts_for("gfx1030"));
    struct ra_findings findings = apply(&file, "gfx1100", false);
    const struct ra_finding *finding = find(&findings, "RA001");

    cr_assert_str_eq(finding->name, "missing-target");
    cr_assert_eq(finding->severity, RA_ERROR);
    cr_assert_str_eq(finding->consequence, "refused");
    cr_assert_str_eq(finding->file, "libfoo.so");
    cr_assert_not_null(strstr(finding->message, "gfx1100"));
    cr_assert_not_null(strstr(finding->message, "gfx1030"));
    cr_assert_not_null(strstr(finding->advice, "--offload-arch=gfx1100"));
    cr_assert_not_null(
        strstr(finding->predicted_error, "device kernel image is invalid"));
    file = file_of(guarded(1, 1));
    findings = apply(&file, "gfx1150", false);
    cr_assert_eq(find(&findings, "RA005")->severity, RA_WARNING);
    cr_assert_str_eq(find(&findings, "RA005")->name, "missing-kernels");
    cr_assert_not_null(strstr(find(&findings, "RA005")->message, "k_b"));
    cr_assert_eq(find(&findings, "RA006")->severity, RA_WARNING);
    cr_assert_str_eq(find(&findings, "RA006")->name, "stub-kernels");
    cr_assert_str_eq(find(&findings, "RA006")->consequence, "wrong-results");
    cr_assert_not_null(strstr(find(&findings, "RA006")->message, "k_a"));
}

/* HSA_XNACK is heeded by gfx90a, gfx942 and gfx950 only, and only where it would help. */
Test(rules, advise_hsa_xnack_where_it_selects_the_code, .fini = facts_forget)
{
    static const struct {
        const char *code, *device, *advice; /* NULL: not to be advised */
    } rows[] = {
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", "HSA_XNACK=1" },
        { "gfx90a:xnack-", "gfx90a:sramecc+:xnack+", "HSA_XNACK=0" },
        { "gfx942:xnack+", "gfx942:sramecc+:xnack-", "HSA_XNACK=1" },
        { "gfx950:sramecc+:xnack+", "gfx950:sramecc+:xnack-", "HSA_XNACK=1" },
        { "gfx908:xnack+", "gfx908:sramecc+:xnack-", NULL },
        { "gfx1010:xnack+", "gfx1010:xnack-", NULL },
        { "gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", NULL },
        { "gfx90a:sramecc-:xnack+", "gfx90a:sramecc+:xnack-", NULL },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_file file = file_of(facts_for(rows[i].code));
        struct ra_findings findings = apply(&file, rows[i].device, false);
        const char *advice = find(&findings, "RA002")->advice;

        if (rows[i].advice)
            cr_assert_not_null(strstr(advice, rows[i].advice), "%s", advice);
        else
            cr_assert_null(strstr(advice, "HSA_XNACK"), "%s", advice);
        cr_assert_not_null(strstr(advice, "--offload-arch="), "%s", advice);
    }
}

/* Why it is refused, in words of its own for each reason. */
Test(rules, unloadable_says_why, .fini = facts_forget)
{
    struct ra_entry entries[] = { facts_entry("gfx90a", "gfx1030"),
                                  facts_code("gfx90a"),
                                  facts_code("gfx90a"),
                                  facts_code("gfx90a"),
                                  facts_code("gfx90a"),
                                  facts_code("gfx90a") };
    const char *messages[RA_COUNT(entries)];

    entries[1].code.osabi = 0x41;
    entries[2].code.type = 1;
    entries[3].code.has_metadata = false;
    entries[4].code.odd_descriptor = true;
    entries[5].content = RA_CONTENT_BITCODE;
    for (size_t i = 0; i < RA_COUNT(entries); i++) {
        struct ra_file file = file_of(of_entry(entries[i]));
        struct ra_findings findings = apply(&file, "gfx90a:sramecc+:xnack-", false);

        cr_assert_eq(find(&findings, "RA004")->severity, RA_ERROR);
        messages[i] = find(&findings, "RA004")->message;
        for (size_t j = 0; j < i; j++)
            cr_assert_str_neq(messages[i], messages[j]);
    }
    cr_assert_not_null(strstr(messages[0], "gfx1030"));
}

Test(rules, an_error_on_an_apu_behind_becomes_a_warning, .fini = facts_forget)
{
    struct ra_file file = file_of(facts_for("gfx1100"));
    struct ra_findings plain = apply(&file, "gfx1036", false);
    struct ra_findings behind = apply(&file, "gfx1036", true);

    cr_assert_eq(find(&plain, "RA001")->severity, RA_ERROR);
    cr_assert_eq(find(&behind, "RA001")->severity, RA_WARNING);
    cr_assert_not_null(strstr(find(&behind, "RA001")->message, "APU"));
}

/* ---- healthy cases through the whole library: exit 0, and no error -------------------
 */

static void assert_fits(const char *name, const char *fixture, const char *gpus)
{
    const struct ra_report *report;

    folder_fixture(name, fixture);
    report = folder_ask(&(struct folder_ask){ .gpus = gpus, .paths = name });
    cr_assert_eq(report->exit, 0, "%s on %s: %d", fixture, gpus, report->exit);
    cr_assert_eq(report->totals.errors, 0, "%s on %s", fixture, gpus);
    cr_assert_eq(report->totals.with_device_code, 1);
}

/* RA002: equality of target IDs as text would fail every one of these. */
Test(rules, a_target_without_features_runs_in_every_mode, .init = folder_make,
     .fini = folder_remove)
{
    assert_fits("a.so", "good-bare-gfx942.so",
                "gfx942:sramecc+:xnack- gfx942:sramecc+:xnack+ gfx942:sramecc-:xnack-");
    assert_fits("b.so", "good-xnack-both.so", "gfx90a:xnack- gfx90a:xnack+ gfx90a");
    assert_fits("c.co", "good-gfx1250-xnack-on.co", "gfx1250");
}

/* RA001: no native code at all. */
Test(rules, generics_alone_are_enough, .init = folder_make, .fini = folder_remove)
{
    assert_fits("a.so", "good-generic-only.so",
                "gfx1100 gfx1103 gfx1150 gfx1151 gfx1152");
    assert_fits("b.co", "good-gfx9-4-generic.co", "gfx942 gfx950");
    assert_fits("c.so", "odd-spirv.so", "gfx90a gfx1100");
}

/* RA003: the third bundle holds no code for all of RDNA 3, and was never meant to. */
Test(rules, a_library_partial_on_purpose_fits_with_a_warning, .init = folder_make,
     .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report;

    assert_fits("libfoo.so", "good-partial-on-purpose.so", "gfx1100 gfx942");
    assert_fits("libhipblaslt.so.0", "good-partial.so", "gfx1030");
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx1100", .paths = "libfoo.so" });
    cr_assert_eq(folder_findings(report, "RA003", &severity), 1);
    cr_assert_eq(severity, RA_WARNING);
    folder_fixture("libbar.so", "good-partial.so");
    cr_assert_eq(folder_exit("gfx1030", "libbar.so"), 1);
    cr_assert_eq(folder_exit("gfx90a", "libbar.so"), 0);
}

/* RA005 and RA006: what an arch guard leaves out is seldom launched. */
Test(rules, a_stub_behind_an_arch_guard_is_a_warning, .init = folder_make,
     .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report;

    assert_fits("a.so", "good-arch-guard-stub.so", "gfx1150 gfx1100");
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx1150" });
    cr_assert_eq(folder_findings(report, "RA005", &severity), 1);
    cr_assert_eq(severity, RA_WARNING);
    cr_assert_eq(folder_findings(report, "RA006", &severity), 1);
    cr_assert_eq(severity, RA_WARNING);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[0].kernels_missing, 3);
    report = folder_ask(
        &(struct folder_ask){ .gpus = "gfx1150", .options = { .strict = true } });
    cr_assert_eq(report->exit, 1);
}

/* RA004: the label is wrong, but no GPU here is given that code. */
Test(rules, a_wrong_label_for_another_gpu_is_a_warning, .init = folder_make,
     .fini = folder_remove)
{
    enum ra_severity severity;
    struct fx good = fx_code_of("gfx90a", "k_add"), bad = fx_code_of("gfx1030", "k_add");
    struct fx fatbin = { 0 }, library = { 0 };
    const struct fx_entry entries[] = { { FX_HOST, NULL },
                                        { FX_HIP("gfx90a"), &good },
                                        { FX_HIP("gfx1010"), &bad } };
    const struct ra_report *report;

    fx_bundle(&fatbin, &(struct fx_bundle){ .entries = entries, .count = 3 });
    fx_library(&library, &fatbin);
    folder_save("a.so", &library);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a" });
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(folder_findings(report, "RA007", &severity), 1);
    cr_assert_eq(severity, RA_WARNING);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx1010" });
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(folder_findings(report, "RA004", &severity), 1);
    cr_assert_eq(folder_findings(report, "RA007", &severity), 0);
    fx_free(&good);
    fx_free(&bad);
    fx_free(&fatbin);
    fx_free(&library);
}

/* It is a property of the file, so a second GPU is no second cause. */
Test(rules, a_wrong_label_is_told_once_a_file, .init = folder_make, .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report;

    folder_fixture("a.so", "odd-mislabelled.so");
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx1030 gfx1100 gfx90a" });
    cr_assert_eq(folder_findings(report, "RA007", &severity), 1);
}

/* Every rule is told of some fixture, or its test above tests nothing that happens. */
Test(rules, each_is_told_of_some_file, .init = folder_make, .fini = folder_remove)
{
    static const char *const fixtures[] = {
        "good-two-targets.so",     "good-xnack-on.so",    "good-partial.so",
        "odd-mislabelled.so",      "odd-spirv.so",        "good-generic-only.so",
        "good-arch-guard-stub.so", "good-bare-gfx942.so",
    };
    const struct ra_report *report;
    enum ra_severity severity;

    for (size_t i = 0; i < RA_COUNT(fixtures); i++)
        folder_fixture(fixtures[i], fixtures[i]);
    report = folder_ask(
        &(struct folder_ask){ .gpus = "gfx1030 gfx90a gfx1010 gfx1103 gfx1150" });
    for (size_t i = 0; i < RA_COUNT(all_rules); i++)
        cr_assert_gt(folder_findings(report, all_rules[i], &severity), 0, "%s",
                     all_rules[i]);
}

/* ---- several GPUs of a machine --------------------------------------------------------
 */

/* A topology in the test's folder from nodes of fixtures/kfd. */
static void add_node(const char *from, unsigned number)
{
    struct fx fx = { 0 };
    char name[64];

    cr_assert(fx_load("fixtures/kfd", from, &fx));
    snprintf(name, sizeof(name), "kfd/nodes/%u/properties", number);
    folder_save(name, &fx);
    fx_free(&fx);
}

static const struct ra_report *audit_here(bool all_gpus, const char *sysfs)
{
    return folder_ask(&(struct folder_ask){
        .paths = "lib", .options = { .sysfs = sysfs, .all_gpus = all_gpus } });
}

Test(rules, an_apu_behind_a_covered_gpu_does_not_fail, .init = folder_make,
     .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report;

    folder_fixture("lib/a.so", "good-generic-and-native.so");
    report = audit_here(false, "fixtures/kfd/apu-dgpu-rx7900-raphael");
    cr_assert_eq(report->device_count, 2);
    cr_assert_str_eq(report->devices[0].target, "gfx1100");
    cr_assert_str_eq(report->devices[1].target, "gfx1036");
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(folder_findings(report, "RA001", &severity), 1);
    cr_assert_eq(severity, RA_WARNING);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[1].kind, RA_MISSING);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[1].severity, RA_WARNING);
    report = audit_here(true, "fixtures/kfd/apu-dgpu-rx7900-raphael");
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[1].severity, RA_ERROR);
}

Test(rules, an_apu_that_comes_first_fails, .init = folder_make, .fini = folder_remove)
{
    const struct ra_report *report;

    folder_fixture("lib/a.so", "good-generic-and-native.so");
    add_node("apu-dgpu-rx7900-raphael/nodes/0/properties", 0);
    add_node("apu-dgpu-rx7900-raphael/nodes/2/properties", 1);
    add_node("apu-dgpu-rx7900-raphael/nodes/1/properties", 2);
    report = audit_here(false, folder_name("kfd"));
    cr_assert_str_eq(report->devices[0].target, "gfx1036");
    cr_assert_str_eq(report->devices[1].target, "gfx1100");
    cr_assert_eq(report->exit, 1);
}

Test(rules, an_apu_behind_a_gpu_that_is_not_covered_fails, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;

    folder_fixture("lib/a.so", "good-bare-gfx942.so");
    report = audit_here(false, "fixtures/kfd/apu-dgpu-rx7900-raphael");
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[0].severity, RA_ERROR);
    cr_assert_eq(folder_file(report, "a.so")->verdicts[1].severity, RA_ERROR);
}

Test(rules, a_second_discrete_gpu_is_never_behind, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;

    folder_fixture("lib/a.so", "good-gfx90a.co");
    report = audit_here(false, "fixtures/kfd/mi210-rx7900-mixed");
    cr_assert_eq(report->device_count, 2);
    cr_assert_eq(report->exit, 1);
}
