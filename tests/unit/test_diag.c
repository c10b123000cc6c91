#include "base/text.h"
#include "told.h"

static enum ra_status tell(struct told *told, uint64_t offset)
{
    return ra_fault(&told->diags, RA_E_FORMAT, RA_DIAG_ELF_BAD, ra_at(offset),
                    "at %d, in \"%s\"", 7, "name");
}

Test(diag, a_fault_hands_back_its_status_and_keeps_all_it_was_told)
{
    struct told told = TOLD_INIT(told);
    const struct ra_diag *diag;

    cr_assert_eq(ra_fault(&told.diags, RA_E_LIMIT, RA_DIAG_CODEC_WINDOW,
                          (struct ra_place){ .offset = 5, .inner = 9 }, "%u bytes", 3u),
                 RA_E_LIMIT);
    diag = told.diags.first;
    cr_assert_str_eq(diag->code, "D012");
    cr_assert_str_eq(diag->name, "payload-window");
    cr_assert_str_eq(diag->detail, "3 bytes");
    cr_assert_eq(diag->severity, RA_ERROR);
    cr_assert_eq(diag->offset, 5);
    cr_assert_eq(diag->inner, 9);
    assert_told(told, CODEC_WINDOW);
}

Test(diag, a_plain_place_is_in_no_expanded_data)
{
    cr_assert_eq(ra_at(77).offset, 77);
    cr_assert_eq(ra_at(77).inner, RA_NOT_EXPANDED);
}

Test(diag, numbers_and_names_are_unique)
{
    for (enum ra_diag_code a = 0; a < RA_DIAG_CODES; a++) {
        cr_assert_eq(strlen(ra_diag_number(a)), 4);
        cr_assert_eq(ra_diag_number(a)[0], 'D');
        for (enum ra_diag_code b = 0; b < a; b++) {
            cr_assert_str_neq(ra_diag_number(a), ra_diag_number(b));
            cr_assert_str_neq(ra_diag_name(a), ra_diag_name(b));
        }
    }
}

Test(diag, faults_stay_in_order)
{
    struct told told = TOLD_INIT(told);
    uint64_t offset = 0;

    for (uint64_t i = 0; i < 100; i++)
        cr_assert_eq(tell(&told, i), RA_E_FORMAT);
    for (const struct ra_diag *diag = told.diags.first; diag; diag = diag->next)
        cr_assert_eq(diag->offset, offset++);
    cr_assert_eq(offset, 100);
    cr_assert_eq(told.diags.count, 100);
    told_end(&told);
}

Test(diag, warnings_are_told_but_are_no_errors)
{
    struct told told = TOLD_INIT(told);

    (void)ra_fault(&told.diags, RA_OK, RA_DIAG_CCOB_WRAPPED, ra_at(0), "wrapped");
    cr_assert_eq(told.diags.errors, 0);
    cr_assert_eq(told.diags.count, 1);
    (void)tell(&told, 0);
    cr_assert_eq(told.diags.errors, 1);
    told_end(&told);
}

static size_t kept(const struct ra_diags *diags)
{
    size_t count = 0;

    for (const struct ra_diag *diag = diags->first; diag; diag = diag->next)
        count++;
    return count;
}

Test(diag, beyond_the_limit_faults_are_counted_and_not_kept)
{
    struct told told = TOLD_INIT(told);
    size_t used;

    told.diags.limit = 3;
    for (uint64_t i = 0; i < 3; i++)
        cr_assert_eq(tell(&told, i), RA_E_FORMAT);
    used = told.arena.used;
    for (uint64_t i = 0; i < 10000; i++)
        cr_assert_eq(tell(&told, i), RA_E_FORMAT,
                     "the status is handed back all the same");
    cr_assert_eq(kept(&told.diags), 3);
    cr_assert_eq(told.diags.count, 10003);
    cr_assert_eq(told.diags.errors, 10003);
    cr_assert_eq(told.arena.used, used);
    told_end(&told);
}

