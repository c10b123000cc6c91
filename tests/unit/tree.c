#include "tree.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

struct ra_arena tree_arena;
char tree_root[64];

static int drop(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

void tree_make(void)
{
    (void)snprintf(tree_root, sizeof(tree_root), "/tmp/test-tree-XXXXXX");
    cr_assert_not_null(mkdtemp(tree_root));
    cr_assert_eq(chmod(tree_root, 0755), 0);
    (void)tree_folder("sys");
    (void)tree_folder("dev");
}

void tree_drop(void)
{
    (void)nftw(tree_root, drop, 16, FTW_DEPTH | FTW_PHYS);
    ra_arena_free(&tree_arena);
}

const char *tree_folder(const char *path)
{
    char *whole = NULL;

    cr_assert_geq(asprintf(&whole, "%s/%s/", tree_root, path), 0);
    for (char *slash = strchr(whole + strlen(tree_root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0755);
        *slash = '/';
    }
    path = ra_arena_text(&tree_arena, whole, strlen(whole) - 1);
    free(whole);
    return path;
}

void tree_save(const char *path, const void *bytes, size_t size)
{
    char *parent = ra_arena_text(&tree_arena, path, strlen(path));
    FILE *file;

    *strrchr(parent, '/') = '\0';
    (void)tree_folder(parent);
    file = fopen(ra_text_format(&tree_arena, "%s/%s", tree_root, path), "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

void tree_put(const char *path, const char *text)
{
    tree_save(path, text, strlen(text));
}

void tree_node(unsigned number, const char *properties)
{
    tree_put(ra_text_format(&tree_arena, "sys/class/kfd/kfd/topology/nodes/%u/properties",
                            number),
             properties);
}

void tree_card(unsigned number, const char *address, const char *gc)
{
    static const char *const parts[] = { "major", "minor", "revision" };
    const char *device = ra_text_format(&tree_arena, "sys/devices/pci0000:00/%s",
                                        address[0] ? address : "unnamed");
    const char *card = ra_text_format(&tree_arena, "sys/class/drm/card%u", number);

    for (size_t i = 0; i < RA_COUNT(parts); i++) {
        size_t size = strcspn(gc, ".");

        tree_put(ra_text_format(&tree_arena, "%s/ip_discovery/die/0/11/0/%s", device,
                                parts[i]),
                 ra_text_format(&tree_arena, "%.*s\n", (int)size, gc));
        gc += size + (gc[size] == '.');
    }
    card = tree_folder(card);
    device = ra_text_format(&tree_arena, "../../../%s", device + strlen("sys/"));
    cr_assert_eq(symlink(device, ra_text_format(&tree_arena, "%s/device", card)), 0);
}

void tree_pci(const char *address, const char *vendor, const char *class,
              const char *device)
{
    const char *const files[][2] = {
        { "vendor", vendor },
        { "class", class },
        { "device", device },
    };

    for (size_t i = 0; i < RA_COUNT(files); i++)
        tree_put(ra_text_format(&tree_arena, "sys/bus/pci/devices/%s/%s", address,
                                files[i][0]),
                 ra_text_format(&tree_arena, "%s\n", files[i][1]));
}

void tree_noretry(const char *text)
{
    tree_put("sys/module/amdgpu/parameters/noretry", text);
}

void tree_mode(const char *path, unsigned mode)
{
    path = ra_text_format(&tree_arena, "%s/%s", tree_root, path);
    cr_assert_eq(chmod(path, (mode_t)mode), 0, "%s", path);
}

struct ra_devices tree_search(struct ra_device_search search)
{
    struct ra_devices devices;

    if (!search.sysfs)
        search.sysfs = ra_text_format(&tree_arena, "%s/sys", tree_root);
    if (search.dev)
        search.dev = ra_text_format(&tree_arena, "%s/dev", tree_root);
    cr_assert_eq(ra_devices_found(&search, &tree_arena, &devices), RA_OK);
    cr_assert(devices.count > 0 || devices.text[0] != '\0');
    for (size_t i = 0; i < devices.count; i++)
        cr_assert_eq(devices.list[i].index, i);
    return devices;
}

struct ra_devices tree_found(const char *const *environment)
{
    return tree_search((struct ra_device_search){ .environment = environment });
}

struct ra_devices tree_found_at(const char *sysfs)
{
    return tree_search((struct ra_device_search){ .sysfs = sysfs });
}

struct ra_devices tree_found_by_nobody(struct ra_device_search search)
{
    bool is_root = geteuid() == 0;
    struct ra_devices devices;

    cr_assert(!is_root || seteuid(NOBODY) == 0);
    devices = tree_search(search);
    cr_assert(!is_root || seteuid(0) == 0);
    return devices;
}

const char *tree_list(const struct ra_devices *devices)
{
    struct ra_text text = { 0 };
    const char *kept;

    for (size_t i = 0; i < devices->count; i++) {
        const struct ra_device *device = &devices->list[i];

        ra_text_printf(&text, "%s%s %s%s", i ? ", " : "", device->source, device->target,
                       device->skipped ? " (skipped)" : "");
    }
    kept = ra_text_keep(&text, &tree_arena);
    ra_text_free(&text);
    return kept;
}

const struct ra_device *tree_only(const struct ra_devices *devices)
{
    cr_assert_eq(devices->count, 1, "%s: %s", tree_list(devices), devices->text);
    return devices->list;
}
