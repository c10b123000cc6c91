#include "report/text.h"

#include <stdlib.h>

/* Without -v, files named for a cause and sets of targets told apart within it. */
#define FILES_SHOWN 2
#define SETS_SHOWN  3

/* Without -v, causes of packages that are told with all that belongs to them. */
#define CAUSES_SHOWN 6

/* Of a hundred columns, those a name may take beside its message. */
#define NAME_PARTS 40

/* A finding that is shown. */
struct item {
    const struct ra_finding *finding;
    const struct ra_package *package; /**< or NULL */
    const struct ra_file *file;       /**< or NULL */
    const char *name;                 /**< of its file, or "" */
    const char *targets;              /**< what that has */
    size_t device;                    /**< the one that its device is judged as */
    size_t alike; /**< items of its cause with the same targets and advice */
    size_t place; /**< in the report, which is the last order */
};

static int text_order(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

/* Of a device: what is the same for several is one cause. */
static int device_order(const struct item *a, const struct item *b)
{
    int order = text_order(a->finding->message, b->finding->message);

    if (order != 0)
        return order;
    return a->device < b->device ? -1 : a->device > b->device;
}

static bool is_of_device(const struct item *item)
{
    return !item->finding->file && !item->package;
}

/* Devices come first, then packages, each whole, and files that are in none. */
static int subject_order(const struct item *a, const struct item *b)
{
    bool left = is_of_device(a), right = is_of_device(b);
    int order;

    if (left != right)
        return left ? -1 : 1;
    order = ra_package_order(a->package, b->package);
    if (order != 0)
        return order;
    return (a->finding->file != NULL) - (b->finding->file != NULL);
}

/* Findings of one cause are one block. */
static int cause_order(const struct item *a, const struct item *b)
{
    const struct ra_finding *left = a->finding, *right = b->finding;
    int order;

    if (left->severity != right->severity)
        return left->severity > right->severity ? -1 : 1;
    order = subject_order(a, b);
    if (order != 0)
        return order;
    order = text_order(left->rule, right->rule);
    if (order == 0 && !left->file)
        order = device_order(a, b);
    if (order != 0)
        return order;
    if (left->file && left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return text_order(left->predicted_error, right->predicted_error);
}

/* What mends it can depend on what the files have. */
static int set_order(const struct item *a, const struct item *b)
{
    int order = text_order(a->targets, b->targets);

    return order != 0 ? order : text_order(a->finding->advice, b->finding->advice);
}

static int item_order(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = cause_order(a, b);

    if (order == 0 && a->alike != b->alike)
        return a->alike > b->alike ? -1 : 1;
    if (order == 0)
        order = set_order(a, b);
    if (order == 0 && a->place != b->place)
        order = a->place < b->place ? -1 : 1;
    return order;
}

/* The items after `first` that go with it, itself counted. */
static size_t same_cause(const struct item *first, size_t left)
{
    size_t count = 1;

    while (count < left && cause_order(first, first + count) == 0)
        count++;
    return count;
}

static size_t same_set(const struct item *first, size_t left)
{
    size_t count = 1;

    while (count < left && set_order(first, first + count) == 0)
        count++;
    return count;
}

/* Within a package the end of a path is enough, unless two that are shown share it. */
static void tell_apart(struct item *items, size_t count)
{
    count = count < FILES_SHOWN ? count : FILES_SHOWN;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(items[i - 1].name, items[i].name) != 0)
            continue;
        for (size_t j = i - 1; j <= i; j++)
            if (items[j].file)
                items[j].name = items[j].file->name;
    }
}

/* What most files have in common comes first. */
static void sort_items(struct item *items, size_t count)
{
    size_t at = 0;

    qsort(items, count, sizeof(*items), item_order);
    while (at < count) {
        size_t cause = same_cause(items + at, count - at);
        size_t same = same_set(items + at, cause);

        for (size_t i = 0; i < same; i++)
            items[at + i].alike = same;
        at += same;
    }
    qsort(items, count, sizeof(*items), item_order);
    for (at = 0; at < count; at += items[at].alike)
        tell_apart(items + at, items[at].alike);
}

