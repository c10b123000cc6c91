/*
 * mkframes.c - the plain bundles of a library as compressed ones, and as bare frames.
 *
 *     mkframes LIBRARY OUT.ccob OUT.zst
 *
 * Each bundle becomes a zstd frame of level 3 with long distance matching in a window of
 * 32 MiB; OUT.zst holds the frames for zstd(1), OUT.ccob the same frames behind CCOB v3
 * headers, aligned as linkers do.
 */
#include <md5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MAGIC      "__CLANG_OFFLOAD_BUNDLE__"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)
#define PAGE       4096u
#define WINDOW_LOG 25

static void stop(const char *why)
{
    fprintf(stderr, "mkframes: %s\n", why);
    exit(1);
}

static uint64_t word(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof(value));
    return value;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes;

    if (!file || fseek(file, 0, SEEK_END) != 0)
        stop(path);
    *size = (size_t)ftell(file);
    bytes = malloc(*size);
    rewind(file);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        stop(path);
    fclose(file);
    return bytes;
}

/* The size of the bundle at `bytes`: the end of its last entry; 0 if it is none. */
static size_t bundle_size(const uint8_t *bytes, size_t room)
{
    uint64_t count = room > MAGIC_SIZE + 8 ? word(bytes + MAGIC_SIZE) : 0, end = 0;
    size_t at = MAGIC_SIZE + 8;

    if (count == 0 || count > 256)
        return 0; /* the magic as text */
    for (uint64_t i = 0; i < count && at + 24 < room; i++) {
        uint64_t last = word(bytes + at) + word(bytes + at + 8);

        end = last > end ? last : end;
        at += 24 + (size_t)word(bytes + at + 16);
    }
    return end <= room ? (size_t)end : 0;
}

static void put(FILE *file, const void *bytes, size_t size)
{
    if (fwrite(bytes, 1, size, file) != size)
        stop("cannot write");
}

static void put_ccob(FILE *file, const uint8_t *bundle, size_t size, const uint8_t *frame,
                     size_t frame_size)
{
    static const uint8_t zeros[PAGE];
    uint8_t digest[MD5_DIGEST_LENGTH], header[32] = "CCOB\3\0\1";
    uint64_t total = sizeof(header) + frame_size, expanded = size;
    MD5_CTX md5;

    MD5Init(&md5);
    MD5Update(&md5, bundle, size);
    MD5Final(digest, &md5);
    memcpy(header + 8, &total, 8);
    memcpy(header + 16, &expanded, 8);
    memcpy(header + 24, digest, 8);
    put(file, header, sizeof(header));
    put(file, frame, frame_size);
    put(file, zeros, (PAGE - total % PAGE) % PAGE);
}

int main(int argc, char **argv)
{
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    FILE *ccob = argc == 4 ? fopen(argv[2], "wb") : NULL;
    FILE *frames = argc == 4 ? fopen(argv[3], "wb") : NULL;
    const uint8_t *at;
    uint8_t *file;
    size_t size, count = 0;

    if (!ccob || !frames || !zstd)
        stop("usage: mkframes LIBRARY OUT.ccob OUT.zst");
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, WINDOW_LOG);
    file = read_file(argv[1], &size);
    for (at = file; (at = memmem(at, size - (size_t)(at - file), MAGIC, MAGIC_SIZE));) {
        size_t bundle = bundle_size(at, size - (size_t)(at - file));
        size_t room = ZSTD_compressBound(bundle), made;
        uint8_t *frame = malloc(room);

        made = ZSTD_compress2(zstd, frame, room, at, bundle);
        if (bundle > 0 && ZSTD_isError(made))
            stop(ZSTD_getErrorName(made));
        if (bundle > 0) {
            put(frames, frame, made);
            put_ccob(ccob, at, bundle, frame, made);
            count++;
        }
        free(frame);
        at += bundle > 0 ? bundle : MAGIC_SIZE;
    }
    if (fclose(ccob) != 0 || fclose(frames) != 0)
        stop("cannot write");
    printf("%zu bundles\n", count);
    return 0;
}
