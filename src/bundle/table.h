/*
 * table.h - the entry table of a clang offload bundle.
 *
 * Spec: clang/docs/ClangOffloadBundler.rst, "Bundled Binary File Layout".
 */
#ifndef RA_TABLE_H
#define RA_TABLE_H

#include "io/source.h"

#define RA_BUNDLE_MAGIC       "__CLANG_OFFLOAD_BUNDLE__"
#define RA_BUNDLE_MAGIC_SIZE  (sizeof(RA_BUNDLE_MAGIC) - 1)
#define RA_BUNDLE_MAX_ENTRIES 4096
#define RA_BUNDLE_MAX_ID      1024

struct ra_table_entry {
    uint64_t offset, size; /**< of the code object in the bundle; size may be 0 */
    struct ra_span id;     /**< raw bytes, in the arena */
};

struct ra_table {
    struct ra_table_entry *entries; /**< in the order of the table */
    size_t count;
    uint64_t table_size; /**< bytes, magic and all */
    uint64_t end;        /**< of the last code object: the bundle has no length field */
};

/** True if `head` starts with the magic. */
bool ra_table_probe(struct ra_span head);

/**
 * Read the table of the bundle at the start of `source`, which may be longer.
 *
 * @return RA_OK, entries inside `source` and sharing no bytes; RA_E_FORMAT or
 *         RA_E_LIMIT (told)
 */
RA_MUST_CHECK enum ra_status ra_table_read(const struct ra_source *source,
                                           struct ra_arena *arena, struct ra_diags *diags,
                                           struct ra_table *ret);

#endif
