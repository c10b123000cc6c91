#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM_FIRST ((size_t)256)

/* Room for `size` more bytes and a terminator. */
static bool reserve(struct ra_text *text, size_t size)
{
    size_t need, room = text->room ? text->room : ROOM_FIRST;
    char *data;

    if (text->failed || __builtin_add_overflow(text->size, size, &need) ||
        need == SIZE_MAX || (text->limit && need > text->limit)) {
        text->failed = true;
        return false;
    }
    if (need < text->room)
        return true;
    while (room <= need)
        room = room > SIZE_MAX / 2 ? need + 1 : room * 2;
    data = realloc(text->data, room);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->room = room;
    return true;
}

void ra_text_add(struct ra_text *text, const char *bytes, size_t size)
{
    if (!reserve(text, size))
        return;
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void ra_text_str(struct ra_text *text, const char *string)
{
    ra_text_add(text, string, strlen(string));
}

void ra_text_printf(struct ra_text *text, const char *format, ...)
{
    va_list args, again;
    int size;

    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size < 0)
        text->failed = true;
    else if (reserve(text, (size_t)size)) {
        (void)vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
    va_end(args);
}

void ra_text_free(struct ra_text *text)
{
    free(text->data);
    *text = (struct ra_text){ .limit = text->limit };
}

const char *ra_text_keep(const struct ra_text *text, struct ra_arena *arena)
{
    return text->failed ? NULL : ra_arena_text(arena, text->data, text->size);
}

const char *ra_text_format(struct ra_arena *arena, const char *format, ...)
{
    va_list args, again;
    char *text = NULL;
    int size;

    va_start(args, format);
    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, args);
    if (size >= 0)
        text = ra_new(arena, char, (size_t)size + 1);
    if (text)
        (void)vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/*
 * The size of the UTF-8 sequence at the start of `bytes`, 0 if there is none.
 * The Unicode Standard, table 3-7: no overlong form, no surrogate, at most U+10FFFF.
 */
static size_t sequence(struct ra_span bytes, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    uint8_t lead = bytes.data[0];
    size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;

    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || size > bytes.size)
        return 0;
    *code = size == 1 ? lead : lead & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes.data[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (bytes.data[i] & 0x3f);
    }
    if (*code < least[size] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return size;
}

/* Characters that change what a reader sees of the text around them. */
static bool harmful(uint32_t code)
{
    return code < 0x20 || code == '\\' || (code >= 0x7f && code < 0xa0) ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0x061c || code == 0xfeff;
}

bool ra_text_is_utf8(struct ra_span bytes)
{
    uint32_t code;

    while (bytes.size > 0) {
        size_t size = sequence(bytes, &code);

        if (size == 0)
            return false;
        bytes.data += size;
        bytes.size -= size;
    }
    return true;
}

/* Write the escaped form to `ret`, or only measure it if that is NULL. */
static size_t escape(struct ra_span bytes, char *ret)
{
    static const char hex[] = "0123456789abcdef";
    size_t at = 0;

    while (bytes.size > 0) {
        uint32_t code = 0;
        size_t size = sequence(bytes, &code);
        bool plain = size > 0 && !harmful(code);

        size = size ? size : 1;
        if (ret && plain)
            memcpy(ret + at, bytes.data, size);
        for (size_t i = 0; ret && !plain && i < size; i++) {
            ret[at + 4 * i] = '\\';
            ret[at + 4 * i + 1] = 'x';
            ret[at + 4 * i + 2] = hex[bytes.data[i] >> 4];
            ret[at + 4 * i + 3] = hex[bytes.data[i] & 15];
        }
        at += plain ? size : 4 * size;
        bytes.data += size;
        bytes.size -= size;
    }
    return at;
}

const char *ra_text_shown(struct ra_arena *arena, const char *text)
{
    return ra_text_escape(arena, ra_span_of(text));
}

const char *ra_text_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *ra_member_base(const char *path, bool is_member)
{
    const char *name = ra_text_base(path);
    const char *mark = is_member ? strrchr(name, '!') : NULL;

    return mark ? mark + 1 : name;
}

bool ra_text_ends(const char *text, const char *tail)
{
    size_t size = strlen(text), length = strlen(tail);

    return size >= length && strcmp(text + size - length, tail) == 0;
}

bool ra_text_is_plain(struct ra_span bytes)
{
    return escape(bytes, NULL) == bytes.size;
}

const char *ra_text_escape(struct ra_arena *arena, struct ra_span bytes)
{
    char *text = NULL;

    if (bytes.size < SIZE_MAX / 4)
        text = ra_new(arena, char, escape(bytes, NULL) + 1);
    if (text)
        (void)escape(bytes, text);
    return text;
}
