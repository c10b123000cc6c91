#include "split.h"

#include "folder.h"

#include "base/base.h"
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/host.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATHS = 8, WRAPPERS = 4096 };

void split_host(struct fx *fx, const char *name, const char *paths, size_t wrappers)
{
    static const uint64_t wrapped[WRAPPERS];
    char *words = strdup(paths), *rest = words;
    const char *list[PATHS];
    struct fx reference = { 0 };
    const struct fx_extra extra = { .name = ".rocm_kpack_ref",
                                    .flags = 2, /* SHF_ALLOC */
                                    .content = &reference };
    size_t count = 0;

    cr_assert_leq(wrappers, WRAPPERS);
    for (char *word; (word = strsep(&rest, " "));) {
        cr_assert_lt(count, PATHS);
        list[count++] = word;
    }
    fx_kpack_ref(&reference, name, list, count);
    fx_host(fx, &(struct fx_host){ .magic = FX_HIPK,
                                   .wrapped = wrapped,
                                   .wrapper_count = wrappers,
                                   .pointer = FX_POINTER_RELATIVE,
                                   .extra = &extra,
                                   .extra_count = 1 });
    fx_free(&reference);
    free(words);
}

/* One word of an archive; its parts are of the word. */
static struct fx_kpak_entry entry_of(char *word, char *key, size_t room, struct fx *code)
{
    char *binary = strsep(&word, "="), *arch = strsep(&word, "=");

    cr_assert_not_null(arch);
    snprintf(key, room, "%s%s", *binary == '#' ? SPLIT_NAME : "", binary);
    *code = fx_code_of(word ? word : arch, "k_add");
    return (struct fx_kpak_entry){ .binary = key, .arch = arch, .content = code };
}

struct fx_kpak_at split_archive(struct fx *fx, const char *entries)
{
    char *words = strdup(entries), *rest = words;
    struct fx_kpak_entry list[FX_KPAK_MOST];
    struct fx code[FX_KPAK_MOST];
    char keys[FX_KPAK_MOST][64];
    struct fx_kpak_at at;
    size_t count = 0;

    for (char *word; (word = strsep(&rest, " ")) && *word; count++) {
        cr_assert_lt(count, FX_KPAK_MOST);
        list[count] = entry_of(word, keys[count], sizeof(keys[0]), &code[count]);
    }
    at = fx_kpak(fx,
                 &(struct fx_kpak){ .entries = list, .count = count, .zstd = count & 1 });
    while (count > 0)
        fx_free(&code[--count]);
    free(words);
    return at;
}

void split_save_host(const char *file, size_t wrappers)
{
    struct fx fx = { 0 };

    split_host(&fx, SPLIT_NAME, SPLIT_PATH, wrappers);
    folder_save(file, &fx);
    fx_free(&fx);
}

void split_save_archive(const char *file, const char *entries)
{
    struct fx fx = { 0 };

    (void)split_archive(&fx, entries);
    folder_save(file, &fx);
    fx_free(&fx);
}
