/* gather.c - every file scanned, joined with what it needs of others, and judged. */
#include "audit/run.h"

#include "audit/judged.h"
#include "audit/packages.h"
#include "audit/stubs.h"
#include "audit/verify.h"
#include "runtime/found.h"

#include <stdlib.h>
#include <time.h>

#define BATCH         16 /* files a task: small ones cost less than a task does */
#define PROGRESS_STEP 0.1

struct batch {
    struct ra_run *run;
    size_t first, count;
};

double ra_now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- results --------------------------------------------------------------- */

static struct ra_result *from_slot(const struct ra_run *run, size_t *slot)
{
    while (*slot < run->walk.count && !run->slots[*slot].first)
        ++*slot;
    return *slot < run->walk.count ? run->slots[*slot].first : NULL;
}

struct ra_result *ra_result_first(const struct ra_run *run, size_t *slot)
{
    *slot = 0;
    return run->slots ? from_slot(run, slot) : NULL;
}

struct ra_result *ra_result_next(const struct ra_run *run, size_t *slot,
                                 const struct ra_result *result)
{
    if (result->next)
        return result->next;
    ++*slot;
    return from_slot(run, slot);
}

/* Takes over what was scanned, also if it fails. */
static struct ra_result *result_of(struct ra_scanned *scanned)
{
    struct ra_result *result = calloc(1, sizeof(*result));

    if (!result) {
        ra_scanned_free(scanned);
        return NULL;
    }
    result->scanned = *scanned;
    /* It moved, and what is told from now on goes to its own arena. */
    result->scanned.diags.arena = &result->scanned.arena;
    result->findings.arena = &result->scanned.arena;
    return result;
}

static void results_free(struct ra_result *result)
{
    while (result) {
        struct ra_result *next = result->next;

        ra_scanned_free(&result->scanned);
        free(result);
        result = next;
    }
}

void ra_gathered_free(struct ra_run *run)
{
    for (size_t i = 0; run->slots && i < run->walk.count; i++) {
        results_free(run->slots[i].first);
        free(run->slots[i].by_kind);
    }
    results_free(run->extra);
    free(run->slots);
}

/* ---- judging ---------------------------------------------------------------- */

static enum ra_status judge(struct ra_run *run, struct ra_result *result)
{
    struct ra_judging judging = {
        .machine = &run->machine,
        .all_gpus = run->options.all_gpus,
        .file = &result->scanned.file,
        .arena = &result->scanned.arena,
        .findings = &result->findings,
        .packages = run->packages.list ? &run->packages : NULL,
    };
    enum ra_status status = RA_OK;

    if (run->judges && ra_scanned_is_worth_telling(&result->scanned))
        status = ra_judge_all(&judging);
    if (!run->options.kernels)
        ra_scanned_drop_kernels(&result->scanned);
    result->judged = true;
    return status;
}

/* Code that is spread over files has to wait until all of them were seen. */
static bool can_judge(const struct ra_run *run, const struct ra_result *result)
{
    return !run->waits && !result->scanned.file.kpack &&
           result->scanned.file.layout.undefined_count == 0;
}

static enum ra_status judge_rest(struct ra_run *run)
{
    enum ra_status status = RA_OK;
    size_t slot;

    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result))
        if (!result->judged)
            status = judge(run, result);
    return status;
}

/* ---- a file ----------------------------------------------------------------- */

static enum ra_status take_members(struct ra_run *run, struct ra_slot *slot,
                                   struct ra_scanned *scanned)
{
    struct ra_result **end = &slot->first;
    enum ra_status status = RA_OK;

    slot->opened = true;
    slot->files = scanned->files;
    slot->by_kind = calloc(RA_KINDS, sizeof(*slot->by_kind));
    if (!slot->by_kind)
        return RA_E_NOMEM;
    memcpy(slot->by_kind, scanned->by_kind, sizeof(scanned->by_kind));
    while (*end)
        end = &(*end)->next;
    for (size_t i = 0; i < scanned->member_count; i++) {
        struct ra_result *result = result_of(&scanned->members[i]);

        if (result) {
            *end = result;
            end = &result->next;
        }
        if (!result)
            status = RA_E_NOMEM;
        else if (status == RA_OK && can_judge(run, result))
            status = judge(run, result);
    }
    scanned->member_count = 0;
    return status;
}

static enum ra_status take_file(struct ra_run *run, size_t at)
{
    struct ra_slot *slot = &run->slots[at];
    struct ra_scanned scanned;
    enum ra_status status;

