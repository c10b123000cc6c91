/* rules_code.c - rules of the device code in a file. */
#include "audit/judge_raw.h"
#include "audit/rule.h"

#include "gfx/target.h"

#include <inttypes.h>

static size_t index_of(const struct ra_case *subject, const struct ra_bundle *bundle)
{
    return (size_t)(bundle - subject->file->bundles);
}

static bool is_raw(const struct ra_case *subject)
{
    return subject->file->bundle_count > 0 && ra_judge_is_raw(&subject->file->bundles[0]);
}

/* ---- is there code? --------------------------------------------------------- */

static bool has_entry(const struct ra_file *file, const char *processor)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++)
            if (file->bundles[i].entries[j].size > 0 &&
                strcmp(file->bundles[i].entries[j].label.processor, processor) == 0)
                return true;
    return false;
}

/* What an entry is for: by its ID, or by its code if the ID does not say it. */
static const char *processor_of(const struct ra_entry *entry)
{
    return *entry->label.processor ? entry->label.processor
                                   : entry->code.target.processor;
}

/* An entry for the GPU whose ID is spelled so that no later runtime finds it. */
static void say_unmatched(struct ra_text *text, const struct ra_case *subject)
{
    for (size_t i = 0; i < subject->file->bundle_count; i++)
        for (size_t j = 0; j < subject->file->bundles[i].entry_count; j++) {
            const struct ra_bundle *bundle = &subject->file->bundles[i];
            const struct ra_entry *entry = &bundle->entries[j];

            if (entry->size == 0 || ra_judge_is_matched(bundle, entry) ||
                strcmp(processor_of(entry), subject->device->id.processor) != 0)
                continue;
            ra_text_printf(text, "; but ROCm 6 and later do not match the ID %s",
                           entry->id);
            return;
        }
}

/* What is in the file and would do, were the release not too old for it. */
static void say_unused(struct ra_text *text, const struct ra_case *subject)
{
    struct ra_target generic;
    char release[RA_ROCM_TEXT];

    ra_rocm_name(subject->rocm->release, release);
    if (ra_rocm_can(subject->rocm, RA_CAN_LOAD_GENERIC) == RA_NO &&
        ra_target_generic(&subject->device->id, &generic) &&
        has_entry(subject->file, generic.processor))
        ra_text_printf(text, "; %s would do, but not for %s (6.4 or later)",
                       generic.processor, release);
    if (ra_rocm_can(subject->rocm, RA_CAN_COMPILE_SPIRV) == RA_NO &&
        has_entry(subject->file, "amdgcnspirv"))
        ra_text_printf(text, "; SPIR-V would do, but not for %s (6.4 or later)", release);
    say_unmatched(text, subject);
}

/* A GPU that an override drops is told of once, by the rule of overrides. */
static bool is_dropped(const struct ra_case *subject)
{
    return subject->device->override_text &&
           !ra_rocm_lacks(subject->rocm, subject->device->hardware.processor) &&
           !ra_device_is_there(subject->device, subject->rocm);
}

enum ra_status ra_rule_missing_target(const struct ra_case *subject, struct ra_says *says)
{
    char release[RA_ROCM_TEXT];

    says->applies = subject->verdict->kind == RA_MISSING && !is_dropped(subject) &&
                    !ra_case_is_split(subject);
    if (!says->applies)
        return RA_OK;
    ra_say_coverage(&says->message, subject);
    ra_text_str(&says->message, "; the file has");
    ra_say_targets(&says->message, subject->file);
    say_unused(&says->message, subject);
    if (ra_rocm_lacks(subject->rocm, subject->device->id.processor)) {
        ra_rocm_name(subject->rocm->release, release);
        ra_text_printf(&says->message, "; and %s does not know %s", release,
                       subject->device->id.processor);
        ra_says_fault(says, subject, RA_FAULT_NO_GPU);
        ra_text_printf(&says->advice, "use a release of ROCm that knows %s, and ",
                       subject->device->id.processor);
    } else {
        ra_says_fault(says, subject, is_raw(subject) ? RA_FAULT_RAW : RA_FAULT_NO_MATCH);
    }
    if (subject->verdict->on_purpose) {
        says->severity = RA_WARNING;
        ra_text_printf(&says->message, "; meant so: %s", subject->verdict->on_purpose);
    }
    if (!ra_say_device_package(says, subject))
        ra_say_rebuild(&says->advice, subject);
    return RA_OK;
}

