#include "gfx/target.h"

#include <stdio.h>

/* e_flags: AMDGPUUsage.rst, "ELF Header e_flags" for V3, and for V4 and later. */
#define MACH          0xffU
#define XNACK_V3      0x100U
#define SRAMECC_V3    0x200U
#define XNACK_SHIFT   8
#define SRAMECC_SHIFT 10
#define SETTING       3U
#define GENERIC_SHIFT 24

static const struct ra_processor processors[] = {
#define TARGET(name, mach, generic, xnack, sramecc, arch, apu, products)                 \
    { name, mach, generic, xnack, sramecc, false, apu, arch, products },
#define GENERIC(name, mach, xnack, sramecc, arch)                                        \
    { name, mach, "", xnack, sramecc, true, false, arch, "" },
#include "gfx/targets.def"
#undef GENERIC
#undef TARGET
};

const struct ra_processor *ra_processors(size_t *count)
{
    *count = RA_COUNT(processors);
    return processors;
}

const struct ra_processor *ra_processor_by_name(const char *name)
{
    for (size_t i = 0; i < RA_COUNT(processors); i++)
        if (strcmp(processors[i].name, name) == 0)
            return &processors[i];
    return NULL;
}

const struct ra_processor *ra_processor_by_mach(unsigned mach)
{
    for (size_t i = 0; i < RA_COUNT(processors); i++)
        if (processors[i].mach == mach)
            return &processors[i];
    return NULL;
}

/* ---- target IDs ------------------------------------------------------------- */

static bool equals(struct ra_span text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* The bytes up to one of `ends`, or up to the end. */
static struct ra_span take_until(struct ra_cursor *cur, const char *ends)
{
    struct ra_cursor ahead = *cur;
    uint8_t byte = ra_cursor_u8(&ahead);
    size_t size = 0;

    while (ra_cursor_ok(&ahead) && (!byte || !strchr(ends, byte))) {
        size++;
        byte = ra_cursor_u8(&ahead);
    }
    return ra_cursor_take(cur, size);
}

static bool at_end(const struct ra_cursor *cur)
{
    return cur->pos == cur->span.size;
}

static bool is_name_letter(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-';
}

static bool is_processor(struct ra_span name)
{
    if (name.size >= sizeof((struct ra_target){ 0 }.processor))
        return false;
    if (equals(name, "amdgcnspirv"))
        return true;
    if (name.size < 4 || memcmp(name.data, "gfx", 3) != 0)
        return false;
    for (size_t i = 3; i < name.size; i++)
        if (!is_name_letter(name.data[i]))
            return false;
    return true;
}

/* False if `name` is no feature, or is stated a second time. */
static bool state(struct ra_target *target, struct ra_span name, const char *sramecc,
                  enum ra_setting setting)
{
    enum ra_setting *slot;

    if (equals(name, "xnack"))
        slot = &target->xnack;
    else if (equals(name, sramecc))
        slot = &target->sramecc;
    else
        return false;
    if (*slot != RA_SETTING_NONE)
        return false;
    *slot = setting;
    return true;
}

/* ":sramecc+:xnack-", any order. */
static bool read_features(struct ra_cursor *cur, struct ra_target *target)
{
    while (!at_end(cur)) {
        bool colon = ra_cursor_u8(cur) == ':';
        struct ra_span name = take_until(cur, "+-");
        uint8_t sign = ra_cursor_u8(cur);

        if (!colon || !ra_cursor_ok(cur))
            return false;
        if (!state(target, name, "sramecc", sign == '+' ? RA_SETTING_ON : RA_SETTING_OFF))
            return false;
    }
    return true;
}

/* "+sram-ecc+xnack", the form before code object V4: it has no "off". */
static bool read_old_features(struct ra_cursor *cur, struct ra_target *target)
{
    while (!at_end(cur)) {
        ra_cursor_skip(cur, 1);
        if (!state(target, take_until(cur, "+"), "sram-ecc", RA_SETTING_ON))
            return false;
    }
    return true;
}

/* What it means that a target ID does not state a feature. */
static void fill_unstated(struct ra_target *target, enum ra_setting unstated)
{
    const struct ra_processor *processor = ra_processor_by_name(target->processor);

    if (strcmp(target->processor, "amdgcnspirv") == 0)
        return;
    if (!processor)
        unstated = RA_SETTING_ANY;
    if (target->xnack == RA_SETTING_NONE && (!processor || processor->xnack))
        target->xnack = unstated;
    if (target->sramecc == RA_SETTING_NONE && (!processor || processor->sramecc))
        target->sramecc = unstated;
}

bool ra_target_parse(struct ra_span text, struct ra_target *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);
    struct ra_span name = take_until(&cur, ":+");
    struct ra_target target = { 0 };
    bool old, good;

    *ret = target;
    if (!is_processor(name))
        return false;
    memcpy(target.processor, name.data, name.size);
    old = !at_end(&cur) && text.data[cur.pos] == '+';
    good = old ? read_old_features(&cur, &target) : read_features(&cur, &target);
    if (!good)
        return false;
    fill_unstated(&target, old ? RA_SETTING_OFF : RA_SETTING_ANY);
    *ret = target;
    return true;
}

