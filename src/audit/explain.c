/* explain.c - the words of rules and diagnostics, from the tables that define them. */
#include "base/base.h"

#include <strings.h>

static const struct ra_explanation explanations[] = {
#define RULE(code, number, name, severity, consequence, scope, function, text, cause,    \
             evidence, mend, example)                                                    \
    { number, name, true, severity, consequence, text, cause, evidence, mend, example },
#include "audit/rules.def"
#undef RULE
#define DIAG(code, number, name, severity, text)                                         \
    { number, name, false, severity, "", text, "", "", "", "" },
#include "base/diag.def"
#undef DIAG
};

const struct ra_explanation *ra_explanations(size_t *count)
{
    *count = RA_COUNT(explanations);
    return explanations;
}

const struct ra_explanation *ra_explain(const char *code_or_name)
{
    for (size_t i = 0; i < RA_COUNT(explanations); i++)
        if (strcasecmp(explanations[i].code, code_or_name) == 0 ||
            strcasecmp(explanations[i].name, code_or_name) == 0)
            return &explanations[i];
    return NULL;
}
