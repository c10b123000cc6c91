#include "facts.h"

#include "audit/totals.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct ra_totals sum(const struct ra_file *files, size_t count)
{
    struct ra_totals totals = { 0 };
    struct ra_tally tally = { .totals = &totals, .targets = { .arena = &facts_arena } };
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < count; i++) {
        status = ra_tally_file(&tally, &files[i]);
        cr_assert_eq(status, RA_OK);
    }
    cr_assert_eq(ra_tally_end(&tally, &facts_arena, status), RA_OK);
    return totals;
}

Test(totals, add_up_bundles_code_objects_and_kernels, .fini = facts_forget)
{
    struct ra_entry with_kernels = facts_code("gfx1030");
    struct ra_bundle bundles[3];
    struct ra_file files[2];
    struct ra_totals totals;

    facts_kernels(&with_kernels, (const uint32_t[]){ 0, 1, 2 }, 3, 0);
    bundles[0] = facts_bundle("plain", &with_kernels, 1);
    bundles[1] = facts_for("gfx90a gfx1030");
    bundles[2] = facts_for("gfx90a");
    files[0] = facts_file("a.so", bundles, 2);
    files[1] = facts_file("b.so", bundles + 2, 1);
    totals = sum(files, 2);
    cr_assert_eq(totals.with_device_code, 2);
    cr_assert_eq(totals.bundles, 3);
    cr_assert_eq(totals.code_objects, 4);
    cr_assert_eq(totals.kernels, 3);
    cr_assert_eq(totals.target_count, 2);
    cr_assert_str_eq(totals.targets[0].target, "gfx1030");
    cr_assert_eq(totals.targets[0].bytes, 2 * 4096);
    cr_assert_eq(totals.targets[0].code_objects, 2);
    cr_assert_str_eq(totals.targets[1].target, "gfx90a");
    cr_assert_eq(totals.targets[1].bytes, 2 * 4096);
}

Test(totals, leave_out_host_entries_and_empty_ones, .fini = facts_forget)
{
    struct ra_entry entries[] = { facts_host(), facts_code("gfx90a"),
                                  facts_code("gfx942") };
    struct ra_bundle bundle;
    struct ra_file file;
    struct ra_totals totals;

    entries[0].size = 100;
    entries[2].size = 0;
    entries[2].content = RA_CONTENT_EMPTY;
    bundle = facts_bundle("plain", entries, 3);
    file = facts_file("a.so", &bundle, 1);
    totals = sum(&file, 1);
    cr_assert_eq(totals.code_objects, 1);
    cr_assert_eq(totals.target_count, 1);
    cr_assert_str_eq(totals.targets[0].target, "gfx90a");
}

/* e_flags decide what code is; the label is all there is of what is no code object. */
Test(totals, go_by_e_flags_before_labels, .fini = facts_forget)
{
    struct ra_entry entries[] = { facts_entry("gfx1010", "gfx1030"),
                                  facts_code("gfx1100") };
    struct ra_bundle bundle;
    struct ra_file file;
    struct ra_totals totals;

    entries[1].content = RA_CONTENT_BITCODE;
    entries[1].elf_target = "";
    bundle = facts_bundle("plain", entries, 2);
    file = facts_file("a.so", &bundle, 1);
    totals = sum(&file, 1);
    cr_assert_eq(totals.code_objects, 1);
    cr_assert_eq(totals.target_count, 2);
    cr_assert_str_eq(totals.targets[0].target, "gfx1030");
    cr_assert_str_eq(totals.targets[1].target, "gfx1100");
}

Test(totals, keep_many_targets_apart_and_sorted, .fini = facts_forget)
{
    struct ra_entry entries[300];
    struct ra_bundle bundle;
    struct ra_file file;
    struct ra_totals totals;

    for (size_t i = 0; i < RA_COUNT(entries); i++) {
        char name[16];

        snprintf(name, sizeof(name), "gfx%03zu", (i * 7) % RA_COUNT(entries));
        entries[i] = facts_code(name);
        entries[i].size = 1 + (i * 7) % RA_COUNT(entries);
    }
    bundle = facts_bundle("plain", entries, RA_COUNT(entries));
    file = facts_file("a.so", &bundle, 1);
    totals = sum(&file, 1);
    cr_assert_eq(totals.target_count, RA_COUNT(entries));
    for (size_t i = 0; i < totals.target_count; i++) {
        char name[16];

        snprintf(name, sizeof(name), "gfx%03zu", i);
        cr_assert_str_eq(totals.targets[i].target, name);
        cr_assert_eq(totals.targets[i].bytes, i + 1);
    }
}

Test(totals, of_nothing_are_nothing)
{
    struct ra_totals totals = sum(NULL, 0);

    cr_assert_eq(totals.target_count, 0);
    cr_assert_eq(totals.with_device_code, 0);
}
