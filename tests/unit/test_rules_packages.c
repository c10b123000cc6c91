#include "installed.h"

TestSuite(rules_packages, .init = folder_make, .fini = folder_remove);

/* What pip installs in one command, for one GPU. */
#define VERSION "2.13.0+rocm10.0"
#define PINNED  "Requires-Dist: torch==" VERSION "\n"

static const struct ra_report *audit(const char *gpus)
{
    return folder_ask(
        &(struct folder_ask){ .gpus = gpus, .options = { .runtime = "7.0" } });
}

static const struct ra_finding *told(const char *gpus, const char *rule)
{
    return the_finding(audit(gpus), rule);
}

static void install_torch(const char *version)
{
    folder_write("torch/version.py", "v");
    install((struct installed){
        .name = "torch", .version = version, .rows = "torch/version.py,,\n" });
}

/* A device package that holds something. */
static void install_device(const char *name, const char *version, const char *needs)
{
    folder_write("torch/.kpack/x", "x");
    install((struct installed){
        .name = name, .version = version, .needs = needs, .rows = "torch/.kpack/x,,\n" });
}

/* ---- RA221 ------------------------------------------------------------------ */

Test(rules_packages, code_of_the_subfamily_alone_is_told)
{
    const struct ra_finding *finding;

    install_torch(VERSION);
    install_device("amd-torch-device-gfx115x", VERSION, PINNED);
    finding = told("gfx1151", "RA221");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_WARNING);
    cr_expect_str_eq(finding->package->name, "torch");
    cr_expect_eq(finding->device, 0);
    cr_expect(strstr(finding->message, "amd-torch-device-gfx1151 is not"));
    cr_expect(strstr(finding->advice, "torch[device-gfx1151]"));
}

Test(rules_packages, code_of_subfamily_and_family_is_told_once)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx115x", VERSION, PINNED);
    install_device("amd-torch-device-gfx11", VERSION, PINNED);
    cr_expect_not_null(told("gfx1151", "RA221"));
}

Test(rules_packages, code_of_the_processor_beside_the_family_is_well)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx115x", VERSION, PINNED);
    install_device("amd-torch-device-gfx1151", VERSION, PINNED);
    cr_expect_null(told("gfx1151", "RA221"));
}

Test(rules_packages, a_placeholder_of_the_processor_is_no_code_of_it)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx115x", VERSION, PINNED);
    install((struct installed){ .name = "amd-torch-device-gfx1151",
                                .version = "0.0.1.dev0" });
    cr_expect_not_null(told("gfx1151", "RA221"));
}

Test(rules_packages, code_of_another_family_is_no_matter_of_a_family)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx115x", VERSION, PINNED);
    cr_expect_null(told("gfx942", "RA221"));
}

Test(rules_packages, a_host_that_serves_the_gpu_itself_needs_no_device_package)
{
    folder_fixture("torch/lib.so", "good-two-targets.so");
    install((struct installed){
        .name = "torch", .version = VERSION, .rows = "torch/lib.so,,\n" });
    install_device("amd-torch-device-gfx10-3", VERSION, PINNED);
    cr_expect_null(told("gfx1030", "RA221"));
}

Test(rules_packages, a_family_that_the_device_package_requires_is_missed)
{
    const struct ra_finding *finding;

    install_torch(VERSION);
    install_device("amd-torch-device-gfx1100", VERSION,
                   PINNED "Requires-Dist: amd-torch-device-gfx11\n"
                          "Requires-Dist: amd-torch-device-gfx110x\n");
    install_device("amd-torch-device-gfx110x", VERSION, PINNED);
    finding = told("gfx1100", "RA221");
    cr_assert_not_null(finding);
    cr_expect_str_eq(finding->package->name, "amd-torch-device-gfx1100");
    cr_expect(strstr(finding->message, "requires amd-torch-device-gfx11,"));
}

Test(rules_packages, a_family_that_nobody_requires_is_not_missed)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx1100", VERSION, PINNED);
    cr_expect_null(told("gfx1100", "RA221"));
}

Test(rules_packages, a_family_that_is_required_elsewhere_is_not_missed)
{
    install_torch(VERSION);
    install_device("amd-torch-device-gfx1100", VERSION,
                   "Requires-Dist: amd-torch-device-gfx11; sys_platform == \"win32\"\n");
    cr_expect_null(told("gfx1100", "RA221"));
}

/* ---- RA222 ------------------------------------------------------------------ */

