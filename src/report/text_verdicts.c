#include "report/text.h"

#include "report/table.h"

#include <stdlib.h>

/* Without -v. */
#define FILES_SHOWN 4
#define ROWS_SHOWN  12

/* Of a hundred columns, those a name may take beside what is said of it. */
#define NAME_PARTS 60

/* What the heads of a matrix may take, and names keep beside them. */
#define HEAD_COLUMNS ((size_t)18)
#define NAME_COLUMNS ((size_t)32)
#define HEADS_MOST   ((size_t)12)

/* "3 of 3 bundles; gfx9-4-generic serves gfx942": with the notes on the file. */
static const char *coverage(struct ra_view *view, const struct ra_file *file,
                            const struct ra_verdict *verdict)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    const char *text;

    text = ra_page_format(page, "%zu of %s", verdict->covered,
                          ra_page_count(page, verdict->total, "bundle", "bundles"));
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct ra_finding *finding = &report->findings[i];

        if (finding->severity == RA_NOTE && finding->device == verdict->device &&
            finding->file && strcmp(finding->file, file->path) == 0)
            text = ra_page_format(page, "%s; %s", text, finding->message);
    }
    return text;
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

/* True if a file is well on a device in the way of `first`. */
static bool is_alike(const struct ra_file *file, const struct ra_verdict *first)
{
    const struct ra_verdict *verdict = ra_file_verdict(file, first->device);

    return ra_verdict_is_well(verdict) && same_manner(first, verdict);
}

static size_t name_columns(struct ra_view *view, const struct ra_verdict *first)
{
    const struct ra_report *report = view->report;
    size_t most = view->page.style->width * NAME_PARTS / 100, widest = 0;

    for (size_t i = 0; i < report->file_count; i++) {
        size_t columns = ra_page_columns(report->files[i].name);

        if (columns > widest && is_alike(&report->files[i], first))
            widest = columns;
    }
    return widest > most ? most : widest;
}

/* The block of `first`, which is the first of its kind among the files. */
static void put_manner(struct ra_view *view, const struct ra_verdict *first)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t columns = name_columns(view, first), shown = 0, left = 0;

    ra_page_lines(page, first->kind == RA_JIT ? "JIT" : "fits", "", 0,
                  ra_page_format(page, "%s   %s", ra_view_device(view, first->device),
                                 manner(page, first)));
    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (!is_alike(file, first))
            continue;
        if (!page->style->verbose && shown == FILES_SHOWN) {
            left++;
            continue;
        }
        ra_page_lines(page, "", ra_page_cut(page, file->name, columns), columns + 2,
                      coverage(view, file, ra_file_verdict(file, first->device)));
        shown++;
    }
    if (left > 0)
        ra_page_more(page, left, noun.one, noun.many);
}

static bool seen_before(const struct ra_report *report, size_t file,
                        const struct ra_verdict *verdict)
{
    for (size_t i = 0; i < file; i++)
        if (is_alike(&report->files[i], verdict))
            return true;
    return false;
}

static void put_device(struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict =
            ra_view_verdict(view, &report->files[i], device);

        if (ra_verdict_is_well(verdict) && !seen_before(report, i, verdict))
            put_manner(view, verdict);
    }
}

static unsigned badness(const struct ra_verdict *verdict)
{
    static const char *const words[] = { "-", "fits", "JIT", "warns", "?", "FAILS" };
    unsigned worst = RA_COUNT(words) - 1;

    while (verdict && worst > 0 && strcmp(words[worst], ra_verdict_word(verdict)) != 0)
        worst--;
    return verdict ? worst : 0;
}

/* A device or a file with how bad it is, for sorting. */
struct ranked {
    size_t index;
    uint64_t badness;
};

