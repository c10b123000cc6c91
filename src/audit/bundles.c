#include "audit/bundles.h"

#include "audit/gather_offload.h"
#include "audit/task.h"
#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>

#define WAVE           256 /* bundles under way at once, and joined together */
#define FACTS_LIMIT    ((size_t)1 << 30) /* bytes of facts a file */
#define EXPANDED_LIMIT ((uint64_t)64 << 30)
#define BUNDLE_LIMIT   ((size_t)1 << 20)
#define PLACES         64
#define HASH_FACTOR    0x9e3779b97f4a7c15 /* of Fibonacci hashing */

/* The tasks of a wave; too large for a stack. */
struct wave {
    struct ra_task tasks[WAVE];
    struct ra_task *waiting[WAVE]; /* those that were not run where they were found */
    size_t count, waiting_count;
};

/* ---- tasks ------------------------------------------------------------------ */

static enum ra_status append(struct ra_bundles *bundles, const struct ra_bundle *bundle)
{
    if (bundles->count == BUNDLE_LIMIT)
        return ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_at(bundle->offset),
                        "more than %zu bundles", BUNDLE_LIMIT);
    if (bundles->count == bundles->room) {
        struct ra_bundle *list =
            ra_array_grow(bundles->list, &bundles->room, sizeof(*list));

        if (!list)
            return RA_E_NOMEM;
        bundles->list = list;
    }
    bundles->list[bundles->count++] = *bundle;
    return RA_OK;
}

/* Take over what a task found, or free it. */
static enum ra_status join(struct ra_bundles *bundles, struct ra_task *task,
                           enum ra_status status)
{
    size_t held = bundles->arena->used + bundles->kernels_arena->used;

    if (status == RA_OK && task->status != RA_OK)
        status = task->status;
    if (status == RA_OK && task->arena.used + task->kernels_arena.used >
                               FACTS_LIMIT - (held < FACTS_LIMIT ? held : FACTS_LIMIT))
        status = ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                          ra_at(task->bundle.offset), "more than %zu bytes of facts",
                          FACTS_LIMIT);
    if (status != RA_OK) {
        ra_arena_free(&task->arena);
        ra_arena_free(&task->kernels_arena);
        return status;
    }
    if (task->bundle.size == 0)
        task->bundle.size = task->used;
    bundles->damaged = bundles->damaged || !task->bundle.complete;
    ra_arena_join(bundles->arena, &task->arena);
    ra_arena_join(bundles->kernels_arena, &task->kernels_arena);
    ra_diags_join(bundles->diags, &task->diags);
    return append(bundles, &task->bundle);
}

static uint64_t cost(const struct ra_task *task)
{
    return task->piece.ccob.expanded + task->piece.source.size;
}

static int by_cost(const void *left, const void *right)
{
    uint64_t a = cost(*(struct ra_task *const *)left),
             b = cost(*(struct ra_task *const *)right);

    return (a < b) - (a > b);
}

/* The largest first, so that no thread is left alone with one at the end. */
static void run_waiting(struct ra_pool *pool, struct wave *wave)
{
    struct ra_group group = { 0 };

    qsort(wave->waiting, wave->waiting_count, sizeof(wave->waiting[0]), by_cost);
    for (size_t i = 0; i < wave->waiting_count; i++)
        ra_pool_push(pool, &group, RA_LANE_PART, ra_task_run, wave->waiting[i]);
    ra_pool_wait(pool, &group, RA_LANE_PART);
    wave->waiting_count = 0;
}

static enum ra_status end_wave(struct ra_bundles *bundles, struct wave *wave,
                               enum ra_status status)
{
    run_waiting(bundles->context->pool, wave);
    for (size_t i = 0; i < wave->count; i++)
        status = join(bundles, &wave->tasks[i], status);
    wave->count = 0;
    return status;
}

/* ---- the walk --------------------------------------------------------------- */

