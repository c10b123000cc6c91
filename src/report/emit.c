#include "report/emit.h"

#include "base/text.h"

#include <inttypes.h>

static void line(struct ra_emit *emit)
{
    ra_out_str(emit->out, "\n");
    ra_out_fill(emit->out, ' ', (size_t)2 * emit->depth);
}

/* One character of a string; `raw` bytes are known to be no UTF-8. */
static void put_char(struct ra_out *out, unsigned char byte, bool raw)
{
    char character = (char)byte;

    if (byte == '"' || byte == '\\')
        ra_out_printf(out, "\\%c", byte);
    else if (byte == '\n')
        ra_out_str(out, "\\n");
    else if (byte < 0x20 || byte == 0x7f)
        ra_out_printf(out, "\\u%04x", byte);
    else if (byte >= 0x80 && raw)
        ra_out_printf(out, "\\\\x%02x", byte);
    else
        ra_out_add(out, &character, 1);
}

static void put_string(struct ra_out *out, const char *value)
{
    size_t size = strlen(value);
    struct ra_span span = { .data = (const uint8_t *)value, .size = size };
    bool raw = !ra_text_is_utf8(span);

    ra_out_str(out, "\"");
    for (size_t i = 0; i < size; i++)
        put_char(out, span.data[i], raw);
    ra_out_str(out, "\"");
}

/* What stands before a value: comma, line, key. */
static void lead(struct ra_emit *emit, const char *key)
{
    if (emit->inside)
        ra_out_str(emit->out, emit->flat ? ", " : ",");
    if (emit->depth > 0 && !emit->flat)
        line(emit);
    emit->inside = true;
    if (!key)
        return;
    put_string(emit->out, key);
    ra_out_str(emit->out, ": ");
}

void ra_emit_open(struct ra_emit *emit, const char *key, char bracket)
{
    lead(emit, key);
    ra_out_add(emit->out, &bracket, 1);
    emit->depth++;
    emit->inside = false;
}

void ra_emit_open_flat(struct ra_emit *emit, const char *key, char bracket)
{
    ra_emit_open(emit, key, bracket);
    if (!emit->flat)
        emit->flat = emit->depth;
}

void ra_emit_close(struct ra_emit *emit, char bracket)
{
    emit->depth--;
    if (emit->inside && !emit->flat)
        line(emit);
    ra_out_add(emit->out, &bracket, 1);
    if (emit->depth < emit->flat)
        emit->flat = 0;
    /* The document is over: the next one follows no comma. */
    emit->inside = emit->depth > 0;
    if (emit->depth == 0)
        ra_out_str(emit->out, "\n");
}

void ra_emit_string(struct ra_emit *emit, const char *key, const char *value)
{
    lead(emit, key);
    if (value)
        put_string(emit->out, value);
    else
        ra_out_str(emit->out, "null");
}

void ra_emit_known(struct ra_emit *emit, const char *key, const char *value)
{
    ra_emit_string(emit, key, value && *value ? value : NULL);
}

void ra_emit_base64(struct ra_emit *emit, const char *key, struct ra_span bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789+/";

    lead(emit, key);
    ra_out_str(emit->out, "\"");
    for (size_t at = 0; at < bytes.size; at += 3) {
        size_t count = bytes.size - at < 3 ? bytes.size - at : 3;
        uint32_t group = (uint32_t)bytes.data[at] << 16;
        char text[4];

        group |= count > 1 ? (uint32_t)bytes.data[at + 1] << 8 : 0;
        group |= count > 2 ? bytes.data[at + 2] : 0;
        for (size_t i = 0; i < sizeof(text); i++)
            text[i] = i > count ? '=' : digits[group >> (18 - 6 * i) & 63];
        ra_out_add(emit->out, text, sizeof(text));
    }
    ra_out_str(emit->out, "\"");
}

void ra_emit_number(struct ra_emit *emit, const char *key, uint64_t value)
{
    lead(emit, key);
    ra_out_printf(emit->out, "%" PRIu64, value);
}

void ra_emit_bool(struct ra_emit *emit, const char *key, bool value)
{
    lead(emit, key);
    ra_out_str(emit->out, value ? "true" : "false");
}

void ra_emit_null(struct ra_emit *emit, const char *key)
{
    ra_emit_string(emit, key, NULL);
}
