/*
 * rocaudit.h - public interface of librocaudit.
 *
 * Ask for an audit or a listing and get a report: plain structs that live until
 * ra_report_free(). Strings that came from a file are escaped and safe to print,
 * unless a comment says otherwise. Sizes and offsets are bytes. The library never
 * prints or exits, changes nothing but where ra_extract() is asked to, and keeps no
 * state between calls.
 */
#ifndef ROCAUDIT_H
#define ROCAUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RA_API        __attribute__((visibility("default")))
#define RA_MUST_CHECK __attribute__((warn_unused_result))

#define RA_VERSION "0.1.0"

/** Outcome of a call. Zero is success; every failure is positive. */
enum ra_status {
    RA_OK = 0,
    RA_E_NOMEM,       /**< an allocation failed, or an arena is at its limit */
    RA_E_IO,          /**< the operating system refused a read */
    RA_E_FORMAT,      /**< the bytes contradict their format */
    RA_E_UNSUPPORTED, /**< well formed, but of a kind this build does not read */
    RA_E_LIMIT,       /**< more than this build is willing to hold */
};

/** note: worth knowing; warning: a job may fail; error: a job fails. */
enum ra_severity { RA_NOTE, RA_WARNING, RA_ERROR };

/* ---- targets ---------------------------------------------------------------- */

/**
 * A feature of a target, xnack or sramecc. On a code object any four; on a device
 * never ANY. Values are those of e_flags (AMDGPUUsage, "e_flags for V4 and later").
 */
enum ra_setting { RA_SETTING_NONE, RA_SETTING_ANY, RA_SETTING_OFF, RA_SETTING_ON };

/** A target ID such as gfx90a:sramecc+:xnack-, taken apart. */
struct ra_target {
    char processor[24]; /**< "gfx90a", "gfx9-4-generic", "amdgcnspirv"; "" if none */
    enum ra_setting sramecc, xnack;
};

/** What is known of a processor. */
struct ra_processor {
    const char *name;     /**< "gfx90a" */
    unsigned mach;        /**< EF_AMDGPU_MACH */
    const char *generic;  /**< generic target that covers it, or "" */
    bool xnack, sramecc;  /**< whether the feature can be chosen */
    bool is_generic;      /**< a target for several processors: no GPU is one */
    bool is_apu;          /**< shares memory with the CPU it is built into */
    const char *arch;     /**< "CDNA 2", "RDNA 3" */
    const char *products; /**< "Instinct MI210, MI250, MI250X", or "" */
};

/** All processors this build knows, generation by generation, generic targets last. */
RA_API const struct ra_processor *ra_processors(size_t *count);

/** Features the hardware has (mfma, fp8_cvt, ...), NULL-terminated; NULL: not known. */
RA_API const char *const *ra_processor_features(const char *name);

/**
 * Whether `text` names a GPU to judge for.
 *
 * @return NULL if so, else why not; static storage
 */
RA_API const char *ra_gpu_refused(const char *text);

/** Whether `text` names a target that can be required: a GPU, or a generic one. */
RA_API const char *ra_required_refused(const char *text);

/** Whether `text` names a release of ROCm, a compatibility, or a CPU; as above. */
RA_API const char *ra_runtime_refused(const char *text);
RA_API const char *ra_compat_refused(const char *text);
RA_API const char *ra_cpu_refused(const char *text);

/** What a GPU, or a fact of it, is known from. */
enum ra_origin {
    RA_FROM_NOWHERE,     /**< there is nothing to know */
    RA_FROM_USER,        /**< --gpu, or a text that --gpu-from named */
    RA_FROM_KFD,         /**< sysfs, the topology of the compute driver */
    RA_FROM_DISCOVERY,   /**< sysfs, IP discovery of the display driver */
    RA_FROM_PCI,         /**< the PCI device ID */
    RA_FROM_IOCTL,       /**< the compute driver was asked */
    RA_FROM_ENVIRONMENT, /**< a variable such as HSA_XNACK */
    RA_FROM_INFERENCE,   /**< follows from driver settings and processor */
    RA_FROM_ASSUMPTION,  /**< the factory default */
};

