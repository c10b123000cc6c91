#include "report/text.h"

#include "report/table.h"

static const char *word(enum ra_outcome outcome)
{
    static const char *const words[] = {
        [RA_WRITTEN] = "wrote",
        [RA_UNCHANGED] = "unchanged",
        [RA_PLANNED] = "would write",
        [RA_FAILED] = "not written",
    };

    return words[outcome];
}

static void add_written(struct ra_view *view, struct ra_table *table,
                        const struct ra_written *written)
{
    struct ra_page *page = &view->page;
    const struct ra_file *file = &view->report->files[written->file];
    const struct ra_bundle *bundle = &file->bundles[written->bundle];
    const struct ra_entry *entry = &bundle->entries[written->entry];
    const char *cells[6];

    cells[0] = word(written->outcome);
    cells[1] = written->path;
    cells[2] = ra_text_target(page, entry);
    cells[3] = ra_page_bytes(page, entry->size);
    cells[4] = ra_page_format(page, "from %s bundle %zu", file->name, written->bundle);
    cells[5] = written->reason ? written->reason : "";
    ra_table_add(table, NULL, cells);
}

/* Nothing is cut: a path that is not whole is of no use. */
static void put_list(struct ra_view *view)
{
    static const struct ra_column columns[6] = { [3] = { .right = true } };
    const struct ra_extraction *extraction = view->report->extraction;
    struct ra_table table = { &view->page, columns, RA_COUNT(columns), 0, NULL, NULL };

    for (size_t i = 0; i < extraction->count; i++)
        add_written(view, &table, &extraction->list[i]);
    ra_table_write(&table);
}

static void put_faults(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (file->status == RA_FILE_OK && !(page->style->verbose && file->diags))
            continue;
        ra_page_gap(page);
        ra_out_str(page->out, ra_page_cut(page, file->name, page->style->width - 1));
        ra_out_str(page->out, ":\n");
        ra_text_diags(page, file);
    }
}

/* "wrote 3 files, 13.1 kB, to out; 1 unchanged; 2 not written" */
static const char *sum(struct ra_view *view)
{
    const struct ra_extraction *all = view->report->extraction;
    struct ra_page *page = &view->page;
    uint64_t done = all->planned ? all->planned : all->written;
    const char *text = ra_page_format(
        page, "%s %s, %s", all->planned ? "would write" : "wrote",
        ra_page_count(page, done, "file", "files"), ra_page_bytes(page, all->bytes));

    if (*all->folder)
        text = ra_page_format(page, "%s, to %s", text, all->folder);
    if (all->unchanged)
        text = ra_page_format(page, "%s; %s unchanged", text,
                              ra_page_number(page, all->unchanged));
    if (all->failed)
        text = ra_page_format(page, "%s; %s not written", text,
                              ra_page_number(page, all->failed));
    return text;
}

/* Whether all the files leave their code to archives that are not among them. */
static bool is_elsewhere(const struct ra_report *report)
{
    for (size_t i = 0; i < report->file_count; i++)
        if (!report->files[i].kpack || report->files[i].kind == RA_KIND_KPACK)
            return false;
    return report->file_count > 0;
}

/* There may be device code, only not of the kind that was asked for. */
static const char *nothing(struct ra_view *view)
{
    if (view->report->totals.incomplete > 0)
        return "wrote nothing: not all could be read";
    if (is_elsewhere(view->report))
        return "wrote nothing: the code is in .kpack archives, which have to be named";
    if (view->report->totals.code_objects > 0)
        return "no code for such a target";
    return ra_view_nothing(view);
}

void ra_text_extract(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    bool found = view->report->extraction->count > 0;

    put_list(view);
    put_faults(view);
    if (found || view->report->totals.incomplete > 0)
        ra_page_gap(page);
    ra_page_text(page, found ? sum(view) : nothing(view));
}
