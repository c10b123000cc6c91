#include "container/member.h"

#include <inttypes.h>
#include <stdlib.h>

#define WINDOW ((size_t)64 * 1024)

struct ra_member {
    struct ra_archive *archive;
    struct ra_diags *diags;
    size_t index;
    bool is_part;          /* `part` has the bytes as they are */
    struct ra_source part; /* of the archive; else empty, at the member */
    struct ra_expanded *expanded;
};

/* ---- decoding --------------------------------------------------------------- */

/* The first time from where the archive stands, later from its start. */
static enum ra_status member_open(struct ra_decoder *decoder)
{
    struct ra_member *member = decoder->context;
    struct ra_archive *again = NULL;
    enum ra_status status;

    if (ra_archive_is_fresh(member->archive)) {
        decoder->state = member->archive;
        return RA_OK;
    }
    status = ra_archive_again(member->archive, member->index, decoder->diags, &again);
    decoder->state = again;
    return status;
}

static enum ra_status member_step(struct ra_decoder *decoder, struct ra_output *out,
                                  bool *frame_ended)
{
    size_t made;
    enum ra_status status =
        ra_archive_read(decoder->state, decoder->diags, out->data + out->made,
                        out->size - out->made, &made);

    out->made += made;
    *frame_ended = status == RA_OK && out->made < out->size;
    return status;
}

static void member_close(struct ra_decoder *decoder)
{
    struct ra_member *member = decoder->context;

    if (decoder->state != member->archive)
        ra_archive_close(decoder->state);
    decoder->state = NULL;
}

static const struct ra_decoder_ops member_ops = {
    .open = member_open,
    .step = member_step,
    .close = member_close,
};

static enum ra_status expand(struct ra_member *member, uint64_t size,
                             struct ra_workspaces *workspaces)
{
    const struct ra_expand how = {
        .size = size,
        .workspaces = workspaces,
        .whole = RA_MEMBER_WHOLE,
        .ends = RA_MEMBER_ENDS,
        .ops = &member_ops,
        .context = member,
    };

    return ra_expanded_open(&member->part, &how, member->diags, &member->expanded);
}

/* ---- as it stands in the archive -------------------------------------------- */

static enum ra_status part_read(const struct ra_source *source, uint64_t where,
                                size_t count, struct ra_diags *diags, uint8_t *ret)
{
    const struct ra_member *member = source->state;

    return ra_source_read(&member->part, where, count, diags, ret);
}

static enum ra_status check_size(const struct ra_member *member, uint64_t size)
{
    if (size == member->part.size)
        return RA_OK;
    return ra_fault(member->diags, RA_E_FORMAT, RA_DIAG_CODEC_SIZE,
                    ra_archive_place(member->archive), "%" PRIu64 " bytes, not %" PRIu64,
                    size, member->part.size);
}

/* The archive reads it as well, and compares its sum. */
static enum ra_status finish_part(const struct ra_member *member)
{
    uint8_t *window;
    uint64_t size = 0;
    size_t made = WINDOW;
    enum ra_status status = RA_OK;

    if (!ra_archive_has_sums(member->archive))
        return RA_OK;
    window = malloc(WINDOW);
    if (!window)
        return RA_E_NOMEM;
    while (status == RA_OK && made == WINDOW) {
        status = ra_archive_read(member->archive, member->diags, window, WINDOW, &made);
        size += made;
    }
    free(window);
    return status == RA_OK ? check_size(member, size) : status;
}

/* ---- both ------------------------------------------------------------------- */

/* Nothing, at the place of the member: for what is told of it. */
static struct ra_source nothing_at(struct ra_place place)
{
    if (place.inner == RA_NOT_EXPANDED)
        return (struct ra_source){ .base = place.offset, .packed = RA_NOT_EXPANDED };
    return (struct ra_source){ .base = place.inner, .packed = place.offset };
}

enum ra_status ra_member_open(struct ra_archive *archive,
                              const struct ra_archive_member *member,
                              struct ra_workspaces *workspaces, struct ra_diags *diags,
                              struct ra_member **ret)
{
    struct ra_member *opened = calloc(1, sizeof(*opened));
    enum ra_status status;

    if (!opened)
        return RA_E_NOMEM;
    opened->archive = archive;
    opened->diags = diags;
    opened->index = member->index;
    status = ra_archive_check(archive, diags);
    if (status == RA_OK)
        opened->is_part = ra_archive_part(archive, &opened->part);
    /* Of a forward source, parts are decoded as well: it would go back for each. */
    if (opened->is_part && ra_source_is_forward(&opened->part))
        opened->is_part = false;
    if (status == RA_OK && !opened->is_part) {
        opened->part = nothing_at(ra_archive_place(archive));
        status = expand(opened, member->size, workspaces);
    }
    if (status != RA_OK)
        ra_member_close(opened);
    else
        *ret = opened;
    return status;
}

void ra_member_close(struct ra_member *member)
{
    if (!member)
        return;
    ra_expanded_close(member->expanded);
    free(member);
}

struct ra_source ra_member_source(const struct ra_member *member)
{
    struct ra_source source = {
        .size = member->part.size,
        .read_at = part_read,
        .fd = -1,
        .state = (void *)(uintptr_t)member,
    };

    if (!member->is_part)
        source = ra_expanded_source(member->expanded);
    source.packed = RA_NOT_EXPANDED;
    return source;
}

enum ra_status ra_member_finish(struct ra_member *member)
{
    uint64_t used, md5;

    if (member->is_part)
        return finish_part(member);
    return ra_expanded_finish(member->expanded, &used, &md5);
}
