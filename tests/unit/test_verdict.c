#include "facts.h"

#include <criterion/criterion.h>

/* One bundle for each list of targets: "gfx90a gfx1030", "gfx90a". */
static struct ra_file library(const char *path, const char *const *targets, size_t count)
{
    struct ra_bundle bundles[16];

    cr_assert_leq(count, RA_COUNT(bundles));
    for (size_t i = 0; i < count; i++)
        bundles[i] = facts_for(targets[i]);
    return facts_file(path, bundles, count);
}

#define LIBRARY(path, ...)                                                               \
    library(path, (const char *const[]){ __VA_ARGS__ },                                  \
            RA_COUNT(((const char *const[]){ __VA_ARGS__ })))

static struct ra_verdict verdict_of(const struct ra_file *file, const char *target)
{
    struct ra_device device = facts_device(target);
    struct ra_verdict verdict;

    cr_assert_eq(ra_judge_file(file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    return verdict;
}

static void assert_verdict(struct ra_file file, const char *target,
                           enum ra_verdict_kind kind, size_t covered, size_t total)
{
    struct ra_verdict verdict = verdict_of(&file, target);

    cr_assert_eq(verdict.kind, kind, "%s, not %s", ra_verdict_name(verdict.kind),
                 ra_verdict_name(kind));
    cr_assert_eq(verdict.covered, covered, "%zu", verdict.covered);
    cr_assert_eq(verdict.total, total, "%zu", verdict.total);
}

/* A library of bundles that are, on gfx90a with both features at their factory default,
 * what the letters say: native, generic has none there, jit, missing, mismatch (f),
 * unloadable, undecided (?), host alone (h). */
static struct ra_bundle bundle_that_is(char letter)
{
    struct ra_entry entry = facts_code("gfx90a");
    struct ra_bundle bundle;

    switch (letter) {
    case 'n':
        return facts_for("gfx90a");
    case 'm':
        return facts_for("gfx1030");
    case 'f':
        return facts_for("gfx90a:xnack+");
    case 'u':
        entry = facts_entry("gfx90a", "gfx1030");
        return facts_bundle("plain", &entry, 1);
    case 'j':
        entry.label = facts_target("amdgcnspirv");
        entry.content = RA_CONTENT_SPIRV;
        return facts_bundle("plain", &entry, 1);
    case 'h':
        entry = facts_host();
        return facts_bundle("plain", &entry, 1);
    default:
        bundle = facts_for("gfx90a");
        bundle.has_table = bundle.complete = false;
        bundle.entry_count = 0;
        return bundle;
    }
}

static struct ra_file file_that_is(const char *letters)
{
    struct ra_bundle bundles[8];
    struct ra_file file;
    size_t count = strlen(letters);

    for (size_t i = 0; i < count; i++)
        bundles[i] = bundle_that_is(letters[i]);
    file = facts_file("libfoo.so", bundles, count);
    if (strchr(letters, '?'))
        file.status = RA_FILE_INCOMPLETE;
    return file;
}

Test(verdict, of_a_file_is_the_worst_that_is_certain, .fini = facts_forget)
{
    static const struct {
        const char *bundles;
        enum ra_verdict_kind kind;
        enum ra_severity severity;
        size_t covered, total;
    } rows[] = {
        { "n", RA_NATIVE, RA_NOTE, 1, 1 },
        { "nn", RA_NATIVE, RA_NOTE, 2, 2 },
        { "nj", RA_JIT, RA_NOTE, 2, 2 },
        { "jn", RA_JIT, RA_NOTE, 2, 2 },
        { "m", RA_MISSING, RA_ERROR, 0, 1 },
        { "mm", RA_MISSING, RA_ERROR, 0, 2 },
        { "f", RA_FEATURE_MISMATCH, RA_ERROR, 0, 1 },
        { "mf", RA_FEATURE_MISMATCH, RA_ERROR, 0, 2 },
        { "nm", RA_PARTIAL, RA_ERROR, 1, 2 },
        { "nf", RA_PARTIAL, RA_ERROR, 1, 2 },
        { "jm", RA_PARTIAL, RA_ERROR, 1, 2 },
        { "u", RA_UNLOADABLE, RA_ERROR, 0, 1 },
        { "nu", RA_UNLOADABLE, RA_ERROR, 1, 2 },
        { "mu", RA_UNLOADABLE, RA_ERROR, 0, 2 },
        { "fu", RA_UNLOADABLE, RA_ERROR, 0, 2 },
        { "nmu", RA_UNLOADABLE, RA_ERROR, 1, 3 },
        { "?", RA_UNDECIDED, RA_NOTE, 0, 1 },
        { "n?", RA_UNDECIDED, RA_NOTE, 1, 2 },
        { "j?n", RA_UNDECIDED, RA_NOTE, 2, 3 },
        { "u?", RA_UNLOADABLE, RA_ERROR, 0, 2 },
        { "nm?", RA_PARTIAL, RA_ERROR, 1, 3 },
        { "h", RA_NONE, RA_NOTE, 0, 0 },
        { "hn", RA_NATIVE, RA_NOTE, 1, 1 },
        { "hm", RA_MISSING, RA_ERROR, 0, 1 },
        { "h?", RA_UNDECIDED, RA_NOTE, 0, 1 },
        { "", RA_NONE, RA_NOTE, 0, 0 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_file file = file_that_is(rows[i].bundles);
        struct ra_verdict verdict = verdict_of(&file, "gfx90a:sramecc+:xnack-");

        cr_assert_eq(verdict.kind, rows[i].kind, "%s: %s", rows[i].bundles,
                     ra_verdict_name(verdict.kind));
        cr_assert_eq(verdict.severity, rows[i].severity, "%s", rows[i].bundles);
        cr_assert_eq(verdict.covered, rows[i].covered, "%s", rows[i].bundles);
        cr_assert_eq(verdict.total, rows[i].total, "%s", rows[i].bundles);
    }
}

/* Certain, and yet not known whether all or some: no verdict that fits, in any case. */
Test(verdict, a_mismatch_beside_what_was_not_read_still_fails, .fini = facts_forget)
{
    static const char *const files[] = { "m?", "f?", "?m", "?f", "mf?" };

    for (size_t i = 0; i < RA_COUNT(files); i++) {
        struct ra_file file = file_that_is(files[i]);
        struct ra_verdict verdict = verdict_of(&file, "gfx90a:sramecc+:xnack-");

        cr_assert_gt(verdict.kind, RA_UNDECIDED, "%s", files[i]);
        cr_assert_eq(verdict.severity, RA_ERROR, "%s", files[i]);
    }
}

Test(verdict, generic_is_weaker_than_native_and_jit_than_generic, .fini = facts_forget)
{
    assert_verdict(LIBRARY("a.so", "gfx1100", "gfx11-generic"), "gfx1100", RA_GENERIC, 2,
                   2);
    assert_verdict(LIBRARY("a.so", "gfx1100", "gfx11-generic"), "gfx1101", RA_PARTIAL, 1,
                   2);
    assert_verdict(LIBRARY("a.so", "gfx11-generic gfx1100", "gfx1100"), "gfx1100",
                   RA_NATIVE, 2, 2);
}

/* Measured: hipModuleGetFunction() says 500, and what a library registers is launched. */
Test(verdict, a_module_of_code_object_v2_depends_on_who_loads_it, .fini = facts_forget)
{
    struct ra_bundle bundles[2] = { facts_for("gfx803"), facts_raw("gfx803") };
    enum ra_kind kinds[2] = { RA_KIND_BUNDLE, RA_KIND_CODE_OBJECT };

    for (size_t i = 0; i < 2; i++) {
        struct ra_entry entry = bundles[i].entries[bundles[i].entry_count - 1];
        struct ra_file file;
        struct ra_verdict verdict;

        entry.code.version = 2;
        bundles[i] = facts_bundle(bundles[i].container, &entry, 1);
        file = facts_file("libfoo.so", &bundles[i], 1);
        assert_verdict(file, "gfx803", RA_NATIVE, 1, 1);
        file.kind = kinds[i];
        assert_verdict(file, "gfx803", RA_UNDECIDED, 0, 1);
        assert_verdict(file, "gfx900", RA_MISSING, 0, 1);
        verdict = verdict_of(&file, "gfx803");
        cr_assert(verdict.doubt && strstr(verdict.doubt, "code object V2"));
        entry.code.version = 3;
        bundles[i] = facts_bundle(bundles[i].container, &entry, 1);
        file.bundles = &bundles[i];
        assert_verdict(file, "gfx803", RA_NATIVE, 1, 1);
    }
}

/* What stands among the data of a library was never registered. */
Test(verdict, code_object_v2_among_data_is_such_a_module, .fini = facts_forget)
{
    struct ra_bundle bundle = facts_raw("gfx803");
    struct ra_entry entry = bundle.entries[0];

    entry.code.version = 2;
    assert_verdict(facts_file("libfoo.so",
                              (struct ra_bundle[]){ facts_bundle("embedded", &entry, 1) },
                              1),
                   "gfx803", RA_UNDECIDED, 0, 1);
}

Test(verdict, a_code_object_compressed_by_itself_says_why, .fini = facts_forget)
{
    struct ra_bundle bundle = facts_raw("gfx90a");
    struct ra_file file;
    struct ra_verdict verdict;

    bundle.container = "ccob2";
    file = facts_file("x.fb", &bundle, 1);
    file.kind = RA_KIND_BUNDLE;
    verdict = verdict_of(&file, "gfx90a:sramecc+:xnack-");
    cr_assert_eq(verdict.kind, RA_UNDECIDED);
    cr_assert(verdict.doubt && strstr(verdict.doubt, "without a bundle"));
}

Test(verdict, one_full_bundle_does_not_hide_another, .fini = facts_forget)
{
    struct ra_file file = LIBRARY("libfoo.so", "gfx1030 gfx90a", "gfx90a");

    assert_verdict(file, "gfx90a:sramecc+:xnack-", RA_NATIVE, 2, 2);
    assert_verdict(file, "gfx1030", RA_PARTIAL, 1, 2);
    assert_verdict(file, "gfx1100", RA_MISSING, 0, 2);
}

Test(verdict, an_incomplete_file_never_fits, .fini = facts_forget)
{
    static const enum ra_file_status broken[] = { RA_FILE_INCOMPLETE, RA_FILE_UNREADABLE,
                                                  RA_FILE_CHANGED };
    static const char *const files[] = { "n", "nn", "j", "nj", "h", "" };

    for (size_t i = 0; i < RA_COUNT(broken); i++)
        for (size_t j = 0; j < RA_COUNT(files); j++) {
            struct ra_file file = file_that_is(files[j]);
            struct ra_verdict verdict;

            file.status = broken[i];
            verdict = verdict_of(&file, "gfx90a:sramecc+:xnack-");
            cr_assert_eq(verdict.kind, RA_UNDECIDED, "%s", files[j]);
        }
}

/* ---- partial on purpose ---------------------------------------------------------- */

Test(verdict, partial_is_on_purpose_in_libraries_known_for_it, .fini = facts_forget)
{
    static const char *const names[] = {
        "libhipblaslt.so.0",
        "/opt/rocm/lib/libhipblaslt.so",
        "a/libhipsparselt.so.0",
        "site-packages/torch/lib/libhipblaslt.so",
    };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct ra_file file = LIBRARY(names[i], "gfx90a gfx942", "gfx942");
        struct ra_verdict verdict = verdict_of(&file, "gfx90a:sramecc+:xnack-");

        cr_assert_eq(verdict.kind, RA_PARTIAL);
        cr_assert_eq(verdict.severity, RA_WARNING, "%s", names[i]);
        cr_assert_not_null(verdict.on_purpose);
    }
}

Test(verdict, a_folder_or_a_like_name_makes_nothing_meant_so, .fini = facts_forget)
{
    static const char *const names[] = { "libhipblaslt.so/libfoo.so", "libhipblas.so",
                                         "xlibhipblaslt.so", "libfoo.so" };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        /* gfx1100 and gfx1101 are one architecture: no purpose by that either. */
        struct ra_file file = LIBRARY(names[i], "gfx1100 gfx1101", "gfx1100");
        struct ra_verdict verdict = verdict_of(&file, "gfx1101");

        cr_assert_eq(verdict.kind, RA_PARTIAL);
        cr_assert_eq(verdict.severity, RA_ERROR, "%s", names[i]);
        cr_assert_null(verdict.on_purpose);
    }
}

Test(verdict, a_known_library_may_lack_a_gpu_altogether, .fini = facts_forget)
{
    struct ra_file file = LIBRARY("libhipblaslt.so", "gfx90a", "gfx942");
    struct ra_verdict verdict = verdict_of(&file, "gfx1100");

    cr_assert_eq(verdict.kind, RA_MISSING);
    cr_assert_eq(verdict.severity, RA_WARNING);
    cr_assert_not_null(verdict.on_purpose);
    file = LIBRARY("libhipblas.so", "gfx90a", "gfx942");
    verdict = verdict_of(&file, "gfx1100");
    cr_assert_eq(verdict.severity, RA_ERROR);
}

/* (b) of the contract: the uncovered bundles hold no target of the architecture, while
 * the library's most common target set does. */
Test(verdict, partial_is_on_purpose_where_a_whole_architecture_is_left_out,
     .fini = facts_forget)
{
    static const struct {
        const char *what;
        const char *bundles[6];
        const char *device;
        bool on_purpose;
    } rows[] = {
        { "two of three hold it",
          { "gfx90a gfx942 gfx1100", "gfx90a gfx942 gfx1100", "gfx942" },
          "gfx1100",
          true },
        { "the order of entries does not matter",
          { "gfx90a gfx942 gfx1100", "gfx1100 gfx942 gfx90a", "gfx942" },
          "gfx1100",
          true },
        { "another of the architecture is in the uncovered bundle",
          { "gfx1100 gfx1101", "gfx1100 gfx1101", "gfx1101" },
          "gfx1100",
          false },
        { "the most common set lacks it",
          { "gfx942", "gfx942", "gfx942 gfx1100" },
          "gfx1100",
          false },
        { "a tie", { "gfx942 gfx1100", "gfx942" }, "gfx1100", false },
        { "a tie of two and two",
          { "gfx942 gfx1100", "gfx942", "gfx942 gfx1100", "gfx942" },
          "gfx1100",
          false },
        { "a tie below the most common",
          { "gfx942 gfx1100", "gfx942 gfx1100", "gfx942 gfx1100", "gfx942", "gfx90a" },
          "gfx1100",
          true },
        { "the other mode is of the architecture",
          { "gfx90a gfx942", "gfx90a gfx942", "gfx90a:xnack+ gfx942" },
          "gfx90a:sramecc+:xnack-",
          false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        size_t count = 0;
        struct ra_file file;
        struct ra_verdict verdict;

        while (rows[i].bundles[count])
            count++;
        file = library("libfoo.so", rows[i].bundles, count);
        verdict = verdict_of(&file, rows[i].device);
        cr_assert_eq(verdict.kind, RA_PARTIAL, "%s", rows[i].what);
        cr_assert_eq(verdict.severity, rows[i].on_purpose ? RA_WARNING : RA_ERROR, "%s",
                     rows[i].what);
        cr_assert_eq(verdict.on_purpose != NULL, rows[i].on_purpose, "%s", rows[i].what);
    }
}

Test(verdict, the_generic_of_an_architecture_counts_as_its_own, .fini = facts_forget)
{
    struct ra_file file = LIBRARY("libfoo.so", "gfx1151 gfx942", "gfx1151 gfx942",
                                  "gfx11-generic:xnack+ gfx942");
    struct ra_verdict verdict = verdict_of(&file, "gfx1151");

    cr_assert_eq(verdict.kind, RA_PARTIAL);
    cr_assert_eq(verdict.severity, RA_ERROR);
}

/* What was not read may be the very bundle that was forgotten. */
Test(verdict, on_purpose_is_not_known_of_what_was_not_read_whole, .fini = facts_forget)
{
    struct ra_file files[] = {
        LIBRARY("libfoo.so", "gfx942 gfx1100", "gfx942 gfx1100", "gfx942"),
        LIBRARY("libhipblaslt.so", "gfx942 gfx1100", "gfx942"),
    };

    for (size_t i = 0; i < RA_COUNT(files); i++) {
        struct ra_verdict verdict = verdict_of(&files[i], "gfx1100");

        cr_assert_eq(verdict.severity, RA_WARNING);
        files[i].status = RA_FILE_INCOMPLETE;
        verdict = verdict_of(&files[i], "gfx1100");
        cr_assert_eq(verdict.kind, RA_UNDECIDED);
        cr_assert_null(verdict.on_purpose);
    }
}

/* ---- kernels ------------------------------------------------------------------------
 */

static const char *const names[] = { "k_a", "k_b", "k_c" };

static struct ra_bundle with_kernels(const char *first, unsigned stubs, size_t count,
                                     const char *second)
{
    struct ra_entry entries[] = { facts_code(first), facts_code(second) };
    struct ra_bundle bundle;

    facts_kernels(&entries[0], (const uint32_t[]){ 0, 1, 2 }, count, stubs);
    facts_kernels(&entries[1], (const uint32_t[]){ 0, 1, 2 }, 3, 0);
    bundle = facts_bundle("plain", entries, 2);
    bundle.kernel_names = names;
    bundle.kernel_name_count = RA_COUNT(names);
    return bundle;
}

Test(verdict, missing_kernels_are_those_absent_empty_or_in_an_uncovered_bundle,
     .fini = facts_forget)
{
    struct ra_bundle bundles[] = {
        with_kernels("gfx1150", 0, 3, "gfx1100"), /* none */
        with_kernels("gfx1150", 1, 2, "gfx1100"), /* one is empty, one absent */
        with_kernels("gfx1151", 0, 3, "gfx1100"), /* all three */
    };
    struct ra_file file = facts_file("libfoo.so", bundles, 1);

    cr_assert_eq(verdict_of(&file, "gfx1150").kernels_missing, 0);
    file = facts_file("libfoo.so", bundles, 2);
    cr_assert_eq(verdict_of(&file, "gfx1150").kind, RA_NATIVE);
    cr_assert_eq(verdict_of(&file, "gfx1150").kernels_missing, 2);
    cr_assert_eq(verdict_of(&file, "gfx1100").kernels_missing, 0);
    file = facts_file("libfoo.so", bundles, 3);
    cr_assert_eq(verdict_of(&file, "gfx1150").kernels_missing, 5);
}

/* ---- what was assumed ----------------------------------------------------------------
 */

static const char *assumption(struct ra_file file, const char *target, bool sramecc,
                              bool xnack)
{
    struct ra_device device = facts_device(target);
    struct ra_verdict verdict;

    device.sramecc_assumed = sramecc;
    device.xnack_assumed = xnack;
    cr_assert_eq(ra_judge_file(&file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    return verdict.assumption ? verdict.assumption : "";
}

Test(verdict, says_so_where_it_depends_on_what_was_assumed, .fini = facts_forget)
{
    struct ra_file xnack_on = LIBRARY("a.so", "gfx90a:xnack+");
    struct ra_file xnack_off = LIBRARY("a.so", "gfx90a:xnack-");
    struct ra_file ecc_off = LIBRARY("a.so", "gfx90a:sramecc-");
    struct ra_file both = LIBRARY("a.so", "gfx90a:xnack+ gfx90a:xnack-");
    static const char device[] = "gfx90a:sramecc+:xnack-";

    cr_assert_str_eq(assumption(xnack_on, device, true, true), "fits if xnack is on");
    cr_assert_str_eq(assumption(xnack_off, device, true, true), "fails if xnack is on");
    cr_assert_str_eq(assumption(xnack_off, "gfx90a:sramecc+:xnack+", true, true),
                     "fits if xnack is off");
    cr_assert_str_eq(assumption(ecc_off, device, true, true), "fits if sramecc is off");
    cr_assert_str_eq(assumption(ecc_off, "gfx90a:sramecc-:xnack-", true, true),
                     "fails if sramecc is on");
    cr_assert_str_eq(assumption(both, device, true, true), "");
    cr_assert_str_eq(assumption(LIBRARY("a.so", "gfx90a"), device, true, true), "");
    cr_assert_str_eq(assumption(LIBRARY("a.so", "gfx1030"), device, true, true), "");
    /* Nothing was assumed, so there is nothing to say. */
    cr_assert_str_eq(assumption(xnack_on, device, false, false), "");
    cr_assert_str_eq(assumption(xnack_on, device, true, false), "");
    cr_assert_str_eq(assumption(ecc_off, device, false, true), "");
}

Test(verdict, names_are_those_of_the_documentation)
{
    static const char *const expected[] = { "none",    "native",           "generic",
                                            "jit",     "undecided",        "partial",
                                            "missing", "feature-mismatch", "unloadable" };

    for (size_t i = 0; i < RA_COUNT(expected); i++)
        cr_assert_str_eq(ra_verdict_name((enum ra_verdict_kind)i), expected[i]);
    cr_assert_eq(RA_COUNT(expected), RA_UNLOADABLE + 1);
}

/* A release that was assumed is named, where an older one would not do. */
Test(verdict, an_assumed_release_is_said_to_be_needed, .fini = facts_forget)
{
    static const struct {
        unsigned version;
        const char *target, *gpu, *needs;
    } known[] = {
        { 4, "gfx90a", "gfx90a:sramecc+:xnack-", NULL },
        { 5, "gfx90a", "gfx90a:sramecc+:xnack-", NULL },
        { 6, "gfx90a", "gfx90a:sramecc+:xnack-", "needs ROCm 6.3 or later" },
        { 6, "gfx11-generic", "gfx1103", "needs ROCm 6.4 or later" },
        { 5, "gfx950", "gfx950:sramecc+:xnack-",
          "needs ROCm 6.4 or later" }, /* not 6.3 */
        { 6, "gfx90a", "gfx1030", NULL },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_entry entry = facts_code(known[i].target);
        struct ra_device device = facts_device(known[i].gpu);
        struct ra_verdict verdict;
        struct ra_bundle bundle;
        struct ra_file file;

        entry.code.version = known[i].version;
        bundle = facts_bundle("plain", &entry, 1);
        file = facts_file("libfoo.so", &bundle, 1);
        cr_assert_eq(ra_judge_file(&file, &device, &facts_rocm, &facts_arena, &verdict),
                     RA_OK);
        cr_assert_eq(ra_judge_needs(&file, &device, RA_UPSTREAM, &facts_arena, &verdict),
                     RA_OK);
        if (known[i].needs)
            cr_assert_str_eq(verdict.assumption, known[i].needs);
        else
            cr_assert_null(verdict.assumption);
    }
}
