#include "elf/elf.h"

#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>

#define WINDOW        ((size_t)8192)
#define SECTION_LIMIT ((uint64_t)1 << 24)
#define SEGMENT_LIMIT ((uint64_t)512) /* to look an address up in */
#define RELA_WINDOW   ((size_t)65536)

/* A part of the file, kept while reads stay inside it. */
struct window {
    uint64_t start;
    size_t size;
    uint8_t bytes[WINDOW];
};

struct ra_elf {
    struct ra_source file;
    struct ra_diags *diags;
    bool wide; /* ELFCLASS64 */
    unsigned encoding;
    Elf64_Ehdr header;
    uint64_t section_count, segment_count;
    struct ra_source names; /* of sections */
    struct window records, texts;
};

/* Records we translate; index into the tables below. */
enum record { EHDR, SHDR, PHDR, RELA, SYM, RECORDS };

static const struct {
    Elf_Type type;
    size_t size32, size64;
} records[RECORDS] = {
    [EHDR] = { ELF_T_EHDR, sizeof(Elf32_Ehdr), sizeof(Elf64_Ehdr) },
    [SHDR] = { ELF_T_SHDR, sizeof(Elf32_Shdr), sizeof(Elf64_Shdr) },
    [PHDR] = { ELF_T_PHDR, sizeof(Elf32_Phdr), sizeof(Elf64_Phdr) },
    [RELA] = { ELF_T_RELA, sizeof(Elf32_Rela), sizeof(Elf64_Rela) },
    [SYM] = { ELF_T_SYM, sizeof(Elf32_Sym), sizeof(Elf64_Sym) },
};

/* Any of them, of either class. */
union record32 {
    Elf32_Ehdr ehdr;
    Elf32_Shdr shdr;
    Elf32_Phdr phdr;
    Elf32_Rela rela;
    Elf32_Sym sym;
};

union record64 {
    Elf64_Ehdr ehdr;
    Elf64_Shdr shdr;
    Elf64_Phdr phdr;
    Elf64_Rela rela;
    Elf64_Sym sym;
};

static size_t record_size(const struct ra_elf *elf, enum record kind)
{
    return elf->wide ? records[kind].size64 : records[kind].size32;
}

static enum ra_status bad(struct ra_elf *elf, uint64_t offset, const char *what,
                          uint64_t number)
{
    return ra_fault(elf->diags, RA_E_FORMAT, RA_DIAG_ELF_BAD,
                    ra_source_place(&elf->file, offset), "%s (%" PRIu64 ")", what,
                    number);
}

/* Narrow records become wide ones, so that nobody else knows of two classes. */
static void widen(enum record kind, const union record32 *from, union record64 *ret)
{
    const Elf32_Ehdr *e = &from->ehdr;
    const Elf32_Shdr *s = &from->shdr;
    const Elf32_Phdr *p = &from->phdr;

    switch (kind) {
    case EHDR:
        ret->ehdr = (Elf64_Ehdr){ .e_type = e->e_type,
                                  .e_machine = e->e_machine,
                                  .e_phoff = e->e_phoff,
                                  .e_shoff = e->e_shoff,
                                  .e_phentsize = e->e_phentsize,
                                  .e_phnum = e->e_phnum,
                                  .e_shentsize = e->e_shentsize,
                                  .e_shnum = e->e_shnum,
                                  .e_shstrndx = e->e_shstrndx };
        break;
    case SHDR:
        ret->shdr = (Elf64_Shdr){ .sh_name = s->sh_name,
                                  .sh_type = s->sh_type,
                                  .sh_flags = s->sh_flags,
                                  .sh_addr = s->sh_addr,
                                  .sh_offset = s->sh_offset,
                                  .sh_size = s->sh_size,
                                  .sh_link = s->sh_link,
                                  .sh_info = s->sh_info };
        break;
    case PHDR:
        ret->phdr = (Elf64_Phdr){ .p_type = p->p_type,
                                  .p_offset = p->p_offset,
                                  .p_vaddr = p->p_vaddr,
                                  .p_filesz = p->p_filesz };
        break;
    case RELA:
        ret->rela = (Elf64_Rela){
            .r_offset = from->rela.r_offset,
            .r_info = ELF64_R_INFO((Elf64_Xword)ELF32_R_SYM(from->rela.r_info),
                                   ELF32_R_TYPE(from->rela.r_info)),
            .r_addend = from->rela.r_addend,
        };
        break;
    default:
        ret->sym = (Elf64_Sym){ .st_value = from->sym.st_value };
        break;
    }
}

