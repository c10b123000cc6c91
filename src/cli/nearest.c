#include "cli/nearest.h"

#include "cli/table.h"

#define NAME_MOST ((size_t)32)

/* Edits that make one name the other (Levenshtein), for names that are short. */
static size_t distance(const char *a, size_t a_size, const char *b)
{
    size_t row[NAME_MOST + 1], b_size = strlen(b);

    if (a_size > NAME_MOST || b_size > NAME_MOST)
        return NAME_MOST;
    for (size_t j = 0; j <= b_size; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);
            size_t shorter = row[j - 1] < row[j] ? row[j - 1] : row[j];

            corner = row[j];
            row[j] = shorter + 1 < change ? shorter + 1 : change;
        }
    }
    return row[b_size];
}

const char *nearest_option(const char *name, size_t size)
{
    const char *nearest = NULL;
    size_t least = size / 2 + 1;

    for (size_t i = 0; i < option_count; i++) {
        const char *other = option_table[i].name;
        size_t edits = other ? distance(name, size, other) : NAME_MOST;

        if (edits >= least)
            continue;
        least = edits;
        nearest = other;
    }
    return nearest;
}

const char *nearest_processor(const char *name, size_t size)
{
    const char *nearest = NULL;
    size_t count, least = size / 2 + 1;
    const struct ra_processor *processors = ra_processors(&count);

    for (size_t i = 0; i < count; i++) {
        size_t edits = distance(name, size, processors[i].name);

        if (edits >= least)
            continue;
        least = edits;
        nearest = processors[i].name;
    }
    return nearest;
}
