#include "audit/gather_offload.h"

#include "base/array.h"
#include "base/text.h"
#include "bundle/blobs.h"
#include "gfx/target.h"

#include <stdlib.h>

#define MOST ((size_t)1 << 16) /* blobs of a source, and images in all of them */

/* The images of one language. */
struct pile {
    const char *word;
    struct ra_task *task;
    struct ra_entry *entries; /* on the heap */
    size_t count, room;
    bool has_amd;
};

struct gather {
    struct ra_bundles *bundles;
    struct pile piles[RA_OFFLOAD_WORDS]; /* in the order they are met */
    struct ra_task *tasks;               /* the same */
    size_t pile_count;
    struct ra_piece piece; /* all blobs */
    size_t blob_count, image_count;
    uint64_t start, end; /* of the blobs, from the start of the source */
    bool lost;
};

/* An image of a blob that is open. */
struct item {
    const struct ra_offload_image *image;
    struct pile *pile;
    struct ra_entry entry;
};

/* ---- piles ------------------------------------------------------------------ */

static struct pile *find_pile(struct gather *gather, const char *word)
{
    struct pile *pile;

    for (size_t i = 0; i < gather->pile_count; i++)
        if (gather->piles[i].word == word)
            return &gather->piles[i];
    pile = &gather->piles[gather->pile_count];
    *pile = (struct pile){ .word = word, .task = &gather->tasks[gather->pile_count] };
    gather->pile_count++;
    ra_task_begin(pile->task, gather->bundles->context, &gather->piece);
    return pile;
}

static enum ra_status add(struct pile *pile, const struct ra_entry *entry)
{
    if (pile->count == pile->room) {
        struct ra_entry *grown =
            ra_array_grow(pile->entries, &pile->room, sizeof(*grown));

        if (!grown)
            return RA_E_NOMEM;
        pile->entries = grown;
    }
    pile->entries[pile->count++] = *entry;
    return RA_OK;
}

/* ---- images ----------------------------------------------------------------- */

static enum ra_entry_kind kind_of(const struct ra_offload_image *image)
{
    if (!ra_offload_is_amd(image))
        return RA_ENTRY_OTHER;
    if (image->producer == RA_OFFLOAD_HIP)
        return RA_ENTRY_HIP;
    return image->producer == RA_OFFLOAD_OPENMP ? RA_ENTRY_OPENMP : RA_ENTRY_OTHER;
}

/* "openmp-amdgcn-amd-amdhsa--gfx90a", as the bundler would call it. */
static enum ra_status name_image(struct ra_task *task, const char *word,
                                 const struct ra_offload_image *image,
                                 struct ra_entry *ret)
{
    const char *triple = ra_text_escape(&task->arena, image->triple);

    *ret = (struct ra_entry){ .elf_target = "",
                              .kind = kind_of(image),
                              .offset = image->offset,
                              .size = image->size };
    ret->target = ra_text_escape(&task->arena, image->arch);
    if (!triple || !ret->target)
        return RA_E_NOMEM;
    ret->id = ra_text_format(&task->arena, "%s-%s%s%s", word, triple,
                             *ret->target ? "--" : "", ret->target);
    /* One that is no target ID stays without a processor. */
    (void)!ra_target_parse(image->arch, &ret->label);
    return ret->id ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_item(struct item *item, const struct ra_source *content,
                                uint64_t shift)
{
    struct ra_entry *entry = &item->entry;
    enum ra_status status;

    if (entry->size == 0) {
        entry->content = RA_CONTENT_EMPTY;
        entry->complete = true;
        return RA_OK;
    }
    item->pile->task->source = *content;
    entry->offset = item->image->offset - shift;
    status = ra_task_read(item->pile->task, entry);
    entry->offset = item->image->offset;
    return status;
}

/* Code is what its bytes are, whatever triple was written down for it. */
static enum ra_status keep_item(struct item *item, bool is_packed, uint64_t base)
{
    const struct ra_entry *entry = &item->entry;

    item->pile->has_amd = item->pile->has_amd || ra_offload_is_amd(item->image) ||
                          entry->content == RA_CONTENT_CODE_OBJECT;
    item->entry.is_packed = is_packed;
    item->entry.offset += is_packed ? 0 : base;
    return add(item->pile, entry);
}

static int by_offset(const void *left, const void *right)
{
    const struct item *const *a = left, *const *b = right;

    return ((*a)->image->offset > (*b)->image->offset) -
           ((*a)->image->offset < (*b)->image->offset);
}

/* In the order of offsets, which is the only one that some sources are read in. */
static enum ra_status read_items(struct item *items, size_t count,
                                 const struct ra_source *content, uint64_t shift)
{
    struct item **sorted = reallocarray(NULL, count + 1, sizeof(*sorted));
    enum ra_status status = sorted ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &items[i];
    if (sorted)
        qsort(sorted, count, sizeof(sorted[0]), by_offset);
    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = read_item(sorted[i], content, shift);
    free(sorted);
    return status;
}

/* ---- blobs ------------------------------------------------------------------ */

static enum ra_status list_items(struct gather *gather,
                                 const struct ra_offload_table *table, struct item *items,
                                 size_t *count)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < table->count; i++) {
        const struct ra_offload_image *image = &table->images[i];
        struct item *item = &items[*count];

        if (image->metadata_only)
            continue;
        item->image = image;
        item->pile = find_pile(gather, ra_offload_word(image));
        status = name_image(item->pile->task, item->pile->word, image, &item->entry);
        (*count)++;
    }
    return status;
}

