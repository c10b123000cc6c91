#include "elf/property.h"

#define SIZE_LIMIT ((size_t)4096) /* linkers write one note, of some tens of bytes */
#define ALIGN      8              /* of notes and properties in files of 64 bits */
#define VENDOR     "GNU"          /* with its terminator */

enum { NOTE_PROPERTIES = 5 };             /* NT_GNU_PROPERTY_TYPE_0 */
enum { MACHINE_X86_64 = 62 };             /* EM_X86_64 */
#define ISA_NEEDED ((uint32_t)0xc0008002) /* GNU_PROPERTY_X86_ISA_1_NEEDED */
enum { LEVELS = 4 };                      /* baseline, v2, v3, v4: bits 0 to 3 */

/* The last of a run need not be padded. */
static void skip_padding(struct ra_cursor *cur)
{
    size_t left = cur->span.size - cur->pos, padding = -cur->pos & (ALIGN - 1);

    ra_cursor_skip(cur, padding < left ? padding : left);
}

static bool read_properties(struct ra_span span, uint32_t *bits)
{
    struct ra_cursor cur = ra_cursor_over(span);

    while (ra_cursor_ok(&cur) && cur.pos < span.size) {
        uint32_t type = ra_cursor_u32le(&cur), size = ra_cursor_u32le(&cur);
        struct ra_cursor value = ra_cursor_over(ra_cursor_take(&cur, size));

        skip_padding(&cur);
        if (type == ISA_NEEDED && size == 4)
            *bits |= ra_cursor_u32le(&value);
    }
    return ra_cursor_ok(&cur);
}

static bool read_note(struct ra_cursor *cur, uint32_t *bits)
{
    uint32_t vendor_size = ra_cursor_u32le(cur), size = ra_cursor_u32le(cur);
    uint32_t type = ra_cursor_u32le(cur);
    struct ra_span vendor = ra_cursor_take(cur, vendor_size), content;

    skip_padding(cur);
    content = ra_cursor_take(cur, size);
    skip_padding(cur);
    if (!ra_cursor_ok(cur))
        return false;
    if (type != NOTE_PROPERTIES || vendor.size != sizeof(VENDOR) ||
        memcmp(vendor.data, VENDOR, sizeof(VENDOR)) != 0)
        return true;
    return read_properties(content, bits);
}

/* Some linkers set the bit of the level alone, compilers also those below it. */
static unsigned level_of(uint32_t bits)
{
    unsigned level = LEVELS;

    while (level > 0 && !(bits >> (level - 1) & 1))
        level--;
    return level;
}

enum ra_status ra_property_level(struct ra_elf *elf, size_t index, struct ra_diags *diags,
                                 unsigned *ret)
{
    struct ra_elf_section section;
    uint8_t bytes[SIZE_LIMIT];
    struct ra_span span;
    struct ra_cursor cur;
    uint32_t bits = 0;
    bool good = true;
    enum ra_status status;

    *ret = 0;
    if (ra_elf_machine(elf) != MACHINE_X86_64 || !ra_elf_is_64le(elf))
        return RA_OK;
    status = ra_elf_section(elf, index, &section);
    if (status != RA_OK || section.content.size > sizeof(bytes))
        return status;
    status = ra_source_peek(&section.content, 0, sizeof(bytes), diags, bytes, &span);
    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(span);
    while (good && cur.pos < span.size)
        good = read_note(&cur, &bits);
    *ret = good ? level_of(bits) : 0;
    return RA_OK;
}
