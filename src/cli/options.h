/*
 * options.h - the command line, taken apart.
 *
 * One table drives the parser and the help, so that neither can know what the other
 * does not. Options may stand anywhere; "--" ends them; the first argument that is no
 * option is a verb if it names one, else a path.
 */
#ifndef RA_CLI_OPTIONS_H
#define RA_CLI_OPTIONS_H

#include "base/text.h"

#include <stdio.h>

/** Bits, for an option says which verbs it goes with. */
enum verb {
    VERB_AUDIT = 1,
    VERB_LS = 2,
    VERB_GPU = 4,
    VERB_HELP = 8,
    VERB_EXPLAIN = 16,
    VERB_EXTRACT = 32,
    VERB_CHECK = 64,
};

enum color_when { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/** Strings of argv, or of `words`, in the order given. */
struct list {
    const char **items;
    size_t count;
};

struct options {
    enum verb verb;
    enum verb topic; /**< what --help and `help` are about; 0: all of it */
    struct list paths, gpus, gpus_from, outputs, targets;
    struct list required, forbidden, allowed_partial;
    const char *sysfs, *runtime, *rocm, *compat, *cpu, *format, *folder;
    unsigned threads, fail_on, color; /**< enum ra_fail_on, enum color_when */
    bool all_gpus, verify, strict, allow_empty, allow_incomplete;
    bool kernels, targets_only, matrix, list, quiet, verbose, version, help;
    bool dry_run, no_colon, follow_editable;
    struct ra_arena words; /**< of lists that were taken apart */
};

/**
 * Read argv into `ret`, which options_free() gives back in any case.
 *
 * @param error  why not, as a line for people without its end; escaped
 * @return RA_OK; RA_E_FORMAT (told in `error`); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status options_parse(int argc, const char *const *argv,
                                           struct options *ret, struct ra_text *error);
void options_free(struct options *options);

/** All of the help, or that of one verb; at most 80 columns. */
void options_help(FILE *file, enum verb topic);

/** The format of an --output argument, whose file is behind the '='. */
bool options_split_output(const char *argument, const char **ret_format,
                          const char **ret_file);

#endif
