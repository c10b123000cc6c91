/*
 * whole.h - a whole file, from its path to the answer in every format: for fuzz targets.
 *
 * It must not crash, and what was not read whole must never be said to fit.
 */
#ifndef WHOLE_H
#define WHOLE_H

#include <rocaudit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void whole_require(bool holds)
{
    if (!holds)
        abort();
}

/* All of `data` in a file without a place on a disk, which is used again and again. */
static inline const char *whole_file(const uint8_t *data, size_t size)
{
    static char path[32];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    whole_require(fd >= 0 && ftruncate(fd, 0) == 0);
    whole_require(pwrite(fd, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return path;
}

/* Of an answer no byte may be one that a terminal acts on. */
static inline bool whole_bytes(void *arg, const char *bytes, size_t size)
{
    (void)arg;
    for (size_t i = 0; i < size; i++)
        whole_require((unsigned char)bytes[i] >= ' ' || bytes[i] == '\n');
    return true;
}

static inline void whole_write(const struct ra_report *report)
{
    struct ra_style style = { .sz = sizeof(style), .verbose = true };

    for (const char *const *format = ra_report_formats(); *format; format++)
        whole_require(ra_report_write(report, *format, &style, whole_bytes, NULL) ==
                      RA_OK);
}

static inline void whole_verdicts(const struct ra_report *report)
{
    whole_require(report->exit >= 0 && report->exit <= 2);
    whole_require(report->totals.incomplete == 0 || report->exit != 0);
    for (size_t i = 0; i < report->file_count; i++)
        for (size_t j = 0; j < report->files[i].verdict_count; j++)
            whole_require(report->files[i].status == RA_FILE_OK ||
                          report->files[i].verdicts[j].kind >= RA_UNDECIDED);
}

/** Audit and list the file at `path`. */
static inline void whole_check(const char *path)
{
    static const char *const gpus[] = { "gfx90a", "gfx1100" };
    struct ra_options options = {
        .sz = sizeof(options),
        .paths = &path,
        .path_count = 1,
        .gpus = gpus,
        .gpu_count = 2,
        .threads = 1,
        .kernels = true,
    };
    struct ra_report *report = ra_audit(&options);

    whole_require(report != NULL);
    whole_verdicts(report);
    whole_write(report);
    ra_report_free(report);
    report = ra_list(&options);
    whole_require(report != NULL);
    whole_write(report);
    ra_report_free(report);
}

#endif
