#include "gfx/isa.h"

#include "gfx/target.h"

#include <stdio.h>

static const struct {
    uint8_t major, minor, stepping;
    bool xnack;
    const char *processor;
} rows[] = {
    { 6, 0, 0, false, "gfx600" },  { 6, 0, 1, false, "gfx601" },
    { 6, 0, 2, false, "gfx602" },  { 7, 0, 0, false, "gfx700" },
    { 7, 0, 1, false, "gfx701" },  { 7, 0, 2, false, "gfx702" },
    { 7, 0, 3, false, "gfx703" },  { 7, 0, 4, false, "gfx704" },
    { 7, 0, 5, false, "gfx705" },  { 8, 0, 0, false, "gfx802" },
    { 8, 0, 1, true, "gfx801" },   { 8, 0, 2, false, "gfx802" },
    { 8, 0, 3, false, "gfx803" },  { 8, 0, 4, false, "gfx803" },
    { 8, 0, 5, false, "gfx805" },  { 8, 1, 0, true, "gfx810" },
    { 9, 0, 0, false, "gfx900" },  { 9, 0, 1, true, "gfx900" },
    { 9, 0, 2, false, "gfx902" },  { 9, 0, 3, true, "gfx902" },
    { 9, 0, 4, false, "gfx904" },  { 9, 0, 5, true, "gfx904" },
    { 9, 0, 6, false, "gfx906" },  { 9, 0, 7, true, "gfx906" },
    { 9, 0, 12, false, "gfx90c" },
};

static enum ra_setting setting(bool exists, bool on)
{
    if (!exists)
        return RA_SETTING_NONE;
    return on ? RA_SETTING_ON : RA_SETTING_OFF;
}

bool ra_isa_target(const struct ra_isa *isa, struct ra_target *ret)
{
    *ret = (struct ra_target){ 0 };
    for (size_t i = 0; i < RA_COUNT(rows); i++) {
        const struct ra_processor *processor;

        if (rows[i].major != isa->major || rows[i].minor != isa->minor ||
            rows[i].stepping != isa->stepping)
            continue;
        processor = ra_processor_by_name(rows[i].processor);
        if (!processor)
            return false;
        (void)snprintf(ret->processor, sizeof(ret->processor), "%s", processor->name);
        ret->xnack = setting(processor->xnack, rows[i].xnack);
        ret->sramecc = setting(processor->sramecc, false); /* V2 cannot ask for it */
        return true;
    }
    return false;
}
