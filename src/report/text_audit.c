#include "report/text.h"

#include "report/table.h"

#include <stdlib.h>

#define TARGETS_SHOWN 8

static const char *product(struct ra_page *page, const struct ra_device *device)
{
    const char *arch = device->arch;

    if (device->is_apu)
        arch = ra_page_format(page, "%s, APU", arch);
    if (!*device->product)
        return arch;
    return ra_page_format(page, "%s (%s)", device->product, arch);
}

static const char *assumed(const struct ra_device *device)
{
    if (device->sramecc_assumed && device->xnack_assumed)
        return "sramecc and xnack assumed";
    if (device->sramecc_assumed)
        return "sramecc assumed";
    return device->xnack_assumed ? "xnack assumed" : "";
}

static void put_no_device(struct ra_view *view)
{
    const char *why = view->report->devices_text;
    const char *hint = "; --gpu TARGET names one to judge for";

    ra_page_lines(
        &view->page, "no GPU", "", 0,
        ra_page_format(&view->page, "%s%s", why, strstr(why, "--gpu") ? "" : hint));
}

static void put_devices(struct ra_view *view)
{
    static const struct ra_column columns[] = {
        { 0 },
        { 0 },
        { .elastic = true },
        { 0 },
    };
    static const char *const rocm[] = { "ROCm  ", "newest (assumed)", "", "" };
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    struct ra_table table = { page, columns, RA_COUNT(columns), 0, NULL, NULL };

    for (size_t i = 0; i < report->device_count; i++) {
        const struct ra_device *device = &report->devices[i];
        const char *cells[] = { ra_page_format(page, "GPU %zu ", device->index),
                                device->target, product(page, device), device->source };

        ra_table_add(&table, NULL, cells);
        if (*assumed(device)) {
            const char *more[] = { "", assumed(device), "", "" };

            ra_table_add(&table, NULL, more);
        }
    }
    ra_table_add(&table, NULL, rocm);
    ra_table_write(&table);
}

/* The first processor of a target ID, and what it is sold as. */
static const char *products_of(struct ra_page *page, const char *target)
{
    const char *name = ra_page_format(page, "%.*s", (int)strcspn(target, ":"), target);
    size_t count = 0;
    const struct ra_processor *processors = ra_processors(&count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(processors[i].name, name) == 0)
            return processors[i].products;
    return "";
}

static int by_bytes(const void *left, const void *right)
{
    const struct ra_target_bytes *a = left, *b = right;

    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return strcmp(a->target, b->target);
}

static struct ra_target_bytes *targets_sorted(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    struct ra_target_bytes *ret;

    ret = ra_new(&view->page.arena, struct ra_target_bytes, totals->target_count);
    if (!ret) {
        view->page.failed = true;
        return NULL;
    }
    if (totals->target_count > 0)
        memcpy(ret, totals->targets, totals->target_count * sizeof(*ret));
    qsort(ret, totals->target_count, sizeof(*ret), by_bytes);
    return ret;
}

static size_t widest(size_t width, const char *text)
{
    size_t columns = ra_page_columns(text);

    return columns > width ? columns : width;
}

/* Rows of target, bytes and number; products in what is left of the page, wrapped. */
static void put_target_rows(struct ra_page *page, const struct ra_target_bytes *targets,
                            size_t count)
{
    size_t name = 0, bytes = 0, number = 0;

    for (size_t i = 0; i < count; i++) {
        name = widest(name, targets[i].target);
        bytes = widest(bytes, ra_page_bytes(page, targets[i].bytes));
        number = widest(number, ra_page_number(page, targets[i].code_objects));
    }
    for (size_t i = 0; i < count; i++) {
        const char *lead;

        lead = ra_page_format(page, "%-*s  %*s  %*s", (int)name, targets[i].target,
                              (int)bytes, ra_page_bytes(page, targets[i].bytes),
                              (int)number, ra_page_number(page, targets[i].code_objects));
        ra_page_lines(page, "", lead, name + bytes + number + 6,
                      products_of(page, targets[i].target));
    }
}

static void put_bytes(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    struct ra_target_bytes *targets = targets_sorted(view);
    size_t count = view->report->totals.target_count, shown = count;

    if (!targets || count == 0)
        return;
    if (!page->style->verbose && count > TARGETS_SHOWN)
        shown = TARGETS_SHOWN;
    ra_page_gap(page);
    ra_page_lines(page, "bytes", "", 0, "of code objects and their number, by target");
    put_target_rows(page, targets, shown);
    if (shown < count)
        ra_page_more(page, count - shown, "target", "targets");
}

static void put_others(struct ra_view *view)
{
    const char *others = ra_view_others(view);

    if (*others)
        ra_page_lines(&view->page, "others", "", 0, others);
}

void ra_text_audit(struct ra_view *view)
{
    struct ra_page *page = &view->page;

    if (!page->style->quiet) {
        if (view->report->device_count == 0)
            put_no_device(view);
        put_devices(view);
        ra_page_gap(page);
        ra_page_text(page, ra_view_counts(view));
        ra_page_gap(page);
        ra_text_causes(view);
        ra_text_undecided(view);
        ra_text_well(view);
        put_bytes(view);
        put_others(view);
        ra_page_gap(page);
    }
    ra_text_sentence(view);
}
