/*
 * mkmember FILE MIB BUNDLES - a sparse library to be packed: bundles and wide gaps.
 *
 * The device code section has a bundle, zeros up to the next, and so on over most of the
 * file; the section headers stand at its end. All bundles have gfx90a, all but the last
 * one gfx1030 as well.
 */
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGE = 4096, FATBIN_AT = 16 * PAGE };

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

static void put(int fd, const struct fx *fx, size_t from, uint64_t at)
{
    size_t size = fx->size - from;

    check(pwrite(fd, fx->data + from, size, (off_t)at) == (ssize_t)size, "pwrite");
}

/* One of its own name in each, so that none could stand for another. */
static void make_bundle(struct fx *fx, size_t number, bool is_last)
{
    char kernel[32];
    struct fx code[2];
    const struct fx_entry entries[] = { { FX_HOST, NULL },
                                        { FX_HIP("gfx90a"), &code[0] },
                                        { FX_HIP("gfx1030"), &code[1] } };

    snprintf(kernel, sizeof(kernel), "k_%zu", number);
    code[0] = fx_code_of("gfx90a", kernel);
    code[1] = fx_code_of("gfx1030", kernel);
    fx_bundle(fx, &(struct fx_bundle){ .entries = entries, .count = is_last ? 2 : 3 });
    fx_free(&code[0]);
    fx_free(&code[1]);
}

/* The headers of a small ELF file, taken apart: section headers end up at the end. */
static void write_elf(int fd, uint64_t size, uint64_t fatbin_size)
{
    struct fx_elf elf = { .type = ET_DYN, .machine = EM_X86_64 };
    struct fx fx = { 0 };
    uint64_t table;
    size_t fatbin;

    fx_elf_begin(&elf, 0);
    fatbin = fx_elf_section(
        &elf,
        (struct fx_section){ .name = ".hip_fatbin", .type = SHT_PROGBITS, .align = PAGE },
        &(struct fx){ 0 });
    table = fx_elf_end(&elf, &fx);
    fx_poke(&fx, (size_t)table + fatbin * sizeof(Elf64_Shdr) + 24, 8, FATBIN_AT);
    fx_poke(&fx, (size_t)table + fatbin * sizeof(Elf64_Shdr) + 32, 8, fatbin_size);
    fx_poke(&fx, offsetof(Elf64_Ehdr, e_shoff), 8, size - (fx.size - table));
    put(fd, &fx, (size_t)table, size - (fx.size - table));
    fx_cut(&fx, (size_t)table);
    put(fd, &fx, 0, 0);
    fx_free(&fx);
}

int main(int argc, char **argv)
{
    uint64_t size, end = 0;
    size_t count;
    int fd;

    if (argc != 4) {
        fprintf(stderr, "usage: mkmember FILE MIB BUNDLES\n");
        return EXIT_FAILURE;
    }
    size = strtoull(argv[2], NULL, 10) << 20;
    count = strtoul(argv[3], NULL, 10);
    fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check(fd >= 0 && ftruncate(fd, (off_t)size) == 0, argv[1]);
    for (size_t i = 0; i < count; i++) {
        struct fx bundle = { 0 };
        uint64_t at = FATBIN_AT + size / (count + 1) / PAGE * PAGE * i;

        make_bundle(&bundle, i, i + 1 == count);
        put(fd, &bundle, 0, at);
        end = at + bundle.size;
        fx_free(&bundle);
    }
    write_elf(fd, size, end - FATBIN_AT);
    check(close(fd) == 0, "close");
    return EXIT_SUCCESS;
}
