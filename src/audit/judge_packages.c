/* judge_packages.c - the rules of packages, and of folders, applied. */
#include "audit/packages.h"

#include "audit/rules.h"
#include "base/text.h"
#include "site/known.h"
#include "site/place.h"

/* ---- packages --------------------------------------------------------------- */

/* A package that loads none of its libraries ends before any code is looked at. */
static void settle_verdicts(const struct ra_owned *owned)
{
    struct ra_verdict *verdicts =
        (struct ra_verdict *)(uintptr_t)owned->package->verdicts;

    for (size_t i = 0; owned->unloaded > 0 && i < owned->package->verdict_count; i++) {
        verdicts[i].kind = RA_UNLOADABLE;
        verdicts[i].severity = RA_ERROR;
    }
}

static enum ra_status judge_package(struct ra_run *run, const struct ra_owned *owned)
{
    const struct ra_devices *devices = &run->machine.devices;
    struct ra_case subject = { .devices = devices->list,
                               .device_count = devices->count,
                               .one_machine = run->machine.is_one,
                               .rocm = &run->machine.rocm,
                               .gate = run->machine.gate,
                               .package = owned->package,
                               .records = owned->site,
                               .packages = &run->packages,
                               .first = true };
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < devices->count; i++) {
        if (!ra_device_is_judged(&devices->list[i]))
            continue;
        subject.device = &devices->list[i];
        status = ra_rules_apply(&subject, &run->findings);
        subject.first = false;
    }
    if (status == RA_OK && subject.first)
        status = ra_rules_apply(&subject, &run->findings);
    return status;
}

static enum ra_status judge_packages(struct ra_run *run)
{
    struct ra_packages *packages = &run->packages;
    enum ra_status status = RA_OK;

    packages->is_whole = run->report.totals.incomplete == 0;
    for (size_t i = 0; status == RA_OK && i < packages->count; i++) {
        const struct ra_owned *owned =
            ra_packages_owned(packages, packages->site.packages[i]);

        settle_verdicts(owned);
        if (!owned->is_beyond || owned->has_files)
            status = judge_package(run, owned);
    }
    return status;
}

/* ---- folders ---------------------------------------------------------------- */

/* Files of one folder that are told of together. */
struct folder {
    struct folder *next;
    const struct ra_file *first;
    size_t count;
};

struct folders {
    struct ra_map map;
    struct folder *first, **end; /* in the order of the files */
};

static enum ra_status add_to_folder(struct folders *folders, const struct ra_file *file)
{
    struct ra_span path = { (const uint8_t *)file->raw_path, strlen(file->raw_path), 0 };
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(&folders->map, ra_place_folder(path), &slot);
    struct folder *folder;

    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    folder = slot->value;
    if (!folder) {
        folder = ra_new(folders->map.arena, struct folder, 1);
        if (!folder)
            return RA_E_NOMEM;
        folder->first = file;
        slot->key = ra_place_folder(path);
        slot->value = *folders->end = folder;
        folders->end = &folder->next;
    }
    folder->count++;
    return RA_OK;
}

static enum ra_status judge_folders(struct ra_run *run)
{
    struct folders folders = { .map = { .arena = &run->arena }, .end = &folders.first };
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < run->report.file_count; i++)
        if (ra_site_is_leftover(run->report.files[i].raw_path))
            status = add_to_folder(&folders, &run->report.files[i]);
    for (const struct folder *at = folders.first; status == RA_OK && at; at = at->next) {
        struct ra_case subject = { .file = at->first, .alike = at->count };

        status = ra_rules_apply(&subject, &run->findings);
    }
    return status;
}

enum ra_status ra_packages_judge(struct ra_run *run)
{
    enum ra_status status = judge_packages(run);

    return status == RA_OK ? judge_folders(run) : status;
}
