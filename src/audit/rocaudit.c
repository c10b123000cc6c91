/* rocaudit.c - the public way in: options to report. */
#include "audit/exit.h"
#include "audit/judged.h"
#include "audit/report.h"
#include "audit/scan.h"
#include "audit/siblings.h"
#include "audit/totals.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define BATCH         16 /* files a task: small ones cost less than a task does */
#define PROGRESS_STEP 0.1

/* What became of a file. Most have nothing to tell and are only counted. */
struct slot {
    enum ra_kind kind;
    struct outcome *outcome;
};

struct outcome {
    struct ra_scanned scanned;
    struct ra_findings findings;
};

struct run {
    struct ra_report report; /* first: what the caller has is this */
    struct ra_options options;
    struct ra_arena arena;
    struct ra_walk walk;
    struct ra_machine machine;
    struct ra_findings findings; /* of devices, whatever the files */
    struct ra_scan_context context;
    struct slot *slots;
    pthread_mutex_t lock; /* of all below */
    bool no_memory;
    uint64_t done;
    double told; /* when progress was told last */
};

struct batch {
    struct run *run;
    size_t first, count;
};

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- a file ----------------------------------------------------------------- */

static enum ra_status take_file(struct run *run, size_t at)
{
    struct slot *slot = &run->slots[at];
    struct ra_scanned scanned;
    enum ra_status status;

    ra_scan_file(&run->context, run->walk.files[at], &scanned);
    slot->kind = scanned.file.kind;
    if (scanned.status != RA_OK || !ra_scanned_is_worth_telling(&scanned)) {
        status = scanned.status;
        ra_scanned_free(&scanned);
        return status;
    }
    slot->outcome = calloc(1, sizeof(*slot->outcome));
    if (!slot->outcome) {
        ra_scanned_free(&scanned);
        return RA_E_NOMEM;
    }
    slot->outcome->scanned = scanned;
    slot->outcome->findings.arena = &slot->outcome->scanned.arena;
    status = ra_judge_all(&(struct ra_judging){
        .machine = &run->machine,
        .all_gpus = run->options.all_gpus,
        .file = &slot->outcome->scanned.file,
        .arena = &slot->outcome->scanned.arena,
        .findings = &slot->outcome->findings,
    });
    if (!run->options.kernels)
        ra_scanned_drop_kernels(&slot->outcome->scanned);
    return status;
}

static void tell_progress(struct run *run, size_t count)
{
    struct ra_progress progress = { .total = run->walk.count };
    double time = run->options.progress ? now() : 0;

    run->done += count;
    progress.files = run->done;
    if (!run->options.progress || time - run->told < PROGRESS_STEP)
        return;
    run->told = time;
    run->options.progress(run->options.progress_arg, &progress);
}

static void run_batch(void *arg)
{
    struct batch *batch = arg;
    struct run *run = batch->run;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < batch->count; i++)
        status = take_file(run, batch->first + i);
    pthread_mutex_lock(&run->lock);
    run->no_memory = run->no_memory || status != RA_OK;
    tell_progress(run, batch->count);
    pthread_mutex_unlock(&run->lock);
}

/* ---- all files -------------------------------------------------------------- */

static enum ra_status scan_all(struct run *run)
{
    size_t count = (run->walk.count + BATCH - 1) / BATCH;
    struct batch *batches = reallocarray(NULL, count + 1, sizeof(*batches));
    struct ra_group group = { 0 };

    run->slots = calloc(run->walk.count + 1, sizeof(*run->slots));
    run->context.pool = ra_pool_new(ra_pool_threads(run->options.threads));
    run->context.workspaces = ra_workspaces_new();
    run->no_memory =
        !batches || !run->slots || !run->context.pool || !run->context.workspaces;
    for (size_t i = 0; !run->no_memory && i < count; i++) {
        batches[i] = (struct batch){ run, i * BATCH, BATCH };
        if (i == count - 1)
            batches[i].count = run->walk.count - i * BATCH;
        ra_pool_push(run->context.pool, &group, RA_LANE_FILE, run_batch, &batches[i]);
    }
    if (run->context.pool)
        ra_pool_wait(run->context.pool, &group, RA_LANE_FILE);
    ra_pool_free(run->context.pool);
    ra_workspaces_free(run->context.workspaces);
    free(batches);
    return run->no_memory ? RA_E_NOMEM : RA_OK;
}

/* ---- the report ------------------------------------------------------------- */

static enum ra_status count_all(struct run *run, size_t *files, size_t *findings)
{
    struct ra_totals *totals = &run->report.totals;
    struct ra_tally tally = { .totals = totals, .targets = { .arena = &run->arena } };
    enum ra_status status = RA_OK;

    *files = *findings = 0;
    totals->files = run->walk.count;
    for (size_t i = 0; status == RA_OK && i < run->walk.count; i++) {
        const struct outcome *outcome = run->slots[i].outcome;

        if (!outcome || outcome->scanned.file.bundle_count == 0)
            totals->by_kind[run->slots[i].kind]++;
        if (!outcome)
            continue;
        *files += 1;
        *findings += outcome->findings.count;
        totals->incomplete += outcome->scanned.file.status != RA_FILE_OK;
        status = ra_tally_file(&tally, &outcome->scanned.file);
    }
    return ra_tally_end(&tally, &run->arena, status);
}

static void collect_finding(struct ra_report *report, const struct ra_finding *finding,
                            struct ra_finding *list)
{
    report->totals.errors += finding->severity == RA_ERROR;
    report->totals.warnings += finding->severity == RA_WARNING;
    list[report->finding_count++] = *finding;
}

