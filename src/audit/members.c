/*
 * members.c - what is in an archive, each member scanned as if it were a file.
 *
 * Where members can be skipped without decoding them, several workers share an archive:
 * each has a handle of its own, claims the next member that nobody has, and skips those
 * of the others. Nothing is written anywhere, and names of members only name.
 */
#include "audit/scan.h"

#include "audit/totals.h"
#include "base/array.h"
#include "base/text.h"
#include "container/archive.h"
#include "container/member.h"
#include "site/site.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SMALL      ((uint64_t)1 << 20) /* archives that are not worth a second worker */
#define TINY       ((uint64_t)4096)    /* members that take longer to list than to read */
#define DIAG_LIMIT 1000

/* An archive, as all of its workers see it. */
struct share {
    const struct ra_scan_context *context;
    const struct ra_subject *subject;
    const struct ra_source *source;
    const char *path_head; /* of the paths of members; the same of names and places */
    const char *name_head, *place_head;
    atomic_size_t next; /* the member that nobody has claimed */
};

/* A member with its place in the archive. */
struct kept {
    size_t index;
    size_t turn; /* among those of its worker: an archive in it shares its index */
    struct ra_scanned scanned;
};

struct worker {
    struct share *share;
    struct ra_arena arena; /* of diags */
    struct ra_arena names; /* of the member at hand */
    struct ra_diags diags;
    struct ra_archive *archive;
    struct kept *kept;
    size_t count, room;
    uint64_t files, by_kind[RA_KINDS];
    enum ra_status status;
};

/* ---- one member ------------------------------------------------------------- */

/* Takes over what was scanned, also if it fails. */
static enum ra_status keep(struct worker *worker, size_t index,
                           struct ra_scanned *scanned)
{
    if (worker->count == worker->room) {
        struct kept *kept = ra_array_grow(worker->kept, &worker->room, sizeof(*kept));

        if (!kept) {
            ra_scanned_free(scanned);
            return RA_E_NOMEM;
        }
        worker->kept = kept;
    }
    worker->kept[worker->count] = (struct kept){ index, worker->count, *scanned };
    worker->count++;
    return RA_OK;
}

/* Of an archive in the archive: its members are members of ours, in its place. */
static enum ra_status keep_nested(struct worker *worker, size_t index,
                                  struct ra_scanned *inner)
{
    enum ra_status status = RA_OK;
    size_t taken = 0;

    for (; status == RA_OK && taken < inner->member_count; taken++)
        status = keep(worker, index, &inner->members[taken]);
    for (; taken < inner->member_count; taken++)
        ra_scanned_free(&inner->members[taken]);
    free(inner->members);
    inner->members = NULL;
    inner->member_count = 0;
    worker->files += inner->files;
    for (size_t i = 0; i < RA_KINDS; i++)
        worker->by_kind[i] += inner->by_kind[i];
    return status;
}

static enum ra_status take_scanned(struct worker *worker, size_t index,
                                   struct ra_scanned *scanned)
{
    enum ra_status status = scanned->status;
    bool opened = scanned->opened;

    if (status == RA_OK && opened)
        status = keep_nested(worker, index, scanned);
    worker->files += !opened;
    if (status == RA_OK && !opened && !ra_has_device_code(&scanned->file))
        worker->by_kind[scanned->file.kind]++;
    if (status == RA_OK && ra_scanned_is_kept(scanned))
        status = keep(worker, index, scanned);
    else
        ra_scanned_free(scanned);
    return status;
}

/* Of a .deb or a .conda, the archives in it that are its content. */
static bool is_part(const struct ra_subject *outer, struct ra_span name)
{
    static const char *const parts[][2] = {
        { ".deb", "data.tar" },
        { ".deb", "control.tar" },
        { ".conda", "pkg-" },
        { ".conda", "info-" },
    };
    size_t size = strlen(outer->path);

    for (size_t i = 0; i < RA_COUNT(parts); i++) {
        size_t tail = strlen(parts[i][0]), head = strlen(parts[i][1]);

        if (size > tail && strcmp(outer->path + size - tail, parts[i][0]) == 0 &&
            name.size > head && memcmp(name.data, parts[i][1], head) == 0)
            return true;
    }
    return false;
}

