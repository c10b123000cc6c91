#include "poke.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GPUS = 10, RUN = 24, SMALL = 8192, FEW = 61 };

const char *const poke_gpus[GPUS + 1] = {
    "gfx90a:sramecc+:xnack-",
    "gfx90a:sramecc+:xnack+",
    "gfx1030",
    "gfx1031",
    "gfx1100",
    "gfx1150",
    "gfx942:sramecc+:xnack-",
    "gfx906:sramecc+:xnack-",
    "gfx1010:xnack-",
    "gfx803",
    NULL,
};

struct job {
    int fd;
    char path[32];
    const struct fx *fx;
    struct poke_result *result;
    bool fits[GPUS]; /* the file as it is */
};

static bool is_fine(const struct ra_report *report, size_t gpu)
{
    const struct ra_verdict *verdict;

    if (report->file_count != 1 || report->totals.incomplete > 0 ||
        report->totals.with_device_code == 0)
        return false;
    verdict = &report->files[0].verdicts[gpu];
    return verdict->severity < RA_ERROR && verdict->kind != RA_UNDECIDED;
}

/* Exit status 0 is for files that fit all GPUs: so each is looked at for itself. */
static bool judge(const struct job *job, bool fits[GPUS])
{
    const char *path = job->path;
    struct ra_options options = {
        .sz = sizeof(options),
        .paths = &path,
        .path_count = 1,
        .gpus = poke_gpus,
        .gpu_count = GPUS,
        .threads = 1,
        .all_gpus = true,
    };
    struct ra_report *report = ra_audit(&options);

    if (!report)
        return false;
    for (size_t i = 0; i < GPUS; i++)
        fits[i] = is_fine(report, i);
    ra_report_free(report);
    return true;
}

static void note(struct job *job, size_t at, uint8_t value, size_t gpu)
{
    struct poke_result *result = job->result;

    if (result->hit_count < RA_COUNT(result->hits))
        result->hits[result->hit_count] =
            (struct poke_hit){ at, job->fx->data[at], value, poke_gpus[gpu] };
    result->hit_count++;
}

static bool poke(struct job *job, size_t at, uint8_t value)
{
    bool fits[GPUS];

    if (value == job->fx->data[at])
        return true;
    job->result->pokes++;
    if (pwrite(job->fd, &value, 1, (off_t)at) != 1 || !judge(job, fits))
        return false;
    for (size_t i = 0; i < GPUS; i++)
        if (fits[i] && !job->fits[i])
            note(job, at, value, i);
    return pwrite(job->fd, &job->fx->data[at], 1, (off_t)at) == 1;
}

/* Whether the byte is well inside of padding. */
static bool is_padding(const struct fx *fx, size_t at)
{
    if (at < RUN || fx->size - at <= RUN)
        return false;
    for (size_t i = at - RUN; i <= at + RUN; i++)
        if (fx->data[i] != 0)
            return false;
    return true;
}

/* The values for a byte, the first `count` of which are to be tried. */
static size_t choose(const struct job *job, enum poke_how how, size_t at, uint8_t ret[4])
{
    uint8_t was = job->fx->data[at];
    const uint8_t values[] = { was ^ 0x01, 0, was ^ 0xff, was ^ 0x80 };

    memcpy(ret, values, sizeof(values));
    if (is_padding(job->fx, at))
        return how == POKE_ALL && at % FEW == 0;
    if (how == POKE_ALL)
        return 4;
    if (how == POKE_SOME && at % FEW != 0)
        return 0;
    if (job->fx->size <= SMALL)
        return 3;
    ret[0] = values[at % 3];
    return 1;
}

static bool poke_all(struct job *job, enum poke_how how)
{
    bool good = true;

    for (size_t at = 0; good && at < job->fx->size; at++) {
        uint8_t values[4];
        size_t count = choose(job, how, at, values);

        for (size_t i = 0; good && i < count; i++)
            good = poke(job, at, values[i]);
    }
    return good;
}

