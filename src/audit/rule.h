/*
 * rule.h - what the files of rules share: what a rule has to say, and pieces of text.
 *
 * A rule is a row of rules.def and a function: rules_code.c has those of the code in a
 * file, rules_labels.c those of its labels, rules_layout.c those of where it is in it,
 * rules_machine.c those of GPUs and settings,
 * rules_policy.c those of a gate, rules_kpack.c those of split libraries,
 * rules_packages.c those of packages and of odd files.
 */
#ifndef RA_RULE_H
#define RA_RULE_H

#include "audit/rules.h"
#include "base/text.h"

/** What a rule has to say; the texts are empty where there is nothing. */
struct ra_says {
    bool applies;
    enum ra_severity severity;
    const char *consequence;
    struct ra_text message, advice;
    const char *predicted; /**< what people get to see, or NULL */
    bool no_device;        /**< it is about none in particular */
};

#define RULE(code, number, name, severity, consequence, scope, function, ...)            \
    enum ra_status ra_rule_##function(const struct ra_case *subject,                     \
                                      struct ra_says *says);
#include "audit/rules.def"
#undef RULE

/** Say what the release does where a bundle fails so. */
void ra_says_fault(struct ra_says *says, const struct ra_case *subject,
                   enum ra_fault_kind fault);

/** " gfx90a gfx942 ...", the targets a file has code for, in the order met; " none". */
void ra_say_targets(struct ra_text *text, const struct ra_file *file);

/** "3 of 5 bundles run on gfx1030", or serve it, where it is required */
void ra_say_coverage(struct ra_text *text, const struct ra_case *subject);

/** "unset HSA_OVERRIDE_GFX_VERSION", or what the variable is called. */
void ra_say_unset(struct ra_text *text, const struct ra_device *device);

/** How to get code for the device. */
void ra_say_rebuild(struct ra_text *text, const struct ra_case *subject);

/** Whether it is a host file whose code is in .kpack archives. */
bool ra_case_is_split(const struct ra_case *subject);

/** Of a .kpack archive, say what brings the code for the device; false of other files. */
bool ra_say_device_package(struct ra_says *says, const struct ra_case *subject);

/** The choice of a bundle for the device of the case. */
struct ra_choice ra_case_choice(const struct ra_case *subject,
                                const struct ra_bundle *bundle);

/** The first bundle with a verdict, and what was chosen of it; NULL if there is none. */
const struct ra_bundle *ra_case_first(const struct ra_case *subject,
                                      enum ra_verdict_kind kind, struct ra_choice *ret);

#endif
