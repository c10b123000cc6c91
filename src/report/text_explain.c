#include "report/explain.h"
#include "report/report.h"
#include "report/table.h"

/* Below this width a list of codes is no table. */
#define TABLE_LEAST 72

static void put_block(struct ra_page *page, const char *name, const char *text)
{
    if (*text)
        ra_page_lines(page, "", name, 10, text);
}

/* "error, refused" */
static const char *weight(struct ra_page *page, const struct ra_explanation *explanation)
{
    const char *severity = ra_severity_name(explanation->severity);

    if (!*explanation->consequence)
        return severity;
    return ra_page_format(page, "%s, %s", severity, explanation->consequence);
}

/* What a diagnostic makes of a verdict. */
static const char *verdict_of(enum ra_severity severity)
{
    if (severity == RA_ERROR)
        return "What was not read could hold device code: the file is undecided, never "
               "\"fits\", unless what was read fails already.";
    return "All that could hold device code was read: no verdict changes.";
}

void ra_text_explanation(struct ra_page *page, const struct ra_explanation *explanation)
{
    ra_page_text(page, ra_page_format(page, "%s %s   %s", explanation->code,
                                      explanation->name, weight(page, explanation)));
    ra_page_lines(page, "", "", 0, explanation->text);
    put_block(page, "cause", explanation->cause);
    put_block(page, "evidence", explanation->evidence);
    put_block(page, "mend", explanation->mend);
    put_block(page, "example", explanation->example);
    if (!explanation->is_rule)
        put_block(page, "verdict", verdict_of(explanation->severity));
}

void ra_text_explanations(struct ra_page *page, const struct ra_explanation *list,
                          size_t count)
{
    static const struct ra_column columns[4] = { { 0 } };
    struct ra_table table = { page, columns, RA_COUNT(columns), 0, NULL, NULL };

    for (size_t i = 0; i < count; i++) {
        const char *severity = ra_severity_name(list[i].severity);
        const char *cells[] = { list[i].code, list[i].name, severity, list[i].text };

        if (page->style->width >= TABLE_LEAST) {
            ra_table_add_text(&table, cells);
            continue;
        }
        ra_page_text(page, ra_page_format(page, "%s %s   %s", list[i].code, list[i].name,
                                          severity));
        ra_page_lines(page, "", "", 0, list[i].text);
    }
    ra_table_write(&table);
}
