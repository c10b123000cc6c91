/* rules_machine.c - rules of GPUs, of their settings, and of the machine. */
#include "audit/rule.h"

#include "audit/override.h"
#include "device/device.h"
#include "gfx/target.h"

/* ---- several GPUs ----------------------------------------------------------- */

/* ROCr's numbers of the GPUs that a file serves. */
static void say_covered(struct ra_text *text, const struct ra_case *subject)
{
    const char *gap = "ROCR_VISIBLE_DEVICES=";

    for (size_t i = 0; i < subject->device_count; i++) {
        const struct ra_device *device = &subject->devices[i];

        if (device->skipped || !ra_verdict_serves(&subject->verdicts[device->same_as]))
            continue;
        ra_text_printf(text, "%s%zu", gap, device->rocr_index);
        gap = ",";
    }
    for (size_t i = 0; i < subject->device_count; i++)
        if (subject->devices[i].rocr_index != i || subject->devices[i].skipped) {
            ra_text_str(text, ", and no HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES");
            return;
        }
}

/* What another GPU does; NULL if it is none of another's doing. */
static const char *blocked_how(enum ra_block block)
{
    static const char *const texts[RA_BLOCK_LOADER + 1] = {
        [RA_BLOCK_STOP] = "is not covered and comes first: HIP stops there, and gives "
                          "no code to the GPUs after it",
        [RA_BLOCK_MODE] = "comes first and has the one entry that both modes of the "
                          "processor would need",
        [RA_BLOCK_MAY_ABORT] = "is not covered, and some releases of ROCm 5 then end the "
                               "process",
        [RA_BLOCK_ABORT] = "is not covered, and releases as old then end the process",
    };

    return texts[block];
}

enum ra_status ra_rule_blocked_by_gpu(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_verdict *verdict = subject->verdict;
    const struct ra_device *other;

    says->applies = verdict->block != RA_BLOCK_NONE && blocked_how(verdict->block) &&
                    (verdict->kind < RA_PARTIAL ||
                     (verdict->kind == RA_PARTIAL && verdict->on_purpose));
    if (!says->applies)
        return RA_OK;
    other = &subject->devices[verdict->blocked_by];
    if (verdict->block == RA_BLOCK_MAY_ABORT)
        says->severity = RA_WARNING;
    ra_text_printf(&says->message, "%s is covered, but GPU %zu (%s) %s",
                   subject->device->target, other->index, other->target,
                   blocked_how(verdict->block));
    ra_says_fault(says, subject, RA_FAULT_NO_MATCH);
    if (verdict->block == RA_BLOCK_MODE)
        ra_text_printf(&says->advice,
                       "rebuild for both modes: --offload-arch=%s --offload-arch=%s",
                       other->target, subject->device->target);
    else
        say_covered(&says->advice, subject);
    return RA_OK;
}

/* ---- HSA_OVERRIDE_GFX_VERSION ----------------------------------------------- */

enum ra_status ra_rule_override_hazard(const struct ra_case *subject,
                                       struct ra_says *says)
{
    const struct ra_device *device = subject->device;
    enum ra_override override = ra_override_of(device, subject->rocm);

    says->applies = override == RA_OVERRIDE_FOREIGN || override == RA_OVERRIDE_RISKY;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%s makes %s pass for %s", device->override_text,
                   device->hardware_target, device->id.processor);
    if (override == RA_OVERRIDE_RISKY) {
        says->severity = RA_WARNING;
        ra_text_printf(&says->message, ": %s", ra_override_risk(device));
        says->predicted = "HSA_STATUS_ERROR_INVALID_ISA (0x100f), or a hang, at kernels "
                          "that need what is not there";
    } else {
        ra_text_str(&says->message, ", of another family: it cannot run that code");
        says->predicted = "Memory access fault by GPU node-N on address (nil). Reason: "
                          "Unknown; or HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, or wrong "
                          "results";
    }
    ra_say_unset(&says->advice, device);
    return RA_OK;
}

enum ra_status ra_rule_override_invalid(const struct ra_case *subject,
                                        struct ra_says *says)
{
    const struct ra_device *device = subject->device;
    enum ra_override override = ra_override_of(device, subject->rocm);

    says->applies = override == RA_OVERRIDE_INVALID || override == RA_OVERRIDE_UNKNOWN;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%s ", device->override_text);
    if (override == RA_OVERRIDE_INVALID)
        ra_text_str(&says->message, "is no MAJOR.MINOR.STEPPING");
    else
        ra_text_printf(&says->message, "names %s, which ROCm does not know",
                       device->id.processor);
    ra_text_printf(&says->message, ": %s will not be there", device->hardware_target);
    ra_says_fault(says, subject, RA_FAULT_NO_GPU);
    ra_say_unset(&says->advice, device);
    return RA_OK;
}

/* The file as it would be judged, did nothing override what the GPU is. */
static enum ra_status judge_hardware(const struct ra_case *subject,
                                     struct ra_verdict *ret)
{
    struct ra_device hardware = *subject->device;
    struct ra_arena scratch = { 0 };
    enum ra_status status;

    hardware.id = hardware.hardware;
    hardware.sramecc_assumed = hardware.xnack_assumed = false;
    status = ra_judge_file(subject->file, &hardware, subject->rocm, &scratch, ret);
    ra_arena_free(&scratch);
    return status;
}

enum ra_status ra_rule_override_needed(const struct ra_case *subject,
                                       struct ra_says *says)
{
    const struct ra_device *device = subject->device;
    enum ra_override override = ra_override_of(device, subject->rocm);
    struct ra_verdict plain;
    enum ra_status status;

    if ((override != RA_OVERRIDE_SIBLING && override != RA_OVERRIDE_RISKY) ||
        !ra_verdict_serves(subject->verdict))
        return RA_OK;
    status = judge_hardware(subject, &plain);
    says->applies = status == RA_OK && plain.kind >= RA_PARTIAL;
    if (!says->applies)
        return status;
    ra_text_printf(&says->message, "runs on %s only because of %s",
                   device->hardware_target, device->override_text);
    ra_text_printf(&says->advice, "a build for %s itself", device->hardware.processor);
    return RA_OK;
}

enum ra_status ra_rule_sramecc_forced(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_device *device = subject->device;
    bool on = device->id.sramecc == RA_SETTING_ON;

    says->applies = device->sramecc_forced;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message,
                   "HSA_ENABLE_SRAMECC=%d picks code for %s, and the memory is %s ECC",
                   on, device->target, on ? "without" : "with");
    says->predicted = "no error: instructions that write half a register leave the other "
                      "half wrong";
    ra_text_str(&says->advice, "unset HSA_ENABLE_SRAMECC");
    return RA_OK;
}

/* ---- the host CPU ----------------------------------------------------------- */

enum ra_status ra_rule_host_cpu(const struct ra_case *subject, struct ra_says *says)
{
    unsigned needed = subject->file->host_isa;

    says->applies = subject->first && subject->cpu > 0 && needed > subject->cpu;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message,
                   "the host code is built for x86-64-v%u and the CPU is x86-64-v%u",
                   needed, subject->cpu);
    says->predicted =
        "Illegal instruction (SIGILL, exit 132) on the CPU, not the GPU, at "
        "import or soon after";
    ra_text_printf(&says->advice,
                   "use a build for x86-64-v%u, or a machine with a newer CPU",
                   subject->cpu);
    return RA_OK;
}
