/* What the scores of an evaluation come to: averages over samples, percentiles over subsets, the curve over posterior
 * sizes, reliability. */
#include "posterior/evaluate.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

/* ---- metrics ---- */

static const kelvin_metric_info about[KELVIN_METRICS] = {
    [KELVIN_ACCURACY] = {"accuracy", "accuracy", "%", 100, 2, 1},
    [KELVIN_LOG_LIKELIHOOD] = {"log_likelihood", "log-likelihood, sum", "", 1, 1, 1},
    [KELVIN_MEAN_LOG_LIKELIHOOD] = {"mean_log_likelihood", "log-likelihood, mean", "", 1, 4, 1},
    [KELVIN_BRIER] = {"brier", "Brier score", "", 1, 4, -1},
    [KELVIN_ECE] = {"ece", "calibration error", "%", 100, 2, -1},
    [KELVIN_ECE_MASS] = {"ece_mass", "calibration error, by mass", "%", 100, 2, -1},
    [KELVIN_CONFIDENCE] = {"confidence", "confidence", "%", 100, 2, 0},
    [KELVIN_ENTROPY] = {"entropy", "entropy", "nats", 1, 4, 0},
    [KELVIN_ALEATORIC] = {"aleatoric", "aleatoric: in the data", "nats", 1, 4, 0},
    [KELVIN_EPISTEMIC] = {"epistemic", "epistemic: in the model", "nats", 1, 4, 0},
};

const kelvin_metric_info *kelvin_metric_about(kelvin_metric metric)
{
    return (unsigned)metric < KELVIN_METRICS ? &about[metric] : NULL;
}

static void score_values(double values[KELVIN_METRICS], const struct kelvin_score *score, size_t n)
{
    const double count = (double)n;
    values[KELVIN_ACCURACY] = (double)score->hits / count;
    values[KELVIN_LOG_LIKELIHOOD] = score->sums.log_likelihood;
    values[KELVIN_MEAN_LOG_LIKELIHOOD] = score->sums.log_likelihood / count;
    values[KELVIN_BRIER] = score->sums.brier / count;
    values[KELVIN_ECE] = score->ece;
    values[KELVIN_ECE_MASS] = score->ece_mass;
    values[KELVIN_CONFIDENCE] = score->confidence / count;
    values[KELVIN_ENTROPY] = score->sums.entropy / count;
    values[KELVIN_ALEATORIC] = score->sums.aleatoric / count;
    values[KELVIN_EPISTEMIC] = score->sums.epistemic / count;
}

/* ---- calibration ---- */

static void collect(uint64_t *to, const struct kelvin_evaluation *e, size_t score)
{
    for (const struct kelvin_keys *keys = e->keys; keys; keys = keys->before) {
        memcpy(to, keys->key + score * keys->n, keys->n * sizeof *to);
        to += keys->n;
    }
}

static void calibrate(struct kelvin_score *score, kelvin_bin *width, kelvin_bin *mass, const uint64_t *keys, size_t n,
                      size_t bins)
{
    kelvin_width_bins(width, keys, n, bins);
    kelvin_mass_bins(mass, keys, n, bins);
    for (size_t b = 0; b < bins; b++) {
        score->hits += width[b].hits;
        score->confidence += width[b].confidence;
    }
    score->ece = kelvin_calibration_error(width, bins, n);
    score->ece_mass = kelvin_calibration_error(mass, bins, n);
}

/* As many tasks as threads, each with keys of its own. */
static kelvin_status calibrate_task(void *context, size_t thread)
{
    (void)thread;
    struct kelvin_evaluation *e = context;
    kelvin_bin width[KELVIN_MOST_BINS], mass[KELVIN_MOST_BINS];
    uint64_t *keys = kelvin_alloc(2 * e->n, sizeof *keys);
    if (!keys) return KELVIN_ENOMEM;
    for (size_t score; (score = atomic_fetch_add(&e->next, 1)) < e->scores;) {
        collect(keys, e, score);
        kelvin_sort_keys(keys, keys + e->n, e->n);
        calibrate(&e->score[score], width, mass, keys, e->n, e->bins);
        if (score != e->walk[0].score) continue;
        memcpy(e->out->width, width, e->bins * sizeof *width);
        memcpy(e->out->mass, mass, e->bins * sizeof *mass);
    }
    kelvin_free(keys);
    return KELVIN_OK;
}

/* ---- samples ---- */

