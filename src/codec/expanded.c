#include "codec/expanded.h"

#include "codec/digest.h"

#include <inttypes.h>
#include <stdlib.h>

#define RESTART_LIMIT 32
#define WINDOW        ((size_t)256 * 1024) /* of what was decoded last, half at least */
#define WINDOW_ENDS   ((size_t)8 << 20)    /* the same where ends are kept */
#define ROOM_FIRST    ((size_t)1 << 20)
#define BLOCK         ((size_t)64 * 1024) /* decoded at a time */

struct ra_expanded {
    struct ra_source packed;
    struct ra_expand how;
    struct ra_diags *diags;
    struct ra_workspace *workspace;
    bool once;                  /* all frames at once, by way of `packed` */
    struct ra_decoder *decoder; /* NULL if all of it is in the blob */
    uint64_t pos;               /* of the decoder in the expanded data */
    uint64_t held_at;           /* the blob holds [held_at, held_at + held) */
    size_t held;
    size_t front, tail; /* bytes kept so far of the first and the last `how.ends` */
    size_t recent;      /* bytes in the window, which end at `pos` */
    uint64_t used;      /* bytes of the source, once known */
    bool ended;         /* the end was met, and is where it should be */
    unsigned restarts;
    enum ra_status failed; /* sticks: damage is told once, however often it is met */
    struct ra_md5 *md5;
    uint64_t digested; /* bytes that went into it */
};

static enum ra_status told(struct ra_expanded *expanded, enum ra_status status,
                           enum ra_diag_code code, const char *what, uint64_t number)
{
    return ra_fault(expanded->diags, status, code, ra_source_place(&expanded->packed, 0),
                    "%s%" PRIu64 " bytes", what, number);
}

static bool is_whole(const struct ra_expanded *expanded)
{
    return expanded->how.size <= expanded->how.whole;
}

/* At the first byte of the payload. */
static enum ra_status open_decoder(struct ra_expanded *expanded)
{
    expanded->pos = 0;
    if (expanded->how.ops)
        return ra_decoder_open_as(expanded->how.ops, expanded->how.context,
                                  &expanded->packed, expanded->workspace, expanded->diags,
                                  &expanded->decoder);
    return ra_decoder_open(expanded->how.codec, &expanded->packed,
                           expanded->how.one_frame, expanded->workspace, expanded->diags,
                           &expanded->decoder);
}

static void close_decoder(struct ra_expanded *expanded)
{
    ra_decoder_close(expanded->decoder);
    expanded->decoder = NULL;
}

/* ---- all at once ------------------------------------------------------------ */

static enum ra_status read_packed(struct ra_expanded *expanded, struct ra_span *ret)
{
    *ret = (struct ra_span){
        .data = expanded->workspace->packed,
        .size = (size_t)expanded->packed.size,
        .base = expanded->packed.base,
    };
    return ra_source_read(&expanded->packed, 0, ret->size, expanded->diags,
                          expanded->workspace->packed);
}

static enum ra_status decode_all(struct ra_expanded *expanded)
{
    size_t room = (size_t)expanded->how.size, made = 0, beyond = 0;
    uint8_t byte;
    enum ra_status status = open_decoder(expanded);

    if (status != RA_OK)
        return status;
    status = ra_decoder_read(expanded->decoder, expanded->workspace->blob, room, &made);
    if (status == RA_OK && made == room)
        status = ra_decoder_read(expanded->decoder, &byte, 1, &beyond);
    expanded->used = ra_decoder_used(expanded->decoder);
    close_decoder(expanded);
    if (status == RA_OK && beyond > 0)
        return told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "more than ", room);
    expanded->held = made;
    return status;
}

static enum ra_status zstd_all(struct ra_expanded *expanded)
{
    struct ra_span packed;
    enum ra_status status = read_packed(expanded, &packed);

    if (status == RA_OK)
        status = ra_zstd_all(expanded->workspace, packed, (size_t)expanded->how.size,
                             expanded->diags, ra_source_place(&expanded->packed, 0),
                             &expanded->held);
    expanded->used = packed.size;
    return status;
}

static enum ra_status open_whole(struct ra_expanded *expanded)
{
    enum ra_status status = expanded->once ? zstd_all(expanded) : decode_all(expanded);

