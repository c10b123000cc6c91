/*
 * scan.h - one file, or member of an archive: what it is, and the facts of its code.
 *
 * ra_scan_file() opens what the walk found. What is in archives is scanned by members.c
 * the same way, member by member, and becomes the `members` of the archive.
 */
#ifndef RA_SCAN_H
#define RA_SCAN_H

#include "audit/bundles.h"
#include "bundle/kpackref.h"
#include "container/archive.h"
#include "io/walk.h"

/** What is scanned, and what it is called. Strings are raw bytes. */
struct ra_subject {
    const char *path;  /**< "dist/foo.whl!foo/_C.so" */
    const char *name;  /**< the same, for people */
    const char *place; /**< the same as a path that records of packages speak of */
    const struct ra_walk_link *links;
    size_t link_count;
    bool named;     /**< the caller named it, rather than a folder above it */
    bool is_part;   /**< of a package, an archive that is its content */
    unsigned depth; /**< archives that it is in */
};

/** Host stubs of kernels, by hashes of their names; see stubs.h. */
struct ra_stubs {
    const uint64_t *had;
    size_t had_count;
    const uint64_t *wanted; /**< in the order of the names in the file's layout */
};

/** The facts of a file, and the memory they are in. */
struct ra_scanned {
    struct ra_file file;
    struct ra_arena arena;         /**< of all that `file` points to, but for kernels */
    struct ra_arena kernels_arena; /**< of kernels and their names */
    struct ra_diags diags;
    enum ra_status status; /**< RA_E_NOMEM: nothing of the rest can be relied upon */

    const char *place;       /**< as of the subject; set where any of these is */
    struct ra_span document; /**< a record of packages, whole; empty: it is none */
    struct ra_kpack_ref ref; /**< of a file whose code is elsewhere; else no `name` */
    struct ra_stubs stubs;
    bool is_clue;  /**< its name tells of a release of ROCm */
    bool is_extra; /**< it was not among what was to be looked at */

    struct ra_scanned *members; /**< of an archive, those with anything to tell; on the
                                   heap */
    size_t member_count;
    bool opened;                /**< it is an archive, and was looked into */
    uint64_t files;             /**< members that are files */
    uint64_t by_kind[RA_KINDS]; /**< of members that are not in `members` */
};

/** One of them under way. */
struct ra_scan {
    const struct ra_scan_context *context;
    const struct ra_subject *subject;
    struct ra_scanned *scanned;
    struct ra_source source;
    struct ra_bundles bundles;
};

/** Read a file; always leaves something for ra_scanned_free(). */
void ra_scan_file(const struct ra_scan_context *context, const struct ra_walk_file *from,
                  struct ra_scanned *ret);

/**
 * Read the current member of an archive, as above. Most are neither code nor records,
 * and are not decoded past their first bytes.
 */
void ra_scan_member(const struct ra_scan_context *context,
                    const struct ra_subject *subject, struct ra_archive *archive,
                    const struct ra_archive_member *member, struct ra_scanned *ret);

/** Whether it is a package by its name: such archives are opened wherever they are met.
 */
bool ra_scan_is_package(const char *path);

#define RA_SCAN_HEAD  512 /* enough for every magic, that of tar at 257 */
#define RA_SCAN_DEPTH 2   /* archives in archives, that of the file itself counted */

/* ---- what scan.c leaves to others ------------------------------------------- */

/** host.c: an ELF file of the host. */
RA_MUST_CHECK enum ra_status ra_host_scan(struct ra_scan *scan);

/** kpack.c: an archive of kernels. */
RA_MUST_CHECK enum ra_status ra_kpack_scan(struct ra_scan *scan);

/** members.c: what is in an archive. */
RA_MUST_CHECK enum ra_status ra_members_scan(struct ra_scan *scan);

/* ---- the result ------------------------------------------------------------- */

/** Whether there is more to it than its kind; only then `file` has a name. */
bool ra_scanned_is_worth_telling(const struct ra_scanned *scanned);

/** Whether anything of it is needed later, told or not. */
bool ra_scanned_is_kept(const struct ra_scanned *scanned);

/** Give back the kernels, once the file was judged, and keep all else. */
void ra_scanned_drop_kernels(struct ra_scanned *scanned);

void ra_scanned_free(struct ra_scanned *scanned);

#endif
