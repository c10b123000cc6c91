/*
 * What amd-smi and rocm-smi print as JSON.
 *
 * A scan for the few keys that matter, at any depth: the layout around them differs from
 * release to release, and other text may stand before and behind it. It keeps nothing but
 * the depth, so nesting is no matter. Names hold no escapes; a key or a value with one
 * is not taken apart and equals nothing here.
 *
 * Spec: RFC 8259.
 */
#include "base/text.h"
#include "device/told_formats.h"

enum token { T_END, T_OPEN, T_CLOSE, T_COLON, T_COMMA, T_STRING, T_CUT, T_PLAIN };

static const char *const name_keys[] = { "target_graphics_version", "GFX Version",
                                         "GFX VER" };
static const char *const pci_keys[] = { "device_id", "Device ID", "Card Model" };

bool told_is_amd_smi_json(struct ra_span text)
{
    return told_contains(text, "\"target_graphics_version\"");
}

bool told_is_rocm_smi_json(struct ra_span text)
{
    return told_contains(text, "\"GFX Version\"") || told_contains(text, "\"GFX VER\"");
}

bool told_is_json(struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct ra_span line;

    if (!told_contains(text, "{") && !told_contains(text, "["))
        return false;
    while (told_line(&cur, &line))
        if (told_starts(line, "{") || told_starts(line, "["))
            return true;
    return false;
}

/* ---- tokens ------------------------------------------------------------------- */

/* A string behind its opening quote; T_CUT if the text ends before the string does. */
static enum token read_string(struct ra_cursor *cur, struct ra_span *ret)
{
    struct ra_cursor ahead = *cur;

    for (;;) {
        uint8_t byte = ra_cursor_u8(&ahead);

        if (!ra_cursor_ok(&ahead)) {
            ra_cursor_seek(cur, cur->span.size);
            return T_CUT;
        }
        if (byte == '"')
            break;
        if (byte == '\\')
            ra_cursor_skip(&ahead, 1);
    }
    *ret = ra_cursor_take(cur, ahead.pos - 1 - cur->pos);
    ra_cursor_skip(cur, 1);
    return T_STRING;
}

static enum token token_of(uint8_t byte)
{
    switch (byte) {
    case '{':
    case '[':
        return T_OPEN;
    case '}':
    case ']':
        return T_CLOSE;
    case ':':
        return T_COLON;
    case ',':
        return T_COMMA;
    case '"':
        return T_STRING;
    default:
        return T_PLAIN;
    }
}

static bool is_white(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* A number, or a word such as null: up to a blank or what is a token by itself. */
static struct ra_span read_plain(struct ra_cursor *cur)
{
    struct ra_cursor ahead = *cur;
    uint8_t byte;
    size_t size = 0;

    while (byte = ra_cursor_u8(&ahead),
           ra_cursor_ok(&ahead) && !is_white(byte) && token_of(byte) == T_PLAIN)
        size++;
    return ra_cursor_take(cur, size);
}

/* The next token, and what a string or plain one says. */
static enum token next_token(struct ra_cursor *cur, struct ra_span *ret)
{
    struct ra_cursor start;
    enum token token;
    uint8_t byte;

    do {
        start = *cur;
        byte = ra_cursor_u8(cur);
    } while (ra_cursor_ok(cur) && is_white(byte));
    if (!ra_cursor_ok(cur))
        return T_END;
    token = token_of(byte);
    if (token == T_STRING)
        return read_string(cur, ret);
    if (token == T_PLAIN) {
        *cur = start;
        *ret = read_plain(cur);
    }
    return token;
}

/* ---- GPUs ---------------------------------------------------------------------- */

/* Where the scan is. */
struct scan {
    struct told *told;
    struct told_gpu gpu; /* its place is NULL between GPUs */
    size_t depth, gpu_depth, gpu_count;
};

static bool is_one_of(struct ra_span key, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (told_equals(key, keys[i]))
            return true;
    return false;
}

static void end_gpu(struct scan *scan)
{
    if (scan->gpu.place)
        told_add(scan->told, &scan->gpu);
    scan->gpu = (struct told_gpu){ 0 };
}

static void begin_gpu(struct scan *scan, size_t number)
{
    end_gpu(scan);
    scan->gpu = (struct told_gpu){ .place = "GPU", .number = number };
    scan->gpu_depth = scan->depth;
    scan->gpu_count++;
}

/* "gpu": 0 of amd-smi and "card0": { of rocm-smi begin a GPU; not one within one. */
static bool begins_gpu(const struct scan *scan, struct ra_span key, struct ra_span value,
                       size_t *number)
{
    struct ra_cursor cur = ra_cursor_over(key);

    if (scan->gpu_count > 0 && scan->depth != scan->gpu_depth)
        return false;
    if (told_equals(key, "gpu"))
        return told_number(value, number);
    return value.size == 0 && ra_cursor_match(&cur, "card", strlen("card")) &&
           told_number(ra_cursor_take(&cur, key.size - cur.pos), number);
}

/* A key and its value, which is empty if it is an object or a list. */
static void take_pair(struct scan *scan, struct ra_span key, struct ra_span value)
{
    size_t number;

    if (begins_gpu(scan, key, value, &number)) {
        begin_gpu(scan, number);
    } else if (is_one_of(key, pci_keys, RA_COUNT(pci_keys))) {
        scan->gpu.pci = value;
    } else if (is_one_of(key, name_keys, RA_COUNT(name_keys))) {
        if (!scan->gpu.place || scan->gpu.name.size > 0)
            begin_gpu(scan, scan->gpu_count);
        scan->gpu.name = value;
    }
}

/* Take what ended within braces for incomplete: more GPUs may have followed. */
static void check_end(struct scan *scan)
{
    if (scan->depth == 0 || scan->told->is_full)
        return;
    scan->told->incomplete = true;
    if (told_is_first(scan->told))
        scan->told->odd = "the JSON ends before it is closed; there may be more GPUs";
}

void told_read_json(struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct scan scan = { .told = told };
    struct ra_span said = { 0 }, key = { 0 };
    bool has_key = false;
    enum token token;

    while (!told->is_full && (token = next_token(&cur, &said)) != T_END) {
        bool opens = token == T_OPEN;

        if (token == T_COLON) {
            key = said;
            has_key = true;
            continue;
        }
        if (has_key && (opens || token == T_STRING || token == T_PLAIN))
            take_pair(&scan, key, opens ? (struct ra_span){ 0 } : said);
        has_key = false;
        if (opens)
            scan.depth++;
        else if (token == T_CLOSE && scan.depth > 0)
            scan.depth--;
    }
    end_gpu(&scan);
    check_end(&scan);
}
