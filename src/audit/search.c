#include "audit/search.h"

#include "base/array.h"
#include "bundle/ccob.h"
#include "bundle/entryid.h"
#include "bundle/offload.h"
#include "bundle/table.h"
#include "gfx/image.h"

#include <inttypes.h>
#include <stdlib.h>

#define WINDOW     ((size_t)65536)
#define HEAD_SIZE  64
#define FIND_LIMIT ((size_t)1 << 16)
#define LOOK_LIMIT ((size_t)1 << 16) /* tools that deal with code have dozens */

/* ---- is it code? ------------------------------------------------------------ */

/* What is told here is told nobody: it need not be what it looks like. */
struct silence {
    struct ra_arena arena;
    struct ra_diags diags;
};

static void be_silent(struct silence *silence)
{
    *silence = (struct silence){ 0 };
    silence->diags = (struct ra_diags){ .arena = &silence->arena, .limit = 1 };
}

static enum ra_status look_at_code(const struct ra_source *rest, struct silence *silence,
                                   struct ra_find *ret, bool *found)
{
    struct ra_image image;
    enum ra_status status = ra_image_read(rest, &silence->diags, &image);

    ret->size = status == RA_OK ? ra_image_extent(&image) : 0;
    *found = ret->size > HEAD_SIZE && image.osabi == RA_OSABI_HSA;
    return status;
}

/* Text that only mentions the magic has no table behind it. */
static bool is_table(const struct ra_table *table)
{
    bool device = false;

    for (size_t i = 0; i < table->count; i++) {
        enum ra_entry_kind kind = ra_entry_id_parse(table->entries[i].id).kind;

        if (kind == RA_ENTRY_OTHER)
            return false;
        device = device || (kind != RA_ENTRY_HOST && table->entries[i].size > 0);
    }
    return device;
}

static enum ra_status look_at_bundle(const struct ra_source *rest,
                                     struct silence *silence, struct ra_find *ret,
                                     bool *found)
{
    struct ra_table table;
    enum ra_status status = ra_table_read(rest, &silence->arena, &silence->diags, &table);

    *found = status == RA_OK && is_table(&table);
    ret->size = table.end;
    return status;
}

static enum ra_status look_at_ccob(const struct ra_source *rest, struct silence *silence,
                                   struct ra_find *ret, bool *found)
{
    struct ra_ccob ccob;
    enum ra_status status = ra_ccob_read(rest, &silence->diags, &ccob);

    *found = status == RA_OK;
    ret->size = status == RA_OK ? ccob.size : 0;
    return status;
}

/* What is compressed is taken at its header's word. */
static enum ra_status look_at_offload(const struct ra_source *rest,
                                      struct silence *silence, struct ra_find *ret,
                                      bool *found)
{
    struct ra_offload offload;
    struct ra_offload_table table = { 0 };
    struct ra_source blob;
    enum ra_status status = ra_offload_read(rest, &silence->diags, &offload);

    if (status != RA_OK)
        return status;
    ret->size = offload.size;
    *found = offload.codec != RA_CODEC_STORED;
    if (*found || !ra_source_sub(rest, 0, offload.size, &blob))
        return RA_OK;
    status = ra_offload_images(&offload, &blob, &silence->arena, &silence->diags, &table);
    for (size_t i = 0; status == RA_OK && i < table.count; i++)
        *found = *found || ra_offload_is_amd(&table.images[i]);
    return status;
}

/* The first bytes, if they do not rule it out. */
static bool may_be(enum ra_magic magic, struct ra_span head)
{
    switch (magic) {
    case RA_MAGIC_ELF:
        return ra_content_of(head) == RA_CONTENT_CODE_OBJECT;
    case RA_MAGIC_BUNDLE:
        return ra_table_probe(head);
    case RA_MAGIC_CCOB:
        return ra_ccob_probe(head);
    case RA_MAGIC_OFFLOAD:
        return ra_offload_probe(head);
    case RA_MAGIC_WRAPPER:
        return ra_wrapper_probe(head);
    default:
        return false;
    }
}

bool ra_search_may_be(struct ra_span window, size_t in, enum ra_magic magic, bool last)
{
    size_t size = window.size - in;

    if (size < HEAD_SIZE && !last)
        return true;
    return may_be(magic, (struct ra_span){ .data = window.data + in,
                                           .size = size < HEAD_SIZE ? size : HEAD_SIZE });
}

enum ra_status ra_search_look(const struct ra_source *rest, enum ra_magic magic,
                              struct ra_find *ret, bool *found)
{
    uint8_t bytes[HEAD_SIZE];
    struct silence silence;
    struct ra_span head;
    enum ra_status status;

    be_silent(&silence);
    *found = false;
    *ret = (struct ra_find){ .magic = magic, .offset = rest->base };
    status = ra_source_peek(rest, 0, sizeof(bytes), &silence.diags, bytes, &head);
    if (status == RA_OK && may_be(magic, head)) {
        if (magic == RA_MAGIC_ELF)
            status = look_at_code(rest, &silence, ret, found);
        else if (magic == RA_MAGIC_BUNDLE)
            status = look_at_bundle(rest, &silence, ret, found);
        else if (magic == RA_MAGIC_CCOB)
            status = look_at_ccob(rest, &silence, ret, found);
        else if (magic == RA_MAGIC_OFFLOAD)
            status = look_at_offload(rest, &silence, ret, found);
        else
            *found = true;
    }
    ra_arena_free(&silence.arena);
    return ra_is_damage(status) ? RA_OK : status;
}

