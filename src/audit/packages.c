#include "audit/packages.h"

#include "audit/beside.h"
#include "audit/editable.h"
#include "audit/records.h"
#include "base/text.h"
#include "site/known.h"
#include "site/place.h"

#include <stdlib.h>

/* ---- reading ---------------------------------------------------------------- */

static void add_documents(const struct ra_run *run, const struct ra_records *of,
                          struct ra_site_document *documents, size_t *count)
{
    size_t slot;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (result->scanned.document.data)
            documents[(*count)++] = (struct ra_site_document){ result->scanned.place,
                                                               result->scanned.document };
    for (size_t i = 0; i < of->count; i++)
        documents[(*count)++] = of->list[i];
}

/* All records that were scanned, and those `beyond` what was to be looked at. */
static enum ra_status read_site(struct ra_run *run, const struct ra_records *beyond)
{
    struct ra_packages *packages = &run->packages;
    struct ra_site_document *documents;
    size_t slot, count = beyond->count;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        count += result->scanned.document.data != NULL;
    documents = ra_new(&run->arena, struct ra_site_document, count);
    if (!documents)
        return RA_E_NOMEM;
    count = 0;
    add_documents(run, beyond, documents, &count);
    packages->diags = (struct ra_diags){ .arena = &run->arena, .limit = 100 };
    return ra_site_read(documents, count, &run->arena, &packages->diags, &packages->site);
}

/* What is known of a package before any of its files was judged. */
static enum ra_status describe(const struct ra_site_package *from, struct ra_arena *arena,
                               struct ra_package *ret)
{
    const char *why = ra_site_jit(from->normal);
    bool is_told = from->editable && *from->editable; /* where its files are */

    *ret = (struct ra_package){
        .name = from->name,
        .version = from->version,
        .kind = from->kind,
        .path = ra_text_shown(arena, from->place),
        .jit = why != NULL,
        .placeholder = from->is_placeholder,
        .editable = is_told ? ra_text_shown(arena, from->editable) : NULL,
    };
    if (why)
        ret->note = ra_text_format(arena, "%s; nothing to check", why);
    if (!ret->path || (is_told && !ret->editable) || (why && !ret->note))
        return RA_E_NOMEM;
    return RA_OK;
}

static enum ra_status describe_all(struct ra_run *run)
{
    struct ra_packages *packages = &run->packages;
    enum ra_status status = RA_OK;

    packages->count = packages->site.package_count;
    packages->list = ra_new(&run->arena, struct ra_package, packages->count);
    if (!packages->list)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < packages->count; i++)
        status = describe(packages->site.packages[i], &run->arena, &packages->list[i]);
    return status;
}

static int by_address(const void *left, const void *right)
{
    const struct ra_owned *a = left, *b = right;

    return (a->site > b->site) - (a->site < b->site);
}

/* The packages of a site by their address, to get from one to the other. */
static enum ra_status index_all(struct ra_run *run)
{
    struct ra_packages *packages = &run->packages;

    packages->by_site = ra_new(&run->arena, struct ra_owned, packages->count);
    if (!packages->by_site)
        return RA_E_NOMEM;
    for (size_t i = 0; i < packages->count; i++)
        packages->by_site[i] = (struct ra_owned){ .site = packages->site.packages[i],
                                                  .package = &packages->list[i] };
    qsort(packages->by_site, packages->count, sizeof(struct ra_owned), by_address);
    return RA_OK;
}

struct ra_owned *ra_packages_owned(const struct ra_packages *packages,
                                   const struct ra_site_package *site)
{
    const struct ra_owned wanted = { .site = site };

    return site && packages->count > 0
               ? bsearch(&wanted, packages->by_site, packages->count, sizeof(wanted),
                         by_address)
               : NULL;
}

/* ---- whose the files are ---------------------------------------------------- */

/* By the path from the root on, in either of its spellings. */
static const struct ra_site_package *owner_beyond(struct ra_run *run, const char *place,
                                                  size_t *count)
{
    const struct ra_site *site = &run->packages.site;
    const struct ra_site_package *owner = ra_site_owner(site, place, count);
    const char *other = owner ? NULL : ra_other_place(&run->arena, place);

    return other ? ra_site_owner(site, other, count) : owner;
}