static size_t name_columns(const struct ra_page *page, const struct item *items,
                           size_t count)
{
    size_t most = page->style->width * NAME_PARTS / 100, widest = 0;

    for (size_t i = 0; i < count; i++) {
        size_t columns = ra_page_columns(items[i].name);

        widest = columns > widest ? columns : widest;
    }
    return widest > most ? most : widest;
}

static void put_field(struct ra_page *page, const char *name, const char *text)
{
    if (text && *text)
        ra_page_lines(page, "", name, 15, text);
}

/* A command that is cut mends nothing. */
static void put_mend(struct ra_page *page, const char *advice)
{
    page->whole = true;
    put_field(page, "mend", advice);
    page->whole = false;
}

static const char *item_text(struct ra_view *view, const struct item *item)
{
    const char *owners = item->file ? ra_view_owners(view, item->file) : "";

    return ra_page_format(&view->page, "%s%s", item->finding->message, owners);
}

/* Files that hold the same targets, each with what is so. */
static void put_set(struct ra_view *view, const struct item *items, size_t count,
                    size_t columns)
{
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t shown = page->style->verbose || count <= FILES_SHOWN ? count : FILES_SHOWN;

    for (size_t i = 0; i < shown; i++)
        ra_page_lines(page, "", ra_page_cut(page, items[i].name, columns), columns + 2,
                      item_text(view, &items[i]));
    if (shown < count)
        ra_page_more(page, count - shown, noun.one, noun.many);
}

/* Sets of targets one by one, each with what mends it unless that is the same for all. */
static void put_sets(struct ra_view *view, const struct item *items, size_t count,
                     bool one_mend)
{
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t columns = name_columns(page, items, count), sets = 0, at = 0;

    while (at < count && (page->style->verbose || sets < SETS_SHOWN)) {
        size_t same = same_set(items + at, count - at);

        put_set(view, items + at, same, columns);
        if (!one_mend)
            put_mend(page, items[at].finding->advice);
        at += same;
        sets++;
    }
    if (at < count)
        ra_page_more(page, count - at,
                     ra_page_format(page, "%s with other targets", noun.one),
                     ra_page_format(page, "%s with other targets", noun.many));
}

static bool has_one_mend(const struct item *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (text_order(items->finding->advice, items[i].finding->advice) != 0)
            return false;
    return true;
}

/* "gfx1030 (GPU 0-7)": the devices that a cause without a file is about. */
static const char *cause_devices(struct ra_view *view, const struct item *items,
                                 size_t count)
{
    const struct ra_report *report = view->report;
    size_t *numbers = ra_new(&view->page.arena, size_t, count);
    size_t device = items->finding->device;

    view->page.failed |= !numbers;
    if (!numbers || device >= report->device_count)
        return "";
    if (report->device_count == 1)
        return report->devices[device].target;
    for (size_t i = 0; i < count; i++)
        numbers[i] = items[i].finding->device;
    return ra_page_format(&view->page, "%s (GPU %s)", report->devices[device].target,
                          ra_view_ranges(view, numbers, count));
}

/* "torch 2.9.0   gfx1151   RA001 missing-target", on two lines where it is too wide. */
static void put_head(struct ra_page *page, const char *word, const char *package,
                     const char *rest)
{
    size_t width = page->style->width;
    const char *line;

    if (!*package) {
        ra_page_lines(page, word, "", 0, rest);
        return;
    }
    line = ra_page_format(page, "%s   %s", package, rest);
    if (RA_PAGE_INDENT + ra_page_columns(line) <= width) {
        ra_page_lines(page, word, "", 0, line);
        return;
    }
    ra_page_lines(page, word, "", 0, package);
    ra_page_lines(page, "", "", 0, rest);
}

