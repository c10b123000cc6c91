#include "gfx/producer.h"

#include "base/text.h"

#define SECTION_SIZE  ((size_t)64)  /* gABI, Elf64_Shdr */
#define SECTION_LIMIT ((size_t)256) /* lld writes some twenty */
#define COMMENT_LIMIT ((size_t)4096)
#define NAME          ".comment"      /* with its terminator */
#define ESCAPED_SIZE  ((size_t)4)     /* \xNN, of what was one byte */
#define NUMBER_LIMIT  ((uint32_t)1e6) /* no version has more */

#define CLANG   "clang"
#define VERSION " version "
#define LINKER  "Linker: "
#define RELEASE "roc-"

enum { TYPE_CONTENT = 1 };                             /* SHT_PROGBITS */
enum { ALLOCATED = 2, MERGED = 0x10, STRINGS = 0x20 }; /* SHF_... */

struct section {
    uint32_t name, type;
    uint64_t flags, offset, size;
};

/* ---- the section ------------------------------------------------------------ */

static struct section section_at(struct ra_span table, size_t index)
{
    struct ra_cursor cur = ra_cursor_over(table);
    struct section section;

    ra_cursor_seek(&cur, index * SECTION_SIZE);
    section.name = ra_cursor_u32le(&cur);
    section.type = ra_cursor_u32le(&cur);
    section.flags = ra_cursor_u64le(&cur);
    ra_cursor_skip(&cur, 8); /* address */
    section.offset = ra_cursor_u64le(&cur);
    section.size = ra_cursor_u64le(&cur);
    return section;
}

/* Few are of its kind, so names are looked up one by one. */
static enum ra_status is_comment(const struct ra_source *names,
                                 const struct section *section, struct ra_diags *diags,
                                 bool *ret)
{
    uint8_t bytes[sizeof(NAME)];
    struct ra_span span;
    enum ra_status status;

    *ret = false;
    if (section->type != TYPE_CONTENT ||
        (section->flags & (ALLOCATED | MERGED | STRINGS)) != (MERGED | STRINGS))
        return RA_OK;
    status = ra_source_peek(names, section->name, sizeof(bytes), diags, bytes, &span);
    *ret = status == RA_OK && span.size == sizeof(NAME) &&
           memcmp(bytes, NAME, sizeof(NAME)) == 0;
    return status;
}

/* Where its content is; empty if there is none that could be read. */
static enum ra_status find_comment(const struct ra_image *image, struct ra_diags *diags,
                                   struct ra_source *ret)
{
    uint8_t bytes[SECTION_LIMIT * SECTION_SIZE];
    struct ra_span table = { .data = bytes, .size = image->section_count * SECTION_SIZE };
    struct ra_source headers, names;
    struct section section;
    bool found = false;
    enum ra_status status;

    *ret = ra_source_from(&image->source, image->source.size);
    if (image->section_names >= image->section_count ||
        image->section_count > SECTION_LIMIT ||
        !ra_source_sub(&image->source, image->section_headers, table.size, &headers))
        return RA_OK;
    status = ra_source_read(&headers, 0, table.size, diags, bytes);
    if (status != RA_OK)
        return status;
    section = section_at(table, image->section_names);
    if (!ra_source_sub(&image->source, section.offset, section.size, &names))
        return RA_OK;
    for (size_t i = 0; status == RA_OK && !found && i < image->section_count; i++) {
        section = section_at(table, i);
        status = is_comment(&names, &section, diags, &found);
    }
    if (found && !ra_source_sub(&image->source, section.offset, section.size, ret))
        *ret = ra_source_from(&image->source, image->source.size);
    return status;
}

/* ---- its strings ------------------------------------------------------------ */

/* What a string names; of clang if it has a version. */
struct producer {
    struct ra_span text;
    struct ra_span name, version, release;
};

static bool has(struct ra_span text, const char *words, size_t *ret)
{
    const uint8_t *found = memmem(text.data, text.size, words, strlen(words));

    if (found)
        *ret = (size_t)(found - text.data);
    return found;
}

static struct ra_span from(struct ra_span text, size_t offset)
{
    return (struct ra_span){ .data = text.data + offset, .size = text.size - offset };
}

/* Up to a blank or a bracket. */
static struct ra_span word_of(struct ra_span text)
{
    size_t size = 0;

