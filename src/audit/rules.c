#include "audit/rules.h"

#include "base/text.h"
#include "gfx/target.h"

#include <inttypes.h>

#define LISTED 12 /* targets named in a message; -v and JSON have all */

/* What a rule has to say; texts are NULL where there is nothing. */
struct says {
    bool applies;
    enum ra_severity severity;
    struct ra_text message, advice;
    const char *predicted;
};

/*
 * What ROCm 7 and later say, where the whole bundle was passed over: hipErrorInvalidImage
 * at the first launch (clr hip_fatbin.cpp), and where ROCr refused what was chosen.
 */
static const char passed_over[] =
    "HIP error: device kernel image is invalid (200), at the first kernel of the library";
static const char passed_over_part[] = "HIP error: device kernel image is invalid (200), "
                                       "at the first kernel of such a bundle";
static const char turned_down[] =
    "HIP error: no kernel image is available for execution on the device (209)";
static const char no_function[] =
    "HIP error: named symbol not found (500), or invalid device function (98)";

/* ---- pieces of text --------------------------------------------------------- */

/* The targets a file has code for, each once, in the order met. */
static void list_targets(struct ra_text *text, const struct ra_file *file)
{
    const char *seen[LISTED];
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++) {
            const struct ra_entry *entry = &file->bundles[i].entries[j];
            const char *target = *entry->target ? entry->target : entry->elf_target;
            size_t k = 0;

            if (entry->kind == RA_ENTRY_HOST || entry->size == 0 || *target == '\0')
                continue;
            while (k < count && strcmp(seen[k], target) != 0)
                k++;
            if (k < count)
                continue;
            if (count == LISTED) {
                ra_text_str(text, " ...");
                return;
            }
            seen[count++] = target;
            ra_text_printf(text, " %s", target);
        }
    if (count == 0)
        ra_text_str(text, " none");
}

static void coverage(struct ra_text *text, const struct ra_case *subject)
{
    ra_text_printf(text, "%zu of %zu %s on %s", subject->verdict->covered,
                   subject->verdict->total,
                   subject->verdict->total == 1 ? "bundle runs" : "bundles run",
                   subject->device->id.processor);
}

static void rebuild(struct ra_text *text, const struct ra_case *subject)
{
    const char *name = subject->device->id.processor;

    ra_text_printf(text,
                   "install a build that lists %s, or rebuild with --offload-arch=%s "
                   "(PyTorch: PYTORCH_ROCM_ARCH=\"%s\")",
                   name, name, name);
}

/* The first bundle with a verdict, and what was chosen of it. */
static const struct ra_bundle *first_with(const struct ra_case *subject,
                                          enum ra_verdict_kind kind,
                                          struct ra_choice *ret)
{
    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        *ret = ra_judge_bundle(&subject->file->bundles[i], &subject->device->id);
        if (ret->kind == kind)
            return &subject->file->bundles[i];
    }
    return NULL;
}

static size_t index_of(const struct ra_case *subject, const struct ra_bundle *bundle)
{
    return (size_t)(bundle - subject->file->bundles);
}

/* ---- rules ------------------------------------------------------------------ */

static enum ra_status missing_target(const struct ra_case *subject, struct says *says)
{
    says->applies = subject->verdict->kind == RA_MISSING;
    if (!says->applies)
        return RA_OK;
    coverage(&says->message, subject);
    ra_text_str(&says->message, "; the file has");
    list_targets(&says->message, subject->file);
    says->predicted = passed_over;
    rebuild(&says->advice, subject);
    return RA_OK;
}

/* Some GPUs can be switched per process: gfx90a, gfx942 and gfx950. */
static bool can_switch_xnack(const char *processor)
{
    return strcmp(processor, "gfx90a") == 0 || strcmp(processor, "gfx942") == 0 ||
           strcmp(processor, "gfx950") == 0;
}

static enum ra_status feature_mismatch(const struct ra_case *subject, struct says *says)
{
    const struct ra_target *device = &subject->device->id, *code;
    struct ra_choice chosen;

