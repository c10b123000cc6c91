#include "base/text.h"
#include "cuts.h"
#include "device/told.h"
#include "gen/files.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct ra_arena arena;

static void forget(void)
{
    ra_arena_free(&arena);
}

static struct ra_span span_of(const char *text)
{
    return (struct ra_span){ (const uint8_t *)text, strlen(text), 0 };
}

static struct ra_devices told_span(struct ra_span text)
{
    struct ra_devices devices;

    cr_assert_eq(ra_devices_told(text, "host.txt", &arena, &devices), RA_OK);
    cr_assert(devices.count > 0 || strncmp(devices.text, "host.txt: ", 10) == 0);
    for (size_t i = 0; i < devices.count; i++) {
        const struct ra_device *device = &devices.list[i];

        cr_assert_eq(device->index, i);
        cr_assert_eq(device->origin, RA_FROM_USER);
        cr_assert_eq(device->sramecc_assumed,
                     device->sramecc_origin == RA_FROM_ASSUMPTION);
        cr_assert_eq(device->xnack_assumed, device->xnack_origin == RA_FROM_ASSUMPTION);
    }
    return devices;
}

/* "rocminfo, agent 2 = gfx1030; ...", an assumed feature behind a question mark. */
static const char *list(const struct ra_devices *devices)
{
    struct ra_text text = { 0 };
    const char *kept;

    for (size_t i = 0; i < devices->count; i++) {
        const struct ra_device *device = &devices->list[i];

        ra_text_printf(&text, "%s%s = %s%s%s", i ? "; " : "", device->source,
                       device->target, device->sramecc_assumed ? " ?sramecc" : "",
                       device->xnack_assumed ? " ?xnack" : "");
    }
    kept = ra_text_keep(&text, &arena);
    ra_text_free(&text);
    return kept;
}

/* What a text says, with nothing odd in it. */
static void assert_says(const char *text, const char *expected)
{
    struct ra_devices devices = told_span(span_of(text));

    cr_assert_str_eq(list(&devices), expected, "%s: %s", text, list(&devices));
    cr_assert_str_eq(devices.text, "", "%s: %s", text, devices.text);
    cr_assert_not(devices.incomplete, "%s", text);
}

/* What a text says of which something is odd, or that has no device. */
static void assert_odd(const char *text, const char *expected, bool incomplete,
                       const char *sentence)
{
    struct ra_devices devices = told_span(span_of(text));

    cr_assert_str_eq(list(&devices), expected, "%s: %s", text, list(&devices));
    cr_assert_str_eq(devices.text, ra_text_format(&arena, "host.txt: %s", sentence),
                     "%s: %s", text, devices.text);
    cr_assert_eq(devices.incomplete, incomplete, "%s", text);
}

/* ---- what the tools print ----------------------------------------------------- */

