#include "gfx/metadata.h"

/* MessagePack specification, "Formats": the first byte of each. */
enum {
    FIXMAP = 0x80,
    FIXARRAY = 0x90,
    FIXSTR = 0xa0,
    NIL = 0xc0,
    FALSE = 0xc2,
    TRUE = 0xc3,
    BIN8 = 0xc4,
    EXT8 = 0xc7,
    FLOAT32 = 0xca,
    UINT8 = 0xcc,
    INT8 = 0xd0,
    FIXEXT1 = 0xd4,
    STR8 = 0xd9,
    ARRAY16 = 0xdc,
    MAP16 = 0xde,
    NEGATIVE = 0xe0,
};

/* The kinds of values that matter to us. */
enum kind { UINT, BOOL, STRING, ARRAY, MAP, OTHER, BAD };

struct value {
    enum kind kind;
    uint64_t number;     /* of a UINT or BOOL; items of an ARRAY or MAP */
    struct ra_span text; /* of a STRING */
};

static uint64_t big_endian(struct ra_cursor *cur, unsigned width)
{
    struct ra_span bytes = ra_cursor_take(cur, width);
    uint64_t value = 0;

    for (size_t i = 0; i < bytes.size; i++)
        value = value << 8 | bytes.data[i];
    return value;
}

static struct value string(struct ra_cursor *cur, uint64_t size)
{
    return (struct value){ STRING, 0, ra_cursor_take(cur, size) };
}

/* An item takes a byte at least, so a count above the bytes left is a lie. */
static struct value counted(struct ra_cursor *cur, enum kind kind, uint64_t count)
{
    uint64_t items = kind == MAP ? count * 2 : count;

    if (items > cur->span.size - cur->pos)
        cur->failed = true;
    return (struct value){ kind, count, { 0 } };
}

static struct value skipped(struct ra_cursor *cur, uint64_t count)
{
    ra_cursor_skip(cur, count);
    return (struct value){ OTHER, 0, { 0 } };
}

/* Formats 0xc0 to 0xdf, most of which carry a size of 1, 2, 4 or 8 bytes. */
static struct value long_form(struct ra_cursor *cur, uint8_t type)
{
    if (type == FALSE || type == TRUE)
        return (struct value){ BOOL, type == TRUE, { 0 } };
    if (type >= UINT8 && type < INT8)
        return (struct value){ UINT, big_endian(cur, 1u << (type - UINT8)), { 0 } };
    if (type >= INT8 && type < FIXEXT1)
        return skipped(cur, 1u << (type - INT8));
    if (type >= STR8 && type < ARRAY16)
        return string(cur, big_endian(cur, 1u << (type - STR8)));
    if (type >= ARRAY16 && type < MAP16)
        return counted(cur, ARRAY, big_endian(cur, 2u << (type - ARRAY16)));
    if (type >= MAP16)
        return counted(cur, MAP, big_endian(cur, 2u << (type - MAP16)));
    if (type >= FIXEXT1)
        return skipped(cur, 1 + ((uint64_t)1 << (type - FIXEXT1)));
    if (type >= FLOAT32)
        return skipped(cur, 4u << (type - FLOAT32));
    if (type >= EXT8)
        return skipped(cur, 1 + big_endian(cur, 1u << (type - EXT8)));
    if (type >= BIN8)
        return skipped(cur, big_endian(cur, 1u << (type - BIN8)));
    if (type != NIL)
        cur->failed = true; /* 0xc1, which no writer writes */
    return (struct value){ OTHER, 0, { 0 } };
}

/* The next value; of an ARRAY or MAP only its head. BAD if it is not all there. */
static struct value take(struct ra_cursor *cur)
{
    uint8_t type = ra_cursor_u8(cur);
    struct value value;

    if (type < FIXMAP)
        value = (struct value){ UINT, type, { 0 } };
    else if (type < FIXARRAY)
        value = counted(cur, MAP, type & 0xf);
    else if (type < FIXSTR)
        value = counted(cur, ARRAY, type & 0xf);
    else if (type < NIL)
        value = string(cur, type & 0x1f);
    else if (type >= NEGATIVE)
        value = (struct value){ OTHER, 0, { 0 } };
    else
        value = long_form(cur, type);
    if (!ra_cursor_ok(cur))
        value.kind = BAD;
    return value;
}

