#include "codec/workspace.h"

#include "codec/decoder.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct ra_workspaces {
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct ra_workspace *idle;
    size_t limit;      /* bytes of all together */
    size_t busy, held; /* workspaces in use; bytes of all, idle ones too */
};

static size_t total(struct ra_need need)
{
    return need.blob + need.packed + need.window;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct ra_workspaces *ra_workspaces_new(size_t limit)
{
    struct ra_workspaces *all = calloc(1, sizeof(*all));

    if (!all)
        return NULL;
    all->limit = limit;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->given, NULL);
    return all;
}

/*
 * Pages of our own, not malloc(): glibc keeps what was freed in an arena a thread, and a
 * budget is worth nothing if the memory behind it does not come back.
 */
static uint8_t *pages_take(size_t size)
{
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED)
        return NULL;
    (void)madvise(pages, size, MADV_HUGEPAGE); /* faster, where it is granted */
    return pages;
}

static void pages_give(uint8_t *pages, size_t size)
{
    if (pages)
        (void)munmap(pages, size);
}

static void release(struct ra_workspace *workspace)
{
    pages_give(workspace->blob, workspace->room.blob);
    pages_give(workspace->packed, workspace->room.packed);
    ra_zstd_context_free(workspace->zstd);
    free(workspace);
}

static void drop_idle(struct ra_workspaces *all)
{
    while (all->idle) {
        struct ra_workspace *next = all->idle->next;

        all->held -= total(all->idle->room);
        release(all->idle);
        all->idle = next;
    }
}

void ra_workspaces_free(struct ra_workspaces *all)
{
    if (!all)
        return;
    drop_idle(all);
    pthread_cond_destroy(&all->given);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

/* Idle memory goes first; then we wait for others, unless there are none. */
static void wait_for_room(struct ra_workspaces *all, struct ra_need need)
{
    for (;;) {
        size_t fresh = total(need);

        if (all->idle) {
            struct ra_need grown = {
                .blob = larger(need.blob, all->idle->room.blob),
                .packed = larger(need.packed, all->idle->room.packed),
                .window = larger(need.window, all->idle->room.window),
            };

            fresh = total(grown) - total(all->idle->room);
        }
        if (fresh <= all->limit && all->held <= all->limit - fresh)
            return;
        if (all->idle)
            drop_idle(all);
        else if (all->busy == 0)
            return;
        else
            pthread_cond_wait(&all->given, &all->lock);
    }
}

static bool grow(uint8_t **buffer, size_t *room, size_t need)
{
    if (need <= *room)
        return true;
    pages_give(*buffer, *room);
    *buffer = pages_take(need);
    *room = *buffer ? need : 0;
    return *buffer != NULL;
}

enum ra_status ra_workspace_take(struct ra_workspaces *all, struct ra_need need,
                                 struct ra_workspace **ret)
{
    struct ra_workspace *workspace;
    struct ra_need before = { 0 };
    bool good;

    pthread_mutex_lock(&all->lock);
    wait_for_room(all, need);
    workspace = all->idle;
    if (workspace) {
        all->idle = workspace->next;
        before = workspace->room;
    } else {
        workspace = calloc(1, sizeof(*workspace));
    }
    good = workspace && grow(&workspace->blob, &workspace->room.blob, need.blob) &&
           grow(&workspace->packed, &workspace->room.packed, need.packed);
    if (good) {
        workspace->room.window = larger(workspace->room.window, need.window);
        all->held += total(workspace->room) - total(before);
        all->busy++;
        *ret = workspace;
    } else if (workspace) {
        all->held -= total(before);
        release(workspace);
    }
    pthread_mutex_unlock(&all->lock);
    return good ? RA_OK : RA_E_NOMEM;
}

void ra_workspace_give(struct ra_workspaces *all, struct ra_workspace *workspace)
{
    pthread_mutex_lock(&all->lock);
    workspace->next = all->idle;
    all->idle = workspace;
    all->busy--;
    pthread_cond_broadcast(&all->given);
    pthread_mutex_unlock(&all->lock);
}
