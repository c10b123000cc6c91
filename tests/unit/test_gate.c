/* The verb check: rocaudit(1), "GATES". */
#include "facts.h"
#include "installed.h"

#include "audit/gate.h"
#include "audit/judged.h"
#include "device/device.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define BUNDLES_MOST 16

/* ---- what may be required --------------------------------------------------- */

Test(gate, gpus_and_generic_targets_can_be_required)
{
    static const char *const good[] = { "gfx90a",
                                        "gfx90a:xnack+",
                                        "gfx1030",
                                        "gfx942:sramecc-:xnack-",
                                        "gfx11-generic",
                                        "gfx9-generic:xnack-",
                                        "gfx9-4-generic:sramecc+:xnack+" };
    static const char *const bad[] = { "",
                                       "gfx",
                                       "gfx9999",
                                       "GFX90A",
                                       "native",
                                       "amdgcnspirv",
                                       "gfx1030:xnack+",
                                       "gfx11-generic:xnack+",
                                       "gfx9-generic:sramecc+",
                                       "gfx90a;gfx942" };

    for (size_t i = 0; i < RA_COUNT(good); i++)
        cr_expect_null(ra_required_refused(good[i]), "%s", good[i]);
    for (size_t i = 0; i < RA_COUNT(bad); i++)
        cr_expect_not_null(ra_required_refused(bad[i]), "%s", bad[i]);
}

Test(gate, devices_are_the_targets_in_their_order, .fini = facts_forget)
{
    static const char *const targets[] = { "gfx11-generic", "gfx90a:xnack+", "gfx1030" };
    struct ra_devices devices;

    cr_assert_eq(ra_devices_required(targets, 3, &facts_arena, &devices), RA_OK);
    cr_assert_eq(devices.count, 3);
    cr_expect_str_eq(devices.list[0].target, "gfx11-generic");
    cr_expect_str_eq(devices.list[0].arch, "RDNA 3");
    cr_expect_str_eq(devices.list[1].target, "gfx90a:sramecc+:xnack+");
    cr_expect(devices.list[1].sramecc_assumed);
    cr_expect_not(devices.list[1].xnack_assumed);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(devices.list[i].source, "--require");
    cr_expect_eq(
        ra_devices_required((const char *[]){ "gfx9999" }, 1, &facts_arena, &devices),
        RA_E_FORMAT);
}

/* A board with ECC and one without: whoever names neither means both. */
Test(gate, bare_gfx906_is_both_boards, .fini = facts_forget)
{
    struct ra_devices devices;

    cr_assert_eq(
        ra_devices_required((const char *[]){ "gfx906" }, 1, &facts_arena, &devices),
        RA_OK);
    cr_assert_eq(devices.count, 2);
    cr_expect_str_eq(devices.list[0].target, "gfx906:sramecc+:xnack-");
    cr_expect_str_eq(devices.list[1].target, "gfx906:sramecc-:xnack-");
}

/* ---- judging by hand -------------------------------------------------------- */

/* What one library comes to at a gate; texts live until facts_forget(). */
struct weighed {
    struct ra_file file;
    struct ra_findings findings;
};

/* Bundles are parted by '|', targets in them by blanks. */
static struct ra_file library(const char *name, const char *bundles)
{
    char *rest = ra_arena_text(&facts_arena, bundles, strlen(bundles));
    struct ra_bundle list[BUNDLES_MOST];
    struct ra_file file;
    size_t count = 0;

    for (char *one; (one = strsep(&rest, "|"));) {
        cr_assert_lt(count, BUNDLES_MOST);
        list[count++] = facts_for(one);
    }
    file = facts_file(name, list, count);
    file.name = file.path;
    return file;
}

struct ask {
    const char *require, *forbid, *allow; /* one of each, or NULL */
    unsigned release;                     /* 0: the newest */
};

