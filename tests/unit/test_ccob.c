#include "bundle/ccob.h"

#include "codec/expanded.h"
#include "cuts.h"
#include "gen/bundle.h"
#include "gen/recipes.h"
#include "told.h"

#include <inttypes.h>

static enum ra_status read_ccob(const struct fx *fx, struct told *told,
                                struct ra_ccob *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_ccob_read(&source, &told->diags, ret);
}

/* The four bytes of the magic stand in the payload, too. */
static struct fx content(void)
{
    struct fx fx = { 0 };

    fx_text(&fx, "__CLANG_OFFLOAD_BUNDLE__ and CCOB\2\0\1\0 among the content CCOB");
    fx_bytes(&fx, "CCOB\3\0\1\0", 8);
    fx_pad(&fx, 500);
    return fx;
}

static struct fx_ccob_at build(struct fx *fx, unsigned version, enum fx_codec codec)
{
    struct fx inner = content();
    struct fx_ccob_at at = fx_ccob(
        fx, &(struct fx_ccob){ .version = version, .codec = codec, .content = &inner });

    fx_free(&inner);
    return at;
}

static const enum fx_codec codecs[] = { FX_ZLIB, FX_ZSTD, FX_STORED };

Test(ccob, the_probe_wants_magic_version_and_method)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool known;
    } heads[] = {
        { "CCOB\1\0\0\0", 8, true },  { "CCOB\1\0\1\0", 8, true },
        { "CCOB\2\0\1\0", 8, true },  { "CCOB\3\0\0\0", 8, true },
        { "CCOB\0\0\1\0", 8, false }, { "CCOB\4\0\1\0", 8, false },
        { "CCOB\2\1\1\0", 8, false }, { "CCOB\2\0\2\0", 8, false },
        { "CCOB\2\0\1\1", 8, false }, { "CCOB\2\0\1", 7, false },
        { "CCOB", 4, false },         { "", 0, false },
        { "ccob\2\0\1\0", 8, false },
    };

    for (size_t i = 0; i < RA_COUNT(heads); i++) {
        struct ra_span span = { (const uint8_t *)heads[i].bytes, heads[i].size, 0 };

        cr_assert_eq(ra_ccob_probe(span), heads[i].known, "%zu", i);
    }
}

/* Versions to come are told as such rather than taken for noise. */
Test(ccob, a_version_to_come_resembles_one_and_a_word_does_not)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool resembles;
    } heads[] = {
        { "CCOB\3\0\1\0", 8, true },  { "CCOB\4\0\1\0", 8, true },
        { "CCOB\2\0\7\0", 8, true },  { "CCOB\4\0\1", 7, false },
        { "CCOBstring", 10, false },  { "CCOB\4\1\1\0", 8, false },
        { "CCOB\4\0\1\1", 8, false }, { "ccob\4\0\1\0", 8, false },
    };

    for (size_t i = 0; i < RA_COUNT(heads); i++) {
        struct ra_span span = { (const uint8_t *)heads[i].bytes, heads[i].size, 0 };

        cr_assert_eq(ra_ccob_resembles(span), heads[i].resembles, "%zu", i);
    }
}

Test(ccob, every_version_and_codec_is_read)
{
    static const uint64_t headers[] = { 0, 20, 24, 32 };

    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < RA_COUNT(codecs); i++) {
            struct fx fx = { 0 };
            struct fx_ccob_at at = build(&fx, version, codecs[i]);
            struct told told = TOLD_INIT(told);
            struct ra_ccob ccob;

            cr_assert_eq(read_ccob(&fx, &told, &ccob), RA_OK);
            cr_assert_eq(ccob.version, version);
            cr_assert_eq(ccob.codec, i == 0 ? RA_CODEC_DEFLATE : RA_CODEC_ZSTD);
            cr_assert_eq(ccob.header, headers[version]);
            cr_assert_eq(ccob.header, at.payload);
            cr_assert_eq(ccob.size, version == 1 ? 0 : fx.size);
            cr_assert_eq(ccob.expanded, 500);
            cr_assert_eq(ccob.md5, fx_peek(&fx, at.hash, 8));
            cr_assert_not(ccob.wrapped);
            assert_silent(told);
            fx_free(&fx);
        }
}

/* As clang 22 wrote it: offsets and widths of the fields of version 3. */
Test(ccob, a_header_that_was_not_built_by_us_is_read)
{
    static const uint8_t bytes[] = {
        'C',  'C',  'O',  'B',  3,    0,    1,    0,    0x2d, 0,    0,    0,
        0,    0,    0,    0,    4,    0,    0,    0,    0,    0,    0,    0,
        0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x28, 0xb5, 0x2f, 0xfd,
        0x20, 0x04, 0x21, 0x00, 0x00, 't',  'e',  's',  't',
    };
    struct ra_source source = ra_source_over((struct ra_span){ bytes, sizeof(bytes), 0 });
    struct told told = TOLD_INIT(told);
    struct ra_ccob ccob;

    cr_assert_eq(ra_ccob_read(&source, &told.diags, &ccob), RA_OK);
    cr_assert_eq(ccob.size, sizeof(bytes));
    cr_assert_eq(ccob.expanded, 4);
    cr_assert_eq(ccob.md5, 0x8877665544332211);
    assert_silent(told);
}

