#include "gfx/codeobj.h"

#include "codec/yaml.h"
#include "gfx/kernels.h"
#include "gfx/metadata.h"
#include "gfx/metadata_v2.h"
#include "gfx/notes_v2.h"
#include "gfx/producer.h"
#include "gfx/target.h"

#include <inttypes.h>
#include <stdlib.h>

#define HEAD_SIZE    64
#define NOTES_LIMIT  ((uint64_t)256 << 20)
#define KERNEL_LIMIT ((size_t)1 << 20)
#define OLD_LIMIT    ((size_t)256 << 20) /* bytes of names that V2 writes as YAML */

enum { VERSION_OLDEST = 2, VERSION_NEWEST = 6 };

/* AMDGPUUsage, "Note Records". */
#define NOTE_VENDOR   "AMDGPU"
#define NOTE_METADATA 32

struct note {
    uint32_t type;
    struct ra_span vendor, content;
};

struct job {
    struct ra_image image;
    struct ra_codeobj_buffers *buffers;
    const struct ra_codeobj_sink *sink;
    struct ra_diags *diags;
    struct ra_entry *entry;
    struct ra_kernels kernels;
    enum ra_status sink_status;
    struct ra_notes_v2 old;
    struct ra_arena old_names; /* of kernels, for as long as the job lasts */
    bool is_unread;            /* in part, which was told */
};

void ra_codeobj_buffers_free(struct ra_codeobj_buffers *buffers)
{
    free(buffers->notes.data);
    free(buffers->symbols.data);
    free(buffers->strings.data);
    *buffers = (struct ra_codeobj_buffers){ 0 };
}

/* ---- header ----------------------------------------------------------------- */

/* EI_ABIVERSION is the code object version less two. False: newer than this build. */
static bool decode_header(struct job *job)
{
    const struct ra_image *image = &job->image;
    struct ra_code *code = &job->entry->code;

    code->type = image->type;
    code->osabi = image->osabi;
    code->flags = image->flags;
    if (image->osabi != RA_OSABI_HSA)
        return true; /* of another system: no runtime of ROCm takes it, whatever it is */
    code->version = image->abi_version + VERSION_OLDEST;
    if (code->version > VERSION_NEWEST) {
        code->version = 0;
        return false;
    }
    /* V2 says it in a note. */
    return code->version == VERSION_OLDEST ||
           ra_target_from_flags(code->flags, code->version, &code->target,
                                &code->generic_version);
}

static enum ra_status newer(struct job *job)
{
    return ra_fault(
        job->diags, RA_OK, RA_DIAG_CODE_UNKNOWN, ra_source_place(&job->image.source, 0),
        "ABI version %u, e_flags 0x%" PRIx32, job->image.abi_version, job->image.flags);
}

/* ---- notes ------------------------------------------------------------------ */

/* Sizes are padded to four; the last note of a segment need not be. */
static bool next_note(struct ra_cursor *cur, struct note *ret)
{
    uint32_t vendor = ra_cursor_u32le(cur), content = ra_cursor_u32le(cur);

    ret->type = ra_cursor_u32le(cur);
    ret->vendor = ra_cursor_take(cur, vendor);
    ra_cursor_skip(cur, -vendor & 3);
    ret->content = ra_cursor_take(cur, content);
    if (cur->span.size - cur->pos < (-content & 3))
        cur->pos = cur->span.size;
    else
        ra_cursor_skip(cur, -content & 3);
    return ra_cursor_ok(cur);
}

static bool vendor_is(const struct note *note, const char *vendor)
{
    return note->vendor.size == strlen(vendor) + 1 &&
           memcmp(note->vendor.data, vendor, note->vendor.size) == 0;
}

static bool take_kernel(void *arg, const struct ra_metadata_kernel *kernel)
{
    struct job *job = arg;
    uint32_t name;

    job->sink_status = job->kernels.count < KERNEL_LIMIT
                           ? ra_names_add(job->sink->names, kernel->name, &name)
                           : RA_E_LIMIT;
    if (job->sink_status == RA_OK && !ra_kernels_add(&job->kernels, kernel, name))
        job->sink_status = RA_E_NOMEM;
    return job->sink_status == RA_OK;
}

/* The target of amdgcn-amd-amdhsa--gfx90a; false for a triple of another form. */
static bool read_claim(struct ra_span triple, struct ra_target *ret)
{
    const uint8_t *found = memmem(triple.data, triple.size, "gfx", 3);

    if (!found)
        return false;
    triple.size -= (size_t)(found - triple.data);
    triple.data = found;
    return ra_target_parse(triple, ret);
}