Test(rules_packages, a_device_package_without_files_is_a_placeholder)
{
    const struct ra_finding *finding;

    install_torch(VERSION);
    install(
        (struct installed){ .name = "amd-torch-device-gfx942", .version = "0.0.1.dev0" });
    finding = told("gfx942 gfx1100", "RA222");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_WARNING);
    cr_expect_eq(finding->device, RA_NO_DEVICE);
    cr_expect_null(told("gfx942", "RA223"));
}

Test(rules_packages, a_placeholder_that_promises_nothing_is_not_told)
{
    install((struct installed){ .name = "foo", .version = "0.0.1.dev0" });
    cr_expect_null(told("gfx942", "RA222"));
}

Test(rules_packages, a_name_for_other_packages_is_no_placeholder)
{
    install((struct installed){ .name = "foo-rocm",
                                .version = "1",
                                .needs = "Requires-Dist: foo==1\n",
                                .rows = "foo_rocm-1.dist-info/WHEEL,,\n" });
    cr_expect_null(told("gfx942", "RA222"));
}

/* ---- RA223 ------------------------------------------------------------------ */

Test(rules_packages, a_device_package_for_another_version_is_told)
{
    const struct ra_finding *finding;

    install_torch("2.12.0+rocm10.0");
    install_device("amd-torch-device-gfx942", VERSION, PINNED);
    finding = told("gfx942", "RA223");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_WARNING);
    cr_expect(strstr(finding->message, "torch 2.13.0+rocm10.0, and 2.12.0+rocm10.0"));
}

/* PEP 440: a wanted version without local part takes any. */
Test(rules_packages, versions_are_compared_as_pip_does)
{
    static const struct {
        const char *host, *needs;
        bool skewed;
    } cases[] = {
        { VERSION, PINNED, false },
        { VERSION, "Requires-Dist: torch == 2.13.0\n", false },
        { VERSION, "Requires-Dist: torch (==2.13.0)\n", false },
        { VERSION, "Requires-Dist: torch==2.13.0+ROCM10-0\n", false },
        { VERSION, "Requires-Dist: torch>=2.12\n", false },
        { VERSION, "Requires-Dist: torch==2.*\n", false },
        { VERSION, "Requires-Dist: torch==2.13.0+rocm7.14\n", true },
        { VERSION, "Requires-Dist: torch==2.13\n", false },
        { "2.13+rocm10.0", "Requires-Dist: torch==2.13.0.0\n", false },
        { VERSION, "Requires-Dist: torch==2.1\n", true },
        { VERSION, "Requires-Dist: torch==2.13.1\n", true },
        { "2.13.0", PINNED, true },
        { VERSION, NULL, false },
        { "2.12.0", NULL, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        install_torch(cases[i].host);
        install_device("amd-torch-device-gfx942", VERSION, cases[i].needs);
        cr_expect_eq(told("gfx942", "RA223") != NULL, cases[i].skewed, "case %zu", i);
        folder_remove();
        folder_make();
    }
}

/* A folder of wheels: the code of one version must not pass for that of the other. */
Test(rules_packages, each_version_of_a_host_wants_its_own_device_package)
{
    const struct ra_finding *finding;

    install_torch("2.12.0+rocm10.0");
    install_torch(VERSION);
    install_device("amd-torch-device-gfx942", VERSION, PINNED);
    finding = told("gfx942", "RA223");
    cr_assert_not_null(finding);
    cr_assert_str_eq(finding->package->name, "torch");
    cr_assert_str_eq(finding->package->version, "2.12.0+rocm10.0");
    install_device("amd-torch-device-gfx942", "2.12.0+rocm10.0",
                   "Requires-Dist: torch == 2.12.0+rocm10.0\n");
    cr_assert_null(told("gfx942", "RA223"));
}

Test(rules_packages, another_environment_is_of_no_matter)
{
    folder_write("a/x", "x");
    folder_write("b/x", "x");
    install((struct installed){
        .site = "a/", .name = "torch", .version = "1", .rows = "x,,\n" });
    install((struct installed){ .site = "b/",
                                .name = "amd-torch-device-gfx942",
                                .version = "2",
                                .rows = "x,,\n" });
    cr_expect_null(told("gfx942", "RA223"));
    cr_expect_null(told("gfx942", "RA231"));
}

/* ---- RA224 ------------------------------------------------------------------ */

Test(rules_packages, a_name_that_promises_rocm_without_code_is_a_note)
{
    const struct ra_finding *finding;

    folder_fixture("foo.so", "good-host-only.so");
    install(
        (struct installed){ .name = "foo-rocm", .version = "1", .rows = "foo.so,,\n" });
    finding = told("gfx90a", "RA224");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_NOTE);
}

