#include "audit/search.h"

#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/host.h"
#include "gen/offload.h"
#include "gen/parts.h"
#include "told.h"

enum { WINDOW = 65536, MOST = 65536 }; /* search.c reads so much, and keeps so many */

/* A search of bytes, and what it came to. */
struct looked {
    struct told told;
    struct ra_source file;
    struct ra_search search;
    enum ra_status status;
};

static void look(struct looked *ret, const struct fx *fx, uint64_t address)
{
    *ret = (struct looked){ .file = fx_source(fx) };
    ret->told.diags.arena = &ret->told.arena;
    ret->search.file = &ret->file;
    ret->search.diags = &ret->told.diags;
    ret->status = ra_search(&ret->search, &ret->file, address);
}

static void end(struct looked *looked)
{
    ra_search_free(&looked->search);
    told_end(&looked->told);
}

static void assert_nothing(const struct fx *fx, const char *what, size_t number)
{
    struct looked looked;

    look(&looked, fx, 0);
    cr_assert_eq(looked.status, RA_OK, "%s %zu", what, number);
    cr_assert_eq(looked.search.count, 0, "%s %zu", what, number);
    cr_assert_eq(looked.search.wrapper_count, 0, "%s %zu", what, number);
    cr_assert_eq(looked.told.diags.count, 0, "%s %zu", what, number);
    end(&looked);
}

static void assert_one(const struct looked *looked, enum ra_magic magic, size_t offset,
                       size_t size)
{
    cr_assert_eq(looked->status, RA_OK);
    cr_assert_eq(looked->told.diags.count, 0);
    cr_assert_eq(looked->search.count, 1, "%zu at %zu", looked->search.count, offset);
    cr_assert_eq(looked->search.finds[0].magic, magic);
    cr_assert_eq(looked->search.finds[0].offset, offset);
    cr_assert_eq(looked->search.finds[0].size, size);
}

/* ---- what is found ---------------------------------------------------------------- */

static void make_code(struct fx *fx)
{
    fx_code(fx, &(struct fx_code){ .target = "gfx90a" });
}

static void make_bundle(struct fx *fx)
{
    fx_hip_bundle(fx, "k_add", (const char *const[]){ "gfx90a", NULL });
}

static void make_ccob(struct fx *fx)
{
    struct fx bundle = { 0 };

    make_bundle(&bundle);
    fx_ccob(fx, &(struct fx_ccob){ .version = 3, .codec = FX_ZSTD, .content = &bundle });
    fx_free(&bundle);
}

static void make_offload(struct fx *fx)
{
    struct fx code = fx_code_of("gfx90a", "k_add");
    const struct fx_image image = { .producer = FX_OPENMP,
                                    .arch = "gfx90a",
                                    .content = &code };

    fx_offload(fx, &(struct fx_offload){ .images = &image, .count = 1 });
    fx_free(&code);
}

static const struct {
    enum ra_magic magic;
    void (*make)(struct fx *fx);
} pieces[] = {
    { RA_MAGIC_ELF, make_code },
    { RA_MAGIC_BUNDLE, make_bundle },
    { RA_MAGIC_CCOB, make_ccob },
    { RA_MAGIC_OFFLOAD, make_offload },
};

static void assert_found_at(size_t piece, size_t offset)
{
    struct fx fx = { 0 }, made = { 0 };
    struct looked looked;

    pieces[piece].make(&made);
    fx_pad(&fx, offset);
    fx_append(&fx, &made);
    fx_text(&fx, "what follows it");
    look(&looked, &fx, 0x1000);
    assert_one(&looked, pieces[piece].magic, offset, made.size);
    end(&looked);
    fx_free(&made);
    fx_free(&fx);
}

Test(search, code_is_found_at_any_offset_and_told_how_large_it_is)
{
    for (size_t i = 0; i < RA_COUNT(pieces); i++)
        for (size_t offset = 0; offset < 40; offset++)
            assert_found_at(i, offset);
}

Test(search, code_is_found_across_windows)
{
    for (size_t i = 0; i < RA_COUNT(pieces); i++)
        for (size_t offset = WINDOW - 36; offset < WINDOW + 4; offset++)
            assert_found_at(i, offset);
}

