#include "base/diag.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *number, *name, *text;
    enum ra_severity severity;
} table[] = {
#define DIAG(code, number, name, severity, text)                                         \
    [RA_DIAG_##code] = { number, name, text, severity },
#include "base/diag.def"
#undef DIAG
};

const char *ra_diag_name(enum ra_diag_code code)
{
    return table[code].name;
}

const char *ra_diag_number(enum ra_diag_code code)
{
    return table[code].number;
}

struct ra_place ra_at(uint64_t offset)
{
    return (struct ra_place){ .offset = offset, .inner = RA_NOT_EXPANDED };
}

static void append(struct ra_diags *diags, struct ra_diag *diag)
{
    if (diags->last)
        diags->last->next = diag;
    else
        diags->first = diag;
    diags->last = diag;
}

/* The size of `text` that `want` bytes were cut to, without the half of a character. */
static size_t cut_size(const char *text, int want)
{
    size_t size = strlen(text);

    if (want < 0 || size == (size_t)want)
        return size;
    while (size > 0 && (text[size - 1] & 0xc0) == 0x80)
        size--;
    return size > 0 && (text[size - 1] & 0x80) ? size - 1 : size;
}

enum ra_status ra_fault(struct ra_diags *diags, enum ra_status status,
                        enum ra_diag_code code, struct ra_place place, const char *fmt,
                        ...)
{
    char detail[512];
    struct ra_span text = { .data = (const uint8_t *)detail };
    struct ra_diag *diag;
    va_list args;
    int want;

    diags->errors += table[code].severity == RA_ERROR;
    diags->count++;
    if (diags->limit && diags->count > diags->limit)
        return status;
    va_start(args, fmt);
    want = vsnprintf(detail, sizeof(detail), fmt, args);
    va_end(args);
    text.size = cut_size(detail, want); /* it may quote a name from the file */
    diag = ra_new(diags->arena, struct ra_diag, 1);
    if (!diag)
        return RA_E_NOMEM;
    *diag = (struct ra_diag){
        .code = table[code].number,
        .name = table[code].name,
        .severity = table[code].severity,
        .text = table[code].text,
        .detail = ra_text_escape(diags->arena, text),
        .offset = place.offset,
        .inner = place.inner,
    };
    if (!diag->detail)
        return RA_E_NOMEM;
    append(diags, diag);
    return status;
}

void ra_diags_join(struct ra_diags *to, struct ra_diags *from)
{
    size_t kept = to->count;

    to->errors += from->errors;
    to->count += from->count;
    for (struct ra_diag *diag = from->first, *next; diag; diag = next) {
        next = (struct ra_diag *)(uintptr_t)diag->next;
        diag->next = NULL;
        if (!to->limit || kept++ < to->limit)
            append(to, diag);
    }
    from->first = from->last = NULL;
}

static bool is_told(const struct ra_diags *diags, const struct ra_diag *diag)
{
    for (const struct ra_diag *told = diags->first; told; told = told->next)
        if (strcmp(told->code, diag->code) == 0 && told->offset == diag->offset &&
            told->inner == diag->inner && strcmp(told->detail, diag->detail) == 0)
            return true;
    return false;
}

void ra_diags_join_new(struct ra_diags *to, struct ra_diags *from)
{
    for (struct ra_diag *diag = from->first, *next; diag; diag = next) {
        next = (struct ra_diag *)(uintptr_t)diag->next;
        diag->next = NULL;
        if (is_told(to, diag))
            continue;
        to->errors += diag->severity == RA_ERROR;
        if (!to->limit || to->count < to->limit)
            append(to, diag);
        to->count++;
    }
    /* What was not kept cannot be compared. */
    if (from->limit && from->count > from->limit)
        to->errors += from->errors;
    from->first = from->last = NULL;
}

bool ra_is_damage(enum ra_status status)
{
    return status == RA_E_FORMAT || status == RA_E_UNSUPPORTED || status == RA_E_LIMIT;
}
