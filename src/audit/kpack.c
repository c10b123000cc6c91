/* kpack.c - an archive of kernels: what it says of itself, and the code in it. */
#include "audit/scan.h"

#include "base/text.h"
#include "bundle/kpak.h"

/* What a report tells of the archive itself. */
static enum ra_status keep(struct ra_scan *scan, const struct ra_kpak *kpak)
{
    struct ra_arena *arena = &scan->scanned->arena;
    struct ra_kpack *kpack = ra_new(arena, struct ra_kpack, 1);
    struct ra_kpack_archive *self = ra_new(arena, struct ra_kpack_archive, 1);
    const char **arches = ra_new(arena, const char *, kpak->arch_count);

    if (!kpack || !self || !arches)
        return RA_E_NOMEM;
    for (size_t i = 0; i < kpak->arch_count; i++)
        if (!(arches[i] = ra_text_escape(arena, kpak->arches[i])))
            return RA_E_NOMEM;
    kpack->name = ra_text_escape(arena, kpak->group);
    *self = (struct ra_kpack_archive){ .path = "",
                                       .target = "",
                                       .numbers = "",
                                       .arches = arches,
                                       .arch_count = kpak->arch_count,
                                       .has_binary = true,
                                       .complete = kpak->complete };
    kpack->archives = self;
    kpack->archive_count = 1;
    scan->scanned->file.kpack = kpack;
    return kpack->name ? RA_OK : RA_E_NOMEM;
}

enum ra_status ra_kpack_scan(struct ra_scan *scan)
{
    struct ra_kpak kpak;
    enum ra_status status =
        ra_kpak_read(&scan->source, &scan->scanned->arena, &scan->scanned->diags, &kpak);

    if (status == RA_OK)
        status = keep(scan, &kpak);
    if (status == RA_OK)
        status = ra_bundles_scan_kpak(&scan->bundles, &scan->source, &kpak);
    return status;
}
