/*
 * report.h - writers: one a format, each sees the public report and nothing else.
 *
 * To add a format: one file with a function of type ra_write, one row in report.c.
 */
#ifndef RA_REPORT_H
#define RA_REPORT_H

#include "report/out.h"

/**
 * Write `report` as one format.
 *
 * @param style  whole, with a width
 * @return RA_OK, also if `out` failed, which its owner sees; RA_E_NOMEM
 */
typedef enum ra_status ra_write(const struct ra_report *report,
                                const struct ra_style *style, struct ra_out *out);

struct ra_writer {
    const char *name;
    ra_write *write;
};

ra_write ra_write_text, ra_write_json, ra_write_jsonl;

/** A style with all fields and a width, whichever its caller knew of. */
struct ra_style ra_style_whole(const struct ra_style *style);

/** "note", "warning", "error". */
const char *ra_severity_name(enum ra_severity severity);

/** The verdict of `file` on a device; NULL if there is none. */
const struct ra_verdict *ra_file_verdict(const struct ra_file *file, size_t device);

/** True if bundles are the compressed kind: offsets of entries are in expanded bytes. */
bool ra_bundle_expanded(const struct ra_bundle *bundle);

/** The processor whose code an entry holds, by its ELF header if that was read. */
const char *ra_entry_processor(const struct ra_entry *entry);

#endif
