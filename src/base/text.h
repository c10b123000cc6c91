/*
 * text.h - bounded text, and names from a file made safe to show.
 *
 * A struct ra_text grows on the heap up to a limit. Failure sticks: a piece that does
 * not fit marks it failed and adds nothing, so a text is judged once, at its end.
 */
#ifndef RA_TEXT_H
#define RA_TEXT_H

#include "base/arena.h"
#include "base/cursor.h"

/** Zero-initialise, or set a limit; ra_text_free() it. */
struct ra_text {
    char *data;  /**< terminated once something was added; NULL before */
    size_t size; /**< bytes, without the terminator */
    size_t room;
    size_t limit; /**< 0: none */
    bool failed;
};

void ra_text_add(struct ra_text *text, const char *bytes, size_t size);
void ra_text_str(struct ra_text *text, const char *string);
RA_PRINTF(2, 3) void ra_text_printf(struct ra_text *text, const char *format, ...);
void ra_text_free(struct ra_text *text);

/** A copy in `arena`, "" if nothing was added; NULL if `text` failed or no memory. */
const char *ra_text_keep(const struct ra_text *text, struct ra_arena *arena);

/**
 * `bytes` as text that cannot harm a terminal or a JSON string; lives in `arena`.
 *
 * Printable ASCII and well-formed UTF-8 stay, but for backslash, control characters
 * (C0, DEL, C1), line separators and the marks that reorder text: those become \xNN,
 * byte by byte, and so does all that is not UTF-8.
 *
 * @return NULL if there is no memory
 */
const char *ra_text_escape(struct ra_arena *arena, struct ra_span bytes);

/** The same of a terminated text. */
const char *ra_text_shown(struct ra_arena *arena, const char *text);

/** What is behind the last '/' of a path, or all of it. */
const char *ra_text_base(const char *path);

/** The same of what a report calls a file: of a member, what is behind ARCHIVE! at least.
 */
const char *ra_member_base(const char *path, bool is_member);

/** Whether `text` ends with `tail`. */
bool ra_text_ends(const char *text, const char *tail);

/** Whether ra_text_escape() would leave `bytes` as they are. */
bool ra_text_is_plain(struct ra_span bytes);

/** Whether `bytes` are well-formed UTF-8. */
bool ra_text_is_utf8(struct ra_span bytes);

/** printf into `arena`; NULL if there is no memory. */
RA_PRINTF(2, 3)
const char *ra_text_format(struct ra_arena *arena, const char *format, ...);

#endif
