/*
 * records.h - records of packages that are not among what was to be looked at.
 *
 * Somebody who names a library, or one folder of an environment, leaves the records of
 * the packages outside. They are read from where installations keep them: folders above
 * the files, and the database of dpkg.
 */
#ifndef RA_RECORDS_H
#define RA_RECORDS_H

#include "audit/run.h"

/** Records, on the heap; their bytes are in the arena of the run. */
struct ra_records {
    struct ra_site_document *list;
    size_t count, room;
    uint64_t bytes;
};

/**
 * Read the record at `path`. What cannot be read, or is too large, is left out.
 *
 * @param path  of a regular file; is the place of the record, and has to last
 * @return RA_OK or RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_records_add(struct ra_records *records,
                                            struct ra_arena *arena, const char *path);

/**
 * Read the records of Python and conda environments that the files of the run stand in,
 * where they were not scanned with them.
 */
RA_MUST_CHECK enum ra_status ra_records_above(struct ra_run *run, struct ra_records *ret);

/** Read those of dpkg that have a file which no package owns so far. */
RA_MUST_CHECK enum ra_status ra_records_of_system(struct ra_run *run,
                                                  struct ra_records *ret);

void ra_records_free(struct ra_records *records);

/** `path` as one from the root, by its text; in `arena`; NULL: no memory. */
const char *ra_absolute_place(struct ra_arena *arena, const char *path);

/** The other name of a place on systems where /lib is /usr/lib; NULL: no memory. */
const char *ra_other_place(struct ra_arena *arena, const char *place);

/** Whether a place is that of a folder, or below it; `folder` ends with no '/'. */
bool ra_place_is_below(const char *place, const char *folder);

#endif
