/* extract.c - device code out of files, into a folder. */
#include "audit/report.h"
#include "base/pool.h"
#include "base/text.h"
#include "extract/copy.h"
#include "extract/plan.h"
#include "gfx/target.h"

#include <stdlib.h>

struct run {
    struct ra_report *report;
    struct ra_arena *arena; /* of the report */
    struct ra_extract_options how;
    struct ra_extraction *extraction;
    struct ra_written *list; /* that of the extraction */
    struct ra_folder folder;
    struct ra_copy *copies; /* one a bundle */
    struct ra_workspaces *members[2];
    size_t copy_count;
};

/* ---- bundles ---------------------------------------------------------------- */

static const struct ra_bundle *bundle_of(const struct run *run,
                                         const struct ra_written *written)
{
    return &run->report->files[written->file].bundles[written->bundle];
}

/* A dry run reads again what seemed damaged: only then it can say what would come. */
static bool is_to_read(const struct run *run, const struct ra_bundle *bundle)
{
    return !run->how.dry_run || !bundle->complete;
}

/* Bundles of a member come after each other, and hang at the first. */
static void chain(struct run *run, struct ra_copy *copy)
{
    struct ra_copy *before = copy > run->copies ? copy - 1 : NULL;

    copy->is_first = !copy->file->is_member || !before || before->file != copy->file;
    if (!copy->is_first)
        before->next = copy;
}

/* Room for a task a bundle, and the tasks; `run` may have none. */
static enum ra_status make_copies(struct run *run, struct ra_workspaces *workspaces)
{
    size_t count = run->extraction->count;
    const struct ra_written *before = NULL;
    struct ra_copy *copy = NULL;

    run->copies = calloc(count + 1, sizeof(*run->copies));
    if (!run->copies)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct ra_written *written = &run->list[i];
        const struct ra_bundle *bundle = bundle_of(run, written);

        if (!is_to_read(run, bundle))
            continue;
        if (!before || before->file != written->file ||
            before->bundle != written->bundle) {
            copy = &run->copies[run->copy_count++];
            *copy = (struct ra_copy){ .file = &run->report->files[written->file],
                                      .bundle = bundle,
                                      .list = written,
                                      .folder = run->how.dry_run ? NULL : &run->folder,
                                      .workspaces = workspaces,
                                      .members = run->members };
            chain(run, copy);
        }
        copy->count++;
        before = written;
    }
    return RA_OK;
}

static enum ra_status copy_all(struct run *run, const struct ra_options *options)
{
    struct ra_pool *pool = ra_pool_new(ra_pool_threads(options->threads));
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_group group = { 0 };
    enum ra_status status = pool && workspaces ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; i < RA_COUNT(run->members); i++)
        if (!(run->members[i] = ra_workspaces_new(RA_MEMBER_TOTAL)))
            status = RA_E_NOMEM;
    if (status == RA_OK)
        status = make_copies(run, workspaces);
    for (size_t i = 0; status == RA_OK && i < run->copy_count; i++)
        if (run->copies[i].is_first)
            ra_pool_push(pool, &group, RA_LANE_FILE, ra_copy_run, &run->copies[i]);
    if (pool)
        ra_pool_wait(pool, &group, RA_LANE_FILE);
    ra_pool_free(pool);
    ra_workspaces_free(workspaces);
    for (size_t i = 0; i < RA_COUNT(run->members); i++)
        ra_workspaces_free(run->members[i]);
    for (size_t i = 0; status == RA_OK && i < run->copy_count; i++)
        status = run->copies[i].status;
    return status;
}

/* ---- what went wrong -------------------------------------------------------- */

static bool is_told(const struct ra_file *file, const struct ra_diag *diag)
{
    for (const struct ra_diag *told = file->diags; told; told = told->next)
        if (strcmp(told->code, diag->code) == 0 && told->offset == diag->offset &&
            told->inner == diag->inner)
            return true;
    return false;
}

static void tell(struct ra_file *file, struct ra_diag *diag)
{
    const struct ra_diag **end = &file->diags;

    while (*end)
        end = &((struct ra_diag *)(uintptr_t)*end)->next;
    diag->next = NULL;
    *end = diag;
}

