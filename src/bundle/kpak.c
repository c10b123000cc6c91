#include "bundle/kpak.h"

#include "codec/decoder.h"
#include "codec/msgpack.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAGIC       "KPAK"
#define VERSION     1
#define HEADER_SIZE 16  /* magic, version, offset of the table; padded to 64 as a rule */
#define FRAME_HEAD  18  /* RFC 8878 3.1.1.1: at most, magic included */
#define SHOWN       160 /* bytes of a name that a fault quotes */

/* A code object by its ordinal. */
struct object {
    uint64_t offset, size;
    uint64_t content;   /* that it expands to */
    bool has_content;   /* else that is not known */
    bool told;          /* what is wrong with it was told already */
    const char *wrong;  /* NULL: nothing */
    size_t first_entry; /* that stands for it, and one; 0: none does */
};

struct job {
    struct ra_source source;
    struct ra_source table; /* from its start to the end of the source */
    uint8_t *bytes;         /* of it */
    struct ra_msgpack *record;
    struct ra_value root;
    struct object *objects;
    size_t object_count;
    struct ra_arena *arena;
    struct ra_diags *diags;
    struct ra_kpak *ret;
};

bool ra_kpak_probe(struct ra_span head)
{
    return head.size >= RA_KPAK_HEAD && memcmp(head.data, MAGIC, RA_KPAK_HEAD) == 0;
}

static int shown(struct ra_span text)
{
    return (int)(text.size < SHOWN ? text.size : SHOWN);
}

/* A fault of the table as a whole. */
static enum ra_status bad(const struct job *job, const char *why)
{
    return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD,
                    ra_source_place(&job->table, 0), "%s", why);
}

/* ---- header and table ------------------------------------------------------- */

static enum ra_status read_header(struct job *job)
{
    uint8_t bytes[HEADER_SIZE];
    struct ra_place place = ra_source_place(&job->source, 0);
    struct ra_span head;
    struct ra_cursor cur;
    uint32_t version;
    uint64_t table;
    enum ra_status status =
        ra_source_peek(&job->source, 0, sizeof(bytes), job->diags, bytes, &head);

    if (status != RA_OK)
        return status;
    cur = ra_cursor_over(head);
    if (!ra_cursor_match(&cur, MAGIC, RA_KPAK_HEAD))
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD, place,
                        "another magic stands there");
    version = ra_cursor_u32le(&cur);
    table = ra_cursor_u64le(&cur);
    if (!ra_cursor_ok(&cur))
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD, place,
                        "%zu bytes hold no header", head.size);
    if (version != VERSION)
        return ra_fault(job->diags, RA_E_UNSUPPORTED, RA_DIAG_KPACK_UNKNOWN, place,
                        "version %" PRIu32, version);
    if (table < HEADER_SIZE || table >= job->source.size)
        return ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD, place,
                        "its table is at %" PRIu64 " of %" PRIu64 " bytes", table,
                        job->source.size);
    job->table = ra_source_from(&job->source, table);
    return RA_OK;
}

/* Bytes behind the map are no damage to the runtime. */
static enum ra_status read_table(struct job *job)
{
    struct ra_span bytes;
    enum ra_status status;

    if (job->table.size > RA_KPAK_MAX_TABLE)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->table, 0),
                        "a .kpack table of %" PRIu64 " bytes", job->table.size);
    job->bytes = malloc((size_t)job->table.size);
    if (!job->bytes)
        return RA_E_NOMEM;
    bytes = (struct ra_span){ job->bytes, (size_t)job->table.size, job->table.base };
    status = ra_source_read(&job->table, 0, bytes.size, job->diags, job->bytes);
    if (status == RA_OK)
        status = ra_msgpack_open(&job->table, bytes, false, job->diags, &job->record);
    if (status != RA_OK)
        return status;
    job->root = ra_msgpack_root(job->record);
    return job->root.kind == RA_VALUE_MAP ? RA_OK : bad(job, "it is no map");
}

