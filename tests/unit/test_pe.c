/* Expected numbers are those of the format's tables, or of where the builder put bytes.
 */
#include "pe/pe.h"

#include "expand.h"
#include "gen/host.h"
#include "gen/pe.h"
#include "told.h"

#include <stdio.h>

static const uint64_t wrapped[] = { 0, 4096, 100 };

enum { WRAPPERS = 3, FATBIN = 5000 };

/* A Windows file, opened. */
struct opened {
    struct told told;
    struct fx fx, fatbin;
    struct fx_pe_at at;
    struct ra_source source;
    struct ra_pe *pe;
};

static void open_bytes(struct opened *ret)
{
    ret->told.diags.arena = &ret->told.arena;
    ret->source = fx_source(&ret->fx);
    cr_assert_eq(ra_pe_open(&ret->source, &ret->told.diags, &ret->pe), RA_OK, "%s",
                 told_detail(&ret->told));
}

static void build(struct opened *ret, struct fx_pe spec)
{
    *ret = (struct opened){ 0 };
    for (unsigned i = 0; i < FATBIN; i++)
        fx_u8(&ret->fatbin, (uint8_t)(i * 7 + i / 256));
    spec.fatbin = &ret->fatbin;
    spec.wrapped = wrapped;
    spec.wrapper_count = WRAPPERS;
    ret->at = fx_pe(&ret->fx, &spec);
}

static void open_built(struct opened *ret, struct fx_pe spec)
{
    build(ret, spec);
    open_bytes(ret);
}

static void end(struct opened *opened)
{
    ra_pe_close(opened->pe);
    assert_silent(opened->told);
    fx_free(&opened->fx);
    fx_free(&opened->fatbin);
}

static struct ra_pe_section section_at(struct opened *opened, size_t index)
{
    struct ra_pe_section section;

    cr_assert_eq(ra_pe_section(opened->pe, index, &section), RA_OK, "%s",
                 told_detail(&opened->told));
    return section;
}

static struct ra_pe_section section_of(struct opened *opened, const char *name)
{
    for (size_t i = 0; i < ra_pe_section_count(opened->pe); i++) {
        struct ra_pe_section section = section_at(opened, i);

        if (strcmp(section.name, name) == 0)
            return section;
    }
    cr_assert_fail("no section %s", name);
    return (struct ra_pe_section){ 0 };
}

static void assert_content(struct opened *opened, const struct ra_pe_section *section,
                           const void *bytes, size_t size)
{
    static uint8_t read[8192];

    cr_assert_eq(section->content.size, size, "%s", section->name);
    cr_assert_leq(size, sizeof(read));
    cr_assert_eq(ra_source_read(&section->content, 0, size, &opened->told.diags, read),
                 RA_OK);
    cr_assert_arr_eq(read, bytes, size);
}

/* ---- what starts like one ---------------------------------------------------- */

static struct fx head_of(struct fx_pe spec)
{
    struct opened opened;

    build(&opened, spec);
    fx_free(&opened.fatbin);
    fx_cut(&opened.fx, RA_PE_HEAD);
    return opened.fx;
}

Test(pe, an_image_is_told_by_its_magic_and_what_it_points_to)
{
    static const struct {
        uint32_t lfanew;
        bool known;
    } rows[] = {
        { 0x78, true },    { 0x100, true },       { 4, true },
        { 0x10000, true }, { 0x0fffffff, true },  { 0, false },
        { 3, false },      { 0x10000000, false }, { UINT32_MAX, false },
    };
    struct fx head = head_of((struct fx_pe){ 0 });

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        fx_poke(&head, 0x3c, 4, rows[i].lfanew);
        cr_assert_eq(ra_pe_probe(fx_span(&head)), rows[i].known, "%zu", i);
    }
    fx_poke(&head, 0x3c, 4, 0x78);
    for (size_t size = 0; size < RA_PE_HEAD; size++)
        cr_assert_not(ra_pe_probe((struct ra_span){ head.data, size, 0 }));
    cr_assert_not(ra_coff_probe(fx_span(&head)));
    fx_poke(&head, 1, 1, 'z');
    cr_assert_not(ra_pe_probe(fx_span(&head)));
    fx_free(&head);
}

