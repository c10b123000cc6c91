/* What a listing says of code that is in archives of kernels. */
#include "sample.h"

#include <stdlib.h>

static const struct ra_style plain = { 0 };
static const struct ra_style verbose = { .verbose = true };

static const char *const patterns[] = { "../.kpack/torch_@GFXARCH@.kpack",
                                        "../.kpack/more.kpack" };
static const char *const arches[] = { "gfx1030", "gfx1031" };

/* A host file with one wrapper, whose code for gfx1030 is in an archive. */
static void make_host(struct sample *sample, struct ra_kpack *kpack,
                      struct ra_kpack_archive *archive)
{
    struct library *library = &sample->libraries[0];

    sample_make(sample, 1);
    *archive = (struct ra_kpack_archive){ .path = "/opt/.kpack/torch_gfx1030.kpack",
                                          .target = "gfx1030",
                                          .arches = arches,
                                          .arch_count = 2,
                                          .binary_count = 12,
                                          .has_binary = true,
                                          .complete = true,
                                          .kernels = 1234 };
    *kpack = (struct ra_kpack){ .name = "lib/lib00.so",
                                .patterns = patterns,
                                .pattern_count = 1,
                                .archives = archive,
                                .archive_count = 1 };
    library->file.kpack = kpack;
    library->bundle.container = "kpack";
    library->bundle.key = "lib/lib00.so#0";
    library->entries[0] = library->entries[1];
    library->entries[0].archive = archive->path;
    library->entries[0].archive_target = "gfx1030";
    library->bundle.entry_count = 1;
}

static void take_archive(struct sample *sample, struct ra_kpack *kpack)
{
    kpack->archive_count = 0;
    sample->libraries[0].bundle.entry_count = 0;
}

/* The offset is one in the archive, and nothing is added to it. */
Test(report_kpack, listing_names_the_archive_of_each_code_object)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;
    char *text;

    make_host(&sample, &kpack, &archive);
    text = sample_render(sample_listing(&sample), "text", plain);
    cr_expect_str_eq(text, "BUNDLE  TARGET   COV  KERNELS     SIZE  OFFSET\n"
                           "     0  gfx1030    5        2  1.72 MB  0x1000  in "
                           "torch_gfx1030.kpack\n");
    free(text);
    assert_says(&sample.report, "text", verbose,
                "1.72 MB  0x1000  in /opt/.kpack/torch_gfx1030.kpack\n");
}

Test(report_kpack, listing_says_which_archives_are_not_here)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;
    char *text;

    make_host(&sample, &kpack, &archive);
    take_archive(&sample, &kpack);
    text = sample_render(sample_listing(&sample), "text", plain);
    cr_expect_str_eq(text, "        needs kpack: no archive of "
                           "../.kpack/torch_@GFXARCH@.kpack is here\n");
    free(text);
    kpack.pattern_count = 2;
    assert_says(&sample.report, "text", (struct ra_style){ .width = 120 },
                "        needs kpack: no archive of ../.kpack/torch_@GFXARCH@.kpack, "
                "../.kpack/more.kpack is here\n");
    kpack.pattern_count = 0;
    assert_says(&sample.report, "text", plain,
                "        needs kpack: no archive of those it does not name is here\n");
}

Test(report_kpack, listing_never_says_that_such_a_file_has_no_code)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;

    make_host(&sample, &kpack, &archive);
    take_archive(&sample, &kpack);
    assert_lacks(sample_listing(&sample), "text", plain, "no AMD device code");
    assert_lacks(&sample.report, "text", (struct ra_style){ .matrix = true },
                 "no AMD device code");
    assert_says(&sample.report, "text", (struct ra_style){ .matrix = true },
                "needs kpack: no archive with its code is here\n");
    sample.libraries[0].file.bundle_count = 0;
    assert_lacks(sample_report(&sample), "text", plain, "no AMD device code");
    sample.libraries[0].file.kpack = NULL;
    assert_says(sample_report(&sample), "text", plain, "no AMD device code\n");
}

Test(report_kpack, listing_tells_archives_that_hold_other_files_only)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;

    make_host(&sample, &kpack, &archive);
    sample.libraries[0].bundle.entry_count = 0;
    archive.has_binary = false;
    assert_says(sample_listing(&sample), "text", plain,
                "        needs kpack: no archive of ../.kpack/torch_@GFXARCH@.kpack has "
                "code for\n"
                "        lib/lib00.so\n");
}

