/* .kpack archives, and by another start what names them: all that is not told is sound.
 */
#include "bundle/kpackref.h"
#include "bundle/kpak.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int order(struct ra_span a, struct ra_span b)
{
    int less = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);

    return less ? less : (a.size > b.size) - (a.size < b.size);
}

static void check_entry(const struct ra_kpak *kpak, size_t index, uint64_t size)
{
    const struct ra_kpak_entry *entry = &kpak->entries[index];
    const struct ra_kpak_entry *first = &kpak->entries[entry->first];

    assert(entry->first <= index && first->first == entry->first);
    assert(index == 0 || order(entry[-1].binary, entry->binary) <= 0);
    assert(entry->binary.data[entry->binary.size] == 0);
    assert(entry->arch.data[entry->arch.size] == 0);
    if (entry->damaged) {
        assert(entry->first == index && !kpak->complete);
        return;
    }
    assert(entry->offset >= 16 && entry->offset <= size);
    assert(entry->size <= size - entry->offset);
    assert(kpak->compressed || entry->size == entry->original_size);
    assert(first->ordinal == entry->ordinal && first->offset == entry->offset);
}

/* None that are apart share bytes; small archives only, as each is compared with each. */
static void check_apart(const struct ra_kpak *kpak)
{
    for (size_t i = 0; kpak->count < 64 && i < kpak->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct ra_kpak_entry *a = &kpak->entries[i], *b = &kpak->entries[j];

            if (a->damaged || b->damaged || a->first == b->first || !a->size || !b->size)
                continue;
            assert(a->offset >= b->offset + b->size || b->offset >= a->offset + a->size);
        }
}

static void check_kpak(const struct ra_source *source, struct ra_arena *arena,
                       struct ra_diags *diags)
{
    struct ra_kpak kpak;
    enum ra_status status = ra_kpak_read(source, arena, diags, &kpak);
    bool damaged = false;

    assert(status == RA_OK || diags->errors > 0);
    if (status != RA_OK)
        return;
    for (size_t i = 0; i < kpak.count; i++) {
        check_entry(&kpak, i, source->size);
        damaged = damaged || kpak.entries[i].damaged;
    }
    assert(kpak.complete == !damaged && (!damaged || diags->errors > 0));
    check_apart(&kpak);
}

static void check_ref(const struct ra_source *source, struct ra_arena *arena,
                      struct ra_diags *diags)
{
    struct ra_kpack_ref ref;
    enum ra_status status = ra_kpack_ref_read(source, arena, diags, &ref);

    assert(diags->count == (status != RA_OK) && diags->errors == diags->count);
    assert((status == RA_OK) == (ref.path_count > 0));
    assert((status == RA_OK) == (ref.kernel_name != NULL));
    assert(ref.path_count <= RA_KPACK_MAX_PATHS && ref.size <= source->size);
    for (size_t i = 0; i < ref.path_count; i++)
        assert(*ref.paths[i] && strlen(ref.paths[i]) <= RA_KPACK_MAX_TEXT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span span = { data, size, 0 };
    struct ra_source source = ra_source_over(span);
    struct ra_arena arena = { .limit = (size_t)64 << 20 };
    struct ra_diags diags = { .arena = &arena };

    if (ra_kpak_probe(span))
        check_kpak(&source, &arena, &diags);
    else
        check_ref(&source, &arena, &diags);
    ra_arena_free(&arena);
    return 0;
}