/* Some GPUs can be switched per process: gfx90a, gfx942 and gfx950. */
static bool can_switch_xnack(const char *processor)
{
    return strcmp(processor, "gfx90a") == 0 || strcmp(processor, "gfx942") == 0 ||
           strcmp(processor, "gfx950") == 0;
}

/* The driver gives one mode to all GPUs it shows a process, and RDNA has none. */
static bool has_rdna(const struct ra_case *subject)
{
    for (size_t i = 0; subject->one_machine && i < subject->device_count; i++)
        if (strncmp(subject->devices[i].arch, "RDNA", 4) == 0)
            return true;
    return false;
}

/* The mode that would select the code, if the process can be switched to it. */
static void say_xnack(struct ra_text *text, const struct ra_case *subject, bool on)
{
    if (subject->device->xnack_origin == RA_FROM_ENVIRONMENT && !on)
        ra_text_str(text, "unset HSA_XNACK, which selects the other mode; or ");
    else if (can_switch_xnack(subject->device->id.processor) && !has_rdna(subject))
        ra_text_printf(text, "HSA_XNACK=%d selects this code; or ", on);
}

static const struct ra_target *target_of(const struct ra_entry *entry)
{
    return entry->kind == RA_ENTRY_RAW ? &entry->code.target : &entry->label;
}

/* How to get at code that is there for the other mode, or have it for both. */
static void say_other_mode(struct ra_text *text, const struct ra_case *subject,
                           const struct ra_choice *chosen)
{
    const struct ra_target *code = target_of(chosen->entry);
    const struct ra_target *device = &subject->device->id;

    if (!ra_setting_accepts(code->xnack, device->xnack) &&
        ra_setting_accepts(code->sramecc, device->sramecc))
        say_xnack(text, subject, code->xnack == RA_SETTING_ON);
    ra_text_printf(text,
                   "rebuild without the feature, for code that runs in both modes: "
                   "--offload-arch=%s",
                   device->processor);
}

enum ra_status ra_rule_feature_mismatch(const struct ra_case *subject,
                                        struct ra_says *says)
{
    const struct ra_target *device = &subject->device->id, *code;
    struct ra_choice chosen;

    says->applies = subject->verdict->kind == RA_FEATURE_MISMATCH &&
                    ra_case_first(subject, RA_FEATURE_MISMATCH, &chosen);
    if (!says->applies)
        return RA_OK;
    code = target_of(chosen.entry);
    ra_say_coverage(&says->message, subject);
    ra_text_printf(&says->message, " in the mode of %s; the file has",
                   subject->device->target);
    ra_say_targets(&says->message, subject->file);
    if (ra_target_features_accept(code, device))
        ra_text_printf(&says->message,
                       "; but HIP now asks for %s without a mode, which code that states "
                       "one does not match",
                       device->processor);
    ra_says_fault(says, subject,
                  is_raw(subject)             ? RA_FAULT_RAW
                  : ra_case_is_split(subject) ? RA_FAULT_KPACK_ARCHIVE
                                              : RA_FAULT_NO_MATCH);
    say_other_mode(&says->advice, subject, &chosen);
    return RA_OK;
}

/* "; bundle 1 does not (2 kernels: k_a, ...)", and in which mode it has the GPU's code.
 */
