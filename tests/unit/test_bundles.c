/* From bundles to facts: their places, their order, and what damage leaves of them. */

#include "audit/bundles.h"
#include "gen/bundle.h"
#include "gen/code.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MANY = 150 }; /* more than are under way at once */

/* A run of its own: what a file has, without the file. */
struct run {
    struct ra_scan_context context;
    struct ra_arena arena, kernels_arena;
    struct ra_diags diags;
    struct ra_bundles bundles;
};

static void begin(struct run *run, unsigned threads)
{
    *run = (struct run){ .diags = { .arena = &run->arena } };
    run->context =
        (struct ra_scan_context){ .pool = ra_pool_new(threads),
                                  .workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                                  .kernels = true };
    run->bundles = (struct ra_bundles){ .context = &run->context,
                                        .arena = &run->arena,
                                        .kernels_arena = &run->kernels_arena,
                                        .diags = &run->diags };
}

static void end(struct run *run)
{
    ra_bundles_free(&run->bundles);
    ra_pool_free(run->context.pool);
    ra_workspaces_free(run->context.workspaces);
    ra_arena_free(&run->arena);
    ra_arena_free(&run->kernels_arena);
}

static void scan(struct run *run, const struct fx *fx)
{
    struct ra_source source = fx_source(fx);

    cr_assert_eq(ra_bundles_scan(&run->bundles, &source), RA_OK);
}

/* Bundle i has kernel k_i for gfx1030 and gfx90a, and is plain, a CCOB, or another. */
static void add(struct fx *fx, size_t number)
{
    static const char *const targets[] = { "gfx1030", "gfx90a", NULL };
    struct fx content = { 0 };
    char name[16];

    snprintf(name, sizeof(name), "k_%zu", number);
    fx_align(fx, 4096);
    if (number % 3 == 0) {
        fx_hip_bundle(fx, name, targets);
        return;
    }
    fx_hip_bundle(&content, name, targets);
    fx_ccob(fx, &(struct fx_ccob){ .version = number % 3 == 1 ? 3 : 2,
                                   .codec = number % 2 ? FX_ZSTD : FX_ZLIB,
                                   .content = &content });
    fx_free(&content);
}

static void check_bundle(const struct ra_bundle *bundle, size_t number)
{
    static const char *const containers[] = { "plain", "ccob3", "ccob2" };
    char name[16];

    snprintf(name, sizeof(name), "k_%zu", number);
    cr_assert_str_eq(bundle->container, containers[number % 3]);
    cr_assert_eq(bundle->offset % 4096, 0);
    cr_assert(bundle->complete && bundle->has_table);
    cr_assert_eq(bundle->entry_count, 3);
    cr_assert_eq(bundle->entries[0].kind, RA_ENTRY_HOST);
    cr_assert_str_eq(bundle->entries[1].id, FX_HIP("gfx1030"));
    cr_assert_str_eq(bundle->entries[1].elf_target, "gfx1030");
    cr_assert_str_eq(bundle->entries[2].target, "gfx90a");
    cr_assert_eq(bundle->entries[2].kernel_count, 1);
    cr_assert_eq(bundle->kernel_name_count, 1);
    cr_assert_str_eq(bundle->kernel_names[0], name);
    cr_assert_eq(bundle->entries[2].kernels[0].name, 0);
    cr_assert_eq(bundle->entries[2].kernels[0].wave_size, 64);
    cr_assert_eq(bundle->entries[1].kernels[0].wave_size, 32);
}

Test(bundles, come_in_the_order_of_the_file_on_any_number_of_threads)
{
    static const unsigned threads[] = { 1, 2, 8 };
    struct fx fx = { 0 };
    size_t offsets[MANY];

    for (size_t i = 0; i < MANY; i++) {
        fx_align(&fx, 4096);
        offsets[i] = fx.size;
        add(&fx, i);
    }
    for (size_t t = 0; t < RA_COUNT(threads); t++) {
        struct run run;

        begin(&run, threads[t]);
        scan(&run, &fx);
        cr_assert_eq(run.bundles.count, MANY);
        cr_assert_not(run.bundles.damaged);
        cr_assert_eq(run.diags.count, 0);
        for (size_t i = 0; i < MANY; i++) {
            cr_assert_eq(run.bundles.list[i].offset, offsets[i]);
            check_bundle(&run.bundles.list[i], i);
        }
        end(&run);
    }
    fx_free(&fx);
}