/* What it is called, of what, and by which rule. */
static void put_title(struct ra_view *view, const struct item *items, size_t count)
{
    static const char *const words[] = {
        [RA_NOTE] = "note",
        [RA_WARNING] = "warns",
        [RA_ERROR] = "FAILS",
    };
    const struct ra_finding *finding = items->finding;
    struct ra_page *page = &view->page;
    const char *device = finding->file ? ra_view_device(view, finding->device)
                                       : cause_devices(view, items, count);
    const char *rest = ra_page_format(page, "%s%s%s %s", device, *device ? "   " : "",
                                      finding->rule, finding->name);

    put_head(page, words[finding->severity], ra_text_package(page, items->package), rest);
}

/* @param first  no other cause of the same package stands before it */
static void put_cause(struct ra_view *view, const struct item *items, size_t count,
                      bool first)
{
    const struct ra_finding *finding = items->finding;
    struct ra_page *page = &view->page;
    bool one_mend = !finding->file || has_one_mend(items, count);
    const char *note = "";

    put_title(view, items, count);
    /* What is said of the package itself says what its note would. */
    if (first && items->package &&
        (finding->file || items->package->note || page->style->verbose))
        note = ra_view_package_note(view, items->package);
    if (*note)
        ra_page_lines(page, "", "", 0, note);
    if (finding->file)
        put_sets(view, items, count, one_mend);
    else
        ra_page_lines(page, "", "", 0, finding->message);
    put_field(page, "you will see", finding->predicted_error);
    if (one_mend)
        put_mend(page, finding->advice);
}

static struct item item_make(struct ra_view *view, size_t place)
{
    const struct ra_finding *finding = &view->report->findings[place];
    const struct ra_file *file = ra_view_file(view, finding->file);
    struct item item = { .finding = finding, .place = place };

    item.device = ra_view_judge_as(view, finding->device);
    item.package = ra_view_finding_package(view, finding);
    item.file = file;
    item.name = file ? file->name : finding->file ? finding->file : "";
    if (file && item.package && !view->page.style->verbose)
        item.name = ra_file_base(file);
    item.targets = file ? view->targets[file - view->report->files] : "";
    return item;
}

/* Of what is well it stands beside the file, but in a matrix there is no room for it. */
static bool is_note_shown(const struct ra_view *view, const struct ra_verdict *verdict)
{
    return view->page.style->verbose && (verdict->excused || ra_view_standing(view) > 1);
}

/* What equal devices share is told of the first; what is of no device is told too. */
static bool is_shown(const struct ra_view *view, const struct ra_finding *finding)
{
    const struct ra_file *file = ra_view_file(view, finding->file);
    const struct ra_verdict *verdict = NULL;

    if (!finding->file || finding->device >= view->report->device_count)
        return true;
    if (file)
        verdict = ra_view_verdict(view, file, finding->device);
    if (finding->severity == RA_NOTE && verdict &&
        (verdict->excused || ra_verdict_is_well(verdict)))
        return is_note_shown(view, verdict);
    return ra_view_stands(view, finding->device);
}

/* After so many causes of packages only their titles are told, that a page can hold all.
 */
static bool is_brief(const struct ra_page *page, const struct item *items, size_t told)
{
    return !page->style->verbose && items->package && told >= CAUSES_SHOWN;
}

static void put_causes(struct ra_view *view, const struct item *items, size_t count)
{
    struct ra_page *page = &view->page;
    const struct ra_package *before = NULL;
    size_t told = 0, at = 0;

    while (at < count) {
        size_t same = same_cause(items + at, count - at), next = at + same;
        bool brief = is_brief(page, items + at, told);

        told += items[at].package != NULL;
        if (brief)
            put_title(view, items + at, same);
        else
            put_cause(view, items + at, same,
                      at == 0 || ra_package_order(before, items[at].package) != 0);
        if (brief && (next == count || !is_brief(page, items + next, told)))
            ra_page_lines(page, "", "", 0, "-v tells what mends these");
        before = items[at].package;
        at = next;
    }
}

void ra_text_causes(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct item *items = ra_new(&view->page.arena, struct item, report->finding_count);
    size_t count = 0;

    if (!items) {
        view->page.failed = true;
        return;
    }
    for (size_t i = 0; i < report->finding_count; i++)
        if (is_shown(view, &report->findings[i]))
            items[count++] = item_make(view, i);
    sort_items(items, count);
    put_causes(view, items, count);
}