RA_API const char *ra_origin_name(enum ra_origin origin);

/** A GPU, found or named. */
struct ra_device {
    size_t index;        /**< from 0, in the order HIP would count */
    const char *target;  /**< "gfx90a:sramecc+:xnack-" */
    const char *source;  /**< "kfd node 1", "--gpu" */
    const char *product; /**< "Instinct MI210, MI250, MI250X", or "" */
    const char *arch;    /**< "CDNA 2" */
    bool is_apu;
    bool sramecc_assumed, xnack_assumed; /**< not read from anywhere */
    struct ra_target id;
    enum ra_origin origin;                       /**< of the processor */
    enum ra_origin sramecc_origin, xnack_origin; /**< NOWHERE: has no such feature */
    const char *why;     /**< what the sources said, a line for people, or "" */
    const char *skipped; /**< why HIP would not see it, and it is not judged; or NULL */
    size_t rocr_index;   /**< from 0, in the order that ROCR_VISIBLE_DEVICES counts */
    size_t same_as;      /**< index of the first judged device that is the same */
    const char *override_text;   /**< "HSA_OVERRIDE_GFX_VERSION=10.3.0", or NULL */
    bool sramecc_forced;         /**< a variable says other than the hardware */
    bool override_invalid;       /**< the runtime cannot read it */
    struct ra_target hardware;   /**< `id` before the override */
    const char *hardware_target; /**< `hardware` spelled */
};

/* ---- what is in files ------------------------------------------------------- */

/** A kernel of a code object; sizes in bytes, registers and work-items counted. */
struct ra_kernel {
    uint32_t name;                /**< index into the bundle's kernel_names */
    uint32_t vgprs, agprs, sgprs; /**< agprs 0 where the target has none */
    uint32_t vgpr_spills, sgpr_spills;
    uint32_t lds;                   /**< of a work-group, fixed part */
    uint32_t scratch;               /**< of a work-item, fixed part */
    uint32_t kernarg;               /**< of a dispatch */
    uint32_t max_workgroup;         /**< work-items */
    uint32_t required_workgroup[3]; /**< 0 0 0: none required */
    uint32_t code_size;             /**< of the function; 0: not known */
    uint8_t wave_size;              /**< 32 or 64 */
    bool dynamic_stack, tg_split;
    bool wgp_mode;       /**< work-group processor mode, else CU mode */
    bool has_descriptor; /**< a kernel descriptor was found and read */
    bool is_stub;        /**< the code ends, or traps, at once */
};

/** What the first field of an entry ID says. */
enum ra_entry_kind {
    RA_ENTRY_RAW, /**< no bundle: the file is the code object */
    RA_ENTRY_HOST,
    RA_ENTRY_HIP, /**< hip, hipv4, hcc: the same to HIP */
    RA_ENTRY_OPENMP,
    RA_ENTRY_OTHER,
};

/** What the bytes of an entry are. */
enum ra_content {
    RA_CONTENT_EMPTY,  /**< size 0: the target is not present */
    RA_CONTENT_UNREAD, /**< damage kept us from looking */
    RA_CONTENT_CODE_OBJECT,
    RA_CONTENT_SPIRV,
    RA_CONTENT_BITCODE,
    RA_CONTENT_OTHER,
};

/** An AMDGPU code object by its ELF header and notes. */
struct ra_code {
    unsigned version;         /**< code object version 2 to 6; 0: newer than this build */
    unsigned type;            /**< e_type; only ET_DYN (3) can be loaded */
    unsigned osabi;           /**< EI_OSABI; only 0x40 is HSA */
    uint32_t flags;           /**< e_flags */
    unsigned generic_version; /**< of a generic target, from 1; else 0 */
    struct ra_target target;  /**< what e_flags stand for */
    struct ra_target claimed; /**< what amdhsa.target says; "" if absent, as before V4 */
    bool unclear_claim; /**< amdhsa.target cannot be understood, or is missing in V4 or
                           later */
    bool has_metadata;
    bool odd_descriptor;  /**< a descriptor that does not fit the processor */
    const char *compiler; /**< of .comment, "AMD clang 17.0.0 roc-6.1.0"; escaped; NULL
                             or "" if not known */
};

