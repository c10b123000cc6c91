#include "bundle/offload.h"

#include "codec/expanded.h"
#include "cuts.h"
#include "gen/offload.h"
#include "gen/recipes.h"
#include "told.h"

/* Fields of an entry, from its start; offloadbinary.h calls them so. */
enum { FLAGS = 4, STRING_OFFSET = 8, STRINGS = 16, IMAGE_OFFSET = 24, IMAGE_SIZE = 32 };

enum { FIRST_SIZE = 100, SECOND_SIZE = 61 };

/* What is in images is nobody's affair here. */
static void fill(struct fx *fx, size_t size, uint8_t step)
{
    for (size_t i = 0; i < size; i++)
        fx_u8(fx, (uint8_t)(i * step));
}

/* Version 1 has the first image only. */
static struct fx_offload_at build(struct fx *fx, unsigned version, bool compressed,
                                  enum fx_codec codec)
{
    struct fx first = { 0 }, second = { 0 };
    const struct fx_image images[] = {
        { .producer = FX_OPENMP, .arch = "gfx90a:xnack+", .content = &first },
        { .producer = FX_SYCL, .kind = 2, .triple = "spir64", .content = &second },
        { .producer = FX_HIP_KIND, .flags = 1, .arch = "gfx1100" },
    };
    struct fx_offload spec = { .version = version,
                               .images = images,
                               .count = version == 1 ? 1 : 3,
                               .compressed = compressed,
                               .codec = codec };
    struct fx_offload_at at;

    fill(&first, FIRST_SIZE, 1);
    fill(&second, SECOND_SIZE, 3);
    at = fx_offload(fx, &spec);
    fx_free(&first);
    fx_free(&second);
    return at;
}

static enum ra_status read_header(const struct fx *fx, struct told *told,
                                  struct ra_offload *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_offload_read(&source, &told->diags, ret);
}

/* Header and images of a blob that is not compressed. */
static enum ra_status read_blob(const struct fx *fx, struct told *told,
                                struct ra_offload_table *ret)
{
    struct ra_source source = fx_source(fx);
    struct ra_offload offload;
    enum ra_status status = ra_offload_read(&source, &told->diags, &offload);

    *ret = (struct ra_offload_table){ 0 };
    if (status != RA_OK)
        return status;
    source.size = offload.size;
    return ra_offload_images(&offload, &source, &told->arena, &told->diags, ret);
}

static bool says(struct ra_span text, const char *expected)
{
    return text.size == strlen(expected) &&
           (text.size == 0 || memcmp(text.data, expected, text.size) == 0);
}

/* ---- heads -------------------------------------------------------------------- */

/* Header of `version`, `size` and `entries`, without what it speaks of. */
static struct fx head_of(unsigned version, uint64_t size, uint64_t entries)
{
    struct fx fx = { 0 };

    fx_u32(&fx, 0xad10ff10);
    fx_u32(&fx, version);
    fx_u64(&fx, size);
    fx_u64(&fx, entries);
    fx_u64(&fx, 40);
    return fx;
}

Test(offload, the_probe_wants_magic_a_version_and_sizes_that_can_be)
{
    static const struct {
        unsigned version;
        uint64_t size, entries;
        bool known;
    } heads[] = {
        { 1, 160, 32, true },          { 2, 160, 32, true },  { 3, 160, 40, true },
        { 0, 160, 32, false },         { 4, 160, 40, false }, { 1, 32, 32, false },
        { 1, 0, 32, false },           { 2, 160, 31, false }, { 2, 160, 161, false },
        { 2, 160, UINT64_MAX, false }, { 3, 160, 32, false }, { 3, 40, 40, false },
        { 2, UINT64_MAX, 32, true },
    };

    for (size_t i = 0; i < RA_COUNT(heads); i++) {
        struct fx fx = head_of(heads[i].version, heads[i].size, heads[i].entries);

        cr_assert_eq(ra_offload_probe(fx_span(&fx)), heads[i].known, "%zu", i);
        fx_cut(&fx, RA_OFFLOAD_PROBE - 1);
        cr_assert_not(ra_offload_probe(fx_span(&fx)), "%zu", i);
        fx_free(&fx);
    }
}

