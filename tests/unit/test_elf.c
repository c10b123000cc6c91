#include "elf/dynamic.h"

#include "gen/host.h"
#include "told.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>

/* Host files of every kind, as fx_host() takes them. */
static struct fx fatbin_bytes(void)
{
    struct fx fx = { 0 };

    for (unsigned i = 0; i < 600; i++)
        fx_u8(&fx, (uint8_t)(i * 13 + 1));
    return fx;
}

static const uint64_t wrapped[] = { 0, 64 };

static struct fx_host good_host(const struct fx *fatbin)
{
    return (struct fx_host){ .fatbin = fatbin,
                             .fatbin_align = 16,
                             .wrapped = wrapped,
                             .wrapper_count = 2,
                             .pointer = FX_POINTER_RELATIVE };
}

enum { KINDS = 9 };

static struct fx_host host_of_kind(const struct fx *fatbin, unsigned kind)
{
    struct fx_host host = good_host(fatbin);

    host.elf32 = kind == 1 || kind == 2;
    host.big = kind == 2 || kind == 3;
    host.machine = kind == 1   ? EM_386
                   : kind == 2 ? EM_PPC
                   : kind == 3 ? EM_PPC64
                   : kind == 4 ? EM_AARCH64
                   : kind == 5 ? EM_RISCV
                               : EM_X86_64;
    host.extended_sections = kind == 6;
    host.relocatable = kind == 7;
    host.nobits = kind == 8;
    return host;
}

static struct ra_elf *open_good(const struct fx *fx, struct told *told,
                                struct ra_source *source)
{
    struct ra_elf *elf = NULL;

    *source = fx_source(fx);
    cr_assert_eq(ra_elf_open(source, &told->diags, &elf), RA_OK, "%s", told_detail(told));
    return elf;
}

/* ---- as libelf sees it ------------------------------------------------------ */

static void assert_section(Elf *image, Elf_Scn *reference, const struct fx *fx,
                           const struct ra_elf_section *section)
{
    static uint8_t bytes[1 << 16];
    struct told told = TOLD_INIT(told);
    size_t names;
    GElf_Shdr row;

    cr_assert_eq(elf_getshdrstrndx(image, &names), 0);
    cr_assert_not_null(gelf_getshdr(reference, &row));
    cr_assert_str_eq(section->name, elf_strptr(image, names, row.sh_name));
    cr_assert_eq(section->type, row.sh_type);
    cr_assert_eq(section->flags, row.sh_flags);
    cr_assert_eq(section->address, row.sh_addr);
    cr_assert_eq(section->offset, row.sh_offset);
    cr_assert_eq(section->size, row.sh_size);
    cr_assert_eq(section->link, row.sh_link);
    cr_assert_eq(section->info, row.sh_info);
    if (row.sh_type == SHT_NOBITS || row.sh_type == SHT_NULL) {
        cr_assert_eq(section->content.size, 0);
        return;
    }
    cr_assert_eq(section->content.size, row.sh_size);
    cr_assert_eq(ra_source_read(&section->content, 0, row.sh_size, &told.diags, bytes),
                 RA_OK);
    cr_assert_arr_eq(bytes, fx->data + row.sh_offset, row.sh_size);
    assert_silent(told);
}

Test(elf, sections_are_those_that_libelf_sees)
{
    struct fx fatbin = fatbin_bytes();

    (void)elf_version(EV_CURRENT);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        struct fx_host host = host_of_kind(&fatbin, kind);
        struct told told = TOLD_INIT(told);
        struct ra_source source;
        struct fx fx = { 0 };
        struct ra_elf *elf;
        size_t count;
        Elf *image;

        (void)fx_host(&fx, &host);
        elf = open_good(&fx, &told, &source);
        image = elf_memory((char *)fx.data, fx.size);
        cr_assert_eq(elf_getshdrnum(image, &count), 0);
        cr_assert_eq(ra_elf_section_count(elf), count, "kind %u", kind);
        cr_assert_gt(count, 4);
        cr_assert_eq(ra_elf_machine(elf), host.machine);
        cr_assert_eq(ra_elf_type(elf), host.relocatable ? ET_REL : ET_DYN);
        for (size_t i = 0; i < count; i++) {
            struct ra_elf_section section;

            cr_assert_eq(ra_elf_section(elf, i, &section), RA_OK);
            assert_section(image, elf_getscn(image, i), &fx, &section);
        }
        elf_end(image);
        ra_elf_close(elf);
        assert_silent(told);
        fx_free(&fx);
    }
    fx_free(&fatbin);
}

