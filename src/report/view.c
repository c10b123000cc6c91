#include "report/text.h"

#include "base/text.h"

#include <stdlib.h>

struct ra_noun ra_view_noun(const struct ra_view *view)
{
    return view->noun;
}

size_t ra_view_judge_as(const struct ra_view *view, size_t device)
{
    size_t count = view->report->device_count;
    size_t same = device < count ? view->report->devices[device].same_as : device;

    return same < count ? same : device;
}

bool ra_view_stands(const struct ra_view *view, size_t device)
{
    return device < view->report->device_count &&
           !view->report->devices[device].skipped &&
           ra_view_judge_as(view, device) == device;
}

size_t ra_view_standing(const struct ra_view *view)
{
    size_t count = 0;

    for (size_t i = 0; i < view->report->device_count; i++)
        count += ra_view_stands(view, i);
    return count;
}

size_t ra_view_first(const struct ra_view *view)
{
    for (size_t i = 0; i < view->report->device_count; i++)
        if (ra_view_stands(view, i))
            return i;
    return SIZE_MAX;
}

const struct ra_verdict *ra_view_verdict(const struct ra_view *view,
                                         const struct ra_file *file, size_t device)
{
    const struct ra_verdict *verdict = ra_file_verdict(file, device);

    return verdict ? verdict : ra_file_verdict(file, ra_view_judge_as(view, device));
}

const char *ra_view_ranges(struct ra_view *view, const size_t *numbers, size_t count)
{
    struct ra_text text = { 0 };
    const char *ret;

    for (size_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last + 1 < count; last++)
            if (numbers[last + 1] != numbers[last] + 1)
                break;
        ra_text_printf(&text, "%s%zu", first > 0 ? " " : "", numbers[first]);
        if (last > first)
            ra_text_printf(&text, "-%zu", numbers[last]);
    }
    ret = ra_text_keep(&text, &view->page.arena);
    ra_text_free(&text);
    view->page.failed |= !ret;
    return ret ? ret : "";
}

/* The GPUs that verdicts on `device` hold for. */
static const char *numbers_of(struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;
    size_t *numbers = ra_new(&view->page.arena, size_t, report->device_count);
    size_t count = 0;

    view->page.failed |= !numbers;
    for (size_t i = 0; numbers && i < report->device_count; i++)
        if (i == device ||
            (!report->devices[i].skipped && ra_view_judge_as(view, i) == device))
            numbers[count++] = i;
    return ra_view_ranges(view, numbers, count);
}

const char *ra_view_device(struct ra_view *view, size_t device)
{
    const char *target;

    if (device >= view->report->device_count)
        return "";
    target = view->report->devices[device].target;
    if (ra_view_standing(view) < 2)
        return target;
    return ra_page_format(&view->page, "%s (GPU %s)", target,
                          numbers_of(view, ra_view_judge_as(view, device)));
}

static int path_order(const void *key, const void *element)
{
    const struct ra_file *const *file = element;

    return strcmp(key, (*file)->path);
}

const struct ra_file *ra_view_file(const struct ra_view *view, const char *path)
{
    const struct ra_file *const *found = NULL;

    if (path)
        found = bsearch(path, view->by_path, view->report->file_count,
                        sizeof(const struct ra_file *), path_order);
    return found ? *found : NULL;
}

const char *ra_file_base(const struct ra_file *file)
{
    const char *base = ra_page_base(file->name);
    const char *mark = file->is_member ? strrchr(base, '!') : NULL;

    return mark && mark[1] ? mark + 1 : base;
}

bool ra_verdict_is_well(const struct ra_verdict *verdict)
{
    return verdict && verdict->block == RA_BLOCK_NONE && !verdict->excused &&
           (verdict->kind == RA_NATIVE || verdict->kind == RA_GENERIC ||
            verdict->kind == RA_JIT);
}

/* What the file comes to on the device, were it alone. */
static const char *own_word(const struct ra_verdict *verdict)
{
    switch (verdict->kind) {
    case RA_NONE:
        return "-";
    case RA_UNDECIDED:
        return "?";
    case RA_JIT:
        return "JIT";
    default:
        break;
    }
    if (verdict->severity == RA_ERROR)
        return "FAILS";
    if (verdict->severity == RA_WARNING)
        return "warns";
    return verdict->kind < RA_PARTIAL ? "fits" : "-"; /* for another GPU, and meant so */
}

const char *ra_verdict_word(const struct ra_verdict *verdict)
{
    const char *word = own_word(verdict);

    if (verdict->excused)
        return "-";
    switch (verdict->block) {
    case RA_BLOCK_NONE:
        return word;
    case RA_BLOCK_MAY_ABORT:
        return *word == '?' || *word == 'F' ? word : "warns";
    default:
        return "FAILS";
    }
}

