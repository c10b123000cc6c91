#include "gfx/descriptor.h"

#include "gen/code.h"

#include <criterion/criterion.h>

static struct ra_span span_of(const void *bytes, size_t size)
{
    return (struct ra_span){ bytes, size, 0 };
}

/* AMDGPUUsage, "Kernel Descriptor": offset and width of each field. */
Test(descriptor, each_field_comes_from_its_place)
{
    struct fx fx = { 0 };
    struct ra_descriptor descriptor;

    for (unsigned i = 0; i < RA_DESCRIPTOR_SIZE; i++)
        fx_u8(&fx, (uint8_t)(0x80 + i));
    descriptor = ra_descriptor_read(fx_span(&fx));
    cr_assert_eq(descriptor.lds, 0x83828180);
    cr_assert_eq(descriptor.scratch, 0x87868584);
    cr_assert_eq(descriptor.kernarg, 0x8b8a8988);
    cr_assert_eq((uint64_t)descriptor.entry, 0x9796959493929190);
    cr_assert_eq(descriptor.rsrc3, 0xafaeadac);
    cr_assert_eq(descriptor.rsrc1, 0xb3b2b1b0);
    cr_assert_eq(descriptor.rsrc2, 0xb7b6b5b4);
    cr_assert_eq(descriptor.properties, 0xb9b8);
    fx_free(&fx);
}

/* What clang wrote for a trivial kernel: rsrc1 and kernel_code_properties. */
static const struct {
    const char *processor;
    uint32_t rsrc1;
    unsigned properties;
    unsigned wave_size;
    bool wgp_mode;
} seen[] = {
    { "gfx803", 0x00ac0000, 0x009, 64, false },
    { "gfx906", 0x00af0040, 0x009, 64, false },
    { "gfx90a", 0x00af0040, 0x009, 64, false },
    { "gfx942", 0x00af0040, 0x008, 64, false },
    { "gfx1030", 0xe0af0000, 0x409, 32, true },
    { "gfx1030", 0xe0af0000, 0x009, 64, true },  /* -mwavefrontsize64 */
    { "gfx1030", 0xc0af0000, 0x409, 32, false }, /* -mcumode */
    { "gfx1100", 0xe0af0000, 0x408, 32, true },
    { "gfx1201", 0xe00f0000, 0x408, 32, true },
    { "gfx1250", 0xc00f0000, 0x408, 32, false },
    { "gfx1250", 0xe00f0000, 0x408, 32, false }, /* bit 29 is another one there */
    { "gfx11-generic", 0xe0af0000, 0x408, 32, true },
    { "gfx12-5-generic", 0xe00f0000, 0x408, 32, false },
};

Test(descriptor, what_compilers_write_fits_its_processor)
{
    for (size_t i = 0; i < RA_COUNT(seen); i++) {
        const char *processor = seen[i].processor;
        struct ra_descriptor descriptor = { .rsrc1 = seen[i].rsrc1,
                                            .properties = seen[i].properties };

        cr_assert_not(ra_descriptor_is_odd(&descriptor, processor), "%s", processor);
        cr_assert_eq(ra_descriptor_wave_size(&descriptor), seen[i].wave_size, "%s",
                     processor);
        cr_assert_eq(ra_descriptor_wgp_mode(&descriptor, processor), seen[i].wgp_mode,
                     "%s", processor);
        cr_assert_not(ra_descriptor_dynamic_stack(&descriptor), "%s", processor);
    }
}

Test(descriptor, bit_11_of_the_properties_is_the_dynamic_stack)
{
    struct ra_descriptor descriptor = { .properties = 1u << 11 };

    cr_assert(ra_descriptor_dynamic_stack(&descriptor));
    descriptor.properties = (uint16_t)~(1u << 11);
    cr_assert_not(ra_descriptor_dynamic_stack(&descriptor));
}

