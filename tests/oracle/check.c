/*
 * check INPUTS EXCEPTIONS ANSWERS - what a runtime answered, against the judge.
 *
 * Makes the inputs in the folder "inputs" of the working directory, if it is not there,
 * and scans it. Tells each answer that differs, and counts.
 */
#include "runtime_check.h"

#include <stdlib.h>
#include <sys/stat.h>

#define FOLDER "inputs"

static struct ra_report *scan(void)
{
    const char *paths[] = { FOLDER };
    struct ra_options options = {
        .sz = sizeof(options), .paths = paths, .path_count = 1, .kernels = true
    };

    return ra_list(&options);
}

static void check_line(struct runtime_check *check, char *line)
{
    struct runtime_answer answer;

    answer.mode = strsep(&line, "\t");
    answer.input = strsep(&line, "\t");
    answer.host = strsep(&line, "\t");
    answer.agent = strsep(&line, "\t");
    answer.words = line ? strsep(&line, "\n") : NULL;
    if (answer.words)
        runtime_check_answer(check, &answer);
}

static bool check_file(struct runtime_check *check, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;

    if (!file)
        return false;
    while (getline(&line, &room, file) > 0)
        check_line(check, line);
    free(line);
    fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    struct runtime_check check = { .rocm = { 502, RA_UPSTREAM }, .out = stdout };
    struct runtime_inputs inputs;
    struct ra_report *report;
    struct stat info;
    bool done;

    if (argc != 4 && argc != 2)
        return EXIT_FAILURE;
    runtime_inputs_load(argv[1], &inputs);
    if (stat(FOLDER, &info) != 0 && !runtime_inputs_save(&inputs, FOLDER))
        return EXIT_FAILURE;
    if (argc == 2)
        return EXIT_SUCCESS;
    report = scan();
    check.inputs = &inputs;
    check.report = report;
    done = report && runtime_check_exceptions(&check, argv[2]) &&
           check_file(&check, argv[3]);
    printf("%zu compared, %zu excepted, %zu differing\n", check.compared, check.excepted,
           check.differing);
    runtime_check_free(&check);
    ra_report_free(report);
    runtime_inputs_free(&inputs);
    return done && check.differing == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
