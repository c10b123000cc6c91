#include "bundle/kpak.h"

#include "cuts.h"
#include "gen/kpak.h"
#include "gen/pack.h"
#include "told.h"

#include <zstd.h>

enum { FIRST = 64, ONE = 100, TWO = 75, THREE = 200 };

/* Code objects of an archive; what is in them is nobody's affair here. */
struct archive {
    struct fx one, two, three;
    struct fx_kpak_entry entries[3];
    struct fx_kpak spec;
};

/* Bytes that compress, but not to nothing. */
static void fill(struct fx *fx, size_t size, uint8_t step)
{
    for (size_t i = 0; i < size; i++)
        fx_u8(fx, (uint8_t)(i * step));
}

static void start(struct archive *ret, bool zstd)
{
    *ret = (struct archive){ .spec = { .count = 3, .zstd = zstd } };
    fill(&ret->one, ONE, 1);
    fill(&ret->two, TWO, 3);
    fill(&ret->three, THREE, 0);
    ret->entries[0].binary = ret->entries[1].binary = "lib/libfoo.so#1";
    ret->entries[0].arch = "gfx942";
    ret->entries[0].content = &ret->one;
    ret->entries[1].arch = "gfx90a";
    ret->entries[1].content = &ret->two;
    ret->entries[2].binary = "bin/tool#0";
    ret->entries[2].arch = "gfx90a:xnack+";
    ret->entries[2].content = &ret->three;
    ret->spec.entries = ret->entries;
}

static void end(struct archive *archive)
{
    fx_free(&archive->one);
    fx_free(&archive->two);
    fx_free(&archive->three);
}

static struct fx_kpak_at build(struct fx *fx, bool zstd)
{
    struct archive archive;
    struct fx_kpak_at at;

    start(&archive, zstd);
    at = fx_kpak(fx, &archive.spec);
    end(&archive);
    return at;
}

static enum ra_status read_kpak(const struct fx *fx, struct told *told,
                                struct ra_kpak *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_kpak_read(&source, &told->arena, &told->diags, ret);
}

static bool says(struct ra_span text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static void assert_entry(const struct ra_kpak_entry *entry, const char *binary,
                         const char *arch, uint32_t ordinal, uint64_t original_size)
{
    cr_assert(says(entry->binary, binary));
    cr_assert(says(entry->arch, arch));
    cr_assert_eq(entry->ordinal, ordinal);
    cr_assert_eq(entry->original_size, original_size);
    cr_assert(entry->is_code && entry->listed && !entry->damaged);
}

/* ---- good ones --------------------------------------------------------------------- */

Test(kpak, entries_are_those_that_were_built_sorted_by_binary)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        static const size_t built[] = { 2, 0, 1 }; /* the order it was built in */
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_kpak_at at = build(&fx, zstd);
        struct ra_kpak kpak;

        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK, "%s", told_detail(&told));
        cr_assert_eq(kpak.compressed, zstd);
        cr_assert(kpak.complete);
        cr_assert_eq(kpak.count, 3);
        assert_entry(&kpak.entries[0], "bin/tool#0", "gfx90a:xnack+", 2, THREE);
        assert_entry(&kpak.entries[1], "lib/libfoo.so#1", "gfx942", 0, ONE);
        assert_entry(&kpak.entries[2], "lib/libfoo.so#1", "gfx90a", 1, TWO);
        for (size_t i = 0; i < 3; i++) {
            cr_assert_eq(kpak.entries[i].offset, at.content[built[i]]);
            cr_assert_eq(kpak.entries[i].size, at.packed[built[i]]);
            cr_assert_eq(kpak.entries[i].first, i);
        }
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(kpak, what_it_says_of_itself_is_kept)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    build(&fx, true);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert(says(kpak.group, "torch"));
    cr_assert(says(kpak.family, "gfx9"));
    cr_assert_eq(kpak.arch_count, 3);
    cr_assert(says(kpak.arches[0], "gfx942"));
    cr_assert(says(kpak.arches[1], "gfx90a"));
    cr_assert(says(kpak.arches[2], "gfx90a:xnack+"));
    assert_silent(told);
    fx_free(&fx);
}

