/*
 * installed.h - packages in the folder of a test, as pip leaves them.
 *
 * Beside folder.h, whose folder it is. Names of files are below `site`, a folder below
 * that one, "" for itself.
 */
#ifndef INSTALLED_H
#define INSTALLED_H

#include "folder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct installed {
    const char *site; /**< "site-packages/", or NULL */
    const char *name, *version;
    const char *needs; /**< lines of METADATA, or NULL */
    const char *rows;  /**< of RECORD, or NULL */
};

static inline void install(struct installed package)
{
    const char *site = package.site ? package.site : "";
    char name[256], text[4096];

    snprintf(name, sizeof(name), "%s%s-%s.dist-info/METADATA", site, package.name,
             package.version);
    snprintf(text, sizeof(text), "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s",
             package.name, package.version, package.needs ? package.needs : "");
    folder_write(name, text);
    snprintf(name, sizeof(name), "%s%s-%s.dist-info/RECORD", site, package.name,
             package.version);
    snprintf(text, sizeof(text), "%s-%s.dist-info/METADATA,,\n%s", package.name,
             package.version, package.rows ? package.rows : "");
    folder_write(name, text);
}

/** The one finding of a rule; NULL if there is none. More than one fail the test. */
static inline const struct ra_finding *the_finding(const struct ra_report *report,
                                                   const char *rule)
{
    const struct ra_finding *found = NULL;

    for (size_t i = 0; i < report->finding_count; i++) {
        if (strcmp(report->findings[i].rule, rule) != 0)
            continue;
        cr_assert_null(found, "%s is told twice", rule);
        found = &report->findings[i];
    }
    return found;
}

/** The package of the report that is called so, or NULL. */
static inline const struct ra_package *the_package(const struct ra_report *report,
                                                   const char *name)
{
    for (size_t i = 0; i < report->package_count; i++)
        if (strcmp(report->packages[i].name, name) == 0)
            return &report->packages[i];
    return NULL;
}

#endif