static struct weighed weigh_file(struct ra_file file, const struct ask *ask)
{
    struct weighed ret = { .file = file, .findings = { .arena = &facts_arena } };
    struct ra_options options = { .required = &ask->require,
                                  .required_count = 1,
                                  .forbidden = &ask->forbid,
                                  .forbidden_count = ask->forbid != NULL,
                                  .allowed_partial = &ask->allow,
                                  .allowed_partial_count = ask->allow != NULL };
    struct ra_gate gate;
    struct ra_machine machine = { .gate = &gate, .rocm = facts_rocm };
    struct ra_judging judging = { .machine = &machine,
                                  .file = &ret.file,
                                  .arena = &facts_arena,
                                  .findings = &ret.findings };

    if (ask->release)
        machine.rocm.release = ask->release;
    cr_assert_eq(ra_gate_read(&options, &facts_arena, &gate), RA_OK);
    cr_assert_eq(ra_machine_find(&options, &facts_arena, &machine), RA_OK);
    cr_assert_eq(ra_judge_all(&judging), RA_OK);
    cr_assert_gt(ret.file.verdict_count, 0);
    return ret;
}

static struct weighed weigh(const char *bundles, const struct ask *ask)
{
    return weigh_file(library("dist/libfoo.so", bundles), ask);
}

/* "RA401 error, RA008 note"; good until the next call. */
static const char *told(const struct weighed *weighed)
{
    static const char *const words[] = { "note", "warning", "error" };
    static char text[256];
    size_t size = 0;

    text[0] = '\0';
    for (const struct ra_finding_node *node = weighed->findings.first; node;
         node = node->next)
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s %s",
                                 size ? ", " : "", node->finding.rule,
                                 words[node->finding.severity]);
    return text;
}

static const struct ra_finding *find(const struct weighed *weighed, const char *rule)
{
    for (const struct ra_finding_node *node = weighed->findings.first; node;
         node = node->next)
        if (strcmp(node->finding.rule, rule) == 0)
            return &node->finding;
    cr_assert(false, "%s was not told", rule);
    return NULL;
}

/* ---- required targets ------------------------------------------------------- */

/* Row by row: what is wrong, and beside it what is like it and healthy. */
Test(gate, what_is_required_has_to_be_in_every_bundle, .fini = facts_forget)
{
    static const struct {
        const char *bundles, *require, *told;
        enum ra_verdict_kind kind;
    } cases[] = {
        { "gfx90a|gfx90a", "gfx90a", "", RA_NATIVE },
        { "gfx90a|gfx90a", "gfx942", "RA401 error", RA_MISSING },
        { "gfx90a gfx942|gfx90a gfx942", "gfx942", "", RA_NATIVE },
        { "gfx90a gfx942|gfx90a", "gfx942", "RA401 error", RA_PARTIAL },
        { "gfx90a:xnack+", "gfx90a:xnack-", "RA401 error", RA_FEATURE_MISMATCH },
        { "gfx90a:xnack+", "gfx90a:xnack+", "", RA_NATIVE },
        { "gfx90a:xnack+ gfx90a:xnack-", "gfx90a", "", RA_NATIVE },
        { "gfx11-generic", "gfx1151", "RA008 note", RA_GENERIC },
        { "gfx11-generic", "gfx1201", "RA401 error", RA_MISSING },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ask ask = { .require = cases[i].require };
        struct weighed weighed = weigh(cases[i].bundles, &ask);

        cr_expect_str_eq(told(&weighed), cases[i].told, "%s, %s: %s", cases[i].bundles,
                         cases[i].require, told(&weighed));
        cr_expect_eq(weighed.file.verdicts[0].kind, cases[i].kind, "%s, %s",
                     cases[i].bundles, cases[i].require);
    }
}

