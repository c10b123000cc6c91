/*
 * sysfs.h - small text files of a sysfs tree, or of a copy of one.
 *
 * Whoever made the copy made its bytes, so texts have a limit, folders have one, and a
 * pipe in place of a file holds nobody up. Nothing is told: an attribute that cannot be
 * read is one that is not there, unless the caller asks.
 */
#ifndef RA_SYSFS_H
#define RA_SYSFS_H

#include "base/cursor.h"

#define RA_SYSFS_TEXT    ((size_t)64 * 1024) /**< bytes of the longest text */
#define RA_SYSFS_ENTRIES 4096                /**< most entries of a folder */

enum ra_reading {
    RA_READING_DONE,
    RA_READING_HIDDEN, /**< it may not be read */
    RA_READING_BROKEN, /**< missing, too long, or no file */
};

/** Open a folder below another one, or AT_FDCWD; -1 if there is none. */
int ra_sysfs_folder(int at, const char *path);

/** All of a text, at most `limit` bytes; the window has room for one more. */
enum ra_reading ra_sysfs_text(int folder, const char *path, size_t limit, uint8_t *window,
                              struct ra_span *ret);

/** The number of an attribute, decimal or 0x and hexadecimal, and nothing but it. */
bool ra_sysfs_number(int folder, const char *path, uint64_t *ret);

/** False if `text` is no decimal number of 64 bits. */
bool ra_sysfs_decimal(struct ra_span text, uint64_t *ret);

/** The number a name stands for as the kernel writes it: no leading zero. */
bool ra_sysfs_index(const char *name, uint64_t *ret);

/**
 * Keys of the entries of a folder, sorted.
 *
 * @param take  makes a key of a name, or returns false: an entry to pass over
 * @return their count; more than RA_SYSFS_ENTRIES: there are too many
 */
size_t ra_sysfs_list(int folder,
                     bool (*take)(int folder, const char *name, uint64_t *ret),
                     uint64_t ret[RA_SYSFS_ENTRIES]);

#endif
