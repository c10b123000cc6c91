#include "tree.h"

#define MI210   "simd_count 416\ngfx_target_version 90010\ncapability 746037888\n"
#define MI300X  "simd_count 416\ngfx_target_version 90402\ncapability 746037888\n"
#define MI100   "simd_count 480\ngfx_target_version 90008\ncapability 749970048\n"
#define VEGA20  "simd_count 240\ngfx_target_version 90006\ncapability 671130240\n"
#define RAVEN   "simd_count 44\ngfx_target_version 90002\ncapability 671130240\n"
#define CEZANNE "simd_count 28\ngfx_target_version 90012\ncapability 671588992\n"
#define NAVI14  "simd_count 44\ngfx_target_version 100102\ncapability 671588992\n"
#define NAVI31  "simd_count 192\ngfx_target_version 110000\ncapability 671588992\n"

static int32_t asked, answer;

/* What the driver is asked has to be the question, not a mode to set. */
static bool answer_ioctl(int kfd, int32_t *mode)
{
    cr_assert_geq(kfd, 0);
    asked = *mode;
    *mode = answer;
    return true;
}

static bool refuse_ioctl(int kfd, int32_t *mode)
{
    (void)kfd;
    (void)mode;
    return false;
}

static struct ra_devices found_by_ioctl(bool (*ask)(int, int32_t *), const char *variable)
{
    const char *const environment[] = { variable, NULL };

    tree_put("dev/kfd", "");
    return tree_search((struct ra_device_search){
        .dev = "", .ask_xnack = ask, .environment = environment });
}

static struct ra_devices found_by_inference(const char *variable)
{
    const char *const environment[] = { variable, NULL };

    return tree_found(environment);
}

static void assert_xnack(const struct ra_device *device, enum ra_setting xnack,
                         enum ra_origin origin, bool assumed, const char *why)
{
    cr_assert_eq(device->id.xnack, xnack, "%s", device->target);
    cr_assert_eq(device->xnack_origin, origin, "%s",
                 ra_origin_name(device->xnack_origin));
    cr_assert_eq(device->xnack_assumed, assumed);
    tree_says(device->why, why);
}

/* ---- by ioctl --------------------------------------------------------------- */

TreeTest(xnack, the_driver_is_asked_and_believed)
{
    struct ra_devices devices;

    tree_node(1, MI210);
    tree_noretry("-1\n");
    answer = 1;
    devices = found_by_ioctl(answer_ioctl, NULL);
    cr_assert_eq(asked, -1);
    assert_xnack(tree_only(&devices), RA_SETTING_ON, RA_FROM_IOCTL, false,
                 "xnack on by ioctl");
    answer = 0;
    devices = found_by_ioctl(answer_ioctl, NULL);
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_IOCTL, false,
                 "xnack off by ioctl");
    cr_assert_str_eq(devices.list->why,
                     "gfx_target_version 90010, sramecc from capability "
                     "bit 26, xnack off by ioctl");
}

TreeTest(xnack, a_driver_that_does_not_answer_leaves_it_to_inference)
{
    struct ra_devices devices;

    tree_node(1, MI210);
    tree_noretry("-1\n");
    devices = found_by_ioctl(refuse_ioctl, NULL);
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "xnack off inferred: noretry is auto and gfx90a defaults to off");
    /* The file of the tree is no device: the real question fails too. */
    devices = found_by_ioctl(NULL, NULL);
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "inferred");
    answer = 7;
    devices = found_by_ioctl(answer_ioctl, NULL);
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "inferred");
}

/* ---- by inference ----------------------------------------------------------- */

/* amdgpu_gmc_noretry_set() and kfd_process_xnack_mode() of Linux. */
TreeTest(xnack, the_default_is_that_of_the_graphics_ip)
{
    static const struct {
        const char *version;
        enum ra_setting xnack;
    } rows[] = {
        { "90000", RA_SETTING_OFF },  { "90002", RA_SETTING_ON },
        { "90004", RA_SETTING_ON },   { "90006", RA_SETTING_OFF },
        { "90008", RA_SETTING_OFF },  { "90010", RA_SETTING_OFF },
        { "90402", RA_SETTING_OFF },  { "90500", RA_SETTING_OFF },
        { "100100", RA_SETTING_OFF }, { "100102", RA_SETTING_OFF },
        { "100103", RA_SETTING_OFF },
    };

    tree_noretry("-1\n");
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_node(1, ra_text_format(&tree_arena, "simd_count 4\ngfx_target_version %s\n",
                                    rows[i].version));
        devices = tree_found(NULL);
        assert_xnack(tree_only(&devices), rows[i].xnack, RA_FROM_INFERENCE, true, "");
    }
}

