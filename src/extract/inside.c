#include "extract/inside.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LEVELS 2

/* An archive that is open, and the member of it that leads on or is wanted. */
struct level {
    struct ra_archive *archive;
    struct ra_member *member;
    struct ra_source source; /* of the archive */
};

struct ra_inside {
    struct level levels[LEVELS];
    size_t depth; /* levels in use */
    struct ra_workspaces *const *workspaces;
    struct ra_diags *diags;
    bool is_open;
};

static bool starts(struct ra_span name, const char *text)
{
    return name.size > strlen(text) && memcmp(name.data, text, strlen(text)) == 0;
}

/* Of a .deb or .conda the archives that are its content are not in the path. */
static bool may_be_part(struct ra_span name)
{
    return starts(name, "data.tar") || starts(name, "control.tar") ||
           starts(name, "pkg-") || starts(name, "info-");
}

/* What is wanted of a member that leads on to it; NULL: it does not. */
static const char *leads_to(struct ra_span name, const char *wanted)
{
    if (strncmp(wanted, (const char *)name.data, name.size) == 0 &&
        wanted[name.size] == '!')
        return wanted + name.size + 1;
    return may_be_part(name) ? wanted : NULL;
}

static bool is_wanted(struct ra_span name, const char *wanted)
{
    return strlen(wanted) == name.size && memcmp(wanted, name.data, name.size) == 0;
}

static void leave(struct ra_inside *inside)
{
    struct level *level = &inside->levels[--inside->depth];

    if (level->member)
        ra_member_close(level->member);
    ra_archive_close(level->archive);
    *level = (struct level){ 0 };
}

static enum ra_status search(struct ra_inside *inside, const struct ra_source *source,
                             const char *wanted, bool *found);

/* Open the current member; look further in it, if it only leads on. */
static enum ra_status enter(struct ra_inside *inside, struct level *level,
                            const struct ra_archive_member *member, const char *further,
                            bool *found)
{
    struct ra_source source;
    enum ra_status status =
        ra_member_open(level->archive, member, inside->workspaces[inside->depth - 1],
                       inside->diags, &level->member);

    if (status != RA_OK || !further) {
        *found = status == RA_OK;
        return status;
    }
    source = ra_member_source(level->member);
    status = search(inside, &source, further, found);
    if (*found)
        return status;
    ra_member_close(level->member);
    level->member = NULL;
    return status;
}

static enum ra_status take(struct ra_inside *inside, struct level *level,
                           const struct ra_archive_member *member, const char *wanted,
                           bool *found)
{
    const char *further = leads_to(member->name, wanted);

    if (!member->is_file)
        return RA_OK;
    if (is_wanted(member->name, wanted))
        return enter(inside, level, member, NULL, found);
    if (further && inside->depth < LEVELS)
        return enter(inside, level, member, further, found);
    return RA_OK;
}

/* One level at a time, LEVELS deep at most. */
static enum ra_status search(struct ra_inside *inside, const struct ra_source *source,
                             const char *wanted, bool *found)
{
    struct level *level = &inside->levels[inside->depth];
    enum ra_status status;
    bool more = true;

    *found = false;
    level->source = *source;
    status = ra_archive_open(&level->source, inside->diags, &level->archive);
    if (status != RA_OK)
        return ra_is_damage(status) ? RA_OK : status;
    inside->depth++;
    while (status == RA_OK && more && !*found) {
        struct ra_archive_member member;

        status = ra_archive_next(level->archive, &member, &more);
        if (status == RA_OK && more)
            status = take(inside, level, &member, wanted, found);
    }
    if (!*found)
        leave(inside);
    return status;
}

/* Where the path of the archive itself ends: at the first '!' behind a file. */
static size_t archive_size(const char *path)
{
    char *copy = strdup(path);
    size_t size = 0;

    for (char *at = copy; copy && (at = strchr(at, '!')); at++) {
        struct stat info;

        *at = '\0';
        if (stat(copy, &info) == 0 && S_ISREG(info.st_mode)) {
            size = (size_t)(at - copy);
            break;
        }
        *at = '!';
    }
    free(copy);
    return size;
}

static enum ra_status open_file(const char *path, size_t size, struct ra_diags *diags,
                                struct ra_source *ret)
{
    char *name = strndup(path, size);
    struct ra_stamp stamp;
    struct ra_span head;
    uint8_t byte;
    enum ra_status status = RA_E_NOMEM;

    if (name)
        status = ra_source_open(name, sizeof(byte), diags, &byte, &head, ret);
    free(name);
    if (status != RA_OK)
        return status;
    status = ra_source_measure(ret, diags, &stamp);
    if (status != RA_OK)
        ra_source_close(ret);
    return status;
}

enum ra_status ra_inside_open(const char *path, struct ra_workspaces *const workspaces[2],
                              struct ra_diags *diags, struct ra_inside **ret)
{
    struct ra_inside *inside = calloc(1, sizeof(*inside));
    size_t size = archive_size(path);
    struct ra_source file;
    bool found = false;
    enum ra_status status = RA_E_NOMEM;

    if (inside) {
        inside->workspaces = workspaces;
        inside->diags = diags;
        status = open_file(path, size, diags, &file);
        inside->is_open = status == RA_OK;
    }
    if (status == RA_OK)
        status = search(inside, &file, path + size + 1, &found);
    if (status == RA_OK && !found)
        status = ra_fault(diags, RA_E_IO, RA_DIAG_CHANGED, ra_at(0),
                          "the member is not there any more");
    if (status == RA_OK) {
        *ret = inside;
        return status;
    }
    if (inside && inside->is_open && inside->depth == 0)
        ra_source_close(&file);
    if (inside && inside->depth > 0)
        ra_inside_close(inside);
    else
        free(inside);
    return status;
}

void ra_inside_close(struct ra_inside *inside)
{
    struct ra_source file = inside->levels[0].source;

    while (inside->depth > 0)
        leave(inside);
    ra_source_close(&file);
    free(inside);
}

struct ra_source ra_inside_source(const struct ra_inside *inside)
{
    return ra_member_source(inside->levels[inside->depth - 1].member);
}
