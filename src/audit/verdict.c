/* verdict.c - all bundles of a file on one device: the table of verdicts. */
#include "audit/judge_raw.h"

#include "base/names.h"
#include "base/text.h"
#include "gfx/target.h"

#include <stdlib.h>

#define BY_DESIGN "this library covers fewer targets by design"
#define AMONG_DATA                                                                       \
    "what lacks it is code among its data, which the program may have other code for"

/*
 * Libraries that cover fewer targets by design: their kernels are written by hand for
 * some architectures, and their callers ask before they use them. File names start so.
 */
static const char *const partial_libraries[] = {
    "libhipblaslt.so",
    "libhipsparselt.so",
    "libmscclpp",
    "libdevice_conv_operations",
    "libdevice_gemm_operations",
    "libMIOpenCK",
    "fbgemm_gpu",
    "libck_",
    "libaotriton",
};

/* ---- partial on purpose ----------------------------------------------------- */

static bool is_partial_library(const struct ra_file *file)
{
    const char *name = ra_member_base(file->raw_path, file->is_member);

    for (size_t i = 0; i < RA_COUNT(partial_libraries); i++)
        if (strncmp(name, partial_libraries[i], strlen(partial_libraries[i])) == 0)
            return true;
    return false;
}

/* Whether a target of the device's architecture, or its generic one, is in the bundle. */
static bool has_arch(const struct ra_bundle *bundle, const struct ra_device *device)
{
    struct ra_target generic;
    bool has_generic = ra_target_generic(&device->id, &generic);

    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];
        const struct ra_processor *processor =
            ra_processor_by_name(entry->label.processor);

        if (entry->size == 0 || !processor)
            continue;
        if (strcmp(processor->arch, device->arch) == 0 ||
            (has_generic && strcmp(processor->name, generic.processor) == 0))
            return true;
    }
    return false;
}

/* A target set as a number that does not depend on the order of entries. */
static uint64_t set_of(const struct ra_bundle *bundle)
{
    uint64_t set = 0;

    for (size_t i = 0; i < bundle->entry_count; i++) {
        const struct ra_entry *entry = &bundle->entries[i];
        struct ra_span text = { (const uint8_t *)entry->target, strlen(entry->target),
                                0 };

        if (entry->kind != RA_ENTRY_HOST && entry->size > 0)
            set += ra_hash(text);
    }
    return set;
}

struct member {
    uint64_t set;
    const struct ra_bundle *bundle;
};

static int by_set(const void *left, const void *right)
{
    const struct member *a = left, *b = right;

    return (a->set > b->set) - (a->set < b->set);
}

/* A bundle with the most common target set; NULL if no set outnumbers all others. */
static enum ra_status common_set(const struct ra_file *file, const struct ra_bundle **ret)
{
    struct member *members = reallocarray(NULL, file->bundle_count, sizeof(*members));
    size_t most = 0, run = 0;

    *ret = NULL;
    if (!members)
        return RA_E_NOMEM;
    for (size_t i = 0; i < file->bundle_count; i++)
        members[i] = (struct member){ set_of(&file->bundles[i]), &file->bundles[i] };
    qsort(members, file->bundle_count, sizeof(*members), by_set);
    for (size_t i = 0; i < file->bundle_count; i++) {
        run = i > 0 && members[i].set == members[i - 1].set ? run + 1 : 1;
        if (run > most)
            *ret = members[i].bundle;
        else if (run == most)
            *ret = NULL;
        most = run > most ? run : most;
    }
    free(members);
    return RA_OK;
}

/* Nobody knows what the code objects that a program has among its data are for. */
static bool only_embedded_fail(const struct ra_file *file,
                               const struct ra_choice *choices)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (choices[i].kind > RA_UNDECIDED && !ra_judge_is_embedded(&file->bundles[i]))
            return false;
    return true;
}

static enum ra_status purpose(const struct ra_file *file, const struct ra_choice *choices,
                              const struct ra_device *device, const char **ret)
{
    const struct ra_bundle *common;
    enum ra_status status;

    *ret = NULL;
    for (size_t i = 0; i < file->bundle_count; i++)
        if (choices[i].kind > RA_UNDECIDED && choices[i].kind != RA_MISSING)
            return RA_OK; /* the other mode of the GPU is no other GPU */
    if (is_partial_library(file) || only_embedded_fail(file, choices)) {
        *ret = is_partial_library(file) ? BY_DESIGN : AMONG_DATA;
        return RA_OK;
    }
    for (size_t i = 0; i < file->bundle_count; i++)
        if (choices[i].kind > RA_JIT &&
            (choices[i].kind != RA_MISSING || has_arch(&file->bundles[i], device)))
            return RA_OK;
    status = common_set(file, &common);
    if (status == RA_OK && common && has_arch(common, device))
        *ret = "what does not cover it holds no code for its whole architecture";
    return status;
}

/* ---- one bundle -------------------------------------------------------------- */

enum { VERSION_OLD = 2 };

