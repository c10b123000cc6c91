/* rules_packages.c - rules of packages, and of files that are not what they are named. */
#include "audit/rule.h"

#include "audit/beside.h"
#include "audit/packages.h"
#include "site/known.h"

#include <stdio.h>

/* ---- what they share -------------------------------------------------------- */

static bool is_there(const struct ra_site_package *package)
{
    return package && !package->is_placeholder;
}

static bool is_device_package(const struct ra_site_package *package)
{
    return package->device.host[0] != '\0';
}

static const struct ra_owned *owned_of(const struct ra_case *subject)
{
    return ra_packages_owned(subject->packages, subject->records);
}

static const struct ra_site_package *host_of(const struct ra_case *subject)
{
    return ra_beside(subject->packages, subject->records, subject->records->device.host);
}

/* The name of the device package for a processor, and how to get it if that is known. */
static bool name_device_package(const char *host, const char *processor,
                                struct ra_device_package *ret)
{
    int size;

    if (ra_site_device_package(host, processor, ret))
        return true;
    size =
        snprintf(ret->package, sizeof(ret->package), "amd-%s-device-%s", host, processor);
    ret->command[0] = '\0';
    return size > 0 && (size_t)size < sizeof(ret->package);
}

static void advise_install(struct ra_says *says, const struct ra_device_package *wanted)
{
    if (wanted->command[0])
        ra_text_str(&says->advice, wanted->command);
    else
        ra_text_printf(&says->advice, "install %s", wanted->package);
    ra_text_str(&says->advice, ", from the index the host package is from");
}

/* ---- device packages -------------------------------------------------------- */

static bool serves(const struct ra_case *subject)
{
    const struct ra_package *package = subject->package;

    for (size_t i = 0; i < package->verdict_count; i++)
        if (package->verdicts[i].device == subject->device->index)
            return ra_verdict_serves(&package->verdicts[i]);
    return false;
}

/* Of the device packages beside a host, one of the processor's family, unless that of
   the processor is there as well. */
static const struct ra_site_package *only_family(const struct ra_case *subject,
                                                 const struct ra_device_package *wanted)
{
    const char *processor = subject->device->id.processor;
    const struct ra_site_package *family = NULL;
    char start[sizeof(wanted->package)];
    size_t at, size = strlen(wanted->package) - strlen(processor);

    memcpy(start, wanted->package, size);
    start[size] = '\0';
    for (const struct ra_site_package *found =
             ra_beside_first(subject->packages, subject->records, start, &at);
         found; found = ra_beside_next(subject->packages, subject->records, start, &at)) {
        enum ra_covers covers = ra_device_key_covers(found->device.key, processor);

        if (!is_there(found) || strcmp(found->device.host, subject->records->normal) != 0)
            continue;
        if (covers == RA_COVERS_TARGET)
            return NULL;
        if (covers != RA_COVERS_NOT && !family)
            family = found;
    }
    return family;
}

/* Of a host package: code for the family is there, that for the processor is not. */
static void say_only_family(const struct ra_case *subject, struct ra_says *says)
{
    const char *processor = subject->device->id.processor;
    const struct ra_site_package *family = NULL;
    struct ra_device_package wanted;

    if (name_device_package(subject->records->normal, processor, &wanted) &&
        !serves(subject))
        family = only_family(subject, &wanted);
    says->applies = family != NULL;
    if (!says->applies)
        return;
    ra_text_printf(&says->message,
                   "%s is installed, which has what %s shares with its family; %s is not",
                   family->name, processor, wanted.package);
    advise_install(says, &wanted);
}

/* What a device package needs without a condition, if that is of a family. */
static const struct ra_site_need *lacking_family(const struct ra_case *subject)
{
    const struct ra_site_package *of = subject->records;
    const char *processor = subject->device->id.processor;

    for (size_t i = 0; i < of->need_count; i++) {
        const struct ra_site_need *need = &of->needs[i];
        struct ra_span name = { (const uint8_t *)need->name, strlen(need->name), 0 };
        struct ra_device_wheel wheel;
        enum ra_covers covers;

        if (need->marker[0] || !ra_device_wheel_parse(name, &wheel) ||
            strcmp(wheel.host, of->device.host) != 0)
            continue;
        covers = ra_device_key_covers(wheel.key, processor);
        if ((covers == RA_COVERS_FAMILY || covers == RA_COVERS_SUBFAMILY) &&
            !is_there(ra_beside(subject->packages, of, need->name)))
            return need;
    }
    return NULL;
}

