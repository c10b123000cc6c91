/* What a bundle comes to depends on the release of ROCm. */
#include "facts.h"
#include "runtime_check.h"

#include "gfx/target.h"

#include <criterion/criterion.h>

static struct ra_choice chosen(struct ra_bundle bundle, const char *device,
                               unsigned release, enum ra_compat compat)
{
    struct ra_rocm rocm = { release, compat };
    struct ra_target target = facts_target(device);

    return ra_judge_bundle(&bundle, &target, &rocm);
}

static void assert_kind(struct ra_bundle bundle, const char *device, unsigned release,
                        enum ra_verdict_kind expected)
{
    struct ra_choice choice = chosen(bundle, device, release, RA_UPSTREAM);

    cr_assert_eq(choice.kind, expected, "%s with %u: %s, not %s", device, release,
                 ra_verdict_name(choice.kind), ra_verdict_name(expected));
}

static struct ra_entry versioned(const char *target, unsigned version)
{
    struct ra_entry entry = facts_code(target);

    entry.code.version = version;
    return entry;
}

static struct ra_bundle of(struct ra_entry entry)
{
    return facts_bundle("plain", &entry, 1);
}

/* ---- code objects ----------------------------------------------------------------- */

Test(judge_release, code_objects_can_be_too_new, .fini = facts_forget)
{
    assert_kind(of(versioned("gfx90a", 6)), "gfx90a:sramecc+:xnack-", 602, RA_UNLOADABLE);
    assert_kind(of(versioned("gfx90a", 6)), "gfx90a:sramecc+:xnack-", 603, RA_NATIVE);
    assert_kind(of(versioned("gfx90a", 5)), "gfx90a:sramecc+:xnack-", 502, RA_UNLOADABLE);
    assert_kind(of(versioned("gfx90a", 5)), "gfx90a:sramecc+:xnack-", 602, RA_NATIVE);
    assert_kind(of(versioned("gfx90a", 4)), "gfx90a:sramecc+:xnack-", 502, RA_NATIVE);
    cr_assert_eq(
        chosen(of(versioned("gfx90a", 6)), "gfx90a:sramecc+:xnack-", 602, RA_UPSTREAM)
            .ability,
        RA_CAN_LOAD_V6);
}

Test(judge_release, what_is_not_known_is_undecided, .fini = facts_forget)
{
    struct ra_bundle ccob = of(versioned("gfx90a", 4));
    struct ra_choice choice;

    ccob.container = "ccob2";
    choice = chosen(ccob, "gfx90a:sramecc+:xnack-", 601, RA_UPSTREAM);
    cr_assert_eq(choice.kind, RA_UNDECIDED);
    cr_assert_eq(choice.ability, RA_CAN_READ_CCOB2);
    /* without code for the GPU it makes no difference */
    assert_kind(ccob, "gfx1030", 600, RA_UNLOADABLE);
    assert_kind(ccob, "gfx1030", 602, RA_MISSING);
}

Test(judge_release, generic_targets_are_for_6_4, .fini = facts_forget)
{
    assert_kind(facts_for("gfx11-generic"), "gfx1103", 602, RA_MISSING);
    assert_kind(facts_for("gfx11-generic"), "gfx1103", 604, RA_GENERIC);
    assert_kind(facts_raw("gfx11-generic"), "gfx1103", 602, RA_UNLOADABLE);
    assert_kind(facts_for("gfx11-generic"), "gfx1201", 604, RA_MISSING);
}

Test(judge_release, processors_are_known_to_some_releases, .fini = facts_forget)
{
    assert_kind(of(versioned("gfx950", 5)), "gfx950:sramecc+:xnack-", 603, RA_UNLOADABLE);
    assert_kind(of(versioned("gfx950", 5)), "gfx950:sramecc+:xnack-", 700, RA_NATIVE);
    assert_kind(of(versioned("gfx940", 5)), "gfx940:sramecc+:xnack-", 603, RA_NATIVE);
    assert_kind(facts_for("gfx11-generic"), "gfx1154", RA_ROCM_NEWEST, RA_UNLOADABLE);
    assert_kind(facts_for("gfx11-generic"), "gfx1153", RA_ROCM_NEWEST, RA_GENERIC);
    assert_kind(of(versioned("gfx940", 5)), "gfx940:sramecc+:xnack-", 700, RA_UNLOADABLE);
}