/** One entry of a bundle. */
struct ra_entry {
    const char *id;         /**< hipv4-amdgcn-amd-amdhsa--gfx90a; "" if raw */
    const char *target;     /**< the ID's target part, as written, or what an architecture
                               such as amdgpu9.42 stands for; "" if raw */
    const char *elf_target; /**< what e_flags say; "" if not known */
    enum ra_entry_kind kind;
    struct ra_target label; /**< `target` taken apart */
    enum ra_content content;
    struct ra_code code;   /**< of RA_CONTENT_CODE_OBJECT */
    uint64_t offset, size; /**< offset in the expanded bundle */
    bool is_packed;        /**< of container offload-binary: its blob is compressed, and
                              `offset` is in what that expands to */
    bool complete;         /**< header, notes and descriptors were all read */
    const char *archive;   /**< the .kpack archive it is in, and `offset` of it; escaped;
                              NULL: in this file */
    const char *archive_target; /**< what the archive is named for; "" if for all */
    size_t archive_index;       /**< into the `archives` of the bundle */
    uint64_t kernel_count;
    const struct ra_kernel *kernels; /**< NULL unless asked for */
};

/** One bundle: what one translation unit brought. */
struct ra_bundle {
    const char *container; /**< plain, ccob1, ccob2, ccob3, raw, kpack, offload-binary,
                              rdc (sections before a link), embedded (among data);
                              ccob, of a version that is not known; unknown */
    uint64_t offset, size; /**< in the file; size 0: not known */
    bool has_table;        /**< the entry table was read whole */
    bool complete;         /**< all of it was read */
    bool size_wrapped;     /**< CCOB v2 whose sizes did not fit 32 bits */
    const struct ra_kpack *kpack; /**< of container kpack: that of the file */
    const char *key; /**< of container kpack, what archives list it by: "lib/libfoo.so#0";
                        escaped; else NULL */
    const struct ra_entry *entries;
    size_t entry_count;
    const char *const *kernel_names; /**< each once, over all entries */
    size_t kernel_name_count;
};

/** A .kpack archive that a host file refers to. */
struct ra_kpack_archive {
    const char *path;          /**< escaped */
    const char *target;        /**< that its name is for; "" if the name is for all */
    const char *const *arches; /**< that it says it holds code for, escaped */
    size_t arch_count;
    size_t binary_count; /**< host files that it holds code for */
    bool has_binary;     /**< it holds code for this host file */
    bool complete;       /**< it was read whole */
    uint64_t kernels;    /**< for this host file */
    bool elsewhere;      /**< it is not among the files of the report */
    const char *numbers; /**< of wrappers it has code for, the first: "#0 #2" */
};

/**
 * Of a host file, where its code is; of a .kpack archive, what it says of itself. The
 * runtime puts each target into the `patterns` in the place of @GFXARCH@.
 */
struct ra_kpack {
    const char *name;            /**< of the host file in archives; of an archive, its
                                    group; escaped */
    const char *const *patterns; /**< of a host file, relative to its folder; escaped */
    size_t pattern_count;
    const struct ra_kpack_archive *archives; /**< those that are there */
    size_t archive_count;
    const char *const *lost_paths; /**< by which the file is found as well, and archives
                                      are not; escaped */
    size_t lost_count;
    bool used;     /**< of an archive: a host file here refers to it */
    bool orphan;   /**< of an archive: host files here do not, though they could */
    bool moved;    /**< ROCM_KPACK_PATH says where to look instead */
    bool disabled; /**< ROCM_KPACK_DISABLE is set */
};

/* ---- verdicts --------------------------------------------------------------- */

/** Of a file, or a bundle, on a device; worst last. */
enum ra_verdict_kind {
    RA_NONE,
    RA_NATIVE,
    RA_GENERIC,
    RA_JIT,
    RA_UNDECIDED,
    RA_PARTIAL,
    RA_MISSING,
    RA_FEATURE_MISMATCH,
    RA_UNLOADABLE,
};

RA_API const char *ra_verdict_name(enum ra_verdict_kind kind);

