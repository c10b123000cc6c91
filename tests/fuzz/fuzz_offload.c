/* Blobs of OffloadBinary: where they are, what they expand to, and what is in them. */
#include "bundle/blobs.h"
#include "codec/expanded.h"

#include <assert.h>

#define EXPANDED_MOST ((uint64_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    struct ra_arena arena;
    struct ra_diags diags;
    struct ra_workspaces *workspaces;
};

static void check_header(const struct ra_blob *blob)
{
    const struct ra_offload *offload = &blob->offload;

    assert(offload->version >= 1 && offload->version <= 3);
    assert(blob->source.size == offload->size);
    assert(offload->entries >= 32 && offload->entries <= offload->size);
    assert(offload->version != 1 || offload->count == 1);
    assert((offload->codec == RA_CODEC_STORED) == (offload->expanded == 0));
    assert(offload->expanded == 0 || offload->version == 3);
}

/* Images are inside, and no two share bytes. */
static void check_table(const struct ra_offload_table *table,
                        const struct ra_source *content, uint64_t shift)
{
    uint64_t sum = 0;

    assert(table->count <= RA_OFFLOAD_MAX_IMAGES);
    for (size_t i = 0; i < table->count; i++) {
        const struct ra_offload_image *image = &table->images[i];

        assert(image->triple.size <= RA_OFFLOAD_MAX_TEXT);
        assert(image->arch.size <= RA_OFFLOAD_MAX_TEXT);
        assert(*ra_offload_word(image) && (!image->metadata_only || image->size == 0));
        (void)ra_offload_is_amd(image);
        if (image->size == 0)
            continue;
        assert(image->offset >= shift && image->offset - shift <= content->size);
        assert(image->size <= content->size - (image->offset - shift));
        sum += image->size;
    }
    assert(sum <= content->size);
}

static void read_images(struct run *run, const struct ra_blob *blob,
                        const struct ra_source *content)
{
    struct ra_offload_table table;
    size_t told = run->diags.count;
    enum ra_status status =
        ra_offload_images(&blob->offload, content, &run->arena, &run->diags, &table);

    /* A decoder may tell of damage further on before anybody asks for that. */
    assert(status == RA_OK || run->diags.errors > 0);
    assert(status != RA_OK || run->diags.count == told || ra_source_is_forward(content));
    if (status == RA_OK)
        check_table(&table, content, ra_offload_shift(&blob->offload));
}

/* With nothing expanded at once, so that going back and holding is met as well. */
static void expand(struct run *run, const struct ra_blob *blob)
{
    struct ra_source payload = ra_source_from(&blob->source, blob->offload.entries);
    struct ra_source content;
    struct ra_expand how = { .codec = blob->offload.codec,
                             .size = blob->offload.expanded - blob->offload.entries,
                             .whole = 256,
                             .workspaces = run->workspaces };
    struct ra_expanded *expanded;
    uint64_t used, md5;

    if (how.size > EXPANDED_MOST ||
        ra_expanded_open(&payload, &how, &run->diags, &expanded) != RA_OK)
        return;
    content = ra_expanded_source(expanded);
    assert(content.size == how.size);
    read_images(run, blob, &content);
    if (ra_expanded_finish(expanded, &used, &md5) != RA_OK)
        assert(run->diags.errors > 0);
    ra_expanded_close(expanded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_source source = ra_source_over((struct ra_span){ data, size, 0 });
    struct run run = { .arena = { .limit = (size_t)64 << 20 } };
    struct ra_blobs blobs;
    struct ra_blob blob;
    uint64_t end = 0;
    bool more = true;

    run.diags.arena = &run.arena;
    run.workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    assert(run.workspaces);
    ra_blobs_open(&source, &run.diags, &blobs);
    while (ra_blobs_next(&blobs, &blob, &more) == RA_OK && more) {
        assert(blob.source.base >= end && blobs.next > blob.source.base);
        end = blobs.next;
        if (blob.status != RA_OK) {
            assert(run.diags.errors > 0);
            continue;
        }
        check_header(&blob);
        if (blob.offload.codec == RA_CODEC_STORED)
            read_images(&run, &blob, &blob.source);
        else
            expand(&run, &blob);
    }
    assert(!more && blobs.next >= size);
    ra_workspaces_free(run.workspaces);
    ra_arena_free(&run.arena);
    return 0;
}
