#include "device/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    struct ra_gc gc;
    const char *processor;
} table[] = {
#define GC(major, minor, revision, processor) { { major, minor, revision }, processor },
#include "device/gc.def"
#undef GC
};

const char *ra_gc_processor(struct ra_gc gc)
{
    for (size_t i = 0; i < RA_COUNT(table); i++)
        if (table[i].gc.major == gc.major && table[i].gc.minor == gc.minor &&
            table[i].gc.revision == gc.revision)
            return table[i].processor;
    return NULL;
}

bool ra_gc_of(const char *processor, struct ra_gc *ret)
{
    for (size_t i = 0; i < RA_COUNT(table); i++)
        if (strcmp(table[i].processor, processor) == 0) {
            *ret = table[i].gc;
            return true;
        }
    return false;
}

/* ---- class/drm/cardN/device/ip_discovery/die/D/{GC,11}/I -------------------- */

static bool take_number(int folder, const char *name, uint64_t *ret)
{
    (void)folder;
    return ra_sysfs_index(name, ret);
}

/* A connector such as card0-DP-1 is no card. */
static bool take_card(int folder, const char *name, uint64_t *ret)
{
    (void)folder;
    return strncmp(name, "card", 4) == 0 && ra_sysfs_index(name + 4, ret) &&
           *ret <= UINT32_MAX;
}

/* Folder `number` below another one; -1 if there is none. */
static int numbered_folder(int folder, uint64_t number)
{
    char path[sizeof("18446744073709551615")];

    (void)snprintf(path, sizeof(path), "%" PRIu64, number);
    return ra_sysfs_folder(folder, path);
}

static bool read_part(int folder, const char *name, unsigned *ret)
{
    uint64_t value;

    if (!ra_sysfs_number(folder, name, &value) || value > UINT8_MAX)
        return false;
    *ret = (unsigned)value;
    return true;
}

static bool read_gc(int folder, struct ra_gc *ret)
{
    return read_part(folder, "major", &ret->major) &&
           read_part(folder, "minor", &ret->minor) &&
           read_part(folder, "revision", &ret->revision);
}

/* The first numbered folder below `folder` that `find` finds a version in. */
static bool first_of(int folder, bool (*find)(int folder, struct ra_gc *ret),
                     struct ra_gc *ret)
{
    uint64_t numbers[RA_SYSFS_ENTRIES];
    size_t count = ra_sysfs_list(folder, take_number, numbers);
    bool found = false;

    for (size_t i = 0; i < count && count <= RA_SYSFS_ENTRIES && !found; i++) {
        int part = numbered_folder(folder, numbers[i]);

        if (part < 0)
            continue;
        found = find(part, ret);
        (void)close(part);
    }
    return found;
}

/* A die has an instance a compute die of its own; they are all of one version. */
static bool read_die(int die, struct ra_gc *ret)
{
    static const char *const names[] = { "GC", "11" };
    bool found = false;

    for (size_t i = 0; i < RA_COUNT(names) && !found; i++) {
        int instances = ra_sysfs_folder(die, names[i]);

        if (instances < 0)
            continue;
        found = first_of(instances, read_gc, ret);
        (void)close(instances);
    }
    return found;
}

/* The device of a card is a link to a folder that is named by the PCI address. */
static bool read_address(int cards, const char *path, uint64_t *ret)
{
    char target[512];
    ssize_t size = readlinkat(cards, path, target, sizeof(target) - 1);
    const char *name;

    if (size <= 0 || (size_t)size == sizeof(target) - 1)
        return false;
    target[size] = '\0';
    name = strrchr(target, '/');
    return ra_pci_parse(name ? name + 1 : target, ret);
}

static bool read_card(int cards, uint32_t number, struct ra_card *ret)
{
    char path[sizeof("card4294967295/device/ip_discovery/die")];
    bool found;
    int dies;

    *ret = (struct ra_card){ .number = number };
    (void)snprintf(path, sizeof(path), "card%" PRIu32 "/device/ip_discovery/die", number);
    dies = ra_sysfs_folder(cards, path);
    if (dies < 0)
        return false;
    found = first_of(dies, read_die, &ret->gc);
    (void)close(dies);
    (void)snprintf(path, sizeof(path), "card%" PRIu32 "/device", number);
    ret->has_address = read_address(cards, path, &ret->address);
    return found;
}

static enum ra_status read_cards(int cards, struct ra_arena *arena, struct ra_cards *ret)
{
    uint64_t numbers[RA_SYSFS_ENTRIES];
    size_t count = ra_sysfs_list(cards, take_card, numbers);

    if (count > RA_SYSFS_ENTRIES)
        return RA_OK;
    ret->list = ra_new(arena, struct ra_card, count);
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        ret->count += read_card(cards, (uint32_t)numbers[i], &ret->list[ret->count]);
    return RA_OK;
}

enum ra_status ra_discovery_read(int root, struct ra_arena *arena, struct ra_cards *ret)
{
    int cards = ra_sysfs_folder(root, "class/drm");
    enum ra_status status;

    *ret = (struct ra_cards){ 0 };
    if (cards < 0)
        return RA_OK;
    status = read_cards(cards, arena, ret);
    (void)close(cards);
    return status;
}

const struct ra_card *ra_discovery_at(const struct ra_cards *cards, uint64_t address)
{
    for (size_t i = 0; i < cards->count; i++)
        if (cards->list[i].has_address && cards->list[i].address == address)
            return &cards->list[i];
    return NULL;
}
