#include "audit/host.h"
#include "elf/elf.h"

#include "gen/host.h"
#include "told.h"

#include <elf.h>

static const uint64_t wrapped[] = { 0, 4096, 128, 4095 };

enum { COUNT = 4, FATBIN = 5000 };

/* A host, opened, with what its section of wrappers says. */
struct wrapped_host {
    struct told told;
    struct fx fx;
    struct fx_host_at at;
    struct ra_source source;
    struct ra_elf *elf;
    struct ra_elf_section section;
    struct ra_wrapper *wrappers;
    size_t count;
};

static void build(struct wrapped_host *ret, struct fx_host host)
{
    struct fx fatbin = { 0 };

    *ret = (struct wrapped_host){ 0 };
    ret->told.diags.arena = &ret->told.arena;
    fx_pad(&fatbin, FATBIN);
    host.fatbin = host.magic == FX_HIPK ? NULL : &fatbin;
    host.wrapped = host.wrapped ? host.wrapped : wrapped;
    host.wrapper_count = host.wrapper_count ? host.wrapper_count : COUNT;
    ret->at = fx_host(&ret->fx, &host);
    fx_free(&fatbin);
}

static enum ra_status read_wrappers(struct wrapped_host *host)
{
    enum ra_status status;

    host->source = fx_source(&host->fx);
    cr_assert_eq(ra_elf_open(&host->source, &host->told.diags, &host->elf), RA_OK);
    for (size_t i = 0; i < ra_elf_section_count(host->elf); i++) {
        cr_assert_eq(ra_elf_section(host->elf, i, &host->section), RA_OK);
        if (strcmp(host->section.name, ".hipFatBinSegment") == 0)
            break;
    }
    status =
        ra_wrappers_read(&host->section.content, host->section.address, &host->told.arena,
                         &host->told.diags, &host->wrappers, &host->count);
    if (status == RA_OK && ra_elf_type(host->elf) != ET_REL)
        status = ra_host_resolve_elf(host->elf, host->wrappers, host->count);
    ra_elf_close(host->elf);
    return status;
}

static void end(struct wrapped_host *host)
{
    assert_silent(host->told);
    fx_free(&host->fx);
}

static void assert_found(struct fx_host spec)
{
    struct wrapped_host host;

    build(&host, spec);
    cr_assert_eq(read_wrappers(&host), RA_OK);
    cr_assert_eq(host.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(host.wrappers[i].magic, RA_WRAPPER_HIPF);
        cr_assert(host.wrappers[i].resolved, "wrapper %zu", i);
        cr_assert_eq(host.wrappers[i].offset, host.at.fatbin + wrapped[i]);
        cr_assert_geq(host.wrappers[i].left, FATBIN - wrapped[i],
                      "all of the fat binary follows");
    }
    end(&host);
}

Test(wrappers, pointers_are_found_however_they_are_written)
{
    static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_RISCV, EM_PPC64 };

    for (size_t i = 0; i < RA_COUNT(machines); i++) {
        assert_found(
            (struct fx_host){ .machine = machines[i], .pointer = FX_POINTER_IN_PLACE });
        assert_found(
            (struct fx_host){ .machine = machines[i], .pointer = FX_POINTER_RELATIVE });
        assert_found(
            (struct fx_host){ .machine = machines[i], .pointer = FX_POINTER_SYMBOL });
    }
}

Test(wrappers, of_an_object_are_counted_and_nowhere_yet)
{
    struct wrapped_host host;

    build(&host, (struct fx_host){ .relocatable = true });
    cr_assert_eq(read_wrappers(&host), RA_OK);
    cr_assert_eq(host.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(host.wrappers[i].magic, RA_WRAPPER_HIPF);
        cr_assert_not(host.wrappers[i].resolved);
    }
    end(&host);
}