/* By itself it expands to what was put in. */
Test(kpak, a_compressed_entry_is_a_whole_frame)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct fx expected = { 0 };
    const struct ra_kpak_entry *entry;
    uint8_t bytes[ONE + 1];
    struct ra_kpak kpak;

    build(&fx, true);
    fill(&expected, ONE, 1);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    entry = &kpak.entries[1];
    cr_assert_eq(ZSTD_decompress(bytes, sizeof(bytes), fx.data + entry->offset,
                                 (size_t)entry->size),
                 ONE);
    cr_assert_arr_eq(bytes, expected.data, ONE);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&expected);
}

Test(kpak, inside_of_another_source_offsets_count_from_its_start)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_source whole, source;
        struct fx_kpak_at at;
        struct ra_kpak kpak;

        fx_pad(&fx, 1000);
        at = build(&fx, zstd);
        whole = fx_source(&fx);
        source = ra_source_from(&whole, 1000);
        cr_assert_eq(ra_kpak_read(&source, &told.arena, &told.diags, &kpak), RA_OK);
        cr_assert_eq(kpak.entries[1].offset, at.content[0] - 1000);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(kpak, the_probe_wants_the_whole_magic)
{
    struct ra_span magic = { (const uint8_t *)"KPAK", 4, 0 };
    struct ra_span other = { (const uint8_t *)"HIPK", 4, 0 };

    cr_assert(ra_kpak_probe(magic));
    cr_assert_not(ra_kpak_probe(other));
    magic.size--;
    cr_assert_not(ra_kpak_probe(magic));
}

Test(kpak, an_archive_may_be_empty)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_kpak kpak;

        fx_kpak(&fx, &(struct fx_kpak){ .zstd = zstd });
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK, "%s", told_detail(&told));
        cr_assert_eq(kpak.count, 0);
        cr_assert_eq(kpak.arch_count, 0);
        cr_assert(kpak.complete);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(kpak, keys_that_are_not_known_are_passed_over)
{
    struct told told = TOLD_INIT(told);
    struct archive archive;
    struct fx fx = { 0 }, before = { 0 };
    struct ra_kpak kpak;

    start(&archive, false);
    fx_pack_text(&before, "kpack_variant");
    fx_pack_array(&before, 1);
    fx_pack_uint(&before, 7);
    fx_pack_uint(&before, 3); /* no text */
    fx_pack_bool(&before, true);
    archive.spec.before = &before;
    archive.spec.before_count = 2;
    fx_kpak(&fx, &archive.spec);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_eq(kpak.count, 3);
    assert_silent(told);
    end(&archive);
    fx_free(&before);
    fx_free(&fx);
}

Test(kpak, what_is_no_code_or_not_listed_says_so)
{
    struct told told = TOLD_INIT(told);
    static const char *const listed[] = { "gfx90a", "gfx1030" };
    struct archive archive;
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    start(&archive, false);
    archive.entries[1].type = "spirv";
    archive.spec.arches = listed;
    archive.spec.arch_count = RA_COUNT(listed);
    fx_kpak(&fx, &archive.spec);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_eq(kpak.arch_count, 2);
    cr_assert_not(kpak.entries[0].listed, "gfx90a:xnack+ is not gfx90a");
    cr_assert(kpak.entries[0].is_code);
    cr_assert_not(kpak.entries[1].listed);
    cr_assert(kpak.entries[2].listed);
    cr_assert_not(kpak.entries[2].is_code);
    assert_silent(told);
    end(&archive);
    fx_free(&fx);
}

