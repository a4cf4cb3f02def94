/* kelvin-bench MODEL: how fast a network is sampled. A step is the gradient of a batch, fresh noise, and the
 * update; forward is the log-density alone. Inputs are normals, labels go round.
 *
 * Operations are counted as the direct method of convolution has them, two per multiply-add: forward, back to the
 * weights, and, but for the layers that read the input, back to the data. */
#include "base/random.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "density/density.h"

#include "target/target.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 125, TOTAL = 50000, CLASSES = 10, TURNS = 20 };

enum {
    FMA_PEAK_GFLOPS,
    FMA_PEAK_GFLOPS_TOGETHER,
    IMAGES_PER_S,
    GFLOPS,
    SHARE_OF_PEAK,
    FORWARD_IMAGES_PER_S,
    FORWARD_GFLOPS,
    FORWARD_SHARE_OF_PEAK,
    CONVOLUTIONS_SHARE,
    CHAINS,
    CHAINS_IMAGES_PER_S,
    CHAINS_RATIO,
    RANKS,
    RANKS_STEP_MS,
    RANKS_MESSAGES_MS,
    RANKS_MESSAGES_SHARE,
    RANKS_WAITED_MS,
    GRADIENT_US,
    STEP_US,
    EPOCH_END_US,
    CHECKPOINT_MS,
    OVERHEAD,
    OVERHEAD_MEDIAN,
    OVERHEAD_BATCH,
    OVERHEAD_OUTPUTS,
    OVERHEAD_UPDATE,
    OVERHEAD_EPOCHS,
    OVERHEAD_CHECKPOINTS,
    WORKSPACE_BYTES,
    RESIDENT_MB,
    PARAMETERS,
    FLOPS_PER_IMAGE,
    BATCH_IMAGES,
    CHANNELS,
    HEIGHT,
    WIDTH,
    ROWS
};
_Static_assert((int)ROWS <= (int)BENCH_ROWS, "there is room for all values");