/* Versions to come are told as such rather than taken for noise. */
Test(offload, a_version_to_come_resembles_one)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool resembles;
    } heads[] = {
        { "\x10\xff\x10\xad\1\0\0\0", 8, true },
        { "\x10\xff\x10\xad\x09\0\0\0", 8, true },
        { "\x10\xff\x10\xad\1\0\0", 7, false },
        { "\x10\xff\x10\xad\1\0\0\1", 8, false },
        { "\xad\x10\xff\x10\1\0\0\0", 8, false },
        { "", 0, false },
    };

    for (size_t i = 0; i < RA_COUNT(heads); i++) {
        struct ra_span span = { (const uint8_t *)heads[i].bytes, heads[i].size, 0 };

        cr_assert_eq(ra_offload_resembles(span), heads[i].resembles, "%zu", i);
    }
}

/* ---- what is read -------------------------------------------------------------- */

/* By llvm-offload-binary 22, of a file of four bytes: strings share their table. */
static const uint8_t by_llvm[] = {
    0x10, 0xff, 0x10, 0xad, 1,   0,   0,   0,   0xa0, 0,   0,   0,   0,   0,   0,   0,
    0x20, 0,    0,    0,    0,   0,   0,   0,   0x28, 0,   0,   0,   0,   0,   0,   0,
    0,    0,    1,    0,    0,   0,   0,   0,   0x48, 0,   0,   0,   0,   0,   0,   0,
    2,    0,    0,    0,    0,   0,   0,   0,   0x98, 0,   0,   0,   0,   0,   0,   0,
    4,    0,    0,    0,    0,   0,   0,   0,   0x69, 0,   0,   0,   0,   0,   0,   0,
    0x87, 0,    0,    0,    0,   0,   0,   0,   0x6e, 0,   0,   0,   0,   0,   0,   0,
    0x75, 0,    0,    0,    0,   0,   0,   0,   0,    'a', 'r', 'c', 'h', 0,   't', 'r',
    'i',  'p',  'l',  'e',  0,   'a', 'm', 'd', 'g',  'c', 'n', '-', 'a', 'm', 'd', '-',
    'a',  'm',  'd',  'h',  's', 'a', 0,   'g', 'f',  'x', '9', '0', 'a', ':', 'x', 'n',
    'a',  'c',  'k',  '+',  0,   0,   0,   0,   't',  'e', 's', 't', 0,   0,   0,   0,
};

Test(offload, a_blob_that_was_not_built_by_us_is_read)
{
    struct ra_source source =
        ra_source_over((struct ra_span){ by_llvm, sizeof(by_llvm), 0 });
    struct told told = TOLD_INIT(told);
    struct ra_offload offload;
    struct ra_offload_table table;

    cr_assert_eq(ra_offload_read(&source, &told.diags, &offload), RA_OK);
    cr_assert_eq(offload.version, 1);
    cr_assert_eq(offload.size, sizeof(by_llvm));
    cr_assert_eq(offload.codec, RA_CODEC_STORED);
    cr_assert_eq(ra_offload_images(&offload, &source, &told.arena, &told.diags, &table),
                 RA_OK);
    cr_assert_eq(table.count, 1);
    cr_assert_eq(table.images[0].kind, 0);
    cr_assert_eq(table.images[0].producer, RA_OFFLOAD_OPENMP);
    cr_assert_eq(table.images[0].offset, 0x98);
    cr_assert_eq(table.images[0].size, 4);
    cr_assert(says(table.images[0].triple, "amdgcn-amd-amdhsa"));
    cr_assert(says(table.images[0].arch, "gfx90a:xnack+"));
    assert_silent(told);
}

