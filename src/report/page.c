/* The page: its head, what it is about, its contents, and then section after section. */
#include "report/page.h"

#include "base/needs.h"
#include "charts/chart_css.h"
#include "data/dataset.h"
#include "report/page_css.h"

#include <string.h>

/* What was found comes first, then why, and what was done to find it. The last has no id. */
static const struct section {
    const char *id, *title;
    bool (*wanted)(const struct page *page); /* whether there is something to say; NULL: always */
    void (*write)(struct page *page);
} sections[] = {
    {"metrics", "Metrics", NULL, kelvin_page_write_metrics},
    {"classes", "Class by class", kelvin_page_classes_wanted, kelvin_page_write_classes},
    {"columns", "What matters", kelvin_page_columns_wanted, kelvin_page_write_columns},
    {"cases", "Cases worth a look", kelvin_page_cases_wanted, kelvin_page_write_cases},
    {"calibration", "Calibration", NULL, kelvin_page_write_calibration},
    {"uncertainty", "Uncertainty", NULL, kelvin_page_write_uncertainty},
    {"diagnosis", "Diagnosis", NULL, kelvin_page_write_diagnosis},
    {"learning", "Learning curves", NULL, kelvin_page_write_learning},
    {"size", "Posterior size", kelvin_page_sizes_wanted, kelvin_page_write_sizes},
    {"setup", "What was sampled", NULL, kelvin_page_write_setup},
    {NULL, NULL, NULL, NULL},
};

static bool is_wanted(const struct page *page, const struct section *section)
{
    return !section->wanted || section->wanted(page);
}

static void put_title(struct page *page)
{
    if (page->n > 1) {
        kelvin_markup_put(&page->out, "%zu posteriors side by side", page->n);
        return;
    }
    kelvin_page_put_between(page, "The posterior in ", page->runs[0].name, "");
}

static void put_head(struct page *page)
{
    struct markup *out = &page->out;
    kelvin_markup_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                           "<meta name=\"color-scheme\" content=\"light dark\">\n"
                           "<meta name=\"generator\" content=\"kelvin " KELVIN_VERSION "\">\n<title>");
    put_title(page);
    kelvin_markup_put(out, "</title>\n<style>\n");
    kelvin_markup_bytes(out, chart_css, sizeof chart_css - 1);
    kelvin_markup_bytes(out, page_css, sizeof page_css - 1);
    kelvin_markup_put(out, "</style>\n</head>\n<body>\n");
}

/* "24 samples of resnet20 on cifar10 by" and its sampler. */
static void put_subject(struct page *page, const struct report_run *run)
{
    const kelvin_run_config *c = &run->samples->run->config;
    kelvin_markup_put(&page->out, "%zu sample%s of ", run->samples->n, run->samples->n == 1 ? "" : "s");
    kelvin_page_put_between(page, "<b>", c->model, "</b> on ");
    kelvin_page_put_between(page, "<b>", c->data, "</b> by ");
    kelvin_markup_text(&page->out, run->samples->run->sampler->title);
}

/* ", from the 2 of 8 chains that have ended"; nothing of a run that has. */
static void put_ended(struct page *page, const struct report_run *run)
{
    const uint32_t chains = run->samples->run->config.chains, waiting = run->samples->n_waiting;
    if (waiting > 0)
        kelvin_markup_put(&page->out, ", from the %u of %u chains that have ended", chains - waiting, chains);
}

/* ", evaluated on 10000 test observations of 10 classes"; other data have their name. */
static void put_evaluated(struct page *page, const struct report_run *run)
{
    const bool test = strcmp(run->on, "test") == 0, own = test || strcmp(run->on, "train") == 0;
    kelvin_markup_put(&page->out, ", evaluated on %zu%s observations of %zu classes", run->metrics->n,
                      !own   ? ""
                      : test ? " test"
                             : " training",
                      run->metrics->classes);
    if (!own) kelvin_page_put_between(page, " in <b>", run->on, "</b>");
    if (own && run->samples->run->data->test.n == 0) kelvin_markup_put(&page->out, ": the run has no test part");
}

/* Of several runs: what they have in common is said below; here, what does not. */
static void put_subjects(struct page *page)
{
    struct markup *out = &page->out;
    for (size_t i = 0; i < page->n; i++) {
        const struct report_run *run = &page->runs[i];
        kelvin_markup_put(out, "<p class=\"lead\">");
        if (page->n > 1) {
            kelvin_markup_put(out, "<strong class=\"c%zu\">", kelvin_run_colour(i));
            kelvin_page_put_between(page, "", run->name, ":</strong> ");
            if (kelvin_page_put_differences(page, i)) kelvin_markup_put(out, "; ");
        }
        put_subject(page, run);
        if (page->n == 1) kelvin_markup_put(out, " at temperature %g", run->samples->run->config.temperature);
        put_ended(page, run);
        put_evaluated(page, run);
        kelvin_markup_put(out, ".</p>\n");
    }
}

/* "linear model 95.5", for a number says little by itself. */
static void put_beside(struct page *page, size_t metric)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    if (!about->better) return;
    for (size_t i = REPORT_BASELINES; i-- > 0;) {
        const kelvin_metrics *m = page->runs[0].baseline[i];
        if (m)
            kelvin_markup_put(&page->out, "<dd class=\"beside\">%s <b>%s</b></dd>", kelvin_baseline_at(i)->title,
                              kelvin_page_number(page, about->scale * m->ensemble[metric], about->digits));
    }
}

