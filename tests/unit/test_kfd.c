#include "gfx/target.h"
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES    "sys/class/kfd/kfd/topology/nodes"
#define GPU_1030 "simd_count 120\ngfx_target_version 100300\ncapability 671588992\n"

/* ---- topologies of real machines -------------------------------------------- */

/* What amdgpu-arch of LLVM 22 prints for the trees, and bit 26 of the capabilities. Two
   it cannot name: an MI25 is a gfx900, and a V710 is a gfx1101 and no gfx1105. */
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
    { "old-kernel-mi25", "kfd node 1 gfx900:xnack-" },
    { "r9700", "kfd node 1 gfx1201" },
    { "rx6800", "kfd node 1 gfx1030" },
    { "rx7900xtx", "kfd node 1 gfx1100" },
    { "rx9070xt", "kfd node 1 gfx1201" },
    { "strix-halo", "kfd node 1 gfx1151" },
    { "v710-gfx110005-quirk", "kfd node 1 gfx1101" },
};

static struct ra_devices found_in(const char *tree)
{
    return tree_found_at(ra_text_format(&tree_arena, "fixtures/kfd/%s", tree));
}

Test(kfd, real_topologies_have_the_gpus_they_were_taken_from, .fini = tree_drop)
{
    for (size_t i = 0; i < RA_COUNT(trees); i++) {
        struct ra_devices devices = found_in(trees[i].tree);

        cr_assert_str_eq(tree_list(&devices), trees[i].devices, "%s: %s", trees[i].tree,
                         tree_list(&devices));
    }
}

Test(kfd, only_the_xnack_mode_is_assumed_of_a_gpu_that_was_found, .fini = tree_drop)
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

/* The ids of the trees are those of one product, or of some, of what the processor has.
 */