Test(search, pieces_that_follow_each_other_are_found_in_order)
{
    struct fx fx = { 0 };
    size_t starts[3 * RA_COUNT(pieces)];
    struct looked looked;

    for (size_t i = 0; i < RA_COUNT(starts); i++) {
        struct fx made = { 0 };

        pieces[i % RA_COUNT(pieces)].make(&made);
        starts[i] = fx.size;
        fx_append(&fx, &made);
        fx_free(&made);
    }
    look(&looked, &fx, 0);
    cr_assert_eq(looked.status, RA_OK);
    cr_assert_eq(looked.search.count, RA_COUNT(starts));
    for (size_t i = 0; i < RA_COUNT(starts); i++) {
        cr_assert_eq(looked.search.finds[i].offset, starts[i]);
        cr_assert_eq(looked.search.finds[i].magic, pieces[i % RA_COUNT(pieces)].magic);
    }
    end(&looked);
    fx_free(&fx);
}

/* ---- wrappers --------------------------------------------------------------------- */

static void put_wrapper(struct fx *fx, uint32_t magic, uint32_t version)
{
    fx_u32(fx, magic);
    fx_u32(fx, version);
    fx_u64(fx, 0x1234);
    fx_u64(fx, 0);
}

static size_t wrappers_of(const struct fx *fx, uint64_t address)
{
    struct looked looked;
    size_t count;

    look(&looked, fx, address);
    cr_assert_eq(looked.status, RA_OK);
    count = looked.search.wrapper_count;
    for (size_t i = 0; i < count; i++) {
        cr_assert(looked.search.wrappers[i].guessed);
        cr_assert_eq(looked.search.wrappers[i].address, 0x1234);
    }
    if (count > 0)
        cr_assert_eq(looked.search.wrappers[0].where, address + fx->size - 24);
    end(&looked);
    return count;
}

Test(search, wrappers_are_found_where_compilers_put_them)
{
    static const uint32_t kinds[] = { FX_HIPF, FX_HIPK };
    static const size_t places[] = { 0,          3,           8,
                                     4096,       WINDOW - 24, WINDOW - 8,
                                     WINDOW - 4, WINDOW,      WINDOW + 8 };

    for (size_t k = 0; k < RA_COUNT(kinds); k++)
        for (size_t i = 0; i < RA_COUNT(places); i++) {
            struct fx fx = { 0 };

            fx_pad(&fx, places[i]);
            put_wrapper(&fx, kinds[k], 1);
            for (uint64_t address = 0x1000; address < 0x1008; address++)
                cr_assert_eq(wrappers_of(&fx, address), (address + places[i]) % 8 == 0,
                             "at %zu + %zu", (size_t)address, places[i]);
            fx_cut(&fx, fx.size - 1);
            cr_assert_eq(wrappers_of(&fx, 0x1000 - places[i] % 8), 0, "cut");
            fx_free(&fx);
        }
}

Test(search, words_that_only_begin_like_a_wrapper_are_none)
{
    static const struct {
        uint32_t magic, version;
    } rows[] = { { FX_HIPF, 0 }, { FX_HIPF, 2 }, { FX_HIPK, 0x100 }, { FX_HIPF + 1, 1 } };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx fx = { 0 };

        put_wrapper(&fx, rows[i].magic, rows[i].version);
        assert_nothing(&fx, "row", i);
        fx_free(&fx);
    }
}

/* ---- what only looks like code ---------------------------------------------------- */

static const char *const words[] = { "\177ELF", "__CLANG_OFFLOAD_BUNDLE__",
                                     "CCOB",    "\x10\xff\x10\xad",
                                     "FPIH",    "HIPK" };

Test(search, magics_as_text_are_no_code)
{
    struct fx fx = { 0 };

    for (size_t i = 0; i < RA_COUNT(words); i++) {
        fx_text(&fx, "cannot read ");
        fx_text(&fx, words[i]);
        fx_text(&fx, ", said the tool");
    }
    fx_pad(&fx, fx.size + 100);
    assert_nothing(&fx, "text", 0);
    fx_free(&fx);
}

