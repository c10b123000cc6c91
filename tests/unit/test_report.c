#include "base/text.h"
#include "report/emit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a report made by hand ---------------------------------------------------- */

static const struct ra_kernel kernels[] = {
    { .name = 1,
      .vgprs = 24,
      .agprs = 8,
      .sgprs = 32,
      .vgpr_spills = 2,
      .lds = 1024,
      .scratch = 16,
      .kernarg = 56,
      .max_workgroup = 256,
      .code_size = 512,
      .wave_size = 64,
      .has_descriptor = true },
    { .name = 0,
      .vgprs = 7,
      .sgprs = 9,
      .kernarg = 8,
      .max_workgroup = 1024,
      .required_workgroup = { 8, 4, 1 },
      .wave_size = 32,
      .dynamic_stack = true },
};

static const char *const kernel_names[] = { "first", "second" };

static struct ra_entry code_entry(const char *id, const char *target,
                                  const char *processor, uint64_t offset)
{
    struct ra_entry entry = { .id = id,
                              .target = target,
                              .elf_target = target,
                              .kind = RA_ENTRY_HIP,
                              .content = RA_CONTENT_CODE_OBJECT,
                              .offset = offset,
                              .size = 1720000,
                              .complete = true,
                              .kernel_count = 2,
                              .kernels = kernels };

    entry.code.version = 5;
    snprintf(entry.code.target.processor, sizeof(entry.code.target.processor), "%s",
             processor);
    entry.label = entry.code.target;
    return entry;
}

/* One library with one bundle: host, gfx1030, and gfx906, which is not present. */
struct library {
    struct ra_entry entries[3];
    struct ra_bundle bundle;
    struct ra_verdict verdicts[8];
    struct ra_diag diag;
    struct ra_file file;
};

static void library_make(struct library *library, const char *path)
{
    *library = (struct library){ 0 };
    library->entries[0] = (struct ra_entry){ .id = "host-x86_64-unknown-linux--",
                                             .target = "",
                                             .elf_target = "",
                                             .kind = RA_ENTRY_HOST,
                                             .content = RA_CONTENT_EMPTY,
                                             .offset = 4096,
                                             .complete = true };
    library->entries[1] =
        code_entry("hipv4-amdgcn-amd-amdhsa--gfx1030", "gfx1030", "gfx1030", 4096);
    library->entries[2] = (struct ra_entry){ .id = "hipv4-amdgcn-amd-amdhsa--gfx906",
                                             .target = "gfx906",
                                             .elf_target = "",
                                             .kind = RA_ENTRY_HIP,
                                             .label = { .processor = "gfx906" },
                                             .content = RA_CONTENT_EMPTY,
                                             .offset = 8192,
                                             .complete = true };
    library->bundle = (struct ra_bundle){ .container = "plain",
                                          .offset = 0x10000,
                                          .size = 1724096,
                                          .has_table = true,
                                          .complete = true,
                                          .entries = library->entries,
                                          .entry_count = 3,
                                          .kernel_names = kernel_names,
                                          .kernel_name_count = 2 };
    library->file = (struct ra_file){ .path = path,
                                      .name = path,
                                      .raw_path = path,
                                      .kind = RA_KIND_ELF,
                                      .size = 2000000,
                                      .bundles = &library->bundle,
                                      .bundle_count = 1,
                                      .verdicts = library->verdicts };
}

static void library_judge(struct library *library, size_t device,
                          enum ra_verdict_kind kind, enum ra_severity severity)
{
    library->verdicts[device] = (struct ra_verdict){
        .device = device, .kind = kind, .severity = severity, .total = 1
    };
    library->verdicts[device].covered = kind <= RA_JIT;
    if (library->file.verdict_count <= device)
        library->file.verdict_count = device + 1;
}

static struct ra_device device_make(size_t index, const char *target)
{
    struct ra_device device = { .index = index,
                                .target = target,
                                .source = "--gpu",
                                .product = "",
                                .arch = "RDNA 3.5",
                                .is_apu = true };

    return device;
}

static struct ra_finding missing(const char *file, size_t device)
{
    return (struct ra_finding){ .rule = "RA001",
                                .name = "missing-target",
                                .severity = RA_ERROR,
                                .consequence = "refused",
                                .file = file,
                                .device = device,
                                .message = "no bundle has code for the GPU",
                                .predicted_error = "HIP error: invalid image (200)",
                                .advice = "rebuild for the GPU" };
}

#define LIBRARIES 20

/* A tree of libraries that all fail on one device, unless a test changes it. */
struct tree {
    struct library libraries[LIBRARIES];
    char names[LIBRARIES][32];
    struct ra_file files[LIBRARIES];
    struct ra_device devices[8];
    struct ra_finding findings[8 * LIBRARIES];
    struct ra_target_bytes targets[2];
    struct ra_report report;
};

