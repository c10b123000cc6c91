/* From options to a report, over files as they lie on a disk. */
#include "folder.h"

#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/host.h"
#include "gen/kpak.h"
#include "gen/recipes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static const char *const formats[] = { "json", "jsonl", "text" };

/* An answer without the time it took, which text tells. */
static const char *answer(const struct ra_report *report, const char *format)
{
    struct ra_report timeless = *report;

    timeless.totals.seconds = 0;
    return folder_text(&timeless, format);
}

/* Everything there is, but for what takes seconds. */
static void make_all(void)
{
    size_t count;
    const struct fx_recipe *recipes = fx_recipes(&count);

    folder_make();
    for (size_t i = 0; i < count; i++)
        if (strcmp(recipes[i].name, "odd-ccob-v2-wrapped.fb") != 0)
            folder_fixture(recipes[i].name, recipes[i].name);
}

static const struct ra_report *audit_all(unsigned threads, bool kernels)
{
    return folder_ask(&(struct folder_ask){
        .gpus = "gfx90a gfx1030 gfx1100",
        .options = { .threads = threads, .kernels = kernels, .verify = true } });
}

Test(rocaudit, any_number_of_threads_gives_the_same_bytes, .init = make_all,
     .fini = folder_remove)
{
    static const unsigned threads[] = { 2, 3, 8, 0 };
    const struct ra_report *one = audit_all(1, true);

    cr_assert_gt(one->file_count, 60);
    for (size_t i = 0; i < RA_COUNT(threads); i++) {
        const struct ra_report *many = audit_all(threads[i], true);

        cr_assert_eq(many->exit, one->exit);
        for (size_t j = 0; j < RA_COUNT(formats); j++)
            cr_assert_str_eq(answer(many, formats[j]), answer(one, formats[j]),
                             "-j%u in %s", threads[i], formats[j]);
    }
}

Test(rocaudit, two_runs_give_the_same_bytes, .init = make_all, .fini = folder_remove)
{
    const struct ra_report *first = audit_all(4, false), *second = audit_all(4, false);

    for (size_t j = 0; j < RA_COUNT(formats); j++)
        cr_assert_str_eq(answer(first, formats[j]), answer(second, formats[j]));
}

Test(rocaudit, keeping_kernels_changes_no_verdict, .init = make_all,
     .fini = folder_remove)
{
    const struct ra_report *with = audit_all(2, true), *without = audit_all(2, false);

    cr_assert_eq(with->file_count, without->file_count);
    cr_assert_eq(with->finding_count, without->finding_count);
    for (size_t i = 0; i < with->file_count; i++)
        for (size_t j = 0; j < with->files[i].verdict_count; j++) {
            const struct ra_verdict *a = &with->files[i].verdicts[j];
            const struct ra_verdict *b = &without->files[i].verdicts[j];

            cr_assert_eq(a->kind, b->kind, "%s", with->files[i].path);
            cr_assert_eq(a->kernels_missing, b->kernels_missing);
        }
    for (size_t i = 0; i < without->file_count; i++)
        for (size_t j = 0; j < without->files[i].bundle_count; j++)
            cr_assert_null(without->files[i].bundles[j].kernel_names);
}

Test(rocaudit, an_incomplete_file_fits_no_gpu, .init = make_all, .fini = folder_remove)
{
    const struct ra_report *report = audit_all(2, false);
    size_t incomplete = 0;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (file->status == RA_FILE_OK)
            continue;
        incomplete++;
        cr_assert_eq(file->verdict_count, 3);
        for (size_t j = 0; j < file->verdict_count; j++)
            cr_assert_geq(file->verdicts[j].kind, RA_UNDECIDED, "%s", file->path);
    }
    cr_assert_eq(report->totals.incomplete, incomplete);
    cr_assert_gt(incomplete, 20);
}

