#include "base/text.h"
#include "device/device.h"
#include "gfx/target.h"

#include <criterion/criterion.h>

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

/* ---- what is judged ----------------------------------------------------------- */

Test(device, the_first_of_a_target_that_hip_sees_is_judged_for_all)
{
    struct ra_device list[] = {
        { .index = 0, .target = "gfx942:sramecc+:xnack-", .skipped = "hidden" },
        { .index = 1, .target = "gfx942:sramecc+:xnack-" },
        { .index = 2, .target = "gfx942:sramecc+:xnack+" },
        { .index = 3, .target = "gfx942:sramecc+:xnack-" },
        { .index = 4, .target = "gfx942:sramecc+:xnack+", .skipped = "hidden" },
        { .index = 5,
          .target = "gfx942:sramecc+:xnack+",
          .hardware_target = "gfx90a:sramecc+:xnack+" }, /* which passes for it */
    };
    static const size_t same_as[] = { 0, 1, 2, 1, 4, 5 };
    static const bool judged[] = { false, true, true, false, false, true };
    struct ra_devices devices = { .list = list, .count = RA_COUNT(list) };

    for (size_t i = 0; i < devices.count; i++)
        if (!list[i].hardware_target)
            list[i].hardware_target = list[i].target;
    ra_devices_pair(&devices);
    for (size_t i = 0; i < devices.count; i++) {
        cr_assert_eq(list[i].same_as, same_as[i], "%zu", i);
        cr_assert_eq(ra_device_is_judged(&list[i]), judged[i], "%zu", i);
    }
}
