/* Code objects out of files: right bytes, safe names, nothing where nobody asked. */
#include "folder.h"

#include "base/text.h"
#include "extract/copy.h"
#include "extract/name.h"
#include "gen/archive.h"
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/files.h"
#include "gen/host.h"
#include "gen/kpak.h"
#include "gen/offload.h"
#include "gen/recipes.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUITE(name) Test(extract, name, .init = folder_make, .fini = folder_remove)

/* Real code objects, as the compiler left them. */
static const struct {
    const char *target, *file;
} real[] = {
    { FX_HIP("gfx90a"), "gfx90a.co" },
    { FX_HIP("gfx90a:xnack-"), "gfx90a-xnack-off.co" },
    { FX_HIP("gfx1100"), "gfx1100.co" },
    { FX_HIP("gfx11-generic"), "gfx11-generic.co" },
};

enum { REAL = RA_COUNT(real) };

static struct fx real_code[REAL];

static void load_real(void)
{
    for (size_t i = 0; i < REAL; i++)
        if (!real_code[i].size)
            cr_assert(fx_load("fixtures/code", real[i].file, &real_code[i]));
}

/* A bundle of a host entry and all real code objects. */
static struct fx real_bundle(bool backwards)
{
    struct fx_entry entries[REAL + 1] = { { FX_HOST, NULL } };
    struct fx fx = { 0 };

    load_real();
    for (size_t i = 0; i < REAL; i++)
        entries[i + 1] = (struct fx_entry){ real[i].target, &real_code[i] };
    fx_bundle(&fx, &(struct fx_bundle){
                       .entries = entries, .count = REAL + 1, .backwards = backwards });
    return fx;
}

static struct fx packed(const struct fx *content, unsigned version, enum fx_codec codec)
{
    struct fx fx = { 0 };

    fx_ccob(&fx,
            &(struct fx_ccob){ .version = version, .codec = codec, .content = content });
    return fx;
}

static void save_library(const char *name, const struct fx *fatbin)
{
    struct fx fx = { 0 };

    fx_library(&fx, fatbin);
    folder_save(name, &fx);
    fx_free(&fx);
}

/* ---- asking ----------------------------------------------------------------- */

struct ask {
    const char *path, *folder; /* below the folder; NULL: in/, out/ */
    const char *targets[4];
    bool dry_run, no_colon;
    unsigned threads;
};

static struct ra_report *ask(const struct ask *ask)
{
    const char *path = folder_name(ask->path ? ask->path : "in");
    struct ra_options options = {
        .sz = sizeof(options),
        .paths = &path,
        .path_count = 1,
        .threads = ask->threads,
    };
    struct ra_extract_options how = {
        .sz = sizeof(how),
        .folder = folder_name(ask->folder ? ask->folder : "out"),
        .targets = ask->targets,
        .dry_run = ask->dry_run,
        .no_colon = ask->no_colon,
    };

    while (how.target_count < RA_COUNT(ask->targets) && ask->targets[how.target_count])
        how.target_count++;
    return ra_extract(&options, &how);
}

/* How many were written, unchanged, planned, failed, and the exit. */
static void assert_sums(struct ra_report *report, const char *expected)
{
    const struct ra_extraction *all = report->extraction;
    char sums[128];

    snprintf(sums, sizeof(sums), "%llu %llu %llu %llu exit %d",
             (unsigned long long)all->written, (unsigned long long)all->unchanged,
             (unsigned long long)all->planned, (unsigned long long)all->failed,
             report->exit);
    cr_assert_str_eq(sums, expected);
    ra_report_free(report);
}

/* Names in `folder`, sorted, each with a blank behind it; "-" if there is no folder. */
static const char *list(const char *folder)
{
    static char names[64 * 1024];
    struct dirent **found;
    int count = scandir(folder_name(folder), &found, NULL, alphasort);

    strcpy(names, count < 0 ? "-" : "");
    for (int i = 0; i < count; i++) {
        if (strcmp(found[i]->d_name, ".") != 0 && strcmp(found[i]->d_name, "..") != 0) {
            strcat(names, found[i]->d_name);
            strcat(names, " ");
        }
        free(found[i]);
    }
    if (count >= 0)
        free(found);
    return names;
}

static void assert_file(const char *name, const struct fx *expected)
{
    struct fx fx = { 0 };

    cr_assert(fx_load(folder_path, name, &fx), "%s", name);
    cr_assert_eq(fx.size, expected->size, "%s has %zu bytes, not %zu", name, fx.size,
                 expected->size);
    cr_assert_eq(memcmp(fx.data, expected->data, fx.size), 0, "%s", name);
    fx_free(&fx);
}

static void assert_real(const char *prefix)
{
    static const char *const targets[REAL] = { "1-gfx90a", "2-gfx90a:xnack-", "3-gfx1100",
                                               "4-gfx11-generic" };

    load_real();
    for (size_t i = 0; i < REAL; i++) {
        char name[128];

        snprintf(name, sizeof(name), "%s.%s.co", prefix, targets[i]);
        assert_file(name, &real_code[i]);
    }
}

