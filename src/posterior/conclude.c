/* What the scores of an evaluation come to: averages over samples, percentiles over subsets, the curve over posterior
 * sizes, reliability. */
#include "base/threads.h"
#include "posterior/evaluate.h"
#include "posterior/stats.h"

#include <math.h>
#include <string.h>

/* ---- calibration ---- */

static void collect(uint64_t *to, const struct kelvin_evaluation *e, size_t score)
{
    for (const struct kelvin_keys *keys = e->keys; keys; keys = keys->before) {
        memcpy(to, keys->key + score * keys->n, keys->n * sizeof *to);
        to += keys->n;
    }
}

/* All that can be told of a score: keys (n), sorted, and room for its bins. */
static void calibrate(struct kelvin_score *score, kelvin_bin *width, kelvin_bin *mass)
{
    kelvin_width_bins(width, score->keys, score->n, score->bins);
    kelvin_mass_bins(mass, score->keys, score->n, score->bins);
    for (size_t b = 0; b < score->bins; b++) {
        score->hits += width[b].hits;
        score->confidence += width[b].confidence;
    }
    score->width = width;
    score->mass = mass;
}

/* own: the sums of the metrics that look at each observation by themselves. */
static void measure(double values[KELVIN_METRICS], struct kelvin_score *score, const double *own)
{
    for (size_t i = 0; i < KELVIN_METRICS; i++) {
        const struct kelvin_metric_type *type = kelvin_metric_types[i];
        score->own = type->of_one ? *own++ : 0;
        values[i] = type->of_all ? type->of_all(score) : score->own / (double)score->n;
    }
}

/* As many tasks as threads, each with keys of its own. */
static kelvin_status measure_task(void *context, size_t thread)
{
    (void)thread;
    struct kelvin_evaluation *e = context;
    kelvin_bin width[KELVIN_MOST_BINS], mass[KELVIN_MOST_BINS];
    uint64_t *keys = kelvin_alloc(2 * e->n, sizeof *keys);
    if (!keys) return KELVIN_ENOMEM;
    for (size_t i; (i = atomic_fetch_add(&e->next, 1)) < e->scores;) {
        struct kelvin_score score = {.n = e->n, .sums = e->sums[i], .bins = e->bins, .keys = keys};
        collect(keys, e, i);
        kelvin_sort_keys(keys, keys + e->n, e->n);
        calibrate(&score, width, mass);
        measure(e->values + i * KELVIN_METRICS, &score, e->own.sums + i * e->own.n);
        if (i != e->walk[0].score) continue;
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

static void conclude_sizes(kelvin_metrics *out, const struct kelvin_evaluation *e)
{
    out->sizes = e->sizes;
    for (size_t i = 0; i < e->sizes; i++) {
        out->size[i].samples = e->size[i];
        for (size_t metric = 0; metric < KELVIN_METRICS; metric++) {
            double x[KELVIN_ORDERS];
            for (size_t w = 0; w < KELVIN_ORDERS; w++)
                x[w] = e->values[(e->walk[1 + w].score + i) * KELVIN_METRICS + metric];
            const double mean = kelvin_mean(x, KELVIN_ORDERS);
            const kelvin_percentiles spread = percentiles(x, KELVIN_ORDERS);
            out->size[i].metric[metric] = (kelvin_by_size){mean, spread.low, spread.high};
        }
    }
}

/* Of the same subsets, the means of their samples one by one. */
static kelvin_percentiles spread_of_singles(const struct kelvin_evaluation *e, const double *values)
{
    double x[KELVIN_SUBSETS] = {0};
    for (size_t i = 0; i < e->subsets; i++) {
        const struct kelvin_walk *walk = &e->walk[e->walks - e->subsets + i];
        for (size_t k = 0; k < KELVIN_SUBSET; k++) x[i] += values[walk->order[k] * KELVIN_METRICS] / KELVIN_SUBSET;
    }
    return percentiles(x, e->subsets);
}

static void conclude_metric(kelvin_metrics *out, const struct kelvin_evaluation *e, size_t metric, double *scratch)
{
    const double *values = e->values + metric;
    double x[KELVIN_SUBSETS];
    for (size_t s = 0; s < e->singles; s++) scratch[s] = values[s * KELVIN_METRICS];
    out->single[metric] = average(e, scratch);
    out->ensemble[metric] = values[e->walk[0].score * KELVIN_METRICS];
    for (size_t i = 0; i < e->subsets; i++) x[i] = values[e->walk[e->walks - e->subsets + i].score * KELVIN_METRICS];
    out->spread[metric] = percentiles(x, e->subsets);
    out->single_spread[metric] = spread_of_singles(e, values);
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
    double *scratch = kelvin_arena_alloc(e->arena, e->singles, sizeof *scratch);
    e->values = kelvin_arena_alloc(e->arena, e->scores * KELVIN_METRICS, sizeof *e->values);
    if (!e->values || !scratch) return KELVIN_ENOMEM;
    e->out = out;
    e->next = 0;
    KELVIN_TRY(kelvin_pool_run(e->pool, measure_task, e, kelvin_pool_threads(e->pool)));
    for (size_t metric = 0; metric < KELVIN_METRICS; metric++) conclude_metric(out, e, metric, scratch);
    conclude_sizes(out, e);
    for (size_t b = 0; b < e->bins; b++) {
        out->width[b].confidence /= (double)out->width[b].n;
        out->mass[b].confidence /= (double)out->mass[b].n;
    }
    return KELVIN_OK;
}
