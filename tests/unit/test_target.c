#include "gfx/target.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#define NONE RA_SETTING_NONE
#define ANY  RA_SETTING_ANY
#define OFF  RA_SETTING_OFF
#define ON   RA_SETTING_ON

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

static bool parse(const char *text, struct ra_target *ret)
{
    return ra_target_parse(span_of(text), ret);
}

static struct ra_target parsed(const char *text)
{
    struct ra_target target;

    cr_assert(parse(text, &target), "%s is a target ID", text);
    return target;
}

static bool is_empty(const struct ra_target *target)
{
    return target->processor[0] == '\0' && target->sramecc == NONE &&
           target->xnack == NONE;
}

static void assert_same(const struct ra_target *one, const struct ra_target *other)
{
    cr_assert_str_eq(one->processor, other->processor);
    cr_assert_eq(one->sramecc, other->sramecc, "sramecc of %s", one->processor);
    cr_assert_eq(one->xnack, other->xnack, "xnack of %s", one->processor);
}

/* ---- the table -------------------------------------------------------------- */

/* AMDGPUUsage.rst, "AMDGPU EF_AMDGPU_MACH Values", and LLVM main for the newest. */
static const struct {
    unsigned mach;
    const char *name;
} machs[] = {
    { 0x20, "gfx600" },          { 0x21, "gfx601" },          { 0x22, "gfx700" },
    { 0x23, "gfx701" },          { 0x24, "gfx702" },          { 0x25, "gfx703" },
    { 0x26, "gfx704" },          { 0x28, "gfx801" },          { 0x29, "gfx802" },
    { 0x2a, "gfx803" },          { 0x2b, "gfx810" },          { 0x2c, "gfx900" },
    { 0x2d, "gfx902" },          { 0x2e, "gfx904" },          { 0x2f, "gfx906" },
    { 0x30, "gfx908" },          { 0x31, "gfx909" },          { 0x32, "gfx90c" },
    { 0x33, "gfx1010" },         { 0x34, "gfx1011" },         { 0x35, "gfx1012" },
    { 0x36, "gfx1030" },         { 0x37, "gfx1031" },         { 0x38, "gfx1032" },
    { 0x39, "gfx1033" },         { 0x3a, "gfx602" },          { 0x3b, "gfx705" },
    { 0x3c, "gfx805" },          { 0x3d, "gfx1035" },         { 0x3e, "gfx1034" },
    { 0x3f, "gfx90a" },          { 0x40, "gfx940" },          { 0x41, "gfx1100" },
    { 0x42, "gfx1013" },         { 0x43, "gfx1150" },         { 0x44, "gfx1103" },
    { 0x45, "gfx1036" },         { 0x46, "gfx1101" },         { 0x47, "gfx1102" },
    { 0x48, "gfx1200" },         { 0x49, "gfx1250" },         { 0x4a, "gfx1151" },
    { 0x4b, "gfx941" },          { 0x4c, "gfx942" },          { 0x4e, "gfx1201" },
    { 0x4f, "gfx950" },          { 0x50, "gfx1310" },         { 0x51, "gfx9-generic" },
    { 0x52, "gfx10-1-generic" }, { 0x53, "gfx10-3-generic" }, { 0x54, "gfx11-generic" },
    { 0x55, "gfx1152" },         { 0x57, "gfx1154" },         { 0x58, "gfx1153" },
    { 0x59, "gfx12-generic" },   { 0x5a, "gfx1251" },         { 0x5b, "gfx12-5-generic" },
    { 0x5c, "gfx1172" },         { 0x5d, "gfx1170" },         { 0x5e, "gfx1171" },
    { 0x5f, "gfx9-4-generic" },  { 0x62, "gfx11-7-generic" }, { 0x63, "gfx13-generic" },
};

Test(target, every_mach_value_has_the_documented_name)
{
    size_t count;

    (void)ra_processors(&count);
    cr_assert_eq(count, RA_COUNT(machs));
    for (size_t i = 0; i < RA_COUNT(machs); i++) {
        const struct ra_processor *processor = ra_processor_by_mach(machs[i].mach);

        cr_assert_not_null(processor, "0x%02x", machs[i].mach);
        cr_assert_str_eq(processor->name, machs[i].name);
        cr_assert_eq(ra_processor_by_name(machs[i].name), processor);
    }
}

