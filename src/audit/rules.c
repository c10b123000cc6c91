/* rules.c - applies the rules of rules.def, and makes findings of what they say. */
#include "audit/rules.h"

#include "audit/rule.h"

enum scope {
    FILE_SCOPE,
    COVERAGE_SCOPE,
    GATE_SCOPE,
    PACKAGE_SCOPE,
    FOLDER_SCOPE,
    DEVICE_SCOPE,
};

static const struct rule {
    const char *number, *name, *consequence;
    enum ra_severity severity;
    enum scope scope;
    enum ra_status (*apply)(const struct ra_case *subject, struct ra_says *says);
} rules[] = {
#define RULE(code, number, name, severity, consequence, scope, function, ...)            \
    { number, name, consequence, severity, scope##_SCOPE, ra_rule_##function },
#include "audit/rules.def"
#undef RULE
};

static const char *keep_or_null(const struct ra_text *text, struct ra_arena *arena)
{
    return text->size ? ra_text_keep(text, arena) : NULL;
}

static enum ra_status append(const struct ra_case *subject, const struct rule *rule,
                             const struct ra_says *says, struct ra_findings *findings)
{
    struct ra_finding_node *node = ra_new(findings->arena, struct ra_finding_node, 1);

    if (!node || says->message.failed || says->advice.failed)
        return RA_E_NOMEM;
    node->finding = (struct ra_finding){
        .rule = rule->number,
        .name = rule->name,
        .severity = says->severity,
        .consequence = says->consequence,
        .file = subject->file ? subject->file->path : NULL,
        .package = subject->package,
        .device =
            says->no_device || !subject->device ? RA_NO_DEVICE : subject->device->index,
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

/* What holds of every finding that says the file fails. */
static void qualify(const struct ra_case *subject, const struct rule *rule,
                    struct ra_says *says)
{
    if (subject->behind && says->severity == RA_ERROR) {
        says->severity = RA_WARNING;
        ra_text_str(&says->message,
                    "; an APU behind a discrete GPU that the file runs on");
    }
    if (subject->verdict && subject->verdict->assumption && !says->no_device &&
        subject->verdict->kind > RA_UNDECIDED && says->severity >= RA_WARNING &&
        rule->severity == RA_ERROR)
        ra_text_printf(&says->message, "; %s", subject->verdict->assumption);
}

static enum ra_status apply(const struct rule *rule, const struct ra_case *subject,
                            struct ra_findings *findings)
{
    struct ra_says says = { .severity = rule->severity,
                            .consequence = rule->consequence };
    enum ra_status status = rule->apply(subject, &says);

    if (status == RA_OK && says.applies) {
        qualify(subject, rule, &says);
        status = append(subject, rule, &says, findings);
    }
    ra_text_free(&says.message);
    ra_text_free(&says.advice);
    return status;
}

/* What a gate says of a required target takes the place of what is said of coverage. */
static bool is_due(const struct rule *rule, const struct ra_case *subject)
{
    if (subject->alike > 0)
        return rule->scope == FOLDER_SCOPE;
    switch (rule->scope) {
    case FILE_SCOPE:
        return subject->file != NULL;
    case COVERAGE_SCOPE:
        return subject->file && !subject->gate;
    case GATE_SCOPE:
        return subject->file && subject->gate;
    case PACKAGE_SCOPE:
        return subject->package != NULL;
    case FOLDER_SCOPE:
        return false;
    default:
        return !subject->file && !subject->package;
    }
}

enum ra_status ra_rules_apply(const struct ra_case *subject, struct ra_findings *findings)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < RA_COUNT(rules); i++)
        if (is_due(&rules[i], subject))
            status = apply(&rules[i], subject, findings);
    return status;
}
