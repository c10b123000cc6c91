#include "site/names.h"

#include "base/text.h"
#include "site/pieces.h"

#include <stdio.h>
#include <strings.h>

/* ---- names of packages --------------------------------------------------------------
 */

static bool is_separator(uint8_t byte)
{
    return byte == '-' || byte == '_' || byte == '.';
}

/* The next letter of the name as compared; false at the end. */
static bool next_normal(struct ra_span name, size_t *at, char *ret)
{
    uint8_t byte;

    if (*at == name.size)
        return false;
    byte = name.data[(*at)++];
    if (is_separator(byte)) {
        while (*at < name.size && is_separator(name.data[*at]))
            (*at)++;
        byte = '-';
    }
    *ret = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    return true;
}

bool ra_package_same(struct ra_span a, struct ra_span b)
{
    size_t at_a = 0, at_b = 0;

    for (;;) {
        char letter_a = 0, letter_b = 0;
        bool more_a = next_normal(a, &at_a, &letter_a);
        bool more_b = next_normal(b, &at_b, &letter_b);

        if (more_a != more_b || letter_a != letter_b)
            return false;
        if (!more_a)
            return true;
    }
}

const char *ra_package_normal(struct ra_arena *arena, struct ra_span name)
{
    char *ret = ra_arena_text(arena, name.data, name.size);
    size_t at = 0, size = 0;

    if (!ret)
        return NULL;
    while (next_normal(name, &at, &ret[size]))
        size++;
    ret[size] = '\0';
    return ret;
}

/* ---- names of files -----------------------------------------------------------------
 */

bool ra_wheel_name_parse(const char *file, struct ra_wheel_name *ret)
{
    struct ra_span text = ra_span_of(ra_text_base(file)), parts[6];
    struct ra_cursor cur;
    size_t count = 0;
    bool has_build;

    *ret = (struct ra_wheel_name){ 0 };
    if (!ra_piece_ends(text, ".whl"))
        return false;
    text.size -= strlen(".whl");
    cur = ra_cursor_over(text);
    while (cur.pos < text.size && count < RA_COUNT(parts)) {
        parts[count] = ra_piece_until(&cur, '-');
        if (parts[count++].size == 0)
            return false;
    }
    if (cur.pos < text.size || count < 5 || text.data[text.size - 1] == '-')
        return false;
    has_build = count == 6;
    *ret = (struct ra_wheel_name){
        .name = parts[0],
        .version = parts[1],
        .python = parts[2 + has_build],
        .abi = parts[3 + has_build],
        .platform = parts[4 + has_build],
    };
    if (has_build)
        ret->build = parts[2];
    return true;
}

enum { DIGEST = 9 }; /* with the hyphen before it */

/* It stands before the first dot. */
bool ra_library_digest(const char *name, size_t *at)
{
    size_t dot = strcspn(name, ".");

    if (name[dot] == '\0' || dot <= DIGEST)
        return false;
    *at = dot - DIGEST;
    return name[*at] == '-' && strspn(name + *at + 1, "0123456789abcdef") == DIGEST - 1;
}

const char *ra_library_name(struct ra_arena *arena, const char *name)
{
    size_t at;
    char *ret;

    if (!ra_library_digest(name, &at))
        return name;
    ret = ra_arena_text(arena, name, strlen(name));
    if (ret)
        memmove(ret + at, ret + at + DIGEST, strlen(name + at + DIGEST) + 1);
    return ret;
}

/* ---- device packages ----------------------------------------------------------------
 */

static const struct device {
    const char *host, *start, *asks;
} devices[] = {
#define DEVICE(host, start, asks) { host, start, asks },
#include "site/devices.def"
#undef DEVICE
};

static const struct family {
    const char *processor, *subfamily, *family;
} families[] = {
#define FAMILY(processor, subfamily, family) { processor, subfamily, family },
#include "site/families.def"
#undef FAMILY
};

/* Into room for RA_DEVICE_TEXT; false if that is too little. */
static bool copy_normal(struct ra_span name, char ret[RA_DEVICE_TEXT])
{
    size_t at = 0, size = 0;

    while (size < RA_DEVICE_TEXT && next_normal(name, &at, &ret[size]))
        size++;
    if (size == RA_DEVICE_TEXT)
        return false;
    ret[size] = '\0';
    return true;
}

