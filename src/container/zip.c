#include "container/zip.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>

#define END             22 /* bytes of the end record, 4.3.16 */
#define COMMENT         UINT16_MAX
#define LOCATOR         20 /* of the ZIP64 locator, 4.3.15 */
#define END64           56 /* of the ZIP64 end record, 4.3.14 */
#define DIRECTORY_LIMIT ((size_t)64 << 20)
#define STREAMED        8u         /* bit 3: sum and sizes follow the data */
#define FAR32           UINT32_MAX /* the true number stands in the ZIP64 field */

/* The end record, or the ZIP64 one in its place. */
struct end {
    uint64_t where;  /* of the record: what it tells of is before it */
    uint64_t offset; /* of the directory */
    uint64_t size, count;
    bool is_long; /* all of the count, not its last 16 bits */
};

static enum ra_status bad(const struct ra_source *source, struct ra_diags *diags,
                          uint64_t offset, const char *what)
{
    return ra_fault(diags, RA_E_FORMAT, RA_DIAG_ARCHIVE_BAD,
                    ra_source_place(source, offset), "zip: %s", what);
}

/* ---- the end record --------------------------------------------------------- */

static void parse_end(struct ra_span bytes, struct end *ret)
{
    struct ra_cursor cur = ra_cursor_over(bytes);

    ra_cursor_skip(&cur, 10); /* magic, numbers of disks, entries on this one */
    ret->count = ra_cursor_u16le(&cur);
    ret->size = ra_cursor_u32le(&cur);
    ret->offset = ra_cursor_u32le(&cur);
}

/* The last one whose comment ends with the file. */
static bool find_end(struct ra_span tail, size_t *ret)
{
    for (size_t at = tail.size >= END ? tail.size - END + 1 : 0; at-- > 0;) {
        struct ra_cursor cur = ra_cursor_over(tail);

        ra_cursor_seek(&cur, at);
        if (!ra_cursor_match(&cur, "PK\5\6", 4))
            continue;
        ra_cursor_skip(&cur, END - 4 - 2);
        if (ra_cursor_u16le(&cur) != tail.size - at - END)
            continue;
        *ret = at;
        return true;
    }
    return false;
}

static enum ra_status read_end64(const struct ra_source *source, struct ra_diags *diags,
                                 uint64_t where, struct end *ret)
{
    uint8_t bytes[END64];
    struct ra_span span;
    struct ra_cursor cur;
    enum ra_status status =
        ra_source_peek(source, where, sizeof(bytes), diags, bytes, &span);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(span);
    if (!ra_cursor_match(&cur, "PK\6\6", 4))
        return bad(source, diags, where, "no ZIP64 end record where one should be");
    ra_cursor_skip(&cur, 28); /* its size, versions, disks, entries on this disk */
    ret->count = ra_cursor_u64le(&cur);
    ret->size = ra_cursor_u64le(&cur);
    ret->offset = ra_cursor_u64le(&cur);
    if (!ra_cursor_ok(&cur) || where >= ret->where)
        return bad(source, diags, where, "the ZIP64 end record is cut");
    ret->where = where;
    ret->is_long = true;
    return RA_OK;
}

static enum ra_status read_end(const struct ra_source *source, struct ra_diags *diags,
                               uint8_t *window, size_t room, struct end *ret)
{
    uint64_t start = source->size > room ? source->size - room : 0;
    struct ra_span tail, record;
    struct ra_cursor cur;
    size_t at;
    enum ra_status status = ra_source_peek(source, start, room, diags, window, &tail);

    if (status != RA_OK)
        return status;
    if (!find_end(tail, &at) || !ra_span_sub(tail, at, END, &record))
        return bad(source, diags, start, "it ends without an end record");
    parse_end(record, ret);
    ret->where = start + at;
    cur = ra_cursor_over(tail);
    ra_cursor_seek(&cur, at >= LOCATOR ? at - LOCATOR : tail.size);
    if (!ra_cursor_match(&cur, "PK\6\7", 4))
        return RA_OK;
    ra_cursor_skip(&cur, 4); /* number of the disk */
    return read_end64(source, diags, ra_cursor_u64le(&cur), ret);
}

