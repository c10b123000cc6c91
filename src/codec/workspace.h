/*
 * workspace.h - the memory that expanding takes, shared and bounded.
 *
 * Every expansion works in a workspace. Those in use may hold so many bytes together:
 * whoever would exceed it waits until others are done, so memory stays flat at any
 * number of threads. One that is given back keeps its buffers for the next taker,
 * because fresh pages cost about a quarter of what decoding into them does. A task holds
 * at most one of a kind, takes that of an archive's member before that of a bundle, and
 * waits for no other task while it does.
 */
#ifndef RA_WORKSPACE_H
#define RA_WORKSPACE_H

#include "base/base.h"

/* Just enough for one frame with the window that clang writes, 128 MiB. */
#define RA_WORKSPACE_TOTAL ((size_t)138 << 20)

/* Two members of archives held whole, or one of them and one that is read forward. */
#define RA_MEMBER_TOTAL ((size_t)48 << 20)

/** Bytes needed of each kind. */
struct ra_need {
    size_t blob;   /**< what is kept of the expanded data */
    size_t packed; /**< compressed data held at once */
    size_t window; /**< what the codec looks back at; its context holds it */
};

struct ra_workspace {
    uint8_t *blob, *packed;
    void *zstd; /**< a context of libzstd, see zstd.c */
    struct ra_need room;
    struct ra_workspace *next;
};

struct ra_workspaces;

/** `limit`: bytes that those in use may hold together. NULL if there is no memory. */
struct ra_workspaces *ra_workspaces_new(size_t limit);
void ra_workspaces_free(struct ra_workspaces *all);

/** A workspace with at least the room asked for; waits for it. RA_E_NOMEM. */
RA_MUST_CHECK enum ra_status ra_workspace_take(struct ra_workspaces *all,
                                               struct ra_need need,
                                               struct ra_workspace **ret);
void ra_workspace_give(struct ra_workspaces *all, struct ra_workspace *workspace);

#endif