/* A bundle that is there and cannot be opened is a bundle nothing is known of. */
static enum ra_status add_unreadable(struct ra_bundles *bundles, struct wave *wave,
                                     const struct ra_piece *piece)
{
    struct ra_bundle bundle = { .container = piece->container,
                                .offset = piece->source.base };
    enum ra_status status = end_wave(bundles, wave, RA_OK);

    bundles->damaged = true;
    return status == RA_OK ? append(bundles, &bundle) : status;
}

/* Run a task, now if its source can be read in one order only, else with others. */
static enum ra_status dispatch(struct ra_bundles *bundles, struct wave *wave,
                               struct ra_task *task)
{
    if (ra_source_is_forward(&task->piece.source))
        ra_task_run(task);
    else
        wave->waiting[wave->waiting_count++] = task;
    return wave->count == WAVE ? end_wave(bundles, wave, RA_OK) : RA_OK;
}

static enum ra_status start(struct ra_bundles *bundles, struct wave *wave,
                            struct ra_fatbin *fatbin, const struct ra_piece *piece)
{
    struct ra_task *task = &wave->tasks[wave->count++];
    enum ra_status status;

    ra_task_begin(task, bundles->context, piece);
    if (piece->has_size)
        return dispatch(bundles, wave, task);
    ra_task_run(task);
    status = ra_fatbin_pass(fatbin, task->used);
    if (status == RA_OK && wave->count == WAVE)
        status = end_wave(bundles, wave, RA_OK);
    return status;
}

enum ra_status ra_bundles_charge(struct ra_bundles *bundles, uint64_t expanded,
                                 struct ra_place place)
{
    /* What a single payload may be is looked at where it is expanded. */
    if (expanded <= RA_EXPANDED_LIMIT)
        bundles->expanded += expanded;
    if (bundles->expanded > EXPANDED_LIMIT)
        return ra_fault(bundles->diags, RA_E_LIMIT, RA_DIAG_LIMIT, place,
                        "the file would expand to more than %" PRIu64 " bytes",
                        EXPANDED_LIMIT);
    return RA_OK;
}

static enum ra_status take_piece(struct ra_bundles *bundles, struct wave *wave,
                                 struct ra_fatbin *fatbin, const struct ra_piece *piece)
{
    enum ra_status status;

    if (piece->status != RA_OK)
        return add_unreadable(bundles, wave, piece);
    status = ra_bundles_charge(bundles, piece->ccob.expanded,
                               ra_source_place(&piece->source, 0));
    return status == RA_OK ? start(bundles, wave, fatbin, piece) : status;
}

/* How far a walk goes. */
enum extent {
    ALL,      /* to the end of the source */
    FIRST,    /* one bundle */
    UNBROKEN, /* as long as bundle follows bundle, with zeros between */
};

static enum ra_status walk(struct ra_bundles *bundles, struct wave *wave,
                           struct ra_fatbin *fatbin, enum extent extent, uint64_t *last)
{
    enum ra_status status = RA_OK;
    struct ra_piece piece;
    bool more = true;

    while (status == RA_OK && more) {
        *last = fatbin->next;
        if (extent == UNBROKEN)
            status = ra_fatbin_ahead(fatbin, &more);
        if (status == RA_OK && more)
            status = ra_fatbin_next(fatbin, &piece, &more);
        if (status == RA_OK && more)
            status = take_piece(bundles, wave, fatbin, &piece);
        more = more && extent != FIRST;
    }
    return status;
}

static enum ra_status scan(struct ra_bundles *bundles, const struct ra_source *source,
                           enum extent extent, uint64_t *last, uint64_t *end)
{
    struct wave *wave = malloc(sizeof(*wave));
    struct ra_fatbin fatbin;
    enum ra_status status;

    if (!wave)
        return RA_E_NOMEM;
    wave->count = wave->waiting_count = 0;
    ra_fatbin_open(source, bundles->arena, bundles->diags, &fatbin);
    status = walk(bundles, wave, &fatbin, extent, last);
    status = end_wave(bundles, wave, status);
    *end = fatbin.next;
    free(wave);
    return status;
}

enum ra_status ra_bundles_scan(struct ra_bundles *bundles, const struct ra_source *source)
{
    uint64_t last, end;

    return scan(bundles, source, ALL, &last, &end);
}

