#include "facts.h"

#include "audit/judge_offload.h"
#include "audit/totals.h"
#include "base/text.h"

#include <criterion/criterion.h>

static struct ra_entry image(enum ra_entry_kind kind, const char *label, const char *elf)
{
    struct ra_entry entry = facts_entry(label, elf);

    entry.kind = kind;
    entry.id = ra_text_format(&facts_arena, "%s-amdgcn-amd-amdhsa--%s",
                              kind == RA_ENTRY_HIP ? "hip" : "openmp", label);
    return entry;
}

static struct ra_entry bitcode(enum ra_entry_kind kind, const char *label)
{
    struct ra_entry entry = image(kind, label, label);

    entry.content = RA_CONTENT_BITCODE;
    entry.elf_target = "";
    entry.code = (struct ra_code){ 0 };
    return entry;
}

/* For a GPU of another vendor. */
static struct ra_entry cubin(void)
{
    return (struct ra_entry){ .id = "openmp-nvptx64-nvidia-cuda--sm_80",
                              .target = "sm_80",
                              .elf_target = "",
                              .kind = RA_ENTRY_OTHER,
                              .content = RA_CONTENT_OTHER,
                              .size = 100,
                              .complete = true };
}

static struct ra_bundle bundle_of(const struct ra_entry *entries, size_t count)
{
    return facts_bundle("offload-binary", entries, count);
}

/* Healthy code for the targets named, in that order. */
static struct ra_bundle of(enum ra_entry_kind kind, const char *targets)
{
    struct ra_entry entries[16];
    char *rest = ra_arena_text(&facts_arena, targets, strlen(targets));
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " "));)
        entries[count++] = image(kind, word, word);
    return bundle_of(entries, count);
}

static void assert_judged(struct ra_bundle bundle, const char *device,
                          enum ra_verdict_kind expected, size_t entry)
{
    struct ra_target target = facts_target(device);
    struct ra_choice choice = ra_judge_bundle(&bundle, &target, &facts_rocm);

    cr_assert_eq(choice.kind, expected, "on %s it is %s, not %s", device,
                 ra_verdict_name(choice.kind), ra_verdict_name(expected));
    if (choice.entry)
        cr_assert_eq(choice.entry, &bundle.entries[entry], "on %s", device);
}

static const enum ra_entry_kind kinds[] = { RA_ENTRY_HIP, RA_ENTRY_OPENMP };

#define SUITE(name) Test(judge_offload, name, .fini = facts_forget)

SUITE(code_serves_its_processor_and_no_other)
{
    for (size_t i = 0; i < RA_COUNT(kinds); i++) {
        assert_judged(of(kinds[i], "gfx90a gfx1030"), "gfx1030", RA_NATIVE, 1);
        assert_judged(of(kinds[i], "gfx90a gfx1030"), "gfx90a:sramecc+:xnack-", RA_NATIVE,
                      0);
        assert_judged(of(kinds[i], "gfx90a gfx1030"), "gfx1031", RA_MISSING, 0);
        assert_judged(of(kinds[i], "gfx908"), "gfx90a:sramecc+:xnack-", RA_MISSING, 0);
    }
}

/* isImageCompatibleWithEnv(): any fits both modes, on and off their own. */
SUITE(features_have_to_be_those_of_the_device)
{
    static const struct {
        const char *code, *device;
        bool fits;
    } rows[] = {
        { "gfx90a", "gfx90a:sramecc+:xnack-", true },
        { "gfx90a", "gfx90a:sramecc+:xnack+", true },
        { "gfx90a:xnack-", "gfx90a:sramecc+:xnack-", true },
        { "gfx90a:xnack-", "gfx90a:sramecc+:xnack+", false },
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack+", true },
        { "gfx90a:xnack+", "gfx90a:sramecc+:xnack-", false },
        { "gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", false },
        { "gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", true },
    };

    for (size_t k = 0; k < RA_COUNT(kinds); k++)
        for (size_t i = 0; i < RA_COUNT(rows); i++)
            assert_judged(of(kinds[k], rows[i].code), rows[i].device,
                          rows[i].fits ? RA_NATIVE : RA_FEATURE_MISMATCH, 0);
}

SUITE(the_first_image_that_fits_is_taken)
{
    const char *targets = "gfx1030 gfx90a:xnack+ gfx90a gfx90a:xnack-";

    assert_judged(of(RA_ENTRY_OPENMP, targets), "gfx90a:sramecc+:xnack-", RA_NATIVE, 2);
    assert_judged(of(RA_ENTRY_OPENMP, targets), "gfx90a:sramecc+:xnack+", RA_NATIVE, 1);
}