Test(elf, addresses_are_where_the_segments_put_them)
{
    struct fx fatbin = fatbin_bytes();

    (void)elf_version(EV_CURRENT);
    for (unsigned kind = 0; kind < 7; kind++) {
        struct fx_host host = host_of_kind(&fatbin, kind);
        struct told told = TOLD_INIT(told);
        struct ra_source source;
        uint64_t offset, left;
        struct fx fx = { 0 };
        struct ra_elf *elf;
        GElf_Phdr segment;
        size_t loads = 0;
        bool found;
        Elf *image;

        (void)fx_host(&fx, &host);
        elf = open_good(&fx, &told, &source);
        image = elf_memory((char *)fx.data, fx.size);
        for (int i = 0; gelf_getphdr(image, i, &segment); i++) {
            if (segment.p_type != PT_LOAD)
                continue;
            for (uint64_t in = 0; in < segment.p_filesz; in++) {
                cr_assert_eq(
                    ra_elf_offset(elf, segment.p_vaddr + in, &offset, &left, &found),
                    RA_OK);
                cr_assert(found);
                cr_assert_eq(offset, segment.p_offset + in);
                cr_assert_eq(left, segment.p_filesz - in);
            }
            loads++;
        }
        cr_assert_geq(loads, 3);
        cr_assert_eq(ra_elf_offset(elf, UINT64_MAX, &offset, &left, &found), RA_OK);
        cr_assert_not(found);
        cr_assert_eq(ra_elf_offset(elf, (uint64_t)1 << 45, &offset, &left, &found),
                     RA_OK);
        cr_assert_not(found);
        elf_end(image);
        ra_elf_close(elf);
        assert_silent(told);
        fx_free(&fx);
    }
    fx_free(&fatbin);
}

Test(elf, a_file_without_section_headers_has_none)
{
    struct fx fatbin = fatbin_bytes(), fx = { 0 };
    struct fx_host host = good_host(&fatbin);
    struct told told = TOLD_INIT(told);
    struct ra_source source;
    struct ra_elf *elf;

    host.no_sections = true;
    (void)fx_host(&fx, &host);
    elf = open_good(&fx, &told, &source);
    cr_assert_eq(ra_elf_section_count(elf), 0);
    ra_elf_close(elf);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&fatbin);
}

Test(elf, is_told_by_its_magic)
{
    uint8_t head[64] = { 0x7f, 'E', 'L', 'F' };

    cr_assert(ra_elf_probe((struct ra_span){ head, 64, 0 }));
    cr_assert(ra_elf_probe((struct ra_span){ head, 4, 0 }), "one cut short");
    for (size_t size = 0; size < 4; size++)
        cr_assert_not(ra_elf_probe((struct ra_span){ head, size, 0 }));
    for (size_t i = 0; i < 4; i++) {
        head[i] ^= 1;
        cr_assert_not(ra_elf_probe((struct ra_span){ head, 64, 0 }));
        head[i] ^= 1;
    }
}

/* ---- names ------------------------------------------------------------------ */

static void assert_name(const char *given, const char *expected)
{
    struct fx content = { 0 }, fx = { 0 };
    const struct fx_extra extra = { .name = given, .content = &content };
    struct told told = TOLD_INIT(told);
    struct ra_elf_section section;
    struct ra_source source;
    struct ra_elf *elf;
    bool seen = false;

    fx_text(&content, "content");
    (void)fx_host(&fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
    elf = open_good(&fx, &told, &source);
    for (size_t i = 0; i < ra_elf_section_count(elf); i++) {
        cr_assert_eq(ra_elf_section(elf, i, &section), RA_OK);
        seen = seen || strcmp(section.name, expected) == 0;
    }
    cr_assert(seen, "%s", expected);
    ra_elf_close(elf);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&content);
}

Test(elf, names_are_raw_bytes_and_long_ones_are_cut)
{
    char name[200], cut[RA_ELF_NAME];

    memset(name, 'n', sizeof(name));
    for (size_t size = RA_ELF_NAME - 2; size < sizeof(name); size++) {
        size_t kept = size < RA_ELF_NAME - 1 ? size : RA_ELF_NAME - 1;

        name[size] = '\0';
        memset(cut, 'n', kept);
        cut[kept] = '\0';
        assert_name(name, cut);
        name[size] = 'n';
    }
    assert_name("\x1b[31m\xff", "\x1b[31m\xff");
}

Test(elf, a_name_outside_the_names_is_empty)
{
    struct fx fatbin = fatbin_bytes(), fx = { 0 };
    struct fx_host host = good_host(&fatbin);
    struct fx_host_at at = fx_host(&fx, &host);
    static const uint64_t names[] = { UINT32_MAX, 0x7fffffff, 1 << 20 };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        struct told told = TOLD_INIT(told);
        struct ra_elf_section section;
        struct ra_source source;
        struct ra_elf *elf;

        fx_poke(&fx, at.section_headers + 64, 4, names[i]);
        elf = open_good(&fx, &told, &source);
        cr_assert_eq(ra_elf_section(elf, 1, &section), RA_OK);
        cr_assert_str_eq(section.name, "");
        ra_elf_close(elf);
        assert_silent(told);
    }
    fx_free(&fx);
    fx_free(&fatbin);
}

/* ---- relocations ------------------------------------------------------------ */

struct seen {
    struct ra_elf_pointer rows[4];
    size_t count;
};

static void see(void *arg, const struct ra_elf_pointer *pointer)
{
    struct seen *seen = arg;

    cr_assert_lt(seen->count, 4);
    seen->rows[seen->count++] = *pointer;
}