/* An object linked from several has a map of each; one that disagrees is kept. */
static void claim(struct job *job, struct ra_span triple)
{
    struct ra_code *code = &job->entry->code;
    char said[RA_TARGET_TEXT], meant[RA_TARGET_TEXT];
    struct ra_target target;

    if (triple.size == 0)
        return; /* what is written in assembly need not have it */
    if (!read_claim(triple, &target)) {
        code->unclear_claim = true;
        return;
    }
    ra_target_spell(&code->claimed, said);
    ra_target_spell(&code->target, meant);
    if (*code->claimed.processor == '\0' || strcmp(said, meant) == 0)
        code->claimed = target;
}

static enum ra_status too_many(struct job *job, const struct note *note)
{
    return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                    ra_source_place(&job->image.source, note->content.base),
                    "more than %zu kernels, or names made to collide", KERNEL_LIMIT);
}

/* What a reader of metadata came to; `bad` of a damage in the note. */
static enum ra_status settle(struct job *job, const struct note *note,
                             enum ra_status status, uint64_t kernels, size_t bad)
{
    if (status == RA_E_FORMAT)
        return ra_fault(job->diags, status, RA_DIAG_METADATA_BAD,
                        ra_source_place(&job->image.source, note->content.base + bad),
                        "after %zu of %zu bytes", bad, note->content.size);
    if (status == RA_E_NOMEM && job->sink_status == RA_E_LIMIT)
        return too_many(job, note);
    if (status != RA_OK)
        return status;
    if (kernels > KERNEL_LIMIT - job->entry->kernel_count)
        return too_many(job, note);
    job->entry->code.has_metadata = true;
    job->entry->kernel_count += kernels;
    return RA_OK;
}

static enum ra_status read_metadata(struct job *job, const struct note *note)
{
    struct ra_metadata metadata;
    size_t bad;
    enum ra_status status = ra_metadata_read(
        note->content, job->sink ? take_kernel : NULL, job, &metadata, &bad);

    status = settle(job, note, status, metadata.kernel_count, bad);
    if (status == RA_OK)
        claim(job, metadata.target);
    return status;
}

/* ---- notes of V2 ------------------------------------------------------------ */

static enum ra_status read_old_metadata(struct job *job)
{
    struct note note = { .content = job->old.metadata };
    struct ra_metadata metadata;
    size_t bad;
    enum ra_status status =
        ra_metadata_v2_read(note.content, job->sink ? take_kernel : NULL, job,
                            &job->old_names, &metadata, &bad);

    if (status == RA_E_LIMIT)
        return ra_fault(job->diags, status, RA_DIAG_LIMIT,
                        ra_source_place(&job->image.source, note.content.base + bad),
                        "%zu bytes of YAML, or more than %d levels", note.content.size,
                        RA_YAML_DEPTH);
    return settle(job, &note, status, metadata.kernel_count, bad);
}

/* What is not read does not keep us from the rest. */
static enum ra_status leave_unread(struct job *job, const char *why)
{
    job->is_unread = true;
    return ra_fault(job->diags, RA_OK, RA_DIAG_CODE_OLD,
                    ra_source_place(&job->image.source, 0), "%s", why);
}

static enum ra_status read_old(struct job *job)
{
    struct ra_code *code = &job->entry->code;
    const struct ra_notes_v2 *old = &job->old;
    bool known;

    code->target = ra_notes_v2_target(old, code->flags);
    code->claimed = ra_notes_v2_claim(&code->target, code->flags, &known);
    code->unclear_claim = !known;
    if (!old->has_version || old->major != VERSION_OLDEST)
        return leave_unread(job, "its notes do not say that it is version 2");
    if (*code->target.processor == '\0')
        return leave_unread(job, "its notes name no processor that V2 is made for");
    if (!old->has_metadata)
        return leave_unread(job, "no note names its kernels");
    return read_old_metadata(job);
}

/* ---- all notes -------------------------------------------------------------- */

static enum ra_status read_note(struct job *job, const struct note *note)
{
    bool old = job->entry->code.version == VERSION_OLDEST;

    if (!old && note->type == NOTE_METADATA && vendor_is(note, NOTE_VENDOR))
        return read_metadata(job, note);
    if (old && vendor_is(note, RA_NOTES_V2_VENDOR))
        ra_notes_v2_keep(&job->old, note->type, note->content);
    return RA_OK;
}