/* LLVM states xnack on gfx1250, where it is fixed; ROCr takes that for a name. */
Test(judge_release, gfx1250_with_a_flag, .fini = facts_forget)
{
    struct ra_entry entry = versioned("gfx1250", 6);

    assert_kind(of(entry), "gfx1250", 1000, RA_NATIVE);
    entry.code.flags = 0x749;
    assert_kind(of(entry), "gfx1250", 1000, RA_UNLOADABLE);
    assert_kind(of(entry), "gfx1250", RA_ROCM_NEWEST, RA_NATIVE);
}

Test(judge_release, a_feature_the_processor_lacks_is_no_isa, .fini = facts_forget)
{
    struct ra_entry entry = versioned("gfx1030", 4);
    struct ra_choice choice;

    entry.code.target.xnack = entry.code.claimed.xnack = RA_SETTING_OFF;
    choice = chosen(of(entry), "gfx1030", 700, RA_UPSTREAM);
    cr_assert_eq(choice.refusal, RA_NO_SUCH_ISA);
    cr_assert_eq(runtime_check_status(&choice), 0x1017);
}

/* ---- names ------------------------------------------------------------------------ */

/* Since July 2026 the runtime asks for gfx90c alone, which no stated mode matches. */
Test(judge_release, gfx90c_lost_its_mode, .fini = facts_forget)
{
    assert_kind(facts_for("gfx90c:xnack-"), "gfx90c:xnack-", 700, RA_NATIVE);
    assert_kind(facts_for("gfx90c:xnack-"), "gfx90c:xnack+", 700, RA_FEATURE_MISMATCH);
    assert_kind(facts_for("gfx90c:xnack-"), "gfx90c:xnack-", 1000, RA_FEATURE_MISMATCH);
    assert_kind(facts_for("gfx90c:xnack-"), "gfx90c:xnack-", 714, RA_UNDECIDED);
    assert_kind(facts_for("gfx90c"), "gfx90c:xnack-", 700, RA_NATIVE);
    assert_kind(facts_for("gfx90c"), "gfx90c:xnack-", 1000, RA_NATIVE);
    assert_kind(facts_raw("gfx90c:xnack-"), "gfx90c:xnack-", 1000, RA_NATIVE);
}

/* As measured: HIP 5.2.3 wants hipv4- IDs spelled its way and others by their e_flags. */
Test(judge_release, hip_5_chose_by_its_own_rules, .fini = facts_forget)
{
    struct ra_entry entry = versioned("gfx90a:sramecc+:xnack-", 4);

    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_NATIVE);
    entry.id = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+";
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_MISSING);
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 700, RA_NATIVE);

    entry = facts_entry("gfx1030", "gfx90a");
    entry.code.version = 4;
    entry.id = "hip-amdgcn-amd-amdhsa--gfx1030";
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_NATIVE);
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 700, RA_MISSING);
    assert_kind(of(entry), "gfx1030", 700, RA_UNLOADABLE);
    entry.code.version = 5;
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_MISSING);
}

Test(judge_release, hip_5_chose_entries_without_bytes, .fini = facts_forget)
{
    struct ra_entry entry = versioned("gfx90a", 4);

    entry.size = 0;
    entry.content = RA_CONTENT_EMPTY;
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_UNLOADABLE);
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 700, RA_MISSING);
}

/* comgr gives the first that fits, with bytes or without; HIP then has none. */
Test(judge_release, an_empty_entry_hides_what_follows, .fini = facts_forget)
{
    struct ra_entry entries[] = { versioned("gfx90a", 4), versioned("gfx90a", 4) };

    entries[0].size = 0;
    entries[0].content = RA_CONTENT_EMPTY;
    assert_kind(facts_bundle("plain", entries, 2), "gfx90a:sramecc+:xnack-", 700,
                RA_MISSING);
    assert_kind(facts_bundle("ccob2", entries, 2), "gfx90a:sramecc+:xnack-", 700,
                RA_MISSING);
    entries[1] = entries[0];
    entries[0] = versioned("gfx90a", 4);
    assert_kind(facts_bundle("plain", entries, 2), "gfx90a:sramecc+:xnack-", 700,
                RA_NATIVE);
}

