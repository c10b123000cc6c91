/* Metadata: counting and reading agree, and what is handed out lies in the note. */
#include "gfx/metadata.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
    struct ra_span note;
    uint64_t kernels, stop; /* met so far; where to refuse one */
};

static bool inside(struct ra_span note, struct ra_span part)
{
    return part.size == 0 ||
           (part.data >= note.data && part.data < note.data + note.size &&
            part.size <= (size_t)(note.data + note.size - part.data));
}

static bool take(void *arg, const struct ra_metadata_kernel *kernel)
{
    struct run *run = arg;

    assert(kernel->name.size > 0 && inside(run->note, kernel->name));
    assert(kernel->symbol.size > 0 && inside(run->note, kernel->symbol));
    assert(kernel->kernel.wave_size == 32 || kernel->kernel.wave_size == 64);
    run->kernels++;
    return run->kernels != run->stop;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct run run = { .note = { data, size, 0 } };
    struct ra_metadata counted, full;
    size_t counted_bad, full_bad;
    enum ra_status count = ra_metadata_read(run.note, NULL, NULL, &counted, &counted_bad);
    enum ra_status read = ra_metadata_read(run.note, take, &run, &full, &full_bad);

    assert(read == count && (read == RA_OK || read == RA_E_FORMAT));
    assert(full_bad == counted_bad && full_bad <= size);
    assert(inside(run.note, full.target));
    if (read != RA_OK)
        return 0;
    assert(full.kernel_count == run.kernels && counted.kernel_count == run.kernels);
    assert(full.has_version == counted.has_version && full.major == counted.major &&
           full.minor == counted.minor);
    if (run.kernels == 0)
        return 0;
    run.stop = run.kernels;
    run.kernels = 0;
    assert(ra_metadata_read(run.note, take, &run, &full, &full_bad) == RA_E_NOMEM);
    return 0;
}
