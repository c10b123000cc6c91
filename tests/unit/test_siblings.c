#include "folder.h"

#include "gfx/filename.h"

#include <criterion/criterion.h>

/* Files named by their targets, as libraries keep them. */
static void make_library(void)
{
    folder_fixture("library/Kernels.so-000-gfx1030.hsaco", "good-v5.co");
    folder_fixture("library/Kernels.so-000-gfx90a.hsaco", "good-gfx90a.co");
}

Test(siblings, a_file_for_another_gpu_is_no_fault, .init = folder_make,
     .fini = folder_remove)
{
    enum ra_severity severity;
    const struct ra_report *report;

    make_library();
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a", .paths = "library" });
    cr_assert_eq(report->exit, 0);
    cr_assert_eq(report->totals.errors, 0);
    cr_assert_eq(folder_findings(report, "RA001", &severity), 0);
    cr_assert_eq(folder_exit("gfx1030", "library"), 0);
}

Test(siblings, none_for_the_gpu_is_a_fault, .init = folder_make, .fini = folder_remove)
{
    make_library();
    cr_assert_eq(folder_exit("gfx1100", "library"), 1);
    /* named alone, it was meant */
    cr_assert_eq(folder_exit("gfx90a", "library/Kernels.so-000-gfx1030.hsaco"), 1);
}

Test(siblings, folders_are_named_as_well, .init = folder_make, .fini = folder_remove)
{
    folder_fixture("hsa/gfx942/a/one.co", "good-gfx942.co");
    folder_fixture("hsa/gfx90a/b/two.co", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx942", "hsa"), 0);
    cr_assert_eq(folder_exit("gfx90a", "hsa"), 0);
    cr_assert_eq(folder_exit("gfx1100", "hsa"), 1);
}

/* Other folders are other libraries, and a name that lies is no excuse. */
Test(siblings, only_what_stands_beside_it_counts, .init = folder_make,
     .fini = folder_remove)
{
    folder_fixture("a/k-gfx1030.co", "good-v5.co");
    folder_fixture("b/k-gfx90a.co", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx90a", "."), 1);
    folder_remove();
    folder_make();
    folder_fixture("a/k-gfx1010.co", "good-v5.co");
    folder_fixture("a/k-gfx90a.co", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx90a", "."), 1);
    folder_remove();
    folder_make();
    folder_fixture("a/k.co", "good-v5.co");
    folder_fixture("a/k-gfx90a.co", "good-gfx90a.co");
    cr_assert_eq(folder_exit("gfx90a", "."), 1);
}

Test(siblings, the_group_is_what_names_have_in_common)
{
    static const struct {
        const char *path, *target;
        size_t group;
    } known[] = {
        { "library/Kernels-gfx1030.hsaco", "gfx1030", 8 },
        { "hsa/gfx942/fmha/gfx950.co", "gfx942", 4 },
        { "gfx90a.co", "gfx90a", 0 },
    };
    struct ra_target target;
    size_t group;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        cr_assert(ra_filename_group(known[i].path, &target, &group));
        cr_assert_str_eq(target.processor, known[i].target);
        cr_assert_eq(group, known[i].group);
    }
    cr_assert_not(ra_filename_group("library/kernels.co", &target, &group));
}
