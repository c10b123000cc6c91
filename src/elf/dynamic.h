/*
 * dynamic.h - what the system's loader is told of a linked file: the dynamic section.
 *
 * The loader finds it by the program headers, and never looks at section headers, which
 * may be stripped; so do we.
 *
 * Spec: ELF gABI, "Dynamic Section", "Relocation", "Symbol Table"; the psABI of each
 * machine for types of relocations. What DT_RELR relocates holds its address already.
 */
#ifndef RA_DYNAMIC_H
#define RA_DYNAMIC_H

#include "elf/elf.h"

struct ra_elf_dynamic {
    bool found;                      /**< else it is not linked, or all static */
    struct ra_source entries;        /**< up to DT_NULL or the end */
    struct ra_source relocations[2]; /**< DT_RELA, DT_JMPREL; empty: none */
    struct ra_source symbols;        /**< from the first to the end of their segment */
    struct ra_source strings;
};

/** RA_OK; RA_E_FORMAT, RA_E_LIMIT (told) if a table is not where it should be. */
RA_MUST_CHECK enum ra_status ra_elf_dynamic(struct ra_elf *elf,
                                            struct ra_elf_dynamic *ret);

/** An address that the loader writes. */
struct ra_elf_pointer {
    uint64_t where; /**< it is written to this address */
    uint64_t value; /**< as if the file was loaded at address 0 */
    bool known;     /**< else it is of a symbol that another file defines */
};

/**
 * Call `each` for all addresses that relocations write inside [start, end).
 *
 * @return RA_OK; RA_E_FORMAT (told) for damaged tables; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status
ra_elf_pointers(struct ra_elf *elf, const struct ra_elf_dynamic *dynamic, uint64_t start,
                uint64_t end,
                void (*each)(void *arg, const struct ra_elf_pointer *pointer), void *arg);

#define RA_ELF_SYMBOL 1024 /* bytes of a symbol's name; longer ones are passed over */

/**
 * Call `each` for the dynamic symbols, as section headers tell of them, whose names have
 * `part` in them. Names are raw bytes; a weak symbol counts as defined.
 *
 * @return what `each` returned, if that is not RA_OK; RA_E_FORMAT (told); RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status
ra_elf_symbols(struct ra_elf *elf, const char *part,
               enum ra_status (*each)(void *arg, const char *name, bool defined),
               void *arg);

#endif
