/*
 * record.h - what the files of this folder share: an open ELF file and its records.
 *
 * Records of either class and byte order are read through a window, translated by libelf
 * and widened, so that nobody else knows of two classes.
 */
#ifndef RA_RECORD_H
#define RA_RECORD_H

#include "elf/elf.h"

#include <libelf.h>

#define RA_ELF_WINDOW ((size_t)8192)

struct ra_elf {
    struct ra_source file;
    struct ra_diags *diags;
    bool wide; /**< ELFCLASS64 */
    unsigned encoding;
    Elf64_Ehdr header;
    uint64_t section_count, segment_count;
    struct ra_source names; /**< of sections */
    /** A part of the file, kept while reads stay inside it. */
    struct ra_elf_window {
        uint64_t start;
        size_t size;
        uint8_t bytes[RA_ELF_WINDOW];
    } records, texts;
};

enum ra_elf_kind { RA_EHDR, RA_SHDR, RA_PHDR, RA_DYN, RA_RELA, RA_SYM, RA_ELF_KINDS };

union ra_elf_record {
    Elf64_Ehdr ehdr;
    Elf64_Shdr shdr;
    Elf64_Phdr phdr;
    Elf64_Dyn dyn;
    Elf64_Rela rela;
    Elf64_Sym sym;
};

/** Bytes of a record in this file. */
size_t ra_elf_record_size(const struct ra_elf *elf, enum ra_elf_kind kind);

/** Record `index`, below 2^32, of a table at offset `table`; RA_E_FORMAT (told) outside.
 */
RA_MUST_CHECK enum ra_status ra_elf_record(struct ra_elf *elf, enum ra_elf_kind kind,
                                           uint64_t table, uint64_t index,
                                           union ra_elf_record *ret);

/** The same of bytes that were read already. */
RA_MUST_CHECK enum ra_status ra_elf_translate(struct ra_elf *elf, enum ra_elf_kind kind,
                                              const uint8_t *bytes,
                                              union ra_elf_record *ret);

/** Tell that the file is damaged at `offset`. RA_E_FORMAT. */
enum ra_status ra_elf_bad(struct ra_elf *elf, uint64_t offset, const char *what,
                          uint64_t number);

#endif