static enum ra_status translate(struct ra_elf *elf, enum record kind,
                                const uint8_t *bytes, union record64 *ret)
{
    size_t size = record_size(elf, kind);
    union record32 narrow;
    /* libelf takes a writable pointer but only reads. */
    Elf_Data from = { .d_buf = (void *)(uintptr_t)bytes, .d_size = size };
    Elf_Data into = { .d_buf = elf->wide ? (void *)ret : (void *)&narrow,
                      .d_size = size };

    from.d_type = into.d_type = records[kind].type;
    from.d_version = into.d_version = EV_CURRENT;
    if (!(elf->wide ? elf64_xlatetom(&into, &from, elf->encoding)
                    : elf32_xlatetom(&into, &from, elf->encoding)))
        return bad(elf, 0, elf_errmsg(-1), 0);
    if (!elf->wide)
        widen(kind, &narrow, ret);
    return RA_OK;
}

/* `size` bytes at `offset`, by way of the window. */
static enum ra_status at(struct ra_elf *elf, struct window *window, uint64_t offset,
                         size_t size, const uint8_t **ret)
{
    struct ra_span span;
    enum ra_status status;

    if (offset < window->start || size > window->size ||
        offset - window->start > window->size - size) {
        status =
            ra_source_peek(&elf->file, offset, WINDOW, elf->diags, window->bytes, &span);
        if (status != RA_OK)
            return status;
        window->start = offset;
        window->size = span.size;
        if (size > span.size)
            return bad(elf, offset, "the file ends inside its headers", elf->file.size);
    }
    *ret = window->bytes + (offset - window->start);
    return RA_OK;
}

static enum ra_status read_record(struct ra_elf *elf, enum record kind, uint64_t table,
                                  uint64_t index, union record64 *ret)
{
    size_t size = record_size(elf, kind);
    const uint8_t *bytes;
    enum ra_status status;

    /* Indices are below 2^32, so only the sum could wrap. */
    if (table > elf->file.size || index * size > elf->file.size - table)
        return bad(elf, 0, "headers lie outside the file", table);
    status = at(elf, &elf->records, table + index * size, size, &bytes);
    return status == RA_OK ? translate(elf, kind, bytes, ret) : status;
}

bool ra_elf_probe(struct ra_span head)
{
    return head.size >= EI_NIDENT && memcmp(head.data, ELFMAG, SELFMAG) == 0;
}

/* Numbers that do not fit the header stand in section 0: gABI, "Section Header". */
static enum ra_status read_extended(struct ra_elf *elf, uint64_t *names)
{
    union record64 record;
    enum ra_status status = RA_OK;

    elf->section_count = elf->header.e_shnum;
    elf->segment_count = elf->header.e_phnum;
    *names = elf->header.e_shstrndx;
    if (elf->header.e_shoff == 0)
        return elf->section_count == 0
                   ? RA_OK
                   : bad(elf, 0, "section headers at no offset", elf->section_count);
    if (elf->header.e_shentsize != record_size(elf, SHDR))
        return bad(elf, 0, "section headers of a wrong size", elf->header.e_shentsize);
    status = read_record(elf, SHDR, elf->header.e_shoff, 0, &record);
    if (status != RA_OK)
        return status;
    if (elf->section_count == 0)
        elf->section_count = record.shdr.sh_size;
    if (*names == SHN_XINDEX)
        *names = record.shdr.sh_link;
    if (elf->segment_count == PN_XNUM)
        elf->segment_count = record.shdr.sh_info;
    return RA_OK;
}

static enum ra_status read_headers(struct ra_elf *elf)
{
    union record64 record;
    uint64_t names, table;
    enum ra_status status = read_record(elf, EHDR, 0, 0, &record);

