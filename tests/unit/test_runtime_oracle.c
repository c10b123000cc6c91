/*
 * The judge against what Debian's ROCm 5.2.3 was measured to do: fixtures/runtime.
 */
#include "folder.h"
#include "gen/files.h"
#include "runtime_check.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <stdlib.h>

#define FOLDER "fixtures/runtime/"

enum {
    HOSTS = 16,
    MODES = 8,
    WHO = 64,
    ANSWERS = 15647, /* words of all answers */
};

/* fixtures/runtime/answers.tsv as far as it was read. */
struct record {
    struct runtime_check *check;
    struct {
        const char *letter, *host;
    } hosts[HOSTS];
    struct {
        const char *mode, *who;
    } asked[MODES];
    size_t host_count, asked_count;
    /* Answers to one question; "*" stands for those that the other lines do not name. */
    const char *mode, *input, *rest;
    char named[4096];
};

static const char *host_of(const struct record *record, char letter)
{
    for (size_t i = 0; i < record->host_count; i++)
        if (record->hosts[i].letter[0] == letter)
            return record->hosts[i].host;
    cr_assert_fail("no host %c", letter);
    return NULL;
}

static const char *asked_of(const struct record *record, const char *mode)
{
    for (size_t i = 0; i < record->asked_count; i++)
        if (strcmp(record->asked[i].mode, mode) == 0)
            return record->asked[i].who;
    cr_assert_fail("nobody was asked in mode %s", mode);
    return NULL;
}

/* "C1" is the second agent of host C; others are agents by themselves. */
static void check_one(struct record *record, const char *who, const char *words)
{
    struct runtime_answer answer = {
        .mode = record->mode,
        .input = record->input,
        .host = who,
        .agent = who,
        .words = words,
    };
    char agents[256], *rest = agents;

    if (who[0] < 'A' || who[0] > 'Z') {
        runtime_check_answer(record->check, &answer);
        return;
    }
    answer.host = host_of(record, who[0]);
    snprintf(agents, sizeof(agents), "%.*s", (int)strcspn(answer.host, ";"), answer.host);
    for (int i = who[1] - '0'; i >= 0; i--)
        answer.agent = strsep(&rest, ",");
    cr_assert_not_null(answer.agent, "%s", who);
    runtime_check_answer(record->check, &answer);
}

static bool is_named(const struct record *record, const char *who)
{
    char word[WHO + 2];

    snprintf(word, sizeof(word), " %s ", who);
    return strstr(record->named, word) != NULL;
}

/* The question is over: those that were not named gave the answer of the rest. */
static void end_question(struct record *record)
{
    char *copy, *rest;

    if (record->rest) {
        copy = rest = strdup(asked_of(record, record->mode));
        for (char *who; (who = strsep(&rest, " "));)
            if (!is_named(record, who))
                check_one(record, who, record->rest);
        free(copy);
    }
    record->rest = NULL;
    snprintf(record->named, sizeof(record->named), " ");
}

static void check_answers(struct record *record, const char *words, char *who_all)
{
    if (strcmp(who_all, "*") == 0) {
        record->rest = words;
        return;
    }
    for (char *who; (who = strsep(&who_all, " "));) {
        size_t size = strlen(record->named);

        snprintf(record->named + size, sizeof(record->named) - size, "%s ", who);
        check_one(record, who, words);
    }
}

static void take_line(struct record *record, char *line)
{
    const char *mode = strsep(&line, "\t"), *input = strsep(&line, "\t"), *words;

    if (strcmp(mode, "host") == 0) {
        cr_assert_lt(record->host_count, HOSTS);
        record->hosts[record->host_count].letter = input;
        record->hosts[record->host_count++].host = line;
        return;
    }
    if (strcmp(mode, "asked") == 0) {
        cr_assert_lt(record->asked_count, MODES);
        record->asked[record->asked_count].mode = input;
        record->asked[record->asked_count++].who = line;
        return;
    }
    words = strsep(&line, "\t");
    cr_assert_not_null(line, "%s %s", mode, input);
    if (!record->mode || strcmp(mode, record->mode) || strcmp(input, record->input))
        end_question(record);
    record->mode = mode;
    record->input = input;
    check_answers(record, words, line);
}

static void check_record(struct runtime_check *check, struct fx *text)
{
    struct record record = { .check = check };
    char *rest;

    cr_assert(fx_load(".", FOLDER "answers.tsv", text));
    fx_u8(text, '\0');
    rest = (char *)text->data;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line != '\0' && *line != '#')
            take_line(&record, line);
    end_question(&record);
}

Test(runtime_oracle, the_judge_says_what_rocm_5_2_3_did, .init = folder_make,
     .fini = folder_remove)
{
    struct runtime_check check = { .rocm = { 502, RA_UPSTREAM } };
    struct runtime_inputs inputs;
    struct fx text = { 0 };
    char *told = NULL;
    size_t size, unused;

    check.out = open_memstream(&told, &size);
    cr_assert_not_null(check.out);
    runtime_inputs_load(FOLDER "inputs.tsv", &inputs);
    cr_assert(runtime_inputs_save(&inputs, folder_path));
    check.inputs = &inputs;
    check.report =
        folder_ask(&(struct folder_ask){ .list = true, .options = { .kernels = true } });
    cr_assert(runtime_check_exceptions(&check, FOLDER "exceptions.tsv"));
    check_record(&check, &text);
    unused = runtime_check_unused(&check);
    fclose(check.out);
    cr_log_info("ROCm 5.2.3: %zu answers compared, %zu excepted", check.compared,
                check.excepted);
    cr_expect(check.differing == 0 && unused == 0, "%zu answers differ:\n%s",
              check.differing, told);
    cr_expect_eq(check.compared + check.excepted + check.differing, ANSWERS);
    free(told);
    fx_free(&text);
    runtime_check_free(&check);
    runtime_inputs_free(&inputs);
}
