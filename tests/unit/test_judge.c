#include "facts.h"

#include "gfx/target.h"

#include <criterion/criterion.h>
#include <stdio.h>

static enum ra_verdict_kind judged(struct ra_bundle bundle, const char *device)
{
    struct ra_target target = facts_target(device);

    return ra_judge_bundle(&bundle, &target, &facts_rocm).kind;
}

static void assert_judged(struct ra_bundle bundle, const char *device,
                          enum ra_verdict_kind expected)
{
    enum ra_verdict_kind kind = judged(bundle, device);

    cr_assert_eq(kind, expected, "%s of %s on %s is %s, not %s", bundle.container,
                 bundle.entries[bundle.entry_count - 1].id, device, ra_verdict_name(kind),
                 ra_verdict_name(expected));
}

/* A plain bundle of one entry beside the host's. */
static struct ra_bundle one(struct ra_entry entry)
{
    const struct ra_entry entries[] = { facts_host(), entry };

    return facts_bundle("plain", entries, 2);
}

static struct ra_bundle two(const char *container, struct ra_entry first,
                            struct ra_entry second)
{
    const struct ra_entry entries[] = { facts_host(), first, second };

    return facts_bundle(container, entries, 3);
}

/* ---- features ------------------------------------------------------------------ */

/* IsCompatible() of ROCr, isa.cpp: what code states against what the agent has. */
static const struct {
    const char *code;
    bool on, off; /* whether it runs where the feature is on, and where it is off */
} feature_rows[] = { { "", true, true }, { "+", true, false }, { "-", false, true } };

/* "gfx90a:sramecc+:xnack-" of a sign each; an empty sign states nothing. */
static const char *spell(const char *processor, const char *sramecc, const char *xnack)
{
    static char texts[2][64];
    static unsigned turn;
    char *text = texts[turn++ % 2];

    snprintf(text, sizeof(texts[0]), "%s%s%s%s%s", processor, *sramecc ? ":sramecc" : "",
             sramecc, *xnack ? ":xnack" : "", xnack);
    return text;
}

Test(judge, a_label_fits_if_every_feature_it_states_is_that_of_the_device,
     .fini = facts_forget)
{
    static const char *const processors[] = { "gfx906", "gfx908", "gfx90a", "gfx942",
                                              "gfx950" };

    for (size_t p = 0; p < RA_COUNT(processors); p++)
        for (size_t i = 0; i < 9; i++)
            for (unsigned device = 0; device < 4; device++) {
                bool sramecc = device & 1, xnack = device & 2;
                bool fits =
                    (sramecc ? feature_rows[i / 3].on : feature_rows[i / 3].off) &&
                    (xnack ? feature_rows[i % 3].on : feature_rows[i % 3].off);
                const char *code = spell(processors[p], feature_rows[i / 3].code,
                                         feature_rows[i % 3].code);
                const char *agent =
                    spell(processors[p], sramecc ? "+" : "-", xnack ? "+" : "-");

                assert_judged(facts_for(code), agent,
                              fits ? RA_NATIVE : RA_FEATURE_MISMATCH);
                assert_judged(facts_raw(code), agent,
                              fits ? RA_NATIVE : RA_FEATURE_MISMATCH);
            }
}

Test(judge, e_flags_that_fix_a_feature_the_label_leaves_open_are_refused,
     .fini = facts_forget)
{
    assert_judged(one(facts_entry("gfx90a", "gfx90a:xnack+")), "gfx90a:sramecc+:xnack-",
                  RA_UNLOADABLE);
    assert_judged(one(facts_entry("gfx90a", "gfx90a:xnack+")), "gfx90a:sramecc+:xnack+",
                  RA_NATIVE);
    assert_judged(one(facts_entry("gfx906", "gfx906:sramecc-")), "gfx906:sramecc+:xnack-",
                  RA_UNLOADABLE);
    assert_judged(one(facts_entry("gfx906", "gfx906:sramecc-")), "gfx906:sramecc-:xnack-",
                  RA_NATIVE);
}

