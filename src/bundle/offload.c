#include "bundle/offload.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC        "\x10\xff\x10\xad"
#define MAGIC_SIZE   4
#define HEADER_FIRST 32 /* of versions 1 and 2 */
#define HEADER_THIRD 40 /* version 3 has the size of the expanded blob behind it */
#define ENTRY_SIZE   40
#define STRING_FIRST 16 /* of version 1: where the key is, and where the value */
#define STRING_SIZED 24 /* and how long that is */
#define KEY_SIZE     8  /* no key that matters is longer, its end included */

#define FLAG_METADATA 1u /* OIF_Metadata, since version 2 */
#define ZSTD_MAGIC    "\x28\xb5\x2f\xfd"

struct job {
    const struct ra_offload *offload;
    struct ra_source content;
    uint64_t shift; /* of offsets in the blob against those in `content` */
    struct ra_arena *arena;
    struct ra_diags *diags;
    struct ra_offload_table *table;
    uint64_t first; /* where the first image starts, in the blob */
};

/* The strings of an entry. */
struct strings {
    uint64_t offset, count;
};

/* ---- the header ------------------------------------------------------------- */

static uint64_t header_size(unsigned version)
{
    return version < 3 ? HEADER_FIRST : HEADER_THIRD;
}

/* False if `head` is too short, or starts with another magic. */
static bool starts(struct ra_span head, struct ra_offload *ret)
{
    struct ra_cursor cur = ra_cursor_over(head);
    bool magic = ra_cursor_match(&cur, MAGIC, MAGIC_SIZE);

    *ret = (struct ra_offload){ .version = ra_cursor_u32le(&cur) };
    ret->size = ra_cursor_u64le(&cur);
    ret->entries = ra_cursor_u64le(&cur);
    ret->count = ra_cursor_u64le(&cur);
    return magic && ra_cursor_ok(&cur);
}

static bool is_known(const struct ra_offload *offload)
{
    return offload->version >= 1 && offload->version <= 3;
}

static bool has_sizes(const struct ra_offload *offload)
{
    uint64_t header = header_size(offload->version);

    return offload->size > header && offload->entries >= header &&
           offload->entries <= offload->size;
}

bool ra_offload_probe(struct ra_span head)
{
    struct ra_offload offload;

    return starts(head, &offload) && is_known(&offload) && has_sizes(&offload);
}

bool ra_offload_resembles(struct ra_span head)
{
    return head.size >= MAGIC_SIZE + 4 && memcmp(head.data, MAGIC, MAGIC_SIZE) == 0 &&
           head.data[5] == 0 && head.data[6] == 0 && head.data[7] == 0;
}

static enum ra_status bad(const struct ra_source *source, struct ra_diags *diags,
                          const char *what, uint64_t number)
{
    return ra_fault(diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD, ra_source_place(source, 0),
                    "%s %" PRIu64, what, number);
}

/* Version 3 only: how large the blob would be, and by what it was made smaller. */
static enum ra_status read_packing(const struct ra_source *source, struct ra_diags *diags,
                                   struct ra_offload *ret)
{
    uint8_t bytes[8], frame[MAGIC_SIZE];
    struct ra_cursor cur = ra_cursor_over((struct ra_span){ bytes, sizeof(bytes), 0 });
    struct ra_span head;
    enum ra_status status;

    status = ra_source_read(source, HEADER_FIRST, sizeof(bytes), diags, bytes);
    if (status != RA_OK)
        return status;
    ret->expanded = ra_cursor_u64le(&cur);
    if (ret->expanded == 0)
        return RA_OK;
    if (ret->expanded <= ret->entries)
        return bad(source, diags, "it says that it expands to", ret->expanded);
    status = ra_source_peek(source, ret->entries, sizeof(frame), diags, frame, &head);
    ret->codec = head.size == MAGIC_SIZE && memcmp(frame, ZSTD_MAGIC, MAGIC_SIZE) == 0
                     ? RA_CODEC_ZSTD
                     : RA_CODEC_DEFLATE;
    return status;
}

enum ra_status ra_offload_read(const struct ra_source *source, struct ra_diags *diags,
                               struct ra_offload *ret)
{
    uint8_t bytes[HEADER_FIRST];
    struct ra_place place = ra_source_place(source, 0);
    struct ra_span head;
    enum ra_status status = ra_source_peek(source, 0, sizeof(bytes), diags, bytes, &head);

