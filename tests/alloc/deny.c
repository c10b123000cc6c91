/*
 * deny.c - preloaded into a program: counts its allocations, and lets one fail.
 *
 * What is asked for before deny_start() is not counted.
 */
#include "deny.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *memory, size_t size);
    int (*posix_memalign)(void **ret, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
} real;

static struct deny plan;
static bool started;
static atomic_ulong asked;

/* dlsym() gives a pointer to an object, which C will not turn into one to a function. */
static void find(const char *name, void *ret)
{
    void *function = dlsym(RTLD_NEXT, name);

    memcpy(ret, &function, sizeof(function));
}

void deny_start(const struct deny *deny)
{
    plan = *deny;
    started = true;
}

/* Last of all, by a library that nothing else needs. */
__attribute__((destructor)) static void tell_count(void)
{
    unsigned long count = atomic_load(&asked);

    if (started && pwrite(plan.count, &count, sizeof(count), 0) != sizeof(count))
        _exit(98);
}

static bool is_denied(void)
{
    unsigned long number;

    if (!started)
        return false;
    number = atomic_fetch_add(&asked, 1) + 1;
    if (plan.number == 0 || number < plan.number || (number > plan.number && !plan.all))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    if (!real.malloc)
        find("malloc", &real.malloc);
    return is_denied() ? NULL : real.malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!real.calloc)
        find("calloc", &real.calloc);
    return is_denied() ? NULL : real.calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    if (!real.realloc)
        find("realloc", &real.realloc);
    return is_denied() ? NULL : real.realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, bytes);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
    if (!real.posix_memalign)
        find("posix_memalign", &real.posix_memalign);
    return is_denied() ? ENOMEM : real.posix_memalign(ret, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (!real.aligned_alloc)
        find("aligned_alloc", &real.aligned_alloc);
    return is_denied() ? NULL : real.aligned_alloc(alignment, size);
}
