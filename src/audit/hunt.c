#include "audit/hunt.h"

#include "bundle/fatbin.h"

#include <stdlib.h>

#define PAGE        ((uint64_t)4096)
#define WINDOW      ((size_t)65536)
#define ARENA_LIMIT ((size_t)2 << 30)

static enum ra_status read_run(struct ra_hunt *hunt, const struct ra_source *source,
                               uint64_t *at)
{
    struct ra_source rest = ra_source_from(source, *at);
    struct ra_hunt_run *run = &hunt->runs[hunt->count];
    enum ra_status status;

    if (hunt->count == RA_HUNT_RUNS) {
        hunt->failed = true;
        return RA_OK;
    }
    run->start = *at;
    status = ra_bundles_scan_run(&hunt->bundles, &rest, &run->last, &run->end);
    if (status != RA_OK)
        return status;
    run->last += run->start;
    run->end += run->start;
    hunt->count++;
    *at = run->end;
    return RA_OK;
}

/* A bundle at the start of a page is device code; of all else the place is noted. */
static enum ra_status take(struct ra_hunt *hunt, const struct ra_source *source,
                           enum ra_magic magic, uint64_t *at)
{
    struct ra_source rest = ra_source_from(source, *at);
    struct ra_find find;
    bool found = false;
    enum ra_status status = ra_search_count(&hunt->search, *at);

    if (status == RA_OK)
        status = ra_search_look(&rest, magic, &find, &found);
    if (status == RA_OK && found && *at % PAGE == 0 &&
        (magic == RA_MAGIC_BUNDLE || magic == RA_MAGIC_CCOB))
        return read_run(hunt, source, at);
    if (status == RA_OK && found)
        status = ra_search_add(&hunt->search, &find);
    *at += found && find.size > RA_MAGIC_SIZE ? find.size : RA_MAGIC_SIZE;
    return status;
}

/* All of a window; it is left early for what is looked at on its own. */
static enum ra_status hunt_window(struct ra_hunt *hunt, const struct ra_source *source,
                                  struct ra_span span, uint64_t *at)
{
    uint64_t start = *at;
    bool last = source->size - start == span.size;
    enum ra_status status = RA_OK;

    while (status == RA_OK && !hunt->failed && *at - start < span.size) {
        size_t in = (size_t)(*at - start);
        enum ra_magic magic = ra_magic_next(span, &in);

        *at = start + in;
        if (magic == RA_MAGIC_NONE)
            break;
        if (!ra_search_may_be(span, in, magic, last)) {
            *at += RA_MAGIC_SIZE;
            continue;
        }
        status = take(hunt, source, magic, at);
        hunt->failed = hunt->failed || hunt->diags.count > 0 || hunt->bundles.damaged;
    }
    return status;
}

static enum ra_status hunt_all(struct ra_hunt *hunt, const struct ra_source *source,
                               uint8_t *window)
{
    enum ra_status status = RA_OK;
    uint64_t at = RA_MAGIC_SIZE; /* behind its own magic */

    while (status == RA_OK && !hunt->failed && at + RA_MAGIC_SIZE <= source->size) {
        struct ra_span span;

        status = ra_source_peek(source, at, WINDOW, &hunt->diags, window, &span);
        if (status == RA_OK)
            status = hunt_window(hunt, source, span, &at);
        hunt->failed = hunt->failed || hunt->diags.count > 0;
    }
    return status;
}

enum ra_status ra_hunt(const struct ra_scan_context *context,
                       const struct ra_source *source, struct ra_hunt *ret)
{
    uint8_t *window = malloc(WINDOW);
    enum ra_status status = window ? RA_OK : RA_E_NOMEM;

    *ret = (struct ra_hunt){ .arena = { .limit = ARENA_LIMIT },
                             .kernels_arena = { .limit = ARENA_LIMIT } };
    ret->diags = (struct ra_diags){ .arena = &ret->arena, .limit = 1 };
    ret->bundles = (struct ra_bundles){ .context = context,
                                        .arena = &ret->arena,
                                        .kernels_arena = &ret->kernels_arena,
                                        .diags = &ret->diags };
    ret->search = (struct ra_search){ .file = source, .diags = &ret->diags };
    if (status == RA_OK)
        status = hunt_all(ret, source, window);
    ret->failed = ret->failed || status != RA_OK;
    free(window);
    return status == RA_E_NOMEM ? status : RA_OK;
}

bool ra_hunt_claim(struct ra_hunt *hunt, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; !hunt->failed && i < hunt->count; i++) {
        struct ra_hunt_run *run = &hunt->runs[i];

        if (run->start != offset || run->claimed)
            continue;
        run->claimed = run->last - offset <= size && run->end - offset >= size;
        return run->claimed;
    }
    return false;
}

bool ra_hunt_holds(const struct ra_hunt *hunt)
{
    for (size_t i = 0; i < hunt->count; i++)
        if (!hunt->runs[i].claimed)
            return false;
    return !hunt->failed;
}

enum ra_status ra_hunt_join(struct ra_hunt *hunt, struct ra_bundles *ret)
{
    ra_arena_join(ret->arena, &hunt->arena);
    ra_arena_join(ret->kernels_arena, &hunt->kernels_arena);
    return ra_bundles_take(ret, &hunt->bundles);
}

void ra_hunt_free(struct ra_hunt *hunt)
{
    ra_bundles_free(&hunt->bundles);
    ra_search_free(&hunt->search);
    ra_arena_free(&hunt->arena);
    ra_arena_free(&hunt->kernels_arena);
}
