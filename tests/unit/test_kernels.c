#include "gfx/kernels.h"

#include "reading.h"

#include <elf.h>
#include <stdio.h>
#include <time.h>

/* Rows of the dynamic section as it is built; their values stand 8 bytes further. */
enum { SYMTAB = 0, SYMENT = 16, STRTAB = 32, STRSZ = 48, HASH = 64, VALUE = 8 };

/* Symbols as they are built: none, the function, its descriptor; gABI, Elf64_Sym. */
enum { ROW = 24, FUNCTION = ROW, OBJECT = 2 * ROW };
enum { S_NAME = 0, S_INFO = 4, S_VALUE = 8, S_SIZE = 16 };

/* AMDGPUUsage, "Kernel Descriptor". */
enum { D_ENTRY = 16, D_RSRC3 = 44, D_RSRC1 = 48, D_PROPERTIES = 56 };

static struct fx_code_at build(struct fx *fx)
{
    return fx_code(fx, &(struct fx_code){ .target = "gfx90a" });
}

/* ---- good ones ------------------------------------------------------------------------
 */

Test(kernels, each_kernel_has_its_own_descriptor_and_code)
{
    static const struct fx_kernel kernels[] = {
        { .name = "code", .body = FX_BODY_CODE },
        { .name = "stub", .body = FX_BODY_STUB, .tg_split = true },
        { .name = "trap", .body = FX_BODY_TRAP, .dynamic_stack = true },
        { .name = "co", .body = FX_BODY_CODE },
    };
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){
                     .target = "gfx90a", .kernels = kernels, .kernel_count = 4 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_eq(reading.entry.kernel_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct ra_kernel *kernel = &reading.entry.kernels[i];

        cr_assert_str_eq(kernel_name(&reading, i), kernels[i].name);
        cr_assert(kernel->has_descriptor);
        cr_assert_eq(kernel->tg_split, kernels[i].tg_split);
        cr_assert_eq(kernel->dynamic_stack, kernels[i].dynamic_stack);
        cr_assert_eq(kernel->code_size, kernels[i].body == FX_BODY_CODE ? 12 : 4);
        cr_assert_eq(kernel->is_stub, kernels[i].body != FX_BODY_CODE);
    }
    cr_assert_not(reading.entry.code.odd_descriptor);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* The end and the trap are encoded in another way from gfx11 on. */
Test(kernels, stubs_are_seen_on_every_generation)
{
    static const char *const targets[] = { "gfx803",  "gfx906",  "gfx90a", "gfx942",
                                           "gfx1030", "gfx1100", "gfx1201" };
    static const struct fx_kernel kernels[] = {
        { .name = "code", .body = FX_BODY_CODE },
        { .name = "stub", .body = FX_BODY_STUB },
        { .name = "trap", .body = FX_BODY_TRAP },
    };

    for (size_t i = 0; i < RA_COUNT(targets); i++) {
        struct fx fx = { 0 };
        struct reading reading;

        fx_code(&fx, &(struct fx_code){
                         .target = targets[i], .kernels = kernels, .kernel_count = 3 });
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s", targets[i]);
        cr_assert_not(reading.entry.kernels[0].is_stub, "%s", targets[i]);
        cr_assert(reading.entry.kernels[1].is_stub, "%s", targets[i]);
        cr_assert(reading.entry.kernels[2].is_stub, "%s", targets[i]);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(kernels, nops_before_the_end_are_no_work)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx);
    struct reading reading;

    fx_poke(&fx, at.text, 4, 0xbf800000);     /* s_nop 0 */
    fx_poke(&fx, at.text + 4, 4, 0xbf800003); /* s_nop 3 */
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.kernels[0].is_stub);
    reading_end(&reading);
    /* The same, of a function said to be long: it may jump over the end. */
    fx_poke(&fx, at.dynsym + FUNCTION + S_SIZE, 8, 20);
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_not(reading.entry.kernels[0].is_stub);
    reading_end(&reading);
    fx_free(&fx);
}

