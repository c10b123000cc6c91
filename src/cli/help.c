#include "cli/table.h"

#define HELP_COLUMNS ((size_t)80)

/* Where the text of an option or verb starts. */
#define HELP_INDENT ((size_t)26)

static void put_wrapped(FILE *file, const char *text)
{
    size_t column = HELP_INDENT;

    while (*text) {
        size_t size = strcspn(text, " ");

        if (column + 1 + size > HELP_COLUMNS) {
            fprintf(file, "\n%*s", (int)HELP_INDENT, "");
            column = HELP_INDENT;
        } else if (column > HELP_INDENT) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", (int)size, text);
        column += size;
        text += size + strspn(text + size, " ");
    }
    fputc('\n', file);
}

static void put_item(FILE *file, const char *item, const char *text)
{
    fprintf(file, "%-*s", (int)HELP_INDENT, item);
    if (strlen(item) >= HELP_INDENT)
        fprintf(file, "\n%*s", (int)HELP_INDENT, "");
    put_wrapped(file, text);
}

static void put_option(FILE *file, const struct option *option)
{
    char item[64], letter[] = { '-', option->letter, '\0' };
    const char *argument = option->argument ? option->argument : "";

    if (!option->name)
        snprintf(item, sizeof(item), "  %s", letter);
    else
        snprintf(item, sizeof(item), "  %s%s--%s%s%s", option->letter ? letter : "",
                 option->letter ? ", " : "    ", option->name,
                 option->argument ? "=" : "", argument);
    put_item(file, item, option->help);
}

static void put_options(FILE *file, enum verb topic)
{
    const char *group = "";

    for (size_t i = 0; i < option_count; i++) {
        const struct option *option = &option_table[i];

        if (topic && !(option->verbs & topic))
            continue;
        if (strcmp(group, option->group) != 0)
            fprintf(file, "\n%s:\n", option->group);
        group = option->group;
        put_option(file, option);
    }
}

static void put_verbs(FILE *file)
{
    fputs("\nverbs (a first argument that is none of them is a path, and so is ./ls):\n",
          file);
    for (size_t i = 0; i < verb_count; i++) {
        char item[32];

        snprintf(item, sizeof(item), "  %s", verb_table[i].name);
        put_item(file, item, verb_table[i].help);
    }
}

static void put_codes(FILE *file, enum verb topic)
{
    static const struct {
        const char *code, *help;
    } judged[] = {
        { "  0", "it fits" },
        { "  1", "a mismatch is established" },
        { "  2", "undecided: not all could be read, or there was nothing to judge" },
        { "  3", "the command line is wrong" },
    }, written[] = {
        { "  0", "something was written, or is there already" },
        { "  2", "there was nothing to write, or not all of it could be" },
        { "  3", "the command line is wrong" },
    }, listed[] = {
        { "  0", "something was listed" },
        { "  2", "there was nothing to list, or not all of it could be read" },
        { "  3", "the command line is wrong" },
    };

    fputs("\nexit codes:\n", file);
    if (!topic || topic == VERB_AUDIT || topic == VERB_CHECK)
        for (size_t i = 0; i < RA_COUNT(judged); i++)
            put_item(file, judged[i].code, judged[i].help);
    else if (topic == VERB_EXTRACT)
        for (size_t i = 0; i < RA_COUNT(written); i++)
            put_item(file, written[i].code, written[i].help);
    else
        for (size_t i = 0; i < RA_COUNT(listed); i++)
            put_item(file, listed[i].code, listed[i].help);
}

void options_help(FILE *file, enum verb topic)
{
    const char *lead = "usage:";

    for (size_t i = 0; i < verb_count; i++) {
        if (topic && verb_table[i].verb != topic)
            continue;
        fprintf(file, "%-6s %s\n", lead, verb_table[i].usage);
        lead = "";
        if (topic)
            fprintf(file, "\n%s\n", verb_table[i].help);
    }
    if (!topic) {
        fputs("\nCan this AMD GPU run what was built? Looks into ELF libraries, bundles "
              "and\n"
              "code objects, and says which GPUs their device code is for.\n",
              file);
        put_verbs(file);
    }
    put_options(file, topic);
    if (topic != VERB_HELP)
        put_codes(file, topic);
}
