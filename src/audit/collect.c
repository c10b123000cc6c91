/* collect.c - the report of what was gathered. */
#include "audit/run.h"

#include "audit/excuse.h"
#include "audit/judged.h"
#include "audit/packages.h"
#include "audit/totals.h"

static bool is_told(const struct ra_result *result)
{
    return ra_scanned_is_worth_telling(&result->scanned);
}

/* ---- counts ----------------------------------------------------------------- */

static void count_kinds(struct ra_totals *totals, const struct ra_slot *slot)
{
    if (!slot->opened)
        totals->files++;
    else
        totals->archives++;
    totals->files += slot->files;
    if (!slot->opened &&
        (!slot->first || !ra_has_device_code(&slot->first->scanned.file)))
        totals->by_kind[slot->kind]++;
    for (size_t kind = 0; slot->by_kind && kind < RA_KINDS; kind++)
        totals->by_kind[kind] += slot->by_kind[kind];
}

static enum ra_status count_all(struct ra_run *run, size_t *files, size_t *findings)
{
    struct ra_totals *totals = &run->report.totals;
    struct ra_tally tally = { .totals = totals, .targets = { .arena = &run->arena } };
    enum ra_status status = RA_OK;
    size_t slot;

    *files = *findings = 0;
    for (size_t i = 0; i < run->walk.count; i++)
        count_kinds(totals, &run->slots[i]);
    for (const struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result)) {
        *files += is_told(result);
        *findings += result->findings.count;
        totals->incomplete += result->scanned.file.status != RA_FILE_OK;
        status = ra_tally_file(&tally, &result->scanned.file);
    }
    return ra_tally_end(&tally, &run->arena, status);
}

/* ---- findings --------------------------------------------------------------- */

static void collect_finding(struct ra_report *report, const struct ra_finding *finding,
                            struct ra_finding *list)
{
    report->totals.errors += finding->severity == RA_ERROR;
    report->totals.warnings += finding->severity == RA_WARNING;
    list[report->finding_count++] = *finding;
}

/* Findings of GPUs and packages, then those of the files, in the order of the files. */
static void collect_findings(struct ra_run *run, struct ra_finding *list)
{
    struct ra_report *report = &run->report;
    size_t at = 0, slot;

    for (const struct ra_finding_node *node = run->findings.first; node;
         node = node->next)
        collect_finding(report, &node->finding, list);
    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        const struct ra_file *file = &report->files[at];

        for (const struct ra_finding_node *node = result->findings.first; node;
             node = node->next) {
            struct ra_finding finding = node->finding;

            finding.package = file->package;
            if (!result->alternative_to && !ra_is_excused(file, &finding))
                collect_finding(report, &finding, list);
        }
        at += is_told(result);
    }
}

/* ---- all of it -------------------------------------------------------------- */

static void collect_files(struct ra_run *run, struct ra_file *list)
{
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (is_told(result))
            list[run->report.file_count++] = result->scanned.file;
    run->report.files = list;
}

/* What holds of the GPUs matters once there is code for any. */
static enum ra_status judge_whole(struct ra_run *run)
{
    enum ra_status status = RA_OK;

    run->findings.arena = &run->arena;
    if (run->report.totals.with_device_code > 0)
        status = ra_judge_devices(&run->machine, run->options.all_gpus, &run->findings);
    if (status == RA_OK)
        status = ra_excuse_all(run, run->report.files, run->report.file_count);
    if (status == RA_OK)
        status = ra_packages_add_up(run);
    return status == RA_OK && run->judges ? ra_packages_judge(run) : status;
}

enum ra_status ra_collect(struct ra_run *run)
{
    struct ra_report *report = &run->report;
    size_t files, findings;
    enum ra_status status = count_all(run, &files, &findings);
    struct ra_file *file_list = ra_new(&run->arena, struct ra_file, files);
    struct ra_finding *finding_list;

    if (status != RA_OK || !file_list)
        return RA_E_NOMEM;
    collect_files(run, file_list);
    status = judge_whole(run);
    finding_list = ra_new(&run->arena, struct ra_finding, findings + run->findings.count);
    if (status != RA_OK || !finding_list)
        return RA_E_NOMEM;
    report->findings = finding_list;
    collect_findings(run, finding_list);
    return ra_packages_report(run);
}
