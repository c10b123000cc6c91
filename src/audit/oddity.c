#include "audit/oddity.h"

#include "base/text.h"
#include "site/known.h"

/* libfoo.so, libfoo.so.1.2 */
static bool is_library(const char *name)
{
    const char *end = NULL;

    for (const char *at = name; (at = strstr(at, ".so")); at++)
        end = at + strlen(".so");
    return end && end[strspn(end, ".0123456789")] == '\0';
}

enum ra_oddity ra_oddity_of(const char *path, struct ra_span head)
{
    static const char *const code[] = { ".co", ".hsaco", ".kpack" };
    static const char *const beside[] = { ".dat", ".a" }; /* may be empty */
    const char *name = ra_text_base(path);
    bool is_code = is_library(name), is_beside = false;

    for (size_t i = 0; i < RA_COUNT(code); i++)
        is_code = is_code || ra_text_ends(name, code[i]);
    for (size_t i = 0; i < RA_COUNT(beside); i++)
        is_beside = is_beside || ra_text_ends(name, beside[i]);
    if ((is_code || is_beside) && ra_site_is_lfs_pointer(head))
        return RA_ODDITY_LFS_POINTER;
    return is_code && head.size == 0 ? RA_ODDITY_EMPTY : RA_ODDITY_NONE;
}