static const struct {
    const char *file, *devices, *text;
    bool incomplete;
} outputs[] = {
    { "rocminfo-mi300x.txt", "rocminfo, agent 2 = gfx942:sramecc+:xnack-", "", false },
    { "rocminfo-mi210-xnack.txt", "rocminfo, agent 2 = gfx90a:sramecc+:xnack+", "",
      false },
    { "rocminfo-rx7900-raphael.txt",
      "rocminfo, agent 2 = gfx1100; rocminfo, agent 3 = gfx1036", "", false },
    { "rocminfo-no-driver.txt", "",
      "host.txt: rocminfo reported: ROCk module is NOT loaded, possibly no GPU devices",
      false },
    { "rocminfo-no-permission.txt", "",
      "host.txt: rocminfo reported: Unable to open /dev/kfd read-write: Permission "
      "denied",
      false },
    { "rocm_agent_enumerator.txt",
      "rocm_agent_enumerator, line 2 = gfx90a:sramecc+:xnack- ?sramecc ?xnack", "",
      false },
    { "rocm_agent_enumerator-kfd.txt",
      "target list, line 1 = gfx90a:sramecc+:xnack- ?sramecc ?xnack; "
      "target list, line 2 = gfx90a:sramecc+:xnack- ?sramecc ?xnack",
      "", false },
    { "rocm_agent_enumerator-name.txt",
      "rocm_agent_enumerator, line 1 = gfx90a:sramecc+:xnack-", "", false },
    { "amdgpu-arch.txt", "target list, line 1 = gfx1100; target list, line 2 = gfx1036",
      "", false },
    { "amdgpu-arch-hip.txt", "target list, line 1 = gfx942:sramecc+:xnack-", "", false },
    { "rocm-smi-showhw-new.txt",
      "rocm-smi, GPU 0 = gfx90a:sramecc+:xnack- ?sramecc ?xnack", "", false },
    { "rocm-smi-showhw-old.txt",
      "rocm-smi, GPU 0 (printed gfx11002) = gfx1102; rocm-smi, GPU 1 = gfx1036", "",
      false },
    { "rocm-smi-showhw-old-mi210.txt",
      "rocm-smi, GPU 0 (printed gfx9010) = gfx90a:sramecc+:xnack- ?sramecc ?xnack", "",
      false },
    { "rocm-smi-showproductname.txt",
      "rocm-smi, GPU 0 = gfx942:sramecc+:xnack- ?sramecc ?xnack; "
      "rocm-smi, GPU 1 = gfx942:sramecc+:xnack- ?sramecc ?xnack",
      "", false },
    { "rocm-smi-showproductname-old.json",
      "rocm-smi, GPU 0 (printed gfx9010) = gfx90a:sramecc+:xnack- ?sramecc ?xnack", "",
      false },
    { "amd-smi-static-asic.txt",
      "amd-smi, GPU 0 = gfx942:sramecc+:xnack- ?sramecc ?xnack", "", false },
    { "amd-smi-static-asic.json",
      "amd-smi, GPU 0 = gfx942:sramecc+:xnack- ?sramecc ?xnack", "", false },
    { "amd-smi-static-asic-wrapped.json",
      "amd-smi, GPU 0 = gfx942:sramecc+:xnack- ?sramecc ?xnack", "", false },
    { "amd-smi-static-asic-old-mi210-bug.json",
      "amd-smi, GPU 0 (printed gfx90) = gfx90a:sramecc+:xnack- ?sramecc ?xnack", "",
      false },
    { "torch-device-properties.txt", "torch, device 0 = gfx942:sramecc+:xnack-", "",
      false },
    { "torch-arch-list.txt", "",
      "host.txt: this is what torch was built for, not what is there: print "
      "torch.cuda.get_device_properties(0) instead",
      false },
};

static struct fx output(const char *name)
{
    struct fx fx = { 0 };

    cr_assert(fx_load("fixtures/tool-output", name, &fx), "%s", name);
    return fx;
}

Test(told_devices, every_tool_is_understood, .fini = forget)
{
    for (size_t i = 0; i < RA_COUNT(outputs); i++) {
        struct fx fx = output(outputs[i].file);
        struct ra_devices devices = told_span(fx_span(&fx));

        cr_assert_str_eq(list(&devices), outputs[i].devices, "%s: %s", outputs[i].file,
                         list(&devices));
        cr_assert_str_eq(devices.text, outputs[i].text, "%s: %s", outputs[i].file,
                         devices.text);
        cr_assert_eq(devices.incomplete, outputs[i].incomplete, "%s", outputs[i].file);
        fx_free(&fx);
    }
}

/* The same text as other systems and shells hand it over. */
static struct fx rewritten(const struct fx *from, const char *start, const char *newline,
                           unsigned before, unsigned behind)
{
    struct fx fx = { 0 };

    fx_bytes(&fx, start, strlen(start));
    for (size_t i = 0; i < from->size; i++) {
        char byte[] = { (char)from->data[i], '\0' };

        for (const char *c = byte[0] == '\n' ? newline : byte; *c; c++) {
            for (unsigned j = 0; j < before; j++)
                fx_u8(&fx, 0);
            fx_u8(&fx, (uint8_t)*c);
            for (unsigned j = 0; j < behind; j++)
                fx_u8(&fx, 0);
        }
    }
    return fx;
}

