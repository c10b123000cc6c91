#include "device/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* ---- properties: lines of a name, a blank and a decimal number -------------- */

/* The bytes up to `end`, which is passed over, or up to the end of the text. */
static struct ra_span take_until(struct ra_cursor *cur, uint8_t end)
{
    struct ra_cursor ahead = *cur;
    struct ra_span word;
    size_t size = 0;

    while (ra_cursor_u8(&ahead) != end && ra_cursor_ok(&ahead))
        size++;
    word = ra_cursor_take(cur, size);
    if (cur->pos < cur->span.size)
        ra_cursor_skip(cur, 1);
    return word;
}

static struct ra_property *property_of(struct ra_kfd_node *node, struct ra_span name)
{
    const struct {
        const char *name;
        struct ra_property *property;
    } known[] = {
        { "cpu_cores_count", &node->cpu_cores },
        { "simd_count", &node->simds },
        { "gfx_target_version", &node->version },
        { "capability", &node->capability },
        { "device_id", &node->device_id },
        { "location_id", &node->location },
        { "domain", &node->domain },
        { "unique_id", &node->unique_id },
        { "drm_render_minor", &node->render_minor },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++)
        if (name.size == strlen(known[i].name) &&
            memcmp(name.data, known[i].name, name.size) == 0)
            return known[i].property;
    return NULL;
}

/* False if a property that matters has no number; all others are none of our business. */
static bool parse_properties(struct ra_span text, struct ra_kfd_node *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);

    while (cur.pos < text.size) {
        struct ra_cursor line = ra_cursor_over(take_until(&cur, '\n'));
        struct ra_property *property = property_of(ret, take_until(&line, ' '));

        if (!property)
            continue;
        property->exists = true;
        if (!ra_sysfs_decimal(take_until(&line, '\n'), &property->value))
            return false;
    }
    return true;
}

/* ---- nodes ------------------------------------------------------------------ */

static void read_node(int nodes, uint32_t number, struct ra_kfd_node *ret)
{
    char path[sizeof("4294967295/properties")];
    uint8_t window[RA_SYSFS_TEXT + 1];
    struct ra_span text;

    *ret = (struct ra_kfd_node){ .number = number };
    (void)snprintf(path, sizeof(path), "%" PRIu32 "/properties", number);
    ret->reading = ra_sysfs_text(nodes, path, RA_SYSFS_TEXT, window, &text);
    if (ret->reading == RA_READING_DONE && !parse_properties(text, ret))
        ret->reading = RA_READING_BROKEN;
}

static bool take_node(int folder, const char *name, uint64_t *ret)
{
    (void)folder;
    return ra_sysfs_index(name, ret) && *ret <= UINT32_MAX;
}

/* The `nodes` folder below a sysfs root or in a topology folder, or -1. */
static int open_nodes(int root)
{
    static const char *const places[] = {
        "nodes",
        "class/kfd/kfd/topology/nodes",
        "devices/virtual/kfd/kfd/topology/nodes",
    };
    int nodes = -1;

    for (size_t i = 0; i < RA_COUNT(places) && nodes < 0; i++)
        nodes = ra_sysfs_folder(root, places[i]);
    return nodes;
}

static enum ra_status read_nodes(int nodes, struct ra_arena *arena, struct ra_kfd *ret)
{
    uint64_t numbers[RA_SYSFS_ENTRIES];
    size_t count = ra_sysfs_list(nodes, take_node, numbers);

    ret->too_many = count > RA_SYSFS_ENTRIES;
    if (ret->too_many)
        return RA_OK;
    ret->nodes = ra_new(arena, struct ra_kfd_node, count);
    if (!ret->nodes)
        return RA_E_NOMEM;
    while (ret->count < count) {
        read_node(nodes, (uint32_t)numbers[ret->count], &ret->nodes[ret->count]);
        ret->count++;
    }
    return RA_OK;
}

enum ra_status ra_kfd_read(int root, struct ra_arena *arena, struct ra_kfd *ret)
{
    int nodes = open_nodes(root);
    enum ra_status status;

    *ret = (struct ra_kfd){ .exists = nodes >= 0 };
    if (nodes < 0)
        return RA_OK;
    status = read_nodes(nodes, arena, ret);
    (void)close(nodes);
    return status;
}