/*
 * Most of the metadata are arguments that nobody asked for, short strings and small
 * numbers: formats whose size is told by their first byte. Those are walked over here
 * without ceremony, at gigabytes a second, up to the first that is of another kind.
 *
 * @param left  values still to walk over; fewer afterwards, or more
 * @return bytes walked over, at most `bytes.size`
 */
static size_t skip_short(struct ra_span bytes, uint64_t *left)
{
    size_t at = 0;

    while (*left > 0 && at < bytes.size) {
        uint8_t type = bytes.data[at];
        size_t room = bytes.size - at - 1, size = 0;

        if (type >= FIXSTR && type < NIL)
            size = type & 0x1f;
        else if (type >= FIXARRAY && type < FIXSTR)
            *left += type & 0xf;
        else if (type >= FIXMAP && type < FIXARRAY)
            *left += 2u * (type & 0xf);
        else if (type >= UINT8 && type < INT8)
            size = (size_t)1 << (type - UINT8);
        else if (type == STR8 && room > 0)
            size = (size_t)1 + bytes.data[at + 1];
        else if (type >= FIXMAP && type != FALSE && type != TRUE)
            return at;
        if (size > room)
            return at; /* damage, which is the slow way's to see */
        at += 1 + size;
        *left -= 1;
    }
    return at;
}

/* Walk over `left` values. Those inside others are counted, not nested. */
static void skip_values(struct ra_cursor *cur, uint64_t left)
{
    while (left > 0 && ra_cursor_ok(cur)) {
        struct ra_span rest = { cur->span.data + cur->pos, cur->span.size - cur->pos, 0 };
        struct value value;

        ra_cursor_skip(cur, skip_short(rest, &left));
        if (left > cur->span.size - cur->pos)
            cur->failed = true; /* a value takes a byte at least */
        if (left == 0 || !ra_cursor_ok(cur))
            return;
        value = take(cur);
        left--;
        if (value.kind == ARRAY)
            left += value.number;
        if (value.kind == MAP)
            left += value.number * 2;
    }
}

static void skip(struct ra_cursor *cur)
{
    skip_values(cur, 1);
}

static bool is(struct ra_span key, const char *text)
{
    return key.size == strlen(text) && memcmp(key.data, text, key.size) == 0;
}

/* A number of ours is 32 bits wide; one that does not fit is damage. */
static void number(struct ra_cursor *cur, uint32_t *ret)
{
    struct value value = take(cur);

    if ((value.kind != UINT && value.kind != BOOL) || value.number > UINT32_MAX)
        cur->failed = true;
    *ret = (uint32_t)value.number;
}

static void flag(struct ra_cursor *cur, bool *ret)
{
    uint32_t value;

    number(cur, &value);
    *ret = value != 0;
}

static void text(struct ra_cursor *cur, struct ra_span *ret)
{
    struct value value = take(cur);

    if (value.kind != STRING)
        cur->failed = true;
    *ret = value.text;
}

static void triple(struct ra_cursor *cur, uint32_t ret[3])
{
    struct value value = take(cur);

    if (value.kind != ARRAY || value.number != 3)
        cur->failed = true;
    for (unsigned i = 0; i < 3; i++)
        number(cur, &ret[i]);
}

static void wave_size(struct ra_cursor *cur, struct ra_kernel *ret)
{
    uint32_t value;

    number(cur, &value);
    if (value != 32 && value != 64)
        cur->failed = true;
    ret->wave_size = (uint8_t)value;
}

/* Keys that hold a 32-bit number, and where it goes. */
static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    { ".agpr_count", offsetof(struct ra_kernel, agprs) },
    { ".group_segment_fixed_size", offsetof(struct ra_kernel, lds) },
    { ".kernarg_segment_size", offsetof(struct ra_kernel, kernarg) },
    { ".max_flat_workgroup_size", offsetof(struct ra_kernel, max_workgroup) },
    { ".private_segment_fixed_size", offsetof(struct ra_kernel, scratch) },
    { ".sgpr_count", offsetof(struct ra_kernel, sgprs) },
    { ".sgpr_spill_count", offsetof(struct ra_kernel, sgpr_spills) },
    { ".vgpr_count", offsetof(struct ra_kernel, vgprs) },
    { ".vgpr_spill_count", offsetof(struct ra_kernel, vgpr_spills) },
};

