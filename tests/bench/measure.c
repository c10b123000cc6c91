/*
 * measure.c - time commands against each other, turn about.
 *
 *     measure RUNS LABEL COMMAND [LABEL COMMAND]...
 *
 * Each command runs by sh, once to warm up and RUNS times in turn with the others, so
 * that what the machine does meanwhile hits all alike. Prints for each its label, the
 * median of the wall clock in seconds, the largest resident set in KiB, of the largest
 * process it started, and the median of processor seconds, tab-separated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MAX = 1000, COMMANDS_MAX = 16 };

struct result {
    double seconds[RUNS_MAX], processor[RUNS_MAX];
    long memory;
};

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static double run(const char *command, double *processor, long *memory)
{
    double start = now();
    struct rusage usage;
    pid_t child = fork();
    int status;

    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 127) {
        fprintf(stderr, "measure: cannot run: %s\n", command);
        exit(1);
    }
    if (usage.ru_maxrss > *memory)
        *memory = usage.ru_maxrss;
    *processor = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
    return now() - start;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

int main(int argc, char **argv)
{
    static struct result results[COMMANDS_MAX];
    int runs = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    int commands = (argc - 2) / 2;

    if (runs < 1 || runs > RUNS_MAX || commands < 1 || commands > COMMANDS_MAX) {
        fprintf(stderr, "usage: measure RUNS LABEL COMMAND [LABEL COMMAND]...\n");
        return 3;
    }
    for (int i = -1; i < runs; i++)
        for (int j = 0; j < commands; j++) {
            double processor;
            double seconds = run(argv[3 + 2 * j], &processor, &results[j].memory);

            if (i < 0)
                continue;
            results[j].seconds[i] = seconds;
            results[j].processor[i] = processor;
        }
    for (int j = 0; j < commands; j++) {
        qsort(results[j].seconds, (size_t)runs, sizeof(double), by_value);
        qsort(results[j].processor, (size_t)runs, sizeof(double), by_value);
        printf("%s\t%.4f\t%ld\t%.4f\n", argv[2 + 2 * j], results[j].seconds[runs / 2],
               results[j].memory, results[j].processor[runs / 2]);
    }
    return 0;
}
