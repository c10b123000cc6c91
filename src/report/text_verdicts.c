#include "report/text.h"

/* Without -v. */
#define FILES_SHOWN 4

/* Of a hundred columns, those a name may take beside what is said of it. */
#define NAME_PARTS 60

/* The first note on the file, or the place where it would be. */
static size_t first_note(const struct ra_view *view, const struct ra_file *file)
{
    size_t low = 0, high = view->note_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(view->notes[middle]->file, file->path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *ra_view_coverage(struct ra_view *view, const struct ra_file *file,
                             const struct ra_verdict *verdict)
{
    struct ra_page *page = &view->page;
    const char *text;

    text = ra_page_format(page, "%zu of %s", verdict->covered,
                          ra_page_count(page, verdict->total, "bundle", "bundles"));
    for (size_t i = first_note(view, file); i < view->note_count; i++) {
        const struct ra_finding *note = view->notes[i];

        if (strcmp(note->file, file->path) != 0)
            break;
        if (note->device == verdict->device)
            text = ra_page_format(page, "%s; %s", text, note->message);
    }
    return ra_page_format(page, "%s%s", text, ra_view_owners(view, file));
}

static const char *manner(struct ra_page *page, const struct ra_verdict *verdict)
{
    const char *text = verdict->kind == RA_NATIVE    ? "code of its own"
                       : verdict->kind == RA_GENERIC ? "generic code"
                                                     : "compiled when it is loaded";

    return verdict->assumption ? ra_page_format(page, "%s; %s", text, verdict->assumption)
                               : text;
}

/* Two that are well in the same way stand in one block. */
static bool same_manner(const struct ra_verdict *a, const struct ra_verdict *b)
{
    const char *left = a->assumption ? a->assumption : "";
    const char *right = b->assumption ? b->assumption : "";

    return a->kind == b->kind && strcmp(left, right) == 0;
}

/* True if a file of no package is well on a device in the way of `first`. */
static bool is_alike(const struct ra_view *view, const struct ra_file *file,
                     const struct ra_verdict *first)
{
    const struct ra_verdict *verdict = ra_file_verdict(file, first->device);

    return ra_verdict_is_well(verdict) && same_manner(first, verdict) &&
           !ra_view_is_owned(view, file);
}

static size_t name_columns(struct ra_view *view, const struct ra_verdict *first)
{
    const struct ra_report *report = view->report;
    size_t most = view->page.style->width * NAME_PARTS / 100, widest = 0;

    for (size_t i = 0; i < report->file_count; i++) {
        size_t columns = ra_page_columns(report->files[i].name);

        if (columns > widest && is_alike(view, &report->files[i], first))
            widest = columns;
    }
    return widest > most ? most : widest;
}

/* The block of `first`, which is the first of its kind among the files. */
static void put_manner(struct ra_view *view, const struct ra_verdict *first)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    size_t columns = name_columns(view, first), shown = 0, left = 0;

    ra_page_lines(page, first->kind == RA_JIT ? "JIT" : "fits", "", 0,
                  ra_page_format(page, "%s   %s", ra_view_device(view, first->device),
                                 manner(page, first)));
    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (!is_alike(view, file, first))
            continue;
        if (!page->style->verbose && shown == FILES_SHOWN) {
            left++;
            continue;
        }
        ra_page_lines(page, "", ra_page_cut(page, file->name, columns), columns + 2,
                      ra_view_coverage(view, file, ra_file_verdict(file, first->device)));
        shown++;
    }
    if (left > 0)
        ra_page_more(page, left, view->noun.one, view->noun.many);
}

/* Whether one of the blocks is that of the verdict. */
static bool has_manner(const struct ra_verdict *const *firsts, size_t count,
                       const struct ra_verdict *verdict)
{
    for (size_t i = 0; i < count; i++)
        if (same_manner(firsts[i], verdict))
            return true;
    return false;
}

/* Files that are in no package, those that are well in the same way in one block. */
static void put_files(struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;
    const struct ra_verdict **firsts =
        ra_new(&view->page.arena, const struct ra_verdict *, report->file_count);
    size_t count = 0;

    view->page.failed |= !firsts;
    for (size_t i = 0; firsts && i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];
        const struct ra_verdict *verdict = ra_view_verdict(view, file, device);

        if (ra_verdict_is_well(verdict) && !ra_view_is_owned(view, file) &&
            !has_manner(firsts, count, verdict))
            firsts[count++] = verdict;
    }
    for (size_t i = 0; i < count; i++)
        put_manner(view, firsts[i]);
}

static void put_excused_file(struct ra_view *view, const struct ra_file *file)
{
    struct ra_page *page = &view->page;

    for (size_t i = 0; i < view->report->device_count; i++) {
        const struct ra_verdict *verdict = ra_view_verdict(view, file, i);

        if (!verdict || !verdict->excused || !ra_view_stands(view, i))
            continue;
        ra_page_lines(page, "", "", 0,
                      ra_page_format(page, "%s   %s   not counted: %s", file->name,
                                     ra_view_device(view, i), verdict->excused));
    }
}

/* With -v, what does not count and stands below no package. */
static void put_excused(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    bool several = ra_view_standing(view) > 1;

    for (size_t i = 0; view->page.style->verbose && i < report->file_count; i++)
        if (several || !ra_view_is_owned(view, &report->files[i]))
            put_excused_file(view, &report->files[i]);
}

void ra_text_well(struct ra_view *view)
{
    if (ra_view_standing(view) > 1)
        ra_text_matrices(view);
    for (size_t i = 0; i < view->report->device_count; i++) {
        if (ra_view_standing(view) != 1 || !ra_view_stands(view, i))
            continue;
        ra_text_packages(view, i);
        put_files(view, i);
    }
    put_excused(view);
    ra_text_package_notes(view);
}
