/* All chains of all runs as tasks of one pool. A chain's random numbers are a function of (seed, chain, iteration), and
 * it shares nothing that it writes: the draws do not depend on the number of threads. */
#include "run/room.h"

#include "kernels/kernels.h"

#include <kelvin/target.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct job {
    kelvin_run **runs;
    const struct kelvin_kernels *kernels;
    kelvin_run_progress *progress;
    void *context;
    pthread_mutex_t mutex; /* for the progress function and the clocks */
    atomic_bool stop;
};

struct chain {
    kelvin_run *run;
    uint32_t number;
    kelvin_posterior *posterior;
    kelvin_hmc *hmc;
    float *start;  /* n_params */
    float *logits; /* (n, classes), of the current draw */
};

size_t kelvin_hits(const float *logits, const int32_t *y, size_t n, size_t classes)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++) {
        const float *z = logits + i * classes;
        const size_t label = (size_t)y[i];
        bool largest = true;
        for (size_t k = 0; k < classes; k++) largest &= k < label ? z[label] > z[k] : z[label] >= z[k];
        hits += largest;
    }
    return hits;
}

/* Networks of tables, the toy one among them, start from N(0, 1) for every parameter; those of images as they say. */
static void draw_start(float *start, const kelvin_run *run, uint32_t chain, const struct kelvin_kernels *kernels)
{
    const kelvin_random where = {.seed = run->config.seed, .chain = chain, .stream = KELVIN_STREAM_INIT};
    if (run->data->channels > 0)
        kelvin_model_init(run->model, start, run->config.seed, chain);
    else
        kernels->normals(start, run->model->n_params, where);
}

static kelvin_status chain_create(struct chain *chain, const struct job *job)
{
    const kelvin_run *run = chain->run;
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    KELVIN_TRY(kelvin_posterior_create(&chain->posterior, run->model, &inside->density,
                                       inside->has_prior ? &inside->prior : NULL, run->data, NULL));
    const kelvin_target target = kelvin_posterior_target(chain->posterior);
    const kelvin_hmc_options options = kelvin_run_hmc_options(&run->config);
    KELVIN_TRY(kelvin_hmc_create(&chain->hmc, &target, &options, run->config.seed, chain->number));
    chain->start = kelvin_alloc(run->model->n_params, sizeof *chain->start);
    chain->logits = kelvin_alloc(run->data->train.n * run->data->classes, sizeof *chain->logits);
    if (!chain->start || !chain->logits) return KELVIN_ENOMEM;
    draw_start(chain->start, run, chain->number, job->kernels);
    kelvin_hmc_init(chain->hmc, chain->start);
    return KELVIN_OK;
}

static void chain_destroy(struct chain *chain)
{
    kelvin_free(chain->logits);
    kelvin_free(chain->start);
    kelvin_hmc_destroy(chain->hmc);
    kelvin_posterior_destroy(chain->posterior);
}

/* One iteration, and what is kept of it. */
static kelvin_hmc_info advance(struct chain *chain, uint32_t iteration)
{
    kelvin_run *run = chain->run;
    const kelvin_run_config *config = &run->config;
    const size_t n = run->data->train.n, outputs = n * run->data->classes, n_params = run->model->n_params;
    const size_t row = (size_t)chain->number * config->iterations + iteration;
    const kelvin_hmc_info info = kelvin_hmc_step(chain->hmc, iteration);
    const float *theta = kelvin_hmc_theta(chain->hmc);

    kelvin_posterior_logits(chain->posterior, chain->logits, theta);
    run->info[row] = info;
    memcpy(run->draws + row * n_params, theta, n_params * sizeof *theta);
    kelvin_run_inside(run)->accuracy[row] =
        (double)kelvin_hits(chain->logits, run->data->train.y, n, run->data->classes) / (double)n;
    if (iteration >= config->warmup) {
        const size_t kept = row - ((size_t)chain->number + 1) * config->warmup;
        memcpy(run->logits + kept * outputs, chain->logits, outputs * sizeof *chain->logits);
    }
    return info;
}

/* A run's clock starts with the first of its chains and is read at the end of each. */
static void clock_run(struct job *job, kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    pthread_mutex_lock(&job->mutex);
    if (inside->started == 0) inside->started = kelvin_now();
    run->seconds = kelvin_now() - inside->started;
    pthread_mutex_unlock(&job->mutex);
}

/* False if the caller says stop; nobody asks again then. */
static bool report(struct job *job, const struct chain *chain, uint32_t iteration, const kelvin_hmc_info *info)
{
    bool go_on = true;
    pthread_mutex_lock(&job->mutex);
    if (job->progress && !atomic_load(&job->stop))
        go_on = job->progress(job->context, chain->run, chain->number, iteration, info);
    if (!go_on) atomic_store(&job->stop, true);
    pthread_mutex_unlock(&job->mutex);
    return go_on;
}

static kelvin_status iterate(struct job *job, struct chain *chain)
{
    for (uint32_t i = 0; i < chain->run->config.iterations && !atomic_load(&job->stop); i++) {
        const kelvin_hmc_info info = advance(chain, i);
        if (!report(job, chain, i, &info))
            return kelvin_fail(KELVIN_ESTOP, "stopped on request; the runs are incomplete");
    }
    return KELVIN_OK;
}

/* The chain that fails stops the others; those end without a failure of their own, so that its sentence is the one
 * that is told. */
static kelvin_status sample_chain(void *context, size_t task)
{
    struct job *job = context;
    struct chain chain = {0};
    size_t r = 0;
    while (task >= job->runs[r]->config.chains) task -= job->runs[r++]->config.chains;
    chain.run = job->runs[r];
    chain.number = (uint32_t)task;

    kelvin_status status = chain_create(&chain, job);
    clock_run(job, chain.run);
    if (!status) status = iterate(job, &chain);
    clock_run(job, chain.run);
    if (status) atomic_store(&job->stop, true);
    chain_destroy(&chain);
    return status;
}

static void note_place(kelvin_run *run, const struct job *job, const kelvin_pool *pool)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    inside->complete = false;
    inside->started = 0;
    inside->threads = (uint32_t)kelvin_pool_threads(pool);
    snprintf(inside->cpu, sizeof inside->cpu, "%s", kelvin_cpu_name());
    snprintf(inside->isa, sizeof inside->isa, "%s", kelvin_isa_name(job->kernels->isa));
}

kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n, size_t threads, kelvin_run_progress *progress,
                                void *context)
{
    struct job job = {.runs = runs, .progress = progress, .context = context, .mutex = PTHREAD_MUTEX_INITIALIZER};
    KELVIN_TRY(kelvin_kernels_get(&job.kernels));
    size_t tasks = 0;
    for (size_t r = 0; r < n; r++) {
        if (!kelvin_run_is_hmc(runs[r]))
            return kelvin_fail(KELVIN_EUSAGE, "a run by %s lives in its folder; kelvin_chains_run samples it",
                               runs[r]->config.sampler);
        tasks += runs[r]->config.chains;
    }
    if (threads == 0) threads = kelvin_cpu_count();
    kelvin_pool *pool;
    KELVIN_TRY(kelvin_pool_create(&pool, threads < tasks ? threads : tasks));
    for (size_t r = 0; r < n; r++) note_place(runs[r], &job, pool);
    const kelvin_status status = kelvin_pool_run(pool, sample_chain, &job, tasks);
    kelvin_pool_destroy(pool);
    for (size_t r = 0; r < n; r++) kelvin_run_inside(runs[r])->complete = !status;
    return status;
}
