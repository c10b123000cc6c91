#include "site/site.h"

#include "base/text.h"
#include "told.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Up to the first without a place. */
struct text_document {
    const char *place, *text;
};

static struct ra_site read_site(struct told *told, const struct text_document *texts)
{
    struct ra_site_document documents[16];
    struct ra_site site;
    size_t count = 0;

    for (; texts[count].place; count++)
        documents[count] = (struct ra_site_document){
            texts[count].place,
            { (const uint8_t *)texts[count].text, strlen(texts[count].text), 0 },
        };
    cr_assert_eq(ra_site_read(documents, count, &told->arena, &told->diags, &site),
                 RA_OK);
    return site;
}

#define READ(told, ...)                                                                  \
    read_site(&(told), (const struct text_document[]){ __VA_ARGS__, { NULL, NULL } })

/* "name version" of the owner, "nobody" if there is none. */
static const char *owner_of(const struct ra_site *site, const char *place)
{
    static char text[200];
    const struct ra_site_package *package = ra_site_owner(site, place, NULL);

    if (!package)
        return "nobody";
    snprintf(text, sizeof(text), "%s %s", package->name, package->version);
    return text;
}

#define META(name, version)                                                              \
    "Metadata-Version: 2.4\nName: " name "\nVersion: " version "\n\nprose: here\n"

/* ---- what is a record ---------------------------------------------------------------
 */

Test(site, records_are_wanted_and_nothing_else)
{
    static const char *const wanted[] = {
        "lib/python3/site-packages/torch-2.9.0.dist-info/RECORD",
        "torch-2.9.0.dist-info/METADATA",
        "/a/foo-1.dist-info/direct_url.json",
        "foo-1.egg-info",
        "foo.egg-info/PKG-INFO",
        "foo.egg-info/SOURCES.txt",
        "foo.egg-info/installed-files.txt",
        "foo-1-py3.11.egg/EGG-INFO/PKG-INFO",
        "EGG-INFO/PKG-INFO",
        "site-packages/__editable__.foo-1.0.pth",
        "site-packages/foo.egg-link",
        "env/conda-meta/pytorch-2.9-py312.json",
        "conda-meta/a.json",
        "pkg/info/index.json",
        "pkg/info/files",
        "info/paths.json",
        "/var/lib/dpkg/status",
        "root/var/lib/dpkg/info/libc6:amd64.list",
        "foo.deb/control.tar.xz/control",
        "control.tar/control",
    };
    static const char *const others[] = {
        "",
        "/",
        "RECORD",
        "dist-info/METADATA",
        "foo.dist-info/WHEEL",
        "foo.dist-info/x/RECORD",
        "foo.dist-info/RECORD.jws",
        "foo/PKG-INFO",
        "MYEGG-INFO/PKG-INFO",
        "foo.pth",
        "__editable__..pth/x",
        "__editable__.pth",
        ".egg-info",
        "conda-meta/history",
        "myconda-meta/a.json",
        "myinfo/files",
        "var/lib/dpkg/info/libc6:amd64.md5sums",
        "var/lib/dpkg/status-old",
        "var/lib/dpkg/info/x/y.list",
        "debian/control",
        "control",
        "torch/lib/libtorch_hip.so",
    };

    for (size_t i = 0; i < RA_COUNT(wanted); i++)
        cr_assert(ra_site_wants(wanted[i]), "%s", wanted[i]);
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_not(ra_site_wants(others[i]), "%s", others[i]);
}

