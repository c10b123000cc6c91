/* text.h - parts of the text for people; text.c puts them in their order. */
#ifndef RA_TEXT_REPORT_H
#define RA_TEXT_REPORT_H

#include "report/page.h"
#include "report/report.h"

/** "libraries" if they all are, else "files". */
struct ra_noun {
    const char *one, *many;
};

/** A report with what several parts of its text need to know. */
struct ra_view {
    struct ra_page page;
    const struct ra_report *report;
    struct ra_noun noun;                   /**< of all files */
    const struct ra_file *const *by_path;  /**< all files */
    const char *const *targets;            /**< for each file: "gfx90a gfx942", or "" */
    const struct ra_finding *const *notes; /**< on files, by the file's path */
    size_t note_count;
    const struct ra_package *const *packages; /**< all, by name, version and path */
    const size_t *owners; /**< for each file: the number of its package, SIZE_MAX */
    const struct ra_file *const *owned; /**< files that have one, by their package */
    const size_t *owned_starts;         /**< first in `owned` of each, and an end */
    const bool *failing;                /**< of package and device: a finding says so */
    const unsigned char *told; /**< for each package: 0: it is not among the causes; else
                                  1 more than the worst severity */
};

struct ra_noun ra_view_noun(const struct ra_view *view);

/**
 * The device that verdicts on `device` are told of: eight equal GPUs make one cause, not
 * eight.
 */
size_t ra_view_judge_as(const struct ra_view *view, size_t device);

/** True for the devices that are judged themselves. */
bool ra_view_stands(const struct ra_view *view, size_t device);

/** How many devices are judged themselves; and the first of them, or SIZE_MAX. */
size_t ra_view_standing(const struct ra_view *view);
size_t ra_view_first(const struct ra_view *view);

/** The verdict of `file` on a device, or on the one it is equal to; NULL if none. */
const struct ra_verdict *ra_view_verdict(const struct ra_view *view,
                                         const struct ra_file *file, size_t device);

/** "gfx942"; and "gfx942 (GPU 0-7)" where there are several kinds of GPU. */
const char *ra_view_device(struct ra_view *view, size_t device);

/** "0-3 5": numbers that ascend. */
const char *ra_view_ranges(struct ra_view *view, const size_t *numbers, size_t count);

/** NULL if a report names a file that it does not hold. */
const struct ra_file *ra_view_file(const struct ra_view *view, const char *path);

/** The last part of its name, without the archive. */
const char *ra_file_base(const struct ra_file *file);

/** True if the device runs all of it and no other is in its way; false for NULL,
 * and where it is excused. */
bool ra_verdict_is_well(const struct ra_verdict *verdict);

/** What a verdict comes to: FAILS, warns, ?, JIT, fits, -; if it is excused, "-". */
const char *ra_verdict_word(const struct ra_verdict *verdict);

/** Whether it comes to that; false for NULL. */
bool ra_verdict_reads(const struct ra_verdict *verdict, const char *word);

/** How bad such a word is; 0 for "-". */
unsigned ra_word_rank(const char *word);

/** Set all behind page and report; false if there is no memory. */
bool ra_view_index(struct ra_view *view);

/** The same for packages alone, behind all else. */
void ra_view_index_packages(struct ra_view *view);

/** An order by name, version and path; NULL is last. */
int ra_package_order(const struct ra_package *a, const struct ra_package *b);

/** The number of a package in the report; SIZE_MAX for NULL, or one it does not list. */
size_t ra_view_package(const struct ra_view *view, const struct ra_package *package);

/** That of a finding, or of its file; NULL if there is none. */
const struct ra_package *ra_view_finding_package(const struct ra_view *view,
                                                 const struct ra_finding *finding);

/** Whether a file of the report is of a package that the report lists. */
bool ra_view_is_owned(const struct ra_view *view, const struct ra_file *file);

/** As for files, by the number of a package; a finding against it makes it FAILS. */
const struct ra_verdict *ra_view_package_verdict(const struct ra_view *view,
                                                 size_t package, size_t device);
const char *ra_view_package_word(const struct ra_view *view, size_t package,
                                 size_t device);

/** Packages of which there is something to say: with device code, or failing. */
struct ra_package_tally {
    size_t fails, unknown, all;
};

/** @param device  RA_NO_DEVICE: the worst over all that are judged */
struct ra_package_tally ra_view_packages(const struct ra_view *view, size_t device);

/** "torch 2.9.0"; "" for NULL. */
const char *ra_text_package(struct ra_page *page, const struct ra_package *package);

/** What is to be said of a package whatever its verdicts, or "". */
const char *ra_view_package_note(struct ra_view *view, const struct ra_package *package);

/** " (2 packages say they own it)" if verbose and so, else "". */
const char *ra_view_owners(struct ra_view *view, const struct ra_file *file);

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

/** Libraries and targets: in how many bundles of each there is code for each. */
void ra_text_matrix(struct ra_view *view, size_t indent);

/** Of an audit: the GPUs, those that look alike in one row, and the ROCm that loads. */
void ra_text_devices(struct ra_view *view);

/** The devices that are shown as one: for each the first that looks like it. */
struct ra_group {
    const size_t *members; /**< their indexes, ascending */
    size_t count;          /**< 0: it is not the first of its group */
};

/** @param strict  also where it was learned from, and that they are one GPU in parts */
struct ra_group ra_view_group(struct ra_view *view, size_t first, bool strict);

/** "kfd nodes 2-9": where the devices of a group are known from. */
const char *ra_group_sources(struct ra_view *view, const struct ra_group *group);

/** "gfx90a -> gfx1030  HSA_OVERRIDE_GFX_VERSION=10.3.0", or "" */
const char *ra_device_override(struct ra_page *page, const struct ra_device *device);

/** Lines "ROCm    7.0  libamdhip64.so.7.0 in torch/lib". */
void ra_text_runtime(struct ra_view *view);

/** What is to be said of the search for GPUs, if it found any. */
void ra_text_note(struct ra_view *view);

/** Everything of one verb. */
void ra_text_audit(struct ra_view *view);
void ra_text_ls(struct ra_view *view);
void ra_text_gpu(struct ra_view *view);
void ra_text_extract(struct ra_view *view);

/** Of an audit: what fails, may fail or is unknown, each cause once; what is well. */
void ra_text_causes(struct ra_view *view);
void ra_text_undecided(struct ra_view *view);
void ra_text_well(struct ra_view *view);

/** Of what is well: packages on the one device, files in none, all on several devices. */
void ra_text_packages(struct ra_view *view, size_t device);
void ra_text_matrices(struct ra_view *view);

/** What there is to say of packages that are neither well nor have a cause. */
void ra_text_package_notes(struct ra_view *view);

/** "3 of 3 bundles; gfx9-4-generic serves gfx942": with the notes on the file. */
const char *ra_view_coverage(struct ra_view *view, const struct ra_file *file,
                             const struct ra_verdict *verdict);

/** Lines on the archives that a file needs its code from, if they are not as they should
 * be; if verbose on all of them.
 */
void ra_text_kpack(struct ra_page *page, const struct ra_file *file);

/** Of an audit: the last line. */
void ra_text_sentence(struct ra_view *view);

#endif
