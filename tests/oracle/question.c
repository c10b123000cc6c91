#include "question.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, PAGE = 4096, BEHIND = 65536 };

void board_do(struct board *board, const char *what)
{
    snprintf(board->doing, sizeof(board->doing), "%s", what);
}

static void add_word(struct board *board, const char *word)
{
    char *words = board->words[board->agent];
    size_t size = strlen(words);

    snprintf(words + size, QUESTION_ROOM - size, "%s%s", size ? " " : "", word);
}

void board_done(struct board *board, const char *format, unsigned status)
{
    char number[32], word[128];

    snprintf(number, sizeof(number), format, status);
    snprintf(word, sizeof(word), "%s=%s", board->doing, number);
    add_word(board, word);
}

void *question_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    void *bytes = NULL;
    long end = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    *size = end < 0 ? 0 : (size_t)end;
    if (end >= 0 && posix_memalign(&bytes, PAGE, *size + BEHIND) == 0) {
        memset(bytes, 0, *size + BEHIND);
        rewind(file);
        if (fread(bytes, 1, *size, file) != *size)
            *size = 0;
    }
    if (!bytes)
        perror(path);
    if (file)
        fclose(file);
    return bytes;
}

/* ---- a question ------------------------------------------------------------------ */

/* Agents before the first semicolon, then variables. "none" is no agent. */
static void set_environment(const struct question *question)
{
    char *host = strdup(question->host), *list = strsep(&host, ";");

    setenv("ORACLE_AGENTS", strcmp(list, "none") == 0 ? "" : list, 1);
    while (host)
        putenv(strsep(&host, ";"));
}

static void read_agents(struct question *question)
{
    char *host = strdup(question->host), *rest = host, *list = strsep(&rest, ";");

    for (char *agent; (agent = strsep(&list, ","));)
        if (question->agent_count < QUESTION_AGENTS)
            snprintf(question->agents[question->agent_count++],
                     sizeof(question->agents[0]), "%s", agent);
    free(host);
}

/* Only the first is there if a variable hides the others. */
static size_t count_asked(const struct question *question)
{
    return strstr(question->host, "VISIBLE_DEVICES=0") ? 1 : question->agent_count;
}

static void be_child(const struct question *question, struct board *board,
                     question_answerer *answer)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere >= 0 && !getenv("ORACLE_STDERR"))
        dup2(nowhere, STDERR_FILENO);
    alarm(SECONDS);
    set_environment(question);
    answer(question, board);
    _exit(0);
}

/* Children until each agent has answered or ended one. */
static void ask(struct question *question, struct board *board, question_answerer *answer)
{
    size_t asked = count_asked(question);
    char word[64];
    int status;

    memset(board, 0, sizeof(*board));
    while (board->agent < asked) {
        pid_t child = fork();

        if (child == 0)
            be_child(question, board, answer);
        if (child < 0 || waitpid(child, &status, 0) < 0)
            exit(EXIT_FAILURE);
        if (WIFSIGNALED(status)) {
            snprintf(word, sizeof(word), "%s=SIG%d", board->doing, WTERMSIG(status));
            add_word(board, word);
        }
        board->agent++;
    }
    for (size_t i = 0; i < asked; i++)
        printf("%s\t%s\t%s\t%s\t%s\n", question->mode, question->input, question->host,
               question->agents[i], board->words[i]);
    fflush(stdout);
}

static void answer_line(char *line, struct board *board, question_answerer *answer)
{
    struct question question = { 0 };

    question.mode = strsep(&line, "\t");
    question.input = strsep(&line, "\t");
    question.host = strsep(&line, "\t");
    question.detail = line ? line : "";
    if (!question.host)
        return;
    read_agents(&question);
    ask(&question, board, answer);
}

int question_answer_all(question_answerer *answer)
{
    struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *line = NULL;
    size_t room = 0;
    ssize_t size;

    if (board == MAP_FAILED)
        return EXIT_FAILURE;
    while ((size = getline(&line, &room, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        answer_line(line, board, answer);
    }
    free(line);
    munmap(board, sizeof(*board));
    return EXIT_SUCCESS;
}