Test(rules_packages, no_device_code_is_told_of_libraries_that_were_read_only)
{
    folder_fixture("foo.so", "good-host-only.so");
    folder_fixture("bad.so", "bad-truncated.so");
    install(
        (struct installed){ .name = "foo-rocm", .version = "1", .rows = "foo.so,,\n" });
    cr_expect_null(told("gfx90a", "RA224"));
}

Test(rules_packages, what_is_known_to_have_no_device_code_is_not_told)
{
    static const char *const names[] = { "foo", "rocm-sdk-core", "openmm-hip-7",
                                         "pytorch-triton-rocm" };

    folder_fixture("foo.so", "good-host-only.so");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        install(
            (struct installed){ .name = names[i], .version = "1", .rows = "foo.so,,\n" });
    folder_fixture("code.so", "good-two-targets.so");
    install((struct installed){
        .name = "bar-rocm", .version = "1", .rows = "foo.so,,\ncode.so,,\n" });
    install((struct installed){ .name = "baz-rocm", .version = "1", .rows = "x.py,,\n" });
    cr_expect_null(told("gfx90a", "RA224"));
}

/* ---- RA227, RA228 ----------------------------------------------------------- */

#define POINTER                                                                          \
    "version https://git-lfs.github.com/spec/v1\n"                                       \
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"      \
    "size 12345\n"

Test(rules_packages, a_pointer_of_git_lfs_is_an_error_once)
{
    const struct ra_report *report;
    const struct ra_finding *finding;

    folder_fixture("good.so", "good-two-targets.so");
    folder_write("k.hsaco", POINTER);
    report = audit("gfx90a gfx1030");
    finding = the_finding(report, "RA227");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_ERROR);
    cr_expect_eq(finding->device, RA_NO_DEVICE);
    cr_expect_eq(folder_file(report, "k.hsaco")->oddity, RA_ODDITY_LFS_POINTER);
    cr_expect_eq(report->exit, 1);
}

Test(rules_packages, names_of_libraries_and_code_alone_matter)
{
    static const struct {
        const char *name, *text, *rule;
    } cases[] = {
        { "libx.so.1.2", POINTER, "RA227" },
        { "x.co", POINTER, "RA227" },
        { "x_gfx942.kpack", POINTER, "RA227" },
        { "x.dat", POINTER, "RA227" },
        { "libx.a", POINTER, "RA227" },
        { "x.bin", POINTER, NULL },
        { "x.so.txt", POINTER, NULL },
        { "libx.so", "", "RA228" },
        { "x.hsaco", "", "RA228" },
        { "x.kpack", "", "RA228" },
        { "x.so.3", "", "RA228" },
        { "x.a", "", NULL },
        { "__init__.py", "", NULL },
        { "libx.so", "x", NULL },
        { "libx.so.0.host-x86_64-unknown-linux", "", NULL },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ra_report *report;

        folder_fixture("good.so", "good-two-targets.so");
        folder_write(cases[i].name, cases[i].text);
        report = audit("gfx90a");
        cr_expect_eq(the_finding(report, "RA227") != NULL,
                     cases[i].rule && strcmp(cases[i].rule, "RA227") == 0, "case %zu", i);
        cr_expect_eq(the_finding(report, "RA228") != NULL,
                     cases[i].rule && strcmp(cases[i].rule, "RA228") == 0, "case %zu", i);
        cr_expect_eq(report->file_count, cases[i].rule ? 2 : 1, "case %zu", i);
        folder_remove();
        folder_make();
    }
}

Test(rules_packages, an_empty_library_is_a_warning_and_a_listing_is_silent)
{
    const struct ra_report *report;

    folder_fixture("good.so", "good-two-targets.so");
    folder_write("libempty.so", "");
    report = audit("gfx90a");
    cr_assert_not_null(the_finding(report, "RA228"));
    cr_expect_eq(the_finding(report, "RA228")->severity, RA_WARNING);
    cr_expect_eq(report->exit, 0);
    report = folder_ask(&(struct folder_ask){ .list = true });
    cr_expect_eq(report->file_count, 1);
}

/* ---- RA229 ------------------------------------------------------------------ */

