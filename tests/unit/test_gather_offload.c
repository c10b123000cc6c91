/* From blobs to bundles: one a language, whatever damage and whoever else is in them. */
#include "audit/gather_offload.h"

#include "codec/expanded.h"
#include "gen/code.h"
#include "gen/offload.h"
#include "gen/recipes.h"

#include <criterion/criterion.h>

struct run {
    struct ra_scan_context context;
    struct ra_arena arena, kernels_arena;
    struct ra_diags diags;
    struct ra_bundles bundles;
};

static void begin(struct run *run)
{
    *run = (struct run){ .diags = { .arena = &run->arena } };
    run->context =
        (struct ra_scan_context){ .pool = ra_pool_new(1),
                                  .workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                                  .kernels = true };
    run->bundles = (struct ra_bundles){ .context = &run->context,
                                        .arena = &run->arena,
                                        .kernels_arena = &run->kernels_arena,
                                        .diags = &run->diags };
}

static void scan(struct run *run, const struct fx *fx)
{
    struct ra_source source = fx_source(fx);

    begin(run);
    cr_assert_eq(ra_bundles_scan_offload(&run->bundles, &source), RA_OK);
}

static void end(struct run *run)
{
    ra_bundles_free(&run->bundles);
    ra_pool_free(run->context.pool);
    ra_workspaces_free(run->context.workspaces);
    ra_arena_free(&run->arena);
    ra_arena_free(&run->kernels_arena);
}

static const struct ra_bundle *bundle_at(const struct run *run, size_t number,
                                         size_t entries)
{
    const struct ra_bundle *bundle = &run->bundles.list[number];

    cr_assert_lt(number, run->bundles.count);
    cr_assert_str_eq(bundle->container, "offload-binary");
    cr_assert_eq(bundle->entry_count, entries);
    return bundle;
}

static void assert_code(const struct ra_entry *entry, const char *id, const char *target)
{
    cr_assert_str_eq(entry->id, id);
    cr_assert_str_eq(entry->target, target);
    cr_assert_str_eq(entry->label.processor, target);
    cr_assert_eq(entry->content, RA_CONTENT_CODE_OBJECT);
    cr_assert_str_eq(entry->elf_target, target);
    cr_assert(entry->complete);
    cr_assert_eq(entry->kernel_count, 1);
}

/* A blob of version 1 for each target, or one of `version` for all. */
static void build(struct fx *fx, unsigned version, bool compressed, enum fx_codec codec)
{
    static const char *const targets[] = { "gfx1030", "gfx90a" };
    struct fx code[2];
    struct fx_image images[2];

    for (size_t i = 0; i < 2; i++) {
        code[i] = fx_code_of(targets[i], "k_add");
        images[i] = (struct fx_image){ .producer = FX_OPENMP,
                                       .arch = targets[i],
                                       .content = &code[i] };
        if (version == 1)
            fx_offload(fx, &(struct fx_offload){ .images = &images[i], .count = 1 });
    }
    if (version > 1)
        fx_offload(fx, &(struct fx_offload){ .version = version,
                                             .images = images,
                                             .count = 2,
                                             .compressed = compressed,
                                             .codec = codec });
    fx_free(&code[0]);
    fx_free(&code[1]);
}

Test(gather_offload, images_of_all_blobs_are_alternatives_in_one_bundle)
{
    for (unsigned way = 0; way < 5; way++) {
        struct fx fx = { 0 };
        struct run run;
        const struct ra_bundle *bundle;

        build(&fx, way < 3 ? way + 1 : 3, way >= 3, way == 3 ? FX_ZLIB : FX_ZSTD);
        scan(&run, &fx);
        cr_assert_eq(run.bundles.count, 1);
        cr_assert_not(run.bundles.damaged);
        cr_assert_eq(run.diags.count, 0);
        bundle = bundle_at(&run, 0, 2);
        cr_assert(bundle->has_table && bundle->complete);
        cr_assert_eq(bundle->offset, 0);
        cr_assert_eq(bundle->size + 7 - (bundle->size + 7) % 8, fx.size);
        assert_code(&bundle->entries[0], "openmp-amdgcn-amd-amdhsa--gfx1030", "gfx1030");
        assert_code(&bundle->entries[1], "openmp-amdgcn-amd-amdhsa--gfx90a", "gfx90a");
        cr_assert_eq(bundle->kernel_name_count, 1);
        for (size_t i = 0; i < 2; i++) {
            const struct ra_entry *entry = &bundle->entries[i];

            cr_assert_eq(entry->kind, RA_ENTRY_OPENMP);
            cr_assert_eq(entry->is_packed, way >= 3);
            if (way < 3)
                cr_assert_eq(fx_peek(&fx, entry->offset, 4), 0x464c457f, "%u", way);
        }
        end(&run);
        fx_free(&fx);
    }
}