static bool numbered(struct ra_cursor *cur, struct ra_span key, struct ra_kernel *ret)
{
    for (size_t i = 0; i < RA_COUNT(numbers); i++) {
        uint32_t value;

        if (!is(key, numbers[i].key))
            continue;
        number(cur, &value);
        memcpy((char *)ret + numbers[i].offset, &value, sizeof(value));
        return true;
    }
    return false;
}

static void read_key(struct ra_cursor *cur, struct ra_span key,
                     struct ra_metadata_kernel *ret)
{
    struct ra_kernel *kernel = &ret->kernel;

    if (is(key, ".args")) { /* the largest by far: not compared with all others */
        skip(cur);
    } else if (is(key, ".name")) {
        text(cur, &ret->name);
    } else if (is(key, ".symbol")) {
        text(cur, &ret->symbol);
    } else if (is(key, ".wavefront_size")) {
        wave_size(cur, kernel);
    } else if (is(key, ".uses_dynamic_stack")) {
        flag(cur, &kernel->dynamic_stack);
    } else if (is(key, ".workgroup_processor_mode")) {
        flag(cur, &kernel->wgp_mode);
        ret->has_wgp_mode = true;
    } else if (is(key, ".reqd_workgroup_size")) {
        triple(cur, kernel->required_workgroup);
    } else if (!numbered(cur, key, kernel)) {
        skip(cur);
    }
}

/* A kernel without a name cannot be asked for, so the map is not what it should be. */
static void read_kernel(struct ra_cursor *cur, struct ra_metadata_kernel *ret)
{
    struct value map = take(cur);
    struct ra_span key;

    *ret = (struct ra_metadata_kernel){ 0 };
    if (map.kind != MAP)
        cur->failed = true;
    for (uint64_t i = 0; i < map.number && ra_cursor_ok(cur); i++) {
        text(cur, &key);
        read_key(cur, key, ret);
    }
    if (ret->name.size == 0 || ret->symbol.size == 0 || ret->kernel.wave_size == 0)
        cur->failed = true;
}

static enum ra_status read_kernels(struct ra_cursor *cur, ra_metadata_sink *sink,
                                   void *arg, struct ra_metadata *ret)
{
    struct value array = take(cur);
    struct ra_metadata_kernel kernel;

    if (array.kind != ARRAY)
        cur->failed = true;
    for (uint64_t i = 0; i < array.number && ra_cursor_ok(cur); i++) {
        read_kernel(cur, &kernel);
        if (sink && ra_cursor_ok(cur) && !sink(arg, &kernel))
            return RA_E_NOMEM;
    }
    ret->kernel_count += array.number;
    return RA_OK;
}

static void read_version(struct ra_cursor *cur, struct ra_metadata *ret)
{
    struct value array = take(cur);

    if (array.kind != ARRAY || array.number != 2)
        cur->failed = true;
    number(cur, &ret->major);
    number(cur, &ret->minor);
    ret->has_version = true;
}

enum ra_status ra_metadata_read(struct ra_span note, ra_metadata_sink *sink, void *arg,
                                struct ra_metadata *ret, size_t *bad)
{
    struct ra_cursor cur = ra_cursor_over(note);
    struct value map = take(&cur);
    struct ra_span key;
    bool has_kernels = false;
    enum ra_status status = RA_OK;

    *ret = (struct ra_metadata){ 0 };
    if (map.kind != MAP)
        cur.failed = true;
    for (uint64_t i = 0; status == RA_OK && i < map.number && ra_cursor_ok(&cur); i++) {
        text(&cur, &key);
        has_kernels = has_kernels || is(key, "amdhsa.kernels");
        if (is(key, "amdhsa.kernels"))
            status = read_kernels(&cur, sink, arg, ret);
        else if (is(key, "amdhsa.target"))
            text(&cur, &ret->target);
        else if (is(key, "amdhsa.version"))
            read_version(&cur, ret);
        else
            skip(&cur);
    }
    *bad = cur.pos;
    /* The key is required, also where there is no kernel: without it some may be lost. */
    if (status == RA_OK && (!ra_cursor_ok(&cur) || cur.pos != note.size || !has_kernels))
        status = RA_E_FORMAT;
    return status;
}