    says->applies = subject->verdict->kind == RA_FEATURE_MISMATCH &&
                    first_with(subject, RA_FEATURE_MISMATCH, &chosen);
    if (!says->applies)
        return RA_OK;
    code = chosen.entry->kind == RA_ENTRY_RAW ? &chosen.entry->code.target
                                              : &chosen.entry->label;
    coverage(&says->message, subject);
    ra_text_printf(&says->message, " in the mode of %s; the file has",
                   subject->device->target);
    list_targets(&says->message, subject->file);
    says->predicted = passed_over;
    if (!ra_setting_accepts(code->xnack, device->xnack) &&
        ra_setting_accepts(code->sramecc, device->sramecc) &&
        can_switch_xnack(device->processor))
        ra_text_printf(&says->advice, "HSA_XNACK=%d selects this code; or ",
                       code->xnack == RA_SETTING_ON);
    ra_text_printf(&says->advice,
                   "rebuild without the feature, for code that runs in both modes: "
                   "--offload-arch=%s",
                   device->processor);
    return RA_OK;
}

static enum ra_status partial_coverage(const struct ra_case *subject, struct says *says)
{
    struct ra_choice chosen;
    const struct ra_bundle *bundle;

    says->applies = subject->verdict->kind == RA_PARTIAL;
    if (!says->applies)
        return RA_OK;
    says->severity = subject->verdict->severity;
    coverage(&says->message, subject);
    bundle = first_with(subject, RA_MISSING, &chosen);
    if (!bundle)
        bundle = first_with(subject, RA_FEATURE_MISMATCH, &chosen);
    if (bundle && bundle->kernel_name_count > 0)
        ra_text_printf(&says->message, "; bundle %zu does not (%zu kernel%s: %s%s)",
                       index_of(subject, bundle), bundle->kernel_name_count,
                       bundle->kernel_name_count == 1 ? "" : "s", bundle->kernel_names[0],
                       bundle->kernel_name_count > 1 ? ", ..." : "");
    else if (bundle)
        ra_text_printf(&says->message, "; bundle %zu does not",
                       index_of(subject, bundle));
    if (subject->verdict->on_purpose)
        ra_text_printf(&says->message, "; meant so: %s", subject->verdict->on_purpose);
    says->predicted = passed_over_part;
    rebuild(&says->advice, subject);
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
};

static enum ra_status unloadable(const struct ra_case *subject, struct says *says)
{
    struct ra_choice chosen;
    const struct ra_bundle *bundle;

    says->applies = subject->verdict->kind == RA_UNLOADABLE;
    bundle = says->applies ? first_with(subject, RA_UNLOADABLE, &chosen) : NULL;
    if (!bundle)
        return RA_OK;
    ra_text_printf(&says->message, "bundle %zu", index_of(subject, bundle));
    if (*chosen.entry->target)
        ra_text_printf(&says->message, ", labelled %s", chosen.entry->target);
    ra_text_printf(&says->message, ", cannot be loaded: %s", refusals[chosen.refusal]);
    if (*chosen.entry->elf_target)
        ra_text_printf(&says->message, " (e_flags: %s)", chosen.entry->elf_target);
    says->predicted = chosen.refusal == RA_WRAPPED ? passed_over : turned_down;
    ra_text_printf(&says->advice,
                   "rebuild it from a clean build folder with --offload-arch=%s",
                   subject->device->id.processor);
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
        struct ra_choice chosen = ra_judge_bundle(bundle, &subject->device->id);
        struct ra_arena scratch = { 0 };
        struct ra_absent absent = { 0 };
        uint64_t count;

        if (chosen.kind == RA_NATIVE || chosen.kind == RA_GENERIC)
            status = ra_judge_kernels(bundle, &chosen, &scratch, &absent);
        ra_arena_free(&scratch);
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
                         uint64_t count, const char *what, struct says *says)
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

static enum ra_status missing_kernels(const struct ra_case *subject, struct says *says)
{
    struct absence found;
    enum ra_status status = absence(subject, false, &found);

    if (status == RA_OK && found.sum.absent > 0) {
        tell_absence(subject, &found, found.sum.absent,
                     "there for other targets and absent", says);
        says->predicted = no_function;
    }
    return status;
}

static enum ra_status stub_kernels(const struct ra_case *subject, struct says *says)
{
    struct absence found;
    enum ra_status status = absence(subject, true, &found);

