#include "codec/yaml.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* Events as one line: { [ ] and scalars, what failed as its status. */
static const char *events_of(struct ra_span bytes)
{
    static char line[512];
    struct ra_yaml *yaml;
    struct ra_yaml_event event = { .kind = RA_YAML_SCALAR };
    enum ra_status status = ra_yaml_open(bytes, &yaml);
    size_t size = 0;

    line[0] = '\0';
    if (status != RA_OK)
        return "not opened";
    while (status == RA_OK && event.kind != RA_YAML_DONE) {
        static const char *const marks[] = { [RA_YAML_MAP] = "{",
                                             [RA_YAML_LIST] = "[",
                                             [RA_YAML_END] = "]" };

        status = ra_yaml_next(yaml, &event);
        if (status != RA_OK)
            break;
        if (event.kind == RA_YAML_SCALAR && size + event.text.size + 3 < sizeof(line))
            size += (size_t)snprintf(line + size, sizeof(line) - size, "(%.*s)",
                                     (int)event.text.size, event.text.data);
        else if (event.kind != RA_YAML_DONE && size + 2 < sizeof(line))
            size += (size_t)snprintf(line + size, sizeof(line) - size, "%s",
                                     marks[event.kind]);
    }
    if (status != RA_OK) {
        cr_assert_eq(ra_yaml_next(yaml, &event), status);
        snprintf(line + size, sizeof(line) - size, "%s",
                 status == RA_E_LIMIT ? " limit" : " bad");
    }
    ra_yaml_close(yaml);
    return line;
}

static struct ra_span text_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

/* YAML 1.1, chapters 2 and 7. */
static const struct {
    const char *text, *events;
} rows[] = {
    { "", "" },
    { "---\n...\n", "()" },
    { "---\nVersion: [ 1, 0 ]\n...\n", "{(Version)[(1)(0)]]" },
    { "a: 1\nb:\n  - c: 'x y'\n    d: \"\\x41\"\n  - e\n",
      "{(a)(1)(b)[{(c)(x y)(d)(A)](e)]]" },
    { "a: 'it''s'\n", "{(a)(it's)]" },
    { "a: |\n  b\n  c\n", "{(a)(b\nc\n)]" },
    { "{}", "{]" },
    { "[]", "[]" },
    { "k: {a: 1, b: [2]}", "{(k){(a)(1)(b)[(2)]]]" },
    { "# nothing else\n", "" },
    /* What is refused, and what is no YAML. */
    { "a: &x 1\n", "{(a) bad" },
    { "a: *x\n", "{(a) bad" },
    { "&x [1]\n", " bad" },
    { "&x {a: 1}\n", " bad" },
    { "a: !!str 1\n", "{(a) bad" },
    { "!t [1]\n", " bad" },
    { "!t {a: 1}\n", " bad" },
    { "%TAG ! tag:x,2000:\n---\na\n", " bad" },
    { "---\na\n---\nb\n", "(a) bad" },
    { "a: [1\n", "{(a)[(1) bad" },
    { "a: b: c\n", "{(a)(b) bad" },
    { "\tx: 1\n", " bad" },
    { "a: \"\\q\"\n", "{(a) bad" },
    { "a: \x01\n", " bad" },
    { "a: \xff\n", " bad" },
    { "- a\nb: c\n", "[(a) bad" },
};

Test(yaml, events_are_those_of_the_text)
{
    for (size_t i = 0; i < RA_COUNT(rows); i++)
        cr_assert_str_eq(events_of(text_of(rows[i].text)), rows[i].events, "%s: %s",
                         rows[i].text, events_of(text_of(rows[i].text)));
}

Test(yaml, nuls_behind_the_text_are_no_part_of_it)
{
    static const uint8_t behind[] = "a: 1\n\0\0";
    static const uint8_t inside[] = "a: 1\n\0\0b: 2\n";

    cr_assert_str_eq(events_of((struct ra_span){ behind, sizeof(behind), 0 }),
                     "{(a)(1)]");
    cr_assert_not_null(
        strstr(events_of((struct ra_span){ inside, sizeof(inside) - 1, 0 }), " bad"));
}

Test(yaml, depth_is_limited_in_either_style)
{
    char text[RA_YAML_DEPTH * 8];

    for (size_t depth = RA_YAML_DEPTH; depth <= RA_YAML_DEPTH + 1; depth++) {
        bool over = depth > RA_YAML_DEPTH;

        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        cr_assert_eq(strstr(events_of(text_of(text)), " limit") != NULL, over);
        for (size_t i = 0; i < depth; i++)
            memcpy(text + 2 * i, "- ", 3);
        cr_assert_eq(strstr(events_of(text_of(text)), " limit") != NULL, over);
    }
}

Test(yaml, more_bytes_than_the_limit_are_not_looked_at)
{
    struct ra_span bytes = { NULL, RA_YAML_BYTES + 1, 0 };
    struct ra_yaml *yaml;

    cr_assert_eq(ra_yaml_open(bytes, &yaml), RA_E_LIMIT);
}

Test(yaml, more_events_than_the_limit_are_not_read)
{
    size_t size = 2 * (size_t)RA_YAML_EVENTS + 2;
    uint8_t *text = malloc(size);
    struct ra_yaml *yaml;
    struct ra_yaml_event event = { .kind = RA_YAML_SCALAR };
    enum ra_status status = RA_OK;

    cr_assert_not_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = i % 2 ? 'a' : ',';
    text[0] = '[';
    cr_assert_eq(ra_yaml_open((struct ra_span){ text, size, 0 }, &yaml), RA_OK);
    while (status == RA_OK && event.kind != RA_YAML_DONE)
        status = ra_yaml_next(yaml, &event);
    cr_assert_eq(status, RA_E_LIMIT);
    ra_yaml_close(yaml);
    free(text);
}

Test(yaml, what_was_begun_can_be_walked_over)
{
    struct ra_yaml *yaml;
    struct ra_yaml_event event;

    cr_assert_eq(ra_yaml_open(text_of("a: {b: [1, {c: 2}], d: 3}\ne: 4\n"), &yaml),
                 RA_OK);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(ra_yaml_next(yaml, &event), RA_OK);
    cr_assert_eq(event.kind, RA_YAML_MAP);
    cr_assert_eq(ra_yaml_skip(yaml, &event), RA_OK);
    cr_assert_eq(ra_yaml_next(yaml, &event), RA_OK);
    cr_assert(event.kind == RA_YAML_SCALAR && event.text.data[0] == 'e');
    cr_assert_eq(ra_yaml_skip(yaml, &event), RA_OK);
    cr_assert_eq(ra_yaml_next(yaml, &event), RA_OK);
    cr_assert(event.kind == RA_YAML_SCALAR && event.text.data[0] == '4');
    ra_yaml_close(yaml);
}
