#include "audit/hunt.h"

#include "bundle/fatbin.h"

#define PAGE        ((uint64_t)4096)
#define ARENA_LIMIT ((size_t)2 << 30)

/* A bundle that this build knows starts here; nothing that only looks like one. */
static enum ra_status is_bundle(const struct ra_source *source, uint64_t at,
                                struct ra_diags *diags, bool *ret)
{
    uint8_t bytes[RA_BUNDLE_MAGIC_SIZE];
    struct ra_span head;
    enum ra_status status =
        ra_source_peek(source, at, sizeof(bytes), diags, bytes, &head);

    *ret = status == RA_OK && (ra_table_probe(head) || ra_ccob_probe(head));
    return status;
}

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

enum ra_status ra_hunt(const struct ra_scan_context *context,
                       const struct ra_source *source, struct ra_hunt *ret)
{
    enum ra_status status = RA_OK;
    uint64_t at = 0;

    *ret = (struct ra_hunt){ .arena = { .limit = ARENA_LIMIT },
                             .kernels_arena = { .limit = ARENA_LIMIT } };
    ret->diags = (struct ra_diags){ .arena = &ret->arena, .limit = 1 };
    ret->bundles = (struct ra_bundles){ .context = context,
                                        .arena = &ret->arena,
                                        .kernels_arena = &ret->kernels_arena,
                                        .diags = &ret->diags };
    while (status == RA_OK && !ret->failed && at < source->size) {
        bool found;

        status = is_bundle(source, at, &ret->diags, &found);
        if (status == RA_OK && found)
            status = read_run(ret, source, &at);
        ret->failed = ret->failed || ret->diags.count > 0 || ret->bundles.damaged;
        at += PAGE - at % PAGE;
    }
    ret->failed = ret->failed || status != RA_OK;
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
    ra_arena_free(&hunt->arena);
    ra_arena_free(&hunt->kernels_arena);
}
