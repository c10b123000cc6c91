#include "tree.h"

#include <grp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU      "cpu_cores_count 8\nsimd_count 0\n"
#define GPU_1100 "simd_count 192\ngfx_target_version 110000\ncapability 671588992\n"
#define GPU_90A  "simd_count 416\ngfx_target_version 90010\ncapability 746037888\n"
#define UNNAMED  "simd_count 416\ncapability 746037888\n"

/* A node at 0000:03:00.0 and one that is at another place of the PCI bus. */
#define AT_3 "location_id 768\ndomain 0\n"
#define AT_4 "location_id 1024\ndomain 0\n"

static struct ra_devices found_with_dev(void)
{
    return tree_search((struct ra_device_search){ .dev = "" });
}

static void assert_processor(const struct ra_device *device, const char *target,
                             const char *source, enum ra_origin origin)
{
    cr_assert_str_eq(device->target, target);
    cr_assert_str_eq(device->source, source);
    cr_assert_eq(device->origin, origin, "%s", ra_origin_name(device->origin));
}

/* ---- KFD without a version -------------------------------------------------- */

TreeTest(found, ip_discovery_names_what_kfd_does_not)
{
    struct ra_devices devices;

    tree_node(1, UNNAMED AT_3 "device_id 29711\n");
    tree_card(0, "0000:03:00.0", "9.4.2");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx90a:sramecc+:xnack-", "kfd node 1",
                     RA_FROM_DISCOVERY);
    tree_says(devices.list->why, "no gfx_target_version, graphics IP 9.4.2 of card0");
    cr_assert_str_eq(devices.text, "");
    /* It is asked before the device ID. */
    tree_node(1, UNNAMED AT_3 "device_id 29772\n");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx90a:sramecc+:xnack-", "kfd node 1",
                     RA_FROM_DISCOVERY);
    tree_says(devices.text,
              "kfd node 1 is a gfx90a by IP discovery, but PCI device 0x744c");
}

TreeTest(found, a_card_elsewhere_on_the_bus_names_nothing)
{
    struct ra_devices devices;

    tree_node(1, UNNAMED AT_4 "device_id 29772\n");
    tree_card(0, "0000:03:00.0", "9.4.2");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx1100", "kfd node 1", RA_FROM_PCI);
}

TreeTest(found, a_domain_and_a_partition_are_part_of_the_place)
{
    struct ra_devices devices;

    /* Function 2 is a partition of function 0; bits 31 to 28 of the domain tell another.
     */
    tree_node(1, UNNAMED "location_id 770\ndomain 1\n");
    tree_node(2, UNNAMED "location_id 768\ndomain 536870913\n");
    tree_node(3, UNNAMED "location_id 768\ndomain 2\n");
    tree_card(0, "0001:03:00.0", "9.4.3");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx942:sramecc+:xnack-, "
                                          "kfd node 2 gfx942:sramecc+:xnack-");
    cr_assert(devices.incomplete);
    tree_says(devices.text, "kfd node 3 is a GPU, but it is not known which");
}

/* Linux kfd_device.c, kgd2kfd_probe(). */
TreeTest(found, digits_of_the_graphics_ip_are_not_those_of_the_name)
{
    static const char *const rows[][2] = {
        { "9.0.1", "gfx900:xnack-" },
        { "9.4.1", "gfx908:sramecc+:xnack-" },
        { "9.4.4", "gfx942:sramecc+:xnack-" },
        { "9.5.0", "gfx950:sramecc+:xnack-" },
        { "10.1.10", "gfx1010:xnack-" },
        { "10.3.6", "gfx1036" },
        { "10.3.7", "gfx1036" },
        { "11.0.3", "gfx1101" },
        { "11.0.4", "gfx1103" },
        { "11.5.1", "gfx1151" },
        { "12.0.1", "gfx1201" },
        { "12.1.0", "gfx1250" },
    };

    for (unsigned i = 0; i < RA_COUNT(rows); i++)
        tree_card(i, ra_text_format(&tree_arena, "0000:%02x:00.0", i), rows[i][0]);
    tree_noretry("-1\n");
    for (unsigned i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices = tree_found(NULL);

        cr_assert_eq(devices.count, RA_COUNT(rows));
        cr_assert_str_eq(devices.list[i].target, rows[i][1]);
    }
}