static const struct bench_row rows[ROWS] = {
    [FMA_PEAK_GFLOPS] = {"fma_peak_gflops", "FMA peak of one core", "GFLOP/s", 1, 1, 0},
    [FMA_PEAK_GFLOPS_TOGETHER] = {"fma_peak_gflops_together", "  where all threads run", "GFLOP/s", 1, 1, 0},
    [IMAGES_PER_S] = {"images_per_s", "step", "images/s", 1, 1, 0},
    [GFLOPS] = {"gflops", "  speed, counted as direct", "GFLOP/s", 1, 1, 0},
    [SHARE_OF_PEAK] = {"share_of_peak", "  share of the peak", "%", 1, 100, 0},
    [FORWARD_IMAGES_PER_S] = {"forward_images_per_s", "forward", "images/s", 1, 1, 0},
    [FORWARD_GFLOPS] = {"forward_gflops", "  speed, counted as direct", "GFLOP/s", 1, 1, 0},
    [FORWARD_SHARE_OF_PEAK] = {"forward_share_of_peak", "  share of the peak", "%", 1, 100, 0},
    [CONVOLUTIONS_SHARE] = {"convolutions_share_of_step", "convolutions' share of step", "%", 1, 100, 0},
    [CHAINS] = {"chains", "chains at once", "", 0, 1, 0},
    [CHAINS_IMAGES_PER_S] = {"chains_images_per_s", "  steps, all together", "images/s", 1, 1, 0},
    [CHAINS_RATIO] = {"chains_ratio", "  in steps of one alone", "x", 3, 1, 0},
    [RANKS] = {"ranks", "ranks that share a batch", "", 0, 1, 0},
    [RANKS_STEP_MS] = {"ranks_step_ms", "  step", "ms", 3, 1, 0},
    [RANKS_MESSAGES_MS] = {"ranks_messages_ms", "    of it messages", "ms", 3, 1, 0},
    [RANKS_MESSAGES_SHARE] = {"ranks_messages_share", "    their share", "%", 2, 100, 0},
    [RANKS_WAITED_MS] = {"ranks_waited_ms", "    waiting for the slower one", "ms", 3, 1, 0},
    [GRADIENT_US] = {"gradient_us", "bare gradient, one thread", "us", 1, 1, 0},
    [STEP_US] = {"step_us", "step of a chain", "us", 1, 1, 0},
    [EPOCH_END_US] = {"epoch_end_us_per_step", "ends of epochs, per step", "us", 2, 1, 0},
    [CHECKPOINT_MS] = {"checkpoint_ms", "checkpoint, one", "ms", 1, 1, 0},
    [OVERHEAD] = {"sampling_overhead", "sampling over the gradient", "%", 1, 100, 0},
    [OVERHEAD_MEDIAN] = {"sampling_overhead_median", "  median of turns", "%", 1, 100, 0},
    [OVERHEAD_BATCH] = {"sampling_overhead_batch", "  putting batches together", "%", 2, 100, 0},
    [OVERHEAD_OUTPUTS] = {"sampling_overhead_outputs", "  log-posterior, outputs", "%", 2, 100, 0},
    [OVERHEAD_UPDATE] = {"sampling_overhead_update", "  noise, update, sums", "%", 2, 100, 0},
    [OVERHEAD_EPOCHS] = {"sampling_overhead_epochs", "  ends of epochs", "%", 2, 100, 0},
    [OVERHEAD_CHECKPOINTS] = {"sampling_overhead_checkpoints", "  a checkpoint a minute", "%", 2, 100, 0},
    [WORKSPACE_BYTES] = {"workspace_bytes", "workspace", "MB", 2, 1e-6, 0},
    [RESIDENT_MB] = {"resident_mb", "resident at most", "MB", 1, 1, 0},
    [PARAMETERS] = {"parameters", NULL, "", 0, 1, 0},
    [FLOPS_PER_IMAGE] = {"flops_per_image", NULL, "", 0, 1, 0},
    [BATCH_IMAGES] = {"batch", NULL, "", 0, 1, 0},
    [CHANNELS] = {"channels", NULL, "", 0, 1, 0},
    [HEIGHT] = {"height", NULL, "", 0, 1, 0},
    [WIDTH] = {"width", NULL, "", 0, 1, 0},
};

/* What networks look at, by the start of their names; the last is for all others. */
static const struct {
    const char *start;
    kelvin_shape input;
} shapes[] = {{"resnet", {3, 32, 32}}, {"cnn", {1, 28, 28}}, {"", {64, 1, 1}}};

static kelvin_shape input_of(const char *model)
{
    size_t i = 0;
    while (strncmp(model, shapes[i].start, strlen(shapes[i].start)) != 0) i++;
    return shapes[i].input;
}

/* A model, and a batch that it looks at. */
struct network {
    const struct kelvin_kernels *kernels;
    kelvin_model *model;
    float *x;
    int32_t *y;
};

/* One chain: its posterior, and parameters, momenta and gradient. */
struct chain {
    const struct network *net;
    kelvin_posterior *posterior;
    kelvin_target target;
    float *theta, *momentum, *grad;
    kelvin_random where;
    kelvin_status status;
};

static kelvin_status make_network(struct network *net, const char *spec, const struct kelvin_kernels *kernels)
{
    net->kernels = kernels;
    KELVIN_TRY(kelvin_model_create(&net->model, spec, input_of(spec), CLASSES));
    const size_t inputs = net->model->inputs;
    net->x = kelvin_alloc(BATCH * inputs, sizeof *net->x);
    net->y = kelvin_alloc(BATCH, sizeof *net->y);
    if (!net->x || !net->y) return KELVIN_ENOMEM;
    kernels->normals(net->x, BATCH * inputs, (kelvin_random){1, 0, 0, KELVIN_STREAM_USER});
    for (int32_t i = 0; i < BATCH; i++) net->y[i] = i % CLASSES;
    return KELVIN_OK;
}

