#include "codec/decoder.h"

#include "packed.h"
#include "told.h"

/* ---- running one ------------------------------------------------------------ */

struct run {
    enum ra_codec codec;
    bool one_frame;
    size_t step; /* bytes asked for at a time; 0: all */
    size_t room; /* stop when so much was made */
    struct fx out;
    uint64_t used;
};

static enum ra_status run(struct run *run, const struct ra_source *source,
                          struct told *told)
{
    struct ra_workspace workspace = { 0 };
    struct ra_decoder *decoder;
    size_t step = run->step ? run->step : (size_t)1 << 20, made = step;
    uint8_t *bytes = malloc(step);
    enum ra_status status = ra_decoder_open(run->codec, source, run->one_frame,
                                            &workspace, &told->diags, &decoder);

    cr_assert_eq(status, RA_OK);
    while (status == RA_OK && made == step && run->out.size <= run->room) {
        status = ra_decoder_read(decoder, bytes, step, &made);
        cr_assert_leq(made, step);
        fx_bytes(&run->out, bytes, made);
    }
    run->used = ra_decoder_used(decoder);
    cr_assert_leq(run->used, source->size);
    ra_decoder_close(decoder);
    ra_zstd_context_free(workspace.zstd);
    free(bytes);
    return status;
}

/* Exactly as many bytes as there are, so that a sanitiser sees a look behind them. */
static enum ra_status run_bytes(struct run *spec, const struct fx *packed, size_t size,
                                struct told *told)
{
    uint8_t *copy = malloc(size ? size : 1);
    struct ra_source source = ra_source_over((struct ra_span){ copy, size, 0 });
    enum ra_status status;

    if (size)
        memcpy(copy, packed->data, size);
    if (!spec->room)
        spec->room = (size_t)1 << 22;
    status = run(spec, &source, told);
    free(copy);
    return status;
}

static void assert_gives(struct run spec, const struct fx *packed,
                         const struct fx *content, uint64_t used)
{
    struct told told = TOLD_INIT(told);

    cr_assert_eq(run_bytes(&spec, packed, packed->size, &told), RA_OK, "%s",
                 told_detail(&told));
    assert_silent(told);
    cr_assert_eq(spec.out.size, content->size);
    cr_assert_eq(memcmp(spec.out.data, content->data, content->size), 0);
    cr_assert_eq(spec.used, used);
    fx_free(&spec.out);
}

/* Each way to compress the same content. */
static void pack(struct fx *fx, enum ra_codec codec, const struct fx *content,
                 unsigned flags)
{
    if (codec == RA_CODEC_ZSTD)
        packed_zstd(fx, content->data, content->size, flags);
    else
        packed_zlib(fx, content->data, content->size);
}

static const enum ra_codec codecs[] = { RA_CODEC_DEFLATE, RA_CODEC_ZSTD };

/* ---- good ------------------------------------------------------------------- */

Test(decoder, gives_what_was_compressed_at_any_step)
{
    static const size_t steps[] = { 1, 7, 4096, 131072, 1 << 20 };
    struct fx content = packed_content(300000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++)
        for (unsigned flags = 0; flags < 4; flags++)
            for (size_t i = 0; i < RA_COUNT(steps); i++) {
                struct fx packed = { 0 };

                pack(&packed, codecs[c], &content, flags);
                assert_gives((struct run){ .codec = codecs[c], .step = steps[i] },
                             &packed, &content, packed.size);
                fx_free(&packed);
            }
    fx_free(&content);
}

