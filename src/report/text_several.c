/* text_several.c - verdicts on several GPUs side by side: packages, and files in none. */
#include "report/text.h"

#include "report/table.h"

#include <stdlib.h>

/* Without -v. */
#define ROWS_SHOWN ((size_t)12)

/* What the heads of a matrix may take, and names keep beside them. */
#define HEAD_COLUMNS ((size_t)18)
#define NAME_COLUMNS ((size_t)32)
#define HEADS_MOST   ((size_t)12)

/* A device with how bad it is, for sorting. */
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

static const char *file_word(const struct ra_view *view, const struct ra_file *file,
                             size_t device)
{
    const struct ra_verdict *verdict = ra_view_verdict(view, file, device);

    return verdict ? ra_verdict_word(verdict) : "-";
}

/* The worst of its words first, then how many files fail. */
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
        for (size_t j = 0; j < report->file_count + report->package_count; j++) {
            const char *word =
                j < report->file_count
                    ? file_word(view, &report->files[j], i)
                    : ra_view_package_word(view, j - report->file_count, i);
            unsigned bad = ra_word_rank(word);

            worst = bad > worst ? bad : worst;
            sum += bad;
        }
        ret[(*count)++] = (struct ranked){ i, worst << 48 | sum };
    }
    if (ret)
        qsort(ret, *count, sizeof(*ret), by_badness);
    return ret;
}

/* ---- rows -------------------------------------------------------------------- */

/* A package, a file of one, or a file of none. */
struct row {
    const struct ra_file *file; /* NULL: a package */
    size_t group;               /* number of the package; files of none come after all */
    unsigned worst;             /* of the package or file that the group is */
    unsigned badness;
};

struct rows {
    struct row *list;
    size_t count;
};

static int row_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->worst != b->worst)
        return a->worst > b->worst ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (!a->file != !b->file)
        return !a->file ? -1 : 1;
    if (a->badness != b->badness)
        return a->badness > b->badness ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

static const char *row_word(const struct ra_view *view, const struct row *row,
                            size_t device)
{
    return row->file ? file_word(view, row->file, device)
                     : ra_view_package_word(view, row->group, device);
}

static unsigned row_badness(const struct ra_view *view, const struct row *row)
{
    unsigned worst = 0;

    for (size_t i = 0; i < view->report->device_count; i++) {
        unsigned bad = ra_word_rank(row_word(view, row, i));

        if (ra_view_stands(view, i) && bad > worst)
            worst = bad;
    }
    return worst;
}

/* Adds it unless no device has anything to do with it. */
static void add_row(const struct ra_view *view, struct rows *rows, struct row row)
{
    row.badness = row_badness(view, &row);
    if (row.worst == 0)
        row.worst = row.badness;
    if (row.badness > 0)
        rows->list[rows->count++] = row;
}

/* With -v the files of a package stand below it. */
static void add_package(const struct ra_view *view, struct rows *rows, size_t package)
{
    struct row row = { .group = package };
    unsigned worst = row_badness(view, &row);

    add_row(view, rows, row);
    for (size_t i = view->owned_starts[package];
         worst > 0 && view->page.style->verbose && i < view->owned_starts[package + 1];
         i++)
        add_row(view, rows,
                (struct row){ .file = view->owned[i], .group = package, .worst = worst });
}

static struct rows find_rows(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct rows rows = { .list = ra_new(&view->page.arena, struct row,
                                        report->package_count + report->file_count) };

    view->page.failed |= !rows.list;
    if (!rows.list)
        return rows;
    for (size_t i = 0; i < report->package_count; i++)
        add_package(view, &rows, i);
    for (size_t i = 0; i < report->file_count; i++)
        if (!ra_view_is_owned(view, &report->files[i]))
            add_row(view, &rows,
                    (struct row){ .file = &report->files[i],
                                  .group = report->package_count + i });
    qsort(rows.list, rows.count, sizeof(*rows.list), row_order);
    return rows;
}

/* ---- the tables -------------------------------------------------------------- */

static const char *row_name(struct ra_view *view, const struct row *row)
{
    if (!row->file)
        return ra_text_package(&view->page, &view->report->packages[row->group]);
    if (row->group < view->report->package_count)
        return ra_page_format(&view->page, "  %s", row->file->name);
    return row->file->name;
}

/* One verdict column a GPU, for as many as go side by side. */
static void put_matrix(struct ra_view *view, const struct ranked *devices, size_t count,
                       const struct row *rows, size_t row_count)
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
    for (size_t i = 0; i < row_count; i++) {
        cells[0] = row_name(view, &rows[i]);
        for (size_t j = 0; j < count; j++)
            cells[1 + j] = row_word(view, &rows[i], devices[j].index);
        ra_table_add(&table, NULL, cells);
    }
    ra_table_write(&table);
}

/* "and 3 more packages or libraries" */
static void put_more(struct ra_view *view, const struct rows *rows, size_t shown)
{
    struct ra_page *page = &view->page;
    struct ra_noun noun = view->noun;
    size_t packages = 0;

    for (size_t i = shown; i < rows->count; i++)
        packages += !rows->list[i].file;
    if (packages > 0)
        ra_page_more(page, packages, "package", "packages");
    if (rows->count - shown > packages)
        ra_page_more(page, rows->count - shown - packages, noun.one, noun.many);
}

void ra_text_matrices(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    size_t count, shown, side, width = page->style->width;
    struct ranked *devices = rank_devices(view, &count);
    struct rows rows = find_rows(view);

    shown = page->style->verbose || rows.count <= ROWS_SHOWN ? rows.count : ROWS_SHOWN;
    side = width > NAME_COLUMNS ? (width - NAME_COLUMNS) / (HEAD_COLUMNS + 2) : 0;
    side = side < 1 ? 1 : side > HEADS_MOST ? HEADS_MOST : side;
    for (size_t i = 0; devices && shown > 0 && i < count; i += side) {
        size_t beside = count - i < side ? count - i : side;

        put_matrix(view, devices + i, beside, rows.list, shown);
    }
    put_more(view, &rows, shown);
}
