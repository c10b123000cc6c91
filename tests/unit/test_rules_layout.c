/* Rules of where device code is in a file, and whether the file gets loaded. */
#include "folder.h"

#include "gen/bundle.h"
#include "gen/host.h"

#include <criterion/criterion.h>
#include <elf.h>

TestSuite(rules_layout, .init = folder_make, .fini = folder_remove);

#define GPU  "gfx90a"
#define STUB "_Z20__device_stub__k_mulPf" /* c++filt: __device_stub__k_mul(float*) */

static const char *const layout_rules[] = { "RA018", "RA019", "RA020", "RA021", "RA022" };

static const struct ra_report *audit(const char *paths)
{
    return folder_ask(&(struct folder_ask){ .gpus = GPU, .paths = paths });
}

/* The finding of `rule`, of which there is to be one. */
static const struct ra_finding *finding(const struct ra_report *report, const char *rule)
{
    const struct ra_finding *found = NULL;

    for (size_t i = 0; i < report->finding_count; i++) {
        if (strcmp(report->findings[i].rule, rule) != 0)
            continue;
        cr_assert_null(found, "%s is said twice", rule);
        found = &report->findings[i];
    }
    cr_assert_not_null(found, "%s is not said", rule);
    return found;
}

static void assert_says(const char *text, const char *part)
{
    cr_assert(text && strstr(text, part), "\"%s\" does not say \"%s\"", text ? text : "",
              part);
}

/* Of the rules here, none but `rule` has anything to say; NULL: none at all. */
static void assert_only(const struct ra_report *report, const char *rule)
{
    enum ra_severity severity;

    for (size_t i = 0; i < RA_COUNT(layout_rules); i++) {
        bool wanted = rule && strcmp(layout_rules[i], rule) == 0;

        cr_assert_eq(folder_findings(report, layout_rules[i], &severity), wanted, "%s",
                     layout_rules[i]);
    }
}

/* The file `name` serves, and nothing keeps it from being loaded. */
static void assert_healthy(const struct ra_report *report, const char *name)
{
    const struct ra_file *file = folder_file(report, name);

    cr_assert_eq(file->verdicts[0].kind, RA_NATIVE, "%s", name);
    cr_assert_eq(file->verdicts[0].block, RA_BLOCK_NONE, "%s", name);
}

/* A library with a bundle for the GPU, and one wrapper of it. */
static struct fx_host_at library(struct fx *fx, const struct fx_name *names, size_t count)
{
    struct fx fatbin = { 0 };
    struct fx_host_at at;

    fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ GPU, NULL });
    at = fx_host(fx, &(struct fx_host){ .fatbin = &fatbin,
                                        .wrapped = (const uint64_t[]){ 0 },
                                        .wrapper_count = 1,
                                        .pointer = FX_POINTER_RELATIVE,
                                        .names = names,
                                        .name_count = count });
    fx_free(&fatbin);
    return at;
}

/* ---- RA018 and RA020: code that nothing loads ------------------------------------- */

Test(rules_layout, code_before_its_link_is_told_of_and_judged_by_nobody)
{
    static const char *const fixtures[] = { "odd-rdc.o", "odd-offload-bitcode.bin" };

    for (size_t i = 0; i < RA_COUNT(fixtures); i++) {
        const struct ra_report *report;

        folder_fixture("file", fixtures[i]);
        report = audit("file");
        assert_only(report, "RA018");
        cr_assert_eq(finding(report, "RA018")->severity, RA_NOTE);
        cr_assert_str_eq(finding(report, "RA018")->consequence, "none");
        assert_says(finding(report, "RA018")->message, "device code before");
        assert_says(finding(report, "RA018")->message, "gfx90a");
        cr_assert_eq(report->exit, 2, "nothing in it is for a GPU");
    }
}

