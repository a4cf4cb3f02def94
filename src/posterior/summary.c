/* What a run says of itself: the numbers under figure 1 of the paper (acceptance, R-hat over parameters and over
 * function space, training accuracy), and stricter ones beside them. */
#include <kelvin/posterior.h>

#include "posterior/convergence.h"
#include "posterior/stats.h"

#include <math.h>
#include <stdlib.h>

/* One quantity of every kept draw. */
typedef double quantity(const kelvin_run *run, size_t chain, size_t draw, size_t which);

static size_t kept(const kelvin_run *run)
{
    return run->config.iterations - run->config.warmup;
}

/* Of (chains, iterations): the row of a kept draw. */
static size_t row_of(const kelvin_run *run, size_t chain, size_t draw)
{
    return chain * run->config.iterations + run->config.warmup + draw;
}

static double parameter(const kelvin_run *run, size_t chain, size_t draw, size_t which)
{
    return (double)run->draws[row_of(run, chain, draw) * run->model->n_params + which];
}

/* The probability of class 0 at training point `which`. */
static double probability(const kelvin_run *run, size_t chain, size_t draw, size_t which)
{
    const size_t classes = run->data->classes;
    const float *z = run->logits + ((chain * kept(run) + draw) * run->data->train.n + which) * classes;
    return exp((double)z[0] - kelvin_log_sum_exp(z, classes));
}

static kelvin_status add_all(struct kelvin_converging *c, const kelvin_run *run, quantity *value, size_t n)
{
    const size_t chains = run->config.chains, draws = kept(run), most = kelvin_converging_block(n, chains, draws);
    double *x = kelvin_alloc(most * chains * draws, sizeof *x);
    kelvin_status status = x ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t first = 0; first < n && !status; first += most) {
        const size_t block = n - first < most ? n - first : most;
        for (size_t i = 0; i < block * chains * draws; i++)
            x[i] = value(run, i / draws % chains, i % draws, first + i / (chains * draws));
        status = kelvin_converging_add(c, x, block);
    }
    kelvin_free(x);
    return status;
}

static kelvin_status converge(kelvin_convergence *out, const kelvin_run *run, quantity *value, size_t n)
{
    kelvin_pool *pool;
    struct kelvin_converging *c;
    KELVIN_TRY(kelvin_pool_create(&pool, 1));
    kelvin_status status = kelvin_converging_create(&c, n, run->config.chains, kept(run), pool);
    if (!status) status = add_all(c, run, value, n);
    if (!status) kelvin_converging_result(out, c);
    kelvin_converging_destroy(c);
    kelvin_pool_destroy(pool);
    return status;
}

double kelvin_median_error(double *error, size_t n)
{
    for (size_t i = 0; i < n; i++) error[i] = isnan(error[i]) ? INFINITY : fabs(error[i]);
    qsort(error, n, sizeof *error, kelvin_compare);
    return kelvin_quantile(error, n, 0.5);
}

static kelvin_status acceptance(kelvin_summary *out, const kelvin_run *run)
{
    const size_t draws = kept(run), size = run->config.chains * draws;
    double *error = kelvin_alloc(size, sizeof *error);
    if (!error) return KELVIN_ENOMEM;
    size_t accepted = 0;
    for (size_t i = 0; i < size; i++) {
        const kelvin_hmc_info *info = &run->info[row_of(run, i / draws, i % draws)];
        accepted += info->accepted;
        error[i] = info->energy_error;
    }
    out->acceptance = (double)accepted / (double)size;
    out->energy_error = kelvin_median_error(error, size);
    kelvin_free(error);
    return KELVIN_OK;
}

kelvin_status kelvin_summarise(kelvin_summary *out, const kelvin_run *run)
{
    kelvin_convergence params, function;
    if (!run->draws)
        return kelvin_fail(KELVIN_EUSAGE, "a run by %s has no draws in memory, and no summary as one by hmc has",
                           run->config.sampler);
    KELVIN_TRY(acceptance(out, run));
    KELVIN_TRY(converge(&params, run, parameter, run->model->n_params));
    KELVIN_TRY(converge(&function, run, probability, run->data->train.n));
    out->rhat_params = params.rhat_mean;
    out->rhat_params_max = params.rhat_max;
    out->rank_rhat_params = params.rank_rhat_max;
    out->rhat_function = function.rhat_mean;
    out->rhat_function_max = function.rhat_max;
    out->rank_rhat_function = function.rank_rhat_max;
    out->ess_bulk_min = function.ess_bulk_min;
    out->ess_tail_min = function.ess_tail_min;
    out->accuracy = kelvin_mean_accuracy(run->logits, run->data->train.y, run->config.chains * kept(run),
                                         run->data->train.n, run->data->classes);
    return KELVIN_OK;
}
