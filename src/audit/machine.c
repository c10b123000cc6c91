#include "audit/machine.h"

#include "audit/cpu.h"
#include "base/text.h"
#include "device/told.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what a tool said ------------------------------------------------------- */

/* Add devices to those there are. */
static enum ra_status add(struct ra_devices *all, const struct ra_devices *more,
                          struct ra_arena *arena)
{
    struct ra_device *list = ra_new(arena, struct ra_device, all->count + more->count);
    size_t first = all->count > 0 ? all->list[all->count - 1].rocr_index + 1 : 0;

    if (!list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < all->count; i++)
        list[i] = all->list[i];
    for (size_t i = 0; i < more->count; i++) {
        list[all->count + i] = more->list[i];
        list[all->count + i].index = all->count + i;
        list[all->count + i].rocr_index = first + more->list[i].rocr_index;
    }
    all->list = list;
    all->count += more->count;
    all->incomplete = all->incomplete || more->incomplete;
    if (more->text && *more->text)
        all->text = *all->text ? ra_text_format(arena, "%s; %s", all->text, more->text)
                               : more->text;
    return all->text ? RA_OK : RA_E_NOMEM;
}

/* Up to RA_TOLD_MAX + 1 bytes, of a pipe as well; false: errno. */
static bool read_all(const char *path, uint8_t *window, size_t *ret)
{
    FILE *file = fopen(strcmp(path, "-") == 0 ? "/dev/stdin" : path, "re");
    bool failed;

    if (!file)
        return false;
    *ret = fread(window, 1, RA_TOLD_MAX + 1, file);
    failed = ferror(file) != 0;
    (void)fclose(file);
    return !failed;
}

static enum ra_status take_file(const char *path, struct ra_arena *arena,
                                struct ra_devices *all)
{
    struct ra_span text = { (const uint8_t *)path, strlen(path), 0 };
    const char *name = ra_text_escape(arena, text);
    uint8_t *window = malloc(RA_TOLD_MAX + 1);
    struct ra_devices more = { 0 };
    enum ra_status status = RA_E_NOMEM;

    text.data = window;
    if (name && window && read_all(path, window, &text.size)) {
        status = ra_devices_told(text, name, arena, &more);
    } else if (name && window) {
        more.incomplete = true;
        more.text = ra_text_format(arena, "%s cannot be read: %m", name);
        status = more.text ? RA_OK : RA_E_NOMEM;
    }
    free(window);
    return status == RA_OK ? add(all, &more, arena) : status;
}

static enum ra_status take_files(const struct ra_options *options, struct ra_arena *arena,
                                 struct ra_devices *all)
{
    enum ra_status status = RA_OK;

    *all = (struct ra_devices){ .text = "" };
    for (size_t i = 0; status == RA_OK && i < options->gpus_from_count; i++)
        status = take_file(options->gpus_from[i], arena, all);
    ra_devices_pair(all);
    return status;
}

/* ---- all of it -------------------------------------------------------------- */

enum ra_status ra_machine_find(const struct ra_options *options, struct ra_arena *arena,
                               struct ra_machine *ret)
{
    struct ra_device_search search = { .sysfs = options->sysfs,
                                       .environment = options->environment };
    enum ra_status status;

    ret->is_one = !ret->gate && options->gpu_count == 0 && options->gpus_from_count < 2;
    if (ret->gate)
        status = ra_devices_required(options->required, options->required_count, arena,
                                     &ret->devices);
    else if (options->gpu_count > 0)
        status =
            ra_devices_named(options->gpus, options->gpu_count, arena, &ret->devices);
    else if (options->gpus_from_count > 0)
        return take_files(options, arena, &ret->devices);
    else
        return ra_devices_found(&search, arena, &ret->devices);
    if (status == RA_OK)
        ra_devices_pair(&ret->devices);
    return status;
}

/* The CPU that was named; if GPUs are looked for on this machine, its own. */
static bool settle_cpu(const struct ra_options *options, struct ra_machine *ret)
{
    ret->cpu = 0;
    if (options->cpu)
        return ra_cpu_parse(options->cpu, &ret->cpu);
    if (!ret->gate && options->gpu_count == 0 && options->gpus_from_count == 0 &&
        !options->sysfs)
        ret->cpu = ra_cpu_level();
    return true;
}

enum ra_status ra_machine_settle(const struct ra_options *options,
                                 const struct ra_walk *walk,
                                 const struct ra_runtime_member *members,
                                 size_t member_count, struct ra_arena *arena,
                                 struct ra_machine *ret)
{
    struct ra_runtime_wish wish = { options->runtime, options->rocm, options->compat };

    if (!settle_cpu(options, ret))
        return RA_E_FORMAT;
    return ra_runtime_settle(&wish, walk, members, member_count, arena, &ret->rocm,
                             &ret->runtime);
}

/* ---- what users may say ----------------------------------------------------- */

const char *ra_runtime_refused(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };
    unsigned release;

    return ra_rocm_parse(span, &release)
               ? NULL
               : "it is no version of ROCm, such as 6.2, from 4.1 on";
}

const char *ra_compat_refused(const char *text)
{
    enum ra_compat compat;

    return ra_compat_parse(text, &compat) ? NULL : "there are upstream and debian";
}

const char *ra_cpu_refused(const char *text)
{
    unsigned level;

    return ra_cpu_parse(text, &level)
               ? NULL
               : "there are x86-64-v1, x86-64-v2, x86-64-v3, x86-64-v4 and native";
}