Test(gather_offload, bundles_are_by_language_and_none_is_for_others_only)
{
    struct fx fx = fx_make("odd-offload-mixed.bin");
    struct run run;
    const struct ra_bundle *hip, *openmp;

    scan(&run, &fx);
    cr_assert_eq(run.bundles.count, 2, "CUDA has no code of AMD, SYCL none at all");
    cr_assert_not(run.bundles.damaged);
    hip = bundle_at(&run, 0, 1);
    cr_assert_eq(hip->entries[0].kind, RA_ENTRY_HIP);
    assert_code(&hip->entries[0], "hip-amdgcn-amd-amdhsa--gfx90a", "gfx90a");
    cr_assert_str_eq(hip->kernel_names[0], "k_mul");
    openmp = bundle_at(&run, 1, 2);
    cr_assert_eq(openmp->entries[0].kind, RA_ENTRY_OTHER);
    cr_assert_eq(openmp->entries[0].content, RA_CONTENT_OTHER);
    cr_assert_str_eq(openmp->entries[0].id, "openmp-nvptx64-nvidia-cuda--sm_80");
    assert_code(&openmp->entries[1], "openmp-amdgcn-amd-amdhsa--gfx90a", "gfx90a");
    cr_assert_str_eq(openmp->kernel_names[0], "k_add");
    end(&run);
    fx_free(&fx);
}

Test(gather_offload, offsets_count_from_the_bundle_in_a_section_too)
{
    struct fx fx = { 0 };
    struct ra_source source;
    struct run run;
    const struct ra_bundle *bundle;

    fx_pad(&fx, 160);
    build(&fx, 1, false, FX_ZLIB);
    source = fx_source(&fx);
    source = ra_source_from(&source, 64); /* a section, and 96 zeros at its start */
    begin(&run);
    cr_assert_eq(ra_bundles_scan_offload(&run.bundles, &source), RA_OK);
    bundle = bundle_at(&run, 0, 2);
    cr_assert_eq(bundle->offset, 160);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(fx_peek(&fx, bundle->offset + bundle->entries[i].offset, 4),
                     0x464c457f);
    end(&run);
    fx_free(&fx);
}

/* What a text claims of itself does not reach a terminal as it is. */
Test(gather_offload, names_are_escaped)
{
    struct fx fx = { 0 }, code = fx_code_of("gfx90a", "k_add");
    const struct fx_image image = { .producer = FX_OPENMP,
                                    .arch = "gfx\033[31m",
                                    .content = &code };
    struct run run;
    const struct ra_entry *entry;

    fx_offload(&fx, &(struct fx_offload){ .images = &image, .count = 1 });
    scan(&run, &fx);
    entry = bundle_at(&run, 0, 1)->entries;
    cr_assert_null(strchr(entry->id, '\033'));
    cr_assert_null(strchr(entry->target, '\033'));
    cr_assert_str_eq(entry->label.processor, "");
    cr_assert_str_eq(entry->elf_target, "gfx90a");
    end(&run);
    fx_free(&fx);
    fx_free(&code);
}

/* ---- damage ---------------------------------------------------------------------- */

