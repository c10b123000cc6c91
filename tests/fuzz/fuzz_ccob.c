/* Compressed bundles: header, payload, and the entry table of what it expands to. */
#include "bundle/ccob.h"
#include "bundle/table.h"
#include "codec/expanded.h"

#include <assert.h>
#include <stdlib.h>

#define EXPANDED_MOST ((uint64_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    struct ra_arena arena;
    struct ra_diags diags;
    struct ra_workspaces *workspaces;
};

static void check_header(const struct ra_ccob *ccob, uint64_t size)
{
    static const uint64_t headers[] = { 0, 20, 24, 32 };

    assert(ccob->version >= 1 && ccob->version <= 3);
    assert(ccob->header == headers[ccob->version] && ccob->header <= size);
    assert(ccob->codec == RA_CODEC_ZSTD || ccob->codec == RA_CODEC_DEFLATE);
    assert((ccob->size == 0) == (ccob->version == 1 || ccob->wrapped));
    assert(ccob->size == 0 || (ccob->size > ccob->header && ccob->size <= size));
    assert(!ccob->wrapped || (ccob->version == 2 && ccob->expanded > UINT32_MAX));
}

/* From the end to the front and again: any order of reads sees the same bytes. */
static void check_reads(struct run *run, const struct ra_source *source)
{
    uint8_t *first = malloc((size_t)source->size + 1), byte;
    size_t told = run->diags.count;

    assert(first);
    if (ra_source_read(source, 0, (size_t)source->size, &run->diags, first) == RA_OK) {
        for (uint64_t at = source->size; at > 0 && source->size - at < 64; at--) {
            assert(ra_source_read(source, at - 1, 1, &run->diags, &byte) == RA_OK);
            assert(byte == first[at - 1]);
        }
        assert(run->diags.count == told);
    }
    free(first);
}

static void expand(struct run *run, const struct ra_source *source,
                   const struct ra_ccob *ccob)
{
    struct ra_source payload = ra_source_from(source, ccob->header), content;
    struct ra_expand how = {
        .codec = ccob->codec,
        .size = ccob->expanded,
        .one_frame = ccob->size == 0,
        .digest = true,
        .workspaces = run->workspaces,
    };
    struct ra_expanded *expanded;
    struct ra_table table;
    size_t told = run->diags.count;
    uint64_t used, md5;

    if (ra_expanded_open(&payload, &how, &run->diags, &expanded) != RA_OK) {
        assert(run->diags.count == told + 1);
        return;
    }
    content = ra_expanded_source(expanded);
    assert(content.size == ccob->expanded && run->diags.count == told);
    check_reads(run, &content);
    if (ra_table_read(&content, &run->arena, &run->diags, &table) == RA_OK)
        assert(table.end <= content.size);
    if (ra_expanded_finish(expanded, &used, &md5) == RA_OK)
        assert(used > 0 && used <= payload.size);
    else
        assert(run->diags.errors > 0);
    ra_expanded_close(expanded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span span = { data, size, 0 };
    struct ra_source source = ra_source_over(span);
    struct run run = { .arena = { .limit = (size_t)64 << 20 } };
    struct ra_ccob ccob;
    enum ra_status status;

    run.diags.arena = &run.arena;
    run.workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    assert(run.workspaces);
    status = ra_ccob_read(&source, &run.diags, &ccob);
    assert(run.diags.count == (status != RA_OK));
    assert(status == RA_OK || status == RA_E_FORMAT || status == RA_E_UNSUPPORTED);
    if (status == RA_OK) {
        if (ccob.size)
            source.size = ccob.size;
        check_header(&ccob, size);
        if (ccob.expanded <= EXPANDED_MOST)
            expand(&run, &source, &ccob);
    }
    ra_workspaces_free(run.workspaces);
    ra_arena_free(&run.arena);
    return 0;
}
