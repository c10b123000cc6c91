#include "device/device.h"
#include "gfx/target.h"

/* Add a device for `id`; what the user left out is still open in it. */
static enum ra_status add(struct ra_devices *devices, struct ra_target id,
                          struct ra_arena *arena)
{
    struct ra_device *device = &devices->list[devices->count];

    device->index = devices->count++;
    device->source = "--gpu";
    device->origin = RA_FROM_USER;
    device->id = id;
    return ra_device_complete(device, arena);
}

/* The Radeon VII has no ECC, the MI50 and MI60 have: a bare gfx906 means either. */
static enum ra_status add_both(struct ra_devices *devices, struct ra_target id,
                               struct ra_arena *arena)
{
    static const enum ra_setting kinds[] = { RA_SETTING_ON, RA_SETTING_OFF };

    for (size_t i = 0; i < RA_COUNT(kinds); i++) {
        struct ra_device *device = &devices->list[devices->count];
        enum ra_status status;

        id.sramecc = kinds[i];
        status = add(devices, id, arena);
        if (status != RA_OK)
            return status;
        device->sramecc_assumed = true;
        device->sramecc_origin = RA_FROM_ASSUMPTION;
    }
    return RA_OK;
}

enum ra_status ra_devices_named(const char *const *targets, size_t count,
                                struct ra_arena *arena, struct ra_devices *ret)
{
    *ret = (struct ra_devices){ .text = count ? "" : "no GPU was named" };
    if (count > SIZE_MAX / 2)
        return RA_E_NOMEM;
    ret->list = ra_new(arena, struct ra_device, 2 * count);
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct ra_span text = { (const uint8_t *)targets[i], strlen(targets[i]), 0 };
        struct ra_target id;
        enum ra_status status;

        if (ra_gpu_refused(targets[i]) || !ra_target_parse(text, &id))
            return RA_E_FORMAT;
        if (strcmp(id.processor, "gfx906") == 0 && id.sramecc == RA_SETTING_ANY)
            status = add_both(ret, id, arena);
        else
            status = add(ret, id, arena);
        if (status != RA_OK)
            return status;
    }
    return RA_OK;
}