/** What keeps a process that uses the file from running it, whatever its code. */
enum ra_block {
    RA_BLOCK_NONE,
    RA_BLOCK_STOP,      /**< HIP stops at that GPU, and this one comes after it */
    RA_BLOCK_MODE,      /**< that GPU has the one entry both modes would need */
    RA_BLOCK_MAY_ABORT, /**< that GPU is not covered, which may end the process */
    RA_BLOCK_ABORT,     /**< that GPU is not covered, which ends the process */
    RA_BLOCK_OVERRIDE,  /**< this GPU passes for one whose code it cannot run */
    RA_BLOCK_CPU,       /**< the host code needs a newer CPU */
    RA_BLOCK_LOADER,    /**< the system's loader refuses the file */
};

struct ra_verdict {
    size_t device; /**< its index */
    enum ra_verdict_kind kind;
    enum ra_severity severity; /**< of `kind` here; RA_NOTE where nothing is wrong */
    size_t covered, total;     /**< bundles */
    uint64_t kernels_missing;  /**< names the device gets no code for */
    const char *on_purpose;    /**< why a partial library is taken as meant so, or NULL */
    const char *assumption;    /**< "fits if xnack is on", "needs ROCm 6.3 or later", or
                                  NULL */
    const char *doubt; /**< of RA_UNDECIDED, what is not known of the runtime, or who has
                          to load it; NULL if it is what was not read */
    const char *excused; /**< why it says nothing of the package: another file serves the
                            GPU in its place; or NULL */
    enum ra_block block;
    size_t blocked_by; /**< index of the other GPU, if there is one, else this one's */
};

/** What was installed together, or is in a package file. */
struct ra_package {
    const char *name, *version; /**< escaped; version "" if not known */
    const char *kind;           /**< "wheel", "egg", "conda", "deb" */
    const char *path;           /**< of the record that tells of it; escaped */
    bool jit;                   /**< it compiles its kernels on the machine itself */
    bool placeholder;           /**< it holds nothing but its name */
    const char *editable;  /**< where its files are, of an editable install, or NULL */
    uint64_t device_files; /**< files with AMD device code */
    uint64_t code_objects;
    const struct ra_verdict *verdicts; /**< the worst of its files, one a device */
    size_t verdict_count;
    const char *note; /**< "libfoo_rocm70.so is the one it loads", or NULL */
};

/** One cause, once. */
struct ra_finding {
    const char *rule, *name; /**< "RA001", "missing-target" */
    enum ra_severity severity;
    const char
        *consequence; /**< refused abort illegal-instruction wrong-results slow none */
    const char *file; /**< NULL: it is about the device, or the package */
    const struct ra_package *package; /**< or NULL */
    size_t device;                    /**< RA_NO_DEVICE: it is about none in particular */
    const char *message;
    const char *predicted_error; /**< or NULL */
    const char *advice;          /**< or NULL */
};

#define RA_NO_DEVICE SIZE_MAX

/** `inner` of a diagnostic that was seen in the file's own bytes. */
#define RA_NOT_EXPANDED UINT64_MAX

/** Something that could not be read, or is odd. An error leaves the file incomplete. */
struct ra_diag {
    const struct ra_diag *next;
    const char *code, *name; /**< "D004", "bundle-truncated" */
    enum ra_severity severity;
    const char *text;   /**< what the name means */
    const char *detail; /**< this case */
    uint64_t offset;    /**< in the file; of the compressed data, if expanded */
    uint64_t inner;     /**< in the expanded data, or RA_NOT_EXPANDED */
};

/* ---- the runtime ------------------------------------------------------------ */

/** The ROCm that would load the code. */
struct ra_runtime {
    const char *version;       /**< "7.0", "5.2.3"; "" if the newest is assumed */
    const char *source;        /**< "--runtime", "libamdhip64.so.7.0 in torch/lib" */
    bool assumed;              /**< nothing told the version */
    const char *compat;        /**< "upstream", "debian": which ISAs stand for others */
    const char *compat_source; /**< "--compat", "libamdhip64 of Debian", "default" */
};

/* ---- the report ------------------------------------------------------------- */

