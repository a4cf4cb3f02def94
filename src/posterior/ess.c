/* Effective sample size of several chains (Vehtari et al., 2021, equations 10 to 13; as in Stan): the autocorrelation
 *     rho_t = 1 - (W - mean over chains of the autocovariance at lag t) / var+,   var+ = (N-1)/N W + V,
 * with W the variance within and V that of the chain means, is summed in pairs rho_2k + rho_2k+1 as long as they are
 * positive, none larger than the one before (Geyer's initial monotone sequence). Lags are computed when they are asked
 * for, some at a time: chains that mix well need few. For those that need many, all at once by a transform. */
#include "posterior/stats.h"

#include <math.h>

enum { TOGETHER = 8 }; /* lags whose sums are taken in one pass */

struct series {
    const double *x; /* (chains, n), each chain less its mean */
    size_t chains, n;
    double within, total; /* W and var+ */
    size_t first;         /* of the lags in `sum`; 0: none */
    double sum[TOGETHER]; /* over chains, of products */
    const struct kelvin_fourier *fourier;
    double *work; /* sums at all lags, as soon as `transformed` */
    bool transformed;
};

/* Each sum is taken in the order of its products: it is the same as if it were taken alone. */
static void add_products(double sum[TOGETHER], const double *x, size_t n, size_t first)
{
    const size_t last = first + TOGETHER - 1, common = n > last ? n - last : 0;
    double s[TOGETHER];
    for (size_t k = 0; k < TOGETHER; k++) s[k] = sum[k];
    for (size_t i = 0; i < common; i++)
        for (size_t k = 0; k < TOGETHER; k++) s[k] += x[i] * x[i + first + k];
    for (size_t k = 0; k < TOGETHER; k++) {
        for (size_t i = common; i + first + k < n; i++) s[k] += x[i] * x[i + first + k];
        sum[k] = s[k];
    }
}

static double sum_of_products(struct series *s, size_t lag)
{
    const size_t first = (lag - 1) / TOGETHER * TOGETHER + 1;
    if (s->first != first) {
        for (size_t k = 0; k < TOGETHER; k++) s->sum[k] = 0.0;
        for (size_t m = 0; m < s->chains; m++) add_products(s->sum, s->x + m * s->n, s->n, first);
        s->first = first;
    }
    return s->sum[lag - first];
}

static double from_transform(struct series *s, size_t lag)
{
    if (!s->transformed) kelvin_autocovariances(s->fourier, s->work, s->x, s->chains);
    s->transformed = true;
    return s->work[lag];
}

static double autocorrelation(struct series *s, size_t lag)
{
    const double sum = lag <= KELVIN_DIRECT_LAGS ? sum_of_products(s, lag) : from_transform(s, lag);
    return 1.0 - (s->within - sum / (double)(s->n * s->chains)) / s->total;
}

/* 1 + 2 sum of rho_t: how many draws are worth one. */
static double autocorrelation_time(struct series *s)
{
    double tau = -1.0, largest = INFINITY, even = 1.0, odd = autocorrelation(s, 1);
    for (size_t lag = 2; lag + 2 < s->n && even + odd > 0.0; lag += 2) {
        largest = fmin(largest, even + odd);
        tau += 2.0 * largest;
        even = autocorrelation(s, lag);
        odd = autocorrelation(s, lag + 1);
    }
    /* The even half of the pair at which the sum stops, once: less noise where neighbours are anticorrelated. */
    return even > 0.0 || even + odd >= 0.0 ? tau + even : tau;
}

double kelvin_ess(double *x, size_t chains, size_t n, const struct kelvin_fourier *fourier, double *work)
{
    struct series s = {.x = x, .chains = chains, .n = n, .fourier = fourier, .work = work};
    kelvin_spread(&s.within, &s.total, x, chains, n);
    if (s.total == 0.0) return NAN;
    for (size_t m = 0; m < chains; m++) {
        const double mean = kelvin_mean(x + m * n, n);
        for (size_t i = m * n; i < (m + 1) * n; i++) x[i] -= mean;
    }
    /* The lower bound keeps anticorrelated chains from claiming more than S log10 S. */
    const double size = (double)(chains * n);
    return size / fmax(autocorrelation_time(&s), 1.0 / log10(size));
}