static void free_network(struct network *net)
{
    kelvin_model_destroy(net->model);
    kelvin_free(net->x);
    kelvin_free(net->y);
}

static kelvin_status make_chain(struct chain *chain, const struct network *net, uint32_t number, size_t threads,
                                struct kelvin_group *group)
{
    const kelvin_posterior_options options = {.batch = BATCH, .threads = threads, .total = TOTAL, .group = group};
    const size_t n = net->model->n_params, stride = (n + 15) / 16 * 16; /* each vector aligned */
    kelvin_density density;
    kelvin_prior prior;
    KELVIN_TRY(kelvin_density_parse(&density, "categorical"));
    KELVIN_TRY(kelvin_prior_parse(&prior, "normal:0.1"));
    KELVIN_TRY(kelvin_posterior_make(&chain->posterior, net->model, &density, &prior, NULL, &options));
    chain->net = net;
    chain->target = kelvin_posterior_target(chain->posterior);
    chain->where = (kelvin_random){.seed = 1, .chain = number, .stream = KELVIN_STREAM_MOMENTUM};
    chain->theta = kelvin_alloc(3 * stride, sizeof *chain->theta);
    if (!chain->theta) return KELVIN_ENOMEM;
    chain->momentum = chain->theta + stride;
    chain->grad = chain->momentum + stride;
    kelvin_model_start(net->model, chain->theta, 1, number);
    return KELVIN_OK;
}

static void free_chain(struct chain *chain)
{
    kelvin_posterior_destroy(chain->posterior);
    kelvin_free(chain->theta);
}

static void take_batch(struct chain *c)
{
    const kelvin_status status = kelvin_posterior_set_batch(c->posterior, c->net->x, c->net->y, BATCH);
    if (status) c->status = status;
}

/* With a learning rate and friction as they are used: so small a step that nothing runs away. */
static void step(void *context)
{
    struct chain *c = context;
    const float h = 4.5e-5f, friction = 0.02f;
    take_batch(c);
    c->target.eval(c->target.context, NULL, c->grad, c->theta);
    c->net->kernels->langevin(c->theta, c->momentum, c->grad, c->target.n, 1 - friction, h, sqrtf(2 * friction), h,
                              c->where);
    c->where.step++;
}

static void forward(void *context)
{
    struct chain *c = context;
    double logp;
    take_batch(c);
    c->target.eval(c->target.context, &logp, NULL, c->theta);
}

/* Operations per image: of a step, and forward. */
static double flops_of(const kelvin_model *model, bool whole_step)
{
    double flops = 0;
    for (size_t l = 1; l <= model->n_layers; l++) {
        const int times = !whole_step ? 1 : model->layer[l].in > 0 ? 3 : 2;
        flops += times * kelvin_layer_flops(&model->layer[l]);
    }
    return flops;
}

/* The better one of what was found before and of what is found now: others may run beside us. */
static kelvin_status measure_peaks(double *value, const struct kelvin_kernels *kernels, size_t threads)
{
    double peak;
    KELVIN_TRY(bench_peak(&peak, kernels, 1));
    value[FMA_PEAK_GFLOPS] = fmax(value[FMA_PEAK_GFLOPS], peak); /* NaN at first */
    if (threads == 1) return KELVIN_OK;
    KELVIN_TRY(bench_peak(&peak, kernels, threads));
    value[FMA_PEAK_GFLOPS_TOGETHER] = fmax(value[FMA_PEAK_GFLOPS_TOGETHER], peak);
    return KELVIN_OK;
}