/* What registers nothing is loaded as a module, and its kernels looked up there. */
static bool is_module(const struct ra_file *file, const struct ra_bundle *bundle)
{
    return file->kind == RA_KIND_CODE_OBJECT || file->kind == RA_KIND_BUNDLE ||
           ra_judge_is_embedded(bundle);
}

/*
 * HIP lists a module's kernels by the functions among its symbols, and those of V2 are no
 * functions: measured with 5.2.3, hipModuleLoad() is content and hipModuleGetFunction()
 * says 500; the source of 2026 does the same. ROCr and OpenCL go by other ways, as does
 * HIP with what a library registers.
 */
static struct ra_choice choose(const struct ra_file *file, size_t bundle,
                               const struct ra_device *device, const struct ra_rocm *rocm)
{
    struct ra_choice found = ra_judge_bundle(&file->bundles[bundle], &device->id, rocm);

    if (is_module(file, &file->bundles[bundle]) && found.kind <= RA_JIT && found.entry &&
        found.entry->code.version == VERSION_OLD) {
        found.kind = RA_UNDECIDED;
        found.refusal = RA_OLD_MODULE;
    }
    return found;
}

/* ---- the table -------------------------------------------------------------- */

struct tally {
    size_t total, covered, undecided, unloadable, mismatch;
    enum ra_verdict_kind weakest;
};

static struct tally count(const struct ra_choice *choices, size_t number)
{
    struct tally tally = { .weakest = RA_NATIVE };

    for (size_t i = 0; i < number; i++) {
        enum ra_verdict_kind kind = choices[i].kind;

        if (kind == RA_NONE)
            continue;
        tally.total++;
        tally.covered += kind <= RA_JIT;
        tally.undecided += kind == RA_UNDECIDED;
        tally.unloadable += kind == RA_UNLOADABLE;
        tally.mismatch += kind == RA_FEATURE_MISMATCH;
        if (kind <= RA_JIT && kind > tally.weakest)
            tally.weakest = kind;
    }
    return tally;
}

/* Worst first. What was not read can make nothing better than undecided. */
static void decide(const struct tally *tally, bool complete, struct ra_verdict *ret)
{
    size_t failing = tally->total - tally->covered - tally->undecided;

    ret->covered = tally->covered;
    ret->total = tally->total;
    ret->severity = RA_ERROR;
    if (tally->unloadable > 0)
        ret->kind = RA_UNLOADABLE;
    else if (failing > 0 && failing == tally->total)
        ret->kind = tally->mismatch > 0 ? RA_FEATURE_MISMATCH : RA_MISSING;
    else if (failing > 0)
        ret->kind = RA_PARTIAL;
    else
        ret->severity = RA_NOTE;
    if (failing > 0)
        return;
    if (!complete || tally->undecided > 0)
        ret->kind = RA_UNDECIDED;
    else
        ret->kind = tally->total > 0 ? tally->weakest : RA_NONE;
}

static enum ra_status count_missing(const struct ra_file *file,
                                    const struct ra_choice *choices,
                                    struct ra_verdict *ret)
{
    enum ra_status status = RA_OK;

    for (size_t i = 0; status == RA_OK && i < file->bundle_count; i++) {
        struct ra_arena scratch = { 0 };
        struct ra_absent absent = { 0 };

        if (choices[i].kind == RA_NONE)
            continue;
        if (choices[i].kind > RA_UNDECIDED)
            absent.absent = file->bundles[i].kernel_name_count;
        else if (choices[i].kind == RA_NATIVE || choices[i].kind == RA_GENERIC)
            status = ra_judge_kernels(&file->bundles[i], &choices[i], &scratch, &absent);
        ret->kernels_missing += absent.absent + absent.stubs;
        ra_arena_free(&scratch);
    }
    return status;
}

static enum ra_status judge(const struct ra_file *file, const struct ra_device *device,
                            const struct ra_rocm *rocm, struct ra_verdict *ret)
{
    struct ra_choice *choices =
        reallocarray(NULL, file->bundle_count + 1, sizeof(*choices));
    struct tally tally;
    enum ra_status status;

    *ret = (struct ra_verdict){ .device = device->index };
    if (!choices)
        return RA_E_NOMEM;
    for (size_t i = 0; i < file->bundle_count; i++)
        choices[i] = choose(file, i, device, rocm);
    tally = count(choices, file->bundle_count);
    decide(&tally, file->status == RA_FILE_OK, ret);
    status = RA_OK;
    if (ret->kind == RA_MISSING && is_partial_library(file))
        ret->on_purpose = BY_DESIGN;
    if (ret->kind == RA_PARTIAL && tally.covered > 0)
        status = purpose(file, choices, device, &ret->on_purpose);
    if (ret->on_purpose) {
        /* Meant so, or not read whole: then it is not known what was meant. */
        ret->severity = RA_WARNING;
        if (file->status != RA_FILE_OK || tally.undecided > 0)
            *ret = (struct ra_verdict){ .device = device->index,
                                        .kind = RA_UNDECIDED,
                                        .covered = tally.covered,
                                        .total = tally.total };
    }
    if (status == RA_OK)
        status = count_missing(file, choices, ret);
    free(choices);
    return status;
}

