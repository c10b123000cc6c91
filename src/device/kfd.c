#include "base/text.h"
#include "device/device.h"
#include "gfx/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES_MAX      4096
#define PROPERTIES_MAX ((size_t)64 * 1024)

/* HSA_CAP_SRAM_EDCSUPPORTED of kfd_topology.h; its older place, bit 19, is always 0. */
#define CAPABILITY_SRAMECC (UINT64_C(1) << 26)

/* A property that the kernel may not have written. */
struct property {
    bool exists;
    uint64_t value;
};

/* What a node's properties say that we act on. */
struct node {
    struct property cpu_cores, simds, version, capability;
};

enum reading { READ, HIDDEN, BROKEN };

/* Nodes that are no device, by why. */
struct census {
    size_t nodes, hidden, broken, unnamed;
    uint32_t first_broken, first_unnamed;
};

/* ---- properties: lines of a name, a blank and a decimal number -------------- */

/* False if `text` is no decimal number of 64 bits. */
static bool read_number(struct ra_span text, uint64_t *ret)
{
    uint64_t value = 0;

    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)text.data[i] - '0';

        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret = value;
    return text.size > 0;
}

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

static struct property *property_of(struct node *node, struct ra_span name)
{
    const struct {
        const char *name;
        struct property *property;
    } known[] = {
        { "cpu_cores_count", &node->cpu_cores },
        { "simd_count", &node->simds },
        { "gfx_target_version", &node->version },
        { "capability", &node->capability },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++)
        if (name.size == strlen(known[i].name) &&
            memcmp(name.data, known[i].name, name.size) == 0)
            return known[i].property;
    return NULL;
}

/* False if a property that matters has no number; all others are none of our business. */
static bool parse_properties(struct ra_span text, struct node *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);

    while (cur.pos < text.size) {
        struct ra_cursor line = ra_cursor_over(take_until(&cur, '\n'));
        struct property *property = property_of(ret, take_until(&line, ' '));

        if (!property)
            continue;
        property->exists = true;
        if (!read_number(take_until(&line, '\n'), &property->value))
            return false;
    }
    return true;
}

/* ---- files ------------------------------------------------------------------ */

/* Up to `size` bytes of an open file into `window`; false: errno. */
static bool read_up_to(int fd, uint8_t *window, size_t size, size_t *ret)
{
    *ret = 0;
    while (*ret < size) {
        ssize_t count = read(fd, window + *ret, size - *ret);

        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            return true;
        *ret += (size_t)count;
    }
    return true;
}

/* The kernel lets a forbidden node be seen, and refuses the open or the read. */
static enum reading refused(int error)
{
    return error == EPERM || error == EACCES ? HIDDEN : BROKEN;
}

/* sysfs states no true size: a file is too long if one byte past the limit is there. */
static enum reading read_text(int fd, struct node *ret)
{
    uint8_t window[PROPERTIES_MAX + 1];
    struct stat info;
    size_t size;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return BROKEN;
    if (!read_up_to(fd, window, sizeof(window), &size))
        return refused(errno);
    if (size > PROPERTIES_MAX)
        return BROKEN;
    return parse_properties((struct ra_span){ window, size, 0 }, ret) ? READ : BROKEN;
}

static enum reading read_properties(DIR *nodes, uint32_t number, struct node *ret)
{
    char path[sizeof("4294967295/properties")];
    enum reading reading;
    int fd;