static kelvin_status measure_step(struct bench_results *r, const struct network *net, bool quick)
{
    double *v = r->value;
    const double seconds = quick ? 0.05 : 3;
    struct chain chain = {0};
    kelvin_status status = make_chain(&chain, net, 0, r->threads, NULL);
    if (!status) {
        v[IMAGES_PER_S] = BATCH / bench_best(step, &chain, seconds);
        v[GFLOPS] = v[IMAGES_PER_S] * flops_of(net->model, true) / 1e9;
        v[FORWARD_IMAGES_PER_S] = BATCH / bench_best(forward, &chain, seconds / 2);
        v[FORWARD_GFLOPS] = v[FORWARD_IMAGES_PER_S] * flops_of(net->model, false) / 1e9;
        v[WORKSPACE_BYTES] = (double)kelvin_posterior_bytes(chain.posterior);
        v[RESIDENT_MB] = bench_resident_mb("VmHWM");
        status = chain.status;
    }
    free_chain(&chain);
    return status;
}

/* ---- chains at once ---- */

struct chains {
    struct chain *chain;
    size_t steps; /* that each makes in a turn */
};

static kelvin_status take_turn(void *context, size_t task)
{
    const struct chains *chains = context;
    for (size_t i = 0; i < chains->steps; i++) step(&chains->chain[task]);
    return chains->chain[task].status;
}

/* One chain alone and all at once, in turns; the best of each. */
static kelvin_status race(double *value, struct chains *chains, size_t n, bool quick)
{
    double alone = HUGE_VAL, together = HUGE_VAL;
    kelvin_pool *pool;
    chains->steps = 1 + (size_t)((quick ? 0.01 : 0.15) / bench_best(step, &chains->chain[0], 0.01));
    kelvin_status status = kelvin_pool_create(&pool, n);
    for (int turn = 0; turn < (quick ? 1 : TURNS) && !status; turn++) {
        const double start = kelvin_now();
        status = kelvin_pool_run(pool, take_turn, chains, 1);
        const double middle = kelvin_now();
        if (!status) status = kelvin_pool_run(pool, take_turn, chains, n);
        alone = fmin(alone, middle - start);
        together = fmin(together, kelvin_now() - middle);
    }
    kelvin_pool_destroy(pool);
    value[CHAINS] = (double)n;
    value[CHAINS_IMAGES_PER_S] = (double)(n * chains->steps * BATCH) / together;
    value[CHAINS_RATIO] = (double)n * alone / together;
    return status;
}

static kelvin_status measure_chains(double *value, const struct network *net, size_t n, bool quick)
{
    struct chains chains = {.chain = kelvin_alloc(n, sizeof *chains.chain)};
    kelvin_status status = chains.chain ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) status = make_chain(&chains.chain[i], net, (uint32_t)i, 1, NULL);
    if (!status) status = race(value, &chains, n, quick);
    for (size_t i = 0; i < n && chains.chain; i++) free_chain(&chains.chain[i]);
    kelvin_free(chains.chain);
    return status;
}

/* ---- ranks ---- */

/* One chain whose batches all ranks share. Each makes as many steps; the median counts, of steps and of what they spend
 * on messages after all have come to them. */
static kelvin_status measure_ranks(struct bench_results *r, const struct network *net, bool quick)
{
    enum { MOST = 100 };
    double *v = r->value, steps[MOST], messages[MOST], waited[MOST];
    struct kelvin_group group = kelvin_group_of(0, kelvin_rank_count());
    struct chain chain = {0};
    const size_t n = quick ? 3 : MOST;
    kelvin_status status = make_chain(&chain, net, 0, r->threads, &group);
    group.meters = true;
    for (size_t i = 0; i < n + 2 && !status; i++) { /* the first two are not counted */
        const size_t at = i < 2 ? 0 : i - 2;
        const double begin = kelvin_now(), before = group.seconds, waited_before = group.waited;
        step(&chain);
        steps[at] = kelvin_now() - begin;
        waited[at] = group.waited - waited_before;
        messages[at] = group.seconds - before - waited[at];
        status = group.broken ? kelvin_ranks_trouble() : chain.status;
    }
    if (!status) {
        v[RANKS] = (double)group.size;
        v[RANKS_STEP_MS] = 1e3 * bench_times(steps, n).median;
        v[RANKS_MESSAGES_MS] = 1e3 * bench_times(messages, n).median;
        v[RANKS_WAITED_MS] = 1e3 * bench_times(waited, n).median;
        v[RANKS_MESSAGES_SHARE] = v[RANKS_MESSAGES_MS] / v[RANKS_STEP_MS];
    }
    free_chain(&chain);
    return status;
}