Test(judge, features_the_processor_does_not_have_are_never_served, .fini = facts_forget)
{
    cr_assert_gt(judged(facts_for("gfx1030:xnack+"), "gfx1030"), RA_UNDECIDED);
    cr_assert_gt(judged(facts_raw("gfx1030:xnack+"), "gfx1030"), RA_UNDECIDED);
    cr_assert_gt(judged(facts_raw("gfx1030:xnack-"), "gfx1030"), RA_UNDECIDED);
    assert_judged(one(facts_entry("gfx1030", "gfx1030:xnack+")), "gfx1030",
                  RA_UNLOADABLE);
}

/* V3 has one bit a feature: clear is "-", and nothing is "any". */
Test(judge, objects_before_v4_have_no_any, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx906");
    unsigned generic;

    entry.code.version = 3;
    entry.code.claimed = (struct ra_target){ 0 };
    cr_assert(ra_target_from_flags(0x02f, 3, &entry.code.target, &generic));
    assert_judged(one(entry), "gfx906:sramecc-:xnack-", RA_NATIVE);
    assert_judged(one(entry), "gfx906:sramecc+:xnack-", RA_UNLOADABLE);
    assert_judged(one(entry), "gfx906:sramecc-:xnack+", RA_UNLOADABLE);
    cr_assert(ra_target_from_flags(0x32f, 3, &entry.code.target, &generic));
    assert_judged(one(entry), "gfx906:sramecc+:xnack+", RA_NATIVE);
    assert_judged(one(entry), "gfx906:sramecc+:xnack-", RA_UNLOADABLE);
}

Test(judge, gfx1250_code_with_the_xnack_flag_on_is_plain_gfx1250, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx1250");
    static const uint32_t flags[] = { 0x049, 0x149, 0x549, 0x749 };
    unsigned generic;

    for (size_t i = 0; i < RA_COUNT(flags); i++) {
        struct ra_bundle raw;

        cr_assert(ra_target_from_flags(flags[i], 6, &entry.code.target, &generic));
        assert_judged(one(entry), "gfx1250", RA_NATIVE);
        raw = facts_bundle("raw", &entry, 1);
        assert_judged(raw, "gfx1250", RA_NATIVE);
    }
}

/* ---- processors ---------------------------------------------------------------- */

/* A device of the processor, its features off. */
static const char *device_of(const struct ra_processor *processor)
{
    return spell(processor->name, processor->sramecc ? "-" : "",
                 processor->xnack ? "-" : "");
}

Test(judge, code_never_runs_on_another_processor, .fini = facts_forget)
{
    size_t count, pairs = 0;
    const struct ra_processor *list = ra_processors(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            if (list[i].is_generic || list[j].is_generic ||
                ra_rocm_lacks(&facts_rocm, list[i].name))
                continue;
            assert_judged(facts_for(list[i].name), device_of(&list[j]),
                          i == j ? RA_NATIVE : RA_MISSING);
            assert_judged(facts_raw(list[i].name), device_of(&list[j]),
                          i == j ? RA_NATIVE : RA_MISSING);
            pairs += i != j;
        }
    cr_assert_gt(pairs, 2000);
}

Test(judge, numbers_never_fall_forward_or_back, .fini = facts_forget)
{
    static const char *const pairs[][2] = {
        { "gfx1030", "gfx1031" },
        { "gfx1031", "gfx1030" },
        { "gfx1100", "gfx1103" },
        { "gfx1200", "gfx1201" },
        { "gfx940", "gfx942:sramecc+:xnack-" },
        { "gfx941", "gfx942:sramecc+:xnack-" },
        { "gfx942", "gfx950:sramecc+:xnack-" },
        { "gfx908", "gfx90a:sramecc+:xnack-" },
        { "gfx900", "gfx902:xnack-" },
        { "gfx900", "gfx90c:xnack-" },
        { "gfx1010", "gfx1012:xnack-" },
        { "gfx1151", "gfx1150" },
    };

    for (size_t i = 0; i < RA_COUNT(pairs); i++)
        assert_judged(facts_for(pairs[i][0]), pairs[i][1], RA_MISSING);
}

