#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ra_status file_read(const struct ra_source *source, uint64_t where,
                                size_t count, struct ra_diags *diags, uint8_t *ret)
{
    while (count > 0) {
        ssize_t got = pread(source->fd, ret, count, (off_t)where);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(where), "%m");
        if (got == 0)
            return ra_fault(diags, RA_E_IO, RA_DIAG_CHANGED, ra_at(where),
                            "it became shorter");
        ret += got;
        where += (uint64_t)got;
        count -= (size_t)got;
    }
    return RA_OK;
}

static enum ra_status buffer_read(const struct ra_source *source, uint64_t where,
                                  size_t count, struct ra_diags *diags, uint8_t *ret)
{
    (void)diags;
    memcpy(ret, source->bytes + where, count);
    return RA_OK;
}

static struct ra_stamp stamp_of(const struct stat *info)
{
    return (struct ra_stamp){
        .size = (uint64_t)info->st_size,
        .seconds = info->st_mtim.tv_sec,
        .nanoseconds = info->st_mtim.tv_nsec,
    };
}

/* A regular file gives all it has at once, so that fewer bytes are all there are. */
static enum ra_status read_head(int fd, size_t limit, struct ra_diags *diags,
                                uint8_t *window, struct ra_span *ret)
{
    ssize_t got;

    do
        got = pread(fd, window, limit, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "read: %m");
    *ret = (struct ra_span){ .data = window, .size = (size_t)got };
    return RA_OK;
}

enum ra_status ra_source_open(const char *path, size_t limit, struct ra_diags *diags,
                              uint8_t *window, struct ra_span *head,
                              struct ra_source *ret)
{
    /* O_NONBLOCK: a pipe in a tree must not hold us up; it cannot be read at offsets. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    enum ra_status status;

    if (fd < 0)
        return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "open: %m");
    status = read_head(fd, limit, diags, window, head);
    if (status != RA_OK) {
        close(fd);
        return status;
    }
    *ret = (struct ra_source){
        .size = head->size,
        .packed = RA_NOT_EXPANDED,
        .read_at = file_read,
        .fd = fd,
    };
    return RA_OK;
}

enum ra_status ra_source_measure(struct ra_source *source, struct ra_diags *diags,
                                 struct ra_stamp *stamp)
{
    struct stat info;

    if (fstat(source->fd, &info) != 0)
        return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "stat: %m");
    if (!S_ISREG(info.st_mode))
        return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "not a regular file");
    *stamp = stamp_of(&info);
    source->size = stamp->size;
    return RA_OK;
}

void ra_source_close(struct ra_source *source)
{
    close(source->fd);
}

enum ra_status ra_source_unchanged(const struct ra_source *source,
                                   const struct ra_stamp *stamp, struct ra_diags *diags)
{
    struct stat info;
    struct ra_stamp now = { 0 };

    if (fstat(source->fd, &info) == 0)
        now = stamp_of(&info);
    if (now.size == stamp->size && now.seconds == stamp->seconds &&
        now.nanoseconds == stamp->nanoseconds)
        return RA_OK;
    return ra_fault(diags, RA_E_IO, RA_DIAG_CHANGED, ra_at(0),
                    "%" PRIu64 " bytes when opened, %" PRIu64 " now", stamp->size,
                    now.size);
}

struct ra_source ra_source_over(struct ra_span span)
{
    return (struct ra_source){
        .size = span.size,
        .packed = RA_NOT_EXPANDED,
        .read_at = buffer_read,
        .fd = -1,
        .bytes = span.data,
    };
}

bool ra_source_sub(const struct ra_source *source, uint64_t offset, uint64_t size,
                   struct ra_source *ret)
{
    uint64_t base = source->base;

    if (offset > source->size || size > source->size - offset)
        return false;
    *ret = *source;
    ret->base = base + offset; /* inside the source, so it cannot wrap */
    ret->size = size;
    return true;
}

struct ra_source ra_source_from(const struct ra_source *source, uint64_t offset)
{
    struct ra_source rest = *source;
    uint64_t skip = offset < source->size ? offset : source->size;

    rest.base += skip;
    rest.size -= skip;
    return rest;
}

bool ra_source_is_forward(const struct ra_source *source)
{
    return source->hold != NULL;
}

enum ra_status ra_source_hold(const struct ra_source *source, uint64_t offset,
                              uint64_t size)
{
    if (!source->hold || offset > source->size || size > source->size - offset)
        return RA_OK;
    return source->hold(source, source->base + offset, size);
}

struct ra_place ra_source_place(const struct ra_source *source, uint64_t offset)
{
    uint64_t where = source->base + (offset < source->size ? offset : source->size);

    if (source->packed == RA_NOT_EXPANDED)
        return ra_at(where);
    return (struct ra_place){ .offset = source->packed, .inner = where };
}

enum ra_status ra_source_read(const struct ra_source *source, uint64_t offset,
                              size_t count, struct ra_diags *diags, uint8_t *ret)
{
    if (offset > source->size || count > source->size - offset)
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_OUTSIDE, ra_source_place(source, 0),
                        "%zu bytes at %" PRIu64 " of %" PRIu64, count, offset,
                        source->size);
    if (count == 0)
        return RA_OK;
    return source->read_at(source, source->base + offset, count, diags, ret);
}

enum ra_status ra_source_peek(const struct ra_source *source, uint64_t offset,
                              size_t limit, struct ra_diags *diags, uint8_t *window,
                              struct ra_span *ret)
{
    uint64_t left = offset < source->size ? source->size - offset : 0;
    size_t count = left < limit ? (size_t)left : limit;

    *ret = (struct ra_span){
        .data = window,
        .size = count,
        .base = source->base + (offset < source->size ? offset : source->size),
    };
    return count ? ra_source_read(source, offset, count, diags, window) : RA_OK;
}
