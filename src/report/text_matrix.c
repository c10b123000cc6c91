/* text_matrix.c - libraries and targets as a table: where is code for which? */
#include "report/text.h"

#include "report/table.h"
#include "report/targets.h"

#include <inttypes.h>
#include <stdlib.h>

/* Without -v; and targets with it: more than all there are have been made up. */
#define ROWS_SHOWN    ((size_t)40)
#define TARGETS_SHOWN ((size_t)96)
#define TARGETS_MOST  ((size_t)1024)

/* What names keep beside the targets, and a title may take; targets side by side. */
#define NAME_COLUMNS ((size_t)24)
#define NAME_LEAST   ((size_t)12)
#define HEAD_COLUMNS ((size_t)24)
#define HEAD_LEAST   ((size_t)8)
#define HEADS_MOST   ((size_t)15)
#define GAP          ((size_t)2)

/* ---- the order of targets --------------------------------------------------- */

struct target {
    const char *name;
    size_t rank;
    size_t files; /* that have it in any bundle */
};

/* By the table of processors; what is not in it stands before generics and SPIR-V. */
static size_t rank_of(const char *name)
{
    size_t count = 0, size = strcspn(name, ":");
    const struct ra_processor *processors = ra_processors(&count);

    if (strncmp(name, "amdgcnspirv", size) == 0 && size == strlen("amdgcnspirv"))
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (strlen(processors[i].name) == size &&
            strncmp(processors[i].name, name, size) == 0)
            return processors[i].is_generic ? count + 1 + i : i;
    return count;
}

static int target_order(const void *left, const void *right)
{
    const struct target *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return ra_targets_as_counted(&a->name, &b->name);
}

/* All targets of the report, in their order; NULL if there is no memory. */
static struct target *find_targets(struct ra_view *view, size_t *ret_count)
{
    const struct ra_report *report = view->report;
    const char **names =
        ra_targets_of(report->files, report->file_count, ra_targets_by_bytes, ret_count);
    struct target *ret = NULL;

    if (names)
        ret = ra_new(&view->page.arena, struct target, *ret_count);
    view->page.failed |= !ret;
    for (size_t i = 0; ret && i < *ret_count; i++)
        ret[i] = (struct target){ names[i], rank_of(names[i]), 0 };
    if (ret)
        qsort(ret, *ret_count, sizeof(*ret), target_order);
    free(names);
    return ret;
}

/* ---- what a file has -------------------------------------------------------- */

/* Bundles that could have code: a table of nothing but the host does not count. */
static size_t bundles_of(const struct ra_file *file)
{
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];
        bool counts = !bundle->has_table;

        for (size_t j = 0; j < bundle->entry_count && !counts; j++)
            counts = bundle->entries[j].kind != RA_ENTRY_HOST;
        count += counts;
    }
    return count;
}

/* Some targets that stand side by side, and bundles of a file that have them. */
struct part {
    const struct target *targets;
    size_t count;
    size_t bundles[HEADS_MOST];
    size_t last[HEADS_MOST]; /* number of the bundle counted last, from 1 */
};

static void count_entry(struct part *part, size_t number, const struct ra_entry *entry)
{
    const char *target = ra_entry_target(entry);

    for (size_t i = 0; *target && i < part->count; i++) {
        if (part->last[i] == number || strcmp(part->targets[i].name, target) != 0)
            continue;
        part->last[i] = number;
        part->bundles[i]++;
        return;
    }
}

static void count_bundles(struct part *part, const struct ra_file *file)
{
    memset(part->bundles, 0, sizeof(part->bundles));
    memset(part->last, 0, sizeof(part->last));
    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++)
            count_entry(part, i + 1, &file->bundles[i].entries[j]);
}

/* "64" of 64, "12/64", "." for none, "?" for none that was read. */
static const char *cell(struct ra_page *page, const struct ra_file *file, size_t some,
                        size_t all)
{
    if (some == 0)
        return file->status == RA_FILE_OK ? "." : "?";
    if (some == all)
        return ra_page_format(page, "%zu", all);
    return ra_page_format(page, "%zu/%zu", some, all);
}

/* ---- which files tell most -------------------------------------------------- */

struct row {
    const struct ra_file *file;
    size_t all;     /* bundles */
    size_t partial; /* targets that only some bundles have */
    size_t odd;     /* targets of which most files say otherwise */
    size_t place;
};

static int row_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->partial != b->partial)
        return a->partial > b->partial ? -1 : 1;
    if (a->odd != b->odd)
        return a->odd > b->odd ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int place_order(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    return a->place < b->place ? -1 : a->place > b->place;
}

/* Of at most HEADS_MOST targets. */
static void weigh_part(struct row *rows, size_t row_count, struct target *targets,
                       size_t count)
{
    struct part part = { .targets = targets, .count = count };

    for (size_t i = 0; i < row_count; i++) {
        count_bundles(&part, rows[i].file);
        for (size_t j = 0; j < count; j++) {
            targets[j].files += part.bundles[j] > 0;
            rows[i].partial += part.bundles[j] > 0 && part.bundles[j] < rows[i].all;
        }
    }
    for (size_t i = 0; i < row_count; i++) {
        count_bundles(&part, rows[i].file);
        for (size_t j = 0; j < count; j++)
            rows[i].odd += (part.bundles[j] > 0) != (targets[j].files > row_count / 2);
    }
}

static void weigh(struct row *rows, size_t row_count, struct target *targets,
                  size_t count)
{
    for (size_t i = 0; i < count; i += HEADS_MOST) {
        size_t side = count - i < HEADS_MOST ? count - i : HEADS_MOST;

        weigh_part(rows, row_count, targets + i, side);
    }
}