bool ra_verdict_reads(const struct ra_verdict *verdict, const char *word)
{
    return verdict && strcmp(ra_verdict_word(verdict), word) == 0;
}

unsigned ra_word_rank(const char *word)
{
    static const char *const words[] = { "-", "fits", "JIT", "warns", "?", "FAILS" };
    unsigned rank = RA_COUNT(words) - 1;

    while (rank > 0 && strcmp(words[rank], word) != 0)
        rank--;
    return rank;
}

const char *ra_view_others(struct ra_view *view)
{
    static const struct {
        const char *one, *many;
    } reasons[RA_KINDS] = {
        [RA_KIND_OTHER] = { "of no known format", "of no known format" },
        [RA_KIND_ELF] = { "ELF file", "ELF files" },
        [RA_KIND_BUNDLE] = { "bundle without any", "bundles without any" },
        [RA_KIND_CODE_OBJECT] = { "damaged code object", "damaged code objects" },
        [RA_KIND_CUDA] = { "with code for NVIDIA GPUs only",
                           "with code for NVIDIA GPUs only" },
        [RA_KIND_RUNTIME] = { "of the ROCm runtime itself",
                              "of the ROCm runtime itself" },
        [RA_KIND_KPACK] = { ".kpack archive without code",
                            ".kpack archives without code" },
        [RA_KIND_ARCHIVE] = { "archive that was not opened",
                              "archives that were not opened" },
        [RA_KIND_WINDOWS] = { "Windows file", "Windows files" },
        [RA_KIND_UNREADABLE] = { "unreadable", "unreadable" },
    };
    const uint64_t *by_kind = view->report->totals.by_kind;
    const char *text = "";

    for (size_t kind = 0; kind < RA_KINDS; kind++)
        if (by_kind[kind] > 0)
            text = ra_page_format(&view->page, "%s%s%s", text, *text ? ", " : "",
                                  ra_page_count(&view->page, by_kind[kind],
                                                reasons[kind].one, reasons[kind].many));
    return text;
}

/* "41,207 files in 2 archives" */
static const char *files_seen(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    struct ra_page *page = &view->page;
    const char *text = ra_page_count(page, totals->files, "file", "files");

    if (totals->archives == 0)
        return text;
    return ra_page_format(page, "%s in %s", text,
                          ra_page_count(page, totals->archives, "archive", "archives"));
}

const char *ra_view_nothing(struct ra_view *view)
{
    const char *others = ra_view_others(view);

    return ra_page_format(&view->page, "no AMD device code in %s%s%s", files_seen(view),
                          *others ? ": " : "", others);
}

const char *ra_text_target(struct ra_page *page, const struct ra_entry *entry)
{
    const char *label = *entry->target ? entry->target : NULL;
    const char *elf = *entry->elf_target ? entry->elf_target : NULL;

    if (entry->kind == RA_ENTRY_HOST)
        return "host";
    if (label && elf && strcmp(label, elf) != 0)
        return ra_page_format(page, "%s -> %s", label, elf);
    if (elf)
        return elf;
    return label ? label : *entry->id ? entry->id : "unknown";
}

const char *ra_view_counts(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    struct ra_page *page = &view->page;
    const char *seconds = "";

    if (page->style->timing)
        seconds = ra_page_format(page, ", %.1f s", totals->seconds);
    return ra_page_format(
        page, "%s%s: %s with AMD device code, %s, %s, %s", files_seen(view), seconds,
        ra_page_number(page, totals->with_device_code),
        ra_page_count(page, totals->bundles, "bundle", "bundles"),
        ra_page_count(page, totals->code_objects, "code object", "code objects"),
        ra_page_count(page, totals->kernels, "kernel", "kernels"));
}

static void put_diag(struct ra_page *page, const struct ra_diag *diag)
{
    const char *where = ra_page_format(page, "0x%llx", (unsigned long long)diag->offset);
    const char *gap = diag->detail && *diag->detail ? ": " : "";

    if (diag->inner != RA_NOT_EXPANDED)
        where = ra_page_format(page, "%s, expanded 0x%llx", where,
                               (unsigned long long)diag->inner);
    ra_page_lines(page, "", "", 2,
                  ra_page_format(page, "%s %s at %s: %s%s%s", diag->code, diag->name,
                                 where, diag->text, gap,
                                 diag->detail ? diag->detail : ""));
}

void ra_text_diags(struct ra_page *page, const struct ra_file *file)
{
    const size_t most = 3;
    size_t shown = 0, left = 0;

    for (const struct ra_diag *diag = file->diags; diag; diag = diag->next) {
        if (!page->style->verbose && diag->severity != RA_ERROR)
            continue;
        if (page->style->verbose || shown++ < most)
            put_diag(page, diag);
        else
            left++;
    }
    if (left > 0)
        ra_page_more(page, left, "fault", "faults");
}