Test(site, members_of_archives_have_places_below_their_root)
{
    static const char *const cases[][3] = {
        { "x.whl/", "torch/lib/a.so", "x.whl/torch/lib/a.so" },
        { "x.whl/", "./usr//lib/./a.so", "x.whl/usr/lib/a.so" },
        { "x.whl/", "/usr/lib/a.so", "x.whl/usr/lib/a.so" },
        { "x.whl/", "../../etc/passwd", "x.whl/etc/passwd" },
        { "x.whl/", "a/../../b", "x.whl/b" },
        { "x.whl/", "a/", "x.whl/a" },
        { "x.whl/", "x-1.data/purelib/x/a.so", "x.whl/x/a.so" },
        { "x.whl/", "x-1.data/platlib/x/a.so", "x.whl/x/a.so" },
        { "x.whl/", "x-1.data/data/lib/a.so", "x.whl/lib/a.so" },
        { "x.whl/", "x-1.data/scripts/a", "x.whl/x-1.data/scripts/a" },
        { "x.whl/", "x-1.data/purelib/../../../a", "x.whl/a" },
        { "", "a/b", "a/b" },
        { "", "../a", "a" },
        { "/tmp/x.tar/", "\xef\xbc\x8a:+*", "/tmp/x.tar/\xef\xbc\x8a:+*" },
    };
    struct ra_arena arena = { 0 };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ra_span member = { (const uint8_t *)cases[i][1], strlen(cases[i][1]), 0 };

        cr_assert_str_eq(ra_site_place(&arena, cases[i][0], member), cases[i][2], "of %s",
                         cases[i][1]);
    }
    ra_arena_free(&arena);
}

/* ---- wheels --------------------------------------------------------------------------
 */

#define ABC_HEX    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_BASE64 "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"

Test(site, a_wheel_owns_what_its_record_lists)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(
        told,
        { "env/lib/py/site-packages/foo-1.0.dist-info/RECORD",
          "foo/__init__.py,sha256=" ABC_BASE64 ",3\r\n"
          "foo/lib.so,sha256=" ABC_HEX ",4096\r\n"
          "\"foo/a,b \"\"c\"\".co\",,\r\n"
          "foo/torch_gfx90a:xnack+.kpack,sha512=abc,7\r\n"
          "foo/F__\xef\xbc\212fp16*.aks2,,\r\n"
          "../../../bin/foo,,\r\n"
          "/opt/foo/x,,\r\n"
          "./foo//./y,,\r\n"
          "foo-1.0.dist-info/RECORD,,\r\n" },
        { "env/lib/py/site-packages/foo-1.0.dist-info/METADATA", META("Foo", "1.0") });
    static const char *const owned[] = {
        "env/lib/py/site-packages/foo/__init__.py",
        "env/lib/py/site-packages/foo/lib.so",
        "env/lib/py/site-packages/foo/a,b \"c\".co",
        "env/lib/py/site-packages/foo/torch_gfx90a:xnack+.kpack",
        "env/lib/py/site-packages/foo/F__\xef\xbc\212fp16*.aks2",
        "env/bin/foo",
        "/opt/foo/x",
        "env/lib/py/site-packages/foo/y",
        "env/lib/py/site-packages/foo-1.0.dist-info/RECORD",
    };
    const struct ra_site_package *package = site.packages[0];
    const struct ra_site_file *file = package->files;
    const struct ra_site_digest *digest;

    cr_assert_eq(site.package_count, 1);
    cr_assert_str_eq(package->kind, "wheel");
    cr_assert_str_eq(package->place, "env/lib/py/site-packages/foo-1.0.dist-info");
    cr_assert_str_eq(package->normal, "foo");
    cr_assert_eq(package->file_count, RA_COUNT(owned));
    cr_assert(package->has_list && !package->is_placeholder && !package->editable);
    for (size_t i = 0; i < RA_COUNT(owned); i++, file = file->next) {
        cr_assert_str_eq(file->place, owned[i]);
        cr_assert_str_eq(owner_of(&site, owned[i]), "Foo 1.0");
        cr_assert_eq(file->has_size, i < 2 || i == 3, "%s", owned[i]);
    }
    cr_assert_null(file);
    digest = ra_site_digest(&site, owned[1]);
    cr_assert_eq(digest->kind, RA_SITE_SHA256);
    cr_assert_arr_eq(digest, ra_site_digest(&site, owned[0]), sizeof(*digest));
    cr_assert_eq(ra_site_file(&site, owned[1])->size, 4096);
    cr_assert_null(ra_site_digest(&site, owned[2]));
    cr_assert_eq(ra_site_digest(&site, owned[3])->kind, RA_SITE_OTHER_DIGEST);
    cr_assert_str_eq(owner_of(&site, "env/lib/py/site-packages/foo/z"), "nobody");
    cr_assert_str_eq(owner_of(&site, "foo/lib.so"), "nobody");
    assert_silent(told);
}

