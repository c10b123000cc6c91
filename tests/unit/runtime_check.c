#include "runtime_check.h"

#include "audit/judge.h"
#include "gen/files.h"
#include "gen/host.h"
#include "gfx/target.h"

#include <fnmatch.h>
#include <stdlib.h>

/* hsa_status_t */
#define HSA_INCOMPATIBLE_ARGUMENTS 0x100d
#define HSA_INVALID_CODE_OBJECT    0x1010
#define HSA_INVALID_ISA_NAME       0x1017

enum { AGENTS = 32, NAME_ROOM = 128 };

/* What the judge says will become of a bundle on an agent. */
struct fate {
    enum { LOADS, FAILS, NOT_SAID } kind;
    enum ra_fault_kind fault;          /* of FAILS */
    const struct ra_rocm_error *error; /* of FAILS */
    const struct ra_bundle *bundle;
    const struct ra_entry *entry; /* chosen */
};

enum verdict { AGREES, DIFFERS, SILENT };

/* ---- facts --------------------------------------------------------------------------
 */

static bool read_target(const char *text, struct ra_target *ret)
{
    return ra_target_parse((struct ra_span){ (const uint8_t *)text, strlen(text), 0 },
                           ret);
}

static bool ends_in(const char *path, const char *name)
{
    size_t size = strlen(path), tail = strlen(name);

    return size > tail && path[size - tail - 1] == '/' &&
           strcmp(path + size - tail, name) == 0;
}

static const struct ra_file *find_file(const struct runtime_check *check,
                                       const char *name)
{
    for (size_t i = 0; i < check->report->file_count; i++)
        if (ends_in(check->report->files[i].raw_path, name))
            return &check->report->files[i];
    return NULL;
}

static struct fate fate_of(const struct runtime_check *check,
                           const struct ra_bundle *bundle, const char *agent)
{
    struct fate fate = { .kind = NOT_SAID, .bundle = bundle };
    struct ra_target target;
    struct ra_choice choice;

    if (!bundle || !read_target(agent, &target))
        return fate;
    choice = ra_judge_bundle(bundle, &target, &check->rocm);
    fate.entry = choice.entry;
    if (choice.kind == RA_NONE || choice.kind == RA_UNDECIDED)
        return fate;
    if (choice.kind < RA_UNDECIDED) {
        fate.kind = LOADS;
        return fate;
    }
    fate.kind = FAILS;
    fate.fault = ra_judge_fault(bundle, &choice);
    fate.error = ra_rocm_error(&check->rocm, fate.fault);
    return fate;
}

static enum verdict has_kernel(const struct fate *fate, const char *kernel)
{
    const struct ra_entry *entry = fate->entry;

    if (!entry)
        return SILENT;
    for (uint64_t i = 0; entry->kernels && i < entry->kernel_count; i++)
        if (strcmp(fate->bundle->kernel_names[entry->kernels[i].name], kernel) == 0)
            return AGREES;
    return DIFFERS;
}

static enum verdict verdict_of(bool agrees)
{
    return agrees ? AGREES : DIFFERS;
}

/* Whether people would see `value`, which is a number or SIGn, of the error. */
static bool tells(const struct ra_rocm_error *error, const char *value)
{
    char number[32];

    if (strcmp(value, "SIG6") == 0)
        return error->consequence == RA_CONSEQUENCE_ABORT && strstr(error->text, "abort");
    if (strncmp(value, "SIG", 3) == 0)
        return strstr(error->text, "segmentation fault") != NULL;
    snprintf(number, sizeof(number), "(%s)", value);
    return strstr(error->text, number) != NULL;
}

/* ---- a code object, a module
 * ----------------------------------------------------------- */

unsigned runtime_check_status(const struct ra_choice *chosen)
{
    switch (chosen->refusal) {
    case RA_NO_SUCH_ISA:
        return HSA_INVALID_ISA_NAME;
    case RA_OTHER_TARGET:
    case RA_OTHER_FEATURE:
    case RA_NO_GENERIC:
        return HSA_INCOMPATIBLE_ARGUMENTS;
    case RA_TAKEN:
    case RA_NO_METADATA:
    case RA_CONTRADICTION:
    case RA_ODD_DESCRIPTOR:
        return 0;
    case RA_TOO_NEW: /* to HIP alone: ROCr loads what HIP's comgr could not name yet */
        return chosen->ability == RA_CAN_LOAD_V5 ? 0 : HSA_INVALID_CODE_OBJECT;
    default:
        return HSA_INVALID_CODE_OBJECT;
    }
}

static enum verdict check_hsa(const struct runtime_check *check,
                              const struct runtime_answer *answer, const char *value)
{
    const struct ra_file *file = find_file(check, answer->input);
    unsigned long status = strtoul(value, NULL, 16);
    struct ra_target target;
    struct ra_choice choice;

    if (!file || file->bundle_count != 1 || !read_target(answer->agent, &target) ||
        strcmp(file->bundles[0].container, "raw") != 0 || strncmp(value, "0x", 2) != 0)
        return SILENT;
    choice = ra_judge_bundle(&file->bundles[0], &target, &check->rocm);
    if (choice.kind == RA_UNDECIDED)
        return SILENT;
    /* Code for another processor: refused for that, or before it comes to that. */
    if (choice.kind == RA_MISSING)
        return verdict_of(status != 0);
    return verdict_of(status == runtime_check_status(&choice));
}

