#include "runtime_inputs.h"

#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/files.h"
#include "gen/host.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 160, VERSION_OLD = 2 };

/* A recipe taken apart. */
struct recipe {
    struct runtime_inputs *inputs;
    struct runtime_input *input;
    char *words[WORDS]; /* the first one is the kind */
    size_t count;
};

static void refuse(const struct recipe *recipe, const char *why)
{
    fprintf(stderr, "recipe of %s: %s\n", recipe->input->name, why);
    exit(EXIT_FAILURE);
}

/* What stands behind "key=", or NULL. */
static const char *value_of(const struct recipe *recipe, const char *key)
{
    size_t size = strlen(key);

    for (size_t i = 1; i < recipe->count; i++)
        if (strncmp(recipe->words[i], key, size) == 0 && recipe->words[i][size] == '=')
            return recipe->words[i] + size + 1;
    return NULL;
}

static bool says(const struct recipe *recipe, const char *word)
{
    for (size_t i = 1; i < recipe->count; i++)
        if (strcmp(recipe->words[i], word) == 0)
            return true;
    return false;
}

static unsigned long number_of(const struct recipe *recipe, const char *key,
                               unsigned long otherwise)
{
    const char *value = value_of(recipe, key);

    return value ? strtoul(value, NULL, 0) : otherwise;
}

/* ---- code objects --------------------------------------------------------------- */

static void poke_number(const struct recipe *recipe, const char *key, size_t at,
                        unsigned width)
{
    if (value_of(recipe, key))
        fx_poke(&recipe->input->bytes, at, width, number_of(recipe, key, 0));
}

/*
 * The notes of V2 have the target as numbers and as text. An odd stepping says xnack on:
 * gfx907 is gfx906 with it.
 */
static void poke_isa(const struct recipe *recipe, size_t note)
{
    static const char names[] = "AMD\0AMDGPU", triple[] = "amdgcn-amd-amdhsa--gfx";
    static const char digits[] = "0123456789abcdef";
    struct fx *fx = &recipe->input->bytes;
    const char *isa = value_of(recipe, "isa");
    unsigned major, minor, stepping;
    uint8_t *found;

    if (!isa)
        return;
    if (sscanf(isa, "%u.%u.%u", &major, &minor, &stepping) != 3 || stepping > 15)
        refuse(recipe, "isa");
    found = memmem(fx->data + note, fx->size - note, names, sizeof(names));
    if (!found)
        refuse(recipe, "no note has an ISA");
    fx_poke(fx, (size_t)(found - fx->data) - 4, 4, stepping);
    found = memmem(fx->data + note, fx->size - note, triple, sizeof(triple) - 1);
    if (!found)
        refuse(recipe, "no note has a triple");
    found[sizeof(triple) - 1 + 2] = (uint8_t)digits[stepping];
}

/* Offsets in an ELF header and in a section header. */
enum {
    E_SHOFF = 40,
    E_SHNUM = 60,
    E_SHSTRNDX = 62,
    SH_OFFSET = 24,
    SH_SIZE = 32,
    SH_HEADER = 64,
};

/* Where the header of section `index` is. */
static size_t header_at(const struct fx *fx, size_t index)
{
    return (size_t)fx_peek(fx, E_SHOFF, 8) + SH_HEADER * index;
}

/* A copy of the section at the end, with `more` behind it. */
static void move_section(struct fx *fx, size_t index, const char *more, size_t size)
{
    size_t header = header_at(fx, index);
    size_t old = (size_t)fx_peek(fx, header + SH_OFFSET, 8);
    size_t old_size = (size_t)fx_peek(fx, header + SH_SIZE, 8);
    struct fx copy = { 0 };

    fx_bytes(&copy, fx->data + old, old_size);
    fx_bytes(&copy, more, size);
    fx_align(fx, 8);
    fx_poke(fx, header + SH_OFFSET, 8, fx->size);
    fx_poke(fx, header + SH_SIZE, 8, copy.size);
    fx_append(fx, &copy);
    fx_free(&copy);
}

static size_t find_section(const struct fx *fx, uint32_t type)
{
    size_t index = 0;

    while (fx_peek(fx, header_at(fx, index) + 4, 4) != type)
        index++;
    return index;
}

