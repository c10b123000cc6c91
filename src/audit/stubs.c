#include "audit/stubs.h"

#include "base/array.h"
#include "base/names.h"
#include "base/text.h"
#include "elf/dynamic.h"

#include <stdlib.h>

#define STUB        "__device_stub__"
#define WANTED_MOST 256 /* names of a file that are kept: one is a fault already */

/* ---- of a file -------------------------------------------------------------- */

/* Hashes of names: there are thousands in a large library, and few files want one. */
struct stubs {
    struct ra_arena *arena;
    uint64_t *had, *wanted;
    size_t had_count, had_room;
    const char **names; /* of the wanted, escaped */
    size_t wanted_count;
};

static uint64_t hash_of(const char *name)
{
    return ra_hash((struct ra_span){ (const uint8_t *)name, strlen(name), 0 });
}

static enum ra_status add_wanted(struct stubs *stubs, const char *name)
{
    if (stubs->wanted_count == WANTED_MOST)
        return RA_OK;
    if (!stubs->names) {
        stubs->names = ra_new(stubs->arena, const char *, WANTED_MOST);
        stubs->wanted = ra_new(stubs->arena, uint64_t, WANTED_MOST);
    }
    if (!stubs->names || !stubs->wanted)
        return RA_E_NOMEM;
    stubs->wanted[stubs->wanted_count] = hash_of(name);
    stubs->names[stubs->wanted_count] = ra_text_shown(stubs->arena, name);
    return stubs->names[stubs->wanted_count++] ? RA_OK : RA_E_NOMEM;
}

static enum ra_status take_symbol(void *arg, const char *name, bool defined)
{
    struct stubs *stubs = arg;

    if (!defined)
        return add_wanted(stubs, name);
    if (stubs->had_count == stubs->had_room) {
        uint64_t *had = ra_array_grow(stubs->had, &stubs->had_room, sizeof(*had));

        if (!had)
            return RA_E_NOMEM;
        stubs->had = had;
    }
    stubs->had[stubs->had_count++] = hash_of(name);
    return RA_OK;
}

static enum ra_status keep(struct stubs *stubs, struct ra_scanned *scanned)
{
    uint64_t *had = ra_new(stubs->arena, uint64_t, stubs->had_count);

    if (!had)
        return RA_E_NOMEM;
    if (stubs->had_count > 0)
        memcpy(had, stubs->had, stubs->had_count * sizeof(*had));
    scanned->stubs.had = had;
    scanned->stubs.had_count = stubs->had_count;
    scanned->stubs.wanted = stubs->wanted;
    scanned->file.layout.undefined = stubs->names;
    scanned->file.layout.undefined_count = stubs->wanted_count;
    return RA_OK;
}

enum ra_status ra_stubs_read(struct ra_elf *elf, struct ra_scanned *scanned)
{
    struct stubs stubs = { .arena = &scanned->arena };
    enum ra_status status = ra_elf_symbols(elf, STUB, take_symbol, &stubs);

    if (status == RA_OK)
        status = keep(&stubs, scanned);
    free(stubs.had);
    return status;
}

/* ---- of all files ----------------------------------------------------------- */

struct hashes {
    uint64_t *list;
    size_t count;
};

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static enum ra_status list_had(const struct ra_run *run, struct hashes *ret)
{
    size_t slot, room = 0;

    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        room += result->scanned.stubs.had_count;
    *ret = (struct hashes){ .list = reallocarray(NULL, room + 1, sizeof(uint64_t)) };
    if (!ret->list)
        return RA_E_NOMEM;
    for (const struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result)) {
        const struct ra_stubs *stubs = &result->scanned.stubs;

        if (stubs->had_count > 0)
            memcpy(ret->list + ret->count, stubs->had,
                   stubs->had_count * sizeof(*ret->list));
        ret->count += stubs->had_count;
    }
    qsort(ret->list, ret->count, sizeof(*ret->list), by_value);
    return RA_OK;
}

static void drop_had(const struct hashes *had, struct ra_scanned *scanned)
{
    struct ra_layout *layout = &scanned->file.layout;
    const char **names = (const char **)(uintptr_t)layout->undefined;
    size_t kept = 0;

    for (size_t i = 0; i < layout->undefined_count; i++)
        if (!bsearch(&scanned->stubs.wanted[i], had->list, had->count, sizeof(*had->list),
                     by_value))
            names[kept++] = names[i];
    layout->undefined_count = kept;
}

enum ra_status ra_stubs_resolve(struct ra_run *run)
{
    struct hashes had;
    bool any = false;
    size_t slot;
    enum ra_status status;

    for (struct ra_result *result = ra_result_first(run, &slot); result;
         result = ra_result_next(run, &slot, result))
        any = any || result->scanned.file.layout.undefined_count > 0;
    if (!any)
        return RA_OK;
    status = list_had(run, &had);
    for (struct ra_result *result = ra_result_first(run, &slot);
         status == RA_OK && result; result = ra_result_next(run, &slot, result))
        drop_had(&had, &result->scanned);
    free(had.list);
    return status;
}
