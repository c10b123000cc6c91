/*
 * rebundle LIBRARY FILE - the same library with every plain bundle as a CCOB v3.
 *
 * For trusted libraries only: what is not where it should be ends the program.
 */
#include "gen/bundle.h"
#include "gen/files.h"
#include "gen/host.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"

enum { BUNDLES = 1024, ROW = 24 };

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rebundle: %s\n", what);
    exit(EXIT_FAILURE);
}

static uint64_t number(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return value;
}

static struct fx map_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    struct fx fx = { 0 };

    check(fd >= 0 && fstat(fd, &info) == 0, path);
    fx.size = (size_t)info.st_size;
    fx.data = mmap(NULL, fx.size, PROT_READ, MAP_PRIVATE, fd, 0);
    check(fx.data != MAP_FAILED, path);
    close(fd);
    return fx;
}

/* The bytes of `.hip_fatbin`, borrowed. */
static struct fx find_fatbin(const struct fx *file)
{
    const Elf64_Ehdr *header = (const void *)file->data;
    const Elf64_Shdr *sections = (const void *)(file->data + header->e_shoff);
    const char *names = (const char *)file->data + sections[header->e_shstrndx].sh_offset;

    for (size_t i = 0; i < header->e_shnum; i++)
        if (strcmp(names + sections[i].sh_name, ".hip_fatbin") == 0)
            return (struct fx){ .data = file->data + sections[i].sh_offset,
                                .size = sections[i].sh_size };
    check(false, "no .hip_fatbin");
    return (struct fx){ 0 };
}

/* A bundle ends with the entry that lies last. */
static size_t bundle_size(const uint8_t *bundle)
{
    uint64_t count = number(bundle + strlen(MAGIC)), end = 0;
    const uint8_t *row = bundle + strlen(MAGIC) + 8;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t last = number(row) + number(row + 8);

        end = last > end ? last : end;
        row += ROW + number(row + 16);
    }
    return (size_t)end;
}

int main(int argc, char **argv)
{
    static uint64_t starts[BUNDLES];
    struct fx file, fatbin, packed = { 0 }, out = { 0 };
    size_t at = 0, count = 0;

    check(argc == 3, "usage: rebundle LIBRARY FILE");
    file = map_file(argv[1]);
    fatbin = find_fatbin(&file);
    for (uint8_t *next = fatbin.data; next; count++) {
        struct fx bundle = { .data = next };

        check(count < BUNDLES, "too many bundles");
        bundle.size = bundle_size(next);
        at = (size_t)(next - fatbin.data) + bundle.size;
        fx_align(&packed, 4096);
        starts[count] = packed.size;
        fx_ccob(&packed,
                &(struct fx_ccob){ .version = 3, .codec = FX_ZSTD, .content = &bundle });
        next = memmem(fatbin.data + at, fatbin.size - at, MAGIC, strlen(MAGIC));
    }
    fx_host(&out, &(struct fx_host){ .fatbin = &packed,
                                     .wrapped = starts,
                                     .wrapper_count = count,
                                     .pointer = FX_POINTER_RELATIVE });
    check(fx_save(".", argv[2], &out), argv[2]);
    printf("%zu bundles, %zu bytes\n", count, out.size);
    fx_free(&packed);
    fx_free(&out);
    return EXIT_SUCCESS;
}
