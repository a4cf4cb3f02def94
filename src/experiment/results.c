/* What cells say: one of them in numbers, and all of them as a table. */
#include "experiment/results.h"

#include "base/needs.h"
#include "base/words.h"
#include "experiment/experiment.h"
#include "files/decimal.h"
#include "files/record.h"
#include "nn/nn.h"
#include "posterior/diagnosis.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one ---- */

static kelvin_status evaluate(kelvin_metrics **metrics, kelvin_samples *samples, kelvin_side side, size_t threads)
{
    kelvin_logits *logits;
    const kelvin_evaluate_options options = {.threads = threads};
    if (kelvin_data_rows(kelvin_run_data(kelvin_samples_run(samples)), side) == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_logits_of_side(&logits, samples, side, threads));
    const kelvin_status status = kelvin_evaluate(metrics, logits, &options);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status mean_size(double *l1, kelvin_samples *samples)
{
    const size_t n = samples->run->model->n_params;
    float *theta = kelvin_alloc(n, sizeof *theta);
    kelvin_status status = theta ? KELVIN_OK : KELVIN_ENOMEM;
    double sum = 0;
    for (size_t i = 0; i < samples->n && !status; i++) {
        status = kelvin_samples_read(samples, theta, i);
        for (size_t k = 0; k < n && !status; k++) sum += fabs((double)theta[k]);
    }
    *l1 = sum / (double)n / (double)samples->n;
    kelvin_free(theta);
    return status;
}

static kelvin_status read_all(struct kelvin_result *r, kelvin_samples *samples, size_t threads)
{
    kelvin_diagnosis diagnosis = {0};
    KELVIN_TRY(kelvin_histories_read(&diagnosis, samples));
    r->kinetic = diagnosis.temperatures.kinetic;
    r->configurational = diagnosis.temperatures.configurational;
    KELVIN_TRY(evaluate(&r->train, samples, KELVIN_TRAIN, threads));
    KELVIN_TRY(evaluate(&r->test, samples, KELVIN_TEST, threads));
    return mean_size(&r->l1, samples);
}

kelvin_status kelvin_result_read(struct kelvin_result *r, kelvin_samples *samples, size_t threads)
{
    static const kelvin_average none = {(double)NAN, (double)NAN};
    *r = (struct kelvin_result){.samples = samples->n, .kinetic = none, .configurational = none, .l1 = (double)NAN};
    for (uint32_t i = 0; i < samples->run->config.chains; i++) r->diverged += samples->diverged[i] != NULL;
    const kelvin_status status = samples->n > 0 ? read_all(r, samples, threads) : KELVIN_OK;
    if (status) kelvin_result_free(r);
    return status;
}

void kelvin_result_free(struct kelvin_result *r)
{
    kelvin_metrics_free(r->train);
    kelvin_metrics_free(r->test);
    r->train = r->test = NULL;
}

/* ---- all, as a table ---- */

struct table {
    const kelvin_experiment *e;
    struct kelvin_writer file;
    const char *field[64]; /* in which cells differ */
    size_t fields;
};

static kelvin_status put(struct table *t, const char *text)
{
    return kelvin_writer_put(&t->file, text, strlen(text));
}

/* As CSV wants a text: in quotes, where there is something to quote. */
static kelvin_status put_text(struct table *t, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) return put(t, text);
    KELVIN_TRY(put(t, "\""));
    for (; *text; text++) KELVIN_TRY(kelvin_writer_put(&t->file, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1));
    return put(t, "\"");
}

static kelvin_status put_number(struct table *t, double x)
{
    char text[48];
    snprintf(text, sizeof text, ",%.*g", isnan(x) ? 1 : kelvin_digits(x), isnan(x) ? (double)NAN : x);
    return put(t, text);
}

/* Those of any cell that others have differently, or that were left open; a field that samplers share is listed for
 * each of them. How many samples there are, and where they start, has columns of its own. */
static bool differs(const struct table *t, const char *field)
{
    char first[KELVIN_CELL_VALUE], value[KELVIN_CELL_VALUE];
    if (strcmp(field, "init") == 0 || strcmp(field, "samples") == 0) return false;
    for (size_t k = 0; k < t->fields; k++)
        if (strcmp(t->field[k], field) == 0) return false;
    kelvin_cell_value(first, &t->e->cell[0], field);
    if (strcmp(first, "auto") == 0) return true;
    for (size_t i = 1; i < t->e->n; i++) {
        kelvin_cell_value(value, &t->e->cell[i], field);
        if (strcmp(value, first) != 0) return true;
    }
    return false;
}

