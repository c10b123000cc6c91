#include "report/text.h"

static void put_field(struct ra_page *page, const char *name, const char *value)
{
    if (value && *value)
        ra_page_lines(page, "", name, 10, value);
}

static const char *arch(struct ra_page *page, const struct ra_device *device)
{
    if (!device->is_apu)
        return device->arch;
    return ra_page_format(page, "%s%sAPU", device->arch, *device->arch ? ", " : "");
}

/*
 * "xnack off, inferred"; "" if the processor has no such feature. What was inferred is
 * assumed as well, but not without a reason.
 */
static const char *feature(struct ra_page *page, const char *name,
                           enum ra_setting setting, bool assumed, enum ra_origin origin)
{
    if (setting != RA_SETTING_ON && setting != RA_SETTING_OFF)
        return "";
    if (assumed && origin != RA_FROM_INFERENCE)
        origin = RA_FROM_ASSUMPTION;
    return ra_page_format(page, "%s %s, %s", name,
                          setting == RA_SETTING_ON ? "on" : "off",
                          ra_origin_name(origin));
}

static const char *features(struct ra_page *page, const struct ra_device *device)
{
    const char *sramecc = feature(page, "sramecc", device->id.sramecc,
                                  device->sramecc_assumed, device->sramecc_origin);
    const char *xnack = feature(page, "xnack", device->id.xnack, device->xnack_assumed,
                                device->xnack_origin);

    return ra_page_format(page, "%s%s%s", sramecc, *sramecc && *xnack ? "; " : "", xnack);
}

/* "GPU 0-7   8 alike" */
static void put_head(struct ra_view *view, const struct ra_group *group)
{
    struct ra_page *page = &view->page;
    const char *numbers = ra_view_ranges(view, group->members, group->count);

    if (group->count == 1)
        ra_page_text(page, ra_page_format(page, "GPU %s", numbers));
    else
        ra_page_text(page,
                     ra_page_format(page, "GPU %s   %zu alike", numbers, group->count));
}

static void put_group(struct ra_view *view, const struct ra_group *group)
{
    const struct ra_device *device = &view->report->devices[group->members[0]];
    struct ra_page *page = &view->page;

    put_head(view, group);
    put_field(page, "target", device->target);
    put_field(page, "override", ra_device_override(page, device));
    put_field(page, "product", device->product);
    put_field(page, "arch", arch(page, device));
    put_field(page, "source", ra_group_sources(view, group));
    put_field(page, "why", device->why);
    put_field(page, "features", features(page, device));
    put_field(page, "skipped", device->skipped);
}

void ra_text_gpu(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;

    for (size_t i = 0; i < report->device_count; i++) {
        struct ra_group group = ra_view_group(view, i, true);

        if (group.count == 0)
            continue;
        put_group(view, &group);
        ra_page_gap(page);
    }
    if (ra_view_standing(view) == 0)
        ra_page_lines(page, "no GPU", "", 0, report->devices_text);
    ra_text_runtime(view);
    ra_text_note(view);
}
