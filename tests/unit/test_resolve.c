#include "folder.h"
#include "split.h"

#include "base/base.h"
#include "gen/archive.h"
#include "gen/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN_FOLDER .init = folder_make, .fini = folder_remove

static const struct ra_report *audit(const char *gpus, const char *paths)
{
    return folder_ask(&(struct folder_ask){ .gpus = gpus, .paths = paths });
}

/* What is said of a file on the GPU, which is the only one. */
static const struct ra_verdict *verdict(const struct ra_report *report, const char *name)
{
    const struct ra_file *file = folder_file(report, name);

    cr_assert_eq(file->verdict_count, 1);
    return &file->verdicts[0];
}

static size_t count(const struct ra_report *report, const char *rule)
{
    enum ra_severity severity;

    return folder_findings(report, rule, &severity);
}

static void assert_rules(const struct ra_report *report, const char *rules)
{
    char found[64] = "";
    size_t size = 0;

    for (size_t i = 0; i < report->finding_count && size < sizeof(found); i++)
        size += (size_t)snprintf(found + size, sizeof(found) - size, "%s%s",
                                 i > 0 ? " " : "", report->findings[i].rule);
    cr_assert_str_eq(found, rules, "%s, not %s", found, rules);
}

/* Two wrappers; gfx90a whole, gfx1030 with the first, gfx942 numbered another way. */
static void make_tree(void)
{
    split_save_host("kp/lib/libfoo.so", 2);
    split_save_archive("kp/.kpack/foo_lib_gfx90a.kpack", "#0=gfx90a #1=gfx90a");
    split_save_archive("kp/.kpack/foo_lib_gfx1030.kpack", "#0=gfx1030");
    split_save_archive("kp/.kpack/foo_lib_gfx942.kpack", "#0=gfx942 #2=gfx942");
}

static void make_link(const char *target, const char *name)
{
    struct fx nothing = { 0 };

    folder_save(name, &nothing); /* and the folders above it */
    cr_assert_eq(unlink(folder_name(name)), 0);
    cr_assert_eq(symlink(target, folder_name(name)), 0);
}

static void make_hard_link(const char *file, const char *name)
{
    make_link("nowhere", name);
    cr_assert_eq(unlink(folder_name(name)), 0);
    cr_assert_eq(link(folder_name(file), folder_name(name)), 0);
}

/* ---- one library and its archives ------------------------------------------------ */

static const struct {
    const char *gpu;
    enum ra_verdict_kind kind;
    size_t covered;
    int exit;
    const char *rules;
} tree_rows[] = {
    { "gfx90a", RA_NATIVE, 2, 0, "" },        { "gfx90a:xnack+", RA_NATIVE, 2, 0, "" },
    { "gfx1030", RA_PARTIAL, 1, 1, "RA202" }, { "gfx942", RA_PARTIAL, 1, 1, "RA202" },
    { "gfx1100", RA_MISSING, 0, 1, "RA201" },
};

Test(resolve, a_library_is_judged_through_its_archives, IN_FOLDER)
{
    make_tree();
    for (size_t i = 0; i < RA_COUNT(tree_rows); i++) {
        const struct ra_report *report = audit(tree_rows[i].gpu, "kp");
        const struct ra_verdict *found = verdict(report, "libfoo.so");

        cr_assert_eq(found->kind, tree_rows[i].kind, "%s: %s", tree_rows[i].gpu,
                     ra_verdict_name(found->kind));
        cr_assert_eq(found->covered, tree_rows[i].covered);
        cr_assert_eq(found->total, 2);
        cr_assert_eq(report->exit, tree_rows[i].exit);
        assert_rules(report, tree_rows[i].rules);
    }
}

Test(resolve, an_archive_lists_wrappers_and_so_it_is_said, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    report = audit("gfx942", "kp");
    cr_assert_not_null(strstr(report->findings[0].message, "#1"));
    cr_assert_not_null(strstr(report->findings[0].message, "#0 #2"));
    cr_assert_not_null(strstr(report->findings[0].message, "foo_lib_gfx942.kpack"));
}

