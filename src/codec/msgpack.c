#include "codec/msgpack.h"

#include <inttypes.h>
#include <msgpack.h>
#include <stdlib.h>

#define FEW_KEYS 8 /* of which each is compared with each */

struct ra_msgpack {
    struct ra_span bytes;
    size_t size;
    msgpack_unpacked unpacked; /* owns the objects */
};

/* ---- the walk --------------------------------------------------------------- */

/* The formats by first byte: what follows it. */
struct form {
    uint8_t width;   /* bytes of a count */
    uint8_t after;   /* bytes that follow in any case */
    uint8_t nested;  /* values for each that is counted; 0: bytes are counted */
    bool is_invalid; /* no writer writes it */
};

/* 0xc0 to 0xdf. */
static const struct form long_forms[] = {
    { 0, 0, 0, false }, { 0, 0, 0, true },   { 0, 0, 0, false }, { 0, 0, 0, false },
    { 1, 0, 0, false }, { 2, 0, 0, false },  { 4, 0, 0, false }, /* bin */
    { 1, 1, 0, false }, { 2, 1, 0, false },  { 4, 1, 0, false }, /* ext, with a type */
    { 0, 4, 0, false }, { 0, 8, 0, false },                      /* float */
    { 0, 1, 0, false }, { 0, 2, 0, false },  { 0, 4, 0, false }, { 0, 8, 0, false },
    { 0, 1, 0, false }, { 0, 2, 0, false },  { 0, 4, 0, false }, { 0, 8, 0, false },
    { 0, 2, 0, false }, { 0, 3, 0, false },  { 0, 5, 0, false }, /* ext of one size */
    { 0, 9, 0, false }, { 0, 17, 0, false },                     /* ext of one size */
    { 1, 0, 0, false }, { 2, 0, 0, false },  { 4, 0, 0, false }, /* str */
    { 2, 0, 1, false }, { 4, 0, 1, false },                      /* array */
    { 2, 0, 2, false }, { 4, 0, 2, false },                      /* map */
};

static uint64_t big_endian(struct ra_cursor *cur, unsigned width)
{
    struct ra_span bytes = ra_cursor_take(cur, width);
    uint64_t value = 0;

    for (size_t i = 0; i < bytes.size; i++)
        value = value << 8 | bytes.data[i];
    return value;
}

/* Walk over one value, of an array or map only over its head: `*nested` are to come.
 * False if there is no such format. */
static bool skip_head(struct ra_cursor *cur, uint64_t *nested)
{
    uint8_t type = ra_cursor_u8(cur);
    const struct form *form;
    uint64_t count;

    *nested = 0;
    if (type < 0x80 || type >= 0xe0) /* a small number */
        return true;
    if (type < 0xa0)
        *nested = type < 0x90 ? 2u * (type & 0xf) : type & 0xf;
    else if (type < 0xc0)
        ra_cursor_skip(cur, type & 0x1f);
    if (type < 0xc0)
        return true;
    form = &long_forms[type - 0xc0];
    count = big_endian(cur, form->width);
    ra_cursor_skip(cur, form->after);
    if (!form->nested)
        ra_cursor_skip(cur, count);
    *nested = count * form->nested;
    return !form->is_invalid;
}

struct walk {
    struct ra_cursor cur;
    const struct ra_source *source;
    struct ra_diags *diags;
    uint64_t left[RA_MSGPACK_DEPTH]; /* values still to come, by level */
    size_t depth;
    uint64_t objects;
};

static enum ra_status bad(const struct walk *walk, size_t at, const char *why)
{
    return ra_fault(walk->diags, RA_E_FORMAT, RA_DIAG_MSGPACK_BAD,
                    ra_source_place(walk->source, at), "%s", why);
}

static enum ra_status walk_value(struct walk *walk)
{
    struct ra_cursor *cur = &walk->cur;
    size_t at = cur->pos;
    struct ra_place place = ra_source_place(walk->source, at);
    uint64_t nested;

    if (!skip_head(cur, &nested))
        return bad(walk, at, "a byte that starts no value");
    if (!ra_cursor_ok(cur))
        return bad(walk, at, "the bytes end inside of a value");
    if (nested > cur->span.size - cur->pos) /* each takes a byte at least */
        return bad(walk, at, "more values are counted than there are bytes");
    walk->objects += nested;
    if (walk->objects > RA_MSGPACK_OBJECTS)
        return ra_fault(walk->diags, RA_E_LIMIT, RA_DIAG_LIMIT, place,
                        "more than %" PRIu64 " msgpack values", RA_MSGPACK_OBJECTS);
    if (nested == 0)
        return RA_OK;
    if (walk->depth == RA_MSGPACK_DEPTH)
        return ra_fault(walk->diags, RA_E_LIMIT, RA_DIAG_LIMIT, place,
                        "more than %d msgpack values in each other", RA_MSGPACK_DEPTH);
    walk->left[walk->depth++] = nested;
    return RA_OK;
}