enum ra_status ra_bundles_scan_one(struct ra_bundles *bundles,
                                   const struct ra_source *source)
{
    uint64_t last, end;

    return scan(bundles, source, FIRST, &last, &end);
}

enum ra_status ra_bundles_scan_run(struct ra_bundles *bundles,
                                   const struct ra_source *source, uint64_t *last,
                                   uint64_t *end)
{
    return scan(bundles, source, UNBROKEN, last, end);
}

enum ra_status ra_bundles_take(struct ra_bundles *to, struct ra_bundles *from)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < from->count; i++)
        status = append(to, &from->list[i]);
    to->expanded += from->expanded;
    return status;
}

enum ra_status ra_bundles_scan_parts(struct ra_bundles *bundles,
                                     const struct ra_source *file, const char *container,
                                     const struct ra_part *parts, size_t count)
{
    struct ra_piece piece = { .source = *file, .container = container, .has_size = true };
    struct ra_task *task = malloc(sizeof(*task));
    enum ra_status status;

    if (!task)
        return RA_E_NOMEM;
    ra_task_begin(task, bundles->context, &piece);
    task->parts = parts;
    task->part_count = count;
    ra_task_run(task);
    status = join(bundles, task, RA_OK);
    free(task);
    return status;
}

enum ra_status ra_bundles_scan_raw(struct ra_bundles *bundles,
                                   const struct ra_source *source)
{
    const struct ra_part part = { .size = source->size };

    return ra_bundles_scan_parts(bundles, source, "raw", &part, 1);
}

enum ra_status ra_bundles_add_kpack(struct ra_bundles *bundles, const char *key)
{
    struct ra_bundle bundle = { .container = "kpack", .key = key };

    /* Its entries come when the archives are known. */
    bundle.has_table = bundle.complete = key != NULL;
    bundles->damaged = bundles->damaged || !key;
    return append(bundles, &bundle);
}

static bool same_binary(const struct ra_kpak_entry *a, const struct ra_kpak_entry *b)
{
    return a->binary.size == b->binary.size &&
           memcmp(a->binary.data, b->binary.data, a->binary.size) == 0;
}

/* The entries of one binary of an archive. */
struct packed {
    const struct ra_kpak_entry *first;
    size_t count;
    uint64_t offset; /* of the lowest of them */
};

