/* posterior-size: how accuracy and likelihood grow with the number of samples, of a cold posterior and of a DirClip
 * posterior: the first n of 20 random orders of the samples, averaged. Paper: appendix "Posterior size". */
#include "figures/cells.h"
#include "figures/posterior_size_gp.h"

#include <math.h>

enum { COLD, DIRCLIP, POSTERIORS };

static const double cold_temperature = 0.1, alpha = 0.85;

static kelvin_status cells(struct figure_cells *list, const struct figure_options *options)
{
    (void)options;
    KELVIN_TRY(kelvin_cells_add(list, &(struct figure_cell){"cold", cold_temperature, "categorical",
                                                            .temperature = cold_temperature, .many = true}));
    return kelvin_cells_add(
        list, &(struct figure_cell){"dirclip", alpha, "dirclip:0.85,-50", .temperature = 1, .many = true});
}

static kelvin_status evaluate(kelvin_metrics **metrics, const struct figure_cell *cell,
                              const struct figure_options *options)
{
    const kelvin_evaluate_options how = {.threads = options->threads, .sizes = true};
    kelvin_samples *samples;
    kelvin_logits *logits = NULL;
    const char *found;
    KELVIN_TRY(kelvin_cell_open(&samples, cell, options));
    if (!samples) return KELVIN_OK;
    kelvin_status status = kelvin_logits_on(&logits, &found, samples, NULL, options->threads);
    if (!status) status = kelvin_evaluate(metrics, logits, &how);
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
    return status;
}

/* Not a number where it has no such size: chains may have diverged. */
static double at_size(const kelvin_metrics *m, size_t size, const char *metric)
{
    for (size_t k = 0; m && k < kelvin_metrics_sizes(m); k++)
        if (kelvin_metrics_size(m, k) == size) return kelvin_metrics_by_size(m, k, kelvin_metric_find(metric)).mean;
    return (double)NAN;
}

static void write_size(FILE *table, kelvin_metrics *const m[POSTERIORS], size_t size)
{
    fprintf(table, "%zu", size);
    for (size_t i = 0; i < POSTERIORS; i++)
        fprintf(table, ",%.10g,%.10g", at_size(m[i], size, "accuracy"), at_size(m[i], size, "log_likelihood"));
    fputc('\n', table);
}

/* Sizes of both, each once. */
static kelvin_status write_table(const struct figure_options *options, kelvin_metrics *const m[POSTERIORS])
{
    struct output_file table;
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_posterior_size_figure, options, ".csv",
                                   "samples,cold_accuracy,cold_loglik,dirclip_accuracy,dirclip_loglik",
                                   "# Of ensembles of so many samples: means over 20 random orders.\n"));
    size_t next[POSTERIORS] = {0};
    for (;;) {
        size_t size = SIZE_MAX;
        for (size_t i = 0; i < POSTERIORS; i++)
            if (m[i] && next[i] < kelvin_metrics_sizes(m[i]) && kelvin_metrics_size(m[i], next[i]) < size)
                size = kelvin_metrics_size(m[i], next[i]);
        if (size == SIZE_MAX) break;
        write_size(table.file, m, size);
        for (size_t i = 0; i < POSTERIORS; i++)
            next[i] += m[i] && next[i] < kelvin_metrics_sizes(m[i]) && kelvin_metrics_size(m[i], next[i]) == size;
    }
    return kelvin_output_close(&table, KELVIN_OK);
}

static void print_numbers(FILE *out, kelvin_metrics *const m[POSTERIORS])
{
    static const char *const names[POSTERIORS] = {"cold posterior (T = 0.1)", "DirClip(0.85) posterior"};
    for (size_t i = 0; i < POSTERIORS; i++) {
        const size_t n = m[i] ? kelvin_metrics_samples(m[i]) : 0;
        if (n > 0)
            fprintf(out, "%-26s 1 sample: %.2f %%, log-likelihood %.0f; %zu: %.2f %%, %.0f\n", names[i],
                    100 * at_size(m[i], 1, "accuracy"), at_size(m[i], 1, "log_likelihood"), n,
                    100 * at_size(m[i], n, "accuracy"), at_size(m[i], n, "log_likelihood"));
    }
    fputs("published, of ResNet20 on CIFAR-10: 90.1 and 90.3 % with 1 sample, 94.4 and 94.6 % with 200; the likelihood "
          "of DirClip is 10 times the other's with 1, 1.03 times with 200\n",
          out);
}

static kelvin_status run(const struct figure_options *options)
{
    struct figure_cells list = {0};
    kelvin_metrics *metrics[POSTERIORS] = {NULL};
    kelvin_status status = cells(&list, options);
    for (size_t i = 0; i < POSTERIORS && !status; i++) status = evaluate(&metrics[i], &list.cell[i], options);
    if (!status && !metrics[COLD] && !metrics[DIRCLIP])
        status = kelvin_fail(KELVIN_EUSAGE, "none of the posteriors of this figure is there yet");
    if (!status) status = write_table(options, metrics);
    if (!status) print_numbers(options->out, metrics);
    if (!status) kelvin_figure_parameter(options, "alpha", alpha);
    if (!status) kelvin_figure_parameter(options, "temperature", cold_temperature);
    for (size_t i = 0; i < POSTERIORS; i++) kelvin_metrics_free(metrics[i]);
    kelvin_cells_free(&list);
    return status;
}

const struct figure kelvin_posterior_size_figure = {
    .member = KELVIN_PLAIN_MEMBER("posterior-size",
                                  "accuracy and likelihood against the number of samples, cold and DirClip"),
    .options = {FIGURE_CELL_OPTIONS},
    .tables = {".csv"},
    .script = posterior_size_gp,
    .samples = true,
    .tests = true,
    .cells = cells,
    .run = run,
};
