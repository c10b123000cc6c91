#include "audit/verify.h"

#include "audit/packages.h"
#include "base/text.h"
#include "io/source.h"
#include "site/place.h"

#include <stdlib.h>

#define BATCH  16
#define WINDOW ((size_t)256 << 10)

/* Some files, and for each the row of a record that it is not as; NULL: none. */
struct batch {
    struct ra_run *run;
    size_t first, count;
    const struct ra_site_file **differing; /* of all files */
    bool no_memory;
};

/* ---- one file --------------------------------------------------------------- */

static enum ra_status add_all(struct ra_source *source, struct ra_diags *diags,
                              uint8_t *window, struct ra_sha256 *sha256)
{
    enum ra_status status = RA_OK;

    for (uint64_t at = 0; status == RA_OK && at < source->size;) {
        struct ra_span bytes;

        status = ra_source_peek(source, at, WINDOW, diags, window, &bytes);
        if (status != RA_OK || bytes.size == 0)
            return RA_E_IO;
        ra_sha256_add(sha256, bytes.data, bytes.size);
        at += bytes.size;
    }
    return status;
}

/* RA_E_IO if it cannot be read to its end: that is told where it is scanned. */
static enum ra_status digest_of(const char *path, uint8_t *window,
                                uint8_t ret[RA_SHA256_SIZE])
{
    struct ra_arena untold = { 0 };
    struct ra_diags diags = { .arena = &untold };
    struct ra_sha256 *sha256 = ra_sha256_new();
    struct ra_source source;
    struct ra_stamp stamp;
    struct ra_span head;
    enum ra_status status = sha256 ? RA_OK : RA_E_NOMEM;

    if (status == RA_OK)
        status = ra_source_open(path, 1, &diags, window, &head, &source);
    if (status != RA_OK) {
        ra_sha256_free(sha256);
        ra_arena_free(&untold);
        return status;
    }
    status = ra_source_measure(&source, &diags, &stamp);
    if (status == RA_OK)
        status = add_all(&source, &diags, window, sha256);
    ra_source_close(&source);
    ra_sha256_end(sha256, ret);
    ra_arena_free(&untold);
    return status;
}

/* ---- its rows --------------------------------------------------------------- */

/* The rows that list a path of the file, if any of them has a digest; or NULL. */
static const struct ra_site_file *rows_of(const struct ra_run *run, const char *path,
                                          struct ra_text *text)
{
    struct ra_span span = { (const uint8_t *)path, strlen(path), 0 };
    const struct ra_site_file *rows;

    if (!ra_place_join(text, (struct ra_span){ .data = span.data }, span, false) ||
        text->failed)
        return NULL;
    rows = ra_site_file(&run->packages.site, text->data);
    for (const struct ra_site_file *row = rows; row; row = row->other)
        if (row->digest.kind == RA_SITE_SHA256)
            return rows;
    return NULL;
}

/* The first row that says otherwise, unless another says it is so. */
static const struct ra_site_file *unlike(const struct ra_site_file *rows,
                                         const uint8_t digest[RA_SHA256_SIZE])
{
    const struct ra_site_file *first = NULL;

    for (const struct ra_site_file *row = rows; row; row = row->other) {
        if (row->digest.kind != RA_SITE_SHA256)
            continue;
        if (ra_site_digest_matches(&row->digest, digest))
            return NULL;
        if (!first)
            first = row;
    }
    return first;
}

static enum ra_status check(struct batch *batch, size_t at, struct ra_text *text,
                            uint8_t *window)
{
    const struct ra_walk_file *file = batch->run->walk.files[at];
    const struct ra_site_file *rows = rows_of(batch->run, file->path, text);
    uint8_t digest[RA_SHA256_SIZE];
    enum ra_status status;

    for (const struct ra_walk_link *link = file->links; !rows && link; link = link->next)
        rows = rows_of(batch->run, link->path, text);
    if (!rows || file->trouble)
        return RA_OK;
    status = digest_of(file->path, window, digest);
    if (status == RA_OK)
        batch->differing[at] = unlike(rows, digest);
    return status == RA_E_NOMEM ? status : RA_OK;
}

static void run_batch(void *arg)
{
    struct batch *batch = arg;
    uint8_t *window = malloc(WINDOW);
    struct ra_text text = { 0 };
    enum ra_status status = window ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; status == RA_OK && i < batch->count; i++)
        status = check(batch, batch->first + i, &text, window);
    batch->no_memory = status != RA_OK || text.failed;
    ra_text_free(&text);
    free(window);
}

/* ---- all of them ------------------------------------------------------------ */

static enum ra_status check_all(struct ra_run *run, struct batch *batches, size_t count,
                                const struct ra_site_file **differing)
{
    struct ra_group group = { 0 };
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < count; i++) {
        batches[i] = (struct batch){ run, i * BATCH, BATCH, differing, false };
        if (i == count - 1)
            batches[i].count = run->walk.count - i * BATCH;
        ra_pool_push(run->context.pool, &group, RA_LANE_FILE, run_batch, &batches[i]);
    }
    ra_pool_wait(run->context.pool, &group, RA_LANE_FILE);
    for (size_t i = 0; i < count; i++)
        if (batches[i].no_memory)
            status = RA_E_NOMEM;
    return status;
}

static enum ra_status name_file(struct ra_run *run, struct ra_owned *owned,
                                const char *name)
{
    struct ra_span span = { (const uint8_t *)name, strlen(name), 0 };
    const char *shown;

    if (owned->differing++ >= RA_DIFFERING_NAMED)
        return RA_OK;
    shown = ra_text_escape(&run->arena, span);
    if (shown && owned->differ)
        shown = ra_text_format(&run->arena, "%s, %s", owned->differ, shown);
    owned->differ = shown;
    return shown ? RA_OK : RA_E_NOMEM;
}

enum ra_status ra_verify(struct ra_run *run)
{
    size_t files = run->walk.count, count = (files + BATCH - 1) / BATCH;
    struct batch *batches = calloc(count + 1, sizeof(*batches));
    const struct ra_site_file **differing =
        ra_new(&run->arena, const struct ra_site_file *, files);
    enum ra_status status = batches && differing ? RA_OK : RA_E_NOMEM;

    if (status == RA_OK && run->packages.site.file_count > 0)
        status = check_all(run, batches, count, differing);
    for (size_t i = 0; status == RA_OK && i < files; i++)
        if (differing[i])
            status =
                name_file(run, ra_packages_owned(&run->packages, differing[i]->package),
                          run->walk.files[i]->name);
    free(batches);
    return status;
}
