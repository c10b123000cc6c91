#include "io/walk.h"

#include "base/array.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEPTH_LIMIT 1000 /* folders in folders; PATH_MAX ends most walks before */
#define SET_FIRST   1024 /* slots, a power of two */

/*
 * Files by inode number. Numbers from a directory listing are cheap, but on stacked
 * file systems they need not be unique: equal numbers are a reason to ask stat(), and
 * only its word makes two paths one file.
 */
struct set {
    struct slot {
        uint64_t inode;
        struct ra_walk_file *file;
    } *slots;
    size_t count, room;
};

struct found {
    const char *name;
    uint64_t inode;
    unsigned char type;
};

/* One folder's entries, or the links met anywhere. */
struct list {
    struct found *items;
    size_t count, room;
};

struct state {
    struct ra_walk *walk;
    struct set set;
    struct list links;
};

static bool same_file(const char *left, const char *right)
{
    struct stat a, b;

    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static size_t slot_of(const struct set *set, uint64_t inode)
{
    return (size_t)((inode * 0x9e3779b97f4a7c15u) >> 20) & (set->room - 1);
}

static void put(struct set *set, struct slot slot)
{
    size_t at = slot_of(set, slot.inode);

    while (set->slots[at].file)
        at = (at + 1) & (set->room - 1);
    set->slots[at] = slot;
    set->count++;
}

static bool set_add(struct set *set, uint64_t inode, struct ra_walk_file *file)
{
    if (set->count * 2 >= set->room) {
        struct set larger = { .room = set->room ? set->room * 2 : SET_FIRST };

        larger.slots = calloc(larger.room, sizeof(*larger.slots));
        if (!larger.slots)
            return false;
        for (size_t i = 0; i < set->room; i++)
            if (set->slots[i].file)
                put(&larger, set->slots[i]);
        free(set->slots);
        *set = larger;
    }
    put(set, (struct slot){ inode, file });
    return true;
}

static struct ra_walk_file *set_find(const struct set *set, uint64_t inode,
                                     const char *path)
{
    if (set->room == 0)
        return NULL;
    for (size_t at = slot_of(set, inode); set->slots[at].file;
         at = (at + 1) & (set->room - 1))
        if (set->slots[at].inode == inode && same_file(set->slots[at].file->path, path))
            return set->slots[at].file;
    return NULL;
}

static enum ra_status list_add(struct list *list, struct found item)
{
    if (list->count == list->room) {
        struct found *items = ra_array_grow(list->items, &list->room, sizeof(*items));

        if (!items)
            return RA_E_NOMEM;
        list->items = items;
    }
    list->items[list->count++] = item;
    return RA_OK;
}

static int by_name(const void *left, const void *right)
{
    const struct found *a = left, *b = right;

    return strcmp(a->name, b->name);
}

static struct ra_walk_file *add_file(struct ra_walk *walk, const char *path)
{
    struct ra_walk_file *file;

    if (walk->count == walk->room) {
        struct ra_walk_file **files =
            ra_array_grow(walk->files, &walk->room, sizeof(*files));

        if (!files)
            return NULL;
        walk->files = files;
    }
    file = ra_new(&walk->arena, struct ra_walk_file, 1);
    if (!file)
        return NULL;
    file->path = path;
    walk->files[walk->count++] = file;
    return file;
}

static enum ra_status add_trouble(struct ra_walk *walk, const char *path, bool named,
                                  const char *trouble)
{
    struct ra_walk_file *file = add_file(walk, path);

    if (!file)
        return RA_E_NOMEM;
    file->named = named;
    file->trouble = ra_text_format(&walk->arena, "%s", trouble);
    return file->trouble ? RA_OK : RA_E_NOMEM;
}

/* What the system said of `path`. Want of memory is ours, and no trouble of the path. */
static enum ra_status add_error(struct ra_walk *walk, const char *path, bool named,
                                int error)
{
    return error == ENOMEM ? RA_E_NOMEM : add_trouble(walk, path, named, strerror(error));
}

/* A regular file at `path`: a new one, or a further path of one that is known. */
static enum ra_status add_path(struct state *state, const char *path, uint64_t inode,
                               bool named)
{
    struct ra_walk_file *file = set_find(&state->set, inode, path);
    struct ra_walk_link *link, **end;

    if (!file) {
        file = add_file(state->walk, path);
        if (!file || !set_add(&state->set, inode, file))
            return RA_E_NOMEM;
        file->named = named;
        return RA_OK;
    }
    file->named = file->named || named;
    for (end = &file->links; *end; end = &(*end)->next)
        if (strcmp((*end)->path, path) == 0)
            return RA_OK;
    if (strcmp(file->path, path) == 0)
        return RA_OK;
    link = ra_new(&state->walk->arena, struct ra_walk_link, 1);
    if (!link)
        return RA_E_NOMEM;
    link->path = path;
    *end = link;
    file->link_count++;
    return RA_OK;
}

/* By hand: it is done for every file there is. */
static const char *join(struct ra_arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder), size = strlen(name);
    bool slash = length > 0 && folder[length - 1] != '/';
    char *path = ra_new(arena, char, length + slash + size + 1);

    if (!path)
        return NULL;
    memcpy(path, folder, length);
    if (slash)
        path[length] = '/';
    memcpy(path + length + slash, name, size + 1);
    return path;
}