Test(rules_layout, code_that_is_linked_is_not_called_unlinked)
{
    static const char *const fixtures[] = { "good-two-targets.so", "good-object.o",
                                            "odd-llvm-offloading.so",
                                            "odd-offload-in-rodata.so",
                                            "good-offload-v1.bin" };

    for (size_t i = 0; i < RA_COUNT(fixtures); i++) {
        folder_fixture("file", fixtures[i]);
        assert_only(audit("file"), NULL);
        assert_healthy(audit("file"), "file");
        cr_assert_eq(folder_exit(GPU, "file"), 0, "%s", fixtures[i]);
    }
}

Test(rules_layout, a_bundle_no_wrapper_leads_to_is_told_of)
{
    const struct ra_report *report;

    folder_fixture("file", "odd-unregistered.so");
    report = audit("file");
    assert_only(report, "RA020");
    cr_assert_eq(finding(report, "RA020")->severity, RA_NOTE);
    assert_says(finding(report, "RA020")->message, "no wrapper leads to 1 of 1 bundle");
    assert_healthy(report, "file");
    cr_assert_eq(report->exit, 0, "the program may load it as a module");
}

/* By an address in place, a relocation or a symbol; of several, or shared; wherever it
 * is; nobody registers what is not linked or stands among data. */
Test(rules_layout, bundles_that_wrappers_lead_to_are_registered)
{
    static const char *const fixtures[] = {
        "good-two-targets.so",     "good-pointer-in-place.so",
        "good-pointer-symbol.so",  "odd-shared-bundle.so",
        "odd-wrapper-only.so",     "odd-no-sections.so",
        "good-object.o",           "good-embedded-code.so",
        "good-embedded-bundle.so", "good-extended-sections.so",
        "good-partial.so",
    };

    for (size_t i = 0; i < RA_COUNT(fixtures); i++) {
        folder_fixture("file", fixtures[i]);
        assert_only(audit("file"), NULL);
        assert_healthy(audit("file"), "file");
        cr_assert_eq(folder_exit(GPU, "file"), 0, "%s", fixtures[i]);
    }
}

/* ---- RA019: wrappers that lead to nothing ----------------------------------------- */

Test(rules_layout, a_wrapper_that_leads_to_no_bundle_is_astray)
{
    static const char *const fixtures[] = { "bad-wrapper-astray.so",
                                            "bad-wrapper-nowhere.so" };

    for (size_t i = 0; i < RA_COUNT(fixtures); i++) {
        const struct ra_report *report;

        folder_fixture("file", fixtures[i]);
        report = audit("file");
        cr_assert_eq(finding(report, "RA019")->severity, RA_WARNING, "%s", fixtures[i]);
        assert_says(finding(report, "RA019")->message,
                    "1 of 1 fat binary wrapper leads to no bundle");
        cr_assert_eq(folder_file(report, "file")->status, RA_FILE_INCOMPLETE);
        cr_assert_eq(folder_file(report, "file")->verdicts[0].kind, RA_UNDECIDED);
        cr_assert_eq(report->exit, 2, "what HIP finds there is not known");
    }
}

Test(rules_layout, one_of_several_wrappers_may_be_astray)
{
    struct fx fx = { 0 }, fatbin = { 0 };
    struct fx_host_at at;

    fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ GPU, NULL });
    at = fx_host(&fx, &(struct fx_host){ .fatbin = &fatbin,
                                         .wrapped = (const uint64_t[]){ 0, 0, 0 },
                                         .wrapper_count = 3,
                                         .pointer = FX_POINTER_RELATIVE });
    folder_save("whole", &fx);
    fx_poke(&fx, at.relocations + 24 + 16, 8, (uint64_t)1 << 40);
    folder_save("astray", &fx);
    assert_only(audit("whole"), NULL);
    cr_assert_eq(folder_exit(GPU, "whole"), 0);
    assert_says(finding(audit("astray"), "RA019")->message,
                "1 of 3 fat binary wrappers leads to no bundle");
    cr_assert_eq(folder_exit(GPU, "astray"), 2);
    fx_free(&fatbin);
    fx_free(&fx);
}

/* ---- RA021: segments -------------------------------------------------------------- */

/* Fields of a program header. */
enum { P_OFFSET = 8, P_ALIGN = 48 };

