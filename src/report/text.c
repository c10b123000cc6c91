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

enum ra_status ra_write_text(const struct ra_report *report, const struct ra_style *style,
                             struct ra_out *out)
{
    struct ra_view view = {
        .page = { .out = out, .style = style },
        .report = report,
    };

    sort_files(&view);
    find_targets(&view);
    if (view.page.failed)
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
