#include "report/record.h"
#include "report/report.h"

static void put_devices(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "devices", '[');
    for (size_t i = 0; i < report->device_count; i++) {
        ra_emit_open_flat(emit, NULL, '{');
        ra_record_device(emit, &report->devices[i]);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
}

static void put_files(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "files", '[');
    for (size_t i = 0; i < report->file_count; i++) {
        ra_emit_open(emit, NULL, '{');
        ra_record_file(emit, report, &report->files[i]);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
}

static void put_packages(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "packages", '[');
    for (size_t i = 0; i < report->package_count; i++) {
        ra_emit_open(emit, NULL, '{');
        ra_record_package(emit, &report->packages[i]);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
}

static void put_findings(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "findings", '[');
    for (size_t i = 0; i < report->finding_count; i++) {
        ra_emit_open(emit, NULL, '{');
        ra_record_finding(emit, &report->findings[i]);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
}

static void put_file_diags(struct ra_emit *emit, const struct ra_file *file)
{
    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next) {
        ra_emit_open(emit, NULL, '{');
        ra_record_diag(emit, file, diag);
        ra_emit_close(emit, '}');
    }
}

static void put_diags(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "diagnostics", '[');
    for (size_t i = 0; i < report->file_count; i++)
        put_file_diags(emit, &report->files[i]);
    ra_emit_close(emit, ']');
}

/* The runtime, the GPUs, and what kept some from being found. */
static void put_machine(struct ra_emit *emit, const struct ra_report *report)
{
    ra_record_runtime(emit, &report->runtime);
    put_devices(emit, report);
    ra_emit_known(emit, "note", report->devices_text);
}

static void put_contents(struct ra_emit *emit, const struct ra_report *report)
{
    put_machine(emit, report);
    put_files(emit, report);
    put_packages(emit, report);
    put_findings(emit, report);
    put_diags(emit, report);
    ra_emit_open(emit, "totals", '{');
    ra_record_totals(emit, &report->totals);
    ra_emit_close(emit, '}');
}

static void put_extraction(struct ra_emit *emit, const struct ra_report *report)
{
    ra_emit_open(emit, "files", '[');
    for (size_t i = 0; i < report->file_count; i++) {
        ra_emit_open(emit, NULL, '{');
        ra_record_written(emit, report, i);
        ra_emit_close(emit, '}');
    }
    ra_emit_close(emit, ']');
    put_diags(emit, report);
    ra_emit_open(emit, "totals", '{');
    ra_record_extraction(emit, report->extraction);
    ra_emit_close(emit, '}');
}

enum ra_status ra_write_json(const struct ra_report *report, const struct ra_style *style,
                             struct ra_out *out)
{
    struct ra_emit emit = { .out = out };

    (void)style;
    ra_emit_open(&emit, NULL, '{');
    ra_record_schema(&emit, report);
    if (strcmp(report->verb, "gpu") == 0)
        put_machine(&emit, report);
    else if (report->extraction)
        put_extraction(&emit, report);
    else
        put_contents(&emit, report);
    ra_emit_number(&emit, "exit", (uint64_t)report->exit);
    ra_emit_close(&emit, '}');
    return RA_OK;
}
