/* The properties of a KFD node, in a topology of two: the second is always a gfx90a. */
#include "device/device.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/rocaudit-fuzz-XXXXXX";
static int nodes = -1, properties = -1;

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void remove_topology(void)
{
    static const char *const files[] = { "0/properties", "1/properties" };

    for (size_t i = 0; i < RA_COUNT(files); i++)
        (void)unlinkat(nodes, files[i], 0);
    (void)unlinkat(nodes, "0", AT_REMOVEDIR);
    (void)unlinkat(nodes, "1", AT_REMOVEDIR);
    (void)unlinkat(nodes, "../nodes", AT_REMOVEDIR);
    (void)rmdir(folder);
}

static void make_topology(void)
{
    static const char other[] = "simd_count 416\ngfx_target_version 90010\n";
    char path[sizeof(folder) + 8];
    int fd;

    require(mkdtemp(folder) != NULL);
    snprintf(path, sizeof(path), "%s/nodes", folder);
    require(mkdir(path, 0700) == 0);
    nodes = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(nodes >= 0 && mkdirat(nodes, "0", 0700) == 0);
    require(mkdirat(nodes, "1", 0700) == 0);
    fd = openat(nodes, "1/properties", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, other, sizeof(other) - 1) == sizeof(other) - 1);
    close(fd);
    properties = openat(nodes, "0/properties", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(properties >= 0);
    atexit(remove_topology);
}

/* A name is made of what the kernel wrote as numbers, so it can hold nothing else. */
static void check_device(const struct ra_device *device, size_t index)
{
    require(device->index == index);
    require(strncmp(device->target, "gfx", 3) == 0);
    for (const char *byte = device->target; *byte; byte++)
        require(strchr("abcdefghijklmnopqrstuvwxyz0123456789:+-", *byte) != NULL);
    require(device->id.xnack != RA_SETTING_ANY && device->id.sramecc != RA_SETTING_ANY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_arena arena = { 0 };
    struct ra_devices devices;

    if (nodes < 0)
        make_topology();
    require(ftruncate(properties, 0) == 0);
    require(pwrite(properties, data, size, 0) == (ssize_t)size);
    require(ra_devices_found(folder, &arena, &devices) == RA_OK);
    require(devices.count == 1 || devices.count == 2);
    for (size_t i = 0; i < devices.count; i++)
        check_device(&devices.list[i], i);
    require(strcmp(devices.list[devices.count - 1].source, "kfd node 1") == 0);
    ra_arena_free(&arena);
    return 0;
}