/* ---- bytes ------------------------------------------------------------------ */

SUITE(bytes_are_those_that_went_into_the_bundle)
{
    struct fx plain = real_bundle(false), backwards = real_bundle(true);
    struct fx fatbin = { 0 };

    fx_append(&fatbin, &plain);
    for (unsigned version = 1; version <= 3; version++) {
        struct fx fx = packed(&backwards, version, version == 2 ? FX_ZLIB : FX_ZSTD);

        fx_align(&fatbin, 4096);
        fx_append(&fatbin, &fx);
        fx_free(&fx);
    }
    save_library("in/libreal.so", &fatbin);
    assert_sums(ask(&(struct ask){ .threads = 3 }), "16 0 0 0 exit 0");
    assert_real("out/libreal.so.0");
    assert_real("out/libreal.so.1");
    assert_real("out/libreal.so.2");
    assert_real("out/libreal.so.3");
    fx_free(&plain), fx_free(&backwards), fx_free(&fatbin);
}

/* Above what is expanded at once, so that it is streamed; the large one comes first. */
SUITE(large_compressed_bundles_are_streamed)
{
    struct fx large = { 0 }, bundle = { 0 }, fx;
    struct fx_entry entries[] = { { FX_HIP("gfx90a"), NULL },
                                  { FX_HIP("gfx942"), &large } };

    load_real();
    entries[0].content = &real_code[0];
    fx_append(&large, &real_code[2]);
    for (uint32_t i = 0; large.size < (size_t)40 << 20; i++)
        fx_u32(&large, i * 2654435761u);
    fx_bundle(&bundle,
              &(struct fx_bundle){ .entries = entries, .count = 2, .backwards = true });
    fx = packed(&bundle, 3, FX_ZSTD);
    folder_save("in/large.fb", &fx);
    assert_sums(ask(&(struct ask){ 0 }), "2 0 0 0 exit 0");
    assert_file("out/large.fb.0.0-gfx90a.co", &real_code[0]);
    assert_file("out/large.fb.0.1-gfx942.co", &large);
    fx_free(&large), fx_free(&bundle), fx_free(&fx);
}

/* All real code as images of OpenMP behind one for another vendor, and one of HIP. */
static void real_images(struct fx *fx, unsigned version, bool compressed,
                        enum fx_codec codec)
{
    struct fx cubin = { 0 };
    struct fx_image images[REAL + 2] = {
        { .producer = FX_OPENMP,
          .triple = "nvptx64-nvidia-cuda",
          .arch = "sm_80",
          .content = &cubin },
        [REAL + 1] = { .producer = FX_HIP_KIND, .arch = "gfx90a" },
    };
    struct fx_offload spec = { .version = version,
                               .images = images,
                               .count = REAL + 2,
                               .compressed = compressed,
                               .codec = codec };

    load_real();
    fx_text(&cubin, "for another GPU");
    for (size_t i = 0; i < REAL; i++)
        images[i + 1] = (struct fx_image){ .producer = FX_OPENMP,
                                           .arch = strrchr(real[i].target, '-') + 1,
                                           .content = &real_code[i] };
    images[REAL + 1].content = &real_code[0];
    images[2].arch = "gfx90a:xnack-";
    images[4].arch = "gfx11-generic";
    if (version > 1)
        fx_offload(fx, &spec);
    for (size_t i = 0; version == 1 && i < REAL + 2; i++)
        fx_offload(fx, &(struct fx_offload){ .images = &images[i], .count = 1 });
    fx_free(&cubin);
}

SUITE(images_are_those_that_went_into_the_blobs)
{
    static const char *const names[] = { "v1", "v2", "v3", "zlib", "zstd" };

    for (unsigned i = 0; i < RA_COUNT(names); i++) {
        struct fx fx = { 0 };
        char name[64];

        real_images(&fx, i < 3 ? i + 1 : 3, i >= 3, i == 3 ? FX_ZLIB : FX_ZSTD);
        snprintf(name, sizeof(name), "in/%s.bin", names[i]);
        folder_save(name, &fx);
        fx_free(&fx);
    }
    assert_sums(ask(&(struct ask){ .threads = 2 }), "30 0 0 0 exit 0");
    for (unsigned i = 0; i < RA_COUNT(names); i++) {
        char name[64];

        snprintf(name, sizeof(name), "out/%s.bin.0", names[i]);
        assert_real(name);
        snprintf(name, sizeof(name), "out/%s.bin.1.0-gfx90a.co", names[i]);
        assert_file(name, &real_code[0]);
    }
}

