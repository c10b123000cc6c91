#include "extract/copy.h"

#include "bundle/ccob.h"
#include "bundle/kpak.h"
#include "bundle/table.h"
#include "codec/expanded.h"
#include "extract/copy_job.h"
#include "extract/inside.h"

#include <inttypes.h>
#include <stdlib.h>

#define WINDOW      ((size_t)256 * 1024)
#define ARENA_LIMIT ((size_t)64 << 20)
#define DIAG_LIMIT  1000

enum ra_status ra_copy_changed(struct ra_copy_job *job, const char *how)
{
    return ra_fault(&job->copy->diags, RA_E_IO, RA_DIAG_CHANGED,
                    ra_at(job->copy->bundle->offset), "%s", how);
}

void ra_copy_fail(const struct ra_copy_job *job, struct ra_copy_item *item,
                  const char *reason)
{
    struct ra_folder *folder = job->copy->folder;

    item->written->outcome = RA_FAILED;
    item->written->reason =
        folder && ra_folder_trouble(folder) ? "the folder takes no more files" : reason;
    if (folder)
        ra_folder_discard(folder, &item->part);
}

/* ---- bytes ------------------------------------------------------------------ */

static enum ra_status copy_bytes(struct ra_copy_job *job, struct ra_copy_item *item)
{
    struct ra_folder *folder = job->copy->folder;
    uint64_t done = 0, size = item->entry->size;
    enum ra_status status = RA_OK;

    while (status == RA_OK && done < size) {
        size_t part = size - done < WINDOW ? (size_t)(size - done) : WINDOW;

        status = ra_source_read(&job->source, item->entry->offset + done, part,
                                &job->copy->diags, job->window);
        if (status == RA_OK && folder &&
            !ra_folder_add(folder, &item->part, job->window, part))
            return RA_E_IO;
        done += part;
    }
    return status;
}

/* RA_E_IO also where the folder is to blame, which that remembers. */
static enum ra_status copy_item(struct ra_copy_job *job, struct ra_copy_item *item)
{
    struct ra_folder *folder = job->copy->folder;
    enum ra_status status;

    if (folder && !ra_folder_begin(folder, &item->part))
        return RA_E_IO;
    status = copy_bytes(job, item);
    if (status == RA_OK && folder && !ra_folder_end(folder, &item->part))
        status = RA_E_IO;
    return status;
}

/* What cannot be read of a plain bundle is no reason to leave the rest. */
static enum ra_status copy_items(struct ra_copy_job *job, bool one_for_all)
{
    struct ra_copy *copy = job->copy;

    for (size_t i = 0; i < copy->count; i++) {
        struct ra_copy_item *item = &job->items[i];
        enum ra_status status = copy_item(job, item);

        if (status != RA_OK && (one_for_all || status == RA_E_NOMEM))
            return status;
        if (status != RA_OK)
            ra_copy_fail(job, item, "its bytes could not be read");
    }
    return RA_OK;
}

/* ---- the bundle ------------------------------------------------------------- */

/* The table is read again, for the file may be another than the one that was listed. */
static enum ra_status check_table(struct ra_copy_job *job)
{
    const struct ra_bundle *bundle = job->copy->bundle;
    struct ra_table table;
    enum ra_status status =
        ra_table_read(&job->source, &job->copy->arena, &job->copy->diags, &table);

    if (status != RA_OK)
        return status;
    if (table.count != bundle->entry_count)
        return ra_copy_changed(job, "another number of entries");
    for (size_t i = 0; i < table.count; i++)
        if (table.entries[i].offset != bundle->entries[i].offset ||
            table.entries[i].size != bundle->entries[i].size)
            return ra_copy_changed(job, "other entries");
    return RA_OK;
}

/* A code object that was compressed without a bundle has no table. */
static enum ra_status check_content(struct ra_copy_job *job)
{
    const struct ra_bundle *bundle = job->copy->bundle;

    if (bundle->entry_count != 1 || bundle->entries[0].kind != RA_ENTRY_RAW)
        return check_table(job);
    return job->source.size == bundle->entries[0].size
               ? RA_OK
               : ra_copy_changed(job, "it expands to another size");
}

static enum ra_status check_digest(struct ra_copy_job *job, struct ra_expanded *expanded,
                                   const struct ra_ccob *ccob)
{
    uint64_t used, md5;
    enum ra_status status = ra_expanded_finish(expanded, &used, &md5);

    if (status != RA_OK || md5 == ccob->md5)
        return status;
    job->reason = "its bundle has another digest than it says";
    return ra_fault(&job->copy->diags, RA_E_FORMAT, RA_DIAG_CODEC_DIGEST,
                    ra_at(job->copy->bundle->offset),
                    "MD5 starts with %016" PRIx64 ", the header says %016" PRIx64,
                    __builtin_bswap64(md5), __builtin_bswap64(ccob->md5));
}