static enum verdict check_module(const struct runtime_check *check,
                                 const struct runtime_answer *answer, const char *what,
                                 const char *value)
{
    const struct ra_file *file = find_file(check, answer->input);
    struct fate fate;
    enum verdict found;

    /* HIP takes the first bundle of a file. What is in a library is not for it. */
    if (!file || file->bundle_count == 0 || file->kind == RA_KIND_ELF)
        return SILENT;
    fate = fate_of(check, &file->bundles[0], answer->agent);
    if (fate.kind == NOT_SAID)
        return SILENT;
    if (strcmp(what, "load") != 0) {
        /* HIP looks for functions among the symbols, and kernels of V2 are none. */
        found = fate.entry && fate.entry->code.version == 2 ? DIFFERS
                                                            : has_kernel(&fate, what);
        return found == SILENT ? SILENT
                               : verdict_of((found == AGREES) == !strcmp(value, "0"));
    }
    if (fate.kind == LOADS)
        return verdict_of(strcmp(value, "0") == 0);
    return verdict_of(tells(fate.error, value));
}

/* ---- a library
 * --------------------------------------------------------------------------- */

/* A library on a host. */
struct library {
    const struct runtime_input *input;
    const struct ra_file *file;
    char agents[AGENTS][NAME_ROOM];
    size_t agent_count;
    bool eager;         /* each kernel is looked up when it is registered */
    const char *kernel; /* that is launched */
    size_t launched;    /* the wrapper that it is in */
};

/* Only the first is there if a variable hides the others. */
static void read_host(const char *host, struct library *library)
{
    char *copy = strdup(host), *rest = copy, *list;

    list = strsep(&rest, ";");
    library->eager = rest && strcmp(rest, "HIP_ENABLE_DEFERRED_LOADING=0") == 0;
    for (char *agent; (agent = strsep(&list, ","));) {
        if (library->agent_count == AGENTS)
            abort();
        snprintf(library->agents[library->agent_count++], NAME_ROOM, "%s", agent);
        if (rest && strstr(rest, "VISIBLE_DEVICES=0"))
            break;
    }
    free(copy);
}

static struct library read_library(const struct runtime_check *check,
                                   const struct runtime_answer *answer)
{
    struct library library = { .agent_count = 0 };
    char name[NAME_ROOM];
    const char *colon = strrchr(answer->input, ':');

    snprintf(name, sizeof(name), "%s", answer->input);
    name[strcspn(name, ":")] = '\0';
    library.input = runtime_input_find(check->inputs, name);
    library.file = find_file(check, name);
    library.kernel = colon ? colon + 1 : library.input->wrapper[0].kernel;
    for (size_t i = 0; i < library.input->wrapper_count; i++)
        if (strcmp(library.input->wrapper[i].kernel, library.kernel) == 0)
            library.launched = i;
    read_host(answer->host, &library);
    return library;
}

static const struct ra_bundle *find_kpack(const struct ra_file *file)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (strcmp(file->bundles[i].container, "kpack") == 0)
            return &file->bundles[i];
    return NULL;
}

/* The bundle that a wrapper points to, among those of the file; they are in order. */
static const struct ra_bundle *bundle_of(const struct library *library, size_t wrapper)
{
    uint64_t start;

    if (!library->file || library->file->bundle_count == 0 ||
        library->input->version != 1)
        return NULL;
    if (library->input->magic != FX_HIPF)
        return find_kpack(library->file);
    start = library->file->bundles[0].offset;
    for (size_t i = 0; i < library->file->bundle_count; i++)
        if (library->file->bundles[i].offset - start ==
            library->input->wrapper[wrapper].offset)
            return &library->file->bundles[i];
    return NULL;
}

/* The launch of a kernel of a wrapper on an agent, all else being well. */
static struct fate launch_fate(const struct runtime_check *check,
                               const struct library *library, size_t wrapper,
                               const char *agent)
{
    struct fate fate = fate_of(check, bundle_of(library, wrapper), agent);
    enum verdict found;

    if (fate.kind != LOADS)
        return fate;
    found = has_kernel(&fate, library->input->wrapper[wrapper].kernel);
    if (found == DIFFERS) {
        fate.kind = FAILS;
        fate.fault = RA_FAULT_NO_KERNEL;
        fate.error = ra_rocm_error(&check->rocm, fate.fault);
    }
    return found == SILENT ? (struct fate){ .kind = NOT_SAID } : fate;
}

/*
 * Whether the process ends before a kernel is asked for: it takes one bundle without
 * code for one of the agents, or, if kernels are looked up at once, any that fails.
 */