Test(resolve, a_library_named_alone_finds_what_is_beside_it, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_kpack *kpack;

    make_tree();
    report = audit("gfx90a", "kp/lib/libfoo.so");
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(report->file_count, 1);
    cr_assert_eq(report->totals.files, 1);
    cr_assert_eq(report->totals.code_objects, 5 - 1, "#2 is of no wrapper");
    kpack = report->files[0].kpack;
    cr_assert_eq(kpack->archive_count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert(kpack->archives[i].elsewhere);
    cr_assert_eq(folder_exit("gfx1030", "kp/lib/libfoo.so"), 1);
    cr_assert_eq(folder_exit("gfx1100", "kp/lib/libfoo.so"), 1);
}

Test(resolve, without_archives_the_code_is_missing_and_not_none, IN_FOLDER)
{
    const struct ra_report *report;

    split_save_host("alone/libfoo.so", 2);
    report = audit("gfx90a", "alone");
    cr_assert_eq(verdict(report, "libfoo.so")->kind, RA_MISSING);
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(report->totals.with_device_code, 1);
    assert_rules(report, "RA207");
}

Test(resolve, totals_count_a_code_object_once, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    report = audit("gfx90a", "kp");
    cr_assert_eq(report->totals.files, 4);
    cr_assert_eq(report->totals.code_objects, 5);
    cr_assert_eq(report->totals.kernels, 5);
    cr_assert_eq(report->totals.target_count, 3);
    for (size_t i = 0; i < report->totals.target_count; i++)
        if (strcmp(report->totals.targets[i].target, "gfx1030") == 0)
            cr_assert_eq(report->totals.targets[i].code_objects, 1);
}

/* ---- an archive that hides another ----------------------------------------------- */

static int exit_with(const char *release, const char *gpu)
{
    const struct folder_ask ask = { .gpus = gpu,
                                    .paths = "kp",
                                    .options = { .runtime = release } };

    return folder_ask(&ask)->exit;
}

Test(resolve, an_overlay_that_lacks_code_is_a_warning_where_more_are_tried, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    split_save_archive("kp/.kpack/foo_lib_gfx90a:xnack-.kpack",
                       "#0=gfx90a:xnack-=gfx90a:xnack-");
    report = audit("gfx90a:sramecc+:xnack-", "kp");
    cr_assert_eq(verdict(report, "libfoo.so")->kind, RA_NATIVE);
    cr_assert_eq(report->exit, 0);
    assert_rules(report, "RA203");
    cr_assert_eq(report->findings[0].severity, RA_WARNING);
    cr_assert_not_null(strstr(report->findings[0].message, "1 of 2"));
    cr_assert_eq(exit_with("7.14", "gfx90a:sramecc+:xnack-"), 1);
    cr_assert_eq(exit_with("7.13", "gfx90a:sramecc+:xnack-"), 1);
    cr_assert_eq(exit_with("10.0", "gfx90a:sramecc+:xnack-"), 2);
    cr_assert_eq(exit_with("10.1", "gfx90a:sramecc+:xnack-"), 0);
    cr_assert_eq(exit_with("7.14", "gfx90a:sramecc+:xnack+"), 0);
    cr_assert_eq(exit_with("7.12", "gfx90a:sramecc+:xnack+"), 1);
}

/* ---- paths ------------------------------------------------------------------------ */

Test(resolve, archives_are_sought_beside_the_path_that_was_named, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    make_link("../../lib/libfoo.so", "kp/devel/lib/libfoo.so");
    report = audit("gfx90a", "kp/devel/lib/libfoo.so");
    cr_assert_eq(report->exit, 1);
    assert_rules(report, "RA207");
    report = audit("gfx90a", "kp");
    cr_assert_eq(report->exit, 0);
    assert_rules(report, "RA208");
    cr_assert_not_null(strstr(report->findings[0].message, "devel/lib/libfoo.so"));
}

/* The path with most archives counts, whichever comes first. */
Test(resolve, a_hard_link_elsewhere_is_told_of, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    make_hard_link("kp/lib/libfoo.so", "kp/devel/lib/libfoo.so");
    report = audit("gfx90a", "kp");
    cr_assert_eq(report->exit, 0);
    assert_rules(report, "RA208");
    cr_assert_eq(count(audit("gfx1100", "kp"), "RA201"), 1);
    /* a tree that has all of them as well */
    make_hard_link("kp/.kpack/foo_lib_gfx90a.kpack",
                   "kp/devel/.kpack/foo_lib_gfx90a.kpack");
    make_hard_link("kp/.kpack/foo_lib_gfx942.kpack",
                   "kp/devel/.kpack/foo_lib_gfx942.kpack");
    assert_rules(audit("gfx90a", "kp"), "RA208");
    make_hard_link("kp/.kpack/foo_lib_gfx1030.kpack",
                   "kp/devel/.kpack/foo_lib_gfx1030.kpack");
    assert_rules(audit("gfx90a", "kp"), "");
}

Test(resolve, one_archive_may_have_the_names_of_two_targets, IN_FOLDER)
{
    const struct ra_report *report;

    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx1100.kpack", "#0=gfx1100 #0=gfx1103");
    make_link("foo_lib_gfx1100.kpack", ".kpack/foo_lib_gfx1103.kpack");
    make_hard_link(".kpack/foo_lib_gfx1100.kpack", ".kpack/foo_lib_gfx1102.kpack");
    cr_assert_eq(folder_exit("gfx1100", NULL), 0);
    cr_assert_eq(folder_exit("gfx1103", NULL), 0);
    report = audit("gfx1102", NULL);
    cr_assert_eq(verdict(report, "libfoo.so")->kind, RA_MISSING);
    assert_rules(report, "RA204");
    report = audit("gfx1103", "lib/libfoo.so");
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(report->files[0].bundles[0].entry_count, 2);
    cr_assert_eq(report->totals.code_objects, 2);
}

static void save_host(const char *file, const char *paths)
{
    struct fx fx = { 0 };

    split_host(&fx, SPLIT_NAME, paths, 1);
    folder_save(file, &fx);
    fx_free(&fx);
}

static const struct {
    const char *paths, *archive;
    const char *fits, *fails; /* GPUs */
} pattern_rows[] = {
    { "foo_@GFXARCH@.kpack", "lib/foo_gfx90a.kpack", "gfx90a", "gfx942" },
    /* without a placeholder the list of the archive decides alone */
    { "../all.kpack", "all.kpack", "gfx90a", "gfx942" },
    { "@GFXARCH@/foo.kpack", "lib/gfx90a/foo.kpack", "gfx90a", "gfx942" },
    { "../@GFXARCH@", "gfx90a", "gfx90a", "gfx1030" },
    { "nothing/@GFXARCH@.kpack ../foo.kpack", "foo.kpack", "gfx90a", "gfx942" },
    { "./.././lib/../foo_@GFXARCH@.kpack", "foo_gfx90a.kpack", "gfx90a", "gfx942" },
    { "../foo_@GFXARCH@.kpack", "foo_gfx90a:sramecc+:xnack-.kpack",
      "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack+" },
    { "../foo_@GFXARCH@.kpack", "foo_gfx90a:sramecc+.kpack", "gfx90a:sramecc+:xnack+",
      "gfx90a:sramecc-:xnack+" },
};

Test(resolve, patterns_are_relative_and_take_a_target, IN_FOLDER)
{
    for (size_t i = 0; i < RA_COUNT(pattern_rows); i++) {
        char host[32], archive[64];

        snprintf(host, sizeof(host), "%zu/lib/libfoo.so", i);
        snprintf(archive, sizeof(archive), "%zu/%s", i, pattern_rows[i].archive);
        save_host(host, pattern_rows[i].paths);
        split_save_archive(archive, "#0=gfx90a");
        cr_expect_eq(folder_exit(pattern_rows[i].fits, host), 0, "%s",
                     pattern_rows[i].paths);
        cr_expect_eq(folder_exit(pattern_rows[i].fails, host), 1, "%s",
                     pattern_rows[i].paths);
    }
}

/* The loader replaces the first placeholder, and looks for the second as it stands. */
Test(resolve, only_the_first_placeholder_takes_a_target, IN_FOLDER)
{
    save_host("lib/libfoo.so", "../@GFXARCH@/foo_@GFXARCH@.kpack");
    split_save_archive("gfx90a/foo_gfx90a.kpack", "#0=gfx90a");
    cr_assert_eq(folder_exit("gfx90a", "lib/libfoo.so"), 1);
    split_save_archive("gfx90a/foo_@GFXARCH@.kpack", "#0=gfx90a");
    cr_assert_eq(folder_exit("gfx90a", "lib/libfoo.so"), 0);
}

Test(resolve, an_absolute_path_is_taken_as_it_is, IN_FOLDER)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/far/foo_@GFXARCH@.kpack", folder_path);
    save_host("lib/libfoo.so", path);
    split_save_archive("far/foo_gfx90a.kpack", "#0=gfx90a");
    cr_assert_eq(folder_exit("gfx90a", "lib"), 0);
    cr_assert_eq(folder_exit("gfx942", "lib"), 1);
}