/*
 * What a linker leaves and HIP 5.2 does not do without: it crashes where there is no
 * .strtab. A copy of the dynamic symbols serves as .symtab, their names as .strtab.
 */
static void add_symbols(struct fx *fx)
{
    static const char names[] = ".symtab\0.strtab";
    size_t name_section = (size_t)fx_peek(fx, E_SHSTRNDX, 2);
    size_t name_size = (size_t)fx_peek(fx, header_at(fx, name_section) + SH_SIZE, 8);
    size_t count = (size_t)fx_peek(fx, E_SHNUM, 2);
    size_t dynsym = find_section(fx, SHT_DYNSYM), dynstr;
    Elf64_Shdr symtab, strtab;
    struct fx headers = { 0 };

    move_section(fx, name_section, names, sizeof(names));
    memcpy(&symtab, fx->data + header_at(fx, dynsym), sizeof(symtab));
    dynstr = symtab.sh_link;
    memcpy(&strtab, fx->data + header_at(fx, dynstr), sizeof(strtab));
    symtab.sh_name = (uint32_t)name_size;
    strtab.sh_name = (uint32_t)(name_size + sizeof(".symtab"));
    symtab.sh_type = SHT_SYMTAB;
    symtab.sh_flags = strtab.sh_flags = 0;
    symtab.sh_addr = strtab.sh_addr = 0;
    symtab.sh_link = (uint32_t)count + 1;
    fx_bytes(&headers, fx->data + header_at(fx, 0), count * SH_HEADER);
    fx_bytes(&headers, &symtab, sizeof(symtab));
    fx_bytes(&headers, &strtab, sizeof(strtab));
    fx_align(fx, 8);
    fx_poke(fx, E_SHOFF, 8, fx->size);
    fx_poke(fx, E_SHNUM, 2, count + 2);
    fx_append(fx, &headers);
    fx_free(&headers);
}

static void cut(const struct recipe *recipe)
{
    const char *value = value_of(recipe, "cut");
    struct fx *fx = &recipe->input->bytes;
    long size = value ? strtol(value, NULL, 0) : 0;

    if (!value)
        return;
    if (strcmp(value, "half") == 0)
        fx_cut(fx, fx->size / 2);
    else
        fx_cut(fx, size < 0 ? fx->size - (size_t)-size : (size_t)size);
}

static void make_code(const struct recipe *recipe)
{
    const char *kernel = value_of(recipe, "kernel");
    const char *metadata = value_of(recipe, "metadata");
    struct fx_kernel one = {
        .name = kernel ? kernel : "k_add", .vgprs = 3, .sgprs = 10, .kernarg = 20
    };
    struct fx_code spec = {
        .version = (unsigned)number_of(recipe, "version", 0),
        .target = value_of(recipe, "target"),
        .flags = (uint32_t)number_of(recipe, "flags", 0),
        .metadata = value_of(recipe, "claim"),
        .kernels = &one,
        .kernel_count = 1,
        .no_metadata = metadata && strcmp(metadata, "none") == 0,
        .relocatable = says(recipe, "relocatable"),
    };
    struct fx_code_at at = fx_code(&recipe->input->bytes, &spec);

    if (spec.version == VERSION_OLD)
        poke_isa(recipe, at.note);
    if (!spec.relocatable && !says(recipe, "stripped"))
        add_symbols(&recipe->input->bytes);
    poke_number(recipe, "flags", at.flags, 4);
    poke_number(recipe, "osabi", at.osabi, 1);
    poke_number(recipe, "abi", at.abi_version, 1);
    poke_number(recipe, "machine", at.machine, 2);
    poke_number(recipe, "type", at.type, 2);
    poke_number(recipe, "class", at.start + 4, 1);
    poke_number(recipe, "phoff", at.start + 32, 8);
    poke_number(recipe, "shoff", at.start + 40, 8);
    if (number_of(recipe, "shoff", 1) == 0)
        fx_poke(&recipe->input->bytes, at.start + 60, 4, 0); /* e_shnum, e_shstrndx */
    cut(recipe);
}