Test(gather_offload, damage_to_a_blob_leaves_no_bundle_whole)
{
    static const char *const names[] = {
        "bad-offload-version.bin",        "bad-offload-size.bin",
        "bad-offload-count.bin",          "bad-offload-image-outside.bin",
        "bad-offload-string-outside.bin", "bad-offload-overlap.bin",
        "bad-offload-truncated.bin",      "bad-offload-flipped.bin",
        "bad-offload-expanded.bin",       "bad-offload-bomb.bin",
    };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct fx fx = fx_make(names[i]);
        struct run run;

        scan(&run, &fx);
        cr_assert(run.bundles.damaged, "%s", names[i]);
        cr_assert_eq(run.diags.errors, 1, "%s", names[i]);
        cr_assert_eq(run.bundles.count, 1, "%s", names[i]);
        cr_assert_not(run.bundles.list[0].has_table, "%s", names[i]);
        cr_assert_not(run.bundles.list[0].complete, "%s", names[i]);
        end(&run);
        fx_free(&fx);
    }
}

Test(gather_offload, damage_to_an_image_leaves_the_others_alone)
{
    struct fx fx = { 0 };
    struct fx good = fx_code_of("gfx1030", "k_add"), bad = { 0 };
    struct fx_code_at at = fx_code(&bad, &(struct fx_code){ .target = "gfx90a" });
    const struct fx_image images[] = {
        { .producer = FX_OPENMP, .arch = "gfx90a", .content = &bad },
        { .producer = FX_OPENMP, .arch = "gfx1030", .content = &good },
    };
    struct run run;
    const struct ra_bundle *bundle;

    fx_poke(&bad, at.note + 4, 4, UINT32_MAX);
    fx_offload(&fx, &(struct fx_offload){ .version = 2, .images = images, .count = 2 });
    scan(&run, &fx);
    cr_assert(run.bundles.damaged);
    bundle = bundle_at(&run, 0, 2);
    cr_assert(bundle->has_table);
    cr_assert_not(bundle->complete);
    cr_assert_not(bundle->entries[0].complete);
    assert_code(&bundle->entries[1], "openmp-amdgcn-amd-amdhsa--gfx1030", "gfx1030");
    end(&run);
    fx_free(&fx);
    fx_free(&good);
    fx_free(&bad);
}

Test(gather_offload, a_file_cut_at_any_byte_is_damaged)
{
    struct fx whole = { 0 };

    build(&whole, 1, false, FX_ZLIB);
    for (size_t size = 1; size < whole.size; size += size < 200 ? 1 : 97) {
        struct fx fx = { 0 };
        struct run run;
        uint64_t first = fx_peek(&whole, 8, 8);

        fx_bytes(&fx, whole.data, size);
        scan(&run, &fx);
        cr_assert(size == first || run.bundles.damaged, "cut to %zu", size);
        end(&run);
        fx_free(&fx);
    }
    fx_free(&whole);
}

/* ---- forward --------------------------------------------------------------------- */

/* Blobs, compressed or not, in what is decoded forward: each is met, and each once. */
Test(gather_offload, blobs_in_a_forward_source_are_read)
{
    struct fx fx = { 0 }, outer = { 0 };
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_expanded *expanded;
    struct ra_source payload, content;
    struct run run;

    for (size_t i = 0; i < 20; i++)
        build(&fx, 1 + (unsigned)i % 3, i % 3 == 2, i % 2 ? FX_ZLIB : FX_ZSTD);
    fx_compress(&outer, &(struct fx_ccob){ .codec = FX_ZSTD, .content = &fx });
    payload = fx_source(&outer);
    begin(&run);
    cr_assert_eq(ra_expanded_open(&payload,
                                  &(struct ra_expand){ .codec = RA_CODEC_ZSTD,
                                                       .size = fx.size,
                                                       .whole = 1,
                                                       .workspaces = workspaces },
                                  &run.diags, &expanded),
                 RA_OK);
    content = ra_expanded_source(expanded);
    cr_assert(ra_source_is_forward(&content));
    cr_assert_eq(ra_bundles_scan_offload(&run.bundles, &content), RA_OK);
    cr_assert_eq(run.diags.count, 0);
    cr_assert_not(run.bundles.damaged);
    cr_assert_eq(bundle_at(&run, 0, 40)->kernel_name_count, 1);
    for (size_t i = 0; i < 40; i++)
        cr_assert(run.bundles.list[0].entries[i].complete);
    ra_expanded_close(expanded);
    end(&run);
    ra_workspaces_free(workspaces);
    fx_free(&fx);
    fx_free(&outer);
}
