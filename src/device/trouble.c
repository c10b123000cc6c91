#include "base/text.h"
#include "device/host.h"

#include <errno.h>
#include <inttypes.h>

/* Sentences are joined, the most telling first. */
static void begin(struct ra_text *text)
{
    if (text->size > 0)
        ra_text_str(text, "; ");
}

static const struct ra_gpu *first_unnamed(const struct ra_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++)
        if (!gpus->list[i].processor[0])
            return &gpus->list[i];
    return NULL;
}

/* "kfd node 1", or "pci 0000:03:00.0, a gfx1100". */
static void put_gpu(struct ra_text *text, const struct ra_gpu *gpu)
{
    ra_text_str(text, gpu->source);
    if (gpu->processor[0])
        ra_text_printf(text, ", a %s", gpu->processor);
}

static void explain_nodes(struct ra_text *text, const struct ra_host *host,
                          const struct ra_gpus *gpus)
{
    if (host->kfd.too_many) {
        begin(text);
        ra_text_printf(text, "more than %d nodes below %s: this is no KFD topology",
                       RA_SYSFS_ENTRIES, host->shown);
    }
    if (gpus->hidden > 0) {
        begin(text);
        ra_text_printf(text,
                       "%zu of %zu KFD nodes may not be read, as under a container's "
                       "device policy: their GPUs are hidden, from HIP too, until the "
                       "container is given their /dev/dri/renderD*",
                       gpus->hidden, host->kfd.count);
    }
    if (gpus->broken > 0) {
        begin(text);
        ra_text_printf(text,
                       "the properties of kfd node %" PRIu32 " are missing or make no "
                       "sense: its GPU is not known",
                       gpus->first_broken);
    }
}

static void explain_no_kfd(struct ra_text *text, const struct ra_host *host,
                           const struct ra_gpus *gpus)
{
    begin(text);
    if (host->files.has_dxg) {
        ra_text_str(text,
                    "this is WSL2, /dev/dxg is there and KFD is not: sysfs does not "
                    "show its GPUs; name them with --gpu, or give what rocminfo "
                    "says to --gpu-from (before ROCm 7.13 it needs "
                    "HSA_ENABLE_DXG_DETECTION=1)");
        return;
    }
    ra_text_printf(text, "no KFD topology below %s", host->shown);
    if (gpus->count > 0) {
        ra_text_str(text, ", though there is ");
        put_gpu(text, &gpus->list[0]);
        ra_text_str(text, host->has_driver
                              ? ": the amdgpu driver is loaded without KFD, and HIP "
                                "finds no GPU without /dev/kfd"
                              : ": the amdgpu driver is not loaded, and HIP finds no GPU "
                                "without it and its /dev/kfd (modprobe amdgpu)");
    } else if (host->pci.exists) {
        ra_text_str(text, ", and no AMD GPU on its PCI bus");
    } else {
        ra_text_str(text, ": the amdgpu driver is not loaded, or there is no AMD GPU");
    }
}

static void explain_empty_kfd(struct ra_text *text, const struct ra_host *host,
                              const struct ra_gpus *gpus)
{
    begin(text);
    ra_text_printf(text, "the KFD topology below %s has no GPU", host->shown);
    if (gpus->count == 0) {
        ra_text_str(text, ": the amdgpu driver found none that can compute");
        return;
    }
    ra_text_str(text, ", though there is ");
    put_gpu(text, &gpus->list[0]);
    ra_text_str(text, ": the amdgpu driver does not let it compute, the kernel log says "
                      "why, and HIP does not find it");
}

static void explain_permission(struct ra_text *text, const struct ra_files *files)
{
    begin(text);
    if (files->error == ENOENT)
        ra_text_str(text, "there is no /dev/kfd: HIP finds no GPU; a container needs "
                          "--device=/dev/kfd --device=/dev/dri");
    else if (files->error == EPERM)
        ra_text_str(text, "/dev/kfd may not be opened under this container's device "
                          "policy: HIP finds no GPU; the container needs "
                          "--device=/dev/kfd");
    else if (files->error != EACCES)
        ra_text_printf(text, "/dev/kfd cannot be opened, and HIP finds no GPU: %s",
                       strerror(files->error));
    else if ((files->mode & 060) == 060)
        ra_text_printf(text,
                       "/dev/kfd may not be opened: it belongs to the group %s, and HIP "
                       "finds no GPU until you are in it (sudo usermod -aG %s $USER, "
                       "then log in again)",
                       files->group, files->group);
    else
        ra_text_printf(
            text,
            "/dev/kfd may not be opened: its mode is 0%o, and HIP finds no GPU "
            "until its owner lets you read and write it",
            files->mode);
}

static void explain_hidden(struct ra_text *text, const struct ra_gpus *gpus)
{
    const struct ra_gpu *hidden = NULL;

    for (size_t i = 0; i < gpus->count; i++) {
        const char *skipped = gpus->list[i].skipped;

        if (!skipped)
            return;
        if (!hidden && strncmp(skipped, "hidden by", 9) == 0)
            hidden = &gpus->list[i];
    }
    if (!hidden)
        return;
    begin(text);
    ra_text_printf(text, "HIP sees no GPU: %s %s",
                   gpus->count == 1 ? "it is" : "they are", hidden->skipped);
}

static void explain_gpus(struct ra_text *text, const struct ra_host *host,
                         const struct ra_gpus *gpus)
{
    const struct ra_gpu *unnamed = first_unnamed(gpus);

    if (unnamed) {
        begin(text);
        ra_text_printf(text, "%s is a GPU, but it is not known which: %s",
                       unnamed->source, unnamed->why);
    }
    if (gpus->count > 0 && gpus->list[0].in_kfd && host->files.kfd == RA_OPENING_REFUSED)
        explain_permission(text, &host->files);
    if (gpus->unreachable > 0) {
        begin(text);
        ra_text_printf(text,
                       "HIP does not see %zu of %zu GPUs, for it may not open "
                       "/dev/dri/renderD%" PRIu64 ": %s; a container needs "
                       "--device=/dev/dri",
                       gpus->unreachable, gpus->count, gpus->unreachable_minor,
                       strerror(gpus->unreachable_error));
    }
    if (gpus->disagreement) {
        begin(text);
        ra_text_str(text, gpus->disagreement);
    }
    explain_hidden(text, gpus);
}

const char *ra_host_trouble(const struct ra_host *host, const struct ra_gpus *gpus,
                            struct ra_arena *arena)
{
    bool in_kfd = gpus->count > 0 && gpus->list[0].in_kfd;
    struct ra_text text = { 0 };
    const char *kept;

    explain_nodes(&text, host, gpus);
    if (!host->kfd.exists)
        explain_no_kfd(&text, host, gpus);
    else if (!in_kfd && text.size == 0)
        explain_empty_kfd(&text, host, gpus);
    explain_gpus(&text, host, gpus);
    kept = ra_text_keep(&text, arena);
    ra_text_free(&text);
    return kept;
}
