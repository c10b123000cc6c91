#include "cli/processors.h"

#include "base/base.h"

/* The widest text of a column, which starts with its title. */
static int widest(int width, const char *text)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

static const char *text_or_dash(const char *text)
{
    return text && *text ? text : "-";
}

void processors_list(FILE *file)
{
    size_t count = 0;
    const struct ra_processor *row = ra_processors(&count);
    int name = 9, generic = 7, arch = 12;

    for (size_t i = 0; i < count; i++) {
        name = widest(name, row[i].name);
        generic = widest(generic, text_or_dash(row[i].generic));
        arch = widest(arch, text_or_dash(row[i].arch));
    }
    fprintf(file, "%-*s  MACH   %-*s  XNACK  SRAMECC  %-*s  APU  PRODUCTS\n", name,
            "PROCESSOR", generic, "GENERIC", arch, "ARCHITECTURE");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%-*s  0x%03x  %-*s  %-5s  %-7s  %-*s  %-3s  %s\n", name,
                row[i].name, row[i].mach, generic, text_or_dash(row[i].generic),
                row[i].xnack ? "yes" : "-", row[i].sramecc ? "yes" : "-", arch,
                text_or_dash(row[i].arch), row[i].is_apu ? "yes" : "-",
                row[i].is_generic ? "(generic: no GPU)" : text_or_dash(row[i].products));
}

void processors_version(FILE *file)
{
    size_t count = 0, generic = 0;
    const struct ra_processor *rows = ra_processors(&count);

    for (size_t i = 0; i < count; i++)
        generic += rows[i].is_generic;
    fprintf(file, "rocaudit " RA_VERSION "\n%zu targets known, %zu of them generic\n",
            count, generic);
}
