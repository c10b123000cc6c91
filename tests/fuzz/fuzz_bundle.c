/* Entry tables: what is accepted lies inside, apart from each other, and adds up. */
#include "bundle/table.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int by_offset(const void *left, const void *right)
{
    const struct ra_table_entry *a = left, *b = right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Sorts the entries: they are ours by now. */
static void check_contents(const struct ra_table *table, uint64_t size)
{
    uint64_t end = table->table_size;

    qsort(table->entries, table->count, sizeof(table->entries[0]), by_offset);
    for (size_t i = 0; i < table->count; i++) {
        const struct ra_table_entry *entry = &table->entries[i];

        if (entry->size == 0)
            continue;
        assert(entry->offset >= end);
        assert(entry->offset <= size && entry->size <= size - entry->offset);
        end = entry->offset + entry->size;
    }
    assert(table->end == end && end <= size);
}

static void check_table(const struct ra_table *table, const uint8_t *data, uint64_t size)
{
    uint64_t pos = RA_BUNDLE_MAGIC_SIZE + 8;

    assert(table->count > 0 && table->count <= RA_BUNDLE_MAX_ENTRIES);
    for (size_t i = 0; i < table->count; i++) {
        struct ra_span id = table->entries[i].id;

        pos += 3 * 8;
        assert(id.base == pos && id.size <= RA_BUNDLE_MAX_ID && id.size <= size - pos);
        assert(memcmp(id.data, data + pos, id.size) == 0);
        pos += id.size;
    }
    assert(pos == table->table_size);
    check_contents(table, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span span = { data, size, 0 };
    struct ra_source source = ra_source_over(span);
    struct ra_arena arena = { .limit = (size_t)64 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_table table;
    enum ra_status status = ra_table_read(&source, &arena, &diags, &table);

    assert(status == RA_OK || status == RA_E_FORMAT || status == RA_E_LIMIT);
    assert(diags.count == (status != RA_OK) && diags.errors == diags.count);
    if (status == RA_OK) {
        assert(ra_table_probe(span));
        check_table(&table, data, size);
    }
    ra_arena_free(&arena);
    return 0;
}