static void tree_make(struct tree *tree, size_t count)
{
    *tree = (struct tree){ 0 };
    for (size_t i = 0; i < count; i++) {
        snprintf(tree->names[i], sizeof(tree->names[i]), "/opt/lib%02zu.so", i);
        library_make(&tree->libraries[i], tree->names[i]);
        library_judge(&tree->libraries[i], 0, RA_MISSING, RA_ERROR);
        tree->findings[i] = missing(tree->names[i], 0);
    }
    tree->devices[0] = device_make(0, "gfx1151");
    tree->targets[0] = (struct ra_target_bytes){ "gfx1030", 1720000 * count, count };
    tree->report = (struct ra_report){ .verb = "audit",
                                       .devices = tree->devices,
                                       .device_count = 1,
                                       .devices_text = "",
                                       .files = tree->files,
                                       .file_count = count,
                                       .findings = tree->findings,
                                       .finding_count = count,
                                       .exit = 1 };
    tree->report.totals = (struct ra_totals){ .files = count + 3,
                                              .with_device_code = count,
                                              .bundles = count,
                                              .code_objects = count,
                                              .kernels = 2 * count,
                                              .errors = count,
                                              .targets = tree->targets,
                                              .target_count = 1 };
    tree->report.totals.by_kind[RA_KIND_ELF] = 2;
    tree->report.totals.by_kind[RA_KIND_CUDA] = 1;
}

/* After the last change to a library. */
static const struct ra_report *tree_report(struct tree *tree)
{
    for (size_t i = 0; i < tree->report.file_count; i++)
        tree->files[i] = tree->libraries[i].file;
    return &tree->report;
}

static const struct ra_report *listing(struct tree *tree)
{
    tree->report.verb = "ls";
    tree->report.device_count = tree->report.finding_count = 0;
    for (size_t i = 0; i < tree->report.file_count; i++)
        tree->libraries[i].file.verdict_count = 0;
    tree->report.exit = 0;
    return tree_report(tree);
}

/* ---- what comes out ------------------------------------------------------------ */

static bool keep(void *arg, const char *bytes, size_t size)
{
    ra_text_add(arg, bytes, size);
    return true;
}

/* The caller frees it. */
static char *render(const struct ra_report *report, const char *format,
                    struct ra_style style)
{
    struct ra_text text = { 0 };

    style.sz = sizeof(style);
    cr_assert_eq(ra_report_write(report, format, &style, keep, &text), RA_OK);
    cr_assert_not(text.failed);
    cr_assert_not_null(text.data);
    return text.data;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static void expect(const struct ra_report *report, const char *format,
                   struct ra_style style, const char *part)
{
    char *text = render(report, format, style);

    cr_assert_not_null(strstr(text, part), "no \"%s\" in:\n%s", part, text);
    free(text);
}

static void expect_not(const struct ra_report *report, const char *format,
                       struct ra_style style, const char *part)
{
    char *text = render(report, format, style);

