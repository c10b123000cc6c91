#include "audit/bundles.h"

#include "base/array.h"
#include "bundle/entryid.h"
#include "codec/expanded.h"
#include "gfx/codeobj.h"
#include "gfx/target.h"

#include <inttypes.h>
#include <stdlib.h>

#define WAVE           256 /* bundles under way at once, and joined together */
#define FACTS_LIMIT    ((size_t)1 << 30)   /* bytes of facts a file */
#define ARENA_LIMIT    ((size_t)512 << 20) /* bytes of facts a bundle */
#define EXPANDED_LIMIT ((uint64_t)64 << 30)
#define DIAG_LIMIT     1000
#define BUNDLE_LIMIT   ((size_t)1 << 20)

/* One bundle, from the walk that found it to the join. */
struct task {
    const struct ra_scan_context *context;
    struct ra_piece piece;
    bool raw; /* the piece is a code object, and no bundle */
    struct ra_arena arena, kernels_arena;
    struct ra_diags diags;
    struct ra_names names;
    struct ra_codeobj_buffers buffers;
    struct ra_expanded *expanded;
    struct ra_source source; /* of the bundle, expanded */
    struct ra_bundle bundle;
    uint64_t used; /* bytes of the file, once it was read */
    enum ra_status status;
};

/* The tasks of a wave; too large for a stack. */
struct wave {
    struct task tasks[WAVE];
    struct task *waiting[WAVE]; /* those that were not run where they were found */
    size_t count, waiting_count;
};

/* ---- one bundle ------------------------------------------------------------- */

static const char *spell_elf(struct task *task, const struct ra_code *code)
{
    char text[RA_TARGET_TEXT];

    if (*code->target.processor == '\0')
        return code->version > 2
                   ? ra_text_format(&task->arena, "mach-0x%02x", code->flags & 0xff)
                   : "";
    ra_target_spell(&code->target, text);
    return ra_arena_text(&task->arena, text, strlen(text));
}

static enum ra_status read_content(struct task *task, struct ra_entry *entry)
{
    struct ra_codeobj_sink sink = { &task->kernels_arena, &task->names, &task->arena };
    struct ra_source source;
    enum ra_status status = RA_OK;

    entry->content = RA_CONTENT_UNREAD;
    if (!ra_source_sub(&task->source, entry->offset, entry->size, &source))
        return RA_E_FORMAT; /* ra_table_read() saw that it is inside */
    if (task->expanded)
        status = ra_expanded_hold(task->expanded, entry->offset, entry->size);
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

static enum ra_status read_entry(struct task *task, struct ra_entry *entry)
{
    if (entry->size == 0 || entry->kind == RA_ENTRY_HOST) {
        entry->content = entry->size ? RA_CONTENT_OTHER : RA_CONTENT_EMPTY;
        entry->complete = true;
        return RA_OK;
    }
    return read_content(task, entry);
}

static enum ra_status name_entry(struct task *task, const struct ra_table_entry *from,
                                 struct ra_entry *ret)
{
    struct ra_entry_id id = ra_entry_id_parse(from->id);

