#include "audit/judged.h"

/*
 * An APU that stands behind a discrete GPU is seldom meant; but a release that ends the
 * process for it does not care what was meant. Of a list of targets each is meant.
 *
 * @param verdicts  of a file, which has to serve the discrete GPU; NULL: no file is meant
 */
static bool is_behind(const struct ra_machine *machine, bool all_gpus,
                      const struct ra_verdict *verdicts, size_t at)
{
    const struct ra_device *list = machine->devices.list;

    if (all_gpus || !machine->is_one || !list[at].is_apu ||
        ra_rocm_can(&machine->rocm, RA_CAN_GO_ON_WITHOUT_GPU) != RA_YES)
        return false;
    for (size_t i = 0; i < at; i++)
        if (ra_device_is_judged(&list[i]) && !list[i].is_apu &&
            ra_device_is_there(&list[i], &machine->rocm) &&
            (!verdicts || ra_verdict_serves(&verdicts[i])))
            return true;
    return false;
}

/* Of all devices, those that are judged. */
static size_t keep_judged(const struct ra_devices *devices, struct ra_verdict *verdicts)
{
    size_t count = 0;

    for (size_t i = 0; i < devices->count; i++)
        if (ra_device_is_judged(&devices->list[i]))
            verdicts[count++] = verdicts[i];
    return count;
}

static enum ra_status apply_rules(const struct ra_judging *judging,
                                  struct ra_verdict *verdicts)
{
    const struct ra_devices *devices = &judging->machine->devices;
    enum ra_status status = RA_OK;
    bool first = true;

    for (size_t i = 0; status == RA_OK && i < devices->count; i++) {
        struct ra_case subject = { .file = judging->file,
                                   .verdict = &verdicts[i],
                                   .device = &devices->list[i],
                                   .devices = devices->list,
                                   .verdicts = verdicts,
                                   .device_count = devices->count,
                                   .one_machine = judging->machine->is_one,
                                   .rocm = &judging->machine->rocm,
                                   .cpu = judging->machine->cpu,
                                   .gate = judging->machine->gate,
                                   .packages = judging->packages,
                                   .first = first };

        if (!ra_device_is_judged(subject.device))
            continue;
        first = false;
        subject.behind = is_behind(judging->machine, judging->all_gpus, verdicts, i);
        status = ra_rules_apply(&subject, judging->findings);
        if (subject.behind && verdicts[i].severity == RA_ERROR)
            verdicts[i].severity = RA_WARNING;
    }
    return status;
}

static enum ra_status judge_on(const struct ra_judging *judging,
                               const struct ra_device *device, struct ra_verdict *ret)
{
    const struct ra_machine *machine = judging->machine;
    enum ra_status status =
        ra_judge_file(judging->file, device, &machine->rocm, judging->arena, ret);

    if (status == RA_OK && machine->gate)
        ra_gate_weigh(machine->gate, judging->file, device, &machine->rocm, ret);
    if (status == RA_OK && machine->runtime.assumed)
        status = ra_judge_needs(judging->file, device, machine->rocm.compat,
                                judging->arena, ret);
    return status;
}

enum ra_status ra_judge_all(const struct ra_judging *judging)
{
    const struct ra_machine *machine = judging->machine;
    const struct ra_devices *devices = &machine->devices;
    struct ra_file *file = judging->file;
    struct ra_verdict *verdicts =
        ra_new(judging->arena, struct ra_verdict, devices->count);
    enum ra_status status = verdicts ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < devices->count; i++)
        if (ra_device_is_judged(&devices->list[i]))
            status = judge_on(judging, &devices->list[i], &verdicts[i]);
    if (status != RA_OK)
        return status;
    if (machine->is_one)
        ra_judge_machine(file, devices->list, devices->count, &machine->rocm, verdicts);
    if (machine->cpu > 0 && file->host_isa > machine->cpu)
        for (size_t i = 0; i < devices->count; i++)
            verdicts[i].block = RA_BLOCK_CPU;
    if (file->layout.misplaced || file->layout.undefined_count > 0)
        for (size_t i = 0; i < devices->count; i++)
            verdicts[i].block = RA_BLOCK_LOADER;
    status = apply_rules(judging, verdicts);
    file->verdicts = verdicts;
    file->verdict_count = keep_judged(devices, verdicts);
    return status;
}

enum ra_status ra_judge_devices(const struct ra_machine *machine, bool all_gpus,
                                struct ra_findings *findings)
{
    const struct ra_devices *devices = &machine->devices;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < devices->count; i++) {
        struct ra_case subject = { .device = &devices->list[i],
                                   .devices = devices->list,
                                   .device_count = devices->count,
                                   .one_machine = machine->is_one,
                                   .rocm = &machine->rocm,
                                   .behind = is_behind(machine, all_gpus, NULL, i) };

        if (ra_device_is_judged(subject.device))
            status = ra_rules_apply(&subject, findings);
    }
    return status;
}