static enum ra_status walk_record(struct walk *walk, bool whole)
{
    enum ra_status status = RA_OK;

    walk->left[0] = 1;
    walk->depth = 1;
    while (status == RA_OK && walk->depth > 0) {
        if (walk->left[walk->depth - 1] == 0) {
            walk->depth--;
            continue;
        }
        walk->left[walk->depth - 1]--;
        status = walk_value(walk);
    }
    if (status == RA_OK && whole && walk->cur.pos < walk->cur.span.size)
        return bad(walk, walk->cur.pos, "bytes behind the record");
    return status;
}

/* ---- keys ------------------------------------------------------------------- */

static int by_text(const void *left, const void *right)
{
    const msgpack_object_str *a = &(*(const msgpack_object *const *)left)->via.str;
    const msgpack_object_str *b = &(*(const msgpack_object *const *)right)->via.str;

    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->size > 0 ? memcmp(a->ptr, b->ptr, a->size) : 0;
}

/* The second of two keys that are the same, or NULL. */
static const msgpack_object *double_of(const msgpack_object **keys, size_t count)
{
    if (count <= FEW_KEYS) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (by_text(&keys[i], &keys[j]) == 0)
                    return keys[i];
        return NULL;
    }
    qsort(keys, count, sizeof(keys[0]), by_text);
    for (size_t i = 1; i < count; i++)
        if (by_text(&keys[i - 1], &keys[i]) == 0)
            return keys[i];
    return NULL;
}

static enum ra_status find_double(const msgpack_object_map *map,
                                  const msgpack_object **ret)
{
    const msgpack_object *few[FEW_KEYS];
    const msgpack_object **keys = few;
    size_t count = 0;

    if (map->size > FEW_KEYS)
        keys = reallocarray(NULL, map->size, sizeof(*keys));
    if (!keys)
        return RA_E_NOMEM;
    for (size_t i = 0; i < map->size; i++)
        if (map->ptr[i].key.type == MSGPACK_OBJECT_STR)
            keys[count++] = &map->ptr[i].key;
    *ret = double_of(keys, count);
    if (keys != few)
        free(keys);
    return RA_OK;
}

/* The walk has seen to the depth. */
static enum ra_status check_keys(const msgpack_object *object, const msgpack_object **ret)
{
    const msgpack_object_array *array = &object->via.array;
    const msgpack_object_map *map = &object->via.map;
    enum ra_status status = RA_OK;

    if (object->type == MSGPACK_OBJECT_ARRAY)
        for (size_t i = 0; status == RA_OK && !*ret && i < array->size; i++)
            status = check_keys(&array->ptr[i], ret);
    if (object->type != MSGPACK_OBJECT_MAP)
        return status;
    status = find_double(map, ret);
    for (size_t i = 0; status == RA_OK && !*ret && i < map->size; i++) {
        status = check_keys(&map->ptr[i].key, ret);
        if (status == RA_OK && !*ret)
            status = check_keys(&map->ptr[i].val, ret);
    }
    return status;
}

/* ---- the record ------------------------------------------------------------- */

/* msgpack-c leaves text in the bytes it was given, but an empty one may be nowhere. */
static size_t place_of(struct ra_span bytes, const char *text, size_t size)
{
    return size > 0 ? (size_t)((const uint8_t *)text - bytes.data) : 0;
}

static enum ra_status make_objects(struct ra_msgpack *record, const struct walk *walk)
{
    const msgpack_object *twice = NULL;
    enum ra_status status;
    size_t offset = 0;

    /* The walk found nothing wrong, so what is left to fail is memory. */
    if (msgpack_unpack_next(&record->unpacked, (const char *)record->bytes.data,
                            record->size, &offset) != MSGPACK_UNPACK_SUCCESS)
        return RA_E_NOMEM;
    status = check_keys(&record->unpacked.data, &twice);
    if (status == RA_OK && twice)
        return bad(walk, place_of(record->bytes, twice->via.str.ptr, twice->via.str.size),
                   "a map has a key twice");
    return status;
}

enum ra_status ra_msgpack_open(const struct ra_source *source, struct ra_span bytes,
                               bool whole, struct ra_diags *diags,
                               struct ra_msgpack **ret)
{
    struct walk walk = { .cur = ra_cursor_over(bytes), .source = source, .diags = diags };
    enum ra_status status = walk_record(&walk, whole);
    struct ra_msgpack *record;