/* TargetGenericMap of clr, hip_fatbin.cpp; gfx906 apart, of which below. */
static const struct {
    const char *generic, *processors;
} generics[] = {
    { "gfx9-generic", " gfx900 gfx902 gfx904 gfx909 gfx90c " },
    { "gfx9-4-generic", " gfx942 gfx950 " },
    { "gfx10-1-generic", " gfx1010 gfx1011 gfx1012 gfx1013 " },
    { "gfx10-3-generic", " gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 " },
    { "gfx11-generic",
      " gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 " },
    { "gfx12-generic", " gfx1200 gfx1201 " },
};

/* Of what was sold, and is in that map or known to be in none. */
static const char sold[] =
    "gfx803 gfx900 gfx902 gfx904 gfx908 gfx909 gfx90a gfx90c gfx942 gfx950 gfx1010 "
    "gfx1011 gfx1012 gfx1013 gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 "
    "gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx1200 gfx1201";

Test(judge, a_generic_target_serves_its_own_processors_and_no_others,
     .fini = facts_forget)
{
    char *rest = ra_arena_text(&facts_arena, sold, strlen(sold)), *name;

    while ((name = strsep(&rest, " ")))
        for (size_t i = 0; i < RA_COUNT(generics); i++) {
            const char *device = device_of(ra_processor_by_name(name));
            char word[24];
            bool serves;

            snprintf(word, sizeof(word), " %s ", name);
            serves = strstr(generics[i].processors, word) != NULL;
            assert_judged(facts_for(generics[i].generic), device,
                          serves ? RA_GENERIC : RA_MISSING);
            assert_judged(facts_raw(generics[i].generic), device,
                          serves ? RA_GENERIC : RA_MISSING);
        }
}

/* HIP asks for gfx9-generic:sramecc+ or -, which no compiler makes; ROCr does not ask. */
Test(judge, gfx9_generic_serves_gfx906_as_a_file_but_not_in_a_bundle,
     .fini = facts_forget)
{
    static const char *const modes[] = { "gfx906:sramecc+:xnack-",
                                         "gfx906:sramecc-:xnack-",
                                         "gfx906:sramecc+:xnack+",
                                         "gfx906:sramecc-:xnack+" };

    for (size_t i = 0; i < RA_COUNT(modes); i++) {
        assert_judged(facts_for("gfx9-generic"), modes[i], RA_MISSING);
        assert_judged(facts_raw("gfx9-generic"), modes[i], RA_GENERIC);
    }
}

Test(judge, native_code_is_preferred_to_generic_in_any_order, .fini = facts_forget)
{
    static const char *const lists[] = { "gfx11-generic gfx1100",
                                         "gfx1100 gfx11-generic" };

    for (size_t i = 0; i < RA_COUNT(lists); i++) {
        assert_judged(facts_for(lists[i]), "gfx1100", RA_NATIVE);
        assert_judged(facts_for(lists[i]), "gfx1101", RA_GENERIC);
    }
}

Test(judge, features_of_a_generic_entry_count, .fini = facts_forget)
{
    assert_judged(facts_for("gfx9-4-generic:xnack+"), "gfx942:sramecc+:xnack+",
                  RA_GENERIC);
    assert_judged(facts_for("gfx9-4-generic:xnack+"), "gfx942:sramecc+:xnack-",
                  RA_FEATURE_MISMATCH);
    assert_judged(facts_for("gfx9-4-generic:sramecc-"), "gfx950:sramecc+:xnack-",
                  RA_FEATURE_MISMATCH);
    assert_judged(facts_for("gfx9-generic:xnack-"), "gfx900:xnack-", RA_GENERIC);
}

Test(judge, a_generic_target_needs_v6_and_a_generic_version, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx11-generic");

    assert_judged(one(entry), "gfx1103", RA_GENERIC);
    entry.code.generic_version = 0;
    assert_judged(one(entry), "gfx1103", RA_UNLOADABLE);
    entry.code.version = 5;
    entry.code.generic_version = 1;
    assert_judged(one(entry), "gfx1103", RA_UNLOADABLE);
    assert_judged(one(entry), "gfx1030", RA_MISSING);
}

/* ---- which entry --------------------------------------------------------------- */