static unsigned char type_of(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 ? (unsigned char)IFTODT(info.st_mode) : DT_UNKNOWN;
}

static enum ra_status read_folder(struct state *state, DIR *folder, const char *path,
                                  struct list *list)
{
    enum ra_status status = RA_OK;
    struct dirent *entry;

    while (status == RA_OK && (errno = 0, entry = readdir(folder))) {
        struct found item = { .inode = entry->d_ino, .type = entry->d_type };

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        item.name = join(&state->walk->arena, path, entry->d_name);
        if (!item.name)
            return RA_E_NOMEM;
        if (item.type == DT_UNKNOWN)
            item.type = type_of(item.name);
        status = list_add(list, item);
    }
    if (status == RA_OK && errno)
        status = add_error(state->walk, path, false, errno);
    return status;
}

static bool is_git(const char *path)
{
    return strcmp(ra_text_base(path), ".git") == 0;
}

static enum ra_status walk_folder(struct state *state, const char *path, bool named,
                                  unsigned depth);

static enum ra_status walk_item(struct state *state, const struct found *item,
                                unsigned depth)
{
    switch (item->type) {
    case DT_REG:
        return add_path(state, item->name, item->inode, false);
    case DT_LNK:
        return list_add(&state->links, *item);
    case DT_DIR:
        return is_git(item->name) ? RA_OK
                                  : walk_folder(state, item->name, false, depth + 1);
    default:
        return RA_OK; /* pipes, sockets and devices hold no code */
    }
}

static enum ra_status walk_folder(struct state *state, const char *path, bool named,
                                  unsigned depth)
{
    struct list list = { 0 };
    enum ra_status status;
    DIR *folder;

    if (depth >= DEPTH_LIMIT)
        return add_trouble(state->walk, path, named, "too many folders in folders");
    folder = opendir(path);
    if (!folder)
        return add_error(state->walk, path, named, errno);
    status = read_folder(state, folder, path, &list);
    closedir(folder);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(list.items[0]), by_name);
    for (size_t i = 0; status == RA_OK && i < list.count; i++)
        status = walk_item(state, &list.items[i], depth);
    free(list.items);
    return status;
}

/* A link that leads nowhere holds nothing; one that may not be followed could. */
static enum ra_status add_link(struct state *state, const char *path)
{
    struct stat info;

    if (stat(path, &info) == 0)
        return S_ISREG(info.st_mode) ? add_path(state, path, info.st_ino, false) : RA_OK;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return RA_OK;
    return add_error(state->walk, path, false, errno);
}

/* Last, so that a file is known by its own name and not by a link that sorts before. */
static enum ra_status add_links(struct state *state)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < state->links.count; i++)
        status = add_link(state, state->links.items[i].name);
    state->links.count = 0;
    return status;
}

/* The order of a walk by names: as if '/' sorted before every other character. */
static int by_path(const void *left, const void *right)
{
    const struct ra_walk_file *const *first = left, *const *second = right;
    const unsigned char *a = (const unsigned char *)(*first)->path;
    const unsigned char *b = (const unsigned char *)(*second)->path;

    while (*a && *a == *b) {
        a++;
        b++;
    }
    if (*a == '/' || *b == '/')
        return (*a != '/' && *a) - (*b != '/' && *b);
    return (*a > *b) - (*a < *b);
}

/* Walking is in order already, but for files that only links led to. */
static void sort_files(struct ra_walk_file **files, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_path(&files[i - 1], &files[i]) > 0) {
            qsort(files, count, sizeof(files[0]), by_path);
            return;
        }
}

static enum ra_status walk_root(struct state *state, const char *root)
{
    struct ra_walk *walk = state->walk;
    const char *path = ra_text_format(&walk->arena, "%s", root);
    size_t start = walk->count;
    struct stat info;
    enum ra_status status;

    if (!path)
        return RA_E_NOMEM;
    if (stat(path, &info) != 0)
        return add_error(walk, path, true, errno);
    if (!S_ISDIR(info.st_mode))
        return add_path(state, path, info.st_ino, true);
    status = walk_folder(state, path, true, 0);
    if (status == RA_OK)
        status = add_links(state);
    if (walk->count > start + 1)
        sort_files(walk->files + start, walk->count - start);
    return status;
}

/* With several folders named, only whole paths tell them apart. */
static void name_files(struct ra_walk *walk, const char *const *paths, size_t count)
{
    size_t root = count == 1 ? strlen(paths[0]) : 0;

    for (size_t i = 0; i < walk->count; i++) {
        struct ra_walk_file *file = walk->files[i];

        file->name = file->path;
        if (root == 0 || strlen(file->path) <= root)
            continue;
        file->name += root;
        while (*file->name == '/')
            file->name++;
    }
}

enum ra_status ra_walk(const char *const *paths, size_t count, struct ra_walk *ret)
{
    struct state state = { .walk = ret };
    enum ra_status status = RA_OK;

    *ret = (struct ra_walk){ 0 };
    for (size_t i = 0; status == RA_OK && i < count; i++)
        status = walk_root(&state, paths[i]);
    if (status == RA_OK)
        name_files(ret, paths, count);
    free(state.set.slots);
    free(state.links.items);
    return status;
}

void ra_walk_free(struct ra_walk *walk)
{
    free(walk->files);
    ra_arena_free(&walk->arena);
    *walk = (struct ra_walk){ 0 };
}