/* None, the r600 family, the holes, and gfx1250-strict. */
Test(target, mach_values_without_a_processor_are_not_guessed)
{
    static const unsigned holes[] = { 0,    1,    0x10, 0x1f, 0x27, 0x4d,
                                      0x56, 0x60, 0x61, 0xeb, 0xff, 0x12c };

    for (size_t i = 0; i < RA_COUNT(holes); i++)
        cr_assert_null(ra_processor_by_mach(holes[i]), "0x%02x", holes[i]);
    cr_assert_null(ra_processor_by_name(""));
    cr_assert_null(ra_processor_by_name("gfx1250-strict"));
    cr_assert_null(ra_processor_by_name("gfx90"));
    cr_assert_null(ra_processor_by_name("gfx90a:xnack+"));
}

Test(target, names_and_mach_values_are_unique)
{
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            cr_assert_str_neq(list[i].name, list[j].name);
            cr_assert_neq(list[i].mach, list[j].mach, "%s", list[i].name);
        }
    }
}

/* Shorter names are older, and within a length ASCII puts 9 before a. */
static bool comes_before(const struct ra_processor *one, const struct ra_processor *other)
{
    size_t length = strlen(one->name), others = strlen(other->name);

    if (one->is_generic || other->is_generic)
        return !one->is_generic || other->is_generic;
    return length < others || (length == others && strcmp(one->name, other->name) < 0);
}

Test(target, the_table_goes_by_generation_and_ends_with_the_generics)
{
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 1; i < count; i++)
        cr_assert(comes_before(&list[i - 1], &list[i]), "%s", list[i].name);
}

/* AMDGPUUsage.rst, "AMDGPU Generic Processors". */
static const struct {
    const char *generic, *covers;
} generics[] = {
    { "gfx9-generic", "gfx900 gfx902 gfx904 gfx906 gfx909 gfx90c " },
    { "gfx9-4-generic", "gfx940 gfx941 gfx942 gfx950 " },
    { "gfx10-1-generic", "gfx1010 gfx1011 gfx1012 gfx1013 " },
    { "gfx10-3-generic", "gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 " },
    { "gfx11-generic", "gfx1100 gfx1101 gfx1102 gfx1103 "
                       "gfx1150 gfx1151 gfx1152 gfx1153 gfx1154 " },
    { "gfx11-7-generic", "gfx1170 gfx1171 gfx1172 " },
    { "gfx12-generic", "gfx1200 gfx1201 " },
    { "gfx12-5-generic", "gfx1250 gfx1251 " },
    { "gfx13-generic", "gfx1310 " },
};

static const char *generic_of(const char *name)
{
    char word[32];

    (void)snprintf(word, sizeof(word), "%s ", name);
    for (size_t i = 0; i < RA_COUNT(generics); i++)
        if (strstr(generics[i].covers, word))
            return generics[i].generic;
    return "";
}

Test(target, each_processor_has_the_documented_generic)
{
    size_t count, covered = 0;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        cr_assert_str_eq(list[i].generic, generic_of(list[i].name), "%s", list[i].name);
        covered += list[i].generic[0] != '\0';
    }
    cr_assert_eq(covered, 38);
}

Test(target, generics_are_marked_and_have_no_generic_themselves)
{
    size_t count, found = 0;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(list[i].is_generic, strstr(list[i].name, "generic") != NULL);
        found += list[i].is_generic;
    }
    cr_assert_eq(found, RA_COUNT(generics));
}