/* Symbols of two kernels: null, first, first.kd, second, second.kd. */
static struct fx_code_at build_two(struct fx *fx)
{
    static const struct fx_kernel kernels[] = {
        { .name = "first", .body = FX_BODY_CODE },
        { .name = "second", .body = FX_BODY_CODE },
    };

    return fx_code(fx, &(struct fx_code){
                           .target = "gfx90a", .kernels = kernels, .kernel_count = 2 });
}

/* A kernel without one instruction runs what stands behind it; assembly states no size.
 */
Test(kernels, a_kernel_without_a_body_is_a_stub)
{
    const size_t second = 3 * ROW;
    struct fx fx = { 0 };
    struct fx_code_at at = build_two(&fx);
    struct reading reading;

    fx_poke(&fx, at.dynsym + FUNCTION + S_SIZE, 8, 0);
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_not(reading.entry.kernels[0].is_stub);
    reading_end(&reading);
    for (size_t i = 0; i < 8; i++) /* the second now starts where the first does */
        fx.data[at.dynsym + second + S_VALUE + i] =
            fx.data[at.dynsym + FUNCTION + S_VALUE + i];
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.kernels[0].is_stub);
    cr_assert_not(reading.entry.kernels[1].is_stub);
    reading_end(&reading);
    fx_free(&fx);
}

/* The last one has nothing behind it: its address is where the code ends. */
Test(kernels, a_kernel_where_the_code_ends_is_a_stub)
{
    const size_t second = 3 * ROW;
    struct fx fx = { 0 };
    struct fx_code_at at = build_two(&fx);
    struct reading reading;

    fx_poke(&fx, at.dynsym + second + S_SIZE, 8, 0);
    read_code(&reading, &fx, true);
    cr_assert_not(reading.entry.kernels[1].is_stub);
    reading_end(&reading);
    fx.data[at.dynsym + second + S_VALUE + 3]++;
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_not(reading.entry.kernels[0].is_stub);
    cr_assert(reading.entry.kernels[1].is_stub);
    reading_end(&reading);
    fx_free(&fx);
}

/* What V4 metadata cannot say stands in the descriptor alone. */
Test(kernels, descriptors_tell_what_old_metadata_cannot)
{
    static const struct fx_kernel kernels[] = {
        { .name = "wgp", .dynamic_stack = true },
        { .name = "cu", .cu_mode = true },
    };
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .version = 4,
                                    .target = "gfx1030",
                                    .kernels = kernels,
                                    .kernel_count = 2 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.kernels[0].wgp_mode);
    cr_assert(reading.entry.kernels[0].dynamic_stack);
    cr_assert_not(reading.entry.kernels[1].wgp_mode);
    cr_assert_not(reading.entry.kernels[1].dynamic_stack);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* A kernel of a template stands in the metadata of each translation unit, once linked. */
