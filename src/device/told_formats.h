/*
 * told_formats.h - between told.c, which knows what a GPU is, and the readers of formats.
 *
 * A reader finds where GPUs are named in its text and hands over each name as printed.
 */
#ifndef RA_TOLD_FORMATS_H
#define RA_TOLD_FORMATS_H

#include "base/cursor.h"
#include "device/device.h"

/** One GPU as a tool shows it. Zero-initialise. */
struct told_gpu {
    const char *place; /**< what `number` counts: "GPU", "agent", "line" */
    size_t number;
    struct ra_span name; /**< a processor, target ID or ISA name, as printed */
    struct ra_span pci;  /**< PCI device ID, as printed; empty if it is not told */
};

/** What is read, and what came of it so far. */
struct told {
    const char *tool; /**< whose output it is */
    struct ra_arena *arena;
    struct ra_device *list; /**< on the heap */
    size_t count, room;
    const char *odd;  /**< the first thing that is odd; NULL: none, or no memory */
    size_t odd_count; /**< of all that is odd */
    const char *why;  /**< why there is no device, if the reader knows; or NULL */
    bool incomplete;  /**< as in struct ra_devices */
    bool is_full;     /**< of devices: no more are taken */
    enum ra_status status;
};

/** Make a device of a GPU, or tell why it cannot be one. gfx000, which is a CPU, and ISA
 *  names of generic targets are passed over. */
void told_add(struct told *told, const struct told_gpu *gpu);

/** Whether something odd is the first such: then the caller sets `odd`. */
RA_MUST_CHECK bool told_is_first(struct told *told);

/** The start of foreign text, escaped; NULL if there is no memory. */
const char *told_excerpt(const struct told *told, struct ra_span text);

/** ISA names of generic targets are no GPU. */
bool told_is_generic(struct ra_span name);

/* ---- pieces of text --------------------------------------------------------- */

/** The bytes up to `end`, which is passed over, or up to the end of the text. */
struct ra_span told_until(struct ra_cursor *cur, uint8_t end);

/** The next line without blanks around it; false at the end of the text. */
bool told_line(struct ra_cursor *cur, struct ra_span *ret);

struct ra_span told_trim(struct ra_span text);
bool told_equals(struct ra_span text, const char *word);
bool told_starts(struct ra_span text, const char *word);
bool told_contains(struct ra_span text, const char *word);

/** False if `text` is no decimal number below a billion. */
RA_MUST_CHECK bool told_number(struct ra_span text, size_t *ret);

/* ---- formats: whether a text is of the kind, and what it says ---------------- */

bool told_is_torch(struct ra_span text);
void told_read_torch(struct told *told, struct ra_span text);
bool told_is_arch_list(struct ra_span text);
bool told_is_amd_smi_json(struct ra_span text);
bool told_is_rocm_smi_json(struct ra_span text);
bool told_is_json(struct ra_span text);
void told_read_json(struct told *told, struct ra_span text);
bool told_is_rocm_smi(struct ra_span text);
void told_read_rocm_smi(struct told *told, struct ra_span text);
bool told_is_amd_smi(struct ra_span text);
void told_read_amd_smi(struct told *told, struct ra_span text);
bool told_is_rocminfo(struct ra_span text);
void told_read_rocminfo(struct told *told, struct ra_span text);
bool told_is_enumerator(struct ra_span text);
bool told_is_list(struct ra_span text);
void told_read_list(struct told *told, struct ra_span text);

#endif
