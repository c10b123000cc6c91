#include "facts.h"

#include "audit/judge_kpack.h"
#include "base/text.h"

#include <criterion/criterion.h>

enum { MOST = 8 };

/*
 * Archives as a text, one a word, in the order they are found in:
 *
 *     NAME=LIST>CODE
 *
 * NAME is the target its file is named for, * if for all, with ! in front if it was not
 * read whole. LIST has the targets of gfx_arches, CODE those that it has code for one
 * wrapper for, both apart by commas; CODE may say what e_flags are, gfx90a@gfx942, and
 * a ? that it could not be read.
 */
struct made {
    struct ra_kpack kpack;
    struct ra_kpack_archive archives[MOST];
    struct ra_entry entries[MOST];
    struct ra_bundle bundle;
};

static void add_entry(struct made *made, size_t archive, char *text)
{
    char *elf = strchr(text, '@'), *mark = strchr(text, '?');
    struct ra_entry *entry = &made->entries[made->bundle.entry_count++];

    cr_assert_leq(made->bundle.entry_count, MOST);
    if (elf)
        *elf++ = '\0';
    if (mark)
        *mark = '\0';
    *entry = facts_entry(text, elf ? elf : text);
    entry->id = "";
    entry->archive_index = archive;
    if (mark) {
        entry->content = RA_CONTENT_UNREAD;
        entry->complete = false;
        entry->size = 0;
    }
}

static void add_archive(struct made *made, char *word)
{
    size_t index = made->kpack.archive_count++;
    struct ra_kpack_archive *archive = &made->archives[index];
    const char **arches = ra_new(&facts_arena, const char *, MOST);
    char *list = strchr(word, '='), *code = strchr(word, '>');

    cr_assert(list && code && index < MOST, "%s", word);
    *list++ = *code++ = '\0';
    archive->complete = *word != '!';
    word += *word == '!';
    archive->target = strcmp(word, "*") == 0 ? "" : word;
    archive->path = ra_text_format(&facts_arena, "%zu.kpack", index);
    archive->arches = arches;
    for (char *arch; (arch = strsep(&list, ",")) && *arch;)
        arches[archive->arch_count++] = arch;
    for (char *entry; (entry = strsep(&code, ",")) && *entry;) {
        add_entry(made, index, entry);
        archive->has_binary = true;
    }
}

static struct made *make(const char *text)
{
    struct made *made = ra_new(&facts_arena, struct made, 1);
    char *rest = ra_arena_text(&facts_arena, text, strlen(text));

    for (char *word; (word = strsep(&rest, " ")) && *word;)
        add_archive(made, word);
    made->kpack.archives = made->archives;
    made->bundle.container = "kpack";
    made->bundle.key = "lib/libfoo.so#0";
    made->bundle.kpack = &made->kpack;
    made->bundle.entries = made->entries;
    made->bundle.has_table = made->bundle.complete = true;
    return made;
}

static struct ra_choice judged(const char *archives, const char *gpu, unsigned release)
{
    struct ra_target target = facts_target(gpu);
    struct ra_rocm rocm = { release, RA_UPSTREAM };

    return ra_judge_bundle(&make(archives)->bundle, &target, &rocm);
}

#define FULL "gfx942:sramecc+:xnack-"
#define MI   "gfx90a:sramecc+:xnack-"

/* ---- the newest release -------------------------------------------------------- */

