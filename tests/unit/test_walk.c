#include "io/walk.h"

#include "base/text.h"

#include "scratch.h"

/* What a walk found, one a line: path below the folder, "=" further paths, "!" trouble.
 */
static const char *found(const struct ra_walk *walk, const struct scratch *folder,
                         struct ra_text *text)
{
    size_t skip = strlen(folder->path) + 1;

    for (size_t i = 0; i < walk->count; i++) {
        const struct ra_walk_file *file = walk->files[i];

        ra_text_str(text, file->path + skip);
        for (const struct ra_walk_link *link = file->links; link; link = link->next)
            ra_text_printf(text, "=%s", link->path + skip);
        ra_text_str(text, file->trouble ? "!\n" : "\n");
    }
    return text->data ? text->data : "";
}

/* Walk `roots`, which are below the folder; "" is the folder itself. */
static void assert_found(const struct scratch *folder, const char *const *roots,
                         size_t count, const char *expected)
{
    char *paths[4];
    struct ra_text text = { 0 };
    struct ra_walk walk;

    for (size_t i = 0; i < count; i++)
        paths[i] = *roots[i] ? scratch_at(folder, roots[i]) : strdup(folder->path);
    cr_assert_eq(ra_walk((const char *const *)paths, count, &walk), RA_OK);
    cr_assert_str_eq(found(&walk, folder, &text), expected);
    for (size_t i = 0; i < walk.count; i++) {
        size_t links = 0;

        for (const struct ra_walk_link *link = walk.files[i]->links; link;
             link = link->next)
            links++;
        cr_assert_eq(walk.files[i]->link_count, links);
    }
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    ra_text_free(&text);
    ra_walk_free(&walk);
}

#define ROOTS(...)                                                                       \
    (const char *const[]){ __VA_ARGS__ }, RA_COUNT(((const char *const[]){ __VA_ARGS__ }))

static void empty_file(const struct scratch *folder, const char *name)
{
    scratch_file(folder, name, "x", 1);
}

Test(walk, files_come_in_the_order_of_their_names)
{
    struct scratch folder = scratch_new();

    scratch_make(&folder, "b");
    scratch_make(&folder, "a");
    empty_file(&folder, "b/z");
    empty_file(&folder, "b/a");
    empty_file(&folder, "a.txt");
    empty_file(&folder, "a/x");
    empty_file(&folder, "c");
    empty_file(&folder, "B");
    empty_file(&folder, "\xc3\xa9");
    /* As names sort: the folder "a" stands before the file "a.txt". */
    assert_found(&folder, ROOTS(""), "B\na/x\na.txt\nb/a\nb/z\nc\n\xc3\xa9\n");
    scratch_end(&folder);
}

Test(walk, dot_folders_are_walked_and_git_is_not)
{
    struct scratch folder = scratch_new();

    scratch_make(&folder, ".git");
    scratch_make(&folder, ".hidden");
    scratch_make(&folder, ".github");
    scratch_make(&folder, "sub");
    scratch_make(&folder, "sub/.git");
    empty_file(&folder, ".git/object");
    empty_file(&folder, ".hidden/file");
    empty_file(&folder, ".github/file");
    empty_file(&folder, "sub/.git/object");
    empty_file(&folder, ".dot");
    assert_found(&folder, ROOTS(""), ".dot\n.github/file\n.hidden/file\n");
    assert_found(&folder, ROOTS(".git"), ".git/object\n");
    scratch_end(&folder);
}

Test(walk, a_link_to_a_file_is_a_further_path_of_it)
{
    struct scratch folder = scratch_new();

    empty_file(&folder, "libfoo.so.1.2");
    scratch_link(&folder, "libfoo.so.1.2", "libfoo.so.1");
    scratch_link(&folder, "libfoo.so.1", "libfoo.so");
    assert_found(&folder, ROOTS(""), "libfoo.so.1.2=libfoo.so=libfoo.so.1\n");
    scratch_end(&folder);
}

Test(walk, hard_links_are_one_file)
{
    struct scratch folder = scratch_new();
    char *a, *b;

    scratch_make(&folder, "d");
    empty_file(&folder, "d/a");
    a = scratch_at(&folder, "d/a");
    b = scratch_at(&folder, "b");
    cr_assert_eq(link(a, b), 0);
    assert_found(&folder, ROOTS(""), "b=d/a\n");
    scratch_end(&folder);
    free(a);
    free(b);
}

