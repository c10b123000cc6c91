/* rules_policy.c - rules of what a build was asked to serve, and not to have. */
#include "audit/gate.h"
#include "audit/rule.h"

#include "gfx/target.h"

#include <inttypes.h>

/* Of each that is named, the rest is counted. */
#define BUNDLES_NAMED 4
#define KERNELS_NAMED 3

/* ---- lists ------------------------------------------------------------------ */

/* Words of which the first few are said. */
struct listing {
    struct ra_text *text;
    size_t most;
    uint64_t count;
};

static void list_end(const struct listing *list)
{
    if (list->count > list->most)
        ra_text_printf(list->text, " and %" PRIu64 " more", list->count - list->most);
}

static void list_bundle(struct listing *list, size_t bundle)
{
    if (list->count++ < list->most)
        ra_text_printf(list->text, " %zu", bundle);
}

static void list_kernels(struct listing *list, const struct ra_bundle *bundle)
{
    for (size_t i = 0; i < bundle->kernel_name_count; i++)
        if (list->count++ < list->most)
            ra_text_printf(list->text, " %s", bundle->kernel_names[i]);
}

/* ---- required targets ------------------------------------------------------- */

static bool fails(const struct ra_case *subject, size_t bundle)
{
    return ra_case_choice(subject, &subject->file->bundles[bundle]).kind > RA_UNDECIDED;
}

/* " (14 kernels: k_add k_mul k_sub and 11 more)" */
static void say_kernels(struct ra_text *text, const struct ra_case *subject)
{
    struct ra_text names = { 0 };
    struct listing list = { .text = &names, .most = KERNELS_NAMED };

    for (size_t i = 0; i < subject->file->bundle_count; i++)
        if (fails(subject, i))
            list_kernels(&list, &subject->file->bundles[i]);
    list_end(&list);
    if (list.count > 0)
        ra_text_printf(text, " (%" PRIu64 " kernel%s:", list.count,
                       list.count == 1 ? "" : "s");
    if (list.count > 0 && names.data)
        ra_text_printf(text, "%s)", names.data);
    text->failed |= names.failed;
    ra_text_free(&names);
}

/* "; not bundles 0 2 3 5 and 4 more (14 kernels: ...)" */
static void say_failing(struct ra_text *text, const struct ra_case *subject)
{
    struct listing list = { .text = text, .most = BUNDLES_NAMED };
    size_t failing = 0;

    for (size_t i = 0; i < subject->file->bundle_count; i++)
        failing += fails(subject, i);
    ra_text_printf(text, "; not bundle%s", failing == 1 ? "" : "s");
    for (size_t i = 0; i < subject->file->bundle_count; i++)
        if (fails(subject, i))
            list_bundle(&list, i);
    list_end(&list);
    say_kernels(text, subject);
}

/* Of a file that serves the target in part, only what the rest has is to be told. */
static void say_part(struct ra_text *text, const struct ra_case *subject)
{
    struct ra_choice chosen;

    ra_say_coverage(text, subject);
    if (ra_case_first(subject, RA_FEATURE_MISMATCH, &chosen))
        ra_text_printf(text, "; one has %s",
                       *chosen.entry->target ? chosen.entry->target
                                             : chosen.entry->elf_target);
}

static void say_why(struct ra_text *text, const struct ra_case *subject,
                    const struct ra_text *why)
{
    enum ra_verdict_kind kind = subject->verdict->kind;
    bool has_own = kind == RA_MISSING || kind == RA_FEATURE_MISMATCH;

    text->failed |= why->failed;
    if (ra_case_is_split(subject) || (kind == RA_UNLOADABLE && why->data)) {
        ra_say_coverage(text, subject);
        ra_text_str(text, "; ");
        ra_text_str(text, why->data ? why->data : "its code is in .kpack archives");
    } else if (has_own && why->data) {
        ra_text_str(text, why->data);
    } else {
        say_part(text, subject);
    }
}

/* What an audit says of coverage, by the first of its rules that has anything to say. */
static enum ra_status audit(const struct ra_case *subject, struct ra_says *says)
{
    static enum ra_status (*const rules[])(const struct ra_case *, struct ra_says *) = {
#define OF_COVERAGE(function) ra_rule_##function,
#define OF_FILE(function)
#define OF_GATE(function)
#define OF_PACKAGE(function)
#define OF_FOLDER(function)
#define OF_DEVICE(function)
#define RULE(code, number, name, severity, consequence, scope, function, ...)            \
    OF_##scope(function)
#include "audit/rules.def"
#undef RULE
    };
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && !says->applies && i < RA_COUNT(rules); i++)
        status = rules[i](subject, says);
    return status;
}

/* Bundles, kernels and the rule's own number, and else what an audit would say. */
enum ra_status ra_rule_required_missing(const struct ra_case *subject,
                                        struct ra_says *says)
{
    struct ra_says told = { .consequence = says->consequence };
    enum ra_status status;

    says->applies = subject->verdict->kind >= RA_PARTIAL;
    if (!says->applies)
        return RA_OK;
    status = audit(subject, &told);
    says->severity = subject->verdict->severity;
    says->consequence = told.consequence;
    says->predicted = told.predicted;
    say_why(&says->message, subject, &told.message);
    say_failing(&says->message, subject);
    if (says->severity == RA_NOTE) {
        ra_text_str(&says->message, "; allowed to leave targets out");
        ra_text_free(&told.advice);
    } else {
        says->advice = told.advice;
    }
    ra_text_free(&told.message);
    return status;
}

/* ---- forbidden targets ------------------------------------------------------ */

static bool has(const struct ra_bundle *bundle, const struct ra_target *target)
{
    for (size_t i = 0; i < bundle->entry_count; i++)
        if (ra_gate_has(&bundle->entries[i], target))
            return true;
    return false;
}

/* "gfx803 is in bundles 0 1 2 3 and 9 more of 13" */
static void say_present(struct ra_text *text, const struct ra_file *file,
                        const struct ra_target *target)
{
    char name[RA_TARGET_TEXT];
    size_t count = 0;
    struct listing list = { .text = text, .most = BUNDLES_NAMED };

    for (size_t i = 0; i < file->bundle_count; i++)
        count += has(&file->bundles[i], target);
    if (count == 0)
        return;
    ra_target_spell(target, name);
    ra_text_printf(text, "%s%s is in bundle%s", text->size > 0 ? "; " : "", name,
                   count == 1 ? "" : "s");
    for (size_t i = 0; i < file->bundle_count; i++)
        if (has(&file->bundles[i], target))
            list_bundle(&list, i);
    list_end(&list);
    ra_text_printf(text, " of %zu", file->bundle_count);
}

/* Once a file: it is about no required target. */
enum ra_status ra_rule_forbidden_present(const struct ra_case *subject,
                                         struct ra_says *says)
{
    const struct ra_gate *gate = subject->gate;

    for (size_t i = 0; subject->first && i < gate->forbidden_count; i++)
        say_present(&says->message, subject->file, &gate->forbidden[i]);
    says->applies = says->message.size > 0;
    says->no_device = true;
    if (says->applies)
        ra_text_str(&says->advice, "leave it out of the list of targets, and rebuild");
    return RA_OK;
}
