/*
 * A whole archive, under a name that says package: a wheel, or what a .deb and a .conda
 * have, whose content is in archives of their own.
 */
#include "whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[32] = "/tmp/rocaudit-fuzz-XXXXXX";
static char path[64];

static void clean(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
}

static const char *ending_of(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == '!')
        return "deb";
    return memmem(data, size, "pkg-", 4) ? "conda" : "whl";
}

/* A link of that name to the file without a place. */
static const char *named(const char *ending, const char *file)
{
    if (path[0])
        whole_require(unlink(path) == 0);
    else
        whole_require(mkdtemp(folder) && atexit(clean) == 0);
    snprintf(path, sizeof(path), "%s/a.%s", folder, ending);
    whole_require(symlink(file, path) == 0);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    whole_check(named(ending_of(data, size), whole_file(data, size)));
    return 0;
}
