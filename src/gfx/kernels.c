#include "gfx/kernels.h"

#include "base/array.h"
#include "gfx/descriptor.h"

#include <inttypes.h>
#include <stdlib.h>

#define SYMBOL_SIZE   24
#define SYMBOL_LIMIT  ((uint64_t)1 << 21)
#define STRINGS_LIMIT ((uint64_t)256 << 20)
#define PROBE_LIMIT   ((size_t)256) /* names chosen to collide must not cost us hours */
#define SUFFIX        ".kd"
#define SUFFIX_SIZE   (sizeof(SUFFIX) - 1)

enum { DT_HASH = 4, DT_STRTAB = 5, DT_SYMTAB = 6, DT_STRSZ = 10 };
enum { STT_OBJECT = 1, STT_FUNC = 2 };

/* What PT_DYNAMIC says: addresses, then where those are in the file. */
struct tables {
    uint64_t hash, strings, symbols, strings_size;
    uint64_t symbol_count;
};

/* From names to kernels; open addressing, index + 1 in each slot. */
struct index {
    uint32_t *slots;
    size_t count;
};

struct resolver {
    struct ra_kernels *kernels;
    const struct ra_image *image;
    struct ra_diags *diags;
    struct ra_span symbols, strings;
    struct index index;
};

uint8_t *ra_buffer_reserve(struct ra_buffer *buffer, uint64_t size)
{
    if (size <= buffer->room && buffer->data)
        return buffer->data;
    free(buffer->data);
    buffer->room = 0;
    buffer->data = size < SIZE_MAX / 2 ? malloc((size_t)size + 1) : NULL;
    if (buffer->data)
        buffer->room = (size_t)size + 1;
    return buffer->data;
}

bool ra_kernels_add(struct ra_kernels *kernels, const struct ra_metadata_kernel *kernel,
                    uint32_t name)
{
    if (kernels->count == kernels->room) {
        struct ra_kernel_place *list =
            ra_array_grow(kernels->list, &kernels->room, sizeof(*list));

        if (!list)
            return false;
        kernels->list = list;
    }
    kernels->list[kernels->count] = (struct ra_kernel_place){
        .kernel = kernel->kernel,
        .symbol = kernel->symbol,
        .has_wgp_mode = kernel->has_wgp_mode,
    };
    kernels->list[kernels->count++].kernel.name = name;
    return true;
}

static enum ra_status bad(struct resolver *resolver, const char *what, uint64_t number)
{
    return ra_fault(resolver->diags, RA_E_FORMAT, RA_DIAG_CODE_BAD,
                    ra_source_place(&resolver->image->source, 0), "%s (%" PRIu64 ")",
                    what, number);
}

/* ---- tables ----------------------------------------------------------------- */

static enum ra_status read_dynamic(struct resolver *resolver, struct tables *ret)
{
    const struct ra_segment *segment = ra_image_segment(resolver->image, RA_PT_DYNAMIC);
    uint8_t bytes[4096];
    struct ra_span span;
    struct ra_cursor cur;
    enum ra_status status;

    if (!segment)
        return bad(resolver, "it has kernels and no dynamic segment",
                   resolver->kernels->count);
    status = ra_source_peek(&resolver->image->source, segment->offset,
                            segment->size < sizeof(bytes) ? (size_t)segment->size
                                                          : sizeof(bytes),
                            resolver->diags, bytes, &span);
    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(span);
    for (uint64_t tag = 1; tag != 0 && ra_cursor_ok(&cur);) {
        uint64_t value;

        tag = ra_cursor_u64le(&cur);
        value = ra_cursor_u64le(&cur);
        if (tag == DT_HASH)
            ret->hash = value;
        else if (tag == DT_STRTAB)
            ret->strings = value;
        else if (tag == DT_SYMTAB)
            ret->symbols = value;
        else if (tag == DT_STRSZ)
            ret->strings_size = value;
    }
    if (!ret->hash || !ret->strings || !ret->symbols)
        return bad(resolver, "its dynamic segment names no symbols", segment->offset);
    return RA_OK;
}

/* The number of symbols is that of the chains of the hash table: gABI, "Hash Table". */
static enum ra_status count_symbols(struct resolver *resolver, struct tables *tables)
{
    uint8_t bytes[8];
    struct ra_cursor cur = ra_cursor_over((struct ra_span){ bytes, sizeof(bytes), 0 });
    uint64_t offset;
    enum ra_status status;