Test(judge, of_a_plain_bundle_the_first_that_fits_is_chosen, .fini = facts_forget)
{
    struct ra_entry good = facts_code("gfx90a");
    struct ra_entry bad = facts_entry("gfx90a:xnack-", "gfx1030");
    struct ra_bundle bundle = two("plain", good, bad);
    struct ra_target device = facts_target("gfx90a:sramecc+:xnack-");

    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_NATIVE);
    cr_assert_eq(ra_judge_bundle(&bundle, &device, &facts_rocm).entry,
                 &bundle.entries[1]);
    assert_judged(two("plain", bad, good), "gfx90a:sramecc+:xnack-", RA_UNLOADABLE);
    /* Where the first is for the other mode, it is not compatible, and passed over. */
    assert_judged(two("plain", bad, good), "gfx90a:sramecc+:xnack+", RA_NATIVE);
}

/* The order of the unbundler is that of a hash table. */
Test(judge, of_a_compressed_bundle_the_worst_that_fits_decides, .fini = facts_forget)
{
    static const char *const containers[] = { "ccob2", "ccob3" };
    struct ra_entry good = facts_code("gfx90a");
    struct ra_entry bad = facts_entry("gfx90a:xnack-", "gfx1030");

    for (size_t i = 0; i < RA_COUNT(containers); i++) {
        assert_judged(two(containers[i], good, bad), "gfx90a:sramecc+:xnack-",
                      RA_UNLOADABLE);
        assert_judged(two(containers[i], bad, good), "gfx90a:sramecc+:xnack-",
                      RA_UNLOADABLE);
        assert_judged(two(containers[i], bad, good), "gfx90a:sramecc+:xnack+", RA_NATIVE);
    }
}

static struct ra_entry spirv(void)
{
    struct ra_entry entry = {
        .id = "hip-spirv64-amd-amdhsa--amdgcnspirv",
        .target = "amdgcnspirv",
        .elf_target = "",
        .kind = RA_ENTRY_HIP,
        .label = facts_target("amdgcnspirv"),
        .content = RA_CONTENT_SPIRV,
        .size = 100,
        .complete = true,
    };

    return entry;
}

Test(judge, spirv_serves_only_where_nothing_else_does, .fini = facts_forget)
{
    assert_judged(two("plain", spirv(), facts_code("gfx90a")), "gfx90a:sramecc+:xnack-",
                  RA_NATIVE);
    assert_judged(two("plain", spirv(), facts_code("gfx11-generic")), "gfx1103",
                  RA_GENERIC);
    assert_judged(two("plain", spirv(), facts_code("gfx90a")), "gfx1100", RA_JIT);
    assert_judged(two("ccob3", facts_code("gfx90a:xnack+"), spirv()),
                  "gfx90a:sramecc+:xnack-", RA_JIT);
    /* What was chosen and is refused is not replaced. */
    assert_judged(two("plain", facts_entry("gfx1100", "gfx1030"), spirv()), "gfx1100",
                  RA_UNLOADABLE);
}

Test(judge, spirv_that_is_none_or_was_not_read_serves_nobody, .fini = facts_forget)
{
    struct ra_entry entry = spirv();

    entry.content = RA_CONTENT_OTHER;
    assert_judged(one(entry), "gfx1100", RA_UNLOADABLE);
    entry.content = RA_CONTENT_UNREAD;
    assert_judged(one(entry), "gfx1100", RA_UNDECIDED);
    entry.content = RA_CONTENT_EMPTY;
    entry.size = 0;
    assert_judged(one(entry), "gfx1100", RA_MISSING);
}

Test(judge, an_empty_entry_is_not_present, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx1030");

    entry.content = RA_CONTENT_EMPTY;
    entry.size = 0;
    assert_judged(one(entry), "gfx1030", RA_MISSING);
    assert_judged(two("plain", entry, facts_code("gfx10-3-generic")), "gfx1030",
                  RA_GENERIC);
    /* comgr gives the first that fits, which HIP then takes for none */
    assert_judged(two("plain", entry, facts_code("gfx1030")), "gfx1030", RA_MISSING);
    assert_judged(two("plain", facts_code("gfx1030"), entry), "gfx1030", RA_NATIVE);
}

Test(judge, a_bundle_without_device_entry_does_not_count, .fini = facts_forget)
{
    struct ra_entry host = facts_host();
    struct ra_bundle bundle = facts_bundle("plain", &host, 1);

    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_NONE);
    bundle.complete = false;
    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
}

