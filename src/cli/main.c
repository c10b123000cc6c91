#include "cli/options.h"
#include "cli/processors.h"
#include "cli/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EXIT_FITS = 0, EXIT_UNDECIDED = 2, EXIT_USAGE = 3 };

static bool file_sink(void *arg, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, arg) == size;
}

static bool says(const char *variable)
{
    const char *value = getenv(variable);

    return value && *value;
}

/* no-color.org, and bixense.com/clicolors for the opposite. */
static bool wants_color(const struct options *options)
{
    const char *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM");

    if (options->color != COLOR_AUTO)
        return options->color == COLOR_ALWAYS;
    if (says("NO_COLOR"))
        return false;
    if (force && *force && strcmp(force, "0") != 0)
        return true;
    return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
}

static unsigned width(void)
{
    struct winsize size = { 0 };

    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* Nobody is told of a reader who went away: it knows. */
static int cannot_write(const char *name, int error)
{
    if (error != EPIPE)
        fprintf(stderr, "rocaudit: cannot write %s: %s\n", name, strerror(error));
    return EXIT_UNDECIDED;
}

static int out_of_memory(void)
{
    fputs("rocaudit: out of memory\n", stderr);
    return EXIT_UNDECIDED;
}

static bool finished;

/*
 * libarchive ends the process where memory is short, and its status is one that says
 * "does not fit" here. Nothing was answered yet: answers are written when all is known.
 */
static void check_finished(void)
{
    if (!finished)
        _exit(out_of_memory());
}

static int finish_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    return cannot_write("the answer", errno);
}

static int write_stdout(const struct ra_report *report, const struct options *options)
{
    struct ra_style style = {
        .sz = sizeof(style),
        .width = width(),
        .timing = isatty(STDOUT_FILENO) != 0,
        .color = wants_color(options),
        .verbose = options->verbose,
        .quiet = options->quiet,
        .targets_only = options->targets_only,
        .matrix = options->matrix,
    };
    const char *format = options->format ? options->format : "text";

    if (ra_report_write(report, format, &style, file_sink, stdout) == RA_E_NOMEM)
        return out_of_memory();
    return finish_stdout(report->exit);
}

/* A file looks the same wherever it was written from: no terminal is asked. */
static int write_file(const struct ra_report *report, const struct options *options,
                      const char *format, const char *name)
{
    struct ra_style style = {
        .sz = sizeof(style),
        .verbose = options->verbose,
        .quiet = options->quiet,
        .targets_only = options->targets_only,
        .matrix = options->matrix,
    };
    FILE *file = fopen(name, "we");
    enum ra_status status;

    if (!file)
        return cannot_write(name, errno);
    status = ra_report_write(report, format, &style, file_sink, file);
    if (fclose(file) != 0 || status == RA_E_IO)
        return cannot_write(name, errno);
    return status == RA_E_NOMEM ? out_of_memory() : EXIT_FITS;
}

static int write_files(const struct ra_report *report, const struct options *options)
{
    int code = EXIT_FITS;

    for (size_t i = 0; i < options->outputs.count; i++) {
        const char *format, *name;

        if (options_split_output(options->outputs.items[i], &format, &name) &&
            write_file(report, options, format, name) != EXIT_FITS)
            code = EXIT_UNDECIDED;
    }
    return code;
}

static struct ra_report *extract(const struct options *options,
                                 const struct ra_options *wanted)
{
    struct ra_extract_options how = {
        .sz = sizeof(how),
        .folder = options->folder,
        .targets = options->targets.items,
        .target_count = options->targets.count,
        .dry_run = options->dry_run,
        .no_colon = options->no_colon,
    };

    return ra_extract(wanted, &how);
}

