/* An archive is judged as the tree would be that it unpacks to. */
#include "folder.h"
#include "packed.h"

#include "gen/archive.h"
#include "gen/code.h"
#include "gen/host.h"
#include "gen/kpak.h"
#include "gen/recipes.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>

enum { FILES = 16, MIB = 1 << 20 };

static struct fx contents[FILES];
static const char *names[FILES];
static size_t file_count;

static void put(const char *name, struct fx content)
{
    cr_assert_lt(file_count, FILES);
    names[file_count] = name;
    contents[file_count++] = content;
}

static void put_text(const char *name, const char *text)
{
    struct fx fx = { 0 };

    fx_text(&fx, text);
    put(name, fx);
}

/* ---- the tree --------------------------------------------------------------- */

/* A library whose code is in an archive of kernels beside it. */
static void put_split(void)
{
    static const char *const patterns[] = { "../.kpack/split_@GFXARCH@.kpack" };
    struct fx reference = { 0 }, library = { 0 }, kpack = { 0 };
    struct fx code = fx_code_of("gfx1100", "k_split");
    const struct fx_extra extra = { .name = ".rocm_kpack_ref",
                                    .flags = 2,
                                    .content = &reference };
    const struct fx_kpak_entry entry = { .binary = "lib/libsplit.so#0",
                                         .arch = "gfx1100",
                                         .content = &code };

    fx_kpack_ref(&reference, "lib/libsplit.so", patterns, 1);
    fx_host(&library, &(struct fx_host){ .magic = FX_HIPK,
                                         .wrapped = (const uint64_t[]){ 0 },
                                         .wrapper_count = 1,
                                         .pointer = FX_POINTER_RELATIVE,
                                         .extra = &extra,
                                         .extra_count = 1 });
    fx_kpak(&kpack, &(struct fx_kpak){ .entries = &entry, .count = 1, .zstd = true });
    put("foo/lib/libsplit.so", library);
    put("foo/.kpack/split_gfx1100.kpack", kpack);
    fx_free(&reference);
    fx_free(&code);
}

/* So large that several workers are worth it, and nothing makes it smaller. */
static struct fx noise(size_t size)
{
    struct fx fx = { 0 };
    uint64_t state = 3;

    fx_pad(&fx, size);
    for (size_t i = 0; i < size; i++)
        fx.data[i] = (uint8_t)packed_random(&state);
    return fx;
}

static void tree_begin(void)
{
    folder_make();
    file_count = 0;
    put("foo/libfoo.so", fx_make("good-two-targets.so"));
    put("foo/libpart.so", fx_make("good-partial.so"));
    put("foo/libccob.so", fx_make("good-two-bundles-ccob-v2-v3.so"));
    put("foo/libcuda_only.so", fx_make("good-cuda-only.so"));
    put("foo/libhost.so", fx_make("good-host-only.so"));
    put("foo/kernels/k.co", fx_make("good-kernels-gfx90a.co"));
    put("foo/kernels/all.hsaco", fx_make("good-ccob-v3-zstd.fb"));
    put_split();
    put("foo/noise.bin", noise(2 * (size_t)MIB));
    put_text("foo/__init__.py", "import foo.lib\n");
    put_text("foo-1.5.dist-info/METADATA",
             "Metadata-Version: 2.1\nName: foo\nVersion: 1.5\n");
    put_text("foo-1.5.dist-info/RECORD",
             "foo/libfoo.so,,\nfoo/libpart.so,,\nfoo/libccob.so,,\n"
             "foo/libcuda_only.so,,\nfoo/libhost.so,,\nfoo/kernels/k.co,,\n"
             "foo/kernels/all.hsaco,,\nfoo/lib/libsplit.so,,\n"
             "foo/.kpack/split_gfx1100.kpack,,\nfoo/noise.bin,,\nfoo/__init__.py,,\n"
             "foo-1.5.dist-info/METADATA,,\nfoo-1.5.dist-info/RECORD,,\n");
}

static void tree_end(void)
{
    while (file_count > 0)
        fx_free(&contents[--file_count]);
    folder_remove();
}

