#include "device/told.h"

#include "base/array.h"
#include "base/text.h"
#include "device/host.h"
#include "device/told_formats.h"
#include "gfx/target.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define EXCERPT_MAX 100
#define ISA_PREFIX  "amdgcn-amd-amdhsa--"

/*
 * The first row that recognises a text reads it; the JSON and list rows at last take what
 * only looks like it. `nothing` is said of a text without a GPU in it.
 */
static const struct format {
    const char *tool;
    bool (*recognise)(struct ra_span text);
    void (*read)(struct told *told, struct ra_span text); /* NULL: never names a GPU */
    const char *nothing;
} formats[] = {
    { "torch", told_is_torch, told_read_torch, "torch names no GPU in it" },
    { "torch", told_is_arch_list, NULL,
      "this is what torch was built for, not what is there: print "
      "torch.cuda.get_device_properties(0) instead" },
    { "amd-smi", told_is_amd_smi_json, told_read_json, "amd-smi names no GPU in it" },
    { "rocm-smi", told_is_rocm_smi_json, told_read_json, "rocm-smi names no GPU in it" },
    { "JSON", told_is_json, NULL,
      "JSON that names no GPU: amd-smi static --asic --json and "
      "rocm-smi --showproductname --json do" },
    { "rocm-smi", told_is_rocm_smi, told_read_rocm_smi,
      "rocm-smi names no GPU in it: rocm-smi --showhw does" },
    { "amd-smi", told_is_amd_smi, told_read_amd_smi, "amd-smi names no GPU in it" },
    { "rocminfo", told_is_rocminfo, told_read_rocminfo, "rocminfo lists no GPU" },
    { "rocm_agent_enumerator", told_is_enumerator, told_read_list,
      "rocm_agent_enumerator lists no GPU" },
    { "target list", told_is_list, told_read_list, "the list names no GPU" },
};

/* ---- what is odd ------------------------------------------------------------- */

bool told_is_first(struct told *told)
{
    return told->odd_count++ == 0;
}

const char *told_excerpt(const struct told *told, struct ra_span text)
{
    struct ra_span start = text;
    const char *shown;

    if (text.size > EXCERPT_MAX)
        start.size = EXCERPT_MAX;
    shown = ra_text_escape(told->arena, start);
    if (!shown || start.size == text.size)
        return shown;
    return ra_text_format(told->arena, "%s...", shown);
}

/* Where it stands and what is the matter with the GPU that is shown as `name`. */
static void tell(struct told *told, const struct told_gpu *gpu, const char *name,
                 const char *matter)
{
    bool has_pci = told_starts(gpu->pci, "0x");
    const char *pci = has_pci ? told_excerpt(told, gpu->pci) : "";

    if (name && pci)
        told->odd =
            ra_text_format(told->arena, "%s, %s %zu%s%s%s: %s%s%s", told->tool,
                           gpu->place, gpu->number, has_pci ? " (PCI device " : "", pci,
                           has_pci ? ")" : "", name, *name ? " " : "", matter);
}

/* A GPU whose printed name does not say what it is, and whose PCI device is not known. */
static void tell_unnamed(struct told *told, const struct told_gpu *gpu,
                         struct ra_span name)
{
    const char *shown, *matter;

    told->incomplete = true;
    if (!told_is_first(told))
        return;
    shown = told_excerpt(told, name);
    matter = shown ? ra_gpu_refused(shown) : NULL;
    if (name.size == 0)
        matter = "it is not said which processor it has";
    /* amd-smi of October 2024 read 90a and 90c as decimal numbers. */
    else if (told_equals(name, "gfx90"))
        matter = "is what some releases print for gfx90a and gfx90c: it cannot be told "
                 "which";
    /* All bits set: the library's "not supported". */
    else if (told_equals(name, "gfx18446744073709551615"))
        matter = "means that the tool does not know it";
    tell(told, gpu, shown, matter ? matter : "is no name of a GPU");
}

/* ---- names ------------------------------------------------------------------- */

/*
 * Major version in decimal, minor and stepping as one digit of hex each: gfx600 to
 * gfx9ff, then gfx1000 and up. What is cut short or a digit too long is never of that
 * shape.
 */
static bool is_well_formed(const char *processor)
{
    size_t size = strlen(processor);

    if (strspn(processor + 3, "0123456789") + 2 < size - 3 ||
        strspn(processor + 3, "0123456789abcdef") != size - 3)
        return false;
    return (size == strlen("gfx90a") && processor[3] >= '6') ||
           (size == strlen("gfx1100") && processor[3] >= '1' && processor[3] <= '5');
}

/* rocm-smi up to some 6.2 printed 1000 * major + stepping where the minor version is 0.
 */
static bool put_right(struct ra_target *id)
{
    struct ra_span digits = { (const uint8_t *)id->processor + 3,
                              strlen(id->processor) - 3, 0 };
    size_t number;

    if (!told_number(digits, &number) || number < 6000 || number > 59015 ||
        number % 1000 > 15)
        return false;
    (void)snprintf(id->processor, sizeof(id->processor), "gfx%zu0%zx", number / 1000,
                   number % 1000);
    return true;
}

