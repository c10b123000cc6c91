#include "gfx/producer.h"

#include "cuts.h"
#include "reading.h"

#include <stdio.h>

/* gABI, Elf64_Ehdr and Elf64_Shdr. */
enum { SHOFF = 40, SHENTSIZE = 58, SHNUM = 60, SHSTRNDX = 62 };
enum { S_NAME = 0, S_TYPE = 4, S_FLAGS = 8, S_OFFSET = 24, S_SIZE = 32 };
enum { LONGEST = 120 };

static struct fx_code_at build(struct fx *fx, const void *strings, size_t size)
{
    struct fx comment = { 0 };
    struct fx_code_at at;

    fx_bytes(&comment, strings, size);
    at = fx_code(fx, &(struct fx_code){ .target = "gfx90a", .comment = &comment });
    fx_free(&comment);
    return at;
}

/* Whatever the section is, the code object is whole and nothing is told; copied. */
static const char *producer_in(const struct fx *fx)
{
    static char text[4 * LONGEST];
    struct reading reading;
    const char *found;

    read_code(&reading, fx, true);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert(reading.entry.complete);
    cr_assert_eq(reading.entry.kernel_count, 1);
    found = reading.entry.code.compiler;
    if (found)
        snprintf(text, sizeof(text), "%s", found);
    assert_silent(reading.told);
    reading_end(&reading);
    return found ? text : NULL;
}

static const char *producer_of(const void *strings, size_t size)
{
    struct fx fx = { 0 };
    const char *found;

    build(&fx, strings, size);
    found = producer_in(&fx);
    fx_free(&fx);
    return found;
}

static void assert_producer(const void *strings, size_t size, const char *expected)
{
    const char *found = producer_of(strings, size);

    cr_expect_str_eq(found ? found : "nothing", expected, "%s",
                     found ? found : "nothing");
}

/* ---- what compilers write --------------------------------------------------- */

#define GIT    "https://github.com/ROCm/llvm-project.git "
#define RADEON "https://github.com/RadeonOpenCompute/llvm-project "
#define SRC                                                                              \
    "/longer_pathname_so_that_rpms_can_support_packaging_the_debug_info_for_all_os_"     \
    "profiles/src/llvm-project/llvm "
#define ROW(strings, expected) { strings, sizeof(strings), expected }

/* As found in libraries of Debian and of Python packages, in any order there is. */
static const struct {
    const char *strings;
    size_t size;
    const char *expected;
} real[] = {
    ROW("Linker: Debian LLD 15.0.7\0\0Debian clang version 15.0.5\0"
        "Debian clang version 15.0.7",
        "Debian clang 15.0.7"),
    ROW("\0Linker: Debian LLD 22.1.8\0Debian clang version 22.1.8 (1~deb12u1)",
        "Debian clang 22.1.8"),
    ROW("AMD clang version 14.0.0 (" RADEON
        "roc-5.0.0 22051 235b6880e2e515507478181ec11a20c1ec87945b)\0"
        "Linker: AMD LLD 14.0.0\0",
        "AMD clang 14.0.0 roc-5.0.0"),
    ROW("\0Linker: AMD LLD 18.0.0\0AMD clang version 18.0.0git (" RADEON
        "roc-6.3.3 25012 e5bf7e55c91490b07c49d8960fa7983d864936c4)",
        "AMD clang 18.0.0git roc-6.3.3"),
    ROW("\0AMD clang version 22.0.0git (" RADEON
        "roc-7.2.4 26084 f58b06dce1f9c15707c5f808fd002e18c2accf7e)\0"
        "Linker: AMD LLD 22.0.0 (" SRC "f58b06dce1f9c15707c5f808fd002e18c2accf7e)",
        "AMD clang 22.0.0git roc-7.2.4"),
    ROW("\0Linker: AMD LLD 23.0.0 (" GIT "46fcb339fb61119b337f973c7ca9e710a319fdd0"
        "+PATCHED:440716f8b87be9d8e20ed910e10e5b6d14d57cf6)\0"
        "AMD clang version 23.0.0git (" GIT "46fcb339fb61119b337f973c7ca9e710a319fdd0"
        "+PATCHED:440716f8b87be9d8e20ed910e10e5b6d14d57cf6)",
        "AMD clang 23.0.0git"),
    ROW("Linker: LLD 22.0.0 (https://github.com/llvm/llvm-project "
        "f6ded0be897e2878612dd903f7e8bb85448269e5)",
        "Linker: LLD 22.0.0"),
    ROW("Linker: AMD LLD 17.0.0", "Linker: AMD LLD 17.0.0"),
};

Test(producer, names_the_compiler_of_real_strings)
{
    for (size_t i = 0; i < RA_COUNT(real); i++)
        assert_producer(real[i].strings, real[i].size, real[i].expected);
}

