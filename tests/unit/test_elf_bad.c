/* Damaged ELF files: whatever they say, all that is looked at is inside, or is told. */
#include "audit/host.h"
#include "elf/elf.h"

#include "gen/host.h"
#include "told.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

static const uint64_t wrapped[] = { 0, 64 };

static struct fx_host_at good(struct fx *fx, enum fx_pointer pointer, bool elf32,
                              bool big)
{
    struct fx fatbin = { 0 };
    struct fx_host_at at;

    fx_pad(&fatbin, 300);
    at = fx_host(fx, &(struct fx_host){
                         .elf32 = elf32,
                         .big = big,
                         .fatbin = &fatbin,
                         .fatbin_align = 16,
                         .wrapped = wrapped,
                         .wrapper_count = 2,
                         .pointer = pointer,
                     });
    fx_free(&fatbin);
    return at;
}

/* ---- a look at all of it ---------------------------------------------------- */

static enum ra_status look_at_wrappers(struct ra_elf *elf,
                                       const struct ra_elf_section *section,
                                       uint64_t size, struct told *told)
{
    struct ra_wrapper *wrappers;
    size_t count;
    enum ra_status status =
        ra_wrappers_read(&section->content, section->address, &told->arena, &told->diags,
                         &wrappers, &count);

    if (status == RA_OK)
        status = ra_host_resolve_elf(elf, wrappers, count);
    for (size_t i = 0; status == RA_OK && i < count; i++)
        if (wrappers[i].resolved) {
            cr_assert_leq(wrappers[i].offset, size);
            cr_assert_leq(wrappers[i].left, size - wrappers[i].offset);
        }
    return status;
}

static enum ra_status look_at_sections(struct ra_elf *elf, uint64_t size,
                                       struct told *told)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < ra_elf_section_count(elf); i++) {
        struct ra_elf_section section;

        status = ra_elf_section(elf, i, &section);
        if (status != RA_OK)
            break;
        cr_assert_leq(section.content.base, size);
        cr_assert_leq(section.content.size, size - section.content.base);
        cr_assert_lt(strlen(section.name), RA_ELF_NAME);
        if (strcmp(section.name, ".hipFatBinSegment") == 0)
            status = look_at_wrappers(elf, &section, size, told);
    }
    return status;
}

/* Told exactly once if it fails, and not at all if it does not. */
static enum ra_status look(const struct fx *fx, size_t size, struct told *told)
{
    /* Exactly as many bytes as there are, so that a sanitiser sees a step outside. */
    uint8_t *copy = malloc(size ? size : 1);
    struct ra_source source = ra_source_over((struct ra_span){ copy, size, 0 });
    struct ra_elf *elf;
    enum ra_status status;

    if (size)
        memcpy(copy, fx->data, size);
    status = ra_elf_open(&source, &told->diags, &elf);
    if (status == RA_OK) {
        status = look_at_sections(elf, size, told);
        ra_elf_close(elf);
    }
    cr_assert(status == RA_OK || ra_is_damage(status));
    cr_assert_eq(told->diags.count, status != RA_OK, "%zu faults told at size %zu",
                 told->diags.count, size);
    free(copy);
    return status;
}

Test(elf, every_truncation_is_told_once)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct fx fx = { 0 };

        (void)good(&fx, FX_POINTER_SYMBOL, kind & 1, kind & 2);
        cr_assert_lt(fx.size, 8192);
        for (size_t size = 0; size < fx.size; size++) {
            struct told told = TOLD_INIT(told);

            cr_assert_eq(look(&fx, size, &told), RA_E_FORMAT, "kind %u, %zu of %zu", kind,
                         size, fx.size);
            told_end(&told);
        }
        fx_free(&fx);
    }
}

/* Every aligned number in headers and tables, of every width, set to what hurts. */
static void poke_all(struct fx *fx, size_t start, size_t end)
{
    for (unsigned width = 1; width <= 8; width *= 2)
        for (size_t at = start; at + width <= end; at += width) {
            const uint64_t values[] = { 0,
                                        1,
                                        fx->size - 1,
                                        fx->size,
                                        fx->size + 1,
                                        (uint64_t)1 << 45,
                                        INT64_MAX,
                                        UINT64_MAX,
                                        UINT64_MAX - 63 };
            uint64_t before = fx_peek(fx, at, width);

            for (size_t i = 0; i < RA_COUNT(values); i++) {
                struct told told = TOLD_INIT(told);

                fx_poke(fx, at, width, values[i]);
                (void)look(fx, fx->size, &told);
                told_end(&told);
            }
            fx_poke(fx, at, width, before);
        }
}

