#include "device/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define VENDOR_AMD 0x1002

/* Base class and subclass of a PCI device: any display controller; an Instinct without
   outputs is a processing accelerator (PCI Code and ID Assignment Specification). */
#define CLASS_DISPLAY     0x03
#define CLASS_ACCELERATOR 0x1200

static const struct ra_pci_row table[] = {
#define PCI(id, processor, product) { id, processor, product },
#include "device/pci.def"
#undef PCI
};

const struct ra_pci_row *ra_pci_by_id(uint64_t id)
{
    for (size_t i = 0; i < RA_COUNT(table); i++)
        if (table[i].id == id)
            return &table[i];
    return NULL;
}

/* ---- addresses: domain, 8 bits of bus, 5 of device, 3 of function ------------ */

uint64_t ra_pci_address(uint64_t domain, uint64_t bus_device_function)
{
    return (domain & UINT32_MAX) << 16 | (bus_device_function & UINT16_MAX);
}

void ra_pci_spell(uint64_t address, char ret[RA_PCI_TEXT])
{
    unsigned low = (unsigned)(address & UINT16_MAX);

    (void)snprintf(ret, RA_PCI_TEXT, "%04" PRIx32 ":%02x:%02x.%x",
                   (uint32_t)(address >> 16), low >> 8, low >> 3 & 31, low & 7);
}

/* The value of `count` digits of hexadecimal; false if they are not that. */
static bool take_hex(struct ra_cursor *cur, size_t count, uint64_t *ret)
{
    *ret = 0;
    while (count-- > 0) {
        uint8_t byte = ra_cursor_u8(cur);

        if (byte >= '0' && byte <= '9')
            *ret = *ret << 4 | (uint64_t)(byte - '0');
        else if (byte >= 'a' && byte <= 'f')
            *ret = *ret << 4 | (uint64_t)(byte - 'a' + 10);
        else
            return false;
    }
    return true;
}

bool ra_pci_parse(const char *name, uint64_t *ret)
{
    struct ra_cursor cur =
        ra_cursor_over((struct ra_span){ (const uint8_t *)name, strlen(name), 0 });
    uint64_t domain, bus, device, function;
    size_t rest = strlen(":00:00.0");

    if (cur.span.size < 4 + rest || cur.span.size > 8 + rest)
        return false;
    if (!take_hex(&cur, cur.span.size - rest, &domain) ||
        !ra_cursor_match(&cur, ":", 1) || !take_hex(&cur, 2, &bus) ||
        !ra_cursor_match(&cur, ":", 1) || !take_hex(&cur, 2, &device) ||
        !ra_cursor_match(&cur, ".", 1) || !take_hex(&cur, 1, &function))
        return false;
    *ret = ra_pci_address(domain, bus << 8 | device << 3 | function);
    return device < 32 && function < 8;
}

/* ---- bus/pci/devices/ADDRESS/{vendor,class,device} -------------------------- */

static bool read_attribute(int devices, const char *address, const char *name,
                           uint64_t *ret)
{
    char path[RA_PCI_TEXT + sizeof("/vendor")];

    (void)snprintf(path, sizeof(path), "%s/%s", address, name);
    return ra_sysfs_number(devices, path, ret);
}

static bool take_gpu(int devices, const char *name, uint64_t *ret)
{
    uint64_t vendor, class;

    return ra_pci_parse(name, ret) && read_attribute(devices, name, "vendor", &vendor) &&
           vendor == VENDOR_AMD && read_attribute(devices, name, "class", &class) &&
           (class >> 16 == CLASS_DISPLAY || class >> 8 == CLASS_ACCELERATOR);
}

/* An ID that cannot be read is one that nobody knows. */
static uint32_t read_id(int devices, uint64_t address)
{
    char name[RA_PCI_TEXT];
    uint64_t id;

    ra_pci_spell(address, name);
    return read_attribute(devices, name, "device", &id) && id <= UINT16_MAX ? (uint32_t)id
                                                                            : 0;
}

static enum ra_status read_bus(int devices, struct ra_arena *arena, struct ra_pci *ret)
{
    uint64_t addresses[RA_SYSFS_ENTRIES];
    size_t count = ra_sysfs_list(devices, take_gpu, addresses);

    if (count > RA_SYSFS_ENTRIES)
        return RA_OK;
    ret->list = ra_new(arena, struct ra_pci_gpu, count);
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        ret->list[i].address = addresses[i];
        ret->list[i].id = read_id(devices, addresses[i]);
    }
    ret->count = count;
    return RA_OK;
}

enum ra_status ra_pci_read(int root, struct ra_arena *arena, struct ra_pci *ret)
{
    int devices = ra_sysfs_folder(root, "bus/pci/devices");
    enum ra_status status;

    *ret = (struct ra_pci){ .exists = devices >= 0 };
    if (devices < 0)
        return RA_OK;
    status = read_bus(devices, arena, ret);
    (void)close(devices);
    return status;
}