static enum ra_status walk_notes(struct job *job, struct ra_span span)
{
    struct ra_cursor cur = ra_cursor_over(span);
    struct note note;
    enum ra_status status = RA_OK;

    while (status == RA_OK && cur.pos < span.size) {
        uint64_t where = span.base + cur.pos;

        if (!next_note(&cur, &note))
            return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_NOTE_BAD,
                            ra_source_place(&job->image.source, where),
                            "a note reaches past the %zu bytes of its segment",
                            span.size);
        status = read_note(job, &note);
    }
    return status;
}

/* All segments of notes in one buffer, since kernels borrow from every note. */
static enum ra_status read_notes(struct job *job)
{
    const struct ra_image *image = &job->image;
    uint64_t total = 0;
    uint8_t *bytes;
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < image->segment_count; i++)
        if (image->segments[i].type == RA_PT_NOTE) {
            if (image->segments[i].size > NOTES_LIMIT - total)
                return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                                ra_source_place(&image->source, 0),
                                "more than %" PRIu64 " bytes of notes", NOTES_LIMIT);
            total += image->segments[i].size;
        }
    bytes = ra_buffer_reserve(&job->buffers->notes, total);
    if (!bytes)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < image->segment_count; i++) {
        const struct ra_segment *segment = &image->segments[i];
        struct ra_span span = { bytes, (size_t)segment->size, segment->offset };

        if (segment->type != RA_PT_NOTE)
            continue;
        status =
            ra_source_read(&image->source, segment->offset, span.size, job->diags, bytes);
        if (status == RA_OK)
            status = walk_notes(job, span);
        bytes += span.size;
    }
    return status;
}

/* ---- kernels ---------------------------------------------------------------- */

static enum ra_status keep_kernels(struct job *job)
{
    struct ra_kernel *kernels;
    enum ra_status status = ra_kernels_resolve(&job->kernels, &job->image, job->buffers,
                                               job->diags, &job->entry->code);

    if (status != RA_OK)
        return status;
    kernels = ra_new(job->sink->arena, struct ra_kernel, job->kernels.count);
    if (!kernels)
        return RA_E_NOMEM;
    for (size_t i = 0; i < job->kernels.count; i++)
        kernels[i] = job->kernels.list[i].kernel;
    job->entry->kernels = kernels;
    return RA_OK;
}

static enum ra_status read_code(struct job *job)
{
    struct ra_code *code = &job->entry->code;
    enum ra_status status = ra_image_read(&job->image.source, job->diags, &job->image);

    if (status != RA_OK)
        return status;
    if (!decode_header(job)) {
        status = newer(job);
        if (status != RA_OK || code->version == 0)
            return status;
    }
    /* What cannot be loaded for its header's sake need not be looked into. */
    job->entry->complete = true;
    if (code->osabi != RA_OSABI_HSA || code->type != RA_ET_DYN)
        return RA_OK;
    job->entry->complete = false;
    status = read_notes(job);
    if (status == RA_OK && code->version == VERSION_OLDEST)
        status = read_old(job);
    if (status == RA_OK && job->sink)
        status = keep_kernels(job);
    if (status == RA_OK && job->sink)
        status =
            ra_producer_read(&job->image, job->sink->texts, job->diags, &code->compiler);
    job->entry->complete = status == RA_OK && !job->is_unread;
    return status;
}

enum ra_status ra_codeobj_read(const struct ra_source *source,
                               struct ra_codeobj_buffers *buffers,
                               const struct ra_codeobj_sink *sink, struct ra_diags *diags,
                               struct ra_entry *ret)
{
    struct job job = { .image = { .source = *source },
                       .buffers = buffers,
                       .sink = sink,
                       .diags = diags,
                       .entry = ret,
                       .old_names = { .limit = OLD_LIMIT } };
    uint8_t bytes[HEAD_SIZE];
    struct ra_span head;
    enum ra_status status = ra_source_peek(source, 0, sizeof(bytes), diags, bytes, &head);

    if (status != RA_OK)
        return status;
    ret->content = ra_content_of(head);
    ret->complete = true;
    if (ret->content != RA_CONTENT_CODE_OBJECT)
        return RA_OK;
    ret->complete = false;
    status = read_code(&job);
    free(job.kernels.list);
    ra_arena_free(&job.old_names);
    return status;
}