/* ---- sampling ---- */

static kelvin_status measure_sampling(double *value, const struct bench_settings *settings)
{
    struct bench_sampling s;
    KELVIN_TRY(bench_sampling(&s, settings->model, settings->quick));
    value[GRADIENT_US] = 1e6 * s.gradient;
    value[STEP_US] = 1e6 * s.step;
    value[EPOCH_END_US] = 1e6 * s.epoch_end;
    value[CHECKPOINT_MS] = 1e3 * s.checkpoint;
    value[OVERHEAD] = s.overhead;
    value[OVERHEAD_MEDIAN] = s.overhead_median;
    value[OVERHEAD_BATCH] = s.batch;
    value[OVERHEAD_OUTPUTS] = s.outputs;
    value[OVERHEAD_UPDATE] = s.update;
    value[OVERHEAD_EPOCHS] = s.epochs;
    value[OVERHEAD_CHECKPOINTS] = s.checkpoints;
    return KELVIN_OK;
}

/* ---- */

static kelvin_status measure_all(struct bench_results *r, const struct network *net,
                                 const struct bench_settings *settings, const struct kelvin_kernels *kernels)
{
    double *v = r->value, per_image;
    v[PARAMETERS] = (double)net->model->n_params;
    v[FLOPS_PER_IMAGE] = flops_of(net->model, true);
    v[BATCH_IMAGES] = BATCH;
    v[CHANNELS] = (double)net->model->input.channels;
    v[HEIGHT] = (double)net->model->input.height;
    v[WIDTH] = (double)net->model->input.width;
    if (kelvin_rank_count() > 1) return measure_ranks(r, net, settings->quick);
    KELVIN_TRY(measure_peaks(v, kernels, r->threads));
    KELVIN_TRY(measure_step(r, net, settings->quick));
    KELVIN_TRY(measure_peaks(v, kernels, r->threads));
    const double peak = (double)r->threads * v[FMA_PEAK_GFLOPS];
    v[SHARE_OF_PEAK] = v[GFLOPS] / peak;
    v[FORWARD_SHARE_OF_PEAK] = v[FORWARD_GFLOPS] / peak;
    if (settings->chains) KELVIN_TRY(measure_chains(v, net, settings->chains, settings->quick));
    KELVIN_TRY(measure_sampling(v, settings));
    KELVIN_TRY(bench_layers(&r->layers, &per_image, net->model, kernels, settings, v[FMA_PEAK_GFLOPS]));
    if (r->layers) v[CONVOLUTIONS_SHARE] = per_image * v[IMAGES_PER_S] / (double)r->threads;
    return KELVIN_OK;
}

static kelvin_status measure(struct bench_results *r, const struct bench_settings *settings,
                             const struct kelvin_kernels *kernels)
{
    struct network net = {0};
    kelvin_status status = make_network(&net, settings->model, kernels);
    if (!status) {
        const kelvin_shape in = net.model->input;
        r->data = "normals";
        r->model = settings->model;
        r->threads = settings->threads ? settings->threads : kelvin_cpu_count();
        snprintf(r->about, sizeof r->about, "%.60s on %zux%zux%zu: %zu parameters, batches of %d, %zu thread%s",
                 settings->model, in.channels, in.height, in.width, net.model->n_params, BATCH, r->threads,
                 r->threads == 1 ? "" : "s");
        status = measure_all(r, &net, settings, kernels);
    }
    free_network(&net);
    return status;
}

const struct benchmark network_benchmark = {"network", rows, ROWS, measure};
