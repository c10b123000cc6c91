/* pieces.h - lines and words of the texts that package records are. */
#ifndef RA_PIECES_H
#define RA_PIECES_H

#include "base/cursor.h"

/** The bytes up to `end`, which is passed over, or up to the end of the text. */
struct ra_span ra_piece_until(struct ra_cursor *cur, uint8_t end);

/** The next line, without what ends it: \n or \r\n. False at the end of the text. */
RA_MUST_CHECK bool ra_piece_line(struct ra_cursor *cur, struct ra_span *ret);

/** Without the blanks, line ends among them, before and behind it. */
struct ra_span ra_piece_trim(struct ra_span text);

/** The first `size` bytes; what is behind them. `size` is at most that of `text`. */
struct ra_span ra_piece_head(struct ra_span text, size_t size);
struct ra_span ra_piece_tail(struct ra_span text, size_t size);

bool ra_piece_equals(struct ra_span text, const char *word);
bool ra_piece_starts(struct ra_span text, const char *word);
bool ra_piece_ends(struct ra_span text, const char *word);

/** The same, for which A is a. */
bool ra_piece_is(struct ra_span text, const char *word);

/** The offset of the first such byte, or `text.size`. */
size_t ra_piece_find(struct ra_span text, uint8_t byte);

/** Read digits only; false if it is no number, or none below 2^64. */
RA_MUST_CHECK bool ra_piece_number(struct ra_span text, uint64_t *ret);

#endif