    if (status != RA_OK)
        return status;
    if (!starts(head, ret))
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD, place,
                        "%zu bytes hold no header", head.size);
    if (!is_known(ret))
        return ra_fault(diags, RA_E_UNSUPPORTED, RA_DIAG_OFFLOAD_UNKNOWN, place,
                        "version %u", ret->version);
    if (!has_sizes(ret))
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD, place,
                        "%" PRIu64 " bytes, entries at %" PRIu64, ret->size,
                        ret->entries);
    if (ret->size > source->size)
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD, place,
                        "%" PRIu64 " bytes where %" PRIu64 " are left", ret->size,
                        source->size);
    if (ret->version == 1 && ret->count != ENTRY_SIZE)
        return bad(source, diags, "it says that its entry is of size", ret->count);
    if (ret->version == 1)
        ret->count = 1;
    return ret->version < 3 ? RA_OK : read_packing(source, diags, ret);
}

uint64_t ra_offload_shift(const struct ra_offload *offload)
{
    return offload->codec == RA_CODEC_STORED ? 0 : offload->entries;
}

/* ---- bytes by their place in the blob --------------------------------------- */

static struct ra_place place_of(const struct job *job, uint64_t offset)
{
    uint64_t inside = offset < job->shift ? 0 : offset - job->shift;

    return ra_source_place(&job->content, inside);
}

static enum ra_status outside(const struct job *job, uint64_t record, const char *what,
                              uint64_t offset, uint64_t size)
{
    return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD, place_of(job, record),
                    "%s: %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64, what, size,
                    offset, job->content.size + job->shift);
}

static bool is_inside(const struct job *job, uint64_t offset, uint64_t size)
{
    uint64_t room = job->content.size;

    return offset >= job->shift && offset - job->shift <= room &&
           size <= room - (offset - job->shift);
}

/* ---- strings ---------------------------------------------------------------- */

/* Nobody writes strings behind images; what is said to be there is an image's bytes. */
static bool is_before_images(const struct job *job, uint64_t offset, uint64_t size)
{
    return is_inside(job, offset, size) && offset <= job->first &&
           size <= job->first - offset;
}

/* How much of the value at `offset` there is, where it ends with a zero. */
static enum ra_status measure(struct job *job, uint64_t record, uint64_t offset,
                              uint64_t *ret)
{
    uint8_t bytes[RA_OFFLOAD_MAX_TEXT + 1];
    struct ra_span span;
    const uint8_t *end;
    enum ra_status status;

    if (!is_before_images(job, offset, 1))
        return outside(job, record, "a string", offset, 1);
    status = ra_source_peek(&job->content, offset - job->shift, sizeof(bytes), job->diags,
                            bytes, &span);
    if (status != RA_OK)
        return status;
    end = memchr(span.data, 0, span.size);
    *ret = end ? (uint64_t)(end - span.data) : span.size;
    return end || span.size == sizeof(bytes)
               ? RA_OK
               : outside(job, record, "a string without an end", offset, span.size);
}

static enum ra_status read_text(struct job *job, uint64_t record, uint64_t offset,
                                uint64_t size, struct ra_span *ret)
{
    uint8_t bytes[RA_OFFLOAD_MAX_TEXT];
    const char *text;
    enum ra_status status;

    if (ret->data)
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD,
                        place_of(job, record), "an image has two strings of one name");
    if (size > sizeof(bytes))
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_BUNDLE_LIMIT,
                        place_of(job, record), "a string of %" PRIu64 " bytes", size);
    if (!is_before_images(job, offset, size))
        return outside(job, record, "a string", offset, size);
    status = ra_source_read(&job->content, offset - job->shift, (size_t)size, job->diags,
                            bytes);
    if (status != RA_OK)
        return status;
    text = ra_arena_text(job->arena, bytes, (size_t)size);
    *ret = (struct ra_span){ (const uint8_t *)text, (size_t)size, 0 };
    return text ? RA_OK : RA_E_NOMEM;
}

/* The field of an image that a key is for, or NULL: most are of no concern here. */
static enum ra_status find_field(struct job *job, uint64_t record, uint64_t key,
                                 struct ra_offload_image *image, struct ra_span **ret)
{
    uint8_t bytes[KEY_SIZE];
    struct ra_span span;
    enum ra_status status;

