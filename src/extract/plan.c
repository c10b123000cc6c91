#include "extract/plan.h"

#include "extract/name.h"
#include "gfx/target.h"

struct plan {
    const struct ra_report *report;
    const struct ra_extract_options *how;
    const char *folder;
    struct ra_arena *arena, scratch; /* of the report; of names that nobody keeps */
    struct ra_target *targets;
    struct ra_taken files, names;
    struct ra_written *list; /* NULL: only count */
    size_t count;
};

/* ---- which ------------------------------------------------------------------ */

static bool is_bare(const struct ra_target *target)
{
    return target->sramecc <= RA_SETTING_ANY && target->xnack <= RA_SETTING_ANY;
}

static bool is_for(const struct ra_target *code, const struct ra_target *wanted)
{
    return strcmp(code->processor, wanted->processor) == 0 &&
           (is_bare(wanted) ||
            (code->sramecc == wanted->sramecc && code->xnack == wanted->xnack));
}

static bool is_wanted(const struct plan *plan, const struct ra_entry *entry)
{
    bool is_code = entry->content == RA_CONTENT_CODE_OBJECT;

    /* What is in an archive is taken from there. */
    if (entry->kind == RA_ENTRY_HOST || entry->size == 0 || entry->archive)
        return false;
    for (size_t i = 0; i < plan->how->target_count; i++)
        if (is_for(&entry->label, &plan->targets[i]) ||
            (is_code && is_for(&entry->code.target, &plan->targets[i])))
            return true;
    return plan->how->target_count == 0;
}

static enum ra_status parse_targets(struct plan *plan)
{
    const struct ra_extract_options *how = plan->how;

    plan->targets = ra_new(&plan->scratch, struct ra_target, how->target_count);
    if (!plan->targets)
        return RA_E_NOMEM;
    for (size_t i = 0; i < how->target_count; i++) {
        struct ra_span text = { (const uint8_t *)how->targets[i], strlen(how->targets[i]),
                                0 };

        if (ra_target_refused(how->targets[i]) ||
            !ra_target_parse(text, &plan->targets[i]))
            return RA_E_FORMAT;
    }
    return RA_OK;
}

/* ---- names ------------------------------------------------------------------ */

static const char *suffix_of(const struct ra_entry *entry)
{
    switch (entry->content) {
    case RA_CONTENT_CODE_OBJECT:
        return "co";
    case RA_CONTENT_SPIRV:
        return "spv";
    case RA_CONTENT_BITCODE:
        return "bc";
    default:
        return "bin";
    }
}

static const char *target_of(const struct ra_entry *entry)
{
    if (*entry->target)
        return entry->target;
    return *entry->elf_target ? entry->elf_target : "unknown";
}

/* What the names of a file's entries start with. */
static const char *name_file(struct plan *plan, const struct ra_file *file)
{
    const char *name =
        ra_name_safe(&plan->scratch, ra_text_base(file->raw_path), plan->how->no_colon);

    if (!name || file->kind == RA_KIND_CODE_OBJECT)
        return name; /* gets its number with the suffix kept */
    return ra_name_take(&plan->files, &plan->scratch, name, false);
}

static const char *name_entry(struct plan *plan, const char *base,
                              const struct ra_written *at, const struct ra_entry *entry)
{
    const char *name = base, *target;

    if (plan->report->files[at->file].kind != RA_KIND_CODE_OBJECT) {
        target = ra_name_word(&plan->scratch, target_of(entry), plan->how->no_colon);
        if (!target)
            return NULL;
        name = ra_text_format(&plan->scratch, "%s.%zu.%zu-%s.%s", base, at->bundle,
                              at->entry, target, suffix_of(entry));
    }
    if (name)
        name = ra_name_cut(&plan->scratch, name);
    if (name)
        name = ra_name_take(&plan->names, &plan->scratch, name, true);
    return name ? ra_arena_text(plan->arena, name, strlen(name)) : NULL;
}

static const char *path_of(struct plan *plan, const char *name)
{
    struct ra_span span = { (const uint8_t *)name, strlen(name), 0 };
    const char *shown = ra_text_escape(&plan->scratch, span);
    size_t size = strlen(plan->folder);

    if (!shown || size == 0)
        return shown ? ra_arena_text(plan->arena, shown, strlen(shown)) : NULL;
    return ra_text_format(plan->arena, "%s%s%s", plan->folder,
                          plan->folder[size - 1] == '/' ? "" : "/", shown);
}

/* ---- the list --------------------------------------------------------------- */

static enum ra_status add(struct plan *plan, struct ra_written at, const char *base,
                          const struct ra_entry *entry)
{
    at.name = name_entry(plan, base, &at, entry);
    at.path = at.name ? path_of(plan, at.name) : NULL;
    at.outcome = RA_PLANNED;
    plan->list[plan->count++] = at;
    return at.path ? RA_OK : RA_E_NOMEM;
}

static enum ra_status take_file(struct plan *plan, size_t index)
{
    const struct ra_file *file = &plan->report->files[index];
    const char *base = NULL;
    enum ra_status status = RA_OK;

    for (size_t i = 0; i < file->bundle_count; i++) {
        const struct ra_bundle *bundle = &file->bundles[i];

        for (size_t j = 0; status == RA_OK && j < bundle->entry_count; j++) {
            struct ra_written at = { .file = index, .bundle = i, .entry = j };

            if (!is_wanted(plan, &bundle->entries[j]))
                continue;
            if (!plan->list) {
                plan->count++;
                continue;
            }
            if (!base && !(base = name_file(plan, file)))
                return RA_E_NOMEM;
            status = add(plan, at, base, &bundle->entries[j]);
        }
    }
    return status;
}

static enum ra_status take_all(struct plan *plan)
{
    enum ra_status status = RA_OK;

    plan->count = 0;
    for (size_t i = 0; status == RA_OK && i < plan->report->file_count; i++)
        status = take_file(plan, i);
    return status;
}

static enum ra_status make(struct plan *plan)
{
    enum ra_status status = parse_targets(plan);

    if (status == RA_OK)
        status = take_all(plan);
    if (status != RA_OK)
        return status;
    plan->list = ra_new(plan->arena, struct ra_written, plan->count);
    return plan->list ? take_all(plan) : RA_E_NOMEM;
}

enum ra_status ra_plan(const struct ra_report *report,
                       const struct ra_extract_options *how, const char *folder,
                       struct ra_arena *arena, struct ra_written **ret, size_t *count)
{
    struct plan plan = {
        .report = report,
        .how = how,
        .folder = folder,
        .arena = arena,
    };
    enum ra_status status;

    plan.files.names.arena = plan.names.names.arena = &plan.scratch;
    status = make(&plan);
    ra_taken_free(&plan.files);
    ra_taken_free(&plan.names);
    ra_arena_free(&plan.scratch);
    *ret = plan.list;
    *count = plan.count;
    return status;
}
