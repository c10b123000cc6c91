#include "report/report.h"

#define STYLE_WIDTH 80

/* One row a format; the first is the default. */
#define WRITERS                                                                          \
    WRITER("text", ra_write_text)                                                        \
    WRITER("json", ra_write_json)                                                        \
    WRITER("jsonl", ra_write_jsonl)

static const struct ra_writer writers[] = {
#define WRITER(name, write) { name, write },
    WRITERS
#undef WRITER
};

const char *const *ra_report_formats(void)
{
#define WRITER(name, write) name,
    static const char *const names[] = { WRITERS NULL };
#undef WRITER

    return names;
}

static const struct ra_writer *writer_by_name(const char *name)
{
    for (size_t i = 0; i < RA_COUNT(writers); i++)
        if (strcmp(writers[i].name, name) == 0)
            return &writers[i];
    return NULL;
}

/* The caller may have been built with a shorter struct, which ends before new fields. */
struct ra_style ra_style_whole(const struct ra_style *style)
{
    struct ra_style ret = { 0 };

    if (style)
        memcpy(&ret, style, style->sz < sizeof(ret) ? style->sz : sizeof(ret));
    ret.width = ret.width ? ret.width : STYLE_WIDTH;
    return ret;
}

enum ra_status ra_report_write(const struct ra_report *report, const char *format,
                               const struct ra_style *style, ra_sink *sink, void *arg)
{
    const struct ra_writer *writer = writer_by_name(format);
    struct ra_style whole = ra_style_whole(style);
    struct ra_out out;
    enum ra_status status;

    if (!writer)
        return RA_E_UNSUPPORTED;
    ra_out_start(&out, sink, arg);
    status = writer->write(report, &whole, &out);
    if (status != RA_OK)
        return status;
    return ra_out_flush(&out) ? RA_OK : RA_E_IO;
}

const char *ra_severity_name(enum ra_severity severity)
{
    static const char *const names[] = {
        [RA_NOTE] = "note",
        [RA_WARNING] = "warning",
        [RA_ERROR] = "error",
    };

    return names[severity];
}

const struct ra_verdict *ra_file_verdict(const struct ra_file *file, size_t device)
{
    for (size_t i = 0; i < file->verdict_count; i++)
        if (file->verdicts[i].device == device)
            return &file->verdicts[i];
    return NULL;
}

bool ra_bundle_expanded(const struct ra_bundle *bundle)
{
    return strncmp(bundle->container, "ccob", 4) == 0;
}

const char *ra_entry_processor(const struct ra_entry *entry)
{
    if (entry->content == RA_CONTENT_CODE_OBJECT && *entry->code.target.processor)
        return entry->code.target.processor;
    return entry->label.processor;
}