/* CCOB v1 does not say how long it is: its payload does, and the next one is found. */
Test(bundles, without_a_size_end_where_their_payload_does)
{
    struct fx fx = { 0 }, content = { 0 };
    struct fx_ccob_at at[2];
    struct run run;

    fx_hip_bundle(&content, "k_add", (const char *const[]){ "gfx90a", NULL });
    for (size_t i = 0; i < 2; i++) {
        fx_align(&fx, 4096);
        at[i] = fx_ccob(&fx, &(struct fx_ccob){ .version = 1,
                                                .codec = i ? FX_ZSTD : FX_ZLIB,
                                                .content = &content });
    }
    begin(&run, 2);
    scan(&run, &fx);
    cr_assert_eq(run.bundles.count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_str_eq(run.bundles.list[i].container, "ccob1");
        cr_assert_eq(run.bundles.list[i].offset, at[i].start);
        cr_assert_eq(run.bundles.list[i].size, at[i].end - at[i].start);
    }
    end(&run);
    fx_free(&fx);
    fx_free(&content);
}

Test(bundles, keep_offsets_of_entries_in_the_expanded_data)
{
    struct fx fx = { 0 }, content = { 0 };
    struct fx code = fx_code_of("gfx90a", "k_add");
    const struct fx_entry entries[] = { { FX_HOST, NULL }, { FX_HIP("gfx90a"), &code } };
    struct fx_bundle_at at =
        fx_bundle(&content, &(struct fx_bundle){ .entries = entries, .count = 2 });
    struct run run;

    fx_ccob(&fx,
            &(struct fx_ccob){ .version = 3, .codec = FX_ZSTD, .content = &content });
    begin(&run, 1);
    scan(&run, &fx);
    cr_assert_eq(run.bundles.list[0].entries[1].offset, at.entry[1].content);
    cr_assert_eq(run.bundles.list[0].entries[1].size, code.size);
    end(&run);
    fx_free(&fx);
    fx_free(&content);
    fx_free(&code);
}

/* ---- damage --------------------------------------------------------------------------
 */

/* Five bundles, the third of which is spoiled by `spoil` before it goes in. */
static void five(struct fx *fx, void (*spoil)(struct fx *bundle))
{
    for (size_t i = 0; i < 5; i++) {
        struct fx bundle = { 0 };

        add(&bundle, i == 2 ? 1 : i); /* 1 is a CCOB v3 */
        if (i == 2)
            spoil(&bundle);
        fx_align(fx, 4096);
        fx_append(fx, &bundle);
        fx_free(&bundle);
    }
}

static void spoil_payload(struct fx *bundle)
{
    fx_poke(bundle, bundle->size - 8, 8, 0x0123456789abcdef);
}

static void spoil_version(struct fx *bundle)
{
    fx_poke(bundle, 4, 2, 9);
}

static void spoil_magic(struct fx *bundle)
{
    fx_poke(bundle, 0, 1, 'X');
}

Test(bundles, damage_to_one_leaves_its_siblings_alone)
{
    static void (*const spoilers[])(struct fx *bundle) = { spoil_payload, spoil_version,
                                                           spoil_magic };

    for (size_t i = 0; i < RA_COUNT(spoilers); i++) {
        struct fx fx = { 0 };
        struct run run;

        five(&fx, spoilers[i]);
        begin(&run, 2);
        scan(&run, &fx);
        cr_assert(run.bundles.damaged || run.diags.errors > 0);
        cr_assert_gt(run.diags.errors, 0);
        cr_assert_geq(run.bundles.count, 2);
        check_bundle(&run.bundles.list[0], 0);
        check_bundle(&run.bundles.list[1], 1);
        /* Where its size can be had, all that follow are found. */
        if (spoilers[i] == spoil_payload) {
            cr_assert_eq(run.bundles.count, 5);
            cr_assert_not(run.bundles.list[2].complete);
            check_bundle(&run.bundles.list[3], 3);
            check_bundle(&run.bundles.list[4], 4);
        }
        end(&run);
        fx_free(&fx);
    }
}

Test(bundles, damage_to_one_entry_leaves_the_others_alone)
{
    struct fx fx = { 0 };
    struct fx good = fx_code_of("gfx1030", "k_add"), bad = { 0 };
    struct fx_code_at at = fx_code(&bad, &(struct fx_code){ .target = "gfx90a" });
    const struct fx_entry entries[] = { { FX_HIP("gfx90a"), &bad },
                                        { FX_HIP("gfx1030"), &good } };
    struct run run;

    fx_poke(&bad, at.note + 4, 4, UINT32_MAX);
    fx_bundle(&fx, &(struct fx_bundle){ .entries = entries, .count = 2 });
    begin(&run, 1);
    scan(&run, &fx);
    cr_assert_eq(run.bundles.count, 1);
    cr_assert(run.bundles.damaged);
    cr_assert_not(run.bundles.list[0].complete);
    cr_assert_not(run.bundles.list[0].entries[0].complete);
    cr_assert_str_eq(run.bundles.list[0].entries[0].elf_target, "gfx90a");
    cr_assert(run.bundles.list[0].entries[1].complete);
    cr_assert_eq(run.bundles.list[0].entries[1].kernel_count, 1);
    cr_assert_eq(run.diags.errors, 1);
    end(&run);
    fx_free(&fx);
    fx_free(&good);
    fx_free(&bad);
}