    ra_scan_file(&run->context, run->walk.files[at], &scanned);
    slot->kind = scanned.file.kind;
    status = scanned.status;
    if (status != RA_OK || !ra_scanned_is_kept(&scanned)) {
        ra_scanned_free(&scanned);
        return status;
    }
    slot->first = result_of(&scanned);
    if (!slot->first)
        return RA_E_NOMEM;
    if (slot->first->scanned.opened)
        status = take_members(run, slot, &slot->first->scanned);
    if (status == RA_OK && can_judge(run, slot->first))
        status = judge(run, slot->first);
    return status;
}

static void tell_progress(struct ra_run *run, size_t count)
{
    struct ra_progress progress = { .total = run->walk.count };
    double time = run->options.progress ? ra_now() : 0;

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
    struct ra_run *run = batch->run;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < batch->count; i++)
        status = take_file(run, batch->first + i);
    pthread_mutex_lock(&run->lock);
    run->no_memory = run->no_memory || status != RA_OK;
    tell_progress(run, batch->count);
    pthread_mutex_unlock(&run->lock);
}

/* ---- all files -------------------------------------------------------------- */

static bool make_context(struct ra_run *run)
{
    struct ra_scan_context *context = &run->context;

    context->threads = ra_pool_threads(run->options.threads);
    context->pool = ra_pool_new(context->threads);
    context->workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    context->members[0] = ra_workspaces_new(RA_MEMBER_TOTAL);
    context->members[1] = ra_workspaces_new(RA_MEMBER_TOTAL);
    return context->pool && context->workspaces && context->members[0] &&
           context->members[1];
}

static void free_context(struct ra_run *run)
{
    ra_pool_free(run->context.pool);
    ra_workspaces_free(run->context.workspaces);
    ra_workspaces_free(run->context.members[0]);
    ra_workspaces_free(run->context.members[1]);
    run->context.pool = NULL;
}

static enum ra_status scan_all(struct ra_run *run)
{
    size_t count = (run->walk.count + BATCH - 1) / BATCH;
    struct batch *batches = reallocarray(NULL, count + 1, sizeof(*batches));
    struct ra_group group = { 0 };

    run->slots = calloc(run->walk.count + 1, sizeof(*run->slots));
    run->no_memory = !batches || !run->slots;
    for (size_t i = 0; !run->no_memory && i < count; i++) {
        batches[i] = (struct batch){ run, i * BATCH, BATCH };
        if (i == count - 1)
            batches[i].count = run->walk.count - i * BATCH;
        ra_pool_push(run->context.pool, &group, RA_LANE_FILE, run_batch, &batches[i]);
    }
    ra_pool_wait(run->context.pool, &group, RA_LANE_FILE);
    free(batches);
    return run->no_memory ? RA_E_NOMEM : RA_OK;
}

static bool is_kpack(const char *path)
{
    size_t size = strlen(path);

    return size > 6 && strcmp(path + size - 6, ".kpack") == 0;
}

/* Whether what is in archives could change what is to be said of other files. */
static bool has_archives(const struct ra_run *run)
{
    for (size_t i = 0; i < run->walk.count; i++) {
        const struct ra_walk_file *file = run->walk.files[i];

        if (file->named || is_kpack(file->path) || ra_scan_is_package(file->path))
            return true;
    }
    return false;
}

/* Settle the release again, now that it is known what is in archives. */
static enum ra_status settle_members(struct ra_run *run)
{
    struct ra_runtime_member *members;
    size_t slot, count = 0;
    enum ra_status status;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        count += result->scanned.is_clue && result->scanned.file.is_member;
    members = ra_new(&run->arena, struct ra_runtime_member, count);
    if (!members)
        return RA_E_NOMEM;
    count = 0;
    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (result->scanned.is_clue && result->scanned.file.is_member)
            members[count++] = (struct ra_runtime_member){ result->scanned.file.raw_path,
                                                           result->scanned.document };
    status = ra_machine_settle(&run->options, &run->walk, members, count, &run->arena,
                               &run->machine);
    run->report.runtime = run->machine.runtime;
    return status;
}

enum ra_status ra_gather(struct ra_run *run)
{
    enum ra_status status = make_context(run) ? RA_OK : RA_E_NOMEM;

    run->waits = has_archives(run);
    if (status == RA_OK)
        status = scan_all(run);
    if (status == RA_OK && run->waits && !run->options.runtime)
        status = settle_members(run);
    if (status == RA_OK)
        status = ra_resolve(run);
    if (status == RA_OK)
        status = ra_find_orphans(run);
    if (status == RA_OK)
        status = ra_stubs_resolve(run);
    if (status == RA_OK)
        status = ra_packages_read(run);
    if (status == RA_OK && run->judges && run->context.verify)
        status = ra_verify(run);
    free_context(run);
    return status == RA_OK ? judge_rest(run) : status;
}
