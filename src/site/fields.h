/*
 * fields.h - "Name: value" lines: METADATA, PKG-INFO, control, the status of dpkg.
 *
 * Spec: "Core metadata specifications" (packaging.python.org), deb-control(5).
 */
#ifndef RA_FIELDS_H
#define RA_FIELDS_H

#include "base/cursor.h"

enum ra_field_kind {
    RA_FIELD,
    RA_FIELD_GAP, /**< an empty line: of METADATA, all that follows is prose */
    RA_FIELD_ODD, /**< a line that is none, in `value` */
    RA_FIELD_END,
};

/** Parts of the text. */
struct ra_field {
    struct ra_span name;  /**< in any case */
    struct ra_span value; /**< trimmed; may hold line ends, if it was folded */
};

/** The next field. */
enum ra_field_kind ra_field_next(struct ra_cursor *cur, struct ra_field *ret);

/** A requirement, taken apart: foo[cuda] (>=1) ; extra == "gpu". */
struct ra_requirement {
    struct ra_span name, extras, spec, marker, extra;
};

/** False if it does not start with a name. Spec: "Dependency specifiers". */
RA_MUST_CHECK bool ra_requirement_parse(struct ra_span text, struct ra_requirement *ret);

#endif
