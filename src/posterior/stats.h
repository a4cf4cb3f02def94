/* Inside of the posterior room: the pieces from which the diagnostics are made. */
#ifndef POSTERIOR_STATS_H
#define POSTERIOR_STATS_H

#include <kelvin/posterior.h>

#include "base/sorted.h"

/* Of x (chains, n), n > 1: `within`, the mean over chains of the variance (n-1 denominator), and `total`, (n-1)/n of it
 * plus the variance of the chain means. Chains that do not move have exactly 0 within; if they agree, in total too. */
void kelvin_spread(double *within, double *total, const double *x, size_t chains, size_t n);

/* `some` of n things, at equal distances: where the i-th is, and which is the first that is not before a place. */
static inline size_t kelvin_spaced(size_t i, size_t some, size_t n)
{
    return i * n / some;
}
static inline size_t kelvin_spaced_from(size_t place, size_t some, size_t n)
{
    return (place * some + n - 1) / n;
}

double kelvin_mean(const double *x, size_t n);

/* With its standard error, from the variance with n-1. Of no numbers: not a number. */
kelvin_average kelvin_averaged(const double *x, size_t n);

/* The z below which a standard normal falls with probability p, 0 < p < 1; good to 1e-15. */
double kelvin_normal_quantile(double p);

/* Autocovariances of series of n numbers, at all lags at once. What transforms of one length share, also between
 * threads: kelvin_free it. */
struct kelvin_fourier;
KELVIN_MUST_CHECK kelvin_status kelvin_fourier_create(struct kelvin_fourier **fourier, size_t n);
size_t kelvin_fourier_room(size_t n); /* numbers that `work` must have room for; less than 6 n + 2 */

/* work[t] = sum over chains and i of x_i x_(i+t), t < n, of x (chains, n), as it is: whoever wants means to be taken
 * off does so before. Good to some 1e-15 of that at lag 0. */
void kelvin_autocovariances(const struct kelvin_fourier *fourier, double *work, const double *x, size_t chains);

/* Effective number of draws behind the mean of x (chains, n), which is changed: each chain loses its mean. NaN if all
 * are the same. Lags after the first KELVIN_DIRECT_LAGS come from a transform, for series of n and with work
 * (kelvin_fourier_room(n)); both may be NULL if n is not larger. */
enum { KELVIN_DIRECT_LAGS = 64 };
double kelvin_ess(double *x, size_t chains, size_t n, const struct kelvin_fourier *fourier, double *work);

/* What kelvin_rank_diagnostics needs for many quantities of one shape: tables that threads share, and work of so many
 * bytes (never 0), which each thread has for itself. */
struct kelvin_rank_tables;
KELVIN_MUST_CHECK kelvin_status kelvin_rank_prepare(struct kelvin_rank_tables **tables, size_t chains, size_t draws);
void kelvin_rank_done(struct kelvin_rank_tables *tables); /* NULL is fine */
size_t kelvin_rank_bytes(size_t chains, size_t draws);

/* kelvin_rank_diagnostics of x (chains, draws). */
void kelvin_rank_run(const struct kelvin_rank_tables *tables, void *work, double *rhat, double *ess_bulk,
                     double *ess_tail, const double *x);

/* The order in which n numbers, none of them NaN, are sorted: x[order[0]] <= x[order[1]] ...; equal ones, as -0 and 0
 * are, in the order in which they come. Scratch (n). */
void kelvin_sort_order(uint32_t *order, uint32_t *scratch, const double *x, size_t n);

/* log sum_k exp z_k, safe for any finite z: p_k = exp(z_k - this). */
double kelvin_log_sum_exp(const float *z, size_t classes);

#endif
