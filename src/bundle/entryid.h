/*
 * entryid.h - entry IDs of a bundle: <kind>-<arch>-<vendor>-<os>[-<env>][-<target ID>].
 *
 * Every compiler since HCC wrote them a little differently, so they are read by what is
 * common to all: the kind is what stands before the first dash, and the target ID is
 * what is left behind "-amdhsa" and, perhaps, a word for the environment. Target IDs
 * hold dashes and may end in one, hence never from the right.
 *
 * In 2026 LLVM came to put the processor into the architecture: amdgpu9.42 is gfx942, and
 * amdgpu9.4 is gfx9-4-generic. Then nothing need be left behind the triple.
 *
 * Spec: clang ClangOffloadBundler.rst, "Bundle Entry ID"; forms seen since 2018. For the
 * architectures, LLVM main of August 2026: lib/TargetParser/Triple.cpp and clang's test
 * Driver/amdgpu-mcpu.cl. That amdgpu9.5 and amdgpu10 are generic targets, too, stands in
 * the former only.
 */
#ifndef RA_ENTRYID_H
#define RA_ENTRYID_H

#include "base/cursor.h"

#define RA_ENTRY_PROCESSOR 24

struct ra_entry_id {
    enum ra_entry_kind kind;
    struct ra_span target; /**< the part behind the triple; empty if it has none */
    char processor[RA_ENTRY_PROCESSOR]; /**< that the architecture names, or "" */
};

/** Take `id` apart; `target` borrows it. */
struct ra_entry_id ra_entry_id_parse(struct ra_span id);

#endif
