#include "base/text.h"
#include "device/host.h"

#include <inttypes.h>
#include <stdio.h>

/* Linux 6.6 to 6.9 gave the Radeon Pro V710 a number of its own (kgd2kfd_probe()). */
#define V710_VERSION   110005
#define V710_PROCESSOR "gfx1101"

/* The upper bits of a domain tell partitions of a GPU apart; so does the function, and a
   whole GPU is function 0. */
#define DOMAIN_BITS   0x0fffffff
#define FUNCTION_BITS UINT64_C(7)

/* What a source other than KFD says of a GPU. */
struct witness {
    const char *processor; /* NULL: nothing */
    enum ra_origin origin;
    const char *words; /* "PCI device 0x7460" */
};

void ra_gpu_why(struct ra_gpu *gpu, struct ra_arena *arena, const char *words)
{
    if (gpu->why && words)
        gpu->why =
            ra_text_format(arena, "%s%s%s", gpu->why, gpu->why[0] ? ", " : "", words);
    else
        gpu->why = NULL;
}

static bool same(const char *left, const char *right)
{
    return strcmp(left, right) == 0;
}

/* ---- witnesses -------------------------------------------------------------- */

static enum ra_status ask_card(const struct ra_card *card, struct ra_arena *arena,
                               struct witness *ret)
{
    *ret = (struct witness){ .origin = RA_FROM_DISCOVERY, .words = "" };
    if (!card)
        return RA_OK;
    ret->processor = ra_gc_processor(card->gc);
    ret->words =
        ra_text_format(arena, "graphics IP %u.%u.%u of card%" PRIu32, card->gc.major,
                       card->gc.minor, card->gc.revision, card->number);
    return ret->words ? RA_OK : RA_E_NOMEM;
}

static enum ra_status ask_id(uint64_t id, struct ra_arena *arena, struct witness *ret)
{
    const struct ra_pci_row *row = ra_pci_by_id(id);

    *ret = (struct witness){ .origin = RA_FROM_PCI, .words = "" };
    if (id == 0)
        return RA_OK;
    ret->processor = row ? row->processor : NULL;
    ret->words = ra_text_format(arena, "PCI device 0x%04" PRIx64, id);
    return ret->words ? RA_OK : RA_E_NOMEM;
}

/* Tell of the witnesses from `next` on that do not agree with what `holder` says. */
static enum ra_status doubt(struct ra_gpu *gpu, const char *holder,
                            const struct witness witnesses[2], size_t next,
                            struct ra_arena *arena, struct ra_gpus *ret)
{
    for (size_t i = next; i < 2; i++) {
        const struct witness *witness = &witnesses[i];
        const char *words;

        if (!witness->processor || same(witness->processor, gpu->processor))
            continue;
        words = ra_text_format(arena, "%s is a %s: %s holds", witness->words,
                               witness->processor, holder);
        ra_gpu_why(gpu, arena, words);
        if (!ret->disagreement && words)
            ret->disagreement =
                ra_text_format(arena, "%s is a %s by %s, but %s", gpu->source,
                               gpu->processor, holder, words);
    }
    return gpu->why ? RA_OK : RA_E_NOMEM;
}

/* Take the first witness that knows the GPU; `before` says why it had to be asked. */
static enum ra_status believe(struct ra_gpu *gpu, const char *before,
                              const struct witness witnesses[2], struct ra_arena *arena,
                              struct ra_gpus *ret)
{
    ra_gpu_why(gpu, arena, before);
    for (size_t i = 0; i < 2; i++) {
        const struct witness *witness = &witnesses[i];

        if (!witness->words[0])
            continue;
        if (witness->processor) {
            ra_gpu_why(gpu, arena, witness->words);
            (void)snprintf(gpu->processor, sizeof(gpu->processor), "%s",
                           witness->processor);
            gpu->origin = witness->origin;
            return doubt(gpu, "IP discovery", witnesses, i + 1, arena, ret);
        }
        ra_gpu_why(gpu, arena, ra_text_format(arena, "%s is not known", witness->words));
    }
    return gpu->why ? RA_OK : RA_E_NOMEM;
}

/* ---- nodes of KFD ----------------------------------------------------------- */

/* "gfx", the major version in decimal, minor and stepping as one digit of hex each. */
static bool name_processor(uint64_t version, struct ra_gpu *ret)
{
    unsigned major = (unsigned)(version / 10000), minor, stepping;

    minor = (unsigned)(version / 100 % 100);
    stepping = (unsigned)(version % 100);
    if (version > UINT32_MAX || major == 0 || minor > 15 || stepping > 15)
        return false;
    (void)snprintf(ret->processor, sizeof(ret->processor), "gfx%u%x%x", major, minor,
                   stepping);
    ret->origin = RA_FROM_KFD;
    return true;
}

