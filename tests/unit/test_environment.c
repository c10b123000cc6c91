#include "tree.h"

#define CPU     "cpu_cores_count 8\nsimd_count 0\n"
#define MI210   "simd_count 416\ngfx_target_version 90010\ncapability 746037888\n"
#define NAVI22  "simd_count 160\ngfx_target_version 100301\ncapability 671588992\n"
#define RADEON7 "simd_count 240\ngfx_target_version 90006\ncapability 671130240\n"

static struct ra_devices found_with(const char *first, const char *second)
{
    const char *const environment[] = { first, second, NULL };

    return tree_found(environment);
}

/* ---- HSA_OVERRIDE_GFX_VERSION ----------------------------------------------- */

TreeTest(environment, an_override_replaces_what_the_gpu_is_and_keeps_what_it_was)
{
    struct ra_devices devices;
    const struct ra_device *device;

    tree_node(0, CPU);
    tree_node(1, MI210 "device_id 29711\n");
    devices = found_with("HSA_OVERRIDE_GFX_VERSION=10.3.0", NULL);
    device = tree_only(&devices);
    cr_assert_str_eq(device->target, "gfx1030");
    cr_assert_eq(device->origin, RA_FROM_ENVIRONMENT);
    cr_assert_str_eq(device->override_text, "HSA_OVERRIDE_GFX_VERSION=10.3.0");
    cr_assert_not(device->override_invalid);
    cr_assert_str_eq(device->hardware.processor, "gfx90a");
    cr_assert_str_eq(device->hardware_target, "gfx90a:sramecc+:xnack-");
    cr_assert_str_eq(device->product, "Instinct MI210");
    cr_assert_str_eq(device->arch, "CDNA 2");
    cr_assert_eq(device->id.xnack, RA_SETTING_NONE);
    cr_assert_not(device->xnack_assumed);
    cr_assert_str_eq(device->why,
                     "gfx_target_version 90010, HSA_OVERRIDE_GFX_VERSION=10.3.0");
}

TreeTest(environment, without_an_override_the_hardware_is_the_device)
{
    struct ra_devices devices;
    const struct ra_device *device;

    tree_node(1, MI210);
    devices =
        found_with("HSA_OVERRIDE_GFX_VERSIONX=10.3.0", "HSA_OVERRIDE_GFX_VERSIO=1.1.1");
    device = tree_only(&devices);
    cr_assert_null(device->override_text);
    cr_assert_not(device->override_invalid);
    cr_assert_str_eq(device->hardware_target, device->target);
}

TreeTest(environment, features_follow_the_rules_of_the_processor_it_poses_as)
{
    struct ra_devices devices;

    /* Bit 26 of a Navi is clear: as a gfx90a it would have no ECC. */
    tree_node(1, NAVI22);
    devices = found_with("HSA_OVERRIDE_GFX_VERSION=9.0.10", NULL);
    cr_assert_str_eq(tree_only(&devices)->target, "gfx90a:sramecc-:xnack-");
    cr_assert_eq(devices.list->sramecc_origin, RA_FROM_KFD);
    cr_assert_str_eq(devices.list->hardware_target, "gfx1031");
    tree_says(devices.list->why, "no process with a gfx1031 has it");
}

TreeTest(environment, an_override_is_read_as_decimal_numbers)
{
    static const char *const rows[][2] = {
        { "10.3.0", "gfx1030" },       { "9.0.10", "gfx90a:sramecc+:xnack-" },
        { "9.0.12", "gfx90c:xnack-" }, { "11.0.5", "gfx1105" },
        { "11.5.1", "gfx1151" },       { " 10. 3. +1", "gfx1031" },
        { "\t \n10.3.1", "gfx1031" },  { "010.03.00", "gfx1030" },
        { "63.15.15", "gfx63ff" },     { "8.0.3", "gfx803" },
        { "1.0.16", "gfx1.0.16" },     { "9.255.0", "gfx9.255.0" },
    };

    tree_node(1, MI210);
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices = found_with(
            ra_text_format(&tree_arena, "HSA_OVERRIDE_GFX_VERSION=%s", rows[i][0]), NULL);

        cr_assert_str_eq(tree_only(&devices)->target, rows[i][1]);
        cr_assert_not(devices.list->override_invalid);
    }
}

