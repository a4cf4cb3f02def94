/* What a run will cost: some steps of as many chains as would run at once, without a folder. */
#include "run/chains.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double measured_seconds = 1.5;

struct trial {
    struct kelvin_chains *chains;
    size_t at_once;
    double *steps_per_s; /* (at_once) */
    double *cpu_share;   /* (at_once) */
    size_t *bytes;       /* (at_once) */
    size_t last; /* what the last chain takes more, when it has all threads and the others' memory is not back */
};

/* What the calling thread has had of a CPU: a chain's own thread does its share of each step. */
static double cpu_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) ? (double)NAN : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static kelvin_status try_chain(void *context, size_t task)
{
    struct trial *trial = context;
    struct kelvin_chain chain = {0};
    kelvin_status status = kelvin_chain_create(&chain, trial->chains->run, (uint32_t)task);
    if (!status) status = kelvin_chain_threads(&chain, trial->chains->options.threads / trial->at_once);
    if (!status) status = kelvin_chain_begin(&chain);
    double start = kelvin_now(), cpu = cpu_seconds();
    uint32_t steps = 0;
    while (!status && !kelvin_chain_ended(&chain) && (steps == 0 || kelvin_now() - start < measured_seconds)) {
        status = kelvin_chain_step(&chain);
        steps++;
        if (chain.step == 1 && !kelvin_chain_ended(&chain)) { /* caches and pages were cold: it does not count */
            start = kelvin_now();
            cpu = cpu_seconds();
            steps = 0;
        }
    }
    const double seconds = kelvin_now() - start;
    trial->steps_per_s[task] = steps / seconds;
    trial->cpu_share[task] = (cpu_seconds() - cpu) / seconds;
    if (!status) trial->bytes[task] = kelvin_posterior_bytes(chain.posterior);
    if (!status && task == 0 && trial->at_once > 1) {
        status = kelvin_chain_threads(&chain, trial->chains->options.threads);
        if (!status) trial->last = kelvin_posterior_bytes(chain.posterior);
    }
    kelvin_chain_destroy(&chain);
    return status;
}

static double data_bytes(const kelvin_data *data)
{
    const size_t n = data->train.n + data->test.n, each = data->train.bytes ? 1 : sizeof(float);
    return (double)(n * (data->inputs * each + sizeof(int32_t)));
}

/* Per chain: two snapshots, what the sampler holds (parameters, momentum, gradient), an order, a history. */
static double chain_bytes(const kelvin_run *run)
{
    const kelvin_run_config *c = &run->config;
    const size_t vectors = 7 * run->model->n_params;
    return (double)((vectors + run->data->train.n) * sizeof(float)) +
           (double)c->epochs * KELVIN_EPOCH_COLUMNS * sizeof(double);
}

static double disk_bytes(const kelvin_run *run)
{
    enum { CSV_ROW = 120, HEADERS = 1 << 13 };
    const kelvin_run_config *c = &run->config;
    const double n = (double)run->model->n_params * sizeof(float);
    const double rows = (double)(run->data->train.n + run->data->test.n), labels = rows * sizeof(int64_t) + HEADERS;
    const double logits = rows * (double)run->data->classes * sizeof(float);
    const double chain = 2 * n + (double)c->epochs * (KELVIN_EPOCH_COLUMNS * sizeof(double) + CSV_ROW) + HEADERS;
    return c->chains * chain + c->samples * (n + HEADERS + logits) + labels;
}

static void conclude(kelvin_estimate *out, const struct trial *trial)
{
    const kelvin_run *run = trial->chains->run;
    const kelvin_run_config *c = &run->config;
    const double per_epoch = (double)kelvin_steps_per_epoch(run);
    double steps = 0, cpu_share = 0, memory = data_bytes(run->data) + (double)trial->last;
    for (size_t i = 0; i < trial->at_once; i++) {
        steps += trial->steps_per_s[i];
        cpu_share += trial->cpu_share[i] / (double)trial->at_once;
        memory += (double)trial->bytes[i] + chain_bytes(run);
    }
    *out = (kelvin_estimate){
        .parameters = run->model->n_params,
        .chains_at_once = trial->at_once,
        .threads_per_chain = trial->chains->options.threads / trial->at_once,
        .memory = memory,
        .disk = disk_bytes(run),
        .epochs_per_s = steps / per_epoch,
        .seconds = (double)c->chains * c->epochs * per_epoch / steps,
        .cpu_share = cpu_share,
    };
}

kelvin_status kelvin_run_estimate(kelvin_estimate *estimate, const kelvin_run_config *config, size_t threads)
{
    kelvin_run *run;
    KELVIN_TRY(kelvin_run_create(&run, config));
    if (threads == 0) threads = kelvin_cpu_count();
    struct kelvin_chains chains = {.run = run, .options = {.threads = threads}};
    struct trial trial = {.chains = &chains, .at_once = threads < config->chains ? threads : config->chains};
    kelvin_pool *pool = NULL;
    trial.steps_per_s = kelvin_alloc(trial.at_once, sizeof *trial.steps_per_s);
    trial.cpu_share = kelvin_alloc(trial.at_once, sizeof *trial.cpu_share);
    trial.bytes = kelvin_alloc(trial.at_once, sizeof *trial.bytes);
    kelvin_status status = kelvin_chains_check(run);
    if (!status && !(trial.steps_per_s && trial.cpu_share && trial.bytes)) status = KELVIN_ENOMEM;
    if (!status) status = kelvin_pool_create(&pool, trial.at_once);
    if (!status) status = kelvin_pool_run(pool, try_chain, &trial, trial.at_once);
    if (!status) conclude(estimate, &trial);
    kelvin_pool_destroy(pool);
    kelvin_free(trial.steps_per_s);
    kelvin_free(trial.cpu_share);
    kelvin_free(trial.bytes);
    kelvin_run_close(run);
    return status;
}
