#include "report/text.h"

#include "base/text.h"
#include "report/targets.h"

#include <stdlib.h>

static int by_path(const void *left, const void *right)
{
    const struct ra_file *const *a = left, *const *b = right;

    return strcmp((*a)->path, (*b)->path);
}

static void sort_files(struct ra_view *view)
{
    size_t count = view->report->file_count;
    const struct ra_file **files =
        ra_new(&view->page.arena, const struct ra_file *, count);

    if (!files) {
        view->page.failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        files[i] = &view->report->files[i];
    qsort(files, count, sizeof(const struct ra_file *), by_path);
    view->by_path = files;
}

static const char *file_targets(struct ra_page *page, const struct ra_file *file)
{
    size_t count = 0;
    const char **targets = ra_targets_of(file, 1, ra_targets_as_counted, &count);
    struct ra_text text = { 0 };
    const char *ret = NULL;

    for (size_t i = 0; i < count; i++)
        ra_text_printf(&text, "%s%s", i ? " " : "", targets[i]);
    if (targets)
        ret = ra_text_keep(&text, &page->arena);
    page->failed |= !ret;
    ra_text_free(&text);
    free(targets);
    return ret ? ret : "";
}

static void find_targets(struct ra_view *view)
{
    size_t count = view->report->file_count;
    const char **targets = ra_new(&view->page.arena, const char *, count);

    if (!targets) {
        view->page.failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        targets[i] = file_targets(&view->page, &view->report->files[i]);
    view->targets = targets;
}

/* By the path of their file, else as reported. */
static int note_order(const void *left, const void *right)
{
    const struct ra_finding *const *a = left, *const *b = right;
    int order = strcmp((*a)->file, (*b)->file);

    return order != 0 ? order : (*a > *b) - (*a < *b);
}

static void sort_notes(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    const struct ra_finding **notes =
        ra_new(&view->page.arena, const struct ra_finding *, report->finding_count);

    view->notes = notes;
    view->page.failed |= !notes;
    for (size_t i = 0; notes && i < report->finding_count; i++)
        if (report->findings[i].severity == RA_NOTE && report->findings[i].file)
            notes[view->note_count++] = &report->findings[i];
    if (notes)
        qsort(notes, view->note_count, sizeof(const struct ra_finding *), note_order);
}

static struct ra_noun find_noun(const struct ra_report *report)
{
    for (size_t i = 0; i < report->file_count; i++)
        if (report->files[i].bundle_count > 0 && report->files[i].kind != RA_KIND_ELF)
            return (struct ra_noun){ "file", "files" };
    return (struct ra_noun){ "library", "libraries" };
}

bool ra_view_index(struct ra_view *view)
{
    view->noun = find_noun(view->report);
    sort_files(view);
    sort_notes(view);
    find_targets(view);
    if (!view->page.failed)
        ra_view_index_packages(view);
    return !view->page.failed;
}

enum ra_status ra_write_text(const struct ra_report *report, const struct ra_style *style,
                             struct ra_out *out)
{
    struct ra_view view = {
        .page = { .out = out, .style = style },
        .report = report,
    };

    if (!ra_view_index(&view))
        return ra_page_end(&view.page);
    if (strcmp(report->verb, "gpu") == 0)
        ra_text_gpu(&view);
    else if (report->extraction)
        ra_text_extract(&view);
    else if (strcmp(report->verb, "ls") == 0)
        ra_text_ls(&view);
    else
        ra_text_audit(&view);
    return ra_page_end(&view.page);
}
