/* several.c - what GPUs of a machine do to each other, and their settings to them. */
#include "audit/judge_raw.h"

#include "audit/override.h"
#include "device/device.h"

#define GPUS_MOST 64 /* kinds of GPU that are compared: more are in no machine */

bool ra_device_is_there(const struct ra_device *device, const struct ra_rocm *rocm)
{
    enum ra_override override = ra_override_of(device, rocm);

    return !device->skipped && override != RA_OVERRIDE_UNKNOWN &&
           override != RA_OVERRIDE_INVALID && !ra_rocm_lacks(rocm, device->id.processor);
}

static bool serves(const struct ra_choice *chosen)
{
    return chosen->kind >= RA_NATIVE && chosen->kind <= RA_JIT;
}

/*
 * Whether a bundle has nothing for one GPU, and something for another. A GPU that no
 * .kpack archive is for is passed over, and does not count.
 */
static bool parts(const struct ra_bundle *bundle, const struct ra_device *without,
                  const struct ra_device *with, const struct ra_rocm *rocm)
{
    struct ra_choice lost = ra_judge_bundle(bundle, &without->id, rocm);
    struct ra_choice found = ra_judge_bundle(bundle, &with->id, rocm);

    if (bundle->kpack && !lost.passed)
        return false;
    return (lost.kind == RA_MISSING || lost.kind == RA_FEATURE_MISMATCH) &&
           serves(&found);
}

/* An archive for a GPU that lacks the code ends the load for all, whatever their order.
 */
static bool any_undoes(const struct ra_file *file, const struct ra_device *without,
                       const struct ra_device *with, const struct ra_rocm *rocm)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (file->bundles[i].kpack && parts(&file->bundles[i], without, with, rocm))
            return true;
    return false;
}

/* Whether both modes of a processor would have to share one entry. */
static bool shares(const struct ra_bundle *bundle, const struct ra_device *first,
                   const struct ra_device *second, const struct ra_rocm *rocm)
{
    struct ra_choice one = ra_judge_bundle(bundle, &first->id, rocm);
    struct ra_choice other = ra_judge_bundle(bundle, &second->id, rocm);

    return one.entry && one.entry == other.entry && one.kind == RA_NATIVE &&
           other.kind == RA_NATIVE && !ra_judge_is_raw(bundle);
}

static bool any_parts(const struct ra_file *file, const struct ra_device *without,
                      const struct ra_device *with, const struct ra_rocm *rocm)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (parts(&file->bundles[i], without, with, rocm))
            return true;
    return false;
}

/* One name is one question, however many GPUs have it; an assumed mode is no second. */
static bool any_shares(const struct ra_file *file, const struct ra_device *first,
                       const struct ra_device *second, const struct ra_rocm *rocm)
{
    if (strcmp(first->id.processor, second->id.processor) != 0 ||
        strcmp(first->target, second->target) == 0 || first->sramecc_assumed ||
        second->sramecc_assumed)
        return false;
    for (size_t i = 0; i < file->bundle_count; i++)
        if (shares(&file->bundles[i], first, second, rocm))
            return true;
    return false;
}

/* GPUs of a machine, of which those that are alike stand for each other. */
struct machine {
    const struct ra_device *list;
    size_t count;
    const struct ra_rocm *rocm;
};

/* The last of the GPUs that `device` stands for. */
static size_t last_of(const struct machine *machine, const struct ra_device *device)
{
    size_t last = device->index;

    for (size_t i = 0; i < machine->count; i++)
        if (!machine->list[i].skipped && machine->list[i].same_as == device->index)
            last = i;
    return last;
}

/* What `other` does to a process that uses `device`, or one that is like it. */
static enum ra_block block_of(const struct ra_file *file, const struct machine *machine,
                              const struct ra_device *device,
                              const struct ra_device *other)
{
    const struct ra_rocm *rocm = machine->rocm;
    enum ra_answer goes_on = ra_rocm_can(rocm, RA_CAN_GO_ON_WITHOUT_GPU);
    bool before = other->index < last_of(machine, device);

    if (goes_on != RA_YES && any_parts(file, other, device, rocm))
        return goes_on == RA_NO ? RA_BLOCK_ABORT : RA_BLOCK_MAY_ABORT;
    if (ra_rocm_can(rocm, RA_CAN_STOP_AT_GPU) == RA_YES &&
        (before ? any_parts(file, other, device, rocm)
                : any_undoes(file, other, device, rocm)))
        return RA_BLOCK_STOP;
    if (before && ra_rocm_can(rocm, RA_CAN_SERVE_ONE_MODE) == RA_YES &&
        any_shares(file, other, device, rocm))
        return RA_BLOCK_MODE;
    return RA_BLOCK_NONE;
}

/* Code is chosen for what the GPU passes for, and run on what it is; or it is not there.
 */
static bool is_spoiled(const struct ra_device *device, const struct ra_rocm *rocm)
{
    enum ra_override override = ra_override_of(device, rocm);

    return device->sramecc_forced || override == RA_OVERRIDE_FOREIGN ||
           override == RA_OVERRIDE_UNKNOWN || override == RA_OVERRIDE_INVALID;
}

static void find_block(const struct ra_file *file, const struct machine *machine,
                       const struct ra_device *device, struct ra_verdict *verdict)
{
    size_t compared = 0;

    verdict->block =
        is_spoiled(device, machine->rocm) ? RA_BLOCK_OVERRIDE : RA_BLOCK_NONE;
    verdict->blocked_by = device->index;
    if (!ra_device_is_there(device, machine->rocm))
        return;
    for (size_t i = 0; i < machine->count && verdict->block == RA_BLOCK_NONE; i++) {
        const struct ra_device *other = &machine->list[i];

        if (other == device || !ra_device_is_judged(other) ||
            !ra_device_is_there(other, machine->rocm))
            continue;
        if (compared++ == GPUS_MOST)
            return;
        verdict->block = block_of(file, machine, device, other);
        verdict->blocked_by = other->index;
    }
}

void ra_judge_machine(const struct ra_file *file, const struct ra_device *devices,
                      size_t count, const struct ra_rocm *rocm,
                      struct ra_verdict *verdicts)
{
    struct machine machine = { devices, count, rocm };

    for (size_t i = 0; i < count; i++)
        if (ra_device_is_judged(&devices[i]))
            find_block(file, &machine, &devices[i], &verdicts[i]);
}