static const struct {
    const char *archives, *gpu;
    enum ra_verdict_kind kind;
    const char *taken; /* the archive by its number, and the target; "" if none */
} newest_rows[] = {
    /* the most specific name of a GPU comes first, wherever its archive stands */
    { "*=gfx942,gfx942:xnack-,gfx942:sramecc+,gfx942:sramecc+:xnack->"
      "gfx942,gfx942:xnack-,gfx942:sramecc+,gfx942:sramecc+:xnack-",
      FULL, RA_NATIVE, "0 gfx942:sramecc+:xnack-" },
    { "*=gfx942,gfx942:xnack-,gfx942:sramecc+>gfx942,gfx942:xnack-,gfx942:sramecc+", FULL,
      RA_NATIVE, "0 gfx942:sramecc+" },
    { "*=gfx942,gfx942:xnack->gfx942,gfx942:xnack-", FULL, RA_NATIVE, "0 gfx942:xnack-" },
    { "*=gfx942>gfx942 *=gfx942:xnack->gfx942:xnack-", FULL, RA_NATIVE,
      "1 gfx942:xnack-" },
    { "gfx942=gfx942>gfx942 gfx942:xnack-=gfx942:xnack->gfx942:xnack-", FULL, RA_NATIVE,
      "1 gfx942:xnack-" },
    /* of one name, the first archive */
    { "*=gfx942>gfx942 gfx942=gfx942>gfx942", FULL, RA_NATIVE, "0 gfx942" },
    /* the generic target after all names of its own */
    { "gfx11-generic=gfx11-generic>gfx11-generic gfx1100=gfx1100>gfx1100", "gfx1100",
      RA_NATIVE, "1 gfx1100" },
    { "gfx11-generic=gfx11-generic>gfx11-generic", "gfx1151", RA_GENERIC,
      "0 gfx11-generic" },
    { "gfx9-4-generic=gfx9-4-generic>gfx9-4-generic", FULL, RA_GENERIC,
      "0 gfx9-4-generic" },
    { "gfx9-generic=gfx9-generic>gfx9-generic", "gfx906:sramecc+:xnack-", RA_GENERIC,
      "0 gfx9-generic" },
    { "gfx9-generic=gfx9-generic>gfx9-generic", MI, RA_MISSING, "" },
    { "gfx9-generic=gfx9-generic>gfx9-generic", "gfx908:sramecc+:xnack-", RA_MISSING,
      "" },
    { "gfx11-generic=gfx11-generic>gfx11-generic", "gfx1201", RA_MISSING, "" },
    /* an archive is opened by its name, and used by its list */
    { "gfx1030=gfx90a>gfx90a", MI, RA_MISSING, "" },
    { "gfx90a=gfx1030>gfx90a", MI, RA_MISSING, "" },
    { "gfx90a=>gfx90a", MI, RA_MISSING, "" },
    { "*=gfx90a>gfx90a", MI, RA_NATIVE, "0 gfx90a" },
    { "gfx90a:xnack-=gfx90a>gfx90a", MI, RA_NATIVE, "0 gfx90a" },
    { "gfx11-generic=gfx1100>gfx1100", "gfx1100", RA_NATIVE, "0 gfx1100" },
    { "gfx90a=gfx90a>gfx90a:xnack-", MI, RA_MISSING, "" },
    /* further archives, where one that lists the name lacks the code */
    { "gfx90a:xnack-=gfx90a:xnack-> gfx90a=gfx90a>gfx90a", MI, RA_NATIVE, "1 gfx90a" },
    { "*=gfx90a> gfx90a=gfx90a>gfx90a", MI, RA_NATIVE, "1 gfx90a" },
    { "gfx1100=gfx1100> gfx11-generic=gfx11-generic>gfx11-generic", "gfx1100", RA_GENERIC,
      "1 gfx11-generic" },
    { "gfx90a=gfx90a>", MI, RA_MISSING, "" },
    { "", MI, RA_MISSING, "" },
    /* the other mode */
    { "gfx90a:xnack+=gfx90a:xnack+>gfx90a:xnack+", MI, RA_FEATURE_MISMATCH,
      "0 gfx90a:xnack+" },
    { "gfx90a:xnack+=gfx90a:xnack+>gfx90a:xnack+ gfx90a=gfx90a>gfx90a", MI, RA_NATIVE,
      "1 gfx90a" },
    { "gfx90a:xnack+=gfx90a:xnack+>gfx90a:xnack+", "gfx90a:sramecc+:xnack+", RA_NATIVE,
      "0 gfx90a:xnack+" },
    /* the code is another than the key says: it was chosen, and is refused */
    { "gfx90a=gfx90a>gfx90a@gfx942", MI, RA_UNLOADABLE, "0 gfx90a" },
    { "gfx90a=gfx90a>gfx90a@gfx90a:xnack+", MI, RA_UNLOADABLE, "0 gfx90a" },
    { "gfx90a=gfx90a>gfx90a@gfx90a:xnack-", MI, RA_NATIVE, "0 gfx90a" },
    { "gfx90a:xnack-=gfx90a:xnack->gfx90a:xnack-@gfx942 gfx90a=gfx90a>gfx90a", MI,
      RA_UNLOADABLE, "0 gfx90a:xnack-" },
    /* what was not read */
    { "!gfx90a=>", MI, RA_UNDECIDED, "" },
    { "!gfx90a=gfx90a>", MI, RA_UNDECIDED, "" },
    { "!*=>", MI, RA_UNDECIDED, "" },
    { "!gfx1030=>", MI, RA_MISSING, "" },
    { "!gfx90a:xnack+=>", MI, RA_MISSING, "" },
    { "!gfx9-4-generic=>", FULL, RA_UNDECIDED, "" },
    { "!gfx90a=gfx90a>gfx90a?", MI, RA_UNDECIDED, "0 gfx90a" },
    { "!gfx90a=gfx90a,gfx90a:xnack->gfx90a,gfx90a:xnack-?", MI, RA_UNDECIDED,
      "0 gfx90a:xnack-" },
    { "!gfx1030=gfx1030>gfx1030? gfx90a=gfx90a>gfx90a", MI, RA_NATIVE, "1 gfx90a" },
};