static enum ra_status keep(struct job *job, struct ra_span text, struct ra_span *ret)
{
    char *copy = ra_arena_text(job->arena, text.data, text.size);

    *ret = (struct ra_span){ (uint8_t *)copy, text.size, text.base };
    return copy ? RA_OK : RA_E_NOMEM;
}

static enum ra_status keep_text(struct job *job, const char *key, struct ra_span *ret)
{
    struct ra_value value = ra_value_find(&job->root, key);

    return keep(job, value.text, ret);
}

/* What is no text is passed over, as the runtime does. */
static enum ra_status read_arches(struct job *job)
{
    struct ra_value list = ra_value_find(&job->root, "gfx_arches");
    enum ra_status status = RA_OK;

    if (list.kind != RA_VALUE_ARRAY)
        return bad(job, "gfx_arches is no array");
    if (list.count > RA_KPAK_MAX_ARCHES)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->table, 0), "%zu targets of an archive",
                        list.count);
    job->ret->arches = ra_new(job->arena, struct ra_span, list.count + 1);
    if (!job->ret->arches)
        return RA_E_NOMEM;
    for (size_t i = 0; status == RA_OK && i < list.count; i++) {
        struct ra_value arch = ra_value_at(&list, i);

        if (arch.kind == RA_VALUE_STR)
            status = keep(job, arch.text, &job->ret->arches[job->ret->arch_count++]);
    }
    return status;
}

static enum ra_status read_head_keys(struct job *job)
{
    struct ra_value version = ra_value_find(&job->root, "format_version");
    struct ra_value scheme = ra_value_find(&job->root, "compression_scheme");
    struct ra_place place = ra_source_place(&job->table, 0);
    enum ra_status status;

    if (version.kind != RA_VALUE_ABSENT && version.number != VERSION)
        return ra_fault(job->diags, RA_E_UNSUPPORTED, RA_DIAG_KPACK_UNKNOWN, place,
                        "format_version is not %d", VERSION);
    if (scheme.kind != RA_VALUE_STR)
        return bad(job, "compression_scheme is no text");
    job->ret->compressed = ra_value_is(&scheme, "zstd-per-kernel");
    if (!job->ret->compressed && !ra_value_is(&scheme, "none"))
        return ra_fault(job->diags, RA_E_UNSUPPORTED, RA_DIAG_KPACK_UNKNOWN, place,
                        "compression_scheme \"%.*s\"", shown(scheme.text),
                        (const char *)scheme.text.data);
    status = keep_text(job, "group_name", &job->ret->group);
    if (status == RA_OK)
        status = keep_text(job, "gfx_arch_family", &job->ret->family);
    return status == RA_OK ? read_arches(job) : status;
}

/* ---- code objects ----------------------------------------------------------- */

static enum ra_status make_objects(struct job *job, uint64_t count)
{
    if (count > RA_KPAK_MAX_OBJECTS)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->table, 0),
                        "%" PRIu64 " code objects of an archive", count);
    job->objects = calloc((size_t)count + 1, sizeof(*job->objects));
    job->object_count = (size_t)count;
    return job->objects ? RA_OK : RA_E_NOMEM;
}

/* Whether [offset, offset + size) lies between the header and the table. */
static bool is_inside(const struct job *job, uint64_t offset, uint64_t size)
{
    uint64_t end = job->source.size - job->table.size;

    return offset >= HEADER_SIZE && offset <= end && size <= end - offset;
}

static void read_blob(const struct job *job, const struct ra_value *blob,
                      struct object *ret)
{
    struct ra_value offset = ra_value_find(blob, "offset");
    struct ra_value size = ra_value_find(blob, "size");

    if (offset.kind != RA_VALUE_UINT || size.kind != RA_VALUE_UINT)
        ret->wrong = "its code object has no offset or no size";
    else if (!is_inside(job, offset.number, size.number))
        ret->wrong = "its code object lies outside of what the archive has for them";
    if (ret->wrong)
        return;
    ret->offset = offset.number;
    ret->size = ret->content = size.number;
    ret->has_content = true;
}

