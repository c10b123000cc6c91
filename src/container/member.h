/*
 * member.h - a member of an archive as a source.
 *
 * One whose bytes stand in the archive as they are is a part of it. What is compressed
 * is decoded whole into memory up to RA_MEMBER_WHOLE; such sources go to and fro at no
 * cost and serve several threads. Larger ones are forward (io/source.h): reading behind
 * the position goes through another handle from the start of the archive, or of the
 * member if they can be skipped, which is counted and limited. Of them stay in memory
 * RA_MEMBER_ENDS at both ends, once passed (an ELF file has its tables there), and the
 * part that was held last.
 */
#ifndef RA_MEMBER_H
#define RA_MEMBER_H

#include "codec/expanded.h"
#include "container/archive.h"

#define RA_MEMBER_WHOLE ((uint64_t)24 << 20)
#define RA_MEMBER_ENDS  ((size_t)4 << 20)

struct ra_member;

/**
 * Open the current member of `archive`, which has to stay at it until the close.
 *
 * @param workspaces  of RA_MEMBER_TOTAL bytes, not those of bundles
 * @param diags       told of damage, also of that which is met later
 * @return RA_OK, then ra_member_close() it; else as for ra_archive_read()
 */
RA_MUST_CHECK enum ra_status ra_member_open(struct ra_archive *archive,
                                            const struct ra_archive_member *member,
                                            struct ra_workspaces *workspaces,
                                            struct ra_diags *diags,
                                            struct ra_member **ret);
void ra_member_close(struct ra_member *member);

/** Its bytes, valid until the close; offsets count from its first byte. */
struct ra_source ra_member_source(const struct ra_member *member);

/**
 * Decode what was not decoded yet, to learn whether it is what was put in.
 *
 * @return RA_OK; RA_E_FORMAT if sum or size are others than announced (told)
 */
RA_MUST_CHECK enum ra_status ra_member_finish(struct ra_member *member);

#endif
