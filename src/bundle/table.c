#include "bundle/table.h"

#include "io/reader.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEADER_SIZE (RA_BUNDLE_MAGIC_SIZE + 8) /* the magic and a count */
#define ENTRY_SIZE  24                         /* offset, size, size of the id */

struct job {
    struct ra_reader reader;
    struct ra_source source;
    struct ra_arena *arena;
    struct ra_diags *diags;
    struct ra_table *table;
};

bool ra_table_probe(struct ra_span head)
{
    return head.size >= RA_BUNDLE_MAGIC_SIZE &&
           memcmp(head.data, RA_BUNDLE_MAGIC, RA_BUNDLE_MAGIC_SIZE) == 0;
}

static enum ra_status read_id(struct job *job, uint64_t size, struct ra_place place,
                              struct ra_span *ret)
{
    struct ra_span bytes;
    enum ra_status status;

    if (size > RA_BUNDLE_MAX_ID)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_BUNDLE_LIMIT, place,
                        "an entry ID of %" PRIu64 " bytes", size);
    status = ra_reader_take(&job->reader, (size_t)size, &bytes);
    if (status != RA_OK)
        return status;
    *ret = (struct ra_span){
        .data = (uint8_t *)ra_arena_text(job->arena, bytes.data, bytes.size),
        .size = bytes.size,
        .base = bytes.base,
    };
    return ret->data ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_entry(struct job *job, struct ra_table_entry *ret)
{
    struct ra_place place = ra_source_place(&job->source, job->reader.pos);
    uint64_t room = job->source.size;
    struct ra_span bytes;
    struct ra_cursor cur;
    uint64_t id_size;
    enum ra_status status = ra_reader_take(&job->reader, ENTRY_SIZE, &bytes);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(bytes);
    ret->offset = ra_cursor_u64le(&cur);
    ret->size = ra_cursor_u64le(&cur);
    id_size = ra_cursor_u64le(&cur);
    if (ret->size > 0 && (ret->offset > room || ret->size > room - ret->offset))
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_BUNDLE_ENTRY_OUTSIDE, place,
                        "entry %zu: %" PRIu64 " bytes at %" PRIu64 " of %" PRIu64,
                        job->table->count - 1, ret->size, ret->offset, room);
    return read_id(job, id_size, place, &ret->id);
}

static enum ra_status read_header(struct job *job, uint64_t *count)
{
    struct ra_span bytes;
    struct ra_cursor cur;
    enum ra_status status = ra_reader_take(&job->reader, HEADER_SIZE, &bytes);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(bytes);
    if (!ra_cursor_match(&cur, RA_BUNDLE_MAGIC, RA_BUNDLE_MAGIC_SIZE))
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_BUNDLE_BAD,
                        ra_source_place(&job->source, 0), "another magic stands there");
    *count = ra_cursor_u64le(&cur);
    if (*count == 0 || *count > RA_BUNDLE_MAX_ENTRIES)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_BUNDLE_LIMIT,
                        ra_source_place(&job->source, RA_BUNDLE_MAGIC_SIZE),
                        "%" PRIu64 " entries", *count);
    return RA_OK;
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_table_entry *const *a = left, *const *b = right;

    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* No two entries may share bytes, or a small file could stand for endless work. */
static enum ra_status check_order(struct job *job)
{
    struct ra_table *table = job->table;
    struct ra_table_entry **sorted = reallocarray(NULL, table->count, sizeof(*sorted));
    enum ra_status status = sorted ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; sorted && i < table->count; i++)
        sorted[i] = &table->entries[i];
    if (sorted)
        qsort(sorted, table->count, sizeof(sorted[0]), by_offset);
    table->end = table->table_size;
    for (size_t i = 0; status == RA_OK && i < table->count; i++) {
        const struct ra_table_entry *entry = sorted[i];

        if (entry->size == 0)
            continue;
        if (entry->offset < table->end)
            status = ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_BUNDLE_ENTRY_OVERLAP,
                              ra_source_place(&job->source, entry->offset),
                              "an entry starts at %" PRIu64 ", before %" PRIu64,
                              entry->offset, table->end);
        table->end = entry->offset + entry->size; /* read_entry() saw it is inside */
    }
    free(sorted);
    return status;
}

/* Memory grows with what is there, not with what is claimed. */
static enum ra_status make_room(struct job *job, size_t *room)
{
    struct ra_table *table = job->table;
    size_t more = *room ? *room * 2 : 16;
    struct ra_table_entry *entries;

    if (table->count < *room)
        return RA_OK;
    entries = ra_new(job->arena, struct ra_table_entry, more);
    if (!entries)
        return RA_E_NOMEM;
    if (table->count)
        memcpy(entries, table->entries, table->count * sizeof(*entries));
    table->entries = entries;
    *room = more;
    return RA_OK;
}

enum ra_status ra_table_read(const struct ra_source *source, struct ra_arena *arena,
                             struct ra_diags *diags, struct ra_table *ret)
{
    struct job job;
    uint64_t count = 0;
    size_t room = 0;
    enum ra_status status;

    *ret = (struct ra_table){ 0 };
    job.source = *source;
    job.arena = arena;
    job.diags = diags;
    job.table = ret;
    ra_reader_start(source, diags, RA_DIAG_BUNDLE_TRUNCATED, &job.reader);
    status = read_header(&job, &count);
    if (status != RA_OK)
        return status;
    while (status == RA_OK && ret->count < count) {
        status = make_room(&job, &room);
        if (status == RA_OK)
            status = read_entry(&job, &ret->entries[ret->count++]);
    }
    ret->table_size = job.reader.pos;
    return status == RA_OK ? check_order(&job) : status;
}