/* Of a device package. In package files it is too early to miss what they require. */
static void say_no_family(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_site_package *of = subject->records;
    const char *processor = subject->device->id.processor;
    const struct ra_site_need *need = NULL;
    struct ra_device_package wanted;

    if (is_there(of) && !ra_package_is_packed(of) &&
        ra_device_key_covers(of->device.key, processor) == RA_COVERS_TARGET)
        need = lacking_family(subject);
    says->applies = need != NULL;
    if (!says->applies)
        return;
    ra_text_printf(&says->message,
                   "it requires %s, which is not installed: what %s shares with its "
                   "family is missing",
                   need->name, processor);
    if (name_device_package(of->device.host, processor, &wanted))
        advise_install(says, &wanted);
}

enum ra_status ra_rule_family_package(const struct ra_case *subject, struct ra_says *says)
{
    if (!subject->device)
        return RA_OK;
    if (is_device_package(subject->records))
        say_no_family(subject, says);
    else
        say_only_family(subject, says);
    return RA_OK;
}

enum ra_status ra_rule_device_package_alone(const struct ra_case *subject,
                                            struct ra_says *says)
{
    const struct ra_site_package *of = subject->records;

    says->applies = subject->first && is_device_package(of) && is_there(of) &&
                    !is_there(host_of(subject)) &&
                    !ra_package_is_known(subject->packages, of->device.host);
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    if (!ra_package_is_packed(of) && owned_of(subject)->in_company)
        says->severity = RA_WARNING;
    ra_text_printf(&says->message, "%s, whose code it holds, is not here",
                   of->device.host);
    if (says->severity == RA_WARNING)
        ra_text_printf(&says->advice, "install %s, or remove %s", of->device.host,
                       of->name);
    return RA_OK;
}

/* ---- versions --------------------------------------------------------------- */

/* A letter of a version as versions are compared; the local part has three separators. */
static char plain(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return (char)(letter | 0x20);
    return letter == '-' || letter == '_' ? '.' : letter;
}

/* Whether `version` is the one that is wanted, which may leave the local part open. */
static bool is_version(const char *version, const char *wanted)
{
    while (*wanted && plain(*version) == plain(*wanted)) {
        version++;
        wanted++;
    }
    /* 2.12 and 2.12.0 are one: the shorter is filled up with zeros. */
    while (strncmp(version, ".0", 2) == 0 && (!*wanted || *wanted == '+'))
        version += 2;
    while (strncmp(wanted, ".0", 2) == 0 && (!*version || *version == '+'))
        wanted += 2;
    if (*wanted == '+' && *version == '+')
        return strcmp(version, wanted) == 0;
    return !*wanted && (!*version || *version == '+');
}

/* What the device package wants its host to be: "==1.2" says "1.2". Without a word on
   it, its own version; NULL if it takes more than one. */
static const char *wanted_version(const struct ra_site_package *of)
{
    for (size_t i = 0; i < of->need_count; i++) {
        const char *spec = of->needs[i].spec;

        if (strcmp(of->needs[i].name, of->device.host) != 0)
            continue;
        spec += strspn(spec, "( ");
        if (of->needs[i].marker[0] || strncmp(spec, "==", 2) != 0)
            return NULL;
        spec += spec[2] == '=' ? 3 : 2;
        spec += strspn(spec, " ");
        return strpbrk(spec, ",*;<>!~ )") ? NULL : spec;
    }
    return of->version;
}

/* Whether another version of the package is here as well, as in a folder of wheels. */
static bool has_twin(const struct ra_case *subject)
{
    const struct ra_site_package *of = subject->records;
    size_t at;

    for (const struct ra_site_package *found =
             ra_beside_first(subject->packages, of, of->normal, &at);
         found; found = ra_beside_next(subject->packages, of, of->normal, &at))
        if (found != of && strcmp(found->normal, of->normal) == 0 &&
            strcmp(found->version, of->version) != 0)
            return true;
    return false;
}

