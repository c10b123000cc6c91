/*
 * emit.h - JSON, member by member (RFC 8259).
 *
 * Keeps commas, indentation and escapes right; what is said, and in which order, is the
 * caller's. A key of NULL stands for an element of an array, or the document itself.
 */
#ifndef RA_EMIT_H
#define RA_EMIT_H

#include "base/cursor.h"
#include "report/out.h"

/** Zero-initialise with an out; at any time one document is open. */
struct ra_emit {
    struct ra_out *out;
    unsigned depth; /**< open objects and arrays */
    unsigned flat;  /**< depth from which all stands on one line; 0: none */
    bool inside;    /**< the innermost one already holds something */
};

/** Open with '{' or '['; one level a line, or (flat) all of it on one line. */
void ra_emit_open(struct ra_emit *emit, const char *key, char bracket);
void ra_emit_open_flat(struct ra_emit *emit, const char *key, char bracket);

/** Close with '}' or ']'. */
void ra_emit_close(struct ra_emit *emit, char bracket);

/** null if `value` is NULL. What is not UTF-8 becomes \xNN, as in ra_text_escape(). */
void ra_emit_string(struct ra_emit *emit, const char *key, const char *value);

/** As above, and null if it is "" too. */
void ra_emit_known(struct ra_emit *emit, const char *key, const char *value);

/** A string of the base64 (RFC 4648, section 4) of `bytes`. */
void ra_emit_base64(struct ra_emit *emit, const char *key, struct ra_span bytes);

void ra_emit_number(struct ra_emit *emit, const char *key, uint64_t value);
void ra_emit_bool(struct ra_emit *emit, const char *key, bool value);
void ra_emit_null(struct ra_emit *emit, const char *key);

#endif