static void say_hole(struct ra_text *text, const struct ra_case *subject,
                     const struct ra_bundle *bundle, const struct ra_choice *chosen)
{
    size_t kernels = bundle->kernel_name_count;

    ra_text_printf(text, "; bundle %zu does not", index_of(subject, bundle));
    if (kernels > 0)
        ra_text_printf(text, " (%zu kernel%s: %s%s)", kernels, kernels == 1 ? "" : "s",
                       bundle->kernel_names[0], kernels > 1 ? ", ..." : "");
    if (chosen->kind == RA_FEATURE_MISMATCH)
        ra_text_printf(text, ", it has %s", chosen->entry->target);
}

/* Whether a bundle fails that a file with code in archives has in itself. */
static bool fails_itself(const struct ra_case *subject)
{
    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        const struct ra_bundle *bundle = &subject->file->bundles[i];

        if (!bundle->kpack && ra_case_choice(subject, bundle).kind > RA_UNDECIDED)
            return true;
    }
    return false;
}

enum ra_status ra_rule_partial_coverage(const struct ra_case *subject,
                                        struct ra_says *says)
{
    struct ra_choice chosen;
    const struct ra_bundle *bundle;

    says->applies = subject->verdict->kind == RA_PARTIAL &&
                    (!ra_case_is_split(subject) || fails_itself(subject));
    if (!says->applies)
        return RA_OK;
    says->severity = subject->verdict->severity;
    ra_say_coverage(&says->message, subject);
    bundle = ra_case_first(subject, RA_MISSING, &chosen);
    if (!bundle)
        bundle = ra_case_first(subject, RA_FEATURE_MISMATCH, &chosen);
    if (bundle)
        say_hole(&says->message, subject, bundle, &chosen);
    if (subject->verdict->on_purpose)
        ra_text_printf(&says->message, "; meant so: %s", subject->verdict->on_purpose);
    ra_says_fault(says, subject, RA_FAULT_NO_MATCH);
    if (chosen.kind == RA_FEATURE_MISMATCH)
        say_other_mode(&says->advice, subject, &chosen);
    else
        ra_say_rebuild(&says->advice, subject);
    return RA_OK;
}

static const char *const refusals[RA_REFUSALS] = {
    [RA_NOT_CODE] = "it is no AMDGPU code object",
    [RA_NOT_HSA] = "it is for another system than ROCm",
    [RA_NOT_LINKED] = "it was never linked",
    [RA_NO_METADATA] = "it has no metadata note",
    [RA_OTHER_TARGET] = "its e_flags name another target",
    [RA_OTHER_FEATURE] = "its e_flags fix xnack or sramecc the other way",
    [RA_CONTRADICTION] = "its e_flags and its metadata name different targets",
    [RA_ODD_DESCRIPTOR] = "its kernel descriptors are for another processor",
    [RA_NO_GENERIC] = "it is for a generic target without a generic version",
    [RA_WRAPPED] = "its compressed bundle is over 4 GiB and of version 2, whose sizes "
                   "have wrapped",
    [RA_NO_SUCH_ISA] = "its e_flags fix a feature that the processor does not have",
    [RA_TOO_NEW] = "it is too new",
    [RA_CONTAINER] = "the bundle cannot be read",
    [RA_NOT_KNOWN_ISA] = "that release does not know the processor",
    [RA_EMPTY_CHOSEN] = "the entry is chosen though it has no bytes",
};

/* What to do where a release lacks an ability, instead of using a newer one. */
static const char *const ways_round[RA_ABILITIES] = {
    [RA_CAN_LOAD_V5] = "rebuild with -mcode-object-version=4",
    [RA_CAN_LOAD_V6] = "rebuild with -mcode-object-version=5",
    [RA_CAN_LOAD_GENERIC] = "rebuild for the GPU itself",
    [RA_CAN_READ_CCOB1] = "rebuild with a newer compiler, or without --offload-compress",
    [RA_CAN_READ_CCOB2] = "rebuild without --offload-compress",
    [RA_CAN_READ_CCOB3] =
        "rebuild with COMPRESSED_BUNDLE_FORMAT_VERSION=2 in the environment",
    [RA_CAN_READ_LARGE_CCOB] = "rebuild for fewer targets, or without --offload-compress",
    [RA_CAN_READ_KPACK] = "install a build without .kpack archives",
    [RA_CAN_CUT_TABLE] =
        "rebuild for fewer targets: the entry table has to fit 4096 bytes",
    [RA_CAN_FORGIVE_GFX1250_XNACK] = "rebuild with a compiler that leaves the flag out",
};