/* The numbers that are asked for first. */
static void put_key_numbers(struct page *page)
{
    size_t shown[KELVIN_METRICS];
    const size_t n = kelvin_metrics_shown(shown, KELVIN_SHOWN_FIRST);
    if (page->n > 1) return;
    kelvin_markup_put(&page->out, "<dl class=\"key\">\n");
    for (size_t i = 0; i < n; i++) {
        const kelvin_metric_info *about = kelvin_metric_at(shown[i]);
        kelvin_markup_put(
            &page->out, "<div><dt>%s</dt><dd>%s", about->title,
            kelvin_page_number(page, about->scale * page->runs[0].metrics->ensemble[shown[i]], about->digits));
        kelvin_markup_put(&page->out, *about->unit ? "<small> %s</small></dd>" : "%s</dd>", about->unit);
        put_beside(page, shown[i]);
        kelvin_markup_put(&page->out, "</div>\n");
    }
    kelvin_markup_put(&page->out, "</dl>\n");
}

/* The verdict, and what takes something away from it: what to do next. */
static void put_verdict_on(struct page *page, const struct report_run *run)
{
    static const char *const classes[] = {[KELVIN_SOUND] = "good", [KELVIN_CARE] = "care", [KELVIN_FAILED] = "bad"};
    const kelvin_diagnosis *d = run->diagnosis;
    const char *name = kelvin_grade_name(d->grade), *rest = d->verdict + strlen(name);
    size_t n = 0;
    while (n < d->n_advice && d->advice[n].grade > KELVIN_SOUND) n++;
    kelvin_markup_put(&page->out, "<div class=\"note verdict %s\">\n<p>", classes[d->grade]);
    if (page->n > 1) kelvin_page_put_between(page, "", run->name, ": ");
    kelvin_markup_put(&page->out, "<strong>%s</strong>", name);
    kelvin_markup_text(&page->out, rest);
    kelvin_markup_put(&page->out, ". (<a href=\"#diagnosis\">diagnosis</a>)</p>\n");
    kelvin_page_put_advice(page, "next", d->advice, n);
    kelvin_markup_put(&page->out, "</div>\n");
}

static void put_verdicts(struct page *page)
{
    for (size_t i = 0; i < page->n; i++) put_verdict_on(page, &page->runs[i]);
}

static void put_contents(struct page *page)
{
    kelvin_markup_put(&page->out, "<nav aria-label=\"Contents\"><ol>\n");
    for (const struct section *s = sections; s->id; s++)
        if (is_wanted(page, s)) kelvin_markup_put(&page->out, "<li><a href=\"#%s\">%s</a></li>\n", s->id, s->title);
    kelvin_markup_put(&page->out, "</ol></nav>\n");
}

static void put_page(struct page *page)
{
    put_head(page);
    kelvin_markup_put(&page->out, "<header>\n<h1>");
    put_title(page);
    kelvin_markup_put(&page->out, "</h1>\n");
    put_subjects(page);
    put_key_numbers(page);
    put_verdicts(page);
    put_contents(page);
    kelvin_markup_put(&page->out, "</header>\n<main>\n");
    for (const struct section *s = sections; s->id && !page->out.status; s++) {
        if (!is_wanted(page, s)) continue;
        kelvin_markup_put(&page->out, "<section id=\"%s\">\n<h2>%s</h2>\n", s->id, s->title);
        s->write(page);
        kelvin_markup_put(&page->out, "</section>\n");
    }
    kelvin_markup_put(&page->out, "</main>\n<footer><p>Made by kelvin " KELVIN_VERSION
                                  ". The same runs give the same page, to the byte.</p></footer>\n</body>\n</html>\n");
}

static kelvin_status write_page(const char *path, struct page *page)
{
    struct kelvin_writer file;
    page->out = (struct markup){.file = &file, .status = kelvin_writer_open(&file, path)};
    if (!page->out.status) put_page(page);
    return kelvin_writer_close(&file, page->out.status);
}

kelvin_status kelvin_report_write(const char *path, const char *const *folders, size_t n,
                                  const kelvin_report_options *options)
{
    KELVIN_NEEDS(path);
    KELVIN_NEEDS(folders);
    static const kelvin_report_options usual = {0};
    if (!options) options = &usual;
    struct page page = {.n = n, .words = options->words, .words_context = options->words_context};
    KELVIN_TRY(kelvin_arena_create(&page.arena));
    page.runs = kelvin_arena_alloc(page.arena, n, sizeof *page.runs);
    page.charted = kelvin_arena_alloc(page.arena, n, sizeof *page.charted);
    kelvin_status status = page.runs && page.charted ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) status = kelvin_page_gather_runs(page.runs, page.arena, folders, n, options);
    for (size_t i = 0; i < n && !status; i++)
        page.charted[i] = (struct charted){page.runs[i].name, page.runs[i].metrics, page.runs[i].diagnosis};
    if (!status) status = write_page(path, &page);
    if (page.runs) kelvin_page_gather_release(page.runs, n);
    kelvin_arena_destroy(page.arena);
    return status;
}