    *ret = NULL;
    if (!is_before_images(job, key, 1))
        return outside(job, record, "the name of a string", key, 1);
    status = ra_source_peek(&job->content, key - job->shift, sizeof(bytes), job->diags,
                            bytes, &span);
    if (status != RA_OK)
        return status;
    if (span.size >= sizeof("triple") && memcmp(bytes, "triple", sizeof("triple")) == 0)
        *ret = &image->triple;
    else if (span.size >= sizeof("arch") && memcmp(bytes, "arch", sizeof("arch")) == 0)
        *ret = &image->arch;
    return RA_OK;
}

static enum ra_status read_string(struct job *job, uint64_t record,
                                  struct ra_offload_image *image)
{
    uint8_t bytes[STRING_SIZED];
    bool sized = job->offload->version > 1;
    struct ra_span head = { bytes, sized ? STRING_SIZED : STRING_FIRST, 0 };
    struct ra_cursor cur = ra_cursor_over(head);
    struct ra_span *field = NULL;
    uint64_t key, value, size = 0;
    enum ra_status status =
        ra_source_read(&job->content, record - job->shift, head.size, job->diags, bytes);

    if (status != RA_OK)
        return status;
    key = ra_cursor_u64le(&cur);
    value = ra_cursor_u64le(&cur);
    if (sized)
        size = ra_cursor_u64le(&cur);
    status = find_field(job, record, key, image, &field);
    if (status == RA_OK && field && !sized)
        status = measure(job, record, value, &size);
    return status == RA_OK && field ? read_text(job, record, value, size, field) : status;
}

static enum ra_status read_strings(struct job *job, const struct strings *strings,
                                   struct ra_offload_image *image)
{
    uint64_t each = job->offload->version > 1 ? STRING_SIZED : STRING_FIRST;
    enum ra_status status = RA_OK;

    if (strings->count > 0 &&
        !is_before_images(job, strings->offset, strings->count * each))
        return outside(job, job->offload->entries, "the strings of an image",
                       strings->offset, strings->count * each);
    for (uint64_t i = 0; status == RA_OK && i < strings->count; i++)
        status = read_string(job, strings->offset + i * each, image);
    return status;
}

/* ---- entries ---------------------------------------------------------------- */

/* An image without bytes may stand anywhere: there is nothing to read. */
static enum ra_status check_image(const struct job *job, uint64_t record,
                                  const struct ra_offload_image *image)
{
    uint64_t first = job->offload->entries + job->offload->count * ENTRY_SIZE;

    if (image->size == 0)
        return RA_OK;
    if (image->offset < first || !is_inside(job, image->offset, image->size))
        return outside(job, record, "an image", image->offset, image->size);
    return RA_OK;
}

static enum ra_status read_entry(struct job *job, uint64_t record,
                                 struct ra_offload_image *ret, struct strings *strings)
{
    uint8_t bytes[ENTRY_SIZE];
    struct ra_cursor cur = ra_cursor_over((struct ra_span){ bytes, sizeof(bytes), 0 });
    enum ra_status status = ra_source_read(&job->content, record - job->shift,
                                           sizeof(bytes), job->diags, bytes);

    if (status != RA_OK)
        return status;
    ret->kind = ra_cursor_u16le(&cur);
    ret->producer = ra_cursor_u16le(&cur);
    ret->flags = ra_cursor_u32le(&cur);
    strings->offset = ra_cursor_u64le(&cur);
    strings->count = ra_cursor_u64le(&cur);
    ret->offset = ra_cursor_u64le(&cur);
    ret->size = ra_cursor_u64le(&cur);
    ret->metadata_only = job->offload->version > 1 && (ret->flags & FLAG_METADATA);
    if (ret->metadata_only && ret->size > 0)
        return outside(job, record, "an image that is said not to be there", ret->offset,
                       ret->size);
    if (strings->count > RA_OFFLOAD_MAX_STRINGS)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_BUNDLE_LIMIT,
                        place_of(job, record), "%" PRIu64 " strings of an image",
                        strings->count);
    return check_image(job, record, ret);
}

/* Entries may not share their strings, or a small blob could stand for endless work. */
static enum ra_status check_strings(const struct job *job, const struct strings *strings)
{
    uint64_t most = job->content.size / STRING_FIRST, sum = 0;

