#include "facts.h"
#include "folder.h"

#include "runtime/found.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct ra_rocm rocm_of(unsigned release)
{
    return (struct ra_rocm){ release, RA_UPSTREAM };
}

/* ---- versions --------------------------------------------------------------------- */

static unsigned parsed(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };
    unsigned release = 1;

    return ra_rocm_parse(span, &release) ? release : 0;
}

Test(runtime, versions_are_major_and_minor)
{
    cr_assert_eq(parsed("6.2"), 602);
    cr_assert_eq(parsed("6.2.4"), 602);
    cr_assert_eq(parsed("5.2.21153"), 502);
    cr_assert_eq(parsed("rocm-7.0"), 700);
    cr_assert_eq(parsed("rocm6.1"), 601);
    cr_assert_eq(parsed("7.14.0a20260801"), 714);
    cr_assert_eq(parsed("10"), 1000);
    cr_assert_eq(parsed("6.2.0-66"), 602);
    cr_assert_eq(parsed("4.1"), 401);
}

Test(runtime, what_is_no_version_is_refused)
{
    static const char *const bad[] = { "",    "x",     "6.x",     "6.",   ".6",    "-6.2",
                                       "4.0", "6.100", "1000000", "99.0", "6 2",   "6,2",
                                       "0x6", "6.2z",  "rocm",    "602",  "6.2 .1" };

    for (size_t i = 0; i < RA_COUNT(bad); i++) {
        cr_assert_eq(parsed(bad[i]), 0, "%s", bad[i]);
        cr_assert(ra_runtime_refused(bad[i]), "%s", bad[i]);
    }
    cr_assert_null(ra_runtime_refused("6.2"));
    cr_assert_null(ra_compat_refused("debian"));
    cr_assert(ra_compat_refused("fedora"));
}

/* ---- tables ----------------------------------------------------------------------- */

Test(runtime, an_ability_once_known_stays)
{
    for (size_t i = 1; i < RA_ABILITIES; i++) {
        enum ra_answer before = RA_NO;

        cr_assert_neq(*ra_ability_text((enum ra_ability)i), '\0');
        for (unsigned release = RA_ROCM_OLDEST; release <= RA_ROCM_NEWEST; release++) {
            struct ra_rocm rocm = rocm_of(release);
            enum ra_answer now = ra_rocm_can(&rocm, (enum ra_ability)i);

            cr_assert(before != RA_YES || now == RA_YES, "%zu at %u", i, release);
            cr_assert(before == RA_NO || now != RA_NO, "%zu at %u", i, release);
            before = now;
        }
    }
}

/* Release notes, public reports and the sources of ROCr 6.3 and 7.0. */
Test(runtime, what_releases_are_known_to_do)
{
    static const struct {
        unsigned release;
        enum ra_ability ability;
        enum ra_answer answer;
    } known[] = {
        { 502, RA_CAN_LOAD_V5, RA_NO },
        { 602, RA_CAN_LOAD_V5, RA_YES },
        { 602, RA_CAN_LOAD_V6, RA_NO },
        { 604, RA_CAN_LOAD_V6, RA_YES },
        { 602, RA_CAN_LOAD_GENERIC, RA_NO },
        { 700, RA_CAN_LOAD_GENERIC, RA_YES },
        { 502, RA_CAN_READ_CCOB2, RA_NO },
        { 603, RA_CAN_READ_CCOB2, RA_YES },
        { 603, RA_CAN_READ_CCOB3, RA_NO },
        { 701, RA_CAN_READ_CCOB3, RA_YES },
        { 700, RA_CAN_READ_KPACK, RA_NO },
        { 714, RA_CAN_READ_KPACK, RA_YES },
        { 502, RA_CAN_GO_ON_WITHOUT_GPU, RA_NO },
        { 506, RA_CAN_GO_ON_WITHOUT_GPU, RA_NOT_KNOWN },
        { 600, RA_CAN_GO_ON_WITHOUT_GPU, RA_YES },
        { 604, RA_CAN_STOP_AT_GPU, RA_NO },
        { 700, RA_CAN_STOP_AT_GPU, RA_YES },
        { 9999, RA_CAN_READ_CCOB1, RA_NO },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_rocm rocm = rocm_of(known[i].release);

        cr_assert_eq(ra_rocm_can(&rocm, known[i].ability), known[i].answer, "%u %s",
                     known[i].release, ra_ability_text(known[i].ability));
    }
}

Test(runtime, every_fault_has_an_error_in_every_release)
{
    for (unsigned release = RA_ROCM_OLDEST; release <= RA_ROCM_NEWEST; release++)
        for (size_t i = 0; i < RA_FAULTS; i++) {
            struct ra_rocm rocm = rocm_of(release);

            cr_assert_neq(*ra_rocm_error(&rocm, (enum ra_fault_kind)i)->text, '\0');
        }
}

