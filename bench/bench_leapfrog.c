/* kelvin-bench leapfrog: how fast the hot loop is, and how much of what this CPU can do that is.
 *
 * A gradient of the 492-parameter network at 18 points counts two operations per multiply-add: 440 multiply-adds
 * forward, 420 back to the activations (the first layer's inputs need none) and 440 to the weights, per point. */
#include "base/random.h"
#include "bench/bench.h"
#include "cli/progress.h"
#include "data/dataset.h"
#include "density/density.h"
#include "figures/toy_posteriors.h"

#include "target/target.h"

#include <stdio.h>
#include <string.h>

enum { REPETITIONS = 40 };

static const double repetition_seconds = 0.02; /* whatever the build: a sanitizer makes a gradient 30 times slower */

static const double flops_per_point = 2 * (440 + 420 + 440);

enum {
    FMA_PEAK_GFLOPS,
    US_PER_GRADIENT,
    US_PER_GRADIENT_MEDIAN,
    GFLOPS,
    SHARE_OF_PEAK,
    US_PER_LEAPFROG_STEP,
    GRADIENTS_PER_STEP,
    US_4_CHAINS,
    US_8_CHAINS,
    US_16_CHAINS,
    BOTH_POSTERIORS_SECONDS,
    ROWS
};
_Static_assert((int)ROWS <= (int)BENCH_ROWS, "there is room for all values");

static const struct bench_row rows[ROWS] = {
    [FMA_PEAK_GFLOPS] = {"fma_peak_gflops", "FMA peak of one core", "GFLOP/s", 1, 1, 0},
    [US_PER_GRADIENT] = {"us_per_gradient", "gradient, best", "us", 4, 1, 0},
    [US_PER_GRADIENT_MEDIAN] = {"us_per_gradient_median", "gradient, median", "us", 4, 1, 0},
    [GFLOPS] = {"gflops", "gradient, speed", "GFLOP/s", 1, 1, 0},
    [SHARE_OF_PEAK] = {"share_of_peak", "gradient, share of the peak", "%", 1, 100, 0},
    [US_PER_LEAPFROG_STEP] = {"us_per_leapfrog_step", "leapfrog step, best", "us", 4, 1, 0},
    [GRADIENTS_PER_STEP] = {"gradients_per_step", "gradients per leapfrog step", "", 2, 1, 0},
    [US_4_CHAINS] = {"us_per_leapfrog_step_4_chains", "of 4 chains on a core, each", "us", 4, 1, 0},
    [US_8_CHAINS] = {"us_per_leapfrog_step_8_chains", "of 8 chains on a core, each", "us", 4, 1, 0},
    [US_16_CHAINS] = {"us_per_leapfrog_step_16_chains", "of 16 chains on a core, each", "us", 4, 1, 0},
    [BOTH_POSTERIORS_SECONDS] = {"both_posteriors_seconds", "both posteriors of figure 1", "s", 1, 1, 0},
};

/* What is being measured: a target that counts its calls, and room for one chain. */
struct bench {
    kelvin_data *data;
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    kelvin_posterior *posterior;
    kelvin_target inner; /* the posterior */
    size_t calls;
    uint32_t per_repetition; /* gradients that fill repetition_seconds */
    float *start, *theta, *momentum, *grad;
};

static void counted(void *context, double *logp, float *grad, const float *theta)
{
    struct bench *bench = context;
    bench->calls++;
    bench->inner.eval(bench->inner.context, logp, grad, theta);
}

