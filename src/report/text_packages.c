/* text_packages.c - packages that are well on the one GPU, and what is noted of others.
 */
#include "report/text.h"

/* Without -v. */
#define PACKAGES_SHOWN ((size_t)12)

/* Of a hundred columns, those a name may take beside what is said of it. */
#define NAME_PARTS 40
#define NAME_GAP   3

/* What the files of a package come to on a device. */
struct sum {
    size_t files, well, excused;
    uint64_t covered, total; /* bundles of those that are well */
};

static struct sum sum_up(const struct ra_view *view, size_t package, size_t device)
{
    struct sum sum = { 0 };

    for (size_t i = view->owned_starts[package]; i < view->owned_starts[package + 1];
         i++) {
        const struct ra_verdict *verdict = ra_view_verdict(view, view->owned[i], device);

        if (!verdict)
            continue;
        sum.excused += verdict->excused != NULL;
        sum.files += !ra_verdict_reads(verdict, "-");
        if (!ra_verdict_is_well(verdict))
            continue;
        sum.well++;
        sum.covered += verdict->covered;
        sum.total += verdict->total;
    }
    return sum;
}

/* ---- a row ------------------------------------------------------------------- */

/* How a package stands in the list of what is well; NULL: it does not. */
static const char *row_word(const struct ra_view *view, size_t package, size_t device)
{
    const struct ra_verdict *verdict = ra_view_package_verdict(view, package, device);
    const char *word = ra_view_package_word(view, package, device);

    if (strcmp(word, "JIT") == 0 && !ra_verdict_is_well(verdict))
        return view->told[package] >= 1 + RA_WARNING ? NULL : word;
    return strcmp(word, "fits") == 0 || strcmp(word, "JIT") == 0 ? word : NULL;
}

static const char *join(struct ra_page *page, const char *text, const char *more)
{
    if (!more || !*more)
        return text;
    return ra_page_format(page, "%s%s%s", text, *text ? "; " : "", more);
}

/* "3 of 3 bundles"; "8 libraries, 24 of 24 bundles" */
static const char *sum_text(struct ra_view *view, const struct sum *sum)
{
    struct ra_page *page = &view->page;
    const char *bundles =
        ra_page_format(page, "%s of %s", ra_page_number(page, sum->covered),
                       ra_page_count(page, sum->total, "bundle", "bundles"));

    if (sum->files < 2)
        return bundles;
    return ra_page_format(
        page, "%s, %s", ra_page_count(page, sum->files, view->noun.one, view->noun.many),
        bundles);
}

/* What makes a package well, and what it hangs on. */
static const char *row_text(struct ra_view *view, size_t package, size_t device)
{
    const struct ra_package *of = &view->report->packages[package];
    const struct ra_verdict *verdict = ra_view_package_verdict(view, package, device);
    struct sum sum = sum_up(view, package, device);
    struct ra_page *page = &view->page;
    const char *text = view->told[package] ? "" : ra_view_package_note(view, of);

    if (!ra_verdict_is_well(verdict))
        return of->note ? text
                        : join(page, "compiles on this machine; nothing to check", text);
    if (sum.files > 0)
        text = join(page, text, sum_text(view, &sum));
    if (verdict->kind == RA_GENERIC)
        text = join(page, text, "generic code");
    if (verdict->kind == RA_JIT)
        text = join(page, text, "compiled when it is loaded");
    text = join(page, text, verdict->assumption);
    return *text ? text : "code of its own";
}

/* What a name takes beside its text, at most so much of the page. */
static size_t name_room(const struct ra_page *page, const char *name)
{
    size_t most = page->style->width * NAME_PARTS / 100;
    size_t columns = ra_page_columns(name);

    return columns > most ? most : columns;
}

static void put_row(struct ra_page *page, const char *word, const char *name,
                    size_t columns, const char *text)
{
    ra_page_lines(page, word, ra_page_cut(page, name, columns), columns + NAME_GAP, text);
}

/* ---- with -v, their files ------------------------------------------------------ */

/* Well, or excused. */
static bool is_listed(const struct ra_verdict *verdict)
{
    return verdict && (verdict->excused || ra_verdict_is_well(verdict));
}

static size_t file_columns(const struct ra_view *view, size_t package, size_t device)
{
    size_t widest = 0;

    for (size_t i = view->owned_starts[package]; i < view->owned_starts[package + 1];
         i++) {
        size_t columns = name_room(&view->page, view->owned[i]->name);

        if (columns > widest && is_listed(ra_view_verdict(view, view->owned[i], device)))
            widest = columns;
    }
    return widest;
}