Test(rules_layout, a_segment_the_loader_does_not_map_fails_on_every_gpu)
{
    const struct ra_report *report;
    const struct ra_verdict *verdict;

    folder_fixture("file", "odd-misplaced-segment.so");
    report = audit("file");
    assert_only(report, "RA021");
    cr_assert_eq(finding(report, "RA021")->severity, RA_ERROR);
    cr_assert_str_eq(finding(report, "RA021")->consequence, "refused");
    cr_assert_eq(finding(report, "RA021")->device, RA_NO_DEVICE);
    assert_says(finding(report, "RA021")->predicted_error,
                "on every machine: ELF load command address/offset not page-aligned");
    verdict = &folder_file(report, "file")->verdicts[0];
    cr_assert_eq(verdict->kind, RA_NATIVE, "its code is whole");
    cr_assert_eq(verdict->block, RA_BLOCK_LOADER);
    cr_assert_eq(report->exit, 1);
    assert_says(folder_text(report, "json"), "\"loader\"");
}

Test(rules_layout, a_segment_only_old_loaders_do_not_map_is_a_warning)
{
    const struct ra_report *report;

    folder_fixture("file", "odd-misaligned-segment.so");
    report = audit("file");
    assert_only(report, "RA021");
    cr_assert_eq(finding(report, "RA021")->severity, RA_WARNING);
    assert_says(finding(report, "RA021")->predicted_error, "older than 2.35");
    assert_healthy(report, "file");
    cr_assert_eq(report->exit, 0, "current loaders do");
}

/*
 * What glibc 2.36 did with such changes to a library that clang made, and what older ones
 * are known to do (the check before commit 163f625cf9be). Address and offset of the text
 * are 4096 apart, as fx_elf_load() lays it out, and `shift` is added to the offset.
 */
static const struct {
    uint64_t shift, align;
    char severity; /* of RA021; ' ': it is not said */
} segments[] = {
    { 0, 0x1000, ' ' },   { 0, 0, 'w' }, /* all bits have to agree */
    { 0, 1, 'w' },        { 0, 2, 'w' },          { 0, 0x10, 'w' },
    { 0, 0x800, 'w' },    { 0, 0x1800, 'w' },     { 0, 0x2000, 'w' },
    { 0, 0x3000, ' ' }, /* neither loader asks for a power of two */
    { 0, 0x10000, 'w' },  { 0, 0x200000, 'w' },   { 1, 0x1000, 'e' },
    { 8, 0x1000, 'e' },   { 0x800, 0x1000, 'e' }, { 8, 0x200000, 'e' },
    { 1, 0, 'e' },        { 1, 1, 'e' },          { 8, 8, 'e' },
    { 0x100, 0x10, 'e' }, { 0x800, 0x800, 'e' },
};

Test(rules_layout, segments_are_refused_as_loaders_refuse_them)
{
    struct fx fx = { 0 };
    struct fx_host_at at = library(&fx, NULL, 0);
    uint64_t offset = fx_peek(&fx, at.text_segment + P_OFFSET, 8);

    for (size_t i = 0; i < RA_COUNT(segments); i++) {
        const struct ra_report *report;
        enum ra_severity severity = RA_NOTE;
        size_t said;

        fx_poke(&fx, at.text_segment + P_OFFSET, 8, offset + segments[i].shift);
        fx_poke(&fx, at.text_segment + P_ALIGN, 8, segments[i].align);
        folder_save("file", &fx);
        report = audit("file");
        said = folder_findings(report, "RA021", &severity);
        cr_expect_eq(said, segments[i].severity != ' ', "row %zu", i);
        cr_expect_eq(severity,
                     segments[i].severity == 'e'   ? RA_ERROR
                     : segments[i].severity == 'w' ? RA_WARNING
                                                   : RA_NOTE,
                     "row %zu", i);
        cr_expect_eq(report->exit, segments[i].severity == 'e', "row %zu", i);
    }
    fx_free(&fx);
}

