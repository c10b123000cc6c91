/*
 * page.h - text for people: words, columns, wrapped lines.
 *
 * A page is so many columns wide. What does not fit is cut in the middle, for names
 * differ at both ends; a verbose page cuts nothing. Small texts live in the page's
 * arena until the page ends; if memory runs out they are "" and the page is marked.
 */
#ifndef RA_PAGE_H
#define RA_PAGE_H

#include "base/arena.h"
#include "report/out.h"

/** Room for the word that each block starts with: "FAILS   ". */
#define RA_PAGE_INDENT ((size_t)8)

/** Zero-initialise with out and style; ra_page_end() it. */
struct ra_page {
    struct ra_out *out;
    const struct ra_style *style;
    struct ra_arena arena;
    bool failed;      /**< memory ran out: some text is missing */
    bool whole;       /**< no word of running text is cut: it is there to be copied */
    uint64_t gap_end; /**< where the last ra_page_gap() ended */
};

/** @return RA_E_NOMEM if some text is missing */
RA_MUST_CHECK enum ra_status ra_page_end(struct ra_page *page);

/** printf into the page's arena. */
RA_PRINTF(2, 3)
const char *ra_page_format(struct ra_page *page, const char *format, ...);

/** "41,207"; "1 file", "2 files"; "1.72 MB" (powers of 1000). */
const char *ra_page_number(struct ra_page *page, uint64_t number);
const char *ra_page_count(struct ra_page *page, uint64_t number, const char *one,
                          const char *many);
const char *ra_page_bytes(struct ra_page *page, uint64_t bytes);

/** Columns that UTF-8 text takes on a terminal, at most. */
size_t ra_page_columns(const char *text);

/**
 * `text`, cut in the middle if it is wider than `columns` and the page not verbose; of
 * ARCHIVE!MEMBER the archive first.
 */
const char *ra_page_cut(struct ra_page *page, const char *text, size_t columns);

/** The last part of a path. */
const char *ra_page_base(const char *path);

/** One of FAILS, warns, ?, fits, in its colour if there are colours; others as they are.
 */
void ra_page_word(struct ra_page *page, const char *word);

/** An empty line, unless there is one already. */
void ra_page_gap(struct ra_page *page);

/** Lines of `text` broken at spaces. */
void ra_page_text(struct ra_page *page, const char *text);

/** The same behind what fills `start` columns of the line; further lines start there. */
void ra_page_run(struct ra_page *page, size_t start, const char *text);

/**
 * Lines of `text` broken at spaces, the first behind `word` and `lead`, the others below
 * its start. A verbose page breaks lines as well: nothing is lost by that.
 *
 * @param word    of at most RA_PAGE_INDENT - 1 columns, or ""
 * @param lead    starts the text, padded to `indent` columns, or ""; one that is wider
 *                (a whole name on a verbose page) has a line of its own
 * @param indent  columns between the word's and the text's
 */
void ra_page_lines(struct ra_page *page, const char *word, const char *lead,
                   size_t indent, const char *text);

/** "and 9 more libraries   (-v lists them)" */
void ra_page_more(struct ra_page *page, size_t count, const char *one, const char *many);

#endif
