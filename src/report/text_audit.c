#include "report/text.h"

#include <stdlib.h>

#define TARGETS_SHOWN 8

static void put_no_device(struct ra_view *view)
{
    const char *why = view->report->devices_text;
    const char *hint = "; --gpu TARGET names one to judge for";

    if (!why || !*why)
        why = "HIP sees none of those that are here";
    ra_page_lines(
        &view->page, "no GPU", "", 0,
        ra_page_format(&view->page, "%s%s", why, strstr(why, "--gpu") ? "" : hint));
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

static void put_matrix(struct ra_view *view)
{
    ra_page_gap(&view->page);
    ra_page_lines(&view->page, "bundles", "", 0, "that have code, by target");
    ra_text_matrix(view, RA_PAGE_INDENT);
}

void ra_text_audit(struct ra_view *view)
{
    struct ra_page *page = &view->page;

    if (!page->style->quiet) {
        if (ra_view_standing(view) == 0)
            put_no_device(view);
        ra_text_devices(view);
        ra_page_gap(page);
        ra_page_text(page, ra_view_counts(view));
        ra_page_gap(page);
        ra_text_causes(view);
        ra_text_undecided(view);
        ra_text_well(view);
        if (page->style->matrix)
            put_matrix(view);
        put_bytes(view);
        put_others(view);
        ra_page_gap(page);
    }
    ra_text_sentence(view);
}