    if (status != RA_OK)
        return status;
    elf->header = record.ehdr;
    status = read_extended(elf, &names);
    if (status != RA_OK || elf->section_count == 0)
        return status;
    table = elf->section_count * record_size(elf, SHDR);
    if (elf->section_count > SECTION_LIMIT ||
        table > elf->file.size - elf->header.e_shoff)
        return bad(elf, 0, "more section headers than the file holds",
                   elf->section_count);
    if (elf->segment_count > 0 && elf->header.e_phentsize != record_size(elf, PHDR))
        return bad(elf, 0, "program headers of a wrong size", elf->header.e_phentsize);
    if (names >= elf->section_count)
        return bad(elf, 0, "no section holds the names of sections", names);
    status = read_record(elf, SHDR, elf->header.e_shoff, names, &record);
    if (status == RA_OK && !ra_source_sub(&elf->file, record.shdr.sh_offset,
                                          record.shdr.sh_size, &elf->names))
        status = bad(elf, record.shdr.sh_offset, "section names lie outside the file",
                     record.shdr.sh_size);
    return status;
}

enum ra_status ra_elf_open(const struct ra_source *file, struct ra_diags *diags,
                           struct ra_elf **ret)
{
    struct ra_elf *elf = malloc(sizeof(*elf));
    uint8_t ident[EI_NIDENT];
    enum ra_status status;

    if (!elf)
        return RA_E_NOMEM;
    /* The windows are written before they are read. */
    memset(elf, 0, offsetof(struct ra_elf, records));
    elf->records.start = elf->texts.start = 0;
    elf->records.size = elf->texts.size = 0;
    elf->file = *file;
    elf->diags = diags;
    (void)elf_version(EV_CURRENT);
    status = ra_source_read(file, 0, sizeof(ident), diags, ident);
    if (status == RA_OK) {
        elf->wide = ident[EI_CLASS] == ELFCLASS64;
        elf->encoding = ident[EI_DATA];
        if ((!elf->wide && ident[EI_CLASS] != ELFCLASS32) ||
            (elf->encoding != ELFDATA2LSB && elf->encoding != ELFDATA2MSB))
            status =
                bad(elf, EI_CLASS, "of no known class or byte order", ident[EI_CLASS]);
    }
    if (status == RA_OK)
        status = read_headers(elf);
    if (status != RA_OK)
        free(elf);
    else
        *ret = elf;
    return status;
}

void ra_elf_close(struct ra_elf *elf)
{
    free(elf);
}

unsigned ra_elf_machine(const struct ra_elf *elf)
{
    return elf->header.e_machine;
}

unsigned ra_elf_type(const struct ra_elf *elf)
{
    return elf->header.e_type;
}

bool ra_elf_is_64le(const struct ra_elf *elf)
{
    return elf->wide && elf->encoding == ELFDATA2LSB;
}

size_t ra_elf_section_count(const struct ra_elf *elf)
{
    return (size_t)elf->section_count;
}

static enum ra_status read_name(struct ra_elf *elf, uint64_t offset,
                                char ret[RA_ELF_NAME])
{
    uint64_t left = offset < elf->names.size ? elf->names.size - offset : 0;
    size_t size = left < RA_ELF_NAME - 1 ? (size_t)left : RA_ELF_NAME - 1;
    const uint8_t *bytes;
    enum ra_status status;

    *ret = '\0';
    if (size == 0)
        return RA_OK;
    status =
        at(elf, &elf->texts, elf->names.base - elf->file.base + offset, size, &bytes);
    if (status != RA_OK)
        return status;
    size = strnlen((const char *)bytes, size);
    memcpy(ret, bytes, size);
    ret[size] = '\0';
    return RA_OK;
}

enum ra_status ra_elf_section(struct ra_elf *elf, size_t index,
                              struct ra_elf_section *ret)
{
    union record64 record;
    const Elf64_Shdr *header = &record.shdr;
    enum ra_status status = read_record(elf, SHDR, elf->header.e_shoff, index, &record);

    if (status != RA_OK)
        return status;
    *ret = (struct ra_elf_section){
        .type = header->sh_type,
        .link = header->sh_link,
        .info = header->sh_info,
        .flags = header->sh_flags,
        .address = header->sh_addr,
        .offset = header->sh_offset,
        .size = header->sh_size,
    };
    status = read_name(elf, header->sh_name, ret->name);
    if (status != RA_OK)
        return status;
    if (ret->type == SHT_NOBITS || ret->type == SHT_NULL)
        ret->content = ra_source_from(&elf->file, elf->file.size);
    else if (!ra_source_sub(&elf->file, ret->offset, ret->size, &ret->content))
        return bad(elf, elf->header.e_shoff + index * record_size(elf, SHDR),
                   "a section lies outside the file", ret->offset);
    return RA_OK;
}