Test(resolve, patterns_are_tried_in_their_order, IN_FOLDER)
{
    const struct ra_kpack *kpack;

    save_host("lib/libfoo.so", "../b_@GFXARCH@.kpack ../a_@GFXARCH@.kpack ../c.kpack");
    split_save_archive("a_gfx90a.kpack", "#0=gfx90a");
    split_save_archive("b_gfx90a.kpack", "#0=gfx90a");
    split_save_archive("b_gfx90a:xnack-.kpack", "#0=gfx90a:xnack-");
    split_save_archive("c.kpack", "#0=gfx1030");
    kpack = folder_file(audit("gfx90a", NULL), "libfoo.so")->kpack;
    cr_assert_eq(kpack->archive_count, 4);
    cr_assert_not_null(strstr(kpack->archives[0].path, "b_gfx90a:xnack-.kpack"));
    cr_assert_not_null(strstr(kpack->archives[1].path, "b_gfx90a.kpack"));
    cr_assert_not_null(strstr(kpack->archives[2].path, "a_gfx90a.kpack"));
    cr_assert_not_null(strstr(kpack->archives[3].path, "c.kpack"));
    cr_assert_str_eq(kpack->archives[0].target, "gfx90a:xnack-");
    cr_assert_str_eq(kpack->archives[3].target, "");
}

