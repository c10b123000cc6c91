#include "bundle/entryid.h"

#include <stdio.h>

#define SYSTEM       "-amdhsa"
#define ARCHITECTURE "amdgpu"

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

/* ---- the architecture --------------------------------------------------------- */

/* Of amdgpu9.4 and its like, what gfx9-4-generic has in its middle. */
static const struct {
    const char *version, *generic;
} families[] = {
    { "9", "9" },       { "9.4", "9-4" },   { "9.5", "9-4" }, { "10", "10-1" },
    { "10.1", "10-1" }, { "10.3", "10-3" }, { "11", "11" },   { "11.7", "11-7" },
    { "12", "12" },     { "12.5", "12-5" }, { "13", "13" },
};

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* A minor version or a stepping: gfx90a has a letter. */
static bool is_place(uint8_t byte)
{
    return is_digit(byte) || (byte >= 'a' && byte <= 'f');
}

/* "9.0a": a major version, and one character for each of the other two. */
static bool is_version(struct ra_span span)
{
    size_t dot = 0;

    while (dot < span.size && dot < 2 && is_digit(span.data[dot]))
        dot++;
    return dot > 0 && span.size == dot + 3 && span.data[dot] == '.' &&
           is_place(span.data[dot + 1]) && is_place(span.data[dot + 2]);
}

static void name_processor(struct ra_span word, char ret[RA_ENTRY_PROCESSOR])
{
    struct ra_span version;

    if (!starts(word, ARCHITECTURE))
        return;
    version = after(word, strlen(ARCHITECTURE));
    if (is_version(version)) {
        (void)snprintf(ret, RA_ENTRY_PROCESSOR, "gfx%.*s%.2s", (int)(version.size - 3),
                       (const char *)version.data,
                       (const char *)version.data + version.size - 2);
        return;
    }
    for (size_t i = 0; i < RA_COUNT(families); i++)
        if (version.size == strlen(families[i].version) &&
            starts(version, families[i].version))
            (void)snprintf(ret, RA_ENTRY_PROCESSOR, "gfx%s-generic", families[i].generic);
}

/* ---- the ID ------------------------------------------------------------------- */

struct ra_entry_id ra_entry_id_parse(struct ra_span id)
{
    struct ra_span word = { id.data, word_size(id), id.base };
    struct ra_entry_id ret = { .kind = kind_of(word) };
    const uint8_t *system = memmem(id.data, id.size, SYSTEM, strlen(SYSTEM));
    struct ra_span tail = { 0 }, rest = { 0 };

    if (system && ret.kind != RA_ENTRY_HOST) {
        tail = after(id, (size_t)(system - id.data) + strlen(SYSTEM));
        rest = after(id, word.size < id.size ? word.size + 1 : word.size);
        rest.size = word_size(rest);
        name_processor(rest, ret.processor);
    }
    while (tail.size > 0 && !starts(tail, "gfx") && !starts(tail, "amdgcnspirv"))
        tail = after(tail, tail.data[0] == '-' ? 1 : word_size(tail));
    ret.target = tail;
    return ret;
}