Test(search, magics_at_the_end_are_no_code_however_much_of_them_is_there)
{
    for (size_t i = 0; i < RA_COUNT(words); i++)
        for (size_t have = 0; have <= strlen(words[i]); have++)
            for (size_t before = 0; before <= 40; before += 5) {
                struct fx fx = { 0 };

                fx_pad(&fx, before);
                fx_bytes(&fx, words[i], have);
                assert_nothing(&fx, words[i], have);
                fx_free(&fx);
            }
}

/* Whether a piece of which the end is missing counts or not: nobody tells of it here. */
Test(search, cut_pieces_are_silent_and_never_more_than_one)
{
    for (size_t i = 0; i < RA_COUNT(pieces); i++) {
        struct fx fx = { 0 };
        size_t whole;

        pieces[i].make(&fx);
        whole = fx.size;
        for (size_t size = whole > 700 ? 700 : whole - 1; size > 0;
             size -= size > 9 ? 7 : 1) {
            struct looked looked;

            fx_cut(&fx, size);
            look(&looked, &fx, 0);
            cr_assert_eq(looked.status, RA_OK, "%zu of %zu", size, whole);
            cr_assert_eq(looked.told.diags.count, 0);
            cr_assert_leq(looked.search.count, 1);
            cr_assert(looked.search.count == 0 || looked.search.finds[0].offset == 0);
            end(&looked);
        }
        fx_free(&fx);
    }
}

Test(search, an_elf_file_of_another_machine_and_a_bundle_of_the_host_are_no_code)
{
    const struct fx_entry entry = { FX_HOST, NULL };
    struct fx fx = { 0 };

    fx_host(&fx, &(struct fx_host){ 0 });
    assert_nothing(&fx, "host", 0);
    fx_cut(&fx, 0);
    fx_bundle(&fx, &(struct fx_bundle){ .entries = &entry, .count = 1 });
    fx_pad(&fx, fx.size + 100);
    assert_nothing(&fx, "bundle", 0);
    fx_free(&fx);
}

/* ---- limits ----------------------------------------------------------------------- */

static enum ra_status look_at_many(const struct fx *piece, size_t count)
{
    struct fx fx = { 0 };
    struct looked looked;
    enum ra_status status;

    for (size_t i = 0; i < count; i++)
        fx_append(&fx, piece);
    look(&looked, &fx, 0);
    status = looked.status;
    cr_assert_eq(looked.search.count + looked.search.wrapper_count,
                 count < MOST ? count : MOST);
    if (status != RA_OK)
        assert_told(looked.told, LIMIT);
    end(&looked);
    fx_free(&fx);
    return status;
}

Test(search, more_than_it_keeps_is_a_limit_and_told)
{
    struct fx wrapper = { 0 }, ccob = { 0 }, content = { 0 };

    put_wrapper(&wrapper, FX_HIPF, 1);
    fx_text(&content, "a bundle");
    fx_ccob(&ccob,
            &(struct fx_ccob){ .version = 2, .codec = FX_STORED, .content = &content });
    cr_assert_eq(look_at_many(&wrapper, MOST), RA_OK);
    cr_assert_eq(look_at_many(&wrapper, MOST + 1), RA_E_LIMIT);
    cr_assert_eq(look_at_many(&wrapper, 70000), RA_E_LIMIT);
    cr_assert_eq(look_at_many(&ccob, MOST), RA_OK);
    cr_assert_eq(look_at_many(&ccob, MOST + 1), RA_E_LIMIT);
    fx_free(&wrapper);
    fx_free(&ccob);
    fx_free(&content);
}

/* Segments may share a page, and no more. */
Test(search, areas_that_share_bytes_without_end_are_a_limit)
{
    struct fx fx = { 0 };
    struct looked looked;

    make_code(&fx);
    look(&looked, &fx, 0);
    cr_assert_eq(looked.status, RA_OK);
    cr_assert_eq(ra_search(&looked.search, &looked.file, 0), RA_OK);
    cr_assert_eq(ra_search(&looked.search, &looked.file, 0), RA_E_LIMIT);
    assert_told(looked.told, LIMIT);
    end(&looked);
    fx_free(&fx);
}

/* ---- forward sources -------------------------------------------------------------- */

static uint64_t furthest; /* that was read of the source that follows */