static struct ra_options wanted_of(const struct options *options)
{
    return (struct ra_options){
        .sz = sizeof(struct ra_options),
        .paths = options->paths.items,
        .path_count = options->paths.count,
        .gpus = options->gpus.items,
        .gpu_count = options->gpus.count,
        .gpus_from = options->gpus_from.items,
        .gpus_from_count = options->gpus_from.count,
        .sysfs = options->sysfs,
        .runtime = options->runtime,
        .rocm = options->rocm,
        .compat = options->compat,
        .cpu = options->cpu,
        .environment = (const char *const *)environ,
        .threads = options->threads,
        .kernels = options->kernels,
        .verify = options->verify,
        .all_gpus = options->all_gpus,
        .strict = options->strict,
        .allow_empty = options->allow_empty,
        .allow_incomplete = options->allow_incomplete,
        .follow_editable = options->follow_editable,
        .fail_on = (enum ra_fail_on)options->fail_on,
        .required = options->required.items,
        .required_count = options->required.count,
        .forbidden = options->forbidden.items,
        .forbidden_count = options->forbidden.count,
        .allowed_partial = options->allowed_partial.items,
        .allowed_partial_count = options->allowed_partial.count,
    };
}

static struct ra_report *ask(const struct options *options)
{
    struct ra_options wanted = wanted_of(options);
    struct progress progress;
    struct ra_report *report;

    if (options->verb == VERB_GPU)
        return ra_gpus(&wanted);
    progress_start(&progress, options->quiet, &wanted);
    if (options->verb == VERB_EXTRACT)
        report = extract(options, &wanted);
    else if (options->verb == VERB_CHECK)
        report = ra_check(&wanted);
    else
        report = options->verb == VERB_LS ? ra_list(&wanted) : ra_audit(&wanted);
    progress_end(&progress);
    return report;
}

static int run(const struct options *options)
{
    struct ra_report *report = ask(options);
    int code, files;

    if (!report)
        return out_of_memory();
    code = write_stdout(report, options);
    files = write_files(report, options);
    /* A bare list of targets has no room to say so, and a script may not look. */
    if (options->targets_only && !options->quiet && report->totals.incomplete > 0)
        fputs("rocaudit: not all could be read, so targets may be missing\n", stderr);
    if (report->extraction && report->extraction->trouble)
        fprintf(stderr, "rocaudit: cannot write to %s: %s\n", report->extraction->folder,
                report->extraction->trouble);
    ra_report_free(report);
    return files != EXIT_FITS ? files : code;
}

/* What was asked for, or a line for each there is. */
static int explain(const struct options *options)
{
    struct ra_style style = { .sz = sizeof(style),
                              .width = width(),
                              .color = wants_color(options) };
    const char *format = options->format ? options->format : "text";
    const struct ra_explanation *explanation =
        options->paths.count > 0 ? ra_explain(options->paths.items[0]) : NULL;

    if (ra_explanation_write(explanation, format, &style, file_sink, stdout) ==
        RA_E_NOMEM)
        return out_of_memory();
    return finish_stdout(EXIT_FITS);
}

static int answer(const struct options *options)
{
    if (options->version) {
        processors_version(stdout);
    } else if (options->help || options->verb == VERB_HELP) {
        options_help(stdout, options->topic);
    } else if (options->list) {
        processors_list(stdout);
    } else if (options->verb == VERB_EXPLAIN) {
        return explain(options);
    } else {
        return run(options);
    }
    return finish_stdout(EXIT_FITS);
}

int main(int argc, char **argv)
{
    struct options options;
    struct ra_text error = { 0 };
    enum ra_status status =
        options_parse(argc, (const char *const *)argv, &options, &error);
    int code;

    finished = atexit(check_finished) != 0;
    if (status == RA_OK) {
        code = answer(&options);
    } else if (status == RA_E_NOMEM || error.failed) {
        code = out_of_memory();
    } else {
        fprintf(stderr, "rocaudit: %s\ntry 'rocaudit --help'\n", error.data);
        code = EXIT_USAGE;
    }
    ra_text_free(&error);
    options_free(&options);
    finished = true;
    return code;
}
