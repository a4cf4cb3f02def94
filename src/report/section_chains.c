/* The sections about chains: how they learned, and whether to believe them. */
#include "report/page.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* "epochs", "iterations", or both where runs differ. */
static const char *rows_of(struct page *page)
{
    const char *first = kelvin_run_row_name(page->runs[0].samples->run);
    for (size_t i = 1; i < page->n; i++) {
        const char *other = kelvin_run_row_name(page->runs[i].samples->run);
        if (strcmp(other, first) != 0) return kelvin_page_text(page, "%ss or %ss", first, other);
    }
    return kelvin_page_text(page, "%ss", first);
}

/* Captions stand under the first run that has the chart; they are true of all. */
void kelvin_page_write_learning(struct page *page)
{
    bool heat = false;
    for (size_t i = 0; i < page->n; i++) {
        const struct report_run *run = &page->runs[i];
        const size_t chains = run->samples->run->config.chains;
        struct chart chart;
        kelvin_markup_put(&page->out, "<div class=\"keep\">\n");
        kelvin_page_put_run_title(page, run);
        kelvin_page_begin_charts(page, false);
        kelvin_chart_learning(&chart, page->arena, run->histories, chains, kelvin_run_colour(i));
        kelvin_page_put_chart(
            page, &chart,
            i > 0 ? NULL
                  : kelvin_page_text(page,
                                     "One line per chain. A chain that stays apart from the others has found another "
                                     "mode, or has not arrived. The axes show what comes after the first %s: lines "
                                     "enter the panels where they come into their range.",
                                     rows_of(page)));
        if (kelvin_chart_heat(&chart, page->arena, run->histories, chains, kelvin_run_colour(i))) {
            kelvin_page_put_chart(
                page, &chart,
                heat ? NULL
                     : "Temperatures should come to lie on the one that was set. Kinetic above it: steps are too "
                       "large. Configurational away from it: the chain has not settled.");
            heat = true;
        }
        kelvin_page_end_charts(page);
        kelvin_markup_put(&page->out, "</div>\n");
    }
}

/* ---- diagnosis ---- */

/* A number of a diagnosis. A row that no run has a number for is left out. */
static const struct fact {
    const char *title;
    size_t offset; /* of a double */
    double scale;
    int digits;
    bool heat; /* only known of runs that have temperatures */
} facts[] = {
#define AT(member) offsetof(kelvin_diagnosis, member)
    {"R-hat of predictions, mean", AT(predictions.rhat_mean), 1, 3, false},
    {"rank-normalised R-hat of predictions, largest", AT(predictions.rank_rhat_max), 1, 3, false},
    {"effective sample size of predictions, bulk, smallest", AT(predictions.ess_bulk_min), 1, 0, false},
    {"effective sample size of predictions, tail, smallest", AT(predictions.ess_tail_min), 1, 0, false},
    {"R-hat of parameters, mean", AT(parameters.rhat_mean), 1, 3, false},
    {"rank-normalised R-hat of parameters, largest", AT(parameters.rank_rhat_max), 1, 3, false},
    {"effective sample size of parameters, bulk, smallest", AT(parameters.ess_bulk_min), 1, 0, false},
    {"disagreement of two chains, mean, %", AT(agreement.disagreement_mean), 100, 2, false},
    {"disagreement of two chains, largest, %", AT(agreement.disagreement_max), 100, 2, false},
    {"disagreement of two samples of one chain, mean, %", AT(agreement.within_disagreement), 100, 2, false},
    {"total variation between two chains, mean", AT(agreement.variation_mean), 1, 4, false},
    {"temperature that was set", AT(temperatures.set), 1, 3, true},
    {"kinetic temperature", AT(temperatures.kinetic.mean), 1, 3, true},
    {"configurational temperature", AT(temperatures.configurational.mean), 1, 3, true},
    {"accepted proposals, %", AT(acceptance), 100, 1, false},
    {"energy error, median", AT(energy_error), 1, 4, false},
    {"energy variance of a step, median, 10\xe2\x81\xbb\xe2\x81\xb6", AT(energy_variance), 1e6, 1, false},
    {"energy variance of a step, mean, 10\xe2\x81\xbb\xe2\x81\xb6", AT(energy_variance_mean), 1e6, 1, false},
    {"training accuracy of single samples, %", AT(training_accuracy), 100, 2, false},
#undef AT
};

static double value_of(const struct fact *fact, const kelvin_diagnosis *d)
{
    if (fact->heat && d->temperatures.rows == 0) return NAN;
    return fact->scale * *(const double *)(const void *)((const char *)d + fact->offset);
}

