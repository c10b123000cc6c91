#include "audit/cpu.h"

#include <string.h>

#ifdef __x86_64__

/* CPUID, and XGETBV for the registers that the kernel saves, are the compiler's task. */
unsigned ra_cpu_level(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4"))
        return 4;
    if (__builtin_cpu_supports("x86-64-v3"))
        return 3;
    return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

#else

unsigned ra_cpu_level(void)
{
    return 0;
}

#endif

bool ra_cpu_parse(const char *name, unsigned *ret)
{
    static const struct {
        const char *name;
        unsigned level;
    } levels[] = {
        { "x86-64", 1 },    { "x86-64-v1", 1 }, { "x86-64-v2", 2 },
        { "x86-64-v3", 3 }, { "x86-64-v4", 4 },
    };

    for (size_t i = 0; i < RA_COUNT(levels); i++)
        if (strcmp(name, levels[i].name) == 0) {
            *ret = levels[i].level;
            return true;
        }
    if (strcmp(name, "native") != 0)
        return false;
    *ret = ra_cpu_level();
    return true;
}
