#include "report/text.h"

#include <ctype.h>

/* Columns a name may take in the sentence. */
#define NAME_COLUMNS 32

/* Rules that are told apart in the sentence. */
#define RULES_MOST 8

struct tally {
    size_t fails, unknown, all; /**< files */
};

static struct tally count_files(const struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;
    struct tally tally = { 0 };

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict =
            ra_view_verdict(view, &report->files[i], device);

        if (!verdict || ra_verdict_reads(verdict, "-"))
            continue;
        tally.all++;
        tally.fails += ra_verdict_reads(verdict, "FAILS");
        tally.unknown += ra_verdict_reads(verdict, "?");
    }
    return tally;
}

/* The only file with a verdict goes by its name. */
static const char *only_name(struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;
    const char *name = NULL;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict =
            ra_view_verdict(view, &report->files[i], device);

        if (!verdict || ra_verdict_reads(verdict, "-"))
            continue;
        if (name)
            return NULL;
        name = ra_page_base(report->files[i].path);
    }
    return name ? ra_page_cut(&view->page, name, NAME_COLUMNS) : NULL;
}

static const char *subject(struct ra_view *view, size_t device, size_t some, size_t all)
{
    const char *name = only_name(view, device);
    struct ra_noun noun = ra_view_noun(view);

    if (name)
        return name;
    return ra_page_format(&view->page, "%s of %s", ra_page_number(&view->page, some),
                          ra_page_count(&view->page, all, noun.one, noun.many));
}

static const char *join(struct ra_page *page, const char *text, const char *more)
{
    return ra_page_format(page, "%s%s%s", text, *text ? ", " : "", more);
}

/* Whether the devices are targets that are required. */
static bool is_gate(const struct ra_view *view)
{
    return strcmp(view->report->verb, "check") == 0;
}

/* Whether the file serves a target, rather than that another does in its place. */
static bool is_weighed(const struct ra_view *view, const struct ra_file *file)
{
    for (size_t i = 0; i < view->report->device_count; i++) {
        const struct ra_verdict *verdict = ra_view_verdict(view, file, i);

        if (verdict && !ra_verdict_reads(verdict, "-"))
            return true;
    }
    return false;
}

/* Files that leave a required target out, and may: notes say so. */
static bool *list_leaving(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    bool *leaves = ra_new(&view->page.arena, bool, report->file_count);

    for (size_t i = 0; leaves && i < report->finding_count; i++) {
        const struct ra_finding *finding = &report->findings[i];
        const struct ra_file *file = NULL;

        if (finding->severity == RA_NOTE && strcmp(finding->rule, "RA401") == 0)
            file = ra_view_file(view, finding->file);
        if (file)
            leaves[file - report->files] = true;
    }
    view->page.failed |= !leaves;
    return leaves;
}

/* Files that a gate weighs, and those of them that may leave targets out, and do. */
struct weighed {
    size_t all, out;
    const char *name; /* of the only one, or NULL */
};

static struct weighed count_weighed(struct ra_view *view)
{
    struct weighed ret = { 0 };
    const bool *leaving = list_leaving(view);

    for (size_t i = 0; leaving && i < view->report->file_count; i++) {
        const struct ra_file *file = &view->report->files[i];
        bool leaves = leaving[i];

        if (!leaves && !is_weighed(view, file))
            continue;
        ret.name = ret.all++ == 0 ? ra_page_base(file->path) : NULL;
        ret.out += leaves;
    }
    if (ret.name)
        ret.name = ra_page_cut(&view->page, ret.name, NAME_COLUMNS);
    return ret;
}

/* "1 of 3 libraries does not serve gfx1030" */
static const char *refusal(struct ra_view *view, size_t device, size_t fails)
{
    struct weighed weighed = count_weighed(view);
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    const char *name = weighed.name;

    if (!name)
        name = ra_page_format(page, "%s of %s", ra_page_number(page, fails),
                              ra_page_count(page, weighed.all, noun.one, noun.many));
    return ra_page_format(page, "%s %s not serve %s", name, fails == 1 ? "does" : "do",
                          view->report->devices[device].target);
}

static const char *failure(struct ra_view *view, size_t device, const struct tally *tally)
{
    if (is_gate(view))
        return refusal(view, device, tally->fails);
    return ra_page_format(
        &view->page, "%s %s on %s", subject(view, device, tally->fails, tally->all),
        tally->fails == 1 ? "fails" : "fail", view->report->devices[device].target);
}

