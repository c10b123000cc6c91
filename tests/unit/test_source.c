#include "io/source.h"

#include "scratch.h"
#include "told.h"

static const char text[] = "0123456789abcdef";

static struct ra_source over_text(void)
{
    return ra_source_over((struct ra_span){ (const uint8_t *)text, 16, 0 });
}

/* ---- files ------------------------------------------------------------------ */

/* As every caller has to: the first bytes, then what the file is. */
static enum ra_status open_at(const char *path, struct told *told, struct ra_source *ret,
                              struct ra_stamp *stamp)
{
    uint8_t window[8];
    struct ra_span head;
    enum ra_status status =
        ra_source_open(path, sizeof(window), &told->diags, window, &head, ret);

    if (status != RA_OK)
        return status;
    status = ra_source_measure(ret, &told->diags, stamp);
    if (status != RA_OK)
        ra_source_close(ret);
    return status;
}

struct opened {
    struct scratch folder;
    char *path;
    struct ra_source source;
    struct ra_stamp stamp;
};

static struct opened open_file(const void *bytes, size_t size)
{
    struct opened opened = { .folder = scratch_new() };
    struct told told = TOLD_INIT(told);

    scratch_file(&opened.folder, "file", bytes, size);
    opened.path = scratch_at(&opened.folder, "file");
    cr_assert_eq(open_at(opened.path, &told, &opened.source, &opened.stamp), RA_OK);
    assert_silent(told);
    return opened;
}

static void end(struct opened *opened)
{
    ra_source_close(&opened->source);
    scratch_end(&opened->folder);
    free(opened->path);
}

Test(source, the_head_of_a_file_is_as_much_as_there_is_and_is_wanted)
{
    for (size_t size = 0; size <= 16; size++) {
        struct told told = TOLD_INIT(told);
        struct opened opened = open_file(text, size);
        struct ra_source source;
        struct ra_span head;
        uint8_t window[8];

        cr_assert_eq(ra_source_open(opened.path, 8, &told.diags, window, &head, &source),
                     RA_OK);
        cr_assert_eq(head.size, size < 8 ? size : 8);
        cr_assert_arr_eq(head.data, text, head.size);
        cr_assert_eq(head.base, 0);
        ra_source_close(&source);
        assert_silent(told);
        end(&opened);
    }
}

Test(source, a_file_is_read_where_asked)
{
    struct told told = TOLD_INIT(told);
    struct opened opened = open_file(text, 16);
    uint8_t bytes[4];

    cr_assert_eq(opened.source.size, 16);
    cr_assert_eq(opened.stamp.size, 16);
    cr_assert_eq(ra_source_read(&opened.source, 10, 4, &told.diags, bytes), RA_OK);
    cr_assert_arr_eq(bytes, "abcd", 4);
    assert_silent(told);
    end(&opened);
}

static void assert_refused(const char *path)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source;
    struct ra_stamp stamp;

    alarm(10); /* a test that hangs is killed by it */
    cr_assert_eq(open_at(path, &told, &source, &stamp), RA_E_IO, "%s", path);
    alarm(0);
    assert_told(told, IO);
}

Test(source, what_is_no_regular_file_is_refused_without_waiting)
{
    struct scratch folder = scratch_new();
    char *path = scratch_at(&folder, "pipe");

    cr_assert_eq(mkfifo(path, 0600), 0);
    assert_refused(path);
    assert_refused(folder.path);
    assert_refused("/dev/zero");
    scratch_end(&folder);
    free(path);
}

Test(source, what_cannot_be_opened_is_told)
{
    struct scratch folder = scratch_new();
    char *missing = scratch_at(&folder, "missing"), *loop = scratch_at(&folder, "loop");
    char *through = scratch_at(&folder, "file/below");

    scratch_link(&folder, "loop", "loop");
    scratch_file(&folder, "file", text, 16);
    assert_refused(missing);
    assert_refused(loop);
    assert_refused(through);
    assert_refused("");
    scratch_end(&folder);
    free(missing);
    free(loop);
    free(through);
}

Test(source, a_file_without_read_permission_is_told)
{
    struct scratch folder = scratch_new();
    char *path = scratch_at(&folder, "file");

    scratch_file(&folder, "file", text, 16);
    cr_assert_eq(chmod(path, 0), 0);
    if (access(path, R_OK) == 0)
        cr_skip_test("this user may read everything");
    assert_refused(path);
    scratch_end(&folder);
    free(path);
}

