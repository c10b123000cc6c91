/* Damaged Windows files: whatever they say, all that is looked at is inside, or told. */
#include "pe/pe.h"

#include "cuts.h"
#include "gen/pe.h"
#include "told.h"

static const uint64_t wrapped[] = { 0, 64 };

static struct fx_pe_at good(struct fx *fx, struct fx_pe spec)
{
    struct fx fatbin = { 0 };
    struct fx_pe_at at;

    for (unsigned i = 0; i < 300; i++)
        fx_u8(&fatbin, (uint8_t)i);
    spec.fatbin = &fatbin;
    spec.wrapped = wrapped;
    spec.wrapper_count = 2;
    at = fx_pe(fx, &spec);
    fx_free(&fatbin);
    return at;
}

static const struct fx_pe kinds[] = {
    { 0 },
    { .pe32 = true },
    { .names = FX_PE_NAMES_LONG },
    { .object = true },
    { .object = true, .names = FX_PE_NAMES_BASE64 },
    { .object = true, .big = true },
};

/* ---- a look at all of it ------------------------------------------------------- */

static enum ra_status look_at_address(struct ra_pe *pe, uint64_t address, uint64_t size)
{
    uint64_t offset, left;
    bool found;
    enum ra_status status = ra_pe_offset(pe, address, &offset, &left, &found);

    if (status == RA_OK && found) {
        cr_assert_leq(offset, size);
        cr_assert_leq(left, size - offset);
        cr_assert_gt(left, 0);
    }
    return status;
}

static enum ra_status look_at_sections(struct ra_pe *pe, uint64_t size)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_pe_section_count(pe); i++) {
        struct ra_pe_section section;

        status = ra_pe_section(pe, i, &section);
        if (status != RA_OK)
            break;
        cr_assert_leq(section.content.base, size);
        cr_assert_leq(section.content.size, size - section.content.base);
        cr_assert_leq(section.content.size, section.raw_size);
        cr_assert_lt(strlen(section.name), RA_PE_NAME);
        status = look_at_address(pe, 0x180000000 + section.address, size);
        if (status == RA_OK)
            status = look_at_address(pe, 0x10000000 + section.address, size);
    }
    return status;
}

/* Told exactly once if it fails, and not at all if it does not. */
static enum ra_status look(const struct fx *fx, struct told *told)
{
    struct ra_source source = fx_source(fx);
    struct ra_pe *pe;
    enum ra_status status = ra_pe_open(&source, &told->diags, &pe);

    if (status == RA_OK) {
        status = look_at_sections(pe, fx->size);
        ra_pe_close(pe);
    }
    cr_assert(status == RA_OK || ra_is_damage(status));
    cr_assert_eq(told->diags.count, status != RA_OK, "%zu faults told",
                 told->diags.count);
    return status;
}

Test(pe, every_truncation_is_told_once)
{
    for (size_t kind = 0; kind < RA_COUNT(kinds); kind++) {
        struct fx fx = { 0 };

        (void)good(&fx, kinds[kind]);
        cr_assert_lt(fx.size, 8192);
        for (size_t size = 0; size < fx.size; size++) {
            struct fx cut = cut_of(&fx, size);
            struct told told = TOLD_INIT(told);

            cr_assert_eq(look(&cut, &told), RA_E_FORMAT, "kind %zu, %zu of %zu", kind,
                         size, fx.size);
            assert_told(told, PE_BAD);
            fx_free(&cut);
        }
        fx_free(&fx);
    }
}

/* Every number in headers and tables, of every width, set to what hurts. */
static void poke_all(struct fx *fx, size_t start, size_t end)
{
    for (unsigned width = 1; width <= 8; width *= 2)
        for (size_t at = start; at + width <= end; at += width) {
            const uint64_t values[] = { 0,
                                        1,
                                        '/',
                                        fx->size - 1,
                                        fx->size,
                                        fx->size + 1,
                                        INT32_MAX,
                                        UINT32_MAX,
                                        UINT32_MAX - 39,
                                        INT64_MAX,
                                        UINT64_MAX };
            uint64_t before = fx_peek(fx, at, width);

            for (size_t i = 0; i < RA_COUNT(values); i++) {
                struct told told = TOLD_INIT(told);

                fx_poke(fx, at, width, values[i]);
                (void)look(fx, &told);
                told_end(&told);
            }
            fx_poke(fx, at, width, before);
        }
}

Test(pe, no_number_leads_outside)
{
    for (size_t kind = 0; kind < RA_COUNT(kinds); kind++) {
        struct fx fx = { 0 };
        struct fx_pe_at at = good(&fx, kinds[kind]);
        struct told told = TOLD_INIT(told);
        struct fx whole = cut_of(&fx, fx.size);

        cr_assert_eq(look(&whole, &told), RA_OK, "%s", told_detail(&told));
        poke_all(&whole, 0, at.section_headers + at.section_count * 40);
        poke_all(&whole, at.wrappers, at.wrappers + 48);
        if (at.strings)
            poke_all(&whole, at.symbols, whole.size);
        assert_silent(told);
        fx_free(&whole);
        fx_free(&fx);
    }
}