/* ---- which of them ---------------------------------------------------------- */

static const struct {
    const char *strings;
    size_t size;
    const char *expected;
} chosen[] = {
    ROW("clang version 9.0.1\0clang version 10.0.0", "clang 10.0.0"),
    ROW("clang version 10.0.0\0clang version 9.0.1", "clang 10.0.0"),
    ROW("clang version 15.0.10\0clang version 15.0.9", "clang 15.0.10"),
    ROW("clang version 15.0\0clang version 15.0.1", "clang 15.0.1"),
    ROW("A clang version 15.0.1\0B clang version 15.0.1", "A clang 15.0.1"),
    ROW("clang version 20.0.0git\0clang version 19.9.9", "clang 20.0.0git"),
    ROW("clang version 99999999999999999999.1\0clang version 3",
        "clang "
        "99999999999999999999.1"),
    ROW("GCC: (GNU) 13.1.0\0clang version 3.0", "clang 3.0"),
    ROW("GCC: (GNU) 13.1.0", "GCC: (GNU) 13.1.0"),
    ROW("Linker: LLD 1.0\0GCC: (GNU) 13.1.0\0GCC: (GNU) 14.1.0", "GCC: (GNU) 13.1.0"),
    ROW("\0\0first\0second", "first"),
    ROW("clang version ", "clang version "),
    ROW("clang version (roc-1)", "clang version (roc-1)"),
    ROW("clang version 1.2 roc-", "clang 1.2 roc-"),
    ROW("clang version 1.2 (a roc-6.1.0)", "clang 1.2 roc-6.1.0"),
    ROW("\0\0\0", "nothing"),
    ROW("", "nothing"),
};

Test(producer, newest_clang_made_the_code)
{
    for (size_t i = 0; i < RA_COUNT(chosen); i++)
        assert_producer(chosen[i].strings, chosen[i].size, chosen[i].expected);
}

Test(producer, a_string_without_its_end_is_not_taken)
{
    static const char strings[] = "clang version 3.5\0clang version 22.1";

    assert_producer(strings, sizeof(strings) - 1, "clang 3.5");
    assert_producer(strings, 12, "nothing");
    assert_producer(strings, 0, "nothing");
}

/* ---- safe to show ----------------------------------------------------------- */

Test(producer, is_escaped_and_no_longer_than_its_limit)
{
    char strings[4000];
    const char *found;

    assert_producer("\033[31mclang version 1\n", 22, "\\x1b[31mclang 1\\x0a");
    memset(strings, 'a', sizeof(strings));
    strings[sizeof(strings) - 1] = '\0';
    found = producer_of(strings, sizeof(strings));
    cr_assert_eq(strlen(found), LONGEST);
    memset(strings, '\033', sizeof(strings) - 1);
    found = producer_of(strings, sizeof(strings));
    cr_assert_eq(strlen(found), LONGEST);
    cr_assert_eq(strncmp(found, "\\x1b\\x1b", 8), 0);
    /* A letter of two bytes across the limit. */
    memset(strings, 'a', sizeof(strings) - 1);
    memcpy(strings + LONGEST - 1, "\xc3\xa4", 2);
    found = producer_of(strings, sizeof(strings));
    cr_assert_leq(strlen(found), LONGEST);
    cr_assert_eq(strspn(found, "a"), strlen(found));
}

Test(producer, pieces_are_cut_at_the_limit_too)
{
    struct fx strings = { 0 };
    const char *found;

    for (unsigned i = 0; i < 110; i++)
        fx_u8(&strings, 'v');
    fx_text(&strings, "clang version 1.2.3.4.5.6 (roc-1.2.3)");
    fx_u8(&strings, 0);
    found = producer_of(strings.data, strings.size);
    cr_assert_eq(strlen(found), LONGEST);
    cr_assert_str_eq(found + 110, "clang 1.2.");
    fx_free(&strings);
}

Test(producer, what_lies_past_4096_bytes_is_not_looked_at)
{
    struct fx strings = { 0 };

    fx_text(&strings, "clang version 3.5");
    fx_pad(&strings, 4096 - 18);
    fx_text(&strings, "clang version 4.0");
    fx_u8(&strings, 0);
    cr_assert_eq(strings.size, 4096);
    assert_producer(strings.data, strings.size, "clang 4.0");
    fx_cut(&strings, 0);
    fx_text(&strings, "clang version 3.5");
    fx_pad(&strings, 4096 - 17);
    fx_text(&strings, "clang version 4.0");
    fx_u8(&strings, 0);
    assert_producer(strings.data, strings.size, "clang 3.5");
    fx_free(&strings);
}

/* ---- where it is not -------------------------------------------------------- */