Test(judge, a_bundle_without_table_is_undecided, .fini = facts_forget)
{
    struct ra_bundle bundle = facts_for("gfx90a");

    bundle.has_table = bundle.complete = false;
    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    bundle.entry_count = 0;
    bundle.entries = NULL;
    cr_assert_eq(judged(bundle, "gfx1030"), RA_UNDECIDED);
}

Test(judge, openmp_code_is_judged_where_there_is_no_hip_code, .fini = facts_forget)
{
    struct ra_entry openmp = facts_code("gfx90a");

    openmp.kind = RA_ENTRY_OPENMP;
    assert_judged(one(openmp), "gfx90a:sramecc+:xnack-", RA_NATIVE);
    assert_judged(one(openmp), "gfx1030", RA_MISSING);
    assert_judged(two("plain", openmp, facts_code("gfx1030")), "gfx90a:sramecc+:xnack-",
                  RA_MISSING);
    assert_judged(two("plain", openmp, facts_code("gfx1030")), "gfx1030", RA_NATIVE);
}

/* ---- what was chosen is refused --------------------------------------------------- */

Test(judge, e_flags_decide_and_not_the_label, .fini = facts_forget)
{
    struct ra_bundle bundle = one(facts_entry("gfx1010", "gfx1030"));
    struct ra_target device = facts_target("gfx1010:xnack-");
    struct ra_choice choice = ra_judge_bundle(&bundle, &device, &facts_rocm);

    cr_assert_eq(choice.kind, RA_UNLOADABLE);
    cr_assert_eq(choice.refusal, RA_OTHER_TARGET);
    cr_assert(ra_judge_mislabelled(&bundle.entries[1]));
    assert_judged(bundle, "gfx1030", RA_MISSING);
    cr_assert_not(ra_judge_mislabelled(&(struct ra_entry){ .kind = RA_ENTRY_HOST }));
}

static void make_pal(struct ra_entry *entry)
{
    entry->code.osabi = 0x41;
}

static void make_relocatable(struct ra_entry *entry)
{
    entry->code.type = 1;
}

/* As of a code object that ends inside its headers. */
Test(judge, damaged_headers_leave_it_undecided, .fini = facts_forget)
{
    struct ra_bundle bundle = one(facts_entry("gfx90a", "gfx90a"));
    struct ra_entry *entry = (struct ra_entry *)(uintptr_t)&bundle.entries[1];

    entry->code = (struct ra_code){ 0 };
    entry->complete = false;
    assert_judged(bundle, "gfx90a", RA_UNDECIDED);
    assert_judged(bundle, "gfx1100", RA_MISSING);
}

static void drop_metadata(struct ra_entry *entry)
{
    entry->code.has_metadata = false;
    entry->code.claimed = (struct ra_target){ 0 };
}

static void contradict(struct ra_entry *entry)
{
    entry->code.claimed = facts_target("gfx1030");
}

static void contradict_mode(struct ra_entry *entry)
{
    entry->code.claimed = facts_target("gfx90a:xnack-");
}

static void odd_descriptor(struct ra_entry *entry)
{
    entry->code.odd_descriptor = true;
}

static void make_bitcode(struct ra_entry *entry)
{
    entry->content = RA_CONTENT_BITCODE;
    entry->code = (struct ra_code){ 0 };
}

static void make_noise(struct ra_entry *entry)
{
    entry->content = RA_CONTENT_OTHER;
    entry->code = (struct ra_code){ 0 };
}

/* How one field of a healthy entry makes ROCr refuse it, and what we call that. */
static const struct {
    const char *what;
    void (*spoil)(struct ra_entry *entry);
    enum ra_refusal refusal;
} refusal_rows[] = {
    { "PAL", make_pal, RA_NOT_HSA },
    { "not linked", make_relocatable, RA_NOT_LINKED },
    { "no metadata", drop_metadata, RA_NO_METADATA },
    { "metadata of another target", contradict, RA_CONTRADICTION },
    { "metadata of another mode", contradict_mode, RA_CONTRADICTION },
    { "odd descriptor", odd_descriptor, RA_ODD_DESCRIPTOR },
    { "bitcode", make_bitcode, RA_NOT_CODE },
    { "noise", make_noise, RA_NOT_CODE },
};

