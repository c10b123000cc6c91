#include "tree.h"

/* Four GPUs that differ: a GPU is told by its processor. Only the last has no ID. */
static void put_gpus(void)
{
    tree_node(0, "cpu_cores_count 8\nsimd_count 0\n");
    tree_node(1,
              "simd_count 4\ngfx_target_version 100300\nunique_id 1311768467294899695\n");
    tree_node(2,
              "simd_count 4\ngfx_target_version 100301\nunique_id 1311768467294899696\n");
    tree_node(3,
              "simd_count 4\ngfx_target_version 110000\nunique_id 81985529216486895\n");
    tree_node(4, "simd_count 4\ngfx_target_version 100306\nunique_id 0\n");
}

/* The GPUs HIP sees: "1030 1031", from gfx1030 and gfx1031. */
static const char *visible(const char *rocr, const char *hip, const char *cuda)
{
    const char *environment[4] = { NULL };
    struct ra_devices devices;
    const char *text = "";
    size_t count = 0;

    if (rocr)
        environment[count++] =
            ra_text_format(&tree_arena, "ROCR_VISIBLE_DEVICES=%s", rocr);
    if (hip)
        environment[count++] = ra_text_format(&tree_arena, "HIP_VISIBLE_DEVICES=%s", hip);
    if (cuda)
        environment[count++] =
            ra_text_format(&tree_arena, "CUDA_VISIBLE_DEVICES=%s", cuda);
    devices = tree_found(environment);
    cr_assert_eq(devices.count, 4);
    for (size_t i = 0; i < devices.count; i++) {
        if (devices.list[i].skipped)
            continue;
        text = ra_text_format(&tree_arena, "%s%s%s", text, text[0] ? " " : "",
                              devices.list[i].target + strlen("gfx"));
        cr_assert(i == 0 || !devices.list[i - 1].skipped, "hidden ones come last");
    }
    return text;
}

/* ROCR-Runtime amd_filter_device.cpp. */
TreeTest(visible, rocr_takes_numbers_and_beginnings_of_ids_up_to_the_first_wrong_one)
{
    static const char *const rows[][2] = {
        { "0", "1030" },
        { "2,0", "1100 1030" },
        { "3,2,1,0", "1036 1100 1031 1030" },
        { "", "" },
        { "4", "" },
        { "1,4,0", "1031" },
        { "1,-1,0", "1031" },
        { "1,1,0", "1031" },
        { "1,x,0", "1031" },
        { "1,,0", "1031" },
        { ",0", "" },
        { "0,", "1030" },
        { " 2 ,\t0", "1100 1030" },
        { "0x2", "1100" },
        { "02", "1100" },
        { "+1", "1031" },
        { "1x", "" },
        { "1 0", "" },
        { "99999999999999999999", "" },
        { "GPU-0123456789abcdef", "1100" },
        { "gpu-0123456789ABCDEF", "1100" },
        { "GPU-0123456789abcdef,0", "1100 1030" },
        { "GPU-0", "1100" },
        { "GPU-1", "" },
        { "GPU-1234567890abcdef", "1030" },
        { "GPU-1234567890abcde", "1030" },
        { "GPU-", "" },
        { "GPU", "" },
        { "GPU-f", "" },
        { "GPU-XX", "" },
        { "GPU-0123456789abcdef0", "" },
        { "GPU-0123456789abcdef, 2, 0", "1100" },
    };

    put_gpus();
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const char *seen = visible(rows[i][0], NULL, NULL);

        cr_assert_str_eq(seen, rows[i][1], "\"%s\": %s", rows[i][0], seen);
    }
}