    while (size < text.size && !strchr(" ()", text.data[size]))
        size++;
    text.size = size;
    return text;
}

static bool is_linker(struct ra_span text)
{
    return text.size >= strlen(LINKER) && memcmp(text.data, LINKER, strlen(LINKER)) == 0;
}

static struct producer understand(struct ra_span text)
{
    struct producer producer = { .text = text };
    size_t at;

    if (is_linker(text) && has(text, " (", &at))
        producer.text.size = at; /* a repository and a commit follow */
    if (!has(text, CLANG VERSION, &at))
        return producer;
    producer.name = text;
    producer.name.size = at + strlen(CLANG);
    text = from(text, at + strlen(CLANG VERSION));
    producer.version = word_of(text);
    if (has(text, RELEASE, &at))
        producer.release = word_of(from(text, at));
    return producer;
}

/* Takes a number and the dot behind it; what is no number ends the version. */
static uint32_t take_number(struct ra_span *version)
{
    uint32_t number = 0;
    size_t size = 0;

    for (; size < version->size && version->data[size] >= '0' &&
           version->data[size] <= '9' && number < NUMBER_LIMIT;
         size++)
        number = number * 10 + (uint32_t)(version->data[size] - '0');
    if (size == 0 || size == version->size || version->data[size] != '.')
        version->size = 0;
    else
        *version = from(*version, size + 1);
    return number;
}

static bool is_newer(struct ra_span version, struct ra_span other)
{
    while (version.size > 0 || other.size > 0) {
        uint32_t left = take_number(&version), right = take_number(&other);

        if (left != right)
            return left > right;
    }
    return false;
}

static bool is_better(const struct producer *producer, const struct producer *other)
{
    if (other->text.size == 0)
        return true;
    if (producer->version.size > 0 || other->version.size > 0)
        return is_newer(producer->version, other->version);
    return is_linker(other->text) && !is_linker(producer->text);
}

/* A string without its end is one that was cut: it could name another version. */
static struct producer choose(struct ra_span strings)
{
    struct producer best = { 0 };
    const uint8_t *end;

    while (strings.size > 0 && (end = memchr(strings.data, 0, strings.size))) {
        struct ra_span text = { .data = strings.data,
                                .size = (size_t)(end - strings.data) };
        struct producer producer = understand(text);

        if (text.size > 0 && is_better(&producer, &best))
            best = producer;
        strings = from(strings, text.size + 1);
    }
    return best;
}

/* ---- the text --------------------------------------------------------------- */

struct line {
    uint8_t bytes[RA_PRODUCER_SIZE];
    size_t size;
};

static void append(struct line *line, struct ra_span word)
{
    size_t left = sizeof(line->bytes) - line->size;

    if (line->size > 0 && word.size > 0 && left > 0) {
        line->bytes[line->size++] = ' ';
        left--;
    }
    if (word.size > left)
        word.size = left;
    if (word.size > 0)
        memcpy(line->bytes + line->size, word.data, word.size);
    line->size += word.size;
}

static const char *spell(const struct producer *producer, struct ra_arena *arena)
{
    struct line line = { .size = 0 };
    struct ra_span span = { .data = line.bytes };

    if (producer->version.size > 0) {
        append(&line, producer->name);
        append(&line, producer->version);
        append(&line, producer->release);
    } else {
        append(&line, producer->text);
    }
    span.size = line.size;
    if (!ra_text_is_plain(span) && span.size > sizeof(line.bytes) / ESCAPED_SIZE)
        span.size = sizeof(line.bytes) / ESCAPED_SIZE;
    return ra_text_escape(arena, span);
}

enum ra_status ra_producer_read(const struct ra_image *image, struct ra_arena *arena,
                                struct ra_diags *diags, const char **ret)
{
    uint8_t bytes[COMMENT_LIMIT];
    struct ra_source comment;
    struct producer producer;
    struct ra_span strings;
    enum ra_status status = find_comment(image, diags, &comment);

    *ret = NULL;
    if (status == RA_OK)
        status = ra_source_peek(&comment, 0, sizeof(bytes), diags, bytes, &strings);
    if (status != RA_OK)
        return status;
    producer = choose(strings);
    if (producer.text.size == 0)
        return RA_OK;
    *ret = spell(&producer, arena);
    return *ret ? RA_OK : RA_E_NOMEM;
}