Test(gate, generic_target_wants_code_for_itself, .fini = facts_forget)
{
    static const struct {
        const char *bundles, *require, *told;
        unsigned release;
    } cases[] = {
        { "gfx11-generic|gfx11-generic gfx1100", "gfx11-generic", "", 0 },
        { "gfx11-generic|gfx1100", "gfx11-generic", "RA401 error", 0 },
        { "gfx1100 gfx1101 gfx1102 gfx1103", "gfx11-generic", "RA401 error", 0 },
        { "gfx12-generic", "gfx11-generic", "RA401 error", 0 },
        { "amdgcnspirv", "gfx11-generic", "RA401 error", 0 },
        { "gfx9-generic", "gfx9-generic:xnack+", "", 0 },
        { "gfx9-generic:xnack-", "gfx9-generic:xnack+", "RA401 error", 0 },
        { "gfx9-4-generic:sramecc+:xnack-", "gfx9-4-generic", "", 0 },
        { "gfx11-generic", "gfx11-generic", "", 604 },
        { "gfx11-generic", "gfx11-generic", "RA401 error", 603 },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ask ask = { .require = cases[i].require, .release = cases[i].release };
        struct weighed weighed = weigh(cases[i].bundles, &ask);

        cr_expect_str_eq(told(&weighed), cases[i].told, "%s, %s: %s", cases[i].bundles,
                         cases[i].require, told(&weighed));
    }
}

Test(gate, generic_code_without_a_generic_version_does_not_load, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx11-generic");
    struct ra_bundle bundle;
    struct ra_file file;
    struct ask ask = { .require = "gfx11-generic" };
    struct weighed weighed;

    entry.code.generic_version = 0;
    bundle = facts_bundle("plain", &entry, 1);
    file = facts_file("libfoo.so", &bundle, 1);
    file.name = file.path;
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(told(&weighed), "RA401 error");
    cr_expect_eq(weighed.file.verdicts[0].kind, RA_UNLOADABLE);
    cr_expect_not_null(strstr(find(&weighed, "RA401")->message,
                              "0 of 1 bundle serves gfx11-generic; bundle 0, labelled "
                              "gfx11-generic, cannot be loaded"));
}

/* SPIR-V stands in for a GPU, which compiles it, but is no code for a family. */
Test(gate, spirv_serves_a_gpu_that_is_required, .fini = facts_forget)
{
    struct ra_entry entry = facts_entry("amdgcnspirv", "gfx90a");
    struct ra_bundle bundle;
    struct ra_file file;
    struct ask ask = { .require = "gfx1201" };
    struct weighed weighed;

    entry.content = RA_CONTENT_SPIRV;
    bundle = facts_bundle("plain", &entry, 1);
    file = facts_file("libfoo.so", &bundle, 1);
    file.name = file.path;
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(told(&weighed), "RA009 note");
    ask.require = "gfx12-generic";
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(told(&weighed), "RA401 error");
}

Test(gate, bundles_and_kernels_that_are_missing_are_named, .fini = facts_forget)
{
    static const char *const names[] = { "k_a", "k_b", "k_c", "k_d" };
    struct ask ask = { .require = "gfx942" };
    struct ra_file file =
        library("libfoo.so", "gfx90a|gfx90a gfx942|gfx90a|gfx90a|gfx90a|gfx90a");
    struct weighed weighed;

    for (size_t i = 0; i < file.bundle_count; i++) {
        struct ra_bundle *bundle = (struct ra_bundle *)(uintptr_t)&file.bundles[i];

        bundle->kernel_names = names;
        bundle->kernel_name_count = i == 1 ? 0 : RA_COUNT(names);
    }
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(find(&weighed, "RA401")->message,
                     "1 of 6 bundles serve gfx942; not bundles 0 2 3 4 and 1 more "
                     "(20 kernels: k_a k_b k_c and 17 more)");
}

/* The error and the mend are those of an audit. */
Test(gate, finding_tells_what_an_audit_would, .fini = facts_forget)
{
    struct ask ask = { .require = "gfx942" };
    struct weighed weighed = weigh("gfx90a", &ask);
    const struct ra_finding *finding = find(&weighed, "RA401");

    cr_expect_str_eq(finding->name, "required-missing");
    cr_expect_str_eq(finding->consequence, "refused");
    cr_expect_str_eq(finding->message,
                     "0 of 1 bundle serves gfx942; the file has gfx90a; not bundle 0");
    cr_expect_not_null(finding->predicted_error);
    cr_expect_str_eq(finding->advice, "rebuild with --offload-arch=gfx942 (PyTorch: "
                                      "PYTORCH_ROCM_ARCH=\"gfx90a;gfx942\")");
}