Test(kpak, entries_may_share_a_code_object_and_it_is_known)
{
    struct told told = TOLD_INIT(told);
    struct archive archive;
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    start(&archive, true);
    archive.entries[2].shared = true; /* bin/tool#0, the first in our order */
    fx_kpak(&fx, &archive.spec);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert(kpak.complete);
    cr_assert_eq(kpak.entries[0].first, 0);
    cr_assert_eq(kpak.entries[1].first, 1);
    cr_assert_eq(kpak.entries[2].first, 0);
    cr_assert_eq(kpak.entries[2].offset, kpak.entries[0].offset);
    assert_silent(told);
    end(&archive);
    fx_free(&fx);
}

/* The loader unpacks one map and does not ask what is behind it. */
Test(kpak, bytes_behind_the_table_do_no_harm)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    build(&fx, true);
    fx_pad(&fx, fx.size + 100);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_eq(kpak.count, 3);
    assert_silent(told);
    fx_free(&fx);
}

/* ---- damage that spoils all -------------------------------------------------------- */

Test(kpak, fails_cleanly_at_every_truncation)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        struct fx fx = { 0 };

        build(&fx, zstd);
        for (size_t size = 0; size < fx.size; size++) {
            struct told told = TOLD_INIT(told);
            struct fx cut = cut_of(&fx, size);
            struct ra_kpak kpak;

            cr_assert_eq(read_kpak(&cut, &told, &kpak), RA_E_FORMAT, "%zu", size);
            cr_assert_eq(told.diags.count, 1);
            told_end(&told);
            fx_free(&cut);
        }
        fx_free(&fx);
    }
}

enum number { VERSION, TABLE, AREA_OFFSET, AREA_SIZE, COUNT };

/* Header numbers have the lowest byte first, those of the table the highest. */
static void poke(struct fx *fx, const struct fx_kpak_at *at, enum number number,
                 uint64_t value)
{
    if (number == VERSION)
        fx_poke(fx, at->version, 4, value);
    else if (number == TABLE)
        fx_poke(fx, at->table_offset, 8, value);
    else if (number == COUNT)
        fx_poke(fx, at->area, 4, value);
    else
        fx_kpak_poke(fx, number == AREA_SIZE ? at->area_size : at->area_offset, 8, value);
}

