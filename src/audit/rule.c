/* rule.c - pieces of text that several rules use. */
#include "audit/rule.h"

#include "audit/judge_offload.h"
#include "gfx/target.h"

#include <stdlib.h>

#define LISTED 12 /* targets named in a message; -v and JSON have all */

/* Whether HIP gets to see any of it. */
static bool is_for_hip(const struct ra_file *file)
{
    for (size_t i = 0; file && i < file->bundle_count; i++)
        if (!ra_judge_is_offload(&file->bundles[i]))
            return true;
    return !file || file->bundle_count == 0;
}

void ra_says_fault(struct ra_says *says, const struct ra_case *subject,
                   enum ra_fault_kind fault)
{
    const struct ra_rocm_error *error = ra_rocm_error(subject->rocm, fault);

    says->consequence = "refused";
    if (!is_for_hip(subject->file))
        return; /* other runtimes have errors of their own, or run it on the host */
    says->predicted = error->text;
    says->consequence = error->consequence == RA_CONSEQUENCE_ABORT ? "abort" : "refused";
}

/* The targets a file has code for, each once, in the order met; their count, or LISTED
   + 1 if there are more. */
static size_t list_targets(const struct ra_file *file, const char *seen[LISTED])
{
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++) {
            const struct ra_entry *entry = &file->bundles[i].entries[j];
            const char *target = *entry->target ? entry->target : entry->elf_target;
            size_t k = 0;

            if (entry->kind == RA_ENTRY_HOST || entry->size == 0 || *target == '\0')
                continue;
            while (k < count && strcmp(seen[k], target) != 0)
                k++;
            if (k < count)
                continue;
            if (count == LISTED)
                return LISTED + 1;
            seen[count++] = target;
        }
    return count;
}

void ra_say_targets(struct ra_text *text, const struct ra_file *file)
{
    const char *seen[LISTED];
    size_t count = list_targets(file, seen);

    for (size_t i = 0; i < count && i < LISTED; i++)
        ra_text_printf(text, " %s", seen[i]);
    if (count == 0)
        ra_text_str(text, " none");
    if (count > LISTED)
        ra_text_str(text, " ...");
}

void ra_say_coverage(struct ra_text *text, const struct ra_case *subject)
{
    bool one = subject->verdict->total == 1;
    const char *run = one ? "runs on" : "run on", *serve = one ? "serves" : "serve";

    ra_text_printf(text, "%zu of %zu bundle%s %s %s", subject->verdict->covered,
                   subject->verdict->total, one ? "" : "s", subject->gate ? serve : run,
                   subject->device->id.processor);
    if (subject->device->override_text)
        ra_text_printf(text, " (%s by %s)", subject->device->hardware_target,
                       subject->device->override_text);
}

/* Whether all bundles would serve the GPU if nothing overrode what it is. */
static bool serves_hardware(const struct ra_case *subject)
{
    if (!subject->device->override_text)
        return false;
    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        struct ra_choice chosen = ra_judge_bundle(
            &subject->file->bundles[i], &subject->device->hardware, subject->rocm);

        if (chosen.kind > RA_JIT)
            return false;
    }
    return true;
}

/* The list that PyTorch takes: what the file has, where that is a list, and the GPU. */
static void say_torch_list(struct ra_text *text, const struct ra_case *subject)
{
    const char *name = subject->device->id.processor;
    const char *seen[LISTED];
    size_t count = list_targets(subject->file, seen);

    ra_text_str(text, "PYTORCH_ROCM_ARCH=\"");
    for (size_t i = 0; count <= LISTED && i < count; i++) {
        struct ra_span span = { (const uint8_t *)seen[i], strlen(seen[i]), 0 };
        struct ra_target target;

        if (ra_target_parse(span, &target) && strncmp(seen[i], "gfx", 3) == 0 &&
            strcmp(target.processor, name) != 0)
            ra_text_printf(text, "%s;", seen[i]);
    }
    ra_text_printf(text, "%s\"", name);
}

void ra_say_unset(struct ra_text *text, const struct ra_device *device)
{
    ra_text_printf(text, "unset %.*s", (int)strcspn(device->override_text, "="),
                   device->override_text);
}

void ra_say_rebuild(struct ra_text *text, const struct ra_case *subject)
{
    const char *name = subject->device->id.processor;

    if (serves_hardware(subject)) {
        ra_say_unset(text, subject->device);
        ra_text_printf(text, ": the file has code for %s itself",
                       subject->device->hardware.processor);
        return;
    }
    /* Who checks a build is the one who made it. */
    if (!subject->gate)
        ra_text_printf(text, "install a build that lists %s, or ", name);
    ra_text_printf(text, "rebuild with --offload-arch=%s (PyTorch: ", name);
    say_torch_list(text, subject);
    ra_text_str(text, ")");
}

bool ra_case_is_split(const struct ra_case *subject)
{
    return subject->file->kpack && subject->file->kind != RA_KIND_KPACK;
}

struct ra_choice ra_case_choice(const struct ra_case *subject,
                                const struct ra_bundle *bundle)
{
    return ra_judge_bundle(bundle, &subject->device->id, subject->rocm);
}

const struct ra_bundle *ra_case_first(const struct ra_case *subject,
                                      enum ra_verdict_kind kind, struct ra_choice *ret)
{
    for (size_t i = 0; i < subject->file->bundle_count; i++) {
        *ret = ra_case_choice(subject, &subject->file->bundles[i]);
        if (ret->kind == kind)
            return &subject->file->bundles[i];
    }
    return NULL;
}
