#include "bundle/blobs.h"

#include "cuts.h"
#include "gen/offload.h"
#include "told.h"

enum { MOST = 8 };

/* What a walk met. */
struct walked {
    struct told told;
    size_t count;
    struct ra_blob blobs[MOST];
};

static void walk(struct walked *walked, const struct fx *fx)
{
    struct ra_source source = fx_source(fx);
    struct ra_blobs blobs;
    struct ra_blob blob;
    bool more = true;

    *walked = (struct walked){ .told = TOLD_INIT(walked->told) };
    ra_blobs_open(&source, &walked->told.diags, &blobs);
    for (;;) {
        cr_assert_eq(ra_blobs_next(&blobs, &blob, &more), RA_OK);
        if (!more)
            break;
        cr_assert_lt(walked->count, MOST);
        walked->blobs[walked->count++] = blob;
    }
}

static struct fx_offload_at add(struct fx *fx, unsigned version, size_t size)
{
    struct fx content = { 0 };
    const struct fx_image image = { .producer = FX_OPENMP,
                                    .arch = "gfx90a",
                                    .content = &content };
    struct fx_offload_at at;

    for (size_t i = 0; i < size; i++)
        fx_u8(&content, (uint8_t)(i + 1));
    at = fx_offload(
        fx, &(struct fx_offload){ .version = version, .images = &image, .count = 1 });
    fx_free(&content);
    return at;
}

static void assert_blob(const struct walked *walked, size_t number,
                        const struct fx_offload_at *at, unsigned version)
{
    const struct ra_blob *blob = &walked->blobs[number];

    cr_assert_eq(blob->status, RA_OK);
    cr_assert_eq(blob->source.base, at->start);
    cr_assert_eq(blob->source.size, at->end - at->start);
    cr_assert_eq(blob->offload.version, version);
}

Test(blobs, stand_one_after_another_with_zeros_between)
{
    static const size_t gaps[] = { 0, 8, 4096, 10000 };

    for (size_t i = 0; i < RA_COUNT(gaps); i++) {
        struct fx fx = { 0 };
        struct fx_offload_at at[3];
        struct walked walked;

        for (unsigned version = 1; version <= 3; version++) {
            at[version - 1] = add(&fx, version, 50);
            fx_pad(&fx, fx.size + gaps[i]);
        }
        walk(&walked, &fx);
        cr_assert_eq(walked.count, 3);
        for (unsigned version = 1; version <= 3; version++)
            assert_blob(&walked, version - 1, &at[version - 1], version);
        assert_silent(walked.told);
        fx_free(&fx);
    }
}

Test(blobs, are_none_in_nothing_and_in_zeros)
{
    struct fx fx = { 0 };
    struct walked walked;

    walk(&walked, &fx);
    cr_assert_eq(walked.count, 0);
    fx_pad(&fx, 5000);
    walk(&walked, &fx);
    cr_assert_eq(walked.count, 0);
    assert_silent(walked.told);
    fx_free(&fx);
}

/* The next is found wherever a window ends. */
Test(blobs, behind_bytes_that_are_none_are_found)
{
    static const size_t sizes[] = { 1, 8, 4060, 4064, 4070, 4090, 4096, 4097, 9000 };

    for (size_t i = 0; i < RA_COUNT(sizes); i++) {
        struct fx fx = { 0 };
        struct fx_offload_at first = add(&fx, 1, 50), second;
        struct walked walked;

        for (size_t j = 0; j < sizes[i]; j++)
            fx_u8(&fx, 'x');
        second = add(&fx, 2, 50);
        walk(&walked, &fx);
        cr_assert_eq(walked.count, 3, "%zu", sizes[i]);
        assert_blob(&walked, 0, &first, 1);
        cr_assert_eq(walked.blobs[1].status, RA_E_FORMAT);
        assert_blob(&walked, 2, &second, 2);
        assert_told(walked.told, FATBIN_UNEXPLAINED);
        fx_free(&fx);
    }
}

Test(blobs, of_an_unknown_version_hide_no_other)
{
    struct fx fx = { 0 };
    struct fx_offload_at first = add(&fx, 3, 50), second = add(&fx, 3, 50);
    struct walked walked;

    fx_poke(&fx, first.version, 4, 4);
    walk(&walked, &fx);
    cr_assert_eq(walked.count, 2);
    cr_assert_eq(walked.blobs[0].status, RA_E_UNSUPPORTED);
    assert_blob(&walked, 1, &second, 3);
    assert_told(walked.told, OFFLOAD_UNKNOWN);
    fx_free(&fx);
}

/* Wherever the file ends, what was there before is found, and the loss is told. */
Test(blobs, that_are_cut_are_told)
{
    struct fx fx = { 0 };
    struct fx_offload_at first = add(&fx, 1, 50), second = add(&fx, 2, 50);

    for (size_t size = 1; size < second.end; size++) {
        struct fx cut = cut_of(&fx, size);
        struct walked walked;

        walk(&walked, &cut);
        if (size >= first.end)
            assert_blob(&walked, 0, &first, 1);
        if (size >= first.end && size <= second.start)
            cr_assert_eq(walked.told.diags.errors, 0, "%zu", size);
        else
            cr_assert_gt(walked.told.diags.errors, 0, "%zu", size);
        told_end(&walked.told);
        fx_free(&cut);
    }
    fx_free(&fx);
}