#define assert_poked(number, value, status, code)                                        \
    do {                                                                                 \
        struct told told = TOLD_INIT(told);                                              \
        struct fx fx = { 0 };                                                            \
        struct fx_kpak_at at = build(&fx, true);                                         \
        struct ra_kpak kpak;                                                             \
                                                                                         \
        poke(&fx, &at, number, value);                                                   \
        cr_assert_eq(read_kpak(&fx, &told, &kpak), status, #number " " #value);          \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

Test(kpak, each_number_of_the_whole_is_checked)
{
    struct fx whole = { 0 };
    struct fx_kpak_at good = build(&whole, true);
    uint64_t size = whole.size, area = good.table - FIRST;

    fx_free(&whole);
    assert_poked(VERSION, 0, RA_E_UNSUPPORTED, KPACK_UNKNOWN);
    assert_poked(VERSION, 2, RA_E_UNSUPPORTED, KPACK_UNKNOWN);
    assert_poked(VERSION, UINT32_MAX, RA_E_UNSUPPORTED, KPACK_UNKNOWN);
    assert_poked(TABLE, 0, RA_E_FORMAT, KPACK_BAD);
    assert_poked(TABLE, 15, RA_E_FORMAT, KPACK_BAD);
    assert_poked(TABLE, 16, RA_E_FORMAT, KPACK_BAD); /* a 0, which is no map */
    assert_poked(TABLE, size - 1, RA_E_FORMAT, MSGPACK_BAD);
    assert_poked(TABLE, size, RA_E_FORMAT, KPACK_BAD);
    assert_poked(TABLE, UINT64_MAX, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_OFFSET, 0, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_OFFSET, 15, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_OFFSET, FIRST + 1, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_OFFSET, good.table, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_OFFSET, UINT64_MAX, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_SIZE, 0, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_SIZE, 3, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_SIZE, 15, RA_E_FORMAT, KPACK_BAD); /* less than three sizes */
    assert_poked(AREA_SIZE, area + 1, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_SIZE, size, RA_E_FORMAT, KPACK_BAD);
    assert_poked(AREA_SIZE, UINT64_MAX, RA_E_FORMAT, KPACK_BAD);
    assert_poked(COUNT, UINT32_MAX, RA_E_FORMAT, KPACK_BAD);
    assert_poked(COUNT, (area - 4) / 4 + 1, RA_E_FORMAT, KPACK_BAD);
}

Test(kpak, another_magic_is_told)
{
    for (size_t i = 0; i < 4; i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct ra_kpak kpak;

        build(&fx, true);
        fx_poke(&fx, i, 1, 'x');
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_FORMAT);
        assert_told(told, KPACK_BAD);
        fx_free(&fx);
    }
}

/* A key by another name is not there. */
Test(kpak, keys_that_have_to_be_there_are_missed)
{
    static const char *const keys[] = {
        "compression_scheme", "gfx_arches", "toc", "blobs", "zstd_offset", "zstd_size"
    };

    for (size_t i = 0; i < RA_COUNT(keys); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_kpak_at at = build(&fx, i >= 4);
        uint8_t *key =
            memmem(fx.data + at.table, fx.size - at.table, keys[i], strlen(keys[i]));
        struct ra_kpak kpak;

        cr_assert_not_null(key);
        key[0] = 'X';
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_FORMAT, "%s", keys[i]);
        cr_assert_eq(kpak.count, 0);
        assert_told(told, KPACK_BAD);
        fx_free(&fx);
    }
}

Test(kpak, another_format_or_scheme_is_not_supported)
{
    static const char *const schemes[] = { "zstd", "zstd-per-kernel2", "NONE", "",
                                           "\x1b[31m" };
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct fx_kpak_at at = build(&fx, false);
    struct ra_kpak kpak;

    fx_poke(&fx, at.version_key + strlen("format_version"), 1, 2);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_UNSUPPORTED);
    assert_told(told, KPACK_UNKNOWN);
    for (size_t i = 0; i < RA_COUNT(schemes); i++) {
        fx_cut(&fx, 0);
        fx_kpak(&fx, &(struct fx_kpak){ .scheme = schemes[i] });
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_UNSUPPORTED, "%s", schemes[i]);
        assert_told(told, KPACK_UNKNOWN);
    }
    fx_free(&fx);
}

/* Which of the two a loader takes depends on the loader. */
Test(kpak, a_binary_that_is_there_twice_spoils_the_table)
{
    struct told told = TOLD_INIT(told);
    struct archive archive;
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    start(&archive, false);
    archive.entries[2].binary = archive.entries[0].binary;
    archive.entries[1].binary = "lib/between";
    fx_kpak(&fx, &archive.spec);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_FORMAT);
    assert_told(told, MSGPACK_BAD);
    end(&archive);
    fx_free(&fx);
}

/* ---- damage that spoils an entry --------------------------------------------------- */

/* Entry `bad`, as built, is damaged, and no other. */
static void assert_only_damaged(const struct ra_kpak *kpak, size_t bad, const char *what)
{
    static const size_t built[] = { 2, 0, 1 };

    cr_assert_eq(kpak->count, 3);
    cr_assert_not(kpak->complete, "%s", what);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(kpak->entries[i].damaged, built[i] == bad, "%s", what);
}

