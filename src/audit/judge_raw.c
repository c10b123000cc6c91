#include "audit/judge_raw.h"

#include "gfx/image.h"
#include "gfx/target.h"

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

bool ra_judge_is_embedded(const struct ra_bundle *bundle)
{
    return same(bundle->container, "embedded");
}

bool ra_judge_is_raw(const struct ra_bundle *bundle)
{
    return same(bundle->container, "raw") || ra_judge_is_embedded(bundle);
}

/*
 * A code object by itself is handed to ROCr as it is. ROCr, unlike HIP, compares the
 * names of generic targets without features, so gfx9-generic does serve gfx906 here.
 */
static struct ra_choice judge_one(const struct ra_offer *offer,
                                  const struct ra_entry *entry)
{
    const struct ra_target *device = offer->device;
    const struct ra_processor *processor = ra_processor_by_name(device->processor);
    const char *name = entry->code.target.processor;
    const char *sibling = ra_rocm_sibling(offer->rocm, device->processor);
    bool is_sibling = sibling && same(name, sibling);
    struct ra_choice found;

    if (entry->content == RA_CONTENT_CODE_OBJECT && ra_has_target(entry) &&
        !same(name, device->processor) && !is_sibling &&
        !(processor && same(name, processor->generic)))
        return ra_choice_of(RA_MISSING, NULL);
    found = ra_load(offer, entry, name,
                    same(name, device->processor) ? RA_NATIVE : RA_GENERIC);
    if (found.kind == RA_UNLOADABLE && found.refusal == RA_OTHER_FEATURE)
        found.kind = RA_FEATURE_MISMATCH;
    found.sibling = is_sibling && found.kind == RA_GENERIC;
    return found;
}

/* Best first: what serves, what is not known, and then what is nearest. */
static int rank(enum ra_verdict_kind kind)
{
    if (kind <= RA_UNDECIDED && kind != RA_PARTIAL)
        return (int)kind;
    return kind == RA_FEATURE_MISMATCH ? RA_UNDECIDED + 1
           : kind == RA_UNLOADABLE     ? RA_UNDECIDED + 2
                                       : RA_UNDECIDED + 3;
}

struct ra_choice ra_judge_raw(const struct ra_offer *offer)
{
    struct ra_choice best = ra_choice_of(RA_MISSING, NULL);

    for (size_t i = 0; i < offer->bundle->entry_count; i++) {
        struct ra_choice next = judge_one(offer, &offer->bundle->entries[i]);

        if (rank(next.kind) < rank(best.kind))
            best = next;
    }
    return best;
}