static int by_offset(const void *left, const void *right)
{
    const struct object *const *a = left, *const *b = right;

    return ((*a)->offset > (*b)->offset) - ((*a)->offset < (*b)->offset);
}

/* Those that share bytes are wrong, or a small file could stand for endless work. */
static enum ra_status check_overlap(struct job *job)
{
    struct object **sorted = reallocarray(NULL, job->object_count + 1, sizeof(*sorted));
    struct object *last = NULL;
    uint64_t end = 0;

    if (!sorted)
        return RA_E_NOMEM;
    for (size_t i = 0; i < job->object_count; i++)
        sorted[i] = &job->objects[i];
    qsort(sorted, job->object_count, sizeof(sorted[0]), by_offset);
    for (size_t i = 0; i < job->object_count; i++) {
        struct object *object = sorted[i];

        if (object->wrong || object->size == 0)
            continue;
        if (object->offset < end)
            object->wrong = last->wrong = "its code object shares bytes with another";
        if (object->offset + object->size > end) { /* read_blob() saw both inside */
            end = object->offset + object->size;
            last = object;
        }
    }
    free(sorted);
    return RA_OK;
}

static enum ra_status read_blobs(struct job *job)
{
    struct ra_value blobs = ra_value_find(&job->root, "blobs");
    enum ra_status status;

    if (blobs.kind != RA_VALUE_ARRAY)
        return bad(job, "blobs is no array");
    status = make_objects(job, blobs.count);
    if (status != RA_OK)
        return status;
    for (size_t i = 0; i < blobs.count; i++) {
        struct ra_value blob = ra_value_at(&blobs, i);

        read_blob(job, &blob, &job->objects[i]);
    }
    return check_overlap(job);
}

/* What follows the size of a frame that cannot be is not found. */
static enum ra_status lose_frames(struct job *job, const struct ra_source *area,
                                  size_t from, uint64_t at, const char *why)
{
    enum ra_status status;

    for (size_t i = from; i < job->object_count; i++) {
        job->objects[i].wrong = why;
        job->objects[i].told = true;
    }
    status =
        ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD, ra_source_place(area, at),
                 "code object %zu of %zu: %s", from, job->object_count, why);
    return ra_is_damage(status) ? RA_OK : status;
}

static enum ra_status walk_frames(struct job *job, const struct ra_source *area)
{
    uint64_t at = 4; /* behind the count */

    for (size_t i = 0; i < job->object_count; i++) {
        struct object *object = &job->objects[i];
        uint8_t bytes[4 + FRAME_HEAD];
        struct ra_frame frame;
        struct ra_span head;
        struct ra_cursor cur;
        enum ra_status status =
            ra_source_peek(area, at, sizeof(bytes), job->diags, bytes, &head);

        if (status != RA_OK)
            return status;
        cur = ra_cursor_over(head);
        object->size = ra_cursor_u32le(&cur);
        if (!ra_cursor_ok(&cur) || object->size > area->size - at - 4)
            return lose_frames(job, area, i, at, "it goes on behind all of them");
        object->offset = area->base - job->source.base + at + 4;
        head = ra_cursor_take(&cur, object->size < head.size - 4 ? object->size
                                                                 : head.size - 4);
        frame = ra_zstd_frame(head);
        object->content = frame.content;
        object->has_content = frame.has_content;
        if (!frame.known)
            object->wrong = "its code object is no zstd frame";
        at += 4 + object->size;
    }
    return RA_OK;
}

static enum ra_status read_frames(struct job *job)
{
    struct ra_value offset = ra_value_find(&job->root, "zstd_offset");
    struct ra_value size = ra_value_find(&job->root, "zstd_size");
    uint8_t bytes[4];
    struct ra_cursor cur = ra_cursor_over((struct ra_span){ bytes, sizeof(bytes), 0 });
    struct ra_source area;
    enum ra_status status;
    uint64_t count;

