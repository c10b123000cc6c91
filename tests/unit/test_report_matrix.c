/* Libraries and targets as a table. */
#include "base/text.h"
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>

static const struct ra_style matrix = { .matrix = true };

#define BUNDLES 12

/* A library of many bundles, each with one entry. */
struct stack {
    struct ra_entry entries[BUNDLES];
    struct ra_bundle bundles[BUNDLES];
};

/* `count` bundles for `target`, the first `some` of them; the others for `other`. */
static void stack_make(struct stack *stack, struct library *library, size_t count,
                       size_t some, const char *target, const char *other)
{
    for (size_t i = 0; i < count; i++) {
        stack->entries[i] = library->entries[1];
        stack->entries[i].target = i < some ? target : other;
        stack->bundles[i] = library->bundle;
        stack->bundles[i].entries = &stack->entries[i];
        stack->bundles[i].entry_count = 1;
    }
    library->file.bundles = stack->bundles;
    library->file.bundle_count = count;
}

static void put_target(struct library *library, const char *target)
{
    library->entries[1].target = library->entries[1].elf_target = target;
}

/* 12 of 12, 7 of 12, none; and a target that is there by name only is not there. */
Test(report_matrix, cell_is_the_number_of_bundles)
{
    static struct stack all, some;
    struct sample sample;
    char *text;

    sample_make(&sample, 3);
    stack_make(&all, &sample.libraries[0], 12, 12, "gfx1030", "");
    stack_make(&some, &sample.libraries[1], 12, 7, "gfx1100", "gfx1030");
    put_target(&sample.libraries[2], "gfx1100");
    text = sample_render(sample_listing(&sample), "text", matrix);
    cr_expect_str_eq(text, "               gfx1030  gfx1100\n"
                           "/opt/lib00.so       12        .\n"
                           "/opt/lib01.so     5/12     7/12\n"
                           "/opt/lib02.so        .        1\n");
    free(text);
}

/* A bundle of nothing but host code could not have any. */
Test(report_matrix, bundles_for_the_host_alone_do_not_count)
{
    static struct stack stack;
    struct sample sample;

    sample_make(&sample, 1);
    stack_make(&stack, &sample.libraries[0], 3, 2, "gfx1030", "");
    stack.entries[2] = sample.libraries[0].entries[0];
    assert_says(sample_listing(&sample), "text", matrix,
                "               gfx1030\n/opt/lib00.so        2\n");
    stack.bundles[2].has_table = false;
    assert_says(&sample.report, "text", matrix,
                "               gfx1030\n/opt/lib00.so      2/3\n");
}

Test(report_matrix, bundle_counts_once_for_a_target)
{
    struct sample sample;

    sample_make(&sample, 1);
    sample.libraries[0].entries[2] = sample.libraries[0].entries[1];
    assert_says(sample_listing(&sample), "text", matrix, "/opt/lib00.so        1\n");
}

/* By generations, not by letters; what nobody knows, generics and SPIR-V come last. */
Test(report_matrix, targets_stand_in_the_order_of_processors)
{
    static const char *const targets[] = { "amdgcnspirv",   "gfx11-generic", "gfx9999",
                                           "gfx1030",       "gfx942",        "gfx90a",
                                           "gfx90a:xnack-", "gfx9-generic" };
    struct sample sample;

    sample_make(&sample, RA_COUNT(targets));
    for (size_t i = 0; i < RA_COUNT(targets); i++)
        put_target(&sample.libraries[i], targets[i]);
    assert_says(sample_listing(&sample), "text",
                (struct ra_style){ .matrix = true, .width = 200 },
                "               gfx90a  gfx90a:xnack-  gfx942  gfx1030  gfx9999  "
                "gfx9-generic  gfx11-generic  amdgcnspirv\n"
                "/opt/lib00.so       .              .       .        .        .  "
                "           .              .            1\n");
}

/* What was not read may well be there. */
Test(report_matrix, part_that_was_not_read_is_no_absence)
{
    struct ra_diag diag = { .code = "D010",
                            .name = "payload-damaged",
                            .severity = RA_ERROR,
                            .text = "compressed data is damaged",
                            .detail = "zstd",
                            .inner = RA_NOT_EXPANDED };
    struct sample sample;
    char *text;

    sample_make(&sample, 2);
    put_target(&sample.libraries[1], "gfx1100");
    sample.libraries[1].file.status = RA_FILE_INCOMPLETE;
    sample.libraries[1].file.diags = &diag;
    sample.report.totals.incomplete = 1;
    text = sample_render(sample_listing(&sample), "text", matrix);
    cr_expect_str_eq(text, "               gfx1030  gfx1100\n"
                           "/opt/lib00.so        1        .\n"
                           "/opt/lib01.so        ?        1\n"
                           "\n"
                           "?       /opt/lib01.so could not be read whole\n"
                           "          D010 payload-damaged at 0x0: compressed data is "
                           "damaged: zstd\n");
    free(text);
}

Test(report_matrix, is_there_only_if_asked_for)
{
    const struct ra_style bare = { .matrix = true, .targets_only = true };
    struct sample sample;

    sample_make(&sample, 1);
    assert_lacks(sample_report(&sample), "text", (struct ra_style){ 0 }, "bundles that");
    assert_says(&sample.report, "text", matrix,
                "        mend           rebuild for the GPU\n"
                "\n"
                "bundles that have code, by target\n"
                "                       gfx1030\n"
                "        /opt/lib00.so        1\n"
                "\n"
                "bytes ");
    assert_lacks(sample_listing(&sample), "text", matrix, "BUNDLE");
    assert_lacks(&sample.report, "text", bare, "/opt");
}

