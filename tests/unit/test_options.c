#include "cli/options.h"

#include "cli/table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* A command line, NULL-terminated and without the program's name, parsed. */
static enum ra_status parse(const char *const *arguments, struct options *ret,
                            struct ra_text *error)
{
    const char *argv[16] = { "rocaudit" };
    int argc = 1;

    for (; arguments[argc - 1]; argc++)
        argv[argc] = arguments[argc - 1];
    return options_parse(argc, argv, ret, error);
}

#define ARGUMENTS(...)                                                                   \
    (const char *const[])                                                                \
    {                                                                                    \
        __VA_ARGS__, NULL                                                                \
    }

static struct options accepted(const char *const *arguments)
{
    struct options options;
    struct ra_text error = { 0 };

    cr_assert_eq(parse(arguments, &options, &error), RA_OK, "%s",
                 error.data ? error.data : "");
    ra_text_free(&error);
    return options;
}

static void refused(const char *const *arguments, const char *expected)
{
    struct options options;
    struct ra_text error = { 0 };

    cr_assert_eq(parse(arguments, &options, &error), RA_E_FORMAT);
    cr_expect_str_eq(error.data, expected);
    ra_text_free(&error);
    options_free(&options);
}

Test(options, first_argument_that_is_no_verb_is_a_path)
{
    struct options options = accepted(ARGUMENTS("build-dir", "ls"));

    cr_expect_eq(options.verb, VERB_AUDIT);
    cr_assert_eq(options.paths.count, 2);
    cr_expect_str_eq(options.paths.items[0], "build-dir");
    cr_expect_str_eq(options.paths.items[1], "ls");
    options_free(&options);
    options = accepted(ARGUMENTS("./ls"));
    cr_expect_eq(options.verb, VERB_AUDIT);
    cr_expect_str_eq(options.paths.items[0], "./ls");
    options_free(&options);
}

Test(options, verb_may_follow_options)
{
    struct options options = accepted(ARGUMENTS("-v", "ls", "a"));

    cr_expect_eq(options.verb, VERB_LS);
    cr_expect(options.verbose);
    cr_expect_eq(options.paths.count, 1);
    options_free(&options);
}

Test(options, values_come_after_an_equals_sign_or_as_an_argument)
{
    struct options options =
        accepted(ARGUMENTS("--gpu=gfx942", "a", "--gpu", "gfx1151", "--fail-on=never"));

    cr_assert_eq(options.gpus.count, 2);
    cr_expect_str_eq(options.gpus.items[0], "gfx942");
    cr_expect_str_eq(options.gpus.items[1], "gfx1151");
    cr_expect_eq(options.fail_on, (unsigned)RA_FAIL_NEVER);
    cr_expect_eq(options.paths.count, 1);
    options_free(&options);
}

Test(options, letters_go_together)
{
    struct options options = accepted(ARGUMENTS("ls", "-1qvj8", "a"));

    cr_expect(options.targets_only && options.quiet && options.verbose);
    cr_expect_eq(options.threads, 8);
    options_free(&options);
    options = accepted(ARGUMENTS("-j", "3", "a"));
    cr_expect_eq(options.threads, 3);
    options_free(&options);
}

Test(options, two_dashes_end_options_and_verbs)
{
    struct options options = accepted(ARGUMENTS("--", "ls", "-v", "--strict"));

    cr_expect_eq(options.verb, VERB_AUDIT);
    cr_expect_eq(options.paths.count, 3);
    cr_expect_not(options.verbose);
    cr_expect_not(options.strict);
    options_free(&options);
}

Test(options, later_verbs_are_refused_and_their_path_is_named)
{
    for (const char *const *verb = verbs_reserved; *verb; verb++) {
        struct options options;
        struct ra_text error = { 0 };
        char path[32];

        snprintf(path, sizeof(path), "./%s is a path", *verb);
        cr_expect_eq(parse(ARGUMENTS(*verb, "a"), &options, &error), RA_E_FORMAT);
        cr_expect_not_null(strstr(error.data, path), "%s", error.data);
        ra_text_free(&error);
        options_free(&options);
    }
}