Test(walk, a_link_to_a_folder_is_not_entered_unless_it_is_named)
{
    struct scratch folder = scratch_new();

    scratch_make(&folder, "real");
    empty_file(&folder, "real/file");
    scratch_link(&folder, "real", "alias");
    scratch_link(&folder, "..", "real/up");
    assert_found(&folder, ROOTS(""), "real/file\n");
    assert_found(&folder, ROOTS("alias"), "alias/file\n");
    scratch_end(&folder);
}

Test(walk, a_named_link_is_followed)
{
    struct scratch folder = scratch_new();

    empty_file(&folder, "file");
    scratch_link(&folder, "file", "link");
    assert_found(&folder, ROOTS("link"), "link\n");
    assert_found(&folder, ROOTS("link", "file"), "link=file\n");
    scratch_end(&folder);
}

Test(walk, a_link_to_a_file_elsewhere_is_read_by_its_own_name)
{
    struct scratch folder = scratch_new();

    scratch_make(&folder, "in");
    empty_file(&folder, "outside");
    scratch_link(&folder, "../outside", "in/one");
    scratch_link(&folder, "../outside", "in/two");
    assert_found(&folder, ROOTS("in"), "in/one=in/two\n");
    scratch_end(&folder);
}

Test(walk, a_dangling_link_is_no_file_but_trouble_if_it_was_named)
{
    struct scratch folder = scratch_new();

    scratch_link(&folder, "nowhere", "dangling");
    empty_file(&folder, "file");
    assert_found(&folder, ROOTS(""), "file\n");
    assert_found(&folder, ROOTS("dangling", "file"), "dangling!\nfile\n");
    scratch_end(&folder);
}

Test(walk, a_link_that_cannot_be_followed_for_another_reason_is_trouble)
{
    struct scratch folder = scratch_new();
    char name[300];

    memset(name, 'n', sizeof(name) - 1); /* longer than any file system takes */
    name[sizeof(name) - 1] = '\0';
    scratch_link(&folder, name, "far");
    scratch_link(&folder, "loop", "loop");
    empty_file(&folder, "file");
    assert_found(&folder, ROOTS(""), "far!\nfile\n");
    scratch_end(&folder);
}

Test(walk, what_is_named_and_not_there_becomes_trouble)
{
    struct scratch folder = scratch_new();
    struct ra_walk walk;

    empty_file(&folder, "file");
    scratch_link(&folder, "loop", "loop");
    assert_found(&folder, ROOTS("missing", "file/below", "loop", "file"),
                 "missing!\nfile/below!\nloop!\nfile\n");
    cr_assert_eq(ra_walk((const char *const[]){ "" }, 1, &walk), RA_OK);
    cr_assert_eq(walk.count, 1);
    cr_assert_str_eq(walk.files[0]->trouble, "No such file or directory");
    cr_assert(walk.files[0]->named);
    ra_walk_free(&walk);
    scratch_end(&folder);
}

Test(walk, an_unreadable_folder_becomes_trouble_and_its_siblings_go_on)
{
    struct scratch folder = scratch_new();
    char *path = scratch_at(&folder, "closed");

    scratch_make(&folder, "closed");
    empty_file(&folder, "open");
    cr_assert_eq(chmod(path, 0), 0);
    if (access(path, R_OK) == 0)
        cr_skip_test("this user may read everything");
    assert_found(&folder, ROOTS(""), "closed!\nopen\n");
    cr_assert_eq(chmod(path, 0700), 0);
    scratch_end(&folder);
    free(path);
}

Test(walk, a_file_named_twice_is_one)
{
    struct scratch folder = scratch_new();

    scratch_make(&folder, "d");
    empty_file(&folder, "d/file");
    assert_found(&folder, ROOTS("d", "d"), "d/file\n");
    assert_found(&folder, ROOTS("d/file", "d/file", "d"), "d/file\n");
    scratch_end(&folder);
}

Test(walk, what_was_named_is_told_from_what_was_met)
{
    struct scratch folder = scratch_new();
    char *file = scratch_at(&folder, "file");
    struct ra_walk walk;

    empty_file(&folder, "file");
    empty_file(&folder, "other");
    cr_assert_eq(ra_walk((const char *const[]){ folder.path, file }, 2, &walk), RA_OK);
    cr_assert_eq(walk.count, 2);
    cr_assert(walk.files[0]->named);
    cr_assert_not(walk.files[1]->named);
    ra_walk_free(&walk);
    scratch_end(&folder);
    free(file);
}