/* By another path to the same file: hard links share what is met first. */
static const struct ra_site_package *
owner_by_link(struct ra_run *run, const struct ra_walk_file *from, size_t *count)
{
    const struct ra_site_package *owner = NULL;

    for (const struct ra_walk_link *link = from->links; link && !owner;
         link = link->next) {
        struct ra_text text = { 0 };

        if (ra_place_join(&text, ra_span_of(""), ra_span_of(link->path), false))
            owner = ra_site_owner(&run->packages.site, text.data, count);
        ra_text_free(&text);
    }
    return owner;
}

static const struct ra_site_package *owner_of(struct ra_run *run,
                                              const struct ra_result *result,
                                              const struct ra_walk_file *from,
                                              size_t *count)
{
    const struct ra_packages *packages = &run->packages;
    const char *place = result->scanned.place;
    const struct ra_site_package *owner = ra_site_owner(&packages->site, place, count);

    if (!owner && !result->scanned.file.is_member)
        owner = owner_by_link(run, from, count);
    if (!owner)
        owner = ra_editable_owner(packages, place);
    if (owner || result->scanned.file.is_member || packages->count == 0)
        return owner;
    place = ra_absolute_place(&run->arena, result->scanned.file.raw_path);
    return place ? owner_beyond(run, place, count) : NULL;
}

static void attribute(struct ra_run *run)
{
    size_t slot;

    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        struct ra_file *file = &result->scanned.file;
        struct ra_owned *owned;

        if (!ra_scanned_is_worth_telling(&result->scanned))
            continue;
        result->owner = owner_of(run, result, run->walk.files[slot], &file->owner_count);
        owned = ra_packages_owned(&run->packages, result->owner);
        if (owned)
            owned->has_files = true;
        if (owned && file->owner_count == 0)
            file->owner_count = 1;
        file->package = owned ? owned->package : NULL;
    }
}

/* What stands in records beyond is told of only where it has to do with the files. */
static enum ra_status mark_beyond(struct ra_run *run, const struct ra_records *beyond)
{
    struct ra_map units = { .arena = &run->arena };

    for (size_t i = 0; i < beyond->count; i++) {
        struct ra_record_place where = ra_record_place(beyond->list[i].place);
        struct ra_map_slot *slot;
        enum ra_status status;

        if (where.is_dpkg)
            where.unit = ra_span_of(beyond->list[i].place);
        status = ra_map_slot(&units, where.unit, &slot);
        if (status == RA_E_NOMEM)
            return status;
        if (status == RA_OK && !slot->value)
            slot->key = where.unit;
        if (status == RA_OK)
            slot->value = run;
    }
    for (size_t i = 0; i < run->packages.count; i++) {
        struct ra_owned *owned = &run->packages.by_site[i];

        owned->is_beyond = ra_map_find(&units, ra_span_of(owned->site->place)) != NULL;
    }
    return RA_OK;
}

/* ---- all of it -------------------------------------------------------------- */

static enum ra_status settle(struct ra_run *run, const struct ra_records *beyond)
{
    enum ra_status status = read_site(run, beyond);

    if (status == RA_OK)
        status = describe_all(run);
    if (status == RA_OK)
        status = index_all(run);
    if (status == RA_OK)
        status = ra_beside_index(&run->packages, &run->arena);
    if (status == RA_OK)
        status = ra_editable_index(run);
    if (status == RA_OK)
        status = mark_beyond(run, beyond);
    if (status == RA_OK)
        attribute(run);
    return status;
}

enum ra_status ra_packages_read(struct ra_run *run)
{
    struct ra_records beyond = { 0 };
    enum ra_status status = ra_records_above(run, &beyond);
    size_t above = beyond.count;

    if (status == RA_OK)
        status = settle(run, &beyond);
    if (status == RA_OK && run->judges)
        status = ra_records_of_system(run, &beyond);
    if (status == RA_OK && beyond.count > above)
        status = settle(run, &beyond);
    ra_records_free(&beyond);
    /* A gate is for every release that the package is for, and so for every variant. */
    return status == RA_OK && run->judges && !run->machine.gate ? ra_packages_pick(run)
                                                                : status;
}

/* ---- what they come to ------------------------------------------------------ */

