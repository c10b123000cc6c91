#include "bundle/fatbin.h"

#include "codec/expanded.h"
#include "cuts.h"
#include "gen/bundle.h"
#include "told.h"

enum { PIECES = 32 };

/* What a walk met. */
struct walk {
    struct met {
        uint64_t start, end; /* end 0: not known */
        const char *container;
        enum ra_status status;
    } met[PIECES];
    size_t count;
};

/* As the program does it: expand what has no size to find out where it ends. */
static uint64_t measure(const struct ra_piece *piece, struct ra_diags *diags)
{
    struct ra_source payload = ra_source_from(&piece->source, piece->ccob.header);
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_expand how = {
        .codec = piece->ccob.codec,
        .size = piece->ccob.expanded,
        .one_frame = true,
        .workspaces = workspaces,
    };
    struct ra_expanded *expanded;
    uint64_t used = 0, md5;

    if (ra_expanded_open(&payload, &how, diags, &expanded) == RA_OK) {
        if (ra_expanded_finish(expanded, &used, &md5) != RA_OK)
            used = 0;
        ra_expanded_close(expanded);
    }
    ra_workspaces_free(workspaces);
    return used ? piece->ccob.header + used : 0;
}

static void note(struct walk *walk, const struct ra_piece *piece, uint64_t size)
{
    struct met *met = &walk->met[walk->count++];

    cr_assert_lt(walk->count, PIECES, "more pieces than any test has");
    *met = (struct met){
        .start = piece->source.base,
        .end = size ? piece->source.base + size : 0,
        .container = piece->container,
        .status = piece->status,
    };
}

static void walk_source(const struct ra_source *source, struct told *told,
                        struct walk *ret)
{
    struct ra_fatbin fatbin;
    struct ra_piece piece;
    bool more = true;

    *ret = (struct walk){ 0 };
    ra_fatbin_open(source, &told->arena, &told->diags, &fatbin);
    while (true) {
        uint64_t size = 0;

        cr_assert_eq(ra_fatbin_next(&fatbin, &piece, &more), RA_OK);
        if (!more)
            return;
        if (piece.status == RA_OK && piece.has_size)
            size = piece.source.size;
        else if (piece.status == RA_OK) {
            size = measure(&piece, &told->diags);
            cr_assert_eq(ra_fatbin_pass(&fatbin, size), RA_OK);
        }
        note(ret, &piece, size);
    }
}

static void walk_over(const struct fx *fx, struct told *told, struct walk *ret)
{
    struct ra_source source = fx_source(fx);

    walk_source(&source, told, ret);
}

/* ---- builders ----------------------------------------------------------- */

/* A plain bundle with some bytes for gfx90a that look like the start of others. */
static void put_plain(struct fx *fx, size_t align)
{
    struct fx code = { 0 };
    const struct fx_entry entries[] = { { FX_HOST, NULL }, { FX_HIP("gfx90a"), &code } };

    fx_bytes(&code, "CCOB\2\0\1\0", 8);
    fx_text(&code, "__CLANG_OFFLOAD_BUNDLE__");
    fx_pad(&code, 60);
    fx_u8(&code, 1); /* so that no zero belongs to the end */
    fx_bundle(fx, &(struct fx_bundle){ .entries = entries, .count = 2, .align = align });
    fx_free(&code);
}

static void put_ccob(struct fx *fx, unsigned version, enum fx_codec codec)
{
    struct fx inner = { 0 };

    put_plain(&inner, 1);
    fx_ccob(fx,
            &(struct fx_ccob){ .version = version, .codec = codec, .content = &inner });
    fx_free(&inner);
}

/* What a row of containers is made of. */
static const struct {
    const char *name;
    unsigned version; /* 0: plain */
    enum fx_codec codec;
} kinds[] = {
    { "plain", 0, FX_ZLIB },   { "ccob3", 3, FX_ZSTD },   { "ccob1", 1, FX_ZSTD },
    { "ccob2", 2, FX_ZLIB },   { "ccob1", 1, FX_ZLIB },   { "plain", 0, FX_ZLIB },
    { "ccob1", 1, FX_STORED }, { "ccob2", 2, FX_STORED }, { "ccob3", 3, FX_STORED },
};

static void put(struct fx *fx, size_t kind)
{
    if (kinds[kind].version == 0)
        put_plain(fx, 1);
    else
        put_ccob(fx, kinds[kind].version, kinds[kind].codec);
}

/* ---- bundles one after another -------------------------------------------------------
 */