TreeTest(environment, an_override_that_cannot_be_read_changes_nothing)
{
    static const char *const values[] = {
        "",
        "gfx1030",
        "10.3",
        "10.3.0.",
        "10.3.0 ",
        "10,3,0",
        "10.3.0.0",
        "64.0.0",
        "9.256.0",
        "9.0.256",
        "10.3.a",
        ".3.0",
        "10..0",
        "-1.0.0",
        "9.0.-10",
        "0x9.0.0",
        "99999999999999999999999.0.0",
        "10.3.\x1b",
    };

    tree_node(1, MI210);
    for (size_t i = 0; i < RA_COUNT(values); i++) {
        struct ra_devices devices = found_with(
            ra_text_format(&tree_arena, "HSA_OVERRIDE_GFX_VERSION=%s", values[i]), NULL);
        const struct ra_device *device = tree_only(&devices);

        cr_assert(device->override_invalid, "%s", values[i]);
        cr_assert_str_eq(device->target, "gfx90a:sramecc+:xnack-");
        cr_assert_eq(device->origin, RA_FROM_KFD);
        cr_assert_not_null(device->override_text);
        cr_assert_null(strchr(device->override_text, '\x1b'));
        tree_says(device->why, "is no major.minor.stepping");
    }
}

TreeTest(environment, an_override_to_the_same_is_kept_in_mind)
{
    static const char *const variables[] = { "HSA_OVERRIDE_GFX_VERSION=9.0.10",
                                             "HSA_OVERRIDE_GFX_VERSION=0.0.0" };

    tree_node(1, MI210);
    for (size_t i = 0; i < RA_COUNT(variables); i++) {
        struct ra_devices devices = found_with(variables[i], NULL);
        const struct ra_device *device = tree_only(&devices);

        cr_assert_str_eq(device->override_text, variables[i]);
        cr_assert_not(device->override_invalid);
        cr_assert_str_eq(device->target, "gfx90a:sramecc+:xnack-");
        cr_assert_str_eq(device->hardware_target, device->target);
        cr_assert_eq(device->origin, RA_FROM_KFD);
    }
}

/* libhsakmt counts the nodes a process may use, CPUs too. */
TreeTest(environment, a_numbered_override_counts_the_cpus_before_it)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, CPU);
    tree_node(2, MI210);
    tree_node(3, MI210);
    devices = found_with("HSA_OVERRIDE_GFX_VERSION_2=9.4.2", NULL);
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx942:sramecc+:xnack-, "
                                          "kfd node 3 gfx90a:sramecc+:xnack-");
    devices = found_with("HSA_OVERRIDE_GFX_VERSION_0=9.4.2",
                         "HSA_OVERRIDE_GFX_VERSION_1=9.4.2");
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx90a:sramecc+:xnack-, "
                                          "kfd node 3 gfx90a:sramecc+:xnack-");
    cr_assert_null(devices.list[0].override_text);
}

TreeTest(environment, a_numbered_override_wins_over_the_plain_one)
{
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, MI210);
    tree_node(2, MI210);
    devices =
        found_with("HSA_OVERRIDE_GFX_VERSION=9.0.8", "HSA_OVERRIDE_GFX_VERSION_2=9.4.2");
    cr_assert_str_eq(tree_list(&devices), "kfd node 1 gfx908:sramecc+:xnack-, "
                                          "kfd node 2 gfx942:sramecc+:xnack-");
    cr_assert_str_eq(devices.list[1].override_text, "HSA_OVERRIDE_GFX_VERSION_2=9.4.2");
    devices = found_with("HSA_OVERRIDE_GFX_VERSION=9.0.8", "HSA_OVERRIDE_GFX_VERSION_2=");
    cr_assert(devices.list[1].override_invalid);
    cr_assert_str_eq(devices.list[1].target, "gfx90a:sramecc+:xnack-");
}

