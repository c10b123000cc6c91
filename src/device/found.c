#include "base/text.h"
#include "device/host.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* HSA_CAP_SRAM_EDCSUPPORTED of kfd_topology.h; its older place, bit 19, is always 0. */
#define CAPABILITY_SRAMECC (UINT64_C(1) << 26)

/* What the process adds to the facts of each GPU. */
struct process {
    struct ra_xnack xnack;
    enum ra_setting sramecc; /* HSA_ENABLE_SRAMECC, or NONE */
};

/* ---- devices ---------------------------------------------------------------- */

static void set_id(struct ra_device *device, const char *processor,
                   const struct ra_gpu *gpu, const struct ra_xnack *xnack)
{
    bool ecc = gpu->capability.value & CAPABILITY_SRAMECC;

    device->id =
        (struct ra_target){ .xnack = xnack->on ? RA_SETTING_ON : RA_SETTING_OFF };
    (void)snprintf(device->id.processor, sizeof(device->id.processor), "%s", processor);
    device->xnack_origin = xnack->origin;
    device->sramecc_assumed = device->xnack_assumed = false;
    device->sramecc_origin = RA_FROM_KFD;
    if (gpu->capability.exists)
        device->id.sramecc = ecc ? RA_SETTING_ON : RA_SETTING_OFF;
}

/* The GPU as it is. */
static enum ra_status describe(struct ra_device *device, const struct ra_gpu *gpu,
                               const struct process *process, struct ra_arena *arena)
{
    struct ra_xnack xnack = ra_xnack_of(&process->xnack, gpu->processor);
    enum ra_status status;

    device->source = gpu->source;
    device->origin = gpu->origin;
    device->is_apu = gpu->is_apu;
    device->skipped = gpu->skipped;
    set_id(device, gpu->processor, gpu, &xnack);
    status = ra_device_complete(device, arena);
    device->product = gpu->product ? gpu->product : device->product;
    device->xnack_assumed = device->id.xnack != RA_SETTING_NONE && xnack.assumed;
    return status;
}

/* The GPU as variables make it look; product and architecture stay what they are. */
static enum ra_status disguise(struct ra_device *device, const struct ra_gpu *gpu,
                               const struct process *process, struct ra_arena *arena)
{
    struct ra_device real = *device;
    const char *processor = gpu->override[0] ? gpu->override : gpu->processor;
    struct ra_xnack xnack = ra_xnack_of(&process->xnack, processor);
    enum ra_status status;

    device->override_text = gpu->override_text;
    device->override_invalid = gpu->override_invalid;
    if (gpu->override[0] && strcmp(gpu->override, gpu->processor) != 0)
        device->origin = RA_FROM_ENVIRONMENT;
    set_id(device, processor, gpu, &xnack);
    if (process->sramecc != RA_SETTING_NONE) {
        device->id.sramecc = process->sramecc;
        device->sramecc_origin = RA_FROM_ENVIRONMENT;
        device->sramecc_forced =
            gpu->capability.exists && (gpu->capability.value & CAPABILITY_SRAMECC
                                           ? RA_SETTING_ON
                                           : RA_SETTING_OFF) != process->sramecc;
    }
    status = ra_device_complete(device, arena);
    device->product = real.product;
    device->arch = real.arch;
    device->is_apu = real.is_apu;
    device->xnack_assumed = device->id.xnack != RA_SETTING_NONE && xnack.assumed;
    if (device->id.sramecc == RA_SETTING_NONE)
        device->sramecc_forced = false;
    return status;
}

static const char *sramecc_words(const struct ra_device *device, const struct ra_gpu *gpu)
{
    bool ecc = gpu->capability.value & CAPABILITY_SRAMECC;
    bool on = device->id.sramecc == RA_SETTING_ON;

    if (device->sramecc_origin == RA_FROM_KFD)
        return "sramecc from capability bit 26";
    if (device->sramecc_origin != RA_FROM_ENVIRONMENT)
        return "sramecc assumed";
    if (!gpu->capability.exists || ecc == on)
        return on ? "sramecc on by HSA_ENABLE_SRAMECC=1"
                  : "sramecc off by HSA_ENABLE_SRAMECC=0";
    return on ? "sramecc on by HSA_ENABLE_SRAMECC=1, against the hardware"
              : "sramecc off by HSA_ENABLE_SRAMECC=0, against the hardware";
}

static enum ra_status tell_why(struct ra_device *device, struct ra_gpu *gpu,
                               const struct process *process, struct ra_arena *arena)
{
    if (device->id.sramecc != RA_SETTING_NONE)
        ra_gpu_why(gpu, arena, sramecc_words(device, gpu));
    if (device->id.xnack != RA_SETTING_NONE)
        ra_gpu_why(gpu, arena, ra_xnack_of(&process->xnack, device->id.processor).why);
    device->why = gpu->why;
    return device->why ? RA_OK : RA_E_NOMEM;
}

static enum ra_status add_device(struct ra_gpu *gpu, const struct process *process,
                                 struct ra_arena *arena, struct ra_devices *ret)
{
    struct ra_device *device = &ret->list[ret->count];
    enum ra_status status;

