/* dynamic.c - the dynamic section: relocations, symbols, and what a file needs. */
#include "elf/dynamic.h"

#include "elf/record.h"

#include <inttypes.h>
#include <stdlib.h>

#define ENTRY_LIMIT 65536 /* rows of a dynamic section; linkers write some thirty */
#define WINDOW      ((size_t)65536)

/* ---- the section ------------------------------------------------------------ */

static enum ra_status find_segment(struct ra_elf *elf, struct ra_elf_dynamic *dynamic)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_elf_segment_count(elf); i++) {
        struct ra_elf_segment segment;

        status = ra_elf_segment(elf, i, &segment);
        if (status != RA_OK || segment.type != RA_ELF_DYNAMIC)
            continue;
        if (!segment.inside)
            return ra_elf_bad(elf, segment.offset, "the dynamic section lies outside",
                              segment.size);
        dynamic->found = true;
        dynamic->entries = segment.content;
        return RA_OK;
    }
    return status;
}

/* Call `each` for all rows before DT_NULL. */
static enum ra_status walk(struct ra_elf *elf, const struct ra_elf_dynamic *dynamic,
                           void (*each)(void *arg, const Elf64_Dyn *row), void *arg)
{
    uint64_t count = dynamic->entries.size / ra_elf_record_size(elf, RA_DYN);
    uint64_t table = dynamic->entries.base - elf->file.base;
    enum ra_status status = RA_OK;

    for (uint64_t i = 0; status == RA_OK && i < count && i < ENTRY_LIMIT; i++) {
        union ra_elf_record record;

        status = ra_elf_record(elf, RA_DYN, table, i, &record);
        if (status == RA_OK && record.dyn.d_tag == DT_NULL)
            break;
        if (status == RA_OK)
            each(arg, &record.dyn);
    }
    return status;
}

/* What rows say: addresses and sizes. */
struct rows {
    uint64_t rela, rela_size, plt, plt_size, symbols, strings, strings_size;
};

static void take(void *arg, const Elf64_Dyn *row)
{
    struct rows *rows = arg;
    uint64_t value = row->d_un.d_val;

    switch (row->d_tag) {
    case DT_RELA:
        rows->rela = value;
        break;
    case DT_RELASZ:
        rows->rela_size = value;
        break;
    case DT_JMPREL:
        rows->plt = value;
        break;
    case DT_PLTRELSZ:
        rows->plt_size = value;
        break;
    case DT_SYMTAB:
        rows->symbols = value;
        break;
    case DT_STRTAB:
        rows->strings = value;
        break;
    case DT_STRSZ:
        rows->strings_size = value;
        break;
    default:
        break;
    }
}

/* The bytes at an address: `size`, or, for UINT64_MAX, to the end of the segment. */
static enum ra_status bytes_at(struct ra_elf *elf, uint64_t address, uint64_t size,
                               const char *what, struct ra_source *ret)
{
    uint64_t offset, left;
    bool found;
    enum ra_status status = RA_OK;

    *ret = ra_source_from(&elf->file, elf->file.size);
    if (address == 0 || size == 0)
        return RA_OK;
    status = ra_elf_offset(elf, address, &offset, &left, &found);
    if (status != RA_OK)
        return status;
    if (!found || (size != UINT64_MAX && size > left))
        return ra_elf_bad(elf, 0, what, address);
    if (!ra_source_sub(&elf->file, offset, size == UINT64_MAX ? left : size, ret))
        return ra_elf_bad(elf, offset, what, size);
    return RA_OK;
}

enum ra_status ra_elf_dynamic(struct ra_elf *elf, struct ra_elf_dynamic *ret)
{
    struct rows rows = { 0 };
    enum ra_status status;

    *ret = (struct ra_elf_dynamic){ 0 };
    status = find_segment(elf, ret);
    if (status != RA_OK || !ret->found)
        return status;
    status = walk(elf, ret, take, &rows);
    if (status == RA_OK)
        status = bytes_at(elf, rows.rela, rows.rela_size,
                          "no segment holds its relocations", &ret->relocations[0]);
    if (status == RA_OK)
        status = bytes_at(elf, rows.plt, rows.plt_size,
                          "no segment holds its relocations", &ret->relocations[1]);
    if (status == RA_OK)
        status = bytes_at(elf, rows.symbols, UINT64_MAX, "no segment holds its symbols",
                          &ret->symbols);
    if (status == RA_OK)
        status = bytes_at(elf, rows.strings, rows.strings_size,
                          "no segment holds its strings", &ret->strings);
    return status;
}

/* ---- pointers --------------------------------------------------------------- */

/* psABI supplements: a relative address, and an absolute one of a symbol. */
static const struct {
    unsigned machine;
    uint32_t relative, absolute;
} address_types[] = {
    { EM_X86_64, R_X86_64_RELATIVE, R_X86_64_64 },
    { EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_ABS64 },
    { EM_PPC64, R_PPC64_RELATIVE, R_PPC64_ADDR64 },
    { EM_RISCV, R_RISCV_RELATIVE, R_RISCV_64 },
};

static bool stores_address(const struct ra_elf *elf, uint64_t type)
{
    for (size_t i = 0; i < RA_COUNT(address_types); i++)
        if (address_types[i].machine == elf->header.e_machine)
            return type == address_types[i].relative || type == address_types[i].absolute;
    return false;
}

/* Relocations under way. */
struct job {
    struct ra_elf *elf;
    const struct ra_elf_dynamic *dynamic;
    uint64_t start, end;
    void (*each)(void *arg, const struct ra_elf_pointer *pointer);
    void *arg;
};

