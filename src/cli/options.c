#include "cli/options.h"

#include "cli/nearest.h"
#include "cli/table.h"

#include <stdlib.h>

#define THREADS_MOST 1024

/* The state of reading argv. */
struct parser {
    int argc;
    const char *const *argv;
    int at; /* the next argument */
    struct options *options;
    struct ra_text *error;
    bool used[OPTIONS_MOST]; /* of each option, whether it was given */
    const char *variable;    /* that the value is from, or NULL */
};

/* Text of argv is as foreign as that of files. */
static void complain(struct parser *parser, const char *before, const char *foreign,
                     const char *after)
{
    struct ra_arena arena = { 0 };
    struct ra_span span = { .data = (const uint8_t *)foreign, .size = strlen(foreign) };
    const char *shown = ra_text_escape(&arena, span);

    ra_text_printf(parser->error, "%s%s%s", before, shown ? shown : "", after);
    ra_arena_free(&arena);
}

static enum ra_status list_add(struct list *list, const char *item)
{
    const char **items;

    items = realloc(list->items, (list->count + 1) * sizeof(*items));
    if (!items)
        return RA_E_NOMEM;
    list->items = items;
    items[list->count++] = item;
    return RA_OK;
}

static enum ra_status unknown_long(struct parser *parser, const char *name, size_t size)
{
    const char *nearest = nearest_option(name, size);

    complain(parser, "there is no option ", parser->argv[parser->at - 1], "");
    if (nearest)
        ra_text_printf(parser->error, "; did you mean --%s?", nearest);
    return RA_E_FORMAT;
}

static bool is_format(const char *name, size_t size)
{
    for (const char *const *format = ra_report_formats(); *format; format++)
        if (strlen(*format) == size && memcmp(*format, name, size) == 0)
            return true;
    return false;
}

static enum ra_status bad_format(struct parser *parser, const char *value)
{
    const char *gap = "";

    complain(parser, "there is no format ", value, "; there are ");
    for (const char *const *format = ra_report_formats(); *format; format++) {
        ra_text_printf(parser->error, "%s%s", gap, *format);
        gap = ", ";
    }
    return RA_E_FORMAT;
}

static enum ra_status set_count(struct parser *parser, const char *value, unsigned *ret)
{
    unsigned long number;
    char *end;

    number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number < 1 || number > THREADS_MOST) {
        complain(parser, "", value, "");
        ra_text_printf(parser->error, " is no number from 1 to %d", THREADS_MOST);
        return RA_E_FORMAT;
    }
    *ret = (unsigned)number;
    return RA_OK;
}

static enum ra_status set_choice(struct parser *parser, const struct option *option,
                                 const char *value, unsigned *ret)
{
    for (unsigned i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *ret = i;
            return RA_OK;
        }
    }
    ra_text_printf(parser->error, "--%s takes ", option->name);
    for (unsigned i = 0; option->choices[i]; i++)
        ra_text_printf(parser->error, "%s%s", i ? ", " : "", option->choices[i]);
    complain(parser, ", not ", value, "");
    return RA_E_FORMAT;
}

/* Whether a value will do; if not, why. */
static enum ra_status check_value(struct parser *parser, const struct option *option,
                                  const char *value)
{
    const char *why = option->refused ? option->refused(value) : NULL;
    const char *nearest = NULL;

    if (!why)
        return RA_OK;
    ra_text_printf(parser->error, "--%s ", option->name);
    if (parser->variable)
        complain(parser, "", parser->variable, ", ");
    complain(parser, "", value, ": ");
    ra_text_str(parser->error, why);
    if (option->refused == ra_target_refused || option->refused == ra_required_refused)
        nearest = nearest_processor(value, strcspn(value, ":+"));
    if (nearest)
        ra_text_printf(parser->error, "; did you mean %s?", nearest);
    return RA_E_FORMAT;
}

static enum ra_status set_output(struct parser *parser, const char *value,
                                 struct list *list)
{
    const char *format, *file;

    if (options_split_output(value, &format, &file))
        return list_add(list, value);
    if (strchr(value, '=') && file && *file)
        return bad_format(parser, value);
    complain(parser, "--output takes FORMAT=FILE, not ", value, "");
    return RA_E_FORMAT;
}

/* Targets as CMake parts them, and compilers, and shells. */
static enum ra_status add_targets(struct parser *parser, const struct option *option,
                                  const char *text, struct list *list)
{
    static const char gaps[] = ";, \t\r\n";
    size_t before = list->count;

    for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
        size_t size = strcspn(text, gaps);
        const char *word = ra_arena_text(&parser->options->words, text, size);
        enum ra_status status = word ? check_value(parser, option, word) : RA_E_NOMEM;

        if (status == RA_OK)
            status = list_add(list, word);
        if (status != RA_OK)
            return status;
        text += size;
    }
    if (list->count > before)
        return RA_OK;
    ra_text_printf(parser->error, "--%s ", option->name);
    if (parser->variable)
        complain(parser, "", parser->variable, ": the variable ");
    ra_text_str(parser->error, "names no target");
    return RA_E_FORMAT;
}

