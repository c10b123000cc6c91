/* Code objects by themselves, and those that a program has among its data. */
#include "facts.h"

#include "audit/judge_offload.h"
#include "audit/judge_raw.h"
#include "audit/totals.h"

#include <criterion/criterion.h>

#define SUITE(name) Test(judge_raw, name, .fini = facts_forget)

#define DEVICE "gfx90a:sramecc+:xnack-"

/* What a program has among its data: no IDs, only what e_flags say. */
static struct ra_entry stored(const char *elf)
{
    struct ra_entry entry = facts_code(elf);

    entry.id = entry.target = "";
    entry.kind = RA_ENTRY_RAW;
    entry.label = (struct ra_target){ 0 };
    return entry;
}

static struct ra_bundle embedded(const char *targets)
{
    struct ra_entry entries[16];
    char *rest = ra_arena_text(&facts_arena, targets, strlen(targets));
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " "));)
        entries[count++] = stored(word);
    return facts_bundle("embedded", entries, count);
}

/* `entry` is that which serves; of what fails, any. */
static void assert_judged(struct ra_bundle bundle, const char *device,
                          enum ra_verdict_kind expected, size_t entry)
{
    struct ra_target target = facts_target(device);
    struct ra_choice choice = ra_judge_bundle(&bundle, &target, &facts_rocm);

    cr_assert_eq(choice.kind, expected, "on %s it is %s, not %s", device,
                 ra_verdict_name(choice.kind), ra_verdict_name(expected));
    if (expected >= RA_NATIVE && expected <= RA_JIT) {
        cr_assert_not_null(choice.entry);
        cr_assert_eq(choice.entry, &bundle.entries[entry], "on %s", device);
    }
}

/* ---- code among data -------------------------------------------------------------- */

SUITE(any_of_the_code_objects_may_serve)
{
    assert_judged(embedded("gfx90a gfx1030 gfx1100"), DEVICE, RA_NATIVE, 0);
    assert_judged(embedded("gfx90a gfx1030 gfx1100"), "gfx1030", RA_NATIVE, 1);
    assert_judged(embedded("gfx90a gfx1030 gfx1100"), "gfx1100", RA_NATIVE, 2);
    assert_judged(embedded("gfx90a gfx1030 gfx1100"), "gfx1101", RA_MISSING, 0);
    assert_judged(embedded("gfx90a gfx1030 gfx1100"), "gfx908:sramecc+:xnack-",
                  RA_MISSING, 0);
}

/* ROCr takes a generic target for what it covers; the processor's own is better. */
SUITE(a_generic_target_serves_what_it_covers)
{
    assert_judged(embedded("gfx1030 gfx11-generic"), "gfx1101", RA_GENERIC, 1);
    assert_judged(embedded("gfx11-generic gfx1101"), "gfx1101", RA_NATIVE, 1);
    assert_judged(embedded("gfx1101 gfx11-generic"), "gfx1101", RA_NATIVE, 0);
    assert_judged(embedded("gfx11-generic"), "gfx1201", RA_MISSING, 0);
    assert_judged(embedded("gfx9-generic"), "gfx906:sramecc+:xnack-", RA_GENERIC, 0);
}

SUITE(code_in_the_other_mode_is_a_mismatch_unless_other_code_serves)
{
    assert_judged(embedded("gfx90a:xnack+"), DEVICE, RA_FEATURE_MISMATCH, 0);
    assert_judged(embedded("gfx90a:sramecc-"), DEVICE, RA_FEATURE_MISMATCH, 0);
    assert_judged(embedded("gfx1030 gfx90a:xnack+"), DEVICE, RA_FEATURE_MISMATCH, 0);
    assert_judged(embedded("gfx90a:xnack+ gfx90a:xnack-"), DEVICE, RA_NATIVE, 1);
    assert_judged(embedded("gfx90a:xnack+ gfx90a"), DEVICE, RA_NATIVE, 1);
    assert_judged(embedded("gfx90a:xnack+ gfx90a:xnack-"), "gfx90a:sramecc+:xnack+",
                  RA_NATIVE, 0);
    assert_judged(embedded("gfx1030"), DEVICE, RA_MISSING, 0);
}

/* ROCr, executable loading: only ET_DYN and OSABI 0x40 pass. */
SUITE(code_that_cannot_be_loaded_is_worse_than_none_of_the_other_mode)
{
    struct ra_bundle bundle = embedded("gfx90a gfx90a:xnack+");
    struct ra_entry *entries = (struct ra_entry *)(uintptr_t)bundle.entries;

    entries[0].code.type = 1; /* ET_REL */
    assert_judged(bundle, DEVICE, RA_FEATURE_MISMATCH, 0);
    bundle.entry_count = 1;
    assert_judged(bundle, DEVICE, RA_UNLOADABLE, 0);
    assert_judged(bundle, "gfx1030", RA_MISSING, 0);
}