/* AMDGPUUsage.rst, "AMDGPU Processors", column "Target Features". */
Test(target, features_can_be_chosen_where_the_documentation_says_so)
{
    static const char xnack[] =
        "gfx801 gfx810 gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx940 "
        "gfx941 gfx942 gfx950 gfx1010 gfx1011 gfx1012 gfx1013 gfx9-generic "
        "gfx9-4-generic gfx10-1-generic ";
    static const char sramecc[] =
        "gfx906 gfx908 gfx90a gfx940 gfx941 gfx942 gfx950 gfx9-4-generic ";
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        char word[32];

        (void)snprintf(word, sizeof(word), "%s ", list[i].name);
        cr_assert_eq(list[i].xnack, strstr(xnack, word) != NULL, "%s", word);
        cr_assert_eq(list[i].sramecc, strstr(sramecc, word) != NULL, "%s", word);
    }
}

Test(target, products_and_architectures_are_those_of_the_data_sheets)
{
    static const struct {
        const char *name, *arch, *product;
        bool apu;
    } rows[] = {
        { "gfx803", "GCN 3", "Instinct MI8", false },
        { "gfx900", "GCN 5", "Instinct MI25", false },
        { "gfx906", "GCN 5", "Radeon VII", false },
        { "gfx908", "CDNA 1", "Instinct MI100", false },
        { "gfx90a", "CDNA 2", "Instinct MI210, MI250, MI250X", false },
        { "gfx90c", "GCN 5", "", true },
        { "gfx942", "CDNA 3", "MI300X", false },
        { "gfx950", "CDNA 4", "MI355X", false },
        { "gfx1030", "RDNA 2", "RX 6800 XT", false },
        { "gfx1036", "RDNA 2", "", true },
        { "gfx1100", "RDNA 3", "RX 7900 XTX", false },
        { "gfx1103", "RDNA 3", "780M", true },
        { "gfx1151", "RDNA 3.5", "Radeon 8060S", true },
        { "gfx1201", "RDNA 4", "RX 9070 XT", false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const struct ra_processor *processor = ra_processor_by_name(rows[i].name);

        cr_assert_str_eq(processor->arch, rows[i].arch, "%s", rows[i].name);
        cr_assert_not_null(strstr(processor->products, rows[i].product));
        cr_assert_eq(processor->is_apu, rows[i].apu, "%s", rows[i].name);
    }
}

/* ---- e_flags ---------------------------------------------------------------- */

/* Seen in code objects of clang 13 to 22, by llvm-readelf and the command line. */
Test(target, e_flags_stand_for_the_target_they_were_compiled_for)
{
    static const struct {
        uint32_t flags;
        unsigned version, generic;
        const char *id;
        enum ra_setting sramecc, xnack;
    } rows[] = {
        { 0x52f, 4, 0, "gfx906", ANY, ANY },
        { 0x72f, 4, 0, "gfx906:xnack+", ANY, ON },
        { 0x62f, 4, 0, "gfx906:xnack-", ANY, OFF },
        { 0xd2f, 5, 0, "gfx906:sramecc+", ON, ANY },
        { 0x92f, 5, 0, "gfx906:sramecc-", OFF, ANY },
        { 0xb2f, 6, 0, "gfx906:sramecc-:xnack+", OFF, ON },
        { 0x12f, 3, 0, "gfx906:sramecc-:xnack+", OFF, ON },
        { 0x33f, 3, 0, "gfx90a:sramecc+:xnack+", ON, ON },
        { 0x3f, 3, 0, "gfx90a:sramecc-:xnack-", OFF, OFF },
        { 0x53f, 5, 0, "gfx90a", ANY, ANY },
        { 0x73f, 5, 0, "gfx90a:xnack+", ANY, ON },
        { 0x63f, 5, 0, "gfx90a:xnack-", ANY, OFF },
        { 0x54c, 6, 0, "gfx942", ANY, ANY },
        { 0x54f, 6, 0, "gfx950", ANY, ANY },
        { 0x530, 4, 0, "gfx908", ANY, ANY },
        { 0x12c, 4, 0, "gfx900", NONE, ANY },
        { 0x12c, 3, 0, "gfx900:xnack+", NONE, ON },
        { 0x2c, 3, 0, "gfx900:xnack-", NONE, OFF },
        { 0x133, 4, 0, "gfx1010", NONE, ANY },
        { 0x128, 4, 0, "gfx801", NONE, ANY },
        { 0x36, 4, 0, "gfx1030", NONE, NONE },
        { 0x41, 5, 0, "gfx1100", NONE, NONE },
        { 0x4e, 6, 0, "gfx1201", NONE, NONE },
        { 0x2a, 4, 0, "gfx803", NONE, NONE },
        { 0x2a, 3, 0, "gfx803", NONE, NONE },
        { 0x549, 6, 0, "gfx1250", NONE, NONE },
        { 0x55a, 6, 0, "gfx1251", NONE, NONE },
        { 0x01000151, 6, 1, "gfx9-generic", NONE, ANY },
        { 0x0100055f, 6, 1, "gfx9-4-generic", ANY, ANY },
        { 0x01000a5f, 6, 1, "gfx9-4-generic:sramecc-:xnack-", OFF, OFF },
        { 0x01000152, 6, 1, "gfx10-1-generic", NONE, ANY },
        { 0x01000053, 6, 1, "gfx10-3-generic", NONE, NONE },
        { 0x01000054, 6, 1, "gfx11-generic", NONE, NONE },
        { 0x01000059, 6, 1, "gfx12-generic", NONE, NONE },
        { 0x0100055b, 6, 1, "gfx12-5-generic", NONE, NONE },
        { 0xff000054, 6, 255, "gfx11-generic", NONE, NONE },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target target;
        unsigned generic;
        char id[RA_TARGET_TEXT];

        cr_assert(
            ra_target_from_flags(rows[i].flags, rows[i].version, &target, &generic));
        ra_target_spell(&target, id);
        cr_assert_str_eq(id, rows[i].id);
        cr_assert_eq(target.sramecc, rows[i].sramecc, "0x%x", rows[i].flags);
        cr_assert_eq(target.xnack, rows[i].xnack, "0x%x", rows[i].flags);
        cr_assert_eq(generic, rows[i].generic, "0x%x", rows[i].flags);
    }
}

Test(target, only_v6_has_a_generic_version)
{
    struct ra_target target;
    unsigned generic = 99;

    cr_assert(ra_target_from_flags(0x01000054, 5, &target, &generic));
    cr_assert_eq(generic, 0);
    cr_assert_str_eq(target.processor, "gfx11-generic");
}

Test(target, a_setting_the_processor_cannot_have_is_kept_to_be_judged)
{
    struct ra_target target;
    unsigned generic;

    cr_assert(ra_target_from_flags(0x336, 4, &target, &generic));
    cr_assert_eq(target.xnack, ON);
    cr_assert(ra_target_from_flags(0x836, 4, &target, &generic));
    cr_assert_eq(target.sramecc, OFF);
    cr_assert(ra_target_from_flags(0x536, 4, &target, &generic));
    cr_assert_eq(target.sramecc, ANY);
    cr_assert_eq(target.xnack, ANY);
    cr_assert(ra_target_from_flags(0xf36, 3, &target, &generic));
    cr_assert_eq(target.sramecc, NONE);
    cr_assert_eq(target.xnack, NONE);
}

Test(target, fixed_features_say_nothing_whatever_the_bits)
{
    static const uint32_t fixed[] = { 0x49, 0x5a, 0x5b };

    for (size_t i = 0; i < RA_COUNT(fixed); i++) {
        for (uint32_t bits = 0; bits <= 0xf; bits++) {
            struct ra_target target;
            unsigned generic;

            cr_assert(ra_target_from_flags(fixed[i] | bits << 8, 6, &target, &generic));
            cr_assert_eq(target.sramecc, NONE);
            cr_assert_eq(target.xnack, NONE);
        }
    }
}

Test(target, unknown_machs_and_versions_leave_nothing_behind)
{
    static const struct {
        uint32_t flags;
        unsigned version;
    } rows[] = { { 0x27, 4 },  { 0, 4 },    { 0xffffffff, 6 },
                 { 0x53f, 0 }, { 0x3f, 2 }, { 0x53f, 7 } };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target target = { "gfx90a", ON, ON };
        unsigned generic = 7;

        cr_assert_not(
            ra_target_from_flags(rows[i].flags, rows[i].version, &target, &generic));
        cr_assert(is_empty(&target));
        cr_assert_eq(generic, 0);
    }
}