Test(site, the_data_of_a_wheel_file_are_listed_where_they_get_installed)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "x.whl/x-1.dist-info/RECORD",
                     "x-1.data/platlib/x/a.so,,\nx-1.data/data/lib/b.so,,\n"
                     "x-1.data/scripts/c,,\n" });

    cr_assert_str_eq(owner_of(&site, "x.whl/x/a.so"), "x 1");
    cr_assert_str_eq(owner_of(&site, "x.whl/lib/b.so"), "x 1");
    cr_assert_str_eq(owner_of(&site, "x.whl/x-1.data/scripts/c"), "x 1");
    assert_silent(told);
}

Test(site, the_first_record_owns_what_several_list)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(
        told, { "s/rocm_sdk_libraries-7.dist-info/RECORD", "r/__init__.py,,\nr/z,,\n" },
        { "s/a_device-7.dist-info/RECORD", "r/a,,\nr/__init__.py,,5\n" },
        { "s/b_device-7.dist-info/RECORD",
          "r/__init__.py,sha256=" ABC_HEX ",5\nr/__init__.py,,\n" });
    const struct ra_site_file *file;
    size_t count = 0;

    cr_assert_str_eq(ra_site_owner(&site, "s/r/__init__.py", &count)->name, "a_device");
    cr_assert_eq(count, 3);
    file = ra_site_file(&site, "s/r/__init__.py");
    cr_assert_str_eq(file->other->package->name, "b_device");
    cr_assert_str_eq(file->other->other->package->name, "rocm_sdk_libraries");
    cr_assert_null(file->other->other->other);
    cr_assert_eq(ra_site_digest(&site, "s/r/__init__.py")->kind, RA_SITE_SHA256);
    cr_assert_str_eq(ra_site_owner(&site, "s/r/z", &count)->name, "rocm_sdk_libraries");
    cr_assert_eq(count, 1);
    cr_assert_null(ra_site_owner(&site, "s/r/nothing", &count));
    cr_assert_eq(count, 0);
    cr_assert_eq(site.packages[1]->file_count, 1, "what is listed twice counts once");
    assert_silent(told);
}

Test(site, damaged_rows_are_told_once_and_the_others_stay)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(told, { "a-1.dist-info/RECORD", "one,sha256=x,1\n"
                                                               "two,,many\n"
                                                               "three\n"
                                                               ",,\n"
                                                               "..,,\n"
                                                               "good,,12\n"
                                                               "\"cut,,\ngood2,,\n" });

    cr_assert_eq(ra_site_file(&site, "good")->size, 12);
    cr_assert_not_null(ra_site_file(&site, "one"));
    cr_assert_not_null(ra_site_file(&site, "two"));
    cr_assert_not_null(ra_site_file(&site, "three"));
    cr_assert_eq(site.file_count, 4);
    cr_assert_not_null(strstr(told_detail(&told), "the first of 6"), "%s",
                       told_detail(&told));
    assert_told(told, PACKAGE_BAD);
}

Test(site, bytes_that_no_name_has_and_lines_without_end_do_no_harm)
{
    enum { LONG = 10 << 20 };
    struct told told = TOLD_INIT(told);
    char *text = malloc(LONG);
    struct ra_site_document documents[] = {
        { "a-1.dist-info/RECORD", { (const uint8_t *)text, LONG, 0 } },
        { "b-1.dist-info/RECORD", { (const uint8_t *)"a\0b,,\nc\xff\x1b,,\n", 12, 0 } },
        { "c-1.dist-info/METADATA", { (const uint8_t *)text, LONG, 0 } },
        { "d-1.egg-info", { NULL, 0, 0 } },
    };
    struct ra_site site;

    memset(text, 'x', LONG);
    cr_assert_eq(ra_site_read(documents, 4, &told.arena, &told.diags, &site), RA_OK);
    cr_assert_eq(site.package_count, 4);
    cr_assert_eq(site.file_count, 1);
    cr_assert_str_eq(owner_of(&site, "c\xff\x1b"), "b 1");
    cr_assert_eq(told.diags.count, 4, "one for each");
    cr_assert_lt(told.arena.used, 1 << 20);
    free(text);
    told_end(&told);
}