Test(bundles, a_frame_cut_short_at_any_byte_is_damaged)
{
    struct fx whole = { 0 }, content = { 0 };

    fx_hip_bundle(&content, "k_add", (const char *const[]){ "gfx90a", NULL });
    fx_ccob(&whole,
            &(struct fx_ccob){ .version = 3, .codec = FX_ZSTD, .content = &content });
    for (size_t size = 1; size < whole.size; size++) {
        struct fx fx = { 0 };
        struct run run;

        fx_bytes(&fx, whole.data, size);
        begin(&run, 1);
        scan(&run, &fx);
        cr_assert(run.bundles.damaged || run.diags.errors > 0, "cut to %zu", size);
        end(&run);
        fx_free(&fx);
    }
    fx_free(&whole);
    fx_free(&content);
}

/* ---- the rest of the interface --------------------------------------------------------
 */

Test(bundles, only_the_first_is_scanned_if_one_is_asked_for)
{
    struct fx fx = { 0 };
    struct ra_source source;
    struct run run;

    add(&fx, 0);
    add(&fx, 1);
    source = fx_source(&fx);
    begin(&run, 1);
    cr_assert_eq(ra_bundles_scan_one(&run.bundles, &source), RA_OK);
    cr_assert_eq(run.bundles.count, 1);
    check_bundle(&run.bundles.list[0], 0);
    end(&run);
    fx_free(&fx);
}

Test(bundles, are_met_at_their_offsets_in_any_order)
{
    struct fx fx = { 0 };
    struct run run;

    for (size_t i = 0; i < 6; i++)
        add(&fx, i);
    begin(&run, 1);
    cr_assert_not(ra_bundles_met(&run.bundles, 0));
    scan(&run, &fx);
    for (size_t i = 6; i-- > 0;)
        cr_assert(ra_bundles_met(&run.bundles, run.bundles.list[i].offset));
    for (size_t i = 0; i < 6; i++)
        cr_assert(ra_bundles_met(&run.bundles, run.bundles.list[i].offset));
    cr_assert_not(ra_bundles_met(&run.bundles, 1));
    end(&run);
    fx_free(&fx);
}

Test(bundles, of_archives_are_known_by_their_key)
{
    struct run run;

    begin(&run, 1);
    cr_assert_eq(ra_bundles_add_kpack(&run.bundles, "lib/libfoo.so#3"), RA_OK);
    cr_assert_eq(run.bundles.count, 1);
    cr_assert_not(run.bundles.damaged);
    cr_assert_str_eq(run.bundles.list[0].container, "kpack");
    cr_assert_str_eq(run.bundles.list[0].key, "lib/libfoo.so#3");
    cr_assert(run.bundles.list[0].has_table);
    end(&run);
}

Test(bundles, of_archives_without_a_key_are_not_read)
{
    struct run run;

    begin(&run, 1);
    cr_assert_eq(ra_bundles_add_kpack(&run.bundles, NULL), RA_OK);
    cr_assert(run.bundles.damaged);
    cr_assert_not(run.bundles.list[0].has_table);
    end(&run);
}

Test(bundles, a_code_object_is_a_bundle_of_one_entry)
{
    struct fx fx = { 0 };
    struct ra_source source;
    struct run run;

    fx_code(&fx, &(struct fx_code){ .target = "gfx90a:xnack-" });
    source = fx_source(&fx);
    begin(&run, 1);
    cr_assert_eq(ra_bundles_scan_raw(&run.bundles, &source), RA_OK);
    cr_assert_eq(run.bundles.count, 1);
    cr_assert_str_eq(run.bundles.list[0].container, "raw");
    cr_assert_eq(run.bundles.list[0].entries[0].kind, RA_ENTRY_RAW);
    cr_assert_eq(run.bundles.list[0].entries[0].size, fx.size);
    cr_assert_str_eq(run.bundles.list[0].entries[0].elf_target, "gfx90a:xnack-");
    cr_assert_str_eq(run.bundles.list[0].kernel_names[0], "k_add");
    end(&run);
    fx_free(&fx);
}
