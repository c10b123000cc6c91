#include "container/kind.h"

#define XZ_HEADER   12   /* bytes of the stream header, 2.1.1 */
#define LZMA2       0x21 /* ID of the filter, 5.3.1 */
#define LZMA2_LARGE 40   /* stands for one byte less than 4 GiB */

static const struct {
    enum ra_archive_kind kind;
    size_t at, size;
    const char *magic;
} magics[] = {
    { RA_ARCHIVE_ZIP, 0, 4, "PK\3\4" },
    { RA_ARCHIVE_ZIP, 0, 4, "PK\5\6" },
    { RA_ARCHIVE_AR, 0, 8, "!<arch>\n" },
    { RA_ARCHIVE_THIN, 0, 8, "!<thin>\n" },
    { RA_ARCHIVE_GZIP, 0, 3, "\x1f\x8b\x08" },
    { RA_ARCHIVE_ZSTD, 0, 4, "\x28\xb5\x2f\xfd" },
    { RA_ARCHIVE_XZ, 0, 6, "\xfd\x37zXZ\0" },
    { RA_ARCHIVE_TAR, 257, 5, "ustar" },
};

/* A level, then the mark of a block, or that of the end if there is none. */
static bool is_bzip2(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head), end;
    uint8_t level;

    if (!ra_cursor_match(&cur, "BZh", 3))
        return false;
    level = ra_cursor_u8(&cur);
    end = cur;
    return level >= '1' && level <= '9' &&
           (ra_cursor_match(&cur, "\x31\x41\x59\x26\x53\x59", 6) ||
            ra_cursor_match(&end, "\x17\x72\x45\x38\x50\x90", 6));
}

enum ra_archive_kind ra_archive_kind(struct ra_span head)
{
    for (size_t i = 0; i < RA_COUNT(magics); i++) {
        struct ra_cursor cur = ra_cursor_over(head);

        ra_cursor_seek(&cur, magics[i].at);
        if (ra_cursor_match(&cur, magics[i].magic, magics[i].size))
            return magics[i].kind;
    }
    return is_bzip2(head) ? RA_ARCHIVE_BZIP2 : RA_ARCHIVE_NONE;
}

/* 1.2: seven bits a byte, the lowest first. */
static uint64_t variable(struct ra_cursor *cur)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 63; shift += 7) {
        uint8_t byte = ra_cursor_u8(cur);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

/* 3.1: size, flags, two sizes if the flags say so, then up to four filters. */
uint64_t ra_xz_window(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head);
    uint8_t flags;

    ra_cursor_skip(&cur, XZ_HEADER + 1);
    flags = ra_cursor_u8(&cur);
    if (flags & 0x40)
        (void)variable(&cur);
    if (flags & 0x80)
        (void)variable(&cur);
    for (unsigned i = 0; i <= (flags & 3u); i++) {
        uint64_t id = variable(&cur), size = variable(&cur);
        struct ra_span properties = ra_cursor_take(&cur, size);
        uint8_t bits = properties.size ? properties.data[0] : 0;

        if (id == LZMA2 && bits >= LZMA2_LARGE)
            return UINT32_MAX;
        if (id == LZMA2 && ra_cursor_ok(&cur))
            return (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);
    }
    return 0;
}