    if (status == RA_OK && expanded->held < expanded->how.size)
        status = told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "only ", expanded->held);
    if (status == RA_OK && expanded->md5)
        ra_md5_add(expanded->md5, expanded->workspace->blob, expanded->held);
    return status;
}

/* ---- forward ---------------------------------------------------------------- */

static enum ra_status restart(struct ra_expanded *expanded)
{
    if (expanded->restarts++ >= RESTART_LIMIT)
        return told(expanded, RA_E_LIMIT, RA_DIAG_LIMIT,
                    "it would have to be decoded over and over to read ",
                    expanded->how.size);
    close_decoder(expanded);
    expanded->recent = 0;
    return open_decoder(expanded);
}

/* The blob is the held part, the window, and what is kept of the ends. */
static uint8_t *window_in(const struct ra_expanded *expanded)
{
    return expanded->workspace->blob + RA_EXPANDED_HELD;
}

/* Between the tables of a large code object are megabytes of symbols. */
static size_t window_size(const struct ra_expanded *expanded)
{
    return expanded->how.ends ? WINDOW_ENDS : WINDOW;
}

static uint8_t *front_in(const struct ra_expanded *expanded)
{
    return window_in(expanded) + window_size(expanded);
}

static uint8_t *tail_in(const struct ra_expanded *expanded)
{
    return front_in(expanded) + expanded->how.ends;
}

/* Where the last bytes that are kept begin. */
static uint64_t tail_at(const struct ra_expanded *expanded)
{
    return expanded->how.size - expanded->how.ends;
}

/* Decoding is in order, so what is kept of an end grows at its end. */
static void keep(uint8_t *kept, size_t *size, size_t limit, uint64_t start, uint64_t pos,
                 const uint8_t *data, size_t made)
{
    uint64_t wanted = start + *size, skip = wanted - pos;
    size_t part;

    if (*size == limit || wanted < pos || skip >= made)
        return;
    part = made - (size_t)skip;
    if (part > limit - *size)
        part = limit - *size;
    memcpy(kept + *size, data + skip, part);
    *size += part;
}

static void keep_ends(struct ra_expanded *expanded, const uint8_t *data, size_t made)
{
    size_t ends = expanded->how.ends;

    if (ends == 0)
        return;
    keep(front_in(expanded), &expanded->front, ends, 0, expanded->pos, data, made);
    keep(tail_in(expanded), &expanded->tail, ends, tail_at(expanded), expanded->pos, data,
         made);
}

/* Bytes at `where` that are in memory, up to `count`; NULL if the first is not. */
static const uint8_t *at_hand(const struct ra_expanded *expanded, uint64_t where,
                              size_t count, size_t *ret)
{
    const struct {
        uint64_t start;
        size_t size;
        const uint8_t *bytes;
    } parts[] = {
        { expanded->held_at, expanded->held, expanded->workspace->blob },
        { expanded->pos - expanded->recent, expanded->recent, window_in(expanded) },
        { 0, expanded->front, front_in(expanded) },
        { tail_at(expanded), expanded->tail, tail_in(expanded) },
    };

    for (size_t i = 0; i < RA_COUNT(parts); i++) {
        uint64_t in = where - parts[i].start;

        if (where < parts[i].start || in >= parts[i].size)
            continue;
        *ret = count < parts[i].size - in ? count : parts[i].size - (size_t)in;
        return parts[i].bytes + in;
    }
    return NULL;
}

/* What was decoded goes into the digest once, however often it is decoded. */
static void digest(struct ra_expanded *expanded, const uint8_t *data, size_t made)
{
    uint64_t end = expanded->pos + made;
    size_t fresh;

    if (!expanded->md5 || end <= expanded->digested)
        return;
    fresh = (size_t)(end - expanded->digested);
    ra_md5_add(expanded->md5, data + made - fresh, fresh);
    expanded->digested = end;
}

/* Whether the data ends where it was announced to, and its sums are right. */
static enum ra_status end(struct ra_expanded *expanded)
{
    size_t beyond = 0;
    uint8_t byte;
    enum ra_status status = ra_decoder_read(expanded->decoder, &byte, 1, &beyond);

    if (status == RA_OK && beyond > 0)
        status = told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "more than ",
                      expanded->how.size);
    expanded->used = ra_decoder_used(expanded->decoder);
    expanded->ended = status == RA_OK;
    return status;
}