/* Findings of the GPUs, then those of the files, in the order of the files. */
static void collect_findings(struct run *run, struct ra_finding *list)
{
    struct ra_report *report = &run->report;
    size_t file = 0;

    for (const struct ra_finding_node *node = run->findings.first; node;
         node = node->next)
        collect_finding(report, &node->finding, list);
    for (size_t i = 0; i < run->walk.count; i++) {
        const struct outcome *outcome = run->slots[i].outcome;

        for (const struct ra_finding_node *node = outcome ? outcome->findings.first
                                                          : NULL;
             node; node = node->next)
            if (!ra_siblings_excused(&report->files[file], &node->finding))
                collect_finding(report, &node->finding, list);
        file += outcome != NULL;
    }
}

static enum ra_status collect(struct run *run)
{
    struct ra_report *report = &run->report;
    size_t files, findings;
    enum ra_status status = count_all(run, &files, &findings);
    struct ra_file *file_list = ra_new(&run->arena, struct ra_file, files);
    struct ra_finding *finding_list;

    run->findings.arena = &run->arena;
    /* What holds of the GPUs matters once there is code for any. */
    if (status == RA_OK && report->totals.with_device_code > 0)
        status = ra_judge_devices(&run->machine, run->options.all_gpus, &run->findings);
    finding_list = ra_new(&run->arena, struct ra_finding, findings + run->findings.count);
    if (status != RA_OK || !file_list || !finding_list)
        return RA_E_NOMEM;
    report->files = file_list;
    report->findings = finding_list;
    for (size_t i = 0; i < run->walk.count; i++)
        if (run->slots[i].outcome)
            file_list[report->file_count++] = run->slots[i].outcome->scanned.file;
    status = ra_siblings_excuse(file_list, report->file_count);
    if (status == RA_OK)
        collect_findings(run, finding_list);
    return status;
}

/* ---- the public functions --------------------------------------------------- */

static struct run *begin(const struct ra_options *options, const char *verb)
{
    struct run *run = calloc(1, sizeof(*run));

    if (!run)
        return NULL;
    pthread_mutex_init(&run->lock, NULL);
    /* Callers built against another version may know fewer options, or more. */
    memcpy(&run->options, options,
           options->sz < sizeof(run->options) ? options->sz : sizeof(run->options));
    run->report.verb = verb;
    run->report.devices_text = "";
    run->context.verify = run->options.verify;
    return run;
}

static struct ra_report *end(struct run *run, enum ra_status status, double started)
{
    if (status != RA_OK) {
        ra_report_free(&run->report);
        return NULL;
    }
    run->report.totals.seconds = now() - started;
    return &run->report;
}

static enum ra_status find_devices(struct run *run)
{
    enum ra_status status = ra_machine_find(&run->options, &run->arena, &run->machine);
    const struct ra_devices *devices = &run->machine.devices;

    run->report.devices = devices->list;
    run->report.device_count = devices->count;
    run->report.devices_text = devices->text ? devices->text : "";
    return status;
}

static enum ra_status settle(struct run *run, const struct ra_walk *walk)
{
    enum ra_status status =
        ra_machine_settle(&run->options, walk, &run->arena, &run->machine);

    run->report.runtime = run->machine.runtime;
    return status;
}

static enum ra_status look(struct run *run)
{
    enum ra_status status =
        ra_walk(run->options.paths, run->options.path_count, &run->walk);

    run->report.has_kernels = run->options.kernels;
    if (status == RA_OK)
        status = settle(run, &run->walk);
    if (status == RA_OK)
        status = scan_all(run);
    return status == RA_OK ? collect(run) : status;
}

struct ra_report *ra_audit(const struct ra_options *options)
{
    double started = now();
    struct run *run = begin(options, "audit");
    enum ra_status status;

    if (!run)
        return NULL;
    run->context.kernels = true;
    status = find_devices(run);
    if (status == RA_OK)
        status = look(run);
    run->report.exit =
        ra_exit_of_audit(&run->report, &run->options, &run->machine.devices);
    return end(run, status, started);
}

struct ra_report *ra_list(const struct ra_options *options)
{
    double started = now();
    struct run *run = begin(options, "ls");
    enum ra_status status;

    if (!run)
        return NULL;
    run->context.kernels = run->options.kernels;
    status = look(run);
    run->report.exit = ra_exit_of_list(&run->report, &run->options);
    return end(run, status, started);
}

struct ra_report *ra_gpus(const struct ra_options *options)
{
    double started = now();
    struct run *run = begin(options, "gpu");
    enum ra_status status;

    if (!run)
        return NULL;
    status = find_devices(run);
    if (status == RA_OK)
        status = settle(run, NULL);
    run->report.exit =
        run->machine.devices.count > 0 && !run->machine.devices.incomplete ? 0 : 2;
    return end(run, status, started);
}

struct ra_arena *ra_report_arena(struct ra_report *report)
{
    return &((struct run *)report)->arena;
}

void ra_report_free(struct ra_report *report)
{
    struct run *run = (struct run *)report;

    if (!run)
        return;
    for (size_t i = 0; run->slots && i < run->walk.count; i++) {
        if (run->slots[i].outcome)
            ra_scanned_free(&run->slots[i].outcome->scanned);
        free(run->slots[i].outcome);
    }
    free(run->slots);
    ra_walk_free(&run->walk);
    ra_arena_free(&run->arena);
    pthread_mutex_destroy(&run->lock);
    free(run);
}
