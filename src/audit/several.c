/* several.c - what GPUs of a machine do to each other, and their settings to them. */
#include "audit/judge.h"

#include "audit/override.h"

#include "device/device.h"

/* Whether a bundle has nothing for one GPU, and something for another. */
static bool parts(const struct ra_bundle *bundle, const struct ra_device *without,
                  const struct ra_device *with, const struct ra_rocm *rocm)
{
    struct ra_choice lost = ra_judge_bundle(bundle, &without->id, rocm);
    struct ra_choice found = ra_judge_bundle(bundle, &with->id, rocm);

    return (lost.kind == RA_MISSING || lost.kind == RA_FEATURE_MISMATCH) &&
           found.kind >= RA_NATIVE && found.kind <= RA_JIT;
}

/* Whether both modes of a processor would have to share one entry. */
static bool shares(const struct ra_bundle *bundle, const struct ra_device *first,
                   const struct ra_device *second, const struct ra_rocm *rocm)
{
    struct ra_choice one = ra_judge_bundle(bundle, &first->id, rocm);
    struct ra_choice other = ra_judge_bundle(bundle, &second->id, rocm);

    return one.entry && one.entry == other.entry && one.kind == RA_NATIVE &&
           other.kind == RA_NATIVE && strcmp(bundle->container, "raw") != 0;
}

static bool any_parts(const struct ra_file *file, const struct ra_device *without,
                      const struct ra_device *with, const struct ra_rocm *rocm)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (parts(&file->bundles[i], without, with, rocm))
            return true;
    return false;
}

static bool any_shares(const struct ra_file *file, const struct ra_device *first,
                       const struct ra_device *second, const struct ra_rocm *rocm)
{
    if (strcmp(first->id.processor, second->id.processor) != 0)
        return false;
    for (size_t i = 0; i < file->bundle_count; i++)
        if (shares(&file->bundles[i], first, second, rocm))
            return true;
    return false;
}

/* What `other` does to `device` in a process that sees both. */
static enum ra_block block_of(const struct ra_file *file, const struct ra_device *device,
                              const struct ra_device *other, const struct ra_rocm *rocm)
{
    enum ra_answer goes_on = ra_rocm_can(rocm, RA_CAN_GO_ON_WITHOUT_GPU);
    bool before = other->index < device->index;

    if (goes_on != RA_YES && any_parts(file, other, device, rocm))
        return goes_on == RA_NO ? RA_BLOCK_ABORT : RA_BLOCK_MAY_ABORT;
    if (before && ra_rocm_can(rocm, RA_CAN_STOP_AT_GPU) == RA_YES &&
        any_parts(file, other, device, rocm))
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

    return override == RA_OVERRIDE_FOREIGN || override == RA_OVERRIDE_UNKNOWN ||
           override == RA_OVERRIDE_INVALID;
}

void ra_judge_machine(const struct ra_file *file, const struct ra_device *devices,
                      size_t count, const struct ra_rocm *rocm,
                      struct ra_verdict *verdicts)
{
    for (size_t i = 0; i < count; i++) {
        verdicts[i].block = RA_BLOCK_NONE;
        verdicts[i].blocked_by = i;
        if (is_spoiled(&devices[i], rocm))
            verdicts[i].block = RA_BLOCK_OVERRIDE;
        for (size_t j = 0; j < count && verdicts[i].block == RA_BLOCK_NONE; j++) {
            if (i == j || !ra_device_is_judged(&devices[i]) ||
                !ra_device_is_judged(&devices[j]))
                continue;
            verdicts[i].block = block_of(file, &devices[i], &devices[j], rocm);
            verdicts[i].blocked_by = devices[j].index;
        }
    }
}
