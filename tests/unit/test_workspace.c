#include "codec/workspace.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static struct ra_workspace *take(struct ra_workspaces *all, struct ra_need need)
{
    struct ra_workspace *workspace = NULL;

    cr_assert_eq(ra_workspace_take(all, need, &workspace), RA_OK);
    return workspace;
}

Test(workspace, has_the_room_that_was_asked_for)
{
    struct ra_workspaces *all = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_workspace *one = take(all, (struct ra_need){ .blob = 5000, .packed = 300 });

    memset(one->blob, 1, 5000);
    memset(one->packed, 1, 300);
    ra_workspace_give(all, one);
    ra_workspaces_free(all);
}

Test(workspace, nothing_can_be_asked_for)
{
    struct ra_workspaces *all = ra_workspaces_new(RA_WORKSPACE_TOTAL);

    ra_workspace_give(all, take(all, (struct ra_need){ 0 }));
    ra_workspaces_free(all);
    ra_workspaces_free(NULL);
}

Test(workspace, buffers_that_are_large_enough_are_used_again)
{
    struct ra_workspaces *all = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_workspace *one = take(all, (struct ra_need){ .blob = MIB, .packed = MIB });
    const uint8_t *blob = one->blob, *packed = one->packed;

    ra_workspace_give(all, one);
    for (unsigned i = 0; i < 3; i++) {
        struct ra_workspace *again =
            take(all, (struct ra_need){ .blob = MIB >> i, .packed = MIB >> 2 * i });

        cr_assert_eq(again->blob, blob);
        cr_assert_eq(again->packed, packed);
        ra_workspace_give(all, again);
    }
    ra_workspaces_free(all);
}

Test(workspace, a_small_buffer_grows)
{
    struct ra_workspaces *all = ra_workspaces_new(RA_WORKSPACE_TOTAL);

    for (size_t size = 1; size <= 64 * MIB; size *= 4) {
        struct ra_workspace *one =
            take(all, (struct ra_need){ .blob = size, .packed = 64 * MIB / size });

        one->blob[size - 1] = 1;
        one->packed[64 * MIB / size - 1] = 1;
        ra_workspace_give(all, one);
    }
    ra_workspaces_free(all);
}

Test(workspace, one_alone_may_need_more_than_the_budget)
{
    struct ra_workspaces *all = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_need need = { .window = 2 * RA_WORKSPACE_TOTAL };

    alarm(20); /* a wait for nobody would never end */
    ra_workspace_give(all, take(all, (struct ra_need){ .blob = MIB }));
    ra_workspace_give(all, take(all, need));
    ra_workspace_give(all, take(all, need));
    ra_workspace_give(all, take(all, (struct ra_need){ .blob = MIB }));
    ra_workspaces_free(all);
}

Test(workspace, what_no_memory_holds_is_refused_and_the_next_is_served)
{
    struct ra_workspaces *all;
    struct ra_workspace *workspace = NULL;

#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the sanitiser ends programs that ask for too much");
#endif
    alarm(20);
    all = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    cr_assert_eq(
        ra_workspace_take(all, (struct ra_need){ .blob = SIZE_MAX / 4 }, &workspace),
        RA_E_NOMEM);
    ra_workspace_give(all, take(all, (struct ra_need){ .blob = MIB }));
    ra_workspaces_free(all);
}

/* ---- several threads -------------------------------------------------------- */

struct crowd {
    struct ra_workspaces *all;
    atomic_size_t in_use, most, turns;
};

static void pause_briefly(long microseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000 }, NULL);
}