    cr_assert_null(strstr(text, part), "\"%s\" in:\n%s", part, text);
    free(text);
}

static const struct ra_style plain = { 0 };

/* ---- RFC 8259, strictly: NULL, or what is behind the value ---------------------- */

static const char *json_value(const char *text, unsigned depth);

static const char *json_space(const char *text)
{
    return text + strspn(text, " \t\n\r");
}

static const char *json_escape(const char *text)
{
    if (*text == 'u')
        return strspn(text + 1, "0123456789abcdefABCDEF") >= 4 ? text + 5 : NULL;
    return *text && strchr("\"\\/bfnrt", *text) ? text + 1 : NULL;
}

static const char *json_string(const char *text)
{
    if (*text++ != '"')
        return NULL;
    while (text && *text != '"') {
        if ((unsigned char)*text < 0x20)
            return NULL;
        text = *text == '\\' ? json_escape(text + 1) : text + 1;
    }
    return text ? text + 1 : NULL;
}

static const char *json_number(const char *text)
{
    size_t digits = strspn(text += *text == '-', "0123456789");

    if (digits == 0 || (*text == '0' && digits > 1))
        return NULL;
    return text + digits;
}

static const char *json_member(const char *text, unsigned depth)
{
    text = json_string(json_space(text));
    if (!text)
        return NULL;
    text = json_space(text);
    return *text == ':' ? json_value(text + 1, depth) : NULL;
}

static const char *json_body(const char *text, char end, unsigned depth)
{
    text = json_space(text);
    if (*text == end)
        return text + 1;
    for (;;) {
        text = end == '}' ? json_member(text, depth) : json_value(text, depth);
        if (!text)
            return NULL;
        text = json_space(text);
        if (*text == end)
            return text + 1;
        if (*text++ != ',')
            return NULL;
    }
}

static const char *json_value(const char *text, unsigned depth)
{
    static const char *const words[] = { "null", "true", "false" };

    text = json_space(text);
    if (depth > 64)
        return NULL;
    if (*text == '{' || *text == '[')
        return json_body(text + 1, *text == '{' ? '}' : ']', depth + 1);
    if (*text == '"')
        return json_string(text);
    for (size_t i = 0; i < RA_COUNT(words); i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return text + strlen(words[i]);
    return json_number(text);
}

static bool json_is_document(const char *text)
{
    struct ra_span span = { .data = (const uint8_t *)text, .size = strlen(text) };
    const char *end = ra_text_is_utf8(span) ? json_value(text, 0) : NULL;

    return end && *json_space(end) == '\0';
}

Test(report, json_checker_refuses_what_is_no_json)
{
    static const char *const bad[] = { "{\"a\": 1,}", "[1 2]",      "{\"a\" 1}",
                                       "\"\n\"",      "\"\\x41\"",  "01",
                                       "nul",         "[\"\xff\"]", "{} {}" };

    for (size_t i = 0; i < RA_COUNT(bad); i++)
        cr_expect_not(json_is_document(bad[i]), "%s", bad[i]);
    cr_expect(
        json_is_document(" {\"a\": [1, null, true, \"\\u001b\\\\\"], \"b\": {}}\n"));
}

/* ---- json ----------------------------------------------------------------------- */

Test(report, json_is_valid_for_every_verb)
{
    struct tree tree;
    char *text;

    tree_make(&tree, 3);
    tree.report.has_kernels = true;
    text = render(tree_report(&tree), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    free(text);
    text = render(listing(&tree), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    free(text);
}

Test(report, json_of_gpu_is_what_the_contract_says)
{
    struct ra_device devices[] = { device_make(0, "gfx90a:sramecc+:xnack-"),
                                   device_make(1, "gfx1151") };
    struct ra_report report = {
        .verb = "gpu", .devices = devices, .device_count = 2, .devices_text = ""
    };
    char *text;

    devices[0].sramecc_assumed = devices[0].xnack_assumed = true;
    devices[0].product = "Instinct MI210";
    devices[0].arch = "CDNA 2";
    devices[0].is_apu = false;
    text = render(&report, "json", plain);
    cr_expect_str_eq(
        text, "{\n"
              "  \"schema\": \"rocaudit.gpu/1\",\n"
              "  \"tool\": {\"name\": \"rocaudit\", \"version\": \"" RA_VERSION "\"},\n"
              "  \"devices\": [\n"
              "    {\"index\": 0, \"target\": \"gfx90a:sramecc+:xnack-\", "
              "\"source\": \"--gpu\", \"product\": \"Instinct MI210\", "
              "\"arch\": \"CDNA 2\", \"apu\": false, "
              "\"assumed\": [\"sramecc\", \"xnack\"]},\n"
              "    {\"index\": 1, \"target\": \"gfx1151\", \"source\": \"--gpu\", "
              "\"product\": null, \"arch\": \"RDNA 3.5\", \"apu\": true, "
              "\"assumed\": []}\n"
              "  ],\n"
              "  \"exit\": 0\n"
              "}\n");
    free(text);
}

Test(report, json_has_every_key_in_its_order)
{
    static const char *const keys[] = {
        "\"schema\": \"rocaudit.audit/1\"",
        "\"tool\"",
        "\"runtime\": {\"version\": null, \"source\": \"assumed\"}",
        "\"devices\": [",
        "\"files\": [",
        "\"packages\": []",
        "\"findings\": [",
        "\"rule\": \"RA001\"",
        "\"name\": \"missing-target\"",
        "\"severity\": \"error\"",
        "\"consequence\": \"refused\"",
        "\"file\": \"/opt/lib00.so\"",
        "\"package\": null",
        "\"device\": 0",
        "\"message\": \"no bundle has code for the GPU\"",
        "\"predicted_error\": \"HIP error: invalid image (200)\"",
        "\"advice\": \"rebuild for the GPU\"",
        "\"diagnostics\": []",
        "\"totals\": {",
        "\"files\": 4",
        "\"by_kind\": {",
        "\"with_device_code\": 1",
        "\"bundles\": 1",
        "\"code_objects\": 1",
        "\"kernels\": 2",
        "\"incomplete\": 0",
        "\"errors\": 1",
        "\"warnings\": 0",
        "\"targets\": [",
        "{\"target\": \"gfx1030\", \"bytes\": 1720000, \"code_objects\": 1}",
        "\"exit\": 1",
    };
    struct tree tree;
    char *text;
    const char *at;

    tree_make(&tree, 1);
    at = text = render(tree_report(&tree), "json", plain);
    for (size_t i = 0; i < RA_COUNT(keys); i++) {
        at = strstr(at, keys[i]);
        cr_assert_not_null(at, "%s is not behind the one before in\n%s", keys[i], text);
        at += strlen(keys[i]);
    }
    free(text);
}

/* The time is in no byte-stable output. */
Test(report, json_does_not_depend_on_time_or_style)
{
    struct ra_style loud = { .width = 30, .color = true, .verbose = true, .quiet = true };
    struct tree tree;
    char *first, *second;

    tree_make(&tree, 3);
    first = render(tree_report(&tree), "json", plain);
    tree.report.totals.seconds = 12.5;
    second = render(tree_report(&tree), "json", loud);
    cr_expect_str_eq(first, second);
    free(first);
    free(second);
}

Test(report, jsonl_file_is_what_the_contract_says)
{
    struct tree tree;

    tree_make(&tree, 1);
    expect(tree_report(&tree), "jsonl", plain,
           "{\"type\": \"file\", \"path\": \"/opt/lib00.so\", \"path_base64\": null, "
           "\"paths\": [], \"kind\": \"elf\", \"status\": \"ok\", \"package\": null, "
           "\"bundles\": [{\"index\": 0, \"offset\": 65536, \"size\": 1724096, "
           "\"container\": \"plain\", \"entries\": ["
           "{\"id\": \"host-x86_64-unknown-linux--\", \"target\": null, "
           "\"elf_target\": null, \"code_object_version\": null, \"offset\": 4096, "
           "\"size\": 0, \"kernels\": 0, \"target_features\": []}, "
           "{\"id\": \"hipv4-amdgcn-amd-amdhsa--gfx1030\", \"target\": \"gfx1030\", "
           "\"elf_target\": \"gfx1030\", \"code_object_version\": 5, \"offset\": 4096, "
           "\"size\": 1720000, \"kernels\": 2, \"target_features\": [\"");
    expect(tree_report(&tree), "jsonl", plain,
           "\"verdicts\": [{\"device\": 0, \"verdict\": \"missing\", "
           "\"severity\": \"error\", \"covered\": 0, \"total\": 1, "
           "\"kernels_missing\": 0, \"on_purpose\": null, \"assumption\": null}]}\n");
}

Test(report, jsonl_is_one_document_a_line)
{
    static const char *const types[] = { "device", "file", "finding", "diagnostic",
                                         "totals" };
    struct tree tree;
    size_t lines = 0;
    char *text, *rest, *line;

    tree_make(&tree, 1);
    tree.libraries[0].diag =
        (struct ra_diag){ .code = "D001", .name = "io-error", .text = "", .detail = "" };
    tree.libraries[0].file.diags = &tree.libraries[0].diag;
    rest = text = render(tree_report(&tree), "jsonl", plain);
    while ((line = strsep(&rest, "\n")) && *line) {
        char start[48];

        cr_assert_lt(lines, RA_COUNT(types));
        snprintf(start, sizeof(start), "{\"type\": \"%s\", ", types[lines]);
        cr_expect(json_is_document(line), "%s", line);
        cr_expect_eq(strncmp(line, start, strlen(start)), 0, "%s", line);
        lines++;
    }
    cr_expect_eq(lines, RA_COUNT(types));
    free(text);
}

Test(report, json_says_null_where_nothing_is_known)
{
    struct tree tree;
    struct library *library = &tree.libraries[0];

    tree_make(&tree, 1);
    library->bundle.size = 0;
    library->entries[0] = (struct ra_entry){
        .id = "", .target = "", .elf_target = "", .content = RA_CONTENT_UNREAD
    };
    library->bundle.entry_count = 1;
    expect(tree_report(&tree), "jsonl", plain,
           "\"bundles\": [{\"index\": 0, \"offset\": 65536, \"size\": null, "
           "\"container\": \"plain\", \"entries\": [{\"id\": null, \"target\": null, "
           "\"elf_target\": null, \"code_object_version\": null, \"offset\": 0, "
           "\"size\": 0, \"kernels\": null, \"target_features\": []}]}]");
}

Test(report, json_tells_kernels_only_if_they_were_asked_for)
{
    struct tree tree;

    tree_make(&tree, 1);
    expect_not(tree_report(&tree), "jsonl", plain, "kernels_detail");
    tree.report.has_kernels = true;
    expect(tree_report(&tree), "jsonl", plain,
           "\"kernels_detail\": ["
           "{\"name\": \"second\", \"wave_size\": 64, \"vgprs\": 24, \"agprs\": 8, "
           "\"sgprs\": 32, \"vgpr_spills\": 2, \"sgpr_spills\": 0, \"lds\": 1024, "
           "\"scratch\": 16, \"kernarg\": 56, \"max_workgroup\": 256, "
           "\"required_workgroup\": null, \"code_size\": 512, \"dynamic_stack\": false, "
           "\"tg_split\": false, \"wgp_mode\": false, \"stub\": false, "
           "\"has_descriptor\": true}, "
           "{\"name\": \"first\", \"wave_size\": 32, \"vgprs\": 7, \"agprs\": 0, "
           "\"sgprs\": 9, \"vgpr_spills\": 0, \"sgpr_spills\": 0, \"lds\": 0, "
           "\"scratch\": 0, \"kernarg\": 8, \"max_workgroup\": 1024, "
           "\"required_workgroup\": [8, 4, 1], \"code_size\": null, "
           "\"dynamic_stack\": true, \"tg_split\": null, \"wgp_mode\": null, "
           "\"stub\": null, \"has_descriptor\": false}]");
}

Test(report, json_diagnostic_says_where_in_expanded_bytes)
{
    struct tree tree;
    struct ra_diag inner = { .code = "D010",
                             .name = "payload-damaged",
                             .severity = RA_ERROR,
                             .text = "damaged",
                             .detail = "checksum",
                             .offset = 26,
                             .inner = 32 };
    struct ra_diag outer = inner;

    tree_make(&tree, 1);
    outer.next = &inner;
    outer.inner = RA_NOT_EXPANDED;
    tree.libraries[0].file.diags = &outer;
    tree.libraries[0].file.status = RA_FILE_INCOMPLETE;
    expect(
        tree_report(&tree), "jsonl", plain,
        "{\"type\": \"diagnostic\", \"code\": \"D010\", \"name\": \"payload-damaged\", "
        "\"severity\": \"error\", \"file\": \"/opt/lib00.so\", \"offset\": 26, "
        "\"inner_offset\": null, \"detail\": \"checksum\"}\n"
        "{\"type\": \"diagnostic\", \"code\": \"D010\", \"name\": \"payload-damaged\", "
        "\"severity\": \"error\", \"file\": \"/opt/lib00.so\", \"offset\": 26, "
        "\"inner_offset\": 32, \"detail\": \"checksum\"}\n");
    expect(tree_report(&tree), "jsonl", plain, "\"status\": \"incomplete\"");
}

/* base64 of the names is that of base64(1). */
Test(report, json_keeps_names_that_are_no_text)
{
    static const struct {
        const char *path, *raw, *expected;
    } cases[] = {
        { "bad\\xffname", "bad\xffname",
          "\"path\": \"bad\\\\xffname\", \"path_base64\": \"YmFk/25hbWU=\", " },
        { "/x/\\xffa",
          "/x/\xff"
          "a",
          "\"path\": \"/x/\\\\xffa\", \"path_base64\": \"L3gv/2E=\", " },
        { "/x/\\xffab",
          "/x/\xff"
          "ab",
          "\"path\": \"/x/\\\\xffab\", \"path_base64\": \"L3gv/2Fi\", " },
        { "a\\x0a\"b\"\\x5c", "a\n\"b\"\\",
          "\"path\": \"a\\\\x0a\\\"b\\\"\\\\x5c\", \"path_base64\": null, " },
        { "\xc3\xa9", "\xc3\xa9", "\"path\": \"\xc3\xa9\", \"path_base64\": null, " },
    };
    struct tree tree;
    char *text;

    for (size_t i = 0; i < RA_COUNT(cases); i++) {
        tree_make(&tree, 1);
        tree.libraries[0].file.path = tree.libraries[0].file.name = cases[i].path;
        tree.libraries[0].file.raw_path = cases[i].raw;
        expect(tree_report(&tree), "jsonl", plain, cases[i].expected);
        text = render(&tree.report, "json", plain);
        cr_expect(json_is_document(text), "%s", text);
        free(text);
    }
}

/* The library escapes names, but a report may be filled by somebody else. */
Test(report, json_stays_valid_whatever_a_string_holds)
{
    struct tree tree;
    char *text;

    tree_make(&tree, 1);
    tree.findings[0].message = "\x01\n\t\"\\\x7f\xff\xc3(\x1b[2J";
    text = render(tree_report(&tree), "json", plain);
    cr_expect(json_is_document(text), "%s", text);
    cr_expect_not_null(strstr(text, "\"message\": \"\\u0001\\n\\u0009\\\"\\\\\\u007f"
                                    "\\\\xff\\\\xc3(\\u001b[2J\""));
    free(text);
}

/* ---- text of an audit ------------------------------------------------------------ */

static void expect_narrow(const struct ra_report *report, unsigned width)
{
    struct ra_style style = { .width = width };
    char *text = render(report, "text", style), *rest = text, *line;

    while ((line = strsep(&rest, "\n")))
        cr_expect_leq(strlen(line), width, "%zu columns: %s", strlen(line), line);
    free(text);
}

Test(report, text_is_never_wider_than_the_page)
{
    struct ra_diag diag = { .code = "D010",
                            .name = "payload-damaged",
                            .severity = RA_ERROR,
                            .inner = RA_NOT_EXPANDED };
    char name[400] = "/opt/";
    struct tree tree;

    memset(name + 5, 'n', sizeof(name) - 6);
    tree_make(&tree, 3);
    diag.text = diag.detail = name;
    tree.libraries[0].file.path = tree.libraries[0].file.name = tree.findings[0].file =
        name;
    tree.libraries[0].file.diags = &diag;
    tree.libraries[0].file.status = RA_FILE_INCOMPLETE;
    tree.libraries[0].entries[1].target = name;
    tree.findings[0].message = tree.findings[0].predicted_error = name;
    tree.devices[0].product = name;
    library_judge(&tree.libraries[1], 0, RA_NATIVE, RA_NOTE);
    tree.libraries[1].file.path = tree.libraries[1].file.name = name + 1;
    tree.targets[0].target = "gfx942";
    expect_narrow(tree_report(&tree), 80);
    expect_narrow(tree_report(&tree), 120);
    tree.report.has_kernels = true;
    expect_narrow(listing(&tree), 80);
}

Test(report, long_names_are_whole_if_verbose)
{
    const struct ra_style verbose = { .verbose = true };
    char name[400] = "/opt/";
    struct tree tree;

    memset(name + 5, 'n', sizeof(name) - 6);
    tree_make(&tree, 1);
    tree.libraries[0].file.path = tree.libraries[0].file.name = tree.findings[0].file =
        name;
    expect(tree_report(&tree), "text", verbose, name);
    expect_not(tree_report(&tree), "text", plain, name);
    expect(listing(&tree), "text", verbose, name);
}

Test(report, running_text_is_broken_at_every_width)
{
    struct tree tree;

    tree_make(&tree, 3);
    tree.findings[0].message = "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii "
                               "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii";
    tree.findings[0].advice = tree.findings[0].message;
    for (unsigned width = 60; width < 130; width++)
        expect_narrow(tree_report(&tree), width);
}

/* Bytes of a character are never parted by a cut. */
Test(report, cut_names_stay_utf8)
{
    char name[301];
    struct tree tree;
    char *text;

    for (size_t i = 0; i < sizeof(name) - 1; i += 2)
        memcpy(name + i, "\xc3\xa9", 2);
    name[sizeof(name) - 1] = '\0';
    for (size_t shift = 0; shift < 4; shift++) {
        tree_make(&tree, 1);
        memset(name, 'a', 2 * shift);
        tree.libraries[0].file.path = tree.libraries[0].file.name =
            tree.findings[0].file = name;
        text = render(tree_report(&tree), "text", plain);
        cr_expect(ra_text_is_utf8(
            (struct ra_span){ .data = (const uint8_t *)text, .size = strlen(text) }));
        cr_expect_not_null(strstr(text, "..."));
        free(text);
    }
}

Test(report, colour_codes_come_only_when_asked_for)
{
    const struct ra_style color = { .color = true };
    struct tree tree;

    tree_make(&tree, 2);
    expect_not(tree_report(&tree), "text", plain, "\033");
    expect(tree_report(&tree), "text", color, "\033[1;31mFAILS\033[0m");
    expect_not(tree_report(&tree), "json", color, "\033");
}

Test(report, colours_change_no_word)
{
    const struct ra_style color = { .color = true };
    struct tree tree;
    char *with, *without, *to;

    tree_make(&tree, 2);
    library_judge(&tree.libraries[1], 0, RA_NATIVE, RA_NOTE);
    to = with = render(tree_report(&tree), "text", color);
    without = render(&tree.report, "text", plain);
    for (const char *from = with; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    *to = '\0';
    cr_expect_str_eq(with, without);
    free(with);
    free(without);
}

Test(report, quiet_is_the_last_line_alone)
{
    const struct ra_style quiet = { .quiet = true };
    struct tree tree;
    char *all, *last;

    tree_make(&tree, 3);
    library_judge(&tree.libraries[2], 0, RA_NATIVE, RA_NOTE);
    tree.report.finding_count = 2;
    all = render(tree_report(&tree), "text", plain);
    last = render(&tree.report, "text", quiet);
    cr_expect_str_eq(last, "2 of 3 libraries fail on gfx1151.   exit 1\n");
    cr_expect_str_eq(all + strlen(all) - strlen(last), last);
    free(all);
    free(last);
}

Test(report, one_cause_is_told_once)
{
    const struct ra_style verbose = { .verbose = true };
    struct tree tree;
    char *text;

    tree_make(&tree, LIBRARIES);
    text = render(tree_report(&tree), "text", plain);
    cr_expect_eq(occurrences(text, "FAILS"), 1, "%s", text);
    cr_expect_eq(occurrences(text, "you will see"), 1);
    cr_expect_eq(occurrences(text, "rebuild for the GPU"), 1);
    cr_expect_eq(occurrences(text, "/opt/lib"), 2);
    cr_expect_not_null(strstr(text, "and 18 more libraries   (-v lists them)"), "%s",
                       text);
    free(text);
    text = render(&tree.report, "text", verbose);
    cr_expect_eq(occurrences(text, "/opt/lib"), LIBRARIES);
    free(text);
}

Test(report, other_targets_are_told_apart_within_a_cause)
{
    struct tree tree;
    char *text;

    tree_make(&tree, LIBRARIES);
    tree.libraries[0].entries[1].target = "gfx1100";
    text = render(tree_report(&tree), "text", plain);
    cr_expect_eq(occurrences(text, "FAILS"), 1, "%s", text);
    cr_expect_not_null(strstr(text,
                              "FAILS   gfx1151   RA001 missing-target\n"
                              "        /opt/lib01.so  no bundle has code for the GPU\n"
                              "        /opt/lib02.so  no bundle has code for the GPU\n"
                              "        and 17 more libraries   (-v lists them)\n"
                              "        /opt/lib00.so  no bundle has code for the GPU\n"
                              "        you will see   HIP error: invalid image (200)\n"
                              "        mend           rebuild for the GPU\n"),
                       "%s", text);
    free(text);
}

Test(report, worst_comes_first)
{
    struct tree tree;
    char *text;
    const char *fails, *warns, *unknown, *fits;

    tree_make(&tree, 4);
    tree.findings[0].severity = RA_WARNING;
    tree.findings[0].rule = "RA000";
    library_judge(&tree.libraries[0], 0, RA_PARTIAL, RA_WARNING);
    library_judge(&tree.libraries[2], 0, RA_UNDECIDED, RA_NOTE);
    tree.libraries[2].file.status = RA_FILE_INCOMPLETE;
    library_judge(&tree.libraries[3], 0, RA_NATIVE, RA_NOTE);
    tree.report.finding_count = 2;
    text = render(tree_report(&tree), "text", plain);
    fails = strstr(text, "\nFAILS");
    warns = strstr(text, "\nwarns");
    unknown = strstr(text, "\n?");
    fits = strstr(text, "\nfits");
    cr_assert(fails && warns && unknown && fits, "%s", text);
    cr_expect(fails < warns && warns < unknown && unknown < fits, "%s", text);
    free(text);
}

Test(report, undecided_says_what_and_where)
{
    struct ra_diag diag = { .code = "D010",
                            .name = "payload-damaged",
                            .severity = RA_ERROR,
                            .text = "compressed data is damaged",
                            .detail = "zstd",
                            .offset = 0x1a3000,
                            .inner = 0x20 };
    struct tree tree;

    tree_make(&tree, 1);
    library_judge(&tree.libraries[0], 0, RA_UNDECIDED, RA_NOTE);
    tree.libraries[0].file.status = RA_FILE_INCOMPLETE;
    tree.libraries[0].file.diags = &diag;
    tree.report.finding_count = 0;
    tree.report.totals.incomplete = 1;
    tree.report.exit = 2;
    expect(
        tree_report(&tree), "text", plain,
        "?       /opt/lib00.so could not be read whole\n"
        "          D010 payload-damaged at 0x1a3000, expanded 0x20: compressed data is\n"
        "          damaged: zstd\n");
    expect(&tree.report, "text", plain, "Undecided: lib00.so on gfx1151.   exit 2\n");
}

Test(report, what_fits_is_said_with_its_assumption)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.finding_count = tree.report.totals.errors = 0;
    tree.report.exit = 0;
    library_judge(&tree.libraries[0], 0, RA_NATIVE, RA_NOTE);
    tree.libraries[0].verdicts[0].assumption = "fits if xnack is off";
    tree.devices[0].xnack_assumed = true;
    expect(tree_report(&tree), "text", plain,
           "fits    gfx1151   code of its own; fits if xnack is off\n"
           "        /opt/lib00.so  1 of 1 bundle\n");
    expect(&tree.report, "text", plain,
           "lib00.so runs on gfx1151 (features assumed).   exit 0\n");
}

/* What is noted of a file that runs stands beside it, and is no cause of its own. */
Test(report, notes_stand_beside_what_fits)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.exit = 0;
    library_judge(&tree.libraries[0], 0, RA_GENERIC, RA_NOTE);
    tree.findings[0].severity = RA_NOTE;
    tree.findings[0].message = "gfx11-generic serves gfx1151";
    expect(tree_report(&tree), "text", plain,
           "\n\nfits    gfx1151   generic code\n"
           "        /opt/lib00.so  1 of 1 bundle; gfx11-generic serves gfx1151\n");
    expect_not(&tree.report, "text", plain, "\nnote");
}

Test(report, lines_end_in_no_space)
{
    struct tree tree;

    tree_make(&tree, 3);
    tree.devices[0].xnack_assumed = true;
    tree.targets[0].target = "gfx11-generic"; /* has no products */
    expect_not(tree_report(&tree), "text", plain, " \n");
    tree.report.has_kernels = true;
    expect_not(listing(&tree), "text", plain, " \n");
    expect_not(&tree.report, "text", (struct ra_style){ .verbose = true }, " \n");
}

/* Eight equal GPUs are told of once. */
Test(report, equal_devices_share_a_cause)
{
    struct tree tree;
    char *text;

    tree_make(&tree, 1);
    for (size_t i = 0; i < 8; i++) {
        tree.devices[i] = device_make(i, "gfx942");
        library_judge(&tree.libraries[0], i, RA_MISSING, RA_ERROR);
        tree.findings[i] = missing(tree.names[0], i);
    }
    tree.report.device_count = tree.report.finding_count = 8;
    text = render(tree_report(&tree), "text", plain);
    cr_expect_eq(occurrences(text, "FAILS"), 1, "%s", text);
    cr_expect_eq(occurrences(text, "/opt/lib00.so"), 1, "%s", text);
    cr_expect_not_null(strstr(text, "\nlib00.so fails on gfx942.   exit 1\n"), "%s",
                       text);
    free(text);
}

Test(report, several_devices_stand_side_by_side_worst_first)
{
    struct tree tree;

    tree_make(&tree, 2);
    tree.devices[0] = device_make(0, "gfx1030");
    tree.devices[1] = device_make(1, "gfx1151");
    tree.report.device_count = 2;
    tree.report.finding_count = 1;
    tree.findings[0] = missing(tree.names[1], 1);
    for (size_t i = 0; i < 2; i++) {
        library_judge(&tree.libraries[i], 0, RA_NATIVE, RA_NOTE);
        library_judge(&tree.libraries[i], 1, i ? RA_MISSING : RA_GENERIC,
                      i ? RA_ERROR : RA_NOTE);
    }
    expect(tree_report(&tree), "text", plain,
           "                       1 gfx1151  0 gfx1030\n"
           "        /opt/lib01.so  FAILS      fits\n"
           "        /opt/lib00.so  fits       fits\n");
    expect(&tree.report, "text", plain,
           "FAILS   gfx1151 (GPU 1)   RA001 missing-target\n");
    expect(&tree.report, "text", plain,
           "\n1 of 2 libraries fails on gfx1151.   exit 1\n");
}

Test(report, nothing_to_judge_is_one_sentence)
{
    struct tree tree;

    tree_make(&tree, 0);
    tree.report.exit = 2;
    tree.report.totals.by_kind[RA_KIND_ARCHIVE] = 1;
    tree.report.totals.files = 4;
    expect(tree_report(&tree), "text", (struct ra_style){ .width = 200 },
           "\nNo AMD device code in 4 files: 2 ELF files, 1 with code for "
           "NVIDIA GPUs only, 1 archive that was not opened.   exit 2\n");
}

Test(report, no_device_points_to_the_option)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.device_count = tree.report.finding_count = 0;
    tree.libraries[0].file.verdict_count = 0;
    tree.report.devices_text = "/sys/class/kfd is not there";
    tree.report.exit = 2;
    expect(tree_report(&tree), "text", plain,
           "no GPU  /sys/class/kfd is not there; --gpu TARGET names one to judge for\n");
    expect(&tree.report, "text", plain,
           "\nUndecided: there is no GPU to judge for.   exit 2\n");
}

Test(report, time_is_said_only_if_it_is_asked_for)
{
    struct ra_style timed = plain;
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.totals.seconds = 0.92;
    tree.report.totals.files = 41207;
    expect(tree_report(&tree), "text", plain, "\n41,207 files: 1 with AMD device code,");
    timed.timing = true;
    expect(tree_report(&tree), "text", timed, "\n41,207 files, 0.9 s: 1 with");
}

Test(report, an_apu_that_nothing_serves_is_not_said_to_run)
{
    struct tree tree;

    tree_make(&tree, 2);
    for (size_t i = 0; i < 2; i++) {
        library_judge(&tree.libraries[i], 0, RA_NATIVE, RA_NOTE);
        library_judge(&tree.libraries[i], 1, RA_MISSING, RA_WARNING);
    }
    tree.devices[0] = device_make(0, "gfx1100");
    tree.devices[1] = device_make(1, "gfx1036");
    tree.report.device_count = 2;
    tree.report.finding_count = 0;
    tree.report.exit = 0;
    expect(tree_report(&tree), "text", plain,
           "All 2 libraries run on gfx1100, not on the APU beside it (gfx1036).");
}

/* ---- text of a listing ------------------------------------------------------------ */

Test(report, listing_has_a_row_a_code_object)
{
    struct tree tree;
    char *text;

    tree_make(&tree, 1);
    text = render(listing(&tree), "text", plain);
    cr_expect_str_eq(text, "BUNDLE  TARGET   COV  KERNELS     SIZE  OFFSET\n"
                           "     0  gfx1030    5        2  1.72 MB  0x11000\n"
                           "     0  gfx906     -        -        -  -        "
                           "not present\n");
    free(text);
}

Test(report, listing_says_when_offsets_are_in_expanded_bytes)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.libraries[0].bundle.container = "ccob2";
    expect(listing(&tree), "text", plain, "1.72 MB  0x1000  in ccob2\n");
}

Test(report, listing_shows_a_label_that_lies)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.libraries[0].entries[1].elf_target = "gfx1100";
    expect(listing(&tree), "text", plain, "     0  gfx1030 -> gfx1100 ");
}

