#include "bundle/kpackref.h"

#include "cuts.h"
#include "gen/kpak.h"
#include "gen/pack.h"
#include "told.h"

static enum ra_status read_ref(const struct fx *fx, struct told *told,
                               struct ra_kpack_ref *ret)
{
    struct ra_source source = fx_source(fx);

    return ra_kpack_ref_read(&source, &told->arena, &told->diags, ret);
}

static void build(struct fx *fx)
{
    static const char *const paths[] = { "../.kpack/foo_lib_@GFXARCH@.kpack",
                                         "/opt/kpack/all.kpack" };

    fx_kpack_ref(fx, "lib/libfoo.so", paths, RA_COUNT(paths));
}

Test(kpackref, name_and_paths_are_those_that_were_built)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpack_ref ref;
    size_t size;

    build(&fx);
    size = fx.size;
    fx_pad(&fx, 2 * RA_KPACK_REF_MAX); /* what else is in the file */
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_OK, "%s", told_detail(&told));
    cr_assert_str_eq(ref.kernel_name, "lib/libfoo.so");
    cr_assert_eq(ref.path_count, 2);
    cr_assert_str_eq(ref.paths[0], "../.kpack/foo_lib_@GFXARCH@.kpack");
    cr_assert_str_eq(ref.paths[1], "/opt/kpack/all.kpack");
    cr_assert_eq(ref.size, size);
    assert_silent(told);
    fx_free(&fx);
}

/* Other keys, and keys in another order, as msgpack of Python writes a dictionary. */
Test(kpackref, keys_may_stand_in_any_order)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpack_ref ref;

    fx_pack_map(&fx, 3);
    fx_pack_text(&fx, "kpack_search_paths");
    fx_pack_array(&fx, 1);
    fx_pack_text(&fx, "a.kpack");
    fx_pack_uint_of(&fx, "version", 7);
    fx_pack_text_of(&fx, "kernel_name", "a");
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_OK);
    cr_assert_str_eq(ref.kernel_name, "a");
    cr_assert_str_eq(ref.paths[0], "a.kpack");
    assert_silent(told);
    fx_free(&fx);
}

Test(kpackref, fails_cleanly_at_every_truncation)
{
    struct fx fx = { 0 };

    build(&fx);
    for (size_t size = 0; size < fx.size; size++) {
        struct told told = TOLD_INIT(told);
        struct fx cut = cut_of(&fx, size);
        struct ra_kpack_ref ref;

        cr_assert_eq(read_ref(&cut, &told, &ref), RA_E_FORMAT, "%zu", size);
        cr_assert_null(ref.kernel_name);
        cr_assert_eq(ref.path_count, 0);
        assert_told(told, MSGPACK_BAD);
        fx_free(&cut);
    }
    fx_free(&fx);
}

#define assert_refused(status, code, ...)                                                \
    do {                                                                                 \
        struct told told = TOLD_INIT(told);                                              \
        struct fx fx = { 0 };                                                            \
        struct ra_kpack_ref ref;                                                         \
                                                                                         \
        __VA_ARGS__;                                                                     \
        cr_assert_eq(read_ref(&fx, &told, &ref), status, #__VA_ARGS__);                  \
        cr_assert_eq(ref.path_count, 0);                                                 \
        assert_told(told, code);                                                         \
        fx_free(&fx);                                                                    \
    } while (0)

static void replace(struct fx *fx, const char *what, const char *with)
{
    uint8_t *at = memmem(fx->data, fx->size, what, strlen(what));

    cr_assert_not_null(at);
    memcpy(at, with, strlen(with));
}

/* The paths have to follow. */
static void put_map(struct fx *fx, size_t count)
{
    fx_pack_map(fx, 2);
    fx_pack_text_of(fx, "kernel_name", "a");
    fx_pack_text(fx, "kpack_search_paths");
    fx_pack_array(fx, count);
}

Test(kpackref, what_it_has_to_say_is_missed)
{
    static const char *const none[] = { NULL };
    static const char *const one[] = { "a" };
    static const char *const empty[] = { "" };

    assert_refused(RA_E_FORMAT, MSGPACK_BAD, (void)0);
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_pack_array(&fx, 0));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_pack_map(&fx, 0));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_kpack_ref(&fx, "a", none, 0));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_kpack_ref(&fx, "", one, 1));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_kpack_ref(&fx, "a", empty, 1));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, build(&fx);
                   replace(&fx, "kernel_name", "kernel_nama"));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, build(&fx);
                   replace(&fx, "kpack_search_paths", "kpack_search_pathX"));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, put_map(&fx, 1); fx_pack_uint(&fx, 1));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_pack_map(&fx, 2);
                   fx_pack_text_of(&fx, "kernel_name", "a");
                   fx_pack_text_of(&fx, "kpack_search_paths", "a"));
    assert_refused(RA_E_FORMAT, KPACK_REF_BAD, fx_pack_map(&fx, 1);
                   fx_pack_uint_of(&fx, "kernel_name", 1));
}

