/* msgpack: what is read lies in the bytes, and each key of text is there once. */
#include "codec/msgpack.h"

#include <assert.h>

#define FEW 64 /* pairs of a map that are looked for by key */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(struct ra_span bytes, struct ra_span part)
{
    return part.size == 0 ||
           (part.data >= bytes.data && part.data < bytes.data + bytes.size &&
            part.size <= (size_t)(bytes.data + bytes.size - part.data) &&
            part.base == (uint64_t)(part.data - bytes.data) + bytes.base);
}

static void check_key(const struct ra_value *map, size_t index)
{
    struct ra_value key = ra_value_key(map, index), item = ra_value_item(map, index);
    struct ra_value found;
    char text[FEW + 1] = { 0 };

    if (map->count > FEW || key.kind != RA_VALUE_STR || key.text.size > FEW ||
        memchr(key.text.data, 0, key.text.size))
        return;
    memcpy(text, key.text.data, key.text.size);
    assert(ra_value_is(&key, text));
    found = ra_value_find(map, text);
    assert(found.kind == item.kind && found.node == item.node);
}

/* Values met, at most so deep as the record may be. */
static size_t check_value(struct ra_span bytes, struct ra_value value, size_t depth)
{
    size_t met = 1;

    assert(value.kind != RA_VALUE_ABSENT && inside(bytes, value.text));
    assert(value.count == 0 || depth < RA_MSGPACK_DEPTH);
    for (size_t i = 0; value.kind == RA_VALUE_ARRAY && i < value.count; i++)
        met += check_value(bytes, ra_value_at(&value, i), depth + 1);
    for (size_t i = 0; value.kind == RA_VALUE_MAP && i < value.count; i++) {
        met += check_value(bytes, ra_value_key(&value, i), depth + 1);
        met += check_value(bytes, ra_value_item(&value, i), depth + 1);
        check_key(&value, i);
    }
    return met;
}

static enum ra_status read_one(struct ra_span bytes, bool whole)
{
    struct ra_source source = ra_source_over(bytes);
    struct ra_arena arena = { .limit = (size_t)1 << 20 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_msgpack *record;
    enum ra_status status = ra_msgpack_open(&source, bytes, whole, &diags, &record);

    assert(status == RA_OK || status == RA_E_FORMAT || status == RA_E_LIMIT);
    assert(diags.count == (status != RA_OK));
    if (status == RA_OK) {
        size_t size = ra_msgpack_size(record);

        assert(size <= bytes.size && (!whole || size == bytes.size));
        assert(check_value(bytes, ra_msgpack_root(record), 0) <= size);
        ra_msgpack_close(record);
    }
    ra_arena_free(&arena);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span bytes = { data, size, 1000 };
    enum ra_status loose = read_one(bytes, false), whole = read_one(bytes, true);

    assert(whole == loose || (loose == RA_OK && whole == RA_E_FORMAT));
    return 0;
}