Test(kfd, the_device_id_tells_the_product_better, .fini = tree_drop)
{
    static const char *const rows[][2] = {
        { "mi210-x2", "Instinct MI210" },
        { "mi250x", "Instinct MI250X" },
        { "mi300x-spx-x2", "Instinct MI300X" },
        { "mi308x-cpx4", "Instinct MI308X" },
        { "mi355x", "Instinct MI355X" },
        { "gfx906-radeonvii-sramecc-off", "Radeon VII" },
        { "r9700", "Radeon AI PRO R9700" },
        { "v710-gfx110005-quirk", "Radeon Pro V710" },
        { "old-kernel-mi25",
          "Radeon RX Vega 56, RX Vega 64, Vega Frontier Edition, Instinct MI25" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices = found_in(rows[i][0]);

        cr_assert_str_eq(devices.list[0].product, rows[i][1]);
    }
}

Test(kfd, every_real_topology_agrees_with_its_device_ids, .fini = tree_drop)
{
    for (size_t i = 0; i < RA_COUNT(trees); i++) {
        struct ra_devices devices = found_in(trees[i].tree);
        bool odd = strcmp(trees[i].tree, "v710-gfx110005-quirk") == 0 ||
                   strcmp(trees[i].tree, "cpu-only") == 0;

        cr_assert_eq(devices.text[0] != '\0', odd, "%s: %s", trees[i].tree, devices.text);
        cr_assert_not(devices.incomplete);
    }
}

Test(kfd, an_old_kernel_is_helped_out_by_the_device_id, .fini = tree_drop)
{
    struct ra_devices devices = found_in("old-kernel-mi25");
    const struct ra_device *device = tree_only(&devices);

    cr_assert_eq(device->origin, RA_FROM_PCI);
    cr_assert_str_eq(device->why, "no gfx_target_version, PCI device 0x6860, xnack off "
                                  "inferred: noretry is not known and gfx900 defaults to "
                                  "off");
}

Test(kfd, the_number_that_linux_made_up_for_the_v710_is_put_right, .fini = tree_drop)
{
    struct ra_devices devices = found_in("v710-gfx110005-quirk");
    const struct ra_device *device = tree_only(&devices);

    cr_assert_eq(device->origin, RA_FROM_PCI);
    tree_says(device->why,
              "gfx_target_version 110005, which is what Linux 6.6 to 6.9 call "
              "PCI device 0x7460, a gfx1101");
    tree_says(devices.text, "kfd node 1 is a gfx1101 that Linux 6.6 to 6.9 call 110005");
}

Test(kfd, partitions_are_devices_and_the_first_is_judged_for_all, .fini = tree_drop)
{
    struct ra_devices devices = found_in("mi300x-cpx-1gpu");

    cr_assert_eq(devices.count, 8);
    for (size_t i = 0; i < devices.count; i++) {
        cr_assert_eq(devices.list[i].same_as, 0);
        cr_assert_eq(ra_device_is_judged(&devices.list[i]), i == 0);
        cr_assert_eq(devices.list[i].origin, RA_FROM_KFD);
        cr_assert_eq(devices.list[i].sramecc_origin, RA_FROM_KFD);
        cr_assert_eq(devices.list[i].xnack_origin, RA_FROM_INFERENCE);
    }
}

Test(kfd, an_apu_is_told_from_the_card_beside_it, .fini = tree_drop)
{
    struct ra_devices devices = found_in("apu-dgpu-rx7900-raphael");

    cr_assert_not(devices.list[0].is_apu);
    cr_assert(devices.list[1].is_apu);
    cr_assert_str_eq(devices.list[0].arch, "RDNA 3");
    cr_assert_str_eq(devices.list[1].arch, "RDNA 2");
}

static void assert_says(const struct ra_devices *devices, const char *words)
{
    cr_assert_eq(devices->count, 0);
    tree_says(devices->text, words);
}

Test(kfd, a_host_without_a_gpu_says_so, .fini = tree_drop)
{
    struct ra_devices devices = found_in("cpu-only");

    assert_says(&devices, "fixtures/kfd/cpu-only has no GPU");
}

Test(kfd, a_host_without_the_driver_says_so, .fini = tree_drop)
{
    struct ra_devices devices = tree_found_at("fixtures/no\x1b-such-folder");

    assert_says(&devices, "no KFD topology below fixtures/no\\x1b-such-folder");
    devices = tree_found_at("fixtures/kfd/README.md");
    assert_says(&devices, "no KFD topology below");
}

/* ---- made-up trees ---------------------------------------------------------- */

TreeTest(kfd, nodes_are_taken_in_numeric_order)
{
    struct ra_devices devices;

    tree_node(10, "simd_count 1\ngfx_target_version 110000\n");
    tree_node(2, "simd_count 1\ngfx_target_version 100300\n");
    tree_node(1, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(0, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(100, "simd_count 1\ngfx_target_version 120001\n");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices),
                     "kfd node 2 gfx1030, kfd node 10 gfx1100, kfd node 100 gfx1201");
    for (size_t i = 0; i < devices.count; i++)
        cr_assert_eq(devices.list[i].index, i);
}

TreeTest(kfd, a_topology_is_found_at_both_places_of_a_sysfs_root)
{
    static const char *const places[] = {
        "class/kfd/kfd/topology",
        "devices/virtual/kfd/kfd/topology",
    };

    tree_node(0, GPU_1030);
    for (size_t i = 0; i < RA_COUNT(places); i++) {
        const char *sysfs = tree_folder(ra_text_format(&tree_arena, "sys%zu", i));
        const char *topology =
            tree_folder(ra_text_format(&tree_arena, "sys%zu/%s", i, places[i]));
        struct ra_devices devices;

        cr_assert_eq(symlink(ra_text_format(&tree_arena, "%s/" NODES, tree_root),
                             ra_text_format(&tree_arena, "%s/nodes", topology)),
                     0);
        devices = tree_found_at(sysfs);
        cr_assert_str_eq(tree_list(&devices), "kfd node 0 gfx1030");
        devices = tree_found_at(topology);
        cr_assert_str_eq(tree_list(&devices), "kfd node 0 gfx1030");
    }
}

TreeTest(kfd, only_folders_named_by_a_number_are_nodes)
{
    static const char *const names[] = {
        "x",          "1x", "-1", "05", "00",
        "4294967296", "1 ", " 1", "+1", "99999999999999999999999"
    };
    struct ra_devices devices;

    for (size_t i = 0; i < RA_COUNT(names); i++)
        tree_put(ra_text_format(&tree_arena, NODES "/%s/properties", names[i]), GPU_1030);
    tree_node(5, GPU_1030);
    tree_node(4294967295U, GPU_1030);
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices),
                     "kfd node 5 gfx1030, kfd node 4294967295 gfx1030");
}

