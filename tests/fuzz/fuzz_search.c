/*
 * Any bytes: code found in them lies inside, in order, and a second look agrees.
 *
 * The first byte is the address of the rest, below eight, and where an area of it starts.
 */
#include "audit/search.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_finds(const struct ra_search *search)
{
    const struct ra_source *file = search->file;
    uint64_t end = file->base;

    for (size_t i = 0; i < search->count; i++) {
        const struct ra_find *find = &search->finds[i];
        struct ra_source rest = ra_source_from(file, find->offset - file->base);
        struct ra_find again;
        bool found;

        require(find->offset >= end && rest.size >= RA_MAGIC_SIZE);
        require(ra_search_look(&rest, find->magic, &again, &found) == RA_OK);
        require(found && again.size == find->size && again.offset == find->offset);
        end = find->offset + RA_MAGIC_SIZE;
    }
}

static void check_wrappers(const struct ra_search *search, uint64_t address)
{
    for (size_t i = 0; i < search->wrapper_count; i++) {
        const struct ra_wrapper *wrapper = &search->wrappers[i];

        require(wrapper->guessed && wrapper->where % 8 == 0 && wrapper->where >= address);
        require(search->file->size >= RA_WRAPPER_SIZE &&
                wrapper->where - address <= search->file->size - RA_WRAPPER_SIZE);
        require(i == 0 || wrapper->where > search->wrappers[i - 1].where);
    }
}

/* An area of what is known has those that start in it. */
static void check_known(const struct ra_search *pass, uint64_t start)
{
    struct ra_search search = { .file = pass->file, .diags = pass->diags, .known = pass };
    struct ra_source area = ra_source_from(pass->file, start);
    size_t expected = 0;

    require(ra_search(&search, &area, start) == RA_OK);
    for (size_t i = 0; i < pass->count; i++)
        expected += pass->finds[i].offset - pass->file->base >= start;
    require(search.count == expected);
    ra_search_free(&search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_arena arena = { .limit = 1 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_search search = { .diags = &diags };
    struct ra_source file;
    uint64_t address;
    enum ra_status status;

    if (size == 0)
        return 0;
    address = data[0] & 7;
    file = ra_source_over((struct ra_span){ data + 1, size - 1, 1 });
    search.file = &file;
    status = ra_search(&search, &file, address);
    require(status == RA_OK || status == RA_E_LIMIT);
    require(diags.count == (status != RA_OK));
    check_finds(&search);
    check_wrappers(&search, address);
    if (status == RA_OK)
        check_known(&search, data[0]);
    ra_search_free(&search);
    ra_arena_free(&arena);
    return 0;
}
