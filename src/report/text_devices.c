/* text_devices.c - the GPUs at the head of a report, and the ROCm that would load. */
#include "report/text.h"

#include "report/table.h"

#include <stdlib.h>

/* Below this width the GPUs are no table. */
#define TABLE_LEAST 72

/* Columns that a list of numbers, or a version, which users may write, can take. */
#define NUMBERS_COLUMNS ((size_t)12)
#define VERSION_COLUMNS ((size_t)24)

/* ---- devices that look alike ------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_id(const struct ra_target *a, const struct ra_target *b)
{
    return strcmp(a->processor, b->processor) == 0 && a->sramecc == b->sramecc &&
           a->xnack == b->xnack;
}

static bool is_alike(const struct ra_device *a, const struct ra_device *b, bool strict)
{
    if (!same_text(a->target, b->target) || !same_text(a->product, b->product) ||
        !same_text(a->arch, b->arch) || !same_text(a->skipped, b->skipped) ||
        !same_text(a->override_text, b->override_text) || a->is_apu != b->is_apu ||
        a->sramecc_assumed != b->sramecc_assumed || a->xnack_assumed != b->xnack_assumed)
        return false;
    if (a->override_text && !same_id(&a->hardware, &b->hardware))
        return false;
    return !strict ||
           (same_text(a->why, b->why) && a->origin == b->origin &&
            a->sramecc_origin == b->sramecc_origin && a->xnack_origin == b->xnack_origin);
}

struct ra_group ra_view_group(struct ra_view *view, size_t first, bool strict)
{
    const struct ra_device *devices = view->report->devices;
    size_t count = view->report->device_count, most = 0;
    struct ra_group group = { 0 };
    size_t *members;

    for (size_t i = 0; i < count; i++) {
        if (i < first && is_alike(&devices[i], &devices[first], strict))
            return group;
        most += i >= first && is_alike(&devices[i], &devices[first], strict);
    }
    members = ra_new(&view->page.arena, size_t, most);
    view->page.failed |= !members;
    for (size_t i = first; members && i < count; i++)
        if (is_alike(&devices[i], &devices[first], strict))
            members[group.count++] = i;
    group.members = members;
    return group;
}

/* ---- where they are known from ---------------------------------------------- */

/* Bytes of "kfd node " in "kfd node 2"; 0 if it is no noun and number. */
static size_t noun_size(const char *source, size_t *number)
{
    size_t size = strlen(source), digits = 0;

    while (digits < size && source[size - digits - 1] >= '0' &&
           source[size - digits - 1] <= '9')
        digits++;
    if (digits == 0 || digits > 9 || size < digits + 2 ||
        source[size - digits - 1] != ' ')
        return 0;
    *number = strtoul(source + size - digits, NULL, 10);
    return size - digits;
}

/* "kfd nodes 2-9" if all sources are the same noun with numbers that ascend, or NULL. */
static const char *join_sources(struct ra_view *view, const struct ra_group *group)
{
    const struct ra_device *devices = view->report->devices;
    const char *first = devices[group->members[0]].source;
    size_t *numbers = ra_new(&view->page.arena, size_t, group->count);
    size_t size = 0, at = 0;

    view->page.failed |= !numbers;
    for (size_t i = 0; numbers && i < group->count; i++) {
        const char *source = devices[group->members[i]].source;

        at = noun_size(source, &numbers[i]);
        size = i == 0 ? at : size;
        if (at == 0 || at != size || strncmp(source, first, size) != 0 ||
            (i > 0 && numbers[i] <= numbers[i - 1]))
            return NULL;
    }
    return ra_page_format(&view->page, "%.*ss %s", (int)size - 1, first,
                          ra_view_ranges(view, numbers, numbers ? group->count : 0));
}

const char *ra_group_sources(struct ra_view *view, const struct ra_group *group)
{
    const struct ra_device *devices = view->report->devices;
    const char *first = devices[group->members[0]].source, *joined;
    size_t others = 0;

    for (size_t i = 1; i < group->count; i++)
        others += !same_text(devices[group->members[i]].source, first);
    if (others == 0)
        return first;
    joined = join_sources(view, group);
    if (joined)
        return joined;
    return ra_page_format(&view->page, "%s and %zu more", first, group->count - 1);
}

/* ---- the rows --------------------------------------------------------------- */

static const char *product(struct ra_page *page, const struct ra_device *device,
                           size_t count)
{
    const char *arch = device->arch, *times = "";

    if (count > 1)
        times = ra_page_format(page, "%zu x ", count);
    if (device->is_apu)
        arch = ra_page_format(page, "%s%sAPU", arch, *arch ? ", " : "");
    if (*device->product)
        return ra_page_format(page, "%s%s (%s)", times, device->product, arch);
    return ra_page_format(page, "%s%s", times,
                          *arch ? arch : "not known to this version");
}