/* As measured with comgr 2.4 and clang's unbundler 22. */
Test(judge_release, ids_have_to_be_spelled_right, .fini = facts_forget)
{
    static const struct {
        const char *id;
        enum ra_verdict_kind plain, compressed;
    } known[] = {
        { "hipv4-amdgcn-amd-amdhsa--gfx90a", RA_NATIVE, RA_NATIVE },
        { "hip-amdgcn-amd-amdhsa--gfx90a", RA_NATIVE, RA_NATIVE },
        { "hcc-amdgcn-amd-amdhsa--gfx90a", RA_NATIVE, RA_MISSING },
        { "hip-amdgcn-amd-amdhsa-gfx90a", RA_MISSING, RA_MISSING },
        { "hipv4-amdgcn-amd-amdhsa---gfx90a", RA_MISSING, RA_MISSING },
        { "hipv4-amdgcn-foo-amdhsa--gfx90a", RA_MISSING, RA_MISSING },
        { "hipv4-amdgcn-amd-amdhsa-unknown-gfx90a", RA_UNDECIDED, RA_NATIVE },
        /* HIP's prefix is amdgcn-amd-amdhsa-- : llvm-project PR 217640 and 214841. */
        { "hipv4-amdgcn-amd-amdhsa-llvm-gfx90a", RA_MISSING, RA_MISSING },
        { "hip-amdgpu-amd-amdhsa-llvm-gfx90a", RA_MISSING, RA_MISSING },
        { "hipv4-amdgpu9.0a-amd-amdhsa--", RA_MISSING, RA_MISSING },
        { "hip-amdgpu9.0a-amd-amdhsa--gfx90a", RA_MISSING, RA_MISSING },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_entry entry = versioned("gfx90a", 5);
        struct ra_bundle bundle;

        entry.id = known[i].id;
        bundle = of(entry);
        assert_kind(bundle, "gfx90a:sramecc+:xnack-", 603, known[i].plain);
        bundle.container = "ccob2";
        assert_kind(bundle, "gfx90a:sramecc+:xnack-", 603, known[i].compressed);
    }
}

/* Only HIP 5 looked into the code object, of hip- entries. */
Test(judge_release, an_id_without_target_is_found_by_hip_5_alone, .fini = facts_forget)
{
    struct ra_entry entry = versioned("gfx90a", 4);
    struct ra_bundle bundle;

    entry.target = "";
    entry.label = (struct ra_target){ 0 };
    entry.id = "hip-amdgcn-amd-amdhsa--";
    bundle = of(entry);
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", 502, RA_NATIVE);
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", 600, RA_MISSING);
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", RA_ROCM_NEWEST, RA_MISSING);
    entry.id = "hipv4-amdgcn-amd-amdhsa--";
    assert_kind(of(entry), "gfx90a:sramecc+:xnack-", 502, RA_MISSING);
}

static struct ra_entry old(const char *label, const char *target)
{
    struct ra_entry entry = facts_entry(label, target);

    entry.code.version = 2;
    return entry;
}

/* Measured with ROCr and HIP 5.2.3; for releases since, executable.cpp takes V1 to V6. */
Test(judge_release, code_objects_v2_have_each_feature_on_or_off, .fini = facts_forget)
{
    static const struct {
        const char *label, *target, *device;
        enum ra_verdict_kind expected;
    } known[] = {
        { "gfx803", "gfx803", "gfx803", RA_NATIVE },
        { "gfx803", "gfx803", "gfx802", RA_MISSING },
        { "gfx900", "gfx900:xnack+", "gfx900:xnack+", RA_NATIVE },
        { "gfx900", "gfx900:xnack+", "gfx900:xnack-", RA_UNLOADABLE },
        { "gfx900", "gfx900:xnack-", "gfx900:xnack-", RA_NATIVE },
        { "gfx906", "gfx906:sramecc-:xnack-", "gfx906:sramecc-:xnack-", RA_NATIVE },
        { "gfx906", "gfx906:sramecc-:xnack-", "gfx906:sramecc+:xnack-", RA_UNLOADABLE },
        { "gfx906", "gfx906:sramecc-:xnack+", "gfx906:sramecc-:xnack-", RA_UNLOADABLE },
        { "gfx90c", "gfx90c:xnack-", "gfx90c:xnack-", RA_NATIVE },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_entry entry = old(known[i].label, known[i].target);

        assert_kind(of(entry), known[i].device, 502, known[i].expected);
        assert_kind(of(entry), known[i].device, 700, known[i].expected);
        entry.kind = RA_ENTRY_RAW;
        entry.label = (struct ra_target){ 0 };
        assert_kind(facts_bundle("raw", &entry, 1), known[i].device, 502,
                    known[i].expected == RA_UNLOADABLE ? RA_FEATURE_MISMATCH
                                                       : known[i].expected);
    }
}

/* HIP 5 took entries of that kind if their code was V3 or V4. */
Test(judge_release, hip_5_passed_over_v2_as_old_compilers_labelled_it,
     .fini = facts_forget)
{
    struct ra_entry entry = old("gfx803", "gfx803");

    entry.id = "hip-amdgcn-amd-amdhsa--gfx803";
    assert_kind(of(entry), "gfx803", 502, RA_MISSING);
    assert_kind(of(entry), "gfx803", 600, RA_NATIVE);
}

