/* Any text names GPUs or says why not; each GPU is settled and can be printed. */
#include "base/text.h"
#include "device/told.h"
#include "gfx/target.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

/* What of the text is shown is escaped already; backslashes are of that. */
static void check_shown(const char *text)
{
    assert(ra_text_is_utf8(span_of(text)));
    for (; *text; text++)
        assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_device(const struct ra_device *device, size_t index)
{
    struct ra_target again;

    assert(device->index == index);
    assert(device->id.xnack != RA_SETTING_ANY && device->id.sramecc != RA_SETTING_ANY);
    assert(strncmp(device->target, "gfx", 3) == 0 && !strstr(device->target, "generic"));
    assert(ra_target_parse(span_of(device->target), &again));
    assert(strcmp(again.processor, device->id.processor) == 0);
    assert(strchr(device->source, ','));
    check_shown(device->source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_arena arena = { 0 };
    struct ra_devices devices;
    enum ra_status status =
        ra_devices_told((struct ra_span){ data, size, 0 }, "f", &arena, &devices);

    assert(status == RA_OK && devices.count <= RA_TOLD_DEVICES_MAX);
    assert(devices.count > 0 || devices.text[0] != '\0');
    check_shown(devices.text);
    for (size_t i = 0; i < devices.count; i++)
        check_device(&devices.list[i], i);
    ra_arena_free(&arena);
    return 0;
}