/* ---- the search ------------------------------------------------------------- */

static enum ra_status too_many(const struct ra_search *search, uint64_t offset)
{
    return ra_fault(search->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_at(offset),
                    "more than %zu pieces of device code among data", FIND_LIMIT);
}

enum ra_status ra_search_count(struct ra_search *search, uint64_t offset)
{
    if (search->looked++ < LOOK_LIMIT)
        return RA_OK;
    return ra_fault(search->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_at(offset),
                    "more than %zu places that look like device code", LOOK_LIMIT);
}

enum ra_status ra_search_add(struct ra_search *search, const struct ra_find *find)
{
    if (search->count == FIND_LIMIT)
        return too_many(search, find->offset);
    if (search->count == search->room) {
        struct ra_find *list = ra_array_grow(search->finds, &search->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        search->finds = list;
    }
    search->finds[search->count++] = *find;
    return RA_OK;
}

static enum ra_status add_wrapper(struct ra_search *search,
                                  const struct ra_wrapper *wrapper)
{
    if (search->wrapper_count == FIND_LIMIT)
        return too_many(search, 0);
    if (search->wrapper_count == search->wrapper_room) {
        struct ra_wrapper *list =
            ra_array_grow(search->wrappers, &search->wrapper_room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        search->wrappers = list;
    }
    search->wrappers[search->wrapper_count++] = *wrapper;
    return RA_OK;
}

/* Compilers align wrappers to eight. */
static enum ra_status take_wrapper(struct ra_search *search, const struct ra_source *rest,
                                   uint64_t address)
{
    uint8_t bytes[RA_WRAPPER_SIZE];
    struct ra_span head;
    struct ra_wrapper wrapper;
    enum ra_status status;

    if (address % 8 != 0)
        return RA_OK;
    status = ra_source_peek(rest, 0, sizeof(bytes), search->diags, bytes, &head);
    if (status != RA_OK || head.size < sizeof(bytes) || !ra_wrapper_probe(head))
        return status;
    wrapper = ra_wrapper_read(head, address);
    wrapper.guessed = true;
    return add_wrapper(search, &wrapper);
}

/* Take what starts at `at` of the area, and say where to go on. */
static enum ra_status take(struct ra_search *search, const struct ra_source *area,
                           uint64_t address, enum ra_magic magic, uint64_t *at)
{
    struct ra_source rest = ra_source_from(area, *at);
    struct ra_find find;
    bool found;
    enum ra_status status;

    if (magic == RA_MAGIC_WRAPPER) {
        status = take_wrapper(search, &rest, address + *at);
        *at += RA_MAGIC_SIZE;
        return status;
    }
    status = ra_search_count(search, rest.base);
    if (status != RA_OK)
        return status;
    status = ra_search_look(&rest, magic, &find, &found);
    if (status == RA_OK && found)
        status = ra_search_add(search, &find);
    *at += found && find.size > RA_MAGIC_SIZE ? find.size : RA_MAGIC_SIZE;
    return status;
}

static enum ra_status search_area(struct ra_search *search, const struct ra_source *area,
                                  uint64_t address, uint8_t *window)
{
    enum ra_status status = RA_OK;
    uint64_t at = 0;

    while (status == RA_OK && at + RA_MAGIC_SIZE <= area->size) {
        uint64_t start = at;
        bool last = area->size - at <= WINDOW;
        enum ra_magic magic = RA_MAGIC_NONE;
        struct ra_span span;
        size_t in = 0;

        status = ra_source_peek(area, start, WINDOW, search->diags, window, &span);
        /* Windows are left early only for what is looked at on its own. */
        while (status == RA_OK && at - start < span.size) {
            in = (size_t)(at - start);
            magic = ra_magic_next(span, &in);
            at = start + in;
            if (magic == RA_MAGIC_NONE)
                break;
            if (ra_search_may_be(span, in, magic, last))
                status = take(search, area, address, magic, &at);
            else
                at += RA_MAGIC_SIZE;
        }
    }
    return status;
}

/* What was found before, on a pass over the whole file. */
static enum ra_status take_known(struct ra_search *search, const struct ra_source *area,
                                 uint64_t address)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < search->known->count; i++) {
        const struct ra_find *find = &search->known->finds[i];
        uint64_t in = find->offset - area->base;
        struct ra_source rest;

        if (in >= area->size)
            continue;
        rest = ra_source_from(area, in);
        status = find->magic == RA_MAGIC_WRAPPER
                     ? take_wrapper(search, &rest, address + in)
                     : ra_search_add(search, find);
    }
    return status;
}

enum ra_status ra_search(struct ra_search *search, const struct ra_source *area,
                         uint64_t address)
{
    uint8_t *window;
    enum ra_status status;

    if (search->known)
        return take_known(search, area, address);

    /* Twice, for segments that share a page. */
    if (area->size > 2 * search->file->size - search->searched)
        return ra_fault(search->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(area, 0),
                        "sections and segments are larger than the file");
    search->searched += area->size;
    window = malloc(WINDOW);
    if (!window)
        return RA_E_NOMEM;
    status = search_area(search, area, address, window);
    free(window);
    return status;
}

void ra_search_free(struct ra_search *search)
{
    free(search->finds);
    free(search->wrappers);
    search->finds = NULL;
    search->wrappers = NULL;
}
