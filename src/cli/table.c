#include "cli/table.h"

#define FIELD(name) offsetof(struct options, name)

#define FLAG(name, letter, field, verbs, group, help)                                    \
    { name, letter, OPTION_FLAG, FIELD(field), verbs, group, NULL, NULL, help }
#define VALUE(name, letter, kind, argument, field, verbs, group, help)                   \
    { name, letter, OPTION_##kind, FIELD(field), verbs, group, argument, NULL, help }
#define CHOICE(name, argument, choices, field, verbs, group, help)                       \
    { name, 0, OPTION_CHOICE, FIELD(field), verbs, group, argument, choices, help }

#define JUDGE (VERB_AUDIT)
#define FILES (VERB_AUDIT | VERB_LS)
#define ALL   (VERB_AUDIT | VERB_LS | VERB_GPU | VERB_HELP)
#define SHOW  (VERB_AUDIT | VERB_LS | VERB_GPU)

static const char gpus[] = "GPUs to judge for";
static const char verdicts[] = "verdicts and exit code";
static const char shown[] = "what is shown";
static const char run[] = "running";

/* In the order of their enums. */
static const char *const fail_on[] = { "error", "warning", "never", NULL };
static const char *const color[] = { "auto", "always", "never", NULL };

const struct option option_table[] = {
    VALUE("gpu", 0, GPU, "TARGET", gpus, VERB_AUDIT | VERB_GPU, gpus,
          "judge for this target, such as gfx1151 or gfx90a:xnack-, instead of the GPUs "
          "found; may be repeated"),
    VALUE("sysfs", 0, TEXT, "DIR", sysfs, VERB_AUDIT | VERB_GPU, gpus,
          "look for GPUs under this sysfs root or KFD topology folder"),
    FLAG("all-gpus", 0, all_gpus, JUDGE, gpus,
         "count an APU that is not covered beside a GPU that is"),

    FLAG("verify", 0, verify, FILES, verdicts,
         "check digests that nothing checks at run time"),
    FLAG("strict", 0, strict, JUDGE, verdicts, "warnings count like errors"),
    CHOICE("fail-on", "WHAT", fail_on, fail_on, JUDGE, verdicts,
           "what gives exit code 1: error (default), warning or never"),
    FLAG("allow-empty", 0, allow_empty, FILES, verdicts,
         "no AMD device code at all is exit code 0"),
    FLAG("allow-incomplete", 0, allow_incomplete, FILES, verdicts,
         "what could not be read does not make exit code 2"),

    FLAG(NULL, '1', targets_only, VERB_LS, shown,
         "only the targets, each once, one a line"),
    FLAG("kernels", 0, kernels, FILES, shown,
         "every kernel with its registers and memory; of an audit in JSON only"),
    FLAG("list", 0, list, VERB_GPU, shown, "all processors that this build knows"),
    VALUE("format", 0, FORMAT, "FORMAT", format, SHOW, shown,
          "answer as text (default), json or jsonl"),
    VALUE("output", 0, OUTPUT, "FORMAT=FILE", outputs, SHOW, shown,
          "write the answer to a file as well; may be repeated"),
    FLAG("verbose", 'v', verbose, SHOW, shown, "all files, whole names, odd things"),
    FLAG("quiet", 'q', quiet, SHOW, shown, "no progress; of an audit the last line only"),
    CHOICE("color", "WHEN", color, color, SHOW, shown,
           "auto (default), always or never; NO_COLOR and CLICOLOR_FORCE are heeded"),

    VALUE("jobs", 'j', COUNT, "N", threads, FILES, run,
          "threads to use; by default one a processor"),
    FLAG("help", 'h', help, ALL, run, "this, or the help of a verb"),
    FLAG("version", 0, version, ALL, run,
         "name, version and the number of known targets"),
};

const size_t option_count = RA_COUNT(option_table);

_Static_assert(RA_COUNT(option_table) <= OPTIONS_MOST, "room for each option");

const struct verb_row verb_table[] = {
    { "audit", VERB_AUDIT, "rocaudit [audit] [OPTION]... PATH...",
      "say whether the GPUs can run what is in files" },
    { "ls", VERB_LS, "rocaudit ls [OPTION]... PATH...",
      "list the code objects in files" },
    { "gpu", VERB_GPU, "rocaudit gpu [OPTION]...",
      "show the GPUs that an audit would judge for" },
    { "help", VERB_HELP, "rocaudit help [VERB]", "explain all, or one verb" },
};

const size_t verb_count = RA_COUNT(verb_table);

const char *const verbs_reserved[] = { "extract", "explain", "check", "build",
                                       "isa",     "core",    "diff",  "size",
                                       "plan",    "merge",   NULL };