/* ---- partial, and allowed to be --------------------------------------------- */

/* Two of three bundles have the set that is most common; the third has no RDNA code. */
static const char on_purpose[] = "gfx90a gfx1100|gfx90a gfx1100|gfx90a";

Test(gate, partial_on_purpose_is_an_error, .fini = facts_forget)
{
    struct ask ask = { .require = "gfx1100" };
    struct weighed weighed = weigh(on_purpose, &ask);

    cr_assert_not_null(weighed.file.verdicts[0].on_purpose);
    cr_expect_str_eq(told(&weighed), "RA401 error");
    cr_expect_eq(weighed.file.verdicts[0].severity, RA_ERROR);
    ask.require = "gfx90a";
    weighed = weigh(on_purpose, &ask);
    cr_expect_str_eq(told(&weighed), "");
}

Test(gate, what_is_allowed_by_name_is_a_note, .fini = facts_forget)
{
    static const struct {
        const char *allow, *told;
    } cases[] = {
        { "libfoo.so", "RA401 note" },
        { "libf*", "RA401 note" },
        { "dist/libfoo.so", "RA401 note" },
        { "*/libfoo.so", "RA401 note" },
        { "lib?oo.so", "RA401 note" },
        { "*", "RA401 note" },
        { "foo", "RA401 error" },
        { "libfoo", "RA401 error" },
        { "dist", "RA401 error" },
        { "LIBFOO.SO", "RA401 error" },
        { "", "RA401 error" },
        { "[", "RA401 error" },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ask ask = { .require = "gfx1100", .allow = cases[i].allow };
        struct weighed weighed = weigh(on_purpose, &ask);

        cr_expect_str_eq(told(&weighed), cases[i].told, "%s", cases[i].allow);
    }
}

Test(gate, member_of_an_archive_is_allowed_by_its_own_name, .fini = facts_forget)
{
    struct ask ask = { .require = "gfx942", .allow = "libfoo.so" };
    struct ra_file file = library("dist/foo-1.0.whl!libfoo.so", "gfx90a");
    struct weighed weighed = weigh_file(file, &ask);

    cr_expect_str_eq(told(&weighed), "RA401 error");
    file.is_member = true;
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(told(&weighed), "RA401 note");
    file = library("dist/foo-1.0.whl!foo/libfoo.so", "gfx90a");
    weighed = weigh_file(file, &ask);
    cr_expect_str_eq(told(&weighed), "RA401 note");
}

/* Code that is there and does not run is no target that was left out. */
Test(gate, only_what_was_left_out_is_allowed, .fini = facts_forget)
{
    static const struct {
        const char *bundles, *require, *told;
    } cases[] = {
        { "gfx90a", "gfx942", "RA401 note" },
        { "gfx90a gfx942|gfx90a", "gfx942", "RA401 note" },
        { "gfx90a:xnack+", "gfx90a:xnack-", "RA401 error" },
        { "gfx90a:xnack-|gfx90a:xnack+", "gfx90a:xnack-", "RA401 error" },
        { "gfx90a:xnack-|gfx90a:xnack+|gfx942", "gfx90a:xnack-", "RA401 error" },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ask ask = { .require = cases[i].require, .allow = "*" };
        struct weighed weighed = weigh(cases[i].bundles, &ask);

        cr_expect_str_eq(told(&weighed), cases[i].told, "%s, %s", cases[i].bundles,
                         cases[i].require);
    }
}