static void save_tree(void)
{
    char path[200];

    for (size_t i = 0; i < file_count; i++) {
        snprintf(path, sizeof(path), "tree/%s", names[i]);
        folder_save(path, &contents[i]);
    }
}

/* ---- packers ---------------------------------------------------------------- */

enum zip_flags { DEFLATED = 1, STREAMED = 2, WIDE = 4 };

static void zip_all(struct fx *fx, unsigned flags)
{
    struct fx_member members[FILES];

    for (size_t i = 0; i < file_count; i++)
        members[i] = (struct fx_member){ .name = names[i],
                                         .content = &contents[i],
                                         .deflated = flags & DEFLATED,
                                         .streamed = flags & STREAMED,
                                         .zip64 = flags & WIDE };
    fx_zip(fx, &(struct fx_zip){
                   .members = members, .count = file_count, .zip64 = flags & WIDE });
}

static void tar_all(struct fx *fx)
{
    char path[200];

    fx_tar(fx, &(struct fx_tar){ .name = "./", .type = '5' });
    for (size_t i = 0; i < file_count; i++) {
        snprintf(path, sizeof(path), "./%s", names[i]);
        fx_tar(fx, &(struct fx_tar){ .name = path, .content = &contents[i] });
    }
    fx_tar_end(fx);
}

/* Compressed by libarchive, in its own way. */
static void filter(struct fx *fx, const struct fx *content,
                   int (*add_filter)(struct archive *))
{
    size_t room = content->size + 65536, used = 0;
    uint8_t *out = malloc(room);
    struct archive *writer = archive_write_new();
    struct archive_entry *entry = archive_entry_new();

    cr_assert_eq(add_filter(writer), ARCHIVE_OK);
    archive_write_set_format_raw(writer);
    archive_write_set_bytes_in_last_block(writer, 1);
    cr_assert_eq(archive_write_open_memory(writer, out, room, &used), ARCHIVE_OK);
    archive_entry_set_filetype(entry, AE_IFREG);
    cr_assert_eq(archive_write_header(writer, entry), ARCHIVE_OK);
    cr_assert_eq(archive_write_data(writer, content->data, content->size),
                 (la_ssize_t)content->size);
    cr_assert_eq(archive_write_close(writer), ARCHIVE_OK);
    archive_write_free(writer);
    archive_entry_free(entry);
    fx_bytes(fx, out, used);
    free(out);
}

/* ---- the same answer -------------------------------------------------------- */

static const struct ra_report *ask(const char *path, unsigned threads)
{
    return folder_ask(&(struct folder_ask){
        .gpus = "gfx1100 gfx90a gfx942",
        .paths = path,
        .options = { .kernels = true, .threads = threads, .runtime = "7.13" },
    });
}

/* What stands behind the archive, or the folder, in a path. */
static const char *inside(const struct ra_file *file)
{
    const char *mark = strrchr(file->raw_path, '!');

    if (!mark)
        mark = strstr(file->raw_path, "/tree/") + strlen("/tree");
    mark++;
    return strncmp(mark, "./", 2) == 0 ? mark + 2 : mark;
}

static const struct ra_file *find(const struct ra_report *report, const char *name)
{
    for (size_t i = 0; i < report->file_count; i++)
        if (strcmp(inside(&report->files[i]), name) == 0)
            return &report->files[i];
    cr_assert_fail("%s is not in the report", name);
    return NULL;
}

static void same_kernels(const struct ra_bundle *a, const struct ra_entry *x,
                         const struct ra_bundle *b, const struct ra_entry *y)
{
    cr_assert_eq(x->kernel_count, y->kernel_count);
    for (size_t i = 0; i < x->kernel_count; i++) {
        cr_assert_str_eq(a->kernel_names[x->kernels[i].name],
                         b->kernel_names[y->kernels[i].name]);
        cr_assert_eq(x->kernels[i].vgprs, y->kernels[i].vgprs);
        cr_assert_eq(x->kernels[i].code_size, y->kernels[i].code_size);
    }
}