/* clr rocdevice.cpp. */
TreeTest(visible, hip_takes_plain_numbers_and_parts_of_ids_up_to_the_first_wrong_one)
{
    static const char *const rows[][2] = {
        { "0", "1030" },
        { "2,0", "1100 1030" },
        { "", "1030 1031 1100 1036" },
        { "1,1,0", "1031 1030" },
        { "1,4,0", "1031" },
        { "-1", "" },
        { "1,,0", "1031" },
        { "0,", "1030" },
        { " 0", "" },
        { "00", "" },
        { "0x1", "" },
        { "+1", "" },
        { "99999999999999999999", "" },
        { "GPU-0123456789abcdef", "1100" },
        { "GPU-0123456789ABCDEF", "" },
        { "GPU-1234567890abcdef,3", "1030 1036" },
        { "GPU-1", "1030" },
        { "GPU-XX", "1036" },
        { "GPU-abc", "" },
        { "gpu-0", "" },
    };

    put_gpus();
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const char *seen = visible(NULL, rows[i][0], NULL);

        cr_assert_str_eq(seen, rows[i][1], "\"%s\": %s", rows[i][0], seen);
        cr_assert_str_eq(visible(NULL, NULL, rows[i][0]), rows[i][1], "%s", rows[i][0]);
    }
}

TreeTest(visible, hip_counts_what_rocr_left)
{
    static const char *const rows[][4] = {
        { "2,0", "1", NULL, "1030" },     { "2,0", "1,0", NULL, "1030 1100" },
        { "2,0", "2", NULL, "" },         { "", "0", NULL, "" },
        { "2,0", "", "1", "1030" },       { "2,0", "0", "1", "1100" },
        { "2,0", NULL, "", "1100 1030" }, { NULL, "3", "0", "1036" },
    };

    put_gpus();
    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_str_eq(visible(rows[i][0], rows[i][1], rows[i][2]), rows[i][3], "%zu",
                         i);
}

TreeTest(visible, what_is_hidden_says_by_which_variable)
{
    const char *const environment[] = { "ROCR_VISIBLE_DEVICES=2,0\x1b",
                                        "HIP_VISIBLE_DEVICES=0", NULL };
    const char *const both[] = { "ROCR_VISIBLE_DEVICES=2,0", "HIP_VISIBLE_DEVICES=0",
                                 NULL };
    struct ra_devices devices;

    put_gpus();
    devices = tree_found(environment);
    cr_assert_str_eq(devices.list[1].skipped, "hidden by ROCR_VISIBLE_DEVICES=2,0\\x1b");
    devices = tree_found(both);
    cr_assert_str_eq(tree_list(&devices),
                     "kfd node 3 gfx1100, kfd node 1 gfx1030 (skipped), "
                     "kfd node 2 gfx1031 (skipped), kfd node 4 gfx1036 (skipped)");
    cr_assert_null(devices.list[0].skipped);
    cr_assert_str_eq(devices.list[1].skipped, "hidden by HIP_VISIBLE_DEVICES=0");
    cr_assert_str_eq(devices.list[2].skipped, "hidden by ROCR_VISIBLE_DEVICES=2,0");
    cr_assert_not(ra_device_is_judged(&devices.list[1]));
    cr_assert_str_eq(devices.text, "");
}

TreeTest(visible, the_number_of_a_gpu_is_that_before_any_variable)
{
    static const size_t numbers[] = { 2, 0, 1, 3 };
    const char *const environment[] = { "ROCR_VISIBLE_DEVICES=2,0", NULL };
    struct ra_devices devices;

    put_gpus();
    devices = tree_found(environment);
    for (size_t i = 0; i < devices.count; i++)
        cr_assert_eq(devices.list[i].rocr_index, numbers[i], "%zu", i);
}

TreeTest(visible, where_all_are_hidden_the_reason_is_told)
{
    const char *const environment[] = { "HIP_VISIBLE_DEVICES=-1", NULL };
    struct ra_devices devices;

    put_gpus();
    devices = tree_found(environment);
    cr_assert_eq(devices.count, 4);
    cr_assert_str_eq(devices.text,
                     "HIP sees no GPU: they are hidden by HIP_VISIBLE_DEVICES=-1");
}

/* A GPU that cannot be named still has its number, and is no matter once it is hidden. */
TreeTest(visible, gpus_that_cannot_be_named_are_counted)
{
    const char *const environment[] = { "ROCR_VISIBLE_DEVICES=1", NULL };
    struct ra_devices devices;

    tree_node(1, "simd_count 4\n");
    tree_node(2, "simd_count 4\ngfx_target_version 110000\n");
    devices = tree_found(environment);
    cr_assert_str_eq(tree_list(&devices), "kfd node 2 gfx1100");
    cr_assert_not(devices.incomplete);
    devices = tree_found(NULL);
    cr_assert(devices.incomplete);
}
