/*
 * folder.h - a folder that takes files, each of them whole or not at all.
 *
 * A file is written under a name of its own and gets the right one when it is complete.
 * It never replaces one that is there, and no link is ever followed. The first failure
 * of the folder as a whole (no room, no right to write) ends it for all that follow.
 */
#ifndef RA_FOLDER_H
#define RA_FOLDER_H

#include "base/base.h"

/** May be shared by threads. */
struct ra_folder {
    int fd;
    _Atomic unsigned serial; /**< of the next file */
    _Atomic int trouble;     /**< errno of the first failure, or 0 */
};

/** A file on its way. */
struct ra_part {
    unsigned serial;
    int fd;    /**< while it is written, else -1 */
    bool made; /**< there is something to commit or discard */
};

/** Open `path`, made if its parent is there; ra_folder_close() it in any case. */
void ra_folder_open(const char *path, struct ra_folder *ret);
void ra_folder_close(struct ra_folder *folder);

/** Why it takes no more files; static storage; NULL if it does. */
const char *ra_folder_trouble(const struct ra_folder *folder);

/** Each is false if the folder is in trouble; ra_folder_discard() the part then. */
RA_MUST_CHECK bool ra_folder_begin(struct ra_folder *folder, struct ra_part *ret);
RA_MUST_CHECK bool ra_folder_add(struct ra_folder *folder, struct ra_part *part,
                                 const uint8_t *bytes, size_t size);
RA_MUST_CHECK bool ra_folder_end(struct ra_folder *folder, struct ra_part *part);

/**
 * Give a part that was ended its name.
 *
 * @param reason  why it failed; static storage
 * @return RA_WRITTEN; RA_UNCHANGED if a file with the same bytes was there; RA_FAILED
 */
enum ra_outcome ra_folder_commit(struct ra_folder *folder, struct ra_part *part,
                                 const char *name, const char **reason);

/** Leave nothing of it; one that was never begun is fine. */
void ra_folder_discard(struct ra_folder *folder, struct ra_part *part);

#endif