Test(report_kpack, listing_tells_what_the_environment_does_to_it)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;

    make_host(&sample, &kpack, &archive);
    assert_lacks(sample_listing(&sample), "text", plain, "ROCM_KPACK");
    kpack.moved = true;
    assert_says(&sample.report, "text", plain,
                "        ROCM_KPACK_PATH says where its archives are\n");
    kpack.disabled = true;
    assert_says(&sample.report, "text", plain,
                "        ROCM_KPACK_DISABLE is set: the runtime opens no archive\n");
}

Test(report_kpack, verbose_listing_has_a_line_an_archive)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archives[2];
    struct sample sample;
    const struct ra_style wide = { .verbose = true, .width = 160 };

    make_host(&sample, &kpack, &archives[0]);
    archives[1] = (struct ra_kpack_archive){ .path = "/opt/.kpack/more.kpack",
                                             .target = "",
                                             .binary_count = 1 };
    kpack.archive_count = 2;
    sample.libraries[0].bundle.offset = sample.libraries[0].bundle.size = 0;
    assert_says(sample_listing(&sample), "text", wide,
                "        bundle 0: kpack, 1 entry, key lib/lib00.so#0\n");
    assert_says(&sample.report, "text", wide,
                "        kpack of lib/lib00.so, in ../.kpack/torch_@GFXARCH@.kpack\n"
                "          archive /opt/.kpack/torch_gfx1030.kpack, for gfx1030: gfx1030 "
                "gfx1031; 12 binaries, 1,234 kernels for this one\n"
                "          archive /opt/.kpack/more.kpack; 1 binary, none is this one, "
                "not read whole\n");
    assert_lacks(&sample.report, "text", plain, "archive /opt");
}

/* Of the archive itself, bundles are host files. */
Test(report_kpack, archive_is_listed_by_key)
{
    const struct ra_kpack_archive itself = {
        .path = "/opt/torch.kpack", .target = "", .arches = arches, .arch_count = 2
    };
    struct ra_kpack kpack = { .name = "torch" };
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    sample.libraries[0].file.kind = RA_KIND_KPACK;
    sample.libraries[0].file.kpack = &kpack;
    sample.libraries[0].bundle.container = "kpack";
    sample.libraries[0].bundle.key = "lib/libfoo.so#0";
    text = sample_render(sample_listing(&sample), "text", plain);
    cr_expect_str_eq(text,
                     "BUNDLE  KEY              TARGET   COV  KERNELS     SIZE  OFFSET\n"
                     "     0  lib/libfoo.so#0  gfx1030    5        2  1.72 MB  0x11000\n"
                     "     0  lib/libfoo.so#0  gfx906     -        -        -  -        "
                     "not present\n");
    free(text);
    assert_says(&sample.report, "text", verbose, "        kpack of the group torch\n");
    kpack.archives = &itself;
    kpack.archive_count = 1;
    assert_says(&sample.report, "text", verbose,
                "        kpack of the group torch: gfx1030 gfx1031\n");
}

Test(report_kpack, bare_targets_are_those_of_archives_too)
{
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;
    char *text;

    make_host(&sample, &kpack, &archive);
    text = sample_render(sample_listing(&sample), "text",
                         (struct ra_style){ .targets_only = true });
    cr_expect_str_eq(text, "gfx1030\n");
    free(text);
}

Test(report_kpack, listing_is_never_wider_than_the_page)
{
    char name[300];
    struct ra_kpack kpack;
    struct ra_kpack_archive archive;
    struct sample sample;

    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 50 ? 'k' : '/';
    name[sizeof(name) - 1] = '\0';
    make_host(&sample, &kpack, &archive);
    kpack.name = sample.libraries[0].bundle.key = name;
    sample.libraries[0].entries[0].archive = name;
    for (unsigned width = 70; width <= 200; width += 5)
        assert_narrow(sample_listing(&sample), width);
    sample.libraries[0].entries[0].archive = NULL;
    for (unsigned width = 70; width <= 200; width += 5)
        assert_narrow(sample_listing(&sample), width);
    take_archive(&sample, &kpack);
    for (unsigned width = 40; width <= 200; width += 5)
        assert_narrow(sample_listing(&sample), width);
}
