#include "bundle/kpackref.h"

#include "codec/msgpack.h"

#include <stdlib.h>

struct job {
    struct ra_source blob;
    struct ra_span bytes;
    struct ra_arena *arena;
    struct ra_diags *diags;
};

static enum ra_status bad(const struct job *job, uint64_t at, const char *why)
{
    return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_REF_BAD,
                    ra_source_place(&job->blob, at), "%s", why);
}

/* A NUL would end the path for the system, and the rest of it would go unnoticed. */
static enum ra_status keep(const struct job *job, struct ra_span text, const char **ret)
{
    uint64_t at = text.base - job->bytes.base;

    if (text.size > RA_KPACK_MAX_TEXT)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->blob, at),
                        "a name or path of %zu bytes for .kpack archives", text.size);
    if (text.size == 0)
        return bad(job, at, "a name or path is empty");
    if (memchr(text.data, 0, text.size))
        return bad(job, at, "a NUL byte in a name or path");
    *ret = ra_arena_text(job->arena, text.data, text.size);
    return *ret ? RA_OK : RA_E_NOMEM;
}

/* What is no text is passed over, as the runtime does. */
static enum ra_status read_paths(const struct job *job, const struct ra_value *list,
                                 struct ra_kpack_ref *ret)
{
    enum ra_status status = RA_OK;
    const char **paths;

    if (list->kind != RA_VALUE_ARRAY)
        return bad(job, 0, "kpack_search_paths is no array");
    if (list->count > RA_KPACK_MAX_PATHS)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->blob, 0), "%zu paths of .kpack archives",
                        list->count);
    paths = ra_new(job->arena, const char *, list->count + 1);
    if (!paths)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < list->count; i++) {
        struct ra_value path = ra_value_at(list, i);

        if (path.kind == RA_VALUE_STR)
            status = keep(job, path.text, &paths[ret->path_count++]);
    }
    ret->paths = paths;
    if (status == RA_OK && ret->path_count == 0)
        return bad(job, 0, "kpack_search_paths names no path");
    return status;
}

static enum ra_status read_map(const struct job *job, struct ra_kpack_ref *ret)
{
    struct ra_msgpack *record;
    struct ra_value root, name, paths;
    enum ra_status status =
        ra_msgpack_open(&job->blob, job->bytes, false, job->diags, &record);

    if (status != RA_OK)
        return status;
    ret->size = ra_msgpack_size(record);
    root = ra_msgpack_root(record);
    name = ra_value_find(&root, "kernel_name");
    paths = ra_value_find(&root, "kpack_search_paths");
    if (root.kind != RA_VALUE_MAP)
        status = bad(job, 0, "it is no map");
    else if (name.kind != RA_VALUE_STR)
        status = bad(job, 0, "kernel_name is no text");
    else
        status = keep(job, name.text, &ret->kernel_name);
    if (status == RA_OK)
        status = read_paths(job, &paths, ret);
    ra_msgpack_close(record);
    return status;
}

enum ra_status ra_kpack_ref_read(const struct ra_source *blob, struct ra_arena *arena,
                                 struct ra_diags *diags, struct ra_kpack_ref *ret)
{
    struct job job = { .blob = *blob, .arena = arena, .diags = diags };
    uint8_t *window = malloc(RA_KPACK_REF_MAX);
    struct ra_kpack_ref ref = { 0 };
    enum ra_status status = RA_E_NOMEM;

    *ret = ref;
    if (window)
        status = ra_source_peek(blob, 0, RA_KPACK_REF_MAX, diags, window, &job.bytes);
    if (status == RA_OK)
        status = read_map(&job, &ref);
    if (status == RA_OK)
        *ret = ref;
    free(window);
    return status;
}
