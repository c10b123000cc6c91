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

/* Where it is, if not in the file itself: its offset is there. */
static const char *archive_shown(struct ra_page *page, const struct ra_entry *entry)
{
    if (!entry->archive)
        return "";
    return ra_page_format(page, "in %s",
                          page->style->verbose ? entry->archive
                                               : ra_page_base(entry->archive));
}

static bool row_shown(const struct ra_page *page, const struct ra_entry *entry)
{
    return entry->kind != RA_ENTRY_HOST || page->style->verbose;
}

static void add_entry(struct ra_table *table, const struct ra_bundle *bundle,
                      size_t index, const struct ra_entry *entry)
{
    struct ra_page *page = table->page;
    bool expanded = ra_bundle_expanded(bundle) || entry->is_packed;
    bool is_code = entry->content == RA_CONTENT_CODE_OBJECT;
    bool is_host = entry->kind == RA_ENTRY_HOST;
    uint64_t offset = entry->offset;
    const char *cells[9];

    if (!expanded && !entry->archive)
        offset += bundle->offset;
    cells[0] = ra_page_format(page, "%zu", index);
    cells[1] = bundle->key && !entry->archive ? bundle->key : "";
    cells[2] = ra_text_target(page, entry);
    cells[3] = version_shown(page, entry);
    cells[4] = is_code ? ra_page_format(page, "%" PRIu64, entry->kernel_count) : "-";
    cells[5] = ra_page_bytes(page, entry->size);
    cells[6] = ra_page_format(page, "0x%" PRIx64, offset);
    cells[7] = expanded ? ra_page_format(page, "in %s", bundle->container)
                        : archive_shown(page, entry);
    cells[8] = is_host ? "" : content_name(entry->content);
    if (is_code && !entry->complete)
        cells[8] = "not read whole";
    if (entry->content == RA_CONTENT_EMPTY)
        cells[5] = cells[6] = "-";
    ra_table_add(table, NULL, cells);
}

static void put_objects(struct ra_page *page, const struct ra_file *file)
{
    static const struct ra_column columns[] = {
        { .title = "BUNDLE", .right = true },
        { .title = "KEY", .elastic = true },
        { .title = "TARGET", .elastic = true },
        { .title = "COV", .right = true },
        { .title = "KERNELS", .right = true },
        { .title = "SIZE", .right = true },
        { .title = "OFFSET" },
        { .title = "", .elastic = true },
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

/* Nothing of a bundle whose code is in archives has a place in the file itself. */
static const char *place_of(struct ra_page *page, const struct ra_bundle *bundle)
{
    if (bundle->key && bundle->size == 0)
        return "";
    return ra_page_format(page, " at 0x%" PRIx64 ", %s", bundle->offset,
                          bundle->size ? ra_page_bytes(page, bundle->size)
                                       : "size unknown");
}

/* What a verbose listing says of each bundle, and of the processors it is for. */
static void put_bundles(struct ra_page *page, const struct ra_file *file)
{
    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];
        const char *entries = "entry table not read";
        const char *key = "";

        if (bundle->has_table)
            entries = ra_page_count(page, bundle->entry_count, "entry", "entries");
        if (bundle->key)
            key = ra_page_format(page, ", key %s", bundle->key);
        ra_page_lines(page, "", "", 0,
                      ra_page_format(page, "bundle %zu: %s%s, %s%s%s", i,
                                     bundle->container, place_of(page, bundle), entries,
                                     bundle->complete ? "" : ", not read whole", key));
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
    else if (!file->diags && !file->kpack)
        ra_page_lines(page, "", "", 0, "no AMD device code");
    ra_text_kpack(page, file);
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
    if (page->style->verbose && file->package)
        ra_page_lines(
            page, "", "", 0,
            ra_page_format(page, "of %s", ra_text_package(page, file->package)));
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