TreeTest(xnack, the_parameter_overrules_the_default)
{
    static const struct {
        const char *node, *noretry;
        enum ra_setting xnack;
        const char *why;
    } rows[] = {
        { MI210, "0\n", RA_SETTING_ON, "xnack on inferred: noretry is 0" },
        { MI210, "1\n", RA_SETTING_OFF, "xnack off inferred: noretry is 1" },
        { RAVEN, "1\n", RA_SETTING_OFF, "xnack off inferred: noretry is 1" },
        { RAVEN, "-1\n", RA_SETTING_ON, "xnack on inferred: noretry is auto" },
        { MI210, "2\n", RA_SETTING_OFF, "noretry is not known" },
        { MI210, "0", RA_SETTING_OFF, "noretry is not known" },
        { MI210, "", RA_SETTING_OFF, "noretry is not known" },
        { MI210, "0000000000000\n", RA_SETTING_OFF, "noretry is not known" },
        { NAVI14, "0\n", RA_SETTING_OFF, "no process with a gfx1012 has it" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_node(1, rows[i].node);
        tree_noretry(rows[i].noretry);
        devices = tree_found(NULL);
        assert_xnack(tree_only(&devices), rows[i].xnack, RA_FROM_INFERENCE, true,
                     rows[i].why);
    }
}

TreeTest(xnack, the_mode_is_that_of_the_process_and_one_gpu_can_keep_it_off)
{
    struct ra_devices devices;

    tree_noretry("0\n");
    tree_node(1, MI210);
    tree_node(2, NAVI31);
    devices = tree_found(NULL);
    assert_xnack(&devices.list[0], RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "xnack off inferred: no process with a gfx1100 has it");
    cr_assert_eq(devices.list[1].id.xnack, RA_SETTING_NONE);
    cr_assert_eq(devices.list[1].xnack_origin, RA_FROM_NOWHERE);
    cr_assert_not(devices.list[1].xnack_assumed);
    tree_silent(devices.list[1].why, "xnack");
    /* Of two reasons, the one that no setting can mend. */
    tree_noretry("-1\n");
    devices = tree_found(NULL);
    tree_says(devices.list[0].why, "no process with a gfx1100 has it");
    tree_node(2, RAVEN);
    devices = tree_found(NULL);
    assert_xnack(&devices.list[1], RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "noretry is auto and gfx90a defaults to off");
}

TreeTest(xnack, a_gpu_before_vega_has_no_say_and_one_of_the_future_has)
{
    struct ra_devices devices;

    tree_noretry("0\n");
    tree_node(1, MI210);
    tree_node(2, "simd_count 4\ngfx_target_version 80003\n");
    devices = tree_found(NULL);
    assert_xnack(&devices.list[0], RA_SETTING_ON, RA_FROM_INFERENCE, true, "");
    tree_node(2, "simd_count 4\ngfx_target_version 130100\n");
    devices = tree_found(NULL);
    assert_xnack(&devices.list[0], RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "no process with a gfx1310 has it");
}

TreeTest(xnack, rocm_keeps_it_off_on_a_gfx90c)
{
    struct ra_devices devices;

    tree_node(1, CEZANNE);
    answer = 1;
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=1");
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "xnack off inferred: ROCm keeps it off on a gfx90c");
}

/* ---- HSA_XNACK -------------------------------------------------------------- */

TreeTest(xnack, a_request_is_granted_where_each_process_has_its_own_mode)
{
    static const char *const nodes[] = { MI210, MI300X };

    tree_noretry("-1\n");
    for (size_t i = 0; i < RA_COUNT(nodes); i++) {
        struct ra_devices devices;

        tree_node(1, nodes[i]);
        devices = found_by_inference("HSA_XNACK=1");
        assert_xnack(tree_only(&devices), RA_SETTING_ON, RA_FROM_ENVIRONMENT, false,
                     "xnack on by HSA_XNACK=1");
        devices = found_by_inference("HSA_XNACK=0");
        assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_ENVIRONMENT, false,
                     "xnack off by HSA_XNACK=0");
    }
}