static void *work(void *arg)
{
    struct crowd *crowd = arg;
    unsigned seed = (unsigned)atomic_fetch_add(&crowd->turns, 1);

    for (unsigned i = 0; i < 200; i++) {
        struct ra_need need = { .blob = (size_t)rand_r(&seed) % (20 * MIB),
                                .packed = (size_t)rand_r(&seed) % (20 * MIB),
                                .window = (size_t)rand_r(&seed) % (90 * MIB) };
        size_t size = need.blob + need.packed + need.window, now, most;
        struct ra_workspace *workspace;

        if (ra_workspace_take(crowd->all, need, &workspace) != RA_OK)
            abort();
        if (workspace->room.blob < need.blob || workspace->room.packed < need.packed)
            abort();
        now = atomic_fetch_add(&crowd->in_use, size) + size;
        most = atomic_load(&crowd->most);
        while (now > most && !atomic_compare_exchange_weak(&crowd->most, &most, now))
            continue;
        pause_briefly(50);
        atomic_fetch_sub(&crowd->in_use, size);
        ra_workspace_give(crowd->all, workspace);
    }
    return NULL;
}

Test(workspace, threads_stay_inside_the_budget_and_all_are_served)
{
    struct crowd crowd = { .all = ra_workspaces_new(RA_WORKSPACE_TOTAL) };
    pthread_t threads[12];

    alarm(120); /* a deadlock is a failure */
    for (size_t i = 0; i < RA_COUNT(threads); i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &crowd), 0);
    for (size_t i = 0; i < RA_COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    cr_assert_leq(crowd.most, RA_WORKSPACE_TOTAL);
    cr_assert_gt(crowd.most, RA_WORKSPACE_TOTAL / 2, "they did work side by side");
    ra_workspaces_free(crowd.all);
}

struct waiter {
    struct ra_workspaces *all;
    struct ra_need need;
    atomic_bool served;
};

static void *wait_for_one(void *arg)
{
    struct waiter *waiter = arg;
    struct ra_workspace *workspace;

    if (ra_workspace_take(waiter->all, waiter->need, &workspace) != RA_OK)
        abort();
    atomic_store(&waiter->served, true);
    ra_workspace_give(waiter->all, workspace);
    return NULL;
}

Test(workspace, who_would_exceed_the_budget_waits_until_another_is_done)
{
    struct waiter waiter = { .all = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                             .need = { .window = 100 * MIB } };
    struct ra_workspace *one = take(waiter.all, waiter.need);
    pthread_t thread;

    alarm(60);
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_one, &waiter), 0);
    pause_briefly(100000);
    cr_assert_not(atomic_load(&waiter.served));
    ra_workspace_give(waiter.all, one);
    pthread_join(thread, NULL);
    cr_assert(atomic_load(&waiter.served));
    ra_workspaces_free(waiter.all);
}

Test(workspace, who_fits_beside_another_does_not_wait)
{
    struct waiter waiter = { .all = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                             .need = { .window = 60 * MIB } };
    struct ra_workspace *one = take(waiter.all, waiter.need);
    pthread_t thread;

    alarm(60);
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_one, &waiter), 0);
    pthread_join(thread, NULL);
    ra_workspace_give(waiter.all, one);
    ra_workspaces_free(waiter.all);
}

Test(workspace, each_set_has_a_limit_of_its_own)
{
    struct waiter small = { .all = ra_workspaces_new(RA_MEMBER_TOTAL),
                            .need = { .blob = 30 * MIB } };
    struct waiter large = { .all = ra_workspaces_new(RA_WORKSPACE_TOTAL),
                            .need = { .blob = 30 * MIB } };
    struct ra_workspace *one = take(small.all, small.need);
    struct ra_workspace *other = take(large.all, large.need);
    pthread_t threads[2];

    alarm(60);
    cr_assert_eq(pthread_create(&threads[0], NULL, wait_for_one, &small), 0);
    cr_assert_eq(pthread_create(&threads[1], NULL, wait_for_one, &large), 0);
    pthread_join(threads[1], NULL);
    pause_briefly(100000);
    cr_assert_not(atomic_load(&small.served));
    ra_workspace_give(small.all, one);
    pthread_join(threads[0], NULL);
    ra_workspace_give(large.all, other);
    ra_workspaces_free(small.all);
    ra_workspaces_free(large.all);
}
