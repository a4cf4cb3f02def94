/* What a step of a chain costs beside the gradient that it cannot do without, and where that goes: putting the batch
 * together, the log-posterior and what the network says, noise and update, ends of epochs, checkpoints. One chain on
 * one thread, as `kelvin sample` runs it, on data of the real size.
 *
 * All parts are timed in turns, in CPU time of this thread: whatever else the machine does, it does to all of them. */
#include "bench/bench.h"
#include "data/data.h"
#include "run/chain.h"

#include "target/target.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLASSES = 10, EPOCHS = 10000, CHECKPOINTS = 5, MOST_TURNS = 1000, QUICK = 10 };

static const double period = 60; /* seconds from one checkpoint to the next, as it is where nobody says otherwise */

/* What networks are sampled on, by the start of their names; the last is for all others. */
static const struct {
    const char *start;
    size_t n, channels, height, width; /* of noise; n = 0: the built-in digits */
    const char *augment;
} sets[] = {{"resnet", 50000, 3, 32, 32, "paper"}, {"cnn", 60000, 1, 28, 28, "none"}, {"", 0, 0, 0, 0, "none"}};

struct sampling {
    kelvin_run *run;
    struct kelvin_chain chain;
    kelvin_posterior *bare;
    kelvin_sampler *update; /* on a target that takes no time */
    float *grad, *x;
    int32_t *y;
    uint32_t batches, updates; /* done so far */
    kelvin_status status;      /* the first failure */
};

/* ---- making it ---- */

static kelvin_status make_run(kelvin_run **run, const char *model, kelvin_data *data, bool quick)
{
    size_t i = 0;
    kelvin_run_config config;
    while (strncmp(model, sets[i].start, strlen(sets[i].start)) != 0) i++;
    KELVIN_TRY(kelvin_run_defaults(&config, kelvin_sampler_info(0)->member.name));
    config.model = model;
    config.augment = sets[i].augment;
    config.chains = config.samples = 1;
    config.epochs = EPOCHS;
    if (!data && sets[i].n > 0)
        KELVIN_TRY(kelvin_data_noise(&data, sets[i].n / (quick ? QUICK : 1), sets[i].channels, sets[i].height,
                                     sets[i].width, CLASSES));
    return kelvin_run_prepare(run, &config, data, NULL);
}

static void no_target(void *context, double *logp, float *grad, const float *theta)
{
    (void)context, (void)grad, (void)theta;
    *logp = 0;
}

static kelvin_status make(struct sampling *s, const char *model, kelvin_data *data, bool quick)
{
    KELVIN_TRY(make_run(&s->run, model, data, quick));
    const kelvin_run_config *config = &s->run->config;
    const struct kelvin_run_owned *inside = kelvin_run_inside(s->run);
    const size_t n = s->run->model->n_params;
    const kelvin_posterior_options options = {.batch = config->batch, .threads = 1, .rows = true};
    const kelvin_target none = {.n = n, .eval = no_target};
    const kelvin_sampler_options sampler = {
        .setting = config->setting, .observations = (double)s->run->data->train.n, .seed = config->seed};
    KELVIN_TRY(kelvin_chain_create(&s->chain, s->run, 0));
    KELVIN_TRY(kelvin_chain_threads(&s->chain, 1));
    KELVIN_TRY(kelvin_chain_begin(&s->chain));
    KELVIN_TRY(
        kelvin_posterior_make(&s->bare, s->run->model, &inside->density, &inside->prior, s->run->data, &options));
    KELVIN_TRY(kelvin_sampler_make(&s->update, s->run->sampler, &none, &sampler));
    kelvin_sampler_start(s->update, kelvin_sampler_theta(s->chain.sampler));
    s->grad = kelvin_alloc(n, sizeof *s->grad);
    s->x = kelvin_alloc(config->batch * s->run->data->inputs, sizeof *s->x);
    s->y = kelvin_alloc(config->batch, sizeof *s->y);
    if (!s->grad || !s->x || !s->y) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_chain_step(&s->chain)); /* there is an order now */
    kelvin_data_gather(s->run->data, &s->run->data->train, s->x, s->y, s->chain.order, config->batch, NULL);
    return KELVIN_OK;
}