/* rsrc3 bit 16, on gfx90a and gfx94x and gfx950 only. */
Test(descriptor, threadgroup_split_is_a_matter_of_the_mi200_and_its_heirs)
{
    static const char *const have[] = { "gfx90a", "gfx940", "gfx941",
                                        "gfx942", "gfx950", "gfx9-4-generic" };
    static const char *const lack[] = { "gfx900",  "gfx906",        "gfx908",  "gfx90c",
                                        "gfx1030", "gfx11-generic", "gfx1250", "" };
    struct ra_descriptor split = { .rsrc3 = 1u << 16 }, not_split = { .rsrc3 = 0x2003f };

    for (size_t i = 0; i < RA_COUNT(have); i++) {
        cr_assert(ra_descriptor_tg_split(&split, have[i]), "%s", have[i]);
        cr_assert_not(ra_descriptor_tg_split(&not_split, have[i]), "%s", have[i]);
        cr_assert_not(ra_descriptor_is_odd(&split, have[i]), "%s", have[i]);
    }
    for (size_t i = 0; i < RA_COUNT(lack); i++)
        cr_assert_not(ra_descriptor_tg_split(&split, lack[i]), "%s", lack[i]);
}

Test(descriptor, bits_of_later_processors_are_odd_on_gfx9)
{
    static const char *const old[] = { "gfx803", "gfx900", "gfx906",      "gfx908",
                                       "gfx90a", "gfx942", "gfx9-generic" };
    static const struct ra_descriptor odd[] = {
        { .properties = 1u << 10 }, /* 32 work-items */
        { .rsrc1 = 1u << 29 },      /* WGP_MODE */
        { .rsrc1 = 1u << 30 },      /* MEM_ORDERED */
        { .rsrc1 = 1u << 31 },      /* FWD_PROGRESS */
    };

    for (size_t i = 0; i < RA_COUNT(old); i++)
        for (size_t j = 0; j < RA_COUNT(odd); j++) {
            cr_assert(ra_descriptor_is_odd(&odd[j], old[i]), "%s, %zu", old[i], j);
            cr_assert_not(ra_descriptor_is_odd(&odd[j], "gfx1030"), "%zu", j);
        }
}

Test(descriptor, rsrc3_is_odd_where_there_is_none)
{
    struct ra_descriptor descriptor = { .rsrc3 = 3 };

    cr_assert(ra_descriptor_is_odd(&descriptor, "gfx803"));
    cr_assert(ra_descriptor_is_odd(&descriptor, "gfx906"));
    cr_assert(ra_descriptor_is_odd(&descriptor, "gfx908"));
    cr_assert_not(ra_descriptor_is_odd(&descriptor, "gfx90a"));
    cr_assert_not(ra_descriptor_is_odd(&descriptor, "gfx1100"));
}

/* Compilers before LLVM 12 wrote SGPR blocks for gfx10 too. */
Test(descriptor, sgpr_blocks_are_not_odd_on_gfx10)
{
    struct ra_descriptor descriptor = { .rsrc1 = 0xe0af0000 | 0xf << 6,
                                        .properties = 0x409 };

    cr_assert_not(ra_descriptor_is_odd(&descriptor, "gfx1010"));
}

