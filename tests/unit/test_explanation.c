/* What `explain` says of rules and diagnostics. */
#include "base/text.h"
#include "report/report.h"
#include "sample.h"

#include <stdlib.h>

static const struct ra_style plain = { 0 };

static const struct ra_explanation rule = {
    .code = "RA001",
    .name = "missing-target",
    .is_rule = true,
    .severity = RA_ERROR,
    .consequence = "refused",
    .text = "no bundle holds code for the GPU",
    .cause = "The library was built for a list of GPUs that this one is not on, and code "
             "for one does not run on another.",
    .evidence = "The entry tables.",
    .mend = "Build it again.",
    .example = "rocaudit --gpu gfx1151 lib.so",
};

static struct ra_explanation diagnostic(enum ra_severity severity)
{
    return (struct ra_explanation){ .code = "D004",
                                    .name = "bundle-truncated",
                                    .severity = severity,
                                    .consequence = "",
                                    .text = "the bundle ends before its entries do",
                                    .cause = "",
                                    .evidence = "",
                                    .mend = "",
                                    .example = "" };
}

/* The caller frees it. */
static char *explained(const struct ra_explanation *explanation, const char *format,
                       struct ra_style style)
{
    struct ra_text text = { 0 };

    style.sz = sizeof(style);
    cr_assert_eq(ra_explanation_write(explanation, format, &style, sample_keep, &text),
                 RA_OK);
    cr_assert_not_null(text.data);
    return text.data;
}

Test(explanation, rule_tells_cause_evidence_mend_and_example)
{
    char *text = explained(&rule, "text", plain);

    cr_expect_str_eq(
        text, "RA001 missing-target   error, refused\n"
              "        no bundle holds code for the GPU\n"
              "        cause     The library was built for a list of GPUs that this one "
              "is not\n"
              "                  on, and code for one does not run on another.\n"
              "        evidence  The entry tables.\n"
              "        mend      Build it again.\n"
              "        example   rocaudit --gpu gfx1151 lib.so\n");
    free(text);
}

Test(explanation, what_is_not_known_has_no_block)
{
    struct ra_explanation bare = rule;
    char *text;

    bare.evidence = bare.example = "";
    text = explained(&bare, "text", plain);
    cr_expect_null(strstr(text, "evidence"), "%s", text);
    cr_expect_null(strstr(text, "example"), "%s", text);
    cr_expect_not_null(strstr(text, "mend"), "%s", text);
    free(text);
}

/* Undecided is what is left of a verdict where bytes were not read. */
Test(explanation, diagnostic_tells_what_becomes_of_the_verdict)
{
    struct ra_explanation error = diagnostic(RA_ERROR), odd = diagnostic(RA_WARNING);
    char *text = explained(&error, "text", plain);

    cr_expect_str_eq(
        text, "D004 bundle-truncated   error\n"
              "        the bundle ends before its entries do\n"
              "        verdict   What was not read could hold device code: the file is\n"
              "                  undecided, never \"fits\", unless what was read fails "
              "already.\n");
    free(text);
    text = explained(&odd, "text", plain);
    cr_expect_null(strstr(text, "undecided"), "%s", text);
    cr_expect_not_null(strstr(text, "no verdict changes"), "%s", text);
    free(text);
    text = explained(&rule, "text", plain);
    cr_expect_null(strstr(text, "verdict"), "%s", text);
    free(text);
}