/* A bundle without code for the target is one, whatever else could not be read. */
Test(gate, file_not_read_whole_is_undecided_only_if_it_is_allowed, .fini = facts_forget)
{
    struct ask ask = { .require = "gfx1100" };
    struct ra_file file = library("libfoo.so", on_purpose);
    struct weighed weighed;

    file.status = RA_FILE_INCOMPLETE;
    weighed = weigh_file(file, &ask);
    cr_expect_eq(weighed.file.verdicts[0].kind, RA_PARTIAL);
    cr_expect_str_eq(told(&weighed), "RA401 error");
    ask.allow = "libfoo.so";
    weighed = weigh_file(file, &ask);
    cr_expect_eq(weighed.file.verdicts[0].kind, RA_UNDECIDED);
    cr_expect_str_eq(told(&weighed), "");
}

/* ---- forbidden targets ------------------------------------------------------ */

Test(gate, what_is_forbidden_is_told_once_a_file, .fini = facts_forget)
{
    static const struct {
        const char *bundles, *forbid, *told;
    } cases[] = {
        { "gfx90a gfx803|gfx90a", "gfx803", "RA402 error" },
        { "gfx90a gfx906", "gfx803", "" },
        { "gfx90a gfx90c:xnack+", "gfx90c", "RA402 error" },
        { "gfx90a gfx90c:xnack+", "gfx90c:xnack+", "RA402 error" },
        { "gfx90a gfx90c:xnack+", "gfx90c:xnack-", "" },
        { "gfx90a gfx90c", "gfx90c:xnack+", "" },
        { "gfx90a gfx11-generic", "gfx11-generic", "RA402 error" },
        { "gfx90a gfx11-generic", "gfx1100", "" },
        { "gfx90a gfx1100", "gfx11-generic", "" },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ask ask = { .require = "gfx90a", .forbid = cases[i].forbid };
        struct weighed weighed = weigh(cases[i].bundles, &ask);

        cr_expect_str_eq(told(&weighed), cases[i].told, "%s, %s", cases[i].bundles,
                         cases[i].forbid);
    }
}

Test(gate, bundles_with_what_is_forbidden_are_named, .fini = facts_forget)
{
    struct ask ask = { .require = "gfx906", .forbid = "gfx803" };
    struct weighed weighed = weigh("gfx906|gfx906 gfx803|gfx803 gfx906", &ask);
    const struct ra_finding *finding = find(&weighed, "RA402");

    /* Once, though a bare gfx906 is judged as two boards. */
    cr_expect_str_eq(told(&weighed), "RA402 error");
    cr_expect_str_eq(finding->name, "forbidden-present");
    cr_expect_str_eq(finding->message, "gfx803 is in bundles 1 2 of 3");
    cr_expect_eq(finding->device, RA_NO_DEVICE);
}

Test(gate, entry_without_bytes_holds_nothing, .fini = facts_forget)
{
    struct ra_target target = facts_target("gfx803");
    struct ra_entry entry = facts_code("gfx803");

    cr_expect(ra_gate_has(&entry, &target));
    entry.size = 0;
    cr_expect_not(ra_gate_has(&entry, &target));
    entry = facts_host();
    cr_expect_not(ra_gate_has(&entry, &target));
    /* What the label hides is there all the same. */
    entry = facts_entry("gfx906", "gfx803");
    cr_expect(ra_gate_has(&entry, &target));
    entry = facts_raw("gfx803").entries[0];
    cr_expect(ra_gate_has(&entry, &target));
}

/* ---- whole files ------------------------------------------------------------ */

static const struct ra_report *check(const char *require, const char *paths,
                                     struct ra_options options)
{
    options.runtime = options.runtime ? options.runtime : "7.1";
    return folder_ask(&(struct folder_ask){
        .gpus = require, .paths = paths, .check = true, .options = options });
}

static int exit_of(const char *require, const char *paths)
{
    return check(require, paths, (struct ra_options){ 0 })->exit;
}