static void make_bytes(const struct recipe *recipe)
{
    struct fx *fx = &recipe->input->bytes;
    const char *hex = value_of(recipe, "hex");
    unsigned byte;

    for (; hex && *hex; hex += 2) {
        if (sscanf(hex, "%2x", &byte) != 1)
            refuse(recipe, "hex");
        fx_u8(fx, (uint8_t)byte);
    }
    fx_pad(fx, fx->size + number_of(recipe, "zeros", 0));
}

/* ---- bundles -------------------------------------------------------------------- */

/* Entries of a bundle, and where those without bytes say that theirs are. */
struct entries {
    struct fx_entry list[FX_ENTRIES];
    const char *place[FX_ENTRIES]; /* "+offset:size" */
    size_t count;
};

/* A word such as ID=NAME, ID=, ID=+OFFSET:SIZE, or any of them behind COUNT*. */
static void add_entries(const struct recipe *recipe, char *word, struct entries *entries)
{
    char *star = strchr(word, '*');
    size_t times = star ? strtoul(word, NULL, 10) : 1;
    char *id = star ? star + 1 : word, *equals = strchr(id, '=');
    const struct fx *content = NULL;
    const char *place = NULL;

    if (!equals || times > FX_ENTRIES - entries->count)
        refuse(recipe, word);
    *equals = '\0';
    if (equals[1] == '+')
        place = equals + 2;
    else if (equals[1])
        content = &runtime_input_find(recipe->inputs, equals + 1)->bytes;
    for (; times > 0; times--) {
        entries->place[entries->count] = place;
        entries->list[entries->count++] = (struct fx_entry){ id, content };
    }
}

static void make_bundle(const struct recipe *recipe)
{
    struct fx *fx = &recipe->input->bytes;
    unsigned long align = number_of(recipe, "align", 0);
    unsigned long count = number_of(recipe, "count", ULONG_MAX);
    struct entries entries = { .count = 0 };
    struct fx_bundle_at at;

    for (size_t i = 1; i < recipe->count; i++)
        if (!strstr(recipe->words[i], "align=") && !strstr(recipe->words[i], "count="))
            add_entries(recipe, recipe->words[i], &entries);
    at = fx_bundle(fx, &(struct fx_bundle){
                           .entries = entries.list,
                           .count = entries.count,
                           .align = align,
                       });
    for (size_t i = 0; i < entries.count; i++) {
        char *end;

        if (!entries.place[i])
            continue;
        fx_poke(fx, at.entry[i].offset, 8, strtoull(entries.place[i], &end, 0));
        fx_poke(fx, at.entry[i].size, 8, *end ? strtoull(end + 1, NULL, 0) : 0);
    }
    if (count != ULONG_MAX)
        fx_poke(fx, at.count, 8, count);
}

static const struct fx *content_of(const struct recipe *recipe)
{
    const char *name = value_of(recipe, "content");

    if (!name)
        refuse(recipe, "no content");
    return &runtime_input_find(recipe->inputs, name)->bytes;
}

static void make_compressed(const struct recipe *recipe)
{
    const char *method = value_of(recipe, "method");

    fx_ccob(&recipe->input->bytes,
            &(struct fx_ccob){
                .version = (unsigned)number_of(recipe, "version", 2),
                .codec = method && strcmp(method, "zlib") == 0 ? FX_ZLIB : FX_ZSTD,
                .content = content_of(recipe),
            });
}

static void make_cut(const struct recipe *recipe)
{
    struct fx *fx = &recipe->input->bytes;

    fx_append(fx, content_of(recipe));
    fx_cut(fx, number_of(recipe, "size", 0));
}

/* As a linker puts the sections of two translation units one behind the other. */
static void make_pair(const struct recipe *recipe)
{
    for (size_t i = 1; i < recipe->count; i++) {
        fx_align(&recipe->input->bytes, 4096);
        fx_append(&recipe->input->bytes,
                  &runtime_input_find(recipe->inputs, recipe->words[i])->bytes);
    }
}

/* ---- libraries ------------------------------------------------------------------- */

