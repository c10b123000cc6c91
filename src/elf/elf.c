/* elf.c - headers of an ELF file: sections and segments. */
#include "elf/record.h"

#include <inttypes.h>
#include <stdlib.h>

#define SECTION_LIMIT ((uint64_t)1 << 24)
#define SEGMENT_LIMIT ((uint64_t)512) /* to look an address up in */

/* How records lie in files of either class. */
static const struct {
    Elf_Type type;
    size_t size32, size64;
} records[RA_ELF_KINDS] = {
    [RA_EHDR] = { ELF_T_EHDR, sizeof(Elf32_Ehdr), sizeof(Elf64_Ehdr) },
    [RA_SHDR] = { ELF_T_SHDR, sizeof(Elf32_Shdr), sizeof(Elf64_Shdr) },
    [RA_PHDR] = { ELF_T_PHDR, sizeof(Elf32_Phdr), sizeof(Elf64_Phdr) },
    [RA_DYN] = { ELF_T_DYN, sizeof(Elf32_Dyn), sizeof(Elf64_Dyn) },
    [RA_RELA] = { ELF_T_RELA, sizeof(Elf32_Rela), sizeof(Elf64_Rela) },
    [RA_SYM] = { ELF_T_SYM, sizeof(Elf32_Sym), sizeof(Elf64_Sym) },
};

union narrow {
    Elf32_Ehdr ehdr;
    Elf32_Shdr shdr;
    Elf32_Phdr phdr;
    Elf32_Dyn dyn;
    Elf32_Rela rela;
    Elf32_Sym sym;
};

/* ---- records ---------------------------------------------------------------- */

size_t ra_elf_record_size(const struct ra_elf *elf, enum ra_elf_kind kind)
{
    return elf->wide ? records[kind].size64 : records[kind].size32;
}

enum ra_status ra_elf_bad(struct ra_elf *elf, uint64_t offset, const char *what,
                          uint64_t number)
{
    return ra_fault(elf->diags, RA_E_FORMAT, RA_DIAG_ELF_BAD,
                    ra_source_place(&elf->file, offset), "%s (%" PRIu64 ")", what,
                    number);
}

/* Narrow records become wide ones, so that nobody else knows of two classes. */
static void widen(enum ra_elf_kind kind, const union narrow *from,
                  union ra_elf_record *ret)
{
    const Elf32_Ehdr *e = &from->ehdr;
    const Elf32_Shdr *s = &from->shdr;
    const Elf32_Phdr *p = &from->phdr;

    switch (kind) {
    case RA_EHDR:
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
    case RA_SHDR:
        ret->shdr = (Elf64_Shdr){ .sh_name = s->sh_name,
                                  .sh_type = s->sh_type,
                                  .sh_flags = s->sh_flags,
                                  .sh_addr = s->sh_addr,
                                  .sh_offset = s->sh_offset,
                                  .sh_size = s->sh_size,
                                  .sh_link = s->sh_link,
                                  .sh_info = s->sh_info };
        break;
    case RA_PHDR:
        ret->phdr = (Elf64_Phdr){ .p_type = p->p_type,
                                  .p_offset = p->p_offset,
                                  .p_vaddr = p->p_vaddr,
                                  .p_filesz = p->p_filesz,
                                  .p_memsz = p->p_memsz,
                                  .p_flags = p->p_flags,
                                  .p_align = p->p_align };
        break;
    case RA_DYN:
        ret->dyn =
            (Elf64_Dyn){ .d_tag = from->dyn.d_tag, .d_un.d_val = from->dyn.d_un.d_val };
        break;
    case RA_RELA:
        ret->rela = (Elf64_Rela){
            .r_offset = from->rela.r_offset,
            .r_info = ELF64_R_INFO((Elf64_Xword)ELF32_R_SYM(from->rela.r_info),
                                   ELF32_R_TYPE(from->rela.r_info)),
            .r_addend = from->rela.r_addend,
        };
        break;
    default:
        ret->sym = (Elf64_Sym){ .st_name = from->sym.st_name,
                                .st_info = from->sym.st_info,
                                .st_shndx = from->sym.st_shndx,
                                .st_value = from->sym.st_value };
        break;
    }
}

