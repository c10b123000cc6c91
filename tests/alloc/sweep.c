/*
 * sweep.c - preloaded into a program: it runs again and again, and each time another of
 * its allocations fails.
 *
 * Before main() it forks for every run; the parent compares and never gets to main().
 * The first run is undisturbed, which gives the whole answer and the number of its
 * allocations. Then one run for each of them, from SWEEP_FIRST on (1) in steps of
 * SWEEP_STEP (1), in which it fails; with SWEEP_ALL all that follow fail as well. A run
 * has to end in the whole answer, or with status 2 and the words "out of memory" on
 * standard error. All else is told, and bad; but SWEEP_CRASHES of them may crash, where
 * a library does. The last line: RUNS runs, WHOLE whole, TOLD told, CRASHED crashed, BAD
 * bad.
 */
#include "deny.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 30 /* that a run may take; it takes some hundredths */

struct sweep {
    unsigned long first, step, crashes;
    bool all;
};

struct text {
    char *bytes;
    size_t size;
};

struct run {
    int status; /* of waitpid() */
    struct text out, err;
    unsigned long count; /* of allocations; 0 if it did not come to its end */
};

static void die(const char *what)
{
    fprintf(stderr, "sweep: %s: %s\n", what, strerror(errno));
    exit(2);
}

static int new_file(const char *name)
{
    int fd = memfd_create(name, 0);

    if (fd < 0)
        die(name);
    return fd;
}

static struct text read_file(int fd)
{
    struct stat info;
    struct text text = { 0 };

    if (fstat(fd, &info) != 0)
        die("fstat");
    text.size = (size_t)info.st_size;
    text.bytes = calloc(1, text.size + 1);
    if (!text.bytes || pread(fd, text.bytes, text.size, 0) != (ssize_t)text.size)
        die("what the program said");
    close(fd);
    return text;
}

/* In the child, from which the program goes on. */
static void start(const struct deny *deny, int out, int err)
{
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    alarm(SECONDS);
    deny_start(deny);
}

/* False in the child. */
static bool run(const struct sweep *sweep, unsigned long number, struct run *ret)
{
    struct deny deny = { number, sweep->all, new_file("count") };
    int out = new_file("out"), err = new_file("err");
    pid_t child = fork();

    if (child < 0)
        die("fork");
    if (child == 0) {
        start(&deny, out, err);
        return false;
    }
    *ret = (struct run){ 0 };
    if (waitpid(child, &ret->status, 0) != child)
        die("waitpid");
    if (pread(deny.count, &ret->count, sizeof(ret->count), 0) < 0)
        die("count");
    close(deny.count);
    ret->out = read_file(out);
    ret->err = read_file(err);
    return true;
}

static void run_free(struct run *run)
{
    free(run->out.bytes);
    free(run->err.bytes);
}

static bool is_whole(const struct run *run, const struct run *whole)
{
    return run->status == whole->status && run->out.size == whole->out.size &&
           memcmp(run->out.bytes, whole->out.bytes, run->out.size) == 0;
}

static bool is_told(const struct run *run)
{
    return WIFEXITED(run->status) && WEXITSTATUS(run->status) == 2 &&
           strstr(run->err.bytes, "out of memory");
}

static void tell(const struct run *run, unsigned long denied)
{
    if (WIFSIGNALED(run->status))
        printf("allocation %lu: killed by signal %d\n", denied, WTERMSIG(run->status));
    else
        printf("allocation %lu: exit status %d and another answer\n", denied,
               WEXITSTATUS(run->status));
    printf("%.2000s%.3000s\n", run->out.bytes, run->err.bytes);
    fflush(stdout); /* or the next child would say it again */
}

struct tally {
    unsigned long runs, whole, told, crashed, bad;
};

static void judge(const struct run *run, const struct run *whole, unsigned long number,
                  struct tally *tally)
{
    tally->runs++;
    if (is_whole(run, whole)) {
        tally->whole++;
    } else if (is_told(run)) {
        tally->told++;
    } else {
        tell(run, number);
        tally->crashed += WIFSIGNALED(run->status);
        tally->bad += !WIFSIGNALED(run->status);
    }
}

/* False in each of the children. */
static bool sweep_all(const struct sweep *sweep)
{
    static struct run whole, one; /* where a search for leaks in a child finds them */
    struct tally tally = { 0 };

    if (!run(sweep, 0, &whole))
        return false;
    if (!WIFEXITED(whole.status) || WEXITSTATUS(whole.status) > 2 ||
        whole.out.size == 0 || whole.count == 0) {
        tell(&whole, 0);
        exit(2);
    }
    for (unsigned long i = sweep->first; i <= whole.count; i += sweep->step) {
        if (!run(sweep, i, &one))
            return false;
        judge(&one, &whole, i, &tally);
        run_free(&one);
    }
    printf("%lu runs, %lu whole, %lu told, %lu crashed, %lu bad\n", tally.runs,
           tally.whole, tally.told, tally.crashed, tally.bad);
    fflush(stdout);
    /* Some must be fatal: else nothing was denied. */
    _exit(tally.bad > 0 || tally.crashed > sweep->crashes || tally.told == 0);
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);

    return text ? strtoul(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void)
{
    struct sweep sweep = {
        .first = setting("SWEEP_FIRST", 1),
        .step = setting("SWEEP_STEP", 1),
        .crashes = setting("SWEEP_CRASHES", 0),
        .all = getenv("SWEEP_ALL") != NULL,
    };

    (void)sweep_all(&sweep);
}