/* The rest of the arguments spoil `fx`; that is told where the target of the entry is. */
#define assert_spoiled(zstd, bad, ...)                                                   \
    do {                                                                                 \
        struct told told = TOLD_INIT(told);                                              \
        struct fx fx = { 0 };                                                            \
        struct fx_kpak_at at = build(&fx, zstd);                                         \
        struct ra_kpak kpak;                                                             \
                                                                                         \
        __VA_ARGS__;                                                                     \
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK, #__VA_ARGS__);                 \
        assert_only_damaged(&kpak, bad, #__VA_ARGS__);                                   \
        cr_assert_eq(told.diags.first->offset, at.key[bad]);                             \
        assert_told(told, KPACK_ENTRY_BAD);                                              \
        fx_free(&fx);                                                                    \
    } while (0)

Test(kpak, an_ordinal_of_no_code_object_spoils_its_entry)
{
    static const uint64_t ordinals[] = { 3, 4, 1 << 20, UINT32_MAX };

    for (size_t i = 0; i < RA_COUNT(ordinals); i++) {
        assert_spoiled(true, 1, fx_kpak_poke(&fx, at.ordinal[1], 4, ordinals[i]));
        assert_spoiled(false, 1, fx_kpak_poke(&fx, at.ordinal[1], 4, ordinals[i]));
    }
}

Test(kpak, a_size_that_is_not_that_of_the_code_object_spoils_its_entry)
{
    static const uint64_t sizes[] = { 0, 1, TWO - 1, TWO + 1, UINT64_MAX };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        assert_spoiled(true, 1, fx_kpak_poke(&fx, at.original_size[1], 8, sizes[i]));
        assert_spoiled(false, 1, fx_kpak_poke(&fx, at.original_size[1], 8, sizes[i]));
    }
}

/* "ordinal" and "original_size" by another name; the text stands before the number. */
Test(kpak, what_an_entry_has_to_say_is_missed)
{
    assert_spoiled(true, 0, fx_poke(&fx, at.ordinal[0] - 2, 1, 'X'));
    assert_spoiled(false, 2, fx_poke(&fx, at.original_size[2] - 2, 1, 'X'));
    assert_spoiled(false, 2, fx_poke(&fx, at.ordinal[2] - 1, 1, 0xd2); /* a negative */
                   fx_poke(&fx, at.ordinal[2], 1, 0x80));
}

Test(kpak, a_blob_outside_of_them_all_spoils_its_entry)
{
    struct fx whole = { 0 };
    struct fx_kpak_at good = build(&whole, false);
    uint64_t end = good.table - TWO;
    const uint64_t offsets[] = { 0, 15, end + 1, good.table, whole.size, UINT64_MAX };
    const uint64_t sizes[] = { end, whole.size, UINT64_MAX, UINT64_MAX - FIRST };

    fx_free(&whole);
    for (size_t i = 0; i < RA_COUNT(offsets); i++)
        assert_spoiled(false, 1, fx_kpak_poke(&fx, at.blob_offset[1], 8, offsets[i]));
    for (size_t i = 0; i < RA_COUNT(sizes); i++)
        assert_spoiled(false, 1, fx_kpak_poke(&fx, at.blob_size[1], 8, sizes[i]));
    assert_spoiled(false, 1, fx_poke(&fx, at.blob_size[1] - 2, 1, 'X')); /* "sizX" */
}

/* Of two that overlap nobody knows which is right. */
Test(kpak, blobs_that_share_bytes_spoil_both_entries)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct fx_kpak_at at = build(&fx, false);
    struct ra_kpak kpak;

    fx_kpak_poke(&fx, at.blob_offset[1], 8, at.content[1] - 1);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_not(kpak.entries[0].damaged);
    cr_assert(kpak.entries[1].damaged);
    cr_assert(kpak.entries[2].damaged);
    cr_assert_eq(told.diags.count, 2);
    told_end(&told);
    fx_free(&fx);
}

Test(kpak, what_is_no_frame_spoils_its_entry)
{
    assert_spoiled(true, 2, fx_poke(&fx, at.content[2], 4, 0));
    assert_spoiled(true, 0, fx_poke(&fx, at.content[0] + 3, 1, 0));
}