    device->index = ret->count++;
    status = describe(device, gpu, process, arena);
    if (status == RA_OK && (gpu->override_text || process->sramecc != RA_SETTING_NONE))
        status = disguise(device, gpu, process, arena);
    device->rocr_index = gpu->number;
    return status == RA_OK ? tell_why(device, gpu, process, arena) : status;
}

/* Those HIP sees by their rank, then those it does not. */
static enum ra_status sort_gpus(const struct ra_gpus *gpus, struct ra_arena *arena,
                                struct ra_gpu ***ret)
{
    struct ra_gpu **order = ra_new(arena, struct ra_gpu *, gpus->count);
    size_t seen = 0;

    *ret = order;
    if (!order)
        return RA_E_NOMEM;
    for (size_t i = 0; i < gpus->count; i++) {
        if (gpus->list[i].skipped)
            continue;
        order[gpus->list[i].rank] = &gpus->list[i];
        seen++;
    }
    for (size_t i = 0; i < gpus->count; i++)
        if (gpus->list[i].skipped)
            order[seen++] = &gpus->list[i];
    return RA_OK;
}

static enum ra_status make_devices(const struct ra_gpus *gpus,
                                   const struct process *process, struct ra_arena *arena,
                                   struct ra_devices *ret)
{
    struct ra_gpu **order;
    enum ra_status status = sort_gpus(gpus, arena, &order);

    ret->list = ra_new(arena, struct ra_device, gpus->count);
    if (!ret->list)
        return RA_E_NOMEM;
    /* A hidden GPU is hidden from HIP too; one that cannot be named would be used. */
    /* Without KFD there is no runtime to judge for, whatever the code is. */
    ret->incomplete = gpus->broken > 0 || gpus->without_kfd;
    for (size_t i = 0; i < gpus->count && status == RA_OK; i++) {
        if (order[i]->processor[0])
            status = add_device(order[i], process, arena, ret);
        else if (!order[i]->skipped)
            ret->incomplete = true;
    }
    if (status == RA_OK)
        ra_devices_pair(ret);
    return status;
}

/* ---- sources ---------------------------------------------------------------- */

static enum ra_status read_sources(const struct ra_device_search *search,
                                   struct ra_arena *arena, struct ra_host *ret)
{
    enum ra_status status = ra_files_read(ret->dev, search, arena, &ret->files);

    if (status == RA_OK)
        status = ra_kfd_read(ret->root, arena, &ret->kfd);
    if (status == RA_OK)
        status = ra_discovery_read(ret->root, arena, &ret->cards);
    if (status == RA_OK)
        status = ra_pci_read(ret->root, arena, &ret->pci);
    ret->noretry = ra_noretry_read(ret->root);
    ret->has_driver = faccessat(ret->root, "module/amdgpu", F_OK, 0) == 0;
    return status;
}

static enum ra_setting sramecc_asked(const char *const *environment)
{
    const char *value = ra_variable(environment, "HSA_ENABLE_SRAMECC");

    if (!value || value[0] == '\0' || value[1] != '\0')
        return RA_SETTING_NONE;
    if (value[0] == '1')
        return RA_SETTING_ON;
    return value[0] == '0' ? RA_SETTING_OFF : RA_SETTING_NONE;
}

static enum ra_status find(const struct ra_device_search *search, struct ra_host *host,
                           struct ra_arena *arena, struct ra_devices *ret)
{
    const char *const *environment = search->environment;
    struct process process = { .sramecc = sramecc_asked(environment) };
    struct ra_gpus gpus;
    enum ra_status status = read_sources(search, arena, host);

    if (status == RA_OK)
        status = ra_gpus_gather(host, arena, &gpus);
    if (status == RA_OK)
        status = ra_override(environment, arena, &gpus);
    if (status == RA_OK)
        status = ra_visible(environment, arena, &gpus);
    if (status == RA_OK)
        status = ra_xnack_mode(host, &gpus, environment, arena, &process.xnack);
    if (status != RA_OK)
        return status;
    /* Before the GPUs tell of features. */
    ret->text = ra_host_trouble(host, &gpus, arena);
    if (!ret->text)
        return RA_E_NOMEM;
    return make_devices(&gpus, &process, arena, ret);
}

static void close_folder(int folder)
{
    if (folder >= 0)
        (void)close(folder);
}

enum ra_status ra_devices_found(const struct ra_device_search *search,
                                struct ra_arena *arena, struct ra_devices *ret)
{
    const char *sysfs = search->sysfs ? search->sysfs : "/sys";
    const char *dev = search->dev || search->sysfs ? search->dev : "/dev";
    struct ra_span bytes = { (const uint8_t *)sysfs, strlen(sysfs), 0 };
    struct ra_host host = { .shown = ra_text_escape(arena, bytes) };
    enum ra_status status;

    *ret = (struct ra_devices){ .text = "" };
    if (!host.shown)
        return RA_E_NOMEM;
    host.root = ra_sysfs_folder(AT_FDCWD, sysfs);
    host.dev = dev ? ra_sysfs_folder(AT_FDCWD, dev) : -1;
    status = find(search, &host, arena, ret);
    close_folder(host.root);
    close_folder(host.dev);
    return status;
}