static struct ra_entry damaged(void)
{
    struct ra_entry entry = stored("gfx90a");

    entry.content = RA_CONTENT_UNREAD;
    entry.elf_target = "";
    entry.code = (struct ra_code){ 0 };
    entry.complete = false;
    return entry;
}

SUITE(what_was_not_read_may_serve_anybody_but_takes_nothing_away)
{
    const struct ra_entry other[] = { stored("gfx1030"), damaged() };
    const struct ra_entry first[] = { damaged(), stored("gfx1030") };
    struct ra_entry alone = damaged();

    assert_judged(facts_bundle("embedded", other, 2), DEVICE, RA_UNDECIDED, 0);
    assert_judged(facts_bundle("embedded", first, 2), DEVICE, RA_UNDECIDED, 0);
    assert_judged(facts_bundle("embedded", &alone, 1), DEVICE, RA_UNDECIDED, 0);
    assert_judged(facts_bundle("embedded", other, 2), "gfx1030", RA_NATIVE, 0);
    assert_judged(facts_bundle("embedded", first, 2), "gfx1030", RA_NATIVE, 1);
}

SUITE(a_set_that_was_not_read_whole_serves_only_by_what_was_read)
{
    struct ra_bundle bundle = embedded("gfx1030");

    bundle.has_table = bundle.complete = false;
    assert_judged(bundle, DEVICE, RA_UNDECIDED, 0);
    bundle.entry_count = 0;
    assert_judged(bundle, DEVICE, RA_UNDECIDED, 0);
}

/* ---- kernels ---------------------------------------------------------------------- */

static const char *const names[] = { "k_add", "k_mul", "k_sub" };

static struct ra_absent absent_of(struct ra_bundle *bundle, const char *device)
{
    struct ra_target target = facts_target(device);
    struct ra_choice choice = ra_judge_bundle(bundle, &target, &facts_rocm);
    struct ra_arena scratch = { 0 };
    struct ra_absent absent;

    bundle->kernel_names = names;
    bundle->kernel_name_count = RA_COUNT(names);
    cr_assert_leq(choice.kind, RA_JIT);
    cr_assert_eq(ra_judge_kernels(bundle, &choice, &scratch, &absent), RA_OK);
    ra_arena_free(&scratch);
    return absent;
}

/* Two code objects for one GPU hold different kernels, and the program has both. */
SUITE(kernels_of_all_code_for_the_device_are_there)
{
    static const uint32_t add[] = { 0 }, mul[] = { 1 }, sub[] = { 2 };
    struct ra_entry entries[] = { stored("gfx90a"), stored("gfx90a"), stored("gfx1030") };
    struct ra_bundle bundle;

    facts_kernels(&entries[0], add, 1, 0);
    facts_kernels(&entries[1], mul, 1, 0);
    facts_kernels(&entries[2], sub, 1, 0);
    bundle = facts_bundle("embedded", entries, 3);
    cr_assert_eq(absent_of(&bundle, DEVICE).absent, 1, "k_sub is for gfx1030 alone");
    cr_assert_eq(absent_of(&bundle, DEVICE).first_absent, 2);
    cr_assert_eq(absent_of(&bundle, "gfx1030").absent, 2);
    cr_assert_eq(absent_of(&bundle, "gfx1030").first_absent, 0);
}

/* Of a bundle HIP takes one entry, and what the others have is not to be had. */
SUITE(kernels_of_a_bundle_are_those_of_the_entry_taken)
{
    static const uint32_t add[] = { 0 }, rest[] = { 1, 2 };
    struct ra_entry entries[] = { facts_code("gfx90a"), facts_code("gfx90a") };
    struct ra_bundle bundle;

    facts_kernels(&entries[0], add, 1, 0);
    facts_kernels(&entries[1], rest, 2, 0);
    bundle = facts_bundle("plain", entries, 2);
    cr_assert_eq(absent_of(&bundle, DEVICE).absent, 2);
}

/* ---- the table -------------------------------------------------------------------- */

static struct ra_verdict verdict_of(const struct ra_file *file, const char *target)
{
    struct ra_device device = facts_device(target);
    struct ra_verdict verdict;

