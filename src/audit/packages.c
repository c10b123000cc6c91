#include "audit/packages.h"

#include "audit/judge.h"
#include "base/text.h"
#include "site/known.h"
#include "site/variants.h"

#include <stdlib.h>

/* ---- reading ---------------------------------------------------------------- */

static const char *escaped(struct ra_arena *arena, const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };

    return ra_text_escape(arena, span);
}

static enum ra_status read_site(struct ra_run *run)
{
    struct ra_packages *packages = &run->packages;
    struct ra_site_document *documents;
    size_t slot, count = 0;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        count += result->scanned.document.data != NULL;
    documents = ra_new(&run->arena, struct ra_site_document, count);
    if (!documents)
        return RA_E_NOMEM;
    count = 0;
    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        if (result->scanned.document.data)
            documents[count++] = (struct ra_site_document){ result->scanned.place,
                                                            result->scanned.document };
    packages->diags = (struct ra_diags){ .arena = &run->arena, .limit = 100 };
    return ra_site_read(documents, count, &run->arena, &packages->diags, &packages->site);
}

/* What is known of a package before any of its files was judged. */
static enum ra_status describe(const struct ra_site_package *from, struct ra_arena *arena,
                               struct ra_package *ret)
{
    const char *why = ra_site_jit(from->normal);

    *ret = (struct ra_package){
        .name = from->name,
        .version = from->version,
        .kind = from->kind,
        .path = escaped(arena, from->place),
        .jit = why != NULL,
        .placeholder = from->is_placeholder,
        .editable = from->editable ? escaped(arena, from->editable) : NULL,
    };
    if (why)
        ret->note = ra_text_format(arena, "%s; nothing to check", why);
    if (!ret->path || (from->editable && !ret->editable) || (why && !ret->note))
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
        packages->by_site[i] =
            (struct ra_owned){ packages->site.packages[i], &packages->list[i] };
    qsort(packages->by_site, packages->count, sizeof(struct ra_owned), by_address);
    return RA_OK;
}

static struct ra_package *package_of(const struct ra_packages *packages,
                                     const struct ra_site_package *site)
{
    const struct ra_owned wanted = { .site = site };
    const struct ra_owned *found = NULL;

    if (site && packages->count > 0)
        found = bsearch(&wanted, packages->by_site, packages->count, sizeof(wanted),
                        by_address);
    return found ? found->package : NULL;
}

static void attribute(struct ra_run *run)
{
    size_t slot;

    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        struct ra_file *file = &result->scanned.file;

        if (!ra_scanned_is_worth_telling(&result->scanned))
            continue;
        result->owner =
            ra_site_owner(&run->packages.site, result->scanned.place, &file->owner_count);
        file->package = package_of(&run->packages, result->owner);
    }
}

/* ---- variants --------------------------------------------------------------- */

/* All results of one package that are variants of one library. */
struct variants {
    struct ra_result **list;
    const char **files;
    size_t count;
};

static enum ra_status list_variants(struct ra_run *run, const struct ra_site_package *of,
                                    struct variants *ret)
{
    size_t slot, room = 0;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        room += result->owner == of;
    ret->list = ra_new(&run->arena, struct ra_result *, room);
    ret->files = ra_new(&run->arena, const char *, room);
    if (!ret->list || !ret->files)
        return RA_E_NOMEM;
    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        const char *path = result->scanned.file.raw_path;

        if (result->owner != of || !ra_variant_is(of->normal, path, NULL))
            continue;
        ret->list[ret->count] = result;
        ret->files[ret->count++] = path;
    }
    return RA_OK;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum ra_status note_variant(struct ra_run *run, struct ra_package *package,
                                   const struct ra_file *picked, size_t count)
{
    char release[RA_ROCM_TEXT];

    ra_rocm_name(run->machine.rocm.release, release);
    package->note =
        picked ? ra_text_format(&run->arena, "%s is the one it loads with %s",
                                base_of(picked->path), release)
               : ra_text_format(&run->arena, "none of its %zu libraries is for %s", count,
                                release);
    return package->note ? RA_OK : RA_E_NOMEM;
}

/* The one that is loaded decides; if none is, each is as bad as the others. */
static enum ra_status pick(struct ra_run *run, size_t index)
{
    const struct ra_site_package *of = run->packages.site.packages[index];
    unsigned release = run->machine.rocm.release;
    struct variants variants = { 0 };
    enum ra_status status = list_variants(run, of, &variants);
    const struct ra_file *picked = NULL;
    size_t chosen;

    if (status != RA_OK || variants.count < 2)
        return status;
    if (release == RA_ROCM_NEWEST)
        release = RA_VARIANT_NEWEST;
    if (ra_variant_pick(of->normal, variants.files, variants.count, release, &chosen))
        picked = &variants.list[chosen]->scanned.file;
    for (size_t i = 0; picked && i < variants.count; i++) {
        if (&variants.list[i]->scanned.file == picked)
            continue;
        variants.list[i]->alternative_to = ra_text_format(
            &run->arena, "%s is loaded in its place", base_of(picked->path));
        if (!variants.list[i]->alternative_to)
            return RA_E_NOMEM;
    }
    return note_variant(run, &run->packages.list[index], picked, variants.count);
}

static enum ra_status pick_all(struct ra_run *run)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < run->packages.count; i++)
        if (ra_variant_has(run->packages.site.packages[i]->normal))
            status = pick(run, i);
    return status;
}

enum ra_status ra_packages_read(struct ra_run *run)
{
    enum ra_status status = read_site(run);

    if (status == RA_OK)
        status = describe_all(run);
    if (status == RA_OK)
        status = index_all(run);
    if (status != RA_OK)
        return status;
    attribute(run);
    return run->judges ? pick_all(run) : RA_OK;
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

enum ra_status ra_packages_judge(struct ra_run *run)
{
    (void)run;
    return RA_OK;
}

/* ---- those of the report ---------------------------------------------------- */

static bool has_a_word(const struct ra_package *package)
{
    return package->device_files > 0 || package->jit || package->placeholder ||
           package->note || package->editable;
}

/* Which are told: those that have a word, or a finding. */
static bool *list_told(struct ra_run *run)
{
    const struct ra_packages *packages = &run->packages;
    bool *told = ra_new(&run->arena, bool, packages->count);

    for (size_t i = 0; told && i < packages->count; i++)
        told[i] = has_a_word(&packages->list[i]);
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
