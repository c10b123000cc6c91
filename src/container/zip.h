/*
 * zip.h - the central directory of a zip, which says what is in it.
 *
 * libarchive goes by the local headers for names and methods, as nobody who unpacks
 * does. So the directory is read here, and a member whose local header says otherwise
 * is damaged: two readers would see two different files.
 *
 * Spec: APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3.
 */
#ifndef RA_ZIP_H
#define RA_ZIP_H

#include "io/source.h"

#define RA_ARCHIVE_MEMBERS ((size_t)1 << 20) /* members of one archive */
#define RA_ARCHIVE_NAME    4096              /* bytes of a name, PATH_MAX of Linux */

enum ra_zip_method { RA_ZIP_STORED = 0, RA_ZIP_DEFLATE = 8 };

#define RA_ZIP_ENCRYPTED 1u /* bit of the flags, 4.4.4 */

/** What the directory says of a member. */
struct ra_zip_entry {
    struct ra_span name;
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packed, size; /**< bytes */
    uint64_t offset;       /**< of its local header */
};

/** Zero-initialise; ra_zip_free() it, also after a failure. */
struct ra_zip {
    uint8_t *directory;
    struct ra_zip_entry *entries; /**< by offset */
    size_t count, room;
};

/** Read all of the directory; RA_E_FORMAT, RA_E_LIMIT (told); RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_zip_read(const struct ra_source *source,
                                         struct ra_diags *diags, struct ra_zip *ret);
void ra_zip_free(struct ra_zip *zip);

/** Bytes of a local header before the name. */
#define RA_ZIP_LOCAL 30

/**
 * Whether a local header says of a member what the directory does.
 *
 * @param head  RA_ZIP_LOCAL bytes and as many as the name has
 * @param skip  bytes from the local header to those of the member
 */
RA_MUST_CHECK bool ra_zip_agrees(const struct ra_zip_entry *entry, struct ra_span head,
                                 uint64_t *skip);

#endif