/* ---- target IDs ------------------------------------------------------------- */

Test(target, ids_are_taken_apart)
{
    static const struct {
        const char *text;
        struct ra_target target;
    } rows[] = {
        { "gfx90a", { "gfx90a", ANY, ANY } },
        { "gfx90a:xnack-", { "gfx90a", ANY, OFF } },
        { "gfx90a:sramecc+:xnack-", { "gfx90a", ON, OFF } },
        { "gfx90a:xnack-:sramecc+", { "gfx90a", ON, OFF } },
        { "gfx900:xnack+", { "gfx900", NONE, ON } },
        { "gfx1030", { "gfx1030", NONE, NONE } },
        { "gfx1030:xnack+", { "gfx1030", NONE, ON } },
        { "gfx1250", { "gfx1250", NONE, NONE } },
        { "gfx1250:sramecc-", { "gfx1250", OFF, NONE } },
        { "gfx9-4-generic:sramecc-:xnack-", { "gfx9-4-generic", OFF, OFF } },
        { "gfx9-generic", { "gfx9-generic", NONE, ANY } },
        { "gfx10-3-generic", { "gfx10-3-generic", NONE, NONE } },
        { "amdgcnspirv", { "amdgcnspirv", NONE, NONE } },
        { "gfx1250-strict", { "gfx1250-strict", ANY, ANY } },
        { "gfx9999:xnack+", { "gfx9999", ANY, ON } },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target target = parsed(rows[i].text);

        assert_same(&target, &rows[i].target);
    }
}