Test(judge_kpack, the_loader_goes_by_name_and_then_by_archive, .fini = facts_forget)
{
    for (size_t i = 0; i < RA_COUNT(newest_rows); i++) {
        struct ra_choice found =
            judged(newest_rows[i].archives, newest_rows[i].gpu, RA_ROCM_NEWEST);
        const char *taken =
            found.entry ? ra_text_format(&facts_arena, "%zu %s",
                                         found.entry->archive_index, found.entry->target)
                        : "";

        cr_expect_eq(found.kind, newest_rows[i].kind, "%s on %s is %s, not %s",
                     newest_rows[i].archives, newest_rows[i].gpu,
                     ra_verdict_name(found.kind), ra_verdict_name(newest_rows[i].kind));
        cr_expect_str_eq(taken, newest_rows[i].taken, "%s on %s takes %s, not %s",
                         newest_rows[i].archives, newest_rows[i].gpu, taken,
                         newest_rows[i].taken);
    }
}

/* ---- releases ------------------------------------------------------------------- */

#define PLAIN  "gfx90a=gfx90a>gfx90a"
#define HIDDEN "gfx90a:xnack-=gfx90a:xnack-> gfx90a=gfx90a>gfx90a"
#define UNREAD "!gfx90a:xnack-=gfx90a:xnack-> gfx90a=gfx90a>gfx90a"

static const struct {
    const char *archives, *gpu;
    unsigned release;
    enum ra_verdict_kind kind;
    bool passed;
} release_rows[] = {
    { PLAIN, MI, 602, RA_UNLOADABLE, false },
    { PLAIN, MI, 712, RA_UNLOADABLE, false },
    { PLAIN, MI, 713, RA_NATIVE, false },
    { PLAIN, MI, 714, RA_NATIVE, false },
    { PLAIN, MI, 1000, RA_NATIVE, false },
    { PLAIN, MI, 1001, RA_NATIVE, false },
    { PLAIN, "gfx1100", 714, RA_MISSING, false },
    { PLAIN, "gfx1100", 1000, RA_MISSING, false },
    /* up to 7.14 the first archive that lists the GPU is the only one */
    { HIDDEN, MI, 713, RA_MISSING, true },
    { HIDDEN, MI, 714, RA_MISSING, true },
    { HIDDEN, MI, 1000, RA_UNDECIDED, false },
    { HIDDEN, MI, 1001, RA_NATIVE, true },
    { HIDDEN, MI, RA_ROCM_NEWEST, RA_NATIVE, true },
    { HIDDEN, "gfx90a:sramecc+:xnack+", 714, RA_NATIVE, false },
    /* the kernel is missing, or the archive */
    { "gfx90a=gfx90a>", MI, RA_ROCM_NEWEST, RA_MISSING, true },
    { "gfx90a=gfx1030>gfx1030", MI, RA_ROCM_NEWEST, RA_MISSING, false },
    /* the code may be in what was not read of the first one */
    { UNREAD, "gfx90a:sramecc+:xnack+", 714, RA_NATIVE, false },
    { UNREAD, MI, RA_ROCM_NEWEST, RA_NATIVE, true },
};