static enum ra_status read_forward(const struct ra_source *source, uint64_t where,
                                   size_t count, struct ra_diags *diags, uint8_t *ret)
{
    (void)diags;
    cr_assert_leq(where + WINDOW, furthest + 2 * WINDOW, "skips what it does not know");
    if (where + count > furthest)
        furthest = where + count;
    memcpy(ret, source->bytes + where, count);
    return RA_OK;
}

static enum ra_status hold_nothing(const struct ra_source *source, uint64_t where,
                                   uint64_t size)
{
    (void)source;
    (void)where;
    (void)size;
    return RA_OK;
}

/* As of a member of an archive that is read on its way. */
static struct ra_source forward(const struct fx *fx)
{
    struct ra_source source = fx_source(fx);

    source.read_at = read_forward;
    source.hold = hold_nothing;
    furthest = 0;
    cr_assert(ra_source_is_forward(&source));
    return source;
}

/* Code at two places, a wrapper between; all a long way apart. */
static void make_apart(struct fx *fx)
{
    make_code(fx);
    fx_pad(fx, 3 * WINDOW + 16);
    put_wrapper(fx, FX_HIPF, 1);
    fx_pad(fx, 6 * WINDOW - 2);
    make_offload(fx);
    fx_pad(fx, 8 * WINDOW);
}

Test(search, a_forward_source_has_the_finds_of_any_other)
{
    struct fx fx = { 0 };
    struct looked known;
    struct told told = TOLD_INIT(told);
    struct ra_search search = { .diags = &told.diags };
    struct ra_source source;

    make_apart(&fx);
    look(&known, &fx, 0);
    source = forward(&fx);
    search.file = &source;
    cr_assert_eq(ra_search(&search, &source, 0), RA_OK);
    cr_assert_eq(furthest, fx.size, "all of it was read");
    cr_assert_eq(search.count, 2);
    cr_assert_eq(search.wrapper_count, 1);
    cr_assert_eq(known.search.count, 2);
    cr_assert_arr_eq(search.finds, known.search.finds, 2 * sizeof(*search.finds));
    ra_search_free(&search);
    end(&known);
    assert_silent(told);
    fx_free(&fx);
}

/* What one pass over the file noted has the finds of each of its areas. */
Test(search, areas_of_what_is_known_have_what_starts_in_them)
{
    static const struct {
        uint64_t start, size;
        size_t finds, wrappers;
    } areas[] = {
        { 0, 8 * (uint64_t)WINDOW, 2, 1 },
        { 0, 1, 1, 0 },
        { 1, 3 * (uint64_t)WINDOW, 0, 0 },
        { 3 * (uint64_t)WINDOW + 16, 24, 0, 1 },
        { 3 * (uint64_t)WINDOW + 24, 24, 0, 0 },
        { 6 * (uint64_t)WINDOW - 2, WINDOW, 1, 0 },
        { 6 * (uint64_t)WINDOW - 1, WINDOW, 0, 0 },
    };
    struct fx fx = { 0 };
    struct looked pass;

    make_apart(&fx);
    look(&pass, &fx, 0);
    /* A pass over a file that is not known yet notes wrappers as finds. */
    cr_assert_eq(ra_search_add(&pass.search,
                               &(struct ra_find){ .magic = RA_MAGIC_WRAPPER,
                                                  .offset = 3 * (uint64_t)WINDOW + 16 }),
                 RA_OK);
    for (size_t i = 0; i < RA_COUNT(areas); i++) {
        struct told told = TOLD_INIT(told);
        struct ra_search search = { .file = &pass.file,
                                    .diags = &told.diags,
                                    .known = &pass.search };
        struct ra_source area;

        cr_assert(ra_source_sub(&pass.file, areas[i].start, areas[i].size, &area));
        cr_assert_eq(ra_search(&search, &area, areas[i].start & ~(uint64_t)7), RA_OK);
        cr_assert_eq(search.count, areas[i].finds, "area %zu", i);
        cr_assert_eq(search.wrapper_count, areas[i].wrappers, "area %zu", i);
        ra_search_free(&search);
        assert_silent(told);
    }
    end(&pass);
    fx_free(&fx);
}
