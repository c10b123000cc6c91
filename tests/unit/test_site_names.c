#include "site/known.h"
#include "site/names.h"
#include "site/variants.h"

#include <criterion/criterion.h>

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

static bool is(struct ra_span text, const char *wanted)
{
    return text.size == strlen(wanted) &&
           (text.size == 0 || memcmp(text.data, wanted, text.size) == 0);
}

/* "Names and normalization" (packaging.python.org) has this list. */
Test(site_names, spellings_of_a_name_are_the_same)
{
    static const char *const spellings[] = { "friendly-bard",    "Friendly-Bard",
                                             "FRIENDLY-BARD",    "friendly.bard",
                                             "friendly_bard",    "friendly--bard",
                                             "FrIeNdLy-._.-bArD" };
    static const char *const others[] = { "friendlybard", "friendly-bard-", "friendly-",
                                          "friendly-bar", "" };
    struct ra_arena arena = { 0 };

    for (size_t i = 0; i < RA_COUNT(spellings); i++) {
        cr_assert(ra_package_same(span_of(spellings[i]), span_of("friendly-bard")));
        cr_assert_str_eq(ra_package_normal(&arena, span_of(spellings[i])),
                         "friendly-bard");
    }
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_not(ra_package_same(span_of(others[i]), span_of("friendly-bard")), "%s",
                      others[i]);
    ra_arena_free(&arena);
}

Test(site_names, wheel_files_are_taken_apart)
{
    struct ra_wheel_name name;

    cr_assert(ra_wheel_name_parse("d-x/torch-2.9.0+rocm7.10.0-cp312-cp312-"
                                  "manylinux_2_28_x86_64.manylinux_2_27_x86_64.whl",
                                  &name));
    cr_assert(is(name.name, "torch") && is(name.version, "2.9.0+rocm7.10.0"));
    cr_assert(is(name.build, "") && is(name.python, "cp312") && is(name.abi, "cp312"));
    cr_assert(is(name.platform, "manylinux_2_28_x86_64.manylinux_2_27_x86_64"));
    cr_assert(ra_wheel_name_parse("foo-1.0-1a-py3-none-any.whl", &name));
    cr_assert(is(name.version, "1.0") && is(name.build, "1a") && is(name.python, "py3") &&
              is(name.abi, "none") && is(name.platform, "any"));
}

Test(site_names, other_files_are_no_wheels)
{
    static const char *const names[] = {
        "",
        "foo.whl",
        "foo-1.0-py3-none.whl",
        "foo-1.0-py3-none-any",
        "-1-a-b-c.whl",
        "a--b-c-d.whl",
        "a-1-2-3-4-5-6.whl",
        "a-b-c-d-.whl",
        ".whl",
        "a-b-c-d-e.whl/x",
    };
    struct ra_wheel_name name;

    for (size_t i = 0; i < RA_COUNT(names); i++)
        cr_assert_not(ra_wheel_name_parse(names[i], &name), "%s", names[i]);
}

Test(site_names, the_digest_of_auditwheel_is_taken_out)
{
    static const char *const names[][2] = {
        { "libggml-hip-1f7b8bcc.so.0", "libggml-hip.so.0" },
        { "libfoo-0123abcd.so", "libfoo.so" },
        { "libfoo.so.0", "libfoo.so.0" },
        { "libfoo-0123abc.so", "libfoo-0123abc.so" },
        { "libfoo-0123abcde.so", "libfoo-0123abcde.so" },
        { "libfoo-0123ABCD.so", "libfoo-0123ABCD.so" },
        { "libfoo_0123abcd.so", "libfoo_0123abcd.so" },
        { "libfoo-0123abcd", "libfoo-0123abcd" },
        { "libfoo.1-0123abcd.so", "libfoo.1-0123abcd.so" },
        { "-0123abcd.so", "-0123abcd.so" },
        { "a-0123abcd.so", "a.so" },
        { "", "" },
    };
    struct ra_arena arena = { 0 };

    for (size_t i = 0; i < RA_COUNT(names); i++)
        cr_assert_str_eq(ra_library_name(&arena, names[i][0]), names[i][1]);
    ra_arena_free(&arena);
}