/* The card of a node: its own, or that of the GPU it is a partition of. */
static const struct ra_card *card_of(const struct ra_host *host,
                                     const struct ra_kfd_node *node)
{
    uint64_t address =
        ra_pci_address(node->domain.value & DOMAIN_BITS, node->location.value);
    const struct ra_card *card = ra_discovery_at(&host->cards, address);

    if (!node->location.exists)
        return NULL;
    return card ? card : ra_discovery_at(&host->cards, address & ~FUNCTION_BITS);
}

/* The V710 under the kernels that did not call it by its name. */
static enum ra_status put_right(struct ra_gpu *gpu, const struct witness *pci,
                                struct ra_arena *arena, struct ra_gpus *ret)
{
    (void)snprintf(gpu->processor, sizeof(gpu->processor), V710_PROCESSOR);
    gpu->origin = pci->origin;
    ra_gpu_why(gpu, arena,
               ra_text_format(arena, "which is what Linux 6.6 to 6.9 call %s, a %s",
                              pci->words, V710_PROCESSOR));
    if (!ret->disagreement)
        ret->disagreement =
            ra_text_format(arena,
                           "%s is a %s that Linux 6.6 to 6.9 call %d: ROCm leaves it out "
                           "until the kernel is another",
                           gpu->source, V710_PROCESSOR, V710_VERSION);
    return gpu->why && ret->disagreement ? RA_OK : RA_E_NOMEM;
}

static enum ra_status name_gpu(const struct ra_host *host, const struct ra_kfd_node *node,
                               struct ra_gpu *gpu, struct ra_arena *arena,
                               struct ra_gpus *ret)
{
    struct witness witnesses[2];
    enum ra_status status = ask_card(card_of(host, node), arena, &witnesses[0]);

    if (status == RA_OK)
        status = ask_id(node->device_id.value, arena, &witnesses[1]);
    if (status != RA_OK)
        return status;
    if (node->version.value == 0)
        return believe(gpu, "no gfx_target_version", witnesses, arena, ret);
    ra_gpu_why(gpu, arena,
               ra_text_format(arena, "gfx_target_version %" PRIu64, node->version.value));
    if (node->version.value == V710_VERSION && witnesses[1].processor &&
        same(witnesses[1].processor, V710_PROCESSOR))
        return put_right(gpu, &witnesses[1], arena, ret);
    return doubt(gpu, "KFD", witnesses, 0, arena, ret);
}

/* Libhsakmt passes over a GPU whose render node it may not open. */
static enum ra_status reach(const struct ra_host *host, const struct ra_kfd_node *node,
                            struct ra_gpu *gpu, struct ra_arena *arena,
                            struct ra_gpus *ret)
{
    uint64_t minor = node->render_minor.value;
    int error;

    if (host->files.kfd != RA_OPENING_DONE || minor == 0 ||
        ra_files_render(host->dev, minor, &error)) {
        gpu->thunk = (struct ra_property){ true, ret->thunk_nodes++ };
        return RA_OK;
    }
    if (ret->unreachable++ == 0) {
        ret->unreachable_minor = minor;
        ret->unreachable_error = error;
    }
    gpu->skipped =
        ra_text_format(arena, "/dev/dri/renderD%" PRIu64 ": %s", minor, strerror(error));
    return gpu->skipped ? RA_OK : RA_E_NOMEM;
}

static enum ra_status add_node(const struct ra_host *host, const struct ra_kfd_node *node,
                               struct ra_arena *arena, struct ra_gpus *ret)
{
    struct ra_gpu *gpu = &ret->list[ret->count];
    enum ra_status status;

    if (node->version.value != 0 && !name_processor(node->version.value, gpu)) {
        if (ret->broken++ == 0)
            ret->first_broken = node->number;
        return RA_OK;
    }
    ret->count++;
    gpu->why = "";
    gpu->in_kfd = true;
    gpu->capability = node->capability;
    gpu->unique_id = node->unique_id.value;
    gpu->device_id = node->device_id.value;
    gpu->is_apu = node->cpu_cores.value > 0;
    gpu->source = ra_text_format(arena, "kfd node %" PRIu32, node->number);
    if (!gpu->source)
        return RA_E_NOMEM;
    status = reach(host, node, gpu, arena, ret);
    return status == RA_OK ? name_gpu(host, node, gpu, arena, ret) : status;
}