Test(told_devices, the_way_a_text_was_saved_does_not_matter, .fini = forget)
{
    static const struct {
        const char *start, *newline;
        unsigned before, behind;
    } ways[] = {
        { "", "\r\n", 0, 0 },
        { "\xef\xbb\xbf", "\n", 0, 0 },
        { "\xef\xbb\xbf", "\r\n", 0, 0 },
        { "\xff\xfe", "\r\n", 0, 1 }, /* what `>` of PowerShell 5 writes */
        { "", "\r\n", 0, 1 },
        { "\xfe\xff", "\n", 1, 0 },
        { "\033[0m\033[1;32m", "\033[0m \t\n", 0, 0 },
    };

    for (size_t i = 0; i < RA_COUNT(outputs); i++)
        for (size_t way = 0; way < RA_COUNT(ways); way++) {
            struct fx fx = output(outputs[i].file);
            struct fx other = rewritten(&fx, ways[way].start, ways[way].newline,
                                        ways[way].before, ways[way].behind);
            struct ra_devices devices = told_span(fx_span(&other));

            cr_assert_str_eq(list(&devices), outputs[i].devices, "%s, way %zu: %s",
                             outputs[i].file, way, list(&devices));
            cr_assert_str_eq(devices.text, outputs[i].text, "%s, way %zu: %s",
                             outputs[i].file, way, devices.text);
            fx_free(&other);
            fx_free(&fx);
        }
}

/* Whether the text names the processor, or what its source says was printed. */
static bool is_named_in(const struct fx *text, const struct ra_device *device)
{
    const char *name = device->id.processor,
               *printed = strstr(device->source, "printed ");
    size_t size = strlen(name);

    if (printed) {
        name = printed + strlen("printed ");
        size = strcspn(name, ")");
    }
    return memmem(text->data, text->size, name, size) != NULL ||
           strstr(device->source, "(PCI device 0x") != NULL;
}

/* A processor is one that the whole text has, too: gfx90 of gfx90a is no name. */
static bool is_expected(const char *devices, const struct ra_device *device)
{
    const char *name =
        ra_text_format(&arena, "%.*s = %s", (int)strcspn(device->source, "("),
                       device->source, device->id.processor);
    const char *bare = ra_text_format(&arena, "= %s", device->id.processor);

    return strstr(devices, name) || strstr(devices, bare);
}

Test(told_devices, a_truncated_text_invents_nothing, .fini = forget)
{
    for (size_t i = 0; i < RA_COUNT(outputs); i++) {
        struct fx fx = output(outputs[i].file);

        for (size_t size = 0; size < fx.size; size = cut_next(size)) {
            struct fx cut = cut_of(&fx, size);
            struct ra_devices devices = told_span(fx_span(&cut));

            for (size_t j = 0; j < devices.count; j++) {
                cr_assert(is_named_in(&cut, &devices.list[j]), "%s at %zu",
                          outputs[i].file, size);
                cr_assert(is_expected(outputs[i].devices, &devices.list[j]),
                          "%s at %zu: %s", outputs[i].file, size, devices.list[j].target);
            }
            fx_free(&cut);
        }
        fx_free(&fx);
        forget();
    }
}

/* ---- rocminfo ------------------------------------------------------------------- */

Test(told_devices, a_grepped_rocminfo_still_tells_agents_apart, .fini = forget)
{
    /* rocminfo | grep -i name */
    assert_says(
        "  Name:                    Example CPU\n"
        "  Marketing Name:          Example CPU\n"
        "  Vendor Name:             CPU\n"
        "  Name:                    gfx942  \n"
        "  Marketing Name:          AMD Instinct MI300X\n"
        "  Vendor Name:             AMD\n"
        "      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-\n"
        "      Name:                    "
        "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-\n"
        "  Name:                    gfx1036\n"
        "      Name:                    amdgcn-amd-amdhsa--gfx1036\n"
        "      Name:                    amdgcn-amd-amdhsa--gfx10-3-generic\n",
        "rocminfo, line 4 = gfx942:sramecc+:xnack-; rocminfo, line 9 = gfx1036");
    /* rocminfo | grep gfx */
    assert_says(
        "  Name:                    gfx90a                             \n"
        "      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\n"
        "  Name:                    gfx90a                             \n"
        "      Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-\n",
        "rocminfo, line 1 = gfx90a:sramecc+:xnack-; "
        "rocminfo, line 3 = gfx90a:sramecc+:xnack-");
    /* rocminfo | grep amdgcn */
    assert_says("      Name:   amdgcn-amd-amdhsa--gfx1201  \n"
                "      Name:   amdgcn-amd-amdhsa--gfx12-generic\n"
                "      Name:   amdgcn-amd-amdhsa--gfx1201  \n",
                "rocminfo, line 1 = gfx1201; rocminfo, line 3 = gfx1201");
    /* rocminfo | grep -m1 gfx */
    assert_says("  Name:                    gfx1151                            \n",
                "rocminfo, line 1 = gfx1151");
}

