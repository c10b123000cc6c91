#include "runtime/runtime.h"

#include <stdio.h>

#define NEVER  (RA_ROCM_NEWEST + 1)
#define NEWEST RA_ROCM_NEWEST

/* Debian's runtime takes siblings since its package of this release. */
#define DEBIAN_SINCE 507

static const struct ability {
    unsigned lacks, has;
    const char *text;
} abilities[RA_ABILITIES] = {
    [RA_CAN_NOTHING] = { 0, NEVER, "" },
#define ABILITY(name, lacks, has, what) [RA_CAN_##name] = { lacks, has, what },
#include "runtime/abilities.def"
#undef ABILITY
};

static const struct processor {
    const char *name;
    unsigned before, from;
} processors[] = {
#define PROCESSOR(name, before, from) { name, before, from },
#include "runtime/processors.def"
#undef PROCESSOR
};

static const struct error {
    enum ra_fault_kind fault;
    unsigned first, last;
    struct ra_rocm_error error;
} errors[] = {
#define ERROR(fault, first, last, consequence, number, text)                             \
    { RA_FAULT_##fault, first, last, { RA_CONSEQUENCE_##consequence, number, text } },
#include "runtime/errors.def"
#undef ERROR
};

/* ISAs that differ in name only, or by what one adds to the other. */
static const struct sibling {
    const char *processor, *code;
} siblings[] = {
    { "gfx1031", "gfx1030" }, { "gfx1032", "gfx1030" }, { "gfx1033", "gfx1030" },
    { "gfx1034", "gfx1030" }, { "gfx1035", "gfx1030" }, { "gfx1036", "gfx1030" },
    { "gfx1011", "gfx1010" }, { "gfx1012", "gfx1010" }, { "gfx1013", "gfx1010" },
};

enum ra_answer ra_rocm_can(const struct ra_rocm *rocm, enum ra_ability ability)
{
    if (rocm->release <= abilities[ability].lacks)
        return RA_NO;
    return rocm->release >= abilities[ability].has ? RA_YES : RA_NOT_KNOWN;
}

const char *ra_ability_text(enum ra_ability ability)
{
    return abilities[ability].text;
}

bool ra_rocm_lacks(const struct ra_rocm *rocm, const char *processor)
{
    for (size_t i = 0; i < RA_COUNT(processors); i++)
        if (strcmp(processors[i].name, processor) == 0)
            return rocm->release <= processors[i].before ||
                   rocm->release >= processors[i].from;
    return false;
}

const char *ra_rocm_sibling(const struct ra_rocm *rocm, const char *processor)
{
    if (rocm->compat != RA_DEBIAN || rocm->release < DEBIAN_SINCE)
        return NULL;
    for (size_t i = 0; i < RA_COUNT(siblings); i++)
        if (strcmp(siblings[i].processor, processor) == 0)
            return siblings[i].code;
    return NULL;
}

const struct ra_rocm_error *ra_rocm_error(const struct ra_rocm *rocm,
                                          enum ra_fault_kind fault)
{
    for (size_t i = 0; i < RA_COUNT(errors); i++)
        if (errors[i].fault == fault && rocm->release >= errors[i].first &&
            rocm->release <= errors[i].last)
            return &errors[i].error;
    return &errors[0].error; /* never: each fault has an error in every release */
}

void ra_rocm_spell(unsigned release, char ret[RA_ROCM_TEXT])
{
    (void)snprintf(ret, RA_ROCM_TEXT, "%u.%u", release / 100, release % 100);
}

void ra_rocm_name(unsigned release, char ret[RA_ROCM_TEXT])
{
    if (release == RA_ROCM_NEWEST)
        (void)snprintf(ret, RA_ROCM_TEXT, "the newest ROCm");
    else
        (void)snprintf(ret, RA_ROCM_TEXT, "ROCm %u.%u", release / 100, release % 100);
}

unsigned ra_ability_since(enum ra_ability ability)
{
    return abilities[ability].has < NEWEST ? abilities[ability].has : 0;
}

/* A number of at most three digits, so that no sum of it can overflow. */
static bool read_number(struct ra_cursor *cur, unsigned *ret)
{
    struct ra_cursor ahead = *cur;
    unsigned digits = 0;

    *ret = 0;
    for (;; digits++) {
        uint8_t byte = ra_cursor_u8(&ahead);

        if (!ra_cursor_ok(&ahead) || byte < '0' || byte > '9')
            break;
        if (digits == 3)
            return false;
        *ret = *ret * 10 + (unsigned)(byte - '0');
        *cur = ahead;
    }
    return digits > 0;
}

bool ra_rocm_parse(struct ra_span text, unsigned *ret)
{
    struct ra_cursor cur = ra_cursor_over(text);
    unsigned major, minor = 0;
    uint8_t next;

    if (ra_cursor_match(&cur, "rocm", 4))
        (void)ra_cursor_match(&cur, "-", 1);
    if (!read_number(&cur, &major) || major >= RA_ROCM_NEWEST / 100)
        return false;
    if (ra_cursor_match(&cur, ".", 1) && (!read_number(&cur, &minor) || minor > 99))
        return false;
    next = ra_cursor_u8(&cur);
    if (ra_cursor_ok(&cur) && next != '.' && next != '-' && next != '+')
        return false;
    *ret = major * 100 + minor;
    return *ret >= RA_ROCM_OLDEST;
}

static const char *const compats[] = { [RA_UPSTREAM] = "upstream",
                                       [RA_DEBIAN] = "debian" };

bool ra_compat_parse(const char *name, enum ra_compat *ret)
{
    for (size_t i = 0; i < RA_COUNT(compats); i++)
        if (strcmp(compats[i], name) == 0) {
            *ret = (enum ra_compat)i;
            return true;
        }
    return false;
}

const char *ra_compat_name(enum ra_compat compat)
{
    return compats[compat];
}
