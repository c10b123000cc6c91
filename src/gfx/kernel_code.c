#include "gfx/kernel_code.h"

/* Offsets in amd_kernel_code_t. */
enum {
    MACHINE_VERSION = 10,
    ENTRY = 16,
    PROPERTIES = 56,
    KERNARG = 72,
    REGISTERS = 84,
    WAVE_SIZE = 103,
};

#define IS_DYNAMIC_CALLSTACK (1u << 20)

struct ra_kernel_code ra_kernel_code_read(struct ra_span span)
{
    struct ra_cursor cur = ra_cursor_over(span);
    struct ra_kernel_code ret = { 0 };
    uint32_t properties;
    unsigned power;

    ra_cursor_seek(&cur, MACHINE_VERSION);
    ret.isa.major = ra_cursor_u16le(&cur);
    ret.isa.minor = ra_cursor_u16le(&cur);
    ret.isa.stepping = ra_cursor_u16le(&cur);
    ra_cursor_seek(&cur, ENTRY);
    ret.entry = (int64_t)ra_cursor_u64le(&cur);
    ra_cursor_seek(&cur, PROPERTIES);
    properties = ra_cursor_u32le(&cur);
    ret.scratch = ra_cursor_u32le(&cur);
    ret.lds = ra_cursor_u32le(&cur);
    ra_cursor_seek(&cur, KERNARG);
    ret.kernarg = ra_cursor_u64le(&cur);
    ra_cursor_seek(&cur, REGISTERS);
    ret.sgprs = ra_cursor_u16le(&cur);
    ret.vgprs = ra_cursor_u16le(&cur);
    ra_cursor_seek(&cur, WAVE_SIZE);
    power = ra_cursor_u8(&cur);
    ret.wave_size = power == 5 || power == 6 ? 1u << power : 0;
    ret.dynamic_stack = properties & IS_DYNAMIC_CALLSTACK;
    return ret;
}

bool ra_kernel_code_is_odd(const struct ra_kernel_code *code,
                           const struct ra_target *target, unsigned wave_size)
{
    struct ra_target processor;

    if (code->wave_size == 0 || (wave_size && code->wave_size != wave_size))
        return true;
    return *target->processor && (!ra_isa_target(&code->isa, &processor) ||
                                  strcmp(processor.processor, target->processor) != 0);
}
