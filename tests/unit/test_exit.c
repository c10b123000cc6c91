/* The exit status is what a pipeline acts on: rocaudit(1), "EXIT STATUS". */
#include "folder.h"

#include "gen/files.h"

#include <criterion/criterion.h>
#include <sys/stat.h>
#include <unistd.h>

static int exit_with(const char *gpus, const char *paths, struct ra_options options)
{
    return folder_ask(
               &(struct folder_ask){ .gpus = gpus, .paths = paths, .options = options })
        ->exit;
}

static int exit_of_list(const char *paths, struct ra_options options)
{
    return folder_ask(
               &(struct folder_ask){ .paths = paths, .list = true, .options = options })
        ->exit;
}

static const struct ra_options allow_empty = { .allow_empty = true };
static const struct ra_options allow_incomplete = { .allow_incomplete = true };

static void make_inputs(void)
{
    folder_make();
    folder_fixture("fits.so", "good-two-targets.so");
    folder_fixture("partial.so", "good-partial.so");
    folder_fixture("damaged.fb", "bad-truncated.fb");
    folder_fixture("kpack.so", "odd-hipk.so");
    folder_fixture("host.so", "good-host-only.so");
    folder_fixture("cuda.so", "good-cuda-only.so");
    folder_fixture("guard.so", "good-arch-guard-stub.so");
    folder_write("text", "nothing of interest\n");
}

Test(exit, is_0_if_everything_fits, .init = make_inputs, .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx90a", "fits.so"), 0);
    cr_assert_eq(folder_exit("gfx1030", "fits.so"), 0);
    cr_assert_eq(folder_exit("gfx1030 gfx90a", "fits.so"), 0);
    cr_assert_eq(folder_exit("gfx90a", "fits.so partial.so host.so cuda.so text"), 0);
}

Test(exit, is_1_if_a_mismatch_is_established, .init = make_inputs, .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx1100", "fits.so"), 1);
    cr_assert_eq(folder_exit("gfx1030", "partial.so"), 1);
    cr_assert_eq(folder_exit("gfx90a gfx1100", "fits.so"), 1);
    cr_assert_eq(folder_exit("gfx1030", "fits.so partial.so"), 1);
}

Test(exit, is_2_if_something_was_not_read, .init = make_inputs, .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx1030", "damaged.fb"), 2);
    cr_assert_eq(folder_exit("gfx90a", "damaged.fb"), 2);
    cr_assert_eq(folder_exit("gfx90a", "fits.so damaged.fb"), 2);
}

/* Its code is in archives, and none is there. */
Test(exit, is_1_for_a_library_that_lost_its_archives, .init = make_inputs,
     .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx90a", "kpack.so"), 1);
    cr_assert_eq(folder_exit("gfx90a", "fits.so kpack.so"), 1);
}

Test(exit, a_mismatch_outranks_what_was_not_read, .init = make_inputs,
     .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx1030", "partial.so damaged.fb"), 1);
    cr_assert_eq(folder_exit("gfx1030", "damaged.fb partial.so"), 1);
    cr_assert_eq(folder_exit("gfx1100", "fits.so no-such-file"), 1);
    cr_assert_eq(folder_exit("gfx1100", "fits.so kpack.so"), 1);
}

Test(exit, is_2_without_device_code_unless_that_is_allowed, .init = make_inputs,
     .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx90a", "host.so"), 2);
    cr_assert_eq(folder_exit("gfx90a", "cuda.so"), 2);
    cr_assert_eq(folder_exit("gfx90a", "text"), 2);
    cr_assert_eq(folder_exit("gfx90a", "host.so cuda.so text"), 2);
    cr_assert_eq(exit_with("gfx90a", "host.so", allow_empty), 0);
    cr_assert_eq(exit_with("gfx90a", "cuda.so", allow_empty), 0);
    /* Code in archives is code, whatever is allowed to be empty. */
    cr_assert_eq(exit_with("gfx90a", "kpack.so", allow_empty), 1);
    cr_assert_eq(exit_with("gfx90a", "damaged.fb", allow_empty), 2);
}

Test(exit, is_0_for_what_was_not_read_only_if_that_is_allowed, .init = make_inputs,
     .fini = folder_remove)
{
    cr_assert_eq(exit_with("gfx90a", "fits.so damaged.fb", allow_incomplete), 0);
    cr_assert_eq(exit_with("gfx1030", "partial.so damaged.fb", allow_incomplete), 1);
    cr_assert_eq(exit_with("gfx90a", "host.so", allow_incomplete), 2);
}

Test(exit, is_2_if_a_path_does_not_exist, .init = make_inputs, .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx90a", "no-such-file"), 2);
    cr_assert_eq(folder_exit("gfx90a", "fits.so no-such-file"), 2);
    cr_assert_eq(exit_with("gfx90a", "no-such-file", allow_empty), 2);
}