Test(report_matrix, nothing_is_said_to_be_nothing)
{
    struct sample sample;

    sample_make(&sample, 0);
    assert_says(sample_listing(&sample), "text", matrix, "no AMD device code in 3 files");
    sample_make(&sample, 1);
    sample.libraries[0].bundle.entry_count = 1; /* for the host */
    assert_says(sample_listing(&sample), "text", matrix, "        no AMD device code\n");
}

/* ---- what does not fit ---------------------------------------------------------------
 */

static char target_names[24][16];

static void make_wide(struct sample *sample)
{
    sample_make(sample, SAMPLE_LIBRARIES);
    for (size_t i = 0; i < SAMPLE_LIBRARIES; i++) {
        (void)snprintf(target_names[i], sizeof(target_names[i]), "gfx20%02zu", i);
        put_target(&sample->libraries[i], target_names[i]);
    }
}

/* Of 80 columns, names take 13 and each target 9: 7 targets a block, and 3 blocks. */
Test(report_matrix, wide_table_comes_in_blocks)
{
    struct sample sample;
    char *text;

    make_wide(&sample);
    text = sample_render(sample_listing(&sample), "text", matrix);
    cr_expect_eq(sample_count(text, "/opt/lib00.so"), 3, "%s", text);
    cr_expect_not_null(strstr(text, "  gfx2005  gfx2006\n/opt/lib00.so"), "%s", text);
    cr_expect_not_null(strstr(text, "\n\n               gfx2007  gfx2008"), "%s", text);
    cr_expect_not_null(strstr(text, "\n\n               gfx2014  gfx2015"), "%s", text);
    for (size_t i = 0; i < SAMPLE_LIBRARIES; i++)
        cr_expect_eq(sample_count(text, target_names[i]), 1, "%s", target_names[i]);
    free(text);
}

Test(report_matrix, fits_every_page)
{
    static const unsigned widths[] = { 40, 41, 60, 80, 100, 200 };
    static char name[300], target[300];
    static struct stack stack;
    struct sample sample;

    memset(name, 'n', sizeof(name) - 1);
    memset(target, 't', sizeof(target) - 1);
    for (size_t i = 0; i < RA_COUNT(widths); i++) {
        make_wide(&sample);
        put_target(&sample.libraries[4], target);
        stack_make(&stack, &sample.libraries[5], 12, 3, "gfx90a:sramecc+:xnack-",
                   "gfx90a:sramecc+:xnack+");
        sample.libraries[3].file.name = name;
        for (unsigned audit = 0; audit < 2; audit++) {
            const struct ra_report *report =
                audit ? sample_report(&sample) : sample_listing(&sample);
            struct ra_style style = { .matrix = true, .width = widths[i] };
            char *text = sample_render(report, "text", style), *rest = text, *line;

            cr_expect_null(strstr(text, " \n"), "%s", text);
            while ((line = strsep(&rest, "\n")))
                cr_expect_leq(strlen(line), widths[i], "%zu: %s", strlen(line), line);
            free(text);
        }
    }
}

#define MANY 60

static struct library libraries[MANY];
static struct ra_file files[MANY];
static char names[MANY][16];

static void make_many(struct ra_report *report)
{
    struct sample sample;

    sample_make(&sample, 1);
    *report = *sample_listing(&sample);
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "lib%02zu.so", i);
        libraries[i] = sample.libraries[0];
        libraries[i].bundle.entries = libraries[i].entries;
        libraries[i].file.bundles = &libraries[i].bundle;
        libraries[i].file.path = libraries[i].file.name = names[i];
        files[i] = libraries[i].file;
    }
    report->files = files;
    report->file_count = MANY;
    report->totals.targets = NULL;
    report->totals.target_count = 0;
}

/* A file that differs is shown, even the last of sixty. */
Test(report_matrix, forty_most_telling_rows_are_shown)
{
    static struct stack stack;
    struct ra_report report;
    char *text;

    make_many(&report);
    put_target(&libraries[57], "gfx1100");
    stack_make(&stack, &libraries[59], 2, 1, "gfx1100", "gfx1030");
    files[59] = libraries[59].file;
    text = sample_render(&report, "text", matrix);
    cr_expect_eq(sample_count(text, ".so"), 40, "%s", text);
    cr_expect_not_null(strstr(text, "          gfx1030  gfx1100\n"
                                    "lib00.so        1        .\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "lib57.so        .        1\n"
                                    "lib59.so      1/2      1/2\n"
                                    "        and 20 more libraries   (-v lists them)\n"),
                       "%s", text);
    free(text);
}

Test(report_matrix, verbose_shows_all_rows)
{
    const struct ra_style verbose = { .matrix = true, .verbose = true };
    struct ra_report report;
    char *text;

    make_many(&report);
    text = sample_render(&report, "text", verbose);
    cr_expect_eq(sample_count(text, ".so"), MANY, "%s", text);
    cr_expect_null(strstr(text, "more"), "%s", text);
    free(text);
}

/* An attacker may put any number of targets into one table. */
Test(report_matrix, targets_without_end_are_not_all_shown)
{
    enum { COUNT = 5000 };
    static struct ra_entry entries[COUNT];
    static char labels[COUNT][16];
    struct sample sample;
    char *text;

    sample_make(&sample, 1);
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(labels[i], sizeof(labels[i]), "gfx%05zu", i);
        entries[i] = sample.libraries[0].entries[1];
        entries[i].target = labels[i];
    }
    sample.libraries[0].bundle.entries = entries;
    sample.libraries[0].bundle.entry_count = COUNT;
    text = sample_render(sample_listing(&sample), "text", matrix);
    cr_expect_eq(sample_count(text, "gfx"), 96, "%zu", sample_count(text, "gfx"));
    cr_expect_not_null(
        strstr(text, "        and 4,904 more targets   (-v lists them)\n"));
    free(text);
}
