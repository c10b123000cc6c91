#include "pe/pe.h"

#include <inttypes.h>
#include <stdlib.h>

#define WINDOW ((size_t)8192)

/* Sizes and offsets: "PE Format", and ANON_OBJECT_HEADER_BIGOBJ of winnt.h. */
enum {
    LFANEW_AT = 0x3c, /* where the PE signature is */
    SIGNATURE = 4,
    FILE_HEADER = 20,
    BIG_HEADER = 56,
    SECTION_HEADER = 40,
    SHORT_NAME = 8,
    SYMBOL = 18,
    BIG_SYMBOL = 20,
    OPTIONAL_PART = 40, /* as much of an optional header as we read */
};

#define LFANEW_LIMIT  ((uint32_t)256 << 20) /* RTL_IMAGE_MAX_DOS_HEADER */
#define IMAGE_LIMIT   96u                   /* sections: what the loader takes */
#define OBJECT_LIMIT  0xfeffu               /* larger numbers mean no section */
#define BIG_LIMIT     ((uint32_t)1 << 20)   /* sections that we take of /bigobj */
#define SECTOR        512u                  /* the least FileAlignment of most images */
#define EXECUTABLE    0x0002u               /* IMAGE_FILE_EXECUTABLE_IMAGE */
#define DLL           0x2000u               /* IMAGE_FILE_DLL */
#define RESERVED_BITS 0x17u                 /* of a section's characteristics */
#define PE32          0x010b
#define PE32_PLUS     0x020b

/* A part of the file, kept while reads stay inside it. */
struct window {
    uint64_t start;
    size_t size;
    uint8_t bytes[WINDOW];
};

/* The file header, the fields of one kind or the other. */
struct header {
    unsigned machine;
    uint32_t sections;
    uint64_t symbols, symbol_count; /* 0: no symbol table */
    uint32_t optional_size;
    uint32_t characteristics;
};

struct ra_pe {
    struct ra_source file;
    struct ra_diags *diags;
    bool image, big;
    struct header header;
    uint64_t base;           /* ImageBase */
    uint32_t file_alignment; /* of images */
    uint64_t table;          /* of section headers */
    struct ra_source
        strings; /* once they were found, with the four bytes of their size */
    bool has_strings;
    struct window records, texts;
};

static enum ra_status bad(struct ra_pe *pe, uint64_t offset, const char *what,
                          uint64_t number)
{
    return ra_fault(pe->diags, RA_E_FORMAT, RA_DIAG_PE_BAD,
                    ra_source_place(&pe->file, offset), "%s (%" PRIu64 ")", what, number);
}

/* `size` bytes at `offset`, by way of the window. */
static enum ra_status at(struct ra_pe *pe, struct window *window, uint64_t offset,
                         size_t size, struct ra_cursor *ret)
{
    struct ra_span span;
    enum ra_status status;

    if (offset < window->start || size > window->size ||
        offset - window->start > window->size - size) {
        status =
            ra_source_peek(&pe->file, offset, WINDOW, pe->diags, window->bytes, &span);
        if (status != RA_OK)
            return status;
        window->start = offset;
        window->size = span.size;
        if (size > span.size)
            return bad(pe, offset, "the file ends inside its headers", pe->file.size);
    }
    *ret = ra_cursor_over((struct ra_span){ window->bytes + (offset - window->start),
                                            size, pe->file.base + offset });
    return RA_OK;
}

/* ---- probes ------------------------------------------------------------------ */

static bool is_known_machine(unsigned machine)
{
    return machine == RA_PE_I386 || machine == RA_PE_AMD64 || machine == RA_PE_ARM64;
}

bool ra_pe_probe(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head);
    bool is_dos = ra_cursor_match(&cur, "MZ", 2);
    uint32_t lfanew;

    ra_cursor_seek(&cur, LFANEW_AT);
    lfanew = ra_cursor_u32le(&cur);
    return is_dos && ra_cursor_ok(&cur) && lfanew >= SIGNATURE && lfanew < LFANEW_LIMIT;
}

static void read_header(struct ra_cursor *cur, struct header *ret)
{
    ret->machine = ra_cursor_u16le(cur);
    ret->sections = ra_cursor_u16le(cur);
    ra_cursor_skip(cur, 4); /* time */
    ret->symbols = ra_cursor_u32le(cur);
    ret->symbol_count = ra_cursor_u32le(cur);
    ret->optional_size = ra_cursor_u16le(cur);
    ret->characteristics = ra_cursor_u16le(cur);
}