static void destroy(struct sampling *s)
{
    kelvin_chain_destroy(&s->chain);
    kelvin_posterior_destroy(s->bare);
    kelvin_sampler_destroy(s->update);
    kelvin_run_close(s->run);
    kelvin_free(s->grad);
    kelvin_free(s->x);
    kelvin_free(s->y);
}

/* ---- parts ---- */

static void note(struct sampling *s, kelvin_status status)
{
    if (!s->status) s->status = status;
}

static void evaluate(struct sampling *s, kelvin_posterior *posterior, double *logp)
{
    const kelvin_target target = kelvin_posterior_target(posterior);
    target.eval(target.context, logp, s->grad, kelvin_sampler_theta(s->chain.sampler));
}

static void bare_gradient(struct sampling *s)
{
    note(s, kelvin_posterior_set_batch(s->bare, s->x, s->y, s->run->config.batch));
    evaluate(s, s->bare, NULL);
}

/* And a batch that is not there yet. */
static void gathered_gradient(struct sampling *s)
{
    const kelvin_run *run = s->run;
    const size_t batch = run->config.batch, first = s->batches++ % s->chain.row_steps * batch;
    const kelvin_epoch about = {.seed = run->config.seed, .augment = kelvin_run_inside(run)->augment};
    note(s, kelvin_posterior_set_part(s->bare, run->data, &run->data->train, s->chain.order + first, batch, &about));
    evaluate(s, s->bare, NULL);
}

/* And the log-posterior, and what the network says. */
static void told_gradient(struct sampling *s)
{
    double logp;
    note(s, kelvin_posterior_set_batch(s->chain.posterior, s->x, s->y, s->run->config.batch));
    evaluate(s, s->chain.posterior, &logp);
}

static void update(struct sampling *s)
{
    const kelvin_moment moment = {.step = s->updates++, .rate = 1, .temperature = s->run->config.temperature};
    (void)kelvin_sampler_advance(s->update, &moment);
}

static void step(struct sampling *s)
{
    note(s, kelvin_chain_step(&s->chain));
    if (s->chain.good.diverged[0] && !s->status) s->status = kelvin_fail(KELVIN_EUSAGE, "%s", s->chain.good.diverged);
}

/* All that one epoch costs beside its steps. */
static void end_epoch(struct sampling *s)
{
    double row[KELVIN_COLUMNS];
    kelvin_data_order(s->chain.order, s->run->data->train.n, &(kelvin_epoch){.seed = s->run->config.seed});
    (void)kelvin_chain_row(row, &s->chain);
    kelvin_chain_now(&s->chain.good, &s->chain);
}

enum { BARE, GATHERED, TOLD, UPDATE, STEP, EPOCH_END, PARTS };
static void (*const parts[PARTS])(struct sampling *) = {
    [BARE] = bare_gradient, [GATHERED] = gathered_gradient, [TOLD] = told_gradient, [UPDATE] = update,
    [STEP] = step,          [EPOCH_END] = end_epoch,
};

/* ---- timing ---- */

static double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_part(struct sampling *s, size_t part, size_t calls)
{
    const double start = cpu_now();
    for (size_t i = 0; i < calls; i++) parts[part](s);
    return (cpu_now() - start) / (double)calls;
}

/* Whether the chain has so many steps left; what comes after its end is nothing that it would do. */
static bool goes_on(const struct sampling *s, size_t steps)
{
    return !s->status && s->chain.step + steps + 1 < s->chain.steps;
}