static int by_badness(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    if (a->badness != b->badness)
        return a->badness > b->badness ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The worst of its verdicts first, then how many files fail. */
static struct ranked *rank_devices(struct ra_view *view, size_t *count)
{
    const struct ra_report *report = view->report;
    struct ranked *ret = ra_new(&view->page.arena, struct ranked, report->device_count);

    *count = 0;
    view->page.failed |= !ret;
    for (size_t i = 0; ret && i < report->device_count; i++) {
        uint64_t worst = 0, sum = 0;

        if (!ra_view_stands(view, i))
            continue;
        for (size_t j = 0; j < report->file_count; j++) {
            unsigned bad = badness(ra_view_verdict(view, &report->files[j], i));

            worst = bad > worst ? bad : worst;
            sum += bad;
        }
        ret[(*count)++] = (struct ranked){ i, worst << 48 | sum };
    }
    if (ret)
        qsort(ret, *count, sizeof(*ret), by_badness);
    return ret;
}

static struct ranked *rank_files(struct ra_view *view, size_t *count)
{
    const struct ra_report *report = view->report;
    struct ranked *ret = ra_new(&view->page.arena, struct ranked, report->file_count);

    *count = 0;
    view->page.failed |= !ret;
    for (size_t i = 0; ret && i < report->file_count; i++) {
        unsigned worst = 0;

        for (size_t j = 0; j < report->device_count; j++) {
            unsigned bad = badness(ra_view_verdict(view, &report->files[i], j));

            worst = bad > worst ? bad : worst;
        }
        if (worst > 0)
            ret[(*count)++] = (struct ranked){ i, worst };
    }
    if (ret)
        qsort(ret, *count, sizeof(*ret), by_badness);
    return ret;
}

/* One verdict column a GPU, for as many as go side by side. */
static void put_matrix(struct ra_view *view, const struct ranked *devices, size_t count,
                       const struct ranked *files, size_t file_count)
{
    struct ra_page *page = &view->page;
    struct ra_column columns[1 + HEADS_MOST] = { { "", .elastic = true } };
    const char *cells[1 + HEADS_MOST];
    struct ra_table table = { page, columns, 1 + count, RA_PAGE_INDENT, NULL, NULL };

    for (size_t i = 0; i < count; i++) {
        const struct ra_device *device = &view->report->devices[devices[i].index];
        const char *title =
            ra_page_format(page, "%zu %.*s", device->index,
                           (int)strcspn(device->target, ":"), device->target);

        columns[1 + i].title = ra_page_cut(page, title, HEAD_COLUMNS);
    }
    for (size_t i = 0; i < file_count; i++) {
        const struct ra_file *file = &view->report->files[files[i].index];

        cells[0] = file->name;
        for (size_t j = 0; j < count; j++) {
            const struct ra_verdict *verdict =
                ra_view_verdict(view, file, devices[j].index);

            cells[1 + j] = verdict ? ra_verdict_word(verdict) : "-";
        }
        ra_table_add(&table, NULL, cells);
    }
    ra_table_write(&table);
}

static void put_matrices(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t device_count, file_count, shown, side, width = page->style->width;
    struct ranked *devices = rank_devices(view, &device_count);
    struct ranked *files = rank_files(view, &file_count);

    shown = page->style->verbose || file_count <= ROWS_SHOWN ? file_count : ROWS_SHOWN;
    side = width > NAME_COLUMNS ? (width - NAME_COLUMNS) / (HEAD_COLUMNS + 2) : 0;
    side = side < 1 ? 1 : side > HEADS_MOST ? HEADS_MOST : side;
    for (size_t i = 0; files && shown > 0 && i < device_count; i += side) {
        size_t count = device_count - i < side ? device_count - i : side;

        put_matrix(view, devices + i, count, files, shown);
    }
    if (shown < file_count)
        ra_page_more(page, file_count - shown, noun.one, noun.many);
}

void ra_text_well(struct ra_view *view)
{
    if (ra_view_standing(view) > 1) {
        put_matrices(view);
        return;
    }
    for (size_t i = 0; i < view->report->device_count; i++)
        if (ra_view_stands(view, i))
            put_device(view, i);
}
