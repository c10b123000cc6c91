#include "gfx/metadata_v2.h"

#include "codec/yaml.h"

struct reader {
    struct ra_yaml *yaml;
    struct ra_yaml_event event; /* the last */
    ra_metadata_sink *sink;
    void *arg;
    struct ra_arena *arena;
    struct ra_metadata *ret;
};

static enum ra_status advance(struct reader *reader)
{
    return ra_yaml_next(reader->yaml, &reader->event);
}

/* The next event, which has to be of a kind. */
static enum ra_status expect(struct reader *reader, enum ra_yaml_kind kind)
{
    enum ra_status status = advance(reader);

    return status == RA_OK && reader->event.kind != kind ? RA_E_FORMAT : status;
}

static bool is(struct ra_span text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static enum ra_status skip_value(struct reader *reader)
{
    enum ra_status status = advance(reader);

    return status == RA_OK ? ra_yaml_skip(reader->yaml, &reader->event) : status;
}

/* ---- values ------------------------------------------------------------------ */

/* A number of ours is 32 bits wide; one that does not fit is damage. */
static enum ra_status number_of(struct ra_span text, uint32_t *ret)
{
    uint64_t value = 0;

    if (text.size == 0 || text.size > 10)
        return RA_E_FORMAT;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return RA_E_FORMAT;
        value = value * 10 + (text.data[i] - (uint64_t)'0');
    }
    if (value > UINT32_MAX)
        return RA_E_FORMAT;
    *ret = (uint32_t)value;
    return RA_OK;
}

static enum ra_status read_number(struct reader *reader, uint32_t *ret)
{
    enum ra_status status = expect(reader, RA_YAML_SCALAR);

    return status == RA_OK ? number_of(reader->event.text, ret) : status;
}

static enum ra_status read_flag(struct reader *reader, bool *ret)
{
    enum ra_status status = expect(reader, RA_YAML_SCALAR);

    if (status != RA_OK)
        return status;
    *ret = is(reader->event.text, "true");
    return *ret || is(reader->event.text, "false") ? RA_OK : RA_E_FORMAT;
}

static enum ra_status read_numbers(struct reader *reader, size_t count, uint32_t *ret)
{
    enum ra_status status = expect(reader, RA_YAML_LIST);

    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = read_number(reader, &ret[i]);
    return status == RA_OK ? expect(reader, RA_YAML_END) : status;
}

static enum ra_status read_wave_size(struct reader *reader, struct ra_kernel *ret)
{
    uint32_t value = 0;
    enum ra_status status = read_number(reader, &value);

    if (status == RA_OK && value != 32 && value != 64)
        return RA_E_FORMAT;
    ret->wave_size = (uint8_t)value;
    return status;
}

/* ---- kernels ----------------------------------------------------------------- */

typedef enum ra_status read_key(struct reader *reader, struct ra_span key,
                                struct ra_metadata_kernel *ret);

/* A map to its end, of which the last event was the start. */
static enum ra_status read_map(struct reader *reader, read_key *read,
                               struct ra_metadata_kernel *ret)
{
    enum ra_status status = advance(reader);

    while (status == RA_OK && reader->event.kind == RA_YAML_SCALAR) {
        status = read(reader, reader->event.text, ret);
        if (status == RA_OK)
            status = advance(reader);
    }
    return status == RA_OK && reader->event.kind != RA_YAML_END ? RA_E_FORMAT : status;
}

/* Keys of "CodeProps" that hold a 32-bit number, and where it goes. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    { "KernargSegmentSize", offsetof(struct ra_kernel, kernarg) },
    { "GroupSegmentFixedSize", offsetof(struct ra_kernel, lds) },
    { "PrivateSegmentFixedSize", offsetof(struct ra_kernel, scratch) },
    { "NumSGPRs", offsetof(struct ra_kernel, sgprs) },
    { "NumVGPRs", offsetof(struct ra_kernel, vgprs) },
    { "MaxFlatWorkGroupSize", offsetof(struct ra_kernel, max_workgroup) },
    { "NumSpilledSGPRs", offsetof(struct ra_kernel, sgpr_spills) },
    { "NumSpilledVGPRs", offsetof(struct ra_kernel, vgpr_spills) },
};

static enum ra_status read_property(struct reader *reader, struct ra_span key,
                                    struct ra_metadata_kernel *ret)
{
    if (is(key, "WavefrontSize"))
        return read_wave_size(reader, &ret->kernel);
    if (is(key, "IsDynamicCallStack"))
        return read_flag(reader, &ret->kernel.dynamic_stack);
    for (size_t i = 0; i < RA_COUNT(numbers); i++) {
        uint32_t value = 0;
        enum ra_status status;

        if (!is(key, numbers[i].key))
            continue;
        status = read_number(reader, &value);
        memcpy((char *)&ret->kernel + numbers[i].offset, &value, sizeof(value));
        return status;
    }
    return skip_value(reader);
}

static enum ra_status read_attribute(struct reader *reader, struct ra_span key,
                                     struct ra_metadata_kernel *ret)
{
    if (is(key, "ReqdWorkGroupSize"))
        return read_numbers(reader, 3, ret->kernel.required_workgroup);
    return skip_value(reader);
}

/* A second name would leave open which of the two is asked for. */
static enum ra_status read_name(struct reader *reader, struct ra_metadata_kernel *ret)
{
    enum ra_status status = expect(reader, RA_YAML_SCALAR);
    struct ra_span text = reader->event.text;

