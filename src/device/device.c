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

/* Where a setting is from: what the caller told, unless nothing was there to tell. */
static enum ra_origin settled_by(enum ra_setting setting, bool assumed,
                                 enum ra_origin told, enum ra_origin device)
{
    if (setting == RA_SETTING_NONE)
        return RA_FROM_NOWHERE;
    if (assumed)
        return RA_FROM_ASSUMPTION;
    return told == RA_FROM_NOWHERE ? device : told;
}

static const char *spell(const struct ra_target *target, struct ra_arena *arena)
{
    char text[RA_TARGET_TEXT];

    ra_target_spell(target, text);
    return ra_arena_text(arena, text, strlen(text));
}

enum ra_status ra_device_complete(struct ra_device *device, struct ra_arena *arena)
{
    const struct ra_processor *processor = ra_processor_by_name(device->id.processor);
    struct ra_target *id = &device->id;

    /* Boards that have ECC come with it on; xnack is an opt-in of the process. */
    id->sramecc = settle(id->sramecc, processor && processor->sramecc, RA_SETTING_ON,
                         &device->sramecc_assumed);
    id->xnack = settle(id->xnack, processor && processor->xnack, RA_SETTING_OFF,
                       &device->xnack_assumed);
    device->sramecc_origin = settled_by(id->sramecc, device->sramecc_assumed,
                                        device->sramecc_origin, device->origin);
    device->xnack_origin = settled_by(id->xnack, device->xnack_assumed,
                                      device->xnack_origin, device->origin);
    device->product = processor ? processor->products : "";
    device->arch = processor ? processor->arch : "";
    device->is_apu = device->is_apu || (processor && processor->is_apu);
    device->why = device->why ? device->why : "";
    device->same_as = device->rocr_index = device->index;
    device->target = spell(id, arena);
    if (!device->hardware.processor[0])
        device->hardware = *id;
    device->hardware_target = spell(&device->hardware, arena);
    return device->target && device->hardware_target ? RA_OK : RA_E_NOMEM;
}

size_t ra_device_meanings(const struct ra_target *id, struct ra_target ret[2])
{
    ret[0] = ret[1] = *id;
    if (strcmp(id->processor, "gfx906") != 0 || id->sramecc != RA_SETTING_ANY)
        return 1;
    ret[0].sramecc = RA_SETTING_ON;
    ret[1].sramecc = RA_SETTING_OFF;
    return 2;
}

void ra_device_guessed(struct ra_device *device)
{
    device->sramecc_assumed = true;
    device->sramecc_origin = RA_FROM_ASSUMPTION;
}

bool ra_device_is_judged(const struct ra_device *device)
{
    return !device->skipped && device->same_as == device->index;
}

/* An override can make one GPU pass for what another is: those two are not alike. */
static bool are_alike(const struct ra_device *left, const struct ra_device *right)
{
    return strcmp(left->target, right->target) == 0 &&
           strcmp(left->hardware_target, right->hardware_target) == 0;
}

void ra_devices_pair(struct ra_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        struct ra_device *device = &devices->list[i];

        device->same_as = i;
        for (size_t j = i; !device->skipped && j-- > 0;)
            if (ra_device_is_judged(&devices->list[j]) &&
                are_alike(&devices->list[j], device))
                device->same_as = j;
    }
}

const char *ra_origin_name(enum ra_origin origin)
{
    static const char *const names[] = {
        [RA_FROM_NOWHERE] = "none",
        [RA_FROM_USER] = "user",
        [RA_FROM_KFD] = "kfd",
        [RA_FROM_DISCOVERY] = "ip-discovery",
        [RA_FROM_PCI] = "pci",
        [RA_FROM_IOCTL] = "ioctl",
        [RA_FROM_ENVIRONMENT] = "environment",
        [RA_FROM_INFERENCE] = "inferred",
        [RA_FROM_ASSUMPTION] = "assumed",
    };

    return names[origin];
}