/* ---- the environment -------------------------------------------------------------- */

static int exit_in(const char *gpu, const char *const *environment, bool check)
{
    const struct folder_ask ask = { .gpus = gpu,
                                    .paths = "lib/libfoo.so",
                                    .check = check,
                                    .options = { .environment = environment } };

    return folder_ask(&ask)->exit;
}

static int exit_set(const char *gpu, const char *first, const char *second)
{
    const char *const environment[] = { first, second, NULL };

    return exit_in(gpu, environment, false);
}

/* A setting of two archives in the folder, one of which may be none. */
static const char *set(const char *name, const char *first, const char *second)
{
    static char texts[2][256];
    static unsigned turn;
    char *text = texts[turn++ % 2];

    snprintf(text, sizeof(texts[0]), "%s=:%s/%s::%s/%s:", name, folder_path, first,
             folder_path, second);
    return text;
}

static void make_far(void)
{
    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "#0=gfx90a");
    split_save_archive("far/one.kpack", "#0=gfx1030");
    split_save_archive("far/foo_gfx942.kpack", "#0=gfx942");
}

Test(resolve, a_path_that_is_set_stands_for_all_others, IN_FOLDER)
{
    const char *far;

    make_far();
    far = set("ROCM_KPACK_PATH", "far/one.kpack", "far/foo_gfx942.kpack");
    cr_assert_eq(exit_set("gfx1030", far, NULL), 0);
    cr_assert_eq(exit_set("gfx942", far, NULL), 0);
    cr_assert_eq(exit_set("gfx90a", far, NULL), 1);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_PATH=", NULL), 0);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_PATH=:", NULL), 0);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_PATHS=/nowhere", NULL), 0);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_PATH=/nowhere", NULL), 1);
    /* and for the prefix too */
    cr_assert_eq(exit_set("gfx1030", "ROCM_KPACK_PATH=/nowhere",
                          set("ROCM_KPACK_PATH_PREFIX", "far/one.kpack", "none")),
                 1);
}

Test(resolve, a_prefix_that_is_set_comes_first, IN_FOLDER)
{
    const char *far;

    make_far();
    far = set("ROCM_KPACK_PATH_PREFIX", "none", "far/one.kpack");
    cr_assert_eq(exit_set("gfx1030", far, NULL), 0);
    cr_assert_eq(exit_set("gfx90a", far, NULL), 0);
    cr_assert_eq(exit_set("gfx942", far, NULL), 1);
}