static int by_place(const void *left, const void *right)
{
    const struct packed *a = left, *b = right;

    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Binaries in the order their code objects stand in, for a source that goes forward. */
static struct packed *list_packed(const struct ra_kpak *kpak, size_t *ret)
{
    struct packed *list = reallocarray(NULL, kpak->count + 1, sizeof(*list));

    *ret = 0;
    for (size_t i = 0; list && i < kpak->count; i++) {
        const struct ra_kpak_entry *entry = &kpak->entries[i];

        if (i == 0 || !same_binary(entry, entry - 1))
            list[(*ret)++] = (struct packed){ entry, 0, entry->offset };
        list[*ret - 1].count++;
        if (entry->offset < list[*ret - 1].offset)
            list[*ret - 1].offset = entry->offset;
    }
    if (list)
        qsort(list, *ret, sizeof(*list), by_place);
    return list;
}

/* By binary, then by the number of the wrapper: #2 comes before #10. */
static int by_key(const void *left, const void *right)
{
    const char *a = ((const struct ra_bundle *)left)->key;
    const char *b = ((const struct ra_bundle *)right)->key;
    const char *mark = strrchr(a, '#'), *other = strrchr(b, '#');

    if (mark && other && mark - a == other - b && memcmp(a, b, (size_t)(mark - a)) == 0 &&
        strlen(mark) != strlen(other))
        return strlen(mark) < strlen(other) ? -1 : 1;
    return strcmp(a, b);
}

static enum ra_status scan_packed(struct ra_bundles *bundles, struct wave *wave,
                                  const struct ra_source *source, bool frames,
                                  const struct packed *packed)
{
    struct ra_piece piece = { .source = *source, .container = "kpack" };
    struct ra_task *task = &wave->tasks[wave->count++];

    ra_task_begin(task, bundles->context, &piece);
    task->packed = packed->first;
    task->packed_count = packed->count;
    task->frames = frames;
    return dispatch(bundles, wave, task);
}

enum ra_status ra_bundles_scan_kpak(struct ra_bundles *bundles,
                                    const struct ra_source *source,
                                    const struct ra_kpak *kpak)
{
    struct wave *wave = malloc(sizeof(*wave));
    size_t before = bundles->count, count = 0;
    struct packed *packed = list_packed(kpak, &count);
    enum ra_status status = wave && packed ? RA_OK : RA_E_NOMEM;

    if (wave)
        wave->count = wave->waiting_count = 0;
    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = scan_packed(bundles, wave, source, kpak->compressed, &packed[i]);
    if (wave)
        status = end_wave(bundles, wave, status);
    if (bundles->count > before)
        qsort(bundles->list + before, bundles->count - before, sizeof(*bundles->list),
              by_key);
    free(packed);
    free(wave);
    return status;
}

enum ra_status ra_bundles_scan_offload(struct ra_bundles *bundles,
                                       const struct ra_source *source)
{
    struct ra_bundle unread = { .container = RA_OFFLOAD_CONTAINER,
                                .offset = source->base };
    struct ra_task *tasks = calloc(RA_OFFLOAD_WORDS, sizeof(*tasks));
    size_t before = bundles->count, count = 0;
    bool lost = false;
    enum ra_status status = RA_E_NOMEM;

    if (tasks)
        status = ra_offload_gather(bundles, source, tasks, &count, &lost);
    for (size_t i = 0; i < count; i++)
        status = join(bundles, &tasks[i], status);
    free(tasks);
    bundles->damaged = bundles->damaged || lost;
    if (status != RA_OK || !lost || bundles->count > before)
        return status;
    return append(bundles, &unread);
}

/* ---- bundles by offset ------------------------------------------------------ */

/* Where the bundle at `offset` is among the places, or the free one it would be at. */
static size_t *place_of(const struct ra_bundles *bundles, uint64_t offset)
{
    size_t mask = bundles->place_room - 1;
    size_t at = (size_t)(offset * HASH_FACTOR >> 32) & mask;

    while (bundles->places[at] && bundles->list[bundles->places[at] - 1].offset != offset)
        at = (at + 1) & mask;
    return &bundles->places[at];
}

/* Put those in that came since; false if there is no memory. */
static bool place_all(struct ra_bundles *bundles)
{
    if (bundles->place_room < 2 * bundles->count) {
        size_t room = bundles->place_room ? bundles->place_room : PLACES;

        while (room < 2 * bundles->count)
            room *= 2;
        free(bundles->places);
        bundles->places = calloc(room, sizeof(*bundles->places));
        bundles->place_room = bundles->places ? room : 0;
        bundles->place_count = 0;
    }
    for (; bundles->places && bundles->place_count < bundles->count;
         bundles->place_count++) {
        size_t *place = place_of(bundles, bundles->list[bundles->place_count].offset);

        *place = *place ? *place : bundles->place_count + 1;
    }
    return bundles->places != NULL;
}

static bool is_at(const struct ra_bundles *bundles, size_t index, uint64_t offset)
{
    return index < bundles->count && bundles->list[index].offset == offset;
}

/* Wrappers come in the order of the bundles, so the next is where the last one was. */
bool ra_bundles_met(struct ra_bundles *bundles, uint64_t offset)
{
    size_t at = bundles->hint;

    if (bundles->count == 0)
        return false;
    if (!is_at(bundles, at, offset) && place_all(bundles))
        at = *place_of(bundles, offset) - 1; /* of none, past all there are */
    else
        for (at = is_at(bundles, at, offset) ? at : 0;
             at < bundles->count && !is_at(bundles, at, offset);)
            at++; /* without memory, slowly */
    if (at >= bundles->count)
        return false;
    bundles->hint = at + 1;
    return true;
}

void ra_bundles_free(struct ra_bundles *bundles)
{
    free(bundles->list);
    free(bundles->places);
    bundles->list = NULL;
    bundles->places = NULL;
}
