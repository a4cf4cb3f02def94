/* The sections about chains: how they learned, and whether to believe them. */
#include "report/page.h"

#include <math.h>

void write_learning(struct page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        const struct report_run *run = &page->runs[i];
        const size_t chains = run->samples->run->config.chains;
        struct chart chart;
        put_run_title(page, run);
        begin_charts(page);
        chart_learning(&chart, page->arena, run->histories, chains);
        put_chart(page, &chart,
                  "One line per chain. A chain that stays apart from the others has found another mode, or has not "
                  "arrived.");
        if (chart_heat(&chart, page->arena, run->histories, chains))
            put_chart(
                page, &chart,
                "Both temperatures should come to lie on the one that was set. Kinetic above it: the learning rate "
                "is too large. Configurational away from it: the chain has not settled.");
        end_charts(page);
    }
}

/* ---- diagnosis ---- */

static double rhat_predictions(const kelvin_diagnosis *d)
{
    return d->predictions.rhat_mean;
}

static double rank_predictions(const kelvin_diagnosis *d)
{
    return d->predictions.rank_rhat_max;
}

static double bulk_predictions(const kelvin_diagnosis *d)
{
    return d->predictions.ess_bulk_min;
}

static double tail_predictions(const kelvin_diagnosis *d)
{
    return d->predictions.ess_tail_min;
}

static double rhat_parameters(const kelvin_diagnosis *d)
{
    return d->parameters.rhat_mean;
}

static double rank_parameters(const kelvin_diagnosis *d)
{
    return d->parameters.rank_rhat_max;
}

static double bulk_parameters(const kelvin_diagnosis *d)
{
    return d->parameters.ess_bulk_min;
}

static double disagreement(const kelvin_diagnosis *d)
{
    return 100 * d->agreement.disagreement_mean;
}

static double disagreement_most(const kelvin_diagnosis *d)
{
    return 100 * d->agreement.disagreement_max;
}

static double variation(const kelvin_diagnosis *d)
{
    return d->agreement.variation_mean;
}

static double within(const kelvin_diagnosis *d)
{
    return 100 * d->agreement.within_disagreement;
}

static double set(const kelvin_diagnosis *d)
{
    return d->temperatures.epochs ? d->temperatures.set : NAN;
}

static double kinetic(const kelvin_diagnosis *d)
{
    return d->temperatures.epochs ? d->temperatures.kinetic.mean : NAN;
}

static double configurational(const kelvin_diagnosis *d)
{
    return d->temperatures.epochs ? d->temperatures.configurational.mean : NAN;
}

static double acceptance(const kelvin_diagnosis *d)
{
    return 100 * d->acceptance;
}

static double energy_error(const kelvin_diagnosis *d)
{
    return d->energy_error;
}

static double training_accuracy(const kelvin_diagnosis *d)
{
    return 100 * d->training_accuracy;
}

static double diverged(const kelvin_diagnosis *d)
{
    return d->diverged;
}

/* A row that no run has a number for is left out. */
static const struct fact {
    const char *title;
    int digits;
    double (*of)(const kelvin_diagnosis *d);
} facts[] = {
    {"R-hat of predictions, mean", 3, rhat_predictions},
    {"rank-normalised R-hat of predictions, largest", 3, rank_predictions},
    {"effective sample size of predictions, bulk, smallest", 0, bulk_predictions},
    {"effective sample size of predictions, tail, smallest", 0, tail_predictions},
    {"R-hat of parameters, mean", 3, rhat_parameters},
    {"rank-normalised R-hat of parameters, largest", 3, rank_parameters},
    {"effective sample size of parameters, bulk, smallest", 0, bulk_parameters},
    {"disagreement of two chains, mean, %", 2, disagreement},
    {"disagreement of two chains, largest, %", 2, disagreement_most},
    {"disagreement of two samples of one chain, mean, %", 2, within},
    {"total variation between two chains, mean", 4, variation},
    {"temperature that was set", 3, set},
    {"kinetic temperature", 3, kinetic},
    {"configurational temperature", 3, configurational},
    {"accepted proposals, %", 1, acceptance},
    {"energy error, median", 4, energy_error},
    {"training accuracy of single samples, %", 2, training_accuracy},
    {"chains that diverged", 0, diverged},
};

static void put_fact(struct page *page, const struct fact *fact)
{
    bool any = false;
    for (size_t i = 0; i < page->n; i++) any |= !isnan(fact->of(page->runs[i].diagnosis));
    if (!any) return;
    begin_row(page, fact->title);
    for (size_t i = 0; i < page->n; i++)
        put_cell(page, "", words_of(page, fact->of(page->runs[i].diagnosis), fact->digits));
    end_row(page);
}

static void put_advice(struct page *page, const struct report_run *run)
{
    const kelvin_diagnosis *d = run->diagnosis;
    put_run_title(page, run);
    if (d->n_advice == 0) {
        markup_put(&page->out, "<p class=\"note good\">Nothing is off.</p>\n");
        return;
    }
    markup_put(&page->out, "<ul class=\"note bad\">\n");
    for (size_t i = 0; i < d->n_advice; i++) {
        markup_put(&page->out, "<li>");
        markup_text(&page->out, d->advice[i]);
        markup_put(&page->out, "</li>\n");
    }
    markup_put(&page->out, "</ul>\n");
}

static void put_diverged(struct page *page, const struct report_run *run)
{
    for (uint32_t i = 0; i < run->samples->run->config.chains; i++) {
        if (!run->samples->diverged[i]) continue;
        markup_put(&page->out, "<p class=\"notes\">");
        markup_text(&page->out, run->samples->diverged[i]);
        markup_put(&page->out, ".</p>\n");
    }
}

void write_diagnosis(struct page *page)
{
    struct chart chart;
    for (size_t i = 0; i < page->n; i++) {
        put_advice(page, &page->runs[i]);
        put_diverged(page, &page->runs[i]);
    }
    if (page->n > 1) markup_put(&page->out, "<h3>Numbers</h3>\n");
    begin_table(page, "Diagnosis", false);
    put_run_names(page, "quantity");
    markup_put(&page->out, "<tbody>\n");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) put_fact(page, &facts[i]);
    markup_put(&page->out, "</tbody>");
    end_table(page);
    begin_charts(page);
    if (chart_temperatures(&chart, page->arena, page->charted, page->n))
        put_chart(page, &chart, "Both should lie on the temperature that was set.");
    for (size_t i = 0; i < page->n; i++) {
        if (!chart_agreement(&chart, page->arena, &page->runs[i].diagnosis->agreement)) continue;
        if (page->n > 1) chart.title = page_text(page, "Disagreement of chains: %s", page->runs[i].name);
        put_chart(
            page, &chart,
            "How often the ensembles of two chains predict different classes. One dark row: that chain is elsewhere.");
    }
    end_charts(page);
}