Test(rules_packages, leftovers_are_told_once_a_folder)
{
    const struct ra_report *report;
    enum ra_severity severity;

    folder_fixture("a/x.so.0.hipv4-amdgcn-amd-amdhsa--gfx90a", "good-gfx90a.co");
    folder_fixture("a/x.so.1.hipv4-amdgcn-amd-amdhsa--gfx90a", "good-gfx90a.co");
    folder_fixture("b/x.so.0.hip-amdgcn-amd-amdhsa--gfx90a", "good-gfx90a.co");
    folder_fixture("b/x.so", "good-two-targets.so");
    report = audit("gfx90a gfx1030");
    cr_expect_eq(folder_findings(report, "RA229", &severity), 2);
    cr_expect_eq(severity, RA_NOTE);
    cr_expect_eq(report->exit, 0);
    folder_remove();
    folder_make();
    folder_fixture("b/x.so.1.2", "good-two-targets.so");
    cr_expect_null(told("gfx90a", "RA229"));
}

/* ---- RA230 ------------------------------------------------------------------ */

static const struct ra_report *with_variants(const char *runtime)
{
    folder_fixture("bnb/libbitsandbytes_rocm64.so", "good-two-targets.so");
    folder_fixture("bnb/libbitsandbytes_rocm70.so", "good-gfx90a.co");
    install((struct installed){ .name = "bitsandbytes",
                                .version = "0.50.2",
                                .rows = "bnb/libbitsandbytes_rocm64.so,,\n"
                                        "bnb/libbitsandbytes_rocm70.so,,\n" });
    return folder_ask(
        &(struct folder_ask){ .gpus = "gfx1030", .options = { .runtime = runtime } });
}

Test(rules_packages, a_package_without_a_variant_for_the_release_fails)
{
    const struct ra_report *report = with_variants("5.7");
    const struct ra_finding *finding = the_finding(report, "RA230");
    const struct ra_package *package = the_package(report, "bitsandbytes");

    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_ERROR);
    cr_expect(strstr(finding->message, "none of its 2 libraries is for ROCm 5.7"));
    cr_expect_eq(report->exit, 1);
    cr_assert_eq(package->verdict_count, 1);
    cr_expect_eq(package->verdicts[0].kind, RA_UNLOADABLE);
    cr_expect_eq(package->verdicts[0].severity, RA_ERROR);
    for (size_t i = 0; i < report->file_count; i++)
        cr_expect_not_null(report->files[i].verdicts[0].excused);
    cr_expect_null(the_finding(report, "RA001"), "none of them is loaded");
}

Test(rules_packages, a_package_with_a_variant_for_the_release_is_judged_by_it)
{
    const struct ra_report *report = with_variants("6.4");

    cr_expect_null(the_finding(report, "RA230"));
    cr_expect_eq(report->exit, 0);
    cr_expect_eq(the_package(report, "bitsandbytes")->verdicts[0].kind, RA_NATIVE);
    report = with_variants("7.0");
    cr_expect_null(the_finding(report, "RA230"));
    cr_expect_eq(report->exit, 1, "the one that is loaded has no code for it");
}

/* ---- RA231 ------------------------------------------------------------------ */

Test(rules_packages, a_device_package_alone_is_a_note_and_in_company_a_warning)
{
    const struct ra_finding *finding;

    install_device("amd-torch-device-gfx942", VERSION, NULL);
    finding = told("gfx942", "RA231");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_NOTE);
    install((struct installed){ .name = "numpy", .version = "2" });
    finding = told("gfx942", "RA231");
    cr_assert_not_null(finding);
    cr_expect_eq(finding->severity, RA_WARNING);
    install_torch(VERSION);
    cr_expect_null(told("gfx942", "RA231"));
}

/* ---- the exit status -------------------------------------------------------- */

Test(rules_packages, packages_that_compile_where_they_run_fit)
{
    const struct ra_report *report;

    folder_write("triton/x.py", "x");
    install((struct installed){
        .name = "triton", .version = "3.5.0", .rows = "triton/x.py,,\n" });
    report = audit("gfx942");
    cr_expect_eq(report->exit, 0);
    cr_expect(strstr(folder_text(report, "text"),
                     "No AMD device code: triton 3.5.0 compiles its kernels on the "
                     "machine.   exit 0"));
    folder_fixture("foo.so", "good-host-only.so");
    install(
        (struct installed){ .name = "foo-rocm", .version = "1", .rows = "foo.so,,\n" });
    cr_expect_eq(audit("gfx942")->exit, 2, "foo-rocm promises code");
}

Test(rules_packages, code_for_other_makes_beside_a_compiler_is_undecided)
{
    folder_fixture("foo.so", "good-cuda-only.so");
    install((struct installed){ .name = "triton", .version = "3.5.0" });
    cr_expect_eq(audit("gfx942")->exit, 2);
}
