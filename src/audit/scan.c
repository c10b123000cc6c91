/* scan.c - what a file is, and the scan of what it holds. */
#include "audit/scan.h"

#include "audit/oddity.h"
#include "base/text.h"
#include "bundle/fatbin.h"
#include "bundle/kpak.h"
#include "bundle/offload.h"
#include "container/archive.h"
#include "container/member.h"
#include "elf/elf.h"
#include "gfx/image.h"
#include "pe/pe.h"
#include "runtime/found.h"
#include "site/place.h"
#include "site/site.h"

#include <stdlib.h>

#define ARENA_LIMIT    ((size_t)2 << 30)
#define DIAG_LIMIT     1000
#define DOCUMENT_LIMIT ((uint64_t)64 << 20)

static enum ra_status told(struct ra_scan *scan, enum ra_diag_code code, uint64_t offset,
                           const char *what)
{
    return ra_fault(&scan->scanned->diags, RA_OK, code, ra_at(offset), "%s", what);
}

/* ---- kinds of files --------------------------------------------------------- */

static enum ra_kind kind_of(struct ra_span head)
{
    if (ra_content_of(head) == RA_CONTENT_CODE_OBJECT)
        return RA_KIND_CODE_OBJECT;
    if (ra_elf_probe(head))
        return RA_KIND_ELF;
    if (ra_fatbin_probe(head) || ra_offload_resembles(head))
        return RA_KIND_BUNDLE;
    if (ra_kpak_probe(head))
        return RA_KIND_KPACK;
    if (ra_archive_probe(head))
        return RA_KIND_ARCHIVE;
    return ra_pe_probe(head) || ra_coff_probe(head) ? RA_KIND_WINDOWS : RA_KIND_OTHER;
}

bool ra_scan_is_package(const char *path)
{
    static const char *const packages[] = { ".whl", ".egg", ".conda", ".deb" };

    for (size_t i = 0; i < RA_COUNT(packages); i++)
        if (ra_text_ends(path, packages[i]))
            return true;
    return false;
}

static bool should_be_archive(const struct ra_subject *subject)
{
    return subject->is_part || ra_scan_is_package(subject->path) ||
           ra_text_ends(subject->path, ".kpack");
}

/* Whether what is in a file matters, beyond its first bytes. */
static bool is_wanted(const struct ra_subject *subject, enum ra_kind kind)
{
    switch (kind) {
    case RA_KIND_OTHER:
        return should_be_archive(subject);
    case RA_KIND_ARCHIVE:
        return subject->named || should_be_archive(subject);
    default:
        return true;
    }
}

/* Zip is read from its end: there may be one behind what no zip starts with. */
static enum ra_status check_package(struct ra_scan *scan)
{
    enum ra_kind kind = scan->scanned->file.kind;

    if (kind == RA_KIND_ARCHIVE || kind == RA_KIND_KPACK ||
        !should_be_archive(scan->subject))
        return RA_OK;
    return told(scan, RA_DIAG_ARCHIVE_BAD, 0,
                "its name says archive, its start does not");
}

static enum ra_status scan_bundles(struct ra_scan *scan)
{
    uint8_t bytes[RA_OFFLOAD_PROBE];
    struct ra_span head;
    enum ra_status status = ra_source_peek(&scan->source, 0, sizeof(bytes),
                                           &scan->scanned->diags, bytes, &head);

    if (status != RA_OK)
        return status;
    return ra_offload_resembles(head)
               ? ra_bundles_scan_offload(&scan->bundles, &scan->source)
               : ra_bundles_scan(&scan->bundles, &scan->source);
}

static enum ra_status scan_content(struct ra_scan *scan)
{
    switch (scan->scanned->file.kind) {
    case RA_KIND_CODE_OBJECT:
        return ra_bundles_scan_raw(&scan->bundles, &scan->source);
    case RA_KIND_ELF:
    case RA_KIND_WINDOWS:
        return ra_host_scan(scan);
    case RA_KIND_BUNDLE:
        return scan_bundles(scan);
    case RA_KIND_KPACK:
        return ra_kpack_scan(scan);
    case RA_KIND_ARCHIVE:
        return ra_members_scan(scan);
    default:
        return RA_OK;
    }
}

