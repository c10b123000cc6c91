/* Code objects: every byte may be wrong, and what is wrong is told. */
#include "gfx/codeobj.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    struct ra_arena arena;
    struct ra_diags diags;
    struct ra_names names;
    struct ra_entry entry;
    enum ra_status status;
};

static void read_one(struct run *run, struct ra_codeobj_buffers *buffers,
                     const struct ra_source *source, bool kernels)
{
    struct ra_codeobj_sink sink = { &run->arena, &run->names, &run->arena };

    *run = (struct run){ .arena = { .limit = (size_t)256 << 20 } };
    run->diags.arena = run->names.arena = &run->arena;
    run->status = ra_codeobj_read(source, buffers, kernels ? &sink : NULL, &run->diags,
                                  &run->entry);
}

static void check_kernels(const struct run *run)
{
    for (uint64_t i = 0; run->entry.kernels && i < run->entry.kernel_count; i++) {
        const struct ra_kernel *kernel = &run->entry.kernels[i];

        assert(kernel->name < run->names.count);
        assert(kernel->wave_size == 32 || kernel->wave_size == 64);
        assert(kernel->has_descriptor);
        assert(!kernel->is_stub || kernel->code_size <= 16);
    }
}

/* An error is told once; what is complete has none. */
static void check(const struct run *run)
{
    const struct ra_entry *entry = &run->entry;

    assert(run->status == RA_OK || run->status == RA_E_FORMAT ||
           run->status == RA_E_LIMIT);
    assert(run->diags.errors == (run->status != RA_OK));
    assert(run->status == RA_OK || !entry->complete);
    assert(entry->content != RA_CONTENT_UNREAD);
    if (entry->content != RA_CONTENT_CODE_OBJECT)
        assert(run->status == RA_OK && entry->complete && run->diags.count == 0);
    else if (run->status == RA_OK && !entry->complete)
        assert(run->diags.count > 0);
    assert(entry->code.version == 0 ||
           (entry->code.version >= 2 && entry->code.version <= 6));
    assert(run->status != RA_OK || !entry->complete || entry->kernels ||
           entry->kernel_count == 0 || run->names.count == 0);
    check_kernels(run);
}

static void finish(struct run *run)
{
    ra_names_free(&run->names);
    ra_arena_free(&run->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_source source = ra_source_over((struct ra_span){ data, size, 0 });
    struct ra_codeobj_buffers buffers = { 0 };
    struct run full, count;

    read_one(&full, &buffers, &source, true);
    read_one(&count, &buffers, &source, false);
    check(&full);
    check(&count);
    assert(full.entry.content == count.entry.content);
    assert(full.entry.kernel_count == count.entry.kernel_count);
    assert(full.entry.code.version == count.entry.code.version);
    assert(full.status == RA_OK ? count.status == RA_OK : true);
    assert(count.status == RA_OK ? true : full.status == count.status);
    ra_codeobj_buffers_free(&buffers);
    finish(&full);
    finish(&count);
    return 0;
}
