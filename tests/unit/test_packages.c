#include "installed.h"

#include <unistd.h>

TestSuite(packages, .init = folder_make, .fini = folder_remove);

#define SITE "env/lib/python3.12/site-packages/"

static const struct ra_report *ask(const char *paths, struct ra_options options)
{
    options.runtime = "7.0";
    return folder_ask(
        &(struct folder_ask){ .gpus = "gfx90a", .paths = paths, .options = options });
}

static const char *owner(const struct ra_report *report, const char *file)
{
    const struct ra_package *package = folder_file(report, file)->package;

    return package ? package->name : "";
}

/* ---- records above ---------------------------------------------------------- */

static void install_two(void)
{
    folder_fixture(SITE "foo/lib/a.so", "good-two-targets.so");
    folder_fixture(SITE "bar/b.so", "good-two-targets.so");
    install((struct installed){
        .site = SITE, .name = "foo", .version = "1", .rows = "foo/lib/a.so,,\n" });
    install((struct installed){
        .site = SITE, .name = "bar", .version = "2", .rows = "bar/b.so,,\n" });
    install((struct installed){ .site = SITE, .name = "triton", .version = "3" });
}

Test(packages, a_library_by_itself_is_of_the_package_that_lists_it)
{
    const struct ra_report *report;

    install_two();
    report = ask(SITE "foo/lib/a.so", (struct ra_options){ 0 });
    cr_expect_str_eq(owner(report, "a.so"), "foo");
    cr_expect_eq(report->package_count, 1, "the others were not asked for");
    report = ask(SITE "foo", (struct ra_options){ 0 });
    cr_expect_str_eq(owner(report, "lib/a.so"), "foo");
    cr_expect_eq(report->package_count, 1);
}

Test(packages, records_that_were_walked_are_not_read_again)
{
    const struct ra_report *report;

    install_two();
    report = ask("env", (struct ra_options){ 0 });
    cr_expect_eq(report->package_count, 3);
    cr_expect_str_eq(owner(report, "lib/python3.12/site-packages/foo/lib/a.so"), "foo");
}

Test(packages, a_file_of_no_package_has_none)
{
    const struct ra_report *report;

    install_two();
    folder_fixture(SITE "own.so", "good-two-targets.so");
    report = ask(SITE "own.so", (struct ra_options){ 0 });
    cr_expect_str_eq(owner(report, "own.so"), "");
    cr_expect_eq(report->package_count, 0);
}

Test(packages, a_relative_path_finds_the_records_as_well)
{
    const char *path = "a.so";
    struct ra_report *report;
    char here[4096];

    install_two();
    cr_assert_not_null(getcwd(here, sizeof(here)));
    cr_assert_eq(chdir(folder_name(SITE "foo/lib")), 0);
    report = ra_audit(&(struct ra_options){ .sz = sizeof(struct ra_options),
                                            .paths = &path,
                                            .path_count = 1,
                                            .gpus = (const char *const[]){ "gfx90a" },
                                            .gpu_count = 1,
                                            .runtime = "7.0" });
    cr_assert_eq(chdir(here), 0);
    cr_assert_not_null(report);
    cr_assert_eq(report->file_count, 1);
    cr_assert_not_null(report->files[0].package);
    cr_expect_str_eq(report->files[0].package->name, "foo");
    ra_report_free(report);
}

Test(packages, conda_has_its_records_in_a_folder_of_its_own)
{
    folder_fixture("env/lib/a.so", "good-two-targets.so");
    folder_write("env/conda-meta/foo-1-0.json",
                 "{\"name\": \"foo\", \"version\": \"1\", \"files\": [\"lib/a.so\"]}");
    cr_expect_str_eq(owner(ask("env/lib/a.so", (struct ra_options){ 0 }), "a.so"), "foo");
}

Test(packages, a_file_too_deep_does_not_hide_the_records_from_another)
{
    const struct ra_report *report;

    folder_fixture("site-packages/1/2/3/4/5/6/7/8/9/10/11/12/a.so",
                   "good-two-targets.so");
    folder_fixture("site-packages/1/z.so", "good-two-targets.so");
    install((struct installed){
        .site = "site-packages/", .name = "foo", .version = "1", .rows = "1/z.so,,\n" });
    report = ask("site-packages/1", (struct ra_options){ 0 });
    cr_expect_str_eq(owner(report, "z.so"), "foo");
}

Test(packages, folders_far_above_are_not_searched)
{
    folder_fixture("site-packages/1/2/3/4/5/6/7/8/9/10/11/12/a.so",
                   "good-two-targets.so");
    install((struct installed){ .site = "site-packages/",
                                .name = "foo",
                                .version = "1",
                                .rows = "1/2/3/4/5/6/7/8/9/10/11/12/a.so,,\n" });
    cr_expect_str_eq(owner(ask("site-packages/1/2/3/4/5/6/7/8/9/10/11/12/a.so",
                               (struct ra_options){ 0 }),
                           "a.so"),
                     "");
}

/* ---- editable installs ------------------------------------------------------ */

static void install_editable(const char *folder)
{
    char text[4200];

    snprintf(text, sizeof(text),
             "{\"url\": \"file://%s\", \"dir_info\": {\"editable\": true}}", folder);
    install((struct installed){ .site = SITE, .name = "ed", .version = "1" });
    folder_write(SITE "ed-1.dist-info/direct_url.json", text);
    folder_fixture("work/src/e.so", "good-two-targets.so");
    folder_fixture(SITE "other.so", "good-two-targets.so");
}