/* hipGetErrorString's texts and numbers, and the aborts of ROCm 5.2.3 as measured. */
Test(runtime, errors_are_those_of_the_release)
{
    static const struct {
        unsigned release;
        enum ra_fault_kind fault;
        enum ra_consequence consequence;
        unsigned number;
        const char *text;
    } known[] = {
        { 502, RA_FAULT_NO_MATCH, RA_CONSEQUENCE_ABORT, 209,
          "Unable to find code object for all current devices!" },
        { 602, RA_FAULT_NO_MATCH, RA_CONSEQUENCE_REFUSED, 98, "invalid device function" },
        { 700, RA_FAULT_NO_MATCH, RA_CONSEQUENCE_REFUSED, 200,
          "device kernel image is invalid" },
        { 502, RA_FAULT_RAW, RA_CONSEQUENCE_REFUSED, 303, "SharedObjectInitFailed" },
        { 700, RA_FAULT_REFUSED, RA_CONSEQUENCE_REFUSED, 209,
          "no kernel image is available" },
        { 602, RA_FAULT_UNREADABLE, RA_CONSEQUENCE_REFUSED, 801,
          "operation not supported" },
        { 700, RA_FAULT_NO_GPU, RA_CONSEQUENCE_REFUSED, 100, "no ROCm-capable device" },
        { 602, RA_FAULT_NOT_CODE, RA_CONSEQUENCE_REFUSED, 209, "no kernel image" },
    };

    for (size_t i = 0; i < RA_COUNT(known); i++) {
        struct ra_rocm rocm = rocm_of(known[i].release);
        const struct ra_rocm_error *error = ra_rocm_error(&rocm, known[i].fault);

        cr_assert_eq(error->consequence, known[i].consequence);
        cr_assert_eq(error->number, known[i].number);
        cr_assert(strstr(error->text, known[i].text), "%s", error->text);
    }
}

Test(runtime, processors_come_and_go)
{
    struct ra_rocm old = rocm_of(502), six = rocm_of(603), seven = rocm_of(700);

    cr_assert(ra_rocm_lacks(&old, "gfx1100") && !ra_rocm_lacks(&six, "gfx1100"));
    cr_assert(ra_rocm_lacks(&six, "gfx950") && !ra_rocm_lacks(&seven, "gfx950"));
    cr_assert(!ra_rocm_lacks(&six, "gfx940") && ra_rocm_lacks(&seven, "gfx940"));
    cr_assert(!ra_rocm_lacks(&old, "gfx90a") && !ra_rocm_lacks(&seven, "gfx1030"));
}

Test(runtime, siblings_are_debians_alone)
{
    struct ra_rocm debian = { 600, RA_DEBIAN }, upstream = rocm_of(600);
    struct ra_rocm bookworm = { 502, RA_DEBIAN }; /* measured: takes none */

    cr_assert_str_eq(ra_rocm_sibling(&debian, "gfx1031"), "gfx1030");
    cr_assert_str_eq(ra_rocm_sibling(&debian, "gfx1011"), "gfx1010");
    cr_assert_null(ra_rocm_sibling(&debian, "gfx1030"));
    cr_assert_null(ra_rocm_sibling(&debian, "gfx90c"));
    cr_assert_null(ra_rocm_sibling(&upstream, "gfx1031"));
    cr_assert_null(ra_rocm_sibling(&bookworm, "gfx1031"));
}

/* ---- which one it is -------------------------------------------------------------- */

static struct ra_arena arena;

static void forget(void)
{
    folder_remove();
    ra_arena_free(&arena);
}

/* What is settled with the folder walked; the wish names an empty installation. */
static struct ra_runtime settled(struct ra_runtime_wish wish, struct ra_rocm *rocm)
{
    const char *paths[] = { folder_path };
    struct ra_walk walk;
    struct ra_runtime runtime;

    cr_assert_eq(ra_walk(paths, 1, &walk), RA_OK);
    cr_assert_eq(ra_runtime_settle(&wish, &walk, NULL, 0, &arena, rocm, &runtime), RA_OK);
    ra_walk_free(&walk);
    return runtime;
}

Test(runtime, what_was_told_wins, .init = folder_make, .fini = forget)
{
    struct ra_rocm rocm;
    struct ra_runtime runtime;

    folder_write("libamdhip64.so.7.0.70002", "");
    runtime = settled((struct ra_runtime_wish){ .version = "6.2" }, &rocm);
    cr_assert_eq(rocm.release, 602);
    cr_assert_str_eq(runtime.version, "6.2");
    cr_assert_str_eq(runtime.source, "--runtime");
    cr_assert_not(runtime.assumed);
}