enum ra_status ra_elf_translate(struct ra_elf *elf, enum ra_elf_kind kind,
                                const uint8_t *bytes, union ra_elf_record *ret)
{
    size_t size = ra_elf_record_size(elf, kind);
    union narrow narrow;
    /* libelf takes a writable pointer but only reads. */
    Elf_Data from = { .d_buf = (void *)(uintptr_t)bytes, .d_size = size };
    Elf_Data into = { .d_buf = elf->wide ? (void *)ret : (void *)&narrow,
                      .d_size = size };

    from.d_type = into.d_type = records[kind].type;
    from.d_version = into.d_version = EV_CURRENT;
    if (!(elf->wide ? elf64_xlatetom(&into, &from, elf->encoding)
                    : elf32_xlatetom(&into, &from, elf->encoding)))
        return ra_elf_bad(elf, 0, elf_errmsg(-1), 0);
    if (!elf->wide)
        widen(kind, &narrow, ret);
    return RA_OK;
}

/* `size` bytes at `offset`, by way of the window. */
static enum ra_status at(struct ra_elf *elf, struct ra_elf_window *window,
                         uint64_t offset, size_t size, const uint8_t **ret)
{
    struct ra_span span;
    enum ra_status status;

    if (offset < window->start || size > window->size ||
        offset - window->start > window->size - size) {
        status = ra_source_peek(&elf->file, offset, RA_ELF_WINDOW, elf->diags,
                                window->bytes, &span);
        if (status != RA_OK)
            return status;
        window->start = offset;
        window->size = span.size;
        if (size > span.size)
            return ra_elf_bad(elf, offset, "the file ends inside its headers",
                              elf->file.size);
    }
    *ret = window->bytes + (offset - window->start);
    return RA_OK;
}

enum ra_status ra_elf_record(struct ra_elf *elf, enum ra_elf_kind kind, uint64_t table,
                             uint64_t index, union ra_elf_record *ret)
{
    size_t size = ra_elf_record_size(elf, kind);
    const uint8_t *bytes;
    enum ra_status status;

    /* Indices are below 2^32, so only the sum could wrap. */
    if (table > elf->file.size || index * size > elf->file.size - table)
        return ra_elf_bad(elf, 0, "headers lie outside the file", table);
    status = at(elf, &elf->records, table + index * size, size, &bytes);
    return status == RA_OK ? ra_elf_translate(elf, kind, bytes, ret) : status;
}

bool ra_elf_probe(struct ra_span head)
{
    return head.size >= SELFMAG && memcmp(head.data, ELFMAG, SELFMAG) == 0;
}

/* Numbers that do not fit the header stand in section 0: gABI, "Section Header". */
static enum ra_status read_extended(struct ra_elf *elf, uint64_t *names)
{
    union ra_elf_record record;
    enum ra_status status = RA_OK;

    elf->section_count = elf->header.e_shnum;
    elf->segment_count = elf->header.e_phnum;
    *names = elf->header.e_shstrndx;
    if (elf->header.e_shoff == 0)
        return elf->section_count == 0
                   ? RA_OK
                   : ra_elf_bad(elf, 0, "section headers at no offset",
                                elf->section_count);
    if (elf->header.e_shentsize != ra_elf_record_size(elf, RA_SHDR))
        return ra_elf_bad(elf, 0, "section headers of a wrong size",
                          elf->header.e_shentsize);
    status = ra_elf_record(elf, RA_SHDR, elf->header.e_shoff, 0, &record);
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
    union ra_elf_record record;
    uint64_t names, table;
    enum ra_status status = ra_elf_record(elf, RA_EHDR, 0, 0, &record);

