#include "site/json.h"

#include <criterion/criterion.h>

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

/* Each token, strings and words with the key of their level before them. */
static void check_tokens(const char *text, const char *wanted)
{
    static const char *const names[] = { "end", "bad", "open", "close" };
    struct ra_json json = ra_json_over(span_of(text));
    struct ra_text got = { 0 };
    enum ra_json_token token;

    do {
        struct ra_span key;

        token = ra_json_next(&json);
        key = json.keys[json.level];
        ra_text_str(&got, got.size > 0 ? " " : "");
        if (token > RA_JSON_BAD && token != RA_JSON_CLOSE && key.size > 0) {
            ra_text_add(&got, (const char *)key.data, key.size);
            ra_text_str(&got, "=");
        }
        if (token <= RA_JSON_CLOSE) {
            ra_text_str(&got, names[token]);
        } else {
            ra_text_str(&got, token == RA_JSON_STRING ? "'" : "");
            ra_text_add(&got, (const char *)json.value.data, json.value.size);
        }
    } while (token > RA_JSON_BAD);
    cr_assert_str_eq(got.data, wanted, "of %s: %s", text, got.data);
    cr_assert_eq(ra_json_next(&json), token, "what ended goes on");
    ra_text_free(&got);
}

Test(json, values_come_one_by_one_with_their_keys)
{
    check_tokens("1", "1 end");
    check_tokens(" \"a\" ", "'a end");
    check_tokens("{}", "open close end");
    check_tokens("{\"a\" : [1 , true,null,\"x\"],\n\"b\":{\"c\":-1.5e+3}}",
                 "open a=open 1 true null 'x close b=open c=-1.5e+3 close close end");
    check_tokens("[[],{},\"\"]", "open open close open close ' close end");
    check_tokens("{\"a\":\"q\\\"\\\\\"}", "open a='q\\\"\\\\ close end");
}

Test(json, reading_ends_where_the_text_is_none)
{
    check_tokens("", "bad");
    check_tokens("{", "open bad");
    check_tokens("[1 2]", "open 1 bad");
    check_tokens("[1,]", "open 1 bad");
    check_tokens("[,1]", "open bad");
    check_tokens("{\"a\"}", "open bad");
    check_tokens("{\"a\":}", "open bad");
    check_tokens("{a:1}", "open bad");
    check_tokens("{\"a\":1]", "open a=1 bad");
    check_tokens("[1}", "open 1 bad");
    check_tokens("[\"a", "open bad");
    check_tokens("[\"a\\\"", "open bad");
    check_tokens("[@]", "open bad");
}

Test(json, containers_nest_as_deep_as_is_allowed_and_no_deeper)
{
    char text[3 * RA_JSON_DEPTH];

    for (size_t depth = RA_JSON_DEPTH; depth <= RA_JSON_DEPTH + 1; depth++) {
        struct ra_json json;
        enum ra_json_token token;

        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        json = ra_json_over((struct ra_span){ (const uint8_t *)text, 2 * depth, 0 });
        while ((token = ra_json_next(&json)) > RA_JSON_BAD)
            continue;
        cr_assert_eq(token, depth == RA_JSON_DEPTH ? RA_JSON_END : RA_JSON_BAD);
    }
}

Test(json, containers_of_either_kind_alternate_at_every_depth)
{
    struct ra_json json = ra_json_over(span_of("[{\"a\":[{\"b\":[1]}]},{\"a\":2}]"));
    size_t plain = 0;
    enum ra_json_token token;

    while ((token = ra_json_next(&json)) > RA_JSON_BAD) {
        if (token != RA_JSON_PLAIN)
            continue;
        plain++;
        cr_assert(ra_json_key_is(&json, 2, "a"));
        cr_assert_eq(ra_json_key_is(&json, 4, "b"), plain == 1);
    }
    cr_assert_eq(token, RA_JSON_END);
    cr_assert_eq(plain, 2);
}

Test(json, strings_mean_what_their_escapes_say)
{
    static const struct {
        const char *raw, *means;
    } cases[] = {
        { "", "" },
        { "plain", "plain" },
        { "\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t" },
        { "\\u0041\\u00e9\\uff0A", "A\xc3\xa9\xef\xbc\x8a" },
        { "\\ud83d\\ude00", "\xf0\x9f\x98\x80" },
        { "\\ud83dx", "\xef\xbf\xbdx" },
        { "\\ude00", "\xef\xbf\xbd" },
        { "\\ud83d\\u0041", "\xef\xbf\xbd"
                            "A" },
        { "\\u00", "\xef\xbf\xbd" },
        { "a\\", "a" },
        { "\\q", "q" },
    };

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        struct ra_text text = { 0 };

        ra_text_str(&text, "");
        ra_json_decode(span_of(cases[i].raw), &text);
        cr_assert_str_eq(text.data, cases[i].means, "of %s: %s", cases[i].raw, text.data);
        ra_text_free(&text);
    }
}
