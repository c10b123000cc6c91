/*
 * Any payload gives the same bytes whether it is expanded at once or read forward.
 *
 * The first byte: bit 0 the codec, bit 1 whether one frame is wanted, bit 2 whether a
 * digest is. Two more are the start of the numbers that choose what is read.
 */
#include "codec/expanded.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 3, MOST = 1 << 18, READS = 12 };

struct input {
    struct ra_source packed;
    struct ra_expand how;
    uint32_t numbers;
};

/* They last as long as the program: fresh ones would be most of the time. */
static struct ra_workspaces *workspaces;

static uint8_t content[MOST], bytes[MOST];

static uint64_t next_number(struct input *input)
{
    input->numbers = input->numbers * 1664525u + 1013904223u;
    return input->numbers >> 8;
}

/* What a decoder alone makes of it, at most MOST bytes. */
static size_t decode(const struct input *input)
{
    struct ra_arena arena = { .limit = 1 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_workspace workspace = { 0 };
    struct ra_decoder *decoder;
    size_t made = 0;

    if (ra_decoder_open(input->how.codec, &input->packed, input->how.one_frame,
                        &workspace, &diags, &decoder) != RA_OK)
        abort();
    (void)!ra_decoder_read(decoder, content, MOST, &made);
    ra_decoder_close(decoder);
    ra_zstd_context_free(workspace.zstd);
    ra_arena_free(&arena);
    return made;
}

/* Here and there in the first `made` bytes, some of them held. */
static enum ra_status read_some(struct input *input, struct ra_expanded *expanded,
                                struct ra_diags *diags, size_t made)
{
    struct ra_source source = ra_expanded_source(expanded);
    enum ra_status status = RA_OK;

    for (unsigned i = 0; status == RA_OK && made > 0 && i < READS; i++) {
        size_t at = (size_t)next_number(input) % made;
        size_t size = (size_t)next_number(input) % (made - at) + 1;

        if (i % 4 == 1)
            status = ra_source_hold(&source, at, size);
        if (status == RA_OK)
            status = ra_source_read(&source, at, size, diags, bytes);
        if (status == RA_OK && memcmp(bytes, content + at, size) != 0)
            abort();
    }
    return status;
}

/* What is told is told once, and only of what failed; failure sticks. */
static enum ra_status expand(struct input *input, uint64_t size, size_t made,
                             uint64_t *used, uint64_t *md5)
{
    struct ra_arena arena = { .limit = 1 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_expanded *expanded;
    enum ra_status status, again;

    *used = *md5 = 0;
    input->how.size = size;
    status = ra_expanded_open(&input->packed, &input->how, &diags, &expanded);
    if ((status == RA_OK) != (diags.count == 0))
        abort();
    if (status == RA_OK) {
        status = read_some(input, expanded, &diags, made);
        again = ra_expanded_finish(expanded, used, md5);
        if ((again == RA_OK) != (diags.count == 0) || *used > input->packed.size ||
            (status != RA_OK && again != status))
            abort();
        status = again;
        if (status != RA_OK && ra_expanded_finish(expanded, used, md5) != status)
            abort();
        ra_expanded_close(expanded);
    }
    if (diags.count != (status != RA_OK))
        abort();
    ra_arena_free(&arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    enum ra_status status;
    uint64_t used, md5;
    size_t made;

    if (!workspaces)
        workspaces = ra_workspaces_new(RA_WORKSPACE_TOTAL);
    if (size < HEAD || !workspaces)
        return 0;
    input = (struct input){
        .packed =
            ra_source_over((struct ra_span){ .data = data + HEAD, .size = size - HEAD }),
        .how = { .codec = data[0] & 1 ? RA_CODEC_ZSTD : RA_CODEC_DEFLATE,
                 .one_frame = data[0] & 2,
                 .digest = data[0] & 4,
                 .workspaces = workspaces },
        .numbers = (uint32_t)data[1] << 8 | data[2],
    };
    made = decode(&input);
    status = expand(&input, made, made, &used, &md5);
    if (status == RA_OK && !input.how.one_frame && used != input.packed.size)
        abort();
    /* It is not that large, so it cannot succeed; what is there has to be right. */
    if (made < MOST && expand(&input, RA_EXPANDED_WHOLE + 1, made, &used, &md5) == RA_OK)
        abort();
    return 0;
}