    if (status != RA_OK)
        return status;
    elf->header = record.ehdr;
    status = read_extended(elf, &names);
    if (status != RA_OK || elf->section_count == 0)
        return status;
    table = elf->section_count * ra_elf_record_size(elf, RA_SHDR);
    if (elf->section_count > SECTION_LIMIT ||
        table > elf->file.size - elf->header.e_shoff)
        return ra_elf_bad(elf, 0, "more section headers than the file holds",
                          elf->section_count);
    if (elf->segment_count > 0 &&
        elf->header.e_phentsize != ra_elf_record_size(elf, RA_PHDR))
        return ra_elf_bad(elf, 0, "program headers of a wrong size",
                          elf->header.e_phentsize);
    if (names >= elf->section_count)
        return ra_elf_bad(elf, 0, "no section holds the names of sections", names);
    status = ra_elf_record(elf, RA_SHDR, elf->header.e_shoff, names, &record);
    if (status == RA_OK && !ra_source_sub(&elf->file, record.shdr.sh_offset,
                                          record.shdr.sh_size, &elf->names))
        status = ra_elf_bad(elf, record.shdr.sh_offset,
                            "section names lie outside the file", record.shdr.sh_size);
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
            status = ra_elf_bad(elf, EI_CLASS, "of no known class or byte order",
                                ident[EI_CLASS]);
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
    union ra_elf_record record;
    const Elf64_Shdr *header = &record.shdr;
    enum ra_status status =
        ra_elf_record(elf, RA_SHDR, elf->header.e_shoff, index, &record);

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
        return ra_elf_bad(elf,
                          elf->header.e_shoff + index * ra_elf_record_size(elf, RA_SHDR),
                          "a section lies outside the file", ret->offset);
    return RA_OK;
}

/* ---- segments --------------------------------------------------------------- */

static enum ra_status check_segments(struct ra_elf *elf)
{
    if (elf->segment_count <= SEGMENT_LIMIT)
        return RA_OK;
    return ra_fault(elf->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                    ra_source_place(&elf->file, elf->header.e_phoff),
                    "%" PRIu64 " program headers", elf->segment_count);
}

enum ra_status ra_elf_segment(struct ra_elf *elf, size_t index,
                              struct ra_elf_segment *ret)
{
    union ra_elf_record record;
    const Elf64_Phdr *header = &record.phdr;
    enum ra_status status = check_segments(elf);

    if (status == RA_OK)
        status = ra_elf_record(elf, RA_PHDR, elf->header.e_phoff, index, &record);
    if (status != RA_OK)
        return status;
    *ret = (struct ra_elf_segment){
        .type = header->p_type,
        .flags = header->p_flags,
        .address = header->p_vaddr,
        .offset = header->p_offset,
        .size = header->p_filesz,
        .memory = header->p_memsz,
        .align = header->p_align,
    };
    ret->inside =
        ra_source_sub(&elf->file, header->p_offset, header->p_filesz, &ret->content);
    return RA_OK;
}

size_t ra_elf_segment_count(const struct ra_elf *elf)
{
    return (size_t)elf->segment_count;
}

enum ra_status ra_elf_offset(struct ra_elf *elf, uint64_t address, uint64_t *offset,
                             uint64_t *left, bool *found)
{
    enum ra_status status = check_segments(elf);

    *found = false;
    for (size_t i = 0; status == RA_OK && i < elf->segment_count && !*found; i++) {
        struct ra_elf_segment segment;
        uint64_t in;

        status = ra_elf_segment(elf, i, &segment);
        if (status != RA_OK)
            return status;
        in = address - segment.address;
        if (segment.type != RA_ELF_LOAD || !segment.inside || in >= segment.size)
            continue;
        *offset = segment.offset + in; /* inside the file, as just seen */
        *left = segment.size - in;
        *found = true;
    }
    return status;
}