    if (status != RA_OK)
        return status;
    record = malloc(sizeof(*record));
    if (!record)
        return RA_E_NOMEM;
    record->bytes = bytes;
    record->size = walk.cur.pos;
    msgpack_unpacked_init(&record->unpacked);
    status = make_objects(record, &walk);
    if (status != RA_OK) {
        ra_msgpack_close(record);
        return status;
    }
    *ret = record;
    return RA_OK;
}

void ra_msgpack_close(struct ra_msgpack *record)
{
    if (!record)
        return;
    msgpack_unpacked_destroy(&record->unpacked);
    free(record);
}

size_t ra_msgpack_size(const struct ra_msgpack *record)
{
    return record->size;
}

/* ---- values ----------------------------------------------------------------- */

static enum ra_value_kind kind_of(const msgpack_object *object)
{
    switch (object->type) {
    case MSGPACK_OBJECT_NIL:
        return RA_VALUE_NIL;
    case MSGPACK_OBJECT_BOOLEAN:
        return RA_VALUE_BOOL;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return RA_VALUE_UINT;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return RA_VALUE_NEGATIVE;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return RA_VALUE_FLOAT;
    case MSGPACK_OBJECT_STR:
        return RA_VALUE_STR;
    case MSGPACK_OBJECT_BIN:
        return RA_VALUE_BIN;
    case MSGPACK_OBJECT_ARRAY:
        return RA_VALUE_ARRAY;
    case MSGPACK_OBJECT_MAP:
        return RA_VALUE_MAP;
    case MSGPACK_OBJECT_EXT:
        return RA_VALUE_EXT;
    }
    return RA_VALUE_ABSENT;
}

static struct ra_span text_of(const struct ra_msgpack *record, const char *text,
                              size_t size)
{
    size_t at = place_of(record->bytes, text, size);

    return (struct ra_span){ record->bytes.data + at, size, record->bytes.base + at };
}

static struct ra_value value_of(const struct ra_msgpack *record,
                                const msgpack_object *object)
{
    struct ra_value value = { .record = record, .node = object };

    value.kind = kind_of(object);
    if (value.kind == RA_VALUE_BOOL)
        value.number = object->via.boolean;
    else if (value.kind == RA_VALUE_UINT)
        value.number = object->via.u64;
    else if (value.kind == RA_VALUE_STR)
        value.text = text_of(record, object->via.str.ptr, object->via.str.size);
    else if (value.kind == RA_VALUE_BIN)
        value.text = text_of(record, object->via.bin.ptr, object->via.bin.size);
    else if (value.kind == RA_VALUE_ARRAY)
        value.count = object->via.array.size;
    else if (value.kind == RA_VALUE_MAP)
        value.count = object->via.map.size;
    return value;
}

struct ra_value ra_msgpack_root(const struct ra_msgpack *record)
{
    return value_of(record, &record->unpacked.data);
}

struct ra_value ra_value_at(const struct ra_value *array, size_t index)
{
    const msgpack_object *object = array->node;

    if (array->kind != RA_VALUE_ARRAY || index >= array->count)
        return (struct ra_value){ 0 };
    return value_of(array->record, &object->via.array.ptr[index]);
}

static const msgpack_object_kv *pair_at(const struct ra_value *map, size_t index)
{
    const msgpack_object *object = map->node;

    if (map->kind != RA_VALUE_MAP || index >= map->count)
        return NULL;
    return &object->via.map.ptr[index];
}

struct ra_value ra_value_key(const struct ra_value *map, size_t index)
{
    const msgpack_object_kv *pair = pair_at(map, index);

    return pair ? value_of(map->record, &pair->key) : (struct ra_value){ 0 };
}

struct ra_value ra_value_item(const struct ra_value *map, size_t index)
{
    const msgpack_object_kv *pair = pair_at(map, index);

    return pair ? value_of(map->record, &pair->val) : (struct ra_value){ 0 };
}

bool ra_value_is(const struct ra_value *value, const char *text)
{
    size_t size = strlen(text);

    return value->kind == RA_VALUE_STR && value->text.size == size &&
           (size == 0 || memcmp(value->text.data, text, size) == 0);
}

struct ra_value ra_value_find(const struct ra_value *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++) {
        struct ra_value at = ra_value_key(map, i);

        if (ra_value_is(&at, key))
            return ra_value_item(map, i);
    }
    return (struct ra_value){ 0 };
}
