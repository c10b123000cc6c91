/*
 * Records of every kind but RECORD: the first byte says which; or all of them at once, in
 * parts between NUL bytes. Whatever they say can be printed, and is told once a record.
 */
#include "base/text.h"
#include "site/site.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const places[] = {
    "s/foo-1.0.dist-info/METADATA",
    "s/foo-1.0.dist-info/direct_url.json",
    "s/conda-meta/foo-1.0-0.json",
    "p/info/index.json",
    "p/info/paths.json",
    "p/info/files",
    "s/foo.egg-info/SOURCES.txt",
    "s/bar-1.egg-info/installed-files.txt",
    "s/__editable__.foo-1.0.pth",
    "s/foo.egg-link",
    "/var/lib/dpkg/status",
    "/var/lib/dpkg/info/foo:amd64.list",
    "r/var/lib/dpkg/info/bar.list",
    "x.deb/control.tar.xz/control",
};

static void check_shown(const char *text)
{
    struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };

    assert(ra_text_is_utf8(span));
    for (; *text; text++)
        assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void check_package(const struct ra_site *site,
                          const struct ra_site_package *package)
{
    size_t count = 0;

    check_shown(package->name);
    check_shown(package->version);
    check_shown(package->normal);
    for (size_t i = 0; i < package->need_count; i++) {
        check_shown(package->needs[i].name);
        check_shown(package->needs[i].extras);
        check_shown(package->needs[i].spec);
        check_shown(package->needs[i].marker);
        check_shown(package->needs[i].extra);
    }
    for (size_t i = 0; i < package->extra_count; i++)
        check_shown(package->extras[i]);
    for (const struct ra_site_file *file = package->files; file;
         file = file->next, count++)
        assert(ra_site_owner(site, file->place, NULL));
    assert(count == package->file_count);
}

/* Each record its part, the last one what is left. */
static size_t share(const uint8_t *data, size_t size, struct ra_site_document *documents)
{
    size_t count = 0, at = 0;

    while (at < size && count < RA_COUNT(places)) {
        const uint8_t *nul = memchr(data + at, '\0', size - at);
        size_t part = nul ? (size_t)(nul - data) - at : size - at;

        documents[count] =
            (struct ra_site_document){ places[count], { data + at, part, 0 } };
        count++;
        at += part + 1;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_site_document documents[RA_COUNT(places)];
    struct ra_arena arena = { 0 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_site site;
    size_t count = 1;

    if (size == 0)
        return 0;
    if (data[0] < RA_COUNT(places))
        documents[0] =
            (struct ra_site_document){ places[data[0]], { data + 1, size - 1, 0 } };
    else
        count = share(data + 1, size - 1, documents);
    assert(ra_site_read(documents, count, &arena, &diags, &site) == RA_OK);
    assert(diags.count <= count && site.package_count <= count);
    for (size_t i = 0; i < site.package_count; i++)
        check_package(&site, site.packages[i]);
    ra_arena_free(&arena);
    return 0;
}