    cr_assert_eq(ra_judge_file(file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    return verdict;
}

/* What registers with HIP serves: the program may have other code for what does not. */
SUITE(code_among_data_that_does_not_serve_is_a_warning_beside_bundles_that_do)
{
    const struct ra_bundle bundles[] = { facts_for("gfx90a gfx1030"),
                                         embedded("gfx1030 gfx1100") };
    struct ra_file file = facts_file("libfoo.so", bundles, 2);
    struct ra_verdict verdict = verdict_of(&file, DEVICE);

    cr_assert_eq(verdict.kind, RA_PARTIAL);
    cr_assert_eq(verdict.severity, RA_WARNING);
    cr_assert_eq(verdict.covered, 1);
    cr_assert_eq(verdict.total, 2);
    cr_assert_not_null(verdict.on_purpose);
    cr_assert_not_null(strstr(verdict.on_purpose, "code among its data"), "%s",
                       verdict.on_purpose);
    verdict = verdict_of(&file, "gfx1030");
    cr_assert_eq(verdict.kind, RA_NATIVE);
    cr_assert_eq(verdict.covered, 2);
    cr_assert_null(verdict.on_purpose);
}

SUITE(bundles_that_do_not_serve_are_an_error_beside_code_among_data_that_does)
{
    const struct ra_bundle bundles[] = { facts_for("gfx90a"), facts_for("gfx90a gfx1100"),
                                         embedded("gfx1100") };
    struct ra_file file = facts_file("libfoo.so", bundles, 3);
    struct ra_verdict verdict = verdict_of(&file, "gfx1100");

    cr_assert_eq(verdict.kind, RA_PARTIAL);
    cr_assert_eq(verdict.covered, 2);
    cr_assert_null(verdict.on_purpose);
    cr_assert_eq(verdict.severity, RA_ERROR);
}

SUITE(code_among_data_alone_that_serves_none_is_missing)
{
    struct ra_bundle bundle = embedded("gfx1030 gfx1100");
    struct ra_file file = facts_file("libfoo.so", &bundle, 1);
    struct ra_verdict verdict = verdict_of(&file, DEVICE);

    cr_assert_eq(verdict.kind, RA_MISSING);
    cr_assert_eq(verdict.severity, RA_ERROR);
    cr_assert_null(verdict.on_purpose);
    cr_assert_eq(verdict_of(&file, "gfx1100").kind, RA_NATIVE);
}

/* The other mode of the GPU was meant for it, and does not run: no other GPU's code. */
SUITE(code_among_data_in_the_other_mode_is_an_error_beside_bundles_that_serve)
{
    const struct ra_bundle bundles[] = { facts_for("gfx90a"), embedded("gfx90a:xnack+") };
    struct ra_file file = facts_file("libfoo.so", bundles, 2);
    struct ra_verdict verdict = verdict_of(&file, DEVICE);

    cr_assert_eq(verdict.kind, RA_PARTIAL);
    cr_assert_eq(verdict.severity, RA_ERROR);
    cr_assert_null(verdict.on_purpose);
}

SUITE(nothing_is_on_purpose_where_not_all_was_read)
{
    const struct ra_bundle bundles[] = { facts_for("gfx90a"), embedded("gfx1030") };
    struct ra_file file = facts_file("libfoo.so", bundles, 2);
    struct ra_verdict verdict;

    file.status = RA_FILE_INCOMPLETE;
    verdict = verdict_of(&file, DEVICE);
    cr_assert_eq(verdict.kind, RA_UNDECIDED);
    cr_assert_null(verdict.on_purpose);
}

/* ---- before the link -------------------------------------------------------------- */

SUITE(sections_named_after_ids_are_for_the_linker_alone)
{
    static const char *const devices[] = { DEVICE, "gfx1030", "gfx1201" };
    struct ra_entry entries[] = { facts_code("gfx90a"), facts_code("gfx1030") };
    struct ra_bundle bundle = facts_bundle("rdc", entries, 2);
    struct ra_file file = facts_file("a.o", &bundle, 1);

    entries[0].content = RA_CONTENT_BITCODE;
    for (size_t i = 0; i < RA_COUNT(devices); i++) {
        assert_judged(bundle, devices[i], RA_NONE, 0);
        cr_assert_eq(verdict_of(&file, devices[i]).kind, RA_NONE);
    }
    cr_assert(ra_judge_is_before_link(&bundle));
    cr_assert_not(ra_has_device_code(&file));
}

SUITE(sections_that_were_not_read_whole_are_undecided)
{
    struct ra_entry entry = facts_code("gfx90a");
    struct ra_bundle bundle = facts_bundle("rdc", &entry, 1);
    struct ra_file file;

    bundle.complete = false;
    assert_judged(bundle, DEVICE, RA_UNDECIDED, 0);
    assert_judged(bundle, "gfx1030", RA_UNDECIDED, 0);
    file = facts_file("a.o", &bundle, 1);
    file.status = RA_FILE_INCOMPLETE;
    cr_assert_eq(verdict_of(&file, DEVICE).kind, RA_UNDECIDED);
    bundle.has_table = false;
    assert_judged(bundle, DEVICE, RA_UNDECIDED, 0);
}
