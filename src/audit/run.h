/*
 * run.h - one call of the library, from options to report.
 *
 * gather.c fills the slots: it scans every file, joins what is spread over several, and
 * judges. collect.c makes the report of them. rocaudit.c is the public way in.
 */
#ifndef RA_RUN_H
#define RA_RUN_H

#include "audit/machine.h"
#include "audit/rules.h"
#include "audit/scan.h"
#include "site/site.h"

#include <pthread.h>

/** A file, or a member of an archive, with more to it than its kind. */
struct ra_result {
    struct ra_result *next; /**< in the same slot */
    struct ra_scanned scanned;
    struct ra_findings findings;
    const struct ra_site_package *owner;
    const char *alternative_to; /**< why it is not the one that is loaded, or NULL */
    bool judged;
    bool unloaded; /**< the package loads no variant of it on this release */
};

/** Files named of those that differ; the rest is counted. */
#define RA_DIFFERING_NAMED 4

/** A package as its records have it, and as the report does. */
struct ra_owned {
    const struct ra_site_package *site;
    struct ra_package *package;
    bool is_beyond;     /**< its records are not among what was to be looked at */
    bool in_company;    /**< packages that are no device packages are beside it */
    bool has_files;     /**< files of the report are its own */
    bool is_elsewhere;  /**< an editable install, and its files were not looked at */
    size_t unloaded;    /**< variants of a library, if the release loads none of them */
    size_t differing;   /**< files that are not what the records say */
    const char *differ; /**< the first few of them, escaped; NULL: there are none */
};

struct ra_packages {
    struct ra_site site;
    struct ra_diags diags;                  /**< of the records */
    struct ra_package *list;                /**< in the order of the site's */
    struct ra_owned *by_site;               /**< by address */
    const struct ra_site_package **by_name; /**< see beside.h */
    struct ra_map names;    /**< normalised name to the first package of it */
    struct ra_map editable; /**< folder with its '/' to the package that lives there */
    size_t count;
    bool is_whole; /**< every file was read whole */
};

/** What became of what the walk found. Most files have nothing to tell. */
struct ra_slot {
    enum ra_kind kind;
    bool opened; /**< an archive, whose members count in its place */
    uint64_t files;
    uint64_t *by_kind;       /**< of its members that are no results; or NULL */
    struct ra_result *first; /**< an archive before its members */
};

struct ra_run {
    struct ra_report report; /**< first: what the caller has is this */
    struct ra_options options;
    struct ra_arena arena;
    struct ra_walk walk;
    struct ra_gate gate; /**< of a check */
    struct ra_machine machine;
    struct ra_findings findings; /**< of devices and packages, whatever the file */
    struct ra_scan_context context;
    struct ra_slot *slots;
    struct ra_packages packages;
    struct ra_result *extra; /**< archives of kernels that were not among the paths */
    bool judges;             /**< verdicts are asked for */
    bool waits;              /**< archives may tell the release: judge at the end */
    pthread_mutex_t lock;    /**< of all below */
    bool no_memory;
    uint64_t done;
    double told; /**< when progress was told last */
};

/** Scan and judge all files of the walk. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_gather(struct ra_run *run);

/** Make the report of what was gathered. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_collect(struct ra_run *run);

/** Give back all that was gathered. */
void ra_gathered_free(struct ra_run *run);

/**
 * Find the archives of kernels that host files refer to, and put the entries for them
 * into their bundles.
 */
RA_MUST_CHECK enum ra_status ra_resolve(struct ra_run *run);

/** Find archives of kernels that nothing refers to. RA_OK or RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_find_orphans(struct ra_run *run);

/** Seconds of a clock that only goes forward. */
double ra_now(void);

/** Every result, slot by slot: `for (o = ra_first(run, &at); o; o = ra_next(...))` */
struct ra_result *ra_result_first(const struct ra_run *run, size_t *slot);
struct ra_result *ra_result_next(const struct ra_run *run, size_t *slot,
                                 const struct ra_result *result);

#endif