static const char *join(struct worker *worker, const char *head, struct ra_span name)
{
    return ra_text_format(&worker->names, "%s%.*s", head, (int)name.size,
                          (const char *)name.data);
}

static enum ra_status name_member(struct worker *worker,
                                  const struct ra_archive_member *member,
                                  struct ra_subject *ret)
{
    const struct share *share = worker->share;

    *ret = (struct ra_subject){
        .path = join(worker, share->path_head, member->name),
        .name = join(worker, share->name_head, member->name),
        .place = ra_site_place(&worker->names, share->place_head, member->name),
        .is_part = is_part(share->subject, member->name),
        .depth = share->subject->depth + 1,
    };
    return ret->path && ret->name && ret->place ? RA_OK : RA_E_NOMEM;
}

static enum ra_status take_member(struct worker *worker,
                                  const struct ra_archive_member *member)
{
    const struct share *share = worker->share;
    struct ra_scanned scanned;
    struct ra_subject subject;
    enum ra_status status = name_member(worker, member, &subject);

    if (status != RA_OK)
        return status;
    ra_scan_member(share->context, &subject, worker->archive, member, &scanned);
    return take_scanned(worker, member->index, &scanned);
}

/* ---- all of them ------------------------------------------------------------ */

static enum ra_status take_claimed(struct worker *worker)
{
    struct share *share = worker->share;
    size_t mine = atomic_fetch_add(&share->next, 1);
    enum ra_status status = RA_OK;

    for (;;) {
        struct ra_archive_member member;
        bool more;

        status = ra_archive_next(worker->archive, &member, &more);
        if (status != RA_OK || !more)
            return status;
        if (member.index != mine)
            continue;
        if (member.is_file)
            status = take_member(worker, &member);
        ra_arena_free(&worker->names);
        if (status != RA_OK)
            return status;
        mine = atomic_fetch_add(&share->next, 1);
    }
}

static enum ra_status open_archive(struct worker *worker, struct share *share)
{
    worker->share = share;
    worker->diags = (struct ra_diags){ .arena = &worker->arena, .limit = DIAG_LIMIT };
    worker->status = ra_archive_open(share->source, &worker->diags, &worker->archive);
    return worker->status;
}

/* The first has its handle already, and tells what holds of the whole archive. */
static void run(void *arg)
{
    struct worker *worker = arg;

    if (!worker->archive) {
        if (open_archive(worker, worker->share) != RA_OK)
            return;
        ra_archive_hush(worker->archive);
    }
    worker->status = take_claimed(worker);
    ra_archive_close(worker->archive);
}

/* How many workers it is worth: one, where all of it has to be decoded in order, or most
 * of the work is the list, which each of them goes through. */
static size_t worth(const struct share *share, const struct ra_archive *archive)
{
    uint64_t mean = ra_archive_mean(archive);

    if (share->source->size < SMALL || ra_source_is_forward(share->source) ||
        !ra_archive_is_seekable(archive))
        return 1;
    if (mean > 0 && mean < TINY)
        return 1;
    return share->context->threads;
}

static void run_all(struct share *share, struct worker *workers, size_t count)
{
    struct ra_group group = { 0 };

    if (count == 1) {
        run(&workers[0]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        workers[i].share = share;
        ra_pool_push(share->context->pool, &group, RA_LANE_MEMBER, run, &workers[i]);
    }
    ra_pool_wait(share->context->pool, &group, RA_LANE_MEMBER);
}

/* ---- what they found -------------------------------------------------------- */

static int by_index(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->turn > b->turn) - (a->turn < b->turn);
}

