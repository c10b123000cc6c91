#include "bundle/entryid.h"

#define SYSTEM "-amdhsa"

/* Words before the first dash. hipv4 was meant for code objects V4 and later. */
static const struct {
    const char *word;
    enum ra_entry_kind kind;
} kinds[] = {
    { "host", RA_ENTRY_HOST }, { "hip", RA_ENTRY_HIP },       { "hipv4", RA_ENTRY_HIP },
    { "hcc", RA_ENTRY_HIP },   { "openmp", RA_ENTRY_OPENMP },
};

static struct ra_span after(struct ra_span span, size_t size)
{
    return (struct ra_span){ span.data + size, span.size - size, span.base + size };
}

static size_t word_size(struct ra_span span)
{
    const uint8_t *dash = span.size ? memchr(span.data, '-', span.size) : NULL;

    return dash ? (size_t)(dash - span.data) : span.size;
}

static bool starts(struct ra_span span, const char *text)
{
    return span.size >= strlen(text) && memcmp(span.data, text, strlen(text)) == 0;
}

static enum ra_entry_kind kind_of(struct ra_span word)
{
    for (size_t i = 0; i < RA_COUNT(kinds); i++)
        if (word.size == strlen(kinds[i].word) && starts(word, kinds[i].word))
            return kinds[i].kind;
    return RA_ENTRY_OTHER;
}

struct ra_entry_id ra_entry_id_parse(struct ra_span id)
{
    struct ra_span word = { id.data, word_size(id), id.base };
    struct ra_entry_id ret = { .kind = kind_of(word) };
    const uint8_t *system = memmem(id.data, id.size, SYSTEM, strlen(SYSTEM));
    struct ra_span tail = { 0 };

    if (system && ret.kind != RA_ENTRY_HOST)
        tail = after(id, (size_t)(system - id.data) + strlen(SYSTEM));
    while (tail.size > 0 && !starts(tail, "gfx") && !starts(tail, "amdgcnspirv"))
        tail = after(tail, tail.data[0] == '-' ? 1 : word_size(tail));
    ret.target = tail;
    return ret;
}