/* AMDGPUUsage.rst, "Code Object V2 to V3 Target ID": left out means off. */
Test(target, the_form_before_v4_states_what_is_on)
{
    static const struct {
        const char *text;
        struct ra_target target;
    } rows[] = {
        { "gfx906+sram-ecc+xnack", { "gfx906", ON, ON } },
        { "gfx906+xnack+sram-ecc", { "gfx906", ON, ON } },
        { "gfx906+xnack", { "gfx906", OFF, ON } },
        { "gfx906+sram-ecc", { "gfx906", ON, OFF } },
        { "gfx900+xnack", { "gfx900", NONE, ON } },
        { "gfx9999+xnack", { "gfx9999", ANY, ON } },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target target = parsed(rows[i].text);

        assert_same(&target, &rows[i].target);
    }
}

Test(target, what_is_no_id_is_refused_and_leaves_nothing_behind)
{
    static const char *const rows[] = {
        "",
        "g",
        "gfx",
        "gfx:xnack+",
        "GFX90A",
        "gfx90A",
        "sm_90",
        " gfx90a",
        "gfx90a ",
        "gfx90a\n",
        "gfx90a:",
        "gfx90a::",
        "gfx90a:+",
        "gfx90a:xnack",
        "gfx90a:xnack:",
        "gfx90a:xnack:sramecc+",
        "gfx90a:xnack+-",
        "gfx90a:xnack+ ",
        "gfx90a:xnack+sramecc+",
        "gfx90a:xnack+,sramecc+",
        "gfx90a:xnack+:",
        "gfx90a:xnack+:xnack-",
        "gfx90a:xnack+:xnack+",
        "gfx90a:sramecc+:xnack-:sramecc+",
        "gfx90a:sram-ecc+",
        "gfx90a:wavefrontsize64+",
        "gfx906+",
        "gfx906+sramecc",
        "gfx906+xnack+",
        "gfx906+xnack+xnack",
        "gfx906+xnack-",
        "gfx906+xnack:sramecc+",
        "gfx906:xnack++sram-ecc",
        "amdgcnspirv2",
        "gfx90\303\241",
        "gfx90a;gfx908",
        "gfx0123456789012345678901",
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target target = { "gfx90a", ON, ON };

        cr_assert_not(parse(rows[i], &target), "%s", rows[i]);
        cr_assert(is_empty(&target), "%s", rows[i]);
    }
}