TreeTest(found, a_graphics_ip_that_is_not_known_is_never_called_a_gfx)
{
    struct ra_devices devices;

    tree_node(1, UNNAMED AT_3);
    tree_card(0, "0000:03:00.0", "13.7.3");
    devices = tree_found(NULL);
    cr_assert_eq(devices.count, 0);
    tree_says(devices.text, "graphics IP 13.7.3 of card0 is not known");
    tree_silent(devices.text, "gfx1373");
    tree_node(1, UNNAMED AT_3 "device_id 29772\n");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx1100", "kfd node 1", RA_FROM_PCI);
    tree_says(devices.list->why, "graphics IP 13.7.3 of card0 is not known");
}

TreeTest(found, ip_discovery_that_makes_no_sense_is_passed_over)
{
    static const char *const texts[] = {
        "",      "\n",    "9",
        "9\n\n", "256\n", "-9\n",
        "x\n",   "9 \n",  "99999999999999999999999999999999999999999\n"
    };
    const char *path =
        "sys/devices/pci0000:00/0000:03:00.0/ip_discovery/die/0/11/0/major";

    tree_card(0, "0000:03:00.0", "9.4.2");
    for (size_t i = 0; i < RA_COUNT(texts); i++) {
        struct ra_devices devices;

        tree_put(path, texts[i]);
        devices = tree_found(NULL);
        cr_assert_eq(devices.count, strcmp(texts[i], "9") == 0, "%zu: %s", i, texts[i]);
    }
}

/* ---- disagreement ----------------------------------------------------------- */

TreeTest(found, kfd_holds_where_others_disagree_and_they_are_told)
{
    struct ra_devices devices;

    tree_node(1, GPU_90A AT_3 "device_id 29772\n");
    tree_card(0, "0000:03:00.0", "11.0.0");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx90a:sramecc+:xnack-", "kfd node 1",
                     RA_FROM_KFD);
    cr_assert_str_eq(devices.list->product, "Instinct MI210, MI250, MI250X");
    tree_says(devices.list->why,
              "gfx_target_version 90010, graphics IP 11.0.0 of card0 is "
              "a gfx1100: KFD holds, PCI device 0x744c is a gfx1100: "
              "KFD holds");
    tree_says(devices.text,
              "kfd node 1 is a gfx90a by KFD, but graphics IP 11.0.0 of card0 "
              "is a gfx1100: KFD holds");
}

TreeTest(found, sources_that_agree_are_not_mentioned)
{
    struct ra_devices devices;

    tree_node(1, GPU_1100 AT_3 "device_id 29772\n");
    tree_card(0, "0000:03:00.0", "11.0.0");
    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_only(&devices)->why, "gfx_target_version 110000");
    cr_assert_str_eq(devices.text, "");
}

/* ---- without KFD ------------------------------------------------------------ */

TreeTest(found, without_kfd_the_bus_tells_the_gpus_in_its_order)
{
    struct ra_devices devices;

    tree_pci("0000:c4:00.0", "0x1002", "0x030000", "0x164e");
    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    tree_pci("0001:03:00.0", "0x1002", "0x120000", "0x740f");
    tree_pci("0002:03:00.0", "0x1002", "0x038000", "0x74a1");
    /* Its sound, a bridge, and the GPU of somebody else. */
    tree_pci("0000:03:00.1", "0x1002", "0x040300", "0xab30");
    tree_pci("0000:02:00.0", "0x1002", "0x060400", "0x1479");
    tree_pci("0000:05:00.0", "0x10de", "0x030000", "0x744c");
    tree_card(1, "0000:03:00.0", "11.0.0");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices),
                     "ip discovery, card1 gfx1100, pci 0000:c4:00.0 gfx1036, "
                     "pci 0001:03:00.0 gfx90a:sramecc+:xnack-, "
                     "pci 0002:03:00.0 gfx942:sramecc+:xnack-");
    cr_assert_eq(devices.list[0].origin, RA_FROM_DISCOVERY);
    cr_assert_eq(devices.list[1].origin, RA_FROM_PCI);
    cr_assert_eq(devices.list[2].sramecc_origin, RA_FROM_ASSUMPTION);
    cr_assert_str_eq(devices.list[2].product, "Instinct MI210");
    tree_says(devices.list[2].why, "not in KFD, PCI device 0x740f, sramecc assumed");
}