/* The loader passes over them. */
Test(kpackref, paths_that_are_no_text_are_passed_over)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpack_ref ref;

    put_map(&fx, 3);
    fx_pack_uint(&fx, 1);
    fx_pack_text(&fx, "b");
    fx_pack_bool(&fx, true);
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_OK);
    cr_assert_eq(ref.path_count, 1);
    cr_assert_str_eq(ref.paths[0], "b");
    assert_silent(told);
    fx_free(&fx);
}

Test(kpackref, a_nul_byte_in_a_text_is_damage)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpack_ref ref;

    build(&fx);
    *(uint8_t *)memmem(fx.data, fx.size, "libfoo", 6) = 0;
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_E_FORMAT);
    cr_assert_eq(told.diags.first->offset, 3 + 12 + 1); /* where the name begins */
    assert_told(told, KPACK_REF_BAD);
    fx_cut(&fx, 0);
    build(&fx);
    fx.data[fx.size - 1] = 0;
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_E_FORMAT);
    assert_told(told, KPACK_REF_BAD);
    fx_free(&fx);
}

static void put_paths(struct fx *fx, size_t count)
{
    put_map(fx, count);
    for (size_t i = 0; i < count; i++)
        fx_pack_text(fx, "a");
}

static void put_long(struct fx *fx, size_t size)
{
    char path[RA_KPACK_MAX_TEXT + 2] = { 0 };

    memset(path, 'a', size);
    put_map(fx, 1);
    fx_pack_text(fx, path);
}

Test(kpackref, as_many_and_as_long_paths_as_the_limit_says_are_read)
{
    struct told told = TOLD_INIT(told);
    struct fx fx = { 0 };
    struct ra_kpack_ref ref;

    put_paths(&fx, RA_KPACK_MAX_PATHS);
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_OK);
    cr_assert_eq(ref.path_count, RA_KPACK_MAX_PATHS);
    fx_cut(&fx, 0);
    put_long(&fx, RA_KPACK_MAX_TEXT);
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_OK);
    cr_assert_eq(strlen(ref.paths[0]), RA_KPACK_MAX_TEXT);
    assert_silent(told);
    fx_free(&fx);
}

Test(kpackref, paths_above_the_limit_are_told)
{
    assert_refused(RA_E_LIMIT, LIMIT, put_paths(&fx, RA_KPACK_MAX_PATHS + 1));
    assert_refused(RA_E_LIMIT, LIMIT, put_long(&fx, RA_KPACK_MAX_TEXT + 1));
}

/* The loader reads 64 KiB and no more. */
Test(kpackref, a_record_longer_than_the_loader_reads_is_damage)
{
    struct fx fx = { 0 };
    struct told told = TOLD_INIT(told);
    struct ra_kpack_ref ref;

    fx_pack_map(&fx, 3);
    fx_pack_text_of(&fx, "kernel_name", "a");
    fx_pack_text(&fx, "more");
    fx_bytes(&fx, "\xc6\0\0\xff\xf0", 5); /* bytes, almost 64 KiB of them */
    fx_pad(&fx, fx.size + 0xfff0);
    fx_pack_text(&fx, "kpack_search_paths");
    fx_pack_array(&fx, 1);
    fx_pack_text(&fx, "a");
    cr_assert_eq(read_ref(&fx, &told, &ref), RA_E_FORMAT);
    assert_told(told, MSGPACK_BAD);
    fx_free(&fx);
}

Test(kpackref, a_full_arena_is_no_memory)
{
    struct fx fx = { 0 };

    build(&fx);
    for (size_t limit = 1; limit < 70; limit++) {
        struct told told = TOLD_INIT(told);
        struct ra_kpack_ref ref;

        told.arena.limit = limit;
        cr_assert_eq(read_ref(&fx, &told, &ref), RA_E_NOMEM, "%zu", limit);
        cr_assert_null(ref.kernel_name);
        assert_silent(told);
    }
    fx_free(&fx);
}

Test(kpackref, poked_anywhere_it_is_read_or_refused)
{
    struct fx fx = { 0 };

    build(&fx);
    for (size_t i = 0; i < 256 * fx.size; i++) {
        struct told told = TOLD_INIT(told);
        struct fx copy = cut_of(&fx, fx.size);
        struct ra_kpack_ref ref;
        enum ra_status status;

        copy.data[i / 256] = (uint8_t)i;
        status = read_ref(&copy, &told, &ref);
        cr_assert(status == RA_OK || ra_is_damage(status));
        cr_assert_eq(told.diags.count, status != RA_OK);
        cr_assert_eq(ref.path_count > 0, status == RA_OK);
        told_end(&told);
        fx_free(&copy);
    }
    fx_free(&fx);
}
