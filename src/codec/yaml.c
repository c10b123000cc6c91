#include "codec/yaml.h"

#include <stdlib.h>
#include <yaml.h>

struct ra_yaml {
    yaml_parser_t parser;
    yaml_event_t event; /* the last; owns what was handed out */
    bool has_event;
    size_t depth, where;
    uint64_t events;
    enum ra_status status; /* of the last that failed */
    bool done;
};

enum ra_status ra_yaml_open(struct ra_span bytes, struct ra_yaml **ret)
{
    struct ra_yaml *yaml;

    if (bytes.size > RA_YAML_BYTES)
        return RA_E_LIMIT;
    while (bytes.size > 0 && bytes.data[bytes.size - 1] == 0)
        bytes.size--;
    yaml = calloc(1, sizeof(*yaml));
    if (!yaml)
        return RA_E_NOMEM;
    if (!yaml_parser_initialize(&yaml->parser)) {
        free(yaml);
        return RA_E_NOMEM;
    }
    yaml_parser_set_encoding(&yaml->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &yaml->parser, bytes.size > 0 ? bytes.data : (const uint8_t *)"", bytes.size);
    *ret = yaml;
    return RA_OK;
}

static void drop_event(struct ra_yaml *yaml)
{
    if (yaml->has_event)
        yaml_event_delete(&yaml->event);
    yaml->has_event = false;
}

void ra_yaml_close(struct ra_yaml *yaml)
{
    if (!yaml)
        return;
    drop_event(yaml);
    yaml_parser_delete(&yaml->parser);
    free(yaml);
}

size_t ra_yaml_where(const struct ra_yaml *yaml)
{
    return yaml->where;
}

/* ---- what is taken ---------------------------------------------------------- */

/* The event as one of ours; false for those that only frame the document. */
static bool translate(const struct ra_yaml *yaml, struct ra_yaml_event *ret)
{
    const yaml_event_t *event = &yaml->event;

    *ret = (struct ra_yaml_event){ .kind = RA_YAML_END };
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        ret->kind = RA_YAML_SCALAR;
        ret->text =
            (struct ra_span){ event->data.scalar.value, event->data.scalar.length, 0 };
        return true;
    case YAML_MAPPING_START_EVENT:
        ret->kind = RA_YAML_MAP;
        return true;
    case YAML_SEQUENCE_START_EVENT:
        ret->kind = RA_YAML_LIST;
        return true;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return true;
    case YAML_STREAM_END_EVENT:
        ret->kind = RA_YAML_DONE;
        return true;
    default:
        return false;
    }
}

/* Anchors, tags, and the aliases that would repeat what an anchor names. */
static bool is_refused(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return true;
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    case YAML_DOCUMENT_START_EVENT:
        return event->data.document_start.tag_directives.start !=
               event->data.document_start.tag_directives.end;
    default:
        return false;
    }
}

static enum ra_status parse(struct ra_yaml *yaml)
{
    drop_event(yaml);
    if (!yaml_parser_parse(&yaml->parser, &yaml->event)) {
        yaml->where = yaml->parser.error == YAML_READER_ERROR
                          ? yaml->parser.problem_offset
                          : yaml->parser.problem_mark.index;
        return yaml->parser.error == YAML_MEMORY_ERROR ? RA_E_NOMEM : RA_E_FORMAT;
    }
    yaml->has_event = true;
    yaml->where = yaml->event.start_mark.index;
    if (++yaml->events > RA_YAML_EVENTS)
        return RA_E_LIMIT;
    return is_refused(&yaml->event) ? RA_E_FORMAT : RA_OK;
}

static enum ra_status count_depth(struct ra_yaml *yaml, enum ra_yaml_kind kind)
{
    if (kind == RA_YAML_END)
        yaml->depth--; /* libyaml sees to it that each had a start */
    if ((kind == RA_YAML_MAP || kind == RA_YAML_LIST) && ++yaml->depth > RA_YAML_DEPTH)
        return RA_E_LIMIT;
    return RA_OK;
}

enum ra_status ra_yaml_next(struct ra_yaml *yaml, struct ra_yaml_event *ret)
{
    bool found = false;
    size_t documents = 0;

    *ret = (struct ra_yaml_event){ .kind = RA_YAML_DONE };
    while (yaml->status == RA_OK && !yaml->done && !found) {
        yaml->status = parse(yaml);
        if (yaml->status != RA_OK)
            break;
        if (yaml->event.type == YAML_DOCUMENT_END_EVENT)
            documents++;
        if (yaml->event.type == YAML_DOCUMENT_START_EVENT && documents > 0)
            yaml->status = RA_E_FORMAT;
        found = translate(yaml, ret);
        yaml->done = found && ret->kind == RA_YAML_DONE;
        if (found && yaml->status == RA_OK)
            yaml->status = count_depth(yaml, ret->kind);
    }
    return yaml->status;
}

enum ra_status ra_yaml_skip(struct ra_yaml *yaml, const struct ra_yaml_event *event)
{
    struct ra_yaml_event next;
    enum ra_status status = RA_OK;
    size_t open = event->kind == RA_YAML_MAP || event->kind == RA_YAML_LIST;

    while (status == RA_OK && open > 0) {
        status = ra_yaml_next(yaml, &next);
        if (status == RA_OK && (next.kind == RA_YAML_MAP || next.kind == RA_YAML_LIST))
            open++;
        if (status == RA_OK && next.kind == RA_YAML_END)
            open--;
    }
    return status;
}
