#include "bundle/table.h"

#include "cuts.h"
#include "gen/bundle.h"
#include "told.h"

/* ClangOffloadBundler.rst, "Bundled Binary File Layout". */
enum { MAGIC = 24 };

static enum ra_status read_table(const struct fx *fx, struct told *told,
                                 struct ra_table *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_table_read(&source, &told->arena, &told->diags, ret);
}

/* A host and two code objects of 20 and 30 bytes. */
static struct fx_bundle_at build(struct fx *fx, size_t align, bool backwards)
{
    struct fx one = { 0 };
    struct fx two = { 0 };
    const struct fx_entry entries[] = {
        { FX_HOST, NULL },
        { FX_HIP("gfx90a:xnack-"), &one },
        { FX_HIP("gfx1030"), &two },
    };
    struct fx_bundle_at at;

    fx_pad(&one, 20);
    fx_pad(&two, 30);
    at = fx_bundle(fx, &(struct fx_bundle){ .entries = entries,
                                            .count = RA_COUNT(entries),
                                            .align = align,
                                            .backwards = backwards });
    fx_free(&one);
    fx_free(&two);
    return at;
}

static bool id_is(const struct ra_table_entry *entry, const char *text)
{
    return entry->id.size == strlen(text) &&
           memcmp(entry->id.data, text, entry->id.size) == 0;
}

static void assert_reads(size_t align, bool backwards)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at = build(&fx, align, backwards);
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    cr_assert_eq(read_table(&fx, &told, &table), RA_OK, "align %zu", align);
    cr_assert_eq(table.count, 3);
    cr_assert_eq(table.table_size, at.entry[2].id + strlen(FX_HIP("gfx1030")));
    cr_assert_eq(table.end, at.entry[backwards ? 1 : 2].content + (backwards ? 20 : 30));
    cr_assert(id_is(&table.entries[0], FX_HOST));
    cr_assert(id_is(&table.entries[1], FX_HIP("gfx90a:xnack-")));
    cr_assert(id_is(&table.entries[2], FX_HIP("gfx1030")));
    cr_assert_eq(table.entries[0].size, 0);
    cr_assert_eq(table.entries[1].size, 20);
    cr_assert_eq(table.entries[2].size, 30);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(table.entries[i].offset, at.entry[i].content);
        cr_assert_eq(table.entries[i].id.base, at.entry[i].id);
    }
    assert_silent(told);
    fx_free(&fx);
}

Test(table, entries_are_those_that_were_built_at_any_alignment)
{
    static const size_t aligns[] = { 4096, 16, 8, 3, 1 };

    for (size_t i = 0; i < RA_COUNT(aligns); i++) {
        assert_reads(aligns[i], false);
        assert_reads(aligns[i], true);
    }
}

Test(table, the_probe_wants_the_whole_magic)
{
    struct ra_span magic = { (const uint8_t *)"__CLANG_OFFLOAD_BUNDLE__", MAGIC, 0 };
    struct ra_span text = { (const uint8_t *)"__CLANG_OFFLOAD_BUNDLE____START__ ", 34,
                            0 };

    cr_assert(ra_table_probe(magic));
    magic.size--;
    cr_assert_not(ra_table_probe(magic));
    cr_assert(ra_table_probe(text)); /* whose count then is absurd */
}

/* The form of text files repeats the magic's last underscores. */
Test(table, a_text_bundle_is_refused)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    fx_text(&fx, "__CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx90a\n");
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_LIMIT);
    assert_told(told, BUNDLE_LIMIT);
    fx_free(&fx);
}

Test(table, another_magic_is_told)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    for (size_t i = 0; i < MAGIC; i++) {
        build(&fx, 1, false);
        fx_poke(&fx, i, 1, 'x');
        cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
        assert_told(told, BUNDLE_BAD);
        fx_free(&fx);
    }
}

Test(table, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at = build(&fx, 1, false);
    struct told told = TOLD_INIT(told);
    struct ra_table table;
    size_t table_size = at.entry[1].content;

    for (size_t size = 0; size < fx.size; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);

        cr_assert_eq(read_table(&cut, &told, &table), RA_E_FORMAT, "%zu", size);
        if (strcmp(told_name(&told), "bundle-entry-outside") == 0)
            assert_told(told, BUNDLE_ENTRY_OUTSIDE);
        else {
            cr_assert_lt(size, table_size);
            assert_told(told, BUNDLE_TRUNCATED);
        }
        fx_free(&cut);
    }
    fx_free(&fx);
}