Test(judge_kpack, releases_differ_in_what_they_try, .fini = facts_forget)
{
    for (size_t i = 0; i < RA_COUNT(release_rows); i++) {
        struct ra_choice found = judged(release_rows[i].archives, release_rows[i].gpu,
                                        release_rows[i].release);

        cr_expect_eq(found.kind, release_rows[i].kind, "%s with %u is %s, not %s",
                     release_rows[i].archives, release_rows[i].release,
                     ra_verdict_name(found.kind), ra_verdict_name(release_rows[i].kind));
        if (found.kind != RA_UNDECIDED)
            cr_expect_eq(found.passed, release_rows[i].passed, "%s with %u",
                         release_rows[i].archives, release_rows[i].release);
    }
}

Test(judge_kpack, what_hangs_on_a_release_says_on_what, .fini = facts_forget)
{
    cr_assert_eq(judged(HIDDEN, MI, 1000).ability, RA_CAN_TRY_FURTHER_KPACK);
    cr_assert_eq(judged(PLAIN, MI, 712).ability, RA_CAN_READ_KPACK);
    cr_assert_eq(judged(PLAIN, MI, 712).refusal, RA_CONTAINER);
}

/* ---- archives with several names ------------------------------------------------ */

Test(judge_kpack, an_archive_by_two_names_serves_both, .fini = facts_forget)
{
    struct made *made = make("gfx1030=gfx1030,gfx1100>gfx1030,gfx1100 "
                             "gfx1100=gfx1030,gfx1100>");
    struct ra_target first = facts_target("gfx1030"), second = facts_target("gfx1100"),
                     third = facts_target("gfx1101");

    made->archives[1].path = made->archives[0].path;
    cr_assert_eq(ra_judge_bundle(&made->bundle, &first, &facts_rocm).kind, RA_NATIVE);
    cr_assert_eq(ra_judge_bundle(&made->bundle, &second, &facts_rocm).kind, RA_NATIVE);
    cr_assert_eq(ra_judge_bundle(&made->bundle, &third, &facts_rocm).kind, RA_MISSING);
}

/* ---- what is lacking ------------------------------------------------------------- */

static const struct {
    const char *archives, *gpu;
    bool generic;
    enum ra_kpack_lack lack;
} lack_rows[] = {
    { "", MI, true, RA_KPACK_NO_ARCHIVE },
    { "gfx1030=gfx1030>gfx1030", MI, true, RA_KPACK_NO_ARCHIVE },
    { "gfx90a:xnack+=gfx90a:xnack+>gfx90a:xnack+", MI, true, RA_KPACK_NO_ARCHIVE },
    { "gfx90a=gfx90a>", MI, true, RA_KPACK_NO_BINARY },
    { "gfx90a=gfx1030>gfx90a", MI, true, RA_KPACK_NO_BINARY },
    { "*=gfx1030>gfx1030", MI, true, RA_KPACK_NO_BINARY },
    { "gfx90a=gfx90a>gfx90a", MI, true, RA_KPACK_NO_KERNEL },
    { "gfx90a:xnack-=gfx90a:xnack-> gfx90a=gfx90a>gfx90a", MI, true, RA_KPACK_NO_KERNEL },
    { "gfx11-generic=gfx11-generic>gfx11-generic", "gfx1100", true, RA_KPACK_NO_KERNEL },
    { "gfx11-generic=gfx11-generic>gfx11-generic", "gfx1100", false,
      RA_KPACK_NO_ARCHIVE },
};