/* A nested archive's members share its index, and stand in their order in one list. */
static enum ra_status collect(struct ra_scanned *scanned, struct worker *workers,
                              size_t count)
{
    struct kept *all;
    size_t total = 0, at = 0;

    for (size_t i = 0; i < count; i++)
        total += workers[i].count;
    all = reallocarray(NULL, total + 1, sizeof(*all));
    scanned->members = reallocarray(NULL, total + 1, sizeof(*scanned->members));
    if (!all || !scanned->members) {
        free(all);
        return RA_E_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (workers[i].count)
            memcpy(all + at, workers[i].kept, workers[i].count * sizeof(*all));
        at += workers[i].count;
        workers[i].count = 0;
    }
    if (count > 1)
        qsort(all, total, sizeof(*all), by_index);
    for (size_t i = 0; i < total; i++)
        scanned->members[i] = all[i].scanned;
    scanned->member_count = total;
    free(all);
    return RA_OK;
}

static enum ra_status join_all(struct ra_scan *scan, struct worker *workers, size_t count)
{
    struct ra_scanned *scanned = scan->scanned;
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < count; i++) {
        struct worker *worker = &workers[i];

        if (status == RA_OK || worker->status == RA_E_NOMEM)
            status = worker->status;
        scanned->files += worker->files;
        for (size_t kind = 0; kind < RA_KINDS; kind++)
            scanned->by_kind[kind] += worker->by_kind[kind];
        ra_diags_join_new(&scanned->diags, &worker->diags);
        ra_arena_join(&scanned->arena, &worker->arena);
    }
    if (status != RA_E_NOMEM && collect(scanned, workers, count) != RA_OK)
        status = RA_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < workers[i].count; j++)
            ra_scanned_free(&workers[i].kept[j].scanned);
        free(workers[i].kept);
    }
    return status;
}

/* ---- the archive ------------------------------------------------------------ */

/* What is before the last `mark`, with it; all of `text` and `mark` if there is none. */
static const char *head_of(struct ra_arena *arena, const char *text, const char *mark,
                           bool cut)
{
    const char *last = NULL;

    for (const char *at = text; cut && (at = strstr(at, mark)); at++)
        last = at;
    if (!last)
        return ra_text_format(arena, "%s%s", text, mark);
    return ra_text_format(arena, "%.*s%s", (int)(last - text), text, mark);
}

/* The parts of a .deb are shown as if they were the .deb, as their files are its own. */
static enum ra_status name_heads(const struct ra_subject *subject, struct ra_arena *arena,
                                 struct share *share)
{
    const char *mark = strrchr(subject->place, '!');
    bool part = subject->is_part,
         records = part && mark && strncmp(mark, "!/control.tar", 13) == 0;
    const char *name = subject->named ? ra_text_base(subject->name) : subject->name;

    share->path_head = head_of(arena, subject->path, "!", part);
    share->name_head = head_of(arena, name, "!", part);
    share->place_head = records ? ra_text_format(arena, "%s/", subject->place)
                                : head_of(arena, subject->place, "!/", part);
    return share->path_head && share->name_head && share->place_head ? RA_OK : RA_E_NOMEM;
}

enum ra_status ra_members_scan(struct ra_scan *scan)
{
    struct share share = { .context = scan->context,
                           .subject = scan->subject,
                           .source = &scan->source };
    struct ra_arena names = { 0 };
    struct worker *workers = calloc(scan->context->threads, sizeof(*workers));
    size_t count = 1;
    enum ra_status status =
        workers ? name_heads(scan->subject, &names, &share) : RA_E_NOMEM;

    if (status == RA_OK && open_archive(&workers[0], &share) == RA_OK) {
        scan->scanned->opened = true;
        count = worth(&share, workers[0].archive);
        run_all(&share, workers, count);
    }
    if (status == RA_OK)
        status = join_all(scan, workers, count);
    free(workers);
    ra_arena_free(&names);
    return status;
}