Test(pe, an_object_is_told_by_all_of_its_first_bytes)
{
    static const struct {
        size_t at;
        unsigned width;
        uint64_t value;
        bool known;
    } rows[] = {
        { 0, 2, 0x8664, true },       { 0, 2, 0xaa64, true },
        { 0, 2, 0x14c, true },        { 0, 2, 0x8665, false },
        { 0, 2, 0, false },           { 2, 2, 1, true },
        { 2, 2, 0, false },           { 2, 2, 0xff00, false },
        { 4, 4, UINT32_MAX, true },   { 8, 4, 0, true },
        { 8, 4, 20, false },          { 8, 4, UINT32_MAX, true },
        { 16, 2, 240, false },        { 16, 2, 1, false },
        { 18, 2, 4, true },           { 18, 2, 0x22, false },
        { 18, 2, 0x2000, false },     { 20, 1, 0, false },
        { 20, 8, ' ', false },        { 20, 8, '/', true },
        { 20, 8, 0x41004100, false }, { 27, 1, 'x', false },
        { 40, 4, 0, true },           { 40, 4, 20, false },
        { 40, 4, UINT32_MAX, true },  { 56, 4, 1, false },
        { 56, 4, 0x10, false },       { 56, 4, 0x60500020, true },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx head = head_of((struct fx_pe){ .object = true });

        cr_assert(ra_coff_probe(fx_span(&head)));
        fx_poke(&head, rows[i].at, rows[i].width, rows[i].value);
        cr_assert_eq(ra_coff_probe(fx_span(&head)), rows[i].known, "%zu", i);
        fx_free(&head);
    }
}

Test(pe, an_object_for_many_sections_is_told_by_its_class_id)
{
    struct fx head = head_of((struct fx_pe){ .object = true, .big = true });

    cr_assert(ra_coff_probe(fx_span(&head)));
    for (size_t i = 0; i < 28; i++) {
        bool is_time = i >= 8 && i < 12;

        if (i == 4 || i == 5) /* the version, 2 and above */
            continue;
        head.data[i] ^= 1;
        cr_assert_eq(ra_coff_probe(fx_span(&head)), is_time, "%zu", i);
        head.data[i] ^= 1;
    }
    fx_poke(&head, 4, 2, 1);
    cr_assert_not(ra_coff_probe(fx_span(&head)));
    fx_poke(&head, 4, 2, 3);
    cr_assert(ra_coff_probe(fx_span(&head)));
    fx_poke(&head, 44, 4, 0);
    cr_assert_not(ra_coff_probe(fx_span(&head)), "it has no sections");
    fx_free(&head);
}

Test(pe, no_head_that_is_cut_is_an_object)
{
    struct fx small = head_of((struct fx_pe){ .object = true });
    struct fx big = head_of((struct fx_pe){ .object = true, .big = true });

    for (size_t size = 0; size <= RA_PE_HEAD; size++) {
        cr_assert_eq(ra_coff_probe((struct ra_span){ small.data, size, 0 }), size >= 60);
        cr_assert_eq(ra_coff_probe((struct ra_span){ big.data, size, 0 }), size >= 56);
    }
    fx_free(&small);
    fx_free(&big);
}

/* ---- sections ---------------------------------------------------------------- */

struct row {
    const char *name;
    uint32_t address, virtual_size, raw_size, characteristics;
};

static void assert_rows(struct opened *opened, const struct row *rows, size_t count)
{
    cr_assert_eq(ra_pe_section_count(opened->pe), count);
    for (size_t i = 0; i < count; i++) {
        struct ra_pe_section section = section_at(opened, i);

        cr_assert_str_eq(section.name, rows[i].name);
        cr_assert_eq(section.address, rows[i].address, "%s", rows[i].name);
        cr_assert_eq(section.virtual_size, rows[i].virtual_size, "%s", rows[i].name);
        cr_assert_eq(section.raw_size, rows[i].raw_size, "%s", rows[i].name);
        cr_assert_eq(section.characteristics, rows[i].characteristics, "%s",
                     rows[i].name);
    }
}

static void assert_fatbin(struct opened *opened, const char *name, const char *wrappers)
{
    struct ra_pe_section section = section_of(opened, name);

    cr_assert_eq(section.raw_offset, opened->at.fatbin);
    assert_content(opened, &section, opened->fatbin.data, FATBIN);
    section = section_of(opened, wrappers);
    cr_assert_eq(section.raw_offset, opened->at.wrappers);
    assert_content(opened, &section, opened->fx.data + opened->at.wrappers,
                   section.content.size);
}