Test(judge, a_chosen_code_object_that_cannot_be_loaded_is_unloadable,
     .fini = facts_forget)
{
    struct ra_target device = facts_target("gfx90a:sramecc+:xnack-");

    for (size_t i = 0; i < RA_COUNT(refusal_rows); i++) {
        struct ra_entry entry = facts_code("gfx90a");
        struct ra_bundle bundle;
        struct ra_choice choice;

        refusal_rows[i].spoil(&entry);
        bundle = one(entry);
        choice = ra_judge_bundle(&bundle, &device, &facts_rocm);
        cr_assert_eq(choice.kind, RA_UNLOADABLE, "%s", refusal_rows[i].what);
        cr_assert_eq(choice.refusal, refusal_rows[i].refusal, "%s", refusal_rows[i].what);
        cr_assert_eq(choice.entry, &bundle.entries[1], "%s", refusal_rows[i].what);
        /* Nobody else is hurt by it. */
        assert_judged(bundle, "gfx1030", RA_MISSING);
        assert_judged(two("ccob3", entry, facts_code("gfx1030")), "gfx1030", RA_NATIVE);
    }
}

Test(judge, a_code_object_by_itself_is_refused_for_the_same_reasons, .fini = facts_forget)
{
    for (size_t i = 0; i < RA_COUNT(refusal_rows); i++) {
        struct ra_bundle bundle = facts_raw("gfx90a");
        struct ra_entry entry = bundle.entries[0];

        refusal_rows[i].spoil(&entry);
        bundle = facts_bundle("raw", &entry, 1);
        assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNLOADABLE);
    }
}

Test(judge, a_bundle_whose_sizes_wrapped_cannot_be_unpacked, .fini = facts_forget)
{
    struct ra_bundle bundle = facts_for("gfx90a gfx1030");

    bundle.container = "ccob2";
    bundle.size_wrapped = true;
    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNLOADABLE);
}

/* ---- what is not known --------------------------------------------------------------
 */

Test(judge, an_entry_that_was_not_read_is_undecided_for_its_device_alone,
     .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx90a");
    struct ra_bundle bundle;

    entry.content = RA_CONTENT_UNREAD;
    entry.code = (struct ra_code){ 0 };
    entry.complete = false;
    bundle = two("plain", entry, facts_code("gfx1030"));
    bundle.complete = false;
    assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    assert_judged(bundle, "gfx1030", RA_NATIVE);
    assert_judged(bundle, "gfx1100", RA_MISSING);
}