/* Turns are short, so that many of them are left alone, but long enough to be timed. */
static kelvin_status take_turns(struct bench_times times[PARTS], struct sampling *s, bool quick)
{
    const double burst = 1e-3, seconds = quick ? 0.05 : 8;
    const size_t least = quick ? 1 : 5;
    double *taken = kelvin_alloc(PARTS * MOST_TURNS, sizeof *taken), all = 0;
    size_t calls[PARTS], turns = 0;
    if (!taken) return KELVIN_ENOMEM;
    for (size_t part = 0; part < PARTS; part++) {
        time_part(s, part, 1); /* cold */
        calls[part] = 1 + (size_t)(burst / fmax(time_part(s, part, 1), 1e-7));
    }
    for (; turns < MOST_TURNS && (turns < least || all < seconds) && goes_on(s, calls[STEP]); turns++)
        for (size_t part = 0; part < PARTS; part++) {
            taken[part * MOST_TURNS + turns] = time_part(s, part, calls[part]);
            all += taken[part * MOST_TURNS + turns] * (double)calls[part];
        }
    for (size_t part = 0; part < PARTS && !s->status; part++)
        times[part] = bench_times(taken + part * MOST_TURNS, turns);
    kelvin_free(taken);
    return s->status;
}

/* ---- checkpoints ---- */

/* Before the last epoch of a long run: with all of its history. By the clock: whoever waits for a disk waits. */
static kelvin_status write_checkpoints(double *seconds, struct sampling *s, const char *path, size_t times)
{
    struct kelvin_chain *chain = &s->chain;
    double taken[CHECKPOINTS];
    chain->good.step = chain->steps - chain->row_steps;
    kelvin_bundle_place(&chain->bundle, s->run, chain->good.step, false);
    for (size_t i = 0; i < times; i++) {
        const double start = kelvin_now();
        KELVIN_TRY(kelvin_state_write(path, chain, &chain->good, NULL, &chain->bundle));
        taken[i] = kelvin_now() - start;
    }
    *seconds = bench_times(taken, times).best;
    return KELVIN_OK;
}

static kelvin_status time_checkpoints(double *seconds, struct sampling *s, bool quick)
{
    const char *parent = getenv("TMPDIR");
    kelvin_path folder, path;
    *seconds = 0;
    KELVIN_TRY(kelvin_path_join(folder, parent && *parent ? parent : "/tmp", "kelvin-bench-XXXXXX"));
    if (!mkdtemp(folder)) return kelvin_fail(KELVIN_EIO, "%s: the folder cannot be made: %s", folder, strerror(errno));
    kelvin_status status = kelvin_path_join(path, folder, "state.safetensors");
    if (!status) status = write_checkpoints(seconds, s, path, quick ? 1 : CHECKPOINTS);
    (void)remove(path);
    (void)remove(folder);
    return status;
}

/* ---- */

static kelvin_status measure(struct bench_sampling *out, struct sampling *s, bool quick)
{
    struct bench_times t[PARTS];
    double checkpoint;
    KELVIN_TRY(take_turns(t, s, quick));
    step(s); /* so that the epoch has begun, and its row is of something */
    KELVIN_TRY(s->status);
    KELVIN_TRY(time_checkpoints(&checkpoint, s, quick));
    const double bare = t[BARE].best, per_epoch = (double)s->chain.row_steps;
    const double epoch_end = t[EPOCH_END].best / per_epoch, share = checkpoint / period;
    *out = (struct bench_sampling){
        .gradient = bare,
        .step = t[STEP].best,
        .epoch_end = epoch_end,
        .checkpoint = checkpoint,
        .overhead = (t[STEP].best + epoch_end) * (1 + share) / bare - 1,
        .overhead_median = (t[STEP].median + t[EPOCH_END].median / per_epoch) * (1 + share) / t[BARE].median - 1,
        .batch = (t[GATHERED].best - bare) / bare,
        .outputs = (t[TOLD].best - bare) / bare,
        .update = t[UPDATE].best / bare,
        .epochs = epoch_end / bare,
        .checkpoints = share * t[STEP].best / bare,
    };
    return KELVIN_OK;
}

kelvin_status bench_sampling_on(struct bench_sampling *out, const char *model, kelvin_data *data, bool quick)
{
    struct sampling s = {0};
    kelvin_status status = make(&s, model, data, quick);
    if (!status) status = measure(out, &s, quick);
    destroy(&s);
    return status;
}

kelvin_status bench_sampling(struct bench_sampling *out, const char *model, bool quick)
{
    return bench_sampling_on(out, model, NULL, quick);
}
