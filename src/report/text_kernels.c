#include "report/text.h"

#include "report/table.h"

#include <inttypes.h>

/* From this width on a name has room beside its numbers. */
#define WIDTH_ONE_LINE 120

static const char *add_flag(struct ra_page *page, const char *flags, const char *flag)
{
    return *flags ? ra_page_format(page, "%s,%s", flags, flag) : flag;
}

static const char *flags_shown(struct ra_page *page, const struct ra_kernel *kernel,
                               bool has_modes)
{
    const char *flags = "";

    if (!kernel->has_descriptor)
        flags = add_flag(page, flags, "no-descriptor");
    else if (has_modes)
        flags = kernel->wgp_mode ? "wgp" : "cu";
    if (kernel->dynamic_stack)
        flags = add_flag(page, flags, "dynamic-stack");
    if (kernel->tg_split)
        flags = add_flag(page, flags, "tgsplit");
    return kernel->is_stub ? add_flag(page, flags, "stub") : flags;
}

static const char *unless_zero(struct ra_page *page, uint32_t number)
{
    return number ? ra_page_format(page, "%" PRIu32, number) : "";
}

/* "2v+3s": of vector and of scalar registers. */
static const char *spills_shown(struct ra_page *page, const struct ra_kernel *kernel)
{
    if (!kernel->vgpr_spills && !kernel->sgpr_spills)
        return "";
    if (!kernel->sgpr_spills)
        return ra_page_format(page, "%" PRIu32 "v", kernel->vgpr_spills);
    if (!kernel->vgpr_spills)
        return ra_page_format(page, "%" PRIu32 "s", kernel->sgpr_spills);
    return ra_page_format(page, "%" PRIu32 "v+%" PRIu32 "s", kernel->vgpr_spills,
                          kernel->sgpr_spills);
}

static void add_kernel(struct ra_table *table, const struct ra_bundle *bundle,
                       const struct ra_kernel *kernel, bool has_modes)
{
    struct ra_page *page = table->page;
    bool one_line = page->style->width >= WIDTH_ONE_LINE;
    const char *name = "?", *cells[11];

    if (kernel->name < bundle->kernel_name_count)
        name = bundle->kernel_names[kernel->name];
    cells[0] = ra_page_format(page, "%u", kernel->wave_size);
    cells[1] = ra_page_format(page, "%" PRIu32, kernel->vgprs);
    cells[2] = unless_zero(page, kernel->agprs);
    cells[3] = ra_page_format(page, "%" PRIu32, kernel->sgprs);
    cells[4] = spills_shown(page, kernel);
    cells[5] = unless_zero(page, kernel->lds);
    cells[6] = unless_zero(page, kernel->scratch);
    cells[7] = ra_page_format(page, "%" PRIu32, kernel->kernarg);
    cells[8] = ra_page_format(page, "%" PRIu32, kernel->max_workgroup);
    cells[9] = flags_shown(page, kernel, has_modes);
    cells[10] = one_line ? name : "";
    ra_table_add(table, one_line ? NULL : name, cells);
}

/* Modes of work-group processors: only processors that have those set the bit. */
static bool has_modes(const struct ra_entry *entry)
{
    for (uint64_t i = 0; i < entry->kernel_count; i++)
        if (entry->kernels[i].wgp_mode)
            return true;
    return false;
}

static void put_kernels(struct ra_page *page, const struct ra_bundle *bundle,
                        const struct ra_entry *entry)
{
    static const struct ra_column columns[] = {
        { .title = "WAVE", .right = true },     { .title = "VGPR", .right = true },
        { .title = "AGPR", .right = true },     { .title = "SGPR", .right = true },
        { .title = "SPILLS", .right = true },   { .title = "LDS", .right = true },
        { .title = "SCRATCH", .right = true },  { .title = "KERNARG", .right = true },
        { .title = "GROUP", .right = true },    { .title = "FLAGS", .elastic = true },
        { .title = "KERNEL", .elastic = true },
    };
    struct ra_table table = { page, columns, RA_COUNT(columns), 2, NULL, NULL };
    bool modes = has_modes(entry);

    for (uint64_t i = 0; i < entry->kernel_count; i++)
        add_kernel(&table, bundle, &entry->kernels[i], modes);
    ra_table_write(&table);
}

void ra_text_kernels(struct ra_page *page, const struct ra_bundle *bundle, size_t index,
                     const struct ra_entry *entry)
{
    /* There can be very many kernels: memory for one code object at a time. */
    struct ra_page part = { .out = page->out, .style = page->style };
    const char *count = ra_page_count(&part, entry->kernel_count, "kernel", "kernels");
    const char *target = ra_page_cut(&part, ra_text_target(&part, entry), 40);

    ra_out_str(page->out,
               ra_page_format(&part, "\nbundle %zu, %s: %s\n", index, target, count));
    put_kernels(&part, bundle, entry);
    page->failed |= ra_page_end(&part) != RA_OK;
}
