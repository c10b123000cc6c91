#include "site/variants.h"

#include "base/text.h"
#include "site/names.h"
#include "site/pieces.h"

static const struct variant {
    const char *package, *start, *end;
} variants[] = {
#define VARIANT(package, start, end) { package, start, end },
#include "site/variants.def"
#undef VARIANT
};

static const struct variant *find(const char *package)
{
    for (size_t i = 0; i < RA_COUNT(variants); i++)
        if (ra_package_same(ra_span_of(variants[i].package), ra_span_of(package)))
            return &variants[i];
    return NULL;
}

/* The digits behind the start of a name; what follows them makes no difference. */
static struct ra_span digits_of(const struct variant *variant, const char *file)
{
    struct ra_span name = ra_span_of(ra_text_base(file)), none = { 0 };
    size_t count = 0;

    if (!ra_piece_starts(name, variant->start) || !ra_piece_ends(name, variant->end))
        return none;
    name = ra_piece_tail(name, strlen(variant->start));
    while (count < name.size && name.data[count] >= '0' && name.data[count] <= '9')
        count++;
    return ra_piece_head(name, count);
}

/* 714 is 7.14. False for one digit, which has no minor number, and for far too many. */
static bool release_of(struct ra_span digits, unsigned *ret)
{
    uint64_t minor;

    if (digits.size < 2 || !ra_piece_number(ra_piece_tail(digits, 1), &minor) ||
        minor > 99)
        return false;
    *ret = (unsigned)(digits.data[0] - '0') * 100 + (unsigned)minor;
    return true;
}

bool ra_variant_has(const char *package)
{
    return find(package) != NULL;
}

bool ra_variant_is(const char *package, const char *file, unsigned *release)
{
    const struct variant *variant = find(package);
    unsigned found;

    if (!variant || !release_of(digits_of(variant, file), &found))
        return false;
    if (release)
        *release = found;
    return true;
}

/* Of ROCm 10.1 the package looks for "101", which it takes for 1.1 everywhere else. */
static bool is_spelled(const struct variant *variant, const char *file, unsigned release)
{
    struct ra_span digits = digits_of(variant, file);
    uint64_t number;
    unsigned minor = release % 100, shift = minor < 10 ? 10 : 100;

    return release >= 1000 && ra_piece_number(digits, &number) &&
           number == release / 100 * shift + minor;
}

/* Whether `one` is chosen over `other`, both of the major number. */
static bool is_better(unsigned one, unsigned other, unsigned release)
{
    if ((one <= release) != (other <= release))
        return one <= release;
    return one <= release ? one > other : one < other;
}

bool ra_variant_pick(const char *package, const char *const *files, size_t count,
                     unsigned release, size_t *ret)
{
    const struct variant *variant = find(package);
    unsigned best = 0;

    for (size_t i = 0; variant && i < count; i++) {
        unsigned found;

        if (!release_of(digits_of(variant, files[i]), &found))
            continue;
        if (release != RA_VARIANT_NEWEST && found / 100 != release / 100)
            continue;
        if (best == 0 || is_better(found, best, release)) {
            best = found;
            *ret = i;
        }
    }
    for (size_t i = 0; variant && best == 0 && i < count; i++)
        if (release != RA_VARIANT_NEWEST && is_spelled(variant, files[i], release)) {
            *ret = i;
            return true;
        }
    return best > 0;
}
