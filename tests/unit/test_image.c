#include "gfx/image.h"

#include "cuts.h"
#include "gen/code.h"
#include "told.h"

/* gABI, Elf64_Ehdr and Elf64_Phdr. */
enum { PHOFF = 32, PHENTSIZE = 54, PHNUM = 56 };
enum { HEADER = 64, SEGMENT = 56 };
enum { P_TYPE = 0, P_OFFSET = 8, P_ADDRESS = 16, P_FILE_SIZE = 32 };

static struct fx_code_at build(struct fx *fx)
{
    return fx_code(fx, &(struct fx_code){ .target = "gfx90a:xnack-" });
}

static enum ra_status read_image(const struct fx *fx, struct told *told,
                                 struct ra_image *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_image_read(&source, &told->diags, ret);
}

/* ---- what the first bytes are ------------------------------------------- */

static enum ra_content content(const void *bytes, size_t size)
{
    return ra_content_of((struct ra_span){ bytes, size, 0 });
}

Test(image, content_is_told_by_its_magic)
{
    struct fx fx = { 0 };

    build(&fx);
    cr_assert_eq(content(fx.data, 64), RA_CONTENT_CODE_OBJECT);
    cr_assert_eq(content("\x03\x02\x23\x07", 4), RA_CONTENT_SPIRV);
    cr_assert_eq(content("BC\xc0\xde", 4), RA_CONTENT_BITCODE);
    cr_assert_eq(content("\xde\xc0\x17\x0b", 4), RA_CONTENT_BITCODE);
    cr_assert_eq(content("", 0), RA_CONTENT_EMPTY);
    cr_assert_eq(content("\x03\x02\x23", 3), RA_CONTENT_OTHER);
    cr_assert_eq(content("#include", 8), RA_CONTENT_OTHER);
    fx_free(&fx);
}

Test(image, an_elf_of_another_kind_is_no_code_object)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *what;
    } pokes[] = {
        { 0, 0, "no magic" },           { 4, 1, "32 bits: r600" },
        { 5, 2, "highest byte first" }, { 6, 0, "ELF version 0" },
        { 18, 62, "x86-64" },           { 19, 1, "machine 0x1e0" },
    };

    for (size_t i = 0; i < RA_COUNT(pokes); i++) {
        struct fx fx = { 0 };

        build(&fx);
        fx_poke(&fx, pokes[i].at, 1, pokes[i].value);
        cr_assert_eq(content(fx.data, 64), RA_CONTENT_OTHER, "%s", pokes[i].what);
        fx_free(&fx);
    }
}

/* ---- header and segments ------------------------------------------------ */

Test(image, header_and_segments_are_those_that_were_built)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx);
    struct told told = TOLD_INIT(told);
    struct ra_image image;
    uint64_t offset;

    cr_assert_eq(read_image(&fx, &told, &image), RA_OK);
    cr_assert_eq(image.osabi, 0x40);
    cr_assert_eq(image.abi_version, 4);
    cr_assert_eq(image.type, RA_ET_DYN);
    cr_assert_eq(image.machine, RA_EM_AMDGPU);
    cr_assert_eq(image.flags, 0x63f); /* gfx90a:xnack- */
    cr_assert_eq(image.segment_count, fx_peek(&fx, PHNUM, 2));
    for (size_t i = 0; i < image.segment_count; i++) {
        size_t where = at.program_headers + i * SEGMENT;

        cr_assert_eq(image.segments[i].type, fx_peek(&fx, where + P_TYPE, 4));
        cr_assert_eq(image.segments[i].offset, fx_peek(&fx, where + P_OFFSET, 8));
        cr_assert_eq(image.segments[i].address, fx_peek(&fx, where + P_ADDRESS, 8));
        cr_assert_eq(image.segments[i].size, fx_peek(&fx, where + P_FILE_SIZE, 8));
    }
    cr_assert_eq(ra_image_segment(&image, RA_PT_NOTE)->offset, at.note);
    cr_assert_eq(ra_image_segment(&image, RA_PT_DYNAMIC)->offset, at.dynamic);
    cr_assert_null(ra_image_segment(&image, 0x12345678));
    /* Each segment runs a page further ahead than the one before. */
    cr_assert(ra_image_offset(&image, at.descriptors, 64, &offset));
    cr_assert_eq(offset, at.descriptors);
    cr_assert(ra_image_offset(&image, at.text + 0x1000, 12, &offset));
    cr_assert_eq(offset, at.text);
    assert_silent(told);
    fx_free(&fx);
}

Test(image, addresses_outside_of_loaded_segments_have_no_offset)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_image image;
    const struct ra_segment *load;
    uint64_t offset;

    build(&fx);
    cr_assert_eq(read_image(&fx, &told, &image), RA_OK);
    load = ra_image_segment(&image, RA_PT_LOAD);
    cr_assert(ra_image_offset(&image, load->address, load->size, &offset));
    cr_assert_not(ra_image_offset(&image, load->address, load->size + 1, &offset));
    cr_assert_not(ra_image_offset(&image, load->address + 1, load->size, &offset));
    cr_assert_not(ra_image_offset(&image, load->address, UINT64_MAX, &offset));
    cr_assert_not(ra_image_offset(&image, UINT64_MAX, 1, &offset));
    cr_assert_not(ra_image_offset(&image, UINT64_MAX, UINT64_MAX, &offset));
    cr_assert_not(ra_image_offset(&image, 1ull << 40, 1, &offset));
    assert_silent(told);
    fx_free(&fx);
}