/* Anonymous objects that start alike have other class IDs: they hold no sections. */
static bool read_big_header(struct ra_cursor *cur, struct header *ret)
{
    static const uint8_t class_id[16] = {
        0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b,
        0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8
    };
    bool is_big = ra_cursor_match(cur, "\0\0\xff\xff", 4);

    *ret = (struct header){ 0 };
    is_big = ra_cursor_u16le(cur) >= 2 && is_big; /* version */
    ret->machine = ra_cursor_u16le(cur);
    ra_cursor_skip(cur, 4); /* time */
    is_big = ra_cursor_match(cur, class_id, sizeof(class_id)) && is_big;
    ra_cursor_skip(cur, 16); /* what is for objects without sections */
    ret->sections = ra_cursor_u32le(cur);
    ret->symbols = ra_cursor_u32le(cur);
    ret->symbol_count = ra_cursor_u32le(cur);
    return is_big && ra_cursor_ok(cur);
}

/* A name is text and then zeros. */
static bool is_name(struct ra_span name)
{
    size_t size = 0;

    while (size < name.size && name.data[size] > ' ')
        size++;
    for (size_t i = size; i < name.size; i++)
        if (name.data[i] != 0)
            return false;
    return size > 0;
}

/* The first section header, as a compiler could have written it. */
static bool is_first_section(struct ra_cursor *cur, uint64_t headers)
{
    struct ra_span name = ra_cursor_take(cur, SHORT_NAME);
    uint32_t offset, characteristics;

    ra_cursor_skip(cur, 12); /* virtual size, address, raw size */
    offset = ra_cursor_u32le(cur);
    ra_cursor_skip(cur, 12); /* relocations, line numbers, how many */
    characteristics = ra_cursor_u32le(cur);
    return ra_cursor_ok(cur) && is_name(name) && (offset == 0 || offset >= headers) &&
           !(characteristics & RESERVED_BITS);
}

bool ra_coff_probe(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head), big = ra_cursor_over(head);
    struct header header;
    uint64_t headers;

    if (read_big_header(&big, &header))
        return is_known_machine(header.machine) && header.sections > 0;
    read_header(&cur, &header);
    headers = FILE_HEADER + (uint64_t)header.sections * SECTION_HEADER;
    return ra_cursor_ok(&cur) && is_known_machine(header.machine) &&
           header.sections > 0 && header.sections <= OBJECT_LIMIT &&
           header.optional_size == 0 && !(header.characteristics & (EXECUTABLE | DLL)) &&
           (header.symbols == 0 || header.symbols >= headers) &&
           is_first_section(&cur, headers);
}

/* ---- headers ----------------------------------------------------------------- */

static enum ra_status read_optional(struct ra_pe *pe, uint64_t offset)
{
    struct ra_cursor cur;
    unsigned magic;
    enum ra_status status;

    if (pe->header.optional_size < OPTIONAL_PART)
        return bad(pe, offset, "an optional header too short for an image",
                   pe->header.optional_size);
    status = at(pe, &pe->records, offset, OPTIONAL_PART, &cur);
    if (status != RA_OK)
        return status;
    magic = ra_cursor_u16le(&cur);
    if (magic != PE32 && magic != PE32_PLUS)
        return bad(pe, offset, "an optional header of no known kind", magic);
    ra_cursor_skip(&cur, magic == PE32 ? 26 : 22); /* standard fields */
    pe->base = magic == PE32 ? ra_cursor_u32le(&cur) : ra_cursor_u64le(&cur);
    ra_cursor_skip(&cur, 4); /* alignment of sections */
    pe->file_alignment = ra_cursor_u32le(&cur);
    return RA_OK;
}

static enum ra_status read_image(struct ra_pe *pe)
{
    struct ra_cursor cur;
    uint64_t start = 0, header;
    enum ra_status status = at(pe, &pe->records, LFANEW_AT, 4, &cur);

    if (status == RA_OK) {
        start = ra_cursor_u32le(&cur);
        status = at(pe, &pe->records, start, SIGNATURE + FILE_HEADER, &cur);
    }
    if (status != RA_OK)
        return status;
    if (!ra_cursor_match(&cur, "PE\0\0", SIGNATURE))
        return bad(pe, start, "no PE header where the DOS header points", start);
    read_header(&cur, &pe->header);
    header = start + SIGNATURE + FILE_HEADER;
    pe->table = header + pe->header.optional_size;
    return read_optional(pe, header);
}

static enum ra_status read_object(struct ra_pe *pe)
{
    struct ra_cursor cur;
    enum ra_status status = at(pe, &pe->records, 0, FILE_HEADER, &cur);

    if (status != RA_OK)
        return status;
    read_header(&cur, &pe->header);
    pe->table = FILE_HEADER + (uint64_t)pe->header.optional_size;
    if (pe->header.machine != 0 || pe->header.sections != 0xffff)
        return RA_OK;
    status = at(pe, &pe->records, 0, BIG_HEADER, &cur);
    if (status != RA_OK)
        return status;
    pe->big = read_big_header(&cur, &pe->header);
    pe->table = BIG_HEADER;
    return pe->big ? RA_OK : bad(pe, 0, "an object of no known kind", 0);
}

