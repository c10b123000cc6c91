/*
 * notes FILE - every metadata note of a library, by msgpack-c and by ra_metadata_read().
 *
 * Has a walker of its own, for plain bundles in `.hip_fatbin` only: what it finds is
 * compared with what the program finds by other means. Exit status 0 if all agree.
 */
#include "../unit/oracle.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"

enum { MAGIC_SIZE = 24, NOTE_METADATA = 32 };

struct file {
    const uint8_t *data;
    size_t size;
};

struct run {
    struct file file;
    struct oracle oracle;
    uint64_t bundles, code_objects, differences;
};

static void fail(const char *what)
{
    fprintf(stderr, "notes: %s\n", what);
    exit(2);
}

/* Trusted libraries only: what is not inside ends the program. */
static const uint8_t *at(const struct file *file, uint64_t offset, uint64_t size)
{
    if (offset > file->size || size > file->size - offset)
        fail("an offset outside the file");
    return file->data + offset;
}

static uint64_t number(const uint8_t *bytes, unsigned width)
{
    uint64_t value = 0;

    for (unsigned i = width; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

static struct file map_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *data;

    if (fd < 0 || fstat(fd, &info) != 0)
        fail("cannot open the file");
    data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        fail("cannot map the file");
    close(fd);
    return (struct file){ data, (size_t)info.st_size };
}

/* One note segment: gABI, "Note Section". */
static void walk_notes(struct run *run, const uint8_t *notes, uint64_t size)
{
    for (uint64_t pos = 0; size - pos >= 12;) {
        uint64_t name = number(notes + pos, 4), content = number(notes + pos + 4, 4);
        uint64_t type = number(notes + pos + 8, 4),
                 start = pos + 12 + ((name + 3) & ~3ull);
        uint64_t next = start + ((content + 3) & ~3ull);

        if (start + content > size)
            fail("a note outside its segment");
        if (type == NOTE_METADATA && name == 7 &&
            memcmp(notes + pos + 12, "AMDGPU", 7) == 0 &&
            !oracle_agrees(&run->oracle,
                           (struct ra_span){ notes + start, (size_t)content, 0 })) {
            run->differences++;
            printf("differs: %s\n", run->oracle.why);
        }
        pos = next < size ? next : size;
    }
}

static void walk_code_object(struct run *run, const uint8_t *elf, uint64_t size)
{
    struct file file = { elf, (size_t)size };
    uint64_t headers = number(at(&file, 32, 8), 8), count = number(at(&file, 56, 2), 2);

    if (memcmp(elf, ELFMAG, SELFMAG) != 0)
        return;
    run->code_objects++;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *header = at(&file, headers + 56 * i, 56);
        uint64_t offset = number(header + 8, 8), length = number(header + 32, 8);

        if (number(header, 4) == PT_NOTE)
            walk_notes(run, at(&file, offset, length), length);
    }
}

/* @return where the bundle ends */
static uint64_t walk_bundle(struct run *run, uint64_t start)
{
    uint64_t count = number(at(&run->file, start + MAGIC_SIZE, 8), 8);
    uint64_t pos = start + MAGIC_SIZE + 8, end = 0;

    run->bundles++;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *row = at(&run->file, pos, 24);
        uint64_t offset = number(row, 8), size = number(row + 8, 8);

        pos += 24 + number(row + 16, 8);
        if (size > 64)
            walk_code_object(run, at(&run->file, start + offset, size), size);
        if (size && start + offset + size > end)
            end = start + offset + size;
    }
    return end > pos ? end : pos;
}

static void walk_section(struct run *run, uint64_t pos, uint64_t size)
{
    uint64_t end = pos + size;

    while (pos + MAGIC_SIZE < end) {
        const uint8_t *bytes = at(&run->file, pos, MAGIC_SIZE);

        if (memcmp(bytes, MAGIC, MAGIC_SIZE) == 0)
            pos = walk_bundle(run, pos);
        else if (bytes[0] == 0)
            pos++;
        else
            fail("something else than plain bundles");
    }
}

static void walk_library(struct run *run)
{
    uint64_t headers = number(at(&run->file, 40, 8), 8);
    uint64_t count = number(at(&run->file, 60, 2), 2);
    uint64_t names = number(at(&run->file, 62, 2), 2);

    names = number(at(&run->file, headers + 64 * names + 24, 8), 8);
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *header = at(&run->file, headers + 64 * i, 64);
        const uint8_t *name = at(&run->file, names + number(header, 4), 12);

        if (memcmp(name, ".hip_fatbin", 12) == 0)
            walk_section(run, number(header + 24, 8), number(header + 32, 8));
    }
}

int main(int argc, char **argv)
{
    struct run run = { 0 };

    if (argc != 2)
        fail("usage: notes FILE");
    run.file = map_file(argv[1]);
    walk_library(&run);
    printf("%" PRIu64 " bundles, %" PRIu64 " code objects, %" PRIu64 " notes, %" PRIu64
           " kernels, %" PRIu64 " differences\n",
           run.bundles, run.code_objects, run.oracle.notes, run.oracle.kernels,
           run.differences);
    printf("ra_metadata_read %.3f s, counting only %.3f s, msgpack-c %.3f s\n",
           run.oracle.seconds, run.oracle.seconds_counting, run.oracle.seconds_msgpack);
    return run.differences || run.oracle.notes == 0;
}