Test(image, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_image image;
    uint64_t end = 0;

    build(&fx);
    cr_assert_eq(read_image(&fx, &told, &image), RA_OK);
    for (size_t i = 0; i < image.segment_count; i++) {
        const struct ra_segment *segment = &image.segments[i];

        if (segment->type == RA_PT_LOAD && segment->offset + segment->size > end)
            end = segment->offset + segment->size;
    }
    for (size_t size = 0; size < fx.size; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);

        if (size < end) {
            cr_assert_eq(read_image(&cut, &told, &image), RA_E_FORMAT, "%zu", size);
            assert_told(told, CODE_BAD);
        } else { /* the section headers are not looked at */
            cr_assert_eq(read_image(&cut, &told, &image), RA_OK, "%zu", size);
            assert_silent(told);
        }
        fx_free(&cut);
    }
    fx_free(&fx);
}

static void assert_poked(size_t at, unsigned width, uint64_t value, enum ra_status status)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_image image;

    build(&fx);
    fx_poke(&fx, at, width, value);
    cr_assert_eq(read_image(&fx, &told, &image), status, "%#zx: %#jx", at,
                 (uintmax_t)value);
    if (status == RA_E_FORMAT)
        assert_told(told, CODE_BAD);
    else if (status == RA_E_LIMIT)
        assert_told(told, LIMIT);
    else
        assert_silent(told);
    fx_free(&fx);
}

Test(image, each_field_of_the_header_is_checked)
{
    struct fx fx = { 0 };
    uint64_t size;

    build(&fx);
    size = fx.size;
    fx_free(&fx);
    assert_poked(PHOFF, 8, size, RA_E_FORMAT);
    assert_poked(PHOFF, 8, size - 1, RA_E_FORMAT);
    assert_poked(PHOFF, 8, UINT64_MAX, RA_E_FORMAT);
    assert_poked(PHOFF, 8, UINT64_MAX - 7 * SEGMENT, RA_E_FORMAT);
    assert_poked(PHENTSIZE, 2, 0, RA_E_FORMAT);
    assert_poked(PHENTSIZE, 2, SEGMENT - 1, RA_E_FORMAT);
    assert_poked(PHENTSIZE, 2, SEGMENT + 1, RA_E_FORMAT);
    assert_poked(PHENTSIZE, 2, UINT16_MAX, RA_E_FORMAT);
    assert_poked(PHNUM, 2, 0, RA_OK);
    assert_poked(PHNUM, 2, 1, RA_OK);
    assert_poked(PHNUM, 2, RA_IMAGE_SEGMENTS + 1, RA_E_LIMIT);
    assert_poked(PHNUM, 2, UINT16_MAX, RA_E_LIMIT);
}

Test(image, as_many_program_headers_as_the_limit_are_read)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_image image;

    build(&fx);
    fx_poke(&fx, PHOFF, 8, fx.size);
    fx_poke(&fx, PHNUM, 2, RA_IMAGE_SEGMENTS);
    fx_pad(&fx, fx.size + RA_IMAGE_SEGMENTS * SEGMENT);
    cr_assert_eq(read_image(&fx, &told, &image), RA_OK);
    cr_assert_eq(image.segment_count, RA_IMAGE_SEGMENTS);
    fx_cut(&fx, fx.size - 1);
    cr_assert_eq(read_image(&fx, &told, &image), RA_E_FORMAT);
    assert_told(told, CODE_BAD);
    fx_free(&fx);
}

/* Those that are read or mapped must be in the file; GNU_STACK need not. */
Test(image, each_field_of_each_segment_is_checked)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx);
    size_t count = (size_t)fx_peek(&fx, PHNUM, 2);

    for (size_t i = 0; i < count; i++) {
        size_t where = at.program_headers + i * SEGMENT;
        uint64_t type = fx_peek(&fx, where + P_TYPE, 4);
        uint64_t offset = fx_peek(&fx, where + P_OFFSET, 8);
        bool matters = type == RA_PT_LOAD || type == RA_PT_DYNAMIC || type == RA_PT_NOTE;
        enum ra_status status = matters ? RA_E_FORMAT : RA_OK;

        assert_poked(where + P_OFFSET, 8, UINT64_MAX, status);
        assert_poked(where + P_OFFSET, 8, fx.size, status);
        assert_poked(where + P_OFFSET, 8, fx.size - 1, status);
        assert_poked(where + P_OFFSET, 8, 0, RA_OK);
        assert_poked(where + P_FILE_SIZE, 8, UINT64_MAX, status);
        assert_poked(where + P_FILE_SIZE, 8, UINT64_MAX - offset, status);
        assert_poked(where + P_FILE_SIZE, 8, fx.size - offset + 1, status);
        assert_poked(where + P_FILE_SIZE, 8, fx.size - offset, RA_OK);
        assert_poked(where + P_FILE_SIZE, 8, 0, RA_OK);
        assert_poked(where + P_ADDRESS, 8, UINT64_MAX, RA_OK);
    }
    fx_free(&fx);
}

Test(image, an_address_near_the_end_of_memory_does_not_wrap)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_image image = { 0 };
    uint64_t offset;

    build(&fx);
    cr_assert_eq(read_image(&fx, &told, &image), RA_OK);
    image.segments[0] = (struct ra_segment){ RA_PT_LOAD, 0, UINT64_MAX - 15, 64, false };
    image.segment_count = 1;
    cr_assert_not(ra_image_offset(&image, 0, 1, &offset));
    cr_assert_not(ra_image_offset(&image, 16, 1, &offset));
    cr_assert(ra_image_offset(&image, UINT64_MAX, 1, &offset));
    cr_assert_eq(offset, 15);
    assert_silent(told);
    fx_free(&fx);
}