/* Whether one verdict of a package's files says more of the package than another. */
static bool is_worse(const struct ra_verdict *a, const struct ra_verdict *b)
{
    if (a->severity != b->severity)
        return a->severity > b->severity;
    if ((a->block != RA_BLOCK_NONE) != (b->block != RA_BLOCK_NONE))
        return a->block != RA_BLOCK_NONE;
    return a->kind > b->kind;
}

static struct ra_verdict *verdicts_of(struct ra_run *run,
                                      const struct ra_package *package)
{
    const struct ra_device *devices = run->machine.devices.list;
    size_t count = run->machine.devices.count, judged = 0;
    struct ra_verdict *list;

    if (package->verdicts)
        return (struct ra_verdict *)(uintptr_t)package->verdicts;
    list = ra_new(&run->arena, struct ra_verdict, count);
    for (size_t i = 0; list && i < count; i++)
        if (ra_device_is_judged(&devices[i]))
            list[judged++].device = devices[i].index;
    return list;
}

static enum ra_status add_file(struct ra_run *run, const struct ra_file *file)
{
    struct ra_package *package = (struct ra_package *)(uintptr_t)file->package;
    struct ra_verdict *verdicts;

    if (!package || file->bundle_count == 0)
        return RA_OK;
    package->device_files++;
    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++)
            package->code_objects +=
                !file->bundles[i].entries[j].archive &&
                file->bundles[i].entries[j].content == RA_CONTENT_CODE_OBJECT;
    verdicts = verdicts_of(run, package);
    if (!verdicts)
        return RA_E_NOMEM;
    package->verdicts = verdicts;
    package->verdict_count = file->verdict_count;
    for (size_t i = 0; i < file->verdict_count; i++)
        if (!file->verdicts[i].excused && is_worse(&file->verdicts[i], &verdicts[i]))
            verdicts[i] = file->verdicts[i];
    return RA_OK;
}

enum ra_status ra_packages_add_up(struct ra_run *run)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < run->report.file_count; i++)
        status = add_file(run, &run->report.files[i]);
    return status;
}

/* ---- those of the report ---------------------------------------------------- */

static bool has_a_word(const struct ra_owned *owned)
{
    const struct ra_package *package = owned->package;

    if (owned->is_beyond)
        return owned->has_files;
    return package->device_files > 0 || package->jit || package->placeholder ||
           package->note || package->editable;
}

/* Which are told: those that have a word, or a finding. */
static bool *list_told(struct ra_run *run)
{
    const struct ra_packages *packages = &run->packages;
    bool *told = ra_new(&run->arena, bool, packages->count);

    for (size_t i = 0; told && i < packages->count; i++)
        told[packages->by_site[i].package - packages->list] =
            has_a_word(&packages->by_site[i]);
    for (size_t i = 0; told && i < run->report.file_count; i++)
        if (run->report.files[i].package)
            told[run->report.files[i].package - packages->list] = true;
    for (size_t i = 0; told && i < run->report.finding_count; i++)
        if (run->report.findings[i].package)
            told[run->report.findings[i].package - packages->list] = true;
    return told;
}

enum ra_status ra_packages_report(struct ra_run *run)
{
    struct ra_packages *packages = &run->packages;
    struct ra_report *report = &run->report;
    struct ra_package *list = ra_new(&run->arena, struct ra_package, packages->count);
    size_t *moved = ra_new(&run->arena, size_t, packages->count);
    const bool *told = list_told(run);
    struct ra_file *files = (struct ra_file *)(uintptr_t)report->files;
    struct ra_finding *findings = (struct ra_finding *)(uintptr_t)report->findings;

    if (!list || !moved || !told)
        return RA_E_NOMEM;
    for (size_t i = 0; i < packages->count; i++) {
        moved[i] = report->package_count;
        if (told[i])
            list[report->package_count++] = packages->list[i];
    }
    for (size_t i = 0; i < report->file_count; i++)
        if (files[i].package)
            files[i].package = &list[moved[files[i].package - packages->list]];
    for (size_t i = 0; i < report->finding_count; i++)
        if (findings[i].package)
            findings[i].package = &list[moved[findings[i].package - packages->list]];
    report->packages = list;
    return RA_OK;
}