/* Only the end of what is compressed tells that all of it is right. */
SUITE(images_of_a_large_compressed_blob_are_streamed_and_not_kept_if_it_is_damaged)
{
    struct fx large = { 0 }, fx = { 0 };
    const struct fx_image images[] = {
        { .producer = FX_OPENMP, .arch = "gfx90a", .content = &real_code[0] },
        { .producer = FX_OPENMP, .arch = "gfx942", .content = &large },
    };
    struct fx_offload_at at;

    load_real();
    fx_append(&large, &real_code[2]);
    for (uint32_t i = 0; large.size < (size_t)40 << 20; i++)
        fx_u32(&large, i * 2654435761u);
    at = fx_offload(&fx, &(struct fx_offload){ .version = 3,
                                               .images = images,
                                               .count = 2,
                                               .compressed = true,
                                               .codec = FX_ZLIB });
    folder_save("in/large.bin", &fx);
    assert_sums(ask(&(struct ask){ .folder = "good" }), "2 0 0 0 exit 0");
    assert_file("good/large.bin.0.0-gfx90a.co", &real_code[0]);
    assert_file("good/large.bin.0.1-gfx942.co", &large);
    fx_poke(&fx, at.end - 1, 1, ~fx_peek(&fx, at.end - 1, 1)); /* of its checksum */
    folder_save("in/large.bin", &fx);
    assert_sums(ask(&(struct ask){ .folder = "bad" }), "0 0 0 2 exit 2");
    cr_assert_str_eq(list("bad"), "");
    fx_free(&large), fx_free(&fx);
}

/* The host file that refers to an archive has no bytes of its own to write. */
SUITE(archives_of_kernels_give_theirs_once)
{
    static const struct fx_kpak_entry entries[] = {
        { .binary = "lib/a.so#0", .arch = "gfx90a", .content = &real_code[0] },
        { .binary = "lib/a.so#0", .arch = "gfx1100", .content = &real_code[2] },
        { .binary = "lib/a.so#1", .arch = "gfx90a:xnack-", .content = &real_code[1] },
    };
    struct fx fx = { 0 };

    load_real();
    fx_kpak(&fx, &(struct fx_kpak){ .entries = entries, .count = 3, .zstd = true });
    folder_save("in/.kpack/odd_lib_gfx90a.kpack", &fx);
    fx_free(&fx);
    fx_kpak(&fx, &(struct fx_kpak){ .entries = entries, .count = 3 });
    folder_save("in/.kpack/plain.kpack", &fx);
    folder_fixture("in/lib/a.so", "odd-hipk.so");
    assert_sums(ask(&(struct ask){ .threads = 2 }), "6 0 0 0 exit 0");
    assert_file("out/odd_lib_gfx90a.kpack.0.0-gfx90a.co", &real_code[0]);
    assert_file("out/odd_lib_gfx90a.kpack.0.1-gfx1100.co", &real_code[2]);
    assert_file("out/odd_lib_gfx90a.kpack.1.0-gfx90a:xnack-.co", &real_code[1]);
    assert_file("out/plain.kpack.0.0-gfx90a.co", &real_code[0]);
    assert_file("out/plain.kpack.1.0-gfx90a:xnack-.co", &real_code[1]);
    fx_free(&fx);
}

SUITE(damage_in_an_archive_of_kernels_spoils_one)
{
    static const struct fx_kpak_entry entries[] = {
        { .binary = "lib/a.so#0", .arch = "gfx90a", .content = &real_code[0] },
        { .binary = "lib/a.so#0", .arch = "gfx1100", .content = &real_code[2] },
    };
    struct fx fx = { 0 };
    struct fx_kpak_at at;

    load_real();
    at = fx_kpak(&fx, &(struct fx_kpak){ .entries = entries, .count = 2, .zstd = true });
    fx.data[at.content[0] + 20] ^= 0xff;
    folder_save("in/x.kpack", &fx);
    assert_sums(ask(&(struct ask){ 0 }), "1 0 0 1 exit 2");
    assert_file("out/x.kpack.0.1-gfx1100.co", &real_code[2]);
    fx_free(&fx);
}