    ret->offset = from->offset;
    ret->size = from->size;
    ret->kind = id.kind;
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
static enum ra_status read_entries(struct task *task, struct ra_entry *entries,
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

static enum ra_status read_table(struct task *task, const struct ra_table *table)
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

static enum ra_status keep_names(struct task *task)
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

/* ---- compressed ------------------------------------------------------------- */

static enum ra_status check_digest(struct task *task, uint64_t md5)
{
    const struct ra_ccob *ccob = &task->piece.ccob;

    if (!task->context->verify || md5 == ccob->md5)
        return RA_OK;
    return ra_fault(&task->diags, RA_E_FORMAT, RA_DIAG_CODEC_DIGEST,
                    ra_source_place(&task->piece.source, 0),
                    "MD5 starts with %016" PRIx64 ", the header says %016" PRIx64,
                    __builtin_bswap64(md5), __builtin_bswap64(ccob->md5));
}

static enum ra_status finish(struct task *task)
{
    uint64_t used, md5;
    enum ra_status status = ra_expanded_finish(task->expanded, &used, &md5);

    if (used)
        task->used = task->piece.ccob.header + used;
    if (status == RA_OK)
        status = check_digest(task, md5);
    return status;
}

static enum ra_status read_expanded(struct task *task)
{
    struct ra_table table;
    enum ra_status status;

    task->source = ra_expanded_source(task->expanded);
    status = ra_table_read(&task->source, &task->arena, &task->diags, &table);
    if (status == RA_OK)
        status = read_table(task, &table);
    if (status != RA_OK && !ra_is_damage(status))
        return status;
    /* To the end in any case: where it ends may be all that is known of the next. */
    if (status == RA_OK)
        return finish(task);
    (void)!finish(task);
    return status;
}

static enum ra_status read_ccob(struct task *task)
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

/* The table of a file that is a code object: one entry without an ID, all of it. */
static enum ra_status read_raw(struct task *task)
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
    return read_content(task, entry);
}

/* ---- tasks ------------------------------------------------------------------ */

static void run(void *arg)
{
    struct task *task = arg;
    struct ra_bundle *bundle = &task->bundle;
    enum ra_status status;

    task->source = task->piece.source;
    if (task->raw)
        status = read_raw(task);
    else if (task->piece.ccob.version != 0)
        status = read_ccob(task);
    else
        status = read_table(task, &task->piece.table);
    if (status == RA_OK || ra_is_damage(status)) {
        bundle->complete = status == RA_OK && task->diags.errors == 0;
        status = keep_names(task);
    }
    task->status = status;
    ra_names_free(&task->names);
    ra_codeobj_buffers_free(&task->buffers);
}

static void begin(struct ra_bundles *bundles, struct task *task,
                  const struct ra_piece *piece)
{
    *task = (struct task){ .context = bundles->context, .piece = *piece };
    task->arena.limit = task->kernels_arena.limit = ARENA_LIMIT;
    task->diags = (struct ra_diags){ .arena = &task->arena, .limit = DIAG_LIMIT };
    task->names.arena = &task->kernels_arena;
    task->bundle.container = piece->container;
    task->bundle.offset = piece->source.base;
    task->bundle.size = piece->has_size ? piece->source.size : 0;
}

static enum ra_status append(struct ra_bundles *bundles, const struct ra_bundle *bundle)
{
    if (bundles->count == BUNDLE_LIMIT)
        return ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_at(bundle->offset),
                        "more than %zu bundles", BUNDLE_LIMIT);
    if (bundles->count == bundles->room) {
        struct ra_bundle *list =
            ra_array_grow(bundles->list, &bundles->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        bundles->list = list;
    }
    bundles->list[bundles->count++] = *bundle;
    return RA_OK;
}

/* Take over what a task found, or free it. */
static enum ra_status join(struct ra_bundles *bundles, struct task *task,
                           enum ra_status status)
{
    size_t held = bundles->arena->used + bundles->kernels_arena->used;

    if (status == RA_OK && task->status != RA_OK)
        status = task->status;
    if (status == RA_OK && task->arena.used + task->kernels_arena.used >
                               FACTS_LIMIT - (held < FACTS_LIMIT ? held : FACTS_LIMIT))
        status = ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                          ra_at(task->bundle.offset), "more than %zu bytes of facts",
                          FACTS_LIMIT);
    if (status != RA_OK) {
        ra_arena_free(&task->arena);
        ra_arena_free(&task->kernels_arena);
        return status;
    }
    if (task->bundle.size == 0)
        task->bundle.size = task->used;
    bundles->damaged = bundles->damaged || !task->bundle.complete;
    ra_arena_join(bundles->arena, &task->arena);
    ra_arena_join(bundles->kernels_arena, &task->kernels_arena);
    ra_diags_join(bundles->diags, &task->diags);
    return append(bundles, &task->bundle);
}

static uint64_t cost(const struct task *task)
{
    return task->piece.ccob.expanded + task->piece.source.size;
}

static int by_cost(const void *left, const void *right)
{
    uint64_t a = cost(*(struct task *const *)left),
             b = cost(*(struct task *const *)right);

    return (a < b) - (a > b);
}

/* The largest first, so that no thread is left alone with one at the end. */
static void run_waiting(struct ra_pool *pool, struct wave *wave)
{
    struct ra_group group = { 0 };

    qsort(wave->waiting, wave->waiting_count, sizeof(wave->waiting[0]), by_cost);
    for (size_t i = 0; i < wave->waiting_count; i++)
        ra_pool_push(pool, &group, RA_LANE_PART, run, wave->waiting[i]);
    ra_pool_wait(pool, &group, RA_LANE_PART);
    wave->waiting_count = 0;
}

static enum ra_status end_wave(struct ra_bundles *bundles, struct wave *wave,
                               enum ra_status status)
{
    run_waiting(bundles->context->pool, wave);
    for (size_t i = 0; i < wave->count; i++)
        status = join(bundles, &wave->tasks[i], status);
    wave->count = 0;
    return status;
}

/* ---- the walk --------------------------------------------------------------- */

/* A bundle that is there and cannot be opened is a bundle nothing is known of. */
static enum ra_status add_unreadable(struct ra_bundles *bundles, struct wave *wave,
                                     const struct ra_piece *piece)
{
    struct ra_bundle bundle = { .container = piece->container,
                                .offset = piece->source.base };
    enum ra_status status = end_wave(bundles, wave, RA_OK);

    bundles->damaged = true;
    return status == RA_OK ? append(bundles, &bundle) : status;
}

static enum ra_status start(struct ra_bundles *bundles, struct wave *wave,
                            struct ra_fatbin *fatbin, const struct ra_piece *piece)
{
    struct task *task = &wave->tasks[wave->count++];
    enum ra_status status = RA_OK;