/* A damaged input must be told of: what is "bad" is incomplete, and says why. */
Test(rocaudit, every_bad_fixture_is_incomplete_and_says_why, .init = make_all,
     .fini = folder_remove)
{
    const struct ra_report *report = audit_all(2, false);
    size_t count, bad = 0;
    const struct fx_recipe *recipes = fx_recipes(&count);

    for (size_t i = 0; i < count; i++) {
        const struct ra_file *file;

        if (strncmp(recipes[i].name, "bad-", 4) != 0)
            continue;
        file = folder_file(report, recipes[i].name);
        cr_assert_eq(file->status, RA_FILE_INCOMPLETE, "%s", recipes[i].name);
        cr_assert_not_null(file->diags, "%s", recipes[i].name);
        cr_assert_eq(file->diags->severity, RA_ERROR, "%s", recipes[i].name);
        bad++;
    }
    cr_assert_gt(bad, 20);
}

Test(rocaudit, no_good_fixture_has_anything_wrong_with_it, .init = make_all,
     .fini = folder_remove)
{
    const struct ra_report *report = audit_all(2, false);

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (!strstr(file->path, "/good-"))
            continue;
        cr_assert_eq(file->status, RA_FILE_OK, "%s", file->path);
        cr_assert_null(file->diags, "%s", file->path);
        cr_assert_gt(file->bundle_count, 0, "%s", file->path);
    }
}

/* ---- one file under several names ------------------------------------------------- */

Test(rocaudit, hard_links_and_links_are_further_paths_of_one_file, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;
    const struct ra_file *file;

    folder_fixture("a/lib.so.1.2", "good-two-targets.so");
    cr_assert_eq(link(folder_name("a/lib.so.1.2"), folder_name("a/hard.so")), 0);
    cr_assert_eq(symlink("lib.so.1.2", folder_name("a/lib.so.1")), 0);
    cr_assert_eq(symlink("lib.so.1", folder_name("a/lib.so")), 0);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx1100" });
    cr_assert_eq(report->file_count, 1);
    cr_assert_eq(report->totals.files, 1);
    cr_assert_eq(report->finding_count, 1);
    file = &report->files[0];
    cr_assert_eq(file->path_count, 3);
    cr_assert_str_eq(file->path, folder_name("a/hard.so"));
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = { "a/lib.so", "a/lib.so.1", "a/lib.so.1.2" };
        size_t found = 0;

        for (size_t j = 0; j < 3; j++)
            found += strcmp(file->paths[j], folder_name(names[i])) == 0;
        cr_assert_eq(found, 1, "%s", names[i]);
    }
}

Test(rocaudit, links_to_folders_are_entered_only_if_named, .init = folder_make,
     .fini = folder_remove)
{
    folder_fixture("real/a.so", "good-two-targets.so");
    folder_write("tree/text", "x");
    cr_assert_eq(symlink("../real", folder_name("tree/link")), 0);
    cr_assert_eq(symlink("loop", folder_name("tree/loop")), 0);
    cr_assert_eq(symlink("nowhere", folder_name("tree/dangling")), 0);
    cr_assert_eq(folder_exit("gfx90a", "tree"), 2);
    cr_assert_eq(folder_exit("gfx90a", "tree/link"), 0);
}

/* ---- what is no device code -------------------------------------------------------- */

static const struct ra_report *audit_one(const char *name)
{
    return folder_ask(&(struct folder_ask){ .gpus = "gfx90a", .paths = name });
}

Test(rocaudit, files_without_device_code_are_counted_by_why, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;

    folder_fixture("tree/host.so", "good-host-only.so");
    folder_fixture("tree/magic.so", "good-magic-in-rodata.so");
    folder_fixture("tree/cuda.so", "good-cuda-only.so");
    folder_fixture("tree/libhsa-runtime64.so.1.13", "good-magic-in-rodata.so");
    folder_write("tree/data.zip", "PK\3\4 and so on");
    folder_write("tree/lib.a", "!<arch>\n");
    folder_write("tree/log.gz", "\x1f\x8b\x08 and so on");
    folder_fixture("tree/x.dll", "good-windows-host-only.dll");
    folder_write("tree/x.com", "MZ\x90 and so on");
    folder_write("tree/notes.txt", "__CLANG_OFFLOAD_BUNDLE_ is no magic, FPIH neither");
    folder_write("tree/empty", "");
    report = audit_one("tree");
    cr_assert_eq(report->totals.files, 11);
    cr_assert_eq(report->totals.by_kind[RA_KIND_ELF], 2);
    cr_assert_eq(report->totals.by_kind[RA_KIND_CUDA], 1);
    cr_assert_eq(report->totals.by_kind[RA_KIND_RUNTIME], 1);
    cr_assert_eq(report->totals.by_kind[RA_KIND_ARCHIVE], 3);
    cr_assert_eq(report->totals.by_kind[RA_KIND_WINDOWS], 1);
    cr_assert_eq(report->totals.by_kind[RA_KIND_OTHER], 3);
    cr_assert_eq(report->totals.with_device_code, 0);
    cr_assert_eq(report->totals.incomplete, 0);
    cr_assert_eq(report->exit, 2);
}

