#include "facts.h"

#include "base/text.h"
#include "device/device.h"
#include "gfx/target.h"

#include <criterion/criterion.h>

struct ra_arena facts_arena;
const struct ra_rocm facts_rocm = { RA_ROCM_NEWEST, RA_UPSTREAM };

void facts_forget(void)
{
    ra_arena_free(&facts_arena);
}

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

struct ra_target facts_target(const char *text)
{
    struct ra_target target;

    cr_assert(ra_target_parse(span_of(text), &target), "%s is no target ID", text);
    return target;
}

struct ra_entry facts_entry(const char *label, const char *elf)
{
    struct ra_entry entry = {
        .id = ra_text_format(&facts_arena, "hipv4-amdgcn-amd-amdhsa--%s", label),
        .target = ra_arena_text(&facts_arena, label, strlen(label)),
        .elf_target = ra_arena_text(&facts_arena, elf, strlen(elf)),
        .kind = RA_ENTRY_HIP,
        .label = facts_target(label),
        .content = RA_CONTENT_CODE_OBJECT,
        .size = 4096,
        .complete = true,
    };
    bool is_generic = strstr(elf, "-generic") != NULL;

    entry.code = (struct ra_code){
        .version = is_generic ? 6 : 5,
        .type = 3,
        .osabi = 0x40,
        .generic_version = is_generic,
        .target = facts_target(elf),
        .claimed = facts_target(elf),
        .has_metadata = true,
    };
    return entry;
}

struct ra_entry facts_code(const char *label)
{
    return facts_entry(label, label);
}

struct ra_entry facts_host(void)
{
    return (struct ra_entry){
        .id = "host-x86_64-unknown-linux-gnu-",
        .target = "",
        .elf_target = "",
        .kind = RA_ENTRY_HOST,
        .content = RA_CONTENT_EMPTY,
        .complete = true,
    };
}

struct ra_bundle facts_bundle(const char *container, const struct ra_entry *entries,
                              size_t count)
{
    struct ra_entry *copy = ra_new(&facts_arena, struct ra_entry, count);

    for (size_t i = 0; i < count; i++)
        copy[i] = entries[i];
    return (struct ra_bundle){
        .container = container,
        .has_table = true,
        .complete = true,
        .entries = copy,
        .entry_count = count,
    };
}

struct ra_bundle facts_for(const char *targets)
{
    struct ra_entry entries[16] = { facts_host() };
    char *words = ra_arena_text(&facts_arena, targets, strlen(targets)), *rest = words;
    size_t count = 1;

    for (char *word; (word = strsep(&rest, " ")) && *word;) {
        cr_assert_lt(count, RA_COUNT(entries));
        entries[count++] = facts_code(word);
    }
    return facts_bundle("plain", entries, count);
}

struct ra_bundle facts_raw(const char *elf)
{
    struct ra_entry entry = facts_code(elf);

    entry.id = entry.target = "";
    entry.kind = RA_ENTRY_RAW;
    entry.label = (struct ra_target){ 0 };
    return facts_bundle("raw", &entry, 1);
}

struct ra_file facts_file(const char *path, const struct ra_bundle *bundles, size_t count)
{
    struct ra_bundle *copy = ra_new(&facts_arena, struct ra_bundle, count);

    for (size_t i = 0; i < count; i++)
        copy[i] = bundles[i];
    return (struct ra_file){
        .path = path,
        .raw_path = path,
        .kind = RA_KIND_ELF,
        .bundles = copy,
        .bundle_count = count,
    };
}

struct ra_device facts_device(const char *target)
{
    struct ra_device device = { .id = facts_target(target), .source = "--gpu" };

    cr_assert_eq(ra_device_complete(&device, &facts_arena), RA_OK);
    device.sramecc_assumed = device.xnack_assumed = false;
    return device;
}

void facts_kernels(struct ra_entry *entry, const uint32_t *names, size_t count,
                   unsigned stubs)
{
    struct ra_kernel *kernels = ra_new(&facts_arena, struct ra_kernel, count);

    for (size_t i = 0; i < count; i++)
        kernels[i] = (struct ra_kernel){ .name = names[i], .is_stub = stubs >> i & 1 };
    entry->kernels = kernels;
    entry->kernel_count = count;
}