/* "amd-HOST-device-gfxN", of hosts that devices.def does not know. */
static bool parse_other(const char *name, struct ra_device_wheel *ret)
{
    static const char start[] = "amd-", middle[] = "-device-gfx";
    const char *found = strstr(name, middle);

    if (strncmp(name, start, strlen(start)) != 0 || !found ||
        found <= name + strlen(start))
        return false;
    memcpy(ret->host, name + strlen(start), (size_t)(found - name) - strlen(start));
    memcpy(ret->key, found + strlen("-device-"), strlen(found + strlen("-device-")));
    return true;
}

bool ra_device_wheel_parse(struct ra_span name, struct ra_device_wheel *ret)
{
    char normal[RA_DEVICE_TEXT];

    *ret = (struct ra_device_wheel){ 0 };
    if (!copy_normal(name, normal))
        return false;
    for (size_t i = 0; i < RA_COUNT(devices); i++) {
        size_t size = strlen(devices[i].start);

        if (strncmp(normal, devices[i].start, size) != 0 ||
            strncmp(normal + size, "gfx", 3) != 0)
            continue;
        memcpy(ret->host, devices[i].host, strlen(devices[i].host));
        memcpy(ret->key, normal + size, strlen(normal + size));
        return true;
    }
    return parse_other(normal, ret);
}

/* Keys are spelled with '-' or '_', and in either case. */
static bool key_is(struct ra_span key, const char *name)
{
    return ra_package_same(key, ra_span_of(name));
}

/* "gfx110x-all": the word behind the hyphen says what kind of GPUs, no more. */
static struct ra_span without_word(const char *key)
{
    struct ra_span text = ra_span_of(key);
    size_t hyphen = strcspn(key, "-_");
    uint8_t next = hyphen < text.size ? (uint8_t)key[hyphen + 1] | 0x20 : 0;

    return next >= 'a' && next <= 'z' ? ra_piece_head(text, hyphen) : text;
}

/* "gfx94x" is gfx940 and all that has another last letter. */
static bool is_wildcard_of(struct ra_span key, const char *processor)
{
    size_t size = strlen(processor);

    return key.size == size && (key.data[size - 1] | 0x20) == 'x' &&
           ra_piece_starts(ra_span_of(processor), "gfx") &&
           strncasecmp((const char *)key.data, processor, size - 1) == 0;
}

enum ra_covers ra_device_key_covers(const char *key, const char *processor)
{
    struct ra_span text = without_word(key);

    if (key_is(text, processor))
        return RA_COVERS_TARGET;
    for (size_t i = 0; i < RA_COUNT(families); i++) {
        if (strcmp(families[i].processor, processor) != 0)
            continue;
        if (key_is(text, families[i].subfamily))
            return RA_COVERS_SUBFAMILY;
        if (key_is(text, families[i].family))
            return RA_COVERS_FAMILY;
    }
    return is_wildcard_of(text, processor) ? RA_COVERS_SUBFAMILY : RA_COVERS_NOT;
}

/* Groups of archives such as blas_lib are parts of ROCm itself. */
static bool is_of_rocm(const char *normal)
{
    return strncmp(normal, "rocm", 4) == 0 || ra_piece_ends(ra_span_of(normal), "-lib");
}

static const struct device *find_device(const char *normal)
{
    const struct device *rocm = NULL;

    for (size_t i = 0; i < RA_COUNT(devices); i++) {
        if (strcmp(devices[i].host, normal) == 0)
            return &devices[i];
        if (strcmp(devices[i].asks, "rocm") == 0)
            rocm = &devices[i];
    }
    return is_of_rocm(normal) ? rocm : NULL;
}

bool ra_site_device_package(const char *host, const char *processor,
                            struct ra_device_package *ret)
{
    char normal[RA_DEVICE_TEXT];
    const struct device *device;

    *ret = (struct ra_device_package){ 0 };
    host += strspn(host, "-_."); /* _rocm_sdk_libraries is a folder of it */
    if (!copy_normal(ra_span_of(host), normal) || strlen(processor) >= RA_DEVICE_TEXT)
        return false;
    device = find_device(normal);
    if (!device)
        return false;
    (void)snprintf(ret->package, sizeof(ret->package), "%s%s", device->start, processor);
    (void)snprintf(ret->command, sizeof(ret->command), "pip install \"%s[device-%s]\"",
                   device->asks, processor);
    return true;
}