/* "1 of 3 libraries fails on gfx1151, 2 of 3 libraries fail on gfx942"; "" if none. */
static const char *failures(struct ra_view *view)
{
    const char *text = "";

    for (size_t i = 0; i < view->report->device_count; i++) {
        struct tally tally = count_files(view, i);

        if (ra_view_stands(view, i) && tally.fails > 0)
            text = join(&view->page, text, failure(view, i, &tally));
    }
    return text;
}

/* A rule that an error stands on, though there is code for the GPU. */
struct other {
    const struct ra_finding *first;
    size_t count;
};

/* Whether what is wrong with a device makes files fail on it by their verdicts. */
static bool is_in_verdicts(const struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict =
            ra_view_verdict(view, &report->files[i], device);

        if (verdict && verdict->block == RA_BLOCK_OVERRIDE)
            return true;
    }
    return false;
}

static bool is_other(const struct ra_view *view, const struct ra_finding *finding)
{
    const struct ra_file *file = ra_view_file(view, finding->file);

    if (finding->severity != RA_ERROR || (finding->file && !file))
        return false;
    if (!file)
        return !is_in_verdicts(view, finding->device);
    return !ra_verdict_reads(ra_view_verdict(view, file, finding->device), "FAILS");
}

static size_t find_others(const struct ra_view *view, struct other others[RULES_MOST])
{
    size_t count = 0;

    for (size_t i = 0; i < view->report->finding_count; i++) {
        const struct ra_finding *finding = &view->report->findings[i];
        size_t at = 0;

        if (!is_other(view, finding))
            continue;
        while (at < count && strcmp(others[at].first->rule, finding->rule) != 0)
            at++;
        if (at == RULES_MOST)
            continue;
        if (at == count)
            others[count++] = (struct other){ .first = finding };
        others[at].count++;
    }
    return count;
}

/* "RA011 override-hazard on 2 GPUs, RA015 host-cpu in 3 libraries"; "" if none. */
static const char *other_errors(struct ra_view *view)
{
    struct other others[RULES_MOST];
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t count = find_others(view, others);
    const char *text = "";

    for (size_t i = 0; i < count; i++) {
        const struct ra_finding *finding = others[i].first;
        const char *where =
            finding->file ? ra_page_count(page, others[i].count, noun.one, noun.many)
            : finding->package
                ? ra_page_count(page, others[i].count, "package", "packages")
                : ra_page_count(page, others[i].count, "GPU", "GPUs");

        text =
            join(page, text,
                 ra_page_format(page, "%s %s %s %s", finding->rule, finding->name,
                                finding->file || finding->package ? "in" : "on", where));
    }
    return text;
}

/* All that fails, whatever it fails for. */
static const char *errors(struct ra_view *view)
{
    const char *text = failures(view), *others = other_errors(view);

    if (!*others)
        return text;
    if (!*text)
        return ra_page_format(&view->page, "Fails by %s", others);
    return ra_page_format(&view->page, "%s; also %s", text, others);
}

static const char *unknowns(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    const char *text = "";

    for (size_t i = 0; i < view->report->device_count; i++) {
        struct tally tally = count_files(view, i);

        if (!ra_view_stands(view, i) || tally.unknown == 0)
            continue;
        text = join(page, text,
                    ra_page_format(page, "%s on %s",
                                   subject(view, i, tally.unknown, tally.all),
                                   view->report->devices[i].target));
    }
    return *text ? ra_page_format(page, "Undecided: %s", text) : "";
}

static const char *not_whole(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    const char *count =
        ra_page_count(page, view->report->totals.incomplete, "file", "files");

    return ra_page_format(page, "%s could not be read whole", count);
}

/* Served by nothing, and yet no failure: an APU behind a discrete GPU. */
static bool is_left_out(const struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict =
            ra_view_verdict(view, &report->files[i], device);

        if (verdict && verdict->kind >= RA_MISSING && verdict->severity == RA_WARNING)
            return true;
    }
    return false;
}

static const char *fits(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    size_t first = ra_view_first(view);
    struct tally tally = count_files(view, first);
    const char *name = only_name(view, first), *targets = "", *others = "";
    bool assumed = false;

    for (size_t i = 0; i < report->device_count; i++) {
        if (!ra_view_stands(view, i))
            continue;
        if (is_left_out(view, i)) {
            others = join(page, others, report->devices[i].target);
            continue;
        }
        targets = join(page, targets, report->devices[i].target);
        assumed |= report->devices[i].xnack_assumed || report->devices[i].sramecc_assumed;
    }
    if (!name)
        name = ra_page_format(page, "All %s",
                              ra_page_count(page, tally.all, noun.one, noun.many));
    if (*others)
        others = ra_page_format(page, ", not on the APU beside it (%s)", others);
    return ra_page_format(page, "%s %s on %s%s%s", name, tally.all == 1 ? "runs" : "run",
                          targets, assumed ? " (features assumed)" : "", others);
}