/* Only what stands in the library is a pattern. */
Test(resolve, what_is_set_names_archives_and_no_patterns, IN_FOLDER)
{
    make_far();
    cr_assert_eq(exit_set("gfx942",
                          set("ROCM_KPACK_PATH", "far/foo_@GFXARCH@.kpack", "none"),
                          NULL),
                 1);
    cr_assert_eq(
        exit_set("gfx90a", "ROCM_KPACK_PATH=../.kpack/foo_lib_gfx90a.kpack", NULL), 1,
        "it is relative to the folder of the process");
}

Test(resolve, archives_can_be_turned_off, IN_FOLDER)
{
    make_far();
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_DISABLE=1", NULL), 1);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_DISABLE=yes", NULL), 1);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_DISABLE=0", NULL), 0);
    cr_assert_eq(exit_set("gfx90a", "ROCM_KPACK_DISABLE=", NULL), 0);
}

Test(resolve, a_gate_heeds_no_environment, IN_FOLDER)
{
    static const char *const off[] = { "ROCM_KPACK_DISABLE=1", "ROCM_KPACK_PATH=/no",
                                       NULL };

    make_far();
    cr_assert_eq(exit_in("gfx90a", off, true), 0);
    cr_assert_eq(exit_in("gfx90a", off, false), 1);
    cr_assert_eq(exit_in("gfx942", off, true), 1);
}

/* ---- archives that cannot be read ------------------------------------------------- */

static size_t count_diags(const struct ra_file *file, const char *code)
{
    size_t found = 0;

    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next)
        found += strcmp(diag->code, code) == 0;
    return found;
}

static void assert_undecided(const char *gpu, const char *paths)
{
    const struct ra_report *report = audit(gpu, paths);

    cr_assert_eq(report->exit, 2);
    cr_assert_eq(verdict(report, "libfoo.so")->kind, RA_UNDECIDED);
    cr_assert_eq(count_diags(folder_file(report, "libfoo.so"), "D025"), 1);
}

Test(resolve, a_damaged_archive_leaves_the_library_undecided, IN_FOLDER)
{
    split_save_host("lib/libfoo.so", 1);
    folder_write(".kpack/foo_lib_gfx90a.kpack", "KPAK\1");
    assert_undecided("gfx90a", NULL);
    assert_undecided("gfx90a", "lib/libfoo.so");
    /* of another GPU nothing is in it */
    cr_assert_eq(folder_exit("gfx1100", "lib/libfoo.so"), 1);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "#0=gfx90a");
    cr_assert_eq(folder_exit("gfx90a", NULL), 0);
}

/* Root may read everything, so be somebody else. */
static void become_nobody(void)
{
    static const char *const folders[] = { "", "lib", ".kpack" };

    for (size_t i = 0; i < RA_COUNT(folders); i++)
        cr_assert_eq(chmod(folder_name(folders[i]), 0755), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
}

Test(resolve, an_archive_that_may_not_be_read_leaves_it_undecided, IN_FOLDER)
{
    uid_t user = geteuid();

    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "#0=gfx90a");
    cr_assert_eq(chmod(folder_name("lib/libfoo.so"), 0644), 0);
    cr_assert_eq(chmod(folder_name(".kpack/foo_lib_gfx90a.kpack"), 0), 0);
    become_nobody();
    assert_undecided("gfx90a", NULL);
    assert_undecided("gfx90a", "lib/libfoo.so");
    cr_assert_eq(seteuid(user), 0);
}

/* No loader opens what is no archive: it is as if it were not there. */
Test(resolve, a_file_that_is_no_archive_is_none, IN_FOLDER)
{
    split_save_host("lib/libfoo.so", 1);
    folder_write(".kpack/foo_lib_gfx90a.kpack",
                 "version https://git-lfs.github.com/spec/v1\n");
    cr_assert_eq(folder_exit("gfx90a", NULL), 1);
    cr_assert_eq(folder_exit("gfx90a", "lib/libfoo.so"), 1);
    cr_assert_eq(unlink(folder_name(".kpack/foo_lib_gfx90a.kpack")), 0);
    cr_assert_eq(mkdir(folder_name(".kpack/foo_lib_gfx90a.kpack"), 0700), 0);
    cr_assert_eq(folder_exit("gfx90a", NULL), 1);
}