    if (!ra_image_offset(resolver->image, tables->hash, sizeof(bytes), &offset))
        return bad(resolver, "no segment holds its hash table", tables->hash);
    status = ra_source_read(&resolver->image->source, offset, sizeof(bytes),
                            resolver->diags, bytes);
    if (status != RA_OK)
        return status;
    ra_cursor_skip(&cur, 4);
    tables->symbol_count = ra_cursor_u32le(&cur);
    if (tables->symbol_count > SYMBOL_LIMIT || tables->strings_size > STRINGS_LIMIT)
        return ra_fault(resolver->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&resolver->image->source, offset),
                        "%" PRIu64 " symbols, %" PRIu64 " bytes of names",
                        tables->symbol_count, tables->strings_size);
    return RA_OK;
}

static enum ra_status load(struct resolver *resolver, struct ra_buffer *buffer,
                           uint64_t address, uint64_t size, struct ra_span *ret)
{
    uint64_t offset;

    if (!ra_image_offset(resolver->image, address, size, &offset))
        return bad(resolver, "no segment holds its symbols", address);
    *ret = (struct ra_span){
        .data = ra_buffer_reserve(buffer, size),
        .size = (size_t)size,
        .base = offset,
    };
    if (!ret->data)
        return RA_E_NOMEM;
    return ra_source_read(&resolver->image->source, offset, ret->size, resolver->diags,
                          buffer->data);
}

static enum ra_status load_tables(struct resolver *resolver,
                                  struct ra_codeobj_buffers *buffers)
{
    struct tables tables = { 0 };
    enum ra_status status = read_dynamic(resolver, &tables);

    if (status == RA_OK)
        status = count_symbols(resolver, &tables);
    if (status == RA_OK)
        status = load(resolver, &buffers->symbols, tables.symbols,
                      tables.symbol_count * SYMBOL_SIZE, &resolver->symbols);
    if (status == RA_OK)
        status = load(resolver, &buffers->strings, tables.strings, tables.strings_size,
                      &resolver->strings);
    return status;
}

/* ---- names ------------------------------------------------------------------ */

static struct ra_span stem(struct ra_span symbol)
{
    if (symbol.size >= SUFFIX_SIZE &&
        memcmp(symbol.data + symbol.size - SUFFIX_SIZE, SUFFIX, SUFFIX_SIZE) == 0)
        symbol.size -= SUFFIX_SIZE;
    return symbol;
}

static struct ra_kernel_place *place_in(const struct resolver *resolver, size_t slot)
{
    return &resolver->kernels->list[resolver->index.slots[slot] - 1];
}

/*
 * The slot of `name`, or the free one where it would be; false if there is neither
 * within reach. A name is never put out of reach, so it need not be looked for there.
 */
static bool reach(const struct resolver *resolver, struct ra_span name, size_t *ret)
{
    const struct index *index = &resolver->index;
    size_t at = (size_t)ra_hash(name) & (index->count - 1);

    for (size_t probes = 0; probes < PROBE_LIMIT; probes++) {
        struct ra_span other;

        *ret = (at + probes) & (index->count - 1);
        if (!index->slots[*ret])
            return true;
        other = stem(place_in(resolver, *ret)->symbol);
        if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0)
            return true;
    }
    return false;
}

/* A template's kernel is named by each translation unit: the first stands for all. */
static enum ra_status make_index(struct resolver *resolver)
{
    struct ra_kernels *kernels = resolver->kernels;
    struct index *index = &resolver->index;

    for (index->count = 64; index->count < kernels->count * 2;)
        index->count *= 2;
    index->slots = calloc(index->count, sizeof(index->slots[0]));
    if (!index->slots)
        return RA_E_NOMEM;
    for (size_t i = 0; i < kernels->count; i++) {
        size_t slot;

        if (!reach(resolver, stem(kernels->list[i].symbol), &slot))
            return ra_fault(resolver->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                            ra_source_place(&resolver->image->source, 0),
                            "more than %zu kernels whose names collide", PROBE_LIMIT);
        if (!index->slots[slot])
            index->slots[slot] = (uint32_t)i + 1;
        kernels->list[i].first = index->slots[slot] - 1;
    }
    return RA_OK;
}

static struct ra_kernel_place *find(const struct resolver *resolver, struct ra_span name)
{
    size_t slot;

    if (!reach(resolver, name, &slot) || !resolver->index.slots[slot])
        return NULL;
    return place_in(resolver, slot);
}

static struct ra_span name_at(struct ra_span strings, uint32_t offset)
{
    const uint8_t *end;

    if (offset >= strings.size)
        return (struct ra_span){ 0 };
    strings.data += offset;
    strings.size -= offset;
    end = memchr(strings.data, 0, strings.size);
    strings.size = end ? (size_t)(end - strings.data) : 0;
    return strings;
}