/* The frame after the one whose size is wrong is not found, nor any that follow. */
Test(kpak, a_size_of_a_frame_that_cannot_be_loses_those_behind)
{
    static const uint64_t sizes[] = { 0x7fffffff, 0xffffffff, 1 << 20 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_kpak_at at = build(&fx, true);
        struct ra_kpak kpak;

        fx_poke(&fx, at.frame[1], 4, sizes[i]);
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
        cr_assert_not(kpak.complete);
        cr_assert_not(kpak.entries[1].damaged, "the one before");
        cr_assert(kpak.entries[0].damaged && kpak.entries[2].damaged);
        cr_assert_eq(told.diags.first->offset, at.frame[1]);
        assert_told(told, KPACK_BAD); /* once, not once an entry */
        fx_free(&fx);
    }
}

Test(kpak, names_in_faults_are_escaped)
{
    struct told told = TOLD_INIT(told);
    struct archive archive;
    struct fx fx = { 0 };
    struct fx_kpak_at at;
    struct ra_kpak kpak;

    start(&archive, false);
    archive.entries[0].arch = "gfx\x1b[31m";
    at = fx_kpak(&fx, &archive.spec);
    fx_kpak_poke(&fx, at.ordinal[0], 4, 99);
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_not_null(strstr(told_detail(&told), "lib/libfoo.so#1 for gfx\\x1b[31m: "));
    cr_assert_null(strchr(told_detail(&told), '\x1b'));
    assert_told(told, KPACK_ENTRY_BAD);
    end(&archive);
    fx_free(&fx);
}

/* ---- limits ------------------------------------------------------------------------ */

/* A head, zeros that nobody has to store, and a table. */
struct hole {
    const struct fx *head, *table;
    uint64_t table_at;
};

static enum ra_status read_hole(const struct ra_source *source, uint64_t where,
                                size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct hole *hole = source->state;

    (void)diags;
    for (size_t i = 0; i < count; i++, where++) {
        uint64_t in = where - hole->table_at;

        ret[i] = 0;
        if (where < hole->head->size)
            ret[i] = hole->head->data[where];
        if (where >= hole->table_at && in < hole->table->size)
            ret[i] = hole->table->data[in];
    }
    return RA_OK;
}

static enum ra_status read_holey(const struct hole *hole, uint64_t size,
                                 struct told *told, struct ra_kpak *ret)
{
    struct ra_source source = { .size = size,
                                .packed = RA_NOT_EXPANDED,
                                .read_at = read_hole,
                                .state = (void *)hole };

    return ra_kpak_read(&source, &told->arena, &told->diags, ret);
}

Test(kpak, a_table_larger_than_anyone_has_is_a_limit)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct fx table = { 0 };
    struct fx_kpak_at at = fx_kpak(&fx, &(struct fx_kpak){ 0 });
    struct hole hole = { &fx, &table, at.table };
    uint64_t most = (uint64_t)64 << 20;
    struct ra_kpak kpak;

    fx_append(&table, &fx);
    memmove(table.data, table.data + at.table, table.size - at.table);
    fx_cut(&table, table.size - at.table);
    cr_assert_eq(read_holey(&hole, at.table + most, &told, &kpak), RA_OK);
    cr_assert_eq(read_holey(&hole, at.table + most + 1, &told, &kpak), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_free(&fx);
    fx_free(&table);
}

/* An archive of `count` frames, none of a byte, in an area of `size` bytes. */
static enum ra_status read_frames(uint32_t count, uint64_t size, struct told *told)
{
    struct fx fx = { 0 };
    struct fx table = { 0 };
    struct fx_kpak_at at = fx_kpak(&fx, &(struct fx_kpak){ .zstd = true });
    struct hole hole = { &fx, &table, FIRST + size };
    struct ra_kpak kpak;
    enum ra_status status;

