/* task.c - from the bytes of a bundle to its facts. */
#include "audit/task.h"

#include "bundle/entryid.h"
#include "gfx/image.h"
#include "gfx/target.h"

#include <inttypes.h>
#include <stdlib.h>

#define ARENA_LIMIT ((size_t)512 << 20) /* bytes of facts a bundle */
#define DIAG_LIMIT  1000
#define HEAD_SIZE   64 /* of an ELF file, by which it is known */

/* ---- one bundle ------------------------------------------------------------- */

static const char *spell_elf(struct ra_task *task, const struct ra_code *code)
{
    char text[RA_TARGET_TEXT];

    if (*code->target.processor == '\0')
        return code->version > 2
                   ? ra_text_format(&task->arena, "mach-0x%02x", code->flags & 0xff)
                   : "";
    ra_target_spell(&code->target, text);
    return ra_arena_text(&task->arena, text, strlen(text));
}

enum ra_status ra_task_read(struct ra_task *task, struct ra_entry *entry)
{
    struct ra_codeobj_sink sink = { &task->kernels_arena, &task->names, &task->arena };
    struct ra_source source;
    enum ra_status status;

    entry->content = RA_CONTENT_UNREAD;
    if (!ra_source_sub(&task->source, entry->offset, entry->size, &source))
        return RA_E_FORMAT; /* ra_table_read() saw that it is inside */
    status = ra_source_hold(&source, 0, entry->size);
    if (status == RA_OK)
        status =
            ra_codeobj_read(&source, &task->buffers,
                            task->context->kernels ? &sink : NULL, &task->diags, entry);
    if (status != RA_OK && !ra_is_damage(status))
        return status;
    if (status != RA_OK)
        entry->complete = false; /* told; the other entries go on */
    entry->elf_target = spell_elf(task, &entry->code);
    return entry->elf_target ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_entry(struct ra_task *task, struct ra_entry *entry)
{
    if (entry->size == 0 || entry->kind == RA_ENTRY_HOST) {
        entry->content = entry->size ? RA_CONTENT_OTHER : RA_CONTENT_EMPTY;
        entry->complete = true;
        return RA_OK;
    }
    return ra_task_read(task, entry);
}

static enum ra_status name_entry(struct ra_task *task, const struct ra_table_entry *from,
                                 struct ra_entry *ret)
{
    struct ra_entry_id id = ra_entry_id_parse(from->id);

    ret->offset = from->offset;
    ret->size = from->size;
    ret->kind = id.kind;
    if (id.target.size == 0)
        id.target = (struct ra_span){ (const uint8_t *)id.processor, strlen(id.processor),
                                      from->id.base };
    ret->id = ra_text_escape(&task->arena, from->id);
    ret->target = ra_text_escape(&task->arena, id.target);
    ret->elf_target = "";
    /* One that is no target ID stays without a processor, and serves none. */
    (void)!ra_target_parse(id.target, &ret->label);
    return ret->id && ret->target ? RA_OK : RA_E_NOMEM;
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_entry *const *a = left, *const *b = right;

    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* In the order of offsets, which is the only one that expanded data are read in. */
static enum ra_status read_entries(struct ra_task *task, struct ra_entry *entries,
                                   size_t count)
{
    struct ra_entry **sorted = ra_new(&task->arena, struct ra_entry *, count);
    enum ra_status status = sorted ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &entries[i];
    if (sorted)
        qsort(sorted, count, sizeof(sorted[0]), by_offset);
    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = read_entry(task, sorted[i]);
    return status;
}

static enum ra_status read_table(struct ra_task *task, const struct ra_table *table)
{
    struct ra_entry *entries = ra_new(&task->arena, struct ra_entry, table->count);
    struct ra_bundle *bundle = &task->bundle;
    enum ra_status status = entries ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < table->count; i++)
        status = name_entry(task, &table->entries[i], &entries[i]);
    if (status != RA_OK)
        return status;
    bundle->entries = entries;
    bundle->entry_count = table->count;
    bundle->has_table = true;
    return read_entries(task, entries, table->count);
}

static enum ra_status keep_names(struct ra_task *task)
{
    struct ra_names *names = &task->names;
    const char **list;

    if (names->count == 0)
        return RA_OK;
    list = ra_new(&task->kernels_arena, const char *, names->count);
    if (!list)
        return RA_E_NOMEM;
    memcpy(list, names->text, names->count * sizeof(*list));
    task->bundle.kernel_names = list;
    task->bundle.kernel_name_count = names->count;
    return RA_OK;
}

/* ---- no bundle --------------------------------------------------------------- */

/* The table of what is a code object and no bundle: one entry without an ID. */
static enum ra_status read_raw(struct ra_task *task)
{
    struct ra_entry *entry = ra_new(&task->arena, struct ra_entry, 1);

    if (!entry)
        return RA_E_NOMEM;
    *entry = (struct ra_entry){
        .id = "",
        .target = "",
        .elf_target = "",
        .kind = RA_ENTRY_RAW,
        .size = task->source.size,
    };
    task->bundle.entries = entry;
    task->bundle.entry_count = 1;
    task->bundle.has_table = true;
    return ra_task_read(task, entry);
}

/* ---- compressed ------------------------------------------------------------- */

static enum ra_status check_digest(struct ra_task *task, uint64_t md5)
{
    const struct ra_ccob *ccob = &task->piece.ccob;

