/* A diagnosis for programs. What is not a number is null. */
#include "cli/diagnose_table.h"
#include "cli/report.h"

static json_t *matrix_json(const double *matrix, size_t n)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < n; j++) json_array_append_new(row, json_number(matrix[i * n + j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *gap_json(double mean, double max, double within, const double *matrix, size_t n)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "mean", json_number(mean), "max", json_number(max), "within",
                     json_number(within), "matrix", matrix_json(matrix, n));
}

static json_t *agreement_json(const kelvin_agreement *a)
{
    return json_pack(
        "{s:I, s:o, s:o, s:o}", "observations", (json_int_t)a->observations, "chains",
        json_numbers(a->number, a->chains), "disagreement",
        gap_json(a->disagreement_mean, a->disagreement_max, a->within_disagreement, a->disagreement, a->chains),
        "variation", gap_json(a->variation_mean, a->variation_max, a->within_variation, a->variation, a->chains));
}

json_t *diagnose_json(const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    const kelvin_run_config *c = &samples->run->config;
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:f, s:o, s:I, s:I, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "sampler", c->sampler, "data", c->data, "model", c->model, "density", c->density, "prior", c->prior,
        "temperature", c->temperature, "seed", json_seed(c->seed), "chains", (json_int_t)c->chains, "samples",
        (json_int_t)samples->n, "sample_chain", json_sample_chain(samples), "side",
        d->side == KELVIN_TEST ? "test" : "train", "observations", (json_int_t)d->observations, "parameters",
        json_convergence(&d->parameters), "predictions", json_convergence(&d->predictions), "agreement",
        agreement_json(&d->agreement), "temperatures", json_temperatures(&d->temperatures, samples->run), "acceptance",
        json_number(d->acceptance), "energy_error", json_number(d->energy_error), "training_accuracy",
        json_number(d->training_accuracy), "training_log_likelihood", json_number(d->training_log_likelihood),
        "training_confidence", json_number(d->training_confidence), "diverged", json_diverged(samples), "notes",
        json_texts(d->notes, d->n_notes), "advice", json_texts(d->advice, d->n_advice));
}