Test(offload, every_version_says_what_was_put_in)
{
    for (unsigned version = 1; version <= 3; version++) {
        struct fx fx = { 0 };
        struct fx_offload_at at = build(&fx, version, false, FX_ZSTD);
        struct told told = TOLD_INIT(told);
        struct ra_offload offload;
        struct ra_offload_table table;
        const struct ra_offload_image *image;

        cr_assert_eq(read_header(&fx, &told, &offload), RA_OK);
        cr_assert_eq(offload.version, version);
        cr_assert_eq(offload.size, at.end - at.start);
        cr_assert_eq(offload.entries, version == 3 ? 40 : 32);
        cr_assert_eq(read_blob(&fx, &told, &table), RA_OK, "%s", told_detail(&told));
        cr_assert_eq(table.count, version == 1 ? 1 : 3);
        image = table.images;
        cr_assert_eq(image[0].kind, 1);
        cr_assert_eq(image[0].producer, RA_OFFLOAD_OPENMP);
        cr_assert_eq(image[0].offset, at.image[0].content);
        cr_assert_eq(image[0].size, FIRST_SIZE);
        cr_assert(says(image[0].triple, "amdgcn-amd-amdhsa"));
        cr_assert(says(image[0].arch, "gfx90a:xnack+"));
        for (size_t i = 0; i < table.count; i++)
            cr_assert_eq(image[i].metadata_only, i == 2);
        if (version > 1) {
            cr_assert_eq(image[1].kind, 2);
            cr_assert_eq(image[1].producer, RA_OFFLOAD_SYCL);
            cr_assert_eq(image[1].offset, at.image[1].content);
            cr_assert_eq(image[1].size, SECOND_SIZE);
            cr_assert(says(image[1].triple, "spir64"));
            cr_assert(says(image[1].arch, ""));
            cr_assert_eq(image[2].size, 0);
        }
        assert_silent(told);
        fx_free(&fx);
    }
}

/* Versions 1 and 2 have 32 bytes of header: what is behind them is an entry. */
Test(offload, old_headers_are_not_read_beyond_32_bytes)
{
    for (unsigned version = 1; version <= 2; version++) {
        struct fx fx = head_of(version, 33, 33);
        struct told told = TOLD_INIT(told);
        struct ra_offload offload;

        fx_u8(&fx, 0xff); /* all that there is of an expanded size */
        cr_assert_eq(read_header(&fx, &told, &offload), RA_OK);
        cr_assert_eq(offload.expanded, 0);
        cr_assert_eq(offload.codec, RA_CODEC_STORED);
        assert_silent(told);
        fx_free(&fx);
    }
}

/* As in version 1, a flag had no meaning. */
Test(offload, version_1_has_no_images_that_are_not_there)
{
    struct fx fx = { 0 };
    struct fx_offload_at at = build(&fx, 1, false, FX_ZSTD);
    struct told told = TOLD_INIT(told);
    struct ra_offload_table table;

    fx_poke(&fx, at.image[0].entry + FLAGS, 4, 1);
    cr_assert_eq(read_blob(&fx, &told, &table), RA_OK);
    cr_assert_not(table.images[0].metadata_only);
    cr_assert_eq(table.images[0].size, FIRST_SIZE);
    assert_silent(told);
    fx_free(&fx);
}