Test(target, a_name_may_fill_its_room_and_no_more)
{
    static const char longest[] = "gfx01234567890123456789";
    struct ra_target target;
    char id[RA_TARGET_TEXT];

    cr_assert_eq(sizeof(longest), sizeof(target.processor));
    target = parsed("gfx01234567890123456789:sramecc-:xnack-");
    cr_assert_str_eq(target.processor, longest);
    ra_target_spell(&target, id);
    cr_assert_str_eq(id, "gfx01234567890123456789:sramecc-:xnack-");
}

Test(target, nul_bytes_do_not_end_an_id)
{
    static const char *const rows[] = { "gfx90a\0", "gfx90a:xnack+\0", "gfx\0900",
                                        "gfx90a:xnack\0" };
    static const size_t sizes[] = { 7, 14, 7, 13 };
    struct ra_target target;

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_span text = { (const uint8_t *)rows[i], sizes[i], 0 };

        cr_assert_not(ra_target_parse(text, &target), "row %zu", i);
    }
}

/* A name cut short is another name; a feature cut short is none. */
Test(target, ids_fail_cleanly_at_every_truncation)
{
    static const char id[] = "gfx90a:sramecc+:xnack-";
    static const char good[] = "....123........4......5";

    for (size_t size = 0; size < sizeof(id); size++) {
        uint8_t *bytes = malloc(size ? size : 1);
        struct ra_span text = { bytes, size, 0 };
        struct ra_target target = { "gfx90a", ON, ON };

        memcpy(bytes, id, size);
        cr_assert_eq(ra_target_parse(text, &target), good[size] != '.', "%zu", size);
        cr_assert_eq(is_empty(&target), good[size] == '.', "%zu", size);
        free(bytes);
    }
}

static void assert_round_trip(const char *name, size_t sramecc, size_t xnack)
{
    static const char *const sramecc_text[] = { "", ":sramecc-", ":sramecc+" };
    static const char *const xnack_text[] = { "", ":xnack-", ":xnack+" };
    struct ra_target target, again;
    char text[RA_TARGET_TEXT], spelled[RA_TARGET_TEXT];

    (void)snprintf(text, sizeof(text), "%s%s%s", name, sramecc_text[sramecc],
                   xnack_text[xnack]);
    target = parsed(text);
    ra_target_spell(&target, spelled);
    cr_assert_str_eq(spelled, text);
    (void)snprintf(text, sizeof(text), "%s%s%s", name, xnack_text[xnack],
                   sramecc_text[sramecc]);
    again = parsed(text);
    assert_same(&again, &target);
}

Test(target, every_processor_and_feature_survives_spelling)
{
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t features = 0; features < 9; features++)
            assert_round_trip(list[i].name, features / 3, features % 3);
}

/* ---- which code a device takes ---------------------------------------------- */