TreeTest(found, a_driver_that_is_not_loaded_is_not_a_missing_gpu)
{
    struct ra_devices devices;

    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    devices = tree_found(NULL);
    cr_assert_eq(devices.count, 1);
    tree_says(devices.text,
              "though there is pci 0000:03:00.0, a gfx1100: the amdgpu driver "
              "is not loaded, and HIP finds no GPU without it and its "
              "/dev/kfd (modprobe amdgpu)");
    tree_noretry("-1\n");
    devices = tree_found(NULL);
    tree_says(devices.text,
              "the amdgpu driver is loaded without KFD, and HIP finds no GPU "
              "without /dev/kfd");
}

TreeTest(found, a_bus_without_an_amd_gpu_is_no_gpu_at_all)
{
    struct ra_devices devices;

    tree_pci("0000:05:00.0", "0x10de", "0x030000", "0x2684");
    devices = tree_found(NULL);
    cr_assert_eq(devices.count, 0);
    cr_assert_not(devices.incomplete);
    tree_says(devices.text, "/sys, and no AMD GPU on its PCI bus");
    tree_silent(devices.text, "not loaded");
}

TreeTest(found, a_gpu_of_an_unknown_id_is_not_silently_dropped)
{
    struct ra_devices devices;

    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0xfff0");
    devices = tree_found(NULL);
    cr_assert_eq(devices.count, 0);
    cr_assert(devices.incomplete);
    tree_says(devices.text,
              "pci 0000:03:00.0 is a GPU, but it is not known which: not in "
              "KFD, PCI device 0xfff0 is not known");
}

TreeTest(found, a_gpu_that_kfd_refuses_is_listed_and_told)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_pci("0000:c4:00.0", "0x1002", "0x030000", "0x164e");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "pci 0000:c4:00.0 gfx1036");
    tree_says(devices.text,
              "has no GPU, though there is pci 0000:c4:00.0, a gfx1036: the "
              "amdgpu driver does not let it compute");
}

TreeTest(found, what_is_no_pci_address_is_no_device)
{
    static const char *const names[] = {
        "000:03:00.0",   "0000:03:00",        "0000:03:20.0",
        "0000:03:00.8",  "0000:0g:00.0",      "0000-03:00.0",
        "0000:03:0A.0",  "000000000:03:00.0", "x",
        "0000:03:00.00",
    };
    struct ra_devices devices;

    for (size_t i = 0; i < RA_COUNT(names); i++)
        tree_pci(names[i], "0x1002", "0x030000", "0x744c");
    tree_pci("10000:01:1f.7", "0x1002", "0x030000", "0x744c");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "pci 10000:01:1f.7 gfx1100");
}

TreeTest(found, attributes_that_make_no_sense_are_no_gpu)
{
    static const char *const rows[][2] = {
        { "0x1002", "" },         { "0x1002", "0x" },     { "0x1002", "0x3000g" },
        { "0x10020", "0x30000" }, { "", "0x030000" },     { "1002", "0x030000" },
        { "0x1002 ", "0x30000" }, { "0x1002", "030000" }, { "0x1002", "0x130000" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_pci("0000:03:00.0", rows[i][0], rows[i][1], "0x744c");
        devices = tree_found(NULL);
        cr_assert_eq(devices.count, 0, "%zu", i);
    }
}

TreeTest(found, ip_discovery_holds_against_the_device_id)
{
    struct ra_devices devices;

    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    tree_card(0, "0000:03:00.0", "9.4.2");
    devices = tree_found(NULL);
    assert_processor(tree_only(&devices), "gfx90a:sramecc+:xnack-", "ip discovery, card0",
                     RA_FROM_DISCOVERY);
    tree_says(devices.list->why, "PCI device 0x744c is a gfx1100: IP discovery holds");
    tree_says(devices.text,
              "ip discovery, card0 is a gfx90a by IP discovery, but PCI device "
              "0x744c is a gfx1100");
}

TreeTest(found, a_card_that_the_bus_does_not_show_is_a_gpu_all_the_same)
{
    struct ra_devices devices;

    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    tree_card(0, "0000:04:00.0", "9.4.2");
    tree_card(3, "", "11.0.2");
    tree_card(4, "0000:03:00.0", "13.7.3");
    devices = tree_found(NULL);
    cr_assert_str_eq(tree_list(&devices), "pci 0000:03:00.0 gfx1100, "
                                          "ip discovery, card0 gfx90a:sramecc+:xnack-, "
                                          "ip discovery, card3 gfx1102");
}

/* ---- device files ----------------------------------------------------------- */

TreeTest(found, without_a_kfd_file_the_gpus_are_still_judged)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, GPU_90A);
    devices = found_with_dev();
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx90a:sramecc+:xnack-");
    tree_says(devices.text, "there is no /dev/kfd: HIP finds no GPU");
    tree_put("dev/kfd", "");
    devices = found_with_dev();
    cr_assert_str_eq(devices.text, "");
    devices = tree_found(NULL);
    cr_assert_str_eq(devices.text, "", "nothing is asked outside of --sysfs");
}

