#include "gfx/descriptor.h"

/* Bits of the registers, by their names in AMDGPUUsage. */
#define PROPERTY_WAVE32        (1u << 10)
#define PROPERTY_DYNAMIC_STACK (1u << 11)
#define RSRC1_WGP_MODE         (1u << 29)
#define RSRC1_GFX10            (7u << 29) /* WGP_MODE, MEM_ORDERED, FWD_PROGRESS */
#define RSRC3_TG_SPLIT         (1u << 16)

/* Instructions that make a stub: the SOPP encoding, opcode in bits 22 to 16. */
#define SOPP_OPCODE     0xffff0000u
#define S_NOP           0xbf800000u
#define S_ENDPGM_GFX6   0xbf810000u
#define S_TRAP_GFX6     0xbf920000u
#define S_ENDPGM_GFX11  0xbfb00000u
#define S_TRAP_GFX11    0xbf900000u
#define S_SENDMSG_GFX11 0xbfb60000u /* frees registers before the end */

struct ra_descriptor ra_descriptor_read(struct ra_span span)
{
    struct ra_cursor cur = ra_cursor_over(span);
    struct ra_descriptor ret = {
        .lds = ra_cursor_u32le(&cur),
        .scratch = ra_cursor_u32le(&cur),
        .kernarg = ra_cursor_u32le(&cur),
    };

    ra_cursor_skip(&cur, 4);
    ret.entry = (int64_t)ra_cursor_u64le(&cur);
    ra_cursor_skip(&cur, 20);
    ret.rsrc3 = ra_cursor_u32le(&cur);
    ret.rsrc1 = ra_cursor_u32le(&cur);
    ret.rsrc2 = ra_cursor_u32le(&cur);
    ret.properties = ra_cursor_u16le(&cur);
    return ret;
}

unsigned ra_generation(const char *processor)
{
    unsigned value = 0, digits = 0;
    const char *at = processor;

    if (strncmp(at, "gfx", 3) != 0)
        return 0;
    for (at += 3; *at >= '0' && *at <= '9' && digits < 4; at++, digits++)
        value = value * 10 + (unsigned)(*at - '0');
    if (*at == '-')
        return value; /* gfx9-generic, gfx10-1-generic */
    /* Two more characters follow the generation, of which the last may be a letter. */
    if (*at != '\0')
        return value / 10;
    return value / 100;
}

unsigned ra_descriptor_wave_size(const struct ra_descriptor *descriptor)
{
    return descriptor->properties & PROPERTY_WAVE32 ? 32 : 64;
}

bool ra_descriptor_dynamic_stack(const struct ra_descriptor *descriptor)
{
    return descriptor->properties & PROPERTY_DYNAMIC_STACK;
}

static bool has_wgp_mode(const char *processor)
{
    return ra_generation(processor) >= 10 && strncmp(processor, "gfx125", 6) != 0 &&
           strcmp(processor, "gfx12-5-generic") != 0;
}

static bool has_tg_split(const char *processor)
{
    static const char *const names[] = {
        "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx9-4-generic",
    };

    for (size_t i = 0; i < RA_COUNT(names); i++)
        if (strcmp(processor, names[i]) == 0)
            return true;
    return false;
}

bool ra_descriptor_wgp_mode(const struct ra_descriptor *descriptor, const char *processor)
{
    return has_wgp_mode(processor) && (descriptor->rsrc1 & RSRC1_WGP_MODE);
}

bool ra_descriptor_tg_split(const struct ra_descriptor *descriptor, const char *processor)
{
    return has_tg_split(processor) && (descriptor->rsrc3 & RSRC3_TG_SPLIT);
}

bool ra_descriptor_is_odd(const struct ra_descriptor *descriptor, const char *processor)
{
    /* gfx10 and later took over all bits that were free, so nothing is odd there. */
    if (ra_generation(processor) >= 10)
        return false;
    if (descriptor->properties & PROPERTY_WAVE32 || descriptor->rsrc1 & RSRC1_GFX10)
        return true;
    return descriptor->rsrc3 && !has_tg_split(processor); /* the register is theirs */
}

bool ra_code_is_stub(struct ra_span code, uint64_t size, const char *processor)
{
    bool gfx11 = ra_generation(processor) >= 11;
    struct ra_cursor cur = ra_cursor_over(code);

    if (size == 0 || size > RA_STUB_SIZE)
        return false;
    while (true) {
        uint32_t word = ra_cursor_u32le(&cur);
        uint32_t opcode = word & SOPP_OPCODE;

        if (!ra_cursor_ok(&cur))
            return false;
        if (opcode == (gfx11 ? S_ENDPGM_GFX11 : S_ENDPGM_GFX6) ||
            opcode == (gfx11 ? S_TRAP_GFX11 : S_TRAP_GFX6))
            return true;
        if (opcode != S_NOP && !(gfx11 && opcode == S_SENDMSG_GFX11))
            return false;
    }
}
