/* temperature-grid: categorical posteriors over prior scales and temperatures: training and test accuracy, confidence,
 * and how large parameters are. Paper: appendix "Prior scale and temperature". */
#include "experiment/results.h"
#include "figures/grid.h"
#include "figures/scales.h"
#include "figures/temperature_grid_gp.h"

#include <math.h>

static const double largest_scale = 3, coldest = 1e-4;

kelvin_status kelvin_grid_cells(struct figure_cells *list, const struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    for (size_t i = 0; i < s->grid.scales; i++)
        for (size_t k = 0; k < s->grid.temperatures; k++) {
            const double T = k ? kelvin_geometric(coldest, 1, s->grid.temperatures - 1, k - 1) : 0;
            const struct figure_cell cell = {.series = "grid",
                                             .value = T,
                                             .density = "categorical",
                                             .temperature = T,
                                             .prior = kelvin_geometric(s->grid.least, largest_scale, s->grid.scales, i),
                                             .lr = s->grid.lr.x[s->grid.lr.n > 1 ? i : 0],
                                             .epochs = options->epochs,
                                             .samples = options->samples};
            KELVIN_TRY(kelvin_cells_add(list, &cell));
        }
    return KELVIN_OK;
}

void kelvin_grid_usual(struct figure_options *options)
{
    options->epochs = kelvin_figure_setting(options)->grid.epochs;
    options->samples = kelvin_figure_setting(options)->grid.samples;
}

/* ---- numbers ---- */

struct numbers {
    double train, test, confidence, l1, log_likelihood, kinetic, configurational;
    size_t samples;
};

static kelvin_status read_numbers(struct numbers *n, const struct figure_cell *cell,
                                  const struct figure_options *options)
{
    const double no = (double)NAN;
    kelvin_samples *samples;
    struct kelvin_result r;
    *n = (struct numbers){no, no, no, no, no, no, no, 0};
    KELVIN_TRY(kelvin_cell_open(&samples, cell, options));
    if (!samples) return KELVIN_OK;
    const kelvin_status status = kelvin_result_read(&r, samples, options->threads);
    kelvin_samples_close(samples);
    if (status) return status;
    const size_t accuracy = kelvin_metric_find("accuracy");
    n->samples = r.samples;
    n->l1 = r.l1;
    n->kinetic = r.kinetic.mean;
    n->configurational = r.configurational.mean;
    if (r.train) n->train = kelvin_metrics_single(r.train, accuracy).mean;
    if (r.train) n->confidence = kelvin_metrics_single(r.train, kelvin_metric_find("confidence")).mean;
    if (r.test) n->test = kelvin_metrics_ensemble(r.test, accuracy);
    if (r.test) n->log_likelihood = kelvin_metrics_ensemble(r.test, kelvin_metric_find("log_likelihood"));
    kelvin_result_free(&r);
    return KELVIN_OK;
}

/* ---- the files ---- */

static kelvin_status write_cells(FILE *table, struct figure_cell *best, struct numbers *of_best,
                                 const struct figure_cells *list, const struct figure_options *options)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct figure_cell *c = &list->cell[i];
        struct numbers n;
        KELVIN_TRY(read_numbers(&n, c, options));
        fprintf(table, "%.10g,%.10g,%.10g,%zu,%.10g,%.10g,%.10g,%.10g,%.10g,%.6g,%.6g\n", c->prior, c->temperature,
                c->lr, n.samples, n.train, n.test, n.confidence, n.l1, n.log_likelihood, n.kinetic, n.configurational);
        if (n.test > of_best->test || isnan(of_best->test)) *best = *c, *of_best = n;
        KELVIN_TRY(kelvin_figure_piece(options->watch));
    }
    return KELVIN_OK;
}

static kelvin_status make_table(const struct figure_cells *list, const struct figure_options *options)
{
    const struct figure_setting *s = kelvin_figure_setting(options);
    struct figure_cell best = {0};
    struct numbers of_best = {.test = (double)NAN};
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_temperature_grid_figure, options, ".csv",
                                   "scale,temperature,lr,samples,train_accuracy,test_accuracy,train_confidence,l1,"
                                   "loglik,kinetic,configurational",
                                   "# Training accuracy and confidence of single samples, test of all together; mean "
                                   "|parameter|; temperatures at the end.\n"));
    options->watch->start(options->watch->context, "evaluating", list->n);
    kelvin_status status = write_cells(table.file, &best, &of_best, list, options);
    options->watch->end(options->watch->context);
    if (!status && of_best.samples == 0)
        status = kelvin_fail(KELVIN_EUSAGE, "none of the posteriors of this figure is there yet");
    KELVIN_TRY(kelvin_output_close(&table, status));
    kelvin_figure_parameter(options, "scales", (double)s->grid.scales);
    kelvin_figure_parameter(options, "temperatures_n", (double)s->grid.temperatures);
    fprintf(options->out,
            "%zu scales x %zu temperatures; best: scale %.2g, T = %.2g, %zu samples: test %.2f %%, log-likelihood "
            "%.0f\npublished, of ResNet20 on CIFAR-10: 15 x 16; scale 0.52, T = 0.0001, 16 samples: 94.86 %%, -1,673\n",
            s->grid.scales, s->grid.temperatures, best.prior, best.temperature, of_best.samples, 100 * of_best.test,
            of_best.log_likelihood);
    return KELVIN_OK;
}

static kelvin_status run(const struct figure_options *options)
{
    struct figure_cells list = {0};
    kelvin_status status = kelvin_grid_cells(&list, options);
    if (!status) status = make_table(&list, options);
    kelvin_cells_free(&list);
    return status;
}

const struct figure kelvin_temperature_grid_figure = {
    .member = KELVIN_PLAIN_MEMBER("temperature-grid",
                                  "accuracy, confidence and size of parameters over prior scales and temperatures"),
    .options = {FIGURE_CELL_OPTIONS},
    .adjust = kelvin_grid_usual,
    .tables = {".csv"},
    .script = temperature_grid_gp,
    .samples = true,
    .tests = true,
    .cells = kelvin_grid_cells,
    .run = run,
};
