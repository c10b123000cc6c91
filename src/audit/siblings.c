#include "audit/siblings.h"

#include "audit/excuse.h"

#include "audit/judge.h"
#include "base/names.h"
#include "base/text.h"
#include "gfx/filename.h"

#include <stdlib.h>

/* A group that serves a GPU. */
struct served {
    uint64_t group;
    size_t device;
};

/* Whether any entry holds what the name promises: a name that lies excuses nothing. */
static bool keeps_word(const struct ra_file *file, const struct ra_target *name)
{
    const struct ra_bundle *bundle = &file->bundles[0];

    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_code *code = &bundle->entries[i].code;

        if (bundle->entries[i].content == RA_CONTENT_CODE_OBJECT &&
            strcmp(code->target.processor, name->processor) == 0)
            return true;
    }
    return false;
}

/* Archives of kernels in one folder that say they are of one group. */
static bool archive_group(const struct ra_file *file, const char *path, uint64_t *ret)
{
    struct ra_span folder = { (const uint8_t *)path, (size_t)(ra_text_base(path) - path),
                              0 };

    *ret = ra_hash(folder) * 31 + ra_hash(ra_span_of(file->kpack->name));
    return true;
}

/* The group of a code object by itself that is named by its target, at one of its paths.
 */
static bool group_of(const struct ra_file *file, const char *path, uint64_t *ret)
{
    size_t size, above = strlen(file->path) - strlen(file->name);
    struct ra_target name;

    if (file->kind == RA_KIND_KPACK && file->kpack)
        return archive_group(file, path, ret);
    if (file->bundle_count != 1 || strlen(file->path) < strlen(file->name) ||
        strlen(path) < above ||
        (file->kind != RA_KIND_CODE_OBJECT && file->kind != RA_KIND_BUNDLE) ||
        !ra_filename_group(path + above, &name, &size) || !keeps_word(file, &name))
        return false;
    /* The path tells groups of several named folders apart. */
    *ret = ra_hash((struct ra_span){ (const uint8_t *)path, above + size, 0 });
    return true;
}

/* The path of that number: its own, then those it is found by as well. */
static const char *path_at(const struct ra_file *file, size_t index)
{
    return index == 0 ? file->path : file->paths[index - 1];
}

static int by_group(const void *left, const void *right)
{
    const struct served *a = left, *b = right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/* Groups and the GPUs they serve, sorted; on the heap. */
static struct served *list_served(const struct ra_file *files, size_t count, size_t *ret)
{
    size_t room = 0;
    struct served *list;
    uint64_t group;

    for (size_t i = 0; i < count; i++)
        room += files[i].verdict_count * (files[i].path_count + 1);
    list = reallocarray(NULL, room + 1, sizeof(*list));
    *ret = 0;
    for (size_t i = 0; list && i < count; i++)
        for (size_t at = 0; at <= files[i].path_count; at++)
            for (size_t j = 0; group_of(&files[i], path_at(&files[i], at), &group) &&
                               j < files[i].verdict_count;
                 j++)
                if (ra_verdict_serves(&files[i].verdicts[j]))
                    list[(*ret)++] =
                        (struct served){ group, files[i].verdicts[j].device };
    if (list)
        qsort(list, *ret, sizeof(*list), by_group);
    return list;
}

static bool is_served(const struct served *list, size_t count, const struct ra_file *file,
                      size_t device)
{
    for (size_t at = 0; at <= file->path_count; at++) {
        struct served wanted = { .device = device };

        if (group_of(file, path_at(file, at), &wanted.group) &&
            bsearch(&wanted, list, count, sizeof(*list), by_group))
            return true;
    }
    return false;
}

enum ra_status ra_siblings_excuse(const struct ra_file *files, size_t count)
{
    size_t served_count;
    struct served *served = list_served(files, count, &served_count);

    if (!served)
        return RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        /* The verdicts are the caller's own, and stand in memory that can be written. */
        struct ra_verdict *verdicts = (struct ra_verdict *)(uintptr_t)files[i].verdicts;

        for (size_t j = 0; j < files[i].verdict_count; j++)
            if (verdicts[j].kind == RA_MISSING &&
                is_served(served, served_count, &files[i], verdicts[j].device))
                ra_excuse(&verdicts[j], "a code object beside it serves the GPU");
    }
    free(served);
    return RA_OK;
}