static void poke_kind(enum fx_pointer pointer, bool elf32, bool big)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct fx_host_at at = good(&fx, pointer, elf32, big);

    fx.big = big;
    cr_assert_eq(look(&fx, fx.size, &told), RA_OK, "%s", told_detail(&told));
    poke_all(&fx, 0, 64 + 6 * 56); /* header and program headers */
    poke_all(&fx, at.section_headers, fx.size);
    if (at.relocations)
        poke_all(&fx, at.relocations, at.relocations + 48);
    poke_all(&fx, at.wrappers, at.wrappers + 48);
    assert_silent(told);
    fx_free(&fx);
}

Test(elf, no_number_in_a_64_bit_file_leads_outside)
{
    poke_kind(FX_POINTER_SYMBOL, false, false);
    poke_kind(FX_POINTER_RELATIVE, false, true);
}

Test(elf, no_number_in_a_32_bit_file_leads_outside)
{
    poke_kind(FX_POINTER_SYMBOL, true, false);
    poke_kind(FX_POINTER_RELATIVE, true, true);
}

Test(elf, random_bytes_behind_a_header_lead_nowhere)
{
    uint64_t state = 5;

    for (unsigned round = 0; round < 20000; round++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };

        (void)good(&fx, FX_POINTER_SYMBOL, round & 1, round & 2);
        for (unsigned i = 0; i < 6; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            fx.data[16 + (state >> 33) % (fx.size - 16)] = (uint8_t)(state >> 20);
        }
        (void)look(&fx, fx.size, &told);
        told_end(&told);
        fx_free(&fx);
    }
}

/* ---- each kind of damage ---------------------------------------------------- */

static void assert_bad(size_t at, unsigned width, uint64_t value)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };

    (void)good(&fx, FX_POINTER_SYMBOL, false, false);
    fx_poke(&fx, at, width, value);
    cr_assert_eq(look(&fx, fx.size, &told), RA_E_FORMAT, "%zu set to %zu", at,
                 (size_t)value);
    assert_told(told, ELF_BAD);
    fx_free(&fx);
}

/* Offsets in Elf64_Ehdr: gABI, "ELF Header". */
Test(elf, each_damaged_field_of_the_header_is_told)
{
    struct fx fx = { 0 };
    size_t size;

    (void)good(&fx, FX_POINTER_SYMBOL, false, false);
    size = fx.size;
    assert_bad(EI_CLASS, 1, ELFCLASSNONE);
    assert_bad(EI_CLASS, 1, 3);
    assert_bad(EI_DATA, 1, ELFDATANONE);
    assert_bad(EI_DATA, 1, 3);
    assert_bad(offsetof(Elf64_Ehdr, e_shoff), 8, 0);
    assert_bad(offsetof(Elf64_Ehdr, e_shoff), 8, size);
    assert_bad(offsetof(Elf64_Ehdr, e_shoff), 8, size - 63);
    assert_bad(offsetof(Elf64_Ehdr, e_shoff), 8, (uint64_t)1 << 45);
    assert_bad(offsetof(Elf64_Ehdr, e_shoff), 8, UINT64_MAX);
    assert_bad(offsetof(Elf64_Ehdr, e_shentsize), 2, 0);
    assert_bad(offsetof(Elf64_Ehdr, e_shentsize), 2, 40);
    assert_bad(offsetof(Elf64_Ehdr, e_shentsize), 2, 65535);
    assert_bad(offsetof(Elf64_Ehdr, e_shnum), 2, 65535);
    assert_bad(offsetof(Elf64_Ehdr, e_shnum), 2, 1);
    assert_bad(offsetof(Elf64_Ehdr, e_shstrndx), 2, 1000);
    assert_bad(offsetof(Elf64_Ehdr, e_phentsize), 2, 0);
    assert_bad(offsetof(Elf64_Ehdr, e_phentsize), 2, 57);
    assert_bad(offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX);
    fx_free(&fx);
}

