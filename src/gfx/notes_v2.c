#include "gfx/notes_v2.h"

#include "gfx/isa.h"
#include "gfx/target.h"

/* AMDGPUUsage, "AMDGPU Code Object V2 ELF Note Records". */
enum { CODE_VERSION = 1, HSAIL = 2, ISA_VERSION = 3, METADATA = 10 };

#define MACH          0xffu
#define XNACK_OLD     0x1u /* EF_AMDGPU_FEATURE_XNACK_V2 */
#define FLAGS_OLD     0x3u /* and that of the trap handler: all there is by the spec */
#define VERSION_FLAGS 3    /* whose e_flags LLVM gives V2 as well */
#define NAMES         "AMD\0AMDGPU"

static void keep_version(struct ra_notes_v2 *notes, struct ra_span content)
{
    struct ra_cursor cur = ra_cursor_over(content);
    uint32_t major = ra_cursor_u32le(&cur), minor = ra_cursor_u32le(&cur);

    if (!ra_cursor_ok(&cur) || notes->has_version)
        return;
    notes->has_version = true;
    notes->major = major;
    notes->minor = minor;
}

/* Sizes of two names, three numbers, the names: "AMD" and "AMDGPU". */
static void keep_isa(struct ra_notes_v2 *notes, struct ra_span content)
{
    struct ra_cursor cur = ra_cursor_over(content);
    unsigned vendor = ra_cursor_u16le(&cur), architecture = ra_cursor_u16le(&cur);
    struct ra_isa isa = { .major = ra_cursor_u32le(&cur) };
    bool named;

    isa.minor = ra_cursor_u32le(&cur);
    isa.stepping = ra_cursor_u32le(&cur);
    named = vendor == sizeof("AMD") && architecture == sizeof("AMDGPU") &&
            ra_cursor_match(&cur, NAMES, sizeof(NAMES));
    if (notes->has_isa)
        return;
    notes->has_isa = true;
    if (named && !ra_isa_target(&isa, &notes->isa))
        notes->isa = (struct ra_target){ 0 };
}

void ra_notes_v2_keep(struct ra_notes_v2 *notes, uint32_t type, struct ra_span content)
{
    if (type == CODE_VERSION)
        keep_version(notes, content);
    else if (type == HSAIL)
        notes->has_hsail = true;
    else if (type == ISA_VERSION)
        keep_isa(notes, content);
    else if (type == METADATA && !notes->has_metadata) {
        notes->has_metadata = true;
        notes->metadata = content;
    }
}

struct ra_target ra_notes_v2_target(const struct ra_notes_v2 *notes, uint32_t flags)
{
    struct ra_target target = notes->isa;

    if (notes->has_hsail && flags & XNACK_OLD)
        target.xnack = RA_SETTING_ON;
    else if (notes->has_hsail && target.xnack == RA_SETTING_ON)
        target.xnack = RA_SETTING_OFF;
    return target;
}

struct ra_target ra_notes_v2_claim(const struct ra_target *target, uint32_t flags,
                                   bool *known)
{
    struct ra_target claim = { 0 };
    unsigned generic;

    *known = true;
    if ((flags & MACH & ~FLAGS_OLD) == 0)
        return claim;
    *known = ra_target_from_flags(flags, VERSION_FLAGS, &claim, &generic);
    if (*known)
        claim.sramecc = target->sramecc; /* of which V2 knows nothing */
    return claim;
}