/* ---- records of packages ---------------------------------------------------- */

static bool is_document(const struct ra_subject *subject)
{
    return ra_site_wants(subject->place) ||
           ra_text_ends(subject->place, "/.info/version");
}

static bool is_read(const struct ra_subject *subject, enum ra_kind kind)
{
    return is_wanted(subject, kind) || is_document(subject);
}

static enum ra_status read_document(struct ra_scan *scan)
{
    struct ra_scanned *scanned = scan->scanned;
    size_t size = (size_t)scan->source.size;
    uint8_t *bytes;

    if (scan->source.size > DOCUMENT_LIMIT)
        return ra_fault(&scanned->diags, RA_E_LIMIT, RA_DIAG_LIMIT, ra_at(0),
                        "a record of packages of more than 64 MiB");
    bytes = ra_new(&scanned->arena, uint8_t, size + 1);
    if (!bytes)
        return RA_E_NOMEM;
    scanned->document = (struct ra_span){ bytes, size, 0 };
    return ra_source_read(&scan->source, 0, size, &scanned->diags, bytes);
}

/* ---- the file --------------------------------------------------------------- */

/* The path of a file as records of packages spell it; of a member it is so already. */
static const char *place_of(struct ra_arena *arena, const struct ra_subject *subject)
{
    struct ra_span path = { (const uint8_t *)subject->place, strlen(subject->place), 0 };
    struct ra_text text = { 0 };
    const char *place;

    if (subject->depth > 0)
        return ra_arena_text(arena, path.data, path.size);
    (void)!ra_place_join(&text, (struct ra_span){ .data = path.data }, path, false);
    place = ra_text_keep(&text, arena);
    ra_text_free(&text);
    return place;
}

static enum ra_status name_file(struct ra_scan *scan)
{
    const struct ra_subject *subject = scan->subject;
    struct ra_file *file = &scan->scanned->file;
    struct ra_arena *arena = &scan->scanned->arena;
    const char **paths = ra_new(arena, const char *, subject->link_count);

    file->path = ra_text_shown(arena, subject->path);
    file->name = ra_text_shown(arena, subject->name);
    file->raw_path = ra_arena_text(arena, subject->path, strlen(subject->path));
    file->is_member = subject->depth > 0;
    scan->scanned->place = place_of(arena, subject);
    if (!paths || !file->path || !file->name || !file->raw_path || !scan->scanned->place)
        return RA_E_NOMEM;
    for (const struct ra_walk_link *link = subject->links; link; link = link->next) {
        paths[file->path_count] = ra_text_shown(arena, link->path);
        if (!paths[file->path_count++])
            return RA_E_NOMEM;
    }
    file->paths = paths;
    return RA_OK;
}

static enum ra_status keep_bundles(struct ra_scan *scan)
{
    struct ra_file *file = &scan->scanned->file;
    struct ra_bundle *list =
        ra_new(&scan->scanned->arena, struct ra_bundle, scan->bundles.count);

    if (!list)
        return RA_E_NOMEM;
    if (scan->bundles.count)
        memcpy(list, scan->bundles.list, scan->bundles.count * sizeof(*list));
    for (size_t i = 0; i < scan->bundles.count; i++)
        list[i].kpack = list[i].key ? file->kpack : NULL;
    file->bundles = list;
    file->bundle_count = scan->bundles.count;
    return RA_OK;
}