Test(kernels, one_that_is_named_twice_has_one_descriptor)
{
    static const struct fx_kernel kernels[] = {
        { .name = "a", .body = FX_BODY_CODE },
        { .name = "t", .body = FX_BODY_STUB },
        { .name = "b", .body = FX_BODY_CODE },
        { .name = "t", .body = FX_BODY_STUB, .no_descriptor = true },
    };
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx,
            &(struct fx_code){
                .target = "gfx90a", .kernels = kernels, .kernel_count = 4, .notes = 2 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK, "%s", told_detail(&reading.told));
    cr_assert_eq(reading.entry.kernel_count, 4);
    cr_assert_eq(reading.entry.kernels[1].name, reading.entry.kernels[3].name);
    for (size_t i = 0; i < 4; i++)
        cr_assert(reading.entry.kernels[i].has_descriptor);
    cr_assert(reading.entry.kernels[1].is_stub && reading.entry.kernels[3].is_stub);
    cr_assert_not(reading.entry.kernels[2].is_stub);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* ---- descriptors ----------------------------------------------------------------------
 */

static const struct {
    const char *target;
    size_t at;
    unsigned width;
    uint64_t bits;
    bool odd;
    const char *what;
} bits[] = {
    { "gfx906", D_PROPERTIES, 2, 1u << 10, true, "32 work-items" },
    { "gfx90a", D_PROPERTIES, 2, 1u << 10, true, "32 work-items" },
    { "gfx906", D_RSRC1, 4, 1u << 29, true, "work-group processor mode" },
    { "gfx942", D_RSRC1, 4, 1u << 30, true, "memory order" },
    { "gfx908", D_RSRC3, 4, 1, true, "accumulation offset" },
    { "gfx906", D_RSRC3, 4, 1u << 16, true, "threadgroup split" },
    { "gfx1030", D_PROPERTIES, 2, 1u << 10, true, "64 where the metadata say 32" },
    { "gfx90a", D_RSRC3, 4, 1u << 16, false, "threadgroup split" },
    { "gfx90a", D_PROPERTIES, 2, 1u << 11, false, "dynamic stack" },
    { "gfx1030", D_RSRC1, 4, 1u << 6, false, "SGPR blocks" },
    { "gfx1030", D_RSRC1, 4, 1u << 29, false, "CU mode" },
};

Test(kernels, a_descriptor_of_another_processor_is_odd)
{
    for (size_t i = 0; i < RA_COUNT(bits); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at =
            fx_code(&fx, &(struct fx_code){ .target = bits[i].target });
        size_t where = at.descriptors + bits[i].at;
        struct reading reading;

        fx_poke(&fx, where, bits[i].width,
                fx_peek(&fx, where, bits[i].width) ^ bits[i].bits);
        read_code(&reading, &fx, true);
        cr_assert_eq(reading.status, RA_OK, "%s: %s", bits[i].target, bits[i].what);
        cr_assert_eq(reading.entry.code.odd_descriptor, bits[i].odd, "%s: %s",
                     bits[i].target, bits[i].what);
        assert_silent(reading.told);
        reading_end(&reading);
        fx_free(&fx);
    }
}

Test(kernels, many_descriptors_are_each_read)
{
    enum { COUNT = 1000 };
    struct fx_kernel *kernels = calloc(COUNT, sizeof(*kernels));
    char (*names)[16] = calloc(COUNT, sizeof(*names));
    struct fx fx = { 0 };
    struct reading reading;

    for (size_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "k%zu", i);
        kernels[i] = (struct fx_kernel){ .name = names[i], .tg_split = i % 7 == 3 };
    }
    fx_code(&fx, &(struct fx_code){
                     .target = "gfx90a", .kernels = kernels, .kernel_count = COUNT });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_str_eq(kernel_name(&reading, i), names[i]);
        cr_assert_eq(reading.entry.kernels[i].tg_split, i % 7 == 3, "%zu", i);
    }
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
    free(names);
    free(kernels);
}

/* ---- lost
 * ------------------------------------------------------------------------------- */

#define assert_poked(place, width, value, code)                                          \
    do {                                                                                 \
        struct fx fx = { 0 };                                                            \
        struct fx_code_at at = build(&fx);                                               \
        struct reading reading;                                                          \
                                                                                         \
        fx_poke(&fx, at.place, width, value);                                            \
        read_code(&reading, &fx, true);                                                  \
        cr_assert_neq(reading.status, RA_OK, #place " " #value);                         \
        cr_assert_not(reading.entry.complete);                                           \
        cr_assert_null(reading.entry.kernels);                                           \
        assert_told(reading.told, code);                                                 \
        reading_end(&reading);                                                           \
        /* The same metadata are counted without a look at symbols. */                   \
        read_code(&reading, &fx, false);                                                 \
        cr_assert_eq(reading.status, RA_OK);                                             \
        cr_assert_eq(reading.entry.kernel_count, 1);                                     \
        reading_end(&reading);                                                           \
        fx_free(&fx);                                                                    \
    } while (0)

Test(kernels, a_symbol_that_is_not_there_loses_the_descriptor)
{
    static const struct fx_kernel kernels[] = {
        { .name = "there" },
        { .name = "gone", .no_descriptor = true },
    };
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){
                     .target = "gfx90a", .kernels = kernels, .kernel_count = 2 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    cr_assert_not(reading.entry.complete);
    assert_told(reading.told, DESCRIPTOR_LOST);
    reading_end(&reading);
    fx_free(&fx);
}

Test(kernels, a_symbol_that_points_outside_loses_the_descriptor)
{
    assert_poked(dynsym + OBJECT + S_VALUE, 8, 0, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_VALUE, 8, UINT64_MAX, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_VALUE, 8, UINT64_MAX - 63, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_VALUE, 8, 1u << 30, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_INFO, 1, 0, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_NAME, 4, 0, DESCRIPTOR_LOST);
    assert_poked(dynsym + OBJECT + S_NAME, 4, UINT32_MAX, DESCRIPTOR_LOST);
    assert_poked(dynstr + sizeof("k_add") + 1, 1, 'x', DESCRIPTOR_LOST);
}

/* Only the size of the code is not known then. */
Test(kernels, a_function_without_a_symbol_loses_nothing)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx);
    struct reading reading;

    fx_poke(&fx, at.dynstr + 1, 1, 'x');
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.complete);
    cr_assert_eq(reading.entry.kernels[0].code_size, 0);
    cr_assert_not(reading.entry.kernels[0].is_stub);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* The last byte of a segment is not the start of a descriptor. */
