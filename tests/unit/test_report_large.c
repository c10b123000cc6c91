/* A report of many files, findings and packages: twice the work for twice of it. */
#include "base/text.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FILES_MOST 20000

/* Files of all kinds: in packages and in none, well and not, with a note and without. */
struct large {
    struct library library; /* what all files hold */
    char names[FILES_MOST][32];
    char versions[FILES_MOST / 10][16];
    struct ra_file files[FILES_MOST];
    struct ra_verdict verdicts[FILES_MOST];
    struct ra_finding findings[FILES_MOST];
    struct ra_package packages[FILES_MOST / 10];
    struct ra_verdict package_verdicts[FILES_MOST / 10];
    struct ra_device device;
    struct ra_report report;
};

static void add_file(struct large *large, size_t i)
{
    static const struct ra_verdict verdicts[] = {
        { .kind = RA_MISSING, .severity = RA_ERROR, .total = 1 },
        { .kind = RA_NATIVE, .covered = 1, .total = 1 },
        { .kind = RA_GENERIC, .covered = 1, .total = 1 },
    };

    snprintf(large->names[i], sizeof(large->names[i]), "/opt/lib%05zu.so", i);
    large->verdicts[i] = verdicts[i % RA_COUNT(verdicts)];
    large->files[i] = large->library.file;
    large->files[i].path = large->files[i].name = large->files[i].raw_path =
        large->names[i];
    large->files[i].verdicts = &large->verdicts[i];
    large->files[i].verdict_count = 1;
    if (i % 2)
        large->files[i].package = &large->packages[i / 10];
    large->findings[i] = sample_missing(large->names[i], 0);
    if (large->verdicts[i].kind != RA_MISSING)
        large->findings[i].severity = RA_NOTE;
}

static void add_package(struct large *large, size_t i)
{
    snprintf(large->versions[i], sizeof(large->versions[i]), "%zu", i);
    large->package_verdicts[i] = large->verdicts[i % 3];
    large->packages[i] = (struct ra_package){ .name = "package",
                                              .version = large->versions[i],
                                              .kind = "wheel",
                                              .path = "RECORD",
                                              .note = "noted",
                                              .verdicts = &large->package_verdicts[i],
                                              .verdict_count = 1 };
}

static struct large *make_large(struct sample *sample, size_t files)
{
    struct large *large = calloc(1, sizeof(*large));

    cr_assert_not_null(large);
    sample_make(sample, 1);
    large->library = sample->libraries[0];
    large->library.bundle.entries = sample->libraries[0].entries;
    large->library.file.bundles = &large->library.bundle;
    for (size_t i = 0; i < files; i++)
        add_file(large, i);
    for (size_t i = 0; i < files / 10; i++)
        add_package(large, i);
    large->report = *sample_report(sample);
    large->report.files = large->files;
    large->report.file_count = files;
    large->report.findings = large->findings;
    large->report.finding_count = files;
    large->report.packages = large->packages;
    large->report.package_count = files / 10;
    return large;
}

/* The least processor time of several tries, so that others on the machine matter less.
 */
static double seconds(const struct ra_report *report, bool verbose)
{
    double least = 1e9;

    for (unsigned i = 0; i < 3; i++) {
        clock_t start = clock();
        double took;

        free(sample_render(report, "text", (struct ra_style){ .verbose = verbose }));
        took = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = took < least ? took : least;
    }
    return least;
}

static double seconds_of(size_t files, bool verbose)
{
    struct sample sample;
    struct large *large = make_large(&sample, files);
    double ret = seconds(&large->report, verbose);

    free(large);
    return ret;
}

/* Quadratic would be sixteen times, and sorting is a little more than four. */
Test(report_large, text_takes_as_long_as_it_is)
{
    for (unsigned verbose = 0; verbose < 2; verbose++) {
        double part = seconds_of(FILES_MOST / 4, verbose);
        double all = seconds_of(FILES_MOST, verbose);

        cr_expect_lt(all, 9 * part + 0.1, "%f s, a quarter %f s", all, part);
    }
}