static void same_bundle(const struct ra_bundle *a, const struct ra_bundle *b)
{
    cr_assert_str_eq(a->container, b->container);
    cr_assert_eq(a->offset, b->offset);
    cr_assert_eq(a->size, b->size);
    cr_assert_eq(a->complete, b->complete);
    cr_assert_eq(a->entry_count, b->entry_count);
    for (size_t i = 0; i < a->entry_count; i++) {
        const struct ra_entry *x = &a->entries[i], *y = &b->entries[i];

        cr_assert_str_eq(x->id, y->id);
        cr_assert_str_eq(x->elf_target, y->elf_target);
        cr_assert_eq(x->content, y->content);
        cr_assert_eq(x->offset, y->offset);
        cr_assert_eq(x->size, y->size);
        cr_assert_eq(!x->archive, !y->archive);
        same_kernels(a, x, b, y);
    }
}

static void same_file(const struct ra_file *a, const struct ra_file *b)
{
    cr_assert_eq(a->kind, b->kind);
    cr_assert_eq(a->status, b->status);
    cr_assert_eq(a->size, b->size);
    cr_assert_eq(a->bundle_count, b->bundle_count);
    for (size_t i = 0; i < a->bundle_count; i++)
        same_bundle(&a->bundles[i], &b->bundles[i]);
    cr_assert_eq(a->verdict_count, b->verdict_count);
    for (size_t i = 0; i < a->verdict_count; i++) {
        cr_assert_eq(a->verdicts[i].kind, b->verdicts[i].kind, "%s", a->path);
        cr_assert_eq(a->verdicts[i].covered, b->verdicts[i].covered);
        cr_assert_eq(a->verdicts[i].total, b->verdicts[i].total);
        cr_assert_eq(a->verdicts[i].kernels_missing, b->verdicts[i].kernels_missing);
    }
    cr_assert(a->package && b->package);
    cr_assert_eq(a->owner_count, b->owner_count);
}

static void same_package(const struct ra_package *a, const struct ra_package *b)
{
    cr_assert_str_eq(a->name, b->name);
    cr_assert_str_eq(a->version, b->version);
    cr_assert_str_eq(a->kind, b->kind);
    cr_assert_eq(a->device_files, b->device_files);
    cr_assert_eq(a->code_objects, b->code_objects);
    cr_assert_eq(a->verdict_count, b->verdict_count);
    for (size_t i = 0; i < a->verdict_count; i++)
        cr_assert_eq(a->verdicts[i].kind, b->verdicts[i].kind);
}

/* `more`: what the package file has besides, all of it of no known format. */
static void same_totals(const struct ra_totals *a, const struct ra_totals *b, size_t more)
{
    cr_assert_eq(b->files, a->files + more, "%zu, not %zu", (size_t)b->files,
                 (size_t)a->files);
    for (size_t kind = 0; kind < RA_KINDS; kind++)
        cr_assert_eq(b->by_kind[kind],
                     a->by_kind[kind] + (kind == RA_KIND_OTHER ? more : 0), "%s",
                     ra_kind_name((enum ra_kind)kind));
    cr_assert_eq(a->with_device_code, b->with_device_code);
    cr_assert_eq(a->bundles, b->bundles);
    cr_assert_eq(a->code_objects, b->code_objects);
    cr_assert_eq(a->kernels, b->kernels);
    cr_assert_eq(a->incomplete, b->incomplete);
    cr_assert_eq(a->errors, b->errors);
    cr_assert_eq(a->warnings, b->warnings);
    cr_assert_eq(a->target_count, b->target_count);
    for (size_t i = 0; i < a->target_count; i++)
        cr_assert_eq(a->targets[i].bytes, b->targets[i].bytes);
}

static void same_findings(const struct ra_report *a, const struct ra_report *b)
{
    cr_assert_eq(a->finding_count, b->finding_count);
    for (size_t i = 0; i < a->finding_count; i++) {
        size_t twins[2] = { 0 };

        for (size_t j = 0; j < a->finding_count; j++) {
            const struct ra_finding *wanted = &a->findings[i];
            const struct ra_finding *both[] = { &a->findings[j], &b->findings[j] };

            for (size_t k = 0; k < 2; k++)
                twins[k] += strcmp(both[k]->rule, wanted->rule) == 0 &&
                            both[k]->severity == wanted->severity &&
                            both[k]->device == wanted->device;
        }
        cr_assert_eq(twins[0], twins[1], "%s", a->findings[i].rule);
    }
}