/* ---- metadata -------------------------------------------------------------------------
 */

Test(site, metadata_name_the_package_and_what_it_needs)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(
        told,
        { "p/x.dist-info/METADATA",
          "\xef\xbb\xbf"
          "Metadata-Version: 2.1\r\n"
          "name: Some.Name\r\n"
          "VERSION: 2.9.0+rocm7.10.0 \r\n"
          "Summary: does things\r\n"
          "Requires-Dist: numpy\r\n"
          "Requires-Dist: jinja2 (>=3.1.0)\r\n"
          "Requires-Dist: rocm[libraries, device-gfx942]==7.10.0 ; extra == 'rocm'\r\n"
          "Requires-Dist: Foo_Bar @ https://x/y;z.whl ; python_version < '3.12' and "
          "extra == \"a-b\"\r\n"
          "Requires-Dist: folded\r\n"
          "        >=1; extra=='c'\r\n"
          "Requires-Dist: odd ; extra == '\r\n"
          "Provides-Extra: device-gfx942\r\n"
          "Provides-Extra: device-all\r\n"
          "\r\n"
          "Name: prose\r\n" });
    static const struct ra_site_need wanted[] = {
        { "numpy", "", "", "", "" },
        { "jinja2", "", ">=3.1.0", "", "" },
        { "rocm", "libraries, device-gfx942", "==7.10.0", "extra == 'rocm'", "rocm" },
        { "foo-bar", "", "@ https://x/y;z.whl",
          "python_version < '3.12' and extra == \"a-b\"", "a-b" },
        { "folded", "", ">=1", "extra=='c'", "c" },
        { "odd", "", "", "extra == '", "" },
    };
    const struct ra_site_package *package = site.packages[0];

    cr_assert_str_eq(package->name, "Some.Name");
    cr_assert_str_eq(package->normal, "some-name");
    cr_assert_str_eq(package->version, "2.9.0+rocm7.10.0");
    cr_assert_eq(package->need_count, RA_COUNT(wanted));
    for (size_t i = 0; i < RA_COUNT(wanted); i++) {
        cr_assert_str_eq(package->needs[i].name, wanted[i].name);
        cr_assert_str_eq(package->needs[i].extras, wanted[i].extras);
        cr_assert_str_eq(package->needs[i].spec, wanted[i].spec);
        cr_assert_str_eq(package->needs[i].marker, wanted[i].marker);
        cr_assert_str_eq(package->needs[i].extra, wanted[i].extra);
    }
    cr_assert_eq(package->extra_count, 2);
    cr_assert_str_eq(package->extras[0], "device-gfx942");
    cr_assert_str_eq(package->extras[1], "device-all");
    cr_assert_eq(ra_site_package(&site, "some_NAME"), package);
    cr_assert_null(ra_site_package(&site, "other"));
    assert_silent(told);
}

Test(site, names_from_files_are_escaped_and_kept_raw_besides)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "a-1.dist-info/METADATA", "Name: a\x1b[31m\nVersion: \xff\n" });

    cr_assert_str_eq(site.packages[0]->name, "a\\x1b[31m");
    cr_assert_str_eq(site.packages[0]->raw_name, "a\x1b[31m");
    cr_assert_str_eq(site.packages[0]->version, "\\xff");
    cr_assert_str_eq(site.packages[0]->normal, "a\\x1b[31m");
    assert_silent(told);
}

Test(site, metadata_without_a_name_are_damaged_and_the_folder_names_the_package)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(told, { "d/my_pkg-1.2.dist-info/METADATA", "nonsense\n" });

    cr_assert_str_eq(site.packages[0]->name, "my_pkg");
    cr_assert_str_eq(site.packages[0]->version, "1.2");
    assert_told(told, PACKAGE_BAD);
}

static bool is_placeholder(const char *summary, const char *version, const char *record)
{
    struct told told = TOLD_INIT(told);
    struct ra_text metadata = { 0 };
    struct ra_site site;
    bool ret;

    ra_text_printf(&metadata, "Name: x\nVersion: %s\nSummary: %s\n", version, summary);
    site = READ(told, { "x-1.dist-info/METADATA", metadata.data },
                { "x-1.dist-info/RECORD", record });
    ret = site.packages[0]->is_placeholder;
    ra_text_free(&metadata);
    told_end(&told);
    return ret;
}

