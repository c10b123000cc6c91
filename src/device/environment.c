#include "base/text.h"
#include "device/host.h"

#include <inttypes.h>
#include <stdio.h>

#define OVERRIDE "HSA_OVERRIDE_GFX_VERSION"

/* The largest numbers libhsakmt takes (topology.c, topology_sysfs_get_node_props()). */
#define MAJOR_MAX 63
#define PART_MAX  255

struct version {
    uint64_t major, minor, stepping;
};

const char *ra_variable(const char *const *environment, const char *name)
{
    size_t size = strlen(name);

    for (size_t i = 0; environment && environment[i]; i++)
        if (strncmp(environment[i], name, size) == 0 && environment[i][size] == '=')
            return environment[i] + size + 1;
    return NULL;
}

const char *ra_variable_text(struct ra_arena *arena, const char *name, const char *value)
{
    struct ra_span bytes = { (const uint8_t *)value, strlen(value), 0 };
    const char *escaped = ra_text_escape(arena, bytes);

    return escaped ? ra_text_format(arena, "%s=%s", name, escaped) : NULL;
}

/* ---- HSA_OVERRIDE_GFX_VERSION ----------------------------------------------- */

/* A number as scanf("%u") reads it: white space and a plus may stand before it. */
static bool read_part(struct ra_cursor *cur, uint64_t *ret)
{
    struct ra_cursor ahead;
    size_t digits = 0;

    while (ra_cursor_match(cur, " ", 1) || ra_cursor_match(cur, "\t", 1) ||
           ra_cursor_match(cur, "\n", 1))
        continue;
    (void)ra_cursor_match(cur, "+", 1);
    for (ahead = *cur; (unsigned)(ra_cursor_u8(&ahead) - '0') <= 9; digits++)
        continue;
    return ra_sysfs_decimal(ra_cursor_take(cur, digits), ret);
}

/* major.minor.stepping in decimal, and nothing else. */
static bool read_version(const char *value, struct version *ret)
{
    struct ra_cursor cur =
        ra_cursor_over((struct ra_span){ (const uint8_t *)value, strlen(value), 0 });

    return read_part(&cur, &ret->major) && ra_cursor_match(&cur, ".", 1) &&
           read_part(&cur, &ret->minor) && ra_cursor_match(&cur, ".", 1) &&
           read_part(&cur, &ret->stepping) && cur.pos == cur.span.size &&
           ret->major <= MAJOR_MAX && ret->minor <= PART_MAX && ret->stepping <= PART_MAX;
}

/* No processor has a part above 15, and the name of one could be that of another. */
static void spell_version(const struct version *version, struct ra_gpu *gpu)
{
    const char *format = version->minor > 15 || version->stepping > 15
                             ? "gfx%" PRIu64 ".%" PRIu64 ".%" PRIu64
                             : "gfx%" PRIu64 "%" PRIx64 "%" PRIx64;

    (void)snprintf(gpu->override, sizeof(gpu->override), format, version->major,
                   version->minor, version->stepping);
}

static enum ra_status override_with(struct ra_gpu *gpu, const char *name,
                                    const char *value, struct ra_arena *arena)
{
    struct version version;

    gpu->override_text = ra_variable_text(arena, name, value);
    if (!gpu->override_text)
        return RA_E_NOMEM;
    gpu->override_invalid = !read_version(value, &version);
    if (gpu->override_invalid) {
        ra_gpu_why(
            gpu, arena,
            ra_text_format(arena, "%s is no major.minor.stepping", gpu->override_text));
        return gpu->why ? RA_OK : RA_E_NOMEM;
    }
    /* To libhsakmt, a version of zero is none. */
    if (version.major > 0 || version.minor > 0 || version.stepping > 0)
        spell_version(&version, gpu);
    ra_gpu_why(gpu, arena, gpu->override_text);
    return gpu->why ? RA_OK : RA_E_NOMEM;
}

static enum ra_status override_one(struct ra_gpu *gpu, const char *const *environment,
                                   struct ra_arena *arena)
{
    char numbered[sizeof(OVERRIDE "_18446744073709551615")] = "";
    const char *plain = ra_variable(environment, OVERRIDE), *value = NULL;

    if (gpu->thunk.exists) {
        (void)snprintf(numbered, sizeof(numbered), OVERRIDE "_%" PRIu64,
                       gpu->thunk.value);
        value = ra_variable(environment, numbered);
    }
    if (value)
        return override_with(gpu, numbered, value, arena);
    return plain ? override_with(gpu, OVERRIDE, plain, arena) : RA_OK;
}

enum ra_status ra_override(const char *const *environment, struct ra_arena *arena,
                           struct ra_gpus *gpus)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < gpus->count && status == RA_OK; i++)
        if (gpus->list[i].processor[0])
            status = override_one(&gpus->list[i], environment, arena);
    return status;
}