/* Most faults were told when the file was listed; one that is new came with its time. */
static void join(struct run *run, struct ra_copy *copy)
{
    struct ra_file *file = (struct ra_file *)(uintptr_t)copy->file; /* the report's own */

    for (struct ra_diag *diag = copy->diags.first, *next; diag; diag = next) {
        next = (struct ra_diag *)(uintptr_t)diag->next;
        if (is_told(file, diag))
            continue;
        tell(file, diag);
        if (diag->severity == RA_ERROR && file->status == RA_FILE_OK) {
            file->status = RA_FILE_INCOMPLETE;
            run->report->totals.incomplete++;
        }
    }
    ra_arena_join(run->arena, &copy->arena);
}

/* ---- the sum ---------------------------------------------------------------- */

static void add_up(struct run *run)
{
    struct ra_extraction *sum = run->extraction;

    for (size_t i = 0; i < sum->count; i++) {
        const struct ra_written *written = &run->list[i];

        sum->written += written->outcome == RA_WRITTEN;
        sum->unchanged += written->outcome == RA_UNCHANGED;
        sum->planned += written->outcome == RA_PLANNED;
        sum->failed += written->outcome == RA_FAILED;
        if (written->outcome == RA_WRITTEN || written->outcome == RA_PLANNED)
            sum->bytes += bundle_of(run, written)->entries[written->entry].size;
    }
    sum->trouble = ra_folder_trouble(&run->folder);
    run->report->exit =
        run->report->totals.incomplete > 0 || sum->failed > 0 || sum->failed == sum->count
            ? 2
            : 0;
}

static enum ra_status write_all(struct run *run, const struct ra_options *options)
{
    enum ra_status status;

    /* A folder with nothing in it is not made. */
    if (!run->how.dry_run && run->extraction->count > 0)
        ra_folder_open(run->how.folder, &run->folder);
    status = copy_all(run, options);
    for (size_t i = 0; i < run->copy_count; i++)
        join(run, &run->copies[i]);
    free(run->copies);
    ra_folder_close(&run->folder);
    if (status == RA_OK)
        add_up(run);
    return status;
}

static enum ra_status extract(struct run *run, const struct ra_options *options)
{
    const char *folder = run->how.folder ? run->how.folder : "";
    struct ra_span span = { (const uint8_t *)folder, strlen(folder), 0 };
    enum ra_status status;

    run->extraction = ra_new(run->arena, struct ra_extraction, 1);
    if (!run->extraction)
        return RA_E_NOMEM;
    run->report->extraction = run->extraction;
    run->extraction->folder = ra_text_escape(run->arena, span);
    if (!run->extraction->folder)
        return RA_E_NOMEM;
    status = ra_plan(run->report, &run->how, run->extraction->folder, run->arena,
                     &run->list, &run->extraction->count);
    run->extraction->list = run->list;
    return status == RA_OK ? write_all(run, options) : status;
}

/* ---- the public functions --------------------------------------------------- */

const char *ra_outcome_name(enum ra_outcome outcome)
{
    static const char *const names[] = {
        [RA_WRITTEN] = "written",
        [RA_UNCHANGED] = "unchanged",
        [RA_PLANNED] = "planned",
        [RA_FAILED] = "failed",
    };

    return names[outcome];
}

const char *ra_target_refused(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };
    struct ra_target target;

    if (!ra_target_parse(span, &target))
        return "is no target ID such as gfx90a or gfx942:sramecc+:xnack-";
    if (strcmp(target.processor, "amdgcnspirv") == 0 ||
        ra_processor_by_name(target.processor))
        return NULL;
    return "is not a target this build knows";
}

struct ra_report *ra_extract(const struct ra_options *options,
                             const struct ra_extract_options *how)
{
    struct run run = { .folder = { .fd = -1 } };
    struct ra_options wanted = { 0 };
    enum ra_status status;

    /* Callers built against another version may know fewer options, or more. */
    memcpy(&run.how, how, how->sz < sizeof(run.how) ? how->sz : sizeof(run.how));
    memcpy(&wanted, options, options->sz < sizeof(wanted) ? options->sz : sizeof(wanted));
    wanted.sz = sizeof(wanted);
    run.how.dry_run = run.how.dry_run || !run.how.folder;
    wanted.kernels = false;
    /* What is written is checked while it is copied. */
    wanted.verify = wanted.verify || run.how.dry_run;
    run.report = ra_list(&wanted);
    if (!run.report)
        return NULL;
    run.report->verb = "extract";
    run.arena = ra_report_arena(run.report);
    status = extract(&run, &wanted);
    if (status == RA_OK)
        return run.report;
    ra_report_free(run.report);
    return NULL;
}
