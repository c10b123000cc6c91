/* Any bytes: what a Windows file is said to hold lies inside it, or that is told. */
#include "pe/pe.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Headers stand in the file; sections without number would say the same again. */
enum { SECTIONS = 200 };

static enum ra_status read_address(struct ra_pe *pe, uint64_t address, uint64_t size)
{
    uint64_t offset, left;
    bool found;
    enum ra_status status = ra_pe_offset(pe, address, &offset, &left, &found);

    if (status == RA_OK && found &&
        (!ra_pe_is_image(pe) || left == 0 || offset > size || left > size - offset))
        abort();
    return status;
}

/* The addresses in it, as wrappers have them, behind eight bytes of other things. */
static enum ra_status read_content(struct ra_pe *pe, const struct ra_pe_section *section,
                                   struct ra_span file)
{
    struct ra_span content;
    struct ra_cursor cur;
    enum ra_status status = RA_OK;

    if (!ra_span_sub(file, section->content.base, section->content.size, &content))
        abort();
    cur = ra_cursor_over(content);
    for (unsigned i = 0; status == RA_OK && i < 8; i++) {
        uint64_t address;

        ra_cursor_skip(&cur, 8);
        address = ra_cursor_u64le(&cur);
        ra_cursor_skip(&cur, 8);
        if (!ra_cursor_ok(&cur))
            break;
        status = read_address(pe, address, file.size);
    }
    return status;
}

static enum ra_status read_section(struct ra_pe *pe, size_t index, struct ra_span file)
{
    struct ra_pe_section section;
    enum ra_status status = ra_pe_section(pe, index, &section);

    if (status != RA_OK)
        return status;
    if (strlen(section.name) >= RA_PE_NAME || section.content.size > section.raw_size ||
        (ra_pe_is_image(pe) && section.virtual_size > 0 &&
         section.content.size > section.virtual_size))
        abort();
    return read_content(pe, &section, file);
}

/* Where a probe says yes, the first bytes are not what is wrong. */
static void check_probes(struct ra_span file, const struct ra_pe *pe)
{
    struct ra_span head = { file.data, file.size < RA_PE_HEAD ? file.size : RA_PE_HEAD,
                            0 };

    if (ra_pe_probe(head) && ra_coff_probe(head))
        abort();
    if (pe && ra_pe_is_image(pe) && ra_coff_probe(head))
        abort();
    if (pe && !ra_pe_is_image(pe) && ra_pe_probe(head))
        abort();
    if (pe && ra_coff_probe(head) && ra_pe_section_count(pe) == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ra_span file = { .data = data, .size = size };
    struct ra_arena arena = { .limit = 1 << 22 };
    struct ra_diags diags = { .arena = &arena };
    struct ra_source source = ra_source_over(file);
    struct ra_pe *pe = NULL;
    enum ra_status status = ra_pe_open(&source, &diags, &pe);

    check_probes(file, status == RA_OK ? pe : NULL);
    if (status == RA_OK) {
        for (size_t i = 0; status == RA_OK && i < SECTIONS && i < ra_pe_section_count(pe);
             i++)
            status = read_section(pe, i, file);
        ra_pe_close(pe);
    }
    if (status != RA_E_NOMEM && diags.count != (status != RA_OK))
        abort();
    ra_arena_free(&arena);
    return 0;
}