static void same_report(const struct ra_report *a, const struct ra_report *b, size_t more)
{
    cr_assert_eq(a->exit, b->exit);
    same_totals(&a->totals, &b->totals, more);
    cr_assert_eq(a->file_count, b->file_count);
    for (size_t i = 0; i < a->file_count; i++)
        same_file(&a->files[i], find(b, inside(&a->files[i])));
    same_findings(a, b);
}

/* The archive at `path` against the tree, on one thread and on several. */
static void assert_same(const char *path, bool same_packages, size_t more)
{
    static const char *const formats[] = { "text", "json", "jsonl" };
    const struct ra_report *tree = ask("tree", 1), *one = ask(path, 1);
    const struct ra_report *four = ask(path, 4);

    same_report(tree, one, more);
    if (same_packages) {
        cr_assert_eq(one->package_count, tree->package_count, "%s", path);
        for (size_t i = 0; i < tree->package_count; i++)
            same_package(&tree->packages[i], &one->packages[i]);
    }
    for (size_t i = 0; i < 3; i++)
        cr_assert_str_eq(folder_text(one, formats[i]), folder_text(four, formats[i]));
}

#define MembersTest(name) Test(members, name, .init = tree_begin, .fini = tree_end)

/* The tree has one of each: what follows would prove nothing otherwise. */
MembersTest(the_tree_to_compare_with_has_all_that_matters)
{
    const struct ra_report *report;

    save_tree();
    report = ask("tree", 1);
    cr_assert_eq(report->file_count, 7, "%zu", report->file_count);
    cr_assert_eq(report->totals.files, 13);
    cr_assert_eq(report->package_count, 1);
    cr_assert_eq(report->packages[0].device_files, 7, "%zu",
                 (size_t)report->packages[0].device_files);
    cr_assert_eq(report->totals.by_kind[RA_KIND_CUDA], 1);
    cr_assert_eq(report->totals.by_kind[RA_KIND_ELF], 1);
    cr_assert_eq(report->exit, 1);
    cr_assert_eq(find(report, "foo/lib/libsplit.so")->verdicts[0].kind, RA_NATIVE, "%s",
                 folder_text(report, "text"));
}

MembersTest(a_wheel_is_judged_as_its_tree)
{
    save_tree();
    for (unsigned flags = 0; flags < 8; flags++) {
        struct fx fx = { 0 };

        zip_all(&fx, flags);
        folder_save("foo-1.5.whl", &fx);
        assert_same("foo-1.5.whl", true, 0);
        folder_save("foo-1.5.egg", &fx);
        assert_same("foo-1.5.egg", true, 0);
        fx_free(&fx);
    }
}

MembersTest(a_tar_is_judged_as_its_tree)
{
    struct fx tar = { 0 }, fx = { 0 };

    save_tree();
    tar_all(&tar);
    folder_save("a.tar", &tar);
    assert_same("a.tar", true, 0);
    fx_gzip(&fx, &tar);
    folder_save("a.tar.gz", &fx);
    assert_same("a.tar.gz", true, 0);
    fx_free(&fx);
    fx_zstd(&fx, &tar);
    folder_save("a.tar.zst", &fx);
    assert_same("a.tar.zst", true, 0);
    fx_free(&fx);
    filter(&fx, &tar, archive_write_add_filter_xz);
    folder_save("a.tar.xz", &fx);
    assert_same("a.tar.xz", true, 0);
    fx_free(&fx);
    filter(&fx, &tar, archive_write_add_filter_bzip2);
    folder_save("a.tar.bz2", &fx);
    assert_same("a.tar.bz2", true, 0);
    fx_free(&fx);
    fx_free(&tar);
}

