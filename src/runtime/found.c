#include "runtime/found.h"

#include "base/text.h"
#include "io/source.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY     "libamdhip64"
#define INSTALLED   "/opt/rocm"
#define VERSION     ".info/version"
#define LINE        64   /* bytes of .info/version that are looked at */
#define FOLDER_MOST 4096 /* names of a folder */

/* How exact a clue is; the most exact wins. */
enum rank { NO_CLUE, WHEEL, STATED, LIBRARY_NAME };

struct clue {
    enum rank rank;
    unsigned release;
    char version[24];
    const char *path; /* borrowed */
    bool debian;      /* a library where Debian keeps its own */
    unsigned other;   /* another release of the same rank, or 0 */
};

/* ---- clues in names --------------------------------------------------------- */

/* The version at the start of `text`: digits and dots. */
static bool take_version(const char *text, struct clue *ret)
{
    size_t size = strspn(text, "0123456789.");
    struct ra_span span = { (const uint8_t *)text, size, 0 };

    while (span.size > 0 && text[span.size - 1] == '.')
        span.size--;
    if (span.size >= sizeof(ret->version) || !ra_rocm_parse(span, &ret->release))
        return false;
    memcpy(ret->version, text, span.size);
    ret->version[span.size] = '\0';
    return true;
}

/* auditwheel puts eight digits of a digest into the name: libamdhip64-00ca863d.so.7. */
static const char *after_library(const char *base)
{
    size_t size = strlen(LIBRARY);

    if (strncmp(base, LIBRARY, size) != 0)
        return NULL;
    base += size;
    if (*base == '-' && strspn(base + 1, "0123456789abcdef") == 8)
        base += 9;
    return strncmp(base, ".so.", 4) == 0 ? base + 4 : NULL;
}

/* libamdhip64.so.6.2.60204: the first two numbers are those of ROCm. */
static bool is_library(const char *path, struct clue *ret)
{
    const char *base = ra_text_base(path), *version = after_library(base);
    static const char home[] = "-linux-gnu/";
    size_t above = (size_t)(base - path);

    if (!version || !strchr(version, '.') || !take_version(version, ret))
        return false;
    ret->rank = LIBRARY_NAME;
    ret->debian =
        above >= strlen(home) && strncmp(base - strlen(home), home, strlen(home)) == 0;
    return true;
}

/* rocm_sdk_core-7.10.0.dist-info is the runtime; torch-2.9.0+rocm7.0 was built for one.
 */
static bool is_wheel(const char *path, struct clue *ret)
{
    static const char core[] = "rocm_sdk_core-", built[] = "+rocm";
    const char *info = strstr(path, ".dist-info/");
    const char *name = info;
    const char *mark;

    if (!info)
        return false;
    while (name > path && name[-1] != '/')
        name--;
    if (strncmp(name, core, strlen(core)) == 0) {
        ret->rank = STATED;
        return take_version(name + strlen(core), ret);
    }
    mark = strstr(name, built);
    ret->rank = WHEEL;
    return mark && mark < info && take_version(mark + strlen(built), ret);
}

static bool is_version_file(const char *path)
{
    size_t size = strlen(path), tail = strlen(VERSION);

    return size >= tail && strcmp(path + size - tail, VERSION) == 0;
}

/* The line in an installation that states its version. */
static bool take_line(struct ra_span text, struct clue *ret)
{
    char line[LINE + 1] = "";

    if (text.size > 0)
        memcpy(line, text.data, text.size < LINE ? text.size : LINE);
    ret->rank = STATED;
    return take_version(line, ret);
}

static bool is_stated(const char *path, struct clue *ret)
{
    struct ra_arena arena = { 0 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_source source;
    uint8_t window[LINE];
    struct ra_span head;
    bool found;

    if (!is_version_file(path))
        return false;
    found = ra_source_open(path, LINE, &diags, window, &head, &source) == RA_OK;
    if (found)
        ra_source_close(&source);
    ra_arena_free(&arena);
    return found && take_line(head, ret);
}

static bool is_named(const char *path, struct clue *ret)
{
    return is_library(path, ret) || is_wheel(path, ret);
}

/* Keep the better of two clues; of two as good, the first. */
static void weigh(struct clue *best, const struct clue *clue)
{
    if (clue->rank > best->rank)
        *best = *clue;
    else if (clue->rank == best->rank && clue->release != best->release)
        best->other = clue->release;
}

static void consider(struct clue *best, const char *path)
{
    struct clue clue = { .path = path };

    if (is_named(path, &clue) || is_stated(path, &clue))
        weigh(best, &clue);
}

/* A member has no path that could be opened. */
static void consider_member(struct clue *best, const struct ra_runtime_member *member)
{
    struct clue clue = { .path = member->path };

    if (is_named(member->path, &clue) ||
        (is_version_file(member->path) && take_line(member->text, &clue)))
        weigh(best, &clue);
}

bool ra_runtime_is_clue(const char *path)
{
    struct clue clue = { 0 };

    return is_version_file(path) || is_named(path, &clue);
}

static void consider_walk(struct clue *best, const struct ra_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        const struct ra_walk_link *link = walk->files[i]->links;

        consider(best, walk->files[i]->path);
        for (; link; link = link->next)
            consider(best, link->path);
    }
}

/* ---- an installation -------------------------------------------------------- */