    if (!task->context->verify || md5 == ccob->md5)
        return RA_OK;
    return ra_fault(&task->diags, RA_E_FORMAT, RA_DIAG_CODEC_DIGEST,
                    ra_source_place(&task->piece.source, 0),
                    "MD5 starts with %016" PRIx64 ", the header says %016" PRIx64,
                    __builtin_bswap64(md5), __builtin_bswap64(ccob->md5));
}

static enum ra_status finish(struct ra_task *task)
{
    uint64_t used, md5;
    enum ra_status status = ra_expanded_finish(task->expanded, &used, &md5);

    if (used)
        task->used = task->piece.ccob.header + used;
    if (status == RA_OK)
        status = check_digest(task, md5);
    return status;
}

/* Scripts that compress a tree of code objects do so without a bundle around each. */
static enum ra_status read_content_of_ccob(struct ra_task *task)
{
    uint8_t bytes[HEAD_SIZE];
    struct ra_span head;
    struct ra_table table;
    enum ra_status status =
        ra_source_peek(&task->source, 0, sizeof(bytes), &task->diags, bytes, &head);

    if (status != RA_OK)
        return status;
    if (ra_content_of(head) == RA_CONTENT_CODE_OBJECT)
        return read_raw(task);
    status = ra_table_read(&task->source, &task->arena, &task->diags, &table);
    return status == RA_OK ? read_table(task, &table) : status;
}

static enum ra_status read_expanded(struct ra_task *task)
{
    enum ra_status status;

    task->source = ra_expanded_source(task->expanded);
    status = read_content_of_ccob(task);
    if (status != RA_OK && !ra_is_damage(status))
        return status;
    /* To the end in any case: where it ends may be all that is known of the next. */
    if (status == RA_OK)
        return finish(task);
    (void)!finish(task);
    return status;
}

static enum ra_status read_ccob(struct ra_task *task)
{
    const struct ra_ccob *ccob = &task->piece.ccob;
    struct ra_source payload = ra_source_from(&task->piece.source, ccob->header);
    struct ra_expand how = {
        .codec = ccob->codec,
        .size = ccob->expanded,
        .one_frame = !task->piece.has_size,
        .digest = task->context->verify,
        .workspaces = task->context->workspaces,
    };
    enum ra_status status =
        ra_expanded_open(&payload, &how, &task->diags, &task->expanded);

    if (status != RA_OK)
        return status;
    task->bundle.size_wrapped = ccob->wrapped;
    if (ccob->wrapped)
        (void)!ra_fault(&task->diags, RA_OK, RA_DIAG_CCOB_WRAPPED,
                        ra_source_place(&task->piece.source, 0),
                        "it expands to %" PRIu64 " bytes", ccob->expanded);
    status = read_expanded(task);
    ra_expanded_close(task->expanded);
    task->expanded = NULL;
    return status;
}

/* ---- by themselves ---------------------------------------------------------- */

static enum ra_status name_part(struct ra_task *task, const struct ra_part *part,
                                struct ra_entry *ret)
{
    const struct ra_table_entry from = { part->offset, part->size, part->id };

    if (part->id.size > 0)
        return name_entry(task, &from, ret);
    *ret = (struct ra_entry){
        .id = "",
        .target = "",
        .elf_target = "",
        .kind = RA_ENTRY_RAW,
        .offset = part->offset,
        .size = part->size,
    };
    return RA_OK;
}

/* The table of what is no bundle. Entries are read where they are in the file, and then
   counted from the first. */
static enum ra_status read_parts(struct ra_task *task)
{
    struct ra_entry *entries = ra_new(&task->arena, struct ra_entry, task->part_count);
    struct ra_bundle *bundle = &task->bundle;
    uint64_t first = UINT64_MAX, end = 0;
    enum ra_status status = entries ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < task->part_count; i++) {
        const struct ra_part *part = &task->parts[i];

        status = name_part(task, part, &entries[i]);
        first = part->offset < first ? part->offset : first;
        end = part->offset + part->size > end ? part->offset + part->size : end;
    }
    if (status == RA_OK)
        status = read_entries(task, entries, task->part_count);
    for (size_t i = 0; status == RA_OK && i < task->part_count; i++)
        entries[i].offset -= first;
    bundle->offset += first;
    bundle->size = end - first;
    bundle->entries = entries;
    bundle->entry_count = status == RA_OK ? task->part_count : 0;
    bundle->has_table = status == RA_OK;
    return status;
}

/* ---- of .kpack archives ----------------------------------------------------- */

static enum ra_status read_frame(struct ra_task *task, const struct ra_kpak_entry *from,
                                 struct ra_entry *entry)
{
    struct ra_source packed;
    struct ra_expand how = {
        .codec = RA_CODEC_ZSTD,
        .size = from->original_size,
        .workspaces = task->context->workspaces,
    };
    uint64_t used, md5;
    enum ra_status status = RA_E_FORMAT;