Test(report, listing_of_several_files_names_them)
{
    struct tree tree;

    tree_make(&tree, 2);
    expect(listing(&tree), "text", plain, "/opt/lib00.so:\nBUNDLE ");
    expect(&tree.report, "text", plain, "\n\n/opt/lib01.so:\nBUNDLE ");
}

Test(report, listing_of_kernels_has_aligned_columns)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.has_kernels = true;
    expect(listing(&tree), "text", (struct ra_style){ .width = 120 },
           "\nbundle 0, gfx1030: 2 kernels\n"
           "  WAVE  VGPR  AGPR  SGPR  SPILLS   LDS  SCRATCH  KERNARG  GROUP  "
           "FLAGS                        KERNEL\n"
           "    64    24     8    32      2v  1024       16       56    256  "
           "                             second\n"
           "    32     7           9                               8   1024  "
           "no-descriptor,dynamic-stack  first\n");
}

/* Numbers keep their columns, so that on a narrow page a name needs its own line. */
Test(report, listing_of_kernels_fits_a_narrow_page)
{
    struct tree tree;

    tree_make(&tree, 1);
    tree.report.has_kernels = true;
    expect(listing(&tree), "text", plain,
           "\n  second\n"
           "    64    24     8    32      2v  1024       16       56    256\n");
}

