#include "report/text.h"

#include "report/table.h"
#include "report/targets.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *content_name(enum ra_content content)
{
    static const char *const names[] = {
        [RA_CONTENT_EMPTY] = "not present", [RA_CONTENT_UNREAD] = "not read",
        [RA_CONTENT_CODE_OBJECT] = "",      [RA_CONTENT_SPIRV] = "SPIR-V",
        [RA_CONTENT_BITCODE] = "bitcode",   [RA_CONTENT_OTHER] = "no code object",
    };

    return names[content];
}

static const char *version_shown(struct ra_page *page, const struct ra_entry *entry)
{
    if (entry->content != RA_CONTENT_CODE_OBJECT)
        return "-";
    return entry->code.version ? ra_page_format(page, "%u", entry->code.version) : "?";
}

static bool row_shown(const struct ra_page *page, const struct ra_entry *entry)
{
    return entry->kind != RA_ENTRY_HOST || page->style->verbose;
}

static void add_entry(struct ra_table *table, const struct ra_bundle *bundle,
                      size_t index, const struct ra_entry *entry)
{
    struct ra_page *page = table->page;
    bool expanded = ra_bundle_expanded(bundle);
    bool is_code = entry->content == RA_CONTENT_CODE_OBJECT;
    bool is_host = entry->kind == RA_ENTRY_HOST;
    uint64_t offset = entry->offset;
    const char *cells[8];

    if (!expanded)
        offset += bundle->offset;
    cells[0] = ra_page_format(page, "%zu", index);
    cells[1] = ra_text_target(page, entry);
    cells[2] = version_shown(page, entry);
    cells[3] = is_code ? ra_page_format(page, "%" PRIu64, entry->kernel_count) : "-";
    cells[4] = ra_page_bytes(page, entry->size);
    cells[5] = ra_page_format(page, "0x%" PRIx64, offset);
    cells[6] = expanded ? ra_page_format(page, "in %s", bundle->container) : "";
    cells[7] = is_host ? "" : content_name(entry->content);
    if (is_code && !entry->complete)
        cells[7] = "not read whole";
    if (entry->content == RA_CONTENT_EMPTY)
        cells[4] = cells[5] = "-";
    ra_table_add(table, NULL, cells);
}

static void put_objects(struct ra_page *page, const struct ra_file *file)
{
    static const struct ra_column columns[] = {
        { .title = "BUNDLE", .right = true },
        { .title = "TARGET", .elastic = true },
        { .title = "COV", .right = true },
        { .title = "KERNELS", .right = true },
        { .title = "SIZE", .right = true },
        { .title = "OFFSET" },
        { .title = "" },
        { .title = "" },
    };
    struct ra_table table = { page, columns, RA_COUNT(columns), 0, NULL, NULL };

    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];

        for (size_t j = 0; j < bundle->entry_count; j++)
            if (row_shown(page, &bundle->entries[j]))
                add_entry(&table, bundle, i, &bundle->entries[j]);
    }
    ra_table_write(&table);
}

/* What a verbose listing says of each bundle, and of the processors it is for. */
static void put_bundles(struct ra_page *page, const struct ra_file *file)
{
    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];
        const char *size =
            bundle->size ? ra_page_bytes(page, bundle->size) : "size unknown";
        const char *entries = "entry table not read";

        if (bundle->has_table)
            entries = ra_page_count(page, bundle->entry_count, "entry", "entries");
        ra_page_lines(page, "", "", 0,
                      ra_page_format(page, "bundle %zu: %s at 0x%" PRIx64 ", %s, %s%s", i,
                                     bundle->container, bundle->offset, size, entries,
                                     bundle->complete ? "" : ", not read whole"));
    }
}

/* Features are of the hardware, so targets that differ after the colon share them. */
static void put_features(struct ra_page *page, const struct ra_file *file)
{
    size_t count = 0;
    const char **targets = ra_targets_of(file, 1, ra_targets_as_counted, &count);
    const char *before = "";

    page->failed |= !targets;
    for (size_t i = 0; i < count; i++) {
        int size = (int)strcspn(targets[i], ":");
        const char *name = ra_page_format(page, "%.*s", size, targets[i]), *text = "";
        const char *const *feature = ra_processor_features(name);

        if (!feature || strcmp(before, name) == 0)
            continue;
        for (; *feature; feature++)
            text = ra_page_format(page, "%s %s", text, *feature);
        ra_page_lines(page, "", "", 2, ra_page_format(page, "%s has%s", name, text));
        before = name;
    }
    free(targets);
}

static void put_file(struct ra_page *page, const struct ra_file *file, bool has_kernels)
{
    if (file->bundle_count > 0)
        put_objects(page, file);
    else if (!file->diags)
        ra_page_lines(page, "", "", 0, "no AMD device code");
    if (page->style->verbose) {
        put_bundles(page, file);
        put_features(page, file);
    }
    ra_text_diags(page, file);
    for (size_t i = 0; has_kernels && i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++)
            if (file->bundles[i].entries[j].kernels)
                ra_text_kernels(page, &file->bundles[i], i, &file->bundles[i].entries[j]);
}

static void put_path(struct ra_page *page, const struct ra_file *file)
{
    ra_out_str(page->out, ra_page_cut(page, file->name, page->style->width - 1));
    ra_out_str(page->out, ":\n");
    for (size_t i = 0; page->style->verbose && i < file->path_count; i++)
        ra_page_lines(page, "", "", 0, ra_page_format(page, "also %s", file->paths[i]));
}

static void put_targets(struct ra_view *view)
{
    size_t count = 0;
    const char **targets = ra_targets_of(view->report->files, view->report->file_count,
                                         ra_targets_by_bytes, &count);

    view->page.failed |= !targets;
    for (size_t i = 0; i < count; i++) {
        ra_out_str(view->page.out, targets[i]);
        ra_out_str(view->page.out, "\n");
    }
    free(targets);
}

/* Instead of the listing; what could not be read is told all the same. */
static void put_matrix(struct ra_view *view)
{
    ra_text_matrix(view, 0);
    if (view->report->totals.incomplete > 0)
        ra_page_gap(&view->page);
    ra_text_undecided(view);
    if (view->report->file_count == 0)
        ra_page_text(&view->page, ra_view_nothing(view));
}

void ra_text_ls(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;

    if (page->style->targets_only) {
        put_targets(view);
        return;
    }
    if (page->style->matrix) {
        put_matrix(view);
        return;
    }
    for (size_t i = 0; i < report->file_count; i++) {
        struct ra_page part = { .out = page->out, .style = page->style };

        if (i > 0)
            ra_out_str(page->out, "\n");
        if (report->file_count > 1 || page->style->verbose || report->files[i].diags)
            put_path(&part, &report->files[i]);
        put_file(&part, &report->files[i], report->has_kernels);
        page->failed |= ra_page_end(&part) != RA_OK;
    }
    if (report->file_count == 0)
        ra_page_text(page, ra_view_nothing(view));
    if (report->file_count == 0 || !page->style->verbose)
        return;
    ra_out_str(page->out, "\n");
    ra_page_text(page, ra_view_counts(view));
}
