#include "gfx/filename.h"

#include "base/text.h"
#include "gfx/target.h"

#define START "gfx"

static bool is_word(char letter)
{
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z');
}

/* The longest processor name that `text` starts with and that ends there. */
static const struct ra_processor *longest(const char *text)
{
    size_t count, best = 0;
    const struct ra_processor *list = ra_processors(&count), *ret = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(list[i].name);

        if (size <= best || strncmp(text, list[i].name, size) != 0 || is_word(text[size]))
            continue;
        best = size;
        ret = &list[i];
    }
    return ret;
}

/* Take ":xnack-", "-xnack-" or "_xnack+" from the text; false if it is not there. */
static bool take(const char **text, const char *feature, enum ra_setting *ret)
{
    const char *at = *text;
    size_t size = strlen(feature);

    if ((*at != ':' && *at != '-' && *at != '_') || strncmp(at + 1, feature, size) != 0 ||
        (at[1 + size] != '+' && at[1 + size] != '-') || is_word(at[2 + size]))
        return false; /* "-xnack-off" is no sign and a word */
    *ret = at[1 + size] == '+' ? RA_SETTING_ON : RA_SETTING_OFF;
    *text = at + size + 2;
    return true;
}

static struct ra_target read_target(const struct ra_processor *processor,
                                    const char *rest)
{
    struct ra_target target = {
        .sramecc = processor->sramecc ? RA_SETTING_ANY : RA_SETTING_NONE,
        .xnack = processor->xnack ? RA_SETTING_ANY : RA_SETTING_NONE,
    };

    memcpy(target.processor, processor->name, strlen(processor->name) + 1);
    while (take(&rest, "sramecc", &target.sramecc) || take(&rest, "xnack", &target.xnack))
        continue;
    return target;
}

/* The last target in `part`, which ends at a slash or where the path does. */
static bool read_part(const char *part, size_t size, struct ra_target *ret)
{
    const char *at = part;
    bool found = false;

    while ((at = strstr(at, START)) && at < part + size) {
        const struct ra_processor *processor = longest(at);

        if (processor) {
            *ret = read_target(processor, at + strlen(processor->name));
            found = true;
        }
        at += strlen(START);
    }
    return found;
}

bool ra_filename_target(const char *path, struct ra_target *ret)
{
    const char *base = ra_text_base(path);

    *ret = (struct ra_target){ 0 };
    return read_part(base, strlen(base), ret);
}

bool ra_filename_group(const char *path, struct ra_target *ret, size_t *group)
{
    const char *part = path;

    *ret = (struct ra_target){ 0 };
    for (;;) {
        size_t size = strcspn(part, "/");

        *group = (size_t)(part - path);
        if (read_part(part, size, ret))
            return true;
        if (part[size] == '\0')
            return false;
        part += size + 1;
    }
}