static void assert_row(size_t align, size_t ahead)
{
    struct fx fx = { 0 };
    size_t start[RA_COUNT(kinds)], end[RA_COUNT(kinds)];
    struct told told = TOLD_INIT(told);
    struct walk walk;

    fx_pad(&fx, ahead);
    for (size_t i = 0; i < RA_COUNT(kinds); i++) {
        fx_align(&fx, align);
        start[i] = fx.size;
        put(&fx, i);
        end[i] = fx.size;
    }
    walk_over(&fx, &told, &walk);
    cr_assert_eq(walk.count, RA_COUNT(kinds), "align %zu: %zu", align, walk.count);
    for (size_t i = 0; i < walk.count; i++) {
        cr_assert_eq(walk.met[i].status, RA_OK);
        cr_assert_eq(walk.met[i].start, start[i], "align %zu, %zu", align, i);
        cr_assert_eq(walk.met[i].end, end[i], "align %zu, %zu", align, i);
        cr_assert_str_eq(walk.met[i].container, kinds[i].name);
    }
    assert_silent(told);
    fx_free(&fx);
}

Test(fatbin, bundles_of_all_kinds_are_found_at_any_alignment)
{
    static const size_t aligns[] = { 4096, 256, 16, 8, 7, 3, 1 };

    for (size_t i = 0; i < RA_COUNT(aligns); i++) {
        assert_row(aligns[i], 0);
        assert_row(aligns[i], 1);
        assert_row(aligns[i], 4097);
    }
}

