#include "folder.h"
#include "split.h"

#include "base/base.h"
#include "gen/code.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define IN_FOLDER .init = folder_make, .fini = folder_remove

static const struct ra_report *audit(const char *gpus, const char *release)
{
    const struct folder_ask ask = { .gpus = gpus, .options = { .runtime = release } };

    return folder_ask(&ask);
}

/* The only finding of a rule; NULL if there is none. */
static const struct ra_finding *find(const struct ra_report *report, const char *rule)
{
    const struct ra_finding *found = NULL;

    for (size_t i = 0; i < report->finding_count; i++)
        if (strcmp(report->findings[i].rule, rule) == 0) {
            cr_assert_null(found, "%s twice", rule);
            found = &report->findings[i];
        }
    return found;
}

static const struct ra_finding *expect(const struct ra_report *report, const char *rule,
                                       enum ra_severity severity)
{
    const struct ra_finding *found = find(report, rule);

    cr_assert_not_null(found, "%s", rule);
    cr_assert_eq(found->severity, severity, "%s", rule);
    return found;
}

static void assert_says(const struct ra_finding *finding, const char *text)
{
    cr_assert_not_null(strstr(finding->message, text), "\"%s\" has no \"%s\"",
                       finding->message, text);
}

/* All is well: no word of any of these rules, and exit 0. */
static void assert_healthy(const struct ra_report *report)
{
    cr_assert_eq(report->exit, 0);
    for (size_t i = 0; i < report->finding_count; i++)
        cr_assert_neq(strncmp(report->findings[i].rule, "RA2", 3), 0, "%s: %s",
                      report->findings[i].rule, report->findings[i].message);
}

static void make_healthy(void)
{
    split_save_host("lib/libfoo.so", 2);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "#0=gfx90a #1=gfx90a");
    split_save_archive(".kpack/foo_lib_gfx1030.kpack", "#0=gfx1030 #1=gfx1030");
}

Test(rules_kpack, healthy_archives_are_no_matter, IN_FOLDER)
{
    static const char *const releases[] = { NULL, "7.13", "7.14", "10.0", "10.1" };

    make_healthy();
    for (size_t i = 0; i < RA_COUNT(releases); i++) {
        assert_healthy(audit("gfx90a", releases[i]));
        assert_healthy(audit("gfx1030", releases[i]));
    }
}

/* ---- RA201, RA207: archives that are not there ------------------------------------ */

Test(rules_kpack, an_archive_for_the_gpu_is_missing, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    make_healthy();
    report = audit("gfx1100", NULL);
    finding = expect(report, "RA201", RA_ERROR);
    assert_says(finding, "gfx1100");
    assert_says(finding, SPLIT_PATH);
    assert_says(finding, "gfx90a gfx1030");
    cr_assert_not_null(strstr(finding->predicted_error, "(218)"));
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(report->finding_count, 1);
}

/* The one for the other mode is no archive of the GPU; that it is there is RA002's. */
Test(rules_kpack, the_other_mode_is_another_matter, IN_FOLDER)
{
    const struct ra_report *report;

    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx90a:xnack+.kpack", "#0=gfx90a:xnack+");
    report = audit("gfx90a:sramecc+:xnack-", NULL);
    cr_assert_eq(report->exit, 1);
    expect(report, "RA002", RA_ERROR);
    cr_assert_null(find(report, "RA201"));
    assert_healthy(audit("gfx90a:sramecc+:xnack+", NULL));
}

Test(rules_kpack, no_archive_is_there_at_all, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    split_save_host("lib/libfoo.so", 2);
    report = audit("gfx90a", NULL);
    finding = expect(report, "RA207", RA_ERROR);
    assert_says(finding, SPLIT_PATH);
    cr_assert_eq(report->finding_count, 1);
    cr_assert_eq(report->exit, 1);
}

static const struct ra_finding *find_with(const char *variable, const char *rule)
{
    const char *const environment[] = { variable, NULL };
    const struct folder_ask ask = { .gpus = "gfx90a",
                                    .paths = "lib/libfoo.so",
                                    .options = { .environment = environment } };

    return find(folder_ask(&ask), rule);
}

Test(rules_kpack, a_variable_that_hides_archives_is_named, IN_FOLDER)
{
    const struct ra_finding *finding;

    make_healthy();
    finding = find_with("ROCM_KPACK_DISABLE=1", "RA207");
    cr_assert_not_null(finding);
    assert_says(finding, "ROCM_KPACK_DISABLE");
    cr_assert_not_null(strstr(finding->advice, "unset ROCM_KPACK_DISABLE"));
    finding = find_with("ROCM_KPACK_PATH=/nowhere", "RA207");
    cr_assert_not_null(finding);
    assert_says(finding, "ROCM_KPACK_PATH");
    cr_assert_null(strstr(finding->message, SPLIT_PATH), "%s", finding->message);
    cr_assert_null(find_with("ROCM_KPACK_DEBUG=1", "RA207"));
}

