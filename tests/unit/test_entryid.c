#include "bundle/entryid.h"

#include "gfx/target.h"

#include <criterion/criterion.h>

static struct ra_entry_id parsed(const char *text)
{
    return ra_entry_id_parse((struct ra_span){ (const uint8_t *)text, strlen(text), 0 });
}

static void assert_id(const char *text, enum ra_entry_kind kind, const char *target)
{
    struct ra_entry_id id = parsed(text);

    cr_assert_eq(id.kind, kind, "%s is of kind %d", text, id.kind);
    cr_assert(
        id.target.size == strlen(target) &&
            (id.target.size == 0 || memcmp(id.target.data, target, id.target.size) == 0),
        "%s is for %.*s", text, (int)id.target.size,
        id.target.data ? (const char *)id.target.data : "");
}

static const struct {
    const char *text;
    enum ra_entry_kind kind;
    const char *target;
} ids[] = {
    /* The normal form: four fields, the environment empty. */
    { "hipv4-amdgcn-amd-amdhsa--gfx90a", RA_ENTRY_HIP, "gfx90a" },
    { "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", RA_ENTRY_HIP, "gfx90a:xnack-" },
    { "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", RA_ENTRY_HIP, "gfx90a:xnack+" },
    { "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack-", RA_ENTRY_HIP,
      "gfx90a:sramecc-:xnack-" },
    { "hip-amdgcn-amd-amdhsa--gfx1030", RA_ENTRY_HIP, "gfx1030" },
    { "openmp-amdgcn-amd-amdhsa--gfx90a:xnack+", RA_ENTRY_OPENMP, "gfx90a:xnack+" },
    /* Generic targets hold dashes, and features end in one. */
    { "hipv4-amdgcn-amd-amdhsa--gfx11-generic", RA_ENTRY_HIP, "gfx11-generic" },
    { "hip-amdgcn-amd-amdhsa--gfx9-4-generic:sramecc-:xnack-", RA_ENTRY_HIP,
      "gfx9-4-generic:sramecc-:xnack-" },
    { "hip-amdgcn-amd-amdhsa-gfx10-3-generic", RA_ENTRY_HIP, "gfx10-3-generic" },
    { "hip-amdgcn-amd-amdhsa-unknown-gfx12-5-generic", RA_ENTRY_HIP, "gfx12-5-generic" },
    /* Three fields: LLVM 14 to 16. */
    { "hip-amdgcn-amd-amdhsa-gfx90a:xnack+", RA_ENTRY_HIP, "gfx90a:xnack+" },
    { "hip-amdgcn-amd-amdhsa-gfx90a:xnack-", RA_ENTRY_HIP, "gfx90a:xnack-" },
    /* An environment. */
    { "hip-amdgcn-amd-amdhsa-unknown-gfx906", RA_ENTRY_HIP, "gfx906" },
    { "hip-amdgpu-amd-amdhsa-llvm-gfx942", RA_ENTRY_HIP, "gfx942" },
    { "hipv4-amdgcn-amd-amdhsa-gnu-gfx90a:xnack-", RA_ENTRY_HIP, "gfx90a:xnack-" },
    { "hipv4-amdgcn-amd-amdhsa-unknown--gfx90a", RA_ENTRY_HIP, "gfx90a" },
    { "hipv4-amdgcn-amd-amdhsa---gfx90a", RA_ENTRY_HIP, "gfx90a" },
    /* SPIR-V. */
    { "hipv4-spirv64-amd-amdhsa--amdgcnspirv", RA_ENTRY_HIP, "amdgcnspirv" },
    { "hip-spirv64-amd-amdhsa--amdgcnspirv", RA_ENTRY_HIP, "amdgcnspirv" },
    { "hip-spirv64-amd-amdhsa-unknown-amdgcnspirv", RA_ENTRY_HIP, "amdgcnspirv" },
    /* HCC. */
    { "hcc-amdgcn-amd-amdhsa--gfx803", RA_ENTRY_HIP, "gfx803" },
    { "hcc-amdgcn--amdhsa-gfx803", RA_ENTRY_HIP, "gfx803" },
    /* The form of features before code object V4. */
    { "hip-amdgcn-amd-amdhsa--gfx906+sram-ecc+xnack", RA_ENTRY_HIP,
      "gfx906+sram-ecc+xnack" },
    /* No target: the bundler lost it. */
    { "hip-amdgcn-amd-amdhsa--", RA_ENTRY_HIP, "" },
    { "hip-amdgcn-amd-amdhsa", RA_ENTRY_HIP, "" },
    { "hip-amdgcn-amd-amdhsa-unknown", RA_ENTRY_HIP, "" },
    /* Hosts have none, whatever follows. */
    { "host-x86_64-unknown-linux", RA_ENTRY_HOST, "" },
    { "host-x86_64-unknown-linux--", RA_ENTRY_HOST, "" },
    { "host-x86_64-unknown-linux-gnu-", RA_ENTRY_HOST, "" },
    { "host-x86_64-pc-linux-gnu", RA_ENTRY_HOST, "" },
    { "host-amdgcn-amd-amdhsa--gfx90a", RA_ENTRY_HOST, "" },
    /* Others, and what is no entry ID at all. */
    { "cuda-nvptx64-nvidia-cuda--sm_80", RA_ENTRY_OTHER, "" },
    { "sycl-spir64-unknown-unknown", RA_ENTRY_OTHER, "" },
    { "hipv5-amdgcn-amd-amdhsa--gfx90a", RA_ENTRY_OTHER, "gfx90a" },
    { "HIP-amdgcn-amd-amdhsa--gfx90a", RA_ENTRY_OTHER, "gfx90a" },
    { "hi", RA_ENTRY_OTHER, "" },
    { "hip", RA_ENTRY_HIP, "" },
    { "-", RA_ENTRY_OTHER, "" },
    { "----", RA_ENTRY_OTHER, "" },
    { "-amdhsa", RA_ENTRY_OTHER, "" },
    { "-amdhsa-gfx90a", RA_ENTRY_OTHER, "gfx90a" },
    { "gfx90a", RA_ENTRY_OTHER, "" },
    { "hip-amdgcn-amd-amdpal--gfx90a", RA_ENTRY_HIP, "" },
    { "hip-amdgcn-amd-amdhsa--sm_80", RA_ENTRY_HIP, "" },
    { "", RA_ENTRY_OTHER, "" },
};