Test(wrappers, of_kpack_point_at_what_names_the_archive)
{
    struct fx reference = { 0 };
    const struct fx_extra extra = { .name = ".rocm_kpack_ref",
                                    .flags = SHF_ALLOC,
                                    .content = &reference };
    struct wrapped_host host;

    fx_text(&reference, "reference to an archive");
    build(&host, (struct fx_host){ .magic = FX_HIPK,
                                   .pointer = FX_POINTER_RELATIVE,
                                   .extra = &extra,
                                   .extra_count = 1 });
    cr_assert_eq(read_wrappers(&host), RA_OK);
    cr_assert_eq(host.count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(host.wrappers[i].magic, RA_WRAPPER_HIPK);
        cr_assert_eq(host.wrappers[i].index, i);
        cr_assert(host.wrappers[i].resolved);
        cr_assert_eq(memcmp(host.fx.data + host.wrappers[i].offset, "reference", 9), 0);
    }
    end(&host);
    fx_free(&reference);
}

/* The last word of a wrapper, lower half: it need not be its place in the section. */
Test(wrappers, of_kpack_have_the_index_that_stands_in_them)
{
    static const uint32_t indexes[COUNT] = { 7, 0, UINT32_MAX, 57 };
    static const enum fx_pointer pointers[] = { FX_POINTER_IN_PLACE,
                                                FX_POINTER_RELATIVE };

    for (size_t p = 0; p < RA_COUNT(pointers); p++) {
        struct fx reference = { 0 };
        const struct fx_extra extra = { .name = ".rocm_kpack_ref",
                                        .flags = SHF_ALLOC,
                                        .content = &reference };
        struct wrapped_host host;

        fx_text(&reference, "reference to an archive");
        build(&host, (struct fx_host){ .magic = FX_HIPK,
                                       .pointer = pointers[p],
                                       .extra = &extra,
                                       .extra_count = 1 });
        for (size_t i = 0; i < COUNT; i++) {
            fx_poke(&host.fx, host.at.wrappers + 24 * i + 16, 4, indexes[i]);
            fx_poke(&host.fx, host.at.wrappers + 24 * i + 20, 4, 0xdeadbeef);
        }
        cr_assert_eq(read_wrappers(&host), RA_OK);
        for (size_t i = 0; i < COUNT; i++) {
            cr_assert_eq(host.wrappers[i].index, indexes[i]);
            cr_assert(host.wrappers[i].resolved);
            cr_assert_geq(host.wrappers[i].left, reference.size);
        }
        end(&host);
        fx_free(&reference);
    }
}

Test(wrappers, of_kpack_in_an_object_are_nowhere_yet_but_have_their_index)
{
    struct wrapped_host host;

    build(&host, (struct fx_host){ .relocatable = true });
    for (size_t i = 0; i < COUNT; i++) {
        fx_poke(&host.fx, host.at.wrappers + 24 * i, 4, FX_HIPK);
        fx_poke(&host.fx, host.at.wrappers + 24 * i + 16, 4, i);
    }
    cr_assert_eq(read_wrappers(&host), RA_OK);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(host.wrappers[i].index, i);
        cr_assert_not(host.wrappers[i].resolved);
        cr_assert_eq(host.wrappers[i].offset, 0);
    }
    end(&host);
}

Test(wrappers, a_pointer_outside_all_segments_is_not_resolved)
{
    static const uint64_t addresses[] = { 1 << 20, (uint64_t)1 << 45, UINT64_MAX,
                                          UINT64_MAX - 7 };

    for (size_t i = 0; i < RA_COUNT(addresses); i++) {
        struct wrapped_host host;

        build(&host, (struct fx_host){ .pointer = FX_POINTER_IN_PLACE });
        fx_poke(&host.fx, host.at.wrappers + 24 + 8, 8, addresses[i]);
        cr_assert_eq(read_wrappers(&host), RA_OK);
        cr_assert(host.wrappers[0].resolved);
        cr_assert_not(host.wrappers[1].resolved);
        cr_assert_eq(host.wrappers[1].offset, 0);
        cr_assert(host.wrappers[2].resolved, "its neighbours are");
        end(&host);
    }
}