TreeTest(kfd, lines_nobody_asked_for_are_passed_over)
{
    struct ra_devices devices;

    tree_node(1, "\n\n \nnew_key 99999999999999999999999999\nnew_key\nnew_key x y z\n"
                 "simd_countx 0\nxsimd_count 0\n simd_count 0\n" GPU_1030
                 "gfx_target_versions 90010\nlast");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx1030");
}

TreeTest(kfd, the_last_line_needs_no_newline)
{
    struct ra_devices devices;

    tree_node(1, "simd_count 416\ncapability 746037888\ngfx_target_version 90010");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx90a:sramecc+:xnack-");
}

TreeTest(kfd, versions_are_decimal_and_names_hexadecimal)
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

        tree_node(1, ra_text_format(&tree_arena,
                                    "simd_count 4\ncapability 67108864\n"
                                    "gfx_target_version %s\n",
                                    rows[i].version));
        devices = tree_found(NULL);
        cr_assert_eq(devices.count, 1, "%s: %s", rows[i].version, devices.text);
        cr_assert_str_eq(devices.list[0].target, rows[i].target);
    }
}

TreeTest(kfd, what_has_no_sane_number_is_no_gpu_and_not_silently)
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

        tree_node(7, rows[i]);
        devices = tree_found(NULL);
        assert_says(&devices, "properties of kfd node 7");
    }
}

TreeTest(kfd, a_gpu_that_nothing_names_is_not_a_host_without_one)
{
    static const char *const rows[] = {
        "simd_count 4\ngfx_target_version 0\n",
        "simd_count 4\n",
        "simd_count 4\ndevice_id 65535\nlocation_id 768\ndomain 0\n",
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_node(3, rows[i]);
        devices = tree_found(NULL);
        assert_says(&devices, "kfd node 3 is a GPU, but it is not known which: no "
                              "gfx_target_version");
        cr_assert(devices.incomplete);
    }
}

TreeTest(kfd, a_processor_we_have_no_row_for_is_still_a_device)
{
    struct ra_devices devices;
    const struct ra_device *device;

    tree_node(1, "simd_count 4\ngfx_target_version 110005\ndevice_id 29772\n");
    devices = tree_found(NULL);
    device = tree_only(&devices);
    cr_assert_str_eq(device->target, "gfx1105");
    cr_assert_str_eq(device->product, "");
    cr_assert_str_eq(device->arch, "");
    cr_assert_not(device->is_apu);
}

TreeTest(kfd, a_node_with_cores_and_simds_is_an_apu)
{
    struct ra_devices devices;

    tree_node(0, "cpu_cores_count 4\n" GPU_1030);
    devices = tree_found(NULL);
    cr_assert(devices.list[0].is_apu);
}

TreeTest(kfd, a_missing_capability_is_an_assumption)
{
    struct ra_devices devices;

    tree_node(1, "simd_count 4\ngfx_target_version 90010\n");
    devices = tree_found(NULL);
    cr_assert_str_eq(devices.list[0].target, "gfx90a:sramecc+:xnack-");
    cr_assert(devices.list[0].sramecc_assumed);
}

/* Bit 19 once meant the same and is set by nothing that can be trusted. */
TreeTest(kfd, only_bit_26_is_sramecc)
{
    struct ra_devices devices;

    tree_node(1, "simd_count 4\ngfx_target_version 90010\ncapability 4227858431\n");
    tree_node(2, "simd_count 4\ngfx_target_version 90010\ncapability 67108864\n");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx90a:sramecc-:xnack-, "
                                          "kfd node 2 gfx90a:sramecc+:xnack-");
}

TreeTest(kfd, garbage_is_no_gpu_and_does_not_hide_its_neighbours)
{
    uint8_t garbage[4096];
    uint32_t state = 1;
    struct ra_devices devices;

    for (size_t i = 0; i < sizeof(garbage); i++) {
        state = state * 1664525 + 1013904223;
        garbage[i] = (uint8_t)(state >> 24);
    }
    tree_save(NODES "/1/properties", garbage, sizeof(garbage));
    tree_save(NODES "/2/properties", "simd_count 4\0\ngfx_target_version 90010\n", 40);
    (void)tree_folder(NODES "/3");
    (void)tree_folder(NODES "/4/properties");
    tree_node(5, "");
    tree_node(6, GPU_1030);
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 6 gfx1030");
    cr_assert(devices.incomplete);
    cr_assert_not_null(strstr(devices.text, "make no sense"), "%s", devices.text);
}