    begin(bundles, task, piece);
    if (!piece->has_size) {
        run(task);
        status = ra_fatbin_pass(fatbin, task->used);
    } else {
        wave->waiting[wave->waiting_count++] = task;
    }
    if (status == RA_OK && wave->count == WAVE)
        status = end_wave(bundles, wave, RA_OK);
    return status;
}

static enum ra_status take_piece(struct ra_bundles *bundles, struct wave *wave,
                                 struct ra_fatbin *fatbin, const struct ra_piece *piece)
{
    uint64_t expanded = piece->ccob.expanded;

    if (piece->status != RA_OK)
        return add_unreadable(bundles, wave, piece);
    /* What a single payload may be is looked at where it is expanded. */
    if (expanded <= RA_EXPANDED_LIMIT)
        bundles->expanded += expanded;
    if (bundles->expanded > EXPANDED_LIMIT)
        return ra_fault(
            bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(&piece->source, 0),
            "the file would expand to more than %" PRIu64 " bytes", EXPANDED_LIMIT);
    return start(bundles, wave, fatbin, piece);
}

static enum ra_status scan(struct ra_bundles *bundles, const struct ra_source *source,
                           bool only_first)
{
    struct wave *wave = malloc(sizeof(*wave));
    struct ra_fatbin fatbin;
    struct ra_piece piece;
    bool more = true;
    enum ra_status status = wave ? RA_OK : RA_E_NOMEM;

    if (!wave)
        return status;
    wave->count = wave->waiting_count = 0;
    ra_fatbin_open(source, bundles->arena, bundles->diags, &fatbin);
    while (status == RA_OK && more) {
        status = ra_fatbin_next(&fatbin, &piece, &more);
        if (status == RA_OK && more)
            status = take_piece(bundles, wave, &fatbin, &piece);
        more = more && !only_first;
    }
    status = end_wave(bundles, wave, status);
    free(wave);
    return status;
}

enum ra_status ra_bundles_scan(struct ra_bundles *bundles, const struct ra_source *source)
{
    return scan(bundles, source, false);
}

enum ra_status ra_bundles_scan_one(struct ra_bundles *bundles,
                                   const struct ra_source *source)
{
    return scan(bundles, source, true);
}

enum ra_status ra_bundles_scan_raw(struct ra_bundles *bundles,
                                   const struct ra_source *source)
{
    struct ra_piece piece = { .source = *source, .container = "raw", .has_size = true };
    struct task *task = malloc(sizeof(*task));
    enum ra_status status;

    if (!task)
        return RA_E_NOMEM;
    begin(bundles, task, &piece);
    task->raw = true;
    run(task);
    status = join(bundles, task, RA_OK);
    free(task);
    return status;
}

enum ra_status ra_bundles_add_kpack(struct ra_bundles *bundles)
{
    struct ra_bundle bundle = { .container = "kpack" };

    bundles->damaged = true;
    return append(bundles, &bundle);
}

/* Wrappers come in the order of the bundles, so the next is where the last one was. */
bool ra_bundles_met(struct ra_bundles *bundles, uint64_t offset)
{
    for (size_t i = 0; i < bundles->count; i++) {
        size_t at = (bundles->hint + i) % bundles->count;

        if (bundles->list[at].offset != offset)
            continue;
        bundles->hint = at + 1;
        return true;
    }
    return false;
}

void ra_bundles_free(struct ra_bundles *bundles)
{
    free(bundles->list);
    bundles->list = NULL;
}