static enum ra_status check_table(struct ra_pe *pe)
{
    uint32_t count = pe->header.sections;
    uint32_t limit = pe->image ? IMAGE_LIMIT : pe->big ? BIG_LIMIT : OBJECT_LIMIT;

    if (count > limit)
        return ra_fault(
            pe->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(&pe->file, pe->table),
            "%" PRIu32 " sections, where %" PRIu32 " is the limit", count, limit);
    if (pe->table > pe->file.size ||
        (uint64_t)count * SECTION_HEADER > pe->file.size - pe->table)
        return bad(pe, pe->table, "more section headers than the file holds", count);
    return RA_OK;
}

static enum ra_status read_headers(struct ra_pe *pe)
{
    struct ra_cursor cur;
    enum ra_status status = at(pe, &pe->records, 0, 2, &cur);

    if (status != RA_OK)
        return status;
    pe->image = ra_cursor_match(&cur, "MZ", 2);
    status = pe->image ? read_image(pe) : read_object(pe);
    if (status == RA_OK)
        status = check_table(pe);
    /* Headers are at the front of an object, and their names at the end. */
    if (status == RA_OK && !pe->image)
        status = ra_source_hold(&pe->file, 0, pe->file.size);
    return status;
}

enum ra_status ra_pe_open(const struct ra_source *file, struct ra_diags *diags,
                          struct ra_pe **ret)
{
    struct ra_pe *pe = malloc(sizeof(*pe));
    enum ra_status status;

    if (!pe)
        return RA_E_NOMEM;
    /* The windows are written before they are read. */
    memset(pe, 0, offsetof(struct ra_pe, records));
    pe->records.start = pe->texts.start = 0;
    pe->records.size = pe->texts.size = 0;
    pe->file = *file;
    pe->diags = diags;
    status = read_headers(pe);
    if (status != RA_OK)
        free(pe);
    else
        *ret = pe;
    return status;
}

void ra_pe_close(struct ra_pe *pe)
{
    free(pe);
}

unsigned ra_pe_machine(const struct ra_pe *pe)
{
    return pe->header.machine;
}

bool ra_pe_is_image(const struct ra_pe *pe)
{
    return pe->image;
}

size_t ra_pe_section_count(const struct ra_pe *pe)
{
    return pe->header.sections;
}

/* ---- names ------------------------------------------------------------------- */

/* The string table follows the symbols; its size stands in its first four bytes. */
static enum ra_status find_strings(struct ra_pe *pe)
{
    uint64_t start =
        pe->header.symbols + pe->header.symbol_count * (pe->big ? BIG_SYMBOL : SYMBOL);
    struct ra_cursor cur;
    uint32_t size;
    enum ra_status status;

    if (pe->has_strings)
        return RA_OK;
    if (pe->header.symbols == 0 || start > pe->file.size)
        return bad(pe, 0, "a long section name and no string table", start);
    status = at(pe, &pe->texts, start, 4, &cur);
    if (status != RA_OK)
        return status;
    size = ra_cursor_u32le(&cur);
    if (size < 4)
        size = 4; /* some tools write 0 for an empty one */
    if (!ra_source_sub(&pe->file, start, size, &pe->strings))
        return bad(pe, start, "the string table ends behind the file", size);
    pe->has_strings = true;
    return RA_OK;
}

static enum ra_status read_long_name(struct ra_pe *pe, uint64_t header, uint64_t offset,
                                     char ret[RA_PE_NAME])
{
    enum ra_status status = find_strings(pe);
    struct ra_cursor cur;
    uint64_t left;
    size_t size;

    if (status != RA_OK)
        return status;
    if (offset < 4 || offset >= pe->strings.size)
        return bad(pe, header, "a section name outside the string table", offset);
    left = pe->strings.size - offset;
    size = left < RA_PE_NAME - 1 ? (size_t)left : RA_PE_NAME - 1;
    status = at(pe, &pe->texts, pe->strings.base - pe->file.base + offset, size, &cur);
    if (status != RA_OK)
        return status;
    size = strnlen((const char *)cur.span.data, size);
    memcpy(ret, cur.span.data, size);
    ret[size] = '\0';
    return RA_OK;
}

/* The value of a digit; UINT32_MAX if it is none. */
static uint32_t digit_of(char digit, unsigned radix)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);

    if (radix == 64)
        return found ? (uint32_t)(found - digits) : UINT32_MAX;
    return digit >= '0' && digit <= '9' ? (uint32_t)(digit - '0') : UINT32_MAX;
}

