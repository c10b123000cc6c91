/* rules_kpack.c - rules of code that is in .kpack archives. */
#include "audit/rule.h"

#include "audit/beside.h"
#include "audit/judge_kpack.h"
#include "site/names.h"

#include <inttypes.h>

/* Of each that is named, the rest is counted. */
#define NAMED 6

/* Archives with a tenth of the kernels of another are too small to be right. */
#define FEW_KERNELS  10
#define MANY_KERNELS 20

/* Whether the name of an archive is for the processor, in whatever mode. */
static bool is_for(const struct ra_kpack_archive *archive, const char *processor)
{
    size_t size = strlen(processor);

    return strncmp(archive->target, processor, size) == 0 &&
           (archive->target[size] == '\0' || archive->target[size] == ':');
}

/* ---- what is there ---------------------------------------------------------- */

/* Whether the file leaves its code to archives, and lacks some of it for the GPU. */
static bool is_lacking(const struct ra_case *subject)
{
    enum ra_verdict_kind kind = subject->verdict->kind;

    return ra_case_is_split(subject) && (kind == RA_MISSING || kind == RA_PARTIAL);
}

static enum ra_kpack_lack lacks(const struct ra_case *subject)
{
    return ra_kpack_lacks(subject->file->kpack, &subject->device->id,
                          ra_rocm_can(subject->rocm, RA_CAN_LOAD_GENERIC) != RA_NO);
}

/* What a loader does that tries all archives. */
static struct ra_choice choice_of_newest(const struct ra_case *subject,
                                         const struct ra_bundle *bundle)
{
    struct ra_rocm newest = { RA_ROCM_NEWEST, subject->rocm->compat };

    return ra_judge_bundle(bundle, &subject->device->id, &newest);
}

/* Wrappers whose code is in an archive behind one that lists the GPU and lacks it. */
static size_t count_hidden(const struct ra_case *subject, const struct ra_entry **first)
{
    size_t count = 0;

    *first = NULL;
    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        struct ra_choice chosen = choice_of_newest(subject, &subject->file->bundles[i]);

        if (!chosen.passed || !chosen.entry || chosen.kind == RA_FEATURE_MISMATCH)
            continue;
        *first = *first ? *first : chosen.entry;
        count++;
    }
    return count;
}

/* Wrappers that no archive has code for, on the GPU. */
static size_t count_absent(const struct ra_case *subject)
{
    size_t count = 0;

    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        const struct ra_bundle *bundle = &subject->file->bundles[i];

        count += bundle->kpack && choice_of_newest(subject, bundle).kind > RA_UNDECIDED;
    }
    return count;
}

/* ---- words ------------------------------------------------------------------ */

static void say_patterns(struct ra_text *text, const struct ra_kpack *kpack)
{
    for (size_t i = 0; i < kpack->pattern_count && i < NAMED; i++)
        ra_text_printf(text, "%s%s", i > 0 ? ", " : "", kpack->patterns[i]);
}

/* Where the loader looks. */
static void say_place(struct ra_text *text, const struct ra_kpack *kpack)
{
    if (kpack->moved)
        ra_text_str(text, "ROCM_KPACK_PATH says where they are");
    else
        say_patterns(text, kpack);
}

static void say_archives(struct ra_text *text, const struct ra_kpack *kpack)
{
    size_t said = 0;

    for (size_t i = 0; i < kpack->archive_count && said < NAMED; i++)
        if (*kpack->archives[i].target) {
            ra_text_printf(text, " %s", kpack->archives[i].target);
            said++;
        }
    if (kpack->archive_count > said)
        ra_text_printf(text, " and %zu more", kpack->archive_count - said);
}

/* The group of archives: "torch" of ../.kpack/torch_@GFXARCH@.kpack. */
static void group_of(const struct ra_kpack *kpack, char *ret, size_t room)
{
    const char *base = kpack->pattern_count > 0 ? ra_text_base(kpack->patterns[0]) : "";
    const char *mark = strstr(base, "_@GFXARCH@");
    size_t size = mark ? (size_t)(mark - base) : 0;

    if (size >= room)
        size = 0;
    memcpy(ret, base, size);
    ret[size] = '\0';
}