Test(site, a_package_with_nothing_in_it_is_a_placeholder)
{
    static const char nothing[] = "x/__init__.py,,91\nx-1.dist-info/METADATA,,9\n"
                                  "x/__pycache__/__init__.cpython-312.pyc,,\n"
                                  "x-1.dist-info/licenses/LICENSE,,900\n";

    cr_assert(is_placeholder("Placeholder for x", "0.0.1.dev0", nothing));
    cr_assert(is_placeholder("A library", "0.0.2", nothing));
    cr_assert(is_placeholder("A library", "1", "x-1.dist-info/RECORD,,\n"));
    cr_assert(
        is_placeholder("", "1", "dummy_pkg/_init_.py,,81\nx-1.dist-info/RECORD,,\n"));
    cr_assert_not(is_placeholder("A library", "1", "x/__init__.py,,9000\n"));
    cr_assert_not(
        is_placeholder("A library", "1", "x/__init__.py,,1\ny/__init__.py,,1\n"));
    cr_assert_not(is_placeholder("Placeholder for x", "0.0.1.dev0", "x/lib.so,,1\n"));
    cr_assert_not(is_placeholder("A library", "1", ""), "there is no list");
}

Test(site, a_device_package_knows_its_host)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "a.dist-info/METADATA", META("amd-torch-device-gfx942", "2.9") },
             { "b.dist-info/METADATA", META("torch", "2.9") });

    cr_assert_str_eq(site.packages[0]->device.host, "torch");
    cr_assert_str_eq(site.packages[0]->device.key, "gfx942");
    cr_assert_str_eq(site.packages[1]->device.host, "");
    assert_silent(told);
}

/* ---- editable installs
 * ------------------------------------------------------------------ */

Test(site, editable_installs_say_where_their_files_are)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(
        told,
        { "s/a-1.dist-info/direct_url.json",
          "{\"dir_info\": {\"editable\": true}, \"url\": \"file:///home/me/a%20b\"}" },
        { "s/a-1.dist-info/METADATA", META("a", "1") },
        { "s/b_x-1.dist-info/METADATA", META("B.x", "1") },
        { "s/__editable__.b_x-1.pth", "# by setuptools\n/home/me/b/src\n" },
        { "s/c-1.dist-info/METADATA", META("c", "1") },
        { "s/__editable__.c-1.pth", "import __editable___c_1_finder; x()\n" },
        { "s/d-1.dist-info/direct_url.json",
          "{\"url\":\"file:///x\",\"dir_info\":{\"editable\":false}}" },
        { "s/e.egg-link", "/home/me/e\n../\n" },
        { "s/f-1.dist-info/direct_url.json", "{\"dir_info\":{\"editable\":true}," });

    cr_assert_str_eq(ra_site_package(&site, "a")->editable, "/home/me/a b");
    cr_assert_str_eq(ra_site_package(&site, "b-x")->editable, "/home/me/b/src");
    cr_assert_str_eq(ra_site_package(&site, "c")->editable, "");
    cr_assert_null(ra_site_package(&site, "d")->editable);
    cr_assert_str_eq(ra_site_package(&site, "e")->editable, "/home/me/e");
    cr_assert_str_eq(ra_site_package(&site, "e")->kind, "egg");
    cr_assert_str_eq(ra_site_package(&site, "f")->editable, "");
    cr_assert_eq(site.package_count, 6);
    assert_told(told, PACKAGE_BAD);
}

/* ---- eggs
 * -------------------------------------------------------------------------------- */