/* Control files and data are tars of their own. */
MembersTest(a_deb_is_judged_as_its_tree)
{
    struct fx tar = { 0 }, data = { 0 }, control = { 0 }, packed = { 0 };
    struct fx text = { 0 }, version = { 0 }, fx = { 0 };
    const struct fx_ar members[] = { { "debian-binary", &version },
                                     { "control.tar.gz", &packed },
                                     { "data.tar.xz", &data } };

    save_tree();
    tar_all(&tar);
    filter(&data, &tar, archive_write_add_filter_xz);
    fx_text(&version, "2.0\n");
    fx_text(&text, "Package: libfoo1\nVersion: 1.5-1\nArchitecture: amd64\n");
    fx_tar(&control, &(struct fx_tar){ .name = "./control", .content = &text });
    fx_tar_end(&control);
    fx_gzip(&packed, &control);
    fx_ar(&fx, members, 3, false);
    folder_save("libfoo1.deb", &fx);
    assert_same("libfoo1.deb", false, 2);
    fx_free(&tar);
    fx_free(&data);
    fx_free(&control);
    fx_free(&packed);
    fx_free(&text);
    fx_free(&version);
    fx_free(&fx);
}

MembersTest(a_conda_package_is_judged_as_its_tree)
{
    struct fx tar = { 0 }, data = { 0 }, info = { 0 }, packed = { 0 };
    struct fx text = { 0 }, version = { 0 }, fx = { 0 };
    const struct fx_member members[] = {
        { .name = "metadata.json", .content = &version },
        { .name = "info-foo-1.5-0.tar.zst", .content = &packed },
        { .name = "pkg-foo-1.5-0.tar.zst", .content = &data },
    };

    save_tree();
    tar_all(&tar);
    fx_zstd(&data, &tar);
    fx_text(&version, "{\"conda_pkg_format_version\": 2}\n");
    fx_text(&text, "{\"name\": \"foo\", \"version\": \"1.5\"}\n");
    fx_tar(&info, &(struct fx_tar){ .name = "info/index.json", .content = &text });
    fx_tar_end(&info);
    fx_zstd(&packed, &info);
    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = 3 });
    folder_save("foo-1.5-0.conda", &fx);
    assert_same("foo-1.5-0.conda", false, 2);
    fx_free(&tar);
    fx_free(&data);
    fx_free(&info);
    fx_free(&packed);
    fx_free(&text);
    fx_free(&version);
    fx_free(&fx);
}

MembersTest(a_wheel_in_a_zip_is_judged_as_its_tree)
{
    struct fx wheel = { 0 }, fx = { 0 };
    struct fx_member member = { .name = "dist/foo-1.5.whl", .content = &wheel };

    save_tree();
    zip_all(&wheel, DEFLATED);
    for (unsigned deflated = 0; deflated < 2; deflated++) {
        member.deflated = deflated;
        fx_zip(&fx, &(struct fx_zip){ .members = &member, .count = 1 });
        folder_save("all.zip", &fx);
        assert_same("all.zip", true, 0);
        fx_free(&fx);
    }
    fx_free(&wheel);
}

/* ---- in a folder, and on the command line ------------------------------------- */

/* Packages are what gets installed; other archives in a folder are counted. */
MembersTest(in_a_folder_only_packages_are_opened)
{
    struct fx zip = { 0 }, tar = { 0 }, library = { 0 };
    const struct fx_ar object = { "o.o", &contents[0] };
    const struct ra_report *report;

    zip_all(&zip, DEFLATED);
    tar_all(&tar);
    fx_ar(&library, &object, 1, false);
    folder_save("mix/a.whl", &zip);
    folder_save("mix/a.zip", &zip);
    folder_save("mix/a.tar", &tar);
    folder_save("mix/liba.a", &library);
    report = ask("mix", 1);
    cr_assert_eq(report->totals.archives, 1);
    cr_assert_eq(report->totals.files, 13 + 3);
    cr_assert_eq(report->totals.by_kind[RA_KIND_ARCHIVE], 3);
    cr_assert_eq(report->totals.with_device_code, 7);
    fx_free(&zip);
    fx_free(&tar);
    fx_free(&library);
}