static void make_inputs(void)
{
    folder_make();
    folder_fixture("partial.so", "good-partial.so");
    folder_fixture("two.so", "good-two-targets.so");
    folder_fixture("cuda.so", "good-cuda-only.so");
    folder_fixture("damaged.fb", "bad-truncated.fb");
    folder_fixture("hash.fb", "odd-ccob-wrong-hash.fb");
    folder_fixture("library/Kernels.so-000-gfx1030.hsaco", "good-v5.co");
    folder_fixture("library/Kernels.so-000-gfx90a.hsaco", "good-gfx90a.co");
    folder_fixture("guard.so", "good-arch-guard-stub.so");
}

Test(gate, is_passed_by_what_serves_all_targets, .init = make_inputs,
     .fini = folder_remove)
{
    const struct ra_report *report =
        check("gfx90a gfx1030", "two.so", (struct ra_options){ 0 });

    cr_expect_eq(report->exit, 0);
    cr_expect_str_eq(report->verb, "check");
    cr_expect_eq(report->finding_count, 0);
    cr_expect_eq(exit_of("gfx90a", "partial.so two.so"), 0);
    cr_expect_eq(exit_of("gfx90a gfx1030", "partial.so two.so"), 1);
    cr_expect_eq(exit_of("gfx90a gfx1100", "two.so"), 1);
}

Test(gate, names_the_library_the_bundle_and_the_kernel, .init = make_inputs,
     .fini = folder_remove)
{
    const struct ra_report *report =
        check("gfx1030 gfx90a", "partial.so two.so", (struct ra_options){ 0 });

    cr_assert_eq(report->finding_count, 1);
    cr_expect_str_eq(report->findings[0].rule, "RA401");
    cr_expect_str_eq(report->findings[0].file, folder_name("partial.so"));
    cr_expect_eq(report->findings[0].device, 0);
    cr_expect_str_eq(report->findings[0].message,
                     "1 of 2 bundles serve gfx1030; not bundle 1 (1 kernel: k_mul)");
}

/* What is allowed is told, unlike what another file serves. */
Test(gate, library_that_is_allowed_by_its_path_passes, .init = make_inputs,
     .fini = folder_remove)
{
    static const char *const globs[] = { "no-such-file", "*/two.so" };
    struct ra_options options = { .allowed_partial = globs, .allowed_partial_count = 2 };
    enum ra_severity severity;
    const struct ra_report *report = check("gfx942", "two.so", options);

    cr_expect_eq(report->exit, 0);
    cr_assert_eq(folder_findings(report, "RA401", &severity), 1);
    cr_expect_eq(severity, RA_NOTE);
    cr_expect_eq(check("gfx942", "two.so partial.so", options)->exit, 1);
}

Test(gate, without_device_code_is_not_passed, .init = make_inputs, .fini = folder_remove)
{
    struct ra_options empty = { .allow_empty = true };

    cr_expect_eq(exit_of("gfx90a", "cuda.so"), 2);
    cr_expect_eq(check("gfx90a", "cuda.so", empty)->exit, 0);
    cr_expect_eq(exit_of("gfx90a", "cuda.so two.so"), 0);
}

Test(gate, what_was_not_read_is_undecided, .init = make_inputs, .fini = folder_remove)
{
    struct ra_options allowed = { .allow_incomplete = true };

    cr_expect_eq(exit_of("gfx90a", "damaged.fb two.so"), 2);
    cr_expect_eq(check("gfx90a", "damaged.fb two.so", allowed)->exit, 0);
    cr_expect_eq(exit_of("gfx1100", "damaged.fb two.so"), 1);
}

Test(gate, checks_digests_unasked, .init = make_inputs, .fini = folder_remove)
{
    struct ra_options options = { .runtime = "7.1" };
    struct folder_ask audit = { .gpus = "gfx90a",
                                .paths = "hash.fb",
                                .options = options };

    cr_assert_eq(folder_ask(&audit)->exit, 0);
    cr_expect_eq(exit_of("gfx90a", "hash.fb"), 2);
}