Test(site, eggs_list_their_files_in_three_ways)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "s/a-1.egg-info/PKG-INFO", META("a", "1") },
             { "s/a-1.egg-info/installed-files.txt", "../a/x.so\nPKG-INFO\n" },
             { "s/b-1.egg-info/PKG-INFO", META("b", "1") },
             { "s/b-1.egg-info/SOURCES.txt", "b/__init__.py\r\nsetup.py\r\n" },
             { "s/c-1-py3.11.egg/EGG-INFO/PKG-INFO", META("c", "1") },
             { "s/d-1-py3.11.egg-info", META("d", "1") });

    cr_assert_eq(site.package_count, 4);
    cr_assert_str_eq(owner_of(&site, "s/a/x.so"), "a 1");
    cr_assert_str_eq(owner_of(&site, "s/a-1.egg-info/PKG-INFO"), "a 1");
    cr_assert_str_eq(owner_of(&site, "s/b/__init__.py"), "b 1");
    cr_assert_str_eq(owner_of(&site, "s/c-1-py3.11.egg/c/deep/x.so"), "c 1");
    cr_assert_str_eq(owner_of(&site, "s/c/x.so"), "nobody");
    cr_assert_str_eq(ra_site_package(&site, "c")->folder, "s/c-1-py3.11.egg/");
    cr_assert_not(ra_site_package(&site, "d")->has_list);
    cr_assert_str_eq(ra_site_package(&site, "d")->version, "1");
    assert_silent(told);
}

/* ---- conda
 * ------------------------------------------------------------------------------- */

Test(site, conda_lists_files_below_the_prefix)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(
        told, { "env/conda-meta/pytorch-2.9-py312.json",
                "{\"build\":\"py312\",\"files\":[\"lib/a.so\",\"lib/\\u00e9.so\"],"
                "\"link\":{\"name\":\"no\"},\"name\":\"pytorch\","
                "\"paths_data\":{\"paths\":[{\"_path\":\"lib/a.so\",\"sha256\":\"" ABC_HEX
                "\",\"size_in_bytes\":3,\"path_type\":\"hardlink\"},"
                "{\"_path\":\"lib/c\",\"sha256\":\"00\",\"sha256_in_prefix\":\"" ABC_HEX
                "\",\"size_in_bytes\":9}],\"paths_version\":1},\"version\":\"2.9\"}" });
    const struct ra_site_file *file = ra_site_file(&site, "env/lib/a.so");

    cr_assert_str_eq(site.packages[0]->kind, "conda");
    cr_assert_eq(site.packages[0]->file_count, 3);
    cr_assert_str_eq(owner_of(&site, "env/lib/\xc3\xa9.so"), "pytorch 2.9");
    cr_assert(file->has_size && file->size == 3 && file->digest.kind == RA_SITE_SHA256);
    file = ra_site_file(&site, "env/lib/c");
    cr_assert(!file->has_size && file->digest.kind == RA_SITE_SHA256);
    assert_silent(told);
}

Test(site, a_conda_package_file_owns_all_that_is_in_it)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "p.conda/info/index.json", "{\"name\":\"p\",\"version\":\"3\"}" },
             { "p.conda/info/files", "lib/a.so\n" },
             { "p.conda/info/paths.json",
               "{\"paths\":[{\"_path\":\"lib/a.so\",\"sha256\":\"" ABC_HEX "\"}]}" },
             { "git/info/files", "lib/b.so\n" });

    cr_assert_eq(site.package_count, 1, "a folder called info is not of conda by that");
    cr_assert_str_eq(owner_of(&site, "p.conda/lib/other.so"), "p 3");
    cr_assert_eq(ra_site_digest(&site, "p.conda/lib/a.so")->kind, RA_SITE_SHA256);
    assert_silent(told);
}

Test(site, json_that_is_cut_is_told_and_what_came_before_stands)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "conda-meta/p-1-0.json",
                     "{\"name\":\"p\",\"files\":[\"lib/a.so\",\"lib/b" });

    cr_assert_str_eq(owner_of(&site, "lib/a.so"), "p ");
    cr_assert_eq(site.file_count, 1);
    assert_told(told, PACKAGE_BAD);
}

/* ---- Debian
 * ------------------------------------------------------------------------------- */

static const char stanzas[] = "Package: libfoo\n"
                              "Status: install ok installed\n"
                              "Architecture: amd64\n"
                              "Version: 1.2-3\n"
                              "Description: a library\n"
                              " of two lines\n"
                              "\n"
                              "Package: bar\n"
                              "Architecture: all\n"
                              "Version: 9\n";

