#include "audit/merge.h"

#include "base/array.h"
#include "base/names.h"
#include "base/text.h"

#include <stdlib.h>

#define NUMBERS 8 /* of wrappers that are named */

enum ra_status ra_merge_add(struct ra_merge *merge, const struct ra_scanned *archive,
                            const char *target)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->list[i].archive == archive)
            return RA_OK;
    if (merge->count == merge->room) {
        struct ra_merged *list = ra_array_grow(merge->list, &merge->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        merge->list = list;
    }
    merge->list[merge->count++] = (struct ra_merged){ archive, target };
    return RA_OK;
}

void ra_merge_free(struct ra_merge *merge)
{
    free(merge->list);
    *merge = (struct ra_merge){ 0 };
}

/* ---- what an archive has ---------------------------------------------------- */

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

/* Bundles of an archive come by key, so those of a binary stand together. */
static void count_binaries(const struct ra_file *archive, const char *name,
                           struct ra_kpack_archive *ret)
{
    for (size_t i = 0; i < archive->bundle_count; i++) {
        const struct ra_bundle *bundle = &archive->bundles[i];

        ret->binary_count += i == 0 || !same_binary(bundle->key, bundle[-1].key);
        if (!is_binary(bundle->key, name))
            continue;
        ret->has_binary = true;
        for (size_t j = 0; j < bundle->entry_count; j++)
            ret->kernels += bundle->entries[j].kernel_count;
    }
}

/* "#0 #2 ...": enough to see how they are numbered. */
static const char *list_numbers(struct ra_arena *arena, const struct ra_file *archive,
                                const char *name)
{
    const char *text = "";
    size_t count = 0;

    for (size_t i = 0; text && i < archive->bundle_count && count <= NUMBERS; i++) {
        const char *key = archive->bundles[i].key;

        if (!is_binary(key, name))
            continue;
        count++;
        text = ra_text_format(arena, "%s%s%s", text, *text ? " " : "",
                              count > NUMBERS ? "..." : key + binary_size(key));
    }
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
    count_binaries(file, name, ret);
    ret->numbers = list_numbers(arena, file, name);
    return ret->numbers ? RA_OK : RA_E_NOMEM;
}

/* ---- entries ---------------------------------------------------------------- */

/* Bundles of an archive by key, for looking them up. */
struct index {
    const struct ra_bundle **list;
    size_t count;
};

static int by_key(const void *left, const void *right)
{
    const struct ra_bundle *const *a = left, *const *b = right;

    return strcmp((*a)->key, (*b)->key);
}

static bool index_make(const struct ra_file *archive, struct index *ret)
{
    ret->count = archive->kpack ? archive->bundle_count : 0;
    ret->list = reallocarray(NULL, ret->count + 1, sizeof(*ret->list));
    for (size_t i = 0; ret->list && i < ret->count; i++)
        ret->list[i] = &archive->bundles[i];
    if (ret->list)
        qsort(ret->list, ret->count, sizeof(*ret->list), by_key);
    return ret->list != NULL;
}

static const struct ra_bundle *index_find(const struct index *index, const char *key)
{
    const struct ra_bundle wanted = { .key = key };
    const struct ra_bundle *at = &wanted;
    const struct ra_bundle **found =
        bsearch(&at, index->list, index->count, sizeof(at), by_key);

    return found ? *found : NULL;
}

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
    struct index *indexes; /* one an archive */
};

static size_t count_entries(const struct merging *merging, const char *key)
{
    size_t count = 0;

    for (size_t i = 0; i < merging->merge->count; i++) {
        const struct ra_bundle *from = index_find(&merging->indexes[i], key);

        count += from ? from->entry_count : 0;
    }
    return count;
}

static enum ra_status fill(const struct merging *merging, struct ra_bundle *bundle)
{
    struct ra_scanned *host = merging->host;
    size_t room = count_entries(merging, bundle->key), count = 0;
    struct ra_entry *entries = ra_new(&host->arena, struct ra_entry, room);
    struct ra_names names = { .arena = &host->kernels_arena, .escaped = true };
    enum ra_status status = entries ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < merging->merge->count; i++) {
        const struct ra_bundle *from = index_find(&merging->indexes[i], bundle->key);

        for (size_t j = 0; from && status == RA_OK && j < from->entry_count; j++) {
            struct ra_entry *entry = &entries[count++];

            *entry = from->entries[j];
            entry->offset += from->offset;
            entry->archive = host->file.kpack->archives[i].path;
            entry->archive_target = host->file.kpack->archives[i].target;
            entry->archive_index = i;
            status = copy_kernels(host, from, &names, entry);
        }
    }
    bundle->entries = entries;
    bundle->entry_count = count;
    if (status == RA_OK)
        status = keep_names(host, &names, bundle);
    ra_names_free(&names);
    return status;
}

/* ---- all of it -------------------------------------------------------------- */

static void tell_unread(struct ra_scanned *host, const struct ra_kpack_archive *archive)
{
    (void)!ra_fault(&host->diags, RA_OK, RA_DIAG_NEEDS_KPACK, ra_at(0), "%s",
                    archive->path);
    host->file.diags = host->diags.first;
    if (host->file.status == RA_FILE_OK)
        host->file.status = RA_FILE_INCOMPLETE;
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
        const struct ra_kpack *archive = merge->list[i].archive->file.kpack;

        if (describe(&merge->list[i], kpack->name, &host->arena, &list[i]) != RA_OK)
            return RA_E_NOMEM;
        if (archive)
            ((struct ra_kpack *)(uintptr_t)archive)->used = true;
        if (!list[i].complete)
            tell_unread(host, &list[i]);
    }
    return RA_OK;
}

static enum ra_status fill_all(const struct merging *merging)
{
    const struct ra_file *file = &merging->host->file;
    struct ra_bundle *bundles = (struct ra_bundle *)(uintptr_t)file->bundles;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < merging->merge->count; i++)
        if (!index_make(&merging->merge->list[i].archive->file, &merging->indexes[i]))
            status = RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < file->bundle_count; i++)
        if (bundles[i].key)
            status = fill(merging, &bundles[i]);
    return status;
}

enum ra_status ra_merge_into(const struct ra_merge *merge, struct ra_scanned *host)
{
    struct merging merging = { .merge = merge, .host = host };
    enum ra_status status = describe_all(merge, host);

    merging.indexes = calloc(merge->count + 1, sizeof(*merging.indexes));
    if (!merging.indexes)
        return RA_E_NOMEM;
    if (status == RA_OK)
        status = fill_all(&merging);
    for (size_t i = 0; i < merge->count; i++)
        free(merging.indexes[i].list);
    free(merging.indexes);
    return status;
}