Test(judge_kpack, what_is_lacking_is_the_archive_the_library_or_the_kernel,
     .fini = facts_forget)
{
    for (size_t i = 0; i < RA_COUNT(lack_rows); i++) {
        struct ra_target target = facts_target(lack_rows[i].gpu);
        const struct made *made = make(lack_rows[i].archives);

        cr_expect_eq(ra_kpack_lacks(&made->kpack, &target, lack_rows[i].generic),
                     lack_rows[i].lack, "%s on %s", lack_rows[i].archives,
                     lack_rows[i].gpu);
    }
}

/* ---- what was assumed ------------------------------------------------------------ */

Test(judge_kpack, an_assumed_mode_that_matters_is_told, .fini = facts_forget)
{
    struct made *made = make("gfx90a:xnack-=gfx90a:xnack->gfx90a:xnack-");
    struct ra_file file = facts_file("a.so", &made->bundle, 1);
    struct ra_device device = facts_device(MI);
    struct ra_verdict verdict;

    device.xnack_assumed = true;
    cr_assert_eq(ra_judge_file(&file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    cr_assert_eq(verdict.kind, RA_NATIVE);
    cr_assert_str_eq(verdict.assumption, "fails if xnack is on");
    made = make("gfx90a=gfx90a>gfx90a");
    file = facts_file("a.so", &made->bundle, 1);
    cr_assert_eq(ra_judge_file(&file, &device, &facts_rocm, &facts_arena, &verdict),
                 RA_OK);
    cr_assert_null(verdict.assumption);
}

/* ---- several GPUs ----------------------------------------------------------- */

/* What the second of two GPUs does to the first, and the first to the second. */
static void assert_blocks(const char *archives, enum ra_block first, enum ra_block second)
{
    struct ra_file file = facts_file("libfoo.so", &make(archives)->bundle, 1);
    struct ra_device devices[] = { facts_device("gfx90a:sramecc+:xnack-"),
                                   facts_device("gfx1100") };
    struct ra_rocm rocm = { 1001, RA_UPSTREAM };
    struct ra_verdict verdicts[2] = { 0 };

    devices[1].index = devices[1].same_as = 1;
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(ra_judge_file(&file, &devices[i], &rocm, &facts_arena, &verdicts[i]),
                     RA_OK);
    ra_judge_machine(&file, devices, 2, &rocm, verdicts);
    cr_expect_eq(verdicts[0].block, first, "%s: %d", archives, verdicts[0].block);
    cr_expect_eq(verdicts[1].block, second, "%s: %d", archives, verdicts[1].block);
}

/* Nothing found for a GPU passes it over; found and lacking, the load ends for all. */
Test(judge_kpack, an_archive_that_lacks_code_undoes_the_load_of_others,
     .fini = facts_forget)
{
    assert_blocks("gfx90a=gfx90a>gfx90a gfx1100=gfx1100>gfx1100", RA_BLOCK_NONE,
                  RA_BLOCK_NONE);
    assert_blocks("gfx90a=gfx90a>gfx90a", RA_BLOCK_NONE, RA_BLOCK_NONE);
    assert_blocks("gfx1100=gfx1100>gfx1100", RA_BLOCK_NONE, RA_BLOCK_NONE);
    assert_blocks("gfx90a=gfx90a> gfx1100=gfx1100>gfx1100", RA_BLOCK_NONE, RA_BLOCK_STOP);
    assert_blocks("gfx90a=gfx90a>gfx90a gfx1100=gfx1100>", RA_BLOCK_STOP, RA_BLOCK_NONE);
}