/* Of `of` samples at equal distances, the next one of another chain. */
static size_t end_of_chain(const struct kelvin_evaluation *e, size_t s, size_t of)
{
    const uint32_t *chain = e->logits->chain;
    const size_t first = kelvin_spaced(s++, of, e->samples);
    while (chain && s < of && chain[kelvin_spaced(s, of, e->samples)] == chain[first]) s++;
    return s;
}

static size_t count_chains(const struct kelvin_evaluation *e)
{
    size_t chains = 0;
    for (size_t s = 0; s < e->samples; s = end_of_chain(e, s, e->samples)) chains++;
    return chains;
}

/* Chains are independent, samples of one chain are not: the error is that of the chains' means. x (singles); a chain's
 * mean takes the place of numbers that are no longer needed. */
static kelvin_average average(const struct kelvin_evaluation *e, double *x)
{
    const double mean = kelvin_averaged(x, e->singles).mean;
    size_t chains = 0;
    for (size_t s = 0, end; s < e->singles; s = end) {
        end = end_of_chain(e, s, e->singles);
        x[chains++] = kelvin_mean(x + s, end - s);
    }
    return (kelvin_average){mean, kelvin_averaged(x, chains).error};
}

/* ---- ensembles ---- */

static kelvin_percentiles percentiles(double *x, size_t n)
{
    if (n == 0) return (kelvin_percentiles){(double)NAN, (double)NAN, (double)NAN};
    kelvin_sort(x, n);
    return (kelvin_percentiles){kelvin_quantile(x, n, 0.1), kelvin_quantile(x, n, 0.5), kelvin_quantile(x, n, 0.9)};
}

/* values (scores, KELVIN_METRICS) */
static void conclude_sizes(kelvin_metrics *out, const struct kelvin_evaluation *e, const double *values)
{
    out->sizes = e->sizes;
    for (size_t i = 0; i < e->sizes; i++) {
        out->size[i].samples = e->size[i];
        for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
            double x[KELVIN_ORDERS];
            for (size_t w = 0; w < KELVIN_ORDERS; w++)
                x[w] = values[(e->walk[1 + w].score + i) * KELVIN_METRICS + metric];
            out->size[i].metric[metric].mean = kelvin_mean(x, KELVIN_ORDERS);
            const kelvin_percentiles spread = percentiles(x, KELVIN_ORDERS);
            out->size[i].metric[metric].low = spread.low;
            out->size[i].metric[metric].high = spread.high;
        }
    }
}

static void conclude_metric(kelvin_metrics *out, const struct kelvin_evaluation *e, size_t metric, const double *values,
                            double *scratch)
{
    double x[KELVIN_SUBSETS];
    for (size_t s = 0; s < e->singles; s++) scratch[s] = values[s * KELVIN_METRICS + metric];
    out->single[metric] = average(e, scratch);
    out->ensemble[metric] = values[e->walk[0].score * KELVIN_METRICS + metric];
    for (size_t i = 0; i < e->subsets; i++)
        x[i] = values[e->walk[e->walks - e->subsets + i].score * KELVIN_METRICS + metric];
    out->spread[metric] = percentiles(x, e->subsets);
}

kelvin_status kelvin_conclude(kelvin_metrics *out, struct kelvin_evaluation *e)
{
    *out = (kelvin_metrics){.samples = e->samples,
                            .singles = e->singles,
                            .chains = count_chains(e),
                            .n = e->n,
                            .classes = e->classes,
                            .bins = e->bins,
                            .subsets = e->subsets,
                            .subset = e->subsets ? KELVIN_SUBSET : 0};
    double *values = kelvin_arena_alloc(e->arena, e->scores * KELVIN_METRICS, sizeof *values);
    double *scratch = kelvin_arena_alloc(e->arena, e->singles, sizeof *scratch);
    if (!values || !scratch) return KELVIN_ENOMEM;
    e->out = out;
    e->next = 0;
    KELVIN_TRY(kelvin_pool_run(e->pool, calibrate_task, e, kelvin_pool_threads(e->pool)));
    for (size_t i = 0; i < e->scores; i++) score_values(values + i * KELVIN_METRICS, &e->score[i], e->n);
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) conclude_metric(out, e, metric, values, scratch);
    conclude_sizes(out, e, values);
    for (size_t b = 0; b < e->bins; b++) {
        out->width[b].confidence /= (double)out->width[b].n;
        out->mass[b].confidence /= (double)out->mass[b].n;
    }
    return KELVIN_OK;
}
