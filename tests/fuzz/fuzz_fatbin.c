/* A walk over anything ends, covers no byte twice, and tells what it steps over. */
#include "bundle/fatbin.h"
#include "codec/expanded.h"

#include <assert.h>

#define EXPANDED_MOST ((uint64_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The walk must go on behind the bytes that the piece starts with. */
struct walk {
    struct ra_fatbin fatbin;
    struct ra_diags *diags;
    struct ra_workspaces *workspaces;
    uint64_t end; /* of the piece before */
};

/* Where a bundle without a size ends; 0 if it is damaged. */
static uint64_t measure(struct walk *walk, const struct ra_piece *piece)
{
    struct ra_source payload = ra_source_from(&piece->source, piece->ccob.header);
    struct ra_expand how = {
        .codec = piece->ccob.codec,
        .size = piece->ccob.expanded,
        .one_frame = true,
        .workspaces = walk->workspaces,
    };
    struct ra_expanded *expanded;
    uint64_t used = 0, md5;

    if (how.size > EXPANDED_MOST ||
        ra_expanded_open(&payload, &how, walk->diags, &expanded) != RA_OK)
        return 0;
    if (ra_expanded_finish(expanded, &used, &md5) != RA_OK)
        used = 0;
    ra_expanded_close(expanded);
    return used ? piece->ccob.header + used : 0;
}

static void check_piece(const struct ra_piece *piece, uint64_t size)
{
    uint64_t start = piece->source.base;

    assert(start < size && piece->source.size > 0 && piece->source.size <= size - start);
    if (piece->status != RA_OK) {
        assert(ra_is_damage(piece->status));
        return;
    }
    if (piece->ccob.version == 0) {
        assert(piece->has_size && strcmp(piece->container, "plain") == 0);
        assert(piece->table.end == piece->source.size);
        return;
    }
    assert(strncmp(piece->container, "ccob", 4) == 0);
    assert(piece->container[4] == (char)('0' + piece->ccob.version));
    assert(piece->has_size == (piece->ccob.size != 0));
    assert(!piece->has_size || piece->ccob.size == piece->source.size);
}

static bool step(struct walk *walk, uint64_t size)
{
    struct ra_piece piece;
    size_t told = walk->diags->count;
    bool more;
    enum ra_status status = ra_fatbin_next(&walk->fatbin, &piece, &more);

    assert(status == RA_OK);
    if (!more) {
        assert(walk->fatbin.next == size && walk->diags->count == told);
        return false;
    }
    check_piece(&piece, size);
    assert(walk->diags->count - told == (piece.status != RA_OK));
    assert(piece.source.base >= walk->end);
    if (piece.status == RA_OK && !piece.has_size)
        status = ra_fatbin_pass(&walk->fatbin, measure(walk, &piece));
    assert(status == RA_OK && walk->fatbin.next > piece.source.base);
    walk->end = walk->fatbin.next;
    if (piece.has_size)
        assert(walk->end == piece.source.base + piece.source.size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_source source = ra_source_over((struct ra_span){ data, size, 0 });
    struct ra_arena arena = { .limit = (size_t)256 << 20 };
    struct ra_diags diags = { .arena = &arena, .limit = 1000 };
    struct walk walk = { .diags = &diags,
                         .workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL) };

    assert(walk.workspaces);
    ra_fatbin_open(&source, &arena, &diags, &walk.fatbin);
    while (step(&walk, size))
        continue;
    ra_workspaces_free(walk.workspaces);
    ra_arena_free(&arena);
    return 0;
}
