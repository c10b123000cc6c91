/* judge.c - one bundle on one device: which entry is chosen, and is it taken? */
#include "audit/judge.h"

#include "gfx/target.h"

#define ET_DYN    3
#define OSABI_HSA 0x40
#define SPIRV     "amdgcnspirv"

enum { VERSION_GENERIC = 6 }; /* before it, no generic target can be told from e_flags */

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

static bool spelled_alike(const struct ra_target *left, const struct ra_target *right)
{
    char a[RA_TARGET_TEXT], b[RA_TARGET_TEXT];

    ra_target_spell(left, a);
    ra_target_spell(right, b);
    return same(a, b);
}

static struct ra_choice choice(enum ra_verdict_kind kind, const struct ra_entry *entry)
{
    return (struct ra_choice){ .kind = kind, .entry = entry };
}

/* ---- is it taken? ----------------------------------------------------------- */

/* A header that was read is certain, also where damage kept us from the rest. */
static bool has_target(const struct ra_entry *entry)
{
    return *entry->code.target.processor != '\0';
}

/* Refusals that the code object brings with it, whatever the device. */
static enum ra_refusal refused_anywhere(const struct ra_entry *entry)
{
    const struct ra_code *code = &entry->code;
    const struct ra_processor *processor;

    if (code->osabi != OSABI_HSA)
        return RA_NOT_HSA;
    if (code->type != ET_DYN)
        return RA_NOT_LINKED;
    if (!entry->complete)
        return RA_TAKEN; /* not to be told from here */
    if (code->version > 2 && !code->has_metadata)
        return RA_NO_METADATA;
    if (has_target(entry) && *code->claimed.processor &&
        !spelled_alike(&code->claimed, &code->target))
        return RA_CONTRADICTION;
    if (code->odd_descriptor)
        return RA_ODD_DESCRIPTOR;
    processor = ra_processor_by_name(code->target.processor);
    if (processor && processor->is_generic &&
        (code->version < VERSION_GENERIC || code->generic_version == 0))
        return RA_NO_GENERIC;
    return RA_TAKEN;
}

static struct ra_choice refuse(const struct ra_entry *entry, enum ra_refusal refusal)
{
    return (struct ra_choice){ RA_UNLOADABLE, entry, refusal };
}

/**
 * ROCr's word on the chosen entry.
 *
 * @param processor  what e_flags have to name
 * @param taken      the verdict if it is taken
 */
static struct ra_choice load(const struct ra_bundle *bundle, const struct ra_entry *entry,
                             const char *processor, const struct ra_target *device,
                             enum ra_verdict_kind taken)
{
    enum ra_refusal refusal;

    if (bundle->size_wrapped)
        return refuse(entry, RA_WRAPPED);
    if (entry->content == RA_CONTENT_UNREAD)
        return choice(RA_UNDECIDED, entry);
    if (entry->content != RA_CONTENT_CODE_OBJECT)
        return refuse(entry, RA_NOT_CODE);
    refusal = refused_anywhere(entry);
    if (refusal != RA_TAKEN)
        return refuse(entry, refusal);
    if (has_target(entry) && !same(entry->code.target.processor, processor))
        return refuse(entry, RA_OTHER_TARGET);
    if (has_target(entry) && !ra_target_features_accept(&entry->code.target, device))
        return refuse(entry, RA_OTHER_FEATURE);
    if (!entry->complete || !has_target(entry) || entry->code.unclear_claim)
        return choice(RA_UNDECIDED, entry);
    return choice(taken, entry);
}

/* ---- which is chosen? ------------------------------------------------------- */

static bool is_device(const struct ra_entry *entry)
{
    return entry->kind != RA_ENTRY_HOST;
}

/* HIP knows HIP's kinds only; a bundle without any of them is OpenMP's. */
static enum ra_entry_kind consumer(const struct ra_bundle *bundle)
{
    for (size_t i = 0; i < bundle->entry_count; i++)
        if (bundle->entries[i].kind == RA_ENTRY_HIP)
            return RA_ENTRY_HIP;
    return RA_ENTRY_OPENMP;
}

/* An entry of the wanted processor that is there at all. */
static bool offers(const struct ra_entry *entry, enum ra_entry_kind kind,
                   const char *processor)
{
    return entry->kind == kind && entry->size > 0 &&
           same(entry->label.processor, processor);
}

/*
 * Of several that are compatible, a plain bundle gives its first (comgr looks them up in
 * order), a compressed one any (the unbundler's order is that of a hash table): there
 * the worst decides.
 */
static struct ra_choice choose(const struct ra_bundle *bundle,
                               const struct ra_target *wanted,
                               const struct ra_target *device, enum ra_verdict_kind taken)
{
    struct ra_choice worst = { .kind = RA_MISSING };
    enum ra_entry_kind kind = consumer(bundle);
    bool plain = same(bundle->container, "plain");

    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];
        struct ra_choice next;

        if (!offers(entry, kind, wanted->processor) ||
            !ra_target_features_accept(&entry->label, wanted))
            continue;
        next = load(bundle, entry, wanted->processor, device, taken);
        if (!worst.entry || next.kind > worst.kind)
            worst = next;
        if (plain)
            break;
    }
    return worst;
}

