/* judge.c - one bundle on one device: which entry is chosen, and is it taken? */
#include "audit/judge.h"

#include "gfx/target.h"

#define ET_EXEC   2
#define ET_DYN    3
#define OSABI_HSA 0x40
#define SPIRV     "amdgcnspirv"
#define HIPV4     "hipv4-"
#define TRIPLE    "-amdgcn-amd-amdhsa-"
#define PLAIN_ID  "hipv4" TRIPLE "-"

/* EF_AMDGPU_FEATURE_XNACK_V4 of e_flags. */
#define XNACK_MASK 0x300u
#define XNACK_ON   0x300u

/* A bundle's table: magic and count, then 24 bytes and the ID an entry. */
#define TABLE_HEAD   32
#define RECORD_HEAD  24
#define TABLE_WINDOW 4096

/* hsa_status_t */
#define HSA_INCOMPATIBLE_ARGUMENTS 0x100d
#define HSA_INVALID_CODE_OBJECT    0x1010
#define HSA_INVALID_ISA_NAME       0x1017

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

/* What a choice hangs on. */
struct view {
    const struct ra_bundle *bundle;
    const struct ra_target *device;
    const struct ra_rocm *rocm;
    bool can[RA_ABILITIES];
};

static struct ra_choice choice(enum ra_verdict_kind kind, const struct ra_entry *entry)
{
    return (struct ra_choice){ .kind = kind, .entry = entry };
}

static struct ra_choice refuse(const struct ra_entry *entry, enum ra_refusal refusal)
{
    return (struct ra_choice){ RA_UNLOADABLE, entry, refusal, RA_CAN_NOTHING, false };
}

static struct ra_choice lacking(const struct ra_entry *entry, enum ra_refusal refusal,
                                enum ra_ability ability)
{
    return (struct ra_choice){ RA_UNLOADABLE, entry, refusal, ability, false };
}

/* ---- is it taken? ----------------------------------------------------------- */

/* A header that was read is certain, also where damage kept us from the rest. */
static bool has_target(const struct ra_entry *entry)
{
    return *entry->code.target.processor != '\0';
}

static bool is_stated(enum ra_setting setting)
{
    return setting == RA_SETTING_ON || setting == RA_SETTING_OFF;
}

/* The ability that the version of a code object asks for, if the release lacks it. */
static enum ra_ability too_new(const struct view *view, const struct ra_code *code)
{
    const struct ra_processor *processor = ra_processor_by_name(code->target.processor);