Test(pe, random_bytes_in_the_headers_lead_nowhere)
{
    uint64_t state = 5;

    for (unsigned round = 0; round < 20000; round++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_pe_at at = good(&fx, kinds[round % RA_COUNT(kinds)]);
        size_t end = at.section_headers + at.section_count * 40;

        for (unsigned i = 0; i < 6; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            fx.data[2 + (state >> 33) % (end - 2)] = (uint8_t)(state >> 20);
        }
        (void)look(&fx, &told);
        told_end(&told);
        fx_free(&fx);
    }
}

/* ---- each kind of damage ------------------------------------------------------- */

/* Fields by their offset in a header, as "PE Format" has them. */
enum header { WHOLE, FILE_HEADER, OPTIONAL, SECTION, STRINGS };

struct damage {
    enum header header;
    size_t at;
    unsigned width;
    uint64_t value;
};

static size_t start_of(const struct fx_pe_at *at, enum header header)
{
    switch (header) {
    case FILE_HEADER:
        return at->header;
    case OPTIONAL:
        return at->optional;
    case SECTION:
        return at->fatbin_header;
    case STRINGS:
        return at->strings;
    default:
        return 0;
    }
}

static void assert_bad(struct fx_pe spec, const struct damage *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_pe_at at = good(&fx, spec);

        fx_poke(&fx, start_of(&at, rows[i].header) + rows[i].at, rows[i].width,
                rows[i].value);
        cr_assert_eq(look(&fx, &told), RA_E_FORMAT, "row %zu", i);
        assert_told(told, PE_BAD);
        fx_free(&fx);
    }
}

Test(pe, each_damaged_field_of_an_image_is_told)
{
    static const struct damage rows[] = {
        { WHOLE, 0x3c, 4, 0 }, /* where the PE header is */
        { WHOLE, 0x3c, 4, 0x79 },        { WHOLE, 0x3c, 4, INT32_MAX },
        { WHOLE, 0x3c, 4, UINT32_MAX },  { WHOLE, 0x78, 1, 'N' }, /* its signature */
        { WHOLE, 0x79, 1, 'e' },         { WHOLE, 0x7b, 1, 1 },
        { FILE_HEADER, 16, 2, 0 }, /* bytes of the optional header */
        { FILE_HEADER, 16, 2, 39 },      { FILE_HEADER, 16, 2, 0xffff },
        { OPTIONAL, 0, 2, 0x107 }, /* its kind: of a ROM */
        { OPTIONAL, 0, 2, 0 },           { SECTION, 16, 4, UINT32_MAX }, /* bytes */
        { SECTION, 16, 4, 8192 },        { SECTION, 20, 4, UINT32_MAX }, /* offset */
        { SECTION, 20, 4, 0x80000000 },  { SECTION, 20, 4, 0x601 },
        { SECTION, 20, 4, 0x600 - 256 },
    };

    assert_bad((struct fx_pe){ 0 }, rows, RA_COUNT(rows));
}

Test(pe, each_damaged_field_of_an_object_is_told)
{
    static const struct damage rows[] = {
        { FILE_HEADER, 2, 2, 1000 }, /* sections */
        { FILE_HEADER, 8, 4, 0 },    /* where the symbols are */
        { FILE_HEADER, 8, 4, UINT32_MAX },
        { FILE_HEADER, 12, 4, UINT32_MAX }, /* how many */
        { FILE_HEADER, 12, 4, 1000 },
        { FILE_HEADER, 16, 2, 0xffff }, /* bytes of an optional header */
        { SECTION, 16, 4, UINT32_MAX }, /* bytes */
        { SECTION, 20, 4, UINT32_MAX }, /* offset */
        { STRINGS, 0, 4, UINT32_MAX },  /* bytes of the string table */
        { STRINGS, 0, 4, 0 },
        { STRINGS, 0, 4, 4 },
        { STRINGS, 0, 4, 8 },
    };

    assert_bad((struct fx_pe){ .object = true }, rows, RA_COUNT(rows));
}

Test(pe, each_damaged_field_of_an_object_for_many_sections_is_told)
{
    static const struct damage rows[] = {
        { FILE_HEADER, 4, 2, 1 },                                         /* version */
        { FILE_HEADER, 12, 1, 0x38 },                                     /* class ID */
        { FILE_HEADER, 27, 1, 0 },          { FILE_HEADER, 44, 4, 1000 }, /* sections */
        { FILE_HEADER, 48, 4, UINT32_MAX }, /* where the symbols are */
        { FILE_HEADER, 52, 4, UINT32_MAX }, /* how many */
    };

    assert_bad((struct fx_pe){ .object = true, .big = true }, rows, RA_COUNT(rows));
}