Test(rules_layout, nobody_loads_what_is_not_linked_or_has_no_device_code)
{
    struct fx fx = { 0 };
    struct fx_host_at at = fx_host(&fx, &(struct fx_host){ 0 });

    fx_poke(&fx, at.text_segment + P_ALIGN, 8, 1);
    fx_poke(&fx, at.text_segment + P_OFFSET, 8, 8);
    folder_save("host.so", &fx);
    folder_fixture("object.o", "good-object.o");
    assert_only(audit(NULL), NULL);
    cr_assert_eq(folder_exit(GPU, NULL), 0);
    fx_free(&fx);
}

/* ---- RA022: stubs ----------------------------------------------------------------- */

static void save_library(const char *path, const char *name, bool defined, bool weak)
{
    struct fx fx = { 0 };

    library(&fx, &(struct fx_name){ name, defined, weak }, 1);
    folder_save(path, &fx);
    fx_free(&fx);
}

Test(rules_layout, a_stub_that_no_file_has_fails_on_every_gpu)
{
    const struct ra_report *report;
    const struct ra_verdict *verdict;

    folder_fixture("file", "odd-undefined-stub.so");
    report = audit("file");
    assert_only(report, "RA022");
    cr_assert_eq(finding(report, "RA022")->severity, RA_ERROR);
    cr_assert_str_eq(finding(report, "RA022")->consequence, "refused");
    cr_assert_eq(finding(report, "RA022")->device, RA_NO_DEVICE);
    assert_says(finding(report, "RA022")->message, "1 host stub of kernels");
    assert_says(finding(report, "RA022")->message, STUB);
    assert_says(finding(report, "RA022")->predicted_error, "undefined symbol");
    verdict = &folder_file(report, "file")->verdicts[0];
    cr_assert_eq(verdict->kind, RA_NATIVE, "its code is whole");
    cr_assert_eq(verdict->block, RA_BLOCK_LOADER);
    cr_assert_eq(report->exit, 1);
}

Test(rules_layout, a_stub_that_another_file_has_is_not_missing)
{
    save_library("wants.so", STUB, false, false);
    save_library("has.so", STUB, true, false);
    cr_assert_eq(folder_exit(GPU, "wants.so"), 1, "alone it is");
    assert_only(audit(NULL), NULL);
    assert_healthy(audit(NULL), "wants.so");
    cr_assert_eq(folder_exit(GPU, NULL), 0);
}

Test(rules_layout, a_stub_of_another_name_or_signature_is_no_help)
{
    save_library("wants.so", STUB, false, false);
    save_library("has.so", "_Z20__device_stub__k_mulPd", true, false);
    assert_only(audit(NULL), "RA022");
    assert_healthy(audit(NULL), "has.so");
    cr_assert_eq(folder_file(audit(NULL), "wants.so")->verdicts[0].block,
                 RA_BLOCK_LOADER);
    cr_assert_eq(folder_exit(GPU, NULL), 1);
}

/* The loader leaves weak ones zero; others may be of any library of the system. */
Test(rules_layout, of_undefined_symbols_only_stubs_that_have_to_be_there_count)
{
    static const struct {
        const char *name;
        bool defined, weak;
    } rows[] = {
        { STUB, true, false },          { STUB, true, true },
        { STUB, false, true },          { "hipLaunchKernel", false, false },
        { "_Z5k_mulPf", false, false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        save_library("file", rows[i].name, rows[i].defined, rows[i].weak);
        assert_only(audit("file"), NULL);
        assert_healthy(audit("file"), "file");
        cr_assert_eq(folder_exit(GPU, "file"), 0, "%s", rows[i].name);
    }
}

Test(rules_layout, what_a_file_without_device_code_wants_is_not_our_affair)
{
    const struct fx_name name = { STUB, false, false };
    struct fx fx = { 0 };

    fx_host(&fx, &(struct fx_host){ .names = &name, .name_count = 1 });
    folder_save("host.so", &fx);
    folder_fixture("code.so", "good-two-targets.so");
    assert_only(audit(NULL), NULL);
    cr_assert_eq(folder_exit(GPU, NULL), 0);
    fx_free(&fx);
}