static enum ra_status copy_expanded(struct ra_copy_job *job, struct ra_expanded *expanded,
                                    const struct ra_ccob *ccob)
{
    enum ra_status status;

    job->source = ra_expanded_source(expanded);
    status = check_content(job);
    if (status == RA_OK)
        status = copy_items(job, true);
    return status == RA_OK ? check_digest(job, expanded, ccob) : status;
}

static enum ra_status copy_ccob(struct ra_copy_job *job)
{
    struct ra_diags *diags = &job->copy->diags;
    struct ra_expand how = { .digest = true, .workspaces = job->copy->workspaces };
    struct ra_expanded *expanded;
    struct ra_source payload;
    struct ra_ccob ccob;
    enum ra_status status = ra_ccob_read(&job->source, diags, &ccob);

    if (status != RA_OK)
        return status;
    if (ccob.size)
        job->source.size = ccob.size; /* ra_ccob_read() saw that it is inside */
    payload = ra_source_from(&job->source, ccob.header);
    how.codec = ccob.codec;
    how.size = ccob.expanded;
    how.one_frame = ccob.size == 0;
    status = ra_expanded_open(&payload, &how, diags, &expanded);
    if (status != RA_OK)
        return status;
    status = copy_expanded(job, expanded, &ccob);
    ra_expanded_close(expanded);
    return status;
}

/* ---- of a .kpack archive ---------------------------------------------------- */

/* The entry of the archive's table that was listed; NULL if there is none any more. */
static const struct ra_kpak_entry *find_packed(const struct ra_copy_job *job,
                                               const struct ra_kpak *kpak,
                                               const struct ra_entry *entry)
{
    uint64_t offset = job->copy->bundle->offset + entry->offset;

    for (size_t i = 0; i < kpak->count; i++)
        if (!kpak->entries[i].damaged && kpak->entries[i].offset == offset &&
            kpak->entries[i].original_size == entry->size)
            return &kpak->entries[i];
    return NULL;
}

enum ra_status ra_copy_whole(struct ra_copy_job *job, struct ra_copy_item *item,
                             const struct ra_source *source)
{
    const struct ra_entry *listed = item->entry;
    struct ra_entry whole = *listed;
    enum ra_status status;

    whole.offset = 0;
    item->entry = &whole;
    job->source = *source;
    status = copy_item(job, item);
    item->entry = listed;
    return status;
}

static enum ra_status copy_packed(struct ra_copy_job *job, struct ra_copy_item *item,
                                  bool compressed, const struct ra_kpak_entry *packed)
{
    struct ra_expand how = { .codec = RA_CODEC_ZSTD,
                             .size = packed->original_size,
                             .workspaces = job->copy->workspaces };
    struct ra_expanded *expanded;
    struct ra_source source, content;
    uint64_t used, md5;
    enum ra_status status;

    if (!ra_source_sub(&job->file, packed->offset, packed->size, &source))
        return ra_copy_changed(job, "it became shorter");
    if (!compressed)
        return ra_copy_whole(job, item, &source);
    status = ra_expanded_open(&source, &how, &job->copy->diags, &expanded);
    if (status != RA_OK)
        return status;
    content = ra_expanded_source(expanded);
    status = ra_copy_whole(job, item, &content);
    if (status == RA_OK)
        status = ra_expanded_finish(expanded, &used, &md5);
    ra_expanded_close(expanded);
    return status;
}

/* Each code object stands by itself, so one that is damaged is left alone. */
static enum ra_status copy_kpack(struct ra_copy_job *job)
{
    struct ra_copy *copy = job->copy;
    struct ra_kpak kpak;
    enum ra_status status = ra_kpak_read(&job->file, &copy->arena, &copy->diags, &kpak);

    for (size_t i = 0; status == RA_OK && i < copy->count; i++) {
        struct ra_copy_item *item = &job->items[i];
        const struct ra_kpak_entry *packed = find_packed(job, &kpak, item->entry);
        enum ra_status one = packed ? copy_packed(job, item, kpak.compressed, packed)
                                    : ra_copy_changed(job, "its table has other entries");

        if (one == RA_E_NOMEM)
            return one;
        if (one != RA_OK)
            ra_copy_fail(job, item, "its bytes could not be read");
    }
    return status;
}

/* ---- the bundle, of any kind ------------------------------------------------ */

static bool has_table(const struct ra_bundle *bundle)
{
    static const char *const without[] = { "raw", "embedded", "rdc" };

    for (size_t i = 0; i < RA_COUNT(without); i++)
        if (strcmp(bundle->container, without[i]) == 0)
            return false;
    return true;
}

static enum ra_status copy_bundle(struct ra_copy_job *job)
{
    const struct ra_bundle *bundle = job->copy->bundle;
    uint64_t left = bundle->offset < job->file.size ? job->file.size - bundle->offset : 0;
    uint64_t size = bundle->size && bundle->size < left ? bundle->size : left;
    enum ra_status status;

