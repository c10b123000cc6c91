/*
 * pe.h - sections of a Windows file: a PE image (.dll, .pyd, .exe) or a COFF object.
 *
 * Both have a table of sections that is read a window at a time. An image is what the
 * loader maps: its sections have addresses, their bytes are padded in the file, and their
 * names are cut to eight bytes by most linkers. Of an object, nothing has an address yet,
 * and longer names stand in a string table at its end. Addresses in the bytes of an image
 * count from the ImageBase it prefers: a base relocation adds to what is there already,
 * so that none needs to be applied to find what they point at.
 *
 * Spec: Microsoft, "PE Format"; of names in base 64 and of /bigobj, which it leaves out,
 * llvm/lib/Object/COFFObjectFile.cpp and ANON_OBJECT_HEADER_BIGOBJ of winnt.h.
 */
#ifndef RA_PE_H
#define RA_PE_H

#include "io/source.h"

#define RA_PE_HEAD 64 /* bytes that the probes want */
#define RA_PE_NAME 96 /* longer names of sections are cut */

enum ra_pe_machine {
    RA_PE_I386 = 0x014c,
    RA_PE_AMD64 = 0x8664,
    RA_PE_ARM64 = 0xaa64,
};

enum { RA_PE_UNINITIALIZED = 0x80 }; /* of characteristics: holds no bytes, in objects */

struct ra_pe; /* on the heap: it holds windows */

struct ra_pe_section {
    char name[RA_PE_NAME]; /**< raw bytes, terminated */
    uint32_t address;      /**< RVA: counts from ImageBase; 0 in objects */
    uint32_t virtual_size; /**< bytes when loaded, the rest being zeros; 0 in objects */
    uint32_t raw_offset;   /**< in the file; 0: no bytes */
    uint32_t raw_size;     /**< bytes in the file, of images with their padding */
    uint32_t characteristics;
    struct ra_source content; /**< without padding; empty for uninitialised data */
};

/** True if `head`, the first bytes of a file, is of a DOS file that leads to a PE one. */
bool ra_pe_probe(struct ra_span head);

/**
 * True if `head`, the first bytes of a file, is that of a COFF object for a machine we
 * know. There is no magic, so all that stands there must make sense.
 */
bool ra_coff_probe(struct ra_span head);

/**
 * Open a file, as one of the probes has it; borrows `file`. An object that costs to go
 * back in is held.
 *
 * @return RA_OK; RA_E_FORMAT for damaged headers, RA_E_LIMIT for too many sections
 *         (told); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_pe_open(const struct ra_source *file,
                                        struct ra_diags *diags, struct ra_pe **ret);
void ra_pe_close(struct ra_pe *pe);

/** An enum ra_pe_machine, or another number that the format has for one. */
unsigned ra_pe_machine(const struct ra_pe *pe);

/** Whether it is an image, which was linked, and no object. */
bool ra_pe_is_image(const struct ra_pe *pe);

size_t ra_pe_section_count(const struct ra_pe *pe);

/**
 * Section `index`, from 0.
 *
 * @return RA_OK; RA_E_FORMAT (told) if its bytes lie outside the file, or its name
 *         outside the string table
 */
RA_MUST_CHECK enum ra_status ra_pe_section(struct ra_pe *pe, size_t index,
                                           struct ra_pe_section *ret);

/**
 * Where in the file `address` is, which counts in ImageBase, and how many bytes of its
 * section follow. In an object nothing is found.
 *
 * @return RA_OK; the status of a failed read (told)
 */
RA_MUST_CHECK enum ra_status ra_pe_offset(struct ra_pe *pe, uint64_t address,
                                          uint64_t *offset, uint64_t *left, bool *found);

#endif
