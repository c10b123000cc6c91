/*
 * record.h - what JSON says of each thing: the members of an open object.
 *
 * Keys, their order and when a value is null are public: they change only together
 * with the number in the schema name. json.c and jsonl.c arrange the same records.
 */
#ifndef RA_RECORD_H
#define RA_RECORD_H

#include "report/emit.h"

void ra_record_schema(struct ra_emit *emit, const struct ra_report *report);
void ra_record_runtime(struct ra_emit *emit, const struct ra_runtime *runtime);
void ra_record_device(struct ra_emit *emit, const struct ra_device *device);
void ra_record_file(struct ra_emit *emit, const struct ra_report *report,
                    const struct ra_file *file);
void ra_record_package(struct ra_emit *emit, const struct ra_package *package);
void ra_record_finding(struct ra_emit *emit, const struct ra_finding *finding);
void ra_record_diag(struct ra_emit *emit, const struct ra_file *file,
                    const struct ra_diag *diag);
void ra_record_totals(struct ra_emit *emit, const struct ra_totals *totals);

/** A member: the package that something is of, by its name; null for NULL. */
void ra_record_package_name(struct ra_emit *emit, const struct ra_package *package);

/** A member: the archives of kernels of a file; null for NULL. */
void ra_record_kpack(struct ra_emit *emit, const struct ra_kpack *kpack);

/** A member: verdicts, of a file or a package. */
void ra_record_verdicts(struct ra_emit *emit, const struct ra_verdict *verdicts,
                        size_t count);

/** Of an extraction: the file at `index` of the report, and the sum. */
void ra_record_written(struct ra_emit *emit, const struct ra_report *report,
                       size_t index);
void ra_record_extraction(struct ra_emit *emit, const struct ra_extraction *extraction);

#endif