/* If not all can be shown, those with gaps, then those unlike most; as reported. */
static struct row *find_rows(struct ra_view *view, struct target *targets,
                             size_t target_count, size_t *ret_count, size_t *ret_shown)
{
    const struct ra_report *report = view->report;
    struct row *rows = ra_new(&view->page.arena, struct row, report->file_count);
    size_t count = 0;

    view->page.failed |= !rows;
    for (size_t i = 0; rows && i < report->file_count; i++) {
        const struct ra_file *file = &report->files[i];

        if (file->bundle_count == 0)
            continue;
        rows[count++] = (struct row){ .file = file, .all = bundles_of(file), .place = i };
    }
    *ret_count = *ret_shown = count;
    if (!rows || view->page.style->verbose || count <= ROWS_SHOWN)
        return rows;
    *ret_shown = ROWS_SHOWN;
    weigh(rows, count, targets, target_count);
    qsort(rows, count, sizeof(*rows), row_order);
    qsort(rows, ROWS_SHOWN, sizeof(*rows), place_order);
    return rows;
}

/* ---- the tables ------------------------------------------------------------- */

/* What a title may take, beside names that are cut as far as they can be. */
static size_t head_columns(const struct ra_page *page, size_t indent)
{
    size_t width = page->style->width, beside = indent + NAME_LEAST + GAP;

    if (width < beside + HEAD_LEAST)
        return HEAD_LEAST;
    return width - beside < HEAD_COLUMNS ? width - beside : HEAD_COLUMNS;
}

static void put_part(struct ra_view *view, struct part *part, const struct row *rows,
                     size_t count, size_t indent)
{
    struct ra_page *page = &view->page;
    struct ra_column columns[1 + HEADS_MOST] = { { .title = "", .elastic = true } };
    const char *cells[1 + HEADS_MOST];
    struct ra_table table = { page, columns, 1 + part->count, indent, NULL, NULL };

    for (size_t i = 0; i < part->count; i++) {
        columns[1 + i].title =
            ra_page_cut(page, part->targets[i].name, head_columns(page, indent));
        columns[1 + i].right = true;
    }
    for (size_t i = 0; i < count; i++) {
        count_bundles(part, rows[i].file);
        cells[0] = rows[i].file->name;
        for (size_t j = 0; j < part->count; j++)
            cells[1 + j] = cell(page, rows[i].file, part->bundles[j], rows[i].all);
        ra_table_add(&table, NULL, cells);
    }
    ra_table_write(&table);
}

static size_t widest_name(const struct row *rows, size_t count)
{
    size_t widest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t columns = ra_page_columns(rows[i].file->name);

        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* Columns that the numbers of a target take: "12/64" at most. */
static size_t target_columns(const struct target *target, size_t head, size_t most)
{
    size_t title = ra_page_columns(target->name), number = 1;

    title = title > head ? head : title;
    for (; most >= 10; most /= 10)
        number++;
    return title > 2 * number + 1 ? title : 2 * number + 1;
}

static size_t most_bundles(const struct row *rows, size_t count)
{
    size_t most = 0;

    for (size_t i = 0; i < count; i++)
        most = rows[i].all > most ? rows[i].all : most;
    return most;
}

/* How many of the targets go side by side; at least one. */
static size_t fitting(const struct target *targets, size_t count, size_t head,
                      size_t room, size_t most)
{
    size_t fit = 0, used = 0;

    while (fit < count && fit < HEADS_MOST) {
        used += GAP + target_columns(&targets[fit], head, most);
        if (fit > 0 && used > room)
            break;
        fit++;
    }
    return fit;
}

static void put_parts(struct ra_view *view, const struct target *targets, size_t count,
                      const struct row *rows, size_t row_count, size_t indent)
{
    struct ra_page *page = &view->page;
    size_t names = widest_name(rows, row_count), width = page->style->width;
    size_t most = most_bundles(rows, row_count), room = 0;
    size_t head = page->style->verbose ? SIZE_MAX : head_columns(page, indent);

    /* Names give way before the targets are torn apart. */
    if (names > NAME_COLUMNS && names > width * 2 / 5)
        names = NAME_COLUMNS > width * 2 / 5 ? NAME_COLUMNS : width * 2 / 5;
    if (width > indent + names)
        room = width - indent - names;
    for (size_t i = 0; i < count;) {
        struct part part = { .targets = targets + i };

        part.count = fitting(targets + i, count - i, head, room, most);
        if (i > 0)
            ra_out_str(page->out, "\n");
        put_part(view, &part, rows, row_count, indent);
        i += part.count;
    }
}

static bool needs_kpack(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].file->kpack)
            return true;
    return false;
}

void ra_text_matrix(struct ra_view *view, size_t indent)
{
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t count = 0, row_count = 0, shown_rows = 0, shown;
    struct target *targets = find_targets(view, &count);
    struct row *rows = NULL;

    shown = page->style->verbose ? TARGETS_MOST : TARGETS_SHOWN;
    shown = count < shown ? count : shown;
    if (targets)
        rows = find_rows(view, targets, shown, &row_count, &shown_rows);
    if (!rows)
        return;
    if (count == 0 && row_count > 0)
        ra_page_lines(page, "", "", 0,
                      needs_kpack(rows, row_count)
                          ? "needs kpack: no archive with its code is here"
                          : "no AMD device code");
    put_parts(view, targets, shown, rows, shown_rows, indent);
    if (shown < count)
        ra_page_more(page, count - shown, "target", "targets");
    if (shown_rows < row_count)
        ra_page_more(page, row_count - shown_rows, noun.one, noun.many);
}