SUITE(a_generic_target_serves_what_it_covers)
{
    const char *targets = "gfx11-generic gfx1100";

    assert_judged(of(RA_ENTRY_OPENMP, targets), "gfx1103", RA_GENERIC, 0);
    assert_judged(of(RA_ENTRY_OPENMP, targets), "gfx1201", RA_MISSING, 0);
    assert_judged(of(RA_ENTRY_HIP, targets), "gfx1103", RA_GENERIC, 0);
    assert_judged(of(RA_ENTRY_HIP, targets), "gfx1100", RA_NATIVE, 1);
}

/* OpenMP's runtime reads e_flags, and not what is written beside them. */
SUITE(of_openmp_e_flags_decide)
{
    struct ra_entry entry = image(RA_ENTRY_OPENMP, "gfx90a", "gfx1030");

    assert_judged(bundle_of(&entry, 1), "gfx1030", RA_NATIVE, 0);
    assert_judged(bundle_of(&entry, 1), "gfx90a:sramecc+:xnack-", RA_MISSING, 0);
}

SUITE(of_hip_the_label_decides_and_then_the_loader)
{
    struct ra_entry entry = image(RA_ENTRY_HIP, "gfx90a", "gfx1030");

    assert_judged(bundle_of(&entry, 1), "gfx1030", RA_MISSING, 0);
    assert_judged(bundle_of(&entry, 1), "gfx90a:sramecc+:xnack-", RA_UNLOADABLE, 0);
}

SUITE(code_for_others_serves_nobody_and_hides_nothing)
{
    const struct ra_entry entries[] = { cubin(),
                                        image(RA_ENTRY_OPENMP, "gfx90a", "gfx90a") };

    assert_judged(bundle_of(entries, 2), "gfx90a:sramecc+:xnack-", RA_NATIVE, 1);
    assert_judged(bundle_of(entries, 2), "gfx1030", RA_MISSING, 0);
}

/* ---- what is not there yet ------------------------------------------------------- */

SUITE(bitcode_only_is_no_code_yet)
{
    for (size_t k = 0; k < RA_COUNT(kinds); k++) {
        const struct ra_entry entries[] = { cubin(), bitcode(kinds[k], "gfx90a"),
                                            bitcode(kinds[k], "gfx1030") };
        struct ra_bundle bundle = bundle_of(entries, 3);
        struct ra_file file = facts_file("a.o", &bundle, 1);

        assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_NONE, 0);
        cr_assert_not(ra_has_device_code(&file));
        bundle.complete = false;
        assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNDECIDED, 0);
        file = facts_file("a.o", &bundle, 1);
        cr_assert(ra_has_device_code(&file));
        bundle.has_table = false;
        assert_judged(bundle, "gfx90a:sramecc+:xnack-", RA_UNDECIDED, 0);
    }
}

SUITE(objects_that_are_not_linked_are_no_code_yet)
{
    struct ra_entry entry = image(RA_ENTRY_OPENMP, "gfx90a", "gfx90a");

    assert_judged(bundle_of(&entry, 1), "gfx90a:sramecc+:xnack-", RA_NATIVE, 0);
    entry.code.type = 1; /* ET_REL */
    assert_judged(bundle_of(&entry, 1), "gfx90a:sramecc+:xnack-", RA_NONE, 0);
}

/* Beside code, it may be compiled on the machine, which nobody can say from here. */
SUITE(bitcode_beside_code_is_not_known_to_serve)
{
    const struct ra_entry entries[] = { bitcode(RA_ENTRY_OPENMP, "gfx90a"),
                                        image(RA_ENTRY_OPENMP, "gfx1030", "gfx1030") };

    assert_judged(bundle_of(entries, 2), "gfx1030", RA_NATIVE, 1);
    assert_judged(bundle_of(entries, 2), "gfx90a:sramecc+:xnack-", RA_UNDECIDED, 0);
}

SUITE(bitcode_in_other_containers_is_judged_as_before)
{
    const struct ra_entry entry = bitcode(RA_ENTRY_HIP, "gfx90a");
    struct ra_bundle bundle = facts_bundle("plain", &entry, 1);

    cr_assert_not(ra_judge_is_before_link(&bundle));
}

SUITE(an_image_that_was_not_read_may_be_for_any_gpu)
{
    struct ra_entry entries[] = { image(RA_ENTRY_OPENMP, "gfx1030", "gfx1030"),
                                  image(RA_ENTRY_OPENMP, "gfx90a", "gfx90a") };

    entries[1].content = RA_CONTENT_UNREAD;
    entries[1].complete = false;
    entries[1].code = (struct ra_code){ 0 };
    assert_judged(bundle_of(entries, 2), "gfx1100", RA_UNDECIDED, 1);
}