/* "ROCm 6.2 cannot load code object version 6 (6.3 or later can)" */
static void say_lacking(struct ra_text *text, const struct ra_case *subject,
                        enum ra_ability ability)
{
    char release[RA_ROCM_TEXT], since[RA_ROCM_TEXT];

    ra_rocm_name(subject->rocm->release, release);
    ra_rocm_spell(ra_ability_since(ability), since);
    if (ability == RA_CAN_CUT_TABLE)
        ra_text_str(text, ": its entry table is longer than the 4096 bytes HIP looks at");
    else if (subject->rocm->release == RA_ROCM_NEWEST)
        ra_text_printf(text, ": no known ROCm can %s", ra_ability_text(ability));
    else if (ra_ability_since(ability) == 0)
        ra_text_printf(text, ": %s cannot %s", release, ra_ability_text(ability));
    else
        ra_text_printf(text, ": %s cannot %s (%s or later can)", release,
                       ra_ability_text(ability), since);
}

static void advise(struct ra_text *text, const struct ra_case *subject,
                   const struct ra_choice *chosen)
{
    unsigned since = ra_ability_since(chosen->ability);
    char release[RA_ROCM_TEXT];

    ra_rocm_spell(since, release);
    if (chosen->refusal == RA_NOT_KNOWN_ISA)
        ra_text_printf(text, "use a release of ROCm that knows %s",
                       subject->device->id.processor);
    else if (chosen->refusal == RA_NOT_HSA)
        ra_text_str(text, "build it for ROCm: the target is amdgcn-amd-amdhsa");
    else if (chosen->ability == RA_CAN_NOTHING)
        ra_text_printf(text,
                       "rebuild it from a clean build folder with --offload-arch=%s",
                       subject->device->id.processor);
    else if (since > subject->rocm->release)
        ra_text_printf(text, "use ROCm %s or later, or %s", release,
                       ways_round[chosen->ability]);
    else
        ra_text_str(text, ways_round[chosen->ability]);
}

/* ROCr takes what e_flags allow; the code in it is still for something else. */
static bool is_taken_anyway(enum ra_refusal refusal)
{
    return refusal == RA_CONTRADICTION || refusal == RA_ODD_DESCRIPTOR;
}

enum ra_status ra_rule_unloadable(const struct ra_case *subject, struct ra_says *says)
{
    struct ra_choice chosen;
    const struct ra_bundle *bundle;

    says->applies = subject->verdict->kind == RA_UNLOADABLE;
    bundle = says->applies ? ra_case_first(subject, RA_UNLOADABLE, &chosen) : NULL;
    if (!bundle)
        return RA_OK;
    ra_text_printf(&says->message, "bundle %zu", index_of(subject, bundle));
    if (chosen.entry && *chosen.entry->target)
        ra_text_printf(&says->message, ", labelled %s", chosen.entry->target);
    ra_text_printf(&says->message, ", cannot be loaded: %s", refusals[chosen.refusal]);
    if (chosen.ability != RA_CAN_NOTHING)
        say_lacking(&says->message, subject, chosen.ability);
    else if (chosen.entry && *chosen.entry->elf_target)
        ra_text_printf(&says->message, " (e_flags: %s)", chosen.entry->elf_target);
    ra_says_fault(says, subject,
                  ra_rocm_lacks(subject->rocm, subject->device->id.processor)
                      ? RA_FAULT_NO_GPU
                      : ra_judge_fault(bundle, &chosen));
    if (is_taken_anyway(chosen.refusal)) {
        says->consequence = "illegal-instruction";
        says->predicted = "it is loaded; then wrong results, a memory access fault, or "
                          "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION";
    }
    advise(&says->advice, subject, &chosen);
    return RA_OK;
}