/* Whether a package of that name is among those whose records were read. */
static bool is_installed(const struct ra_case *subject, const char *name)
{
    return subject->packages && ra_package_is_known(subject->packages, name);
}

/* What brings the code for the GPU, if that can be told of the package or the group. */
static bool find_device_package(const struct ra_case *subject,
                                struct ra_device_package *ret)
{
    const struct ra_file *file = subject->file;
    const char *processor = subject->device->id.processor;
    char group[RA_DEVICE_TEXT];

    if (file->package && ra_site_device_package(file->package->name, processor, ret))
        return true;
    if (file->kind == RA_KIND_KPACK)
        return ra_site_device_package(file->kpack->name, processor, ret);
    group_of(file->kpack, group, sizeof(group));
    return ra_site_device_package(group, processor, ret);
}

static void say_device_package(struct ra_says *says, const struct ra_case *subject)
{
    struct ra_device_package found;

    if (!find_device_package(subject, &found)) {
        ra_text_printf(&says->advice,
                       "install the archives for %s, of the same version as the library",
                       subject->device->id.processor);
    } else if (is_installed(subject, found.package)) {
        ra_text_printf(&says->message, "; %s is installed, and did not bring it",
                       found.package);
        ra_text_printf(&says->advice,
                       "install %s again; if that does not help, report "
                       "it to who packed it",
                       found.package);
    } else {
        ra_text_printf(&says->message, "; %s is not installed", found.package);
        ra_text_printf(&says->advice, "%s, from the index the host package came from",
                       found.command);
    }
}

/* Of libraries in a table the lack is meant. */
static void say_purpose(struct ra_says *says, const struct ra_case *subject)
{
    if (!subject->verdict->on_purpose)
        return;
    says->severity = RA_WARNING;
    ra_text_printf(&says->message, "; meant so: %s", subject->verdict->on_purpose);
}

bool ra_say_device_package(struct ra_says *says, const struct ra_case *subject)
{
    if (subject->file->kind != RA_KIND_KPACK || !subject->file->kpack)
        return false;
    say_device_package(says, subject);
    return true;
}

/* ---- no code for the GPU ---------------------------------------------------- */

enum ra_status ra_rule_kpack_archive_missing(const struct ra_case *subject,
                                             struct ra_says *says)
{
    const struct ra_kpack *kpack = subject->file->kpack;

    says->applies = is_lacking(subject) && kpack->archive_count > 0 &&
                    lacks(subject) == RA_KPACK_NO_ARCHIVE;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "no archive for %s at ",
                   subject->device->id.processor);
    say_place(&says->message, kpack);
    ra_text_str(&says->message, "; there are archives for");
    say_archives(&says->message, kpack);
    ra_says_fault(says, subject, RA_FAULT_KPACK_ARCHIVE);
    say_purpose(says, subject);
    say_device_package(says, subject);
    return RA_OK;
}

enum ra_status ra_rule_kpack_gone(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_kpack *kpack = subject->file->kpack;

    says->applies = is_lacking(subject) && kpack->archive_count == 0;
    if (!says->applies)
        return RA_OK;
    ra_text_str(&says->message, "its code is in .kpack archives, and none is there: ");
    say_place(&says->message, kpack);
    ra_says_fault(says, subject, RA_FAULT_KPACK_ARCHIVE);
    say_purpose(says, subject);
    if (kpack->disabled) {
        ra_text_str(&says->message, "; ROCM_KPACK_DISABLE is set");
        ra_text_str(&says->advice, "unset ROCM_KPACK_DISABLE");
        return RA_OK;
    }
    say_device_package(says, subject);
    ra_text_str(&says->advice,
                "; of a library that was copied, copy the .kpack folder as well");
    return RA_OK;
}

