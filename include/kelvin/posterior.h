/* posterior: what a set of draws says, and whether to believe it.
 *
 * Draws of one quantity are (chains, draws) in row-major order, warm-up left out.
 *
 *     double r = kelvin_rhat(x, chains, draws);               // as in the paper
 *     double split, bulk, tail;
 *     kelvin_status st = kelvin_rank_diagnostics(&split, &bulk, &tail, x, chains, draws);
 */
#ifndef KELVIN_POSTERIOR_H
#define KELVIN_POSTERIOR_H

#include <kelvin/base.h>
#include <kelvin/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* R-hat as in the paper: W = mean within-chain variance, B/N = variance of the chain means,
 * R = sqrt(((N-1)/N W + B/N) / W). NaN for fewer than 2 chains or draws; for draws that never move, 1 if the chains
 * agree and infinity if not. */
double kelvin_rhat(const double *x, size_t chains, size_t draws);

/* Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021), "Rank-normalization, folding, and localization":
 * the larger of rank-normalised split R-hat of x and of |x - median|; effective sample sizes for the bulk and for the
 * tails (the smaller one of the 5 % and the 95 % quantile), unless NULL: for long chains that mix badly they are most
 * of the work. NaN for fewer than 4 draws or if all draws are equal. */
KELVIN_MUST_CHECK kelvin_status kelvin_rank_diagnostics(double *rhat, double *ess_bulk, double *ess_tail,
                                                        const double *x, size_t chains, size_t draws);

/* Mean over samples of softmax(logits): logits (samples, n, classes) -> p (n, classes). The posterior predictive. */
KELVIN_MUST_CHECK kelvin_status kelvin_predictive(double *p, const float *logits, size_t samples, size_t n,
                                                  size_t classes);

/* Share of (sample, observation) pairs whose largest logit is the label's: mean accuracy of single samples. */
double kelvin_mean_accuracy(const float *logits, const int32_t *y, size_t samples, size_t n, size_t classes);

/* ---- ensembles: what the samples of a posterior say together ---- */

typedef struct kelvin_average {
    double mean, error; /* the standard error of the mean; not a number where there is one value alone */
} kelvin_average;

typedef struct kelvin_percentiles {
    double low, median, high; /* 10 %, 50 %, 90 % */
} kelvin_percentiles;

/* Of equal probabilities the first counts as the largest. */
typedef struct kelvin_metrics {
    size_t samples, chains, n; /* n: observations */
    struct {
        kelvin_average accuracy, confidence, log_likelihood; /* log-likelihood per observation */
    } single; /* of each sample alone, averaged; the error is over chains */
    struct {
        double accuracy, confidence, log_likelihood; /* log-likelihood: the sum over observations */
    } ensemble;                                      /* of the posterior predictive of all samples */
    size_t subsets, subset; /* error bars are over so many random subsets of so many samples; 0: too few for that */
    struct {
        kelvin_percentiles accuracy, confidence, log_likelihood;
    } spread; /* of the subsets' ensembles; as in ensemble */
} kelvin_metrics;

/* Of the logits in an NPY file, (samples, n, classes), float32, against the labels y (n), each 0 .. classes - 1. The
 * file is read in pieces: memory is a few MB however large it is. Probabilities that doubles cannot hold keep their
 * logarithms: a log-likelihood of finite logits is finite.
 * Where there are more than 8 samples, error bars are as in the paper: 100 subsets of 8 without replacement, always the
 * same ones. */
KELVIN_MUST_CHECK kelvin_status kelvin_ensemble_evaluate(kelvin_metrics *out, const char *path, const int32_t *y,
                                                         size_t n, size_t classes);

/* The same where a chain has several samples, which are not independent of each other: standard errors are those of the
 * chains' means, and there are none of a single chain. chain (samples): which one each sample is of, in order. */
KELVIN_MUST_CHECK kelvin_status kelvin_ensemble_of_chains(kelvin_metrics *out, const char *path, const int32_t *y,
                                                          const uint32_t *chain, size_t samples, size_t n,
                                                          size_t classes);

/* At which temperature a run by SGHMC was in its last epochs: a twentieth of them, at least one. Averages are over
 * the chains that came so far. */
typedef struct kelvin_temperatures {
    size_t epochs, chains;
    double set; /* what it should have been */
    kelvin_average kinetic, configurational;
} kelvin_temperatures;

/* Of a run that has ended: a chain with fewer epochs has diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_temperatures_read(kelvin_temperatures *out, const kelvin_run *run,
                                                         const char *folder);

/* What a run says of itself; everything without the warm-up. */
typedef struct kelvin_summary {
    double acceptance, energy_error;   /* share of accepted proposals; median of |energy error| */
    double rhat_params, rhat_function; /* as in the paper: mean over parameters; mean over p(class 0) at the data */
    double rhat_params_max, rhat_function_max;
    double rank_rhat_params, rank_rhat_function; /* rank-normalised split R-hat: the largest */
    double ess_bulk_min, ess_tail_min;           /* over function space */
    double accuracy;                             /* mean training accuracy of single samples */
} kelvin_summary;

KELVIN_MUST_CHECK kelvin_status kelvin_summarise(kelvin_summary *summary, const kelvin_run *run);

#ifdef __cplusplus
}
#endif
#endif