/* A device package beside a host, if there are some and none is of its version. */
static const struct ra_site_package *other_version(const struct ra_case *subject)
{
    const struct ra_site_package *of = subject->records, *first = NULL;
    struct ra_device_package like;
    size_t at;

    if (!ra_site_device_package(of->normal, "gfx942", &like) || !has_twin(subject))
        return NULL;
    like.package[strlen(like.package) - strlen("gfx942")] = '\0';
    for (const struct ra_site_package *found =
             ra_beside_first(subject->packages, of, like.package, &at);
         found; found = ra_beside_next(subject->packages, of, like.package, &at)) {
        const char *wanted = wanted_version(found);

        if (!wanted || is_version(of->version, wanted))
            return NULL;
        first = first ? first : found;
    }
    return first;
}

/* Whether one of several versions of a host is the one a device package is made for. */
static bool has_twin_of_version(const struct ra_case *subject,
                                const struct ra_site_package *host,
                                const struct ra_site_package *of)
{
    const char *wanted = wanted_version(of);
    size_t at;

    for (const struct ra_site_package *found =
             ra_beside_first(subject->packages, host, host->normal, &at);
         wanted && found;
         found = ra_beside_next(subject->packages, host, host->normal, &at))
        if (strcmp(found->normal, host->normal) == 0 &&
            is_version(found->version, wanted))
            return true;
    return false;
}

/* Its code would come from the archives of another version. */
static void tell_host(const struct ra_case *subject, const struct ra_site_package *other,
                      struct ra_says *says)
{
    says->applies = says->no_device = true;
    if (subject->gate)
        says->severity = RA_ERROR;
    ra_text_printf(&says->message,
                   "no device package of its version is here; %s is of %s", other->name,
                   other->version);
    ra_text_printf(&says->advice, "add the device packages of %s %s",
                   subject->records->name, subject->records->version);
}

enum ra_status ra_rule_version_skew(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_site_package *of = subject->records, *host = NULL;
    const struct ra_site_package *other = NULL;
    const char *wanted = NULL;

    if (subject->first && is_device_package(of) && is_there(of))
        host = host_of(subject);
    else if (subject->first && is_there(of))
        other = other_version(subject);
    if (other) {
        tell_host(subject, other, says);
        return RA_OK;
    }
    if (is_there(host) && !has_twin_of_version(subject, host, of))
        wanted = wanted_version(of);
    says->applies =
        wanted && *wanted && *host->version && !is_version(host->version, wanted);
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message, "it is made for %s %s, and %s is installed",
                   host->name, wanted, host->version);
    ra_text_printf(&says->advice, "install %s and %s of one version, from one index",
                   host->name, of->name);
    return RA_OK;
}

/* ---- packages without code -------------------------------------------------- */

/* What has needs is a name for other packages, which is no use of a placeholder. */
enum ra_status ra_rule_placeholder_package(const struct ra_case *subject,
                                           struct ra_says *says)
{
    const struct ra_site_package *of = subject->records;
    bool promises = is_device_package(of) || ra_site_promises_rocm(of->normal);

    says->applies =
        subject->first && of->is_placeholder && promises && of->need_count == 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_str(&says->message, "it brings no file, as a placeholder on PyPI does");
    ra_text_printf(&says->advice,
                   "uninstall it, and install %s from an index of AMD or PyTorch (pip "
                   "install --index-url URL)",
                   of->name);
    return RA_OK;
}

/* Parts of ROCm that hold no device code of their own. */
static bool is_host_only(const char *normal)
{
    static const char *const names[] = { "rocm",          "rocm-sdk",
                                         "rocm-sdk-core", "rocm-sdk-devel",
                                         "rocm-profiler", "rocm-kpack",
                                         "rocm-bootstrap" };

    for (size_t i = 0; i < RA_COUNT(names); i++)
        if (strcmp(normal, names[i]) == 0)
            return true;
    return false;
}

static bool is_library(const char *place)
{
    const char *suffix = strstr(ra_text_base(place), ".so");

    return suffix && (suffix[3] == '\0' || suffix[3] == '.');
}

