#include "elf/property.h"

#include "gen/host.h"
#include "told.h"

#include <elf.h>

#define NEEDED GNU_PROPERTY_X86_ISA_1_NEEDED

/* ---- built ------------------------------------------------------------------ */

static void put_property(struct fx *fx, uint32_t type, uint32_t size, uint32_t value)
{
    fx_u32(fx, type);
    fx_u32(fx, size);
    if (size > 0)
        fx_u32(fx, value);
    fx_align(fx, 8);
}

static void put_note(struct fx *fx, uint32_t type, const char *vendor,
                     const struct fx *content)
{
    fx_u32(fx, (uint32_t)strlen(vendor) + 1);
    fx_u32(fx, (uint32_t)content->size);
    fx_u32(fx, type);
    fx_bytes(fx, vendor, strlen(vendor) + 1);
    fx_align(fx, 8);
    fx_append(fx, content);
    fx_align(fx, 8);
}

static struct fx note_of(uint32_t needed)
{
    struct fx content = { 0 }, note = { 0 };

    put_property(&content, NEEDED, 4, needed);
    put_note(&note, NT_GNU_PROPERTY_TYPE_0, "GNU", &content);
    fx_free(&content);
    return note;
}

/* The level that a host file of that section is said to need. Nothing is ever told. */
static unsigned level_in(struct fx_host host, const struct fx *note)
{
    const struct fx_extra extra = {
        .name = RA_PROPERTY_SECTION, .type = SHT_NOTE, .flags = SHF_ALLOC, .content = note
    };
    struct told told = TOLD_INIT(told);
    struct ra_elf_section section;
    struct ra_source source;
    struct ra_elf *elf;
    struct fx fx = { 0 };
    unsigned level = 99;
    size_t i = 1;

    host.extra = &extra;
    host.extra_count = 1;
    fx_host(&fx, &host);
    source = fx_source(&fx);
    cr_assert_eq(ra_elf_open(&source, &told.diags, &elf), RA_OK);
    do
        cr_assert_eq(ra_elf_section(elf, i++, &section), RA_OK);
    while (strcmp(section.name, RA_PROPERTY_SECTION) != 0);
    cr_assert_eq(ra_property_level(elf, i - 1, &told.diags, &level), RA_OK);
    ra_elf_close(elf);
    fx_free(&fx);
    assert_silent(told);
    return level;
}

static unsigned level_of(const struct fx *note)
{
    return level_in((struct fx_host){ 0 }, note);
}

/* ---- what tools write ------------------------------------------------------- */

#define HEAD(size) 4, 0, 0, 0, size, 0, 0, 0, 5, 0, 0, 0, 'G', 'N', 'U', 0

/* Bytes of GNU ld 2.40 and gcc 12.2; levels as readelf -n has them. */
static const struct {
    const char *made_by;
    unsigned level;
    size_t size;
    uint8_t bytes[80];
} made[] = {
    { "-z x86-64-v2", 2, 32, { HEAD(16), 2, 0x80, 0, 0xc0, 4, 0, 0, 0, 2 } },
    { "-z x86-64-v3", 3, 32, { HEAD(16), 2, 0x80, 0, 0xc0, 4, 0, 0, 0, 4 } },
    { "-z x86-64-v4", 4, 32, { HEAD(16), 2, 0x80, 0, 0xc0, 4, 0, 0, 0, 8 } },
    { "-march=x86-64-v3 -mneeded", 3, 32, { HEAD(16), 2, 0x80, 0, 0xc0, 4, 0, 0, 0, 7 } },
    { "-march=x86-64-v3 -mneeded -fcf-protection -Wa,-mx86-used-note=yes",
      3,
      80,
      { HEAD(64), 2, 0,    0, 0xc0, 4, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,    2,
        0x80,     0, 0xc0, 4, 0,    0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0,    1,
        0xc0,     4, 0,    0, 0,    1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0xc0, 4 } },
    { "-fcf-protection", 0, 32, { HEAD(16), 2, 0, 0, 0xc0, 4, 0, 0, 0, 3 } },
};

Test(property, reads_the_level_that_gcc_and_ld_mark)
{
    for (size_t i = 0; i < RA_COUNT(made); i++) {
        struct fx note = { 0 };

        fx_bytes(&note, made[i].bytes, made[i].size);
        cr_expect_eq(level_of(&note), made[i].level, "%s", made[i].made_by);
        fx_free(&note);
    }
}