Test(resolve, a_damaged_entry_is_undecided_and_others_are_not, IN_FOLDER)
{
    struct fx fx = { 0 };
    struct fx_kpak_at at = split_archive(&fx, "#0=gfx90a #0=gfx942");

    split_save_host("lib/libfoo.so", 1);
    fx_kpak_poke(&fx, at.ordinal[0], 4, 7);
    folder_save(".kpack/foo_lib_gfx90a.kpack", &fx);
    fx_free(&fx);
    assert_undecided("gfx90a", "lib/libfoo.so");
    cr_assert_eq(folder_exit("gfx1100", "lib/libfoo.so"), 1);
}

/* ---- targets that this build does not know ---------------------------------------- */

Test(resolve, an_archive_for_a_target_of_the_future_is_no_orphan, IN_FOLDER)
{
    const struct ra_report *report;

    make_tree();
    split_save_archive("kp/.kpack/foo_lib_gfx1999.kpack", "#0=gfx1999=gfx1030");
    report = audit("gfx90a", "kp");
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(count(report, "RA205"), 0);
    /* a name that no loader comes to */
    split_save_archive("kp/.kpack/foo_lib_gfx103x.kpack", "#0=gfx1030 #1=gfx1030");
    cr_assert_eq(count(audit("gfx90a", "kp"), "RA205"), 1);
    cr_assert_eq(folder_exit("gfx1030", "kp"), 1);
}

/* ---- wheels ------------------------------------------------------------------------ */

static void make_wheel(const char *wheel, const char *const *names,
                       const struct fx *contents, size_t number)
{
    struct fx_member members[4] = { { 0 } };
    struct fx fx = { 0 };

    for (size_t i = 0; i < number; i++)
        members[i] = (struct fx_member){ .name = names[i],
                                         .content = &contents[i],
                                         .deflated = i & 1 };
    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = number });
    folder_save(wheel, &fx);
    fx_free(&fx);
}

/* A host wheel of two wrappers, with an archive in it if there are `entries`. */
static void make_host_wheel(const char *wheel, const char *entries)
{
    static const char *const names[] = { "foo/lib/libfoo.so",
                                         "foo/.kpack/foo_lib_gfx90a.kpack" };
    struct fx contents[2] = { { 0 }, { 0 } };

    split_host(&contents[0], SPLIT_NAME, SPLIT_PATH, 2);
    if (entries)
        (void)split_archive(&contents[1], entries);
    make_wheel(wheel, names, contents, entries ? 2 : 1);
    fx_free(&contents[0]);
    fx_free(&contents[1]);
}

static void make_device_wheel(const char *wheel, const char *name, const char *entries)
{
    struct fx content = { 0 };

    (void)split_archive(&content, entries);
    make_wheel(wheel, &name, &content, 1);
    fx_free(&content);
}

Test(resolve, archives_in_the_wheel_of_the_library_are_found, IN_FOLDER)
{
    const struct ra_report *report;

    make_host_wheel("foo-1.0-py3-none-any.whl", "#0=gfx90a #1=gfx90a");
    report = audit("gfx90a", NULL);
    cr_assert_eq(report->exit, 0);
    assert_rules(report, "");
    cr_assert_eq(report->totals.code_objects, 2);
    cr_assert_eq(folder_exit("gfx1030", NULL), 1);
    cr_assert_eq(folder_exit("gfx90a", "foo-1.0-py3-none-any.whl"), 0);
}

Test(resolve, wheels_named_together_are_one_tree, IN_FOLDER)
{
    make_host_wheel("foo-1.0-py3-none-any.whl", NULL);
    make_device_wheel("foo_device_gfx90a-1.0-py3-none-any.whl",
                      "foo/.kpack/foo_lib_gfx90a.kpack", "#0=gfx90a #1=gfx90a");
    cr_assert_eq(folder_exit("gfx90a", NULL), 0);
    cr_assert_eq(folder_exit("gfx90a", "foo_device_gfx90a-1.0-py3-none-any.whl "
                                       "foo-1.0-py3-none-any.whl"),
                 0);
    assert_rules(audit("gfx90a", "foo-1.0-py3-none-any.whl"), "RA207");
    assert_rules(audit("gfx1030", NULL), "RA201");
}