enum ra_status ra_rule_kpack_other_binary(const struct ra_case *subject,
                                          struct ra_says *says)
{
    const struct ra_kpack *kpack = subject->file->kpack;

    says->applies = is_lacking(subject) && lacks(subject) == RA_KPACK_NO_BINARY;
    for (size_t i = 0; says->applies && i < kpack->archive_count; i++) {
        const struct ra_kpack_archive *archive = &kpack->archives[i];

        if (*archive->target && !is_for(archive, subject->device->id.processor))
            continue;
        ra_text_printf(&says->message, "%s holds no code for %s on %s",
                       ra_text_base(archive->path), kpack->name,
                       subject->device->id.processor);
        break;
    }
    if (!says->applies)
        return RA_OK;
    if (says->message.size == 0)
        ra_text_printf(&says->message, "no archive lists %s", kpack->name);
    ra_says_fault(says, subject, RA_FAULT_KPACK_KERNEL);
    say_purpose(says, subject);
    ra_text_str(&says->advice, "install host and device package of one version");
    return RA_OK;
}

/* The first archive for the GPU that lists the library. */
static const struct ra_kpack_archive *archive_for(const struct ra_case *subject)
{
    const struct ra_kpack *kpack = subject->file->kpack;

    for (size_t i = 0; i < kpack->archive_count; i++)
        if (kpack->archives[i].has_binary &&
            is_for(&kpack->archives[i], subject->device->id.processor))
            return &kpack->archives[i];
    return NULL;
}

/* " #1 #3 and 5 more": wrappers without code. */
static void say_absent(struct ra_text *text, const struct ra_case *subject)
{
    size_t said = 0, left = 0;

    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        const struct ra_bundle *bundle = &subject->file->bundles[i];
        const char *mark = bundle->key ? strrchr(bundle->key, '#') : NULL;

        if (!mark || choice_of_newest(subject, bundle).kind <= RA_UNDECIDED)
            continue;
        if (said++ < NAMED)
            ra_text_printf(text, " %s", mark);
        else
            left++;
    }
    if (left > 0)
        ra_text_printf(text, " and %zu more", left);
}

enum ra_status ra_rule_kpack_kernel_missing(const struct ra_case *subject,
                                            struct ra_says *says)
{
    const struct ra_kpack_archive *archive;
    size_t count;

    says->applies = is_lacking(subject) && lacks(subject) == RA_KPACK_NO_KERNEL &&
                    (count = count_absent(subject)) > 0;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "no code for %s for %zu of %zu wrappers:",
                   subject->device->id.processor, count, subject->verdict->total);
    say_absent(&says->message, subject);
    archive = archive_for(subject);
    if (archive)
        ra_text_printf(&says->message, "; %s has %s", ra_text_base(archive->path),
                       archive->numbers);
    ra_says_fault(says, subject, RA_FAULT_KPACK_KERNEL);
    say_purpose(says, subject);
    ra_text_str(&says->advice, "install host and device package of one version; if they "
                               "are, report it to who packed them");
    return RA_OK;
}

/* ---- code that is in the way ------------------------------------------------ */

enum ra_status ra_rule_kpack_overlay(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_entry *hidden;
    size_t count = ra_case_is_split(subject) ? count_hidden(subject, &hidden) : 0;

    says->applies = count > 0 && subject->verdict->kind != RA_UNDECIDED &&
                    ra_rocm_can(subject->rocm, RA_CAN_READ_KPACK) != RA_NO;
    if (!says->applies)
        return RA_OK;
    if (ra_rocm_can(subject->rocm, RA_CAN_TRY_FURTHER_KPACK) == RA_NO)
        says->severity = RA_ERROR;
    ra_text_printf(&says->message,
                   "an archive for %s lacks the code of %zu of %zu wrappers, which %s "
                   "has; up to ROCm 7.14 the first archive hides it",
                   subject->device->target, count, subject->file->bundle_count,
                   ra_text_base(hidden->archive));
    ra_says_fault(says, subject, RA_FAULT_KPACK_KERNEL);
    ra_text_str(&says->advice, "move the incomplete archive away, or use ROCm 10.1 or "
                               "later");
    return RA_OK;
}