Test(rocaudit, the_runtime_with_device_code_in_it_is_judged, .init = folder_make,
     .fini = folder_remove)
{
    folder_fixture("libhsa-runtime64.so.1", "good-two-targets.so");
    cr_assert_eq(audit_one("libhsa-runtime64.so.1")->exit, 0);
    cr_assert_eq(folder_exit("gfx1100", "libhsa-runtime64.so.1"), 1);
}

Test(rocaudit, cuda_beside_amd_code_does_not_hide_it, .init = folder_make,
     .fini = folder_remove)
{
    struct fx fatbin = { 0 }, library = { 0 }, nvidia = { 0 };
    static const uint64_t starts[] = { 0 };
    const struct fx_extra extra = { .name = ".nv_fatbin", .content = &nvidia };

    fx_hip_bundle(&fatbin, "k_add", (const char *const[]){ "gfx90a", NULL });
    fx_text(&nvidia, "whatever");
    fx_host(&library, &(struct fx_host){ .fatbin = &fatbin,
                                         .wrapped = starts,
                                         .wrapper_count = 1,
                                         .extra = &extra,
                                         .extra_count = 1 });
    folder_save("both.so", &library);
    cr_assert_eq(audit_one("both.so")->exit, 0);
    cr_assert_eq(folder_exit("gfx1030", "both.so"), 1);
    fx_free(&fatbin);
    fx_free(&library);
    fx_free(&nvidia);
}

/* An archive in a tree is not what gets loaded, unless it is a package. */
Test(rocaudit, an_archive_is_opened_where_it_is_named, .init = folder_make,
     .fini = folder_remove)
{
    static const struct {
        const char *name, *bytes, *told;
    } rows[] = {
        { "tree/a.zip", "PK\3\4", "archive-bad" },
        { "tree/b.a", "!<thin>\n", "archive-unread" },
    };

    folder_fixture("tree/fits.so", "good-two-targets.so");
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const struct ra_report *report;

        folder_write(rows[i].name, rows[i].bytes);
        report = audit_one(rows[i].name);
        cr_assert_eq(report->exit, 2, "%s", rows[i].name);
        cr_assert_eq(report->file_count, 1, "%s", rows[i].name);
        cr_assert_eq(report->files[0].status, RA_FILE_INCOMPLETE);
        cr_assert_str_eq(report->files[0].diags->name, rows[i].told);
    }
    cr_assert_eq(audit_one("tree")->exit, 0);
    folder_write("tree/package.whl", "PK\3\4");
    cr_assert_eq(audit_one("tree")->exit, 2);
}

Test(rocaudit, a_damaged_archive_of_kernels_is_undecided_anywhere, .init = folder_make,
     .fini = folder_remove)
{
    folder_fixture("tree/fits.so", "good-two-targets.so");
    folder_write("tree/.kpack/x_gfx90a.kpack", "KPAK....");
    cr_assert_eq(audit_one("tree")->exit, 2);
}

Test(rocaudit, code_in_kpack_archives_is_never_none, .init = folder_make,
     .fini = folder_remove)
{
    const struct ra_report *report;
    const struct ra_file *file;

    folder_fixture("a.so", "odd-hipk.so");
    report = audit_one("a.so");
    file = folder_file(report, "a.so");
    cr_assert_eq(file->verdicts[0].kind, RA_MISSING);
    cr_assert_eq(file->bundle_count, 2);
    cr_assert_str_eq(file->bundles[0].container, "kpack");
    cr_assert_str_eq(report->findings[0].rule, "RA207");
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(report->totals.with_device_code, 1);
}