/* Whatever it is that an audit says of it, a gate does not let it pass. */
Test(gate, code_that_is_in_no_archive_is_missing, .init = make_inputs,
     .fini = folder_remove)
{
    static const char *const releases[] = { "7.1", "7.13", "10.0" };
    enum ra_severity severity;

    folder_fixture("hipk.so", "odd-hipk.so");
    for (size_t i = 0; i < RA_COUNT(releases); i++) {
        struct ra_options options = { .runtime = releases[i] };
        const struct ra_report *report = check("gfx90a", "hipk.so", options);

        cr_expect_eq(report->exit, 1, "%s", releases[i]);
        cr_expect_eq(report->totals.errors, 1);
        cr_expect_eq(folder_findings(report, "RA401", &severity), 1);
    }
}

/* Of files that are named by their targets, a library loads the one for the GPU. */
Test(gate, excuses_files_named_by_other_targets, .init = make_inputs,
     .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report =
        check("gfx90a gfx1030", "library", (struct ra_options){ 0 });

    cr_expect_eq(report->exit, 0);
    cr_expect_eq(folder_findings(report, "RA401", &severity), 0);
    cr_expect_eq(exit_of("gfx90a gfx1100", "library"), 1);
    cr_expect_eq(exit_of("gfx90a", "library/Kernels.so-000-gfx1030.hsaco"), 1);
}

Test(gate, kernels_that_are_absent_count_where_warnings_do, .init = make_inputs,
     .fini = folder_remove)
{
    struct ra_options strict = { .strict = true };
    enum ra_severity severity;
    const struct ra_report *report = check("gfx1150", "guard.so", strict);

    cr_expect_eq(report->exit, 1);
    cr_assert_eq(folder_findings(report, "RA005", &severity), 1);
    cr_expect_eq(severity, RA_WARNING);
    cr_expect_eq(exit_of("gfx1150", "guard.so"), 0);
    cr_expect_eq(check("gfx1100", "guard.so", strict)->exit, 0);
}

Test(gate, options_of_an_audit_are_not_looked_at, .init = make_inputs,
     .fini = folder_remove)
{
    const char *const gpus_from[] = { "no-such-file" };
    struct ra_options options = { .sysfs = "/no/such/folder",
                                  .gpus_from = gpus_from,
                                  .gpus_from_count = 1 };

    cr_expect_eq(check("gfx90a", "two.so", options)->exit, 0);
}

Test(gate, is_refused_for_targets_that_are_none)
{
    const char *const bad[] = { "gfx9999" }, *const good[] = { "gfx90a" };
    struct ra_options options = { .sz = sizeof(options),
                                  .required = bad,
                                  .required_count = 1 };

    cr_expect_null(ra_check(&options));
    options.required = good;
    options.forbidden = bad;
    options.forbidden_count = 1;
    cr_expect_null(ra_check(&options));
}

/* A caller that requires nothing has not been told that all is well. */
Test(gate, without_targets_is_undecided, .init = make_inputs, .fini = folder_remove)
{
    cr_expect_eq(exit_of("", "two.so"), 2);
}

/* Which variant is loaded hangs on the release: a gate is for all of them. */
Test(gate, every_variant_of_a_library_has_to_serve, .init = folder_make,
     .fini = folder_remove)
{
    struct folder_ask ask = { .gpus = "gfx1030", .check = true };

    install((struct installed){ .name = "bitsandbytes",
                                .version = "0.50.2",
                                .rows = "bitsandbytes/libbitsandbytes_rocm64.so,,\n"
                                        "bitsandbytes/libbitsandbytes_rocm70.so,,\n" });
    folder_fixture("bitsandbytes/libbitsandbytes_rocm64.so", "good-gfx90a.co");
    folder_fixture("bitsandbytes/libbitsandbytes_rocm70.so", "good-two-targets.so");
    cr_assert_eq(folder_ask(&ask)->exit, 1);
    ask.check = false;
    ask.options.runtime = "7.0";
    cr_assert_eq(folder_ask(&ask)->exit, 0);
}
