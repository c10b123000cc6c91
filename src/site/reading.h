/*
 * reading.h - between site.c, which joins records to packages, and the readers of them.
 *
 * A reader takes one record and says what it found of the package. It stops at RA_E_NOMEM
 * only; what is odd it notes, and goes on.
 */
#ifndef RA_READING_H
#define RA_READING_H

#include "site/place.h"
#include "site/site.h"

/** A package, while it is put together. */
struct draft {
    struct ra_site_package package; /**< first: they are handed out */
    struct draft *next;
    struct ra_site_file *last; /**< of the files */
    struct needed *needs;      /**< newest first, as are the extras */
    struct provided *extras;
    bool says_placeholder; /**< its summary does, or its version */
    bool holds_something;  /**< a file that is more than its name */
    bool has_stub;         /**< an __init__.py that hardly says anything */
};

/** A file, and where the list of those who list it ends; of the first of them. */
struct file {
    struct ra_site_file file; /**< first: they are handed out */
    struct ra_site_file *last;
};

struct needed {
    struct ra_site_need need;
    struct needed *older;
};

struct provided {
    const char *name;
    struct provided *older;
};

struct reading {
    struct ra_site *site;
    struct ra_arena *arena;
    struct ra_map drafts; /**< of a unit; for dpkg of its root, a line end and a name */
    struct ra_map named;  /**< of a folder and the normalised name in it */
    struct draft *first, *last;
    size_t draft_count;
    bool is_dpkg;               /**< what is read is of an installation of dpkg */
    struct ra_text place, text; /**< scratch, for what is being read */
    const char *odd;            /**< first thing of the record that is odd; static */
    uint64_t odd_offset;
    size_t odd_count;
};

/** What is known of a file besides its place. */
struct listed {
    struct ra_site_digest digest;
    uint64_t size;
    bool has_size;
};

/** Note that something is odd; it is told once a record. */
void reading_odd(struct reading *reading, uint64_t offset, const char *what);

/** Text in the arena, NULL if there is no memory: as it is, or escaped. */
const char *reading_keep(struct reading *reading, struct ra_span text);
const char *reading_escape(struct reading *reading, struct ra_span text);

/**
 * A file of a package: `path` from `base`, or in a wheel what is installed of it. Listed
 * again, it gets what is known in addition. A `path` that leads to nothing is odd.
 */
RA_MUST_CHECK enum ra_status reading_file(struct reading *reading, struct draft *draft,
                                          struct ra_span base, struct ra_span path,
                                          const struct listed *listed);

/** Name and version, of those not empty, as they are first told. */
RA_MUST_CHECK enum ra_status reading_named(struct reading *reading, struct draft *draft,
                                           struct ra_span name, struct ra_span version);

/** The package with that key, a new one if need be that is not among the packages yet. */
RA_MUST_CHECK enum ra_status reading_draft(struct reading *reading, struct ra_map *map,
                                           struct ra_span key, struct draft **ret);

/** Put it among the packages; `place` is that of its record. */
RA_MUST_CHECK enum ra_status reading_add(struct reading *reading, struct draft *draft,
                                         const char *kind, struct ra_span place);

/** Readers of records, by what is in them. */
typedef enum ra_status reader(struct reading *reading, struct draft *draft,
                              const struct ra_record_place *where, struct ra_span bytes);

reader reading_metadata, reading_control, reading_status, reading_rows, reading_lines,
    reading_conda, reading_paths, reading_direct_url, reading_pth, reading_egg_link;

/** The list of a package of dpkg finds its package by its own name. */
RA_MUST_CHECK enum ra_status reading_dpkg_list(struct reading *reading,
                                               const struct ra_record_place *where,
                                               const struct ra_site_document *document);

#endif
