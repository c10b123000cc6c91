/*
 * question.h - ask a runtime, where a crash is an answer and not the end.
 *
 * A question is a line of four fields: mode, input, host, detail. A host is a list of
 * agents, perhaps with variables behind it, "gfx90a:sramecc+:xnack-,gfx1030;NAME=VALUE".
 * An answer is a line of mode, input, host, agent, and words such as load=303: what was
 * done, and its status or the signal it ended with.
 */
#ifndef ORACLE_QUESTION_H
#define ORACLE_QUESTION_H

#include <stdbool.h>
#include <stddef.h>

enum { QUESTION_AGENTS = 32, QUESTION_ROOM = 512 };

struct question {
    const char *mode, *input, *host, *detail;
    char agents[QUESTION_AGENTS][64];
    size_t agent_count;
};

/** What the children of a question share with their parent. */
struct board {
    volatile size_t agent; /**< that is being asked */
    char doing[32];        /**< what is being done, for the word of a signal */
    char words[QUESTION_AGENTS][QUESTION_ROOM];
};

/** Called in a child for agents from `board->agent` on. */
typedef void question_answerer(const struct question *question, struct board *board);

/** Answer all questions of standard input. @return an exit status */
int question_answer_all(question_answerer *answer);

/** Say what is done next. */
void board_do(struct board *board, const char *what);

/** Add the word of what was done, with a status. */
void board_done(struct board *board, const char *format, unsigned status);

/** All bytes of a file with 64 KiB of zeros behind them, aligned to a page, or NULL. */
void *question_read(const char *path, size_t *size);

#endif
