/* judge.c - one bundle on one device: which entry is chosen? */
#include "audit/judge.h"

#include "audit/judge_kpack.h"
#include "audit/judge_offload.h"
#include "audit/judge_raw.h"
#include "gfx/target.h"

#define SPIRV    "amdgcnspirv"
#define HIPV4    "hipv4-"
#define TRIPLE   "-amdgcn-amd-amdhsa-"
#define PLAIN_ID "hipv4" TRIPLE "-"

/* A bundle's table: magic and count, then 24 bytes and the ID an entry. */
#define TABLE_HEAD   32
#define RECORD_HEAD  24
#define TABLE_WINDOW 4096

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
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
static bool is_matched(const struct ra_offer *offer, const char *id)
{
    bool plain = same(offer->bundle->container, "plain");
    const char *rest = strchr(id, '-');

    if (!rest || (!plain && strncmp(id, "hcc-", 4) == 0))
        return false;
    if (strncmp(rest, TRIPLE "unknown-gfx", strlen(TRIPLE "unknown-gfx")) == 0)
        return !plain || offer->can[RA_CAN_MATCH_ENVIRONMENT];
    return strncmp(rest, TRIPLE "-gfx", strlen(TRIPLE "-gfx")) == 0;
}

bool ra_judge_is_matched(const struct ra_bundle *bundle, const struct ra_entry *entry)
{
    struct ra_offer offer = { .bundle = bundle };

    return entry->kind != RA_ENTRY_HIP || ra_judge_is_offload(bundle) ||
           is_matched(&offer, entry->id);
}