static const char good[] = "Linker: LLD 1.0\0clang version 3.5 (x)";

Test(producer, is_not_read_where_kernels_are_only_counted)
{
    struct reading reading;
    struct fx fx = { 0 };

    build(&fx, good, sizeof(good));
    read_code(&reading, &fx, false);
    cr_assert_eq(reading.status, RA_OK);
    cr_assert_null(reading.entry.code.compiler);
    reading_end(&reading);
    cr_assert_str_eq(producer_in(&fx), "clang 3.5");
    fx_free(&fx);
}

Test(producer, nothing_where_section_headers_were_stripped)
{
    struct fx fx = { 0 }, comment = { 0 };

    fx_bytes(&comment, good, sizeof(good));
    fx_code(&fx, &(struct fx_code){ .no_sections = true, .comment = &comment });
    cr_assert_null(producer_in(&fx));
    fx_cut(&fx, 0);
    fx_code(&fx, &(struct fx_code){ .target = "gfx90a" });
    cr_assert_null(producer_in(&fx));
    fx_free(&fx);
    fx_free(&comment);
}

Test(producer, nothing_at_any_truncation)
{
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, good, sizeof(good));

    for (size_t size = at.comment; size < fx.size; size++) {
        struct fx cut = cut_of(&fx, size);

        cr_expect_null(producer_in(&cut), "%zu bytes", size);
        fx_free(&cut);
    }
    fx_free(&fx);
}

/* ---- damaged ---------------------------------------------------------------- */

static const struct {
    size_t at;
    unsigned width;
} header_fields[] = { { SHOFF, 8 }, { SHENTSIZE, 2 }, { SHNUM, 2 }, { SHSTRNDX, 2 } };

Test(producer, a_damaged_header_names_none_and_harms_nothing)
{
    static const uint64_t values[] = {
        0, 1, 2, 257, 0xffff, UINT32_MAX, UINT64_MAX - 63, UINT64_MAX
    };

    for (size_t i = 0; i < RA_COUNT(header_fields); i++)
        for (size_t j = 0; j < RA_COUNT(values); j++) {
            struct fx fx = { 0 };

            build(&fx, good, sizeof(good));
            fx_poke(&fx, header_fields[i].at, header_fields[i].width, values[j]);
            cr_expect_null(producer_in(&fx), "0x%lx at %zu", (unsigned long)values[j],
                           header_fields[i].at);
            fx_free(&fx);
        }
}

Test(producer, a_damaged_section_names_none_and_harms_nothing)
{
    static const struct {
        size_t at;
        unsigned width;
        uint64_t value;
    } pokes[] = {
        { S_OFFSET, 8, UINT64_MAX },
        { S_OFFSET, 8, (uint64_t)1 << 32 },
        { S_SIZE, 8, UINT64_MAX },
        { S_SIZE, 8, (uint64_t)1 << 32 },
        { S_SIZE, 8, 0 },
        { S_SIZE, 8, 1 },
        { S_NAME, 4, UINT32_MAX },
        { S_NAME, 4, 0 },
        { S_TYPE, 4, 8 },
        { S_FLAGS, 8, 0x32 },
        { S_FLAGS, 8, 0x20 },
    };

    for (size_t i = 0; i < RA_COUNT(pokes); i++) {
        struct fx fx = { 0 };
        struct fx_code_at at = build(&fx, good, sizeof(good));

        fx_poke(&fx, at.comment_header + pokes[i].at, pokes[i].width, pokes[i].value);
        cr_expect_null(producer_in(&fx), "poke %zu", i);
        fx_free(&fx);
    }
}

Test(producer, any_byte_of_the_headers_may_be_any_other)
{
    static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
    struct fx fx = { 0 };
    struct fx_code_at at = build(&fx, good, sizeof(good));

    for (size_t where = at.comment; where < fx.size; where++)
        for (size_t i = 0; i < RA_COUNT(values); i++) {
            uint64_t was = fx_peek(&fx, where, 1);

            fx_poke(&fx, where, 1, values[i]);
            (void)producer_in(&fx);
            fx_poke(&fx, where, 1, was);
        }
    fx_free(&fx);
}

Test(producer, no_memory_is_no_fault_of_the_file)
{
    struct ra_arena arena = { .limit = 4 };
    struct told told = TOLD_INIT(told);
    struct ra_source source;
    struct ra_image image;
    struct fx fx = { 0 };
    const char *text;

    build(&fx, good, sizeof(good));
    source = fx_source(&fx);
    cr_assert_eq(ra_image_read(&source, &told.diags, &image), RA_OK);
    cr_assert_eq(ra_producer_read(&image, &arena, &told.diags, &text), RA_E_NOMEM);
    assert_silent(told);
    ra_arena_free(&arena);
    fx_free(&fx);
}
