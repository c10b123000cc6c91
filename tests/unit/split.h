/*
 * split.h - libraries whose device code is in .kpack archives, and such archives.
 *
 * They are put into the folder of folder.h. Words of a text are separated by blanks.
 */
#ifndef RA_TEST_SPLIT_H
#define RA_TEST_SPLIT_H

#include "gen/kpak.h"

#define SPLIT_NAME "lib/libfoo.so"
#define SPLIT_PATH "../.kpack/foo_lib_@GFXARCH@.kpack"

/** A library of `wrappers` that calls itself `name` in archives, which are at `paths`. */
void split_host(struct fx *fx, const char *name, const char *paths, size_t wrappers);

/**
 * An archive with an entry a word, KEY=TARGET: the code is for the target, or for another
 * in KEY=TARGET=OTHER. KEY is "#1" or "lib/libbar.so#1": without a name, SPLIT_NAME.
 * Entries of a key stand next to each other. Each code object has a kernel k_add.
 */
struct fx_kpak_at split_archive(struct fx *fx, const char *entries);

/** The same in a file. The library is the usual one, of SPLIT_NAME and SPLIT_PATH. */
void split_save_host(const char *file, size_t wrappers);
void split_save_archive(const char *file, const char *entries);

#endif
