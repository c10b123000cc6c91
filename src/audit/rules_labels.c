/* rules_labels.c - rules of what code objects are called, beside what they are. */
#include "audit/rule.h"

#include "audit/judge_offload.h"
#include "gfx/filename.h"
#include "gfx/target.h"

static bool states(enum ra_setting setting)
{
    return setting == RA_SETTING_ON || setting == RA_SETTING_OFF;
}

/* ---- names that differ ------------------------------------------------------ */

/* What a code object by itself is named by, if that is another target than it is. */
static bool is_misnamed(const struct ra_file *file, const struct ra_entry *entry)
{
    struct ra_target name;
    const struct ra_target *target = &entry->code.target;

    return file->kind == RA_KIND_CODE_OBJECT && entry->kind == RA_ENTRY_RAW &&
           entry->content == RA_CONTENT_CODE_OBJECT && *target->processor &&
           ra_filename_target(file->raw_path, &name) &&
           (strcmp(name.processor, target->processor) != 0 ||
            (states(name.xnack) && name.xnack != target->xnack) ||
            (states(name.sramecc) && name.sramecc != target->sramecc));
}

/* "labelled gfx1010, its e_flags say gfx1030, its metadata gfx90a" */
static void say_names(struct ra_text *text, const struct ra_file *file,
                      const struct ra_entry *entry)
{
    char name[RA_TARGET_TEXT];
    struct ra_target named;

    if (is_misnamed(file, entry) && ra_filename_target(file->raw_path, &named)) {
        ra_target_spell(&named, name);
        ra_text_printf(text, "named %s, ", name);
    }
    if (*entry->target)
        ra_text_printf(text, "labelled %s, ", entry->target);
    ra_text_printf(text, "its e_flags say %s", entry->elf_target);
    if (*entry->code.claimed.processor) {
        ra_target_spell(&entry->code.claimed, name);
        ra_text_printf(text, ", its metadata %s", name);
    }
}

/* Once a file; where the label matters to the device, RA004 has told it. */
enum ra_status ra_rule_mislabelled(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_file *file = subject->file;
    const struct ra_entry *first = NULL;
    size_t count = 0;

    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++) {
            const struct ra_entry *entry = &file->bundles[i].entries[j];

            if (!ra_judge_mislabelled(entry) && !is_misnamed(file, entry))
                continue;
            first = first ? first : entry;
            count++;
        }
    says->applies = first && subject->first && subject->verdict->kind != RA_UNLOADABLE;
    if (!says->applies)
        return RA_OK;
    ra_text_printf(&says->message, "%zu code object%s: ", count, count == 1 ? "" : "s");
    if (count > 1)
        ra_text_str(&says->message, "the first is ");
    say_names(&says->message, file, first);
    return RA_OK;
}

/* ---- what no compiler makes ------------------------------------------------- */

#define COMPARED 256 /* entries of a bundle; more is no list of targets */

/* Two entries that a process could both be given, or that no build names together. */
static bool conflict(const struct ra_entry *left, const struct ra_entry *right)
{
    const struct ra_target *a = &left->label, *b = &right->label;

    if (left->kind != RA_ENTRY_HIP || right->kind != RA_ENTRY_HIP || left->size == 0 ||
        right->size == 0 || *a->processor == '\0' ||
        strcmp(a->processor, b->processor) != 0)
        return false;
    return states(a->xnack) != states(b->xnack) ||
           states(a->sramecc) != states(b->sramecc) ||
           (a->xnack == b->xnack && a->sramecc == b->sramecc);
}

static bool find_conflict(const struct ra_bundle *bundle, const struct ra_entry **left,
                          const struct ra_entry **right)
{
    size_t count = bundle->entry_count < COMPARED ? bundle->entry_count : COMPARED;

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (conflict(&bundle->entries[i], &bundle->entries[j])) {
                *left = &bundle->entries[i];
                *right = &bundle->entries[j];
                return true;
            }
    return false;
}

enum ra_status ra_rule_ambiguous_entries(const struct ra_case *subject,
                                         struct ra_says *says)
{
    const struct ra_entry *left, *right;

    for (size_t i = 0; subject->first && i < subject->file->bundle_count; i++) {
        const struct ra_bundle *bundle = &subject->file->bundles[i];

        /* Of archives, the most specific entry comes first. */
        if (bundle->kpack || !find_conflict(bundle, &left, &right))
            continue;
        says->applies = true;
        ra_text_printf(&says->message, "bundle %zu has both %s and %s: ", i, left->target,
                       right->target);
        ra_text_str(&says->message,
                    strcmp(bundle->container, "plain") == 0 || ra_judge_is_offload(bundle)
                        ? "the first that fits is taken"
                        : "compressed, so either may be taken");
        ra_text_str(&says->advice, "build the bundle again, with a target either bare or "
                                   "in each of its modes");
        return RA_OK;
    }
    return RA_OK;
}

/* The first two compilers that differ, of the code objects of a file. */
static bool find_compilers(const struct ra_file *file, const char *ret[2])
{
    ret[0] = NULL;
    for (size_t i = 0; i < file->bundle_count; i++)
        for (size_t j = 0; j < file->bundles[i].entry_count; j++) {
            const char *compiler = file->bundles[i].entries[j].code.compiler;

            /* Assembly knows its linker only, which says nothing of the compiler. */
            if (!compiler || *compiler == '\0' || strncmp(compiler, "Linker", 6) == 0)
                continue;
            ret[1] = compiler;
            if (!ret[0])
                ret[0] = compiler;
            else if (strcmp(ret[0], compiler) != 0)
                return true;
        }
    return false;
}

enum ra_status ra_rule_mixed_compilers(const struct ra_case *subject,
                                       struct ra_says *says)
{
    const char *compilers[2];

    says->applies = subject->first && find_compilers(subject->file, compilers);
    if (says->applies)
        ra_text_printf(&says->message, "code objects of %s and of %s", compilers[0],
                       compilers[1]);
    return RA_OK;
}
