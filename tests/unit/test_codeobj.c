#include "gfx/codeobj.h"

#include "cuts.h"
#include "gen/files.h"
#include "gen/pack.h"
#include "gfx/target.h"
#include "oracle.h"
#include "reading.h"

#include <elf.h>
#include <stdio.h>

enum { NOTE_NAME_SIZE = 0, NOTE_SIZE = 4, NOTE_TYPE = 8 };
enum { P_OFFSET = 8, P_FILE_SIZE = 32 };

static void assert_target(const struct ra_target *target, const char *text)
{
    char spelled[RA_TARGET_TEXT];

    ra_target_spell(target, spelled);
    cr_assert_str_eq(spelled, text);
}

/* ---- what it is for ----------------------------------------------------- */

static const struct {
    unsigned version;
    const char *built, *read; /* V3 has no way to say nothing of a feature */
    unsigned generic_version;
} builds[] = {
    { 3, "gfx803", "gfx803", 0 },
    { 3, "gfx900", "gfx900:xnack+", 0 },
    { 3, "gfx900:xnack-", "gfx900:xnack-", 0 },
    { 3, "gfx90a", "gfx90a:sramecc+:xnack+", 0 },
    { 4, "gfx90a", "gfx90a", 0 },
    { 4, "gfx906:xnack-", "gfx906:xnack-", 0 },
    { 4, "gfx90a:sramecc-:xnack+", "gfx90a:sramecc-:xnack+", 0 },
    { 5, "gfx1030", "gfx1030", 0 },
    { 5, "gfx908:sramecc+", "gfx908:sramecc+", 0 },
    { 6, "gfx942", "gfx942", 0 },
    { 6, "gfx1151", "gfx1151", 0 },
    { 6, "gfx9-generic:xnack-", "gfx9-generic:xnack-", 1 },
    { 6, "gfx9-4-generic:sramecc-:xnack-", "gfx9-4-generic:sramecc-:xnack-", 1 },
    { 6, "gfx11-generic", "gfx11-generic", 1 },
    { 6, "gfx1250", "gfx1250", 0 },
};