Test(decoder, several_frames_follow_each_other)
{
    struct fx content = packed_content(50000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx packed = { 0 };
        struct fx half = { .data = content.data, .size = 20000 };
        struct fx rest = { .data = content.data + 20000, .size = 30000 };

        pack(&packed, codecs[c], &half, 0);
        pack(&packed, codecs[c], &rest, PACKED_NO_SIZE);
        assert_gives((struct run){ .codec = codecs[c] }, &packed, &content, packed.size);
        assert_gives((struct run){ .codec = codecs[c], .step = 1000 }, &packed, &content,
                     packed.size);
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(decoder, frames_that_hold_nothing_are_passed_over)
{
    struct fx content = packed_content(5000), packed = { 0 };

    packed_skippable(&packed, 0);
    packed_skippable(&packed, 300000); /* more than a window of input */
    packed_zstd(&packed, "", 0, 0);
    packed_zstd(&packed, content.data, content.size, 0);
    packed_zstd(&packed, "", 0, PACKED_CHECKSUM);
    packed_skippable(&packed, 5);
    assert_gives((struct run){ .codec = RA_CODEC_ZSTD }, &packed, &content, packed.size);
    fx_free(&packed);
    fx_free(&content);
}

Test(decoder, one_frame_ends_where_it_ends_whatever_follows)
{
    static const char junk[] = "__CLANG_OFFLOAD_BUNDLE__, or what else there may be";
    struct fx content = packed_content(70000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++)
        for (size_t behind = 0; behind < sizeof(junk); behind++) {
            struct fx packed = { 0 };
            size_t size;

            if (codecs[c] == RA_CODEC_ZSTD)
                packed_skippable(&packed, 11);
            pack(&packed, codecs[c], &content, 0);
            size = packed.size;
            fx_bytes(&packed, junk, behind);
            assert_gives((struct run){ .codec = codecs[c], .one_frame = true }, &packed,
                         &content, size);
            fx_free(&packed);
        }
    fx_free(&content);
}

Test(decoder, one_frame_does_not_read_a_second_one)
{
    struct fx content = packed_content(3000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx packed = { 0 };
        size_t size;

        pack(&packed, codecs[c], &content, 0);
        size = packed.size;
        pack(&packed, codecs[c], &content, 0);
        assert_gives((struct run){ .codec = codecs[c], .one_frame = true }, &packed,
                     &content, size);
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(decoder, a_window_at_the_limit_is_read)
{
    struct fx content = packed_content(3000), packed = { 0 };

    packed_stored(&packed, RA_DECODER_WINDOW_LOG, content.data, content.size);
    assert_gives((struct run){ .codec = RA_CODEC_ZSTD }, &packed, &content, packed.size);
    fx_free(&packed);
    fx_free(&content);
}

/* ---- damaged ---------------------------------------------------------------- */

Test(decoder, every_truncation_is_told_once)
{
    struct fx content = packed_content(9000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++)
        for (unsigned one_frame = 0; one_frame < 2; one_frame++) {
            struct fx packed = { 0 };

            pack(&packed, codecs[c], &content, PACKED_CHECKSUM);
            cr_assert_lt(packed.size, 8192);
            for (size_t size = 0; size < packed.size; size++) {
                struct told told = TOLD_INIT(told);
                struct run spec = { .codec = codecs[c], .one_frame = one_frame };

                cr_assert_eq(run_bytes(&spec, &packed, size, &told), RA_E_FORMAT,
                             "%zu of %zu bytes", size, packed.size);
                cr_assert_leq(spec.out.size, content.size);
                assert_told(told, CODEC_DAMAGED);
                fx_free(&spec.out);
            }
            fx_free(&packed);
        }
    fx_free(&content);
}

Test(decoder, a_flipped_byte_is_told_or_changes_nothing)
{
    struct fx content = packed_content(9000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++) {
        struct fx packed = { 0 };

        /* Both carry a checksum: adler32 always, XXH64 if asked for. */
        pack(&packed, codecs[c], &content, PACKED_CHECKSUM);
        for (size_t at = 0; at < packed.size; at++) {
            struct told told = TOLD_INIT(told);
            struct run spec = { .codec = codecs[c] };
            enum ra_status status;

            packed.data[at] ^= 0xff;
            status = run_bytes(&spec, &packed, packed.size, &told);
            packed.data[at] ^= 0xff;
            cr_assert_eq(status != RA_OK, told.diags.count == 1, "byte %zu", at);
            cr_assert(status != RA_OK ||
                          (spec.out.size == content.size &&
                           memcmp(spec.out.data, content.data, content.size) == 0),
                      "byte %zu", at);
            cr_assert(status == RA_OK || status == RA_E_FORMAT || status == RA_E_LIMIT);
            told_end(&told);
            fx_free(&spec.out);
        }
        fx_free(&packed);
    }
    fx_free(&content);
}

Test(decoder, bytes_behind_the_last_frame_are_damage)
{
    struct fx content = packed_content(3000);

    for (size_t c = 0; c < RA_COUNT(codecs); c++)
        for (size_t behind = 1; behind < 20; behind++) {
            struct told told = TOLD_INIT(told);
            struct run spec = { .codec = codecs[c] };
            struct fx packed = { 0 };

            pack(&packed, codecs[c], &content, 0);
            fx_pad(&packed, packed.size + behind);
            cr_assert_eq(run_bytes(&spec, &packed, packed.size, &told), RA_E_FORMAT);
            cr_assert_eq(spec.out.size, content.size, "the content was there before");
            assert_told(told, CODEC_DAMAGED);
            fx_free(&spec.out);
            fx_free(&packed);
        }
    fx_free(&content);
}

/* libzstd's stream takes such a frame, if its last block is empty; at once it does not.
 */
Test(decoder, a_frame_that_holds_less_than_it_announces_is_damage_at_any_step)
{
    static const size_t steps[] = { 1, 100, 1000, 1 << 20 };
    struct fx content = packed_content(500);

    for (size_t i = 0; i < RA_COUNT(steps); i++)
        for (unsigned kept = 0; kept <= 500; kept += 250) {
            struct told told = TOLD_INIT(told);
            struct run spec = { .codec = RA_CODEC_ZSTD, .step = steps[i] };
            struct fx packed = { 0 };

            fx_u32(&packed, 0xfd2fb528);
            fx_u8(&packed, 0x60); /* one segment; two bytes of content size follow */
            fx_u16(&packed, 500 - 256);
            packed_block_head(&packed, 0, kept, false);
            fx_bytes(&packed, content.data, kept);
            packed_block_head(&packed, 0, 0, true);
            /* What another frame holds does not make up for it. */
            packed_stored(&packed, 17, content.data, 500 - kept);
            cr_assert_eq(run_bytes(&spec, &packed, packed.size, &told),
                         kept < 500 ? RA_E_FORMAT : RA_OK, "%u in steps of %zu", kept,
                         steps[i]);
            if (kept < 500)
                assert_told(told, CODEC_DAMAGED);
            else
                assert_silent(told);
            fx_free(&spec.out);
            fx_free(&packed);
        }
    fx_free(&content);
}

Test(decoder, a_window_above_the_limit_is_told_as_such)
{
    for (unsigned log = RA_DECODER_WINDOW_LOG + 1; log <= 41; log++) {
        struct told told = TOLD_INIT(told);
        struct run spec = { .codec = RA_CODEC_ZSTD };
        struct fx packed = { 0 };

        packed_stored(&packed, log, "content", 7);
        cr_assert_eq(run_bytes(&spec, &packed, packed.size, &told), RA_E_LIMIT, "2^%u",
                     log);
        cr_assert_eq(spec.out.size, 0);
        assert_told(told, CODEC_WINDOW);
        fx_free(&packed);
    }
}

Test(decoder, a_stream_that_needs_a_dictionary_is_damage)
{
    static const uint8_t zlib[] = { 0x78, 0xbb, 0, 1, 2, 3, 0x03, 0x00 };
    /* Descriptor 0x21: one segment, dictionary ID of one byte; empty last raw block. */
    static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x21, 77, 0, 1, 0, 0 };
    struct told told = TOLD_INIT(told);
    struct run deflate = { .codec = RA_CODEC_DEFLATE },
               frame = { .codec = RA_CODEC_ZSTD };
    struct fx packed = { .data = (uint8_t *)(uintptr_t)zlib };

    cr_assert_eq(run_bytes(&deflate, &packed, sizeof(zlib), &told), RA_E_FORMAT);
    assert_told(told, CODEC_DAMAGED);
    packed.data = (uint8_t *)(uintptr_t)zstd;
    cr_assert_eq(run_bytes(&frame, &packed, sizeof(zstd), &told), RA_E_FORMAT);
    assert_told(told, CODEC_DAMAGED);
}

Test(decoder, damage_is_told_where_it_was_met)
{
    struct told told = TOLD_INIT(told);
    struct run spec = { .codec = RA_CODEC_ZSTD };
    struct fx packed = { 0 };
    struct ra_source source, part;

    fx_pad(&packed, 1000);
    packed_stored(&packed, 17, "content", 7);
    fx_text(&packed, "what is this");
    source = fx_source(&packed);
    cr_assert(ra_source_sub(&source, 1000, packed.size - 1000, &part));
    spec.room = 1000;
    cr_assert_eq(run(&spec, &part, &told), RA_E_FORMAT);
    cr_assert_eq(told.diags.first->offset, packed.size - 12);
    assert_told(told, CODEC_DAMAGED);
    fx_free(&spec.out);
    fx_free(&packed);
}

static enum ra_status failing_read(const struct ra_source *source, uint64_t where,
                                   size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct fx *packed = source->state;

    if (where + count > packed->size)
        return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(where), "a disk that fails");
    memcpy(ret, packed->data + where, count);
    return RA_OK;
}

Test(decoder, a_source_that_fails_is_told_once_and_is_no_damage)
{
    struct told told = TOLD_INIT(told);
    struct run spec = { .codec = RA_CODEC_ZSTD, .room = 1 << 22 };
    struct fx content = packed_content(600000), packed = { 0 };
    struct ra_source source = { .size = 1 << 20,
                                .packed = RA_NOT_EXPANDED,
                                .read_at = failing_read,
                                .state = &packed };

    packed_stored(&packed, 17, content.data, content.size);
    cr_assert_eq(run(&spec, &source, &told), RA_E_IO);
    assert_told(told, IO);
    fx_free(&spec.out);
    fx_free(&packed);
    fx_free(&content);
}

Test(decoder, a_bomb_makes_no_more_than_asked_for)
{
    struct told told = TOLD_INIT(told);
    struct run spec = { .codec = RA_CODEC_ZSTD, .step = 1000, .room = 50000 };
    struct fx packed = { 0 };

    packed_bomb(&packed, 27, 100000); /* 13 GB */
    cr_assert_eq(run_bytes(&spec, &packed, packed.size, &told), RA_OK);
    cr_assert_eq(spec.out.size, 51000);
    assert_silent(told);
    fx_free(&spec.out);
    fx_free(&packed);
}

/* ---- frame headers ---------------------------------------------------------- */

static struct ra_frame frame_of(enum ra_codec codec, const void *bytes, size_t size)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = ra_source_over((struct ra_span){ bytes, size, 0 });
    struct ra_frame frame;

    cr_assert_eq(ra_frame_read(codec, &source, &told.diags, &frame), RA_OK);
    assert_silent(told);
    return frame;
}

/* libzstd's own word on any head; it says less of frames it would refuse. */
Test(decoder, frame_content_is_what_libzstd_says_it_is)
{
    uint64_t state = 7;
    size_t agreed = 0;

    for (unsigned i = 0; i < 100000; i++) {
        uint8_t head[18] = { 0x28, 0xb5, 0x2f, 0xfd };
        unsigned long long size;
        struct ra_frame frame;

        for (size_t k = 4; k < sizeof(head); k++)
            head[k] = (uint8_t)packed_random(&state);
        size = ZSTD_getFrameContentSize(head, sizeof(head));
        if (size == ZSTD_CONTENTSIZE_ERROR)
            continue;
        frame = frame_of(RA_CODEC_ZSTD, head, sizeof(head));
        cr_assert(frame.known);
        cr_assert_eq(frame.has_content, size != ZSTD_CONTENTSIZE_UNKNOWN);
        cr_assert(!frame.has_content || frame.content == size);
        agreed++;
    }
    cr_assert_gt(agreed, 10000);
}

/* RFC 8878 3.1.1.1.2: 2^(10 + exponent), plus so many eighths as the mantissa says. */
Test(decoder, frame_window_is_that_of_rfc_8878)
{
    static const struct {
        uint8_t head[9];
        uint64_t window;
    } rows[] = {
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00 }, 1024 },
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x07 }, 1024 + 7 * 128 },
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88 }, (uint64_t)1 << 27 },
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff }, ((uint64_t)15 << 41) / 8 },
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05 }, 5 }, /* one segment: the content */
        { { 0x28, 0xb5, 0x2f, 0xfd, 0x60, 0x01, 0x00 }, 257 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_eq(frame_of(RA_CODEC_ZSTD, rows[i].head, 9).window, rows[i].window,
                     "row %zu", i);
}

Test(decoder, a_head_that_is_cut_or_is_none_is_not_known)
{
    struct fx packed = { 0 };

    packed_zstd(&packed, "0123456789", 10, 0);
    for (size_t size = 0; size < 6; size++)
        cr_assert_not(frame_of(RA_CODEC_ZSTD, packed.data, size).known, "%zu bytes",
                      size);
    cr_assert(frame_of(RA_CODEC_ZSTD, packed.data, 6).known);
    cr_assert_not(frame_of(RA_CODEC_ZSTD, "no frame at all", 15).known);
    cr_assert_not(frame_of(RA_CODEC_DEFLATE, packed.data, packed.size).known);
    fx_cut(&packed, 0);
    packed_skippable(&packed, 3);
    cr_assert(frame_of(RA_CODEC_ZSTD, packed.data, packed.size).known);
    cr_assert_not(frame_of(RA_CODEC_ZSTD, packed.data, packed.size).has_content);
    fx_free(&packed);
}
