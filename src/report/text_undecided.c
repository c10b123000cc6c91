#include "report/text.h"

#include <stdlib.h>

/* Without -v, files shown for one kind of fault. */
#define FILES_SHOWN 2

struct item {
    const struct ra_file *file;
    const char *code; /**< of its first error, or "" */
    size_t place;
};

static int item_order(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = strcmp(a->code, b->code);

    if (order != 0)
        return order;
    return a->place < b->place ? -1 : a->place > b->place;
}

static const struct ra_verdict *undecided(const struct ra_file *file)
{
    for (size_t i = 0; i < file->verdict_count; i++)
        if (ra_verdict_reads(&file->verdicts[i], "?"))
            return &file->verdicts[i];
    return NULL;
}

static const char *first_error(const struct ra_file *file)
{
    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next)
        if (diag->severity == RA_ERROR)
            return diag->code;
    return "";
}

/* With -v also files that are only odd. */
static bool is_shown(const struct ra_page *page, const struct ra_file *file)
{
    return file->status != RA_FILE_OK || undecided(file) ||
           (page->style->verbose && file->diags);
}

static const char *state(struct ra_page *page, const struct ra_file *file)
{
    const struct ra_verdict *verdict = undecided(file);

    switch (file->status) {
    case RA_FILE_INCOMPLETE:
        return "could not be read whole";
    case RA_FILE_UNREADABLE:
        return "could not be read";
    case RA_FILE_CHANGED:
        return "changed while it was read";
    case RA_FILE_OK:
        break;
    }
    if (verdict && verdict->doubt)
        return ra_page_format(page, "cannot be decided: %s", verdict->doubt);
    if (verdict && verdict->assumption)
        return verdict->assumption;
    return verdict ? "cannot be decided" : "is odd, which changes no verdict";
}

static void put_file(struct ra_view *view, const struct ra_file *file)
{
    struct ra_page *page = &view->page;
    bool unknown = file->status != RA_FILE_OK || undecided(file);
    size_t width = page->style->width, most = RA_PAGE_INDENT + 16;
    const char *path = ra_page_cut(page, file->name, width > most ? width - most : 16);
    const char *package = ra_text_package(page, file->package);

    ra_page_lines(page, unknown ? "?" : "note", "", 0,
                  ra_page_format(page, "%s%s%s %s%s", package, *package ? "   " : "",
                                 path, state(page, file), ra_view_owners(view, file)));
    ra_text_diags(page, file);
}

static void put_group(struct ra_view *view, const struct item *items, size_t count)
{
    struct ra_page *page = &view->page;
    size_t shown = page->style->verbose || count <= FILES_SHOWN ? count : FILES_SHOWN;

    for (size_t i = 0; i < shown; i++)
        put_file(view, items[i].file);
    if (shown < count)
        ra_page_more(page, count - shown, "file", "files");
}

void ra_text_undecided(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct item *items = ra_new(&view->page.arena, struct item, report->file_count);
    size_t count = 0, first = 0;

    if (!items) {
        view->page.failed = true;
        return;
    }
    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (is_shown(&view->page, file))
            items[count++] = (struct item){ file, first_error(file), i };
    }
    qsort(items, count, sizeof(*items), item_order);
    while (first < count) {
        size_t same = 1;

        while (first + same < count &&
               strcmp(items[first].code, items[first + same].code) == 0)
            same++;
        put_group(view, items + first, same);
        first += same;
    }
}
