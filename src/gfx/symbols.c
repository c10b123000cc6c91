#include "gfx/symbols.h"

#include "gfx/kernels.h"

#include <inttypes.h>

#define SYMBOL_SIZE   24
#define SYMBOL_LIMIT  ((uint64_t)1 << 21)
#define STRINGS_LIMIT ((uint64_t)256 << 20)
#define GNU_HEAD_SIZE 16
#define WINDOW        4096 /* bytes of a hash table at a time */

enum { DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6, DT_STRSZ = 10 };

#define DT_GNU_HASH 0x6ffffef5u

/* What PT_DYNAMIC says: addresses, then where those are in the file. */
struct tables {
    uint64_t hash, gnu_hash, strings, symbols, strings_size;
    uint64_t symbol_count;
};

struct loader {
    const struct ra_image *image;
    struct ra_diags *diags;
};

static enum ra_status bad(const struct loader *loader, const char *what, uint64_t number)
{
    return ra_fault(loader->diags, RA_E_FORMAT, RA_DIAG_CODE_BAD,
                    ra_source_place(&loader->image->source, 0), "%s (%" PRIu64 ")", what,
                    number);
}

static void keep(struct tables *tables, uint64_t tag, uint64_t value)
{
    if (tag == DT_HASH)
        tables->hash = value;
    else if (tag == DT_GNU_HASH)
        tables->gnu_hash = value;
    else if (tag == DT_STRTAB)
        tables->strings = value;
    else if (tag == DT_SYMTAB)
        tables->symbols = value;
    else if (tag == DT_STRSZ)
        tables->strings_size = value;
}

static enum ra_status read_dynamic(const struct loader *loader, struct tables *ret)
{
    const struct ra_segment *segment = ra_image_segment(loader->image, RA_PT_DYNAMIC);
    uint8_t bytes[WINDOW];
    struct ra_span span;
    struct ra_cursor cur;
    enum ra_status status;

    if (!segment)
        return bad(loader, "it has kernels and no dynamic segment",
                   loader->image->segment_count);
    status = ra_source_peek(&loader->image->source, segment->offset,
                            segment->size < sizeof(bytes) ? (size_t)segment->size
                                                          : sizeof(bytes),
                            loader->diags, bytes, &span);
    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(span);
    for (uint64_t tag = 1; tag != 0 && ra_cursor_ok(&cur);) {
        tag = ra_cursor_u64le(&cur);
        keep(ret, tag, ra_cursor_u64le(&cur));
    }
    if ((!ret->hash && !ret->gnu_hash) || !ret->strings || !ret->symbols)
        return bad(loader, "its dynamic segment names no symbols", segment->offset);
    return RA_OK;
}

/* ---- how many? -------------------------------------------------------------- */

/* `size` bytes at an address, all of which a segment has to hold. */
static enum ra_status read_at(const struct loader *loader, uint64_t address, size_t size,
                              uint8_t *bytes, struct ra_cursor *ret)
{
    uint64_t offset;

    *ret = ra_cursor_over((struct ra_span){ bytes, size, 0 });
    if (!ra_image_offset(loader->image, address, size, &offset))
        return bad(loader, "no segment holds its hash table", address);
    return ra_source_read(&loader->image->source, offset, size, loader->diags, bytes);
}

/* The number of symbols is that of the chains: gABI, "Hash Table". */
static enum ra_status count_chains(const struct loader *loader, struct tables *tables)
{
    uint8_t bytes[8];
    struct ra_cursor cur;
    enum ra_status status = read_at(loader, tables->hash, sizeof(bytes), bytes, &cur);

    ra_cursor_skip(&cur, 4);
    if (status == RA_OK)
        tables->symbol_count = ra_cursor_u32le(&cur);
    return status;
}

static enum ra_status too_many(const struct loader *loader, uint64_t symbols,
                               uint64_t strings)
{
    return ra_fault(loader->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                    ra_source_place(&loader->image->source, 0),
                    "%" PRIu64 " symbols, %" PRIu64 " bytes of names", symbols, strings);
}

/* The symbol that the last of the chains starts at; 0: all are empty. */
static enum ra_status last_bucket(const struct loader *loader, uint64_t address,
                                  uint32_t buckets, uint32_t *ret)
{
    uint8_t bytes[WINDOW];
    enum ra_status status = RA_OK;

    *ret = 0;
    for (uint32_t done = 0; status == RA_OK && done < buckets;) {
        uint32_t count = buckets - done < WINDOW / 4 ? buckets - done : WINDOW / 4;
        struct ra_cursor cur;

        status = read_at(loader, address + (uint64_t)done * 4, count * 4, bytes, &cur);
        for (uint32_t i = 0; status == RA_OK && i < count; i++) {
            uint32_t symbol = ra_cursor_u32le(&cur);

            if (symbol > *ret)
                *ret = symbol;
        }
        done += count;
    }
    return status;
}

