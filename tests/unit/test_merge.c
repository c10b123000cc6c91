#include "audit/merge.h"

#include "base/text.h"
#include "facts.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { MOST = 8 };

/* An archive that was scanned, with a bundle of one gfx90a entry a key. */
struct archive {
    struct ra_scanned scanned;
    struct ra_kpack kpack;
    struct ra_kpack_archive self;
    struct ra_bundle bundles[MOST];
    struct ra_kpack_index index;
};

static struct archive *make_archive(const char *path, const char *keys)
{
    struct archive *archive = ra_new(&facts_arena, struct archive, 1);
    char *rest = ra_arena_text(&facts_arena, keys, strlen(keys));
    struct ra_entry entry = facts_code("gfx90a");
    size_t count = 0;

    entry.offset = 3;
    for (char *key; (key = strsep(&rest, " ")) && *key; count++) {
        cr_assert_lt(count, MOST);
        archive->bundles[count] = facts_bundle("kpack", &entry, 1);
        archive->bundles[count].key = key;
        archive->bundles[count].offset = 100 * (count + 1);
    }
    archive->self.complete = true;
    archive->kpack = (struct ra_kpack){ .name = "foo",
                                        .archives = &archive->self,
                                        .archive_count = 1 };
    archive->scanned.file = (struct ra_file){ .path = path,
                                              .kind = RA_KIND_KPACK,
                                              .kpack = &archive->kpack,
                                              .bundles = archive->bundles,
                                              .bundle_count = count };
    return archive;
}

/* A host file of some wrappers, #0 and on. */
struct host {
    struct ra_scanned scanned;
    struct ra_kpack kpack;
    struct ra_bundle bundles[MOST];
};

static struct host *make_host(const char *name, size_t wrappers)
{
    struct host *host = ra_new(&facts_arena, struct host, 1);

    for (size_t i = 0; i < wrappers; i++)
        host->bundles[i] =
            (struct ra_bundle){ .container = "kpack",
                                .key = ra_text_format(&facts_arena, "%s#%zu", name, i),
                                .kpack = &host->kpack,
                                .has_table = true,
                                .complete = true };
    host->kpack.name = name;
    host->scanned.file = (struct ra_file){ .path = "libfoo.so",
                                           .kind = RA_KIND_ELF,
                                           .kpack = &host->kpack,
                                           .bundles = host->bundles,
                                           .bundle_count = wrappers };
    host->scanned.diags.arena = &host->scanned.arena;
    host->scanned.diags.limit = 100;
    return host;
}

static void add(struct ra_merge *merge, struct archive *archive, const char *target)
{
    cr_assert_eq(ra_merge_add(merge, &archive->scanned, &archive->index, target), RA_OK);
}

static void finish(struct host *host, struct ra_merge *merge)
{
    for (size_t i = 0; i < merge->count; i++)
        ra_kpack_index_free(merge->list[i].index);
    ra_merge_free(merge);
    ra_arena_free(&host->scanned.arena);
    ra_arena_free(&host->scanned.kernels_arena);
}

Test(merge, each_wrapper_gets_what_is_listed_by_its_key, .fini = facts_forget)
{
    struct host *host = make_host("lib/a.so", 3);
    struct archive *archive = make_archive("x.kpack", "lib/a.so#2 lib/a.so#0 lib/b.so#1");
    struct ra_merge merge = { 0 };

    add(&merge, archive, "gfx90a");
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_eq(host->bundles[0].entry_count, 1);
    cr_assert_eq(host->bundles[1].entry_count, 0);
    cr_assert_eq(host->bundles[2].entry_count, 1);
    cr_assert_eq(host->bundles[0].entries[0].offset, 203, "of the archive");
    cr_assert_eq(host->bundles[2].entries[0].offset, 103);
    cr_assert_str_eq(host->bundles[0].entries[0].archive, "x.kpack");
    cr_assert_str_eq(host->bundles[0].entries[0].archive_target, "gfx90a");
    cr_assert(archive->kpack.used);
    cr_assert_eq(host->scanned.file.status, RA_FILE_OK);
    finish(host, &merge);
}

Test(merge, an_archive_is_described_for_its_host, .fini = facts_forget)
{
    struct host *host = make_host("lib/a.so", 1);
    struct ra_merge merge = { 0 };
    const struct ra_kpack_archive *told;

    add(&merge,
        make_archive("x.kpack", "lib/a.so#1#0 lib/a.so#7 lib/a.so#2 lib/a.soo#1 lib/b#0"),
        "");
    add(&merge, make_archive("y.kpack", "lib/b#0"), "gfx1030");
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_eq(host->kpack.archive_count, 2);
    told = host->kpack.archives;
    cr_assert_eq(told[0].binary_count, 4, "a.so, a.so#1, a.soo and b");
    cr_assert(told[0].has_binary);
    cr_assert_str_eq(told[0].numbers, "#2 #7");
    cr_assert_eq(told[1].binary_count, 1);
    cr_assert_not(told[1].has_binary);
    cr_assert_str_eq(told[1].numbers, "");
    finish(host, &merge);
}

