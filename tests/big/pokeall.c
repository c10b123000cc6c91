/*
 * pokeall [FILE...] - every byte of every fixture, and of the files, with many values.
 *
 * Prints an `ok` or `not ok` line for each. As many processes share the work as there
 * are processors.
 */
#include "../unit/poke.h"
#include "gen/files.h"
#include "gen/recipes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

/* Files of the kit that one byte does mend: it is flipped back; or what the metadata
 * claim is no longer read, and e_flags alone decide, as in objects that claim nothing. */
static bool is_mended(const char *name, const struct poke_result *result)
{
    const char *gpu = result->hits[0].gpu;

    if (strncmp(name, "flipped_", 8) == 0)
        return result->hit_count <= 3;
    return strcmp(name, "relabel.co") == 0 && strcmp(gpu, "gfx1030") == 0;
}

static void poke(const char *name, const struct fx *fx, enum poke_how how)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    struct poke_result result;

    if (fx->size > LARGEST)
        return;
    if (!poke_file(fx, how, &result))
        printf("not ok %s: no memory\n", name);
    else if (!poke_is_excepted(base, &result) && !is_mended(base, &result))
        printf("not ok %s: %zu times, first fits %s once byte %zu is 0x%02x\n", name,
               result.hit_count, result.hits[0].gpu, result.hits[0].at,
               result.hits[0].is);
    else
        printf("ok %s: %zu GPUs, %lu pokes\n", name, result.gpus,
               (unsigned long)result.pokes);
    fflush(stdout);
}

/* The one that expands to 4 GiB would take days; odd names are of no interest here. */
static void poke_fixture(const struct fx_recipe *recipe)
{
    struct fx fx = { 0 };

    if (strchr(recipe->name, '/') || strstr(recipe->name, "wrapped"))
        return;
    recipe->build(&fx);
    poke(recipe->name, &fx, POKE_ALL);
    fx_free(&fx);
}

static void poke_named(const char *path)
{
    struct fx fx = { 0 };

    if (fx_load(".", path, &fx))
        poke(path, &fx, POKE_MOST);
    else
        printf("not ok %s: cannot be read\n", path);
    fx_free(&fx);
}

static void share(size_t number, size_t shares, char **files)
{
    size_t count;
    const struct fx_recipe *recipes = fx_recipes(&count);

    for (size_t i = number; i < count; i += shares)
        poke_fixture(&recipes[i]);
    for (size_t i = 0; files[i]; i++)
        if (i % shares == number)
            poke_named(files[i]);
}

int main(int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t shares = processors > 0 ? (size_t)processors : 1;
    int status, bad = 0;

    (void)argc;
    for (size_t i = 0; i < shares; i++) {
        pid_t child = fork();

        if (child < 0)
            return EXIT_FAILURE;
        if (child == 0) {
            share(i, shares, argv + 1);
            _exit(EXIT_SUCCESS);
        }
    }
    for (size_t i = 0; i < shares; i++)
        bad |= wait(&status) < 0 || status != 0;
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