Test(packages, an_editable_install_elsewhere_is_a_note)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    install_editable(folder_name("work"));
    report = ask("env", (struct ra_options){ 0 });
    finding = the_finding(report, "RA225");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_NOTE);
    cr_expect(strstr(finding->message, folder_name("work")));
    cr_expect(strstr(finding->advice, "--follow-editable"));
    cr_expect_eq(report->totals.with_device_code, 1);
    cr_expect_eq(report->exit, 0);
}

Test(packages, an_editable_install_that_does_not_say_where_is_a_note)
{
    const struct ra_finding *finding;

    folder_fixture(SITE "other.so", "good-two-targets.so");
    folder_write(SITE "__editable__.ed-1.pth", "import __editable___ed_finder\n");
    finding =
        the_finding(ask("env", (struct ra_options){ .follow_editable = true }), "RA225");
    cr_assert_not_null(finding);
    cr_expect_null(finding->package->editable);
    cr_expect(strstr(finding->message, "no record says where"));
}

Test(packages, an_editable_install_is_followed_where_asked)
{
    const struct ra_report *report;
    struct ra_options follow = { .follow_editable = true };

    install_editable(folder_name("work"));
    report = ask("env", follow);
    cr_expect_null(the_finding(report, "RA225"));
    cr_expect_eq(report->totals.with_device_code, 2);
    cr_expect_str_eq(owner(report, "work/src/e.so"), "ed");
}

Test(packages, an_editable_install_below_what_is_audited_is_looked_at_anyway)
{
    const struct ra_report *report;

    install_editable(folder_name("work"));
    report = ask(NULL, (struct ra_options){ 0 });
    cr_expect_null(the_finding(report, "RA225"));
    cr_expect_str_eq(owner(report, "work/src/e.so"), "ed");
    report = ask(NULL, (struct ra_options){ .follow_editable = true });
    cr_expect_eq(report->totals.with_device_code, 2, "it is walked once");
}

Test(packages, a_record_cannot_make_an_audit_walk_what_is_above_it)
{
    struct ra_options follow = { .follow_editable = true };
    const char *folders[] = { "/", folder_path, folder_name("env"), folder_name("none"),
                              folder_name("work/src/e.so") };

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const struct ra_report *report;

        install_editable(folders[i]);
        report = ask(SITE, follow);
        cr_expect_eq(report->totals.with_device_code, 1, "%s", folders[i]);
        cr_expect_not_null(the_finding(report, "RA225"), "%s", folders[i]);
    }
}

Test(packages, other_records_of_editable_installs_are_followed_too)
{
    struct ra_options follow = { .follow_editable = true };

    folder_fixture("one/a.so", "good-two-targets.so");
    folder_fixture("two/b.so", "good-two-targets.so");
    folder_write(SITE "__editable__.one-1.pth", folder_name("one\n"));
    folder_write(SITE "two.egg-link", "../../../../two\n.\n");
    cr_expect_eq(ask("env", follow)->totals.with_device_code, 2);
    cr_expect_eq(ask("env", (struct ra_options){ 0 })->totals.with_device_code, 0);
}

/* ---- digests ---------------------------------------------------------------- */

/* FIPS 180-4 has that of "abc". */
#define ABC_HEX    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_BASE64 "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"

static void install_hashed(const char *text)
{
    folder_fixture("x.so", "good-two-targets.so");
    folder_write("hex.py", text);
    folder_write("base64.py", text);
    folder_write("unlisted.py", "whatever");
    install((struct installed){ .name = "foo",
                                .version = "1",
                                .rows = "hex.py,sha256=" ABC_HEX ",3\n"
                                        "base64.py,sha256=" ABC_BASE64 ",3\n"
                                        "gone.py,sha256=" ABC_HEX ",3\n"
                                        "x.so,,\n" });
}

Test(packages, files_that_are_as_recorded_are_well)
{
    const struct ra_report *report;

    install_hashed("abc");
    report = ask(NULL, (struct ra_options){ .verify = true });
    cr_expect_null(the_finding(report, "RA226"));
    cr_expect_eq(report->exit, 0);
}

Test(packages, files_that_differ_from_their_record_are_named)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    install_hashed("abd");
    report = ask(NULL, (struct ra_options){ .verify = true });
    finding = the_finding(report, "RA226");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_WARNING);
    cr_expect_str_eq(finding->package->name, "foo");
    cr_expect(strstr(finding->message, "2 files are not what RECORD says: base64.py, "
                                       "hex.py"));
    cr_expect_null(the_finding(ask(NULL, (struct ra_options){ 0 }), "RA226"));
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a", .check = true });
    cr_expect_not_null(the_finding(report, "RA226"), "a gate verifies in any case");
}

Test(packages, a_file_that_two_packages_bring_may_be_either)
{
    install_hashed("abd");
    install((struct installed){
        .name = "bar",
        .version = "1",
        .rows = "hex.py,sha256="
                "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9,3\n"
                "base64.py,sha256="
                "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9,3\n" });
    cr_expect_null(
        the_finding(ask(NULL, (struct ra_options){ .verify = true }), "RA226"));
}

Test(packages, any_number_of_threads_names_the_same_files)
{
    const char *texts[2];

    install_hashed("x");
    for (unsigned i = 0; i < 2; i++)
        texts[i] = folder_text(
            ask(NULL, (struct ra_options){ .verify = true, .threads = 1 + i * 3 }),
            "json");
    cr_expect_str_eq(texts[0], texts[1]);
}
