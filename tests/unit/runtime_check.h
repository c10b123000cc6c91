/*
 * runtime_check.h - hold the judge against what a runtime answered.
 *
 * An answer is words such as load=303: what was done, and the status or the signal it
 * ended with. Each word is compared with what the judge says of the facts that the scan
 * of the input found, or is covered by an exception, or differs, and is then told.
 */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "runtime_inputs.h"

#include "audit/judge.h"

#include <stdio.h>

struct runtime_answer {
    const char *mode;  /**< hsa, data, file, static, late */
    const char *input; /**< its name; behind a colon, perhaps, the kernel launched */
    const char *host;  /**< agents, and variables behind semicolons */
    const char *agent; /**< that was asked */
    const char *words;
};

/** Mode, input, agent and word as patterns of fnmatch(), and the reason. */
struct runtime_exception {
    const char *mode, *input, *agent, *word, *why;
    size_t used;
};

/** Zero-initialise; set the pointers, the release and `out`. */
struct runtime_check {
    const struct runtime_inputs *inputs;
    const struct ra_report *report; /**< ra_list() of what they were saved to */
    struct ra_rocm rocm;
    FILE *out;      /**< for what differs */
    struct fx text; /**< of the exceptions */
    struct runtime_exception *exceptions;
    size_t exception_count;
    size_t compared, excepted, differing;
};

/** False: they are not to be read. */
bool runtime_check_exceptions(struct runtime_check *check, const char *path);

/** Whether there is an exception for a word of the answer; counts as a use of it. */
bool runtime_check_excepts(struct runtime_check *check,
                           const struct runtime_answer *answer, const char *word);

void runtime_check_answer(struct runtime_check *check,
                          const struct runtime_answer *answer);

/** Tell which exceptions were never needed. @return how many */
size_t runtime_check_unused(const struct runtime_check *check);

void runtime_check_free(struct runtime_check *check);

/** What ROCr answers where the judge refuses so: an hsa_status_t, 0 where it loads. */
unsigned runtime_check_status(const struct ra_choice *choice);

#endif