    if (status == RA_OK && found.sum.stubs > 0)
        tell_absence(subject, &found, found.sum.stubs, "code elsewhere and empty", says);
    return status;
}

/* Once a file; where the label matters to the device, RA004 has told it. */
static enum ra_status mislabelled(const struct ra_case *subject, struct says *says)
{
    const struct ra_file *file = subject->file;
    const struct ra_entry *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++) {
            const struct ra_entry *entry = &file->bundles[i].entries[j];

            if (!ra_judge_mislabelled(entry))
                continue;
            first = first ? first : entry;
            count++;
        }
    says->applies =
        first && subject->device->index == 0 && subject->verdict->kind != RA_UNLOADABLE;
    if (says->applies)
        ra_text_printf(&says->message, "%zu code object%s: the first is labelled %s%s%s",
                       count, count == 1 ? "" : "s",
                       *first->target ? first->target : first->code.claimed.processor,
                       " and its e_flags say ", first->elf_target);
    return RA_OK;
}

static enum ra_status generic_target(const struct ra_case *subject, struct says *says)
{
    struct ra_choice chosen;

    says->applies =
        subject->verdict->kind == RA_GENERIC && first_with(subject, RA_GENERIC, &chosen);
    if (says->applies)
        ra_text_printf(&says->message, "%s serves %s (needs ROCm 6.4 or later)",
                       chosen.entry->code.target.processor,
                       subject->device->id.processor);
    return RA_OK;
}

static enum ra_status jit_only(const struct ra_case *subject, struct says *says)
{
    says->applies = subject->verdict->kind == RA_JIT;
    if (says->applies)
        ra_text_printf(&says->message,
                       "SPIR-V is compiled for %s at first use (needs ROCm 6.4 or later)",
                       subject->device->id.processor);
    return RA_OK;
}

/* ---- all of them ------------------------------------------------------------ */

static const struct rule {
    const char *number, *name, *consequence;
    enum ra_severity severity;
    enum ra_status (*apply)(const struct ra_case *subject, struct says *says);
} rules[] = {
#define RULE(code, number, name, severity, consequence, function, text)                  \
    { number, name, consequence, severity, function },
#include "audit/rules.def"
#undef RULE
};

static const char *keep_or_null(const struct ra_text *text, struct ra_arena *arena)
{
    return text->size ? ra_text_keep(text, arena) : NULL;
}

static enum ra_status append(const struct ra_case *subject, const struct rule *rule,
                             const struct says *says, struct ra_findings *findings)
{
    struct ra_finding_node *node = ra_new(findings->arena, struct ra_finding_node, 1);

    if (!node || says->message.failed || says->advice.failed)
        return RA_E_NOMEM;
    node->finding = (struct ra_finding){
        .rule = rule->number,
        .name = rule->name,
        .severity = says->severity,
        .consequence = rule->consequence,
        .file = subject->file->path,
        .device = subject->device->index,
        .message = ra_text_keep(&says->message, findings->arena),
        .predicted_error = says->predicted,
        .advice = keep_or_null(&says->advice, findings->arena),
    };
    if (!node->finding.message || (says->advice.size && !node->finding.advice))
        return RA_E_NOMEM;
    if (findings->last)
        findings->last->next = node;
    else
        findings->first = node;
    findings->last = node;
    findings->count++;
    return RA_OK;
}

enum ra_status ra_rules_apply(const struct ra_case *subject, struct ra_findings *findings)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < RA_COUNT(rules); i++) {
        struct says says = { .severity = rules[i].severity };

        status = rules[i].apply(subject, &says);
        if (subject->behind && says.severity == RA_ERROR) {
            says.severity = RA_WARNING;
            ra_text_str(&says.message,
                        "; an APU behind a discrete GPU that the file runs on");
        }
        if (says.severity >= RA_WARNING && rules[i].severity == RA_ERROR &&
            subject->verdict->assumption)
            ra_text_printf(&says.message, "; %s", subject->verdict->assumption);
        if (status == RA_OK && says.applies)
            status = append(subject, &rules[i], &says, findings);
        ra_text_free(&says.message);
        ra_text_free(&says.advice);
    }
    return status;
}