Test(walk, a_name_is_what_is_below_the_only_folder_that_was_named)
{
    struct scratch folder = scratch_new();
    char *slash = scratch_at(&folder, ""), *file = scratch_at(&folder, "d/file");
    struct ra_walk walk;

    scratch_make(&folder, "d");
    empty_file(&folder, "d/file");
    cr_assert_eq(ra_walk((const char *const[]){ folder.path }, 1, &walk), RA_OK);
    cr_assert_str_eq(walk.files[0]->name, "d/file");
    ra_walk_free(&walk);
    cr_assert_eq(ra_walk((const char *const[]){ slash }, 1, &walk), RA_OK);
    cr_assert_str_eq(walk.files[0]->name, "d/file");
    ra_walk_free(&walk);
    cr_assert_eq(ra_walk((const char *const[]){ file }, 1, &walk), RA_OK);
    cr_assert_str_eq(walk.files[0]->name, walk.files[0]->path);
    ra_walk_free(&walk);
    cr_assert_eq(ra_walk((const char *const[]){ folder.path, "/nowhere" }, 2, &walk),
                 RA_OK);
    cr_assert_str_eq(walk.files[0]->name, walk.files[0]->path);
    ra_walk_free(&walk);
    scratch_end(&folder);
    free(slash);
    free(file);
}

Test(walk, pipes_are_passed_by_in_a_folder)
{
    struct scratch folder = scratch_new();
    char *pipe = scratch_at(&folder, "pipe");

    cr_assert_eq(mkfifo(pipe, 0600), 0);
    empty_file(&folder, "file");
    alarm(10);
    assert_found(&folder, ROOTS(""), "file\n");
    alarm(0);
    scratch_end(&folder);
    free(pipe);
}

Test(walk, names_of_any_bytes_are_kept_as_they_are)
{
    struct scratch folder = scratch_new();

    empty_file(&folder, "new\nline");
    empty_file(&folder, "\xff\xfe bad");
    empty_file(&folder, "\x1b[31m");
    empty_file(&folder, " ");
    assert_found(&folder, ROOTS(""), "\x1b[31m\n \nnew\nline\n\xff\xfe bad\n");
    scratch_end(&folder);
}

Test(walk, an_empty_folder_holds_nothing)
{
    struct scratch folder = scratch_new();
    struct ra_walk walk;

    assert_found(&folder, ROOTS(""), "");
    cr_assert_eq(ra_walk(NULL, 0, &walk), RA_OK);
    cr_assert_eq(walk.count, 0);
    ra_walk_free(&walk);
    scratch_end(&folder);
}

/* Deeper than a path may be long, and than a careless walk has stack or handles. */
Test(walk, folders_in_folders_end_in_trouble_and_not_in_a_crash)
{
    struct scratch folder = scratch_new();
    const char *paths[] = { folder.path };
    struct ra_walk walk;
    int home = open(".", O_RDONLY | O_DIRECTORY);
    size_t troubles = 0, files = 0;

    cr_assert_eq(chdir(folder.path), 0);
    for (unsigned i = 0; i < 1500; i++) {
        cr_assert_eq(mkdir("d", 0700), 0);
        cr_assert_eq(chdir("d"), 0);
    }
    cr_assert_eq(fchdir(home), 0);
    empty_file(&folder, "z");
    cr_assert_eq(ra_walk(paths, 1, &walk), RA_OK);
    for (size_t i = 0; i < walk.count; i++) {
        troubles += walk.files[i]->trouble != NULL;
        files += walk.files[i]->trouble == NULL;
    }
    cr_assert_eq(troubles, 1);
    cr_assert_eq(files, 1, "its sibling is found all the same");
    ra_walk_free(&walk);
    scratch_end(&folder);
    close(home);
}

Test(walk, many_files_and_links_keep_order_and_identity)
{
    enum { COUNT = 3000 };
    struct scratch folder = scratch_new();
    const char *paths[] = { folder.path };
    struct ra_walk walk;
    char name[32], target[32];

    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(target, sizeof(target), "f%04u", i);
        snprintf(name, sizeof(name), "l%04u", i);
        empty_file(&folder, target);
        scratch_link(&folder, target, name);
    }
    cr_assert_eq(ra_walk(paths, 1, &walk), RA_OK);
    cr_assert_eq(walk.count, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        const char *path = walk.files[i]->path + strlen(folder.path) + 1;

        snprintf(target, sizeof(target), "f%04u", i);
        snprintf(name, sizeof(name), "l%04u", i);
        cr_assert_str_eq(path, target);
        cr_assert_eq(walk.files[i]->link_count, 1);
        cr_assert_str_eq(walk.files[i]->links->path + strlen(folder.path) + 1, name);
    }
    ra_walk_free(&walk);
    scratch_end(&folder);
}
