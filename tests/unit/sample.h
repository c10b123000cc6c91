/*
 * sample.h - a report made by hand, and what the writers make of it.
 *
 * One library has one bundle: host, gfx1030, and gfx906, which is not present. All of
 * them fail on one GPU, unless a test changes that.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "base/base.h"

#include <criterion/criterion.h>

struct library {
    struct ra_entry entries[3];
    struct ra_bundle bundle;
    struct ra_verdict verdicts[8];
    struct ra_diag diag;
    struct ra_file file;
};

#define SAMPLE_LIBRARIES 20
#define SAMPLE_PACKAGES  20

struct sample {
    struct library libraries[SAMPLE_LIBRARIES];
    char names[SAMPLE_LIBRARIES][32];
    struct ra_file files[SAMPLE_LIBRARIES];
    struct ra_device devices[8];
    struct ra_finding findings[8 * SAMPLE_LIBRARIES];
    struct ra_target_bytes targets[2];
    struct ra_package packages[SAMPLE_PACKAGES];
    struct ra_verdict package_verdicts[SAMPLE_PACKAGES][8];
    struct ra_report report;
};

/** `count` libraries "/opt/lib00.so" ... that fail on GPU 0, a gfx1151. */
void sample_make(struct sample *sample, size_t count);

/** A verdict of a library, in the place of its device. */
void sample_judge(struct library *library, size_t device, enum ra_verdict_kind kind,
                  enum ra_severity severity);

/** A package of the report, in its place: a wheel without verdicts. */
void sample_package(struct sample *sample, size_t place, const char *name,
                    const char *version);

/** A number of libraries are of the package, and come to the same on GPU 0. */
void sample_own(struct sample *sample, size_t place, size_t first, size_t count,
                enum ra_verdict_kind kind, enum ra_severity severity);

/** Three libraries of torch that fail, two of bitsandbytes that fit, one of nobody. */
void sample_environment(struct sample *sample);

/** An error of a package; NULL: of the device. */
struct ra_finding sample_skew(const struct ra_package *package, size_t device);

/** A GPU that stands for itself, and an RA001 that a file fails by. */
struct ra_device sample_device(size_t index, const char *target);
struct ra_finding sample_missing(const char *file, size_t device);

/** After the last change to a library: the audit, or the listing. */
const struct ra_report *sample_report(struct sample *sample);
const struct ra_report *sample_listing(struct sample *sample);

/** What a writer makes of it; free() it. */
char *sample_render(const struct ra_report *report, const char *format,
                    struct ra_style style);

/** A sink that adds to a struct ra_text. */
bool sample_keep(void *arg, const char *bytes, size_t size);

/** How often `part` is in `text`. */
size_t sample_count(const char *text, const char *part);

/** What is written has `part`, or has not. */
void assert_says(const struct ra_report *report, const char *format,
                 struct ra_style style, const char *part);
void assert_lacks(const struct ra_report *report, const char *format,
                  struct ra_style style, const char *part);

/** No line of its text is wider than that. */
void assert_narrow(const struct ra_report *report, unsigned width);

/** Strictly by RFC 8259. */
bool json_is_document(const char *text);

#endif