/* Absent kernels and stubs, over all bundles that serve the device. */
struct absence {
    struct ra_absent sum;
    size_t bundles; /* that lack some */
    const char *first;
};

static enum ra_status absence(const struct ra_case *subject, bool stubs,
                              struct absence *ret)
{
    enum ra_status status = RA_OK;

    *ret = (struct absence){ 0 };
    for (size_t i = 0; status == RA_OK && i < subject->file->bundle_count; i++) {
        const struct ra_bundle *bundle = &subject->file->bundles[i];
        struct ra_choice chosen = ra_case_choice(subject, bundle);
        struct ra_arena scratch = { 0 };
        struct ra_absent absent = { 0 };
        uint64_t count;

        if (chosen.kind == RA_NATIVE || chosen.kind == RA_GENERIC)
            status = ra_judge_kernels(bundle, &chosen, &scratch, &absent);
        ra_arena_free(&scratch);
        absent.absent -= absent.meant_absent;
        absent.stubs -= absent.meant_stubs;
        ret->sum.absent += absent.absent;
        ret->sum.stubs += absent.stubs;
        count = stubs ? absent.stubs : absent.absent;
        ret->bundles += count > 0;
        if (count > 0 && !ret->first)
            ret->first =
                bundle->kernel_names[stubs ? absent.first_stub : absent.first_absent];
    }
    return status;
}

static void tell_absence(const struct ra_case *subject, const struct absence *found,
                         uint64_t count, const char *what, struct ra_says *says)
{
    says->applies = true;
    ra_text_printf(&says->message, "%" PRIu64 " %s %s on %s, in %zu bundle%s: %s%s",
                   count, count == 1 ? "kernel is" : "kernels are", what,
                   subject->device->id.processor, found->bundles,
                   found->bundles == 1 ? "" : "s", found->first,
                   count > 1 ? ", ..." : "");
    ra_text_str(&says->advice, "nothing, if the library never launches them on this "
                               "architecture; else a guard in its source leaves it out");
}

enum ra_status ra_rule_missing_kernels(const struct ra_case *subject,
                                       struct ra_says *says)
{
    struct absence found;
    enum ra_status status = absence(subject, false, &found);

    if (status == RA_OK && found.sum.absent > 0) {
        tell_absence(subject, &found, found.sum.absent,
                     "there for other targets and absent", says);
        ra_says_fault(says, subject, RA_FAULT_NO_KERNEL);
    }
    return status;
}

enum ra_status ra_rule_stub_kernels(const struct ra_case *subject, struct ra_says *says)
{
    struct absence found;
    enum ra_status status = absence(subject, true, &found);

    if (status == RA_OK && found.sum.stubs > 0)
        tell_absence(subject, &found, found.sum.stubs, "code elsewhere and empty", says);
    return status;
}

enum ra_status ra_rule_generic_target(const struct ra_case *subject, struct ra_says *says)
{
    struct ra_choice chosen;

    says->applies = subject->verdict->kind == RA_GENERIC &&
                    ra_case_first(subject, RA_GENERIC, &chosen);
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%s serves %s", chosen.entry->code.target.processor,
                   subject->device->id.processor);
    ra_text_str(&says->message, chosen.sibling
                                    ? ", as Debian's build of ROCm allows; AMD's does not"
                                    : " (needs ROCm 6.4 or later)");
    return RA_OK;
}

enum ra_status ra_rule_jit_only(const struct ra_case *subject, struct ra_says *says)
{
    says->applies = subject->verdict->kind == RA_JIT;
    if (says->applies)
        ra_text_printf(&says->message,
                       "SPIR-V is compiled for %s at first use (needs ROCm 6.4 or later)",
                       subject->device->id.processor);
    return RA_OK;
}