TreeTest(xnack, a_request_to_switch_it_off_is_always_granted)
{
    struct ra_devices devices;

    tree_node(1, RAVEN);
    tree_noretry("-1\n");
    devices = found_by_inference("HSA_XNACK=0");
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_ENVIRONMENT, false, "");
    answer = 1;
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=0");
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_ENVIRONMENT, false, "");
}

TreeTest(xnack, a_request_that_is_not_granted_is_told_with_the_reason)
{
    static const struct {
        const char *first, *second, *noretry, *variable, *why;
    } rows[] = {
        { MI210, NAVI31, "-1\n", "HSA_XNACK=1",
          "HSA_XNACK=1 ignored: no process with a gfx1100 has xnack" },
        { MI210, NAVI31, "0\n", "HSA_XNACK=1",
          "HSA_XNACK=1 ignored: no process with a gfx1100 has xnack" },
        { MI100, MI210, "-1\n", "HSA_XNACK=1",
          "HSA_XNACK=1 ignored: noretry is auto and gfx908 has one mode for all" },
        { VEGA20, MI210, "1\n", "HSA_XNACK=1",
          "HSA_XNACK=1 ignored: noretry is 1 and gfx906 has one mode for all" },
        { MI210 "device_id 29712\n", MI210, "-1\n", "HSA_XNACK=1",
          "HSA_XNACK=1 ignored: noretry is auto and gfx90a has one mode for all" },
        { MI210, MI210, "-1\n", "HSA_XNACK=yes",
          "HSA_XNACK=yes ignored: it is neither 0 nor 1" },
        { MI210, MI210, "-1\n", "HSA_XNACK=1\x1b",
          "HSA_XNACK=1\\x1b ignored: it is neither 0 nor 1" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_devices devices;

        tree_node(1, rows[i].first);
        tree_node(2, rows[i].second);
        tree_noretry(rows[i].noretry);
        devices = found_by_inference(rows[i].variable);
        assert_xnack(&devices.list[0], RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                     rows[i].why);
    }
}

TreeTest(xnack, a_request_is_granted_where_faults_are_retried_anyway)
{
    struct ra_devices devices;

    tree_node(1, MI100);
    tree_node(2, MI210);
    tree_noretry("0\n");
    devices = found_by_inference("HSA_XNACK=1");
    assert_xnack(&devices.list[0], RA_SETTING_ON, RA_FROM_ENVIRONMENT, false, "");
    assert_xnack(&devices.list[1], RA_SETTING_ON, RA_FROM_ENVIRONMENT, false, "");
}

TreeTest(xnack, a_request_is_held_against_what_the_driver_says)
{
    struct ra_devices devices;

    tree_noretry("-1\n");
    answer = 0;
    tree_node(1, MI210);
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=1");
    assert_xnack(tree_only(&devices), RA_SETTING_ON, RA_FROM_ENVIRONMENT, false, "");
    tree_node(1, MI100);
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=1");
    assert_xnack(tree_only(&devices), RA_SETTING_OFF, RA_FROM_IOCTL, false,
                 "xnack off by ioctl, HSA_XNACK=1 ignored: noretry is auto");
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=");
    tree_silent(devices.list->why, "ignored");
    answer = 1;
    devices = found_by_ioctl(answer_ioctl, "HSA_XNACK=1");
    assert_xnack(tree_only(&devices), RA_SETTING_ON, RA_FROM_ENVIRONMENT, false, "");
}

TreeTest(xnack, hiding_an_rdna_gpu_does_not_take_it_out_of_the_process)
{
    const char *const environment[] = { "HSA_XNACK=1", "ROCR_VISIBLE_DEVICES=0", NULL };
    struct ra_devices devices;

    tree_node(1, MI210);
    tree_node(2, NAVI31);
    devices = tree_found(environment);
    assert_xnack(&devices.list[0], RA_SETTING_OFF, RA_FROM_INFERENCE, true,
                 "HSA_XNACK=1 ignored");
}