enum ra_file_status {
    RA_FILE_OK,
    RA_FILE_INCOMPLETE, /**< part of it could not be read */
    RA_FILE_UNREADABLE, /**< none of it */
    RA_FILE_CHANGED,    /**< it changed while it was read */
};

/** Files without AMD device code are counted by why. */
enum ra_kind {
    RA_KIND_OTHER,       /**< no format that could hold device code */
    RA_KIND_ELF,         /**< an ELF host file */
    RA_KIND_BUNDLE,      /**< a bundle by itself, plain or compressed */
    RA_KIND_CODE_OBJECT, /**< a code object by itself */
    RA_KIND_CUDA,        /**< an ELF file with device code for NVIDIA GPUs only */
    RA_KIND_RUNTIME,     /**< the ROCm runtime; its code objects are its own affair */
    RA_KIND_KPACK,       /**< a .kpack archive */
    RA_KIND_ARCHIVE,     /**< zip, ar, tar, ... that was not opened */
    RA_KIND_WINDOWS,     /**< a PE program or library, or a COFF object */
    RA_KIND_UNREADABLE,
    RA_KINDS,
};

RA_API const char *ra_kind_name(enum ra_kind kind);

/** Of a file that holds nothing where its name says that there is code. */
enum ra_oddity {
    RA_ODDITY_NONE,
    RA_ODDITY_LFS_POINTER, /**< a text in place of what Git LFS did not bring */
    RA_ODDITY_EMPTY,
};

/** How a host file leads to its device code, and whether it gets loaded itself. */
struct ra_layout {
    size_t wrappers;     /**< of fat binaries, that register code with HIP */
    size_t lost;         /**< of them, those that lead to no bundle */
    size_t unregistered; /**< bundles in sections of their own that none leads to */
    bool misplaced;      /**< it has a segment that the system's loader does not map */
    bool misaligned;     /**< one that loaders before glibc 2.35 do not map */
    uint64_t segment;    /**< the address of that */
    const char *const *undefined; /**< host stubs of kernels that it wants and no file
                                     that was looked at has; escaped */
    size_t undefined_count;
};

struct ra_file {
    const char *path; /**< escaped */
    const char *name; /**< the same, seen from the one folder that was named; escaped */
    const char *raw_path;     /**< the bytes of the name, unescaped: do not print */
    const char *const *paths; /**< further paths of the same file, escaped */
    size_t path_count;
    enum ra_kind kind;
    enum ra_file_status status;
    enum ra_oddity oddity; /**< ra_list() does not look for any */
    uint64_t size;
    bool is_member;                   /**< of an archive: `path` is ARCHIVE!MEMBER */
    const struct ra_package *package; /**< that owns it; NULL: none does */
    size_t owner_count;               /**< packages that say they own it */
    unsigned host_isa; /**< x86-64-vN that the host code is marked to need; 0: no mark */
    struct ra_layout layout;
    const struct ra_kpack *kpack; /**< of .kpack archives and files that need them; else
                                     NULL */
    const char *unused_archive;   /**< one that lists the file, which does not refer to
                                     it; escaped; or NULL */
    const struct ra_bundle *bundles;
    size_t bundle_count;
    const struct ra_verdict *verdicts; /**< one a device */
    size_t verdict_count;
    const struct ra_diag *diags;
};

/** Bytes of code objects for a target, over all files. */
struct ra_target_bytes {
    const char *target;
    uint64_t bytes, code_objects;
};

struct ra_totals {
    uint64_t files;             /**< all that were looked at */
    uint64_t by_kind[RA_KINDS]; /**< those without AMD device code */
    uint64_t with_device_code, bundles, code_objects, kernels;
    uint64_t archives;                     /**< that were opened; not among the files */
    uint64_t incomplete;                   /**< files that were not read whole */
    uint64_t errors, warnings;             /**< findings */
    const struct ra_target_bytes *targets; /**< by name */
    size_t target_count;
    double seconds; /**< wall clock; in no byte-stable output */
};

struct ra_extraction;