Test(exit, is_2_for_a_file_that_may_not_be_read, .init = make_inputs,
     .fini = folder_remove)
{
    if (geteuid() == 0)
        cr_skip("root may read everything");
    cr_assert_eq(chmod(folder_name("fits.so"), 0), 0);
    cr_assert_eq(folder_exit("gfx90a", "fits.so"), 2);
    cr_assert_eq(folder_exit("gfx90a", "partial.so fits.so"), 2);
}

Test(exit, is_2_without_a_gpu_to_judge_for, .init = make_inputs, .fini = folder_remove)
{
    struct ra_options nowhere = { .sysfs = "fixtures/kfd/cpu-only" };
    const struct ra_report *report;

    report = folder_ask(&(struct folder_ask){ .paths = "fits.so", .options = nowhere });
    cr_assert_eq(report->exit, 2);
    cr_assert_eq(report->device_count, 0);
    cr_assert_gt(strlen(report->devices_text), 0);
    nowhere.sysfs = "/nonexistent";
    nowhere.allow_empty = nowhere.allow_incomplete = true;
    cr_assert_eq(exit_with("", "fits.so", nowhere), 2);
}

Test(exit, warnings_count_if_they_are_asked_for, .init = make_inputs,
     .fini = folder_remove)
{
    cr_assert_eq(folder_exit("gfx1150", "guard.so"), 0);
    cr_assert_eq(exit_with("gfx1150", "guard.so", (struct ra_options){ .strict = true }),
                 1);
    cr_assert_eq(exit_with("gfx1150", "guard.so",
                           (struct ra_options){ .fail_on = RA_FAIL_ON_WARNING }),
                 1);
    cr_assert_eq(exit_with("gfx1100", "guard.so", (struct ra_options){ .strict = true }),
                 0);
}

Test(exit, never_fails_if_that_is_asked_for, .init = make_inputs, .fini = folder_remove)
{
    static const struct ra_options never = { .fail_on = RA_FAIL_NEVER };

    cr_assert_eq(exit_with("gfx1100", "fits.so", never), 0);
    /* It is mismatches that are not to fail; what is not known stays so. */
    cr_assert_eq(exit_with("gfx90a", "damaged.fb", never), 2);
    cr_assert_eq(exit_with("gfx90a", "host.so", never), 2);
}

Test(exit, of_a_list_tells_whether_there_is_one, .init = make_inputs,
     .fini = folder_remove)
{
    static const struct ra_options plain = { 0 };

    cr_assert_eq(exit_of_list("fits.so", plain), 0);
    cr_assert_eq(exit_of_list("fits.so host.so text", plain), 0);
    cr_assert_eq(exit_of_list("host.so", plain), 2);
    cr_assert_eq(exit_of_list("damaged.fb", plain), 2);
    cr_assert_eq(exit_of_list("fits.so damaged.fb", plain), 2);
    cr_assert_eq(exit_of_list("kpack.so", plain), 2);
    cr_assert_eq(exit_of_list("no-such-file", plain), 2);
    cr_assert_eq(exit_of_list("host.so", allow_empty), 0);
    cr_assert_eq(exit_of_list("fits.so damaged.fb", allow_incomplete), 0);
}

Test(exit, of_gpus_tells_whether_there_is_one)
{
    static const struct {
        const char *sysfs;
        int exit;
    } rows[] = { { "fixtures/kfd/mi300x-spx-x2", 0 },
                 { "fixtures/kfd/cpu-only", 2 },
                 { "fixtures/kfd/old-kernel-mi25", 0 }, /* by its PCI device */
                 { "/nonexistent", 2 } };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_options options = { .sz = sizeof(options), .sysfs = rows[i].sysfs };
        struct ra_report *report = ra_gpus(&options);

        cr_assert_not_null(report);
        cr_assert_eq(report->exit, rows[i].exit, "%s", rows[i].sysfs);
        ra_report_free(report);
    }
}

/* Of targets that were listed each is meant, an APU behind another as well. */
Test(exit, a_list_of_targets_is_no_machine, .init = folder_make, .fini = folder_remove)
{
    folder_fixture("a.so", "good-two-targets.so");
    folder_write("rocminfo", "gfx1030\ngfx1151\n");
    cr_assert_eq(folder_exit("gfx1030 gfx1151", "a.so"), 1);
    cr_assert_eq(folder_exit("gfx1151 gfx1030", "a.so"), 1);
    {
        const char *files[] = { folder_name("rocminfo") };
        struct folder_ask one = {
            .paths = "a.so", .options = { .gpus_from = files, .gpus_from_count = 1 }
        };

        cr_assert_eq(folder_ask(&one)->exit, 0); /* one machine, the APU behind */
    }
}
