#include "base/text.h"
#include "device/device.h"
#include "gfx/target.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ra_arena arena;

static void forget(void)
{
    ra_arena_free(&arena);
}

/* "kfd node 1 gfx1030, kfd node 2 ..." */
static const char *list(const struct ra_devices *devices)
{
    struct ra_text text = { 0 };
    const char *kept;

    for (size_t i = 0; i < devices->count; i++)
        ra_text_printf(&text, "%s%s %s", i ? ", " : "", devices->list[i].source,
                       devices->list[i].target);
    kept = ra_text_keep(&text, &arena);
    ra_text_free(&text);
    return kept;
}

static struct ra_devices found(const char *sysfs)
{
    struct ra_devices devices;

    cr_assert_eq(ra_devices_found(sysfs, &arena, &devices), RA_OK);
    cr_assert(devices.count > 0 || devices.text[0] != '\0');
    return devices;
}

static struct ra_devices named(const char *const *targets, size_t count)
{
    struct ra_devices devices;

    cr_assert_eq(ra_devices_named(targets, count, &arena, &devices), RA_OK);
    return devices;
}

/* ---- --gpu ------------------------------------------------------------------ */

Test(device, a_feature_left_out_takes_its_factory_default, .fini = forget)
{
    static const struct {
        const char *given, *target;
        bool sramecc_assumed, xnack_assumed;
    } rows[] = {
        { "gfx908", "gfx908:sramecc+:xnack-", true, true },
        { "gfx90a", "gfx90a:sramecc+:xnack-", true, true },
        { "gfx940", "gfx940:sramecc+:xnack-", true, true },
        { "gfx941", "gfx941:sramecc+:xnack-", true, true },
        { "gfx942", "gfx942:sramecc+:xnack-", true, true },
        { "gfx950", "gfx950:sramecc+:xnack-", true, true },
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack+", true, false },
        { "gfx90a:sramecc-", "gfx90a:sramecc-:xnack-", false, true },
        { "gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-", false, false },
        { "gfx906:sramecc-", "gfx906:sramecc-:xnack-", false, true },
        { "gfx900", "gfx900:xnack-", false, true },
        { "gfx1010:xnack+", "gfx1010:xnack+", false, false },
        { "gfx803", "gfx803", false, false },
        { "gfx1030", "gfx1030", false, false },
        { "gfx1250", "gfx1250", false, false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices = named(&rows[i].given, 1);
        const struct ra_device *device = devices.list;

        cr_assert_eq(devices.count, 1);
        cr_assert_str_eq(device->target, rows[i].target);
        cr_assert_str_eq(device->source, "--gpu");
        cr_assert_eq(device->sramecc_assumed, rows[i].sramecc_assumed, "%s",
                     rows[i].given);
        cr_assert_eq(device->xnack_assumed, rows[i].xnack_assumed, "%s", rows[i].given);
    }
}

Test(device, a_bare_gfx906_is_both_kinds_that_were_sold, .fini = forget)
{
    static const char *const given[] = { "gfx1030", "gfx906:xnack+", "gfx906:sramecc+" };
    struct ra_devices devices = named(given, RA_COUNT(given));

    cr_assert_str_eq(list(&devices), "--gpu gfx1030, --gpu gfx906:sramecc+:xnack+, "
                                     "--gpu gfx906:sramecc-:xnack+, "
                                     "--gpu gfx906:sramecc+:xnack-");
    for (size_t i = 0; i < devices.count; i++) {
        cr_assert_eq(devices.list[i].index, i);
        cr_assert_eq(devices.list[i].sramecc_assumed, i == 1 || i == 2, "%zu", i);
        cr_assert_eq(devices.list[i].xnack_assumed, i == 3, "%zu", i);
    }
}

Test(device, a_named_gpu_is_described_from_the_table, .fini = forget)
{
    static const char *const given[] = { "gfx90a", "gfx1151" };
    struct ra_devices devices = named(given, RA_COUNT(given));

    cr_assert_str_eq(devices.list[0].product, "Instinct MI210, MI250, MI250X");
    cr_assert_str_eq(devices.list[0].arch, "CDNA 2");
    cr_assert_not(devices.list[0].is_apu);
    cr_assert_eq(devices.list[0].id.sramecc, RA_SETTING_ON);
    cr_assert_eq(devices.list[0].id.xnack, RA_SETTING_OFF);
    cr_assert_str_eq(devices.list[1].arch, "RDNA 3.5");
    cr_assert(devices.list[1].is_apu);
    cr_assert_str_eq(devices.text, "");
}

Test(device, what_is_no_gpu_is_refused, .fini = forget)
{
    static const char *const rows[][2] = {
        { "gfx90a", "gfx11-generic" },
        { "gfx90a", "gfx9999" },
        { "gfx90a", "" },
        { "gfx90a", "gfx1030:xnack+" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        cr_assert_eq(ra_devices_named(rows[i], 2, &arena, &devices), RA_E_FORMAT);
    }
}

Test(device, naming_none_gives_none_and_says_so, .fini = forget)
{
    struct ra_devices devices = named(NULL, 0);

    cr_assert_eq(devices.count, 0);
    cr_assert_str_neq(devices.text, "");
}

Test(device, a_full_arena_is_no_memory, .fini = forget)
{
    static const char *const given[] = { "gfx906", "gfx90a" };
    size_t limit = 1;
    enum ra_status status;

    do {
        struct ra_arena small = { .limit = limit };
        struct ra_devices devices;

        status = ra_devices_named(given, 2, &small, &devices);
        cr_assert(status == RA_OK || status == RA_E_NOMEM);
        ra_arena_free(&small);
        limit += 16;
    } while (status != RA_OK);
    cr_assert_gt(limit, 4 * sizeof(struct ra_device));
}

/* ---- topologies of real machines -------------------------------------------- */

/* What amdgpu-arch of LLVM 22 prints for the trees, and bit 26 of the capabilities. */
static const struct {
    const char *tree, *devices;
} trees[] = {
    { "apu-dgpu-mixed", "kfd node 1 gfx1032, kfd node 2 gfx1036" },
    { "apu-dgpu-rx7900-raphael", "kfd node 1 gfx1100, kfd node 2 gfx1036" },
    { "cpu-only", "" },
    { "gfx906-mi50-sramecc-on", "kfd node 1 gfx906:sramecc+:xnack-" },
    { "gfx906-radeonvii-sramecc-off", "kfd node 1 gfx906:sramecc-:xnack-" },
    { "gfx90c-cezanne", "kfd node 1 gfx90c:xnack-" },
    { "mi100", "kfd node 1 gfx908:sramecc+:xnack-" },
    { "mi210-rx7900-mixed", "kfd node 1 gfx90a:sramecc+:xnack-, kfd node 2 gfx1100" },
    { "mi210-x2",
      "kfd node 2 gfx90a:sramecc+:xnack-, kfd node 3 gfx90a:sramecc+:xnack-" },
    { "mi250x", "kfd node 1 gfx90a:sramecc+:xnack-, kfd node 2 gfx90a:sramecc+:xnack-" },
    { "mi300x-cpx-1gpu",
      "kfd node 2 gfx942:sramecc+:xnack-, kfd node 3 gfx942:sramecc+:xnack-, "
      "kfd node 4 gfx942:sramecc+:xnack-, kfd node 5 gfx942:sramecc+:xnack-, "
      "kfd node 6 gfx942:sramecc+:xnack-, kfd node 7 gfx942:sramecc+:xnack-, "
      "kfd node 8 gfx942:sramecc+:xnack-, kfd node 9 gfx942:sramecc+:xnack-" },
    { "mi300x-spx-x2",
      "kfd node 2 gfx942:sramecc+:xnack-, kfd node 3 gfx942:sramecc+:xnack-" },
    { "mi308x-cpx4",
      "kfd node 1 gfx942:sramecc+:xnack-, kfd node 2 gfx942:sramecc+:xnack-, "
      "kfd node 3 gfx942:sramecc+:xnack-, kfd node 4 gfx942:sramecc+:xnack-" },
    { "mi355x", "kfd node 2 gfx950:sramecc+:xnack-, kfd node 3 gfx950:sramecc+:xnack-" },
    { "mi455x-gfx1250", "kfd node 1 gfx1250" },
    { "old-kernel-mi25", "" },
    { "r9700", "kfd node 1 gfx1201" },
    { "rx6800", "kfd node 1 gfx1030" },
    { "rx7900xtx", "kfd node 1 gfx1100" },
    { "rx9070xt", "kfd node 1 gfx1201" },
    { "strix-halo", "kfd node 1 gfx1151" },
    { "v710-gfx110005-quirk", "kfd node 1 gfx1105" },
};

static struct ra_devices found_in(const char *tree)
{
    return found(ra_text_format(&arena, "fixtures/kfd/%s", tree));
}

Test(device, real_topologies_have_the_gpus_they_were_taken_from, .fini = forget)
{
    for (size_t i = 0; i < RA_COUNT(trees); i++) {
        struct ra_devices devices = found_in(trees[i].tree);

        cr_assert_str_eq(list(&devices), trees[i].devices, "%s: %s", trees[i].tree,
                         list(&devices));
    }
}

Test(device, only_the_xnack_mode_is_assumed_of_a_gpu_that_was_found, .fini = forget)
{
    for (size_t i = 0; i < RA_COUNT(trees); i++) {
        struct ra_devices devices = found_in(trees[i].tree);

        for (size_t j = 0; j < devices.count; j++) {
            const struct ra_device *device = &devices.list[j];

            cr_assert_eq(device->index, j);
            cr_assert_not(device->sramecc_assumed, "%s", device->target);
            cr_assert_eq(device->xnack_assumed, strstr(device->target, "xnack") != NULL);
        }
    }
}

Test(device, an_apu_is_told_from_the_card_beside_it, .fini = forget)
{
    struct ra_devices devices = found_in("apu-dgpu-rx7900-raphael");

    cr_assert_not(devices.list[0].is_apu);
    cr_assert(devices.list[1].is_apu);
    cr_assert_str_eq(devices.list[0].arch, "RDNA 3");
    cr_assert_str_eq(devices.list[1].arch, "RDNA 2");
}

Test(device, a_processor_we_have_no_row_for_is_still_a_device, .fini = forget)
{
    struct ra_devices devices = found_in("v710-gfx110005-quirk");

    cr_assert_str_eq(devices.list[0].target, "gfx1105");
    cr_assert_str_eq(devices.list[0].id.processor, "gfx1105");
    cr_assert_str_eq(devices.list[0].product, "");
    cr_assert_str_eq(devices.list[0].arch, "");
    cr_assert_not(devices.list[0].is_apu);
}

static void assert_says(const struct ra_devices *devices, const char *words)
{
    cr_assert_eq(devices->count, 0);
    cr_assert_not_null(strstr(devices->text, words), "%s", devices->text);
}

Test(device, a_host_without_a_gpu_says_so, .fini = forget)
{
    struct ra_devices devices = found_in("cpu-only");

    assert_says(&devices, "fixtures/kfd/cpu-only has no GPU");
}

Test(device, a_kernel_too_old_to_name_its_gpu_is_not_a_host_without_one, .fini = forget)
{
    struct ra_devices devices = found_in("old-kernel-mi25");

    assert_says(&devices, "kfd node 1 is a GPU, but the kernel is too old");
}

Test(device, a_host_without_the_driver_says_so, .fini = forget)
{
    struct ra_devices devices = found("fixtures/no\x1b-such-folder");

    assert_says(&devices, "no KFD topology below fixtures/no\\x1b-such-folder");
    devices = found("fixtures/kfd/README.md");
    assert_says(&devices, "no KFD topology below");
}

/* ---- made-up trees ---------------------------------------------------------- */

#define GPU_1030 "simd_count 120\ngfx_target_version 100300\ncapability 671588992\n"

static char root[64];

static int drop(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void make_root(void)
{
    (void)snprintf(root, sizeof(root), "/tmp/test-device-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
    cr_assert_eq(chmod(root, 0755), 0);
}

static void drop_root(void)
{
    (void)nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
    ra_arena_free(&arena);
}

/* A folder below the root, with those above it. */
static const char *folder(const char *path)
{
    char *whole = NULL;

    cr_assert_geq(asprintf(&whole, "%s/%s/", root, path), 0);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0755);
        *slash = '/';
    }
    path = ra_arena_text(&arena, whole, strlen(whole) - 1);
    free(whole);
    return path;
}

static void put(const char *node, const void *bytes, size_t size)
{
    const char *path = ra_text_format(&arena, "%s/properties",
                                      folder(ra_text_format(&arena, "nodes/%s", node)));
    FILE *file = fopen(path, "wb");

    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

static void put_text(const char *node, const char *text)
{
    put(node, text, strlen(text));
}

#define TreeTest(name) Test(device, name, .init = make_root, .fini = drop_root)

TreeTest(nodes_are_taken_in_numeric_order)
{
    struct ra_devices devices;

    put_text("10", "simd_count 1\ngfx_target_version 110000\n");
    put_text("2", "simd_count 1\ngfx_target_version 100300\n");
    put_text("1", "cpu_cores_count 8\nsimd_count 0\n");
    put_text("0", "cpu_cores_count 8\nsimd_count 0\n");
    put_text("100", "simd_count 1\ngfx_target_version 120001\n");
    devices = found(root);
    cr_assert_str_eq(list(&devices),
                     "kfd node 2 gfx1030, kfd node 10 gfx1100, kfd node 100 gfx1201");
    for (size_t i = 0; i < devices.count; i++)
        cr_assert_eq(devices.list[i].index, i);
}

TreeTest(a_topology_is_found_at_both_places_of_a_sysfs_root)
{
    static const char *const places[] = {
        "class/kfd/kfd/topology",
        "devices/virtual/kfd/kfd/topology",
    };

    put_text("0", GPU_1030);
    for (size_t i = 0; i < RA_COUNT(places); i++) {
        const char *sysfs = folder(ra_text_format(&arena, "sys%zu", i));
        const char *topology = folder(ra_text_format(&arena, "sys%zu/%s", i, places[i]));
        struct ra_devices devices;

        cr_assert_eq(symlink(ra_text_format(&arena, "%s/nodes", root),
                             ra_text_format(&arena, "%s/nodes", topology)),
                     0);
        devices = found(sysfs);
        cr_assert_str_eq(list(&devices), "kfd node 0 gfx1030");
        devices = found(topology);
        cr_assert_str_eq(list(&devices), "kfd node 0 gfx1030");
    }
}

TreeTest(only_folders_named_by_a_number_are_nodes)
{
    static const char *const names[] = {
        "x",          "1x", "-1", "05", "00",
        "4294967296", "1 ", " 1", "+1", "99999999999999999999999"
    };
    struct ra_devices devices;

    for (size_t i = 0; i < RA_COUNT(names); i++)
        put_text(names[i], GPU_1030);
    put_text("5", GPU_1030);
    put_text("4294967295", GPU_1030);
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 5 gfx1030, kfd node 4294967295 gfx1030");
}

TreeTest(lines_nobody_asked_for_are_passed_over)
{
    struct ra_devices devices;

    put_text("1", "\n\n \nnew_key 99999999999999999999999999\nnew_key\nnew_key x y z\n"
                  "simd_countx 0\nxsimd_count 0\n simd_count 0\n" GPU_1030
                  "gfx_target_versions 90010\nlast");
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 1 gfx1030");
}

TreeTest(the_last_line_needs_no_newline)
{
    struct ra_devices devices;

    put_text("1", "simd_count 416\ncapability 746037888\ngfx_target_version 90010");
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 1 gfx90a:sramecc+:xnack-");
}

TreeTest(versions_are_decimal_and_names_hexadecimal)
{
    static const struct {
        const char *version, *target;
    } rows[] = {
        { "70000", "gfx700" },
        { "80003", "gfx803" },
        { "90008", "gfx908:sramecc+:xnack-" },
        { "90010", "gfx90a:sramecc+:xnack-" },
        { "90012", "gfx90c:xnack-" },
        { "90402", "gfx942:sramecc+:xnack-" },
        { "90500", "gfx950:sramecc+:xnack-" },
        { "100306", "gfx1036" },
        { "110502", "gfx1152" },
        { "120001", "gfx1201" },
        { "131515", "gfx13ff" },
        { "4294960000", "gfx42949600" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        put_text("1", ra_text_format(&arena,
                                     "simd_count 4\ncapability 67108864\n"
                                     "gfx_target_version %s\n",
                                     rows[i].version));
        devices = found(root);
        cr_assert_eq(devices.count, 1, "%s: %s", rows[i].version, devices.text);
        cr_assert_str_eq(devices.list[0].target, rows[i].target);
    }
}

TreeTest(what_has_no_sane_number_is_no_gpu_and_not_silently)
{
    static const char *const rows[] = {
        "simd_count 4\ngfx_target_version 18446744073709551615\n",
        "simd_count 4\ngfx_target_version 18446744073709551616\n",
        "simd_count 4\ngfx_target_version 4294967296\n",
        "simd_count 4\ngfx_target_version 42949670000\n",
        "simd_count 4\ngfx_target_version 4294967295\n",
        "simd_count 4\ngfx_target_version 100316\n",
        "simd_count 4\ngfx_target_version 10016\n",
        "simd_count 4\ngfx_target_version 101600\n",
        "simd_count 4\ngfx_target_version -90010\n",
        "simd_count 4\ngfx_target_version 0x15f9a\n",
        "simd_count 4\ngfx_target_version\n",
        "simd_count 4\ngfx_target_version  90010\n",
        "simd_count 4\ngfx_target_version 90010 \n",
        "simd_count 4\r\ngfx_target_version 90010\r\n",
        "simd_count 99999999999999999999999\ngfx_target_version 90010\n",
        "simd_count 4\ngfx_target_version 90010\ncapability x\n",
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        put_text("7", rows[i]);
        devices = found(root);
        assert_says(&devices, "properties of kfd node 7");
    }
}

TreeTest(a_version_of_zero_names_no_gpu)
{
    struct ra_devices devices;

    put_text("3", "simd_count 4\ngfx_target_version 0\n");
    devices = found(root);
    assert_says(&devices, "kfd node 3 is a GPU, but the kernel is too old");
}

TreeTest(a_node_with_cores_and_simds_is_an_apu)
{
    struct ra_devices devices;

    put_text("0", "cpu_cores_count 4\n" GPU_1030);
    devices = found(root);
    cr_assert(devices.list[0].is_apu);
}

TreeTest(a_missing_capability_is_an_assumption)
{
    struct ra_devices devices;

    put_text("1", "simd_count 4\ngfx_target_version 90010\n");
    devices = found(root);
    cr_assert_str_eq(devices.list[0].target, "gfx90a:sramecc+:xnack-");
    cr_assert(devices.list[0].sramecc_assumed);
}

/* Bit 19 once meant the same and is set by nothing that can be trusted. */
TreeTest(only_bit_26_is_sramecc)
{
    struct ra_devices devices;

    put_text("1", "simd_count 4\ngfx_target_version 90010\ncapability 4227858431\n");
    put_text("2", "simd_count 4\ngfx_target_version 90010\ncapability 67108864\n");
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 1 gfx90a:sramecc-:xnack-, "
                                     "kfd node 2 gfx90a:sramecc+:xnack-");
}

TreeTest(garbage_is_no_gpu_and_does_not_hide_its_neighbours)
{
    uint8_t garbage[4096];
    uint32_t state = 1;
    struct ra_devices devices;

    for (size_t i = 0; i < sizeof(garbage); i++) {
        state = state * 1664525 + 1013904223;
        garbage[i] = (uint8_t)(state >> 24);
    }
    put("1", garbage, sizeof(garbage));
    put("2", "simd_count 4\0\ngfx_target_version 90010\n", 40);
    (void)folder("nodes/3");
    (void)folder("nodes/4/properties");
    put_text("5", "");
    put_text("6", GPU_1030);
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 6 gfx1030");
    cr_assert(devices.incomplete);
    cr_assert_not_null(strstr(devices.text, "make no sense"), "%s", devices.text);
}

TreeTest(missing_properties_are_told)
{
    struct ra_devices devices;

    (void)folder("nodes/3");
    devices = found(root);
    assert_says(&devices, "properties of kfd node 3 are missing");
}

TreeTest(a_file_is_read_up_to_64_kib_and_not_beyond)
{
    static const size_t sizes[] = { 65536, 65537, 5 * 1024 * 1024 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        char *text = malloc(sizes[i]);
        struct ra_devices devices;

        memset(text, '\n', sizes[i]);
        memcpy(text, GPU_1030, strlen(GPU_1030));
        put("1", text, sizes[i]);
        free(text);
        devices = found(root);
        cr_assert_eq(devices.count, sizes[i] <= 65536, "%zu", sizes[i]);
    }
}

TreeTest(a_pipe_does_not_hold_us_up)
{
    const char *node = folder("nodes/1");
    struct ra_devices devices;

    cr_assert_eq(mkfifo(ra_text_format(&arena, "%s/properties", node), 0644), 0);
    devices = found(root);
    assert_says(&devices, "properties of kfd node 1");
}

/* Every file is open to root, so a test that runs as root steps down. */
TreeTest(nodes_that_may_not_be_read_are_hidden_and_not_absent)
{
    struct ra_devices devices;

    put_text("0", "cpu_cores_count 8\nsimd_count 0\n");
    put_text("1", GPU_1030);
    put_text("2", GPU_1030);
    for (int node = 1; node <= 2; node++)
        cr_assert_eq(
            chmod(ra_text_format(&arena, "%s/nodes/%d/properties", root, node), 0), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
    devices = found(root);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    assert_says(&devices, "2 of 3 KFD nodes may not be read");
}

TreeTest(there_is_an_end_to_nodes)
{
    struct ra_devices devices;

    for (unsigned i = 0; i < 4096; i++)
        (void)folder(ra_text_format(&arena, "nodes/%u", i));
    put_text("4095", GPU_1030);
    devices = found(root);
    cr_assert_str_eq(list(&devices), "kfd node 4095 gfx1030");
    (void)folder("nodes/4096");
    devices = found(root);
    assert_says(&devices, "more than 4096 nodes");
}

/* A version cut short has no major number, so it cannot pass for another GPU. */
TreeTest(properties_fail_cleanly_at_every_truncation)
{
    static const char text[] = "simd_count 416\ngfx_target_version 90010\n";

    for (size_t size = 0; size < sizeof(text); size++) {
        bool whole = size + 2 >= sizeof(text);
        struct ra_devices devices;

        put("1", text, size);
        devices = found(root);
        cr_assert_str_eq(list(&devices), whole ? "kfd node 1 gfx90a:sramecc+:xnack-" : "",
                         "%zu", size);
    }
}

TreeTest(a_topology_that_does_not_fit_the_arena_is_no_memory)
{
    size_t limit = 1;
    enum ra_status status;

    put_text("1", GPU_1030);
    do {
        struct ra_arena small = { .limit = limit };
        struct ra_devices devices;

        status = ra_devices_found(root, &small, &devices);
        cr_assert(status == RA_OK || status == RA_E_NOMEM);
        ra_arena_free(&small);
        limit += 16;
    } while (status != RA_OK);
    cr_assert_gt(limit, sizeof(struct ra_device));
}
