#include "gfx/codeobj.h"

#include "cuts.h"
#include "gen/code_v2.h"
#include "gen/files.h"
#include "gfx/target.h"
#include "reading.h"

#include <elf.h>
#include <stdio.h>

/* In front of each note; the name that follows is "AMD" and its NUL. */
enum { NOTE_SIZE = 4, NOTE_TYPE = 8, NOTE_HEAD = 16 };

/* Notes as they are built: the version, 8 bytes, then the ISA. */
enum { ISA = NOTE_HEAD + 8, NUMBERS = ISA + NOTE_HEAD + 4 };

/* hsa/amd_hsa_kernel_code.h, amd_kernel_code_t. */
enum { K_STEPPING = 14, K_ENTRY = 16, K_WAVE_SIZE = 103 };

static void assert_target(const struct ra_target *target, const char *text)
{
    char spelled[RA_TARGET_TEXT];

    ra_target_spell(target, spelled);
    cr_assert_str_eq(spelled, text);
}

static struct fx_code_at build(struct fx *fx, const char *target)
{
    return fx_code(fx, &(struct fx_code){ .version = 2, .target = target });
}

/* ---- what a compiler wrote ---------------------------------------------------- */

/* By llvm-readelf 14: -h, --notes, --dyn-syms, where sizes are 256 bytes more. */
static const struct {
    const char *file, *target;
    uint32_t flags, sgprs, vgprs, code_size;
} real[] = {
    { "gfx803-v2.co", "gfx803", 0x2a, 8, 4, 340 - 256 },
    { "gfx900-v2.co", "gfx900:xnack+", 0x12c, 11, 3, 320 - 256 },
};

