/*
 * entryid.h - entry IDs of a bundle: <kind>-<arch>-<vendor>-<os>[-<env>][-<target ID>].
 *
 * Every compiler since HCC wrote them a little differently, so they are read by what is
 * common to all: the kind is what stands before the first dash, and the target ID is
 * what is left behind "-amdhsa" and, perhaps, a word for the environment. Target IDs
 * hold dashes and may end in one, hence never from the right.
 *
 * Spec: clang ClangOffloadBundler.rst, "Bundle Entry ID"; forms seen since 2018.
 */
#ifndef RA_ENTRYID_H
#define RA_ENTRYID_H

#include "base/cursor.h"

struct ra_entry_id {
    enum ra_entry_kind kind;
    struct ra_span target; /**< the part behind the triple; empty if it has none */
};

/** Take `id` apart; `target` borrows it. */
struct ra_entry_id ra_entry_id_parse(struct ra_span id);

#endif
