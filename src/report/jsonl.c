#include "report/record.h"
#include "report/report.h"

static void line_open(struct ra_emit *emit, const char *type)
{
    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_string(emit, "type", type);
}

static void put_file_diags(struct ra_emit *emit, const struct ra_file *file)
{
    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next) {
        line_open(emit, "diagnostic");
        ra_record_diag(emit, file, diag);
        ra_emit_close(emit, '}');
    }
}

/* The last line: only here it is known that nothing is missing above. */
static void put_totals(struct ra_emit *emit, const struct ra_report *report)
{
    line_open(emit, "totals");
    ra_record_schema(emit, report);
    if (report->extraction) {
        ra_record_extraction(emit, report->extraction);
    } else {
        ra_record_runtime(emit, &report->runtime);
        ra_emit_known(emit, "note", report->devices_text);
        ra_record_totals(emit, &report->totals);
    }
    ra_emit_number(emit, "exit", (uint64_t)report->exit);
    ra_emit_close(emit, '}');
}

enum ra_status ra_write_jsonl(const struct ra_report *report,
                              const struct ra_style *style, struct ra_out *out)
{
    struct ra_emit emit = { .out = out };

    (void)style;
    for (size_t i = 0; i < report->device_count; i++) {
        line_open(&emit, "device");
        ra_record_device(&emit, &report->devices[i]);
        ra_emit_close(&emit, '}');
    }
    for (size_t i = 0; i < report->file_count; i++) {
        line_open(&emit, "file");
        if (report->extraction)
            ra_record_written(&emit, report, i);
        else
            ra_record_file(&emit, report, &report->files[i]);
        ra_emit_close(&emit, '}');
    }
    for (size_t i = 0; i < report->package_count; i++) {
        line_open(&emit, "package");
        ra_record_package(&emit, &report->packages[i]);
        ra_emit_close(&emit, '}');
    }
    for (size_t i = 0; i < report->finding_count; i++) {
        line_open(&emit, "finding");
        ra_record_finding(&emit, &report->findings[i]);
        ra_emit_close(&emit, '}');
    }
    for (size_t i = 0; i < report->file_count; i++)
        put_file_diags(&emit, &report->files[i]);
    put_totals(&emit, report);
    return RA_OK;
}
