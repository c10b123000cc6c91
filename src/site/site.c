#include "site/site.h"

#include "site/pieces.h"
#include "site/reading.h"

#include <stdlib.h>

/* A document and what it is, for the order they are read in. */
struct item {
    const struct ra_site_document *document;
    struct ra_record_place where;
};

bool ra_site_wants(const char *place)
{
    return ra_record_place(place).record != RA_RECORD_NONE;
}

const char *ra_site_place(struct ra_arena *arena, const char *root, struct ra_span member)
{
    struct ra_text text = { 0 };
    const char *ret = NULL;

    member.size = ra_piece_find(member, '\0'); /* where its name ends for the system */
    while (ra_piece_starts(member, "/") || ra_piece_starts(member, "./"))
        member = ra_piece_tail(member, member.data[0] == '/' ? 1 : 2);
    (void)!ra_place_join_wheel(&text, ra_span_of(root), member, true);
    if (!text.failed)
        ret = ra_arena_text(arena, text.data, text.size);
    ra_text_free(&text);
    return ret;
}

/* ---- order ------------------------------------------------------------------------ */

static int compare_spans(struct ra_span a, struct ra_span b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size > 0 ? memcmp(a.data, b.data, size) : 0;

    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* What points at packages comes behind them all. */
static bool is_pointer(const struct item *item)
{
    return item->where.record >= RA_RECORD_PTH;
}

/* Packages by their records' places; the records of one in the order of enum ra_record.
 */
static int compare_items(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    int order = is_pointer(left) - is_pointer(right);

    if (order == 0)
        order = compare_spans(left->where.unit, right->where.unit);
    if (order == 0)
        order = (int)left->where.record - (int)right->where.record;
    return order != 0 ? order : strcmp(left->document->place, right->document->place);
}

/* Records in order, on the heap; NULL if there is no memory. */
static struct item *sort(const struct ra_site_document *documents, size_t count,
                         size_t *ret)
{
    struct item *items = calloc(count + 1, sizeof(*items));

    *ret = 0;
    for (size_t i = 0; items && i < count; i++) {
        struct item item = { &documents[i], ra_record_place(documents[i].place) };

        if (item.where.record != RA_RECORD_NONE)
            items[(*ret)++] = item;
    }
    if (items)
        qsort(items, *ret, sizeof(*items), compare_items);
    return items;
}

/* ---- one record after the other ------------------------------------------------------
 */

static reader *const readers[] = {
    [RA_RECORD_STATUS] = reading_status,
    [RA_RECORD_CONTROL] = reading_control,
    [RA_RECORD_INDEX] = reading_conda,
    [RA_RECORD_CONDA] = reading_conda,
    [RA_RECORD_METADATA] = reading_metadata,
    [RA_RECORD_WHEEL] = reading_rows,
    [RA_RECORD_DIRECT_URL] = reading_direct_url,
    [RA_RECORD_INSTALLED] = reading_lines,
    [RA_RECORD_SOURCES] = reading_lines,
    [RA_RECORD_PATHS] = reading_paths,
    [RA_RECORD_LIST] = reading_lines,
    [RA_RECORD_PTH] = reading_pth,
    [RA_RECORD_EGG_LINK] = reading_egg_link,
};

/* A folder called info may hold files of that name without being of conda. */
static bool needs_index(const struct item *item)
{
    return !item->where.is_dpkg && (item->where.record == RA_RECORD_PATHS ||
                                    item->where.record == RA_RECORD_LIST);
}

static enum ra_status own_folder(struct reading *reading, struct draft *draft)
{
    struct ra_map *folders = &reading->site->folders;
    struct ra_span folder = ra_span_of(draft->package.place);
    struct ra_map_slot *slot;
    enum ra_status status = ra_map_slot(folders, folder, &slot);

    draft->package.folder = draft->package.place;
    draft->package.has_list = true;
    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (!slot->value)
        slot->value = &draft->package;
    return RA_OK;
}

static enum ra_status read_of_unit(struct reading *reading, const struct item *item)
{
    struct draft *draft;
    enum ra_status status;

    if (needs_index(item) && !ra_map_find(&reading->drafts, item->where.unit))
        return RA_OK;
    status = reading_draft(reading, &reading->drafts, item->where.unit, &draft);
    if (status == RA_OK)
        status = reading_add(reading, draft, item->where.kind, item->where.unit);
    if (status == RA_OK && item->where.owns_root && !draft->package.folder)
        status = own_folder(reading, draft);
    if (status != RA_OK)
        return status;
    return readers[item->where.record](reading, draft, &item->where,
                                       item->document->bytes);
}

/* The name that a file of an editable install has: __editable__.NAME-VERSION.pth. */
static struct ra_span pointer_name(const struct item *item, struct ra_span *version)
{
    struct ra_span name = ra_place_name(ra_span_of(item->document->place));
    const uint8_t *hyphen;

    *version = (struct ra_span){ 0 };
    if (item->where.record == RA_RECORD_EGG_LINK)
        return ra_piece_head(name, name.size - strlen(".egg-link"));
    name = ra_piece_tail(name, strlen("__editable__."));
    name.size -= strlen(".pth");
    hyphen = memrchr(name.data, '-', name.size);
    if (hyphen) {
        *version = ra_piece_tail(name, (size_t)(hyphen - name.data) + 1);
        name.size -= version->size + 1;
    }
    return name;
}

/* The key of a package in a folder: what it is called there. */
static bool named_key(struct reading *reading, struct ra_span folder, struct ra_span name,
                      struct ra_span *ret)
{
    const char *normal = ra_package_normal(reading->arena, name);
    struct ra_text *text = &reading->text;

    text->size = 0;
    ra_text_add(text, (const char *)folder.data, folder.size);
    if (normal)
        ra_text_str(text, normal);
    *ret = (struct ra_span){ (const uint8_t *)text->data, text->size, 0 };
    return normal && !text->failed;
}

static enum ra_status read_pointer(struct reading *reading, const struct item *item)
{
    struct ra_span version, name = pointer_name(item, &version), key;
    struct ra_span place = ra_span_of(item->document->place);
    struct draft *draft;
    enum ra_status status;

    if (!named_key(reading, ra_place_folder(place), name, &key))
        return RA_E_NOMEM;
    draft = ra_map_find(&reading->named, key);
    if (!draft) {
        status = reading_draft(reading, &reading->drafts, item->where.unit, &draft);
        if (status == RA_OK)
            status = reading_add(reading, draft, item->where.kind, item->where.unit);
        if (status == RA_OK)
            status = reading_named(reading, draft, name, version);
        if (status != RA_OK)
            return status;
    }
    return readers[item->where.record](reading, draft, &item->where,
                                       item->document->bytes);
}

/* Tell what was odd of a record, once for all of it. */
static void tell_odd(struct reading *reading, struct ra_diags *diags,
                     const struct item *item)
{
    struct ra_arena arena = { 0 };
    const char *place = ra_text_escape(&arena, ra_span_of(item->document->place));

    if (reading->odd_count == 1)
        (void)!ra_fault(diags, RA_E_FORMAT, RA_DIAG_PACKAGE_BAD,
                        ra_at(reading->odd_offset), "%s: %s", place ? place : "",
                        reading->odd);
    else
        (void)!ra_fault(diags, RA_E_FORMAT, RA_DIAG_PACKAGE_BAD,
                        ra_at(reading->odd_offset), "%s: %s, the first of %zu faults",
                        place ? place : "", reading->odd, reading->odd_count);
    ra_arena_free(&arena);
}

static enum ra_status read_item(struct reading *reading, const struct item *item,
                                struct ra_diags *diags)
{
    enum ra_status status;

    reading->odd_count = 0;
    reading->is_dpkg = item->where.is_dpkg;
    if (is_pointer(item))
        status = read_pointer(reading, item);
    else if (item->where.record == RA_RECORD_STATUS)
        status = reading_status(reading, NULL, &item->where, item->document->bytes);
    else if (item->where.is_dpkg)
        status = reading_dpkg_list(reading, &item->where, item->document);
    else
        status = read_of_unit(reading, item);
    if (status == RA_E_LIMIT)
        reading_odd(reading, 0, "more packages than this build is willing to hold");
    if (reading->odd_count > 0 && diags)
        tell_odd(reading, diags, item);
    return status == RA_E_LIMIT ? RA_OK : status;
}

/* ---- what is known once all is read
 * ---------------------------------------------------- */

/* NAME-VERSION of a folder or file, for want of metadata. */
static enum ra_status name_by_place(struct reading *reading, struct draft *draft)
{
    struct ra_span name = ra_place_name(ra_span_of(draft->package.place));
    struct ra_span version = { 0 };
    size_t hyphen;

    if (ra_piece_ends(name, ".dist-info"))
        name.size -= strlen(".dist-info");
    else if (ra_piece_ends(name, ".egg-info"))
        name.size -= strlen(".egg-info");
    hyphen = ra_piece_find(name, '-');
    if (hyphen > 0 && hyphen < name.size && strcmp(draft->package.kind, "deb") != 0) {
        version = ra_piece_tail(name, hyphen + 1);
        version.size = ra_piece_find(version, '-');
        name.size = hyphen;
    }
    return reading_named(reading, draft, name, version);
}

static enum ra_status fill_names(struct reading *reading, struct draft *draft)
{
    struct ra_site_package *package = &draft->package;
    const char *normal;

    if (!package->raw_name && name_by_place(reading, draft) != RA_OK)
        return RA_E_NOMEM;
    if (!package->raw_name)
        package->raw_name = package->name = "";
    if (!package->raw_version)
        package->raw_version = package->version = "";
    normal = ra_package_normal(reading->arena, ra_span_of(package->raw_name));
    if (!normal)
        return RA_E_NOMEM;
    package->normal = reading_escape(reading, ra_span_of(normal));
    return package->normal ? RA_OK : RA_E_NOMEM;
}

/* Lists that were built from their ends. */
static enum ra_status fill_lists(struct reading *reading, struct draft *draft)
{
    struct ra_site_package *package = &draft->package;
    struct ra_site_need *needs =
        ra_new(reading->arena, struct ra_site_need, package->need_count);
    const char **extras = ra_new(reading->arena, const char *, package->extra_count);
    size_t at = package->need_count;

    if (!needs || !extras)
        return RA_E_NOMEM;
    for (const struct needed *needed = draft->needs; needed; needed = needed->older)
        needs[--at] = needed->need;
    at = package->extra_count;
    for (const struct provided *extra = draft->extras; extra; extra = extra->older)
        extras[--at] = extra->name;
    package->needs = needs;
    package->extras = extras;
    return RA_OK;
}

static void judge_placeholder(struct draft *draft)
{
    struct ra_site_package *package = &draft->package;
    bool is_wheel = strcmp(package->kind, "wheel") == 0;

    package->is_placeholder =
        is_wheel && !package->editable && !draft->holds_something &&
        (draft->says_placeholder || strcmp(package->raw_version, "0.0.1.dev0") == 0 ||
         package->file_count > 0);
}

/* The first package of a name in its folder is the one that pointers are for. */
static enum ra_status note_name(struct reading *reading, struct draft *draft)
{
    struct ra_span folder = ra_place_folder(ra_span_of(draft->package.place)), key;
    struct ra_map_slot *slot;
    const char *kept;
    enum ra_status status;

    if (!named_key(reading, folder, ra_span_of(draft->package.raw_name), &key))
        return RA_E_NOMEM;
    status = ra_map_slot(&reading->named, key, &slot);
    if (status != RA_OK)
        return status == RA_E_LIMIT ? RA_OK : status;
    if (slot->value)
        return RA_OK;
    kept = reading_keep(reading, key);
    if (!kept)
        return RA_E_NOMEM;
    slot->key.data = (const uint8_t *)kept;
    slot->value = draft;
    return RA_OK;
}

static enum ra_status fill_package(struct reading *reading, struct draft *draft)
{
    if (fill_names(reading, draft) != RA_OK || fill_lists(reading, draft) != RA_OK)
        return RA_E_NOMEM;
    (void)!ra_device_wheel_parse(ra_span_of(draft->package.raw_name),
                                 &draft->package.device);
    return RA_OK;
}

/* Lines, of lists: each is a file, or nearly so. */
static size_t count_lines(const struct item *item)
{
    struct ra_span rest = item->document->bytes;
    size_t lines = 0;

    if (item->where.record != RA_RECORD_WHEEL && item->where.record != RA_RECORD_LIST)
        return 0;
    for (size_t end; (end = ra_piece_find(rest, '\n')) < rest.size; lines++)
        rest = ra_piece_tail(rest, end + 1);
    return lines;
}

static enum ra_status reserve(struct reading *reading, const struct item *items,
                              size_t count)
{
    size_t lines = 0;

    for (size_t i = 0; i < count && lines < RA_SITE_FILES_MAX; i++)
        lines += count_lines(&items[i]);
    return ra_map_reserve(&reading->site->files,
                          lines < RA_SITE_FILES_MAX ? lines : RA_SITE_FILES_MAX);
}

static enum ra_status read_items(struct reading *reading, const struct item *items,
                                 size_t count, struct ra_diags *diags)
{
    size_t at = 0;
    struct draft *draft;

    if (reserve(reading, items, count) != RA_OK)
        return RA_E_NOMEM;

    for (; at < count && !is_pointer(&items[at]); at++)
        if (read_item(reading, &items[at], diags) != RA_OK)
            return RA_E_NOMEM;
    if (at < count)
        for (draft = reading->first; draft; draft = draft->next)
            if (fill_names(reading, draft) != RA_OK || note_name(reading, draft) != RA_OK)
                return RA_E_NOMEM;
    for (; at < count; at++)
        if (read_item(reading, &items[at], diags) != RA_OK)
            return RA_E_NOMEM;
    return RA_OK;
}

static enum ra_status finish(struct reading *reading)
{
    struct ra_site *site = reading->site;
    const struct ra_site_package **packages =
        ra_new(reading->arena, const struct ra_site_package *, reading->draft_count);

    if (!packages)
        return RA_E_NOMEM;
    for (struct draft *draft = reading->first; draft; draft = draft->next) {
        if (fill_package(reading, draft) != RA_OK)
            return RA_E_NOMEM;
        judge_placeholder(draft);
        packages[site->package_count++] = &draft->package;
    }
    site->packages = packages;
    return RA_OK;
}

enum ra_status ra_site_read(const struct ra_site_document *documents, size_t count,
                            struct ra_arena *arena, struct ra_diags *diags,
                            struct ra_site *ret)
{
    struct reading reading = {
        .site = ret,
        .arena = arena,
        .drafts = { .arena = arena },
        .named = { .arena = arena },
    };
    size_t item_count;
    struct item *items = sort(documents, count, &item_count);
    enum ra_status status = RA_E_NOMEM;

    *ret = (struct ra_site){ .files = { .arena = arena }, .folders = { .arena = arena } };
    if (items)
        status = read_items(&reading, items, item_count, diags);
    if (status == RA_OK)
        status = finish(&reading);
    if (status != RA_OK)
        *ret = (struct ra_site){ 0 };
    free(items);
    ra_text_free(&reading.place);
    ra_text_free(&reading.text);
    return status;
}

/* ---- questions ----------------------------------------------------------------------
 */

const struct ra_site_file *ra_site_file(const struct ra_site *site, const char *place)
{
    return ra_map_find(&site->files, ra_span_of(place));
}

static const struct ra_site_package *folder_owner(const struct ra_site *site,
                                                  const char *place)
{
    struct ra_span folder = ra_span_of(place);
    const struct ra_site_package *owner = NULL;

    if (site->folders.count == 0)
        return NULL;
    do {
        folder = ra_place_folder(folder);
        owner = ra_map_find(&site->folders, folder);
        folder.size -= folder.size > 0;
    } while (!owner && folder.size > 0);
    return owner ? owner : place[0] != '/' ? ra_map_find(&site->folders, folder) : NULL;
}

const struct ra_site_package *ra_site_owner(const struct ra_site *site, const char *place,
                                            size_t *count)
{
    const struct ra_site_file *file = ra_site_file(site, place);
    const struct ra_site_package *owner =
        file ? file->package : folder_owner(site, place);
    size_t owners = owner && !file;

    for (const struct ra_site_file *one = file; one; one = one->other)
        owners++;
    if (count)
        *count = owners;
    return owner;
}

const struct ra_site_digest *ra_site_digest(const struct ra_site *site, const char *place)
{
    for (const struct ra_site_file *file = ra_site_file(site, place); file;
         file = file->other)
        if (file->digest.kind != RA_SITE_NO_DIGEST)
            return &file->digest;
    return NULL;
}

const struct ra_site_package *ra_site_package(const struct ra_site *site,
                                              const char *name)
{
    struct ra_span wanted = ra_span_of(name);

    for (size_t i = 0; i < site->package_count; i++)
        if (ra_package_same(ra_span_of(site->packages[i]->raw_name), wanted))
            return site->packages[i];
    return NULL;
}
