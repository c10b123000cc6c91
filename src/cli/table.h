/* table.h - the verbs and options there are. */
#ifndef RA_CLI_TABLE_H
#define RA_CLI_TABLE_H

#include "cli/options.h"

enum option_kind {
    OPTION_FLAG,        /**< bool */
    OPTION_TEXT,        /**< const char * */
    OPTION_FORMAT,      /**< const char *, one of ra_report_formats() */
    OPTION_LIST,        /**< struct list */
    OPTION_OUTPUT,      /**< struct list of FORMAT=FILE */
    OPTION_COUNT,       /**< unsigned */
    OPTION_TARGETS,     /**< struct list, of a list in one argument */
    OPTION_ENVIRONMENT, /**< the same, in the variable that the argument names */
    OPTION_CHOICE,      /**< unsigned, an index into `choices` */
};

struct option {
    const char *name; /**< long, without dashes; NULL: only a letter */
    char letter;      /**< or 0 */
    enum option_kind kind;
    size_t field;               /**< offset in struct options */
    unsigned verbs;             /**< that it goes with */
    const char *group;          /**< heading in the help */
    const char *argument;       /**< as the help names it; NULL for flags */
    const char *const *choices; /**< of OPTION_CHOICE, NULL-terminated */
    /** Why a value, or one of a list of targets, will not do, or NULL; NULL: all will. */
    const char *(*refused)(const char *value);
    const char *help;
};

/** More than there are. */
#define OPTIONS_MOST 64

/** All options; those of a group stand together. */
extern const struct option option_table[];
extern const size_t option_count;

struct verb_row {
    const char *name;
    enum verb verb;
    const char *usage, *help;
};

extern const struct verb_row verb_table[];
extern const size_t verb_count;

/** Verbs of later versions, NULL-terminated: no path should come to mean one. */
extern const char *const verbs_reserved[];

#endif
