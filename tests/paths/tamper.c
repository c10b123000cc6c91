/*
 * tamper.c - preloaded into the program: a file changes while it is read.
 *
 * TAMPER_FILE is what to change, TAMPER how: shrink, grow, touch, replace, before the
 * TAMPER_AT-th read at an offset; or remove, folder, pipe, before it is opened. When it
 * was done, a line says so on standard error.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_ulong reads, opens;

/* dlsym() gives a pointer to an object, which C will not turn into one to a function. */
static void find(const char *name, void *ret)
{
    void *function = dlsym(RTLD_NEXT, name);

    memcpy(ret, &function, sizeof(function));
}

static bool is_how(const char *how)
{
    const char *wanted = getenv("TAMPER");

    return wanted && strcmp(wanted, how) == 0;
}

static int append(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND), done;

    done = fd >= 0 && write(fd, "more", 4) == 4;
    close(fd);
    return done ? 0 : -1;
}

/* Another file of the same name; what is open stays what it was. */
static int replace(const char *path)
{
    char other[4096] = "";
    int fd;

    strncat(other, path, sizeof(other) - 5);
    strcat(other, ".new");
    fd = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return fd >= 0 && close(fd) == 0 ? rename(other, path) : -1;
}

static void done(int failed)
{
    static const char said[] = "tampered\n";

    if (failed || write(STDERR_FILENO, said, sizeof(said) - 1) < 0)
        _exit(98);
}

static void before_read(void)
{
    const char *path = getenv("TAMPER_FILE"), *at = getenv("TAMPER_AT");
    struct stat info;

    if (!path || !at || atomic_fetch_add(&reads, 1) + 1 != strtoul(at, NULL, 10))
        return;
    if (is_how("shrink"))
        done(stat(path, &info) || truncate(path, info.st_size / 4));
    else if (is_how("grow"))
        done(append(path));
    else if (is_how("touch"))
        done(utimensat(AT_FDCWD, path, (struct timespec[2]){ { 1, 1 }, { 1, 1 } }, 0));
    else if (is_how("replace"))
        done(replace(path));
}

static void before_open(const char *path)
{
    const char *wanted = getenv("TAMPER_FILE");

    if (!wanted || strcmp(wanted, path) != 0 || atomic_fetch_add(&opens, 1) > 0)
        return;
    if (is_how("remove"))
        done(unlink(path));
    else if (is_how("folder"))
        done(unlink(path) || mkdir(path, 0700));
    else if (is_how("pipe"))
        done(unlink(path) || mkfifo(path, 0600));
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
    static ssize_t (*real)(int, void *, size_t, off_t);

    if (!real)
        find("pread", &real);
    before_read();
    return real(fd, bytes, size, offset);
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    va_list list;
    mode_t mode;

    if (!real)
        find("open", &real);
    va_start(list, flags);
    mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    before_open(path);
    return real(path, flags, mode);
}