Test(told_devices, the_first_isa_that_is_not_generic_counts_once, .fini = forget)
{
    assert_says("HSA Agents\nAgent 7\n  Name: gfx1100\n  Device Type: GPU\n"
                "  Name: amdgcn-amd-amdhsa--gfx11-generic\n"
                "  Name: amdgcn-amd-amdhsa--gfx1100\n"
                "  Name: amdgcn-amd-amdhsa--gfx1101\n",
                "rocminfo, agent 7 = gfx1100");
    /* Without a native one, the agent's own name is what there is. */
    assert_says("HSA Agents\nAgent 2\n  Name: gfx90c\n  Device Type: GPU\n",
                "rocminfo, agent 2 = gfx90c:xnack- ?xnack");
}

Test(told_devices, agents_that_are_no_gpu_are_passed_over, .fini = forget)
{
    assert_odd("HSA Agents\nAgent 1\n  Name: AMD EPYC 7543\n  Device Type: CPU\n"
               "Agent 2\n  Name: aie2\n  Device Type: DSP\n",
               "", false, "rocminfo lists no GPU");
    assert_odd("HSA Agents\nAgent 1\n  Name: Fiji\n  Device Type: GPU\n"
               "Agent 2\n  Name: gfx803\n  Device Type: GPU\n",
               "rocminfo, agent 2 = gfx803", true,
               "rocminfo, agent 1: Fiji is no target ID such as gfx90a or "
               "gfx942:sramecc+:xnack-");
}

Test(told_devices, a_loaded_module_is_no_complaint, .fini = forget)
{
    assert_says("\033[37mROCk module version 6.10.5 is loaded\033[0m\nHSA Agents\n"
                "Agent 1\n  Name: gfx1102\n",
                "rocminfo, agent 1 = gfx1102");
    assert_odd("ROCk module is loaded\nhsa api call failure at: /src/rocminfo.cc:1306\n"
               "Unable to open /dev/kfd\n",
               "", false,
               "rocminfo reported: hsa api call failure at: /src/rocminfo.cc:1306");
}

Test(told_devices, names_of_rocm_3_are_read, .fini = forget)
{
    /* That form has no way to say off, and leaves nothing open. */
    assert_says("HSA Agents\nAgent 2\n  Name: gfx906\n"
                "  Name: amdgcn-amd-amdhsa--gfx906+sram-ecc\n",
                "rocminfo, agent 2 = gfx906:sramecc+:xnack-");
}

/* ---- rocm-smi and amd-smi --------------------------------------------------------- */