Test(source, a_file_that_shrinks_is_told_as_changed_and_is_no_signal)
{
    static const uint8_t zeros[65536];
    static uint8_t bytes[65536];
    struct told told = TOLD_INIT(told);
    struct opened opened = open_file(zeros, sizeof(zeros));

    cr_assert_eq(truncate(opened.path, 5000), 0);
    cr_assert_eq(ra_source_read(&opened.source, 0, 65536, &told.diags, bytes), RA_E_IO);
    cr_assert_eq(told.diags.first->offset, 5000, "where the bytes end now");
    assert_told(told, CHANGED);
    cr_assert_eq(ra_source_read(&opened.source, 0, 5000, &told.diags, bytes), RA_OK);
    assert_silent(told);
    end(&opened);
}

Test(source, a_stamp_tells_an_untouched_file_from_a_changed_one)
{
    struct told told = TOLD_INIT(told);
    struct opened opened = open_file(text, 16);

    cr_assert_eq(ra_source_unchanged(&opened.source, &opened.stamp, &told.diags), RA_OK);
    assert_silent(told);
    scratch_file(&opened.folder, "file", text, 15);
    cr_assert_eq(ra_source_unchanged(&opened.source, &opened.stamp, &told.diags),
                 RA_E_IO);
    assert_told(told, CHANGED);
    end(&opened);
}

Test(source, a_file_of_the_same_size_written_later_is_changed)
{
    struct told told = TOLD_INIT(told);
    struct opened opened = open_file(text, 16);
    const struct timespec times[] = {
        { .tv_nsec = UTIME_OMIT },
        { .tv_sec = opened.stamp.seconds,
          .tv_nsec = (opened.stamp.nanoseconds + 1) % 1000000000 },
    };

    cr_assert_eq(utimensat(AT_FDCWD, opened.path, times, 0), 0);
    cr_assert_eq(ra_source_unchanged(&opened.source, &opened.stamp, &told.diags),
                 RA_E_IO);
    assert_told(told, CHANGED);
    end(&opened);
}

Test(source, a_sparse_file_of_2_to_the_45_bytes_takes_no_memory)
{
    struct told told = TOLD_INIT(told);
    struct opened opened = open_file("", 0);
    struct ra_source source;
    struct ra_stamp stamp;
    struct ra_span span;
    uint8_t bytes[16] = { 1 };
    /* Not every file system goes that far; all go to 2^40. */
    off_t size =
        truncate(opened.path, (off_t)1 << 45) == 0 ? (off_t)1 << 45 : (off_t)1 << 40;

    if (truncate(opened.path, size) != 0)
        cr_skip_test("no large files here");
    cr_assert_eq(open_at(opened.path, &told, &source, &stamp), RA_OK);
    cr_assert_eq(source.size, (uint64_t)size);
    cr_assert_eq(
        ra_source_peek(&source, (uint64_t)size - 4, 16, &told.diags, bytes, &span),
        RA_OK);
    cr_assert_eq(span.size, 4);
    cr_assert_eq(bytes[0], 0);
    assert_silent(told);
    ra_source_close(&source);
    end(&opened);
}

/* ---- memory and parts ------------------------------------------------------- */

Test(source, a_read_outside_is_told_and_touches_nothing)
{
    static const struct {
        uint64_t offset;
        size_t count;
    } rows[] = {
        { 0, 17 },
        { 16, 1 },
        { 17, 0 },
        { 15, SIZE_MAX },
        { UINT64_MAX, 1 },
        { (uint64_t)1 << 45, 1 },
        { UINT64_MAX - 3, 16 },
    };
    struct ra_source source = over_text();

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct told told = TOLD_INIT(told);
        uint8_t byte = 0x55;

        cr_assert_eq(
            ra_source_read(&source, rows[i].offset, rows[i].count, &told.diags, &byte),
            RA_E_FORMAT, "row %zu", i);
        cr_assert_eq(byte, 0x55);
        assert_told(told, OUTSIDE);
    }
}

Test(source, nothing_can_be_read_at_the_end)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = over_text(), empty = ra_source_over((struct ra_span){ 0 });

    cr_assert_eq(ra_source_read(&source, 16, 0, &told.diags, NULL), RA_OK);
    cr_assert_eq(ra_source_read(&empty, 0, 0, &told.diags, NULL), RA_OK);
    assert_silent(told);
}