Test(ccob, what_follows_the_bundle_is_none_of_it)
{
    for (unsigned version = 2; version <= 3; version++) {
        struct fx fx = { 0 };
        struct fx_ccob_at at = build(&fx, version, FX_ZSTD);
        struct told told = TOLD_INIT(told);
        struct ra_ccob ccob;

        build(&fx, version, FX_ZSTD);
        cr_assert_eq(read_ccob(&fx, &told, &ccob), RA_OK);
        cr_assert_eq(ccob.size, at.end);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(ccob, fails_cleanly_at_every_truncation)
{
    for (unsigned version = 1; version <= 3; version++) {
        struct fx fx = { 0 };
        struct fx_ccob_at at = build(&fx, version, FX_STORED);
        struct told told = TOLD_INIT(told);
        struct ra_ccob ccob;

        for (size_t size = 0; size < fx.size; size = cut_next(size)) {
            struct fx cut = cut_of(&fx, size);

            /* Only the frame of version 1 tells that it is cut. */
            if (version == 1 && size >= at.payload) {
                cr_assert_eq(read_ccob(&cut, &told, &ccob), RA_OK, "%zu", size);
                assert_silent(told);
            } else {
                cr_assert_eq(read_ccob(&cut, &told, &ccob), RA_E_FORMAT, "%zu", size);
                assert_told(told, CCOB_BAD);
            }
            fx_free(&cut);
        }
        fx_free(&fx);
    }
}

/* ---- fields ------------------------------------------------------------- */

#define assert_poked(ver, field, width, value, status, code)                             \
    do {                                                                                 \
        struct fx fx = { 0 };                                                            \
        struct fx_ccob_at at = build(&fx, ver, FX_ZSTD);                                 \
        struct told told = TOLD_INIT(told);                                              \
        struct ra_ccob ccob;                                                             \
                                                                                         \
        fx_poke(&fx, at.field, width, value);                                            \
        cr_assert_eq(read_ccob(&fx, &told, &ccob), status, #field " " #value);           \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

static uint64_t built_size(unsigned version)
{
    struct fx fx = { 0 };
    uint64_t size;

    build(&fx, version, FX_ZSTD);
    size = fx.size;
    fx_free(&fx);
    return size;
}

Test(ccob, a_total_that_cannot_be_is_told)
{
    assert_poked(2, total, 4, 0, RA_E_FORMAT, CCOB_BAD);
    assert_poked(2, total, 4, 1, RA_E_FORMAT, CCOB_BAD);
    assert_poked(2, total, 4, 24, RA_E_FORMAT, CCOB_BAD);
    assert_poked(2, total, 4, built_size(2) + 1, RA_E_FORMAT, CCOB_BAD);
    assert_poked(2, total, 4, UINT32_MAX, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, 0, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, 1, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, 32, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, built_size(3) + 1, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, 1ull << 32, RA_E_FORMAT, CCOB_BAD);
    assert_poked(3, total, 8, UINT64_MAX, RA_E_FORMAT, CCOB_BAD);
}

Test(ccob, an_unknown_version_or_method_is_told)
{
    for (unsigned version = 1; version <= 3; version++) {
        assert_poked(version, version, 2, 0, RA_E_UNSUPPORTED, CCOB_UNKNOWN);
        assert_poked(version, version, 2, 4, RA_E_UNSUPPORTED, CCOB_UNKNOWN);
        assert_poked(version, version, 2, UINT16_MAX, RA_E_UNSUPPORTED, CCOB_UNKNOWN);
        assert_poked(version, method, 2, 2, RA_E_UNSUPPORTED, CCOB_UNKNOWN);
        assert_poked(version, method, 2, UINT16_MAX, RA_E_UNSUPPORTED, CCOB_UNKNOWN);
    }
}

/* ---- opening what it holds ---------------------------------------------- */

/* Expands, compares, and asks for `code` if that must not succeed; 0: it must. */
static enum ra_status expand(const struct fx *fx, struct told *told, uint64_t *size)
{
    struct ra_source source = fx_source(fx), payload, inside;
    struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    struct ra_expanded *expanded;
    struct fx inner = content();
    struct ra_ccob ccob;
    uint8_t bytes[500];
    uint64_t md5;
    enum ra_status status = ra_ccob_read(&source, &told->diags, &ccob);

    cr_assert_eq(status, RA_OK);
    payload = ra_source_from(&source, ccob.header);
    status = ra_expanded_open(&payload,
                              &(struct ra_expand){ .codec = ccob.codec,
                                                   .size = ccob.expanded,
                                                   .one_frame = ccob.size == 0,
                                                   .digest = true,
                                                   .workspaces = workspaces },
                              &told->diags, &expanded);
    if (status == RA_OK) {
        inside = ra_expanded_source(expanded);
        cr_assert_eq(inside.size, inner.size);
        cr_assert_eq(ra_source_read(&inside, 0, sizeof(bytes), &told->diags, bytes),
                     RA_OK);
        cr_assert_eq(memcmp(bytes, inner.data, inner.size), 0);
        status = ra_expanded_finish(expanded, size, &md5);
        *size += ccob.header;
        cr_assert_eq(md5, ccob.md5);
        ra_expanded_close(expanded);
    }
    fx_free(&inner);
    ra_workspaces_free(workspaces);
    return status;
}

Test(ccob, the_content_is_what_was_put_in_whatever_magic_it_holds)
{
    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < RA_COUNT(codecs); i++) {
            struct fx fx = { 0 };
            struct told told = TOLD_INIT(told);
            uint64_t size;

            build(&fx, version, codecs[i]);
            cr_assert_eq(expand(&fx, &told, &size), RA_OK, "v%u %zu", version, i);
            cr_assert_eq(size, fx.size);
            assert_silent(told);
            fx_free(&fx);
        }
}

/* Version 1 has no total size: it ends where its frame ends, and never at a magic. */
Test(ccob, version_1_ends_where_its_frame_does)
{
    for (size_t i = 0; i < RA_COUNT(codecs); i++) {
        struct fx fx = { 0 };
        struct fx_ccob_at at = build(&fx, 1, codecs[i]);
        struct told told = TOLD_INIT(told);
        uint64_t size;

        build(&fx, 3, FX_ZSTD);
        cr_assert_eq(expand(&fx, &told, &size), RA_OK, "%zu", i);
        cr_assert_eq(size, at.end);
        assert_silent(told);
        fx_free(&fx);
    }
}

Test(ccob, an_expanded_size_that_is_none_is_told)
{
    static const uint64_t wrong[] = { 0, 1, 499, 501, UINT32_MAX };

    for (unsigned version = 1; version <= 3; version++)
        for (size_t i = 0; i < RA_COUNT(wrong); i++) {
            struct fx fx = { 0 };
            struct fx_ccob_at at = build(&fx, version, FX_ZSTD);
            struct ra_workspaces *workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
            struct told told = TOLD_INIT(told);
            struct ra_expanded *expanded = NULL;
            struct ra_source source = fx_source(&fx), payload, inside;
            struct ra_ccob ccob;
            uint8_t *bytes = malloc(512);
            uint64_t used, md5;
            enum ra_status status;

            fx_poke(&fx, at.expanded, version == 3 ? 8 : 4, wrong[i]);
            cr_assert_eq(ra_ccob_read(&source, &told.diags, &ccob), RA_OK);
            cr_assert_eq(ccob.expanded, wrong[i]);
            payload = ra_source_from(&source, ccob.header);
            status = ra_expanded_open(&payload,
                                      &(struct ra_expand){ .codec = ccob.codec,
                                                           .size = ccob.expanded,
                                                           .one_frame = ccob.size == 0,
                                                           .workspaces = workspaces },
                                      &told.diags, &expanded);
            if (status == RA_OK) { /* only one decoded forward tells at its end */
                inside = ra_expanded_source(expanded);
                cr_assert_eq(ra_source_read(&inside, 0, 500, &told.diags, bytes), RA_OK);
                status = ra_expanded_finish(expanded, &used, &md5);
                ra_expanded_close(expanded);
            }
            cr_assert_eq(status, RA_E_FORMAT, "v%u %" PRIu64, version, wrong[i]);
            assert_told(told, CODEC_SIZE);
            ra_workspaces_free(workspaces);
            free(bytes);
            fx_free(&fx);
        }
}

/* ---- more than 32 bits -------------------------------------------------- */

/* clang 19 wrote 4,500,000,139 as 205,032,843: the frame knows better. */
Test(ccob, version_2_that_wrapped_is_taken_by_the_word_of_its_frame)
{
    struct fx fx = fx_make("odd-ccob-v2-wrapped.fb");
    struct told told = TOLD_INIT(told);
    struct ra_ccob ccob;

    cr_assert_eq(read_ccob(&fx, &told, &ccob), RA_OK);
    cr_assert_eq(ccob.version, 2);
    cr_assert(ccob.wrapped);
    cr_assert_gt(ccob.expanded, UINT32_MAX);
    cr_assert_eq((uint32_t)ccob.expanded, fx_peek(&fx, 12, 4));
    cr_assert_eq(ccob.size, 0, "nor can the total be trusted");
    assert_silent(told);
    fx_free(&fx);
}

Test(ccob, a_frame_that_is_larger_for_no_such_reason_is_not_believed)
{
    struct fx fx = fx_make("odd-ccob-v2-wrapped.fb");
    struct told told = TOLD_INIT(told);
    struct ra_ccob ccob;

    fx_poke(&fx, 12, 4, fx_peek(&fx, 12, 4) + 1);
    cr_assert_eq(read_ccob(&fx, &told, &ccob), RA_OK);
    cr_assert_not(ccob.wrapped);
    cr_assert_leq(ccob.expanded, UINT32_MAX);
    assert_silent(told);
    fx_free(&fx);
}
