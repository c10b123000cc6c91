/* text.h - parts of the text for people; text.c puts them in their order. */
#ifndef RA_TEXT_REPORT_H
#define RA_TEXT_REPORT_H

#include "report/page.h"
#include "report/report.h"

/** A report with what several parts of its text need to know. */
struct ra_view {
    struct ra_page page;
    const struct ra_report *report;
    /**
     * For each device the first one that verdicts cannot differ from: eight equal GPUs
     * make one cause, not eight.
     */
    const size_t *alike;
    const struct ra_file *const *by_path; /**< all files */
    const char *const *targets;           /**< for each file: "gfx90a gfx942", or "" */
};

/** "libraries" if they all are, else "files". */
struct ra_noun {
    const char *one, *many;
};

struct ra_noun ra_view_noun(const struct ra_view *view);

/** True for the devices that stand for themselves. */
bool ra_view_stands(const struct ra_view *view, size_t device);

/** How many devices stand for themselves. */
size_t ra_view_standing(const struct ra_view *view);

/** "gfx942"; and "gfx942 (GPU 0-7)" where there are several kinds of GPU. */
const char *ra_view_device(struct ra_view *view, size_t device);

/** "0", "0-3", "0 2-3": the devices like `device`. */
const char *ra_view_indexes(struct ra_view *view, size_t device);

/** NULL if a report names a file that it does not hold. */
const struct ra_file *ra_view_file(const struct ra_view *view, const char *path);

/** True if the device runs all of it, in whichever way; false for NULL. */
bool ra_verdict_is_well(const struct ra_verdict *verdict);

/** What a verdict comes to: FAILS, warns, ?, JIT, fits, -. */
const char *ra_verdict_word(const struct ra_verdict *verdict);

/**
 * The target of an entry. The ELF header decides what a code object is for; a label
 * that says something else is shown before it.
 */
const char *ra_text_target(struct ra_page *page, const struct ra_entry *entry);

/** "41,207 files, 0.9 s: 37 with AMD device code, 412 bundles, ..." */
const char *ra_view_counts(struct ra_view *view);

/** "3 of no known format, 2 archives that were not opened"; "" if nothing is left. */
const char *ra_view_others(struct ra_view *view);

/** "no AMD device code in 5 files: 3 of ..." */
const char *ra_view_nothing(struct ra_view *view);

/** Line by line what could not be read of a file; if verbose also what is odd. */
void ra_text_diags(struct ra_page *page, const struct ra_file *file);

/** A table of the kernels of one code object. */
void ra_text_kernels(struct ra_page *page, const struct ra_bundle *bundle, size_t index,
                     const struct ra_entry *entry);

/** Everything of one verb. */
void ra_text_audit(struct ra_view *view);
void ra_text_ls(struct ra_view *view);
void ra_text_gpu(struct ra_view *view);

/** Of an audit: what fails, may fail or is unknown, each cause once; what is well. */
void ra_text_causes(struct ra_view *view);
void ra_text_undecided(struct ra_view *view);
void ra_text_well(struct ra_view *view);

/** Of an audit: the last line. */
void ra_text_sentence(struct ra_view *view);

#endif
