/*
 * host.h - a host file on its way: what its format says of sections and addresses.
 *
 * host_elf.c fills it from ELF files, host_pe.c from those of Windows; host.c goes on
 * from there, whatever the format.
 */
#ifndef RA_HOST_H
#define RA_HOST_H

#include "audit/hunt.h"
#include "audit/scan.h"
#include "audit/search.h"
#include "bundle/wrapper.h"

/** A section or segment. */
struct ra_host_area {
    struct ra_source content;
    uint64_t address; /**< where it is loaded; 0 if it is not linked */
};

#define RA_HOST_AREAS 1024 /* sections of a kind in a file */

struct ra_host_areas {
    struct ra_host_area *list; /**< in the arena of the file */
    size_t count;
};

struct ra_host {
    struct ra_scan *scan;
    struct ra_hunt *hunt;          /**< of a forward source; else NULL */
    struct ra_host_areas fatbins;  /**< of bundles */
    struct ra_host_areas wrappers; /**< that register them */
    struct ra_host_areas offloads; /**< of OffloadBinary blobs */
    struct ra_part *parts;         /**< named after entry IDs: not linked yet */
    size_t part_count;
    struct ra_host_area reference; /**< to .kpack archives, for what is not linked */
    bool has_reference;
    uint64_t nobits; /**< a device code section that holds no bytes, or 0 */
    bool has_cuda;
    bool linked;  /**< else nothing has an address */
    bool is_64le; /**< as all hosts that ROCm runs on: wrappers are read as theirs */
    size_t in_sections; /**< bundles that sections of their own hold */
    uint64_t taken;     /**< bytes of device code sections */
    struct ra_search search;

    void *file; /**< of the format */
    /** Find where in the file wrappers point to; they are sorted by their own address. */
    enum ra_status (*resolve)(struct ra_host *host, struct ra_wrapper *wrappers,
                              size_t count);
    /** ra_search() all areas that may hold code no section tells of. */
    enum ra_status (*search_all)(struct ra_host *host);

    bool referred; /**< to .kpack archives, from `referred_at` */
    uint64_t referred_at;
    enum ra_status reference_status; /**< of reading that */
};

/** Add a section to a list; RA_E_LIMIT (told) for too many, or for too many bytes. */
RA_MUST_CHECK enum ra_status ra_host_take(struct ra_host *host,
                                          struct ra_host_areas *areas,
                                          const struct ra_source *content,
                                          uint64_t address);

#define RA_HOST_RDC "__CLANG_OFFLOAD_BUNDLE__" /* before the ID, in names of sections */

/** The entry ID that a section is named after; NULL for none, or for one of Intel's. */
const char *ra_host_entry_id(const char *section);

/** Add a section that is named after an entry ID. */
RA_MUST_CHECK enum ra_status
ra_host_take_part(struct ra_host *host, const struct ra_source *content, const char *id);

/** Read all device code, once the sections are listed. */
RA_MUST_CHECK enum ra_status ra_host_read(struct ra_host *host);

/* ---- host_wrappers.c -------------------------------------------------------- */

/**
 * Every wrapper must lead to a bundle. Before a link, where none has an address, the
 * numbers must do. Leaves in the file's layout what does not add up.
 */
RA_MUST_CHECK enum ra_status ra_host_check_wrappers(struct ra_host *host);

/* ---- host_pe.c -------------------------------------------------------------- */

RA_MUST_CHECK enum ra_status ra_host_scan_pe(struct ra_scan *scan, struct ra_hunt *hunt);

/* ---- host_elf.c ------------------------------------------------------------- */

RA_MUST_CHECK enum ra_status ra_host_scan_elf(struct ra_scan *scan, struct ra_hunt *hunt);

struct ra_elf;

/** `resolve` of an ELF file; RA_E_FORMAT, RA_E_LIMIT (told) for damaged tables. */
RA_MUST_CHECK enum ra_status
ra_host_resolve_elf(struct ra_elf *elf, struct ra_wrapper *wrappers, size_t count);

#endif