/* Each host wheel goes with the device wheel of its version, in whatever order. */
Test(resolve, wheels_of_two_versions_are_two_installations, IN_FOLDER)
{
    static const char place[] = "foo/.kpack/foo_lib_gfx90a.kpack";
    const struct ra_report *report;

    make_host_wheel("foo-1.0-py3-none-any.whl", NULL);
    make_host_wheel("foo-2.0-py3-none-any.whl", NULL);
    make_device_wheel("foo_device-1.0-py3-none-any.whl", place, "#0=gfx90a");
    make_device_wheel("foo_device-2.0-py3-none-any.whl", place, "#0=gfx90a #1=gfx90a");
    report = audit("gfx90a", NULL);
    cr_assert_eq(report->exit, 1);
    assert_rules(report, "RA202");
    cr_assert_not_null(strstr(report->findings[0].file, "foo-1.0"));
    for (size_t i = 0; i < report->file_count; i++)
        if (strstr(report->files[i].path, "foo-2.0"))
            cr_assert_eq(report->files[i].verdicts[0].kind, RA_NATIVE);
    cr_assert_eq(folder_exit("gfx90a", "foo-2.0-py3-none-any.whl "
                                       "foo_device-1.0-py3-none-any.whl "
                                       "foo_device-2.0-py3-none-any.whl"),
                 0);
}

Test(resolve, a_wheel_in_an_archive_is_a_wheel, IN_FOLDER)
{
    static const char place[] = "foo/.kpack/foo_lib_gfx90a.kpack";
    static const char *const wheels[] = { "foo-1.0-py3-none-any.whl",
                                          "foo_device-1.0-py3-none-any.whl" };
    struct fx fx = { 0 }, member;

    make_host_wheel(wheels[0], NULL);
    make_device_wheel(wheels[1], place, "#0=gfx90a #1=gfx90a");
    for (size_t i = 0; i < 2; i++) {
        member = (struct fx){ 0 };
        cr_assert(fx_load(folder_path, wheels[i], &member));
        fx_tar(&fx, &(struct fx_tar){ .name = wheels[i], .content = &member });
        fx_free(&member);
    }
    fx_tar_end(&fx);
    folder_save("all.tar", &fx);
    fx_free(&fx);
    cr_assert_eq(folder_exit("gfx90a", "all.tar"), 0);
    cr_assert_eq(folder_exit("gfx1030", "all.tar"), 1);
}

/* The place of a member of a record's archive has no archive in it. */
Test(resolve, a_library_among_the_records_of_a_package_is_alone, IN_FOLDER)
{
    make_host_wheel("foo-1.0.dist-info.whl", NULL);
    cr_assert_eq(folder_exit("gfx90a", NULL), 1);
}

/* ---- what is listed -----------------------------------------------------------------
 */

Test(resolve, a_listing_has_the_entries_of_archives, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_file *host, *archive;

    make_tree();
    report = folder_ask(&(struct folder_ask){ .paths = "kp", .list = true });
    cr_assert_eq(report->exit, 0);
    host = folder_file(report, "libfoo.so");
    archive = folder_file(report, "foo_lib_gfx90a.kpack");
    cr_assert_eq(host->bundle_count, 2);
    cr_assert_eq(host->bundles[0].entry_count, 3);
    cr_assert_eq(host->bundles[1].entry_count, 1);
    cr_assert_str_eq(host->bundles[1].key, "lib/libfoo.so#1");
    cr_assert_str_eq(host->bundles[1].entries[0].target, "gfx90a");
    cr_assert_str_eq(host->bundles[1].entries[0].archive, archive->path);
    cr_assert_eq(archive->bundles[1].entry_count, 1);
    cr_assert_eq(host->bundles[1].entries[0].offset,
                 archive->bundles[1].offset + archive->bundles[1].entries[0].offset);
    cr_assert_eq(host->bundles[1].entries[0].size, archive->bundles[1].entries[0].size);
    cr_assert_eq(host->bundles[1].entries[0].kernel_count, 1);
}

Test(resolve, any_number_of_threads_says_the_same, IN_FOLDER)
{
    struct folder_ask ask = { .gpus = "gfx90a gfx1030", .options = { .threads = 1 } };
    const char *one, *four;

    make_tree();
    make_link("../../lib/libfoo.so", "kp/devel/lib/libfoo.so");
    make_host_wheel("foo-1.0-py3-none-any.whl", "#0=gfx90a #1=gfx90a");
    one = folder_text(folder_ask(&ask), "json");
    ask.options.threads = 4;
    four = folder_text(folder_ask(&ask), "json");
    cr_assert_str_eq(one, four);
    cr_assert_not_null(strstr(one, "\"archive_target\": \"gfx90a\""));
}
