/*
 * elf.h - sections and segments of a host ELF file. This folder is the only door
 * to libelf.
 *
 * Headers are read a window at a time and translated one by one by libelf, of either
 * class and byte order; where a section lies is computed here, and its content is never
 * asked of libelf, which would hold all of it.
 *
 * Spec: ELF gABI, "ELF Header", "Section Header", "Program Header".
 */
#ifndef RA_ELF_H
#define RA_ELF_H

#include "io/source.h"

#define RA_ELF_HEAD 64 /* bytes that ra_elf_probe() wants */
#define RA_ELF_NAME 96 /* longer names of sections are cut */

enum { RA_ELF_REL = 1, RA_ELF_DYN = 3 };
enum { RA_ELF_LOAD = 1, RA_ELF_DYNAMIC = 2 }; /* segments */
enum { RA_ELF_EXECUTE = 1 };                  /* flag of a segment */
enum {
    RA_ELF_PROGBITS = 1,
    RA_ELF_NOTE = 7,
    RA_ELF_NOBITS = 8,
    RA_ELF_OFFLOADING = 0x6fff4c0b
};
enum { RA_ELF_ALLOC = 2, RA_ELF_EXECINSTR = 4 };

struct ra_elf; /* on the heap: it holds windows */

struct ra_elf_section {
    char name[RA_ELF_NAME]; /**< raw bytes, terminated */
    uint32_t type, link, info;
    uint64_t flags, address, offset, size;
    struct ra_source content; /**< empty for NOBITS */
};

/** True if `head`, the first bytes of a file, starts an ELF header. */
bool ra_elf_probe(struct ra_span head);

/**
 * Open an ELF file, as ra_elf_probe() has it; borrows `file`.
 *
 * @return RA_OK; RA_E_FORMAT for headers outside the file (told); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_elf_open(const struct ra_source *file,
                                         struct ra_diags *diags, struct ra_elf **ret);
void ra_elf_close(struct ra_elf *elf);

unsigned ra_elf_machine(const struct ra_elf *elf);
unsigned ra_elf_type(const struct ra_elf *elf);

/** Whether it is of 64 bits and little-endian. */
bool ra_elf_is_64le(const struct ra_elf *elf);

/** Number of sections; 0 if the headers were stripped. */
size_t ra_elf_section_count(const struct ra_elf *elf);

/** Section `index`; RA_E_FORMAT (told) if it lies outside the file. */
RA_MUST_CHECK enum ra_status ra_elf_section(struct ra_elf *elf, size_t index,
                                            struct ra_elf_section *ret);

struct ra_elf_segment {
    uint32_t type, flags;
    uint64_t address, offset, size; /**< size in the file */
    uint64_t memory, align;         /**< size in memory; alignment in both */
    bool inside;                    /**< the file has all of it */
    struct ra_source content;       /**< if so */
};

size_t ra_elf_segment_count(const struct ra_elf *elf);

/**
 * Segment `index`, wherever it lies.
 *
 * @return RA_OK; RA_E_FORMAT for program headers outside the file, RA_E_LIMIT for too
 *         many of them (told)
 */
RA_MUST_CHECK enum ra_status ra_elf_segment(struct ra_elf *elf, size_t index,
                                            struct ra_elf_segment *ret);

/** Where in the file `address` is, and how many bytes of its segment follow. As above. */
RA_MUST_CHECK enum ra_status ra_elf_offset(struct ra_elf *elf, uint64_t address,
                                           uint64_t *offset, uint64_t *left, bool *found);

#endif