static void assert_at(struct ra_elf *elf, uint64_t address, uint64_t expected)
{
    uint64_t offset, left;
    bool found;

    cr_assert_eq(ra_elf_offset(elf, address, &offset, &left, &found), RA_OK);
    cr_assert(found);
    cr_assert_eq(offset, expected);
}

/* Of one host, with section headers and without. */
static void assert_pointers(unsigned kind, enum fx_pointer pointer, bool no_sections)
{
    struct fx fatbin = fatbin_bytes(), fx = { 0 };
    struct fx_host host = host_of_kind(&fatbin, kind);
    struct told told = TOLD_INIT(told);
    struct ra_elf_dynamic dynamic;
    struct fx_host_at at;
    struct ra_source source;
    struct ra_elf *elf;
    struct seen seen = { 0 };

    host.pointer = pointer;
    host.no_sections = no_sections;
    at = fx_host(&fx, &host);
    elf = open_good(&fx, &told, &source);
    cr_assert_eq(ra_elf_dynamic(elf, &dynamic), RA_OK);
    cr_assert(dynamic.found);
    cr_assert_eq(ra_elf_pointers(elf, &dynamic, 0, UINT64_MAX, see, &seen), RA_OK);
    cr_assert_eq(seen.count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert(seen.rows[i].known);
        assert_at(elf, seen.rows[i].value, at.fatbin + wrapped[i]);
        assert_at(elf, seen.rows[i].where, at.wrappers + i * 24 + 8);
    }
    /* Only those that write inside the range. */
    const uint64_t first = seen.rows[0].where;
    seen.count = 0;
    cr_assert_eq(ra_elf_pointers(elf, &dynamic, first, first + 1, see, &seen), RA_OK);
    cr_assert_eq(seen.count, 1);
    ra_elf_close(elf);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&fatbin);
}

Test(elf, relocations_of_each_machine_tell_what_is_written_where)
{
    for (unsigned stripped = 0; stripped < 2; stripped++) {
        /* x86-64, ppc64, aarch64, riscv64 */
        assert_pointers(0, FX_POINTER_RELATIVE, stripped);
        assert_pointers(0, FX_POINTER_SYMBOL, stripped);
        assert_pointers(3, FX_POINTER_RELATIVE, stripped);
        assert_pointers(3, FX_POINTER_SYMBOL, stripped);
        assert_pointers(4, FX_POINTER_RELATIVE, stripped);
        assert_pointers(4, FX_POINTER_SYMBOL, stripped);
        assert_pointers(5, FX_POINTER_RELATIVE, stripped);
        assert_pointers(5, FX_POINTER_SYMBOL, stripped);
    }
}

/* Elf64_Rela: r_info is at 8, its lower half the type. */
Test(elf, other_relocations_store_no_address)
{
    struct fx fatbin = fatbin_bytes(), fx = { 0 };
    struct fx_host host = good_host(&fatbin);
    struct fx_host_at at = fx_host(&fx, &host);
    struct told told = TOLD_INIT(told);

    for (uint32_t type = 0; type < 300; type++) {
        struct ra_elf_dynamic dynamic;
        struct ra_source source;
        struct ra_elf *elf;
        struct seen seen = { 0 };

        fx_poke(&fx, at.relocations + 8, 4, type);
        elf = open_good(&fx, &told, &source);
        cr_assert_eq(ra_elf_dynamic(elf, &dynamic), RA_OK);
        cr_assert_eq(ra_elf_pointers(elf, &dynamic, 0, UINT64_MAX, see, &seen), RA_OK);
        cr_assert_eq(seen.count,
                     type == R_X86_64_64 || type == R_X86_64_RELATIVE ? 2 : 1);
        ra_elf_close(elf);
    }
    assert_silent(told);
    fx_free(&fx);
    fx_free(&fatbin);
}

/* st_shndx, at 6 of an Elf64_Sym, is 0 where another file defines the symbol. */
Test(elf, an_address_that_another_file_defines_is_not_known)
{
    struct fx fatbin = fatbin_bytes(), fx = { 0 };
    struct fx_host host = good_host(&fatbin);
    struct told told = TOLD_INIT(told);
    struct ra_elf_dynamic dynamic;
    struct ra_source source;
    struct ra_elf *elf;
    struct seen seen = { 0 };
    uint64_t symbols;

    host.pointer = FX_POINTER_SYMBOL;
    (void)fx_host(&fx, &host);
    elf = open_good(&fx, &told, &source);
    cr_assert_eq(ra_elf_dynamic(elf, &dynamic), RA_OK);
    symbols = dynamic.symbols.base;
    ra_elf_close(elf);
    fx_poke(&fx, symbols + 24 + 6, 2, 0);
    elf = open_good(&fx, &told, &source);
    cr_assert_eq(ra_elf_dynamic(elf, &dynamic), RA_OK);
    cr_assert_eq(ra_elf_pointers(elf, &dynamic, 0, UINT64_MAX, see, &seen), RA_OK);
    cr_assert_eq(seen.count, 2);
    cr_assert_not(seen.rows[0].known);
    cr_assert(seen.rows[1].known);
    ra_elf_close(elf);
    assert_silent(told);
    fx_free(&fx);
    fx_free(&fatbin);
}
