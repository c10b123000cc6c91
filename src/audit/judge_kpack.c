/*
 * judge_kpack.c - code in .kpack archives: which entry does the loader take?
 *
 * For the names of the GPU, the most specific first, and then those of its generic
 * target, it goes through the archives that it could open and that list the name.
 *
 * Spec: ROCm rocm-systems, shared/kpack/runtime/src/loader.cpp, isa_target_match.h.
 */
#include "audit/judge_kpack.h"

#include "audit/load.h"
#include "gfx/target.h"

struct names {
    char text[2 * RA_TARGET_EXPANSIONS][RA_TARGET_TEXT];
    size_t count, native; /* of all, and of those of the processor itself */
};

/* HIP hands over the name of the GPU, and that of its generic target with the features of
   the GPU: less of them are asked for as well, down to none. */
static void list_names(const struct ra_offer *offer, const struct ra_target *device,
                       struct names *ret)
{
    const struct ra_processor *processor = ra_processor_by_name(device->processor);
    struct ra_target generic = *device;

    ret->native = ret->count = ra_target_expansions(device, ret->text);
    if (!offer->can[RA_CAN_LOAD_GENERIC] || !processor || !*processor->generic)
        return;
    memcpy(generic.processor, processor->generic, strlen(processor->generic) + 1);
    ret->count += ra_target_expansions(&generic, ret->text + ret->native);
}

/* Whether the loader opens an archive for the GPU, by the name it has. */
static bool is_opened(const struct ra_kpack_archive *archive, const struct names *names)
{
    if (!*archive->target)
        return true;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(archive->target, names->text[i]) == 0)
            return true;
    return false;
}

static bool lists(const struct ra_kpack_archive *archive, const char *name)
{
    for (size_t i = 0; i < archive->arch_count; i++)
        if (strcmp(archive->arches[i], name) == 0)
            return true;
    return false;
}

/* An archive with several names stands for each, and its entries for the first only. */
static const struct ra_entry *find(const struct ra_bundle *bundle, size_t archive,
                                   const char *name)
{
    const struct ra_kpack_archive *list = bundle->kpack->archives;

    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];

        if (list[entry->archive_index].path == list[archive].path &&
            strcmp(entry->target, name) == 0)
            return entry;
    }
    return NULL;
}

/* What could not be had of an archive may be anything. */
static bool is_unread(const struct ra_entry *entry)
{
    return entry->content == RA_CONTENT_UNREAD && !entry->complete;
}

/* The processor is there, only in the other mode. */
static const struct ra_entry *other_mode(const struct ra_bundle *bundle,
                                         const struct ra_target *device)
{
    for (size_t i = 0; i < bundle->entry_count; i++)
        if (strcmp(bundle->entries[i].label.processor, device->processor) == 0 &&
            !ra_target_features_accept(&bundle->entries[i].label, device))
            return &bundle->entries[i];
    return NULL;
}

/* What the loader looked at, and what of it matters when it finds nothing. */
struct search {
    const struct ra_offer *offer;
    const struct names *names;
    bool passed; /* an archive that lists a name has no code for the wrapper */
    bool unread; /* one of which that is not known */
};

/* In one archive by one name; false: go on. */
static bool look(struct search *search, size_t index, size_t name, struct ra_choice *ret)
{
    const struct ra_bundle *bundle = search->offer->bundle;
    const struct ra_kpack_archive *archive = &bundle->kpack->archives[index];
    const char *text = search->names->text[name];
    bool native = name < search->names->native;
    const struct ra_entry *entry;

    if (!lists(archive, text) || !is_opened(archive, search->names))
        return false;
    entry = find(bundle, index, text);
    if (entry && is_unread(entry)) {
        *ret = ra_choice_of(RA_UNDECIDED, entry);
        return true;
    }
    if (entry) {
        *ret = ra_load(search->offer, entry, entry->label.processor,
                       native ? RA_NATIVE : RA_GENERIC);
        ret->passed = search->passed;
        return true;
    }
    search->unread = search->unread || !archive->complete;
    search->passed = true;
    if (search->unread || search->offer->can[RA_CAN_TRY_FURTHER_KPACK])
        return false;
    *ret = ra_choice_of(RA_MISSING, NULL);
    ret->passed = true;
    return true;
}

struct ra_choice ra_judge_kpack(const struct ra_offer *offer,
                                const struct ra_target *device)
{
    const struct ra_kpack *kpack = offer->bundle->kpack;
    struct names names;
    struct search search = { .offer = offer, .names = &names };
    const struct ra_entry *entry;
    struct ra_choice found;

    list_names(offer, device, &names);
    for (size_t name = 0; name < names.count; name++)
        for (size_t i = 0; i < kpack->archive_count; i++)
            if (look(&search, i, name, &found))
                return found;
    for (size_t i = 0; i < kpack->archive_count; i++)
        search.unread = search.unread || (!kpack->archives[i].complete &&
                                          is_opened(&kpack->archives[i], &names));
    if (search.unread)
        return ra_choice_of(RA_UNDECIDED, NULL);
    entry = other_mode(offer->bundle, device);
    found = ra_choice_of(entry ? RA_FEATURE_MISMATCH : RA_MISSING, entry);
    found.passed = search.passed;
    return found;
}

enum ra_kpack_lack ra_kpack_lacks(const struct ra_kpack *kpack,
                                  const struct ra_target *device, bool generic)
{
    struct ra_offer offer = { .can = { [RA_CAN_LOAD_GENERIC] = generic } };
    enum ra_kpack_lack lack = RA_KPACK_NO_ARCHIVE;
    struct names names;

    list_names(&offer, device, &names);
    for (size_t i = 0; i < kpack->archive_count; i++) {
        const struct ra_kpack_archive *archive = &kpack->archives[i];

        if (!is_opened(archive, &names))
            continue;
        for (size_t name = 0; name < names.count; name++)
            if (lists(archive, names.text[name]) && archive->has_binary)
                return RA_KPACK_NO_KERNEL;
        lack = RA_KPACK_NO_BINARY;
    }
    return lack;
}