    fx_kpak_poke(&fx, at.area_size, 8, size);
    fx_bytes(&table, fx.data + at.table, fx.size - at.table);
    fx_cut(&fx, FIRST + 4);
    fx_poke(&fx, FIRST, 4, count);
    fx_poke(&fx, at.table_offset, 8, FIRST + size);
    status = read_holey(&hole, FIRST + size + table.size, told, &kpak);
    fx_free(&fx);
    fx_free(&table);
    return status;
}

Test(kpak, more_code_objects_than_the_loader_takes_are_a_limit)
{
    struct told told = TOLD_INIT(told);

    cr_assert_eq(read_frames(1 << 20, 5 << 20, &told), RA_OK);
    assert_silent(told);
    cr_assert_eq(read_frames((1 << 20) + 1, 5 << 20, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
    cr_assert_eq(read_frames(1, (uint64_t)1 << 32, &told), RA_OK);
    assert_silent(told);
    cr_assert_eq(read_frames(1, ((uint64_t)1 << 32) + 1, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
}

Test(kpak, more_targets_than_there_are_processors_are_a_limit)
{
    static const char *arches[RA_KPAK_MAX_ARCHES + 1];
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpak kpak;

    for (size_t i = 0; i < RA_COUNT(arches); i++)
        arches[i] = "gfx90a";
    fx_kpak(&fx, &(struct fx_kpak){ .arches = arches, .arch_count = RA_COUNT(arches) });
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_cut(&fx, 0);
    fx_kpak(&fx,
            &(struct fx_kpak){ .arches = arches, .arch_count = RA_COUNT(arches) - 1 });
    cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_OK);
    cr_assert_eq(kpak.arch_count, RA_KPAK_MAX_ARCHES);
    assert_silent(told);
    fx_free(&fx);
}

Test(kpak, a_full_arena_is_no_memory)
{
    struct fx fx = { 0 };

    build(&fx, true);
    for (size_t limit = 1; limit < 400; limit += 13) {
        struct told told = TOLD_INIT(told);
        struct ra_kpak kpak;

        told.arena.limit = limit;
        cr_assert_eq(read_kpak(&fx, &told, &kpak), RA_E_NOMEM, "%zu", limit);
        assert_silent(told);
    }
    fx_free(&fx);
}

/* ---- any byte ---------------------------------------------------------------------- */

/* What is not damaged lies inside; what is damaged was told. */
static void assert_sound(const struct ra_kpak *kpak, const struct fx *fx, size_t told)
{
    size_t damaged = 0;

    for (size_t i = 0; i < kpak->count; i++) {
        const struct ra_kpak_entry *entry = &kpak->entries[i];

        damaged += entry->damaged;
        cr_assert_leq(entry->first, i);
        if (entry->damaged)
            continue;
        cr_assert_geq(entry->offset, 16);
        cr_assert(entry->offset <= fx->size && entry->size <= fx->size - entry->offset);
        if (!kpak->compressed)
            cr_assert_eq(entry->original_size, entry->size);
    }
    cr_assert(kpak->complete ? damaged == 0 : told > 0);
}

Test(kpak, poked_anywhere_it_is_sound_or_refused)
{
    for (int zstd = 0; zstd < 2; zstd++) {
        struct fx fx = { 0 };

        build(&fx, zstd);
        for (size_t i = 0; i < 8 * fx.size; i++) {
            static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xc1, 0xdd, 0xdf, 0xff };
            struct told told = TOLD_INIT(told);
            struct fx copy = cut_of(&fx, fx.size);
            struct ra_kpak kpak;
            enum ra_status status;

            copy.data[i / 8] = values[i % 8];
            status = read_kpak(&copy, &told, &kpak);
            cr_assert(status == RA_OK || told.diags.errors > 0);
            cr_assert(status == RA_OK || ra_is_damage(status));
            if (status == RA_OK)
                assert_sound(&kpak, &copy, told.diags.count);
            told_end(&told);
            fx_free(&copy);
        }
        fx_free(&fx);
    }
}
