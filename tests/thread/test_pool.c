/*
 * Tests src/base/pool.c, to be run under TSan: slots are plain memory, so a task that
 * ran twice, or a wait that returned too early, is a data race or a wrong sum.
 */
#include "base/pool.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, FILES = 600, PARTS = 40, TOGETHER = 2, SECONDS_TO_HANG = 200 };

static void require(bool holds, const char *claim)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", claim);
    exit(1);
}

static struct ra_pool *pool_of(unsigned threads)
{
    struct ra_pool *pool = ra_pool_new(threads);

    require(pool, "there is memory for a pool");
    return pool;
}

/* ---- every task runs once ------------------------------------------------------ */

static void add_one(void *arg)
{
    unsigned *slot = arg;

    (*slot)++;
}

static void runs_each_task_once(unsigned threads, enum ra_lane lane)
{
    static unsigned slots[FILES];
    struct ra_pool *pool = pool_of(threads);
    struct ra_group group = { 0 };

    memset(slots, 0, sizeof(slots));
    for (size_t i = 0; i < FILES; i++)
        ra_pool_push(pool, &group, lane, add_one, &slots[i]);
    ra_pool_wait(pool, &group, lane);
    for (size_t i = 0; i < FILES; i++)
        require(slots[i] == 1, "each task ran once when the wait returned");
    ra_pool_free(pool);
}

static void waits_for_nothing_at_once(void)
{
    struct ra_pool *pool = pool_of(THREADS);
    struct ra_group group = { 0 };

    ra_pool_wait(pool, &group, RA_LANE_FILE);
    ra_pool_free(pool);
    ra_pool_free(NULL);
}

/* ---- tasks that start tasks ---------------------------------------------------- */

struct part {
    unsigned long value, square;
};

struct file {
    struct ra_pool *pool;
    unsigned long first, sum;
};

/* Files this thread has open: a file that waits for its parts must not open another. */
static _Thread_local unsigned open_files;
static atomic_uint most_open;

static void square(void *arg)
{
    struct part *part = arg;

    part->square = part->value * part->value;
}

static void sum_squares(void *arg)
{
    struct file *file = arg;
    struct part parts[PARTS];
    struct ra_group group = { 0 };

    open_files++;
    if (open_files > 1)
        atomic_store(&most_open, open_files);
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = (struct part){ .value = file->first + i };
        ra_pool_push(file->pool, &group, RA_LANE_PART, square, &parts[i]);
    }
    ra_pool_wait(file->pool, &group, RA_LANE_PART);
    for (size_t i = 0; i < PARTS; i++)
        file->sum += parts[i].square;
    open_files--;
}

/* Files are few enough for their lane: a full one opens files inside a push. */
static void nested_groups_wait_for_their_own(unsigned threads)
{
    static struct file files[200];
    struct ra_pool *pool = pool_of(threads);
    struct ra_group group = { 0 };

    atomic_store(&most_open, 1);
    for (size_t i = 0; i < RA_COUNT(files); i++) {
        files[i] = (struct file){ .pool = pool, .first = i };
        ra_pool_push(pool, &group, RA_LANE_FILE, sum_squares, &files[i]);
    }
    ra_pool_wait(pool, &group, RA_LANE_FILE);
    for (unsigned long i = 0; i < RA_COUNT(files); i++) {
        unsigned long sum = 0;

        for (unsigned long value = i; value < i + PARTS; value++)
            sum += value * value;
        require(files[i].sum == sum, "a file sees the work of all its parts");
    }
    require(atomic_load(&most_open) == 1, "a thread has one file open at most");
    ra_pool_free(pool);
}

/* ---- lanes, on one thread, where the order is fixed ------------------------------ */

struct order {
    unsigned count;
    enum ra_lane ran[3];
};

static void note_part(void *arg)
{
    struct order *order = arg;

    order->ran[order->count++] = RA_LANE_PART;
}

static void note_file(void *arg)
{
    struct order *order = arg;

    order->ran[order->count++] = RA_LANE_FILE;
}

static void parts_run_before_files(void)
{
    struct ra_pool *pool = pool_of(1);
    struct ra_group group = { 0 };
    struct order order = { 0 };

    ra_pool_push(pool, &group, RA_LANE_FILE, note_file, &order);
    ra_pool_push(pool, &group, RA_LANE_FILE, note_file, &order);
    ra_pool_push(pool, &group, RA_LANE_PART, note_part, &order);
    require(order.count == 0, "a push to a lane with room runs nothing");
    ra_pool_wait(pool, &group, RA_LANE_FILE);
    require(order.count == 3 && order.ran[0] == RA_LANE_PART, "the part ran first");
    ra_pool_free(pool);
}

static void waiting_for_parts_opens_no_file(void)
{
    struct ra_pool *pool = pool_of(1);
    struct ra_group files = { 0 }, parts = { 0 };
    struct order order = { 0 };

    ra_pool_push(pool, &files, RA_LANE_FILE, note_file, &order);
    ra_pool_push(pool, &parts, RA_LANE_PART, note_part, &order);
    ra_pool_wait(pool, &parts, RA_LANE_PART);
    require(order.count == 1 && order.ran[0] == RA_LANE_PART, "the file was left alone");
    ra_pool_wait(pool, &files, RA_LANE_FILE);
    require(order.count == 2, "the file ran when it was waited for");
    ra_pool_free(pool);
}

/* ---- waiting works ------------------------------------------------------------- */

static void note_thread(void *arg)
{
    pthread_t *thread = arg;

    *thread = pthread_self();
}

static unsigned threads_of_process(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/task");

    require(folder, "/proc is there");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static void one_thread_is_the_caller(unsigned threads)
{
    unsigned before = threads_of_process();
    struct ra_pool *pool = pool_of(threads);
    struct ra_group group = { 0 };
    pthread_t thread;

    require(threads_of_process() <= before, "a pool of one starts no thread");
    ra_pool_push(pool, &group, RA_LANE_FILE, note_thread, &thread);
    ra_pool_wait(pool, &group, RA_LANE_FILE);
    require(pthread_equal(thread, pthread_self()), "a pool of one works in the caller");
    ra_pool_free(pool);
}

static void meet(void *arg)
{
    pthread_barrier_wait(arg);
}

/* Two tasks that wait for each other on two threads end only if the waiter takes one. */
static void the_waiter_works(void)
{
    struct ra_pool *pool = pool_of(TOGETHER);
    struct ra_group group = { 0 };
    pthread_barrier_t barrier;

    require(pthread_barrier_init(&barrier, NULL, TOGETHER) == 0, "there is a barrier");
    for (unsigned i = 0; i < TOGETHER; i++)
        ra_pool_push(pool, &group, RA_LANE_PART, meet, &barrier);
    ra_pool_wait(pool, &group, RA_LANE_PART);
    pthread_barrier_destroy(&barrier);
    ra_pool_free(pool);
}

int main(void)
{
    alarm(SECONDS_TO_HANG);
    for (unsigned threads = 0; threads <= THREADS; threads++) {
        runs_each_task_once(threads, RA_LANE_PART);
        runs_each_task_once(threads, RA_LANE_FILE);
        nested_groups_wait_for_their_own(threads);
    }
    waits_for_nothing_at_once();
    parts_run_before_files();
    waiting_for_parts_opens_no_file();
    one_thread_is_the_caller(0);
    one_thread_is_the_caller(1);
    the_waiter_works();
    return 0;
}