Test(descriptor, the_generation_is_what_stands_before_minor_and_stepping)
{
    static const struct {
        const char *processor;
        unsigned generation;
    } rows[] = {
        { "gfx600", 6 },
        { "gfx705", 7 },
        { "gfx803", 8 },
        { "gfx810", 8 },
        { "gfx900", 9 },
        { "gfx906", 9 },
        { "gfx90a", 9 },
        { "gfx90c", 9 },
        { "gfx942", 9 },
        { "gfx950", 9 },
        { "gfx1010", 10 },
        { "gfx1036", 10 },
        { "gfx1100", 11 },
        { "gfx1153", 11 },
        { "gfx1201", 12 },
        { "gfx1250", 12 },
        { "gfx1310", 13 },
        { "gfx9-generic", 9 },
        { "gfx9-4-generic", 9 },
        { "gfx10-1-generic", 10 },
        { "gfx10-3-generic", 10 },
        { "gfx11-generic", 11 },
        { "gfx11-7-generic", 11 },
        { "gfx12-generic", 12 },
        { "gfx12-5-generic", 12 },
        { "gfx13-generic", 13 },
        { "", 0 },
        { "gfx", 0 },
        { "sm_80", 0 },
        { "amdgcnspirv", 0 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_eq(ra_generation(rows[i].processor), rows[i].generation, "%s is %u",
                     rows[i].processor, ra_generation(rows[i].processor));
}

/* ---- stubs -------------------------------------------------------------- */

/* As llvm-mc 22 assembles them. */
enum {
    NOP = 0xbf800000,
    ENDPGM_9 = 0xbf810000,
    TRAP_9 = 0xbf920002,
    ENDPGM_11 = 0xbfb00000,
    TRAP_11 = 0xbf900002,
    DEALLOC_11 = 0xbfb60003, /* s_sendmsg(MSG_DEALLOC_VGPRS) */
    MOVE = 0x7e000280,       /* v_mov_b32 v0, 0 */
};

static const struct {
    const char *what, *processor;
    uint32_t code[8];
    uint64_t size;
    bool is_stub;
} bodies[] = {
    { "the end", "gfx906", { ENDPGM_9 }, 4, true },
    { "the end", "gfx90a", { ENDPGM_9 }, 4, true },
    { "the end", "gfx1030", { ENDPGM_9 }, 4, true },
    { "the end", "gfx1100", { ENDPGM_11 }, 4, true },
    { "the end", "gfx12-generic", { ENDPGM_11 }, 4, true },
    { "a trap", "gfx90a", { TRAP_9 }, 4, true },
    { "a trap", "gfx1030", { TRAP_9, ENDPGM_9 }, 8, true },
    { "a trap", "gfx1100", { TRAP_11 }, 4, true },
    { "nops before the end", "gfx90a", { NOP, NOP | 7, ENDPGM_9 }, 12, true },
    { "nops before the end", "gfx1201", { NOP, ENDPGM_11 }, 8, true },
    { "nops before a trap", "gfx906", { NOP, TRAP_9 }, 8, true },
    { "registers given back", "gfx1100", { NOP, DEALLOC_11, ENDPGM_11 }, 12, true },
    { "a move", "gfx90a", { MOVE, ENDPGM_9 }, 8, false },
    { "a move", "gfx1100", { MOVE, ENDPGM_11 }, 8, false },
    { "a move behind nops", "gfx1100", { NOP, MOVE, ENDPGM_11 }, 12, false },
    { "nops only", "gfx90a", { NOP, NOP }, 8, false },
    { "the end of another generation", "gfx1100", { ENDPGM_9 }, 4, false },
    { "the end of another generation", "gfx90a", { ENDPGM_11 }, 4, false },
    { "no code", "gfx90a", { ENDPGM_9 }, 0, false },
    { "half an instruction", "gfx90a", { ENDPGM_9 }, 3, false },
    { "four instructions", "gfx90a", { NOP, NOP, NOP, ENDPGM_9 }, 16, true },
    { "long code", "gfx90a", { NOP, NOP, NOP, NOP, ENDPGM_9 }, 20, false },
    { "long code that ends at once", "gfx90a", { ENDPGM_9 }, 20, false },
};

Test(descriptor, a_stub_ends_or_traps_before_it_did_anything)
{
    for (size_t i = 0; i < RA_COUNT(bodies); i++) {
        uint64_t size = bodies[i].size;
        struct fx fx = { 0 };

        for (size_t j = 0; j < RA_COUNT(bodies[i].code); j++)
            fx_u32(&fx, bodies[i].code[j]);
        cr_assert_eq(
            ra_code_is_stub(span_of(fx.data, (size_t)size), size, bodies[i].processor),
            bodies[i].is_stub, "%s on %s", bodies[i].what, bodies[i].processor);
        fx_free(&fx);
    }
}
