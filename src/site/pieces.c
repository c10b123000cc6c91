#include "site/pieces.h"

#include <strings.h>

struct ra_span ra_piece_head(struct ra_span text, size_t size)
{
    text.size = size;
    return text;
}

struct ra_span ra_piece_tail(struct ra_span text, size_t size)
{
    if (size == 0)
        return text; /* NULL may not be added to */
    return (struct ra_span){ text.data + size, text.size - size, text.base + size };
}

size_t ra_piece_find(struct ra_span text, uint8_t byte)
{
    const uint8_t *found = text.size > 0 ? memchr(text.data, byte, text.size) : NULL;

    return found ? (size_t)(found - text.data) : text.size;
}

struct ra_span ra_piece_until(struct ra_cursor *cur, uint8_t end)
{
    struct ra_span rest = ra_piece_tail(cur->span, cur->pos);
    size_t size = ra_piece_find(rest, end);
    struct ra_span piece = ra_cursor_take(cur, size);

    if (size < rest.size)
        ra_cursor_skip(cur, 1);
    return piece;
}

bool ra_piece_line(struct ra_cursor *cur, struct ra_span *ret)
{
    if (cur->pos == cur->span.size)
        return false;
    *ret = ra_piece_until(cur, '\n');
    if (ret->size > 0 && ret->data[ret->size - 1] == '\r')
        ret->size--;
    return true;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

struct ra_span ra_piece_trim(struct ra_span text)
{
    size_t blanks = 0;

    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    while (blanks < text.size && is_blank(text.data[blanks]))
        blanks++;
    return ra_piece_tail(text, blanks);
}

bool ra_piece_equals(struct ra_span text, const char *word)
{
    size_t size = strlen(word);

    return text.size == size && (size == 0 || memcmp(text.data, word, size) == 0);
}

bool ra_piece_starts(struct ra_span text, const char *word)
{
    size_t size = strlen(word);

    return text.size >= size && ra_piece_equals(ra_piece_head(text, size), word);
}

bool ra_piece_ends(struct ra_span text, const char *word)
{
    size_t size = strlen(word);

    return text.size >= size &&
           ra_piece_equals(ra_piece_tail(text, text.size - size), word);
}

bool ra_piece_is(struct ra_span text, const char *word)
{
    size_t size = strlen(word);

    return text.size == size &&
           (size == 0 || strncasecmp((const char *)text.data, word, size) == 0);
}

bool ra_piece_number(struct ra_span text, uint64_t *ret)
{
    uint64_t number = 0;

    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t digit = (uint8_t)(text.data[i] - '0');

        if (digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
    }
    *ret = number;
    return true;
}
