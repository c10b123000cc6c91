#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_SILENT 0.5
#define ERASE_LINE     "\r\033[K"

static double seconds(void)
{
    struct timespec now = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One call of printf is one line: threads do not mix theirs. */
static void show(void *arg, const struct ra_progress *state)
{
    struct progress *progress = arg;

    if (seconds() - progress->started < SECONDS_SILENT)
        return;
    atomic_store(&progress->shown, true);
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " files\033[K", state->files,
            state->total);
    fflush(stderr);
}

void progress_start(struct progress *progress, bool quiet, struct ra_options *options)
{
    progress->started = seconds();
    atomic_init(&progress->shown, false);
    if (quiet || !isatty(STDERR_FILENO))
        return;
    options->progress = show;
    options->progress_arg = progress;
}

void progress_end(struct progress *progress)
{
    if (atomic_load(&progress->shown))
        fputs(ERASE_LINE, stderr);
}
