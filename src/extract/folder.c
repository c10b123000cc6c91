#include "extract/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_NAME 64   /* bytes of the name while it is written */
#define TRIES     1000 /* names that somebody else took */
#define WINDOW    ((size_t)16 * 1024)

static void part_name(const struct ra_part *part, char ret[PART_NAME])
{
    snprintf(ret, PART_NAME, ".rocaudit-%ld-%u.part", (long)getpid(), part->serial);
}

/* Only the first: what follows is seldom more than its echo. */
static bool fails(struct ra_folder *folder, int error)
{
    int none = 0;

    (void)atomic_compare_exchange_strong(&folder->trouble, &none, error);
    return false;
}

void ra_folder_open(const char *path, struct ra_folder *ret)
{
    *ret = (struct ra_folder){ .fd = -1 };
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        (void)fails(ret, errno);
        return;
    }
    ret->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (ret->fd < 0)
        (void)fails(ret, errno);
}

void ra_folder_close(struct ra_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = -1;
}

const char *ra_folder_trouble(const struct ra_folder *folder)
{
    int error = folder->trouble;

    return error ? strerrordesc_np(error) : NULL;
}

bool ra_folder_begin(struct ra_folder *folder, struct ra_part *ret)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    char name[PART_NAME];

    *ret = (struct ra_part){ .fd = -1 };
    if (folder->trouble)
        return false;
    for (unsigned i = 0; ret->fd < 0 && i < TRIES; i++) {
        ret->serial = folder->serial++;
        part_name(ret, name);
        ret->fd = openat(folder->fd, name, flags, 0666);
        if (ret->fd < 0 && errno != EEXIST)
            break;
    }
    ret->made = ret->fd >= 0;
    return ret->made || fails(folder, errno);
}

bool ra_folder_add(struct ra_folder *folder, struct ra_part *part, const uint8_t *bytes,
                   size_t size)
{
    while (size > 0) {
        ssize_t done = write(part->fd, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fails(folder, done < 0 ? errno : ENOSPC);
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

bool ra_folder_end(struct ra_folder *folder, struct ra_part *part)
{
    int fd = part->fd;

    part->fd = -1;
    return close(fd) == 0 || fails(folder, errno);
}

/* ---- the name --------------------------------------------------------------- */

/* All that can be had, up to `size`; less at the end. */
static ssize_t read_some(int fd, uint8_t *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = read(fd, bytes + done, size - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool same_bytes(int left, int right)
{
    uint8_t a[WINDOW], b[WINDOW];
    ssize_t size;

    do {
        size = read_some(left, a, sizeof(a));
        if (size < 0 || read_some(right, b, sizeof(b)) != size ||
            memcmp(a, b, (size_t)size) != 0)
            return false;
    } while (size > 0);
    return true;
}

static int open_read(const struct ra_folder *folder, const char *name)
{
    /* O_NONBLOCK: a pipe of that name must not hold us up. */
    return openat(folder->fd, name,
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Why what has the name already is not what we have; NULL if it is. */
static const char *differs(const struct ra_folder *folder, const char *part, int fd)
{
    struct stat info;
    bool same;
    int ours;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return "something that is no file has its name";
    ours = open_read(folder, part);
    if (ours < 0)
        return strerrordesc_np(errno);
    same = same_bytes(ours, fd);
    close(ours);
    return same ? NULL : "a file with other bytes has its name";
}

static enum ra_outcome compare(const struct ra_folder *folder, const char *part,
                               const char *name, const char **reason)
{
    int fd = open_read(folder, name);

    if (fd < 0) {
        *reason = errno == ELOOP ? "a link has its name" : strerrordesc_np(errno);
        return RA_FAILED;
    }
    *reason = differs(folder, part, fd);
    close(fd);
    return *reason ? RA_FAILED : RA_UNCHANGED;
}

/* 0, or errno. Some file systems know only one of the two ways. */
static int give_name(const struct ra_folder *folder, const char *part, const char *name)
{
    if (renameat2(folder->fd, part, folder->fd, name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    if (linkat(folder->fd, part, folder->fd, name, 0) != 0)
        return errno;
    (void)unlinkat(folder->fd, part, 0);
    return 0;
}

enum ra_outcome ra_folder_commit(struct ra_folder *folder, struct ra_part *part,
                                 const char *name, const char **reason)
{
    enum ra_outcome outcome = RA_FAILED;
    char from[PART_NAME];
    int error;

    part_name(part, from);
    error = give_name(folder, from, name);
    if (error == 0) {
        part->made = false;
        return RA_WRITTEN;
    }
    if (error == EEXIST)
        outcome = compare(folder, from, name, reason);
    else
        *reason = strerrordesc_np(error);
    ra_folder_discard(folder, part);
    return outcome;
}

void ra_folder_discard(struct ra_folder *folder, struct ra_part *part)
{
    char name[PART_NAME];

    if (!part->made)
        return;
    if (part->fd >= 0)
        close(part->fd);
    part_name(part, name);
    (void)unlinkat(folder->fd, name, 0);
    part->made = false;
    part->fd = -1;
}
