/*
 * A machine: the properties of a KFD node, then, after a NUL each, what other files and
 * variables say. The second node is always a gfx90a, and no variable hides it.
 */
#include "device/device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODES "class/kfd/kfd/topology/nodes"
#define CARD  "devices/0000:03:00.0/ip_discovery/die/0/11/0"

#define VARIABLE_TEXT 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Files of the tree in the order of the input; all folders above them come first. */
static const char *const folders[] = {
    "class",
    "class/kfd",
    "class/kfd/kfd",
    "class/kfd/kfd/topology",
    NODES,
    NODES "/0",
    NODES "/1",
    "class/drm",
    "class/drm/card0",
    "devices",
    "devices/0000:03:00.0",
    "devices/0000:03:00.0/ip_discovery",
    "devices/0000:03:00.0/ip_discovery/die",
    "devices/0000:03:00.0/ip_discovery/die/0",
    "devices/0000:03:00.0/ip_discovery/die/0/11",
    CARD,
    "module",
    "module/amdgpu",
    "module/amdgpu/parameters",
};

static const char *const files[] = {
    NODES "/0/properties", "module/amdgpu/parameters/noretry",
    CARD "/major",         CARD "/minor",
    CARD "/revision",
};

static const char *const variables[] = {
    "HSA_OVERRIDE_GFX_VERSION_0",
    "HSA_XNACK",
    "HSA_ENABLE_SRAMECC",
};

static const char other[] = NODES "/1/properties";
static const char card[] = "class/drm/card0/device";
static char folder[] = "/tmp/rocaudit-fuzz-XXXXXX";
static int root = -1;

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Written over and cut: some file systems write out what was cut first. */
static void save(const char *path, const void *bytes, size_t size)
{
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    require(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
    require(ftruncate(fd, (off_t)size) == 0);
    close(fd);
}

static void remove_tree(void)
{
    (void)unlinkat(root, other, 0);
    (void)unlinkat(root, card, 0);
    for (size_t i = 0; i < RA_COUNT(files); i++)
        (void)unlinkat(root, files[i], 0);
    for (size_t i = RA_COUNT(folders); i-- > 0;)
        (void)unlinkat(root, folders[i], AT_REMOVEDIR);
    (void)rmdir(folder);
}

static void make_tree(void)
{
    static const char gfx90a[] = "simd_count 416\ngfx_target_version 90010\n";

    require(mkdtemp(folder) != NULL);
    root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(root >= 0);
    for (size_t i = 0; i < RA_COUNT(folders); i++)
        require(mkdirat(root, folders[i], 0700) == 0);
    save(other, gfx90a, sizeof(gfx90a) - 1);
    require(symlinkat("../../../devices/0000:03:00.0", root, card) == 0);
    atexit(remove_tree);
}

/* The input up to a NUL, which is passed over. */
static size_t take_part(const uint8_t **data, size_t *size, const uint8_t **ret)
{
    const uint8_t *end = *size > 0 ? memchr(*data, 0, *size) : NULL;
    size_t count = end ? (size_t)(end - *data) : *size;

    *ret = *data;
    *data += end ? count + 1 : count;
    *size -= end ? count + 1 : count;
    return count;
}

/* A name is made of what the kernel wrote as numbers, so it can hold nothing else. */
static void check_device(const struct ra_device *device, size_t index)
{
    require(device->index == index && device->why[0] != '\0');
    require(strncmp(device->target, "gfx", 3) == 0);
    for (const char *byte = device->target; *byte; byte++)
        require(strchr("abcdefghijklmnopqrstuvwxyz0123456789.:+-", *byte) != NULL);
    for (const char *byte = device->why; *byte; byte++)
        require((unsigned char)*byte >= ' ');
    require(device->id.xnack != RA_SETTING_ANY && device->id.sramecc != RA_SETTING_ANY);
    require(!device->override_invalid || device->override_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char texts[RA_COUNT(variables)][VARIABLE_TEXT];
    const char *environment[RA_COUNT(variables) + 1] = { NULL };
    struct ra_device_search search = { .sysfs = folder, .environment = environment };
    struct ra_arena arena = { 0 };
    struct ra_devices devices;
    const uint8_t *part;

    if (root < 0)
        make_tree();
    for (size_t i = 0; i < RA_COUNT(files); i++) {
        size_t count = take_part(&data, &size, &part);

        save(files[i], part, count);
    }
    for (size_t i = 0; i < RA_COUNT(variables) && size > 0; i++) {
        size_t count = take_part(&data, &size, &part);

        (void)snprintf(texts[i], sizeof(texts[i]), "%s=%.*s", variables[i],
                       (int)(count < VARIABLE_TEXT ? count : VARIABLE_TEXT),
                       (const char *)part);
        environment[i] = texts[i];
    }
    require(ra_devices_found(&search, &arena, &devices) == RA_OK);
    require(devices.count == 1 || devices.count == 2);
    for (size_t i = 0; i < devices.count; i++)
        check_device(&devices.list[i], i);
    require(strcmp(devices.list[devices.count - 1].source, "kfd node 1") == 0);
    ra_arena_free(&arena);
    return 0;
}
