#include "audit/excuse.h"

#include "audit/siblings.h"
#include "site/known.h"

/* Rules about what code there is for a GPU; others hold whoever serves it. */
static const char *const coverage[] = { "RA001", "RA002", "RA003",
                                        "RA005", "RA006", "RA401" };

/* That of another GPU in the way. */
#define BLOCKED "RA010"

void ra_excuse(struct ra_verdict *verdict, const char *why)
{
    verdict->severity = RA_NOTE;
    verdict->excused = why;
}

static void excuse_file(const struct ra_file *file, enum ra_verdict_kind above,
                        const char *why)
{
    /* The verdicts are our own, and stand in memory that can be written. */
    struct ra_verdict *verdicts = (struct ra_verdict *)(uintptr_t)file->verdicts;

    for (size_t i = 0; i < file->verdict_count; i++)
        if (verdicts[i].kind > above)
            ra_excuse(&verdicts[i], why);
}

/* No GPU stands in the way of an archive: who loads it is judged for that. */
static void unblock(const struct ra_file *file)
{
    struct ra_verdict *verdicts = (struct ra_verdict *)(uintptr_t)file->verdicts;

    for (size_t i = 0; i < file->verdict_count; i++)
        verdicts[i].block = RA_BLOCK_NONE;
}

static void excuse_archive(const struct ra_file *file)
{
    unblock(file);
    if (file->kpack && file->kpack->used)
        excuse_file(file, RA_UNDECIDED,
                    "the files whose code it holds are judged themselves");
    else if (file->kpack && file->kpack->orphan)
        excuse_file(file, RA_UNDECIDED, "no library here refers to it");
}

/*
 * Code objects of libraries that hold code for few GPUs by design: their callers fall
 * back to another library. Folders are called so.
 */
static bool is_optional(const struct ra_file *file)
{
    static const char *const folders[] = { "/hipblaslt/", "/hipsparselt/",
                                           "/aotriton.images/" };

    for (size_t i = 0; i < RA_COUNT(folders); i++)
        if (strstr(file->raw_path, folders[i]) ||
            strstr(file->name, folders[i] + 1) == file->name)
            return file->kind == RA_KIND_CODE_OBJECT || file->kind == RA_KIND_BUNDLE;
    return false;
}

static void excuse_optional(const struct ra_file *file)
{
    struct ra_verdict *verdicts = (struct ra_verdict *)(uintptr_t)file->verdicts;

    for (size_t i = 0; i < file->verdict_count; i++)
        if (verdicts[i].kind == RA_MISSING)
            ra_excuse(&verdicts[i], "its library holds code for few GPUs by design");
}

static void excuse(const struct ra_run *run, const struct ra_result *result,
                   const struct ra_file *file)
{
    if (!run->machine.gate && is_optional(file))
        excuse_optional(file);
    if (file->kind == RA_KIND_KPACK)
        excuse_archive(file);
    if (result->alternative_to)
        excuse_file(file, result->unloaded ? RA_NONE : RA_UNDECIDED,
                    result->alternative_to);
    else if (ra_site_is_leftover(file->raw_path))
        excuse_file(file, RA_UNDECIDED, "a tool left it when it took a bundle apart");
}

enum ra_status ra_excuse_all(struct ra_run *run, const struct ra_file *files,
                             size_t count)
{
    size_t slot, at = 0;

    for (const struct ra_result *result = ra_result_first(run, &slot);
         result && at < count; result = ra_result_next(run, &slot, result))
        if (ra_scanned_is_worth_telling(&result->scanned))
            excuse(run, result, &files[at++]);
    return ra_siblings_excuse(files, count);
}

static bool is_coverage(const char *rule)
{
    for (size_t i = 0; i < RA_COUNT(coverage); i++)
        if (strcmp(rule, coverage[i]) == 0)
            return true;
    return false;
}

/* That a release cannot read an archive is told of those who need it. */
static bool is_of_archive(const struct ra_file *file, const char *rule)
{
    return file->kind == RA_KIND_KPACK && strcmp(rule, "RA004") == 0;
}

bool ra_is_excused(const struct ra_file *file, const struct ra_finding *finding)
{
    if (file->kind == RA_KIND_KPACK && strcmp(finding->rule, BLOCKED) == 0)
        return true;
    for (size_t i = 0; i < file->verdict_count; i++)
        if (file->verdicts[i].device == finding->device)
            return file->verdicts[i].excused && finding->severity > RA_NOTE &&
                   (is_coverage(finding->rule) || is_of_archive(file, finding->rule));
    return false;
}
