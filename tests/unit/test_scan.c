/* One file: what it is, and whether all of it was understood. */
#include "folder.h"

#include "base/diag.h"
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/host.h"

#include <criterion/criterion.h>
#include <elf.h>

static const struct ra_file *scan(const char *name, bool verify)
{
    const struct ra_report *report = folder_ask(&(struct folder_ask){
        .paths = name, .list = true, .options = { .verify = verify, .kernels = true } });

    return report->file_count ? &report->files[0] : NULL;
}

/* What a reader is told of each fixture, among others; "": nothing. Where damage shows
 * depends on what the flipped byte was: then either of two is right. */
static const struct {
    const char *fixture;
    enum ra_kind kind;
    enum ra_file_status status;
    const char *told;
} rows[] = {
    { "odd-nobits.so", RA_KIND_ELF, RA_FILE_INCOMPLETE, "elf-nobits" },
    { "odd-hipk.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-no-sections.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-llvm-offloading.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-rdc.o", RA_KIND_ELF, RA_FILE_OK, "" },
    { "good-embedded-code.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "good-embedded-bundle.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-wrapper-only.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-unregistered.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-shared-bundle.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-offload-in-rodata.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-misplaced-segment.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-misaligned-segment.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-undefined-stub.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "bad-wrapper-astray.so", RA_KIND_ELF, RA_FILE_INCOMPLETE, "fatbin-unexplained" },
    { "bad-wrapper-nowhere.so", RA_KIND_ELF, RA_FILE_INCOMPLETE, "wrapper-lost" },
    { "odd-big-endian.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-elf32.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-mislabelled.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-empty-entry.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-spirv.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-no-host.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ids.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-backwards.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-packed.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-many-entries.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ccob-skippable-frame.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ccob-three-frames.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ccob-no-content-size.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ccob-wrong-hash.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-ccob-of-raw-elf.fb", RA_KIND_BUNDLE, RA_FILE_OK, "" },
    { "odd-arch-in-triple.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-lost-target.so", RA_KIND_ELF, RA_FILE_OK, "" },
    { "odd-v2-object.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "code-old" },
    { "odd-v2-gfx900.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "" },
    { "odd-version-9.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "code-unknown" },
    { "odd-unknown-processor.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "code-unknown" },
    { "odd-no-metadata.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "" },
    { "odd-not-linked.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "" },
    { "odd-not-hsa.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "" },
    { "odd-relabelled.co", RA_KIND_CODE_OBJECT, RA_FILE_OK, "" },
    { "odd-no-descriptor.co", RA_KIND_CODE_OBJECT, RA_FILE_INCOMPLETE,
      "descriptor-lost" },
    { "bad-descriptor-outside.co", RA_KIND_CODE_OBJECT, RA_FILE_INCOMPLETE,
      "descriptor-lost" },
    { "bad-note-size.co", RA_KIND_CODE_OBJECT, RA_FILE_INCOMPLETE, "note-bad" },
    { "bad-metadata-count.co", RA_KIND_CODE_OBJECT, RA_FILE_INCOMPLETE, "metadata-bad" },
    { "bad-metadata-array.co", RA_KIND_CODE_OBJECT, RA_FILE_INCOMPLETE, "metadata-bad" },
    { "bad-entry-outside.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE,
      "bundle-entry-outside" },
    { "bad-entry-outside.so", RA_KIND_ELF, RA_FILE_INCOMPLETE, "bundle-entry-outside" },
    { "bad-entry-size.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "bundle-entry-outside" },
    { "bad-entry-overlap.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE,
      "bundle-entry-overlap" },
    { "bad-count.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "bundle-limit" },
    { "bad-truncated.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "bundle-entry-outside" },
    { "bad-truncated-table.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE,
      "bundle-truncated bundle-entry-outside" },
    { "bad-noise-after-bundle.so", RA_KIND_ELF, RA_FILE_INCOMPLETE,
      "fatbin-unexplained" },
    { "bad-sections-outside.so", RA_KIND_ELF, RA_FILE_INCOMPLETE, "elf-bad" },
    { "bad-ccob-flipped.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE,
      "payload-damaged payload-size" },
    { "bad-ccob-size.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "payload-size" },
    { "bad-ccob-total.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "ccob-bad" },
    { "bad-ccob-version.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "ccob-unknown" },
    { "bad-ccob-method.fb", RA_KIND_BUNDLE, RA_FILE_INCOMPLETE, "ccob-unknown" },
};

static bool is_told(const struct ra_file *file, const char *names)
{
    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next)
        if (strstr(names, diag->name))
            return true;
    return *names == '\0' && !file->diags;
}

Test(scan, says_of_each_fixture_what_it_is_and_what_is_wrong, .init = folder_make,
     .fini = folder_remove)
{
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const struct ra_file *file;

        folder_fixture("file", rows[i].fixture);
        file = scan("file", false);
        cr_assert_not_null(file, "%s", rows[i].fixture);
        cr_expect_eq(file->kind, rows[i].kind, "%s is %s", rows[i].fixture,
                     ra_kind_name(file->kind));
        cr_expect_eq(file->status, rows[i].status, "%s: %d", rows[i].fixture,
                     file->status);
        cr_expect(is_told(file, rows[i].told), "%s: %s", rows[i].fixture,
                  file->diags ? file->diags->name : "nothing");
    }
}

/* Digests are compared where that is asked for, since no runtime does. */
Test(scan, checks_digests_if_it_is_asked_to, .init = folder_make, .fini = folder_remove)
{
    folder_fixture("wrong", "odd-ccob-wrong-hash.fb");
    folder_fixture("right", "good-ccob-v3-zstd.fb");
    cr_assert_eq(scan("wrong", false)->status, RA_FILE_OK);
    cr_assert_eq(scan("wrong", true)->status, RA_FILE_INCOMPLETE);
    cr_assert_str_eq(scan("wrong", true)->diags->name, "payload-digest");
    cr_assert_eq(scan("right", true)->status, RA_FILE_OK);
}

/* A bundle whose code for gfx1030 has one byte of its machine code flipped. */
Test(scan, a_flip_in_code_is_seen_by_the_digest_alone, .init = folder_make,
     .fini = folder_remove)
{
    struct fx code = { 0 }, bundle = { 0 }, fx = { 0 };
    struct fx_code_at at = fx_code(&code, &(struct fx_code){ .target = "gfx90a" });
    const struct fx_entry entry = { FX_HIP("gfx90a"), &code };
    struct fx_bundle_at in =
        fx_bundle(&bundle, &(struct fx_bundle){ .entries = &entry, .count = 1 });
    struct fx_ccob_at packed = fx_ccob(
        &fx, &(struct fx_ccob){ .version = 3, .codec = FX_STORED, .content = &bundle });
    size_t size = packed.end - packed.payload, where;

    /* A stored frame holds the bytes as they are, behind its own heads. */
    where = packed.end - bundle.size + in.entry[0].content + at.text;
    cr_assert_lt(bundle.size, size);
    cr_assert_eq(fx_peek(&fx, where, 4), fx_peek(&code, at.text, 4));
    fx_poke(&fx, where, 1, ~fx_peek(&fx, where, 1));
    folder_save("flipped", &fx);
    cr_assert_eq(scan("flipped", false)->status, RA_FILE_OK);
    cr_assert_str_eq(scan("flipped", true)->diags->name, "payload-digest");
    fx_free(&code);
    fx_free(&bundle);
    fx_free(&fx);
}

/* ---- wrappers ------------------------------------------------------------------------
 */

static struct fx_host_at save_host(struct fx_host spec)
{
    struct fx fx = { 0 }, fatbin = { 0 };
    static const uint64_t start[] = { 0 };
    struct fx_host_at at;

    fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ "gfx90a", NULL });
    if (!spec.fatbin)
        spec.fatbin = &fatbin;
    if (!spec.wrapped) {
        spec.wrapped = start;
        spec.wrapper_count = 1;
    }
    at = fx_host(&fx, &spec);
    folder_save("host.so", &fx);
    fx_free(&fx);
    fx_free(&fatbin);
    return at;
}

/* HIP goes by the wrapper, so a bundle in a section of another name is found as well. */
Test(scan, follows_wrappers_out_of_the_section, .init = folder_make,
     .fini = folder_remove)
{
    static const enum fx_pointer pointers[] = { FX_POINTER_IN_PLACE, FX_POINTER_RELATIVE,
                                                FX_POINTER_SYMBOL };

    for (size_t i = 0; i < RA_COUNT(pointers); i++) {
        struct fx_host_at at = save_host(
            (struct fx_host){ .fatbin_name = ".data.rel.ro", .pointer = pointers[i] });
        const struct ra_file *file = scan("host.so", false);

        cr_assert_eq(file->status, RA_FILE_OK);
        cr_assert_eq(file->bundle_count, 1);
        cr_assert_eq(file->bundles[0].offset, at.fatbin - at.start);
        cr_assert_str_eq(file->bundles[0].entries[1].target, "gfx90a");
    }
}

Test(scan, a_wrapper_that_leads_to_no_bundle_is_lost, .init = folder_make,
     .fini = folder_remove)
{
    static const uint64_t past_all[] = { 0, 1 << 20 };
    static const uint64_t inside[] = { 0, 64 };
    const struct ra_file *file;

    save_host((struct fx_host){
        .wrapped = past_all, .wrapper_count = 2, .pointer = FX_POINTER_RELATIVE });
    file = scan("host.so", false);
    cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
    cr_assert_str_eq(file->diags->name, "wrapper-lost");
    save_host((struct fx_host){
        .wrapped = inside, .wrapper_count = 2, .pointer = FX_POINTER_RELATIVE });
    file = scan("host.so", false);
    cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
    cr_assert_not_null(file->diags);
}

/* The bundle in the section is none that the wrapper leads to, so HIP does not find it.
 */
Test(scan, a_bundle_makes_up_for_no_wrapper_that_is_lost, .init = folder_make,
     .fini = folder_remove)
{
    static const enum fx_pointer pointers[] = { FX_POINTER_IN_PLACE, FX_POINTER_RELATIVE,
                                                FX_POINTER_SYMBOL };
    static const uint64_t past_all = 1 << 20;

    for (size_t i = 0; i < RA_COUNT(pointers); i++) {
        const struct ra_file *file;

        save_host((struct fx_host){
            .wrapped = &past_all, .wrapper_count = 1, .pointer = pointers[i] });
        file = scan("host.so", false);
        cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
        cr_assert_eq(file->bundle_count, 1);
        cr_assert_eq(file->layout.lost, 1);
        cr_assert_str_eq(file->diags->name, "wrapper-lost");
        cr_assert_eq(folder_exit("gfx90a", "host.so"), 2);
    }
}

/* HIP takes version 1 of its two magics, and nothing else; zeros are padding. */
Test(scan, a_wrapper_that_hip_does_not_take_is_lost, .init = folder_make,
     .fini = folder_remove)
{
    static const uint64_t starts[] = { 0, 0 };
    static const struct {
        uint32_t magic, version;
        bool padding;
    } wrappers[] = { { 0x48495046, 2, false },
                     { 0x48495046, 0, false },
                     { 0x12345678, 1, false },
                     { 0, 0, true } };

    for (size_t i = 0; i < RA_COUNT(wrappers); i++) {
        struct fx fx = { 0 }, fatbin = { 0 };
        struct fx_host_at at;

        fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ "gfx90a", NULL });
        at = fx_host(&fx, &(struct fx_host){
                              .fatbin = &fatbin, .wrapped = starts, .wrapper_count = 2 });
        fx_poke(&fx, at.wrappers + 24, 4, wrappers[i].magic);
        fx_poke(&fx, at.wrappers + 28, 4, wrappers[i].version);
        if (wrappers[i].padding)
            fx_poke(&fx, at.wrappers + 32, 8, 0);
        folder_save("host.so", &fx);
        cr_assert_eq(scan("host.so", false)->layout.lost, !wrappers[i].padding,
                     "wrapper %zu", i);
        cr_assert_eq(folder_exit("gfx90a", "host.so"), wrappers[i].padding ? 0 : 2,
                     "wrapper %zu", i);
        fx_free(&fx);
        fx_free(&fatbin);
    }
}

/* A null that a relocation writes is the start of the file, where no bundle is. */
Test(scan, a_relocation_to_address_zero_is_one, .init = folder_make,
     .fini = folder_remove)
{
    static const uint64_t start = 0;
    struct fx fx = { 0 }, fatbin = { 0 };
    const struct ra_file *file;
    struct fx_host_at at;

    fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ "gfx90a", NULL });
    at = fx_host(&fx, &(struct fx_host){ .fatbin = &fatbin,
                                         .wrapped = &start,
                                         .wrapper_count = 1,
                                         .pointer = FX_POINTER_RELATIVE });
    fx_poke(&fx, at.relocations + 16, 8, 0); /* r_addend */
    folder_save("host.so", &fx);
    file = scan("host.so", false);
    cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
    cr_assert_eq(file->layout.lost, 1);
    cr_assert_eq(folder_exit("gfx90a", "host.so"), 2);
    fx_free(&fx);
    fx_free(&fatbin);
}

Test(scan, wrappers_may_share_a_bundle, .init = folder_make, .fini = folder_remove)
{
    static const uint64_t shared[] = { 0, 0, 0 };
    const struct ra_file *file;

    save_host((struct fx_host){
        .wrapped = shared, .wrapper_count = 3, .pointer = FX_POINTER_RELATIVE });
    file = scan("host.so", false);
    cr_assert_eq(file->status, RA_FILE_OK);
    cr_assert_eq(file->bundle_count, 1);
}

/* Magic numbers of wrappers are HIPF or HIPK; any other is registered by nobody we know.
 */
Test(scan, an_unknown_wrapper_without_a_bundle_is_lost, .init = folder_make,
     .fini = folder_remove)
{
    struct fx empty = { 0 };
    const struct ra_file *file;

    fx_pad(&empty, 64);
    save_host((struct fx_host){ .magic = 0x48495058,
                                .fatbin = &empty,
                                .fatbin_name = ".data.rel.ro",
                                .pointer = FX_POINTER_RELATIVE });
    file = scan("host.so", false);
    cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
    cr_assert_str_eq(file->diags->name, "wrapper-lost");
    fx_free(&empty);
}

/* A library with `count` times the same bytes as its data. */
static const struct ra_file *scan_repeated(const char *unit, size_t size, size_t count)
{
    struct fx data = { 0 }, fx = { 0 };
    const struct fx_extra extra = { .name = ".data.rel.ro",
                                    .flags = SHF_ALLOC,
                                    .content = &data };

    for (size_t i = 0; i < count; i++)
        fx_bytes(&data, unit, size);
    fx_host(&fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
    folder_save("host.so", &fx);
    fx_free(&data);
    fx_free(&fx);
    return scan("host.so", false);
}

/* What is more than a magic costs a look, and looks are counted. */
Test(scan, stops_at_data_that_looks_like_code_too_often, .init = folder_make,
     .fini = folder_remove)
{
    static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
    const struct ra_file *file;

    cr_assert_null(scan_repeated("\177ELF", 4, 70000));
    cr_assert_null(scan_repeated(magic, 24, 1000));
    file = scan_repeated(magic, 24, 70000);
    cr_assert_not_null(file);
    cr_assert_eq(file->status, RA_FILE_INCOMPLETE);
    cr_assert_str_eq(file->diags->name, "limit");
    cr_assert_eq(folder_exit("gfx90a", "host.so"), 2);
}

/* Sections of OffloadBinary are known by name as well as by type, whatever is in them. */
Test(scan, sections_of_offload_binary_are_never_overlooked, .init = folder_make,
     .fini = folder_remove)
{
    static const char *const names[] = { ".llvm.offloading", ".llvm.offloading.x" };
    static const char noise[] = "this is no blob of anything, nor is it nothing at all";

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct fx content = { 0 }, fx = { 0 };
        const struct fx_extra extra = { .name = names[i], .content = &content };

        fx_bytes(&content, noise, sizeof(noise));
        fx_host(&fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
        folder_save("host.so", &fx);
        cr_assert_not_null(scan("host.so", false), "%s", names[i]);
        cr_assert_str_eq(scan("host.so", false)->diags->name, "fatbin-unexplained");
        cr_assert_eq(folder_exit("gfx90a", "host.so"), 2);
        fx_free(&content);
        fx_free(&fx);
    }
}

/* ---- the CPU that host code needs ----------------------------------------------------
 */

/* As gcc writes it with -march=x86-64-v3 -mneeded. */
static const uint8_t needs_v3[] = { 4, 0,   0,   0,   16, 0, 0,    0, 5,    0, 0,
                                    0, 'G', 'N', 'U', 0,  2, 0x80, 0, 0xc0, 4, 0,
                                    0, 0,   7,   0,   0,  0, 0,    0, 0,    0 };

static const struct ra_file *scan_marked(const struct fx *note, struct fx_host host)
{
    const struct fx_extra extra = { .name = ".note.gnu.property",
                                    .type = SHT_NOTE,
                                    .flags = SHF_ALLOC,
                                    .content = note };

    host.extra = &extra;
    host.extra_count = 1;
    save_host(host);
    return scan("host.so", false);
}

Test(scan, a_mark_tells_the_cpu_that_host_code_needs, .init = folder_make,
     .fini = folder_remove)
{
    struct fx note = { 0 };

    save_host((struct fx_host){ .pointer = FX_POINTER_RELATIVE });
    cr_assert_eq(scan("host.so", false)->host_isa, 0);
    fx_bytes(&note, needs_v3, sizeof(needs_v3));
    cr_assert_eq(
        scan_marked(&note, (struct fx_host){ .pointer = FX_POINTER_RELATIVE })->host_isa,
        3);
    cr_assert_eq(scan_marked(&note, (struct fx_host){ .relocatable = true })->host_isa,
                 3);
    cr_assert_eq(scan_marked(&note, (struct fx_host){ .machine = EM_AARCH64 })->host_isa,
                 0);
    fx_free(&note);
}

/* No device code is in it, so that none can have been overlooked. */
Test(scan, a_damaged_mark_is_no_mark_and_no_fault, .init = folder_make,
     .fini = folder_remove)
{
    for (size_t size = 0; size < sizeof(needs_v3); size++) {
        struct fx note = { 0 };
        const struct ra_file *file;

        fx_bytes(&note, needs_v3, size);
        file = scan_marked(&note, (struct fx_host){ .pointer = FX_POINTER_RELATIVE });
        cr_expect_eq(file->host_isa, 0, "%zu bytes", size);
        cr_expect_eq(file->status, RA_FILE_OK);
        cr_expect_null(file->diags);
        fx_free(&note);
    }
}

/* ---- the compiler of device code -----------------------------------------------------
 */

/* The report drops kernels where nobody asked for them: the text must outlive those. */
Test(scan, the_compiler_is_told_with_kernels_and_without, .init = folder_make,
     .fini = folder_remove)
{
    static const char strings[] = "clang version 3.5 (x)";
    const struct ra_report *report;
    struct fx fx = { 0 }, comment = { 0 };

    fx_bytes(&comment, strings, sizeof(strings));
    fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .comment = &comment });
    folder_save("code.co", &fx);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a" });
    cr_assert_null(report->files[0].bundles[0].entries[0].kernels);
    cr_assert_str_eq(report->files[0].bundles[0].entries[0].code.compiler, "clang 3.5");
    cr_assert_str_eq(scan("code.co", false)->bundles[0].entries[0].code.compiler,
                     "clang 3.5");
    fx_free(&fx);
    fx_free(&comment);
}

/* ---- names ---------------------------------------------------------------------------
 */

Test(scan, shows_names_escaped_and_keeps_them_raw, .init = folder_make,
     .fini = folder_remove)
{
    static const char *const names[] = { "line\nbreak.so", "escape\033[31mred.so",
                                         "not-utf8-\xff\xfe.so" };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        const struct ra_report *report;
        const struct ra_file *file;

        folder_fixture(names[i], "good-two-targets.so");
        report = folder_ask(&(struct folder_ask){ .list = true });
        file = folder_file(report, names[i]);
        for (const char *byte = file->path; *byte; byte++)
            cr_assert(*byte >= ' ' && *byte != 0x7f, "%s", file->path);
    }
}

/* Intel's compiler names sections after entry IDs as well. */
Test(scan, code_for_other_vendors_is_none_of_ours, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;

    folder_fixture("a.o", "good-sycl-object.o");
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a" });
    cr_assert_eq(report->totals.incomplete, 0);
    cr_assert_eq(report->totals.by_kind[RA_KIND_ELF], 1);
    cr_assert_eq(report->file_count, 0);
}