static enum ra_status add_from_environment(struct parser *parser,
                                           const struct option *option, const char *name,
                                           struct list *list)
{
    const char *value = getenv(name);
    enum ra_status status;

    if (!value) {
        ra_text_printf(parser->error, "--%s ", option->name);
        complain(parser, "", name, ": the variable is not set");
        return RA_E_FORMAT;
    }
    parser->variable = name;
    status = add_targets(parser, option, value, list);
    parser->variable = NULL;
    return status;
}

/* Keep what an option says. `value` is NULL for flags only. */
static enum ra_status option_set(struct parser *parser, const struct option *option,
                                 const char *value)
{
    void *field = (char *)parser->options + option->field;

    parser->used[option - option_table] = true;
    if (option->kind == OPTION_TARGETS)
        return add_targets(parser, option, value, field);
    if (option->kind == OPTION_ENVIRONMENT)
        return add_from_environment(parser, option, value, field);
    if (value && check_value(parser, option, value) != RA_OK)
        return RA_E_FORMAT;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return RA_OK;
    case OPTION_FORMAT:
        if (!is_format(value, strlen(value)))
            return bad_format(parser, value);
        *(const char **)field = value;
        return RA_OK;
    case OPTION_TEXT:
        *(const char **)field = value;
        return RA_OK;
    case OPTION_LIST:
        return list_add(field, value);
    case OPTION_OUTPUT:
        return set_output(parser, value, field);
    case OPTION_COUNT:
        return set_count(parser, value, field);
    case OPTION_CHOICE:
        return set_choice(parser, option, value, field);
    case OPTION_TARGETS:
    case OPTION_ENVIRONMENT:
        break;
    }
    return RA_E_FORMAT;
}

static enum ra_status option_with_value(struct parser *parser,
                                        const struct option *option, const char *value)
{
    if (!value && parser->at < parser->argc)
        value = parser->argv[parser->at++];
    if (value)
        return option_set(parser, option, value);
    complain(parser, "", parser->argv[parser->argc - 1], " needs ");
    ra_text_str(parser->error, option->argument);
    return RA_E_FORMAT;
}

/* --name, --name=VALUE or --name VALUE */
static enum ra_status parse_long(struct parser *parser, const char *name)
{
    size_t size = strcspn(name, "=");
    const char *value = name[size] ? name + size + 1 : NULL;

    for (size_t i = 0; i < option_count; i++) {
        const struct option *option = &option_table[i];

        if (!option->name || strlen(option->name) != size ||
            memcmp(option->name, name, size) != 0)
            continue;
        if (option->kind != OPTION_FLAG)
            return option_with_value(parser, option, value);
        if (!value)
            return option_set(parser, option, NULL);
        ra_text_printf(parser->error, "--%s takes no value", option->name);
        return RA_E_FORMAT;
    }
    return unknown_long(parser, name, size);
}

static const struct option *by_letter(char letter)
{
    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].letter == letter)
            return &option_table[i];
    return NULL;
}

/* -q, -qv, -j4 or -j 4 */
static enum ra_status parse_short(struct parser *parser, const char *letters)
{
    enum ra_status status = RA_OK;

    for (; *letters && status == RA_OK; letters++) {
        const struct option *option = by_letter(*letters);

        if (!option) {
            char shown[] = { '-', *letters, '\0' };

            complain(parser, "there is no option ", shown, "");
            return RA_E_FORMAT;
        }
        if (option->kind != OPTION_FLAG)
            return option_with_value(parser, option, letters[1] ? letters + 1 : NULL);
        status = option_set(parser, option, NULL);
    }
    return status;
}

