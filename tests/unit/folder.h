/*
 * folder.h - a folder of files, and what an audit of it reports.
 *
 * Test(..., .init = folder_make, .fini = folder_remove) gives a test a folder of its
 * own. Reports and texts live until folder_remove().
 */
#ifndef FOLDER_H
#define FOLDER_H

#include "gen/bytes.h"

extern char folder_path[64];

void folder_make(void);
void folder_remove(void);

/** The whole path of `name`; good for a few calls more. */
const char *folder_name(const char *name);

/** Put a file into the folder, or below it: bytes, the fixture of a recipe, or text. */
void folder_save(const char *name, const struct fx *fx);
void folder_fixture(const char *name, const char *fixture);
void folder_write(const char *name, const char *text);

/** Words are separated by blanks. */
struct folder_ask {
    const char *gpus;          /**< NULL: none named */
    const char *paths;         /**< below the folder; NULL: all of it */
    bool list;                 /**< ra_list() instead of ra_audit() */
    bool check;                /**< ra_check(), and the `gpus` are required */
    struct ra_options options; /**< all else that is to be set */
};

const struct ra_report *folder_ask(const struct folder_ask *ask);

/** The exit status of an audit. */
int folder_exit(const char *gpus, const char *paths);

/** The report in one of its formats. */
const char *folder_text(const struct ra_report *report, const char *format);

/** The file called `name`, which has to be in the report. */
const struct ra_file *folder_file(const struct ra_report *report, const char *name);

/** How many findings `rule` has, and the severity of the last one. */
size_t folder_findings(const struct ra_report *report, const char *rule,
                       enum ra_severity *severity);

#endif