/* ---- device packages -----------------------------------------------------------------
 */

Test(site_names, device_packages_name_their_host_and_key)
{
    static const char *const names[][3] = {
        { "amd-torch-device-gfx942", "torch", "gfx942" },
        { "amd_torch_device_gfx12_0", "torch", "gfx12-0" },
        { "amd-torchvision-device-gfx115x", "torchvision", "gfx115x" },
        { "rocm-sdk-device-gfx12-0", "rocm-sdk-libraries", "gfx12-0" },
        { "amd-foo-bar-device-gfx90a", "foo-bar", "gfx90a" },
    };
    static const char *const others[] = {
        "torch",
        "amd-torch-device-",
        "amd-torch-device-all",
        "rocm-sdk-device",
        "amd-device-gfx9",
        "rocm-sdk-libraries-gfx94x-dcgpu",
        "",
        "amd-torch-device-gfx942-and-a-name-far-longer-than-that-of-any-package-is",
    };
    struct ra_device_wheel device;

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        cr_assert(ra_device_wheel_parse(span_of(names[i][0]), &device), "%s",
                  names[i][0]);
        cr_assert_str_eq(device.host, names[i][1]);
        cr_assert_str_eq(device.key, names[i][2]);
    }
    for (size_t i = 0; i < RA_COUNT(others); i++) {
        cr_assert_not(ra_device_wheel_parse(span_of(others[i]), &device), "%s",
                      others[i]);
        cr_assert_str_eq(device.host, "");
    }
}

Test(site_names, keys_cover_targets_sub_families_and_families)
{
    static const struct {
        const char *key, *processor;
        enum ra_covers covers;
    } cases[] = {
        { "gfx1151", "gfx1151", RA_COVERS_TARGET },
        { "gfx115x", "gfx1151", RA_COVERS_SUBFAMILY },
        { "gfx11", "gfx1151", RA_COVERS_FAMILY },
        { "gfx110x", "gfx1151", RA_COVERS_NOT },
        { "gfx1150", "gfx1151", RA_COVERS_NOT },
        { "gfx12-0", "gfx1201", RA_COVERS_SUBFAMILY },
        { "gfx12_0", "gfx1201", RA_COVERS_SUBFAMILY },
        { "gfx12-5", "gfx1201", RA_COVERS_NOT },
        { "gfx12", "gfx1250", RA_COVERS_FAMILY },
        { "gfx9-4", "gfx942", RA_COVERS_SUBFAMILY },
        { "gfx9-0", "gfx90a", RA_COVERS_SUBFAMILY },
        { "gfx9", "gfx950", RA_COVERS_FAMILY },
        { "gfx9", "gfx1030", RA_COVERS_NOT },
        { "gfx94X-dcgpu", "gfx942", RA_COVERS_SUBFAMILY },
        { "gfx94x-dcgpu", "gfx950", RA_COVERS_NOT },
        { "gfx950-dcgpu", "gfx950", RA_COVERS_TARGET },
        { "gfx110X-all", "gfx1103", RA_COVERS_SUBFAMILY },
        { "gfx120x-all", "gfx1201", RA_COVERS_SUBFAMILY },
        { "gfx103X-dgpu", "gfx1030", RA_COVERS_SUBFAMILY },
        { "gfx10", "gfx1030", RA_COVERS_FAMILY },
        { "", "gfx1030", RA_COVERS_NOT },
        { "gfx1030", "", RA_COVERS_NOT },
        { "gfx", "gfx9", RA_COVERS_NOT },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++)
        cr_assert_eq(ra_device_key_covers(cases[i].key, cases[i].processor),
                     cases[i].covers, "%s of %s", cases[i].key, cases[i].processor);
}

