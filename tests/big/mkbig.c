/*
 * mkbig FILE - a sparse library of 6 GiB whose one CCOB expands to 4 GiB.
 *
 * Everything lies where 32 bits do not reach: the bundle in the file, the section headers
 * behind it, and in the expanded bundle the second code object. Prints where they are.
 */
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define FILE_SIZE ((uint64_t)6 << 30)
#define FATBIN_AT ((uint64_t)5 << 30)
#define EXPANDED  (((uint64_t)4 << 30) + 65536)
#define CCOB_HEAD 32

enum { ZEROS = 1 << 20, PAGE = 4096 };

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

/* ---- the payload --------------------------------------------------------------------
 */

enum { WINDOW_LOG = 27 };

struct packer {
    ZSTD_CCtx *zstd;
    MD5_CTX md5;
    struct fx *out;
};

static void pack(struct packer *packer, const void *bytes, size_t size, bool last)
{
    static uint8_t window[1 << 17];
    ZSTD_inBuffer in = { bytes, size, 0 };
    size_t left;

    MD5Update(&packer->md5, bytes, size);
    do {
        ZSTD_outBuffer out = { window, sizeof(window), 0 };

        left = ZSTD_compressStream2(packer->zstd, &out, &in,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        check(!ZSTD_isError(left), "zstd");
        fx_bytes(packer->out, window, out.pos);
    } while (last ? left > 0 : in.pos < in.size);
}

/* What comes before, zeros, what comes behind: EXPANDED bytes. @return MD5's first half
 */
static uint64_t pack_all(struct fx *out, const struct fx *first, const struct fx *last)
{
    struct packer packer = { .zstd = ZSTD_createCCtx(), .out = out };
    uint8_t *zeros = calloc(1, ZEROS), digest[MD5_DIGEST_LENGTH];
    uint64_t left = EXPANDED - first->size - last->size, hash;

    check(packer.zstd && zeros, "memory");
    check(!ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(packer.zstd, EXPANDED)), "zstd");
    /* What clang asks for: the decoder must hold a window of 128 MiB. */
    check(!ZSTD_isError(ZSTD_CCtx_setParameter(packer.zstd,
                                               ZSTD_c_enableLongDistanceMatching, 1)) &&
              !ZSTD_isError(
                  ZSTD_CCtx_setParameter(packer.zstd, ZSTD_c_windowLog, WINDOW_LOG)),
          "zstd");
    MD5Init(&packer.md5);
    pack(&packer, first->data, first->size, false);
    for (; left > 0; left -= left < ZEROS ? left : ZEROS)
        pack(&packer, zeros, left < ZEROS ? (size_t)left : ZEROS, false);
    pack(&packer, last->data, last->size, true);
    MD5Final(digest, &packer.md5);
    memcpy(&hash, digest, sizeof(hash));
    ZSTD_freeCCtx(packer.zstd);
    free(zeros);
    return hash;
}

/* CCOB v3 in front of a payload: clang/docs/ClangOffloadBundler.rst. */
static void make_ccob(struct fx *fx, const struct fx *first, const struct fx *last)
{
    struct fx payload = { 0 };
    uint64_t hash = pack_all(&payload, first, last);

    fx_text(fx, "CCOB");
    fx_u16(fx, 3);
    fx_u16(fx, 1); /* zstd */
    fx_u64(fx, CCOB_HEAD + payload.size);
    fx_u64(fx, EXPANDED);
    fx_u64(fx, hash);
    fx_append(fx, &payload);
    fx_free(&payload);
}

/* ---- the bundle ---------------------------------------------------------------------
 */

/* A table of two, the first code object behind it, the second at the very end. */
static uint64_t make_bundle(struct fx *fx, const struct fx *first, const struct fx *last)
{
    const struct fx_entry entries[] = { { FX_HOST, NULL },
                                        { FX_HIP("gfx90a"), first },
                                        { FX_HIP("gfx1030"), NULL } };
    struct fx_bundle_at at =
        fx_bundle(fx, &(struct fx_bundle){ .entries = entries, .count = 3 });

    fx_poke(fx, at.entry[2].offset, 8, EXPANDED - last->size);
    fx_poke(fx, at.entry[2].size, 8, last->size);
    return at.entry[1].content;
}

/* ---- the file -----------------------------------------------------------------------
 */

static void put(int fd, const void *bytes, size_t size, uint64_t at)
{
    check(pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size, "pwrite");
}

/* The headers of a small ELF file, taken apart: its sections end up far behind. */
static void write_elf(int fd, const struct fx *ccob)
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
    fx_poke(&fx, (size_t)table + fatbin * sizeof(Elf64_Shdr) + 32, 8, ccob->size);
    fx_poke(&fx, offsetof(Elf64_Ehdr, e_shoff), 8, FILE_SIZE - (fx.size - table));
    put(fd, fx.data, (size_t)table, 0);
    put(fd, ccob->data, ccob->size, FATBIN_AT);
    put(fd, fx.data + table, fx.size - (size_t)table, FILE_SIZE - (fx.size - table));
    fx_free(&fx);
}

int main(int argc, char **argv)
{
    struct fx first = fx_code_of("gfx90a", "k_first");
    struct fx last = fx_code_of("gfx1030", "k_last");
    struct fx head = { 0 }, ccob = { 0 };
    uint64_t content;
    int fd;

    check(argc == 2, "usage: mkbig FILE");
    fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    check(fd >= 0, argv[1]);
    content = make_bundle(&head, &first, &last);
    make_ccob(&ccob, &head, &last);
    write_elf(fd, &ccob);
    check(close(fd) == 0, argv[1]);
    printf("bundle %" PRIu64 " %zu\n", FATBIN_AT, ccob.size);
    printf("gfx90a %" PRIu64 " %zu k_first\n", content, first.size);
    printf("gfx1030 %" PRIu64 " %zu k_last\n", EXPANDED - last.size, last.size);
    fx_free(&first);
    fx_free(&last);
    fx_free(&head);
    fx_free(&ccob);
    return EXIT_SUCCESS;
}
