#include "device/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* "0x", 16 digits of hexadecimal and a newline are fewer. */
#define NUMBER_TEXT 32

int ra_sysfs_folder(int at, const char *path)
{
    return openat(at, path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
}

/* Up to `size` bytes of an open file into `window`; false: errno. */
static bool read_up_to(int fd, uint8_t *window, size_t size, size_t *ret)
{
    *ret = 0;
    while (*ret < size) {
        ssize_t count = read(fd, window + *ret, size - *ret);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            return true;
        *ret += (size_t)count;
    }
    return true;
}

/* The kernel lets a forbidden node be seen, and refuses the open or the read. */
static enum ra_reading refused(int error)
{
    return error == EPERM || error == EACCES ? RA_READING_HIDDEN : RA_READING_BROKEN;
}

/* sysfs states no true size: a file is too long if one byte past the limit is there. */
static enum ra_reading read_text(int fd, size_t limit, uint8_t *window,
                                 struct ra_span *ret)
{
    struct stat info;
    size_t size;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return RA_READING_BROKEN;
    if (!read_up_to(fd, window, limit + 1, &size))
        return refused(errno);
    if (size > limit)
        return RA_READING_BROKEN;
    *ret = (struct ra_span){ window, size, 0 };
    return RA_READING_DONE;
}

enum ra_reading ra_sysfs_text(int folder, const char *path, size_t limit, uint8_t *window,
                              struct ra_span *ret)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    enum ra_reading reading;

    *ret = (struct ra_span){ 0 };
    if (fd < 0)
        return refused(errno);
    reading = read_text(fd, limit, window, ret);
    (void)close(fd);
    return reading;
}

/* What a digit of up to hexadecimal is worth; 16 if it is none. */
static unsigned digit_of(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10U : 16;
}

static bool read_digits(struct ra_cursor *cur, unsigned base, uint64_t *ret)
{
    *ret = 0;
    if (cur->pos == cur->span.size)
        return false;
    while (cur->pos < cur->span.size) {
        unsigned digit = digit_of(ra_cursor_u8(cur));

        if (digit >= base || *ret > (UINT64_MAX - digit) / base)
            return false;
        *ret = *ret * base + digit;
    }
    return true;
}

bool ra_sysfs_decimal(struct ra_span text, uint64_t *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);

    return read_digits(&cur, 10, ret);
}

bool ra_sysfs_index(const char *name, uint64_t *ret)
{
    struct ra_span text = { (const uint8_t *)name, strlen(name), 0 };

    return ra_sysfs_decimal(text, ret) && (name[0] != '0' || text.size == 1);
}

bool ra_sysfs_number(int folder, const char *path, uint64_t *ret)
{
    uint8_t window[NUMBER_TEXT + 1];
    struct ra_cursor cur;
    struct ra_span text;

    if (ra_sysfs_text(folder, path, NUMBER_TEXT, window, &text) != RA_READING_DONE)
        return false;
    if (text.size > 0 && text.data[text.size - 1] == '\n')
        text.size--;
    cur = ra_cursor_over(text);
    return read_digits(&cur, ra_cursor_match(&cur, "0x", 2) ? 16 : 10, ret);
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

size_t ra_sysfs_list(int folder,
                     bool (*take)(int folder, const char *name, uint64_t *ret),
                     uint64_t ret[RA_SYSFS_ENTRIES])
{
    int fd = ra_sysfs_folder(folder, ".");
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    size_t count = 0;
    uint64_t key;

    if (!entries) {
        if (fd >= 0)
            (void)close(fd);
        return 0;
    }
    while (count <= RA_SYSFS_ENTRIES && (entry = readdir(entries))) {
        if (!take(folder, entry->d_name, &key))
            continue;
        if (count < RA_SYSFS_ENTRIES)
            ret[count] = key;
        count++;
    }
    (void)closedir(entries);
    if (count <= RA_SYSFS_ENTRIES)
        qsort(ret, count, sizeof(*ret), compare);
    return count;
}