struct ra_report {
    const char *verb; /**< "audit", "check", "ls", "gpu", "extract" */
    struct ra_runtime runtime;
    const struct ra_device *devices;
    size_t device_count;
    const char *devices_text;    /**< why there is no device, or "" */
    const struct ra_file *files; /**< with device code, a finding or a diagnostic */
    size_t file_count;
    const struct ra_package *packages; /**< with device code, a finding or a word on it */
    size_t package_count;
    const struct ra_finding *findings;
    size_t finding_count;
    struct ra_totals totals;
    bool has_kernels;                       /**< kernels were asked for */
    int exit;                               /**< 0 fits, 1 mismatch, 2 undecided */
    const struct ra_extraction *extraction; /**< of ra_extract(); else NULL */
};

enum ra_fail_on { RA_FAIL_ON_ERROR, RA_FAIL_ON_WARNING, RA_FAIL_NEVER };

/** Progress, told from a worker thread; at most some ten times a second. */
struct ra_progress {
    uint64_t files, total; /**< done, and found so far */
};

/** Set `sz` to sizeof(struct ra_options) and all else to zero, then what is wanted. */
struct ra_options {
    size_t sz;
    const char *const *paths;
    size_t path_count;
    const char *const *gpus; /**< targets to judge for; none: look for GPUs */
    size_t gpu_count;
    const char *const *gpus_from; /**< files in which a tool named the GPUs */
    size_t gpus_from_count;
    const char *sysfs;   /**< a sysfs root or KFD topology folder; NULL: this machine */
    const char *runtime; /**< version of ROCm, "6.2"; NULL: look for it */
    const char *rocm;    /**< a ROCm installation to look in; NULL: /opt/rocm */
    const char *compat;  /**< "upstream", "debian"; NULL: by the runtime found */
    const char *cpu; /**< "x86-64-v3", ..., "native"; NULL: native where the GPUs of this
                        machine are looked for, else host code is not judged */
    const char *const *environment; /**< NAME=VALUE, NULL-terminated, for GPUs found */
    unsigned threads;               /**< 0: one a processor */
    bool kernels;                   /**< keep struct ra_kernel for the report */
    bool verify;                    /**< check digests nobody checks at run time */
    bool all_gpus, strict, allow_empty, allow_incomplete;
    bool follow_editable; /**< look also where editable installs have their files */
    enum ra_fail_on fail_on;
    const char *const *required; /**< ra_check(): targets that all must serve */
    size_t required_count;
    const char *const *forbidden; /**< ra_check(): targets that none may have code for */
    size_t forbidden_count;
    const char *const *allowed_partial; /**< ra_check(): names of files, with * and ?,
                                           that may leave required targets out */
    size_t allowed_partial_count;
    void (*progress)(void *arg, const struct ra_progress *progress);
    void *progress_arg;
};

/**
 * Judge every file under the paths.
 *
 * @return NULL if memory ran out, or if ra_gpu_refused() one of the GPUs, or its like
 *         the runtime, the compatibility or the CPU
 */
RA_API RA_MUST_CHECK struct ra_report *ra_audit(const struct ra_options *options);

/**
 * Judge every file for the targets that are `required`, which are the devices of the
 * report; no GPU is asked for, and digests are checked in any case.
 *
 * @return NULL if memory ran out, or if ra_required_refused() one of the targets,
 *         ra_target_refused() a forbidden one, or their like the runtime, the
 *         compatibility or the CPU
 */
RA_API RA_MUST_CHECK struct ra_report *ra_check(const struct ra_options *options);

/** List every file under the paths; no device is asked for. NULL as for ra_audit(). */
RA_API RA_MUST_CHECK struct ra_report *ra_list(const struct ra_options *options);

/** The GPUs only. NULL as for ra_audit(). */
RA_API RA_MUST_CHECK struct ra_report *ra_gpus(const struct ra_options *options);

RA_API void ra_report_free(struct ra_report *report);

/* ---- words ------------------------------------------------------------------ */

/** All there is to say of a rule or a diagnostic. Static. */
struct ra_explanation {
    const char *code, *name; /**< "RA001", "missing-target" */
    bool is_rule;            /**< else a diagnostic: the last four are "" */
    enum ra_severity severity;
    const char *consequence; /**< of a rule; "" for diagnostics */
    const char *text;        /**< what it means, in a line */
    const char *cause, *evidence, *mend, *example;
};

