#include "gfx/target.h"

/* FEATURES rows as NULL-terminated lists. */
static const struct {
    const char *name;
    const char *const *features;
} rows[] = {
#define FEATURES(name, ...) { name, (const char *const[]){ __VA_ARGS__, NULL } },
#include "gfx/features.def"
#undef FEATURES
};

const char *const *ra_processor_features(const char *name)
{
    for (size_t i = 0; i < RA_COUNT(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].features;
    return NULL;
}