    *ret = (struct node){ 0 };
    (void)snprintf(path, sizeof(path), "%" PRIu32 "/properties", number);
    fd = openat(dirfd(nodes), path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return refused(errno);
    reading = read_text(fd, ret);
    (void)close(fd);
    return reading;
}

/* The `nodes` folder below a sysfs root or in a topology folder, or NULL. */
static DIR *open_nodes(const char *sysfs)
{
    static const char *const places[] = {
        "nodes",
        "class/kfd/kfd/topology/nodes",
        "devices/virtual/kfd/kfd/topology/nodes",
    };
    int root = open(sysfs, O_RDONLY | O_CLOEXEC | O_DIRECTORY), fd = -1;
    DIR *nodes;

    if (root < 0)
        return NULL;
    for (size_t i = 0; i < RA_COUNT(places) && fd < 0; i++)
        fd = openat(root, places[i], O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    (void)close(root);
    if (fd < 0)
        return NULL;
    nodes = fdopendir(fd);
    if (!nodes)
        (void)close(fd);
    return nodes;
}

/* The number a node's folder is named by, as the kernel writes it: no leading zero. */
static bool node_number(const char *name, uint32_t *ret)
{
    struct ra_span text = { (const uint8_t *)name, strlen(name), 0 };
    uint64_t value;

    if (!read_number(text, &value) || value > UINT32_MAX)
        return false;
    *ret = (uint32_t)value;
    return name[0] != '0' || text.size == 1;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

/* The numbers of all nodes, sorted; their count, or more than NODES_MAX: too many. */
static size_t list_nodes(DIR *nodes, uint32_t numbers[NODES_MAX])
{
    struct dirent *entry;
    size_t count = 0;
    uint32_t number;

    while ((entry = readdir(nodes))) {
        if (!node_number(entry->d_name, &number))
            continue;
        if (count == NODES_MAX)
            return count + 1;
        numbers[count++] = number;
    }
    qsort(numbers, count, sizeof(*numbers), compare);
    return count;
}

/* ---- devices ---------------------------------------------------------------- */

/* "gfx", the major version in decimal, minor and stepping as one digit of hex each. */
static bool name_processor(uint64_t version, struct ra_target *ret)
{
    unsigned major = (unsigned)(version / 10000), minor, stepping;

    minor = (unsigned)(version / 100 % 100);
    stepping = (unsigned)(version % 100);
    if (version > UINT32_MAX || major == 0 || minor > 15 || stepping > 15)
        return false;
    (void)snprintf(ret->processor, sizeof(ret->processor), "gfx%u%x%x", major, minor,
                   stepping);
    return true;
}

static enum ra_status add_device(const struct node *node, uint32_t number,
                                 const struct ra_target *id, struct ra_arena *arena,
                                 struct ra_devices *ret)
{
    struct ra_device *device = &ret->list[ret->count];
    bool ecc = node->capability.value & CAPABILITY_SRAMECC;

    device->index = ret->count++;
    device->id = *id;
    device->origin = RA_FROM_KFD;
    if (node->capability.exists)
        device->id.sramecc = ecc ? RA_SETTING_ON : RA_SETTING_OFF;
    device->is_apu = node->cpu_cores.value > 0;
    device->source = ra_text_format(arena, "kfd node %" PRIu32, number);
    return device->source ? ra_device_complete(device, arena) : RA_E_NOMEM;
}

static void count_broken(struct census *census, uint32_t number)
{
    if (census->broken++ == 0)
        census->first_broken = number;
}

/* Make a device of a node, or count why it is none. */
static enum ra_status take_node(DIR *nodes, uint32_t number, struct census *census,
                                struct ra_arena *arena, struct ra_devices *ret)
{
    struct ra_target id = { 0 };
    struct node node;
    enum reading reading = read_properties(nodes, number, &node);

    if (reading == HIDDEN)
        census->hidden++;
    else if (reading == BROKEN)
        count_broken(census, number);
    if (reading != READ || node.simds.value == 0)
        return RA_OK;
    if (node.version.value == 0) {
        if (census->unnamed++ == 0)
            census->first_unnamed = number;
        return RA_OK;
    }
    if (!name_processor(node.version.value, &id)) {
        count_broken(census, number);
        return RA_OK;
    }
    return add_device(&node, number, &id, arena, ret);
}

/* Why nodes, or all of them, did not become devices: the most telling reason first. */
static const char *explain(const struct census *census, const char *sysfs,
                           struct ra_arena *arena)
{
    if (census->hidden)
        return ra_text_format(arena,
                              "%zu of %zu KFD nodes may not be read, as under a "
                              "container's device policy: their GPUs are hidden",
                              census->hidden, census->nodes);
    if (census->unnamed)
        return ra_text_format(arena,
                              "kfd node %" PRIu32 " is a GPU, but the kernel is too old "
                              "to say which: there is no gfx_target_version",
                              census->first_unnamed);
    if (census->broken)
        return ra_text_format(arena,
                              "the properties of kfd node %" PRIu32 " are missing or "
                              "make no sense: its GPU is not known",
                              census->first_broken);
    return ra_text_format(arena,
                          "the KFD topology below %s has no GPU: the amdgpu driver found "
                          "none that can compute",
                          sysfs);
}

static enum ra_status take_nodes(DIR *nodes, const char *sysfs, struct ra_arena *arena,
                                 struct ra_devices *ret)
{
    uint32_t numbers[NODES_MAX];
    struct census census = { .nodes = list_nodes(nodes, numbers) };

    if (census.nodes > NODES_MAX) {
        ret->text =
            ra_text_format(arena, "more than %d nodes below %s: this is no KFD topology",
                           NODES_MAX, sysfs);
        return ret->text ? RA_OK : RA_E_NOMEM;
    }
    ret->list = ra_new(arena, struct ra_device, census.nodes);
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < census.nodes; i++) {
        enum ra_status status = take_node(nodes, numbers[i], &census, arena, ret);

        if (status != RA_OK)
            return status;
    }
    /* A hidden GPU is hidden from HIP too; one that cannot be named would be used. */
    ret->incomplete = census.unnamed > 0 || census.broken > 0;
    ret->text = "";
    if (ret->count == 0 || census.hidden > 0 || ret->incomplete)
        ret->text = explain(&census, sysfs, arena);
    return ret->text ? RA_OK : RA_E_NOMEM;
}

enum ra_status ra_devices_found(const char *sysfs, struct ra_arena *arena,
                                struct ra_devices *ret)
{
    const char *path = sysfs ? sysfs : "/sys";
    struct ra_span bytes = { (const uint8_t *)path, strlen(path), 0 };
    const char *shown = ra_text_escape(arena, bytes);
    enum ra_status status;
    DIR *nodes;

    *ret = (struct ra_devices){ .text = "" };
    if (!shown)
        return RA_E_NOMEM;
    nodes = open_nodes(path);
    if (!nodes) {
        ret->text = ra_text_format(arena,
                                   "no KFD topology below %s: the amdgpu driver is not "
                                   "loaded, or there is no AMD GPU",
                                   shown);
        return ret->text ? RA_OK : RA_E_NOMEM;
    }
    status = take_nodes(nodes, shown, arena, ret);
    (void)closedir(nodes);
    return status;
}