static const struct verb_row *verb_by_name(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

static const struct verb_row *verb_row(enum verb verb)
{
    for (size_t i = 0; i < verb_count; i++)
        if (verb_table[i].verb == verb)
            return &verb_table[i];
    return NULL;
}

/* The first argument that is no option. */
static enum ra_status parse_first(struct parser *parser, const char *argument)
{
    const struct verb_row *row = verb_by_name(argument);

    if (row) {
        parser->options->verb = row->verb;
        parser->options->topic = row->verb;
        return RA_OK;
    }
    for (const char *const *verb = verbs_reserved; *verb; verb++) {
        if (strcmp(*verb, argument) != 0)
            continue;
        ra_text_printf(parser->error,
                       "version " RA_VERSION " has no verb '%s' yet; ./%s is a path",
                       argument, argument);
        return RA_E_FORMAT;
    }
    return list_add(&parser->options->paths, argument);
}

static enum ra_status parse_all(struct parser *parser)
{
    enum ra_status status = RA_OK;
    bool ended = false, first = true;

    while (parser->at < parser->argc && status == RA_OK) {
        const char *argument = parser->argv[parser->at++];

        if (!ended && strcmp(argument, "--") == 0) {
            ended = true;
            first = false;
        } else if (!ended && strncmp(argument, "--", 2) == 0) {
            status = parse_long(parser, argument + 2);
        } else if (!ended && argument[0] == '-' && argument[1]) {
            status = parse_short(parser, argument + 1);
        } else if (first) {
            status = parse_first(parser, argument);
            first = false;
        } else {
            status = list_add(&parser->options->paths, argument);
        }
    }
    return status;
}

/* `help VERB`: what follows is no path. */
static enum ra_status check_help(struct parser *parser)
{
    struct options *options = parser->options;
    const struct verb_row *row = NULL;

    options->topic = 0;
    if (options->paths.count == 0)
        return RA_OK;
    if (options->paths.count == 1)
        row = verb_by_name(options->paths.items[0]);
    if (!row) {
        complain(parser, "there is no verb ", options->paths.items[0], " to explain");
        return RA_E_FORMAT;
    }
    options->topic = row->verb;
    return RA_OK;
}

/* What is explained is no path, and is one thing: then the answer is one document. */
static enum ra_status check_explain(struct parser *parser)
{
    const struct list *names = &parser->options->paths;

    if (names->count > 1) {
        ra_text_str(parser->error, "explain takes one rule or diagnostic at a time");
        return RA_E_FORMAT;
    }
    if (names->count == 1 && !ra_explain(names->items[0])) {
        complain(parser, "there is no rule or diagnostic ", names->items[0],
                 "; 'rocaudit explain' lists all");
        return RA_E_FORMAT;
    }
    if (parser->options->format && strcmp(parser->options->format, "jsonl") == 0) {
        ra_text_str(parser->error, "explain answers as text or json");
        return RA_E_FORMAT;
    }
    return RA_OK;
}

/* An option of another verb would be without effect, which nobody means. */
static enum ra_status check_options(struct parser *parser, const char *verb)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option *option = &option_table[i];
        char letter[2] = { option->letter, '\0' };

        if (!parser->used[i] || (option->verbs & parser->options->verb))
            continue;
        ra_text_printf(parser->error, "%s%s does not go with %s",
                       option->name ? "--" : "-", option->name ? option->name : letter,
                       verb);
        return RA_E_FORMAT;
    }
    return RA_OK;
}

static enum ra_status check_verb(struct parser *parser)
{
    struct options *options = parser->options;
    const char *name = verb_row(options->verb)->name;

    if (check_options(parser, name) != RA_OK)
        return RA_E_FORMAT;
    if (options->verb == VERB_GPU && options->paths.count > 0) {
        complain(parser, "gpu takes no path, such as ", options->paths.items[0], "");
        return RA_E_FORMAT;
    }
    if (options->list && options->format && strcmp(options->format, "text") != 0) {
        ra_text_str(parser->error, "gpu --list is text only");
        return RA_E_FORMAT;
    }
    if (options->verb == VERB_EXPLAIN)
        return check_explain(parser);
    if (options->gpus.count > 0 && options->gpus_from.count > 0) {
        ra_text_str(parser->error, "--gpu and --gpu-from do not go together");
        return RA_E_FORMAT;
    }
    if (options->verb != VERB_GPU && options->paths.count == 0) {
        ra_text_printf(parser->error, "%s needs a path", name);
        return RA_E_FORMAT;
    }
    if (options->verb == VERB_CHECK && options->required.count == 0) {
        ra_text_str(parser->error, "check needs targets: --require LIST, or "
                                   "--require-env NAME");
        return RA_E_FORMAT;
    }
    if (options->verb == VERB_EXTRACT && !options->folder && !options->dry_run) {
        ra_text_str(parser->error, "extract needs a folder to write to: -o DIR");
        return RA_E_FORMAT;
    }
    return RA_OK;
}

enum ra_status options_parse(int argc, const char *const *argv, struct options *ret,
                             struct ra_text *error)
{
    struct parser parser = {
        .argc = argc,
        .argv = argv,
        .at = 1,
        .options = ret,
        .error = error,
    };
    enum ra_status status;

    *ret = (struct options){ .verb = VERB_AUDIT };
    status = parse_all(&parser);
    if (status != RA_OK)
        return status;
    if (ret->verb == VERB_HELP)
        return check_help(&parser);
    return ret->help || ret->version ? RA_OK : check_verb(&parser);
}

void options_free(struct options *options)
{
    free(options->paths.items);
    free(options->gpus.items);
    free(options->gpus_from.items);
    free(options->outputs.items);
    free(options->targets.items);
    free(options->required.items);
    free(options->forbidden.items);
    free(options->allowed_partial.items);
    ra_arena_free(&options->words);
    *options = (struct options){ 0 };
}

bool options_split_output(const char *argument, const char **ret_format,
                          const char **ret_file)
{
    size_t size = strcspn(argument, "=");

    *ret_format = NULL;
    *ret_file = argument[size] ? argument + size + 1 : NULL;
    if (!*ret_file || !**ret_file)
        return false;
    for (const char *const *format = ra_report_formats(); *format; format++)
        if (strlen(*format) == size && memcmp(*format, argument, size) == 0)
            *ret_format = *format;
    return *ret_format != NULL;
}