Test(options, mistakes_are_named)
{
    refused(ARGUMENTS("--formt=json", "a"),
            "there is no option --formt=json; did you mean --format?");
    refused(ARGUMENTS("--xyzzy", "a"), "there is no option --xyzzy");
    refused(ARGUMENTS("--jxxx", "a"), "there is no option --jxxx");
    refused(ARGUMENTS("-z", "a"), "there is no option -z");
    refused(ARGUMENTS("a", "--gpu"), "--gpu needs TARGET");
    refused(ARGUMENTS("--strict=yes", "a"), "--strict takes no value");
    refused(ARGUMENTS("--format=yaml", "a"),
            "there is no format yaml; there are text, json, jsonl");
    refused(ARGUMENTS("--output=json", "a"), "--output takes FORMAT=FILE, not json");
    refused(ARGUMENTS("--output=json=", "a"), "--output takes FORMAT=FILE, not json=");
    refused(ARGUMENTS("--color=red", "a"), "--color takes auto, always, never, not red");
    refused(ARGUMENTS("-j0", "a"), "0 is no number from 1 to 1024");
    refused(ARGUMENTS("-j", "1025", "a"), "1025 is no number from 1 to 1024");
    refused(ARGUMENTS("-j", "4x", "a"), "4x is no number from 1 to 1024");
    refused(ARGUMENTS("-j", "99999999999999999999", "a"),
            "99999999999999999999 is no number from 1 to 1024");
    refused(ARGUMENTS("ls"), "ls needs a path");
    refused(ARGUMENTS("-v"), "audit needs a path");
    refused(ARGUMENTS("ls", "--gpu=gfx942", "a"), "--gpu does not go with ls");
    refused(ARGUMENTS("-1", "a"), "-1 does not go with audit");
    refused(ARGUMENTS("gpu", "a"), "gpu takes no path, such as a");
    refused(ARGUMENTS("gpu", "--list", "--format=json"), "gpu --list is text only");
    refused(ARGUMENTS("help", "walk"), "there is no verb walk to explain");
}

/* "gfx90a gfx942", the items of a list; good until the next call. */
static const char *joined(const struct list *list)
{
    static char text[256];
    size_t size = 0;

    text[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s", i ? " " : "",
                                 list->items[i]);
    return text;
}

Test(options, lists_of_targets_are_parted_as_builds_part_them)
{
    static const char *const same[] = {
        "gfx90a:xnack+;gfx942;gfx11-generic",
        "gfx90a:xnack+,gfx942,gfx11-generic",
        "gfx90a:xnack+ gfx942 gfx11-generic",
        " gfx90a:xnack+;\tgfx942, gfx11-generic;",
        "gfx90a:xnack+;;gfx942\ngfx11-generic\n",
        ",;gfx90a:xnack+ ; gfx942 , gfx11-generic",
    };

    for (size_t i = 0; i < RA_COUNT(same); i++) {
        struct options options = accepted(ARGUMENTS("check", "--require", same[i], "a"));

        cr_expect_eq(options.verb, VERB_CHECK);
        cr_expect_str_eq(joined(&options.required), "gfx90a:xnack+ gfx942 gfx11-generic",
                         "%s", same[i]);
        options_free(&options);
    }
}

Test(options, lists_of_targets_add_up)
{
    struct options options;

    setenv("RA_TEST_ARCH", "gfx1030;gfx1100", 1);
    options =
        accepted(ARGUMENTS("check", "--require=gfx90a", "--require-env=RA_TEST_ARCH",
                           "--forbid=gfx803,gfx900", "a", "--require=gfx942",
                           "--forbid=amdgcnspirv", "--allow-partial=libck*"));
    cr_expect_str_eq(joined(&options.required), "gfx90a gfx1030 gfx1100 gfx942");
    cr_expect_str_eq(joined(&options.forbidden), "gfx803 gfx900 amdgcnspirv");
    cr_expect_str_eq(joined(&options.allowed_partial), "libck*");
    options_free(&options);
    unsetenv("RA_TEST_ARCH");
}

Test(options, lists_of_targets_name_what_is_wrong)
{
    refused(ARGUMENTS("check", "--require=gfx90a;gfx90aa", "a"),
            "--require gfx90aa: is not a target this build knows; did you mean gfx90a?");
    refused(ARGUMENTS("check", "--require=native", "a"),
            "--require native: is no target ID such as gfx90a or "
            "gfx942:sramecc+:xnack-");
    refused(ARGUMENTS("check", "--forbid=gfx803,gfx11generic", "a"),
            "--forbid gfx11generic: is not a target this build knows; did you mean "
            "gfx11-generic?");
    refused(ARGUMENTS("check", "--require=", "a"), "--require names no target");
    refused(ARGUMENTS("check", "--require= ;,", "a"), "--require names no target");
    refused(ARGUMENTS("check", "--require=gfx90a", "--forbid=", "a"),
            "--forbid names no target");
    refused(ARGUMENTS("check", "--require=\x1b[2J", "a"),
            "--require \\x1b[2J: is no target ID such as gfx90a or "
            "gfx942:sramecc+:xnack-");
    refused(ARGUMENTS("check", "a"),
            "check needs targets: --require LIST, or --require-env NAME");
    refused(ARGUMENTS("check", "--require=gfx90a"), "check needs a path");
    refused(ARGUMENTS("check", "--require=gfx90a", "--gpu=gfx90a", "a"),
            "--gpu does not go with check");
    refused(ARGUMENTS("--require=gfx90a", "a"), "--require does not go with audit");
}