    if (ra_source_sub(&task->piece.source, from->offset, from->size, &packed))
        status = ra_expanded_open(&packed, &how, &task->diags, &task->expanded);
    if (status != RA_OK)
        return status;
    task->source = ra_expanded_source(task->expanded);
    entry->offset = 0;
    status = ra_task_read(task, entry);
    if (status == RA_OK)
        status = ra_expanded_finish(task->expanded, &used, &md5);
    ra_expanded_close(task->expanded);
    task->expanded = NULL;
    return status;
}

static enum ra_status name_packed(struct ra_task *task, const struct ra_kpak_entry *from,
                                  struct ra_entry *ret)
{
    ret->id = "";
    ret->elf_target = "";
    ret->kind = RA_ENTRY_HIP;
    ret->size = from->original_size;
    ret->content = RA_CONTENT_UNREAD;
    ret->target = ra_text_escape(&task->arena, from->arch);
    (void)!ra_target_parse(from->arch, &ret->label);
    return ret->target ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_packed(struct ra_task *task, const struct ra_kpak_entry *from,
                                  struct ra_entry *entry)
{
    enum ra_status status = RA_OK;

    if (!from->damaged && !from->is_code) {
        entry->content = RA_CONTENT_OTHER;
        entry->complete = true;
    } else if (!from->damaged && task->frames) {
        status = read_frame(task, from, entry);
    } else if (!from->damaged) {
        task->source = task->piece.source;
        entry->offset = from->offset;
        status = ra_task_read(task, entry);
    }
    if (status != RA_OK)
        entry->complete = false;
    task->used += from->size;
    return status == RA_OK || ra_is_damage(status) ? RA_OK : status;
}

static uint64_t lowest(const struct ra_task *task)
{
    uint64_t offset = task->packed[0].offset;

    for (size_t i = 1; i < task->packed_count; i++)
        if (task->packed[i].offset < offset)
            offset = task->packed[i].offset;
    return offset;
}

/* Positions of the entries, in the order they stand in the archive. */
static size_t *list_order(struct ra_task *task)
{
    size_t *order = ra_new(&task->arena, size_t, task->packed_count);

    for (size_t i = 0; order && i < task->packed_count; i++) {
        size_t at = i;

        for (; at > 0 && task->packed[order[at - 1]].offset > task->packed[i].offset;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return order;
}

/* One entry a target, each of which stands by itself: damage spoils no other. */
static enum ra_status read_kpak(struct ra_task *task)
{
    struct ra_entry *entries = ra_new(&task->arena, struct ra_entry, task->packed_count);
    const size_t *order = list_order(task);
    struct ra_bundle *bundle = &task->bundle;
    enum ra_status status = entries && order ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < task->packed_count; i++) {
        const struct ra_kpak_entry *from = &task->packed[order[i]];

        status = name_packed(task, from, &entries[order[i]]);
        if (status == RA_OK)
            status = read_packed(task, from, &entries[order[i]]);
    }
    bundle->key = ra_text_escape(&task->arena, task->packed->binary);
    bundle->offset = lowest(task);
    for (size_t i = 0; status == RA_OK && i < task->packed_count; i++)
        entries[i].offset = task->packed[i].offset - bundle->offset;
    bundle->entries = entries;
    bundle->entry_count = status == RA_OK ? task->packed_count : 0;
    bundle->has_table = status == RA_OK;
    return bundle->key || status != RA_OK ? status : RA_E_NOMEM;
}

static bool has_damaged(const struct ra_task *task)
{
    for (size_t i = 0; i < task->packed_count; i++)
        if (task->packed[i].damaged)
            return true;
    return false;
}

/* ---- the task ---------------------------------------------------------------- */

void ra_task_end(struct ra_task *task, enum ra_status status)
{
    if (status == RA_OK || ra_is_damage(status)) {
        task->bundle.complete =
            status == RA_OK && task->diags.errors == 0 && !has_damaged(task);
        status = keep_names(task);
    }
    task->status = status;
    ra_names_free(&task->names);
    ra_codeobj_buffers_free(&task->buffers);
}

void ra_task_run(void *arg)
{
    struct ra_task *task = arg;
    enum ra_status status;

    task->source = task->piece.source;
    if (task->parts)
        status = read_parts(task);
    else if (task->packed)
        status = read_kpak(task);
    else if (task->piece.ccob.version != 0)
        status = read_ccob(task);
    else
        status = read_table(task, &task->piece.table);
    ra_task_end(task, status);
}

void ra_task_begin(struct ra_task *task, const struct ra_scan_context *context,
                   const struct ra_piece *piece)
{
    *task = (struct ra_task){ .context = context, .piece = *piece };
    task->arena.limit = task->kernels_arena.limit = ARENA_LIMIT;
    task->diags = (struct ra_diags){ .arena = &task->arena, .limit = DIAG_LIMIT };
    task->names.arena = &task->kernels_arena;
    task->bundle.container = piece->container;
    task->bundle.offset = piece->source.base;
    task->bundle.size = piece->has_size ? piece->source.size : 0;
}