    if (!ra_source_sub(&job->file, bundle->offset, size, &job->source))
        return ra_copy_changed(job, "it became shorter");
    if (strncmp(bundle->container, "ccob", 4) == 0)
        return copy_ccob(job);
    if (!has_table(bundle))
        return copy_items(job, false);
    if (strcmp(bundle->container, "kpack") == 0)
        return copy_kpack(job);
    if (strcmp(bundle->container, "offload-binary") == 0)
        return ra_copy_offload(job);
    status = check_table(job);
    return status == RA_OK ? copy_items(job, false) : status;
}

/* ---- the file --------------------------------------------------------------- */

static enum ra_status copy_opened(struct ra_copy_job *job)
{
    struct ra_diags *diags = &job->copy->diags;
    struct ra_stamp stamp;
    enum ra_status status = ra_source_measure(&job->file, diags, &stamp);

    if (status == RA_OK && stamp.size != job->copy->file->size)
        status = ra_copy_changed(job, "it has another size now");
    if (status == RA_OK)
        status = copy_bundle(job);
    if (status == RA_OK)
        status = ra_source_unchanged(&job->file, &stamp, diags);
    return status;
}

static enum ra_status copy_file(struct ra_copy_job *job)
{
    const struct ra_copy *copy = job->copy;
    struct ra_span head;
    uint8_t byte;
    enum ra_status status;

    if (copy->folder && ra_folder_trouble(copy->folder))
        return RA_E_IO;
    status = ra_source_open(copy->file->raw_path, sizeof(byte), &job->copy->diags, &byte,
                            &head, &job->file);
    if (status != RA_OK)
        return status;
    status = copy_opened(job);
    ra_source_close(&job->file);
    return status;
}

/* Nothing gets its name before all of it is known to be right. */
static void settle(struct ra_copy_job *job, enum ra_status status)
{
    struct ra_copy *copy = job->copy;

    for (size_t i = 0; i < copy->count; i++) {
        struct ra_copy_item *item = &job->items[i];

        if (item->written->outcome == RA_FAILED)
            continue;
        if (status != RA_OK)
            ra_copy_fail(job, item, job->reason);
        else if (copy->folder)
            item->written->outcome = ra_folder_commit(
                copy->folder, &item->part, item->written->name, &item->written->reason);
    }
}

static int by_offset(const void *left, const void *right)
{
    const struct ra_copy_item *a = left, *b = right;

    return (a->entry->offset > b->entry->offset) - (a->entry->offset < b->entry->offset);
}

/* `open` copies from the file of the job, which it may have to open. */
static void run(struct ra_copy *copy, const struct ra_source *file,
                enum ra_status (*open)(struct ra_copy_job *job))
{
    struct ra_copy_job job = { .copy = copy,
                               .reason = "its bundle could not be read whole" };
    enum ra_status status = RA_E_NOMEM;

    if (file)
        job.file = *file;
    job.items = ra_new(&copy->arena, struct ra_copy_item, copy->count);
    job.window = malloc(WINDOW);
    if (job.items && job.window) {
        for (size_t i = 0; i < copy->count; i++) {
            job.items[i].written = &copy->list[i];
            job.items[i].entry = &copy->bundle->entries[copy->list[i].entry];
            job.items[i].part.fd = -1;
        }
        qsort(job.items, copy->count, sizeof(job.items[0]), by_offset);
        status = open(&job);
        settle(&job, status);
    }
    free(job.window);
    copy->status = status == RA_E_NOMEM ? RA_E_NOMEM : RA_OK;
}

/* ---- members of archives ---------------------------------------------------- */

static enum ra_status not_opened(struct ra_copy_job *job)
{
    job->reason = "its archive could not be read";
    return RA_E_IO;
}

/* The bundles of a member in the order they stand in it: it may be read forward only. */
static void run_member(struct ra_copy *first)
{
    struct ra_inside *inside = NULL;
    struct ra_source source;
    enum ra_status status =
        ra_inside_open(first->file->raw_path, first->members, &first->diags, &inside);

    if (status == RA_OK)
        source = ra_inside_source(inside);
    for (struct ra_copy *copy = first; copy; copy = copy->next)
        run(copy, status == RA_OK ? &source : NULL,
            status == RA_OK ? copy_bundle : not_opened);
    if (status == RA_OK)
        ra_inside_close(inside);
    if (status == RA_E_NOMEM)
        first->status = status;
}

void ra_copy_run(void *arg)
{
    struct ra_copy *first = arg;

    for (struct ra_copy *copy = first; copy; copy = copy->next) {
        copy->arena.limit = ARENA_LIMIT;
        copy->diags = (struct ra_diags){ .arena = &copy->arena, .limit = DIAG_LIMIT };
    }
    if (first->file->is_member)
        run_member(first);
    else
        run(first, NULL, copy_file);
}