/* gABI: the number of sections and the index of their names stand in section 0. */
Test(elf, extended_numbering_is_checked_like_any_other)
{
    static const struct {
        size_t field;
        unsigned width;
        uint64_t value;
    } rows[] = {
        { offsetof(Elf64_Shdr, sh_size), 8, UINT64_MAX },
        { offsetof(Elf64_Shdr, sh_size), 8, (uint64_t)1 << 58 }, /* times 64 wraps */
        { offsetof(Elf64_Shdr, sh_size), 8, (uint64_t)1 << 45 },
        { offsetof(Elf64_Shdr, sh_size), 8, 1000 },
        { offsetof(Elf64_Shdr, sh_size), 8, 1 },
        { offsetof(Elf64_Shdr, sh_link), 4, UINT32_MAX },
        { offsetof(Elf64_Shdr, sh_link), 4, 1000 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_host_at at =
            fx_host(&fx, &(struct fx_host){ .extended_sections = true });

        cr_assert_eq(look(&fx, fx.size, &told), RA_OK);
        fx_poke(&fx, at.section_headers + rows[i].field, rows[i].width, rows[i].value);
        cr_assert_eq(look(&fx, fx.size, &told), RA_E_FORMAT, "row %zu", i);
        assert_told(told, ELF_BAD);
        fx_free(&fx);
    }
}

Test(elf, a_section_outside_the_file_is_told_where_its_header_is)
{
    static const struct {
        size_t field;
        uint64_t value;
    } rows[] = {
        { offsetof(Elf64_Shdr, sh_offset), UINT64_MAX },
        { offsetof(Elf64_Shdr, sh_offset), (uint64_t)1 << 45 },
        { offsetof(Elf64_Shdr, sh_size), UINT64_MAX },
        { offsetof(Elf64_Shdr, sh_size), (uint64_t)1 << 45 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct told told = TOLD_INIT(told);
        struct fx fx = { 0 };
        struct fx_host_at at = good(&fx, FX_POINTER_SYMBOL, false, false);

        fx_poke(&fx, at.fatbin_header + rows[i].field, 8, rows[i].value);
        cr_assert_eq(look(&fx, fx.size, &told), RA_E_FORMAT);
        cr_assert_eq(told.diags.first->offset, at.fatbin_header);
        assert_told(told, ELF_BAD);
        fx_free(&fx);
    }
}

Test(elf, no_file_shorter_than_its_first_bytes_is_read)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };

    fx_bytes(&fx, "\177ELF\2\1\1", 8);
    cr_assert_eq(look(&fx, 8, &told), RA_E_FORMAT);
    assert_told(told, OUTSIDE);
    fx_free(&fx);
}

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

Test(elf, a_file_that_shrinks_is_changed_and_not_bad)
{
    struct fx fx = { 0 };
    size_t whole;

    (void)good(&fx, FX_POINTER_SYMBOL, false, false);
    whole = fx.size;
    for (fx.size = 0; fx.size < whole; fx.size += 7) {
        struct told told = TOLD_INIT(told);
        struct ra_source source = { .size = whole,
                                    .packed = RA_NOT_EXPANDED,
                                    .read_at = failing_read,
                                    .state = &fx };
        struct ra_elf *elf;
        enum ra_status status = ra_elf_open(&source, &told.diags, &elf);

        if (status == RA_OK) {
            status = look_at_sections(elf, whole, &told);
            ra_elf_close(elf);
        }
        cr_assert_eq(status, RA_E_IO);
        assert_told(told, CHANGED);
    }
    fx_free(&fx);
}

/* ---- time ------------------------------------------------------------------- */

/* Elf64_Dyn: a tag, a value; `tag` is in the dynamic section. */
static size_t row_of(const struct fx *fx, size_t dynamic, uint64_t tag)
{
    while (fx_peek(fx, dynamic, 8) != tag)
        dynamic += 16;
    return dynamic;
}

Test(elf, tables_of_the_loader_outside_all_segments_are_told)
{
    static const uint64_t tags[] = { DT_RELA, DT_SYMTAB, DT_STRTAB };
    static const uint64_t sizes[] = { DT_RELASZ, DT_STRSZ };
    static const uint64_t values[] = { 1 << 20, (uint64_t)1 << 45, UINT64_MAX - 7 };

    for (size_t i = 0; i < RA_COUNT(tags) + RA_COUNT(sizes); i++)
        for (size_t j = 0; j < RA_COUNT(values); j++) {
            struct told told = TOLD_INIT(told);
            struct fx fx = { 0 };
            struct fx_host_at at = good(&fx, FX_POINTER_RELATIVE, false, false);
            uint64_t tag = i < RA_COUNT(tags) ? tags[i] : sizes[i - RA_COUNT(tags)];

            fx_poke(&fx, row_of(&fx, at.dynamic, tag) + 8, 8, values[j]);
            cr_assert_eq(look(&fx, fx.size, &told), RA_E_FORMAT, "tag %zu", (size_t)tag);
            assert_told(told, ELF_BAD);
            fx_free(&fx);
        }
}

/* Each wrapper is looked up in the segments: 60000 times 60000 are 4 * 10^9. */
Test(elf, wrappers_and_segments_without_number_take_no_time)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 }, wrappers = { 0 };
    const struct fx_extra extra = { .name = ".hipFatBinSegment",
                                    .flags = SHF_ALLOC,
                                    .content = &wrappers };

    for (unsigned i = 0; i < 60000; i++) {
        fx_u64(&wrappers, 0x48495046);
        fx_u64(&wrappers, UINT64_MAX);
        fx_u64(&wrappers, 0);
    }
    (void)fx_host(&fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
    fx_align(&fx, 8);
    fx_poke(&fx, offsetof(Elf64_Ehdr, e_phoff), 8, fx.size);
    fx_poke(&fx, offsetof(Elf64_Ehdr, e_phnum), 2, 60000);
    fx_pad(&fx, fx.size + (size_t)60000 * 56);
    alarm(20);
    cr_assert_eq(look(&fx, fx.size, &told), RA_E_LIMIT);
    assert_told(told, LIMIT);
    fx_free(&fx);
    fx_free(&wrappers);
}