/* Give the group to a file that root owns, and let only the two open it. */
static void put_kfd(gid_t group)
{
    tree_put("dev/kfd", "");
    tree_mode("dev/kfd", 0660);
    cr_assert_eq(chown(ra_text_format(&tree_arena, "%s/dev/kfd", tree_root), 0, group),
                 0);
}

TreeTest(found, a_kfd_file_for_others_names_the_group_to_join)
{
    const struct group *video = getgrnam("video");
    struct ra_devices devices;

    if (geteuid() != 0 || !video)
        cr_skip_test("only root gives files to a group that it is not in");
    tree_node(1, GPU_90A);
    put_kfd(video->gr_gid);
    devices = tree_found_by_nobody((struct ra_device_search){ .dev = "" });
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx90a:sramecc+:xnack-");
    tree_says(devices.text,
              "/dev/kfd may not be opened: it belongs to the group video, and "
              "HIP finds no GPU until you are in it (sudo usermod -aG video "
              "$USER, then log in again)");
    tree_mode("dev/kfd", 0600);
    devices = tree_found_by_nobody((struct ra_device_search){ .dev = "" });
    tree_says(devices.text, "/dev/kfd may not be opened: its mode is 0600");
    tree_silent(devices.text, "usermod");
    devices = found_with_dev();
    cr_assert_str_eq(devices.text, "", "root may open it");
}

TreeTest(found, a_group_without_a_name_is_told_by_its_number)
{
    struct ra_devices devices;

    if (geteuid() != 0 || getgrgid(54321))
        cr_skip_test("only root gives files to a group that it is not in");
    tree_node(1, GPU_90A);
    put_kfd(54321);
    devices = tree_found_by_nobody((struct ra_device_search){ .dev = "" });
    tree_says(devices.text, "usermod -aG 54321 $USER");
}

TreeTest(found, a_gpu_whose_render_node_is_missing_is_skipped)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, GPU_90A "drm_render_minor 128\n");
    tree_node(2, GPU_1100 "drm_render_minor 129\n");
    tree_put("dev/kfd", "");
    tree_put("dev/dri/renderD129", "");
    devices = found_with_dev();
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx1100, "
                                          "kfd node 1 gfx90a:sramecc+:xnack- (skipped)");
    cr_assert_eq(devices.list[0].rocr_index, 0);
    tree_says(devices.list[1].skipped, "/dev/dri/renderD128: No such file");
    tree_says(devices.text, "HIP does not see 1 of 2 GPUs, for it may not open "
                            "/dev/dri/renderD128: No such file");
    tree_put("dev/dri/renderD128", "");
    devices = found_with_dev();
    cr_assert_str_eq(tree_list(&devices),
                     "kfd node 1 gfx90a:sramecc+:xnack-, kfd node 2 gfx1100");
}

TreeTest(found, wsl_is_told_from_a_host_without_a_gpu)
{
    struct ra_devices devices;

    tree_put("dev/dxg", "");
    devices = found_with_dev();
    cr_assert_eq(devices.count, 0);
    tree_says(devices.text, "this is WSL2, /dev/dxg is there and KFD is not");
    tree_says(devices.text, "--gpu-from");
    tree_says(devices.text, "HSA_ENABLE_DXG_DETECTION=1");
    /* Where KFD is there, the file means nothing. */
    tree_node(1, GPU_90A);
    tree_put("dev/kfd", "");
    devices = found_with_dev();
    cr_assert_str_eq(devices.text, "");
}

