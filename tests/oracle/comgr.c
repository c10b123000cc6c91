/*
 * comgr RECIPES EXCEPTIONS QUESTIONS COMPRESSED - which entry is chosen, since ROCm 6.
 *
 * Since then HIP leaves the choice to comgr: amd_comgr_lookup_code_object() for plain
 * bundles, clang's unbundler for compressed ones. The first is asked here for each
 * question of mode "data", of the first 4096 bytes as HIP does it; the second as a
 * program, for the first COMPRESSED questions. Inputs are in the folder "inputs".
 */
#include "runtime_check.h"

#include "audit/judge.h"
#include "gen/bundle.h"
#include "gen/files.h"
#include "gfx/target.h"

#include <amd_comgr.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FOLDER  "inputs"
#define TRIPLE  "amdgcn-amd-amdhsa--"
#define BUNDLER "clang-offload-bundler-22"

enum { WINDOW = 4096, RELEASE = 702 };

/* What is asked: a bundle on an agent. */
struct asked {
    struct runtime_check *check; /* for its exceptions */
    const struct runtime_input *input;
    const struct ra_bundle *facts;
    const char *agent;
    struct ra_target target;
};

struct counts {
    const char *who; /* was asked: "comgr", "bundler" */
    size_t agree, excepted, differ;
};

static const struct ra_rocm rocm = { RELEASE, RA_UPSTREAM };

static void count(struct counts *counts, bool agree, const struct asked *asked,
                  const char *theirs, const char *ours)
{
    struct runtime_answer answer = { .mode = counts->who,
                                     .input = asked->input->name,
                                     .agent = asked->agent };

    if (agree)
        counts->agree++;
    else if (runtime_check_excepts(asked->check, &answer, theirs))
        counts->excepted++;
    else {
        counts->differ++;
        printf("differs: %s\t%s\t%s\t%s, not %s\n", counts->who, asked->input->name,
               asked->agent, theirs, ours);
    }
}

/* The entry that the judge takes for code of the agent's processor, or NULL. */
static const struct ra_entry *native_choice(const struct ra_bundle *bundle,
                                            const struct ra_target *target)
{
    struct ra_choice choice = ra_judge_bundle(bundle, target, &rocm);

    if (choice.kind == RA_MISSING || choice.kind == RA_FEATURE_MISMATCH || !choice.entry)
        return NULL;
    return strcmp(choice.entry->label.processor, target->processor) == 0 ? choice.entry
                                                                         : NULL;
}

/* Of an ID with a word for the environment, comgr 2.4 knows what later ones may not do.
 */
static bool is_doubted(const struct ra_bundle *bundle, const struct ra_target *target)
{
    for (size_t i = 0; i < bundle->entry_count; i++)
        if (strstr(bundle->entries[i].id, "-unknown-gfx") &&
            strcmp(bundle->entries[i].label.processor, target->processor) == 0)
            return true;
    return false;
}

/* Where bytes are; an entry without any is as good as none. */
static void say_where(char ret[64], uint64_t size, uint64_t offset)
{
    snprintf(ret, 64, "%llu bytes at %llu", (unsigned long long)size,
             (unsigned long long)(size ? offset : 0));
}

/* ---- plain ----------------------------------------------------------------------- */

static void look_up(const struct asked *asked, struct counts *counts)
{
    const struct fx *bytes = &asked->input->bytes;
    const struct ra_entry *entry = native_choice(asked->facts, &asked->target);
    char isa[128], theirs[64], ours[64];
    amd_comgr_code_object_info_t info = { .isa = isa };
    amd_comgr_data_t data;
    amd_comgr_status_t status;

    if (is_doubted(asked->facts, &asked->target))
        return;
    snprintf(isa, sizeof(isa), TRIPLE "%s", asked->agent);
    if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_FATBIN, &data) ||
        amd_comgr_set_data(data, bytes->size < WINDOW ? bytes->size : WINDOW,
                           (const char *)bytes->data))
        abort();
    status = amd_comgr_lookup_code_object(data, &info, 1);
    amd_comgr_release_data(data);
    say_where(theirs, status ? 0 : info.size, status ? 0 : info.offset);
    say_where(ours, entry ? entry->size : 0, entry ? entry->offset : 0);
    count(counts, strcmp(theirs, ours) == 0, asked, theirs, ours);
}

/* ---- compressed ------------------------------------------------------------------- */

/* Whether the entry by itself would be taken for the agent. */
static bool is_compatible(const struct asked *asked, const struct ra_entry *entry)
{
    struct ra_bundle alone = *asked->facts;

    if (entry->kind != RA_ENTRY_HIP)
        return false;
    alone.container = "ccob3";
    alone.entries = entry;
    alone.entry_count = 1;
    return native_choice(&alone, &asked->target) != NULL;
}