Test(told_devices, names_a_digit_too_long_are_put_right, .fini = forget)
{
    static const char *const rows[][2] = {
        { "gfx9010", "gfx90a:sramecc+:xnack- ?sramecc ?xnack" },
        { "gfx9012", "gfx90c:xnack- ?xnack" },
        { "gfx9008", "gfx908:sramecc+:xnack- ?sramecc ?xnack" },
        { "gfx9000", "gfx900:xnack- ?xnack" },
        { "gfx11000", "gfx1100" },
        { "gfx11002", "gfx1102" },
        { "gfx12001", "gfx1201" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        assert_says(ra_text_format(&arena,
                                   "GPU  NODE  DID     GUID  GFX VER   GFX RAS\n"
                                   "3    1     0x7480  3799  %s  N/A\n====\n",
                                   rows[i][0]),
                    ra_text_format(&arena, "rocm-smi, GPU 3 (printed %s) = %s",
                                   rows[i][0], rows[i][1]));
    }
    /* The real ones whose digits look as if they were such. */
    assert_says("gfx1010\ngfx1012\ngfx1201\n",
                "target list, line 1 = gfx1010:xnack- ?xnack; "
                "target list, line 2 = gfx1012:xnack- ?xnack; "
                "target list, line 3 = gfx1201");
}

Test(told_devices, a_number_that_is_no_name_is_not_put_right, .fini = forget)
{
    static const char *const names[] = { "gfx9016", "gfx60000", "gfx9100", "gfx90100",
                                         "gfx9" };

    for (size_t i = 0; i < RA_COUNT(names); i++)
        assert_odd(names[i], "", true,
                   ra_text_format(&arena,
                                  "target list, line 1: %s is not a target this build "
                                  "knows",
                                  names[i]));
}

Test(told_devices, a_row_without_a_name_is_a_gpu_that_cannot_be_told, .fini = forget)
{
    assert_odd("WARNING: AMD GPU device(s) is/are in a low-power state\n"
               "GPU  NODE  DID     GUID   GFX VER  GFX RAS\n"
               "0    1     0x744c  1      gfx1100  N/A\n"
               "1    2     0x1234  2      N/A      N/A\n"
               "====\n",
               "rocm-smi, GPU 0 = gfx1100", true,
               "rocm-smi, GPU 1 (PCI device 0x1234): it is not said which processor it "
               "has");
    assert_odd("GPU[1]\t\t: Card Model: \t\t0x1234\nGPU[1]\t\t: GFX Version: \t\tN/A\n",
               "", true,
               "rocm-smi, GPU 1 (PCI device 0x1234): N/A is no target ID such as gfx90a "
               "or gfx942:sramecc+:xnack-");
}

Test(told_devices, a_gpu_that_rocm_smi_shows_twice_is_one, .fini = forget)
{
    /* rocm-smi --showhw --showproductname */
    assert_says(
        "GPU  NODE  DID     GUID   GFX VER  GFX RAS\n"
        "0    1     0x744c  1      gfx1100  N/A\n"
        "====\n"
        "GPU[0]\t\t: Card Model: \t\t0x744c\nGPU[0]\t\t: GFX Version: \t\tgfx1100\n",
        "rocm-smi, GPU 0 = gfx1100");
    /* The table ends; what is behind it has other columns. */
    assert_says("GPU  NODE  DID     GUID   GFX VER  GFX RAS\n"
                "0    1     0x744c  1      gfx1100  N/A\n"
                "====\n"
                "1    gfx1030 x\n",
                "rocm-smi, GPU 0 = gfx1100");
}

Test(told_devices, a_pci_id_is_that_of_the_same_gpu, .fini = forget)
{
    static const char both[] = "is what some releases print for gfx90a and gfx90c: it "
                               "cannot be told which";

    assert_odd("GPU[0]\t: Card Model: \t0x740f\nGPU[1]\t: GFX Version: \tgfx90\n", "",
               true, ra_text_format(&arena, "rocm-smi, GPU 1: gfx90 %s", both));
    assert_odd("GPU: 0\n DEVICE_ID: 0xffff\nGPU: 1\n TARGET_GRAPHICS_VERSION: gfx90\n"
               "GPU: 0\n TARGET_GRAPHICS_VERSION: gfx1100\n",
               "amd-smi, GPU 0 = gfx1100", true,
               "amd-smi, GPU 0 (PCI device 0xffff): it is not said which processor it "
               "has (and 1 more)");
    assert_odd(
        "{\"card0\": {\"Card Model\": \"0xffff\", \"GFX Version\": \"gfx90\"}}", "", true,
        ra_text_format(&arena, "rocm-smi, GPU 0 (PCI device 0xffff): gfx90 %s", both));
    assert_odd("{\"card0\": {\"Card Model\": \"MI210\", \"GFX Version\": \"gfx90\"}}", "",
               true, ra_text_format(&arena, "rocm-smi, GPU 0: gfx90 %s", both));
}

/* The PCI device says what a garbled name does not. */
Test(told_devices, a_pci_device_names_the_processor, .fini = forget)
{
    assert_says(
        "{\"card0\": {\"Card Model\": \"0x740f\", \"GFX Version\": \"gfx90\"}}",
        "rocm-smi, GPU 0 (printed gfx90) = gfx90a:sramecc+:xnack- ?sramecc ?xnack");
    assert_says("GPU: 0\n    ASIC:\n        DEVICE_ID: 0x7550\n"
                "        TARGET_GRAPHICS_VERSION: N/A\n",
                "amd-smi, GPU 0 (printed N/A) = gfx1201");
    /* a name that can be read wins */
    assert_says("{\"card0\": {\"Card Model\": \"0x740f\", \"GFX Version\": \"gfx1100\"}}",
                "rocm-smi, GPU 0 = gfx1100");
}

Test(told_devices, rocm_smi_without_names_says_what_to_run, .fini = forget)
{
    assert_odd("==== ROCm System Management Interface ====\n"
               "==== Concise Info ====\n"
               "Device  Node  IDs\n0       1     0x744c,   1\n",
               "", false, "rocm-smi names no GPU in it: rocm-smi --showhw does");
    assert_odd("{\"card0\": {\"GUID\": \"1\"}}\n", "", false,
               "JSON that names no GPU: amd-smi static --asic --json and "
               "rocm-smi --showproductname --json do");
}

Test(told_devices, names_are_found_in_json_of_any_layout, .fini = forget)
{
    assert_says("WARNING: low-power state [see \"help\"]\n"
                "{\"card0\": {\"Card Series\": \"a \\\" } gfx900\", "
                "\"GFX Version\":\"gfx1201\"},\n\"card11\":{\"GFX Version\" : "
                "\"gfx1036\"},\"system\":{\"Driver version\":\"6\"}}",
                "rocm-smi, GPU 0 = gfx1201; rocm-smi, GPU 11 = gfx1036");
    assert_says("{\"gpu_data\":[{\"gpu\":0,\"asic\":{\"target_graphics_version\":"
                "\"gfx1100\"},\"x\":{\"gpu\":5}},{\"gpu\":1,\"asic\":{\"oam_id\":"
                "null,\"target_graphics_version\":\"gfx1201\"}}]}",
                "amd-smi, GPU 0 = gfx1100; amd-smi, GPU 1 = gfx1201");
    /* Without numbers they are counted. */
    assert_says("[{\"target_graphics_version\":\"gfx1100\"},"
                "{\"target_graphics_version\":\"gfx1101\"}]",
                "amd-smi, GPU 0 = gfx1100; amd-smi, GPU 1 = gfx1101");
}

Test(told_devices, what_is_only_said_within_a_value_is_no_key, .fini = forget)
{
    assert_odd("{\"a\": \"\\\"target_graphics_version\\\": \\\"gfx1100\\\"\", "
               "\"b\": [\"target_graphics_version\", \"gfx1101\"]}",
               "", false, "amd-smi names no GPU in it");
}

Test(told_devices, json_that_ends_early_may_have_named_more, .fini = forget)
{
    assert_odd("[{\"gpu\":0,\"asic\":{\"target_graphics_version\":\"gfx1100\"}},{\"gp",
               "amd-smi, GPU 0 = gfx1100", true,
               "the JSON ends before it is closed; there may be more GPUs");
}

Test(told_devices, amd_smi_says_when_it_does_not_know, .fini = forget)
{
    assert_odd("GPU: 0\n    ASIC:\n        DEVICE_ID: 0xffff\n"
               "        TARGET_GRAPHICS_VERSION: gfx18446744073709551615\n"
               "GPU: 1\n    ASIC:\n        TARGET_GRAPHICS_VERSION: gfx1100\n"
               "GPU: 2\n    ASIC:\n        MARKET_NAME: x\n",
               "amd-smi, GPU 1 = gfx1100", true,
               "amd-smi, GPU 0 (PCI device 0xffff): gfx18446744073709551615 means that "
               "the tool does not know it (and 1 more)");
    /* amd-smi static | grep TARGET */
    assert_says("        TARGET_GRAPHICS_VERSION: gfx1100\r\n"
                "        TARGET_GRAPHICS_VERSION: gfx1100\r\n",
                "amd-smi, line 1 = gfx1100; amd-smi, line 2 = gfx1100");
}

/* ---- torch ------------------------------------------------------------------------ */

Test(told_devices, torch_tells_of_several_devices, .fini = forget)
{
    assert_says(
        "[_CudaDeviceProperties(name='a', gcnArchName='gfx1100', x=1), "
        "_CudaDeviceProperties(name='b', gcnArchName=\"gfx90a:sramecc+:xnack-\")]",
        "torch, device 0 = gfx1100; torch, device 1 = gfx90a:sramecc+:xnack-");
    assert_odd("_CudaDeviceProperties(gcnArchName='gfx942", "", true,
               "torch, device 0: it is not said which processor it has");
}

/* ---- lists ------------------------------------------------------------------------ */

Test(told_devices, a_list_has_comments_and_empty_lines, .fini = forget)
{
    assert_says("# our fleet\n\n  gfx90a:xnack-:sramecc- # two of them\n\tgfx1030\t#\n"
                "gfx942:xnack+",
                "target list, line 3 = gfx90a:sramecc-:xnack-; "
                "target list, line 4 = gfx1030; "
                "target list, line 5 = gfx942:sramecc+:xnack+ ?sramecc");
}

Test(told_devices, a_bare_gfx906_is_both_kinds_that_were_sold, .fini = forget)
{
    struct ra_devices devices = told_span(span_of("gfx906:xnack+\n"));

    cr_assert_str_eq(list(&devices),
                     "target list, line 1 = gfx906:sramecc+:xnack+ ?sramecc; "
                     "target list, line 1 = gfx906:sramecc-:xnack+ ?sramecc");
    assert_says("gfx906:sramecc-:xnack-", "target list, line 1 = gfx906:sramecc-:xnack-");
}

Test(told_devices, a_line_that_is_no_gpu_is_told, .fini = forget)
{
    assert_odd("gfx90a\ngfx11-generic\ngfx90a gfx942\ngfx942;gfx90a\nmi300\n",
               "target list, line 1 = gfx90a:sramecc+:xnack- ?sramecc ?xnack", true,
               "target list, line 2: gfx11-generic is a generic target, and no GPU is "
               "one (and 3 more)");
    assert_odd("amdgcnspirv\ngfx1100\n", "target list, line 2 = gfx1100", true,
               "target list, line 1: amdgcnspirv is code that any GPU can compile for "
               "itself, and no GPU is one");
    assert_odd("amdgcn-amd-amdhsa--gfx12-generic\ngfx000\n", "", false,
               "rocm_agent_enumerator lists no GPU");
}

Test(told_devices, what_a_tool_saw_is_a_device_though_strange, .fini = forget)
{
    assert_odd("gfx1105\n", "target list, line 1 = gfx1105", false,
               "target list, line 1: gfx1105 is not a target this build knows");
    assert_odd("gfx1100:xnack+\n", "target list, line 1 = gfx1100", false,
               "target list, line 1: gfx1100:xnack+ states xnack, which cannot be chosen "
               "on this processor");
}

/* ---- hostile, or not meant for us ---------------------------------------------------
 */

Test(told_devices, what_is_no_output_of_a_tool_is_told_by_its_first_line, .fini = forget)
{
    static const char *const empty[] = { "", "\n \r\n\t", "\xef\xbb\xbf", "\033[0m\n" };

    assert_odd("\n\n  bash: rocminfo: command not found\033]0;x\n", "", false,
               "neither the output of a tool that names GPUs nor a list of targets: it "
               "begins with: bash: rocminfo: command not found]0;x");
    assert_odd("\x01\\\xff", "", false,
               "neither the output of a tool that names GPUs nor a list of targets: it "
               "begins with: \\x01\\x5c\\xff");
    for (size_t i = 0; i < RA_COUNT(empty); i++)
        assert_odd(empty[i], "", false,
                   "there is nothing in it, which is what amdgpu-arch prints without a "
                   "GPU");
}

Test(told_devices, nul_bytes_are_no_end_and_no_name, .fini = forget)
{
    static const char text[] = "gfx1100\ngfx90a\0b\n\0\ngfx1030";
    struct ra_span span = { (const uint8_t *)text, sizeof(text) - 1, 0 };
    struct ra_devices devices = told_span(span);

    cr_assert_str_eq(list(&devices),
                     "target list, line 1 = gfx1100; target list, line 4 = gfx1030");
    cr_assert_str_eq(
        devices.text,
        "host.txt: target list, line 2: gfx90a\\x00b is no target ID such as "
        "gfx90a or gfx942:sramecc+:xnack- (and 1 more)");
}

/* `piece` again and again, as much of it as a text may have. */
static struct fx flood(const char *piece)
{
    size_t size = strlen(piece), count = RA_TOLD_MAX / size;
    struct fx fx = { .data = malloc(RA_TOLD_MAX), .room = RA_TOLD_MAX };

    cr_assert_not_null(fx.data);
    for (size_t i = 0; i < count; i++)
        memcpy(fx.data + i * size, piece, size);
    fx.size = count * size;
    return fx;
}

Test(told_devices, a_flood_is_bounded, .fini = forget, .timeout = 120)
{
    static const struct {
        const char *piece;
        size_t count;
    } rows[] = {
        { "gfx90a\n", RA_TOLD_DEVICES_MAX },
        { "gfx906\n", RA_TOLD_DEVICES_MAX },
        { "gfx9010\n", RA_TOLD_DEVICES_MAX },
        { "Name: gfx1100\n", RA_TOLD_DEVICES_MAX },
        { "gcnArchName='gfx1100'", RA_TOLD_DEVICES_MAX },
        { "TARGET_GRAPHICS_VERSION: gfx1100\n", RA_TOLD_DEVICES_MAX },
        { "GPU[0] : GFX Version: gfx1100\n", RA_TOLD_DEVICES_MAX },
        { "{\"GFX Version\":\"gfx1100\"}", RA_TOLD_DEVICES_MAX },
        { "gfx1100 ", 0 },
        { "gfx90\n", 0 },
        { "[", 0 },
        { "[\"target_graphics_version\":", 0 },
        { "\"\\", 0 },
        { "\033", 0 },
        { "\033[", 0 },
        { "gcnArchName='", 0 },
        { "Name:", 0 },
        { "\n", 0 },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        struct fx fx = flood(rows[i].piece);
        struct ra_devices devices = told_span(fx_span(&fx));

        cr_assert_eq(devices.count, rows[i].count, "%s", rows[i].piece);
        cr_assert_lt(strlen(devices.text), 1000);
        cr_assert_lt(arena.used, 4 << 20, "%s: %zu", rows[i].piece, arena.used);
        if (rows[i].count > 0) {
            cr_assert(devices.incomplete);
            cr_assert_str_eq(devices.text, "host.txt: more than 4096 GPUs are named; the "
                                           "rest are left out");
        }
        fx_free(&fx);
        forget();
    }
}

Test(told_devices, as_many_gpus_as_there_may_be_are_all_taken, .fini = forget)
{
    struct fx fx = { 0 };
    struct ra_devices devices;

    for (size_t i = 0; i < RA_TOLD_DEVICES_MAX; i++)
        fx_text(&fx, "gfx1100\n");
    devices = told_span(fx_span(&fx));
    cr_assert_eq(devices.count, RA_TOLD_DEVICES_MAX);
    cr_assert_str_eq(devices.text, "");
    cr_assert_not(devices.incomplete);
    fx_free(&fx);
}

Test(told_devices, a_text_that_is_too_large_is_not_read, .fini = forget)
{
    struct fx fx = flood("gfx1100\n");
    struct ra_devices devices = told_span(fx_span(&fx));

    cr_assert_eq(fx.size, RA_TOLD_MAX);
    cr_assert_eq(devices.count, RA_TOLD_DEVICES_MAX);
    fx_u8(&fx, '\n');
    devices = told_span(fx_span(&fx));
    cr_assert_eq(devices.count, 0);
    cr_assert_str_eq(devices.text,
                     "host.txt: larger than 4 MiB, which no list of GPUs is");
    fx_free(&fx);
}

Test(told_devices, a_full_arena_is_no_memory, .fini = forget)
{
    static const char *const texts[] = { "gfx906\ngfx9010\nx\n",
                                         "ROCk module is NOT loaded", "what" };

    for (size_t i = 0; i < RA_COUNT(texts); i++) {
        size_t limit = 1;
        enum ra_status status;

        do {
            struct ra_arena small = { .limit = limit };
            struct ra_devices devices;

            status = ra_devices_told(span_of(texts[i]), "f", &small, &devices);
            cr_assert(status == RA_OK || status == RA_E_NOMEM);
            ra_arena_free(&small);
            limit += 16;
        } while (status != RA_OK);
        cr_assert_gt(limit, 40);
    }
}