bool poke_file(const struct fx *fx, enum poke_how how, struct poke_result *ret)
{
    struct job job = { .fd = memfd_create("poke", MFD_CLOEXEC), .fx = fx, .result = ret };
    bool good;

    *ret = (struct poke_result){ 0 };
    if (job.fd < 0)
        return false;
    snprintf(job.path, sizeof(job.path), "/proc/self/fd/%d", job.fd);
    good =
        write(job.fd, fx->data, fx->size) == (ssize_t)fx->size && judge(&job, job.fits);
    for (size_t i = 0; i < GPUS; i++)
        ret->gpus += !job.fits[i];
    good = good && poke_all(&job, how);
    close(job.fd);
    return good;
}

/* ---- what one byte does mend ------------------------------------------------------- */

/* Fixtures that one byte does mend, and why that is right. */
static const struct exception {
    const char *fixture;
    int was, is;     /* of the byte; -1: any */
    size_t at_most;  /* so many pokes, over all GPUs */
    const char *gpu; /* how its name starts */
    const char *why;
} exceptions[] = {
    { "odd-not-hsa.co", 0x41, 0x40, 1, "gfx1030", "EI_OSABI is HSA again" },
    { "odd-generic-version-0.so", 0, -1, 8, "gfx11",
      "the generic version is no longer 0" },
    { "bad-entry-size.fb", -1, -1, 3, "gfx", "the size is right again" },
    { "bad-ccob-size.fb", -1, -1, 3, "gfx", "the size is right again" },
    { "bad-ccob-flipped.fb", -1, -1, 3, "gfx", "the byte is flipped back" },
    { "bad-offload-size.bin", -1, -1, 3, "gfx", "the size is right again" },
    { "bad-offload-expanded.bin", -1, -1, 3, "gfx", "the size is right again" },
    { "bad-offload-overlap.bin", 0xe1, -1, 9, "gfx",
      "the size is right again, or the image lacks some section headers at its end" },
    { "bad-offload-flipped.bin", -1, -1, 3, "gfx", "the byte is flipped back" },
    { "bad-offload-string-outside.bin", 2, 0, 3, "gfx",
      "the image has no strings, which the runtime of OpenMP does not ask for" },
    { "bad-fatbin-outside.so", 1, 0, 6, "gfx",
      "the section is none; the bundle that the wrapper leads to is whole" },
    { "bad-noise-after-bundle.so", -1, -1, 200, "gfx",
      "the section has another name or end, so that the noise is in none; the bundle "
      "that the wrapper leads to is whole" },
    { "odd-relabelled.co", -1, -1, 60, "gfx1030",
      "the key amdhsa.target has another name: an object need not have it" },
    { "bad-ccob-stored-flipped.fb", 0xff, 0, 600, "gfx1030", "the byte is flipped back" },
    { "bad-ccob-stored-flipped.fb", -1, -1, 600, "gfx90a",
      "the damage is in the code for gfx1030, and is told only while that is code" },
};

static bool is_right(const struct exception *row, const char *name,
                     const struct poke_hit *hit, size_t count)
{
    return strcmp(row->fixture, name) == 0 && (row->was < 0 || row->was == hit->was) &&
           (row->is < 0 || row->is == hit->is) && count <= row->at_most &&
           strncmp(hit->gpu, row->gpu, strlen(row->gpu)) == 0;
}

bool poke_is_excepted(const char *name, const struct poke_result *result)
{
    for (size_t i = 0; i < result->hit_count && i < RA_COUNT(result->hits); i++) {
        bool right = false;

        for (size_t j = 0; j < RA_COUNT(exceptions) && !right; j++)
            right = is_right(&exceptions[j], name, &result->hits[i], result->hit_count);
        if (!right)
            return false;
    }
    return true;
}

const char *const *poke_excepted_names(void)
{
    static const char *names[RA_COUNT(exceptions) + 1];

    for (size_t i = 0; i < RA_COUNT(exceptions); i++)
        names[i] = exceptions[i].fixture;
    return names;
}
