#include "oracle.h"

#include <msgpack.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What the sink was given. */
struct list {
    struct ra_metadata_kernel *kernels;
    size_t count, room;
};

static bool take(void *arg, const struct ra_metadata_kernel *kernel)
{
    struct list *list = arg;

    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        void *kernels = reallocarray(list->kernels, room, sizeof(*kernel));

        if (!kernels)
            return false;
        list->kernels = kernels;
        list->room = room;
    }
    list->kernels[list->count++] = *kernel;
    return true;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

RA_PRINTF(2, 3) static bool differs(struct oracle *oracle, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(oracle->why, sizeof(oracle->why), format, args);
    va_end(args);
    return false;
}

/* ---- values -------------------------------------------------------------------------
 */

static const msgpack_object *value_of(const msgpack_object *map, const char *key)
{
    const msgpack_object *found = NULL;

    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object *name = &map->via.map.ptr[i].key;

        if (name->type == MSGPACK_OBJECT_STR && name->via.str.size == strlen(key) &&
            memcmp(name->via.str.ptr, key, name->via.str.size) == 0)
            found = &map->via.map.ptr[i].val;
    }
    return found;
}

/* A flag may be written as a number, and the other way round; absent is 0. */
static bool is_number(const msgpack_object *value, uint64_t number)
{
    if (!value)
        return number == 0;
    if (value->type == MSGPACK_OBJECT_BOOLEAN)
        return value->via.boolean == number;
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER && value->via.u64 == number;
}

static bool is_flag(const msgpack_object *value, bool flag)
{
    if (!value)
        return !flag;
    if (value->type == MSGPACK_OBJECT_BOOLEAN)
        return value->via.boolean == flag;
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER &&
           (value->via.u64 != 0) == flag;
}

static bool is_text(const msgpack_object *value, struct ra_span text)
{
    if (!value)
        return text.size == 0;
    return value->type == MSGPACK_OBJECT_STR && value->via.str.size == text.size &&
           memcmp(value->via.str.ptr, text.data, text.size) == 0;
}

static bool is_triple(const msgpack_object *value, const uint32_t numbers[3])
{
    if (!value)
        return numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0;
    if (value->type != MSGPACK_OBJECT_ARRAY || value->via.array.size != 3)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (!is_number(&value->via.array.ptr[i], numbers[i]))
            return false;
    return true;
}

/* ---- kernels -------------------------------------------------------------------------
 */

static bool same_numbers(struct oracle *oracle, const msgpack_object *map,
                         const struct ra_kernel *kernel)
{
    const struct {
        const char *key;
        uint64_t value;
    } rows[] = {
        { ".agpr_count", kernel->agprs },
        { ".group_segment_fixed_size", kernel->lds },
        { ".kernarg_segment_size", kernel->kernarg },
        { ".max_flat_workgroup_size", kernel->max_workgroup },
        { ".private_segment_fixed_size", kernel->scratch },
        { ".sgpr_count", kernel->sgprs },
        { ".sgpr_spill_count", kernel->sgpr_spills },
        { ".vgpr_count", kernel->vgprs },
        { ".vgpr_spill_count", kernel->vgpr_spills },
        { ".wavefront_size", kernel->wave_size },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++)
        if (!is_number(value_of(map, rows[i].key), rows[i].value))
            return differs(oracle, "%s is not %llu", rows[i].key,
                           (unsigned long long)rows[i].value);
    return true;
}

static bool same_kernel(struct oracle *oracle, const msgpack_object *map,
                        const struct ra_metadata_kernel *kernel)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return differs(oracle, "a kernel is no map");
    if (!is_text(value_of(map, ".name"), kernel->name) ||
        !is_text(value_of(map, ".symbol"), kernel->symbol))
        return differs(oracle, "name or symbol");
    if (!is_triple(value_of(map, ".reqd_workgroup_size"),
                   kernel->kernel.required_workgroup))
        return differs(oracle, ".reqd_workgroup_size");
    if (kernel->has_wgp_mode != (value_of(map, ".workgroup_processor_mode") != NULL))
        return differs(oracle, "whether .workgroup_processor_mode is there");
    if (!is_flag(value_of(map, ".workgroup_processor_mode"), kernel->kernel.wgp_mode) ||
        !is_flag(value_of(map, ".uses_dynamic_stack"), kernel->kernel.dynamic_stack))
        return differs(oracle, "a flag");
    return same_numbers(oracle, map, &kernel->kernel);
}

