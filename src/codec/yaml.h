/*
 * yaml.h - the events of one YAML document, the only door to libyaml.
 *
 * Bounded by what it is given: depth, events and bytes have limits, text is UTF-8, and
 * what can make a short document a long one is refused: anchors and aliases. Tags and a
 * second document are, too. Nothing is kept: what an event says is gone with the next.
 *
 * Spec: YAML 1.1, as libyaml reads it.
 */
#ifndef RA_YAML_H
#define RA_YAML_H

#include "base/cursor.h"

#define RA_YAML_BYTES  ((size_t)64 << 20)
#define RA_YAML_EVENTS ((uint64_t)1 << 22)
#define RA_YAML_DEPTH  16

enum ra_yaml_kind {
    RA_YAML_SCALAR,
    RA_YAML_MAP,  /**< keys and values follow in turn, up to its RA_YAML_END */
    RA_YAML_LIST, /**< values follow, up to its RA_YAML_END */
    RA_YAML_END,  /**< of the innermost map or list */
    RA_YAML_DONE, /**< the document is over */
};

struct ra_yaml_event {
    enum ra_yaml_kind kind;
    struct ra_span text; /**< of a scalar, without quotes; until the next event */
};

struct ra_yaml;

/**
 * Begin to read a document.
 *
 * @param bytes  borrowed until ra_yaml_close(); NULs at their end are no part of it
 * @return RA_OK; RA_E_NOMEM; RA_E_LIMIT above RA_YAML_BYTES (not told)
 */
RA_MUST_CHECK enum ra_status ra_yaml_open(struct ra_span bytes, struct ra_yaml **ret);
void ra_yaml_close(struct ra_yaml *yaml);

/**
 * The next event, RA_YAML_DONE over and over at the end.
 *
 * @return RA_OK; RA_E_FORMAT for what is no YAML, or is refused; RA_E_LIMIT for too deep
 *         or too much; RA_E_NOMEM. None is told, and the same comes again.
 */
RA_MUST_CHECK enum ra_status ra_yaml_next(struct ra_yaml *yaml,
                                          struct ra_yaml_event *ret);

/** Walk over what the last event began: up to its end, if it was a map or a list. */
RA_MUST_CHECK enum ra_status ra_yaml_skip(struct ra_yaml *yaml,
                                          const struct ra_yaml_event *event);

/** Characters before the last event, or before the damage. */
size_t ra_yaml_where(const struct ra_yaml *yaml);

#endif