/* The string table of the object holds two names behind its size: 4 + 18 + 12 bytes. */
Test(pe, a_name_that_leads_nowhere_is_told_where_it_stands)
{
    static const char *const names[] = {
        "/",        "/x",       "/4x",      "/-4",      "/ 4",      "/0",
        "/3",       "/34",      "/9999999", "//",       "//AAAAAA", "//AAAAAD",
        "//AAAAAi", "////////", "//AAAA=A", "//AA\x80", "//AAAA A",
    };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_pe_at at = good(&fx, (struct fx_pe){ .object = true });
        char bytes[16] = { 0 };

        memcpy(bytes, names[i], strlen(names[i]));
        memcpy(fx.data + at.fatbin_header, bytes, 8);
        cr_assert_eq(look(&fx, &told), RA_E_FORMAT, "%s", names[i]);
        cr_assert_eq(told.diags.first->offset, at.fatbin_header);
        assert_told(told, PE_BAD);
        fx_free(&fx);
    }
}

Test(pe, a_section_outside_the_file_is_told_where_its_header_is)
{
    for (size_t kind = 0; kind < RA_COUNT(kinds); kind++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_pe_at at = good(&fx, kinds[kind]);

        fx_poke(&fx, at.fatbin_header + 16, 4, fx.size);
        cr_assert_eq(look(&fx, &told), RA_E_FORMAT);
        cr_assert_eq(told.diags.first->offset, at.fatbin_header);
        assert_told(told, PE_BAD);
        fx_free(&fx);
    }
}

/* ---- limits -------------------------------------------------------------------- */

/* Headers of `count` sections that hold nothing. */
static enum ra_status open_with_sections(struct fx_pe spec, unsigned width, size_t field,
                                         uint32_t count, struct told *told)
{
    struct fx fx = { 0 }, padded = { 0 };
    struct ra_source source;
    struct ra_pe *pe;
    enum ra_status status;

    struct fx_pe_at at = good(&fx, spec);
    for (size_t i = 0; i < at.section_headers; i++)
        fx_u8(&padded, fx.data[i]);
    fx_pad(&padded, at.section_headers + (size_t)count * 40);
    fx_poke(&padded, at.header + field, width, count);
    source = fx_source(&padded);
    status = ra_pe_open(&source, &told->diags, &pe);
    if (status == RA_OK) {
        cr_assert_eq(ra_pe_section_count(pe), count);
        ra_pe_close(pe);
    }
    fx_free(&fx);
    fx_free(&padded);
    return status;
}

Test(pe, more_sections_than_a_loader_or_linker_takes_are_a_limit)
{
    static const struct {
        struct fx_pe spec;
        unsigned width;
        size_t field;
        uint32_t most;
    } rows[] = {
        { { 0 }, 2, 2, 96 },
        { { .pe32 = true }, 2, 2, 96 },
        { { .object = true }, 2, 2, 0xfeff },
        { { .object = true, .big = true }, 4, 44, 1 << 20 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct told told = TOLD_INIT(told);

        cr_assert_eq(open_with_sections(rows[i].spec, rows[i].width, rows[i].field,
                                        rows[i].most, &told),
                     RA_OK, "%zu", i);
        assert_silent(told);
        cr_assert_eq(open_with_sections(rows[i].spec, rows[i].width, rows[i].field,
                                        rows[i].most + 1, &told),
                     RA_E_LIMIT, "%zu", i);
        assert_told(told, LIMIT);
    }
}

/* ---- the file under us --------------------------------------------------------- */

static enum ra_status failing_read(const struct ra_source *source, uint64_t where,
                                   size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct fx *fx = source->state;

    if (where + count > fx->size)
        return ra_fault(diags, RA_E_IO, RA_DIAG_CHANGED, ra_at(where),
                        "it became shorter");
    memcpy(ret, fx->data + where, count);
    return RA_OK;
}

Test(pe, a_file_that_shrinks_is_changed_and_not_bad)
{
    struct fx fx = { 0 };
    size_t whole;

    (void)good(&fx, (struct fx_pe){ .object = true });
    whole = fx.size;
    for (fx.size = 0; fx.size < whole; fx.size += 7) {
        struct told told = TOLD_INIT(told);
        struct ra_source source = { .size = whole,
                                    .packed = RA_NOT_EXPANDED,
                                    .read_at = failing_read,
                                    .state = &fx };
        struct ra_pe *pe;
        enum ra_status status = ra_pe_open(&source, &told.diags, &pe);

        if (status == RA_OK) {
            status = look_at_sections(pe, whole);
            ra_pe_close(pe);
        }
        cr_assert_eq(status, RA_E_IO);
        assert_told(told, CHANGED);
    }
    fx_free(&fx);
}
