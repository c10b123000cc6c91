/* rules_layout.c - rules of where device code is in a file, and of the file around it. */
#include "audit/judge_offload.h"
#include "audit/rule.h"

#include <inttypes.h>

/* ---- code that nothing loads ------------------------------------------------ */

enum ra_status ra_rule_not_linked(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_file *file = subject->file;
    size_t entries = 0;

    for (size_t i = 0; i < file->bundle_count; i++)
        if (file->bundles[i].has_table && ra_judge_is_before_link(&file->bundles[i]))
            entries += file->bundles[i].entry_count;
    says->applies = subject->first && entries > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message, "%zu piece%s of device code before %s link, for",
                   entries, entries == 1 ? "" : "s", entries == 1 ? "its" : "their");
    ra_say_targets(&says->message, file);
    ra_text_str(&says->message, ": bitcode or objects, which no GPU loads");
    ra_text_str(&says->advice,
                "nothing, of an object file: audit what it is linked into");
    return RA_OK;
}

enum ra_status ra_rule_unregistered(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_layout *layout = &subject->file->layout;
    size_t count = layout->unregistered;

    says->applies = subject->first && count > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message,
                   "no wrapper leads to %zu of %zu bundle%s: HIP does not "
                   "load %s by itself",
                   count, subject->file->bundle_count,
                   subject->file->bundle_count == 1 ? "" : "s",
                   count == 1 ? "it" : "them");
    ra_text_str(&says->advice, "nothing, if the program loads it as a module; else it "
                               "was linked without what registers it");
    return RA_OK;
}

/* ---- wrappers and the loader ------------------------------------------------ */

enum ra_status ra_rule_wrapper_astray(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_layout *layout = &subject->file->layout;

    says->applies = subject->first && layout->lost > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message, "%zu of %zu fat binary wrapper%s lead%s to no bundle",
                   layout->lost, layout->wrappers, layout->wrappers == 1 ? "" : "s",
                   layout->lost == 1 ? "s" : "");
    ra_says_fault(says, subject, RA_FAULT_UNREADABLE);
    ra_text_str(&says->advice, "take the file as the linker made it: a tool that ran "
                               "after it (strip, objcopy, patchelf) lost the code");
    return RA_OK;
}

enum ra_status ra_rule_misplaced_segment(const struct ra_case *subject,
                                         struct ra_says *says)
{
    const struct ra_layout *layout = &subject->file->layout;

    says->applies = subject->first && (layout->misplaced || layout->misaligned);
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(
        &says->message, "the segment at 0x%" PRIx64 " is not where %s in the file",
        layout->segment, layout->misplaced ? "pages have it" : "its alignment wants it");
    if (layout->misplaced)
        says->predicted = "import or dlopen fails on every machine: ELF load command "
                          "address/offset not page-aligned (or not properly aligned)";
    else
        says->predicted =
            "import or dlopen fails where glibc is older than 2.35: ELF load command "
            "address/offset not properly aligned (or alignment not page-aligned)";
    if (!layout->misplaced)
        says->severity = RA_WARNING;
    ra_text_str(&says->advice, "take the file as the linker made it: a tool that ran "
                               "after it (strip, patchelf) moved the segment");
    return RA_OK;
}

enum ra_status ra_rule_undefined_stub(const struct ra_case *subject, struct ra_says *says)
{
    const struct ra_layout *layout = &subject->file->layout;
    size_t count = layout->undefined_count;

    says->applies = subject->first && count > 0;
    if (!says->applies)
        return RA_OK;
    says->no_device = true;
    ra_text_printf(&says->message,
                   "it wants %zu host stub%s of kernels that no file "
                   "looked at has: %s%s",
                   count, count == 1 ? "" : "s", layout->undefined[0],
                   count > 1 ? ", ..." : "");
    says->predicted = "import fails (undefined symbol) on every GPU";
    ra_text_str(&says->advice, "link the object that defines the kernel, or audit the "
                               "library that has it along with this one");
    return RA_OK;
}