/* Notes and e_flags that name two processors. */
Test(judge_release, a_code_object_v2_can_contradict_itself, .fini = facts_forget)
{
    struct ra_entry entry = old("gfx803", "gfx803");

    entry.code.claimed = facts_target("gfx900:xnack-");
    assert_kind(of(entry), "gfx803", 700, RA_UNLOADABLE);
    entry.code.claimed = (struct ra_target){ 0 };
    assert_kind(of(entry), "gfx803", 700, RA_NATIVE);
}

Test(judge_release, debian_loads_siblings, .fini = facts_forget)
{
    struct ra_bundle bundle = of(versioned("gfx1030", 5));
    struct ra_choice choice = chosen(bundle, "gfx1031", 600, RA_DEBIAN);

    cr_assert_eq(choice.kind, RA_GENERIC);
    cr_assert(choice.sibling);
    cr_assert_eq(chosen(bundle, "gfx1031", 600, RA_UPSTREAM).kind, RA_MISSING);
    cr_assert_eq(chosen(bundle, "gfx1101", 600, RA_DEBIAN).kind, RA_MISSING);
    cr_assert_eq(chosen(facts_raw("gfx1030"), "gfx1031", 600, RA_DEBIAN).kind,
                 RA_GENERIC);
}

/* ---- containers ------------------------------------------------------------------- */

Test(judge_release, compressed_bundles_have_versions, .fini = facts_forget)
{
    static const struct {
        const char *container;
        unsigned release;
        enum ra_verdict_kind expected;
    } known[] = {
        { "ccob1", 602, RA_UNLOADABLE }, { "ccob1", RA_ROCM_NEWEST, RA_UNLOADABLE },
        { "ccob2", 507, RA_UNLOADABLE }, { "ccob2", 603, RA_NATIVE },
        { "ccob3", 603, RA_UNLOADABLE }, { "ccob3", RA_ROCM_NEWEST, RA_NATIVE },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_bundle bundle = of(versioned("gfx90a", 5));

        bundle.container = known[i].container;
        assert_kind(bundle, "gfx90a:sramecc+:xnack-", known[i].release,
                    known[i].expected);
    }
}

/* HIP reads 32 of the 64 bits that version 3 has for its size. */
Test(judge_release, compressed_bundles_can_be_too_large, .fini = facts_forget)
{
    struct ra_bundle bundle = of(versioned("gfx90a", 5));

    bundle.container = "ccob3";
    bundle.size = UINT32_MAX;
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", RA_ROCM_NEWEST, RA_NATIVE);
    bundle.size++;
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", RA_ROCM_NEWEST, RA_UNLOADABLE);
    bundle.container = "plain";
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", RA_ROCM_NEWEST, RA_NATIVE);
}

Test(judge_release, archives_are_for_7_13, .fini = facts_forget)
{
    struct ra_bundle bundle = { .container = "kpack" };

    assert_kind(bundle, "gfx90a:sramecc+:xnack-", 700, RA_UNLOADABLE);
    assert_kind(bundle, "gfx90a:sramecc+:xnack-", 714, RA_UNDECIDED);
}

/* 32 bytes, then 24 and an ID of 39 to 46 bytes an entry: some sixty fit 4096 bytes. */
static struct ra_bundle crowded(const char *container, bool last)
{
    struct ra_entry entries[92];

    for (size_t i = 0; i < RA_COUNT(entries); i++)
        entries[i] = versioned("gfx1010:xnack-", 4);
    entries[last ? RA_COUNT(entries) - 1 : 0] = versioned("gfx90a", 4);
    return facts_bundle(container, entries, RA_COUNT(entries));
}

Test(judge_release, a_long_table_is_cut, .fini = facts_forget)
{
    const char *gpu = "gfx90a:sramecc+:xnack-";

    assert_kind(crowded("plain", true), gpu, 502, RA_NATIVE);
    assert_kind(crowded("plain", true), gpu, 602, RA_UNLOADABLE);
    assert_kind(crowded("plain", false), gpu, 602, RA_NATIVE);
    assert_kind(crowded("plain", false), gpu, 700, RA_UNLOADABLE);
    assert_kind(crowded("ccob2", true), gpu, 700, RA_NATIVE);
    assert_kind(crowded("plain", true), "gfx1201", 602, RA_MISSING);
    assert_kind(crowded("plain", true), "gfx1201", 700, RA_MISSING);
}