Test(offload, languages_and_triples_are_known)
{
    static const struct {
        unsigned producer;
        const char *triple, *word;
        bool is_amd;
    } rows[] = {
        { 1, "amdgcn-amd-amdhsa", "openmp", true },
        { 2, "nvptx64-nvidia-cuda", "cuda", false },
        { 4, "amdgpu9.42-amd-amdhsa", "hip", true },
        { 4, "spirv64-amd-amdhsa", "hip", true },
        { 8, "spirv64-intel", "sycl", false },
        { 8, "spir64-unknown-unknown", "sycl", false },
        { 0, "amdgcn", "other", true },
        { 5, "amdgc", "other", false },
        { 16, "", "other", false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_offload_image image = {
            .producer = rows[i].producer,
            .triple = { (const uint8_t *)rows[i].triple, strlen(rows[i].triple), 0 },
        };

        cr_assert_str_eq(ra_offload_word(&image), rows[i].word, "%zu", i);
        cr_assert_eq(ra_offload_is_amd(&image), rows[i].is_amd, "%zu", i);
    }
}

/* ---- compressed ------------------------------------------------------------------ */

/* Expanded `whole` bytes at once at most, and else forward. */
static enum ra_status read_packed(const struct fx *fx, uint64_t whole, struct told *told,
                                  struct ra_offload_table *ret)
{
    struct ra_source source = fx_source(fx), payload, content;
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_expand how = { .whole = whole, .workspaces = workspaces };
    struct ra_expanded *expanded;
    struct ra_offload offload;
    uint64_t used, md5;
    enum ra_status status = ra_offload_read(&source, &told->diags, &offload);

    cr_assert_eq(status, RA_OK);
    source.size = offload.size;
    payload = ra_source_from(&source, offload.entries);
    how.codec = offload.codec;
    how.size = offload.expanded - offload.entries;
    cr_assert_eq(ra_expanded_open(&payload, &how, &told->diags, &expanded), RA_OK);
    content = ra_expanded_source(expanded);
    cr_assert_eq(ra_source_is_forward(&content), whole == 1);
    status = ra_offload_images(&offload, &content, &told->arena, &told->diags, ret);
    if (status == RA_OK)
        status = ra_expanded_finish(expanded, &used, &md5);
    ra_expanded_close(expanded);
    ra_workspaces_free(workspaces);
    return status;
}

Test(offload, a_compressed_blob_has_its_entries_in_what_it_expands_to)
{
    static const enum fx_codec codecs[] = { FX_ZLIB, FX_ZSTD };

    for (size_t i = 0; i < 2 * RA_COUNT(codecs); i++) {
        struct fx fx = { 0 };
        struct fx_offload_at at = build(&fx, 3, true, codecs[i / 2]);
        struct told told = TOLD_INIT(told);
        struct ra_offload offload;
        struct ra_offload_table table;

        cr_assert_eq(read_header(&fx, &told, &offload), RA_OK);
        cr_assert_eq(offload.codec, i < 2 ? RA_CODEC_DEFLATE : RA_CODEC_ZSTD);
        cr_assert_eq(offload.size, at.end - at.start);
        cr_assert_eq(offload.expanded, fx_peek(&fx, at.expanded, 8));
        cr_assert_eq(ra_offload_shift(&offload), 40);
        cr_assert_eq(read_packed(&fx, i % 2, &told, &table), RA_OK, "%s",
                     told_detail(&told));
        cr_assert_eq(table.count, 3);
        /* The fixture counts from the entries, the blob from its own start. */
        cr_assert_eq(table.images[1].offset, at.image[1].content + 40);
        cr_assert(says(table.images[0].arch, "gfx90a:xnack+"));
        cr_assert(says(table.images[1].triple, "spir64"));
        assert_silent(told);
        fx_free(&fx);
    }
}

/* ---- damage ---------------------------------------------------------------------- */

Test(offload, fails_cleanly_at_every_truncation)
{
    for (unsigned version = 1; version <= 3; version++)
        for (unsigned compressed = 0; compressed <= (version == 3); compressed++) {
            struct fx fx = { 0 };
            struct fx_offload_at at = build(&fx, version, compressed, FX_ZLIB);

            for (size_t size = 0; size < at.end; size = cut_next(size)) {
                struct fx cut = cut_of(&fx, size);
                struct told told = TOLD_INIT(told);
                struct ra_offload offload;

                cr_assert_eq(read_header(&cut, &told, &offload), RA_E_FORMAT, "%zu",
                             size);
                assert_told(told, OFFLOAD_BAD);
                fx_free(&cut);
            }
            fx_free(&fx);
        }
}

/* The header says that all is there, and it is not. */
Test(offload, fails_cleanly_wherever_the_blob_ends_early)
{
    for (unsigned version = 1; version <= 3; version++) {
        struct fx fx = { 0 };
        struct fx_offload_at at = build(&fx, version, false, FX_ZSTD);
        size_t last = version == 1 ? at.image[0].content + FIRST_SIZE
                                   : at.image[1].content + SECOND_SIZE;

        for (size_t size = version == 3 ? 41 : 33; size < last; size = cut_next(size)) {
            struct fx cut = cut_of(&fx, size);
            struct told told = TOLD_INIT(told);
            struct ra_offload_table table;

            fx_poke(&cut, at.size, 8, size);
            cr_assert_eq(read_blob(&cut, &told, &table), RA_E_FORMAT, "v%u %zu", version,
                         size);
            assert_told(told, OFFLOAD_BAD);
            fx_free(&cut);
        }
        fx_free(&fx);
    }
}

#define assert_poked(ver, place, width, value, status, code)                             \
    do {                                                                                 \
        struct fx fx = { 0 };                                                            \
        struct fx_offload_at at = build(&fx, ver, false, FX_ZSTD);                       \
        struct told told = TOLD_INIT(told);                                              \
        struct ra_offload_table table;                                                   \
                                                                                         \
        fx_poke(&fx, at.place, width, value);                                            \
        cr_assert_eq(read_blob(&fx, &told, &table), status, #place " " #value);          \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

Test(offload, an_unknown_version_is_told)
{
    assert_poked(1, version, 4, 0, RA_E_UNSUPPORTED, OFFLOAD_UNKNOWN);
    assert_poked(2, version, 4, 4, RA_E_UNSUPPORTED, OFFLOAD_UNKNOWN);
    assert_poked(3, version, 4, UINT32_MAX, RA_E_UNSUPPORTED, OFFLOAD_UNKNOWN);
}

static uint64_t built_size(unsigned version)
{
    struct fx fx = { 0 };
    uint64_t size;

    build(&fx, version, false, FX_ZSTD);
    size = fx.size;
    fx_free(&fx);
    return size;
}

Test(offload, sizes_of_the_header_that_cannot_be_are_told)
{
    for (unsigned version = 1; version <= 3; version++) {
        uint64_t size = built_size(version);

        assert_poked(version, size, 8, 0, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, size, 8, 1, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, size, 8, version == 3 ? 40 : 32, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, size, 8, size + 1, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, size, 8, UINT64_MAX, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, entries, 8, 0, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, entries, 8, 31, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, entries, 8, size - 39, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, entries, 8, size, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, entries, 8, UINT64_MAX, RA_E_FORMAT, OFFLOAD_BAD);
    }
}

Test(offload, numbers_of_entries_and_strings_are_limited)
{
    assert_poked(1, count, 8, 0, RA_E_FORMAT, OFFLOAD_BAD);
    assert_poked(1, count, 8, 41, RA_E_FORMAT, OFFLOAD_BAD);
    for (unsigned version = 2; version <= 3; version++) {
        assert_poked(version, count, 8, 4096, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, count, 8, 4097, RA_E_LIMIT, BUNDLE_LIMIT);
        assert_poked(version, count, 8, 1ULL << 40, RA_E_LIMIT, BUNDLE_LIMIT);
        assert_poked(version, count, 8, UINT64_MAX / 40 + 2, RA_E_LIMIT, BUNDLE_LIMIT);
        assert_poked(version, count, 8, UINT64_MAX, RA_E_LIMIT, BUNDLE_LIMIT);
        assert_poked(version, image[1].entry + STRINGS, 8, 64, RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, image[1].entry + STRINGS, 8, 65, RA_E_LIMIT, BUNDLE_LIMIT);
        assert_poked(version, image[1].entry + STRINGS, 8, UINT64_MAX, RA_E_LIMIT,
                     BUNDLE_LIMIT);
    }
}

Test(offload, an_image_that_is_not_all_inside_is_told)
{
    static const uint64_t offsets[] = { 0, 1, 31, 1 << 20, UINT64_MAX };
    static const uint64_t sizes[] = { 1 << 20, UINT64_MAX - 100, UINT64_MAX };

    for (unsigned version = 1; version <= 3; version++) {
        for (size_t i = 0; i < RA_COUNT(offsets); i++)
            assert_poked(version, image[0].entry + IMAGE_OFFSET, 8, offsets[i],
                         RA_E_FORMAT, OFFLOAD_BAD);
        for (size_t i = 0; i < RA_COUNT(sizes); i++)
            assert_poked(version, image[0].entry + IMAGE_SIZE, 8, sizes[i], RA_E_FORMAT,
                         OFFLOAD_BAD);
    }
}

/* The images follow each other without a gap. */
Test(offload, images_that_share_a_byte_are_told)
{
    assert_poked(2, image[0].entry + IMAGE_SIZE, 8, FIRST_SIZE + 1, RA_E_FORMAT,
                 OFFLOAD_BAD);
    assert_poked(3, image[1].entry + IMAGE_OFFSET, 8, at.image[1].content - 1,
                 RA_E_FORMAT, OFFLOAD_BAD);
}

/* Or a changed bit would make code for a GPU go away, and the rest would fit. */
Test(offload, an_image_that_is_said_not_to_be_there_has_no_bytes)
{
    assert_poked(2, image[0].entry + FLAGS, 4, 1, RA_E_FORMAT, OFFLOAD_BAD);
    assert_poked(3, image[1].entry + FLAGS, 4, 3, RA_E_FORMAT, OFFLOAD_BAD);
}

Test(offload, strings_that_are_not_all_before_the_images_are_told)
{
    static const uint64_t wrong[] = { 0, 1 << 20, UINT64_MAX - 15, UINT64_MAX };

    for (unsigned version = 1; version <= 3; version++) {
        for (size_t i = 1; i < RA_COUNT(wrong); i++) {
            assert_poked(version, image[0].entry + STRING_OFFSET, 8, wrong[i],
                         RA_E_FORMAT, OFFLOAD_BAD);
            assert_poked(version, image[0].strings, 8, wrong[i], RA_E_FORMAT,
                         OFFLOAD_BAD);
            assert_poked(version, image[0].strings + 8, 8, wrong[i], RA_E_FORMAT,
                         OFFLOAD_BAD);
        }
        assert_poked(version, image[0].entry + STRING_OFFSET, 8, at.image[0].content,
                     RA_E_FORMAT, OFFLOAD_BAD);
        assert_poked(version, image[0].strings + 8, 8, at.image[0].content, RA_E_FORMAT,
                     OFFLOAD_BAD);
    }
    assert_poked(2, image[0].strings + 16, 8, 1024, RA_E_FORMAT, OFFLOAD_BAD);
    assert_poked(2, image[0].strings + 16, 8, 1025, RA_E_LIMIT, BUNDLE_LIMIT);
    assert_poked(2, image[0].strings + 16, 8, UINT64_MAX, RA_E_LIMIT, BUNDLE_LIMIT);
}

/* Two names for one GPU: which counts nobody knows. */
Test(offload, an_image_with_two_strings_of_one_name_is_told)
{
    struct fx fx = { 0 };
    struct fx_offload_at at = build(&fx, 2, false, FX_ZSTD);
    struct told told = TOLD_INIT(told);
    struct ra_offload_table table;

    fx_poke(&fx, at.image[0].strings + 24, 8, fx_peek(&fx, at.image[0].strings, 8));
    cr_assert_eq(read_blob(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, OFFLOAD_BAD);
    fx_free(&fx);
}

/* A few bytes must not stand for much work: here 4096 entries times 64 strings. */
Test(offload, entries_may_not_all_name_the_same_strings)
{
    struct fx fx = head_of(2, 0, 32);
    struct told told = TOLD_INIT(told);
    struct ra_offload_table table;
    enum { ENTRIES = 4096 };

    fx_poke(&fx, 24, 8, ENTRIES);
    for (size_t i = 0; i < ENTRIES; i++) {
        fx_u64(&fx, 0);
        fx_u64(&fx, 32 + 40 * ENTRIES);
        fx_u64(&fx, 64);
        fx_u64(&fx, 0);
        fx_u64(&fx, 0);
    }
    fx_pad(&fx, fx.size + (size_t)64 * 24);
    fx_poke(&fx, 8, 8, fx.size);
    cr_assert_eq(read_blob(&fx, &told, &table), RA_E_FORMAT);
    assert_told(told, OFFLOAD_BAD);
    fx_free(&fx);
}

Test(offload, an_expanded_size_that_cannot_be_is_told)
{
    static const uint64_t wrong[] = { 1, 39, 40 };

    for (size_t i = 0; i < RA_COUNT(wrong); i++) {
        struct fx fx = { 0 };
        struct fx_offload_at at = build(&fx, 3, true, FX_ZLIB);
        struct told told = TOLD_INIT(told);
        struct ra_offload offload;

        fx_poke(&fx, at.expanded, 8, wrong[i]);
        cr_assert_eq(read_header(&fx, &told, &offload), RA_E_FORMAT);
        assert_told(told, OFFLOAD_BAD);
        fx_free(&fx);
    }
}
