/* view_packages.c - packages of a report: which files are theirs, and how they fare. */
#include "report/text.h"

#include <stdlib.h>

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* By content, for nobody promises that what a file points to is in the report's list. */
int ra_package_order(const struct ra_package *a, const struct ra_package *b)
{
    int order;

    if (!a || !b)
        return (a == NULL) - (b == NULL);
    order = text_order(a->name, b->name);
    if (order == 0)
        order = text_order(a->version, b->version);
    return order != 0 ? order : text_order(a->path, b->path);
}

static int by_content(const void *left, const void *right)
{
    const struct ra_package *const *a = left, *const *b = right;

    return ra_package_order(*a, *b);
}

static int key_order(const void *key, const void *element)
{
    const struct ra_package *const *package = element;

    return ra_package_order(key, *package);
}

size_t ra_view_package(const struct ra_view *view, const struct ra_package *package)
{
    const struct ra_package *const *found = NULL;

    if (package)
        found = bsearch(package, view->packages, view->report->package_count,
                        sizeof(const struct ra_package *), key_order);
    return found ? (size_t)(*found - view->report->packages) : SIZE_MAX;
}

const struct ra_package *ra_view_finding_package(const struct ra_view *view,
                                                 const struct ra_finding *finding)
{
    const struct ra_file *file = ra_view_file(view, finding->file);

    if (finding->package)
        return finding->package;
    return file ? file->package : NULL;
}

bool ra_view_is_owned(const struct ra_view *view, const struct ra_file *file)
{
    return view->owners[file - view->report->files] != SIZE_MAX;
}

/* ---- the index --------------------------------------------------------------- */

static void sort_packages(struct ra_view *view)
{
    size_t count = view->report->package_count;
    const struct ra_package **packages =
        ra_new(&view->page.arena, const struct ra_package *, count);

    view->packages = packages;
    view->page.failed |= !packages;
    for (size_t i = 0; packages && i < count; i++)
        packages[i] = &view->report->packages[i];
    if (packages)
        qsort(packages, count, sizeof(const struct ra_package *), by_content);
}

/* A package without verdicts speaks for no file, which then stands by itself. */
static size_t owner_of(const struct ra_view *view, const struct ra_file *file)
{
    size_t package = ra_view_package(view, file->package);

    if (package == SIZE_MAX || view->report->packages[package].verdict_count == 0)
        return SIZE_MAX;
    return package;
}

/* Files by their package, as counting sort does it. */
static void sort_owned(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_arena *arena = &view->page.arena;
    size_t *owners = ra_new(arena, size_t, report->file_count);
    size_t *starts = ra_new(arena, size_t, report->package_count + 2);
    const struct ra_file **owned =
        ra_new(arena, const struct ra_file *, report->file_count);

    view->owners = owners;
    view->owned = owned;
    view->owned_starts = starts;
    view->page.failed |= !owners || !starts || !owned;
    if (view->page.failed)
        return;
    for (size_t i = 0; i < report->file_count; i++) {
        owners[i] = owner_of(view, &report->files[i]);
        if (owners[i] != SIZE_MAX)
            starts[owners[i] + 2]++;
    }
    for (size_t i = 2; i < report->package_count + 2; i++)
        starts[i] += starts[i - 1];
    /* Each start moves to its end, which is the start of the next. */
    for (size_t i = 0; i < report->file_count; i++)
        if (owners[i] != SIZE_MAX)
            owned[starts[owners[i] + 1]++] = &report->files[i];
}

/* A cell for each device, and one for findings that are about none in particular. */
static size_t cell_of(const struct ra_view *view, size_t package, size_t device)
{
    size_t count = view->report->device_count;

    if (device < count)
        device = ra_view_judge_as(view, device);
    return package * (count + 1) + (device < count ? device : count);
}

static void mark_findings(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_arena *arena = &view->page.arena;
    bool *failing = ra_arena_alloc(arena, report->package_count + 1,
                                   (report->device_count + 1) * sizeof(*failing));
    unsigned char *told = ra_new(arena, unsigned char, report->package_count);

    view->failing = failing;
    view->told = told;
    view->page.failed |= !failing || !told;
    for (size_t i = 0; !view->page.failed && i < report->finding_count; i++) {
        const struct ra_finding *finding = &report->findings[i];
        size_t at = ra_view_package(view, ra_view_finding_package(view, finding));

        if (at == SIZE_MAX)
            continue;
        if (finding->severity == RA_ERROR)
            failing[cell_of(view, at, finding->device)] = true;
        if ((!finding->file || finding->severity >= RA_WARNING) &&
            told[at] <= finding->severity)
            told[at] = (unsigned char)(finding->severity + 1);
    }
}

