/*
 * archive.h - files that hold files: zip (wheels, eggs), ar (libraries, .deb), and tar,
 * plain or compressed. The only door to libarchive.
 *
 * An archive is read from any source, so also from a member of another one. Nothing goes
 * to disk, and a name of a member is bytes to show and to compare, never a path. Members
 * come in the order of the archive; the same in every handle over the same source, so
 * that several workers can share an archive, each with a handle of its own, and skip
 * what others take.
 *
 * Of a zip the central directory is the authority: see zip.h.
 */
#ifndef RA_ARCHIVE_H
#define RA_ARCHIVE_H

#include "io/source.h"

#define RA_ARCHIVE_PROBE 512                  /* first bytes that tell all kinds */
#define RA_ARCHIVE_HEAD  ((size_t)4096)       /* first bytes of a member at most */
#define RA_ARCHIVE_LIMIT ((uint64_t)64 << 30) /* bytes one handle may decode */

struct ra_archive;

/** Names and links are the bytes that the archive has, valid until the next member. */
struct ra_archive_member {
    struct ra_span name;
    struct ra_span link; /**< what a hard or symbolic link leads to; else empty */
    size_t index;        /**< from 0, in order */
    uint64_t size;       /**< bytes it expands to, as announced */
    bool has_size;
    bool is_file;      /**< it has, or should have, bytes of its own */
    bool is_symlink;   /**< `link` is a path from where it is, not a member's name */
    bool is_encrypted; /**< its bytes cannot be had */
    bool is_damaged;   /**< its bytes cannot be had, or not be trusted */
};

/** Whether a file with these first bytes is an archive, or compressed and may be one. */
bool ra_archive_probe(struct ra_span head);

/**
 * Open the archive that is all of `source`.
 *
 * @param source  copied; what it borrows has to outlive the archive
 * @param diags   told of the archive and of its list; has to outlive it as well
 * @return RA_OK, then ra_archive_close() it; RA_E_FORMAT for damage; RA_E_LIMIT;
 *         RA_E_UNSUPPORTED for a thin library, whose members are files of their own, and
 *         for compressed data that are no archive, which is but a note (all told)
 */
RA_MUST_CHECK enum ra_status ra_archive_open(const struct ra_source *source,
                                             struct ra_diags *diags,
                                             struct ra_archive **ret);
void ra_archive_close(struct ra_archive *archive);

/** Say no more of the list, for handles besides the one that tells it. */
void ra_archive_hush(struct ra_archive *archive);

/** Whether members are skipped without decoding them: zip, ar, tar uncompressed. */
bool ra_archive_is_seekable(const struct ra_archive *archive);

/** Bytes of the archive for each of its members; 0 where their number is not known. */
uint64_t ra_archive_mean(const struct ra_archive *archive);

/**
 * The next member.
 *
 * @param more  false at the end; then `ret` is not set
 * @return RA_OK; RA_E_FORMAT where the list cannot be followed further, or ends short;
 *         RA_E_LIMIT (all told)
 */
RA_MUST_CHECK enum ra_status ra_archive_next(struct ra_archive *archive,
                                             struct ra_archive_member *ret, bool *more);

/**
 * First bytes of the current member; they can be asked for again, until it is opened.
 *
 * @param limit  bytes of `window`, which `ret` then spans; RA_ARCHIVE_HEAD is the most
 * @return RA_OK; for what cannot be had the same as ra_archive_read()
 */
RA_MUST_CHECK enum ra_status ra_archive_head(struct ra_archive *archive,
                                             struct ra_diags *diags, uint8_t *window,
                                             size_t limit, struct ra_span *ret);

/* ---- member.c only ---------------------------------------------------------- */

/**
 * The next `size` bytes of the current member, from its first one on.
 *
 * @param made  fewer than `size` only at the end
 * @return RA_OK; RA_E_FORMAT for damage, RA_E_UNSUPPORTED for what is encrypted or of an
 *         unknown method; RA_E_LIMIT (all told to `diags`, once)
 */
RA_MUST_CHECK enum ra_status ra_archive_read(struct ra_archive *archive,
                                             struct ra_diags *diags, uint8_t *data,
                                             size_t size, size_t *made);

/** Whether the current member can have bytes at all; the same as ra_archive_read(). */
RA_MUST_CHECK enum ra_status ra_archive_check(struct ra_archive *archive,
                                              struct ra_diags *diags);

/** Whether none of the current member was read yet, but for its head. */
bool ra_archive_is_fresh(const struct ra_archive *archive);

/** Another handle, hushed, at the member of that index. */
RA_MUST_CHECK enum ra_status ra_archive_again(const struct ra_archive *archive,
                                              size_t index, struct ra_diags *diags,
                                              struct ra_archive **ret);

/** Where the current member's bytes are in the archive; false if not as they are. */
RA_MUST_CHECK bool ra_archive_part(const struct ra_archive *archive,
                                   struct ra_source *ret);

/** Where the current member begins, for ra_fault(). */
struct ra_place ra_archive_place(const struct ra_archive *archive);

/** Whether the archive has sums of its members, so that reading one to the end tells. */
bool ra_archive_has_sums(const struct ra_archive *archive);

#endif