static kelvin_status set_up(struct bench *b, const struct kelvin_kernels *kernels)
{
    const kelvin_random where = {.seed = 1, .stream = KELVIN_STREAM_INIT};
    KELVIN_TRY(kelvin_density_parse(&b->density, "dirclip:0.6,-50"));
    KELVIN_TRY(kelvin_prior_parse(&b->prior, "normal:1"));
    KELVIN_TRY(kelvin_data_open(&b->data, "toy"));
    KELVIN_TRY(kelvin_model_create(&b->model, "mlp:10,10,10,10,10", kelvin_data_shape(b->data), b->data->classes));
    KELVIN_TRY(kelvin_posterior_make(&b->posterior, b->model, &b->density, &b->prior, b->data, NULL));
    b->inner = kelvin_posterior_target(b->posterior);
    const size_t stride = (b->model->n_params + 15) / 16 * 16; /* each vector aligned, as in the sampler */
    b->start = kelvin_alloc(4 * stride, sizeof *b->start);
    if (!b->start) return KELVIN_ENOMEM;
    b->theta = b->start + stride;
    b->momentum = b->theta + stride;
    b->grad = b->momentum + stride;
    kernels->normals(b->start, b->model->n_params, where);
    return KELVIN_OK;
}

static void tear_down(struct bench *b)
{
    kelvin_free(b->start);
    kelvin_posterior_destroy(b->posterior);
    kelvin_model_destroy(b->model);
    kelvin_data_close(b->data);
}

static double gradient_seconds(const struct bench *b, size_t calls)
{
    const double start = kelvin_now();
    for (size_t i = 0; i < calls; i++) b->inner.eval(b->inner.context, NULL, b->grad, b->start);
    return kelvin_now() - start;
}

static void measure_gradient(double *value, struct bench *b)
{
    double seconds[REPETITIONS];
    b->per_repetition = 1;
    while (gradient_seconds(b, b->per_repetition) < repetition_seconds) b->per_repetition *= 2;
    for (size_t i = 0; i < REPETITIONS; i++)
        seconds[i] = gradient_seconds(b, b->per_repetition) / (double)b->per_repetition;
    const struct bench_times times = bench_times(seconds, REPETITIONS);
    value[US_PER_GRADIENT] = times.best * 1e6;
    value[US_PER_GRADIENT_MEDIAN] = times.median * 1e6;
    value[GFLOPS] = flops_per_point * (double)b->data->train.n / times.best / 1e9;
    value[SHARE_OF_PEAK] = value[GFLOPS] / value[FMA_PEAK_GFLOPS];
}

/* Trajectories from the same place, with the same momentum. */
static kelvin_status leapfrog(struct bench *b, const kelvin_target *target, const struct kelvin_kernels *kernels)
{
    const kelvin_random where = {.seed = 1, .stream = KELVIN_STREAM_MOMENTUM};
    memcpy(b->theta, b->start, target->n * sizeof *b->theta);
    kernels->normals(b->momentum, target->n, where);
    b->inner.eval(b->inner.context, NULL, b->grad, b->theta);
    return kelvin_leapfrog(target, b->theta, b->momentum, b->grad, 5e-5f, 1, b->per_repetition);
}

static kelvin_status measure_leapfrog(double *value, struct bench *b, const struct kelvin_kernels *kernels)
{
    double seconds[REPETITIONS];
    const kelvin_target counting = {b->inner.n, counted, b};
    KELVIN_TRY(leapfrog(b, &counting, kernels));
    value[GRADIENTS_PER_STEP] = (double)b->calls / (double)b->per_repetition;
    for (size_t i = 0; i < REPETITIONS; i++) {
        const double start = kelvin_now();
        KELVIN_TRY(leapfrog(b, &b->inner, kernels));
        seconds[i] = (kelvin_now() - start) / (double)b->per_repetition;
    }
    value[US_PER_LEAPFROG_STEP] = bench_times(seconds, REPETITIONS).best * 1e6;
    return KELVIN_OK;
}

/* ---- several chains on a core ---- */

enum { MOST_CHAINS = 16 };

/* Chains by HMC, in groups that advance together. */
struct group {
    kelvin_sampler *chain[MOST_CHAINS];
    kelvin_posteriors *posteriors;
    kelvin_lanes lanes;
    float *work;
};