Test(options, environment_that_requires_nothing_is_named)
{
    unsetenv("RA_TEST_ARCH");
    refused(ARGUMENTS("check", "--require-env=RA_TEST_ARCH", "a"),
            "--require-env RA_TEST_ARCH: the variable is not set");
    setenv("RA_TEST_ARCH", "", 1);
    refused(ARGUMENTS("check", "--require-env=RA_TEST_ARCH", "a"),
            "--require-env RA_TEST_ARCH: the variable names no target");
    setenv("RA_TEST_ARCH", "gfx942;gfx90aa", 1);
    refused(ARGUMENTS("check", "--require-env=RA_TEST_ARCH", "a"),
            "--require-env RA_TEST_ARCH, gfx90aa: is not a target this build knows; did "
            "you mean gfx90a?");
    unsetenv("RA_TEST_ARCH");
}

Test(options, editable_installs_are_followed_where_files_are_read)
{
    struct options options = accepted(ARGUMENTS("ls", "--follow-editable", "a"));

    cr_expect(options.follow_editable);
    options_free(&options);
    refused(ARGUMENTS("gpu", "--follow-editable"),
            "--follow-editable does not go with gpu");
}

Test(options, no_gpu_is_refused_by_name)
{
    struct options options;
    struct ra_text error = { 0 };

    cr_expect_eq(parse(ARGUMENTS("--gpu=gfx9-4-generic", "a"), &options, &error),
                 RA_E_FORMAT);
    cr_expect_eq(strncmp(error.data, "--gpu gfx9-4-generic: ", 22), 0, "%s", error.data);
    ra_text_free(&error);
    options_free(&options);
}

Test(options, foreign_text_is_escaped)
{
    refused(ARGUMENTS("--\x1b[2J", "a"), "there is no option --\\x1b[2J");
    refused(ARGUMENTS("-\xff", "a"), "there is no option -\\xff");
}

Test(options, output_is_format_and_file)
{
    const char *format, *file;

    cr_expect(options_split_output("json=a=b", &format, &file));
    cr_expect_str_eq(format, "json");
    cr_expect_str_eq(file, "a=b");
    cr_expect_not(options_split_output("jso=a", &format, &file));
    cr_expect_not(options_split_output("json", &format, &file));
}

Test(options, help_needs_no_path)
{
    struct options options = accepted(ARGUMENTS("ls", "--help"));

    cr_expect(options.help);
    cr_expect_eq(options.topic, VERB_LS);
    options_free(&options);
    options = accepted(ARGUMENTS("help", "gpu"));
    cr_expect_eq(options.verb, VERB_HELP);
    cr_expect_eq(options.topic, VERB_GPU);
    options_free(&options);
    options = accepted(ARGUMENTS("--version"));
    cr_expect(options.version);
    options_free(&options);
}

/* The caller frees it. */
static char *help_text(enum verb topic)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    cr_assert_not_null(file);
    options_help(file, topic);
    fclose(file);
    return text;
}

Test(options, help_fits_80_columns)
{
    static const enum verb topics[] = { 0,        VERB_AUDIT,   VERB_CHECK, VERB_LS,
                                        VERB_GPU, VERB_EXTRACT, VERB_HELP };

    for (size_t i = 0; i < RA_COUNT(topics); i++) {
        char *text = help_text(topics[i]), *rest = text, *line;

        while ((line = strsep(&rest, "\n")))
            cr_expect_leq(strlen(line), 80, "%s", line);
        free(text);
    }
}

Test(options, help_of_a_verb_has_its_options_and_no_others)
{
    for (size_t i = 0; i < verb_count; i++) {
        char *text = help_text(verb_table[i].verb);

        for (size_t j = 0; j < option_count; j++) {
            const struct option *option = &option_table[j];
            bool belongs = (option->verbs & verb_table[i].verb) != 0;
            char name[32];

            if (!option->name)
                continue;
            snprintf(name, sizeof(name), "--%s%s", option->name,
                     option->argument ? "=" : " ");
            cr_expect_eq(strstr(text, name) != NULL, belongs, "%s in help of %s", name,
                         verb_table[i].name);
        }
        free(text);
    }
}
