#include "report/targets.h"

#include <stdlib.h>

int ra_targets_by_bytes(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;

    return strcmp(*a, *b);
}

int ra_targets_as_counted(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    size_t a_size = strcspn(*a, ":"), b_size = strcspn(*b, ":");

    if (a_size != b_size)
        return a_size < b_size ? -1 : 1;
    return strcmp(*a, *b);
}

const char *ra_entry_target(const struct ra_entry *entry)
{
    if (entry->kind == RA_ENTRY_HOST || entry->content == RA_CONTENT_EMPTY)
        return "";
    return *entry->target ? entry->target : entry->elf_target;
}

/* The targets of a file, with repetitions; `ret` NULL: only their number. */
static size_t collect(const struct ra_file *file, const char **ret)
{
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];

        for (size_t j = 0; j < bundle->entry_count; j++) {
            const char *target = ra_entry_target(&bundle->entries[j]);

            if (*target && ret)
                ret[count] = target;
            count += *target != '\0';
        }
    }
    return count;
}

const char **ra_targets_of(const struct ra_file *files, size_t file_count,
                           int (*order)(const void *, const void *), size_t *ret_count)
{
    size_t count = 0, unique = 0;
    const char **ret;

    for (size_t i = 0; i < file_count; i++)
        count += collect(&files[i], NULL);
    ret = calloc(count + 1, sizeof(*ret));
    if (!ret)
        return NULL;
    count = 0;
    for (size_t i = 0; i < file_count; i++)
        count += collect(&files[i], ret + count);
    qsort(ret, count, sizeof(*ret), order);
    for (size_t i = 0; i < count; i++)
        if (unique == 0 || strcmp(ret[unique - 1], ret[i]) != 0)
            ret[unique++] = ret[i];
    *ret_count = unique;
    return ret;
}