Test(property, highest_known_bit_counts)
{
    static const struct {
        uint32_t bits;
        unsigned level;
    } rows[] = {
        { 0, 0 },
        { GNU_PROPERTY_X86_ISA_1_BASELINE, 1 },
        { GNU_PROPERTY_X86_ISA_1_V2, 2 },
        { GNU_PROPERTY_X86_ISA_1_V3, 3 },
        { GNU_PROPERTY_X86_ISA_1_V4, 4 },
        { GNU_PROPERTY_X86_ISA_1_BASELINE | GNU_PROPERTY_X86_ISA_1_V3, 3 },
        { GNU_PROPERTY_X86_ISA_1_V2 | 0x10, 2 }, /* a level to come */
        { 0xfffffff0, 0 },
        { 0xffffffff, 4 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx note = note_of(rows[i].bits);

        cr_expect_eq(level_of(&note), rows[i].level, "0x%x", rows[i].bits);
        fx_free(&note);
    }
}

/* ---- among others ----------------------------------------------------------- */

Test(property, other_properties_are_passed_by_their_size)
{
    struct fx content = { 0 }, note = { 0 };

    put_property(&content, 1, 0, 0); /* of no size, twice */
    put_property(&content, NEEDED, 0, 0);
    fx_u32(&content, 0xc0001234);
    fx_u32(&content, 13);
    fx_pad(&content, content.size + 13);
    fx_align(&content, 8);
    put_property(&content, GNU_PROPERTY_X86_ISA_1_USED, 4, 8);
    put_property(&content, NEEDED, 4, 2);
    put_note(&note, NT_GNU_PROPERTY_TYPE_0, "GNU", &content);
    cr_assert_eq(level_of(&note), 2);
    fx_free(&content);
    fx_free(&note);
}

Test(property, other_notes_are_none_of_it)
{
    struct fx content = { 0 }, note = { 0 };

    put_property(&content, NEEDED, 4, 8);
    put_note(&note, NT_GNU_BUILD_ID, "GNU", &content);
    put_note(&note, NT_GNU_PROPERTY_TYPE_0, "GNUX", &content);
    put_note(&note, NT_GNU_PROPERTY_TYPE_0, "", &content);
    cr_assert_eq(level_of(&note), 0);
    fx_poke(&content, 8, 4, 4);
    put_note(&note, NT_GNU_PROPERTY_TYPE_0, "GNU", &content);
    cr_assert_eq(level_of(&note), 3);
    fx_free(&content);
    fx_free(&note);
}

Test(property, other_machines_have_no_level)
{
    static const struct fx_host hosts[] = {
        { .machine = EM_AARCH64 },
        { .machine = EM_386, .elf32 = true },
        { .machine = EM_X86_64, .elf32 = true },
        { .machine = EM_X86_64, .big = true },
    };
    struct fx note = note_of(8);

    cr_assert_eq(level_in((struct fx_host){ .machine = EM_X86_64 }, &note), 4);
    for (size_t i = 0; i < RA_COUNT(hosts); i++)
        cr_expect_eq(level_in(hosts[i], &note), 0, "host %zu", i);
    fx_free(&note);
}

/* ---- damaged ---------------------------------------------------------------- */

enum { VENDOR_SIZE = 0, NOTE_SIZE = 4, PROPERTY_SIZE = 20, VALUE_END = 28 };

Test(property, sizes_that_lie_leave_no_level)
{
    static const size_t fields[] = { VENDOR_SIZE, NOTE_SIZE, PROPERTY_SIZE };
    static const uint32_t sizes[] = { 0,
                                      1,
                                      11,
                                      17,
                                      31,
                                      32,
                                      0x7fffffff,
                                      0x80000000,
                                      UINT32_MAX - 7,
                                      UINT32_MAX - 3,
                                      UINT32_MAX };

    for (size_t i = 0; i < RA_COUNT(fields); i++)
        for (size_t j = 0; j < RA_COUNT(sizes); j++) {
            struct fx note = note_of(8);

            fx_poke(&note, fields[i], 4, sizes[j]);
            cr_expect_eq(level_of(&note), 0, "%u at %zu", sizes[j], fields[i]);
            fx_free(&note);
        }
}

/* One damaged note makes all of it worth nothing: which of them is right? */
Test(property, damage_behind_a_good_note_leaves_no_level)
{
    struct fx note = note_of(4), second = note_of(2);

    fx_append(&note, &second);
    cr_assert_eq(level_of(&note), 3);
    fx_poke(&note, second.size + NOTE_SIZE, 4, 4096);
    cr_assert_eq(level_of(&note), 0);
    fx_free(&note);
    fx_free(&second);
}

Test(property, no_level_at_any_truncation)
{
    struct fx whole = note_of(4);

    for (size_t size = 0; size < whole.size; size++) {
        struct fx note = { 0 };

        fx_bytes(&note, whole.data, size);
        cr_expect_eq(level_of(&note), 0, "%zu bytes", size);
        fx_free(&note);
    }
    /* Padding at the end that the note's size does not count need not be there. */
    fx_cut(&whole, VALUE_END);
    fx_poke(&whole, NOTE_SIZE, 4, 12);
    cr_assert_eq(level_of(&whole), 3);
    fx_free(&whole);
}

Test(property, sections_that_no_linker_writes_are_not_read)
{
    struct fx content = { 0 }, note = { 0 }, last = note_of(4);

    fx_pad(&content, 4096 - last.size - 16);
    put_note(&note, 0, "GNU", &content);
    fx_append(&note, &last);
    cr_assert_eq(note.size, 4096);
    cr_assert_eq(level_of(&note), 3);
    fx_u8(&note, 0);
    cr_assert_eq(level_of(&note), 0);
    fx_free(&content);
    fx_free(&note);
    fx_free(&last);
}

Test(property, any_byte_may_be_any_other)
{
    static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
    struct fx note = { 0 };

    fx_bytes(&note, made[4].bytes, made[4].size);
    for (size_t at = 0; at < note.size; at++)
        for (size_t i = 0; i < RA_COUNT(values); i++) {
            uint64_t was = fx_peek(&note, at, 1);

            fx_poke(&note, at, 1, values[i]);
            cr_expect_leq(level_of(&note), 4);
            fx_poke(&note, at, 1, was);
        }
    fx_free(&note);
}
