/* explain.h - what a rule or a diagnostic means, in each format that can say it. */
#ifndef RA_EXPLAIN_H
#define RA_EXPLAIN_H

#include "report/emit.h"
#include "report/page.h"

/** All that is known of one code. */
void ra_text_explanation(struct ra_page *page, const struct ra_explanation *explanation);

/** A line for each code. */
void ra_text_explanations(struct ra_page *page, const struct ra_explanation *list,
                          size_t count);

/** One code, or all, as one document. */
void ra_json_explanations(struct ra_emit *emit, const struct ra_explanation *list,
                          size_t count);

#endif
