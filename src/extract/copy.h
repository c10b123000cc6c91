/*
 * copy.h - the bytes of a bundle's entries, into files.
 *
 * Entries are read in the order of their offsets, so that a compressed bundle is
 * expanded once and forward. They get their names when all of the bundle was read and,
 * where it is compressed, has the digest that its header says: before that nothing
 * vouches for a single byte of it.
 */
#ifndef RA_COPY_H
#define RA_COPY_H

#include "base/diag.h"
#include "codec/workspace.h"
#include "extract/folder.h"

/** One bundle: a task for a pool. */
struct ra_copy {
    const struct ra_file *file;
    const struct ra_bundle *bundle;
    struct ra_written *list; /**< its entries that are wanted */
    size_t count;
    bool is_first;        /**< it is a task, and those behind it are part of that */
    struct ra_copy *next; /**< another bundle of the same member of an archive, or NULL */
    struct ra_folder *folder; /**< NULL: read, and write nothing */
    struct ra_workspaces *workspaces;
    struct ra_workspaces *const *members; /**< for members of archives, see inside.h */
    struct ra_arena arena;                /**< of the diags, and more */
    struct ra_diags diags;                /**< why what failed could not be read */
    enum ra_status status; /**< RA_OK or RA_E_NOMEM; what failed is told of each entry */
};

/** Set outcome and reason of each entry. `arg` is a struct ra_copy, the first of its file
 *  if that is a member of an archive: such a file is opened once and read in order. */
void ra_copy_run(void *arg);

#endif
