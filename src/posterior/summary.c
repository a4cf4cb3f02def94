/* What a run says of itself: the numbers under figure 1 of the paper (acceptance, R-hat over parameters and over
 * function space, training accuracy), and stricter ones beside them. */
#include <kelvin/posterior.h>

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

struct convergence {
    double mean, max;                    /* R-hat as in the paper; NaN if any is */
    double rank_max, ess_bulk, ess_tail; /* over the quantities that move at all; NaN if none does */
};

static kelvin_status converge(struct convergence *out, const kelvin_run *run, quantity *value, size_t n, bool ess)
{
    const size_t chains = run->config.chains, draws = kept(run);
    *out = (struct convergence){.max = -INFINITY, .rank_max = NAN, .ess_bulk = NAN, .ess_tail = NAN};
    double *x = kelvin_alloc(chains * draws, sizeof *x);
    kelvin_status status = x ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t which = 0; which < n && !status; which++) {
        for (size_t i = 0; i < chains * draws; i++) x[i] = value(run, i / draws, i % draws, which);
        double rhat, bulk = NAN, tail = NAN;
        status = kelvin_rank_diagnostics(&rhat, ess ? &bulk : NULL, ess ? &tail : NULL, x, chains, draws);
        out->rank_max = fmax(out->rank_max, rhat);
        out->ess_bulk = fmin(out->ess_bulk, bulk);
        out->ess_tail = fmin(out->ess_tail, tail);
        const double paper = kelvin_rhat(x, chains, draws);
        out->mean += paper / (double)n;
        if (!(paper <= out->max)) out->max = isnan(out->max) ? NAN : paper;
    }
    kelvin_free(x);
    return status;
}

/* Share of accepted proposals, and the median of |energy error|, where one that is not a number is infinite. */
static kelvin_status acceptance(kelvin_summary *out, const kelvin_run *run)
{
    const size_t draws = kept(run), size = run->config.chains * draws;
    double *error = kelvin_alloc(size, sizeof *error);
    if (!error) return KELVIN_ENOMEM;
    size_t accepted = 0;
    for (size_t i = 0; i < size; i++) {
        const kelvin_hmc_info *info = &run->info[row_of(run, i / draws, i % draws)];
        accepted += info->accepted;
        error[i] = isnan(info->energy_error) ? INFINITY : fabs(info->energy_error);
    }
    qsort(error, size, sizeof *error, kelvin_compare);
    out->acceptance = (double)accepted / (double)size;
    out->energy_error = kelvin_quantile(error, size, 0.5);
    kelvin_free(error);
    return KELVIN_OK;
}

kelvin_status kelvin_summarise(kelvin_summary *out, const kelvin_run *run)
{
    struct convergence params, function;
    if (!run->draws)
        return kelvin_fail(KELVIN_EUSAGE, "a run by %s has no draws in memory, and no summary as one by hmc has",
                           run->config.sampler);
    KELVIN_TRY(acceptance(out, run));
    KELVIN_TRY(converge(&params, run, parameter, run->model->n_params, false));
    KELVIN_TRY(converge(&function, run, probability, run->data->train.n, true));
    out->rhat_params = params.mean;
    out->rhat_params_max = params.max;
    out->rank_rhat_params = params.rank_max;
    out->rhat_function = function.mean;
    out->rhat_function_max = function.max;
    out->rank_rhat_function = function.rank_max;
    out->ess_bulk_min = function.ess_bulk;
    out->ess_tail_min = function.ess_tail;
    out->accuracy = kelvin_mean_accuracy(run->logits, run->data->train.y, run->config.chains * kept(run),
                                         run->data->train.n, run->data->classes);
    return KELVIN_OK;
}