/* Decode what comes next into the window. */
static enum ra_status advance(struct ra_expanded *expanded)
{
    uint8_t *window = window_in(expanded);
    size_t room = window_size(expanded), kept = expanded->recent, made;
    uint64_t left = expanded->how.size - expanded->pos;
    size_t size;
    enum ra_status status;

    if (room - kept < BLOCK) {
        kept = room / 2;
        memmove(window, window + expanded->recent - kept, kept);
    }
    size = room - kept < BLOCK ? room - kept : BLOCK;
    if (left < size)
        size = (size_t)left;
    status = ra_decoder_read(expanded->decoder, window + kept, size, &made);
    keep_ends(expanded, window + kept, made);
    digest(expanded, window + kept, made);
    expanded->pos += made;
    expanded->recent = kept + made;
    if (status == RA_OK && made < size)
        status = told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "only ", expanded->pos);
    if (status == RA_OK && expanded->pos == expanded->how.size && !expanded->ended)
        status = end(expanded);
    return status;
}

/* What was decoded before damage can be read all the same. */
static enum ra_status forward_read(struct ra_expanded *expanded, uint64_t where,
                                   size_t count, uint8_t *ret)
{
    while (count > 0) {
        size_t part = 0;
        const uint8_t *bytes = at_hand(expanded, where, count, &part);

        if (bytes)
            memcpy(ret, bytes, part);
        else if (expanded->failed != RA_OK)
            return expanded->failed;
        else
            expanded->failed =
                where < expanded->pos ? restart(expanded) : advance(expanded);
        where += part;
        ret += part;
        count -= part;
    }
    return RA_OK;
}

/* ---- both ------------------------------------------------------------------- */

static enum ra_status expanded_read(const struct ra_source *source, uint64_t where,
                                    size_t count, struct ra_diags *diags, uint8_t *ret)
{
    struct ra_expanded *expanded = source->state;

    (void)diags; /* the decoder tells to those it was opened with: the same */
    if (!is_whole(expanded))
        return forward_read(expanded, where, count, ret);
    memcpy(ret, expanded->workspace->blob + where, count);
    return RA_OK;
}

/* What is asked for once more, or in part, does not cost another pass. */
static enum ra_status expanded_hold(const struct ra_source *source, uint64_t where,
                                    uint64_t size)
{
    struct ra_expanded *expanded = source->state;
    size_t part = size < RA_EXPANDED_HELD ? (size_t)size : RA_EXPANDED_HELD, has;
    enum ra_status status;

    if (part == 0)
        return RA_OK;
    if (at_hand(expanded, where, part, &has) && has == part)
        return RA_OK;
    expanded->held = 0;
    status = forward_read(expanded, where, part, expanded->workspace->blob);
    expanded->held_at = where;
    expanded->held = status == RA_OK ? part : 0;
    return status;
}

/*
 * A frame that says how much it holds must agree with the header before it; one that
 * looks back too far is refused before memory is made for it.
 */
static enum ra_status check_frame(struct ra_expanded *expanded, struct ra_frame *frame)
{
    enum ra_status status = RA_OK;

    *frame = (struct ra_frame){ 0 };
    if (!expanded->how.ops)
        status =
            ra_frame_read(expanded->how.codec, &expanded->packed, expanded->diags, frame);
    if (status != RA_OK)
        return status;
    if (frame->has_content && frame->content > expanded->how.size)
        return told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "its frame announces ",
                    frame->content);
    if (expanded->how.size > RA_EXPANDED_LIMIT)
        return told(expanded, RA_E_LIMIT, RA_DIAG_LIMIT, "it would expand to ",
                    expanded->how.size);
    if (!is_whole(expanded) && frame->window > (uint64_t)1 << RA_DECODER_WINDOW_LOG)
        return told(expanded, RA_E_LIMIT, RA_DIAG_CODEC_WINDOW, "it looks back ",
                    frame->window);
    return RA_OK;
}

/* All frames at once only where they end the source, and are not mostly headers. */
static bool fits_once(const struct ra_expanded *expanded)
{
    uint64_t size = expanded->how.size, packed = expanded->packed.size;

    return is_whole(expanded) && expanded->how.codec == RA_CODEC_ZSTD &&
           !expanded->how.ops && !expanded->how.one_frame &&
           packed <= size + size / 8 + 1024;
}