/* ---- RA202, RA204: code that is not in them ---------------------------------------- */

Test(rules_kpack, a_wrapper_without_code_is_named, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    make_healthy();
    split_save_archive(".kpack/foo_lib_gfx942.kpack", "#0=gfx942 #2=gfx942");
    report = audit("gfx942", NULL);
    finding = expect(report, "RA202", RA_ERROR);
    assert_says(finding, "1 of 2 wrappers: #1;");
    assert_says(finding, "foo_lib_gfx942.kpack has #0 #2");
    cr_assert_not_null(strstr(finding->predicted_error, "(200)"));
    cr_assert_eq(report->exit, 1);
    assert_healthy(audit("gfx90a", NULL));
}

Test(rules_kpack, many_wrappers_without_code_are_counted, IN_FOLDER)
{
    const struct ra_finding *finding;

    split_save_host("lib/libfoo.so", 20);
    split_save_archive(".kpack/foo_lib_gfx942.kpack", "#10=gfx942 #11=gfx942");
    finding = expect(audit("gfx942", NULL), "RA202", RA_ERROR);
    assert_says(finding, "18 of 20 wrappers: #0 #1 #2 #3 #4 #5 and 12 more");
}

Test(rules_kpack, an_archive_of_other_libraries, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    make_healthy();
    split_save_archive(".kpack/foo_lib_gfx906.kpack", "lib/libbar.so#0=gfx906:sramecc+");
    split_save_archive(".kpack/foo_lib_gfx942.kpack",
                       "lib/libbar.so#0=gfx942 lib/libbar.so#1=gfx942");
    report = audit("gfx942", NULL);
    finding = expect(report, "RA204", RA_ERROR);
    assert_says(finding, "foo_lib_gfx942.kpack holds no code for lib/libfoo.so");
    cr_assert_null(find(report, "RA201"));
    cr_assert_null(find(report, "RA202"));
    cr_assert_eq(report->exit, 1);
    assert_healthy(audit("gfx90a", NULL));
}

/* A name that goes on is another name. */
Test(rules_kpack, names_are_compared_as_a_whole, IN_FOLDER)
{
    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx942.kpack",
                       "lib/libfoo.so.1#0=gfx942 lib/libfoo.so=gfx942 "
                       "usr/lib/libfoo.so#0=gfx942 lib/libfoo.so#00=gfx942");
    expect(audit("gfx942", NULL), "RA202", RA_ERROR);
    split_save_archive(".kpack/foo_lib_gfx942.kpack",
                       "lib/libfoo.so.1#0=gfx942 usr/lib/libfoo.so#0=gfx942");
    expect(audit("gfx942", NULL), "RA204", RA_ERROR);
}

/* ---- RA203: code that is in the way -------------------------------------------------
 */

Test(rules_kpack, an_overlay_hides_a_fuller_archive, IN_FOLDER)
{
    const char *gpu = "gfx90a:sramecc+:xnack-";
    const struct ra_finding *finding;

    make_healthy();
    split_save_archive(".kpack/foo_lib_gfx90a:xnack-.kpack", "#0=gfx90a:xnack-");
    finding = expect(audit(gpu, NULL), "RA203", RA_WARNING);
    assert_says(finding, "lacks the code of 1 of 2 wrappers");
    assert_says(finding, "foo_lib_gfx90a.kpack");
    cr_assert_eq(audit(gpu, NULL)->exit, 0);
    expect(audit(gpu, "7.14"), "RA203", RA_ERROR);
    cr_assert_eq(audit(gpu, "7.14")->finding_count, 1, "one cause, once");
    expect(audit(gpu, "10.1"), "RA203", RA_WARNING);
    assert_healthy(audit("gfx90a:sramecc+:xnack+", "7.14"));
    split_save_archive(".kpack/foo_lib_gfx90a:xnack-.kpack",
                       "#0=gfx90a:xnack- #1=gfx90a:xnack-");
    assert_healthy(audit(gpu, "7.14"));
}