Test(site, dpkg_lists_files_below_its_root)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told,
             { "r/var/lib/dpkg/info/libfoo:amd64.list",
               "/.\n/usr\n/usr/lib\n/usr/lib/libfoo.so.1\n/lib\n/lib/libf.so\n" },
             { "r/var/lib/dpkg/status", stanzas },
             { "r/var/lib/dpkg/info/bar.list", "/usr\n/usr/bin\n/usr/bin/bar\n" },
             { "r/var/lib/dpkg/info/gone.list", "/etc/gone\n" });

    cr_assert_eq(site.package_count, 3);
    cr_assert_str_eq(owner_of(&site, "r/usr/lib/libfoo.so.1"), "libfoo 1.2-3");
    cr_assert_str_eq(owner_of(&site, "r/usr/bin/bar"), "bar 9");
    cr_assert_str_eq(owner_of(&site, "r/etc/gone"), "gone ");
    cr_assert_str_eq(owner_of(&site, "r/lib/libf.so"), "libfoo 1.2-3");
    cr_assert_str_eq(owner_of(&site, "r/usr/lib/libf.so"), "libfoo 1.2-3",
                     "/lib is a link to /usr/lib");
    cr_assert_str_eq(owner_of(&site, "r/usr"), "nobody", "a folder is of many");
    cr_assert_str_eq(owner_of(&site, "/usr/bin/bar"), "nobody", "of another system");
    cr_assert_str_eq(ra_site_package(&site, "libfoo")->kind, "deb");
    cr_assert_eq(ra_site_package(&site, "libfoo")->file_count, 2);
    assert_silent(told);
}

Test(site, dpkg_of_this_system_lists_absolute_places)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site =
        READ(told, { "/var/lib/dpkg/status", stanzas },
             { "/var/lib/dpkg/info/bar.list", "/usr\n/usr/bin\n/usr/bin/bar\n" });

    cr_assert_str_eq(owner_of(&site, "/usr/bin/bar"), "bar 9");
    cr_assert_eq(site.package_count, 1, "without a list there is nothing to own");
    assert_silent(told);
}

Test(site, a_deb_owns_all_that_is_in_it)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site = READ(told, { "x.deb/control.tar.xz/control", stanzas });

    cr_assert_eq(site.package_count, 1);
    cr_assert_str_eq(owner_of(&site, "x.deb/data.tar.xz/usr/lib/a.so"), "libfoo 1.2-3");
    cr_assert_str_eq(owner_of(&site, "y.deb/usr/lib/a.so"), "nobody");
    cr_assert_str_eq(site.packages[0]->place, "x.deb/");
    assert_silent(told);
}

/* ---- memory
 * ------------------------------------------------------------------------------- */

Test(site, too_little_memory_is_said_and_leaves_nothing)
{
    static const struct ra_site_document documents[] = {
        { "a-1.dist-info/RECORD", { (const uint8_t *)"a,,\nb,,\nc,,\n", 12, 0 } },
        { "a-1.dist-info/METADATA",
          { (const uint8_t *)"Name: a\nRequires-Dist: b\nProvides-Extra: c\n", 44, 0 } },
        { "__editable__.a-1.pth", { (const uint8_t *)"/x\n", 3, 0 } },
        { "b.egg-link", { (const uint8_t *)"/y\n", 3, 0 } },
    };
    enum ra_status status = RA_E_NOMEM;
    size_t limit = 1;

    for (; status == RA_E_NOMEM && limit < 1 << 20; limit += 16) {
        struct ra_arena arena = { .limit = limit };
        struct ra_site site;

        status = ra_site_read(documents, 4, &arena, NULL, &site);
        cr_assert(status == RA_OK || site.package_count == 0);
        ra_arena_free(&arena);
    }
    cr_assert_eq(status, RA_OK);
    cr_assert_gt(limit, 1000);
}

Test(site, nothing_is_a_site_without_packages)
{
    struct told told = TOLD_INIT(told);
    struct ra_site site;

    cr_assert_eq(ra_site_read(NULL, 0, &told.arena, &told.diags, &site), RA_OK);
    cr_assert_eq(site.package_count, 0);
    cr_assert_null(ra_site_owner(&site, "x", NULL));
    assert_silent(told);
}
