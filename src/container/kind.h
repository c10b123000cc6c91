/*
 * kind.h - which archive it is, by its first bytes.
 *
 * Spec: APPNOTE.TXT 6.3.10; ar(5); POSIX pax, ustar; RFC 1952; RFC 8878; the .xz file
 * format 1.1.0; bzip2.
 */
#ifndef RA_ARCHIVE_KIND_H
#define RA_ARCHIVE_KIND_H

#include "base/cursor.h"

enum ra_archive_kind {
    RA_ARCHIVE_NONE,
    RA_ARCHIVE_ZIP,
    RA_ARCHIVE_AR,
    RA_ARCHIVE_THIN,
    RA_ARCHIVE_TAR,
    RA_ARCHIVE_GZIP, /**< compressed, from here on: a tar may be in it */
    RA_ARCHIVE_ZSTD,
    RA_ARCHIVE_XZ,
    RA_ARCHIVE_BZIP2,
};

enum ra_archive_kind ra_archive_kind(struct ra_span head);

/** What the first block of an .xz file looks back at, in bytes; 0 if it is not said. */
uint64_t ra_xz_window(struct ra_span head);

#endif