TreeTest(found, a_kfd_file_that_is_a_pipe_or_a_folder_does_no_harm)
{
    struct ra_devices devices;

    tree_node(1, GPU_90A);
    cr_assert_eq(mkfifo(ra_text_format(&tree_arena, "%s/dev/kfd", tree_root), 0644), 0);
    devices = found_with_dev();
    cr_assert_str_eq(tree_only(&devices)->target, "gfx90a:sramecc+:xnack-");
    cr_assert_eq(devices.list->xnack_origin, RA_FROM_INFERENCE);
    cr_assert_eq(remove(ra_text_format(&tree_arena, "%s/dev/kfd", tree_root)), 0);
    (void)tree_folder("dev/kfd");
    devices = found_with_dev();
    tree_says(devices.text, "/dev/kfd cannot be opened, and HIP finds no GPU: Is a dir");
}

TreeTest(found, several_troubles_are_all_told)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, GPU_90A "device_id 29772\n");
    tree_node(2, "simd_count x\n");
    tree_node(3, UNNAMED);
    devices = found_with_dev();
    cr_assert_eq(devices.count, 1);
    tree_says(devices.text, "the properties of kfd node 2 are missing or make no sense");
    tree_says(devices.text, "; kfd node 3 is a GPU, but it is not known which");
    tree_says(devices.text, "; there is no /dev/kfd");
    tree_says(devices.text, "; kfd node 1 is a gfx90a by KFD, but PCI device 0x744c");
}

TreeTest(found, garbage_in_any_file_is_survived)
{
    static const char *const files[] = {
        "sys/class/kfd/kfd/topology/nodes/1/properties",
        "sys/bus/pci/devices/0000:03:00.0/vendor",
        "sys/bus/pci/devices/0000:03:00.0/class",
        "sys/bus/pci/devices/0000:03:00.0/device",
        "sys/devices/pci0000:00/0000:03:00.0/ip_discovery/die/0/11/0/minor",
        "sys/module/amdgpu/parameters/noretry",
    };
    static const char garbage[] = "\xff\0\x1b[31m\n99999999999999999999999999\n0x\n";

    for (size_t i = 0; i < RA_COUNT(files); i++)
        for (size_t size = 0; size <= sizeof(garbage); size++) {
            struct ra_devices devices;

            tree_node(1, UNNAMED AT_3);
            tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
            if (i == 0 && size == 0)
                tree_card(0, "0000:03:00.0", "11.0.0");
            tree_save(files[i], garbage, size < sizeof(garbage) ? size : 0);
            devices = tree_found(NULL);
            for (const char *byte = devices.text; *byte; byte++)
                cr_assert(*byte >= ' ' && *byte <= '~');
        }
}

/* ---- what cannot be relied upon ------------------------------------------------- */

Test(found, without_kfd_nothing_is_decided, .init = tree_make, .fini = tree_drop)
{
    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x744c");
    cr_assert(tree_found(NULL).incomplete);
    tree_node(0, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(1, "cpu_cores_count 0\nsimd_count 192\ngfx_target_version 110000\n");
    cr_assert_not(tree_found(NULL).incomplete);
}

Test(found, a_node_that_says_nothing_may_be_a_gpu, .init = tree_make, .fini = tree_drop)
{
    tree_node(0, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(1, "cpu_cores_count 0\nsimd_count 192\ngfx_target_version 110000\n");
    cr_assert_not(tree_found(NULL).incomplete);
    tree_node(2, "");
    cr_assert(tree_found(NULL).incomplete);
}

Test(found, sramecc_can_be_forced, .init = tree_make, .fini = tree_drop)
{
    static const char *const off[] = { "HSA_ENABLE_SRAMECC=0", NULL };
    static const char *const on[] = { "HSA_ENABLE_SRAMECC=1", NULL };
    struct ra_devices devices;

    tree_node(0, "cpu_cores_count 0\nsimd_count 240\ngfx_target_version 90006\n"
                 "capability 67108864\n"); /* bit 26 */
    devices = tree_found(off);
    cr_assert(tree_only(&devices)->sramecc_forced);
    devices = tree_found(on);
    cr_assert_not(tree_only(&devices)->sramecc_forced);
    devices = tree_found(NULL);
    cr_assert_not(tree_only(&devices)->sramecc_forced);
}