Test(site_names, a_host_has_a_device_package_to_install)
{
    static const char *const hosts[][3] = {
        { "torch", "amd-torch-device-gfx1151", "pip install \"torch[device-gfx1151]\"" },
        { "torchvision", "amd-torchvision-device-gfx1151",
          "pip install \"torchvision[device-gfx1151]\"" },
        { "rocm-sdk-libraries", "rocm-sdk-device-gfx1151",
          "pip install \"rocm[device-gfx1151]\"" },
        { "_rocm_sdk_libraries", "rocm-sdk-device-gfx1151",
          "pip install \"rocm[device-gfx1151]\"" },
        { "blas_lib", "rocm-sdk-device-gfx1151", "pip install \"rocm[device-gfx1151]\"" },
    };
    struct ra_device_package found;

    for (size_t i = 0; i < RA_COUNT(hosts); i++) {
        cr_assert(ra_site_device_package(hosts[i][0], "gfx1151", &found));
        cr_assert_str_eq(found.package, hosts[i][1]);
        cr_assert_str_eq(found.command, hosts[i][2]);
    }
    cr_assert_not(ra_site_device_package("bitsandbytes", "gfx1151", &found));
    cr_assert_not(ra_site_device_package("", "gfx1151", &found));
}

/* ---- one of several -------------------------------------------------------------------
 */

static const char *const libraries[] = {
    "bitsandbytes/libbitsandbytes_cpu.so",     "bitsandbytes/libbitsandbytes_cuda128.so",
    "bitsandbytes/libbitsandbytes_rocm64.so",  "bitsandbytes/libbitsandbytes_rocm70.so",
    "bitsandbytes/libbitsandbytes_rocm71.so",  "bitsandbytes/libbitsandbytes_rocm714.so",
    "bitsandbytes/libbitsandbytes_rocm72.so",  "bitsandbytes/libbitsandbytes_xpu2025.so",
    "bitsandbytes/libbitsandbytes_rocm715.so",
};

/* What get_cuda_bnb_library_path() of bitsandbytes 0.50.2 returns for these files. */
Test(variants, the_library_is_that_of_the_release_or_of_one_close_to_it)
{
    static const struct {
        unsigned release;
        const char *wanted;
    } cases[] = {
        { 604, "rocm64.so" },
        { 700, "rocm70.so" },
        { 702, "rocm72.so" },
        { 703, "rocm72.so" },
        { 713, "rocm72.so" },
        { 714, "rocm714.so" },
        { 715, "rocm715.so" },
        { 720, "rocm715.so" },
        { 602, "rocm64.so" },
        { 605, "rocm64.so" },
        { 507, NULL },
        { 1001, NULL },
        { RA_VARIANT_NEWEST, "rocm715.so" },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        size_t chosen = SIZE_MAX;
        bool found = ra_variant_pick("bitsandbytes", libraries, RA_COUNT(libraries),
                                     cases[i].release, &chosen);

        cr_assert_eq(found, cases[i].wanted != NULL, "%u", cases[i].release);
        if (found)
            cr_assert(strstr(libraries[chosen], cases[i].wanted), "%u: %s",
                      cases[i].release, libraries[chosen]);
    }
}

Test(variants, a_major_number_of_two_digits_needs_the_very_name)
{
    static const char *const files[] = { "libbitsandbytes_rocm72.so",
                                         "libbitsandbytes_rocm101.so" };
    size_t chosen;

    cr_assert(ra_variant_pick("bitsandbytes", files, 2, 1001, &chosen));
    cr_assert_eq(chosen, 1);
    cr_assert_not(ra_variant_pick("bitsandbytes", files, 2, 1002, &chosen));
}

Test(variants, other_packages_and_files_have_none)
{
    size_t chosen;
    unsigned release = 0;

    cr_assert_not(ra_variant_pick("torch", libraries, RA_COUNT(libraries), 700, &chosen));
    cr_assert_not(ra_variant_pick("bitsandbytes", libraries, 2, 700, &chosen));
    cr_assert(ra_variant_is("bitsandbytes", "x/libbitsandbytes_rocm714.so", &release));
    cr_assert_eq(release, 714);
    cr_assert_not(ra_variant_is("bitsandbytes", "libbitsandbytes_rocm7.so", NULL));
    cr_assert_not(ra_variant_is("bitsandbytes", "libbitsandbytes_rocm.so", NULL));
    cr_assert_not(ra_variant_is("bitsandbytes", "libbitsandbytes_cuda118.so", NULL));
    cr_assert_not(
        ra_variant_is("bitsandbytes", "libbitsandbytes_rocm9999999999.so", NULL));
}

