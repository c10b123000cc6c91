/* load.c - an entry was chosen: does ROCr take it? */
#include "audit/load.h"

#include "gfx/image.h"
#include "gfx/target.h"

#define ET_EXEC 2
#define ET_DYN  3

/* EF_AMDGPU_FEATURE_XNACK_V4 of e_flags. */
#define XNACK_MASK 0x300u
#define XNACK_ON   0x300u

enum { VERSION_GENERIC = 6 }; /* before it, no generic target can be told from e_flags */

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

struct ra_choice ra_choice_of(enum ra_verdict_kind kind, const struct ra_entry *entry)
{
    return (struct ra_choice){ .kind = kind, .entry = entry };
}

struct ra_choice ra_choice_refused(const struct ra_entry *entry, enum ra_refusal refusal)
{
    return (
        struct ra_choice){ .kind = RA_UNLOADABLE, .entry = entry, .refusal = refusal };
}

struct ra_choice ra_choice_lacking(const struct ra_entry *entry, enum ra_refusal refusal,
                                   enum ra_ability ability)
{
    return (struct ra_choice){
        .kind = RA_UNLOADABLE, .entry = entry, .refusal = refusal, .ability = ability
    };
}

/* A header that was read is certain, also where damage kept us from the rest. */
bool ra_has_target(const struct ra_entry *entry)
{
    return *entry->code.target.processor != '\0';
}

bool ra_spelled_alike(const struct ra_target *left, const struct ra_target *right)
{
    char a[RA_TARGET_TEXT], b[RA_TARGET_TEXT];

    ra_target_spell(left, a);
    ra_target_spell(right, b);
    return same(a, b);
}

static bool is_stated(enum ra_setting setting)
{
    return setting == RA_SETTING_ON || setting == RA_SETTING_OFF;
}

/* The ability that the version of a code object asks for, if the release lacks it. */
static enum ra_ability too_new(const struct ra_offer *offer, const struct ra_code *code)
{
    const struct ra_processor *processor = ra_processor_by_name(code->target.processor);

    if (processor && processor->is_generic && !offer->can[RA_CAN_LOAD_GENERIC])
        return RA_CAN_LOAD_GENERIC;
    if (code->version == 5 && !offer->can[RA_CAN_LOAD_V5])
        return RA_CAN_LOAD_V5;
    if (code->version == 6 && !offer->can[RA_CAN_LOAD_V6])
        return RA_CAN_LOAD_V6;
    return RA_CAN_NOTHING;
}

/* ROCr looks up the name that e_flags spell, and there is no gfx1030:xnack+. */
static bool names_no_isa(const struct ra_code *code)
{
    const struct ra_processor *processor = ra_processor_by_name(code->target.processor);

    return processor && ((!processor->xnack && is_stated(code->target.xnack)) ||
                         (!processor->sramecc && is_stated(code->target.sramecc)));
}

/* The compiler writes that xnack is on, where it cannot be off; ROCr used to mind. */
static bool minds_gfx1250(const struct ra_offer *offer, const struct ra_code *code)
{
    return strncmp(code->target.processor, "gfx125", 6) == 0 &&
           (code->flags & XNACK_MASK) == XNACK_ON &&
           !offer->can[RA_CAN_FORGIVE_GFX1250_XNACK];
}

/* Refusals for what the bytes are, whatever the processor. */
static enum ra_refusal refused_as_file(const struct ra_code *code)
{
    if (code->osabi != RA_OSABI_HSA)
        return RA_NOT_HSA;
    return code->type == ET_EXEC || code->type == ET_DYN ? RA_TAKEN : RA_NOT_LINKED;
}

/* Refusals that stand in what was read behind the header. */
static enum ra_refusal refused_inside(const struct ra_entry *entry)
{
    const struct ra_code *code = &entry->code;
    const struct ra_processor *processor;

    if (code->version > 2 && !code->has_metadata)
        return RA_NO_METADATA;
    if (ra_has_target(entry) && *code->claimed.processor &&
        !ra_spelled_alike(&code->claimed, &code->target))
        return RA_CONTRADICTION;
    if (code->odd_descriptor)
        return RA_ODD_DESCRIPTOR;
    processor = ra_processor_by_name(code->target.processor);
    if (processor && processor->is_generic &&
        (code->version < VERSION_GENERIC || code->generic_version == 0))
        return RA_NO_GENERIC;
    return RA_TAKEN;
}

/* Refusals that the code object brings with it, whatever the device. */
static struct ra_choice load_anywhere(const struct ra_offer *offer,
                                      const struct ra_entry *entry)
{
    enum ra_refusal refusal = refused_as_file(&entry->code);
    enum ra_ability ability = too_new(offer, &entry->code);

    if (refusal != RA_TAKEN)
        return ra_choice_refused(entry, refusal);
    if (ra_rocm_lacks(offer->rocm, entry->code.target.processor))
        return ra_choice_refused(entry, RA_NOT_KNOWN_ISA);
    if (ability != RA_CAN_NOTHING)
        return ra_choice_lacking(entry, RA_TOO_NEW, ability);
    if (minds_gfx1250(offer, &entry->code))
        return ra_choice_lacking(entry, RA_NO_SUCH_ISA, RA_CAN_FORGIVE_GFX1250_XNACK);
    if (names_no_isa(&entry->code))
        return ra_choice_refused(entry, RA_NO_SUCH_ISA);
    return entry->complete ? ra_choice_refused(entry, refused_inside(entry))
                           : ra_choice_refused(entry, RA_TAKEN);
}

/* Where headers are damaged nothing in them is known, and a zero says no system. */
static bool lacks_header(const struct ra_entry *entry)
{
    return !entry->complete && entry->code.osabi != RA_OSABI_HSA;
}

struct ra_choice ra_load(const struct ra_offer *offer, const struct ra_entry *entry,
                         const char *processor, enum ra_verdict_kind taken)
{
    struct ra_choice refused;

    if (offer->bundle->size_wrapped)
        return ra_choice_refused(entry, RA_WRAPPED);
    if (entry->size == 0)
        return ra_choice_refused(entry, RA_EMPTY_CHOSEN);
    if (entry->content == RA_CONTENT_UNREAD)
        return ra_choice_of(RA_UNDECIDED, entry);
    if (entry->content != RA_CONTENT_CODE_OBJECT)
        return ra_choice_refused(entry, RA_NOT_CODE);
    if (lacks_header(entry))
        return ra_choice_of(RA_UNDECIDED, entry);
    refused = load_anywhere(offer, entry);
    if (refused.refusal != RA_TAKEN)
        return refused;
    if (ra_has_target(entry) && !same(entry->code.target.processor, processor))
        return ra_choice_refused(entry, RA_OTHER_TARGET);
    if (ra_has_target(entry) &&
        !ra_target_features_accept(&entry->code.target, offer->device))
        return ra_choice_refused(entry, RA_OTHER_FEATURE);
    if (entry->complete && refused_inside(entry) != RA_TAKEN)
        return ra_choice_refused(entry, refused_inside(entry));
    if (!entry->complete || !ra_has_target(entry) || entry->code.unclear_claim)
        return ra_choice_of(RA_UNDECIDED, entry);
    return ra_choice_of(taken, entry);
}