    if (offset.kind != RA_VALUE_UINT || size.kind != RA_VALUE_UINT)
        return bad(job, "zstd_offset or zstd_size is no number");
    if (!is_inside(job, offset.number, size.number) || size.number < sizeof(bytes) ||
        !ra_source_sub(&job->source, offset.number, size.number, &area))
        return bad(job, "zstd_offset and zstd_size are outside of it");
    if (size.number > RA_KPAK_MAX_AREA)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_source_place(&area, 0),
                        "%" PRIu64 " bytes of zstd frames", size.number);
    status = ra_source_read(&area, 0, sizeof(bytes), job->diags, bytes);
    if (status != RA_OK)
        return status;
    count = ra_cursor_u32le(&cur);
    if (count > (size.number - sizeof(bytes)) / 4)
        return ra_fault(
            job->diags, RA_E_FORMAT, RA_DIAG_KPACK_BAD, ra_source_place(&area, 0),
            "%" PRIu64 " code objects in %" PRIu64 " bytes", count, size.number);
    status = make_objects(job, count);
    return status == RA_OK ? walk_frames(job, &area) : status;
}

/* ---- entries ---------------------------------------------------------------- */

/* NULL if all is well with an entry; else in what way not. Fills it from its object. */
static const char *fill_entry(struct job *job, const struct ra_value *item,
                              struct ra_kpak_entry *entry, bool *told)
{
    struct ra_value ordinal = ra_value_find(item, "ordinal");
    struct ra_value size = ra_value_find(item, "original_size");
    struct ra_value type = ra_value_find(item, "type");
    const struct object *object;

    entry->is_code = type.kind == RA_VALUE_ABSENT || ra_value_is(&type, "hsaco");
    if (ordinal.kind != RA_VALUE_UINT || size.kind != RA_VALUE_UINT)
        return "it has no ordinal or no original_size";
    entry->original_size = size.number;
    if (ordinal.number >= job->object_count)
        return "its ordinal is that of no code object";
    entry->ordinal = (uint32_t)ordinal.number;
    object = &job->objects[entry->ordinal];
    *told = object->told;
    if (object->wrong)
        return object->wrong;
    entry->offset = object->offset;
    entry->size = object->size;
    if (object->has_content && object->content != size.number)
        return "its original_size is not that of its code object";
    return NULL;
}

static bool is_listed(const struct ra_kpak *kpak, struct ra_span arch)
{
    for (size_t i = 0; i < kpak->arch_count; i++) {
        struct ra_span listed = kpak->arches[i];

        if (listed.size == arch.size && memcmp(listed.data, arch.data, arch.size) == 0)
            return true;
    }
    return false;
}

static enum ra_status read_entry(struct job *job, struct ra_span binary,
                                 const struct ra_value *arch, const struct ra_value *item)
{
    struct ra_kpak_entry *entry = &job->ret->entries[job->ret->count++];
    const char *wrong;
    bool told = false;
    enum ra_status status = keep(job, arch->text, &entry->arch);

    if (status != RA_OK)
        return status;
    entry->binary = binary;
    entry->listed = is_listed(job->ret, entry->arch);
    wrong = fill_entry(job, item, entry, &told);
    if (!wrong)
        return RA_OK;
    entry->damaged = true;
    job->ret->complete = false;
    if (told)
        return RA_OK;
    status = ra_fault(job->diags, RA_E_FORMAT, RA_DIAG_KPACK_ENTRY_BAD,
                      ra_source_place(&job->table, arch->text.base - job->table.base),
                      "%.*s for %.*s: %s", shown(binary), (const char *)binary.data,
                      shown(entry->arch), (const char *)entry->arch.data, wrong);
    return ra_is_damage(status) ? RA_OK : status;
}