/* ---- a gate ----------------------------------------------------------------- */

static const char *required(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    const char *text = "";
    bool assumed = false;

    for (size_t i = 0; i < report->device_count; i++) {
        if (!ra_view_stands(view, i))
            continue;
        text = join(&view->page, text, report->devices[i].target);
        assumed |= report->devices[i].xnack_assumed || report->devices[i].sramecc_assumed;
    }
    return assumed ? ra_page_format(&view->page, "%s (features assumed)", text) : text;
}

static const char *some_of(struct ra_page *page, size_t some, size_t all)
{
    return some == all ? "All"
                       : ra_page_format(page, "%s of", ra_page_number(page, some));
}

/* "All 8 libraries serve gfx942, gfx1100", or how many need not, and do not. */
static const char *serves(struct ra_view *view)
{
    struct weighed weighed = count_weighed(view);
    size_t all = weighed.all, out = weighed.out;
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    const char *name = weighed.name, *text;

    if (name && out > 0)
        return ra_page_format(page, "%s leaves out some of %s, and is allowed to", name,
                              required(view));
    if (!name)
        name = ra_page_format(page, "%s %s", some_of(page, all - out, all),
                              ra_page_count(page, all, noun.one, noun.many));
    text = ra_page_format(page, "%s %s %s", name, all - out == 1 ? "serves" : "serve",
                          required(view));
    if (out == 0)
        return text;
    return ra_page_format(page, "%s; %s out some, and %s allowed to", text,
                          ra_page_count(page, out, "leaves", "leave"),
                          out == 1 ? "is" : "are");
}

static const char *capital(struct ra_page *page, const char *text)
{
    return ra_page_format(page, "%c%s", toupper((unsigned char)*text), text + 1);
}

/* "triton 3.5.0 compiles its kernels on the machine"; NULL where others are there. */
static const char *only_jit(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    size_t others = report->package_count - 1;
    const char *name;

    if (report->package_count == 0 || report->exit != 0)
        return NULL;
    for (size_t i = 0; i < report->package_count; i++)
        if (!report->packages[i].jit)
            return NULL;
    name = ra_text_package(page, &report->packages[0]);
    if (others == 0)
        return ra_page_format(page, "%s compiles its kernels on the machine", name);
    return ra_page_format(page, "%s and %s compile their kernels on the machine", name,
                          ra_page_count(page, others, "other package", "other packages"));
}

static const char *nothing(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    const char *text = only_jit(view);

    if (text)
        return ra_page_format(&view->page, "No AMD device code: %s", text);
    text = capital(&view->page, ra_view_nothing(view));

    /* Those that could not be read at all are in the text already. */
    if (totals->incomplete <= totals->by_kind[RA_KIND_UNREADABLE])
        return text;
    return ra_page_format(&view->page, "%s; %s", text, not_whole(view));
}

/* What the exit code would be, and is not because an option allows it. */
static const char *unless_allowed(struct ra_view *view, const char *text, int code)
{
    return view->report->exit == code ? text
                                      : ra_page_format(&view->page, "%s, allowed", text);
}

static const char *well(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    const char *text = is_gate(view) ? serves(view) : fits(view);
    uint64_t warnings = report->totals.warnings;

    /* All is well, and yet not all is known. */
    if (report->exit == 2)
        return ra_page_format(&view->page, "Undecided: a GPU is not known; %s", text);
    if (warnings == 0)
        return text;
    return ra_page_format(&view->page, "%s, with %s%s", text,
                          ra_page_count(&view->page, warnings, "warning", "warnings"),
                          report->exit == 1 ? ", which count" : "");
}

static const char *sentence(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    const char *text = errors(view);

    if (*text)
        return unless_allowed(view, text, 1);
    if (totals->with_device_code == 0)
        return nothing(view);
    if (ra_view_standing(view) == 0)
        return "Undecided: there is no GPU to judge for";
    text = unknowns(view);
    if (!*text && totals->incomplete)
        text = ra_page_format(&view->page, "Undecided: %s", not_whole(view));
    return *text ? unless_allowed(view, text, 2) : well(view);
}

void ra_text_sentence(struct ra_view *view)
{
    const char *end = ra_page_format(&view->page, "exit %d", view->report->exit);
    const char *text = ra_page_format(&view->page, "%s.", sentence(view));
    size_t columns = ra_page_columns(text) + ra_page_columns(end);

    if (columns + 3 > view->page.style->width) {
        ra_page_text(&view->page, text);
        ra_page_text(&view->page, end);
        return;
    }
    ra_page_text(&view->page, ra_page_format(&view->page, "%s   %s", text, end));
}