/* "/123", or "//" and six digits in base 64 for what seven decimal ones cannot say. */
static bool parse_long_name(const char *name, uint64_t *ret)
{
    unsigned radix = name[1] == '/' ? 64 : 10;
    const char *digits = name + (radix == 64 ? 2 : 1);

    *ret = 0;
    for (const char *next = digits; *next; next++) {
        uint32_t value = digit_of(*next, radix);

        if (value == UINT32_MAX)
            return false;
        *ret = *ret * radix + value;
    }
    return *digits != '\0';
}

/* Linkers that cut names make images without symbols: a name of theirs is what it is. */
static enum ra_status read_name(struct ra_pe *pe, uint64_t header, struct ra_span bytes,
                                char ret[RA_PE_NAME])
{
    uint64_t offset;

    memcpy(ret, bytes.data, bytes.size);
    ret[bytes.size] = '\0';
    if (ret[0] != '/' || (pe->image && pe->header.symbols == 0))
        return RA_OK;
    if (!parse_long_name(ret, &offset))
        return bad(pe, header, "a section name that is no offset", 0);
    return read_long_name(pe, header, offset, ret);
}

/* ---- sections ---------------------------------------------------------------- */

static uint64_t header_of(const struct ra_pe *pe, size_t index)
{
    return pe->table + (uint64_t)index * SECTION_HEADER;
}

/* Without its content; the name still as it stands there, in `name`. */
static enum ra_status read_record(struct ra_pe *pe, size_t index,
                                  struct ra_pe_section *ret, struct ra_span *name)
{
    struct ra_cursor cur;
    enum ra_status status =
        at(pe, &pe->records, header_of(pe, index), SECTION_HEADER, &cur);

    if (status != RA_OK)
        return status;
    *ret = (struct ra_pe_section){ 0 };
    *name = ra_cursor_take(&cur, SHORT_NAME);
    ret->virtual_size = ra_cursor_u32le(&cur);
    ret->address = ra_cursor_u32le(&cur);
    ret->raw_size = ra_cursor_u32le(&cur);
    ret->raw_offset = ra_cursor_u32le(&cur);
    ra_cursor_skip(&cur, 12); /* relocations, line numbers, how many */
    ret->characteristics = ra_cursor_u32le(&cur);
    return RA_OK;
}

/*
 * Bytes of a section without the padding of the file. The loader maps what is there,
 * whatever the flags say, and all of it if no virtual size is given; the linker takes no
 * bytes of a section of uninitialised data.
 */
static uint32_t content_size(const struct ra_pe *pe, const struct ra_pe_section *section)
{
    if (section->raw_offset == 0)
        return 0;
    if (!pe->image)
        return section->characteristics & RA_PE_UNINITIALIZED ? 0 : section->raw_size;
    return section->virtual_size > 0 && section->virtual_size < section->raw_size
               ? section->virtual_size
               : section->raw_size;
}

/* NULL if all is well with where a section is; else in what way not. */
static const char *find_content(const struct ra_pe *pe, struct ra_pe_section *section)
{
    uint32_t size = content_size(pe, section);
    struct ra_source padded;

    section->content = ra_source_from(&pe->file, pe->file.size);
    if (size == 0)
        return NULL;
    /* The loader would round it down, and map other bytes. */
    if (pe->image && pe->file_alignment >= SECTOR && section->raw_offset % SECTOR != 0)
        return "a section that starts between sectors";
    if (!ra_source_sub(&pe->file, section->raw_offset, section->raw_size, &padded) ||
        !ra_source_sub(&padded, 0, size, &section->content))
        return "a section lies outside the file";
    return NULL;
}

enum ra_status ra_pe_section(struct ra_pe *pe, size_t index, struct ra_pe_section *ret)
{
    struct ra_span name;
    enum ra_status status = read_record(pe, index, ret, &name);
    const char *wrong;

    if (status == RA_OK)
        status = read_name(pe, header_of(pe, index), name, ret->name);
    if (status != RA_OK)
        return status;
    wrong = find_content(pe, ret);
    return wrong ? bad(pe, header_of(pe, index), wrong, ret->raw_offset) : RA_OK;
}

enum ra_status ra_pe_offset(struct ra_pe *pe, uint64_t address, uint64_t *offset,
                            uint64_t *left, bool *found)
{
    uint64_t rva = address - pe->base;

    *found = false;
    if (!pe->image || address < pe->base)
        return RA_OK;
    for (size_t i = 0; !*found && i < pe->header.sections; i++) {
        struct ra_pe_section section;
        struct ra_span name;
        enum ra_status status = read_record(pe, i, &section, &name);

        if (status != RA_OK)
            return status;
        if (find_content(pe, &section) || rva < section.address ||
            rva - section.address >= section.content.size)
            continue;
        *offset = section.raw_offset + (rva - section.address);
        *left = section.content.size - (rva - section.address);
        *found = true;
    }
    return RA_OK;
}
