#include "device/device.h"
#include "gfx/target.h"

/* Whose targets they are, and which will do. */
struct wish {
    const char *source;
    const char *(*refused)(const char *text);
};

/* Add a device for `id`; what the user left out is still open in it. */
static enum ra_status add(struct ra_devices *devices, struct ra_target id,
                          const char *source, struct ra_arena *arena)
{
    struct ra_device *device = &devices->list[devices->count];

    device->index = devices->count++;
    device->source = source;
    device->origin = RA_FROM_USER;
    device->id = id;
    return ra_device_complete(device, arena);
}

/* Add a device for each board that a target can mean. */
static enum ra_status add_all(struct ra_devices *devices, const struct ra_target *id,
                              const char *source, struct ra_arena *arena)
{
    struct ra_target meanings[2];
    size_t count = ra_device_meanings(id, meanings);
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < count; i++) {
        struct ra_device *device = &devices->list[devices->count];

        status = add(devices, meanings[i], source, arena);
        if (count > 1)
            ra_device_guessed(device);
    }
    return status;
}

static enum ra_status name_all(const struct wish *wish, const char *const *targets,
                               size_t count, struct ra_arena *arena,
                               struct ra_devices *ret)
{
    if (count > SIZE_MAX / 2)
        return RA_E_NOMEM;
    ret->list = ra_new(arena, struct ra_device, 2 * count);
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct ra_span text = { (const uint8_t *)targets[i], strlen(targets[i]), 0 };
        struct ra_target id;
        enum ra_status status;

        if (wish->refused(targets[i]) || !ra_target_parse(text, &id))
            return RA_E_FORMAT;
        status = add_all(ret, &id, wish->source, arena);
        if (status != RA_OK)
            return status;
    }
    return RA_OK;
}

enum ra_status ra_devices_named(const char *const *targets, size_t count,
                                struct ra_arena *arena, struct ra_devices *ret)
{
    static const struct wish gpus = { "--gpu", ra_gpu_refused };

    *ret = (struct ra_devices){ .text = count ? "" : "no GPU was named" };
    return name_all(&gpus, targets, count, arena, ret);
}

/* ---- what is required ------------------------------------------------------- */

static bool is_stated(enum ra_setting setting)
{
    return setting == RA_SETTING_ON || setting == RA_SETTING_OFF;
}

const char *ra_required_refused(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };
    const struct ra_processor *processor;
    struct ra_target target;

    if (!ra_target_parse(span, &target))
        return ra_gpu_refused(text);
    processor = ra_processor_by_name(target.processor);
    if (!processor || !processor->is_generic)
        return ra_gpu_refused(text);
    if (is_stated(target.xnack) && !processor->xnack)
        return "states xnack, which cannot be chosen on this target";
    if (is_stated(target.sramecc) && !processor->sramecc)
        return "states sramecc, which cannot be chosen on this target";
    return NULL;
}

enum ra_status ra_devices_required(const char *const *targets, size_t count,
                                   struct ra_arena *arena, struct ra_devices *ret)
{
    static const struct wish required = { "--require", ra_required_refused };

    *ret = (struct ra_devices){ .text = count ? "" : "no target is required" };
    return name_all(&required, targets, count, arena, ret);
}
