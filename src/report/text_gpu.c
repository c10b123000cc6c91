#include "report/text.h"

static void put_field(struct ra_page *page, const char *name, const char *value)
{
    if (value && *value)
        ra_page_lines(page, "", name, 10, value);
}

static const char *assumed(const struct ra_device *device)
{
    if (device->sramecc_assumed && device->xnack_assumed)
        return "sramecc and xnack: the factory defaults";
    if (device->sramecc_assumed)
        return "sramecc: the factory default";
    return device->xnack_assumed ? "xnack: the factory default" : "";
}

static void put_device(struct ra_page *page, const struct ra_device *device)
{
    ra_out_str(page->out, ra_page_format(page, "GPU %zu", device->index));
    ra_out_str(page->out, "\n");
    put_field(page, "target", device->target);
    put_field(page, "product", device->product);
    put_field(page, "arch",
              device->is_apu ? ra_page_format(page, "%s, APU", device->arch)
                             : device->arch);
    put_field(page, "source", device->source);
    put_field(page, "assumed", assumed(device));
}

void ra_text_gpu(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;

    for (size_t i = 0; i < report->device_count; i++) {
        if (i > 0)
            ra_out_str(page->out, "\n");
        put_device(page, &report->devices[i]);
    }
    if (report->device_count == 0)
        ra_page_lines(page, "no GPU", "", 0, report->devices_text);
}