Test(judge, a_header_that_was_read_is_certain_and_the_rest_undecided,
     .fini = facts_forget)
{
    struct ra_entry entry = facts_entry("gfx90a", "gfx1030");

    entry.complete = entry.code.has_metadata = false;
    assert_judged(one(entry), "gfx90a:sramecc+:xnack-", RA_UNLOADABLE);
    entry = facts_code("gfx90a");
    entry.complete = entry.code.has_metadata = false;
    assert_judged(one(entry), "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    assert_judged(facts_bundle("raw", &entry, 1), "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    assert_judged(facts_bundle("raw", &entry, 1), "gfx1030", RA_MISSING);
}

/* A processor or a version that came after this build may be the very device's. */
Test(judge, a_newer_target_or_version_is_undecided_and_no_mismatch, .fini = facts_forget)
{
    struct ra_entry entry = facts_code("gfx90a");

    entry.code.target = entry.code.claimed = (struct ra_target){ 0 };
    assert_judged(one(entry), "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    assert_judged(facts_bundle("raw", &entry, 1), "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    entry.code.version = 0;
    entry.code.has_metadata = entry.complete = false;
    assert_judged(one(entry), "gfx90a:sramecc+:xnack-", RA_UNDECIDED);
    assert_judged(facts_bundle("raw", &entry, 1), "gfx1030", RA_UNDECIDED);
}

/* LLVM's unbundler finds no bundle in it, and what HIP makes of it was never seen. */
Test(judge, a_code_object_compressed_by_itself_is_certain_only_where_it_fails,
     .fini = facts_forget)
{
    static const struct {
        const char *code, *device;
        enum ra_verdict_kind expected;
    } known[] = {
        { "gfx90a", "gfx90a:sramecc+:xnack-", RA_UNDECIDED },
        { "gfx11-generic", "gfx1100", RA_UNDECIDED },
        { "gfx90a", "gfx1030", RA_MISSING },
        { "gfx11-generic", "gfx1200", RA_MISSING },
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", RA_FEATURE_MISMATCH },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_bundle bundle = facts_raw(known[i].code);
        struct ra_target device = facts_target(known[i].device);
        struct ra_choice choice;

        bundle.container = "ccob2";
        assert_judged(bundle, known[i].device, known[i].expected);
        choice = ra_judge_bundle(&bundle, &device, &facts_rocm);
        if (choice.kind == RA_UNDECIDED)
            cr_assert_eq(choice.refusal, RA_BARE_CODE);
        bundle.container = "ccob1"; /* of which no HIP takes any */
        assert_judged(bundle, known[i].device, RA_UNLOADABLE);
    }
}

/* ---- kernels ------------------------------------------------------------------------
 */

Test(judge, kernels_are_compared_with_all_other_code_of_the_bundle, .fini = facts_forget)
{
    static const char *const names[] = { "k_both", "k_absent", "k_stub", "k_all_stubs",
                                         "k_here" };
    struct ra_entry here = facts_code("gfx1150"), there = facts_code("gfx1100");
    struct ra_target device = facts_target("gfx1150");
    struct ra_absent absent;
    struct ra_choice choice;
    struct ra_bundle bundle;

    facts_kernels(&here, (const uint32_t[]){ 0, 2, 3, 4 }, 4, 1 << 1 | 1 << 2);
    facts_kernels(&there, (const uint32_t[]){ 0, 1, 2, 3 }, 4, 1 << 3);
    bundle = two("plain", there, here);
    bundle.kernel_names = names;
    bundle.kernel_name_count = RA_COUNT(names);
    choice = ra_judge_bundle(&bundle, &device, &facts_rocm);
    cr_assert_eq(ra_judge_kernels(&bundle, &choice, &facts_arena, &absent), RA_OK);
    cr_assert_eq(absent.absent, 1);
    cr_assert_eq(absent.first_absent, 1);
    cr_assert_eq(absent.stubs, 1);
    cr_assert_eq(absent.first_stub, 2);
    device = facts_target("gfx1100");
    choice = ra_judge_bundle(&bundle, &device, &facts_rocm);
    cr_assert_eq(ra_judge_kernels(&bundle, &choice, &facts_arena, &absent), RA_OK);
    cr_assert_eq(absent.absent, 1);
    cr_assert_eq(absent.first_absent, 4);
    cr_assert_eq(absent.stubs, 0);
}

/* rocPRIM names the architecture a kernel is for, and launches no other. */
Test(judge, kernels_that_are_meant_for_one_architecture_are_told_apart,
     .fini = facts_forget)
{
    static const char *const names[] = {
        "_ZN7rocprim6detail17trampoline_kernelINS1_11target_archE908EEvv",
        "k_add",
    };
    struct ra_entry here = facts_code("gfx1100"), there = facts_code("gfx908");
    struct ra_target device = facts_target("gfx1100");
    struct ra_absent absent;
    struct ra_choice choice;
    struct ra_bundle bundle;

    facts_kernels(&here, (const uint32_t[]){ 0 }, 1, 1);
    facts_kernels(&there, (const uint32_t[]){ 0, 1 }, 2, 0);
    bundle = two("plain", there, here);
    bundle.kernel_names = names;
    bundle.kernel_name_count = RA_COUNT(names);
    choice = ra_judge_bundle(&bundle, &device, &facts_rocm);
    cr_assert_eq(ra_judge_kernels(&bundle, &choice, &facts_arena, &absent), RA_OK);
    cr_assert_eq(absent.absent, 1);
    cr_assert_eq(absent.meant_absent, 0);
    cr_assert_eq(absent.first_absent, 1);
    cr_assert_eq(absent.stubs, 1);
    cr_assert_eq(absent.meant_stubs, 1);
}
