#include "io/reader.h"

#include "told.h"

#include <stdlib.h>

enum { WINDOW = 4 * RA_READER_TAKE };

/* Byte i of all content here: it repeats at no multiple of a window. */
static uint8_t byte_at(uint64_t i)
{
    return (uint8_t)(i * 7 + i / 251);
}

static uint8_t *content(size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);

    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(i);
    return bytes;
}

static struct ra_reader *reader_over(const uint8_t *bytes, size_t size, struct told *told)
{
    struct ra_reader *reader = malloc(sizeof(*reader));
    struct ra_source source = ra_source_over((struct ra_span){ bytes, size, 0 });

    ra_reader_start(&source, &told->diags, RA_DIAG_TRUNCATED, reader);
    return reader;
}

/* Records of `step` bytes, `step` + 1, ... to the end, and one that is not there. */
static void assert_reads_all(size_t size, size_t step, size_t growth)
{
    struct told told = TOLD_INIT(told);
    uint8_t *bytes = content(size);
    struct ra_reader *reader = reader_over(bytes, size, &told);
    struct ra_span span;
    uint64_t pos = 0;

    while (step <= RA_READER_TAKE && step <= size - pos) {
        cr_assert_eq(ra_reader_take(reader, step, &span), RA_OK);
        cr_assert_eq(span.size, step);
        cr_assert_eq(span.base, pos);
        cr_assert_arr_eq(span.data, bytes + pos, step, "%zu bytes at %zu", step,
                         (size_t)pos);
        pos += step;
        step += growth;
    }
    cr_assert_eq(reader->pos, pos);
    assert_silent(told);
    free(reader);
    free(bytes);
}

Test(reader, records_of_every_size_are_the_bytes_of_the_source)
{
    assert_reads_all(WINDOW, 1, 0);
    assert_reads_all(3 * WINDOW + 1, 7, 0);
    assert_reads_all(1 << 20, 1, 1);
    assert_reads_all(20 * WINDOW, RA_READER_TAKE, 0);
    assert_reads_all(20 * WINDOW, RA_READER_TAKE - 1, 0);
    assert_reads_all(100, 100, 0);
}

Test(reader, a_record_across_the_windows_edge_is_whole)
{
    for (size_t before = WINDOW - 9; before <= WINDOW + 1; before++) {
        struct told told = TOLD_INIT(told);
        uint8_t *bytes = content(2 * WINDOW);
        struct ra_reader *reader = reader_over(bytes, 2 * WINDOW, &told);
        struct ra_span span;

        for (size_t left = before; left > 0; left -= span.size)
            cr_assert_eq(ra_reader_take(reader,
                                        left < RA_READER_TAKE ? left : RA_READER_TAKE,
                                        &span),
                         RA_OK);
        cr_assert_eq(ra_reader_take(reader, 8, &span), RA_OK);
        cr_assert_arr_eq(span.data, bytes + before, 8);
        assert_silent(told);
        free(reader);
        free(bytes);
    }
}

Test(reader, every_truncation_is_told_once_where_the_record_starts)
{
    for (size_t size = 0; size < 24; size++) {
        struct told told = TOLD_INIT(told);
        uint8_t *bytes = content(size);
        struct ra_reader *reader = reader_over(bytes, size, &told);
        enum ra_status status = RA_OK;
        struct ra_span span;

        for (unsigned i = 0; i < 3 && status == RA_OK; i++)
            status = ra_reader_take(reader, 8, &span);
        cr_assert_eq(status, RA_E_FORMAT, "of %zu bytes", size);
        cr_assert_eq(span.size, 0);
        cr_assert_eq(told.diags.first->offset, size / 8 * 8);
        cr_assert_eq(ra_reader_take(reader, 1, &span), RA_E_FORMAT, "it sticks");
        cr_assert_eq(ra_reader_take(reader, 0, &span), RA_E_FORMAT);
        cr_assert_eq(span.size, 0);
        assert_told(told, TRUNCATED);
        free(reader);
        free(bytes);
    }
}

Test(reader, tells_with_the_code_it_was_given)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = ra_source_over((struct ra_span){ 0 });
    struct ra_reader *reader = malloc(sizeof(*reader));
    struct ra_span span;

    ra_reader_start(&source, &told.diags, RA_DIAG_BUNDLE_TRUNCATED, reader);
    cr_assert_eq(ra_reader_take(reader, 1, &span), RA_E_FORMAT);
    assert_told(told, BUNDLE_TRUNCATED);
    free(reader);
}

static enum ra_status failing_read(const struct ra_source *source, uint64_t where,
                                   size_t count, struct ra_diags *diags, uint8_t *ret)
{
    (void)source, (void)count, (void)ret;
    return ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(where), "a disk that fails");
}

Test(reader, a_failed_read_sticks_and_is_told_once)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = { .size = (uint64_t)1 << 45,
                                .packed = RA_NOT_EXPANDED,
                                .read_at = failing_read };
    struct ra_reader *reader = malloc(sizeof(*reader));
    struct ra_span span;

    ra_reader_start(&source, &told.diags, RA_DIAG_TRUNCATED, reader);
    cr_assert_eq(ra_reader_take(reader, 8, &span), RA_E_IO);
    cr_assert_eq(ra_reader_take(reader, 8, &span), RA_E_IO);
    cr_assert_eq(span.size, 0);
    assert_told(told, IO);
    free(reader);
}
