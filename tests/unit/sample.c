#include "sample.h"

#include "base/text.h"

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

static struct ra_entry sample_code(const char *id, const char *target,
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

static void sample_library_make(struct library *library, const char *path)
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
        sample_code("hipv4-amdgcn-amd-amdhsa--gfx1030", "gfx1030", "gfx1030", 4096);
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

void sample_judge(struct library *library, size_t device, enum ra_verdict_kind kind,
                  enum ra_severity severity)
{
    library->verdicts[device] = (struct ra_verdict){
        .device = device, .kind = kind, .severity = severity, .total = 1
    };
    library->verdicts[device].covered = kind <= RA_JIT;
    if (library->file.verdict_count <= device)
        library->file.verdict_count = device + 1;
}

void sample_package(struct sample *sample, size_t place, const char *name,
                    const char *version)
{
    sample->packages[place] =
        (struct ra_package){ .name = name,
                             .version = version,
                             .kind = "wheel",
                             .path = "/opt/dist-info/RECORD",
                             .verdicts = sample->package_verdicts[place] };
    sample->report.packages = sample->packages;
    if (sample->report.package_count <= place)
        sample->report.package_count = place + 1;
}

void sample_own(struct sample *sample, size_t place, size_t first, size_t count,
                enum ra_verdict_kind kind, enum ra_severity severity)
{
    struct ra_package *of = &sample->packages[place];

    sample->package_verdicts[place][0] =
        (struct ra_verdict){ .kind = kind, .severity = severity };
    of->verdict_count = 1;
    of->device_files = of->code_objects = count;
    for (size_t i = first; i < first + count; i++) {
        sample_judge(&sample->libraries[i], 0, kind, severity);
        sample->libraries[i].file.package = of;
        sample->findings[i].package = of;
    }
}

void sample_environment(struct sample *sample)
{
    sample_make(sample, 6);
    sample_package(sample, 0, "torch", "2.9.0+rocm7.0");
    sample_package(sample, 1, "bitsandbytes", "0.50.2");
    sample_own(sample, 0, 0, 3, RA_MISSING, RA_ERROR);
    sample_own(sample, 1, 3, 2, RA_NATIVE, RA_NOTE);
    sample->findings[3] = sample_missing(sample->names[5], 0);
    sample->report.finding_count = 4;
}

struct ra_finding sample_skew(const struct ra_package *package, size_t device)
{
    return (struct ra_finding){ .rule = "RA299",
                                .name = "made-up",
                                .severity = RA_ERROR,
                                .consequence = "refused",
                                .package = package,
                                .device = device,
                                .message = "7.2 and 7.1 do not go together",
                                .advice = "pip install the other" };
}

struct ra_device sample_device(size_t index, const char *target)
{
    struct ra_device device = { .index = index,
                                .target = target,
                                .source = "--gpu",
                                .product = "",
                                .arch = "RDNA 3.5",
                                .is_apu = true,
                                .why = "",
                                .same_as = index,
                                .rocr_index = index };

    return device;
}

struct ra_finding sample_missing(const char *file, size_t device)
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

void sample_make(struct sample *sample, size_t count)
{
    *sample = (struct sample){ 0 };
    for (size_t i = 0; i < count; i++) {
        snprintf(sample->names[i], sizeof(sample->names[i]), "/opt/lib%02zu.so", i);
        sample_library_make(&sample->libraries[i], sample->names[i]);
        sample_judge(&sample->libraries[i], 0, RA_MISSING, RA_ERROR);
        sample->findings[i] = sample_missing(sample->names[i], 0);
    }
    sample->devices[0] = sample_device(0, "gfx1151");
    sample->targets[0] = (struct ra_target_bytes){ "gfx1030", 1720000 * count, count };
    sample->report = (struct ra_report){ .verb = "audit",
                                         .runtime = { .version = "",
                                                      .source = "assumed",
                                                      .assumed = true,
                                                      .compat = "upstream",
                                                      .compat_source = "default" },
                                         .devices = sample->devices,
                                         .device_count = 1,
                                         .devices_text = "",
                                         .files = sample->files,
                                         .file_count = count,
                                         .findings = sample->findings,
                                         .finding_count = count,
                                         .exit = 1 };
    sample->report.totals = (struct ra_totals){ .files = count + 3,
                                                .with_device_code = count,
                                                .bundles = count,
                                                .code_objects = count,
                                                .kernels = 2 * count,
                                                .errors = count,
                                                .targets = sample->targets,
                                                .target_count = 1 };
    sample->report.totals.by_kind[RA_KIND_ELF] = 2;
    sample->report.totals.by_kind[RA_KIND_CUDA] = 1;
}

/* After the last change to a library. */
const struct ra_report *sample_report(struct sample *sample)
{
    for (size_t i = 0; i < sample->report.file_count; i++)
        sample->files[i] = sample->libraries[i].file;
    return &sample->report;
}

const struct ra_report *sample_listing(struct sample *sample)
{
    sample->report.verb = "ls";
    sample->report.device_count = sample->report.finding_count = 0;
    for (size_t i = 0; i < sample->report.file_count; i++)
        sample->libraries[i].file.verdict_count = 0;
    sample->report.exit = 0;
    return sample_report(sample);
}

/* ---- what comes out ------------------------------------------------------------ */

bool sample_keep(void *arg, const char *bytes, size_t size)
{
    ra_text_add(arg, bytes, size);
    return true;
}

/* The caller frees it. */
char *sample_render(const struct ra_report *report, const char *format,
                    struct ra_style style)
{
    struct ra_text text = { 0 };

    style.sz = sizeof(style);
    cr_assert_eq(ra_report_write(report, format, &style, sample_keep, &text), RA_OK);
    cr_assert_not(text.failed);
    cr_assert_not_null(text.data);
    return text.data;
}

size_t sample_count(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

void assert_says(const struct ra_report *report, const char *format,
                 struct ra_style style, const char *part)
{
    char *text = sample_render(report, format, style);

    cr_assert_not_null(strstr(text, part), "no \"%s\" in:\n%s", part, text);
    free(text);
}

void assert_lacks(const struct ra_report *report, const char *format,
                  struct ra_style style, const char *part)
{
    char *text = sample_render(report, format, style);

    cr_assert_null(strstr(text, part), "\"%s\" in:\n%s", part, text);
    free(text);
}

void assert_narrow(const struct ra_report *report, unsigned width)
{
    struct ra_style style = { .width = width };
    char *text = sample_render(report, "text", style), *rest = text, *line;

    while ((line = strsep(&rest, "\n")))
        cr_expect_leq(strlen(line), width, "%zu columns: %s", strlen(line), line);
    free(text);
}

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

bool json_is_document(const char *text)
{
    struct ra_span span = { .data = (const uint8_t *)text, .size = strlen(text) };
    const char *end = ra_text_is_utf8(span) ? json_value(text, 0) : NULL;

    return end && *json_space(end) == '\0';
}
