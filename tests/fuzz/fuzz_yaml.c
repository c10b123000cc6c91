/* YAML: depth and number of events are bounded, and kernels read are kernels counted. */
#include "codec/yaml.h"
#include "gfx/metadata_v2.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every map and list ends, and none is deeper than the limit. */
static void read_events(struct ra_span bytes)
{
    struct ra_yaml_event event = { .kind = RA_YAML_SCALAR };
    struct ra_yaml *yaml;
    enum ra_status status = ra_yaml_open(bytes, &yaml);
    size_t depth = 0, events = 0;

    assert(status == RA_OK);
    while (status == RA_OK && event.kind != RA_YAML_DONE) {
        status = ra_yaml_next(yaml, &event);
        if (status != RA_OK)
            break;
        depth += event.kind == RA_YAML_MAP || event.kind == RA_YAML_LIST;
        assert(event.kind != RA_YAML_END || depth > 0);
        depth -= event.kind == RA_YAML_END;
        assert(depth <= RA_YAML_DEPTH && ++events <= 2 * bytes.size + 8);
        if (event.kind == RA_YAML_SCALAR && event.text.size > 0)
            assert(event.text.data[event.text.size] == '\0');
    }
    assert(status == RA_OK || status == RA_E_FORMAT || status == RA_E_LIMIT);
    assert(status != RA_OK || depth == 0);
    assert(ra_yaml_next(yaml, &event) == status && event.kind == RA_YAML_DONE);
    assert(ra_yaml_where(yaml) <= bytes.size + 1);
    ra_yaml_close(yaml);
}

static bool take(void *arg, const struct ra_metadata_kernel *kernel)
{
    uint64_t *count = arg;

    assert(kernel->name.size > 0 && kernel->symbol.size == kernel->name.size);
    assert(kernel->kernel.wave_size == 0 || kernel->kernel.wave_size == 32 ||
           kernel->kernel.wave_size == 64);
    ++*count;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span bytes = { data, size, 0 };
    struct ra_arena arena = { .limit = (size_t)64 << 20 };
    struct ra_metadata counted, full;
    size_t counted_bad, full_bad;
    uint64_t kernels = 0;
    enum ra_status count, read;

    read_events(bytes);
    count = ra_metadata_v2_read(bytes, NULL, NULL, NULL, &counted, &counted_bad);
    read = ra_metadata_v2_read(bytes, take, &kernels, &arena, &full, &full_bad);
    assert(read == count && counted_bad == full_bad && full_bad <= size + 1);
    assert(counted.kernel_count == full.kernel_count && full.kernel_count == kernels);
    ra_arena_free(&arena);
    return 0;
}
