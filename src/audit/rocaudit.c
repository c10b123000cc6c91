/* rocaudit.c - the public way in: options to report. */
#include "audit/editable.h"
#include "audit/exit.h"
#include "audit/report.h"
#include "audit/run.h"

#include <stdlib.h>

static struct ra_run *begin(const struct ra_options *options, const char *verb)
{
    struct ra_run *run = calloc(1, sizeof(*run));

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

static struct ra_report *end(struct ra_run *run, enum ra_status status, double started)
{
    if (status != RA_OK) {
        ra_report_free(&run->report);
        return NULL;
    }
    run->report.totals.seconds = ra_now() - started;
    return &run->report;
}

static enum ra_status find_devices(struct ra_run *run)
{
    enum ra_status status = ra_machine_find(&run->options, &run->arena, &run->machine);
    const struct ra_devices *devices = &run->machine.devices;

    run->report.devices = devices->list;
    run->report.device_count = devices->count;
    run->report.devices_text = devices->text ? devices->text : "";
    return status;
}

static enum ra_status settle(struct ra_run *run, const struct ra_walk *walk)
{
    enum ra_status status =
        ra_machine_settle(&run->options, walk, NULL, 0, &run->arena, &run->machine);

    run->report.runtime = run->machine.runtime;
    return status;
}

static enum ra_status look(struct ra_run *run)
{
    enum ra_status status =
        ra_walk(run->options.paths, run->options.path_count, &run->walk);

    run->report.has_kernels = run->options.kernels;
    if (status == RA_OK && run->options.follow_editable)
        status = ra_editable_follow(run);
    if (status == RA_OK)
        status = settle(run, &run->walk);
    if (status == RA_OK)
        status = ra_gather(run);
    return status == RA_OK ? ra_collect(run) : status;
}

struct ra_report *ra_audit(const struct ra_options *options)
{
    double started = ra_now();
    struct ra_run *run = begin(options, "audit");
    enum ra_status status;

    if (!run)
        return NULL;
    run->context.kernels = run->context.oddities = run->judges = true;
    status = find_devices(run);
    if (status == RA_OK)
        status = look(run);
    run->report.exit =
        ra_exit_of_audit(&run->report, &run->options, &run->machine.devices);
    return end(run, status, started);
}

struct ra_report *ra_check(const struct ra_options *options)
{
    double started = ra_now();
    struct ra_run *run = begin(options, "check");
    enum ra_status status;

    if (!run)
        return NULL;
    run->context.kernels = run->context.verify = run->judges = true;
    run->context.oddities = true;
    run->machine.gate = &run->gate;
    status = ra_gate_read(&run->options, &run->arena, &run->gate);
    if (status == RA_OK)
        status = find_devices(run);
    if (status == RA_OK)
        status = look(run);
    run->report.exit =
        ra_exit_of_audit(&run->report, &run->options, &run->machine.devices);
    return end(run, status, started);
}

struct ra_report *ra_list(const struct ra_options *options)
{
    double started = ra_now();
    struct ra_run *run = begin(options, "ls");
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
    double started = ra_now();
    struct ra_run *run = begin(options, "gpu");
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
    return &((struct ra_run *)report)->arena;
}

void ra_report_free(struct ra_report *report)
{
    struct ra_run *run = (struct ra_run *)report;

    if (!run)
        return;
    ra_gathered_free(run);
    ra_walk_free(&run->walk);
    ra_arena_free(&run->arena);
    pthread_mutex_destroy(&run->lock);
    free(run);
}
