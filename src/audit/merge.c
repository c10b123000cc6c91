#include "audit/merge.h"

#include "base/array.h"
#include "base/names.h"
#include "base/text.h"

#include <stdlib.h>

#define NUMBERS     8                   /* of wrappers that are named */
#define FACTS_LIMIT ((uint64_t)1 << 30) /* bytes of facts that archives bring a file */

enum ra_status ra_merge_add(struct ra_merge *merge, const struct ra_scanned *archive,
                            struct ra_kpack_index *index, const char *target)
{
    size_t first = merge->count;

    for (size_t i = merge->count; i > 0; i--)
        if (merge->list[i - 1].archive == archive) {
            first = merge->list[i - 1].first;
            if (strcmp(merge->list[i - 1].target, target) == 0)
                return RA_OK;
        }
    if (merge->count == RA_MERGE_MOST) {
        merge->full = true;
        return RA_OK;
    }
    if (merge->count == merge->room) {
        struct ra_merged *list = ra_array_grow(merge->list, &merge->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        merge->list = list;
    }
    merge->list[merge->count++] = (struct ra_merged){ archive, index, target, first };
    return RA_OK;
}

void ra_merge_free(struct ra_merge *merge)
{
    free(merge->list);
    *merge = (struct ra_merge){ 0 };
}

/* ---- keys ------------------------------------------------------------------- */

/* The name before the '#' of a key, as long as `ret` says. */
static size_t binary_size(const char *key)
{
    const char *mark = strrchr(key, '#');

    return mark ? (size_t)(mark - key) : strlen(key);
}

static bool is_binary(const char *key, const char *name)
{
    size_t size = binary_size(key);

    return strlen(name) == size && memcmp(key, name, size) == 0;
}

static bool same_binary(const char *a, const char *b)
{
    size_t size = binary_size(a);

    return binary_size(b) == size && memcmp(a, b, size) == 0;
}

static int by_key(const void *left, const void *right)
{
    const struct ra_bundle *const *a = left, *const *b = right;

    return strcmp((*a)->key, (*b)->key);
}

static enum ra_status index_make(const struct ra_file *archive,
                                 struct ra_kpack_index *ret)
{
    if (ret->list)
        return RA_OK;
    ret->count = archive->kpack ? archive->bundle_count : 0;
    ret->list = reallocarray(NULL, ret->count + 1, sizeof(*ret->list));
    if (!ret->list)
        return RA_E_NOMEM;
    for (size_t i = 0; i < ret->count; i++)
        ret->list[i] = &archive->bundles[i];
    qsort(ret->list, ret->count, sizeof(*ret->list), by_key);
    for (size_t i = 0; i < ret->count; i++)
        ret->binaries += i == 0 || !same_binary(ret->list[i]->key, ret->list[i - 1]->key);
    return RA_OK;
}

void ra_kpack_index_free(struct ra_kpack_index *index)
{
    free(index->list);
    index->list = NULL;
}

static const struct ra_bundle *index_find(const struct ra_kpack_index *index,
                                          const char *key)
{
    const struct ra_bundle wanted = { .key = key };
    const struct ra_bundle *at = &wanted;
    const struct ra_bundle **found =
        bsearch(&at, index->list, index->count, sizeof(at), by_key);

    return found ? *found : NULL;
}

/* The first whose key is not before `name`, which those of a binary start with. */
static size_t index_from(const struct ra_kpack_index *index, const char *name)
{
    size_t low = 0, high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(index->list[middle]->key, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next bundle of a binary from `at` on, which is set to it; NULL: no more. */
static const struct ra_bundle *index_next(const struct ra_kpack_index *index,
                                          const char *name, size_t *at)
{
    size_t size = strlen(name);

    for (; *at < index->count && strncmp(index->list[*at]->key, name, size) == 0; ++*at)
        if (is_binary(index->list[*at]->key, name))
            return index->list[*at];
    return NULL;
}

/* ---- what an archive has ---------------------------------------------------- */

static void count_kernels(const struct ra_kpack_index *index, const char *name,
                          struct ra_kpack_archive *ret)
{
    const struct ra_bundle *bundle;

    ret->binary_count = index->binaries;
    for (size_t at = index_from(index, name); (bundle = index_next(index, name, &at));
         at++) {
        ret->has_binary = true;
        for (size_t i = 0; i < bundle->entry_count; i++)
            ret->kernels += bundle->entries[i].kernel_count;
    }
}

/* "#0 #2 ...": enough to see how they are numbered. */
static const char *list_numbers(struct ra_arena *arena,
                                const struct ra_kpack_index *index, const char *name)
{
    const struct ra_bundle *bundle;
    const char *text = "";
    size_t count = 0;

    for (size_t at = index_from(index, name);
         text && count <= NUMBERS && (bundle = index_next(index, name, &at)); at++)
        text = ra_text_format(arena, "%s%s%s", text, *text ? " " : "",
                              ++count > NUMBERS ? "..."
                                                : bundle->key + binary_size(bundle->key));
    return text;
}

static enum ra_status describe(const struct ra_merged *merged, const char *name,
                               struct ra_arena *arena, struct ra_kpack_archive *ret)
{
    const struct ra_file *file = &merged->archive->file;

    *ret = (struct ra_kpack_archive){ .path = file->path ? file->path : "",
                                      .target = merged->target,
                                      .numbers = "",
                                      .elsewhere = merged->archive->is_extra };
    if (!file->kpack)
        return RA_OK;
    ret->complete = file->status == RA_FILE_OK;
    ret->arches = file->kpack->archives[0].arches;
    ret->arch_count = file->kpack->archives[0].arch_count;
    count_kernels(merged->index, name, ret);
    ret->numbers = list_numbers(arena, merged->index, name);
    return ret->numbers ? RA_OK : RA_E_NOMEM;
}

/* ---- entries ---------------------------------------------------------------- */

/* The kernels of an entry, whose names are numbered anew. */
static enum ra_status copy_kernels(struct ra_scanned *host, const struct ra_bundle *from,
                                   struct ra_names *names, struct ra_entry *entry)
{
    struct ra_kernel *kernels;
    enum ra_status status = RA_OK;

    if (!entry->kernels)
        return RA_OK;
    kernels = ra_new(&host->kernels_arena, struct ra_kernel, (size_t)entry->kernel_count);
    if (!kernels)
        return RA_E_NOMEM;
    for (uint64_t i = 0; status == RA_OK && i < entry->kernel_count; i++) {
        uint32_t name = entry->kernels[i].name;
        struct ra_span text = { 0 };

        kernels[i] = entry->kernels[i];
        if (name >= from->kernel_name_count)
            continue;
        text.data = (const uint8_t *)from->kernel_names[name];
        text.size = strlen(from->kernel_names[name]);
        status = ra_names_add(names, text, &kernels[i].name);
    }
    entry->kernels = kernels;
    return status;
}

static enum ra_status keep_names(struct ra_scanned *host, struct ra_names *names,
                                 struct ra_bundle *bundle)
{
    const char **list = ra_new(&host->kernels_arena, const char *, names->count);

    if (!list)
        return RA_E_NOMEM;
    if (names->count)
        memcpy(list, names->text, names->count * sizeof(*list));
    bundle->kernel_names = list;
    bundle->kernel_name_count = names->count;
    return RA_OK;
}

struct merging {
    const struct ra_merge *merge;
    struct ra_scanned *host;
    uint64_t left; /* bytes of facts that there is room for */
};

/* What an archive has for a bundle; by its first name only, if it has several. */
static const struct ra_bundle *source_of(const struct merging *merging, size_t i,
                                         const char *key)
{
    const struct ra_merged *merged = &merging->merge->list[i];

    return merged->first == i ? index_find(merged->index, key) : NULL;
}

static uint64_t cost_of(const struct ra_bundle *from)
{
    uint64_t cost = from->entry_count * sizeof(struct ra_entry);

    for (size_t i = 0; i < from->entry_count; i++)
        if (from->entries[i].kernels)
            cost += from->entries[i].kernel_count * sizeof(struct ra_kernel);
    for (size_t i = 0; i < from->kernel_name_count; i++)
        cost += strlen(from->kernel_names[i]) + 1;
    return cost;
}

/* How many entries there are for a bundle; false if they are too much to hold. */
static bool count_entries(struct merging *merging, const char *key, size_t *ret)
{
    uint64_t cost = 0;

    *ret = 0;
    for (size_t i = 0; i < merging->merge->count; i++) {
        const struct ra_bundle *from = source_of(merging, i, key);

        if (from) {
            *ret += from->entry_count;
            cost += cost_of(from);
        }
    }
    if (cost > merging->left)
        return false;
    merging->left -= cost;
    return true;
}

static enum ra_status add_entries(const struct merging *merging, size_t archive,
                                  const struct ra_bundle *from, struct ra_names *names,
                                  struct ra_entry *entries)
{
    const struct ra_kpack_archive *told = &merging->host->file.kpack->archives[archive];
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < from->entry_count; i++) {
        entries[i] = from->entries[i];
        entries[i].offset += from->offset;
        entries[i].archive = told->path;
        entries[i].archive_target = told->target;
        entries[i].archive_index = archive;
        status = copy_kernels(merging->host, from, names, &entries[i]);
    }
    return status;
}

static enum ra_status fill(const struct merging *merging, size_t room,
                           struct ra_bundle *bundle)
{
    struct ra_scanned *host = merging->host;
    struct ra_entry *entries = ra_new(&host->arena, struct ra_entry, room);
    struct ra_names names = { .arena = &host->kernels_arena, .escaped = true };
    enum ra_status status = entries ? RA_OK : RA_E_NOMEM;
    size_t count = 0;

    for (size_t i = 0; status == RA_OK && i < merging->merge->count; i++) {
        const struct ra_bundle *from = source_of(merging, i, bundle->key);

        if (from) {
            status = add_entries(merging, i, from, &names, entries + count);
            count += from->entry_count;
        }
    }
    if (status == RA_OK)
        status = keep_names(host, &names, bundle);
    if (status == RA_OK) {
        bundle->entries = entries;
        bundle->entry_count = count;
    }
    ra_names_free(&names);
    return status;
}

/* ---- all of it -------------------------------------------------------------- */

static void spoil(struct ra_scanned *host)
{
    host->file.diags = host->diags.first;
    if (host->file.status == RA_FILE_OK)
        host->file.status = RA_FILE_INCOMPLETE;
}

/* Nothing is known of what is in a bundle that is too large to be held. */
static void lose(struct ra_scanned *host, struct ra_bundle *bundle)
{
    if (bundle->has_table)
        (void)!ra_fault(&host->diags, RA_OK, RA_DIAG_LIMIT, ra_at(bundle->offset),
                        "what .kpack archives hold for %s", bundle->key);
    bundle->has_table = bundle->complete = false;
    spoil(host);
}

static enum ra_status describe_all(const struct ra_merge *merge, struct ra_scanned *host)
{
    struct ra_kpack *kpack = (struct ra_kpack *)(uintptr_t)host->file.kpack;
    struct ra_kpack_archive *list =
        ra_new(&host->arena, struct ra_kpack_archive, merge->count);

    if (!list)
        return RA_E_NOMEM;
    kpack->archives = list;
    kpack->archive_count = merge->count;
    for (size_t i = 0; i < merge->count; i++) {
        const struct ra_merged *merged = &merge->list[i];
        const struct ra_kpack *archive = merged->archive->file.kpack;

        if (index_make(&merged->archive->file, merged->index) != RA_OK ||
            describe(merged, kpack->name, &host->arena, &list[i]) != RA_OK)
            return RA_E_NOMEM;
        if (archive)
            ((struct ra_kpack *)(uintptr_t)archive)->used = true;
        if (!list[i].complete && merged->first == i) {
            (void)!ra_fault(&host->diags, RA_OK, RA_DIAG_NEEDS_KPACK, ra_at(0), "%s",
                            list[i].path);
            spoil(host);
        }
    }
    return RA_OK;
}

enum ra_status ra_merge_into(const struct ra_merge *merge, struct ra_scanned *host)
{
    struct merging merging = { merge, host, FACTS_LIMIT };
    struct ra_bundle *bundles = (struct ra_bundle *)(uintptr_t)host->file.bundles;
    enum ra_status status;
    size_t room;

    host->diags.arena = &host->arena; /* which was moved since it was scanned */
    status = describe_all(merge, host);
    for (size_t i = 0; status == RA_OK && i < host->file.bundle_count; i++) {
        if (!bundles[i].key)
            continue;
        status = RA_E_LIMIT;
        if (!merge->full && count_entries(&merging, bundles[i].key, &room))
            status = fill(&merging, room, &bundles[i]);
        if (status != RA_E_LIMIT)
            continue;
        lose(host, &bundles[i]);
        status = RA_OK;
    }
    return status;
}