/* An entry that the runtime takes for one of the wanted processor. */
static bool offers(const struct ra_offer *offer, const struct ra_entry *entry,
                   const char *processor)
{
    return entry->kind == offer->kind && same(entry->label.processor, processor) &&
           (entry->kind != RA_ENTRY_HIP || !offer->can[RA_CAN_CHOOSE_BY_ID] ||
            is_matched(offer, entry->id));
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

static bool matches(const struct ra_offer *offer, const struct ra_entry *entry,
                    const struct ra_target *wanted)
{
    bool fits = offers(offer, entry, wanted->processor) &&
                ra_target_features_accept(&entry->label, wanted);

    if (offer->can[RA_CAN_CHOOSE_BY_ID] || entry->kind != RA_ENTRY_HIP)
        return fits;
    if (strncmp(entry->id, HIPV4, strlen(HIPV4)) == 0)
        return fits && spells(entry);
    return fits_by_flags(entry, wanted);
}

/* How many entries of a plain bundle's table the release gets to see. */
static size_t seen_entries(const struct ra_offer *offer)
{
    const struct ra_bundle *bundle = offer->bundle;
    uint64_t end = TABLE_HEAD;

    for (size_t i = 0; i < bundle->entry_count; i++) {
        end += RECORD_HEAD + strlen(bundle->entries[i].id);
        if (end > TABLE_WINDOW && offer->can[RA_CAN_CUT_TABLE] &&
            same(bundle->container, "plain"))
            return offer->can[RA_CAN_FAIL_ON_CUT_TABLE] ? 0 : i;
    }
    return bundle->entry_count;
}

/* What is made of an entry that matches: without bytes it is as if there were none. */
static struct ra_choice take(const struct ra_offer *offer, const struct ra_entry *entry,
                             const char *processor, enum ra_verdict_kind taken)
{
    if (entry->size == 0 && offer->can[RA_CAN_SKIP_EMPTY])
        return ra_choice_of(RA_MISSING, NULL);
    return ra_load(offer, entry, processor, taken);
}

/*
 * Of several that are compatible, a plain bundle gives its first (comgr looks them up in
 * order), a compressed one any (the unbundler's order is that of a hash table): there
 * the worst decides.
 */
static struct ra_choice choose(const struct ra_offer *offer,
                               const struct ra_target *wanted, enum ra_verdict_kind taken)
{
    struct ra_choice worst = { .kind = RA_NONE };
    bool plain = same(offer->bundle->container, "plain");

    for (size_t i = 0; i < offer->seen; i++) {
        const struct ra_entry *entry = &offer->bundle->entries[i];
        struct ra_choice next;

        if (!matches(offer, entry, wanted))
            continue;
        next = take(offer, entry, wanted->processor, taken);
        if (!next.entry)
            return next; /* and what else there is may be passed over for it */
        if (next.kind > worst.kind)
            worst = next;
        if (plain)
            break;
    }
    return worst.entry ? worst : ra_choice_of(RA_MISSING, NULL);
}

/* The name HIP asks for: ROCr has come to leave out the mode of a gfx90c. */
static struct ra_target asked_for(const struct ra_offer *offer)
{
    struct ra_target wanted = *offer->device;

    if (same(wanted.processor, "gfx90c") && offer->can[RA_CAN_NAME_GFX90C_BARE])
        wanted.xnack = RA_SETTING_NONE;
    return wanted;
}

/* The native processor, or the generic target, is there but in the other mode. */
static const struct ra_entry *other_mode(const struct ra_offer *offer,
                                         const char *generic)
{
    struct ra_target wanted = asked_for(offer);

    for (size_t i = 0; i < offer->bundle->entry_count; i++) {
        const struct ra_entry *entry = &offer->bundle->entries[i];

        if (entry->size > 0 && !ra_target_features_accept(&entry->label, &wanted) &&
            (offers(offer, entry, wanted.processor) ||
             (*generic && offers(offer, entry, generic))))
            return entry;
    }
    return NULL;
}

static struct ra_choice choose_sibling(const struct ra_offer *offer,
                                       const struct ra_target *wanted)
{
    const char *name = ra_rocm_sibling(offer->rocm, wanted->processor);
    struct ra_target sibling = *wanted;
    struct ra_choice found = { .kind = RA_MISSING };

    if (!name)
        return found;
    memcpy(sibling.processor, name, strlen(name) + 1);
    found = choose(offer, &sibling, RA_GENERIC);
    found.sibling = found.kind == RA_GENERIC;
    return found;
}

static struct ra_choice choose_spirv(const struct ra_offer *offer)
{
    for (size_t i = 0; i < offer->bundle->entry_count; i++) {
        const struct ra_entry *entry = &offer->bundle->entries[i];

        if (entry->kind != RA_ENTRY_HIP || entry->size == 0 ||
            !same(entry->label.processor, SPIRV))
            continue;
        if (entry->content == RA_CONTENT_SPIRV)
            return ra_choice_of(RA_JIT, entry);
        return entry->content == RA_CONTENT_UNREAD
                   ? ra_choice_of(RA_UNDECIDED, entry)
                   : ra_choice_refused(entry, RA_NOT_CODE);
    }
    return ra_choice_of(RA_MISSING, NULL);
}

/* Whether an entry would serve, were it not for those before it in the table. */
static bool is_cut_off(const struct ra_offer *offer, const struct ra_target *wanted,
                       const struct ra_target *generic)
{
    if (offer->seen == offer->bundle->entry_count)
        return false;
    for (size_t i = 0; i < offer->bundle->entry_count; i++) {
        const struct ra_entry *entry = &offer->bundle->entries[i];

        if (entry->size > 0 && (matches(offer, entry, wanted) ||
                                (generic && matches(offer, entry, generic))))
            return true;
    }
    return false;
}

/* A generic target that is asked for by name, and no GPU: nothing stands in for it. */
static bool is_generic(const struct ra_target *target)
{
    const struct ra_processor *processor = ra_processor_by_name(target->processor);

    return processor && processor->is_generic;
}

static struct ra_choice judge_entries(const struct ra_offer *offer)
{
    struct ra_target wanted = asked_for(offer), generic;
    bool has_generic =
        offer->can[RA_CAN_LOAD_GENERIC] && ra_target_generic(&wanted, &generic);
    struct ra_choice found = choose(offer, &wanted, RA_NATIVE);
    const struct ra_entry *entry;

    if (!found.entry)
        found = choose_sibling(offer, &wanted);
    if (!found.entry && has_generic)
        found = choose(offer, &generic, RA_GENERIC);
    if (!found.entry && offer->can[RA_CAN_COMPILE_SPIRV] && !is_generic(&wanted))
        found = choose_spirv(offer);
    if (found.entry)
        return found;
    if (is_cut_off(offer, &wanted, has_generic ? &generic : NULL))
        return ra_choice_lacking(NULL, RA_CONTAINER, RA_CAN_CUT_TABLE);
    entry = other_mode(offer, has_generic ? generic.processor : "");
    return ra_choice_of(entry ? RA_FEATURE_MISMATCH : RA_MISSING, entry);
}

/* A code object that was compressed as it is. */
static bool is_bare(const struct ra_bundle *bundle)
{
    return strncmp(bundle->container, "ccob", 4) == 0 && bundle->entry_count == 1 &&
           bundle->entries[0].kind == RA_ENTRY_RAW;
}

/*
 * LLVM's unbundler finds no bundle in it. Should HIP take it all the same, it comes to
 * ROCr, whose refusal is certain.
 */
static struct ra_choice judge_bare(const struct ra_offer *offer)
{
    struct ra_choice found = ra_judge_raw(offer);

    if (found.kind > RA_UNDECIDED)
        return found;
    return (struct ra_choice){ .kind = RA_UNDECIDED,
                               .entry = found.entry,
                               .refusal = RA_BARE_CODE };
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

static struct ra_choice judge_container(const struct ra_offer *offer)
{
    struct ra_target wanted = asked_for(offer);

    if (ra_judge_is_raw(offer->bundle))
        return ra_judge_raw(offer);
    if (ra_judge_is_offload(offer->bundle))
        return ra_judge_offload(offer, &wanted);
    if (is_bare(offer->bundle))
        return judge_bare(offer);
    return offer->bundle->kpack ? ra_judge_kpack(offer, &wanted) : judge_entries(offer);
}

static struct ra_choice judge(struct ra_offer *offer)
{
    const struct ra_bundle *bundle = offer->bundle;
    enum ra_ability ability = ability_for(bundle);
    struct ra_choice found;
    size_t devices = 0;

    for (size_t i = 0; i < bundle->entry_count; i++)
        devices += is_device(&bundle->entries[i]);
    if (devices == 0 && bundle->has_table && !bundle->kpack)
        return ra_choice_of(bundle->complete ? RA_NONE : RA_UNDECIDED, NULL);
    if (bundle->has_table && ra_judge_is_before_link(bundle))
        return ra_choice_of(bundle->complete ? RA_NONE : RA_UNDECIDED, NULL);
    if (ability != RA_CAN_NOTHING && !offer->can[ability])
        return ra_choice_lacking(NULL, RA_CONTAINER, ability);
    if (is_large(bundle) && !offer->can[RA_CAN_READ_LARGE_CCOB])
        return ra_choice_lacking(NULL, RA_CONTAINER, RA_CAN_READ_LARGE_CCOB);
    if (!bundle->has_table)
        return ra_choice_of(RA_UNDECIDED, NULL);
    offer->seen = seen_entries(offer);
    found = judge_container(offer);
    /* A release that passes the GPU over has no use for code of its family. */
    if (found.kind <= RA_JIT && ra_rocm_lacks(offer->rocm, offer->device->processor))
        return ra_choice_refused(found.entry, RA_NOT_KNOWN_ISA);
    return found;
}

/*
 * What is not known of the release is taken to be so, then each alone not to be so: if
 * that makes a difference, there is no verdict.
 */
struct ra_choice ra_judge_bundle(const struct ra_bundle *bundle,
                                 const struct ra_target *device,
                                 const struct ra_rocm *rocm)
{
    struct ra_offer offer = {
        .bundle = bundle, .device = device, .rocm = rocm, .kind = consumer(bundle)
    };
    struct ra_choice found;

    for (size_t i = 0; i < RA_ABILITIES; i++)
        offer.can[i] = ra_rocm_can(rocm, (enum ra_ability)i) != RA_NO;
    found = judge(&offer);
    for (size_t i = 0; i < RA_ABILITIES; i++) {
        struct ra_choice other;

        if (ra_rocm_can(rocm, (enum ra_ability)i) != RA_NOT_KNOWN)
            continue;
        offer.can[i] = false;
        other = judge(&offer);
        offer.can[i] = true;
        if (other.kind != found.kind)
            return (struct ra_choice){ .kind = RA_UNDECIDED,
                                       .entry = found.entry,
                                       .ability = (enum ra_ability)i };
    }
    return found;
}

enum ra_fault_kind ra_judge_fault(const struct ra_bundle *bundle,
                                  const struct ra_choice *chosen)
{
    if (ra_judge_is_raw(bundle))
        return RA_FAULT_RAW;
    if (chosen->kind != RA_UNLOADABLE)
        return !bundle->kpack   ? RA_FAULT_NO_MATCH
               : chosen->passed ? RA_FAULT_KPACK_KERNEL
                                : RA_FAULT_KPACK_ARCHIVE;
    if (chosen->refusal == RA_CONTAINER && same(bundle->container, "kpack"))
        return RA_FAULT_KPACK;
    if (chosen->refusal == RA_CONTAINER || chosen->refusal == RA_WRAPPED)
        return RA_FAULT_UNREADABLE;
    if (chosen->refusal == RA_NOT_CODE || chosen->refusal == RA_EMPTY_CHOSEN)
        return RA_FAULT_NOT_CODE;
    return RA_FAULT_REFUSED;
}

bool ra_judge_mislabelled(const struct ra_entry *entry)
{
    const struct ra_target *target = &entry->code.target;

    if (entry->content != RA_CONTENT_CODE_OBJECT || !ra_has_target(entry))
        return false;
    if (*entry->label.processor && !ra_spelled_alike(&entry->label, target))
        return true;
    return *entry->code.claimed.processor &&
           !ra_spelled_alike(&entry->code.claimed, target);
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

/*
 * rocPRIM has a kernel for each architecture in the code of all, and launches the one
 * whose name has the architecture it runs on.
 */
static bool is_for_one(const char *name)
{
    return strstr(name, "rocprim") && strstr(name, "target_arch");
}

/* Of code objects among data, all that are for the device may be. */
static bool is_used(const struct ra_bundle *bundle, const struct ra_entry *entry,
                    const struct ra_entry *chosen)
{
    return entry == chosen ||
           (ra_judge_is_embedded(bundle) &&
            ra_spelled_alike(&entry->code.target, &chosen->code.target));
}

static void count_name(uint8_t known, bool meant, uint32_t name, struct ra_absent *ret)
{
    if (!(known & HERE)) {
        ret->absent++;
        ret->meant_absent += meant;
        if (!meant)
            ret->first_absent = name;
    } else if ((known & STUB_HERE) && (known & REAL_ELSEWHERE)) {
        ret->stubs++;
        ret->meant_stubs += meant;
        if (!meant)
            ret->first_stub = name;
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
        mark(&bundle->entries[i], is_used(bundle, &bundle->entries[i], chosen->entry),
             names, count);
    for (size_t i = count; i-- > 0;)
        count_name(names[i], is_for_one(bundle->kernel_names[i]), (uint32_t)i, ret);
    return RA_OK;
}
