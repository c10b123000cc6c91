#include "gfx/image.h"

#include <inttypes.h>

#define IDENT        "\177ELF\2\1\1" /* 64 bits, little endian, version 1 */
#define HEADER_SIZE  64
#define SEGMENT_SIZE 56
#define SECTION_SIZE 64
#define HEAD_SIZE    (HEADER_SIZE + RA_IMAGE_SEGMENTS * SEGMENT_SIZE)

/* Where the fields of the header are: gABI, Elf64_Ehdr. */
enum { OSABI = 7, TYPE = 16, PHOFF = 32, FLAGS = 48, PHENTSIZE = 54 };

static const uint8_t spirv[] = { 0x03, 0x02, 0x23, 0x07 };
static const uint8_t bitcode[] = { 'B', 'C', 0xc0, 0xde };
static const uint8_t wrapped_bitcode[] = { 0xde, 0xc0, 0x17, 0x0b };

static bool starts(struct ra_span head, const void *magic, size_t size)
{
    return head.size >= size && memcmp(head.data, magic, size) == 0;
}

enum ra_content ra_content_of(struct ra_span head)
{
    struct ra_cursor cur = ra_cursor_over(head);

    if (head.size == 0)
        return RA_CONTENT_EMPTY;
    if (starts(head, spirv, sizeof(spirv)))
        return RA_CONTENT_SPIRV;
    if (starts(head, bitcode, sizeof(bitcode)) ||
        starts(head, wrapped_bitcode, sizeof(wrapped_bitcode)))
        return RA_CONTENT_BITCODE;
    ra_cursor_seek(&cur, TYPE + 2);
    if (starts(head, IDENT, sizeof(IDENT) - 1) && ra_cursor_u16le(&cur) == RA_EM_AMDGPU &&
        ra_cursor_ok(&cur))
        return RA_CONTENT_CODE_OBJECT;
    return RA_CONTENT_OTHER;
}

#define PF_X 1

static struct ra_segment read_segment(struct ra_cursor *cur)
{
    struct ra_segment segment = { .type = ra_cursor_u32le(cur) };

    segment.is_code = ra_cursor_u32le(cur) & PF_X;
    segment.offset = ra_cursor_u64le(cur);
    segment.address = ra_cursor_u64le(cur);
    ra_cursor_skip(cur, 8); /* physical address */
    segment.size = ra_cursor_u64le(cur);
    ra_cursor_skip(cur, 8 + 8); /* size in memory, alignment */
    return segment;
}

/* Only what is read, or mapped with bytes, must be in the file. */
static bool misplaced(const struct ra_image *image, const struct ra_segment *segment)
{
    if (segment->type != RA_PT_LOAD && segment->type != RA_PT_DYNAMIC &&
        segment->type != RA_PT_NOTE)
        return false;
    return segment->size > 0 && (segment->offset > image->source.size ||
                                 segment->size > image->source.size - segment->offset);
}

static enum ra_status read_segments(struct ra_image *image, struct ra_diags *diags,
                                    uint64_t offset, size_t count)
{
    uint8_t bytes[RA_IMAGE_SEGMENTS * SEGMENT_SIZE];
    struct ra_span span;
    struct ra_cursor cur;
    enum ra_status status =
        ra_source_peek(&image->source, offset, count * SEGMENT_SIZE, diags, bytes, &span);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(span);
    for (size_t i = 0; i < count; i++)
        image->segments[i] = read_segment(&cur);
    if (!ra_cursor_ok(&cur))
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CODE_BAD,
                        ra_source_place(&image->source, PHOFF),
                        "%zu program headers at %" PRIu64 " of %" PRIu64 " bytes", count,
                        offset, image->source.size);
    image->segment_count = count;
    for (size_t i = 0; i < count; i++)
        if (misplaced(image, &image->segments[i]))
            return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CODE_BAD,
                            ra_source_place(&image->source, offset + i * SEGMENT_SIZE),
                            "segment %zu lies outside the %" PRIu64 " bytes there are", i,
                            image->source.size);
    return RA_OK;
}

/* The end of the header. Other sizes than those of the gABI are of no use to anybody. */
static void read_sections(struct ra_image *image, struct ra_cursor *cur)
{
    unsigned size = ra_cursor_u16le(cur);

    image->section_count = ra_cursor_u16le(cur);
    image->section_names = ra_cursor_u16le(cur);
    if (size != SECTION_SIZE || image->section_headers == 0)
        image->section_count = 0;
}

enum ra_status ra_image_read(const struct ra_source *source, struct ra_diags *diags,
                             struct ra_image *ret)
{
    uint8_t bytes[HEADER_SIZE];
    struct ra_span head;
    struct ra_cursor cur;
    uint64_t offset;
    unsigned size, count;
    enum ra_status status = ra_source_peek(source, 0, sizeof(bytes), diags, bytes, &head);

    if (status != RA_OK)
        return status;
    *ret = (struct ra_image){ .source = *source };
    cur = ra_cursor_over(head);
    ra_cursor_seek(&cur, OSABI);
    ret->osabi = ra_cursor_u8(&cur);
    ret->abi_version = ra_cursor_u8(&cur);
    ra_cursor_seek(&cur, TYPE);
    ret->type = ra_cursor_u16le(&cur);
    ret->machine = ra_cursor_u16le(&cur);
    ra_cursor_seek(&cur, PHOFF);
    offset = ra_cursor_u64le(&cur);
    ret->section_headers = ra_cursor_u64le(&cur);
    ra_cursor_seek(&cur, FLAGS);
    ret->flags = ra_cursor_u32le(&cur);
    ra_cursor_seek(&cur, PHENTSIZE);
    size = ra_cursor_u16le(&cur);
    count = ra_cursor_u16le(&cur);
    read_sections(ret, &cur);
    if (!ra_cursor_ok(&cur) || (count > 0 && size != SEGMENT_SIZE))
        return ra_fault(diags, RA_E_FORMAT, RA_DIAG_CODE_BAD, ra_source_place(source, 0),
                        "%zu bytes of header, program headers of %u bytes", head.size,
                        size);
    if (count > RA_IMAGE_SEGMENTS)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(source, 0),
                        "%u program headers", count);
    return read_segments(ret, diags, offset, count);
}

uint64_t ra_image_extent(const struct ra_image *image)
{
    uint64_t extent = 0;

    /* Offsets of segments that count are inside the file, and so no sum wraps. */
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct ra_segment *segment = &image->segments[i];

        if (!misplaced(image, segment) && segment->size > 0 &&
            segment->offset <= image->source.size &&
            segment->offset + segment->size > extent)
            extent = segment->offset + segment->size;
    }
    if (image->section_count > 0 && image->section_headers <= image->source.size &&
        image->section_headers + image->section_count * SECTION_SIZE > extent)
        extent = image->section_headers + image->section_count * SECTION_SIZE;
    return extent < image->source.size ? extent : image->source.size;
}

const struct ra_segment *ra_image_segment(const struct ra_image *image, uint32_t type)
{
    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].type == type)
            return &image->segments[i];
    return NULL;
}

bool ra_image_offset(const struct ra_image *image, uint64_t address, uint64_t size,
                     uint64_t *ret)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct ra_segment *segment = &image->segments[i];
        uint64_t in = address - segment->address;

        if (segment->type != RA_PT_LOAD || address < segment->address ||
            in > segment->size || size > segment->size - in)
            continue;
        *ret = segment->offset + in; /* inside the file: ra_image_read() saw to it */
        return true;
    }
    return false;
}
