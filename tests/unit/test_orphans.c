#include "folder.h"
#include "split.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define IN_FOLDER .init = folder_make, .fini = folder_remove

static const struct ra_file *audit(const char *gpu, const char *paths, const char *name)
{
    return folder_file(folder_ask(&(struct folder_ask){ .gpus = gpu, .paths = paths }),
                       name);
}

static void make_used(void)
{
    split_save_host("lib/libfoo.so", 1);
    split_save_archive(".kpack/foo_lib_gfx90a.kpack", "#0=gfx90a");
}

Test(orphans, an_archive_of_a_library_is_used, IN_FOLDER)
{
    const struct ra_file *file;

    make_used();
    file = audit("gfx90a", NULL, "foo_lib_gfx90a.kpack");
    cr_assert(file->kpack->used);
    cr_assert_not(file->kpack->orphan);
}

/* Of other GPUs than that of the audit too: it is used where it is of use. */
Test(orphans, an_archive_for_another_gpu_is_used, IN_FOLDER)
{
    const struct ra_file *file;

    make_used();
    split_save_archive(".kpack/foo_lib_gfx942.kpack", "#0=gfx942");
    file = audit("gfx90a", NULL, "foo_lib_gfx942.kpack");
    cr_assert(file->kpack->used);
    cr_assert_not(file->kpack->orphan);
    cr_assert_not_null(file->verdicts[0].excused);
}

Test(orphans, an_archive_beside_libraries_that_do_not_refer_to_it, IN_FOLDER)
{
    const struct ra_file *file;

    make_used();
    split_save_archive(".kpack/bar_lib_gfx942.kpack", "lib/libbar.so#0=gfx942");
    file = audit("gfx90a", NULL, "bar_lib_gfx942.kpack");
    cr_assert_not(file->kpack->used);
    cr_assert(file->kpack->orphan);
    cr_assert_not_null(file->verdicts[0].excused);
}

Test(orphans, an_archive_alone_is_none, IN_FOLDER)
{
    const struct ra_file *file;

    make_used();
    file = audit("gfx90a", ".kpack/foo_lib_gfx90a.kpack", "foo_lib_gfx90a.kpack");
    cr_assert_not(file->kpack->used);
    cr_assert_not(file->kpack->orphan);
    cr_assert_null(file->verdicts[0].excused);
}

/* Names in an archive are relative to the folder that its folder is in. */
static const struct {
    const char *library, *archive, *name;
    bool lists;
} plain_rows[] = {
    { "lib/libfoo.so", ".kpack/x.kpack", "lib/libfoo.so", true },
    { "a/lib/libfoo.so", "a/.kpack/x.kpack", "lib/libfoo.so", true },
    { "a/lib/libfoo.so", "a/.kpack/x.kpack", "lib/../lib/libfoo.so", true },
    { "lib/libfoo.so", "a/.kpack/x.kpack", "lib/libfoo.so", false },
    { "lib/libfoo.so", ".kpack/x.kpack", "lib/libbar.so", false },
    { "lib/libfoo.so", ".kpack/x.kpack", "libfoo.so", false },
};

Test(orphans, a_library_is_known_by_its_place, IN_FOLDER)
{
    for (size_t i = 0; i < RA_COUNT(plain_rows); i++) {
        char library[64], archive[64], entries[64], folder[8];
        const struct ra_file *file;

        snprintf(folder, sizeof(folder), "%zu", i);
        snprintf(library, sizeof(library), "%zu/%s", i, plain_rows[i].library);
        snprintf(archive, sizeof(archive), "%zu/%s", i, plain_rows[i].archive);
        snprintf(entries, sizeof(entries), "%s#0=gfx942", plain_rows[i].name);
        folder_fixture(library, "good-two-targets.so");
        split_save_archive(archive, entries);
        file = audit("gfx90a", folder, "libfoo.so");
        cr_expect_eq(file->unused_archive != NULL, plain_rows[i].lists, "%s, %s",
                     plain_rows[i].archive, plain_rows[i].name);
        file = audit("gfx90a", folder, "x.kpack");
        cr_expect(file->kpack->orphan, "no library refers to it, listed or not");
    }
}

/* What leads out of all folders, and names that are none, are nobody's. */
Test(orphans, odd_names_are_of_no_library, IN_FOLDER)
{
    split_save_archive(".kpack/x.kpack", "../../../../../../../etc/passwd#0=gfx90a "
                                         "/etc/passwd#0=gfx90a .#0=gfx90a");
    folder_fixture("lib/libfoo.so", "good-two-targets.so");
    cr_assert(audit("gfx90a", NULL, "x.kpack")->kpack->orphan);
    cr_assert_null(audit("gfx90a", NULL, "libfoo.so")->unused_archive);
}