Test(pe, sections_of_an_image_have_addresses_and_no_padding)
{
    static const struct row rows[] = {
        { ".text", 0x1000, 16, 512, 0x60000020 },
        { ".data", 0x2000, 9, 0, 0xc0000040 },
        { ".hipFatB", 0x3000, 24 * WRAPPERS, 512, 0xc0000040 },
        { ".hip_fat", 0x4000, FATBIN, 5120, 0x40000040 },
        { ".reloc", 0x6000, 16, 512, 0x42000040 },
    };
    static const uint16_t machines[] = { FX_PE_AMD64, FX_PE_ARM64 };

    for (size_t i = 0; i < RA_COUNT(machines); i++) {
        struct opened opened;

        open_built(&opened, (struct fx_pe){ .machine = machines[i] });
        cr_assert(ra_pe_is_image(opened.pe));
        cr_assert_eq(ra_pe_machine(opened.pe), machines[i]);
        assert_rows(&opened, rows, RA_COUNT(rows));
        assert_fatbin(&opened, ".hip_fat", ".hipFatB");
        end(&opened);
    }
}

Test(pe, the_pe_header_may_be_anywhere)
{
    static const uint32_t starts[] = { 0x40, 0x80, 0x1000, 0x1ffc, 0x20004 };

    for (size_t i = 0; i < RA_COUNT(starts); i++) {
        struct opened opened;

        open_built(&opened, (struct fx_pe){ .lfanew = starts[i] });
        cr_assert_eq(ra_pe_section_count(opened.pe), 5);
        assert_fatbin(&opened, ".hip_fat", ".hipFatB");
        end(&opened);
    }
}

Test(pe, sections_of_an_object_have_long_names_and_no_address)
{
    static const struct row rows[] = {
        { ".text", 0, 0, 16, 0x60400020 },
        { ".bss", 0, 0, 9, 0xc0000080 },
        { ".hipFatBinSegment", 0, 0, 24 * WRAPPERS, 0xc0400040 },
        { ".hip_fatbin", 0, 0, FATBIN, 0x40d00040 },
    };
    static const struct fx_pe specs[] = {
        { .object = true },
        { .object = true, .names = FX_PE_NAMES_BASE64 },
        { .object = true, .big = true },
        { .object = true, .machine = FX_PE_ARM64 },
        { .object = true, .machine = FX_PE_ARM64, .big = true },
    };

    for (size_t i = 0; i < RA_COUNT(specs); i++) {
        struct opened opened;

        open_built(&opened, specs[i]);
        cr_assert_not(ra_pe_is_image(opened.pe));
        cr_assert_eq(ra_pe_machine(opened.pe),
                     specs[i].machine == FX_PE_ARM64 ? RA_PE_ARM64 : RA_PE_AMD64);
        assert_rows(&opened, rows, RA_COUNT(rows));
        assert_fatbin(&opened, ".hip_fatbin", ".hipFatBinSegment");
        end(&opened);
    }
}

/* GNU ld writes names like those of objects into images beside debug information. */
Test(pe, an_image_with_a_string_table_has_long_names)
{
    static const enum fx_pe_names names[] = { FX_PE_NAMES_LONG, FX_PE_NAMES_BASE64 };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct opened opened;

        open_built(&opened, (struct fx_pe){ .names = names[i] });
        cr_assert_eq(ra_pe_section_count(opened.pe), 5);
        assert_fatbin(&opened, ".hip_fatbin", ".hipFatBinSegment");
        end(&opened);
    }
}

Test(pe, an_image_without_symbols_has_the_names_that_stand_there)
{
    static const char *const names[] = { "/4", "/", "//", "/x", "//AAAAAE", "/1234567" };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct opened opened;
        char bytes[16] = { 0 };

        build(&opened, (struct fx_pe){ 0 });
        memcpy(bytes, names[i], strlen(names[i]));
        memcpy(opened.fx.data + opened.at.fatbin_header, bytes, 8);
        open_bytes(&opened);
        (void)section_of(&opened, names[i]);
        end(&opened);
    }
}