static size_t count_libraries(const struct ra_site_package *package)
{
    const struct ra_site_file *file = package->files;
    size_t count = 0;

    for (size_t i = 0; file && i < package->file_count; i++, file = file->next)
        count += is_library(file->place);
    return count;
}

/* Debian and its like put what is host code, and what is not, into packages apart. */
enum ra_status ra_rule_no_device_code(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_site_package *of = subject->records;
    const struct ra_package *package = subject->package;
    size_t libraries = 0;

    if (subject->first && subject->packages->is_whole && package->device_files == 0 &&
        !package->jit && !package->placeholder && !of->editable &&
        !is_device_package(of) && strcmp(of->kind, "deb") != 0 &&
        ra_site_promises_rocm(of->normal) && !is_host_only(of->normal) &&
        !owned_of(subject)->is_beyond)
        libraries = count_libraries(of);
    says->applies = libraries > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message,
                   "no AMD device code in its %zu librar%s, for all that its name says; "
                   "it may be meant to have none",
                   libraries, libraries == 1 ? "y" : "ies");
    return RA_OK;
}

/* ---- what is elsewhere, or not as recorded ---------------------------------- */

enum ra_status ra_rule_editable_not_looked_at(const struct ra_case *subject,
                                              struct ra_says *says)
{
    const char *folder = subject->package->editable;

    says->applies = subject->first && owned_of(subject)->is_elsewhere;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    if (!folder) {
        ra_text_str(&says->message, "an editable install, and no record says where its "
                                    "files are");
        ra_text_str(&says->advice, "name the folder as well");
        return RA_OK;
    }
    ra_text_printf(&says->message, "its files are in %s, which was not looked at",
                   folder);
    ra_text_str(&says->advice, "--follow-editable, or name the folder as well");
    return RA_OK;
}

enum ra_status ra_rule_digest_differs(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_owned *owned = owned_of(subject);
    size_t count = owned->differing;

    says->applies = subject->first && count > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message, "%zu file%s not what RECORD says: %s", count,
                   count == 1 ? " is" : "s are", owned->differ);
    if (count > RA_DIFFERING_NAMED)
        ra_text_printf(&says->message, " and %zu more", count - RA_DIFFERING_NAMED);
    ra_text_printf(&says->advice, "install %s again, unless the change was meant",
                   subject->records->name);
    return RA_OK;
}

enum ra_status ra_rule_no_variant_loads(const struct ra_case *subject,
                                        struct ra_says *says)
{
    size_t count = owned_of(subject)->unloaded;
    char release[RA_ROCM_TEXT];

    says->applies = subject->first && count > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_rocm_name(subject->rocm->release, release);
    if (count == 1)
        ra_text_printf(&says->message, "its only library is not for %s", release);
    else
        ra_text_printf(&says->message, "none of its %zu libraries is for %s", count,
                       release);
    ra_text_printf(&says->advice,
                   "install a %s that has a library for it, or use a ROCm "
                   "that it has one for",
                   subject->records->name);
    return RA_OK;
}

/* ---- odd files -------------------------------------------------------------- */

enum ra_status ra_rule_lfs_pointer(const struct ra_case *subject, struct ra_says *says)
{
    says->applies = subject->first && subject->file->oddity == RA_ODDITY_LFS_POINTER;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_str(&says->message,
                "a text that stands for the file: Git LFS did not bring it");
    ra_text_str(&says->advice, "git lfs pull, and build or install again");
    return RA_OK;
}

enum ra_status ra_rule_empty_file(const struct ra_case *subject, struct ra_says *says)
{
    says->applies = subject->first && subject->file->oddity == RA_ODDITY_EMPTY;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_str(&says->message, "it is empty");
    ra_text_str(&says->advice, "build or install it again; look for a full disk");
    return RA_OK;
}

enum ra_status ra_rule_leftover(const struct ra_case *subject, struct ra_says *says)
{
    says->applies = true;
    says->no_device = true;
    ra_text_str(&says->message, "a tool left it when it took a bundle apart");
    if (subject->alike > 1)
        ra_text_printf(&says->message, ", and %zu more in the folder",
                       subject->alike - 1);
    ra_text_str(&says->advice, "remove what is not needed any more: nothing loads it");
    return RA_OK;
}