Test(codeobj, version_and_target_are_those_that_were_built)
{
    for (size_t i = 0; i < RA_COUNT(builds); i++) {
        struct fx fx = { 0 };
        struct reading reading;
        const struct ra_code *code = &reading.entry.code;

        fx_code(&fx, &(struct fx_code){ .version = builds[i].version,
                                        .target = builds[i].built });
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s", builds[i].built);
        cr_assert_eq(reading.entry.content, RA_CONTENT_CODE_OBJECT);
        cr_assert(reading.entry.complete);
        cr_assert_eq(code->version, builds[i].version);
        cr_assert_eq(code->type, ET_DYN);
        cr_assert_eq(code->osabi, 0x40);
        cr_assert_eq(code->generic_version, builds[i].generic_version);
        cr_assert(code->has_metadata);
        assert_target(&code->target, builds[i].read);
        assert_target(&code->claimed, builds[i].version >= 4 ? builds[i].built : "");
        cr_assert_eq(reading.entry.kernel_count, 1);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- kernels: each field is what was asked for -------------------------- */

static const struct fx_kernel kernels[] = {
    { .name = "k_add", .vgprs = 3, .sgprs = 10, .kernarg = 20 },
    {
        .name = "_Z4gemmIfEvPT_",
        .vgprs = 250,
        .agprs = 128,
        .sgprs = 102,
        .vgpr_spills = 7,
        .sgpr_spills = 9,
        .lds = 65536,
        .scratch = 400,
        .kernarg = 264,
        .max_workgroup = 256,
        .required_workgroup = { 64, 4, 1 },
        .dynamic_stack = true,
        .cu_mode = true,
        .tg_split = true,
        .body = FX_BODY_STUB,
    },
};

static const struct {
    unsigned version;
    const char *target;
    bool agprs, wgp_mode, tg_split;
    unsigned wave_size;
} machines[] = {
    { 3, "gfx900", false, false, false, 64 },
    { 4, "gfx908", true, false, false, 64 },
    { 4, "gfx90a", true, false, true, 64 },
    { 6, "gfx942", true, false, true, 64 },
    { 4, "gfx1030", false, true, false, 32 },
    { 6, "gfx1030", false, true, false, 32 },
    { 5, "gfx1100", false, true, false, 32 },
    { 6, "gfx12-generic", false, true, false, 32 },
    { 6, "gfx1250", false, false, false, 32 },
};

static void assert_kernel(const struct ra_kernel *kernel, const struct fx_kernel *asked,
                          size_t i)
{
    cr_assert_eq(kernel->vgprs, asked->vgprs);
    cr_assert_eq(kernel->agprs, machines[i].agprs ? asked->agprs : 0);
    cr_assert_eq(kernel->sgprs, asked->sgprs);
    cr_assert_eq(kernel->vgpr_spills, asked->vgpr_spills);
    cr_assert_eq(kernel->sgpr_spills, asked->sgpr_spills);
    cr_assert_eq(kernel->lds, asked->lds);
    cr_assert_eq(kernel->scratch, asked->scratch);
    cr_assert_eq(kernel->kernarg, asked->kernarg);
    cr_assert_eq(kernel->max_workgroup,
                 asked->max_workgroup ? asked->max_workgroup : 1024);
    for (unsigned j = 0; j < 3; j++)
        cr_assert_eq(kernel->required_workgroup[j], asked->required_workgroup[j]);
    cr_assert_eq(kernel->wave_size, machines[i].wave_size);
    cr_assert_eq(kernel->dynamic_stack, asked->dynamic_stack);
    cr_assert_eq(kernel->wgp_mode, machines[i].wgp_mode && !asked->cu_mode);
    cr_assert_eq(kernel->tg_split, machines[i].tg_split && asked->tg_split);
    cr_assert_eq(kernel->is_stub, asked->body == FX_BODY_STUB);
    cr_assert_eq(kernel->code_size, asked->body == FX_BODY_STUB ? 4 : 12);
    cr_assert(kernel->has_descriptor);
}

Test(codeobj, every_property_of_a_kernel_is_read)
{
    for (size_t i = 0; i < RA_COUNT(machines); i++) {
        struct fx fx = { 0 };
        struct reading reading;

        fx_code(&fx, &(struct fx_code){ .version = machines[i].version,
                                        .target = machines[i].target,
                                        .kernels = kernels,
                                        .kernel_count = RA_COUNT(kernels) });
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s", machines[i].target);
        cr_assert_eq(reading.entry.kernel_count, RA_COUNT(kernels));
        for (size_t j = 0; j < RA_COUNT(kernels); j++) {
            cr_assert_str_eq(kernel_name(&reading, j), kernels[j].name);
            assert_kernel(&reading.entry.kernels[j], &kernels[j], i);
        }
        cr_assert_not(reading.entry.code.odd_descriptor, "%s", machines[i].target);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* Kernels of an object that was linked from several have a note each. */
Test(codeobj, kernels_of_all_notes_are_read)
{
    static const struct fx_kernel five[] = {
        { .name = "a" }, { .name = "b" }, { .name = "c" },
        { .name = "d" }, { .name = "e" },
    };

    for (unsigned notes = 1; notes <= 7; notes++) {
        struct fx fx = { 0 };
        struct reading reading;

        fx_code(&fx, &(struct fx_code){ .target = "gfx90a:xnack-",
                                        .kernels = five,
                                        .kernel_count = 5,
                                        .notes = notes });
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_eq(reading.entry.kernel_count, 5, "%u notes", notes);
        for (size_t i = 0; i < 5; i++)
            cr_assert_str_eq(kernel_name(&reading, i), five[i].name);
        assert_target(&reading.entry.code.claimed, "gfx90a:xnack-");
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* By llvm-readelf 22: --notes, --dyn-syms. */
static const struct {
    const char *file, *target;
    uint32_t flags;
    uint64_t kernels;
    uint32_t sgprs, wave_size, code_size;
    bool wgp_mode;
} real[] = {
    { "gfx906.co", "gfx906", 0x52f, 2, 11, 64, 60, false },
    { "gfx90a.co", "gfx90a", 0x53f, 1, 11, 64, 60, false },
    { "gfx90a-xnack-off.co", "gfx90a:xnack-", 0x63f, 1, 6, 64, 60, false },
    { "gfx942.co", "gfx942", 0x54c, 1, 14, 64, 60, false },
    { "gfx1030.co", "gfx1030", 0x36, 1, 6, 32, 64, true },
    { "gfx1100.co", "gfx1100", 0x41, 1, 8, 32, 64, true },
    { "gfx1151.co", "gfx1151", 0x4a, 1, 8, 32, 64, true },
    { "gfx11-generic.co", "gfx11-generic", 0x1000054, 1, 8, 32, 64, true },
};

Test(codeobj, what_a_compiler_wrote_is_read_as_llvm_reads_it)
{
    for (size_t i = 0; i < RA_COUNT(real); i++) {
        struct fx fx = { 0 };
        struct reading reading;
        const struct ra_kernel *kernel;

        cr_assert(fx_load("fixtures/code", real[i].file, &fx));
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s", real[i].file);
        cr_assert(reading.entry.complete && !reading.entry.code.odd_descriptor);
        cr_assert_eq(reading.entry.code.version, 6);
        cr_assert_eq(reading.entry.code.flags, real[i].flags);
        assert_target(&reading.entry.code.target, real[i].target);
        assert_target(&reading.entry.code.claimed, real[i].target);
        cr_assert_eq(reading.entry.kernel_count, real[i].kernels);
        kernel = &reading.entry.kernels[0];
        cr_assert_str_eq(kernel_name(&reading, 0), "saxpy");
        cr_assert_eq(kernel->vgprs, 3);
        cr_assert_eq(kernel->sgprs, real[i].sgprs);
        cr_assert_eq(kernel->kernarg, 20);
        cr_assert_eq(kernel->max_workgroup, 1024);
        cr_assert_eq(kernel->wave_size, real[i].wave_size);
        cr_assert_eq(kernel->wgp_mode, real[i].wgp_mode);
        cr_assert_eq(kernel->code_size, real[i].code_size);
        cr_assert(kernel->has_descriptor && !kernel->is_stub && !kernel->dynamic_stack);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- legal and rare ----------------------------------------------------- */

Test(codeobj, metadata_may_be_missing)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .no_metadata = true });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_not(reading.entry.code.has_metadata);
    cr_assert_eq(reading.entry.kernel_count, 0);
    assert_target(&reading.entry.code.target, "gfx90a");
    assert_target(&reading.entry.code.claimed, "");
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj, section_headers_may_be_missing)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .no_sections = true });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_eq(reading.entry.kernel_count, 1);
    cr_assert(reading.entry.kernels[0].has_descriptor);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* Neither can be loaded, which their headers say, so nothing else matters. */
Test(codeobj, what_no_loader_takes_is_not_looked_into)
{
    static const struct fx_code specs[] = {
        { .target = "gfx90a", .relocatable = true },
        { .target = "gfx90a", .osabi = 0x41 }, /* PAL */
        { .target = "gfx90a", .osabi = 0x42 }, /* Mesa */
    };

    for (size_t i = 0; i < RA_COUNT(specs); i++) {
        struct fx fx = { 0 };
        struct reading reading;

        fx_code(&fx, &specs[i]);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert(reading.entry.complete);
        cr_assert_eq(reading.entry.kernel_count, 0);
        cr_assert_eq(reading.entry.code.type, specs[i].relocatable ? ET_REL : ET_DYN);
        cr_assert_eq(reading.entry.code.osabi, specs[i].osabi ? specs[i].osabi : 0x40);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj, a_version_to_come_is_told_and_not_guessed_at)
{
    static const uint8_t versions[] = { 5, 9, 255 };

    for (size_t i = 0; i < RA_COUNT(versions); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
        struct reading reading;

        fx_poke(&fx, at.abi_version, 1, versions[i]);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_not(reading.entry.complete);
        cr_assert_eq(reading.entry.code.version, 0);
        assert_target(&reading.entry.code.target, "");
        assert_told(reading.told, CODE_UNKNOWN);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj, an_unknown_processor_is_told_and_its_kernels_are_read)
{
    static const uint32_t machs[] = { 0, 0x27, 0xf0, 0xff };

    for (size_t i = 0; i < RA_COUNT(machs); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx1030" });
        struct reading reading;

        fx_poke(&fx, at.flags, 4, machs[i]);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_eq(reading.entry.code.version, 6);
        assert_target(&reading.entry.code.target, "");
        cr_assert_eq(reading.entry.kernel_count, 1);
        cr_assert(reading.entry.kernels[0].has_descriptor);
        cr_assert_not(reading.entry.code.odd_descriptor, "who knows what is odd there");
        assert_told(reading.told, CODE_UNKNOWN);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj, a_claim_that_differs_from_e_flags_is_kept_beside_them)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .target = "gfx1030", .metadata = "gfx90a:xnack+" });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    assert_target(&reading.entry.code.target, "gfx1030");
    assert_target(&reading.entry.code.claimed, "gfx90a:xnack+");
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj, what_is_no_code_object_is_said_and_is_no_fault)
{
    static const struct {
        const char *bytes;
        size_t size;
        enum ra_content content;
    } rows[] = {
        { "", 0, RA_CONTENT_EMPTY },
        { "\x03\x02\x23\x07....", 8, RA_CONTENT_SPIRV },
        { "BC\xc0\xde....", 8, RA_CONTENT_BITCODE },
        { "\x7f"
          "ELF",
          4, RA_CONTENT_OTHER },
        { "CCOB\2\0\1\0", 8, RA_CONTENT_OTHER },
        { "x", 1, RA_CONTENT_OTHER },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx fx = { 0 };
        struct reading reading;

        fx_bytes(&fx, rows[i].bytes, rows[i].size);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_eq(reading.entry.content, rows[i].content, "%zu", i);
        cr_assert(reading.entry.complete);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* Bundles without alignment put code objects at odd offsets. */
Test(codeobj, one_at_an_odd_offset_is_read_like_any_other)
{
    for (size_t ahead = 1; ahead < 8; ahead++) {
        struct fx fx = { 0 };
        struct fx_code_at at;
        struct ra_source whole, part;
        struct reading reading;

        fx_pad(&fx, ahead);
        at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a",
                                             .kernels = kernels,
                                             .kernel_count = RA_COUNT(kernels) });
        fx_text(&fx, "what follows");
        whole = fx_source(&fx);
        cr_assert(ra_source_sub(&whole, at.start, at.end - at.start, &part));
        read_source(&reading, &part, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_eq(reading.entry.kernel_count, RA_COUNT(kernels));
        cr_assert(reading.entry.kernels[1].is_stub && reading.entry.kernels[1].tg_split);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- counted only ------------------------------------------------------- */

Test(codeobj, counting_sees_the_same_without_keeping_kernels)
{
    for (size_t i = 0; i < RA_COUNT(machines); i++) {
        struct fx fx = { 0 };
        struct reading full, counted;

        fx_code(&fx, &(struct fx_code){ .version = machines[i].version,
                                        .target = machines[i].target,
                                        .kernels = kernels,
                                        .kernel_count = RA_COUNT(kernels),
                                        .notes = 2 });
        read_code(&full, &fx, true);
        read_code(&counted, &fx, false);
        cr_assert_eq(counted.status, full.status);
        cr_assert_eq(counted.entry.kernel_count, full.entry.kernel_count);
        cr_assert_null(counted.entry.kernels);
        cr_assert_eq(counted.entry.complete, full.entry.complete);
        cr_assert_eq(counted.entry.code.has_metadata, full.entry.code.has_metadata);
        cr_assert_eq(counted.arena.used, 0);
        assert_silent(counted.told);
        reading_end(&full);
        reading_end(&counted);
        fx_free(&fx);
    }
}

/* ---- damage ------------------------------------------------------------- */

/* Fails with one error, told once, whether kernels are kept or counted. */
static void assert_damaged(const struct fx *fx, size_t number)
{
    for (unsigned kept = 0; kept < 2; kept++) {
        struct reading reading;

        read_code(&reading, fx, kept);
        cr_assert(reading.status == RA_E_FORMAT, "%zu: %d", number, reading.status);
        cr_assert_not(reading.entry.complete);
        cr_assert_eq(reading.told.diags.count, 1, "%zu", number);
        cr_assert_eq(reading.told.diags.errors, 1, "%zu", number);
        reading_end(&reading);
    }
}

/* Every segment is needed; only the section headers behind them are not. */
Test(codeobj, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };
    struct fx_code_at at;

    at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a:xnack-" });
    for (size_t size = 20; size < at.dynamic + 6 * 16; size = cut_next(size)) {
        struct fx cut = cut_of(&fx, size);

        assert_damaged(&cut, size);
        fx_free(&cut);
    }
    fx_free(&fx);
}

/* As many bytes of every kind as there are: none may take a sanitiser down. */
Test(codeobj, no_changed_byte_goes_unnoticed_by_a_sanitiser)
{
    static const uint8_t changes[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    struct fx fx = { 0 };

    fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .no_sections = true });
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

#define assert_poked(place, width, value, status_, code)                                 \
    do {                                                                                 \
        for (unsigned kept = 0; kept < 2; kept++) {                                      \
            struct fx fx = { 0 };                                                        \
            struct fx_code_at at =                                                       \
                fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });                   \
            struct reading reading;                                                      \
                                                                                         \
            fx_poke(&fx, at.place, width, value);                                        \
            read_code(&reading, &fx, kept);                                              \
            cr_assert_eq(reading.status, status_, #place " " #value);                    \
            cr_assert_not(reading.entry.complete);                                       \
            assert_told(reading.told, code);                                             \
            reading_end(&reading);                                                       \
            fx_free(&fx);                                                                \
        }                                                                                \
    } while (0)

static uint64_t built_note_size(void)
{
    struct fx fx = { 0 };
    struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
    uint64_t size = fx_peek(&fx, at.note + NOTE_SIZE, 4);

    fx_free(&fx);
    return size;
}

Test(codeobj, each_field_of_a_note_is_checked)
{
    uint64_t size = built_note_size();

    assert_poked(note + NOTE_NAME_SIZE, 4, UINT32_MAX, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_NAME_SIZE, 4, UINT32_MAX - 3, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_NAME_SIZE, 4, size, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_SIZE, 4, size + 4, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_SIZE, 4, UINT32_MAX, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_SIZE, 4, UINT32_MAX - 2, RA_E_FORMAT, NOTE_BAD);
    assert_poked(note + NOTE_SIZE, 4, 0, RA_E_FORMAT, METADATA_BAD);
    assert_poked(note + NOTE_SIZE, 4, 1, RA_E_FORMAT, METADATA_BAD);
    assert_poked(metadata, 1, 0xc0, RA_E_FORMAT, METADATA_BAD);
    assert_poked(metadata + 1, 2, UINT16_MAX, RA_E_FORMAT, METADATA_BAD);
    assert_poked(metadata + 1, 2, 0, RA_E_FORMAT, METADATA_BAD);
}

/* Of another vendor or type it is none of ours, and no metadata are left. */
Test(codeobj, notes_of_others_are_passed_over)
{
    static const size_t places[] = { NOTE_TYPE, 12 };

    for (size_t i = 0; i < RA_COUNT(places); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
        struct reading reading;

        fx_poke(&fx, at.note + places[i], 1, 33);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK);
        cr_assert_not(reading.entry.code.has_metadata);
        cr_assert_eq(reading.entry.kernel_count, 0);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj, segments_outside_and_too_many_are_told)
{
    assert_poked(program_headers + 56 + P_FILE_SIZE, 8, UINT64_MAX, RA_E_FORMAT,
                 CODE_BAD);
    assert_poked(program_headers + 56 + P_OFFSET, 8, UINT64_MAX, RA_E_FORMAT, CODE_BAD);
    assert_poked(start + 56, 2, RA_IMAGE_SEGMENTS + 1, RA_E_LIMIT, LIMIT);
    assert_poked(start + 54, 2, 55, RA_E_FORMAT, CODE_BAD);
}

/* ---- limits ------------------------------------------------------------- */

/* A file of zeros behind the bytes that were built. */
static enum ra_status read_padded(const struct ra_source *source, uint64_t where,
                                  size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct fx *fx = source->state;

    (void)diags;
    memset(ret, 0, count);
    for (size_t i = 0; i < count && where + i < fx->size; i++)
        ret[i] = fx->data[where + i];
    return RA_OK;
}

Test(codeobj, more_notes_than_256_mib_are_not_loaded)
{
    for (unsigned kept = 0; kept < 2; kept++) {
        struct fx fx = { 0 };
        struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
        struct ra_source source = { .size = 1ull << 40,
                                    .packed = RA_NOT_EXPANDED,
                                    .read_at = read_padded,
                                    .state = &fx };
        struct reading reading;

        fx_poke(&fx, header_of(&fx, &at, PT_NOTE) + P_FILE_SIZE, 8, (256ull << 20) + 1);
        read_source(&reading, &source, kept);
        cr_assert_eq(reading.status, RA_E_LIMIT);
        cr_assert_lt(reading.buffers.notes.room, 4096);
        assert_told(reading.told, LIMIT);
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* `count` kernels of the fewest bytes, as the only note, behind the rest of the file. */
static void append_kernels(struct fx *fx, const struct fx_code_at *at, uint32_t count)
{
    size_t header = header_of(fx, at, PT_NOTE), start = fx->size, desc;

    fx_u32(fx, 7);
    fx_u32(fx, 0);
    fx_u32(fx, 32);
    fx_bytes(fx, "AMDGPU\0\0", 8);
    desc = fx->size;
    fx->big = true;
    fx_pack_map(fx, 1);
    fx_pack_text(fx, "amdhsa.kernels");
    fx_u8(fx, 0xdd);
    fx_u32(fx, count);
    for (uint32_t i = 0; i < count; i++)
        fx_bytes(fx, "\x83\xa5.name\xa1k\xa7.symbol\xa1k\xaf.wavefront_size@", 36);
    fx->big = false;
    fx_poke(fx, start + NOTE_SIZE, 4, fx->size - desc);
    fx_align(fx, 4);
    fx_poke(fx, header + P_OFFSET, 8, start);
    fx_poke(fx, header + P_FILE_SIZE, 8, fx->size - start);
}

Test(codeobj, more_kernels_than_the_limit_are_not_kept_nor_counted)
{
    for (unsigned kept = 0; kept < 2; kept++) {
        struct fx fx = { 0 };
        struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
        struct reading reading;

        append_kernels(&fx, &at, (1u << 20) + 1);
        read_code(&reading, &fx, kept);
        cr_assert_eq(reading.status, RA_E_LIMIT);
        cr_assert_not(reading.entry.complete);
        assert_told(reading.told, LIMIT);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(codeobj, a_million_kernels_without_symbols_are_lost_but_counted)
{
    struct fx fx = { 0 };
    struct fx_code_at at = fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
    struct reading reading;

    append_kernels(&fx, &at, 1000000);
    read_code(&reading, &fx, false);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_eq(reading.entry.kernel_count, 1000000);
    assert_silent(reading.told);
    reading_end(&reading);
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    assert_told(reading.told, DESCRIPTOR_LOST);
    reading_end(&reading);
    fx_free(&fx);
}

Test(codeobj, no_memory_is_no_fault_of_the_file)
{
    struct fx fx = { 0 };
    struct reading reading = { .arena = { .limit = 16 } };
    struct ra_codeobj_sink sink = { &reading.arena, &reading.names, &reading.arena };
    struct ra_source source;

    reading.told.diags.arena = &reading.told.arena;
    reading.names.arena = &reading.arena;
    fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
    source = fx_source(&fx);
    cr_assert_eq(ra_codeobj_read(&source, &reading.buffers, &sink, &reading.told.diags,
                                 &reading.entry),
                 RA_E_NOMEM);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* Buffers are shared by all code objects of a bundle: what was in them must not leak. */
Test(codeobj, buffers_of_one_serve_the_next)
{
    struct fx large = { 0 };
    struct fx small = { 0 };
    struct ra_source source;
    struct reading reading;
    struct ra_codeobj_sink sink = { &reading.arena, &reading.names, &reading.arena };
    struct ra_entry entry = { 0 };

    fx_code(&large, &(struct fx_code){ .target = "gfx90a",
                                       .kernels = kernels,
                                       .kernel_count = RA_COUNT(kernels) });
    fx_code(&small, &(struct fx_code){ .target = "gfx1030" });
    read_code(&reading, &large, true);
    source = fx_source(&small);
    cr_assert_eq(
        ra_codeobj_read(&source, &reading.buffers, &sink, &reading.told.diags, &entry),
        RA_OK);
    cr_assert_eq(entry.kernel_count, 1);
    cr_assert_eq(reading.entry.kernel_count, RA_COUNT(kernels));
    assert_target(&entry.code.target, "gfx1030");
    assert_target(&reading.entry.code.target, "gfx90a");
    cr_assert_str_eq(reading.names.text[entry.kernels[0].name], "k_add");
    cr_assert_eq(entry.kernels[0].name, reading.entry.kernels[0].name, "kept once");
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&large);
    fx_free(&small);
}

/* ---- the oracle over whole code objects --------------------------------- */

Test(codeobj, msgpack_c_reads_the_notes_of_a_compiler_alike)
{
    for (size_t i = 0; i < RA_COUNT(real); i++) {
        struct fx fx = { 0 };
        struct oracle oracle = { 0 };
        struct fx_code_at at = { .program_headers = 64 };
        size_t note;
        struct ra_span span;

        cr_assert(fx_load("fixtures/code", real[i].file, &fx));
        note = (size_t)fx_peek(&fx, header_of(&fx, &at, PT_NOTE) + P_OFFSET, 8);
        span.data = fx.data + note + 20;
        span.size = (size_t)fx_peek(&fx, note + NOTE_SIZE, 4);
        cr_assert(oracle_agrees(&oracle, span), "%s: %s", real[i].file, oracle.why);
        cr_assert_eq(oracle.kernels, real[i].kernels);
        fx_free(&fx);
    }
}