static enum ra_status consider_path(struct clue *best, const char *folder,
                                    const char *name, struct ra_arena *arena)
{
    const char *path = ra_text_format(arena, "%s/%s", folder, name);

    if (!path)
        return RA_E_NOMEM;
    consider(best, path);
    return RA_OK;
}

static enum ra_status consider_folder(struct clue *best, const char *folder,
                                      struct ra_arena *arena)
{
    DIR *names = opendir(folder);
    enum ra_status status = RA_OK;
    struct dirent *entry;

    for (size_t i = 0; names && i < FOLDER_MOST && status == RA_OK; i++) {
        entry = readdir(names);
        if (!entry)
            break;
        if (after_library(entry->d_name))
            status = consider_path(best, folder, entry->d_name, arena);
    }
    if (names)
        (void)closedir(names);
    return status;
}

static enum ra_status consider_installed(struct clue *best, const char *root,
                                         struct ra_arena *arena)
{
    const char *lib = ra_text_format(arena, "%s/lib", root);
    enum ra_status status = consider_path(best, root, VERSION, arena);

    if (!lib)
        return RA_E_NOMEM;
    return status == RA_OK ? consider_folder(best, lib, arena) : status;
}

/* ---- all of it -------------------------------------------------------------- */

/* "libamdhip64.so.7.0.70000 in torch/lib", or the path as it is. */
static const char *say_clue(const struct clue *clue, struct ra_arena *arena)
{
    const char *path = ra_text_shown(arena, clue->path);
    char other[RA_ROCM_TEXT];

    if (!path || clue->other == 0)
        return path;
    ra_rocm_spell(clue->other, other);
    return ra_text_format(arena, "%s (but ROCm %s is there too)", path, other);
}

static enum ra_status take_wish(const struct ra_runtime_wish *wish,
                                struct ra_arena *arena, struct ra_rocm *rocm,
                                struct ra_runtime *ret)
{
    struct ra_span text = { (const uint8_t *)wish->version, strlen(wish->version), 0 };

    if (!ra_rocm_parse(text, &rocm->release))
        return RA_E_FORMAT;
    ret->version = ra_text_shown(arena, wish->version);
    ret->source = "--runtime";
    return ret->version ? RA_OK : RA_E_NOMEM;
}

static enum ra_status take_clue(const struct clue *clue, struct ra_arena *arena,
                                struct ra_rocm *rocm, struct ra_runtime *ret)
{
    rocm->release = clue->release;
    ret->version = ra_arena_text(arena, clue->version, strlen(clue->version));
    ret->source = say_clue(clue, arena);
    return ret->version && ret->source ? RA_OK : RA_E_NOMEM;
}

/* Nothing names a release, which is odd of an installation that was named. */
static enum ra_status assume(const char *rocm, struct ra_arena *arena,
                             struct ra_runtime *ret)
{
    const char *folder = rocm ? ra_text_shown(arena, rocm) : "";

    ret->assumed = true;
    if (rocm && folder)
        ret->source =
            ra_text_format(arena, "assumed: nothing in %s names a release", folder);
    return folder && ret->source ? RA_OK : RA_E_NOMEM;
}

static enum ra_status find(const struct ra_runtime_wish *wish, const struct ra_walk *walk,
                           const struct ra_runtime_member *members, size_t member_count,
                           struct ra_arena *arena, struct clue *ret)
{
    if (walk)
        consider_walk(ret, walk);
    for (size_t i = 0; i < member_count; i++)
        consider_member(ret, &members[i]);
    if (ret->rank != NO_CLUE && !wish->rocm)
        return RA_OK;
    if (wish->rocm)
        *ret = (struct clue){ 0 };
    return consider_installed(ret, wish->rocm ? wish->rocm : INSTALLED, arena);
}

static enum ra_status settle_compat(const char *wish, const struct clue *clue,
                                    struct ra_rocm *rocm, struct ra_runtime *ret)
{
    ret->compat_source = "default";
    if (wish && !ra_compat_parse(wish, &rocm->compat))
        return RA_E_FORMAT;
    if (wish) {
        ret->compat_source = "--compat";
    } else if (clue->debian) {
        rocm->compat = RA_DEBIAN;
        ret->compat_source = "the libamdhip64 is Debian's";
    }
    ret->compat = ra_compat_name(rocm->compat);
    return RA_OK;
}

enum ra_status ra_runtime_settle(const struct ra_runtime_wish *wish,
                                 const struct ra_walk *walk,
                                 const struct ra_runtime_member *members,
                                 size_t member_count, struct ra_arena *arena,
                                 struct ra_rocm *rocm, struct ra_runtime *ret)
{
    struct clue clue = { 0 };
    enum ra_status status = find(wish, walk, members, member_count, arena, &clue);

    *rocm = (struct ra_rocm){ RA_ROCM_NEWEST, RA_UPSTREAM };
    *ret = (struct ra_runtime){ .version = "", .source = "assumed" };
    if (status != RA_OK)
        return status;
    if (wish->version)
        status = take_wish(wish, arena, rocm, ret);
    else if (clue.rank != NO_CLUE)
        status = take_clue(&clue, arena, rocm, ret);
    else
        status = assume(wish->rocm, arena, ret);
    return status == RA_OK ? settle_compat(wish->compat, &clue, rocm, ret) : status;
}
