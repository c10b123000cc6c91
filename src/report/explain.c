#include "report/explain.h"

#include "report/record.h"
#include "report/report.h"

static enum ra_status write_text(const struct ra_explanation *list, size_t count,
                                 bool whole, const struct ra_style *style,
                                 struct ra_out *out)
{
    struct ra_page page = { .out = out, .style = style };

    if (whole)
        ra_text_explanation(&page, list);
    else
        ra_text_explanations(&page, list, count);
    return ra_page_end(&page);
}

static void put_explanation(struct ra_emit *emit,
                            const struct ra_explanation *explanation)
{
    ra_emit_open(emit, NULL, '{');
    ra_emit_string(emit, "code", explanation->code);
    ra_emit_string(emit, "name", explanation->name);
    ra_emit_string(emit, "kind", explanation->is_rule ? "rule" : "diagnostic");
    ra_emit_string(emit, "severity", ra_severity_name(explanation->severity));
    ra_emit_known(emit, "consequence", explanation->consequence);
    ra_emit_string(emit, "text", explanation->text);
    ra_emit_known(emit, "cause", explanation->cause);
    ra_emit_known(emit, "evidence", explanation->evidence);
    ra_emit_known(emit, "mend", explanation->mend);
    ra_emit_known(emit, "example", explanation->example);
    ra_emit_close(emit, '}');
}

void ra_json_explanations(struct ra_emit *emit, const struct ra_explanation *list,
                          size_t count)
{
    const struct ra_report report = { .verb = "explain" };

    ra_emit_open(emit, NULL, '{');
    ra_record_schema(emit, &report);
    ra_emit_open(emit, "explanations", '[');
    for (size_t i = 0; i < count; i++)
        put_explanation(emit, &list[i]);
    ra_emit_close(emit, ']');
    ra_emit_number(emit, "exit", 0);
    ra_emit_close(emit, '}');
}

enum ra_status ra_explanation_write(const struct ra_explanation *explanation,
                                    const char *format, const struct ra_style *style,
                                    ra_sink *sink, void *arg)
{
    struct ra_style whole = ra_style_whole(style);
    enum ra_status status = RA_OK;
    size_t count = 1;
    const struct ra_explanation *list =
        explanation ? explanation : ra_explanations(&count);
    struct ra_out out;

    ra_out_start(&out, sink, arg);
    if (strcmp(format, "text") == 0)
        status = write_text(list, count, explanation != NULL, &whole, &out);
    else if (strcmp(format, "json") == 0)
        ra_json_explanations(&(struct ra_emit){ .out = &out }, list, count);
    else
        status = RA_E_UNSUPPORTED;
    if (status != RA_OK)
        return status;
    return ra_out_flush(&out) ? RA_OK : RA_E_IO;
}