Test(codeobj_v2, what_clang_14_wrote_is_read_as_llvm_reads_it)
{
    for (size_t i = 0; i < RA_COUNT(real); i++) {
        struct fx fx = { 0 };
        struct reading reading;
        const struct ra_kernel *kernel;

        cr_assert(fx_load("fixtures/code", real[i].file, &fx));
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s", real[i].file);
        cr_assert(reading.entry.complete && !reading.entry.code.odd_descriptor);
        cr_assert_eq(reading.entry.code.version, 2);
        cr_assert_eq(reading.entry.code.flags, real[i].flags);
        cr_assert(reading.entry.code.has_metadata);
        assert_target(&reading.entry.code.target, real[i].target);
        assert_target(&reading.entry.code.claimed, real[i].target);
        cr_assert_eq(reading.entry.kernel_count, 1);
        kernel = &reading.entry.kernels[0];
        cr_assert_str_eq(kernel_name(&reading, 0), "saxpy");
        cr_assert_eq(kernel->sgprs, real[i].sgprs);
        cr_assert_eq(kernel->vgprs, real[i].vgprs);
        cr_assert_eq(kernel->kernarg, 20);
        cr_assert_eq(kernel->max_workgroup, 1024);
        cr_assert_eq(kernel->wave_size, 64);
        cr_assert_eq(kernel->code_size, real[i].code_size);
        cr_assert(kernel->has_descriptor && !kernel->is_stub && !kernel->dynamic_stack);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- targets ------------------------------------------------------------------ */

/* AMDGPUUsage, "Code Object V2 Note Records", NT_AMD_HSA_ISA_VERSION. */
static const struct {
    unsigned major, minor, stepping;
    const char *target;
} isas[] = {
    { 6, 0, 0, "gfx600" },
    { 6, 0, 1, "gfx601" },
    { 6, 0, 2, "gfx602" },
    { 7, 0, 0, "gfx700" },
    { 7, 0, 1, "gfx701" },
    { 7, 0, 2, "gfx702" },
    { 7, 0, 3, "gfx703" },
    { 7, 0, 4, "gfx704" },
    { 7, 0, 5, "gfx705" },
    { 8, 0, 0, "gfx802" },
    { 8, 0, 1, "gfx801:xnack+" },
    { 8, 0, 2, "gfx802" },
    { 8, 0, 3, "gfx803" },
    { 8, 0, 4, "gfx803" },
    { 8, 0, 5, "gfx805" },
    { 8, 1, 0, "gfx810:xnack+" },
    { 9, 0, 0, "gfx900:xnack-" },
    { 9, 0, 1, "gfx900:xnack+" },
    { 9, 0, 2, "gfx902:xnack-" },
    { 9, 0, 3, "gfx902:xnack+" },
    { 9, 0, 4, "gfx904:xnack-" },
    { 9, 0, 5, "gfx904:xnack+" },
    { 9, 0, 6, "gfx906:sramecc-:xnack-" },
    { 9, 0, 7, "gfx906:sramecc-:xnack+" },
    { 9, 0, 12, "gfx90c:xnack-" },
    { 9, 0, 8, "" },
    { 9, 0, 13, "" },
    { 10, 3, 0, "" },
    { 9, 0, 99, "" },
    { UINT32_MAX, UINT32_MAX, UINT32_MAX, "" },
};

Test(codeobj_v2, isa_numbers_stand_for_targets)
{
    for (size_t i = 0; i < RA_COUNT(isas); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = build(&fx, "gfx803");
        struct reading reading;

        cr_assert_eq(fx_peek(&fx, at.note + ISA + NOTE_TYPE, 4), 3);
        fx_poke(&fx, at.note + NUMBERS, 4, isas[i].major);
        fx_poke(&fx, at.note + NUMBERS + 4, 4, isas[i].minor);
        fx_poke(&fx, at.note + NUMBERS + 8, 4, isas[i].stepping);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        assert_target(&reading.entry.code.target, isas[i].target);
        cr_assert_eq(reading.entry.complete, *isas[i].target != '\0');
        if (*isas[i].target)
            assert_silent(reading.told);
        else
            assert_told(reading.told, CODE_OLD);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/*
 * LLVM put MACH and 0x100 for xnack into e_flags, as in V3; the runtime's own objects
 * have none. What they say is kept beside the notes, which decide.
 */
static const struct {
    const char *built;
    uint32_t flags;
    const char *target, *claimed;
} flag_rows[] = {
    { "gfx900", 0x12c, "gfx900:xnack+", "gfx900:xnack+" },
    { "gfx900:xnack-", 0x2c, "gfx900:xnack-", "gfx900:xnack-" },
    { "gfx900:xnack-", 0x12c, "gfx900:xnack-", "gfx900:xnack+" },
    { "gfx900", 0x2c, "gfx900:xnack+", "gfx900:xnack-" },
    { "gfx906", 0x32f, "gfx906:sramecc-:xnack+", "gfx906:sramecc-:xnack+" },
    { "gfx906:xnack-", 0x22f, "gfx906:sramecc-:xnack-", "gfx906:sramecc-:xnack-" },
    { "gfx803", 0x2a, "gfx803", "gfx803" },
    { "gfx803", 0x2c, "gfx803", "gfx900:xnack-" },
    { "gfx803", 0x00, "gfx803", "" },
    { "gfx900", 0x00, "gfx900:xnack+", "" },
    { "gfx900:xnack-", 0x01, "gfx900:xnack-", "" }, /* EF_AMDGPU_FEATURE_XNACK_V2 */
};

Test(codeobj_v2, notes_decide_and_e_flags_are_kept_beside_them)
{
    for (size_t i = 0; i < RA_COUNT(flag_rows); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = build(&fx, flag_rows[i].built);
        struct reading reading;

        fx_poke(&fx, at.flags, 4, flag_rows[i].flags);
        read_code(&reading, &fx, true);
        cr_assert(reading.entry.complete, "%zu", i);
        assert_target(&reading.entry.code.target, flag_rows[i].target);
        assert_target(&reading.entry.code.claimed, flag_rows[i].claimed);
        cr_assert_not(reading.entry.code.unclear_claim);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj_v2, a_processor_that_is_not_known_is_an_unclear_claim)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, "gfx803");
    struct reading reading;

    fx_poke(&fx, at.flags, 4, 0xff);
    read_code(&reading, &fx, true);
    cr_assert(reading.entry.code.unclear_claim);
    assert_target(&reading.entry.code.target, "gfx803");
    reading_end(&reading);
    fx_free(&fx);
}

/* The note of the finalizer stands where the version was, which then is missing. */
Test(codeobj_v2, with_a_note_of_the_finalizer_e_flags_say_xnack)
{
    static const struct {
        const char *built, *target;
        uint32_t flags;
    } rows[] = {
        { "gfx900", "gfx900:xnack-", 0 },
        { "gfx900", "gfx900:xnack+", 1 },
        { "gfx900:xnack-", "gfx900:xnack+", 1 },
        { "gfx900:xnack-", "gfx900:xnack-", 2 },
        { "gfx803", "gfx803", 0 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = build(&fx, rows[i].built);
        struct reading reading;

        fx_poke(&fx, at.note + NOTE_TYPE, 4, 2); /* NT_AMD_HSA_HSAIL */
        fx_poke(&fx, at.flags, 4, rows[i].flags);
        read_code(&reading, &fx, true);
        assert_target(&reading.entry.code.target, rows[i].target);
        assert_told(reading.told, CODE_OLD);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- kernels ------------------------------------------------------------------ */

static const struct fx_kernel kernels[] = {
    { .name = "k_add", .vgprs = 3, .sgprs = 10, .kernarg = 24 },
    {
        .name = "_Z4gemmIfEvPT_",
        .vgprs = 250,
        .sgprs = 102,
        .vgpr_spills = 7,
        .sgpr_spills = 9,
        .lds = 65536,
        .scratch = 400,
        .kernarg = 264,
        .max_workgroup = 256,
        .required_workgroup = { 64, 4, 1 },
        .dynamic_stack = true,
        .body = FX_BODY_STUB,
    },
};

Test(codeobj_v2, every_property_of_a_kernel_is_read)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .version = 2,
                                    .target = "gfx900",
                                    .kernels = kernels,
                                    .kernel_count = 2 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_eq(reading.entry.kernel_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct ra_kernel *kernel = &reading.entry.kernels[i];

        cr_assert_str_eq(kernel_name(&reading, i), kernels[i].name);
        cr_assert_eq(kernel->vgprs, kernels[i].vgprs);
        cr_assert_eq(kernel->sgprs, kernels[i].sgprs);
        cr_assert_eq(kernel->vgpr_spills, kernels[i].vgpr_spills);
        cr_assert_eq(kernel->sgpr_spills, kernels[i].sgpr_spills);
        cr_assert_eq(kernel->lds, kernels[i].lds);
        cr_assert_eq(kernel->scratch, kernels[i].scratch);
        cr_assert_eq(kernel->kernarg, kernels[i].kernarg);
        cr_assert_eq(kernel->max_workgroup, i == 0 ? 1024 : 256);
        for (unsigned j = 0; j < 3; j++)
            cr_assert_eq(kernel->required_workgroup[j], kernels[i].required_workgroup[j]);
        cr_assert_eq(kernel->wave_size, 64);
        cr_assert_eq(kernel->dynamic_stack, kernels[i].dynamic_stack);
        cr_assert_eq(kernel->is_stub, kernels[i].body == FX_BODY_STUB);
        cr_assert_eq(kernel->code_size, kernels[i].body == FX_BODY_STUB ? 4 : 12);
        cr_assert(kernel->has_descriptor);
    }
    cr_assert_not(reading.entry.code.odd_descriptor);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj_v2, counting_sees_the_same_without_keeping_kernels)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .version = 2,
                                    .target = "gfx803",
                                    .kernels = kernels,
                                    .kernel_count = 2 });
    read_code(&reading, &fx, false);
    cr_assert(reading.entry.complete);
    cr_assert_eq(reading.entry.kernel_count, 2);
    cr_assert_null(reading.entry.kernels);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj_v2, neither_sections_nor_an_even_offset_are_needed)
{
    static const size_t offsets[] = { 0, 1, 3, 4095 };

    for (size_t i = 0; i < RA_COUNT(offsets); i++) {
        struct fx fx = { 0 };
        struct ra_source whole, source;
        struct reading reading;

        fx_pad(&fx, offsets[i]);
        fx_code(&fx, &(struct fx_code){
                         .version = 2, .target = "gfx803", .no_sections = true });
        whole = fx_source(&fx);
        source = ra_source_from(&whole, offsets[i]);
        read_source(&reading, &source, true);
        cr_assert(reading.entry.complete, "%zu", offsets[i]);
        cr_assert(reading.entry.kernels[0].has_descriptor);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- damage ------------------------------------------------------------------- */

static struct reading poked(const char *target, size_t place, unsigned size,
                            uint64_t value)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, target);
    struct reading reading;

    fx_poke(&fx, at.descriptors + place, size, value);
    read_code(&reading, &fx, true);
    fx_free(&fx);
    return reading;
}

Test(codeobj_v2, what_stands_before_a_kernel_has_to_fit_the_notes)
{
    struct reading reading = poked("gfx803", K_STEPPING, 2, 5);

    cr_assert(reading.entry.complete && reading.entry.code.odd_descriptor);
    reading_end(&reading);
    reading = poked("gfx803", K_WAVE_SIZE, 1, 5);
    cr_assert(reading.entry.code.odd_descriptor);
    reading_end(&reading);
    reading = poked("gfx803", K_WAVE_SIZE, 1, 64);
    cr_assert(reading.entry.code.odd_descriptor);
    reading_end(&reading);
    /* The notes of an xnack object say 901, and this says 900. */
    reading = poked("gfx900", K_STEPPING, 2, 0);
    cr_assert_not(reading.entry.code.odd_descriptor);
    reading_end(&reading);
}

Test(codeobj_v2, a_kernel_whose_code_is_elsewhere_has_no_known_size)
{
    static const uint64_t entries[] = { 268 /* its end is there */, UINT64_MAX,
                                        1u << 30 };

    for (size_t i = 0; i < RA_COUNT(entries); i++) {
        struct reading reading = poked("gfx803", K_ENTRY, 8, entries[i]);

        cr_assert_eq(reading.status, RA_OK);
        cr_assert_eq(reading.entry.kernels[0].code_size, 0);
        cr_assert_eq(reading.entry.kernels[0].is_stub, i == 0);
        reading_end(&reading);
    }
}

Test(codeobj_v2, a_kernel_without_its_symbol_is_lost)
{
    static const struct fx_kernel lost = { .name = "k_add", .no_descriptor = true };
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx,
            &(struct fx_code){
                .version = 2, .target = "gfx803", .kernels = &lost, .kernel_count = 1 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    cr_assert_not(reading.entry.complete);
    assert_told(reading.told, DESCRIPTOR_LOST);
    reading_end(&reading);
    fx_free(&fx);
}

/* A symbol of another type is none of a kernel. */
Test(codeobj_v2, only_symbols_of_type_10_are_kernels)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, "gfx803");
    struct reading reading;

    fx_poke(&fx, at.dynsym + sizeof(Elf64_Sym) + 4, 1, STB_GLOBAL << 4 | STT_FUNC);
    read_code(&reading, &fx, true);
    assert_told(reading.told, DESCRIPTOR_LOST);
    reading_end(&reading);
    fx_free(&fx);
}

static void assert_noted(size_t place, unsigned size, uint64_t value, bool no_metadata)
{
    struct fx fx = { 0 };
    struct fx_code_at at =
        fx_code(&fx, &(struct fx_code){
                         .version = 2, .target = "gfx803", .no_metadata = no_metadata });
    struct reading reading;

    if (size)
        fx_poke(&fx, at.note + place, size, value);
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_not(reading.entry.complete);
    assert_told(reading.told, CODE_OLD);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj_v2, what_the_notes_do_not_say_is_told)
{
    assert_noted(0, 0, 0, true);                   /* which kernels there are */
    assert_noted(NOTE_TYPE, 4, 9, false);          /* the version */
    assert_noted(NOTE_HEAD, 4, 1, false);          /* that it is 2 */
    assert_noted(ISA + NOTE_TYPE, 4, 9, false);    /* for what it is */
    assert_noted(ISA + NOTE_HEAD, 2, 5, false);    /* a vendor "AMD" */
    assert_noted(NUMBERS + 12 + 4, 1, 'X', false); /* an architecture "AMDGPU" */
}

Test(codeobj_v2, yaml_that_is_none_is_told)
{
    struct fx fx = { 0 };
    struct reading reading;
    uint8_t *version;

    build(&fx, "gfx803");
    version = memmem(fx.data, fx.size, "Version:", 8);
    cr_assert_not_null(version);
    version[0] = '\t';
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    cr_assert_not(reading.entry.complete);
    assert_told(reading.told, METADATA_BAD);
    assert_target(&reading.entry.code.target, "gfx803");
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj_v2, no_changed_byte_goes_unnoticed_by_a_sanitiser)
{
    static const uint8_t changes[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    struct fx fx = { 0 };

    fx_code(&fx,
            &(struct fx_code){ .version = 2, .target = "gfx900", .no_sections = true });
    for (size_t i = 0; i < fx.size; i++)
        for (size_t j = 0; j < RA_COUNT(changes); j++) {
            uint8_t was = fx.data[i];
            struct reading reading;

            fx.data[i] = changes[j];
            read_code(&reading, &fx, true);
            cr_assert_eq(reading.told.diags.errors, reading.status != RA_OK, "%zu", i);
            reading_end(&reading);
            fx.data[i] = was;
        }
    fx_free(&fx);
}

Test(codeobj_v2, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, "gfx900");

    for (size_t size = 64; size < at.dynamic; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);
        struct reading reading;

        read_code(&reading, &cut, true);
        cr_assert_not(reading.entry.complete, "%zu", size);
        cr_assert_gt(reading.told.diags.count, 0);
        reading_end(&reading);
        fx_free(&cut);
    }
    fx_free(&fx);
}