MembersTest(a_library_of_objects_that_is_named_is_opened)
{
    struct fx object = fx_make("good-object.o"), fx = { 0 };
    const struct fx_ar members[] = { { "one.o", &object }, { "one.o", &object } };
    const struct ra_report *report;

    fx_ar(&fx, members, 2, false);
    folder_save("liba.a", &fx);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a", .paths = "liba.a" });
    cr_assert_eq(report->file_count, 2);
    cr_assert(strstr(report->files[0].path, "/liba.a!one.o"));
    cr_assert_eq(report->files[1].verdicts[0].kind, RA_NATIVE);
    cr_assert_eq(report->exit, 0);
    fx_cut(&fx, 0);
    fx_ar(&fx, members, 2, true);
    folder_save("liba.a", &fx);
    cr_assert_eq(folder_exit("gfx90a", "liba.a"), 2, "a thin one has no bytes");
    fx_free(&fx);
    fx_free(&object);
}

/* ---- what is wrong ---------------------------------------------------------- */

static const char *told_of(const struct ra_file *file)
{
    cr_assert_not_null(file->diags, "%s", file->path);
    return file->diags->name;
}

/* A library that fits, and one more member that is not what it seems. */
static const struct ra_report *with(const struct fx_member *odd, const char *gpu)
{
    struct fx fx = { 0 };
    const struct fx_member members[] = {
        { .name = "a/fits.so", .content = &contents[0], .deflated = true },
        *odd,
    };

    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = 2 });
    folder_save("a.whl", &fx);
    fx_free(&fx);
    return folder_ask(&(struct folder_ask){ .gpus = gpu, .paths = "a.whl" });
}

static void assert_undecided(const struct fx_member *odd, const char *diag)
{
    const struct ra_report *report = with(odd, "gfx90a");
    const struct ra_file *file = find(report, odd->name);

    cr_assert_str_eq(told_of(file), diag, "%s: %s", odd->name, file->diags->detail);
    cr_assert_neq(file->status, RA_FILE_OK);
    cr_assert_eq(report->exit, 2);
    cr_assert_eq(find(report, "a/fits.so")->verdicts[0].kind, RA_NATIVE);
}

MembersTest(a_member_that_cannot_be_read_is_undecided_and_the_others_are_judged)
{
    const struct fx *library = &contents[1];
    const struct fx_member odd[] = {
        { .name = "a/x.so", .content = library, .encrypted = true },
        { .name = "a/x.so", .content = library, .method = 93 },
        { .name = "a/x.so", .content = library, .local_name = "a/y.so" },
        { .name = "a/x.so", .content = library, .deflated = true, .central_size = 1000 },
        { .name = "a/x.so", .content = library, .deflated = true, .central_size = -1000 },
        { .name = "a/x.so",
          .content = library,
          .deflated = true,
          .zip64 = true,
          .central_size = (int64_t)1 << 40,
          .local_size = (int64_t)1 << 40 },
        { .name = "a/x.so",
          .content = library,
          .deflated = true,
          .streamed = true,
          .central_crc = 1 },
    };
    static const char *const diags[] = { "member-encrypted", "archive-unread",
                                         "member-damaged",   "member-damaged",
                                         "member-damaged",   "limit",
                                         "member-damaged" };

    for (size_t i = 0; i < RA_COUNT(odd); i++)
        assert_undecided(&odd[i], diags[i]);
}

/* pip writes a file for whatever is no folder by its name. */
MembersTest(the_type_of_a_member_hides_no_library)
{
    const struct fx *library = &contents[0];
    static const uint32_t types[] = { 0020644, 0040755, 0060644, 0140755 };
    const struct fx_member pipe = { .name = "a/x.so",
                                    .content = library,
                                    .mode = 0010644 };

    for (size_t i = 0; i < RA_COUNT(types); i++)
        assert_undecided(&(struct fx_member){ .name = "a/x.so",
                                              .content = library,
                                              .deflated = i % 2,
                                              .mode = types[i] },
                         "member-damaged");
    cr_assert_eq(with(&pipe, "gfx1100")->totals.with_device_code, 2);
}

MembersTest(a_symbolic_link_that_is_no_path_is_told)
{
    struct fx path = { 0 };
    const struct fx_member honest = { .name = "a/x.so",
                                      .content = &path,
                                      .mode = 0120777 };
    const struct fx_member odd = { .name = "a/x.so",
                                   .content = &contents[0],
                                   .mode = 0120777 };

    fx_text(&path, "fits.so");
    cr_assert_eq(with(&honest, "gfx90a")->exit, 0);
    assert_undecided(&odd, "member-damaged");
    fx_free(&path);
}