/* A wheel, and the same in a zip; a .deb, whose tar is not in the path. */
SUITE(members_of_archives_are_found_again)
{
    struct fx fatbin = { 0 }, library = { 0 }, wheel = { 0 }, outer = { 0 };
    struct fx plain = real_bundle(false), tar = { 0 }, gzip = { 0 }, deb = { 0 };
    struct fx version = { 0 };

    fx_append(&fatbin, &plain);
    fx_align(&fatbin, 4096);
    fx_append(&fatbin, &plain);
    fx_library(&library, &fatbin);
    fx_zip(&wheel, &(struct fx_zip){
                       .members = (const struct fx_member[]){ { .name = "foo/x.txt" },
                                                              { .name = "foo/libreal.so",
                                                                .content = &library,
                                                                .deflated = true } },
                       .count = 2 });
    folder_save("in/a!b/foo-1.0-py3-none-any.whl", &wheel);
    assert_sums(ask(&(struct ask){ .threads = 3 }), "8 0 0 0 exit 0");
    assert_real("out/libreal.so.0");
    assert_real("out/libreal.so.1");
    fx_zip(&outer, &(struct fx_zip){ .members =
                                         (const struct fx_member[]){
                                             { .name = "dist/foo-1.0-py3-none-any.whl",
                                               .content = &wheel } },
                                     .count = 1 });
    folder_save("outer.zip", &outer);
    assert_sums(ask(&(struct ask){ .path = "outer.zip", .folder = "out2" }),
                "8 0 0 0 exit 0");
    assert_real("out2/libreal.so.1");
    fx_tar(&tar, &(struct fx_tar){ .name = "./usr/lib/libreal.so", .content = &library });
    fx_tar_end(&tar);
    fx_gzip(&gzip, &tar);
    fx_text(&version, "2.0\n");
    fx_ar(
        &deb,
        (const struct fx_ar[]){ { "debian-binary", &version }, { "data.tar.gz", &gzip } },
        2, false);
    folder_save("foo.deb", &deb);
    assert_sums(ask(&(struct ask){ .path = "foo.deb", .folder = "out3" }),
                "8 0 0 0 exit 0");
    assert_real("out3/libreal.so.0");
    fx_free(&fatbin), fx_free(&library), fx_free(&wheel), fx_free(&outer);
    fx_free(&plain), fx_free(&tar), fx_free(&gzip), fx_free(&deb);
    fx_free(&version);
}

SUITE(a_code_object_keeps_its_name)
{
    load_real();
    folder_save("in/a/kernel.hsaco", &real_code[0]);
    folder_save("in/b/kernel.hsaco", &real_code[2]);
    assert_sums(ask(&(struct ask){ 0 }), "2 0 0 0 exit 0");
    assert_file("out/kernel.hsaco", &real_code[0]);
    assert_file("out/kernel~2.hsaco", &real_code[2]);
}

SUITE(a_code_object_compressed_by_itself_is_expanded)
{
    struct fx compressed;

    load_real();
    compressed = packed(&real_code[0], 2, FX_ZSTD);
    folder_save("in/kernel.hsaco", &compressed);
    assert_sums(ask(&(struct ask){ 0 }), "1 0 0 0 exit 0");
    assert_file("out/kernel.hsaco.0.0-gfx90a.co", &real_code[0]);
    fx_free(&compressed);
}

/* The entries of a set lie as far apart as the compiler or the linker left them. */
SUITE(what_is_in_no_bundle_is_cut_out_of_its_file)
{
    struct fx fx = { 0 }, data = { 0 }, bitcode = { 0 }, other = { 0 };
    struct fx_extra object[] = {
        { .name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a",
          .content = &bitcode },
        { .name = "other", .content = &data },
        { .name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx1030",
          .content = &other },
    };
    struct fx_extra library = { .name = ".rodata", .flags = 2, .content = &data };

    load_real();
    fx_text(&bitcode, "BC\xc0\xde one"), fx_text(&other, "BC\xc0\xde the other");
    fx_text(&data, "some text before, and some between: ");
    fx_align(&data, 64), fx_append(&data, &real_code[0]);
    fx_align(&data, 4096), fx_append(&data, &real_code[2]);
    fx_host(&fx, &(struct fx_host){ .extra = &library, .extra_count = 1 });
    folder_save("in/libdata.so", &fx);
    fx_cut(&fx, 0);
    fx_host(&fx,
            &(struct fx_host){ .relocatable = true, .extra = object, .extra_count = 3 });
    folder_save("in/rdc.o", &fx);
    assert_sums(ask(&(struct ask){ 0 }), "4 0 0 0 exit 0");
    assert_file("out/libdata.so.0.0-gfx90a.co", &real_code[0]);
    assert_file("out/libdata.so.0.1-gfx1100.co", &real_code[2]);
    assert_file("out/rdc.o.0.0-gfx90a.bc", &bitcode);
    assert_file("out/rdc.o.0.1-gfx1030.bc", &other);
    fx_free(&fx), fx_free(&data), fx_free(&bitcode), fx_free(&other);
}

SUITE(suffixes_follow_the_content)
{
    struct fx spirv = { 0 }, bitcode = { 0 }, other = { 0 }, bundle = { 0 };
    const struct fx_entry entries[] = {
        { FX_HOST, &other },
        { FX_HIP("gfx1100"), NULL },
        { "hip-spirv64-amd-amdhsa--amdgcnspirv", &spirv },
        { FX_HIP("gfx90a"), &bitcode },
        { "openmp-amdgcn-amd-amdhsa--gfx942", &other },
    };

    fx_u32(&spirv, 0x07230203);
    fx_text(&bitcode, "BC\xc0\xde....");
    fx_text(&other, "no code at all");
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = entries, .count = 5 });
    folder_save("in/all.fb", &bundle);
    assert_sums(ask(&(struct ask){ 0 }), "3 0 0 0 exit 0");
    assert_file("out/all.fb.0.2-amdgcnspirv.spv", &spirv);
    assert_file("out/all.fb.0.3-gfx90a.bc", &bitcode);
    assert_file("out/all.fb.0.4-gfx942.bin", &other);
    fx_free(&spirv), fx_free(&bitcode), fx_free(&other), fx_free(&bundle);
}

