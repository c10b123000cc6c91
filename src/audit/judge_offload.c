/* judge_offload.c - images of OffloadBinary: which one serves the device? */
#include "audit/judge_offload.h"

#include "gfx/image.h"
#include "gfx/target.h"

#define SPIRV "amdgcnspirv"

/* What was met on the way, and was not taken. */
struct met {
    const struct ra_entry *unread; /* nobody knows what it is for */
    const struct ra_entry *mode;   /* for the processor in its other mode */
    const struct ra_entry *spirv;
    const struct ra_entry *bitcode; /* OpenMP's runtime can compile it */
};

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

bool ra_judge_is_offload(const struct ra_bundle *bundle)
{
    return same(bundle->container, "offload-binary");
}

/* ---- before the link -------------------------------------------------------- */

static bool is_before_link(const struct ra_entry *entry)
{
    return entry->content == RA_CONTENT_BITCODE ||
           (entry->content == RA_CONTENT_CODE_OBJECT && entry->code.type == RA_ET_REL);
}

/* Entries of other GPUs are of no kind of ours, and no code objects either. */
static bool is_ours(const struct ra_entry *entry)
{
    return entry->kind == RA_ENTRY_HIP || entry->kind == RA_ENTRY_OPENMP ||
           entry->content == RA_CONTENT_CODE_OBJECT ||
           entry->content == RA_CONTENT_UNREAD;
}

bool ra_judge_is_before_link(const struct ra_bundle *bundle)
{
    size_t count = 0;

    if (same(bundle->container, "rdc"))
        return true; /* sections of an object that only the linker looks at */
    if (!ra_judge_is_offload(bundle))
        return false;
    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];

        count += is_before_link(entry);
        if (!is_before_link(entry) && is_ours(entry))
            return false;
    }
    return count > 0;
}

/* ---- the choice ------------------------------------------------------------- */

/* What the runtime of its language takes an entry to be for. */
static const struct ra_target *target_of(const struct ra_entry *entry)
{
    return entry->kind == RA_ENTRY_HIP && *entry->label.processor ? &entry->label
                                                                  : &entry->code.target;
}

/* Remember an entry that is no code object; true if there is nothing more to ask. */
static bool pass(struct met *met, const struct ra_entry *entry)
{
    if (entry->content == RA_CONTENT_UNREAD)
        met->unread = met->unread ? met->unread : entry;
    if (entry->content == RA_CONTENT_BITCODE && entry->kind == RA_ENTRY_OPENMP)
        met->bitcode = met->bitcode ? met->bitcode : entry;
    if (entry->content == RA_CONTENT_SPIRV && entry->kind == RA_ENTRY_HIP &&
        same(entry->label.processor, SPIRV))
        met->spirv = met->spirv ? met->spirv : entry;
    return entry->content != RA_CONTENT_CODE_OBJECT;
}

/* Whether the processor of an image is that of the device, or covers it. */
static bool is_for(const struct ra_offer *offer, const struct ra_target *image,
                   const struct ra_target *device, bool *is_native)
{
    const struct ra_processor *processor = ra_processor_by_name(device->processor);

    *is_native = same(image->processor, device->processor);
    return *is_native ||
           (processor && offer->can[RA_CAN_LOAD_GENERIC] && *processor->generic &&
            same(image->processor, processor->generic));
}

/* The first image that is compatible; of HIP's, one for the very processor first. */
static struct ra_choice choose(const struct ra_offer *offer,
                               const struct ra_target *device, bool native_only,
                               struct met *met)
{
    for (size_t i = 0; i < offer->bundle->entry_count; i++) {
        const struct ra_entry *entry = &offer->bundle->entries[i];
        const struct ra_target *image = target_of(entry);
        bool is_native;

        if (pass(met, entry))
            continue;
        if (*image->processor == '\0')
            met->unread = met->unread ? met->unread : entry;
        if (!is_for(offer, image, device, &is_native) || (native_only && !is_native))
            continue;
        if (ra_target_features_accept(image, device))
            return ra_load(offer, entry, image->processor,
                           is_native ? RA_NATIVE : RA_GENERIC);
        met->mode = met->mode ? met->mode : entry;
    }
    return ra_choice_of(RA_MISSING, NULL);
}

static bool has_hip(const struct ra_bundle *bundle)
{
    for (size_t i = 0; i < bundle->entry_count; i++)
        if (bundle->entries[i].kind == RA_ENTRY_HIP)
            return true;
    return false;
}

struct ra_choice ra_judge_offload(const struct ra_offer *offer,
                                  const struct ra_target *device)
{
    struct met met = { 0 };
    struct ra_choice found = choose(offer, device, has_hip(offer->bundle), &met);

    if (!found.entry)
        found = choose(offer, device, false, &met);
    if (found.entry)
        return found;
    if (met.unread || met.bitcode)
        return ra_choice_of(RA_UNDECIDED, met.unread ? met.unread : met.bitcode);
    if (met.spirv && offer->can[RA_CAN_COMPILE_SPIRV])
        return ra_choice_of(RA_JIT, met.spirv);
    return ra_choice_of(met.mode ? RA_FEATURE_MISMATCH : RA_MISSING, met.mode);
}
