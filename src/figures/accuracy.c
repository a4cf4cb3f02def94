/* Accuracies and likelihoods of posteriors, as the paper measures them: training accuracy as the mean of single
 * samples, the others of ensembles of 8; medians and 10th and 90th percentiles over 100 such ensembles. */
#include "figures/accuracy.h"

#include "experiment/results.h"

#include <math.h>
#include <string.h>

kelvin_status kelvin_accuracy_yardsticks(struct figure_cells *list)
{
    KELVIN_TRY(kelvin_cells_add(list, &(struct figure_cell){"categorical-0", 0, "categorical", .temperature = 0}));
    return kelvin_cells_add(list, &(struct figure_cell){"categorical-1", 1, "categorical", .temperature = 1});
}

kelvin_status kelvin_accuracy_curve(struct figure_cells *list, const char *series, const char *density,
                                    struct figure_list alphas, bool tuned)
{
    for (size_t i = 0; i < alphas.n; i++) {
        struct figure_cell cell = {.series = series, .value = alphas.x[i], .temperature = 1, .tuned = tuned};
        const char *rest = strstr(density, "%g");
        snprintf(cell.density, sizeof cell.density, "%.*s%g%s", (int)(rest - density), density, alphas.x[i], rest + 2);
        KELVIN_TRY(kelvin_cells_add(list, &cell));
    }
    return KELVIN_OK;
}

/* ---- numbers ---- */

struct point {
    kelvin_percentiles train, test, log_likelihood;
};

static double only(double x)
{
    return isnan(x) ? (double)NAN : x; /* never "-nan" */
}

/* Where there are 8 samples or fewer, all of them are the one ensemble that there is. */
static kelvin_percentiles spread_or(kelvin_percentiles spread, double all)
{
    if (isnan(spread.median)) spread.median = all;
    return (kelvin_percentiles){only(spread.low), only(spread.median), only(spread.high)};
}

static struct point point_of(const struct kelvin_result *r)
{
    const size_t accuracy = kelvin_metric_find("accuracy"), likelihood = kelvin_metric_find("log_likelihood");
    const kelvin_percentiles none = {(double)NAN, (double)NAN, (double)NAN};
    struct point p = {none, none, none};
    if (r->train)
        p.train =
            spread_or(kelvin_metrics_single_spread(r->train, accuracy), kelvin_metrics_single(r->train, accuracy).mean);
    if (!r->test) return p;
    p.test = spread_or(kelvin_metrics_spread(r->test, accuracy), kelvin_metrics_ensemble(r->test, accuracy));
    p.log_likelihood =
        spread_or(kelvin_metrics_spread(r->test, likelihood), kelvin_metrics_ensemble(r->test, likelihood));
    return p;
}

/* ---- tables ---- */

static void print_head(FILE *out)
{
    fprintf(out, "%-16s %9s  %-8s %8s %8s %15s %11s %8s %8s\n", "", "", "start", "train, %", "test, %", "10 .. 90 %",
            "log-lik.", "kinetic", "config.");
}

/* What its thermometers say of it: whether it is a sample of the posterior that it is called after. */
static const char *thermometers(const struct figure_cell *cell, const struct kelvin_result *r)
{
    static const double kinetic = 1.15, configurational = 1.3; /* times T is still near */
    const double T = cell->temperature, c = r->configurational.mean;
    if (T == 0) return "";
    if (r->kinetic.mean > kinetic * T || c > configurational * T) return "   hotter than T";
    return c < T / configurational ? "   not settled" : "";
}

static void print_point(FILE *out, const struct figure_cell *cell, const struct kelvin_result *r, const struct point *p)
{
    char spread[32] = "";
    if (!isnan(p->test.low)) snprintf(spread, sizeof spread, "%.2f .. %.2f", 100 * p->test.low, 100 * p->test.high);
    fprintf(out, "%-16s %9.4g  %-8s %8.2f %8.2f %15s %11.1f %8.3f %8.3f%s%s\n", cell->series, cell->value,
            cell->tuned ? "tuned" : "random", 100 * p->train.median, 100 * p->test.median, spread,
            p->log_likelihood.median, r->kinetic.mean, r->configurational.mean, thermometers(cell, r),
            r->diverged ? "   some diverged" : "");
}

static void write_point(FILE *out, const struct figure_cell *cell, const struct kelvin_result *r, const struct point *p)
{
    const kelvin_percentiles *spreads[] = {&p->train, &p->test, &p->log_likelihood};
    fprintf(out, "%s,%.10g,\"%s\",%.10g,%s,%zu", cell->series, cell->value, cell->density, cell->temperature,
            cell->tuned ? "tuned" : "random", r->samples);
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
        fprintf(out, ",%.10g,%.10g,%.10g", spreads[i]->low, spreads[i]->median, spreads[i]->high);
    fprintf(out, ",%.6g,%.6g\n", only(r->kinetic.mean), only(r->configurational.mean));
}

static kelvin_status do_cell(FILE *table, size_t *classes, const struct figure_cell *cell,
                             const struct figure_options *options)
{
    kelvin_samples *samples;
    struct kelvin_result result;
    KELVIN_TRY(kelvin_cell_open(&samples, cell, options));
    if (!samples) return KELVIN_OK;
    *classes = kelvin_data_classes(kelvin_run_data(kelvin_samples_run(samples)));
    kelvin_status status = kelvin_result_read(&result, samples, options->threads);
    kelvin_samples_close(samples);
    if (status) return status;
    const struct point point = point_of(&result);
    write_point(table, cell, &result, &point);
    print_point(options->out, cell, &result, &point);
    kelvin_result_free(&result);
    return kelvin_figure_piece(options->watch);
}

static kelvin_status do_cells(FILE *table, const struct figure_cells *list, const struct figure_options *options)
{
    size_t classes = 0;
    print_head(options->out);
    for (size_t i = 0; i < list->n; i++) KELVIN_TRY(do_cell(table, &classes, &list->cell[i], options));
    if (classes == 0) return kelvin_fail(KELVIN_EUSAGE, "none of the posteriors of this figure is there yet");
    kelvin_figure_parameter(options, "critical", (double)(classes - 2) / (double)classes);
    return KELVIN_OK;
}

kelvin_status kelvin_accuracy_run(const struct figure *figure, const struct figure_options *options,
                                  const char *published)
{
    struct figure_cells list = {0};
    struct output_file table;
    kelvin_status status = figure->cells(&list, options);
    if (!status)
        status = kelvin_figure_table(&table, figure, options, ".csv",
                                     "series,value,density,temperature,start,samples,train_low,train,train_high,"
                                     "test_low,test,test_high,loglik_low,loglik,loglik_high,kinetic,configurational",
                                     "# 10th percentile, median and 90th of 100 groups of 8 samples, or, where there "
                                     "are fewer, what all say: training accuracy is the mean of single samples, the "
                                     "others are of ensembles. Temperatures at the end.\n");
    if (!status) {
        options->watch->start(options->watch->context, "evaluating", list.n);
        status = do_cells(table.file, &list, options);
        options->watch->end(options->watch->context);
        status = kelvin_output_close(&table, status);
    }
    if (!status) fprintf(options->out, "\npublished, of ResNet20 on CIFAR-10: %s\n", published);
    kelvin_cells_free(&list);
    return status;
}