static void put_files(struct ra_view *view, size_t package, size_t device)
{
    struct ra_page *page = &view->page;
    size_t columns = file_columns(view, package, device);

    for (size_t i = view->owned_starts[package]; i < view->owned_starts[package + 1];
         i++) {
        const struct ra_file *file = view->owned[i];
        const struct ra_verdict *verdict = ra_view_verdict(view, file, device);

        if (!is_listed(verdict))
            continue;
        ra_page_lines(page, "", ra_page_cut(page, file->name, columns), columns + 2,
                      verdict->excused
                          ? ra_page_format(page, "not counted: %s", verdict->excused)
                          : ra_view_coverage(view, file, verdict));
    }
}

/* What is well, or does not count, of a package that is not well. */
static void put_part(struct ra_view *view, size_t package, size_t device)
{
    struct sum sum = sum_up(view, package, device);
    struct ra_page *page = &view->page;
    const char *name = ra_text_package(page, &view->report->packages[package]);
    const char *text;

    if (sum.well == 0 && sum.excused == 0)
        return;
    text =
        ra_page_format(page, "%s of %s", ra_page_number(page, sum.well),
                       ra_page_count(page, sum.files, view->noun.one, view->noun.many));
    if (sum.well > 0)
        text = ra_page_format(page, "in part: %s", text);
    put_row(page, sum.well > 0 ? "fits" : "note", name, name_room(page, name), text);
    put_files(view, package, device);
}

/* ---- all of them --------------------------------------------------------------- */

static size_t name_columns(struct ra_view *view, size_t device)
{
    size_t widest = 0;

    for (size_t i = 0; i < view->report->package_count; i++) {
        const char *name = ra_text_package(&view->page, &view->report->packages[i]);
        size_t columns = name_room(&view->page, name);

        if (columns > widest && row_word(view, i, device))
            widest = columns;
    }
    return widest;
}

/* The packages that come to `word`; `shown` counts on. */
static void put_rows(struct ra_view *view, size_t device, const char *word,
                     size_t columns, size_t *shown)
{
    struct ra_page *page = &view->page;

    for (size_t i = 0; i < view->report->package_count; i++) {
        const char *its = row_word(view, i, device);

        if (!its || strcmp(its, word) != 0)
            continue;
        if ((*shown)++ >= PACKAGES_SHOWN && !page->style->verbose)
            continue;
        put_row(page, word, ra_text_package(page, &view->report->packages[i]), columns,
                row_text(view, i, device));
        if (page->style->verbose)
            put_files(view, i, device);
    }
}

void ra_text_packages(struct ra_view *view, size_t device)
{
    struct ra_page *page = &view->page;
    size_t columns = name_columns(view, device), shown = 0;

    put_rows(view, device, "fits", columns, &shown);
    put_rows(view, device, "JIT", columns, &shown);
    if (shown > PACKAGES_SHOWN && !page->style->verbose)
        ra_page_more(page, shown - PACKAGES_SHOWN, "package", "packages");
    for (size_t i = 0; page->style->verbose && i < view->report->package_count; i++)
        if (!row_word(view, i, device))
            put_part(view, i, device);
}

/* Whether its note stands nowhere else. */
static bool is_noted(struct ra_view *view, size_t package)
{
    const struct ra_package *of = &view->report->packages[package];
    size_t first = ra_view_first(view);

    if (view->told[package] || (!of->note && !of->placeholder && !of->editable))
        return false;
    return ra_view_standing(view) != 1 || !row_word(view, package, first);
}

void ra_text_package_notes(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    size_t shown = 0;

    for (size_t i = 0; i < view->report->package_count; i++) {
        const struct ra_package *package = &view->report->packages[i];
        const char *name = ra_text_package(page, package);

        if (!is_noted(view, i))
            continue;
        if (shown++ >= PACKAGES_SHOWN && !page->style->verbose)
            continue;
        ra_page_lines(
            page, "note", "", 0,
            ra_page_format(page, "%s   %s", name, ra_view_package_note(view, package)));
    }
    if (shown > PACKAGES_SHOWN && !page->style->verbose)
        ra_page_more(page, shown - PACKAGES_SHOWN, "package", "packages");
}