Test(kernels, a_descriptor_must_fit_its_segment)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx);
    size_t header = at.program_headers;
    uint64_t end;
    struct reading reading;

    while (fx_peek(&fx, header, 4) != PT_LOAD || fx_peek(&fx, header + 8, 8) != 0)
        header += 56;
    end = fx_peek(&fx, header + 16, 8) + fx_peek(&fx, header + 32, 8);
    fx_poke(&fx, at.dynsym + OBJECT + S_VALUE, 8, end - 63);
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    assert_told(reading.told, DESCRIPTOR_LOST);
    reading_end(&reading);
    fx_free(&fx);
}

Test(kernels, code_of_a_stubs_size_must_be_in_a_segment)
{
    static const uint64_t offsets[] = { UINT64_MAX, 1ull << 63, 1ull << 40 };

    for (size_t i = 0; i < RA_COUNT(offsets); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = build(&fx);
        struct reading reading;

        fx_poke(&fx, at.descriptors + D_ENTRY, 8, offsets[i]);
        /* Minus one is the byte before the descriptor, which is there. */
        read_code(&reading, &fx, true);
        if (offsets[i] == UINT64_MAX) {
            cr_assert_eq(reading.status, RA_OK);
            assert_silent(reading.told);
        } else {
            cr_assert_eq(reading.status, RA_E_FORMAT);
            assert_told(reading.told, CODE_BAD);
        }
        reading_end(&reading);
        fx_free(&fx);
    }
}

/* ---- tables
 * ------------------------------------------------------------------------------ */

Test(kernels, kernels_without_a_dynamic_segment_are_told)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .no_dynamic = true });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_FORMAT);
    assert_told(reading.told, CODE_BAD);
    reading_end(&reading);
    fx_free(&fx);
}

Test(kernels, no_kernels_need_no_dynamic_segment)
{
    struct fx fx = { 0 };
    struct reading reading;

    fx_code(&fx, &(struct fx_code){
                     .target = "gfx90a", .no_dynamic = true, .no_kernels = true });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.complete);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

