/*
 * json.h - a JSON text value by value, where each stands, and nothing kept.
 *
 * Reading goes on to the first thing that is no JSON; what came before it stands. Spec:
 * RFC 8259; what follows the value is not looked at.
 */
#ifndef RA_JSON_H
#define RA_JSON_H

#include "base/text.h"

#define RA_JSON_DEPTH 63 /* containers in one another: package records have four */

enum ra_json_token {
    RA_JSON_END,   /**< the text was whole */
    RA_JSON_BAD,   /**< it is not, or nests too deep */
    RA_JSON_OPEN,  /**< an object or a list begins */
    RA_JSON_CLOSE, /**< it ends */
    RA_JSON_STRING,
    RA_JSON_PLAIN, /**< a number or a word, which is not checked further */
};

struct ra_json {
    struct ra_cursor cur;
    size_t depth;     /**< containers that are open */
    size_t level;     /**< of the value: containers around it */
    uint64_t objects; /**< bit i: the container at depth i + 1 is an object */
    bool in_need_of_comma, started, bad;
    struct ra_span value;                   /**< of a string between its quotes, raw */
    struct ra_span keys[RA_JSON_DEPTH + 1]; /**< of the value at each level up to its own:
                                               raw; empty in a list, and at level 0 */
};

struct ra_json ra_json_over(struct ra_span text);

/** The next value, or end of one. After END and BAD it is the same again. */
enum ra_json_token ra_json_next(struct ra_json *json);

/** Whether the key at a level is that one; keys with an escape equal nothing. */
bool ra_json_key_is(const struct ra_json *json, size_t level, const char *key);

/** Add what a string means; a lone surrogate becomes U+FFFD. */
void ra_json_decode(struct ra_span string, struct ra_text *ret);

#endif