static enum ra_status add_symbol(struct job *job, uint64_t index,
                                 struct ra_elf_pointer *pointer)
{
    struct ra_elf *elf = job->elf;
    const struct ra_source *symbols = &job->dynamic->symbols;
    union ra_elf_record record;
    enum ra_status status;

    if (index >= symbols->size / ra_elf_record_size(elf, RA_SYM))
        return ra_elf_bad(elf, symbols->base - elf->file.base,
                          "a relocation of no symbol", index);
    status = ra_elf_record(elf, RA_SYM, symbols->base - elf->file.base, index, &record);
    if (status != RA_OK)
        return status;
    pointer->known = record.sym.st_shndx != SHN_UNDEF;
    pointer->value += record.sym.st_value;
    return RA_OK;
}

static enum ra_status apply(struct job *job, const Elf64_Rela *rela)
{
    struct ra_elf_pointer pointer = { .where = rela->r_offset,
                                      .value = (uint64_t)rela->r_addend,
                                      .known = true };
    uint64_t symbol = ELF64_R_SYM(rela->r_info);
    enum ra_status status = RA_OK;

    if (!stores_address(job->elf, ELF64_R_TYPE(rela->r_info)))
        return RA_OK;
    if (symbol != 0)
        status = add_symbol(job, symbol, &pointer);
    if (status == RA_OK)
        job->each(job->arg, &pointer);
    return status;
}

static enum ra_status relocate(struct job *job, const struct ra_source *table,
                               uint8_t *window)
{
    struct ra_elf *elf = job->elf;
    size_t size = ra_elf_record_size(elf, RA_RELA), at_once = WINDOW / size;
    uint64_t count = table->size / size;
    enum ra_status status = RA_OK;

    for (uint64_t i = 0; status == RA_OK && i < count; i++) {
        union ra_elf_record record;
        struct ra_span span;

        if (i % at_once == 0)
            status = ra_source_peek(table, i * size, at_once * size, elf->diags, window,
                                    &span);
        if (status == RA_OK)
            status = ra_elf_translate(elf, RA_RELA, window + i % at_once * size, &record);
        if (status == RA_OK && record.rela.r_offset >= job->start &&
            record.rela.r_offset < job->end)
            status = apply(job, &record.rela);
    }
    return status;
}

enum ra_status
ra_elf_pointers(struct ra_elf *elf, const struct ra_elf_dynamic *dynamic, uint64_t start,
                uint64_t end,
                void (*each)(void *arg, const struct ra_elf_pointer *pointer), void *arg)
{
    struct job job = { elf, dynamic, start, end, each, arg };
    uint8_t *window;
    enum ra_status status = RA_OK;

    if (!dynamic->found)
        return RA_OK;
    window = malloc(WINDOW);
    if (!window)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < RA_COUNT(dynamic->relocations); i++)
        status = relocate(&job, &dynamic->relocations[i], window);
    free(window);
    return status;
}

/* ---- symbols ---------------------------------------------------------------- */

/* The strings whole: names are looked for in them, which finds most files without any. */
static enum ra_status read_strings(struct ra_elf *elf,
                                   const struct ra_elf_section *symbols, uint8_t **ret,
                                   uint64_t *size)
{
    struct ra_elf_section strings;
    enum ra_status status;

    *ret = NULL;
    *size = 0;
    if (symbols->link >= ra_elf_section_count(elf))
        return ra_elf_bad(elf, symbols->offset, "symbols without names", symbols->link);
    status = ra_elf_section(elf, symbols->link, &strings);
    if (status != RA_OK)
        return status;
    *size = strings.content.size;
    *ret = malloc(*size + 1);
    if (!*ret)
        return RA_E_NOMEM;
    (*ret)[*size] = 0;
    return ra_source_read(&strings.content, 0, *size, elf->diags, *ret);
}

static enum ra_status
name_symbols(struct ra_elf *elf, const struct ra_elf_section *symbols,
             const uint8_t *strings, uint64_t size, const char *part,
             enum ra_status (*each)(void *arg, const char *name, bool defined), void *arg)
{
    uint64_t count = symbols->content.size / ra_elf_record_size(elf, RA_SYM);
    enum ra_status status = RA_OK;

    for (uint64_t i = 1; status == RA_OK && i < count; i++) {
        union ra_elf_record record;
        const char *name;

        status = ra_elf_record(elf, RA_SYM, symbols->offset, i, &record);
        if (status != RA_OK || record.sym.st_name >= size)
            continue;
        name = (const char *)strings + record.sym.st_name;
        if (strnlen(name, RA_ELF_SYMBOL) < RA_ELF_SYMBOL && strstr(name, part))
            status = each(arg, name,
                          record.sym.st_shndx != SHN_UNDEF ||
                              ELF64_ST_BIND(record.sym.st_info) == STB_WEAK);
    }
    return status;
}

enum ra_status ra_elf_symbols(struct ra_elf *elf, const char *part,
                              enum ra_status (*each)(void *arg, const char *name,
                                                     bool defined),
                              void *arg)
{
    struct ra_elf_section section = { 0 };
    uint8_t *strings;
    uint64_t size;
    enum ra_status status = RA_OK;

    for (size_t i = 1; status == RA_OK && i < ra_elf_section_count(elf); i++) {
        status = ra_elf_section(elf, i, &section);
        if (status == RA_OK && section.type == SHT_DYNSYM)
            break;
    }
    if (status != RA_OK || section.type != SHT_DYNSYM)
        return status;
    status = read_strings(elf, &section, &strings, &size);
    if (status == RA_OK && memmem(strings, size, part, strlen(part)))
        status = name_symbols(elf, &section, strings, size, part, each, arg);
    free(strings);
    return status;
}