/*
 * What streaming will look back at: no more than there is, and than the limit. The first
 * frame's word counts only if it holds all of the content; else others may want more.
 */
static size_t window_of(const struct ra_expanded *expanded, const struct ra_frame *frame)
{
    uint64_t size = expanded->how.size, most = (uint64_t)1 << RA_DECODER_WINDOW_LOG;

    if (expanded->how.codec != RA_CODEC_ZSTD || expanded->how.ops || expanded->once)
        return 0;
    if (frame->has_content && frame->content == size && frame->window < most)
        most = frame->window;
    return (size_t)(size < most ? size : most);
}

/* Members of archives come in all sizes: a few steps save making room again and again. */
static size_t whole_room(const struct ra_expanded *expanded)
{
    size_t size = (size_t)expanded->how.size + 1, room = ROOM_FIRST;

    while (expanded->how.ops && room < size)
        room *= 2;
    return expanded->how.ops && room <= expanded->how.whole ? room : size;
}

static struct ra_need needs(const struct ra_expanded *expanded,
                            const struct ra_frame *frame)
{
    struct ra_need need = { .blob = RA_EXPANDED_HELD + window_size(expanded) +
                                    2 * expanded->how.ends,
                            .window = window_of(expanded, frame) };

    if (is_whole(expanded))
        need.blob = whole_room(expanded);
    if (expanded->once)
        need.packed = (size_t)expanded->packed.size;
    return need;
}

enum ra_status ra_expanded_open(const struct ra_source *packed,
                                const struct ra_expand *how, struct ra_diags *diags,
                                struct ra_expanded **ret)
{
    struct ra_expanded *expanded = calloc(1, sizeof(*expanded));
    struct ra_frame frame;
    enum ra_status status;

    if (!expanded)
        return RA_E_NOMEM;
    expanded->packed = *packed;
    expanded->how = *how;
    if (how->whole == 0)
        expanded->how.whole = RA_EXPANDED_WHOLE;
    expanded->diags = diags;
    status = check_frame(expanded, &frame);
    expanded->once = fits_once(expanded);
    if (status == RA_OK && how->digest && !(expanded->md5 = ra_md5_new()))
        status = RA_E_NOMEM;
    if (status == RA_OK)
        status = ra_workspace_take(how->workspaces, needs(expanded, &frame),
                                   &expanded->workspace);
    if (status == RA_OK)
        status = is_whole(expanded) ? open_whole(expanded) : open_decoder(expanded);
    if (status != RA_OK)
        ra_expanded_close(expanded);
    else
        *ret = expanded;
    return status;
}

void ra_expanded_close(struct ra_expanded *expanded)
{
    if (!expanded)
        return;
    ra_decoder_close(expanded->decoder);
    if (expanded->workspace)
        ra_workspace_give(expanded->how.workspaces, expanded->workspace);
    ra_md5_free(expanded->md5);
    free(expanded);
}

struct ra_source ra_expanded_source(const struct ra_expanded *expanded)
{
    return (struct ra_source){
        .size = expanded->how.size,
        .packed = expanded->packed.base,
        .read_at = expanded_read,
        .hold = is_whole(expanded) ? NULL : expanded_hold,
        .fd = -1,
        .state = (void *)(uintptr_t)expanded,
    };
}

enum ra_status ra_expanded_finish(struct ra_expanded *expanded, uint64_t *used,
                                  uint64_t *md5)
{
    enum ra_status status = expanded->failed;

    *used = *md5 = 0;
    while (status == RA_OK && expanded->decoder && !expanded->ended)
        status = expanded->pos < expanded->how.size ? advance(expanded) : end(expanded);
    if (status == RA_OK && !expanded->how.one_frame &&
        expanded->used != expanded->packed.size)
        status = told(expanded, RA_E_FORMAT, RA_DIAG_CODEC_SIZE, "it takes only ",
                      expanded->used);
    expanded->failed = status;
    if (status != RA_OK)
        return status;
    *used = expanded->used;
    if (expanded->md5)
        *md5 = ra_md5_end(expanded->md5);
    expanded->md5 = NULL;
    return RA_OK;
}
