/* copy_offload.c - the images of OffloadBinary, blob by blob. */
#include "extract/copy_job.h"

#include "bundle/blobs.h"
#include "codec/expanded.h"

#include <stdlib.h>

/* An image of a blob, and the file it goes to. */
struct image {
    uint64_t offset;           /* in what the blob expands to */
    struct ra_copy_item *item; /* NULL: it is not wanted */
};

/* The bundle as it is met again. */
struct again {
    struct ra_copy_job *job;
    struct ra_source source; /* all blobs; that of the job is the image of the moment */
    struct ra_copy_item **items; /* by entry of the bundle; NULL: it is not wanted */
    size_t next;                 /* the entry that the next image of its language is */
};

/* The ID of an entry starts with the word for the language. */
static bool is_of(const struct ra_bundle *bundle, const struct ra_offload_image *image)
{
    const char *word = ra_offload_word(image), *id = bundle->entries[0].id;

    return !image->metadata_only && strncmp(id, word, strlen(word)) == 0 &&
           id[strlen(word)] == '-';
}

static int by_place(const void *left, const void *right)
{
    const struct image *a = left, *b = right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Images of the bundle's language, in the order of offsets. */
static enum ra_status list_images(struct again *again, const struct ra_blob *blob,
                                  const struct ra_offload_table *table,
                                  struct image *images, size_t *count)
{
    const struct ra_bundle *bundle = again->job->copy->bundle;
    uint64_t base = blob->source.base - again->source.base;

    for (size_t i = 0; i < table->count; i++) {
        const struct ra_offload_image *image = &table->images[i];
        const struct ra_entry *entry = &bundle->entries[again->next];

        if (!is_of(bundle, image))
            continue;
        if (again->next == bundle->entry_count || entry->size != image->size ||
            entry->offset != image->offset + (entry->is_packed ? 0 : base))
            return ra_copy_changed(again->job, "other images");
        images[(*count)++] =
            (struct image){ image->offset - ra_offload_shift(&blob->offload),
                            again->items[again->next++] };
    }
    if (*count > 1)
        qsort(images, *count, sizeof(*images), by_place);
    return RA_OK;
}

static enum ra_status copy_image(struct ra_copy_job *job, const struct image *image,
                                 const struct ra_source *content)
{
    struct ra_source source;
    enum ra_status status;

    if (!image->item || image->item->written->outcome == RA_FAILED)
        return RA_OK;
    if (!ra_source_sub(content, image->offset, image->item->entry->size, &source))
        return ra_copy_changed(job, "it became shorter");
    status = ra_copy_whole(job, image->item, &source);
    if (status != RA_OK && status != RA_E_NOMEM) {
        ra_copy_fail(job, image->item, "its bytes could not be read");
        return RA_OK;
    }
    return status;
}

/* Nothing vouches for what is compressed before its end was met. */
static enum ra_status copy_images(struct again *again, const struct ra_source *content,
                                  struct ra_expanded *expanded,
                                  const struct image *images, size_t count)
{
    uint64_t used, md5;
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = copy_image(again->job, &images[i], content);
    if (status != RA_OK || !expanded)
        return status;
    status = ra_expanded_finish(expanded, &used, &md5);
    for (size_t i = 0; status != RA_OK && i < count; i++)
        if (images[i].item)
            ra_copy_fail(again->job, images[i].item, again->job->reason);
    return status;
}

static enum ra_status copy_content(struct again *again, const struct ra_blob *blob,
                                   const struct ra_source *content,
                                   struct ra_expanded *expanded)
{
    struct ra_copy *copy = again->job->copy;
    struct ra_offload_table table;
    struct image *images;
    size_t count = 0;
    enum ra_status status =
        ra_offload_images(&blob->offload, content, &copy->arena, &copy->diags, &table);

    if (status != RA_OK)
        return status;
    images = ra_new(&copy->arena, struct image, table.count);
    status = images ? list_images(again, blob, &table, images, &count) : RA_E_NOMEM;
    return status == RA_OK ? copy_images(again, content, expanded, images, count)
                           : status;
}

static enum ra_status copy_blob(struct again *again, const struct ra_blob *blob)
{
    struct ra_copy *copy = again->job->copy;
    struct ra_source payload = ra_source_from(&blob->source, blob->offload.entries);
    struct ra_expand how = { .codec = blob->offload.codec,
                             .size = blob->offload.expanded - blob->offload.entries,
                             .workspaces = copy->workspaces };
    struct ra_expanded *expanded;
    struct ra_source content;
    enum ra_status status = blob->status;

    if (status != RA_OK)
        return status;
    if (how.codec == RA_CODEC_STORED)
        return copy_content(again, blob, &blob->source, NULL);
    status = ra_expanded_open(&payload, &how, &copy->diags, &expanded);
    if (status != RA_OK)
        return status;
    content = ra_expanded_source(expanded);
    status = copy_content(again, blob, &content, expanded);
    ra_expanded_close(expanded);
    return status;
}

/* Blobs stand by themselves, so one that is damaged is left alone. */
static enum ra_status copy_blobs(struct again *again)
{
    struct ra_blobs blobs;
    struct ra_blob blob;
    enum ra_status status = RA_OK;
    bool more = true;

    ra_blobs_open(&again->source, &again->job->copy->diags, &blobs);
    while (status == RA_OK && more) {
        status = ra_blobs_next(&blobs, &blob, &more);
        if (status == RA_OK && more)
            status = copy_blob(again, &blob);
        if (ra_is_damage(status))
            status = RA_OK;
    }
    return status == RA_OK && again->next < again->job->copy->bundle->entry_count
               ? ra_copy_changed(again->job, "fewer images")
               : status;
}

enum ra_status ra_copy_offload(struct ra_copy_job *job)
{
    struct ra_copy *copy = job->copy;
    struct again again = { .job = job, .source = job->source };

    again.items = ra_new(&copy->arena, struct ra_copy_item *, copy->bundle->entry_count);
    if (!again.items)
        return RA_E_NOMEM;
    for (size_t i = 0; i < copy->count; i++)
        again.items[job->items[i].entry - copy->bundle->entries] = &job->items[i];
    return copy_blobs(&again);
}