MembersTest(two_members_of_a_name_are_undecided_whichever_stays)
{
    const struct fx_member odd = { .name = "a/fits.so", .content = &contents[1] };
    const struct ra_report *report = with(&odd, "gfx90a");

    cr_assert_eq(report->exit, 2);
    cr_assert_eq(report->totals.with_device_code, 2);
    cr_assert(strstr(folder_text(report, "text"), "D054"));
}

/* They name, and lead nowhere. */
MembersTest(names_of_members_are_shown_and_harm_nothing)
{
    static char longest[4097];
    static const char *const odd[] = { "../../etc/x.so", "/etc/x.so", "a!b/x.so",
                                       "a/\x1b[31m.so",  "",          longest,
                                       "a/\xff\xfe.so",  "./a//x.so" };

    memset(longest, 'n', sizeof(longest) - 1);
    for (size_t i = 0; i < RA_COUNT(odd); i++) {
        const struct fx_member member = { .name = odd[i], .content = &contents[0] };
        const struct ra_report *report = with(&member, "gfx90a");
        const char *text = folder_text(report, "json");

        cr_assert_eq(report->exit, 0, "%s", odd[i]);
        cr_assert_eq(report->totals.with_device_code, 2);
        for (; *text; text++)
            cr_assert((unsigned char)*text >= ' ' || *text == '\n');
    }
}

/* A tar says whose bytes a hard link has; without them there is nothing to judge. */
MembersTest(a_hard_link_to_nothing_is_undecided_and_a_symbolic_one_is_not)
{
    static const struct {
        char type;
        const char *link;
        int exit;
    } links[] = { { '1', "./a.so", 0 },
                  { '1', "./b.so", 2 },
                  { '2', "/usr/lib/b.so", 0 },
                  { '2', "b.so", 0 } };

    for (size_t i = 0; i < RA_COUNT(links); i++) {
        struct fx fx = { 0 };

        fx_tar(&fx, &(struct fx_tar){ .name = "./a.so", .content = &contents[0] });
        fx_tar(&fx, &(struct fx_tar){
                        .name = "./l.so", .link = links[i].link, .type = links[i].type });
        fx_tar_end(&fx);
        folder_save("a.tar", &fx);
        cr_assert_eq(folder_exit("gfx90a", "a.tar"), links[i].exit, "%c %s",
                     links[i].type, links[i].link);
        fx_free(&fx);
    }
}

/* What else a tar calls a file: GNU's and POSIX's types, and one that is not known. */
MembersTest(the_type_in_a_tar_hides_no_library)
{
    static const char types[] = { '0', '7', 'M', 'D', 'Z' };

    for (size_t i = 0; i < RA_COUNT(types); i++) {
        struct fx fx = { 0 };

        fx_tar(&fx, &(struct fx_tar){
                        .name = "a.so", .content = &contents[0], .type = types[i] });
        fx_tar_end(&fx);
        folder_save("a.tar", &fx);
        cr_assert_eq(folder_exit("gfx1100", "a.tar"), 1, "%c", types[i]);
        fx_free(&fx);
    }
}

MembersTest(a_package_that_is_no_archive_is_undecided)
{
    struct fx zip = { 0 }, fx = { 0 };

    zip_all(&zip, 0);
    fx_text(&fx, "#!/usr/bin/python\n");
    fx_append(&fx, &zip); /* legal, and what runs it finds the zip at the end */
    folder_save("a.whl", &fx);
    cr_assert_eq(folder_exit("gfx90a", "a.whl"), 2);
    folder_save("tree/a.whl", &fx);
    folder_fixture("tree/fits.so", "good-two-targets.so");
    cr_assert_eq(folder_exit("gfx90a", "tree"), 2);
    fx_free(&fx);
    fx_free(&zip);
}

