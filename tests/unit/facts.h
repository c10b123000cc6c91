/*
 * facts.h - bundles, entries and devices by hand, for tests of what judges them.
 *
 * What a function makes is healthy; a test then changes the one field it is about.
 * Memory comes from facts_arena, which facts_forget() frees.
 */
#ifndef RA_TEST_FACTS_H
#define RA_TEST_FACTS_H

#include "audit/judge.h"

extern struct ra_arena facts_arena;

/** The newest release, as it comes from AMD. */
extern const struct ra_rocm facts_rocm;

void facts_forget(void);

/** A target ID taken apart; ends the test if it is none. */
struct ra_target facts_target(const char *text);

/** An entry labelled `label` with a code object whose e_flags say `elf`. */
struct ra_entry facts_entry(const char *label, const char *elf);

/** As facts_entry(), with code that is what the label says. */
struct ra_entry facts_code(const char *label);

/** A host entry, as clang writes it: empty. */
struct ra_entry facts_host(void);

/** A copy of the entries as a bundle that was read whole. */
struct ra_bundle facts_bundle(const char *container, const struct ra_entry *entries,
                              size_t count);

/** A plain bundle of a host entry and healthy code for the targets named. */
struct ra_bundle facts_for(const char *targets);

/** The code object by itself. */
struct ra_bundle facts_raw(const char *elf);

/** A copy of the bundles as a library that was read whole. */
struct ra_file facts_file(const char *path, const struct ra_bundle *bundles,
                          size_t count);

/** A device of `--gpu`, nothing of it assumed. */
struct ra_device facts_device(const char *target);

/** Give the entry kernels; bit i of `stubs` makes the ith an empty one. */
void facts_kernels(struct ra_entry *entry, const uint32_t *names, size_t count,
                   unsigned stubs);

#endif