SUITE(all_threads_write_the_same)
{
    size_t count;
    const struct fx_recipe *recipes = fx_recipes(&count);
    char *names, *text;

    for (size_t i = 0; i < count; i++) {
        char name[128];

        snprintf(name, sizeof(name), "in/%s", recipes[i].name);
        if (strcmp(recipes[i].name, "odd-ccob-v2-wrapped.fb") != 0)
            folder_fixture(name, recipes[i].name);
    }
    for (unsigned threads = 1; threads <= 8; threads += 7) {
        struct ra_report *report = ask(&(struct ask){ .threads = threads });
        const char *json = folder_text(report, "json");

        if (threads == 1) {
            names = strdup(list("out"));
            text = strdup(json);
            cr_assert_gt(report->extraction->written, 100);
        } else {
            cr_assert_str_eq(json, text);
            cr_assert_str_eq(list("out"), names);
        }
        ra_report_free(report);
        rename(folder_name("out"), folder_name("before"));
    }
    free(names);
    free(text);
}

/* ---- which ------------------------------------------------------------------ */

static const char *chosen(const char *target)
{
    struct ra_report *report = ask(&(struct ask){ .targets = { target } });

    cr_assert_not_null(report);
    ra_report_free(report);
    cr_assert_eq(rename(folder_name("out"), folder_name(target)), 0);
    return list(target);
}

SUITE(targets_choose)
{
    struct fx plain = real_bundle(false);

    folder_save("in/x.fb", &plain);
    cr_assert_str_eq(chosen("gfx90a"), "x.fb.0.1-gfx90a.co x.fb.0.2-gfx90a:xnack-.co ");
    cr_assert_str_eq(chosen("gfx90a:xnack-"), "x.fb.0.2-gfx90a:xnack-.co ");
    cr_assert_str_eq(chosen("gfx11-generic"), "x.fb.0.4-gfx11-generic.co ");
    assert_sums(ask(&(struct ask){ .targets = { "gfx1030" } }), "0 0 0 0 exit 2");
    cr_assert_str_eq(list("out"), "-");
    cr_assert_null(ask(&(struct ask){ .targets = { "gfx9999" } }));
    cr_assert_null(ask(&(struct ask){ .targets = { "" } }));
    fx_free(&plain);
}

/* What the code object says counts as well as what its label says. */
SUITE(targets_choose_by_label_and_by_flags)
{
    struct fx bundle = { 0 };
    struct fx_entry entry = { FX_HIP("gfx1030"), NULL };

    load_real();
    entry.content = &real_code[0]; /* gfx90a */
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = &entry, .count = 1 });
    folder_save("in/x.fb", &bundle);
    cr_assert_str_eq(chosen("gfx90a"), "x.fb.0.0-gfx1030.co ");
    cr_assert_str_eq(chosen("gfx1030"), "x.fb.0.0-gfx1030.co ");
    fx_free(&bundle);
}

/* ---- names ------------------------------------------------------------------ */

SUITE(labels_from_a_file_stay_in_the_folder)
{
    struct fx bundle = { 0 };
    struct fx_entry entries[] = {
        { FX_HIP("gfx/../../etc/passwd"), NULL },
        { "openmp-amdgcn-amd-amdhsa--gfx/tmp", NULL },
        { FX_HIP("gfx\x1b[2J\n$(rm)"), NULL },
        { "hip", NULL },
    };

    load_real();
    for (size_t i = 0; i < RA_COUNT(entries); i++)
        entries[i].content = &real_code[0];
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = entries, .count = 4 });
    folder_save("in/x.fb", &bundle);
    assert_sums(ask(&(struct ask){ 0 }), "4 0 0 0 exit 0");
    cr_assert_str_eq(list("out"), "x.fb.0.0-gfx_.._.._etc_passwd.co x.fb.0.1-gfx_tmp.co "
                                  "x.fb.0.2-gfx_x1b_2J_x0a__rm_.co x.fb.0.3-gfx90a.co ");
    cr_assert_str_eq(list("."), "in out ");
    fx_free(&bundle);
}

SUITE(names_of_files_are_made_safe)
{
    load_real();
    folder_save("in/.hidden", &real_code[0]);
    folder_save("in/-rf", &real_code[0]);
    folder_save("in/a\nb\x1b\xff", &real_code[0]);
    folder_save("in/grün", &real_code[0]);
    assert_sums(ask(&(struct ask){ 0 }), "4 0 0 0 exit 0");
    cr_assert_str_eq(list("out"), "_hidden _rf a_b__ grün ");
}