static void settle(struct ra_scan *scan, enum ra_status status)
{
    struct ra_scanned *scanned = scan->scanned;
    struct ra_file *file = &scanned->file;

    if (status != RA_OK || scanned->diags.errors > 0 || scan->bundles.damaged)
        file->status = RA_FILE_INCOMPLETE;
    for (const struct ra_diag *diag = scanned->diags.first; diag; diag = diag->next)
        if (strcmp(diag->name, ra_diag_name(RA_DIAG_CHANGED)) == 0)
            file->status = RA_FILE_CHANGED;
    file->diags = scanned->diags.first;
}

static enum ra_status unreadable(struct ra_scan *scan, enum ra_status status)
{
    struct ra_file *file = &scan->scanned->file;

    file->kind = RA_KIND_UNREADABLE;
    file->status = RA_FILE_UNREADABLE;
    file->diags = scan->scanned->diags.first;
    return status;
}

/* What the source holds; then `end`, if it is a member, or a look at the file again. */
static enum ra_status scan_opened(struct ra_scan *scan, const struct ra_stamp *stamp,
                                  struct ra_member *member)
{
    struct ra_diags *diags = &scan->scanned->diags;
    enum ra_status status;

    scan->scanned->file.size = scan->source.size;
    status = check_package(scan);
    if (status == RA_OK && is_wanted(scan->subject, scan->scanned->file.kind))
        status = scan_content(scan);
    else if (status == RA_OK)
        status = read_document(scan);
    if (stamp && status != RA_E_NOMEM)
        (void)!ra_source_unchanged(&scan->source, stamp, diags);
    if (member && status == RA_OK)
        status = ra_member_finish(member);
    if (status != RA_E_NOMEM && keep_bundles(scan) != RA_OK)
        status = RA_E_NOMEM;
    settle(scan, status);
    return status;
}

static void begin(struct ra_scan *scan, const struct ra_scan_context *context,
                  const struct ra_subject *subject, struct ra_scanned *ret)
{
    *scan = (struct ra_scan){ .context = context, .subject = subject, .scanned = ret };
    *ret = (struct ra_scanned){ .arena = { .limit = ARENA_LIMIT },
                                .kernels_arena = { .limit = ARENA_LIMIT } };
    ret->diags = (struct ra_diags){ .arena = &ret->arena, .limit = DIAG_LIMIT };
    scan->bundles = (struct ra_bundles){ .context = context,
                                         .arena = &ret->arena,
                                         .kernels_arena = &ret->kernels_arena,
                                         .diags = &ret->diags };
}

static void end(struct ra_scan *scan, enum ra_status status)
{
    struct ra_scanned *scanned = scan->scanned;

    scanned->is_clue = ra_runtime_is_clue(scan->subject->place);
    /* Most files have nothing to tell, and need no name for it. */
    if (status != RA_E_NOMEM && ra_scanned_is_kept(scanned))
        status = name_file(scan);
    scanned->status = status == RA_E_NOMEM ? RA_E_NOMEM : RA_OK;
    ra_bundles_free(&scan->bundles);
}

/* ---- members of archives ---------------------------------------------------- */

static enum ra_status scan_in(struct ra_scan *scan, struct ra_archive *archive,
                              const struct ra_archive_member *member)
{
    struct ra_workspaces *workspaces = scan->context->members[scan->subject->depth - 1];
    struct ra_diags *diags = &scan->scanned->diags;
    struct ra_member *opened;
    enum ra_status status;

    if (scan->subject->depth >= RA_SCAN_DEPTH &&
        scan->scanned->file.kind == RA_KIND_ARCHIVE)
        return unreadable(scan, ra_fault(diags, RA_E_UNSUPPORTED, RA_DIAG_NOT_OPENED,
                                         ra_at(0), "too many archives in archives"));
    status = ra_member_open(archive, member, workspaces, diags, &opened);
    if (status != RA_OK)
        return unreadable(scan, status);
    scan->source = ra_member_source(opened);
    status = scan_opened(scan, NULL, opened);
    ra_member_close(opened);
    return status;
}