Test(kernels, each_row_of_the_dynamic_section_is_checked)
{
    assert_poked(dynamic + SYMTAB, 8, DT_DEBUG, CODE_BAD);
    assert_poked(dynamic + SYMTAB, 8, DT_NULL, CODE_BAD);
    assert_poked(dynamic + SYMTAB + VALUE, 8, 0, CODE_BAD);
    assert_poked(dynamic + SYMTAB + VALUE, 8, UINT64_MAX, CODE_BAD);
    assert_poked(dynamic + STRTAB, 8, DT_DEBUG, CODE_BAD);
    assert_poked(dynamic + STRTAB + VALUE, 8, 0, CODE_BAD);
    assert_poked(dynamic + STRTAB + VALUE, 8, UINT64_MAX, CODE_BAD);
    assert_poked(dynamic + STRSZ, 8, DT_DEBUG, DESCRIPTOR_LOST);
    assert_poked(dynamic + STRSZ + VALUE, 8, 0, DESCRIPTOR_LOST);
    assert_poked(dynamic + STRSZ + VALUE, 8, 1, DESCRIPTOR_LOST);
    assert_poked(dynamic + STRSZ + VALUE, 8, 1u << 20, CODE_BAD);
    assert_poked(dynamic + STRSZ + VALUE, 8, UINT64_MAX, LIMIT);
    assert_poked(dynamic + HASH, 8, DT_DEBUG, CODE_BAD);
    assert_poked(dynamic + HASH + VALUE, 8, 0, CODE_BAD);
    assert_poked(dynamic + HASH + VALUE, 8, 1u << 30, CODE_BAD);
    assert_poked(dynamic + HASH + VALUE, 8, UINT64_MAX, CODE_BAD);
}

/* The linker writes either table or both. */
Test(kernels, either_hash_table_is_enough)
{
    static const enum fx_hash hashes[] = { FX_HASH_SYSV, FX_HASH_GNU, FX_HASH_BOTH };
    static const struct fx_kernel kernels[] = { { .name = "first" },
                                                { .name = "second" },
                                                { .name = "third" } };

    for (size_t i = 0; i < RA_COUNT(hashes); i++)
        for (unsigned version = 2; version <= 6; version++) {
            struct fx fx = { 0 };
            struct reading reading;

            fx_code(&fx, &(struct fx_code){ .version = version,
                                            .target = "gfx900",
                                            .kernels = kernels,
                                            .kernel_count = RA_COUNT(kernels),
                                            .no_sections = true,
                                            .hash = hashes[i] });
            read_code(&reading, &fx, true);
            cr_assert(reading.entry.complete, "%zu of V%u", i, version);
            for (size_t j = 0; j < RA_COUNT(kernels); j++)
                cr_assert(reading.entry.kernels[j].has_descriptor);
            assert_silent(reading.told);
            reading_end(&reading);
            fx_free(&fx);
        }
}

/* GNU hash: counts of buckets, of symbols before the first, and of words of the filter.
 */
enum { G_BUCKETS = 0, G_FIRST = 4, G_WORDS = 8, G_BUCKET = 24, G_CHAIN = 28 };

static void assert_gnu(size_t place, uint32_t value, enum ra_diag_code code)
{
    struct fx fx = { 0 };
    struct fx_code_at at =
        fx_code(&fx, &(struct fx_code){ .target = "gfx90a", .hash = FX_HASH_GNU });
    struct reading reading;

    fx_poke(&fx, at.gnu_hash + place, 4, value);
    read_code(&reading, &fx, true);
    cr_assert_str_eq(told_name(&reading.told), ra_diag_name(code), "at %zu", place);
    reading_end(&reading);
    fx_free(&fx);
}

Test(kernels, each_field_of_a_gnu_hash_table_is_checked)
{
    assert_gnu(G_BUCKETS, 0, RA_DIAG_DESCRIPTOR_LOST);
    assert_gnu(G_BUCKETS, 1u << 21, RA_DIAG_CODE_BAD);
    assert_gnu(G_BUCKETS, UINT32_MAX, RA_DIAG_LIMIT);
    assert_gnu(G_FIRST, 2, RA_DIAG_CODE_BAD); /* the chain starts before it */
    assert_gnu(G_FIRST, UINT32_MAX, RA_DIAG_LIMIT);
    assert_gnu(G_WORDS, 1u << 21, RA_DIAG_CODE_BAD);
    assert_gnu(G_WORDS, UINT32_MAX, RA_DIAG_LIMIT);
    assert_gnu(G_BUCKET, 0, RA_DIAG_DESCRIPTOR_LOST);
    assert_gnu(G_BUCKET, 1u << 20, RA_DIAG_CODE_BAD); /* no segment has so much */
    assert_gnu(G_BUCKET, UINT32_MAX, RA_DIAG_LIMIT);
    assert_gnu(G_CHAIN, 1, RA_DIAG_DESCRIPTOR_LOST); /* it ends with the function */
}