/* ---- options ------------------------------------------------------------------------
 */

Test(rocaudit, options_of_an_older_caller_are_zero_where_it_knew_none,
     .init = folder_make, .fini = folder_remove)
{
    struct ra_options options;
    const char *path = folder_path, *gpu = "gfx90a";
    struct ra_report *report;

    folder_fixture("host.so", "good-host-only.so");
    memset(&options, 0xff, sizeof(options));
    options.sz = offsetof(struct ra_options, sysfs);
    options.paths = &path;
    options.path_count = 1;
    options.gpus = &gpu;
    options.gpu_count = 1;
    report = ra_audit(&options);
    cr_assert_not_null(report);
    cr_assert_eq(report->exit, 2);
    ra_report_free(report);
}

Test(rocaudit, a_gpu_that_is_refused_gives_no_report)
{
    static const char *const gpus[] = { "gfx11-generic", "gfx9999", "", "amdgcnspirv" };

    for (size_t i = 0; i < RA_COUNT(gpus); i++) {
        struct ra_options options = { .sz = sizeof(options),
                                      .gpus = &gpus[i],
                                      .gpu_count = 1 };

        cr_assert_not_null(ra_gpu_refused(gpus[i]));
        cr_assert_null(ra_audit(&options));
        cr_assert_null(ra_gpus(&options));
    }
}

static void remember(void *arg, const struct ra_progress *progress)
{
    *(struct ra_progress *)arg = *progress;
}

Test(rocaudit, progress_never_tells_of_more_than_there_is, .init = make_all,
     .fini = folder_remove)
{
    struct ra_progress last = { 0 };
    const struct ra_report *report = folder_ask(&(struct folder_ask){
        .gpus = "gfx90a",
        .options = { .progress = remember, .progress_arg = &last, .threads = 2 } });

    cr_assert_leq(last.files, last.total);
    cr_assert_leq(last.total, report->totals.files);
}

Test(rocaudit, a_report_of_no_file_and_of_nothing_can_be_freed)
{
    ra_report_free(NULL);
}

/* Wrapper 10 comes after wrapper 2, whatever the order of letters or of the bytes. */
Test(rocaudit, archives_of_kernels_are_listed_by_number, .init = folder_make,
     .fini = folder_remove)
{
    static const char *const order[] = { "a.so#10", "a.so#2", "a.so#0", "b.so#0" };
    static const char *const listed[] = { "a.so#0", "a.so#2", "a.so#10", "b.so#0" };
    struct fx_kpak_entry entries[RA_COUNT(order)];
    struct fx code = { 0 }, fx = { 0 };
    const struct ra_file *file;

    fx_code(&code, &(struct fx_code){ .target = "gfx90a" });
    for (size_t i = 0; i < RA_COUNT(order); i++)
        entries[i] = (struct fx_kpak_entry){ .binary = order[i],
                                             .arch = "gfx90a",
                                             .content = &code };
    fx_kpak(&fx, &(struct fx_kpak){
                     .entries = entries, .count = RA_COUNT(order), .zstd = true });
    folder_save("x.kpack", &fx);
    file = folder_file(folder_ask(&(struct folder_ask){ .list = true }), "x.kpack");
    cr_assert_eq(file->bundle_count, RA_COUNT(listed));
    for (size_t i = 0; i < RA_COUNT(listed); i++)
        cr_assert_str_eq(file->bundles[i].key, listed[i]);
    fx_free(&code), fx_free(&fx);
}

/* hipBLASLt holds code for few GPUs; its callers take rocBLAS elsewhere. */
Test(rocaudit, data_of_libraries_for_few_gpus_is_no_fault, .init = folder_make,
     .fini = folder_remove)
{
    folder_fixture("lib/libfoo.so", "good-two-targets.so");
    folder_fixture("lib/hipblaslt/library/Kernels.so-000-gfx90a.hsaco", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx1030", "."), 0);
    folder_fixture("lib/other/library/x.hsaco", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx1030", "."), 1);
}