SUITE(same_names_get_numbers)
{
    struct fx bundle = { 0 };

    fx_hip_bundle(&bundle, "k", (const char *const[]){ "gfx90a", NULL });
    folder_save("in/a/x", &bundle);
    folder_save("in/b/x", &bundle);
    folder_save("in/c/x~2", &bundle);
    assert_sums(ask(&(struct ask){ 0 }), "3 0 0 0 exit 0");
    cr_assert_str_eq(list("out"),
                     "x.0.1-gfx90a.co x~2.0.1-gfx90a.co x~2~2.0.1-gfx90a.co ");
    fx_free(&bundle);
}

SUITE(colons_can_be_done_without)
{
    struct fx plain = real_bundle(false);

    folder_save("in/x.fb", &plain);
    assert_sums(ask(&(struct ask){ .targets = { "gfx90a:xnack-" }, .no_colon = true }),
                "1 0 0 0 exit 0");
    cr_assert_str_eq(list("out"), "x.fb.0.2-gfx90a-xnack-.co ");
    fx_free(&plain);
}

Test(extract, long_names_are_cut_and_stay_apart)
{
    struct ra_arena arena = { 0 };
    struct ra_taken taken = { .names = { .arena = &arena } };
    char a[400], b[400];
    const char *first, *second, *third;

    memset(a, 'a', sizeof(a));
    snprintf(a + 380, 20, ".0.1-gfx90a.co");
    memcpy(b, a, sizeof(b));
    b[200] = 'b';
    first = ra_name_take(&taken, &arena, ra_name_cut(&arena, a), true);
    second = ra_name_take(&taken, &arena, ra_name_cut(&arena, b), true);
    third = ra_name_take(&taken, &arena, ra_name_cut(&arena, a), true);
    cr_assert_str_neq(first, second);
    cr_assert_str_neq(first, third);
    cr_assert_leq(strlen(first), RA_NAME_MOST);
    cr_assert_leq(strlen(third), RA_NAME_MOST);
    cr_assert_str_eq(first + strlen(first) - 15, "a.0.1-gfx90a.co");
    cr_assert_str_eq(third + strlen(third) - 5, "~2.co");
    ra_taken_free(&taken);
    ra_arena_free(&arena);
}

/* Wherever the cut falls, no half of a character is left. */
Test(extract, cuts_respect_utf8)
{
    struct ra_arena arena = { 0 };

    for (size_t start = 0; start < 3; start++) {
        char name[512] = "xx";
        struct ra_span span = { (const uint8_t *)name, 0, 0 };
        const char *cut;

        for (size_t at = start; at < 450; at += 3)
            memcpy(name + at, "\xe2\x82\xac", 4);
        cut = ra_name_cut(&arena, name);
        span.data = (const uint8_t *)cut;
        span.size = strlen(cut);
        cr_assert_leq(span.size, RA_NAME_MOST);
        cr_assert(ra_text_is_utf8(span), "%s", cut);
    }
    ra_arena_free(&arena);
}

SUITE(the_longest_names_can_be_written)
{
    struct fx bundle = { 0 };
    char name[300] = "in/", id[900];
    struct fx_entry entry = { id, NULL };
    struct stat info;

    load_real();
    memset(name + 3, 'n', 255);
    snprintf(id, sizeof(id), "%s%0800d", FX_HIP("gfx"), 7);
    entry.content = &real_code[0];
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = &entry, .count = 1 });
    folder_save(name, &bundle);
    assert_sums(ask(&(struct ask){ 0 }), "1 0 0 0 exit 0");
    cr_assert_eq(stat(folder_name("out"), &info), 0);
    fx_free(&bundle);
}

/* ---- what is there already -------------------------------------------------- */

SUITE(what_is_there_is_kept)
{
    struct fx plain = real_bundle(false), mine = { 0 };

    fx_text(&mine, "mine");
    folder_save("in/x.fb", &plain);
    folder_save("out/x.fb.0.1-gfx90a.co", &mine);
    folder_save("out/x.fb.0.3-gfx1100.co", &real_code[2]);
    assert_sums(ask(&(struct ask){ 0 }), "2 1 0 1 exit 2");
    assert_file("out/x.fb.0.1-gfx90a.co", &mine);
    cr_assert_str_eq(list("out"), "x.fb.0.1-gfx90a.co x.fb.0.2-gfx90a:xnack-.co "
                                  "x.fb.0.3-gfx1100.co x.fb.0.4-gfx11-generic.co ");
    fx_free(&plain), fx_free(&mine);
}

SUITE(a_second_run_changes_nothing)
{
    struct fx plain = real_bundle(false);

    folder_save("in/x.fb", &plain);
    assert_sums(ask(&(struct ask){ 0 }), "4 0 0 0 exit 0");
    assert_sums(ask(&(struct ask){ 0 }), "0 4 0 0 exit 0");
    assert_real("out/x.fb.0");
    fx_free(&plain);
}

