#include "device/host.h"
#include "gfx/target.h"

#include <criterion/criterion.h>

/* The device table of ROCm's own library for WSL2, librocdxg. */
Test(pci, device_ids_stand_for_what_rocm_takes_them_for)
{
    static const struct {
        unsigned id;
        const char *processor;
    } rows[] = {
        { 0x7448, "gfx1100" }, { 0x744c, "gfx1100" }, { 0x745e, "gfx1100" },
        { 0x7449, "gfx1100" }, { 0x744a, "gfx1100" }, { 0x744b, "gfx1100" },
        { 0x7470, "gfx1101" }, { 0x747e, "gfx1101" }, { 0x7480, "gfx1102" },
        { 0x7590, "gfx1200" }, { 0x7550, "gfx1201" }, { 0x7551, "gfx1201" },
        { 0x150e, "gfx1150" }, { 0x1586, "gfx1151" }, { 0x1114, "gfx1152" },
        { 0x1900, "gfx1103" },
    };

    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        cr_assert_not_null(ra_pci_by_id(rows[i].id), "0x%x", rows[i].id);
        cr_assert_str_eq(ra_pci_by_id(rows[i].id)->processor, rows[i].processor);
    }
}

Test(pci, every_row_names_a_processor_we_know)
{
    size_t known = 0;

    for (uint64_t id = 0; id <= UINT16_MAX; id++) {
        const struct ra_pci_row *row = ra_pci_by_id(id);

        if (!row)
            continue;
        known++;
        cr_assert_eq(row->id, id);
        cr_assert_not_null(ra_processor_by_name(row->processor), "%s", row->processor);
    }
    cr_assert_gt(known, 100);
    cr_assert_null(ra_pci_by_id(0x1902), "sold as two processors");
    cr_assert_null(ra_pci_by_id(UINT64_C(0x10000744c)));
}

Test(pci, every_graphics_ip_is_a_processor_we_know)
{
    size_t known = 0;

    for (unsigned i = 0; i < 16 * 16 * 16; i++) {
        struct ra_gc gc = { i >> 8, i >> 4 & 15, i & 15 }, back;
        const char *processor = ra_gc_processor(gc);

        if (!processor)
            continue;
        known++;
        cr_assert_not_null(ra_processor_by_name(processor), "%s", processor);
        cr_assert(ra_gc_of(processor, &back));
        cr_assert_str_eq(ra_gc_processor(back), processor);
    }
    cr_assert_gt(known, 30);
    cr_assert_not(ra_gc_of("gfx803", &(struct ra_gc){ 0 }));
}

Test(pci, an_address_reads_as_it_is_spelled)
{
    static const char *const names[] = { "0000:00:00.0", "0000:03:00.0", "0000:c4:1f.7",
                                         "10000:ff:01.1", "ffffffff:ff:1f.7" };
    uint64_t before = 0;

    for (size_t i = 0; i < RA_COUNT(names); i++) {
        char text[RA_PCI_TEXT];
        uint64_t address;

        cr_assert(ra_pci_parse(names[i], &address));
        cr_assert(i == 0 || address > before, "%s", names[i]);
        ra_pci_spell(address, text);
        cr_assert_str_eq(text, names[i]);
        before = address;
    }
    /* KFD's location: bus 3, device 0, function 1. */
    cr_assert_eq(ra_pci_address(0, 769), UINT64_C(0x301));
}
