/*
 * Damage never makes a file fit: every fixture with every byte of it spoiled in turn.
 * A longer run, with more values and files of a real compiler, is in tests/big.
 */
#include "poke.h"

#include "gen/recipes.h"

#include <criterion/criterion.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HOW POKE_SOME
#else
#define HOW POKE_MOST
#endif

/* Tests that share the fixtures out, since they run side by side. */
enum { SHARES = 8 };

/* The one that expands to 4 GiB would take hours; names are of no interest here. */
static bool is_left_out(const char *name)
{
    return strchr(name, '/') || strcmp(name, "odd-ccob-v2-wrapped.fb") == 0;
}

static void poke_one(const char *name)
{
    struct poke_result result;
    struct fx fx = fx_make(name);

    cr_assert(poke_file(&fx, HOW, &result), "%s", name);
    cr_assert(result.pokes > 0 || HOW == POKE_SOME, "%s", name);
    cr_expect(poke_is_excepted(name, &result),
              "%s fits %s once byte %zu is 0x%02x and not 0x%02x", name,
              result.hits[0].gpu, result.hits[0].at, result.hits[0].is,
              result.hits[0].was);
    fx_free(&fx);
}

static void poke_share(size_t share)
{
    size_t count, poked = 0;
    const struct fx_recipe *recipes = fx_recipes(&count);

    for (size_t i = share; i < count; i += SHARES)
        if (!is_left_out(recipes[i].name)) {
            poke_one(recipes[i].name);
            poked++;
        }
    cr_assert_gt(poked, 5);
}

#define SHARE(number)                                                                    \
    Test(poke, never_makes_a_file_fit_##number)                                          \
    {                                                                                    \
        poke_share(number);                                                              \
    }

SHARE(0)
SHARE(1)
SHARE(2)
SHARE(3)
SHARE(4)
SHARE(5)
SHARE(6)
SHARE(7)

Test(poke, has_no_exception_without_a_fixture)
{
    for (const char *const *name = poke_excepted_names(); *name; name++) {
        struct fx fx = fx_make(*name);

        cr_assert_gt(fx.size, 0);
        fx_free(&fx);
    }
}