bool ra_verdict_serves(const struct ra_verdict *verdict)
{
    return verdict->kind >= RA_NATIVE && verdict->kind <= RA_JIT;
}

/* ---- what was assumed ------------------------------------------------------- */

static bool fails(const struct ra_verdict *verdict)
{
    return verdict->kind >= RA_PARTIAL && verdict->severity == RA_ERROR;
}

static enum ra_setting flipped(enum ra_setting setting)
{
    return setting == RA_SETTING_ON ? RA_SETTING_OFF : RA_SETTING_ON;
}

/* Judge again with one assumed feature the other way, and say so if that matters. */
static enum ra_status assume(const struct ra_file *file, const struct ra_device *device,
                             const struct ra_rocm *rocm, bool sramecc,
                             struct ra_arena *arena, struct ra_verdict *ret)
{
    struct ra_device other = *device;
    enum ra_setting *setting = sramecc ? &other.id.sramecc : &other.id.xnack;
    struct ra_verdict verdict;
    enum ra_status status;

    *setting = flipped(*setting);
    status = judge(file, &other, rocm, &verdict);
    if (status != RA_OK || fails(&verdict) == fails(ret))
        return status;
    ret->assumption = ra_text_format(
        arena, "%s if %s is %s", fails(&verdict) ? "fails" : "fits",
        sramecc ? "sramecc" : "xnack", *setting == RA_SETTING_ON ? "on" : "off");
    return ret->assumption ? RA_OK : RA_E_NOMEM;
}

/* ---- what is not known ------------------------------------------------------ */

static const char *const doubts[RA_REFUSALS] = {
    [RA_OLD_MODULE] =
        "HIP finds no kernel in a module of code object V2, while OpenCL and "
        "HSA load it",
    [RA_BARE_CODE] =
        "it is a code object that was compressed without a bundle around it, "
        "and it is not known whether HIP takes that",
};

/* Say what of the release or the file, if anything, kept a bundle from its verdict. */
static enum ra_status doubt(const struct ra_file *file, const struct ra_device *device,
                            const struct ra_rocm *rocm, struct ra_arena *arena,
                            struct ra_verdict *ret)
{
    char release[RA_ROCM_TEXT];

    ra_rocm_name(rocm->release, release);
    for (size_t i = 0; i < file->bundle_count; i++) {
        struct ra_choice found = choose(file, i, device, rocm);

        if (found.kind == RA_UNDECIDED && found.refusal != RA_TAKEN) {
            ret->doubt = doubts[found.refusal];
            return RA_OK;
        }
        if (found.kind != RA_UNDECIDED || found.ability == RA_CAN_NOTHING)
            continue;
        ret->doubt = ra_text_format(arena, "it is not known whether %s can %s", release,
                                    ra_ability_text(found.ability));
        return ret->doubt ? RA_OK : RA_E_NOMEM;
    }
    return RA_OK;
}

enum ra_status ra_judge_file(const struct ra_file *file, const struct ra_device *device,
                             const struct ra_rocm *rocm, struct ra_arena *arena,
                             struct ra_verdict *ret)
{
    enum ra_status status = judge(file, device, rocm, ret);

    if (status == RA_OK && device->xnack_assumed)
        status = assume(file, device, rocm, false, arena, ret);
    if (status == RA_OK && device->sramecc_assumed && !ret->assumption)
        status = assume(file, device, rocm, true, arena, ret);
    if (status == RA_OK && ret->kind == RA_UNDECIDED)
        status = doubt(file, device, rocm, arena, ret);
    return status;
}

/* ---- what the release was assumed for --------------------------------------- */

static bool serves_in(const struct ra_file *file, const struct ra_device *device,
                      const struct ra_rocm *rocm)
{
    for (size_t i = 0; i < file->bundle_count; i++)
        if (choose(file, i, device, rocm).kind > RA_JIT)
            return false;
    return true;
}

enum ra_status ra_judge_needs(const struct ra_file *file, const struct ra_device *device,
                              enum ra_compat compat, struct ra_arena *arena,
                              struct ra_verdict *verdict)
{
    /* Releases from which on something is known to be so; the last is that of 2026. */
    static const unsigned releases[] = { 1000, 713, 701, 700, 604, 603, 602, 600, 505 };
    struct ra_rocm rocm = { RA_ROCM_NEWEST, compat };
    char name[RA_ROCM_TEXT];
    const char *needs;
    size_t i = 0;

    if (!ra_verdict_serves(verdict))
        return RA_OK;
    for (; i < RA_COUNT(releases); i++) {
        rocm.release = releases[i];
        if (!serves_in(file, device, &rocm))
            break;
    }
    if (i == RA_COUNT(releases))
        return RA_OK;
    ra_rocm_name(i > 0 ? releases[i - 1] : RA_ROCM_NEWEST, name);
    needs = ra_text_format(arena, "needs %s%s", name, i > 0 ? " or later" : "");
    if (needs && verdict->assumption)
        needs = ra_text_format(arena, "%s; %s", verdict->assumption, needs);
    verdict->assumption = needs;
    return needs ? RA_OK : RA_E_NOMEM;
}