static bool unbundle(const struct asked *asked, struct fx *ret)
{
    struct fx packed = { 0 };
    char command[512];
    bool done;

    fx_ccob(&packed, &(struct fx_ccob){ .version = 3,
                                        .codec = FX_ZSTD,
                                        .content = &asked->input->bytes });
    done = fx_save(".", "packed.fb", &packed);
    fx_free(&packed);
    unlink("unpacked.co");
    snprintf(command, sizeof(command),
             BUNDLER " --unbundle --type=o --allow-missing-bundles --input=packed.fb "
                     "--output=unpacked.co --targets=hipv4-" TRIPLE "%s 2>bundler.err",
             asked->agent);
    return done && system(command) == 0 && fx_load(".", "unpacked.co", ret);
}

/* The unbundler's choice has to be among what the judge finds compatible. */
static void unpack(const struct asked *asked, struct counts *counts)
{
    const struct ra_bundle *bundle = asked->facts;
    struct ra_bundle whole = *bundle;
    size_t compatible = 0;
    bool among = false, none;
    struct fx chosen = { 0 };

    if (!unbundle(asked, &chosen)) {
        count(counts, false, asked, "the unbundler fails", "a choice");
        return;
    }
    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];

        if (!is_compatible(asked, entry))
            continue;
        compatible++;
        among |=
            entry->size == chosen.size && memcmp(asked->input->bytes.data + entry->offset,
                                                 chosen.data, chosen.size) == 0;
    }
    whole.container = "ccob3";
    none = compatible == 0 || !native_choice(&whole, &asked->target);
    count(counts, among || (none && chosen.size == 0), asked,
          chosen.size ? "another entry" : "no entry", "one that is compatible");
    fx_free(&chosen);
}

/* ---- all ----------------------------------------------------------------------------
 */

static const struct ra_bundle *find_facts(const struct ra_report *report,
                                          const char *name)
{
    size_t tail = strlen(name);

    for (size_t i = 0; i < report->file_count; i++) {
        const char *path = report->files[i].raw_path;
        size_t size = strlen(path);

        if (size > tail && strcmp(path + size - tail, name) == 0 &&
            path[size - tail - 1] == '/' && report->files[i].bundle_count == 1)
            return &report->files[i].bundles[0];
    }
    return NULL;
}

/* Facts of every bundle, also of those without code. */
static struct ra_report *scan(void)
{
    const char *paths[] = { FOLDER };
    struct ra_options options = { .sz = sizeof(options),
                                  .paths = paths,
                                  .path_count = 1 };

    return ra_list(&options);
}

static void ask(struct asked *asked, char *agents, size_t compressed,
                struct counts counts[2])
{
    for (char *agent; (agent = strsep(&agents, ","));) {
        struct ra_span text = { (const uint8_t *)agent, strlen(agent), 0 };

        asked->agent = agent;
        if (!ra_target_parse(text, &asked->target))
            abort();
        look_up(asked, &counts[0]);
        if (counts[1].agree + counts[1].excepted + counts[1].differ < compressed)
            unpack(asked, &counts[1]);
    }
}

static void ask_line(struct runtime_check *check, char *line, size_t compressed,
                     struct counts counts[2])
{
    const char *mode = strsep(&line, "\t"), *name = strsep(&line, "\t");
    struct asked asked = { .check = check };

    if (!line || strcmp(mode, "data") != 0)
        return;
    asked.input = runtime_input_find(check->inputs, name);
    asked.facts = find_facts(check->report, name);
    if (asked.facts)
        ask(&asked, strsep(&line, "\t"), compressed, counts);
}

static void ask_all(struct runtime_check *check, FILE *questions, size_t compressed,
                    struct counts counts[2])
{
    char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, questions) > 0)
        ask_line(check, line, compressed, counts);
    free(line);
}

int main(int argc, char **argv)
{
    struct counts counts[2] = { { .who = "comgr" }, { .who = "bundler" } };
    struct runtime_check check = { .out = stdout };
    struct runtime_inputs inputs;
    struct ra_report *report;
    FILE *questions;

    if (argc != 5 || !runtime_check_exceptions(&check, argv[2]) ||
        !(questions = fopen(argv[3], "r")) || !(report = scan()))
        return EXIT_FAILURE;
    runtime_inputs_load(argv[1], &inputs);
    check.inputs = &inputs;
    check.report = report;
    ask_all(&check, questions, strtoul(argv[4], NULL, 10), counts);
    for (size_t i = 0; i < RA_COUNT(counts); i++)
        printf("%s: %zu compared, %zu excepted, %zu differing\n", counts[i].who,
               counts[i].agree, counts[i].excepted, counts[i].differ);
    fclose(questions);
    runtime_check_free(&check);
    runtime_inputs_free(&inputs);
    ra_report_free(report);
    return counts[0].differ + counts[1].differ > 0 || counts[0].agree == 0;
}