/* The number of chains is that of the symbols. */
Test(kernels, an_absurd_number_of_symbols_is_over_the_limit)
{
    assert_poked(hash + 4, 4, 0, DESCRIPTOR_LOST);
    assert_poked(hash + 4, 4, 1, DESCRIPTOR_LOST);
    assert_poked(hash + 4, 4, 2, DESCRIPTOR_LOST);
    assert_poked(hash + 4, 4, 1u << 21, CODE_BAD);
    assert_poked(hash + 4, 4, (1u << 21) + 1, LIMIT);
    assert_poked(hash + 4, 4, UINT32_MAX, LIMIT);
}

/* ---- hostile names
 * -------------------------------------------------------------------------- */

static double seconds_of(const struct fx *fx, struct reading *ret)
{
    struct timespec before, after;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    read_code(ret, fx, true);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return (double)(after.tv_sec - before.tv_sec) +
           (double)(after.tv_nsec - before.tv_nsec) / 1e9;
}

/* Each is compared with all before it, unless they are known to be the same. */
Test(kernels, one_name_60000_times_takes_no_time)
{
    enum { COUNT = 60000 };
    struct fx_kernel *kernels = calloc(COUNT, sizeof(*kernels));
    struct fx fx = { 0 };
    struct reading reading;
    double seconds;

    for (size_t i = 0; i < COUNT; i++)
        kernels[i] = (struct fx_kernel){ .name = "a_name_of_some_length_as_they_are" };
    fx_code(&fx, &(struct fx_code){
                     .target = "gfx1030", .kernels = kernels, .kernel_count = COUNT });
    seconds = seconds_of(&fx, &reading);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_eq(reading.names.count, 1);
    cr_assert_lt(seconds, 3.0, "took %g s", seconds);
    reading_end(&reading);
    fx_free(&fx);
    free(kernels);
}

/* Names that all want the same slot of a table of 1024. */
static void collide(char (*names)[16], size_t count)
{
    size_t found = 0;

    for (unsigned i = 0; found < count; i++) {
        struct ra_span span = { (uint8_t *)names[found], 0, 0 };

        span.size = (size_t)snprintf(names[found], sizeof(names[0]), "k%u", i);
        found += (ra_hash(span) & 1023) == 77;
    }
}

Test(kernels, names_made_to_collide_are_over_the_limit)
{
    enum { COUNT = 400 };
    struct fx_kernel kernels[COUNT] = { 0 };
    char names[COUNT][16];
    struct fx fx = { 0 };
    struct reading reading;

    collide(names, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        kernels[i].name = names[i];
    fx_code(&fx, &(struct fx_code){
                     .target = "gfx1030", .kernels = kernels, .kernel_count = COUNT });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_E_LIMIT);
    assert_told(reading.told, LIMIT);
    reading_end(&reading);
    fx_free(&fx);
    /* As many as any honest file has are read. */
    fx_code(&fx, &(struct fx_code){
                     .target = "gfx1030", .kernels = kernels, .kernel_count = 100 });
    read_code(&reading, &fx, true);
    cr_assert_eq(reading.status, RA_OK);
    assert_silent(reading.told);
    reading_end(&reading);
    fx_free(&fx);
}

/* ---- buffers
 * ------------------------------------------------------------------------------------ */

Test(kernels, a_buffer_is_kept_while_it_is_large_enough)
{
    struct ra_buffer buffer = { 0 };
    uint8_t *first = ra_buffer_reserve(&buffer, 100);

    cr_assert_not_null(first);
    cr_assert_eq(ra_buffer_reserve(&buffer, 10), first);
    cr_assert_eq(ra_buffer_reserve(&buffer, 100), first);
    cr_assert_not_null(ra_buffer_reserve(&buffer, 0));
    cr_assert_not_null(ra_buffer_reserve(&buffer, 1000));
    cr_assert_geq(buffer.room, 1000);
    cr_assert_null(ra_buffer_reserve(&buffer, UINT64_MAX));
    cr_assert_eq(buffer.room, 0);
    free(buffer.data);
}