static void put_fact(struct page *page, const struct fact *fact)
{
    bool any = false;
    for (size_t i = 0; i < page->n; i++) any |= !isnan(value_of(fact, page->runs[i].diagnosis));
    if (!any) return;
    kelvin_page_begin_row(page, fact->title);
    for (size_t i = 0; i < page->n; i++)
        kelvin_page_put_cell(page, "", kelvin_page_number(page, value_of(fact, page->runs[i].diagnosis), fact->digits));
    kelvin_page_end_row(page);
}

static void put_numbers(struct page *page)
{
    if (page->n > 1) kelvin_markup_put(&page->out, "<h3>Numbers</h3>\n");
    kelvin_page_begin_table(page, "Diagnosis", false);
    kelvin_page_put_run_names(page, "quantity");
    kelvin_markup_put(&page->out, "<tbody>\n");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) put_fact(page, &facts[i]);
    kelvin_page_begin_row(page, "chains that diverged");
    for (size_t i = 0; i < page->n; i++)
        kelvin_page_put_cell(page, "",
                             kelvin_page_text(page, "%u of %u", page->runs[i].diagnosis->diverged,
                                              page->runs[i].samples->run->config.chains));
    kelvin_page_end_row(page);
    kelvin_markup_put(&page->out, "</tbody>");
    kelvin_page_end_table(page);
}

/* What takes something away from the verdict, or what could be better; the gravest comes first. */
static void put_graded(struct page *page, const kelvin_diagnosis *d, bool grave)
{
    size_t first = 0, n = 0;
    while (first < d->n_advice && d->advice[first].grade > KELVIN_SOUND) first++;
    n = grave ? first : d->n_advice - first;
    kelvin_page_put_advice(page,
                           !grave                      ? "note"
                           : d->grade == KELVIN_FAILED ? "note bad"
                                                       : "note care",
                           d->advice + (grave ? 0 : first), n);
}

static void put_advice(struct page *page, const struct report_run *run)
{
    const kelvin_diagnosis *d = run->diagnosis;
    const char *of_folder = kelvin_samples_note(run->samples);
    kelvin_page_put_run_title(page, run);
    if (d->n_advice == 0) kelvin_markup_put(&page->out, "<p class=\"note good\">Nothing is wrong.</p>\n");
    put_graded(page, d, true);
    put_graded(page, d, false);
    kelvin_page_put_advice(page, "notes", d->notes, d->n_notes);
    if (of_folder)
        kelvin_page_put_advice(page, "notes",
                               &(kelvin_advice){.raw = kelvin_page_text(page, "The run in %s.", of_folder)}, 1);
}

static void put_diverged(struct page *page, const struct report_run *run)
{
    for (uint32_t i = 0; i < run->samples->run->config.chains; i++)
        if (run->samples->diverged[i])
            kelvin_page_put_between(page, "<p class=\"notes\">", run->samples->diverged[i], ".</p>\n");
}

/* One scale of disagreement for all runs. */
static double most_apart(const struct page *page)
{
    double most = 0;
    for (size_t i = 0; i < page->n; i++) {
        const kelvin_agreement *a = &page->runs[i].diagnosis->agreement;
        if (a->chains > 1) most = fmax(most, a->disagreement_max);
    }
    return most;
}

void kelvin_page_write_diagnosis(struct page *page)
{
    struct chart chart;
    bool said = false;
    for (size_t i = 0; i < page->n; i++) {
        put_advice(page, &page->runs[i]);
        put_diverged(page, &page->runs[i]);
    }
    put_numbers(page);
    kelvin_page_begin_charts(page, true);
    if (kelvin_chart_temperatures(&chart, page->arena, page->charted, page->n))
        kelvin_page_put_chart(page, &chart, "They should lie at 1: on the temperature that was set.");
    for (size_t i = 0; i < page->n; i++) {
        if (!kelvin_chart_agreement(&chart, page->arena, &page->runs[i].diagnosis->agreement, most_apart(page),
                                    kelvin_run_colour(i)))
            continue;
        if (page->n > 1) chart.title = kelvin_page_text(page, "Disagreement of chains: %s", page->runs[i].name);
        kelvin_page_put_chart(page, &chart,
                              said          ? NULL
                              : page->n > 1 ? "One dark row: that chain is elsewhere. All runs have the same scale."
                                            : "One dark row: that chain is elsewhere.");
        said = true;
    }
    kelvin_page_end_charts(page);
}