TreeTest(kfd, missing_properties_are_told)
{
    struct ra_devices devices;

    (void)tree_folder(NODES "/3");
    devices = tree_found(NULL);
    assert_says(&devices, "properties of kfd node 3 are missing");
}

TreeTest(kfd, a_file_is_read_up_to_64_kib_and_not_beyond)
{
    static const size_t sizes[] = { 65536, 65537, 5 * 1024 * 1024 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        char *text = malloc(sizes[i]);
        struct ra_devices devices;

        memset(text, '\n', sizes[i]);
        memcpy(text, GPU_1030, strlen(GPU_1030));
        tree_save(NODES "/1/properties", text, sizes[i]);
        free(text);
        devices = tree_found(NULL);
        cr_assert_eq(devices.count, sizes[i] <= 65536, "%zu", sizes[i]);
    }
}

TreeTest(kfd, a_pipe_does_not_hold_us_up)
{
    const char *node = tree_folder(NODES "/1");
    struct ra_devices devices;

    cr_assert_eq(mkfifo(ra_text_format(&tree_arena, "%s/properties", node), 0644), 0);
    devices = tree_found(NULL);
    assert_says(&devices, "properties of kfd node 1");
}

TreeTest(kfd, nodes_that_may_not_be_read_are_hidden_and_not_absent)
{
    struct ra_devices devices;

    tree_node(0, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(1, GPU_1030);
    tree_node(2, GPU_1030);
    tree_mode(NODES "/1/properties", 0);
    tree_mode(NODES "/2/properties", 0);
    devices = tree_found_by_nobody((struct ra_device_search){ 0 });
    assert_says(&devices, "2 of 3 KFD nodes may not be read");
    cr_assert_not(devices.incomplete);
}

TreeTest(kfd, there_is_an_end_to_nodes)
{
    struct ra_devices devices;

    for (unsigned i = 0; i < 4096; i++)
        (void)tree_folder(ra_text_format(&tree_arena, NODES "/%u", i));
    tree_node(4095, GPU_1030);
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 4095 gfx1030");
    (void)tree_folder(NODES "/4096");
    devices = tree_found(NULL);
    assert_says(&devices, "more than 4096 nodes");
}

/* A version cut short has no major number, so it cannot pass for another GPU. */
TreeTest(kfd, properties_fail_cleanly_at_every_truncation)
{
    static const char text[] = "simd_count 416\ngfx_target_version 90010\n";

    for (size_t size = 0; size < sizeof(text); size++) {
        bool whole = size + 2 >= sizeof(text);
        struct ra_devices devices;

        tree_save(NODES "/1/properties", text, size);
        devices = tree_found(NULL);
        cr_assert_str_eq(tree_list(&devices),
                         whole ? "kfd node 1 gfx90a:sramecc+:xnack-" : "", "%zu", size);
    }
}

TreeTest(kfd, a_topology_that_does_not_fit_the_arena_is_no_memory)
{
    const char *const environment[] = { "HSA_OVERRIDE_GFX_VERSION=9.0.10", "HSA_XNACK=1",
                                        "HIP_VISIBLE_DEVICES=0,1", NULL };
    struct ra_device_search search = { .sysfs = tree_folder("sys"),
                                       .dev = tree_folder("dev"),
                                       .environment = environment };
    size_t limit = 1;
    enum ra_status status;

    tree_node(1, GPU_1030 "device_id 29772\nlocation_id 768\n");
    tree_node(2, "simd_count 4\ndevice_id 1\nlocation_id 1024\n");
    tree_card(0, "0000:03:00.0", "9.4.2");
    tree_card(1, "0000:04:00.0", "1.2.3");
    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    do {
        struct ra_arena small = { .limit = limit };
        struct ra_devices devices;

        status = ra_devices_found(&search, &small, &devices);
        cr_assert(status == RA_OK || status == RA_E_NOMEM);
        ra_arena_free(&small);
        limit += 16;
    } while (status != RA_OK);
    cr_assert_gt(limit, sizeof(struct ra_device));
}