enum ra_status ra_elf_offset(struct ra_elf *elf, uint64_t address, uint64_t *offset,
                             uint64_t *left, bool *found)
{
    union record64 record;
    const Elf64_Phdr *segment = &record.phdr;
    enum ra_status status = RA_OK;

    *found = false;
    if (elf->segment_count > SEGMENT_LIMIT)
        return ra_fault(elf->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&elf->file, elf->header.e_phoff),
                        "%" PRIu64 " program headers", elf->segment_count);
    for (uint64_t i = 0; i < elf->segment_count && !*found; i++) {
        uint64_t in;

        status = read_record(elf, PHDR, elf->header.e_phoff, i, &record);
        if (status != RA_OK)
            return status;
        in = address - segment->p_vaddr;
        if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
            in >= segment->p_filesz || segment->p_offset > elf->file.size ||
            segment->p_filesz > elf->file.size - segment->p_offset)
            continue;
        *offset = segment->p_offset + in; /* inside the file, as just seen */
        *left = segment->p_filesz - in;
        *found = true;
    }
    return status;
}

/* ---- relocations ------------------------------------------------------------ */

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

bool ra_elf_stores_address(const struct ra_elf *elf, uint32_t type)
{
    for (size_t i = 0; i < RA_COUNT(address_types); i++)
        if (address_types[i].machine == elf->header.e_machine)
            return type == address_types[i].relative || type == address_types[i].absolute;
    return false;
}

static enum ra_status add_symbol(struct ra_elf *elf, const struct ra_elf_section *section,
                                 struct ra_elf_rela *rela)
{
    struct ra_elf_section symbols;
    union record64 record;
    enum ra_status status;

    if (rela->symbol == 0)
        return RA_OK;
    status =
        section->link < elf->section_count
            ? ra_elf_section(elf, section->link, &symbols)
            : bad(elf, section->offset, "relocations without symbols", section->link);
    if (status == RA_OK && rela->symbol >= symbols.content.size / record_size(elf, SYM))
        status = bad(elf, symbols.offset, "a relocation of no symbol", rela->symbol);
    if (status == RA_OK)
        status = read_record(elf, SYM, symbols.offset, rela->symbol, &record);
    if (status == RA_OK)
        rela->value += record.sym.st_value;
    return status;
}

enum ra_status ra_elf_relocations(struct ra_elf *elf,
                                  const struct ra_elf_section *section, uint64_t start,
                                  uint64_t end,
                                  bool (*each)(void *arg, const struct ra_elf_rela *rela),
                                  void *arg)
{
    size_t size = record_size(elf, RELA), at_once = RELA_WINDOW / size;
    uint64_t count = section->content.size / size;
    uint8_t *bytes = malloc(RELA_WINDOW);
    enum ra_status status = bytes ? RA_OK : RA_E_NOMEM;
    bool more = true;

    for (uint64_t i = 0; status == RA_OK && more && i < count; i++) {
        union record64 record;
        struct ra_elf_rela rela;
        struct ra_span span;

        if (i % at_once == 0)
            status = ra_source_peek(&section->content, i * size, at_once * size,
                                    elf->diags, bytes, &span);
        if (status == RA_OK)
            status = translate(elf, RELA, bytes + i % at_once * size, &record);
        if (status != RA_OK || record.rela.r_offset < start ||
            record.rela.r_offset >= end)
            continue;
        rela = (struct ra_elf_rela){
            .where = record.rela.r_offset,
            .value = (uint64_t)record.rela.r_addend,
            .type = (uint32_t)ELF64_R_TYPE(record.rela.r_info),
            .symbol = (uint32_t)ELF64_R_SYM(record.rela.r_info),
        };
        status = add_symbol(elf, section, &rela);
        more = status == RA_OK && each(arg, &rela);
    }
    free(bytes);
    return status;
}