/* The code objects far behind, a table that is cut is just that. */
Test(table, a_table_longer_than_its_source_is_truncated)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at = build(&fx, 1, false);
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    for (size_t i = 0; i < 3; i++)
        fx_poke(&fx, at.entry[i].size, 8, 0);
    for (size_t size = 0; size < at.entry[1].content; size++) {
        struct fx cut = cut_of(&fx, size);

        cr_assert_eq(read_table(&cut, &told, &table), RA_E_FORMAT, "%zu", size);
        assert_told(told, BUNDLE_TRUNCATED);
        fx_free(&cut);
    }
    fx_poke(&fx, at.count, 8, 4); /* an entry more than there are bytes for */
    fx_cut(&fx, at.entry[1].content + 10);
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, BUNDLE_TRUNCATED);
    fx_free(&fx);
}

/* ---- fields ------------------------------------------------------------- */

enum field { OFFSET, SIZE, ID_SIZE, ENTRIES };

static size_t place(const struct fx_bundle_at *at, enum field field)
{
    static const size_t last = 2;

    if (field == ENTRIES)
        return at->count;
    if (field == OFFSET)
        return at->entry[last].offset;
    return field == SIZE ? at->entry[last].size : at->entry[last].id_size;
}

#define assert_poked(field, value, status, code)                                         \
    do {                                                                                 \
        struct fx fx = { 0 };                                                            \
        struct fx_bundle_at at = build(&fx, 1, false);                                   \
        struct told told = TOLD_INIT(told);                                              \
        struct ra_table table;                                                           \
                                                                                         \
        fx_poke(&fx, place(&at, field), 8, value);                                       \
        cr_assert_eq(read_table(&fx, &told, &table), status, #field " " #value);         \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

Test(table, each_field_is_checked)
{
    struct fx whole = { 0 };
    uint64_t size;

    build(&whole, 1, false);
    size = whole.size;
    fx_free(&whole);
    assert_poked(ENTRIES, 0, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(ENTRIES, RA_BUNDLE_MAX_ENTRIES + 1, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(ENTRIES, 1ull << 32, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(ENTRIES, UINT64_MAX, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(OFFSET, 0, RA_E_FORMAT, BUNDLE_ENTRY_OVERLAP);
    assert_poked(OFFSET, 1, RA_E_FORMAT, BUNDLE_ENTRY_OVERLAP);
    assert_poked(OFFSET, size - 1, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(OFFSET, size, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(OFFSET, UINT64_MAX, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(OFFSET, UINT64_MAX - 29, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(SIZE, 31, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(SIZE, size - 1, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(SIZE, size, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(SIZE, UINT64_MAX, RA_E_FORMAT, BUNDLE_ENTRY_OUTSIDE);
    assert_poked(ID_SIZE, size, RA_E_FORMAT, BUNDLE_TRUNCATED);
    assert_poked(ID_SIZE, RA_BUNDLE_MAX_ID, RA_E_FORMAT, BUNDLE_TRUNCATED);
    assert_poked(ID_SIZE, RA_BUNDLE_MAX_ID + 1, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(ID_SIZE, 1ull << 63, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(ID_SIZE, UINT64_MAX, RA_E_LIMIT, BUNDLE_LIMIT);
}

/* Where the program says that it is matters to whoever looks there. */
Test(table, a_fault_is_told_where_it_is)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at;
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    fx_pad(&fx, 100);
    at = build(&fx, 1, false);
    fx_poke(&fx, at.entry[2].size, 8, UINT64_MAX);
    {
        struct ra_source whole = fx_source(&fx), source = ra_source_from(&whole, 100);

        cr_assert_eq(ra_table_read(&source, &told.arena, &told.diags, &table),
                     RA_E_FORMAT);
    }
    cr_assert_eq(told.diags.first->offset, at.entry[2].offset);
    cr_assert_eq(told.diags.first->inner, RA_NOT_EXPANDED);
    assert_told(told, BUNDLE_ENTRY_OUTSIDE);
    fx_free(&fx);
}

Test(table, an_entry_of_size_0_may_point_anywhere)
{
    static const uint64_t offsets[] = { 0, 1, 1ull << 63, UINT64_MAX };

    for (size_t i = 0; i < RA_COUNT(offsets); i++) {
        struct fx fx = { 0 };
        struct fx_bundle_at at = build(&fx, 1, false);
        struct told told = TOLD_INIT(told);
        struct ra_table table;

        fx_poke(&fx, at.entry[0].offset, 8, offsets[i]);
        cr_assert_eq(read_table(&fx, &told, &table), RA_OK);
        cr_assert_eq(table.entries[0].offset, offsets[i]);
        cr_assert_eq(table.end, fx.size);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(table, entries_that_share_a_byte_are_refused)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at = build(&fx, 1, false);
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    fx_poke(&fx, at.entry[2].offset, 8, at.entry[1].content + 19);
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, BUNDLE_ENTRY_OVERLAP);
    fx_poke(&fx, at.entry[2].offset, 8, at.entry[1].content + 20);
    cr_assert_eq(read_table(&fx, &told, &table), RA_OK);
    assert_silent(told);
    /* The last byte of the table is taken too. */
    fx_poke(&fx, at.entry[1].offset, 8, at.entry[1].content - 1);
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, BUNDLE_ENTRY_OVERLAP);
    fx_free(&fx);
}

Test(table, the_same_entry_twice_shares_bytes)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at = build(&fx, 1, false);
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    fx_poke(&fx, at.entry[2].offset, 8, at.entry[1].content);
    fx_poke(&fx, at.entry[2].size, 8, 20);
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, BUNDLE_ENTRY_OVERLAP);
    fx_free(&fx);
}

/* ---- sizes -------------------------------------------------------------- */

static void put_header(struct fx *fx, uint64_t count)
{
    fx_text(fx, "__CLANG_OFFLOAD_BUNDLE__");
    fx_u64(fx, count);
}

/* No padding between rows: each starts at another alignment. */
static void put_row(struct fx *fx, const char *id, size_t id_size)
{
    fx_u64(fx, 0);
    fx_u64(fx, 0);
    fx_u64(fx, id_size);
    fx_bytes(fx, id, id_size);
}

Test(table, as_many_entries_as_the_limit_are_read)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    put_header(&fx, RA_BUNDLE_MAX_ENTRIES);
    for (size_t i = 0; i < RA_BUNDLE_MAX_ENTRIES; i++)
        put_row(&fx, FX_HIP("gfx90a:sramecc+:xnack-"), 30 + i % 10);
    cr_assert_gt(fx.size, 10 * 4096);
    cr_assert_eq(read_table(&fx, &told, &table), RA_OK);
    cr_assert_eq(table.count, RA_BUNDLE_MAX_ENTRIES);
    cr_assert_eq(table.table_size, fx.size);
    cr_assert_eq(table.end, fx.size);
    for (size_t i = 0; i < table.count; i++) {
        cr_assert_eq(table.entries[i].id.size, 30 + i % 10);
        cr_assert_eq(memcmp(table.entries[i].id.data, FX_HIP("gfx90a:sramecc+:xnack-"),
                            30 + i % 10),
                     0);
    }
    assert_silent(told);
    fx_free(&fx);
}

Test(table, ids_of_any_size_up_to_the_limit_are_kept_as_bytes)
{
    static const char bytes[RA_BUNDLE_MAX_ID] = "\0\x1b[31m\xff\n";
    static const size_t sizes[] = { 0, 1, 7, RA_BUNDLE_MAX_ID - 1, RA_BUNDLE_MAX_ID };
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    put_header(&fx, RA_COUNT(sizes));
    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        put_row(&fx, bytes, sizes[i]);
    cr_assert_eq(read_table(&fx, &told, &table), RA_OK);
    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        cr_assert_eq(table.entries[i].id.size, sizes[i]);
        cr_assert_eq(memcmp(table.entries[i].id.data, bytes, sizes[i]), 0);
    }
    assert_silent(told);
    fx_free(&fx);
}

/* Memory grows with what is there: the claim of 4096 entries alone costs next to none. */
Test(table, memory_follows_the_bytes_and_not_the_claim)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    put_header(&fx, RA_BUNDLE_MAX_ENTRIES);
    put_row(&fx, "hip", 3);
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_FORMAT);
    cr_assert_lt(told.arena.used, 4096);
    assert_told(told, BUNDLE_TRUNCATED);
    fx_free(&fx);
}

Test(table, no_memory_is_no_fault_of_the_file)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    build(&fx, 1, false);
    told.arena.limit = 64;
    cr_assert_eq(read_table(&fx, &told, &table), RA_E_NOMEM);
    assert_silent(told);
    fx_free(&fx);
}

Test(table, what_stands_before_the_bundle_does_not_count)
{
    struct fx fx = { 0 };
    struct fx_bundle_at at;
    struct ra_source whole, source;
    struct told told = TOLD_INIT(told);
    struct ra_table table;

    fx_text(&fx, "seventeen bytes  ");
    at = build(&fx, 16, false);
    fx_text(&fx, "and what follows");
    whole = fx_source(&fx);
    source = ra_source_from(&whole, at.start);
    cr_assert_eq(ra_table_read(&source, &told.arena, &told.diags, &table), RA_OK);
    cr_assert_eq(table.end, at.end - at.start);
    cr_assert_eq(table.entries[2].offset, at.entry[2].content - at.start);
    assert_silent(told);
    fx_free(&fx);
}