Test(explanation, json_has_every_key)
{
    struct ra_explanation error = diagnostic(RA_ERROR);
    char *text = explained(&rule, "json", plain);

    cr_expect_str_eq(
        text, "{\n"
              "  \"schema\": \"rocaudit.explain/1\",\n"
              "  \"tool\": {\"name\": \"rocaudit\", \"version\": \"" RA_VERSION "\"},\n"
              "  \"explanations\": [\n"
              "    {\n"
              "      \"code\": \"RA001\",\n"
              "      \"name\": \"missing-target\",\n"
              "      \"kind\": \"rule\",\n"
              "      \"severity\": \"error\",\n"
              "      \"consequence\": \"refused\",\n"
              "      \"text\": \"no bundle holds code for the GPU\",\n"
              "      \"cause\": \"The library was built for a list of GPUs that this one "
              "is not on, and code for one does not run on another.\",\n"
              "      \"evidence\": \"The entry tables.\",\n"
              "      \"mend\": \"Build it again.\",\n"
              "      \"example\": \"rocaudit --gpu gfx1151 lib.so\"\n"
              "    }\n"
              "  ],\n"
              "  \"exit\": 0\n"
              "}\n");
    free(text);
    text = explained(&error, "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    cr_expect_not_null(strstr(text, "      \"kind\": \"diagnostic\",\n"
                                    "      \"severity\": \"error\",\n"
                                    "      \"consequence\": null,\n"),
                       "%s", text);
    cr_expect_not_null(strstr(text, "      \"cause\": null,\n"
                                    "      \"evidence\": null,\n"
                                    "      \"mend\": null,\n"
                                    "      \"example\": null\n"),
                       "%s", text);
    free(text);
}

/* ---- all of them ------------------------------------------------------------------- */

/* Each code starts a line, and nothing else does. */
Test(explanation, list_has_a_line_for_each)
{
    static const unsigned widths[] = { 40, 80 };
    size_t count = 0;
    const struct ra_explanation *list = ra_explanations(&count);

    cr_assert_gt(count, 0);
    for (size_t i = 0; i < RA_COUNT(widths); i++) {
        char *text = explained(NULL, "text", (struct ra_style){ .width = widths[i] });
        char *rest = text, *line;
        size_t at = 0;

        while ((line = strsep(&rest, "\n")) && *line) {
            cr_expect_leq(strlen(line), widths[i], "%s", line);
            if (*line == ' ')
                continue;
            cr_assert_lt(at, count, "%s", line);
            cr_expect_eq(strncmp(line, list[at].code, strlen(list[at].code)), 0, "%s",
                         line);
            cr_expect_not_null(strstr(line, list[at].name), "%s", line);
            cr_expect_not_null(strstr(line, ra_severity_name(list[at].severity)), "%s",
                               line);
            at++;
        }
        cr_expect_eq(at, count);
        free(text);
    }
}

Test(explanation, list_in_json_has_all)
{
    size_t count = 0;
    char *text = explained(NULL, "json", plain);

    (void)ra_explanations(&count);
    cr_expect(json_is_document(text));
    cr_expect_eq(sample_count(text, "\"code\": "), count);
    free(text);
}

/* ---- the page ---------------------------------------------------------------------- */

Test(explanation, every_one_fits_every_page)
{
    static const unsigned widths[] = { 40, 80, 200 };
    size_t count = 0;
    const struct ra_explanation *list = ra_explanations(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < RA_COUNT(widths); j++) {
            struct ra_style style = { .width = widths[j] };
            char *text = explained(&list[i], "text", style), *rest = text, *line;

            while ((line = strsep(&rest, "\n")))
                cr_expect_leq(strlen(line), widths[j], "%s", line);
            free(text);
        }
}

Test(explanation, colour_changes_nothing)
{
    char *first = explained(NULL, "text", plain);
    char *second = explained(NULL, "text", (struct ra_style){ .color = true });

    cr_expect_str_eq(first, second);
    free(first);
    free(second);
}

static bool refuse(void *arg, const char *bytes, size_t size)
{
    (void)arg;
    (void)bytes;
    return size == 0;
}

Test(explanation, fails_as_a_report_does)
{
    struct ra_text text = { 0 };

    cr_expect_eq(ra_explanation_write(&rule, "text", NULL, refuse, NULL), RA_E_IO);
    cr_expect_eq(ra_explanation_write(&rule, "json", NULL, refuse, NULL), RA_E_IO);
    cr_expect_eq(ra_explanation_write(&rule, "yaml", NULL, sample_keep, &text),
                 RA_E_UNSUPPORTED);
    cr_expect_eq(text.size, 0);
}