static kelvin_status make_group(struct group *g, const struct bench *b, size_t chains)
{
    const double setting[KELVIN_SETTINGS] = {5e-5, b->per_repetition};
    const kelvin_sampler_type *type;
    const size_t lanes = kelvin_posteriors_fit(b->model, &b->prior, b->data->train.n, chains);
    KELVIN_TRY(kelvin_sampler_find(&type, "hmc"));
    KELVIN_TRY(kelvin_posteriors_make(&g->posteriors, b->model, &b->density, &b->prior, b->data, lanes));
    g->lanes = kelvin_posteriors_lanes(g->posteriors);
    if (!(g->work = kelvin_alloc(kelvin_lanes_work(type, &g->lanes), sizeof *g->work))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < chains; i++) {
        const kelvin_sampler_options options = {.setting = setting, .seed = 1, .chain = (uint32_t)i};
        KELVIN_TRY(kelvin_sampler_make(&g->chain[i], type, &b->inner, &options));
        kelvin_sampler_start(g->chain[i], b->start);
    }
    return KELVIN_OK;
}

static double trajectory_seconds(struct group *g, size_t chains, uint32_t step)
{
    kelvin_moment moment[MOST_CHAINS];
    kelvin_step_info info[MOST_CHAINS];
    for (size_t i = 0; i < chains; i++) moment[i] = (kelvin_moment){step, 0, 1, 1};
    const double start = kelvin_now();
    kelvin_sampler_advance_all(g->chain, chains, moment, info, &g->lanes, g->work);
    return kelvin_now() - start;
}

/* Whole trajectories, of as many steps as fill a repetition, or fewer of more chains. */
static kelvin_status measure_chains(double *us, const struct bench *b, size_t chains)
{
    struct group g = {.work = NULL};
    double seconds[REPETITIONS];
    kelvin_status status = make_group(&g, b, chains);
    for (uint32_t i = 0; i < REPETITIONS && !status; i++)
        seconds[i] = trajectory_seconds(&g, chains, i) / (double)(chains * b->per_repetition);
    if (!status) *us = bench_times(seconds, REPETITIONS).best * 1e6;
    for (size_t i = 0; i < MOST_CHAINS; i++) kelvin_sampler_destroy(g.chain[i]);
    kelvin_posteriors_destroy(g.posteriors);
    kelvin_free(g.work);
    return status;
}

static kelvin_status measure_posteriors(double *value, size_t threads)
{
    struct progress progress;
    const kelvin_figure_watch watch = {&progress,        progress_start, progress_piece,
                                       progress_stopped, progress_rows,  progress_end};
    struct figure_options figure = kelvin_figure_defaults(&kelvin_decision_boundary_figure, FIGURE_PAPER);
    kelvin_run *runs[TOY_POSTERIORS];
    figure.threads = threads;
    figure.watch = &watch;
    progress_catch_signals();
    const double start = kelvin_now();
    const kelvin_status status = kelvin_toy_posteriors_sample(runs, &figure);
    value[BOTH_POSTERIORS_SECONDS] = kelvin_now() - start;
    for (size_t i = 0; i < TOY_POSTERIORS; i++) kelvin_run_close(runs[i]);
    return status;
}

static kelvin_status measure(struct bench_results *r, const struct bench_settings *settings,
                             const struct kelvin_kernels *kernels)
{
    struct bench bench = {0};
    r->data = "toy";
    r->threads = settings->threads ? settings->threads : kelvin_cpu_count();
    snprintf(r->about, sizeof r->about, "gradients on one core, posteriors on %zu threads", r->threads);
    kelvin_status status = set_up(&bench, kernels);
    if (!status) status = bench_peak(&r->value[FMA_PEAK_GFLOPS], kernels, 1);
    if (!status) {
        measure_gradient(r->value, &bench);
        status = measure_leapfrog(r->value, &bench, kernels);
    }
    bench.per_repetition = bench.per_repetition / MOST_CHAINS + 1;
    if (!status) status = measure_chains(&r->value[US_4_CHAINS], &bench, 4);
    if (!status) status = measure_chains(&r->value[US_8_CHAINS], &bench, 8);
    if (!status) status = measure_chains(&r->value[US_16_CHAINS], &bench, MOST_CHAINS);
    tear_down(&bench);
    if (!status && !settings->quick) status = measure_posteriors(r->value, settings->threads);
    return status;
}

const struct benchmark leapfrog_benchmark = {"leapfrog", rows, ROWS, measure};
