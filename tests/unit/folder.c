#include "folder.h"

#include "base/text.h"
#include "gen/files.h"
#include "gen/recipes.h"

#include <criterion/criterion.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REPORTS = 512, NAMES = 8, WORDS = 64 };

char folder_path[64];

static struct ra_arena arena;
static struct ra_report *reports[REPORTS];
static size_t report_count;

void folder_make(void)
{
    snprintf(folder_path, sizeof(folder_path), "/tmp/rocaudit-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder_path));
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

void folder_remove(void)
{
    while (report_count > 0)
        ra_report_free(reports[--report_count]);
    ra_arena_free(&arena);
    (void)nftw(folder_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *folder_name(const char *name)
{
    static char names[NAMES][PATH_MAX];
    static size_t turn;
    char *path = names[turn++ % NAMES];

    snprintf(path, PATH_MAX, "%s/%s", folder_path, name);
    return path;
}

/* The folders that a name has above it. */
static void make_above(const char *name)
{
    char path[PATH_MAX];

    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof(path), "%s/%.*s", folder_path, (int)(slash - name), name);
        (void)mkdir(path, 0700);
    }
}

void folder_save(const char *name, const struct fx *fx)
{
    make_above(name);
    cr_assert(fx_save(folder_path, name, fx), "%s is not written", name);
}

void folder_fixture(const char *name, const char *fixture)
{
    struct fx fx = fx_make(fixture);

    folder_save(name, &fx);
    fx_free(&fx);
}

void folder_write(const char *name, const char *text)
{
    struct fx fx = { 0 };

    fx_text(&fx, text);
    folder_save(name, &fx);
    fx_free(&fx);
}

/* The words of `text`, each behind `prefix`. */
static size_t split(const char *text, const char *prefix, const char **ret)
{
    char *rest = ra_arena_text(&arena, text, strlen(text));
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " "));)
        if (*word) {
            cr_assert_lt(count, WORDS);
            ret[count++] = ra_text_format(&arena, "%s%s", prefix, word);
        }
    return count;
}

const struct ra_report *folder_ask(const struct folder_ask *ask)
{
    const char *gpus[WORDS], *paths[WORDS], *prefix;
    struct ra_options options = ask->options;
    struct ra_report *report;

    prefix = ra_text_format(&arena, "%s/", folder_path);
    options.sz = sizeof(options);
    options.gpus = gpus;
    options.gpu_count = split(ask->gpus ? ask->gpus : "", "", gpus);
    options.paths = paths;
    paths[0] = folder_path;
    options.path_count = ask->paths ? split(ask->paths, prefix, paths) : 1;
    if (ask->check) {
        options.required = gpus;
        options.required_count = options.gpu_count;
        report = ra_check(&options);
    } else {
        report = ask->list ? ra_list(&options) : ra_audit(&options);
    }
    cr_assert_not_null(report);
    cr_assert_lt(report_count, REPORTS);
    reports[report_count++] = report;
    return report;
}

int folder_exit(const char *gpus, const char *paths)
{
    return folder_ask(&(struct folder_ask){ .gpus = gpus, .paths = paths })->exit;
}

static bool into_text(void *arg, const char *bytes, size_t size)
{
    ra_text_add(arg, bytes, size);
    return true;
}

const char *folder_text(const struct ra_report *report, const char *format)
{
    struct ra_style style = { .sz = sizeof(style), .width = 100, .verbose = true };
    struct ra_text text = { 0 };
    const char *kept;

    cr_assert_eq(ra_report_write(report, format, &style, into_text, &text), RA_OK);
    kept = ra_text_keep(&text, &arena);
    ra_text_free(&text);
    cr_assert_not_null(kept);
    return kept;
}

const struct ra_file *folder_file(const struct ra_report *report, const char *name)
{
    for (size_t i = 0; i < report->file_count; i++) {
        const char *path = report->files[i].raw_path;
        size_t size = strlen(path), end = strlen(name);

        if (size > end && path[size - end - 1] == '/' &&
            strcmp(path + size - end, name) == 0)
            return &report->files[i];
    }
    cr_assert_fail("the report has no file %s", name);
    return NULL;
}

size_t folder_findings(const struct ra_report *report, const char *rule,
                       enum ra_severity *severity)
{
    size_t count = 0;

    for (size_t i = 0; i < report->finding_count; i++) {
        if (strcmp(report->findings[i].rule, rule) != 0)
            continue;
        count++;
        *severity = report->findings[i].severity;
    }
    return count;
}
