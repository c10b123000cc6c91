/* Any bytes: what an ELF file is said to hold lies inside it, or that is told. */
#include "audit/host.h"
#include "elf/dynamic.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A name stands in the file; sections without number would say the same again. */
enum { SECTIONS = 200 };

struct look {
    struct ra_arena arena;
    struct ra_diags diags;
    struct ra_elf *elf;
    size_t size;
    uint64_t start, end; /* of the relocations asked for */
};

static enum ra_status read_wrappers(struct look *look,
                                    const struct ra_elf_section *section)
{
    struct ra_wrapper *wrappers;
    size_t count;
    enum ra_status status =
        ra_wrappers_read(&section->content, section->address, &look->arena, &look->diags,
                         &wrappers, &count);

    if (status == RA_OK)
        status = ra_host_resolve_elf(look->elf, wrappers, count);
    for (size_t i = 0; status == RA_OK && i < count; i++)
        if (wrappers[i].resolved && (wrappers[i].offset > look->size ||
                                     wrappers[i].left > look->size - wrappers[i].offset))
            abort();
    return status;
}

static void check_pointer(void *arg, const struct ra_elf_pointer *pointer)
{
    const struct look *look = arg;

    if (pointer->where < look->start || pointer->where >= look->end)
        abort();
}

static enum ra_status check_symbol(void *arg, const char *name, bool defined)
{
    (void)arg;
    (void)defined;
    if (!strstr(name, "_") || strlen(name) >= RA_ELF_SYMBOL)
        abort();
    return RA_OK;
}

/* What the loader is told. */
static enum ra_status read_dynamic(struct look *look)
{
    struct ra_elf_dynamic dynamic;
    enum ra_status status = ra_elf_dynamic(look->elf, &dynamic);

    if (status == RA_OK)
        status = ra_elf_pointers(look->elf, &dynamic, look->start, look->end,
                                 check_pointer, look);
    return status == RA_OK ? ra_elf_symbols(look->elf, "_", check_symbol, look) : status;
}

static enum ra_status read_section(struct look *look,
                                   const struct ra_elf_section *section)
{
    enum ra_status status = RA_OK;
    uint64_t offset, left;
    bool found;

    if (section->content.base > look->size ||
        section->content.size > look->size - section->content.base ||
        strlen(section->name) >= RA_ELF_NAME)
        abort();
    if (strcmp(section->name, ".hipFatBinSegment") == 0)
        status = read_wrappers(look, section);
    if (status == RA_OK)
        status = ra_elf_offset(look->elf, section->address, &offset, &left, &found);
    if (status == RA_OK && found && (offset > look->size || left > look->size - offset))
        abort();
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct look look = { .arena = { .limit = 1 << 22 }, .size = size };
    struct ra_source source =
        ra_source_over((struct ra_span){ .data = data, .size = size });
    enum ra_status status;

    look.diags.arena = &look.arena;
    look.start = 0x1000;
    look.end = (uint64_t)1 << 40;
    status = ra_elf_open(&source, &look.diags, &look.elf);
    if (status == RA_OK) {
        for (size_t i = 0;
             status == RA_OK && i < SECTIONS && i < ra_elf_section_count(look.elf); i++) {
            struct ra_elf_section section;

            status = ra_elf_section(look.elf, i, &section);
            if (status == RA_OK)
                status = read_section(&look, &section);
        }
        if (status == RA_OK)
            status = read_dynamic(&look);
        ra_elf_close(look.elf);
    }
    if (status != RA_E_NOMEM && look.diags.count != (status != RA_OK))
        abort();
    ra_arena_free(&look.arena);
    return 0;
}