/* What is in the other mode's archive is not hidden by one that lacks it. */
Test(rules_kpack, code_for_the_other_mode_is_not_hidden, IN_FOLDER)
{
    const struct ra_report *report;

    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "lib/libbar.so#0=gfx90a");
    split_save_archive(".kpack/foo_lib_gfx90a:xnack+.kpack", "#0=gfx90a:xnack+");
    report = audit("gfx90a:sramecc+:xnack-", NULL);
    cr_assert_eq(report->exit, 1);
    expect(report, "RA002", RA_ERROR);
    cr_assert_null(find(report, "RA203"));
}

/* ---- RA205, RA206: archives nobody refers to ----------------------------------------
 */

Test(rules_kpack, an_archive_that_nothing_refers_to_is_noted, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    make_healthy();
    split_save_archive(".kpack/old_lib_gfx942.kpack", "lib/libold.so#0=gfx942");
    report = audit("gfx90a", NULL);
    finding = expect(report, "RA205", RA_NOTE);
    cr_assert_not_null(strstr(finding->file, "old_lib_gfx942.kpack"));
    cr_assert_eq(report->exit, 0, "nobody loads it, so it fails nobody");
    cr_assert_eq(report->finding_count, 1);
}

Test(rules_kpack, archives_alone_are_no_orphans, IN_FOLDER)
{
    split_save_archive("foo_lib_gfx90a.kpack", "#0=gfx90a");
    split_save_archive("foo_lib_gfx942.kpack", "#0=gfx942");
    assert_healthy(audit("gfx90a", NULL));
    assert_healthy(audit("gfx942", NULL));
    cr_assert_eq(audit("gfx1100", NULL)->exit, 1);
}

Test(rules_kpack, a_library_that_does_not_use_its_archive, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    folder_fixture("lib/libfoo.so", "good-two-targets.so"); /* gfx90a and gfx1030 */
    split_save_archive(".kpack/foo_lib_gfx942.kpack", "#0=gfx942");
    report = audit("gfx942", NULL);
    cr_assert_eq(report->exit, 1);
    expect(report, "RA001", RA_ERROR);
    finding = expect(report, "RA206", RA_WARNING);
    assert_says(finding, "foo_lib_gfx942.kpack");
    expect(report, "RA205", RA_NOTE);
    report = audit("gfx90a", NULL);
    cr_assert_eq(report->exit, 0);
    cr_assert_null(find(report, "RA206"));
    cr_assert_null(find(report, "RA001"));
    expect(report, "RA205", RA_NOTE);
}

Test(rules_kpack, an_archive_elsewhere_says_nothing_of_a_library, IN_FOLDER)
{
    const struct ra_report *report;

    folder_fixture("lib/libfoo.so", "good-two-targets.so");
    split_save_archive("other/.kpack/foo_lib_gfx942.kpack", "#0=gfx942");
    report = audit("gfx942", NULL);
    cr_assert_eq(report->exit, 1);
    cr_assert_null(find(report, "RA206"));
}

/* ---- RA208 ----------------------------------------------------------------------------
 */

Test(rules_kpack, a_path_that_leads_nowhere_is_a_warning_once, IN_FOLDER)
{
    const struct ra_finding *finding;

    make_healthy();
    cr_assert_eq(mkdir(folder_name("devel"), 0700), 0);
    cr_assert_eq(mkdir(folder_name("devel/lib"), 0700), 0);
    cr_assert_eq(symlink("../../lib/libfoo.so", folder_name("devel/lib/libfoo.so")), 0);
    finding = expect(audit("gfx90a gfx1030", NULL), "RA208", RA_WARNING);
    assert_says(finding, "devel/lib/libfoo.so");
    cr_assert_eq(finding->device, RA_NO_DEVICE);
    cr_assert_eq(unlink(folder_name("devel/lib/libfoo.so")), 0);
    /* in the same folder it leads to the same archives */
    cr_assert_eq(symlink("libfoo.so", folder_name("lib/libfoo.so.1")), 0);
    assert_healthy(audit("gfx90a gfx1030", NULL));
}

/* ---- RA209 ----------------------------------------------------------------------------
 */

/* An archive of one code object with so many kernels. */
static void save_kernels(const char *file, const char *arch, size_t count)
{
    struct fx_kernel kernels[64];
    char names[64][8];
    struct fx code = { 0 }, fx = { 0 };
    struct fx_kpak_entry entry = { SPLIT_NAME "#0", arch, &code, NULL, false };

    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "k_%zu", i);
        kernels[i] =
            (struct fx_kernel){ .name = names[i], .vgprs = 4, .sgprs = 8, .kernarg = 8 };
    }
    fx_code(&code, &(struct fx_code){
                       .target = arch, .kernels = kernels, .kernel_count = count });
    (void)fx_kpak(&fx, &(struct fx_kpak){ .entries = &entry, .count = 1 });
    folder_save(file, &fx);
    fx_free(&fx);
    fx_free(&code);
}