Test(pe, names_end_at_a_zero_or_after_eight_bytes)
{
    static const struct {
        const char bytes[9], *name;
    } rows[] = {
        { "\0bcdefgh", "" },
        { "a\0cdefgh", "a" },
        { "abcdefg\0", "abcdefg" },
        { "abcdefgh", "abcdefgh" },
        { "\x1b[31m\xff", "\x1b[31m\xff" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_pe_section section;
        struct opened opened;

        build(&opened, (struct fx_pe){ 0 });
        memcpy(opened.fx.data + opened.at.section_headers, rows[i].bytes, 8);
        open_bytes(&opened);
        section = section_at(&opened, 0);
        cr_assert_str_eq(section.name, rows[i].name);
        end(&opened);
    }
}

Test(pe, long_names_are_cut)
{
    struct fx content = { 0 };
    char name[200], cut[RA_PE_NAME];

    fx_text(&content, "content");
    memset(name, 'n', sizeof(name));
    for (size_t size = RA_PE_NAME - 2; size < sizeof(name); size++) {
        const struct fx_pe_extra extra = { .name = name, .content = &content };
        size_t kept = size < RA_PE_NAME - 1 ? size : RA_PE_NAME - 1;
        struct ra_pe_section section;
        struct opened opened;

        name[size] = '\0';
        memset(cut, 'n', kept);
        cut[kept] = '\0';
        open_built(&opened,
                   (struct fx_pe){ .object = true, .extra = &extra, .extra_count = 1 });
        section = section_at(&opened, 4);
        cr_assert_str_eq(section.name, cut);
        end(&opened);
        name[size] = 'n';
    }
    fx_free(&content);
}

/* The first field of a section header is at 8: virtual size, address, raw size, offset.
 */
Test(pe, an_image_has_as_many_bytes_as_both_sizes_allow)
{
    static const struct {
        uint32_t virtual_size, raw_size;
        size_t expected;
    } rows[] = {
        { FATBIN, 5120, FATBIN }, { 5120, 5120, 5120 },     { 8192, 5120, 5120 },
        { 8192, 512, 512 },       { 1, 5120, 1 },           { 0, 5120, 5120 },
        { FATBIN, 0, 0 },         { UINT32_MAX, 512, 512 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct opened opened;

        build(&opened, (struct fx_pe){ 0 });
        fx_poke(&opened.fx, opened.at.fatbin_header + 8, 4, rows[i].virtual_size);
        fx_poke(&opened.fx, opened.at.fatbin_header + 16, 4, rows[i].raw_size);
        open_bytes(&opened);
        cr_assert_eq(section_of(&opened, ".hip_fat").content.size, rows[i].expected,
                     "%zu", i);
        end(&opened);
    }
}

Test(pe, what_is_not_in_the_file_is_empty)
{
    struct opened opened;

    build(&opened, (struct fx_pe){ 0 });
    fx_poke(&opened.fx, opened.at.fatbin_header + 20, 4, 0);
    open_bytes(&opened);
    cr_assert_eq(section_of(&opened, ".hip_fat").content.size, 0);
    cr_assert_eq(section_of(&opened, ".data").content.size, 0);
    end(&opened);

    build(&opened, (struct fx_pe){ .object = true });
    fx_poke(&opened.fx, opened.at.fatbin_header + 36, 4, 0x40d00080);
    open_bytes(&opened);
    cr_assert_eq(section_of(&opened, ".hip_fatbin").content.size, 0);
    cr_assert_eq(section_of(&opened, ".bss").content.size, 0);
    end(&opened);

    /* The loader maps what is there, whatever the section says to be for. */
    build(&opened, (struct fx_pe){ 0 });
    fx_poke(&opened.fx, opened.at.fatbin_header + 36, 4, 0x40000080);
    open_bytes(&opened);
    cr_assert_eq(section_of(&opened, ".hip_fat").content.size, FATBIN);
    end(&opened);
}

/* ---- addresses --------------------------------------------------------------- */

static void assert_nowhere(struct opened *opened, uint64_t address)
{
    uint64_t offset, left;
    bool found = true;

    cr_assert_eq(ra_pe_offset(opened->pe, address, &offset, &left, &found), RA_OK);
    cr_assert_not(found, "%zx", (size_t)address);
}

static void assert_at(struct opened *opened, uint64_t address, uint64_t expected,
                      uint64_t follows)
{
    uint64_t offset, left;
    bool found;

    cr_assert_eq(ra_pe_offset(opened->pe, address, &offset, &left, &found), RA_OK);
    cr_assert(found, "%zx", (size_t)address);
    cr_assert_eq(offset, expected);
    cr_assert_eq(left, follows);
}

Test(pe, addresses_are_where_the_sections_put_them)
{
    for (unsigned pe32 = 0; pe32 < 2; pe32++) {
        uint64_t base = pe32 ? 0x10000000 : 0x180000000, fatbin = base + 0x4000;
        struct opened opened;

        open_built(&opened, (struct fx_pe){ .pe32 = pe32 });
        cr_assert_eq(opened.at.base, base);
        for (uint64_t in = 0; in < FATBIN; in++)
            assert_at(&opened, fatbin + in, opened.at.fatbin + in, FATBIN - in);
        assert_nowhere(&opened, fatbin - 1); /* behind the wrappers: zeros when loaded */
        assert_nowhere(&opened, fatbin + FATBIN);
        assert_at(&opened, base + 0x1000, 0x400, 16);
        assert_nowhere(&opened, base + 0x2000); /* all zeros */
        assert_nowhere(&opened, base);
        assert_nowhere(&opened, base - 1);
        assert_nowhere(&opened, 0);
        assert_nowhere(&opened, 0x4000); /* an RVA is no address */
        assert_nowhere(&opened, fatbin + ((uint64_t)1 << 32));
        assert_nowhere(&opened, UINT64_MAX);
        end(&opened);
    }
}

Test(pe, nothing_in_an_object_has_an_address)
{
    struct opened opened;

    open_built(&opened, (struct fx_pe){ .object = true });
    assert_nowhere(&opened, 0);
    assert_nowhere(&opened, 0x1000);
    end(&opened);
}

/* As HIP finds them: magic, version and an address, which no relocation need touch. */
Test(pe, wrappers_hold_the_addresses_of_their_bundles)
{
    struct opened opened;

    open_built(&opened, (struct fx_pe){ 0 });
    for (size_t i = 0; i < WRAPPERS; i++) {
        size_t at = opened.at.wrappers + 24 * i;

        cr_assert_eq(fx_peek(&opened.fx, at, 4), FX_HIPF);
        assert_at(&opened, fx_peek(&opened.fx, at + 8, 8), opened.at.fatbin + wrapped[i],
                  FATBIN - wrapped[i]);
    }
    end(&opened);
}

Test(pe, wrappers_of_kpack_hold_the_address_of_what_names_archives)
{
    struct fx reference = { 0 };
    const struct fx_pe_extra extra = { .name = ".kpackrf", .content = &reference };
    struct opened opened;

    fx_text(&reference, "names archives");
    open_built(&opened,
               (struct fx_pe){ .magic = FX_HIPK, .extra = &extra, .extra_count = 1 });
    for (size_t i = 0; i < WRAPPERS; i++) {
        uint64_t address = fx_peek(&opened.fx, opened.at.wrappers + 24 * i + 8, 8);
        struct ra_pe_section section = section_of(&opened, ".kpackrf");

        assert_at(&opened, address, section.raw_offset, reference.size);
        assert_content(&opened, &section, reference.data, reference.size);
    }
    end(&opened);
    fx_free(&reference);
}

/* ---- sources that go forward ------------------------------------------------- */

enum { MANY = 3000 };

/* An object of so many long names, the last one first, behind content of each. */
static void build_many(struct fx *fx)
{
    const size_t table = 20, content = table + MANY * 40, strings = content + MANY * 64;

    fx_u16(fx, FX_PE_AMD64);
    fx_u16(fx, MANY);
    fx_u32(fx, 0);
    fx_u32(fx, (uint32_t)strings); /* of no symbols */
    fx_pad(fx, table);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[9] = { 0 };

        snprintf(name, sizeof(name), "/%u", 4 + (MANY - 1 - i) * 16);
        fx_bytes(fx, name, 8);
        fx_u64(fx, 0);
        fx_u32(fx, 64);
        fx_u32(fx, (uint32_t)content + i * 64);
        fx_pad(fx, fx->size + 12);
        fx_u32(fx, 0x40000040);
    }
    fx_pad(fx, strings);
    fx_u32(fx, 4 + MANY * 16);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[17] = { 0 };

        snprintf(name, sizeof(name), ".section_%06u", MANY - 1 - i);
        fx_bytes(fx, name, 16);
    }
}

Test(pe, an_object_in_a_forward_source_takes_no_way_back_for_each_name)
{
    struct fx fx = { 0 }, packed = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_source source;
    struct expand expand;
    struct ra_pe *pe;

    build_many(&fx);
    packed_zlib(&packed, fx.data, fx.size);
    cr_assert_eq(
        expand_open(
            &expand, &packed,
            (struct ra_expand){ .codec = RA_CODEC_DEFLATE, .size = fx.size, .whole = 1 }),
        RA_OK);
    source = ra_expanded_source(expand.expanded);
    cr_assert(ra_source_is_forward(&source));
    cr_assert_eq(ra_pe_open(&source, &told.diags, &pe), RA_OK);
    cr_assert_eq(ra_pe_section_count(pe), MANY);
    for (size_t i = 0; i < MANY; i++) {
        struct ra_pe_section section;
        char name[32];

        snprintf(name, sizeof(name), ".section_%06zu", i);
        cr_assert_eq(ra_pe_section(pe, i, &section), RA_OK, "%zu", i);
        cr_assert_str_eq(section.name, name);
        cr_assert_eq(section.content.size, 64);
    }
    ra_pe_close(pe);
    expand_end(&expand);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&packed);
}
