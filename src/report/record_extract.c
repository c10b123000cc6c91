/* record_extract.c - what JSON says of an extraction. */
#include "report/record.h"

static void put_written(struct ra_emit *emit, const struct ra_report *report,
                        const struct ra_written *written)
{
    const struct ra_bundle *bundle =
        &report->files[written->file].bundles[written->bundle];
    const struct ra_entry *entry = &bundle->entries[written->entry];

    ra_emit_open_flat(emit, NULL, '{');
    ra_emit_number(emit, "bundle", written->bundle);
    ra_emit_number(emit, "entry", written->entry);
    ra_emit_known(emit, "id", entry->id);
    ra_emit_known(emit, "target", entry->target);
    ra_emit_known(emit, "elf_target", entry->elf_target);
    ra_emit_number(emit, "size", entry->size);
    ra_emit_string(emit, "path", written->path);
    ra_emit_string(emit, "status", ra_outcome_name(written->outcome));
    ra_emit_string(emit, "reason", written->reason);
    ra_emit_close(emit, '}');
}

/* The list is in the order of files: find the first of `index` by halves. */
static size_t first_of(const struct ra_extraction *extraction, size_t index)
{
    size_t low = 0, high = extraction->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (extraction->list[middle].file < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ra_record_written(struct ra_emit *emit, const struct ra_report *report, size_t index)
{
    const struct ra_extraction *extraction = report->extraction;

    ra_emit_string(emit, "path", report->files[index].path);
    ra_emit_open(emit, "written", '[');
    for (size_t i = first_of(extraction, index);
         i < extraction->count && extraction->list[i].file == index; i++)
        put_written(emit, report, &extraction->list[i]);
    ra_emit_close(emit, ']');
}

void ra_record_extraction(struct ra_emit *emit, const struct ra_extraction *extraction)
{
    ra_emit_known(emit, "folder", extraction->folder);
    ra_emit_number(emit, "written", extraction->written);
    ra_emit_number(emit, "unchanged", extraction->unchanged);
    ra_emit_number(emit, "planned", extraction->planned);
    ra_emit_number(emit, "failed", extraction->failed);
    ra_emit_number(emit, "bytes", extraction->bytes);
    ra_emit_string(emit, "error", extraction->trouble);
}