SUITE(links_are_not_followed)
{
    struct fx plain = real_bundle(false), victim = { 0 };

    fx_text(&victim, "victim");
    folder_save("in/x.fb", &plain);
    folder_save("victim", &victim);
    folder_save("same", &real_code[2]);
    cr_assert_eq(mkdir(folder_name("out"), 0700), 0);
    cr_assert_eq(symlink("../victim", folder_name("out/x.fb.0.1-gfx90a.co")), 0);
    cr_assert_eq(symlink("../new", folder_name("out/x.fb.0.2-gfx90a:xnack-.co")), 0);
    cr_assert_eq(symlink("../same", folder_name("out/x.fb.0.3-gfx1100.co")), 0);
    cr_assert_eq(mkfifo(folder_name("out/x.fb.0.4-gfx11-generic.co"), 0600), 0);
    assert_sums(ask(&(struct ask){ 0 }), "0 0 0 4 exit 2");
    assert_file("victim", &victim);
    cr_assert_str_eq(list("."), "in out same victim ");
    fx_free(&plain), fx_free(&victim);
}

SUITE(a_code_object_is_not_written_over_itself)
{
    load_real();
    folder_save("in/kernel.co", &real_code[0]);
    assert_sums(ask(&(struct ask){ .folder = "in" }), "0 1 0 0 exit 0");
    cr_assert_str_eq(list("in"), "kernel.co ");
    assert_file("in/kernel.co", &real_code[0]);
}

/* ---- the folder ------------------------------------------------------------- */

SUITE(a_dry_run_makes_nothing)
{
    struct fx plain = real_bundle(false), wrong = packed(&plain, 3, FX_ZSTD);

    folder_save("in/x.fb", &plain);
    assert_sums(ask(&(struct ask){ .dry_run = true }), "0 0 4 0 exit 0");
    fx_poke(&wrong, 24, 1, fx_peek(&wrong, 24, 1) ^ 1); /* the digest */
    folder_save("in/y.fb", &wrong);
    assert_sums(ask(&(struct ask){ .dry_run = true }), "0 0 4 4 exit 2");
    cr_assert_str_eq(list("."), "in ");
    fx_free(&plain), fx_free(&wrong);
}

SUITE(a_folder_that_cannot_be_is_told_once)
{
    struct fx plain = real_bundle(false);
    struct ra_report *report;

    folder_save("in/x.fb", &plain);
    report = ask(&(struct ask){ .folder = "no/such" });
    cr_assert_str_eq(report->extraction->trouble, "No such file or directory");
    assert_sums(report, "0 0 0 4 exit 2");
    report = ask(&(struct ask){ .folder = "in/x.fb" });
    cr_assert_str_eq(report->extraction->trouble, "Not a directory");
    assert_sums(report, "0 0 0 4 exit 2");
    cr_assert_str_eq(list("."), "in ");
    fx_free(&plain);
}

/* A limit on sizes fails writes half way, as a full disk does. */
SUITE(no_room_leaves_no_part)
{
    struct fx large = { 0 }, bundle = { 0 };
    struct fx_entry entries[] = { { FX_HIP("gfx90a"), NULL },
                                  { FX_HIP("gfx942"), &large },
                                  { FX_HIP("gfx1100"), NULL } };
    struct rlimit limit = { 64 * 1024, RLIM_INFINITY };
    struct ra_report *report;

    load_real();
    entries[0].content = &real_code[0];
    entries[2].content = &real_code[2];
    fx_pad(&large, 512 * 1024);
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = entries, .count = 3 });
    folder_save("in/x.fb", &bundle);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    report = ask(&(struct ask){ .threads = 1 });
    cr_assert_str_eq(report->extraction->trouble, "File too large");
    cr_assert_str_eq(report->extraction->list[2].reason,
                     "the folder takes no more files");
    assert_sums(report, "1 0 0 2 exit 2");
    cr_assert_str_eq(list("out"), "x.fb.0.0-gfx90a.co ");
    fx_free(&large), fx_free(&bundle);
}

/* ---- damage ----------------------------------------------------------------- */

SUITE(a_wrong_digest_is_not_written)
{
    struct fx plain = real_bundle(false), wrong = packed(&plain, 3, FX_ZSTD);
    struct fx fatbin = { 0 };

    fx_poke(&wrong, 24, 1, fx_peek(&wrong, 24, 1) ^ 1);
    fx_append(&fatbin, &wrong);
    fx_align(&fatbin, 4096);
    fx_append(&fatbin, &plain);
    save_library("in/x.so", &fatbin);
    assert_sums(ask(&(struct ask){ 0 }), "4 0 0 4 exit 2");
    assert_real("out/x.so.1");
    fx_free(&plain), fx_free(&wrong), fx_free(&fatbin);
}

