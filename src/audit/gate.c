#include "audit/gate.h"

#include "audit/judge.h"
#include "base/text.h"
#include "gfx/target.h"

#include <fnmatch.h>

/* ---- the options ------------------------------------------------------------ */

enum ra_status ra_gate_read(const struct ra_options *options, struct ra_arena *arena,
                            struct ra_gate *ret)
{
    struct ra_target *forbidden =
        ra_new(arena, struct ra_target, options->forbidden_count);

    if (!forbidden)
        return RA_E_NOMEM;
    for (size_t i = 0; i < options->forbidden_count; i++) {
        const char *text = options->forbidden[i];
        struct ra_span span = { (const uint8_t *)text, strlen(text), 0 };

        if (ra_target_refused(text) || !ra_target_parse(span, &forbidden[i]))
            return RA_E_FORMAT;
    }
    *ret = (struct ra_gate){ forbidden, options->forbidden_count,
                             options->allowed_partial, options->allowed_partial_count };
    return RA_OK;
}

/* ---- what is allowed -------------------------------------------------------- */

bool ra_gate_allows(const struct ra_gate *gate, const struct ra_file *file)
{
    for (size_t i = 0; i < gate->allowed_count; i++)
        if (fnmatch(gate->allowed[i], ra_member_base(file->path, file->is_member), 0) ==
                0 ||
            fnmatch(gate->allowed[i], file->path, 0) == 0 ||
            fnmatch(gate->allowed[i], file->name, 0) == 0)
            return true;
    return false;
}

/* Bundles that leave the device out, for which something else is wrong, or unknown. */
struct left {
    size_t out, wrong, unknown;
};

static struct left count_left(const struct ra_file *file, const struct ra_device *device,
                              const struct ra_rocm *rocm)
{
    struct left left = { 0 };

    for (size_t i = 0; i < file->bundle_count; i++) {
        struct ra_choice found = ra_judge_bundle(&file->bundles[i], &device->id, rocm);

        left.out += found.kind == RA_MISSING;
        left.wrong += found.kind > RA_MISSING;
        left.unknown += found.kind == RA_UNDECIDED;
    }
    return left;
}

void ra_gate_weigh(const struct ra_gate *gate, const struct ra_file *file,
                   const struct ra_device *device, const struct ra_rocm *rocm,
                   struct ra_verdict *verdict)
{
    struct left left = count_left(file, device, rocm);
    bool undecided = left.unknown > 0 || file->status != RA_FILE_OK;

    if (left.out == 0 || verdict->kind > RA_MISSING)
        return;
    /* What was meant is not known of a file that was not read whole, and is no matter. */
    if (verdict->kind == RA_UNDECIDED)
        verdict->kind = RA_PARTIAL;
    verdict->severity = RA_ERROR;
    if (left.wrong > 0 || !ra_gate_allows(gate, file))
        return;
    verdict->severity = RA_NOTE;
    if (undecided)
        verdict->kind = RA_UNDECIDED;
}

/* ---- what is forbidden ------------------------------------------------------ */

static bool states_alike(enum ra_setting wanted, enum ra_setting code)
{
    return (wanted != RA_SETTING_ON && wanted != RA_SETTING_OFF) || wanted == code;
}

static bool is_for(const struct ra_target *code, const struct ra_target *target)
{
    return strcmp(code->processor, target->processor) == 0 &&
           states_alike(target->xnack, code->xnack) &&
           states_alike(target->sramecc, code->sramecc);
}

bool ra_gate_has(const struct ra_entry *entry, const struct ra_target *target)
{
    if (entry->kind == RA_ENTRY_HOST || entry->size == 0)
        return false;
    return is_for(&entry->label, target) || (entry->content == RA_CONTENT_CODE_OBJECT &&
                                             is_for(&entry->code.target, target));
}
