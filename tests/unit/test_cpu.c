#include "audit/cpu.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define LOADER "/lib64/ld-linux-x86-64.so.2"

Test(cpu, names_of_levels_are_those_of_the_abi)
{
    static const struct {
        const char *name;
        unsigned level;
    } rows[] = {
        { "x86-64", 1 },    { "x86-64-v1", 1 }, { "x86-64-v2", 2 },
        { "x86-64-v3", 3 }, { "x86-64-v4", 4 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        unsigned level = 99;

        cr_assert(ra_cpu_parse(rows[i].name, &level), "%s", rows[i].name);
        cr_assert_eq(level, rows[i].level, "%s", rows[i].name);
    }
}

Test(cpu, other_names_are_refused_and_set_nothing)
{
    static const char *const names[] = { "",          "x86-64-v0",  "x86-64-v5",
                                         "x86-64-v",  "x86-64-v33", "x86_64-v3",
                                         "X86-64-V3", "v3",         "3",
                                         "native ",   "NATIVE",     "znver3",
                                         "x86-64-",   " x86-64" };

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        unsigned level = 99;

        cr_expect_not(ra_cpu_parse(names[i], &level), "%s", names[i]);
        cr_expect_eq(level, 99, "%s", names[i]);
    }
}

Test(cpu, native_is_this_machine)
{
    unsigned level = 99;

    cr_assert(ra_cpu_parse("native", &level));
    cr_assert_eq(level, ra_cpu_level());
}

#ifdef __x86_64__

/* The highest level whose libraries the loader would look for; 0: it does not tell. */
static unsigned loaders_level(void)
{
    FILE *help = popen(LOADER " --help 2>/dev/null", "r");
    unsigned level = 0, found;
    char line[256], state[16];

    cr_assert_not_null(help);
    while (fgets(line, sizeof(line), help)) {
        if (strstr(line, "glibc-hwcaps"))
            level = level ? level : 1;
        if (sscanf(line, " x86-64-v%u (%15[a-z]", &found, state) == 2 &&
            strcmp(state, "supported") == 0 && found > level)
            level = found;
    }
    pclose(help);
    return level;
}

Test(cpu, level_is_the_one_the_loader_sees)
{
    unsigned level = loaders_level();

    if (level == 0)
        cr_skip_test("no glibc 2.33 or later");
    cr_assert_eq(ra_cpu_level(), level);
}

#else

Test(cpu, other_machines_have_no_level)
{
    cr_assert_eq(ra_cpu_level(), 0);
}

#endif