Test(source, a_peek_gives_what_there_is)
{
    static const struct {
        uint64_t offset;
        size_t limit, size;
    } rows[] = {
        { 0, 16, 16 },        { 0, 100, 16 }, { 10, 100, 6 }, { 16, 8, 0 },
        { UINT64_MAX, 8, 0 }, { 4, 0, 0 },    { 15, 1, 1 },   { (uint64_t)1 << 45, 1, 0 },
    };
    struct told told = TOLD_INIT(told);
    struct ra_source source = over_text();

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        uint8_t window[100];
        struct ra_span span;

        cr_assert_eq(ra_source_peek(&source, rows[i].offset, rows[i].limit, &told.diags,
                                    window, &span),
                     RA_OK);
        cr_assert_eq(span.size, rows[i].size, "row %zu", i);
        if (span.size > 0) {
            cr_assert_arr_eq(span.data, text + rows[i].offset, span.size);
            cr_assert_eq(span.base, rows[i].offset);
        }
    }
    assert_silent(told);
}

Test(source, a_part_of_a_part_reads_the_same_bytes)
{
    struct told told = TOLD_INIT(told);
    struct ra_source source = over_text(), part, inner;
    uint8_t bytes[2];

    cr_assert(ra_source_sub(&source, 4, 8, &part));
    cr_assert(ra_source_sub(&part, 3, 2, &inner));
    cr_assert_eq(ra_source_read(&inner, 0, 2, &told.diags, bytes), RA_OK);
    cr_assert_arr_eq(bytes, "78", 2);
    assert_silent(told);
    cr_assert_eq(ra_source_read(&inner, 1, 2, &told.diags, bytes), RA_E_FORMAT,
                 "the bytes behind a part are not its own");
    cr_assert_eq(told.diags.first->offset, 7);
    assert_told(told, OUTSIDE);
}

Test(source, a_part_is_inside_or_refused)
{
    struct ra_source source = over_text(), part;

    cr_assert(ra_source_sub(&source, 0, 16, &part));
    cr_assert(ra_source_sub(&source, 16, 0, &part));
    cr_assert_not(ra_source_sub(&source, 0, 17, &part));
    cr_assert_not(ra_source_sub(&source, 17, 0, &part));
    cr_assert_not(ra_source_sub(&source, 1, UINT64_MAX, &part));
    cr_assert_not(ra_source_sub(&source, UINT64_MAX, 1, &part));
    cr_assert_not(ra_source_sub(&source, UINT64_MAX, UINT64_MAX, &part));
    cr_assert(ra_source_sub(&source, 2, 3, &source), "in place");
    cr_assert_eq(source.base, 2);
    cr_assert_eq(source.size, 3);
}

Test(source, the_rest_from_outside_is_empty)
{
    struct ra_source source = over_text();

    cr_assert_eq(ra_source_from(&source, 5).size, 11);
    cr_assert_eq(ra_source_from(&source, 5).base, 5);
    cr_assert_eq(ra_source_from(&source, 16).size, 0);
    cr_assert_eq(ra_source_from(&source, UINT64_MAX).size, 0);
    cr_assert_eq(ra_source_from(&source, UINT64_MAX).base, 16);
}

Test(source, a_place_in_expanded_data_names_both_offsets)
{
    struct ra_source source = over_text();

    source.base = 100;
    cr_assert_eq(ra_source_place(&source, 5).offset, 105);
    cr_assert_eq(ra_source_place(&source, 5).inner, RA_NOT_EXPANDED);
    source.packed = 4096;
    cr_assert_eq(ra_source_place(&source, 5).offset, 4096);
    cr_assert_eq(ra_source_place(&source, 5).inner, 105);
    cr_assert_eq(ra_source_place(&source, UINT64_MAX).inner, 116, "never beyond the end");
}

/* ---- held ------------------------------------------------------------------- */

struct asked {
    uint64_t where, size;
};

static enum ra_status note_hold(const struct ra_source *source, uint64_t where,
                                uint64_t size)
{
    *(struct asked *)source->state = (struct asked){ where, size };
    return RA_E_FORMAT;
}

Test(source, a_hold_of_a_part_is_asked_of_the_source_it_is_of)
{
    struct asked asked = { 0 };
    struct ra_source forward = { .size = 1000, .hold = note_hold, .state = &asked }, part;

    cr_assert(ra_source_sub(&forward, 100, 200, &part));
    cr_assert(ra_source_is_forward(&part));
    cr_assert_eq(ra_source_hold(&part, 10, 20), RA_E_FORMAT);
    cr_assert_eq(asked.where, 110);
    cr_assert_eq(asked.size, 20);
    asked = (struct asked){ 0 };
    cr_assert_eq(ra_source_hold(&part, 190, 20), RA_OK, "it is not all inside");
    cr_assert_eq(asked.size, 0);
}

Test(source, where_going_back_is_free_a_hold_does_nothing)
{
    struct ra_source source = ra_source_over((struct ra_span){ .size = 100 });

    cr_assert_not(ra_source_is_forward(&source));
    cr_assert_eq(ra_source_hold(&source, 10, 20), RA_OK);
}