Test(report, bare_targets_are_unique_and_sorted)
{
    const struct ra_style bare = { .targets_only = true };
    struct tree tree;
    char *text;

    tree_make(&tree, 3);
    tree.libraries[1].entries[1].target = "gfx90a:xnack-";
    tree.libraries[2].entries[1].target = "";
    tree.libraries[2].entries[1].elf_target = "gfx1201";
    text = render(listing(&tree), "text", bare);
    cr_expect_str_eq(text, "gfx1030\ngfx1201\ngfx90a:xnack-\n");
    free(text);
}

/* ---- the sink ---------------------------------------------------------------------- */

struct tap {
    size_t calls, largest, after; /* bytes taken before it refuses */
};

static bool tap_take(void *arg, const char *bytes, size_t size)
{
    struct tap *tap = arg;

    (void)bytes;
    tap->calls++;
    tap->largest = size > tap->largest ? size : tap->largest;
    if (size > tap->after)
        return false;
    tap->after -= size;
    return true;
}

Test(report, refusing_sink_ends_the_writing)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct tree tree;

    tree_make(&tree, LIBRARIES);
    for (const char *const *format = ra_report_formats(); *format; format++) {
        struct tap tap = { 0 };

        cr_expect_eq(ra_report_write(tree_report(&tree), *format, &style, tap_take, &tap),
                     RA_E_IO);
        cr_expect_eq(tap.calls, 1, "%s: %zu calls", *format, tap.calls);
    }
}

