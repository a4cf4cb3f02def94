/* The sections about what posteriors predict: metrics, calibration, uncertainty, size. */
#include "report/page.h"

#include <math.h>

/* ---- metrics ---- */

static const char *with_unit(struct page *page, size_t metric)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    return *about->unit ? kelvin_page_text(page, "%s, %s", about->title, about->unit) : about->title;
}

static const char *scaled(struct page *page, size_t metric, double value)
{
    const kelvin_metric_info *about = kelvin_metric_at(metric);
    return kelvin_page_number(page, about->scale * value, about->digits);
}

enum kind { ALL, SUBSETS, SINGLE, KINDS };

static const char *const kind_names[KINDS] = {"all samples", "ensembles of %zu", "single samples"};

static void put_kind(struct page *page, enum kind kind, size_t metric, const kelvin_metrics *m)
{
    const kelvin_percentiles *spread = &m->spread[metric];
    const kelvin_average *one = &m->single[metric];
    if (kind == ALL)
        kelvin_page_put_cell(page, "main", scaled(page, metric, m->ensemble[metric]));
    else if (kind == SUBSETS && m->subsets)
        kelvin_markup_put(&page->out, "<td>%s<small>%s .. %s</small></td>", scaled(page, metric, spread->median),
                          scaled(page, metric, spread->low), scaled(page, metric, spread->high));
    else if (kind == SUBSETS || kelvin_metric_at(metric)->together) /* one sample does not contradict itself */
        kelvin_page_put_cell(page, "", kelvin_page_number(page, (double)NAN, 0));
    else if (isnan(one->error))
        kelvin_page_put_cell(page, "", scaled(page, metric, one->mean));
    else
        kelvin_page_put_cell(page, "",
                             kelvin_page_text(page, "%s \xc2\xb1 %s", scaled(page, metric, one->mean),
                                              scaled(page, metric, one->error)));
}

static size_t subset_of(const struct page *page)
{
    size_t subset = 0;
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].metrics->subsets) subset = page->runs[i].metrics->subset;
    return subset;
}

/* Baselines have a column each, of one run; of several, a group of rows. The best comes first. */
static bool has_baseline(const struct page *page, size_t kind)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].baseline[kind]) return true;
    return false;
}

/* What a model that is not sampled has none of is left empty: its doubt is all in the data. */
static void put_baseline(struct page *page, const struct report_run *run, size_t kind, size_t metric)
{
    const kelvin_metrics *m = run->baseline[kind];
    const bool none = !m || kelvin_metric_at(metric)->together;
    kelvin_page_put_cell(page, "",
                         none ? kelvin_page_number(page, (double)NAN, 0) : scaled(page, metric, m->ensemble[metric]));
}

/* Of one run the kinds are columns, and baselines stand beside what is to be compared with them. */
static void put_head_of_one(struct page *page, size_t subset)
{
    kelvin_markup_put(&page->out, "<thead><tr><th scope=\"col\">metric</th>");
    for (enum kind k = 0; k < KINDS; k++) {
        if (k != SUBSETS || subset)
            kelvin_page_put_between(page, "<th scope=\"col\">", kelvin_page_text(page, kind_names[k], subset), "</th>");
        for (size_t b = REPORT_BASELINES; b-- > 0 && k == ALL;)
            if (has_baseline(page, b))
                kelvin_markup_put(&page->out, "<th scope=\"col\">%s</th>", kelvin_baseline_at(b)->title);
    }
    kelvin_markup_put(&page->out, "</tr></thead>\n<tbody>\n");
}

static void put_table_of_one(struct page *page)
{
    const size_t subset = subset_of(page);
    put_head_of_one(page, subset);
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        kelvin_page_begin_row(page, with_unit(page, i));
        for (enum kind k = 0; k < KINDS; k++) {
            if (k != SUBSETS || subset) put_kind(page, k, i, page->runs[0].metrics);
            for (size_t b = REPORT_BASELINES; b-- > 0 && k == ALL;)
                if (has_baseline(page, b)) put_baseline(page, &page->runs[0], b, i);
        }
        kelvin_page_end_row(page);
    }
    kelvin_markup_put(&page->out, "</tbody>");
}

/* Of several, runs are columns, and each kind a group of rows. */
static void begin_group(struct page *page, const char *title)
{
    kelvin_markup_put(&page->out, "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\">%s</th></tr>\n",
                      page->n + 1, title);
}

static void put_table_of_many(struct page *page)
{
    const size_t subset = subset_of(page);
    kelvin_page_put_run_names(page, "metric");
    for (enum kind k = 0; k < KINDS; k++) {
        if (k == SUBSETS && !subset) continue;
        begin_group(page, kelvin_page_text(page, kind_names[k], subset));
        for (size_t row = 0; row < KELVIN_METRICS; row++) {
            kelvin_page_begin_row(page, with_unit(page, row));
            for (size_t i = 0; i < page->n; i++) put_kind(page, k, row, page->runs[i].metrics);
            kelvin_page_end_row(page);
        }
        kelvin_markup_put(&page->out, "</tbody>\n");
    }
    for (size_t b = REPORT_BASELINES; b-- > 0;) {
        if (!has_baseline(page, b)) continue;
        begin_group(page, kelvin_baseline_at(b)->title);
        for (size_t row = 0; row < KELVIN_METRICS; row++) {
            if (!kelvin_metric_at(row)->better) continue;
            kelvin_page_begin_row(page, with_unit(page, row));
            for (size_t i = 0; i < page->n; i++) put_baseline(page, &page->runs[i], b, row);
            kelvin_page_end_row(page);
        }
        kelvin_markup_put(&page->out, "</tbody>\n");
    }
}

