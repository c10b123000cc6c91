#include "site/known.h"

#include "base/text.h"
#include "site/names.h"
#include "site/pieces.h"

static const struct jit {
    const char *package, *why;
} jits[] = {
#define JIT(package, why) { package, why },
#define COMPILER(start)
#include "site/known.def"
#undef COMPILER
#undef JIT
};

static const char *const compilers[] = {
#define JIT(package, why)
#define COMPILER(start) start,
#include "site/known.def"
#undef COMPILER
#undef JIT
};

/* Whether `name` is `wanted`, or starts so if that ends with a star. */
static bool is_named(struct ra_span name, const char *wanted)
{
    struct ra_span whole = ra_span_of(wanted);

    if (!ra_piece_ends(whole, "*"))
        return ra_package_same(name, whole);
    whole.size--;
    return name.size > whole.size &&
           ra_package_same(ra_piece_head(name, whole.size), whole);
}

const char *ra_site_jit(const char *package)
{
    for (size_t i = 0; i < RA_COUNT(jits); i++)
        if (is_named(ra_span_of(package), jits[i].package))
            return jits[i].why;
    return NULL;
}

bool ra_site_is_compiler(const char *file)
{
    const char *name = ra_text_base(file);
    size_t digest, dot = strcspn(name, ".");

    if (strncmp(name + dot, ".so", 3) != 0 ||
        (name[dot + 3] != '\0' && name[dot + 3] != '.'))
        return false;
    if (ra_library_digest(name, &digest))
        dot = digest;
    for (size_t i = 0; i < RA_COUNT(compilers); i++)
        if (dot == strlen(compilers[i]) && strncmp(name, compilers[i], dot) == 0)
            return true;
    return false;
}

/* ---- what a name promises --------------------------------------------------- */

static bool is_letter(char letter)
{
    char lower = (char)(letter | 0x20);

    return lower >= 'a' && lower <= 'z';
}

/* A word of letters; what version numbers are put behind. "amd64" is a kind of CPU. */
static bool is_promise(struct ra_span word, const char *behind)
{
    if (ra_piece_is(word, "amd"))
        return strncmp(behind, "64", 2) != 0;
    return ra_piece_is(word, "hip") || ra_piece_is(word, "amdgpu") ||
           (word.size > 6 && ra_piece_is(ra_piece_head(word, 6), "libhip"));
}

bool ra_site_promises_rocm(const char *name)
{
    if (strcasestr(name, "rocm"))
        return true;
    while (*name) {
        size_t size = 0;

        while (is_letter(name[size]))
            size++;
        if (is_promise(ra_piece_head(ra_span_of(name), size), name + size))
            return true;
        name += size + (size == 0);
    }
    return false;
}

/* ---- what is no installed file
 * ----------------------------------------------------------- */

bool ra_site_is_lfs_pointer(struct ra_span head)
{
    return ra_piece_starts(head, "version https://git-lfs.github.com/spec/v1");
}

/* llvm-objdump --offloading leaves FILE.NUMBER.ENTRY-ID beside the file. */
bool ra_site_is_leftover(const char *file)
{
    static const char *const kinds[] = { "hip-", "hipv4-", "host-" };

    for (const char *dot = strchr(ra_text_base(file), '.'); dot;
         dot = strchr(dot + 1, '.')) {
        size_t digits = strspn(dot + 1, "0123456789");
        const char *id = dot + 1 + digits;

        for (size_t i = 0; digits > 0 && *id == '.' && i < RA_COUNT(kinds); i++)
            if (strncmp(id + 1, kinds[i], strlen(kinds[i])) == 0)
                return true;
    }
    return false;
}
