#include "gfx/kernels.h"

#include "base/array.h"
#include "gfx/descriptor.h"
#include "gfx/kernel_code.h"
#include "gfx/symbols.h"

#include <inttypes.h>
#include <stdlib.h>

#define PROBE_LIMIT ((size_t)256) /* names chosen to collide must not cost us hours */
#define SUFFIX      ".kd"
#define SUFFIX_SIZE (sizeof(SUFFIX) - 1)

enum { VERSION_OLD = 2 }; /* kernels have an amd_kernel_code_t, and one symbol each */

/* From names to kernels; open addressing, index + 1 in each slot. */
struct index {
    uint32_t *slots;
    size_t count;
};

struct resolver {
    struct ra_kernels *kernels;
    const struct ra_image *image;
    struct ra_diags *diags;
    struct ra_code *code;
    struct ra_symbols symbols;
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

static bool is_old(const struct resolver *resolver)
{
    return resolver->code->version == VERSION_OLD;
}

static enum ra_status bad(struct resolver *resolver, const char *what, uint64_t number)
{
    return ra_fault(resolver->diags, RA_E_FORMAT, RA_DIAG_CODE_BAD,
                    ra_source_place(&resolver->image->source, 0), "%s (%" PRIu64 ")",
                    what, number);
}

/* ---- names ------------------------------------------------------------------ */

static struct ra_span stem(struct ra_span symbol)
{
    if (symbol.size >= SUFFIX_SIZE &&
        memcmp(symbol.data + symbol.size - SUFFIX_SIZE, SUFFIX, SUFFIX_SIZE) == 0)
        symbol.size -= SUFFIX_SIZE;
    return symbol;
}

/* What a kernel is found by: V2 has a symbol X where later versions have X and X.kd. */
static struct ra_span key_of(const struct resolver *resolver, struct ra_span symbol)
{
    return is_old(resolver) ? symbol : stem(symbol);
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
        other = key_of(resolver, place_in(resolver, *ret)->symbol);
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