static void look_at(struct ra_scan *scan, struct ra_span head)
{
    scan->scanned->file.kind = kind_of(head);
    if (scan->context->oddities)
        scan->scanned->file.oddity = ra_oddity_of(scan->subject->path, head);
}

void ra_scan_member(const struct ra_scan_context *context,
                    const struct ra_subject *subject, struct ra_archive *archive,
                    const struct ra_archive_member *member, struct ra_scanned *ret)
{
    uint8_t bytes[RA_SCAN_HEAD];
    struct ra_span head;
    struct ra_scan scan;
    enum ra_status status;

    begin(&scan, context, subject, ret);
    status = ra_archive_head(archive, &ret->diags, bytes, sizeof(bytes), &head);
    if (status == RA_OK)
        look_at(&scan, head);
    else
        status = unreadable(&scan, status);
    if (status == RA_OK && is_read(subject, ret->file.kind))
        status = scan_in(&scan, archive, member);
    end(&scan, status);
}

/* ---- files ------------------------------------------------------------------ */

static enum ra_status scan_path(struct ra_scan *scan, const char *trouble)
{
    struct ra_diags *diags = &scan->scanned->diags;
    const struct ra_subject *subject = scan->subject;
    uint8_t bytes[RA_SCAN_HEAD];
    struct ra_stamp stamp;
    struct ra_span head;
    enum ra_status status;

    if (trouble)
        return unreadable(scan,
                          ra_fault(diags, RA_E_IO, RA_DIAG_IO, ra_at(0), "%s", trouble));
    status =
        ra_source_open(subject->path, sizeof(bytes), diags, bytes, &head, &scan->source);
    if (status != RA_OK)
        return unreadable(scan, status);
    look_at(scan, head);
    if (is_read(subject, scan->scanned->file.kind)) {
        status = ra_source_measure(&scan->source, diags, &stamp);
        status =
            status == RA_OK ? scan_opened(scan, &stamp, NULL) : unreadable(scan, status);
    }
    ra_source_close(&scan->source);
    return status;
}

void ra_scan_file(const struct ra_scan_context *context, const struct ra_walk_file *from,
                  struct ra_scanned *ret)
{
    struct ra_subject subject = { .path = from->path,
                                  .name = from->name,
                                  .place = from->path,
                                  .links = from->links,
                                  .link_count = from->link_count,
                                  .named = from->named };
    struct ra_scan scan;

    begin(&scan, context, &subject, ret);
    end(&scan, scan_path(&scan, from->trouble));
}

/* ---- the result ------------------------------------------------------------- */

bool ra_scanned_is_worth_telling(const struct ra_scanned *scanned)
{
    return scanned->file.bundle_count > 0 || scanned->file.status != RA_FILE_OK ||
           scanned->file.oddity != RA_ODDITY_NONE || scanned->diags.count > 0;
}

bool ra_scanned_is_kept(const struct ra_scanned *scanned)
{
    return ra_scanned_is_worth_telling(scanned) || scanned->document.data ||
           scanned->is_clue || scanned->opened;
}

/* The bundles stand in our own arena, so they can be told. */
void ra_scanned_drop_kernels(struct ra_scanned *scanned)
{
    struct ra_bundle *bundles = (struct ra_bundle *)(uintptr_t)scanned->file.bundles;

    for (size_t i = 0; i < scanned->file.bundle_count; i++) {
        struct ra_entry *entries = (struct ra_entry *)(uintptr_t)bundles[i].entries;

        bundles[i].kernel_names = NULL;
        for (size_t j = 0; j < bundles[i].entry_count; j++)
            entries[j].kernels = NULL;
    }
    ra_arena_free(&scanned->kernels_arena);
}

void ra_scanned_free(struct ra_scanned *scanned)
{
    for (size_t i = 0; i < scanned->member_count; i++)
        ra_scanned_free(&scanned->members[i]);
    free(scanned->members);
    ra_arena_free(&scanned->arena);
    ra_arena_free(&scanned->kernels_arena);
}
