/*
 * image.h - the ELF header and segments of a code object.
 *
 * What the loader goes by; of section headers, which may be stripped, only where they
 * should be. Only 64-bit little-endian files can be code objects, so libelf is not needed
 * here.
 *
 * Spec: ELF gABI, "ELF Header" and "Program Header"; AMDGPUUsage, "ELF Code Object".
 */
#ifndef RA_IMAGE_H
#define RA_IMAGE_H

#include "io/source.h"

#define RA_IMAGE_SEGMENTS 64 /* lld writes nine */

enum { RA_ET_REL = 1, RA_ET_DYN = 3, RA_EM_AMDGPU = 224 };
enum { RA_OSABI_HSA = 0x40 };
enum { RA_PT_LOAD = 1, RA_PT_DYNAMIC = 2, RA_PT_NOTE = 4 };

struct ra_segment {
    uint32_t type;
    uint64_t offset, address, size; /**< in the file; in memory; bytes in the file */
    bool is_code;                   /**< it may be executed */
};

struct ra_image {
    struct ra_source source;
    unsigned osabi, abi_version, type, machine;
    uint32_t flags;
    uint64_t section_headers; /**< offset: not checked, as no loader reads them */
    size_t section_count, section_names;
    struct ra_segment segments[RA_IMAGE_SEGMENTS];
    size_t segment_count;
};

/** What the first bytes of an entry are. */
enum ra_content ra_content_of(struct ra_span head);

/**
 * Read header and segments of what ra_content_of() calls a code object.
 *
 * @return RA_OK; RA_E_FORMAT for segments outside the file, RA_E_LIMIT for too many
 */
RA_MUST_CHECK enum ra_status ra_image_read(const struct ra_source *source,
                                           struct ra_diags *diags, struct ra_image *ret);

/** How far the file reaches by its segments and section headers; 0: by none of them. */
uint64_t ra_image_extent(const struct ra_image *image);

/** The first segment of a type, or NULL. */
const struct ra_segment *ra_image_segment(const struct ra_image *image, uint32_t type);

/** Where in the file `size` bytes at `address` are; false if no segment has them. */
RA_MUST_CHECK bool ra_image_offset(const struct ra_image *image, uint64_t address,
                                   uint64_t size, uint64_t *ret);

#endif
