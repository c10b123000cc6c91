#include "cli/table.h"

#include <sys/stat.h>

#define FIELD(name) offsetof(struct options, name)

#define FLAG(name, letter, field, verbs, group, help)                                    \
    { name, letter, OPTION_FLAG, FIELD(field), verbs, group, NULL, NULL, NULL, help }
#define VALUE(name, letter, kind, argument, field, verbs, group, help)                   \
    {                                                                                    \
        name,  letter,   OPTION_##kind, FIELD(field), verbs,                             \
        group, argument, NULL,          NULL,         help                               \
    }
#define CHECKED(name, kind, argument, field, refused, verbs, group, help)                \
    { name, 0, OPTION_##kind, FIELD(field), verbs, group, argument, NULL, refused, help }
#define CHOICE(name, argument, choices, field, verbs, group, help)                       \
    { name, 0, OPTION_CHOICE, FIELD(field), verbs, group, argument, choices, NULL, help }

#define JUDGE (VERB_AUDIT | VERB_CHECK)
#define FILES (JUDGE | VERB_LS)
#define ALL   (SHOW | VERB_HELP)
#define LOOK  (FILES | VERB_GPU | VERB_EXTRACT)
#define SHOW  (LOOK | VERB_EXPLAIN)
#define WHOSE (VERB_AUDIT | VERB_GPU)
#define LOADS (JUDGE | VERB_GPU)

static const char gpus[] = "GPUs to judge for";
static const char policy[] = "what is required of a build";
static const char runtimes[] = "runtime and CPU";
static const char looked[] = "where is looked";
static const char written[] = "what is written";
static const char verdicts[] = "verdicts and exit code";
static const char shown[] = "what is shown";
static const char run[] = "running";

/* A folder that is misspelled would be passed over in silence. */
static const char *folder_refused(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? NULL
                                                           : "there is no such folder";
}

/* In the order of their enums. */
static const char *const fail_on[] = { "error", "warning", "never", NULL };
static const char *const color[] = { "auto", "always", "never", NULL };

const struct option option_table[] = {
    CHECKED(
        "gpu", LIST, "TARGET", gpus, ra_gpu_refused, WHOSE, gpus,
        "judge for this target, such as gfx1151 or gfx90a:xnack-, instead of the GPUs "
        "found; may be repeated"),
    VALUE(
        "gpu-from", 0, LIST, "FILE", gpus_from, WHOSE, gpus,
        "judge for the GPUs that rocminfo, rocm-smi, amd-smi, amdgpu-arch or torch named "
        "in this file; - is standard input"),
    VALUE("sysfs", 0, TEXT, "DIR", sysfs, WHOSE, gpus,
          "look for GPUs under this sysfs root or KFD topology folder"),
    FLAG("all-gpus", 0, all_gpus, VERB_AUDIT, gpus,
         "count an APU that is not covered beside a GPU that is"),

    CHECKED(
        "require", TARGETS, "LIST", required, ra_required_refused, VERB_CHECK, policy,
        "targets that every bundle has to serve, such as \"gfx90a;gfx1030\", also parted "
        "by commas or spaces, and also generic ones; may be repeated"),
    CHECKED("require-env", ENVIRONMENT, "NAME", required, ra_required_refused, VERB_CHECK,
            policy, "the same, of this environment variable, such as PYTORCH_ROCM_ARCH"),
    CHECKED("forbid", TARGETS, "LIST", forbidden, ra_target_refused, VERB_CHECK, policy,
            "targets that no bundle may have code for; one without features stands for "
            "all of its modes; may be repeated"),
    VALUE("allow-partial", 0, LIST, "GLOB", allowed_partial, VERB_CHECK, policy,
          "files of this name or path may leave required targets out; may be repeated"),

    CHECKED(
        "runtime", TEXT, "VERSION", runtime, ra_runtime_refused, LOADS, runtimes,
        "the release of ROCm that will load the code, such as 6.2; by default the one "
        "found below PATH or in DIR, else the newest"),
    CHECKED("rocm", TEXT, "DIR", rocm, folder_refused, LOADS, runtimes,
            "the installation of ROCm that will load the code (default /opt/rocm)"),
    CHECKED("compat", TEXT, "BUILD", compat, ra_compat_refused, LOADS, runtimes,
            "upstream, or debian, whose ROCm also loads code for gfx1030 on gfx1031 to "
            "gfx1036 and for gfx1010 on gfx1011 to gfx1013"),
    CHECKED("cpu", TEXT, "LEVEL", cpu, ra_cpu_refused, JUDGE, runtimes,
            "judge host code for x86-64-v2, x86-64-v3, x86-64-v4 or native, the default "
            "with the GPUs of this machine"),

    FLAG("follow-editable", 0, follow_editable, FILES, looked,
         "look also where editable installs have their files"),

    VALUE("directory", 'o', TEXT, "DIR", folder, VERB_EXTRACT, written,
          "write to this folder, which is made if its parent is there"),
    CHECKED("target", LIST, "TARGET", targets, ra_target_refused, VERB_EXTRACT, written,
            "only code for this target; one without features stands for all of its "
            "modes; may be repeated"),
    FLAG("dry-run", 0, dry_run, VERB_EXTRACT, written, "only say what would be written"),
    FLAG("no-colon", 0, no_colon, VERB_EXTRACT, written,
         "names have - for :, which some systems do not allow"),

    FLAG("verify", 0, verify, FILES | VERB_EXTRACT, verdicts,
         "check digests that nothing checks at run time, as check does anyway"),
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
    FLAG("matrix", 0, matrix, FILES, shown, "files and targets as a table"),
    FLAG("list", 0, list, VERB_GPU, shown, "all processors that this build knows"),
    VALUE("format", 0, FORMAT, "FORMAT", format, SHOW, shown,
          "answer as text (default), json or jsonl"),
    VALUE("output", 0, OUTPUT, "FORMAT=FILE", outputs, LOOK, shown,
          "write the answer to a file as well; may be repeated"),
    FLAG("verbose", 'v', verbose, LOOK, shown, "all files, whole names, odd things"),
    FLAG("quiet", 'q', quiet, LOOK, shown, "no progress; of an audit the last line only"),
    CHOICE("color", "WHEN", color, color, SHOW, shown,
           "auto (default), always or never; NO_COLOR and CLICOLOR_FORCE are heeded"),

    VALUE("jobs", 'j', COUNT, "N", threads, FILES | VERB_EXTRACT, run,
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
    { "check", VERB_CHECK, "rocaudit check --require=LIST [OPTION]... PATH...",
      "say whether a build serves all targets that it has to; no GPU is needed" },
    { "ls", VERB_LS, "rocaudit ls [OPTION]... PATH...",
      "list the code objects in files" },
    { "extract", VERB_EXTRACT, "rocaudit extract -o DIR [OPTION]... PATH...",
      "write the code objects in files to files of their own" },
    { "gpu", VERB_GPU, "rocaudit gpu [OPTION]...",
      "show the GPUs that an audit would judge for" },
    { "explain", VERB_EXPLAIN, "rocaudit explain [OPTION]... [RULE]",
      "tell what a rule or a diagnostic means, and what mends it" },
    { "help", VERB_HELP, "rocaudit help [VERB]", "explain all, or one verb" },
};

const size_t verb_count = RA_COUNT(verb_table);

const char *const verbs_reserved[] = { "build", "isa",  "core",  "diff",
                                       "size",  "plan", "merge", NULL };