static void put_notes(struct page *page)
{
    const size_t subset = subset_of(page);
    kelvin_markup_put(
        &page->out,
        "<p class=\"notes\">All samples: of the posterior predictive, the mean of all samples' probabilities. "
        "Single samples: the mean over samples (of more than 1,000, so many at equal distances), \xc2\xb1 its "
        "standard error over chains. ");
    if (subset)
        kelvin_markup_put(
            &page->out,
            "Ensembles of %zu: median, and 10th .. 90th percentile, over 100 random subsets of so many samples.",
            subset);
    else
        kelvin_markup_put(&page->out, "Error bars of ensembles need more than 8 samples.");
    for (size_t b = REPORT_BASELINES; b-- > 0;)
        if (has_baseline(page, b))
            kelvin_markup_put(&page->out, " <span class=\"name\">%s</span>: %s.", kelvin_baseline_at(b)->title,
                              kelvin_baseline_at(b)->about);
    kelvin_markup_put(&page->out, "</p>\n");
}

void kelvin_page_write_metrics(struct page *page)
{
    size_t shown[KELVIN_METRICS];
    const size_t n = kelvin_metrics_shown(shown, KELVIN_SHOWN_CHART);
    kelvin_page_begin_table(page, "Metrics", false);
    if (page->n == 1)
        put_table_of_one(page);
    else
        put_table_of_many(page);
    kelvin_page_end_table(page);
    put_notes(page);
    kelvin_markup_put(
        &page->out,
        "<p class=\"notes\">The plots show how much is gained by averaging, and how sure that is: thin bars are the "
        "standard error of the mean of single samples, thick ones hold 80 %% of small ensembles.</p>\n");
    kelvin_page_begin_charts(page, false);
    for (size_t i = 0; i < n; i++) {
        struct chart chart;
        kelvin_chart_metric(&chart, page->arena, shown[i], page->charted, page->n);
        kelvin_page_put_chart(page, &chart, NULL);
    }
    kelvin_page_end_charts(page);
}

/* ---- the others ---- */

void kelvin_page_write_calibration(struct page *page)
{
    struct chart chart;
    kelvin_page_begin_charts(page, false);
    kelvin_chart_reliability(&chart, page->arena, page->charted, page->n, false);
    kelvin_page_put_chart(
        page, &chart,
        page->n == 1 ? "On the diagonal, predictions are as often right as they claim. A blue bar above its "
                       "orange line is better than claimed, one below it worse; thin bars are Wilson's interval. "
                       "Hollow: fewer than 10 observations. Below: how many there are, on a logarithmic scale."
                     : "On the diagonal, predictions are as often right as they claim; above it they are too "
                       "modest, below it too confident. Bars: Wilson's interval. Small open "
                       "points: fewer than 10 observations, which say little. Below: how many there are, on a "
                       "logarithmic scale.");
    kelvin_chart_reliability(&chart, page->arena, page->charted, page->n, true);
    kelvin_page_put_chart(
        page, &chart,
        "The same where each point stands for about as many observations, with Wilson's interval, 10 .. 90 %; the axes "
        "go where the points are.");
    kelvin_page_end_charts(page);
}

void kelvin_page_write_uncertainty(struct page *page)
{
    struct chart chart;
    kelvin_page_begin_charts(page, true);
    kelvin_chart_uncertainty(&chart, page->arena, page->charted, page->n);
    kelvin_page_put_chart(page, &chart,
                          "Aleatoric: each sample by itself is in doubt, more samples will not help. "
                          "Epistemic: samples contradict each other, more data would.");
    for (size_t i = 0; i < page->n; i++) {
        kelvin_chart_confidence(&chart, page->arena, &page->charted[i], kelvin_run_colour(i));
        if (page->n > 1) chart.title = kelvin_page_text(page, "Confidence: %s", page->runs[i].name);
        kelvin_page_put_chart(
            page, &chart,
            i > 0 ? NULL
                  : "Right predictions should be far to the right, wrong ones to the left: a wrong one far to the "
                    "right is a confident mistake. The scale is logarithmic, for few are wrong.");
    }
    kelvin_page_end_charts(page);
}

bool kelvin_page_sizes_wanted(const struct page *page)
{
    for (size_t i = 0; i < page->n; i++)
        if (page->runs[i].metrics->sizes > 1) return true;
    return false;
}

void kelvin_page_write_sizes(struct page *page)
{
    size_t shown[KELVIN_METRICS];
    const size_t n = kelvin_metrics_shown(shown, KELVIN_SHOWN_SIZES);
    struct chart chart;
    kelvin_markup_put(&page->out,
                      "<p class=\"notes\">Where a curve is flat, more samples are of no use; where it still rises at "
                      "its end, they are. The band narrows at the end because all samples are in it then.</p>\n");
    kelvin_page_begin_charts(page, false);
    for (size_t i = 0; i < n; i++) {
        if (!kelvin_chart_size(&chart, page->arena, &shown[i], 1, page->charted, page->n)) continue;
        chart.title = kelvin_page_text(page, "%s by posterior size", kelvin_metric_at(shown[i])->title);
        kelvin_page_put_chart(page, &chart, NULL);
    }
    kelvin_page_end_charts(page);
}