Test(report, large_json_goes_out_in_pieces)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct tap tap = { .after = SIZE_MAX };
    static struct ra_entry entries[2000];
    struct tree tree;

    tree_make(&tree, 1);
    for (size_t i = 0; i < RA_COUNT(entries); i++)
        entries[i] = tree.libraries[0].entries[1];
    tree.libraries[0].bundle.entries = entries;
    tree.libraries[0].bundle.entry_count = RA_COUNT(entries);
    cr_expect_eq(ra_report_write(tree_report(&tree), "json", &style, tap_take, &tap),
                 RA_OK);
    cr_expect_gt(tap.calls, 10);
    cr_expect_leq(tap.largest, 64 * 1024);
}

Test(report, unknown_format_is_refused)
{
    struct ra_style style = { .sz = sizeof(style) };
    struct tap tap = { .after = SIZE_MAX };
    struct tree tree;

    tree_make(&tree, 1);
    cr_expect_eq(ra_report_write(tree_report(&tree), "yaml", &style, tap_take, &tap),
                 RA_E_UNSUPPORTED);
    cr_expect_eq(tap.calls, 0);
}

Test(report, fields_behind_a_shorter_style_are_not_read)
{
    struct ra_style style = { .sz = offsetof(struct ra_style, color), .color = true };
    struct ra_text text = { 0 };
    struct tree tree;

    tree_make(&tree, 1);
    cr_assert_eq(ra_report_write(tree_report(&tree), "text", &style, keep, &text), RA_OK);
    cr_expect_null(strchr(text.data, '\033'));
    ra_text_free(&text);
}

Test(report, every_format_gives_the_same_bytes_twice)
{
    struct tree tree;

    tree_make(&tree, LIBRARIES);
    for (const char *const *format = ra_report_formats(); *format; format++) {
        char *first = render(tree_report(&tree), *format, plain);
        char *second = render(&tree.report, *format, plain);

        cr_expect_str_eq(first, second);
        free(first);
        free(second);
    }
}
