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

/* Add a device for each board that a target can mean. */
static enum ra_status add_all(struct ra_devices *devices, const struct ra_target *id,
                              struct ra_arena *arena)
{
    struct ra_target meanings[2];
    size_t count = ra_device_meanings(id, meanings);
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < count; i++) {
        struct ra_device *device = &devices->list[devices->count];

        status = add(devices, meanings[i], arena);
        if (count > 1)
            ra_device_guessed(device);
    }
    return status;
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
        status = add_all(ret, &id, arena);
        if (status != RA_OK)
            return status;
    }
    return RA_OK;
}