    if (status != RA_OK)
        return status;
    if (text.size == 0 || ret->name.size > 0)
        return RA_E_FORMAT;
    ret->name.size = text.size;
    if (!reader->sink)
        return RA_OK;
    ret->name.data = (const uint8_t *)ra_arena_text(reader->arena, text.data, text.size);
    ret->symbol = ret->name;
    return ret->name.data ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_part(struct reader *reader, struct ra_span key,
                                struct ra_metadata_kernel *ret)
{
    read_key *read = is(key, "CodeProps") ? read_property
                     : is(key, "Attrs")   ? read_attribute
                                          : NULL;
    enum ra_status status;

    if (is(key, "Name"))
        return read_name(reader, ret);
    if (!read)
        return skip_value(reader);
    status = expect(reader, RA_YAML_MAP);
    return status == RA_OK ? read_map(reader, read, ret) : status;
}

static enum ra_status read_kernel(struct reader *reader)
{
    struct ra_metadata_kernel kernel = { 0 };
    enum ra_status status = read_map(reader, read_part, &kernel);

    if (status == RA_OK && kernel.name.size == 0)
        status = RA_E_FORMAT;
    if (status != RA_OK)
        return status;
    reader->ret->kernel_count++;
    return !reader->sink || reader->sink(reader->arg, &kernel) ? RA_OK : RA_E_NOMEM;
}

static enum ra_status read_kernels(struct reader *reader)
{
    enum ra_status status = expect(reader, RA_YAML_LIST);

    while (status == RA_OK) {
        status = advance(reader);
        if (status != RA_OK || reader->event.kind == RA_YAML_END)
            return status;
        status = reader->event.kind == RA_YAML_MAP ? read_kernel(reader) : RA_E_FORMAT;
    }
    return status;
}

/* ---- the text ---------------------------------------------------------------- */

static enum ra_status read_version(struct reader *reader)
{
    uint32_t version[2] = { 0 };
    enum ra_status status = read_numbers(reader, 2, version);

    reader->ret->major = version[0];
    reader->ret->minor = version[1];
    reader->ret->has_version = status == RA_OK;
    return status;
}

static enum ra_status read_document(struct reader *reader)
{
    enum ra_status status = expect(reader, RA_YAML_MAP);
    bool has_kernels = false;

    while (status == RA_OK) {
        status = advance(reader);
        if (status != RA_OK || reader->event.kind == RA_YAML_END)
            break;
        if (reader->event.kind != RA_YAML_SCALAR)
            return RA_E_FORMAT;
        if (is(reader->event.text, "Version")) {
            status = read_version(reader);
        } else if (!is(reader->event.text, "Kernels")) {
            status = skip_value(reader);
        } else {
            status = has_kernels ? RA_E_FORMAT : read_kernels(reader);
            has_kernels = true;
        }
    }
    return status == RA_OK ? expect(reader, RA_YAML_DONE) : status;
}

enum ra_status ra_metadata_v2_read(struct ra_span note, ra_metadata_sink *sink, void *arg,
                                   struct ra_arena *arena, struct ra_metadata *ret,
                                   size_t *bad)
{
    struct reader reader = { .sink = sink, .arg = arg, .arena = arena, .ret = ret };
    enum ra_status status = ra_yaml_open(note, &reader.yaml);

    *ret = (struct ra_metadata){ 0 };
    *bad = 0;
    if (status != RA_OK)
        return status;
    status = read_document(&reader);
    *bad = ra_yaml_where(reader.yaml);
    ra_yaml_close(reader.yaml);
    return status;
}
