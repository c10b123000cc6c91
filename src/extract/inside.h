/*
 * inside.h - a member of an archive, found again by the path that a report gives it.
 */
#ifndef RA_INSIDE_H
#define RA_INSIDE_H

#include "container/member.h"

struct ra_inside; /* on the heap */

/**
 * Open "dist/foo.whl!foo/_C.so", also in an archive in an archive. Nothing but the
 * archive itself is opened on disk.
 *
 * @param workspaces  for members, and for those of archives in archives
 * @return RA_OK, then ra_inside_close() it; RA_E_IO (told) if it is not there any more;
 *         else what reading the archive gives (told)
 */
RA_MUST_CHECK enum ra_status ra_inside_open(const char *path,
                                            struct ra_workspaces *const workspaces[2],
                                            struct ra_diags *diags,
                                            struct ra_inside **ret);
void ra_inside_close(struct ra_inside *inside);

/** Its bytes, valid until the close; see ra_member_source(). */
struct ra_source ra_inside_source(const struct ra_inside *inside);

#endif