static enum ra_status read_table(struct gather *gather, const struct ra_blob *blob,
                                 const struct ra_source *content,
                                 const struct ra_offload_table *table)
{
    struct item *items = calloc(table->count + 1, sizeof(*items));
    uint64_t base = blob->source.base - gather->piece.source.base - gather->start;
    bool is_packed = blob->offload.codec != RA_CODEC_STORED;
    size_t count = 0;
    enum ra_status status = items ? RA_OK : RA_E_NOMEM;

    if (items)
        status = list_items(gather, table, items, &count);
    if (status == RA_OK)
        status = read_items(items, count, content, ra_offload_shift(&blob->offload));
    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = keep_item(&items[i], is_packed, base);
    free(items);
    return status;
}

static enum ra_status read_content(struct gather *gather, const struct ra_blob *blob,
                                   const struct ra_source *content)
{
    struct ra_bundles *bundles = gather->bundles;
    struct ra_offload_table table;
    enum ra_status status = ra_offload_images(&blob->offload, content, bundles->arena,
                                              bundles->diags, &table);

    if (status != RA_OK)
        return status;
    gather->image_count += table.count;
    if (gather->image_count > MOST)
        return ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&blob->source, 0), "more than %zu images", MOST);
    return read_table(gather, blob, content, &table);
}

static enum ra_status read_packed(struct gather *gather, const struct ra_blob *blob)
{
    struct ra_bundles *bundles = gather->bundles;
    struct ra_source payload = ra_source_from(&blob->source, blob->offload.entries);
    struct ra_source content;
    struct ra_expand how = {
        .codec = blob->offload.codec,
        .size = blob->offload.expanded - blob->offload.entries,
        .workspaces = bundles->context->workspaces,
    };
    struct ra_expanded *expanded;
    uint64_t used, md5;
    enum ra_status status =
        ra_bundles_charge(bundles, how.size, ra_source_place(&blob->source, 0));

    if (status == RA_OK)
        status = ra_expanded_open(&payload, &how, bundles->diags, &expanded);
    if (status != RA_OK)
        return status;
    content = ra_expanded_source(expanded);
    status = read_content(gather, blob, &content);
    /* Its end has sums over what was read. */
    if (status == RA_OK)
        status = ra_expanded_finish(expanded, &used, &md5);
    ra_expanded_close(expanded);
    return status;
}

/* What is wrong with one blob spoils no other, but the whole is not known any more. */
static enum ra_status take_blob(struct gather *gather, const struct ra_blob *blob)
{
    uint64_t at = blob->source.base - gather->piece.source.base;
    enum ra_status status = blob->status;

    if (gather->blob_count++ == 0)
        gather->start = at;
    if (gather->blob_count > MOST)
        return ra_fault(gather->bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&blob->source, 0), "more than %zu blobs", MOST);
    if (status == RA_OK) {
        gather->end = at + blob->source.size;
        status = blob->offload.codec == RA_CODEC_STORED
                     ? read_content(gather, blob, &blob->source)
                     : read_packed(gather, blob);
    }
    if (status == RA_OK || !ra_is_damage(status))
        return status;
    gather->lost = true;
    return RA_OK;
}

static enum ra_status walk(struct gather *gather)
{
    struct ra_blobs blobs;
    struct ra_blob blob;
    enum ra_status status = RA_OK;
    bool more = true;

    ra_blobs_open(&gather->piece.source, gather->bundles->diags, &blobs);
    while (status == RA_OK && more) {
        status = ra_blobs_next(&blobs, &blob, &more);
        if (status == RA_OK && more)
            status = take_blob(gather, &blob);
    }
    return status;
}

/* ---- bundles ---------------------------------------------------------------- */

static void end_pile(const struct gather *gather, struct pile *pile,
                     enum ra_status status)
{
    struct ra_task *task = pile->task;
    struct ra_bundle *bundle = &task->bundle;
    struct ra_entry *entries = ra_new(&task->arena, struct ra_entry, pile->count);

    if (status == RA_OK && !entries)
        status = RA_E_NOMEM;
    if (status == RA_OK && pile->count > 0) {
        memcpy(entries, pile->entries, pile->count * sizeof(*entries));
        bundle->entries = entries;
        bundle->entry_count = pile->count;
    }
    bundle->offset = gather->piece.source.base + gather->start;
    bundle->size = gather->end - gather->start;
    bundle->has_table = status == RA_OK && !gather->lost;
    ra_task_end(task, status);
    bundle->complete = bundle->complete && !gather->lost;
    free(pile->entries);
}

/* Code for other GPUs only is none that anybody asked for. */
static void drop(struct ra_task *task)
{
    ra_arena_free(&task->arena);
    ra_arena_free(&task->kernels_arena);
}

enum ra_status ra_offload_gather(struct ra_bundles *bundles,
                                 const struct ra_source *source, struct ra_task *tasks,
                                 size_t *count, bool *lost)
{
    struct gather gather = {
        .bundles = bundles,
        .tasks = tasks,
        .piece = { .source = *source,
                   .container = RA_OFFLOAD_CONTAINER,
                   .has_size = true },
    };
    enum ra_status status = walk(&gather);

    *count = 0;
    *lost = gather.lost;
    for (size_t i = 0; i < gather.pile_count; i++) {
        struct pile *pile = &gather.piles[i];

        end_pile(&gather, pile, status);
        if (status == RA_OK && !pile->has_amd && pile->task->status == RA_OK)
            drop(pile->task);
        else if (*count < i)
            tasks[(*count)++] = *pile->task;
        else
            (*count)++;
    }
    return status;
}
