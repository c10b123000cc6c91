#include "elf/wrappers.h"

#include <inttypes.h>

#define WRAPPER_SIZE  24
#define POINTER_AT    8
#define WRAPPER_LIMIT ((uint64_t)1 << 16)
#define RELA_LIMIT    ((uint64_t)1 << 28) /* bytes of all relocation sections */

/* Addresses are collected first, in the `offset` of each wrapper. */
struct job {
    struct ra_elf *elf;
    const struct ra_elf_section *section;
    struct ra_wrapper *list;
    size_t count;
};

static enum ra_status read_list(struct job *job, struct ra_diags *diags)
{
    for (size_t i = 0; i < job->count; i++) {
        struct ra_wrapper *wrapper = &job->list[i];
        uint8_t bytes[WRAPPER_SIZE];
        struct ra_cursor cur =
            ra_cursor_over((struct ra_span){ bytes, sizeof(bytes), 0 });
        enum ra_status status = ra_source_read(&job->section->content, i * WRAPPER_SIZE,
                                               sizeof(bytes), diags, bytes);

        if (status != RA_OK)
            return status;
        wrapper->magic = ra_cursor_u32le(&cur);
        ra_cursor_skip(&cur, 4); /* version */
        wrapper->offset = ra_cursor_u64le(&cur);
        wrapper->index = ra_cursor_u32le(&cur);
        wrapper->resolved = wrapper->offset != 0;
    }
    return RA_OK;
}

static bool apply(void *arg, const struct ra_elf_rela *rela)
{
    struct job *job = arg;
    uint64_t in = rela->where - job->section->address;

    if (in % WRAPPER_SIZE == POINTER_AT && in / WRAPPER_SIZE < job->count &&
        ra_elf_stores_address(job->elf, rela->type)) {
        struct ra_wrapper *wrapper = &job->list[in / WRAPPER_SIZE];

        wrapper->offset = rela->value;
        wrapper->resolved = rela->value != 0;
    }
    return true;
}

/* Linkers that leave zeros put the addresses into RELA sections of the loader's. */
static enum ra_status relocate(struct job *job, struct ra_diags *diags)
{
    uint64_t start = job->section->address, left = RELA_LIMIT;
    enum ra_status status = RA_OK;
    bool needed = false;

    for (size_t i = 0; i < job->count; i++)
        needed = needed || !job->list[i].resolved;
    for (size_t i = 0; needed && status == RA_OK && i < ra_elf_section_count(job->elf);
         i++) {
        struct ra_elf_section section;

        status = ra_elf_section(job->elf, i, &section);
        if (status != RA_OK || section.type != RA_ELF_RELA ||
            !(section.flags & RA_ELF_ALLOC))
            continue;
        /* Sections may share bytes, so the file's size does not bound their sum. */
        if (section.content.size > left)
            return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                            ra_source_place(&section.content, 0),
                            "more than %" PRIu64 " bytes of relocations", RELA_LIMIT);
        left -= section.content.size;
        status = ra_elf_relocations(job->elf, &section, start, start + job->section->size,
                                    apply, job);
    }
    return status;
}

static enum ra_status locate(struct job *job)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < job->count; i++) {
        struct ra_wrapper *wrapper = &job->list[i];
        uint64_t address = wrapper->offset;

        wrapper->offset = 0;
        if (wrapper->resolved)
            status = ra_elf_offset(job->elf, address, &wrapper->offset, &wrapper->left,
                                   &wrapper->resolved);
    }
    return status;
}

enum ra_status ra_wrappers_read(struct ra_elf *elf, const struct ra_elf_section *section,
                                struct ra_arena *arena, struct ra_diags *diags,
                                struct ra_wrapper **ret, size_t *count)
{
    struct job job = { .elf = elf, .section = section };
    enum ra_status status;

    if (section->content.size / WRAPPER_SIZE > WRAPPER_LIMIT)
        return ra_fault(diags, RA_E_LIMIT, RA_DIAG_LIMIT,
                        ra_source_place(&section->content, 0),
                        "%" PRIu64 " bytes of fat binary wrappers", section->size);
    job.count = (size_t)(section->content.size / WRAPPER_SIZE);
    job.list = ra_new(arena, struct ra_wrapper, job.count);
    if (!job.list)
        return RA_E_NOMEM;
    status = read_list(&job, diags);
    /* In an object file that is not linked yet, nothing has an address. */
    if (status == RA_OK && ra_elf_type(elf) != RA_ELF_REL)
        status = relocate(&job, diags);
    if (status == RA_OK && ra_elf_type(elf) != RA_ELF_REL)
        status = locate(&job);
    *ret = job.list;
    *count = job.count;
    return status;
}