/* ---- the entries ------------------------------------------------------------ */

/* 4.5.3: numbers that did not fit, in this order, and only those. */
static bool widen(struct ra_zip_entry *entry, struct ra_span extra)
{
    uint64_t *const numbers[] = { &entry->size, &entry->packed, &entry->offset };
    struct ra_cursor cur = ra_cursor_over(extra);
    struct ra_span field = { 0 };

    while (ra_cursor_ok(&cur) && cur.pos < extra.size) {
        uint16_t id = ra_cursor_u16le(&cur);
        struct ra_span content = ra_cursor_take(&cur, ra_cursor_u16le(&cur));

        if (id == 1 && ra_cursor_ok(&cur))
            field = content;
    }
    cur = ra_cursor_over(field);
    for (size_t i = 0; i < RA_COUNT(numbers); i++)
        if (*numbers[i] == FAR32)
            *numbers[i] = ra_cursor_u64le(&cur);
    return ra_cursor_ok(&cur);
}

/* 4.3.12 */
static bool parse_entry(struct ra_cursor *cur, struct ra_zip_entry *ret)
{
    uint16_t name, extra, comment;

    *ret = (struct ra_zip_entry){ 0 };
    if (!ra_cursor_match(cur, "PK\1\2", 4))
        return false;
    ra_cursor_skip(cur, 4); /* versions */
    ret->flags = ra_cursor_u16le(cur);
    ret->method = ra_cursor_u16le(cur);
    ra_cursor_skip(cur, 4); /* time */
    ret->crc = ra_cursor_u32le(cur);
    ret->packed = ra_cursor_u32le(cur);
    ret->size = ra_cursor_u32le(cur);
    name = ra_cursor_u16le(cur);
    extra = ra_cursor_u16le(cur);
    comment = ra_cursor_u16le(cur);
    ra_cursor_skip(cur, 8); /* disk, attributes */
    ret->offset = ra_cursor_u32le(cur);
    ret->name = ra_cursor_take(cur, name);
    return widen(ret, ra_cursor_take(cur, extra)) &&
           (ra_cursor_skip(cur, comment), ra_cursor_ok(cur));
}

static enum ra_status add(const struct ra_source *source, struct ra_diags *diags,
                          struct ra_zip *zip, const struct ra_zip_entry *entry)
{
    if (zip->count == RA_ARCHIVE_MEMBERS)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(source, 0),
                        "more than %zu members", RA_ARCHIVE_MEMBERS);
    if (zip->count == zip->room) {
        struct ra_zip_entry *entries =
            ra_array_grow(zip->entries, &zip->room, sizeof(*entries));

        if (!entries)
            return RA_E_NOMEM;
        zip->entries = entries;
    }
    zip->entries[zip->count++] = *entry;
    return RA_OK;
}

static enum ra_status parse_directory(const struct ra_source *source,
                                      struct ra_diags *diags, struct ra_span span,
                                      struct ra_zip *zip)
{
    struct ra_cursor cur = ra_cursor_over(span);
    enum ra_status status = RA_OK;

    while (status == RA_OK && cur.pos < span.size) {
        uint64_t where = ra_cursor_where(&cur) - source->base;
        struct ra_zip_entry entry;

        if (!parse_entry(&cur, &entry))
            return bad(source, diags, where, "an entry of the directory is damaged");
        if (entry.name.size > RA_ARCHIVE_NAME)
            return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                            ra_source_place(source, where), "a name of %zu bytes",
                            entry.name.size);
        status = add(source, diags, zip, &entry);
    }
    return status;
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_zip_entry *a = left, *b = right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Each behind the one before, all before the directory: no byte is in two members. */
static enum ra_status check_places(const struct ra_source *source, struct ra_diags *diags,
                                   const struct ra_zip *zip, uint64_t end)
{
    for (size_t i = zip->count; i-- > 0;) {
        const struct ra_zip_entry *entry = &zip->entries[i];

        if (entry->offset > end ||
            end - entry->offset < RA_ZIP_LOCAL + entry->name.size ||
            end - entry->offset - RA_ZIP_LOCAL - entry->name.size < entry->packed)
            return bad(source, diags, entry->offset, "members share bytes");
        end = entry->offset;
    }
    return RA_OK;
}