/* Files of `folder` are all whole, whatever is missing. @return how many there are */
static size_t assert_whole(const char *folder)
{
    struct dirent **found;
    int count = scandir(folder_name(folder), &found, NULL, alphasort);
    size_t files = 0;

    for (int i = 0; i < count; i++) {
        char path[400];

        snprintf(path, sizeof(path), "%s/%s", folder, found[i]->d_name);
        for (size_t j = 0; j < REAL; j++) {
            char number[16];

            snprintf(number, sizeof(number), ".%zu-", j + 1);
            if (strstr(found[i]->d_name, number)) {
                assert_file(path, &real_code[j]);
                files++;
            }
        }
        free(found[i]);
    }
    if (count > 0)
        cr_assert_eq(files + 2, (size_t)count, "%s holds something else", folder);
    if (count >= 0)
        free(found);
    return files;
}

static size_t cut_everywhere(const struct fx *whole, size_t step)
{
    size_t partly = 0;

    for (size_t size = 1; size < whole->size; size += step) {
        struct fx fx = { 0 };
        char out[32];
        struct ra_report *report;

        fx_bytes(&fx, whole->data, size);
        folder_save("in/x.fb", &fx);
        fx_free(&fx);
        snprintf(out, sizeof(out), "out-%zu-%zu", whole->size, size);
        report = ask(&(struct ask){ .folder = out, .threads = 1 });
        partly += assert_whole(out) > 0;
        ra_report_free(report);
    }
    return partly;
}

SUITE(cut_inputs_leave_whole_files_or_none)
{
    struct fx plain = real_bundle(false), small = packed(&plain, 3, FX_ZSTD);
    struct fx two = { 0 };

    cut_everywhere(&plain, 509);
    cut_everywhere(&small, 127);
    fx_append(&two, &small);
    fx_align(&two, 64);
    fx_append(&two, &small);
    cr_assert_gt(cut_everywhere(&two, 509), 0);
    fx_free(&plain), fx_free(&small), fx_free(&two);
}

/* Half of it is written when the damage shows, and nothing of it may stay. */
SUITE(damage_in_a_stream_leaves_nothing)
{
    struct fx large = { 0 }, bundle = { 0 }, flipped, cut;
    struct fx_entry entries[] = { { FX_HIP("gfx90a"), NULL },
                                  { FX_HIP("gfx942"), &large } };

    load_real();
    entries[0].content = &real_code[0];
    fx_pad(&large, (size_t)40 << 20);
    fx_bundle(&bundle, &(struct fx_bundle){ .entries = entries, .count = 2 });
    flipped = packed(&bundle, 3, FX_STORED);
    fx_poke(&flipped, flipped.size - 1000, 1, 1);
    folder_save("in/flipped.fb", &flipped);
    cut = packed(&bundle, 1, FX_STORED);
    fx_cut(&cut, cut.size - 1000);
    folder_save("in/cut.fb", &cut);
    assert_sums(ask(&(struct ask){ 0 }), "0 0 0 4 exit 2");
    cr_assert_str_eq(list("out"), "");
    fx_free(&large), fx_free(&bundle), fx_free(&flipped), fx_free(&cut);
}

/* ---- a file that changes between the listing and the copy -------------------- */

/* The outcome of copying what was listed of in/x.fb out of what is there now. */
static void assert_changed(const struct fx *now, const char *name)
{
    struct fx plain = real_bundle(false);
    const char *path = folder_name("in/x.fb");
    struct ra_options options = { .sz = sizeof(options),
                                  .paths = &path,
                                  .path_count = 1 };
    struct ra_written list[1] = { { .entry = 1, .name = "x.co" } };
    struct ra_copy copy = { .list = list, .count = 1 };
    struct ra_folder folder;
    struct ra_report *report;

    folder_save("in/x.fb", &plain);
    fx_free(&plain);
    report = ra_list(&options);
    cr_assert_not_null(report);
    if (now)
        folder_save("in/x.fb", now);
    else
        cr_assert_eq(unlink(path), 0);
    ra_folder_open(folder_name("out"), &folder);
    copy.file = &report->files[0];
    copy.bundle = &report->files[0].bundles[0];
    copy.folder = &folder;
    copy.workspaces = NULL;
    ra_copy_run(&copy);
    cr_assert_eq(list[0].outcome, RA_FAILED);
    cr_assert_not_null(list[0].reason);
    cr_assert_str_eq(copy.diags.first->name, name);
    ra_folder_close(&folder);
    ra_arena_free(&copy.arena);
    ra_report_free(report);
}

SUITE(a_file_that_changed_is_not_written)
{
    struct fx now = real_bundle(true), shorter = real_bundle(false);

    fx_cut(&shorter, shorter.size - 1);

    assert_changed(&shorter, "changed");
    assert_changed(&now, "changed");
    assert_changed(NULL, "io-error");
    cr_assert_str_eq(list("out"), "");
    fx_free(&now), fx_free(&shorter);
}
