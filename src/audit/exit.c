#include "audit/exit.h"

static bool any_undecided(const struct ra_report *report)
{
    for (size_t i = 0; i < report->file_count; i++)
        for (size_t j = 0; j < report->files[i].verdict_count; j++)
            if (report->files[i].verdicts[j].kind == RA_UNDECIDED)
                return true;
    return report->totals.incomplete > 0;
}

static bool any_judged(const struct ra_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        if (ra_device_is_judged(&devices->list[i]))
            return true;
    return false;
}

/* Whether all that could have device code compiles it where it runs. */
static bool is_only_jit(const struct ra_report *report)
{
    for (size_t i = 0; i < report->package_count; i++)
        if (!report->packages[i].jit)
            return false;
    return report->package_count > 0 && report->totals.by_kind[RA_KIND_CUDA] == 0;
}

int ra_exit_of_audit(const struct ra_report *report, const struct ra_options *options,
                     const struct ra_devices *devices)
{
    bool warnings = options->strict || options->fail_on == RA_FAIL_ON_WARNING;
    uint64_t failures = report->totals.errors + (warnings ? report->totals.warnings : 0);

    if (failures > 0 && options->fail_on != RA_FAIL_NEVER)
        return 1;
    if (!any_judged(devices))
        return 2;
    if ((any_undecided(report) || devices->incomplete) && !options->allow_incomplete)
        return 2;
    if (report->totals.with_device_code == 0 && !options->allow_empty &&
        !is_only_jit(report))
        return 2;
    return 0;
}

int ra_exit_of_list(const struct ra_report *report, const struct ra_options *options)
{
    bool incomplete = report->totals.incomplete > 0 && !options->allow_incomplete;
    bool empty = report->totals.code_objects == 0 && report->totals.target_count == 0;

    return incomplete || (empty && !options->allow_empty) ? 2 : 0;
}