    for (size_t i = 0; i < job->table->count; i++)
        sum += strings[i].count; /* RA_OFFLOAD_MAX_STRINGS each at most */
    return sum <= most ? RA_OK
                       : outside(job, job->offload->entries, "the strings",
                                 job->offload->entries, sum * STRING_FIRST);
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_offload_image *const *a = left, *const *b = right;

    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* No two images may share bytes, for the same reason; notes where the first one is. */
static enum ra_status check_order(struct job *job)
{
    struct ra_offload_table *table = job->table;
    struct ra_offload_image **sorted =
        reallocarray(NULL, table->count + 1, sizeof(*sorted));
    uint64_t end = 0;
    enum ra_status status = sorted ? RA_OK : RA_E_NOMEM;

    job->first = job->shift + job->content.size;
    for (size_t i = 0; sorted && i < table->count; i++)
        sorted[i] = &table->images[i];
    if (sorted)
        qsort(sorted, table->count, sizeof(sorted[0]), by_offset);
    for (size_t i = 0; status == RA_OK && i < table->count; i++) {
        const struct ra_offload_image *image = sorted[i];

        if (image->size == 0)
            continue;
        if (image->offset < end)
            status = ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_OFFLOAD_BAD,
                              place_of(job, image->offset),
                              "an image starts at %" PRIu64 ", before %" PRIu64,
                              image->offset, end);
        if (end == 0)
            job->first = image->offset;
        end = image->offset + image->size; /* check_image() saw that it is inside */
    }
    free(sorted);
    return status;
}

static enum ra_status read_table(struct job *job, struct strings *strings)
{
    struct ra_offload_table *table = job->table;
    uint64_t at = job->offload->entries;
    enum ra_status status = RA_OK;

    for (; status == RA_OK && table->count < job->offload->count; at += ENTRY_SIZE) {
        status =
            read_entry(job, at, &table->images[table->count], &strings[table->count]);
        table->count++;
    }
    if (status == RA_OK)
        status = check_strings(job, strings);
    if (status == RA_OK)
        status = check_order(job);
    if (status == RA_OK)
        status = ra_source_hold(&job->content, 0, job->first - job->shift);
    for (size_t i = 0; status == RA_OK && i < table->count; i++)
        status = read_strings(job, &strings[i], &table->images[i]);
    return status;
}

enum ra_status ra_offload_images(const struct ra_offload *offload,
                                 const struct ra_source *content, struct ra_arena *arena,
                                 struct ra_diags *diags, struct ra_offload_table *ret)
{
    struct job job = {
        .offload = offload,
        .content = *content,
        .shift = ra_offload_shift(offload),
        .arena = arena,
        .diags = diags,
        .table = ret,
    };
    struct strings *strings;
    enum ra_status status;

    *ret = (struct ra_offload_table){ 0 };
    if (offload->count > RA_OFFLOAD_MAX_IMAGES)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_BUNDLE_LIMIT,
                        ra_source_place(content, 0), "%" PRIu64 " entries",
                        offload->count);
    if (!is_inside(&job, offload->entries, offload->count * ENTRY_SIZE))
        return outside(&job, offload->entries, "its entries", offload->entries,
                       offload->count * ENTRY_SIZE);
    ret->images = ra_new(arena, struct ra_offload_image, (size_t)offload->count);
    strings = reallocarray(NULL, (size_t)offload->count + 1, sizeof(*strings));
    status = ret->images && strings ? read_table(&job, strings) : RA_E_NOMEM;
    free(strings);
    return status;
}

/* ---- what an image is for --------------------------------------------------- */

const char *ra_offload_word(const struct ra_offload_image *image)
{
    switch (image->producer) {
    case RA_OFFLOAD_OPENMP:
        return "openmp";
    case RA_OFFLOAD_CUDA:
        return "cuda";
    case RA_OFFLOAD_HIP:
        return "hip";
    case RA_OFFLOAD_SYCL:
        return "sycl";
    default:
        return "other";
    }
}

bool ra_offload_is_amd(const struct ra_offload_image *image)
{
    static const char *const starts[] = { "amdgcn", "amdgpu", "spirv64-amd-" };
    struct ra_span triple = image->triple;

    for (size_t i = 0; i < RA_COUNT(starts); i++)
        if (triple.size >= strlen(starts[i]) &&
            memcmp(triple.data, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}