    if (processor && processor->is_generic && !view->can[RA_CAN_LOAD_GENERIC])
        return RA_CAN_LOAD_GENERIC;
    if (code->version == 5 && !view->can[RA_CAN_LOAD_V5])
        return RA_CAN_LOAD_V5;
    if (code->version == 6 && !view->can[RA_CAN_LOAD_V6])
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
static bool minds_gfx1250(const struct view *view, const struct ra_code *code)
{
    return strncmp(code->target.processor, "gfx125", 6) == 0 &&
           (code->flags & XNACK_MASK) == XNACK_ON &&
           !view->can[RA_CAN_FORGIVE_GFX1250_XNACK];
}

/* Refusals for what the bytes are, whatever the processor. */
static enum ra_refusal refused_as_file(const struct ra_code *code)
{
    if (code->osabi != OSABI_HSA)
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

/* Refusals that the code object brings with it, whatever the device. */
static struct ra_choice load_anywhere(const struct view *view,
                                      const struct ra_entry *entry)
{
    enum ra_refusal refusal = refused_as_file(&entry->code);
    enum ra_ability ability = too_new(view, &entry->code);

    if (refusal != RA_TAKEN)
        return refuse(entry, refusal);
    if (ra_rocm_lacks(view->rocm, entry->code.target.processor))
        return refuse(entry, RA_NOT_KNOWN_ISA);
    if (ability != RA_CAN_NOTHING)
        return lacking(entry, RA_TOO_NEW, ability);
    if (minds_gfx1250(view, &entry->code))
        return lacking(entry, RA_NO_SUCH_ISA, RA_CAN_FORGIVE_GFX1250_XNACK);
    if (names_no_isa(&entry->code))
        return refuse(entry, RA_NO_SUCH_ISA);
    return entry->complete ? refuse(entry, refused_inside(entry))
                           : refuse(entry, RA_TAKEN);
}

/**
 * ROCr's word on the chosen entry.
 *
 * @param processor  what e_flags have to name
 * @param taken      the verdict if it is taken
 */
static struct ra_choice load(const struct view *view, const struct ra_entry *entry,
                             const char *processor, enum ra_verdict_kind taken)
{
    struct ra_choice refused;

    if (view->bundle->size_wrapped)
        return refuse(entry, RA_WRAPPED);
    if (entry->size == 0)
        return refuse(entry, RA_EMPTY_CHOSEN);
    if (entry->content == RA_CONTENT_UNREAD)
        return choice(RA_UNDECIDED, entry);
    if (entry->content != RA_CONTENT_CODE_OBJECT)
        return refuse(entry, RA_NOT_CODE);
    refused = load_anywhere(view, entry);
    if (refused.refusal != RA_TAKEN)
        return refused;
    if (has_target(entry) && !same(entry->code.target.processor, processor))
        return refuse(entry, RA_OTHER_TARGET);
    if (has_target(entry) &&
        !ra_target_features_accept(&entry->code.target, view->device))
        return refuse(entry, RA_OTHER_FEATURE);
    if (entry->complete && refused_inside(entry) != RA_TAKEN)
        return refuse(entry, refused_inside(entry));
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

/*
 * Whether comgr, or the unbundler it leaves compressed bundles to, takes an ID for what
 * its target says. Both want four dashes before the target; a word for the environment
 * is taken by the unbundler, and by comgr in releases that nobody has looked at.
 */
static bool is_matched(const struct view *view, const char *id)
{
    bool plain = same(view->bundle->container, "plain");
    const char *rest = strchr(id, '-');

    if (!rest || (!plain && strncmp(id, "hcc-", 4) == 0))
        return false;
    if (strncmp(rest, TRIPLE "unknown-gfx", strlen(TRIPLE "unknown-gfx")) == 0)
        return !plain || view->can[RA_CAN_MATCH_ENVIRONMENT];
    return strncmp(rest, TRIPLE "-gfx", strlen(TRIPLE "-gfx")) == 0;
}

bool ra_judge_is_matched(const struct ra_bundle *bundle, const struct ra_entry *entry)
{
    struct view view = { .bundle = bundle };

    return entry->kind != RA_ENTRY_HIP || is_matched(&view, entry->id);
}

/* An entry that the runtime takes for one of the wanted processor. */
static bool offers(const struct view *view, const struct ra_entry *entry,
                   const char *processor)
{
    return entry->kind == consumer(view->bundle) &&
           same(entry->label.processor, processor) &&
           (entry->kind != RA_ENTRY_HIP || !view->can[RA_CAN_CHOOSE_BY_ID] ||
            is_matched(view, entry->id));
}

/* HIP's own parser, before it left that to comgr: hipv4- entries by their exact ID ... */
static bool spells(const struct ra_entry *entry)
{
    char canonical[RA_TARGET_TEXT];

    ra_target_spell(&entry->label, canonical);
    return strncmp(entry->id, PLAIN_ID, strlen(PLAIN_ID)) == 0 &&
           same(entry->id + strlen(PLAIN_ID), canonical);
}

/* ... and those of older kinds by their e_flags, if these are as old. */
static bool fits_by_flags(const struct ra_entry *entry, const struct ra_target *wanted)
{
    return entry->content == RA_CONTENT_CODE_OBJECT &&
           (entry->code.version == 3 || entry->code.version == 4) &&
           same(entry->code.target.processor, wanted->processor) &&
           ra_target_features_accept(&entry->code.target, wanted);
}

static bool matches(const struct view *view, const struct ra_entry *entry,
                    const struct ra_target *wanted)
{
    bool fits = offers(view, entry, wanted->processor) &&
                ra_target_features_accept(&entry->label, wanted);

    if (view->can[RA_CAN_CHOOSE_BY_ID] || entry->kind != RA_ENTRY_HIP)
        return fits;
    if (strncmp(entry->id, HIPV4, strlen(HIPV4)) == 0)
        return fits && spells(entry);
    return fits_by_flags(entry, wanted);
}

/* How many entries of a plain bundle's table the release gets to see. */
static size_t seen_entries(const struct view *view)
{
    const struct ra_bundle *bundle = view->bundle;
    uint64_t end = TABLE_HEAD;

    for (size_t i = 0; i < bundle->entry_count; i++) {
        end += RECORD_HEAD + strlen(bundle->entries[i].id);
        if (end > TABLE_WINDOW && view->can[RA_CAN_CUT_TABLE] &&
            same(bundle->container, "plain"))
            return view->can[RA_CAN_FAIL_ON_CUT_TABLE] ? 0 : i;
    }
    return bundle->entry_count;
}

/* What is made of an entry that matches: without bytes it is as if there were none. */
static struct ra_choice take(const struct view *view, const struct ra_entry *entry,
                             const char *processor, enum ra_verdict_kind taken)
{
    if (entry->size == 0 && view->can[RA_CAN_SKIP_EMPTY])
        return choice(RA_MISSING, NULL);
    return load(view, entry, processor, taken);
}

/*
 * Of several that are compatible, a plain bundle gives its first (comgr looks them up in
 * order), a compressed one any (the unbundler's order is that of a hash table): there
 * the worst decides.
 */
static struct ra_choice choose(const struct view *view, const struct ra_target *wanted,
                               enum ra_verdict_kind taken)
{
    struct ra_choice worst = { .kind = RA_NONE };
    bool plain = same(view->bundle->container, "plain");
    size_t seen = seen_entries(view);

    for (size_t i = 0; i < seen; i++) {
        const struct ra_entry *entry = &view->bundle->entries[i];
        struct ra_choice next;

        if (!matches(view, entry, wanted))
            continue;
        next = take(view, entry, wanted->processor, taken);
        if (!next.entry)
            return next; /* and what else there is may be passed over for it */
        if (next.kind > worst.kind)
            worst = next;
        if (plain)
            break;
    }
    return worst.entry ? worst : choice(RA_MISSING, NULL);
}

/* The name HIP asks for: ROCr has come to leave out the mode of a gfx90c. */
static struct ra_target asked_for(const struct view *view)
{
    struct ra_target wanted = *view->device;

    if (same(wanted.processor, "gfx90c") && view->can[RA_CAN_NAME_GFX90C_BARE])
        wanted.xnack = RA_SETTING_NONE;
    return wanted;
}

/* The native processor, or the generic target, is there but in the other mode. */
static const struct ra_entry *other_mode(const struct view *view, const char *generic)
{
    struct ra_target wanted = asked_for(view);

    for (size_t i = 0; i < view->bundle->entry_count; i++) {
        const struct ra_entry *entry = &view->bundle->entries[i];

        if (entry->size > 0 && !ra_target_features_accept(&entry->label, &wanted) &&
            (offers(view, entry, wanted.processor) ||
             (*generic && offers(view, entry, generic))))
            return entry;
    }
    return NULL;
}

static struct ra_choice choose_sibling(const struct view *view,
                                       const struct ra_target *wanted)
{
    const char *name = ra_rocm_sibling(view->rocm, wanted->processor);
    struct ra_target sibling = *wanted;
    struct ra_choice found = { .kind = RA_MISSING };

    if (!name)
        return found;
    memcpy(sibling.processor, name, strlen(name) + 1);
    found = choose(view, &sibling, RA_GENERIC);
    found.sibling = found.kind == RA_GENERIC;
    return found;
}

static struct ra_choice choose_spirv(const struct view *view)
{
    for (size_t i = 0; i < view->bundle->entry_count; i++) {
        const struct ra_entry *entry = &view->bundle->entries[i];

        if (entry->kind != RA_ENTRY_HIP || entry->size == 0 ||
            !same(entry->label.processor, SPIRV))
            continue;
        if (entry->content == RA_CONTENT_SPIRV)
            return choice(RA_JIT, entry);
        return entry->content == RA_CONTENT_UNREAD ? choice(RA_UNDECIDED, entry)
                                                   : refuse(entry, RA_NOT_CODE);
    }
    return choice(RA_MISSING, NULL);
}

static struct ra_choice judge_entries(const struct view *view)
{
    struct ra_target wanted = asked_for(view), generic;
    bool has_generic =
        view->can[RA_CAN_LOAD_GENERIC] && ra_target_generic(&wanted, &generic);
    struct ra_choice found = choose(view, &wanted, RA_NATIVE);
    const struct ra_entry *entry;

    if (!found.entry)
        found = choose_sibling(view, &wanted);
    if (!found.entry && has_generic)
        found = choose(view, &generic, RA_GENERIC);
    if (!found.entry && view->can[RA_CAN_COMPILE_SPIRV])
        found = choose_spirv(view);
    if (found.entry)
        return found;
    if (seen_entries(view) < view->bundle->entry_count)
        return lacking(NULL, RA_CONTAINER, RA_CAN_CUT_TABLE);
    entry = other_mode(view, has_generic ? generic.processor : "");
    return choice(entry ? RA_FEATURE_MISMATCH : RA_MISSING, entry);
}

/*
 * A code object by itself is handed to ROCr as it is. ROCr, unlike HIP, compares the
 * names of generic targets without features, so gfx9-generic does serve gfx906 here.
 */
static struct ra_choice judge_raw(const struct view *view)
{
    const struct ra_entry *entry = &view->bundle->entries[0];
    const struct ra_target *device = view->device;
    const struct ra_processor *processor = ra_processor_by_name(device->processor);
    const char *name = entry->code.target.processor;
    const char *sibling = ra_rocm_sibling(view->rocm, device->processor);
    bool is_sibling = sibling && same(name, sibling);
    struct ra_choice found;

    if (entry->content == RA_CONTENT_CODE_OBJECT && has_target(entry) &&
        !same(name, device->processor) && !is_sibling &&
        !(processor && same(name, processor->generic)))
        return choice(RA_MISSING, NULL);
    found =
        load(view, entry, name, same(name, device->processor) ? RA_NATIVE : RA_GENERIC);
    if (found.kind == RA_UNLOADABLE && found.refusal == RA_OTHER_FEATURE)
        found.kind = RA_FEATURE_MISMATCH;
    found.sibling = is_sibling && found.kind == RA_GENERIC;
    return found;
}

/* The ability that a container asks for. */
static enum ra_ability ability_for(const struct ra_bundle *bundle)
{
    static const struct {
        const char *container;
        enum ra_ability ability;
    } containers[] = {
        { "ccob1", RA_CAN_READ_CCOB1 },
        { "ccob2", RA_CAN_READ_CCOB2 },
        { "ccob3", RA_CAN_READ_CCOB3 },
        { "kpack", RA_CAN_READ_KPACK },
    };

    for (size_t i = 0; i < RA_COUNT(containers); i++)
        if (same(bundle->container, containers[i].container))
            return containers[i].ability;
    return RA_CAN_NOTHING;
}

static bool is_large(const struct ra_bundle *bundle)
{
    return same(bundle->container, "ccob3") && bundle->size > UINT32_MAX;
}

static struct ra_choice judge(const struct view *view)
{
    const struct ra_bundle *bundle = view->bundle;
    enum ra_ability ability = ability_for(bundle);
    size_t devices = 0;

    for (size_t i = 0; i < bundle->entry_count; i++)
        devices += is_device(&bundle->entries[i]);
    if (devices == 0 && bundle->has_table)
        return choice(bundle->complete ? RA_NONE : RA_UNDECIDED, NULL);
    if (ability != RA_CAN_NOTHING && !view->can[ability])
        return lacking(NULL, RA_CONTAINER, ability);
    if (is_large(bundle) && !view->can[RA_CAN_READ_LARGE_CCOB])
        return lacking(NULL, RA_CONTAINER, RA_CAN_READ_LARGE_CCOB);
    if (!bundle->has_table)
        return choice(RA_UNDECIDED, NULL);
    return same(bundle->container, "raw") ? judge_raw(view) : judge_entries(view);
}

/*
 * What is not known of the release is taken to be so, then each alone not to be so: if
 * that makes a difference, there is no verdict.
 */
struct ra_choice ra_judge_bundle(const struct ra_bundle *bundle,
                                 const struct ra_target *device,
                                 const struct ra_rocm *rocm)
{
    struct view view = { .bundle = bundle, .device = device, .rocm = rocm };
    struct ra_choice found;

    for (size_t i = 0; i < RA_ABILITIES; i++)
        view.can[i] = ra_rocm_can(rocm, (enum ra_ability)i) != RA_NO;
    found = judge(&view);
    for (size_t i = 0; i < RA_ABILITIES; i++) {
        struct ra_choice other;

        if (ra_rocm_can(rocm, (enum ra_ability)i) != RA_NOT_KNOWN)
            continue;
        view.can[i] = false;
        other = judge(&view);
        view.can[i] = true;
        if (other.kind != found.kind)
            return (struct ra_choice){ RA_UNDECIDED, found.entry, RA_TAKEN,
                                       (enum ra_ability)i, false };
    }
    return found;
}

enum ra_fault_kind ra_judge_fault(const struct ra_bundle *bundle,
                                  const struct ra_choice *chosen)
{
    if (same(bundle->container, "raw"))
        return RA_FAULT_RAW;
    if (chosen->kind != RA_UNLOADABLE)
        return RA_FAULT_NO_MATCH;
    if (chosen->refusal == RA_CONTAINER && same(bundle->container, "kpack"))
        return RA_FAULT_KPACK;
    if (chosen->refusal == RA_CONTAINER || chosen->refusal == RA_WRAPPED)
        return RA_FAULT_UNREADABLE;
    if (chosen->refusal == RA_NOT_CODE || chosen->refusal == RA_EMPTY_CHOSEN)
        return RA_FAULT_NOT_CODE;
    return RA_FAULT_REFUSED;
}

unsigned ra_judge_status(const struct ra_choice *chosen)
{
    switch (chosen->refusal) {
    case RA_NO_SUCH_ISA:
        return HSA_INVALID_ISA_NAME;
    case RA_OTHER_TARGET:
    case RA_OTHER_FEATURE:
    case RA_NO_GENERIC:
        return HSA_INCOMPATIBLE_ARGUMENTS;
    case RA_TAKEN:
    case RA_NO_METADATA:
    case RA_CONTRADICTION:
    case RA_ODD_DESCRIPTOR:
        return 0;
    case RA_TOO_NEW: /* to HIP alone: ROCr loads what HIP's comgr could not name yet */
        return chosen->ability == RA_CAN_LOAD_V5 ? 0 : HSA_INVALID_CODE_OBJECT;
    default:
        return HSA_INVALID_CODE_OBJECT;
    }
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
