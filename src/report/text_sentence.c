#include "report/text.h"

#include <ctype.h>

/* Columns a name may take in the sentence. */
#define NAME_COLUMNS 32

struct tally {
    size_t fails, unknown, all; /**< files */
};

static struct tally count_files(const struct ra_report *report, size_t device)
{
    struct tally tally = { 0 };

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict = ra_file_verdict(&report->files[i], device);

        if (!verdict || verdict->kind == RA_NONE)
            continue;
        tally.all++;
        tally.fails += strcmp(ra_verdict_word(verdict), "FAILS") == 0;
        tally.unknown += verdict->kind == RA_UNDECIDED;
    }
    return tally;
}

/* The only file with a verdict goes by its name. */
static const char *only_name(struct ra_view *view, size_t device)
{
    const struct ra_report *report = view->report;
    const char *name = NULL;

    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict = ra_file_verdict(&report->files[i], device);

        if (!verdict || verdict->kind == RA_NONE)
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

/* "1 of 3 libraries fails on gfx1151, 2 of 3 libraries fail on gfx942"; "" if none. */
static const char *failures(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    const char *text = "";

    for (size_t i = 0; i < view->report->device_count; i++) {
        struct tally tally = count_files(view->report, i);

        if (!ra_view_stands(view, i) || tally.fails == 0)
            continue;
        text = join(page, text,
                    ra_page_format(page, "%s %s on %s",
                                   subject(view, i, tally.fails, tally.all),
                                   tally.fails == 1 ? "fails" : "fail",
                                   view->report->devices[i].target));
    }
    return text;
}

static const char *unknowns(struct ra_view *view)
{
    struct ra_page *page = &view->page;
    const char *text = "";

    for (size_t i = 0; i < view->report->device_count; i++) {
        struct tally tally = count_files(view->report, i);

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
static bool is_left_out(const struct ra_report *report, size_t device)
{
    for (size_t i = 0; i < report->file_count; i++) {
        const struct ra_verdict *verdict = ra_file_verdict(&report->files[i], device);

        if (verdict && verdict->kind >= RA_MISSING && verdict->severity < RA_ERROR)
            return true;
    }
    return false;
}

static const char *fits(struct ra_view *view)
{
    const struct ra_report *report = view->report;
    struct ra_page *page = &view->page;
    struct ra_noun noun = ra_view_noun(view);
    struct tally tally = count_files(report, 0);
    const char *name = only_name(view, 0), *targets = "", *others = "";
    bool assumed = false;

    for (size_t i = 0; i < report->device_count; i++) {
        if (!ra_view_stands(view, i))
            continue;
        if (is_left_out(report, i)) {
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

static const char *capital(struct ra_page *page, const char *text)
{
    return ra_page_format(page, "%c%s", toupper((unsigned char)*text), text + 1);
}

static const char *sentence(struct ra_view *view)
{
    const struct ra_totals *totals = &view->report->totals;
    struct ra_page *page = &view->page;
    const char *text;

    if (totals->with_device_code == 0) {
        text = capital(page, ra_view_nothing(view));
        /* Those that could not be read at all are in the text already. */
        if (totals->incomplete <= totals->by_kind[RA_KIND_UNREADABLE])
            return text;
        return ra_page_format(page, "%s; %s", text, not_whole(view));
    }
    text = failures(view);
    if (*text)
        return view->report->exit == 1 ? text : ra_page_format(page, "%s, allowed", text);
    if (view->report->device_count == 0)
        return "Undecided: there is no GPU to judge for";
    text = unknowns(view);
    if (!*text && totals->incomplete)
        text = ra_page_format(page, "Undecided: %s", not_whole(view));
    if (*text)
        return view->report->exit == 2 ? text : ra_page_format(page, "%s, allowed", text);
    text = fits(view);
    if (totals->warnings == 0)
        return text;
    return ra_page_format(page, "%s, with %s%s", text,
                          ra_page_count(page, totals->warnings, "warning", "warnings"),
                          view->report->exit == 1 ? ", which count" : "");
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