Test(rules_kpack, far_fewer_kernels_than_others_have, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    split_save_host("lib/libfoo.so", 1);
    save_kernels(".kpack/foo_lib_gfx90a.kpack", "gfx90a", 40);
    save_kernels(".kpack/foo_lib_gfx906.kpack", "gfx906", 3);
    save_kernels(".kpack/foo_lib_gfx942.kpack", "gfx942", 30);
    report = audit("gfx906:sramecc+:xnack-", NULL);
    finding = expect(report, "RA209", RA_WARNING);
    assert_says(finding,
                "foo_lib_gfx906.kpack has 3 kernels, where foo_lib_gfx90a.kpack has 40");
    cr_assert_eq(report->exit, 0);
    assert_healthy(audit("gfx90a", NULL));
    assert_healthy(audit("gfx942", NULL));
}

Test(rules_kpack, few_of_few_kernels_are_no_matter, IN_FOLDER)
{
    split_save_host("lib/libfoo.so", 1);
    save_kernels(".kpack/foo_lib_gfx90a.kpack", "gfx90a", 19);
    save_kernels(".kpack/foo_lib_gfx906.kpack", "gfx906", 1);
    assert_healthy(audit("gfx906:sramecc+:xnack-", NULL));
}

/* ---- RA005: kernels that another archive has
 * ------------------------------------------- */

Test(rules_kpack, kernels_are_compared_over_archives, IN_FOLDER)
{
    const struct ra_report *report;
    const struct ra_file *file;

    split_save_host("lib/libfoo.so", 1);
    save_kernels(".kpack/foo_lib_gfx90a.kpack", "gfx90a", 5);
    save_kernels(".kpack/foo_lib_gfx942.kpack", "gfx942", 3);
    report = audit("gfx942", NULL);
    file = folder_file(report, "libfoo.so");
    cr_assert_eq(file->verdicts[0].kernels_missing, 2);
    cr_assert_eq(report->exit, 0);
    expect(report, "RA005", RA_WARNING);
    report = audit("gfx90a", NULL);
    cr_assert_eq(folder_file(report, "libfoo.so")->verdicts[0].kernels_missing, 0);
    cr_assert_null(find(report, "RA005"));
    report = audit("gfx1100", NULL);
    cr_assert_eq(folder_file(report, "libfoo.so")->verdicts[0].kernels_missing, 5);
}

Test(rules_kpack, kernel_names_are_those_of_all_archives, IN_FOLDER)
{
    const struct folder_ask ask = { .list = true, .options = { .kernels = true } };
    const struct ra_bundle *bundle;

    split_save_host("lib/libfoo.so", 1);
    save_kernels(".kpack/foo_lib_gfx90a.kpack", "gfx90a", 5);
    split_save_archive(".kpack/foo_lib_gfx942.kpack", "#0=gfx942");
    bundle = &folder_file(folder_ask(&ask), "libfoo.so")->bundles[0];
    cr_assert_eq(bundle->kernel_name_count, 6);
    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];
        const char *name = bundle->kernel_names[entry->kernels[0].name];

        cr_assert_str_eq(name, strcmp(entry->target, "gfx942") == 0 ? "k_add" : "k_0");
        cr_assert_eq(entry->kernel_count, strcmp(name, "k_add") == 0 ? 1 : 5);
    }
}

/* ---- RA211 ----------------------------------------------------------------------------
 */

static const struct ra_report *machine(const char *release)
{
    const char *const gpus[] = { folder_name("gpus.txt") };
    const struct folder_ask ask = {
        .paths = "lib .kpack",
        .options = { .runtime = release, .gpus_from = gpus, .gpus_from_count = 1 }
    };

    return folder_ask(&ask);
}

Test(rules_kpack, the_first_loaders_mix_gpus_up, IN_FOLDER)
{
    const struct ra_finding *finding;

    make_healthy();
    folder_write("gpus.txt", "gfx90a:sramecc+:xnack-\ngfx1030\n");
    finding = expect(machine("7.13"), "RA211", RA_WARNING);
    assert_says(finding, "gfx1030 may be given the code for gfx90a");
    expect(machine("7.14"), "RA211", RA_WARNING);
    assert_healthy(machine("10.1"));
    assert_healthy(machine(NULL));
    /* a list of targets is no machine */
    assert_healthy(audit("gfx90a gfx1030", "7.14"));
    folder_write("gpus.txt", "gfx90a:sramecc+:xnack-\ngfx90a:sramecc+:xnack-\n");
    assert_healthy(machine("7.14"));
}