static const char *assumed(const struct ra_device *device)
{
    if (device->sramecc_assumed && device->xnack_assumed)
        return "sramecc and xnack assumed";
    if (device->sramecc_assumed)
        return "sramecc assumed";
    return device->xnack_assumed ? "xnack assumed" : "";
}

const char *ra_device_override(struct ra_page *page, const struct ra_device *device)
{
    if (!device->override_text)
        return "";
    if (device->override_invalid)
        return ra_page_format(page, "%s cannot be read", device->override_text);
    return ra_page_format(page, "%s -> %s  %s", device->hardware_target, device->target,
                          device->override_text);
}

/* What stands below a GPU. */
static void add_more(struct ra_table *table, const struct ra_device *device)
{
    const char *override = ra_device_override(table->page, device);

    if (*assumed(device)) {
        const char *cells[] = { "", assumed(device), "", "" };

        ra_table_add(table, NULL, cells);
    }
    if (*override) {
        const char *cells[] = { "", override, "", "" };

        ra_table_add_text(table, cells);
    }
    if (device->skipped) {
        const char *text = ra_page_format(table->page, "not judged: %s", device->skipped);
        const char *cells[] = { "", text, "", "" };

        ra_table_add_text(table, cells);
    }
}

static void add_group(struct ra_view *view, struct ra_table *table,
                      const struct ra_group *group)
{
    const struct ra_device *device = &view->report->devices[group->members[0]];
    struct ra_page *page = &view->page;
    const char *numbers = ra_page_cut(
        page, ra_view_ranges(view, group->members, group->count), NUMBERS_COLUMNS);
    const char *what = product(page, device, group->count);
    const char *cells[] = { ra_page_format(page, "GPU %s ", numbers), device->target,
                            what, ra_group_sources(view, group) };

    if (page->style->width >= TABLE_LEAST) {
        ra_table_add(table, NULL, cells);
    } else {
        cells[2] = cells[3] = "";
        ra_table_add(table, NULL, cells);
        cells[0] = "";
        cells[1] = ra_page_format(page, "%s, %s", what, ra_group_sources(view, group));
        ra_table_add_text(table, cells);
    }
    add_more(table, device);
}

static void add_runtime(struct ra_view *view, struct ra_table *table)
{
    const struct ra_runtime *runtime = &view->report->runtime;
    bool known = runtime->version && *runtime->version && !runtime->assumed;
    const char *compat = runtime->compat ? runtime->compat : "upstream";
    const char *cells[] = { "ROCm  ", "newest (assumed)", "", "" };
    bool looked = runtime->source && strncmp(runtime->source, "assumed: ", 9) == 0;

    if (looked) {
        cells[2] = runtime->source + strlen("assumed: ");
        ra_table_add_text(table, cells);
    } else if (known) {
        cells[1] = ra_page_cut(&view->page, runtime->version, VERSION_COLUMNS);
        cells[2] = runtime->source ? runtime->source : "";
        ra_table_add_text(table, cells);
    } else {
        ra_table_add(table, NULL, cells);
    }
    if (strcmp(compat, "upstream") != 0 ||
        same_text(runtime->compat_source, "--compat")) {
        const char *source = runtime->compat_source ? runtime->compat_source : "";
        const char *more[] = { "compat", compat, source, "" };

        ra_table_add_text(table, more);
    }
}

static const struct ra_column columns[] = {
    { 0 },
    { 0 },
    { .elastic = true },
    { .elastic = true },
};

void ra_text_devices(struct ra_view *view)
{
    struct ra_table table = { &view->page, columns, RA_COUNT(columns), 0, NULL, NULL };

    for (size_t i = 0; i < view->report->device_count; i++) {
        struct ra_group group = ra_view_group(view, i, false);

        if (group.count > 0)
            add_group(view, &table, &group);
    }
    add_runtime(view, &table);
    ra_table_write(&table);
    ra_text_note(view);
}

void ra_text_runtime(struct ra_view *view)
{
    struct ra_table table = { &view->page, columns, RA_COUNT(columns), 0, NULL, NULL };

    add_runtime(view, &table);
    ra_table_write(&table);
}

void ra_text_note(struct ra_view *view)
{
    const char *text = view->report->devices_text;

    if (ra_view_standing(view) > 0 && text && *text)
        ra_page_lines(&view->page, "note", "", 0, text);
}
