/*
 * told.h - the GPUs of another machine, by what a tool said there.
 *
 * Texts of rocminfo, rocm_agent_enumerator, amdgpu-arch, rocm-smi, amd-smi and torch,
 * also grepped or sent through PowerShell, and lists of target IDs, one a line, with #
 * comments. What these tools say is already after any override. Each is a row of the
 * table in told.c.
 */
#ifndef RA_TOLD_H
#define RA_TOLD_H

#include "base/cursor.h"
#include "device/device.h"

#define RA_TOLD_MAX         ((size_t)4 << 20)
#define RA_TOLD_DEVICES_MAX 4096

/**
 * The GPUs that the output of a tool names, in its order; equal ones are several.
 *
 * Names that old releases of rocm-smi print wrongly are put right, and the device's
 * source says so. A feature that a name leaves open is assumed, and a gfx906 without
 * sramecc is two devices, as in ra_devices_named().
 *
 * @param text  whole; one of more than RA_TOLD_MAX bytes is said to be too large
 * @param name  of the file, escaped; used in texts only
 * @param ret   `text` says why there is no device, or the first thing that is odd;
 *              `incomplete` if there is a GPU, or what may be one, that is no device here
 * @return RA_OK, even if the text is of no known kind; RA_E_NOMEM
 */
RA_MUST_CHECK enum ra_status ra_devices_told(struct ra_span text, const char *name,
                                             struct ra_arena *arena,
                                             struct ra_devices *ret);

#endif
