/* Lines, words and numbers of a text, for the readers of its formats. */
#include "device/told_formats.h"

struct ra_span told_until(struct ra_cursor *cur, uint8_t end)
{
    size_t left = cur->span.size - cur->pos;
    const uint8_t *start = cur->span.data + cur->pos;
    const uint8_t *found = left > 0 ? memchr(start, end, left) : NULL;
    struct ra_span piece = ra_cursor_take(cur, found ? (size_t)(found - start) : left);

    if (found)
        ra_cursor_skip(cur, 1);
    return piece;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

struct ra_span told_trim(struct ra_span text)
{
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    return text;
}

bool told_line(struct ra_cursor *cur, struct ra_span *ret)
{
    if (cur->pos == cur->span.size)
        return false;
    *ret = told_trim(told_until(cur, '\n'));
    return true;
}

bool told_equals(struct ra_span text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

bool told_starts(struct ra_span text, const char *word)
{
    struct ra_cursor cur = ra_cursor_over(text);

    return ra_cursor_match(&cur, word, strlen(word));
}

bool told_contains(struct ra_span text, const char *word)
{
    return text.size > 0 && memmem(text.data, text.size, word, strlen(word));
}

bool told_number(struct ra_span text, size_t *ret)
{
    size_t number = 0;

    if (text.size == 0 || text.size > 9)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        number = number * 10 + (size_t)(text.data[i] - '0');
    }
    *ret = number;
    return true;
}