/** All rules, then all diagnostics. */
RA_API const struct ra_explanation *ra_explanations(size_t *count);

/** That with the code or name, in any case of letters; NULL if there is none. */
RA_API const struct ra_explanation *ra_explain(const char *code_or_name);

/* ---- extract ---------------------------------------------------------------- */

/** What became of an entry that was to be written to a file. */
enum ra_outcome {
    RA_WRITTEN,
    RA_UNCHANGED, /**< a file of that name and with the same bytes was there */
    RA_PLANNED,   /**< would be written */
    RA_FAILED,    /**< no part of it was left behind */
};

RA_API const char *ra_outcome_name(enum ra_outcome outcome);

struct ra_written {
    size_t file, bundle, entry; /**< indexes into the report, the bundle and its file */
    const char *name;           /**< of the file in the folder; bytes: do not print */
    const char *path;           /**< the same, behind the folder; escaped */
    enum ra_outcome outcome;
    const char *reason; /**< why it failed, or NULL */
};

struct ra_extraction {
    const char *folder;            /**< escaped; "" if none was named */
    const char *trouble;           /**< why it takes no more files, or NULL */
    const struct ra_written *list; /**< by file, bundle and entry */
    size_t count;
    uint64_t written, unchanged, planned, failed; /**< entries */
    uint64_t bytes;                               /**< that were written, or would be */
};

/** Set `sz` to its size and all else to zero, then what is wanted. */
struct ra_extract_options {
    size_t sz;
    const char *folder;         /**< made if its parent is there; NULL: a dry run */
    const char *const *targets; /**< only code for these, generic ones too; none: all */
    size_t target_count;
    bool dry_run;  /**< write nothing, and do not make the folder */
    bool no_colon; /**< names have '-' for ':' */
};

/** Whether `text` names a target code can be for. NULL if so, else why not; static. */
RA_API const char *ra_target_refused(const char *text);

/**
 * Write device code out of every file under the paths, as one file an entry.
 *
 * Files are LIBRARY.BUNDLE.ENTRY-TARGET.co (.spv, .bc, .bin by content); one that is a
 * code object keeps its name. What is not safe in a name becomes '_', a long one is cut
 * in the middle, and one that is taken gets a number. No file is ever overwritten, no
 * link followed, and a file appears when it is whole. A compressed bundle that is
 * damaged or has another digest than it says is not written at all.
 *
 * @param options  as for ra_list(); digests of what is written are checked in any case
 * @return its exit is 0 if something was written and nothing was amiss, else 2; NULL: no
 *         memory, or ra_target_refused() one of the targets
 */
RA_API RA_MUST_CHECK struct ra_report *ra_extract(const struct ra_options *options,
                                                  const struct ra_extract_options *how);

/* ---- output ----------------------------------------------------------------- */

/** Where a report goes: false ends the writing. */
typedef bool ra_sink(void *arg, const char *bytes, size_t size);

struct ra_style {
    size_t sz;
    unsigned width; /**< columns; 0: 80 */
    bool color;
    bool verbose, quiet;
    bool targets_only; /**< ls -1: unique targets, one a line */
    bool matrix;       /**< libraries and targets as a table */
    bool timing;       /**< tell how long it took, which no two runs agree on */
};

/** Names of the output formats, NULL-terminated: "text", "json", ... */
RA_API const char *const *ra_report_formats(void);

/** @return RA_OK; RA_E_IO: the sink refused; RA_E_UNSUPPORTED: no such format; RA_E_NOMEM
 */
RA_API RA_MUST_CHECK enum ra_status ra_report_write(const struct ra_report *report,
                                                    const char *format,
                                                    const struct ra_style *style,
                                                    ra_sink *sink, void *arg);

/**
 * Write what a rule or a diagnostic means; NULL: a line for each there is.
 *
 * @param format  "text", "json"
 * @return as for ra_report_write()
 */
RA_API RA_MUST_CHECK enum ra_status
ra_explanation_write(const struct ra_explanation *explanation, const char *format,
                     const struct ra_style *style, ra_sink *sink, void *arg);

#ifdef __cplusplus
}
#endif
#endif
