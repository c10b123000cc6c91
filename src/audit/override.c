#include "audit/override.h"

#include "gfx/target.h"

/*
 * Whose code the hardware decodes without a single unknown or changed instruction, by
 * LLVM's tables of both. Names are cut short where all that start so will do.
 */
static const struct {
    const char *code, *hardware;
} same_instructions[] = {
    { "gfx906", "gfx908" },   { "gfx1010", "gfx1011" }, { "gfx1010", "gfx1012" },
    { "gfx1011", "gfx1012" }, { "gfx1012", "gfx1011" }, { "gfx103", "gfx103" },
    { "gfx110", "gfx110" },   { "gfx110", "gfx115" },   { "gfx115", "gfx115" },
    { "gfx120", "gfx120" },
};

/* Processors with 1536 vector registers a lane; their siblings have 1024. */
static const char *const large_files[] = { "gfx1100", "gfx1101", "gfx1151" };

static bool starts(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

static bool is_large(const char *processor)
{
    for (size_t i = 0; i < RA_COUNT(large_files); i++)
        if (strcmp(processor, large_files[i]) == 0)
            return true;
    return false;
}

static bool has_fewer_registers(const struct ra_device *device)
{
    return starts(device->hardware.processor, "gfx11") &&
           is_large(device->id.processor) && !is_large(device->hardware.processor);
}

static bool runs_alike(const char *code, const char *hardware)
{
    for (size_t i = 0; i < RA_COUNT(same_instructions); i++)
        if (starts(code, same_instructions[i].code) &&
            starts(hardware, same_instructions[i].hardware))
            return true;
    return false;
}

static enum ra_override compare(const struct ra_device *device)
{
    const struct ra_processor *code = ra_processor_by_name(device->id.processor);
    const struct ra_processor *hardware =
        ra_processor_by_name(device->hardware.processor);

    if (has_fewer_registers(device))
        return RA_OVERRIDE_RISKY;
    if (runs_alike(device->id.processor, device->hardware.processor))
        return RA_OVERRIDE_SIBLING;
    if (hardware && *code->generic && strcmp(code->generic, hardware->generic) == 0)
        return RA_OVERRIDE_RISKY;
    return RA_OVERRIDE_FOREIGN;
}

enum ra_override ra_override_of(const struct ra_device *device,
                                const struct ra_rocm *rocm)
{
    const char *name = device->id.processor;

    if (!device->override_text)
        return RA_OVERRIDE_NONE;
    if (device->override_invalid)
        return RA_OVERRIDE_INVALID;
    if (strcmp(name, device->hardware.processor) == 0)
        return RA_OVERRIDE_NONE;
    if (!ra_processor_by_name(name) || ra_rocm_lacks(rocm, name))
        return RA_OVERRIDE_UNKNOWN;
    return compare(device);
}

const char *ra_override_risk(const struct ra_device *device)
{
    if (has_fewer_registers(device))
        return "it has 1024 vector registers where that has 1536: kernels that use more "
               "fail or hang";
    return "the two are of one family, but do not run all of each other's code";
}