/* Make a GPU of a node, or count why it is none. */
static enum ra_status take_node(const struct ra_host *host,
                                const struct ra_kfd_node *node, struct ra_arena *arena,
                                struct ra_gpus *ret)
{
    /* A node that says neither how many CPUs nor how many SIMDs it has may be any. */
    bool is_empty = node->reading == RA_READING_DONE && !node->simds.exists &&
                    !node->cpu_cores.exists;

    if (node->reading == RA_READING_HIDDEN)
        ret->hidden++;
    else if ((node->reading == RA_READING_BROKEN || is_empty) && ret->broken++ == 0)
        ret->first_broken = node->number;
    if (is_empty)
        return RA_OK;
    if (node->reading != RA_READING_DONE)
        return RA_OK;
    if (node->simds.value > 0)
        return add_node(host, node, arena, ret);
    ret->thunk_nodes++;
    return RA_OK;
}

static enum ra_status take_nodes(const struct ra_host *host, struct ra_arena *arena,
                                 struct ra_gpus *ret)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < host->kfd.count && status == RA_OK; i++)
        status = take_node(host, &host->kfd.nodes[i], arena, ret);
    return status;
}

/* ---- without KFD ------------------------------------------------------------ */

/* "ip discovery, card0" where that knows the GPU, or nobody does; else "pci ADDRESS". */
static const char *name_source(const struct ra_card *card, const struct ra_pci_gpu *pci,
                               struct ra_arena *arena)
{
    char address[RA_PCI_TEXT];

    if (card && (!pci || ra_gc_processor(card->gc) || !ra_pci_by_id(pci->id)))
        return ra_text_format(arena, "ip discovery, card%" PRIu32, card->number);
    ra_pci_spell(pci ? pci->address : 0, address);
    return ra_text_format(arena, "pci %s", address);
}

static enum ra_status add_card(const struct ra_card *card, const struct ra_pci_gpu *pci,
                               struct ra_arena *arena, struct ra_gpus *ret)
{
    struct ra_gpu *gpu = &ret->list[ret->count++];
    struct witness witnesses[2];
    enum ra_status status = ask_card(card, arena, &witnesses[0]);

    if (status == RA_OK)
        status = ask_id(pci ? pci->id : 0, arena, &witnesses[1]);
    if (status != RA_OK)
        return status;
    gpu->why = "";
    gpu->device_id = pci ? pci->id : 0;
    gpu->source = name_source(card, pci, arena);
    if (!gpu->source)
        return RA_E_NOMEM;
    return believe(gpu, "not in KFD", witnesses, arena, ret);
}

static bool on_bus(const struct ra_pci *pci, const struct ra_card *card)
{
    for (size_t i = 0; i < pci->count && card->has_address; i++)
        if (pci->list[i].address == card->address)
            return true;
    return false;
}

static enum ra_status take_cards(const struct ra_host *host, struct ra_arena *arena,
                                 struct ra_gpus *ret)
{
    const struct ra_pci *pci = &host->pci;
    const struct ra_cards *cards = &host->cards;
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < pci->count && status == RA_OK; i++)
        status = add_card(ra_discovery_at(cards, pci->list[i].address), &pci->list[i],
                          arena, ret);
    for (size_t i = 0; i < cards->count && status == RA_OK; i++)
        if (!on_bus(pci, &cards->list[i]))
            status = add_card(&cards->list[i], NULL, arena, ret);
    return status;
}

/* ---- all -------------------------------------------------------------------- */

/* What follows from the rest: the product, and the number without those out of reach. */
static void finish(struct ra_gpus *gpus)
{
    size_t number = 0;

    for (size_t i = 0; i < gpus->count; i++) {
        struct ra_gpu *gpu = &gpus->list[i];
        const struct ra_pci_row *row = ra_pci_by_id(gpu->device_id);

        gpu->number = number;
        number += !gpu->skipped;
        if (row && row->product[0] && same(row->processor, gpu->processor))
            gpu->product = row->product;
    }
}

enum ra_status ra_gpus_gather(const struct ra_host *host, struct ra_arena *arena,
                              struct ra_gpus *ret)
{
    size_t most = host->kfd.count + host->pci.count + host->cards.count;
    enum ra_status status;

    *ret = (struct ra_gpus){ .list = ra_new(arena, struct ra_gpu, most) };
    if (!ret->list)
        return RA_E_NOMEM;
    status = take_nodes(host, arena, ret);
    if (status == RA_OK && ret->count == 0 && ret->hidden == 0 && ret->broken == 0 &&
        !host->kfd.too_many) {
        status = take_cards(host, arena, ret);
        ret->without_kfd = ret->count > 0;
    }
    finish(ret);
    return status;
}