void ra_view_index_packages(struct ra_view *view)
{
    sort_packages(view);
    if (!view->page.failed)
        sort_owned(view);
    if (!view->page.failed)
        mark_findings(view);
}

/* ---- how they fare ----------------------------------------------------------- */

const struct ra_verdict *ra_view_package_verdict(const struct ra_view *view,
                                                 size_t package, size_t device)
{
    const struct ra_package *of = &view->report->packages[package];
    size_t as = ra_view_judge_as(view, device);
    const struct ra_verdict *ret = NULL;

    for (size_t i = 0; i < of->verdict_count; i++) {
        if (of->verdicts[i].device == device)
            return &of->verdicts[i];
        if (of->verdicts[i].device == as)
            ret = &of->verdicts[i];
    }
    return ret;
}

const char *ra_view_package_word(const struct ra_view *view, size_t package,
                                 size_t device)
{
    const struct ra_verdict *verdict = ra_view_package_verdict(view, package, device);
    const char *word = verdict ? ra_verdict_word(verdict) : "-";

    if (view->failing[cell_of(view, package, device)] ||
        view->failing[cell_of(view, package, RA_NO_DEVICE)])
        return "FAILS";
    return strcmp(word, "-") == 0 && view->report->packages[package].jit ? "JIT" : word;
}

/* The worst word over the devices that are judged. */
static const char *word_on_any(const struct ra_view *view, size_t package)
{
    const char *worst = ra_view_package_word(view, package, RA_NO_DEVICE);

    for (size_t i = 0; i < view->report->device_count; i++) {
        const char *word = ra_view_package_word(view, package, i);

        if (ra_view_stands(view, i) && ra_word_rank(word) > ra_word_rank(worst))
            worst = word;
    }
    return worst;
}

struct ra_package_tally ra_view_packages(const struct ra_view *view, size_t device)
{
    struct ra_package_tally tally = { 0 };

    for (size_t i = 0; i < view->report->package_count; i++) {
        const char *word = device == RA_NO_DEVICE ? word_on_any(view, i)
                                                  : ra_view_package_word(view, i, device);

        tally.all += ra_word_rank(word) > 0;
        tally.fails += strcmp(word, "FAILS") == 0;
        tally.unknown += strcmp(word, "?") == 0;
    }
    return tally;
}

/* ---- what they are called ---------------------------------------------------- */

const char *ra_text_package(struct ra_page *page, const struct ra_package *package)
{
    if (!package)
        return "";
    if (!package->version || !*package->version)
        return package->name;
    return ra_page_format(page, "%s %s", package->name, package->version);
}

/* Whether another of the same name and version is in the report, in another place. */
static bool has_double(const struct ra_view *view, const struct ra_package *package)
{
    size_t at = ra_view_package(view, package), low = 0;
    size_t high = view->report->package_count;

    if (at == SIZE_MAX)
        return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ra_package_order(view->packages[middle], package) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low > 0 ? low - 1 : 0; i <= low + 1; i++) {
        const struct ra_package *other = NULL;

        if (i != low && i < view->report->package_count)
            other = view->packages[i];
        if (other && text_order(other->name, package->name) == 0 &&
            text_order(other->version, package->version) == 0)
            return true;
    }
    return false;
}

static const char *join(struct ra_page *page, const char *text, const char *more)
{
    return ra_page_format(page, "%s%s%s", text, *text ? "; " : "", more);
}

const char *ra_view_package_note(struct ra_view *view, const struct ra_package *package)
{
    struct ra_page *page = &view->page;
    const char *text = "";

    if (package->note)
        text = package->note;
    if (package->placeholder && !*text)
        text = "a placeholder that holds nothing but its name";
    if (package->editable)
        text = join(page, text,
                    ra_page_format(page, "an editable install of %s", package->editable));
    if (package->path && *package->path &&
        (page->style->verbose || has_double(view, package)))
        text = join(page, text, ra_page_format(page, "recorded in %s", package->path));
    return text;
}

const char *ra_view_owners(struct ra_view *view, const struct ra_file *file)
{
    if (!view->page.style->verbose || file->owner_count < 2)
        return "";
    return ra_page_format(&view->page, " (%zu packages say they own it)",
                          file->owner_count);
}
