/*
 * runtime_inputs.h - the inputs that a runtime was asked about, made from their facts.
 *
 * A line of fixtures/runtime/inputs.tsv is a name and a recipe; the README beside it has
 * the words of recipes. Lines refer to lines before them.
 */
#ifndef RUNTIME_INPUTS_H
#define RUNTIME_INPUTS_H

#include "gen/bytes.h"

enum { RUNTIME_WRAPPERS = 4 };

struct runtime_input {
    const char *name;
    struct fx bytes;
    /** Of a library: what each wrapper of its points to. */
    struct {
        const struct runtime_input *content;
        const char *kernel; /**< that is registered with it */
        size_t offset;      /**< in .hip_fatbin */
    } wrapper[RUNTIME_WRAPPERS];
    size_t wrapper_count;
    uint32_t magic, version; /**< of the wrappers */
};

struct runtime_inputs {
    struct fx text; /**< of the file; names point into it */
    struct runtime_input *list;
    size_t count;
};

/** Read recipes and make all inputs; ends the program if there is an error in them. */
void runtime_inputs_load(const char *path, struct runtime_inputs *ret);
void runtime_inputs_free(struct runtime_inputs *inputs);

/** Ends the program if there is none. */
const struct runtime_input *runtime_input_find(const struct runtime_inputs *inputs,
                                               const char *name);

/** Write each input below `folder`, by its name. */
bool runtime_inputs_save(const struct runtime_inputs *inputs, const char *folder);

#endif