static bool same_map(struct oracle *oracle, const msgpack_object *map,
                     const struct ra_metadata *metadata, const struct list *list)
{
    const msgpack_object *kernels, *version;

    if (map->type != MSGPACK_OBJECT_MAP)
        return differs(oracle, "no map");
    kernels = value_of(map, "amdhsa.kernels");
    version = value_of(map, "amdhsa.version");
    if (!kernels || kernels->type != MSGPACK_OBJECT_ARRAY)
        return differs(oracle, "the kernels are no array");
    if (kernels->via.array.size != list->count || metadata->kernel_count != list->count)
        return differs(oracle, "%u kernels", kernels->via.array.size);
    if (!is_text(value_of(map, "amdhsa.target"), metadata->target))
        return differs(oracle, "amdhsa.target");
    if (metadata->has_version != (version != NULL) ||
        (version &&
         (version->type != MSGPACK_OBJECT_ARRAY || version->via.array.size != 2 ||
          !is_number(&version->via.array.ptr[0], metadata->major) ||
          !is_number(&version->via.array.ptr[1], metadata->minor))))
        return differs(oracle, "amdhsa.version");
    for (size_t i = 0; i < list->count; i++)
        if (!same_kernel(oracle, &kernels->via.array.ptr[i], &list->kernels[i]))
            return false;
    return true;
}

/* ---- both readers
 * ---------------------------------------------------------------------- */

/* So that neither reader pays for the pages of a mapped file. */
static void touch(struct ra_span note)
{
    volatile uint8_t sum = 0;

    for (size_t i = 0; i < note.size; i += 64)
        sum = (uint8_t)(sum + note.data[i]);
}

/* With a sink and without one, which must not make a difference. */
static bool read_ours(struct oracle *oracle, struct ra_span note, struct list *list,
                      struct ra_metadata *ret)
{
    struct ra_metadata counted;
    size_t bad;
    double start = now(), middle;
    enum ra_status status = ra_metadata_read(note, take, list, ret, &bad), other;

    middle = now();
    other = ra_metadata_read(note, NULL, NULL, &counted, &bad);
    oracle->seconds += middle - start;
    oracle->seconds_counting += now() - middle;
    if (status != RA_OK || other != RA_OK)
        return differs(oracle, "refused at %zu of %zu bytes", bad, note.size);
    if (counted.kernel_count != ret->kernel_count)
        return differs(oracle, "another number of kernels if they are only counted");
    return true;
}

static bool read_theirs(struct oracle *oracle, struct ra_span note,
                        msgpack_unpacked *unpacked)
{
    size_t end = 0;
    double start = now();
    msgpack_unpack_return result =
        msgpack_unpack_next(unpacked, (const char *)note.data, note.size, &end);

    oracle->seconds_msgpack += now() - start;
    if (result != MSGPACK_UNPACK_SUCCESS || end != note.size)
        return differs(oracle, "msgpack-c refuses it at %zu of %zu", end, note.size);
    return true;
}

bool oracle_agrees(struct oracle *oracle, struct ra_span note)
{
    struct list list = { 0 };
    struct ra_metadata metadata;
    msgpack_unpacked unpacked;
    bool same;

    touch(note);
    msgpack_unpacked_init(&unpacked);
    same = read_ours(oracle, note, &list, &metadata) &&
           read_theirs(oracle, note, &unpacked) &&
           same_map(oracle, &unpacked.data, &metadata, &list);
    oracle->notes++;
    oracle->kernels += list.count;
    msgpack_unpacked_destroy(&unpacked);
    free(list.kernels);
    return same;
}