bool told_is_generic(struct ra_span name)
{
    return told_contains(name, "-generic");
}

/* The target ID in an ISA name; any other name as it is. */
static struct ra_span target_of(struct ra_span name)
{
    struct ra_cursor cur = ra_cursor_over(name);

    if (ra_cursor_match(&cur, ISA_PREFIX, strlen(ISA_PREFIX)))
        return ra_cursor_take(&cur, name.size - cur.pos);
    return name;
}

/* ---- devices ----------------------------------------------------------------- */

/* Add a device for `id`; NULL if there are too many, or no memory. */
static struct ra_device *add(struct told *told, const struct ra_target *id,
                             const char *source)
{
    struct ra_device *device;

    if (told->count == RA_TOLD_DEVICES_MAX) {
        told->is_full = told->incomplete = true;
        if (told_is_first(told))
            told->odd = "more than 4096 GPUs are named; the rest are left out";
        return NULL;
    }
    if (told->count == told->room) {
        void *list = ra_array_grow(told->list, &told->room, sizeof(*told->list));

        if (!list) {
            told->status = RA_E_NOMEM;
            return NULL;
        }
        told->list = list;
    }
    device = &told->list[told->count];
    *device = (struct ra_device){ .index = told->count, .source = source, .id = *id };
    device->origin = RA_FROM_USER;
    told->count++;
    if (ra_device_complete(device, told->arena) != RA_OK)
        told->status = RA_E_NOMEM;
    device->rocr_index = device->index == 0 ? 0 : device[-1].rocr_index + 1;
    return device;
}

/* Add a device for each board that a target can mean; they are one to ROCr. */
static void add_all(struct told *told, const struct ra_target *id, const char *source)
{
    struct ra_target meanings[2];
    size_t count = ra_device_meanings(id, meanings);

    for (size_t i = 0; i < count; i++) {
        struct ra_device *device = add(told, &meanings[i], source);

        if (!device)
            return;
        device->rocr_index -= i;
        if (count > 1)
            ra_device_guessed(device);
    }
}

/* Where a device was named; and how, if that was put right. */
static const char *source_of(const struct told *told, const struct told_gpu *gpu,
                             struct ra_span name, bool was_wrong)
{
    if (!was_wrong)
        return ra_text_format(told->arena, "%s, %s %zu", told->tool, gpu->place,
                              gpu->number);
    if (name.size == 0)
        return ra_text_format(told->arena, "%s, %s %zu (PCI device %s)", told->tool,
                              gpu->place, gpu->number, told_excerpt(told, gpu->pci));
    return ra_text_format(told->arena, "%s, %s %zu (printed %s)", told->tool, gpu->place,
                          gpu->number, told_excerpt(told, name));
}

/* A processor that is new to this build, or a feature it is not known to have: a device
 * all the same, for the tool has seen it. */
static void tell_strange(struct told *told, const struct told_gpu *gpu,
                         const struct ra_target *id)
{
    char target[RA_TARGET_TEXT];
    const char *matter;

    ra_target_spell(id, target);
    matter = ra_gpu_refused(target);
    if (matter && told_is_first(told))
        tell(told, gpu, target, matter);
}