Test(merge, many_numbers_are_cut_off, .fini = facts_forget)
{
    struct host *host = make_host("a", 1);
    struct ra_merge merge = { 0 };
    char keys[MOST * 5 + 1] = "";

    for (size_t i = 0; i < MOST; i++)
        snprintf(keys + strlen(keys), 6, "%sa#%zu", i > 0 ? " " : "", i);
    add(&merge, make_archive("x.kpack", keys), "");
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_str_eq(host->kpack.archives[0].numbers, "#0 #1 #2 #3 #4 #5 #6 #7");
    finish(host, &merge);
}

/* By the same name it is one archive; by another it is there for that target as well. */
Test(merge, an_archive_brings_its_entries_once, .fini = facts_forget)
{
    struct host *host = make_host("a", 1);
    struct archive *archive = make_archive("x.kpack", "a#0");
    struct ra_merge merge = { 0 };

    add(&merge, archive, "gfx90a");
    add(&merge, archive, "gfx90a");
    add(&merge, archive, "gfx942");
    add(&merge, archive, "gfx90a");
    cr_assert_eq(merge.count, 2);
    cr_assert_eq(merge.list[1].first, 0);
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_eq(host->bundles[0].entry_count, 1);
    cr_assert_eq(host->kpack.archive_count, 2);
    cr_assert_eq(host->kpack.archives[0].path, host->kpack.archives[1].path);
    finish(host, &merge);
}

static size_t count_diags(const struct host *host, const char *code)
{
    size_t count = 0;

    for (const struct ra_diag *diag = host->scanned.file.diags; diag; diag = diag->next)
        count += strcmp(diag->code, code) == 0;
    return count;
}

Test(merge, an_archive_that_was_not_read_whole_spoils_its_host, .fini = facts_forget)
{
    struct host *host = make_host("a", 1);
    struct archive *damaged = make_archive("x.kpack", "a#0"),
                   *unread = make_archive("y.kpack", "");
    struct ra_merge merge = { 0 };

    damaged->scanned.file.status = RA_FILE_INCOMPLETE;
    unread->scanned.file.status = RA_FILE_UNREADABLE;
    unread->scanned.file.kpack = NULL;
    add(&merge, damaged, "gfx90a");
    add(&merge, damaged, "gfx942");
    add(&merge, unread, "gfx1030");
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_eq(host->scanned.file.status, RA_FILE_INCOMPLETE);
    cr_assert_eq(count_diags(host, "D025"), 2);
    cr_assert_not(host->kpack.archives[0].complete);
    cr_assert_not(host->kpack.archives[2].complete);
    cr_assert_eq(host->bundles[0].entry_count, 1, "what could be read counts");
    finish(host, &merge);
}

/* More archives than a file may have: nothing is known of its code, and that is said. */
Test(merge, too_many_archives_leave_the_host_unknown, .fini = facts_forget)
{
    struct host *host = make_host("a", 2);
    struct ra_merge merge = { 0 };

    for (size_t i = 0; i <= RA_MERGE_MOST; i++)
        add(&merge, make_archive("x.kpack", "a#0"), "");
    cr_assert_eq(merge.count, RA_MERGE_MOST);
    cr_assert(merge.full);
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_eq(host->scanned.file.status, RA_FILE_INCOMPLETE);
    cr_assert_eq(count_diags(host, "D005"), 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_not(host->bundles[i].has_table);
        cr_assert_not(host->bundles[i].complete);
        cr_assert_eq(host->bundles[i].entry_count, 0);
    }
    finish(host, &merge);
}

/* 2^32 kernels are said to be there; they would not fit in any memory. */
Test(merge, too_many_facts_leave_a_wrapper_unknown, .fini = facts_forget)
{
    static const struct ra_kernel kernel;
    struct host *host = make_host("a", 2);
    struct archive *archive = make_archive("x.kpack", "a#0 a#1");
    struct ra_merge merge = { 0 };
    struct ra_entry entry = facts_code("gfx90a");

    entry.kernels = &kernel;
    entry.kernel_count = UINT32_MAX;
    archive->bundles[0].entries = &entry;
    add(&merge, archive, "gfx90a");
    cr_assert_eq(ra_merge_into(&merge, &host->scanned), RA_OK);
    cr_assert_not(host->bundles[0].has_table);
    cr_assert_eq(host->bundles[1].entry_count, 1);
    cr_assert_eq(count_diags(host, "D005"), 1);
    cr_assert_eq(host->scanned.file.status, RA_FILE_INCOMPLETE);
    finish(host, &merge);
}