/* Keys that are no text, and binaries that are no map, are nothing to the runtime. */
static enum ra_status read_binary(struct job *job, const struct ra_value *key,
                                  const struct ra_value *arches)
{
    struct ra_span binary;
    enum ra_status status = keep(job, key->text, &binary);

    for (size_t i = 0; status == RA_OK && i < arches->count; i++) {
        struct ra_value arch = ra_value_key(arches, i), item = ra_value_item(arches, i);

        if (arch.kind == RA_VALUE_STR)
            status = read_entry(job, binary, &arch, &item);
    }
    return status;
}

static enum ra_status make_entries(struct job *job, const struct ra_value *toc)
{
    uint64_t count = 0;

    for (size_t i = 0; i < toc->count; i++) {
        struct ra_value arches = ra_value_item(toc, i);

        if (arches.kind == RA_VALUE_MAP)
            count += arches.count; /* of all of them, less than the record has bytes */
    }
    if (count > RA_KPAK_MAX_OBJECTS)
        return ra_fault(job->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&job->table, 0),
                        "%" PRIu64 " entries of an archive", count);
    job->ret->entries = ra_new(job->arena, struct ra_kpak_entry, (size_t)count + 1);
    return job->ret->entries ? RA_OK : RA_E_NOMEM;
}

/* The place of its key says where in the table an entry is: no binary is there twice. */
static int by_binary(const void *left, const void *right)
{
    const struct ra_kpak_entry *a = left, *b = right;
    size_t size = a->binary.size < b->binary.size ? a->binary.size : b->binary.size;
    int order = memcmp(a->binary.data, b->binary.data, size);

    if (order != 0)
        return order;
    if (a->binary.size != b->binary.size)
        return a->binary.size < b->binary.size ? -1 : 1;
    return (a->arch.base > b->arch.base) - (a->arch.base < b->arch.base);
}

static void find_firsts(struct job *job)
{
    struct ra_kpak *ret = job->ret;

    for (size_t i = 0; i < ret->count; i++) {
        struct ra_kpak_entry *entry = &ret->entries[i];
        struct object *object = &job->objects[entry->ordinal];

        entry->first = i;
        if (entry->damaged)
            continue;
        if (object->first_entry == 0)
            object->first_entry = i + 1;
        entry->first = object->first_entry - 1;
    }
}

static enum ra_status read_entries(struct job *job)
{
    struct ra_value toc = ra_value_find(&job->root, "toc");
    enum ra_status status;

    if (toc.kind != RA_VALUE_MAP)
        return bad(job, "toc is no map");
    status = make_entries(job, &toc);
    for (size_t i = 0; status == RA_OK && i < toc.count; i++) {
        struct ra_value key = ra_value_key(&toc, i), arches = ra_value_item(&toc, i);

        if (key.kind == RA_VALUE_STR && arches.kind == RA_VALUE_MAP) {
            status = read_binary(job, &key, &arches);
        } else {
            /* It may have been code for somebody. */
            job->ret->complete = false;
            status = ra_fault(job->diags, RA_OK, RA_DIAG_KPACK_ENTRY_BAD,
                              ra_source_place(&job->table, 0),
                              "pair %zu of toc is no text and map", i);
        }
    }
    if (status != RA_OK)
        return status;
    qsort(job->ret->entries, job->ret->count, sizeof(job->ret->entries[0]), by_binary);
    find_firsts(job);
    return RA_OK;
}

enum ra_status ra_kpak_read(const struct ra_source *source, struct ra_arena *arena,
                            struct ra_diags *diags, struct ra_kpak *ret)
{
    struct job job = { .source = *source, .arena = arena, .diags = diags, .ret = ret };
    enum ra_status status = read_header(&job);

    *ret = (struct ra_kpak){ .complete = true };
    if (status == RA_OK)
        status = read_table(&job);
    if (status == RA_OK)
        status = read_head_keys(&job);
    if (status == RA_OK)
        status = ret->compressed ? read_frames(&job) : read_blobs(&job);
    if (status == RA_OK)
        status = read_entries(&job);
    ra_msgpack_close(job.record);
    free(job.objects);
    free(job.bytes);
    return status;
}
