#include "audit/totals.h"

#include "audit/judge_offload.h"
#include "base/array.h"

#include <stdlib.h>

static enum ra_status add_target(struct ra_tally *tally, const struct ra_entry *entry)
{
    const char *name = *entry->elf_target ? entry->elf_target : entry->target;
    struct ra_span span = { (const uint8_t *)name, strlen(name), 0 };
    uint32_t number;
    enum ra_status status = ra_names_add(&tally->targets, span, &number);

    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (number == tally->room) {
        struct ra_target_bytes *sums =
            ra_array_grow(tally->sums, &tally->room, sizeof(*sums));

        if (!sums)
            return RA_E_NOMEM;
        tally->sums = sums;
    }
    if (number == tally->count)
        tally->sums[tally->count++] = (struct ra_target_bytes){ 0 };
    tally->sums[number].bytes += entry->size;
    tally->sums[number].code_objects++;
    return RA_OK;
}

/* What is in an archive counts with that, if it is among the files. */
static bool is_counted_elsewhere(const struct ra_bundle *bundle,
                                 const struct ra_entry *entry)
{
    return entry->archive && bundle->kpack &&
           !bundle->kpack->archives[entry->archive_index].elsewhere;
}

bool ra_has_device_code(const struct ra_file *file)
{
    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];

        if (!bundle->has_table || !bundle->complete || bundle->kpack)
            return true; /* or it could */
        if (ra_judge_is_before_link(bundle))
            continue;
        for (size_t j = 0; j < bundle->entry_count; j++)
            if (bundle->entries[j].kind != RA_ENTRY_HOST)
                return true;
    }
    return false;
}

enum ra_status ra_tally_file(struct ra_tally *tally, const struct ra_file *file)
{
    struct ra_totals *totals = tally->totals;
    enum ra_status status = RA_OK;

    totals->with_device_code += ra_has_device_code(file);
    totals->bundles += file->bundle_count;
    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; status == RA_OK && j < file->bundles[i].entry_count; j++) {
            const struct ra_entry *entry = &file->bundles[i].entries[j];

            if (entry->kind == RA_ENTRY_HOST || entry->size == 0 ||
                is_counted_elsewhere(&file->bundles[i], entry))
                continue;
            totals->code_objects += entry->content == RA_CONTENT_CODE_OBJECT;
            totals->kernels += entry->kernel_count;
            status = add_target(tally, entry);
        }
    return status;
}

static int by_target(const void *left, const void *right)
{
    const struct ra_target_bytes *a = left, *b = right;

    return strcmp(a->target, b->target);
}

enum ra_status ra_tally_end(struct ra_tally *tally, struct ra_arena *arena,
                            enum ra_status status)
{
    struct ra_target_bytes *list = ra_new(arena, struct ra_target_bytes, tally->count);

    if (!list)
        status = RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < tally->count; i++) {
        list[i] = tally->sums[i];
        list[i].target = tally->targets.text[i];
    }
    if (status == RA_OK && tally->count > 1)
        qsort(list, tally->count, sizeof(*list), by_target);
    tally->totals->targets = list;
    tally->totals->target_count = status == RA_OK ? tally->count : 0;
    ra_names_free(&tally->targets);
    free(tally->sums);
    return status;
}