/* A container that may not open a GPU counts without it. */
TreeTest(environment, nodes_that_are_hidden_are_not_counted)
{
    const char *const environment[] = { "HSA_OVERRIDE_GFX_VERSION_1=9.4.2", NULL };
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, MI210);
    tree_node(2, MI210);
    tree_mode("sys/class/kfd/kfd/topology/nodes/1/properties", 0);
    devices =
        tree_found_by_nobody((struct ra_device_search){ .environment = environment });
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx942:sramecc+:xnack-");
}

TreeTest(environment, gpus_without_a_render_node_are_not_counted)
{
    const char *const environment[] = { "HSA_OVERRIDE_GFX_VERSION_1=9.4.2", NULL };
    struct ra_devices devices;

    tree_node(0, CPU);
    tree_node(1, MI210 "drm_render_minor 128\n");
    tree_node(2, MI210 "drm_render_minor 129\n");
    tree_put("dev/kfd", "");
    tree_put("dev/dri/renderD129", "");
    devices =
        tree_search((struct ra_device_search){ .dev = "", .environment = environment });
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx942:sramecc+:xnack-, "
                                          "kfd node 1 gfx90a:sramecc+:xnack- (skipped)");
}

TreeTest(environment, a_gpu_found_without_kfd_heeds_the_plain_override_only)
{
    struct ra_devices devices;

    tree_pci("0000:03:00.0", "0x1002", "0x030000", "0x73df");
    devices = found_with("HSA_OVERRIDE_GFX_VERSION_0=11.0.0",
                         "HSA_OVERRIDE_GFX_VERSION=10.3.0");
    cr_assert_str_eq(tree_only(&devices)->target, "gfx1030");
    cr_assert_str_eq(devices.list->hardware_target, "gfx1031");
}

/* ---- HSA_ENABLE_SRAMECC ----------------------------------------------------- */

TreeTest(environment, sramecc_is_what_the_variable_says_and_a_lie_is_told)
{
    static const struct {
        const char *node, *variable, *target, *why;
        enum ra_origin origin;
    } rows[] = {
        { MI210, "HSA_ENABLE_SRAMECC=0", "gfx90a:sramecc-:xnack-",
          "sramecc off by HSA_ENABLE_SRAMECC=0, against the hardware",
          RA_FROM_ENVIRONMENT },
        { MI210, "HSA_ENABLE_SRAMECC=1", "gfx90a:sramecc+:xnack-",
          "sramecc on by HSA_ENABLE_SRAMECC=1, xnack", RA_FROM_ENVIRONMENT },
        { RADEON7, "HSA_ENABLE_SRAMECC=1", "gfx906:sramecc+:xnack-",
          "sramecc on by HSA_ENABLE_SRAMECC=1, against the hardware",
          RA_FROM_ENVIRONMENT },
        { RADEON7, "HSA_ENABLE_SRAMECC=2", "gfx906:sramecc-:xnack-",
          "sramecc from capability bit 26", RA_FROM_KFD },
        { RADEON7, "HSA_ENABLE_SRAMECC=10", "gfx906:sramecc-:xnack-",
          "sramecc from capability bit 26", RA_FROM_KFD },
        { RADEON7, "HSA_ENABLE_SRAMECC=", "gfx906:sramecc-:xnack-",
          "sramecc from capability bit 26", RA_FROM_KFD },
        { NAVI22, "HSA_ENABLE_SRAMECC=1", "gfx1031", "gfx_target_version 100301",
          RA_FROM_NOWHERE },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_node(1, rows[i].node);
        devices = found_with(rows[i].variable, NULL);
        cr_assert_str_eq(tree_only(&devices)->target, rows[i].target);
        cr_assert_eq(devices.list->sramecc_origin, rows[i].origin, "%zu", i);
        tree_says(devices.list->why, rows[i].why);
    }
}

/* ---- variables -------------------------------------------------------------- */

TreeTest(environment, the_first_of_two_equal_names_holds)
{
    struct ra_devices devices;

    tree_node(1, MI210);
    devices =
        found_with("HSA_OVERRIDE_GFX_VERSION=10.3.0", "HSA_OVERRIDE_GFX_VERSION=11.0.0");
    cr_assert_str_eq(tree_only(&devices)->target, "gfx1030");
}
