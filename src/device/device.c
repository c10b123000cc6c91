#include "device/device.h"
#include "gfx/target.h"

/* What the processor has and nobody stated is as it left the factory. */
static enum ra_setting settle(enum ra_setting setting, bool exists,
                              enum ra_setting factory, bool *assumed)
{
    if (!exists)
        return RA_SETTING_NONE;
    if (setting == RA_SETTING_ON || setting == RA_SETTING_OFF)
        return setting;
    *assumed = true;
    return factory;
}

enum ra_status ra_device_complete(struct ra_device *device, struct ra_arena *arena)
{
    const struct ra_processor *processor = ra_processor_by_name(device->id.processor);
    struct ra_target *id = &device->id;
    char target[RA_TARGET_TEXT];

    /* Boards that have ECC come with it on; xnack is an opt-in of the process. */
    id->sramecc = settle(id->sramecc, processor && processor->sramecc, RA_SETTING_ON,
                         &device->sramecc_assumed);
    id->xnack = settle(id->xnack, processor && processor->xnack, RA_SETTING_OFF,
                       &device->xnack_assumed);
    device->product = processor ? processor->products : "";
    device->arch = processor ? processor->arch : "";
    device->is_apu = device->is_apu || (processor && processor->is_apu);
    ra_target_spell(id, target);
    device->target = ra_arena_text(arena, target, strlen(target));
    return device->target ? RA_OK : RA_E_NOMEM;
}
