/* targets.h - which targets files hold code for. */
#ifndef RA_TARGETS_H
#define RA_TARGETS_H

#include "base/base.h"

/** qsort() orders of const char *: bytes; and as people count, gfx942 before gfx1030. */
int ra_targets_by_bytes(const void *left, const void *right);
int ra_targets_as_counted(const void *left, const void *right);

/** Of an entry that holds something for a device, as below; else "". */
const char *ra_entry_target(const struct ra_entry *entry);

/**
 * The targets of all entries that hold something for a device, each once: as their IDs
 * write them, or, for a code object in no bundle, as its ELF header says.
 *
 * @param order  one of the above
 * @return an array for free() of strings of `files`; NULL if there is no memory
 */
const char **ra_targets_of(const struct ra_file *files, size_t file_count,
                           int (*order)(const void *, const void *), size_t *ret_count);

#endif