Test(fatbin, zeros_around_bundles_are_no_fault)
{
    static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 20000 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx fx = { 0 };
        struct told told = TOLD_INIT(told);
        struct walk walk;

        put_plain(&fx, 4096);
        fx_pad(&fx, fx.size + sizes[i]); /* clang 15 and older left one */
        walk_over(&fx, &told, &walk);
        cr_assert_eq(walk.count, 1, "%zu", sizes[i]);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(fatbin, nothing_but_zeros_holds_no_bundle)
{
    static const size_t sizes[] = { 0, 1, 4096, 10000 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx fx = { 0 };
        struct told told = TOLD_INIT(told);
        struct walk walk;

        fx_pad(&fx, sizes[i]);
        walk_over(&fx, &told, &walk);
        cr_assert_eq(walk.count, 0);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(fatbin, a_part_of_a_file_is_walked_to_its_own_end)
{
    struct fx fx = { 0 };
    struct ra_source whole, part;
    struct told told = TOLD_INIT(told);
    struct walk walk;
    size_t start, end;

    fx_text(&fx, "something else");
    start = fx.size;
    put_plain(&fx, 16);
    end = fx.size;
    put_plain(&fx, 16);
    whole = fx_source(&fx);
    cr_assert(ra_source_sub(&whole, start, end - start, &part));
    walk_source(&part, &told, &walk);
    cr_assert_eq(walk.count, 1);
    cr_assert_eq(walk.met[0].start, start, "counted from the start of the file");
    cr_assert_eq(walk.met[0].end, end);
    assert_silent(told);
    fx_free(&fx);
}

Test(fatbin, the_probe_knows_both_magics)
{
    struct fx fx = { 0 };

    put_plain(&fx, 1);
    cr_assert(ra_fatbin_probe(fx_span(&fx)));
    fx_free(&fx);
    put_ccob(&fx, 2, FX_ZSTD);
    cr_assert(ra_fatbin_probe(fx_span(&fx)));
    fx_poke(&fx, 4, 2, 9); /* of a version to come */
    cr_assert(ra_fatbin_probe(fx_span(&fx)));
    fx_poke(&fx, 4, 2, 0x7473); /* CCOBst, a word */
    cr_assert_not(ra_fatbin_probe(fx_span(&fx)));
    fx_free(&fx);
}

/* ---- damage
 * ---------------------------------------------------------------------------- */

Test(fatbin, noise_between_bundles_is_told_once_and_stepped_over)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct walk walk;
    size_t noise, next;

    put_plain(&fx, 1);
    noise = fx.size;
    fx_text(&fx, "noise that is CCOB no bundle __CLANG_OFFLOAD_BUNDLE_");
    next = fx.size;
    put_ccob(&fx, 3, FX_ZSTD);
    walk_over(&fx, &told, &walk);
    cr_assert_eq(walk.count, 3);
    cr_assert_str_eq(walk.met[1].container, "unknown");
    cr_assert_eq(walk.met[1].status, RA_E_FORMAT);
    cr_assert_eq(walk.met[1].start, noise);
    cr_assert_eq(walk.met[2].start, next);
    cr_assert_eq(walk.met[2].status, RA_OK);
    cr_assert_eq(told.diags.first->offset, noise);
    assert_told(told, FATBIN_UNEXPLAINED);
    fx_free(&fx);
}

/* Windows are 4096 bytes, and a magic may lie across their end. */
Test(fatbin, the_next_bundle_is_found_wherever_it_lies_in_a_window)
{
    for (size_t size = 4050; size < 4150; size++)
        for (size_t kind = 0; kind < 2; kind++) {
            struct fx fx = { 0 };
            struct told told = TOLD_INIT(told);
            struct walk walk;

            while (fx.size < size)
                fx_u8(&fx, 'n');
            put(&fx, kind);
            walk_over(&fx, &told, &walk);
            cr_assert_eq(walk.count, 2, "%zu", size);
            cr_assert_eq(walk.met[1].start, size);
            cr_assert_eq(walk.met[1].status, RA_OK);
            assert_told(told, FATBIN_UNEXPLAINED);
            fx_free(&fx);
        }
}

Test(fatbin, the_next_bundle_is_found_behind_windows_of_noise)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct walk walk;

    while (fx.size < 3 * 4096 + 1000)
        fx_text(&fx, "C_"); /* both letters that a magic starts with */
    put_plain(&fx, 1);
    walk_over(&fx, &told, &walk);
    cr_assert_eq(walk.count, 2);
    cr_assert_eq(walk.met[1].status, RA_OK);
    assert_told(told, FATBIN_UNEXPLAINED);
    fx_free(&fx);
}

/* The first of three is damaged at `at`; the others are found. */
#define assert_resynced(builder, at, width, value, code)                                 \
    do {                                                                                 \
        struct fx fx = { 0 };                                                            \
        struct told told = TOLD_INIT(told);                                              \
        struct walk walk;                                                                \
        size_t second, third;                                                            \
                                                                                         \
        builder;                                                                         \
        fx_poke(&fx, at, width, value);                                                  \
        fx_align(&fx, 4096);                                                             \
        second = fx.size;                                                                \
        put_ccob(&fx, 3, FX_ZSTD);                                                       \
        fx_align(&fx, 16);                                                               \
        third = fx.size;                                                                 \
        put_plain(&fx, 1);                                                               \
        walk_over(&fx, &told, &walk);                                                    \
        cr_assert_geq(walk.count, 3);                                                    \
        cr_assert_neq(walk.met[0].status, RA_OK);                                        \
        cr_assert_eq(walk.met[walk.count - 2].start, second);                            \
        cr_assert_eq(walk.met[walk.count - 1].start, third);                             \
        cr_assert_eq(walk.met[walk.count - 2].status, RA_OK);                            \
        cr_assert_eq(walk.met[walk.count - 1].status, RA_OK);                            \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

/* Whose content holds no magic, so that there is but one thing to find. */
static void put_quiet(struct fx *fx)
{
    struct fx code = { 0 };
    const struct fx_entry entries[] = { { FX_HOST, NULL }, { FX_HIP("gfx90a"), &code } };

    fx_text(&code, "quiet");
    fx_bundle(fx, &(struct fx_bundle){ .entries = entries, .count = 2, .align = 1 });
    fx_free(&code);
}

static void put_quiet_ccob(struct fx *fx, unsigned version)
{
    struct fx inner = { 0 };

    fx_text(&inner, "nothing here that looks like a bundle, nothing at all");
    fx_ccob(fx, &(struct fx_ccob){ version, FX_STORED, &inner, .no_hash = true });
    fx_free(&inner);
}

Test(fatbin, damage_costs_one_bundle_and_not_those_behind_it)
{
    assert_resynced(put_quiet(&fx), 24, 8, UINT64_MAX, BUNDLE_LIMIT);
    assert_resynced(put_quiet(&fx), 24, 8, 0, BUNDLE_LIMIT);
    assert_resynced(put_quiet(&fx), 48, 8, 1ull << 63, BUNDLE_LIMIT);
    assert_resynced(put_quiet(&fx), 40, 8, UINT64_MAX, BUNDLE_ENTRY_OUTSIDE);
    assert_resynced(put_quiet_ccob(&fx, 2), 8, 4, UINT32_MAX, CCOB_BAD);
    assert_resynced(put_quiet_ccob(&fx, 3), 8, 8, UINT64_MAX, CCOB_BAD);
    assert_resynced(put_quiet_ccob(&fx, 3), 8, 8, 0, CCOB_BAD);
    assert_resynced(put_quiet_ccob(&fx, 3), 4, 2, 9, CCOB_UNKNOWN);
    assert_resynced(put_quiet_ccob(&fx, 2), 6, 2, 7, CCOB_UNKNOWN);
    assert_resynced(put_quiet(&fx), 0, 1, 'x', FATBIN_UNEXPLAINED);
}

/* Version 1 ends nobody knows where, if its frame is damaged. */
Test(fatbin, a_damaged_version_1_is_searched_for_the_next)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct walk walk;
    size_t next;

    put_quiet_ccob(&fx, 1);
    fx_poke(&fx, 20 + 14, 1, 0xff); /* the header of the first block */
    next = fx.size;
    put_plain(&fx, 1);
    walk_over(&fx, &told, &walk);
    cr_assert_eq(walk.count, 2);
    cr_assert_eq(walk.met[0].end, 0);
    cr_assert_eq(walk.met[1].start, next);
    cr_assert_eq(walk.met[1].status, RA_OK);
    assert_told(told, CODEC_DAMAGED);
    fx_free(&fx);
}

Test(fatbin, a_size_beyond_the_end_is_not_believed)
{
    struct fx fx = { 0 };
    struct ra_source source;
    struct told told = TOLD_INIT(told);
    struct ra_fatbin fatbin;
    struct ra_piece piece;
    bool more;
    size_t next;

    put_quiet_ccob(&fx, 1);
    next = fx.size;
    put_plain(&fx, 1);
    source = fx_source(&fx);
    ra_fatbin_open(&source, &told.arena, &told.diags, &fatbin);
    cr_assert_eq(ra_fatbin_next(&fatbin, &piece, &more), RA_OK);
    cr_assert(more && !piece.has_size);
    cr_assert_eq(ra_fatbin_pass(&fatbin, UINT64_MAX), RA_OK);
    cr_assert_eq(ra_fatbin_next(&fatbin, &piece, &more), RA_OK);
    cr_assert(more && piece.source.base == next);
    cr_assert_eq(ra_fatbin_pass(&fatbin, 1), RA_OK, "nobody waits for it");
    cr_assert_eq(ra_fatbin_next(&fatbin, &piece, &more), RA_OK);
    cr_assert_not(more);
    assert_silent(told);
    fx_free(&fx);
}

static size_t count_whole(const struct walk *walk)
{
    size_t count = 0;

    for (size_t i = 0; i < walk->count; i++)
        count += walk->met[i].status == RA_OK && walk->met[i].end != 0;
    return count;
}

/* Of bundles one after another, those that are there whole are found, and no more. */
Test(fatbin, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };
    size_t ends[4];
    struct told told = TOLD_INIT(told);
    struct walk walk;

    put_quiet(&fx);
    ends[0] = fx.size;
    put_quiet_ccob(&fx, 3);
    ends[1] = fx.size;
    put_quiet_ccob(&fx, 1);
    ends[2] = fx.size;
    put_quiet_ccob(&fx, 2);
    ends[3] = fx.size;
    for (size_t size = 0; size < fx.size; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);
        size_t whole = 0;

        while (ends[whole] <= size)
            whole++;
        walk_over(&cut, &told, &walk);
        cr_assert_eq(count_whole(&walk), whole, "%zu: %zu", size, count_whole(&walk));
        if (size == 0 || (whole > 0 && size == ends[whole - 1]))
            cr_assert_eq(told.diags.count, 0, "%zu", size);
        else
            cr_assert_eq(told.diags.count, 1, "%zu: %s", size, told_name(&told));
        told_end(&told);
        fx_free(&cut);
    }
    fx_free(&fx);
}

/* Two magics a step: a megabyte of them is walked, each told, none twice. */
Test(fatbin, many_damaged_bundles_are_told_one_by_one)
{
    struct fx fx = { 0 };
    struct ra_source source;
    struct told told = TOLD_INIT(told);
    struct ra_fatbin fatbin;
    struct ra_piece piece;
    bool more = true;
    size_t count = 0;

    while (fx.size < (size_t)256 << 10)
        fx_bytes(&fx, "CCOB\2\0\1\0\0\0\0\0\0\0\0\0", 16);
    source = fx_source(&fx);
    ra_fatbin_open(&source, &told.arena, &told.diags, &fatbin);
    told.diags.limit = 10;
    while (true) {
        cr_assert_eq(ra_fatbin_next(&fatbin, &piece, &more), RA_OK);
        if (!more)
            break;
        cr_assert_eq(piece.status, RA_E_FORMAT);
        cr_assert_eq(piece.source.base, 16 * count);
        count++;
    }
    cr_assert_eq(count, fx.size / 16);
    cr_assert_eq(told.diags.count, count);
    told_end(&told);
    fx_free(&fx);
}