/* ---- known by name --------------------------------------------------------------------
 */

Test(known, packages_that_compile_are_known_however_spelled)
{
    static const char *const jit[] = {
        "triton",       "Triton",       "pytorch_triton_rocm",
        "openmm-hip-7", "OpenMM-HIP-6", "flydsl"
    };
    static const char *const others[] = { "torch",       "tritonclient", "openmm",
                                          "openmm-hip-", "openmm-hip",   "" };

    for (size_t i = 0; i < RA_COUNT(jit); i++)
        cr_assert_not_null(ra_site_jit(jit[i]), "%s", jit[i]);
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_null(ra_site_jit(others[i]), "%s", others[i]);
}

Test(known, compilers_are_known_in_any_version_and_place)
{
    static const char *const compilers[] = {
        "libhiprtc.so",
        "lib/libhiprtc.so.7",
        "libamd_comgr.so.3.0.1",
        "libhiprtc-builtins.so.5.2",
        "torch.libs/libamd_comgr-0123abcd.so.2",
    };
    static const char *const others[] = {
        "libhiprtcx.so",  "libhiprtc.a",   "libhiprtc", "libamdhip64.so",
        "libhiprtc.so/x", "libhiprtc.so6", ""
    };

    for (size_t i = 0; i < RA_COUNT(compilers); i++)
        cr_assert(ra_site_is_compiler(compilers[i]), "%s", compilers[i]);
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_not(ra_site_is_compiler(others[i]), "%s", others[i]);
}

Test(known, names_promise_rocm_in_words_of_their_own)
{
    static const char *const promising[] = {
        "onnxruntime-rocm",
        "jax_rocm7_plugin",
        "libbitsandbytes_rocm714.so",
        "ROCm",
        "libggml-hip.so",
        "OpenMM-HIP-7",
        "amd-aiter",
        "mojolearn_amd",
        "libhipvs.so",
        "pennylane_lightning_amdgpu",
        "vapoursynth-nlm-hip",
    };
    static const char *const others[] = {
        "torch",
        "chip",
        "relationship",
        "hipster",
        "libfoo_amd64.so",
        "amdahl",
        "foo-1.0-cp312-win_amd64.whl",
        "whip.so",
        "libbitsandbytes_cuda128.so",
        "",
    };

    for (size_t i = 0; i < RA_COUNT(promising); i++)
        cr_assert(ra_site_promises_rocm(promising[i]), "%s", promising[i]);
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_not(ra_site_promises_rocm(others[i]), "%s", others[i]);
}

Test(known, a_pointer_of_git_lfs_is_told_by_its_first_line)
{
    cr_assert(ra_site_is_lfs_pointer(span_of(
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
        "\nsize 12345\n")));
    cr_assert_not(ra_site_is_lfs_pointer(span_of("version https://git-lfs")));
    cr_assert_not(ra_site_is_lfs_pointer(span_of("\x7f"
                                                 "ELF")));
    cr_assert_not(ra_site_is_lfs_pointer(span_of("")));
}

Test(known, leftovers_of_unbundling_are_told_by_their_names)
{
    static const char *const leftovers[] = {
        "libfoo.so.0.hipv4-amdgcn-amd-amdhsa--gfx906",
        "a.b/libfoo.so.1.2.13.host-x86_64-unknown-linux-gnu-",
        "x.7.hip-amdgcn-amd-amdhsa--gfx1100",
    };
    static const char *const others[] = {
        "libfoo.so.0",
        "libhipv4-x.so",
        "libfoo.hipv4-amdgcn",
        "a.0.hipv4-x/libfoo.so",
        "libfoo.so.1x.hip-a",
        "libfoo.so..host-x",
        "",
    };

    for (size_t i = 0; i < RA_COUNT(leftovers); i++)
        cr_assert(ra_site_is_leftover(leftovers[i]), "%s", leftovers[i]);
    for (size_t i = 0; i < RA_COUNT(others); i++)
        cr_assert_not(ra_site_is_leftover(others[i]), "%s", others[i]);
}