/* The native processor, or the generic target, is there but in the other mode. */
static const struct ra_entry *other_mode(const struct ra_bundle *bundle,
                                         const char *processor, const char *generic)
{
    enum ra_entry_kind kind = consumer(bundle);

    for (size_t i = 0; i < bundle->entry_count; i++)
        if (offers(&bundle->entries[i], kind, processor) ||
            (*generic && offers(&bundle->entries[i], kind, generic)))
            return &bundle->entries[i];
    return NULL;
}

static struct ra_choice judge_entries(const struct ra_bundle *bundle,
                                      const struct ra_target *device)
{
    struct ra_target generic;
    bool has_generic = ra_target_generic(device, &generic);
    struct ra_choice found = choose(bundle, device, device, RA_NATIVE);
    struct ra_target spirv = { .processor = SPIRV };
    const struct ra_entry *entry;

    if (!found.entry && has_generic)
        found = choose(bundle, &generic, device, RA_GENERIC);
    if (found.entry)
        return found;
    for (size_t i = 0; i < bundle->entry_count; i++) {
        entry = &bundle->entries[i];
        if (!offers(entry, RA_ENTRY_HIP, spirv.processor))
            continue;
        if (entry->content == RA_CONTENT_SPIRV)
            return choice(RA_JIT, entry);
        return entry->content == RA_CONTENT_UNREAD ? choice(RA_UNDECIDED, entry)
                                                   : refuse(entry, RA_NOT_CODE);
    }
    entry = other_mode(bundle, device->processor, has_generic ? generic.processor : "");
    return choice(entry ? RA_FEATURE_MISMATCH : RA_MISSING, entry);
}

/*
 * A code object by itself is handed to ROCr as it is. ROCr, unlike HIP, compares the
 * names of generic targets without features, so gfx9-generic does serve gfx906 here.
 */
static struct ra_choice judge_raw(const struct ra_bundle *bundle,
                                  const struct ra_target *device)
{
    const struct ra_entry *entry = &bundle->entries[0];
    const struct ra_processor *processor = ra_processor_by_name(device->processor);
    const char *name = entry->code.target.processor;
    struct ra_choice found;

    if (entry->content == RA_CONTENT_CODE_OBJECT && has_target(entry) &&
        !same(name, device->processor) && !(processor && same(name, processor->generic)))
        return choice(RA_MISSING, NULL);
    found = load(bundle, entry, name, device,
                 same(name, device->processor) ? RA_NATIVE : RA_GENERIC);
    if (found.kind == RA_UNLOADABLE && found.refusal == RA_OTHER_FEATURE)
        return choice(RA_FEATURE_MISMATCH, entry);
    return found;
}

struct ra_choice ra_judge_bundle(const struct ra_bundle *bundle,
                                 const struct ra_target *device)
{
    size_t devices = 0;

    if (!bundle->has_table)
        return choice(RA_UNDECIDED, NULL);
    if (same(bundle->container, "raw"))
        return judge_raw(bundle, device);
    for (size_t i = 0; i < bundle->entry_count; i++)
        devices += is_device(&bundle->entries[i]);
    if (devices == 0)
        return choice(bundle->complete ? RA_NONE : RA_UNDECIDED, NULL);
    return judge_entries(bundle, device);
}

bool ra_judge_mislabelled(const struct ra_entry *entry)
{
    const struct ra_target *target = &entry->code.target;

    if (entry->content != RA_CONTENT_CODE_OBJECT || !has_target(entry))
        return false;
    if (*entry->label.processor && !spelled_alike(&entry->label, target))
        return true;
    return *entry->code.claimed.processor && !spelled_alike(&entry->code.claimed, target);
}

/* ---- kernels ---------------------------------------------------------------- */

/* What is known of a name: bits of one byte. */
enum { ELSEWHERE = 1, REAL_ELSEWHERE = 2, HERE = 4, STUB_HERE = 8 };

static void mark(const struct ra_entry *entry, bool chosen, uint8_t *names, size_t count)
{
    for (uint64_t i = 0; entry->kernels && i < entry->kernel_count; i++) {
        const struct ra_kernel *kernel = &entry->kernels[i];

        if (kernel->name >= count)
            continue;
        if (chosen)
            names[kernel->name] |= kernel->is_stub ? HERE | STUB_HERE : HERE;
        else
            names[kernel->name] |=
                kernel->is_stub ? ELSEWHERE : ELSEWHERE | REAL_ELSEWHERE;
    }
}

enum ra_status ra_judge_kernels(const struct ra_bundle *bundle,
                                const struct ra_choice *chosen, struct ra_arena *scratch,
                                struct ra_absent *ret)
{
    size_t count = bundle->kernel_name_count;
    uint8_t *names = ra_new(scratch, uint8_t, count);

    *ret = (struct ra_absent){ 0 };
    if (!names)
        return RA_E_NOMEM;
    for (size_t i = 0; i < bundle->entry_count; i++)
        mark(&bundle->entries[i], &bundle->entries[i] == chosen->entry, names, count);
    for (size_t i = count; i-- > 0;) {
        if (!(names[i] & HERE)) {
            ret->absent++;
            ret->first_absent = (uint32_t)i;
        } else if ((names[i] & STUB_HERE) && (names[i] & REAL_ELSEWHERE)) {
            ret->stubs++;
            ret->first_stub = (uint32_t)i;
        }
    }
    return RA_OK;
}