Test(diag, a_full_arena_is_no_memory)
{
    struct told told = TOLD_INIT(told);

    told.arena.limit = 16;
    cr_assert_eq(tell(&told, 0), RA_E_NOMEM);
    cr_assert_eq(told.diags.errors, 1, "that there was one is not forgotten");
    told_end(&told);
}

Test(diag, joined_faults_follow_those_that_were_there)
{
    struct told one = TOLD_INIT(one), other = TOLD_INIT(other);
    uint64_t offset = 0;

    for (uint64_t i = 0; i < 5; i++)
        (void)tell(i < 2 ? &one : &other, i);
    ra_diags_join(&one.diags, &other.diags);
    ra_arena_join(&one.arena, &other.arena);
    (void)tell(&one, 5);
    for (const struct ra_diag *diag = one.diags.first; diag; diag = diag->next)
        cr_assert_eq(diag->offset, offset++);
    cr_assert_eq(offset, 6);
    cr_assert_eq(one.diags.count, 6);
    cr_assert_eq(one.diags.errors, 6);
    cr_assert_null(other.diags.first, "they are told in one place only");
    told_end(&other);
    told_end(&one);
}

Test(diag, a_join_with_none_changes_nothing)
{
    struct told one = TOLD_INIT(one), other = TOLD_INIT(other);

    ra_diags_join(&one.diags, &other.diags);
    cr_assert_eq(one.diags.count, 0);
    (void)tell(&one, 1);
    ra_diags_join(&one.diags, &other.diags);
    assert_told(one, ELF_BAD);
    ra_diags_join(&other.diags, &one.diags);
    cr_assert_null(other.diags.first);
}

Test(diag, a_join_counts_what_was_not_kept)
{
    struct told one = TOLD_INIT(one), other = TOLD_INIT(other);

    other.diags.limit = 1;
    for (uint64_t i = 0; i < 4; i++)
        (void)tell(&other, i);
    ra_diags_join(&one.diags, &other.diags);
    cr_assert_eq(one.diags.count, 4);
    cr_assert_eq(one.diags.errors, 4);
    cr_assert_eq(kept(&one.diags), 1);
    told_end(&one);
    told_end(&other);
}

/* A name of three-byte characters, at each of the three ways to be cut. */
Test(diag, a_detail_too_long_is_cut_between_characters)
{
    for (size_t shift = 0; shift < 3; shift++) {
        struct told told = TOLD_INIT(told);
        char name[3000] = "xx";
        const char *detail;

        for (size_t at = shift; at + 3 < sizeof(name); at += 3)
            memcpy(name + at, "\xe2\x82\xac", 4);
        (void)ra_fault(&told.diags, RA_E_FORMAT, RA_DIAG_ELF_BAD, ra_at(0), "%s", name);
        detail = told.diags.first->detail;
        cr_assert_gt(strlen(detail), 400);
        cr_assert(ra_text_is_utf8(
                      (struct ra_span){ (const uint8_t *)detail, strlen(detail), 0 }),
                  "cut after %zu bytes", strlen(detail));
        told_end(&told);
    }
}

Test(diag, damage_spoils_one_unit_and_the_rest_more)
{
    cr_assert(ra_is_damage(RA_E_FORMAT));
    cr_assert(ra_is_damage(RA_E_UNSUPPORTED));
    cr_assert(ra_is_damage(RA_E_LIMIT));
    cr_assert_not(ra_is_damage(RA_OK));
    cr_assert_not(ra_is_damage(RA_E_NOMEM));
    cr_assert_not(ra_is_damage(RA_E_IO));
}

Test(diag, a_name_quoted_in_a_detail_cannot_harm_a_terminal)
{
    struct told told = TOLD_INIT(told);

    (void)!ra_fault(&told.diags, RA_OK, RA_DIAG_ELF_UNREAD, ra_at(0), "%s",
                    "\033[31mred\nline");
    cr_assert_str_eq(told.diags.first->detail, "\\x1b[31mred\\x0aline");
    assert_told(told, ELF_UNREAD);
}