Test(entryid, every_form_that_was_found_is_read)
{
    for (size_t i = 0; i < RA_COUNT(ids); i++)
        assert_id(ids[i].text, ids[i].kind, ids[i].target);
}

/* clang's test Driver/amdgpu-mcpu.cl and Triple.cpp of LLVM main, August 2026. */
static const struct {
    const char *text, *processor, *target;
} architectures[] = {
    { "hipv4-amdgpu6.00-amd-amdhsa--", "gfx600", "" },
    { "hipv4-amdgpu7.05-amd-amdhsa--", "gfx705", "" },
    { "hipv4-amdgpu8.10-amd-amdhsa--", "gfx810", "" },
    { "hipv4-amdgpu9.00-amd-amdhsa--", "gfx900", "" },
    { "hipv4-amdgpu9.0a-amd-amdhsa--", "gfx90a", "" },
    { "hipv4-amdgpu9.0c-amd-amdhsa--", "gfx90c", "" },
    { "hipv4-amdgpu9.42-amd-amdhsa--", "gfx942", "" },
    { "hip-amdgpu9.50-amd-amdhsa--", "gfx950", "" },
    { "hip-amdgpu10.35-amd-amdhsa-unknown-", "gfx1035", "" },
    { "hip-amdgpu11.00-amd-amdhsa-llvm", "gfx1100", "" },
    { "openmp-amdgpu12.50-amd-amdhsa", "gfx1250", "" },
    { "hip-amdgpu13.10-amd-amdhsa--", "gfx1310", "" },
    { "hip-amdgpu9-amd-amdhsa--", "gfx9-generic", "" },
    { "hip-amdgpu9.4-amd-amdhsa--", "gfx9-4-generic", "" },
    { "hip-amdgpu9.5-amd-amdhsa--", "gfx9-4-generic", "" },
    { "hip-amdgpu10-amd-amdhsa--", "gfx10-1-generic", "" },
    { "hip-amdgpu10.1-amd-amdhsa--", "gfx10-1-generic", "" },
    { "hip-amdgpu10.3-amd-amdhsa--", "gfx10-3-generic", "" },
    { "hip-amdgpu11-amd-amdhsa--", "gfx11-generic", "" },
    { "hip-amdgpu11.7-amd-amdhsa--", "gfx11-7-generic", "" },
    { "hip-amdgpu12-amd-amdhsa--", "gfx12-generic", "" },
    { "hip-amdgpu12.5-amd-amdhsa--", "gfx12-5-generic", "" },
    { "hip-amdgpu13-amd-amdhsa--", "gfx13-generic", "" },
    /* Both say it; what stands behind the triple has the features. */
    { "hip-amdgpu9.42-amd-amdhsa--gfx942:xnack-", "gfx942", "gfx942:xnack-" },
    { "hip-amdgpu9.4-amd-amdhsa--gfx950", "gfx9-4-generic", "gfx950" },
    /* No processor: none is named, families without a generic target, other words. */
    { "hip-amdgpu-amd-amdhsa-llvm-gfx942", "", "gfx942" },
    { "hip-amdgcn-amd-amdhsa--", "", "" },
    { "hip-amdgpu8-amd-amdhsa--", "", "" },
    { "hip-amdgpu14-amd-amdhsa--", "", "" },
    { "hip-amdgpu9.-amd-amdhsa--", "", "" },
    { "hip-amdgpu.42-amd-amdhsa--", "", "" },
    { "hip-amdgpu9.421-amd-amdhsa--", "", "" },
    { "hip-amdgpu942-amd-amdhsa--", "", "" },
    { "hip-amdgpu100.42-amd-amdhsa--", "", "" },
    { "hip-amdgpu9.4z-amd-amdhsa--", "", "" },
    { "hip-AMDGPU9.42-amd-amdhsa--", "", "" },
    { "hip-xamdgpu9.42-amd-amdhsa--", "", "" },
    { "hip-amdgpu9.42-amd-amdpal--", "", "" },
    { "host-amdgpu9.42-amd-amdhsa--", "", "" },
};