/* Parts of a package in a compression this build does not know. */
MembersTest(a_deb_whose_data_cannot_be_opened_is_undecided)
{
    struct fx data = { 0 }, fx = { 0 };
    const struct fx_ar members[] = { { "data.tar.lzma", &data },
                                     { "x.so", &contents[0] } };

    fx_text(&data, "]\1\2\3 is how lzma alone starts");
    fx_ar(&fx, members, 2, false);
    folder_save("a.deb", &fx);
    cr_assert_eq(folder_exit("gfx90a", "a.deb"), 2);
    fx_free(&data);
    fx_free(&fx);
}

/* Named so that it is a record, which code is not read as. */
MembersTest(code_under_the_name_of_a_record_is_judged)
{
    const struct fx_member odd = { .name = "a-1.dist-info/RECORD",
                                   .content = &contents[0],
                                   .deflated = true };

    cr_assert_eq(with(&odd, "gfx1100")->totals.with_device_code, 2);
}

MembersTest(archives_are_opened_two_deep_and_no_further)
{
    struct fx wheel = { 0 }, outer = { 0 }, fx = { 0 };
    const struct fx_member inner = { .name = "in.whl", .content = &wheel };
    const struct fx_member middle[] = { { .name = "out.whl", .content = &outer },
                                        { .name = "a.so", .content = &contents[0] } };
    const struct ra_report *report;

    zip_all(&wheel, DEFLATED);
    fx_zip(&outer, &(struct fx_zip){ .members = &inner, .count = 1 });
    fx_zip(&fx, &(struct fx_zip){ .members = middle, .count = 2 });
    folder_save("a.zip", &fx);
    report = folder_ask(&(struct folder_ask){ .gpus = "gfx90a", .paths = "a.zip" });
    cr_assert_eq(report->exit, 2);
    cr_assert_str_eq(told_of(find(report, "in.whl")), "not-opened");
    cr_assert_eq(find(report, "a.so")->verdicts[0].kind, RA_NATIVE);
    fx_free(&wheel);
    fx_free(&outer);
    fx_free(&fx);
}

/* Whoever of several workers met it, the answer is in the order of the archive. */
MembersTest(damage_is_told_in_the_same_order_on_any_number_of_threads)
{
    enum { MEMBERS = 60 };
    struct fx_member members[MEMBERS] = { { 0 } };
    char called[MEMBERS][24];
    struct fx fx = { 0 };
    const char *one, *four;

    for (size_t i = 0; i < MEMBERS; i++) {
        snprintf(called[i], sizeof(called[i]), "a/%02zu.so", i);
        members[i] = (struct fx_member){ .name = called[i],
                                         .content = &contents[i % 7],
                                         .encrypted = i % 3 == 0,
                                         .local_name = i % 5 == 0 ? "b" : NULL };
    }
    members[30].content = &contents[9]; /* large enough for several workers */
    cr_assert_gt(contents[9].size, (size_t)MIB);
    fx_zip(&fx, &(struct fx_zip){ .members = members, .count = MEMBERS });
    folder_save("a.whl", &fx);
    one = folder_text(ask("a.whl", 1), "json");
    for (unsigned i = 0; i < 8; i++) {
        four = folder_text(ask("a.whl", 4), "json");
        cr_assert_str_eq(one, four);
    }
    fx_free(&fx);
}

/* So that its end is cut off at each kind of place; the good ones before it stay. */
MembersTest(an_archive_that_was_cut_is_undecided)
{
    struct fx zip = { 0 }, tar = { 0 };

    zip_all(&zip, DEFLATED);
    tar_all(&tar);
    for (size_t i = 1; i < 24; i++) {
        struct fx fx = { 0 };

        fx_bytes(&fx, zip.data, zip.size * i / 24);
        folder_save("a.whl", &fx);
        cr_assert_eq(folder_exit("gfx90a", "a.whl"), 2, "zip %zu", i);
        fx_cut(&fx, 0);
        fx_bytes(&fx, tar.data, tar.size * i / 24);
        folder_save("a.tar", &fx);
        cr_assert_neq(folder_exit("gfx90a", "a.tar"), 0, "tar %zu", i);
        fx_free(&fx);
    }
    fx_free(&zip);
    fx_free(&tar);
}