enum ra_status ra_rule_kpack_few_kernels(const struct ra_case *subject,
                                         struct ra_says *says)
{
    const struct ra_kpack *kpack = subject->file->kpack;
    const struct ra_kpack_archive *own = NULL, *most = NULL;

    if (!ra_case_is_split(subject) || !ra_verdict_serves(subject->verdict))
        return RA_OK;
    for (size_t i = 0; i < kpack->archive_count; i++) {
        const struct ra_kpack_archive *archive = &kpack->archives[i];

        if (!most || archive->kernels > most->kernels)
            most = archive;
        if (strcmp(archive->target, subject->device->id.processor) == 0)
            own = archive;
    }
    says->applies = own && most && own->has_binary && most->kernels >= MANY_KERNELS &&
                    own->kernels < most->kernels / FEW_KERNELS;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%s has %" PRIu64 " kernel%s, where %s has %" PRIu64,
                   ra_text_base(own->path), own->kernels, own->kernels == 1 ? "" : "s",
                   ra_text_base(most->path), most->kernels);
    ra_text_str(&says->advice, "install the device package anew; if that does not help, "
                               "report it to who packed it");
    return RA_OK;
}

/* ---- paths ------------------------------------------------------------------ */

enum ra_status ra_rule_kpack_other_path(const struct ra_case *subject,
                                        struct ra_says *says)
{
    const struct ra_kpack *kpack = subject->file->kpack;

    says->applies = ra_case_is_split(subject) && subject->first && kpack->lost_count > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message, "loaded as %s", kpack->lost_paths[0]);
    if (kpack->lost_count > 1)
        ra_text_printf(&says->message, " or by %zu more paths", kpack->lost_count - 1);
    ra_text_str(&says->message, ", archives are not found: ");
    say_patterns(&says->message, kpack);
    ra_text_str(&says->advice, "load it by its other path; of a devel tree, run rocm-sdk "
                               "init again");
    return RA_OK;
}

enum ra_status ra_rule_kpack_untransformed(const struct ra_case *subject,
                                           struct ra_says *says)
{
    const struct ra_file *file = subject->file;

    says->applies = file->unused_archive && subject->verdict->kind > RA_UNDECIDED;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message,
                   "%s lists this file, which uses the code in itself alone",
                   file->unused_archive);
    ra_text_str(&says->advice, "install the library that the archive belongs to");
    return RA_OK;
}

enum ra_status ra_rule_kpack_orphan(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_file *file = subject->file;

    says->applies = file->kind == RA_KIND_KPACK && file->kpack && file->kpack->orphan &&
                    subject->first;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_str(&says->message, "no library here refers to it");
    return RA_OK;
}

/* ---- several GPUs ----------------------------------------------------------- */

enum ra_status ra_rule_kpack_mixed_gpus(const struct ra_case *subject,
                                        struct ra_says *says)
{
    const struct ra_device *other = NULL;

    says->applies = ra_case_is_split(subject) && subject->one_machine &&
                    !subject->first && ra_verdict_serves(subject->verdict) &&
                    ra_rocm_can(subject->rocm, RA_CAN_SERVE_MIXED_KPACK) == RA_NO;
    for (size_t i = 0; says->applies && !other && i < subject->device_count; i++)
        if (subject->devices[i].index < subject->device->index &&
            !subject->devices[i].skipped &&
            strcmp(subject->devices[i].id.processor, subject->device->id.processor) != 0)
            other = &subject->devices[i];
    says->applies = says->applies && other;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%s may be given the code for %s",
                   subject->device->id.processor, other->id.processor);
    ra_text_str(&says->advice, "use ROCm 10.1 or later, or show the process one kind of "
                               "GPU: ROCR_VISIBLE_DEVICES");
    return RA_OK;
}