static void find_fields(struct table *t)
{
    const kelvin_field_info *field;
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
        if (t->fields < sizeof t->field / sizeof *t->field && differs(t, field->name))
            t->field[t->fields++] = field->name;
}

static const char *const sides[] = {"train", "test"};

static kelvin_status put_head(struct table *t)
{
    KELVIN_TRY(put(t, "name,folder,from"));
    for (size_t i = 0; i < t->fields; i++) {
        KELVIN_TRY(put(t, ","));
        KELVIN_TRY(put(t, t->field[i]));
    }
    KELVIN_TRY(put(t, ",samples,diverged,kinetic_temperature,configurational_temperature,l1"));
    for (size_t s = 0; s < 2; s++)
        for (size_t m = 0; m < kelvin_metrics_count(); m++) {
            char text[512];
            const char *name = kelvin_metric_at(m)->member.name;
            snprintf(text, sizeof text, ",%s_%s,%s_%s_single,%s_%s_single_error,%s_%s_low,%s_%s_median,%s_%s_high",
                     sides[s], name, sides[s], name, sides[s], name, sides[s], name, sides[s], name, sides[s], name);
            KELVIN_TRY(put(t, text));
        }
    return put(t, "\n");
}

static kelvin_status put_metrics(struct table *t, const kelvin_metrics *metrics)
{
    for (size_t m = 0; m < kelvin_metrics_count(); m++) {
        double value[] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
        if (metrics) {
            const kelvin_average single = kelvin_metrics_single(metrics, m);
            const kelvin_percentiles spread = kelvin_metrics_spread(metrics, m);
            const double all = kelvin_metrics_ensemble(metrics, m);
            memcpy(value, (double[]){all, single.mean, single.error, spread.low, spread.median, spread.high},
                   sizeof value);
        }
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) KELVIN_TRY(put_number(t, value[k]));
    }
    return KELVIN_OK;
}

/* As the run has it, with what was chosen. */
static kelvin_status put_field(struct table *t, const kelvin_run *run, const char *field)
{
    char value[KELVIN_CELL_VALUE];
    if (kelvin_run_get(run, field, value, sizeof value)) *value = '\0';
    KELVIN_TRY(put(t, ","));
    return put_text(t, value);
}

static kelvin_status put_cell(struct table *t, size_t i, const kelvin_run *run, const struct kelvin_result *r)
{
    const struct kelvin_cell *cell = &t->e->cell[i];
    KELVIN_TRY(put_text(t, cell->name));
    KELVIN_TRY(put(t, ","));
    KELVIN_TRY(put_text(t, strrchr(kelvin_experiment_folder(t->e, i), '/') + 1));
    KELVIN_TRY(put(t, ","));
    if (cell->from != KELVIN_NO_CELL) KELVIN_TRY(put_text(t, t->e->cell[cell->from].name));
    for (size_t k = 0; k < t->fields; k++) KELVIN_TRY(put_field(t, run, t->field[k]));
    char counts[64];
    snprintf(counts, sizeof counts, ",%zu,%zu", r->samples, (size_t)r->diverged);
    KELVIN_TRY(put(t, counts));
    const double numbers[] = {r->kinetic.mean, r->configurational.mean, r->l1};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) KELVIN_TRY(put_number(t, numbers[k]));
    KELVIN_TRY(put_metrics(t, r->train));
    KELVIN_TRY(put_metrics(t, r->test));
    return put(t, "\n");
}

static kelvin_status put_row(struct table *t, size_t i, size_t threads)
{
    kelvin_samples *samples;
    struct kelvin_result result;
    if (!kelvin_experiment_done(t->e, i)) return KELVIN_OK;
    KELVIN_TRY(kelvin_samples_find(&samples, kelvin_experiment_folder(t->e, i)));
    kelvin_status status = kelvin_result_read(&result, samples, threads);
    if (!status) {
        status = put_cell(t, i, kelvin_samples_run(samples), &result);
        kelvin_result_free(&result);
    }
    kelvin_samples_close(samples);
    return status;
}

kelvin_status kelvin_experiment_write(const kelvin_experiment *e, const char *path, size_t threads)
{
    KELVIN_NEEDS(e);
    KELVIN_NEEDS(path);
    struct table *t = kelvin_alloc(1, sizeof *t);
    if (!t) return KELVIN_ENOMEM;
    t->e = e;
    if (e->n) find_fields(t);
    kelvin_status status = kelvin_writer_open(&t->file, path);
    if (!status) {
        status = put_head(t);
        for (size_t i = 0; i < e->n && !status; i++) status = put_row(t, i, threads);
        status = kelvin_writer_close(&t->file, status);
    }
    kelvin_free(t);
    return status;
}
