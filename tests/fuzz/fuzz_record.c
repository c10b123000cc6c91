/* Any RECORD: every file it leads to can be found again, and none is outside its list. */
#include "site/site.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_place(const char *place)
{
    size_t size = strlen(place);

    return size > 0 && size <= 2 * RA_PLACE_MAX && !strstr(place, "//") &&
           !strstr(place, "/./") && place[size - 1] != '/';
}

static void check_file(const struct ra_site *site, const struct ra_site_file *file)
{
    size_t owners;

    assert(is_place(file->place));
    assert(ra_site_file(site, file->place)->place == file->place);
    assert(ra_site_owner(site, file->place, &owners) && owners >= 1 && owners <= 2);
    assert(file->digest.kind <= RA_SITE_OTHER_DIGEST);
    assert(file->has_size || file->size == 0);
}

/* The same record twice, so that all it lists has two owners. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ra_site_document documents[] = {
        { "env/lib/site-packages/a-1.dist-info/RECORD", { data, size, 0 } },
        { "env/lib/site-packages/b-1.dist-info/RECORD", { data, size, 0 } },
    };
    struct ra_arena arena = { 0 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_site site;

    assert(ra_site_read(documents, 2, &arena, &diags, &site) == RA_OK);
    assert(site.package_count == 2 && diags.count <= 2 && diags.errors == 0);
    assert(site.packages[0]->file_count == site.packages[1]->file_count);
    assert(site.file_count == 2 * site.packages[0]->file_count);
    for (size_t i = 0; i < 2; i++) {
        size_t count = 0;

        for (const struct ra_site_file *file = site.packages[i]->files; file;
             file = file->next, count++)
            check_file(&site, file);
        assert(count == site.packages[i]->file_count);
    }
    ra_arena_free(&arena);
    return 0;
}