/* ROCr isa.cpp, Isa::IsCompatible. Columns: the agent has it on, off, not at all. */
Test(target, code_settings_are_accepted_as_rocr_does)
{
    static const enum ra_setting agents[] = { ON, OFF, NONE };
    static const struct {
        enum ra_setting code;
        bool accepted[3];
    } rows[] = {
        { NONE, { true, true, true } },
        { ANY, { true, true, true } },
        { ON, { true, false, false } },
        { OFF, { false, true, false } },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        for (size_t j = 0; j < RA_COUNT(agents); j++)
            cr_assert_eq(ra_setting_accepts(rows[i].code, agents[j]), rows[i].accepted[j],
                         "code %d, agent %d", (int)rows[i].code, (int)agents[j]);
}

Test(target, both_features_have_to_be_accepted)
{
    static const struct {
        const char *code, *device;
        bool accepted;
    } rows[] = {
        { "gfx90a", "gfx90a:sramecc+:xnack-", true },
        { "gfx90a:xnack-", "gfx90a:sramecc+:xnack-", true },
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", false },
        { "gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", false },
        { "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", true },
        { "gfx90a:sramecc+:xnack+", "gfx90a:sramecc+:xnack-", false },
        { "gfx906:sramecc+", "gfx906:sramecc-:xnack-", false },
        { "gfx1030", "gfx1030", true },
        { "gfx1030:xnack-", "gfx1030", false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target code = parsed(rows[i].code), device = parsed(rows[i].device);

        cr_assert_eq(ra_target_features_accept(&code, &device), rows[i].accepted,
                     "%s on %s", rows[i].code, rows[i].device);
    }
}

Test(target, hip_looks_for_the_generic_with_the_features_of_the_device)
{
    static const struct {
        const char *device, *generic;
    } rows[] = {
        { "gfx900:xnack-", "gfx9-generic:xnack-" },
        { "gfx90c:xnack+", "gfx9-generic:xnack+" },
        { "gfx942:sramecc+:xnack-", "gfx9-4-generic:sramecc+:xnack-" },
        { "gfx950:sramecc+:xnack+", "gfx9-4-generic:sramecc+:xnack+" },
        { "gfx1012:xnack-", "gfx10-1-generic:xnack-" },
        { "gfx1031", "gfx10-3-generic" },
        { "gfx1103", "gfx11-generic" },
        { "gfx1151", "gfx11-generic" },
        { "gfx1170", "gfx11-7-generic" },
        { "gfx1201", "gfx12-generic" },
        { "gfx1250", "gfx12-5-generic" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target device = parsed(rows[i].device), generic;
        char id[RA_TARGET_TEXT];

        cr_assert(ra_target_generic(&device, &generic), "%s", rows[i].device);
        ra_target_spell(&generic, id);
        cr_assert_str_eq(id, rows[i].generic);
    }
}

Test(target, some_devices_have_no_generic_to_look_for)
{
    static const char *const rows[] = {
        "gfx906:sramecc+:xnack-",
        "gfx906:sramecc-:xnack-",
        "gfx908:sramecc+:xnack-",
        "gfx90a:sramecc+:xnack-",
        "gfx803",
        "gfx9-generic:xnack-",
        "gfx1105",
        "amdgcnspirv",
        "gfx1030:xnack-",
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target device = parsed(rows[i]), generic = { "gfx90a", ON, ON };

        cr_assert_not(ra_target_generic(&device, &generic), "%s", rows[i]);
        cr_assert(is_empty(&generic));
    }
}

/* rocm-systems, shared/kpack/runtime/src/isa_target_match.h. */
Test(target, archives_are_looked_for_most_specific_first)
{
    static const struct {
        const char *device, *names[RA_TARGET_EXPANSIONS + 1];
    } rows[] = {
        { "gfx942:sramecc+:xnack-",
          { "gfx942:sramecc+:xnack-", "gfx942:sramecc+", "gfx942:xnack-", "gfx942" } },
        { "gfx9-4-generic:sramecc+:xnack+",
          { "gfx9-4-generic:sramecc+:xnack+", "gfx9-4-generic:sramecc+",
            "gfx9-4-generic:xnack+", "gfx9-4-generic" } },
        { "gfx900:xnack-", { "gfx900:xnack-", "gfx900" } },
        { "gfx90a:sramecc-", { "gfx90a:sramecc-", "gfx90a" } },
        { "gfx90a", { "gfx90a" } },
        { "gfx1100", { "gfx1100" } },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct ra_target device = parsed(rows[i].device);
        char names[RA_TARGET_EXPANSIONS][RA_TARGET_TEXT];
        size_t count = ra_target_expansions(&device, names);

        for (size_t j = 0; j < count; j++)
            cr_assert_str_eq(names[j], rows[i].names[j]);
        cr_assert_null(rows[i].names[count], "%s", rows[i].device);
    }
}

Test(target, every_processor_is_a_gpu_unless_it_is_generic)
{
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++)
        cr_assert_eq(ra_gpu_refused(list[i].name) == NULL, !list[i].is_generic, "%s",
                     list[i].name);
    cr_assert_null(ra_gpu_refused("gfx90a:sramecc+:xnack-"));
    cr_assert_null(ra_gpu_refused("gfx90a:xnack+"));
    cr_assert_null(ra_gpu_refused("gfx900:xnack-"));
}

Test(target, the_reason_a_name_is_no_gpu_is_the_right_one)
{
    static const struct {
        const char *text, *reason;
    } rows[] = {
        { "", "no target ID" },
        { "MI210", "no target ID" },
        { "gfx90a:xnack", "no target ID" },
        { "gfx9999", "this build knows" },
        { "gfx11-generic", "generic" },
        { "gfx9-4-generic:xnack-", "generic" },
        { "amdgcnspirv", "any GPU" },
        { "gfx1030:xnack-", "states xnack" },
        { "gfx900:sramecc+", "states sramecc" },
        { "gfx1250:sramecc-", "states sramecc" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const char *reason = ra_gpu_refused(rows[i].text);

        cr_assert_not_null(reason, "%s", rows[i].text);
        cr_assert_not_null(strstr(reason, rows[i].reason), "%s: %s", rows[i].text,
                           reason);
    }
}

/* ---- what the hardware has -------------------------------------------------- */

static bool has(const char *name, const char *feature)
{
    const char *const *list = ra_processor_features(name);

    cr_assert_not_null(list, "%s", name);
    for (; *list; list++)
        if (strcmp(*list, feature) == 0)
            return true;
    return false;
}

/* The CDNA and RDNA instruction set manuals, and AMDGPUUsage.rst for tgsplit. */
Test(target, features_are_those_of_the_instruction_set_manuals)
{
    static const struct {
        const char *name, *feature;
        bool has;
    } rows[] = {
        { "gfx906", "mfma", false },        { "gfx908", "mfma", true },
        { "gfx908", "mfma_f64", false },    { "gfx90a", "mfma_f64", true },
        { "gfx90a", "packed_fp32", true },  { "gfx908", "packed_fp32", false },
        { "gfx90a", "mfma_fp8", false },    { "gfx942", "mfma_fp8", true },
        { "gfx942", "mfma_xf32", true },    { "gfx950", "mfma_xf32", false },
        { "gfx950", "bitop3", true },       { "gfx942", "bitop3", false },
        { "gfx90a", "tgsplit", true },      { "gfx1100", "tgsplit", false },
        { "gfx1030", "wmma", false },       { "gfx1100", "wmma", true },
        { "gfx1100", "vopd", true },        { "gfx1030", "vopd", false },
        { "gfx1030", "bvh", true },         { "gfx1012", "bvh", false },
        { "gfx1100", "salu_float", false }, { "gfx1151", "salu_float", true },
        { "gfx1201", "wmma_fp8", true },    { "gfx1151", "wmma_fp8", false },
        { "gfx1250", "tensor_dma", true },  { "gfx1201", "tensor_dma", false },
        { "gfx900", "sdwa", true },         { "gfx1100", "sdwa", false },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_eq(has(rows[i].name, rows[i].feature), rows[i].has, "%s of %s",
                     rows[i].feature, rows[i].name);
}

Test(target, features_llvm_could_not_be_asked_for_are_not_known)
{
    static const char *const rows[] = { "gfx600",  "gfx705",  "gfx802",  "gfx805",
                                        "gfx940",  "gfx1154", "gfx1170", "gfx1310",
                                        "gfx9999", "" };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_null(ra_processor_features(rows[i]), "%s", rows[i]);
}

Test(target, each_feature_is_listed_once)
{
    size_t count, known = 0;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        const char *const *features = ra_processor_features(list[i].name);

        known += features != NULL;
        for (size_t j = 0; features && features[j]; j++)
            for (size_t k = 0; k < j; k++)
                cr_assert_str_neq(features[j], features[k], "%s", list[i].name);
    }
    cr_assert_eq(known, 42);
}

/* A generic target may use only what all its processors have, as far as is known. */
Test(target, a_generic_has_no_feature_that_one_of_its_processors_lacks)
{
    size_t count;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        const char *const *features = ra_processor_features(list[i].generic);

        if (!features || !ra_processor_features(list[i].name))
            continue;
        for (; *features; features++)
            cr_assert(has(list[i].name, *features), "%s of %s", *features, list[i].name);
    }
}