static enum verdict ends_early(const struct runtime_check *check,
                               const struct library *library,
                               const struct ra_rocm_error **ret)
{
    bool silent = false;

    for (size_t i = 0; i < library->input->wrapper_count; i++)
        for (size_t k = 0; k < library->agent_count; k++) {
            struct fate fate = launch_fate(check, library, i, library->agents[k]);

            silent |= fate.kind == NOT_SAID;
            *ret = fate.error;
            if (fate.kind == FAILS && (fate.fault == RA_FAULT_NO_MATCH || library->eager))
                return AGREES;
        }
    return silent ? SILENT : DIFFERS;
}

static enum verdict check_library(const struct runtime_check *check,
                                  const struct runtime_answer *answer, const char *what,
                                  const char *value)
{
    struct library library = read_library(check, answer);
    const struct ra_rocm_error *error;
    enum verdict early = ends_early(check, &library, &error);
    struct fate fate;

    if (early == AGREES)
        return verdict_of(
            (!strcmp(what, "set") || !strcmp(what, "register")) &&
            (library.eager ? !strncmp(value, "SIG", 3) : tells(error, value)));
    if (early == SILENT)
        return SILENT;
    fate = launch_fate(check, &library, library.launched, answer->agent);
    if (fate.kind == FAILS)
        return verdict_of(tells(fate.error, value));
    return verdict_of(strcmp(what, "set") != 0 && strcmp(value, "0") == 0);
}

/* ---- exceptions
 * ---------------------------------------------------------------------------- */

bool runtime_check_exceptions(struct runtime_check *check, const char *path)
{
    size_t room = 1;
    char *rest;

    if (!fx_load(".", path, &check->text))
        return false;
    fx_u8(&check->text, '\0');
    for (size_t i = 0; i < check->text.size; i++)
        room += check->text.data[i] == '\n';
    check->exceptions = calloc(room, sizeof(*check->exceptions));
    rest = (char *)check->text.data;
    for (char *line; (line = strsep(&rest, "\n"));) {
        struct runtime_exception *exception = &check->exceptions[check->exception_count];

        if (*line == '\0' || *line == '#')
            continue;
        exception->mode = strsep(&line, "\t");
        exception->input = strsep(&line, "\t");
        exception->agent = strsep(&line, "\t");
        exception->word = strsep(&line, "\t");
        exception->why = line;
        if (!line)
            return false;
        check->exception_count++;
    }
    return true;
}

/* Patterns with alternatives: one|other. */
static bool matches(const char *patterns, const char *text)
{
    char *copy = strdup(patterns), *rest = copy;
    bool found = false;

    for (char *pattern; !found && (pattern = strsep(&rest, "|"));)
        found = fnmatch(pattern, text, 0) == 0;
    free(copy);
    return found;
}

bool runtime_check_excepts(struct runtime_check *check,
                           const struct runtime_answer *answer, const char *word)
{
    for (size_t i = 0; i < check->exception_count; i++) {
        struct runtime_exception *exception = &check->exceptions[i];

        if (matches(exception->mode, answer->mode) &&
            matches(exception->input, answer->input) &&
            matches(exception->agent, answer->agent) && matches(exception->word, word)) {
            exception->used++;
            return true;
        }
    }
    return false;
}

size_t runtime_check_unused(const struct runtime_check *check)
{
    size_t unused = 0;

    for (size_t i = 0; i < check->exception_count; i++)
        if (check->exceptions[i].used == 0) {
            fprintf(check->out, "never needed: %s %s %s %s: %s\n",
                    check->exceptions[i].mode, check->exceptions[i].input,
                    check->exceptions[i].agent, check->exceptions[i].word,
                    check->exceptions[i].why);
            unused++;
        }
    return unused;
}

/* ---- answers
 * ----------------------------------------------------------------------------------- */

static enum verdict check_word(const struct runtime_check *check,
                               const struct runtime_answer *answer, const char *word)
{
    const char *equals = strchr(word, '=');
    char what[NAME_ROOM];

    if (!equals || (size_t)(equals - word) >= sizeof(what))
        return DIFFERS;
    memcpy(what, word, (size_t)(equals - word));
    what[equals - word] = '\0';
    if (strcmp(what, "last") == 0)
        return SILENT; /* hipGetLastError() */
    if (strcmp(answer->mode, "hsa") == 0)
        return check_hsa(check, answer, equals + 1);
    if (strcmp(answer->mode, "data") == 0 || strcmp(answer->mode, "file") == 0)
        return check_module(check, answer, what, equals + 1);
    return check_library(check, answer, what, equals + 1);
}

void runtime_check_answer(struct runtime_check *check,
                          const struct runtime_answer *answer)
{
    char *words = strdup(answer->words), *rest = words;

    for (char *word; (word = strsep(&rest, " "));) {
        enum verdict verdict = check_word(check, answer, word);

        if (verdict == AGREES)
            check->compared++;
        else if (runtime_check_excepts(check, answer, word))
            check->excepted++;
        else {
            check->differing++;
            fprintf(check->out, "%s: %s\t%s\t%s\t%s\t%s\n",
                    verdict == SILENT ? "not said" : "differs", answer->mode,
                    answer->input, answer->host, answer->agent, word);
        }
    }
    free(words);
}

void runtime_check_free(struct runtime_check *check)
{
    fx_free(&check->text);
    free(check->exceptions);
    check->exceptions = NULL;
}
