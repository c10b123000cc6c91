#include "base/text.h"
#include "device/host.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* struct kfd_ioctl_set_xnack_mode_args of kfd_ioctl.h; a negative mode is a question. */
#define XNACK_MODE     _IOWR('K', 0x21, int32_t)
#define XNACK_QUESTION (-1)

#define GROUP_TEXT 4096

static bool ask_kfd(int kfd, int32_t *mode)
{
    return ioctl(kfd, XNACK_MODE, mode) == 0;
}

/* The name of a group, or its number if it has none here. */
static const char *name_group(gid_t gid, struct ra_arena *arena)
{
    struct group entry, *found = NULL;
    char window[GROUP_TEXT];

    if (getgrgid_r(gid, &entry, window, sizeof(window), &found) == 0 && found) {
        struct ra_span name = { (const uint8_t *)entry.gr_name, strlen(entry.gr_name),
                                0 };

        return ra_text_escape(arena, name);
    }
    return ra_text_format(arena, "%ju", (uintmax_t)gid);
}

static enum ra_status read_owner(int dev, struct ra_arena *arena, struct ra_files *ret)
{
    struct stat info;

    if (fstatat(dev, "kfd", &info, 0) != 0)
        return RA_OK;
    ret->mode = info.st_mode & 0777;
    ret->group = name_group(info.st_gid, arena);
    return ret->group ? RA_OK : RA_E_NOMEM;
}

static void read_xnack(int kfd, const struct ra_device_search *search,
                       struct ra_files *ret)
{
    int32_t mode = XNACK_QUESTION;

    if (!(search->ask_xnack ? search->ask_xnack : ask_kfd)(kfd, &mode))
        return;
    ret->xnack.exists = mode == 0 || mode == 1;
    ret->xnack.value = mode == 1;
}

enum ra_status ra_files_read(int dev, const struct ra_device_search *search,
                             struct ra_arena *arena, struct ra_files *ret)
{
    int kfd;

    *ret = (struct ra_files){ .group = "" };
    if (dev < 0)
        return RA_OK;
    ret->has_dxg = faccessat(dev, "dxg", F_OK, 0) == 0;
    kfd = openat(dev, "kfd", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (kfd < 0) {
        ret->kfd = RA_OPENING_REFUSED;
        ret->error = errno;
        return read_owner(dev, arena, ret);
    }
    ret->kfd = RA_OPENING_DONE;
    read_xnack(kfd, search, ret);
    (void)close(kfd);
    return RA_OK;
}

bool ra_files_render(int dev, uint64_t minor, int *error)
{
    char path[sizeof("dri/renderD18446744073709551615")];

    (void)snprintf(path, sizeof(path), "dri/renderD%" PRIu64, minor);
    if (faccessat(dev, path, R_OK | W_OK, AT_EACCESS) == 0)
        return true;
    *error = errno;
    return false;
}
