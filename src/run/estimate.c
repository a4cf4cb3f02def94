/* What a run will cost: some steps of as many chains as would run at once, without a folder, and some logits. */
#include "base/needs.h"
#include "base/threads.h"
#include "run/chain.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double measured_seconds = 1.5;

/* Of one chain. */
struct measured {
    double steps_per_s, cpu_share;
    size_t bytes;
};

struct trial {
    const kelvin_run *run;
    size_t threads, at_once;
    struct measured *chain; /* (at_once) */
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
    kelvin_status status = kelvin_chain_create(&chain, trial->run, (uint32_t)task);
    if (!status) status = kelvin_chain_threads(&chain, trial->threads / trial->at_once);
    if (!status) status = kelvin_chain_begin(&chain);
    double start = kelvin_now(), cpu = cpu_seconds();
    uint32_t steps = 0;
    while (!status && !kelvin_chain_ended(&chain) && (steps == 0 || kelvin_now() - start < measured_seconds)) {
        status = kelvin_chain_step(&chain);
        chain.bundle.rows = chain.bundle.draws = 0; /* nobody writes it */
        steps++;
        if (chain.step == 1 && !kelvin_chain_ended(&chain)) { /* caches and pages were cold: it does not count */
            start = kelvin_now();
            cpu = cpu_seconds();
            steps = 0;
        }
    }
    const double seconds = kelvin_now() - start;
    trial->chain[task] = (struct measured){steps / seconds, (cpu_seconds() - cpu) / seconds, 0};
    if (!status) trial->chain[task].bytes = kelvin_posterior_bytes(chain.posterior);
    if (!status && task == 0 && trial->at_once > 1) {
        status = kelvin_chain_threads(&chain, trial->threads);
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

/* Per chain: two snapshots and a bundle, what the sampler holds, an order; where its row began. */
static double chain_bytes(const kelvin_run *run)
{
    const size_t snapshots = kelvin_run_row_steps(run) > 1 ? 4 : 3;
    const size_t vectors = snapshots * kelvin_sampler_vectors(run->sampler) + run->sampler->work;
    return (double)((vectors * run->model->n_params + run->data->train.n) * sizeof(float)) +
           (double)kelvin_bundle_bytes(run);
}

double kelvin_run_disk(const kelvin_run *run)
{
    enum { FIELD = 14, HEADERS = 1 << 13 };
    const double n = (double)run->model->n_params * sizeof(float), columns = (double)kelvin_run_width(run);
    const double rows = (double)(run->data->train.n + run->data->test.n), labels = rows * sizeof(int64_t) + HEADERS;
    const double logits = rows * (double)run->data->classes * sizeof(float);
    const double draws = kelvin_run_draws(run), files = ceil(draws / kelvin_run_bundle_draws(run));
    const double snapshots = kelvin_run_row_steps(run) > 1 ? 2 : 1;
    const double state =
        snapshots * (double)kelvin_sampler_vectors(run->sampler) * n + (double)kelvin_bundle_bytes(run) + HEADERS;
    const double history = (double)kelvin_run_rows(run) * columns * (sizeof(double) + FIELD);
    const double baseline = logits + (double)((run->data->inputs + 2) * run->data->classes * sizeof(float)) + HEADERS;
    return baseline + run->config.chains * (state + history + draws * n + files * HEADERS) +
           run->config.chains * (draws - kelvin_run_warmup(run)) * logits + labels;
}

/* Of all samples at all data, which come after the last chain. */
static double logits_made(const kelvin_run *run)
{
    const double draws = kelvin_run_draws(run) - kelvin_run_warmup(run);
    return run->config.chains * draws * (double)(run->data->train.n + run->data->test.n);
}

static void conclude(kelvin_estimate *out, const struct trial *trial, double logits_per_s)
{
    const kelvin_run *run = trial->run;
    const double per_row = (double)kelvin_run_row_steps(run);
    double steps = 0, cpu_share = 0, memory = data_bytes(run->data) + (double)trial->last;
    for (const struct measured *chain = trial->chain; chain < trial->chain + trial->at_once; chain++) {
        steps += chain->steps_per_s;
        cpu_share += chain->cpu_share / (double)trial->at_once;
        memory += (double)chain->bytes + chain_bytes(run);
    }
    *out = (kelvin_estimate){
        .parameters = run->model->n_params,
        .chains_at_once = trial->at_once,
        .threads_per_chain = trial->threads / trial->at_once,
        .memory = memory,
        .disk = kelvin_run_disk(run),
        .rows_per_s = steps / per_row,
        .seconds = (double)run->config.chains * kelvin_run_rows(run) * per_row / steps,
        .logits = logits_made(run) / logits_per_s,
        .cpu_share = cpu_share,
    };
    out->seconds += out->logits;
}

static kelvin_status estimate_in_folder(kelvin_estimate *estimate, const kelvin_run *run, size_t threads)
{
    const size_t chains = run->config.chains;
    struct trial trial = {.run = run, .threads = threads, .at_once = threads < chains ? threads : chains};
    trial.chain = kelvin_alloc(trial.at_once, sizeof *trial.chain);
    kelvin_pool *pool = NULL;
    kelvin_status status = trial.chain ? kelvin_pool_create(&pool, trial.at_once) : KELVIN_ENOMEM;
    if (!status) status = kelvin_pool_run(pool, try_chain, &trial, trial.at_once);
    double logits_per_s;
    if (!status) status = kelvin_logits_rate(&logits_per_s, run, threads);
    if (!status) conclude(estimate, &trial, logits_per_s);
    kelvin_pool_destroy(pool);
    kelvin_free(trial.chain);
    return status;
}

/* A run in memory has room for all its draws: this is about one that has not, and is otherwise the same. */
kelvin_status kelvin_run_estimate(kelvin_estimate *estimate, const kelvin_run *run, size_t threads)
{
    KELVIN_NEEDS(estimate);
    KELVIN_NEEDS(run);
    KELVIN_TRY(kelvin_run_expect_open(run));
    struct kelvin_run_owned inside = *kelvin_run_inside(run);
    kelvin_run twin = *run;
    inside.kept = NULL;
    twin.owned = &inside;
    return estimate_in_folder(estimate, &twin, threads ? threads : kelvin_cpu_count());
}