/* One symbol: gABI, Elf64_Sym. Those of no kernel are device variables and helpers. */
static void place_symbol(struct resolver *resolver, struct ra_cursor *cur)
{
    struct ra_span name = name_at(resolver->strings, ra_cursor_u32le(cur));
    unsigned type = ra_cursor_u8(cur) & 0xf;
    struct ra_kernel_place *place;
    uint64_t address, size;

    ra_cursor_skip(cur, 1 + 2); /* visibility, section */
    address = ra_cursor_u64le(cur);
    size = ra_cursor_u64le(cur);
    if ((type != STT_OBJECT && type != STT_FUNC) || name.size == 0)
        return;
    if (type == STT_OBJECT && stem(name).size == name.size)
        return;
    place = find(resolver, type == STT_OBJECT ? stem(name) : name);
    if (place && type == STT_OBJECT) {
        place->descriptor = address;
    } else if (place) {
        place->kernel.code_size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
        place->function = size == 0 ? address : 0;
    }
}

/* ---- descriptors ------------------------------------------------------------ */

static int by_address(const void *left, const void *right)
{
    const struct ra_kernel_place *const *a = left, *const *b = right;

    return ((*a)->descriptor > (*b)->descriptor) - ((*a)->descriptor < (*b)->descriptor);
}

static enum ra_status check_stub(struct resolver *resolver, struct ra_kernel_place *place,
                                 uint64_t address, const char *processor)
{
    uint8_t bytes[RA_STUB_SIZE];
    struct ra_kernel *kernel = &place->kernel;
    struct ra_span code = { .data = bytes, .size = kernel->code_size };
    uint64_t offset;
    enum ra_status status;

    kernel->is_stub = place->is_hollow;
    if (kernel->code_size == 0 || kernel->code_size > sizeof(bytes))
        return RA_OK;
    if (!ra_image_offset(resolver->image, address, code.size, &offset))
        return bad(resolver, "no segment holds the code of a kernel", address);
    status = ra_source_read(&resolver->image->source, offset, code.size, resolver->diags,
                            bytes);
    if (status == RA_OK)
        kernel->is_stub = ra_code_is_stub(code, kernel->code_size, processor);
    return status;
}

static void apply(struct ra_kernel_place *place, const struct ra_descriptor *descriptor,
                  struct ra_code *code)
{
    const char *processor = code->target.processor;
    struct ra_kernel *kernel = &place->kernel;

    kernel->has_descriptor = true;
    kernel->tg_split = ra_descriptor_tg_split(descriptor, processor);
    if (ra_descriptor_dynamic_stack(descriptor))
        kernel->dynamic_stack = true; /* which V4 metadata cannot say */
    if (!place->has_wgp_mode)
        kernel->wgp_mode = ra_descriptor_wgp_mode(descriptor, processor);
    if (*processor == '\0')
        return; /* newer than this build: what is odd there is not known */
    if (ra_descriptor_is_odd(descriptor, processor) ||
        ra_descriptor_wave_size(descriptor) != kernel->wave_size)
        code->odd_descriptor = true;
}

/* A window over the descriptors, which stand close together once sorted. */
struct window {
    uint64_t start;
    size_t size;
    uint8_t bytes[64 * RA_DESCRIPTOR_SIZE];
};

static enum ra_status read_descriptor(struct resolver *resolver, struct window *window,
                                      struct ra_kernel_place *place, struct ra_code *code)
{
    struct ra_descriptor descriptor;
    struct ra_span span;
    uint64_t offset;
    enum ra_status status = RA_OK;

    if (place->descriptor == 0 ||
        !ra_image_offset(resolver->image, place->descriptor, RA_DESCRIPTOR_SIZE, &offset))
        return ra_fault(resolver->diags, RA_E_FORMAT, RA_DIAG_DESCRIPTOR_LOST,
                        ra_source_place(&resolver->image->source, 0),
                        "kernel %u of %zu: no segment holds address 0x%" PRIx64,
                        place->kernel.name, resolver->kernels->count, place->descriptor);
    if (offset < window->start || window->size < RA_DESCRIPTOR_SIZE ||
        offset - window->start > window->size - RA_DESCRIPTOR_SIZE) {
        status = ra_source_peek(&resolver->image->source, offset, sizeof(window->bytes),
                                resolver->diags, window->bytes, &span);
        window->start = offset;
        window->size = span.size;
    }
    if (status != RA_OK)
        return status;
    span.data = window->bytes + (offset - window->start);
    span.size = RA_DESCRIPTOR_SIZE;
    descriptor = ra_descriptor_read(span);
    apply(place, &descriptor, code);
    return check_stub(resolver, place, place->descriptor + (uint64_t)descriptor.entry,
                      code->target.processor);
}