Test(runtime, a_runtime_beside_the_code_is_found, .init = folder_make, .fini = forget)
{
    static const struct {
        const char *name;
        unsigned release;
    } clues[] = {
        { "torch/lib/libamdhip64.so.7.0.70002", 700 },
        { "x.libs/libamdhip64-f1043337.so.7.2.70204", 702 },
        { "x.libs/libamdhip64-00ca863d.so.7.14.60850-0000000", 714 },
        { "rocm_sdk_core-7.14.0.dist-info/RECORD", 714 },
        { "torch-2.9.0+rocm6.4.dist-info/RECORD", 604 },
        { "opt/.info/version", 602 },
    };

    for (size_t i = 0; i < RA_COUNT(clues); i++) {
        struct ra_rocm rocm;
        struct ra_runtime runtime;

        folder_remove();
        folder_make();
        folder_write(clues[i].name, "6.2.0-66\n");
        runtime = settled((struct ra_runtime_wish){ 0 }, &rocm);
        cr_assert_eq(rocm.release, clues[i].release, "%s", clues[i].name);
        cr_assert(strstr(runtime.source, clues[i].name), "%s", runtime.source);
        cr_assert_not(runtime.assumed);
    }
}

/* A member of an archive is a name, and a version file what was read of it. */
Test(runtime, archives_tell_it_as_well, .init = folder_make, .fini = forget)
{
    const struct ra_runtime_member members[] = {
        { "a.whl!torch-2.9.0+rocm7.0.dist-info/METADATA", { 0 } },
        { "b.tar.gz!rocm/.info/version", { (const uint8_t *)"6.4.1-12\n", 9, 0 } },
    };
    struct ra_runtime_wish wish = { 0 };
    struct ra_runtime runtime;
    struct ra_rocm rocm;

    cr_assert_eq(ra_runtime_settle(&wish, NULL, members, 1, &arena, &rocm, &runtime),
                 RA_OK);
    cr_assert_eq(rocm.release, 700);
    cr_assert_str_eq(runtime.source, members[0].path);
    cr_assert_eq(ra_runtime_settle(&wish, NULL, members, 2, &arena, &rocm, &runtime),
                 RA_OK);
    cr_assert_eq(rocm.release, 604);
    cr_assert(ra_runtime_is_clue(members[0].path) && ra_runtime_is_clue(members[1].path));
    cr_assert_not(ra_runtime_is_clue("a.whl!torch/lib/libtorch_hip.so"));
}

Test(runtime, the_more_exact_clue_wins_and_others_are_told, .init = folder_make,
     .fini = forget)
{
    struct ra_rocm rocm;
    struct ra_runtime runtime;

    folder_write("a-1.0+rocm5.7.dist-info/RECORD", "");
    folder_write("b/libamdhip64.so.6.2.60204", "");
    folder_write("c/libamdhip64.so.7.0.70002", "");
    runtime = settled((struct ra_runtime_wish){ 0 }, &rocm);
    cr_assert_eq(rocm.release, 602);
    cr_assert(strstr(runtime.source, "7.0"), "%s", runtime.source);
}

/* A link's name has no version, and a name without one says nothing. */
Test(runtime, vague_names_are_no_clue, .init = folder_make, .fini = forget)
{
    const char *installed = folder_name("nothing");
    struct ra_rocm rocm;
    struct ra_runtime runtime;

    folder_write("libamdhip64.so", "");
    folder_write("libamdhip64.so.6", "");
    folder_write("libamdhip64.so.x.y", "");
    folder_write("torch-2.9.0+cu126.dist-info/RECORD", "");
    folder_write("opt/.info/version", "none");
    runtime = settled((struct ra_runtime_wish){ .rocm = installed }, &rocm);
    cr_assert_eq(rocm.release, RA_ROCM_NEWEST);
    cr_assert(runtime.assumed);
    cr_assert_str_eq(runtime.version, "");
    cr_assert(strstr(runtime.source, "nothing in "), "%s", runtime.source);
}

Test(runtime, an_installation_is_looked_into, .init = folder_make, .fini = forget)
{
    struct ra_rocm rocm;

    folder_write("rocm/lib/libamdhip64.so.6.3.60300", "");
    (void)settled((struct ra_runtime_wish){ .rocm = folder_name("rocm") }, &rocm);
    cr_assert_eq(rocm.release, 603);
}

Test(runtime, debians_library_stands_in_debians_folder, .init = folder_make,
     .fini = forget)
{
    struct ra_rocm rocm;
    struct ra_runtime runtime;

    folder_write("usr/lib/x86_64-linux-gnu/libamdhip64.so.5.7.31921", "");
    runtime = settled((struct ra_runtime_wish){ 0 }, &rocm);
    cr_assert_eq(rocm.compat, RA_DEBIAN);
    cr_assert_str_eq(runtime.compat, "debian");
    runtime = settled((struct ra_runtime_wish){ .compat = "upstream" }, &rocm);
    cr_assert_eq(rocm.compat, RA_UPSTREAM);
    cr_assert_str_eq(runtime.compat_source, "--compat");
}