Test(entryid, the_architecture_may_name_the_processor)
{
    struct ra_target target;

    for (size_t i = 0; i < RA_COUNT(architectures); i++) {
        struct ra_entry_id id = parsed(architectures[i].text);

        cr_assert_str_eq(id.processor, architectures[i].processor, "%s",
                         architectures[i].text);
        assert_id(architectures[i].text, id.kind, architectures[i].target);
        if (*id.processor)
            cr_assert(ra_target_parse((struct ra_span){ (const uint8_t *)id.processor,
                                                        strlen(id.processor), 0 },
                                      &target) &&
                          ra_processor_by_name(target.processor),
                      "%s", id.processor);
    }
}

Test(entryid, each_part_of_an_id_is_read_without_touching_what_follows)
{
    for (size_t i = 0; i < RA_COUNT(ids); i++) {
        size_t whole = strlen(ids[i].text);

        for (size_t size = 0; size <= whole; size++) {
            char *copy = strndup(ids[i].text, size);
            struct ra_span span = { (uint8_t *)copy, size, 100 };
            struct ra_entry_id id = ra_entry_id_parse(span);

            cr_assert(id.target.size <= size);
            if (id.target.size)
                cr_assert_eq(id.target.base, 100 + size - id.target.size);
            free(copy);
        }
    }
}

Test(entryid, bytes_that_are_no_text_are_compared_as_bytes)
{
    static const uint8_t nul[] = "hip\0-amdgcn-amd-amdhsa--gfx90a";
    static const uint8_t high[] = "hip-\xff\xfe-amd-amdhsa--gfx90a:xnack-\xff";
    struct ra_entry_id id =
        ra_entry_id_parse((struct ra_span){ nul, sizeof(nul) - 1, 0 });

    cr_assert_eq(id.kind, RA_ENTRY_OTHER);
    id = ra_entry_id_parse((struct ra_span){ high, sizeof(high) - 1, 0 });
    cr_assert_eq(id.kind, RA_ENTRY_HIP);
    cr_assert_eq(id.target.size, strlen("gfx90a:xnack-") + 1);
}

/* A target ID is found in every ID that names a processor, and it parses. */
Test(entryid, the_target_part_is_a_target_id)
{
    struct ra_target target;

    for (size_t i = 0; i < RA_COUNT(ids); i++)
        if (*ids[i].target)
            cr_assert(ra_target_parse(parsed(ids[i].text).target, &target), "%s",
                      ids[i].text);
}

Test(entryid, a_long_id_of_dashes_takes_no_time)
{
    static uint8_t text[1024];
    struct ra_span span = { text, sizeof(text), 0 };

    memset(text, '-', sizeof(text));
    memcpy(text, "hip-amdhsa", 10);
    cr_assert_eq(ra_entry_id_parse(span).target.size, 0);
    memcpy(text + sizeof(text) - 6, "gfx90a", 6);
    cr_assert_eq(ra_entry_id_parse(span).target.size, 6);
}