/* CONTENT:KERNEL; names of contents may have colons. */
static void add_wrapper(const struct recipe *recipe, char *word, struct fx *fatbin)
{
    struct runtime_input *input = recipe->input;
    char *colon = strrchr(word, ':');

    if (!colon || input->wrapper_count == RUNTIME_WRAPPERS)
        refuse(recipe, word);
    *colon = '\0';
    fx_align(fatbin, 4096);
    input->wrapper[input->wrapper_count].offset = fatbin->size;
    input->wrapper[input->wrapper_count].kernel = colon + 1;
    input->wrapper[input->wrapper_count].content =
        runtime_input_find(recipe->inputs, word);
    fx_append(fatbin, &input->wrapper[input->wrapper_count].content->bytes);
    input->wrapper_count++;
}

static void make_library(const struct recipe *recipe)
{
    struct runtime_input *input = recipe->input;
    uint64_t starts[RUNTIME_WRAPPERS];
    struct fx fatbin = { 0 };
    struct fx_host_at at;

    input->magic = (uint32_t)number_of(recipe, "magic", FX_HIPF);
    input->version = (uint32_t)number_of(recipe, "version", 1);
    for (size_t i = 1; i < recipe->count; i++)
        if (!strchr(recipe->words[i], '='))
            add_wrapper(recipe, recipe->words[i], &fatbin);
    for (size_t i = 0; i < input->wrapper_count; i++)
        starts[i] = input->wrapper[i].offset;
    at = fx_host(&input->bytes, &(struct fx_host){
                                    .fatbin = &fatbin,
                                    .wrapped = starts,
                                    .wrapper_count = input->wrapper_count,
                                    .magic = input->magic,
                                });
    fx_poke(&input->bytes, at.wrappers + 4, 4, input->version);
    fx_free(&fatbin);
}

/* ---- all -------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    void (*make)(const struct recipe *recipe);
} makers[] = {
    { "code", make_code },       { "bytes", make_bytes },
    { "bundle", make_bundle },   { "compressed", make_compressed },
    { "cut", make_cut },         { "pair", make_pair },
    { "library", make_library },
};

static void make(struct recipe *recipe, char *text)
{
    for (char *word; (word = strsep(&text, " "));) {
        if (recipe->count == WORDS)
            refuse(recipe, "too many words");
        recipe->words[recipe->count++] = word;
    }
    for (size_t i = 0; i < RA_COUNT(makers); i++)
        if (strcmp(recipe->words[0], makers[i].kind) == 0) {
            makers[i].make(recipe);
            return;
        }
    refuse(recipe, "of no known kind");
}

static size_t count_lines(const struct fx *text)
{
    size_t count = 0;

    for (size_t i = 0; i < text->size; i++)
        count += text->data[i] == '\n';
    return count;
}

void runtime_inputs_load(const char *path, struct runtime_inputs *ret)
{
    char *rest;

    *ret = (struct runtime_inputs){ 0 };
    if (!fx_load(".", path, &ret->text))
        exit(EXIT_FAILURE);
    fx_u8(&ret->text, '\0');
    ret->list = calloc(count_lines(&ret->text) + 1, sizeof(*ret->list));
    if (!ret->list)
        abort();
    rest = (char *)ret->text.data;
    for (char *line; (line = strsep(&rest, "\n"));) {
        struct runtime_input *input = &ret->list[ret->count];
        struct recipe recipe = { .inputs = ret, .input = input };

        if (*line == '\0' || *line == '#')
            continue;
        input->name = strsep(&line, "\t");
        if (!line)
            refuse(&recipe, "no recipe");
        make(&recipe, line);
        ret->count++; /* not before: none refers to itself */
    }
}

void runtime_inputs_free(struct runtime_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        fx_free(&inputs->list[i].bytes);
    free(inputs->list);
    fx_free(&inputs->text);
    *inputs = (struct runtime_inputs){ 0 };
}

const struct runtime_input *runtime_input_find(const struct runtime_inputs *inputs,
                                               const char *name)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (strcmp(inputs->list[i].name, name) == 0)
            return &inputs->list[i];
    fprintf(stderr, "there is no input %s\n", name);
    exit(EXIT_FAILURE);
}

bool runtime_inputs_save(const struct runtime_inputs *inputs, const char *folder)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (!fx_save(folder, inputs->list[i].name, &inputs->list[i].bytes))
            return false;
    return true;
}