        if (!reach(resolver, key_of(resolver, kernels->list[i].symbol), &slot))
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

static uint32_t clamped(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The size is that of what stands before the code as well, until that is read. */
static void place_old_symbol(struct resolver *resolver, const struct ra_symbol *symbol)
{
    struct ra_kernel_place *place = symbol->type == RA_STT_KERNEL && symbol->name.size > 0
                                        ? find(resolver, symbol->name)
                                        : NULL;

    if (!place)
        return;
    place->descriptor = symbol->address;
    place->kernel.code_size = clamped(symbol->size);
}

/* Those of no kernel are device variables and helpers. */
static void place_symbol(struct resolver *resolver, const struct ra_symbol *symbol)
{
    struct ra_kernel_place *place;
    bool is_object = symbol->type == RA_STT_OBJECT;

    if ((!is_object && symbol->type != RA_STT_FUNC) || symbol->name.size == 0)
        return;
    if (is_object && stem(symbol->name).size == symbol->name.size)
        return;
    place = find(resolver, is_object ? stem(symbol->name) : symbol->name);
    if (place && is_object) {
        place->descriptor = symbol->address;
    } else if (place) {
        place->kernel.code_size = clamped(symbol->size);
        place->function = symbol->size == 0 ? symbol->address : 0;
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

/* The code follows, so that the symbol's size is that of both. */
static enum ra_status apply_old(struct resolver *resolver, struct ra_kernel_place *place,
                                const struct ra_kernel_code *code)
{
    struct ra_kernel *kernel = &place->kernel;
    uint64_t entry = (uint64_t)code->entry; /* before them: far away */

    kernel->has_descriptor = true;
    kernel->dynamic_stack = kernel->dynamic_stack || code->dynamic_stack;
    if (ra_kernel_code_is_odd(code, &resolver->code->target, kernel->wave_size))
        resolver->code->odd_descriptor = true;
    if (kernel->wave_size == 0 && code->wave_size == 0)
        return bad(resolver, "a kernel has no wave size", place->descriptor);
    if (kernel->wave_size == 0) {
        kernel->wave_size = (uint8_t)code->wave_size;
        kernel->lds = code->lds;
        kernel->scratch = code->scratch;
        kernel->kernarg = clamped(code->kernarg);
        kernel->sgprs = code->sgprs;
        kernel->vgprs = code->vgprs;
    }
    place->is_hollow = kernel->code_size > 0 && entry == kernel->code_size;
    kernel->code_size =
        entry < kernel->code_size ? kernel->code_size - (uint32_t)entry : 0;
    return RA_OK;
}

/* A window over the descriptors, which stand close together once sorted. */
struct window {
    uint64_t start;
    size_t size;
    uint8_t bytes[64 * RA_DESCRIPTOR_SIZE];
};

/* `size` bytes that were found at `offset`, which is inside of the file. */
static enum ra_status slide(struct resolver *resolver, struct window *window,
                            uint64_t offset, size_t size, struct ra_span *ret)
{
    enum ra_status status = RA_OK;

    if (offset < window->start || window->size < size ||
        offset - window->start > window->size - size) {
        status = ra_source_peek(&resolver->image->source, offset, sizeof(window->bytes),
                                resolver->diags, window->bytes, ret);
        window->start = offset;
        window->size = ret->size;
    }
    *ret = (struct ra_span){ window->bytes + (offset - window->start), size, offset };
    return status;
}

static enum ra_status read_descriptor(struct resolver *resolver, struct window *window,
                                      struct ra_kernel_place *place)
{
    size_t size = is_old(resolver) ? RA_KERNEL_CODE_SIZE : RA_DESCRIPTOR_SIZE;
    struct ra_span span = { 0 };
    uint64_t offset;
    int64_t entry;
    enum ra_status status;

    if (place->descriptor == 0 ||
        !ra_image_offset(resolver->image, place->descriptor, size, &offset))
        return ra_fault(resolver->diags, RA_E_FORMAT, RA_DIAG_DESCRIPTOR_LOST,
                        ra_source_place(&resolver->image->source, 0),
                        "kernel %u of %zu: no segment holds address 0x%" PRIx64,
                        place->kernel.name, resolver->kernels->count, place->descriptor);
    status = slide(resolver, window, offset, size, &span);
    if (status != RA_OK)
        return status;
    if (is_old(resolver)) {
        struct ra_kernel_code code = ra_kernel_code_read(span);

        status = apply_old(resolver, place, &code);
        entry = code.entry;
    } else {
        struct ra_descriptor descriptor = ra_descriptor_read(span);

        apply(place, &descriptor, resolver->code);
        entry = descriptor.entry;
    }
    if (status != RA_OK)
        return status;
    return check_stub(resolver, place, place->descriptor + (uint64_t)entry,
                      resolver->code->target.processor);
}

static enum ra_status read_descriptors(struct resolver *resolver)
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
        status = read_descriptor(resolver, &window, sorted[i]);
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
    struct ra_cursor cur = ra_cursor_over(resolver->symbols.rows);
    struct ra_symbol symbol;

    while (ra_symbols_next(&resolver->symbols, &cur, &symbol))
        if (symbol.size > 0 && symbol.type == RA_STT_FUNC)
            mark_at(sorted, count, symbol.address);
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
    struct ra_cursor cur = ra_cursor_over(resolver->symbols.rows);
    struct ra_symbol symbol;

    while (ra_symbols_next(&resolver->symbols, &cur, &symbol))
        if (is_old(resolver))
            place_old_symbol(resolver, &symbol);
        else
            place_symbol(resolver, &symbol);
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
    struct resolver resolver = {
        .kernels = kernels, .image = image, .diags = diags, .code = code
    };
    enum ra_status status = RA_OK;

    if (kernels->count == 0)
        return RA_OK;
    status = ra_symbols_load(image, buffers, diags, &resolver.symbols);
    if (status == RA_OK)
        status = make_index(&resolver);
    if (status == RA_OK)
        place_symbols(&resolver);
    if (status == RA_OK)
        status = find_hollow(&resolver);
    free(resolver.index.slots);
    return status == RA_OK ? read_descriptors(&resolver) : status;
}