static const char *suffix(enum ra_setting setting, const char *off, const char *on)
{
    if (setting == RA_SETTING_ON)
        return on;
    return setting == RA_SETTING_OFF ? off : "";
}

void ra_target_spell(const struct ra_target *target, char ret[RA_TARGET_TEXT])
{
    (void)snprintf(ret, RA_TARGET_TEXT, "%s%s%s", target->processor,
                   suffix(target->sramecc, ":sramecc-", ":sramecc+"),
                   suffix(target->xnack, ":xnack-", ":xnack+"));
}

/* ---- e_flags ---------------------------------------------------------------- */

/* V3 has one bit a feature; clear means off, where the processor has the feature. */
static enum ra_setting one_bit(uint32_t flags, uint32_t bit, bool exists)
{
    if (!exists)
        return RA_SETTING_NONE;
    return flags & bit ? RA_SETTING_ON : RA_SETTING_OFF;
}

/*
 * On gfx125x no ID states a feature, yet LLVM 22 writes "any" and other compilers "on".
 * Its agents are named without features, so neither says anything.
 */
static bool has_fixed_features(const struct ra_processor *processor)
{
    static const char generic[] = "gfx12-5-generic";

    return strcmp(processor->name, generic) == 0 ||
           strcmp(processor->generic, generic) == 0;
}

bool ra_target_from_flags(uint32_t flags, unsigned version, struct ra_target *ret,
                          unsigned *generic)
{
    const struct ra_processor *processor = ra_processor_by_mach(flags & MACH);

    *ret = (struct ra_target){ 0 };
    *generic = 0;
    if (!processor || version < 3 || version > 6)
        return false;
    (void)snprintf(ret->processor, sizeof(ret->processor), "%s", processor->name);
    if (version == 6)
        *generic = flags >> GENERIC_SHIFT;
    if (has_fixed_features(processor))
        return true;
    if (version == 3) {
        ret->xnack = one_bit(flags, XNACK_V3, processor->xnack);
        ret->sramecc = one_bit(flags, SRAMECC_V3, processor->sramecc);
        return true;
    }
    ret->xnack = (enum ra_setting)(flags >> XNACK_SHIFT & SETTING);
    ret->sramecc = (enum ra_setting)(flags >> SRAMECC_SHIFT & SETTING);
    return true;
}

/* ---- which code a device takes ---------------------------------------------- */

static bool is_stated(enum ra_setting setting)
{
    return setting == RA_SETTING_ON || setting == RA_SETTING_OFF;
}

bool ra_setting_accepts(enum ra_setting code, enum ra_setting device)
{
    return !is_stated(code) || code == device;
}

bool ra_target_features_accept(const struct ra_target *code,
                               const struct ra_target *device)
{
    return ra_setting_accepts(code->xnack, device->xnack) &&
           ra_setting_accepts(code->sramecc, device->sramecc);
}

bool ra_target_generic(const struct ra_target *device, struct ra_target *ret)
{
    const struct ra_processor *processor = ra_processor_by_name(device->processor);
    const struct ra_processor *generic =
        processor ? ra_processor_by_name(processor->generic) : NULL;

    *ret = (struct ra_target){ 0 };
    if (!generic || (is_stated(device->xnack) && !generic->xnack) ||
        (is_stated(device->sramecc) && !generic->sramecc))
        return false;
    *ret = *device;
    (void)snprintf(ret->processor, sizeof(ret->processor), "%s", generic->name);
    return true;
}

size_t ra_target_expansions(const struct ra_target *device,
                            char ret[RA_TARGET_EXPANSIONS][RA_TARGET_TEXT])
{
    size_t count = 0;

    for (unsigned without = 0; without < RA_TARGET_EXPANSIONS; without++) {
        struct ra_target target = *device;
        bool known = false;

        if (without & 1)
            target.xnack = RA_SETTING_NONE;
        if (without & 2)
            target.sramecc = RA_SETTING_NONE;
        ra_target_spell(&target, ret[count]);
        for (size_t i = 0; i < count; i++)
            known = known || strcmp(ret[i], ret[count]) == 0;
        count += !known;
    }
    return count;
}

const char *ra_gpu_refused(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };
    const struct ra_processor *processor;
    struct ra_target target;

    if (!ra_target_parse(span, &target))
        return "is no target ID such as gfx90a or gfx942:sramecc+:xnack-";
    if (strcmp(target.processor, "amdgcnspirv") == 0)
        return "is code that any GPU can compile for itself, and no GPU is one";
    processor = ra_processor_by_name(target.processor);
    if (!processor)
        return "is not a target this build knows";
    if (processor->is_generic)
        return "is a generic target, and no GPU is one";
    if (is_stated(target.xnack) && !processor->xnack)
        return "states xnack, which cannot be chosen on this processor";
    if (is_stated(target.sramecc) && !processor->sramecc)
        return "states sramecc, which cannot be chosen on this processor";
    return NULL;
}