/* The processor of the PCI device, "0x740f"; NULL if that is not told or not known. */
static const char *by_pci(struct ra_span pci)
{
    struct ra_cursor cur = ra_cursor_over(pci);
    const struct ra_pci_row *row;
    uint64_t id = 0;

    if (!ra_cursor_match(&cur, "0x", 2))
        return NULL;
    for (size_t i = cur.pos; i < pci.size; i++) {
        uint8_t digit = ra_cursor_u8(&cur);

        if (i > 2 + 4 || !isxdigit(digit))
            return NULL;
        id = id << 4 | (uint64_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    row = ra_pci_by_id(id);
    return row ? row->processor : NULL;
}

/* The target that a name stands for, put right if need be; false if it is no GPU's. */
static bool understand(const struct told_gpu *gpu, struct ra_span name,
                       struct ra_target *ret, bool *was_wrong)
{
    const char *processor;

    *was_wrong = false;
    if (told_starts(name, "gfx") && ra_target_parse(name, ret)) {
        *was_wrong = !is_well_formed(ret->processor);
        if (!*was_wrong || put_right(ret))
            return true;
    }
    processor = by_pci(gpu->pci);
    if (!processor)
        return false;
    *was_wrong = true;
    return ra_target_parse(
        (struct ra_span){ (const uint8_t *)processor, strlen(processor), 0 }, ret);
}

void told_add(struct told *told, const struct told_gpu *gpu)
{
    struct ra_span name = target_of(gpu->name);
    bool is_isa = name.size < gpu->name.size, was_wrong;
    struct ra_target id;
    const char *source;

    if (told->status != RA_OK || told->is_full || told_equals(name, "gfx000") ||
        (is_isa && told_is_generic(name)))
        return;
    if (!understand(gpu, name, &id, &was_wrong)) {
        tell_unnamed(told, gpu, name);
        return;
    }
    tell_strange(told, gpu, &id);
    source = source_of(told, gpu, name, was_wrong);
    if (!source)
        told->status = RA_E_NOMEM;
    else
        add_all(told, &id, source);
}

/* ---- the text as it came ------------------------------------------------------- */

enum encoding { IN_BYTES, IN_UTF16_LE, IN_UTF16_BE };

/* By its byte order mark, which is passed over, or by the first letter. */
static enum encoding encoding_of(struct ra_cursor *cur)
{
    struct ra_span text = cur->span;

    if (ra_cursor_match(cur, "\xff\xfe", 2))
        return IN_UTF16_LE;
    if (ra_cursor_match(cur, "\xfe\xff", 2))
        return IN_UTF16_BE;
    (void)ra_cursor_match(cur, "\xef\xbb\xbf", 3);
    return text.size >= 2 && text.data[0] && !text.data[1] ? IN_UTF16_LE : IN_BYTES;
}

/* Names are ASCII: of UTF-16, what is beyond it becomes a question mark. */
static uint8_t next_byte(struct ra_cursor *cur, enum encoding encoding)
{
    uint16_t unit;

    if (encoding == IN_BYTES)
        return ra_cursor_u8(cur);
    unit = ra_cursor_u16le(cur);
    if (encoding == IN_UTF16_BE)
        unit = (uint16_t)(unit << 8 | unit >> 8);
    return unit < 0x80 ? (uint8_t)unit : '?';
}

/* Pass over the rest of a colour: ECMA-48 control sequences end in '@' to '~'. */
static void skip_control(struct ra_cursor *cur, enum encoding encoding)
{
    struct ra_cursor ahead = *cur;
    uint8_t byte = next_byte(&ahead, encoding);

    if (byte != '[')
        return;
    do {
        byte = next_byte(&ahead, encoding);
    } while (ra_cursor_ok(&ahead) && byte >= 0x20 && byte < 0x40);
    if (ra_cursor_ok(&ahead))
        *cur = ahead;
}

/* Write `text` as bytes without colours to `ret`, which has room for all of it. */
static size_t clean(struct ra_span text, uint8_t *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);
    enum encoding encoding = encoding_of(&cur);
    size_t size = 0;

    for (;;) {
        uint8_t byte = next_byte(&cur, encoding);

        if (!ra_cursor_ok(&cur))
            return size;
        if (byte == '\033')
            skip_control(&cur, encoding);
        else
            ret[size++] = byte;
    }
}

/* ---- all of it ----------------------------------------------------------------- */

/* What is said of a text that no row recognises. */
static const char *tell_unknown(const struct told *told, struct ra_span text)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct ra_span line = { 0 };
    const char *shown;

    while (line.size == 0 && told_line(&cur, &line))
        continue;
    if (line.size == 0)
        return "there is nothing in it, which is what amdgpu-arch prints without a GPU";
    shown = told_excerpt(told, line);
    if (!shown)
        return NULL;
    return ra_text_format(told->arena,
                          "neither the output of a tool that names GPUs nor a list of "
                          "targets: it begins with: %s",
                          shown);
}

static void read_text(struct told *told, struct ra_span text)
{
    for (size_t i = 0; i < RA_COUNT(formats); i++) {
        if (!formats[i].recognise(text))
            continue;
        told->tool = formats[i].tool;
        told->why = formats[i].nothing;
        if (formats[i].read)
            formats[i].read(told, text);
        return;
    }
    told->why = tell_unknown(told, text);
}

/* Hand over what came of it. */
static enum ra_status keep(const struct told *told, const char *name,
                           struct ra_devices *ret)
{
    const char *text = told->odd_count > 0 ? told->odd : told->why;

    ret->incomplete = told->incomplete;
    if (told->count > 0 && told->odd_count == 0)
        ret->text = "";
    else if (!text)
        return RA_E_NOMEM;
    else if (told->odd_count > 1)
        ret->text = ra_text_format(told->arena, "%s: %s (and %zu more)", name, text,
                                   told->odd_count - 1);
    else
        ret->text = ra_text_format(told->arena, "%s: %s", name, text);
    ret->list = ra_new(told->arena, struct ra_device, told->count);
    if (!ret->text || !ret->list || told->status != RA_OK)
        return RA_E_NOMEM;
    if (told->count > 0)
        memcpy(ret->list, told->list, told->count * sizeof(*ret->list));
    ret->count = told->count;
    return RA_OK;
}

enum ra_status ra_devices_told(struct ra_span text, const char *name,
                               struct ra_arena *arena, struct ra_devices *ret)
{
    struct told told = { .arena = arena };
    enum ra_status status;
    uint8_t *bytes;

    *ret = (struct ra_devices){ .text = "" };
    if (text.size > RA_TOLD_MAX) {
        told.why = "larger than 4 MiB, which no list of GPUs is";
        return keep(&told, name, ret);
    }
    bytes = malloc(text.size + 1);
    if (!bytes)
        return RA_E_NOMEM;
    read_text(&told, (struct ra_span){ bytes, clean(text, bytes), 0 });
    status = keep(&told, name, ret);
    free(told.list);
    free(bytes);
    return status;
}