/* A chain ends with the hash whose lowest bit is set. */
static enum ra_status follow_chain(const struct loader *loader, uint64_t address,
                                   struct tables *tables)
{
    while (tables->symbol_count < SYMBOL_LIMIT) {
        uint8_t bytes[4];
        struct ra_cursor cur;
        enum ra_status status = read_at(loader, address, sizeof(bytes), bytes, &cur);

        if (status != RA_OK)
            return status;
        tables->symbol_count++;
        if (ra_cursor_u32le(&cur) & 1)
            return RA_OK;
        address += sizeof(bytes);
    }
    return too_many(loader, tables->symbol_count, tables->strings_size);
}

/*
 * Symbols that are looked up stand last, bucket by bucket, so the end of the last chain
 * is the end of all. Before the buckets is a filter of 64-bit words.
 */
static enum ra_status count_gnu(const struct loader *loader, struct tables *tables)
{
    uint8_t bytes[GNU_HEAD_SIZE];
    struct ra_cursor cur;
    uint32_t buckets, first, words, last;
    uint64_t address = tables->gnu_hash, offset, chain;
    enum ra_status status = read_at(loader, address, sizeof(bytes), bytes, &cur);

    if (status != RA_OK)
        return status;
    buckets = ra_cursor_u32le(&cur);
    first = ra_cursor_u32le(&cur);
    words = ra_cursor_u32le(&cur);
    if (buckets > SYMBOL_LIMIT || words > SYMBOL_LIMIT || first > SYMBOL_LIMIT)
        return too_many(loader, first > buckets ? first : buckets, tables->strings_size);
    if (!ra_image_offset(loader->image, address,
                         GNU_HEAD_SIZE + (uint64_t)words * 8 + (uint64_t)buckets * 4,
                         &offset))
        return bad(loader, "no segment holds its hash table", address);
    address += GNU_HEAD_SIZE + (uint64_t)words * 8;
    status = last_bucket(loader, address, buckets, &last);
    if (status != RA_OK)
        return status;
    tables->symbol_count = last ? last : first;
    if (last == 0)
        return RA_OK;
    if (last > SYMBOL_LIMIT)
        return too_many(loader, last, tables->strings_size);
    if (last < first)
        return bad(loader, "a chain of its hash table starts before the first symbol",
                   last);
    chain = (uint64_t)buckets * 4 + (uint64_t)(last - first) * 4;
    if (!ra_image_offset(loader->image, address, chain, &offset))
        return bad(loader, "no segment holds its hash table", address);
    return follow_chain(loader, address + chain, tables);
}

static enum ra_status count_symbols(const struct loader *loader, struct tables *tables)
{
    enum ra_status status =
        tables->hash ? count_chains(loader, tables) : count_gnu(loader, tables);

    if (status == RA_OK &&
        (tables->symbol_count > SYMBOL_LIMIT || tables->strings_size > STRINGS_LIMIT))
        return too_many(loader, tables->symbol_count, tables->strings_size);
    return status;
}

/* ---- the tables ------------------------------------------------------------- */

static enum ra_status load(const struct loader *loader, struct ra_buffer *buffer,
                           uint64_t address, uint64_t size, struct ra_span *ret)
{
    uint64_t offset;

    if (!ra_image_offset(loader->image, address, size, &offset))
        return bad(loader, "no segment holds its symbols", address);
    *ret = (struct ra_span){
        .data = ra_buffer_reserve(buffer, size),
        .size = (size_t)size,
        .base = offset,
    };
    if (!ret->data)
        return RA_E_NOMEM;
    return ra_source_read(&loader->image->source, offset, ret->size, loader->diags,
                          buffer->data);
}

enum ra_status ra_symbols_load(const struct ra_image *image,
                               struct ra_codeobj_buffers *buffers, struct ra_diags *diags,
                               struct ra_symbols *ret)
{
    struct loader loader = { image, diags };
    struct tables tables = { 0 };
    enum ra_status status = read_dynamic(&loader, &tables);

    if (status == RA_OK)
        status = count_symbols(&loader, &tables);
    if (status == RA_OK)
        status = load(&loader, &buffers->symbols, tables.symbols,
                      tables.symbol_count * SYMBOL_SIZE, &ret->rows);
    if (status == RA_OK)
        status = load(&loader, &buffers->strings, tables.strings, tables.strings_size,
                      &ret->names);
    return status;
}

static struct ra_span name_at(struct ra_span names, uint32_t offset)
{
    const uint8_t *end;

    if (offset >= names.size)
        return (struct ra_span){ 0 };
    names.data += offset;
    names.size -= offset;
    end = memchr(names.data, 0, names.size);
    names.size = end ? (size_t)(end - names.data) : 0;
    return names;
}

/* gABI, Elf64_Sym. */
bool ra_symbols_next(const struct ra_symbols *symbols, struct ra_cursor *cur,
                     struct ra_symbol *ret)
{
    if (cur->pos == symbols->rows.size)
        return false;
    ret->name = name_at(symbols->names, ra_cursor_u32le(cur));
    ret->type = ra_cursor_u8(cur) & 0xf;
    ra_cursor_skip(cur, 1 + 2); /* visibility, section */
    ret->address = ra_cursor_u64le(cur);
    ret->size = ra_cursor_u64le(cur);
    return true;
}
