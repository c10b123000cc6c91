/* oddity.h - files that hold nothing where their names say that there is code. */
#ifndef RA_ODDITY_H
#define RA_ODDITY_H

#include "base/cursor.h"

/** What is odd about a file of that name that starts so; `head` is empty if it is. */
enum ra_oddity ra_oddity_of(const char *path, struct ra_span head);

#endif
