/*
 * mkgrowth WHAT COUNT PATH - so many of something, to see what each more costs.
 *
 * WHAT is bundles (a library with so many), kernels (a code object with so many), files
 * (a folder with so many libraries) or members (the same as a wheel). Each bundle is for
 * two targets and has a kernel of its own.
 */
#include "gen/archive.h"
#include "gen/bundle.h"
#include "gen/code.h"
#include "gen/files.h"
#include "gen/host.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME = 64, TARGETS = 2, PAGE = 4096 };

static const char *const targets[TARGETS + 1] = { "gfx90a", "gfx1030", NULL };

static void *array(size_t count, size_t size)
{
    void *all = calloc(count, size);

    if (all)
        return all;
    perror("mkgrowth");
    exit(EXIT_FAILURE);
}

static void save(const char *folder, const char *name, struct fx *fx)
{
    if (!fx_save(folder, name, fx)) {
        perror(name);
        exit(EXIT_FAILURE);
    }
    fx_free(fx);
}

static void make_bundles(size_t count, const char *path)
{
    uint64_t *starts = array(count, sizeof(*starts));
    struct fx fatbin = { 0 }, library = { 0 };

    for (size_t i = 0; i < count; i++) {
        char name[NAME];

        (void)snprintf(name, sizeof(name), "k_unit_%zu", i);
        fx_align(&fatbin, PAGE);
        starts[i] = fatbin.size;
        fx_hip_bundle(&fatbin, name, targets);
    }
    fx_host(&library, &(struct fx_host){ .fatbin = &fatbin,
                                         .wrapped = starts,
                                         .wrapper_count = count,
                                         .pointer = FX_POINTER_RELATIVE });
    save(".", path, &library);
    fx_free(&fatbin);
    free(starts);
}

static void make_kernels(size_t count, const char *path)
{
    struct fx_kernel *kernels = array(count, sizeof(*kernels));
    char (*names)[NAME] = array(count, NAME);
    struct fx code = { 0 };

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(names[i], NAME, "k_kernel_%zu", i);
        kernels[i] = (struct fx_kernel){ .name = names[i], .vgprs = 8, .sgprs = 16 };
    }
    fx_code(&code, &(struct fx_code){ .kernels = kernels, .kernel_count = count });
    save(".", path, &code);
    free(names);
    free(kernels);
}

/* Number `i` of many, which are all alike but for a name. */
static void make_library(struct fx *fx, size_t i)
{
    struct fx fatbin = { 0 };
    char name[NAME];

    (void)snprintf(name, sizeof(name), "k_file_%zu", i);
    fx_hip_bundle(&fatbin, name, targets);
    fx_library(fx, &fatbin);
    fx_free(&fatbin);
}

static void name_library(char name[NAME], size_t i)
{
    (void)snprintf(name, NAME, "part%zu/lib%zu.so", i / 100, i);
}

static void make_files(size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        struct fx library = { 0 };
        char name[NAME];

        make_library(&library, i);
        name_library(name, i);
        save(path, name, &library);
    }
}

static void make_members(size_t count, const char *path)
{
    struct fx_member *members = array(count, sizeof(*members));
    struct fx *libraries = array(count, sizeof(*libraries));
    char (*names)[NAME] = array(count, NAME);
    struct fx wheel = { 0 };

    for (size_t i = 0; i < count; i++) {
        make_library(&libraries[i], i);
        name_library(names[i], i);
        members[i] = (struct fx_member){ .name = names[i],
                                         .content = &libraries[i],
                                         .deflated = true };
    }
    fx_zip(&wheel, &(struct fx_zip){ .members = members, .count = count });
    save(".", path, &wheel);
    for (size_t i = 0; i < count; i++)
        fx_free(&libraries[i]);
    free(names);
    free(libraries);
    free(members);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(size_t count, const char *path);
    } kinds[] = { { "bundles", make_bundles },
                  { "kernels", make_kernels },
                  { "files", make_files },
                  { "members", make_members } };
    size_t count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;

    for (size_t i = 0; count > 0 && i < RA_COUNT(kinds); i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        kinds[i].make(count, argv[3]);
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: mkgrowth bundles|kernels|files|members COUNT PATH\n");
    return EXIT_FAILURE;
}
