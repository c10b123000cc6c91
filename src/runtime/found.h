/*
 * found.h - which ROCm will load the code: told, found beside it, or assumed.
 *
 * A wheel that brings its own runtime loads that one, so what stands below the audited
 * paths comes first, then an installation. Only names of files are looked at, and one
 * line of .info/version; the more exact clue wins, then the first on the walk.
 */
#ifndef RA_FOUND_H
#define RA_FOUND_H

#include "io/walk.h"
#include "runtime/runtime.h"

/** What the user said; NULL where nothing. */
struct ra_runtime_wish {
    const char *version; /**< "6.2" */
    const char *rocm;    /**< an installation; NULL: /opt/rocm */
    const char *compat;  /**< "upstream", "debian" */
};

/** A file in an archive that tells of a release. */
struct ra_runtime_member {
    const char *path;    /**< raw */
    struct ra_span text; /**< of .info/version, what it says; else of no matter */
};

/** Whether the name of a file tells of a release; .info/version has to be read for it. */
bool ra_runtime_is_clue(const char *path);

/**
 * Settle the release and the build of it.
 *
 * @param walk     the audited files, or NULL
 * @param members  those in archives of which ra_runtime_is_clue(), in their order
 * @param ret      for the report; its strings are static or in the arena
 * @return RA_OK; RA_E_FORMAT if a wish is none that is known; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status
ra_runtime_settle(const struct ra_runtime_wish *wish, const struct ra_walk *walk,
                  const struct ra_runtime_member *members, size_t member_count,
                  struct ra_arena *arena, struct ra_rocm *rocm, struct ra_runtime *ret);

#endif