Test(wrappers, a_null_pointer_that_nothing_relocates_is_not_resolved)
{
    struct wrapped_host host;

    build(&host, (struct fx_host){ .pointer = FX_POINTER_IN_PLACE });
    fx_poke(&host.fx, host.at.wrappers + 8, 8, 0);
    cr_assert_eq(read_wrappers(&host), RA_OK);
    cr_assert_not(host.wrappers[0].resolved);
    cr_assert(host.wrappers[1].resolved);
    end(&host);
}

/* Elf64_Rela: r_offset, r_info, r_addend. */
Test(wrappers, only_relocations_of_pointers_by_address_count)
{
    static const struct {
        size_t field;
        uint64_t plus, value;
    } rows[] = {
        { 8, 0, R_X86_64_JUMP_SLOT },                    /* another kind */
        { 8, 0, R_X86_64_IRELATIVE }, { 0, 1, 0 },       /* beside the pointer */
        { 0, (uint64_t)-4, 0 },       { 0, 1 << 20, 0 }, /* somewhere else */
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct wrapped_host host;
        uint64_t before;

        build(&host, (struct fx_host){ .pointer = FX_POINTER_RELATIVE });
        before = fx_peek(&host.fx, host.at.relocations + rows[i].field, 8);
        fx_poke(&host.fx, host.at.relocations + rows[i].field, 8,
                rows[i].value ? rows[i].value : before + rows[i].plus);
        cr_assert_eq(read_wrappers(&host), RA_OK, "row %zu", i);
        cr_assert_not(host.wrappers[0].resolved, "row %zu", i);
        cr_assert(host.wrappers[1].resolved);
        end(&host);
    }
}

Test(wrappers, a_relocation_of_no_symbol_is_told)
{
    struct wrapped_host host;

    build(&host, (struct fx_host){ .pointer = FX_POINTER_SYMBOL });
    fx_poke(&host.fx, host.at.relocations + 12, 4, 1000);
    cr_assert_eq(read_wrappers(&host), RA_E_FORMAT);
    assert_told(host.told, ELF_BAD);
    fx_poke(&host.fx, host.at.relocations + 12, 4, UINT32_MAX);
    cr_assert_eq(read_wrappers(&host), RA_E_FORMAT);
    assert_told(host.told, ELF_BAD);
    fx_free(&host.fx);
}

Test(wrappers, half_a_wrapper_at_the_end_is_none)
{
    for (size_t size = 0; size < 50; size++) {
        struct fx bytes = { 0 };
        const struct fx_extra extra = { .name = ".hipFatBinSegment",
                                        .flags = SHF_ALLOC,
                                        .content = &bytes };
        struct wrapped_host host = { 0 };

        host.told.diags.arena = &host.told.arena;
        fx_pad(&bytes, size);
        (void)fx_host(&host.fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
        cr_assert_eq(read_wrappers(&host), RA_OK);
        cr_assert_eq(host.count, size / 24);
        for (size_t i = 0; i < host.count; i++) {
            cr_assert_eq(host.wrappers[i].magic, 0);
            cr_assert_not(host.wrappers[i].resolved);
        }
        end(&host);
        fx_free(&bytes);
    }
}

Test(wrappers, more_than_anyone_has_are_a_limit_and_take_no_memory)
{
    struct fx bytes = { 0 };
    const struct fx_extra extra = { .name = ".hipFatBinSegment",
                                    .flags = SHF_ALLOC,
                                    .content = &bytes };
    struct wrapped_host host = { 0 };
    size_t used;

    host.told.diags.arena = &host.told.arena;
    fx_pad(&bytes, (size_t)24 * 65537);
    (void)fx_host(&host.fx, &(struct fx_host){ .extra = &extra, .extra_count = 1 });
    cr_assert_eq(read_wrappers(&host), RA_E_LIMIT);
    used = host.told.arena.used;
    cr_assert_lt(used, 4096);
    assert_told(host.told, LIMIT);
    fx_free(&host.fx);
    fx_free(&bytes);
}

Test(wrappers, a_full_arena_is_no_memory)
{
    struct wrapped_host host;

    build(&host, (struct fx_host){ .pointer = FX_POINTER_IN_PLACE });
    host.told.arena.limit = 16;
    cr_assert_eq(read_wrappers(&host), RA_E_NOMEM);
    end(&host);
}