static enum ra_status read_directory(const struct ra_source *source,
                                     struct ra_diags *diags, const struct end *end,
                                     struct ra_zip *ret)
{
    struct ra_span span = { .size = (size_t)end->size,
                            .base = source->base + end->offset };
    enum ra_status status;

    if (end->offset > end->where || end->size > end->where - end->offset)
        return bad(source, diags, end->where, "the directory lies outside");
    if (end->size > DIRECTORY_LIMIT)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(source, end->offset),
                        "a directory of %" PRIu64 " bytes", end->size);
    ret->directory = malloc(span.size ? span.size : 1);
    if (!ret->directory)
        return RA_E_NOMEM;
    span.data = ret->directory;
    status = ra_source_read(source, end->offset, span.size, diags, ret->directory);
    if (status == RA_OK)
        status = parse_directory(source, diags, span, ret);
    if (status != RA_OK)
        return status;
    if (ret->count != end->count && (end->is_long || (ret->count & 0xffff) != end->count))
        return bad(source, diags, end->where, "the directory has another count");
    if (ret->count > 0)
        qsort(ret->entries, ret->count, sizeof(ret->entries[0]), by_offset);
    return check_places(source, diags, ret, end->offset);
}

enum ra_status ra_zip_read(const struct ra_source *source, struct ra_diags *diags,
                           struct ra_zip *ret)
{
    const size_t room = END + COMMENT + LOCATOR;
    uint8_t *window = malloc(room);
    struct end end = { 0 };
    enum ra_status status;

    if (!window)
        return RA_E_NOMEM;
    status = read_end(source, diags, window, room, &end);
    free(window);
    return status == RA_OK ? read_directory(source, diags, &end, ret) : status;
}

void ra_zip_free(struct ra_zip *zip)
{
    free(zip->entries);
    free(zip->directory);
    *zip = (struct ra_zip){ 0 };
}

/* ---- local headers ---------------------------------------------------------- */

/* A number of a local header, which may be the mark that it stands in a ZIP64 field. */
static bool is_same(uint32_t local, uint64_t number)
{
    return local == number || local == FAR32;
}

/* 4.3.7 */
bool ra_zip_agrees(const struct ra_zip_entry *entry, struct ra_span head, uint64_t *skip)
{
    struct ra_cursor cur = ra_cursor_over(head);
    bool magic = ra_cursor_match(&cur, "PK\3\4", 4);
    uint16_t flags, method, name, extra;
    uint32_t crc, packed, size;
    struct ra_span spelled;

    ra_cursor_skip(&cur, 2); /* version */
    flags = ra_cursor_u16le(&cur);
    method = ra_cursor_u16le(&cur);
    ra_cursor_skip(&cur, 4); /* time */
    crc = ra_cursor_u32le(&cur);
    packed = ra_cursor_u32le(&cur);
    size = ra_cursor_u32le(&cur);
    name = ra_cursor_u16le(&cur);
    extra = ra_cursor_u16le(&cur);
    spelled = ra_cursor_take(&cur, name);
    *skip = RA_ZIP_LOCAL + (uint64_t)name + extra;
    if (!magic || !ra_cursor_ok(&cur) || method != entry->method ||
        ((flags ^ entry->flags) & RA_ZIP_ENCRYPTED) || spelled.size != entry->name.size ||
        memcmp(spelled.data, entry->name.data, spelled.size) != 0)
        return false;
    return flags & STREAMED || (crc == entry->crc && is_same(packed, entry->packed) &&
                                is_same(size, entry->size));
}
