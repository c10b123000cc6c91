/*
 * scratch.h - a folder of a test's own, gone when the test is.
 *
 * Paths are below the folder. What cannot be made fails the test.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
    char path[64];
};

static inline struct scratch scratch_new(void)
{
    struct scratch folder;

    snprintf(folder.path, sizeof(folder.path), "/tmp/rocaudit-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static inline int scratch_remove(const char *path, const struct stat *info, int type,
                                 struct FTW *ftw)
{
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

static inline void scratch_end(struct scratch *folder)
{
    cr_assert_eq(nftw(folder->path, scratch_remove, 64, FTW_DEPTH | FTW_PHYS), 0);
}

/** The whole path of `name`; free() it. */
static inline char *scratch_at(const struct scratch *folder, const char *name)
{
    char *path = NULL;

    cr_assert_geq(asprintf(&path, "%s/%s", folder->path, name), 0);
    return path;
}

static inline void scratch_file(const struct scratch *folder, const char *name,
                                const void *bytes, size_t size)
{
    char *path = scratch_at(folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    cr_assert_geq(fd, 0, "%s", path);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
    free(path);
}

static inline void scratch_make(const struct scratch *folder, const char *name)
{
    char *path = scratch_at(folder, name);

    cr_assert_eq(mkdir(path, 0700), 0, "%s", path);
    free(path);
}

/** A symbolic link at `name`; `target` as it stands. */
static inline void scratch_link(const struct scratch *folder, const char *target,
                                const char *name)
{
    char *path = scratch_at(folder, name);

    cr_assert_eq(symlink(target, path), 0, "%s", path);
    free(path);
}

#endif
