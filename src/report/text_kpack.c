/* text_kpack.c - of a listing: the archives that hold the code of a host file. */
#include "report/text.h"

/* "../.kpack/a_@GFXARCH@.kpack, ../.kpack/b.kpack" */
static const char *patterns_of(struct ra_page *page, const struct ra_kpack *kpack)
{
    const char *text = "";

    for (size_t i = 0; i < kpack->pattern_count; i++)
        text = ra_page_format(page, "%s%s%s", text, i ? ", " : "", kpack->patterns[i]);
    return *text ? text : "those it does not name";
}

/* Those that are there and have code for the file. */
static size_t archives_with_code(const struct ra_kpack *kpack)
{
    size_t count = 0;

    for (size_t i = 0; i < kpack->archive_count; i++)
        count += kpack->archives[i].has_binary;
    return count;
}

static void put_lack(struct ra_page *page, const struct ra_kpack *kpack)
{
    const char *patterns = patterns_of(page, kpack);

    if (kpack->archive_count == 0)
        ra_page_lines(
            page, "", "", 0,
            ra_page_format(page, "needs kpack: no archive of %s is here", patterns));
    else if (archives_with_code(kpack) == 0)
        ra_page_lines(page, "", "", 0,
                      ra_page_format(page,
                                     "needs kpack: no archive of %s has code for %s",
                                     patterns, kpack->name));
}

/* ": gfx1150 gfx1151" */
static const char *arches_of(struct ra_page *page, const struct ra_kpack_archive *archive)
{
    const char *text = "";

    for (size_t i = 0; i < archive->arch_count; i++)
        text = ra_page_format(page, "%s%s%s", text, i ? " " : ": ", archive->arches[i]);
    return text;
}

/* "torch_gfx1151.kpack, for gfx1151: gfx1151; 12 binaries, 3 kernels for this one" */
static void put_archive(struct ra_page *page, const struct ra_kpack_archive *archive)
{
    const char *text = ra_page_format(page, "archive %s", archive->path);

    if (archive->target && *archive->target)
        text = ra_page_format(page, "%s, for %s", text, archive->target);
    for (size_t i = 0; i < archive->arch_count; i++)
        text = ra_page_format(page, "%s%s%s", text, i ? " " : ": ", archive->arches[i]);
    text =
        ra_page_format(page, "%s; %s, ", text,
                       ra_page_count(page, archive->binary_count, "binary", "binaries"));
    if (archive->has_binary)
        text = ra_page_format(page, "%s%s for this one", text,
                              ra_page_count(page, archive->kernels, "kernel", "kernels"));
    else
        text = ra_page_format(page, "%snone is this one", text);
    ra_page_lines(
        page, "", "", 2,
        ra_page_format(page, "%s%s", text, archive->complete ? "" : ", not read whole"));
}

static void put_all(struct ra_page *page, const struct ra_file *file)
{
    const struct ra_kpack *kpack = file->kpack;
    const char *text;

    if (file->kind == RA_KIND_KPACK) {
        text = ra_page_format(page, "kpack of the group %s", kpack->name);
        if (kpack->archive_count > 0)
            text =
                ra_page_format(page, "%s%s", text, arches_of(page, &kpack->archives[0]));
        ra_page_lines(page, "", "", 0, text);
        return;
    }
    text =
        ra_page_format(page, "kpack of %s, in %s", kpack->name, patterns_of(page, kpack));
    ra_page_lines(page, "", "", 0, text);
    for (size_t i = 0; i < kpack->archive_count; i++)
        put_archive(page, &kpack->archives[i]);
}

void ra_text_kpack(struct ra_page *page, const struct ra_file *file)
{
    const struct ra_kpack *kpack = file->kpack;

    if (!kpack)
        return;
    if (file->kind != RA_KIND_KPACK)
        put_lack(page, kpack);
    if (kpack->moved)
        ra_page_lines(page, "", "", 0, "ROCM_KPACK_PATH says where its archives are");
    if (kpack->disabled)
        ra_page_lines(page, "", "", 0,
                      "ROCM_KPACK_DISABLE is set: the runtime opens no archive");
    if (page->style->verbose)
        put_all(page, file);
}