static enum ra_status read_descriptors(struct resolver *resolver, struct ra_code *code)
{
    struct ra_kernels *kernels = resolver->kernels;
    struct ra_kernel_place **sorted = reallocarray(NULL, kernels->count, sizeof(*sorted));
    struct window window = { 0 };
    enum ra_status status = sorted ? RA_OK : RA_E_NOMEM;

    for (size_t i = 0; sorted && i < kernels->count; i++)
        sorted[i] = &kernels->list[i];
    if (sorted)
        qsort(sorted, kernels->count, sizeof(sorted[0]), by_address);
    for (size_t i = 0; status == RA_OK && i < kernels->count; i++)
        status = read_descriptor(resolver, &window, sorted[i], code);
    free(sorted);
    return status;
}

/* ---- kernels without a body ------------------------------------------------- */

static int by_function(const void *left, const void *right)
{
    const struct ra_kernel_place *const *a = left, *const *b = right;

    return ((*a)->function > (*b)->function) - ((*a)->function < (*b)->function);
}

/* The kernels among `sorted` at an address where a function with a body starts. */
static void mark_at(struct ra_kernel_place *const *sorted, size_t count, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sorted[middle]->function < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && sorted[low]->function == address; low++)
        sorted[low]->is_hollow = true;
}

/* Mark those at whose address a function has a size. */
static void mark_all(const struct resolver *resolver,
                     struct ra_kernel_place *const *sorted, size_t count)
{
    struct ra_cursor cur = ra_cursor_over(resolver->symbols);

    while (cur.pos < resolver->symbols.size) {
        unsigned type;
        uint64_t address;

        ra_cursor_skip(&cur, 4);
        type = ra_cursor_u8(&cur) & 0xf;
        ra_cursor_skip(&cur, 1 + 2);
        address = ra_cursor_u64le(&cur);
        if (ra_cursor_u64le(&cur) > 0 && type == STT_FUNC)
            mark_at(sorted, count, address);
    }
}

/* Where the code ends, not even another function follows. */
static bool is_in_code(const struct ra_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct ra_segment *segment = &image->segments[i];

        if (segment->type == RA_PT_LOAD && segment->is_code &&
            address >= segment->address && address - segment->address < segment->size)
            return true;
    }
    return false;
}

/*
 * A kernel that the compiler found to have no way to its end is left without one
 * instruction: to launch it is to run what the linker put there next. Hand-written
 * kernels have no size either, and stand alone at their address.
 */
static enum ra_status find_hollow(const struct resolver *resolver)
{
    struct ra_kernels *kernels = resolver->kernels;
    struct ra_kernel_place **sorted = reallocarray(NULL, kernels->count, sizeof(*sorted));
    size_t count = 0;

    if (!sorted)
        return RA_E_NOMEM;
    for (size_t i = 0; i < kernels->count; i++) {
        struct ra_kernel_place *place = &kernels->list[i];

        if (place->function)
            sorted[count++] = place;
        if (place->function && !is_in_code(resolver->image, place->function))
            place->is_hollow = true;
    }
    if (count > 0) {
        qsort(sorted, count, sizeof(sorted[0]), by_function);
        mark_all(resolver, sorted, count);
    }
    free(sorted);
    return RA_OK;
}

/* Each symbol to its kernel, and what the first of a name was given to all of it. */
static void place_symbols(struct resolver *resolver)
{
    struct ra_kernels *kernels = resolver->kernels;
    struct ra_cursor cur = ra_cursor_over(resolver->symbols);

    while (cur.pos < resolver->symbols.size)
        place_symbol(resolver, &cur);
    for (size_t i = 0; i < kernels->count; i++) {
        struct ra_kernel_place *place = &kernels->list[i];
        const struct ra_kernel_place *first = &kernels->list[place->first];

        place->descriptor = first->descriptor;
        place->kernel.code_size = first->kernel.code_size;
        place->function = first->function;
    }
}

enum ra_status ra_kernels_resolve(struct ra_kernels *kernels,
                                  const struct ra_image *image,
                                  struct ra_codeobj_buffers *buffers,
                                  struct ra_diags *diags, struct ra_code *code)
{
    struct resolver resolver = { .kernels = kernels, .image = image, .diags = diags };
    enum ra_status status = RA_OK;

    if (kernels->count == 0)
        return RA_OK;
    status = load_tables(&resolver, buffers);
    if (status == RA_OK)
        status = make_index(&resolver);
    if (status == RA_OK)
        place_symbols(&resolver);
    if (status == RA_OK)
        status = find_hollow(&resolver);
    free(resolver.index.slots);
    return status == RA_OK ? read_descriptors(&resolver, code) : status;
}
